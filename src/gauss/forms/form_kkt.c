/*
 * Lagrange's equations with multipliers, the Karush-Kuhn-Tucker system:
 *
 *     [M A^T; A 0] [z; -lambda] = [f; b]
 *
 * singular for dependent rows, but z is the same for every solution of consistent equations:
 * a rank-revealing factorisation takes one. Rows and columns are scaled alike, so that
 * neither heavy coordinates nor large constraints dominate. M may be singular.
 */
#include <math.h>
#include <string.h>

#include "forms.h"

typedef struct kkt {
    zg_least *K;         /* [(n+m) x (n+m)] scaled */
    double *scale;       /* [n+m] */
    double *right, *sol; /* [n+m] */
} kkt;

/* Coordinates by their inertia, or where there is none by their largest coefficient. */
static void choose_scales(const zg_form *form, double *scale)
{
    int32_t n = form->n, m = form->m;
    for (int32_t i = 0; i < n; i++) {
        double d = form->M[(size_t)i * (size_t)(n + 1)], a = 0.0;
        for (int32_t j = 0; j < m; j++)
            a = fmax(a, fabs(form->A[(size_t)j * (size_t)n + (size_t)i]));
        scale[i] = d > 0.0 ? 1.0 / sqrt(d) : a > 0.0 ? 1.0 / a : 1.0;
    }
    for (int32_t j = 0; j < m; j++) {
        double s = 0.0;
        for (int32_t i = 0; i < n; i++) {
            double a = form->A[(size_t)j * (size_t)n + (size_t)i] * scale[i];
            s += a * a;
        }
        scale[n + j] = s > 0.0 ? 1.0 / sqrt(s) : 1.0;
    }
}

/* K scaled from both sides, and its decomposition. */
static zw_status prepare_kkt(zg_form *form)
{
    size_t n = (size_t)form->n, m = (size_t)form->m, all = n + m;
    kkt *x = ZB_NEW(form->arena, kkt);
    double *K = ZG_DOUBLES(form, zb_product(all, all));
    x->scale = ZG_DOUBLES(form, all);
    x->right = ZG_DOUBLES(form, all);
    x->sol = ZG_DOUBLES(form, all);
    choose_scales(form, x->scale);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            K[i * all + j] = form->M[i * n + j] * x->scale[i] * x->scale[j];
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++)
            K[(n + i) * all + j] = K[j * all + n + i] =
                form->A[i * n + j] * x->scale[n + i] * x->scale[j];
    x->K =
        zg_least_create(form->arena, form->g->k, (int32_t)all, (int32_t)all, K, form->g->tolerance);
    form->own = x;
    return ZW_OK;
}

/* One solution of K x = (f, b), scaled alike; its first n entries are z. */
static void apply_kkt(const zg_form *form, const double *f, const double *b, double *z)
{
    kkt *x = form->own;
    int32_t n = form->n, m = form->m;
    for (int32_t i = 0; i < n; i++) x->right[i] = f[i] * x->scale[i];
    for (int32_t j = 0; j < m; j++) x->right[n + j] = b[j] * x->scale[n + j];
    zg_least_solve(x->K, x->right, NULL, x->sol);
    for (int32_t i = 0; i < n; i++) z[i] = x->sol[i] * x->scale[i];
}

const zg_form_kind zg_kkt = {
    .definite_mass = false, .consistent = true, .prepare = prepare_kkt, .apply = apply_kkt};
