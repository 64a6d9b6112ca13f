/*
 * Shares of least norm. With x = x0 + Z y, Z orthonormal by V, the least x^T V x with B x + b >= 0, rows of
 * B for x_n >= 0 and for the cones of what sticks, is
 *
 *     y = -Z V x0 + (B Z)^T m,   0 <= m,  0 <= B x + b,  one of them 0
 *     B x + b = (B Z)(B Z)^T m + B (x0 - Z^T Z V x0) + b
 *
 * which is again an instant of contacts without friction, with m for the forces. A cone in the plane is
 * two rows, mu N -+ tau >= 0; in space it is cut by mu N - d tau >= 0 with d = tau / |tau| where the last
 * answer was outside, until it is inside. Rows of which nothing is in Z take no
 * part: their share is unique. So is one that no admissible change can move, which two linear programs
 * tell, the largest and the least it can be.
 */
#include "share_space.h"

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

/* B x + b of a row. */
static double value_of(const zg_contact_space *space, const zg_share_row *row, const double *x,
                       bool constant)
{
    double sum = row->normal >= 0
                     ? x[row->normal]
                     : zg_press_at(&space->island, &space->system, row->friction, x, constant);
    sum *= row->part;
    for (int32_t j = 0; j < row->width; j++) sum -= row->d[j] * x[row->first + j];
    return sum;
}

static bool is_normal(const zg_share_row *row)
{
    return row->width == 0 && row->normal >= 0;
}

static bool any_shared(const zg_contact_space *space, int32_t nullity, int32_t first, int32_t width)
{
    for (int32_t j = 0; j < width; j++)
        if (zg_is_shared(&space->island, &space->system, nullity, first + j)) return true;
    return false;
}

static bool cone_is_shared(const zg_contact_space *space, int32_t nullity, int32_t n)
{
    const zg_island *c = &space->island;
    const island_friction *f = &c->friction[n];
    if (space->trial.friction[n] != ZG_STICK) return false;
    if (any_shared(space, nullity, f->first, f->width)) return true;
    if (f->contact < 0) return zg_press_is_shared(c, &space->system, nullity, n);
    return any_shared(space, nullity, c->contact[f->contact].normal, 1);
}

/* A joint that slides, and shares change what presses it. */
static bool press_is_shared(const zg_contact_space *space, int32_t nullity, int32_t n)
{
    const zg_island *c = &space->island;
    return c->friction[n].contact < 0 && space->trial.friction[n] == ZG_SLIDE &&
           zg_press_is_shared(c, &space->system, nullity, n);
}

static zg_share_row normal_row(int32_t row)
{
    return (zg_share_row){.normal = row, .part = 1.0};
}

static zg_share_row cone_row(const zg_contact_space *space, int32_t n, const double *d)
{
    const zg_island *c = &space->island;
    const island_friction *f = &c->friction[n];
    zg_share_row row = {
        .normal = -1, .first = f->first, .width = f->width, .friction = n, .part = f->mu_static};
    if (f->contact >= 0) row.normal = c->contact[f->contact].normal;
    memcpy(row.d, d, sizeof *d * (size_t)f->width);
    return row;
}

/* Normals that touch and share, pressures of joints that slide, and with `cones` both edges of cones in the plane;
 * those in space are cut when they are left. */
static void list_rows(zg_contact_space *space, int32_t nullity, bool cones)
{
    const zg_island *c = &space->island;
    space->share_rows = 0;
    for (int32_t i = 0; i < c->contacts; i++)
        if (space->trial.contact[i] == ZG_TOUCHING &&
            any_shared(space, nullity, c->contact[i].normal, 1))
            space->share_row[space->share_rows++] = normal_row(c->contact[i].normal);
    for (int32_t n = 0; cones && n < c->frictions; n++) {
        static const double up[3] = {1.0}, down[3] = {-1.0};
        if (space->share_rows + 2 > space->most_share_rows) return;
        if (press_is_shared(space, nullity, n))
            space->share_row[space->share_rows++] =
                (zg_share_row){.normal = -1, .friction = n, .part = 1.0};
        if (c->friction[n].width > 1 || !cone_is_shared(space, nullity, n)) continue;
        space->share_row[space->share_rows++] = cone_row(space, n, up);
        space->share_row[space->share_rows++] = cone_row(space, n, down);
    }
}

/* Cuts that do not hold at the answer have done their work: the norm rises from round to round. */
static void drop_cuts(zg_contact_space *space)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < space->share_rows; i++)
        if (space->share_row[i].width < 2 || space->other.contact[i] == ZG_TOUCHING)
            space->share_row[kept++] = space->share_row[i];
    space->share_rows = kept;
}

/* Cones in space that x is outside of; whether there is one. */
static bool cut_cones(zg_contact_space *space, int32_t nullity, const double *x, double size)
{
    const zg_island *c = &space->island;
    bool any = false;
    drop_cuts(space);
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        double d[ZG_MOST_WIDTH], length = 0.0;
        if (f->width == 1 || !cone_is_shared(space, nullity, n)) continue;
        double limit =
            f->mu_static * (f->contact >= 0 ? x[c->contact[f->contact].normal]
                                            : zg_press_at(c, &space->system, n, x, true));
        for (int32_t j = 0; j < f->width; j++) length = hypot(length, x[f->first + j]);
        if (!(length - limit > 1e-11 * size)) continue;
        for (int32_t j = 0; j < f->width; j++) d[j] = x[f->first + j] / length;
        if (space->share_rows == space->most_share_rows) continue;
        space->share_row[space->share_rows++] = cone_row(space, n, d);
        any = true;
    }
    return any;
}

/* The instant of m. */
static void write_dual(zg_contact_space *space, int32_t nullity, const double *x)
{
    const zg_island *c = &space->island;
    zg_island *d = &space->dual;
    *d = (zg_island){
        .G = d->G, .w = d->w, .own = d->own, .V = d->V, .contact = d->contact, .rank = c->rank};
    d->r = d->contacts = space->share_rows;
    for (int32_t i = 0; i < d->r; i++) {
        const zg_share_row *row = &space->share_row[i];
        d->contact[i] = (island_contact){.normal = i};
        d->w[i] = value_of(space, row, x, true);
        d->V[i] = 1.0;
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int32_t k = 0; k < nullity; k++) {
                const double *z = space->system.Z + (size_t)k * (size_t)c->r;
                sum += value_of(space, row, z, false) *
                       value_of(space, &space->share_row[j], z, false);
            }
            d->G[(size_t)i * (size_t)d->r + (size_t)j] =
                d->G[(size_t)j * (size_t)d->r + (size_t)i] = sum;
        }
        d->own[i] = d->G[(size_t)i * (size_t)(d->r + 1)];
    }
    for (int32_t i = 0; i < c->r; i++) d->A = fmax(d->A, fabs(x[i]));
    d->sign = 1e-12 * d->A;
}

/* x += Z^T (B Z)^T m. */
static void add_forces(zg_contact_space *space, int32_t nullity, double *x)
{
    const zg_island *c = &space->island;
    for (int32_t k = 0; k < nullity; k++) {
        const double *z = space->system.Z + (size_t)k * (size_t)c->r;
        double part = 0.0;
        for (int32_t i = 0; i < space->share_rows; i++)
            part += value_of(space, &space->share_row[i], z, false) * space->other.x[i];
        for (int32_t j = 0; j < c->r; j++) x[j] += part * z[j];
    }
    for (int32_t i = 0; i < space->share_rows; i++)
        if (is_normal(&space->share_row[i]) && space->other.contact[i] == ZG_TOUCHING)
            x[space->share_row[i].normal] = 0.0;
}

/* x, of least norm signs apart, becomes the share of least norm. */
static bool share_signs(zg_contact_space *space, int32_t nullity, bool cones, double *x)
{
    enum { most_cuts = 60 };
    const zg_island *c = &space->island;
    double *from = space->best.x, size = c->A;
    memcpy(from, x, sizeof *x * (size_t)c->r);
    for (int32_t i = 0; i < c->r; i++) size = fmax(size, fabs(x[i]));
    list_rows(space, nullity, cones);
    for (int32_t round = 0; round < most_cuts; round++) {
        int32_t solves = 0;
        memcpy(x, from, sizeof *x * (size_t)c->r);
        write_dual(space, nullity, x);
        memset(space->other.contact, ZG_OPEN, (size_t)space->dual.contacts);
        if (zg_solve_contacts(&space->dual, &space->system, &space->other, &solves) != ZG_FOUND)
            return false;
        add_forces(space, nullity, x);
        if (!cones || !cut_cones(space, nullity, x, size)) break;
    }
    return true;
}

/* ------------------------------------------------------------------------- unique */

/* The largest of sign x_row over all admissible shares; within `most` of x. */
static double extreme(zg_contact_space *space, int32_t nullity, const double *x, int32_t row,
                      double sign, double most)
{
    const zg_island *c = &space->island;
    zg_share_program *p = &space->system.program;
    zg_begin_program(p, nullity, most);
    double *to = zg_add_row(p, -1, sign * x[row]);
    for (int32_t k = 0; k < nullity; k++)
        to[k] = sign * space->system.Z[(size_t)k * (size_t)c->r + (size_t)row];
    to[nullity] = -1.0;
    for (int32_t i = 0; i < space->share_rows; i++) {
        const zg_share_row *own = &space->share_row[i];
        to = zg_add_row(p, -1, fmax(value_of(space, own, x, true), 0.0));
        for (int32_t k = 0; k < nullity; k++)
            to[k] = value_of(space, own, space->system.Z + (size_t)k * (size_t)c->r, false);
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

static double norm_of(const zg_island *c, const zg_trial *t, const double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < c->r; i++)
        if (t->row[i] != ZG_ROW_OFF) sum += x[i] * c->V[i] * x[i];
    return sum;
}

/* x, of the mode's equations, becomes its share of least norm with the signs of joints of a pattern, directions of several
 * multipliers turned to it. */
static bool share_pattern(zg_contact_space *space, int32_t nullity, int32_t pattern, bool cones,
                          double *x)
{
    enum { most_turns = 20 };
    const zg_island *c = &space->island;
    const zg_trial *t = &space->trial;
    zg_begin_presses(c, &space->system, t, x);
    zg_reverse_presses(c, &space->system, t, nullity, pattern);
    project(c, &space->system, t, nullity, x);
    if (!share_signs(space, nullity, cones, x)) return false;
    double norm = norm_of(c, t, x);
    for (int32_t turn = 0; cones && turn < most_turns; turn++) {
        double before = norm, *turned = space->system.farther;
        if (!zg_turn_presses(c, &space->system, t, x)) break;
        memcpy(turned, x, sizeof *x * (size_t)c->r);
        project(c, &space->system, t, nullity, turned);
        if (!share_signs(space, nullity, cones, turned)) break;
        norm = norm_of(c, t, turned);
        if (!(norm < before * (1.0 - 1e-12))) break;
        memcpy(x, turned, sizeof *x * (size_t)c->r);
    }
    return true;
}

/* The least of all patterns, into least [r]; its number, -1: none. `others`: there is a second one. */
static int32_t least_pattern(zg_contact_space *space, int32_t nullity, bool cones, const double *x,
                             double *least, bool *others)
{
    const zg_island *c = &space->island;
    int32_t best = -1, patterns = zg_count_patterns(c, &space->system, &space->trial, nullity);
    size_t bytes = sizeof *x * (size_t)c->r;
    double norm = 0.0, *own = space->second.x;
    *others = false;
    for (int32_t pattern = 0; pattern < (cones ? patterns : 1); pattern++) {
        memcpy(own, x, bytes);
        if (!share_pattern(space, nullity, pattern, cones, own)) continue;
        *others = best >= 0;
        double length = norm_of(c, &space->trial, own);
        if (best >= 0 && !(length < norm)) continue;
        memcpy(least, own, bytes);
        norm = length;
        best = pattern;
    }
    return best;
}

/* Shares of the island that is gathered, into x [r]; false: none, or none was found inside of all cones. */
static bool share_island(zg_contact_space *space, double *x, bool *unique)
{
    const zg_island *c = &space->island;
    const zg_trial *t = &space->trial;
    zg_begin_presses(c, &space->system, t, x);
    int32_t nullity = zg_share_space(c, &space->system, t, c->V);
    double *changed = space->second.u;
    bool others = false, cones = true;
    int32_t pattern = least_pattern(space, nullity, cones, x, changed, &others);
    if (pattern < 0) pattern = least_pattern(space, nullity, cones = false, x, changed, &others);
    if (unique) {
        zg_begin_presses(c, &space->system, t, x);
        nullity = zg_share_space(c, &space->system, t, NULL);
        if (pattern > 0 || others) {
            zg_reverse_presses(c, &space->system, t, nullity, pattern);
            list_rows(space, nullity, cones);
        }
        write_unique(space, nullity, pattern >= 0 ? changed : x, unique);
        for (int32_t i = 0; others && i < c->r; i++)
            if (zg_is_shared(c, &space->system, nullity, i)) unique[c->row_of[i]] = false;
    }
    if (pattern >= 0) memcpy(x, changed, sizeof *x * (size_t)c->r);
    return pattern >= 0 && cones;
}

static bool slips_on(const zg_island *c, int32_t contact)
{
    for (int32_t n = 0; n < c->frictions; n++)
        if (c->friction[n].contact == contact && c->friction[n].slips && c->friction[n].mu > 0.0)
            return true;
    return false;
}

/* Contacts that touch without load take their shares, unless friction slips there, which they would move; their friction
 * sticks with them where it follows from what holds. */
static void load_all(zg_contact_space *space)
{
    const zg_island *c = &space->island;
    zg_trial *t = &space->trial;
    zg_solve_trial(c, &space->system, t);
    int32_t rank = t->rank;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < c->contacts; i++)
            if (t->contact[i] == ZG_UNLOADED && !slips_on(c, i)) t->contact[i] = ZG_TOUCHING;
        for (int32_t n = 0; n < c->frictions; n++) {
            const island_friction *f = &c->friction[n];
            bool idle = f->contact >= 0 && t->contact[f->contact] == ZG_TOUCHING &&
                        t->friction[n] == ZG_IDLE;
            if (pass == 0 && idle && f->mu_static > 0.0)
                t->friction[n] = ZG_STICK, space->wants[n] = true;
            else if (pass == 0)
                space->wants[n] = false;
            else if (space->wants[n])
                t->friction[n] = ZG_IDLE;
        }
        zg_solve_trial(c, &space->system, t);
        if (t->rank == rank) return;
    }
}

bool zg_shares(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
               const zg_contact_tolerance *tolerance, const double *x, double *share, bool *unique)
{
    const zg_island *c = &space->island;
    zg_trial *t = &space->trial;
    bool found = true;
    space->system.loose = mode->loose;
    memset(space->absent, 0, (size_t)instant->contacts);
    int32_t islands = zg_split_islands(space, instant);
    for (int32_t k = 0; k < islands; k++) {
        zg_gather_island(space, instant, k, tolerance);
        zg_gather_mode(c, mode, t);
        load_all(space);
        double *own = space->best.u;
        for (int32_t i = 0; i < c->r; i++) own[i] = x[c->row_of[i]] / c->D[i];
        found &= share_island(space, own, unique);
        for (int32_t i = 0; i < c->r; i++) share[c->row_of[i]] = own[i] * c->D[i];
    }
    space->system.loose = false;
    return found;
}

void zg_dependent_rows(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                       const zg_contact_tolerance *tolerance, bool *depends)
{
    const zg_island *c = &space->island;
    zg_trial *t = &space->trial;
    memset(space->absent, 0, (size_t)instant->contacts);
    memset(depends, 0, sizeof *depends * (size_t)instant->rows);
    int32_t islands = zg_split_islands(space, instant);
    for (int32_t k = 0; k < islands; k++) {
        zg_gather_island(space, instant, k, tolerance);
        zg_gather_mode(c, mode, t);
        zg_solve_trial(c, &space->system, t);
        for (int32_t n = 0; n < c->frictions; n++)
            if (t->friction[n] == ZG_SLIDE) t->friction[n] = ZG_IDLE;
        zg_begin_presses(c, &space->system, t, t->x);
        int32_t nullity = zg_share_space(c, &space->system, t, NULL);
        for (int32_t i = 0; i < c->r; i++)
            depends[c->row_of[i]] = zg_is_shared(c, &space->system, nullity, i);
    }
}
