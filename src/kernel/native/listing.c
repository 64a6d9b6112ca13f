/*
 * What the emitter makes of a program, as text for people:
 *
 *     x86-64, AVX, 1 lane; 3 steps, 0 calls
 *     constants 0 = 2, 1 = 0, ...
 *     v5 = position[0], v6 = position[1]
 *     steps
 *       v7 = mul v5 v6
 *       ...
 *     code; 0 places of the workspace, ...
 *       ; v7 = mul v5 v6
 *          4  48 8b 53 08   mov rdx, [rbx+8]
 *          ...
 *       ; v7 in register 0
 *
 * Values are numbered in their new order. The text depends on the program and on which machine
 * there is for this processor; where there is none it is that of the width.
 */
#include "native.h"

static const char *const bases[] = {"time",    "position", "velocity",  "acceleration", "value",
                                    "measure", "out",      "workspace", "constant"};

const char *zk_base_name(int32_t base)
{
    return bases[base];
}

/* A step as a line: results, action, operands. */
void zk_list_step(const zk_step *step, zb_text *text)
{
    zb_text_printf(text, "v%d", (int)step->to);
    if (zk_step_results(step) == 2) zb_text_printf(text, ", v%d", (int)step->to + 1);
    zb_text_printf(text, " = %s", zk_actions[step->action].text);
    if (step->action == ZK_DO_CALL) zb_text_printf(text, " %s", zk_opcodes[step->opcode].name);
    for (int k = 0; k < 3 && step->from[k] >= 0; k++)
        zb_text_printf(text, " v%d", (int)step->from[k]);
    zb_text_char(text, '\n');
}

/* A line of the values that are constants. */
static void list_constants(const zk_flow *flow, zb_text *text)
{
    zb_text_add(text, "constants");
    for (int32_t i = 0; i < flow->constant_count; i++) {
        zb_text_printf(text, "%s v%d = ", i > 0 ? "," : "", (int)i);
        zb_text_double(text, flow->constants[i]);
    }
    zb_text_char(text, '\n');
}

/* A line of the values that are leaves, and what they read. */
static void list_leaves(const zk_flow *flow, zb_text *text)
{
    const zk_program *program = flow->program;
    zb_text_add(text, "leaves");
    for (int kind = 0; kind < ZK_LEAF_KINDS; kind++)
        for (int32_t i = program->leaf_at[kind]; i < program->leaf_at[kind + 1]; i++)
            zb_text_printf(text, "%s v%d = %s[%d]", i > 0 ? "," : "", (int)(flow->leaf_at + i),
                           bases[kind], kind == ZK_AT_TIME ? 0 : (int)program->leaves[i]);
    zb_text_char(text, '\n');
}

/* Head, constants, leaves, steps and outputs; the lines of code follow as they are emitted. */
void zk_list_flow(const zk_flow *flow, const zk_machine *machine, zb_text *text)
{
    zb_text_printf(text, "%s; %d steps, %d calls, %s\n", machine->name, (int)flow->step_count,
                   (int)flow->calls,
                   flow->order == ZK_ORDER_DEEP ? "depth first" : "in the order of the byte code");
    list_constants(flow, text);
    list_leaves(flow, text);
    zb_text_add(text, "steps\n");
    for (int32_t i = 0; i < flow->step_count; i++) {
        zb_text_add(text, "  ");
        zk_list_step(&flow->steps[i], text);
    }
    zb_text_add(text, "outputs");
    for (int32_t i = 0; i < flow->program->output_count; i++)
        zb_text_printf(text, " v%d", (int)flow->outputs[i]);
    zb_text_add(text, "\ncode\n");
}

/* What the code takes, in one line. */
static void list_summary(const zk_emission *emission, zb_text *text)
{
    const zk_allocation *a = &emission->allocation;
    zb_text_printf(text,
                   "%zu bytes of code behind %zu of constants; %d places of the workspace, %lld "
                   "loads, %lld stores, %lld operands in memory\n",
                   emission->size - emission->code_at, emission->code_at, (int)a->slots,
                   (long long)a->loads, (long long)a->stores, (long long)a->folds);
}

/* The arena jumps here when memory runs out; the text says that it is not complete. */
static void dump_emission(zb_arena *arena, const zk_program *program, int32_t width, zb_text *text)
{
    jmp_buf escape;
    zk_emission emission;
    if (setjmp(escape)) {
        arena->escape = NULL;
        text->failure = arena->failure;
        return;
    }
    arena->escape = &escape; /* cppcheck-suppress autoVariables */
    const zk_machine *here = zk_machine_here(width);
    zk_emit_by(here ? here : zk_machine_for(width), arena, program, width, text, &emission);
    if (emission.state == ZK_NATIVE_READY)
        list_summary(&emission, text);
    else
        zb_text_printf(text, "no code: %s\n", zk_native_sentence(emission.state));
    arena->escape = NULL;
}

/* The arena lives as long as the listing is being made. */
void zk_dump_native(zb_memory *memory, const zk_program *program, int32_t width, zb_text *text)
{
    zb_arena arena;
    zb_arena_init(&arena, memory, 0);
    dump_emission(&arena, program, width, text);
    zb_arena_clear(&arena);
}
