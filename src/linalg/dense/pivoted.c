/*
 * Cholesky with diagonal pivoting, P^T X P = U^T U, for matrices that may be singular. Plain
 * loops: it stands in the careful paths, not in the fast ones.
 */
#include <math.h>

#include "linalg.h"

static double *entry(const za_pivoted *p, int32_t i, int32_t j)
{
    return p->X + (size_t)i * (size_t)p->ld + (size_t)j;
}

static void swap(double *x, double *y)
{
    double t = *x;
    *x = *y;
    *y = t;
}

static void exchange(za_pivoted *p, int32_t a, int32_t b)
{
    for (int32_t i = 0; i < p->n; i++) swap(entry(p, i, a), entry(p, i, b));
    for (int32_t j = 0; j < p->n; j++) swap(entry(p, a, j), entry(p, b, j));
    int32_t t = p->order[a];
    p->order[a] = p->order[b];
    p->order[b] = t;
}

static int32_t largest_diagonal(const za_pivoted *p, int32_t k)
{
    int32_t best = k;
    for (int32_t i = k + 1; i < p->n; i++)
        if (*entry(p, i, i) > *entry(p, best, best)) best = i;
    return best;
}

void za_pivoted_factor(za_pivoted *p, double zero)
{
    p->rank = 0;
    for (int32_t i = 0; i < p->n; i++) p->order[i] = i;
    for (int32_t k = 0; k < p->n; k++) {
        int32_t best = largest_diagonal(p, k);
        if (!(*entry(p, best, best) > zero)) break;
        if (best != k) exchange(p, k, best);
        double root = sqrt(*entry(p, k, k));
        for (int32_t j = k; j < p->n; j++) *entry(p, k, j) /= root;
        for (int32_t i = k + 1; i < p->n; i++) {
            double f = *entry(p, k, i);
            for (int32_t j = k + 1; j < p->n; j++) *entry(p, i, j) -= f * *entry(p, k, j);
        }
        p->rank = k + 1;
    }
}

void za_pivoted_upper(const za_pivoted *p, double *x)
{
    for (int32_t i = p->rank - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < p->rank; j++) x[i] -= *entry(p, i, j) * x[j];
        x[i] /= *entry(p, i, i);
    }
}

void za_pivoted_lower(const za_pivoted *p, double *x)
{
    for (int32_t i = 0; i < p->rank; i++) {
        for (int32_t k = 0; k < i; k++) x[i] -= *entry(p, k, i) * x[k];
        x[i] /= *entry(p, i, i);
    }
}
