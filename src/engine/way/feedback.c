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
 * Where rows depend on each other, C and events may also follow a share of the reaction that is
 * not unique: they are evaluated with multipliers changed by some that hold nothing (share_change.c).
 *
 * Looked at after the first steps and every sixteenth one, and only in models that read reactions
 * in non-ideal forces or in events.
 */
#include <math.h>
#include <string.h>

#include "events.h"
#include "run.h"

static const double exact = 1e-7; /* less than that is no difference */
enum { first_steps = 8, look_every = 16 };

static bool can_feed_back(const zw_model *model)
{
    return model->uses_measures || zr_events_measure(model);
}

zw_status zr_open_feedback(zw_sim *sim, zb_arena *arena, zr_feedback *x)
{
    size_t n = (size_t)sim->zm->n, m = (size_t)sim->zm->m;
    size_t gaps = (size_t)zr_event_gaps(sim->model);
    x->watched = can_feed_back(sim->model);
    x->first = x->chosen = (double)NAN;
    if (!x->watched) return ZW_OK;
    x->force = ZB_NEW_ARRAY(arena, double, n);
    x->C = ZB_NEW_ARRAY(arena, double, n);
    x->largest_C = ZB_NEW_ARRAY(arena, double, n);
    x->C_moved = ZB_NEW_ARRAY(arena, double, n);
    x->lambda = ZB_NEW_ARRAY(arena, double, m);
    x->moved = ZB_NEW_ARRAY(arena, double, m);
    if (!zr_events_measure(sim->model)) return arena->failure;
    x->truth = ZB_NEW_ARRAY(arena, bool, (size_t)zr_event_count(sim->model));
    x->gap = ZB_NEW_ARRAY(arena, double, gaps);
    x->gap_with = ZB_NEW_ARRAY(arena, double, gaps);
    x->gap_moved = ZB_NEW_ARRAY(arena, double, gaps);
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

/* C and gaps with multipliers lambda + by * way, way NULL: lambda itself. */
static void evaluate_with(zw_sim *sim, zr_feedback *x, const zk_source *s, const double *way,
                          double by, double *C, double *gap)
{
    int32_t m = sim->zm->m;
    for (int32_t i = 0; i < m; i++) x->moved[i] = x->lambda[i] + (way ? by * way[i] : 0.0);
    zr_measure(sim, x->moved);
    if (zr_events_measure(sim->model)) zr_look_with_measures(sim, s, x->truth, gap);
    if (!sim->model->uses_measures) return;
    zr_evaluate_nonideal(sim, s);
    memcpy(C, sim->C, sizeof *C * (size_t)sim->zm->n);
}

/* Whether some entry of b differs from a, beside how far c does and what is rounding. */
static bool is_any_moved(const double *a, const double *b, const double *c, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (fabs(b[i] - a[i]) > exact * fabs(c[i] - a[i]) + 1e-14 * fabs(a[i])) return true;
    return false;
}

/* Whether C or a gap changes with multipliers that hold nothing; x->lambda are the multipliers. */
static bool follows_a_choice(zw_sim *sim, zr_feedback *x, const zk_source *s)
{
    zr_shares *shares = &sim->run->shares;
    int32_t n = sim->zm->n, m = sim->zm->m;
    double largest = zr_find_share_change(sim, shares), force = 0.0;
    bool events = zr_events_measure(sim->model);
    if (!(largest > 0.0)) return true; /* not known: it may */
    for (int32_t i = 0; i < m; i++) {
        force = fmax(force, fabs(x->lambda[i]) * shares->length[i]);
        double sign = zb_hash_scramble((uint64_t)i) & 1 ? 1.0 : -1.0;
        shares->image[i] = shares->length[i] > 0.0 ? sign * largest / shares->length[i] : 0.0;
    }
    double by = (force > 0.0 ? force : 1.0) / largest;
    evaluate_with(sim, x, s, NULL, 0.0, x->C, x->gap);
    evaluate_with(sim, x, s, shares->image, by, x->force, x->gap_with);
    evaluate_with(sim, x, s, shares->change, by, x->C_moved, x->gap_moved);
    bool forces = sim->model->uses_measures && is_any_moved(x->C, x->C_moved, x->force, n);
    int32_t gaps = zr_event_gaps(sim->model);
    return forces || (events && is_any_moved(x->gap, x->gap_moved, x->gap_with, gaps));
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
    if (zr_solve_ideal_at(sim, &s, &answer) != ZW_OK) return;
    if (answer.rank < zr_rows_on(sim) && isnan(x->chosen) && follows_a_choice(sim, x, &s))
        x->chosen = step->t;
    if (sim->model->nonideal.count == 0) return;
    zr_measure(sim, x->lambda);
    zr_evaluate_nonideal(sim, &s);
    if (compare_reactions(sim, x, &s, &off) != ZW_OK || !(off > fmax(exact, x->worst))) return;
    if (isnan(x->first)) x->first = step->t;
    x->worst = off;
    x->worst_t = step->t;
}
