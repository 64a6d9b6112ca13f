/*
 * The verdict on a run: how it ended, its works by kind of force, and the words that both forms
 * (verdict_text.c, verdict_json.c) use.
 */
#include "verdict.h"

#include <math.h>

const char *zr_stabilize_text(zw_stabilize stabilize)
{
    static const char *const names[] = {
#define ZR_STABILIZE_TEXT(name, value, text, sentence) [value] = text,
        ZW_STABILIZE_LIST(ZR_STABILIZE_TEXT)
#undef ZR_STABILIZE_TEXT
    };
    return names[stabilize];
}

const char *zr_form_text(zw_form form)
{
    static const char *const names[] = {
#define ZR_FORM_TEXT(name, value, text, sentence) [value] = text,
        ZW_FORM_LIST(ZR_FORM_TEXT)
#undef ZR_FORM_TEXT
    };
    return names[form];
}

const char *zr_model_file(const zr_verdict *v)
{
    const zw_model *model = v->sim->model;
    const zl_unit *unit = &model->zm->unit;
    bool known = model->main_source >= 0 && model->main_source < unit->sources.count;
    return known ? unit->sources.data[model->main_source].file : "model";
}

/* Without an end that was asked for a run is never complete. */
zr_run_outcome zr_outcome_of(const zr_verdict *v)
{
    double until = v->run->settings.until;
    if (v->run->ending.failure != ZW_OK) return ZR_RUN_FAILED;
    if (v->run->events.stopped) return ZR_RUN_STOPPED;
    return isnan(until) || v->stats.t < until ? ZR_RUN_UNFINISHED : ZR_RUN_REACHED;
}

/* A work that the run keeps no account of cannot arise. */
void zr_works(const zr_verdict *v, zr_work works[zr_work_count])
{
    const zw_ledger *e = &v->stats.energy;
    const zr_work all[zr_work_count] = {
        [ZR_IMPRESSED] = {.name = "impressed", .value = e->impressed},
        [ZR_DISSIPATION] = {.name = "dissipation", .value = e->dissipation},
        [ZR_IDEAL] = {.name = "ideal", .value = e->ideal},
        [ZR_NONIDEAL] = {.name = "nonideal", .value = e->nonideal},
        [ZR_FRICTION] = {.name = "friction", .value = e->friction},
        [ZR_CONTROL] = {.name = "control", .value = e->control},
        [ZR_EXPLICIT] = {.name = "explicit_time", .value = e->explicit_time},
        [ZR_WORK_IMPACTS] = {.name = "impacts", .value = e->impacts},
        [ZR_WORK_EVENTS] = {.name = "events", .value = e->events},
        [ZR_WORK_INPUTS] = {.name = "inputs", .value = e->inputs}};
    for (int k = 0; k < zr_work_count; k++) {
        works[k] = all[k];
        works[k].possible = (v->run->solving.powers & (1u << k)) != 0;
    }
    works[ZR_FRICTION].possible = works[ZR_FRICTION].possible && e->friction != 0.0;
    works[ZR_WORK_IMPACTS].possible = v->sim->contacts && v->sim->contacts->record.impacts > 0;
    /* a stop changes nothing */
    works[ZR_WORK_EVENTS].possible = v->stats.events > (v->run->events.stopped ? 1 : 0);
    works[ZR_WORK_INPUTS].possible = e->inputs != 0.0;
}

/* The trust is judged first: both forms end with it. */
zw_status zr_sim_verdict(zw_sim *sim, zw_report_form form, zw_write_fn write, void *user)
{
    zr_verdict v = {.sim = sim, .run = sim->run};
    if (!zr_has_run(sim)) return ZW_ERR_ORDER;
    ZB_TRY(zr_sim_statistics(sim, &v.stats));
    zb_text_init(&v.text, sim->memory);
    zb_text_init(&v.reason, sim->memory);
    zr_judge(sim, &v.stats, &v.reason);
    if (form == ZW_REPORT_JSON)
        zr_verdict_json(&v);
    else
        zr_verdict_text(&v);
    zw_status status = v.reason.failure != ZW_OK ? v.reason.failure : v.text.failure;
    if (status == ZW_OK && !write(user, zb_text_string(&v.text), v.text.length))
        status = ZW_ERR_WRITE;
    zb_text_free(&v.text);
    zb_text_free(&v.reason);
    return status;
}
