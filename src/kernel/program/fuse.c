/*
 * A product that is used once, by a sum or difference, goes into it:
 *
 *     a*b + c,  a*b - c,  c - a*b,  a*b + c*d,  a*b - c*d
 *
 * with both roundings, so no bit changes; a dispatch, a store and a load are saved. A square is
 * a product too.
 */
#include "compiler.h"

/* Uses of each value; outputs count twice, for they must be there in the end. */
static int32_t *count_value_uses(zk_compiler *c)
{
    int32_t *uses = ZB_NEW_ARRAY(&c->arena, int32_t, c->value_count);
    for (int32_t i = 0; i < c->code_count; i++)
        for (int k = 0; k < 4 && c->code[i].from[k] >= 0; k++) uses[c->code[i].from[k]]++;
    for (int32_t i = 0; i < c->root_count; i++)
        if (uses[c->outputs[i]] < 2) uses[c->outputs[i]] += 2;
    return uses;
}

/* Which instruction gives each value, plus 1; 0 for constants and leaves. */
static int32_t *find_producers(zk_compiler *c)
{
    int32_t *producer = ZB_NEW_ARRAY(&c->arena, int32_t, c->value_count);
    for (int32_t i = 0; i < c->code_count; i++) producer[c->code[i].to[0]] = i + 1;
    return producer;
}

typedef struct product {
    int32_t x, y;
    bool found;
} product;

/* The product behind a value, if it is one used here only; the instruction is then taken out
 * (opcode -1). */
static product take_product(zk_compiler *c, const int32_t *uses, const int32_t *producer,
                            int32_t value)
{
    if (uses[value] != 1 || producer[value] == 0) return (product){.found = false};
    zk_instruction *at = &c->code[producer[value] - 1];
    if (at->opcode != ZK_MUL && at->opcode != ZK_SQUARE) return (product){.found = false};
    bool is_square = at->opcode == ZK_SQUARE;
    at->opcode = -1;
    return (product){.x = at->from[0], .y = at->from[is_square ? 0 : 1], .found = true};
}

/* Instruction `at` becomes the fused one of the product p and the operands z, w. */
static void set_fused(zk_instruction *at, zk_opcode opcode, product p, int32_t z, int32_t w)
{
    at->opcode = (int32_t)opcode;
    at->from[0] = p.x, at->from[1] = p.y, at->from[2] = z, at->from[3] = w;
}

/* Instruction i, a sum or difference, takes up the products behind its operands. */
static void fuse_sum(zk_compiler *c, const int32_t *uses, const int32_t *producer, int32_t i)
{
    zk_instruction *at = &c->code[i];
    bool add = at->opcode == ZK_ADD;
    int32_t x = at->from[0], y = at->from[1];
    product left = take_product(c, uses, producer, x), right = take_product(c, uses, producer, y);
    if (left.found && right.found)
        set_fused(at, add ? ZK_MUL_ADD_MUL : ZK_MUL_SUB_MUL, left, right.x, right.y);
    else if (left.found)
        set_fused(at, add ? ZK_MUL_ADD : ZK_MUL_SUB, left, y, ZK_NO_VALUE);
    else if (right.found)
        set_fused(at, add ? ZK_MUL_ADD : ZK_SUB_MUL, right, x, ZK_NO_VALUE);
}

/* Instructions that were taken out are skipped as the list is closed up. */
void zk_fuse(zk_compiler *c)
{
    const int32_t *uses = count_value_uses(c), *producer = find_producers(c);
    for (int32_t i = 0; i < c->code_count; i++)
        if (c->code[i].opcode == ZK_ADD || c->code[i].opcode == ZK_SUB)
            fuse_sum(c, uses, producer, i);
    int32_t kept = 0;
    for (int32_t i = 0; i < c->code_count; i++)
        if (c->code[i].opcode >= 0) c->code[kept++] = c->code[i];
    c->code_count = kept;
}
