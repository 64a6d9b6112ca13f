/*
 * The {1,4}-inverse form, with B = A U^-1 (M = U^T U):
 *
 *     z = a + U^-1 X (b - A a),   B X B = B,  (X B)^T = X B
 *
 * Any such X will do for consistent constraints. Ours takes r independent rows B1 of B and
 * ignores the others: X = [B1^+ 0]. Then X B = B1^+ B1 is the orthogonal projection onto the
 * rows of B, so both conditions hold, but B X is not symmetric: it is no least-squares
 * inverse, and for inconsistent constraints the answer would depend on the choice of rows.
 */
#include <string.h>

#include "forms.h"

typedef struct chosen {
    int32_t rank;
    const int32_t *rows; /* [rank] */
    zg_least *B1;        /* those rows of B */
    double *t, *c;
} chosen;

/* The first decomposition, of B, says which rows are independent; the second is of these. */
static zw_status prepare_inverse_14(zg_form *form)
{
    chosen *x = ZB_NEW(form->arena, chosen);
    size_t n = (size_t)form->n;
    const double *B = zg_metric_rows(form);
    zg_least *all =
        zg_least_create(form->arena, form->g->k, form->m, form->n, B, form->g->tolerance);
    x->rank = zg_least_rank(all);
    x->rows = zg_least_rows(all);
    double *B1 = ZG_DOUBLES(form, zb_product((size_t)x->rank, n));
    for (int32_t i = 0; i < x->rank; i++)
        memcpy(B1 + (size_t)i * n, B + (size_t)x->rows[i] * n, sizeof(double) * n);
    x->B1 = zg_least_create(form->arena, form->g->k, x->rank, form->n, B1, form->g->tolerance);
    x->t = ZG_DOUBLES(form, n);
    x->c = ZG_DOUBLES(form, x->rank);
    form->own = x;
    return ZW_OK;
}

/* t + B1^+ (b1 - B1 t) is the point nearest to t on which B1 takes the value b1. */
static void apply_inverse_14(const zg_form *form, const double *f, const double *b, double *z)
{
    chosen *x = form->own;
    memcpy(x->t, f, sizeof(double) * (size_t)form->n);
    zg_form_lower(form, x->t);
    for (int32_t i = 0; i < x->rank; i++) x->c[i] = b[x->rows[i]];
    zg_least_solve(x->B1, x->c, x->t, z);
    zg_form_upper(form, z);
}

const zg_form_kind zg_inverse_14 = {.definite_mass = true,
                                    .consistent = true,
                                    .prepare = prepare_inverse_14,
                                    .apply = apply_inverse_14};
