/*
 * The explicit Gibbs-Appell equations. Choose r = rank A independent columns (e) of A, the
 * rest are (f); R = A_e^+ A_f. Along the constraints z_e = A_e^+ b - R z_f, and
 *
 *     [A_e A_f; 0 N] [z_e; z_f] = [b; g]
 *     N = M_ff + R^T M_ee R - M_fe R - R^T M_fe^T
 *     g = Q_f - R^T Q_e + (R^T M_ee - M_fe) A_e^+ b
 *
 * solved from below: z_f from N, then z_e = A_e^+ (b - A_f z_f). The columns are chosen by
 * complete pivoting: the textbook's fixed choice breaks down where a pivot vanishes. M may be
 * singular: N is positive definite exactly when [M; A] has full column rank.
 */
#include <math.h>
#include <string.h>

#include "forms.h"

typedef struct appell {
    int32_t r;         /* rank: the first r of `order` are e, the others f */
    int32_t *order;    /* [n] */
    zg_least *Ae;      /* [m x r] */
    zg_least *N;       /* [s x s], s = n - r */
    double *Af;        /* [m * s] */
    double *R;         /* [r * s] */
    double *K;         /* [s * r] R^T M_ee - M_fe */
    double *e, *g, *c; /* [r], [s], [m] scratch of apply */
    double *zf;        /* [s] */
} appell;

/* --------------------------------------------------------- choosing columns */

typedef struct elimination {
    int32_t m, n;
    double *X; /* [m * n] A with rows of norm 1, eliminated on the way */
} elimination;

/* X = A with rows of norm 1; rows of zeros stay. */
static void scale_rows_to_one(const zg_form *form, elimination *x)
{
    size_t n = (size_t)form->n;
    for (int32_t i = 0; i < form->m; i++) {
        const double *row = form->A + (size_t)i * n;
        double s = 0.0;
        for (size_t j = 0; j < n; j++) s += row[j] * row[j];
        for (size_t j = 0; j < n && s > 0.0; j++) x->X[(size_t)i * n + j] = row[j] / sqrt(s);
    }
}

/* The largest entry at or behind (k, k). */
static double find_largest_entry(const elimination *x, int32_t k, int32_t *row, int32_t *column)
{
    double best = -1.0;
    for (int32_t i = k; i < x->m; i++) {
        for (int32_t j = k; j < x->n; j++) {
            double a = fabs(x->X[(size_t)i * (size_t)x->n + (size_t)j]);
            if (a <= best) continue;
            best = a;
            *row = i;
            *column = j;
        }
    }
    return best;
}

/* Row k and `row`, column k and `column` change places. */
static void exchange_row_and_column(elimination *x, int32_t k, int32_t row, int32_t column)
{
    size_t n = (size_t)x->n;
    for (size_t j = 0; j < n; j++) {
        double t = x->X[(size_t)k * n + j];
        x->X[(size_t)k * n + j] = x->X[(size_t)row * n + j];
        x->X[(size_t)row * n + j] = t;
    }
    for (size_t i = 0; i < (size_t)x->m; i++) {
        double t = x->X[i * n + (size_t)k];
        x->X[i * n + (size_t)k] = x->X[i * n + (size_t)column];
        x->X[i * n + (size_t)column] = t;
    }
}

/* Column k becomes 0 below its pivot (k, k). */
static void eliminate_below(elimination *x, int32_t k)
{
    const double *pivot = x->X + (size_t)k * (size_t)x->n;
    for (int32_t i = k + 1; i < x->m; i++) {
        double *row = x->X + (size_t)i * (size_t)x->n, l = row[k] / pivot[k];
        for (int32_t j = k; j < x->n; j++) row[j] -= l * pivot[j];
    }
}

/* order and r, by complete pivoting until nothing above the rank tolerance is left. */
static void choose_columns(const zg_form *form, appell *a)
{
    elimination x = {.m = form->m, .n = form->n};
    int32_t row = 0, column = 0;
    x.X = ZG_DOUBLES(form, zb_product((size_t)form->m, (size_t)form->n));
    scale_rows_to_one(form, &x);
    for (int32_t j = 0; j < form->n; j++) a->order[j] = j;
    for (int32_t k = 0; k < form->m && k < form->n; k++) {
        if (!(find_largest_entry(&x, k, &row, &column) > form->g->tolerance)) break;
        exchange_row_and_column(&x, k, row, column);
        eliminate_below(&x, k);
        int32_t t = a->order[k];
        a->order[k] = a->order[column];
        a->order[column] = t;
        a->r = k + 1;
    }
}

/* ------------------------------------------------------------ the equations */

/* M between the i-th and the j-th coordinate of the chosen order. */
static double get_mass(const zg_form *form, const appell *a, int32_t i, int32_t j)
{
    return form->M[(size_t)a->order[i] * (size_t)form->n + (size_t)a->order[j]];
}

/* Columns first..first+count of A, in the chosen order. */
static double *copy_columns(const zg_form *form, const appell *a, int32_t first, int32_t count)
{
    double *X = ZG_DOUBLES(form, zb_product((size_t)form->m, (size_t)count));
    for (int32_t i = 0; i < form->m; i++)
        for (int32_t j = 0; j < count; j++)
            X[(size_t)i * (size_t)count + (size_t)j] =
                form->A[(size_t)i * (size_t)form->n + (size_t)a->order[first + j]];
    return X;
}

/* R = A_e^+ A_f, a column at a time. */
static void solve_R(const zg_form *form, appell *a, int32_t s)
{
    for (int32_t j = 0; j < s; j++) {
        for (int32_t i = 0; i < form->m; i++) a->c[i] = a->Af[(size_t)i * (size_t)s + (size_t)j];
        zg_least_solve(a->Ae, a->c, NULL, a->e);
        for (int32_t i = 0; i < a->r; i++) a->R[(size_t)i * (size_t)s + (size_t)j] = a->e[i];
    }
}

/* K = R^T M_ee - M_fe, and N = (M_ff - R^T M_fe^T) + K R. */
static double *form_reduced_mass(const zg_form *form, appell *a, int32_t s)
{
    int32_t r = a->r;
    double *N = ZG_DOUBLES(form, zb_product((size_t)s, (size_t)s));
    for (int32_t i = 0; i < s; i++) {
        for (int32_t j = 0; j < r; j++) {
            double x = -get_mass(form, a, r + i, j);
            for (int32_t k = 0; k < r; k++)
                x += a->R[(size_t)k * (size_t)s + (size_t)i] * get_mass(form, a, k, j);
            a->K[(size_t)i * (size_t)r + (size_t)j] = x;
        }
        for (int32_t j = 0; j < s; j++) {
            double x = get_mass(form, a, r + i, r + j);
            for (int32_t k = 0; k < r; k++)
                x += a->K[(size_t)i * (size_t)r + (size_t)k] *
                         a->R[(size_t)k * (size_t)s + (size_t)j] -
                     a->R[(size_t)k * (size_t)s + (size_t)i] * get_mass(form, a, k, r + j);
            N[(size_t)i * (size_t)s + (size_t)j] = x;
        }
    }
    return N;
}

/* The choice of columns, R, K and the factors of A_e and N. */
static zw_status prepare_gibbs_appell(zg_form *form)
{
    appell *a = ZB_NEW(form->arena, appell);
    a->order = ZB_NEW_ARRAY(form->arena, int32_t, form->n);
    choose_columns(form, a);
    int32_t s = form->n - a->r;
    a->Af = copy_columns(form, a, a->r, s);
    a->Ae = zg_least_create(form->arena, form->g->k, form->m, a->r, copy_columns(form, a, 0, a->r),
                            form->g->tolerance);
    a->R = ZG_DOUBLES(form, zb_product((size_t)a->r, (size_t)s));
    a->K = ZG_DOUBLES(form, zb_product((size_t)s, (size_t)a->r));
    a->c = ZG_DOUBLES(form, form->m);
    a->e = ZG_DOUBLES(form, a->r);
    a->g = ZG_DOUBLES(form, s);
    a->zf = ZG_DOUBLES(form, s);
    solve_R(form, a, s);
    a->N = zg_least_create(form->arena, form->g->k, s, s, form_reduced_mass(form, a, s),
                           form->g->tolerance);
    form->own = a;
    return ZW_OK;
}

/* g, then z_f = N^-1 g, then z_e = A_e^+ (b - A_f z_f); put back into the order of the
 * coordinates. */
static void apply_gibbs_appell(const zg_form *form, const double *f, const double *b, double *z)
{
    appell *a = form->own;
    int32_t r = a->r, s = form->n - r;
    zg_least_solve(a->Ae, b, NULL, a->e);
    zg_times(s, r, a->K, a->e, a->g);
    for (int32_t i = 0; i < s; i++) {
        a->g[i] += f[a->order[r + i]];
        for (int32_t k = 0; k < r; k++)
            a->g[i] -= a->R[(size_t)k * (size_t)s + (size_t)i] * f[a->order[k]];
    }
    zg_least_solve(a->N, a->g, NULL, a->zf);
    zg_times(form->m, s, a->Af, a->zf, a->c);
    for (int32_t i = 0; i < form->m; i++) a->c[i] = b[i] - a->c[i];
    zg_least_solve(a->Ae, a->c, NULL, a->e);
    for (int32_t i = 0; i < r; i++) z[a->order[i]] = a->e[i];
    for (int32_t i = 0; i < s; i++) z[a->order[r + i]] = a->zf[i];
}

const zg_form_kind zg_gibbs_appell = {.definite_mass = false,
                                      .consistent = true,
                                      .prepare = prepare_gibbs_appell,
                                      .apply = apply_gibbs_appell};
