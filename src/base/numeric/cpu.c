/*
 * What the processor can do, asked by what gcc and clang provide for it.
 */
#include "cpu.h"

/* AVX-512 counts only with all three of its parts that the vector code uses. */
zb_cpu_level zb_cpu(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2")) return ZB_CPU_PLAIN;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return ZB_CPU_AVX512;
    return ZB_CPU_AVX2;
#else
    return ZB_CPU_PLAIN;
#endif
}
