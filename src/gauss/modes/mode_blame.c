/*
 * What a message says of an instant without a mode, or with several: the contact, and its numbers.
 */
#include <math.h>
#include <string.h>

#include "mode_search.h"

/* The direction of a friction that makes the pivot of its contact least: that of its slip, or at rest the worst one. */
static void worst_direction(const zg_island *c, const island_friction *f, double *d)
{
    const double *g =
        c->G + (size_t)c->contact[f->contact].normal * (size_t)c->r + (size_t)f->first;
    double length = 0.0;
    memcpy(d, f->slip, sizeof f->slip);
    if (f->slips) return;
    for (int32_t j = 0; j < f->width; j++) length = hypot(length, g[j]);
    for (int32_t j = 0; j < f->width; j++) d[j] = length > 0.0 ? g[j] / length : 0.0;
}

/* force [r]: that of contact i for x_n = 1, friction included. */
static void unit_force(const zg_island *c, int32_t i, double *force)
{
    memset(force, 0, sizeof *force * (size_t)c->r);
    force[c->contact[i].normal] = 1.0;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        double d[ZG_MOST_WIDTH];
        if (f->contact != i) continue;
        worst_direction(c, f, d);
        for (int32_t j = 0; j < f->width; j++) force[f->first + j] -= f->mu * d[j];
    }
}

/* u_n of contact i in the trial's mode with i open and w + G force in place of w (NULL: w). */
static double acceleration_of(zg_hunt *h, int32_t i, const double *force)
{
    zg_island with = *h->c;
    double *w = h->second->x;
    for (int32_t row = 0; row < with.r; row++) {
        w[row] = h->c->w[row];
        for (int32_t j = 0; force && j < with.r; j++)
            w[row] += with.G[(size_t)row * (size_t)with.r + (size_t)j] * force[j];
    }
    with.w = w;
    h->t->contact[i] = ZG_OPEN;
    zg_solve_trial(&with, h->s, h->t);
    return h->t->solved ? h->t->u[with.contact[i].normal] : (double)NAN;
}

static void hold_others(zg_hunt *h, bool closed)
{
    memset(h->t->contact, closed ? ZG_TOUCHING : ZG_OPEN, (size_t)h->c->contacts);
    for (int32_t n = 0; n < h->c->frictions; n++) {
        const island_friction *f = &h->c->friction[n];
        h->t->friction[n] = f->slips ? ZG_SLIDE : ZG_STICK;
        h->t->side[n] = ZG_SIDE_ANY;
        if (f->slips) memcpy(h->t->direction + 3 * n, f->slip, sizeof f->slip);
    }
}

/* The contact of least pivot, the others open or touching. */
static void blame_least(zg_hunt *h, bool closed, zg_found *found)
{
    const zg_island *c = h->c;
    double least = HUGE_VAL, *force = h->second->u;
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t row = c->contact[i].normal;
        hold_others(h, closed);
        double rest = acceleration_of(h, i, NULL);
        unit_force(c, i, force);
        hold_others(h, closed);
        double pivot = acceleration_of(h, i, force) - rest;
        if (!(pivot < least)) continue;
        least = pivot;
        found->contact = c->contact_of[i];
        found->contact_pivot = pivot / (c->D[row] * c->D[row]);
        found->free_acceleration = rest / c->D[row];
    }
}

/* The joint that rubs most. */
static void blame_joint(const zg_island *c, zg_found *found)
{
    double most = 0.0;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        double rough = f->mu * c->D[f->first];
        if (f->contact >= 0 || !(rough > most)) continue;
        most = rough;
        found->friction = c->friction_of[n];
    }
}

void zg_blame_none(zg_hunt *h, zg_found *found)
{
    if (h->c->contacts == 0) {
        blame_joint(h->c, found);
        return;
    }
    blame_least(h, false, found);
    if (found->contact >= 0 && found->contact_pivot > 0.0) blame_least(h, true, found);
}

/* What presses a joint, signed where it is one multiplier. */
static double pressed_by(const island_friction *f, const zg_trial *t, int32_t n)
{
    return zg_is_single(f) ? t->lambda[f->joint_first] : t->rho[n];
}

/* The joint whose pressure differs most. */
static void blame_pressed(const zg_hunt *h, zg_found *found)
{
    double most = -1.0;
    for (int32_t n = 0; n < h->c->frictions; n++) {
        const island_friction *f = &h->c->friction[n];
        double difference = f->mu * fabs(pressed_by(f, h->best, n) - pressed_by(f, h->second, n));
        if (f->contact >= 0 || !(difference > most)) continue;
        most = difference;
        found->contact = -1;
        found->friction = h->c->friction_of[n];
        found->value[0] = pressed_by(f, h->best, n);
        found->value[1] = pressed_by(f, h->second, n);
    }
}

void zg_blame_several(zg_hunt *h, zg_found *found)
{
    const zg_island *c = h->c;
    double most = -1.0;
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t row = c->contact[i].normal;
        double difference = fabs(h->best->x[row] - h->second->x[row]);
        if (!(difference > most)) continue;
        most = difference;
        found->contact = c->contact_of[i];
        found->value[0] = h->best->x[row] * c->D[row];
        found->value[1] = h->second->x[row] * c->D[row];
    }
    if (!(most > c->sign)) blame_pressed(h, found);
}
