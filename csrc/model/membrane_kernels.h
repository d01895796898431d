/* membrane_kernels.h - the membrane's inner loops, compiled per instruction set (base/dispatch.h). */
#ifndef WEFT_MODEL_MEMBRANE_KERNELS_H
#define WEFT_MODEL_MEMBRANE_KERNELS_H

#include "base/dispatch.h"
#include "model/membrane_private.h"

/* What the faces of a form do. */
typedef struct wf_face_kernels {
    /* The elastic energies of batches [begin, end), one per lane: energies[0] are those of batch `begin`. */
    void (*energies)(const wf_membrane *m, const wf_vec3 *x, size_t begin, size_t end, double (*energies)[WF_LANES]);

    /* past += weight times the strains at x, of batches [begin, end). */
    void (*add_past)(wf_membrane *m, const wf_vec3 *x, double weight, size_t begin, size_t end);

    /* The forces of batches [begin, end) at positions x and velocities v (NULL: none). results[0] are those of batch
     * `begin`, here and below. */
    void (*forces)(const wf_membrane *m, const wf_vec3 *x, const wf_vec3 *v, size_t begin, size_t end,
                   wf_membrane_results *results);

    /* The blocks of stiffness_scale K + damping_scale D; `exact` leaves K as it is, definite or not. */
    void (*blocks)(const wf_membrane *m, const wf_vec3 *x, double stiffness_scale, double damping_scale, bool exact,
                   size_t begin, size_t end, wf_membrane_results *results);
} wf_face_kernels;

/* From the results of faces to forces and matrices. */
typedef struct wf_membrane_kernels {
    wf_face_kernels corotational; /* and as in the thesis */

    /* Writes the blocks of edges to their places; results: the chunk's. */
    void (*set_edges)(const wf_membrane_edge *edges, size_t count, const wf_membrane_results *results, wf_mat3 *blocks);

    /* The diagonal blocks of those vertices whose last face is in the chunk of batches that ends with `end`: minus the
     * sum of the row's others. */
    void (*set_diagonals)(const wf_membrane *m, const wf_membrane_vertex *vertices, size_t count, int32_t end,
                          wf_mat3 *blocks);

    /* Adds the forces of the chunk of batches [first, end) to its vertices. */
    void (*add_forces)(const wf_membrane *m, const wf_membrane_vertex *vertices, size_t count, int32_t first,
                       int32_t end, wf_vec3 *f);
} wf_membrane_kernels;

WF_DECLARE_KERNELS(wf_membrane_kernels, wf_membrane_kernels);
WF_DECLARE_KERNELS(wf_face_kernels, wf_weave_kernels);

#endif
