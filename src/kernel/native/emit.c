/*
 * A program's block of machine code, as bytes: constants, each repeated for all lanes; the
 * addresses of the functions that are called; then the code. Nothing in it depends on where it will
 * lie.
 *
 * The order that keeps few values alive may, in rare programs, need more of the workspace than the
 * byte code's own order, which then is taken; when that needs too much as well there is no code.
 */
#include <string.h>

#include "native.h"
#include "wide.h"

enum { LINE = 64 }; /* bytes; constants and code begin at a multiple */

/* More than any program that pays; displacements have 32 bits. */
enum { MOST_SLOT = 1 << 22, MOST_INSTRUCTIONS = 1 << 21 };
static const size_t most_bytes = (size_t)1 << 30;

/* The old bytes stay in the arena until it is released. */
void zk_code_reserve(zk_code *code, size_t bytes)
{
    if (code->capacity - code->used >= bytes) return;
    size_t capacity = 2 * code->capacity + bytes;
    uint8_t *more = zb_arena_take(code->arena, capacity, LINE);
    if (code->used > 0) memcpy(more, code->bytes, code->used);
    code->bytes = more;
    code->capacity = capacity;
}

/* Each constant `width` times, for instructions that read all lanes at once. */
static void append_constants(zk_code *code, const zk_flow *flow)
{
    zk_code_reserve(code, (size_t)flow->constant_count * 8 * (size_t)code->width);
    for (int32_t i = 0; i < flow->constant_count; i++)
        for (int32_t lane = 0; lane < code->width; lane++) {
            /* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): there is room */
            memcpy(code->bytes + code->used, &flow->constants[i], sizeof(double));
            code->used += sizeof(double);
        }
}

/* The addresses of the functions that are called, in the order of opcodes; code begins behind
 * them. */
static void append_functions(zk_code *code, const zk_flow *flow)
{
    bool called[ZK_OPCODE_COUNT] = {false};
    for (int32_t i = 0; i < flow->step_count; i++)
        if (flow->steps[i].action == ZK_DO_CALL) called[flow->steps[i].opcode] = true;
    zk_code_reserve(code, ZK_OPCODE_COUNT * sizeof(zk_lane_fn) + LINE);
    code->functions_at = code->used;
    uint8_t count = 0;
    for (int32_t opcode = 0; opcode < ZK_OPCODE_COUNT; opcode++) {
        if (!called[opcode]) continue;
        zk_lane_fn function = zk_lane_function(opcode, code->width);
        memcpy(code->bytes + code->used, &function, sizeof function);
        code->used += sizeof function;
        code->function_of[opcode] = count++;
    }
    while (code->used % LINE != 0) code->bytes[code->used++] = 0;
    code->code_at = code->used;
}

/* Slots and counts must leave displacements within 32 bits. */
static bool is_program_large(const zk_program *program)
{
    int32_t most = program->constant_count;
    for (int32_t i = 0; i < program->leaf_at[ZK_LEAF_KINDS]; i++)
        if (program->leaves[i] > most) most = program->leaves[i];
    if (program->output_count > most) most = program->output_count;
    if (program->register_count > most) most = program->register_count;
    return most > MOST_SLOT || program->instruction_count > MOST_INSTRUCTIONS;
}

/* One attempt to emit the program, its steps in the given order; `start` is the code before
 * anything is in it. */
static void emit_in_order(const zk_code *start, const zk_program *program, zk_order order,
                          zk_emission *emission)
{
    zk_flow flow;
    zk_code code = *start;
    zb_arena *arena = code.arena;
    zk_make_flow(arena, program, order, &flow);
    if (code.listing) zk_list_flow(&flow, code.machine, code.listing);
    append_constants(&code, &flow);
    append_functions(&code, &flow);
    zk_code_reserve(&code, 8 * (size_t)flow.step_count);
    code.machine->begin(&code);
    zk_allocate(arena, &flow, &code, &emission->allocation);
    code.machine->end(&code);
    emission->bytes = code.bytes;
    emission->size = code.used;
    emission->code_at = code.code_at;
    emission->order = order;
    emission->steps = flow.step_count;
    bool fits = (size_t)emission->allocation.slots <= zk_workspace(program);
    emission->state = fits && code.used <= most_bytes ? ZK_NATIVE_READY : ZK_NATIVE_LARGE;
}

/* Depth first, and if that needs too much workspace in the order of the stream. */
void zk_emit_by(const zk_machine *machine, zb_arena *arena, const zk_program *program,
                int32_t width, zb_text *listing, zk_emission *emission)
{
    zk_code start = {.arena = arena, .machine = machine, .width = width, .listing = listing};
    bool foreign = !machine;
    *emission = (zk_emission){.state = foreign ? ZK_NATIVE_FOREIGN : ZK_NATIVE_LARGE};
    if (foreign || is_program_large(program)) return;
    emit_in_order(&start, program, ZK_ORDER_DEEP, emission);
    if (emission->state == ZK_NATIVE_LARGE)
        emit_in_order(&start, program, ZK_ORDER_STREAM, emission);
    if (emission->state != ZK_NATIVE_READY) emission->bytes = NULL;
}

void zk_emit(zb_arena *arena, const zk_program *program, int32_t width, zb_text *listing,
             zk_emission *emission)
{
    zk_emit_by(zk_machine_for(width), arena, program, width, listing, emission);
}
