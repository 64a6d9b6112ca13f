/*
 * The machine in lanes: an interpreter of byte code whose registers hold 4, 8 or ZK_STRIP numbers,
 * one for each instance, so that one dispatch serves all of them. wide_machine.c is compiled once
 * for each instruction set; the variants give the same bits, those of the scalar machine. Private
 * to this folder.
 */
#ifndef ZK_WIDE_H
#define ZK_WIDE_H

#include "compiler.h"

/* Widths of the machine: those of a frame, and *strips*, in which small programs of families are
 * evaluated: one dispatch then serves more lanes than the processor has. */
enum { ZK_STRIP = 32 };
enum { ZK_LANES_4, ZK_LANES_8, ZK_LANES_STRIP, ZK_LANE_WIDTHS };
static inline int zk_lane_index(int32_t width)
{
    return width == 4 ? ZK_LANES_4 : width == 8 ? ZK_LANES_8 : ZK_LANES_STRIP;
}

/* The machine code that may be used at a width; NULL: byte code. */
static inline zk_entry zk_entry_of(const zk_program *program, int32_t width, zk_evaluator evaluator)
{
    if (evaluator == ZK_BYTE_CODE) return NULL;
    return atomic_load_explicit(&program->entry[zk_width_index(width)], memory_order_acquire);
}

/* to[l] = opcode(a[l], b[l]) for each lane; b is not read by opcodes of one operand. ZK_SINCOS
 * writes the sines, then the cosines, to [2 * width]. `to`, or either half of it, may be a or b
 * itself; no alignment is asked. */
typedef void (*zk_lane_fn)(double *to, const double *a, const double *b);

/* The fastest for this processor, for every opcode of one or two operands; NULL for the others.
 * width 1, 4 or 8. */
zk_lane_fn zk_lane_function(int32_t opcode, int32_t width);

/* Number l of all is from[l * stride], or from[index[l]]; group g of them goes to
 * to + g * step. */
typedef struct zk_gather {
    const double *from;
    const int32_t *index; /* NULL: stride */
    int64_t stride;
    double *to;
} zk_gather;

/* `groups` times `width` numbers. */
typedef struct zk_groups {
    int32_t groups, width;
    size_t step;
} zk_groups;

/* What is compiled for each instruction set: a *variant*; `plain` is the one for any processor.
 * Entries that a variant leaves out are NULL. */
typedef struct zk_lanes {
    const char *name;
    /* Executes the instructions on registers [register][lane] that hold constants and leaves;
     * strips for programs of narrow operands only. */
    void (*execute[ZK_LANE_WIDTHS])(const zk_program *program, double *registers);
    /* Fills the registers of constants. */
    void (*set_constants[ZK_LANE_WIDTHS])(const zk_program *program, double *registers);
    zk_lane_fn function[ZK_LANES_STRIP][ZK_OPCODE_COUNT]; /* not of strips */
    void (*gather)(const zk_gather *list, int32_t count, zk_groups groups);
} zk_lanes;

/* The variants that this processor can execute, the fastest last; and the best for a width. */
const zk_lanes *const *zk_lanes_all(int32_t *count);
const zk_lanes *zk_lanes_for(int32_t width);

#endif
