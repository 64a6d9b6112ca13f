/*
 * The dense kernels: Cholesky, triangular solves, products with rows in one and in two words,
 * complete orthogonal decomposition.
 *
 * This file is compiled once per instruction set (ZA_VARIANT names the table it defines).
 * Blocks of 4 rows by 8 columns stay in registers: the sums of a block run over k in order,
 * one accumulator an entry, so bits do not depend on the width of the machine's vectors. Dot
 * products use 8 accumulators, added up in one fixed order. Padding (linalg.h) makes every
 * loop whole; no kernel has a remainder.
 */
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "vector.h"

INLINE int32_t strip_of(int32_t j)
{
    return j & ~7;
}

/* Four rows of eight columns in registers; of four columns where `wide` is 1. It is always a
 * constant, so the loops over it vanish. */
typedef struct block {
    v4 r[4][2];
} block;

INLINE void block_load(block *b, int wide, int32_t ld, const double *x)
{
    for (int i = 0; i < 4; i++)
        for (int h = 0; h < wide; h++) b->r[i][h] = cvec(x + (size_t)i * (size_t)ld)[h];
}

INLINE void block_store(const block *b, int wide, int32_t ld, double *x)
{
    for (int i = 0; i < 4; i++)
        for (int h = 0; h < wide; h++) vec(x + (size_t)i * (size_t)ld)[h] = b->r[i][h];
}

/* b -= sum_{k < count} left[k][0..3]^T right[k][0..] */
INLINE void block_subtract(block *b, int wide, int32_t count, int32_t ldl, const double *left,
                           int32_t ldr, const double *right)
{
    for (int32_t k = 0; k < count; k++) {
        v4 x[2];
        for (int h = 0; h < wide; h++) x[h] = cvec(right)[h];
        for (int i = 0; i < 4; i++)
            for (int h = 0; h < wide; h++) b->r[i][h] -= left[i] * x[h];
        left += ldl;
        right += ldr;
    }
}

/* b = F^-T b with F the 4x4 upper triangle at `corner`, inverse[i] = 1 / F[i][i]. */
INLINE void block_lower_solve(block *b, int wide, int32_t ld, const double *corner,
                              const double *inverse)
{
    for (int i = 0; i < 4; i++) {
        for (int h = 0; h < wide; h++) b->r[i][h] *= inverse[i];
        for (int p = i + 1; p < 4; p++) {
            double f = corner[(size_t)i * (size_t)ld + (size_t)p];
            for (int h = 0; h < wide; h++) b->r[p][h] -= f * b->r[i][h];
        }
    }
}

/* ------------------------------------------------------------------ Cholesky */

/* Factors the 4x4 corner in place (upper triangle); the first bad pivot, or -1. */
INLINE int32_t corner_cholesky(int32_t ld, int32_t count, double threshold,
                               const double diagonal[4], double *corner, double *inverse)
{
    for (int i = 0; i < 4; i++) {
        double *row = corner + (size_t)i * (size_t)ld;
        double d = row[i];
        if (i < count && !(d > threshold * diagonal[i])) return i;
        double root = sqrt(d);
        inverse[i] = 1.0 / root;
        row[i] = root;
        for (int p = i + 1; p < 4; p++) row[p] *= inverse[i];
        for (int p = i + 1; p < 4; p++)
            for (int c = p; c < 4; c++)
                corner[(size_t)p * (size_t)ld + (size_t)c] -= row[p] * row[c];
    }
    return -1;
}

/* Rows i..i+3 right of column j: what the rows above contribute, then the corner's inverse. */
INLINE void finish_rows(int wide, int32_t i, int32_t j, int32_t ld, double *U,
                        const double *inverse)
{
    double *rows = U + (size_t)i * (size_t)ld;
    block b;
    block_load(&b, wide, ld, rows + j);
    block_subtract(&b, wide, i, ld, U + i, ld, U + j);
    block_lower_solve(&b, wide, ld, rows + i, inverse + i);
    block_store(&b, wide, ld, rows + j);
}

/* Row blocks of four from the top. For each: subtract what the rows above contribute from
 * the corner, factor it, then finish the rest of the rows with it. */
static int32_t cholesky(int32_t n, int32_t ld, double threshold, double *U, double *inverse)
{
    int32_t columns = za_pad4(n);
    for (int32_t i = 0; i < n; i += 4) {
        double *corner = U + (size_t)i * (size_t)ld + i, diagonal[4];
        block b;
        for (int p = 0; p < 4; p++) diagonal[p] = corner[(size_t)p * (size_t)(ld + 1)];
        block_load(&b, 1, ld, corner);
        block_subtract(&b, 1, i, ld, U + i, ld, U + i);
        block_store(&b, 1, ld, corner);
        int32_t bad = corner_cholesky(ld, n - i, threshold, diagonal, corner, inverse + i);
        if (bad >= 0) return i + bad;
        int32_t j = i + 4;
        for (; j + 4 < columns; j += 8) finish_rows(2, i, j, ld, U, inverse);
        if (j < columns) finish_rows(1, i, j, ld, U, inverse);
    }
    return -1;
}

/* --------------------------------------------------------- triangular solves */

INLINE void lower_solve_strip(int wide, int32_t n, int32_t ld, const double *U,
                              const double *inverse, int32_t ldg, double *G)
{
    for (int32_t i = 0; i < n; i += 4) {
        block b;
        block_load(&b, wide, ldg, G + (size_t)i * (size_t)ldg);
        block_subtract(&b, wide, i, ld, U + i, ldg, G);
        block_lower_solve(&b, wide, ld, U + (size_t)i * (size_t)ld + i, inverse + i);
        block_store(&b, wide, ldg, G + (size_t)i * (size_t)ldg);
    }
}

static void lower_solve_rows(int32_t n, int32_t ld, const double *U, const double *inverse,
                             int32_t m, int32_t ldg, double *G)
{
    int32_t j = 0;
    for (; j + 4 < m; j += 8) lower_solve_strip(2, n, ld, U, inverse, ldg, G + j);
    if (j < m) lower_solve_strip(1, n, ld, U, inverse, ldg, G + j);
}

/* Four unknowns at a time, then their four rows taken off the rest of x. */
static void lower_solve(int32_t n, int32_t ld, const double *U, const double *inverse, double *x)
{
    for (int32_t k = 0; k < n; k += 4) {
        const double *u = U + (size_t)k * (size_t)ld;
        double t[4] = {x[k], x[k + 1], x[k + 2], x[k + 3]};
        for (int i = 0; i < 4; i++) {
            t[i] *= inverse[k + i];
            for (int p = i + 1; p < 4; p++)
                t[p] -= u[(size_t)i * (size_t)ld + (size_t)(k + p)] * t[i];
        }
        for (int32_t j = strip_of(k + 4); j < ld; j += 8) {
            v4 *y = vec(x + j);
            for (int i = 0; i < 4; i++) {
                const v4 *row = cvec(u + (size_t)i * (size_t)ld + j);
                y[0] -= t[i] * row[0];
                y[1] -= t[i] * row[1];
            }
        }
        for (int i = 0; i < 4; i++) x[k + i] = t[i];
    }
    for (int32_t k = n; k < ld; k++) x[k] = 0.0;
}

static void upper_solve(int32_t n, int32_t ld, const double *U, const double *inverse, double *x)
{
    for (int32_t k = za_pad4(n) - 4; k >= 0; k -= 4) {
        const double *u = U + (size_t)k * (size_t)ld;
        int32_t whole = strip_of(k) + 8; /* first strip entirely right of the block */
        double t[4];
        for (int i = 0; i < 4; i++) {
            const double *row = u + (size_t)i * (size_t)ld;
            double s = x[k + i];
            for (int32_t j = k + 4; j < whole; j++) s -= row[j] * x[j];
            t[i] = s - dot8(whole, ld, row, x);
        }
        for (int i = 3; i >= 0; i--) {
            for (int p = i + 1; p < 4; p++)
                t[i] -= u[(size_t)i * (size_t)ld + (size_t)(k + p)] * t[p];
            t[i] *= inverse[k + i];
            x[k + i] = t[i];
        }
    }
}

/* ------------------------------------------------------------------ products */

INLINE void gram_block(int wide, int32_t n, int32_t ldg, const double *left, const double *right,
                       double *S)
{
    block b = {{{{0}}}};
    block_subtract(&b, wide, n, ldg, left, ldg, right);
    for (int p = 0; p < 4; p++)
        for (int h = 0; h < wide; h++) b.r[p][h] = -b.r[p][h];
    block_store(&b, wide, ldg, S);
}

static void gram(int32_t n, int32_t m, int32_t ldg, const double *G, double *S)
{
    for (int32_t i = 0; i < m; i += 4) {
        double *rows = S + (size_t)i * (size_t)ldg;
        int32_t j = i;
        for (; j + 4 < m; j += 8) gram_block(2, n, ldg, G + i, G + j, rows + j);
        if (j < m) gram_block(1, n, ldg, G + i, G + j, rows + j);
    }
}

/* X = U^-T row by row, of which only the squares count. */
static double condition(int32_t m, int32_t ld, const double *U, const double *inverse, double *X)
{
    double trace = 0.0;
    memset(X, 0, sizeof(double) * (size_t)za_pad4(m) * (size_t)ld);
    for (int32_t i = 0; i < za_pad4(m); i++) X[(size_t)i * (size_t)(ld + 1)] = 1.0;
    lower_solve_rows(m, ld, U, inverse, m, ld, X);
    for (int32_t i = 0; i < m; i++) {
        const double *row = X + (size_t)i * (size_t)ld;
        trace += dot8(0, ld, row, row);
    }
    return m * trace;
}

INLINE void copy_four(const double *from, double *to, v4 *bad)
{
    v4 x;
    memcpy(&x, from, sizeof x);
    memcpy(to, &x, sizeof x);
    *bad += x - x; /* NOLINT: 0, or NaN when one is not finite */
}

static double copy_rows(int32_t n, int32_t m, int32_t ld, const double *from, double *to)
{
    v4 bad = {0};
    double rest = 0.0;
    for (int32_t i = 0; i < n; i++, from += m, to += ld) {
        for (int32_t j = 0; j + 3 < m; j += 4) copy_four(from + j, to + j, &bad);
        if (m > 3) { /* the last four once more, which may overlap */
            copy_four(from + m - 4, to + m - 4, &bad);
            continue;
        }
        for (int32_t j = 0; j < m; j++) {
            to[j] = from[j];
            rest += from[j] - from[j]; /* NOLINT */
        }
    }
    return (bad[0] + bad[1]) + (bad[2] + bad[3]) + rest;
}

/* Eight rows of X at a time, so that whole lines of Y are written. */
static void transpose(int32_t n, int32_t m, int32_t ldx, const double *X, int32_t ldy, double *Y)
{
    for (int32_t i = 0; i < n; i += 8) {
        int32_t rows = n - i < 8 ? n - i : 8;
        for (int32_t j = 0; j < m; j++)
            for (int32_t p = 0; p < rows; p++)
                Y[(size_t)j * (size_t)ldy + (size_t)(i + p)] =
                    X[(size_t)(i + p) * (size_t)ldx + (size_t)j];
    }
}

static double norm(int32_t ld, const double *x)
{
    return sqrt(dot8(0, ld, x, x));
}

static void column_norms2(int32_t n, int32_t ld, const double *G, double *out)
{
    for (int32_t j = 0; j < ld; j += 8) {
        v4 s0 = {0}, s1 = {0};
        const double *row = G + j;
        for (int32_t i = 0; i < n; i++, row += ld) {
            const v4 *g = cvec(row);
            s0 += g[0] * g[0];
            s1 += g[1] * g[1];
        }
        vec(out + j)[0] = s0;
        vec(out + j)[1] = s1;
    }
}

static void rows_times(int32_t n, int32_t ld, const double *X, const double *x, double *y)
{
    for (int32_t i = 0; i < n; i++) y[i] += dot8(0, ld, X + (size_t)i * (size_t)ld, x);
}

/* Columns in strips; two rows at a time, so that sums do not wait for each other. */
static void times_rows(int32_t n, int32_t ld, const double *X, const double *x, double *y)
{
    for (int32_t j = 0; j < ld; j += 8) {
        v4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
        const double *row = X + j;
        int32_t i = 0;
        for (; i + 1 < n; i += 2, row += 2 * (size_t)ld) {
            const v4 *a = cvec(row), *b = cvec(row + ld);
            s0 += x[i] * a[0];
            s1 += x[i] * a[1];
            s2 += x[i + 1] * b[0];
            s3 += x[i + 1] * b[1];
        }
        if (i < n) {
            const v4 *a = cvec(row);
            s0 += x[i] * a[0];
            s1 += x[i] * a[1];
        }
        v4 *out = vec(y + j);
        out[0] += s0 + s2;
        out[1] += s1 + s3;
    }
}

static void exact_begin(int32_t ld, const double *b, double *y, double *low, double *size)
{
    const v4 zero = {0};
    for (int32_t i = 0; i < ld; i += 4) {
        v4 x = zero;
        if (b) x = *cvec(b + i);
        *vec(y + i) = x;
        *vec(low + i) = zero;
        *vec(size + i) = magnitude(x);
    }
}

static void exact_end(int32_t ld, const double *low, double *y)
{
    for (int32_t i = 0; i < ld; i += 4) *vec(y + i) += *cvec(low + i);
}

INLINE exact exact_load(const double *y, const double *low, const double *size)
{
    return (exact){*cvec(y), *cvec(low), *cvec(size)};
}

INLINE void exact_store(const exact *s, double *y, double *low, double *size)
{
    *vec(y) = s->high;
    *vec(low) = s->low;
    *vec(size) = s->size;
}

static void times_rows_exact(int32_t n, int32_t ld, const double *X, const double *x, double *y,
                             double *low, double *size)
{
    for (int32_t j = 0; j < ld; j += 8) {
        exact s = exact_load(y + j, low + j, size + j);
        exact t = exact_load(y + j + 4, low + j + 4, size + j + 4);
        const double *row = X + j;
        for (int32_t i = 0; i < n; i++, row += ld) {
            v4 f = {x[i], x[i], x[i], x[i]};
            subtract_exact(&s, f, cvec(row)[0]);
            subtract_exact(&t, f, cvec(row)[1]);
        }
        exact_store(&s, y + j, low + j, size + j);
        exact_store(&t, y + j + 4, low + j + 4, size + j + 4);
    }
}

static void products_exact(int32_t ld, const double *a, const double *x, double *y, double *low,
                           double *size)
{
    for (int32_t i = 0; i < ld; i += 4) {
        exact s = exact_load(y + i, low + i, size + i);
        subtract_exact(&s, *cvec(a + i), *cvec(x + i));
        exact_store(&s, y + i, low + i, size + i);
    }
}

/* --------------------------------------- complete orthogonal decomposition */

/* Squared norms of all columns; scale2 their inverses. False when one is out of range. */
static bool column_norms(za_cod *f)
{
    column_norms2(f->n, f->ldg, f->G, f->norm2);
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

INLINE void swap_doubles(double *x, int32_t i, int32_t j)
{
    double t = x[i];
    x[i] = x[j];
    x[j] = t;
}

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

/* x = Z x (from the last reflector on) or x = Z^T x (from the first). */
INLINE void reflect_z(const za_cod *f, int32_t k, double *x)
{
    const double *row = f->G + (size_t)k * (size_t)f->ldg;
    double u = (x[k] + dot_range(f->rank, f->m, row, x)) * f->zeta[k];
    x[k] -= u;
    axpy_range(f->rank, f->m, u, row, x);
}

/* w[0..rank) = T^-T w and w = T^-1 w. */
static void solve_t_transposed(const za_cod *f, double *w)
{
    for (int32_t i = 0; i < f->rank; i++) {
        const double *row = f->G + (size_t)i * (size_t)f->ldg;
        w[i] /= row[i];
        axpy_range(i + 1, f->rank, w[i], row, w);
    }
}

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

#define PASTE_2(name, variant) name##variant
#define PASTE_1(name, variant) PASTE_2(name, variant)
#define TEXT_2(variant) #variant
#define TEXT_1(variant) TEXT_2(variant)

extern const za_small_kernels PASTE_1(za_small_, ZA_VARIANT); /* small.c */
extern const za_kernels PASTE_1(za_kernels_, ZA_VARIANT);
const za_kernels PASTE_1(za_kernels_, ZA_VARIANT) = {
    .name = TEXT_1(ZA_VARIANT),
    .small = &PASTE_1(za_small_, ZA_VARIANT),
    .cholesky = cholesky,
    .lower_solve = lower_solve,
    .upper_solve = upper_solve,
    .lower_solve_rows = lower_solve_rows,
    .gram = gram,
    .condition = condition,
    .copy_rows = copy_rows,
    .transpose = transpose,
    .norm = norm,
    .column_norms2 = column_norms2,
    .rows_times = rows_times,
    .times_rows = times_rows,
    .exact_begin = exact_begin,
    .exact_end = exact_end,
    .times_rows_exact = times_rows_exact,
    .products_exact = products_exact,
    .cod_factor = cod_factor,
    .cod_finish = cod_finish,
    .cod_solve = cod_solve,
    .cod_apply_q = cod_apply_q,
};
