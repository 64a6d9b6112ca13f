/*
 * The fast road to an acceleration, for the inside of an integrator: independent rows and a
 * definite M.
 *
 *     M = L L^T (or diagonal),  G = L^-1 A^T,  S = G^T G,  D S D = U^T U with unit diagonal
 *     lambda = S^-1 (b - A M^-1 f),  z = M^-1 (f + A^T lambda)
 *
 * It never guesses: a bound of the condition of D S D that is never too small (comparison matrix of
 * U, NUMERICS 2) decides whether the answer is good as it stands, is corrected once by its own
 * residual, or is left to the careful road (zg_factor, zg_solve). Where the bound is too far from
 * the truth, as in long chains, an estimate by inverse iteration with a wide margin decides. Rows
 * come sparse; M and A are referred to, not copied.
 *
 * A row that is off stands in D S D as a row of the identity: lambda is 0 there, and all other
 * numbers are to the bit those of the system without it.
 */
#include <math.h>
#include <string.h>

#include "gauss.h"

static const double uncorrected = 1e4;   /* up to this condition no correction is needed */
static const double most_bound = 1e10;   /* beyond it the orthogonal road is taken, */
static const double most_estimate = 1e8; /* unless the bound is far from the truth */

struct zg_quick {
    zb_memory *memory;
    size_t bytes;
    int32_t n, m;
    int32_t on; /* rows that are not off */
    bool diagonal;
    bool correct;     /* by the residual */
    double condition; /* of D S D: a bound when small, else an estimate */
    const double *M;
    zg_rows A;
    double *L;                   /* [n*n] rows of the factor of M; not when diagonal */
    double *inverse;             /* [n] of its diagonal; of M itself when diagonal */
    double *G;                   /* [m*n] rows L^-1 A_i; not when diagonal */
    double *U;                   /* [m*m] rows of the lower factor of D S D */
    double *pivot;               /* [m] inverse diagonal of it */
    double *D;                   /* [m] */
    double *work;                /* [n] kept at 0 between uses */
    double *a, *c, *dz, *dc, *r; /* [n], [m], [n], [m], [n] */
};

/* One block: the structure and behind it its arrays. */
zw_status zg_quick_plan(zb_memory *memory, int32_t n, int32_t m, bool diagonal, zg_quick **out)
{
    size_t N = (size_t)n, R = (size_t)m;
    size_t dense = diagonal ? 0 : N * N + R * N;
    size_t bytes = sizeof(zg_quick) + sizeof(double) * (dense + R * R + 5 * N + 4 * R);
    zg_quick *g = zb_resize(memory, NULL, 0, bytes);
    if (!g) return memory->failure;
    memset(g, 0, bytes);
    *g = (zg_quick){.memory = memory, .bytes = bytes, .n = n, .m = m, .diagonal = diagonal};
    double *next = (double *)(void *)(g + 1);
    g->L = next;
    g->G = next + (diagonal ? 0 : N * N);
    g->U = next + dense;
    g->inverse = g->U + R * R;
    g->work = g->inverse + N;
    g->a = g->work + N;
    g->dz = g->a + N;
    g->r = g->dz + N;
    g->pivot = g->r + N;
    g->D = g->pivot + R;
    g->c = g->D + R;
    g->dc = g->c + R;
    *out = g;
    return ZW_OK;
}

void zg_quick_free(zg_quick *g)
{
    if (g) zb_resize(g->memory, g, g->bytes, 0);
}

/* Where row i ends; at its start when it is off. */
static int32_t find_row_end(const zg_rows *A, int32_t i)
{
    return A->start[A->off && A->off[i] ? i : i + 1];
}

/* ---------------------------------------------------------------------- factor */

/* Rows of the lower factor in place of X [n*n], inverse diagonal; false when a pivot is not well
 * above rounding of its own entry. */
static bool factor_definite(int32_t n, double *X, double *inverse, double least)
{
    size_t N = (size_t)n;
    for (size_t i = 0; i < N; i++) {
        double *x = X + i * N, whole = x[i], sum = whole;
        for (size_t j = 0; j < i; j++) {
            const double *y = X + j * N;
            double s = x[j];
            for (size_t k = 0; k < j; k++) s -= x[k] * y[k];
            x[j] = s * inverse[j];
            sum -= x[j] * x[j];
        }
        if (!(sum > least * whole)) return false;
        inverse[i] = 1.0 / sqrt(sum);
        x[i] = sum * inverse[i];
    }
    return true;
}

/* M = L L^T, or 1 / M where it is diagonal. False: M is not clearly definite. */
static bool factor_quick_mass(zg_quick *g, const double *M)
{
    if (!g->diagonal) {
        memcpy(g->L, M, sizeof *M * (size_t)g->n * (size_t)g->n);
        return factor_definite(g->n, g->L, g->inverse, 1e-6);
    }
    for (int32_t j = 0; j < g->n; j++) {
        if (!(M[j] > 0.0)) return false;
        g->inverse[j] = 1.0 / M[j];
    }
    return true;
}

/* S = A M^-1 A^T, lower triangle, into U: diagonal M, sparse rows. */
static void form_schur_of_diagonal(zg_quick *g)
{
    const zg_rows *A = &g->A;
    for (int32_t i = 0; i < g->m; i++) {
        double *row = g->U + (size_t)i * (size_t)g->m;
        int32_t end = find_row_end(A, i);
        for (int32_t p = A->start[i]; p < end; p++)
            g->work[A->column[p]] = A->value[p] * g->inverse[A->column[p]];
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int32_t p = A->start[j], last = find_row_end(A, j); p < last; p++)
                sum += A->value[p] * g->work[A->column[p]];
            row[j] = sum;
        }
        for (int32_t p = A->start[i]; p < end; p++) g->work[A->column[p]] = 0.0;
    }
}

/* S for a full M, with G = L^-1 A^T row by row. */
static void form_schur_of_full(zg_quick *g)
{
    const zg_rows *A = &g->A;
    size_t N = (size_t)g->n, R = (size_t)g->m;
    for (size_t i = 0; i < R; i++) {
        double *x = g->G + i * N;
        memset(x, 0, sizeof *x * N);
        for (int32_t p = A->start[i], end = find_row_end(A, (int32_t)i); p < end; p++)
            x[A->column[p]] = A->value[p];
        for (size_t k = 0; k < N; k++) {
            const double *l = g->L + k * N;
            double s = x[k];
            for (size_t j = 0; j < k; j++) s -= l[j] * x[j];
            x[k] = s * g->inverse[k];
        }
        for (size_t j = 0; j <= i; j++) {
            const double *y = g->G + j * N;
            double s = 0.0;
            for (size_t k = 0; k < N; k++) s += x[k] * y[k];
            g->U[i * R + j] = s;
        }
    }
}

/* m |M(U)^-1 e| |M(U)^-T e|, never below the condition of D S D = U U^T. */
static double bound_condition(zg_quick *g)
{
    size_t R = (size_t)g->m;
    double *x = g->c, *y = g->dc, large_x = 0.0, large_y = 0.0;
    for (size_t i = 0; i < R; i++) {
        double s = 1.0;
        for (size_t j = 0; j < i; j++) s += fabs(g->U[i * R + j]) * x[j];
        x[i] = s * g->pivot[i];
        large_x = fmax(large_x, x[i]);
        y[i] = 1.0;
    }
    for (size_t i = R; i-- > 0;) {
        y[i] *= g->pivot[i];
        large_y = fmax(large_y, y[i]);
        for (size_t j = 0; j < i; j++) y[j] += fabs(g->U[i * R + j]) * y[i];
    }
    double norm = large_x * large_y;
    return (double)g->on * norm; /* NaN falls to the careful side */
}

/* x = (U U^T)^-1 x; returns the growth of its length. */
static double apply_schur_inverse(const zg_quick *g, double *x)
{
    size_t R = (size_t)g->m;
    double before = 0.0, after = 0.0;
    for (size_t i = 0; i < R; i++) before += x[i] * x[i];
    for (size_t i = 0; i < R; i++) {
        double s = x[i];
        for (size_t j = 0; j < i; j++) s -= g->U[i * R + j] * x[j];
        x[i] = s * g->pivot[i];
    }
    for (size_t i = R; i-- > 0;) {
        x[i] *= g->pivot[i];
        for (size_t j = 0; j < i; j++) x[j] -= g->U[i * R + j] * x[i];
        after += x[i] * x[i];
    }
    return sqrt(after / before);
}

/* No particular direction: entry k of it. */
static double begin_estimate(int32_t k)
{
    return (k & 1 ? -1.0 : 1.0) * (1.0 + 1.0 / (1.0 + k));
}

/* What the condition is about, by inverse iteration: where the bound is far too large, as it is in
 * long chains. */
static double estimate_condition(zg_quick *g)
{
    enum { rounds = 4 };
    double *x = g->dc, norm = 1.0;
    for (int32_t i = 0, k = 0; i < g->m; i++)
        x[i] = g->A.off && g->A.off[i] ? 0.0 : begin_estimate(k++);
    for (int k = 0; k < rounds; k++) {
        norm = apply_schur_inverse(g, x);
        for (int32_t i = 0; i < g->m; i++) x[i] /= norm;
    }
    return (double)g->on * norm;
}

/* S is scaled to unit diagonal and factored; then its condition decides by the constants above. */
bool zg_quick_factor(zg_quick *g, const double *M, const zg_rows *A)
{
    size_t R = (size_t)g->m;
    g->M = M;
    g->A = *A;
    g->condition = 1.0;
    g->on = g->m;
    for (int32_t i = 0; i < g->m && A->off; i++) g->on -= A->off[i];
    if (g->on > g->n || !factor_quick_mass(g, M)) return false;
    if (g->m == 0) return true;
    if (g->diagonal)
        form_schur_of_diagonal(g);
    else
        form_schur_of_full(g);
    for (size_t i = 0; i < R; i++) {
        if (A->off && A->off[i]) g->U[i * R + i] = 1.0;
        double s = g->U[i * R + i];
        if (!(s > 1e-280 && s < 1e280)) return false;
        g->D[i] = 1.0 / sqrt(s);
        for (size_t j = 0; j <= i; j++) g->U[i * R + j] *= g->D[i] * g->D[j];
    }
    if (!factor_definite(g->m, g->U, g->pivot, 1e-14)) return false;
    double bound = bound_condition(g);
    g->correct = !(bound <= uncorrected) || !g->diagonal;
    g->condition = bound <= 1e3 ? bound : estimate_condition(g);
    return bound <= most_bound || g->condition <= most_estimate;
}

double zg_quick_condition(const zg_quick *g)
{
    return g->condition;
}

/* ----------------------------------------------------------------------- solve */

/* x = M^-1 f. */
static void solve_quick_mass(const zg_quick *g, const double *f, double *x)
{
    size_t N = (size_t)g->n;
    if (g->diagonal) {
        for (size_t i = 0; i < N; i++) x[i] = f[i] * g->inverse[i];
        return;
    }
    for (size_t i = 0; i < N; i++) {
        const double *l = g->L + i * N;
        double s = f[i];
        for (size_t j = 0; j < i; j++) s -= l[j] * x[j];
        x[i] = s * g->inverse[i];
    }
    for (size_t i = N; i-- > 0;) {
        const double *l = g->L + i * N;
        x[i] *= g->inverse[i];
        for (size_t j = 0; j < i; j++) x[j] -= l[j] * x[i];
    }
}

/* c = S^-1 c */
static void solve_quick_schur(const zg_quick *g, double *c)
{
    size_t R = (size_t)g->m;
    for (size_t i = 0; i < R; i++) {
        const double *u = g->U + i * R;
        double s = c[i] * g->D[i];
        for (size_t j = 0; j < i; j++) s -= u[j] * c[j];
        c[i] = s * g->pivot[i];
    }
    for (size_t i = R; i-- > 0;) {
        const double *u = g->U + i * R;
        c[i] *= g->pivot[i];
        for (size_t j = 0; j < i; j++) c[j] -= u[j] * c[i];
        c[i] *= g->D[i];
    }
}

/* z, lambda = GG(f, b); b NULL: 0. f may be g->r. */
static void solve_quick_once(zg_quick *g, const double *f, const double *b, double *z,
                             double *lambda)
{
    const zg_rows *A = &g->A;
    double *x = g->r;
    solve_quick_mass(g, f, g->a);
    for (int32_t i = 0; i < g->m; i++) {
        bool off = A->off && A->off[i];
        double s = b && !off ? b[i] : 0.0;
        for (int32_t p = A->start[i], end = find_row_end(A, i); p < end; p++)
            s -= A->value[p] * g->a[A->column[p]];
        lambda[i] = s;
    }
    solve_quick_schur(g, lambda);
    if (x != f) memcpy(x, f, sizeof *x * (size_t)g->n);
    for (int32_t i = 0; i < g->m; i++)
        for (int32_t p = A->start[i], end = find_row_end(A, i); p < end; p++)
            x[A->column[p]] += A->value[p] * lambda[i];
    solve_quick_mass(g, x, z);
}

/* r = f + A^T lambda - M z, c = b - A z. */
static void compute_quick_residuals(zg_quick *g, const double *f, const double *b, const double *z,
                                    const double *lambda)
{
    const zg_rows *A = &g->A;
    size_t N = (size_t)g->n;
    for (size_t i = 0; i < N; i++) {
        double s = f[i];
        if (g->diagonal) s -= g->M[i] * z[i];
        for (size_t j = 0; j < N && !g->diagonal; j++) s -= g->M[i * N + j] * z[j];
        g->r[i] = s;
    }
    for (int32_t i = 0; i < g->m; i++) {
        bool off = A->off && A->off[i];
        double s = b && !off ? b[i] : 0.0;
        for (int32_t p = A->start[i], end = find_row_end(A, i); p < end; p++) {
            s -= A->value[p] * z[A->column[p]];
            g->r[A->column[p]] += A->value[p] * lambda[i];
        }
        g->c[i] = s;
    }
}

/* One solve; where the condition or a full M asks for it, one correction by the residuals. */
void zg_quick_solve(zg_quick *g, const double *f, const double *b, double *z, double *lambda)
{
    solve_quick_once(g, f, b, z, lambda);
    if (!g->correct) return;
    compute_quick_residuals(g, f, b, z, lambda);
    solve_quick_once(g, g->r, g->c, g->dz, g->dc);
    for (int32_t i = 0; i < g->n; i++) z[i] += g->dz[i];
    for (int32_t i = 0; i < g->m; i++) lambda[i] += g->dc[i];
}
