/*
 * The machine in lanes for one width; wide_machine.c includes it once for each, with WIDTH, the
 * lanes of a register, and OF(name), which makes names of this width. The formulas are those of
 * wide_machine.c, ON_name in vectors x, y, z, w. A result may take the register of an operand:
 * every vector of a register is read before it is written. Strips are for programs of few
 * registers: they have no wide operands, and machine code calls no functions of their width.
 */

#define EACH for (size_t v = 0; v < (WIDTH); v += ZB_LANES)
#define AT(p) zb_lanes_load((p) + v)

/* ---------------------------------------------------------------- functions */

#if WIDTH <= 8
#define FUNCTION_1(name)                                                                           \
    static void OF(name)(double *to, const double *a, const double *b)                             \
    {                                                                                              \
        (void)b;                                                                                   \
        EACH                                                                                       \
        {                                                                                          \
            zb_lanes x = AT(a);                                                                    \
            zb_lanes_store(to + v, ON_##name);                                                     \
        }                                                                                          \
    }
#define FUNCTION_2(name)                                                                           \
    static void OF(name)(double *to, const double *a, const double *b)                             \
    {                                                                                              \
        EACH                                                                                       \
        {                                                                                          \
            zb_lanes x = AT(a), y = AT(b);                                                         \
            zb_lanes_store(to + v, ON_##name);                                                     \
        }                                                                                          \
    }
#define FUNCTION_3(name)
#define FUNCTION_4(name)
#define FUNCTION(name, operands, operations, formula) FUNCTION_##operands(name)
ZK_EXPR_LIST(FUNCTION)
ZK_FUSED_LIST(FUNCTION)
#endif

/* The sines and the cosines of the numbers at a. */
static void OF(store_sine_cosine)(double *sine, double *cosine, const double *a)
{
    EACH
    {
        zb_lanes_sine_cosine both = zb_lanes_sincos(AT(a));
        zb_lanes_store(sine + v, both.sine);
        zb_lanes_store(cosine + v, both.cosine);
    }
}

#if WIDTH <= 8
static void OF(SINCOS)(double *to, const double *a, const double *b)
{
    (void)b;
    OF(store_sine_cosine)(to, to + (WIDTH), a);
}
#endif

/* ----------------------------------------------------------------- dispatch */

/* Fills the registers of constants: each number in all lanes. */
static void OF(set_constants)(const zk_program *program, double *r)
{
    for (int32_t i = 0; i < program->constant_count; i++) {
        zb_lanes x = zb_lanes_all(program->constants[i]);
        EACH zb_lanes_store(r + (size_t)i * (WIDTH) + v, x);
    }
}

#define INDEX uint16_t
#define EXECUTE OF(execute_narrow)
#include "wide_dispatch.h"
#undef INDEX
#undef EXECUTE

#if WIDTH <= 8
#define INDEX uint32_t
#define EXECUTE OF(execute_wide)
#include "wide_dispatch.h"
#undef INDEX
#undef EXECUTE

/* By the size of the operands in the stream. */
static void OF(execute)(const zk_program *program, double *registers)
{
    if (program->wide)
        OF(execute_wide)(program, registers);
    else
        OF(execute_narrow)(program, registers);
}
#endif

#undef EACH
#undef AT
#undef FUNCTION_1
#undef FUNCTION_2
#undef FUNCTION_3
#undef FUNCTION_4
#undef FUNCTION
