#include "base/dispatch.h"

bool wf_instruction_set_available(wf_instruction_set set)
{
    switch (set) {
    case WF_BEST_INSTRUCTION_SET:
    case WF_SCALAR:
    case WF_BASELINE:
        return true;
#ifdef WF_X86_KERNELS
    /* What the Makefile lets the compiler use. */
    case WF_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case WF_AVX512:
        return wf_instruction_set_available(WF_AVX2) && __builtin_cpu_supports("avx512f") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#endif
    default:
        return false;
    }
}

wf_instruction_set wf_best_instruction_set(void)
{
    return wf_instruction_set_available(WF_AVX512) ? WF_AVX512
           : wf_instruction_set_available(WF_AVX2) ? WF_AVX2
                                                   : WF_BASELINE;
}

const char *wf_instruction_set_name(wf_instruction_set set)
{
    static const char *const names[] = {"best", "scalar", "baseline", "avx2", "avx512"};
    return names[set];
}
