/*
 * Tangents along the steps that a stepper has made: where its state moves by dy at the beginning of a
 * step, the end moves by what the step itself makes of it, its length being a number,
 *
 *     dY_i = dy + h sum_j a_ij dk_j,   dk_i = f'(t_i, Y_i) dY_i,   dy_new = dy + h sum_j b_j dk_j
 *
 * at the stages Y_i = y + h sum_j a_ij k_j of the accepted attempt, whose k_j are still there. The
 * interpolant of dense output is linear in values and rates, so its tangent is the interpolant of
 * theirs. What a projection does to tangents is its owner's affair.
 */
#include <string.h>

#include "pair.h"

/* What of a table is needed here: rk4 has one, too. */
typedef struct scheme {
    const zi_terms *stage; /* [count] the last is the step */
    int32_t count;
    const zi_terms *extra;
    int32_t extra_count;
    const zi_terms *polynomial;
    int32_t polynomial_count;
} scheme;

static bool find_scheme(const zi_method *method, scheme *x)
{
    if (method == &zi_rk4) {
        *x = (scheme){.stage = zi_rk4_terms, .count = zi_rk4_term_count};
        return true;
    }
    if (!method->pair) return false;
    const zi_tableau *t = method->pair->tableau;
    *x = (scheme){t->stage, t->count, t->extra, t->extra_count, t->polynomial, t->polynomial_count};
    return true;
}

bool zi_can_carry(const zi_method *method)
{
    scheme x;
    return find_scheme(method, &x);
}

/* Stages, the end, extra stages, r1, r2, ... */
int32_t zi_tangent_rows(const zi_method *method)
{
    scheme x;
    if (!find_scheme(method, &x)) return 0;
    return x.count + 1 + x.extra_count + 3 + x.polynomial_count;
}

static size_t row_size(const zi_tangents *x)
{
    return (size_t)x->count * (size_t)x->size;
}

static double *tangent_row(const zi_tangents *x, int32_t row)
{
    return x->k + (size_t)row * row_size(x);
}

/* out = dy + h * sum of the rows of terms. dy NULL: 0. */
static void combine_tangents(const zi_tangents *x, const zi_terms *terms, const double *dy,
                             double h, double *out)
{
    for (size_t i = 0; i < row_size(x); i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < terms->count; j++)
            sum += terms->a[j] * tangent_row(x, terms->row[j])[i];
        out[i] = (dy ? dy[i] : 0.0) + h * sum;
    }
}

/* One stage of the step behind the stepper. */
static zw_status carry_stage(const zi_stepper *s, zi_tangents *x, const zi_terms *terms, double h,
                             int32_t row)
{
    zi_combine(s, terms, s->y_old, h, x->stage);
    combine_tangents(x, terms, x->dy_old, h, x->argument);
    return x->rates(x->user, s->t_old + terms->c * h, x->stage, x->argument, tangent_row(x, row));
}

zw_status zi_carry_step(const zi_stepper *s, zi_tangents *x)
{
    scheme by;
    double h = s->t - s->t_old;
    if (!find_scheme(s->method, &by)) return ZW_ERR_METHOD;
    memcpy(x->dy_old, x->dy, sizeof *x->dy * row_size(x));
    x->dense_ready = false;
    ZB_TRY(x->rates(x->user, s->t_old, s->y_old, x->dy_old, tangent_row(x, 0)));
    for (int32_t i = 1; i < by.count; i++) ZB_TRY(carry_stage(s, x, &by.stage[i - 1], h, i));
    combine_tangents(x, &by.stage[by.count - 1], x->dy_old, h, x->dy);
    return ZW_OK;
}

/* Rates at the end, the extra stages, r1, r2, ...: see zi_tableau. */
static zw_status find_tangent_interpolant(const zi_stepper *s, zi_tangents *x, const scheme *by)
{
    double h = s->t - s->t_old, *f = tangent_row(x, by->count);
    int32_t first = by->count + 1 + by->extra_count;
    ZB_TRY(x->rates(x->user, s->t, s->y, x->dy, f));
    for (int32_t i = 0; i < by->extra_count; i++)
        ZB_TRY(carry_stage(s, x, &by->extra[i], h, by->count + 1 + i));
    double *r1 = tangent_row(x, first), *r2 = tangent_row(x, first + 1),
           *r3 = tangent_row(x, first + 2);
    const double *f_old = tangent_row(x, 0);
    for (size_t i = 0; i < row_size(x); i++) {
        r1[i] = x->dy[i] - x->dy_old[i];
        r2[i] = h * f_old[i] - r1[i];
        r3[i] = r1[i] - h * f[i] - r2[i];
    }
    for (int32_t i = 0; i < by->polynomial_count; i++)
        combine_tangents(x, &by->polynomial[i], NULL, h, tangent_row(x, first + 3 + i));
    x->dense_ready = true;
    return ZW_OK;
}

zw_status zi_carry_dense(const zi_stepper *s, zi_tangents *x, double t, double *dy)
{
    scheme by;
    if (!find_scheme(s->method, &by)) return ZW_ERR_METHOD;
    if (t >= s->t || t <= s->t_old) {
        memcpy(dy, t >= s->t ? x->dy : x->dy_old, sizeof *dy * row_size(x));
        return ZW_OK;
    }
    if (!x->dense_ready) ZB_TRY(find_tangent_interpolant(s, x, &by));
    double theta = (t - s->t_old) / (s->t - s->t_old), phi = 1.0 - theta;
    int32_t first = by.count + 1 + by.extra_count, last = 2 + by.polynomial_count;
    for (size_t i = 0; i < row_size(x); i++) {
        double sum = tangent_row(x, first + last)[i];
        for (int32_t j = last; j-- > 0;)
            sum = tangent_row(x, first + j)[i] + (j % 2 == 0 ? phi : theta) * sum;
        dy[i] = x->dy_old[i] + theta * sum;
    }
    return ZW_OK;
}
