/* strain_limits.h - how far cloth lets itself be stretched and sheared at all.
 *
 * A fabric's limits bound, per face with F = [w_u, w_v] the deformation gradient in the grain's frame,
 *
 *     limit        the largest principal stretch less one, in whatever direction it is (isotropic)
 *     limit_weft   |w_u| - 1,   limit_warp   |w_v| - 1   (per direction, as threads that jam)
 *     limit_shear  |asin(w_u . w_v / (|w_u| |w_v|))|, rad
 *
 * Positions that a step proposes are moved to others within the limits, face by face (Gauss and Seidel) along the
 * strains' gradients weighted with the inverse masses; what a face was moved too far is given back, so that taut cloth
 * ends where inextensible cloth would, and not where the order of the corrections leaves it, as in Provot's (1995).
 * Each correction is blind to rigid motions, so momentum stays; pinned vertices stay where they are. Every step begins
 * anew: pulls kept from the last one help taut cloth to rest, but fling slack cloth about. (Isotropic: Wang et al.
 * 2010; per direction: Thomaszewski et al. 2009.)
 *
 * A correction travels one face a sweep. 40 rows of cloth that its weight would stretch far beyond its limit take 100
 * sweeps to hang within 0.2 % of it, and 300 to hang within 0.01 %.
 */
#ifndef WEFT_MODEL_STRAIN_LIMITS_H
#define WEFT_MODEL_STRAIN_LIMITS_H

#include "model/element.h"
#include "base/vector.h"

enum { WF_LIMITS = 4 };

typedef struct wf_strain_limits wf_strain_limits;

typedef struct wf_strain_limits_result {
    int32_t sweeps;
    double excess; /* strain: how far the worst face is beyond a limit of its */
} wf_strain_limits_result;

/* Makes the limits of a sheet's faces; NULL, with WF_OK, where no fabric has any. */
wf_status wf_strain_limits_create(wf_context *context, const wf_sheet_faces *sheet, wf_strain_limits **limits);
/* NULL is allowed. */
void wf_strain_limits_destroy(wf_context *context, wf_strain_limits *limits);

/* Moves x [vertex_count] until the last sweep corrected no strain by more than `tolerance`, or `sweeps` are made. */
void wf_strain_limits_apply(wf_context *context, wf_strain_limits *limits, const double *inverse_mass,
                            double tolerance, int32_t sweeps, wf_vec3 *x, wf_strain_limits_result *result);

#endif
