/*
 * Shares of least norm. With x = x0 + Z y, Z orthonormal by V, least x^T V x with x_n >= 0 is
 *
 *     y = -Z V x0 + Z_n^T m,    0 <= m,  0 <= x_n,  one of them 0:    x_n = (Z_n^T Z_n) m + (x0 - Z^T Z V x0)_n
 *
 * which is again an instant of contacts without friction, with m for the forces and shares for the
 * accelerations. Rows of which nothing is in Z take no part: their share is unique. So is one that no
 * admissible change can move, which two linear programs tell, the largest and the least it can be.
 */
#include "contact_shares.h"

#include <math.h>
#include <string.h>

#include "active_set.h"
#include "contact_island.h"

/* x of the share space's member of least norm, signs apart. */
static void project(const zg_island *c, const zg_mode_system *s, const zg_trial *t, int32_t nullity,
                    double *x)
{
    for (int32_t i = 0; i < nullity; i++) {
        const double *z = s->Z + (size_t)i * (size_t)c->r;
        double part = 0.0;
        for (int32_t j = 0; j < c->r; j++)
            if (t->row[j] != ZG_ROW_OFF) part += z[j] * c->V[j] * x[j];
        for (int32_t j = 0; j < c->r; j++) x[j] -= part * z[j];
    }
}

/* The instant of m: its contacts are the normals that touch and share. */
static void write_dual(zg_contact_space *space, int32_t nullity, const double *x)
{
    const zg_island *c = &space->island;
    const zg_trial *t = &space->trial;
    zg_island *d = &space->dual;
    const double *Z = space->system.Z;
    *d = (zg_island){.G = d->G,
                     .w = d->w,
                     .own = d->own,
                     .V = d->V,
                     .contact = d->contact,
                     .row_of = d->row_of,
                     .rank = c->rank};
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t row = c->contact[i].normal;
        if (t->contact[i] == ZG_TOUCHING && zg_is_shared(c, &space->system, nullity, row))
            d->row_of[d->r++] = row;
    }
    d->contacts = d->r;
    for (int32_t i = 0; i < d->r; i++) {
        d->contact[i] = (island_contact){.normal = i};
        d->w[i] = x[d->row_of[i]];
        d->V[i] = 1.0;
        d->A = fmax(d->A, fabs(d->w[i]));
        for (int32_t j = 0; j < d->r; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k < nullity; k++) {
                const double *z = Z + (size_t)k * (size_t)c->r;
                sum += z[d->row_of[i]] * z[d->row_of[j]];
            }
            d->G[(size_t)i * (size_t)d->r + (size_t)j] = sum;
        }
        d->own[i] = d->G[(size_t)i * (size_t)(d->r + 1)];
    }
    d->sign = 1e-12 * d->A;
}

/* x += Z^T Z_n^T m. */
static void add_forces(zg_contact_space *space, int32_t nullity, double *x)
{
    const zg_island *c = &space->island, *d = &space->dual;
    for (int32_t k = 0; k < nullity; k++) {
        const double *z = space->system.Z + (size_t)k * (size_t)c->r;
        double part = 0.0;
        for (int32_t i = 0; i < d->r; i++) part += z[d->row_of[i]] * space->second.x[i];
        for (int32_t j = 0; j < c->r; j++) x[j] += part * z[j];
    }
    for (int32_t i = 0; i < d->r; i++)
        if (space->second.contact[i] == ZG_TOUCHING) x[d->row_of[i]] = 0.0;
}

/* ------------------------------------------------------------------------- unique */

/* The largest of sign x_row over all shares with x_n >= 0; within `most` of x. */
static double extreme(zg_contact_space *space, int32_t nullity, const double *x, int32_t row,
                      double sign, double most)
{
    const zg_island *c = &space->island, *d = &space->dual;
    zg_share_program *p = &space->system.program;
    zg_begin_program(p, nullity, most);
    for (int32_t i = -1; i < d->r; i++) {
        int32_t of = i < 0 ? row : d->row_of[i];
        double part = i < 0 ? sign : 1.0;
        double *to = zg_add_row(p, part * x[of]);
        for (int32_t k = 0; k < nullity; k++)
            to[k] = part * space->system.Z[(size_t)k * (size_t)c->r + (size_t)of];
        if (i < 0) to[nullity] = -1.0;
    }
    return zg_solve_program(p) ? p->solution[nullity] : HUGE_VAL;
}

static void write_unique(zg_contact_space *space, int32_t nullity, const double *x, bool *unique)
{
    const zg_island *c = &space->island;
    double size = c->A;
    for (int32_t i = 0; i < c->r; i++) size = fmax(size, fabs(x[i]));
    for (int32_t i = 0; i < c->r; i++) {
        bool alone = !zg_is_shared(c, &space->system, nullity, i);
        if (!alone && nullity <= ZG_MOST_SHARED) {
            double most = 10.0 * size;
            alone = extreme(space, nullity, x, i, 1.0, most) +
                        extreme(space, nullity, x, i, -1.0, most) <=
                    1e-9 * size;
        }
        unique[c->row_of[i]] = alone;
    }
}

/* ------------------------------------------------------------------- the instant */

/* Shares of the island that is gathered, into x [r]. */
static bool share_island(zg_contact_space *space, double *x, bool *unique)
{
    const zg_island *c = &space->island;
    const zg_trial *t = &space->trial;
    int32_t nullity = zg_share_space(c, &space->system, t, c->V), solves = 0;
    double *changed = space->best.x;
    memcpy(changed, x, sizeof *x * (size_t)c->r);
    project(c, &space->system, t, nullity, changed);
    write_dual(space, nullity, changed);
    memset(space->second.contact, ZG_OPEN, (size_t)space->dual.contacts);
    bool found =
        zg_solve_contacts(&space->dual, &space->system, &space->second, &solves) == ZG_FOUND;
    if (found) {
        add_forces(space, nullity, changed);
        memcpy(x, changed, sizeof *x * (size_t)c->r);
    }
    if (unique) {
        nullity = zg_share_space(c, &space->system, t, NULL);
        write_unique(space, nullity, x, unique);
    }
    return found;
}

bool zg_shares(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
               const zg_contact_tolerance *tolerance, const double *x, double *share, bool *unique)
{
    const zg_island *c = &space->island;
    zg_trial *t = &space->trial;
    bool found = true;
    memset(space->absent, 0, (size_t)instant->contacts);
    int32_t islands = zg_split_islands(space, instant);
    for (int32_t k = 0; k < islands; k++) {
        zg_gather_island(space, instant, k, tolerance);
        zg_gather_mode(c, mode, t);
        for (int32_t i = 0; i < c->contacts; i++)
            if (t->contact[i] == ZG_UNLOADED) t->contact[i] = ZG_TOUCHING;
        zg_solve_trial(c, &space->system, t);
        double *own = space->best.u;
        for (int32_t i = 0; i < c->r; i++) own[i] = x[c->row_of[i]] / c->D[i];
        found &= share_island(space, own, unique);
        for (int32_t i = 0; i < c->r; i++) share[c->row_of[i]] = own[i] * c->D[i];
    }
    return found;
}
