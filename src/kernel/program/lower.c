/*
 * From nodes to instructions. The nodes below the roots are met in index order, operands first;
 * each becomes a value. What depends on numbers only is computed here by zx_apply. An integer
 * power becomes the multiplications of zx_power_of, squares shared; sin and cos of one angle
 * become one instruction.
 */
#include "compiler.h"

static const uint8_t opcode_of[ZX_OP_COUNT] = {
#define ENTRY(name, operands, operations, formula) [ZX_##name] = ZK_##name,
    ZK_EXPR_LIST(ENTRY)
#undef ENTRY
};

/* What lowering remembers besides the compiler's lists. */
typedef struct lowering {
    zk_compiler *c;
    int32_t *value_of; /* [below_count] by place in the list below */
    int32_t *place_of; /* [..] by node - first; NULL: search the list */
    zx_node first;
    int32_t *square_of; /* [values] the value v*v + 1, or 0 */
    int32_t *angle_of;  /* [values] the instruction + 1 that has its sin or cos, or 0 */
} lowering;

/* ------------------------------------------------------------------ values */

static int32_t new_value(zk_compiler *c, zk_value_kind kind, int32_t index)
{
    c->values[c->value_count] = (zk_value){.kind = (int32_t)kind, .index = index};
    return c->value_count++;
}

static int32_t new_constant(zk_compiler *c, double x)
{
    c->constants[c->constant_count] = x;
    return new_value(c, ZK_CONSTANT, c->constant_count++);
}

static int32_t new_leaf(zk_compiler *c, const zx_item *item)
{
    c->leaves[c->leaf_count] = (zk_leaf){.kind = item->op - ZX_TIME, .slot = item->a};
    return new_value(c, ZK_LEAF, c->leaf_count++);
}

/* A new instruction at the end of the code; returns the value of its result. */
static int32_t add_instruction(zk_compiler *c, zk_opcode opcode, int32_t x, int32_t y, int32_t z)
{
    int32_t to = new_value(c, ZK_RESULT, 0);
    c->code[c->code_count++] = (zk_instruction){
        .opcode = (int32_t)opcode, .to = {to, ZK_NO_VALUE}, .from = {x, y, z, ZK_NO_VALUE}};
    return to;
}

static bool is_constant_value(const zk_compiler *c, int32_t value)
{
    return c->values[value].kind == ZK_CONSTANT;
}

static double constant_of(const zk_compiler *c, int32_t value)
{
    return c->constants[c->values[value].index];
}

/* ------------------------------------------------------------- single nodes */

/* The value x*x, made once for each x. */
static int32_t lower_square(lowering *l, int32_t x)
{
    if (l->square_of[x] == 0)
        l->square_of[x] = 1 + add_instruction(l->c, ZK_SQUARE, x, ZK_NO_VALUE, ZK_NO_VALUE);
    return l->square_of[x] - 1;
}

/* As zx_power_of: s runs through x, x^2, x^4, ..., r is the product of those wanted. */
static int32_t lower_power(lowering *l, int32_t x, int32_t exponent)
{
    uint32_t e = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent;
    int32_t r = ZK_NO_VALUE, s = x;
    if (is_constant_value(l->c, x))
        return new_constant(l->c, zx_power_of(constant_of(l->c, x), exponent));
    for (; e != 0; e >>= 1) {
        if (e & 1) r = r == ZK_NO_VALUE ? s : add_instruction(l->c, ZK_MUL, r, s, ZK_NO_VALUE);
        if (e > 1) s = lower_square(l, s);
    }
    if (r == ZK_NO_VALUE) r = new_constant(l->c, 1.0);
    return exponent < 0 ? add_instruction(l->c, ZK_RECIPROCAL, r, ZK_NO_VALUE, ZK_NO_VALUE) : r;
}

/* The second of sin x and cos x joins the first. */
static int32_t lower_angle(lowering *l, zk_opcode opcode, int32_t x)
{
    zk_compiler *c = l->c;
    if (l->angle_of[x] == 0) {
        l->angle_of[x] = 1 + c->code_count;
        return add_instruction(c, opcode, x, ZK_NO_VALUE, ZK_NO_VALUE);
    }
    zk_instruction *at = &c->code[l->angle_of[x] - 1];
    int32_t first = at->to[0], second = new_value(c, ZK_RESULT, 0);
    at->opcode = ZK_SINCOS;
    at->to[0] = opcode == ZK_SIN ? second : first;
    at->to[1] = opcode == ZK_SIN ? first : second;
    return second;
}

/* The place of a node in the list below. */
static int32_t find_place(const lowering *l, zx_node node)
{
    if (l->place_of) return l->place_of[node - l->first];
    int32_t low = 0, high = l->c->below_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (l->c->below[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int32_t operand_value(const lowering *l, zx_node node)
{
    return l->value_of[find_place(l, node)];
}

/* An operation on values; computed at once when all of them are constants. A product of equals is a
 * square, 1/x a reciprocal. */
static int32_t lower_operation(lowering *l, const zx_item *item)
{
    zk_compiler *c = l->c;
    int count = zx_operands((zx_op)item->op);
    int32_t x[3] = {ZK_NO_VALUE, ZK_NO_VALUE, ZK_NO_VALUE};
    double number[3] = {0.0, 0.0, 0.0};
    bool constant = true;
    for (int i = 0; i < count; i++) {
        x[i] = operand_value(l, i == 0 ? item->a : i == 1 ? item->b : item->c);
        if (is_constant_value(c, x[i]))
            number[i] = constant_of(c, x[i]);
        else
            constant = false;
    }
    if (constant)
        return new_constant(c, zx_apply((zx_op)item->op, number[0], number[1], number[2]));
    zk_opcode opcode = (zk_opcode)opcode_of[item->op];
    if (opcode == ZK_SIN || opcode == ZK_COS) return lower_angle(l, opcode, x[0]);
    if (opcode == ZK_MUL && x[0] == x[1]) return lower_square(l, x[0]);
    if (opcode == ZK_DIV && is_constant_value(c, x[0]) && number[0] == 1.0)
        return add_instruction(c, ZK_RECIPROCAL, x[1], ZK_NO_VALUE, ZK_NO_VALUE);
    return add_instruction(c, opcode, x[0], x[1], x[2]);
}

/* The value of a node whose operands have theirs. */
static int32_t lower_node(lowering *l, const zx_item *item)
{
    switch (item->op) {
    case ZX_NUMBER:
    case ZX_BOUND:
        return new_constant(l->c, zx_number_of(item));
    case ZX_TIME:
    case ZX_POSITION:
    case ZX_VELOCITY:
    case ZX_ACCELERATION:
    case ZX_VALUE:
    case ZX_MEASURE:
        return new_leaf(l->c, item);
    case ZX_TABLE: /* the owner of the data has put numbers in its place */
        return new_constant(l->c, zx_look_up(NULL, 0.0, 0.0));
    case ZX_POWI:
        return lower_power(l, operand_value(l, item->a), item->b);
    default:
        return lower_operation(l, item);
    }
}

/* ---------------------------------------------------------------- the pass */

/* At most so many values come from a node. */
static int64_t values_at_most(const zx_item *item)
{
    if (item->op != ZX_POWI) return 1;
    int64_t count = 2;
    for (uint32_t e = item->b < 0 ? 0u - (uint32_t)item->b : (uint32_t)item->b; e > 1; e >>= 1)
        count += 2;
    return count;
}

/* The most values that all nodes may become: lists are taken at that length. */
static int64_t bound_values(const zk_compiler *c)
{
    int64_t values = 0;
    for (int32_t i = 0; i < c->below_count; i++)
        values += values_at_most(&c->pool->items[c->below[i]]);
    return values;
}

/* A table from nodes to places, when the nodes lie close enough together. */
static void make_places(lowering *l)
{
    const zk_compiler *c = l->c;
    if (c->below_count == 0) return;
    l->first = c->below[0];
    int64_t width = (int64_t)c->below[c->below_count - 1] - l->first + 1;
    if (width > 8 * (int64_t)c->below_count + 64) return;
    l->place_of = ZB_NEW_ARRAY(&l->c->arena, int32_t, width);
    for (int32_t i = 0; i < c->below_count; i++) l->place_of[c->below[i] - l->first] = i;
}

/* Lists at their greatest length first, then node by node in index order, then the outputs. */
void zk_lower(zk_compiler *c)
{
    c->below = zx_below(c->pool, c->roots, c->root_count, &c->below_count);
    int64_t values = bound_values(c);
    if (values > INT32_MAX / 8) { /* values are numbered by int32_t, stream positions too */
        c->arena.failure = ZW_ERR_MEMORY;
        longjmp(c->escape, 1);
    }
    c->values = ZB_NEW_ARRAY(&c->arena, zk_value, values);
    c->code = ZB_NEW_ARRAY(&c->arena, zk_instruction, values);
    c->constants = ZB_NEW_ARRAY(&c->arena, double, c->below_count);
    c->leaves = ZB_NEW_ARRAY(&c->arena, zk_leaf, c->below_count);
    c->outputs = ZB_NEW_ARRAY(&c->arena, int32_t, c->root_count);
    lowering l = {.c = c};
    l.value_of = ZB_NEW_ARRAY(&c->arena, int32_t, c->below_count);
    l.square_of = ZB_NEW_ARRAY(&c->arena, int32_t, values);
    l.angle_of = ZB_NEW_ARRAY(&c->arena, int32_t, values);
    make_places(&l);
    for (int32_t i = 0; i < c->below_count; i++)
        l.value_of[i] = lower_node(&l, &c->pool->items[c->below[i]]);
    for (int32_t i = 0; i < c->root_count; i++) c->outputs[i] = operand_value(&l, c->roots[i]);
}
