/* product_kernels.h - rows of matrices times vectors, compiled per instruction set (base/dispatch.h). */
#ifndef WEFT_SOLVE_PRODUCT_KERNELS_H
#define WEFT_SOLVE_PRODUCT_KERNELS_H

#include "base/dispatch.h"
#include "solve/single_matrix.h"

typedef struct wf_product_kernels {
    /* y = A x for rows [begin, end); distinct. */
    void (*multiply_double)(const wf_block_matrix *matrix, const wf_vec3 *restrict x, wf_vec3 *restrict y, size_t begin,
                            size_t end);
    void (*multiply_single)(const wf_single_matrix *matrix, const wf_float4 *restrict x, wf_float4 *restrict y,
                            size_t begin, size_t end);
} wf_product_kernels;

WF_DECLARE_KERNELS(wf_product_kernels, wf_product_kernels);

#endif
