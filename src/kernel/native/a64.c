/*
 * The machine AArch64: one number in a register, or four in two of them. There are 32 registers of
 * 128 bits, hence 32 values at width 1; at width 4 fifteen pairs, and one register that chooses.
 * None for eight numbers: byte code serves.
 *
 * Every instruction is a word: what it does, the result in bits 0 to 4, the operands from bits 5
 * and 16 on. Operands in memory are loaded first. No product is ever fused with a sum. Minimum and
 * maximum compare and choose, for the instructions of that name treat nan and zeros otherwise.
 *
 * General registers: x19 holds the frame; its pointers, and where the block begins, are fetched
 * when first used, and again after a call, into x3 and so on. Loads reach 4096 entries from there;
 * what is farther away gets its address into x16. A function may expect d8 to d15 as it left them:
 * they are taken last, and saved when the first of them is, for the code has no branches.
 *
 *     sp + 0   x29, x30      16   x19      32   d8 .. d15
 */
#include "native.h"

enum { FRAME = 19, FIRST_BASE = 3, ADDRESS = 16, CHOOSER = 31, FIRST_SAVED = 8, NONE = -1 };
enum { MOST_BYTES = 128, WORD = 4, WHOLE = 16 /* bytes of a register */ };

/* How far loads of 8 and 16 bytes reach, pairs of 16, additions, and addresses from here. */
enum { REACH_8 = 8 * 4095, REACH_16 = 16 * 4095, REACH_PAIR = 16 * 63, REACH_ADD = 4095 };
static const size_t reach_here = (size_t)1 << 20;

/* ------------------------------------------------------------------- words */

static void put_a64_word(zk_code *c, uint32_t word)
{
    for (int k = 0; k < WORD; k++) c->bytes[c->used++] = (uint8_t)(word >> (8 * k));
}

/* A field of five bits. */
static uint32_t field_at(int number, int bit)
{
    return ((uint32_t)number & 31) << bit;
}

/* A line of the listing: the last word, and what it is. */
static void list_word(zk_code *c, const char *format, ...) ZB_PRINTF(2, 3);
static void list_word(zk_code *c, const char *format, ...)
{
    if (!c->listing) return;
    size_t start = c->used - WORD;
    zb_text_printf(c->listing, "%6zx  ", start - c->code_at);
    for (int k = WORD - 1; k >= 0; k--)
        zb_text_printf(c->listing, "%02x", c->bytes[start + (size_t)k]);
    zb_text_add(c->listing, "   ");
    va_list arguments;
    va_start(arguments, format);
    zb_text_vprintf(c->listing, format, arguments);
    va_end(arguments);
    zb_text_char(c->listing, '\n');
}

/* --------------------------------------------------------------- addresses */

/* register <- a number of 32 bits */
static void load_number(zk_code *c, int to, size_t number)
{
    uint32_t low = (uint32_t)number & 0xffff, high = (uint32_t)(number >> 16);
    put_a64_word(c, 0xd2800000u | low << 5 | field_at(to, 0));
    list_word(c, "mov x%d, #%u", to, low);
    if (high == 0) return;
    put_a64_word(c, 0xf2a00000u | high << 5 | field_at(to, 0));
    list_word(c, "movk x%d, #%u, lsl #16", to, high);
}

/* register <- another + a number */
static void add_offset(zk_code *c, int to, int from, size_t number)
{
    if (number <= REACH_ADD) {
        put_a64_word(c, 0x91000000u | (uint32_t)number << 10 | field_at(from, 5) | field_at(to, 0));
        list_word(c, "add x%d, x%d, #%zu", to, from, number);
    } else {
        load_number(c, ADDRESS, number);
        put_a64_word(c, 0x8b000000u | field_at(ADDRESS, 16) | field_at(from, 5) | field_at(to, 0));
        list_word(c, "add x%d, x%d, x%d", to, from, ADDRESS);
    }
}

/* register <- where the block begins, which is c->used bytes before this word */
static void fetch_block(zk_code *c, int to)
{
    size_t back = c->used;
    bool near = back <= reach_here;
    uint32_t distance = near ? 0u - (uint32_t)back : 0;
    put_a64_word(c, 0x10000000u | (distance & 3) << 29 | (distance >> 2 & 0x7ffff) << 5 |
                        field_at(to, 0));
    list_word(c, "adr x%d, %s", to, near ? "block" : "here");
    if (near) return;
    load_number(c, ADDRESS, back);
    put_a64_word(c, 0xcb000000u | field_at(ADDRESS, 16) | field_at(to, 5) | field_at(to, 0));
    list_word(c, "sub x%d, x%d, x%d", to, to, ADDRESS);
}

/* The register that holds a pointer. */
static int base_register(zk_code *c, int32_t base)
{
    int to = FIRST_BASE + base;
    if (c->bases & UINT32_C(1) << base) return to;
    if (base == ZK_AT_CONSTANTS) {
        fetch_block(c, to);
    } else {
        put_a64_word(c, 0xf9400000u | field_at(base, 10) | field_at(FRAME, 5) | field_at(to, 0));
        list_word(c, "ldr x%d, [x%d, #%d]", to, FRAME, 8 * (int)base);
    }
    c->bases |= UINT32_C(1) << base;
    return to;
}

static size_t offset_of(const zk_code *c, zk_place place)
{
    return 8 * (size_t)c->width * (size_t)place.index;
}

/* Where an instruction finds its operand: a register and an offset that it reaches. */
typedef struct address {
    int base;
    uint32_t offset;
} address;

/* Where an operand `offset` bytes behind a pointer is; beyond `most` its address goes into x16. */
static address reach_operand(zk_code *c, int32_t base, size_t offset, size_t most)
{
    int pointer = base_register(c, base);
    if (offset <= most) return (address){pointer, (uint32_t)offset};
    add_offset(c, ADDRESS, pointer, offset);
    return (address){ADDRESS, 0};
}

/* --------------------------------------------------------------- registers */

/* The number of a value's register, or of one of its two. */
static int vector_number(const zk_code *c, int r, int half)
{
    int n = c->width == 1 ? r : 2 * r + half, last = c->width == 1 ? 24 : 22;
    return n < FIRST_SAVED ? n : n < last ? n + 8 : n - last + FIRST_SAVED;
}

/* d8 to d15 from the stack or to it. */
static void move_saved(zk_code *c, uint32_t word, const char *name)
{
    for (int r = FIRST_SAVED; r < FIRST_SAVED + 8; r += 2) {
        put_a64_word(c, word | field_at(4 + r - FIRST_SAVED, 15) | field_at(r + 1, 10) |
                            field_at(31, 5) | field_at(r, 0));
        list_word(c, "%s d%d, d%d, [sp, #%d]", name, r, r + 1, 8 * (4 + r - FIRST_SAVED));
    }
}

/* Before a value's register is written. */
static void save_before_write(zk_code *c, int r)
{
    int first = vector_number(c, r, 0);
    if (c->saved || first < FIRST_SAVED || first >= FIRST_SAVED + 8) return;
    move_saved(c, 0x6d000000u, "stp");
    c->saved = true;
}

/* ------------------------------------------------------------------- moves */

/* Loads or stores one number. */
static void move_one(zk_code *c, bool store, int r, zk_place place)
{
    address a = reach_operand(c, place.base, offset_of(c, place), REACH_8);
    put_a64_word(c, (store ? 0xfd000000u : 0xfd400000u) | a.offset / 8 << 10 | field_at(a.base, 5) |
                        field_at(vector_number(c, r, 0), 0));
    list_word(c, "%s d%d, %s[%d]", store ? "str" : "ldr", vector_number(c, r, 0),
              zk_base_name(place.base), (int)place.index);
}

/* Both halves at once where that reaches them, else one after the other. */
static void move_four(zk_code *c, bool store, int r, zk_place place)
{
    size_t offset = offset_of(c, place);
    bool between = offset > REACH_PAIR && offset + WHOLE <= REACH_16;
    address a = reach_operand(c, place.base, offset, between ? REACH_16 : REACH_PAIR);
    int low = vector_number(c, r, 0), high = vector_number(c, r, 1);
    const char *name = zk_base_name(place.base);
    if (!between) {
        put_a64_word(c, (store ? 0xad000000u : 0xad400000u) | a.offset / WHOLE << 15 |
                            field_at(high, 10) | field_at(a.base, 5) | field_at(low, 0));
        list_word(c, "%s q%d, q%d, %s[%d]", store ? "stp" : "ldp", low, high, name,
                  (int)place.index);
        return;
    }
    for (int half = 0; half < 2; half++) {
        uint32_t entry = a.offset / WHOLE + (uint32_t)half;
        put_a64_word(c, (store ? 0x3d800000u : 0x3dc00000u) | entry << 10 | field_at(a.base, 5) |
                            field_at(vector_number(c, r, half), 0));
        list_word(c, "%s q%d, %s[%d]%s", store ? "str" : "ldr", vector_number(c, r, half), name,
                  (int)place.index, half ? ", high" : "");
    }
}

/* Loads or stores a value, of one number or of four. */
static void move_value(zk_code *c, bool store, int r, zk_place place)
{
    zk_code_reserve(c, MOST_BYTES);
    if (!store) save_before_write(c, r);
    if (c->width == 1)
        move_one(c, store, r, place);
    else
        move_four(c, store, r, place);
}

static void a64_load(zk_code *c, int to, zk_place from)
{
    move_value(c, false, to, from);
}

static void a64_store(zk_code *c, int from, zk_place to)
{
    move_value(c, true, from, to);
}

/* ------------------------------------------------------------------- steps */

/* An instruction on vectors, scalar and packed; `bits` works on bytes. */
typedef struct form {
    const char *name;
    uint32_t scalar, packed;
    bool bits;
    bool exchanged; /* a < b is b > a */
} form;

static const form forms[ZK_ACTION_COUNT] = {
    [ZK_DO_ADD] = {"fadd", 0x1e602800, 0x4e60d400, false, false},
    [ZK_DO_SUB] = {"fsub", 0x1e603800, 0x4ee0d400, false, false},
    [ZK_DO_MUL] = {"fmul", 0x1e600800, 0x6e60dc00, false, false},
    [ZK_DO_DIV] = {"fdiv", 0x1e601800, 0x6e60fc00, false, false},
    [ZK_DO_BITS_AND] = {"and", 0x0e201c00, 0x4e201c00, true, false},
    [ZK_DO_BITS_OR] = {"orr", 0x0ea01c00, 0x4ea01c00, true, false},
    [ZK_DO_BITS_XOR] = {"eor", 0x2e201c00, 0x6e201c00, true, false},
    [ZK_DO_MASK_LT] = {"fcmgt", 0x7ee0e400, 0x6ee0e400, false, true},
    [ZK_DO_MASK_LE] = {"fcmge", 0x7e60e400, 0x6e60e400, false, true},
    [ZK_DO_MASK_EQ] = {"fcmeq", 0x5e60e400, 0x4e60e400, false, false},
    [ZK_DO_MASK_NE] = {"fcmeq", 0x5e60e400, 0x4e60e400, false, false}, /* then inverted */
    [ZK_DO_SQRT] = {"fsqrt", 0x1e61c000, 0x6ee1f800, false, false},
    [ZK_DO_FLOOR] = {"frintm", 0x1e654000, 0x4e619800, false, false},
};

/* to <- y where `to` is set, else z. to <- y where z is set. to <- y where z is not set. */
static const form choose = {"bsl", 0x2e601c00, 0x6e601c00, true, false},
                  insert = {"bit", 0x2ea01c00, 0x6ea01c00, true, false},
                  insert_not = {"bif", 0x2ee01c00, 0x6ee01c00, true, false},
                  invert = {"mvn", 0x2e205800, 0x6e205800, true, false};

/* One word on registers by their numbers; z NONE: there is one operand. */
static void encode_word(zk_code *c, const form *f, int to, int y, int z)
{
    bool scalar = c->width == 1;
    put_a64_word(c, (scalar ? f->scalar : f->packed) | (z < 0 ? 0 : field_at(z, 16)) |
                        field_at(y, 5) | field_at(to, 0));
    if (!c->listing) return;
    const char *letter = scalar && !f->bits ? "d" : "v";
    const char *parts = f->bits ? (scalar ? ".8b" : ".16b") : scalar ? "" : ".2d";
    if (z < 0)
        list_word(c, "%s %s%d%s, %s%d%s", f->name, letter, to, parts, letter, y, parts);
    else
        list_word(c, "%s %s%d%s, %s%d%s, %s%d%s", f->name, letter, to, parts, letter, y, parts,
                  letter, z, parts);
}

/* x < y ? x : y and x > y ? x : y by the flags: first operand if less (mi), if greater (gt). */
static void least_of_two(zk_code *c, bool max, int to, int x, int y)
{
    put_a64_word(c, 0x1e602000u | field_at(y, 16) | field_at(x, 5));
    list_word(c, "fcmp d%d, d%d", x, y);
    put_a64_word(c, 0x1e600c00u | field_at(y, 16) | field_at(max ? 12 : 4, 12) | field_at(x, 5) |
                        field_at(to, 0));
    list_word(c, "fcsel d%d, d%d, d%d, %s", to, x, y, max ? "gt" : "mi");
}

/* The same in all lanes: a mask chooses, in the result's register unless an operand is there. */
static void least_in_lanes(zk_code *c, bool max, int to, int x, int y)
{
    bool taken = to == x || to == y;
    int mask = taken ? CHOOSER : to;
    encode_word(c, &forms[ZK_DO_MASK_LT], mask, max ? x : y, max ? y : x);
    if (!taken)
        encode_word(c, &choose, to, x, y);
    else if (to == x)
        encode_word(c, &insert_not, to, y, mask);
    else
        encode_word(c, &insert, to, x, mask);
}

/* to <- y where the mask is set, else x */
static void blend_values(zk_code *c, int to, int x, int y, int mask)
{
    if (to == mask)
        encode_word(c, &choose, to, y, x);
    else if (to == x)
        encode_word(c, &insert, to, y, mask);
    else if (to == y)
        encode_word(c, &insert_not, to, x, mask);
    else {
        encode_word(c, &forms[ZK_DO_BITS_OR], to, mask, mask);
        encode_word(c, &choose, to, y, x);
    }
}

/* A step on a value's register, or on one of its two: neither half needs anything of the other. */
static void act_on_half(zk_code *c, const zk_act *act, int half)
{
    const form *f = &forms[act->action];
    int to = vector_number(c, act->to, half), y = vector_number(c, act->b, half);
    int x = act->a < 0 ? NONE : vector_number(c, act->a, half);
    bool max = act->action == ZK_DO_MAX;
    if (max || act->action == ZK_DO_MIN) {
        (c->width == 1 ? least_of_two : least_in_lanes)(c, max, to, x, y);
    } else if (act->action == ZK_DO_BLEND) {
        blend_values(c, to, x, y, vector_number(c, act->mask, half));
    } else if (x < 0) {
        encode_word(c, f, to, y, NONE);
    } else {
        encode_word(c, f, to, f->exchanged ? y : x, f->exchanged ? x : y);
        if (act->action == ZK_DO_MASK_NE) encode_word(c, &invert, to, to, NONE);
    }
}

/* One step on registers, in both halves. */
static void a64_act(zk_code *c, const zk_act *act)
{
    zk_code_reserve(c, MOST_BYTES);
    save_before_write(c, act->to);
    act_on_half(c, act, 0);
    if (c->width == 4) act_on_half(c, act, 1);
}

static bool a64_folds(int32_t width, zk_action action, int32_t base)
{
    (void)width, (void)action, (void)base;
    return false;
}

/* ------------------------------------------------------------------- calls */

static void a64_argument(zk_code *c, int which, zk_place place)
{
    zk_code_reserve(c, MOST_BYTES);
    add_offset(c, which, base_register(c, place.base), offset_of(c, place));
}

/* Loads the address of an opcode's function and calls it; after it no pointer is in its
 * register. */
static void a64_call(zk_code *c, int32_t opcode)
{
    zk_code_reserve(c, MOST_BYTES);
    size_t offset = c->functions_at + 8 * (size_t)c->function_of[opcode];
    address a = reach_operand(c, ZK_AT_CONSTANTS, offset, REACH_8);
    put_a64_word(c, 0xf9400000u | a.offset / 8 << 10 | field_at(a.base, 5) | field_at(ADDRESS, 0));
    list_word(c, "ldr x%d, address of %s", ADDRESS, zk_opcodes[opcode].name);
    put_a64_word(c, 0xd63f0000u | field_at(ADDRESS, 5));
    list_word(c, "blr x%d ; call %s", ADDRESS, zk_opcodes[opcode].name);
    c->bases = 0;
}

/* Where an indirect call may land (BTI); room on the stack, and the frame into x19. */
static void a64_begin(zk_code *c)
{
    zk_code_reserve(c, MOST_BYTES);
    put_a64_word(c, 0xd503245f);
    list_word(c, "bti c");
    put_a64_word(c, 0xa9ba7bfd);
    list_word(c, "stp x29, x30, [sp, #-96]!");
    put_a64_word(c, 0x910003fd);
    list_word(c, "mov x29, sp");
    put_a64_word(c, 0xf9000bf3);
    list_word(c, "str x19, [sp, #16]");
    put_a64_word(c, 0xaa0003f3);
    list_word(c, "mov x19, x0");
}

/* Restores what was saved and returns. */
static void a64_end(zk_code *c)
{
    zk_code_reserve(c, MOST_BYTES);
    if (c->saved) move_saved(c, 0x6d400000u, "ldp");
    put_a64_word(c, 0xf9400bf3);
    list_word(c, "ldr x19, [sp, #16]");
    put_a64_word(c, 0xa8c67bfd);
    list_word(c, "ldp x29, x30, [sp], #96");
    put_a64_word(c, 0xd65f03c0);
    list_word(c, "ret");
}

#define MACHINE(text, count, close)                                                                \
    {                                                                                              \
        .name = text, .registers = count, .near = close, .folds = a64_folds, .begin = a64_begin,   \
        .load = a64_load, .store = a64_store, .act = a64_act, .argument = a64_argument,            \
        .call = a64_call, .end = a64_end                                                           \
    }

/* By width; `near` places of the workspace are reached by one load. */
const zk_machine *zk_machine_for(int32_t width)
{
    static const zk_machine one = MACHINE("AArch64, 1 lane", 32, 4096);
    static const zk_machine four = MACHINE("AArch64, NEON, 4 lanes", 15, 32);
    return width == 1 ? &one : width == 4 ? &four : NULL;
}
