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

/* Site `site` sticks from now on, or slips. */
static void note_grip_at(zr_contacts *c, int32_t site, bool sticks)
{
    uint8_t bit = sticks ? ZR_HAS_STUCK : ZR_HAS_SLIPPED;
    if (c->happened[site] & bit) return; /* by another friction */
    if (sticks)
        c->tally[site].sticks++;
    else
        c->tally[site].slips++;
    c->happened[site] |= bit;
}

/* Of an inequality all its contacts that touch stick. */
static void note_grip(zw_sim *sim, int32_t k)
{
    zr_contacts *c = sim->contacts;
    const zr_friction_roots *at = &c->laws->friction[k];
    bool was = c->mode_before.grip[k] == ZR_STICKS, is = c->mode.grip[k] == ZR_STICKS;
    if (was == is || (was && c->mode.grip[k] != ZR_SLIDES)) return;
    if (at->joint) note_grip_at(c, c->laws->site_of_friction[k], is);
    for (int32_t i = at->first_row; !at->joint && i < at->first_row + at->row_count; i++) {
        int32_t contact = c->laws->contact_of_row[i];
        if (c->mode.touch[contact] != ZR_OPEN) note_grip_at(c, contact, is);
    }
}

/* ------------------------------------------------------------------------- telling */

static void tell_log(zw_sim *sim, double t, int32_t site, zw_happening kind)
{
    const zr_contacts *c = sim->contacts;
    zw_happened happened = {.t = t, .kind = kind, .number = site};
    if (kind == ZW_HAPPENS_IMPACT) happened.impulse = c->impulse[site];
    if (kind == ZW_HAPPENS_IMPACT) happened.energy = c->lost[site];
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
    for (int32_t k = 0; k < c->laws->frictions && !first; k++) note_grip(sim, k);
    tell_marks(sim, t, marks, kinds, 1);
    tell_marks(sim, t, marks + 1, kinds + 1, 3);
    tell_marks(sim, t, marks + 4, kinds + 4, 2);
}

void zr_note_opening(zw_sim *sim, double t, int32_t contact)
{
    sim->contacts->tally[contact].openings++;
    tell_log(sim, t, contact, ZW_HAPPENS_OPENS);
}
