/*
 * Which variants of the kernels this processor can run. All give the same bits (linalg.h);
 * they differ in speed only.
 */
#include "linalg.h"

extern const za_kernels za_kernels_plain;

#if defined(ZA_HAVE_AVX2)
extern const za_kernels za_kernels_avx2;

static const za_kernels *const variants[] = {&za_kernels_plain, &za_kernels_avx2};

static int32_t usable(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 2 : 1;
}
#else
static const za_kernels *const variants[] = {&za_kernels_plain};

static int32_t usable(void)
{
    return 1;
}
#endif

const za_kernels *const *za_kernels_all(int32_t *count)
{
    *count = usable();
    return variants;
}

const za_kernels *za_kernels_best(void)
{
    return variants[usable() - 1];
}
