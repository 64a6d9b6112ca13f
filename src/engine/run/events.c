/*
 * Events at a state: which conditions are true; their *gaps*, continuous numbers that change sign
 * where a condition turns, for the search in time; and the new values an event sets. Nothing is
 * allocated. Conditions and new values that use reactions need the multipliers at the state.
 */
#include <math.h>
#include <string.h>

#include "friction.h"
#include "road_fused.h"
#include "run.h"

/* -------------------------------------------------------------------- looking */

/* Reactions that conditions or new values use, from the multipliers at the state. */
zw_status zr_measure_reactions(zw_sim *sim, const zk_source *s)
{
    zw_gauss_answer answer = {.multipliers = sim->lambda};
    ZB_TRY(zr_solve_ideal_at(sim, s, &answer));
    zr_measure(sim, sim->lambda);
    return ZW_OK;
}

/* The same by the program that the run goes by: a condition is asked for many times a step. False: it does not serve. */
static bool measure_by_program(zw_sim *sim, const zk_source *s)
{
    zr_solver *solver = sim->solver;
    bool serves = sim->run && sim->run->solving.asks_fused && solver->form;
    if (!serves || zr_any_slides(sim) || zr_on_compromise(sim)) return false;
    if (!zr_fused_acceleration(sim, &s->time, s->position, s->velocity)) return false;
    const zr_fused_places *at = &solver->form->places;
    const double *out = solver->fused_out;
    memcpy(sim->lambda, out + at->lambda, sizeof *out * (size_t)sim->zm->m);
    memcpy(sim->A, out + at->A, sizeof *out * (size_t)sim->model->A.count);
    sim->A_fresh = solver->fused_fresh = false; /* of this state, not of the last stage */
    zr_measure(sim, sim->lambda);
    return true;
}

/* The instances first .. first + count - 1 of a family, as a program takes them. */
static zk_table view_instances(const zm_family *f, int32_t first, int32_t count)
{
    bool bound = !f->whole && f->table;
    return (zk_table){.table = bound ? f->table + (size_t)first * (size_t)f->stride : NULL,
                      .count = count,
                      .stride = f->stride,
                      .value_at = f->coordinates,
                      .measure_at = f->coordinates + f->values};
}

/* Outputs of `count` instances to where the model has their truths and gaps; place and out
 * advance together. */
static void spread_looks(const zr_pass *pass, const int32_t *place, int32_t count,
                         const double *out, bool *truth, double *gap)
{
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < pass->matrix; k++, out++)
            truth[*place++] = *out < 0.0 || *out > 0.0; /* NaN is not true */
        for (int32_t k = 0; k < pass->vector; k++) gap[*place++] = *out++;
    }
}

/* Many instances at once, as many as the buffer of outputs holds. */
void zr_look_with_measures(zw_sim *sim, const zk_source *s, bool *truth, double *gap)
{
    const struct zr_events *events = sim->model->events;
    for (int32_t k = 0; k < events->looks.count; k++) {
        const zr_pass *pass = &events->looks.list[k];
        const zm_family *f = &sim->zm->families[pass->family];
        int32_t outputs = pass->matrix + pass->vector,
                piece = zr_instances_at_once(sim, f, outputs);
        for (int32_t i = 0; i < f->count; i += piece) {
            zk_table table = view_instances(f, i, f->count - i < piece ? f->count - i : piece);
            zk_evaluate_table(pass->code, s, &table, sim->workspace, sim->out);
            spread_looks(pass, pass->place + (size_t)i * (size_t)outputs, table.count, sim->out,
                         truth, gap);
        }
    }
    for (int32_t e = 0; sim->contacts && e < sim->zm->event_count; e++)
        if (sim->zm->events[e].idle) truth[e] = false; /* a contact keeps it so */
}

zw_status zr_look_at_events(zw_sim *sim, double t, const double *q, const double *v, bool *truth,
                            double *gap)
{
    zk_source s = zr_source(sim, t, q, v);
    if (!sim->model->events) return ZW_OK;
    if (sim->model->events->measures && !measure_by_program(sim, &s))
        ZB_TRY(zr_measure_reactions(sim, &s));
    zr_look_with_measures(sim, &s, truth, gap);
    return ZW_OK;
}

/* ------------------------------------------------------------------ new values */

/* An event without new values changes nothing. */
zw_status zr_set_new_values(zw_sim *sim, int32_t event, double t, double *q, double *v)
{
    const struct zr_events *events = sim->model->events;
    const zm_where *w = &sim->zm->events[event].where;
    const zm_family *f = &sim->zm->families[w->family];
    int32_t shape = events->shape[event], count = w->count - 1;
    if (count == 0) return ZW_OK;
    zk_source s = zr_source(sim, t, q, v);
    if (events->resets_measures[shape]) ZB_TRY(zr_measure_reactions(sim, &s));
    zk_table table = view_instances(f, w->instance, 1);
    zk_evaluate_table(events->resets[shape], &s, &table, sim->workspace, sim->out);
    for (int32_t k = 0; k < count; k++)
        if (!isfinite(sim->out[k])) return ZW_ERR_NOT_FINITE;
    for (int32_t k = 0; k < count; k++) {
        int32_t root = w->root + 1 + k, i = zm_coordinate_of(f, w->instance, f->targets[root]);
        *(f->orders[root] == 1 ? &v[i] : &q[i]) = sim->out[k];
    }
    return ZW_OK;
}
