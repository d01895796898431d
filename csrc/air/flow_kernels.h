/* flow_kernels.h - rows of the velocity's grid, compiled per instruction set (base/dispatch.h).
 *
 * Around each face across axis a lies a control volume of one cell, half of which is in each neighbour. Its lower side
 * along axis d has the index of the face itself: what flows through it has the carrying velocity
 * (U_d[c] + U_d[c - s_a]) / 2, whatever a and d are, and lies between the faces c - s_d and c.
 */
#ifndef WEFT_AIR_FLOW_KERNELS_H
#define WEFT_AIR_FLOW_KERNELS_H

#include "air/flow.h"
#include "base/dispatch.h"

/* One stage of a Runge-Kutta method for one component:
 *     out = base + factor (q - base) + old_factor (old - base) + rate_factor (rate - base) + time dq/dt
 * with dq/dt of the values q; rate is what an Euler step of one second made of base. By differences, so that what does
 * not change does not round. out may be old; base, old and rate may be q. */
typedef struct wf_flow_stage {
    const wf_flow_grid *grid;
    int axis;
    wf_flow_advection advection;
    int32_t begin[3], end[3]; /* faces to work on */
    const float *carrier[3];
    const float *q, *base, *old, *rate;
    float *out;
    float factor, old_factor, rate_factor, time;
    float inverse_spacing[3];
    float friction[3];         /* viscosity / spacing */
    const float *pressure;     /* over density; NULL: none */
    float push;                /* m/s2 */
    const float *acceleration; /* NULL: none beside it */
    const float *open, *solid; /* of the faces across `axis`; NULL: no solids */
    bool carrier_diverges;     /* the carrier may be not free of divergence, and is not to make uniform air uneven */
} wf_flow_stage;

typedef struct wf_flow_box {
    const wf_flow_grid *grid;
    bool periodic[3];
    float inverse_spacing[3], area[3];
    const float *velocity[3];        /* what is looked at */
    float *target[3];                /* what is written */
    const float *open[3], *solid[3]; /* NULL: no solids */
} wf_flow_box;

typedef struct wf_flow_kernels {
    /* Rows [begin, end) of (j, k) in the stage's range, j fastest. */
    void (*stage)(const wf_flow_stage *stage, size_t begin, size_t end);
    /* Rows of cells: b = - the sum over faces of what flows out, m3/s; returns the largest |b|. */
    float (*divergence)(const wf_flow_box *box, float *b, size_t begin, size_t end);
    /* Rows of cells and the faces on their lower sides, and on the upper sides of the box: target -= grad phi where
     * conductance is positive. Returns the largest |target|. */
    float (*correct)(const wf_flow_box *box, float *const conductance[3], const float *phi, size_t begin, size_t end);
    /* Rows of cells: the largest sum over axes of |velocity| / spacing, 1/s; infinite where one is not finite. */
    float (*crossings)(const wf_flow_box *box, size_t begin, size_t end);
    /* Entries [begin, end) of an array: out = u + factor (u - old). */
    void (*extrapolate)(const float *u, const float *old, float factor, float *out, size_t begin, size_t end);
    /* Entries: u = open u + (1 - open) solid, the volume that crosses a face per area and time. */
    void (*weigh)(const float *open, const float *solid, float *u, size_t begin, size_t end);
    /* Entries: a += factor b */
    void (*add)(const float *b, float factor, float *a, size_t begin, size_t end);
    /* Entries: a = factor (a - b) */
    void (*subtract)(const float *b, float factor, float *a, size_t begin, size_t end);
} wf_flow_kernels;

WF_DECLARE_KERNELS(wf_flow_kernels, wf_flow_kernels);

#endif
