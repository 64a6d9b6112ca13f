/*
 * exact.h: exact linear algebra for the oracle, with GMP.
 *
 * Doubles are integers times a power of two, so all data become integer matrices (`grid`).
 * A vector of rationals (`fractions`) is a column of numerators, one denominator and a
 * power of two. Whatever returns a grid or fractions gives them to the caller to free.
 */
#ifndef TESTS_GAUSS_EXACT_H
#define TESTS_GAUSS_EXACT_H

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct grid {
    int32_t rows, cols;
    mpz_t *e; /* [rows*cols] by rows */
} grid;

typedef struct fractions {
    grid num;
    mpz_t den;
    long exponent; /* value = num / den * 2^exponent */
} fractions;

void grid_free(grid *g);
mpz_ptr grid_at(const grid *g, int32_t i, int32_t j);
grid grid_transpose(const grid *a);
grid grid_product(const grid *a, const grid *b);
grid grid_inner(const grid *a, const grid *b);                                  /* a^T b */
grid grid_difference(mpz_srcptr s, const grid *a, mpz_srcptr t, const grid *b); /* s a - t b */
bool grid_is_zero(const grid *a);

/* The least power of two among x [count], or `least` if that is less. */
long exact_exponent(const double *x, int32_t count, long least);

/* x [rows*cols] = result * 2^exponent */
grid exact_grid(const double *x, int32_t rows, int32_t cols, long exponent);

/* num / den * 2^exponent, rounded once */
double exact_double(mpz_srcptr num, mpz_srcptr den, long exponent);

/* Takes num; copies den. */
fractions fractions_new(grid num, mpz_srcptr den, long exponent);
void fractions_free(fractions *f);
void fractions_write(const fractions *f, double *x);

/* One solution of H x = right with zeros in the free places, over *den > 0. *rank, when
 * wanted, gets the rank of H. False when there is no solution. */
bool exact_solve(const grid *H, const grid *right, grid *x, mpz_t den, int32_t *rank);

/* Columns of the result span the null space of A. */
grid exact_null_space(const grid *A);
int32_t exact_rank(const grid *A);
bool exact_positive_definite(const grid *M);

#endif
