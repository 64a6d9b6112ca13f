/*
 * test_sparse_forms.c: what the three forms of the sparse solver factor and solve.
 *
 * Second opinions come from elimination and Jacobi's rotations in long double (form_tasks.c). A
 * form is judged as it stands, where about eps / mu is lost, and after it has refined its own
 * answer, where nothing may be lost.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "form_tasks.h"

static const zg_sparse_form *const forms[] = {&zg_sparse_K, &zg_sparse_H, &zg_sparse_S};
enum { K_FORM, H_FORM, S_FORM, FORMS };

/* --------------------------------------------------------------------- comparing */

static real largest(const real *x, int32_t count)
{
    real most = 0.0L;
    for (int32_t i = 0; i < count; i++)
        if (!(fabsl(x[i]) <= most) && !isnan(most)) most = fabsl(x[i]);
    return most;
}

/* The sum of the two errors, relative; NaN comes through. */
static double error_of(const task *p, const real *exact, const real *dz, const real *dl)
{
    real ez[N], el[R];
    for (int32_t j = 0; j < p->n; j++) ez[j] = dz[j] - exact[j];
    for (int32_t i = 0; i < p->m; i++) el[i] = dl[i] - exact[p->n + i];
    real z = largest(ez, p->n) / largest(exact, p->n);
    real l = p->m > 0 ? largest(el, p->m) / largest(exact + p->n, p->m) : 0.0L;
    return (double)(z + l);
}

/* r1 - M dz + A^T dl and r2 - A dz - mu W^-1 dl, the last term as given. */
static void residuals(const task *p, real mu, const real *dz, const real *dl, double *r1,
                      double *r2)
{
    static real W[R * R];
    real wl[R];
    for (int32_t i = 0; i < p->m; i++) wl[i] = dl[i];
    for (int32_t i = 0; i < p->m * p->m; i++) W[i] = p->W[i];
    assert_true(mu == 0.0L || eliminate(W, p->m, wl));
    for (int32_t j = 0; j < p->n; j++) {
        real sum = p->r1[j];
        for (int32_t k = 0; k < p->n; k++) sum -= p->M[j * p->n + k] * dz[k];
        for (int32_t i = 0; i < p->m; i++) sum += p->A[i * p->n + j] * dl[i];
        r1[j] = (double)sum;
    }
    for (int32_t i = 0; i < p->m; i++) {
        real sum = p->r2[i] - mu * wl[i];
        for (int32_t k = 0; k < p->n; k++) sum -= p->A[i * p->n + k] * dz[k];
        r2[i] = (double)sum;
    }
}

/* Steps of refinement from `dz`, `dl` on. */
static void refine(const task *p, const zg_sparse_form *form, void *f, real mu, int steps, real *dz,
                   real *dl)
{
    for (int s = 0; s < steps; s++) {
        double r1[N], r2[R], z[N], l[R];
        residuals(p, mu, dz, dl, r1, r2);
        form->solve(f, r1, r2, z, l);
        for (int32_t j = 0; j < p->n; j++) dz[j] += z[j];
        for (int32_t i = 0; i < p->m; i++) dl[i] += l[i];
    }
}

static void widen(const double *x, int32_t count, real *y)
{
    for (int32_t i = 0; i < count; i++) y[i] = x[i];
}

/* ------------------------------------------------------------------ the equations */

static void *planned(const zg_sparse_form *form, zb_memory *memory, const zg_numbers *x)
{
    void *f = NULL;
    double cost = -1.0;
    assert_int_equal(form->plan(memory, x, &f, &cost), ZW_OK);
    if (f) assert_true(cost >= 0.0 && cost < 1.0);
    return f;
}

/* The size of w_i a_i M^-1 a_i^T; mu is relative to that. */
static double unit_of(const task *p)
{
    double sum = 0.0;
    for (int32_t i = 0; i < p->m; i++) {
        for (int32_t j = 0; j < p->n; j++) {
            double a = p->A[i * p->n + j], M = p->M[j * p->n + j];
            sum += p->W[i * p->m + i] * a * a / (M > 0.0 ? M : 1.0);
        }
    }
    return sum > 0.0 ? sum / p->m : 1.0;
}

/* Measured: 4, 23 and 540 eps / mu; refined no error is seen beside that of the second opinion. */
static const double loss[] = {[K_FORM] = 150, [H_FORM] = 30, [S_FORM] = 3000};

static void check_solution(task *p, int which, void *f, double relative)
{
    double mu = relative * unit_of(p);
    const zg_sparse_form *form = forms[which];
    real exact[N + R], wide[N], rows[R];
    double dz[N], dl[R], error;
    assert_true(solve_directly(p, mu, p->r1, p->r2, exact));
    form->solve(f, p->r1, p->r2, dz, dl);
    widen(dz, p->n, wide);
    widen(dl, p->m, rows);
    error = error_of(p, exact, wide, rows);
    if (!(error < loss[which] * DBL_EPSILON / relative))
        fail_msg("%s: %g with mu %g", form->name, error, relative);
    refine(p, form, f, mu, 8, wide, rows);
    error = error_of(p, exact, wide, rows);
    /* what long double itself loses: the null part of dl is like 1 / mu */
    if (!(error < 1e-13 + 30 * (double)LDBL_EPSILON / relative))
        fail_msg("%s: refined %g with mu %g", form->name, error, relative);
}

static void check_forms(task *p, mass_kind mass, zb_memory *memory)
{
    for (int which = 0; which < FORMS; which++) {
        void *f = planned(forms[which], memory, &p->x);
        if (which == H_FORM) assert_non_null(f);
        for (double mu = 1e-4; f && mu > 0.5e-12; mu *= 1e-2) {
            za_pivots pivots;
            bool of_mass = false;
            bool good = forms[which]->factor(f, mu * unit_of(p), &pivots, &of_mass);
            if (mass == M_SINGULAR && !good) {
                assert_true(which == H_FORM || of_mass);
                continue;
            }
            assert_true(good && !of_mass && pivots.complete);
            check_solution(p, which, f, mu);
        }
        forms[which]->free(f);
    }
}

static void solves_the_equations(void **state)
{
    (void)state;
    static task p;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    uint64_t number = 0;
    for (int mass = 0; mass < M_SINGULAR; mass++)
        for (int rows = 0; rows < MANY; rows++)
            for (int weight = 0; weight < WEIGHTS; weight++)
                for (int k = 0; k < 3; k++) {
                    task_make(&p, number++, (mass_kind)mass, (rows_kind)rows, (weight_kind)weight);
                    check_forms(&p, (mass_kind)mass, &memory);
                }
    assert_int_equal(memory.held, 0);
}

/* ---------------------------------------------------------------- the driver's steps */

static double violation(const task *p, const real *dz, const real *dl)
{
    double r1[N], r2[R], most = 0.0;
    residuals(p, 0.0L, dz, dl, r1, r2);
    for (int32_t j = 0; j < p->n; j++) most = fmax(most, fabs(r1[j]));
    for (int32_t i = 0; i < p->m; i++) most = fmax(most, fabs(r2[i]));
    return most;
}

/* Corrections from the residuals without mu: with rows that depend on each other but do not
 * contradict, z must come to solve M z = r1 + A^T l, A z = b. */
static void converges_without_mu(void **state)
{
    (void)state;
    static task p;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    int slow = 0;
    for (uint64_t number = 0; number < 120; number++) {
        mass_kind mass = (mass_kind)(number % M_SINGULAR);
        task_make(&p, 500 + number, mass, REDUNDANT, (weight_kind)(number % 4));
        double z[N];
        for (int32_t j = 0; j < p.n; j++) z[j] = 0.0625 * below(32); /* A z is exact */
        for (int32_t i = 0; i < p.m; i++) {
            p.r2[i] = 0.0;
            for (int32_t j = 0; j < p.n; j++) p.r2[i] += p.A[i * p.n + j] * z[j];
        }
        for (int which = 0; which < FORMS; which++) {
            void *f = planned(forms[which], &memory, &p.x);
            if (!f) continue;
            za_pivots pivots;
            bool of_mass;
            assert_true(forms[which]->factor(f, 1e-10 * unit_of(&p), &pivots, &of_mass));
            real wide[N] = {0}, rows[R] = {0};
            refine(&p, forms[which], f, 0.0L, 4, wide, rows);
            slow += !(violation(&p, wide, rows) < 1e-14);
            refine(&p, forms[which], f, 0.0L, 8, wide, rows);
            assert_true(violation(&p, wide, rows) < 1e-14);
            forms[which]->free(f);
        }
    }
    assert_in_range(slow, 0, 6); /* of 300: rows that are almost dependent */
}

/* ------------------------------------------------------------------------- singular M */

static int32_t count_above(const real *value, int32_t count, real tau)
{
    int32_t above = 0;
    for (int32_t i = 0; i < count; i++) above += value[i] > tau;
    return above;
}

/* n - rank [M; A], by the eigenvalues of M + A^T A. */
static int32_t undetermined(const task *p)
{
    static real X[N * N];
    real value[N];
    int32_t n = p->n;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            X[i * n + j] = p->M[i * n + j];
            for (int32_t k = 0; k < p->m; k++)
                X[i * n + j] += (real)p->A[k * n + i] * p->A[k * n + j];
        }
    }
    eigenvalues(X, n, value);
    return n - count_above(value, n, 1e-12L);
}

/* The row that is named takes part in a motion that nothing resists: a mass there stops one. */
static void check_worst(task *p, const za_pivots *pivots)
{
    assert_in_range(pivots->worst, 0, p->n - 1);
    int32_t before = undetermined(p);
    double *M = &p->M[pivots->worst * (p->n + 1)], m = *M;
    *M += 1.0;
    assert_int_equal(undetermined(p), before - 1);
    *M = m;
}

static void serves_singular_mass(void **state)
{
    (void)state;
    static task p;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    int determined = 0, number = 0;
    for (; number < 200; number++) {
        task_make(&p, 1000 + (uint64_t)number, M_SINGULAR, REDUNDANT,
                  (weight_kind)(number % WEIGHTS));
        void *f = planned(&zg_sparse_H, &memory, &p.x);
        for (double mu = 1e-4; mu > 0.5e-10; mu *= 1e-2) {
            za_pivots pivots;
            bool of_mass = true, good = zg_sparse_H.factor(f, mu * unit_of(&p), &pivots, &of_mass);
            assert_false(of_mass);
            assert_int_equal(good, undetermined(&p) == 0);
            if (good)
                check_solution(&p, H_FORM, f, mu);
            else
                check_worst(&p, &pivots);
            determined += good;
        }
        zg_sparse_H.free(f);
    }
    assert_true(determined > 100 && determined < 4 * number - 100);
    assert_int_equal(memory.held, 0);
}

/* The others say that it is the mass, or are right all the same. */
static void others_refuse_singular_mass(void **state)
{
    (void)state;
    static task p;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    int refused = 0;
    for (uint64_t number = 0; number < 100; number++) {
        task_make(&p, 1000 + number, M_SINGULAR, REDUNDANT, (weight_kind)(number % WEIGHTS));
        for (int which = 0; which < FORMS; which++) {
            void *f = which == H_FORM ? NULL : planned(forms[which], &memory, &p.x);
            if (!f) continue;
            za_pivots pivots;
            bool of_mass = false;
            assert_false(forms[which]->factor(f, 1e-10, &pivots, &of_mass));
            assert_true(of_mass);
            refused++;
            forms[which]->free(f);
        }
    }
    assert_true(refused > 20);
}

/* ------------------------------------------------------------------------- counting */

static int descending(const void *a, const void *b)
{
    real x = *(const real *)a, y = *(const real *)b;
    return (x < y) - (x > y);
}

/* Half way between every two eigenvalues that are apart, and far below all that are not 0. */
static int32_t thresholds(const real *value, int32_t m, double *tau)
{
    int32_t count = 0, rank = count_above(value, m, 1e-11L * value[0]);
    for (int32_t k = 0; k + 1 < rank; k++)
        if (value[k + 1] < 0.9L * value[k]) tau[count++] = (double)sqrtl(value[k] * value[k + 1]);
    if (rank > 0) {
        tau[count++] = (double)(1e-6L * value[rank - 1]);
        tau[count++] = 1e-10 * (double)value[0];
        tau[count++] = 1e-9 * (double)value[0];
    }
    return count;
}

static void check_counts(const task *p, int which, void *f, const double *scale, const real *value)
{
    double tau[R + 3];
    int32_t count = thresholds(value, p->m, tau);
    for (int32_t t = 0; t < count; t++) {
        int64_t counted = forms[which]->above(f, tau[t], scale);
        if (counted != count_above(value, p->m, tau[t]))
            fail_msg("%s: %d eigenvalues above %g, not %d", forms[which]->name, (int)counted,
                     tau[t], (int)count_above(value, p->m, tau[t]));
    }
}

static void counts_eigenvalues(void **state)
{
    (void)state;
    static task p;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    for (uint64_t number = 0; number < 60; number++) {
        mass_kind mass = (mass_kind)(number % MASSES);
        task_make(&p, 2000 + number, mass, (rows_kind)(number % MANY),
                  (weight_kind)(number % WEIGHTS));
        if (p.m == 0 || (mass == M_SINGULAR && undetermined(&p) > 0)) continue;
        double scale[R];
        real value[R];
        for (int32_t i = 0; i < p.m; i++) scale[i] = 1.0 + 0.9 * any();
        constraint_eigenvalues(&p, mass == M_SINGULAR ? 1e-6L : 0.0L, scale, value);
        for (int32_t i = 0; i < p.m; i++) value[i] = fminl(value[i], 1e4L); /* infinite, in truth */
        qsort(value, (size_t)p.m, sizeof *value, descending);
        for (int which = 0; which < FORMS; which++) {
            void *f = planned(forms[which], &memory, &p.x);
            za_pivots pivots;
            bool of_mass;
            if (f && forms[which]->factor(f, 1e-10 * unit_of(&p), &pivots, &of_mass)) {
                check_counts(&p, which, f, scale, value);
                /* the counting has spoiled the factor; the next one is as good as the first */
                assert_true(forms[which]->factor(f, 1e-8 * unit_of(&p), &pivots, &of_mass));
                check_solution(&p, which, f, 1e-8);
            }
            forms[which]->free(f);
        }
    }
}

/* ---------------------------------------------------------------- what is refused */

/* A net of m rows, each joined to the next in W: no small blocks. */
static void knows_what_it_cannot_serve(void **state)
{
    (void)state;
    static task p;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    task_make(&p, 3000, M_SPARSE, MANY, W_GENERAL);
    assert_null(planned(&zg_sparse_K, &memory, &p.x));
    assert_null(planned(&zg_sparse_S, &memory, &p.x));
    void *f = planned(&zg_sparse_H, &memory, &p.x);
    za_pivots pivots;
    bool of_mass;
    assert_true(zg_sparse_H.factor(f, 1e-8 * unit_of(&p), &pivots, &of_mass));
    check_solution(&p, H_FORM, f, 1e-8);
    zg_sparse_H.free(f);

    task_make(&p, 3000, M_DIAGONAL, REDUNDANT, W_ONE); /* M without one of its diagonal entries */
    for (uint64_t k = 1; p.n < 3; k++) task_make(&p, 3000 + k, M_DIAGONAL, REDUNDANT, W_ONE);
    p.M_start[0] = 0;
    for (int32_t i = 0; i < p.n; i++) {
        p.M_start[i + 1] = p.M_start[i] + (i != 1);
        if (i != 1) p.M_column[p.M_start[i]] = i;
    }
    assert_null(planned(&zg_sparse_K, &memory, &p.x));
    assert_int_equal(memory.held, 0);
}

static void refuses_bad_weights(void **state)
{
    (void)state;
    static task p;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    task_make(&p, 4000, M_SPARSE, REDUNDANT, W_DIAGONAL);
    for (uint64_t k = 1; p.m < 5; k++) task_make(&p, 4000 + k, M_SPARSE, REDUNDANT, W_DIAGONAL);
    p.W_value[3] = -1.0;
    void *f = planned(&zg_sparse_K, &memory, &p.x);
    za_pivots pivots;
    bool of_mass = true;
    assert_false(zg_sparse_K.factor(f, 1e-8, &pivots, &of_mass));
    assert_false(of_mass);
    assert_int_equal(pivots.worst, p.n + 3);
    double scale[R];
    for (int32_t i = 0; i < R; i++) scale[i] = 1.0;
    assert_int_equal(zg_sparse_K.above(f, 1e-8, scale), -1);
    zg_sparse_K.free(f);
}

/* ----------------------------------------------------------------------------- bits */

static void gives_the_same_bits(void **state)
{
    (void)state;
    static task p;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    for (uint64_t number = 0; number < 24; number++) {
        task_make(&p, 5000 + number, (mass_kind)(number % M_SINGULAR), REDUNDANT,
                  (weight_kind)(number % WEIGHTS));
        for (int which = 0; which < FORMS; which++) {
            void *f = planned(forms[which], &memory, &p.x),
                 *g = planned(forms[which], &memory, &p.x);
            if (!f) continue;
            double z[3][N], l[3][R], scale[R];
            za_pivots pivots;
            bool of_mass;
            for (int32_t i = 0; i < p.m; i++) scale[i] = 1.0;
            assert_true(forms[which]->factor(f, 1e-9, &pivots, &of_mass));
            forms[which]->solve(f, p.r1, p.r2, z[0], l[0]);
            forms[which]->solve(f, p.r1, NULL, z[1], l[1]); /* something else */
            forms[which]->solve(f, p.r1, p.r2, z[1], l[1]);
            assert_true(forms[which]->factor(g, 1e-4, &pivots, &of_mass));
            forms[which]->above(g, 1e-6, scale);
            assert_true(forms[which]->factor(g, 1e-9, &pivots, &of_mass));
            forms[which]->solve(g, p.r1, p.r2, z[2], l[2]);
            for (int k = 1; k < 3; k++) {
                assert_memory_equal(z[0], z[k], sizeof(double) * (size_t)p.n);
                if (p.m > 0) assert_memory_equal(l[0], l[k], sizeof(double) * (size_t)p.m);
            }
            /* nothing on the right of the rows is a right side of zeros */
            memset(p.r2, 0, sizeof p.r2);
            forms[which]->solve(f, p.r1, NULL, z[0], l[0]);
            forms[which]->solve(f, p.r1, p.r2, z[1], l[1]);
            for (int32_t j = 0; j < p.n; j++) assert_true(z[0][j] == z[1][j]);
            for (int32_t i = 0; i < p.m; i++) assert_true(l[0][i] == l[1][i]);
            for (int32_t i = 0; i < p.m; i++) p.r2[i] = any();
            forms[which]->free(f);
            forms[which]->free(g);
        }
    }
}

/* --------------------------------------------------------------------------- memory */

typedef struct counter {
    int64_t requests, fails_at; /* the request that is refused; 0: none */
} counter;

static void *counted(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return ++c->requests == c->fails_at ? NULL : realloc(block, new_size);
}

static void survives_without_memory(void **state)
{
    (void)state;
    static task p;
    for (int weight = 0; weight < WEIGHTS; weight++) {
        task_make(&p, 6000, M_BLOCKS, REDUNDANT, (weight_kind)weight);
        for (int which = 0; which < FORMS; which++) {
            counter c = {0};
            zw_allocator allocator = {.resize = counted, .user = &c};
            zb_memory memory;
            zb_memory_init(&memory, &allocator);
            void *f = NULL;
            double cost = 0.0;
            assert_int_equal(forms[which]->plan(&memory, &p.x, &f, &cost), ZW_OK);
            int64_t all = c.requests;
            za_pivots pivots;
            bool of_mass;
            double z[N], l[R];
            if (f) {
                assert_true(forms[which]->factor(f, 1e-6, &pivots, &of_mass));
                forms[which]->solve(f, p.r1, p.r2, z, l);
            }
            assert_int_equal(c.requests, all); /* nothing after plan */
            forms[which]->free(f);
            assert_int_equal(memory.held, 0);
            for (int64_t k = 1; k <= all; k++) {
                c = (counter){.fails_at = k};
                assert_int_equal(forms[which]->plan(&memory, &p.x, &f, &cost), ZW_ERR_MEMORY);
                assert_null(f);
                assert_int_equal(memory.held, 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_the_equations),    cmocka_unit_test(converges_without_mu),
        cmocka_unit_test(serves_singular_mass),    cmocka_unit_test(others_refuse_singular_mass),
        cmocka_unit_test(counts_eigenvalues),      cmocka_unit_test(knows_what_it_cannot_serve),
        cmocka_unit_test(refuses_bad_weights),     cmocka_unit_test(gives_the_same_bits),
        cmocka_unit_test(survives_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
