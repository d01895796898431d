/* hinge.h - two faces over a common edge: where a sheet has hinges, and the angle between their faces.
 *
 * The nodes of a hinge are the edge's two ends, the far corner of its own face and that of the other. Its angle is zero
 * when flat and positive when the far corners lie on the side that the own face's normal points to.
 */
#ifndef WEFT_MODEL_HINGE_H
#define WEFT_MODEL_HINGE_H

#include "model/strain_model.h"

enum { WF_HINGE_NODES = 4 };

/* The angle, rad in (-pi, pi], and its gradient (NULL: not wanted), 1/m. A side without area has none. */
double wf_hinge_angle(const wf_vec3 x[WF_HINGE_NODES], wf_vec3 gradient[WF_HINGE_NODES]);

/* An angle less the rest angle, the short way round. */
double wf_hinge_fold(double angle, double rest_angle);

/* hessian[place[i] * node_count + place[j]] += factor d2 angle / dx_i dx_j, where the hinge's nodes have the numbers
 * `place` among an element's. */
void wf_hinge_add_curvature(const wf_vec3 x[WF_HINGE_NODES], double factor, const int32_t place[WF_HINGE_NODES],
                            int32_t node_count, wf_mat3 *hessian);

/* ---- hinges of a sheet ----------------------------------------------------------------------------------------- */

/* A hinge at rest, unfolded into the plane of its own face. */
typedef struct wf_hinge_site {
    int32_t vertices[WF_HINGE_NODES];
    wf_vec2 place[WF_HINGE_NODES]; /* m; the edge's ends and the own face's corner where they are in the grain frame */
    double length;                 /* of the edge, m */
    double own_height, far_height; /* of the far corners over the edge, m */
    double own_foot, far_foot;     /* their feet along the edge, as fractions from its first end */
    double angle;                  /* at rest, rad */
    double direction[3];           /* n n^T of the edge's normal as (11, 22, 2 x 12) */
    double share;                  /* 1; 1/2 where the other face, of another fabric or grain, has the other half, or
                                      is not active */
} wf_hinge_site;

typedef int32_t (*wf_sheet_neighbours)[3];
typedef const int32_t (*wf_sheet_known_neighbours)[3];

/* neighbours[face][k] = the one other face at the edge from corner k to k + 1, or -1 when there is none or more than
 * one. The faces must have passed wf_check_face. */
wf_status wf_sheet_find_neighbours(wf_context *context, int32_t vertex_count, int32_t face_count,
                                   const int32_t (*faces)[3], wf_sheet_neighbours neighbours);

/* The hinge over edge k of a face. False: there is none, or the other face has it. */
bool wf_hinge_at(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, int32_t k,
                 wf_hinge_site *site);

/* The hinge over edge k of a face, whoever has it. False: there is none. */
bool wf_hinge_over(const wf_sheet_faces *sheet, wf_sheet_known_neighbours neighbours, int32_t face, int32_t k,
                   wf_hinge_site *site);

/* n n^T of the normal n of an edge, as (11, 22, 2 x 12). */
void wf_hinge_direction(wf_vec2 edge, double direction[3]);

/* Where the far corner of a hinge lies in the plane of its other nodes, which are at a, b and c, in any unit. */
wf_vec2 wf_hinge_flat_corner(const wf_hinge_site *site, wf_vec2 a, wf_vec2 b, wf_vec2 c);

/* Where the far corner of a hinge is whose other nodes are at c, d and a, and whose angle is given. */
wf_vec3 wf_hinge_unfold(wf_vec3 c, wf_vec3 d, wf_vec3 a, double far_foot, double far_height, double angle);

/* The positions of the nodes at rest, folded by the rest angle. */
void wf_hinge_rest_positions(const wf_hinge_site *site, wf_vec3 x[WF_HINGE_NODES]);

/* wf_strain_model_from_sheet with the sheet's wf_sheet_known_neighbours as `user`. */
wf_status wf_hinge_model_from_sheet(wf_context *context, const wf_strain_recipe *recipe, const wf_sheet_faces *sheet,
                                    wf_model **model);

/* ---- moduli of a hinge ----------------------------------------------------------------------------------------- */

/* Half the sum of the heights, m: over it the angle is the curvature. */
static inline double wf_hinge_width(const wf_hinge_site *site)
{
    return 0.5 * (site->own_height + site->far_height);
}

/* What a hinge's energy density is multiplied with, of models with one modulus per hinge: area x B(phi), the plate's
 * modulus in the direction of the hinge's normal, N m3. The area is that of both faces, so that each face counts three
 * times: on equilateral triangles, where a hinge measures k_nn - k_tt / 3 of the curvatures across and along it, a
 * cylinder in any direction so has the plate's energy. Material moduli are 1. */
double wf_hinge_weight(const wf_sheet_faces *sheet, int32_t face, const wf_hinge_site *site);

/* The material of such models for the linear law. */
void wf_hinge_unit_material(int32_t count, const wf_fabric *fabric, void *material, double *viscosity);

/* The material of models of a curvature tensor for the linear law: the plate's. */
void wf_hinge_plate_material(const wf_fabric *fabric, void *material, double *viscosity);

#endif
