/*
 * Dense panels of the supernodal factor (supernodal.h): P = L D L^T within a panel, the update
 * U = -L D L^T of the rows below it, and the solves with both.
 *
 * This file is compiled once per instruction set. Every entry is a sum over k in order, one
 * accumulator an entry; vectors go over rows, and how many tiles are in work at once changes
 * nothing. Tiles of eight rows by four columns stay in registers while k grows; their right-hand
 * sides, D L of at most 64 rows and 128 columns, are packed so that they stay in the cache.
 */
#include <string.h>

#include "supernodal.h"
#include "vector.h"

/* The machine's own vector, of which a column of a strip has `vectors`; `tall`: the strips that a
 * tile may span while its sums fit the registers. */
#if defined(__AVX__)
typedef v4 native;
enum { vectors = 1, tall = 2 };
#else
typedef double native __attribute__((vector_size(16), aligned(16)));
#if defined(__SSE2__)
enum { vectors = 2, tall = 1 };
#else
enum { vectors = 2, tall = 2 };
#endif
#endif

typedef double v4u __attribute__((vector_size(32), aligned(8)));

/* One or two strips by four columns of a panel. */
typedef struct tile {
    v4 t[2][4]; /* strip, column */
} tile;

/* The same as vectors of the machine. */
typedef struct sums {
    native t[2][4][vectors];
} sums;

INLINE int32_t smaller_count(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Column k of strip r. */
INLINE double *strip_at(const za_panel *p, int32_t r, int32_t k)
{
    return p->L + ((size_t)r * (size_t)p->columns + (size_t)k) * 4;
}

/* from [strips]: where each strip begins; columns past `columns` are 0. */
INLINE void tile_load(tile *x, int strips, int32_t columns, const double *const *from)
{
    const v4 zero = {0};
    for (int s = 0; s < strips; s++)
        for (int c = 0; c < 4; c++) x->t[s][c] = c < columns ? cvec(from[s])[c] : zero;
}

/* to [strips]; only the first `columns` columns. */
INLINE void tile_store(const tile *x, int strips, int32_t columns, double *const *to)
{
    for (int s = 0; s < strips; s++)
        for (int c = 0; c < 4; c++)
            if (c < columns) vec(to[s])[c] = x->t[s][c];
}

/* x -= A B^T: `count` columns of one or two strips A, and of the strip B. */
INLINE void tile_subtract(tile *x, int strips, int32_t count, const double *const *a,
                          const double *b)
{
    sums y;
    memcpy(&y, x, sizeof y);
    for (size_t k = 0; k < (size_t)count * 4; k += 4)
        for (int h = 0; h < vectors; h++) {
            native u = ((const native *)cvec(a[0] + k))[h];
            /* cppcheck-suppress objectIndex */
            native v = ((const native *)cvec(a[strips - 1] + k))[h];
            for (int c = 0; c < 4; c++) {
                y.t[0][c][h] -= u * b[k + (size_t)c];
                if (strips > 1) y.t[1][c][h] -= v * b[k + (size_t)c];
            }
        }
    memcpy(x, &y, sizeof y);
}

/* B [strips][depth] = D L: `strips` strips from r on, `depth` columns from k on. */
static void pack_strips(const za_panel *p, int32_t r, int32_t strips, int32_t k, int32_t depth,
                        double *B)
{
    for (int32_t s = 0; s < strips; s++) {
        const double *from = strip_at(p, r + s, k);
        for (int32_t i = 0; i < depth; i++, from += 4, B += 4) *vec(B) = *cvec(from) * p->D[k + i];
    }
}

/* -------------------------------------------------------------------- factor */

/* Four columns of the panel, their corner factored. */
typedef struct group {
    int32_t column, columns; /* from where, how many: 4 except at the end */
    int32_t begin;           /* of the block they lie in */
    double l[4][4];          /* the corner's unit triangle, l[row][column] */
    double inverse[4];
} group;

/* x = L D L^T in place for the corner: lanes below the diagonal become L. */
INLINE void factor_corner(const za_panel *p, group *g, tile *x)
{
    double y[4][4]; /* column, row: L D */
    memcpy(y, x->t[0], sizeof y);
    memset(g->l, 0, sizeof g->l);
    for (int c = 0; c < 4; c++) {
        g->inverse[c] = 0.0;
        if (c >= g->columns) continue;
        for (int b = 0; b < c; b++)
            for (int r = c; r < 4; r++) y[c][r] -= y[b][r] * g->l[c][b];
        double d = y[c][c], inverse = 1.0 / d;
        p->D[g->column + c] = d;
        p->inverse[g->column + c] = g->inverse[c] = inverse;
        for (int r = c + 1; r < 4; r++) g->l[r][c] = y[c][r] * inverse;
    }
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) x->t[0][c][r] = g->l[r][c];
}

/* Rows below the corner: x becomes L D of the group's columns. */
INLINE void solve_corner(const group *g, int strips, tile *x)
{
    for (int s = 0; s < strips; s++)
        for (int c = 1; c < 4; c++)
            for (int b = 0; b < c; b++) x->t[s][c] -= x->t[s][b] * g->l[c][b];
}

/* Finishes the group in one or two strips from r on. W (NULL: not wanted) [strip][64] has L D of
 * the block's own rows. */
INLINE void finish_strips(const za_panel *p, const group *g, int strips, int32_t columns, int32_t r,
                          const double *b, double *W)
{
    tile x;
    const double *a[2];
    double *at[2];
    for (int s = 0; s < strips; s++) {
        a[s] = strip_at(p, r + s, g->begin);
        at[s] = strip_at(p, r + s, g->column);
    }
    tile_load(&x, strips, columns, (const double *const *)at);
    tile_subtract(&x, strips, g->column - g->begin, a, b);
    solve_corner(g, strips, &x);
    for (int s = 0; s < strips && W; s++)
        for (int c = 0; c < 4; c++) vec(W + (size_t)s * ZA_PANEL_COLUMNS * 4)[c] = x.t[s][c];
    for (int s = 0; s < strips; s++)
        for (int c = 0; c < 4; c++) x.t[s][c] *= g->inverse[c];
    tile_store(&x, strips, columns, at);
}

/* Corner and all strips below it. */
INLINE void factor_group(const za_panel *p, group *g, int32_t columns, int32_t end, double *W)
{
    int32_t r = g->column / 4, offset = g->column - g->begin;
    const size_t next = ZA_PANEL_COLUMNS * 4;
    double *own = W + (size_t)(offset / 4) * next, *at = strip_at(p, r, g->column);
    const double *a = strip_at(p, r, g->begin);
    tile x;
    tile_load(&x, 1, columns, (const double *const *)&at);
    tile_subtract(&x, 1, offset, &a, own);
    factor_corner(p, g, &x);
    tile_store(&x, 1, columns, &at);
    for (r++; r < end; r++) /* rows of the same block, which later groups multiply with */
        finish_strips(p, g, 1, columns, r, own,
                      W + (size_t)(r - g->begin / 4) * next + (size_t)offset * 4);
    for (; r + tall <= p->strips; r += tall) finish_strips(p, g, tall, columns, r, own, NULL);
    for (; r < p->strips; r++) finish_strips(p, g, 1, columns, r, own, NULL);
}

/* The block of columns from `begin` on, from which earlier blocks are subtracted already. */
static void factor_block(const za_panel *p, int32_t begin, int32_t columns, double *W)
{
    int32_t end = (begin + columns + 3) / 4;
    for (int32_t c = 0; c < columns; c += 4) {
        group g = {.column = begin + c, .columns = smaller_count(4, columns - c), .begin = begin};
        if (g.columns == 4)
            factor_group(p, &g, 4, end, W);
        else
            factor_group(p, &g, g.columns, end, W);
    }
}

/* The tile at `column` of one or two strips from r on, minus `depth` columns from k on times b. */
INLINE void subtract_strips(const za_panel *p, int strips, int32_t columns, int32_t r,
                            int32_t column, int32_t k, int32_t depth, const double *b)
{
    tile x;
    const double *a[2];
    double *at[2];
    for (int s = 0; s < strips; s++) {
        a[s] = strip_at(p, r + s, k);
        at[s] = strip_at(p, r + s, column);
    }
    tile_load(&x, strips, columns, (const double *const *)at);
    tile_subtract(&x, strips, depth, a, b);
    tile_store(&x, strips, columns, at);
}

/* All tiles of a block of columns in one or two strips. */
INLINE void subtract_row(const za_panel *p, int strips, int32_t r, int32_t begin, int32_t columns,
                         int32_t k, int32_t depth, const double *B)
{
    for (int32_t c = 0; c < columns && (begin + c) / 4 < r + strips; c += 4, B += 4 * depth) {
        if (columns - c >= 4)
            subtract_strips(p, strips, 4, r, begin + c, k, depth, B);
        else
            subtract_strips(p, strips, columns - c, r, begin + c, k, depth, B);
    }
}

/* Subtracts from a block of columns what the columns before it contribute. */
static void subtract_before(const za_panel *p, int32_t begin, int32_t columns, double *B)
{
    for (int32_t k = 0; k < begin; k += ZA_PANEL_DEPTH) {
        int32_t depth = smaller_count(ZA_PANEL_DEPTH, begin - k), r = begin / 4;
        pack_strips(p, r, (columns + 3) / 4, k, depth, B);
        for (; r + tall <= p->strips; r += tall)
            subtract_row(p, tall, r, begin, columns, k, depth, B);
        for (; r < p->strips; r++) subtract_row(p, 1, r, begin, columns, k, depth, B);
    }
}

/* Blocks of columns from the left: what earlier blocks contribute, then the block itself. */
static void factor_panel(const za_panel *p, double *work)
{
    for (int32_t begin = 0; begin < p->columns; begin += ZA_PANEL_COLUMNS) {
        int32_t columns = smaller_count(ZA_PANEL_COLUMNS, p->columns - begin);
        subtract_before(p, begin, columns, work);
        factor_block(p, begin, columns, work + ZA_PANEL_COLUMNS * ZA_PANEL_DEPTH);
    }
}

/* -------------------------------------------------------------------- update */

/* One or two strips from r on of the columns of strip j. */
INLINE void update_tile(const za_panel *p, int strips, int32_t r, int32_t j, int32_t k,
                        int32_t depth, const double *b, double *U)
{
    tile x = {{{{0}}}};
    const double *a[2];
    double *at[2];
    for (int s = 0; s < strips; s++) {
        a[s] = strip_at(p, p->top + r + s, k);
        at[s] = U + za_update_strip(r + s) + (size_t)j * 16;
    }
    if (k > 0) tile_load(&x, strips, 4, (const double *const *)at);
    tile_subtract(&x, strips, depth, a, b);
    tile_store(&x, strips, 4, at);
}

/* The columns of strips `begin` to `end`, in one or two strips from r on. */
INLINE void update_row(const za_panel *p, int strips, int32_t r, int32_t begin, int32_t end,
                       int32_t k, int32_t depth, const double *B, double *U)
{
    int32_t j = begin;
    for (; j < end && j <= r; j++, B += 4 * depth) update_tile(p, strips, r, j, k, depth, B, U);
    if (strips > 1 && j < end) update_tile(p, 1, r + 1, j, k, depth, B, U);
}

/* U = -L D L^T of the rows below, in blocks of columns of U and of terms of the sums. */
static void form_update(const za_panel *p, double *U, double *B)
{
    int32_t strips = p->strips - p->top;
    for (int32_t j = 0; j < strips; j += ZA_PANEL_COLUMNS / 4) {
        int32_t end = smaller_count(j + ZA_PANEL_COLUMNS / 4, strips);
        for (int32_t k = 0; k < p->columns; k += ZA_PANEL_DEPTH) {
            int32_t depth = smaller_count(ZA_PANEL_DEPTH, p->columns - k), r = j;
            pack_strips(p, p->top + j, end - j, k, depth, B);
            for (; r + tall <= strips; r += tall) update_row(p, tall, r, j, end, k, depth, B, U);
            for (; r < strips; r++) update_row(p, 1, r, j, end, k, depth, B, U);
        }
    }
}

/* -------------------------------------------------------------------- solves */

/* sum_{k < count} L[k] x[k] of a strip: four sums, added in this order. */
INLINE v4 strip_times(int32_t count, const double *L, const double *x)
{
    v4 s[4] = {{0}, {0}, {0}, {0}};
    int32_t k = 0;
    for (; k + 4 <= count; k += 4)
        for (int i = 0; i < 4; i++) s[i] += *cvec(L + 4 * (k + i)) * x[k + i];
    for (; k < count; k++) s[0] += *cvec(L + 4 * (size_t)k) * x[k];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

/* The triangle of the own columns strip by strip, then what they take off the rows below. */
static void solve_panel_forward(const za_panel *p, int32_t first, const int32_t *rows, double *x)
{
    double *own = x + first;
    for (int32_t r = 0; r < p->top; r++) {
        const double *L = strip_at(p, r, 0), *corner = L + (size_t)r * 16;
        int32_t lanes = smaller_count(4, p->columns - 4 * r);
        double *t = own + (size_t)r * 4;
        v4 s = strip_times(4 * r, L, own);
        for (int32_t i = 0; i < lanes; i++) {
            t[i] -= s[i];
            for (int32_t b = 0; b < i; b++) t[i] -= corner[4 * b + i] * t[b];
        }
    }
    for (int32_t r = p->top, i = 0; r < p->strips; r++, i += 4) {
        v4 s = strip_times(p->columns, strip_at(p, r, 0), own);
        int32_t lanes = smaller_count(4, p->below - i);
        for (int32_t l = 0; l < lanes; l++) x[rows[i + l]] -= s[l];
    }
}

/* Four entries of x, 0 from `lanes` on. */
INLINE v4 load_lanes(const double *x, int32_t lanes)
{
    if (lanes >= 4) return *(const v4u *)x;
    v4 y = {0};
    for (int32_t l = 0; l < lanes; l++) y[l] = x[l];
    return y;
}

/* sum[k] += L[k] x over the columns of a block, strips from r to `end`; x of `count` entries. */
INLINE void add_strips(const za_panel *p, int32_t begin, int32_t columns, int32_t r, int32_t end,
                       int32_t count, const double *x, v4 *sum)
{
    for (; r + 2 <= end; r += 2, x += 8, count -= 8) {
        const double *a = strip_at(p, r, begin), *b = strip_at(p, r + 1, begin);
        v4 u = load_lanes(x, 4), v = load_lanes(x + 4, count - 4);
        for (int32_t k = 0; k < columns; k++)
            sum[k] = (sum[k] + *cvec(a + 4 * (size_t)k) * u) + *cvec(b + 4 * (size_t)k) * v;
    }
    if (r < end) {
        const double *a = strip_at(p, r, begin);
        v4 u = load_lanes(x, count);
        for (int32_t k = 0; k < columns; k++) sum[k] += *cvec(a + 4 * (size_t)k) * u;
    }
}

/* Backward substitution with the columns of a block; sum [columns]: over all rows below it. */
static void solve_block_backward(const za_panel *p, int32_t begin, int32_t columns, double *own,
                                 v4 *sum)
{
    for (int32_t c = (columns - 1) & ~3; c >= 0; c -= 4) {
        int32_t k = begin + c, lanes = smaller_count(4, columns - c);
        const double *L = strip_at(p, k / 4, begin), *corner = L + (size_t)c * 4;
        double *t = own + k;
        for (int32_t i = lanes - 1; i >= 0; i--) {
            v4 s = sum[c + i];
            t[i] -= (s[0] + s[1]) + (s[2] + s[3]);
            for (int32_t b = i + 1; b < lanes; b++) t[i] -= corner[4 * i + b] * t[b];
        }
        v4 u = load_lanes(t, lanes);
        for (int32_t i = 0; i < c; i++) sum[i] += *cvec(L + 4 * (size_t)i) * u;
    }
}

/* Blocks of columns from the right: sums over all rows below the block,
 * then the block's own triangle. */
static void solve_panel_backward(const za_panel *p, int32_t first, const int32_t *rows, double *x,
                                 double *scratch)
{
    double *own = x + first;
    for (int32_t k = 0; k < p->columns; k++) own[k] *= p->inverse[k];
    for (int32_t i = 0; i < p->below; i++) scratch[i] = x[rows[i]];
    int32_t begin = (p->columns - 1) / ZA_PANEL_COLUMNS * ZA_PANEL_COLUMNS;
    for (; begin >= 0; begin -= ZA_PANEL_COLUMNS) {
        v4 sum[ZA_PANEL_COLUMNS];
        int32_t columns = smaller_count(ZA_PANEL_COLUMNS, p->columns - begin),
                end = begin + columns;
        memset(sum, 0, sizeof(v4) * (size_t)columns);
        if (end < p->columns)
            add_strips(p, begin, columns, end / 4, p->top, p->columns - end, own + end, sum);
        add_strips(p, begin, columns, p->top, p->strips, p->below, scratch, sum);
        solve_block_backward(p, begin, columns, own, sum);
    }
}

extern const za_panel_kernels ZA_VARIANT_OF(za_panel_);
const za_panel_kernels ZA_VARIANT_OF(za_panel_) = {.factor = factor_panel,
                                                   .update = form_update,
                                                   .forward = solve_panel_forward,
                                                   .backward = solve_panel_backward};
