/* membrane_kernels.h - the membrane's inner loops, compiled per instruction set (base/dispatch.h). */
#ifndef WEFT_MODEL_MEMBRANE_KERNELS_H
#define WEFT_MODEL_MEMBRANE_KERNELS_H

#include "base/dispatch.h"
#include "model/membrane_private.h"

typedef struct wf_membrane_kernels {
    /* forces[face] = the corner forces of batches [begin, end) at positions x and velocities v (NULL: none). Written
     * whole batches at a time, beyond the last face too. */
    void (*forces)(const wf_membrane *m, const wf_vec3 *x, const wf_vec3 *v, wf_corner_forces *forces, size_t begin,
                   size_t end);
} wf_membrane_kernels;

WF_DECLARE_KERNELS(wf_membrane_kernels, wf_membrane_kernels);

#endif
