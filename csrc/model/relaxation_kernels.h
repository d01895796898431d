/* relaxation_kernels.h - batches of compliant constraints and the inner loops that relax them; compiled per
 * instruction set (base/dispatch.h).
 *
 * An element holds the strain C(x) with the energy 1/2 C^T S C. In a backward Euler step of length h its force is
 * J^T (L / h^2),  J = dC/dx,  L = -h^2 S C(x).
 *
 * Extended position-based dynamics (Macklin, Mueller and Chentanez 2016) keeps L and moves the vertices by W J^T dL, W
 * the inverse masses. There, J is each time another one, and what earlier ones contributed is left where they put it;
 * the iteration then ends where the momentum is not quite balanced (the term g of their equation 8 that they drop).
 * Here an element of changing direction keeps the displacement J^T L itself and takes the whole of it back when it adds
 * the new one: the first pass is the same, and the last one balances.
 *
 * The viscosity of membranes acts on the velocities at the end of a step, by passes of its own. In the same pass (as
 * the paper has it) it would soften the element by 1 + eta / h: correct at the end of the iteration, but after one pass
 * a sheet would hang that much longer. Bending and springs, which carry no load worth mentioning, do have it in the
 * same pass.
 */
#ifndef WEFT_MODEL_RELAXATION_KERNELS_H
#define WEFT_MODEL_RELAXATION_KERNELS_H

#include "base/dispatch.h"
#include "model/local.h"
#include "model/patch.h"

enum { WF_RELAXATION_LANES = 8 };

/* Eight triangles without common vertices. Strain: U11 - 1, U22 - 1, 2 U12 of the deformation's stretch U, or those of
 * membrane_weave.h. */
typedef struct wf_membrane_batch {
    int32_t vertex[3][WF_RELAXATION_LANES];
    _Alignas(64) double gradient1x[WF_RELAXATION_LANES]; /* of the shape functions, 1/m */
    double gradient1y[WF_RELAXATION_LANES];
    double gradient2x[WF_RELAXATION_LANES], gradient2y[WF_RELAXATION_LANES];
    double compliance[4][WF_RELAXATION_LANES]; /* S^-1: 11, 12, 22, 33, m/N per m of area */
    double viscosity[WF_RELAXATION_LANES];     /* eta, s */
} wf_membrane_batch;

typedef struct wf_relaxation_vectors {
    _Alignas(64) double x[WF_RELAXATION_LANES], y[WF_RELAXATION_LANES], z[WF_RELAXATION_LANES];
} wf_relaxation_vectors;

/* What moves a triangle's corners 1 and 2, times their inverse masses; corner 0 gets minus their sum. kg m */
typedef struct wf_membrane_impulse {
    wf_relaxation_vectors corner1, corner2;
} wf_membrane_impulse;

typedef struct wf_membrane_drag {
    _Alignas(64) double multiplier[3][WF_RELAXATION_LANES]; /* N s */
} wf_membrane_drag;

/* Eight faces that bend (model/bending_local.h) without common vertices. Seven strains, linear in the vertices, so that
 * x, y and z separate and the matrices are constant; S is the model's scale. The weights of a strain sum to zero: those
 * of all vertices but the first are kept. */
typedef struct wf_bending_batch {
    int32_t vertex[WF_PATCH_VERTICES][WF_RELAXATION_LANES];
    double weight[WF_PATCH_STRAINS][WF_PATCH_VERTICES - 1][WF_RELAXATION_LANES]; /* (N/m)^(1/2) */
    /* P = (1 + (1 + eta / h) h^2 S J W J^T)^-1: 11 12 ... 17 22 23 ... 77 */
    double inverse[WF_PATCH_STRAINS * (WF_PATCH_STRAINS + 1) / 2][WF_RELAXATION_LANES];
    double viscosity[WF_RELAXATION_LANES]; /* s */
} wf_bending_batch;

typedef struct wf_bending_impulse {
    double multiplier[WF_PATCH_STRAINS][3][WF_RELAXATION_LANES]; /* of each strain along x, y, z */
} wf_bending_impulse;

/* For the triangles of one form. */
typedef struct wf_triangle_kernels {
    /* Relax batches [begin, end). over_stiffness: 1 / (scale h^2). first: the impulses are none yet. */
    void (*relax)(const wf_membrane_batch *batches, wf_membrane_impulse *impulses, size_t begin, size_t end,
                  double over_stiffness, bool first, wf_point *points);
    /* Viscosity on velocities (with inverse masses, as points). over_stiffness: 1 / (scale h). */
    void (*damp)(const wf_membrane_batch *batches, wf_membrane_drag *drags, size_t begin, size_t end,
                 double over_stiffness, const wf_point *points, wf_point *velocities);
} wf_triangle_kernels;

typedef struct wf_relaxation_kernels {
    wf_triangle_kernels corotational;
    /* stiffness: scale h^2. start: NULL where no batch has viscosity. */
    void (*bendings)(const wf_bending_batch *batches, wf_bending_impulse *impulses, size_t begin, size_t end,
                     double stiffness, double over_h, bool first, const wf_point *start, wf_point *points);
} wf_relaxation_kernels;

WF_DECLARE_KERNELS(wf_relaxation_kernels, wf_relaxation_kernels);
WF_DECLARE_KERNELS(wf_triangle_kernels, wf_weave_relaxation_kernels);

#endif
