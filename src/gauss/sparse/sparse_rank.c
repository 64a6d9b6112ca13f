/*
 * The rank of A by counting (NUMERICS 5): the negative pivots of [M A^T; A tau S] are as many as
 * A M^-1 A^T has eigenvalues above tau S. S holds the rows' own sizes a_i M^-1 a_i^T, so that the
 * units of a row do not matter; M may be singular. Rows that are off do not count.
 *
 * The count is sure when no eigenvalue lies between tau and 10 tau, nor, where rows seem dependent,
 * between tau and tau / 100. Where one does, as in a long chain, whose smallest ones fall with the
 * square of its length, tau is lowered by 100; at the last tau rounding hides what is smaller: the
 * rank is at least the smaller of the two counts, and the larger one is given as ambiguous. A tenfold gap at 1e-10 is a gap of sqrt(10) of
 * singular values at 1e-5: what is reported as accepted and rejected are these bounds, no pivots.
 *
 * The answer is kept until the next factor. Nothing is allocated.
 */
#include <math.h>

#include "driver.h"

static const double first_tau = 1e-10, last_tau = 1e-14;

/* Rows of zeros, and what is no number, count as they are: with size 1. In a vector of the driver
 * that is free between solves. */
static const double *choose_rank_scales(zg_sparse *g)
{
    const double *sizes = zg_sparse_sizes(g);
    for (int32_t i = 0; i < g->is.m; i++)
        g->dl[i] = sizes[i] > 0.0 && isfinite(sizes[i]) ? sizes[i] : 1.0;
    return g->dl;
}

/* Eigenvalues above tau; never more than there are rows or coordinates. */
static int64_t count_eigenvalues_above(zg_sparse *g, double tau, const double *scale)
{
    int64_t count = zg_sparse_above(g, tau, scale);
    int64_t most = g->on < g->is.n ? g->on : g->is.n;
    return count < most ? count : most;
}

/* tau is lowered until the counts at tau and 10 tau agree, and at tau / 100 where rows are
 * dependent; ZW_ERR_ACCURACY: the form could not count. */
static zw_status find_sparse_rank(zg_sparse *g, const double *scale, zw_gauss_rank_info *info)
{
    double tau = first_tau;
    int64_t low = -1, high = -1;
    bool sure = false;
    for (;; tau *= 0.01) {
        high = count_eigenvalues_above(g, tau, scale);
        low = count_eigenvalues_above(g, 10.0 * tau, scale);
        bool last = tau * 0.01 < 0.5 * last_tau, same = high >= 0 && high == low;
        sure = same &&
               (high == g->on || (!last && count_eigenvalues_above(g, 0.01 * tau, scale) == high));
        if (last || sure) break;
    }
    if (high < 0 && low < 0) return ZW_ERR_ACCURACY;
    int64_t rank = high > low ? high : low;
    int32_t all = g->on < g->is.n ? g->on : g->is.n;
    *info = (zw_gauss_rank_info){.rank = (int32_t)rank,
                                 .tolerance = sqrt(tau),
                                 .accepted = sqrt(sure ? 10.0 * tau : tau),
                                 .rejected = sqrt(tau),
                                 .ambiguous = !sure,
                                 .least = (int32_t)(high < low ? high : low),
                                 .most = sure ? (int32_t)rank : all};
    if (info->least < 0) info->least = 0; /* one of the two could not be counted */
    if (rank == 0) info->accepted = 1.0;
    if (rank == g->on) info->rejected = 0.0;
    return ZW_OK;
}

/* Counted once for each factor. */
zw_status zg_sparse_rank(zg_sparse *g, zw_gauss_rank_info *info)
{
    zw_status status = ZW_OK;
    if (!g->ranked) {
        status = find_sparse_rank(g, choose_rank_scales(g), &g->rank);
        g->ranked = status == ZW_OK;
    }
    if (g->ranked) *info = g->rank;
    return status;
}
