/* fabric.h - what a piece of cloth is made of: an orthotropic sheet with measured moduli.
 *
 * Weft is direction 1 (u, the pattern's x), warp is direction 2 (v, the pattern's y). Membrane moduli and stresses are
 * per width of cloth (N/m), bending moduli per width too (N m), the density per area (kg/m2).
 *
 * The law is the linear orthotropic one of Keckeisen (2005), section 2: stress = C strain with C1111 = weft, C2222 =
 * warp, C1122 = coupling and C1212 = shear, where the shear strain is the engineering angle (twice the tensor's
 * component). In bending, a cylinder whose curved direction makes the angle phi with the weft has the modulus
 * B(phi) = B1 cos^4 phi + B2 sin^4 phi + 2 (poisson + 2 twist) sqrt(B1 B2) sin^2 phi cos^2 phi. The mixed term is
 * rarely measured. poisson + 2 twist = 1 is Huber's estimate for orthotropic plates, and makes B(phi) constant when
 * B1 = B2.
 */
#ifndef WEFT_FABRIC_FABRIC_H
#define WEFT_FABRIC_FABRIC_H

#include "fabric/stress_curve.h"

typedef struct wf_fabric {
    char name[48];
    double density;        /* kg/m2 */
    double weft;           /* C1111, N/m */
    double warp;           /* C2222, N/m */
    double coupling;       /* C1122, N/m: how much a strain in one direction pulls in the other */
    double shear;          /* C1212, N/m per radian of engineering angle */
    double bend_weft;      /* B1, N m: bending that curves the weft */
    double bend_warp;      /* B2, N m: bending that curves the warp */
    double bend_poisson;   /* D12 / sqrt(B1 B2), between -1 and 1: how much a curvature resists the one across it */
    double bend_twist;     /* D66 / sqrt(B1 B2): twist, the moment per 2 k12 */
    double viscosity;      /* s: in-plane viscous moduli are viscosity * C */
    double bend_viscosity; /* s: the same for bending */
    double thickness;      /* m: the distance two layers keep */
    double friction;       /* Coulomb coefficient, cloth on cloth and, unless the body says otherwise, cloth on body */
    /* Measured stress over strain in place of C1111, C2222 and C1212, for models that can (models.h): */
    wf_stress_curve weft_curve, warp_curve;
    wf_stress_curve shear_curve; /* over the engineering angle; mirrored unless it has points below 0 */
    wf_stress_curve weft_unloading, warp_unloading, shear_unloading; /* their other branches; shear's is mirrored */
    /* Dry friction between threads (model/memory.h): half the height of the stress-strain loop, N/m; 0: none. */
    double hysteresis_weft, hysteresis_warp, hysteresis_shear;
    double hysteresis_slip; /* strain over which it builds up before threads slip */
    double hysteresis_bend_weft, hysteresis_bend_warp; /* the same of moment and curvature, N */
    double hysteresis_bend_slip; /* 1/m */
    /* Loss factors (the tangent of the angle by which stress leads strain) that do not depend on the frequency between
     * two, Hz, beside viscosity (model/memory.h); 0: none. */
    double loss_stretch, loss_shear, loss_bend;
    double loss_from, loss_to;
    /* How far it lets itself be deformed at all (model/strain_limits.h); 0: no limit. */
    double limit;                   /* stretch in any direction, less one */
    double limit_weft, limit_warp;  /* of each thread, less one */
    double limit_shear;             /* rad */
} wf_fabric;

static inline bool wf_fabric_has_hysteresis(const wf_fabric *fabric)
{
    return fabric->hysteresis_weft > 0 || fabric->hysteresis_warp > 0 || fabric->hysteresis_shear > 0;
}

static inline bool wf_fabric_has_bend_hysteresis(const wf_fabric *fabric)
{
    return fabric->hysteresis_bend_weft > 0 || fabric->hysteresis_bend_warp > 0;
}

static inline bool wf_fabric_has_unloading(const wf_fabric *fabric)
{
    return fabric->weft_unloading.count > 0 || fabric->warp_unloading.count > 0 || fabric->shear_unloading.count > 0;
}

/* Whether there is something that its faces have to remember, in their plane or bent. */
static inline bool wf_fabric_remembers_plane(const wf_fabric *fabric)
{
    return wf_fabric_has_hysteresis(fabric) || wf_fabric_has_unloading(fabric) || fabric->loss_stretch > 0 ||
           fabric->loss_shear > 0;
}

static inline bool wf_fabric_remembers_bending(const wf_fabric *fabric)
{
    return wf_fabric_has_bend_hysteresis(fabric) || fabric->loss_bend > 0;
}

static inline bool wf_fabric_remembers(const wf_fabric *fabric)
{
    return wf_fabric_remembers_plane(fabric) || wf_fabric_remembers_bending(fabric);
}

static inline bool wf_fabric_has_curves(const wf_fabric *fabric)
{
    return fabric->weft_curve.count > 0 || fabric->warp_curve.count > 0 || fabric->shear_curve.count > 0;
}

/* How the shear moduli of the four measured presets are read. The table prints 0.38 to 5.23 N/m, which are the usual
 * Kawabata shear rigidities per DEGREE; an angle in radians needs them times 180/pi. The two fictitious presets were
 * made up in N/m and stay as printed in either reading. */
typedef enum wf_fabric_reading {
    WF_FABRIC_PER_RADIAN, /* the physical reading */
    WF_FABRIC_THESIS      /* the printed numbers as they stand: cloth nearly free to shear */
} wf_fabric_reading;

/* The number of presets, and the name of each from 0: "wool viscose", "wool", "polyester acrylic", "polyester",
 * "shear resistant", "bend resistant". NULL out of range. */
int wf_fabric_preset_count(void);
const char *wf_fabric_preset_name(int index);

/* Fills `fabric` with a preset: the moduli and densities of Keckeisen (2005), figure 2.4. Not in that table and chosen
 * here: bend_poisson 0.2 and bend_twist 0.4 (an isotropic plate of that ratio when B1 = B2), viscosity 0.01 s (in plane
 * and in bending; the source says "a constant fraction"), thickness 1 mm, friction 0.4 (the middle of what is measured
 * for woven cloth on cloth and on skin, 0.3 to 0.5).
 * WF_ERROR_ARGUMENT when the name is none of the presets'. */
wf_status wf_fabric_preset(wf_context *context, const char *name, wf_fabric_reading reading, wf_fabric *fabric);

/* Checks that the values can be simulated: finite, positive where they must be, weft * warp > coupling^2, also of the
 * least slopes where there are curves.
 * WF_ERROR_ARGUMENT names the first offending field, its value and its range. */
wf_status wf_fabric_check(wf_context *context, const wf_fabric *fabric);

/* Young's moduli per width (N/m) of a strip pulled along the weft or the warp and free to contract across:
 * E1 = C1111 - C1122^2 / C2222, E2 = C2222 - C1122^2 / C1111. */
double wf_fabric_young_weft(const wf_fabric *fabric);
double wf_fabric_young_warp(const wf_fabric *fabric);

/* The 3 x 3 plate moduli, N m, for the curvature (k11, k22, 2 k12). */
void wf_fabric_bending_moduli(const wf_fabric *fabric, double moduli[3][3]);

#endif
