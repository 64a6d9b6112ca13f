/*
 * Finding the mode of an instant, island by island. First the last mode with what an event forces; it
 * is right nearly always, and at an event the old one is still right to rounding, which is why an event
 * forces its change. Then repairs: all broken laws at once while their number falls, then the worst alone. Then
 * all modes, where they are few. What has no friction is a matter of active_set.c, and unique; with rows that
 * motors hold it is searched for as all others.
 */
#include "mode_search.h"

#include <math.h>
#include <string.h>

#include "active_set.h"
#include "contact_island.h"
#include "share_space.h"
#include "slide_direction.h"

/* ------------------------------------------------------------------------- trials */

void zg_copy_mode(const zg_island *c, const zg_trial *from, zg_trial *to)
{
    memcpy(to->contact, from->contact, (size_t)c->contacts);
    memcpy(to->friction, from->friction, (size_t)c->frictions);
    memcpy(to->direction, from->direction, 3 * sizeof(double) * (size_t)c->frictions);
    memcpy(to->side, from->side, (size_t)c->frictions);
}

void zg_copy_trial(const zg_island *c, const zg_trial *from, zg_trial *to)
{
    zg_copy_mode(c, from, to);
    memcpy(to->x, from->x, sizeof(double) * (size_t)c->r);
    memcpy(to->u, from->u, sizeof(double) * (size_t)c->r);
    memcpy(to->lambda, from->lambda, sizeof(double) * (size_t)c->joints);
    memcpy(to->rho, from->rho, sizeof(double) * (size_t)c->frictions);
    memcpy(to->row, from->row, (size_t)c->r);
    to->solved = from->solved;
    to->branches = from->branches;
    to->pivot = from->pivot;
    to->feedback = from->feedback;
    to->closed = from->closed;
    to->rank = from->rank;
    to->shared = from->shared;
    to->picked = from->picked;
}

static void judge(zg_hunt *h)
{
    zg_judge_trial(h->c, h->t, h->s->broken, h->s->broken + h->c->contacts, &h->judgement);
}

/* Whether a change of shares could change the motion: friction on contacts slides, or would. */
static bool shares_matter(const zg_hunt *h)
{
    for (int32_t n = 0; n < h->c->frictions; n++) {
        const island_friction *f = &h->c->friction[n];
        if (f->contact >= 0 && (h->t->friction[n] == ZG_SLIDE || f->slips)) return true;
    }
    return false;
}

bool zg_try(zg_hunt *h)
{
    zg_solve_mode(h->c, h->s, h->t);
    h->solves++;
    judge(h);
    if (h->judgement.count == 0 && shares_matter(h)) {
        if (h->c->held == 0) zg_judge_unloaded(h);
    } else if (h->judgement.count > 0 && h->t->shared) {
        /* another share may obey the laws; else it is the one that nearly does */
        h->shared = h->shared || shares_matter(h);
        if (zg_best_share(h->c, h->s, h->t, false, h->t->x)) {
            zg_note_motion(h->c, h->t);
            judge(h);
            h->t->picked = h->s->loose || h->c->joints > 0;
        }
    }
    return h->judgement.count == 0;
}

/* In the plane a slide is one of a direction. */
static bool has_choice(const zg_hunt *h, const zg_trial *t, int32_t n)
{
    if (h->forced_friction[n] != t->friction[n]) return false;
    if (t->friction[n] != ZG_SLIDE || h->c->friction[n].width > 1) return true;
    return t->direction[3 * n] * h->forced_direction[3 * n] > 0.0;
}

static bool has_forced(const zg_hunt *h, const zg_trial *t)
{
    for (int32_t i = 0; i < h->c->contacts; i++)
        if (h->forced_contact[i] != ZG_ANY &&
            (h->forced_contact[i] == ZG_TOUCHING) != (t->contact[i] == ZG_TOUCHING))
            return false;
    for (int32_t n = 0; n < h->c->frictions; n++)
        if (h->forced_friction[n] != ZG_ANY && !has_choice(h, t, n)) return false;
    return true;
}

/* ---------------------------------------------------------------------- beginning */

/* The last mode as far as it is possible now; without one all touches, and sticks where it is at rest. */
static void begin_trial(const zg_hunt *h, const zg_mode *last)
{
    const zg_island *c = h->c;
    zg_trial *t = h->t;
    if (last)
        zg_gather_mode(c, last, t);
    else
        memset(t->contact, ZG_TOUCHING, (size_t)c->contacts);
    memset(t->side, ZG_SIDE_ANY, (size_t)c->frictions);
    for (int32_t i = 0; i < c->contacts; i++)
        if (t->contact[i] == ZG_UNLOADED) t->contact[i] = ZG_OPEN;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (f->slips) {
            t->friction[n] = ZG_SLIDE;
            memcpy(t->direction + 3 * n, f->slip, sizeof f->slip);
        } else if (!last || t->friction[n] == ZG_IDLE) {
            t->friction[n] = ZG_STICK;
        }
    }
}

static void put_forced(const zg_hunt *h)
{
    const zg_island *c = h->c;
    for (int32_t i = 0; i < c->contacts; i++) {
        if (h->forced_contact[i] == ZG_TOUCHING) zg_close_contact(c, h->t, i);
        if (h->forced_contact[i] == ZG_OPEN) h->t->contact[i] = ZG_OPEN;
    }
    for (int32_t n = 0; n < c->frictions; n++) {
        if (h->forced_friction[n] == ZG_ANY || c->friction[n].slips) continue;
        h->t->friction[n] = h->forced_friction[n];
        memcpy(h->t->direction + 3 * n, h->forced_direction + 3 * n, 3 * sizeof(double));
    }
}

/* ------------------------------------------------------------------------ repairs */

static void mend_all(zg_hunt *h)
{
    const uint8_t *broken = h->s->broken;
    for (int32_t i = 0; i < h->c->contacts; i++)
        zg_mend_contact(h->c, h->t, i, (zg_broken)broken[i]);
    broken += h->c->contacts;
    for (int32_t n = 0; n < h->c->frictions; n++)
        zg_mend_friction(h->c, h->t, n, (zg_broken)broken[n]);
}

static void mend_worst(zg_hunt *h)
{
    const zg_judgement *j = &h->judgement;
    bool contact = j->worst == ZG_FALLS || j->worst == ZG_PULLS;
    if (contact)
        zg_mend_contact(h->c, h->t, j->index, j->worst);
    else
        zg_mend_friction(h->c, h->t, j->index, j->worst);
}

/* What repairs let slide without need, and does not move, sticks again where it can. */
static void stick_again(zg_hunt *h)
{
    const zg_island *c = h->c;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        bool rests = h->t->friction[n] == ZG_SLIDE && !f->slips && h->forced_friction[n] == ZG_ANY;
        for (int32_t j = 0; j < f->width; j++) rests &= fabs(h->t->u[f->first + j]) <= c->sign;
        if (!rests) continue;
        zg_copy_trial(c, h->t, h->best);
        h->t->friction[n] = ZG_STICK;
        if (!zg_try(h)) zg_copy_trial(c, h->best, h->t);
    }
}

/* From the trial that was judged last; true where one is found. */
static bool repair(zg_hunt *h)
{
    int32_t fewest = h->judgement.count, left = 3 * (h->c->contacts + h->c->frictions);
    bool all = fewest > 2;
    while (h->judgement.count > 0 && (all || left-- > 0)) {
        if (all)
            mend_all(h);
        else
            mend_worst(h);
        if (zg_try(h)) {
            stick_again(h);
            return true;
        }
        all = all && h->judgement.count > 2 && h->judgement.count < fewest;
        if (h->judgement.count < fewest) fewest = h->judgement.count;
    }
    return false;
}

/* ---------------------------------------------------------------------- one island */

static bool has_friction(const zg_island *c)
{
    for (int32_t n = 0; n < c->frictions; n++)
        if (c->friction[n].mu_static > 0.0) return true;
    return false;
}

static bool all_slip(const zg_island *c)
{
    for (int32_t n = 0; n < c->frictions; n++)
        if (!c->friction[n].slips || c->friction[n].contact < 0) return false;
    return true;
}

/* Whether contacts contradict what motors hold: all touching, without friction, one falls. x is 1 there. */
static bool do_motors_contradict(zg_hunt *h)
{
    const zg_island *c = h->c;
    zg_trial *t = h->t;
    bool any = false;
    memset(t->friction, ZG_IDLE, (size_t)c->frictions);
    zg_solve_trial(c, h->s, t);
    memset(t->x, 0, sizeof *t->x * (size_t)c->r);
    for (int32_t i = 0; t->solved && i < c->contacts; i++) {
        int32_t row = c->contact[i].normal;
        bool falls = t->row[row] == ZG_ROW_IMPLIED && t->u[row] < -c->sign;
        if (falls) t->x[row] = 1.0;
        any = any || falls;
    }
    return any;
}

/* Nothing obeys the laws: whether that is because normals contradict each other. */
static zg_outcome explain_none(zg_hunt *h, bool all_tried)
{
    memset(h->t->contact, ZG_TOUCHING, (size_t)h->c->contacts);
    if (h->c->held > 0 ? do_motors_contradict(h)
                       : zg_solve_contacts(h->c, h->s, h->t, &h->solves) == ZG_CONFLICT) {
        zg_copy_trial(h->c, h->t, h->best);
        return ZG_CONFLICT;
    }
    return all_tried ? ZG_NO_MODE : ZG_UNDECIDED;
}

/* Contacts of `best` that do not move because they follow from rows that hold. */
static void mark_unloaded(zg_hunt *h)
{
    const zg_island *c = h->c;
    bool any = false;
    for (int32_t i = 0; i < c->contacts; i++)
        any |= h->best->contact[i] == ZG_OPEN && fabs(h->best->u[c->contact[i].normal]) <= c->sign;
    if (!any) return;
    zg_copy_trial(c, h->best, h->t);
    zg_solve_trial(c, h->s, h->t);
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t row = c->contact[i].normal;
        if (h->best->contact[i] != ZG_OPEN || !(fabs(h->best->u[row]) <= c->sign)) continue;
        if (c->own[row] > 0.0 && zg_spring_force(c, h->s, h->t, row) == -HUGE_VAL) continue;
        h->best->contact[i] = ZG_UNLOADED;
        h->best->row[row] = ZG_ROW_IMPLIED;
        h->best->closed++;
    }
}

/* Something at rest slides that a larger static coefficient might hold: the bound does not know of it. */
static bool might_stick(const zg_hunt *h)
{
    for (int32_t n = 0; n < h->c->frictions; n++) {
        const island_friction *f = &h->c->friction[n];
        if (!f->slips && f->mu_static > f->mu && h->best->friction[n] == ZG_SLIDE &&
            h->forced_friction[n] == ZG_ANY)
            return true;
    }
    return false;
}

/* Nothing has happened to any row of the island. */
static bool is_calm(const zg_island *c, const zg_search *search)
{
    if (!search->calm || !search->last) return false;
    for (int32_t i = 0; i < c->r; i++)
        if (!search->calm[c->row_of[i]]) return false;
    return true;
}

/* A mode, from the one that is begun with; h->found says whether there is one. */
static void hunt_mode(zg_hunt *h, bool got, int32_t modes)
{
    got = got || repair(h);
    h->found = 0;
    if (got && (!h->any_forced || has_forced(h, h->t) || modes < 0)) {
        zg_copy_trial(h->c, h->t, h->best);
        h->found = 1;
    }
    if (!h->found && modes >= 0) zg_try_modes(h, false);
    if (!h->found && modes < 0 && zg_follow_lemke(h) && (zg_try(h) || repair(h))) {
        zg_copy_trial(h->c, h->t, h->best);
        h->found = 1;
    }
}

/* Where shares of springs go with no mode, others may. */
static zg_outcome hunt_with_friction(zg_hunt *h, const zg_search *search, zg_found *found)
{
    bool got = zg_try(h);
    if (got && is_calm(h->c, search)) {
        zg_copy_trial(h->c, h->t, h->best);
        mark_unloaded(h);
        return ZG_FOUND;
    }
    int32_t modes = zg_count_modes(h);
    hunt_mode(h, got, modes);
    if (!h->found && h->shared) {
        h->s->loose = true;
        begin_trial(h, search->last);
        put_forced(h);
        hunt_mode(h, zg_try(h), modes);
    }
    if (!h->found) {
        found->certified &= !zg_turns(h->c);
        return explain_none(h, modes >= 0);
    }
    double bound = zg_uniqueness_bound(h->c, h->s);
    found->bound = fmax(found->bound, bound);
    bool sure = (bound < 1.0 && !might_stick(h)) || (all_slip(h->c) && zg_is_p_matrix(h->c, h->s));
    if (search->count && !sure && modes >= 0) {
        zg_try_modes(h, true);
        sure = !zg_turns(h->c) && !h->unsure;
    } else if (search->count && !sure && h->best->branches) {
        zg_try_branches(h);
    }
    if (!sure) found->certified = false;
    mark_unloaded(h);
    return h->found > 1 ? ZG_SEVERAL : ZG_FOUND;
}

/* Frictions without a coefficient do nothing. */
static void idle_frictions(const zg_island *c, zg_trial *t)
{
    for (int32_t n = 0; n < c->frictions; n++)
        if (!(c->friction[n].mu_static > 0.0)) t->friction[n] = ZG_IDLE;
}

zg_outcome zg_hunt_island(zg_hunt *h, const zg_search *search, zg_found *found)
{
    begin_trial(h, search->last);
    put_forced(h);
    h->s->loose = h->shared = false;
    if (has_friction(h->c) || h->c->held > 0) {
        zg_outcome outcome = hunt_with_friction(h, search, found);
        h->s->loose = false;
        return outcome;
    }
    zg_outcome outcome = zg_solve_contacts(h->c, h->s, h->t, &h->solves);
    zg_copy_trial(h->c, h->t, h->best);
    idle_frictions(h->c, h->best);
    return outcome;
}

/* ------------------------------------------------------------------- the instant */

zg_hunt zg_begin_hunt(zg_contact_space *space)
{
    zg_hunt h = {.c = &space->island,
                 .s = &space->system,
                 .t = &space->trial,
                 .best = &space->best,
                 .second = &space->second,
                 .begun = &space->begun,
                 .dual = &space->dual,
                 .other = &space->other,
                 .unloaded = space->unloaded,
                 .forced_contact = space->forced,
                 .forced_friction = space->forced + space->limits.contacts,
                 .forced_direction = space->forced_direction};
    memset(h.forced_contact, ZG_ANY, (size_t)h.c->contacts);
    memset(h.forced_friction, ZG_ANY, (size_t)h.c->frictions);
    return h;
}

static void gather_forced(const zg_search *search, zg_hunt *h)
{
    const zg_island *c = h->c;
    for (int32_t k = 0; k < search->forced_count; k++) {
        const zg_choice *choice = &search->forced[k];
        for (int32_t i = 0; i < c->contacts; i++) {
            if (c->contact_of[i] != choice->contact) continue;
            h->forced_contact[i] = choice->state;
            h->any_forced = true;
        }
        for (int32_t n = 0; n < c->frictions; n++) {
            if (choice->contact >= 0 || c->friction_of[n] != choice->friction) continue;
            h->forced_friction[n] = choice->state;
            memcpy(h->forced_direction + 3 * n, choice->direction, sizeof choice->direction);
            h->any_forced = true;
        }
    }
}

/* Worst of the certificates, relative. Accelerations and pressures are those of the forces, computed anew. */
static void note_certificate(zg_hunt *h, zg_trial *t, zg_found *found)
{
    zg_judgement j;
    double size = h->c->A;
    zg_note_motion(h->c, t);
    zg_judge_trial(h->c, t, h->s->broken, h->s->broken + h->c->contacts, &j);
    for (int32_t i = 0; i < h->c->r; i++) size = fmax(size, fabs(t->x[i]));
    if (!(size > 0.0)) return;
    zg_certificate *to = &found->certificate;
    to->primal = fmax(to->primal, j.sizes.primal / size);
    to->dual = fmax(to->dual, j.sizes.dual / size);
    to->complementarity = fmax(to->complementarity, j.sizes.complementarity / (size * size));
}

static int32_t severity(zg_outcome outcome)
{
    switch (outcome) {
    case ZG_FOUND:
        return 0;
    case ZG_UNDECIDED:
        return 1;
    case ZG_SEVERAL:
        return 2;
    case ZG_NO_MODE:
        return 3;
    case ZG_CONFLICT:
        return 4;
    }
    return 1;
}

/* What an island's outcome adds to that of the instant. */
static void collect(zg_hunt *h, const zg_instant *instant, zg_outcome outcome, zg_found *found)
{
    const zg_island *c = h->c;
    found->solves += h->solves;
    if (outcome == ZG_FOUND || outcome == ZG_SEVERAL) {
        note_certificate(h, h->best, found);
        if (outcome == ZG_SEVERAL) note_certificate(h, h->second, found);
        zg_scatter_mode(c, h->best, &found->mode);
        zg_scatter_forces(c, h->best, instant, found->x, found->u, found->row);
        found->pivot = fmin(found->pivot, h->best->pivot);
        found->feedback = fmax(found->feedback, h->best->feedback);
        found->forced &= has_forced(h, h->best);
        found->picked |= h->best->picked;
        if (found->other && outcome == ZG_SEVERAL)
            zg_scatter_forces(c, h->second, instant, found->other, NULL, NULL);
    } else {
        zg_scatter_mode(c, h->t, &found->mode);
        zg_scatter_forces(c, h->t, instant, found->x, found->u, found->row);
        if (found->other && outcome == ZG_CONFLICT)
            zg_scatter_forces(c, h->best, instant, found->other, NULL, NULL);
    }
    if (outcome == ZG_SEVERAL) zg_blame_several(h, found);
    if (outcome == ZG_NO_MODE) zg_blame_none(h, found);
}

zg_outcome zg_find_mode(zg_contact_space *space, const zg_instant *instant, const zg_search *search,
                        zg_found *found)
{
    zg_outcome outcome = ZG_FOUND;
    memset(space->absent, 0, (size_t)instant->contacts);
    int32_t islands = zg_split_islands(space, instant);
    found->certified = found->forced = true;
    found->picked = false;
    found->certificate = (zg_certificate){0};
    found->feedback = found->bound = found->contact_pivot = found->free_acceleration = 0.0;
    found->pivot = HUGE_VAL;
    found->value[0] = found->value[1] = 0.0;
    found->contact = found->friction = -1;
    found->solves = 0;
    if (found->other) memset(found->other, 0, sizeof(double) * (size_t)instant->rows);
    for (int32_t k = 0; k < islands; k++) {
        zg_gather_island(space, instant, k, &search->tolerance);
        zg_hunt h = zg_begin_hunt(space);
        gather_forced(search, &h);
        zg_outcome one = zg_hunt_island(&h, search, found);
        collect(&h, instant, one, found);
        if (severity(one) > severity(outcome)) outcome = one;
    }
    if (found->lambda) zg_write_multipliers(instant, found->x, found->lambda);
    if (found->pivot == HUGE_VAL) found->pivot = 1.0;
    if (outcome == ZG_UNDECIDED) found->certified = false;
    return outcome;
}
