/*
 * The machine in lanes, compiled once for each instruction set with ZK_VARIANT, its name, and
 * ZB_LANES, the doubles of one of its vectors. What each opcode is on vectors stands below, in the
 * operations of opcodes.h: an opcode that is added there and not here does not compile. Rare
 * functions are the scalar ones, lane by lane. Nothing is contracted: every lane has the bits of
 * the scalar machine. Nothing is allocated.
 */
#include "wide.h"

#define PASTE_2(a, b) a##b
#define PASTE_1(a, b) PASTE_2(a, b)
#define TEXT_2(name) #name
#define TEXT_1(name) TEXT_2(name)

/* ----------------------------------------------------------------- formulas */

/* A scalar function in each lane. */
ZB_INLINE zb_lanes map_1(double (*function)(double), const zb_lanes x)
{
    zb_lanes y = x;
    for (int i = 0; i < ZB_LANES; i++) y[i] = function(x[i]);
    return y;
}

/* Likewise of two operands. */
ZB_INLINE zb_lanes map_2(double (*function)(double, double), const zb_lanes x, const zb_lanes y)
{
    zb_lanes z = x;
    for (int i = 0; i < ZB_LANES; i++) z[i] = function(x[i], y[i]);
    return z;
}

/* clang-format off */
#define ON_NEG -x
#define ON_SIN zb_lanes_sin(x)
#define ON_COS zb_lanes_cos(x)
#define ON_TAN map_1(zb_tan, x)
#define ON_ASIN map_1(zb_asin, x)
#define ON_ACOS map_1(zb_acos, x)
#define ON_ATAN map_1(zb_atan, x)
#define ON_SINH map_1(zb_sinh, x)
#define ON_COSH map_1(zb_cosh, x)
#define ON_TANH map_1(zb_tanh, x)
#define ON_EXP zb_lanes_exp(x)
#define ON_LOG zb_lanes_log(x)
#define ON_SQRT zb_lanes_sqrt(x)
#define ON_ABS zb_lanes_abs(x)
#define ON_SIGN zb_lanes_sign(x)
#define ON_FLOOR zb_lanes_floor(x)
#define ON_NOT zb_lanes_truth(x == 0.0)
#define ON_ADD x + y
#define ON_SUB x - y
#define ON_MUL x * y
#define ON_DIV x / y
#define ON_POW map_2(zb_pow, x, y)
#define ON_ATAN2 map_2(zb_atan2, x, y)
#define ON_HYPOT map_2(zb_hypot, x, y)
#define ON_MIN zb_lanes_choose(x < y, x, y)
#define ON_MAX zb_lanes_choose(x > y, x, y)
#define ON_LT zb_lanes_truth(x < y)
#define ON_LE zb_lanes_truth(x <= y)
#define ON_EQ zb_lanes_truth(x == y)
#define ON_NE zb_lanes_truth(x != y)
#define ON_AND zb_lanes_truth((x != 0.0) & (y != 0.0))
#define ON_OR zb_lanes_truth((x != 0.0) | (y != 0.0))
#define ON_SELECT zb_lanes_choose(x != 0.0, y, z)
#define ON_SQUARE x * x
#define ON_RECIPROCAL 1.0 / x
#define ON_MUL_ADD x * y + z
#define ON_MUL_SUB x * y - z
#define ON_SUB_MUL z - x * y
#define ON_MUL_ADD_MUL x * y + z * w
#define ON_MUL_SUB_MUL x * y - z * w
/* clang-format on */

/* ------------------------------------------------------------------- widths */

#if ZB_LANES <= 4
#define WIDTH 4
#define OF(name) name##_4
#include "wide_width.h"
#undef WIDTH
#undef OF
#endif

#define WIDTH 8
#define OF(name) name##_8
#include "wide_width.h"
#undef WIDTH
#undef OF

#define WIDTH 32
_Static_assert(WIDTH == ZK_STRIP, "the width of a strip");
#define OF(name) name##_strip
#include "wide_width.h"
#undef WIDTH
#undef OF

/* ------------------------------------------------------------------- leaves */

/* The vectors of a gather, one after another: `at` is where the next one goes, l its first lane.
 * Whole blocks in groups of 8 or in one strip are loops of known length. */
#define EACH_GROUP(groups, width, step)                                                            \
    for (int32_t k = 0, l = 0; k < (groups); k++)                                                  \
        for (double *at = to + (size_t)k * (step), *end = at + (width); at < end;                  \
             at += ZB_LANES, l += ZB_LANES)
#define EACH_VECTOR(what)                                                                          \
    double *to = g->to;                                                                            \
    if (c.width == 8 && c.groups == ZK_STRIP / 8) {                                                \
        EACH_GROUP(ZK_STRIP / 8, 8, c.step) what;                                                  \
    } else if (c.width == ZK_STRIP) {                                                              \
        EACH_GROUP(1, ZK_STRIP, 0) what;                                                           \
    } else {                                                                                       \
        EACH_GROUP(c.groups, c.width, c.step) what;                                                \
    }

/* One number in all lanes. */
ZB_INLINE void spread_number(const zk_gather *g, const zk_groups c)
{
    zb_lanes x = zb_lanes_all(*g->from);
    EACH_VECTOR(zb_lanes_store(at, x))
}

ZB_INLINE void copy_contiguous(const zk_gather *g, const zk_groups c)
{
    const double *from = g->from;
    EACH_VECTOR(zb_lanes_store(at, zb_lanes_load(from + l)))
}

/* Numbers at a constant distance. */
ZB_INLINE void fetch_strided(const zk_gather *g, const zk_groups c)
{
    const double *from = g->from;
    const int64_t stride = g->stride;
    EACH_VECTOR(for (int i = 0; i < ZB_LANES; i++) at[i] = from[(l + i) * stride])
}

/* Numbers anywhere, by a list of their places. */
ZB_INLINE void fetch_indexed(const zk_gather *g, const zk_groups c)
{
    const double *from = g->from;
    const int32_t *index = g->index;
    EACH_VECTOR(for (int i = 0; i < ZB_LANES; i++) at[i] = from[index[l + i]])
}

/* By what each gather says of its numbers: a list of places, one number, neighbours, or a
 * distance. */
static void gather_leaves(const zk_gather *list, int32_t count, const zk_groups c)
{
    for (const zk_gather *g = list; g < list + count; g++) {
        if (g->index)
            fetch_indexed(g, c);
        else if (g->stride == 0)
            spread_number(g, c);
        else if (g->stride == 1)
            copy_contiguous(g, c);
        else
            fetch_strided(g, c);
    }
}

/* -------------------------------------------------------------------- table */

#define ENTRY_1(name, width) [ZK_##name] = name##_##width,
#define ENTRY_2(name, width) ENTRY_1(name, width)
#define ENTRY_3(name, width)
#define ENTRY_4(name, width)
#define ENTRY_AT_4(name, operands, operations, formula) ENTRY_##operands(name, 4)
#define ENTRY_AT_8(name, operands, operations, formula) ENTRY_##operands(name, 8)

extern const zk_lanes PASTE_1(zk_lanes_, ZK_VARIANT);
const zk_lanes PASTE_1(zk_lanes_, ZK_VARIANT) = {
    .name = TEXT_1(ZK_VARIANT),
#if ZB_LANES <= 4
    .execute[ZK_LANES_4] = execute_4,
    .set_constants[ZK_LANES_4] = set_constants_4,
    .function[ZK_LANES_4] = {ZK_EXPR_LIST(ENTRY_AT_4) ZK_FUSED_LIST(ENTRY_AT_4) ENTRY_1(SINCOS, 4)},
#endif
    .execute[ZK_LANES_8] = execute_8,
    .set_constants[ZK_LANES_8] = set_constants_8,
    .function[ZK_LANES_8] = {ZK_EXPR_LIST(ENTRY_AT_8) ZK_FUSED_LIST(ENTRY_AT_8) ENTRY_1(SINCOS, 8)},
    .execute[ZK_LANES_STRIP] = execute_narrow_strip,
    .set_constants[ZK_LANES_STRIP] = set_constants_strip,
    .gather = gather_leaves,
};
