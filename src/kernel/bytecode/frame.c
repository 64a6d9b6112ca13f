/*
 * Evaluation of a frame, one or several lanes: machine code where there is some, else the byte
 * code, by the scalar machine for one lane and by the machine in lanes for several.
 */
#include <string.h>

#include "wide.h"

/* With AVX2 eight are two registers of four, which do not wait for each other: measured, ensembles
 * and families take 0.85 of the time of four lanes. */
int32_t zk_best_width(void)
{
    return zb_cpu() >= ZB_CPU_AVX2 ? 8 : 4;
}

/* The frame's array that leaves of a kind are read from. */
static const double *leaves_of(const zk_frame *frame, int32_t kind)
{
    const double *from[ZK_LEAF_KINDS] = {frame->time,         frame->position, frame->velocity,
                                         frame->acceleration, frame->value,    frame->measure};
    return from[kind];
}

/* Copies `width` numbers for each leaf. */
static void fetch_frame_leaves(const zk_program *program, int32_t width, const zk_frame *frame)
{
    size_t bytes = (size_t)width * sizeof(double);
    double *to = frame->workspace + (size_t)program->constant_count * (size_t)width;
    for (int32_t kind = 0; kind < ZK_LEAF_KINDS; kind++) {
        const double *from = leaves_of(frame, kind);
        for (int32_t i = program->leaf_at[kind]; i < program->leaf_at[kind + 1]; i++, to += width)
            memcpy(to, from + (size_t)(kind == 0 ? 0 : program->leaves[i]) * (size_t)width, bytes);
    }
}

/* Leaves and constants into the registers, the instructions, outputs out of them. */
static void evaluate_frame_by_byte_code(const zk_program *program, int32_t width,
                                        const zk_frame *frame)
{
    double *r = frame->workspace;
    fetch_frame_leaves(program, width, frame);
    if (width == 1) {
        if (program->constant_count > 0)
            memcpy(r, program->constants, (size_t)program->constant_count * sizeof(double));
        zk_execute(program, r);
    } else {
        const zk_lanes *lanes = zk_lanes_for(width);
        lanes->set_constants[zk_lane_index(width)](program, r);
        lanes->execute[zk_lane_index(width)](program, r);
    }
    for (int32_t i = 0; i < program->output_count; i++)
        memcpy(frame->out + (size_t)i * (size_t)width,
               r + (size_t)program->outputs[i] * (size_t)width, (size_t)width * sizeof(double));
}

/* Threads may publish machine code meanwhile: the entry is read once. */
void zk_evaluate_frame(const zk_program *program, int32_t width, zk_evaluator evaluator,
                       const zk_frame *frame)
{
    zk_entry entry = zk_entry_of(program, width, evaluator);
    if (entry)
        entry(frame);
    else
        evaluate_frame_by_byte_code(program, width, frame);
}
