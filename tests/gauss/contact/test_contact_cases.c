/*
 * test_contact_cases.c: instants with known answers: a rod with too much friction, Newton's cradle by
 * both rules, a table on four legs, walls that squeeze.
 */
#include <stdio.h>
#include <string.h>

#include "contact_bench.h"

static const zg_search usual = {.tolerance = {1e-8, 1e-10, 1e-6}, .count = true};

/* -------------------------------------------------------------------- Painleve's rod */

/* Mass 1, half length 1, J = 1/3, tan th = 2, the lower end slides; rows: its height, its slip. */
static void make_rod(problem *p, double mu, double omega, double slip)
{
    double c = 1.0 / sqrt(5.0), s = 2.0 / sqrt(5.0), M[3] = {1.0, 1.0, 1.0 / 3.0};
    double R[6] = {0.0, 1.0, -c, 1.0, 0.0, s}, z[3] = {0.0, -9.81, 0.0};
    double b[2] = {-s * omega * omega, -c * omega * omega};
    problem_begin(p, 2);
    problem_rows(p, 3, M, R, z, b);
    problem_contact(p, 0, 0.0);
    problem_friction(p, 1, 1, mu, 0);
    p->friction[0].slip[0] = slip;
}

static void rod(void **state)
{
    static const struct {
        double mu, omega, slip, pivot, free;
        int count;
        double N[2];
    } cases[] = {
        {2, 0, 1, 4.0, -9.81, 1, {2.4525}},
        {1, 0, -1, 0.4, -9.81, 1, {24.525}},
        {2, 0, -1, -0.8, -9.81, 0, {0}},
        {2, 5, -1, -0.8, 12.55067977499789696409, 2, {0.0, 15.68834971874737120511}},
        {1, 5, -1, 0.4, 12.55067977499789696409, 1, {0.0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        problem p;
        answers a;
        make_rod(&p, cases[i].mu, cases[i].omega, cases[i].slip);
        answers_begin(&a);
        zg_outcome outcome = zg_find_mode(space, &p.instant, &usual, &a.found);
        if (cases[i].count == 0) {
            assert_int_equal(outcome, ZG_NO_MODE);
            assert_true(a.found.certified);
            assert_int_equal(a.found.contact, 0);
            near(a.found.contact_pivot, cases[i].pivot, 1e-12);
            near(a.found.free_acceleration, cases[i].free, 1e-12);
        } else if (cases[i].count == 1) {
            assert_int_equal(outcome, ZG_FOUND);
            assert_true(a.found.certified);
            near(a.x[0], cases[i].N[0], 1e-12 * 25);
            near(a.x[1], -cases[i].mu * cases[i].slip * cases[i].N[0], 1e-12 * 50);
            if (cases[i].N[0] > 0.0) near(a.found.pivot, cases[i].pivot / p.G[0], 1e-13);
        } else {
            assert_int_equal(outcome, ZG_SEVERAL);
            assert_int_equal(a.found.contact, 0);
            near(fmin(a.found.value[0], a.found.value[1]), cases[i].N[0], 1e-11);
            near(fmax(a.found.value[0], a.found.value[1]), cases[i].N[1], 1e-11);
        }
    }
}

/* --------------------------------------------------------------------------- cradle */

typedef struct cradle {
    int n;
    double m[5], before[5], e, rounds[5], together[5];
    int count;
    bool mattered;
} cradle;

static void swing(const cradle *c, zg_impact_rule rule, zg_impact_law law)
{
    problem p;
    answers a;
    double R[20] = {0}, approach[4], v[5];
    problem_begin(&p, c->n - 1);
    for (int i = 0; i < c->n - 1; i++) {
        R[i * c->n + i] = -1.0;
        R[i * c->n + i + 1] = 1.0;
        approach[i] = 1e-12;
        problem_contact(&p, i, c->e);
    }
    problem_rows(&p, c->n, c->m, R, c->before, NULL);
    answers_begin(&a);
    zg_impact_task task = {.law = law, .rule = rule, .approach = approach, .energy = 1.0};
    task.tolerance = (zg_contact_tolerance){1e-11, 1e-10, 1e-8};
    assert_int_equal(zg_contact_impact(space, &p.instant, &task, &a.impact), ZG_FOUND);
    const double *expected = rule == ZG_ROUNDS ? c->rounds : c->together;
    for (int i = 0; i < c->n; i++) {
        v[i] = c->before[i] + (i > 0 ? a.x[i - 1] : 0.0) / c->m[i];
        if (i < c->n - 1) v[i] -= a.x[i] / c->m[i];
        near(v[i], expected[i], 2e-15);
    }
    if (rule == ZG_ROUNDS) assert_int_equal(a.impact.rounds, c->count);
    assert_int_equal(a.impact.rule_mattered, c->mattered);
    assert_false(a.impact.ended);
    assert_true(a.impact.guard == 1.0);
}

static void balls(void **state)
{
    static const cradle cases[] = {
        {3, {1, 1, 1}, {1, 0, 0}, 1, {0, 0, 1}, {-1. / 3, 2. / 3, 2. / 3}, 2, true},
        {5, {1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 1, {0, 0, 0, 0, 1}, {-.6, .4, .4, .4, .4}, 4, true},
        {5, {1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, 1, {0, 0, 0, 1, 1}, {-.2, -.2, .8, .8, .8}, 4, true},
        {3, {2, 1, 1}, {1, 0, 0}, 1, {1. / 9, 4. / 9, 4. / 3}, {0, 1, 1}, 3, true},
        {3, {1, 1, 1}, {1, 0, -1}, 1, {-1, 0, 1}, {-1, 0, 1}, 1, false},
        {3, {1, 1, 1}, {1, 0, 0}, 0, {1. / 3, 1. / 3, 1. / 3}, {1. / 3, 1. / 3, 1. / 3}, 1, false},
        {3, {1, 1, 1}, {1, 0, 0}, .5, {0.203125, 0.234375, 0.5625}, {0, .5, .5}, 3, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        swing(&cases[i], ZG_ROUNDS, ZG_NEWTON);
        swing(&cases[i], ZG_TOGETHER, ZG_NEWTON);
        swing(&cases[i], ZG_ROUNDS, ZG_POISSON);
        swing(&cases[i], ZG_TOGETHER, ZG_POISSON);
    }
}

/* ------------------------------------------------------------------- table, walls */

/* Height and two tilts of masses 10, 5, 2; a load at (x, y) besides its weight. */
static void make_table(problem *p, double load, double x, double y)
{
    static const double M[3] = {10.0, 5.0, 2.0};
    static const double R[12] = {1, 1, .5, 1, -1, .5, 1, -1, -.5, 1, 1, -.5};
    double z[3] = {(-98.1 - load) / M[0], -load * x / M[1], -load * y / M[2]};
    problem_begin(p, 4);
    problem_rows(p, 3, M, R, z, NULL);
    for (int32_t i = 0; i < 4; i++) problem_contact(p, i, 0.0);
}

static void table(void **state)
{
    static const struct {
        double load, x, y, acceleration[3], share[4];
        bool unique[4];
    } cases[] = {
        {20, 0, 0, {0, 0, 0}, {1181. / 40, 1181. / 40, 1181. / 40, 1181. / 40}, {0, 0, 0, 0}},
        {1000, 1, 0, {0, 0, 0}, {20981. / 40, 981. / 40, 981. / 40, 20981. / 40}, {0, 0, 0, 0}},
        {1000, .9, .4, {0, 0, 0}, {850, 1981. / 20, 0, 2981. / 20}, {0, 0, 0, 0}},
        {1000,
         1.5,
         0,
         {4019. / 150, -4019. / 150, 0},
         {40981. / 60, 0, 0, 40981. / 60},
         {1, 1, 1, 1}},
        {2000, 1.3, .8, {3673. / 60, 0, -3673. / 30}, {39827. / 15, 827. / 15, 0, 0}, {1, 1, 1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        problem p;
        answers a;
        double share[4];
        bool unique[4];
        make_table(&p, cases[i].load, cases[i].x, cases[i].y);
        answers_begin(&a);
        assert_int_equal(zg_find_mode(space, &p.instant, &usual, &a.found), ZG_FOUND);
        assert_true(a.found.certified);
        const double *z = cases[i].acceleration;
        for (int32_t j = 0; j < 4; j++) {
            static const double R[12] = {1, 1, .5, 1, -1, .5, 1, -1, -.5, 1, 1, -.5};
            double u = R[3 * j] * z[0] + R[3 * j + 1] * z[1] + R[3 * j + 2] * z[2];
            near(a.u[j], u, 1e-12 * (200 + cases[i].load));
            assert_true(a.x[j] >= -1e-12 * cases[i].load);
            if (a.row[j] == ZG_ROW_IMPLIED) assert_int_equal(a.contact[j], ZG_UNLOADED);
        }
        assert_true(
            zg_shares(space, &p.instant, &a.found.mode, &usual.tolerance, a.x, share, unique));
        for (int32_t j = 0; j < 4; j++) {
            near(share[j], cases[i].share[j], 1e-12 * (100 + cases[i].load));
            assert_int_equal(unique[j], cases[i].unique[j]);
        }
    }
}

/* A mass between two walls that close in on it, u_1 = z - 1, u_2 = -z - 3, and a third that is far away. */
static void squeeze(void **state)
{
    problem p;
    answers a;
    double M[2] = {2.0, 1.0}, R[6] = {1, 0, -1, 0, 0, 1}, z[2] = {0.0, 5.0}, b[3] = {1, 3, 0};
    (void)state;
    problem_begin(&p, 3);
    problem_rows(&p, 2, M, R, z, b);
    for (int32_t i = 0; i < 3; i++) problem_contact(&p, i, 0.0);
    for (int32_t friction = 0; friction < 2; friction++) {
        answers_begin(&a);
        assert_int_equal(zg_find_mode(space, &p.instant, &usual, &a.found), ZG_CONFLICT);
        near(a.other[1] / a.other[0], 1.0, 1e-13);
        assert_true(a.other[0] > 0.0 && a.other[2] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod),
        cmocka_unit_test(balls),
        cmocka_unit_test(table),
        cmocka_unit_test(squeeze),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
