/*
 * test_off_rows.c: rows that are off count as absent.
 *
 * Every kind of system with some rows off, and anything standing in those rows, has the answers of
 * the system without them: the dense solver to the bit, the sparse one in each form and the choice
 * between both against elimination in long double. Where W couples rows, those that are left have
 * the inverse of what is left of W^-1. Then ranks and dependent sets; that independent rows keep
 * the factor of independent rows; that flags come and go on one plan to the same bits; that nothing
 * is allocated after planning, and what happens when memory runs out there.
 */
#include "metered.h"
#include "sparse_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gauss.h"

/* ------------------------------------------------------------- systems with rows off */

/* A system, the same with rows off and rubbish in them, and the one without them. */
typedef struct switched {
    sparse_problem *p; /* b, A rubbish where off */
    bool *off;         /* [m] */
    sparse_problem kept;
    void *owned[8];
    int32_t count;
} switched;

static void *own(switched *x, size_t count, size_t size)
{
    void *block = calloc(count + 1, size);
    assert_non_null(block);
    assert_true(x->count < 8);
    return x->owned[x->count++] = block;
}

/* W' = ((W^-1)_FF)^-1 by Gauss and Jordan in long double. */
static void invert(long double *X, int32_t n)
{
    for (int32_t k = 0; k < n; k++) {
        long double pivot = X[k * n + k];
        X[k * n + k] = 1.0L;
        for (int32_t j = 0; j < n; j++) X[k * n + j] /= pivot;
        for (int32_t i = 0; i < n; i++) {
            long double factor = X[i * n + k];
            if (i == k) continue;
            X[i * n + k] = 0.0L;
            for (int32_t j = 0; j < n; j++) X[i * n + j] -= factor * X[k * n + j];
        }
    }
}

static void keep_weights(switched *x, const int32_t *row, int32_t on)
{
    int32_t m = x->p->is.m;
    double *W = net_dense_weight(x->p), *value = own(x, (size_t)(on * on), sizeof *value);
    long double *X = calloc((size_t)(m * m) + 1, sizeof *X);
    long double *Y = calloc((size_t)(on * on) + 1, sizeof *Y);
    int32_t *start = own(x, (size_t)on + 1, sizeof *start), count = 0;
    int32_t *column = own(x, (size_t)(on * on), sizeof *column);
    assert_true(W != NULL && X != NULL && Y != NULL);
    for (int32_t i = 0; i < m * m; i++) X[i] = (long double)W[i];
    invert(X, m);
    for (int32_t i = 0; i < on; i++)
        for (int32_t j = 0; j < on; j++) Y[i * on + j] = X[row[i] * m + row[j]];
    invert(Y, on);
    bool diagonal = x->p->kind.weight == WEIGHT_DECADES;
    for (int32_t i = 0; i < on; i++) {
        for (int32_t j = 0; j < on; j++) {
            if (diagonal ? i != j : Y[i * on + j] == 0.0L) continue;
            column[count] = j;
            value[count++] = diagonal ? W[row[i] * m + row[i]] : (double)Y[i * on + j];
        }
        start[i + 1] = count;
    }
    x->kept.is.W = (zg_pattern){on, on, start, column};
    x->kept.values.W = value;
    free(W);
    free(X);
    free(Y);
}

static void keep_rows(switched *x, const int32_t *row, int32_t on)
{
    const zg_pattern *A = &x->p->is.A;
    int32_t *start = own(x, (size_t)on + 1, sizeof *start), count = 0;
    int32_t *column = own(x, (size_t)A->start[A->rows], sizeof *column);
    double *value = own(x, (size_t)A->start[A->rows], sizeof *value);
    double *b = own(x, (size_t)on, sizeof *b);
    for (int32_t i = 0; i < on; i++) {
        b[i] = x->p->b[row[i]];
        for (int32_t k = A->start[row[i]]; k < A->start[row[i] + 1]; k++) {
            column[count] = A->column[k];
            value[count++] = x->p->values.A[k];
        }
        start[i + 1] = count;
    }
    x->kept.is.m = on;
    x->kept.is.A = (zg_pattern){on, A->columns, start, column};
    x->kept.values.A = value;
    x->kept.b = b;
    if (x->p->is.W.rows > 0) keep_weights(x, row, on);
}

/* Rows that are off hold numbers that would be seen at once. */
static void fill_with_rubbish(switched *x)
{
    double *A = x->p->owned[2];
    assert_ptr_equal(A, x->p->values.A);
    for (int32_t i = 0; i < x->p->is.m; i++) {
        if (!x->off[i]) continue;
        x->p->b[i] = (double)NAN;
        for (int32_t k = x->p->is.A.start[i]; k < x->p->is.A.start[i + 1]; k++)
            A[k] = k % 3 == 0 ? (double)NAN : 1e100;
    }
}

/* `tenths` of the rows are off. */
static switched *switch_off(const net_kind *kind, uint64_t seed, int32_t tenths)
{
    switched *x = calloc(1, sizeof *x);
    assert_non_null(x);
    x->p = net_make(kind, seed);
    int32_t m = x->p->is.m, on = 0, *row = calloc((size_t)m + 1, sizeof *row);
    assert_non_null(row);
    x->off = own(x, (size_t)m, sizeof *x->off);
    x->kept = *x->p;
    for (int32_t i = 0; i < m; i++) {
        x->off[i] = random_integer(&seed, 1, 10) <= tenths;
        if (!x->off[i]) row[on++] = i;
    }
    keep_rows(x, row, on);
    free(row);
    fill_with_rubbish(x);
    x->p->is.switched = true;
    x->p->values.off = x->off;
    return x;
}

static void switched_free(switched *x)
{
    net_free(x->p);
    for (int32_t k = 0; k < x->count; k++) free(x->owned[k]);
    free(x);
}

/* Answers of rows that are off are exactly 0, the others close up. */
static void close_up(tally *t, const switched *x, const char *who, double *y)
{
    bool zero = true;
    int32_t k = 0;
    for (int32_t i = 0; i < x->p->is.m; i++) {
        if (x->off[i])
            zero = zero && y[i] == 0.0;
        else
            y[k++] = y[i];
    }
    tally_true(t, x->p, who, "0 where off", zero);
}

static void compare_bits(const switched *x, const outcome *o, const outcome *other)
{
    size_t n = (size_t)x->kept.is.n * sizeof(double), m = (size_t)x->kept.is.m * sizeof(double);
    assert_int_equal(o->status, other->status);
    if (o->status != ZW_OK) return;
    assert_memory_equal(o->z, other->z, n);
    assert_memory_equal(o->force, other->force, n);
    assert_memory_equal(o->projected, other->projected, n);
    assert_memory_equal(o->lambda, other->lambda, m);
    assert_memory_equal(o->residual, other->residual, m);
    assert_memory_equal(o->lost, other->lost, m);
    assert_int_equal(o->answer.rank, other->answer.rank);
    assert_memory_equal(&o->answer.certificate, &other->answer.certificate, sizeof(double));
}

static void examine(zb_memory *memory, tally *t, const net_kind *kind, uint64_t seed,
                    int32_t tenths)
{
    static const zw_solver solvers[] = {ZW_SOLVER_DENSE, ZW_SOLVER_SPARSE, ZW_SOLVER_AUTO};
    static const char *const who[] = {"dense", "sparse", "auto"};
    switched *x = switch_off(kind, seed, tenths);
    int32_t n = x->p->is.n;
    bool singular = net_rank(&x->kept, true, false) < n;
    bool determined = net_rank(&x->kept, true, true) == n;
    long_oracle truth = {0};
    if (determined) truth = long_solve(&x->kept, net_rank(&x->kept, false, true), singular);
    bool skipped = determined && tally_leaves_out(t, &truth);
    for (int32_t k = 0; k < 3 && !skipped; k++) {
        outcome o = solved_by(memory, x->p, solvers[k]);
        if (determined && o.status == ZW_OK) {
            close_up(t, x, who[k], o.lambda);
            close_up(t, x, who[k], o.residual);
            close_up(t, x, who[k], o.lost);
            outcome_compare(t, &x->kept, who[k], &o, &truth, singular);
        } else {
            tally_true(t, x->p, who[k], "refused", !determined);
            if (k == 0) tally_true(t, x->p, who[k], "why", o.status == ZW_ERR_UNDETERMINED);
        }
        bool coupled = kind->weight == WEIGHT_BLOCKS || kind->weight == WEIGHT_FULL;
        if (k == 0 && determined && !coupled) {
            outcome bits = solved_by(memory, &x->kept, ZW_SOLVER_DENSE);
            compare_bits(x, &o, &bits);
            outcome_free(&bits);
        }
        outcome_free(&o);
    }
    if (determined) long_free(&truth);
    switched_free(x);
}

/* Every kind, a few rows off, many, all. */
static void test_answers(void **state)
{
    tally t = {0};
    static const int32_t tenths[] = {1, 3, 6, 10};
    for (int32_t k = 0; k < NET_KINDS; k++) {
        for (int32_t turn = 0; turn < 4; turn++) {
            net_kind kind = net_kind_of(k, turn, 16);
            examine(*state, &t, &kind, (uint64_t)(19000 + 4 * k + turn), tenths[(k + turn) % 4]);
        }
    }
    tally_finish(&t, 10000);
}

/* Every form by itself: flags and masked values as the system hands them down. */
static void test_forms(void **state)
{
    static const zg_sparse_form *const forms[] = {&zg_sparse_K, &zg_sparse_S, &zg_sparse_H};
    tally t = {0};
    for (int32_t k = 0; k < NET_SHAPES * NET_EXTRAS * 2; k++) {
        net_kind kind = {.shape = (net_shape)(k % NET_SHAPES),
                         .mass = MASS_BLOCKS_2,
                         .extra = (net_extra)(k / NET_SHAPES % NET_EXTRAS),
                         .weight = k & 1 ? WEIGHT_DECADES : WEIGHT_NONE,
                         .rows = 20};
        switched *x = switch_off(&kind, (uint64_t)(700 + k), 3);
        long_oracle truth = long_solve(&x->kept, net_rank(&x->kept, false, true), false);
        double *A = x->p->owned[2];
        for (int32_t i = 0; i < x->p->is.m; i++) {
            if (!x->off[i]) continue;
            x->p->b[i] = 0.0;
            for (int32_t e = x->p->is.A.start[i]; e < x->p->is.A.start[i + 1]; e++) A[e] = 0.0;
        }
        for (int32_t f = 0; f < 3; f++) {
            outcome o = solved_in_form(*state, x->p, forms[f]);
            if (o.served) {
                close_up(&t, x, forms[f]->name, o.lambda);
                close_up(&t, x, forms[f]->name, o.residual);
                close_up(&t, x, forms[f]->name, o.lost);
                outcome_compare(&t, &x->kept, forms[f]->name, &o, &truth, false);
            }
            outcome_free(&o);
        }
        long_free(&truth);
        switched_free(x);
    }
    tally_finish(&t, 1500);
}

/* ---------------------------------------------------------------- one plan, many flags */

static zg_system *planned(zb_memory *memory, const sparse_problem *p, zw_solver solver)
{
    zg_structure is = p->is;
    zg_system *g = NULL;
    is.solver = solver;
    assert_int_equal(zg_system_plan(memory, &is, &g), ZW_OK);
    return g;
}

/* Without flags a switched system has the bits of one that is not. Flags leave nothing behind. */
static void test_flags_come_and_go(void **state)
{
    zb_memory *memory = *state;
    for (int32_t k = 0; k < NET_KINDS; k++) {
        net_kind kind = net_kind_of(k, k, 14);
        sparse_problem *p = net_make(&kind, (uint64_t)(100 + k));
        size_t n = (size_t)p->is.n, m = (size_t)p->is.m;
        double *z = calloc(2 * (n + m) + 1, sizeof *z), *y = z + n + m;
        bool *off = calloc(m + 1, sizeof *off);
        assert_true(z != NULL && off != NULL);
        zw_solver solver = k & 1 ? ZW_SOLVER_SPARSE : ZW_SOLVER_DENSE;
        zg_system *plain = planned(memory, p, solver);
        p->is.switched = true;
        zg_system *g = planned(memory, p, solver);
        zg_values values = p->values;
        zw_status expected = zg_system_factor(plain, &values);
        if (expected == ZW_OK) expected = zg_system_apply(plain, p->Q, p->b, z, z + n, NULL, NULL);
        size_t held = memory->held;
        for (int32_t round = 0; round < 3; round++) {
            for (size_t i = 0; i < m; i++) off[i] = (i + (size_t)round) % 4 == 0;
            values.off = off;
            if (zg_system_factor(g, &values) == ZW_OK)
                (void)zg_system_apply(g, p->Q, p->b, y, y + n, NULL, NULL);
            values.off = NULL;
            zw_status status = zg_system_factor(g, &values);
            if (status == ZW_OK) status = zg_system_apply(g, p->Q, p->b, y, y + n, NULL, NULL);
            assert_int_equal(status, expected);
            /* where W couples rows, the pattern of a switched system has more of it */
            if (status == ZW_OK && kind.weight != WEIGHT_BLOCKS && kind.weight != WEIGHT_FULL)
                assert_memory_equal(z, y, (n + m) * sizeof *z);
        }
        if (solver == ZW_SOLVER_DENSE) assert_int_equal(memory->held, held);
        zg_system_free(g);
        zg_system_free(plain);
        free(z);
        free(off);
        net_free(p);
    }
}

/* M changes between factors, or it does not and that is said: as if the system had never seen another. */
static void test_masses_change(void **state)
{
    static const zw_solver solvers[] = {ZW_SOLVER_DENSE, ZW_SOLVER_SPARSE, ZW_SOLVER_AUTO};
    zb_memory *memory = *state;
    for (int32_t k = 0; k < 6 * NET_SHAPES; k++) {
        net_kind kind = {.shape = (net_shape)(k % NET_SHAPES), .mass = MASS_BLOCKS_2, .rows = 12};
        sparse_problem *p = net_make(&kind, (uint64_t)(40 + k));
        size_t n = (size_t)p->is.n, m = (size_t)p->is.m, count = (size_t)p->is.M.start[n];
        double *z = calloc(2 * (n + m) + 1, sizeof *z), *y = z + n + m;
        double *M = malloc(count * sizeof *M);
        assert_true(z != NULL && M != NULL);
        memcpy(M, p->values.M, count * sizeof *M);
        p->is.switched = k / NET_SHAPES % 2 == 1;
        zg_system *g = planned(memory, p, solvers[k / NET_SHAPES / 2]);
        for (int32_t round = 0; round < 6; round++) {
            zg_values values = p->values;
            bool changes = round % 2 == 0;
            for (size_t i = 0; changes && i < count; i++) M[i] *= 1.0 + (round + 1.0) / 3.0;
            values.M = M;
            values.same_mass = !changes;
            zg_system *fresh = planned(memory, p, solvers[k / NET_SHAPES / 2]);
            zw_status seen = zg_system_factor(g, &values);
            if (seen == ZW_OK) seen = zg_system_apply(g, p->Q, p->b, z, z + n, NULL, NULL);
            values.same_mass = false;
            zw_status expected = zg_system_factor(fresh, &values);
            if (expected == ZW_OK)
                expected = zg_system_apply(fresh, p->Q, p->b, y, y + n, NULL, NULL);
            assert_int_equal(seen, expected);
            if (seen == ZW_OK) assert_memory_equal(z, y, (n + m) * sizeof *z);
            zg_system_free(fresh);
        }
        zg_system_free(g);
        free(z);
        free(M);
        net_free(p);
    }
}

/* Flags need a system that is switched. */
static void test_not_switched(void **state)
{
    net_kind kind = {.shape = NET_CHAIN, .rows = 8};
    sparse_problem *p = net_make(&kind, 1);
    bool off[64] = {true};
    assert_true(p->is.m <= 64);
    zg_system *g = planned(*state, p, ZW_SOLVER_DENSE);
    p->values.off = off;
    assert_int_equal(zg_system_factor(g, &p->values), ZW_ERR_ARGUMENT);
    zg_system_free(g);
    net_free(p);
}

/* -------------------------------------------------------------------- the fast factor */

/* Of a tree of rods with many rows off the sparse factor is that of independent rows, without mu; flags
 * aside the same rows of zeros have none. */
static void test_fast_factor(void **state)
{
    net_kind kind = {.shape = NET_TREE, .rows = 3000};
    sparse_problem *p = net_make(&kind, 5);
    bool *off = calloc((size_t)p->is.m + 1, sizeof *off);
    double *z = calloc((size_t)(p->is.n + p->is.m) + 1, sizeof *z), *A = p->owned[2];
    assert_true(off != NULL && z != NULL);
    for (int32_t i = 0; i < p->is.m; i++) {
        off[i] = i % 5 == 2;
        for (int32_t k = p->is.A.start[i]; k < p->is.A.start[i + 1] && off[i]; k++) A[k] = 0.0;
    }
    p->is.switched = true;
    zg_system *g = planned(*state, p, ZW_SOLVER_AUTO);
    assert_string_equal(zg_system_name(g), "S");
    assert_int_equal(zg_system_factor(g, &p->values), ZW_OK);
    assert_true(zg_system_doubtful(g, 1e-7));
    zg_values values = p->values;
    values.off = off;
    assert_int_equal(zg_system_factor(g, &values), ZW_OK);
    assert_false(zg_system_doubtful(g, 1e-7));
    zw_gauss_rank_info info;
    int32_t on = 0;
    for (int32_t i = 0; i < p->is.m; i++) on += !off[i];
    zw_gauss_answer answer = {.acceleration = z, .multipliers = z + p->is.n};
    assert_int_equal(zg_system_solve(g, p->Q, p->b, NULL, &answer), ZW_OK);
    assert_int_equal(answer.rank, on);
    assert_int_equal(zg_system_rank(g, &info), ZW_OK);
    assert_int_equal(info.rank, on);
    assert_false(info.ambiguous);
    zg_system_free(g);
    free(off);
    free(z);
    net_free(p);
}

/* The quick road: to the bit what it gives without the rows, refusals included. */
static void test_quick(void **state)
{
    int32_t served = 0, refused = 0;
    for (int32_t k = 0; k < 3 * NET_KINDS; k++) {
        net_kind kind = net_kind_of(k % NET_KINDS, 0, 12);
        switched *x = switch_off(&kind, (uint64_t)(500 + k), 1 + k % 9);
        int32_t n = x->p->is.n, m = x->p->is.m, on = x->kept.is.m;
        bool diagonal = kind.mass == MASS_PLAIN;
        double *M = net_dense_mass(x->p), *y = calloc((size_t)(2 * n + 2 * m) + 1, sizeof *y);
        assert_true(M != NULL && y != NULL);
        for (int32_t i = 0; i < n && diagonal; i++) M[i] = M[i * n + i];
        zg_quick *g = NULL, *other = NULL;
        assert_int_equal(zg_quick_plan(*state, n, m, diagonal, &g), ZW_OK);
        assert_int_equal(zg_quick_plan(*state, n, on, diagonal, &other), ZW_OK);
        zg_rows rows = {x->p->is.A.start, x->p->is.A.column, x->p->values.A, x->off};
        zg_rows fewer = {x->kept.is.A.start, x->kept.is.A.column, x->kept.values.A, NULL};
        bool good = zg_quick_factor(g, M, &rows);
        assert_true(good == zg_quick_factor(other, M, &fewer));
        served += good;
        refused += !good;
        if (good && on > 0) {
            double *z = y, *l = z + n, *z2 = l + m, *l2 = z2 + n;
            zg_quick_solve(g, x->p->Q, x->p->b, z, l);
            zg_quick_solve(other, x->kept.Q, x->kept.b, z2, l2);
            assert_true(zg_quick_condition(g) == zg_quick_condition(other));
            assert_memory_equal(z, z2, (size_t)n * sizeof *z);
            for (int32_t i = 0, j = 0; i < m; i++) assert_true(l[i] == (x->off[i] ? 0.0 : l2[j++]));
        }
        zg_quick_free(g);
        zg_quick_free(other);
        free(M);
        free(y);
        switched_free(x);
    }
    assert_true(served > 100 && refused > 100);
}

/* ----------------------------------------------------------------------- dependent rows */

static void compare_sets(const switched *x, const zw_diagnosis *d, const zw_diagnosis *kept)
{
    int32_t *row = calloc((size_t)x->p->is.m + 1, sizeof *row), on = 0;
    assert_non_null(row);
    for (int32_t i = 0; i < x->p->is.m; i++)
        if (!x->off[i]) row[on++] = i;
    assert_int_equal(d->m, x->p->is.m);
    assert_int_equal(d->set_count, kept->set_count);
    assert_int_equal(d->conflict_count, kept->conflict_count);
    assert_int_equal(d->unlisted, kept->unlisted);
    for (int32_t s = 0; s < d->set_count && d->unlisted == 0; s++) { /* else some of many */
        const zw_dependent_set *a = &d->sets[s], *b = &kept->sets[s];
        assert_int_equal(a->count, b->count);
        assert_int_equal(a->row, row[b->row]);
        assert_int_equal(a->suspect, b->suspect < 0 ? -1 : row[b->suspect]);
        for (int32_t k = 0; k < a->count; k++) assert_int_equal(a->rows[k], row[b->rows[k]]);
    }
    for (int32_t i = 0, k = 0; i < d->m; i++)
        assert_true(d->unique_multiplier[i] == (x->off[i] || kept->unique_multiplier[k++]));
    free(row);
}

static void test_diagnosis(void **state)
{
    int32_t sets = 0;
    for (int32_t k = 0; k < 2 * NET_SHAPES * NET_EXTRAS; k++) {
        net_kind kind = {.shape = (net_shape)(k % NET_SHAPES),
                         .extra = (net_extra)(k / NET_SHAPES % NET_EXTRAS),
                         .rows = k < NET_SHAPES * NET_EXTRAS ? 20 : 600};
        switched *x = switch_off(&kind, (uint64_t)(40 + k), 2);
        for (int32_t s = 0; s < 2; s++) {
            zw_solver solver = s == 0 && kind.rows < 100 ? ZW_SOLVER_DENSE : ZW_SOLVER_SPARSE;
            outcome o = solved_by(*state, x->p, solver), q = solved_by(*state, &x->kept, solver);
            zw_diagnosis *d = NULL, *kept = NULL;
            assert_int_equal(o.status, ZW_OK);
            assert_int_equal(q.status, ZW_OK);
            assert_int_equal(zg_system_diagnose(o.g, x->p->b, o.z, &d), ZW_OK);
            assert_int_equal(zg_system_diagnose(q.g, x->kept.b, q.z, &kept), ZW_OK);
            compare_sets(x, d, kept);
            sets += d->set_count;
            zg_diagnosis_free(d);
            zg_diagnosis_free(kept);
            outcome_free(&o);
            outcome_free(&q);
        }
        switched_free(x);
    }
    assert_true(sets > 100);
}

/* ------------------------------------------------------------------------------ memory */

static void test_memory(void **state)
{
    (void)state;
    for (int32_t k = 0; k < 8; k++) {
        net_kind kind = {.shape = NET_LADDER,
                         .mass = k & 4 ? MASS_BLOCKS_2 : MASS_PLAIN,
                         .weight = (net_weight)(k % 4),
                         .rows = 12};
        switched *x = switch_off(&kind, (uint64_t)k, 3);
        x->p->is.solver = k & 1 ? ZW_SOLVER_SPARSE : ZW_SOLVER_DENSE;
        double *z = calloc((size_t)(x->p->is.n + x->p->is.m) + 1, sizeof *z);
        assert_non_null(z);
        zw_status status = ZW_ERR_MEMORY;
        for (int64_t at = 0; status == ZW_ERR_MEMORY && at < 10000; at++) {
            meter a = {.left = at};
            zw_allocator allocator = {.resize = metered, .user = &a};
            zb_memory memory;
            zb_memory_init(&memory, &allocator);
            zg_system *g = NULL;
            status = zg_system_plan(&memory, &x->p->is, &g);
            a.left = status == ZW_OK ? 0 : -1; /* from here on nothing is asked for */
            if (status == ZW_OK) {
                assert_int_equal(zg_system_factor(g, &x->p->values), ZW_OK);
                assert_int_equal(
                    zg_system_apply(g, x->p->Q, x->p->b, z, z + x->p->is.n, NULL, NULL), ZW_OK);
                assert_int_equal(a.left, 0);
            }
            zg_system_free(g);
            assert_int_equal(a.held, 0);
        }
        assert_int_equal(status, ZW_OK);
        free(z);
        switched_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_flags_come_and_go),
        cmocka_unit_test(test_masses_change),
        cmocka_unit_test(test_not_switched),
        cmocka_unit_test(test_fast_factor),
        cmocka_unit_test(test_quick),
        cmocka_unit_test(test_diagnosis),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("rows that are off", tests, memory_prepare, memory_complete);
}
