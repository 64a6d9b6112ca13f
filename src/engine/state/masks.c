/*
 * Masks and functions of contacts (contacts.h). A mask is a value like a parameter: where masks
 * change, the constant part of A and what was hoisted are to be evaluated anew (friction.c).
 */
#include "contacts.h"
#include "motors.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------- memory */

static double *take_contact_doubles(zw_sim *sim, int64_t count)
{
    return ZB_NEW_ARRAY(&sim->arena, double, (size_t)count);
}

int32_t zr_reach_count(const zw_sim *sim)
{
    const struct zr_motors *motors = sim->model->motors;
    return motors ? motors->rows * motors->count : 0;
}

static zr_mode take_mode_arrays(zw_sim *sim)
{
    const struct zr_contact_laws *laws = sim->model->laws;
    return (zr_mode){.touch = ZB_NEW_ARRAY(&sim->arena, uint8_t, (size_t)laws->contacts),
                     .grip = ZB_NEW_ARRAY(&sim->arena, uint8_t, (size_t)laws->frictions),
                     .held = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->slips),
                     .side = ZB_NEW_ARRAY(&sim->arena, int8_t, (size_t)laws->frictions),
                     .creeps = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->frictions),
                     .direction = take_contact_doubles(sim, laws->slips),
                     .motor = ZB_NEW_ARRAY(&sim->arena, int8_t, (size_t)sim->zm->motor_count),
                     .reach = take_contact_doubles(sim, zr_reach_count(sim))};
}

/* As many dependencies as shares are computed for. Nothing where there is no friction. */
static void take_closure(zw_sim *sim)
{
    zr_closure *x = &sim->contacts->closure;
    int64_t n = sim->zm->n, m = sim->zm->m, masked = 0;
    x->m = sim->zm->m;
    if (sim->model->laws->frictions == 0) return;
    for (int32_t i = 0; i < sim->zm->m; i++) masked += sim->zm->mask[i] >= 0;
    x->most = (int32_t)(masked < ZR_MOST_DEPENDENCIES ? masked : ZR_MOST_DEPENDENCIES);
    x->row = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)masked);
    x->V = take_contact_doubles(sim, masked);
    x->part = take_contact_doubles(sim, masked);
    x->u = take_contact_doubles(sim, x->most * m);
    x->unit = take_contact_doubles(sim, m);
    x->lost = take_contact_doubles(sim, m);
    x->lambda = take_contact_doubles(sim, m);
    x->z = take_contact_doubles(sim, n);
}

/* Nothing creeps along a line. */
static void take_creep(zw_sim *sim)
{
    const struct zr_contact_laws *laws = sim->model->laws;
    zr_creep *creep = &sim->contacts->creep;
    int64_t n = sim->zm->n, m = sim->zm->m, most = 0;
    for (int32_t k = 0; k < laws->frictions; k++)
        if (sim->zm->frictions[k].width > 1 && most < ZR_MOST_CREEPING) most++;
    if (most == 0) return;
    creep->direction = take_contact_doubles(sim, laws->slips);
    creep->b = take_contact_doubles(sim, laws->slips);
    creep->lambda = take_contact_doubles(sim, 3 * most * m);
    creep->push = take_contact_doubles(sim, 3 * most * laws->frictions);
    creep->q = take_contact_doubles(sim, n);
    creep->v = take_contact_doubles(sim, n);
    creep->z = take_contact_doubles(sim, n);
}

static zr_smallness take_smallness(zw_sim *sim)
{
    int64_t m = sim->zm->m;
    return (zr_smallness){take_contact_doubles(sim, m), take_contact_doubles(sim, m),
                          take_contact_doubles(sim, m)};
}

/* Everything open and idle, all masked rows off. */
zw_status zr_open_contacts(zw_sim *sim)
{
    const struct zr_contact_laws *laws = sim->model->laws;
    if (!laws) return ZW_OK;
    zr_contacts *c = sim->contacts = ZB_NEW(&sim->arena, zr_contacts);
    if (!c) return sim->arena.failure;
    int64_t n = sim->zm->n, m = sim->zm->m, F = laws->frictions;
    c->laws = laws;
    c->mode = take_mode_arrays(sim);
    c->mode_kept = take_mode_arrays(sim);
    c->mode_before = take_mode_arrays(sim);
    c->forced = ZB_NEW_ARRAY(&sim->arena, zg_choice, (size_t)(laws->contacts + F));
    c->pull = take_contact_doubles(sim, laws->contacts);
    c->mode_aside = take_mode_arrays(sim);
    c->small = take_smallness(sim);
    c->small_aside = take_smallness(sim);
    c->touching = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->contacts);
    c->slow = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->contacts);
    c->slip_before = take_contact_doubles(sim, laws->frictions);
    c->kept = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->contacts);
    c->candidate = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->contacts);
    c->slipped = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->frictions);
    c->velocity = take_contact_doubles(sim, n);
    c->rest_below = take_contact_doubles(sim, laws->slips);
    c->happened = ZB_NEW_ARRAY(&sim->arena, uint8_t, (size_t)laws->sites);
    c->lost = take_contact_doubles(sim, laws->contacts);
    c->tally = ZB_NEW_ARRAY(&sim->arena, zr_tally, (size_t)laws->sites);
    c->blamed = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->contacts);
    c->shared = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)laws->contacts);
    c->off = ZB_NEW_ARRAY(&sim->arena, bool, (size_t)m);
    c->impulse = take_contact_doubles(sim, laws->contacts);
    c->gap = take_contact_doubles(sim, 2 * (int64_t)laws->contacts);
    c->T = take_contact_doubles(sim, laws->T.count);
    c->slip = take_contact_doubles(sim, (int64_t)laws->slips + laws->numbers);
    c->restitution = take_contact_doubles(sim, 2 * (int64_t)sim->zm->restitution_count);
    c->pressure = take_contact_doubles(sim, F);
    c->force = take_contact_doubles(sim, n);
    c->total = take_contact_doubles(sim, n);
    c->column = take_contact_doubles(sim, n);
    zr_open_friction_islands(sim);
    int64_t most = c->islands.most;
    c->column_lambda = take_contact_doubles(sim, most * m);
    c->base = take_contact_doubles(sim, m);
    c->trial = take_contact_doubles(sim, m);
    c->matrix = take_contact_doubles(sim, most * most);
    c->rest = take_contact_doubles(sim, most);
    c->which = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)F);
    c->turn = ZB_NEW_ARRAY(&sim->arena, int32_t, (size_t)F);
    take_creep(sim);
    take_closure(sim);
    if (sim->arena.failure != ZW_OK) return sim->arena.failure;
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (sim->zm->mask[i] >= 0) {
            c->off[i] = true;
            c->masked = ++c->rows_off;
        }
    return ZW_OK;
}

/* ------------------------------------------------------------------------- functions */

static void clear_numbers(double *x, int64_t count)
{
    if (count > 0) memset(x, 0, sizeof *x * (size_t)count);
}

void zr_evaluate_gaps(zw_sim *sim, const zk_source *s)
{
    zr_contacts *c = sim->contacts;
    zk_source at = *s;
    if (!at.acceleration) at.acceleration = sim->work; /* zeros */
    clear_numbers(c->gap, 2 * (int64_t)c->laws->contacts);
    zr_evaluate_passes(sim, &c->laws->gaps, &at, NULL, c->gap);
}

void zr_evaluate_frictions(zw_sim *sim, const zk_source *s)
{
    zr_contacts *c = sim->contacts;
    clear_numbers(c->T, c->laws->T.count);
    clear_numbers(c->slip, (int64_t)c->laws->slips + c->laws->numbers);
    zr_evaluate_passes(sim, &c->laws->frictions_at, s, c->T, c->slip);
}

void zr_evaluate_restitutions(zw_sim *sim, const zk_source *s)
{
    zr_contacts *c = sim->contacts;
    clear_numbers(c->restitution, 2 * (int64_t)sim->zm->restitution_count);
    zr_evaluate_passes(sim, &c->laws->restitutions, s, NULL, c->restitution);
}

/* By the derivatives of the row, where it is on, and the state. */
double zr_gap_size(zw_sim *sim, const zk_source *s, int32_t k)
{
    zr_contacts *c = sim->contacts;
    int32_t row = sim->zm->contacts[k].row, m = sim->zm->m;
    int32_t shift = sim->row_kind[row] == ZM_HOLONOMIC ? 0 : m;
    double mask = sim->values[sim->zm->mask[row]];
    sim->values[sim->zm->mask[row]] = 1.0;
    zr_masks_changed(sim);
    zr_evaluate_levels(sim, s);
    sim->values[sim->zm->mask[row]] = mask;
    zr_masks_changed(sim);
    return fmax(sim->level[2 * m + shift + row], fabs(c->gap[k]));
}

void zr_open_all(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    memset(c->mode.touch, ZR_OPEN, (size_t)c->laws->contacts);
    memset(c->mode.grip, ZR_IDLE, (size_t)c->laws->frictions);
    for (int32_t k = 0; k < c->laws->frictions; k++) c->mode.creeps[k] = false;
    c->mode.dependent = c->mode.grips_depend = c->mode.picked = false;
    c->mode.span = 0.0;
    for (int32_t k = 0; k < sim->zm->motor_count; k++) c->mode.motor[k] = 0;
}

static void copy_some_bytes(void *to, const void *from, size_t size)
{
    if (size > 0) memcpy(to, from, size);
}

void zr_copy_mode(const zw_sim *sim, const zr_mode *from, zr_mode *to)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    size_t slips = (size_t)laws->slips;
    copy_some_bytes(to->touch, from->touch, (size_t)laws->contacts);
    copy_some_bytes(to->grip, from->grip, (size_t)laws->frictions);
    copy_some_bytes(to->held, from->held, sizeof *to->held * slips);
    copy_some_bytes(to->creeps, from->creeps, sizeof *to->creeps * (size_t)laws->frictions);
    copy_some_bytes(to->direction, from->direction, sizeof *to->direction * slips);
    copy_some_bytes(to->side, from->side, (size_t)laws->frictions);
    copy_some_bytes(to->motor, from->motor, (size_t)sim->zm->motor_count);
    copy_some_bytes(to->reach, from->reach, sizeof *to->reach * (size_t)zr_reach_count(sim));
    to->span = from->span;
    to->dependent = from->dependent;
    to->grips_depend = from->grips_depend;
    to->picked = from->picked;
}

void zr_copy_smallness(const zw_sim *sim, const zr_smallness *from, zr_smallness *to)
{
    size_t bytes = sizeof(double) * (size_t)sim->zm->m;
    copy_some_bytes(to->gap, from->gap, bytes);
    copy_some_bytes(to->rate, from->rate, bytes);
    copy_some_bytes(to->low, from->low, bytes);
}

void zr_forget_happenings(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    zr_open_all(sim);
    clear_numbers(c->impulse, c->laws->contacts);
    clear_numbers(c->lost, c->laws->contacts);
    clear_numbers(c->mode.direction, c->laws->slips);
    for (int32_t j = 0; j < c->laws->slips; j++) c->mode.held[j] = false;
    memset(c->mode.side, 1, (size_t)c->laws->frictions);
    c->decision = ZW_OK;
    clear_numbers(sim->measure, sim->zm->measure_count);
}

double zr_friction_mu(const zw_sim *sim, int32_t k)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    return sim->contacts->slip[laws->slips + laws->friction[k].mu];
}

double zr_friction_static(const zw_sim *sim, int32_t k)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    double mu = zr_friction_mu(sim, k);
    int32_t at = laws->friction[k].statics;
    return at < 0 ? mu : fmax(mu, sim->contacts->slip[laws->slips + at]);
}

double zr_contact_restitution(const zw_sim *sim, int32_t c)
{
    int32_t r = sim->zm->contacts[c].restitution;
    return r < 0 ? 0.0 : sim->contacts->restitution[2 * r];
}

double zr_contact_tangential(const zw_sim *sim, int32_t c)
{
    int32_t r = sim->zm->contacts[c].restitution;
    bool said = r >= 0 && sim->zm->restitutions[r].has_tangential;
    return said ? sim->contacts->restitution[2 * r + 1] : (double)NAN;
}

/* ----------------------------------------------------------------------------- masks */

/* Whether row i of A is on in the mode. */
static bool is_row_on(const zr_contacts *c, int32_t i)
{
    int32_t contact = c->laws->contact_of_row[i], slip = c->laws->slip_of_row[i];
    if (contact >= 0) return c->mode.touch[contact] == ZR_CLOSED;
    return slip < 0 ||
           (c->mode.grip[c->laws->friction_of_slip[slip]] == ZR_STICKS && c->mode.held[slip]);
}

static void set_mask(zw_sim *sim, int32_t i, bool on)
{
    zr_contacts *c = sim->contacts;
    sim->values[sim->zm->mask[i]] = on ? 1.0 : 0.0;
    c->off[i] = !on;
    c->rows_off += on ? 0 : 1;
}

/* Of an equation the most that its frictions do. */
double zr_site_state(const zw_sim *sim, int32_t site)
{
    const struct zr_contact_laws *laws = sim->contacts->laws;
    double most = 0.0;
    if (site < laws->contacts) return sim->values[sim->zm->contacts[site].state];
    for (int32_t f = 0; f < laws->frictions; f++)
        if (laws->site_of_friction[f] == site)
            most = fmax(most, sim->values[sim->zm->frictions[f].state]);
    return most;
}

/* What contact(NAME) and impulse(NAME) say. */
static void show_states(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        const zm_contact *is = &sim->zm->contacts[k];
        sim->values[is->state] = c->mode.touch[k] == ZR_OPEN ? 0.0 : 1.0;
        sim->values[is->impulse] = c->impulse[k];
    }
    for (int32_t f = 0; f < c->laws->frictions; f++) {
        const zr_friction_roots *at = &c->laws->friction[f];
        bool sticks = c->mode.grip[f] == ZR_STICKS, slides = c->mode.grip[f] == ZR_SLIDES;
        sim->values[sim->zm->frictions[f].state] = sticks ? 2.0 : slides ? 1.0 : 0.0;
        for (int32_t i = at->first_row; sticks && i < at->first_row + at->row_count; i++) {
            int32_t k = c->laws->contact_of_row[i];
            if (k >= 0 && c->mode.touch[k] != ZR_OPEN)
                sim->values[sim->zm->contacts[k].state] = 2.0;
        }
    }
}

void zr_show_directions(zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    int32_t slips = c->laws->slips;
    double *slot = sim->values + zr_first_friction_slot(sim->model);
    for (int32_t j = 0; j < slips; j++)
        slot[j] =
            c->mode.grip[c->laws->friction_of_slip[j]] == ZR_SLIDES ? c->mode.direction[j] : 0.0;
    for (int32_t f = 0; f < c->laws->frictions; f++)
        slot[slips + f] = c->mode.grip[f] == ZR_SLIDES ? 1.0 : 0.0;
    for (int32_t f = 0; f < c->laws->presses; f++)
        slot[slips + c->laws->frictions + f] = c->mode.side[f] < 0 ? -1.0 : 1.0;
}

void zr_mask_all(zw_sim *sim, bool on)
{
    zr_set_driven_off(sim, false);
    sim->contacts->rows_off = 0;
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (sim->zm->mask[i] >= 0) set_mask(sim, i, on);
}

/* Also those that follow from others, which a mode has off. */
void zr_mask_closed(zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    zr_set_driven_off(sim, false);
    sim->contacts->rows_off = 0;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        int32_t contact = c->laws->contact_of_row[i], slip = c->laws->slip_of_row[i];
        if (sim->zm->mask[i] < 0) continue;
        set_mask(sim, i,
                 contact >= 0 ? c->mode.touch[contact] != ZR_OPEN
                              : c->mode.grip[c->laws->friction_of_slip[slip]] == ZR_STICKS);
    }
}

void zr_count_masked_off(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    c->rows_off = 0;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        int32_t contact = c->laws->contact_of_row[i];
        bool kept = c->kept_count > 0 && contact >= 0 && c->kept[contact];
        c->off[i] = sim->zm->mask[i] >= 0 && !kept;
        c->rows_off += c->off[i] ? 1 : 0;
    }
    zr_set_driven_off(sim, true);
}

void zr_set_driven_off(zw_sim *sim, bool off)
{
    const struct zr_motors *motors = sim->model->motors;
    for (int32_t i = 0; motors && i < motors->rows; i++) {
        bool *at = &sim->contacts->off[motors->row[i]];
        sim->contacts->rows_off += (off ? 1 : 0) - (*at ? 1 : 0);
        *at = off;
    }
}

void zr_apply_mode(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    zr_set_driven_off(sim, false);
    c->rows_off = c->sliding = c->not_closed = 0;
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->mode.touch[k] != ZR_CLOSED) c->not_closed++;
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (sim->zm->mask[i] >= 0) set_mask(sim, i, is_row_on(c, i));
    c->creeping = 0;
    for (int32_t f = 0; f < c->laws->frictions; f++) {
        if (c->mode.grip[f] == ZR_SLIDES) c->sliding++;
        if (c->mode.grip[f] == ZR_SLIDES && c->mode.creeps[f]) c->creeping++;
    }
    zr_show_directions(sim);
    show_states(sim);
}
