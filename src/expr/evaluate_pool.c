/*
 * What every operation means in double precision, and evaluating below a node. All other
 * evaluators agree with zx_apply to the bit.
 */
#include "walk.h"

/* By squaring, from the lowest bit of the exponent: s is a, a^2, a^4, ...; r is the product of
 * those whose bit is set. */
double zx_power_of(double a, int32_t exponent)
{
    uint32_t e = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent;
    double r = 1.0, s = a;
    for (bool first = true; e != 0; e >>= 1) {
        if (e & 1) {
            r = first ? s : r * s;
            first = false;
        }
        if (e > 1) s = s * s;
    }
    return exponent < 0 ? 1.0 / r : r;
}

/* Operations of one operand but ZX_POWI. */
static double apply_unary(zx_op op, double a)
{
    switch (op) {
    case ZX_NEG:
        return -a;
    case ZX_SIN:
        return zb_sin(a);
    case ZX_COS:
        return zb_cos(a);
    case ZX_TAN:
        return zb_tan(a);
    case ZX_ASIN:
        return zb_asin(a);
    case ZX_ACOS:
        return zb_acos(a);
    case ZX_ATAN:
        return zb_atan(a);
    case ZX_SINH:
        return zb_sinh(a);
    case ZX_COSH:
        return zb_cosh(a);
    case ZX_TANH:
        return zb_tanh(a);
    case ZX_EXP:
        return zb_exp(a);
    case ZX_LOG:
        return zb_log(a);
    case ZX_SQRT:
        return zb_sqrt(a);
    case ZX_ABS:
        return zb_abs(a);
    case ZX_SIGN:
        return zb_sign(a);
    case ZX_FLOOR:
        return zb_floor(a);
    default:
        return a == 0.0; /* ZX_NOT */
    }
}

/* Comparisons and logic give 0 or 1; of two equal ones, and of NaN, min and max give b. */
static double apply_binary(zx_op op, double a, double b)
{
    switch (op) {
    case ZX_ADD:
        return a + b;
    case ZX_SUB:
        return a - b;
    case ZX_MUL:
        return a * b;
    case ZX_DIV:
        return a / b;
    case ZX_POW:
        return zb_pow(a, b);
    case ZX_ATAN2:
        return zb_atan2(a, b);
    case ZX_HYPOT:
        return zb_hypot(a, b);
    case ZX_MIN:
        return a < b ? a : b;
    case ZX_MAX:
        return a > b ? a : b;
    case ZX_LT:
        return a < b;
    case ZX_LE:
        return a <= b;
    case ZX_EQ:
        return a == b;
    case ZX_NE:
        return a != b;
    case ZX_AND:
        return a != 0.0 && b != 0.0;
    case ZX_TABLE:
        return zx_look_up(NULL, a, b);
    default:
        return a != 0.0 || b != 0.0; /* ZX_OR */
    }
}

double zx_apply(zx_op op, double a, double b, double c)
{
    if (op == ZX_POWI) return zx_power_of(a, (int32_t)b);
    switch (zx_operands(op)) {
    case 1:
        return apply_unary(op, a);
    case 2:
        return apply_binary(op, a, b);
    default:
        return a != 0.0 ? b : c; /* ZX_SELECT */
    }
}

/* ----------------------------------------------------------------- walking */

/* The operands' values of a step, of which there are up to three, else 0; of an integer power base
 * and exponent. values [walk]. */
static void read_operand_values(const zx_item *item, const double *values, double operands[3])
{
    int count = zx_operands((zx_op)item->op);
    operands[0] = count > 0 ? values[item->a] : 0.0;
    operands[1] = count > 1 ? values[item->b] : item->op == ZX_POWI ? item->b : 0.0;
    operands[2] = count > 2 ? values[item->c] : 0.0;
}

/* The value of a step; values [walk] are those of the steps before. */
static double evaluate_step(const zx_pool *pool, const zx_item *item, const double *values,
                            zx_value_fn leaf, void *user)
{
    if (item->op == ZX_NUMBER || item->op == ZX_BOUND) return zx_number_of(item);
    if (zx_is_leaf(item->op)) return leaf(user, item);
    double x[3];
    read_operand_values(item, values, x);
    if (item->op == ZX_TABLE) return zx_look_up(pool->tables, x[0], x[1]);
    return zx_apply((zx_op)item->op, x[0], x[1], x[2]);
}

/* The values [walk->count] of all steps, in the scratch arena. */
static double *evaluate_walk(zx_pool *pool, const zx_walk *walk, zx_value_fn leaf, void *user)
{
    double *values = zx_scratch(pool, walk->count, sizeof *values);
    for (int32_t i = 0; i < walk->count; i++)
        values[i] = evaluate_step(pool, &walk->steps[i].item, values, leaf, user);
    return values;
}

double zx_evaluate(zx_pool *pool, zx_node root, zx_value_fn leaf, void *user)
{
    zx_walk walk = zx_walk_begin(pool, &root, 1);
    double value = evaluate_walk(pool, &walk, leaf, user)[walk.count - 1];
    zx_walk_end(pool, &walk);
    return value;
}

/* For every step of the walk whether the values of roots depend on it, downwards from users to
 * operands: of a select they depend on its condition and the branch taken. */
static bool *mark_needed_steps(zx_pool *pool, const zx_walk *walk, int32_t roots,
                               const double *values)
{
    bool *needed = zx_scratch(pool, walk->count, sizeof *needed);
    for (int32_t i = 0; i < roots; i++) needed[walk->roots[i]] = true;
    for (int32_t i = walk->count - 1; i >= 0; i--) {
        const zx_item *item = &walk->steps[i].item;
        int operands = zx_operands((zx_op)item->op);
        if (!needed[i]) continue;
        if (operands > 0) needed[item->a] = true;
        if (item->op == ZX_SELECT) {
            needed[values[item->a] != 0.0 ? item->b : item->c] = true;
        } else if (operands > 1) {
            needed[item->b] = true;
        }
    }
    return needed;
}

/* In index order, so that what is reported is a cause and not its consequence. */
zx_node zx_first_bad(zx_pool *pool, const zx_node *roots, int32_t count, zx_value_fn leaf,
                     void *user, double operands[3])
{
    zx_walk walk = zx_walk_begin(pool, roots, count);
    const double *values = evaluate_walk(pool, &walk, leaf, user);
    const bool *needed = mark_needed_steps(pool, &walk, count, values);
    zx_node bad = ZX_NONE;
    for (int32_t i = 0; i < walk.count && bad == ZX_NONE; i++) {
        if (!needed[i] || zx_is_finite(values[i])) continue;
        const zx_step *step = &walk.steps[i];
        read_operand_values(&step->item, values, operands);
        /* a select only passes on what its branch is */
        if (step->item.op == ZX_SELECT) continue;
        if (zx_is_finite(operands[0]) && zx_is_finite(operands[1]) && zx_is_finite(operands[2]))
            bad = step->node;
    }
    zx_walk_end(pool, &walk);
    return bad;
}
