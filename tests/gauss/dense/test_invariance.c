/*
 * test_invariance.c: what must not change the motion.
 *
 * The order of rows and of coordinates, repeating a row, the units of mass, of coordinates
 * and of rows, the way M and W are handed over; and the answer is linear in (Q + C, b).
 * Each test turns a problem into another one whose answer follows from the first's.
 */
#include "gauss_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEEDS = 60 };

static const recipe kinds[] = {
    {1, 8, MASS_GENERIC, 1e2, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_GENERIC, 1e2, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_TWO, 0},
    {1, 8, MASS_DIAGONAL, 1e2, ROWS_MANY, CONSISTENT, ZW_DIAGONAL, SCALE_NONE, 0},
    {1, 8, MASS_GENERIC, 1e2, ROWS_REDUNDANT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_GENERIC, 1e2, ROWS_REDUNDANT, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {1, 8, MASS_DIAGONAL, 1e2, ROWS_MANY, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
    {1, 8, MASS_GENERIC, 1e2, ROWS_SOME_ZERO, ANY_B, ZW_DIAGONAL, SCALE_NONE, 0},
    {9, 20, MASS_GENERIC, 1e2, ROWS_REDUNDANT, ANY_B, ZW_FULL, SCALE_NONE, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Makes of p another problem; *q is the caller's. NULL: does not apply. */
typedef problem *(*turn)(const problem *p, uint64_t *state);
/* Turns the answer of the other problem back, so that it should equal the first's. */
typedef void (*turn_back)(const problem *p, const problem *q, solved *t);

static double force_scale(const problem *p, const solved *s)
{
    return norm(p->Q, p->n) + norm(p->C, p->n) + norm(s->Qi, p->n);
}

static void expect_same(verdict *v, const problem *p, const solved *s, const solved *t)
{
    double scale = force_scale(p, s), root = sqrt(s->answer.gaussian);
    double e = 1e-12 * (norm_in(p->M, s->z, p->n) + root);
    verdict_below(v, p, "motion", distance(t->z, s->z, p->n), 2e-13 * motion_scale(p, s->z));
    verdict_below(v, p, "ideal force", distance(t->Qi, s->Qi, p->n), 1e-12 * scale);
    verdict_below(v, p, "non-ideal force", distance(t->Qn, s->Qn, p->n), 1e-12 * scale);
    verdict_true(v, p, "rank", t->answer.rank == s->answer.rank);
    verdict_true(v, p, "consistent", t->answer.consistent == s->answer.consistent);
    verdict_below(v, p, "gaussian", fabs(t->answer.gaussian - s->answer.gaussian),
                  2 * root * e + e * e);
}

static void for_all(turn f, turn_back back, int32_t least)
{
    verdict v = {0};
    for (int32_t i = 0; i < KINDS * SEEDS; i++) {
        uint64_t state = (uint64_t)i;
        problem *p = problem_make(&kinds[i % KINDS], (uint64_t)(i / KINDS) + 5000);
        problem *q = f(p, &state);
        if (q != NULL) {
            solved s, t;
            solve_problem(p, &s);
            solve_problem(q, &t);
            verdict_status(&v, p, "solve", s.status, ZW_OK);
            verdict_status(&v, p, "solve the other", t.status, ZW_OK);
            if (s.status == ZW_OK && t.status == ZW_OK) {
                if (back != NULL) {
                    back(p, q, &t);
                }
                expect_same(&v, p, &s, &t);
            }
            solve_clear(&s);
            solve_clear(&t);
        }
        problem_free(q);
        problem_free(p);
    }
    verdict_finish(&v, least);
}

static int32_t *random_order(uint64_t *state, int32_t n)
{
    int32_t *order = calloc((size_t)n + 1, sizeof *order);
    for (int32_t i = 0; i < n; i++) {
        order[i] = i;
    }
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t k = random_integer(state, 0, i), x = order[i];
        order[i] = order[k];
        order[k] = x;
    }
    return order;
}

/* -------------------------------------------------------------------- rows */

/* q with the rows `from[i]` of p, any number of them */
static problem *take_rows(const problem *p, const int32_t *from, int32_t m)
{
    problem *q = problem_new(p->n, m);
    size_t n = (size_t)p->n;
    memcpy(q->M, p->M, n * n * sizeof(double));
    memcpy(q->Q, p->Q, n * sizeof(double));
    memcpy(q->C, p->C, n * sizeof(double));
    q->mass = p->mass;
    q->weight = p->weight;
    q->with_C = p->with_C;
    for (int32_t i = 0; i < m; i++) {
        memcpy(q->A + i * p->n, p->A + from[i] * p->n, n * sizeof(double));
        q->b[i] = p->b[from[i]];
    }
    return q;
}

static problem *permute_rows(const problem *p, uint64_t *state)
{
    int32_t *order = random_order(state, p->m);
    problem *q = take_rows(p, order, p->m);
    for (int32_t i = 0; i < p->m * p->m; i++) {
        q->W[i] = p->W[order[i / p->m] * p->m + order[i % p->m]];
    }
    free(order);
    return q;
}

static void test_order_of_rows(void **state)
{
    (void)state;
    for_all(permute_rows, NULL, 3000);
}

/* A row once more: nothing changes as long as the rows agree with each other. */
static problem *repeat_rows(const problem *p, uint64_t *state)
{
    bool contradicting = p->made.b == ANY_B && p->made.rows != ROWS_INDEPENDENT;
    if (contradicting) {
        return NULL;
    }
    int32_t extra = random_integer(state, 1, 3);
    int32_t *from = calloc((size_t)(p->m + extra), sizeof *from);
    for (int32_t i = 0; i < p->m + extra; i++) {
        from[i] = i < p->m ? i : random_integer(state, 0, p->m - 1);
    }
    problem *q = take_rows(p, from, p->m + extra);
    q->weight = ZW_IDENTITY;
    free(from);
    return q;
}

static void test_repeated_rows(void **state)
{
    (void)state;
    for_all(repeat_rows, NULL, 1200);
}

/* Twice a row of weight w counts as much as once the row with weight 2 w. */
static problem *repeat_instead_of_weight(const problem *p, uint64_t *state)
{
    if (p->weight == ZW_FULL) {
        return NULL;
    }
    int32_t row = random_integer(state, 0, p->m - 1), m = p->m + 1;
    int32_t *from = calloc((size_t)m, sizeof *from);
    for (int32_t i = 0; i < m; i++) {
        from[i] = i < p->m ? i : row;
    }
    problem *q = take_rows(p, from, m);
    q->weight = ZW_DIAGONAL;
    for (int32_t i = 0; i < m; i++) {
        double w = p->W[from[i] * (p->m + 1)];
        q->W[i * (m + 1)] = from[i] == row ? w / 2 : w;
    }
    free(from);
    return q;
}

static void test_repeated_weight(void **state)
{
    (void)state;
    for_all(repeat_instead_of_weight, NULL, 2000);
}

/* Other units for the rows, W counting in them: D A, D b, D^-1 W D^-1. */
static problem *other_row_units(const problem *p, uint64_t *state)
{
    problem *q = problem_copy(p);
    q->weight = p->weight == ZW_IDENTITY ? ZW_DIAGONAL : p->weight;
    for (int32_t i = 0; i < p->m; i++) {
        double d = ldexp(1, random_integer(state, -6, 6));
        q->b[i] *= d;
        for (int32_t j = 0; j < p->n; j++) {
            q->A[i * p->n + j] *= d;
        }
        for (int32_t k = 0; k < p->m; k++) {
            q->W[i * p->m + k] /= d;
            q->W[k * p->m + i] /= d;
        }
    }
    return q;
}

static void test_units_of_rows(void **state)
{
    (void)state;
    for_all(other_row_units, NULL, 3000);
}

/* Rows that agree may be scaled without W. */
static problem *scaled_rows(const problem *p, uint64_t *state)
{
    bool contradicting = p->made.b == ANY_B && p->made.rows != ROWS_INDEPENDENT;
    problem *q = contradicting ? NULL : other_row_units(p, state);
    if (q != NULL) {
        memcpy(q->W, p->W, (size_t)(p->m * p->m) * sizeof(double));
    }
    return q;
}

static void test_scaled_rows(void **state)
{
    (void)state;
    for_all(scaled_rows, NULL, 1200);
}

/* ------------------------------------------------------------- coordinates */

/* Other units of the coordinates, z = S z': S M S, S Q, A S. */
static problem *other_coordinate_units(const problem *p, uint64_t *state)
{
    problem *q = problem_copy(p);
    for (int32_t j = 0; j < p->n; j++) {
        double d = ldexp(1, random_integer(state, -3, 3));
        q->Q[j] *= d;
        q->C[j] *= d;
        for (int32_t i = 0; i < p->m; i++) {
            q->A[i * p->n + j] *= d;
        }
        for (int32_t k = 0; k < p->n; k++) {
            q->M[j * p->n + k] *= d;
            q->M[k * p->n + j] *= d;
        }
    }
    return q;
}

static void back_from_coordinate_units(const problem *p, const problem *q, solved *t)
{
    for (int32_t j = 0; j < p->n; j++) {
        double d = q->Q[j] / p->Q[j];
        t->z[j] *= d;
        t->Qi[j] /= d;
        t->Qn[j] /= d;
    }
}

static void test_units_of_coordinates(void **state)
{
    (void)state;
    for_all(other_coordinate_units, back_from_coordinate_units, 3000);
}

static uint64_t order_seed; /* so that both ways use the same order */

static problem *permute_coordinates(const problem *p, uint64_t *state)
{
    problem *q = problem_copy(p);
    order_seed = *state;
    int32_t *order = random_order(state, p->n), n = p->n;
    for (int32_t j = 0; j < n; j++) {
        q->Q[j] = p->Q[order[j]];
        q->C[j] = p->C[order[j]];
        for (int32_t i = 0; i < p->m; i++) {
            q->A[i * n + j] = p->A[i * n + order[j]];
        }
        for (int32_t k = 0; k < n; k++) {
            q->M[j * n + k] = p->M[order[j] * n + order[k]];
        }
    }
    free(order);
    return q;
}

static void back_from_order(const problem *p, const problem *q, solved *t)
{
    (void)q;
    uint64_t state = order_seed;
    int32_t *order = random_order(&state, p->n), n = p->n;
    double *old = malloc((size_t)n * sizeof *old), *vectors[] = {t->z, t->Qi, t->Qn};
    for (int32_t k = 0; k < 3; k++) {
        memcpy(old, vectors[k], (size_t)n * sizeof *old);
        for (int32_t j = 0; j < n; j++) {
            vectors[k][order[j]] = old[j];
        }
    }
    free(old);
    free(order);
}

static void test_order_of_coordinates(void **state)
{
    (void)state;
    for_all(permute_coordinates, back_from_order, 3000);
}

/* Another unit of mass: M, Q, C times c; forces and Gaussian go along. */
static problem *other_mass_unit(const problem *p, uint64_t *state)
{
    problem *q = problem_copy(p);
    double c = ldexp(1, random_integer(state, -40, 40));
    for (int32_t i = 0; i < p->n * p->n; i++) {
        q->M[i] *= c;
    }
    for (int32_t j = 0; j < p->n; j++) {
        q->Q[j] *= c;
        q->C[j] *= c;
    }
    return q;
}

static void back_from_mass_unit(const problem *p, const problem *q, solved *t)
{
    double c = q->Q[0] / p->Q[0];
    for (int32_t j = 0; j < p->n; j++) {
        t->Qi[j] /= c;
        t->Qn[j] /= c;
    }
    t->answer.gaussian /= c;
}

static void test_unit_of_mass(void **state)
{
    (void)state;
    for_all(other_mass_unit, back_from_mass_unit, 3000);
}

/* -------------------------------------------------------- ways of giving it */

/* A diagonal given in full, an identity given as a matrix: the same problem. */
static problem *given_in_full(const problem *p, uint64_t *state)
{
    (void)state;
    problem *q = problem_copy(p);
    q->mass = q->weight = ZW_FULL;
    return q;
}

static void test_given_in_full(void **state)
{
    (void)state;
    for_all(given_in_full, NULL, 3000);
}

/* A plan may be used again: the same bits, whatever was solved in between. */
static void test_plan_used_again(void **state)
{
    (void)state;
    verdict v = {0};
    for (int32_t i = 0; i < KINDS * SEEDS; i++) {
        uint64_t random = (uint64_t)i;
        problem *p = problem_make(&kinds[i % KINDS], (uint64_t)(i / KINDS));
        problem *q = other_mass_unit(p, &random);
        solved s, t;
        solve_problem(p, &s);
        solve_problem(q, &t); /* another problem of the same shape */
        verdict_status(&v, p, "factor again", factor_problem(p, t.g), ZW_OK);
        zw_gauss_solve(t.g, p->Q, given_b(p), given_C(p), &t.answer);
        size_t bytes = (size_t)(6 * p->n + 3 * p->m) * sizeof(double);
        verdict_true(&v, p, "the same bits", memcmp(s.memory, t.memory, bytes) == 0);
        verdict_true(&v, p, "the same rank", s.answer.rank == t.answer.rank);
        solve_clear(&s);
        solve_clear(&t);
        problem_free(q);
        problem_free(p);
    }
    verdict_finish(&v, 1400);
}

/* ---------------------------------------------------------------- linearity */

static zw_status solve_with(zw_gauss *g, const double *f, const double *b, double *z)
{
    zw_gauss_answer answer = {.acceleration = z};
    return zw_gauss_solve(g, f, b, NULL, &answer);
}

/* z(x Q + y C, x b + y b') = x z(Q, b) + y z(C, b'); and z depends on Q + C only. */
static void test_linearity(void **state)
{
    (void)state;
    verdict v = {0};
    for (int32_t i = 0; i < KINDS * SEEDS; i++) {
        uint64_t random = (uint64_t)i;
        problem *p = problem_make(&kinds[i % KINDS], (uint64_t)(i / KINDS));
        int32_t n = p->n, m = p->m;
        solved s;
        solve_problem(p, &s);
        double *room = calloc((size_t)(5 * n + 2 * m), sizeof *room), *f = room, *z1 = room + n;
        double *z2 = room + 2 * n, *sum = room + 3 * n, *z = room + 4 * n;
        double *b2 = room + 5 * n, *b = b2 + m, x = 2, y = -0.5;
        for (int32_t k = 0; k < m; k++) {
            b2[k] = p->made.b == CONSISTENT ? 3 * p->b[k] : random_dyadic(&random);
            b[k] = x * p->b[k] + y * b2[k];
        }
        for (int32_t j = 0; j < n; j++) {
            p->C[j] = random_real(&random, -10, 10);
            f[j] = x * p->Q[j] + y * p->C[j];
        }
        verdict_status(&v, p, "first", solve_with(s.g, p->Q, p->b, z1), ZW_OK);
        verdict_status(&v, p, "second", solve_with(s.g, p->C, b2, z2), ZW_OK);
        verdict_status(&v, p, "both", solve_with(s.g, f, b, z), ZW_OK);
        for (int32_t j = 0; j < n; j++) {
            sum[j] = x * z1[j] + y * z2[j];
        }
        double size = norm(z1, n) + norm(z2, n);
        verdict_below(&v, p, "linear", distance(sum, z, n), 1e-12 * size);
        zw_gauss_answer answer = {.acceleration = z1};
        zw_gauss_solve(s.g, p->Q, p->b, p->C, &answer);
        zw_gauss_solve(s.g, p->C, p->b, p->Q, &(zw_gauss_answer){.acceleration = z2});
        verdict_below(&v, p, "Q and C change places", distance(z1, z2, n), 1e-12 * norm(z1, n));
        free(room);
        solve_clear(&s);
        problem_free(p);
    }
    verdict_finish(&v, 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_rows),
        cmocka_unit_test(test_repeated_rows),
        cmocka_unit_test(test_repeated_weight),
        cmocka_unit_test(test_units_of_rows),
        cmocka_unit_test(test_scaled_rows),
        cmocka_unit_test(test_units_of_coordinates),
        cmocka_unit_test(test_order_of_coordinates),
        cmocka_unit_test(test_unit_of_mass),
        cmocka_unit_test(test_given_in_full),
        cmocka_unit_test(test_plan_used_again),
        cmocka_unit_test(test_linearity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
