/*
 * How much motors give, against the best of all choices of limits: of every way to put some motors at
 * one end or the other, the rest by least squares, the one within limits that is off least, and of
 * such the one of least norm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg.h"
#include "motor_law.h"

enum { most_rows = 3, most_motors = 4 };

static uint64_t seed = 3;

static double uniform(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) * 0x1p-52 - 1.0;
}

/* A law of random numbers with room for all of it. */
typedef struct sample {
    zr_motor_law law;
    double P[most_rows * most_motors], d[most_rows], W[most_rows * most_rows];
    double row_scale[most_rows], motor_scale[most_motors], weight[most_motors];
    double low[most_motors], high[most_motors], u[most_motors], slack[most_rows];
    int8_t side[most_motors];
    bool missed[most_rows];
    double work[1000];
} sample;

static void make_sample(sample *s, int32_t rows, int32_t count, double size)
{
    *s = (sample){0};
    s->law = (zr_motor_law){.rows = rows, .count = count};
    s->law.P = s->P;
    s->law.d = s->d;
    s->law.W = s->W;
    s->law.row_scale = s->row_scale;
    s->law.motor_scale = s->motor_scale;
    s->law.weight = s->weight;
    s->law.low = s->low;
    s->law.high = s->high;
    s->law.u = s->u;
    s->law.slack = s->slack;
    s->law.side = s->side;
    s->law.missed = s->missed;
    s->law.work = s->work;
    assert_true(zr_motor_law_work(rows, count) <= sizeof s->work / sizeof *s->work);
    for (int32_t i = 0; i < rows; i++) {
        double square = 0.0;
        for (int32_t k = 0; k < count; k++) {
            s->P[i * count + k] = uniform();
            square += s->P[i * count + k] * s->P[i * count + k];
        }
        s->d[i] = size * uniform();
        s->row_scale[i] = 2.0 * sqrt(square);
        for (int32_t j = 0; j < rows; j++) s->W[i * rows + j] = i == j ? 2.0 + uniform() : 0.25;
    }
    for (int32_t k = 0; k < count; k++) {
        s->motor_scale[k] = 1.5 + uniform();
        s->weight[k] = 1.5 + uniform();
        s->low[k] = -1.1 + 0.5 * uniform();
        s->high[k] = 1.0 + 0.5 * uniform();
    }
    s->high[count - 1] = HUGE_VAL;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < i; j++) s->W[i * rows + j] = s->W[j * rows + i];
}

/* |P u - d|^2 in W, and the sum of weight u^2. */
static double find_miss(const sample *s, const double *u, double *norm)
{
    int32_t rows = s->law.rows, count = s->law.count;
    double r[most_rows], miss = 0.0;
    *norm = 0.0;
    for (int32_t i = 0; i < rows; i++) {
        r[i] = -s->d[i];
        for (int32_t k = 0; k < count; k++) r[i] += s->P[i * count + k] * u[k];
    }
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < rows; j++) miss += r[i] * s->W[i * rows + j] * r[j];
    for (int32_t k = 0; k < count; k++) *norm += s->weight[k] * u[k] * u[k];
    return miss;
}

/* The best of a coarse net of forces, made finer around the best until nothing changes: no derivative
 * and no active set. */
static double search(const sample *s, double *u)
{
    int32_t count = s->law.count;
    double best = HUGE_VAL, norm;
    memset(u, 0, sizeof *u * (size_t)count);
    for (int32_t k = 0; k < count; k++) u[k] = fmin(fmax(0.0, s->low[k]), s->high[k]);
    best = find_miss(s, u, &norm);
    for (double step = 1.0; step > 1e-9; step *= 0.5)
        for (bool better = true; better;) {
            better = false;
            int32_t ways = 1;
            for (int32_t k = 0; k < count; k++) ways *= 3;
            for (int32_t way = 0; way < ways; way++) {
                double trial[most_motors];
                int32_t rest = way;
                for (int32_t k = 0; k < count; k++, rest /= 3)
                    trial[k] = fmin(fmax(u[k] + step * (rest % 3 - 1), s->low[k]), s->high[k]);
                double miss = find_miss(s, trial, &norm);
                if (!(miss < best * (1.0 - 1e-12))) continue;
                best = miss;
                memcpy(u, trial, sizeof *u * (size_t)count);
                better = true;
            }
        }
    return best;
}

/* Nothing within the limits misses less. */
static void test_best(void **state)
{
    (void)state;
    int32_t behind = 0, met = 0;
    for (int turn = 0; turn < 600; turn++) {
        sample s;
        double u[most_motors], norm;
        int32_t rows = 1 + turn % 3, count = rows + turn / 3 % (most_motors - rows + 1);
        make_sample(&s, rows, count, 0.2 + 0.01 * turn);
        assert_true(zr_apply_motor_law(&s.law));
        for (int32_t k = 0; k < count; k++) assert_true(s.u[k] >= s.low[k] && s.u[k] <= s.high[k]);
        double own = find_miss(&s, s.u, &norm), other = search(&s, u);
        if (own > other * (1.0 + 1e-7) + 1e-9)
            print_message("turn %d: misses %.3e, others %.3e\n", turn, own, other);
        assert_true(own <= other * (1.0 + 1e-7) + 1e-9);
        assert_true(s.law.behind == (own > 1e-18));
        behind += s.law.behind;
        met += !s.law.behind;
    }
    assert_true(behind > 100 && met > 100);
}

/* Of those that miss nothing none is less: along what changes nothing of P u the norm does not fall
 * within the limits. */
static void test_least(void **state)
{
    (void)state;
    int32_t limited = 0;
    for (int turn = 0; turn < 400; turn++) {
        sample s;
        double norm, other;
        make_sample(&s, 1, 2, 0.2 + 0.003 * turn);
        assert_true(zr_apply_motor_law(&s.law));
        if (s.law.behind) continue;
        limited += s.side[0] != 0 || s.side[1] != 0;
        (void)find_miss(&s, s.u, &norm);
        for (int sign = -1; sign <= 1; sign += 2) {
            double v[2] = {s.u[0] + sign * 1e-5 * s.P[1], s.u[1] - sign * 1e-5 * s.P[0]};
            if (v[0] < s.low[0] || v[0] > s.high[0] || v[1] < s.low[1] || v[1] > s.high[1])
                continue;
            assert_true(find_miss(&s, v, &other) < 1e-18 && other >= norm * (1.0 - 1e-12));
        }
    }
    assert_true(limited > 10);
}

/* Rows that no motor reaches are told, and how many accelerations they can choose. */
static void test_rank(void **state)
{
    (void)state;
    sample s;
    make_sample(&s, 2, 3, 1.0);
    for (int32_t k = 0; k < 3; k++) s.P[3 + k] = 0.0;
    assert_false(zr_apply_motor_law(&s.law));
    assert_int_equal(s.law.rank, 1);
    assert_true(!s.missed[0] && s.missed[1]);
    make_sample(&s, 3, 2, 1.0);
    assert_false(zr_apply_motor_law(&s.law));
    assert_int_equal(s.law.rank, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_best), cmocka_unit_test(test_least),
                                       cmocka_unit_test(test_rank)};
    return cmocka_run_group_tests_name("motor law", tests, NULL, NULL);
}
