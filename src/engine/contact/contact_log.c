/*
 * What has happened to contacts at a moment: counted for each site, and told to the log of the run in
 * this order: impacts, then what closes, opens or shares, then what sticks and slips. What is closed
 * where a run begins has not closed in it, unless it collided there.
 */
#include "settle.h"

/* ------------------------------------------------------------------------ counting */

static void note_touch(zw_sim *sim, double t, int32_t k, bool first)
{
    zr_contacts *c = sim->contacts;
    uint8_t before = c->mode_before.touch[k], now = c->mode.touch[k];
    bool was = before != ZR_OPEN, is = now != ZR_OPEN, begins = is && !was;
    if (begins) c->tally[k].last = t;
    if (begins && first && !(c->happened[k] & ZR_HAS_IMPACT)) return;
    if (begins) c->tally[k].closings++;
    if (was && !is) c->tally[k].openings++;
    if (is != was) c->happened[k] |= is ? ZR_HAS_CLOSED : ZR_HAS_OPENED;
    if (is && was && before != now) c->happened[k] |= ZR_HAS_SHARED;
}

/* Marks besides ZR_HAS_...: one of the frictions of a site stuck; sticks. */
enum { was_held = 64, is_held = 128 };

/* Of an inequality all its contacts that touch. */
static void mark_grip(zr_contacts *c, int32_t k, const uint8_t *grip, int mark)
{
    const zr_friction_roots *at = &c->laws->friction[k];
    if (grip[k] != ZR_STICKS) return;
    if (at->joint) c->happened[c->laws->site_of_friction[k]] |= (uint8_t)mark;
    for (int32_t i = at->first_row; !at->joint && i < at->first_row + at->row_count; i++)
        c->happened[c->laws->contact_of_row[i]] |= (uint8_t)mark;
}

/* Friction k slid and slides, but the other way: it was at rest for a moment. In a plane or in space it may
 * have turned without. */
static bool has_turned(const zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    int32_t first = c->laws->friction[k].slip;
    double along = 0.0;
    if (c->mode_before.grip[k] != ZR_SLIDES || c->mode.grip[k] != ZR_SLIDES) return false;
    if (sim->zm->frictions[k].width > 1 && !sim->run->touching.resting[k]) return false;
    for (int32_t j = first; j < first + sim->zm->frictions[k].width; j++)
        along += c->mode.direction[j] * c->mode_before.direction[j];
    return along < 0.0;
}

/* What has turned slips anew. */
static void note_turns(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        const zr_friction_roots *at = &c->laws->friction[k];
        if (!has_turned(sim, k)) continue;
        int32_t site =
            at->joint ? c->laws->site_of_friction[k] : c->laws->contact_of_row[at->first_row];
        if (c->happened[site] & (ZR_HAS_STUCK | ZR_HAS_SLIPPED)) continue;
        c->tally[site].slips++;
        c->happened[site] |= ZR_HAS_SLIPPED;
    }
}

/* A site sticks where one of its frictions does: contact(NAME) is 2. What opens does not slip. */
static void note_grips(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        mark_grip(c, k, c->mode_before.grip, was_held);
        mark_grip(c, k, c->mode.grip, is_held);
    }
    for (int32_t k = 0; k < c->laws->sites; k++) {
        bool touches = k >= c->laws->contacts || c->mode.touch[k] != ZR_OPEN;
        bool was = (c->happened[k] & was_held) != 0, is = (c->happened[k] & is_held) != 0;
        c->happened[k] &= (uint8_t) ~(was_held | is_held);
        if (was == is || !touches) continue;
        if (is)
            c->tally[k].sticks++;
        else
            c->tally[k].slips++;
        c->happened[k] |= is ? ZR_HAS_STUCK : ZR_HAS_SLIPPED;
    }
    note_turns(sim);
}

/* ------------------------------------------------------------------------- telling */

static void tell_log(zw_sim *sim, double t, int32_t site, zw_happening kind)
{
    const zr_contacts *c = sim->contacts;
    zw_happened happened = {.t = t, .kind = kind, .number = site};
    if (kind == ZW_HAPPENS_IMPACT) happened.impulse = c->impulse[site];
    bool struck = (c->happened[site] & ZR_HAS_IMPACT) != 0;
    if (kind == ZW_HAPPENS_IMPACT || (kind == ZW_HAPPENS_CLOSES && !struck))
        happened.energy = c->lost[site];
    zr_log(sim->run, &happened);
}

/* All sites with one of these marks, each with its kind. */
static void tell_marks(zw_sim *sim, double t, const uint8_t *marks, const zw_happening *kinds,
                       int count)
{
    const zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->sites; k++)
        for (int i = 0; i < count; i++)
            if (c->happened[k] & marks[i]) tell_log(sim, t, k, kinds[i]);
}

void zr_note_changes(zw_sim *sim, double t, bool first)
{
    static const uint8_t marks[] = {ZR_HAS_IMPACT, ZR_HAS_CLOSED, ZR_HAS_OPENED,
                                    ZR_HAS_SHARED, ZR_HAS_STUCK,  ZR_HAS_SLIPPED};
    static const zw_happening kinds[] = {ZW_HAPPENS_IMPACT, ZW_HAPPENS_CLOSES, ZW_HAPPENS_OPENS,
                                         ZW_HAPPENS_SHARES, ZW_HAPPENS_STICKS, ZW_HAPPENS_SLIPS};
    const zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++) note_touch(sim, t, k, first);
    if (!first) note_grips(sim);
    tell_marks(sim, t, marks, kinds, 1);
    tell_marks(sim, t, marks + 1, kinds + 1, 3);
    tell_marks(sim, t, marks + 4, kinds + 4, 2);
}

void zr_note_opening(zw_sim *sim, double t, int32_t contact)
{
    sim->contacts->tally[contact].openings++;
    tell_log(sim, t, contact, ZW_HAPPENS_OPENS);
}
