/*
 * The dispatch loop in lanes for one size of operands; wide_width.h includes it once for each,
 * with INDEX and EXECUTE defined. As dispatch.h: one decision a run, results first in the stream,
 * then operands.
 */

#define R(i) (r + (size_t)s[i] * (WIDTH))
#define RUN(length) for (; count > 0; count--, s += (length))
#define CASE_1(name)                                                                               \
    RUN(2)                                                                                         \
    {                                                                                              \
        double *to = R(0);                                                                         \
        const double *X = R(1);                                                                    \
        EACH                                                                                       \
        {                                                                                          \
            zb_lanes x = AT(X);                                                                    \
            zb_lanes_store(to + v, ON_##name);                                                     \
        }                                                                                          \
    }
#define CASE_2(name)                                                                               \
    RUN(3)                                                                                         \
    {                                                                                              \
        double *to = R(0);                                                                         \
        const double *X = R(1), *Y = R(2);                                                         \
        EACH                                                                                       \
        {                                                                                          \
            zb_lanes x = AT(X), y = AT(Y);                                                         \
            zb_lanes_store(to + v, ON_##name);                                                     \
        }                                                                                          \
    }
#define CASE_3(name)                                                                               \
    RUN(4)                                                                                         \
    {                                                                                              \
        double *to = R(0);                                                                         \
        const double *X = R(1), *Y = R(2), *Z = R(3);                                              \
        EACH                                                                                       \
        {                                                                                          \
            zb_lanes x = AT(X), y = AT(Y), z = AT(Z);                                              \
            zb_lanes_store(to + v, ON_##name);                                                     \
        }                                                                                          \
    }
#define CASE_4(name)                                                                               \
    RUN(5)                                                                                         \
    {                                                                                              \
        double *to = R(0);                                                                         \
        const double *X = R(1), *Y = R(2), *Z = R(3), *W = R(4);                                   \
        EACH                                                                                       \
        {                                                                                          \
            zb_lanes x = AT(X), y = AT(Y), z = AT(Z), w = AT(W);                                   \
            zb_lanes_store(to + v, ON_##name);                                                     \
        }                                                                                          \
    }
#define CASE(name, operands, operations, formula)                                                  \
    case ZK_##name:                                                                                \
        CASE_##operands(name) break;

static void EXECUTE(const zk_program *program, double *r)
{
    const INDEX *s = program->stream;
    const zk_stretch *end = program->stretches + program->stretch_count;
    for (const zk_stretch *run = program->stretches; run < end; run++) {
        int32_t count = run->count;
        switch (run->opcode) {
            ZK_PLAIN_LIST(CASE)
            ZK_FUSED_LIST(CASE)
        case ZK_SINCOS:
            RUN(3) OF(both)(R(0), R(1), R(2));
            break;
        }
    }
}

#undef R
#undef RUN
#undef CASE_1
#undef CASE_2
#undef CASE_3
#undef CASE_4
#undef CASE
