/*
 * Strict judgement of raw input, as `zwang solve` wants it: the first thing wrong with M, A
 * or W, with its place. Solving does not need it: a factor notices what it cannot use.
 */
#include <math.h>

#include "plan.h"

/* Largest |X_ij - X_ji| against 1e-12 of the largest entry. */
static bool find_asymmetry(zw_gauss *g, char matrix, int32_t n, int32_t ld, const double *X)
{
    double largest = 0.0, worst = 0.0;
    int32_t row = 0, column = 0;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            double x = X[(size_t)i * (size_t)ld + (size_t)j];
            if (fabs(x) > largest) largest = fabs(x);
            double difference = fabs(x - X[(size_t)j * (size_t)ld + (size_t)i]);
            if (j > i && difference > worst) {
                worst = difference;
                row = i;
                column = j;
            }
        }
    }
    if (!(worst > 1e-12 * largest)) return false;
    g->failure = (zg_failure){.status = ZW_ERR_NOT_SYMMETRIC,
                              .matrix = matrix,
                              .i = row,
                              .j = column,
                              .value = X[(size_t)row * (size_t)ld + (size_t)column],
                              .other = X[(size_t)column * (size_t)ld + (size_t)row]};
    return true;
}

bool zg_asymmetric(zw_gauss *g)
{
    return g->shape.mass == ZW_FULL && find_asymmetry(g, 'M', g->n, g->ldn, g->M);
}

/* X [n] not negative; strictly: positive. */
static zw_status check_diagonal(zw_gauss *g, char matrix, int32_t n, const double *X, bool strictly)
{
    for (int32_t i = 0; i < n; i++)
        if (X[i] < 0.0 || (strictly && !(X[i] > 0.0)))
            return zg_fail(g, (zg_failure){.status = ZW_ERR_INDEFINITE,
                                           .matrix = matrix,
                                           .i = i,
                                           .j = -1,
                                           .value = X[i],
                                           .single = true});
    return ZW_OK;
}

/* Copies; numbers that are not finite, then symmetry of M and W. */
static zw_status check_entries(zw_gauss *g, const double *M, const double *A, const double *W)
{
    g->factored = g->cod_ready = false;
    g->failure = (zg_failure){.status = ZW_OK};
    zg_copy_data(g, M, A, W);
    if (zg_not_finite(g)) return zg_fail(g, g->failure);
    if (zg_asymmetric(g)) return zg_fail(g, g->failure);
    if (g->weight == ZW_FULL && find_asymmetry(g, 'W', g->m, g->ldm, g->W))
        return zg_fail(g, g->failure);
    return ZW_OK;
}

static zw_status check_weight(zw_gauss *g)
{
    if (g->weight == ZW_FULL) return zg_judge_weight(g);
    if (g->weight == ZW_DIAGONAL) return check_diagonal(g, 'W', g->m, g->W, true);
    return ZW_OK;
}

zw_status zg_check_numbers(zw_gauss *g, const double *M, const double *A, const double *W)
{
    ZB_TRY(check_entries(g, M, A, W));
    return check_weight(g);
}

/* In this order: entries, definiteness of M, of W. */
zw_status zg_check(zw_gauss *g, const double *M, const double *A, const double *W)
{
    int32_t rank = 0;
    ZB_TRY(check_entries(g, M, A, W));
    if (g->shape.mass == ZW_FULL)
        ZB_TRY(zg_judge_mass(g, &rank));
    else
        ZB_TRY(check_diagonal(g, 'M', g->n, g->M, false));
    return check_weight(g);
}
