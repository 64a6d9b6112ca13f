/*
 * The verdict as one JSON object: everything of zw_run_statistics, with names. What there is not is
 * null.
 */
#include "verdict.h"

#include <math.h>

/* The next member of the whole object. */
static void begin_verdict_member(zr_verdict *v, const char *name)
{
    zb_text_printf(&v->text, ",\n  \"%s\": ", name);
}

/* A member of an object on one line. */
static void begin_inner_member(zr_verdict *v, const char *name, bool first)
{
    zb_text_printf(&v->text, "%s\"%s\": ", first ? "{" : ", ", name);
}

static void add_double_member(zr_verdict *v, const char *name, double value)
{
    begin_inner_member(v, name, false);
    zb_text_json_double(&v->text, value);
}

static void add_int_member(zr_verdict *v, const char *name, int64_t value)
{
    begin_inner_member(v, name, false);
    zb_text_int(&v->text, value);
}

static void write_verdict_bool(zr_verdict *v, bool value)
{
    zb_text_add(&v->text, value ? "true" : "false");
}

/* The name of a row of A, in quotes. */
static void write_name_of_row(zr_verdict *v, int32_t row)
{
    zb_text name;
    zb_text_init(&name, v->sim->memory);
    zm_row_text(v->sim->zm, row, &name);
    if (name.failure != ZW_OK) v->text.failure = name.failure;
    zb_text_json_bytes(&v->text, zb_text_string(&name), name.length);
    zb_text_free(&name);
}

/* The condition of an event, in quotes. */
static void write_name_of_event(zr_verdict *v, int32_t event)
{
    zb_text name;
    zb_text_init(&name, v->sim->memory);
    zr_text_event(v->sim->model, event, &name);
    if (name.failure != ZW_OK) v->text.failure = name.failure;
    zb_text_json_bytes(&v->text, zb_text_string(&name), name.length);
    zb_text_free(&name);
}

/* ------------------------------------------------------------------- what was done */

/* Opens the object: model, how the run ended, and when. */
static void write_ending(zr_verdict *v)
{
    static const char *const endings[] = {[ZR_RUN_REACHED] = "reached",
                                          [ZR_RUN_STOPPED] = "stopped",
                                          [ZR_RUN_FAILED] = "failed",
                                          [ZR_RUN_UNFINISHED] = "unfinished"};
    zb_text_add(&v->text, "{\n  \"model\": ");
    zb_text_json_string(&v->text, zr_model_file(v));
    begin_verdict_member(v, "title");
    zb_text_json_string(&v->text, v->sim->zm->title);
    begin_verdict_member(v, "status");
    zb_text_json_string(&v->text, endings[zr_outcome_of(v)]);
    begin_verdict_member(v, "failure");
    if (v->run->ending.failure == ZW_OK) {
        zb_text_add(&v->text, "null");
    } else {
        begin_inner_member(v, "name", true);
        zb_text_json_string(&v->text, zb_status_name(v->run->ending.failure));
        begin_inner_member(v, "sentence", false);
        zb_text_json_string(&v->text, zb_status_sentence(v->run->ending.failure));
        zb_text_char(&v->text, '}');
    }
    begin_verdict_member(v, "t");
    zb_text_json_double(&v->text, v->stats.t);
    begin_verdict_member(v, "from");
    zb_text_json_double(&v->text, v->run->record.start_t);
    begin_verdict_member(v, "until");
    zb_text_json_double(&v->text, v->run->settings.until);
}

/* What the run was asked for. */
static void write_run_settings(zr_verdict *v)
{
    const zw_run_settings *set = &v->run->settings;
    begin_verdict_member(v, "method");
    zb_text_json_string(&v->text, zb_method_name(set->method));
    begin_verdict_member(v, "tolerance");
    zb_text_json_double(&v->text, set->tol);
    begin_verdict_member(v, "absolute_tolerance");
    zb_text_json_double(&v->text, set->abs_tol > 0.0 ? set->abs_tol : (double)NAN);
    begin_verdict_member(v, "stabilize");
    zb_text_json_string(&v->text, zr_stabilize_text(set->stabilize));
    begin_verdict_member(v, "form");
    zb_text_json_string(&v->text, zr_form_text(set->form));
}

/* Steps and evaluations. Sizes of steps are null when there was none. */
static void write_step_counts(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {{"steps", s->steps},
                  {"rejected", s->rejected},
                  {"bridged", s->bridged},
                  {"evaluations", s->evaluations},
                  {"projections", s->projections},
                  {"projection_iterations", s->projection_iterations},
                  {"careful", s->roads[ZR_CAREFUL].count}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        begin_verdict_member(v, counts[k].name);
        zb_text_int(&v->text, counts[k].value);
    }
    begin_verdict_member(v, "smallest_step");
    zb_text_json_double(&v->text, s->steps > 0 ? s->smallest_step : (double)NAN);
    begin_verdict_member(v, "largest_step");
    zb_text_json_double(&v->text, s->steps > 0 ? s->largest_step : (double)NAN);
    begin_verdict_member(v, "seconds");
    zb_text_json_double(&v->text, s->seconds);
}

/* What evaluated the programs, and why not machine code. */
static void write_kernel_use(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    begin_verdict_member(v, "compile_seconds");
    zb_text_json_double(&v->text, v->sim->model->seconds);
    begin_verdict_member(v, "kernel");
    begin_inner_member(v, "asked", true);
    zb_text_json_string(&v->text, zb_kernel_name(v->run->settings.kernel));
    begin_inner_member(v, "used", false);
    zb_text_json_string(&v->text, zb_kernel_name(s->kernel));
    begin_inner_member(v, "reason", false);
    zb_text_json_string(&v->text, s->kernel_reason);
    add_int_member(v, "programs", s->native_programs);
    add_int_member(v, "bytes", (int64_t)s->native_bytes);
    add_double_member(v, "seconds", s->native_seconds);
    add_int_member(v, "fused", s->roads[ZR_FUSED].count);
    zb_text_char(&v->text, '}');
}

/* What solved. */
static void write_solver_use(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    begin_verdict_member(v, "solver");
    begin_inner_member(v, "used", true);
    zb_text_json_string(&v->text, s->solver == ZW_SOLVER_SPARSE ? "sparse" : "dense");
    begin_inner_member(v, "form", false);
    zb_text_json_string(&v->text, s->solver_form);
    add_int_member(v, "factorizations", s->factorizations);
    zb_text_char(&v->text, '}');
}

/* By which roads accelerations were found. */
static void write_road_counts(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    begin_verdict_member(v, "roads");
    for (int32_t k = 0; k < s->road_count; k++) {
        begin_inner_member(v, s->roads[k].name, k == 0);
        zb_text_int(&v->text, s->roads[k].count);
    }
    zb_text_char(&v->text, '}');
}

/* What of it went by equal parts. */
static void write_parts_use(zr_verdict *v)
{
    const zw_parts_statistics *p = &v->stats.parts;
    begin_verdict_member(v, "parts");
    if (!p->rule) {
        zb_text_add(&v->text, "null");
        return;
    }
    begin_inner_member(v, "rule", true);
    zb_text_json_string(&v->text, p->rule);
    add_int_member(v, "count", p->count);
    add_int_member(v, "shapes", p->shapes);
    add_int_member(v, "width", p->width);
    add_int_member(v, "evaluations", p->evaluations);
    zb_text_char(&v->text, '}');
}

/* -------------------------------------------------------------------- constraints */

/* The largest residual of a level, where and when; null when it has no rows. */
static void write_worst_violation(zr_verdict *v, const char *name, const zw_violation *w)
{
    begin_verdict_member(v, name);
    if (w->row < 0) {
        zb_text_add(&v->text, "null");
        return;
    }
    begin_inner_member(v, "worst", true);
    zb_text_json_double(&v->text, w->size);
    add_double_member(v, "relative", w->relative);
    add_double_member(v, "t", w->t);
    begin_inner_member(v, "constraint", false);
    write_name_of_row(v, w->row);
    zb_text_char(&v->text, '}');
}

/* Rank of A: almost everywhere, at the end, and where it changed. */
static void write_ranks(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    begin_verdict_member(v, "rank");
    begin_inner_member(v, "rows", true);
    zb_text_int(&v->text, zr_equation_rows(v->sim));
    add_int_member(v, "generic", s->generic_rank);
    begin_inner_member(v, "generic_range", false);
    zb_text_printf(&v->text, "[%d, %d]", (int)s->generic_rank, (int)s->generic_most);
    add_int_member(v, "last", s->rank);
    add_int_member(v, "changes", s->rank_changes);
    add_double_member(v, "first_change", s->first_rank_change);
    add_int_member(v, "singular", s->singular);
    add_int_member(v, "passages", s->passages);
    add_double_member(v, "first_passage", s->first_passage);
    add_double_member(v, "excused", s->excused);
    zb_text_char(&v->text, '}');
}

/* What the end of a conflict left of a row, and when. */
static void write_what_was_left(zr_verdict *v, int32_t row)
{
    const zr_seams *seams = &v->run->seams;
    begin_inner_member(v, "left", false);
    begin_inner_member(v, "position", true);
    zb_text_json_double(&v->text, seams->left[row]);
    add_double_member(v, "rate", seams->left_rate[row]);
    add_double_member(v, "t", seams->left_t[row]);
    zb_text_char(&v->text, '}');
}

/* From when to when; null: until the end. Of very many the first. */
static void write_spans(zr_verdict *v, const zr_span *spans, int64_t count)
{
    begin_inner_member(v, "spans", false);
    zb_text_char(&v->text, '[');
    for (int64_t k = 0; k < count && k < zr_most_spans; k++) {
        zb_text_add(&v->text, k > 0 ? ", [" : "[");
        zb_text_json_double(&v->text, spans[k].from);
        zb_text_add(&v->text, ", ");
        zb_text_json_double(&v->text, spans[k].to);
        zb_text_char(&v->text, ']');
    }
    zb_text_char(&v->text, ']');
    add_int_member(v, "span_count", count);
}

/* When each motor was at a limit; where there are motors. */
static void write_motors(zr_verdict *v)
{
    const zm_model *zm = v->sim->zm;
    if (zm->motor_count == 0) return;
    begin_verdict_member(v, "motors");
    zb_text_char(&v->text, '[');
    for (int32_t k = 0; k < zm->motor_count; k++) {
        const zr_motor_spans *at = &v->run->seams.motors[k];
        zb_text_add(&v->text, k > 0 ? ", " : "");
        begin_inner_member(v, "name", true);
        zb_text_json_string(&v->text, zm->motors[k].name);
        write_spans(v, at->list, at->count);
        zb_text_char(&v->text, '}');
    }
    zb_text_char(&v->text, ']');
}

/* Rows whose accelerations contradicted each other at some time. */
static void write_conflicting_rows(zr_verdict *v)
{
    const zr_motion *run = v->run;
    bool first = true;
    begin_verdict_member(v, "inconsistency");
    begin_inner_member(v, "largest", true);
    zb_text_json_double(&v->text, v->stats.inconsistency);
    add_double_member(v, "first_time", v->stats.first_inconsistent);
    begin_inner_member(v, "constraints", false);
    zb_text_char(&v->text, '[');
    for (int32_t i = 0; i < v->sim->zm->m; i++) {
        if (!(run->record.conflict_size[i] > 0.0)) continue;
        zb_text_add(&v->text, first ? "{\"name\": " : ", {\"name\": ");
        write_name_of_row(v, i);
        add_double_member(v, "size", run->record.conflict_size[i]);
        if (!isnan(run->seams.left_t[i])) write_what_was_left(v, i);
        zb_text_char(&v->text, '}');
        first = false;
    }
    zb_text_char(&v->text, ']');
    write_spans(v, run->seams.spans, run->seams.span_count);
    zb_text_char(&v->text, '}');
}

/* Columns that were written and are not unique. */
static void write_open_shares(zr_verdict *v)
{
    zb_text name;
    int32_t count = zr_share_count(v->sim);
    zb_text_init(&name, v->sim->memory);
    begin_verdict_member(v, "not_unique");
    begin_inner_member(v, "first_time", true);
    zb_text_json_double(&v->text, v->run->shares.first);
    begin_inner_member(v, "columns", false);
    zb_text_char(&v->text, '[');
    for (int32_t k = 0, said = 0; k < count; k++) {
        zb_text_clear(&name);
        if (!zr_text_share(v->sim, k, &name)) continue;
        if (said++ > 0) zb_text_add(&v->text, ", ");
        zb_text_json_bytes(&v->text, zb_text_string(&name), name.length);
    }
    zb_text_add(&v->text, "]}");
    if (name.failure != ZW_OK) v->text.failure = name.failure;
    zb_text_free(&name);
}

/* ------------------------------------------------------------------------- energy */

/* Energy at both ends, the works between, and what is not accounted for. */
static void write_energy_account(zr_verdict *v)
{
    const zw_ledger *e = &v->stats.energy;
    zr_work works[zr_work_count];
    zr_works(v, works);
    begin_verdict_member(v, "energy");
    begin_inner_member(v, "start", true);
    zb_text_json_double(&v->text, e->start);
    add_double_member(v, "end", e->end);
    add_double_member(v, "error", e->error);
    add_double_member(v, "scale", e->scale);
    begin_inner_member(v, "conserved", false);
    write_verdict_bool(v, e->conserved);
    begin_inner_member(v, "held", false);
    write_verdict_bool(v, e->held);
    begin_inner_member(v, "works", false);
    for (int k = 0; k < zr_work_count; k++) {
        begin_inner_member(v, works[k].name, k == 0);
        zb_text_json_double(&v->text, works[k].value);
    }
    zb_text_add(&v->text, "}}");
}

/* -------------------------------------------------------------------------- start */

/* The name of entry `entry` of (q, v), in quotes. */
static void write_name_of_value(zr_verdict *v, int32_t entry)
{
    zb_text name;
    int32_t n = v->sim->zm->n;
    zb_text_init(&name, v->sim->memory);
    zr_text_coordinate(v->sim->model, entry < n ? entry : entry - n, entry >= n, &name);
    if (name.failure != ZW_OK) v->text.failure = name.failure;
    zb_text_json_bytes(&v->text, zb_text_string(&name), name.length);
    zb_text_free(&name);
}

/* Whether given values were moved, and which one most. */
static void write_start_move(zr_verdict *v)
{
    const zr_motion *run = v->run;
    begin_verdict_member(v, "start");
    begin_inner_member(v, "moved", true);
    write_verdict_bool(v, run->record.moved);
    if (run->record.moved) {
        begin_inner_member(v, "name", false);
        write_name_of_value(v, run->record.moved_entry);
        add_double_member(v, "given", run->record.moved_from);
        add_double_member(v, "corrected", run->record.moved_to);
    }
    zb_text_char(&v->text, '}');
}

/* ------------------------------------------------------------------------- events */

/* Each firing that was kept, in time; then how often every event fired. */
static void write_event_lists(zr_verdict *v)
{
    const zr_motion *run = v->run;
    int32_t count = zr_event_count(v->sim->model);
    begin_verdict_member(v, "events");
    zb_text_char(&v->text, '[');
    for (int32_t i = 0; i < run->events.fired_count; i++) {
        zb_text_add(&v->text, i > 0 ? ",\n    {\"event\": " : "\n    {\"event\": ");
        zb_text_int(&v->text, run->events.fired[i].event);
        add_double_member(v, "t", run->events.fired[i].t);
        zb_text_char(&v->text, '}');
    }
    zb_text_char(&v->text, ']');
    begin_verdict_member(v, "event_counts");
    zb_text_char(&v->text, '[');
    for (int32_t e = 0; e < count; e++) {
        zb_text_add(&v->text, e > 0 ? ",\n    {\"when\": " : "\n    {\"when\": ");
        write_name_of_event(v, e);
        add_int_member(v, "count", run->events.fired_of[e]);
        begin_inner_member(v, "stopped", false);
        write_verdict_bool(v, run->events.stopped && run->events.stopper == e);
        zb_text_char(&v->text, '}');
    }
    zb_text_char(&v->text, ']');
}

/* ----------------------------------------------------------------------- contacts */

/* The name of a site, in quotes. */
static void write_name_of_site(zr_verdict *v, int32_t site)
{
    zb_text name;
    zb_text_init(&name, v->sim->memory);
    zr_text_site(v->sim->model, site, &name);
    if (name.failure != ZW_OK) v->text.failure = name.failure;
    zb_text_json_bytes(&v->text, zb_text_string(&name), name.length);
    zb_text_free(&name);
}

/* What each contact does at the end, and what has happened to it. */
static void write_contacts(zr_verdict *v)
{
    static const char *const words[] = {"open", "touches", "sticks"};
    const zr_contacts *c = v->sim->contacts;
    begin_verdict_member(v, "contacts");
    zb_text_char(&v->text, '[');
    for (int32_t k = 0; c && k < c->laws->sites; k++) {
        const zr_tally *tally = &c->tally[k];
        zb_text_add(&v->text, k > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
        write_name_of_site(v, k);
        begin_inner_member(v, "state", false);
        zb_text_json_string(&v->text, words[(int)zr_site_state(v->sim, k)]);
        add_int_member(v, "impacts", tally->impacts);
        add_int_member(v, "closings", tally->closings);
        add_int_member(v, "openings", tally->openings);
        add_int_member(v, "sticks", tally->sticks);
        add_int_member(v, "slips", tally->slips);
        add_double_member(v, "last", tally->last);
        zb_text_char(&v->text, '}');
    }
    zb_text_char(&v->text, ']');
}

/* Whether the motion was stiff, since when, and whether the method was changed for it. */
static void write_stiffness(zr_verdict *v)
{
    begin_verdict_member(v, "stiff");
    begin_inner_member(v, "found", true);
    write_verdict_bool(v, v->stats.stiff);
    add_double_member(v, "first_time", v->stats.first_stiff);
    begin_inner_member(v, "switched", false);
    write_verdict_bool(v, v->stats.switched);
    zb_text_char(&v->text, '}');
}

/* The judgement and its reason; closes the object. */
static void write_trust_in_run(zr_verdict *v)
{
    static const char *const words[] = {[ZW_TRUST_OK] = "ok",
                                        [ZW_TRUST_REMARKS] = "ok with remarks",
                                        [ZW_TRUST_NOT] = "do not trust"};
    begin_verdict_member(v, "trust");
    zb_text_json_string(&v->text, words[v->stats.trust]);
    begin_verdict_member(v, "reason");
    zb_text_json_string(&v->text, v->reason.length > 0 ? zb_text_string(&v->reason) : NULL);
    zb_text_add(&v->text, "\n}\n");
}

/* The order of the members is part of what a reader sees. */
void zr_verdict_json(zr_verdict *v)
{
    write_ending(v);
    write_run_settings(v);
    write_step_counts(v);
    write_kernel_use(v);
    write_solver_use(v);
    write_road_counts(v);
    write_parts_use(v);
    write_worst_violation(v, "position", &v->stats.position);
    write_worst_violation(v, "velocity", &v->stats.velocity);
    write_energy_account(v);
    write_ranks(v);
    write_conflicting_rows(v);
    write_motors(v);
    write_open_shares(v);
    write_start_move(v);
    write_event_lists(v);
    write_contacts(v);
    write_stiffness(v);
    write_trust_in_run(v);
}
