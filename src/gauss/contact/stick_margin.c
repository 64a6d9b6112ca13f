/*
 * How far sticking is from slipping. Where the shares are unique it is mu_static rho - |x_t|. Else
 *
 *     max s:  mu_static N_i - |tau_i| >= s  of all that stick and share,  N_i >= 0  of all that touch and share
 *
 * over x = x0 + Z y: a linear program in the plane. In space each cone |tau| <= m is replaced by half-planes
 * d tau <= m, 2 width of them at first, and one more with d = tau / |tau| wherever the solution is outside:
 * s falls to the answer from above, and the least margin of the share found is a bound from below; it
 * ends when both agree to 1e-12, or stops after 100 rounds, with the bound from below.
 *
 * Pressures of joints are not linear in the shares. For each choice of their signs they are, and the best of these
 * programs counts (joint_shares.c); directions of several multipliers are turned to those of the answer until
 * it no longer gets better.
 */
#include <math.h>
#include <string.h>

#include "contact_island.h"
#include "share_space.h"

enum { most_cuts = 100, most_turns = 20 };

/* Where nothing near obeys the laws, wedges may: their forces are as large as they are slender. */
static const double near_reach = 10.0, far_reach = 1e6;

typedef struct margins {
    const zg_island *c;
    zg_mode_system *s;
    const zg_trial *t;
    int32_t nullity;
    const double *x0;
    double *x;
    double reach; /* how far shares are looked for, in units of the largest force */
} margins;

static double length_of(const double *x, int32_t width)
{
    double sum = 0.0;
    for (int32_t j = 0; j < width; j++) sum = hypot(sum, x[j]);
    return sum;
}

static bool shares(const margins *m, int32_t n)
{
    const island_friction *f = &m->c->friction[n];
    if (m->t->friction[n] != ZG_STICK) return false;
    for (int32_t j = 0; j < f->width; j++)
        if (zg_is_shared(m->c, m->s, m->nullity, f->first + j)) return true;
    if (f->contact < 0) return zg_press_is_shared(m->c, m->s, m->nullity, n);
    return zg_is_shared(m->c, m->s, m->nullity, m->c->contact[f->contact].normal);
}

/* What presses for forces x; of joints with the signs at hand. */
static double pressure_at(const margins *m, int32_t n, const double *x, bool constant)
{
    const island_friction *f = &m->c->friction[n];
    if (f->contact < 0) return zg_press_at(m->c, m->s, n, x, constant);
    const island_contact *contact = &m->c->contact[f->contact];
    return x[contact->normal] + (constant ? contact->offset : 0.0);
}

/* mu_s rho - d tau - s >= 0. */
static void add_cut(const margins *m, int32_t n, const double *d)
{
    const zg_island *c = m->c;
    const island_friction *f = &c->friction[n];
    double b = f->mu_static * pressure_at(m, n, m->x0, true);
    for (int32_t j = 0; j < f->width; j++) b -= d[j] * m->x0[f->first + j];
    double *row = zg_add_row(&m->s->program, b);
    for (int32_t i = 0; i < m->nullity; i++) {
        const double *z = m->s->Z + (size_t)i * (size_t)c->r;
        row[i] = f->mu_static * pressure_at(m, n, z, false);
        for (int32_t j = 0; j < f->width; j++) row[i] -= d[j] * z[f->first + j];
    }
    row[m->nullity] = -1.0;
}

/* rho >= 0 where a joint slides. */
static void add_press(const margins *m, int32_t n)
{
    double *row = zg_add_row(&m->s->program, zg_press_at(m->c, m->s, n, m->x0, true));
    for (int32_t i = 0; i < m->nullity; i++)
        row[i] = zg_press_at(m->c, m->s, n, m->s->Z + (size_t)i * (size_t)m->c->r, false);
}

static void add_normal(const margins *m, int32_t row_of_x)
{
    double *row = zg_add_row(&m->s->program, m->x0[row_of_x]);
    for (int32_t i = 0; i < m->nullity; i++)
        row[i] = m->s->Z[(size_t)i * (size_t)m->c->r + (size_t)row_of_x];
}

/* x of the program's solution. */
static void take_solution(const margins *m)
{
    const double *y = m->s->program.solution;
    memcpy(m->x, m->x0, sizeof *m->x * (size_t)m->c->r);
    for (int32_t i = 0; i < m->nullity; i++)
        for (int32_t j = 0; j < m->c->r; j++)
            m->x[j] += y[i] * m->s->Z[(size_t)i * (size_t)m->c->r + (size_t)j];
}

/* Half-planes of the cones that the solution is outside of; the least margin of it. */
static double cut_cones(const margins *m, double s, double size)
{
    double least = HUGE_VAL;
    for (int32_t n = 0; n < m->c->frictions; n++) {
        const island_friction *f = &m->c->friction[n];
        double d[ZG_MOST_WIDTH], length = length_of(m->x + f->first, f->width);
        if (!shares(m, n)) continue;
        double margin = f->mu_static * pressure_at(m, n, m->x, true) - length;
        least = fmin(least, margin);
        if (f->width == 1 || !(s - margin > 1e-12 * size) || !(length > 0.0)) continue;
        for (int32_t j = 0; j < f->width; j++) d[j] = m->x[f->first + j] / length;
        add_cut(m, n, d);
    }
    return least;
}

static double size_of(const margins *m)
{
    double size = m->c->A;
    for (int32_t i = 0; i < m->c->r; i++) size = fmax(size, fabs(m->x0[i]));
    for (int32_t n = 0; n < m->c->frictions; n++)
        if (m->c->friction[n].contact < 0)
            size = fmax(size, m->c->friction[n].mu_static * fabs(pressure_at(m, n, m->x0, true)));
    return size;
}

/* The rows of the program; how many of them stay. */
static int32_t write_program(const margins *m, double size)
{
    zg_share_program *p = &m->s->program;
    zg_begin_program(p, m->nullity, m->reach * size);
    for (int32_t i = 0; i < m->c->contacts; i++)
        if (m->t->contact[i] == ZG_TOUCHING &&
            zg_is_shared(m->c, m->s, m->nullity, m->c->contact[i].normal))
            add_normal(m, m->c->contact[i].normal);
    for (int32_t n = 0; n < m->c->frictions; n++) {
        if (m->c->friction[n].contact < 0 && m->t->friction[n] == ZG_SLIDE &&
            zg_press_is_shared(m->c, m->s, m->nullity, n))
            add_press(m, n);
        for (int32_t j = 0; shares(m, n) && j < 2 * m->c->friction[n].width; j++) {
            double d[ZG_MOST_WIDTH] = {0.0};
            d[j / 2] = j % 2 ? -1.0 : 1.0;
            add_cut(m, n, d);
        }
    }
    return p->rows;
}

/* With the signs at hand. */
static bool solve_signed(const margins *m, double *margin)
{
    zg_share_program *p = &m->s->program;
    double size = size_of(m);
    int32_t fixed = write_program(m, size);
    *margin = HUGE_VAL;
    for (int32_t round = 0; round < most_cuts; round++) {
        if (!zg_solve_program(p)) return false;
        take_solution(m);
        double s = p->solution[m->nullity];
        if (round > 0) zg_drop_rows(p, fixed);
        int32_t rows = p->rows;
        *margin = fmin(cut_cones(m, s, size), s);
        if (p->rows == rows) break;
    }
    return true;
}

/* The same, with directions of several multipliers that fit the answer. */
static bool solve_turned(const margins *m, double *margin)
{
    if (!solve_signed(m, margin)) return false;
    for (int32_t turn = 0; turn < most_turns; turn++) {
        double before = *margin;
        if (!zg_turn_presses(m->c, m->s, m->t, m->x) || !solve_signed(m, margin)) break;
        if (!(*margin > before + 1e-12 * fabs(before))) break;
    }
    return true;
}

/* The best of all signs. */
static bool solve_margins(const margins *m, double *margin)
{
    int32_t patterns = zg_count_patterns(m->c, m->s, m->t, m->nullity);
    size_t bytes = sizeof *m->x * (size_t)m->c->r;
    bool found = false;
    for (int32_t pattern = 0; pattern < patterns; pattern++) {
        double own;
        zg_begin_presses(m->c, m->s, m->t, m->x0);
        zg_reverse_presses(m->c, m->s, m->t, m->nullity, pattern);
        if (!solve_turned(m, &own) || (found && !(own > *margin))) continue;
        memcpy(m->s->farther, m->x, bytes);
        *margin = own;
        found = true;
    }
    if (found) memcpy(m->x, m->s->farther, bytes);
    return found;
}

bool zg_best_share(const zg_island *c, zg_mode_system *s, const zg_trial *t, double *x,
                   double *margin)
{
    margins m = {.c = c, .s = s, .t = t, .x0 = s->share, .x = x};
    memcpy(s->share, x, sizeof *x * (size_t)c->r);
    *margin = 0.0;
    zg_begin_presses(c, s, t, x);
    m.nullity = zg_share_space(c, s, t, NULL);
    if (m.nullity == 0) return true;
    bool found = false;
    for (m.reach = near_reach; m.nullity <= ZG_MOST_SHARED && m.reach < far_reach;
         m.reach *= 10.0) {
        found = solve_margins(&m, margin);
        if (found && *margin >= 0.0) return true;
    }
    if (found) return true;
    memcpy(x, s->share, sizeof *x * (size_t)c->r);
    return false;
}

/* ------------------------------------------------------------------- the instant */

/* Forces of the caller in place of those that the mode's equations give. */
static void take_forces(const zg_island *c, zg_trial *t, const double *x)
{
    for (int32_t i = 0; i < c->r; i++) t->x[i] = x[c->row_of[i]] / c->D[i];
    zg_note_pressures(c, t);
}

/* What shares has s where the share found is at its limit, and its own margin there elsewhere. */
static void write_margins(const zg_island *c, const zg_trial *t, double *margin)
{
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (t->friction[n] != ZG_STICK) continue;
        margin[c->friction_of[n]] =
            (f->mu_static * t->rho[n] - length_of(t->x + f->first, f->width)) * c->D[f->first];
    }
}

bool zg_stick_margins(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                      const zg_contact_tolerance *tolerance, const double *x, double *margin,
                      double *best)
{
    const zg_island *c = &space->island;
    zg_trial *t = &space->trial;
    double s, *share = space->best.x;
    bool found = true;
    memset(margin, 0, sizeof *margin * (size_t)instant->frictions);
    if (best) memcpy(best, x, sizeof *best * (size_t)instant->rows);
    memset(space->absent, 0, (size_t)instant->contacts);
    int32_t islands = zg_split_islands(space, instant);
    for (int32_t k = 0; k < islands; k++) {
        zg_gather_island(space, instant, k, tolerance);
        zg_gather_mode(c, mode, t);
        zg_solve_trial(c, &space->system, t);
        take_forces(c, t, x);
        memcpy(share, t->x, sizeof *share * (size_t)c->r);
        if (t->shared) found &= zg_best_share(c, &space->system, t, share, &s);
        memcpy(t->x, share, sizeof *share * (size_t)c->r);
        zg_note_pressures(c, t);
        write_margins(c, t, margin);
        for (int32_t i = 0; best && i < c->r; i++) best[c->row_of[i]] = share[i] * c->D[i];
    }
    return found;
}
