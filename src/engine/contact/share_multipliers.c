/*
 * How contacts that depend on each other share their load, for what is written: of all forces that
 * hold the same, none of which pulls, those of least norm (THEORY). The motion goes by a basis of
 * them, whose forces are as good; nothing here touches it. What sticks stays inside its cone; where that
 * cannot be had with the least norm, or the mode goes with another share, it is the one that is farthest from slipping.
 */
#include <math.h>
#include <string.h>

#include "settle.h"
#include "touch_motors.h"

/* Contacts of the mode that touch, and frictions as they are, into contact space at a state. */
static zw_status fill_with_mode(zw_sim *sim, const zk_source *s)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++) c->touching[k] = c->mode.touch[k] != ZR_OPEN;
    for (int32_t j = 0; j < c->laws->slips; j++) {
        bool sticks = c->mode.grip[c->laws->friction_of_slip[j]] == ZR_STICKS;
        c->rest_below[j] = sticks ? HUGE_VAL : 0.0;
    }
    if (c->space->motors)
        memcpy(c->space->motors->side, c->mode.motor, (size_t)sim->zm->motor_count);
    ZB_TRY(zr_fill_space(sim, s->time, s->position, s->velocity, c->touching));
    zr_set_slips(sim, c->rest_below);
    zr_describe_mode(sim);
    zr_enter_mode(sim);
    return ZW_OK;
}

zw_status zr_find_mode_forces(zw_sim *sim, const zk_source *s)
{
    zr_space *space = sim->contacts->space;
    ZB_TRY(fill_with_mode(sim, s));
    zg_instant instant = zr_space_instant(sim, space->w);
    zg_forces forces = {.x = space->x, .u = space->after};
    bool found = zg_mode_forces(space->solver, &instant, &space->last, &zg_contact_usual, &forces);
    return found ? ZW_OK : ZW_ERR_CONTACT;
}

/* Multipliers of equations go with the shares, where these press on joints: one more solve with the rows of the mode,
 * which the shares leave nothing to carry. */
static void share_equations(zw_sim *sim, double *lambda)
{
    zr_space *s = sim->contacts->space;
    const zr_pattern *A = &sim->model->A;
    double *f = s->C, *shared = sim->contacts->base;
    bool nonideal = sim->model->nonideal.count > 0;
    if (s->joints == 0) return;
    for (int32_t j = 0; j < sim->zm->n; j++) f[j] = sim->Q[j] + (nonideal ? sim->C[j] : 0.0);
    for (int32_t i = 0; i < s->rows; i++)
        for (int32_t p = A->start[s->row[i]]; p < A->start[s->row[i] + 1]; p++)
            f[A->column[p]] += s->other[i] * s->A[p];
    if (zr_solve_rows(&sim->solver->all, f, sim->b, s->push, shared) != ZW_OK) return;
    for (int32_t j = 0; j < sim->zm->m; j++)
        if (sim->zm->mask[j] < 0) lambda[j] = shared[j];
}

/* Multipliers [m] of rows that are candidates of the space become their shares. The equations at the
 * state are evaluated and factored again, for the space has left others. */
zw_status zr_share_multipliers(zw_sim *sim, const zk_source *s, double *lambda)
{
    zr_space *space = sim->contacts->space;
    zw_status status = zr_find_mode_forces(sim, s);
    if (status == ZW_OK) {
        zg_instant instant = zr_space_instant(sim, space->w);
        bool picked = sim->contacts->mode.picked && sim->contacts->mode.grips_depend;
        bool least = !picked && zg_shares(space->solver, &instant, &space->last, &zg_contact_usual,
                                          space->x, space->other, NULL);
        if (!least && sim->contacts->mode.grips_depend)
            (void)zg_stick_margins(space->solver, &instant, &space->last, &zg_contact_usual,
                                   space->x, space->margin, space->other);
        for (int32_t i = 0; i < space->rows; i++) lambda[space->row[i]] = space->other[i];
    }
    ZB_TRY(zr_factor_at(sim, s));
    sim->solver->road = sim->solver->sparse ? ZR_SPARSE : ZR_CAREFUL;
    sim->solver->held = &sim->solver->all;
    if (status == ZW_OK) share_equations(sim, lambda);
    return ZW_OK;
}
