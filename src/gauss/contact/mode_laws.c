/*
 * The laws of contact.h, on a trial whose equations are solved, and the change of a mode that a broken
 * law asks for:
 *
 *     open and u_n < 0               touch, stick (slide where it slips)
 *     touching and x_n < 0           open
 *     sticks and |x_t| > mu_s rho    slide along -x_t
 *     begins to slide, u_t d < 0     stick
 *     slides, x_t is not -mu rho d   the other sign of its joint
 *
 * Signs count beyond sign A and what rounding makes of the largest force. Forces that are beyond all measure
 * of what acts come of a system that is singular to rounding: they obey no law.
 */
#include "mode_laws.h"

#include <math.h>
#include <string.h>

/* Of what acts. */
static const double most_force = 1e10;

static double length_of(const double *x, int32_t width)
{
    double sum = 0.0;
    for (int32_t j = 0; j < width; j++) sum = hypot(sum, x[j]);
    return sum;
}

static double along(const double *x, const double *d, int32_t width)
{
    double sum = 0.0;
    for (int32_t j = 0; j < width; j++) sum += x[j] * d[j];
    return sum;
}

static double largest_force(const zg_island *c, const zg_trial *t)
{
    double largest = 0.0;
    for (int32_t i = 0; i < c->r; i++) largest = fmax(largest, fabs(t->x[i]));
    return largest;
}

/* A, and the friction of what presses on joints without contacts. */
static double size_of_loads(const zg_island *c)
{
    double size = c->A;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (f->contact >= 0) continue;
        size = fmax(size, fmax(f->mu, f->mu_static) * zg_joint_pressure(f, c->lambda0, NULL));
    }
    return size;
}

static void note(zg_judgement *j, zg_broken what, int32_t index, double amount)
{
    j->count++;
    if (j->worst != ZG_KEPT && !(amount > j->amount)) return;
    j->worst = what;
    j->index = index;
    j->amount = amount;
}

static zg_broken judge_contact(const zg_island *c, const zg_trial *t, int32_t i, double tolerance,
                               zg_judgement *j)
{
    double u = t->u[c->contact[i].normal], x = t->x[c->contact[i].normal];
    j->sizes.complementarity = fmax(j->sizes.complementarity, fabs(u * x));
    if (t->contact[i] != ZG_TOUCHING) {
        j->sizes.primal = fmax(j->sizes.primal, -u);
        if (u >= -tolerance) return ZG_KEPT;
        note(j, ZG_FALLS, i, -u);
        return ZG_FALLS;
    }
    j->sizes.dual = fmax(j->sizes.dual, -x);
    if (x >= -tolerance) return ZG_KEPT;
    note(j, ZG_PULLS, i, -x);
    return ZG_PULLS;
}

/* Sticking: inside the cone, and no less than what is given back. */
static double outside_cone(const island_friction *f, const zg_trial *t, int32_t n)
{
    const double *x = t->x + f->first;
    double out = length_of(x, f->width) - f->mu_static * fmax(t->rho[n], 0.0);
    if (!f->gives_back) return out;
    double back = length_of(f->back, f->width);
    return fmax(out, back - along(x, f->back, f->width) / back);
}

/* How far the force of what slides is from its law. The pressure is that of the forces, not of the equations that
 * they were found by. */
static double off_law(const island_friction *f, const zg_trial *t, int32_t n)
{
    double off[ZG_MOST_WIDTH];
    for (int32_t j = 0; j < f->width; j++)
        off[j] = t->x[f->first + j] + f->mu * t->rho[n] * t->direction[3 * n + j];
    return length_of(off, f->width);
}

static zg_broken judge_friction(const zg_island *c, const zg_trial *t, int32_t n, double tolerance,
                                zg_judgement *j)
{
    const island_friction *f = &c->friction[n];
    const double *u = t->u + f->first, *d = t->direction + 3 * n;
    if (t->friction[n] == ZG_STICK) {
        double out = outside_cone(f, t, n);
        j->sizes.dual = fmax(j->sizes.dual, out);
        if (out <= tolerance) return ZG_KEPT;
        note(j, ZG_CONE, n, out);
        return ZG_CONE;
    }
    if (t->friction[n] == ZG_IDLE) return ZG_KEPT;
    if (t->friction[n] == ZG_SLIDE) {
        double off = off_law(f, t, n);
        j->sizes.dual = fmax(j->sizes.dual, off);
        if (off > tolerance + 1e-12 * f->mu * t->rho[n]) {
            note(j, ZG_REVERSED, n, off);
            return ZG_REVERSED;
        }
        if (f->slips) return ZG_KEPT;
    }
    double against;
    if (t->friction[n] == ZG_HELD) {
        against = f->back[0] > 0.0 ? -u[0] : u[0];
        against =
            fmax(against, length_of(t->x + f->first, f->width) - f->mu * fmax(t->rho[n], 0.0));
    } else {
        double forward = fmax(along(u, d, f->width), 0.0), off[ZG_MOST_WIDTH];
        for (int32_t i = 0; i < f->width; i++) off[i] = u[i] - forward * d[i];
        against = length_of(off, f->width);
        if (f->gives_back) {
            double back = length_of(f->back, f->width);
            against = fmax(against, back + f->mu * t->rho[n] * along(d, f->back, f->width) / back);
        }
    }
    j->sizes.primal = fmax(j->sizes.primal, against);
    if (against <= tolerance) return ZG_KEPT;
    note(j, ZG_BACKWARD, n, against);
    return ZG_BACKWARD;
}

/* Rows that hold do, with what follows from them. */
static double worst_holding(const zg_island *c, const zg_trial *t)
{
    double worst = 0.0;
    for (int32_t i = 0; i < c->r; i++)
        if (t->row[i] != ZG_ROW_OFF) worst = fmax(worst, fabs(t->u[i]));
    return worst;
}

void zg_judge_trial(const zg_island *c, const zg_trial *t, uint8_t *broken_contact,
                    uint8_t *broken_friction, zg_judgement *j)
{
    *j = (zg_judgement){.worst = ZG_KEPT, .index = -1};
    memset(broken_contact, ZG_KEPT, (size_t)c->contacts);
    memset(broken_friction, ZG_KEPT, (size_t)c->frictions);
    if (!t->solved) {
        j->count = -1;
        return;
    }
    double largest = largest_force(c, t), tolerance = c->sign + 1e-13 * largest;
    j->sizes.primal = worst_holding(c, t);
    if (!(j->sizes.primal <= tolerance && largest <= most_force * size_of_loads(c))) {
        j->count = -1;
        return;
    }
    for (int32_t i = 0; i < c->contacts; i++)
        broken_contact[i] = (uint8_t)judge_contact(c, t, i, tolerance, j);
    for (int32_t n = 0; n < c->frictions; n++)
        broken_friction[n] = (uint8_t)judge_friction(c, t, n, tolerance, j);
}

/* ------------------------------------------------------------------------ mending */

static void let_slide(const island_friction *f, zg_trial *t, int32_t n)
{
    double *d = t->direction + 3 * n, length = length_of(t->x + f->first, f->width);
    t->friction[n] = ZG_SLIDE;
    for (int32_t j = 0; j < f->width; j++) d[j] = length > 0.0 ? -t->x[f->first + j] / length : 0.0;
    if (!(length > 0.0)) d[0] = 1.0;
}

/* As a friction begins when its contact closes. */
static void begin_friction(const island_friction *f, zg_trial *t, int32_t n)
{
    t->friction[n] = f->slips ? ZG_SLIDE : ZG_STICK;
    if (f->slips) memcpy(t->direction + 3 * n, f->slip, sizeof f->slip);
}

void zg_close_contact(const zg_island *c, zg_trial *t, int32_t contact)
{
    t->contact[contact] = ZG_TOUCHING;
    for (int32_t n = 0; n < c->frictions; n++)
        if (c->friction[n].contact == contact && t->friction[n] == ZG_IDLE)
            begin_friction(&c->friction[n], t, n);
}

void zg_mend_contact(const zg_island *c, zg_trial *t, int32_t contact, zg_broken what)
{
    if (what == ZG_FALLS) zg_close_contact(c, t, contact);
    if (what == ZG_PULLS) t->contact[contact] = ZG_OPEN;
}

void zg_mend_friction(const zg_island *c, zg_trial *t, int32_t friction, zg_broken what)
{
    const island_friction *f = &c->friction[friction];
    if (what == ZG_BACKWARD) t->friction[friction] = ZG_STICK;
    if (what == ZG_REVERSED) t->side[friction] = ZG_SIDE_ANY;
    if (what != ZG_CONE) return;
    if (f->gives_back &&
        along(t->x + f->first, f->back, f->width) < along(f->back, f->back, f->width))
        t->friction[friction] = ZG_HELD;
    else
        let_slide(f, t, friction);
}
