/*
 * The verdict for people: a line for each thing one asks after a run, the trust last. What did not
 * happen is not mentioned.
 */
#include "verdict.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { most_events = 8 };

zb_text *zr_begin_verdict_line(zr_verdict *v, const char *label)
{
    zb_text *text = &v->text;
    if (text->length > 0) zb_text_char(text, '\n');
    zb_text_printf(text, "%-12s ", label);
    return text;
}

static void add_three_digits(zb_text *text, const char *before, double value)
{
    zb_text_add(text, before);
    zr_text_digits(text, value, 3);
}

static void add_short_number(zb_text *text, const char *before, double t)
{
    zb_text_add(text, before);
    zr_text_short(text, t);
}

/* "1 step", "2 steps" */
static void add_plural(zb_text *text, int64_t count, const char *what)
{
    zb_text_int(text, count);
    zb_text_printf(text, " %s%s", what, count == 1 ? "" : "s");
}

/* With the unit that gives a readable number. */
static void add_duration(zb_text *text, double seconds)
{
    if (seconds < 1e-3)
        add_three_digits(text, "", seconds * 1e6);
    else
        add_three_digits(text, "", seconds < 1.0 ? seconds * 1e3 : seconds);
    zb_text_add(text, seconds < 1e-3 ? " µs" : seconds < 1.0 ? " ms" : " s");
}

/* ------------------------------------------------------------------- what was done */

/* "model.zw: t = 0 to 10 in 87 steps (3 rejected, 1200 evaluations), 4.2 ms" */
static void say_title(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    zb_text *text = &v->text;
    const char *file = zr_model_file(v);
    zb_text_shown(text, file, strlen(file));
    double from = v->run->record.start_t, until = v->run->settings.until;
    zr_run_outcome ending = zr_outcome_of(v);
    zb_text_add(text, ": t = ");
    zr_text_digits(text, from, zr_digits_apart(from, s->t, 6));
    zb_text_add(text, " to ");
    zr_text_digits(text, s->t, zr_digits_apart(from, s->t, 6));
    if ((ending == ZR_RUN_FAILED || ending == ZR_RUN_UNFINISHED) && !isnan(until))
        add_short_number(text, " of ", until);
    zb_text_add(text, " in ");
    add_plural(text, s->steps, "step");
    zb_text_add(text, " (");
    zb_text_int(text, s->rejected);
    zb_text_add(text, " rejected, ");
    add_plural(text, s->evaluations, "evaluation");
    zb_text_add(text, "), ");
    add_duration(text, s->seconds);
}

/* The method, tolerances, and whatever differs from the usual. */
static void say_method(zr_verdict *v)
{
    const zw_run_settings *set = &v->run->settings;
    zb_text *text = zr_begin_verdict_line(v, "method");
    zb_text_add(text, zb_method_name(set->method));
    if (v->stats.switched) add_short_number(text, " (bdf from t = ", v->stats.first_stiff);
    if (v->stats.switched) zb_text_char(text, ')');
    add_three_digits(text, ", tol ", set->tol);
    if (set->abs_tol > 0.0) add_three_digits(text, ", abs tol ", set->abs_tol);
    if (v->sim->zm->m > 0 && set->stabilize != ZW_PROJECT)
        zb_text_printf(text, ", %s",
                       set->stabilize == ZW_BAUMGARTE ? "Baumgarte's stabilisation"
                                                      : "no stabilisation");
    if (set->form != ZW_FORM_GAUSS) zb_text_printf(text, ", form %s", zr_form_text(set->form));
    if (v->stats.steps == 0) return;
    add_three_digits(text, ", steps ", v->stats.smallest_step);
    if (v->stats.largest_step > v->stats.smallest_step)
        add_three_digits(text, " to ", v->stats.largest_step);
    if (v->stats.bridged > 0)
        zb_text_printf(text, ", %" PRId64 " of them by dop853", v->stats.bridged);
}

/* -------------------------------------------------------------------- constraints */

/* "position 1e-15 (`rod`, t = 3)" */
static void say_worst_violation(zr_verdict *v, const zw_violation *w, const char *what)
{
    zb_text *text = &v->text;
    zb_text_add(text, what);
    add_three_digits(text, " ", w->size);
    if (w->size == 0.0) return;
    zb_text_add(text, " (");
    zr_text_row(v->sim->model, w->row, text);
    add_short_number(text, ", t = ", w->t);
    zb_text_char(text, ')');
}

/* The worst violation of positions and of velocities. */
static void say_violations(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    bool both = s->position.row >= 0 && s->velocity.row >= 0;
    if (s->position.row < 0 && s->velocity.row < 0) return;
    zb_text *text = zr_begin_verdict_line(v, "constraints");
    zb_text_add(text, "worst violation");
    if (!isnan(s->first_inconsistent)) zb_text_add(text, " but for those in conflict");
    if (zr_motors_were_behind(v->sim)) zb_text_add(text, " but for what motors left undone");
    zb_text_add(text, ": ");
    if (s->position.row >= 0) say_worst_violation(v, &s->position, "position");
    if (both) zb_text_add(text, ", ");
    if (s->velocity.row >= 0) say_worst_violation(v, &s->velocity, "velocity");
}

/* Only where rows depend on each other, at some time. */
static void say_rank(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    int32_t m = zr_equation_rows(v->sim);
    if (m == 0 || (s->generic_rank == m && s->rank == m && s->rank_changes == 0)) return;
    zb_text *text = zr_begin_verdict_line(v, "rank");
    zb_text_int(text, s->generic_rank);
    if (s->generic_most > s->generic_rank)
        zb_text_printf(text, s->generic_most == s->generic_rank + 1 ? " or %d" : " to %d",
                       (int)s->generic_most);
    zb_text_printf(text, " of %d rows", (int)m);
    if (s->generic_most > s->generic_rank) zb_text_add(text, ", as found at the start");
    if (s->rank != s->generic_rank) zb_text_printf(text, ", %d at the end", (int)s->rank);
    if (s->rank_changes == 0) return;
    zb_text_add(text, "; it changed at ");
    add_plural(text, s->rank_changes, "step");
    add_short_number(text, ", first at t = ", s->first_rank_change);
}

/* What the rows of a conflict are off by where the run ended; those on accelerations have no value.
 */
static void say_remaining_conflict(zr_verdict *v)
{
    enum { most = 4 };
    zw_sim *sim = v->sim;
    int32_t m = sim->zm->m, said = 0;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_levels(sim, &s);
    for (int32_t i = 0; i < m; i++) {
        zm_row_kind kind = zm_row_kind_of(sim->zm, i);
        if (!v->run->record.ever_conflicting[i] || kind == ZM_ACCELERATION) continue;
        if (said++ >= most) break;
        zb_text_add(&v->text, said == 1 ? "; at the end " : ", ");
        zr_text_row(sim->model, i, &v->text);
        add_three_digits(&v->text, " is off by ",
                         fabs(sim->level[kind == ZM_HOLONOMIC ? i : m + i]));
    }
    if (said > most) zb_text_add(&v->text, " and so on");
}

/* Rows that contradicted each other, since when and by how much. */
static void say_conflict_of_run(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    if (isnan(s->first_inconsistent)) return;
    zb_text *text = zr_begin_verdict_line(v, "conflict");
    zb_text_add(text, "accelerations of ");
    (void)zr_text_conflict(v->sim, text);
    zb_text_char(text, ' ');
    zr_text_spans(v->sim, text);
    add_three_digits(text, ", at most ", s->inconsistency);
    if (zr_has_left_rows(v->sim)) zb_text_add(text, "; it left ");
    (void)zr_text_left(v->sim, text);
    say_remaining_conflict(v);
}

/* Forces in the rows that are not unique. */
static void say_open_shares(zr_verdict *v)
{
    const zr_shares *x = &v->run->shares;
    if (isnan(x->first)) return;
    zb_text *text = zr_begin_verdict_line(v, "forces");
    zb_text_add(text, "not unique, of least norm: ");
    zr_text_shares(v->sim, text);
    if (x->passing) add_short_number(text, " at t = ", x->first);
}

/* ------------------------------------------------------------------------- energy */

/* A line with the works of the forces that the model has. */
static void say_works(zr_verdict *v)
{
    zr_work works[zr_work_count];
    bool first = true;
    zr_works(v, works);
    for (int k = 0; k < zr_work_count; k++) {
        if (!works[k].possible) continue;
        zb_text *text = first ? zr_begin_verdict_line(v, "  work") : &v->text;
        if (!first) zb_text_add(text, ", ");
        zb_text_add(text, k == ZR_EXPLICIT ? "explicit time" : works[k].name);
        zb_text_char(text, ' ');
        zr_text_short(text, works[k].value);
        first = false;
    }
}

/* Conserved, or changed by the works; and to what accuracy. */
static void say_energy(zr_verdict *v)
{
    const zw_ledger *e = &v->stats.energy;
    zb_text *text = zr_begin_verdict_line(v, "energy");
    if (e->conserved) {
        zr_text_short(text, e->end);
        const char *how = e->held ? ", held; corrections add up to " : ", conserved to ";
        add_three_digits(text, how, fabs(e->error));
    } else {
        add_short_number(text, "from ", e->start);
        add_short_number(text, " to ", e->end);
        add_three_digits(text, ", accounted for to ", fabs(e->error));
    }
    add_three_digits(text, " of ", zr_energy_measure(e));
    if (!e->conserved) say_works(v);
}

/* ------------------------------------------------------------------------- events */

/* NaN when no firing of it was kept. */
static double find_last_firing(const zr_motion *run, int32_t event)
{
    for (int32_t i = run->events.fired_count - 1; i >= 0; i--)
        if (run->events.fired[i].event == event) return run->events.fired[i].t;
    return (double)NAN;
}

/* A line for each event that fired, of too many the first. */
static void say_events(zr_verdict *v)
{
    const zr_motion *run = v->run;
    int32_t said = 0, more = 0;
    for (int32_t e = 0; e < zr_event_count(v->sim->model); e++) {
        if (run->events.fired_of[e] == 0) continue;
        more += said >= most_events;
        if (said >= most_events) continue;
        zb_text *text = zr_begin_verdict_line(v, said++ == 0 ? "events" : "");
        zb_text_char(text, '`');
        zr_text_event(v->sim->model, e, text);
        zb_text_add(text, "` ");
        if (run->events.fired_of[e] == 1)
            zb_text_add(text, "once");
        else
            add_plural(text, run->events.fired_of[e], "time");
        bool last = v->stats.events <= zr_most_fired && run->events.fired_of[e] > 1;
        if (last || run->events.fired_of[e] == 1)
            add_short_number(text, last ? ", last at t = " : ", at t = ", find_last_firing(run, e));
        if (run->events.stopped && run->events.stopper == e) zb_text_add(text, ": stopped");
    }
    if (more > 0) zb_text_printf(zr_begin_verdict_line(v, ""), "and %d more", (int)more);
}

/* ---------------------------------------------------------------------------- all */

/* The judgement, and its reason unless all is well. */
static void say_trust(zr_verdict *v)
{
    static const char *const words[] = {[ZW_TRUST_OK] = "ok",
                                        [ZW_TRUST_REMARKS] = "ok with remarks",
                                        [ZW_TRUST_NOT] = "do not trust"};
    zb_text *text = zr_begin_verdict_line(v, "trust");
    zb_text_add(text, words[v->stats.trust]);
    if (v->reason.length > 0) zb_text_printf(text, ": %s", zb_text_string(&v->reason));
    zb_text_char(text, '\n');
}

/* Each begins its own line, or writes nothing. */
void zr_verdict_text(zr_verdict *v)
{
    say_title(v);
    say_method(v);
    say_violations(v);
    say_rank(v);
    say_conflict_of_run(v);
    zr_say_motors(v);
    say_open_shares(v);
    say_energy(v);
    zr_say_contacts(v);
    say_events(v);
    say_trust(v);
}
