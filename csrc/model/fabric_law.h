/* fabric_law.h - the law of a fabric in its plane, on the strains along weft and warp and the shear angle: the moduli
 * C1111, C2222 and C1212, or in place of any of them a measured curve (fabric/stress_curve.h), and C1122 between the
 * first two.
 *
 * The modes are independent but for C1122 (Volino and Magnenat-Thalmann 2007, section 2.1), so a curve is measured by
 * one test each.
 */
#ifndef WEFT_MODEL_FABRIC_LAW_H
#define WEFT_MODEL_FABRIC_LAW_H

#include "fabric/fabric.h"
#include "model/strain.h"

typedef struct wf_fabric_material {
    double modulus[3]; /* of modes without a curve, N/m */
    double coupling;   /* N/m */
    wf_stress_spline curve[3];
} wf_fabric_material;

extern const wf_stress_law wf_fabric_law;

/* For recipes (strain_model.h); viscosity: [3]. */
void wf_make_fabric_material(const wf_fabric *fabric, void *material, double *viscosity);

#endif
