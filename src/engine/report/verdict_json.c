/*
 * The verdict as one JSON object: everything of zw_run_statistics, with names. What there is not is
 * null.
 */
#include "verdict.h"

#include <math.h>

static void key(zr_verdict *v, const char *name)
{
    zb_text_printf(&v->text, ",\n  \"%s\": ", name);
}

/* A member of an object on one line. */
static void member(zr_verdict *v, const char *name, bool first)
{
    zb_text_printf(&v->text, "%s\"%s\": ", first ? "{" : ", ", name);
}

static void add_double(zr_verdict *v, const char *name, double value)
{
    member(v, name, false);
    zb_text_json_double(&v->text, value);
}

static void add_int(zr_verdict *v, const char *name, int64_t value)
{
    member(v, name, false);
    zb_text_int(&v->text, value);
}

static void write_bool(zr_verdict *v, bool value)
{
    zb_text_add(&v->text, value ? "true" : "false");
}

static void write_row(zr_verdict *v, int32_t row)
{
    zb_text name;
    zb_text_init(&name, v->sim->memory);
    zm_row_text(v->sim->zm, row, &name);
    if (name.failure != ZW_OK) v->text.failure = name.failure;
    zb_text_json_bytes(&v->text, zb_text_string(&name), name.length);
    zb_text_free(&name);
}

static void write_event(zr_verdict *v, int32_t event)
{
    zb_text name;
    zb_text_init(&name, v->sim->memory);
    zr_text_event(v->sim->model, event, &name);
    if (name.failure != ZW_OK) v->text.failure = name.failure;
    zb_text_json_bytes(&v->text, zb_text_string(&name), name.length);
    zb_text_free(&name);
}

/* ------------------------------------------------------------------- what was done */

static void write_run(zr_verdict *v)
{
    static const char *const endings[] = {[ZR_RUN_REACHED] = "reached",
                                          [ZR_RUN_STOPPED] = "stopped",
                                          [ZR_RUN_FAILED] = "failed",
                                          [ZR_RUN_UNFINISHED] = "unfinished"};
    zb_text_add(&v->text, "{\n  \"model\": ");
    zb_text_json_string(&v->text, zr_model_file(v));
    key(v, "title");
    zb_text_json_string(&v->text, v->sim->zm->title);
    key(v, "status");
    zb_text_json_string(&v->text, endings[zr_outcome_of(v)]);
    key(v, "failure");
    if (v->run->ending.failure == ZW_OK) {
        zb_text_add(&v->text, "null");
    } else {
        member(v, "name", true);
        zb_text_json_string(&v->text, zb_status_name(v->run->ending.failure));
        member(v, "sentence", false);
        zb_text_json_string(&v->text, zb_status_sentence(v->run->ending.failure));
        zb_text_char(&v->text, '}');
    }
    key(v, "t");
    zb_text_json_double(&v->text, v->stats.t);
    key(v, "from");
    zb_text_json_double(&v->text, v->run->record.start_t);
    key(v, "until");
    zb_text_json_double(&v->text, v->run->settings.until);
}

static void write_settings(zr_verdict *v)
{
    const zw_run_settings *set = &v->run->settings;
    key(v, "method");
    zb_text_json_string(&v->text, zb_method_name(set->method));
    key(v, "tolerance");
    zb_text_json_double(&v->text, set->tol);
    key(v, "absolute_tolerance");
    zb_text_json_double(&v->text, set->abs_tol);
    key(v, "stabilize");
    zb_text_json_string(&v->text, zr_stabilize_text(set->stabilize));
    key(v, "form");
    zb_text_json_string(&v->text, zr_form_text(set->form));
}

static void write_counts(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    const struct {
        const char *name;
        int64_t value;
    } counts[] = {{"steps", s->steps},
                  {"rejected", s->rejected},
                  {"evaluations", s->evaluations},
                  {"projections", s->projections},
                  {"projection_iterations", s->projection_iterations},
                  {"careful", s->roads[ZR_CAREFUL].count}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        key(v, counts[k].name);
        zb_text_int(&v->text, counts[k].value);
    }
    key(v, "smallest_step");
    zb_text_json_double(&v->text, s->steps > 0 ? s->smallest_step : (double)NAN);
    key(v, "largest_step");
    zb_text_json_double(&v->text, s->steps > 0 ? s->largest_step : (double)NAN);
    key(v, "seconds");
    zb_text_json_double(&v->text, s->seconds);
}

/* What evaluated the programs, and why not machine code. */
static void write_kernel(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    key(v, "compile_seconds");
    zb_text_json_double(&v->text, v->sim->model->seconds);
    key(v, "kernel");
    member(v, "asked", true);
    zb_text_json_string(&v->text, zb_kernel_name(v->run->settings.kernel));
    member(v, "used", false);
    zb_text_json_string(&v->text, zb_kernel_name(s->kernel));
    member(v, "reason", false);
    zb_text_json_string(&v->text, s->kernel_reason);
    add_int(v, "programs", s->native_programs);
    add_int(v, "bytes", (int64_t)s->native_bytes);
    add_double(v, "seconds", s->native_seconds);
    add_int(v, "fused", s->roads[ZR_FUSED].count);
    zb_text_char(&v->text, '}');
}

/* What solved. */
static void write_solver(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    key(v, "solver");
    member(v, "used", true);
    zb_text_json_string(&v->text, s->solver == ZW_SOLVER_SPARSE ? "sparse" : "dense");
    member(v, "form", false);
    zb_text_json_string(&v->text, s->solver_form);
    add_int(v, "factorizations", s->factorizations);
    zb_text_char(&v->text, '}');
}

/* By which roads accelerations were found. */
static void write_roads(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    key(v, "roads");
    for (int32_t k = 0; k < s->road_count; k++) {
        member(v, s->roads[k].name, k == 0);
        zb_text_int(&v->text, s->roads[k].count);
    }
    zb_text_char(&v->text, '}');
}

/* What of it went by equal parts. */
static void write_parts(zr_verdict *v)
{
    const zw_parts_statistics *p = &v->stats.parts;
    key(v, "parts");
    if (!p->rule) {
        zb_text_add(&v->text, "null");
        return;
    }
    member(v, "rule", true);
    zb_text_json_string(&v->text, p->rule);
    add_int(v, "count", p->count);
    add_int(v, "shapes", p->shapes);
    add_int(v, "width", p->width);
    add_int(v, "evaluations", p->evaluations);
    zb_text_char(&v->text, '}');
}

/* -------------------------------------------------------------------- constraints */

static void write_violation(zr_verdict *v, const char *name, const zw_violation *w)
{
    key(v, name);
    if (w->row < 0) {
        zb_text_add(&v->text, "null");
        return;
    }
    member(v, "worst", true);
    zb_text_json_double(&v->text, w->size);
    add_double(v, "relative", w->relative);
    add_double(v, "t", w->t);
    member(v, "constraint", false);
    write_row(v, w->row);
    zb_text_char(&v->text, '}');
}

static void write_rank(zr_verdict *v)
{
    const zw_run_statistics *s = &v->stats;
    key(v, "rank");
    member(v, "rows", true);
    zb_text_int(&v->text, v->sim->zm->m);
    add_int(v, "generic", s->generic_rank);
    add_int(v, "last", s->rank);
    add_int(v, "changes", s->rank_changes);
    add_double(v, "first_change", s->first_rank_change);
    add_int(v, "singular", s->singular);
    zb_text_char(&v->text, '}');
}

static void write_inconsistency(zr_verdict *v)
{
    const zr_motion *run = v->run;
    bool first = true;
    key(v, "inconsistency");
    member(v, "largest", true);
    zb_text_json_double(&v->text, v->stats.inconsistency);
    add_double(v, "first_time", v->stats.first_inconsistent);
    member(v, "constraints", false);
    zb_text_char(&v->text, '[');
    for (int32_t i = 0; i < v->sim->zm->m; i++) {
        if (!run->record.ever_conflicting[i]) continue;
        zb_text_add(&v->text, first ? "{\"name\": " : ", {\"name\": ");
        write_row(v, i);
        add_double(v, "size", run->record.conflict_size[i]);
        zb_text_char(&v->text, '}');
        first = false;
    }
    zb_text_add(&v->text, "]}");
}

/* ------------------------------------------------------------------------- energy */

static void write_energy(zr_verdict *v)
{
    const zw_ledger *e = &v->stats.energy;
    zr_work works[zr_work_count];
    zr_works(v, works);
    key(v, "energy");
    member(v, "start", true);
    zb_text_json_double(&v->text, e->start);
    add_double(v, "end", e->end);
    add_double(v, "error", e->error);
    add_double(v, "scale", e->scale);
    member(v, "conserved", false);
    write_bool(v, e->conserved);
    member(v, "works", false);
    for (int k = 0; k < zr_work_count; k++) {
        member(v, works[k].name, k == 0);
        zb_text_json_double(&v->text, works[k].value);
    }
    zb_text_add(&v->text, "}}");
}

/* -------------------------------------------------------------------------- start */

static void write_value_name(zr_verdict *v, int32_t entry)
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
static void write_start(zr_verdict *v)
{
    const zr_motion *run = v->run;
    key(v, "start");
    member(v, "moved", true);
    write_bool(v, run->record.moved);
    if (run->record.moved) {
        member(v, "name", false);
        write_value_name(v, run->record.moved_entry);
        add_double(v, "given", run->record.moved_from);
        add_double(v, "corrected", run->record.moved_to);
    }
    zb_text_char(&v->text, '}');
}

/* ------------------------------------------------------------------------- events */

static void write_events(zr_verdict *v)
{
    const zr_motion *run = v->run;
    int32_t count = zr_event_count(v->sim->model);
    key(v, "events");
    zb_text_char(&v->text, '[');
    for (int32_t i = 0; i < run->events.fired_count; i++) {
        zb_text_add(&v->text, i > 0 ? ",\n    {\"event\": " : "\n    {\"event\": ");
        zb_text_int(&v->text, run->events.fired[i].event);
        add_double(v, "t", run->events.fired[i].t);
        zb_text_char(&v->text, '}');
    }
    zb_text_char(&v->text, ']');
    key(v, "event_counts");
    zb_text_char(&v->text, '[');
    for (int32_t e = 0; e < count; e++) {
        zb_text_add(&v->text, e > 0 ? ",\n    {\"when\": " : "\n    {\"when\": ");
        write_event(v, e);
        add_int(v, "count", run->events.fired_of[e]);
        member(v, "stopped", false);
        write_bool(v, run->events.stopped && run->events.stopper == e);
        zb_text_char(&v->text, '}');
    }
    zb_text_char(&v->text, ']');
}

static void write_stiff(zr_verdict *v)
{
    key(v, "stiff");
    member(v, "found", true);
    write_bool(v, v->stats.stiff);
    add_double(v, "first_time", v->stats.first_stiff);
    member(v, "switched", false);
    write_bool(v, v->stats.switched);
    zb_text_char(&v->text, '}');
}

static void write_trust(zr_verdict *v)
{
    static const char *const words[] = {[ZW_TRUST_OK] = "ok",
                                        [ZW_TRUST_REMARKS] = "ok with remarks",
                                        [ZW_TRUST_NOT] = "do not trust"};
    key(v, "trust");
    zb_text_json_string(&v->text, words[v->stats.trust]);
    key(v, "reason");
    zb_text_json_string(&v->text, v->reason.length > 0 ? zb_text_string(&v->reason) : NULL);
    zb_text_add(&v->text, "\n}\n");
}

void zr_verdict_json(zr_verdict *v)
{
    write_run(v);
    write_settings(v);
    write_counts(v);
    write_kernel(v);
    write_solver(v);
    write_roads(v);
    write_parts(v);
    write_violation(v, "position", &v->stats.position);
    write_violation(v, "velocity", &v->stats.velocity);
    write_energy(v);
    write_rank(v);
    write_inconsistency(v);
    write_start(v);
    write_events(v);
    write_stiff(v);
    write_trust(v);
}
