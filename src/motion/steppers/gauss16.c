/*
 * gauss16: Gauss collocation of order 16, its 8 stages side by side.
 *
 * A step from (q, v) of length h, Z the accelerations at 8 times of it:
 *
 *     Z <- the polynomial of the last step, further on; at first z(q, v)
 *     repeat:  V = v + h A Z,  Q = q + h c v + h^2 A A Z,  Z <- z(Q, V, t + c h)       a *sweep*
 *     q += h v + h^2 b A Z,  v += h b Z                                   by compensated sums
 *     onto the constraints; the energy held, where the system does so
 *
 * Sweeps end where, by their rate of contraction, the next would change nothing but rounding, or,
 * for larger tolerances, far less than these. They fail where they do not contract: the step
 * is made shorter. What is no position has V = v + h A Z alone; sums ride along.
 *
 * The *tail* is the top Legendre coefficient of h Z in sizes of components (sizes.c). The error of
 * a step falls with about its 16/7-th power, so that at a goal of some 1e-8 truncation is below
 * rounding: that is as good as no tolerance, and larger ones allow larger tails.
 *
 *     h <- h (goal/tail)^(1/7), where that changes much: constant steps extrapolate best
 *
 * settings.step > 0: steps of that length, shorter only where sweeps fail.
 *
 * Times do not gather rounding: h is what two times really differ by.
 */
#include "gauss16.h"

#include <float.h>
#include <string.h>

#include "pair.h"
#include "tableau_gauss16.h"

/* Tails: for tolerances up to `tight` the least, then rising with a power of them, near the 7/16
 * with which errors rise as tolerances do. */
static const double least_goal = 3e-8, most_goal = 2e-4, tight = 1e-13, goal_power = 0.45;
/* A tail of so many goals is too much. */
static const double most_tail = 12.0;
/* Roughness that is always allowed; from coefficients 3 and 4 to 6 and 7 a smooth motion falls to
 * this at least. */
static const double least_rough = 1e-14, falling = 0.05;
/* Changes of the step within these are not made. */
static const double still_good = 0.85, worth_it = 1.25, safety = 0.93, shrink = 0.4, grow = 1.5;
static const double after_failing_sweeps = 0.6, after_bad_end = 0.6, after_bad_rates = 0.25;
/* Sweeps: rounding of h Z; a change that no longer falls is rounding, too, up to `stalled` of it or,
 * where h Z is small, of the state (10 units in its last place). What h Z is at least, in sizes. Of
 * the tolerance, what may be left. */
static const double settled = 2.3e-16, stalled = 200.0 * DBL_EPSILON, least_size = 1e-3,
                    least_stalled = 0.05, left_over = 1e-2, contracting = 0.2;
enum { most_sweeps = 30, sweeps_to_contract = 5, many_sweeps = 16, enough_sweeps = 12 };
/* Where tails would allow steps so much longer, and sweeps do not, the motion looks stiff. */
static const double looks_stiff = 3.0;
/* A step is left to dop853 where sweeps have failed so often, or it has become so much shorter. */
enum { most_failed = 3 };
static const double shortest_part = 1e-10;
/* Steps of dop853 then, and where the motion looks stiff. */
static const double bridge_failed = 4.0, bridge_stiff = 64.0, still_stiff = 32.0;
/* Steps whose predictors may share one table. */
static const double same_ratio = 1e-6;
/* The projection may move a state so far, in sizes: this, or the tolerance. */
static const double most_moved = 1e-13;

/* ------------------------------------------------------------------------ open */

void zi_legendre(double x, int32_t count, double *p)
{
    /* 1 - 1/k */
    static const double part[] = {0.0,       0.0,       1.0 / 2,   2.0 / 3,   3.0 / 4,   4.0 / 5,
                                  5.0 / 6,   6.0 / 7,   7.0 / 8,   8.0 / 9,   9.0 / 10,  10.0 / 11,
                                  11.0 / 12, 12.0 / 13, 13.0 / 14, 14.0 / 15, 15.0 / 16, 16.0 / 17};
    double z = 2.0 * x - 1.0;
    p[0] = 1.0;
    if (count > 1) p[1] = z;
    for (int32_t k = 2; k < count; k++) p[k] = z * p[k - 1] + part[k] * (z * p[k - 1] - p[k - 2]);
}

const zi_sweep_functions *zi_find_sweep_functions(void)
{
#if defined(ZI_HAVE_X86)
    zb_cpu_level level = zb_cpu();
    if (level == ZB_CPU_AVX512) return &zi_sweep_functions_avx512;
    if (level != ZB_CPU_PLAIN) return &zi_sweep_functions_avx2;
#endif
    return &zi_sweep_functions_plain;
}

/* What tails are to be. */
static double find_goal(double tol)
{
    if (tol <= tight) return least_goal;
    double goal = least_goal * zb_exp(goal_power * zb_log(tol / tight));
    return goal < most_goal ? goal : most_goal;
}

/* t and y are others: no polynomial, no carries. */
static zw_status gauss_restart(zi_stepper *s)
{
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    x->known = x->left = x->wait = 0.0;
    memset(zi_row(s, zi_at_carry), 0, sizeof(double) * (size_t)s->stride);
    return ZW_OK;
}

static zw_status gauss_open(zi_stepper *s)
{
    size_t numbers = sizeof(zi_gauss_numbers) / sizeof(double), stride = (size_t)s->stride;
    ZB_TRY(zi_open_bridge(s));
    ZB_TRY(zi_take_rows(s, zi_at_numbers + (int32_t)((numbers + stride - 1) / stride)));
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    x->goal = find_goal(s->settings.tol);
    for (int32_t j = 0; j < zi_gauss_stages; j++) {
        double p[zi_gauss_stages];
        zi_legendre(zi_gauss_c[j], zi_gauss_stages, p);
        for (int32_t k = 0; k < zi_gauss_stages; k++)
            x->legendre[8 * k + j] = (2.0 * k + 1.0) * zi_gauss_b[j] * p[k];
        double *column = x->legendre + j,
               sums[] = {zi_gauss_b[j], zi_gauss_b_rest[j], zi_gauss_bA[j], zi_gauss_bA_rest[j],
                         column[8 * 3], column[8 * 4],      column[8 * 6],  column[8 * 7]};
        memcpy(x->ending + 8 * j, sums, sizeof sums);
    }
    return gauss_restart(s);
}

/* ---------------------------------------------------------------------- stages */

zi_sweep zi_gauss_sweep(const zi_stepper *s, double h)
{
    const zi_system *x = &s->system;
    return (zi_sweep){.stride = s->stride,
                      .half = x->half,
                      .controlled = x->controlled,
                      .size = x->size,
                      .width = x->stages ? x->stage_width : 1,
                      .h = h,
                      .y = s->y,
                      .carry = zi_row(s, zi_at_carry),
                      .weight = zi_row(s, zi_at_shares),
                      .Z = zi_row(s, zi_at_stages),
                      .argument = zi_row(s, zi_at_arguments),
                      .ending = zi_gauss_numbers_of(s)->ending};
}

zw_status zi_stage_rates(zi_stepper *s, bool first, const double *t, zi_sweep *x)
{
    const zi_system *system = &s->system;
    double *y = x->argument, *dy = zi_row(s, zi_at_stage_rates);
    zw_status status = ZW_OK;
    x->rates = dy;
    if (system->stages) {
        s->counts.evaluations += zi_gauss_stages;
        status = system->stages(system->user, first, t, y, &dy);
        x->rates = dy;
        return status;
    }
    for (int32_t l = 0; l < zi_gauss_stages && status == ZW_OK; l++) {
        size_t at = (size_t)l * (size_t)s->stride;
        s->stage = l + 1;
        status = zi_rates(s, t[l], y + at, dy + at);
    }
    s->stage = 0;
    return status;
}

/* Z at first: further along the polynomial of the step before, or f(t, y) at all stages. */
static void predict_stages(const zi_stepper *s, const zi_sweep *sweep)
{
    const zi_sweep_functions *functions = zi_find_sweep_functions();
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    double *Z = sweep->Z;
    const double *f = zi_row(s, zi_at_first);
    if (x->known == 0.0) {
        for (int32_t i = s->system.half; i < s->system.size; i++)
            for (int32_t l = 0; l < zi_gauss_stages; l++) Z[8 * (size_t)i + (size_t)l] = f[i];
        return;
    }
    double ratio = sweep->h / x->h;
    if (!(zb_abs(ratio - x->ratio) <= same_ratio * ratio)) {
        functions->extrapolate(x->legendre, 1.0, ratio, x->ahead);
        x->ratio = ratio;
    }
    functions->predict(sweep, x->ahead, zi_row(s, zi_at_before));
}

/* Z of an attempt of length h, whose tail was too large, to a shorter one. */
static void shorten_stages(const zi_stepper *s, const zi_sweep *sweep, double h)
{
    const zi_sweep_functions *functions = zi_find_sweep_functions();
    double table[8 * 8];
    functions->extrapolate(zi_gauss_numbers_of(s)->legendre, 0.0, sweep->h / h, table);
    functions->predict(sweep, table, sweep->Z);
}

/* ---------------------------------------------------------------------- sweeps */

/* What has come of the stages of an attempt. */
typedef struct gauss_attempt {
    double h, tail, size; /* size: of h Z */
    double high;          /* the larger of the last two coefficients */
    double rough;         /* what coefficients beyond the tail would leave, by how they fall */
    int32_t sweeps;
    bool contracts; /* false: sweeps have not */
} gauss_attempt;

/* Whether Z is as good as it gets, or as it needs to be. */
static bool are_stages_settled(const zi_stepper *s, zi_sweep_change x, double before, bool first)
{
    double size = x.size > least_size ? x.size : least_size;
    if (x.change <= settled * size) return true;
    if (first) return false;
    double rate = x.change / before;
    if (rate >= 1.0) {
        double noise = s->system.noise ? 100.0 * *s->system.noise : 0.0;
        if (size < least_stalled) size = least_stalled;
        return x.change <= (noise > stalled ? noise : stalled) * size;
    }
    double left = s->settings.tol > tight ? left_over * s->settings.tol : settled;
    return rate < contracting && x.change * rate <= left * size;
}

/* Sweeps until Z settles, or they fail. */
static zw_status sweep_stages(zi_stepper *s, zi_sweep *x, gauss_attempt *a)
{
    const zi_sweep_functions *sweep = zi_find_sweep_functions();
    double before = DBL_MAX, t[zi_gauss_stages];
    for (int32_t l = 0; l < zi_gauss_stages; l++) t[l] = s->t + zi_gauss_c[l] * x->h;
    a->contracts = false;
    for (a->sweeps = 1; a->sweeps <= most_sweeps; a->sweeps++) {
        sweep->place(x);
        ZB_TRY(zi_stage_rates(s, a->sweeps == 1, t, x));
        zi_sweep_change found = sweep->take(x);
        a->size = found.size;
        a->contracts = are_stages_settled(s, found, before, a->sweeps == 1);
        if (a->contracts) return ZW_OK;
        bool grows = found.change > before, late = a->sweeps > sweeps_to_contract;
        if (found.change != found.change) return ZW_ERR_NOT_FINITE;
        if (!(found.change < 1e10) || (grows && (late || found.change > 1e3 * before)))
            return ZW_OK;
        before = found.change;
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------- one try */

/* Coefficients of a smooth motion fall by the same factor each, and those of a jump hardly at all:
 * number 16 is about that of 7 times the third power of its ratio to that of 4. */
static double find_roughness(const zi_tail *tail)
{
    if (!(tail->high < falling * tail->low)) return tail->high;
    double ratio = tail->high / tail->low;
    return tail->high * ratio * ratio * ratio;
}

/* Whether the tail is too large, or the motion too rough for so long a step: a force that jumps, or
 * has a bend, inside of it. */
static bool is_too_long(const zi_stepper *s, const gauss_attempt *a)
{
    double tol = s->settings.tol;
    if (a->tail > most_tail * zi_gauss_numbers_of(s)->goal) return true;
    return a->rough > (tol > least_rough ? tol : least_rough);
}

/* Projects a copy of y_new, whose carries stay; whether it is near enough. */
static zw_status bring_end(zi_stepper *s, double t_new, bool *near)
{
    const double *y = zi_row(s, zi_at_end), *share = zi_row(s, zi_at_shares);
    double *to = zi_row(s, zi_at_brought), moved = 0.0, most = s->settings.tol;
    zi_copy(s, to, y);
    ZB_TRY(s->system.project(s->system.user, t_new, to));
    if (!zi_finite(s, to)) return ZW_ERR_NOT_FINITE;
    for (int32_t i = 0; i < s->system.controlled; i++) {
        double way = zb_abs(to[i] - y[i]) * share[i];
        if (way > moved) moved = way;
    }
    *near = moved <= (most > most_moved ? most : most_moved);
    return ZW_OK;
}

/* How far rates at both ends of the step are from the polynomial of the stages, in sizes: h times
 * the larger. P_k is 1 at the end, and 1 or -1 at the beginning. */
static double find_gap(const zi_stepper *s, const zi_sweep *x)
{
    const double *first = zi_row(s, zi_at_first), *last = zi_row(s, zi_at_ahead);
    double gap = 0.0;
    for (int32_t i = x->half; i < x->controlled; i++) {
        const double *z = x->Z + 8 * (size_t)i;
        double end = 0.0, begin = 0.0;
        for (int32_t j = 0; j < zi_gauss_stages; j++) {
            end += zi_gauss_end[j] * z[j];
            begin += zi_gauss_end[zi_gauss_stages - 1 - j] * z[j];
        }
        double a = zb_abs(last[i] - end), b = zb_abs(first[i] - begin), most = a > b ? a : b;
        if (!(x->h * x->weight[i] * most <= gap)) gap = x->h * x->weight[i] * most;
    }
    return gap;
}

/* A force that jumps before the first stage, or behind the last, shows in the rates at the ends of
 * the step, where no stage is. *end becomes NULL: it is too long for that. */
static zw_status look_at_ends(zi_stepper *s, const zi_sweep *x, double t_new, gauss_attempt *a,
                              const double **end)
{
    const double unseen = 0.02, usual = 100.0;
    double tol = s->settings.tol > least_rough ? s->settings.tol : least_rough;
    ZB_TRY(zi_finite_rates(s, t_new, *end, zi_row(s, zi_at_ahead)));
    if (s->settings.step > 0.0) return ZW_OK;
    double gap = find_gap(s, x);
    if (unseen * gap <= tol || gap <= usual * a->high) return ZW_OK;
    a->rough = gap;
    *end = NULL;
    return ZW_OK;
}

/* The end of an attempt whose stages have settled. *end stays NULL where it is no good. */
static zw_status end_attempt(zi_stepper *s, const zi_sweep *x, double t_new, gauss_attempt *a,
                             const double **end)
{
    double *y = zi_row(s, zi_at_end);
    bool near = true;
    zi_tail tail = zi_find_sweep_functions()->end(x, y, zi_row(s, zi_at_carry_new));
    a->tail = tail.top;
    a->high = tail.high;
    a->rough = find_roughness(&tail);
    if (!zi_finite(s, y) || !(a->tail < DBL_MAX)) return ZW_ERR_NOT_FINITE;
    if (!(s->settings.step > 0.0) && is_too_long(s, a)) return ZW_OK;
    if (!s->system.project) {
        *end = y;
        return look_at_ends(s, x, t_new, a, end);
    }
    ZB_TRY(bring_end(s, t_new, &near));
    if (near) *end = zi_row(s, zi_at_brought);
    return near ? look_at_ends(s, x, t_new, a, end) : ZW_OK;
}

/* ------------------------------------------------------------------ preparation */

/* 1 or 0: which components count. */
static double *find_counted(const zi_stepper *s)
{
    return zi_find_places(s, zi_bridge_method()->pair->tableau).mask;
}

/* 1 over the sizes of components, as far as they count. */
static void find_shares(zi_stepper *s)
{
    zi_sizes z = zi_stepper_sizes(s);
    const double *counted = find_counted(s), *absolute = zi_absolute(s);
    double *share = zi_row(s, zi_at_shares), relative = zi_find_scale(&s->settings).relative;
    for (int32_t i = 0; i < s->system.controlled; i++) {
        double size =
            s->settings.sized ? absolute[i] / z.relative : absolute[i] / relative + zb_abs(s->y[i]);
        share[i] = counted[i] / size;
    }
}

/* The first step to try: what pairs of order 8 would, for a first step can grow. */
static void choose_first_step(zi_stepper *s)
{
    zi_about_start about = {zi_row(s, zi_at_first), find_counted(s),         zi_row(s, zi_at_end),
                            zi_row(s, zi_at_ahead), zi_row(s, zi_at_shares), 8};
    double h = s->settings.step, least = zi_shortest_step(s);
    if (!(h > 0.0)) h = zi_guess_step(s, &about);
    s->h = h > least ? h : least;
}

/* Afterwards s->h is a step to try, sizes are known, and what stages begin with is there. */
static zw_status prepare_step(zi_stepper *s)
{
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    bool due = s->settings.sized && (s->h == 0.0 || zi_floors_due(s->counts.steps));
    if (!s->first_known) zi_settle_start(s, zi_row(s, zi_at_brought));
    s->first_known = true;
    if (x->known == 0.0) ZB_TRY(zi_finite_rates(s, s->t, s->y, zi_row(s, zi_at_first)));
    if (s->h == 0.0) choose_first_step(s);
    if (due) zi_find_stepper_floors(s, zi_row(s, zi_at_first), s->h);
    if (s->settings.step > 0.0) s->h = s->settings.step;
    size_t bytes = sizeof(double) * 8 * (size_t)s->stride;
    if (x->known != 0.0) memcpy(zi_row(s, zi_at_before), zi_row(s, zi_at_stages), bytes);
    find_shares(s);
    return ZW_OK;
}

/* --------------------------------------------------------------------- control */

/* Steps that sweeps keep short, while tails would allow longer ones, look stiff: they are left to
 * dop853. Where they still do behind such a bridge the motion is stiff. */
static void watch_sweeps(zi_stepper *s, const gauss_attempt *a, double change)
{
    if (a->sweeps > enough_sweeps && change > looks_stiff) {
        s->stiff_misses = 0;
        s->stiff_hits++;
        return;
    }
    zi_praise_sweeps(s);
    if (++s->stiff_misses < zi_stiff_misses_needed) return;
    s->stiff_hits = 0;
    s->stiff = false;
}

/* (goal/tail)^(1/7), without a look where it changes nothing: 1. */
static double find_change(const zi_stepper *s, double tail)
{
    double goal = zi_gauss_numbers_of(s)->goal, least = DBL_MIN;
    if (tail * 4.76 >= goal && tail <= 3.12 * goal) return 1.0; /* 1.25^7, 0.85^-7 */
    return zb_exp(zb_log(goal / (tail > least ? tail : least)) / 7.0);
}

/* After a step of length a->h: the next. One that was cut short says only that a longer one would
 * be too long. */
static void control_accepted(zi_stepper *s, const gauss_attempt *a)
{
    double change = find_change(s, a->tail), h = a->h;
    bool cut = h < 0.9 * s->h;
    watch_sweeps(s, a, change);
    if (s->stiff_hits >= zi_stiff_hits_needed) {
        s->stiff = s->stiff || zi_gauss_numbers_of(s)->wait > still_stiff;
        zi_begin_bridge(s, bridge_stiff);
    }
    if (a->sweeps > enough_sweeps && change > 1.0) change = 1.0;
    if (a->sweeps > many_sweeps && change > 0.8) change = 0.8;
    if (s->rejected && change > 1.0) change = 1.0;
    s->rejected = false;
    if (cut && change * h >= s->h) return;
    if (!cut && change >= still_good && change <= worth_it) return;
    change *= safety;
    s->h = h * (change < shrink ? shrink : change > grow ? grow : change);
}

/* How much shorter the next attempt is. Z of a tail that was too large is kept for it. */
static void control_rejected(zi_stepper *s, const gauss_attempt *a, zw_status status, bool *keeps)
{
    double change = after_bad_rates;
    *keeps = false;
    s->counts.rejected++;
    s->rejected = status != ZW_ERR_ACCURACY;
    if (status == ZW_ERR_ACCURACY) change = after_bad_end;
    if (status == ZW_OK) change = after_failing_sweeps;
    if (status == ZW_OK && a->contracts) {
        double f = safety * find_change(s, a->tail);
        if (is_too_long(s, a))
            change = f < shrink ? shrink : f > after_failing_sweeps ? after_failing_sweeps : f;
        *keeps = true;
    }
    s->h = a->h * change;
}

/* The state, its carries and the polynomial of the step; the energy held. */
static void accept_step(zi_stepper *s, double t_new, const double *end, const gauss_attempt *a)
{
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    double *carry = zi_row(s, zi_at_carry);
    zi_copy(s, carry, zi_row(s, zi_at_carry_new));
    zi_copy(s, zi_row(s, zi_at_first), zi_row(s, zi_at_ahead));
    zi_accept(s, t_new, end);
    if (s->system.hold) s->system.hold(s->system.user, t_new, s->y, carry);
    x->known = 1.0;
    x->bridged = 0.0;
    x->h = a->h;
    control_accepted(s, a);
}

/* By dop853; where that fails, too, or the step was broken off, everything is as before, without a
 * step behind. */
static zw_status bridge_from_here(zi_stepper *s, double h, zw_status status)
{
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    double known = x->known, wait = x->wait;
    size_t bytes = sizeof(double) * 8 * (size_t)s->stride;
    if (status != ZW_ERR_LIMIT) {
        zi_begin_bridge(s, bridge_failed);
        status = zi_bridge_step(s);
        if (status == ZW_OK) return status;
    }
    if (known != 0.0) memcpy(zi_row(s, zi_at_stages), zi_row(s, zi_at_before), bytes);
    x->known = known;
    x->wait = wait;
    x->left = 0.0;
    s->first_known = true;
    s->rejected = false;
    s->h = h;
    zi_forget_step(s);
    return status;
}

/* Attempts until one is accepted, or it is left to dop853. */
static zw_status find_accepted_step(zi_stepper *s)
{
    double h_first = s->h, least = shortest_part * s->h;
    bool keeps = false;
    int32_t failed = 0;
    gauss_attempt a = {0};
    for (;;) {
        double t_new = zi_choose_end(s), before = a.h;
        const double *end = NULL;
        a = (gauss_attempt){.h = t_new - s->t};
        zi_sweep x = zi_gauss_sweep(s, a.h);
        if (s->system.noise) *s->system.noise = 0.0;
        if (keeps)
            shorten_stages(s, &x, before);
        else
            predict_stages(s, &x);
        zw_status status = sweep_stages(s, &x, &a);
        if (status == ZW_OK && a.contracts) status = end_attempt(s, &x, t_new, &a, &end);
        double noise = s->system.noise ? *s->system.noise : 0.0;
        bool noisy = noise > zi_much_noise;
        if (status == ZW_OK && end && !(noisy && noise * a.size > s->settings.tol)) {
            accept_step(s, t_new, end, &a);
            return ZW_OK;
        }
        control_rejected(s, &a, status, &keeps);
        if (status != ZW_OK || !a.contracts) failed++;
        if (status == ZW_ERR_LIMIT || noisy || failed >= most_failed || !(s->h > least))
            return bridge_from_here(s, h_first, status);
    }
}

static zw_status gauss_step(zi_stepper *s)
{
    if (zi_gauss_numbers_of(s)->left > 0.0) return zi_bridge_step(s);
    ZB_TRY(prepare_step(s));
    zi_set_careful(s, false);
    return find_accepted_step(s);
}

const zi_method zi_gauss16 = {.name = "gauss16",
                              .restores = true,
                              .takes_h = true,
                              .open = gauss_open,
                              .restart = gauss_restart,
                              .step = gauss_step,
                              .dense = zi_gauss_dense};
