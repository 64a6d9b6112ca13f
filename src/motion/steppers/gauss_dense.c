/*
 * Dense output of gauss16.
 *
 * The polynomial of the 8 stages is of degree 7 only, and stages are of order 8: between the ends of
 * a step, which are of order 16, it would be off by much more than they are. So rates are evaluated
 * at 8 more places e, and at those of the stages again, in turn: each time where the polynomial
 * through all 16 leads, which makes what they are off h^2 times smaller. In Legendre polynomials P_k of 2 theta - 1, theta = (t - t_old)/h:
 *
 *     z(theta) = sum_k a_k P_k           v = v_old + h sum a_k int P_k
 *                                        q = q_old + h theta v_old + h^2 sum a_k int int P_k
 *
 * Where coefficients do not fall the polynomial of the stages has to do.
 *
 * What the projection has moved at the end of the step goes in with 3 theta^2 - 2 theta^3.
 */
#include <string.h>

#include "gauss16.h"
#include "tableau_gauss16.h"

enum { most_passes = 8 };
/* Rates that change by less, in sizes: this, or so much of the tolerance. */
static const double settled = 1e-15, of_tolerance = 1e-2;
/* Coefficients of numbers 14 and 15, in sizes, that may be rounding. */
static const double rounding = 1e-13;

/* Integrals of P_0 .. P_15 from 0 to theta: once, and of these again. */
typedef struct weights {
    double once[zi_gauss_terms], twice[zi_gauss_terms];
} weights;

/* int P_k = (P_(k+1) - P_(k-1)) / (2 (2 k + 1)), of P_0: theta. */
static weights find_weights(double theta)
{
    double p[zi_gauss_terms + 2], once[zi_gauss_terms + 1];
    weights w;
    zi_legendre(theta, zi_gauss_terms + 2, p);
    once[0] = theta;
    for (int32_t k = 1; k <= zi_gauss_terms; k++)
        once[k] = (p[k + 1] - p[k - 1]) / (2.0 * (2.0 * k + 1.0));
    memcpy(w.once, once, sizeof w.once);
    w.twice[0] = 0.5 * theta * theta;
    for (int32_t k = 1; k < zi_gauss_terms; k++)
        w.twice[k] = (once[k + 1] - once[k - 1]) / (2.0 * (2.0 * k + 1.0));
    return w;
}

/* In four sums, so that none waits for the one before. */
static double sum_terms(const double *w, const double *a)
{
    double sum[4];
    for (int32_t l = 0; l < 4; l++) sum[l] = w[l] * a[l];
    for (int32_t k = 4; k < zi_gauss_terms; k += 4)
        for (int32_t l = 0; l < 4; l++) sum[l] += w[k + l] * a[k + l];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Component i of the polynomial at theta, where the integrals are w. */
static double find_component(const zi_stepper *s, const weights *w, double theta, int32_t i)
{
    int32_t half = s->system.half;
    const double *a = zi_row(s, zi_at_legendre) + 16 * (size_t)(i < half ? half + i : i);
    double h = s->t - s->t_old;
    if (i >= half) return s->y_old[i] + h * sum_terms(w->once, a);
    return s->y_old[i] + h * (theta * s->y_old[half + i] + h * sum_terms(w->twice, a));
}

/* The same at the end of the step: all integrals are 0 there but those of P_0, 1 and 1/2, and the
 * second one of P_1, -1/6. */
static double find_end(const zi_stepper *s, int32_t i)
{
    int32_t half = s->system.half;
    const double *a = zi_row(s, zi_at_legendre) + 16 * (size_t)(i < half ? half + i : i);
    double h = s->t - s->t_old;
    if (i >= half) return s->y_old[i] + h * a[0];
    return s->y_old[i] + h * (s->y_old[half + i] + h * (0.5 * a[0] - a[1] / 6.0));
}

/* Coefficients of the polynomials through the stages alone. */
static void find_coefficients_of_stages(const zi_stepper *s)
{
    const double *eight = zi_gauss_numbers_of(s)->legendre;
    for (int32_t i = s->system.half; i < s->system.size; i++) {
        const double *z = zi_row(s, zi_at_stages) + 8 * (size_t)i;
        double *a = zi_row(s, zi_at_legendre) + 16 * (size_t)i;
        for (int32_t k = 0; k < zi_gauss_terms; k++) {
            a[k] = 0.0;
            for (int32_t j = 0; j < zi_gauss_stages && k < 8; j++) a[k] += eight[8 * k + j] * z[j];
        }
    }
}

/* Whether coefficients do not fall: rates jump between the places, as they do behind a moment at
 * which something happens, at the end of the step perhaps and nowhere before. */
static bool is_interpolant_rough(const zi_stepper *s)
{
    const double *weight = zi_row(s, zi_at_shares);
    double h = s->t - s->t_old, top = 0.0, last = 0.0, least = of_tolerance * s->settings.tol;
    for (int32_t i = s->system.half; i < s->system.controlled; i++) {
        const double *a = zi_row(s, zi_at_legendre) + 16 * (size_t)i;
        double seventh = h * weight[i] * zb_abs(a[7]), end = zb_abs(a[14]) + zb_abs(a[15]);
        if (seventh > top) top = seventh;
        if (!(h * weight[i] * end <= last)) last = h * weight[i] * end;
    }
    if (1e-3 * top > least) least = 1e-3 * top;
    return last > (least > rounding ? least : rounding);
}

/* Rates at the stages or the further places, where the polynomial leads, into a row of stages. The
 * last of the further places is the end of the step, whose state is known. */
static zw_status evaluate_places(zi_stepper *s, bool further, bool first, zi_sweep_change *found)
{
    const double *places = further ? zi_gauss_e : zi_gauss_c;
    double h = s->t - s->t_old, t[zi_gauss_stages];
    zi_sweep x = zi_gauss_sweep(s, h);
    x.y = s->y_old;
    x.Z = zi_row(s, further ? zi_at_between : zi_at_better);
    for (int32_t l = 0; l < zi_gauss_stages; l++)
        t[l] = places[l] == 1.0 ? s->t : s->t_old + places[l] * h;
    zi_find_sweep_functions()->inside(&x, zi_row(s, zi_at_legendre), first ? 8 : zi_gauss_terms,
                                      further);
    int32_t last = zi_gauss_stages - 1, group = last / x.width * x.stride, lane = last % x.width;
    for (int32_t i = 0; further && i < s->system.size; i++)
        x.argument[(size_t)(group + i) * (size_t)x.width + (size_t)lane] = s->y[i];
    ZB_TRY(zi_stage_rates(s, first, t, &x));
    *found = zi_find_sweep_functions()->take(&x);
    return found->change == found->change ? ZW_OK : ZW_ERR_NOT_FINITE;
}

/* The polynomial of the step behind: further places, stages, further places and so on, until rates
 * change no more, or not less. */
static zw_status find_interpolant(zi_stepper *s)
{
    double before = 1.0, enough = of_tolerance * s->settings.tol;
    size_t bytes = sizeof(double) * 8 * (size_t)s->stride;
    if (enough < settled) enough = settled;
    memcpy(zi_row(s, zi_at_better), zi_row(s, zi_at_stages), bytes);
    zi_sweep x = zi_gauss_sweep(s, s->t - s->t_old);
    find_coefficients_of_stages(s);
    for (int32_t pass = 1; pass <= most_passes; pass++) {
        bool further = pass % 2 == 1;
        zi_sweep_change found;
        ZB_TRY(evaluate_places(s, further, pass == 1, &found));
        zi_find_sweep_functions()->fit(&x, zi_row(s, zi_at_better), zi_row(s, zi_at_between),
                                       zi_row(s, zi_at_legendre));
        double rate = found.change / before;
        before = found.change;
        if (pass < 3) continue; /* what was there before the first pass is of another step */
        if (rate >= 1.0 || found.change * rate <= enough * found.size) break;
    }
    if (is_interpolant_rough(s)) find_coefficients_of_stages(s);
    s->dense_ready = true;
    return ZW_OK;
}

/* A step behind that ends where its state was set anew has no length. */
zw_status zi_gauss_dense(zi_stepper *s, double t, double *y)
{
    if (zi_gauss_numbers_of(s)->bridged != 0.0) return zi_bridge_dense(s, t, y);
    if (!s->dense_ready) ZB_TRY(find_interpolant(s));
    double theta = (t - s->t_old) / (s->t - s->t_old);
    double part = theta * theta * (3.0 - 2.0 * theta);
    weights w = find_weights(theta);
    for (int32_t i = 0; i < s->system.size; i++) {
        y[i] = find_component(s, &w, theta, i) + part * (s->y[i] - find_end(s, i));
        if (!(y[i] - y[i] == 0.0)) return ZW_ERR_NOT_FINITE;
    }
    return ZW_OK;
}
