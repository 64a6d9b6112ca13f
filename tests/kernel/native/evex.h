/*
 * A second opinion on machine code: a decoder, a disassembler and an interpreter of the few x86-64
 * instructions that straight-line code consists of, with VEX and EVEX prefixes, written from the
 * processor manual's rules of encoding (Intel SDM volume 2, chapters 2.3, 2.7 and the instructions'
 * pages) and sharing nothing with the emitter. It runs code for instructions that the processor at
 * hand does not have, and sees what hardware lets pass: every access must lie within a region that
 * the caller named, aligned moves are checked, and a call leaves garbage in all registers
 * that a function may use.
 */
#ifndef EVEX_H
#define EVEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------ instructions */

typedef enum evex_encoding { EVEX_LEGACY = 1, EVEX_VEX = 2, EVEX_EVEX = 4 } evex_encoding;

/* The order of operands as people write them: reg and rm are the two of ModRM, v the prefix's. */
typedef enum evex_pattern {
    EVEX_NO_OPERANDS,
    EVEX_REG_RM,
    EVEX_RM_REG,
    EVEX_REG_V_RM,
    EVEX_RM_V_REG,
    EVEX_RM,       /* one operand; with an immediate two */
    EVEX_OPCODE_RM /* the register is in the opcode */
} evex_pattern;

typedef enum evex_class { EVEX_GENERAL, EVEX_VECTOR, EVEX_MASK } evex_class;

typedef enum evex_immediate {
    EVEX_NO_IMMEDIATE,
    EVEX_BYTE,        /* as it is */
    EVEX_PREDICATE,   /* of a comparison, part of the name */
    EVEX_REGISTER,    /* the fourth operand, in the upper half */
    EVEX_SIGNED_BYTE, /* for general registers */
    EVEX_SIGNED_FOUR,
    EVEX_EIGHT
} evex_immediate;

typedef struct evex_form {
    const char *name;
    int encodings, map, prefix, opcode; /* prefix: 0, 0x66, 0xf3 or 0xf2 */
    int w;                              /* 0, 1; ANY: ignored */
    int digit;                          /* in the place of reg; ANY: none */
    evex_pattern pattern;
    evex_class reg, rm;
    evex_immediate immediate;
    bool scalar; /* the lowest number of the vector only; 8 bytes of memory */
    int action;
} evex_form;
enum { EVEX_ANY = -1, EVEX_NO_REGISTER = -1, EVEX_RIP = 16 };

typedef enum evex_action {
    EVEX_MOVE, /* load, store or between registers */
    EVEX_MOVE_ALIGNED,
    EVEX_MOVE_SCALAR,
    EVEX_ADD,
    EVEX_SUB,
    EVEX_MUL,
    EVEX_DIV,
    EVEX_MIN,
    EVEX_MAX,
    EVEX_SQRT,
    EVEX_ROUND,
    EVEX_AND,
    EVEX_AND_NOT,
    EVEX_OR,
    EVEX_XOR,
    EVEX_COMPARE,
    EVEX_BLEND_SIGNS, /* by the upper bits of a fourth register */
    EVEX_BLEND_MASK,
    EVEX_BROADCAST,
    EVEX_MASK_TO_VECTOR,
    EVEX_VECTOR_TO_MASK,
    EVEX_ZERO_UPPER,
    /* general registers */
    EVEX_PUSH,
    EVEX_POP,
    EVEX_CALL,
    EVEX_RETURN,
    EVEX_LEA,
    EVEX_COPY,
    EVEX_PLUS,
    EVEX_MINUS,
    EVEX_NOTHING,
    EVEX_ACTIONS
} evex_action;

typedef struct evex_instruction {
    const evex_form *form;
    evex_encoding encoding;
    int length; /* bytes */
    int w, bytes /* of the vectors: 16, 32 or 64 */;
    int reg, v, rm, fourth; /* register numbers; rm EVEX_NO_REGISTER: memory */
    int base, index, scale; /* of memory; base EVEX_RIP, or none */
    int64_t displacement;
    bool displaced; /* it is there, be it 0 */
    int64_t immediate;
    int mask; /* 0: none */
    bool zeroing, broadcast;
} evex_instruction;

/* False for anything that is not one of the forms, or is encoded as the manual forbids. */
bool evex_decode(const uint8_t *code, size_t available, evex_instruction *instruction);

/* As objdump writes it, in the syntax of the processor's manual. */
enum { EVEX_TEXT = 128 };
void evex_text(const evex_instruction *instruction, char text[EVEX_TEXT]);
extern const char *const evex_predicates[32];

/* ------------------------------------------------------------ the machine */

typedef struct evex_region {
    const char *name;
    const uint8_t *at;
    size_t bytes;
    bool writable;
} evex_region;

enum { EVEX_MOST_REGIONS = 16 };

/* A call: false if there is no such function or its arguments are not right. */
typedef struct evex_machine evex_machine;
typedef bool (*evex_call_fn)(void *user, evex_machine *machine, uint64_t function);

struct evex_machine {
    uint64_t vector[32][8], mask[8], general[16];
    evex_region region[EVEX_MOST_REGIONS];
    int regions;
    evex_call_fn call;
    void *user;
    bool upper_used; /* bits above 128 of a vector register were written since vzeroupper */
    int64_t executed, calls, did[EVEX_ACTIONS];
    char trouble[256]; /* the first thing that is wrong */
};

void evex_allow(evex_machine *machine, const char *name, const void *at, size_t bytes,
                bool writable);

/* Whether [address, address + bytes) lies in one region; if not, says so in `trouble`. */
bool evex_may(evex_machine *machine, uint64_t address, size_t bytes, bool write);

/* Runs code [bytes] from its first byte to the return, with one pointer as argument. All registers
 * begin as garbage. False with `trouble`; also when the return finds registers changed that a
 * function must keep, or upper halves in use. */
bool evex_run(evex_machine *machine, const uint8_t *code, size_t bytes, const void *argument);

#endif
