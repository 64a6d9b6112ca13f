/*
 * What a run remembers of every step: the worst violations, rank, conflicts, the size of the
 * energies.
 */
#include <math.h>
#include <string.h>

#include "road_parts.h"
#include "run.h"

/* The largest one by its size. Its relative size is that of the same moment: where a motion is at
 * rest, what is small beside the whole run is large beside the terms of a rate. */
static void note_worst(zw_violation *worst, double value, double magnitude, double t, int32_t row)
{
    double size = fabs(value);
    if (!(size > worst->size) && worst->row >= 0) return;
    worst->relative = size == 0.0 ? 0.0 : size / fmax(magnitude, size);
    worst->size = size;
    worst->t = t;
    worst->row = row;
}

/* Of a row that contacts turn on and off: the lengths or speeds that its tolerance is measured by.
 * What stands at 0, or has come to rest, is not off by rounding of nothing. */
static double usual_size(const zw_sim *sim, const double *small, int32_t row)
{
    if (!sim->contacts || sim->zm->mask[row] < 0) return 0.0;
    return small[row] / sim->run->settings.tol;
}

/* sim->level is of this state. Rows in a conflict are told apart: they have their own remark; rows
 * that are off do not ask for anything. */
static void note_violations(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    const zr_contacts *c = sim->contacts;
    int32_t m = sim->zm->m;
    for (int32_t i = 0; i < m; i++) {
        const double *level = sim->level + i;
        bool apart = run->solving.any_out && run->solving.out[i];
        bool off = c && c->off[i];
        if (sim->row_kind[i] == ZM_ACCELERATION || apart || off) continue;
        double length = c ? usual_size(sim, c->small.low, i) : 0.0;
        double speed = c ? usual_size(sim, c->small.rate, i) : 0.0;
        if (sim->row_kind[i] == ZM_HOLONOMIC)
            note_worst(&run->stats.position, level[0], fmax(level[2 * m], length), t, i);
        if (c && c->laws->contact_of_row[i] >= 0 && sim->row_kind[i] == ZM_HOLONOMIC)
            zr_note_lowest(sim->contacts, c->laws->contact_of_row[i], level[0], t);
        note_worst(&run->stats.velocity, level[m], fmax(level[3 * m], speed), t, i);
    }
}

/* What the end of a step has left of the residuals: they are in sim->level; they are not; they are
 * not, but nothing there is worse than what was noted before. */
typedef enum what_is_left { LEVELS, NOTHING, NOTHING_WORSE } what_is_left;

/* By parts the residuals themselves are not at hand, only their largest sizes. */
static what_is_left find_what_is_left(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zr_parts_road *parts = sim->solver->parts;
    if (run->settings.stabilize != ZW_PROJECT || run->step.stepper->counts.steps == 0)
        return NOTHING;
    if (run->touching.searched) return NOTHING; /* other states were looked at */
    if (!parts || !parts->projected) return LEVELS;
    bool worse = !(parts->off[ZR_POSITION] <= run->stats.position.size) ||
                 !(parts->off[ZR_VELOCITY] <= run->stats.velocity.size);
    return worse ? NOTHING : NOTHING_WORSE;
}

/* A change is counted where it differs from that of the step before. */
static void note_rank(zr_motion *run, double t)
{
    if (run->solving.rank != run->stats.rank) {
        run->stats.rank_changes++;
        if (isnan(run->stats.first_rank_change)) run->stats.first_rank_change = t;
    }
    run->stats.rank = run->solving.rank;
}

/* After an acceleration at this state. */
void zr_watch_start(zw_sim *sim)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_levels(sim, &s);
    zr_note_conflicts(sim, sim->t, sim->q, sim->v);
    note_violations(sim, sim->t);
    note_rank(sim->run, sim->t);
}

/* Into record.island_now: the energies, then their sizes. */
void zr_watch_islands(zw_sim *sim, const zk_source *s)
{
    zr_record *record = &sim->run->record;
    int32_t islands = sim->model->island_count;
    if (!record->island_h) return;
    zr_island_energies_at(sim, s, record->island_now, record->island_now + islands);
    for (int32_t g = 0; g < islands; g++)
        record->island_scale[g] = fmax(record->island_scale[g], record->island_now[islands + g]);
}

/* Residuals are evaluated only where the projection has not left them; energies at every
 * sixteenth step, for their size. */
void zr_watch_step(zw_sim *sim)
{
    zr_motion *run = sim->run;
    const zi_stepper *step = run->step.stepper;
    what_is_left levels = find_what_is_left(sim);
    bool sixteenth = step->counts.steps % 16 == 0;
    bool conflicts = run->solving.any_conflicting || run->seams.was_any ||
                     (sim->drive && zr_do_motors_differ(sim));
    const double *y = levels == NOTHING || sixteenth || conflicts ? zr_end_state(sim) : NULL;
    zk_source s = zr_source(sim, step->t, y, y ? y + sim->zm->n : NULL);
    if (levels == NOTHING) zr_evaluate_levels(sim, &s);
    if (conflicts) zr_note_conflicts(sim, step->t, y, y + sim->zm->n);
    if (levels != NOTHING_WORSE) note_violations(sim, step->t);
    note_rank(run, step->t);
    if (run->solving.rank > run->solving.generic_rank) {
        zr_raise_generic_rank(sim, &run->solving);
        run->record.raised_t = step->t;
    }
    if (!sixteenth) return;
    zr_energies e;
    zr_energies_at(sim, &s, &e);
    run->stats.energy.scale = fmax(run->stats.energy.scale, e.scale);
    zr_watch_islands(sim, &s);
}
