/*
 * kernel: straight-line programs from expressions, and the machines that evaluate them.
 *
 *     nodes --lower--> operations in static single assignment --fuse--> a*b+c and the like
 *           --schedule--> batches of one opcode --slots--> byte code --machine--> numbers
 *
 * A program is immutable and may be evaluated by several threads, each with a workspace of its own.
 * A *batch* is a sequence of instructions with the same opcode, which one dispatch serves. A *leaf*
 * is a number that a program reads: time, a coordinate, a rate, a parameter or a measure; its
 * *slot* says which. Every evaluator gives the same bits: no libm, no contraction, sums in the
 * order written.
 */
#ifndef ZK_KERNEL_H
#define ZK_KERNEL_H

#include "base.h"
#include "expr.h"

typedef struct zk_program zk_program;

/* Which evaluators may be used: the fastest there is, or none but the byte code. */
typedef enum zk_evaluator { ZK_FASTEST, ZK_BYTE_CODE } zk_evaluator;

/* Where the leaves of a program come from. Arrays that no leaf refers to may be NULL. */
typedef struct zk_source {
    const double *position, *velocity, *acceleration; /* by coordinate */
    const double *value;                              /* parameters and constants */
    const double *measure;
    double time;
    zk_evaluator evaluator;
} zk_source;

/* Which entries of the source an instance's slots mean: slot s of a coordinate is
 * position[coordinate[s]] and so on. NULL: slot s is entry s. */
typedef struct zk_binding {
    const int32_t *coordinate, *value, *measure;
} zk_binding;

typedef struct zk_statistics {
    int64_t operations;   /* arithmetic operations, a fused a*b+c counted as two */
    int64_t instructions; /* after fusing */
    int32_t batches;      /* dispatches an evaluation takes */
    int32_t registers;
    size_t bytes;
} zk_statistics;

/* Compiles roots [count] of a pool. Parts that depend on numbers only are computed now. Uses
 * `memory` for the program; status ZW_ERR_MEMORY or ZW_ERR_BUDGET, else ZW_OK. */
zw_status zk_compile(zb_memory *memory, zx_pool *pool, const zx_node *roots, int32_t count,
                     zk_program **program);
void zk_free(zk_program *program);

int32_t zk_output_count(const zk_program *program);
bool zk_reads(const zk_program *program, zx_op kind); /* some leaf of that kind: ZX_TIME .. */
void zk_statistics_of(const zk_program *program, zk_statistics *statistics);

/* Doubles of workspace that an evaluation needs, aligned to 64 bytes; contents need no
 * preparation. */
size_t zk_workspace(const zk_program *program);

/* One instance: out [outputs]. binding NULL: identity. */
void zk_evaluate(const zk_program *program, const zk_source *source, const zk_binding *binding,
                 double *workspace, double *out);

/* Many instances of one family. Tables are instance-major: instance i binds slot s of a coordinate
 * to table[i * stride + s], the values follow from `value_at`, measures from `measure_at` on.
 * out [count * outputs], instance-major. */
typedef struct zk_table {
    const int32_t *table; /* NULL: identity, for each instance */
    int32_t count, stride, value_at, measure_at;
} zk_table;
void zk_evaluate_table(const zk_program *program, const zk_source *source, const zk_table *table,
                       double *workspace, double *out);

/* ------------------------------------------------------------------- lanes */

/* Several members of an ensemble, or instances of a family, side by side: every array holds `width`
 * numbers for each entry, entry i of lane l at [i * width + l]. Slots are entries. Arrays that no
 * leaf refers to may be NULL; arrays and workspace are aligned to `width` numbers. */
typedef struct zk_frame {
    const double *time; /* [width] */
    const double *position, *velocity, *acceleration;
    const double *value, *measure;
    double *out;       /* [outputs * width]; like workspace it overlaps no other array */
    double *workspace; /* [zk_workspace * width] */
} zk_frame;

enum { ZK_MOST_LANES = 8 };

/* Lanes that this processor evaluates at once best: 4 or 8. */
int32_t zk_best_width(void);

/* Evaluates all lanes; width 1, 4 or 8. Every lane has the bits of zk_evaluate. */
void zk_evaluate_frame(const zk_program *program, int32_t width, zk_evaluator evaluator,
                       const zk_frame *frame);

/* Where the instances of a family find their leaves, prepared for evaluation in lanes: blocks of
 * ZK_BLOCK instances. Immutable, in the caller's arena, whose `escape` is set; it reads the program
 * while it is used, the table only now. The table has at least one instance and is not the
 * identity. width 4 or 8: of machine code, where there is some. */
enum { ZK_BLOCK = 32 };
typedef struct zk_lane_table zk_lane_table;
zk_lane_table *zk_lane_table_create(zb_arena *arena, const zk_program *program,
                                    const zk_table *table, int32_t width);
int32_t zk_block_count(const zk_lane_table *table);

/* Doubles that a block needs, workspace and outputs; both aligned to 64 bytes. */
size_t zk_block_workspace(const zk_lane_table *table);
size_t zk_block_outputs(const zk_lane_table *table);

/* The instances from first on, count of them. Output o of instance first + l is
 * out[l / width * step + o * width + l % width], with the bits of zk_evaluate. */
typedef struct zk_block {
    int32_t first, count, width;
    size_t step;
} zk_block;
void zk_evaluate_block(const zk_lane_table *table, const zk_source *source, int32_t k,
                       double *workspace, double *out, zk_block *block);

/* ------------------------------------------------------------ machine code */

/* Why there is no machine code, or that there is. */
#define ZK_NATIVE_LIST(X)                                                                          \
    X(ZK_NATIVE_READY, "machine code")                                                             \
    X(ZK_NATIVE_UNASKED, "not asked for")                                                          \
    X(ZK_NATIVE_FOREIGN, "there is no emitter for this processor")                                 \
    X(ZK_NATIVE_FORBIDDEN, "the system refuses executable memory")                                 \
    X(ZK_NATIVE_DIFFERS, "the machine code failed its self-test")                                  \
    X(ZK_NATIVE_LARGE, "the programs are too large")                                               \
    X(ZK_NATIVE_MEMORY, "there is not enough memory")

typedef enum zk_native_state {
#define ZK_NATIVE_ENUM(name, sentence) name,
    ZK_NATIVE_LIST(ZK_NATIVE_ENUM)
#undef ZK_NATIVE_ENUM
} zk_native_state;
const char *zk_native_sentence(zk_native_state state);

/* The machine code of some programs at one width, in one mapping that is never writable and
 * executable at once. */
typedef struct zk_native zk_native;

typedef struct zk_native_report {
    zk_native_state state;
    int32_t programs; /* that have machine code now */
    size_t bytes;     /* of it */
    double seconds;   /* that making and testing it took */
} zk_native_report;

/* Emits code for programs [count] at a width (1, 4 or 8), tests each against the byte code on
 * random numbers, and lets zk_evaluate, zk_evaluate_table and zk_evaluate_frame use it from then
 * on; other threads may evaluate the programs meanwhile. When the code of one differs none is used:
 * ZK_NATIVE_DIFFERS. A program that would need more workspace than zk_workspace stays with its byte
 * code. *native is NULL unless the state is READY. Free it before the programs, when none of them
 * is being evaluated. */
void zk_make_native(zb_memory *memory, zk_program *const *programs, int32_t count, int32_t width,
                    zk_native **native, zk_native_report *report);
void zk_native_free(zk_native *native);

/* What each pass of the emitter makes of a program, for people: the operations in their new order,
 * where every value lives, the instructions with their bytes. */
void zk_dump_native(zb_memory *memory, const zk_program *program, int32_t width, zb_text *text);

/* The program as text for people, one batch a line; for tests and for `derive`. */
void zk_dump(const zk_program *program, zb_text *text);

/* -------------------------------------------------------------------------- C */

/* How a program becomes C (write_c.c): the name that a leaf has in it, the expression that it is
 * read from, and how many of the outputs are wanted, the first ones. */
typedef struct zk_c_style {
    void *user;
    void (*name)(void *user, zx_op kind, int32_t slot, zb_text *text);
    void (*read)(void *user, zx_op kind, int32_t slot, zb_text *text);
    int32_t outputs;
    bool single; /* float, not double */
} zk_c_style;

/* The statements of a function that has `real` for the type of numbers, functions f_sin and so on
 * as far as the text names them, and writes out [style->outputs]. The arena's `escape` is set. */
void zk_write_c(const zk_program *program, const zk_c_style *style, zb_arena *scratch,
                zb_text *text);
/* A number as a literal, between parentheses where it is negative; infinities by f_infinity(). */
void zk_text_c_number(zb_text *text, double x, bool single);

#endif
