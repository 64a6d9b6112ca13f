/*
 * The decoder. An instruction is: prefixes, opcode, ModRM, perhaps SIB, displacement, immediate.
 *
 * VEX of two bytes:    c5  R vvvv L pp                      map 0f, W 0, X and B not set
 * VEX of three bytes:  c4  R X B mmmmm  W vvvv L pp
 * EVEX:                62  R X B R' 0 mmm  W vvvv 1 pp  z L'L b V' aaa
 *
 * R, X, B, R', V' and vvvv are stored inverted. R extends ModRM.reg by bit 3, R' by bit 4; B
 * extends ModRM.rm or the base by bit 3, X the index by bit 3 or, of a vector register in ModRM.rm,
 * by bit 4; V' extends vvvv by bit 4. A displacement of one byte counts bytes, with EVEX units of
 * what the instruction reads: the vector, or one number of it where it is scalar or repeated (b).
 */
#include <string.h>

#include "evex.h"

enum { ANY = EVEX_ANY, BOTH = EVEX_VEX | EVEX_EVEX, V = EVEX_VEX, E = EVEX_EVEX };

/* clang-format off */
#define PACKED(name, enc, pp, op, w, pattern, imm, action)                                         \
    {name, enc, 1, pp, op, w, ANY, EVEX_##pattern, EVEX_VECTOR, EVEX_VECTOR, EVEX_##imm, false, EVEX_##action}
#define SCALAR(name, enc, op, pattern, imm, action)                                                \
    {name, enc, 1, 0xf2, op, 1, ANY, EVEX_##pattern, EVEX_VECTOR, EVEX_VECTOR, EVEX_##imm, true, EVEX_##action}
#define GENERAL(name, op, w, digit, pattern, imm, action)                                          \
    {name, EVEX_LEGACY, 0, 0, op, w, digit, EVEX_##pattern, EVEX_GENERAL, EVEX_GENERAL, EVEX_##imm, false, EVEX_##action}
#define OTHER(name, enc, map, pp, op, w, pattern, reg, rm, imm, scalar, action)                    \
    {name, enc, map, pp, op, w, ANY, EVEX_##pattern, EVEX_##reg, EVEX_##rm, EVEX_##imm, scalar, EVEX_##action}

/* W is ignored with VEX and 1 with EVEX, where numbers have 64 bits. */
static const evex_form forms[] = {
    PACKED("vmovupd", BOTH, 0x66, 0x10, 1, REG_RM, NO_IMMEDIATE, MOVE),
    PACKED("vmovupd", BOTH, 0x66, 0x11, 1, RM_REG, NO_IMMEDIATE, MOVE),
    PACKED("vmovapd", BOTH, 0x66, 0x28, 1, REG_RM, NO_IMMEDIATE, MOVE_ALIGNED),
    PACKED("vmovapd", BOTH, 0x66, 0x29, 1, RM_REG, NO_IMMEDIATE, MOVE_ALIGNED),
    PACKED("vmovups", V, 0, 0x10, 0, REG_RM, NO_IMMEDIATE, MOVE),
    PACKED("vmovups", V, 0, 0x11, 0, RM_REG, NO_IMMEDIATE, MOVE),
    PACKED("vmovaps", V, 0, 0x28, 0, REG_RM, NO_IMMEDIATE, MOVE_ALIGNED),
    PACKED("vmovaps", V, 0, 0x29, 0, RM_REG, NO_IMMEDIATE, MOVE_ALIGNED),
    SCALAR("vmovsd", BOTH, 0x10, REG_V_RM, NO_IMMEDIATE, MOVE_SCALAR),
    SCALAR("vmovsd", BOTH, 0x11, RM_V_REG, NO_IMMEDIATE, MOVE_SCALAR),
    PACKED("vaddpd", BOTH, 0x66, 0x58, 1, REG_V_RM, NO_IMMEDIATE, ADD),
    PACKED("vmulpd", BOTH, 0x66, 0x59, 1, REG_V_RM, NO_IMMEDIATE, MUL),
    PACKED("vsubpd", BOTH, 0x66, 0x5c, 1, REG_V_RM, NO_IMMEDIATE, SUB),
    PACKED("vminpd", BOTH, 0x66, 0x5d, 1, REG_V_RM, NO_IMMEDIATE, MIN),
    PACKED("vdivpd", BOTH, 0x66, 0x5e, 1, REG_V_RM, NO_IMMEDIATE, DIV),
    PACKED("vmaxpd", BOTH, 0x66, 0x5f, 1, REG_V_RM, NO_IMMEDIATE, MAX),
    PACKED("vsqrtpd", BOTH, 0x66, 0x51, 1, REG_RM, NO_IMMEDIATE, SQRT),
    SCALAR("vaddsd", BOTH, 0x58, REG_V_RM, NO_IMMEDIATE, ADD),
    SCALAR("vmulsd", BOTH, 0x59, REG_V_RM, NO_IMMEDIATE, MUL),
    SCALAR("vsubsd", BOTH, 0x5c, REG_V_RM, NO_IMMEDIATE, SUB),
    SCALAR("vminsd", BOTH, 0x5d, REG_V_RM, NO_IMMEDIATE, MIN),
    SCALAR("vdivsd", BOTH, 0x5e, REG_V_RM, NO_IMMEDIATE, DIV),
    SCALAR("vmaxsd", BOTH, 0x5f, REG_V_RM, NO_IMMEDIATE, MAX),
    SCALAR("vsqrtsd", BOTH, 0x51, REG_V_RM, NO_IMMEDIATE, SQRT),
    PACKED("vandpd", BOTH, 0x66, 0x54, 1, REG_V_RM, NO_IMMEDIATE, AND),
    PACKED("vandnpd", BOTH, 0x66, 0x55, 1, REG_V_RM, NO_IMMEDIATE, AND_NOT),
    PACKED("vorpd", BOTH, 0x66, 0x56, 1, REG_V_RM, NO_IMMEDIATE, OR),
    PACKED("vxorpd", BOTH, 0x66, 0x57, 1, REG_V_RM, NO_IMMEDIATE, XOR),
    PACKED("vandps", V, 0, 0x54, 0, REG_V_RM, NO_IMMEDIATE, AND),
    PACKED("vandnps", V, 0, 0x55, 0, REG_V_RM, NO_IMMEDIATE, AND_NOT),
    PACKED("vorps", V, 0, 0x56, 0, REG_V_RM, NO_IMMEDIATE, OR),
    PACKED("vxorps", V, 0, 0x57, 0, REG_V_RM, NO_IMMEDIATE, XOR),
    PACKED("vpandq", E, 0x66, 0xdb, 1, REG_V_RM, NO_IMMEDIATE, AND),
    PACKED("vporq", E, 0x66, 0xeb, 1, REG_V_RM, NO_IMMEDIATE, OR),
    PACKED("vpxorq", E, 0x66, 0xef, 1, REG_V_RM, NO_IMMEDIATE, XOR),
    PACKED("vcmp%spd", V, 0x66, 0xc2, 1, REG_V_RM, PREDICATE, COMPARE),
    SCALAR("vcmp%ssd", V, 0xc2, REG_V_RM, PREDICATE, COMPARE),
    OTHER("vcmp%spd", E, 1, 0x66, 0xc2, 1, REG_V_RM, MASK, VECTOR, PREDICATE, false, COMPARE),
    OTHER("vroundpd", V, 3, 0x66, 0x09, 0, REG_RM, VECTOR, VECTOR, BYTE, false, ROUND),
    OTHER("vroundsd", V, 3, 0x66, 0x0b, 0, REG_V_RM, VECTOR, VECTOR, BYTE, true, ROUND),
    OTHER("vrndscalepd", E, 3, 0x66, 0x09, 1, REG_RM, VECTOR, VECTOR, BYTE, false, ROUND),
    OTHER("vblendvpd", V, 3, 0x66, 0x4b, 0, REG_V_RM, VECTOR, VECTOR, REGISTER, false, BLEND_SIGNS),
    OTHER("vblendmpd", E, 2, 0x66, 0x65, 1, REG_V_RM, VECTOR, VECTOR, NO_IMMEDIATE, false, BLEND_MASK),
    OTHER("vbroadcastsd", BOTH, 2, 0x66, 0x19, 1, REG_RM, VECTOR, VECTOR, NO_IMMEDIATE, true, BROADCAST),
    OTHER("vpmovm2q", E, 2, 0xf3, 0x38, 1, REG_RM, VECTOR, MASK, NO_IMMEDIATE, false, MASK_TO_VECTOR),
    OTHER("vpmovq2m", E, 2, 0xf3, 0x39, 1, REG_RM, MASK, VECTOR, NO_IMMEDIATE, false, VECTOR_TO_MASK),
    OTHER("vzeroupper", V, 1, 0, 0x77, 0, NO_OPERANDS, VECTOR, VECTOR, NO_IMMEDIATE, false, ZERO_UPPER),
    GENERAL("push", 0x50, 0, ANY, OPCODE_RM, NO_IMMEDIATE, PUSH),
    GENERAL("pop", 0x58, 0, ANY, OPCODE_RM, NO_IMMEDIATE, POP),
    GENERAL("movabs", 0xb8, 1, ANY, OPCODE_RM, EIGHT, COPY),
    GENERAL("mov", 0x89, 1, ANY, RM_REG, NO_IMMEDIATE, COPY),
    GENERAL("mov", 0x8b, 1, ANY, REG_RM, NO_IMMEDIATE, COPY),
    GENERAL("lea", 0x8d, 1, ANY, REG_RM, NO_IMMEDIATE, LEA),
    GENERAL("add", 0x83, 1, 0, RM, SIGNED_BYTE, PLUS),
    GENERAL("add", 0x81, 1, 0, RM, SIGNED_FOUR, PLUS),
    GENERAL("sub", 0x83, 1, 5, RM, SIGNED_BYTE, MINUS),
    GENERAL("sub", 0x81, 1, 5, RM, SIGNED_FOUR, MINUS),
    GENERAL("call", 0xff, 0, 2, RM, NO_IMMEDIATE, CALL),
    GENERAL("ret", 0xc3, 0, ANY, NO_OPERANDS, NO_IMMEDIATE, RETURN),
    GENERAL("nop", 0x90, 0, ANY, NO_OPERANDS, NO_IMMEDIATE, NOTHING),
    OTHER("endbr64", EVEX_LEGACY, 1, 0xf3, 0xfa, 0, NO_OPERANDS, GENERAL, GENERAL, NO_IMMEDIATE, false, NOTHING),
};
/* clang-format on */

/* ---------------------------------------------------------------- reading */

typedef struct reader {
    const uint8_t *code;
    size_t at, available;
    bool past; /* the end was met */
} reader;

static unsigned next(reader *r)
{
    if (r->at >= r->available) {
        r->past = true;
        return 0;
    }
    return r->code[r->at++];
}

/* Little end first, the sign extended. */
static int64_t next_signed(reader *r, int bytes)
{
    uint64_t x = 0;
    for (int k = 0; k < bytes; k++) x |= (uint64_t)next(r) << (8 * k);
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((x ^ sign) - sign);
}

/* What the prefixes said. Bits as numbers 0 or 1, not inverted. */
typedef struct prefixes {
    evex_encoding encoding;
    unsigned R, X, B, R2, V2, W; /* R2, V2: the manual's R', V' */
    unsigned v, length, pp, map;
    unsigned z, b, aaa;
    bool wrong;
} prefixes;

static unsigned bit(unsigned byte, int k)
{
    return byte >> k & 1;
}

static void read_vex(reader *r, unsigned first, prefixes *p)
{
    unsigned one = next(r), last = one;
    p->encoding = EVEX_VEX;
    p->R = !bit(one, 7);
    p->map = 1;
    if (first == 0xc4) {
        p->X = !bit(one, 6);
        p->B = !bit(one, 5);
        p->map = one & 31;
        last = next(r);
        p->W = bit(last, 7);
    }
    p->v = ~(last >> 3) & 15;
    p->length = bit(last, 2);
    p->pp = last & 3;
}

static void read_evex(reader *r, prefixes *p)
{
    unsigned one = next(r), two = next(r), three = next(r);
    p->encoding = EVEX_EVEX;
    p->R = !bit(one, 7);
    p->X = !bit(one, 6);
    p->B = !bit(one, 5);
    p->R2 = !bit(one, 4);
    p->map = one & 7;
    p->W = bit(two, 7);
    p->v = ~(two >> 3) & 15;
    p->pp = two & 3;
    p->z = bit(three, 7);
    p->length = three >> 5 & 3;
    p->b = bit(three, 4);
    p->V2 = !bit(three, 3);
    p->aaa = three & 7;
    p->wrong = bit(one, 3) || !bit(two, 2) || p->length == 3;
}

/* Leaves the reader at the opcode. */
static void read_prefixes(reader *r, prefixes *p)
{
    *p = (prefixes){.encoding = EVEX_LEGACY};
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
    unsigned first = r->at < r->available ? r->code[r->at] : 0;
    if (r->available >= r->at + 4 && memcmp(r->code + r->at, landing, 4) == 0) {
        r->at += 3; /* its last byte stands for the opcode */
        p->map = 1, p->pp = 2;
        return;
    }
    if (first == 0xc4 || first == 0xc5) {
        next(r);
        read_vex(r, first, p);
    } else if (first == 0x62) {
        next(r);
        read_evex(r, p);
    } else if ((first & 0xf0) == 0x40) { /* REX: W R X B, as they are */
        next(r);
        p->W = bit(first, 3), p->R = bit(first, 2), p->X = bit(first, 1), p->B = bit(first, 0);
    }
}

/* ------------------------------------------------------------------- forms */

static bool fits(const evex_form *f, const prefixes *p, unsigned opcode, unsigned digit)
{
    static const int prefix_of[] = {0, 0x66, 0xf3, 0xf2};
    if (!(f->encodings & (int)p->encoding) || f->map != (int)p->map) return false;
    if (f->prefix != prefix_of[p->pp]) return false;
    int own = f->pattern == EVEX_OPCODE_RM ? (int)opcode & ~7 : (int)opcode;
    if (f->opcode != own || (f->digit != ANY && f->digit != (int)digit)) return false;
    /* push, pop, call and ret always mean 64 bits */
    if (p->encoding == EVEX_LEGACY) return f->w == 0 || p->W == 1;
    if (p->encoding == EVEX_EVEX) return f->w == (int)p->W;
    return f->map == 1 || p->W == 0; /* W0 beyond the first map */
}

static const evex_form *find_form(const reader *r, const prefixes *p, unsigned opcode)
{
    unsigned digit = r->at < r->available ? r->code[r->at] >> 3 & 7 : 0;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (fits(&forms[k], p, opcode, digit)) return &forms[k];
    return NULL;
}

/* ------------------------------------------------------------------- ModRM */

/* The unit of a displacement of one byte. */
static int64_t unit(const evex_instruction *i)
{
    if (i->encoding != EVEX_EVEX) return 1;
    return i->form->scalar || i->broadcast ? 8 : i->bytes;
}

static void read_memory(reader *r, const prefixes *p, unsigned mod, unsigned rm,
                        evex_instruction *i)
{
    i->rm = EVEX_NO_REGISTER;
    i->index = EVEX_NO_REGISTER;
    i->scale = 1;
    i->base = (int)(rm | p->B << 3);
    if (rm == 4) { /* SIB follows */
        unsigned sib = next(r), index = (sib >> 3 & 7) | p->X << 3;
        rm = sib & 7;
        i->base = (int)(rm | p->B << 3);
        i->scale = 1 << (sib >> 6);
        if (index != 4) i->index = (int)index;
        if (rm == 5 && mod == 0) i->base = EVEX_NO_REGISTER;
    } else if (rm == 5 && mod == 0) {
        i->base = EVEX_RIP;
    }
    i->displaced = mod != 0;
    if (mod == 1)
        i->displacement = next_signed(r, 1) * unit(i);
    else if (mod == 2 || (rm == 5 && mod == 0))
        i->displacement = next_signed(r, 4);
}

static void read_modrm(reader *r, const prefixes *p, evex_instruction *i)
{
    unsigned modrm = next(r), mod = modrm >> 6, rm = modrm & 7;
    i->reg = (int)((modrm >> 3 & 7) | p->R << 3 | p->R2 << 4);
    if (mod != 3)
        read_memory(r, p, mod, rm, i);
    else if (i->encoding == EVEX_EVEX && i->form->rm == EVEX_VECTOR)
        i->rm = (int)(rm | p->B << 3 | p->X << 4);
    else
        i->rm = (int)(rm | p->B << 3);
}

static void read_immediate(reader *r, evex_instruction *i)
{
    switch (i->form->immediate) {
    case EVEX_NO_IMMEDIATE:
        break;
    case EVEX_BYTE:
    case EVEX_PREDICATE:
        i->immediate = (int64_t)next(r);
        break;
    case EVEX_REGISTER:
        i->fourth = (int)(next(r) >> 4);
        break;
    case EVEX_SIGNED_BYTE:
        i->immediate = next_signed(r, 1);
        break;
    case EVEX_SIGNED_FOUR:
        i->immediate = next_signed(r, 4);
        break;
    case EVEX_EIGHT:
        i->immediate = next_signed(r, 8);
        break;
    }
}

/* ------------------------------------------------------------------- rules */

static bool has_v(const evex_instruction *i)
{
    if (i->form->action == EVEX_MOVE_SCALAR) return i->rm >= 0;
    return i->form->pattern == EVEX_REG_V_RM || i->form->pattern == EVEX_RM_V_REG;
}

/* What the manual forbids: a v that is not used and not all ones, mask registers beyond 7, zeroing
 * without a mask, of memory or of masks, b with registers (rounding, which no code of ours asks
 * for) or where numbers are not repeated, lengths that a form does not have, lea of a register. */
static bool allowed(const evex_instruction *i, const prefixes *p)
{
    const evex_form *f = i->form;
    bool vectors = p->encoding != EVEX_LEGACY;
    if (vectors && !has_v(i) && i->v != 0) return false;
    if (vectors && f->reg == EVEX_MASK && (i->reg > 7 || i->zeroing)) return false;
    if (vectors && f->rm == EVEX_MASK && (i->rm < 0 || i->rm > 7)) return false;
    if (i->zeroing && i->mask == 0) return false;
    if (i->zeroing && f->pattern == EVEX_RM_REG && i->rm < 0) return false;
    if (i->broadcast && (i->rm >= 0 || f->scalar || f->pattern == EVEX_RM_REG)) return false;
    if (f->action == EVEX_BROADCAST && i->bytes == 16) return false;
    if (f->action == EVEX_ZERO_UPPER && i->bytes != 16) return false;
    if (f->action == EVEX_LEA && i->rm >= 0) return false;
    if (f->action == EVEX_VECTOR_TO_MASK && i->rm < 0) return false;
    return true;
}

bool evex_decode(const uint8_t *code, size_t available, evex_instruction *i)
{
    reader r = {.code = code, .available = available < 15 ? available : 15};
    prefixes p;
    *i = (evex_instruction){.index = EVEX_NO_REGISTER, .base = EVEX_NO_REGISTER};
    read_prefixes(&r, &p);
    unsigned opcode = next(&r);
    i->form = p.wrong || r.past ? NULL : find_form(&r, &p, opcode);
    if (!i->form) return false;
    i->encoding = p.encoding;
    i->w = (int)p.W;
    i->bytes = 16 << p.length;
    i->v = (int)(p.v | p.V2 << 4);
    i->mask = (int)p.aaa;
    i->zeroing = p.z;
    i->broadcast = p.b;
    if (i->form->pattern == EVEX_OPCODE_RM)
        i->rm = (int)((opcode & 7) | p.B << 3);
    else if (i->form->pattern != EVEX_NO_OPERANDS)
        read_modrm(&r, &p, i);
    read_immediate(&r, i);
    i->length = (int)r.at;
    return !r.past && allowed(i, &p);
}
