/*
 * What is kept at a moment (kept_contacts.h): rows of the equations that contact space eliminates.
 * Their multipliers follow from one solve with the factor of these,
 *
 *     M z = f + sum x_i A_i^T + A_kept^T lambda,   A_kept z = b_kept
 *
 * with f = Q + C for forces, and f = 0, b = 0 for impulses.
 */
#include "kept_contacts.h"

#include <math.h>

enum { least_kept = 8, most_candidates = 64 };

/* ---------------------------------------------------------------------------- choice */

void zr_keep_none(zw_sim *sim)
{
    sim->contacts->kept_count = 0;
}

const bool *zr_list_candidates(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; k < c->laws->contacts; k++)
        c->candidate[k] = c->touching[k] && !(c->kept_count > 0 && c->kept[k]);
    return c->candidate;
}

static bool may_bounce(zw_sim *sim, const zk_source *s)
{
    const zr_contacts *c = sim->contacts;
    if (sim->zm->restitution_count == 0) return false;
    zr_evaluate_restitutions(sim, s);
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->touching[k] && !(zr_contact_restitution(sim, k) <= 0.0)) return true;
    return false;
}

void zr_choose_kept(zw_sim *sim, const zr_happening *what, const zk_source *s)
{
    zr_contacts *c = sim->contacts;
    int32_t others = 0;
    zr_keep_none(sim);
    if (c->laws->frictions > 0 || c->mode.dependent || what->fresh || !what->impacts) return;
    if (!sim->run || sim->run->touching.thorough || sim->drive) return;
    if (may_bounce(sim, s)) return;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        bool positions = sim->row_kind[sim->zm->contacts[k].row] == ZM_HOLONOMIC;
        c->kept[k] = positions && c->touching[k] && c->mode.touch[k] == ZR_CLOSED;
    }
    for (int32_t i = 0; i < what->forced_count; i++)
        if (what->forced[i].contact >= 0) c->kept[what->forced[i].contact] = false;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        c->kept_count += c->kept[k] ? 1 : 0;
        others += c->touching[k] && !c->kept[k] ? 1 : 0;
    }
    if (c->kept_count < least_kept || others > most_candidates) zr_keep_none(sim);
    sim->run->touching.kept += c->kept_count;
}

bool zr_kept_hold_others(const zw_sim *sim)
{
    const zr_space *s = sim->contacts->space;
    const double part = 1e-6; /* of what moves it when it is alone */
    for (int32_t i = 0; sim->contacts->kept_count > 0 && i < s->rows; i++) {
        double length = zr_row_length(sim, s->row[i]);
        if (!(zr_own_response(s, i) > part * length * length)) return true;
    }
    return false;
}

/* ---------------------------------------------------------------------------- forces */

/* Multipliers [m] of what is kept, in contacts->trial. */
static zw_status find_kept_forces(zw_sim *sim, const double *x, bool impulse)
{
    const zr_space *s = sim->contacts->space;
    const zr_pattern *A = &sim->model->A;
    double *f = sim->contacts->column;
    bool nonideal = sim->model->nonideal.count > 0;
    for (int32_t j = 0; j < sim->zm->n; j++)
        f[j] = impulse ? 0.0 : sim->Q[j] + (nonideal ? sim->C[j] : 0.0);
    for (int32_t i = 0; i < s->rows; i++)
        for (int32_t p = A->start[s->row[i]]; p < A->start[s->row[i] + 1]; p++)
            f[A->column[p]] += x[i] * s->A[p];
    return zr_solve_rows(&sim->solver->all, f, impulse ? NULL : sim->b, sim->solver->z_nonideal,
                         sim->contacts->trial);
}

/* The largest of the forces of candidates and of what is kept. */
static double find_largest_force(const zw_sim *sim, const double *x)
{
    const zr_contacts *c = sim->contacts;
    double largest = 0.0;
    for (int32_t i = 0; i < c->space->rows; i++) largest = fmax(largest, fabs(x[i]));
    for (int32_t k = 0; k < c->laws->contacts; k++)
        if (c->kept[k]) largest = fmax(largest, fabs(c->trial[sim->zm->contacts[k].row]));
    return largest;
}

zw_status zr_widen_candidates(zw_sim *sim, const double *x, bool impulse, bool *any)
{
    zr_contacts *c = sim->contacts;
    int32_t before = c->kept_count;
    *any = false;
    if (before == 0) return ZW_OK;
    ZB_TRY(find_kept_forces(sim, x, impulse));
    double largest = find_largest_force(sim, x), worst = 0.0;
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        double force = c->trial[sim->zm->contacts[k].row];
        if (!c->kept[k]) continue;
        if (force >= -1e-9 * largest) {
            worst = fmax(worst, -force);
            continue;
        }
        c->kept[k] = false;
        c->kept_count--;
    }
    *any = c->kept_count < before;
    if (!*any && !impulse && largest > 0.0)
        c->record.certificate = fmax(c->record.certificate, worst / largest);
    int32_t others = c->space->contacts + before - c->kept_count;
    if (*any && (others > most_candidates || c->kept_count < least_kept)) zr_keep_none(sim);
    return ZW_OK;
}

/* -------------------------------------------------------------------- what comes of it */

void zr_note_kept_impulses(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; c->kept_count > 0 && k < c->laws->contacts; k++) {
        int32_t row = sim->zm->contacts[k].row;
        double P = c->trial[row], length = zr_row_length(sim, row);
        if (!c->kept[k] || !(P * length * length > c->small.rate[row])) continue;
        c->impulse[k] = P;
        c->lost[k] = 0.0; /* it does not move */
        c->happened[k] |= ZR_HAS_IMPACT;
        c->tally[k].impacts++;
    }
}

void zr_close_kept(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    for (int32_t k = 0; c->kept_count > 0 && k < c->laws->contacts; k++)
        if (c->kept[k]) c->mode.touch[k] = ZR_CLOSED;
}
