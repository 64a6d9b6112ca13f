/*
 * The dense kernels: Cholesky, triangular solves, products with rows in one and in two words.
 *
 * This file is compiled once per instruction set (ZA_VARIANT names the table it defines).
 * Blocks of 4 rows by 8 columns stay in registers: the sums of a block go over k in order,
 * one accumulator an entry, so bits do not depend on the width of the machine's vectors. Dot
 * products use 8 accumulators, added up in one fixed order. Padding (linalg.h) makes every
 * loop whole; no kernel has a remainder.
 */
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "vector.h"

/* Up to so many rows a product keeps its sums in registers; beyond, the matrix is larger than
 * the caches like, and is read row by row. */
enum { most_in_strips = 64 };

/* Four rows of eight columns in registers; of four columns where `wide` is 1. It is always a
 * constant, so the loops over it vanish. */
typedef struct block {
    v4 r[4][2];
} block;

/* Four rows from x on, rows ld apart. */
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
static int32_t factor_cholesky(int32_t n, int32_t ld, double threshold, double *U, double *inverse)
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

/* G = U^-T G for a strip of four or eight columns. */
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

/* In strips of eight columns, at the end perhaps one of four. */
static void lower_solve_rows(int32_t n, int32_t ld, const double *U, const double *inverse,
                             int32_t m, int32_t ldg, double *G)
{
    int32_t j = 0;
    for (; j + 4 < m; j += 8) lower_solve_strip(2, n, ld, U, inverse, ldg, G + j);
    if (j < m) lower_solve_strip(1, n, ld, U, inverse, ldg, G + j);
}

/* Four unknowns at a time, then their four rows taken off the rest of x. Vectors are stored
 * whole, so that the next load need not wait for their parts. */
static void lower_solve(int32_t n, int32_t ld, const double *U, const double *inverse, double *x)
{
    int32_t columns = za_pad4(n);
    for (int32_t k = 0; k < n; k += 4) {
        const double *u = U + (size_t)k * (size_t)ld;
        v4 t = *vec(x + k);
        for (int i = 0; i < 4; i++) {
            t[i] *= inverse[k + i];
            for (int p = i + 1; p < 4; p++)
                t[p] -= u[(size_t)i * (size_t)ld + (size_t)(k + p)] * t[i];
        }
        for (int32_t j = k + 4; j < columns; j += 4) {
            v4 y = *vec(x + j);
            for (int i = 0; i < 4; i++) y -= t[i] * *cvec(u + (size_t)i * (size_t)ld + j);
            *vec(x + j) = y;
        }
        *vec(x + k) = t;
    }
    for (int32_t k = n; k < ld; k++) x[k] = 0.0;
}

/* From the last four unknowns up: the dot products with those already known, then the corner. */
static void upper_solve(int32_t n, int32_t ld, const double *U, const double *inverse, double *x)
{
    int32_t columns = za_pad4(n);
    for (int32_t k = columns - 4; k >= 0; k -= 4) {
        const double *u = U + (size_t)k * (size_t)ld;
        v4 s[4] = {{0}, {0}, {0}, {0}}, t = *vec(x + k);
        for (int32_t j = k + 4; j < columns; j += 4)
            for (int i = 0; i < 4; i++)
                s[i] += *cvec(u + (size_t)i * (size_t)ld + j) * *cvec(x + j);
        for (int i = 3; i >= 0; i--) {
            t[i] -= (s[i][0] + s[i][1]) + (s[i][2] + s[i][3]);
            for (int p = i + 1; p < 4; p++)
                t[i] -= u[(size_t)i * (size_t)ld + (size_t)(k + p)] * t[p];
            t[i] *= inverse[k + i];
        }
        *vec(x + k) = t;
    }
}

/* ------------------------------------------------------------------ products */

/* S = left^T right for a block of four rows; left and right are columns of G [n x ldg]. */
INLINE void gram_block(int wide, int32_t n, int32_t ldg, const double *left, const double *right,
                       double *S)
{
    block b = {{{{0}}}};
    block_subtract(&b, wide, n, ldg, left, ldg, right);
    for (int p = 0; p < 4; p++)
        for (int h = 0; h < wide; h++) b.r[p][h] = -b.r[p][h];
    block_store(&b, wide, ldg, S);
}

/* Blocks on the diagonal and right of it. */
static void form_gram(int32_t n, int32_t m, int32_t ldg, const double *G, double *S)
{
    for (int32_t i = 0; i < m; i += 4) {
        double *rows = S + (size_t)i * (size_t)ldg;
        int32_t j = i;
        for (; j + 4 < m; j += 8) gram_block(2, n, ldg, G + i, G + j, rows + j);
        if (j < m) gram_block(1, n, ldg, G + i, G + j, rows + j);
    }
}

/* X = U^-T row by row, of which only the squares count. */
static double bound_condition(int32_t m, int32_t ld, const double *U, const double *inverse,
                              double *X)
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

/* Four numbers from any address to any; adds NaN to `bad` where one is not finite. */
INLINE void copy_four(const double *from, double *to, v4 *bad)
{
    v4 x;
    memcpy(&x, from, sizeof x);
    memcpy(to, &x, sizeof x);
    *bad += x - x; /* NOLINT: 0, or NaN when one is not finite */
}

/* Fours, the last of which may overlap the one before; single numbers only where m < 4. */
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
static void transpose_matrix(int32_t n, int32_t m, int32_t ldx, const double *X, int32_t ldy,
                             double *Y)
{
    for (int32_t i = 0; i < n; i += 8) {
        int32_t rows = n - i < 8 ? n - i : 8;
        for (int32_t j = 0; j < m; j++)
            for (int32_t p = 0; p < rows; p++)
                Y[(size_t)j * (size_t)ldy + (size_t)(i + p)] =
                    X[(size_t)(i + p) * (size_t)ldx + (size_t)j];
    }
}

static double vector_norm(int32_t ld, const double *x)
{
    return sqrt(dot8(0, ld, x, x));
}

static void rows_times(int32_t n, int32_t ld, const double *X, const double *x, double *y)
{
    for (int32_t i = 0; i < n; i++) y[i] += dot8(0, ld, X + (size_t)i * (size_t)ld, x);
}

/* Columns in strips; two rows at a time, so that sums do not wait for each other. */
static void times_rows_strips(int32_t n, int32_t ld, const double *X, const double *x, double *y)
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

/* Four rows at a time, each read along its length: large matrices stream through. */
static void times_rows_streams(int32_t n, int32_t ld, const double *X, const double *x, double *y)
{
    int32_t i = 0;
    for (; i + 3 < n; i += 4, X += 4 * (size_t)ld)
        for (int32_t j = 0; j < ld; j += 4)
            *vec(y + j) += (x[i] * *cvec(X + j) + x[i + 1] * *cvec(X + ld + j)) +
                           (x[i + 2] * *cvec(X + 2 * (size_t)ld + j) +
                            x[i + 3] * *cvec(X + 3 * (size_t)ld + j));
    for (; i < n; i++, X += ld)
        for (int32_t j = 0; j < ld; j += 4) *vec(y + j) += x[i] * *cvec(X + j);
}

/* By strips up to most_in_strips rows, by rows beyond; the two add in different orders. */
static void times_rows(int32_t n, int32_t ld, const double *X, const double *x, double *y)
{
    if (n <= most_in_strips)
        times_rows_strips(n, ld, X, x, y);
    else
        times_rows_streams(n, ld, X, x, y);
}

/* The unevaluated sum y + low begins as b, and size as |b|. */
static void exact_begin(int32_t ld, const double *b, double *y, double *low, double *size)
{
    const v4 zero = {0};
    for (int32_t i = 0; i < ld; i += 4) {
        v4 x = zero;
        if (b) x = *cvec(b + i);
        *vec(y + i) = x;
        *vec(low + i) = zero;
        *vec(size + i) = vec_abs(x);
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

/* Stores sums: y, low and size [4] each. */
INLINE void exact_store(const exact *s, double *y, double *low, double *size)
{
    *vec(y) = s->high;
    *vec(low) = s->low;
    *vec(size) = s->size;
}

/* `rows` rows, a constant, into the sums. */
INLINE void subtract_rows_exact(int rows, int32_t ld, const double *X, const double *x, double *y,
                                double *low, double *size)
{
    for (int32_t j = 0; j < ld; j += 4) {
        exact s = exact_load(y + j, low + j, size + j);
        for (int p = 0; p < rows; p++) {
            v4 f = {x[p], x[p], x[p], x[p]};
            subtract_exact(&s, f, *cvec(X + (size_t)p * (size_t)ld + j));
        }
        exact_store(&s, y + j, low + j, size + j);
    }
}

/* Strips of eight columns, whose sums stay in registers over all n rows. */
static void exact_strips(int32_t n, int32_t ld, const double *X, const double *x, double *y,
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

/* By strips or by rows: the same operations in the same order for every sum. */
static void times_rows_exact(int32_t n, int32_t ld, const double *X, const double *x, double *y,
                             double *low, double *size)
{
    int32_t i = 0;
    if (n <= most_in_strips) {
        exact_strips(n, ld, X, x, y, low, size);
        return;
    }
    for (; i + 3 < n; i += 4, X += 4 * (size_t)ld)
        subtract_rows_exact(4, ld, X, x + i, y, low, size);
    for (; i < n; i++, X += ld) subtract_rows_exact(1, ld, X, x + i, y, low, size);
}

/* y + low -= a x, entry by entry; size += |a x|. */
static void products_exact(int32_t ld, const double *a, const double *x, double *y, double *low,
                           double *size)
{
    for (int32_t i = 0; i < ld; i += 4) {
        exact s = exact_load(y + i, low + i, size + i);
        subtract_exact(&s, *cvec(a + i), *cvec(x + i));
        exact_store(&s, y + i, low + i, size + i);
    }
}

static void column_norms2(int32_t n, int32_t ld, const double *G, double *out)
{
    sum_squares(n, ld, G, out);
}

/* x -= by y, entries from .. end - 1 and those beside them in fours: of what joins a factor those
 * before are needed no more, those behind not yet. */
INLINE void take_away(double *x, double by, const double *y, int32_t from, int32_t end)
{
    for (int32_t t = from & ~3; t < end; t += 4) *vec(x + t) -= by * *cvec(y + t);
}

/* For j = first, ... in this order, x the row and y the column:
 *
 *     l_ij = x_j / u_jj      u_ji = y_j      x_t -= l_ij u_jt,  y_t -= l_tj u_ji   for t in j+1 .. i-1
 */
static double join_factor(const za_growing *f, int32_t first, int32_t i, double diagonal)
{
    double *x = f->row, *y = f->column;
    for (int32_t j = first; j < i; j++) {
        double *lower = f->lower + (size_t)j * (size_t)f->ld;
        double *upper = f->upper + (size_t)j * (size_t)f->ld;
        double l = lower[i] = x[j] == 0.0 ? 0.0 : x[j] / f->pivots[j], u = upper[i] = y[j];
        if (l == 0.0 && u == 0.0) continue;
        take_away(x, l, upper, j + 1, i);
        take_away(y, u, lower, j + 1, i);
        diagonal -= l * u;
    }
    f->pivots[i] = diagonal;
    return diagonal;
}

static double join_symmetric_factor(const za_growing *f, int32_t first, int32_t i, double diagonal)
{
    double *y = f->column;
    for (int32_t j = first; j < i; j++) {
        double *upper = f->upper + (size_t)j * (size_t)f->ld;
        double u = upper[i] = y[j], l = u / f->pivots[j];
        if (u == 0.0) continue; /* l is not waited for */
        take_away(y, l, upper, j + 1, i);
        diagonal -= l * u;
    }
    f->pivots[i] = diagonal;
    return diagonal;
}

extern const za_small_kernels ZA_VARIANT_OF(za_small_);        /* small.c */
extern const za_cod_kernels ZA_VARIANT_OF(za_cod_);            /* cod.c */
extern const za_sweep_kernels ZA_VARIANT_OF(za_sweep_);        /* sweeps.c */
extern const struct za_panel_kernels ZA_VARIANT_OF(za_panel_); /* supernodal_kernels.c */
extern const za_kernels ZA_VARIANT_OF(za_kernels_);
const za_kernels ZA_VARIANT_OF(za_kernels_) = {
    .name = ZA_VARIANT_TEXT,
    .small = &ZA_VARIANT_OF(za_small_),
    .cod = &ZA_VARIANT_OF(za_cod_),
    .sweep = &ZA_VARIANT_OF(za_sweep_),
    .panel = &ZA_VARIANT_OF(za_panel_),
    .cholesky = factor_cholesky,
    .lower_solve = lower_solve,
    .upper_solve = upper_solve,
    .lower_solve_rows = lower_solve_rows,
    .gram = form_gram,
    .condition = bound_condition,
    .copy_rows = copy_rows,
    .transpose = transpose_matrix,
    .norm = vector_norm,
    .column_norms2 = column_norms2,
    .rows_times = rows_times,
    .times_rows = times_rows,
    .exact_begin = exact_begin,
    .exact_end = exact_end,
    .times_rows_exact = times_rows_exact,
    .products_exact = products_exact,
    .join = join_factor,
    .join_symmetric = join_symmetric_factor,
};
