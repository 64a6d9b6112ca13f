/*
 * The dispatch loop for one width of operands; machine.c includes it once for each, with INDEX,
 * EXECUTE, FETCH and AT defined. One decision a batch; then every instruction of it reads its
 * registers' numbers from the stream: results first, then operands. FETCH reads the first four of
 * them at once, AT(i) is the i-th.
 */

#define EACH_OF_BATCH(width) for (; count > 0; count--, s += (width))
#define CASE_1(name, formula)                                                                      \
    case ZK_##name:                                                                                \
        EACH_OF_BATCH(2)                                                                           \
        {                                                                                          \
            double x = r[s[1]];                                                                    \
            r[s[0]] = (formula);                                                                   \
        }                                                                                          \
        break;
#define CASE_2(name, formula)                                                                      \
    case ZK_##name:                                                                                \
        EACH_OF_BATCH(3)                                                                           \
        {                                                                                          \
            FETCH;                                                                                 \
            double x = r[AT(1)], y = r[AT(2)];                                                     \
            r[AT(0)] = (formula);                                                                  \
        }                                                                                          \
        break;
#define CASE_3(name, formula)                                                                      \
    case ZK_##name:                                                                                \
        EACH_OF_BATCH(4)                                                                           \
        {                                                                                          \
            FETCH;                                                                                 \
            double x = r[AT(1)], y = r[AT(2)], z = r[AT(3)];                                       \
            r[AT(0)] = (formula);                                                                  \
        }                                                                                          \
        break;
#define CASE_4(name, formula)                                                                      \
    case ZK_##name:                                                                                \
        EACH_OF_BATCH(5)                                                                           \
        {                                                                                          \
            FETCH;                                                                                 \
            double x = r[AT(1)], y = r[AT(2)], z = r[AT(3)], w = r[s[4]];                          \
            r[AT(0)] = (formula);                                                                  \
        }                                                                                          \
        break;
#define CASE(name, operands, operations, formula) CASE_##operands(name, formula)

/* Executes all batches of the program on the registers r. */
static void EXECUTE(const zk_program *program, double *restrict r)
{
    const INDEX *s = program->stream;
    const zk_batch *end = program->batches + program->batch_count;
    for (const zk_batch *batch = program->batches; batch < end; batch++) {
        int32_t count = batch->count;
        switch (batch->opcode) {
            ZK_EXPR_LIST(CASE)
            ZK_FUSED_LIST(CASE)
        case ZK_SINCOS:
            EACH_OF_BATCH(3)
            {
                zb_sine_cosine both = zb_sincos(r[s[2]]);
                r[s[0]] = both.sine;
                r[s[1]] = both.cosine;
            }
            break;
        }
    }
}

#undef EACH_OF_BATCH
#undef CASE_1
#undef CASE_2
#undef CASE_3
#undef CASE_4
#undef CASE
