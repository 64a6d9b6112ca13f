/*
 * The projection form: with any z0 that satisfies the constraints (in the least-squares sense
 * of W, where they are inconsistent),
 *
 *     z = z0 + Pi (a - z0),   Pi = I - A^(+M) A
 *
 * Pi is the M-orthogonal projection onto the virtual displacements. z0 is found without M at
 * all: the shortest least-squares solution of R A z0 = R b.
 */
#include <string.h>

#include "forms.h"

typedef struct projector {
    zg_least *RA; /* R A, Euclidean */
    zg_least *B;  /* A U^-1, whose null space is that of A seen in the metric M */
    double *z0, *t;
    double *rows; /* [ldm] */
} projector;

/* R A, row-major: R applied to the columns of A. */
static double *form_weighted_rows(const zg_form *form)
{
    const zw_gauss *g = form->g;
    size_t n = (size_t)form->n;
    double *X = ZG_DOUBLES(form, zb_product((size_t)form->m, n));
    for (size_t j = 0; j < n; j++) {
        memset(g->c, 0, sizeof(double) * (size_t)g->ldm);
        for (size_t i = 0; i < (size_t)form->m; i++) g->c[i] = form->A[i * n + j];
        zg_root_times(g, g->c, g->nu);
        for (size_t i = 0; i < (size_t)form->m; i++) X[i * n + j] = g->nu[i];
    }
    return X;
}

/* Decompositions of R A, for z0, and of B, for the projector. */
static zw_status prepare_projection(zg_form *form)
{
    projector *x = ZB_NEW(form->arena, projector);
    const zw_gauss *g = form->g;
    x->RA = zg_least_create(form->arena, g->k, form->m, form->n, form_weighted_rows(form),
                            g->tolerance);
    x->B = zg_least_create(form->arena, g->k, form->m, form->n, zg_metric_rows(form), g->tolerance);
    x->z0 = ZG_DOUBLES(form, form->n);
    x->t = ZG_DOUBLES(form, form->n);
    x->rows = ZG_DOUBLES(form, g->ldm);
    form->own = x;
    return ZW_OK;
}

/* U (a - z0) = U^-T (f - M z0), projected onto the null space of B. */
static void apply_projection(const zg_form *form, const double *f, const double *b, double *z)
{
    projector *x = form->own;
    memcpy(x->rows, b, sizeof(double) * (size_t)form->m);
    zg_root_times(form->g, x->rows, form->g->nu);
    zg_least_solve(x->RA, form->g->nu, NULL, x->z0);
    zg_times(form->n, form->n, form->M, x->z0, x->t);
    for (int32_t i = 0; i < form->n; i++) x->t[i] = f[i] - x->t[i];
    zg_form_lower(form, x->t);
    zg_least_solve(x->B, NULL, x->t, z);
    zg_form_upper(form, z);
    for (int32_t i = 0; i < form->n; i++) z[i] += x->z0[i];
}

const zg_form_kind zg_projection = {.definite_mass = true,
                                    .consistent = false,
                                    .prepare = prepare_projection,
                                    .apply = apply_projection};
