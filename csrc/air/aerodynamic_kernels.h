/* aerodynamic_kernels.h - the aerodynamic model's inner loops, compiled per instruction set (base/dispatch.h). */
#ifndef WEFT_AIR_AERODYNAMIC_KERNELS_H
#define WEFT_AIR_AERODYNAMIC_KERNELS_H

#include "air/aerodynamic_private.h"
#include "base/dispatch.h"

typedef struct wf_aerodynamic_kernels {
    /* Forces, and the damping where it is asked for, of the faces [begin, end), which are of the job's range. */
    void (*evaluate)(const wf_air_job *job, size_t begin, size_t end);

    /* Adds the forces to the vertices [begin, end). */
    void (*add_forces)(const wf_air_job *job, size_t begin, size_t end);

    /* Adds to the blocks of the edges [begin, end), and to the diagonal blocks of the vertices [begin, end). */
    void (*add_edges)(const wf_air_job *job, size_t begin, size_t end);
    void (*add_diagonals)(const wf_air_job *job, size_t begin, size_t end);
} wf_aerodynamic_kernels;

WF_DECLARE_KERNELS(wf_aerodynamic_kernels, wf_aerodynamic_kernels);

#endif
