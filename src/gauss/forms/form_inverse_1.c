/*
 * The {1}-inverse form:
 *
 *     M z = f + A^T S^(1) (b - A a),   S = A M^-1 A^T,   S S^(1) S = S
 *
 * Any {1}-inverse will do for consistent constraints. Ours inverts a principal block of S that
 * has full rank and is zero elsewhere; Cholesky with diagonal pivoting finds the block.
 * Forming S squares the condition number: rows closer together than 1e-8 cannot be told apart.
 */
#include <math.h>
#include <string.h>

#include "forms.h"

typedef struct block_inverse {
    za_pivoted S;  /* scaled to unit diagonal */
    double *scale; /* [m] */
    double *a;     /* [n] */
    double *c, *y; /* [m] */
} block_inverse;

/* S = B B^T with unit diagonal, B = A U^-1. */
static void form_scaled_schur(const zg_form *form, block_inverse *x)
{
    size_t m = (size_t)form->m, n = (size_t)form->n;
    const double *B = zg_metric_rows(form);
    for (size_t i = 0; i < m; i++) {
        zg_times(form->m, form->n, B, B + i * n, x->S.X + i * m);
        double d = x->S.X[i * m + i];
        x->scale[i] = d > 0.0 ? 1.0 / sqrt(d) : 0.0;
    }
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) x->S.X[i * m + j] *= x->scale[i] * x->scale[j];
}

/* S and its factor; pivots up to 32 eps m, relative, count as 0. */
static zw_status prepare_inverse_1(zg_form *form)
{
    block_inverse *x = ZB_NEW(form->arena, block_inverse);
    size_t m = (size_t)form->m;
    x->S = (za_pivoted){.n = form->m, .ld = form->m};
    x->S.X = ZG_DOUBLES(form, zb_product(m, m));
    x->S.order = ZB_NEW_ARRAY(form->arena, int32_t, m);
    x->scale = ZG_DOUBLES(form, m);
    x->a = ZG_DOUBLES(form, form->n);
    x->c = ZG_DOUBLES(form, m);
    x->y = ZG_DOUBLES(form, m);
    form_scaled_schur(form, x);
    za_pivoted_factor(&x->S, 32.0 * zb_eps * form->m);
    form->own = x;
    return ZW_OK;
}

/* y = S^(1) c: only rows of the block take part. */
static void solve_block(const block_inverse *x, const double *c, double *y, double *t)
{
    const int32_t *order = x->S.order;
    for (int32_t i = 0; i < x->S.rank; i++) t[i] = c[order[i]] * x->scale[order[i]];
    za_pivoted_lower(&x->S, t);
    za_pivoted_upper(&x->S, t);
    for (int32_t i = 0; i < x->S.n; i++)
        y[order[i]] = i < x->S.rank ? t[i] * x->scale[order[i]] : 0.0;
}

/* a = M^-1 f, y = S^(1) (b - A a), z = M^-1 (f + A^T y). */
static void apply_inverse_1(const zg_form *form, const double *f, const double *b, double *z)
{
    block_inverse *x = form->own;
    memcpy(x->a, f, sizeof(double) * (size_t)form->n);
    zg_form_lower(form, x->a);
    zg_form_upper(form, x->a);
    zg_times(form->m, form->n, form->A, x->a, x->c);
    for (int32_t i = 0; i < form->m; i++) x->c[i] = b[i] - x->c[i];
    solve_block(x, x->c, x->y, form->g->c);
    zg_transposed_times(form->m, form->n, form->A, x->y, z);
    for (int32_t i = 0; i < form->n; i++) z[i] += f[i];
    zg_form_lower(form, z);
    zg_form_upper(form, z);
}

const zg_form_kind zg_inverse_1 = {.definite_mass = true,
                                   .consistent = true,
                                   .prepare = prepare_inverse_1,
                                   .apply = apply_inverse_1};
