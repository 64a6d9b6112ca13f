/*
 * Friction that creeps. The slip s = r d of a friction in a plane or in space, |d| = 1, changes by
 *
 *     s' = F(d) = T z - b,    r' = d F(d),    r d' = F(d) across d
 *
 * with T, b of the rows that would hold it, and z with the friction -mu rho d in it. F across d falls
 * with d by J = mu rho G + r' at least where friction does not feel d otherwise: a direction that does
 * not fit is gone after a time of r / J. Where r is small, explicit steps have to be as short as that,
 * for nothing: d is where r d' = F across d keeps it, by powers of r
 *
 *     d = d0 - r (J + a)^-1 d0' + O(r^2),    F(d0) = a d0    (the secular equation)
 *
 * where a = r' in J + a comes from the r before the bracket. d0' is a difference along the motion over
 * mode.span. All that creeps at once is found together: J couples it.
 *
 * Pressures depend on directions; J is found by differences in the small system of what slides,
 *
 *     F = free + sum_k rho_k push_k - sum_e mu_e rho_e G_e d_e,    rho = g(multipliers)
 */
#include "creep.h"

#include <math.h>
#include <string.h>

#include "friction.h"

enum { most_turns = 2 * ZR_MOST_CREEPING, most_newton = 30 };
static const double turn_step = 1e-6;   /* radians, of differences */
static const double largest_turn = 0.5; /* of one step of Newton's method */
static const double largest_lag = 0.1;  /* of what creeps behind d0: beyond it there is no series */
static const double found_turn = 1e-10; /* the last step, where it counts as found */

/* What is unknown: turns y across the directions. */
typedef struct turning {
    zw_sim *sim;
    const zk_source *at;
    int32_t sliding, size;
    int32_t first[ZR_MOST_CREEPING]; /* turn of each friction */
    double T[6 * ZR_MOST_CREEPING];  /* unit vectors across */
    double F[ZR_CREEPING_SLIPS];
    double off[most_turns]; /* F across d */
    double J[most_turns * most_turns];
} turning;

bool zr_creeps_along(const zr_contacts *c, int32_t k)
{
    if (!c->mode.creeps[k]) return false;
    for (int32_t e = 0; e < c->creep.count; e++)
        if (c->creep.list[e].friction == k) return c->creep.list[e].found;
    return false;
}

static int32_t width_of(const zw_sim *sim, int32_t e)
{
    return sim->zm->frictions[sim->contacts->creep.list[e].friction].width;
}

/* Of number e, [width]. */
static double *direction_of(const zw_sim *sim, int32_t e)
{
    zr_contacts *c = sim->contacts;
    return c->creep.direction + c->laws->friction[c->creep.list[e].friction].slip;
}

static void normalise(double *d, int32_t width)
{
    double square = 0.0;
    for (int32_t j = 0; j < width; j++) square += d[j] * d[j];
    for (int32_t j = 0; j < width && square > 0.0; j++) d[j] /= sqrt(square);
}

/* ------------------------------------------------------------------------- equations */

/* b of the rows that would hold what creeps, which are off. */
static void read_rows(zw_sim *sim, const zk_source *s)
{
    zr_contacts *c = sim->contacts;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t e = 0; e < c->creep.count; e++) {
            const zm_friction *f = &sim->zm->frictions[c->creep.list[e].friction];
            for (int32_t i = f->first_row; i < f->first_row + f->width; i++) {
                if (pass == 1) c->creep.b[c->laws->slip_of_row[i]] = sim->b[i];
                sim->values[sim->zm->mask[i]] = pass == 0 ? 1.0 : 0.0;
            }
        }
        zr_masks_changed(sim);
        if (pass == 0) zr_evaluate_rows(sim, s);
    }
}

/* T_j z of all that creeps, into rates with this stride. */
static void read_slip_rates(const zw_sim *sim, const double *z, double *rates, int32_t stride)
{
    const zr_contacts *c = sim->contacts;
    const zr_pattern *T = &c->laws->T;
    for (int32_t e = 0; e < c->creep.count; e++) {
        int32_t first = c->laws->friction[c->creep.list[e].friction].slip;
        for (int32_t j = 0; j < width_of(sim, e); j++) {
            double sum = 0.0;
            for (int32_t p = T->start[first + j]; p < T->start[first + j + 1]; p++)
                sum += c->T[p] * z[T->column[p]];
            rates[(3 * e + j) * stride] = sum;
        }
    }
}

/* Multipliers and accelerations per unit of force along each slip of number e. */
static zw_status find_unit_columns(zw_sim *sim, int32_t e)
{
    zr_contacts *c = sim->contacts;
    const zr_pattern *T = &c->laws->T;
    int32_t first = c->laws->friction[c->creep.list[e].friction].slip;
    size_t m = (size_t)sim->zm->m;
    for (int32_t j = 0; j < width_of(sim, e); j++) {
        memset(c->column, 0, sizeof *c->column * (size_t)sim->zm->n);
        for (int32_t p = T->start[first + j]; p < T->start[first + j + 1]; p++)
            c->column[T->column[p]] += c->T[p];
        ZB_TRY(zr_solve_rows(&sim->solver->all, c->column, NULL, c->creep.z,
                             c->creep.lambda + (size_t)(3 * e + j) * m));
        read_slip_rates(sim, c->creep.z, c->creep.G + 3 * e + j, ZR_CREEPING_SLIPS);
    }
    return ZW_OK;
}

/* The same of what slides without creeping, and of the motion without friction. */
static zw_status find_columns(zw_sim *sim, const zk_source *s, const double *f, int32_t *sliding)
{
    zr_contacts *c = sim->contacts;
    size_t m = (size_t)sim->zm->m;
    int32_t e = 0;
    *sliding = 0;
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        int32_t a = *sliding;
        if (c->mode.grip[k] != ZR_SLIDES) continue;
        c->which[(*sliding)++] = k;
        if (e < c->creep.count && c->creep.list[e].friction == k) {
            c->creep.list[e].column = a;
            ZB_TRY(find_unit_columns(sim, e++));
            continue;
        }
        zr_write_friction_column(sim, k, s->velocity);
        ZB_TRY(zr_solve_rows(&sim->solver->all, c->column, NULL, c->creep.z,
                             c->column_lambda + (size_t)a * m));
        read_slip_rates(sim, c->creep.z, c->creep.push + a, c->laws->frictions);
    }
    ZB_TRY(zr_solve_rows(&sim->solver->all, f, sim->b, c->creep.z, c->base));
    read_slip_rates(sim, c->creep.z, c->creep.free, 1);
    for (e = 0; e < c->creep.count; e++)
        for (int32_t j = 0; j < width_of(sim, e); j++)
            c->creep.free[3 * e + j] -=
                c->creep.b[c->laws->friction[c->creep.list[e].friction].slip + j];
    return ZW_OK;
}

/* Multipliers per unit of pressure of number e, in its direction. */
static void combine_units(zw_sim *sim, int32_t e)
{
    zr_contacts *c = sim->contacts;
    size_t m = (size_t)sim->zm->m;
    const zr_creeping *is = &c->creep.list[e];
    double mu = zr_friction_mu(sim, is->friction), *sum = c->column_lambda + (size_t)is->column * m;
    memset(sum, 0, sizeof *sum * m);
    for (int32_t j = 0; j < width_of(sim, e); j++) {
        const double *unit = c->creep.lambda + (size_t)(3 * e + j) * m;
        double push = -mu * direction_of(sim, e)[j];
        for (size_t i = 0; i < m; i++) sum[i] += push * unit[i];
    }
}

/* F at the directions that are there. */
static zw_status find_slip_rates(turning *g, double *F)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = sim->contacts;
    const zr_creep *creep = &c->creep;
    for (int32_t e = 0; e < creep->count; e++) combine_units(sim, e);
    ZB_TRY(zr_find_pressures(sim, g->at, g->sliding));
    memcpy(F, creep->free, sizeof creep->free);
    for (int32_t a = 0; a < g->sliding; a++) {
        double rho = c->pressure[c->which[a]];
        bool creeps = c->mode.creeps[c->which[a]];
        for (int32_t i = 0; i < 3 * creep->count && !creeps; i++)
            F[i] += rho * creep->push[i * c->laws->frictions + a];
    }
    for (int32_t e = 0; e < creep->count; e++) {
        int32_t k = creep->list[e].friction;
        for (int32_t j = 0; j < width_of(sim, e); j++) {
            double x = -zr_friction_mu(sim, k) * c->pressure[k] * direction_of(sim, e)[j];
            for (int32_t i = 0; i < 3 * creep->count; i++)
                F[i] += x * creep->G[i * ZR_CREEPING_SLIPS + 3 * e + j];
        }
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------ secular equation */

static double along_of(const zw_sim *sim, int32_t e, const double *F)
{
    double sum = 0.0;
    for (int32_t j = 0; j < width_of(sim, e); j++) sum += F[3 * e + j] * direction_of(sim, e)[j];
    return sum;
}

/* What of F is across the directions, along the unit vectors T. */
static void look_across(const turning *g, const double *F, double *off)
{
    for (int32_t e = 0; e < g->sim->contacts->creep.count; e++) {
        int32_t width = width_of(g->sim, e);
        const double *d = direction_of(g->sim, e);
        double along = along_of(g->sim, e, F);
        for (int32_t p = 0; p < width - 1; p++) {
            double sum = 0.0;
            for (int32_t j = 0; j < width; j++)
                sum += g->T[6 * e + j * (width - 1) + p] * (F[3 * e + j] - along * d[j]);
            off[g->first[e] + p] = sum;
        }
    }
}

/* d of number e turns by y [width - 1]. */
static void turn_direction(turning *g, int32_t e, const double *y)
{
    int32_t width = width_of(g->sim, e);
    double *d = direction_of(g->sim, e);
    for (int32_t j = 0; j < width; j++)
        for (int32_t p = 0; p < width - 1; p++) d[j] += g->T[6 * e + j * (width - 1) + p] * y[p];
    normalise(d, width);
}

/* Turn p of number e changes F across all directions: a column of J. */
static zw_status find_change(turning *g, int32_t e, int32_t p)
{
    double kept[3] = {0.0}, y[2] = {0.0}, F[ZR_CREEPING_SLIPS], off[most_turns];
    int32_t width = width_of(g->sim, e), column = g->first[e] + p;
    double *d = direction_of(g->sim, e);
    memcpy(kept, d, sizeof *d * (size_t)width);
    y[p] = turn_step;
    turn_direction(g, e, y);
    ZB_TRY(find_slip_rates(g, F));
    look_across(g, F, off);
    memcpy(d, kept, sizeof *d * (size_t)width);
    for (int32_t i = 0; i < g->size; i++)
        g->J[i * g->size + column] = (g->off[i] - off[i]) / turn_step;
    return ZW_OK;
}

/* Vectors across the directions that are there. */
static void find_bases(turning *g)
{
    g->size = 0;
    for (int32_t e = 0; e < g->sim->contacts->creep.count; e++) {
        g->first[e] = g->size;
        g->size += width_of(g->sim, e) - 1;
        zg_across_direction(width_of(g->sim, e), direction_of(g->sim, e), g->T + 6 * e);
    }
}

/* F, what of it is across, and J at the directions that are there. */
static zw_status linearise(turning *g)
{
    const zr_creep *creep = &g->sim->contacts->creep;
    find_bases(g);
    ZB_TRY(find_slip_rates(g, g->F));
    look_across(g, g->F, g->off);
    for (int32_t e = 0; e < creep->count; e++)
        for (int32_t p = 0; p < width_of(g->sim, e) - 1; p++) ZB_TRY(find_change(g, e, p));
    return ZW_OK;
}

/* One step of Newton's method; the largest turn, not finite: none is left to be made. */
static double turn_all(turning *g)
{
    double X[most_turns * most_turns], y[most_turns], most = 0.0;
    memcpy(X, g->J, sizeof *X * (size_t)(g->size * g->size));
    memcpy(y, g->off, sizeof *y * (size_t)g->size);
    if (!zr_solve_small(X, y, g->size)) return HUGE_VAL;
    for (int32_t i = 0; i < g->size; i++) most = fmax(most, fabs(y[i]));
    for (int32_t i = 0; i < g->size && most > largest_turn; i++) y[i] *= largest_turn / most;
    if (!isfinite(most)) return HUGE_VAL;
    for (int32_t e = 0; e < g->sim->contacts->creep.count; e++)
        turn_direction(g, e, y + g->first[e]);
    return most;
}

/* F(d) = a d, from the directions that are there. */
static bool solve_secular(turning *g)
{
    double before = HUGE_VAL;
    for (int round = 0; round < most_newton; round++) {
        if (linearise(g) != ZW_OK) return false;
        double most = turn_all(g);
        if (!isfinite(most)) return false;
        if (most <= 4.0 * zb_eps || (most <= found_turn && !(most < 0.5 * before))) return true;
        before = most;
    }
    return false;
}

/* The equations at a state, and d0 there. */
static bool find_secular(turning *g, zr_solving *run, const zk_source *s)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = sim->contacts;
    const double *f = sim->Q;
    g->at = s;
    read_rows(sim, s);
    zr_equations_at(sim, run, s);
    if (zr_factor_sliding(sim, run) != ZW_OK) return false;
    if (sim->model->nonideal.count > 0) {
        zr_wanted w = {.at = s, .z = c->creep.z};
        if (zr_find_nonideal_sliding(sim, &w) != ZW_OK) return false;
        for (int32_t j = 0; j < sim->zm->n; j++) c->total[j] = sim->Q[j] + sim->C[j];
        f = c->total;
    }
    zr_evaluate_frictions(sim, s);
    return find_columns(sim, s, f, &g->sliding) == ZW_OK && solve_secular(g);
}

/* ------------------------------------------------------------------------------- lag */

/* Slips, their rates and J along the directions d0. */
static void note_creeping(const turning *g)
{
    zr_contacts *c = g->sim->contacts;
    for (int32_t e = 0; e < c->creep.count; e++) {
        zr_creeping *is = &c->creep.list[e];
        int32_t width = width_of(g->sim, e);
        const double *slip = c->slip + c->laws->friction[is->friction].slip;
        is->gain = along_of(g->sim, e, g->F);
        is->along = is->relaxing = 0.0;
        for (int32_t j = 0; j < width; j++) is->along += slip[j] * direction_of(g->sim, e)[j];
        for (int32_t p = g->first[e]; p < g->first[e] + width - 1; p++)
            is->relaxing += g->J[p * g->size + p] / (width - 1);
    }
}

/* Where the motion is a span later, into creep.q and creep.v. f: Q, or Q with C. */
static bool look_ahead(turning *g, const double *f)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = sim->contacts;
    int32_t n = sim->zm->n;
    double h = c->mode.span;
    if (f != c->total) memcpy(c->total, f, sizeof *f * (size_t)n);
    for (int32_t a = 0; a < g->sliding; a++) {
        zr_write_friction_column(sim, c->which[a], g->at->velocity);
        for (int32_t j = 0; j < n; j++) c->total[j] += c->pressure[c->which[a]] * c->column[j];
    }
    if (zr_solve_rows(&sim->solver->all, c->total, sim->b, c->creep.z, sim->lambda) != ZW_OK)
        return false;
    for (int32_t j = 0; j < n; j++) {
        c->creep.v[j] = g->at->velocity[j] + h * c->creep.z[j];
        c->creep.q[j] = g->at->position[j] + 0.5 * h * (g->at->velocity[j] + c->creep.v[j]);
    }
    return true;
}

/* d0 becomes d, with d0 a span later at hand. */
static void lag_behind(turning *g, const double *first, double span)
{
    zr_contacts *c = g->sim->contacts;
    double y[most_turns] = {0.0}, most = 0.0;
    for (int32_t e = 0; e < c->creep.count; e++) {
        const zr_creeping *is = &c->creep.list[e];
        int32_t width = width_of(g->sim, e);
        double *d = direction_of(g->sim, e);
        for (int32_t p = 0; p < width - 1; p++) {
            int32_t row = g->first[e] + p;
            for (int32_t j = 0; j < width; j++)
                y[row] -= is->along * g->T[6 * e + j * (width - 1) + p] *
                          (d[j] - first[3 * e + j]) / span;
            g->J[row * g->size + row] += is->gain;
        }
        memcpy(d, first + 3 * e, sizeof *d * (size_t)width);
    }
    if (!zr_solve_small(g->J, y, g->size)) return;
    for (int32_t i = 0; i < g->size; i++) most = fmax(most, fabs(y[i]));
    if (!(most <= largest_lag)) return;
    for (int32_t e = 0; e < c->creep.count; e++) turn_direction(g, e, y + g->first[e]);
}

/* ----------------------------------------------------------------------------- begin */

/* What creeps, from the mode's directions on. */
static void list_creeping(zw_sim *sim)
{
    zr_contacts *c = sim->contacts;
    zr_creep *creep = &c->creep;
    creep->count = 0;
    for (int32_t k = 0; k < c->laws->frictions; k++) {
        if (c->mode.grip[k] != ZR_SLIDES || !c->mode.creeps[k]) continue;
        int32_t first = c->laws->friction[k].slip, width = sim->zm->frictions[k].width;
        creep->list[creep->count++] = (zr_creeping){.friction = k, .found = true};
        for (int32_t j = first; j < first + width; j++) creep->direction[j] = c->mode.direction[j];
    }
}

/* d0 of all, without their lag. */
static void put_back_directions(zw_sim *sim, const double *first)
{
    for (int32_t e = 0; e < sim->contacts->creep.count; e++)
        memcpy(direction_of(sim, e), first + 3 * e, sizeof *first * (size_t)width_of(sim, e));
}

/* d0 at a state becomes d there. */
static void follow_turns(turning *g, zr_solving *run)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = sim->contacts;
    double first[ZR_CREEPING_SLIPS] = {0.0}, span = c->mode.span;
    turning later = {.sim = sim};
    for (int32_t e = 0; e < c->creep.count; e++)
        memcpy(first + 3 * e, direction_of(sim, e), sizeof *first * (size_t)width_of(sim, e));
    bool nonideal = sim->model->nonideal.count > 0;
    if (!(span > 0.0) || !look_ahead(g, nonideal ? c->total : sim->Q)) return;
    zk_source ahead = zr_source(sim, g->at->time + span, c->creep.q, c->creep.v);
    if (find_secular(&later, run, &ahead))
        lag_behind(g, first, span);
    else
        put_back_directions(sim, first);
}

void zr_follow_creep(zw_sim *sim, zr_solving *run, const zk_source *s)
{
    zr_creep *creep = &sim->contacts->creep;
    turning g = {.sim = sim};
    list_creeping(sim);
    bool found = find_secular(&g, run, s);
    for (int32_t e = 0; e < creep->count; e++) creep->list[e].found = found;
    if (found) note_creeping(&g);
    if (found) follow_turns(&g, run);
    zr_evaluate_frictions(sim, s);
}

/* --------------------------------------------------------------------- end of a step */

/* Impulses y across the directions that end the slips there: (T^T G T) y = T^T s. */
static bool find_impulses(turning *g, double *y)
{
    const zr_contacts *c = g->sim->contacts;
    double X[most_turns * most_turns], column[ZR_CREEPING_SLIPS] = {0.0}, off[most_turns];
    for (int32_t e = 0; e < c->creep.count; e++) {
        const double *slip = c->slip + c->laws->friction[c->creep.list[e].friction].slip;
        for (int32_t j = 0; j < width_of(g->sim, e); j++) column[3 * e + j] = slip[j];
    }
    look_across(g, column, y);
    for (int32_t e = 0; e < c->creep.count; e++) {
        int32_t width = width_of(g->sim, e);
        for (int32_t p = 0; p < width - 1; p++) {
            memset(column, 0, sizeof column);
            for (int32_t i = 0; i < 3 * c->creep.count; i++)
                for (int32_t j = 0; j < width; j++)
                    column[i] += c->creep.G[i * ZR_CREEPING_SLIPS + 3 * e + j] *
                                 g->T[6 * e + j * (width - 1) + p];
            look_across(g, column, off);
            for (int32_t i = 0; i < g->size; i++) X[i * g->size + g->first[e] + p] = off[i];
        }
    }
    return zr_solve_small(X, y, g->size);
}

/* What impulses y across the directions do to velocities, into creep.z. */
static bool find_push(const turning *g, const double *y)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = sim->contacts;
    const zr_pattern *T = &c->laws->T;
    memset(c->column, 0, sizeof *c->column * (size_t)sim->zm->n);
    for (int32_t e = 0; e < c->creep.count; e++) {
        int32_t first = c->laws->friction[c->creep.list[e].friction].slip, width = width_of(sim, e);
        for (int32_t j = 0; j < width; j++) {
            double x = 0.0;
            for (int32_t i = 0; i < width - 1; i++)
                x += g->T[6 * e + j * (width - 1) + i] * y[g->first[e] + i];
            for (int32_t p = T->start[first + j]; p < T->start[first + j + 1]; p++)
                c->column[T->column[p]] += x * c->T[p];
        }
    }
    return zr_solve_rows(&sim->solver->all, c->column, NULL, c->creep.z, sim->lambda) == ZW_OK &&
           zb_all_finite(c->creep.z, sim->zm->n);
}

void zr_end_creeping_step(zw_sim *sim, zr_solving *run, double t, const double *q, double *v)
{
    zr_creep *creep = &sim->contacts->creep;
    zk_source s = zr_source(sim, t, q, v);
    turning g = {.sim = sim, .at = &s};
    double y[most_turns] = {0.0};
    zr_follow_creep(sim, run, &s);
    if (!creep->list[0].found) return;
    zr_equations_at(sim, run, &s);
    if (zr_factor_sliding(sim, run) != ZW_OK) return;
    for (int32_t e = 0; e < creep->count; e++)
        if (find_unit_columns(sim, e) != ZW_OK) return;
    find_bases(&g);
    if (!find_impulses(&g, y) || !find_push(&g, y)) return;
    for (int32_t j = 0; j < sim->zm->n; j++) v[j] -= creep->z[j];
}
