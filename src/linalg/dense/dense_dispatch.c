/*
 * Which variants of the kernels this processor can execute. All give the same bits (linalg.h);
 * they differ in speed only.
 */
#include "linalg.h"

extern const za_kernels za_kernels_plain;

/* `variants`, slowest first, of which this processor has the first count_usable_kernels(). */
#if defined(ZA_HAVE_AVX2)
extern const za_kernels za_kernels_avx2;

static const za_kernels *const variants[] = {&za_kernels_plain, &za_kernels_avx2};

static int32_t count_usable_kernels(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 2 : 1;
}
#else
static const za_kernels *const variants[] = {&za_kernels_plain};

static int32_t count_usable_kernels(void)
{
    return 1;
}
#endif

const za_kernels *const *za_kernels_all(int32_t *count)
{
    *count = count_usable_kernels();
    return variants;
}

const za_kernels *za_kernels_best(void)
{
    return variants[count_usable_kernels() - 1];
}
