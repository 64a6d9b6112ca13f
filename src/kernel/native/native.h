/*
 * Inside of the emitter, which turns byte code into machine code: what passes from one of its
 * stages to the next.
 *
 *     order      the stream -> steps in static single assignment, in an order with few live values
 *     allocate   steps -> registers and places in memory, by Belady's rule, calling the machine
 *     a machine  one file an architecture: bytes of instructions (x86.c, a64.c)
 *     native     many programs in one mapping, tested, published
 *
 * A *step* is as simple as a machine's instruction: sums and products, bits, masks. A mask has all
 * bits set where a comparison holds, and none elsewhere. What is not a step is a call of a C
 * function that reads its operands from memory and writes its results there.
 *
 * All lives in an arena, which jumps to its `escape` when memory runs out.
 */
#ifndef ZK_NATIVE_H
#define ZK_NATIVE_H

#include "compiler.h"

/* ------------------------------------------------------------------- steps */

/* Name, operands, whether they commute. Of MIN and MAX the second operand is the result when the
 * comparison fails. BLEND: the second where the third, a mask, is set, else the first. */
#define ZK_ACTION_LIST(X)                                                                          \
    X(ADD, "add", 2, true)                                                                         \
    X(SUB, "sub", 2, false)                                                                        \
    X(MUL, "mul", 2, true)                                                                         \
    X(DIV, "div", 2, false)                                                                        \
    X(MIN, "min", 2, false)                                                                        \
    X(MAX, "max", 2, false)                                                                        \
    X(BITS_AND, "and", 2, true)                                                                    \
    X(BITS_OR, "or", 2, true)                                                                      \
    X(BITS_XOR, "xor", 2, true)                                                                    \
    X(MASK_LT, "lt", 2, false)                                                                     \
    X(MASK_LE, "le", 2, false)                                                                     \
    X(MASK_EQ, "eq", 2, true)                                                                      \
    X(MASK_NE, "ne", 2, true) /* also when one is nan */                                           \
    X(SQRT, "sqrt", 1, false)                                                                      \
    X(FLOOR, "floor", 1, false)                                                                    \
    X(BLEND, "blend", 3, false)                                                                    \
    X(CALL, "call", 0, false)

typedef enum zk_action {
#define ZK_ACTION_ENUM(name, text, operands, commutes) ZK_DO_##name,
    ZK_ACTION_LIST(ZK_ACTION_ENUM)
#undef ZK_ACTION_ENUM
        ZK_ACTION_COUNT
} zk_action;

typedef struct zk_action_facts {
    const char *text;
    int32_t operands;
    bool commutes;
} zk_action_facts;
extern const zk_action_facts zk_actions[ZK_ACTION_COUNT];

/* A call may have a second result, the value after the first. Unused operands are ZK_NO_VALUE. */
typedef struct zk_step {
    int16_t action, opcode; /* the opcode of a call */
    int32_t to, from[3];
} zk_step;

static inline int32_t zk_step_results(const zk_step *step)
{
    return step->action == ZK_DO_CALL ? zk_opcodes[step->opcode].results : 1;
}

/* Values: the program's constants, the emitter's own, the leaves, then results. */
enum { ZK_OWN_ZERO, ZK_OWN_ONE, ZK_OWN_SIGN, ZK_OWN_REST, ZK_OWN_CONSTANTS };

/* In which order steps are emitted. DEEP: few values alive. STREAM: that of the byte code, which
 * needs no more workspace. */
typedef enum zk_order { ZK_ORDER_DEEP, ZK_ORDER_STREAM } zk_order;

/* The *flow* of a program: its steps in the order in which they are emitted. */
typedef struct zk_flow {
    const zk_program *program;
    zk_order order;
    zk_step *steps; /* [step_count] operands before users; all are needed for an output */
    int32_t step_count;
    double *constants; /* [constant_count] */
    int32_t constant_count, leaf_at, result_at, value_count;
    int32_t *outputs; /* [program->output_count] values */
    int32_t calls;
} zk_flow;

void zk_make_flow(zb_arena *arena, const zk_program *program, zk_order order, zk_flow *flow);

/* ---------------------------------------------------------------- machines */

/* Where values lie in memory: an entry behind one of the frame's pointers, in the order of
 * zk_frame, or one of the block's constants. */
typedef enum zk_base {
    ZK_AT_TIME, /* the leaves' kinds, in their order */
    ZK_AT_OUT = ZK_LEAF_KINDS,
    ZK_AT_WORKSPACE,
    ZK_AT_CONSTANTS,
    ZK_NOWHERE
} zk_base;

enum { ZK_MOST_REGISTERS = 32 };

typedef struct zk_place {
    int32_t base, index;
} zk_place;

/* One step on registers. The last operand but a mask may be in memory: then b is negative. The
 * operand of a step with one is b. */
typedef struct zk_act {
    zk_action action;
    int to, a, b, mask;
    zk_place place;
} zk_act;

typedef struct zk_machine zk_machine;

/* The block that is being made: constants, addresses of functions, then code. */
typedef struct zk_code {
    zb_arena *arena;
    const zk_machine *machine;
    int32_t width;
    uint8_t *bytes; /* [capacity], [used] */
    size_t used, capacity;
    size_t functions_at, code_at;
    uint8_t function_of[ZK_OPCODE_COUNT]; /* its place in the list of addresses */
    uint32_t bases;                       /* bit set: the machine has the pointer in a register */
    bool saved;                           /* the machine has saved its caller's registers */
    zb_text *listing;                     /* NULL: none */
} zk_code;

/* What an architecture is for the emitter. Each function appends to the code. */
struct zk_machine {
    const char *name;
    int32_t registers; /* that hold values: 16 at most, or 32 */
    int32_t near;      /* places of the workspace from 0 on that are cheapest to reach */
    bool (*folds)(int32_t width, zk_action action, int32_t base); /* b may be at this place */
    void (*begin)(zk_code *code);
    void (*load)(zk_code *code, int to, zk_place from);
    void (*store)(zk_code *code, int from, zk_place to);
    void (*act)(zk_code *code, const zk_act *act);
    void (*argument)(zk_code *code, int which, zk_place at); /* 0: to, 1: a, 2: b */
    void (*call)(zk_code *code, int32_t opcode);
    void (*end)(zk_code *code);
};

/* The machine for a width, whatever this processor can do; NULL: there is none. */
const zk_machine *zk_machine_for(int32_t width);

/* x86-64 without AVX-512: 8 lanes, each value in two registers. */
const zk_machine *zk_machine_of_pairs(void);

/* The one whose code this processor can execute; NULL: there is none. */
const zk_machine *zk_machine_here(int32_t width);

/* Makes room for `bytes` more. */
void zk_code_reserve(zk_code *code, size_t bytes);

/* -------------------------------------------------------------- allocation */

typedef struct zk_allocation {
    int32_t slots; /* places of the workspace that are used */
    int64_t loads, stores, folds;
} zk_allocation;

/* Places every step and emits it. */
void zk_allocate(zb_arena *arena, const zk_flow *flow, zk_code *code, zk_allocation *allocation);

/* ---------------------------------------------------------------- emission */

/* The bytes of a program at a width, for whatever processor. Position independent; the entry is at
 * bytes + code_at, what is before are constants and the addresses of functions. */
typedef struct zk_emission {
    zk_native_state state; /* READY, LARGE or FOREIGN */
    uint8_t *bytes;        /* of the arena; NULL unless READY */
    size_t size, code_at;
    zk_order order;
    int32_t steps;
    zk_allocation allocation;
} zk_emission;

/* `listing` may be NULL. A second attempt is listed behind the first. */
void zk_emit(zb_arena *arena, const zk_program *program, int32_t width, zb_text *listing,
             zk_emission *emission);

/* Likewise by a machine, which may be NULL, that is one for this width. */
void zk_emit_by(const zk_machine *machine, zb_arena *arena, const zk_program *program,
                int32_t width, zb_text *listing, zk_emission *emission);

/* ----------------------------------------------------------------- listing */

const char *zk_base_name(int32_t base);
void zk_list_flow(const zk_flow *flow, const zk_machine *machine, zb_text *text);
void zk_list_step(const zk_step *step, zb_text *text);

#endif
