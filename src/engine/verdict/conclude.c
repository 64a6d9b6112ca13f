/*
 * What is to be said about a run that is over, as diagnostics: why it ended early (E07..); what one
 * should know besides is in remarks.c. A failure is explained from the state of the evaluation that
 * failed last, which the run has kept (run->ending), and by looking a moment ahead of where the
 * motion ended.
 */
#include <math.h>
#include <string.h>

#include "actuate.h"
#include "conclude.h"
#include "trouble.h"

enum { every_part = ZR_BAD_LEVEL | ZR_BAD_ROWS | ZR_BAD_DYNAMICS | ZR_BAD_NONIDEAL | ZR_BAD_LAWS };

/* --------------------------------------------------------------------- the step */

/* How far ahead a probe looks, as a part of the time that has passed. */
static double ahead_by(const zw_sim *sim, double part)
{
    return part * fmax(fabs(sim->t), 1e-3 * (sim->t - sim->run->record.start_t));
}

/* A conflict keeps the row off, or has left it so: that does not end a run. */
static bool is_row_out(const zw_sim *sim, int32_t row)
{
    const zr_solving *solving = &sim->run->solving;
    return solving->any_out && solving->out[row];
}

/* The row that is off most for its terms when the motion goes on as it is for a moment; -1: none is
 * by more than a thousandth. order: 0 holonomic rows themselves, 1 rates. */
static int32_t find_off_ahead(zw_sim *sim, double part, int32_t order)
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
        if (is_row_out(sim, i) || !(value > most * size)) continue;
        most = value / size;
        which = i;
    }
    return which;
}

/* A row that jumps (*order 0) or whose rate does (1): what it is off by does not go back as one
 * looks less far ahead. -1: none. */
static int32_t find_jumping_row(zw_sim *sim, int32_t *order)
{
    int32_t m = sim->zm->m;
    for (*order = 0; *order < 2; ++*order) {
        int32_t row = find_off_ahead(sim, 1e-9, *order);
        if (row < 0) continue;
        double far = fabs(sim->level[*order * m + row]);
        (void)find_off_ahead(sim, 1e-12, *order);
        if (fabs(sim->level[*order * m + row]) > 0.5 * far) return row;
    }
    return -1;
}

/* The row that is farthest off at a state, beyond rounding; -1: none. order: 0 the row itself, 1
 * its rate. */
static int32_t find_farthest_off(zw_sim *sim, const zk_source *s, int32_t *order, double *off)
{
    int32_t m = sim->zm->m, which = -1;
    *off = 0.0;
    zr_evaluate_levels(sim, s);
    for (int32_t k = 0; k < 2 * m; k++) {
        double value = fabs(sim->level[k]), size = sim->level[2 * m + k];
        bool given = zm_row_kind_of(sim->zm, k % m) == ZM_HOLONOMIC || k >= m;
        if (!given || is_row_out(sim, k % m) || !(value > 1e-9 * size) || !(value > *off)) continue;
        which = k % m;
        *order = k / m;
        *off = value;
    }
    return which;
}

/* The coordinate whose velocity changes fastest for its size, -1 when nothing is known. */
static int32_t find_fastest_change(zw_sim *sim, double *rate)
{
    zr_motion *run = sim->run;
    int32_t which = -1;
    double most = 0.0;
    if (zr_acceleration_at(sim, sim->t, sim->q, sim->v, run->step.z) != ZW_OK) return -1;
    for (int32_t i = 0; i < sim->zm->n; i++) {
        double speed = fabs(run->step.z[i]) / (1.0 + fabs(sim->v[i]));
        if (!(speed > most)) continue;
        most = speed;
        which = i;
        *rate = run->step.z[i];
    }
    return which;
}

/* The holonomic row beside `row` that time moves fastest, for its terms; -1: none does. *rate: how
 * fast. */
static int32_t find_drive(zw_sim *sim, int32_t row, double *rate)
{
    int32_t m = sim->zm->m, which = -1;
    double most = 1e-9;
    memset(sim->run->step.z, 0, sizeof *sim->run->step.z * (size_t)sim->zm->n);
    zk_source s = zr_source(sim, sim->t, sim->q, sim->run->step.z);
    zr_evaluate_levels(sim, &s);
    for (int32_t i = 0; i < m; i++) {
        double value = fabs(sim->level[m + i]), size = fmax(sim->level[2 * m + i], value);
        if (i == row || sim->row_kind[i] != ZM_HOLONOMIC || !(value > most * size)) continue;
        most = value / size;
        *rate = value;
        which = i;
    }
    return which;
}

/* ", while `drive` moves on at a rate of 2": what is asked for there. False: nothing. */
bool zr_say_drive(zw_sim *sim, int32_t row, zb_text *text)
{
    double rate = 0.0;
    int32_t drive = find_drive(sim, row, &rate);
    if (drive < 0) return false;
    zb_text_add(text, ", while ");
    zr_text_row(sim->model, drive, text);
    add_brief_number(text, " moves on at a rate of ", rate);
    return true;
}

/* What helps against E0706. */
static const char *help_off(bool singular, bool accepts)
{
    if (singular) return "start away from it, or stop before it by `when`";
    return accepts
               ? "the constraint may end there, or contradict others: stop before it by `when`, "
                 "change the constraint, or go on with the compromise by `simulate inconsistent "
                 "= accept`"
               : "the constraint may end there, or contradict others: stop before it by `when`, "
                 "or change the constraint";
}

/* E0706: there is no way back onto the constraints. off 0: the row does not hold later than now. */
static zw_status tell_off(zw_sim *sim, int32_t row, int32_t order, double off)
{
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "at t = ", sim->t);
    zb_text_add(&text, " the motion cannot be kept on its constraints: ");
    if (off > 0.0 && order == 1) zb_text_add(&text, "the rate of ");
    zr_text_row(sim->model, row, &text);
    bool singular = off > 0.0 && (sim->run->step.bad_start || sim->run->step.bad_end);
    if (off > 0.0 && !singular)
        add_brief_number(&text, " is off by ", off);
    else
        zb_text_add(&text, " does not hold beyond it");
    bool driven = (singular || !(off > 0.0)) && zr_say_drive(sim, row, &text);
    singular = singular && !driven;
    if (singular)
        zb_text_add(&text, "; it is close to a singular configuration, where constraints depend on "
                           "each other");
    bool accepts = driven && sim->row_kind[row] == ZM_HOLONOMIC && !sim->solver->compromise;
    return report_and_free(sim,
                           (zr_message){.code = "E0706",
                                        .place = zr_row_place(sim->model, row),
                                        .help = help_off(singular, accepts)},
                           &text);
}

/* E0702, where an expression is no longer finite a moment later; *said: it was so. */
static zw_status tell_bad_ahead(zw_sim *sim, double later, bool *said)
{
    zk_source s = zr_source(sim, later, sim->q, sim->v);
    sim->run->ending.failed_t = sim->t;
    zw_status status = zr_report_bad(sim, &s, every_part);
    *said = status == ZW_ERR_NOT_FINITE;
    return *said ? ZW_OK : status;
}

/* At the state where the motion ended, a moment later: is an expression no longer finite, the mass
 * matrix no longer definite, a constraint no longer to be met? *said: it was, and is reported. */
static zw_status tell_what_ends(zw_sim *sim, bool *said)
{
    zr_motion *run = sim->run;
    int32_t n = sim->zm->n, order = 0;
    double later = sim->t + ahead_by(sim, 1e-6), off = 0.0, *q = run->step.stage,
           *v = run->step.stage + n;
    int64_t rounds = sim->solver->rounds;
    memcpy(q, sim->q, sizeof *q * (size_t)n);
    memcpy(v, sim->v, sizeof *v * (size_t)n);
    zk_source s = zr_source(sim, later, q, v);
    zw_status status = tell_bad_ahead(sim, later, said);
    if (status != ZW_OK || *said) return status;
    *said = true;
    status = zr_factor_at(sim, &s);
    if (status == ZW_ERR_INDEFINITE || status == ZW_ERR_UNDETERMINED) {
        status = zr_report_factor(sim, &s, status);
        return zr_is_memory(status) ? status : ZW_OK;
    }
    status = zr_project(sim, &run->solving, later, q, v, false);
    sim->solver->rounds = rounds;
    int32_t row = status == ZW_ERR_ACCURACY ? find_farthest_off(sim, &s, &order, &off) : -1;
    if (row >= 0) return tell_off(sim, row, 0, 0.0);
    *said = false;
    return ZW_OK;
}

/* E0701: the step size fell under its limit. Why, where something is found: a singular
 * configuration, a row that jumps, the velocity that changes fastest. */
static zw_status tell_small_step(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double rate = 0.0;
    bool said = false;
    int32_t order = 0;
    ZB_TRY(tell_what_ends(sim, &said));
    if (said) return ZW_OK;
    bool singular = run->step.bad_start || run->step.bad_end;
    int32_t row = singular ? -1 : find_jumping_row(sim, &order),
            i = find_fastest_change(sim, &rate);
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "at t = ", sim->t);
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
        add_brief_number(&text, " = ", sim->v[i]);
        add_brief_number(&text, " changes fastest, at a rate of ", rate);
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
    return report_and_free(sim, message, &text);
}

/* --------------------------------------------------------------- the evaluation */

/* The event that fired where the run ended, -1: none. */
static int32_t find_event_there(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    int32_t last = run->events.fired_count - 1;
    if (last < 0 || run->events.last_fired < sim->t) return -1;
    return run->stats.events > zr_most_fired ? run->events.last_event
                                             : run->events.fired[last].event;
}

/* The values that an event sets are not finite (E0702), or no state on the constraints is near
 * (E0706). */
static zw_status tell_reset(zw_sim *sim, int32_t event, const char *code, const char *what)
{
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "at t = ", sim->t);
    zb_text_add(&text, " the values that `");
    zr_text_event(sim->model, event, &text);
    zb_text_printf(&text, "` sets %s", what);
    return report_and_free(
        sim,
        (zr_message){.code = code,
                     .place = sim->zm->events[event].place,
                     .help = "look at its right sides with the state of the last row"},
        &text);
}

/* E0702: the motion itself is finite, yet something computed from it is not. */
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
    zb_text text = open_sentence(sim);
    zr_text_when(sim, &text);
    zb_text_add(&text, " numbers grow beyond what double precision holds: ");
    zr_text_coordinate(sim->model, which % n, which / n, &text);
    add_brief_number(&text, " = ", most);
    return report_and_free(
        sim,
        (zr_message){.code = "E0702",
                     .place = zr_nowhere,
                     .help = "the motion may run away: look at the last rows of the output"},
        &text);
}

/* E0702: the values of an event, an expression, or numbers out of range. */
static zw_status tell_not_finite(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    bool kept = run->ending.failed_t >= sim->t; /* the evaluation that failed */
    int32_t event = kept ? -1 : find_event_there(sim);
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

/* The equations had no solution, or none onto the constraints, at the evaluation that failed:
 * E0702, E0703 or E0706, whichever is found. */
static zw_status tell_unsolvable(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zk_source s = zr_source(sim, run->ending.failed_t, run->ending.failed_q, run->ending.failed_v);
    double off = 0.0;
    int32_t order = 0;
    zw_status factored = zr_factor_at(sim, &s);
    int32_t row = factored == ZW_OK ? find_farthest_off(sim, &s, &order, &off) : -1;
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
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "the equations cannot be solved ");
    zr_text_when(sim, &text);
    zb_text_printf(&text, ": %s", zb_status_sentence(why));
    return report_and_free(sim, (zr_message){.code = "E0703", .place = zr_nowhere}, &text);
}

/* ------------------------------------------------------------ limits and events */

/* E0704: the limit of steps is reached before the end. */
static zw_status tell_step_limit(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "the limit of ");
    zb_text_int(&text, run->settings.max_steps);
    add_brief_number(&text, " steps is reached at t = ", sim->t);
    if (!isnan(run->settings.until)) add_brief_number(&text, " of ", run->settings.until);
    return report_and_free(
        sim,
        (zr_message){.code = "E0704",
                     .place = zr_nowhere,
                     .help = "allow more by --max-steps, or loosen the tolerance"},
        &text);
}

/* What helps against steps that are too many. */
static const char *help_patience(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zi_stepper *step = run->step.stepper;
    if (step->method->fixed)
        return "choose a larger --step, a method that finds its steps itself, or an earlier end; "
               "--patience allows more";
    if (run->touching.moments > step->counts.steps / 4)
        return "look at what lets them change back and forth, a coefficient that jumps or a drive; "
               "--patience allows more steps";
    if (run->patience.jumping >= 0)
        return "smooth it, as in tanh(v/1e-3), or stop there by `when`; --patience allows more";
    if (run->step.bad_end)
        return "stop before it by `when`, or start elsewhere; --patience allows more steps";
    if (run->stats.stiff && !run->stats.switched)
        return "the motion is stiff: use --method bdf; --patience allows more steps";
    return "end earlier (--until), loosen the tolerance (--tol), or stop by `when` before what is "
           "so fast; --patience allows more steps";
}

/* Why there are so many: a switch, with its coordinate and both values; a singular configuration;
 * what changes fastest. */
static void add_slow_reason(zw_sim *sim, zb_text *text)
{
    const zr_motion *run = sim->run;
    const zr_patience *x = &run->patience;
    double rate = 0.0;
    if (run->step.stepper->method->fixed) return;
    if (run->touching.moments > run->step.stepper->counts.steps / 4) {
        zb_text_add(text, "; contacts have changed ");
        zb_text_int(text, run->touching.moments);
        zb_text_add(text, " times: see them in the verdict");
    } else if (x->jumping >= 0) {
        zb_text_add(text, "; a force switches back and forth: ");
        zr_text_coordinate(sim->model, x->jumping, 1, text);
        add_brief_number(text, "' jumps between ", fmin(x->before, x->after));
        add_brief_number(text, " and ", fmax(x->before, x->after));
    } else if (run->step.bad_end) {
        zb_text_add(text, "; it is close to a singular configuration, where constraints depend on "
                          "each other");
    } else if (!run->stats.stiff || run->stats.switched) {
        int32_t i = find_fastest_change(sim, &rate);
        if (i < 0) return;
        zb_text_add(text, "; ");
        zr_text_coordinate(sim->model, i, 1, text);
        add_brief_number(text, " = ", sim->v[i]);
        add_brief_number(text, " changes fastest, at a rate of ", rate);
    }
}

/* E0707: the steps that are left are more than the run waits for. Where they become shorter and
 * shorter because an expression is about to end (the logarithm of what goes to 0), that is said. */
static zw_status tell_patience(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    bool said = false;
    ZB_TRY(tell_bad_ahead(sim, sim->t + ahead_by(sim, 1e-6), &said));
    if (said) return ZW_OK;
    zb_text text = open_sentence(sim);
    (void)zr_switches(sim);
    add_brief_number(&text, "the run is given up at t = ", sim->t);
    add_brief_number(&text, " of ", run->settings.until);
    if (isfinite(run->patience.left)) {
        zb_text_add(&text, ": as the last 1000 steps went, the rest would take some ");
        zr_text_digits(&text, run->patience.left, 1);
    } else {
        zb_text_add(&text, ": the last 1000 steps did not move time on");
    }
    add_brief_number(&text, ", and it waits for ", run->settings.patience);
    add_slow_reason(sim, &text);
    return report_and_free(
        sim, (zr_message){.code = "E0707", .place = zr_nowhere, .help = help_patience(sim)}, &text);
}

/* The condition of an event in quotes. */
static void add_quoted_event(const zw_sim *sim, int32_t event, zb_text *text)
{
    zb_text_char(text, '`');
    zr_text_event(sim->model, event, text);
    zb_text_char(text, '`');
}

/* E0705: one event, or two in turn, fire while time stands still. */
static zw_status tell_chatter(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    int32_t a = run->events.chatter[0], b = run->events.chatter[1];
    zb_text text = open_sentence(sim);
    add_quoted_event(sim, a, &text);
    if (a != b) zb_text_add(&text, " and ");
    if (a != b) add_quoted_event(sim, b, &text);
    zb_text_add(&text, a != b ? " fire in turn" : " fires again and again");
    zb_text_add(&text, " without time going on");
    add_brief_number(&text, ": the events accumulate at t = ", run->events.chatter_t);
    return report_and_free(
        sim,
        (zr_message){.code = "E0705",
                     .place = sim->zm->events[b].place,
                     .help = "stop where the motion between two events has become small, or change "
                             "conditions that undo each other"},
        &text);
}

/* E0705, of contacts that close and open, stick and slip in turn. */
static zw_status tell_contact_chatter(zw_sim *sim)
{
    zb_text text = open_sentence(sim);
    int32_t last = -1, count = 0;
    for (int32_t k = 0; k < sim->contacts->laws->contacts; k++) {
        if (!sim->contacts->blamed[k]) continue;
        last = k;
        count++;
    }
    if (last >= 0)
        zr_text_blamed(sim, &text);
    else
        zb_text_add(&text, "friction");
    zb_text_add(&text, count > 1 ? " change" : " changes");
    zb_text_add(&text, " again and again without time going on");
    add_brief_number(&text, ": the moments accumulate at t = ", sim->run->touching.last);
    zr_message message = {
        .code = "E0705",
        .place = last < 0 ? zr_nowhere : zr_row_place(sim->model, sim->zm->contacts[last].row),
        .help = "stop before it by `when`, or end bounces earlier by `simulate rest = SPEED`"};
    return report_and_free(sim, message, &text);
}

/* Whether what is wrong with contacts is why the motion could not go on from here. */
static bool has_trouble_there(const zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    const zi_stepper *step = sim->run->step.stepper;
    if (!c || c->trouble.kind == ZR_NO_TROUBLE) return false;
    double near = fmax(1e-9 * fabs(sim->t), 4.0 * step->counts.smallest);
    return c->trouble.t >= sim->t && c->trouble.t <= sim->t + near;
}

/* Whether motors that cannot do what is asked for are why it could not. */
static bool fails_by_motors(const zw_sim *sim)
{
    const zr_drive *d = sim->drive;
    zw_status failure = sim->run->ending.failure;
    if (!d || d->trouble.kind == ZR_DRIVE_WORKS) return false;
    if (failure == ZW_ERR_CONTROL) return true;
    double near = fmax(1e-9 * fabs(sim->t), 4.0 * sim->run->step.stepper->counts.smallest);
    return failure == ZW_ERR_STEP && d->trouble.t >= sim->t && d->trouble.t <= sim->t + near;
}

/* E0753: from another thread. */
static zw_status tell_cancelled(zw_sim *sim)
{
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "the run was cancelled");
    add_brief_number(&text, " at t = ", sim->t);
    return report_and_free(
        sim,
        (zr_message){.code = "E0753",
                     .place = zr_nowhere,
                     .help = "its state is there; zw_sim_begin begins a new run"},
        &text);
}

/* E0754: the last advance was asked for a time where the run cannot go. */
static zw_status tell_wrong_time(zw_sim *sim)
{
    double t = sim->run->ending.wrong_t;
    if (isnan(t)) return ZW_OK;
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "zw_sim_advance cannot go to t = ", t);
    if (t < sim->t)
        add_brief_number(&text, ", for the state is at t = ", sim->t);
    else
        add_brief_number(&text, ", for the run ends at t = ", sim->run->settings.until);
    return report_and_free(sim,
                           (zr_message){.code = "E0754",
                                        .place = zr_nowhere,
                                        .help = "times do not go back; until is what the run was "
                                                "begun with"},
                           &text);
}

/* The message for the status with which the run ended; nothing when it ended well. */
static zw_status tell_failure(zw_sim *sim)
{
    int32_t event = sim->run->events.resetting ? find_event_there(sim) : -1;
    if (event >= 0 && sim->run->ending.failure == ZW_ERR_ACCURACY)
        return tell_reset(sim, event, "E0706", "cannot be brought onto the constraints");
    if (sim->run->ending.failure == ZW_ERR_CHATTER && sim->run->touching.at_once > 0)
        return tell_contact_chatter(sim);
    bool trouble =
        sim->run->ending.failure == ZW_ERR_STEP || sim->run->ending.failure == ZW_ERR_PATIENCE;
    if (sim->run->ending.failure == ZW_ERR_CONTACT ||
        (trouble && (has_trouble_there(sim) || zr_find_jam(sim))))
        return zr_report_trouble(sim);
    if (fails_by_motors(sim)) return zr_report_drive(sim);
    switch (sim->run->ending.failure) {
    case ZW_OK:
        return ZW_OK;
    case ZW_ERR_MEMORY:
    case ZW_ERR_BUDGET:
        return sim->run->ending.failure;
    case ZW_ERR_STEP:
        return tell_small_step(sim);
    case ZW_ERR_NOT_FINITE:
        return tell_not_finite(sim);
    case ZW_ERR_LIMIT:
        return tell_step_limit(sim);
    case ZW_ERR_PATIENCE:
        return tell_patience(sim);
    case ZW_ERR_CHATTER:
        return tell_chatter(sim);
    case ZW_ERR_CANCELLED:
        return tell_cancelled(sim);
    case ZW_ERR_DERIVATIVE:
        return zr_report_carry(sim);
    default:
        return tell_unsolvable(sim);
    }
}

/* ------------------------------------------------------------------------- all */

/* While a failure is told, messages say when it was (when.c). */
zw_status zr_sim_conclude(zw_sim *sim)
{
    if (!zr_has_run(sim)) return ZW_ERR_ORDER;
    sim->failed_t = sim->run->ending.failure != ZW_OK ? &sim->run->ending.failed_t : NULL;
    zw_status told = tell_failure(sim);
    sim->failed_t = NULL;
    ZB_TRY(told);
    ZB_TRY(tell_wrong_time(sim));
    ZB_TRY(zr_tell_remarks(sim));
    return zr_tell_kernel(sim);
}
