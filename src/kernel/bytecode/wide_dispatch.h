/*
 * The dispatch loop in lanes for one size of operands; wide_width.h includes it once for each,
 * with INDEX and EXECUTE defined. As dispatch.h: one decision a batch, results first in the stream,
 * then operands.
 */

#define R(i) (r + (size_t)s[i] * (WIDTH))
#define EACH_OF_BATCH(length) for (; count > 0; count--, s += (length))
#define CASE_1(name)                                                                               \
    EACH_OF_BATCH(2)                                                                               \
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
    EACH_OF_BATCH(3)                                                                               \
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
    EACH_OF_BATCH(4)                                                                               \
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
    EACH_OF_BATCH(5)                                                                               \
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

/* Executes all batches of the program on the registers r, WIDTH numbers each. */
static void EXECUTE(const zk_program *program, double *r)
{
    const INDEX *s = program->stream;
    const zk_batch *end = program->batches + program->batch_count;
    for (const zk_batch *batch = program->batches; batch < end; batch++) {
        int32_t count = batch->count;
        switch (batch->opcode) {
            ZK_EXPR_LIST(CASE)
            ZK_FUSED_LIST(CASE)
        case ZK_SINCOS:
            EACH_OF_BATCH(3) OF(store_sine_cosine)(R(0), R(1), R(2));
            break;
        }
    }
}

#undef R
#undef EACH_OF_BATCH
#undef CASE_1
#undef CASE_2
#undef CASE_3
#undef CASE_4
#undef CASE
