/*
 * What is to be said about a run, as diagnostics: why it ended early (E07..), and what one should
 * know (W07.., R07..). The place of a failure is the state of the evaluation that failed last,
 * which the run has kept.
 */
#include <math.h>

#include "run.h"

/* ------------------------------------------------------------------------ words */

bool zr_on_the_way(const zw_sim *sim)
{
    return sim->run && sim->run->failure != ZW_OK;
}

void zr_text_when(const zw_sim *sim, zb_text *text)
{
    if (!zr_on_the_way(sim)) {
        zb_text_add(text, "at the start");
        return;
    }
    zb_text_add(text, "at t = ");
    zr_text_short(text, sim->run->failed_t);
}

const char *zr_code(const zw_sim *sim, const char *at_start, const char *on_the_way)
{
    return zr_on_the_way(sim) ? on_the_way : at_start;
}

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

/* The holonomic row that is off most, by more than `least` of its terms, when the motion goes on as
 * it is for a moment: one that jumps or ends there. -1: none. */
static int32_t ahead(zw_sim *sim, double moment, double least)
{
    zr_motion *run = sim->run;
    int32_t m = sim->zm->m, which = -1;
    double later = moment * fmax(fabs(sim->t), 1e-3 * (sim->t - run->start_t));
    for (int32_t i = 0; i < sim->zm->n; i++) run->z[i] = sim->q[i] + later * sim->v[i];
    zk_source s = zr_source(sim, sim->t + later, run->z, sim->v);
    zr_evaluate_levels(sim, &s);
    for (int32_t i = 0; i < m; i++) {
        double value = fabs(sim->level[i]), size = fmax(sim->level[2 * m + i], value);
        if (zm_row_kind_of(sim->zm, i) != ZM_HOLONOMIC || !(value > least * size)) continue;
        least = value / size;
        which = i;
    }
    return which;
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
    if (zr_sim_acceleration(sim, sim->t, sim->q, sim->v, run->z) != ZW_OK) return -1;
    for (int32_t i = 0; i < sim->zm->n; i++) {
        double speed = fabs(run->z[i]) / (1.0 + fabs(sim->v[i]));
        if (!(speed > most)) continue;
        most = speed;
        which = i;
        *rate = run->z[i];
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
    zr_text_row(sim, row, &text);
    if (off > 0.0)
        add_time(&text, " is off by ", off);
    else
        zb_text_add(&text, " does not hold beyond it");
    return tell(sim,
                (zr_message){.code = "E0706",
                             .place = zr_row_place(sim, row),
                             .help = "the constraint may end there, or contradict others: stop "
                                     "before it by `when`, or change the constraint"},
                &text);
}

static zw_status tell_step(zw_sim *sim)
{
    zr_motion *run = sim->run;
    double rate = 0.0;
    int32_t row = ahead(sim, 1e-9, 1e-3), i = fastest(sim, &rate);
    bool gentle = i < 0 || fabs(rate) < 1e3 * (1.0 + fabs(sim->v[i]));
    int32_t ending = row < 0 && gentle ? ahead(sim, 1e-6, 1e-8) : -1;
    if (ending >= 0) return tell_off(sim, ending, 0, 0.0);
    zb_text text = new_text(sim);
    add_time(&text, "at t = ", sim->t);
    zb_text_add(&text, " the step size fell under its limit");
    if (row >= 0) {
        zb_text_add(&text, ": ");
        zr_text_row(sim, row, &text);
        zb_text_add(&text, " jumps there");
    } else if (i >= 0) {
        zb_text_add(&text, ": ");
        zr_text_coordinate(sim, i, 1, &text);
        add_time(&text, " = ", sim->v[i]);
        add_time(&text, " changes fastest, at a rate of ", rate);
    }
    zr_message message = {
        .code = "E0701",
        .place = row >= 0 ? zr_row_place(sim, row) : zr_nowhere,
        .help = "the motion may end there (a singularity, a jump in a force): stop before it by "
                "`when`, write jumps as events, or loosen the tolerance"};
    if (run->stats.stiff && !run->stats.switched)
        message.help = "the motion is stiff there: try --method bdf";
    return tell(sim, message, &text);
}

/* --------------------------------------------------------------- the evaluation */

static zw_status tell_not_finite(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zk_source s = zr_source(sim, run->failed_t, run->failed_q, run->failed_v);
    zw_status status =
        zr_report_bad(sim, &s, ZR_BAD_LEVEL | ZR_BAD_ROWS | ZR_BAD_DYNAMICS | ZR_BAD_NONIDEAL);
    if (status == ZW_ERR_NOT_FINITE) return ZW_OK; /* it was found, and said */
    if (status != ZW_OK) return status;
    zb_text text = new_text(sim);
    zr_text_when(sim, &text);
    zb_text_add(&text, " the acceleration is infinite or not a number");
    return tell(
        sim,
        (zr_message){.code = "E0702",
                     .place = zr_nowhere,
                     .help = "the motion may run away: look at the last rows of the output"},
        &text);
}

/* Singular, indefinite, beyond range, not accurate. */
static zw_status tell_unsolvable(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zk_source s = zr_source(sim, run->failed_t, run->failed_q, run->failed_v);
    double off = 0.0;
    int32_t order = 0;
    zw_status factored = zr_factor_at(sim, &s);
    int32_t row = factored == ZW_OK ? farthest(sim, &s, &order, &off) : -1;
    if (row < 0 && factored == ZW_OK) row = ahead(sim, 1e-6, 1e-8);
    if (row >= 0 && run->failure == ZW_ERR_ACCURACY) return tell_off(sim, row, order, off);
    zw_status why = factored != ZW_OK ? factored : run->failure;
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
    int32_t a = run->chatter[0], b = run->chatter[1];
    zb_text text = new_text(sim);
    add_event(sim, a, &text);
    if (a != b) zb_text_add(&text, " and ");
    if (a != b) add_event(sim, b, &text);
    zb_text_add(&text, a != b ? " fire in turn" : " fires again and again");
    zb_text_add(&text, " without time going on");
    add_time(&text, ": the events accumulate at t = ", run->chatter_t);
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
    switch (sim->run->failure) {
    case ZW_OK:
        return ZW_OK;
    case ZW_ERR_MEMORY:
    case ZW_ERR_BUDGET:
        return sim->run->failure;
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
                   zr_method_name(run->settings.method));
    return tell(sim,
                (zr_message){.code = "W0711",
                             .place = zr_nowhere,
                             .help = "use --method bdf, or auto, which changes to it by itself"},
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
                             .place = last >= 0 ? zr_row_place(sim, last) : zr_nowhere,
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
                   (int)s->generic_rank);
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
    if (!sim->run) return ZW_ERR_ORDER;
    ZB_TRY(tell_failure(sim));
    ZB_TRY(tell_stiff(sim));
    ZB_TRY(tell_conflict(sim));
    ZB_TRY(tell_rank(sim));
    return tell_switch(sim);
}
