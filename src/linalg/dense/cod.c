/*
 * Complete orthogonal decomposition, G Pi = Q [T 0; 0 0] Z (linalg.h): Householder QR with column
 * pivoting, then reflectors from the right. A column is chosen by what is left of it relative
 * to its own norm, so that the scale of a constraint does not decide about rank, while the
 * columns themselves stay unscaled, which would change the least-squares sense.
 *
 * Compiled once per instruction set, like kernels.c.
 */
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "vector.h"

/* Squared norms of all columns; scale2 their inverses. False when one cannot be squared safely. */
static bool column_norms(za_cod *f)
{
    sum_squares(f->n, f->ldg, f->G, f->norm2);
    bool in_range = true;
    for (int32_t j = 0; j < f->m; j++) {
        double s = f->norm2[j];
        f->pivot[j] = j;
        f->reference2[j] = s;
        f->scale2[j] = s > 0.0 ? 1.0 / s : 0.0;
        if (f->damp) f->scale2[j] *= f->damp[j] * f->damp[j];
        if (!(s < 1e300)) in_range = false;
        if (s < 1e-270) /* a zero column is fine, an underflown one is not */
            for (int32_t i = 0; i < f->n; i++)
                if (f->G[(size_t)i * (size_t)f->ldg + (size_t)j] != 0.0) in_range = false;
    }
    return in_range;
}

/* Exchanges x[i] and x[j]. */
INLINE void swap_doubles(double *x, int32_t i, int32_t j)
{
    double t = x[i];
    x[i] = x[j];
    x[j] = t;
}

/* Exchanges columns k and p of G with all that is known of them. */
static void swap_columns(za_cod *f, int32_t k, int32_t p)
{
    for (int32_t i = 0; i < f->n; i++) swap_doubles(f->G + (size_t)i * (size_t)f->ldg, k, p);
    swap_doubles(f->norm2, k, p);
    swap_doubles(f->reference2, k, p);
    swap_doubles(f->scale2, k, p);
    int32_t t = f->pivot[k];
    f->pivot[k] = f->pivot[p];
    f->pivot[p] = t;
}

/* The column of which, relatively, most is left; earlier columns win near ties. */
static int32_t choose_column(const za_cod *f, int32_t k, double *best)
{
    int32_t p = k;
    *best = f->norm2[k] * f->scale2[k];
    for (int32_t j = k + 1; j < f->m; j++) {
        double left = f->norm2[j] * f->scale2[j];
        if (left > *best * 1.0000001) {
            *best = left;
            p = j;
        }
    }
    return p;
}

/* H = I - tau v v^T, v[k] = 1, maps column k onto beta e_k. */
static double make_reflector(za_cod *f, int32_t k)
{
    double *v = f->V + (size_t)k * (size_t)f->ldv;
    const double *column = f->G + (size_t)k * (size_t)f->ldg + k;
    memset(v, 0, sizeof(double) * (size_t)f->ldv);
    for (int32_t i = k + 1; i < f->n; i++) v[i] = column[(size_t)(i - k) * (size_t)f->ldg];
    double alpha = column[0], s = dot8(strip_of(k), f->ldv, v, v), beta = alpha;
    f->tau[k] = 0.0;
    if (s > 0.0) {
        beta = copysign(sqrt(alpha * alpha + s), -alpha);
        f->tau[k] = (beta - alpha) / beta;
        double scale = 1.0 / (alpha - beta);
        for (int32_t i = strip_of(k); i < f->ldv; i++) v[i] *= scale;
    }
    v[k] = 1.0;
    return beta;
}

/* G = H G for four or eight columns from j on, and norm2 -= row k squared. */
INLINE void reflect_strip(za_cod *f, int wide, int32_t k, int32_t j)
{
    const double *v = f->V + (size_t)k * (size_t)f->ldv;
    size_t ld = (size_t)f->ldg;
    double *top = f->G + (size_t)k * ld + j;
    v4 w[2], u[2] = {{0}, {0}};
    for (int h = 0; h < wide; h++) w[h] = vec(top)[h];
    double *row = top + ld;
    int32_t i = k + 1;
    for (; i + 1 < f->n; i += 2, row += 2 * ld) {
        for (int h = 0; h < wide; h++) w[h] += v[i] * cvec(row)[h];
        for (int h = 0; h < wide; h++) u[h] += v[i + 1] * cvec(row + ld)[h];
    }
    for (int h = 0; h < wide && i < f->n; h++) w[h] += v[i] * cvec(row)[h];
    for (int h = 0; h < wide; h++) {
        w[h] = (w[h] + u[h]) * f->tau[k];
        v4 t = vec(top)[h] - w[h];
        vec(top)[h] = t;
        vec(f->norm2 + j)[h] -= t * t;
    }
    row = top + ld;
    for (i = k + 1; i < f->n; i++, row += ld)
        for (int h = 0; h < wide; h++) vec(row)[h] -= v[i] * w[h];
}

/* G = H_k G for all columns right of k. The first vector may hold columns up to k, too: of those
 * only what lies below T changes, and T[k][k], which is set after this. */
static void reflect_columns(za_cod *f, int32_t k)
{
    int32_t j = (k + 1) & ~3;
    for (; j + 4 < f->m; j += 8) reflect_strip(f, 2, k, j);
    if (j < f->m) reflect_strip(f, 1, k, j);
}

/* Norms that have lost their digits to the subtraction are computed again. */
static void refresh_norms(za_cod *f, int32_t k)
{
    for (int32_t j = k + 1; j < f->m; j++) {
        if (f->norm2[j] > 1e-6 * f->reference2[j]) continue;
        double s = 0.0;
        for (int32_t i = k + 1; i < f->n; i++) {
            double g = f->G[(size_t)i * (size_t)f->ldg + (size_t)j];
            s += g * g;
        }
        f->norm2[j] = f->reference2[j] = s;
    }
}

/* x . y from begin to end, at any alignment: four sums where there are eight terms or more. */
INLINE double dot_range(int32_t begin, int32_t end, const double *x, const double *y)
{
    double rest = 0.0;
    int32_t j = begin;
    if (end - begin >= 8) {
        v4 s = {0};
        for (; j + 3 < end; j += 4) {
            v4 a, b;
            memcpy(&a, x + j, sizeof a);
            memcpy(&b, y + j, sizeof b);
            s += a * b;
        }
        rest = (s[0] + s[1]) + (s[2] + s[3]);
    }
    for (; j < end; j++) rest += x[j] * y[j];
    return rest;
}

/* y -= t x from begin to end, at any alignment. */
INLINE void axpy_range(int32_t begin, int32_t end, double t, const double *x, double *y)
{
    int32_t j = begin;
    for (; j + 3 < end; j += 4) {
        v4 a, b;
        memcpy(&a, x + j, sizeof a);
        memcpy(&b, y + j, sizeof b);
        b -= t * a;
        memcpy(y + j, &b, sizeof b);
    }
    for (; j < end; j++) y[j] -= t * x[j];
}

/* [T B] = [T' 0] Z: one reflector a row, from the last row up, on columns k and rank..m-1. */
static void cod_finish(za_cod *f)
{
    int32_t r = f->rank, m = f->m;
    for (int32_t k = r - 1; k >= 0 && r < m; k--) {
        double *row = f->G + (size_t)k * (size_t)f->ldg;
        double s = dot_range(r, m, row, row), alpha = row[k];
        f->zeta[k] = 0.0;
        if (!(s > 0.0)) continue;
        double beta = copysign(sqrt(alpha * alpha + s), -alpha);
        double scale = 1.0 / (alpha - beta);
        f->zeta[k] = (beta - alpha) / beta;
        for (int32_t j = r; j < m; j++) row[j] *= scale;
        row[k] = beta;
        for (int32_t i = 0; i < k; i++) {
            double *other = f->G + (size_t)i * (size_t)f->ldg;
            double u = (other[k] + dot_range(r, m, row, other)) * f->zeta[k];
            other[k] -= u;
            axpy_range(r, m, u, row, other);
        }
    }
}

/* Column by column, the best first, until the limit or until nothing above tolerance is left of
 * any; then Z. Where the limit ended it, `rejected` is what the next pivot would have been. */
static void cod_factor(za_cod *f, double tolerance)
{
    int32_t most = f->n < f->m ? f->n : f->m;
    if (f->limit < most) most = f->limit;
    f->rank = 0;
    f->accepted = 1.0;
    f->rejected = 0.0;
    f->in_range = column_norms(f);
    if (!f->in_range) return;
    for (int32_t k = 0; k < most; k++) {
        double best;
        int32_t p = choose_column(f, k, &best);
        if (!(best > tolerance * tolerance)) {
            f->rejected = best > 0.0 ? sqrt(best) : 0.0;
            break;
        }
        if (best < f->accepted * f->accepted) f->accepted = sqrt(best);
        if (p != k) swap_columns(f, k, p);
        double beta = make_reflector(f, k);
        reflect_columns(f, k);
        f->G[(size_t)k * (size_t)f->ldg + (size_t)k] = beta;
        refresh_norms(f, k);
        f->rank = k + 1;
    }
    if (f->rank == f->limit && f->limit < f->m && f->limit < f->n) {
        double best;
        (void)choose_column(f, f->rank, &best);
        f->rejected = best > 0.0 ? sqrt(best) : 0.0;
    }
    cod_finish(f);
}

/* t = H_k t */
INLINE void reflect_vector(const za_cod *f, int32_t k, double *t)
{
    const double *v = f->V + (size_t)k * (size_t)f->ldv;
    int32_t first = strip_of(k);
    double u = dot8(first, f->ldv, v, t) * f->tau[k];
    for (int32_t i = first; i < f->ldv; i += 8) {
        vec(t + i)[0] -= u * cvec(v + i)[0];
        vec(t + i)[1] -= u * cvec(v + i)[1];
    }
}

static void cod_apply_q(const za_cod *f, double *t)
{
    for (int32_t k = f->rank - 1; k >= 0; k--) reflect_vector(f, k, t);
}

/* Applies the k-th reflector of Z: all of them, from the last on, give
 * Z x; from the first on, Z^T x. */
INLINE void reflect_z(const za_cod *f, int32_t k, double *x)
{
    const double *row = f->G + (size_t)k * (size_t)f->ldg;
    double u = (x[k] + dot_range(f->rank, f->m, row, x)) * f->zeta[k];
    x[k] -= u;
    axpy_range(f->rank, f->m, u, row, x);
}

/* w[0..rank) = T^-T w. */
static void solve_t_transposed(const za_cod *f, double *w)
{
    for (int32_t i = 0; i < f->rank; i++) {
        const double *row = f->G + (size_t)i * (size_t)f->ldg;
        w[i] /= row[i];
        axpy_range(i + 1, f->rank, w[i], row, w);
    }
}

/* w[0..rank) = T^-1 w. */
static void solve_t(const za_cod *f, double *w)
{
    for (int32_t i = f->rank - 1; i >= 0; i--) {
        const double *row = f->G + (size_t)i * (size_t)f->ldg;
        w[i] = (w[i] - dot_range(i + 1, f->rank, row, w)) / row[i];
    }
}

/*
 * With h = Q^T t, [u; d] = Z Pi^T c and x = T^-1 (Q^T slope)_1:
 *
 *     s = Q [T^-T (u + x); h_2],   e = T^-T (u + x) - h_1,
 *     nu = Pi Z^T [T^-1 e; 0],   null = Pi Z^T [-x; d]
 */
static double cod_solve(const za_cod *f, const double *c, double *slope, double *t, double *nu,
                        double *null, double *work)
{
    int32_t r = f->rank, m = f->m;
    double *w = work, *x = work + (f->ldg > f->ldv ? f->ldg : f->ldv), moved = 0.0;
    for (int32_t j = 0; j < m; j++) w[j] = c[f->pivot[j]];
    for (int32_t k = r - 1; k >= 0 && r < m; k--) reflect_z(f, k, w);
    if (slope) {
        for (int32_t k = 0; k < r; k++) reflect_vector(f, k, slope);
        for (int32_t i = 0; i < r; i++) x[i] = slope[i];
        solve_t(f, x);
    }
    if (null && r < m) {
        for (int32_t j = 0; j < r; j++) nu[j] = slope ? -x[j] : 0.0;
        for (int32_t j = r; j < m; j++) nu[j] = w[j];
        for (int32_t k = 0; k < r; k++) reflect_z(f, k, nu);
        for (int32_t j = 0; j < m; j++) null[f->pivot[j]] = nu[j];
    }
    for (int32_t k = 0; k < r; k++) reflect_vector(f, k, t);
    for (int32_t i = 0; i < r && slope; i++) w[i] += x[i];
    solve_t_transposed(f, w);
    for (int32_t i = 0; i < r; i++) {
        double e = w[i] - t[i];
        t[i] = w[i];
        w[i] = e;
        moved += e * e;
    }
    cod_apply_q(f, t);
    solve_t(f, w);
    for (int32_t j = r; j < m; j++) w[j] = 0.0;
    for (int32_t k = 0; k < r && r < m; k++) reflect_z(f, k, w);
    for (int32_t j = 0; j < m; j++) nu[f->pivot[j]] = w[j];
    return moved;
}

extern const za_cod_kernels ZA_VARIANT_OF(za_cod_);
const za_cod_kernels ZA_VARIANT_OF(za_cod_) = {
    .factor = cod_factor,
    .finish = cod_finish,
    .solve = cod_solve,
    .apply_q = cod_apply_q,
};
