/*
 * What a caller asks about a state: accelerations, the equations, what the principle says, contacts.
 * With contacts the mode is found first (ask_mode.h).
 */
#include <math.h>

#include "ask_mode.h"
#include "contact_laws.h"
#include "friction.h"

zw_status zr_sim_acceleration(zw_sim *sim, double t, const double *q, const double *v, double *z)
{
    bool aside;
    zw_status status = zr_begin_aside(sim, t, q, v, &aside);
    if (status == ZW_OK) status = zr_acceleration_at(sim, t, q, v, z);
    if (aside) zr_end_aside(sim);
    return status;
}

zw_status zr_sim_instant(zw_sim *sim, zw_instant *instant)
{
    ZB_TRY(zr_ready_mode(sim));
    return zr_read_instant(sim, instant);
}

zw_status zr_sim_solve(zw_sim *sim, zw_gauss_answer *answer)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    ZB_TRY(zr_ready_mode(sim));
    return zr_solve_at(sim, &s, answer);
}

/* ------------------------------------------------------------------------- contacts */

int32_t zr_contact_count(const zw_model *model)
{
    return model->laws ? model->laws->sites : 0;
}

void zr_contact_name(const zw_model *model, int32_t i, zb_text *text)
{
    zr_text_site(model, i, text);
}

zw_status zr_sim_contact(zw_sim *sim, int32_t i, zw_contact *contact)
{
    zr_contacts *c = sim->contacts;
    ZB_TRY(zr_ready_mode(sim));
    const zr_tally none = {0}, *tally = zr_has_run(sim) ? &c->tally[i] : &none;
    *contact = (zw_contact){.state = (zw_contact_state)zr_site_state(sim, i),
                            .impulse = i < c->laws->contacts ? c->impulse[i] : 0.0,
                            .impacts = tally->impacts,
                            .closings = tally->closings,
                            .openings = tally->openings,
                            .sticks = tally->sticks,
                            .slips = tally->slips,
                            .last = tally == &none ? (double)NAN : tally->last};
    return ZW_OK;
}
