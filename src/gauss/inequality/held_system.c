/*
 * The dual active set by the solver of the system (least_distance.h): what is left of a row beside
 * those held is an acceleration under the row as a force,
 *
 *     M d = n_p + A^T l,   A d = 0 in the rows held,   r = -l
 *
 * so that every look is a factor and a solve. For systems without full matrices, where block
 * pivoting has not ended.
 */
#include <math.h>
#include <string.h>

#include "unequal.h"

static const double depends = 1e-10;       /* what is left of a row that depends on others: d.d */
static const double sign_rounding = 1e-11; /* of slacks */

typedef struct held_system {
    zg_inequality *q;
    zg_holding *search;
    double *x;     /* [n] the acceleration */
    double *d;     /* [n] */
    double *force; /* [n] */
    double *l;     /* [m] */
    bool factored; /* for the rows held now */
} held_system;

static void measure_held_slacks(void *of, double *s, double *rounding)
{
    held_system *h = of;
    const zg_inequality *q = h->q;
    const zg_pattern *A = &q->is.A;
    for (int32_t i = 0; i < q->is.m; i++) {
        double sum = -q->b[i] - q->r[i], size = q->size[i] > 0.0 ? q->size[i] : 1.0;
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
            sum += q->values.A[k] * h->x[A->column[k]];
        s[i] = sum / size;
        rounding[i] = sign_rounding * (q->motion + (fabs(q->b[i]) + fabs(q->r[i])) / size);
    }
}

/* The factor of the equations and the rows held. */
static zw_status factor_held_rows(held_system *h)
{
    zg_inequality *q = h->q;
    if (h->factored) return ZW_OK;
    for (int32_t i = 0; i < q->is.m; i++) q->off[i] = !(q->held[i] || h->search->in[i]);
    ZB_TRY(zg_factor_set(q));
    h->factored = true;
    return ZW_OK;
}

static zw_status look_by_system(void *of, int32_t p, double *r, double *left)
{
    held_system *h = of;
    zg_inequality *q = h->q;
    const zg_pattern *A = &q->is.A;
    double size = q->size[p] > 0.0 ? q->size[p] : 1.0;
    ZB_TRY(factor_held_rows(h));
    memset(h->force, 0, sizeof *h->force * (size_t)q->is.n);
    for (int32_t k = A->start[p]; k < A->start[p + 1]; k++)
        h->force[A->column[k]] = q->values.A[k] / size;
    ZB_TRY(zg_system_apply(q->system, h->force, NULL, h->d, h->l, NULL, NULL));
    *left = 0.0;
    for (int32_t j = 0; j < q->is.n; j++) *left += h->force[j] * h->d[j];
    if (!(*left > depends)) *left = 0.0;
    for (int32_t k = 0; k < h->search->count; k++) {
        int32_t row = h->search->held[k];
        r[k] = -h->l[row] * q->size[row];
    }
    return ZW_OK;
}

static void move_by_system(void *of, double t)
{
    held_system *h = of;
    for (int32_t j = 0; j < h->q->is.n; j++) h->x[j] += t * h->d[j];
}

static zw_status join_system(void *of, int32_t p)
{
    (void)p;
    ((held_system *)of)->factored = false;
    return ZW_OK;
}

static zw_status leave_system(void *of, int32_t place)
{
    (void)place;
    ((held_system *)of)->factored = false;
    return ZW_OK;
}

static const zg_holder by_system = {.slacks = measure_held_slacks,
                                    .look = look_by_system,
                                    .move = move_by_system,
                                    .join = join_system,
                                    .leave = leave_system};

/* Equations are held by the system itself. */
zw_status zg_search_by_system(zg_inequality *q, bool *found)
{
    zg_reached reached;
    held_system h = {.q = q,
                     .search = &q->by_rows,
                     .x = q->x,
                     .d = q->rest,
                     .force = q->rest_terms,
                     .l = q->ideal};
    *found = false;
    zg_hold_equations(q);
    ZB_TRY(zg_try_set(q, NULL));
    memcpy(h.x, q->z, sizeof *h.x * (size_t)q->is.n);
    h.search->rows = q->is.m;
    for (int32_t i = 0; i < q->is.m; i++)
        h.search->kind[i] = q->kind[i] == ZG_AT_LEAST ? (uint8_t)ZG_AT_LEAST : (uint8_t)ZG_ABSENT;
    ZB_TRY(zg_holding_find(h.search, &by_system, &h, NULL, &reached));
    *found = reached == ZG_REACHED;
    for (int32_t i = 0; i < q->is.m; i++) q->held[i] = q->held[i] || h.search->in[i];
    return ZW_OK;
}
