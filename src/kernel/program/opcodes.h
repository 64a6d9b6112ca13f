/*
 * The opcodes of the machine, each written once: name, operands, arithmetic operations it counts
 * as, and its formula in the operands x, y, z, w. The first list has one opcode for each
 * operation of expr, under the same name, with the bits of zx_apply; the second what the compiler
 * makes of several. No formula branches, and none is contracted: a*b + c rounds twice.
 */
#ifndef ZK_OPCODES_H
#define ZK_OPCODES_H

#include "base.h"

/* y where x is not 0, else z; by masks, so that neither spoils the other. */
static inline double zk_choose(double x, double y, double z)
{
    uint64_t mask = 0 - (uint64_t)(x != 0.0);
    return zb_from_bits((zb_bits(y) & mask) | (zb_bits(z) & ~mask));
}

/* Laid out by hand: clang-format would take x * y for a declaration. */
/* clang-format off */
#define ZK_EXPR_LIST(X)                                                                           \
    X(NEG, 1, 1, -x)                                                                               \
    X(SIN, 1, 1, zb_sin(x))                                                                        \
    X(COS, 1, 1, zb_cos(x))                                                                        \
    X(TAN, 1, 1, zb_tan(x))                                                                        \
    X(ASIN, 1, 1, zb_asin(x))                                                                      \
    X(ACOS, 1, 1, zb_acos(x))                                                                      \
    X(ATAN, 1, 1, zb_atan(x))                                                                      \
    X(SINH, 1, 1, zb_sinh(x))                                                                      \
    X(COSH, 1, 1, zb_cosh(x))                                                                      \
    X(TANH, 1, 1, zb_tanh(x))                                                                      \
    X(EXP, 1, 1, zb_exp(x))                                                                        \
    X(LOG, 1, 1, zb_log(x))                                                                        \
    X(SQRT, 1, 1, zb_sqrt(x))                                                                      \
    X(ABS, 1, 1, zb_abs(x))                                                                        \
    X(SIGN, 1, 1, zb_sign(x))                                                                      \
    X(FLOOR, 1, 1, zb_floor(x))                                                                    \
    X(NOT, 1, 1, (double)(x == 0.0))                                                               \
    X(ADD, 2, 1, x + y)                                                                            \
    X(SUB, 2, 1, x - y)                                                                            \
    X(MUL, 2, 1, x * y)                                                                            \
    X(DIV, 2, 1, x / y)                                                                            \
    X(POW, 2, 1, zb_pow(x, y))                                                                     \
    X(ATAN2, 2, 1, zb_atan2(x, y))                                                                 \
    X(HYPOT, 2, 1, zb_hypot(x, y))                                                                 \
    X(MIN, 2, 1, x < y ? x : y)                                                                    \
    X(MAX, 2, 1, x > y ? x : y)                                                                    \
    X(LT, 2, 1, (double)(x < y))                                                                   \
    X(LE, 2, 1, (double)(x <= y))                                                                  \
    X(EQ, 2, 1, (double)(x == y))                                                                  \
    X(NE, 2, 1, (double)(x != y))                                                                  \
    X(AND, 2, 1, (double)((x != 0.0) & (y != 0.0)))                                                \
    X(OR, 2, 1, (double)((x != 0.0) | (y != 0.0)))                                                 \
    X(SELECT, 3, 1, zk_choose(x, y, z))

#define ZK_FUSED_LIST(X)                                                                           \
    X(SQUARE, 1, 1, x * x)                                                                         \
    X(RECIPROCAL, 1, 1, 1.0 / x)                                                                   \
    X(MUL_ADD, 3, 2, x * y + z)                                                                    \
    X(MUL_SUB, 3, 2, x * y - z)                                                                    \
    X(SUB_MUL, 3, 2, z - x * y)                                                                    \
    X(MUL_ADD_MUL, 4, 3, x * y + z * w)                                                            \
    X(MUL_SUB_MUL, 4, 3, x * y - z * w)
/* clang-format on */

typedef enum zk_opcode {
#define ZK_OPCODE_ENUM(name, operands, operations, formula) ZK_##name,
    ZK_EXPR_LIST(ZK_OPCODE_ENUM) ZK_FUSED_LIST(ZK_OPCODE_ENUM)
#undef ZK_OPCODE_ENUM
        ZK_SINCOS, /* one operand; the only one with two results, sin and cos */
    ZK_OPCODE_COUNT
} zk_opcode;

#endif
