/*
 * The interpreter: registers, regions of memory and one function an action. Numbers are computed by
 * the compiler's double arithmetic, one lane after the other, with the manual's rules for what is
 * not symmetric: the second operand of min and max wins unless the comparison holds, comparisons by
 * their predicate's truth table, merging and zeroing by masks, and bits above the vector become 0.
 */
#include "evex.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, LANES = 8 };
#define GARBAGE UINT64_C(0x7ff4dead00000000) /* a number that spoils all it meets */

/* ------------------------------------------------------------------ memory */

static bool complain(evex_machine *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool complain(evex_machine *m, const char *format, ...)
{
    if (m->trouble[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(m->trouble, sizeof m->trouble, format, arguments);
        va_end(arguments);
    }
    return false;
}

void evex_allow(evex_machine *m, const char *name, const void *at, size_t bytes, bool writable)
{
    if (m->regions < EVEX_MOST_REGIONS)
        m->region[m->regions++] = (evex_region){name, at, bytes, writable};
    else
        complain(m, "too many regions");
}

bool evex_may(evex_machine *m, uint64_t address, size_t bytes, bool write)
{
    for (int k = 0; k < m->regions; k++) {
        const evex_region *r = &m->region[k];
        uint64_t from = (uintptr_t)r->at;
        if (address < from || address >= from + r->bytes) continue;
        if (from + r->bytes - address < bytes)
            return complain(m, "%zu bytes at %s + %" PRIu64 " of %zu", bytes, r->name,
                            address - from, r->bytes);
        return write && !r->writable ? complain(m, "%s must not be written", r->name) : true;
    }
    return complain(m, "%s of %zu bytes at 0x%" PRIx64 ", where nothing is",
                    write ? "a write" : "a read", bytes, address);
}

static bool load(evex_machine *m, uint64_t address, void *to, size_t bytes)
{
    if (!evex_may(m, address, bytes, false)) return false;
    memcpy(to, (const void *)(uintptr_t)address, bytes);
    return true;
}

static bool store(evex_machine *m, uint64_t address, const void *from, size_t bytes)
{
    if (!evex_may(m, address, bytes, true)) return false;
    memcpy((void *)(uintptr_t)address, from, bytes);
    return true;
}

/* `end` is the address of the next instruction. */
static uint64_t address_of(const evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t address = (uint64_t)i->displacement;
    if (i->base == EVEX_RIP)
        address += end;
    else if (i->base >= 0)
        address += m->general[i->base];
    if (i->index >= 0) address += m->general[i->index] * (uint64_t)i->scale;
    return address;
}

/* ----------------------------------------------------------------- vectors */

static int lanes_of(const evex_instruction *i)
{
    return i->form->scalar ? 1 : i->bytes / 8;
}

static bool lane_on(const evex_machine *m, const evex_instruction *i, int lane)
{
    return i->mask == 0 || (m->mask[i->mask] >> lane & 1);
}

/* The operand rm: a register, memory, or one number of memory for all lanes. */
static bool source(evex_machine *m, const evex_instruction *i, uint64_t end, uint64_t x[LANES])
{
    memset(x, 0, LANES * sizeof *x);
    if (i->rm >= 0) {
        memcpy(x, m->vector[i->rm], (size_t)i->bytes);
        return true;
    }
    uint64_t address = address_of(m, i, end);
    size_t bytes = i->form->scalar || i->broadcast ? 8 : (size_t)i->bytes;
    if (i->form->action == EVEX_MOVE_ALIGNED && address % bytes != 0)
        return complain(m, "a move that must be aligned at 0x%" PRIx64, address);
    if (!load(m, address, x, bytes)) return false;
    for (int l = 1; i->broadcast && l < lanes_of(i); l++) x[l] = x[0];
    return true;
}

/* Writes a vector register: lanes that are off keep their bits or become 0, those above are 0.
 * Of a scalar result the rest of 128 bits comes from v. */
static void result(evex_machine *m, const evex_instruction *i, int to, const uint64_t x[LANES])
{
    uint64_t old[LANES], upper = m->vector[i->v][1];
    memcpy(old, m->vector[to], sizeof old);
    memset(m->vector[to], 0, sizeof old);
    for (int l = 0; l < lanes_of(i); l++)
        m->vector[to][l] = lane_on(m, i, l) ? x[l] : i->zeroing ? 0 : old[l];
    if (i->form->scalar) m->vector[to][1] = upper;
    if (i->bytes > 16 && !i->form->scalar) m->upper_used = true;
}

static double number(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ------------------------------------------------------------------ lanes */

/* The manual's table of predicates, 0 to 15: the relations for which they hold; 16 to 31 differ in
 * what they signal only. */
static bool holds(int64_t predicate, double x, double y)
{
    enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
    static const uint8_t when[16] = {
        EQUAL,
        LESS,
        LESS | EQUAL,
        UNORDERED,
        LESS | GREATER | UNORDERED,
        EQUAL | GREATER | UNORDERED,
        GREATER | UNORDERED,
        LESS | EQUAL | GREATER,
        EQUAL | UNORDERED,
        LESS | UNORDERED,
        LESS | EQUAL | UNORDERED,
        0,
        LESS | GREATER,
        GREATER | EQUAL,
        GREATER,
        LESS | EQUAL | GREATER | UNORDERED,
    };
    int relation = x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : UNORDERED;
    return when[predicate & 15] & relation;
}

/* Bits 0 and 1: to nearest, down, up, to zero; 4 to 7 the binary places to keep: none here. */
static uint64_t rounded(int64_t how, double x)
{
    switch (how & 3) {
    case 0:
        return bits_of(nearbyint(x));
    case 1:
        return bits_of(floor(x));
    case 2:
        return bits_of(ceil(x));
    default:
        return bits_of(trunc(x));
    }
}

static uint64_t compute(const evex_instruction *i, uint64_t a, uint64_t b)
{
    double x = number(a), y = number(b);
    switch (i->form->action) {
    case EVEX_ADD:
        return bits_of(x + y);
    case EVEX_SUB:
        return bits_of(x - y);
    case EVEX_MUL:
        return bits_of(x * y);
    case EVEX_DIV:
        return bits_of(x / y);
    case EVEX_MIN:
        return x < y ? a : b;
    case EVEX_MAX:
        return x > y ? a : b;
    case EVEX_SQRT:
        return bits_of(sqrt(y));
    case EVEX_ROUND:
        return rounded(i->immediate, y);
    case EVEX_AND:
        return a & b;
    case EVEX_AND_NOT:
        return ~a & b;
    case EVEX_OR:
        return a | b;
    case EVEX_XOR:
        return a ^ b;
    default: /* EVEX_COMPARE with VEX */
        return holds(i->immediate, x, y) ? UINT64_MAX : 0;
    }
}

/* ------------------------------------------------- instructions on vectors */

static bool do_lanes(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t y[LANES], x[LANES];
    if (i->form->action == EVEX_ROUND && (i->immediate & 0xf4) != 0)
        return complain(m, "rounding in a way we do not know: %d", (int)i->immediate);
    if (!source(m, i, end, y)) return false;
    memcpy(x, m->vector[i->v], sizeof x);
    for (int l = 0; l < lanes_of(i); l++) y[l] = compute(i, x[l], y[l]);
    result(m, i, i->reg, y);
    return true;
}

static bool do_move(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t x[LANES];
    if (i->form->pattern != EVEX_RM_REG) {
        if (!source(m, i, end, x)) return false;
        result(m, i, i->reg, x);
        return true;
    }
    memcpy(x, m->vector[i->reg], sizeof x);
    if (i->rm >= 0) {
        result(m, i, i->rm, x);
        return true;
    }
    uint64_t address = address_of(m, i, end);
    if (i->form->action == EVEX_MOVE_ALIGNED && address % (unsigned)i->bytes != 0)
        return complain(m, "a move that must be aligned at 0x%" PRIx64, address);
    for (int l = 0; l < lanes_of(i); l++)
        if (lane_on(m, i, l) && !store(m, address + 8 * (uint64_t)l, &x[l], 8)) return false;
    return true;
}

/* Of memory the rest of the register becomes 0; between registers it comes from v. */
static bool do_move_scalar(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t x[LANES];
    bool loads = i->form->pattern == EVEX_REG_V_RM;
    if (i->mask) return complain(m, "a scalar move under a mask");
    if (i->rm < 0 && !loads) return store(m, address_of(m, i, end), m->vector[i->reg], 8);
    if (!loads) {
        memcpy(x, m->vector[i->reg], sizeof x);
        result(m, i, i->rm, x);
        return true;
    }
    if (!source(m, i, end, x)) return false;
    result(m, i, i->reg, x);
    if (i->rm < 0) m->vector[i->reg][1] = 0;
    return true;
}

/* EVEX: one bit a lane; those beyond the lanes, or masked off, are 0. */
static bool do_compare_to_mask(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t y[LANES], bits = 0;
    if (!source(m, i, end, y)) return false;
    for (int l = 0; l < lanes_of(i); l++)
        if (lane_on(m, i, l) && holds(i->immediate, number(m->vector[i->v][l]), number(y[l])))
            bits |= UINT64_C(1) << l;
    m->mask[i->reg] = bits;
    return true;
}

static bool do_blend(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t x[LANES], y[LANES];
    if (!source(m, i, end, y)) return false;
    memcpy(x, m->vector[i->v], sizeof x);
    for (int l = 0; l < lanes_of(i); l++) {
        bool second =
            i->form->action == EVEX_BLEND_MASK ? lane_on(m, i, l) : m->vector[i->fourth][l] >> 63;
        if (!second) y[l] = i->zeroing ? 0 : x[l];
    }
    evex_instruction whole = *i;
    whole.mask = 0;
    result(m, &whole, i->reg, y);
    return true;
}

static bool do_broadcast(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t x[LANES];
    if (!source(m, i, end, x)) return false;
    uint64_t *to = m->vector[i->reg];
    for (int l = 0; l < LANES; l++)
        to[l] = l >= i->bytes / 8 ? 0 : lane_on(m, i, l) ? x[0] : i->zeroing ? 0 : to[l];
    m->upper_used = true;
    return true;
}

static bool do_mask(evex_machine *m, const evex_instruction *i)
{
    uint64_t x[LANES] = {0}, bits = 0;
    if (i->form->action == EVEX_MASK_TO_VECTOR) {
        for (int l = 0; l < lanes_of(i); l++) x[l] = 0 - (m->mask[i->rm] >> l & 1);
        result(m, i, i->reg, x);
        return true;
    }
    for (int l = 0; l < lanes_of(i); l++) bits |= (m->vector[i->rm][l] >> 63) << l;
    m->mask[i->reg] = bits;
    return true;
}

static bool do_zero_upper(evex_machine *m)
{
    for (int r = 0; r < 16; r++) memset(&m->vector[r][2], 0, 6 * sizeof(uint64_t));
    m->upper_used = false;
    return true;
}

/* --------------------------------------- instructions on general registers */

static bool do_push(evex_machine *m, uint64_t x)
{
    m->general[RSP] -= 8;
    return store(m, m->general[RSP], &x, 8);
}

static bool do_pop(evex_machine *m, uint64_t *x)
{
    bool done = load(m, m->general[RSP], x, 8);
    m->general[RSP] += 8;
    return done;
}

/* What a function may leave behind in the registers it need not keep. */
static void spoil(evex_machine *m)
{
    static const int free_for_use[] = {RAX, RCX, RDX, RSI, RDI, R8, 9, 10, 11};
    for (size_t k = 0; k < sizeof free_for_use / sizeof *free_for_use; k++)
        m->general[free_for_use[k]] = GARBAGE + k;
    for (int r = 0; r < 32; r++)
        for (int l = 0; l < LANES; l++) m->vector[r][l] = GARBAGE + 1;
    for (int k = 0; k < 8; k++) m->mask[k] = GARBAGE * (2 * (unsigned)k + 1);
}

static bool do_call(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t to = 0;
    if (i->rm >= 0)
        to = m->general[i->rm];
    else if (!load(m, address_of(m, i, end), &to, 8))
        return false;
    m->calls++;
    if (m->general[RSP] % 16 != 0) return complain(m, "a call on a stack that is not aligned");
    if (m->upper_used) return complain(m, "a call with upper halves in use");
    if (!m->call || !m->call(m->user, m, to)) return complain(m, "a call of we know not what");
    spoil(m);
    return true;
}

static bool do_copy(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    uint64_t x = m->general[i->reg];
    switch (i->form->pattern) {
    case EVEX_OPCODE_RM:
        m->general[i->rm] = (uint64_t)i->immediate;
        return true;
    case EVEX_RM_REG:
        if (i->rm < 0) return store(m, address_of(m, i, end), &x, 8);
        m->general[i->rm] = x;
        return true;
    default:
        if (i->rm < 0) return load(m, address_of(m, i, end), &m->general[i->reg], 8);
        m->general[i->reg] = m->general[i->rm];
        return true;
    }
}

static bool do_add(evex_machine *m, const evex_instruction *i)
{
    uint64_t x = (uint64_t)i->immediate;
    if (i->rm < 0) return complain(m, "a sum in memory");
    m->general[i->rm] += i->form->action == EVEX_PLUS ? x : 0 - x;
    return true;
}

/* -------------------------------------------------------------------- runs */

static bool do_general(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    switch (i->form->action) {
    case EVEX_PUSH:
        return do_push(m, m->general[i->rm]);
    case EVEX_POP:
        return do_pop(m, &m->general[i->rm]);
    case EVEX_CALL:
        return do_call(m, i, end);
    case EVEX_LEA:
        m->general[i->reg] = address_of(m, i, end);
        return true;
    case EVEX_COPY:
        return do_copy(m, i, end);
    case EVEX_PLUS:
    case EVEX_MINUS:
        return do_add(m, i);
    default:
        return i->form->action == EVEX_NOTHING;
    }
}

static bool execute(evex_machine *m, const evex_instruction *i, uint64_t end)
{
    m->executed++;
    m->did[i->form->action]++;
    switch (i->form->action) {
    case EVEX_MOVE:
    case EVEX_MOVE_ALIGNED:
        return do_move(m, i, end);
    case EVEX_MOVE_SCALAR:
        return do_move_scalar(m, i, end);
    case EVEX_BLEND_SIGNS:
    case EVEX_BLEND_MASK:
        return do_blend(m, i, end);
    case EVEX_BROADCAST:
        return do_broadcast(m, i, end);
    case EVEX_MASK_TO_VECTOR:
    case EVEX_VECTOR_TO_MASK:
        return do_mask(m, i);
    case EVEX_ZERO_UPPER:
        return do_zero_upper(m);
    case EVEX_COMPARE:
        return i->form->reg == EVEX_MASK ? do_compare_to_mask(m, i, end) : do_lanes(m, i, end);
    default:
        return i->form->action >= EVEX_PUSH ? do_general(m, i, end) : do_lanes(m, i, end);
    }
}

/* At the return: what a function must keep is kept. */
static bool kept(evex_machine *m, const uint64_t before[16])
{
    static const int must_keep[] = {RBX, RBP, RSP, 12, 13, 14, 15};
    for (size_t k = 0; k < sizeof must_keep / sizeof *must_keep; k++)
        if (m->general[must_keep[k]] != before[must_keep[k]])
            return complain(m, "register %d is not kept", must_keep[k]);
    return m->upper_used ? complain(m, "a return with upper halves in use") : true;
}

bool evex_run(evex_machine *m, const uint8_t *code, size_t bytes, const void *argument)
{
    _Alignas(16) uint64_t stack[64];
    uint64_t before[16];
    size_t at = 0;
    evex_instruction i;
    spoil(m);
    evex_allow(m, "stack", stack, sizeof stack, true);
    for (int r = 0; r < 16; r++) m->general[r] = GARBAGE + 100 + (uint64_t)r;
    m->general[RDI] = (uintptr_t)argument;
    m->general[RSP] = (uintptr_t)&stack[61]; /* where the return address is: 8 beside 16 */
    memcpy(before, m->general, sizeof before);
    for (;;) {
        if (!evex_decode(code + at, bytes - at, &i))
            return complain(m, "no instruction at %zu: %02x", at, at < bytes ? code[at] : 0u);
        at += (size_t)i.length;
        if (i.form->action == EVEX_RETURN) break;
        if (!execute(m, &i, (uintptr_t)(code + at))) return complain(m, "at %zu", at);
    }
    return kept(m, before);
}
