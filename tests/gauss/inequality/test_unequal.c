/*
 * test_unequal.c: properties of answers with inequalities, over thousands of random systems: rows
 * that repeat or contradict each other, weights that couple them, singular and ill-conditioned M.
 *
 * The conditions that determine an answer are recomputed here from the data, in a few lines of
 * their own. Scaling rows or units, or the order of rows, changes nothing; a set that is still
 * right costs one solve; every form agrees where the active rows are given to it as equations, and
 * refuses where an inequality binds.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "random_problems.h"
#include "slow.h"
#include "unequal_found.h"

/* ------------------------------------------------------------------------- problems */

enum { N = FOUND_N, R = FOUND_M };

typedef struct system_ {
    int32_t n, m, inequalities;
    double M[N * N], Q[N], C[N], A[R * N], b[R], W[R * R];
    bool with_C, singular;
    zw_matrix_kind weight;
} system_;

static double any(uint64_t *s)
{
    return random_real(s, -1.0, 1.0);
}

static void make_masses(system_ *p, uint64_t *s)
{
    random_mass(s, p->n, pow(10.0, random_real(s, 0.0, 5.0)), p->M);
    p->singular = random_integer(s, 0, 5) == 0;
    for (int32_t j = 0; j < p->n && p->singular; j++) p->M[j] = p->M[j * p->n] = 0.0;
}

/* A third of the rows follow from others; b agrees or not. Row 0 holds what has no mass. */
static void make_rows(system_ *p, uint64_t *s)
{
    bool redundant = random_integer(s, 0, 1), agree = random_integer(s, 0, 1);
    double z[N], lower = random_real(s, 0.0, 2.0);
    for (int32_t j = 0; j < p->n; j++) z[j] = any(s);
    for (int32_t i = 0; i < p->m; i++) {
        double *a = p->A + i * p->n;
        for (int32_t j = 0; j < p->n; j++)
            a[j] = random_integer(s, 0, 2) == 0 ? 0.0 : random_dyadic(s);
        if (i == 0) a[0] = 3.0;
        int32_t k = random_integer(s, 0, i), l = random_integer(s, 0, i);
        if (redundant && i > 1 && k != i && l != i && random_integer(s, 0, 2) == 0)
            for (int32_t j = 0; j < p->n; j++)
                a[j] = (i & 1 ? 2.0 : -1.0) * p->A[k * p->n + j] + p->A[l * p->n + j];
        p->b[i] = agree ? 0.0 : 3.0 * any(s);
        bool inequality = i >= p->m - p->inequalities;
        for (int32_t j = 0; j < p->n; j++) p->b[i] += a[j] * z[j];
        if (inequality && agree && random_integer(s, 0, 1)) p->b[i] -= lower * fabs(any(s));
    }
}

static void make(system_ *p, uint64_t seed)
{
    uint64_t s = seed;
    *p = (system_){.n = random_integer(&s, 2, N)};
    int32_t e = random_integer(&s, 0, p->n / 2);
    p->inequalities = random_integer(&s, 1, random_integer(&s, 0, 1) ? 5 : R - N);
    make_masses(p, &s);
    if (p->singular && e == 0) e = 1;
    p->m = e + p->inequalities;
    make_rows(p, &s);
    for (int32_t j = 0; j < p->n; j++) p->Q[j] = 5.0 * any(&s);
    p->with_C = random_integer(&s, 0, 3) == 0;
    for (int32_t j = 0; j < p->n && p->with_C; j++) p->C[j] = any(&s);
    p->weight = (zw_matrix_kind)random_integer(&s, 0, 2);
    memset(p->W, 0, sizeof p->W);
    for (int32_t i = 0; i < p->m; i++) p->W[i * p->m + i] = 1.0;
    if (p->weight != ZW_IDENTITY) random_weight(&s, p->m, p->weight, p->W);
}

/* ------------------------------------------------------------------------- answers */

static zw_gauss *plan(zw_context *context, const system_ *p)
{
    zw_gauss *g = NULL;
    zw_gauss_shape shape = {
        .n = p->n, .m = p->m, .inequalities = p->inequalities, .weight = p->weight};
    assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_OK);
    return g;
}

static zw_status factor(zw_gauss *g, const system_ *p)
{
    double w[R];
    for (int32_t i = 0; i < p->m; i++) w[i] = p->W[i * p->m + i];
    return zw_gauss_factor(g, p->M, p->A,
                           p->weight == ZW_IDENTITY   ? NULL
                           : p->weight == ZW_DIAGONAL ? w
                                                      : p->W);
}

static void solve(zw_gauss *g, const system_ *p, found *x)
{
    found_prepare(x);
    x->status = factor(g, p);
    if (x->status == ZW_OK)
        x->status = zw_gauss_solve(g, p->Q, p->b, p->with_C ? p->C : NULL, &x->answer);
}

static void solve_alone(zw_context *context, const system_ *p, found *x)
{
    zw_gauss *g = plan(context, p);
    solve(g, p, x);
    zw_gauss_free(g);
}

/* ----------------------------------------------------------------------- conditions */

/* The largest violation of what determines the answer, by 1 + what it is compared with. */
static double recompute(const system_ *p, const found *x)
{
    double worst = 0.0, most = 0.0, pull[N] = {0}, proof[N] = {0}, largest = 0.0;
    int32_t n = p->n, m = p->m, e = m - p->inequalities;
    for (int32_t i = 0; i < m; i++) most = fmax(most, fabs(x->shares[i]));
    for (int32_t i = 0; i < m; i++) {
        double Az = 0.0, p_i = 0.0, length = 1.0 + fabs(p->b[i]);
        for (int32_t k = 0; k < m; k++) p_i += p->W[i * m + k] * x->r[k];
        for (int32_t j = 0; j < n; j++) {
            Az += p->A[i * n + j] * x->z[j];
            length += fabs(p->A[i * n + j] * x->z[j]);
            pull[j] += p->A[i * n + j] * x->shares[i];
            proof[j] += p->A[i * n + j] * p_i;
        }
        largest = fmax(largest, fabs(p_i));
        double slack = Az - p->b[i] - x->r[i];
        worst = fmax(worst, fabs(p_i + x->proof[i]) / (1.0 + fabs(p_i)));
        worst = fmax(worst, fabs(x->residual[i] - Az + p->b[i]) / length);
        worst = fmax(worst, (i < e ? fabs(slack) : fmax(-slack, 0.0)) / length);
        if (i < e) continue;
        bool conflict = p_i < -1e-8 * (1.0 + size_of(x->r, m));
        worst = fmax(worst, fmax(p_i, 0.0) / (1.0 + size_of(x->r, m)));
        worst = fmax(worst, fabs(p_i * slack) / (1.0 + size_of(x->r, m)) / length);
        if (conflict) continue;
        worst = fmax(worst, fmax(-x->shares[i], 0.0) / (1.0 + most));
        worst = fmax(worst, fabs(x->shares[i] * slack) / (1.0 + most) / length);
    }
    for (int32_t j = 0; j < n; j++) {
        double rest = -p->Q[j] - pull[j] - (p->with_C ? p->C[j] : 0.0), terms = 1.0 + most;
        for (int32_t k = 0; k < n; k++) {
            rest += p->M[j * n + k] * x->z[k];
            terms += fabs(p->M[j * n + k] * x->z[k]);
        }
        worst = fmax(worst, fabs(rest) / terms);
        worst = fmax(worst, fabs(proof[j]) / (1.0 + largest));
    }
    return worst;
}

static void test_conditions(void **state)
{
    int32_t count = unless_slow(8000, 300), conflicts = 0, shared = 0, trials = 0, failures = 0;
    double worst = 0.0, certificate = 0.0;
    for (int32_t k = 0; k < count; k++) {
        system_ p;
        found x;
        make(&p, 7000 + (uint64_t)k);
        solve_alone(*state, &p, &x);
        double off = x.status == ZW_OK ? recompute(&p, &x) : HUGE_VAL;
        if (!(off <= 1e-10) || !(x.answer.certificate <= 1e-10)) {
            if (failures++ < 10)
                print_error("seed %d: status %d, off by %.3g, certificate %.3g\n", 7000 + k,
                            x.status, off, x.answer.certificate);
            continue;
        }
        worst = fmax(worst, off);
        certificate = fmax(certificate, x.answer.certificate);
        conflicts += !x.answer.consistent;
        trials = x.answer.trials > trials ? x.answer.trials : trials;
        for (int32_t i = 0; i < p.m; i++)
            if (!x.unique[i]) {
                shared++;
                break;
            }
    }
    print_message("%d systems, %d in conflict, %d with shares to choose, at most %d trials: off by "
                  "%.2g, certificate %.2g\n",
                  count, conflicts, shared, trials, worst, certificate);
    assert_int_equal(failures, 0);
    assert_true(conflicts > count / 8 && shared > count / 8);
}

/* ------------------------------------------------------------------- other units, order */

/* Rows times s_i, their weights by 1 / (s_i s_k); coordinates in other units. */
static void rescale(const system_ *p, const double *row, const double *unit, system_ *q)
{
    int32_t n = p->n, m = p->m;
    *q = *p;
    for (int32_t i = 0; i < m; i++) {
        q->b[i] = row[i] * p->b[i];
        for (int32_t j = 0; j < n; j++) q->A[i * n + j] = row[i] * p->A[i * n + j] * unit[j];
        for (int32_t k = 0; k < m; k++) q->W[i * m + k] = p->W[i * m + k] / (row[i] * row[k]);
    }
    for (int32_t j = 0; j < n; j++) {
        q->Q[j] = p->Q[j] * unit[j];
        q->C[j] = p->C[j] * unit[j];
        for (int32_t k = 0; k < n; k++) q->M[j * n + k] = p->M[j * n + k] * unit[j] * unit[k];
    }
    if (p->weight == ZW_IDENTITY) q->weight = ZW_DIAGONAL;
}

/* order [m]: which row of p stands there; equations stay before inequalities. */
static void reorder(const system_ *p, const int32_t *order, system_ *q)
{
    int32_t n = p->n, m = p->m;
    *q = *p;
    for (int32_t i = 0; i < m; i++) {
        q->b[i] = p->b[order[i]];
        memcpy(q->A + i * n, p->A + order[i] * n, sizeof(double) * (size_t)n);
        for (int32_t k = 0; k < m; k++) q->W[i * m + k] = p->W[order[i] * m + order[k]];
    }
}

/* x and y, of the same problem in other units or order; tolerances by the size of the forces. */
static int32_t differ(const system_ *p, const found *x, const found *y, const double *row,
                      const double *unit, const int32_t *order, uint64_t seed)
{
    double z = 0.0, share = 0.0, forces = 1.0, scale = 1.0 + size_of(x->z, p->n);
    int32_t flags = 0;
    for (int32_t i = 0; i < p->m; i++) forces = fmax(forces, fabs(x->shares[i]));
    for (int32_t j = 0; j < p->n * p->n; j++) forces = fmax(forces, fabs(p->M[j] * x->z[j % p->n]));
    for (int32_t j = 0; j < p->n; j++) z = fmax(z, fabs(x->z[j] - y->z[j] * unit[j]));
    for (int32_t i = 0; i < p->m; i++) {
        share = fmax(share, fabs(x->shares[order[i]] - y->shares[i] * row[i]));
        flags += x->active[order[i]] != y->active[i];
        flags += x->unique[order[i]] != y->unique[i];
    }
    double digits = p->singular ? 1e-6 : 1e-8; /* multipliers where M is singular have fewer */
    if (y->status == ZW_OK && z <= 1e-9 * scale && share <= digits * forces && flags == 0) return 0;
    print_error("seed %llu: status %d, acceleration %.3g, shares %.3g of %.3g, flags %d\n",
                (unsigned long long)seed, y->status, z, share, forces, flags);
    return 1;
}

static void test_other_units(void **state)
{
    int32_t failures = 0, count = unless_slow(3000, 100);
    for (int32_t k = 0; k < count; k++) {
        system_ p, q;
        found x, y;
        uint64_t seed = 40000 + (uint64_t)k, s = seed;
        double row[R], unit[N];
        int32_t order[R];
        make(&p, seed);
        for (int32_t i = 0; i < p.m; i++)
            row[i] = ldexp(1.0, random_integer(&s, -9, 9)), order[i] = i;
        for (int32_t j = 0; j < p.n; j++) unit[j] = ldexp(1.0, random_integer(&s, -9, 9));
        rescale(&p, row, unit, &q);
        solve_alone(*state, &p, &x);
        solve_alone(*state, &q, &y);
        failures += differ(&p, &x, &y, row, unit, order, seed);
    }
    assert_int_equal(failures, 0);
}

static void test_other_order(void **state)
{
    int32_t failures = 0, count = unless_slow(3000, 100);
    for (int32_t k = 0; k < count; k++) {
        system_ p, q;
        found x, y;
        uint64_t seed = 60000 + (uint64_t)k, s = seed;
        double row[R], unit[N];
        int32_t order[R];
        make(&p, seed);
        for (int32_t i = 0; i < p.m; i++) row[i] = 1.0, order[i] = i;
        for (int32_t j = 0; j < p.n; j++) unit[j] = 1.0;
        int32_t e = p.m - p.inequalities;
        for (int32_t i = 0; i < p.m; i++) {
            int32_t to = i < e ? random_integer(&s, 0, e - 1) : random_integer(&s, e, p.m - 1);
            int32_t kept = order[i];
            order[i] = order[to], order[to] = kept;
        }
        reorder(&p, order, &q);
        solve_alone(*state, &p, &x);
        solve_alone(*state, &q, &y);
        failures += differ(&p, &x, &y, row, unit, order, seed);
    }
    assert_int_equal(failures, 0);
}

/* ----------------------------------------------------------------------- warm starts */

/* The same problem again: one set. A little later: one set as a rule; and the same answers. */
static void test_warm(void **state)
{
    int32_t count = unless_slow(2000, 100), once = 0, again = 0, moved = 0;
    for (int32_t k = 0; k < count; k++) {
        system_ p;
        found x, y, cold;
        uint64_t seed = 80000 + (uint64_t)k, s = seed;
        make(&p, seed);
        zw_gauss *g = plan(*state, &p);
        solve(g, &p, &x);
        assert_int_equal(x.status, ZW_OK);
        solve(g, &p, &y);
        assert_int_equal(y.status, ZW_OK);
        assert_true(y.answer.trials <= (p.singular ? 2 : 1));
        assert_memory_equal(x.z, y.z, sizeof(double) * (size_t)p.n);
        assert_memory_equal(x.shares, y.shares, sizeof(double) * (size_t)p.m);
        for (int32_t j = 0; j < p.n; j++) p.Q[j] += 1e-3 * any(&s);
        solve(g, &p, &y);
        assert_int_equal(y.status, ZW_OK);
        again += y.answer.trials <= (p.singular ? 2 : 1);
        moved++;
        zw_gauss_guess(g, NULL);
        solve(g, &p, &cold);
        once += cold.answer.trials <= 2;
        double forces = 1.0 + size_of(cold.shares, p.m);
        if (!(apart(y.z, cold.z, p.n) <= 1e-9 * (1.0 + size_of(cold.z, p.n))))
            fail_msg("seed %d", (int)seed);
        if (!(apart(y.shares, cold.shares, p.m) <= 1e-8 * forces))
            fail_msg("shares, seed %d", (int)seed);
        bool wrong[R];
        for (int32_t i = 0; i < p.m; i++) wrong[i] = random_integer(&s, 0, 1);
        zw_gauss_guess(g, wrong);
        solve(g, &p, &y);
        if (y.status != ZW_OK || !(apart(y.z, cold.z, p.n) <= 1e-9 * (1.0 + size_of(cold.z, p.n))))
            fail_msg("a wrong guess, seed %d, status %d", (int)seed, y.status);
        zw_gauss_free(g);
    }
    print_message("a little later %d of %d take one set; from nothing %d take two\n", again, moved,
                  once);
    assert_true(10 * again >= 9 * moved);
}

/* ----------------------------------------------------------------------------- forms */

/* The rows that are active as equations: every form has the same acceleration. */
static int32_t compare_forms(zw_context *context, const system_ *p, const found *x)
{
    system_ q = *p;
    found y;
    int32_t rows[R], refused = 0;
    q.m = q.inequalities = 0;
    for (int32_t i = 0; i < p->m; i++)
        if (x->active[i]) rows[q.m++] = i;
    for (int32_t i = 0; i < q.m; i++) {
        memcpy(q.A + i * p->n, p->A + rows[i] * p->n, sizeof(double) * (size_t)p->n);
        q.b[i] = p->b[rows[i]];
        for (int32_t k = 0; k < q.m; k++) q.W[i * q.m + k] = p->W[rows[i] * p->m + rows[k]];
    }
    zw_gauss *g = plan(context, &q);
    for (zw_form form = ZW_FORM_GAUSS; zw_form_name(form); form++) {
        found_prepare(&y);
        assert_int_equal(factor(g, &q), ZW_OK);
        y.status = zw_gauss_solve_form(g, form, p->Q, q.b, p->with_C ? p->C : NULL, &y.answer);
        refused += y.status != ZW_OK;
        if (y.status == ZW_OK && !(apart(x->z, y.z, p->n) <= 1e-8 * (1.0 + size_of(x->z, p->n))))
            fail_msg("form %s: %.3g", zw_form_name(form), apart(x->z, y.z, p->n));
    }
    zw_gauss_free(g);
    return refused;
}

/* Whether the acceleration without inequalities satisfies them all; 0: by far not, 1: clearly, -1:
 * nearly. */
static int is_free(zw_context *context, const system_ *p)
{
    system_ q = *p;
    found y;
    q.m -= p->inequalities;
    q.inequalities = 0;
    for (int32_t i = 0; i < q.m; i++)
        for (int32_t k = 0; k < q.m; k++) q.W[i * q.m + k] = p->W[i * p->m + k];
    solve_alone(context, &q, &y);
    double least = HUGE_VAL;
    for (int32_t i = q.m; i < p->m; i++) {
        double slack = -p->b[i];
        for (int32_t j = 0; j < p->n; j++) slack += p->A[i * p->n + j] * y.z[j];
        least = fmin(least, slack);
    }
    return y.status != ZW_OK || fabs(least) < 1e-6 ? -1 : least > 0.0;
}

static void test_forms(void **state)
{
    int32_t binding = 0, free_ones = 0, refused = 0, compared = 0;
    for (int32_t k = 0; k < unless_slow(600, 60); k++) {
        system_ p;
        found x, y;
        make(&p, 90000 + (uint64_t)k);
        if (p.singular) continue;
        if (k % 5 == 0) /* nothing binds */
            for (int32_t i = p.m - p.inequalities; i < p.m; i++) p.b[i] = -1e4;
        zw_gauss *g = plan(*state, &p);
        solve(g, &p, &x);
        assert_int_equal(x.status, ZW_OK);
        if (x.answer.consistent) {
            compared += ZW_FORM_PROJECTION + 1;
            refused += compare_forms(*state, &p, &x);
        }
        zw_form form = (zw_form)(1 + k % ZW_FORM_PROJECTION);
        found_prepare(&y);
        y.status = zw_gauss_solve_form(g, form, p.Q, p.b, p.with_C ? p.C : NULL, &y.answer);
        int nothing_binds = is_free(*state, &p);
        if (nothing_binds == 0) {
            char text[200];
            assert_int_equal(y.status, ZW_ERR_INEQUALITY);
            assert_true(zw_gauss_explain(g, text, sizeof text) > 0);
            binding++;
        } else if (nothing_binds == 1 && x.answer.consistent) {
            assert_int_equal(y.status, ZW_OK);
            assert_true(apart(x.z, y.z, p.n) <= 1e-9 * (1.0 + size_of(x.z, p.n)));
            free_ones++;
        }
        zw_gauss_free(g);
    }
    print_message("%d bind, %d do not; %d of %d answers refused\n", binding, free_ones, refused,
                  compared);
    assert_true(binding > 20 && free_ones > 5 && 10 * refused < compared);
}

/* -------------------------------------------------------- what comes after a solve */

static void test_after_a_solve(void **state)
{
    for (int32_t k = 0; k < unless_slow(300, 30); k++) {
        system_ p;
        found x;
        double basis[N * N], y[N], ideal[N], nonideal[N];
        int32_t count = -1;
        zw_gauss_rank_info rank;
        zw_diagnosis *d = NULL;
        make(&p, 95000 + (uint64_t)k);
        zw_gauss *g = plan(*state, &p);
        assert_int_equal(zw_gauss_rank(g, &rank), ZW_ERR_ORDER);
        assert_int_equal(factor(g, &p), ZW_OK);
        assert_int_equal(zw_gauss_rank(g, &rank), ZW_ERR_ORDER);
        assert_int_equal(zw_gauss_diagnose(g, p.b, p.Q, &d), ZW_ERR_ORDER);
        solve(g, &p, &x);
        assert_int_equal(x.status, ZW_OK);
        assert_int_equal(zw_gauss_diagnose(g, p.b, x.z, &d), ZW_OK);
        assert_int_equal(d->m, p.m);
        assert_true((d->conflict_count > 0) == !x.answer.consistent);
        for (int32_t s = 0; s < d->set_count; s++) { /* a proof is one */
            const zw_dependent_set *set = &d->sets[s];
            double sum[N] = {0}, right = 0.0, terms = 0.0, pulls = 0.0;
            if (!set->conflict) continue;
            for (int32_t i = 0; i < set->count; i++) {
                int32_t row = set->rows[i];
                right += set->coefficients[i] * p.b[row];
                terms += fabs(set->coefficients[i] * p.b[row]);
                if (row >= p.m - p.inequalities) assert_true(set->coefficients[i] > 0.0);
                for (int32_t j = 0; j < p.n; j++) {
                    sum[j] += set->coefficients[i] * p.A[row * p.n + j];
                    pulls += fabs(set->coefficients[i] * p.A[row * p.n + j]);
                }
            }
            assert_true(right > 0.0 && size_of(sum, p.n) <= 1e-8 * pulls);
            assert_true(fabs(right - set->mismatch) <= 1e-12 * terms && set->size > 0.0);
        }
        zw_diagnosis_free(d);
        assert_int_equal(zw_gauss_rank(g, &rank), ZW_OK);
        assert_int_equal(zw_gauss_basis(g, basis, &count), ZW_OK);
        assert_int_equal(count, p.n - rank.rank);
        assert_int_equal(rank.rank, x.answer.rank);
        assert_int_equal(zw_gauss_project(g, x.z, y), ZW_OK);
        assert_int_equal(zw_gauss_split(g, x.force, ideal, nonideal), ZW_OK);
        zw_gauss_free(g);
    }
}

/* ------------------------------------------------------------------------ how long */

static double seconds(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* n bodies on a floor and one held: with the contacts closed a solve costs what one with equations
 * does, but for a product: one set is solved for. The times are printed. */
static void test_time(void **state)
{
    static const int32_t sizes[] = {4, 8, 16, 32, 64};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int32_t n = sizes[k], m = n / 2, rounds = 200000 / (n * n) + 50;
        double *M = calloc((size_t)(n * n + m * n + 3 * n + m), sizeof *M), *A = M + n * n;
        double *Q = A + m * n, *b = Q + n, *z = b + m, best[2] = {HUGE_VAL, HUGE_VAL};
        uint64_t s = 5;
        assert_non_null(M);
        random_mass(&s, n, 100.0, M);
        for (int32_t i = 0; i < m; i++) A[i * n + 2 * i] = 1.0, A[i * n + (2 * i + 3) % n] += 0.25;
        for (int32_t i = 0; i < m; i++) /* a force that presses on all */
            for (int32_t j = 0; j < n; j++) Q[j] -= 9.81 * A[i * n + j];
        for (int32_t way = 0; way < 10; way++) {
            zw_gauss_shape shape = {.n = n, .m = m, .inequalities = way & 1 ? m - 1 : 0};
            zw_gauss_answer answer = {.acceleration = z};
            zw_gauss *g = NULL;
            assert_int_equal(zw_gauss_plan(*state, &shape, &g), ZW_OK);
            assert_int_equal(zw_gauss_factor(g, M, A, NULL), ZW_OK);
            assert_int_equal(zw_gauss_solve(g, Q, b, NULL, &answer), ZW_OK);
            double from = seconds();
            for (int32_t round = 0; round < rounds; round++) {
                assert_int_equal(zw_gauss_factor(g, M, A, NULL), ZW_OK);
                assert_int_equal(zw_gauss_solve(g, Q, b, NULL, &answer), ZW_OK);
                if (way & 1) assert_int_equal(answer.trials, 1);
            }
            best[way & 1] = fmin(best[way & 1], (seconds() - from) / rounds);
            zw_gauss_free(g);
        }
        print_message(
            "%2d coordinates, %2d rows: %.2f us as equations, %.2f us as inequalities that "
            "all bind: %.2f times\n",
            n, m, 1e6 * best[0], 1e6 * best[1], best[1] / best[0]);
        free(M);
    }
}

/* --------------------------------------------------------------------------- context */

static int open_context(void **state)
{
    zw_context *context = NULL;
    zw_status status = zw_context_create(NULL, &context);
    *state = context;
    return status == ZW_OK ? 0 : 1;
}

static int close_context(void **state)
{
    zw_context_free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),  cmocka_unit_test(test_other_units),
        cmocka_unit_test(test_other_order), cmocka_unit_test(test_warm),
        cmocka_unit_test(test_forms),       cmocka_unit_test(test_after_a_solve),
        cmocka_unit_test(test_time),
    };
    return cmocka_run_group_tests_name("inequalities", tests, open_context, close_context);
}
