/*
 * The mode of contacts at a state: what contact space answers (gauss/contact.h), as the mode of the
 * simulation. Of normals that follow from others a basis is on; where friction depends on how they
 * share, all of them are.
 */
#include "contact_record.h"
#include "touch_motors.h"

#include <math.h>
#include <string.h>

/* --------------------------------------------------------------------------- to ask */

static const uint8_t zg_touch[] = {
    [ZR_OPEN] = ZG_OPEN, [ZR_CLOSED] = ZG_TOUCHING, [ZR_IMPLIED] = ZG_UNLOADED};

/* The mode of the simulation in the numbers of the space: where the search begins. */
void zr_describe_mode(const zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    zr_space *s = c->space;
    s->last.loose = c->mode.picked;
    for (int32_t i = 0; i < s->contacts; i++)
        s->last.contact[i] = zg_touch[c->mode.touch[s->contact[i]]];
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t k = s->friction[f], first = c->laws->friction[k].slip;
        const zg_friction *is = &s->is_friction[f];
        bool moves = false;
        for (int32_t j = 0; j < is->width; j++) {
            s->last.direction[ZG_MOST_WIDTH * f + j] = c->mode.direction[first + j];
            moves = moves || is->slip[j] != 0.0;
        }
        s->last.side[f] = c->laws->friction[k].sided ? c->mode.side[k] : (int8_t)ZG_SIDE_ANY;
        uint8_t grip = c->mode.grip[k];
        s->last.friction[f] = grip == ZR_IDLE ? ZG_IDLE : grip == ZR_SLIDES ? ZG_SLIDE : ZG_STICK;
        if (grip == ZR_IDLE || (grip == ZR_STICKS && moves))
            s->last.friction[f] = moves ? ZG_SLIDE : ZG_STICK;
    }
}

/* What slid and is at rest now, by its own or by an impact, is tried as sticking first, unless it has only
 * just let go. */
static void hold_what_rests(const zw_sim *sim, const zr_happening *what)
{
    zr_space *s = sim->contacts->space;
    for (int32_t f = 0; f < s->frictions; f++) {
        const zg_friction *is = &s->is_friction[f];
        int32_t k = s->friction[f];
        bool rests = !what || (what->resting && what->resting[k]) || sim->contacts->slipped[k];
        for (int32_t j = 0; j < is->width; j++) rests = rests && is->slip[j] == 0.0;
        if (rests && s->last.friction[f] == ZG_SLIDE) s->last.friction[f] = ZG_STICK;
    }
}

/* A choice among the model's contacts or frictions as one among the candidates; false: it is not
 * among them. */
static bool translate_choice(const zr_space *s, const zg_choice *from, zg_choice *to)
{
    *to = *from;
    to->contact = to->friction = -1;
    for (int32_t i = 0; i < s->contacts; i++)
        if (from->contact >= 0 && s->contact[i] == from->contact) to->contact = i;
    for (int32_t f = 0; f < s->frictions; f++)
        if (from->friction >= 0 && s->friction[f] == from->friction) to->friction = f;
    return to->contact >= 0 || to->friction >= 0;
}

/* -------------------------------------------------------------------------- to take */

/* Row i of the space holds because motors hold it, and its force is rounding. */
static bool carries_nothing(const zr_space *s, int32_t i)
{
    double largest = 0.0;
    if (!s->motors) return false;
    for (int32_t j = 0; j < s->rows; j++) largest = fmax(largest, fabs(s->x[j]));
    return fabs(s->x[i]) <= 1e-11 * largest;
}

static void take_contacts(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    const zr_space *s = c->space;
    memset(c->mode.touch, ZR_OPEN, (size_t)c->laws->contacts);
    c->mode.dependent = c->mode.grips_depend = false;
    c->mode.picked = s->found.picked;
    for (int32_t i = 0; i < s->contacts; i++) {
        bool unloaded = s->mode.contact[i] == ZG_UNLOADED;
        bool implied = s->holds[s->is_contact[i].normal] == ZG_ROW_IMPLIED;
        if (s->mode.contact[i] == ZG_OPEN) continue;
        if (implied && carries_nothing(s, s->is_contact[i].normal)) unloaded = true;
        c->mode.touch[s->contact[i]] = unloaded ? ZR_IMPLIED : ZR_CLOSED;
        if (implied && !(unloaded && s->motors)) c->mode.dependent = true;
    }
}

/* The sign of what presses friction f of the space; where it is rounding, the side stays. */
static void take_side(zw_sim *sim, int32_t f)
{
    zr_contacts *c = sim->contacts;
    int32_t k = c->space->friction[f];
    if (!c->laws->friction[k].sided) return;
    double lambda = c->space->pressed[c->space->is_friction[f].joint_first];
    if (fabs(lambda) > zr_joint_band(sim, k)) c->mode.side[k] = lambda < 0.0 ? -1 : 1;
}

/* Friction f of the space, which slides, begins to: its slip is 0 and grows slowly beside what its
 * friction can do (zr_slow_gain). */
static bool begins_slowly(const zr_space *s, int32_t f)
{
    const zg_friction *is = &s->is_friction[f];
    double gain = 0.0, force = 0.0, response = 0.0;
    for (int32_t i = is->first; i < is->first + is->width; i++) {
        if (is->slip[i - is->first] != 0.0) return false;
        gain = hypot(gain, s->after[i]);
        force = hypot(force, s->x[i]);
        response += zr_own_response(s, i) / is->width;
    }
    return gain <= zr_slow_gain * (force * response + gain);
}

/* What begins to slide slowly creeps. */
static void take_frictions(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    const zr_space *s = c->space;
    int32_t creeping = 0;
    memset(c->mode.grip, ZR_IDLE, (size_t)c->laws->frictions);
    for (int32_t k = 0; k < c->laws->frictions; k++) c->mode.creeps[k] = false;
    for (int32_t f = 0; f < s->frictions; f++) {
        int32_t k = s->friction[f], first = c->laws->friction[k].slip;
        const zg_friction *is = &s->is_friction[f];
        uint8_t state = s->mode.friction[f];
        take_side(sim, f);
        c->mode.grip[k] = state == ZG_STICK ? ZR_STICKS : state == ZG_SLIDE ? ZR_SLIDES : ZR_IDLE;
        c->mode.creeps[k] = state == ZG_SLIDE && is->width > 1 && creeping < ZR_MOST_CREEPING &&
                            !sim->drive && begins_slowly(s, f);
        creeping += c->mode.creeps[k] ? 1 : 0;
        for (int32_t j = 0; j < is->width; j++) {
            bool implied = s->holds[is->first + j] == ZG_ROW_IMPLIED;
            c->mode.held[first + j] = state == ZG_STICK && !implied;
            c->mode.direction[first + j] =
                state == ZG_SLIDE ? s->mode.direction[ZG_MOST_WIDTH * f + j] : 0.0;
            if (carries_nothing(s, is->first + j)) continue; /* motors hold it */
            if (state == ZG_STICK && implied) c->mode.dependent = c->mode.grips_depend = true;
        }
    }
}

/* Whether something has happened to contact or friction `at` of the model: its mode is another one than
 * before the moment, or an event chooses it. */
static bool is_contact_stirred(const zw_sim *sim, const zr_happening *what, int32_t at)
{
    const zr_contacts *c = sim->contacts;
    bool chosen = what->closing && what->closing[at];
    for (int32_t i = 0; i < what->forced_count; i++)
        chosen = chosen || what->forced[i].contact == at;
    return chosen || c->mode.touch[at] != c->mode_before.touch[at] || c->mode.touch[at] == ZR_OPEN;
}

static bool is_friction_stirred(const zw_sim *sim, const zr_happening *what, int32_t at)
{
    const zr_contacts *c = sim->contacts;
    bool chosen = what->resting && what->resting[at];
    for (int32_t i = 0; i < what->forced_count; i++)
        chosen = chosen || (what->forced[i].contact < 0 && what->forced[i].friction == at);
    return chosen || c->mode.grip[at] != c->mode_before.grip[at];
}

/* Of each candidate: nothing has happened in its block, nor do speeds differ there from those before
 * the moment. NULL: there is nothing before. */
static const bool *list_calm(const zw_sim *sim, const zr_happening *what)
{
    const zr_contacts *c = sim->contacts;
    zr_space *s = c->space;
    int32_t *stirred = s->fill;
    if (!sim->run || !what || what->fresh) return NULL;
    for (int32_t b = 0; b < s->blocks.count; b++) {
        stirred[b] = 0;
        for (int32_t j = s->column_start[b]; j < s->column_start[b + 1]; j++)
            stirred[b] |= s->source.velocity[s->column[j]] != c->velocity[s->column[j]];
    }
    for (int32_t i = 0; i < s->contacts; i++)
        stirred[s->block_of[s->is_contact[i].normal]] |=
            is_contact_stirred(sim, what, s->contact[i]);
    for (int32_t f = 0; f < s->frictions; f++)
        stirred[s->block_of[s->is_friction[f].first]] |=
            is_friction_stirred(sim, what, s->friction[f]);
    for (int32_t i = 0; i < s->rows; i++) s->calm[i] = !stirred[s->block_of[i]];
    return s->calm;
}

/* What an event says cannot hold on, sticks or touches all the same: nothing else goes with the rest. */
static bool is_choice_refused(const zr_space *s, const zg_search *search)
{
    for (int32_t i = 0; i < search->forced_count; i++) {
        const zg_choice *is = &search->forced[i];
        bool opens = is->contact >= 0 && is->state == ZG_OPEN;
        bool slides = is->contact < 0 && is->state == ZG_SLIDE;
        if (opens && s->mode.contact[is->contact] == ZG_TOUCHING &&
            s->holds[s->is_contact[is->contact].normal] == ZG_ROW_BASIS)
            return true;
        if (slides && s->mode.friction[is->friction] == ZG_STICK &&
            s->holds[s->is_friction[is->friction].first] == ZG_ROW_BASIS)
            return true;
    }
    return false;
}

zw_status zr_find_mode_in_space(zw_sim *sim, const double *rest, const zr_happening *what)
{
    zr_space *s = sim->contacts->space;
    zr_set_slips(sim, rest);
    zr_describe_mode(sim);
    hold_what_rests(sim, what);
    zg_instant instant = zr_space_instant(sim, s->w);
    zg_search search = {.last = what && what->fresh ? NULL : &s->last,
                        .forced = s->choice,
                        .tolerance = zg_contact_usual,
                        .count = true,
                        .calm = list_calm(sim, what)};
    for (int32_t i = 0; what && i < what->forced_count; i++)
        if (translate_choice(s, &what->forced[i], &s->choice[search.forced_count]))
            search.forced_count++;
    s->found = (zg_found){.mode = s->mode,
                          .x = s->x,
                          .u = s->after,
                          .lambda = s->pressed,
                          .row = s->holds,
                          .other = s->other};
    zg_outcome outcome = zg_find_mode(s->solver, &instant, &search, &s->found);
    while (outcome == ZG_CONFLICT && zr_give_up_a_motor(sim, s->other)) {
        instant = zr_space_instant(sim, s->w);
        outcome = zg_find_mode(s->solver, &instant, &search, &s->found);
    }
    sim->contacts->trouble.kind = ZR_NO_TROUBLE;
    bool kept = outcome == ZG_FOUND && is_choice_refused(s, &search);
    if ((kept || (outcome != ZG_FOUND && outcome != ZG_SEVERAL)) && s->motors)
        return zr_note_drive(sim->drive, &s->source, ZR_DRIVE_TOUCHING, -1);
    if (outcome != ZG_FOUND) {
        zr_keep_trouble(sim, outcome, &s->found, s->found.contact);
        return ZW_ERR_CONTACT;
    }
    take_contacts(sim);
    take_frictions(sim);
    zr_note_mode(sim, &instant);
    return ZW_OK;
}
