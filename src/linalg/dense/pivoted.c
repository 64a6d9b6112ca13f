/*
 * Cholesky with diagonal pivoting, P^T X P = U^T U, for matrices that may be singular. Simple
 * loops: it serves where a system is singular or checked, not in the fast paths.
 */
#include <math.h>

#include "linalg.h"

/* X[i][j]. */
static double *pivoted_entry(const za_pivoted *p, int32_t i, int32_t j)
{
    return p->X + (size_t)i * (size_t)p->ld + (size_t)j;
}

/* Exchanges two numbers. */
static void swap_entries(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

/* Exchanges rows and columns a and b of X, both triangles, and notes it in the order. */
static void exchange_pivots(za_pivoted *p, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < p->n; i++) swap_entries(pivoted_entry(p, i, a), pivoted_entry(p, i, b));
    for (int32_t j = 0; j < p->n; j++) swap_entries(pivoted_entry(p, a, j), pivoted_entry(p, b, j));
    int32_t t = p->order[a];
    p->order[a] = p->order[b];
    p->order[b] = t;
}

/* The row, k or behind it, with the largest diagonal entry. */
static int32_t find_largest_diagonal(const za_pivoted *p, int32_t k)
{
    int32_t best = k;
    for (int32_t i = k + 1; i < p->n; i++)
        if (*pivoted_entry(p, i, i) > *pivoted_entry(p, best, best)) best = i;
    return best;
}

/* The largest diagonal entry that is left is the next pivot; both triangles of what is left are
 * kept up to date, so that rows and columns can be exchanged. */
void za_pivoted_factor(za_pivoted *p, double zero)
{
    p->rank = 0;
    for (int32_t i = 0; i < p->n; i++) p->order[i] = i;
    for (int32_t k = 0; k < p->n; k++) {
        int32_t best = find_largest_diagonal(p, k);
        if (!(*pivoted_entry(p, best, best) > zero)) break;
        if (best != k) exchange_pivots(p, k, best);
        double root = sqrt(*pivoted_entry(p, k, k));
        for (int32_t j = k; j < p->n; j++) *pivoted_entry(p, k, j) /= root;
        for (int32_t i = k + 1; i < p->n; i++) {
            double f = *pivoted_entry(p, k, i);
            for (int32_t j = k + 1; j < p->n; j++)
                *pivoted_entry(p, i, j) -= f * *pivoted_entry(p, k, j);
        }
        p->rank = k + 1;
    }
}

/* Back substitution from the last row of U11 up. */
void za_pivoted_upper(const za_pivoted *p, double *x)
{
    for (int32_t i = p->rank - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < p->rank; j++) x[i] -= *pivoted_entry(p, i, j) * x[j];
        x[i] /= *pivoted_entry(p, i, i);
    }
}

/* Forward substitution; the columns of U11 are the rows of its transpose. */
void za_pivoted_lower(const za_pivoted *p, double *x)
{
    for (int32_t i = 0; i < p->rank; i++) {
        for (int32_t k = 0; k < i; k++) x[i] -= *pivoted_entry(p, k, i) * x[k];
        x[i] /= *pivoted_entry(p, i, i);
    }
}
