/*
 * Sliding friction in fused programs (fuser.h), as friction.c has it in numbers. Friction k pushes
 * with c_k = -mu_k T_k^T d_k per unit of what presses, so that multipliers are affine in the
 * pressures,
 *
 *     lambda = lambda_0 + sum_k rho_k lambda_k,    rho = g(lambda)
 *
 * g is the multiplier of a contact, the size of the multipliers of a joint, or what the model says.
 * Newton's method from rho = 0 on, J_kl = d g_k along lambda_l:
 *
 *     (I - J) delta = g - rho,    I - J = L U,  without pivoting
 *
 * One step is all where each g is one multiplier, of a contact or of an equation from the side of the
 * mode; of others there are a few. Where more than rounding is left of g - rho, and where
 * I - J is about singular, the guard refuses. What it multiplies noise by, with y_k the unit of rho_k:
 *
 *     max_k u_k / y_k,   |U| |L| u = |L| |U| y + 2 |J_kk| y    (all signs alike)
 */
#include <string.h>

#include "fuser.h"

enum { newton_steps = 4 }; /* of pressures that are no single multiplier */
static const double least_change = 1e-13, rounding_of_slip = 1e-12;

/* ------------------------------------------------------------------------- direction */

static zx_node slot_node(zr_fuser *f, int32_t k)
{
    return zx_leaf(f->pool, ZX_VALUE, zr_first_friction_slot(f->b->model) + k);
}

/* The mode's direction of slip j. */
static zx_node direction_slot(zr_fuser *f, int32_t j)
{
    return slot_node(f, j);
}

/* 1 where friction k slides, else 0. */
static zx_node slides_slot(zr_fuser *f, int32_t k)
{
    return slot_node(f, f->b->model->laws->slips + k);
}

/* The side from which friction k is pressed. */
static zx_node side_slot(zr_fuser *f, int32_t k)
{
    const struct zr_contact_laws *laws = f->b->model->laws;
    return slot_node(f, laws->slips + laws->frictions + k);
}

/* Of a friction in a plane or in space: of the slip, or the mode's where it begins. */
static void write_direction(zr_fuser *f, int32_t k, zx_node *d)
{
    int32_t first = f->b->model->laws->friction[k].slip, width = f->b->zm->frictions[k].width;
    zx_node square = f->zero, small;
    if (width == 1) {
        d[0] = direction_slot(f, first);
        return;
    }
    small = f->zero;
    for (int32_t j = 0; j < width; j++) {
        zx_node size = f->zero;
        for (int32_t i = 0; i < f->n; i++) {
            zx_node part =
                zr_times(f, f->T[(first + j) * f->n + i], zx_leaf(f->pool, ZX_VELOCITY, i));
            size = zr_plus(f, size, zr_absolute(f, part));
        }
        size = zr_times(f, zr_number_node(f, rounding_of_slip), size);
        small = zx_binary(f->pool, ZX_MAX, small, size);
    }
    for (int32_t j = 0; j < width; j++) {
        zx_node begin = zr_times(f, small, direction_slot(f, first + j));
        d[j] = zr_plus(f, f->slip[first + j], begin);
        square = zr_plus(f, square, zr_times(f, d[j], d[j]));
    }
    zx_node moves = zx_binary(f->pool, ZX_LT, f->zero, square);
    zx_node length = zx_unary(f->pool, ZX_SQRT, square);
    for (int32_t j = 0; j < width; j++)
        d[j] = zx_select(f->pool, moves, zx_binary(f->pool, ZX_DIV, d[j], length),
                         direction_slot(f, first + j));
}

/* --------------------------------------------------------------------------- columns */

/* c, L^-1 c and the multipliers that answer to it. */
static void write_column(zr_fuser *f, const zr_fused_solver *s, zr_fused_slide *slide)
{
    int32_t k = slide->friction, n = f->n, width = f->b->zm->frictions[k].width;
    const zr_friction_roots *at = &f->b->model->laws->friction[k];
    slide->direction = zr_new_nodes(f, width);
    slide->column = zr_new_nodes(f, n);
    slide->g = zr_new_nodes(f, n);
    slide->way = zr_new_nodes(f, s->rows);
    write_direction(f, k, slide->direction);
    for (int32_t j = 0; j < width; j++) {
        if (f->form->slides[k] == ZR_FUSED_EITHER && width > 1)
            slide->direction[j] = zr_times(f, slides_slot(f, k), slide->direction[j]);
        zx_node push =
            zx_unary(f->pool, ZX_NEG, zr_times(f, f->number[at->mu], slide->direction[j]));
        const zx_node *T = f->T + (at->slip + j) * n;
        for (int32_t i = 0; i < n; i++)
            slide->column[i] = zr_plus(f, slide->column[i], zr_times(f, push, T[i]));
    }
    zr_write_multipliers(f, s, slide->column, NULL, slide->g, slide->way);
}

zr_fused_slides zr_write_slides(zr_fuser *f, const zr_fused_solver *s)
{
    const struct zr_contact_laws *laws = f->b->model->laws;
    zr_fused_slides all = {.solver = s, .guard = f->one};
    int32_t frictions = laws ? laws->frictions : 0;
    all.list = ZB_NEW_ARRAY(&f->b->scratch, zr_fused_slide, (size_t)frictions);
    all.place = ZB_NEW_ARRAY(&f->b->scratch, int32_t, (size_t)f->m);
    for (int32_t i = 0; i < f->m; i++) all.place[i] = -1;
    for (int32_t i = 0; i < s->rows; i++) all.place[s->row[i]] = i;
    for (int32_t k = 0; k < frictions; k++) {
        if (f->form->slides[k] == ZR_FUSED_NOT) continue;
        all.list[all.count].friction = k;
        write_column(f, s, &all.list[all.count++]);
    }
    return all;
}

/* ------------------------------------------------------------------------- pressures */

/* g of a friction at multipliers, and its derivatives. */
typedef struct pressing {
    zx_node g;
    zx_node unit;   /* its size where multipliers are those of accelerations of size 1 */
    zx_node *slope; /* [ways] along each way */
} pressing;

/* Multipliers [m], 0 where the solver has no row. */
static zx_node *spread_multipliers(zr_fuser *f, const int32_t *place, const zx_node *lambda)
{
    zx_node *all = zr_new_nodes(f, f->m);
    for (int32_t i = 0; i < f->m; i++)
        if (place[i] >= 0) all[i] = lambda[place[i]];
    return all;
}

/* One over the root of S_ii: the force of row i that makes an acceleration of about 1. */
static zx_node unit_of_row(zr_fuser *f, const zr_fused_solver *s, int32_t i)
{
    return zr_inverse(f, zx_unary(f->pool, ZX_SQRT, s->S[i * s->rows + i]));
}

/* The multipliers of its constraint press: their norm, or the one that there is, from its side. */
static void write_row_pressing(zr_fuser *f, const zr_fused_slides *all, int32_t k,
                               const zx_node *lambda, pressing *p)
{
    const zr_friction_roots *at = &f->b->model->laws->friction[k];
    int32_t last = at->first_row + at->row_count, rows = 0;
    zx_node square = f->zero;
    for (int32_t i = at->first_row; i < last; i++) {
        square = zr_plus(f, square, zr_times(f, lambda[i], lambda[i]));
        rows += all->place[i] >= 0 ? 1 : 0;
    }
    bool single = at->row_count == 1, norm = !single && rows > 0;
    zx_node length = norm ? zx_unary(f->pool, ZX_SQRT, square) : f->zero;
    p->g = norm ? length : f->zero;
    for (int32_t i = at->first_row; i < last; i++) {
        int32_t place = all->place[i];
        if (place < 0) continue;
        zx_node toward = f->one;
        if (at->sided) toward = side_slot(f, k);
        if (norm) toward = zx_binary(f->pool, ZX_DIV, lambda[i], length);
        if (single) p->g = zr_times(f, toward, lambda[i]);
        zx_node unit = unit_of_row(f, all->solver, place);
        p->unit = zr_plus(f, p->unit, zr_times(f, zr_absolute(f, toward), unit));
        for (int32_t l = 0; l < all->count; l++)
            p->slope[l] = zr_plus(f, p->slope[l], zr_times(f, toward, all->list[l].way[place]));
    }
}

/* zx_leaf_fn: a measure, as which an acceleration stands, becomes what it is. */
static zx_node bind_measure(void *user, zx_pool *to, const zx_item *leaf)
{
    const zx_node *measures = user;
    (void)to;
    return leaf->op == ZX_ACCELERATION ? measures[leaf->a] : ZX_NONE;
}

/* What the model says presses friction k, and its derivatives by measures: out [1 + measures], as
 * nodes of the builder's second pool, in which accelerations stand for measures. */
static void differentiate_pressure(zr_fuser *f, int32_t k, zx_node *out)
{
    zm_model *zm = f->b->zm;
    const zm_friction *friction = &zm->frictions[k];
    zx_pool *pool = &f->b->pools[1];
    zx_node *measures = zr_new_nodes(f, zm->measure_count);
    zr_written i = {.fuser = f,
                    .family = &zm->families[friction->where.family],
                    .number = friction->where.instance,
                    .measures = measures};
    int32_t root = friction->where.root + friction->width + 1 + (friction->has_static ? 1 : 0);
    for (int32_t j = 0; j < zm->measure_count; j++) measures[j] = zx_leaf(pool, ZX_ACCELERATION, j);
    zx_copy(pool, &zm->pool, &i.family->roots[root], 1, zr_bind_leaf, &i, out);
    zx_gradient gradient = {.acceleration = out + 1, .slots = zm->measure_count};
    zx_reverse(pool, out, NULL, 1, &gradient);
}

/* The derivative of a measure along multipliers `way` [m], at lambda [m]. */
static zx_node write_measure_along(zr_fuser *f, const zm_measure *what, const zx_node *lambda,
                                   const zx_node *way)
{
    const zm_model *zm = f->b->zm;
    if (what->kind == ZM_MULTIPLIER || what->kind == ZM_REACTION_ON)
        return zr_write_measure(f, what, way);
    bool all = what->kind == ZM_REACTION_ALL;
    const zm_constraint *c = all ? NULL : &zm->constraints[what->constraint];
    int32_t first = all ? 0 : c->first_row, count = all ? f->m : c->row_count;
    zx_node *force = zr_new_nodes(f, f->n), *change = zr_new_nodes(f, f->n);
    zr_write_row_force(f, lambda, first, count, force);
    zr_write_row_force(f, way, first, count, change);
    return zx_binary(f->pool, ZX_DIV, zr_dot_nodes(f, f->n, force, change),
                     zr_write_measure(f, what, lambda));
}

/* What the model says presses. */
static void write_said_pressing(zr_fuser *f, const zr_fused_slides *all, int32_t k,
                                const zx_node *lambda, pressing *p)
{
    const zm_model *zm = f->b->zm;
    int32_t count = zm->measure_count;
    zx_pool *pool = &f->b->pools[1];
    zx_node *of = zr_new_nodes(f, 1 + (int64_t)count), *measures = zr_new_nodes(f, count),
            *out = zr_new_nodes(f, 1 + (int64_t)count);
    differentiate_pressure(f, k, of);
    for (int32_t j = 0; j < count; j++) measures[j] = zr_write_measure(f, &zm->measures[j], lambda);
    zx_copy(f->pool, pool, of, 1 + count, bind_measure, measures, out);
    zx_pool_release(pool, 0);
    p->g = out[0];
    for (int32_t j = 0; j < count; j++) {
        const zm_measure *what = &zm->measures[j];
        if (out[1 + j] == f->zero) continue;
        int32_t place = what->kind == ZM_MULTIPLIER ? all->place[what->row] : -1;
        if (place >= 0)
            p->unit = zr_plus(
                f, p->unit,
                zr_times(f, zr_absolute(f, out[1 + j]), unit_of_row(f, all->solver, place)));
        for (int32_t l = 0; l < all->count; l++) {
            zx_node *way = spread_multipliers(f, all->place, all->list[l].way);
            zx_node along = write_measure_along(f, what, lambda, way);
            p->slope[l] = zr_plus(f, p->slope[l], zr_times(f, out[1 + j], along));
        }
    }
}

/* g of friction k at multipliers lambda [m]. */
static pressing write_pressing(zr_fuser *f, const zr_fused_slides *all, int32_t k,
                               const zx_node *lambda)
{
    pressing p = {.g = f->zero, .unit = f->zero, .slope = zr_new_nodes(f, all->count)};
    if (f->b->model->laws->friction[k].pressure >= 0)
        write_said_pressing(f, all, k, lambda, &p);
    else
        write_row_pressing(f, all, k, lambda, &p);
    if (p.unit == f->zero) p.unit = f->one;
    return p;
}

/* --------------------------------------------------------------------------- Newton */

/* (I - J) delta = r, r [size] in place; X [size*size] is I - J, and holds L and U afterwards. */
static void eliminate(zr_fuser *f, zx_node *X, int32_t size, zx_node *inverse, zx_node *r)
{
    for (int32_t i = 0; i < size; i++) {
        inverse[i] = zr_inverse(f, X[i * size + i]);
        for (int32_t j = i + 1; j < size; j++) {
            zx_node part = zr_times(f, X[j * size + i], inverse[i]);
            X[j * size + i] = part;
            for (int32_t l = i + 1; l < size; l++)
                X[j * size + l] = zr_minus(f, X[j * size + l], zr_times(f, part, X[i * size + l]));
            r[j] = zr_minus(f, r[j], zr_times(f, part, r[i]));
        }
    }
    for (int32_t i = size - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < size; j++)
            r[i] = zr_minus(f, r[i], zr_times(f, X[i * size + j], r[j]));
        r[i] = zr_times(f, r[i], inverse[i]);
    }
}

/* max u_k / y_k, see above. own [size]: J_kk. */
static zx_node write_friction_guard(zr_fuser *f, const zx_node *X, const zx_node *inverse,
                                    const zx_node *own, const zx_node *y, int32_t size)
{
    zx_node *t = zr_new_nodes(f, size), *x = zr_new_nodes(f, size);
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = i; j < size; j++)
            t[i] = zr_plus(f, t[i], zr_times(f, zr_absolute(f, X[i * size + j]), y[j]));
    for (int32_t i = 0; i < size; i++) {
        zx_node twice = zr_times(f, zr_number_node(f, 2.0), zr_absolute(f, own[i]));
        x[i] = zr_plus(f, t[i], zr_times(f, twice, y[i]));
        for (int32_t j = 0; j < i; j++) {
            zx_node part = zr_absolute(f, X[i * size + j]);
            x[i] = zr_plus(f, x[i], zr_times(f, part, zr_plus(f, t[j], x[j])));
        }
    }
    for (int32_t i = size - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < size; j++)
            x[i] = zr_plus(f, x[i], zr_times(f, zr_absolute(f, X[i * size + j]), x[j]));
        x[i] = zr_times(f, x[i], zr_absolute(f, inverse[i]));
    }
    for (int32_t i = 0; i < size; i++) x[i] = zx_binary(f->pool, ZX_DIV, x[i], y[i]);
    return zr_write_largest(f, x, size);
}

/* lambda_0 + sum rho_k lambda_k, [rows]. */
static zx_node *combine_ways(zr_fuser *f, const zr_fused_slides *all, const zx_node *base,
                             const zx_node *rho)
{
    int32_t rows = all->solver->rows;
    zx_node *lambda = zr_new_nodes(f, rows);
    for (int32_t i = 0; i < rows; i++) {
        lambda[i] = base[i];
        for (int32_t l = 0; l < all->count; l++)
            lambda[i] = zr_plus(f, lambda[i], zr_times(f, rho[l], all->list[l].way[i]));
    }
    return lambda;
}

/* One step of rho [count]; the last one leaves its guard. */
static void correct_rho(zr_fuser *f, zr_fused_slides *all, const zx_node *base, bool last,
                        zx_node *rho)
{
    int32_t size = all->count;
    const zx_node *lambda = spread_multipliers(f, all->place, combine_ways(f, all, base, rho));
    zx_node *X = zr_new_nodes(f, (int64_t)size * size), *r = zr_new_nodes(f, size),
            *y = zr_new_nodes(f, size), *own = zr_new_nodes(f, size),
            *inverse = zr_new_nodes(f, size);
    for (int32_t k = 0; k < size; k++) {
        pressing p = write_pressing(f, all, all->list[k].friction, lambda);
        for (int32_t l = 0; l < size; l++)
            X[k * size + l] = zr_minus(f, k == l ? f->one : f->zero, p.slope[l]);
        r[k] = zr_minus(f, p.g, rho[k]);
        y[k] = size > 1 ? p.unit : f->one;
        own[k] = p.slope[k];
    }
    eliminate(f, X, size, inverse, r);
    for (int32_t k = 0; k < size; k++) rho[k] = zr_plus(f, rho[k], r[k]);
    if (last) all->guard = write_friction_guard(f, X, inverse, own, y, size);
}

/* The guard is infinite where more than rounding is left of g - rho. */
static void check_rho(zr_fuser *f, zr_fused_slides *all, const zx_node *lambda, const zx_node *rho)
{
    const zx_node *spread = spread_multipliers(f, all->place, lambda);
    zx_node *left = zr_new_nodes(f, all->count), size = f->zero;
    for (int32_t k = 0; k < all->count; k++) {
        zx_node g = write_pressing(f, all, all->list[k].friction, spread).g;
        left[k] = zr_absolute(f, zr_minus(f, g, rho[k]));
        size = zr_plus(f, size, zr_absolute(f, g));
    }
    zx_node limit = zr_times(f, zr_number_node(f, least_change), size);
    zx_node fine = zx_binary(f->pool, ZX_LE, zr_write_largest(f, left, all->count), limit);
    all->guard = zx_select(f->pool, fine, all->guard, zr_inverse(f, f->zero));
}

/* It is so, too, where a coefficient that moves with the state is below 0: friction.c says what is
 * wrong then. */
static void check_coefficients(zr_fuser *f, zr_fused_slides *all)
{
    for (int32_t k = 0; k < all->count; k++) {
        zx_node mu = f->number[f->b->model->laws->friction[all->list[k].friction].mu];
        zx_reach reach = zx_reaches(f->pool, &mu, 1);
        if (!reach.time && !reach.position && !reach.velocity) continue;
        zx_node below = zx_binary(f->pool, ZX_LT, mu, f->zero);
        all->guard = zx_select(f->pool, below, zr_inverse(f, f->zero), all->guard);
    }
}

/* How many steps it takes, and whether what they find is to be checked. */
static int32_t count_steps(const zr_fuser *f, const zr_fused_slides *all, bool *check)
{
    int32_t steps = 1;
    *check = false;
    for (int32_t k = 0; k < all->count; k++) {
        const zr_friction_roots *at = &f->b->model->laws->friction[all->list[k].friction];
        if (at->row_count > 1 || at->pressure >= 0) *check = true;
        if (at->row_count > 1 || at->pressure >= 0) steps = newton_steps;
    }
    return steps;
}

/* -------------------------------------------------------------------------- solution */

void zr_write_sliding(zr_fuser *f, zr_fused_slides *all, const zx_node *force, const zx_node *right,
                      const zr_fused_answer *to)
{
    int32_t n = f->n, rows = all->solver->rows;
    zx_node *g = zr_new_nodes(f, n), *base = zr_new_nodes(f, rows),
            *rho = zr_new_nodes(f, all->count), *total = zr_new_nodes(f, n);
    bool check;
    int32_t steps = count_steps(f, all, &check);
    zr_write_multipliers(f, all->solver, force, right, g, base);
    for (int32_t k = 0; k < steps; k++) correct_rho(f, all, base, k + 1 == steps, rho);
    const zx_node *lambda = combine_ways(f, all, base, rho);
    memcpy(to->lambda, lambda, sizeof *lambda * (size_t)rows);
    if (check) check_rho(f, all, lambda, rho);
    check_coefficients(f, all);
    for (int32_t i = 0; i < n; i++) to->friction[i] = f->zero;
    for (int32_t k = 0; k < all->count; k++) {
        const zr_fused_slide *slide = &all->list[k];
        to->pressure[slide->friction] = rho[k];
        for (int32_t i = 0; i < n; i++) {
            to->friction[i] = zr_plus(f, to->friction[i], zr_times(f, rho[k], slide->column[i]));
            g[i] = zr_plus(f, g[i], zr_times(f, rho[k], slide->g[i]));
        }
    }
    for (int32_t i = 0; i < n; i++) total[i] = zr_plus(f, force[i], to->friction[i]);
    zr_write_motion(f, all->solver, g, to->lambda, to->z);
    zr_write_refinement(f, all->solver, total, right, to->z, to->lambda);
}

void zr_write_sliding_rows(zr_fuser *f, const zr_fused_slides *all, const zx_node *pressure,
                           zx_node *lambda)
{
    for (int32_t k = 0; k < all->count; k++) {
        const zr_fused_slide *slide = &all->list[k];
        const zm_friction *friction = &f->b->zm->frictions[slide->friction];
        const zr_friction_roots *at = &f->b->model->laws->friction[slide->friction];
        zx_node most = zr_times(f, f->number[at->mu], pressure[slide->friction]);
        for (int32_t j = 0; j < friction->width; j++) {
            zx_node along = zx_unary(f->pool, ZX_NEG, zr_times(f, most, slide->direction[j]));
            int32_t row = friction->first_row + j;
            lambda[row] = zr_plus(f, lambda[row], along);
        }
    }
}

/* --------------------------------------------------------------------------- watched */

/* Whether something is so in the form, as a node: 0, 1 or the value that says it. */
static zx_node state_node(zr_fuser *f, uint8_t state, zx_node value)
{
    return state == ZR_FUSED_EITHER ? value : state == ZR_FUSED_IS ? f->one : f->zero;
}

/* What friction k can bear less what it bears. */
static zx_node write_grip(zr_fuser *f, const zr_fused_slides *all, int32_t k, const zx_node *lambda)
{
    const zr_friction_roots *at = &f->b->model->laws->friction[k];
    const zm_friction *friction = &f->b->zm->frictions[k];
    zx_node square = f->zero, most = f->number[at->mu];
    for (int32_t i = friction->first_row; i < friction->first_row + friction->width; i++)
        square = zr_plus(f, square, zr_times(f, lambda[i], lambda[i]));
    zx_node bears = friction->width == 1 ? zr_absolute(f, lambda[friction->first_row])
                                         : zx_unary(f->pool, ZX_SQRT, square);
    if (at->statics >= 0) most = zx_binary(f->pool, ZX_MAX, most, f->number[at->statics]);
    zx_node g =
        at->sided ? zr_absolute(f, lambda[at->first_row]) : write_pressing(f, all, k, lambda).g;
    return zr_minus(f, zr_times(f, most, g), bears);
}

static zx_node write_friction_watch(zr_fuser *f, const zr_fused_slides *all, int32_t k,
                                    const zx_node *lambda)
{
    const zm_friction *friction = &f->b->zm->frictions[k];
    int32_t first = f->b->model->laws->friction[k].slip;
    uint8_t row = f->form->row[friction->first_row], slides = f->form->slides[k];
    zx_node slip = f->zero, grip = f->one;
    for (int32_t j = first; j < first + friction->width; j++)
        slip = zr_plus(f, slip, zr_times(f, f->slip[j], direction_slot(f, j)));
    if (row != ZR_FUSED_NOT && slides != ZR_FUSED_IS) grip = write_grip(f, all, k, lambda);
    zx_node mask = zx_leaf(f->pool, ZX_VALUE, f->b->zm->mask[friction->first_row]);
    zx_node stays = zx_select(f->pool, state_node(f, row, mask), grip, f->one);
    return zx_select(f->pool, state_node(f, slides, slides_slot(f, k)), slip, stays);
}

/* What presses friction k, from its side, where it slides. */
static zx_node write_press_watch(zr_fuser *f, int32_t k, const zx_node *lambda)
{
    const zr_friction_roots *at = &f->b->model->laws->friction[k];
    if (!at->sided || f->form->slides[k] == ZR_FUSED_NOT) return f->one;
    zx_node press = zr_times(f, side_slot(f, k), lambda[at->first_row]);
    return zx_select(f->pool, state_node(f, f->form->slides[k], slides_slot(f, k)), press, f->one);
}

void zr_write_watched(zr_fuser *f, const zr_fused_slides *all, const zx_node *z,
                      const zx_node *lambda, zx_node *out)
{
    const struct zr_contact_laws *laws = f->b->model->laws;
    int32_t contacts = laws->contacts, frictions = laws->frictions;
    zx_node *gap = zr_new_nodes(f, 2 * (int64_t)contacts);
    zr_write_passes(f, &laws->gaps, &(zr_written){.accelerations = z}, NULL, gap);
    for (int32_t c = 0; c < contacts; c++) {
        int32_t row = f->b->zm->contacts[c].row;
        zx_node mask = zx_leaf(f->pool, ZX_VALUE, f->b->zm->mask[row]);
        zx_node closed = state_node(f, f->form->row[row], mask);
        out[c] = zx_select(f->pool, closed, lambda[row], gap[c]);
        out[zr_touch_functions(laws) + c] = zx_select(f->pool, closed, f->one, gap[contacts + c]);
    }
    for (int32_t k = 0; k < frictions; k++)
        out[contacts + k] = write_friction_watch(f, all, k, lambda);
    for (int32_t k = 0; k < laws->presses; k++)
        out[contacts + frictions + k] = write_press_watch(f, k, lambda);
}
