/*
 * Registers for straight-line code. Going through the steps, every value is in a register, at a
 * place in memory, or both. Constants and leaves have a place from the start, outputs get theirs
 * when they are computed, other results when they have to leave their register (then one store, and
 * never another). When a register is needed the value goes whose next use is farthest (Belady); one
 * that has a place already counts as much farther, for it costs no store.
 *
 * A value in memory that is the last operand of a step is used from there, unless it is needed
 * again soon and a register is to be had for it.
 *
 * next[2 i + k] is the step after i at which operand k of step i is used next; NEVER: not again.
 * The third operand, a mask, is made for its one use.
 */
#include "native.h"

/* NEVER is beyond all steps, and small enough for keys of 32 bits. */
enum { NEVER = 1 << 24, NONE = -1 };

/* Steps within which it pays to load a value that is used again; measured, 20 to 60 are alike. */
enum { SOON = 20 };

/* Places of the workspace, given out and taken back. */
typedef struct slots {
    int32_t *low, *high; /* free places of the workspace below and above `near`, stacks */
    int32_t low_count, high_count, high_most, top, near;
    int32_t leaving[4], leaving_count; /* free after this step */
} slots;

/* What is known of a value. Its *home* is its place in memory. */
typedef struct state {
    int32_t first;         /* use */
    int32_t output;        /* the first output that it is, or NONE */
    int32_t index;         /* in memory */
    int16_t base, held_by; /* ZK_NOWHERE: in no memory; a register, or NONE */
} state;

typedef struct allocator {
    const zk_flow *flow;
    const zk_machine *machine;
    zk_code *code;
    zk_allocation *done;
    int32_t now;          /* the step */
    int32_t *next;        /* [2 steps] */
    state *values;        /* [values] */
    int32_t *next_output; /* [outputs] the next one that is the same value */
    uint32_t free;        /* registers, a bit each */
    int32_t held[ZK_MOST_REGISTERS], next_use[ZK_MOST_REGISTERS];
    int32_t clean[ZK_MOST_REGISTERS]; /* -1: the value has a place in memory, too; 0: it has not */
    int32_t kept[ZK_MOST_REGISTERS];  /* -1: an operand of this step, which stays; 0: may go */
    int locked[3], locked_count;      /* which are kept */
    slots slots;
    int32_t pair; /* the first of two places that all calls with two results share, or NONE */
} allocator;

static bool has_home(const allocator *a, int32_t value)
{
    return a->values[value].base != ZK_NOWHERE;
}

static zk_place home_of(const allocator *a, int32_t value)
{
    return (zk_place){.base = a->values[value].base, .index = a->values[value].index};
}

/* From now on the value has this place in memory. */
static void set_home(allocator *a, int32_t value, int32_t base, int32_t index)
{
    a->values[value].base = (int16_t)base;
    a->values[value].index = index;
}

/* ------------------------------------------------------------------- slots */

/* A free place of the workspace, one that is cheap to reach if there is one. */
static int32_t take_slot(slots *s)
{
    if (s->low_count > 0) return s->low[--s->low_count];
    if (s->top < s->near || s->high_count == 0) return s->top++;
    return s->high[--s->high_count];
}

/* The place may be taken again. */
static void give_slot(slots *s, int32_t slot)
{
    if (slot < s->near)
        s->low[s->low_count++] = slot;
    else if (s->high_count < s->high_most) /* else there are too many anyway */
        s->high[s->high_count++] = slot;
}

/* A value is not used again: its place is free when the step is over. */
static void release_slot(allocator *a, int32_t value)
{
    slots *s = &a->slots;
    if (a->values[value].base != ZK_AT_WORKSPACE) return;
    s->leaving[s->leaving_count++] = a->values[value].index;
    a->values[value].base = ZK_NOWHERE;
}

static void free_slots(slots *s)
{
    while (s->leaving_count > 0) give_slot(s, s->leaving[--s->leaving_count]);
}

/* --------------------------------------------------------------- registers */

static void emit_store(allocator *a, int from, zk_place to)
{
    a->done->stores++;
    a->machine->store(a->code, from, to);
}

static void emit_load(allocator *a, int to, zk_place from)
{
    a->done->loads++;
    a->machine->load(a->code, to, from);
}

/* The register is free; the value is in memory, or not needed any more. */
static void release_register(allocator *a, int r)
{
    a->values[a->held[r]].held_by = NONE;
    a->held[r] = NONE;
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): never are all locked */
    a->free |= UINT32_C(1) << r;
}

/* The register holds the value, which is used next at step next_use. */
static void bind_register(allocator *a, int r, int32_t value, int32_t next_use)
{
    a->held[r] = value;
    a->next_use[r] = next_use;
    a->clean[r] = has_home(a, value) ? -1 : 0;
    a->values[value].held_by = (int16_t)r;
    a->free &= ~(UINT32_C(1) << r);
    if (a->code->listing)
        zb_text_printf(a->code->listing, "  ; v%d in register %d\n", (int)value, r);
}

/* Stores the value of a register, unless it has a home already. */
static void spill_register(allocator *a, int r)
{
    int32_t value = a->held[r];
    if (has_home(a, value)) return;
    set_home(a, value, ZK_AT_WORKSPACE, take_slot(&a->slots));
    if (a->code->listing)
        zb_text_printf(a->code->listing, "  ; v%d leaves for the workspace\n", (int)value);
    emit_store(a, r, home_of(a, value));
}

/* The largest key of registers [16] from `at` on: how many steps away the next use is, twice as
 * many when the value has a place in memory, for then leaving costs no store; in the low bits the
 * register. Locked registers have none. Without branches, so that it is done in vectors. */
static int32_t largest_key(const allocator *a, int at)
{
    int32_t best = -1;
    for (int r = at; r < at + 16; r++) {
        int32_t steps = a->next_use[r] - a->now;
        int32_t key = (steps + (steps & a->clean[r])) * ZK_MOST_REGISTERS + r;
        key |= a->kept[r];
        best = key > best ? key : best;
    }
    return best;
}

/* The register whose value is farthest away; NONE: all are locked. Only when none is free. */
static int find_farthest(const allocator *a)
{
    int32_t best = largest_key(a, 0);
    if (a->machine->registers > 16) {
        int32_t other = largest_key(a, 16);
        if (other > best) best = other;
    }
    return best < 0 ? NONE : best % ZK_MOST_REGISTERS;
}

/* Frees a register whose value is needed again; returns it. */
static int vacate_register(allocator *a, int r)
{
    spill_register(a, r);
    release_register(a, r);
    return r;
}

static int take_register(allocator *a)
{
    return a->free ? __builtin_ctz(a->free) : vacate_register(a, find_farthest(a));
}

/* An operand in a register that stays there during the step. */
static int load_operand(allocator *a, int32_t value, int32_t next_use)
{
    int r = a->values[value].held_by;
    if (r < 0) {
        r = take_register(a);
        emit_load(a, r, home_of(a, value));
        bind_register(a, r, value, next_use);
    }
    a->next_use[r] = next_use;
    a->kept[r] = -1;
    a->locked[a->locked_count++] = r;
    return r;
}

/* After a step its operands may leave their registers. */
static void unlock_registers(allocator *a)
{
    while (a->locked_count > 0) a->kept[a->locked[--a->locked_count]] = 0;
}

static int32_t next_use_of(const allocator *a, int operand)
{
    return operand < 2 ? a->next[2 * a->now + operand] : NEVER;
}

/* Operands that are not used again leave. */
static void release_operands(allocator *a, const zk_step *step)
{
    for (int k = 0; k < 3 && step->from[k] >= 0; k++) {
        int32_t value = step->from[k];
        if (next_use_of(a, k) != NEVER) continue;
        if (a->values[value].held_by >= 0) release_register(a, a->values[value].held_by);
        release_slot(a, value);
    }
}

/* ------------------------------------------------------------------- steps */

/* Whether to use a value from memory rather than to load it. If not, a register is free for it. */
static bool use_from_memory(allocator *a, zk_action action, int32_t value, int32_t next_use)
{
    const state *v = &a->values[value];
    if (v->held_by >= 0) return false;
    if (!a->machine->folds(a->code->width, action, v->base)) return false;
    if (next_use - a->now > SOON) return true;
    if (a->free) return false;
    int r = find_farthest(a);
    if (r < 0 || !a->clean[r] || a->next_use[r] <= next_use) return true;
    vacate_register(a, r);
    return false;
}

/* Whether to exchange operands that commute: the second may be in memory, or else, of registers, is
 * the one with the shorter code. */
static bool better_exchanged(const allocator *a, const zk_step *step)
{
    int x = a->values[step->from[0]].held_by, y = a->values[step->from[1]].held_by;
    const int32_t *next = a->next + 2 * a->now;
    if (x >= 0 && y >= 0) return y >= 8 && x < 8;
    if (x >= 0 || y >= 0) return x < 0;
    return next[1] < next[0];
}

/* Operands into registers, the last one perhaps used from memory. */
static void place_operands(allocator *a, const zk_step *step, zk_act *act)
{
    int32_t from[2] = {step->from[0], step->from[1]};
    int32_t next[2] = {next_use_of(a, 0), next_use_of(a, 1)};
    int last = zk_actions[step->action].operands == 1 ? 0 : 1;
    int first = 0;
    if (zk_actions[step->action].commutes && better_exchanged(a, step)) first = 1, last = 0;
    if (step->from[2] >= 0) act->mask = load_operand(a, step->from[2], NEVER);
    if (first != last) act->a = load_operand(a, from[first], next[first]);
    if (use_from_memory(a, (zk_action)step->action, from[last], next[last])) {
        act->place = home_of(a, from[last]);
        a->done->folds++;
    } else {
        act->b = load_operand(a, from[last], next[last]);
    }
}

/* Stores a result that is an output, as often as it is one; its place is the first of them. */
static void store_outputs(allocator *a, int r, int32_t value)
{
    for (int32_t k = a->values[value].output; k >= 0; k = a->next_output[k]) {
        zk_place place = {.base = ZK_AT_OUT, .index = k};
        if (!has_home(a, value)) set_home(a, value, ZK_AT_OUT, k);
        a->clean[r] = -1;
        emit_store(a, r, place);
    }
}

/* A step that the machine has an instruction for. */
static void place_act(allocator *a, const zk_step *step)
{
    zk_act act = {.action = (zk_action)step->action, .a = NONE, .b = NONE, .mask = NONE};
    int32_t result = step->to;
    place_operands(a, step, &act);
    release_operands(a, step);
    act.to = take_register(a);
    a->machine->act(a->code, &act);
    bind_register(a, act.to, result, a->values[result].first);
    store_outputs(a, act.to, result);
    if (a->values[result].first == NEVER) release_register(a, act.to);
}

/* ------------------------------------------------------------------- calls */

/* The results' places in memory; two of them lie side by side. Where memory is short those have one
 * pair of places for all calls, which they leave at once. */
static void place_results(allocator *a, const zk_step *step)
{
    int32_t at = a->pair, count = zk_step_results(step);
    if (count == 1)
        at = take_slot(&a->slots);
    else if (at < 0)
        at = a->slots.top, a->slots.top += 2;
    if (count == 2 && a->flow->order == ZK_ORDER_STREAM) a->pair = at;
    for (int32_t k = 0; k < count; k++) set_home(a, step->to + k, ZK_AT_WORKSPACE, at + k);
}

/* A result of a call is in memory; outputs, and what is in the common pair, pass through a
 * register. */
static void fetch_result(allocator *a, int32_t value, bool common)
{
    bool again = a->values[value].first != NEVER;
    if (a->values[value].output >= 0 || (common && again)) {
        int r = take_register(a);
        emit_load(a, r, home_of(a, value));
        if (common) a->values[value].base = ZK_NOWHERE;
        bind_register(a, r, value, a->values[value].first);
        store_outputs(a, r, value);
        if (!again) release_register(a, r);
    }
    if (!again && !common) release_slot(a, value);
}

/* A call of a function: nothing stays in registers, and arguments are addresses. */
static void place_call(allocator *a, const zk_step *step)
{
    zk_place from[2] = {{.base = ZK_NOWHERE}, {.base = ZK_NOWHERE}};
    for (int r = 0; r < a->machine->registers; r++) {
        if (!(a->free & (UINT32_C(1) << r))) vacate_register(a, r);
    }
    for (int k = 0; k < 2 && step->from[k] >= 0; k++) from[k] = home_of(a, step->from[k]);
    release_operands(a, step);
    free_slots(&a->slots); /* a result may lie where an operand was */
    place_results(a, step);
    a->machine->argument(a->code, 0, home_of(a, step->to));
    for (int k = 0; k < 2 && from[k].base != ZK_NOWHERE; k++)
        a->machine->argument(a->code, k + 1, from[k]);
    a->machine->call(a->code, step->opcode);
    int32_t count = zk_step_results(step);
    for (int32_t k = 0; k < count; k++) fetch_result(a, step->to + k, count == 2 && a->pair >= 0);
}

/* --------------------------------------------------------------- the whole */

/* The next use of every operand, from the last step back to the first. */
static void find_uses(allocator *a)
{
    const zk_flow *flow = a->flow;
    for (int32_t i = flow->step_count - 1; i >= 0; i--) {
        const int32_t *from = flow->steps[i].from;
        for (int k = 0; k < 2 && from[k] >= 0; k++) a->next[2 * i + k] = a->values[from[k]].first;
        for (int k = 0; k < 3 && from[k] >= 0; k++) a->values[from[k]].first = i;
    }
}

/* Homes of constants and leaves; which outputs a value is. */
static void find_homes(allocator *a)
{
    const zk_flow *flow = a->flow;
    const zk_program *program = flow->program;
    for (int32_t v = 0; v < flow->value_count; v++)
        a->values[v] = (state){.base = ZK_NOWHERE, .first = NEVER, .output = NONE, .held_by = NONE};
    for (int32_t v = 0; v < flow->constant_count; v++) set_home(a, v, ZK_AT_CONSTANTS, v);
    for (int kind = 0; kind < ZK_LEAF_KINDS; kind++)
        for (int32_t i = program->leaf_at[kind]; i < program->leaf_at[kind + 1]; i++)
            set_home(a, flow->leaf_at + i, kind, kind == ZK_AT_TIME ? 0 : program->leaves[i]);
    for (int32_t k = program->output_count - 1; k >= 0; k--) {
        a->next_output[k] = a->values[flow->outputs[k]].output;
        a->values[flow->outputs[k]].output = k;
    }
}

/* Outputs that are constants or leaves. */
static void copy_outputs(allocator *a)
{
    const zk_flow *flow = a->flow;
    for (int32_t k = 0; k < flow->program->output_count; k++) {
        int32_t value = flow->outputs[k];
        if (value >= flow->result_at || a->values[value].output != k) continue;
        int r = load_operand(a, value, NEVER);
        store_outputs(a, r, value);
        release_register(a, r);
        unlock_registers(a);
    }
}

/* Step by step; what is free after a step is given back before the next. */
void zk_allocate(zb_arena *arena, const zk_flow *flow, zk_code *code, zk_allocation *allocation)
{
    allocator a = {
        .flow = flow, .machine = code->machine, .code = code, .done = allocation, .pair = NONE};
    *allocation = (zk_allocation){0};
    a.next = ZB_NEW_ARRAY(arena, int32_t, 2 * (int64_t)flow->step_count);
    a.values = ZB_NEW_ARRAY(arena, state, flow->value_count);
    a.next_output = ZB_NEW_ARRAY(arena, int32_t, flow->program->output_count);
    a.slots.near = code->machine->near;
    a.slots.low = ZB_NEW_ARRAY(arena, int32_t, a.slots.near);
    a.slots.high_most = (int32_t)zk_workspace(flow->program);
    a.slots.high = ZB_NEW_ARRAY(arena, int32_t, a.slots.high_most);
    a.free =
        code->machine->registers == 32 ? UINT32_MAX : (UINT32_C(1) << code->machine->registers) - 1;
    find_homes(&a);
    find_uses(&a);
    for (; a.now < flow->step_count; a.now++) {
        const zk_step *step = &flow->steps[a.now];
        if (code->listing) {
            zb_text_add(code->listing, "  ; ");
            zk_list_step(step, code->listing);
        }
        if (step->action == ZK_DO_CALL)
            place_call(&a, step);
        else
            place_act(&a, step);
        unlock_registers(&a);
        free_slots(&a.slots);
    }
    copy_outputs(&a);
    allocation->slots = a.slots.top;
}
