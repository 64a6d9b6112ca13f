/*
 * Friction that creeps. The slips of a group of frictions that depend on each other (creep_groups.c), s = B y, y = R e,
 * |e| = 1, change by
 *
 *     y' = f(e),    R' = e f(e),    R e' = f(e) across e;    B f = F = T z - b
 *
 * with T, b of the rows that would hold them, and z with the frictions -mu rho d in it, d along B e of each. f across e falls
 * with e by J = sum of mu rho B^T (1 - d d^T) B / |B e| + R' where friction does not feel d otherwise: a direction that
 * does not fit is gone after a time of R / J. Where R is small, explicit steps have to be as short as that, for
 * nothing: e is where R e' = f across e keeps it, by powers of R
 *
 *     e = e0 - R (J + a)^-1 e0' + O(R^2),    f(e0) = a e0    (the secular equation)
 *
 * where a = R' in J + a comes from the R before the bracket. e0' is a difference of B e0 along the motion over
 * mode.span. All that creeps at once is found together: J couples it. A friction that depends on no other is a
 * group of its own, and e its direction.
 *
 * Pressures depend on directions; J is found by differences in the small system of what slides,
 *
 *     F = free + sum_k rho_k push_k - sum_e mu_e rho_e G_e d_e,    rho = g(multipliers)
 */
#include "creep.h"

#include <math.h>
#include <string.h>

#include "creep_groups.h"
#include "friction.h"

enum { most_newton = 40, most_parts = 20 };
static const double turn_step = 1e-6;   /* radians, of differences */
static const double largest_turn = 0.5; /* of one step of Newton's method */
static const double small_turn = 1e-6;  /* one that is made without a look */
static const double least_stiff =
    1e-3;                              /* of J, were all slips of a group as large as the largest */
static const double largest_lag = 0.1; /* of what creeps behind e0: beyond it there is no series */
static const double found_turn = 1e-10; /* the last step, where it counts as found */
static const double fits = 1e-6;        /* of slips: what is not of the velocities of their group */

bool zr_creeps_along(const zr_contacts *c, int32_t k)
{
    if (!c->mode.creeps[k]) return false;
    for (int32_t e = 0; e < c->creep.count; e++)
        if (c->creep.list[e].friction == k) return c->creep.list[e].found;
    return false;
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
        for (int32_t j = 0; j < zr_creep_width(sim, e); j++) {
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
    for (int32_t j = 0; j < zr_creep_width(sim, e); j++) {
        memset(c->column, 0, sizeof *c->column * (size_t)sim->zm->n);
        for (int32_t p = T->start[first + j]; p < T->start[first + j + 1]; p++)
            c->column[T->column[p]] += c->T[p];
        ZB_TRY(zr_solve_rows(&sim->solver->all, c->column, NULL, c->creep.z,
                             c->creep.lambda + (size_t)(3 * e + j) * m));
        read_slip_rates(sim, c->creep.z, c->creep.G + 3 * e + j, ZR_CREEPING_SLIPS);
    }
    return ZW_OK;
}

/* The number of friction k among those that creep; creep.count: it is none of them. */
static int32_t find_creeping(const zr_contacts *c, int32_t k)
{
    int32_t e = 0;
    while (e < c->creep.count && c->creep.list[e].friction != k) e++;
    return e;
}

/* lambda [m], in the rows of its island, is the way of number a of what slides. */
static void keep_way(const zw_sim *sim, int32_t a, const double *lambda)
{
    const zr_friction_islands *x = &sim->contacts->islands;
    int32_t island = x->of[sim->contacts->which[a]];
    double *way = zr_way_of(sim, a);
    for (int32_t p = x->row_start[island]; p < x->row_start[island + 1]; p++)
        way[x->row[p]] = lambda[x->row[p]];
}

/* The same of what slides without creeping, and of the motion without friction. */
static zw_status find_columns(zw_sim *sim, const zk_source *s, const double *f, int32_t *sliding)
{
    zr_contacts *c = sim->contacts;
    *sliding = zr_list_sliding(sim);
    for (int32_t a = 0; a < *sliding; a++) {
        int32_t k = c->which[a], e = find_creeping(c, k);
        if (e < c->creep.count) {
            c->creep.list[e].column = a;
            ZB_TRY(find_unit_columns(sim, e));
            continue;
        }
        memset(c->column, 0, sizeof *c->column * (size_t)sim->zm->n);
        zr_add_friction_column(sim, k, s->velocity, 1.0, c->column);
        ZB_TRY(zr_solve_rows(&sim->solver->all, c->column, NULL, c->creep.z, c->trial));
        keep_way(sim, a, c->trial);
        read_slip_rates(sim, c->creep.z, c->creep.push + a, c->laws->frictions);
    }
    ZB_TRY(zr_solve_rows(&sim->solver->all, f, sim->b, c->creep.z, c->base));
    read_slip_rates(sim, c->creep.z, c->creep.free, 1);
    for (int32_t e = 0; e < c->creep.count; e++)
        for (int32_t j = 0; j < zr_creep_width(sim, e); j++)
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
    double mu = zr_friction_mu(sim, is->friction), *sum = c->trial;
    memset(sum, 0, sizeof *sum * m);
    for (int32_t j = 0; j < zr_creep_width(sim, e); j++) {
        const double *unit = c->creep.lambda + (size_t)(3 * e + j) * m;
        double push = -mu * zr_creep_direction(sim, e)[j];
        for (size_t i = 0; i < m; i++) sum[i] += push * unit[i];
    }
    keep_way(sim, is->column, sum);
}

/* F at the directions that are there. */
static zw_status find_slip_rates(zr_turning *g, double *F)
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
        for (int32_t j = 0; j < zr_creep_width(sim, e); j++) {
            double x = -zr_friction_mu(sim, k) * c->pressure[k] * zr_creep_direction(sim, e)[j];
            for (int32_t i = 0; i < 3 * creep->count; i++)
                F[i] += x * creep->G[i * ZR_CREEPING_SLIPS + 3 * e + j];
        }
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------ secular equation */

/* d of number e turns by step along vector p across it. */
static void turn_direction(double *d, int32_t width, const double *across, int32_t p)
{
    double square = 0.0;
    for (int32_t j = 0; j < width; j++) d[j] += turn_step * across[j * (width - 1) + p];
    for (int32_t j = 0; j < width; j++) square += d[j] * d[j];
    for (int32_t j = 0; j < width; j++) d[j] /= sqrt(square);
}

/* A turn of number e, of group k, along vector p across it changes F across all groups. */
static zw_status add_change(zr_turning *g, int32_t k, int32_t e, const double *across, int32_t p)
{
    const zr_creep_group *group = &g->group[k];
    double kept[3] = {0.0}, t[2], F[ZR_CREEPING_SLIPS], off[ZR_MOST_TURNS];
    int32_t width = zr_creep_width(g->sim, e);
    double *d = zr_creep_direction(g->sim, e);
    memcpy(kept, d, sizeof *d * (size_t)width);
    turn_direction(d, width, across, p);
    zw_status status = find_slip_rates(g, F);
    memcpy(d, kept, sizeof *d * (size_t)width);
    ZB_TRY(status);
    zr_look_across_creep(g, F, off, NULL);
    for (int32_t q = 0; q < group->rank - 1; q++) {
        zr_turn_of_friction(g, k, e, across, q, t);
        for (int32_t i = 0; i < g->size; i++)
            g->J[i * g->size + group->turn + q] += t[p] * (g->off[i] - off[i]) / turn_step;
    }
    return ZW_OK;
}

/* F, what of it is across, and J at e. */
static zw_status linearise(zr_turning *g)
{
    ZB_TRY(find_slip_rates(g, g->F));
    zr_look_across_creep(g, g->F, g->off, g->gain);
    memset(g->J, 0, sizeof *g->J * (size_t)(g->size * g->size));
    for (int32_t k = 0; k < g->groups; k++) {
        const zr_creep_group *group = &g->group[k];
        for (int32_t i = group->first; i < group->first + group->count && group->rank > 1; i++) {
            int32_t e = g->member[i], width = zr_creep_width(g->sim, e);
            double across[6];
            zg_across_direction(width, zr_creep_direction(g->sim, e), across);
            for (int32_t p = 0; p < width - 1; p++) ZB_TRY(add_change(g, k, e, across, p));
        }
        for (int32_t p = group->turn; p < group->turn + group->rank - 1; p++)
            g->J[p * g->size + p] += g->gain[k];
    }
    return ZW_OK;
}

/* How far f is across, at e. Not finite: there is no f. */
static double measure_off(zr_turning *g, double *off)
{
    double F[ZR_CREEPING_SLIPS], square = 0.0;
    if (!zr_show_creep_directions(g) || find_slip_rates(g, F) != ZW_OK) return HUGE_VAL;
    zr_look_across_creep(g, F, off, NULL);
    for (int32_t i = 0; i < g->size; i++) square += off[i] * off[i];
    return sqrt(square);
}

/* One step of Newton's method, or a part of it: where a slip is small beside others, as that of a foot about
 * which a body turns, f changes at once with it, and whole steps lead astray. The largest turn, not finite: none
 * is left to be made. */
static double turn_all(zr_turning *g)
{
    double X[ZR_MOST_TURNS * ZR_MOST_TURNS], y[ZR_MOST_TURNS], off[ZR_MOST_TURNS];
    double kept[ZR_CREEPING_SLIPS], before = 0.0;
    memcpy(X, g->J, sizeof *X * (size_t)(g->size * g->size));
    memcpy(y, g->off, sizeof *y * (size_t)g->size);
    memcpy(kept, g->e, sizeof kept);
    if (!zr_solve_small(X, y, g->size)) return HUGE_VAL;
    for (int32_t i = 0; i < g->size; i++) before += g->off[i] * g->off[i];
    for (int part = 0; part < most_parts; part++) {
        double most = zr_turn_creep_groups(g, y, largest_turn);
        if (!isfinite(most) || most <= small_turn) return most;
        if (measure_off(g, off) <= sqrt(before)) return most;
        memcpy(g->e, kept, sizeof kept);
        zr_show_creep_directions(g);
        for (int32_t i = 0; i < g->size; i++) y[i] *= 0.5;
    }
    return HUGE_VAL;
}

/* f(e) = a e, from the directions that are there. */
static bool solve_secular(zr_turning *g)
{
    double before = HUGE_VAL;
    zr_find_creep_groups(g);
    if (!zr_take_creep_directions(g)) return false;
    for (int round = 0; round < most_newton; round++) {
        if (!zr_show_creep_directions(g) || linearise(g) != ZW_OK) return false;
        double most = turn_all(g);
        if (!isfinite(most)) return false;
        if (most <= 4.0 * zb_eps || (most <= found_turn && !(most < 0.5 * before)))
            return zr_show_creep_directions(g);
        before = most;
    }
    return false;
}

/* Every turn is undone: the symmetric part of J is positive definite, by Cholesky's pivots. */
static bool is_attracting(const zr_turning *g)
{
    double X[ZR_MOST_TURNS * ZR_MOST_TURNS];
    int32_t n = g->size;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) X[i * n + j] = 0.5 * (g->J[i * n + j] + g->J[j * n + i]);
    for (int32_t i = 0; i < n; i++) {
        if (!(X[i * n + i] > 0.0)) return false;
        for (int32_t r = i + 1; r < n; r++)
            for (int32_t j = i + 1; j < n; j++)
                X[r * n + j] -= X[r * n + i] * X[i * n + j] / X[i * n + i];
    }
    return true;
}

/* Slips of what creeps: x [3 numbers]; whether there are any. */
static bool gather_slips(const zw_sim *sim, double *x)
{
    const zr_contacts *c = sim->contacts;
    bool any = false;
    for (int32_t e = 0; e < c->creep.count; e++)
        for (int32_t j = 0; j < zr_creep_width(sim, e); j++) {
            x[3 * e + j] = c->slip[c->laws->friction[c->creep.list[e].friction].slip + j];
            any = any || x[3 * e + j] != 0.0;
        }
    return any;
}

/* x [3 numbers] are slips B y of group k; so much is rounding of `beside`. */
static bool are_of_group(const zr_turning *g, int32_t k, const double *x, const double *beside)
{
    const zr_creep_group *group = &g->group[k];
    double y[ZR_CREEPING_SLIPS], most = 0.0, rest = 0.0;
    zr_creep_coordinates(g, k, x, y);
    for (int32_t i = group->first; i < group->first + group->count; i++)
        for (int32_t j = 0; j < zr_creep_width(g->sim, g->member[i]); j++) {
            int32_t row = 3 * g->member[i] + j;
            double left = x[row], size = fabs(x[row]) + fabs(beside[row]);
            for (int32_t a = 0; a < group->rank; a++) {
                left -= g->B[row * ZR_CREEPING_SLIPS + a] * y[a];
                size += fabs(g->B[row * ZR_CREEPING_SLIPS + a] * y[a]);
            }
            rest = zb_larger(rest, fabs(left));
            most = zb_larger(most, size);
        }
    return rest <= fits * most;
}

/* Where grounds move apart, slips that depend on each other are not those of one velocity, or, from rest on,
 * will not be: then nothing of this holds. */
static bool are_slips_of_groups(const zr_turning *g)
{
    double x[ZR_CREEPING_SLIPS] = {0.0};
    bool any = gather_slips(g->sim, x), all = true;
    for (int32_t k = 0; k < g->groups; k++) {
        if (g->group[k].count == 1) continue;
        all = all && (any ? are_of_group(g, k, x, x)
                          : are_of_group(g, k, g->F, g->sim->contacts->creep.free));
    }
    return all;
}

/* The equations at a state, and e0 there. */
static bool find_secular(zr_turning *g, zr_solving *run, const zk_source *s)
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
    return find_columns(sim, s, f, &g->sliding) == ZW_OK && solve_secular(g) && is_attracting(g) &&
           are_slips_of_groups(g);
}

/* ------------------------------------------------------------------------------- lag */

/* The least rate, times R, at which turns of group k end: 1 / |J^-1|, J where others stay as they are. */
static double find_least_stiffness(const zr_turning *g, int32_t k)
{
    int32_t n = g->group[k].rank - 1, first = g->group[k].turn;
    double X[ZR_MOST_TURNS * ZR_MOST_TURNS], y[ZR_MOST_TURNS], square = 0.0;
    for (int32_t p = 0; p < n; p++) {
        for (int32_t i = 0; i < n; i++) {
            y[i] = i == p ? 1.0 : 0.0;
            for (int32_t j = 0; j < n; j++) X[i * n + j] = g->J[(first + i) * g->size + first + j];
        }
        if (!zr_solve_small(X, y, n)) return 0.0;
        for (int32_t i = 0; i < n; i++) square += y[i] * y[i];
    }
    return square > 0.0 ? sqrt(n / square) : 0.0;
}

/* mu rho |B|^2 / (|B e| of the largest) over the frictions of group k: what J would be about. */
static double find_usual_stiffness(const zr_turning *g, int32_t k)
{
    const zr_contacts *c = g->sim->contacts;
    const zr_creep_group *group = &g->group[k];
    double sum = 0.0, most = 0.0;
    for (int32_t i = group->first; i < group->first + group->count; i++) {
        int32_t e = g->member[i], friction = c->creep.list[e].friction;
        double square = 0.0, trace = 0.0;
        for (int32_t r = 3 * e; r < 3 * e + zr_creep_width(g->sim, e); r++) {
            square += g->slips[r] * g->slips[r];
            trace += c->creep.G[r * ZR_CREEPING_SLIPS + r];
        }
        most = fmax(most, sqrt(square));
        sum += zr_friction_mu(g->sim, friction) * fabs(c->pressure[friction]) * trace;
    }
    return sum / (most * group->rank);
}

/* Slips, their rates and J along e0. What is hardly held in one of its turns does not creep. */
static void note_creeping(const zr_turning *g)
{
    zr_contacts *c = g->sim->contacts;
    double slip[ZR_CREEPING_SLIPS] = {0.0}, R[ZR_MOST_CREEPING], off[ZR_MOST_TURNS];
    (void)gather_slips(g->sim, slip);
    zr_look_across_creep(g, slip, off, R);
    for (int32_t k = 0; k < g->groups; k++) {
        const zr_creep_group *group = &g->group[k];
        double stiff = find_least_stiffness(g, k);
        bool held = stiff > least_stiff * find_usual_stiffness(g, k);
        for (int32_t i = group->first; i < group->first + group->count; i++) {
            zr_creeping *is = &c->creep.list[g->member[i]];
            is->group = k;
            is->along = R[k];
            is->gain = g->gain[k];
            is->relaxing = held ? stiff : 0.0;
        }
    }
}

/* Where the motion is a span later, into creep.q and creep.v. f: Q, or Q with C. */
static bool look_ahead(zr_turning *g, const double *f)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = sim->contacts;
    int32_t n = sim->zm->n;
    double h = c->mode.span;
    if (f != c->total) memcpy(c->total, f, sizeof *f * (size_t)n);
    for (int32_t a = 0; a < g->sliding; a++)
        zr_add_friction_column(sim, c->which[a], g->at->velocity, c->pressure[c->which[a]],
                               c->total);
    if (zr_solve_rows(&sim->solver->all, c->total, sim->b, c->creep.z, sim->lambda) != ZW_OK)
        return false;
    for (int32_t j = 0; j < n; j++) {
        c->creep.v[j] = g->at->velocity[j] + h * c->creep.z[j];
        c->creep.q[j] = g->at->position[j] + 0.5 * h * (g->at->velocity[j] + c->creep.v[j]);
    }
    return true;
}

/* e0 becomes e, with B e0 a span later at hand. */
static void lag_behind(zr_turning *g, const double *later, double span)
{
    const zr_creep *creep = &g->sim->contacts->creep;
    double y[ZR_MOST_TURNS] = {0.0}, change[ZR_CREEPING_SLIPS] = {0.0}, most = 0.0;
    for (int32_t e = 0; e < creep->count; e++)
        for (int32_t i = 3 * e; i < 3 * e + zr_creep_width(g->sim, e); i++)
            change[i] = (later[i] - g->slips[i]) / span;
    zr_look_across_creep(g, change, y, NULL);
    for (int32_t k = 0; k < g->groups; k++) {
        const zr_creep_group *group = &g->group[k];
        const zr_creeping *is = &creep->list[g->member[group->first]];
        for (int32_t p = group->turn; p < group->turn + group->rank - 1; p++) {
            y[p] *= -is->along;
            g->J[p * g->size + p] += is->gain;
        }
    }
    if (!zr_solve_small(g->J, y, g->size)) return;
    for (int32_t i = 0; i < g->size; i++) most = zb_larger(most, fabs(y[i]));
    if (!(most <= largest_lag)) return;
    zr_turn_creep_groups(g, y, largest_turn);
    zr_show_creep_directions(g);
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

/* e0 at a state becomes e there. */
static void follow_turns(zr_turning *g, zr_solving *run)
{
    zw_sim *sim = g->sim;
    const zr_contacts *c = sim->contacts;
    double span = c->mode.span;
    zr_turning later = {.sim = sim};
    bool nonideal = sim->model->nonideal.count > 0;
    if (!(span > 0.0) || !look_ahead(g, nonideal ? c->total : sim->Q)) return;
    zk_source ahead = zr_source(sim, g->at->time + span, c->creep.q, c->creep.v);
    bool found = find_secular(&later, run, &ahead);
    zr_show_creep_directions(g);
    if (found) lag_behind(g, later.slips, span);
}

void zr_follow_creep(zw_sim *sim, zr_solving *run, const zk_source *s)
{
    zr_creep *creep = &sim->contacts->creep;
    zr_turning g = {.sim = sim};
    list_creeping(sim);
    bool found = find_secular(&g, run, s);
    for (int32_t e = 0; e < creep->count; e++) creep->list[e].found = found;
    if (found) note_creeping(&g);
    if (found) follow_turns(&g, run);
    zr_evaluate_frictions(sim, s);
}

/* --------------------------------------------------------------------- end of a step */

/* What impulses x [3 numbers] along slips do to velocities, into creep.z. */
static bool find_push(const zr_turning *g, const double *x)
{
    zw_sim *sim = g->sim;
    zr_contacts *c = sim->contacts;
    const zr_pattern *T = &c->laws->T;
    memset(c->column, 0, sizeof *c->column * (size_t)sim->zm->n);
    for (int32_t e = 0; e < c->creep.count; e++) {
        int32_t first = c->laws->friction[c->creep.list[e].friction].slip;
        for (int32_t j = 0; j < zr_creep_width(sim, e); j++)
            for (int32_t p = T->start[first + j]; p < T->start[first + j + 1]; p++)
                c->column[T->column[p]] += x[3 * e + j] * c->T[p];
    }
    return zr_solve_rows(&sim->solver->all, c->column, NULL, c->creep.z, sim->lambda) == ZW_OK &&
           zb_all_finite(c->creep.z, sim->zm->n);
}

/* What slips across the directions, as impulses that would make it: x [3 numbers]. */
static bool find_impulses(zr_turning *g, double *x)
{
    double slip[ZR_CREEPING_SLIPS] = {0.0}, y[ZR_MOST_TURNS];
    (void)gather_slips(g->sim, slip);
    zr_find_creep_groups(g);
    if (!zr_take_creep_directions(g) || !zr_show_creep_directions(g)) return false;
    zr_look_across_creep(g, slip, y, NULL);
    zr_creep_impulses(g, y, x);
    return true;
}

void zr_end_creeping_step(zw_sim *sim, zr_solving *run, double t, const double *q, double *v)
{
    zr_creep *creep = &sim->contacts->creep;
    zk_source s = zr_source(sim, t, q, v);
    zr_turning g = {.sim = sim, .at = &s};
    double x[ZR_CREEPING_SLIPS];
    zr_follow_creep(sim, run, &s);
    if (!creep->list[0].found) return;
    zr_equations_at(sim, run, &s);
    if (zr_factor_sliding(sim, run) != ZW_OK) return;
    for (int32_t e = 0; e < creep->count; e++)
        if (find_unit_columns(sim, e) != ZW_OK) return;
    if (!find_impulses(&g, x) || !find_push(&g, x)) return;
    for (int32_t j = 0; j < sim->zm->n; j++) v[j] -= creep->z[j];
}
