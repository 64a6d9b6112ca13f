/*
 * Inside of kernel: the compiler's state, its passes in order, and what a program is.
 *
 * While compiling, a value is a number from 0 on: a constant, a leaf, or a result of exactly one
 * instruction. Every pass works on the one list of instructions:
 *
 *     lower      nodes below the roots -> values and instructions, operands before users
 *     fuse       a product used once goes into the sum that uses it
 *     schedule   another order, in batches of one opcode
 *     slots      values -> registers, reused after the last use; operand stream
 *
 * All of it lives in the compiler's arena, which jumps to `escape` when memory runs out; only the
 * finished program outlives it.
 */
#ifndef ZK_COMPILER_H
#define ZK_COMPILER_H

#include <stdatomic.h>

#include "kernel.h"
#include "opcodes.h"

/* ---------------------------------------------------------------- programs */

/* The kinds of leaves in the order in which their registers stand: ZX_TIME .. ZX_MEASURE. */
enum { ZK_LEAF_KINDS = ZX_MEASURE - ZX_TIME + 1 };

/* Unused places behind the stream, for the machine reads four at once. */
enum { ZK_STREAM_PADDING = 3 };

/* So many instructions of one opcode, one behind the other in the stream. */
typedef struct zk_batch {
    int32_t opcode, count;
} zk_batch;

/* Registers: constants from 0 on, never written; then the leaves, kind by kind; then the rest.
 * The stream holds for each instruction the registers of its results and its operands. One block
 * of memory holds the struct and everything it points to. */
enum { ZK_WIDTHS = 3 }; /* 1, 4 and 8 lanes */
static inline int zk_width_index(int32_t width)
{
    return width == 1 ? 0 : width == 4 ? 1 : 2;
}

/* Machine code of a program. It reads leaves and writes outputs through the frame's pointers. */
typedef void (*zk_entry)(const zk_frame *frame);

struct zk_program {
    _Atomic(zk_entry) entry[ZK_WIDTHS]; /* NULL: byte code */
    zb_memory *memory;
    size_t bytes; /* of the block */
    const double *constants;
    const zk_batch *batches;
    const int32_t *leaves;  /* [leaf_at[ZK_LEAF_KINDS]] the slots of the leaves */
    const int32_t *outputs; /* [output_count] registers */
    const void *stream;     /* uint16_t or uint32_t, [stream_length] */
    int64_t stream_length;
    bool wide; /* uint32_t */
    int32_t constant_count;
    int32_t leaf_at[ZK_LEAF_KINDS + 1]; /* where in leaves a kind begins */
    int32_t batch_count, output_count, register_count, instruction_count;
    int64_t operation_count;
};

/* Executes the instructions on registers [register_count] that hold constants and leaves. */
void zk_execute(const zk_program *program, double *registers);

/* The register's number at place i of the stream. */
static inline uint32_t zk_stream_at(const zk_program *program, int64_t i)
{
    const uint32_t *wide = program->stream;
    const uint16_t *narrow = program->stream;
    return program->wide ? wide[i] : narrow[i];
}

typedef struct zk_opcode_facts {
    const char *name;
    int32_t operands, results, operations;
} zk_opcode_facts;
extern const zk_opcode_facts zk_opcodes[ZK_OPCODE_COUNT];

/* --------------------------------------------------------------- compiling */

/* For tests and measurements; zk_compile fuses and has the window below. */
enum { ZK_WINDOW = 8192 };

typedef struct zk_options {
    bool fuse, wide;
    int32_t window; /* instructions scheduled together; 1: leave the order */
} zk_options;

zw_status zk_compile_as(zb_memory *memory, zx_pool *pool, const zx_node *roots, int32_t count,
                        const zk_options *options, zk_program **program);

enum { ZK_NO_VALUE = -1 };

/* Unused places hold ZK_NO_VALUE. */
typedef struct zk_instruction {
    int32_t opcode;
    int32_t to[2], from[4];
} zk_instruction;

typedef enum zk_value_kind { ZK_RESULT, ZK_CONSTANT, ZK_LEAF } zk_value_kind;

typedef struct zk_value {
    int32_t kind;
    int32_t index; /* of a constant or leaf among its kind, in order of appearance */
} zk_value;

typedef struct zk_leaf {
    int32_t kind, slot; /* kind: ZX_POSITION - ZX_TIME and so on */
} zk_leaf;

typedef struct zk_compiler {
    zb_arena arena;
    zb_memory *memory;
    jmp_buf escape;
    zx_pool *pool;
    const zx_node *roots;
    int32_t root_count;
    zk_options options;

    zx_node *below; /* [below_count], of the pool's memory */
    int32_t below_count;

    zk_value *values; /* [value_count] */
    int32_t value_count;
    double *constants; /* [constant_count] */
    int32_t constant_count;
    zk_leaf *leaves; /* [leaf_count] */
    int32_t leaf_count;
    zk_instruction *code; /* [code_count] */
    int32_t code_count;
    int32_t *outputs; /* [root_count] values, after slots registers */

    zk_batch *batches; /* [batch_count] */
    int32_t batch_count;

    uint32_t *stream; /* [stream_length] */
    int64_t stream_length;
    double *register_constants; /* [register_constant_count] the registers from 0 on */
    int32_t register_constant_count;
    int32_t *leaf_slots; /* [leaf_count], kind by kind */
    int32_t leaf_at[ZK_LEAF_KINDS + 1];
    int32_t register_count;
} zk_compiler;

void zk_lower(zk_compiler *c);
void zk_fuse(zk_compiler *c);
void zk_schedule(zk_compiler *c);
void zk_assign_slots(zk_compiler *c);

/* The finished program in one block of memory; NULL when there is none. */
zk_program *zk_assemble(const zk_compiler *c);

#endif
