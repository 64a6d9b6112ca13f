/*
 * test_contact_sides.c: two joints whose frictions hold the same slip. What one bears less the other bears more, and the
 * pressures |lambda| change with it: by hand the shares that both cones allow are the union of four intervals,
 * one for each choice of signs. It sticks if there is one, and of them the least is told.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contact_problems.h"
#include "memory.h"

static zb_memory memory;
static zg_contact_space *space;
static uint64_t seed = 1;

static int begin(void **state)
{
    (void)state;
    zb_memory_init(&memory, NULL);
    space = problem_space(&memory);
    return 0;
}

static int end(void **state)
{
    (void)state;
    zg_contact_space_free(space);
    return memory.held == 0 ? 0 : -1;
}

static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

/* Both rows are the same slip. */
static void make_pair(problem *p)
{
    double g = uniform(0.5, 2.0);
    problem_begin(p, 2);
    for (int i = 0; i < 4; i++) p->G[i] = g;
    p->w[0] = p->w[1] = uniform(-2.0, 2.0);
    p->instant.joints = 2;
    for (int32_t i = 0; i < 2; i++) {
        int32_t f = problem_friction(p, i, 1, uniform(0.1, 1.0), -1);
        p->friction[f].joint_first = i;
        p->friction[f].joints = 1;
        p->lambda0[i] = uniform(-2.0, 2.0);
        for (int32_t j = 0; j < 2; j++) p->L[2 * i + j] = uniform(-1.0, 1.0);
    }
}

/* a + b s >= 0 cuts the interval. */
static void cut(double a, double b, double *low, double *high)
{
    if (b > 0.0) *low = fmax(*low, -a / b);
    if (b < 0.0) *high = fmin(*high, -a / b);
    if (b == 0.0 && a < 0.0) *high = -HUGE_VAL;
}

/* x = (s, c - s): the share of least norm in both cones for each choice of signs, the least of all in *best; how much room
 * the widest interval has, below 0: there is none. */
static double by_hand(const problem *p, double *best)
{
    double c = -p->w[0] / p->G[0], widest = -HUGE_VAL, norm = HUGE_VAL;
    for (int signs = 0; signs < 4; signs++) {
        double low = -1e3, high = 1e3;
        for (int i = 0; i < 2; i++) {
            double side = signs >> i & 1 ? -1.0 : 1.0, mu = side * p->friction[i].mu;
            const double *l = p->L + 2 * i;
            double a = mu * (p->lambda0[i] + l[1] * c), b = mu * (l[0] - l[1]);
            double x0 = i == 0 ? 0.0 : c, x1 = i == 0 ? 1.0 : -1.0;
            cut(a - x0, b - x1, &low, &high);
            cut(a + x0, b + x1, &low, &high);
        }
        widest = fmax(widest, high - low);
        double s = fmin(fmax(0.5 * c, low), high);
        if (!(high >= low) || !(s * s + (c - s) * (c - s) < norm)) continue;
        norm = s * s + (c - s) * (c - s);
        *best = s;
    }
    return widest;
}

static void shares_over_signs(void **state)
{
    zg_search search = {.tolerance = zg_contact_usual, .count = true};
    int sticks = 0, slips = 0, reversed = 0;
    double worst = 0.0;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        problem p;
        answers a;
        double s = 0.0, share[2];
        make_pair(&p);
        answers_begin(&a);
        double room = by_hand(&p, &s);
        if (fabs(room) < 1e-5) continue; /* too near to tell */
        zg_outcome outcome = zg_find_mode(space, &p.instant, &search, &a.found);
        bool rests = (outcome == ZG_FOUND || outcome == ZG_SEVERAL) && fabs(a.u[0]) < 1e-7;
        assert_true(rests == (room > 0.0));
        slips += !rests;
        if (!rests) continue;
        sticks++;
        assert_true(a.found.certificate.dual < 1e-7);
        if (a.friction[0] != ZG_STICK || a.friction[1] != ZG_STICK) continue;
        assert_true(
            zg_shares(space, &p.instant, &a.found.mode, &search.tolerance, a.x, share, NULL));
        worst = fmax(worst, fmax(fabs(share[0] - s), fabs(share[0] + share[1] + p.w[0] / p.G[0])));
        for (int i = 0; i < 2; i++) {
            double lambda = p.lambda0[i] + p.L[2 * i] * share[0] + p.L[2 * i + 1] * share[1];
            assert_true(fabs(share[i]) <= p.friction[i].mu * fabs(lambda) + 1e-8);
            reversed += lambda * p.lambda0[i] < 0.0;
        }
    }
    printf("%d stick, %d slip, %d signs reversed by shares; worst %.1e\n", sticks, slips, reversed,
           worst);
    assert_true(sticks > 5000 && slips > 1000 && reversed > 100);
    assert_true(worst < 1e-7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_over_signs)};
    return cmocka_run_group_tests(tests, begin, end);
}
