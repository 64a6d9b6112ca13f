/*
 * Whole answers of the sparse solver, from GG(Q, b) and GG(C, 0): accelerations, the forces and
 * their parts, multipliers of least norm, what of b is out of reach, the Gaussian; the projector
 * GG(M x, 0), and the split of a given force (NUMERICS 1).
 */
#include <math.h>
#include <string.h>

#include "driver.h"

/* M^-1 Q, and |M^-1 A^T (all multipliers)|^2 in the norm of M. After z and the multipliers. */
static void write_sparse_free(zg_sparse *g, const double *Q, const double *pull, zw_gauss_answer *a)
{
    int32_t n = g->is.n;
    memcpy(g->dz, pull, sizeof *pull * (size_t)n);
    a->mass_singular = !zg_mass_solve(g, g->dz);
    a->gaussian = a->mass_singular ? (double)NAN : 0.0;
    if (a->mass_singular) return;
    for (int32_t j = 0; j < n; j++) a->gaussian += pull[j] * g->dz[j];
    a->gaussian = fmax(a->gaussian, 0.0);
    if (!a->free_acceleration) return;
    memcpy(a->free_acceleration, Q, sizeof *Q * (size_t)n);
    (void)zg_mass_solve(g, a->free_acceleration);
}

/* Q + forces - M z, and A z - b. */
static void write_sparse_residuals(zg_sparse *g, const double *Q, const double *b,
                                   const double *force, zw_gauss_answer *a)
{
    if (a->balance) {
        zg_mass_apply(g, g->z, g->r1);
        for (int32_t j = 0; j < g->is.n; j++) a->balance[j] = Q[j] + force[j] - g->r1[j];
    }
    if (a->residual) {
        zg_rows_apply(g, g->z, a->residual);
        for (int32_t i = 0; i < g->is.m; i++) a->residual[i] -= b[i];
    }
}

/* The rank; where it is below m multipliers lose the part that is not unique. */
static zw_status write_sparse_multipliers(zg_sparse *g, zw_gauss_answer *a)
{
    zw_gauss_rank_info info = {.rank = g->on};
    if (g->damping != ZG_UNDAMPED) ZB_TRY(zg_sparse_rank(g, &info));
    a->rank = info.rank;
    if (info.rank < g->on) zg_sparse_least(g, g->l);
    zg_write_wanted(g->l, g->is.m, a->multipliers);
    return zg_sparse_renew(g);
}

/* Both parts, ideal and non-ideal, then what follows from them. Forces are taken from the
 * multipliers before these are made unique. */
zw_status zg_sparse_solve(zg_sparse *g, const double *Q, const double *b, const double *C,
                          zw_gauss_answer *a)
{
    int32_t n = g->is.n, m = g->is.m;
    double norm = 0.0, none = 0.0;
    zg_iterate w = {0}, c = {0};
    ZB_TRY(zg_sparse_gauss(g, Q, b, g->z, g->l, g->lost, &norm, &w));
    double *ideal = g->f, *nonideal = g->z_nonideal;
    zg_rows_pull(g, g->l, ideal); /* before digits of it are lost with the part that is not seen */
    ZB_TRY(write_sparse_multipliers(g, a));
    if (n > 0) memset(nonideal, 0, sizeof *nonideal * (size_t)n);
    if (C) { /* its acceleration in `nonideal` for a moment */
        ZB_TRY(zg_sparse_gauss(g, C, NULL, nonideal, g->l_nonideal, NULL, &none, &c));
        for (int32_t j = 0; j < n; j++) g->z[j] += nonideal[j];
        zg_rows_pull(g, g->l_nonideal, nonideal);
        for (int32_t j = 0; j < n; j++) g->z2[j] = ideal[j] + nonideal[j];
        for (int32_t j = 0; j < n; j++) nonideal[j] += C[j];
    } else {
        memcpy(g->z2, ideal, sizeof *ideal * (size_t)n);
    }
    zg_write_wanted(g->z, n, a->acceleration);
    zg_write_wanted(ideal, n, a->force_ideal);
    zg_write_wanted(nonideal, n, a->force_nonideal);
    for (int32_t i = 0; a->inconsistency && i < m; i++) a->inconsistency[i] = -g->lost[i];
    a->inconsistency_norm = norm;
    a->consistent = norm <= zg_consistent_limit * zg_sparse_size(g, b, g->z);
    a->certificate =
        fmax(w.size1 > 0.0 ? w.r1 / w.size1 : 0.0, w.size2 > 0.0 ? w.r2 / w.size2 : 0.0);
    a->refinements = w.solves - 1;
    write_sparse_free(g, Q, g->z2, a);
    for (int32_t j = 0; j < n; j++) ideal[j] += nonideal[j]; /* all of it */
    zg_write_wanted(ideal, n, a->force);
    write_sparse_residuals(g, Q, b, ideal, a);
    return ZW_OK;
}

/* GG(M x, 0) */
zw_status zg_sparse_project(zg_sparse *g, const double *x, double *y)
{
    double norm = 0.0;
    zg_iterate w = {0};
    zg_mass_apply(g, x, g->f);
    ZB_TRY(zg_sparse_gauss(g, g->f, NULL, g->z, g->l, NULL, &norm, &w));
    zg_write_wanted(g->z, g->is.n, y);
    return ZW_OK;
}

/* GG(F, 0) has the multipliers of minus the ideal part of F. */
zw_status zg_sparse_split(zg_sparse *g, const double *force, double *ideal, double *nonideal)
{
    double norm = 0.0;
    zg_iterate w = {0};
    ZB_TRY(zg_sparse_gauss(g, force, NULL, g->z, g->l, NULL, &norm, &w));
    zg_rows_pull(g, g->l, g->f); /* minus the ideal part */
    for (int32_t j = 0; j < g->is.n; j++) {
        double all = force[j];
        if (nonideal) nonideal[j] = all + g->f[j];
        if (ideal) ideal[j] = -g->f[j];
    }
    return ZW_OK;
}
