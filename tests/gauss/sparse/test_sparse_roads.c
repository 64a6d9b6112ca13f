/*
 * test_sparse_roads.c: what happens around the answers of the sparse solver.
 *
 * A plan serves many factors, to the same bits as a new one; apply is what solve gives; systems
 * without rows; motions that nothing determines and matrices that are not definite are refused as
 * the dense solver refuses them; the dense and the sparse solver find the same dependent rows;
 * memory that runs out at any request leaves a status and nothing else.
 */
#include "sparse_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static sparse_problem *make(net_shape shape, net_mass mass, net_extra extra, uint64_t seed)
{
    net_kind kind = {.shape = shape, .mass = mass, .extra = extra, .rows = 24};
    return net_make(&kind, seed);
}

static zg_system *planned(zb_memory *memory, const sparse_problem *p, zw_solver solver)
{
    zg_structure is = p->is;
    zg_system *g = NULL;
    is.solver = solver;
    assert_int_equal(zg_system_plan(memory, &is, &g), ZW_OK);
    return g;
}

/* ------------------------------------------------------------------ many factors */

/* z [n] of a factor with these values. */
static void solve(zg_system *g, const sparse_problem *p, const zg_values *values, double *z)
{
    assert_int_equal(zg_system_factor(g, values), ZW_OK);
    assert_int_equal(zg_system_apply(g, p->Q, p->b, z, NULL, NULL, NULL), ZW_OK);
}

static void factors_again(zb_memory *memory, const sparse_problem *p)
{
    size_t n = (size_t)p->is.n, entries = (size_t)p->is.A.start[p->is.m];
    double *A = malloc((entries + 3 * n) * sizeof *A), *first = A + entries, *z = first + n;
    assert_non_null(A);
    zg_system *g = planned(memory, p, ZW_SOLVER_SPARSE);
    solve(g, p, &p->values, first);
    zg_values other = p->values;
    memcpy(A, p->values.A, entries * sizeof *A);
    for (size_t k = 0; k < entries; k++) A[k] *= 1.0 + 0.25 * sin((double)k);
    other.A = A;
    other.same_mass = true;
    solve(g, p, &other, z);
    zg_system *fresh = planned(memory, p, ZW_SOLVER_SPARSE);
    other.same_mass = false;
    solve(fresh, p, &other, z + n);
    assert_memory_equal(z, z + n, n * sizeof *z);
    assert_memory_not_equal(z, first, n * sizeof *z);
    other.A = p->values.A; /* and back */
    other.same_mass = true;
    solve(g, p, &other, z);
    assert_memory_equal(z, first, n * sizeof *z);
    zg_system_free(g);
    zg_system_free(fresh);
    free(A);
}

static void test_factors_again(void **state)
{
    for (int32_t k = 0; k < NET_SHAPES * NET_MASSES; k++) {
        net_shape shape = (net_shape)(k % NET_SHAPES);
        net_mass mass = (net_mass)(k / NET_SHAPES);
        sparse_problem *p = make(shape, mass, EXTRA_NONE, (uint64_t)(300 + k));
        factors_again(*state, p);
        net_free(p);
    }
}

/* apply gives the acceleration and what is lost as solve does. */
static void test_apply(void **state)
{
    for (int32_t k = 0; k < NET_SHAPES * NET_EXTRAS; k++) {
        net_shape shape = (net_shape)(k % NET_SHAPES);
        sparse_problem *p =
            make(shape, MASS_BLOCKS_2, (net_extra)(k / NET_SHAPES), (uint64_t)(400 + k));
        size_t n = (size_t)p->is.n, m = (size_t)p->is.m;
        double *z = calloc(2 * (n + m), sizeof *z), *y = z + n, *lost = y + n, *delta = lost + m;
        double lost_norm = -1;
        assert_non_null(z);
        zg_system *g = planned(*state, p, ZW_SOLVER_SPARSE);
        zw_gauss_answer answer = {.acceleration = y, .inconsistency = delta};
        assert_int_equal(zg_system_factor(g, &p->values), ZW_OK);
        assert_int_equal(zg_system_apply(g, p->Q, p->b, z, NULL, lost, &lost_norm), ZW_OK);
        assert_int_equal(zg_system_solve(g, p->Q, p->b, NULL, &answer), ZW_OK);
        assert_true(distance_of(z, y, p->is.n) <= 1e-10 * size_of(y, p->is.n));
        assert_true(answer.consistent == (lost_norm == 0.0));
        if (!answer.consistent) {
            assert_true(fabs(lost_norm - answer.inconsistency_norm) <= 1e-9 * lost_norm);
            for (size_t i = 0; i < m; i++) lost[i] = -lost[i];
            assert_true(distance_of(lost, delta, p->is.m) <= 1e-9 * size_of(delta, p->is.m));
        }
        zg_system_free(g);
        free(z);
        net_free(p);
    }
}

/* ------------------------------------------------------------------ what is refused */

/* No rows at all: the free motion. */
static void test_no_rows(void **state)
{
    static const int32_t none[1] = {0};
    for (int32_t mass = 0; mass <= MASS_GENERAL; mass++) {
        sparse_problem *p = make(NET_CHAIN, (net_mass)mass, EXTRA_NONE, 500);
        sparse_problem bare = *p;
        bare.is.m = 0;
        bare.is.A = (zg_pattern){0, p->is.n, none, none};
        outcome dense = solved_by(*state, &bare, ZW_SOLVER_DENSE);
        outcome sparse = solved_by(*state, &bare, ZW_SOLVER_SPARSE);
        assert_int_equal(dense.status, ZW_OK);
        assert_int_equal(sparse.status, ZW_OK);
        assert_true(distance_of(dense.z, sparse.z, p->is.n) <= 1e-13 * size_of(dense.z, p->is.n));
        assert_int_equal(sparse.answer.rank, 0);
        assert_true(sparse.answer.consistent);
        outcome_free(&dense);
        outcome_free(&sparse);
        net_free(p);
    }
}

/* Coordinates 4 and 9 have neither mass nor rods. */
static void test_undetermined(void **state)
{
    for (int32_t shape = 0; shape < NET_SHAPES; shape++) {
        sparse_problem *p = make((net_shape)shape, MASS_PLAIN, EXTRA_NONE, 600);
        double *M = p->owned[5], *A = p->owned[2];
        bool moves[2][128] = {{false}};
        assert_true(p->is.n <= 128);
        M[4] = M[9] = 0.0;
        for (int32_t k = 0; k < p->is.A.start[p->is.m]; k++)
            if (p->is.A.column[k] == 4 || p->is.A.column[k] == 9) A[k] = 0.0;
        for (int32_t k = 0; k < 2; k++) {
            zg_system *g = planned(*state, p, k == 0 ? ZW_SOLVER_DENSE : ZW_SOLVER_SPARSE);
            assert_int_equal(zg_system_factor(g, &p->values), ZW_ERR_UNDETERMINED);
            assert_int_equal(zg_system_free_coordinates(g, moves[k]), ZW_OK);
            zg_system_free(g);
        }
        for (int32_t i = 0; i < p->is.n; i++) {
            assert_int_equal(moves[1][i], i == 4 || i == 9);
            assert_int_equal(moves[0][i], moves[1][i]);
        }
        net_free(p);
    }
}

/* A negative mass, a negative weight, a number that is none. */
static void test_refused(void **state)
{
    static const zw_status expected[] = {ZW_ERR_INDEFINITE, ZW_ERR_INDEFINITE, ZW_ERR_NOT_FINITE,
                                         ZW_ERR_NOT_FINITE};
    for (int32_t k = 0; k < 4 * NET_SHAPES; k++) {
        net_kind kind = {.shape = (net_shape)(k / 4), .weight = WEIGHT_DECADES, .rows = 24};
        sparse_problem *p = net_make(&kind, 700);
        double *M = p->owned[5], *A = p->owned[2], *W = p->owned[8];
        if (k % 4 == 0) M[3] = -1.0;
        if (k % 4 == 1) W[5] = -1.0;
        if (k % 4 == 2) M[2] = (double)NAN;
        if (k % 4 == 3) A[7] = (double)INFINITY;
        for (int32_t s = 0; s < 2; s++) {
            outcome o = solved_by(*state, p, s == 0 ? ZW_SOLVER_DENSE : ZW_SOLVER_SPARSE);
            char where[256];
            net_describe(p, where, sizeof where);
            if (o.status != expected[k % 4])
                fail_msg("%s: %s, case %d: %s", s == 0 ? "dense" : "sparse",
                         zw_status_name(o.status), k % 4, where);
            outcome_free(&o);
        }
        net_free(p);
    }
}

/* ------------------------------------------------------------------------- diagnosis */

/* Dependent sets, conflicts and unique multipliers as the dense solver finds them. */
static void test_diagnosis(void **state)
{
    for (int32_t k = 0; k < NET_SHAPES * NET_EXTRAS; k++) {
        net_shape shape = (net_shape)(k % NET_SHAPES);
        sparse_problem *p =
            make(shape, MASS_PLAIN, (net_extra)(k / NET_SHAPES), (uint64_t)(800 + k));
        zw_diagnosis *d[2] = {NULL};
        char where[256];
        net_describe(p, where, sizeof where);
        for (int32_t s = 0; s < 2; s++) {
            outcome o = solved_by(*state, p, s == 0 ? ZW_SOLVER_DENSE : ZW_SOLVER_SPARSE);
            assert_int_equal(o.status, ZW_OK);
            assert_int_equal(zg_system_diagnose(o.g, p->b, o.z, &d[s]), ZW_OK);
            outcome_free(&o);
        }
        if (d[0]->set_count != d[1]->set_count || d[0]->conflict_count != d[1]->conflict_count)
            fail_msg("%s: %d sets and %d conflicts, densely %d and %d", where, d[1]->set_count,
                     d[1]->conflict_count, d[0]->set_count, d[0]->conflict_count);
        for (int32_t i = 0; i < p->is.m; i++)
            if (d[0]->unique_multiplier[i] != d[1]->unique_multiplier[i])
                fail_msg("%s: multiplier %d", where, i);
        zw_diagnosis_free(d[0]);
        zw_diagnosis_free(d[1]);
        net_free(p);
    }
}

/* ---------------------------------------------------------------------------- memory */

/* Fails the k-th request for memory. */
typedef struct counter {
    int32_t requests, fail_at;
} counter;

static void *counted(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return ++c->requests == c->fail_at ? NULL : realloc(block, new_size);
}

/* The whole road; the first failure. */
static zw_status travel(zb_memory *memory, const sparse_problem *p, double *z)
{
    zg_structure is = p->is;
    zg_system *g = NULL;
    zw_gauss_answer answer = {.acceleration = z};
    zw_gauss_rank_info info;
    zw_diagnosis *diagnosis = NULL;
    is.solver = ZW_SOLVER_SPARSE;
    zw_status status = zg_system_plan(memory, &is, &g);
    if (status == ZW_OK) status = zg_system_factor(g, &p->values);
    if (status == ZW_OK) status = zg_system_solve(g, p->Q, p->b, NULL, &answer);
    if (status == ZW_OK) status = zg_system_rank(g, &info);
    if (status == ZW_OK) status = zg_system_diagnose(g, p->b, z, &diagnosis);
    zw_diagnosis_free(diagnosis);
    zg_system_free(g);
    return status;
}

static void runs_out(const sparse_problem *p)
{
    counter c = {0};
    zw_allocator allocator = {.resize = counted, .user = &c};
    zb_memory memory;
    double *z = calloc((size_t)p->is.n, sizeof *z);
    assert_non_null(z);
    zb_memory_init(&memory, &allocator);
    for (zw_status status = ZW_ERR_MEMORY; status != ZW_OK;) {
        assert_true(c.fail_at < 2000);
        c.requests = 0;
        c.fail_at++;
        status = travel(&memory, p, z);
        assert_true(status == ZW_ERR_MEMORY || (status == ZW_OK && c.requests < c.fail_at));
        assert_int_equal(memory.held, 0);
    }
    assert_true(c.fail_at > 10);
    free(z);
}

static void test_memory(void **state)
{
    (void)state;
    for (int32_t mass = 0; mass < NET_MASSES; mass++) {
        sparse_problem *p = make(NET_CROSSED, (net_mass)mass, EXTRA_CONTRADICTORY, 900);
        runs_out(p);
        net_free(p);
    }
}

/* Nearly dependent rows in a conflict, x1 = 0, x1 + d x2 = 1 and = 2, among others that are free of
 * it: by its own choice a small system ends with the exact compromise d x2 = 3/2 in any case. */
static void test_nearly_dependent(void **state)
{
    enum { n = 60, m = 30 };
    int32_t mass_start[n + 1], mass_column[n], start[m + 1], column[m + 2], at = 0;
    double M[n], A[m + 2], b[m] = {0}, Q[n], z[n];
    for (int32_t j = 0; j <= n; j++) mass_start[j] = j;
    for (int32_t j = 0; j < n; j++) mass_column[j] = j, M[j] = 1.0, Q[j] = 1.0 + j;
    for (double d = 1e-4; d > 5e-7; d *= 0.1) {
        at = 0;
        for (int32_t i = 0; i < m; i++) {
            start[i] = at;
            column[at] = i < 3 ? 0 : i;
            A[at++] = 1.0;
            if (i == 1 || i == 2) column[at] = 1, A[at++] = d;
        }
        start[m] = at;
        b[1] = 1.0, b[2] = 2.0;
        zg_structure is = {
            .n = n, .m = m, .M = {n, n, mass_start, mass_column}, .A = {m, n, start, column}};
        zg_values values = {.M = M, .A = A};
        zg_system *g = NULL;
        zw_gauss_answer answer = {.acceleration = z};
        assert_int_equal(zg_system_plan(*state, &is, &g), ZW_OK);
        assert_int_equal(zg_system_factor(g, &values), ZW_OK);
        assert_int_equal(zg_system_solve(g, Q, b, NULL, &answer), ZW_OK);
        assert_true(fabs(z[1] * d / 1.5 - 1.0) < 1e-9);
        assert_true(fabs(z[0]) < 1e-9);
        assert_true(fabs(z[n - 1] - Q[n - 1]) < 1e-9);
        assert_true(fabs(answer.inconsistency_norm - sqrt(0.5)) < 1e-9);
        assert_false(answer.consistent);
        assert_int_equal(answer.rank, m - 1);
        zg_system_free(g);
    }
}

/* Two chains that have nothing to do with each other, and what is no number in one of them: the other
 * one, whose residuals come later, does not hide it. From the start of a chain and from its end,
 * short ones of which no row may be among those that are sampled. */
static void test_not_a_number(void **state)
{
    enum { most = 2 * 40 };
    static const int32_t links[] = {3, 40};
    int32_t diagonal[most + 1], start[most + 1], column[2 * most];
    double M[most], A[2 * most], Q[most], b[most], z[most], lambda[most];
    for (int32_t k = 0; k < 2 * 2 * 2; k++) {
        int32_t chain = links[k % 2], n = 2 * chain, at = 0, bad = k / 2 % 2 ? n - 1 : 0;
        for (int32_t j = 0; j <= n; j++) diagonal[j] = j;
        for (int32_t i = 0; i < n; i++) {
            M[i] = 1.0, Q[i] = 1.0 + i, b[i] = 0.5 * i, start[i] = at;
            if (i % chain > 0) column[at] = i - 1, A[at++] = -1.0;
            column[at] = i, A[at++] = 1.0;
        }
        start[n] = at;
        *(k / 4 ? &b[bad] : &Q[bad]) = (double)NAN;
        zg_structure is = {.n = n,
                           .m = n,
                           .M = {n, n, diagonal, diagonal},
                           .A = {n, n, start, column},
                           .solver = ZW_SOLVER_SPARSE};
        zg_values values = {.M = M, .A = A};
        zg_system *g = NULL;
        zw_gauss_answer answer = {.acceleration = z};
        assert_int_equal(zg_system_plan(*state, &is, &g), ZW_OK);
        assert_int_equal(zg_system_factor(g, &values), ZW_OK);
        assert_int_equal(zg_system_apply(g, Q, b, z, lambda, NULL, NULL), ZW_ERR_NOT_FINITE);
        assert_int_equal(zg_system_solve(g, Q, b, NULL, &answer), ZW_ERR_NOT_FINITE);
        zg_system_free(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors_again), cmocka_unit_test(test_apply),
        cmocka_unit_test(test_no_rows),       cmocka_unit_test(test_undetermined),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_diagnosis),
        cmocka_unit_test(test_memory),        cmocka_unit_test(test_nearly_dependent),
        cmocka_unit_test(test_not_a_number),
    };
    return cmocka_run_group_tests(tests, memory_prepare, memory_complete);
}
