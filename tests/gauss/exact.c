/*
 * exact.c: integer matrices, and linear systems solved by fraction-free Gauss-Jordan
 * elimination (Bareiss), which divides without remainder. See exact.h.
 */
#include "exact.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------- integer matrices */

static grid grid_new(int32_t rows, int32_t cols)
{
    size_t count = (size_t)rows * (size_t)cols;
    grid g = {rows, cols, malloc((count + 1) * sizeof(mpz_t))};
    for (size_t i = 0; i < count; i++) {
        mpz_init(g.e[i]);
    }
    return g;
}

void grid_free(grid *g)
{
    for (int32_t i = 0; i < g->rows * g->cols; i++) {
        mpz_clear(g->e[i]);
    }
    free(g->e);
    g->e = NULL;
    g->rows = g->cols = 0;
}

mpz_ptr grid_at(const grid *g, int32_t i, int32_t j)
{
    return g->e[i * g->cols + j];
}

grid grid_transpose(const grid *a)
{
    grid t = grid_new(a->cols, a->rows);
    for (int32_t i = 0; i < a->rows; i++) {
        for (int32_t j = 0; j < a->cols; j++) {
            mpz_set(grid_at(&t, j, i), grid_at(a, i, j));
        }
    }
    return t;
}

grid grid_product(const grid *a, const grid *b)
{
    grid c = grid_new(a->rows, b->cols);
    for (int32_t i = 0; i < a->rows; i++) {
        for (int32_t j = 0; j < b->cols; j++) {
            for (int32_t k = 0; k < a->cols; k++) {
                mpz_addmul(grid_at(&c, i, j), grid_at(a, i, k), grid_at(b, k, j));
            }
        }
    }
    return c;
}

grid grid_inner(const grid *a, const grid *b)
{
    grid t = grid_transpose(a);
    grid c = grid_product(&t, b);
    grid_free(&t);
    return c;
}

/* [a b], a new grid */
static grid beside(const grid *a, const grid *b)
{
    grid c = grid_new(a->rows, a->cols + b->cols);
    for (int32_t i = 0; i < c.rows; i++) {
        for (int32_t j = 0; j < c.cols; j++) {
            mpz_set(grid_at(&c, i, j), j < a->cols ? grid_at(a, i, j) : grid_at(b, i, j - a->cols));
        }
    }
    return c;
}

grid grid_difference(mpz_srcptr s, const grid *a, mpz_srcptr t, const grid *b)
{
    grid c = grid_new(a->rows, a->cols);
    for (int32_t i = 0; i < a->rows * a->cols; i++) {
        mpz_mul(c.e[i], s, a->e[i]);
        mpz_submul(c.e[i], t, b->e[i]);
    }
    return c;
}

bool grid_is_zero(const grid *a)
{
    for (int32_t i = 0; i < a->rows * a->cols; i++) {
        if (mpz_sgn(a->e[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------ from doubles to integers */

/* x = *mantissa * 2^(return) with an odd or zero mantissa below 2^53. */
static long take_apart(double x, int64_t *mantissa)
{
    int exponent = 0;
    *mantissa = (int64_t)ldexp(frexp(x, &exponent), 53);
    exponent -= 53;
    while (*mantissa != 0 && *mantissa % 2 == 0) {
        *mantissa /= 2;
        exponent++;
    }
    return exponent;
}

long exact_exponent(const double *x, int32_t count, long least)
{
    for (int32_t i = 0; i < count; i++) {
        int64_t mantissa = 0;
        long exponent = take_apart(x[i], &mantissa);
        least = mantissa != 0 && exponent < least ? exponent : least;
    }
    return least;
}

grid exact_grid(const double *x, int32_t rows, int32_t cols, long exponent)
{
    grid g = grid_new(rows, cols);
    for (int32_t i = 0; i < rows * cols; i++) {
        int64_t mantissa = 0;
        long own = take_apart(x[i], &mantissa);
        mpz_set_si(g.e[i], (long)mantissa);
        if (mantissa != 0) {
            mpz_mul_2exp(g.e[i], g.e[i], (mp_bitcnt_t)(own - exponent));
        }
    }
    return g;
}

fractions fractions_new(grid num, mpz_srcptr den, long exponent)
{
    fractions f = {.num = num, .exponent = exponent};
    mpz_init_set(f.den, den);
    return f;
}

void fractions_free(fractions *f)
{
    if (f->num.e != NULL) {
        grid_free(&f->num);
        mpz_clear(f->den);
    }
}

double exact_double(mpz_srcptr num, mpz_srcptr den, long exponent)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_num(q, num);
    mpq_set_den(q, den);
    mpq_canonicalize(q);
    if (exponent >= 0) {
        mpq_mul_2exp(q, q, (mp_bitcnt_t)exponent);
    } else {
        mpq_div_2exp(q, q, (mp_bitcnt_t)-exponent);
    }
    double x = mpq_get_d(q);
    mpq_clear(q);
    return x;
}

void fractions_write(const fractions *f, double *x)
{
    for (int32_t i = 0; i < f->num.rows; i++) {
        x[i] = exact_double(f->num.e[i], f->den, f->exponent);
    }
}

/* ------------------------------------------------------------- elimination */

static void swap_rows(grid *g, int32_t i, int32_t k)
{
    for (int32_t j = 0; j < g->cols && i != k; j++) {
        mpz_swap(grid_at(g, i, j), grid_at(g, k, j));
    }
}

/* row i := (pivot * row i - g[i][c] * row r) / last, without remainder */
static void clear_entry(grid *g, int32_t i, int32_t r, int32_t c, mpz_srcptr last)
{
    mpz_t factor;
    mpz_init_set(factor, grid_at(g, i, c));
    for (int32_t j = 0; j < g->cols; j++) {
        mpz_mul(grid_at(g, i, j), grid_at(g, i, j), grid_at(g, r, c));
        mpz_submul(grid_at(g, i, j), factor, grid_at(g, r, j));
        mpz_divexact(grid_at(g, i, j), grid_at(g, i, j), last);
    }
    mpz_clear(factor);
}

/* Fraction-free Gauss-Jordan over the first `cols` columns. pivots [cols]: the column of
 * each pivot. Afterwards every pivot entry equals *den, the rest of its column is 0. */
static int32_t reduce(grid *g, int32_t cols, int32_t *pivots, mpz_t den)
{
    int32_t rank = 0;
    mpz_set_ui(den, 1);
    for (int32_t c = 0; c < cols && rank < g->rows; c++) {
        int32_t k = rank;
        while (k < g->rows && mpz_sgn(grid_at(g, k, c)) == 0) {
            k++;
        }
        if (k == g->rows) {
            continue;
        }
        swap_rows(g, rank, k);
        for (int32_t i = 0; i < g->rows; i++) {
            if (i != rank) {
                clear_entry(g, i, rank, c, den);
            }
        }
        mpz_set(den, grid_at(g, rank, c));
        pivots[rank++] = c;
    }
    return rank;
}

static int32_t *new_pivots(int32_t cols)
{
    return calloc((size_t)cols + 1, sizeof(int32_t));
}

bool exact_solve(const grid *H, const grid *right, grid *x, mpz_t den, int32_t *rank)
{
    grid g = beside(H, right);
    int32_t *pivots = new_pivots(H->cols);
    int32_t r = reduce(&g, H->cols, pivots, den);
    bool solvable = true;
    *x = grid_new(H->cols, right->cols);
    for (int32_t i = 0; i < g.rows; i++) {
        for (int32_t j = 0; j < right->cols; j++) {
            if (i < r) {
                mpz_set(grid_at(x, pivots[i], j), grid_at(&g, i, H->cols + j));
            } else if (mpz_sgn(grid_at(&g, i, H->cols + j)) != 0) {
                solvable = false;
            }
        }
    }
    if (mpz_sgn(den) < 0) {
        mpz_neg(den, den);
        for (int32_t i = 0; i < x->rows * x->cols; i++) {
            mpz_neg(x->e[i], x->e[i]);
        }
    }
    if (rank != NULL) {
        *rank = r;
    }
    grid_free(&g);
    free(pivots);
    return solvable;
}

grid exact_null_space(const grid *A)
{
    grid g = beside(A, &(grid){A->rows, 0, NULL});
    int32_t *pivots = new_pivots(A->cols);
    mpz_t den;
    mpz_init(den);
    int32_t r = reduce(&g, A->cols, pivots, den);
    grid N = grid_new(A->cols, A->cols - r);
    for (int32_t f = 0, next = 0, k = 0; f < A->cols; f++) {
        if (next < r && pivots[next] == f) {
            next++;
            continue;
        }
        mpz_set(grid_at(&N, f, k), den);
        for (int32_t i = 0; i < r; i++) {
            mpz_neg(grid_at(&N, pivots[i], k), grid_at(&g, i, f));
        }
        k++;
    }
    mpz_clear(den);
    grid_free(&g);
    free(pivots);
    return N;
}

int32_t exact_rank(const grid *A)
{
    grid N = exact_null_space(A);
    int32_t rank = A->cols - N.cols;
    grid_free(&N);
    return rank;
}

/* Sylvester: all leading principal minors are positive. They are the pivots of fraction-free
 * elimination without exchanges. */
bool exact_positive_definite(const grid *M)
{
    grid g = beside(M, &(grid){M->rows, 0, NULL});
    bool positive = true;
    mpz_t last;
    mpz_init_set_ui(last, 1);
    for (int32_t k = 0; k < g.rows && positive; k++) {
        positive = mpz_sgn(grid_at(&g, k, k)) > 0;
        for (int32_t i = k + 1; i < g.rows && positive; i++) {
            clear_entry(&g, i, k, k, last);
        }
        mpz_set(last, grid_at(&g, k, k));
    }
    mpz_clear(last);
    grid_free(&g);
    return positive;
}
