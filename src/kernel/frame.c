/*
 * Runs in lanes: machine code where there is some, else the byte code.
 */
#include <string.h>

#include "compiler.h"

int32_t zk_best_width(void)
{
    return zb_cpu() == ZB_CPU_AVX512 ? 8 : 4;
}

/* One lane by the scalar machine. */
static void run_lane(const zk_program *program, int32_t width, int32_t lane, const zk_frame *frame)
{
    const double *from[ZK_LEAF_KINDS] = {frame->time,         frame->position, frame->velocity,
                                         frame->acceleration, frame->value,    frame->measure};
    double *r = frame->workspace;
    if (program->constant_count > 0)
        memcpy(r, program->constants, (size_t)program->constant_count * sizeof(double));
    for (int kind = 0; kind < ZK_LEAF_KINDS; kind++)
        for (int32_t i = program->leaf_at[kind]; i < program->leaf_at[kind + 1]; i++)
            r[program->constant_count + i] =
                from[kind][(kind == 0 ? 0 : program->leaves[i]) * width + lane];
    zk_execute(program, r);
    for (int32_t i = 0; i < program->output_count; i++)
        frame->out[i * width + lane] = r[program->outputs[i]];
}

void zk_run_frame(const zk_program *program, int32_t width, zk_evaluator evaluator,
                  const zk_frame *frame)
{
    zk_entry entry =
        evaluator == ZK_BYTE_CODE
            ? NULL
            : atomic_load_explicit(&program->entry[zk_width_index(width)], memory_order_acquire);
    if (entry)
        entry(frame);
    else
        for (int32_t lane = 0; lane < width; lane++) run_lane(program, width, lane, frame);
}
