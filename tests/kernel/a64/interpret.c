/*
 * The interpreter; see interpret.h. Registers hold real addresses of this process, the stack is an
 * array, functions are called where the block says. Every word is looked up in a table of masks and
 * values after the architecture's manual (Arm ARM, C4.1); no word may match none.
 */
#include "interpret.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "wide.h"

enum { SP = 31, STACK = 64 /* words of 8 bytes */ };
#define GARBAGE UINT64_C(0x7ff0dead0000beef)
#define LINK UINT64_C(0x1234567890abcdef)

typedef struct vector {
    uint64_t half[2];
} vector;

typedef struct processor {
    const uint8_t *block;
    size_t size, at; /* of the next word */
    uint64_t x[32];  /* 31: the stack pointer */
    uint32_t known;  /* general registers that hold something of ours, a bit each */
    vector v[32];
    int relation; /* of the last comparison: -1, 0, 1, or 2 when unordered */
    uint64_t stack[STACK];
    bool done;
    a64_result *result;
} processor;

static void complain(processor *p, const char *what)
{
    if (p->result->trouble[0]) return;
    snprintf(p->result->trouble, sizeof p->result->trouble, "word %zx: %s", p->at - 4, what);
}

/* ------------------------------------------------------------------- words */

/* The fields that registers stand in. */
static int field(uint32_t word, int bit)
{
    return (int)(word >> bit & 31);
}

#define D field(w, 0)
#define N field(w, 5)
#define M field(w, 16)

static void set_x(processor *p, int r, uint64_t number)
{
    p->x[r] = number;
    p->known |= UINT32_C(1) << r;
}

/* An address in a register, plus a distance, where `bytes` are read or written. */
static void *memory(processor *p, int base, int64_t distance, size_t bytes)
{
    uint64_t address = p->x[base] + (uint64_t)distance;
    bool good = (p->known >> base & 1) && address % 8 == 0;
    if (base == SP)
        good = good && address >= (uintptr_t)p->stack &&
               address + bytes <= (uintptr_t)(p->stack + STACK);
    if (good) return (void *)(uintptr_t)address;
    complain(p, "an address from nowhere");
    return p->stack;
}

/* Up to four numbers of 64 bits. What is there are doubles and pointers, hence copies. */
typedef struct numbers {
    uint64_t x[4];
} numbers;

static numbers fetch(processor *p, int base, int64_t distance, size_t bytes)
{
    numbers n = {{0}};
    memcpy(n.x, memory(p, base, distance, bytes), bytes);
    return n;
}

static void keep(processor *p, int base, int64_t distance, size_t bytes, numbers n)
{
    memcpy(memory(p, base, distance, bytes), n.x, bytes);
}

static void set_v(processor *p, int r, uint64_t low, uint64_t high)
{
    if (r >= 8 && r < 16) p->result->saved = true;
    p->v[r] = (vector){{low, high}};
}

/* -------------------------------------------------------------- arithmetic */

typedef uint64_t (*operation)(uint64_t d, uint64_t n, uint64_t m);

#define NUMBERS double x = zb_from_bits(n), y = zb_from_bits(m)
#define ARITHMETIC(name, formula)                                                                  \
    static uint64_t name(uint64_t d, uint64_t n, uint64_t m)                                       \
    {                                                                                              \
        NUMBERS;                                                                                   \
        (void)d, (void)y;                                                                          \
        return (formula);                                                                          \
    }
#define LOGIC(name, formula)                                                                       \
    static uint64_t name(uint64_t d, uint64_t n, uint64_t m)                                       \
    {                                                                                              \
        (void)d, (void)m;                                                                          \
        return (formula);                                                                          \
    }
/* clang-format off */
ARITHMETIC(fadd, zb_bits(x + y))
ARITHMETIC(fsub, zb_bits(x - y))
ARITHMETIC(fmul, zb_bits(x * y))
ARITHMETIC(fdiv, zb_bits(x / y))
ARITHMETIC(fsqrt, zb_bits(sqrt(x)))
ARITHMETIC(frintm, zb_bits(floor(x)))
ARITHMETIC(fcmgt, x > y ? UINT64_MAX : 0)
ARITHMETIC(fcmge, x >= y ? UINT64_MAX : 0)
ARITHMETIC(fcmeq, x == y ? UINT64_MAX : 0)
LOGIC(and, n & m)
LOGIC(orr, n | m)
LOGIC(eor, n ^ m)
LOGIC(bsl, (n & d) | (m & ~d))
LOGIC(bit, (d & ~m) | (n & m))
LOGIC(bif, (d & m) | (n & ~m))
LOGIC(not, ~n)
/* clang-format on */

typedef struct vector_form {
    uint32_t mask, value;
    operation apply;
    bool both; /* halves; else the upper one becomes zero */
} vector_form;

#define THREE 0xffe0fc00u /* registers free, all else given */
#define TWO 0xfffffc00u

static const vector_form vector_forms[] = {
    {THREE, 0x1e602800, fadd, false},  {THREE, 0x4e60d400, fadd, true},
    {THREE, 0x1e603800, fsub, false},  {THREE, 0x4ee0d400, fsub, true},
    {THREE, 0x1e600800, fmul, false},  {THREE, 0x6e60dc00, fmul, true},
    {THREE, 0x1e601800, fdiv, false},  {THREE, 0x6e60fc00, fdiv, true},
    {TWO, 0x1e61c000, fsqrt, false},   {TWO, 0x6ee1f800, fsqrt, true},
    {TWO, 0x1e654000, frintm, false},  {TWO, 0x4e619800, frintm, true},
    {THREE, 0x7ee0e400, fcmgt, false}, {THREE, 0x6ee0e400, fcmgt, true},
    {THREE, 0x7e60e400, fcmge, false}, {THREE, 0x6e60e400, fcmge, true},
    {THREE, 0x5e60e400, fcmeq, false}, {THREE, 0x4e60e400, fcmeq, true},
    {THREE, 0x0e201c00, and, false},   {THREE, 0x4e201c00, and, true},
    {THREE, 0x0ea01c00, orr, false},   {THREE, 0x4ea01c00, orr, true},
    {THREE, 0x2e201c00, eor, false},   {THREE, 0x6e201c00, eor, true},
    {THREE, 0x2e601c00, bsl, false},   {THREE, 0x6e601c00, bsl, true},
    {THREE, 0x2ea01c00, bit, false},   {THREE, 0x6ea01c00, bit, true},
    {THREE, 0x2ee01c00, bif, false},   {THREE, 0x6ee01c00, bif, true},
    {TWO, 0x2e205800, not, false},     {TWO, 0x6e205800, not, true},
};

static bool vector_word(processor *p, uint32_t w)
{
    for (size_t i = 0; i < sizeof vector_forms / sizeof *vector_forms; i++) {
        const vector_form *f = &vector_forms[i];
        if ((w & f->mask) != f->value) continue;
        const uint64_t *d = p->v[D].half, *n = p->v[N].half, *m = p->v[M].half;
        set_v(p, D, f->apply(d[0], n[0], m[0]), f->both ? f->apply(d[1], n[1], m[1]) : 0);
        return true;
    }
    return false;
}

/* fcmp, and fcsel by mi or gt */
static bool choosing_word(processor *p, uint32_t w)
{
    if ((w & 0xffe0fc1fu) == 0x1e602000u) {
        double x = zb_from_bits(p->v[N].half[0]), y = zb_from_bits(p->v[M].half[0]);
        p->relation = x < y ? -1 : x == y ? 0 : x > y ? 1 : 2;
        return true;
    }
    if ((w & 0xffe00c00u) != 0x1e600c00u) return false;
    int condition = (int)(w >> 12 & 15);
    if (condition != 4 && condition != 12) return false;
    bool first = p->relation == (condition == 4 ? -1 : 1);
    set_v(p, D, p->v[first ? N : M].half[0], 0);
    return true;
}

/* ------------------------------------------------------------------ memory */

static int64_t signed_7(uint32_t w)
{
    int64_t x = w >> 15 & 127;
    return x < 64 ? x : x - 128;
}

/* ldr and str with 12 bits of distance in units of what is moved */
static bool single_word(processor *p, uint32_t w)
{
    int64_t distance = w >> 10 & 4095;
    const uint64_t *v = p->v[D].half;
    numbers n;
    switch (w & 0xffc00000u) {
    case 0xfd400000u:
        set_v(p, D, fetch(p, N, 8 * distance, 8).x[0], 0);
        return true;
    case 0xfd000000u:
        keep(p, N, 8 * distance, 8, (numbers){{v[0]}});
        return true;
    case 0xf9400000u:
        set_x(p, D, fetch(p, N, 8 * distance, 8).x[0]);
        return true;
    case 0xf9000000u:
        keep(p, N, 8 * distance, 8, (numbers){{p->x[D]}});
        return true;
    case 0x3dc00000u:
        n = fetch(p, N, 16 * distance, 16);
        set_v(p, D, n.x[0], n.x[1]);
        return true;
    case 0x3d800000u:
        keep(p, N, 16 * distance, 16, (numbers){{v[0], v[1]}});
        return true;
    default:
        return false;
    }
}

/* ldp and stp with 7 */
static bool pair_word(processor *p, uint32_t w)
{
    int64_t distance = signed_7(w);
    int second = field(w, 10);
    const uint64_t *v = p->v[D].half, *u = p->v[second].half;
    numbers n;
    switch (w & 0xffc00000u) {
    case 0xad400000u:
        n = fetch(p, N, 16 * distance, 32);
        set_v(p, D, n.x[0], n.x[1]), set_v(p, second, n.x[2], n.x[3]);
        return true;
    case 0xad000000u:
        keep(p, N, 16 * distance, 32, (numbers){{v[0], v[1], u[0], u[1]}});
        return true;
    case 0x6d400000u:
        n = fetch(p, N, 8 * distance, 16);
        set_v(p, D, n.x[0], 0), set_v(p, second, n.x[1], 0);
        return true;
    case 0x6d000000u:
        keep(p, N, 8 * distance, 16, (numbers){{v[0], u[0]}});
        return true;
    case 0xa9800000u: /* the pointer moves first */
        p->x[N] += (uint64_t)(8 * distance);
        keep(p, N, 0, 16, (numbers){{p->x[D], p->x[second]}});
        return true;
    case 0xa8c00000u: /* it moves afterwards */
        n = fetch(p, N, 0, 16);
        set_x(p, D, n.x[0]), set_x(p, second, n.x[1]);
        p->x[N] += (uint64_t)(8 * distance);
        return true;
    default:
        return false;
    }
}

/* ------------------------------------------------------- numbers and jumps */

static bool general_word(processor *p, uint32_t w)
{
    uint64_t sixteen = w >> 5 & 0xffff;
    int shift = (int)(w >> 21 & 3) * 16;
    if ((w & 0x9f000000u) == 0x10000000u) { /* adr: 21 bits with sign, from this word */
        int64_t distance = (int64_t)((w >> 5 & 0x7ffff) << 2 | (w >> 29 & 3));
        if (distance >= 1 << 20) distance -= 1 << 21;
        set_x(p, D, (uintptr_t)p->block + (uint64_t)((int64_t)(p->at - 4) + distance));
    } else if ((w & 0xff800000u) == 0xd2800000u) {
        set_x(p, D, sixteen << shift);
    } else if ((w & 0xff800000u) == 0xf2800000u) {
        set_x(p, D, (p->x[D] & ~(UINT64_C(0xffff) << shift)) | sixteen << shift);
    } else if ((w & 0xffc00000u) == 0x91000000u) {
        set_x(p, D, p->x[N] + (w >> 10 & 4095));
    } else if ((w & THREE) == 0x8b000000u) {
        set_x(p, D, p->x[N] + p->x[M]);
    } else if ((w & THREE) == 0xcb000000u) {
        set_x(p, D, p->x[N] - p->x[M]);
    } else if ((w & 0xffe0ffe0u) == 0xaa0003e0u) {
        set_x(p, D, p->x[M]);
    } else {
        return false;
    }
    return true;
}

/* Calls, then spoils what the function might have: x0 to x18, x30, and of the vectors all but the
 * lower halves of 8 to 15. */
static void call(processor *p, uint64_t address)
{
    zk_lane_fn function;
    double *arguments[3];
    memcpy(&function, &address, sizeof function);
    memcpy(arguments, p->x, sizeof arguments);
    if ((p->known & 3) != 3 || p->x[SP] % 16 != 0) {
        complain(p, "a call without arguments or a stack");
        return;
    }
    function(arguments[0], arguments[1], arguments[2]);
    for (int r = 0; r < 19; r++) p->x[r] = GARBAGE;
    p->known &= ~UINT32_C(0x7ffff);
    for (int r = 0; r < 32; r++) {
        p->v[r].half[1] = GARBAGE;
        if (r < 8 || r >= 16) p->v[r].half[0] = GARBAGE;
    }
    p->x[30] = (uintptr_t)p->block + p->at;
    p->result->calls++;
}

static bool jumping_word(processor *p, uint32_t w)
{
    if ((w & 0xfffffc1fu) == 0xd63f0000u) {
        call(p, p->x[N]);
        return true;
    }
    if (w == 0xd503245fu) { /* bti c: at the entry only */
        if (p->result->words != 1) complain(p, "a landing in the middle");
        return true;
    }
    if (w != 0xd65f03c0u) return false;
    if (p->x[30] != LINK) complain(p, "a return to nowhere");
    p->done = true;
    return true;
}

/* --------------------------------------------------------------- the whole */

static void step(processor *p)
{
    if (p->at + 4 > p->size) {
        p->at += 4;
        complain(p, "no return");
        return;
    }
    const uint8_t *b = p->block + p->at;
    uint32_t w = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    p->at += 4;
    p->result->words++;
    if (!vector_word(p, w) && !choosing_word(p, w) && !single_word(p, w) && !pair_word(p, w) &&
        !general_word(p, w) && !jumping_word(p, w))
        complain(p, "an unknown instruction");
}

static void start(processor *p, const zk_frame *frame)
{
    for (int r = 0; r < 32; r++) {
        p->x[r] = GARBAGE + (uint64_t)r;
        p->v[r] = (vector){{GARBAGE + 100 + (uint64_t)r, GARBAGE}};
    }
    p->x[0] = (uintptr_t)frame;
    p->x[30] = LINK;
    p->x[SP] = ((uintptr_t)p->stack + 8 * (STACK - 4)) & ~(uint64_t)15;
    p->known = UINT32_C(1) | UINT32_C(1) << SP;
}

static void check_kept(processor *p, uint64_t stack)
{
    for (int r = 19; r < 30; r++)
        if (p->x[r] != GARBAGE + (uint64_t)r) complain(p, "a general register is not kept");
    for (int r = 8; r < 16; r++)
        if (p->v[r].half[0] != GARBAGE + 100 + (uint64_t)r) complain(p, "d8 to d15 are not kept");
    if (p->x[SP] != stack) complain(p, "the stack is not where it was");
}

bool a64_run(const zk_emission *emission, const zk_frame *frame, a64_result *result)
{
    processor p = {.block = emission->bytes,
                   .size = emission->size,
                   .at = emission->code_at,
                   .result = result};
    *result = (a64_result){.words = 0};
    start(&p, frame);
    uint64_t stack = p.x[SP];
    while (!p.done && !result->trouble[0]) step(&p);
    if (!result->trouble[0]) check_kept(&p, stack);
    return !result->trouble[0];
}
