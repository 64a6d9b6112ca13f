/*
 * What happens to contacts in a run: the first fall of the functions that tell it through 0 in a
 * step (touch_values.c), and the moment itself, at which the simulation settles (settle.c) and the
 * stepper starts anew.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "contact_record.h"
#include "kept_contacts.h"
#include "road_fused.h"
#include "touch_values.h"

enum { most_at_once = 200 };

/* ---------------------------------------------------------------------------- search */

/* Whether function k says that something happens. An open contact must close besides; by more than rounding,
 * as long as nothing has happened in the run and bands may be too narrow. */
static bool has_fallen(const zw_sim *sim, int32_t k, double value)
{
    const zr_contacts *c = sim->contacts;
    const zr_touching *w = &sim->run->touching;
    bool gap = k < c->laws->contacts && c->mode.touch[k] != ZR_CLOSED &&
               sim->row_kind[sim->zm->contacts[k].row] != ZM_ACCELERATION;
    bool early = gap && !w->armed[k] && w->moments == 0;
    double least = early ? c->small.rate[sim->zm->contacts[k].row] : 0.0;
    if (gap && !(c->gap[c->laws->contacts + k] < -least)) return false;
    return value < (w->armed[k] ? 0.0 : -w->band[k]);
}

static bool is_open_contact(const zr_contacts *c, int32_t k)
{
    return k < c->laws->contacts && c->mode.touch[k] == ZR_OPEN;
}

/* zi_watch.look: gaps are the functions that may fall in the step, and behind them the rates of those
 * that are open contacts. */
static zw_status look_at_contacts(void *user, double t, const double *y, bool *truth, double *gap)
{
    zw_sim *sim = user;
    const zr_touching *w = &sim->run->touching;
    const zr_contacts *c = sim->contacts;
    double *rate = gap + w->asked_count;
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    ZB_TRY(zr_find_searched_values(sim, &s, w->value));
    for (int32_t i = 0; i < w->asked_count; i++) {
        int32_t k = w->asked[i];
        truth[i] = has_fallen(sim, k, w->value[k]);
        gap[i] = w->value[k] + (w->armed[k] ? 0.0 : w->band[k]);
        if (is_open_contact(c, k)) *rate++ = c->gap[c->laws->contacts + k];
    }
    return ZW_OK;
}

/* Those that do not stay clear of 0; the watch for them. */
static zi_watch ask_functions(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    zi_watch watch = w->watch;
    w->asked_count = watch.gaps = 0;
    for (int32_t k = 0; k < w->watch.count; k++) {
        if (w->clear[k]) continue;
        w->asked[w->asked_count++] = k;
        watch.gaps += is_open_contact(sim->contacts, k) ? 2 : 1;
    }
    watch.count = w->asked_count;
    return watch;
}

/* ----------------------------------------------------------------------------- begin */

zw_status zr_begin_touching(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zr_touching *w = &run->touching;
    if (!sim->contacts) return ZW_OK;
    int32_t contacts = sim->contacts->laws->contacts, frictions = sim->contacts->laws->frictions;
    size_t count = (size_t)zr_touch_functions(sim->contacts->laws);
    ZB_TRY(zr_open_space(sim));
    sim->contacts->share = zr_share_multipliers;
    w->watch = (zi_watch){.count = (int32_t)count,
                          .gaps = (int32_t)count + contacts,
                          .user = sim,
                          .look = look_at_contacts};
    w->locator = ZB_NEW_ARRAY(&run->arena, double,
                              zi_locator_size(&w->watch, run->step.stepper->system.size));
    w->truth = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->turned = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->turned_asked = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->asked = ZB_NEW_ARRAY(&run->arena, int32_t, count);
    w->seen = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->clear = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->armed = ZB_NEW_ARRAY(&run->arena, bool, count);
    w->band = ZB_NEW_ARRAY(&run->arena, double, count);
    w->value = ZB_NEW_ARRAY(&run->arena, double, count);
    w->low = ZB_NEW_ARRAY(&run->arena, double, count + (size_t)contacts);
    w->high = ZB_NEW_ARRAY(&run->arena, double, count + (size_t)contacts);
    w->sample = ZB_NEW_ARRAY(&run->arena, double, count + (size_t)contacts);
    w->z = ZB_NEW_ARRAY(&run->arena, double, (size_t)sim->zm->n);
    w->force = ZB_NEW_ARRAY(&run->arena, double, (size_t)sim->zm->n);
    w->least = ZB_NEW_ARRAY(&run->arena, double, (size_t)sim->zm->n);
    w->closing = ZB_NEW_ARRAY(&run->arena, bool, (size_t)contacts);
    w->resting = ZB_NEW_ARRAY(&run->arena, bool, (size_t)frictions);
    w->crept = ZB_NEW_ARRAY(&run->arena, bool, (size_t)frictions);
    w->wanted = ZB_NEW_ARRAY(&run->arena, bool, (size_t)frictions);
    if (run->arena.failure != ZW_OK) return run->arena.failure;
    w->sweep = za_kernels_best()->sweep;
    w->spare = zi_spare_stages(run->step.stepper->method);
    w->last = (double)NAN;
    zr_begin_record(sim);
    return zr_touch_first(sim);
}

/* ------------------------------------------------------------------------ the moment */

/* Of forces: what is rounding in them. A row without a load of its own has what those bring that it feels. */
static double force_band(const zw_sim *sim, int32_t row)
{
    const zr_space *s = sim->contacts->space;
    int32_t i = s->at[row];
    if (i < 0 || !(zr_own_response(s, i) > 0.0)) return 0.0;
    int32_t b = s->block_of[i], first = s->block_start[b], end = s->block_start[b + 1];
    const double *G = s->G + s->G_at[b] + (size_t)(i - first) * (size_t)(end - first);
    double most = 0.0;
    for (int32_t j = first; j < end; j++) {
        double own = zr_own_response(s, j);
        if (!(own > 0.0) || G[j - first] == 0.0) continue;
        most = fmax(most,
                    fmax(fmax(s->size[j], fabs(s->w[j])) / sqrt(own), fabs(s->x[j]) * sqrt(own)));
    }
    return 1e-9 * most / sqrt(zr_own_response(s, i));
}

static double band_of_friction(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    const zm_friction *f = &sim->zm->frictions[k];
    double most = 0.0;
    for (int32_t j = 0; j < f->width; j++) {
        double band = c->mode.grip[k] == ZR_SLIDES ? c->small.rate[f->first_row + j]
                                                   : force_band(sim, f->first_row + j);
        most = fmax(most, band);
    }
    return most;
}

/* Bands and what is armed, in the mode that was entered, at the state it was found for. */
static zw_status arm_functions(zw_sim *sim, double t, const double *q, const double *v)
{
    zr_touching *w = &sim->run->touching;
    const zr_contacts *c = sim->contacts;
    int32_t contacts = c->laws->contacts;
    zk_source s = zr_source(sim, t, q, v);
    for (int32_t k = 0; k < contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        if (c->kept_count > 0 && c->kept[k]) continue; /* as it was when it closed */
        w->band[k] = c->mode.touch[k] == ZR_CLOSED ? force_band(sim, row) : c->small.gap[row];
        if (c->mode.touch[k] == ZR_OPEN && sim->row_kind[row] == ZM_ACCELERATION)
            w->band[k] = 1e-9 * c->space->size[c->space->at[row]];
    }
    for (int32_t k = 0; k < c->laws->frictions; k++)
        w->band[contacts + k] = band_of_friction(sim, k);
    for (int32_t k = 0; k < c->laws->presses; k++)
        w->band[contacts + c->laws->frictions + k] =
            c->laws->friction[k].sided ? zr_joint_band(sim, k) : 0.0;
    ZB_TRY(zr_find_touch_values(sim, &s, w->value));
    if (zr_has_touch_forces(c)) zr_find_pulls(sim, w->z);
    for (int32_t k = 0; k < w->watch.count; k++) w->armed[k] = w->value[k] > w->band[k];
    for (int32_t k = 0; k < contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        if (c->mode.touch[k] == ZR_OPEN && c->gap[contacts + k] > c->small.rate[row])
            w->armed[k] = true; /* it has just left */
    }
    return ZW_OK;
}

/* The largest of sizes [n] in the metric of the inertias is that of all coordinates of an island:
 * rounding of one is felt by the others. */
static void spread_sizes(const zw_sim *sim, double *size)
{
    const double *inertia = sim->run->step.inertia, *island = inertia + sim->zm->n;
    int32_t n = sim->zm->n;
    double *largest = sim->run->touching.z;
    memset(largest, 0, sizeof *largest * (size_t)n);
    for (int32_t j = 0; j < n; j++) {
        double *most = &largest[(int32_t)island[j]];
        *most = fmax(*most, sqrt(fabs(inertia[j])) * size[j]);
    }
    for (int32_t j = 0; j < n; j++)
        if (inertia[j] > 0.0) size[j] = largest[(int32_t)island[j]] / sqrt(inertia[j]);
}

/* Rounding of each acceleration: of what it would be without contacts, and what each of them adds. */
static void measure_accelerations(zw_sim *sim)
{
    const zr_space *s = sim->contacts->space;
    double *size = sim->run->touching.least;
    int32_t n = sim->zm->n;
    for (int32_t j = 0; j < n; j++) size[j] = s->rows > 0 ? fabs(s->z[j]) : 0.0;
    for (int32_t j = 0; sim->contacts->kept_count > 0 && j < n; j++) {
        double inertia = sim->run->step.inertia[j];
        if (inertia > 0.0) size[j] += fabs(sim->Q[j]) / inertia;
    }
    for (int32_t i = 0; i < s->rows; i++) {
        const int32_t *column;
        int32_t count;
        const double *Z = zr_response(s, i, &column, &count);
        for (int32_t j = 0; j < count; j++) size[column[j]] += fabs(s->x[i] * Z[j]);
    }
    spread_sizes(sim, size);
    for (int32_t j = 0; j < n; j++) size[j] *= 64.0 * DBL_EPSILON;
}

bool zr_clear_resting(const zw_sim *sim, double *z)
{
    const zr_touching *w = &sim->run->touching;
    return w->sweep->clear_small(sim->zm->n, w->least, z);
}

void zr_renew_roads(zw_sim *sim)
{
    zr_motion *run = sim->run;
    const zr_space *s = sim->contacts->space;
    int32_t rank = run->touching.base_rank + sim->contacts->kept_count;
    for (int32_t i = 0; i < s->rows; i++)
        if (s->holds[i] == ZG_ROW_BASIS) rank++;
    if (rank > zr_rows_on(sim)) rank = zr_rows_on(sim);
    bool independent = rank >= zr_rows_on(sim);
    run->solving.generic_rank = run->solving.generic_most = run->solving.rank = rank;
    run->stats.rank = rank;
    zg_system_know_independent(sim->solver->all.system, independent);
    run->solving.asks_fused = independent && zr_fused_serves(sim, &run->settings);
    zr_wake_roads(&run->solving);
}

/* The energy has changed by this much at a moment: by its impacts, and by friction. */
static void balance_energies(zw_sim *sim, double *y, double change)
{
    zr_motion *run = sim->run;
    int32_t place = run->record.work_place[ZR_FRICTION];
    double given = place >= 0 ? sim->contacts->given_back : 0.0;
    if (place >= 0) y[2 * sim->zm->n + place] += given;
    run->stats.energy.impacts += change - given;
    zr_balance_losses(sim, given - change);
}

/* What contacts do before something happens. */
static void keep_mode_before(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    zr_copy_mode(sim, &c->mode, &c->mode_before);
}

/* q, v [n] at t settle; what the motion goes on with is ready. */
static zw_status settle_run(zw_sim *sim, double t, double *y, const zr_happening *what)
{
    zr_contacts *c = sim->contacts;
    double *q = y, *v = y + sim->zm->n;
    zr_energies before, after;
    zk_source s = zr_source(sim, t, q, v);
    zr_energies_at(sim, &s, &before);
    if (!what->let_go) keep_mode_before(sim);
    if (!what->resting)
        memset(sim->run->touching.resting, 0, sizeof(bool) * (size_t)c->laws->frictions);
    memset(c->happened, 0, (size_t)c->laws->sites);
    ZB_TRY(zr_settle(sim, t, q, v, what));
    zr_energies_at(sim, &s, &after);
    balance_energies(sim, y, after.h - before.h);
    zr_note_changes(sim, t, what->first);
    measure_accelerations(sim);
    zr_forget_samples(sim);
    zw_status status = arm_functions(sim, t, q, v);
    zr_keep_none(sim);
    return status;
}

zw_status zr_touch_first(zw_sim *sim)
{
    zr_motion *run = sim->run;
    size_t n = (size_t)sim->zm->n;
    zr_happening what = {.impacts = true, .fresh = true, .first = true};
    zr_open_all(sim);
    memset(sim->contacts->pull, 0, sizeof(double) * (size_t)sim->contacts->laws->contacts);
    memcpy(run->step.y, sim->q, sizeof *sim->q * n);
    memcpy(run->step.y + n, sim->v, sizeof *sim->v * n);
    ZB_TRY(settle_run(sim, sim->t, run->step.y, &what));
    memcpy(sim->q, run->step.y, sizeof *sim->q * n);
    memcpy(sim->v, run->step.y + n, sizeof *sim->v * n);
    ZB_TRY(zr_restart(sim, sim->t));
    if (run->events.watch.count == 0) return ZW_OK;
    return zr_look_at_events(sim, sim->t, sim->q, sim->v, run->events.truth, run->events.gap);
}

/* How friction k, which sticks, lets go: against what holds it. Where nothing does, the contact that presses
 * it opens; false: there is none, and nothing happens. */
static bool find_release(const zw_sim *sim, int32_t k, zg_choice *choice)
{
    const zm_friction *f = &sim->zm->frictions[k];
    const zr_space *s = sim->contacts->space;
    const zr_friction_roots *at = &sim->contacts->laws->friction[k];
    double square = 0.0, band = sim->run->touching.band[sim->contacts->laws->contacts + k];
    bool holds = false;
    for (int32_t j = at->slip; j < at->slip + f->width; j++)
        holds = holds || sim->contacts->mode.held[j];
    if (!holds && !sim->contacts->mode.grips_depend) return false; /* something else has moved it */
    *choice = (zg_choice){.contact = -1, .friction = k, .state = ZG_SLIDE};
    for (int32_t j = 0; j < f->width; j++) {
        int32_t row = f->first_row + j;
        double tau = sim->contacts->mode.grips_depend && s->at[row] >= 0 ? s->other[s->at[row]]
                                                                         : sim->lambda[row];
        choice->direction[j] = -tau;
        square += tau * tau;
    }
    if (!(sqrt(square) > band)) {
        *choice = (zg_choice){.contact = -1, .friction = -1, .state = ZG_OPEN};
        if (at->joint || at->row_count > 1) return false;
        choice->contact = sim->contacts->laws->contact_of_row[at->first_row];
        return true;
    }
    for (int32_t j = 0; j < f->width; j++) choice->direction[j] /= sqrt(square);
    return true;
}

/* Friction k has fallen; or it sticks, is at its limit as well, and shares with what has: to rounding margins of
 * one share come to 0 together. */
static bool has_let_go(const zw_sim *sim, int32_t k)
{
    const zr_touching *w = &sim->run->touching;
    const zr_contacts *c = sim->contacts;
    int32_t at = c->laws->contacts + k;
    bool shares = c->mode.grips_depend && c->mode.grip[k] == ZR_STICKS;
    return w->turned[at] || (shares && w->armed[at] && w->value[at] <= w->band[at]);
}

/* The slip of friction k, which has fallen, is none. In a plane or in space it may have turned instead, by
 * more than a right angle in one step. */
static bool has_come_to_rest(const zw_sim *sim, int32_t k)
{
    const double times = 100.0; /* its tolerance */
    const zr_contacts *c = sim->contacts;
    int32_t first = c->laws->friction[k].slip, width = sim->zm->frictions[k].width;
    double square = 0.0, most = zr_slip_tolerance(sim, k);
    for (int32_t j = first; j < first + width; j++) {
        square += c->slip[j] * c->slip[j];
        most = fmax(most, c->small.rate[c->laws->row_of_slip[j]]);
    }
    return width == 1 || sqrt(square) <= times * most;
}

/* Slips of frictions k and l are of the same coordinates. */
static bool moves_with(const zw_sim *sim, int32_t k, int32_t l)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    const zr_pattern *T = &laws->T;
    int32_t a = laws->friction[k].slip, b = laws->friction[l].slip;
    int32_t last = b + sim->zm->frictions[l].width;
    for (int32_t p = T->start[a]; p < T->start[a + sim->zm->frictions[k].width]; p++)
        for (int32_t q = T->start[b]; q < T->start[last]; q++)
            if (T->column[p] == T->column[q]) return true;
    return false;
}

/* Feet of one body come to rest together: one is the first by rounding. */
static void rest_together(const zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    bool *resting = sim->run->touching.resting;
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        if (!resting[k] || sim->zm->frictions[k].width == 1) continue;
        for (int32_t l = 0; l < c->laws->frictions; l++)
            if (c->mode.grip[l] == ZR_SLIDES && sim->zm->frictions[l].width > 1 &&
                has_come_to_rest(sim, l) && moves_with(sim, k, l))
                resting[l] = true;
    }
}

/* What the functions that have fallen mean; forces at the state are in sim->lambda. To rounding the
 * mode before still serves: what happens is preferred to it. */
static zr_happening read_happening(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    zr_contacts *c = sim->contacts;
    zg_choice *forced = c->forced;
    zr_happening what = {
        .closing = w->closing, .resting = w->resting, .forced = forced, .impacts = true};
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        bool closed = c->mode.touch[k] == ZR_CLOSED;
        w->closing[k] = w->turned[k] && !closed;
        if (w->turned[k])
            forced[what.forced_count++] =
                (zg_choice){.contact = k, .friction = -1, .state = closed ? ZG_OPEN : ZG_TOUCHING};
    }
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        bool turned = has_let_go(sim, k);
        w->resting[k] = turned && c->mode.grip[k] == ZR_SLIDES && has_come_to_rest(sim, k);
        if (!turned || c->mode.grip[k] != ZR_STICKS) continue;
        if (find_release(sim, k, &forced[what.forced_count])) what.forced_count++;
    }
    rest_together(sim);
    /* what presses goes through 0: from the other side from here on */
    for (int32_t k = 0; k < c->laws->presses; k++)
        if (w->turned[c->laws->contacts + c->laws->frictions + k])
            c->mode.side[k] = (int8_t)-c->mode.side[k];
    return what;
}

/* Moments that follow each other without time between. */
static zw_status mind_moments(zw_sim *sim, double t)
{
    zr_touching *w = &sim->run->touching;
    double span = fmax(fabs(t), 1e-3 * fabs(sim->run->settings.until - sim->run->record.start_t));
    bool at_once = t - w->last <= 1e-14 * (isfinite(span) ? span : fabs(t));
    w->at_once = at_once ? w->at_once + 1 : 0;
    w->last = t;
    w->moments++;
    zr_note_moment(sim, at_once);
    return w->at_once > most_at_once ? ZW_ERR_CHATTER : ZW_OK;
}

/* The first step after it is not longer than the last one, nor than what has just left takes to
 * come back, about. */
static double choose_first_step(const zw_sim *sim, double before)
{
    const zr_contacts *c = sim->contacts;
    double h = before;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        double rate = c->gap[c->laws->contacts + k], back = -c->pull[k];
        bool leaves = (c->happened[k] & ZR_HAS_IMPACT) && c->mode.touch[k] == ZR_OPEN;
        if (leaves && rate > 0.0 && back > 0.0) h = fmin(h, 4.0 * rate / back);
    }
    return h;
}

/* What happens at t, inside the last step: run->step.y becomes the state after it. */
static zw_status settle_pending(zw_sim *sim, double t)
{
    double *y = sim->run->step.y;
    ZB_TRY(zr_read_state_inside(sim, t));
    zk_source s = zr_source(sim, t, y, y + sim->zm->n);
    ZB_TRY(zr_find_touch_values(sim, &s, sim->run->touching.value));
    zr_happening what = read_happening(sim);
    if (zr_has_touch_forces(sim->contacts)) what.z = sim->run->touching.z;
    if (!what.z && sim->model->uses_measures) ZB_TRY(zr_measure_reactions(sim, &s));
    return settle_run(sim, t, y, &what);
}

/* Events that what happened has turned true fire at the same moment, on what it has left. */
static zw_status look_at_events_after(zw_sim *sim, double t)
{
    zr_firing *e = &sim->run->events;
    const double *y = sim->run->step.y;
    if (e->watch.count == 0) return ZW_OK;
    ZB_TRY(zr_look_at_events(sim, t, y, y + sim->zm->n, e->seen, e->gap));
    for (int32_t k = 0; k < e->watch.count; k++) {
        e->turned[k] = e->seen[k] && !e->truth[k];
        e->pending = e->pending || e->turned[k];
        e->truth[k] = e->seen[k];
    }
    e->pending_t = t;
    return ZW_OK;
}

/* Conditions are held as they were in the step: a row must not become another one here. */
zw_status zr_meet_touch(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *step = run->step.stepper;
    double t = run->events.pending_t, before = step->t - step->t_old;
    run->events.pending = run->touching.pending = false;
    ZB_TRY(mind_moments(sim, t));
    zr_hold_conditions(sim);
    zw_status status = settle_pending(sim, t);
    zr_show_conditions(sim);
    run->switching.decided = false;
    zw_status begun = zr_restart(sim, t);
    if (status != ZW_OK) return status;
    ZB_TRY(begun);
    if (step->method->pair) step->h = choose_first_step(sim, before);
    return look_at_events_after(sim, t);
}

void zr_let_all_go(zw_sim *sim)
{
    keep_mode_before(sim);
    zr_open_all(sim);
    zr_enter_mode(sim);
}

/* To rounding what has just opened could be closed again: where it can stay open it does. */
zw_status zr_touch_set_values(zw_sim *sim, double t, double *y)
{
    zr_contacts *c = sim->contacts;
    zr_happening what = {.impacts = true, .fresh = true, .let_go = true, .forced = c->forced};
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->mode_before.touch[k] == ZR_OPEN)
            c->forced[what.forced_count++] =
                (zg_choice){.contact = k, .friction = -1, .state = ZG_OPEN};
    return settle_run(sim, t, y, &what);
}

/* Conditions are on the sides that were decided: at the surface itself they could be on either. */
zw_status zr_touch_again(zw_sim *sim)
{
    zr_motion *run = sim->run;
    zi_stepper *step = run->step.stepper;
    double t = step->t, h = step->h;
    zr_happening what = {.impacts = true};
    memcpy(run->step.y, zr_end_state(sim), sizeof(double) * (size_t)step->system.size);
    zr_hold_conditions(sim);
    zw_status status = settle_run(sim, t, run->step.y, &what);
    zr_show_conditions(sim);
    ZB_TRY(status);
    ZB_TRY(zr_restart(sim, t));
    if (step->method->pair) step->h = h;
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- a step */

zw_status zr_find_touch(zw_sim *sim, double *t)
{
    zr_motion *run = sim->run;
    zr_touching *w = &run->touching;
    zi_stepper *s = run->step.stepper;
    zi_detection detection = {.turned = w->turned_asked, .truth = w->seen};
    *t = HUGE_VAL;
    w->searched = !zr_is_touch_quiet(sim);
    if (!w->searched) {
        w->quiet++;
        return ZW_OK;
    }
    zi_watch watch = ask_functions(sim);
    memset(w->truth, 0, (size_t)watch.count);
    memset(w->turned, 0, (size_t)w->watch.count);
    zr_keep_trace(sim, &run->solving);
    zr_hold_conditions(sim);
    zw_status status = zi_locate(s, &watch, s->t_old, w->truth, w->locator, &detection);
    zr_show_conditions(sim);
    zr_put_back_trace(sim, &run->solving);
    if (status == ZW_OK && detection.found) *t = detection.t;
    for (int32_t i = 0; i < watch.count; i++) w->turned[w->asked[i]] = w->turned_asked[i];
    return status;
}

/* Contacts that followed from others and do no longer touch. */
static void open_implied(zw_sim *sim, double t)
{
    const zr_touching *w = &sim->run->touching;
    zr_contacts *c = sim->contacts;
    bool any = false;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        if (c->mode.touch[k] != ZR_IMPLIED || !(c->gap[k] > 10.0 * w->band[k])) continue;
        c->mode.touch[k] = ZR_OPEN;
        zr_note_opening(sim, t, k);
        any = true;
    }
    if (any) zr_enter_mode(sim);
}

/* Where a run begins nothing is known of the sizes of its motion, and bands of gaps that are 0 there are
 * too narrow. */
static void widen_first_bands(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    const zr_contacts *c = sim->contacts;
    for (int32_t k = 0; w->moments == 0 && k < c->laws->contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        bool gap = c->mode.touch[k] == ZR_OPEN && sim->row_kind[row] == ZM_HOLONOMIC;
        if (gap && !w->armed[k]) w->band[k] = fmax(w->band[k], 0.1 * zr_height_tolerance(sim, row));
    }
}

zw_status zr_end_touching_step(zw_sim *sim)
{
    zr_touching *w = &sim->run->touching;
    const double *y = zr_end_state(sim);
    zk_source s = zr_source(sim, sim->run->step.stepper->t, y, y + sim->zm->n);
    if (!zr_take_last_sample(sim) && zr_find_touch_values(sim, &s, w->value) != ZW_OK) return ZW_OK;
    ZB_TRY(zr_note_gaps(sim, &s));
    widen_first_bands(sim);
    for (int32_t k = 0; k < w->watch.count; k++)
        w->armed[k] = w->armed[k] || w->value[k] > w->band[k];
    open_implied(sim, s.time);
    zr_keep_last_sample(sim);
    return ZW_OK;
}
