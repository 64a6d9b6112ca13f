/*
 * What is to be said about a run, as diagnostics: why it ended early (E07..), and what one should
 * know (W07.., R07..). The place of a failure is the state of the evaluation that failed last,
 * which the run has kept.
 */
#include <math.h>
#include <string.h>

#include "run.h"

enum { every_part = ZR_BAD_LEVEL | ZR_BAD_ROWS | ZR_BAD_DYNAMICS | ZR_BAD_NONIDEAL };

static void add_time(zb_text *text, const char *before, double t)
{
    zb_text_add(text, before);
    zr_text_short(text, t);
}

/* Reports and empties the text. */
static zw_status tell(zw_sim *sim, zr_message message, zb_text *text)
{
    zw_status status = zr_report(sim->model, &message, text);
    zb_text_free(text);
    return status;
}

static zb_text new_text(const zw_sim *sim)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    return text;
}

/* --------------------------------------------------------------------- the step */

/* How far ahead a probe looks, as a part of the time that has passed. */
static double ahead_by(const zw_sim *sim, double part)
{
    return part * fmax(fabs(sim->t), 1e-3 * (sim->t - sim->run->record.start_t));
}

/* The row that is off most for its terms when the motion goes on as it is for a moment; -1: none is
 * by more than a thousandth. order: 0 holonomic rows themselves, 1 rates. */
static int32_t off_ahead(zw_sim *sim, double part, int32_t order)
{
    zr_motion *run = sim->run;
    int32_t m = sim->zm->m, which = -1;
    double later = ahead_by(sim, part), most = 1e-3;
    for (int32_t i = 0; i < sim->zm->n; i++) run->step.z[i] = sim->q[i] + later * sim->v[i];
    zk_source s = zr_source(sim, sim->t + later, run->step.z, sim->v);
    zr_evaluate_levels(sim, &s);
    for (int32_t i = 0; i < m; i++) {
        const double *level = sim->level + (size_t)order * (size_t)m + i;
        zm_row_kind kind = zm_row_kind_of(sim->zm, i);
        double value = fabs(level[0]), size = fmax(level[2 * m], value);
        if (kind == ZM_ACCELERATION || (order == 0 && kind != ZM_HOLONOMIC)) continue;
        if (!(value > most * size)) continue;
        most = value / size;
        which = i;
    }
    return which;
}

/* A row that jumps (*order 0) or whose rate does (1): what it is off by does not go back as one
 * looks less far ahead. -1: none. */
static int32_t jumping(zw_sim *sim, int32_t *order)
{
    int32_t m = sim->zm->m;
    for (*order = 0; *order < 2; ++*order) {
        int32_t row = off_ahead(sim, 1e-9, *order);
        if (row < 0) continue;
        double far = fabs(sim->level[*order * m + row]);
        (void)off_ahead(sim, 1e-12, *order);
        if (fabs(sim->level[*order * m + row]) > 0.5 * far) return row;
    }
    return -1;
}

/* The row that is farthest off at a state, beyond rounding; -1: none. order: 0 the row itself, 1
 * its rate. */
static int32_t farthest(zw_sim *sim, const zk_source *s, int32_t *order, double *off)
{
    int32_t m = sim->zm->m, which = -1;
    *off = 0.0;
    zr_evaluate_levels(sim, s);
    for (int32_t k = 0; k < 2 * m; k++) {
        double value = fabs(sim->level[k]), size = sim->level[2 * m + k];
        bool given = zm_row_kind_of(sim->zm, k % m) == ZM_HOLONOMIC || k >= m;
        if (!given || !(value > 1e-9 * size) || !(value > *off)) continue;
        which = k % m;
        *order = k / m;
        *off = value;
    }
    return which;
}

/* The coordinate whose velocity changes fastest for its size, -1 when nothing is known. */
static int32_t fastest(zw_sim *sim, double *rate)
{
    zr_motion *run = sim->run;
    int32_t which = -1;
    double most = 0.0;
    if (zr_sim_acceleration(sim, sim->t, sim->q, sim->v, run->step.z) != ZW_OK) return -1;
    for (int32_t i = 0; i < sim->zm->n; i++) {
        double speed = fabs(run->step.z[i]) / (1.0 + fabs(sim->v[i]));
        if (!(speed > most)) continue;
        most = speed;
        which = i;
        *rate = run->step.z[i];
    }
    return which;
}

/* There is no way back onto the constraints. off 0: the row ends there. */
static zw_status tell_off(zw_sim *sim, int32_t row, int32_t order, double off)
{
    zb_text text = new_text(sim);
    add_time(&text, "at t = ", sim->t);
    zb_text_add(&text, " the motion cannot be kept on its constraints: ");
    if (off > 0.0 && order == 1) zb_text_add(&text, "the rate of ");
    zr_text_row(sim->model, row, &text);
    if (off > 0.0)
        add_time(&text, " is off by ", off);
    else
        zb_text_add(&text, " does not hold beyond it");
    return tell(sim,
                (zr_message){.code = "E0706",
                             .place = zr_row_place(sim->model, row),
                             .help = "the constraint may end there, or contradict others: stop "
                                     "before it by `when`, or change the constraint"},
                &text);
}

/* A moment later, where the motion stands: does an expression, the inertia or a constraint end
 * there? *said: it was reported. */
static zw_status tell_what_ends(zw_sim *sim, bool *said)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n, order = 0;
    double later = sim->t + ahead_by(sim, 1e-6), off = 0.0, *q = run->step.stage, *v = run->step.stage + n;
    int64_t rounds = sim->solver->rounds;
    memcpy(q, sim->q, sizeof *q * (size_t)n);
    memcpy(v, sim->v, sizeof *v * (size_t)n);
    zk_source s = zr_source(sim, later, q, v);
    *said = true;
    run->ending.failed_t = sim->t;
    zw_status status = zr_report_bad(sim, &s, every_part);
    if (status != ZW_OK) return status == ZW_ERR_NOT_FINITE ? ZW_OK : status;
    status = zr_factor_at(sim, &s);
    if (status == ZW_ERR_INDEFINITE || status == ZW_ERR_UNDETERMINED) {
        status = zr_report_factor(sim, &s, status);
        return zr_is_memory(status) ? status : ZW_OK;
    }
    status = zr_project(sim, &run->solving, later, q, v, false);
    sim->solver->rounds = rounds;
    int32_t row = status == ZW_ERR_ACCURACY ? farthest(sim, &s, &order, &off) : -1;
    if (row >= 0) return tell_off(sim, row, 0, 0.0);
    *said = false;
    return ZW_OK;
}

static zw_status tell_step(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double rate = 0.0;
    bool said = false;
    int32_t order = 0;
    ZB_TRY(tell_what_ends(sim, &said));
    if (said) return ZW_OK;
    bool singular = run->step.bad_start || run->step.bad_end;
    int32_t row = singular ? -1 : jumping(sim, &order), i = fastest(sim, &rate);
    zb_text text = new_text(sim);
    add_time(&text, "at t = ", sim->t);
    zb_text_add(&text, " the step size fell under its limit");
    if (singular) {
        zb_text_add(&text, " close to a singular configuration, where constraints depend on each "
                           "other");
    } else if (row >= 0) {
        zb_text_add(&text, order == 0 ? ": " : ": the rate of ");
        zr_text_row(sim->model, row, &text);
        zb_text_add(&text, " jumps there");
    } else if (i >= 0) {
        zb_text_add(&text, ": ");
        zr_text_coordinate(sim->model, i, 1, &text);
        add_time(&text, " = ", sim->v[i]);
        add_time(&text, " changes fastest, at a rate of ", rate);
    }
    zr_message message = {
        .code = "E0701",
        .place = row >= 0 ? zr_row_place(sim->model, row) : zr_nowhere,
        .help = "the motion may end there (a singularity, a jump in a force): stop before it by "
                "`when`, write jumps as events, or loosen the tolerance"};
    if (singular)
        message.help = "loosen the tolerance, so that a step can pass it, or stop before it by "
                       "`when`";
    else if (row >= 0)
        message.help = "a motion has no jumps: write a smooth function instead, or an event that "
                       "sets new values";
    else if (run->stats.stiff && !run->stats.switched)
        message.help = "the motion is stiff there: try --method bdf";
    return tell(sim, message, &text);
}

/* --------------------------------------------------------------- the evaluation */

/* The event that fired where the run ended, -1: none. */
static int32_t event_there(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    int32_t last = run->events.fired_count - 1;
    if (last < 0 || run->events.last_fired < sim->t) return -1;
    return run->stats.events > zr_most_fired ? run->events.last_event : run->events.fired[last].event;
}

/* The values that an event sets are not finite, or there is no state on the constraints near them.
 */
static zw_status tell_reset(zw_sim *sim, int32_t event, const char *code, const char *what)
{
    zb_text text = new_text(sim);
    add_time(&text, "at t = ", sim->t);
    zb_text_add(&text, " the values that `");
    zr_text_event(sim->model, event, &text);
    zb_text_printf(&text, "` sets %s", what);
    return tell(sim,
                (zr_message){.code = code,
                             .place = sim->zm->events[event].place,
                             .help = "look at its right sides with the state of the last row"},
                &text);
}

/* The motion itself is finite, yet something computed from it is not. */
static zw_status tell_range(zw_sim *sim)
{
    int32_t n = sim->zm->n, which = 0;
    double most = 0.0;
    for (int32_t i = 0; i < 2 * n; i++) {
        double value = i < n ? sim->q[i] : sim->v[i - n];
        if (!(fabs(value) > fabs(most))) continue;
        most = value;
        which = i;
    }
    zb_text text = new_text(sim);
    zr_text_when(sim, &text);
    zb_text_add(&text, " numbers grow beyond what double precision holds: ");
    zr_text_coordinate(sim->model, which % n, which / n, &text);
    add_time(&text, " = ", most);
    return tell(
        sim,
        (zr_message){.code = "E0702",
                     .place = zr_nowhere,
                     .help = "the motion may run away: look at the last rows of the output"},
        &text);
}

static zw_status tell_not_finite(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    bool kept = run->ending.failed_t >= sim->t; /* the evaluation that failed */
    int32_t event = kept ? -1 : event_there(sim);
    if (event >= 0) return tell_reset(sim, event, "E0702", "are infinite or not numbers");
    if (!kept) {
        run->ending.failed_t = sim->t;
        memcpy(run->ending.failed_q, sim->q, sizeof *sim->q * n);
        memcpy(run->ending.failed_v, sim->v, sizeof *sim->v * n);
    }
    zk_source s = zr_source(sim, run->ending.failed_t, run->ending.failed_q, run->ending.failed_v);
    zw_status status = zr_report_bad(sim, &s, every_part);
    if (status == ZW_ERR_NOT_FINITE) return ZW_OK; /* it was found, and said */
    return status != ZW_OK ? status : tell_range(sim);
}

/* Singular, indefinite, beyond range, not accurate. */
static zw_status tell_unsolvable(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zk_source s = zr_source(sim, run->ending.failed_t, run->ending.failed_q, run->ending.failed_v);
    double off = 0.0;
    int32_t order = 0;
    zw_status factored = zr_factor_at(sim, &s);
    int32_t row = factored == ZW_OK ? farthest(sim, &s, &order, &off) : -1;
    if (row >= 0 && run->ending.failure == ZW_ERR_ACCURACY) return tell_off(sim, row, order, off);
    if (factored == ZW_OK) {
        bool said = false;
        ZB_TRY(tell_what_ends(sim, &said));
        if (said) return ZW_OK;
    }
    zw_status why = factored != ZW_OK ? factored : run->ending.failure;
    if (why == ZW_ERR_NOT_FINITE) return tell_not_finite(sim);
    if (factored != ZW_OK) {
        zw_status status = zr_report_factor(sim, &s, why);
        return zr_is_memory(status) ? status : ZW_OK;
    }
    zb_text text = new_text(sim);
    zb_text_add(&text, "the equations cannot be solved ");
    zr_text_when(sim, &text);
    zb_text_printf(&text, ": %s", zb_status_sentence(why));
    return tell(sim, (zr_message){.code = "E0703", .place = zr_nowhere}, &text);
}

/* ------------------------------------------------------------ limits and events */

static zw_status tell_limit(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zb_text text = new_text(sim);
    zb_text_add(&text, "the limit of ");
    zb_text_int(&text, run->settings.max_steps);
    add_time(&text, " steps is reached at t = ", sim->t);
    if (!isnan(run->settings.until)) add_time(&text, " of ", run->settings.until);
    return tell(sim,
                (zr_message){.code = "E0704",
                             .place = zr_nowhere,
                             .help = "allow more by --max-steps, or loosen the tolerance"},
                &text);
}

static void add_event(const zw_sim *sim, int32_t event, zb_text *text)
{
    zb_text_char(text, '`');
    zr_text_event(sim->model, event, text);
    zb_text_char(text, '`');
}

static zw_status tell_chatter(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    int32_t a = run->events.chatter[0], b = run->events.chatter[1];
    zb_text text = new_text(sim);
    add_event(sim, a, &text);
    if (a != b) zb_text_add(&text, " and ");
    if (a != b) add_event(sim, b, &text);
    zb_text_add(&text, a != b ? " fire in turn" : " fires again and again");
    zb_text_add(&text, " without time going on");
    add_time(&text, ": the events accumulate at t = ", run->events.chatter_t);
    return tell(
        sim,
        (zr_message){.code = "E0705",
                     .place = sim->zm->events[b].place,
                     .help = "stop where the motion between two events has become small, or change "
                             "conditions that undo each other"},
        &text);
}

static zw_status tell_failure(zw_sim *sim)
{
    int32_t event = sim->run->events.resetting ? event_there(sim) : -1;
    if (event >= 0 && sim->run->ending.failure == ZW_ERR_ACCURACY)
        return tell_reset(sim, event, "E0706", "cannot be brought onto the constraints");
    switch (sim->run->ending.failure) {
    case ZW_OK:
        return ZW_OK;
    case ZW_ERR_MEMORY:
    case ZW_ERR_BUDGET:
        return sim->run->ending.failure;
    case ZW_ERR_STEP:
        return tell_step(sim);
    case ZW_ERR_NOT_FINITE:
        return tell_not_finite(sim);
    case ZW_ERR_LIMIT:
        return tell_limit(sim);
    case ZW_ERR_CHATTER:
        return tell_chatter(sim);
    default:
        return tell_unsolvable(sim);
    }
}

/* ---------------------------------------------------------- what one should know */

static zw_status tell_stiff(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    if (!run->stats.stiff || run->stats.switched) return ZW_OK;
    zb_text text = new_text(sim);
    add_time(&text, "from t = ", run->stats.first_stiff);
    zb_text_printf(&text,
                   " the motion is stiff: %s makes many small steps that only its stability needs",
                   zb_method_name(run->settings.method));
    return tell(sim,
                (zr_message){.code = "W0711",
                             .place = zr_nowhere,
                             .help = "use --method bdf, or auto, which changes to it by itself"},
                &text);
}

/* Where a run was left, or came to its limit: so small against the ones before that the rest is
 * out of reach. */
static zw_status tell_small_steps(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zi_stepper *step = run->step.stepper;
    double h = step->t - step->t_old, left = run->settings.until - sim->t;
    bool ended = run->events.stopped || (run->ending.failure != ZW_OK && run->ending.failure != ZW_ERR_LIMIT);
    bool small = h > 0.0 && h < 1e-5 * step->counts.largest && left > 1e6 * h;
    if (ended || run->stats.stiff || !small) return ZW_OK;
    zb_text text = new_text(sim);
    zb_text_add(&text, "the steps have become very small, ");
    zr_text_digits(&text, h, 2);
    add_time(&text, " at t = ", sim->t);
    zb_text_add(&text, ": what is left would take some ");
    zr_text_digits(&text, left / h, 1);
    zb_text_add(&text, " steps");
    return tell(sim,
                (zr_message){.code = "W0715",
                             .place = zr_nowhere,
                             .help = "a force that switches back and forth (sign, if) does that: "
                                     "smooth it, as in tanh(v/1e-3), or stop there by `when`"},
                &text);
}

static zw_status tell_conflict(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    if (isnan(run->stats.first_inconsistent)) return ZW_OK;
    zb_text text = new_text(sim);
    int32_t last = zr_text_conflict(sim, &text);
    add_time(&text, " ask for accelerations that contradict each other from t = ",
             run->stats.first_inconsistent);
    add_time(&text, " on, by at most ", run->stats.inconsistency);
    zb_text_add(&text, ": the motion satisfies them in the sense of least squares");
    return tell(sim,
                (zr_message){.code = "W0712",
                             .place = last >= 0 ? zr_row_place(sim->model, last) : zr_nowhere,
                             .help = "if that was not meant, leave one of them out; `weight` says "
                                     "how much each counts"},
                &text);
}

static zw_status tell_rank(zw_sim *sim)
{
    const zw_run_statistics *s = &sim->run->stats;
    if (s->rank_changes == 0) return ZW_OK;
    zb_text text = new_text(sim);
    zb_text_printf(&text, "the rank of the constraints, %d almost everywhere, changed at ",
                   (int)sim->run->solving.generic_rank);
    zb_text_int(&text, s->rank_changes);
    zb_text_add(&text, s->rank_changes == 1 ? " step" : " steps");
    add_time(&text, ", first at t = ", s->first_rank_change);
    zb_text_add(&text, ": a singular configuration that the motion went through");
    return tell(sim,
                (zr_message){.code = "R0713",
                             .place = zr_nowhere,
                             .help = "where a mechanism can branch there, compare with a run of "
                                     "smaller tolerance"},
                &text);
}

static zw_status tell_switch(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    if (!run->stats.switched) return ZW_OK;
    zb_text text = new_text(sim);
    add_time(&text, "the method auto changed to bdf at t = ", run->stats.first_stiff);
    zb_text_add(&text, ", where the motion is stiff");
    return tell(sim, (zr_message){.code = "R0714", .place = zr_nowhere}, &text);
}

zw_status zr_sim_conclude(zw_sim *sim)
{
    if (!zr_has_run(sim)) return ZW_ERR_ORDER;
    sim->failed_t = sim->run->ending.failure != ZW_OK ? &sim->run->ending.failed_t : NULL;
    zw_status told = tell_failure(sim);
    sim->failed_t = NULL;
    ZB_TRY(told);
    ZB_TRY(tell_stiff(sim));
    ZB_TRY(tell_small_steps(sim));
    ZB_TRY(tell_conflict(sim));
    ZB_TRY(tell_rank(sim));
    ZB_TRY(tell_switch(sim));
    return zr_tell_kernel(sim);
}
