/*
 * Registers. Constants come first, each number once; then the leaves, kind by kind, so that the
 * machine fetches them in one loop a kind; then results. A result takes the register that was
 * given free last, so the registers in use stay in the cache; leaves give theirs back too, for
 * they are fetched anew for each instance, constants and outputs do not. An instruction reads its
 * operands before it writes, so a result may take the place of an operand.
 */
#include "compiler.h"

/* Which register each value is in while instructions are gone through in order. */
typedef struct slots {
    zk_compiler *c;
    int32_t *register_of; /* [values] */
    int32_t *last_use;    /* [values] instruction; -1: none, INT32_MAX: stays */
    int32_t *free;        /* [free_count] a stack */
    int32_t free_count;
} slots;

/* --------------------------------------------------------------- constants */

/* Gives the numbers that occur in the code registers, by a table of bits (open addressing). */
typedef struct numbers {
    int32_t *place; /* [mask + 1] register + 1, or 0 */
    uint64_t mask;
} numbers;

/* The register of a number, by its bits: the one it has already, or the next. */
static int32_t number_register(slots *s, const numbers *table, double x)
{
    zk_compiler *c = s->c;
    uint64_t at = zb_hash_scramble(zb_bits(x)) & table->mask;
    while (table->place[at] != 0) {
        if (zb_bits(c->register_constants[table->place[at] - 1]) == zb_bits(x))
            return table->place[at] - 1;
        at = (at + 1) & table->mask;
    }
    c->register_constants[c->register_constant_count++] = x;
    table->place[at] = c->register_constant_count;
    return c->register_constant_count - 1;
}

/* Gives a value a register, if it is a constant without one. */
static void place_constant(slots *s, const numbers *table, int32_t value)
{
    const zk_value *v = &s->c->values[value];
    if (v->kind != ZK_CONSTANT || s->register_of[value] >= 0) return;
    s->register_of[value] = number_register(s, table, s->c->constants[v->index]);
}

/* Every constant that an instruction reads or that is an output. */
static void place_constants(slots *s)
{
    zk_compiler *c = s->c;
    numbers table = {.mask = 15};
    while (table.mask < 2 * (uint64_t)c->constant_count) table.mask = 2 * table.mask + 1;
    table.place = ZB_NEW_ARRAY(&c->arena, int32_t, table.mask + 1);
    c->register_constants = ZB_NEW_ARRAY(&c->arena, double, c->constant_count);
    for (int32_t i = 0; i < c->code_count; i++)
        for (int k = 0; k < 4 && c->code[i].from[k] >= 0; k++)
            place_constant(s, &table, c->code[i].from[k]);
    for (int32_t i = 0; i < c->root_count; i++) place_constant(s, &table, c->outputs[i]);
}

/* ------------------------------------------------------------------ leaves */

/* Leaves kind by kind, behind the constants. */
static void place_leaf_registers(slots *s)
{
    zk_compiler *c = s->c;
    int32_t next[ZK_LEAF_KINDS + 1] = {0};
    for (int32_t i = 0; i < c->leaf_count; i++) next[c->leaves[i].kind + 1]++;
    for (int k = 0; k < ZK_LEAF_KINDS; k++) next[k + 1] += next[k];
    for (int k = 0; k <= ZK_LEAF_KINDS; k++) c->leaf_at[k] = next[k];
    c->leaf_slots = ZB_NEW_ARRAY(&c->arena, int32_t, c->leaf_count);
    for (int32_t v = 0; v < c->value_count; v++) {
        if (c->values[v].kind != ZK_LEAF) continue;
        const zk_leaf *leaf = &c->leaves[c->values[v].index];
        int32_t at = next[leaf->kind]++;
        c->leaf_slots[at] = leaf->slot;
        s->register_of[v] = c->register_constant_count + at;
    }
}

/* ----------------------------------------------------------------- results */

/* The last instruction that reads each value; constants and outputs stay to the end. */
static void find_last_uses(slots *s)
{
    zk_compiler *c = s->c;
    for (int32_t v = 0; v < c->value_count; v++)
        s->last_use[v] = c->values[v].kind == ZK_CONSTANT ? INT32_MAX : -1;
    for (int32_t i = 0; i < c->code_count; i++)
        for (int k = 0; k < 4 && c->code[i].from[k] >= 0; k++) {
            int32_t *last = &s->last_use[c->code[i].from[k]];
            if (*last < i) *last = i;
        }
    for (int32_t i = 0; i < c->root_count; i++) s->last_use[c->outputs[i]] = INT32_MAX;
}

/* Writes instruction i into the stream. Registers of operands that it is the last to read are free
 * for its results. */
static void place_instruction(slots *s, int32_t i)
{
    zk_compiler *c = s->c;
    const zk_instruction *at = &c->code[i];
    const zk_opcode_facts *facts = &zk_opcodes[at->opcode];
    uint32_t *stream = c->stream + c->stream_length;
    for (int k = 0; k < facts->operands; k++) {
        int32_t value = at->from[k];
        stream[facts->results + k] = (uint32_t)s->register_of[value];
        if (s->last_use[value] != i) continue;
        s->free[s->free_count++] = s->register_of[value];
        s->last_use[value] = -1; /* once, also when it is two operands */
    }
    for (int k = 0; k < facts->results; k++) {
        int32_t place = s->free_count > 0 ? s->free[--s->free_count] : c->register_count++;
        s->register_of[at->to[k]] = place;
        stream[k] = (uint32_t)place;
    }
    /* a result that nobody asks for is free at once */
    for (int k = 0; k < facts->results; k++)
        if (s->last_use[at->to[k]] < 0) s->free[s->free_count++] = s->register_of[at->to[k]];
    c->stream_length += facts->results + facts->operands;
}

/* Constants, leaves, then results; outputs become registers. */
void zk_assign_slots(zk_compiler *c)
{
    slots s = {.c = c};
    s.register_of = ZB_NEW_ARRAY(&c->arena, int32_t, c->value_count);
    s.last_use = ZB_NEW_ARRAY(&c->arena, int32_t, c->value_count);
    s.free = ZB_NEW_ARRAY(&c->arena, int32_t, c->value_count + 2);
    c->stream = ZB_NEW_ARRAY(&c->arena, uint32_t, 5 * (int64_t)c->code_count);
    for (int32_t v = 0; v < c->value_count; v++) s.register_of[v] = -1;
    place_constants(&s);
    place_leaf_registers(&s);
    find_last_uses(&s);
    c->register_count = c->register_constant_count + c->leaf_count;
    for (int32_t i = 0; i < c->code_count; i++) place_instruction(&s, i);
    for (int32_t i = 0; i < c->root_count; i++) c->outputs[i] = s.register_of[c->outputs[i]];
}
