/* dispatch.h - which instruction set the inner loops of a context use.
 *
 * A file csrc/<folder>/<name>_kernels.c is compiled once for each instruction set (see the Makefile) and ends in a
 * table of functions whose name WF_KERNELS makes distinct; WF_DECLARE_KERNELS in its header declares the tables and the
 * function that picks one for a context. Kernels work on lanes that do not depend on each other, in vectors (wide.h) or
 * in loops that the compiler makes vectors of (WF_LANE_LOOP). Contraction is off, so all instruction sets give the same
 * bits: fused, the membrane's forces and matrix would be a sixth faster in AVX-512.
 *
 * A processor that lacks an instruction set refuses it; WF_SCALAR, the same source without vectors, is there to compare
 * with.
 */
#ifndef WEFT_BASE_DISPATCH_H
#define WEFT_BASE_DISPATCH_H

#include "base/context.h"

/* Set by the Makefile for files named *_kernels.c. The x86 ones are built where the compiler makes code for x86-64. */
#ifdef WF_KERNEL_SUFFIX
#define WF_KERNELS_PASTE(name, suffix) name##_##suffix
#define WF_KERNELS_EXPAND(name, suffix) WF_KERNELS_PASTE(name, suffix)
#define WF_KERNELS(name) WF_KERNELS_EXPAND(name, WF_KERNEL_SUFFIX)
#endif

/* Before a loop whose rounds are lanes. */
#ifdef WF_NO_VECTORS
#define WF_LANE_LOOP
#else
#define WF_LANE_LOOP _Pragma("omp simd")
#endif

/* For what is called with constants that ask for a copy of its loops of their own. */
#define WF_ALWAYS_INLINE inline __attribute__((always_inline))

/* Declares the tables `name` of type `type` and  const type *name_for(const wf_context *). */
#ifdef WF_X86_KERNELS
#define WF_DECLARE_KERNELS(type, name)                                                                                 \
    extern const type name##_scalar, name##_baseline, name##_avx2, name##_avx512;                                      \
    static inline const type *name##_for(const wf_context *context)                                                    \
    {                                                                                                                  \
        const type *const tables[] = {&name##_baseline, &name##_scalar, &name##_baseline, &name##_avx2,                \
                                      &name##_avx512};                                                                 \
        return tables[wf_context_instruction_set(context)];                                                            \
    }                                                                                                                  \
    extern const type name##_scalar
#else
#define WF_DECLARE_KERNELS(type, name)                                                                                 \
    extern const type name##_scalar, name##_baseline;                                                                  \
    static inline const type *name##_for(const wf_context *context)                                                    \
    {                                                                                                                  \
        return wf_context_instruction_set(context) == WF_SCALAR ? &name##_scalar : &name##_baseline;                   \
    }                                                                                                                  \
    extern const type name##_scalar
#endif

/* The best instruction set that this build and this processor have. */
wf_instruction_set wf_best_instruction_set(void);

/* Whether this build and this processor have it. WF_BEST_INSTRUCTION_SET: always. */
bool wf_instruction_set_available(wf_instruction_set set);

#endif
