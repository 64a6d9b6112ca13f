/*
 * The data of a dense problem, M, A and W: copied into padded storage, and searched for what is
 * wrong with them when a factor or a solve has failed.
 */
#include <math.h>

#include "plan.h"

/* A is kept transposed as well. Copying notices numbers that are not finite: g->copied is NaN
 * then. */
void zg_copy_data(zw_gauss *g, const double *M, const double *A, const double *W)
{
    int32_t n = g->n, m = g->m;
    g->copied = g->k->copy_rows(g->shape.mass == ZW_FULL ? n : 1, n, g->ldn, M, g->M);
    if (m > 0) g->copied += g->k->copy_rows(m, n, g->ldn, A, g->A);
    g->k->transpose(m, n, g->ldn, g->A, g->ldm, g->AT);
    g->weight = W && m > 0 ? g->shape.weight : ZW_IDENTITY;
    if (g->weight != ZW_IDENTITY)
        g->copied += g->k->copy_rows(g->weight == ZW_FULL ? m : 1, m, g->ldm, W, g->W);
}

/* ------------------------------------------------------------ what is wrong */

/* The first entry of X [n x m], rows ld apart, that is not finite becomes the failure. False: all
 * are finite. */
static bool find_nonfinite_entry(zw_gauss *g, char matrix, int32_t n, int32_t m, int32_t ld,
                                 const double *X)
{
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < m; j++) {
            double x = X[(size_t)i * (size_t)ld + (size_t)j];
            if (isfinite(x)) continue;
            g->failure = (zg_failure){
                .status = ZW_ERR_NOT_FINITE, .matrix = matrix, .i = i, .j = j, .value = x};
            return true;
        }
    }
    return false;
}

/* The same for a vector or a diagonal x [n]: its place has one index, j is -1. */
static bool find_nonfinite_in_vector(zw_gauss *g, char matrix, int32_t n, const double *x)
{
    if (!find_nonfinite_entry(g, matrix, n, 1, 1, x)) return false;
    g->failure.j = -1;
    return true;
}

/* x [count] (NULL: none) is finite, or the failure says where not. */
zw_status zg_finite(zw_gauss *g, char name, const double *x, int32_t count)
{
    if (!x || !find_nonfinite_in_vector(g, name, count, x)) return ZW_OK;
    return ZW_ERR_NOT_FINITE;
}

/* Can the entries of X (NULL: none) be squared? The largest of them decides. */
zw_status zg_in_range(zw_gauss *g, char name, int32_t rows, int32_t columns, int32_t ld,
                      const double *X)
{
    double largest = 0.0;
    for (int32_t i = 0; X && i < rows; i++)
        for (int32_t j = 0; j < columns; j++)
            largest = fmax(largest, fabs(X[(size_t)i * (size_t)ld + (size_t)j]));
    if (largest == 0.0 || (largest > 1e-140 && largest < 1e140)) return ZW_OK;
    g->failure = (zg_failure){.status = ZW_ERR_RANGE, .matrix = name, .value = largest};
    return ZW_ERR_RANGE;
}

/* The first entry of the data that is not finite, as the failure; false when all are. */
bool zg_not_finite(zw_gauss *g)
{
    bool mass = g->shape.mass == ZW_FULL ? find_nonfinite_entry(g, 'M', g->n, g->n, g->ldn, g->M)
                                         : find_nonfinite_in_vector(g, 'M', g->n, g->M);
    if (mass || find_nonfinite_entry(g, 'A', g->m, g->n, g->ldn, g->A)) return true;
    if (g->weight == ZW_FULL) return find_nonfinite_entry(g, 'W', g->m, g->m, g->ldm, g->W);
    return g->weight == ZW_DIAGONAL && find_nonfinite_in_vector(g, 'W', g->m, g->W);
}
