/*
 * test_quick.c: the fast road of the integrators, and ranks that are known beforehand.
 *
 * Thousands of random problems, against elimination in long double and against the careful road.
 * Errors are measured in the metric the problem itself has: z_i in units of 1/sqrt(M_ii), lambda_i
 * in units of D_i = 1/sqrt(S_ii), relative to the largest among the free acceleration and z (and
 * lambda itself); the yardstick is eps kappa with kappa = cond(scaled M) cond(D S D), both computed
 * here from inverses in long double, in the Frobenius norm.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gauss.h"
#include "memory.h"

enum { N = 12, K = 2 * N };

/* -------------------------------------------------------------------- problems */

typedef struct task {
    int32_t n, m;
    bool diagonal;
    double M[N * N]; /* full, or its diagonal first */
    double A[K * N]; /* dense */
    double f[N], b[K];
    int32_t start[K + 1], column[K * N]; /* sparse, zeros left out */
    double value[K * N];
} task;

static uint64_t seed = 20260101;

static double any(void) /* -1 .. 1 */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) * 0x1p-52 - 1.0;
}

static int32_t below(int32_t count)
{
    return (int32_t)((any() * 0.5 + 0.5) * count) % count;
}

static double decades(double most)
{
    return pow(10.0, most * any());
}

/* M = (F F^T + floor) between two diagonal scalings. */
static void make_mass(task *p, double spread, double floor)
{
    double F[N * N], D[N];
    memset(p->M, 0, sizeof p->M);
    for (int32_t i = 0; i < p->n; i++) D[i] = decades(spread);
    for (int32_t i = 0; i < p->n && p->diagonal; i++) p->M[i] = D[i] * D[i];
    if (p->diagonal) return;
    for (int32_t i = 0; i < p->n * p->n; i++) F[i] = any();
    for (int32_t i = 0; i < p->n; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = i == j ? floor : 0.0;
            for (int32_t k = 0; k < p->n; k++) sum += F[i * p->n + k] * F[j * p->n + k];
            p->M[i * p->n + j] = p->M[j * p->n + i] = D[i] * sum * D[j];
        }
    }
}

/* Rows with zeros among their entries, each scaled. */
static void make_rows(task *p, double spread, int32_t zeros)
{
    for (int32_t i = 0; i < p->m; i++) {
        double scale = decades(spread);
        for (int32_t j = 0; j < p->n; j++)
            p->A[i * p->n + j] = j != i % p->n && below(10) < zeros ? 0.0 : scale * any();
    }
}

static void make_sparse(task *p)
{
    int32_t count = 0;
    for (int32_t i = 0; i < p->m; i++) {
        p->start[i] = count;
        for (int32_t j = 0; j < p->n; j++) {
            if (p->A[i * p->n + j] == 0.0) continue;
            p->column[count] = j;
            p->value[count++] = p->A[i * p->n + j];
        }
    }
    p->start[p->m] = count;
}

static void make_right(task *p)
{
    for (int32_t j = 0; j < p->n; j++) p->f[j] = any() * p->M[p->diagonal ? j : j * p->n + j];
    for (int32_t i = 0; i < p->m; i++) p->b[i] = any() * fabs(p->A[i * p->n + i % p->n]);
}

static double mass(const task *p, int32_t i, int32_t j)
{
    if (p->diagonal) return i == j ? p->M[i] : 0.0;
    return p->M[i * p->n + j];
}

/* ----------------------------------------------------------- the other opinion */

typedef long double wide;

/* X [size*size] becomes its inverse, by complete pivoting; false when a pivot is 0. */
static bool invert(int32_t size, wide *X)
{
    int32_t row[K], column[K];
    bool done[K] = {false};
    for (int32_t k = 0; k < size; k++) {
        wide best = 0;
        int32_t r = 0, c = 0;
        for (int32_t i = 0; i < size; i++) {
            for (int32_t j = 0; j < size; j++) {
                if (done[i] || fabsl(X[i * size + j]) <= best) continue;
                bool used = false;
                for (int32_t l = 0; l < k; l++) used = used || column[l] == j;
                if (used) continue;
                best = fabsl(X[i * size + j]);
                r = i;
                c = j;
            }
        }
        if (!(best > 0)) return false;
        row[k] = r;
        column[k] = c;
        done[r] = true;
        wide pivot = 1 / X[r * size + c];
        X[r * size + c] = 1;
        for (int32_t j = 0; j < size; j++) X[r * size + j] *= pivot;
        for (int32_t i = 0; i < size; i++) {
            if (i == r) continue;
            wide factor = X[i * size + c];
            X[i * size + c] = 0;
            for (int32_t j = 0; j < size; j++) X[i * size + j] -= factor * X[r * size + j];
        }
    }
    /* entry (column[k], row[k]) of the inverse stands at (row[k], column[k]) */
    wide Y[K * K];
    for (int32_t k = 0; k < size; k++)
        for (int32_t l = 0; l < size; l++)
            Y[column[k] * size + row[l]] = X[row[k] * size + column[l]];
    memcpy(X, Y, sizeof *X * (size_t)size * (size_t)size);
    return true;
}

static wide frobenius(int32_t size, const wide *X)
{
    wide sum = 0;
    for (int32_t i = 0; i < size * size; i++) sum += X[i] * X[i];
    return sqrtl(sum);
}

typedef struct opinion {
    bool solved;
    wide z[N], lambda[K], D[K];
    wide scale;        /* largest sqrt(M_ii) |z_i|, |a_i| */
    wide lambda_scale; /* largest |lambda_i| / D_i, at least the scale */
    wide kappa_M, kappa_S;
} opinion;

/* [M, A^T; A, 0] (z, -lambda) = (f, b), the rows and columns scaled. */
static void solve_all(const task *p, opinion *o)
{
    wide X[K * K] = {0};
    int32_t n = p->n, size = p->n + p->m;
    for (int32_t i = 0; i < n; i++) {
        wide s = sqrtl(mass(p, i, i));
        for (int32_t j = 0; j < n; j++) X[i * size + j] = mass(p, i, j) / s / sqrtl(mass(p, j, j));
        for (int32_t k = 0; k < p->m; k++)
            X[i * size + n + k] = X[(n + k) * size + i] = p->A[k * n + i] * o->D[k] / s;
    }
    o->solved = invert(size, X);
    o->scale = 0;
    for (int32_t i = 0; i < size && o->solved; i++) {
        wide sum = 0;
        for (int32_t j = 0; j < size; j++)
            sum += X[i * size + j] *
                   (j < n ? p->f[j] / sqrtl(mass(p, j, j)) : p->b[j - n] * o->D[j - n]);
        if (i < n) o->scale = fmaxl(o->scale, fabsl(sum));
        if (i < n)
            o->z[i] = sum / sqrtl(mass(p, i, i));
        else
            o->lambda[i - n] = -sum * o->D[i - n];
    }
}

/* The inverse of the scaled M, S = A M^-1 A^T, conditions, the whole solution. */
static void judge(const task *p, opinion *o)
{
    wide Y[N * N], S[K * K], T[K * K];
    int32_t n = p->n, m = p->m;
    *o = (opinion){.solved = false};
    for (int32_t i = 0; i < n * n; i++)
        Y[i] = mass(p, i / n, i % n) / sqrtl(mass(p, i / n, i / n)) / sqrtl(mass(p, i % n, i % n));
    o->kappa_M = frobenius(n, Y);
    if (!invert(n, Y)) return;
    o->kappa_M *= frobenius(n, Y);
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < m; j++) {
            wide sum = 0;
            for (int32_t k = 0; k < n; k++)
                for (int32_t l = 0; l < n; l++)
                    sum += p->A[i * n + k] / sqrtl(mass(p, k, k)) * Y[k * n + l] * p->A[j * n + l] /
                           sqrtl(mass(p, l, l));
            S[i * m + j] = sum;
        }
    }
    for (int32_t i = 0; i < m; i++) o->D[i] = 1 / sqrtl(S[i * m + i]);
    for (int32_t i = 0; i < m * m; i++) S[i] *= o->D[i / m] * o->D[i % m];
    memcpy(T, S, sizeof T);
    if (!invert(m, T)) return;
    o->kappa_S = m > 0 ? frobenius(m, S) * frobenius(m, T) : 1;
    solve_all(p, o);
    for (int32_t i = 0; i < n; i++) { /* the free acceleration is of the scale, too */
        wide a = 0;
        for (int32_t j = 0; j < n; j++) a += Y[i * n + j] * p->f[j] / sqrtl(mass(p, j, j));
        o->scale = fmaxl(o->scale, fabsl(a));
    }
    o->lambda_scale = o->scale;
    for (int32_t i = 0; i < m; i++)
        o->lambda_scale = fmaxl(o->lambda_scale, fabsl(o->lambda[i]) / o->D[i]);
}

/* ------------------------------------------------------------------ comparison */

typedef struct tally {
    int32_t served, refused;
    double worst_z, worst_lambda; /* in units of eps kappa */
    double worst_careful;
} tally;

/* Errors of z and lambda in units of eps kappa. */
static void measure(const task *p, const opinion *o, const double *z, const double *lambda,
                    tally *t)
{
    double unit = DBL_EPSILON * (double)(o->kappa_M * o->kappa_S * o->scale);
    for (int32_t i = 0; i < p->n; i++) {
        double e = (double)(fabsl(z[i] - o->z[i]) * sqrtl(mass(p, i, i))) / unit;
        if (!(e <= t->worst_z)) t->worst_z = e;
    }
    unit *= (double)(o->lambda_scale / o->scale);
    for (int32_t i = 0; i < p->m; i++) {
        double e = (double)(fabsl(lambda[i] - o->lambda[i]) / o->D[i]) / unit;
        if (!(e <= t->worst_lambda)) t->worst_lambda = e;
    }
}

/* The careful road on the same problem. */
static void compare_careful(zb_memory *memory, const task *p, const opinion *o, tally *t)
{
    zw_gauss_shape shape = {
        .n = p->n, .m = p->m, .mass = p->diagonal ? ZW_DIAGONAL : ZW_FULL, .weight = ZW_IDENTITY};
    zw_gauss *g = NULL;
    double z[N], lambda[K];
    tally other = {0};
    zw_gauss_answer answer = {.acceleration = z, .multipliers = lambda};
    assert_int_equal(zg_plan(memory, &shape, &g), ZW_OK);
    assert_int_equal(zg_factor(g, p->M, p->A, NULL), ZW_OK);
    assert_int_equal(zg_solve(g, p->f, p->b, NULL, &answer), ZW_OK);
    measure(p, o, z, lambda, &other);
    t->worst_careful = fmax(t->worst_careful, fmax(other.worst_z, other.worst_lambda));
    zg_free(g);
}

/* True when it serves; then z and lambda have been compared. */
static bool try_task(zb_memory *memory, const task *p, tally *t, opinion *o)
{
    zg_quick *g = NULL;
    double z[N], lambda[K];
    zg_rows A = {.start = p->start, .column = p->column, .value = p->value};
    assert_int_equal(zg_quick_plan(memory, p->n, p->m, p->diagonal, &g), ZW_OK);
    bool serves = zg_quick_factor(g, p->M, &A);
    t->served += serves;
    t->refused += !serves;
    judge(p, o);
    if (serves) {
        assert_true(o->solved);
        zg_quick_solve(g, p->f, p->b, z, lambda);
        measure(p, o, z, lambda, t);
        compare_careful(memory, p, o, t);
    }
    zg_quick_free(g);
    return serves;
}

static task plain_task(int32_t round)
{
    task p = {.n = 1 + round % N, .diagonal = round % 2 == 0};
    p.m = below(p.n + 1);
    return p;
}

static void expect_bounds(const char *what, const tally *t, double bound)
{
    printf("%s: served %d, refused %d; errors in eps kappa: z %.2g, lambda %.2g, careful %.2g\n",
           what, t->served, t->refused, t->worst_z, t->worst_lambda, t->worst_careful);
    assert_true(t->worst_z <= bound);
    assert_true(t->worst_lambda <= bound);
    assert_true(t->worst_careful <= bound);
}

/* ----------------------------------------------------------------------- tests */

static void tame_problems_are_served(void **state)
{
    zb_memory *memory = *state;
    tally t = {0};
    for (int32_t round = 0; round < 3000; round++) {
        task p = plain_task(round);
        opinion o;
        make_mass(&p, 0.5, 0.5);
        make_rows(&p, 0.5, round % 7);
        make_right(&p);
        make_sparse(&p);
        bool served = try_task(memory, &p, &t, &o);
        if (!served && o.solved && o.kappa_S < 1e3 && o.kappa_M < 1e3)
            fail_msg("refused: n %d, m %d, kappa %Lg %Lg", p.n, p.m, o.kappa_S, o.kappa_M);
    }
    assert_true(t.served > 2000);
    expect_bounds("tame", &t, 10.0);
}

/* Units of coordinates and rows over many decades change nothing. */
static void bad_scaling(void **state)
{
    zb_memory *memory = *state;
    tally t = {0};
    for (int32_t round = 0; round < 3000; round++) {
        task p = plain_task(round);
        opinion o;
        make_mass(&p, 6.0, 0.5);
        for (int32_t i = 0; i < p.m; i++) { /* entries in the units of the coordinates */
            double scale = decades(9.0);
            for (int32_t j = 0; j < p.n; j++)
                p.A[i * p.n + j] =
                    below(10) < 3 && j != i ? 0.0 : scale * any() * sqrt(mass(&p, j, j));
        }
        make_right(&p);
        make_sparse(&p);
        bool served = try_task(memory, &p, &t, &o);
        if (!served && o.solved && o.kappa_S < 1e3 && o.kappa_M < 1e3)
            fail_msg("refused: n %d, m %d, kappa %Lg %Lg", p.n, p.m, o.kappa_S, o.kappa_M);
    }
    assert_true(t.served > 2000);
    expect_bounds("badly scaled", &t, 10.0);
}

/* The last row is a combination of the others but for a part of relative size delta. */
static task near_task(int32_t round, double delta)
{
    task p = plain_task(round);
    p.n = 2 + round % (N - 1);
    p.m = 2 + below(p.n - 1);
    make_mass(&p, 1.0, 0.5);
    make_rows(&p, 0.5, 0);
    double *last = p.A + (p.m - 1) * p.n;
    for (int32_t j = 0; j < p.n; j++) {
        double sum = 0.0;
        for (int32_t i = 0; i < p.m - 1; i++) sum += (i % 2 ? -1.0 : 1.5) * p.A[i * p.n + j];
        last[j] = sum * (1.0 + delta * any());
    }
    make_right(&p);
    make_sparse(&p);
    return p;
}

static void nearly_dependent_rows(void **state)
{
    zb_memory *memory = *state;
    for (int32_t decade = 1; decade <= 13; decade++) {
        tally t = {0};
        char what[64];
        for (int32_t round = 0; round < 300; round++) {
            task p = near_task(round, pow(10.0, -decade));
            opinion o;
            bool served = try_task(memory, &p, &t, &o);
            /* eps kappa is the loss of digits: from 1e-4 on it is never accepted */
            if (served && o.kappa_S > 1e12) fail_msg("served with kappa %Lg", o.kappa_S);
        }
        snprintf(what, sizeof what, "dependent but for 1e-%d", decade);
        expect_bounds(what, &t, 10.0);
        if (decade >= 8) assert_int_equal(t.served, 0);
    }
}

/* Exactly dependent (small integers) and dependent up to rounding; zero rows; too many. */
static task dependent_task(int32_t round, bool exactly)
{
    task p = plain_task(round);
    p.n = 2 + round % (N - 1);
    p.m = 2 + below(p.n - 1);
    make_mass(&p, 2.0, 0.5);
    make_rows(&p, exactly ? 0.0 : 3.0, 2);
    for (int32_t i = 0; i < p.m * p.n && exactly; i++) p.A[i] = floor(8.0 * p.A[i]);
    int32_t which = below(p.m);
    for (int32_t j = 0; j < p.n; j++) {
        double sum = 0.0;
        for (int32_t i = 0; i < p.m; i++)
            if (i != which) sum += ((i + round) % 3 - 1) * p.A[i * p.n + j];
        p.A[which * p.n + j] = sum; /* may be a row of zeros */
    }
    make_right(&p);
    make_sparse(&p);
    return p;
}

static bool serves(zb_memory *memory, const task *p)
{
    zg_quick *g = NULL;
    zg_rows A = {.start = p->start, .column = p->column, .value = p->value};
    assert_int_equal(zg_quick_plan(memory, p->n, p->m, p->diagonal, &g), ZW_OK);
    bool served = zg_quick_factor(g, p->M, &A);
    zg_quick_free(g);
    return served;
}

static void dependent_rows_are_never_served(void **state)
{
    zb_memory *memory = *state;
    for (int32_t round = 0; round < 4000; round++) {
        task p = dependent_task(round, round % 2 == 0);
        assert_false(serves(memory, &p));
        p = plain_task(round);
        p.m = p.n + 1 + below(p.n); /* more rows than coordinates */
        make_mass(&p, 1.0, 0.5);
        make_rows(&p, 1.0, 3);
        make_sparse(&p);
        assert_false(serves(memory, &p));
        p.m = 1 + below(p.n);
        int32_t zero = below(p.m);
        for (int32_t j = 0; j < p.n; j++) p.A[zero * p.n + j] = 0.0;
        make_sparse(&p);
        assert_false(serves(memory, &p));
    }
}

/* A full M of rank below n, up to rounding, and one with a zero or negative entry. */
static void singular_masses_are_never_served(void **state)
{
    zb_memory *memory = *state;
    for (int32_t round = 0; round < 2000; round++) {
        task p = {.n = 2 + round % (N - 1), .diagonal = false};
        double u[N];
        p.m = below(p.n);
        make_mass(&p, 1.0, 0.5);
        for (int32_t j = 0; j < p.n; j++) u[j] = any(); /* the last coordinate follows the others */
        for (int32_t i = 0; i < p.n - 1; i++) {
            double sum = 0.0;
            for (int32_t j = 0; j < p.n - 1; j++) sum += p.M[i * p.n + j] * u[j];
            p.M[i * p.n + p.n - 1] = p.M[(p.n - 1) * p.n + i] = sum;
        }
        p.M[p.n * p.n - 1] = 0.0;
        for (int32_t j = 0; j < p.n - 1; j++) p.M[p.n * p.n - 1] += u[j] * p.M[(p.n - 1) * p.n + j];
        make_rows(&p, 1.0, 3);
        make_sparse(&p);
        assert_false(serves(memory, &p));
        p.diagonal = true;
        make_mass(&p, 1.0, 0.0);
        p.M[below(p.n)] *= round % 2 ? 0.0 : -1.0;
        assert_false(serves(memory, &p));
    }
}

/* NaN and infinity anywhere; and the same object works on afterwards, to the bit. */
static void not_finite(void **state)
{
    zb_memory *memory = *state;
    const double bad[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 1e200, 1e-200};
    for (int32_t round = 0; round < 2000; round++) {
        task p = plain_task(round), spoiled;
        double z[N], lambda[K], z2[N], lambda2[K];
        zg_quick *g = NULL;
        p.m = 1 + below(p.n);
        make_mass(&p, 0.2, 0.5);
        make_rows(&p, 0.2, 0);
        make_right(&p);
        make_sparse(&p);
        zg_rows A = {.start = p.start, .column = p.column, .value = p.value};
        assert_int_equal(zg_quick_plan(memory, p.n, p.m, p.diagonal, &g), ZW_OK);
        bool served = zg_quick_factor(g, p.M, &A);
        if (served) zg_quick_solve(g, p.f, p.b, z, lambda);
        spoiled = p;
        double value = bad[round % 5];
        bool finite = isfinite(value) != 0;
        if (round % 2)
            spoiled.value[below(p.start[p.m])] = value;
        else
            spoiled.M[below(p.diagonal ? p.n : p.n * p.n)] = value; /* not symmetric any more */
        zg_rows B = {.start = p.start, .column = p.column, .value = spoiled.value};
        bool spoiled_serves = zg_quick_factor(g, spoiled.M, &B);
        if (spoiled_serves && !finite && round % 2) fail_msg("%g in A is served", value);
        if (spoiled_serves && isnan(value)) fail_msg("NaN in M is served, round %d", round);
        assert_int_equal(zg_quick_factor(g, p.M, &A), served);
        if (served) zg_quick_solve(g, p.f, p.b, z2, lambda2);
        if (served) assert_memory_equal(z, z2, sizeof *z * (size_t)p.n);
        if (served) assert_memory_equal(lambda, lambda2, sizeof *z * (size_t)p.m);
        zg_quick_free(g);
    }
}

/* b NULL is b = 0; no rows give M^-1 f. */
static void no_right_side(void **state)
{
    zb_memory *memory = *state;
    for (int32_t round = 0; round < 200; round++) {
        task p = plain_task(round);
        double z[N], lambda[K], z2[N], lambda2[K], zero[K] = {0.0};
        zg_quick *g = NULL;
        make_mass(&p, 0.2, 0.5);
        make_rows(&p, 0.2, 3);
        make_right(&p);
        make_sparse(&p);
        zg_rows A = {.start = p.start, .column = p.column, .value = p.value};
        assert_int_equal(zg_quick_plan(memory, p.n, p.m, p.diagonal, &g), ZW_OK);
        if (zg_quick_factor(g, p.M, &A)) {
            zg_quick_solve(g, p.f, NULL, z, lambda);
            zg_quick_solve(g, p.f, zero, z2, lambda2);
            assert_memory_equal(z, z2, sizeof *z * (size_t)p.n);
            assert_memory_equal(lambda, lambda2, sizeof *z * (size_t)p.m);
        }
        zg_quick_free(g);
    }
}

/* ------------------------------------------------------------- a rank that is known */

/* Rows `rank`, and combinations of them with noise; b likewise. */
static void make_noisy(task *p, int32_t rank, double noise, task *clean)
{
    make_mass(p, 0.5, 0.5);
    make_rows(p, 0.0, 0);
    make_right(p);
    for (int32_t i = rank; i < p->m; i++) {
        double mix[N], b = 0.0;
        for (int32_t k = 0; k < rank; k++) mix[k] = any();
        for (int32_t j = 0; j < p->n; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k < rank; k++) sum += mix[k] * p->A[k * p->n + j];
            p->A[i * p->n + j] = sum;
        }
        for (int32_t k = 0; k < rank; k++) b += mix[k] * p->b[k];
        p->b[i] = b;
    }
    *clean = *p;
    clean->m = rank;
    make_sparse(clean);
    for (int32_t i = 0; i < p->m; i++) { /* relative to the row */
        double *row = p->A + i * p->n, size = 0.0;
        for (int32_t j = 0; j < p->n; j++) size = fmax(size, fabs(row[j]));
        for (int32_t j = 0; j < p->n; j++) row[j] += noise * size * any();
        p->b[i] += noise * size * any();
    }
}

static double careful_error(zw_gauss *g, const task *p, const opinion *o)
{
    double z[N], worst = 0.0;
    zw_gauss_answer answer = {.acceleration = z};
    assert_int_equal(zg_factor(g, p->M, p->A, NULL), ZW_OK);
    assert_int_equal(zg_solve(g, p->f, p->b, NULL, &answer), ZW_OK);
    for (int32_t i = 0; i < p->n; i++) {
        double e = (double)(fabsl(z[i] - o->z[i]) * sqrtl(mass(p, i, i)) / o->scale);
        worst = fmax(worst, e);
    }
    return worst;
}

static void a_known_rank_makes_noise_harmless(void **state)
{
    zb_memory *memory = *state;
    const double noise = 1e-6;
    double worst = 0.0, worst_free = 0.0;
    int32_t used = 0;
    for (int32_t round = 0; round < 1500; round++) {
        task p = {.n = 3 + round % (N - 3), .diagonal = round % 2 == 0}, clean;
        opinion o;
        int32_t rank = 1 + below(p.n - 1);
        p.m = rank + 1 + below(3);
        make_noisy(&p, rank, noise, &clean);
        judge(&clean, &o);
        if (!o.solved || o.kappa_S * o.kappa_M > 1e4)
            continue; /* the rows kept must be well apart */
        used++;
        zw_gauss_shape shape = {.n = p.n, .m = p.m, .mass = p.diagonal ? ZW_DIAGONAL : ZW_FULL};
        zw_gauss *g = NULL;
        shape.weight = ZW_IDENTITY;
        assert_int_equal(zg_plan(memory, &shape, &g), ZW_OK);
        worst_free = fmax(worst_free, careful_error(g, &p, &o));
        zg_limit_rank(g, rank);
        double kappa = sqrt((double)(o.kappa_S * o.kappa_M));
        double error = careful_error(g, &p, &o) / (noise * kappa);
        if (error > worst) worst = error;
        zg_limit_rank(g, p.m); /* not known any more */
        worst_free = fmax(worst_free, careful_error(g, &p, &o));
        zg_free(g);
    }
    printf("known rank: %d problems, error %.2g in units of noise sqrt(kappa); not known: %.2g\n",
           used, worst, worst_free);
    assert_true(used > 300);
    assert_true(worst <= 5.0);
    assert_true(worst_free > 0.1); /* it is the limit that helps */
}

/* A limit that is wrong: rows that are clearly independent keep their rank. */
static void a_wrong_limit_does_no_harm(void **state)
{
    zb_memory *memory = *state;
    int32_t used = 0;
    for (int32_t round = 0; round < 500; round++) {
        task p = plain_task(round);
        opinion o;
        p.n = 2 + round % (N - 1);
        p.m = 2 + below(p.n - 1);
        make_mass(&p, 0.3, 0.5);
        make_rows(&p, 0.3, 0);
        make_right(&p);
        make_sparse(&p);
        judge(&p, &o);
        if (!o.solved || o.kappa_S > 1e2) continue;
        used++;
        zw_gauss_shape shape = {
            .n = p.n, .m = p.m, .mass = p.diagonal ? ZW_DIAGONAL : ZW_FULL, .weight = ZW_IDENTITY};
        zw_gauss *g = NULL;
        zw_gauss_rank_info info = {0};
        assert_int_equal(zg_plan(memory, &shape, &g), ZW_OK);
        zg_limit_rank(g, p.m - 1);
        assert_true(careful_error(g, &p, &o) < 1e-11);
        assert_int_equal(zg_rank(g, &info), ZW_OK);
        assert_int_equal(info.rank, p.m);
        zg_free(g);
    }
    assert_true(used > 100);
}

static int open_memory(void **state)
{
    static zb_memory memory;
    zb_memory_init(&memory, NULL);
    *state = &memory;
    return 0;
}

static int close_memory(void **state)
{
    const zb_memory *memory = *state;
    return memory->held == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tame_problems_are_served),
        cmocka_unit_test(bad_scaling),
        cmocka_unit_test(nearly_dependent_rows),
        cmocka_unit_test(dependent_rows_are_never_served),
        cmocka_unit_test(singular_masses_are_never_served),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(no_right_side),
        cmocka_unit_test(a_known_rank_makes_noise_harmless),
        cmocka_unit_test(a_wrong_limit_does_no_harm),
    };
    return cmocka_run_group_tests(tests, open_memory, close_memory);
}
