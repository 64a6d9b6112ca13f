/*
 * random_problems.c: makes the problems that random_problems.h describes.
 *
 * Exactness: entries of A are k/16 with |k| <= 64, combinations have integer coefficients
 * up to 3, row factors are powers of two or positive powers of ten, and a consistent b is
 * A z with z = k/16; all products fit into 53 bits, so dependence and consistency are exact.
 * M = V D V^T is rounded, of course, and then simply is the mass matrix.
 */
#include "random_problems.h"

#include "oracle.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- matrices */

static double dot(const double *x, const double *y, int32_t n)
{
    double s = 0;
    for (int32_t i = 0; i < n; i++) {
        s += x[i] * y[i];
    }
    return s;
}

/* Makes row i of V orthogonal to the orthonormal ones before it, and of length 1. Twice is
 * enough. */
static void orthogonalise(double *V, int32_t i, int32_t n)
{
    double *v = V + i * n;
    for (int32_t k = 0; k < 2 * i; k++) {
        const double *u = V + (k % i) * n;
        double s = dot(u, v, n);
        for (int32_t j = 0; j < n; j++) {
            v[j] -= s * u[j];
        }
    }
    double norm = sqrt(dot(v, v, n));
    for (int32_t j = 0; j < n; j++) {
        v[j] /= norm;
    }
}

/* V [n*n], rows orthonormal */
static void random_orthogonal(uint64_t *state, int32_t n, double *V)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            V[i * n + j] = random_real(state, -1, 1);
        }
        orthogonalise(V, i, n);
    }
}

/* Values from 1 to cond, both ends taken when n > 1, the others between. */
static void random_range(uint64_t *state, int32_t n, double cond, double *d)
{
    for (int32_t i = 0; i < n; i++) {
        d[i] = pow(cond, i == 0 ? 0 : i == 1 ? 1 : random_real(state, 0, 1));
    }
}

void random_mass(uint64_t *state, int32_t n, double cond, double *M)
{
    double *V = malloc((size_t)(n * n + n) * sizeof *V), *d = V + n * n;
    do {
        random_orthogonal(state, n, V);
        random_range(state, n, 1 / cond, d);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j <= i; j++) {
                double s = 0;
                for (int32_t k = 0; k < n; k++) {
                    s += V[k * n + i] * d[k] * V[k * n + j];
                }
                M[i * n + j] = M[j * n + i] = s;
            }
        }
    } while (cond > 1e8 && !oracle_positive_definite(M, n));
    free(V);
}

/* Eigenvalues of a symmetric S [n*n], by Jacobi's rotations, left on its diagonal. */
static void eigenvalues(double *S, int32_t n)
{
    for (int32_t turn = 0; turn < 30 * n * n; turn++) {
        int32_t p = turn % n, q = (turn / n) % n;
        double off = S[p * n + q];
        if (p == q || off == 0) {
            continue;
        }
        double theta = (S[q * n + q] - S[p * n + p]) / (2 * off);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c;
        for (int32_t k = 0; k < n; k++) {
            double x = S[k * n + p], y = S[k * n + q];
            S[k * n + p] = c * x - s * y;
            S[k * n + q] = s * x + c * y;
        }
        for (int32_t k = 0; k < n; k++) {
            double x = S[p * n + k], y = S[q * n + k];
            S[p * n + k] = c * x - s * y;
            S[q * n + k] = s * x + c * y;
        }
    }
}

/* sqrt(largest / smallest eigenvalue) of S [n*n], which is destroyed */
static double spread_of(double *S, int32_t n)
{
    double low = HUGE_VAL, high = 0;
    eigenvalues(S, n);
    for (int32_t i = 0; i < n; i++) {
        low = fmin(low, S[i * n + i]);
        high = fmax(high, S[i * n + i]);
    }
    return low > 0 ? sqrt(high / low) : HUGE_VAL;
}

double row_spread(const double *A, int32_t m, int32_t n)
{
    double *S = malloc((size_t)(m * m + 1) * sizeof *S);
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < m; j++) {
            const double *a = A + i * n, *b = A + j * n;
            S[i * m + j] = dot(a, b, n) / sqrt(dot(a, a, n) * dot(b, b, n));
        }
    }
    double spread = m > 0 ? spread_of(S, m) : 1;
    free(S);
    return spread;
}

void random_weight(uint64_t *state, int32_t m, zw_matrix_kind kind, double *W)
{
    double *R = malloc((size_t)(m * m + 1) * sizeof *R);
    for (int32_t i = 0; i < m * m; i++) {
        R[i] = random_integer(state, -2, 2);
        W[i] = 0;
    }
    for (int32_t i = 0; i < m; i++) {
        for (int32_t j = 0; j < m && kind == ZW_FULL; j++) {
            for (int32_t k = 0; k < m; k++) {
                W[i * m + j] += R[k * m + i] * R[k * m + j];
            }
        }
        double own = kind == ZW_DIAGONAL ? exp(random_real(state, -3, 3)) : 0.5;
        W[i * m + i] = kind == ZW_IDENTITY ? 1 : W[i * m + i] + own;
    }
    free(R);
}

/* ----------------------------------------------------------------- problems */

problem *problem_new(int32_t n, int32_t m)
{
    problem *p = calloc(1, sizeof *p);
    size_t nn = (size_t)n, mm = (size_t)m;
    p->n = n;
    p->m = m;
    p->weight = ZW_IDENTITY;
    p->spread = 1;
    p->M = calloc(nn * nn + 2 * nn + mm * nn + mm + mm * mm, sizeof(double));
    p->Q = p->M + nn * nn;
    p->C = p->Q + nn;
    p->A = p->C + nn;
    p->b = p->A + mm * nn;
    p->W = p->b + mm;
    for (int32_t i = 0; i < n; i++) {
        p->M[i * n + i] = 1;
    }
    for (int32_t i = 0; i < m; i++) {
        p->W[i * m + i] = 1;
    }
    return p;
}

problem *problem_copy(const problem *p)
{
    problem *c = problem_new(p->n, p->m);
    problem arrays = *c;
    size_t n = (size_t)p->n, m = (size_t)p->m;
    memcpy(c->M, p->M, (n * n + 2 * n + m * n + m + m * m) * sizeof(double));
    *c = *p;
    c->M = arrays.M;
    c->Q = arrays.Q;
    c->C = arrays.C;
    c->A = arrays.A;
    c->b = arrays.b;
    c->W = arrays.W;
    return c;
}

void problem_free(problem *p)
{
    if (p != NULL) {
        free(p->M);
        free(p);
    }
}

void problem_describe(const problem *p, char *text, size_t size)
{
#define SHAPE_TEXT(name, text) text,
    static const char *const masses[] = {MASS_LIST(SHAPE_TEXT)};
    static const char *const rows[] = {ROWS_LIST(SHAPE_TEXT)};
    static const char *const rights[] = {RIGHT_LIST(SHAPE_TEXT)};
    static const char *const scales[] = {SCALE_LIST(SHAPE_TEXT)};
#undef SHAPE_TEXT
    static const char *const weights[] = {"full W", "diagonal W", "no W"};
    if (p->made.n_max == 0) {
        snprintf(text, size, "made by hand, n %d, m %d, seed %llu", p->n, p->m,
                 (unsigned long long)p->seed);
        return;
    }
    const recipe *r = &p->made;
    snprintf(text, size,
             "%s, cond %g, %s (near %g, spread %.3g), %s, %s, %s, C %s, n %d, m %d, seed %llu",
             masses[r->mass], r->cond, rows[r->rows], r->near, p->spread, rights[r->b],
             weights[r->weight], scales[r->scale], p->with_C ? "given" : "absent", p->n, p->m,
             (unsigned long long)p->seed);
}

/* ------------------------------------------------------------------- making */

/* How many rows are independent, and how many there are in all. */
static void choose_sizes(const recipe *r, uint64_t *state, int32_t n, int32_t *rank, int32_t *m)
{
    *rank = random_integer(state, 1, n);
    *m = *rank;
    switch (r->rows) {
    case ROWS_NONE:
        *rank = *m = 0;
        break;
    case ROWS_ZERO:
        *rank = 0;
        *m = random_integer(state, 1, 4);
        break;
    case ROWS_REDUNDANT:
    case ROWS_SOME_ZERO:
        *m += random_integer(state, 1, 3);
        break;
    case ROWS_MANY:
        *m = n + random_integer(state, 1, 5);
        break;
    case ROWS_NEAR: /* the last independent row is the near one */
        *rank = *m = random_integer(state, 2, n);
        break;
    default:
        break;
    }
}

/* row := a combination of up to three different ones of the first `rank` rows of A,
 * coefficients +-1..3 */
static void combine(uint64_t *state, const double *A, int32_t rank, int32_t n, double *row)
{
    int32_t first = random_integer(state, 0, rank - 1);
    int32_t count = random_integer(state, 1, rank < 3 ? rank : 3);
    memset(row, 0, (size_t)n * sizeof *row);
    for (int32_t k = 0; k < count; k++) {
        const double *a = A + (first + k) % rank * n;
        double c = random_integer(state, 1, 3) * (random_bits(state) % 2 == 0 ? 1 : -1);
        for (int32_t j = 0; j < n; j++) {
            row[j] += c * a[j];
        }
    }
}

/* Takes `row` away from the span of the first `base` rows by a relative distance `near`. */
static void move_away(uint64_t *state, const double *A, int32_t base, int32_t n, double near,
                      double *row)
{
    /* the rows orthonormal, then a random vector orthogonal to them */
    double *V = malloc((size_t)((base + 1) * n) * sizeof *V), *u = V + base * n;
    memcpy(V, A, (size_t)(base * n) * sizeof *V);
    for (int32_t j = 0; j < n; j++) {
        u[j] = random_real(state, -1, 1);
    }
    for (int32_t i = 0; i <= base; i++) {
        orthogonalise(V, i, n);
    }
    double step = near * sqrt(dot(row, row, n));
    for (int32_t j = 0; j < n; j++) {
        row[j] += step * u[j];
    }
    free(V);
}

/* The first `rank` rows: random until they are well apart, unless they may be anything. */
static void make_independent(const recipe *r, uint64_t *state, problem *p, int32_t rank)
{
    for (int32_t trial = 0; trial < 1000; trial++) {
        for (int32_t i = 0; i < rank * p->n; i++) {
            p->A[i] = r->rows == ROWS_GENERIC ? random_real(state, -4, 4) : random_dyadic(state);
        }
        p->spread = row_spread(p->A, rank, p->n);
        if (r->rows == ROWS_GENERIC || p->spread < 30) {
            return;
        }
    }
}

static void make_rows(const recipe *r, uint64_t *state, problem *p, int32_t rank)
{
    int32_t n = p->n, base = r->rows == ROWS_NEAR ? rank - 1 : rank;
    make_independent(r, state, p, base);
    for (int32_t i = base; i < p->m && base > 0; i++) {
        combine(state, p->A, base, n, p->A + i * n);
        if (r->rows == ROWS_NEAR) {
            move_away(state, p->A, base, n, r->near, p->A + i * n);
        }
        if (r->rows == ROWS_SOME_ZERO && random_bits(state) % 2 == 0) {
            memset(p->A + i * n, 0, (size_t)n * sizeof(double));
        }
    }
}

static void swap_rows(problem *p, int32_t i, int32_t k)
{
    for (int32_t j = 0; j < p->n; j++) {
        double x = p->A[i * p->n + j];
        p->A[i * p->n + j] = p->A[k * p->n + j];
        p->A[k * p->n + j] = x;
    }
}

/* Multiplies row i and b[i] by a factor. A full W counts in the unit of the rows, so it
 * goes along; otherwise it would be singular to rounding. */
static void scale_row(problem *p, int32_t i, double factor)
{
    p->b[i] *= factor;
    for (int32_t j = 0; j < p->n; j++) {
        p->A[i * p->n + j] *= factor;
    }
    for (int32_t k = 0; k < p->m && p->weight == ZW_FULL; k++) {
        p->W[i * p->m + k] /= factor;
        p->W[k * p->m + i] /= factor;
    }
}

/* The order of the rows, b, and the rows' factors. */
static void finish_rows(const recipe *r, uint64_t *state, problem *p)
{
    int32_t n = p->n;
    double *z = malloc((size_t)n * sizeof *z);
    for (int32_t i = p->m - 1; i > 0; i--) {
        swap_rows(p, i, random_integer(state, 0, i));
    }
    for (int32_t j = 0; j < n; j++) {
        z[j] = random_dyadic(state);
    }
    for (int32_t i = 0; i < p->m; i++) {
        double factor = 1;
        p->b[i] = r->b == CONSISTENT ? dot(p->A + i * n, z, n) : 4 * random_dyadic(state);
        if (r->scale == SCALE_TWO) {
            factor = ldexp(1, random_integer(state, -13, 13));
        } else if (r->scale == SCALE_TEN) {
            factor = pow(10, random_integer(state, 0, 8));
        }
        scale_row(p, i, factor);
    }
    free(z);
}

/* M = F^T F, F dyadic with n - k rows well apart; or a diagonal with k zeros. */
static void make_singular_mass(const recipe *r, uint64_t *state, problem *p, int32_t k)
{
    int32_t n = p->n, rows = n - k;
    double *F = malloc((size_t)(n * n) * sizeof *F);
    do {
        for (int32_t i = 0; i < rows * n; i++) {
            F[i] = random_dyadic(state);
        }
    } while (row_spread(F, rows, n) > 30);
    for (int32_t i = 0; i < n * n; i++) {
        p->M[i] = 0;
        for (int32_t l = 0; l < rows && r->mass == MASS_SINGULAR; l++) {
            p->M[i] += F[l * n + i / n] * F[l * n + i % n];
        }
    }
    for (int32_t i = 0; i < n && r->mass == MASS_SINGULAR_DIAGONAL; i++) {
        /* the coordinates without mass are drawn by exchanging */
        int32_t j = random_integer(state, 0, i);
        p->M[i * n + i] = p->M[j * n + j];
        p->M[j * n + j] = i < rows ? fabs(F[i * n]) : 0;
    }
    free(F);
}

/* How well M and the first `rank` rows together determine a motion. */
static double stack_spread(const problem *p, int32_t rank)
{
    int32_t n = p->n;
    double *S = malloc((size_t)(n * n) * sizeof *S);
    for (int32_t i = 0; i < n * n; i++) {
        S[i] = p->M[i];
        for (int32_t k = 0; k < rank; k++) {
            S[i] += p->A[k * n + i / n] * p->A[k * n + i % n];
        }
    }
    double spread = spread_of(S, n);
    free(S);
    return spread;
}

static void make_mass(const recipe *r, uint64_t *state, problem *p, int32_t rank)
{
    int32_t n = p->n;
    double *d = malloc((size_t)n * sizeof *d);
    random_range(state, n, r->mass == MASS_SCALED ? 1 / sqrt(r->cond) : 1 / r->cond, d);
    switch (r->mass) {
    case MASS_GENERIC:
        random_mass(state, n, r->cond, p->M);
        break;
    case MASS_DIAGONAL:
        for (int32_t i = 0; i < n; i++) {
            p->M[i * n + i] = d[i];
        }
        break;
    case MASS_SCALED:
        random_mass(state, n, 10, p->M);
        for (int32_t i = 0; i < n * n; i++) {
            p->M[i] *= d[i / n] * d[i % n];
        }
        break;
    default:
        do {
            make_singular_mass(r, state, p, random_integer(state, 1, rank));
        } while (!(stack_spread(p, rank) < 50));
    }
    bool diagonal = r->mass == MASS_DIAGONAL || r->mass == MASS_SINGULAR_DIAGONAL;
    p->mass = diagonal ? ZW_DIAGONAL : ZW_FULL;
    free(d);
}

problem *problem_make(const recipe *r, uint64_t seed)
{
    uint64_t shape = (uint64_t)r->mass * 10000 + (uint64_t)r->rows * 1000 + (uint64_t)r->b * 100 +
                     (uint64_t)r->weight * 10 + (uint64_t)r->scale;
    uint64_t state = seed * 0x2545f4914f6cdd1du + shape * 0x9e3779b1u;
    int32_t n = random_integer(&state, r->n_min, r->n_max), rank = 0, m = 0;
    choose_sizes(r, &state, n, &rank, &m);
    problem *p = problem_new(n, m);
    p->made = *r;
    p->seed = seed;
    p->weight = r->weight;
    p->with_C = random_bits(&state) % 2 == 0;
    make_rows(r, &state, p, rank);
    make_mass(r, &state, p, rank);
    random_weight(&state, m, r->weight, p->W);
    finish_rows(r, &state, p);
    double unit = ldexp(1, random_integer(&state, -6, 6)); /* of mass */
    for (int32_t i = 0; i < n * n; i++) {
        p->M[i] *= unit;
    }
    for (int32_t i = 0; i < n; i++) {
        p->Q[i] = random_real(&state, -10, 10);
        p->C[i] = p->with_C ? random_real(&state, -10, 10) : 0;
    }
    return p;
}

/* ------------------------------------------------------- cancelling weights */

enum { CANCELLING_ROWS = 6 };

/* T unit triangular with entries -1, 0, 1; c = T^-1 e, e zero at the hole, 1 to 3 elsewhere */
static void cancelling_factor(uint64_t *state, int32_t m, bool upper, double (*T)[CANCELLING_ROWS],
                              double *c)
{
    int32_t hole = random_integer(state, 0, m - 1);
    for (int32_t k = 0; k < m; k++) {
        int32_t i = upper ? m - 1 - k : k;
        c[i] = i == hole ? 0 : random_integer(state, 1, 3);
        T[i][i] = 1;
        for (int32_t l = 0; l < k; l++) {
            int32_t j = upper ? m - 1 - l : l;
            T[i][j] = random_integer(state, -1, 1);
            c[i] -= T[i][j] * c[j];
        }
    }
}

/* W = T^T D T, D no squares, so that its root is rounded */
static void cancelling_weight(uint64_t *state, int32_t m, double (*T)[CANCELLING_ROWS], double *W)
{
    static const double choice[] = {2, 3, 5, 6, 7, 10};
    memset(W, 0, (size_t)(m * m) * sizeof *W);
    for (int32_t k = 0; k < m; k++) {
        double D = choice[random_integer(state, 0, 5)];
        for (int32_t i = 0; i < m * m; i++) {
            W[i] += T[k][i / m] * D * T[k][i % m];
        }
    }
}

problem *problem_cancelling(uint64_t seed, right_side b)
{
    uint64_t state = seed;
    int32_t n = random_integer(&state, 2, 5), m = random_integer(&state, 2, CANCELLING_ROWS);
    double T[CANCELLING_ROWS][CANCELLING_ROWS] = {{0}}, c[CANCELLING_ROWS], a[5];
    problem *p = problem_new(n, m);
    cancelling_factor(&state, m, seed % 2 == 0, T, c);
    cancelling_weight(&state, m, T, p->W);
    random_mass(&state, n, 100, p->M);
    double acceleration = random_dyadic(&state);
    for (int32_t j = 0; j < n; j++) {
        a[j] = random_dyadic(&state);
        p->Q[j] = random_real(&state, -10, 10);
    }
    for (int32_t i = 0; i < m; i++) {
        p->b[i] = b == CONSISTENT ? c[i] * acceleration : random_dyadic(&state);
        for (int32_t j = 0; j < n; j++) {
            p->A[i * n + j] = c[i] * a[j];
        }
    }
    p->made = (recipe){n, n, MASS_GENERIC, 1e2, ROWS_REDUNDANT, b, ZW_FULL, SCALE_NONE, 0};
    p->weight = ZW_FULL;
    p->seed = seed;
    return p;
}
