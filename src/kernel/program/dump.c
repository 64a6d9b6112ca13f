/*
 * A program as text: what is fetched, one batch a line, what is given. Registers are r0, r1, ...
 *
 *     constants r0 = 2
 *     position r1 = q[0], r2 = q[1]
 *     MUL_ADD r3 <- r0 r1 r2; r4 <- r0 r2 r1
 *     outputs r3 r4
 */
#include "compiler.h"

/* A line of the registers that hold constants, if there are any. */
static void dump_constants(const zk_program *program, zb_text *text)
{
    if (program->constant_count == 0) return;
    zb_text_add(text, "constants");
    for (int32_t i = 0; i < program->constant_count; i++) {
        zb_text_printf(text, "%s r%d = ", i > 0 ? "," : "", (int)i);
        zb_text_double(text, program->constants[i]);
    }
    zb_text_char(text, '\n');
}

/* A line for each kind of leaves that the program reads. */
static void dump_leaves(const zk_program *program, zb_text *text)
{
    static const char *const names[ZK_LEAF_KINDS] = {"time",         "position", "velocity",
                                                     "acceleration", "value",    "measure"};
    for (int kind = 0; kind < ZK_LEAF_KINDS; kind++) {
        int32_t start = program->leaf_at[kind], end = program->leaf_at[kind + 1];
        if (start == end) continue;
        zb_text_add(text, names[kind]);
        for (int32_t i = start; i < end; i++) {
            const char *name = zx_op_name((zx_op)(ZX_TIME + kind));
            zb_text_printf(text, "%s r%d = %s", i > start ? "," : "",
                           (int)(program->constant_count + i), name);
            if (kind > 0) zb_text_printf(text, "[%d]", (int)program->leaves[i]);
        }
        zb_text_char(text, '\n');
    }
}

/* One instruction from `at` on; where the next begins. */
static int64_t dump_instruction(const zk_program *program, const zk_opcode_facts *facts, int64_t at,
                                zb_text *text)
{
    for (int32_t k = 0; k < facts->results; k++)
        zb_text_printf(text, " r%u", (unsigned)zk_stream_at(program, at++));
    zb_text_add(text, " <-");
    for (int32_t k = 0; k < facts->operands; k++)
        zb_text_printf(text, " r%u", (unsigned)zk_stream_at(program, at++));
    return at;
}

/* Constants, leaves, batches, outputs. */
void zk_dump(const zk_program *program, zb_text *text)
{
    dump_constants(program, text);
    dump_leaves(program, text);
    int64_t at = 0;
    for (int32_t i = 0; i < program->batch_count; i++) {
        const zk_batch *batch = &program->batches[i];
        zb_text_add(text, zk_opcodes[batch->opcode].name);
        for (int32_t k = 0; k < batch->count; k++) {
            if (k > 0) zb_text_char(text, ';');
            at = dump_instruction(program, &zk_opcodes[batch->opcode], at, text);
        }
        zb_text_char(text, '\n');
    }
    zb_text_add(text, "outputs");
    for (int32_t i = 0; i < program->output_count; i++)
        zb_text_printf(text, " r%d", (int)program->outputs[i]);
    zb_text_char(text, '\n');
}
