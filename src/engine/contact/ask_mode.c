/*
 * Modes for what is asked from outside. In a run the mode is that of the motion, which depends on what
 * has happened. A state that a caller has set has none: it is decided there, once, as the state alone
 * has it. For a question about another state the mode of the run steps aside.
 */
#include "ask_mode.h"

#include <string.h>

#include "settle.h"

zw_status zr_ready_mode(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    if (!c || c->decided) return c ? c->decision : ZW_OK;
    c->decision = zr_decide_mode(sim, sim->t, sim->q, sim->v);
    c->decided = !zr_is_memory(c->decision);
    return c->decision;
}

/* Numbers that are equal: mostly bit by bit, which is told fast; where they are not, 0 and -0 are. */
static bool are_equal(int32_t count, const double *x, const double *y)
{
    if (count == 0 || memcmp(x, y, sizeof *x * (size_t)count) == 0) return true;
    for (int32_t j = 0; j < count; j++)
        if (x[j] != y[j]) return false;
    return true;
}

static bool is_own_state(const zw_sim *sim, double t, const double *q, const double *v)
{
    return t == sim->t && are_equal(sim->zm->n, q, sim->q) && are_equal(sim->zm->n, v, sim->v);
}

/* Without a run there is nothing to keep: the mode is decided again when it is asked for. */
zw_status zr_begin_aside(zw_sim *sim, double t, const double *q, const double *v, bool *aside)
{
    zr_contacts *c = sim->contacts;
    *aside = false;
    if (!c) return ZW_OK;
    if (is_own_state(sim, t, q, v)) return zr_ready_mode(sim);
    *aside = true;
    if (zr_has_run(sim)) {
        zr_copy_mode(sim, &c->mode, &c->mode_aside);
        zr_copy_smallness(sim, &c->small, &c->small_aside);
        c->trouble_aside = c->trouble;
        zg_system_know_independent(sim->solver->all.system, false);
    }
    c->decided = false;
    c->asked = true;
    zw_status status = zr_decide_mode(sim, t, q, v);
    c->asked = false;
    return status;
}

void zr_end_aside(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    if (!zr_has_run(sim)) return;
    zr_copy_mode(sim, &c->mode_aside, &c->mode);
    zr_copy_smallness(sim, &c->small_aside, &c->small);
    c->trouble = c->trouble_aside;
    zr_enter_mode(sim);
    zg_system_know_independent(sim->solver->all.system,
                               sim->run->solving.generic_rank >= zr_rows_on(sim));
    c->decided = true;
    c->decision = ZW_OK;
}

/* ----------------------------------------------------------------------- projection */

/* Inequalities of this order, still open, that do not hold are closed; whether there are any. */
static bool close_violated(zw_sim *sim, bool positions)
{
    zr_contacts *c = sim->contacts;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    bool any = false;
    zr_evaluate_gaps(sim, &s);
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        zm_row_kind kind = sim->row_kind[sim->zm->contacts[k].row];
        bool asked =
            positions ? kind == ZM_HOLONOMIC : kind == ZM_NONHOLONOMIC || kind == ZM_NONLINEAR;
        if (!asked || c->mode.touch[k] != ZR_OPEN || !(c->gap[k] < 0.0)) continue;
        c->mode.touch[k] = ZR_CLOSED;
        any = true;
    }
    return any;
}

/* From the given state, with more and more inequalities as equations, until all hold. Speeds at which
 * contacts close are no matter of it: they are impacts. */
zw_status zr_project_with_contacts(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    size_t bytes = sizeof *sim->q * (size_t)sim->zm->n;
    zr_open_all(sim);
    memcpy(c->velocity, sim->q, bytes);
    do {
        memcpy(sim->q, c->velocity, bytes);
        zr_enter_mode(sim);
        ZB_TRY(zr_project_positions(sim, NULL, sim->t, sim->q, sim->v));
    } while (close_violated(sim, true));
    zr_open_all(sim);
    memcpy(c->velocity, sim->v, bytes);
    do {
        memcpy(sim->v, c->velocity, bytes);
        zr_enter_mode(sim);
        ZB_TRY(zr_project(sim, NULL, sim->t, sim->q, sim->v, false));
    } while (close_violated(sim, false));
    return ZW_OK;
}
