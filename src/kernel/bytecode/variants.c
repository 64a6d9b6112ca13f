/*
 * Which variants of the machine in lanes this processor can execute; and every opcode of one or two
 * operands as a function of one lane, which machine code calls.
 */
#include "wide.h"

extern const zk_lanes zk_lanes_plain;
#if defined(ZK_HAVE_AVX)
extern const zk_lanes zk_lanes_avx2, zk_lanes_avx512;
static const zk_lanes *const variants[] = {&zk_lanes_plain, &zk_lanes_avx2, &zk_lanes_avx512};
#else
static const zk_lanes *const variants[] = {&zk_lanes_plain};
#endif

/* Variants stand in the order of the instruction sets, each of which has those before it. */
const zk_lanes *const *zk_lanes_all(int32_t *count)
{
    const int32_t compiled = sizeof variants / sizeof *variants;
    int32_t usable = zb_cpu() == ZB_CPU_AVX512 ? 3 : zb_cpu() == ZB_CPU_AVX2 ? 2 : 1;
    *count = usable < compiled ? usable : compiled;
    return variants;
}

/* From the fastest down to one that has this width. */
const zk_lanes *zk_lanes_for(int32_t width)
{
    int32_t usable, index = zk_lane_index(width);
    const zk_lanes *const *all = zk_lanes_all(&usable), *best = all[0];
    for (int32_t k = 1; k < usable; k++)
        if (all[k]->execute[index]) best = all[k];
    return best;
}

/* ----------------------------------------------------------------- one lane */

#define FUNCTION_1(name, formula)                                                                  \
    static void name(double *to, const double *a, const double *b)                                 \
    {                                                                                              \
        double x = *a;                                                                             \
        (void)b;                                                                                   \
        *to = (formula);                                                                           \
    }
#define FUNCTION_2(name, formula)                                                                  \
    static void name(double *to, const double *a, const double *b)                                 \
    {                                                                                              \
        double x = *a, y = *b;                                                                     \
        *to = (formula);                                                                           \
    }
#define FUNCTION_3(name, formula)
#define FUNCTION_4(name, formula)
#define FUNCTION(name, operands, operations, formula) FUNCTION_##operands(name, formula)
ZK_EXPR_LIST(FUNCTION)
ZK_FUSED_LIST(FUNCTION)

/* sin and cos of *a, side by side. */
static void SINCOS(double *to, const double *a, const double *b)
{
    (void)b;
    zb_sine_cosine both = zb_sincos(*a);
    to[0] = both.sine;
    to[1] = both.cosine;
}

#define ENTRY_1(name) [ZK_##name] = name,
#define ENTRY_2(name) ENTRY_1(name)
#define ENTRY_3(name)
#define ENTRY_4(name)
#define ENTRY(name, operands, operations, formula) ENTRY_##operands(name)
static const zk_lane_fn functions[ZK_OPCODE_COUNT] = {ZK_EXPR_LIST(ENTRY) ZK_FUSED_LIST(ENTRY)
                                                          ENTRY_1(SINCOS)};

zk_lane_fn zk_lane_function(int32_t opcode, int32_t width)
{
    if (width == 1) return functions[opcode];
    return zk_lanes_for(width)->function[zk_lane_index(width)][opcode];
}
