/* laminate.h - several layers of fabric that are simulated as one: fused interfacing, loose linings.
 *
 * Layers at one distance would cost as many meshes, and contact that holds them apart; one sheet of the combined law
 * costs what one layer costs (Volino and Magnenat-Thalmann 2007, on interlinings). Densities and membrane moduli add.
 * Loose layers bend each about its own middle: bending moduli add. Fused ones bend about one neutral surface: with
 * Q the membrane moduli of a layer, D its bending moduli and z the height of its middle, classical lamination theory
 * (Reissner and Stavsky 1961) has
 *
 *     A = sum Q,   B = sum Q z,   D = sum (D + Q z^2),   bending moduli D - B A^-1 B,
 *
 * the moduli at no membrane stress: for layers of one Poisson's ratio the parallel-axis rule sum (D + E (z - z0)^2).
 */
#ifndef WEFT_FABRIC_LAMINATE_H
#define WEFT_FABRIC_LAMINATE_H

#include "fabric/fabric.h"

typedef enum wf_laminate_bond { WF_LAMINATE_LOOSE, WF_LAMINATE_FUSED } wf_laminate_bond;

/* `count` >= 1 layers, the outer face first, all with their threads along the same directions. Thicknesses add, and
 * place the layers; friction is the first layer's; viscosities are those whose viscous moduli are the layers' sum.
 * WF_ERROR_ARGUMENT names the first layer that is not a fabric, or what cannot be simulated of the whole. */
wf_status wf_fabric_laminate(wf_context *context, int32_t count, const wf_fabric *layers, wf_laminate_bond bond,
                             wf_fabric *laminate);

#endif
