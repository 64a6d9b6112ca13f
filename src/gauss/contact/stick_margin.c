/*
 * How far sticking is from slipping. Where the shares are unique it is mu_static rho - |x_t|. Else
 *
 *     max s:  mu_static N_i - |tau_i| >= s  of all that stick and share,  N_i >= s  of what touches and shares without
 *
 * over x = x0 + Z y: a linear program in the plane. It has a solution always, and nothing happens as long
 * as s >= 0. In space each cone |tau| <= m is replaced by half-planes d tau <= m, 2 width of them at first,
 * and one more with d = tau / |tau| wherever the solution is outside: s falls to the answer from above,
 * until the solution is inside to 1e-12, or there have been 100 rounds.
 *
 * Pressures of joints are not linear in the shares. For each choice of their signs they are, and the best of these
 * programs counts (joint_shares.c); directions of several multipliers are turned to those of the answer until
 * it no longer gets better.
 *
 * What limits s may do so always (two walls that carry nothing), while others come to their limits: all
 * margins are found, the least first. Those that s depends on are held at it, and s is made as large as
 * the others allow, until none is left. So they are unique, and change as the forces do.
 */
#include <math.h>
#include <string.h>

#include "contact_island.h"
#include "share_space.h"

enum { most_cuts = 100, most_turns = 20 };

/* Where nothing near obeys the laws, wedges may: their forces are as large as they are slender. */
static const double near_reach = 10.0, far_reach = 1e6;

/* Of the largest force: what cuts may be off by. */
static const double cut_part = 1e-12;

/* Owners of rows: contacts, then frictions. */
typedef struct margins {
    const zg_island *c;
    zg_mode_system *s;
    const zg_trial *t;
    int32_t nullity;
    const double *x0;
    double *x, size;
    double reach; /* how far shares are looked for, in units of size */
    double hold;  /* what margins that are found are lowered by */
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

/* Contact i touches, loaded or not, shares, and no friction that sticks looks after it. */
static bool shares_alone(const margins *m, int32_t i)
{
    const zg_island *c = m->c;
    for (int32_t n = 0; n < c->frictions; n++)
        if (c->friction[n].contact == i && m->t->friction[n] == ZG_STICK) return false;
    return m->t->contact[i] != ZG_OPEN && zg_is_shared(c, m->s, m->nullity, c->contact[i].normal);
}

/* Friction n slides on a joint, and shares change what presses it. */
static bool slides_and_shares(const margins *m, int32_t n)
{
    return m->c->friction[n].contact < 0 && m->t->friction[n] == ZG_SLIDE &&
           zg_press_is_shared(m->c, m->s, m->nullity, n);
}

/* A row of `owner`, b - s >= 0; where its margin is found already, b less that >= 0, but for what cuts
 * may be off by. */
static double *add_margin_row(const margins *m, int32_t owner, double b)
{
    double level = m->s->level[owner];
    bool found = !isnan(level);
    double *row = zg_add_row(&m->s->program, owner, found ? b - level + m->hold : b);
    row[m->nullity] = found ? 0.0 : -1.0;
    return row;
}

/* mu_s rho - d tau - s >= 0. */
static void add_cut(const margins *m, int32_t n, const double *d)
{
    const zg_island *c = m->c;
    const island_friction *f = &c->friction[n];
    double b = f->mu_static * pressure_at(m, n, m->x0, true);
    for (int32_t j = 0; j < f->width; j++) b -= d[j] * m->x0[f->first + j];
    double *row = add_margin_row(m, c->contacts + n, b);
    for (int32_t i = 0; i < m->nullity; i++) {
        const double *z = m->s->Z + (size_t)i * (size_t)c->r;
        row[i] = f->mu_static * pressure_at(m, n, z, false);
        for (int32_t j = 0; j < f->width; j++) row[i] -= d[j] * z[f->first + j];
    }
}

/* rho - s >= 0 where a joint slides. */
static void add_press(const margins *m, int32_t n)
{
    double *row = add_margin_row(m, m->c->contacts + n, zg_press_at(m->c, m->s, n, m->x0, true));
    for (int32_t i = 0; i < m->nullity; i++)
        row[i] = zg_press_at(m->c, m->s, n, m->s->Z + (size_t)i * (size_t)m->c->r, false);
}

/* N - s >= 0. */
static void add_normal(const margins *m, int32_t contact)
{
    int32_t normal = m->c->contact[contact].normal;
    double *row = add_margin_row(m, contact, m->x0[normal]);
    for (int32_t i = 0; i < m->nullity; i++)
        row[i] = m->s->Z[(size_t)i * (size_t)m->c->r + (size_t)normal];
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

/* Half-planes of the cones that the solution is outside of, at s or at what is found. */
static void cut_cones(const margins *m, double s)
{
    for (int32_t n = 0; n < m->c->frictions; n++) {
        const island_friction *f = &m->c->friction[n];
        double d[ZG_MOST_WIDTH], length = length_of(m->x + f->first, f->width);
        double level = m->s->level[m->c->contacts + n];
        if (!shares(m, n) || f->width == 1 || !(length > 0.0)) continue;
        double wanted = isnan(level) ? s : level - m->hold;
        double margin = f->mu_static * pressure_at(m, n, m->x, true) - length;
        if (!(wanted - margin > cut_part * m->size)) continue;
        for (int32_t j = 0; j < f->width; j++) d[j] = m->x[f->first + j] / length;
        add_cut(m, n, d);
    }
}

/* In the plane there are no cuts. */
static bool any_cone(const zg_island *c)
{
    for (int32_t n = 0; n < c->frictions; n++)
        if (c->friction[n].width > 1) return true;
    return false;
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
static int32_t write_program(const margins *m)
{
    zg_share_program *p = &m->s->program;
    zg_begin_program(p, m->nullity, m->reach * m->size);
    for (int32_t i = 0; i < m->c->contacts; i++)
        if (shares_alone(m, i)) add_normal(m, i);
    for (int32_t n = 0; n < m->c->frictions; n++) {
        if (slides_and_shares(m, n)) add_press(m, n);
        for (int32_t j = 0; shares(m, n) && j < 2 * m->c->friction[n].width; j++) {
            double d[ZG_MOST_WIDTH] = {0.0};
            d[j / 2] = j % 2 ? -1.0 : 1.0;
            add_cut(m, n, d);
        }
    }
    return p->rows;
}

/* A share whose least margin, of those that are not found yet, is largest: s. False: it is not found, or
 * not all cuts are made. With the signs at hand. */
static bool solve_signed(const margins *m, double *s)
{
    zg_share_program *p = &m->s->program;
    int32_t fixed = write_program(m);
    for (int32_t round = 0; round < most_cuts; round++) {
        if (!zg_solve_program(p)) return false;
        take_solution(m);
        *s = p->solution[m->nullity];
        if (round > 0) zg_drop_rows(p, fixed);
        int32_t rows = p->rows;
        cut_cones(m, *s);
        if (p->rows == rows) return true;
    }
    return false;
}

/* The same, with directions of several multipliers that fit the answer. */
static bool solve_turned(const margins *m, double *s)
{
    if (!solve_signed(m, s)) return false;
    for (int32_t turn = 0; turn < most_turns; turn++) {
        double before = *s;
        if (!zg_turn_presses(m->c, m->s, m->t, m->x) || !solve_signed(m, s)) break;
        if (!(*s > before + 1e-12 * fabs(before))) break;
    }
    return true;
}

static bool solve_pattern(const margins *m, int32_t pattern, double *s)
{
    zg_begin_presses(m->c, m->s, m->t, m->x0);
    zg_reverse_presses(m->c, m->s, m->t, m->nullity, pattern);
    return solve_turned(m, s);
}

/* The best of all signs, which is solved last. */
static bool solve_margins(const margins *m, double *s)
{
    int32_t patterns = zg_count_patterns(m->c, m->s, m->t, m->nullity), best = -1, last = -1;
    for (int32_t pattern = 0; pattern < patterns; pattern++) {
        double own;
        if (!solve_pattern(m, last = pattern, &own) || (best >= 0 && !(own > *s))) continue;
        *s = own;
        best = pattern;
    }
    return best >= 0 && (best == last || solve_pattern(m, best, s));
}

/* Margins that s depends on are found: how many. None: it goes to the box. */
static int32_t hold_levels(const margins *m, double s)
{
    zg_share_program *p = &m->s->program;
    const double *v = zg_program_dual(p);
    int32_t count = 0;
    for (int32_t i = 0; v && i < p->n; i++) {
        int32_t owner = p->owner[p->basis[i]];
        if (owner < 0 || !(v[i] > 1e-9) || !isnan(m->s->level[owner])) continue;
        m->s->level[owner] = s;
        count++;
    }
    return count;
}

/* How many margins there are to be found. */
static int32_t begin_levels(const margins *m)
{
    int32_t count = 0;
    for (int32_t i = 0; i < m->c->contacts + m->c->frictions; i++) m->s->level[i] = (double)NAN;
    for (int32_t i = 0; i < m->c->contacts; i++) count += shares_alone(m, i) ? 1 : 0;
    for (int32_t n = 0; n < m->c->frictions; n++)
        count += shares(m, n) || slides_and_shares(m, n) ? 1 : 0;
    return count;
}

/* The others, of `left` with those that s depends on; x is the last share that was found. */
static bool find_all_margins(const margins *m, int32_t left, double s)
{
    size_t bytes = sizeof *m->x * (size_t)m->c->r;
    double *before = m->s->spread;
    for (;;) {
        int32_t held = hold_levels(m, s);
        left -= held;
        if (held == 0 || left <= 0) return true;
        memcpy(before, m->x, bytes);
        if (solve_signed(m, &s)) continue;
        memcpy(m->x, before, bytes);
        return true;
    }
}

bool zg_best_share(const zg_island *c, zg_mode_system *s, const zg_trial *t, bool all, double *x)
{
    margins m = {.c = c, .s = s, .t = t, .x0 = s->share, .x = x, .reach = near_reach};
    double margin = 0.0;
    memcpy(s->share, x, sizeof *x * (size_t)c->r);
    zg_begin_presses(c, s, t, x);
    m.nullity = zg_share_space(c, s, t, NULL);
    if (m.nullity == 0) return true;
    if (m.nullity > ZG_MOST_SHARED) return false;
    m.size = size_of(&m);
    m.hold = (any_cone(c) ? 2.0 * cut_part : 1e-14) * m.size;
    int32_t left = begin_levels(&m);
    bool found = solve_margins(&m, &margin);
    while (!(found && margin >= -c->sign) && m.reach < 0.1 * far_reach) {
        m.reach *= 10.0;
        found = solve_margins(&m, &margin);
    }
    if (!found) {
        memcpy(x, s->share, sizeof *x * (size_t)c->r);
        return false;
    }
    return !all || find_all_margins(&m, left, margin);
}

/* ------------------------------------------------------------------- the instant */

/* Forces of the caller in place of those that the mode's equations give. */
static void take_forces(const zg_island *c, zg_trial *t, const double *x)
{
    for (int32_t i = 0; i < c->r; i++) t->x[i] = x[c->row_of[i]] / c->D[i];
    zg_note_pressures(c, t);
}

static void write_margins(const zg_island *c, const zg_trial *t, double *margin)
{
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (t->friction[n] == ZG_SLIDE && zg_is_single(f))
            margin[c->friction_of[n]] =
                t->side[n] ? t->side[n] * t->lambda[f->joint_first] : t->rho[n];
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
    double *share = space->best.x;
    bool found = true;
    space->system.loose = mode->loose;
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
        if (t->shared) found &= zg_best_share(c, &space->system, t, true, share);
        memcpy(t->x, share, sizeof *share * (size_t)c->r);
        zg_note_pressures(c, t);
        write_margins(c, t, margin);
        for (int32_t i = 0; best && i < c->r; i++) best[c->row_of[i]] = share[i] * c->D[i];
    }
    space->system.loose = false;
    return found;
}
