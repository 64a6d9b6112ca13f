/*
 * The mode of contacts at a state: what contact space answers (gauss/contact.h), as the mode of the
 * simulation. Of normals that follow from others a basis is on; where friction depends on how they
 * share, all of them are.
 */
#include "contact_record.h"

#include <string.h>

/* --------------------------------------------------------------------------- to ask */

static const uint8_t zg_touch[] = {
    [ZR_OPEN] = ZG_OPEN, [ZR_CLOSED] = ZG_TOUCHING, [ZR_IMPLIED] = ZG_UNLOADED};

/* The mode of the simulation in the numbers of the space: where the search begins. */
void zr_describe_mode(const zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    zr_space *s = c->space;
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
        uint8_t grip = c->mode.grip[k];
        s->last.friction[f] = grip == ZR_IDLE ? ZG_IDLE : grip == ZR_SLIDES ? ZG_SLIDE : ZG_STICK;
        if (grip == ZR_IDLE || (grip == ZR_STICKS && moves))
            s->last.friction[f] = moves ? ZG_SLIDE : ZG_STICK;
    }
}

/* What slid and is at rest now is tried as sticking first, unless it has only just let go. */
static void hold_what_rests(const zw_sim *sim, const zr_happening *what)
{
    zr_space *s = sim->contacts->space;
    for (int32_t f = 0; f < s->frictions; f++) {
        const zg_friction *is = &s->is_friction[f];
        bool rests = !what || (what->resting && what->resting[s->friction[f]]);
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

static void take_contacts(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    const zr_space *s = c->space;
    memset(c->mode.touch, ZR_OPEN, (size_t)c->laws->contacts);
    c->mode.dependent = c->mode.grips_depend = false;
    for (int32_t i = 0; i < s->contacts; i++) {
        bool unloaded = s->mode.contact[i] == ZG_UNLOADED;
        bool implied = s->holds[s->is_contact[i].normal] == ZG_ROW_IMPLIED;
        if (s->mode.contact[i] == ZG_OPEN) continue;
        c->mode.touch[s->contact[i]] = unloaded ? ZR_IMPLIED : ZR_CLOSED;
        if (implied) c->mode.dependent = true;
    }
}

/* What begins to slide creeps. */
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
        c->mode.grip[k] = state == ZG_STICK ? ZR_STICKS : state == ZG_SLIDE ? ZR_SLIDES : ZR_IDLE;
        c->mode.creeps[k] = state == ZG_SLIDE && is->width > 1 && creeping < ZR_MOST_CREEPING;
        for (int32_t j = 0; j < is->width; j++)
            if (is->slip[j] != 0.0) c->mode.creeps[k] = false;
        creeping += c->mode.creeps[k] ? 1 : 0;
        for (int32_t j = 0; j < is->width; j++) {
            bool implied = s->holds[is->first + j] == ZG_ROW_IMPLIED;
            c->mode.held[first + j] = state == ZG_STICK && !implied;
            c->mode.direction[first + j] =
                state == ZG_SLIDE ? s->mode.direction[ZG_MOST_WIDTH * f + j] : 0.0;
            if (state == ZG_STICK && implied) c->mode.dependent = c->mode.grips_depend = true;
        }
    }
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
                        .count = true};
    for (int32_t i = 0; what && i < what->forced_count; i++)
        if (translate_choice(s, &what->forced[i], &s->choice[search.forced_count]))
            search.forced_count++;
    s->found =
        (zg_found){.mode = s->mode, .x = s->x, .u = s->after, .row = s->holds, .other = s->other};
    zg_outcome outcome = zg_find_mode(s->solver, &instant, &search, &s->found);
    sim->contacts->trouble.kind = ZR_NO_TROUBLE;
    if (outcome != ZG_FOUND) {
        zr_keep_trouble(sim, outcome, &s->found, s->found.contact);
        return ZW_ERR_CONTACT;
    }
    take_contacts(sim);
    take_frictions(sim);
    zr_note_mode(sim, &instant);
    return ZW_OK;
}
