/*
 * From the stream of a finished program back to static single assignment, and to an order that
 * keeps few values alive.
 *
 * Decoding: `now` holds for each register the value that is in it; every instruction becomes one to
 * five steps, whose results are new values. A fused a*b + c becomes its product and its sum again:
 * each rounds, so the bits are those of the byte code.
 *
 * Order: calls first, each behind what it needs, because registers do not outlive a call; then the
 * outputs. Each is reached depth first, and of the operands of a step first the one whose tree
 * needs more registers (Sethi and Ullman's number, which counts what is shared as often as it is
 * used). What no output needs is left out. All of it depends on the stream only.
 */
#include "native.h"

const zk_action_facts zk_actions[ZK_ACTION_COUNT] = {
#define FACTS(name, text, operands, commutes) [ZK_DO_##name] = {text, operands, commutes},
    ZK_ACTION_LIST(FACTS)
#undef FACTS
};

/* ---------------------------------------------------------------- decoding */

typedef struct decoder {
    zk_flow *flow;
    int32_t *now; /* [registers] values */
} decoder;

/* Steps of an instruction; 0: one. */
static const uint8_t steps_of[ZK_OPCODE_COUNT] = {
    [ZK_SIGN] = 5,        [ZK_NOT] = 2,         [ZK_LT] = 2,      [ZK_LE] = 2,
    [ZK_EQ] = 2,          [ZK_NE] = 2,          [ZK_AND] = 4,     [ZK_OR] = 4,
    [ZK_SELECT] = 2,      [ZK_MUL_ADD] = 2,     [ZK_MUL_SUB] = 2, [ZK_SUB_MUL] = 2,
    [ZK_MUL_ADD_MUL] = 3, [ZK_MUL_SUB_MUL] = 3,
};

/* Steps that the instructions of a program become. */
static int64_t count_steps(const zk_program *program)
{
    int64_t count = 0;
    for (int32_t i = 0; i < program->batch_count; i++) {
        int64_t each = steps_of[program->batches[i].opcode];
        count += program->batches[i].count * (each > 0 ? each : 1);
    }
    return count;
}

/* The value of one of the emitter's own constants: ZK_OWN_ZERO and so on. */
static int32_t own_constant(const decoder *d, int which)
{
    return d->flow->program->constant_count + which;
}

/* A new step without operands; its result is the next value. */
static zk_step *add_step(decoder *d, zk_action action)
{
    zk_step *step = &d->flow->steps[d->flow->step_count++];
    *step = (zk_step){.action = (int16_t)action,
                      .to = d->flow->value_count++,
                      .from = {ZK_NO_VALUE, ZK_NO_VALUE, ZK_NO_VALUE}};
    return step;
}

/* A step of two operands; returns its result. */
static int32_t add_binary(decoder *d, zk_action action, int32_t x, int32_t y)
{
    zk_step *step = add_step(d, action);
    step->from[0] = x;
    step->from[1] = y;
    return step->to;
}

/* A step of one operand. */
static int32_t add_unary(decoder *d, zk_action action, int32_t x)
{
    return add_binary(d, action, x, ZK_NO_VALUE);
}

/* `yes` where the mask is set, else `no`. */
static int32_t add_blend(decoder *d, int32_t mask, int32_t yes, int32_t no)
{
    zk_step *step = add_step(d, ZK_DO_BLEND);
    step->from[0] = no;
    step->from[1] = yes;
    step->from[2] = mask;
    return step->to;
}

/* All bits where x is not 0; nan is not 0. */
static int32_t add_truth(decoder *d, int32_t x)
{
    return add_binary(d, ZK_DO_MASK_NE, x, own_constant(d, ZK_OWN_ZERO));
}

/* 1.0 where the mask is set, else 0.0. */
static int32_t add_mask_number(decoder *d, int32_t mask)
{
    return add_binary(d, ZK_DO_BITS_AND, mask, own_constant(d, ZK_OWN_ONE));
}

/* 1 or 0: whether both, by ZK_DO_BITS_AND, or either, by ZK_DO_BITS_OR, of x[0] and x[1] are not
 * 0. */
static int32_t add_mask_pair(decoder *d, zk_action action, const int32_t *x)
{
    int32_t first = add_truth(d, x[0]), second = add_truth(d, x[1]);
    return add_mask_number(d, add_binary(d, action, first, second));
}

/* 1 with the sign of x where 0 < |x|, which no nan is, else x. */
static int32_t add_sign(decoder *d, int32_t x)
{
    int32_t bit = add_binary(d, ZK_DO_BITS_AND, x, own_constant(d, ZK_OWN_SIGN));
    int32_t unit = add_binary(d, ZK_DO_BITS_OR, bit, own_constant(d, ZK_OWN_ONE));
    int32_t size = add_binary(d, ZK_DO_BITS_AND, x, own_constant(d, ZK_OWN_REST));
    return add_blend(d, add_binary(d, ZK_DO_MASK_LT, own_constant(d, ZK_OWN_ZERO), size), unit, x);
}

/* A call of the function of an opcode; returns its first result. */
static int32_t add_call_step(decoder *d, int32_t opcode, const int32_t *x)
{
    zk_step *step = add_step(d, ZK_DO_CALL);
    step->opcode = (int16_t)opcode;
    for (int k = 0; k < zk_opcodes[opcode].operands; k++) step->from[k] = x[k];
    d->flow->value_count += zk_opcodes[opcode].results - 1;
    return step->to;
}

static int32_t add_product(decoder *d, const int32_t *x)
{
    return add_binary(d, ZK_DO_MUL, x[0], x[1]);
}

/* The first result of an instruction; a second one is the value behind it. */
static int32_t decode_opcode(decoder *d, int32_t opcode, const int32_t *x)
{
    int32_t first;
    switch (opcode) {
    case ZK_NEG:
        return add_binary(d, ZK_DO_BITS_XOR, x[0], own_constant(d, ZK_OWN_SIGN));
    case ZK_ABS:
        return add_binary(d, ZK_DO_BITS_AND, x[0], own_constant(d, ZK_OWN_REST));
    case ZK_SQRT:
        return add_unary(d, ZK_DO_SQRT, x[0]);
    case ZK_FLOOR:
        return add_unary(d, ZK_DO_FLOOR, x[0]);
    case ZK_SIGN:
        return add_sign(d, x[0]);
    case ZK_NOT:
        return add_mask_number(d, add_binary(d, ZK_DO_MASK_EQ, x[0], own_constant(d, ZK_OWN_ZERO)));
    case ZK_ADD:
        return add_binary(d, ZK_DO_ADD, x[0], x[1]);
    case ZK_SUB:
        return add_binary(d, ZK_DO_SUB, x[0], x[1]);
    case ZK_MUL:
        return add_product(d, x);
    case ZK_DIV:
        return add_binary(d, ZK_DO_DIV, x[0], x[1]);
    case ZK_MIN:
        return add_binary(d, ZK_DO_MIN, x[0], x[1]);
    case ZK_MAX:
        return add_binary(d, ZK_DO_MAX, x[0], x[1]);
    case ZK_LT:
        return add_mask_number(d, add_binary(d, ZK_DO_MASK_LT, x[0], x[1]));
    case ZK_LE:
        return add_mask_number(d, add_binary(d, ZK_DO_MASK_LE, x[0], x[1]));
    case ZK_EQ:
        return add_mask_number(d, add_binary(d, ZK_DO_MASK_EQ, x[0], x[1]));
    case ZK_NE:
        return add_mask_number(d, add_binary(d, ZK_DO_MASK_NE, x[0], x[1]));
    case ZK_AND:
        return add_mask_pair(d, ZK_DO_BITS_AND, x);
    case ZK_OR:
        return add_mask_pair(d, ZK_DO_BITS_OR, x);
    case ZK_SELECT:
        return add_blend(d, add_truth(d, x[0]), x[1], x[2]);
    case ZK_SQUARE:
        return add_binary(d, ZK_DO_MUL, x[0], x[0]);
    case ZK_RECIPROCAL:
        return add_binary(d, ZK_DO_DIV, own_constant(d, ZK_OWN_ONE), x[0]);
    case ZK_MUL_ADD:
        return add_binary(d, ZK_DO_ADD, add_product(d, x), x[2]);
    case ZK_MUL_SUB:
        return add_binary(d, ZK_DO_SUB, add_product(d, x), x[2]);
    case ZK_SUB_MUL:
        return add_binary(d, ZK_DO_SUB, x[2], add_product(d, x));
    case ZK_MUL_ADD_MUL:
        first = add_product(d, x);
        return add_binary(d, ZK_DO_ADD, first, add_product(d, x + 2));
    case ZK_MUL_SUB_MUL:
        first = add_product(d, x);
        return add_binary(d, ZK_DO_SUB, first, add_product(d, x + 2));
    default:
        return add_call_step(d, opcode, x);
    }
}

/* One instruction from place `at` of the stream on; where the next begins. */
static int64_t decode_instruction(decoder *d, int32_t opcode, int64_t at)
{
    const zk_program *program = d->flow->program;
    const zk_opcode_facts *facts = &zk_opcodes[opcode];
    int32_t x[4] = {0};
    for (int k = 0; k < facts->operands; k++)
        x[k] = d->now[zk_stream_at(program, at + facts->results + k)];
    int32_t first = decode_opcode(d, opcode, x);
    for (int k = 0; k < facts->results; k++) d->now[zk_stream_at(program, at + k)] = first + k;
    return at + facts->results + facts->operands;
}

/* The program's constants, then the emitter's own. */
static void copy_flow_constants(zb_arena *arena, zk_flow *flow)
{
    const zk_program *program = flow->program;
    int32_t n = program->constant_count;
    flow->constant_count = n + ZK_OWN_CONSTANTS;
    flow->constants = ZB_NEW_ARRAY(arena, double, flow->constant_count);
    for (int32_t i = 0; i < n; i++) flow->constants[i] = program->constants[i];
    flow->constants[n + ZK_OWN_ZERO] = 0.0;
    flow->constants[n + ZK_OWN_ONE] = 1.0;
    flow->constants[n + ZK_OWN_SIGN] = zb_from_bits(ZB_SIGN_BIT);
    flow->constants[n + ZK_OWN_REST] = zb_from_bits(~ZB_SIGN_BIT);
}

/* Instruction by instruction into steps; d.now says which value each register holds. */
static void decode_program(zb_arena *arena, zk_flow *flow)
{
    const zk_program *program = flow->program;
    decoder d = {.flow = flow, .now = ZB_NEW_ARRAY(arena, int32_t, program->register_count)};
    int32_t leaves = program->leaf_at[ZK_LEAF_KINDS];
    flow->leaf_at = flow->constant_count;
    flow->value_count = flow->result_at = flow->leaf_at + leaves;
    for (int32_t i = 0; i < program->constant_count; i++) d.now[i] = i;
    for (int32_t i = 0; i < leaves; i++) d.now[program->constant_count + i] = flow->leaf_at + i;
    flow->steps = ZB_NEW_ARRAY(arena, zk_step, count_steps(program));
    int64_t at = 0;
    for (int32_t i = 0; i < program->batch_count; i++)
        for (int32_t k = 0; k < program->batches[i].count; k++)
            at = decode_instruction(&d, program->batches[i].opcode, at);
    for (int32_t i = 0; i < program->output_count; i++)
        flow->outputs[i] = d.now[program->outputs[i]];
}

/* ---------------------------------------------------------------- ordering */

/* link holds for each result the step that produces it, until that step is in its place; from then
 * on ~number, where the number is the result's in the new order. Steps wait for their operands on a
 * stack in the end of `order` that is not filled yet: together they are never more than all. */
typedef struct orderer {
    zk_flow *flow;
    int32_t *link;  /* [results] */
    uint8_t *need;  /* [steps] registers that its tree needs */
    zk_step *order; /* [steps] */
    int32_t done, depth, named;
} orderer;

/* The step that produces a value and is not in its place yet; -1: none. */
static int32_t open_producer(const orderer *o, int32_t value)
{
    if (value < o->flow->result_at) return -1;
    int32_t link = o->link[value - o->flow->result_at];
    return link < 0 ? -1 : link;
}

/* A value's number in the new order. */
static int32_t renumber_value(const orderer *o, int32_t value)
{
    return value < o->flow->result_at ? value : ~o->link[value - o->flow->result_at];
}

/* What two operands need together: while the second is computed, the first waits in a register. */
static uint8_t join_needs(uint8_t a, uint8_t b)
{
    uint8_t most = a > b ? a : b;
    return a == b && most < UINT8_MAX ? (uint8_t)(most + 1) : most;
}

/* Which step produces each result, and how many registers the tree of each step needs. */
static void link_steps(orderer *o)
{
    for (int32_t i = 0; i < o->flow->step_count; i++) {
        const zk_step *step = &o->flow->steps[i];
        for (int32_t k = 0; k < zk_step_results(step); k++)
            o->link[step->to + k - o->flow->result_at] = i;
        uint8_t need = 0;
        for (int k = 0; k < 3 && step->from[k] >= 0; k++) {
            int32_t producer = open_producer(o, step->from[k]);
            need = join_needs(need, producer < 0 ? 0 : o->need[producer]);
        }
        o->need[i] = need > 0 ? need : 1;
    }
}

/* The operand's step that is to come next, the neediest of those; -1: none. */
static int32_t find_neediest(const orderer *o, const zk_step *step)
{
    int32_t best = -1;
    for (int k = 0; k < 3 && step->from[k] >= 0; k++) {
        int32_t producer = open_producer(o, step->from[k]);
        if (producer >= 0 && (best < 0 || o->need[producer] > o->need[best])) best = producer;
    }
    return best;
}

/* Results are numbered in the new order, so that what is near in time is near in memory. */
static void place_step(orderer *o, const zk_step *step)
{
    zk_step *to = &o->order[o->done++];
    *to = *step;
    to->to = o->flow->result_at + o->named;
    for (int k = 0; k < 3 && step->from[k] >= 0; k++)
        to->from[k] = renumber_value(o, step->from[k]);
    for (int32_t k = 0; k < zk_step_results(step); k++)
        o->link[step->to + k - o->flow->result_at] = ~(o->flow->result_at + o->named++);
}

static int32_t *stack_top(orderer *o)
{
    return &o->order[o->flow->step_count - o->depth].to;
}

static void push_step(orderer *o, int32_t step)
{
    o->depth++;
    *stack_top(o) = step;
}

/* Places the step that produces a value behind everything it needs. */
static void order_value(orderer *o, int32_t value)
{
    int32_t root = open_producer(o, value);
    if (root >= 0) push_step(o, root);
    while (o->depth > 0) {
        const zk_step *step = &o->flow->steps[*stack_top(o)];
        int32_t next = find_neediest(o, step);
        if (next >= 0) {
            push_step(o, next);
        } else {
            o->depth--;
            place_step(o, step);
        }
    }
}

/* Calls in their order, then outputs, each behind what it needs. */
static void order_depth_first(orderer *o)
{
    const zk_flow *flow = o->flow;
    for (int32_t i = 0; i < flow->step_count; i++)
        if (flow->steps[i].action == ZK_DO_CALL) order_value(o, flow->steps[i].to);
    for (int32_t i = 0; i < flow->program->output_count; i++) order_value(o, flow->outputs[i]);
}

/* What the outputs need, in the order of the stream. `need` now says whether a step is needed. */
static void order_as_stream(orderer *o)
{
    const zk_flow *flow = o->flow;
    int32_t producer;
    for (int32_t i = 0; i < flow->step_count; i++) o->need[i] = 0;
    for (int32_t i = 0; i < flow->program->output_count; i++)
        if ((producer = open_producer(o, flow->outputs[i])) >= 0) o->need[producer] = 1;
    for (int32_t i = flow->step_count - 1; i >= 0; i--)
        for (int k = 0; k < 3 && o->need[i] && flow->steps[i].from[k] >= 0; k++)
            if ((producer = open_producer(o, flow->steps[i].from[k])) >= 0) o->need[producer] = 1;
    for (int32_t i = 0; i < flow->step_count; i++)
        if (o->need[i]) place_step(o, &flow->steps[i]);
}

/* The flow itself is taken first; what is needed only to find the order is given back. */
void zk_make_flow(zb_arena *arena, const zk_program *program, zk_order order, zk_flow *flow)
{
    *flow = (zk_flow){.program = program, .order = order};
    orderer o = {.flow = flow, .order = ZB_NEW_ARRAY(arena, zk_step, count_steps(program))};
    flow->outputs = ZB_NEW_ARRAY(arena, int32_t, program->output_count);
    copy_flow_constants(arena, flow);
    zb_mark mark = zb_arena_mark(arena);
    decode_program(arena, flow);
    o.link = ZB_NEW_ARRAY(arena, int32_t, flow->value_count - flow->result_at);
    o.need = ZB_NEW_ARRAY(arena, uint8_t, flow->step_count);
    link_steps(&o);
    if (order == ZK_ORDER_DEEP)
        order_depth_first(&o);
    else
        order_as_stream(&o);
    for (int32_t i = 0; i < program->output_count; i++)
        flow->outputs[i] = renumber_value(&o, flow->outputs[i]);
    flow->steps = o.order;
    flow->step_count = o.done;
    flow->value_count = flow->result_at + o.named;
    for (int32_t i = 0; i < o.done; i++) flow->calls += o.order[i].action == ZK_DO_CALL;
    zb_arena_release(arena, mark);
}
