/*
 * Friction that changes the reaction it follows. Non-ideal forces C read the ideal reactions, which
 * do not know of C (THEORY): lambda from GG(Q, b). With C acting the constraints carry
 *
 *     lambda' from GG(Q + C, b)
 *
 * and where that differs in what C reads, C is not the law's force: mu times the pressure without
 * the friction instead of with it. By how much is found by evaluating C once more with lambda': to
 * first order what is missing. Events that read reactions (a joint that sticks until ...) are off
 * likewise.
 *
 * Looked at after the first steps and every sixteenth one, and only in models that have non-ideal
 * forces and read reactions in them or in events.
 */
#include <math.h>
#include <string.h>

#include "events.h"
#include "run.h"

static const double exact = 1e-7; /* less than that is no difference */
enum { first_steps = 8, look_every = 16 };

static bool can_feed_back(const zw_model *model)
{
    return model->nonideal.count > 0 && (model->uses_measures || zr_events_measure(model));
}

zw_status zr_open_feedback(zw_sim *sim, zb_arena *arena, zr_feedback *x)
{
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    size_t gaps = (size_t)zr_event_gaps(sim->model);
    x->watched = can_feed_back(sim->model);
    x->first = (double)NAN;
    if (!x->watched) return ZW_OK;
    x->force = ZB_NEW_ARRAY(arena, double, n);
    x->C = ZB_NEW_ARRAY(arena, double, n);
    x->largest_C = ZB_NEW_ARRAY(arena, double, n);
    x->lambda = ZB_NEW_ARRAY(arena, double, m);
    if (!zr_events_measure(sim->model)) return arena->failure;
    x->truth = ZB_NEW_ARRAY(arena, bool, (size_t)zr_event_count(sim->model));
    x->gap = ZB_NEW_ARRAY(arena, double, gaps);
    x->gap_with = ZB_NEW_ARRAY(arena, double, gaps);
    x->largest_gap = ZB_NEW_ARRAY(arena, double, gaps);
    return arena->failure;
}

/* The largest difference of a and b [count], each by its size; a number that is small beside its
 * own largest one of the run counts as a tenth of that. */
static double find_difference(const double *a, const double *b, double *largest, int32_t count)
{
    double most = 0.0;
    for (int32_t i = 0; i < count; i++) {
        largest[i] = fmax(largest[i], fabs(a[i]));
        double size = fmax(fabs(a[i]), 0.1 * largest[i]), off = fabs(a[i] - b[i]);
        if (off > 0.0 && size > 0.0) most = fmax(most, off / size);
    }
    return most;
}

/* Gaps of conditions and C with the friction acting, against those without, which are in sim. */
static zw_status compare_reactions(zw_sim *sim, zr_feedback *x, const zk_source *s, double *off)
{
    int32_t n = sim->zm->n;
    bool events = zr_events_measure(sim->model);
    zw_gauss_answer answer = {.multipliers = x->lambda};
    memcpy(x->C, sim->C, sizeof *x->C * (size_t)n);
    for (int32_t j = 0; j < n; j++) x->force[j] = sim->Q[j] + sim->C[j];
    if (events) zr_look_with_measures(sim, s, x->truth, x->gap);
    ZB_TRY(zg_system_solve(sim->solver->all.system, x->force, sim->b, NULL, &answer));
    zr_measure(sim, x->lambda);
    *off = 0.0;
    if (events) {
        zr_look_with_measures(sim, s, x->truth, x->gap_with);
        *off = find_difference(x->gap, x->gap_with, x->largest_gap, zr_event_gaps(sim->model));
    }
    if (!sim->model->uses_measures) return ZW_OK;
    zr_evaluate_nonideal(sim, s);
    *off = fmax(*off, find_difference(x->C, sim->C, x->largest_C, n));
    return ZW_OK;
}

/* At the end of the last step. Where the equations cannot be solved nothing is said. */
void zr_watch_feedback(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_feedback *x = &run->feedback;
    const zi_stepper *step = run->step.stepper;
    bool due = step->counts.steps <= first_steps || step->counts.steps % look_every == 0;
    if (!x->watched || !due) return;
    const double *y = zr_end_state(sim);
    zk_source s = zr_source(sim, step->t, y, y + sim->zm->n);
    zw_gauss_answer answer = {.multipliers = x->lambda};
    double off = 0.0;
    if (zr_solve_at(sim, &s, &answer) != ZW_OK) return;
    if (compare_reactions(sim, x, &s, &off) != ZW_OK || !(off > fmax(exact, x->worst))) return;
    if (isnan(x->first)) x->first = step->t;
    x->worst = off;
    x->worst_t = step->t;
}
