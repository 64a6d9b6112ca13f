/*
 * The driver of embedded Runge-Kutta pairs: from attempts to accepted steps.
 *
 * An attempt of length h gives y_new and an error: the root mean square over the controlled
 * components (those that count) of error / scale, scale = absolute + tol max(|y|, |y_new|), where
 * `absolute` is abs_tol or comes from the sizes of components (sizes.c). When
 * that is at most 1, a copy of y_new is projected, and how far that moved it, in the same norm,
 * counts as error, too. Then f is evaluated at the projected state; it is the first stage of the
 * next step.
 *
 *     accepted   h <- h 0.9 error^-exponent error_old^beta      (PI control, Gustafsson)
 *     rejected   h <- h 0.9 error^-exponent, or h/4 when something failed or is not a number, or
 *                0.6 h when the projection refused the place (ZW_ERR_ACCURACY)
 *
 * until h is rounding of t, or attempts have been made without end.
 *
 * First step and stiffness test after Hairer, Norsett and Wanner, Solving Ordinary Differential
 * Equations I, II.4, and Hairer and Wanner, II, IV.2; both in the weighted norm.
 */
#include <float.h>
#include <string.h>

#include "pair.h"

/* Relative tolerances under this are rounding. */
static const double least_tolerance = 16.0 * DBL_EPSILON;
/* Keeps 0/0 out of norms when there is no absolute tolerance. */
static const double least_scale = 1e-280;
static const double after_failure = 0.25, after_refusal = 0.6;

zi_scale zi_find_scale(const zi_settings *settings)
{
    double a = settings->abs_tol, r = settings->tol;
    return (zi_scale){a > least_scale ? a : least_scale, r > least_tolerance ? r : least_tolerance};
}

/* Which components count in norms is copied: the row `mask` holds 1 or 0, and 0 for the sums. */
zw_status zi_adapt_open(zi_stepper *s)
{
    const zi_tableau *pair = s->method->pair->tableau;
    ZB_TRY(zi_take_rows(s, zi_row_count(pair) + zi_driver_rows));
    double *mask = zi_find_places(s, pair).mask;
    const double *given = s->system.mask;
    for (int32_t i = 0; i < s->system.controlled; i++) mask[i] = given ? given[i] : 1.0;
    zi_open_sizes(s, zi_row_count(pair) + zi_at_sizes);
    return zi_adapt_restart(s);
}

zw_status zi_adapt_restart(zi_stepper *s)
{
    s->error_old = zi_least_log_old;
    return ZW_OK;
}

zw_status zi_stage(zi_stepper *s, const zi_terms *terms, double h, double *argument, int32_t row)
{
    zi_combine(s, terms, s->y, h, argument);
    return zi_rates(s, s->t + terms->c * h, argument, zi_row(s, row));
}

/* ----------------------------------------------------------------- first step */

/* A first step to try, and the sizes of components at times. */
static void choose_first_step(zi_stepper *s, const zi_tableau *pair)
{
    bool first = s->h == 0.0, sized = s->settings.sized;
    zi_places p = zi_find_places(s, pair);
    zi_about_start about = {zi_row(s, 0), p.mask, p.argument, zi_row(s, 1), p.weight, pair->order};
    if (first) {
        double h = s->settings.step;
        if (!(h > 0.0)) h = zi_guess_step(s, &about);
        double least = zi_shortest_step(s);
        s->h = h > least ? h : least;
    }
    if (!sized || (!first && !zi_floors_due(s->counts.steps))) return;
    zi_find_stepper_floors(s, zi_row(s, 0), s->h);
}

/* Afterwards stage 0 is f(t, y), and s->h is a step to try. */
static zw_status prepare_step(zi_stepper *s, const zi_tableau *pair)
{
    if (!s->first_known) zi_settle_start(s, zi_find_places(s, pair).projected);
    double *last = zi_row(s, zi_last_row(pair));
    if (!s->first_known) ZB_TRY(zi_finite_rates(s, s->t, s->y, last));
    s->first_known = true;
    zi_copy(s, zi_row(s, 0), last);
    choose_first_step(s, pair);
    return ZW_OK;
}

/* ------------------------------------------------------------------- one try */

/* Projects a copy of y_new; `error` becomes the larger of the two. */
static zw_status project_end(zi_stepper *s, const zi_places *p, double t_new, double *error)
{
    zi_copy(s, p->projected, p->y_new);
    ZB_TRY(s->system.project(s->system.user, t_new, p->projected));
    double moved = zi_mean_root(s, zi_square_difference(s, p->weight, p->projected, p->y_new));
    if (!(moved <= *error)) *error = moved;
    return ZW_OK;
}

/* Rounding excuses an error of at most this many tolerances. */
static const double most_rounding = 1e3;

/* The error that a step may have: 1 or, of careful stages, what their rounding explains. */
static double find_allowed_error(const zi_stepper *s, const zi_tableau *pair, double h)
{
    const zi_system *x = &s->system;
    if (!x->careful || !*x->careful) return 1.0;
    double speed = zi_mean_root(
        s, zi_squares(s, zi_find_places(s, pair).weight, zi_row(s, zi_twin_row(pair))));
    double rounding = 10.0 * h * *x->noise * speed;
    if (rounding > most_rounding) rounding = most_rounding;
    return rounding > 1.0 ? rounding : 1.0;
}

/* One attempt up to t_new. *end becomes the new state, or stays NULL when the error is too large:
 * more than what is allowed and than `excused`. */
static zw_status attempt_step(zi_stepper *s, const zi_tableau *pair, double t_new, double excused,
                              double *error, const double **end)
{
    zi_places p = zi_find_places(s, pair);
    double *last = zi_row(s, zi_last_row(pair)), h = t_new - s->t;
    if (s->system.noise) *s->system.noise = 0.0;
    ZB_TRY(s->method->pair->attempt[s->wide](s, h, error));
    double most = find_allowed_error(s, pair, h);
    if (excused > most) most = excused;
    if (!(*error <= most)) return *error < DBL_MAX ? ZW_OK : ZW_ERR_NOT_FINITE;
    if (!zi_finite(s, p.y_new)) return ZW_ERR_NOT_FINITE;
    const double *place = p.y_new;
    bool moved = false;
    if (s->system.project) {
        ZB_TRY(project_end(s, &p, t_new, error));
        if (!(*error <= most)) return *error < DBL_MAX ? ZW_OK : ZW_ERR_NOT_FINITE;
        place = p.projected;
        moved = memcmp(p.projected, p.y_new, (size_t)s->stride * sizeof(double)) != 0;
    }
    if (!pair->fsal || moved) ZB_TRY(zi_rates(s, t_new, place, last));
    if (!zi_finite(s, last)) return ZW_ERR_NOT_FINITE;
    *end = place;
    return ZW_OK;
}

/* ------------------------------------------------------------------ stiffness */

/* h |f(a) - f(b)| / |a - b| at two states of the same time estimates h times the largest
 * eigenvalue. Beyond the bound of stability often enough: stiff. Differences that are mostly
 * rounding say nothing. */
static void watch_stiffness(zi_stepper *s, const zi_tableau *pair, const double *end,
                            const double *argument, double h)
{
    const double *weight = zi_find_places(s, pair).weight, *last = zi_row(s, zi_last_row(pair)),
                 *twin = zi_row(s, zi_twin_row(pair));
    if (!(pair->stiff_bound > 0.0)) return;
    double top = zi_square_difference(s, weight, last, twin);
    double bottom = zi_square_difference(s, weight, end, argument);
    double noise = 100.0 * DBL_EPSILON / zi_find_scale(&s->settings).relative;
    if (!(bottom > noise * noise * s->system.counted)) return;
    if (h * h * top > pair->stiff_bound * pair->stiff_bound * bottom) {
        s->stiff_misses = 0;
        if (++s->stiff_hits >= zi_stiff_hits_needed) s->stiff = true;
    } else if (++s->stiff_misses >= zi_stiff_misses_needed) {
        s->stiff_hits = 0;
        s->stiff = false;
    }
}

/* -------------------------------------------------------------------- control */

/* x, but at least `low` and at most `high`. */
static double clamp_change(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* The next step after one of length h was accepted, by PI control; after a rejected attempt it does
 * not grow at once. */
static void control_accepted(zi_stepper *s, const zi_tableau *pair, double h, double error)
{
    double now = zb_log(error > zi_least_error ? error : zi_least_error);
    double change = zi_safety * zb_exp(pair->beta * s->error_old - pair->exponent * now);
    change = clamp_change(change, pair->shrink, s->rejected ? 1.0 : pair->grow);
    double next = h * change, least = zi_shortest_step(s);
    s->h = next > least ? next : least;
    s->error_old = now > zi_least_log_old ? now : zi_least_log_old;
    s->rejected = false;
}

/* The next attempt after one of length h was rejected: for its error (status ZW_OK), or for a
 * failure. A projection that refuses the place asks for another one, not for a much shorter
 * step. */
static void control_rejected(zi_stepper *s, const zi_tableau *pair, double h, zw_status status,
                             double error)
{
    double change = status == ZW_ERR_ACCURACY ? after_refusal : after_failure;
    if (status == ZW_OK)
        change = clamp_change(zi_safety * zb_exp(-pair->exponent * zb_log(error)), pair->shrink,
                              zi_safety);
    s->h = h * change;
    s->rejected = status != ZW_ERR_ACCURACY;
    s->counts.rejected++;
}

/* The step came to its limit: everything as before, without a step behind. */
static zw_status give_up_step(zi_stepper *s, const zi_tableau *pair, double h, zw_status status)
{
    s->rejected = false;
    zi_copy(s, zi_row(s, zi_last_row(pair)), zi_row(s, 0));
    zi_forget_step(s);
    s->h = h;
    return status != ZW_OK ? status : ZW_ERR_STEP;
}

/* ------------------------------------------------------------- near a singularity
 *
 * A stage that comes close to a singular configuration is full of noise. A shorter step brings
 * stages closer still, so an attempt that fails there is made again with the same length and every
 * stage on the constraints; what is left is rounding, and errors that rounding explains are
 * accepted. One stage may still be much too close: then slightly shorter steps are tried, whose
 * stages lie elsewhere, and the best of them is taken. */

static const double elsewhere = 0.87, most_excused = 1e6, soon_excused = 100.0, excused_at = 1e-10;
/* The noise from which on an error may be excused: what long chains have, for instance, is far
 * below it, and there an error is one, even if it does not fall evenly with h. */
static const double excusing_noise = 1e-9;
enum { most_tries = 8 };

/* What careful attempts of one step have come to. */
typedef struct tries {
    int count;
    double t_new, error; /* of the one with the smallest error */
    double excused;      /* its error, once it is made again */
} tries;

/* The best careful attempt is to be made again, and its error excused, if rates are noisy there. */
static void excuse_best(const zi_stepper *s, tries *x)
{
    bool noisy = s->system.noise && *s->system.noise > excusing_noise;
    x->excused = noisy && x->error < most_excused ? 10.0 * x->error : 0.0;
}

/* A careful attempt was rejected for its error: slightly shorter ones have their stages elsewhere.
 * When that makes it worse, the best of them is made again, as it is; as long as it is better, that
 * goes on, after some tries in the ordinary way. */
static void try_elsewhere(zi_stepper *s, tries *x, double t_new, double h, double error)
{
    bool better = error < x->error, many = ++x->count >= most_tries;
    double soon = soon_excused + excused_at / zi_find_scale(&s->settings).relative;
    if (better) {
        x->t_new = t_new;
        x->error = error;
    }
    if (!better || !many) s->h = elsewhere * h;
    if (!better && (many || x->error < soon)) excuse_best(s, x);
}

/* Attempts until one is accepted, or none will be. */
static zw_status find_accepted_step(zi_stepper *s, const zi_tableau *pair)
{
    double h_first = s->h;
    tries x = {.error = DBL_MAX};
    for (int32_t attempts = 1;; attempts++) {
        double t_new = x.excused > 0.0 ? x.t_new : zi_choose_end(s), h = t_new - s->t, error = 0.0;
        const double *end = NULL;
        zw_status status = attempt_step(s, pair, t_new, x.excused, &error, &end);
        if (status == ZW_OK && end) {
            watch_stiffness(s, pair, end, zi_find_places(s, pair).argument, h);
            zi_accept(s, t_new, end);
            if (error > 1.0 && error > s->counts.excused) {
                s->counts.excused = error;
                s->counts.excused_t = t_new;
            }
            control_accepted(s, pair, h, error < 1.0 ? error : 1.0);
            return ZW_OK;
        }
        if (status == ZW_OK && zi_should_be_careful(s)) {
            zi_set_careful(s, true);
            s->counts.rejected++;
            continue;
        }
        control_rejected(s, pair, h, status, error);
        if (x.excused > 0.0)
            x = (tries){.error = DBL_MAX}; /* not that one, then */
        else if (status == ZW_OK && zi_is_careful(s))
            try_elsewhere(s, &x, t_new, h, error);
        else if (status == ZW_ERR_ACCURACY)
            excuse_best(s, &x);
        if (!(s->h > zi_shortest_step(s)) || attempts >= zi_most_attempts)
            return give_up_step(s, pair, h_first, status);
    }
}

/* `careful` is set only while a step is sought. */
zw_status zi_adapt_step(zi_stepper *s)
{
    const zi_tableau *pair = s->method->pair->tableau;
    ZB_TRY(prepare_step(s, pair));
    zi_set_careful(s, false);
    zw_status status = find_accepted_step(s, pair);
    zi_set_careful(s, false);
    return status;
}
