/*
 * The machine x86-64: AVX on one number or four, with 16 registers and VEX prefixes, and on eight
 * numbers AVX-512, with 32 registers and EVEX prefixes, or AVX in pairs: register r of 8 is the two
 * r and r + 8 with four numbers each, and every instruction is there twice. The two halves do not
 * wait for each other, which hides much of what divisions and roots take.
 *
 * General registers: rbx holds the frame; the frame's pointers are fetched when first used, and
 * again after a call, into the registers below. They point into the middle of what a displacement
 * of one byte reaches, for long straight-line code is as fast as it is short: hence also the prefix
 * of two bytes wherever it will do. Constants are addressed from the instruction pointer; they
 * stand before the code.
 *
 * A prefix holds the bits of the register numbers that do not fit behind the opcode, inverted, the
 * first operand (v), the map and mandatory prefix of the opcode, and the length of vectors.
 */
#include <string.h>

#include "native.h"

/* General registers by number. */
enum { RAX, RCX, RDX, RBX, RSI = 6, RDI = 7, R8, R9, R10 };

static const uint8_t register_of_base[] = {
    [ZK_AT_TIME] = R10,
    [ZX_POSITION - ZX_TIME] = RDX,
    [ZX_VELOCITY - ZX_TIME] = RSI,
    [ZX_ACCELERATION - ZX_TIME] = R8,
    [ZX_VALUE - ZX_TIME] = RDI,
    [ZX_MEASURE - ZX_TIME] = R9,
    [ZK_AT_OUT] = RCX,
    [ZK_AT_WORKSPACE] = RAX,
};

static const char *const general[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                      "rsi", "rdi", "r8",  "r9",  "r10"};

enum { MOST_BYTES = 48, NONE = -1 };
enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };
enum { PREFIX_66 = 1, PREFIX_F3 = 2, PREFIX_F2 = 3 };

/* ------------------------------------------------------------------- bytes */

static void put_byte(zk_code *c, unsigned x)
{
    c->bytes[c->used++] = (uint8_t)x;
}

static void put_four_bytes(zk_code *c, int32_t x)
{
    uint32_t bits = (uint32_t)x;
    for (int k = 0; k < 4; k++) put_byte(c, (bits >> (8 * k)) & 0xff);
}

/* A line of the listing: the bytes since `start`, then the instruction. */
static void list_instruction(zk_code *c, size_t start, const char *format, ...) ZB_PRINTF(3, 4);
static void list_instruction(zk_code *c, size_t start, const char *format, ...)
{
    if (!c->listing) return;
    zb_text_printf(c->listing, "%6zx ", start - c->code_at);
    for (size_t i = start; i < c->used; i++) zb_text_printf(c->listing, " %02x", c->bytes[i]);
    zb_text_repeat(c->listing, ' ', 3 * (12 - (c->used - start < 12 ? c->used - start : 11)));
    va_list arguments;
    va_start(arguments, format);
    zb_text_vprintf(c->listing, format, arguments);
    va_end(arguments);
    zb_text_char(c->listing, '\n');
}

static int32_t entry_bytes(const zk_code *c)
{
    return 8 * c->width;
}

/* Only EVEX has 32 registers. */
static bool is_evex(const zk_code *c)
{
    return c->machine->registers == 32;
}

/* Eight numbers in two registers, HALF of them in each. */
enum { HALF = 4, OTHER_HALF = 8 /* in the second, this many registers on */ };
static bool is_pair(const zk_code *c)
{
    return c->width == 2 * HALF && !is_evex(c);
}

/* Displacements of one byte count bytes, with EVEX entries. */
static int32_t short_unit(const zk_code *c)
{
    return is_evex(c) ? entry_bytes(c) : 1;
}

/* How far behind the start of its array a pointer's register points. */
static int32_t pointer_bias(const zk_code *c, int32_t base)
{
    return base == ZK_AT_TIME ? 0 : 128 * short_unit(c);
}

/* REX.W for a register behind the opcode and one in front of it. */
static unsigned rex_prefix(int front, int behind)
{
    return 0x48u | (front >= 8 ? 4u : 0u) | (behind >= 8 ? 1u : 0u);
}

/* register <- the frame's pointer */
static void fetch_frame_pointer(zk_code *c, int to, int32_t base)
{
    size_t start = c->used;
    put_byte(c, rex_prefix(to, 0));
    put_byte(c, 0x8b);
    put_byte(c, 0x40u | (unsigned)(to & 7) << 3 | RBX);
    put_byte(c, (unsigned)base * 8);
    list_instruction(c, start, "mov %s, [rbx+%d]", general[to], (int)base * 8);
}

/* register <- register + number */
static void add_immediate(zk_code *c, int to, int32_t number)
{
    size_t start = c->used;
    if (number == 0) return;
    put_byte(c, rex_prefix(0, to));
    if (number == 128) { /* minus -128 is shorter */
        put_byte(c, 0x83);
        put_byte(c, 0xe8u | (unsigned)(to & 7));
        put_byte(c, 0x80);
    } else {
        put_byte(c, 0x81);
        put_byte(c, 0xc0u | (unsigned)(to & 7));
        put_four_bytes(c, number);
    }
    list_instruction(c, start, "add %s, %d", general[to], (int)number);
}

/* Fetches a pointer of the frame into its register, unless it is there. */
static void fetch_base(zk_code *c, int32_t base)
{
    if (base >= ZK_AT_CONSTANTS || (c->bases & UINT32_C(1) << base)) return;
    fetch_frame_pointer(c, register_of_base[base], base);
    add_immediate(c, register_of_base[base], pointer_bias(c, base));
    c->bases |= UINT32_C(1) << base;
}

/* ------------------------------------------------------------ instructions */

/* Opcodes that are treated apart. */
enum { LOAD = 0x10, STORE = 0x11, COMPARE = 0xc2, FROM_MASK = 0x38, TO_MASK = 0x39, BLEND = 0x4b };

/* An instruction on vectors: how it is written, and what goes into its bytes. */
typedef struct form {
    const char *name;
    uint8_t map, prefix, opcode;
    int immediate; /* NONE: there is none */
} form;

/* Registers and place of one instruction; reg is the result, or what is stored. */
typedef struct operands {
    int reg, v, rm; /* v NONE: there is none; rm NONE: in memory */
    zk_place place;
    int mask;      /* EVEX: the mask register, 0: none */
    int32_t ahead; /* bytes from the place on */
} operands;

/* The bits of a register that go into a prefix, inverted: bit 3 or 4 at place `to`. */
static unsigned high_bit(int r, int bit, int to)
{
    return (~(unsigned)r >> bit & 1u) << to;
}

/* The prefix of VEX, of two bytes where that will do. The functions here append at p and return
 * what follows: p stays in a register. */
static uint8_t *put_vex(uint8_t *p, const zk_code *c, const form *f, const operands *o, int base)
{
    int rm = o->rm >= 0 ? o->rm : base, v = o->v < 0 ? 0 : o->v;
    unsigned last = (unsigned)(~v & 15) << 3 | (c->width > 1 ? 4u : 0u) | f->prefix;
    if (f->map == MAP_0F && rm < 8) {
        *p++ = 0xc5;
        *p++ = (uint8_t)(high_bit(o->reg, 3, 7) | last);
    } else {
        *p++ = 0xc4;
        *p++ = (uint8_t)(high_bit(o->reg, 3, 7) | 1u << 6 | high_bit(rm, 3, 5) | f->map);
        *p++ = (uint8_t)last;
    }
    return p;
}

/* Likewise the prefix of EVEX, always of four bytes. */
static uint8_t *put_evex(uint8_t *p, const form *f, const operands *o, int base)
{
    int rm = o->rm >= 0 ? o->rm : base, v = o->v < 0 ? 0 : o->v;
    *p++ = 0x62;
    *p++ = (uint8_t)(high_bit(o->reg, 3, 7) | high_bit(o->rm >= 0 ? rm : 0, 4, 6) |
                     high_bit(rm, 3, 5) | high_bit(o->reg, 4, 4) | f->map);
    *p++ = (uint8_t)(1u << 7 | (unsigned)(~v & 15) << 3 | 1u << 2 | f->prefix);
    *p++ = (uint8_t)(2u << 5 | high_bit(v, 4, 3) | (unsigned)o->mask);
    return p;
}

/* Four bytes of x, the least first. */
static uint8_t *put_displacement(uint8_t *p, int64_t x)
{
    uint32_t bits = (uint32_t)(uint64_t)x;
    for (int k = 0; k < 4; k++) *p++ = (uint8_t)(bits >> (8 * k));
    return p;
}

/* ModRM and displacement of a place behind a register. */
static uint8_t *put_indirect(uint8_t *p, int reg, int base, int32_t at, int32_t unit)
{
    unsigned rest = (unsigned)(reg & 7) << 3 | (unsigned)(base & 7);
    int32_t shorter = unit == 1 ? at : at / unit; /* entries are whole units */
    if (at == 0) {
        *p++ = (uint8_t)rest;
    } else if (shorter >= -128 && shorter < 128) {
        *p++ = (uint8_t)(0x40u | rest);
        *p++ = (uint8_t)shorter;
    } else {
        *p++ = (uint8_t)(0x80u | rest);
        p = put_displacement(p, at);
    }
    return p;
}

/* ModRM and displacement of a place in the block; `more` bytes of the instruction follow. */
static uint8_t *put_relative(uint8_t *p, const zk_code *c, int reg, size_t place, int more)
{
    *p++ = (uint8_t)((reg & 7) << 3 | 5);
    return put_displacement(p, (int64_t)place - (p + 4 + more - c->bytes));
}

static void list_form(zk_code *c, size_t start, const form *f, const operands *o);

/* One instruction on vectors: prefix, opcode, operands, immediate. */
static void encode_instruction(zk_code *c, const form *f, const operands *o)
{
    int32_t base = o->rm >= 0 ? 0 : o->place.base, index = o->place.index;
    if (o->rm < 0) fetch_base(c, base);
    int pointer = base < ZK_AT_CONSTANTS ? register_of_base[base] : 0;
    int32_t offset = index * entry_bytes(c) + o->ahead;
    size_t start = c->used;
    uint8_t *p = c->bytes + start;
    p = is_evex(c) ? put_evex(p, f, o, pointer) : put_vex(p, c, f, o, pointer);
    *p++ = f->opcode;
    if (o->rm >= 0)
        *p++ = (uint8_t)(0xc0u | (unsigned)(o->reg & 7) << 3 | (unsigned)(o->rm & 7));
    else if (base == ZK_AT_CONSTANTS)
        p = put_relative(p, c, o->reg, (size_t)offset, f->immediate >= 0);
    else
        p = put_indirect(p, o->reg, pointer, offset - pointer_bias(c, base), short_unit(c));
    if (f->immediate >= 0) *p++ = (uint8_t)f->immediate;
    c->used = (size_t)(p - c->bytes);
    if (c->listing) list_form(c, start, f, o);
}

static bool blends_by_register(const form *f)
{
    return f->map == MAP_0F3A && f->opcode == BLEND;
}

/* An instruction on all lanes: of pairs it is there twice, once for each half. */
static void encode_vector(zk_code *c, const form *f, const operands *o)
{
    encode_instruction(c, f, o);
    if (!is_pair(c)) return;
    form form_2 = *f;
    operands o_2 = *o;
    o_2.reg += OTHER_HALF;
    if (o->v >= 0) o_2.v += OTHER_HALF;
    if (o->rm >= 0) o_2.rm += OTHER_HALF;
    o_2.ahead = HALF * 8;
    if (blends_by_register(f)) form_2.immediate += OTHER_HALF << 4;
    encode_instruction(c, &form_2, &o_2);
}

/* ----------------------------------------------------------------- listing */

static void list_register(const zk_code *c, zb_text *text, bool is_mask, int r)
{
    const char *vector = is_evex(c) ? "zmm" : c->width > 1 ? "ymm" : "xmm";
    zb_text_printf(text, "%s%d", is_mask ? "k" : vector, r);
}

/* Which operands of an EVEX instruction are mask registers. */
static bool masks_reg(const zk_code *c, const form *f)
{
    return is_evex(c) && ((f->map == MAP_0F && f->opcode == COMPARE) ||
                          (f->map == MAP_0F38 && f->opcode == TO_MASK));
}

static bool masks_rm(const zk_code *c, const form *f)
{
    return is_evex(c) && f->map == MAP_0F38 && f->opcode == FROM_MASK;
}

/* The line of the listing of an instruction on vectors. */
static void list_form(zk_code *c, size_t start, const form *f, const operands *o)
{
    char buffer[96];
    zb_text text;
    zb_text_init_fixed(&text, buffer, sizeof buffer);
    zb_text_printf(&text, "%s ", f->name);
    list_register(c, &text, masks_reg(c, f), o->reg);
    if (o->mask) zb_text_printf(&text, "{k%d}", o->mask);
    if (o->v >= 0) {
        zb_text_add(&text, ", ");
        list_register(c, &text, false, o->v);
    }
    zb_text_add(&text, f->map == MAP_0F && f->opcode == STORE ? " -> " : ", ");
    if (o->rm >= 0)
        list_register(c, &text, masks_rm(c, f), o->rm);
    else
        zb_text_printf(&text, "%s[%d]%s", zk_base_name(o->place.base), (int)o->place.index,
                       o->ahead > 0 ? " + 32" : "");
    if (blends_by_register(f)) {
        zb_text_add(&text, ", ");
        list_register(c, &text, false, f->immediate >> 4);
    } else if (f->immediate >= 0) {
        zb_text_printf(&text, ", %d", f->immediate);
    }
    list_instruction(c, start, "%s", buffer);
}

/* ------------------------------------------------------------------- steps */

/* The instruction of an action that needs no special care. */
typedef struct shape {
    const char *scalar, *packed;
    uint8_t opcode;
    bool bits;     /* on 128 bits where the others are scalar */
    int predicate; /* of a comparison, or NONE */
} shape;

/* Comparisons do not signal: 0x11 less, 0x12 less or equal, 0 equal, 4 not equal or unordered. */
static const shape shapes[ZK_ACTION_COUNT] = {
    [ZK_DO_ADD] = {"vaddsd", "vaddpd", 0x58, false, NONE},
    [ZK_DO_SUB] = {"vsubsd", "vsubpd", 0x5c, false, NONE},
    [ZK_DO_MUL] = {"vmulsd", "vmulpd", 0x59, false, NONE},
    [ZK_DO_DIV] = {"vdivsd", "vdivpd", 0x5e, false, NONE},
    [ZK_DO_MIN] = {"vminsd", "vminpd", 0x5d, false, NONE},
    [ZK_DO_MAX] = {"vmaxsd", "vmaxpd", 0x5f, false, NONE},
    [ZK_DO_BITS_AND] = {"vandpd", "vandpd", 0x54, true, NONE},
    [ZK_DO_BITS_OR] = {"vorpd", "vorpd", 0x56, true, NONE},
    [ZK_DO_BITS_XOR] = {"vxorpd", "vxorpd", 0x57, true, NONE},
    [ZK_DO_MASK_LT] = {"vcmpsd", "vcmppd", COMPARE, false, 0x11},
    [ZK_DO_MASK_LE] = {"vcmpsd", "vcmppd", COMPARE, false, 0x12},
    [ZK_DO_MASK_EQ] = {"vcmpsd", "vcmppd", COMPARE, false, 0x00},
    [ZK_DO_MASK_NE] = {"vcmpsd", "vcmppd", COMPARE, false, 0x04},
};

/* Sums, products, bits and comparisons: the instruction of the table `shapes`. */
static void arithmetic_act(zk_code *c, const zk_act *act)
{
    const shape *s = &shapes[act->action];
    bool scalar = c->width == 1;
    form f = {.name = scalar ? s->scalar : s->packed,
              .map = MAP_0F,
              .prefix = scalar && !s->bits ? PREFIX_F2 : PREFIX_66,
              .opcode = s->opcode,
              .immediate = s->predicate};
    operands o = {.reg = act->to, .v = act->a, .rm = act->b, .place = act->place};
    /* EVEX compares into a mask register, whose bits then become the lanes' */
    if (is_evex(c) && s->predicate >= 0) {
        static const form widen = {"vpmovm2q", MAP_0F38, PREFIX_F3, FROM_MASK, NONE};
        o.reg = 1;
        encode_vector(c, &f, &o);
        encode_vector(c, &widen, &(operands){.reg = act->to, .v = NONE, .rm = 1});
    } else {
        encode_vector(c, &f, &o);
    }
}

/* The scalar forms take the upper half of a register, of any: of the operand rather than of the
 * result, which nobody has to wait for. */
static void unary_act(zk_code *c, const zk_act *act)
{
    static const form root = {"vsqrtpd", MAP_0F, PREFIX_66, 0x51, NONE},
                      root_scalar = {"vsqrtsd", MAP_0F, PREFIX_F2, 0x51, NONE},
                      down = {"vroundpd", MAP_0F3A, PREFIX_66, 0x09, 9},
                      down_eight = {"vrndscalepd", MAP_0F3A, PREFIX_66, 0x09, 9},
                      down_scalar = {"vroundsd", MAP_0F3A, PREFIX_66, 0x0b, 9};
    bool scalar = c->width == 1, is_root = act->action == ZK_DO_SQRT;
    operands o = {.reg = act->to, .v = NONE, .rm = act->b, .place = act->place};
    if (scalar) o.v = act->b >= 0 ? act->b : act->to;
    if (is_root)
        encode_vector(c, scalar ? &root_scalar : &root, &o);
    else
        encode_vector(c, scalar ? &down_scalar : is_evex(c) ? &down_eight : &down, &o);
}

/* A choice by mask, which EVEX has in a mask register, AVX in a vector. */
static void blend_act(zk_code *c, const zk_act *act)
{
    operands o = {.reg = act->to, .v = act->a, .rm = act->b, .place = act->place};
    if (is_evex(c)) {
        static const form narrow = {"vpmovq2m", MAP_0F38, PREFIX_F3, TO_MASK, NONE},
                          blend = {"vblendmpd", MAP_0F38, PREFIX_66, 0x65, NONE};
        encode_vector(c, &narrow, &(operands){.reg = 1, .v = NONE, .rm = act->mask});
        o.mask = 1;
        encode_vector(c, &blend, &o);
    } else {
        form blend = {"vblendvpd", MAP_0F3A, PREFIX_66, BLEND, act->mask << 4};
        encode_vector(c, &blend, &o);
    }
}

/* One step on registers, by the kind of its action. */
static void x86_act(zk_code *c, const zk_act *act)
{
    zk_code_reserve(c, MOST_BYTES);
    if (act->action == ZK_DO_BLEND)
        blend_act(c, act);
    else if (act->action == ZK_DO_SQRT || act->action == ZK_DO_FLOOR)
        unary_act(c, act);
    else
        arithmetic_act(c, act);
}

/* A scalar instruction that reads 16 bytes reads beyond its operand, which only the block allows.
 */
static bool x86_folds(int32_t width, zk_action action, int32_t base)
{
    bool whole = action == ZK_DO_BLEND || shapes[action].bits;
    return width > 1 || !whole || base == ZK_AT_CONSTANTS;
}

/* Loads or stores a register. */
static void move_vector(zk_code *c, uint8_t opcode, int reg, zk_place place)
{
    form f = {.name = c->width == 1 ? "vmovsd" : "vmovupd",
              .map = MAP_0F,
              .prefix = c->width == 1 ? PREFIX_F2 : PREFIX_66,
              .opcode = opcode,
              .immediate = NONE};
    zk_code_reserve(c, MOST_BYTES);
    encode_vector(c, &f, &(operands){.reg = reg, .v = NONE, .rm = NONE, .place = place});
}

static void x86_load(zk_code *c, int to, zk_place from)
{
    move_vector(c, LOAD, to, from);
}

static void x86_store(zk_code *c, int from, zk_place to)
{
    move_vector(c, STORE, from, to);
}

/* ------------------------------------------------------------------- calls */

static void set_end(zk_code *c, const uint8_t *end)
{
    c->used = (size_t)(end - c->bytes);
}

/* The address of a place into the register of an argument. */
static void x86_argument(zk_code *c, int which, zk_place at)
{
    static const uint8_t registers[] = {RDI, RSI, RDX};
    int to = registers[which];
    zk_code_reserve(c, MOST_BYTES);
    c->bases = 0; /* arguments go where pointers are */
    if (at.base == ZK_AT_CONSTANTS) {
        size_t start = c->used;
        put_byte(c, rex_prefix(to, 0));
        put_byte(c, 0x8d);
        set_end(c, put_relative(c->bytes + c->used, c, to,
                                (size_t)at.index * (size_t)entry_bytes(c), 0));
        list_instruction(c, start, "lea %s, constant[%d]", general[to], (int)at.index);
    } else {
        fetch_frame_pointer(c, to, at.base);
        add_immediate(c, to, at.index * entry_bytes(c));
    }
}

/* No other code should find the upper halves of registers in use. */
static void zero_upper(zk_code *c)
{
    size_t start = c->used;
    if (c->width == 1) return;
    put_byte(c, 0xc5);
    put_byte(c, 0xf8);
    put_byte(c, 0x77);
    list_instruction(c, start, "vzeroupper");
}

/* Calls the function of an opcode; after it no pointer is in its register. */
static void x86_call(zk_code *c, int32_t opcode)
{
    zk_code_reserve(c, MOST_BYTES);
    zero_upper(c);
    size_t start = c->used;
    put_byte(c, 0xff);
    size_t address = c->functions_at + sizeof(void *) * (size_t)c->function_of[opcode];
    set_end(c, put_relative(c->bytes + c->used, c, 2, address, 0));
    list_instruction(c, start, "call %s", zk_opcodes[opcode].name);
    c->bases = 0;
}

/* Where an indirect call may land, for processors that look (CET). Saving rbx also aligns the stack for
 * calls. */
static void x86_begin(zk_code *c)
{
    static const unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t start = c->used;
    zk_code_reserve(c, MOST_BYTES);
    for (size_t k = 0; k < sizeof landing; k++) put_byte(c, landing[k]);
    list_instruction(c, start, "endbr64");
    start = c->used;
    put_byte(c, 0x53);
    list_instruction(c, start, "push rbx");
    start = c->used;
    put_byte(c, 0x48);
    put_byte(c, 0x89);
    put_byte(c, 0xfb);
    list_instruction(c, start, "mov rbx, rdi");
}

/* Restores rbx and returns. */
static void x86_end(zk_code *c)
{
    zk_code_reserve(c, MOST_BYTES);
    zero_upper(c);
    size_t start = c->used;
    put_byte(c, 0x5b);
    list_instruction(c, start, "pop rbx");
    start = c->used;
    put_byte(c, 0xc3);
    list_instruction(c, start, "ret");
}

#define MACHINE(text, count, close)                                                                \
    {                                                                                              \
        .name = text, .registers = count, .near = close, .folds = x86_folds, .begin = x86_begin,   \
        .load = x86_load, .store = x86_store, .act = x86_act, .argument = x86_argument,            \
        .call = x86_call, .end = x86_end                                                           \
    }

/* By width; `near` places of the workspace have displacements of one byte. */
const zk_machine *zk_machine_for(int32_t width)
{
    static const zk_machine machines[ZK_WIDTHS] = {MACHINE("x86-64, AVX, 1 lane", 16, 32),
                                                   MACHINE("x86-64, AVX2, 4 lanes", 16, 8),
                                                   MACHINE("x86-64, AVX-512, 8 lanes", 32, 256)};
    return &machines[zk_width_index(width)];
}

const zk_machine *zk_machine_of_pairs(void)
{
    static const zk_machine machine = MACHINE("x86-64, AVX2, 8 lanes in pairs", OTHER_HALF, 4);
    return &machine;
}
