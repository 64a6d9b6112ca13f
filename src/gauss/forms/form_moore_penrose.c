/*
 * The fundamental equation, by the Moore-Penrose inverse of P = R A U^-1 (M = U^T U, W = R^T R):
 *
 *     z = U^-1 (t + P^+ (R b - P t)),   t = U^-T f
 *
 * P^+ by singular values: our own one-sided Jacobi, or LAPACK for large sizes. How many of
 * them count is decided on A with rows of norm 1: P has the same rank, but the scale of its
 * rows, and what cancels under a full W, would blur it. Defined for every right side.
 */
#include <math.h>
#include <string.h>

#include "forms.h"

typedef struct pseudo {
    double *P, *U, *s, *V; /* P = U diag(s) V^T */
    double *t, *c, *x;
    int32_t k, rank;
} pseudo;

/* X [m x n] = U diag(s) V^T, the thin form: U [m * k], V [n * k], k = min(n, m). */
static zw_status decompose_singular_values(const zg_form *form, pseudo *p, const double *X)
{
    bool large = form->g->lapack;
    size_t work = large ? za_lapack_svd_work(form->m, form->n) : za_svd_work(form->m, form->n);
    zb_mark mark = zb_arena_mark(form->arena);
    double *scratch = ZG_DOUBLES(form, work);
    zw_status status = large ? za_lapack_svd(form->m, form->n, X, p->U, p->s, p->V, scratch)
                             : za_svd(form->m, form->n, X, p->U, p->s, p->V, scratch);
    zb_arena_release(form->arena, mark);
    return status;
}

/* Rank: singular values of A with rows of norm 1 that are above the tolerance. */
static zw_status count_rank(const zg_form *form, pseudo *p)
{
    size_t n = (size_t)form->n;
    double *X = ZG_DOUBLES(form, zb_product((size_t)form->m, n));
    for (int32_t i = 0; i < form->m; i++) {
        const double *row = form->A + (size_t)i * n;
        double s = 0.0;
        for (size_t j = 0; j < n; j++) s += row[j] * row[j];
        for (size_t j = 0; j < n; j++) X[(size_t)i * n + j] = s > 0.0 ? row[j] / sqrt(s) : 0.0;
    }
    ZB_TRY(decompose_singular_values(form, p, X));
    p->rank = 0;
    while (p->rank < p->k && p->s[p->rank] > form->g->tolerance * p->s[0]) p->rank++;
    return ZW_OK;
}

/* P = R B, a row of weights at a time. */
static void weigh_metric_rows(const zg_form *form, double *P)
{
    const zw_gauss *g = form->g;
    for (int32_t j = 0; j < form->n && g->weight != ZW_IDENTITY; j++) {
        memset(g->c, 0, sizeof(double) * (size_t)g->ldm);
        for (int32_t i = 0; i < form->m; i++) g->c[i] = P[(size_t)i * (size_t)form->n + (size_t)j];
        zg_root_times(g, g->c, g->nu);
        for (int32_t i = 0; i < form->m; i++) P[(size_t)i * (size_t)form->n + (size_t)j] = g->nu[i];
    }
}

/* P = R A U^-1, its rank (which uses the same arrays), its singular values. */
static zw_status prepare_moore_penrose(zg_form *form)
{
    pseudo *p = ZB_NEW(form->arena, pseudo);
    size_t n = (size_t)form->n, m = (size_t)form->m;
    p->k = form->n < form->m ? form->n : form->m;
    p->P = zg_metric_rows(form);
    weigh_metric_rows(form, p->P);
    p->U = ZG_DOUBLES(form, zb_product(m, (size_t)p->k));
    p->V = ZG_DOUBLES(form, zb_product(n, (size_t)p->k));
    p->s = ZG_DOUBLES(form, p->k);
    p->t = ZG_DOUBLES(form, n);
    p->c = ZG_DOUBLES(form, form->g->ldm);
    p->x = ZG_DOUBLES(form, form->g->ldm);
    form->own = p;
    if (p->k == 0) return ZW_OK;
    ZB_TRY(count_rank(form, p));
    return decompose_singular_values(form, p, p->P);
}

/* z = U^-1 (t + V diag(1/s) U^T (R b - P t)) over the singular values that count. */
static void apply_moore_penrose(const zg_form *form, const double *f, const double *b, double *z)
{
    pseudo *p = form->own;
    size_t k = (size_t)p->k;
    memcpy(z, f, sizeof(double) * (size_t)form->n);
    zg_form_lower(form, z);
    zg_times(form->m, form->n, p->P, z, p->x);
    memcpy(p->c, b, sizeof(double) * (size_t)form->m);
    zg_root_times(form->g, p->c, form->g->nu);
    for (int32_t i = 0; i < form->m; i++) p->c[i] = form->g->nu[i] - p->x[i];
    for (int32_t q = 0; q < p->rank; q++) {
        double d = 0.0;
        for (int32_t i = 0; i < form->m; i++) d += p->U[(size_t)i * k + (size_t)q] * p->c[i];
        d /= p->s[q];
        for (int32_t j = 0; j < form->n; j++) z[j] += p->V[(size_t)j * k + (size_t)q] * d;
    }
    zg_form_upper(form, z);
}

const zg_form_kind zg_moore_penrose = {.definite_mass = true,
                                       .consistent = false,
                                       .prepare = prepare_moore_penrose,
                                       .apply = apply_moore_penrose};
