/*
 * Expressions of the things a world is made of. Energies L and rows phi are written here; M, Q, A,
 * b and levels follow by the derivatives of expr:
 *
 *     p = dL/dv,  M = dp/dv,  Q = dL/dq - (p along q' = v, t' = 1)
 *     phi = 0:          A = dphi/dq,  b = -(rate along q' = v, t' = 1)
 *     f(q, v, t) = 0:   A = df/dv,    b = -(f along q' = v, t' = 1)
 *
 * Constant outputs are apart from the others, as in the engine. A point of a body, (x, y), is where
 * rods and pins hold it; r is a number of the body at that point.
 */
#include "world_families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static zx_node num(world *w, double x)
{
    return zx_number(&w->pool, x);
}

static zx_node leaf(world *w, zx_op op, int32_t k)
{
    return zx_leaf(&w->pool, op, k);
}

static zx_node add(world *w, zx_node a, zx_node b)
{
    return zx_binary(&w->pool, ZX_ADD, a, b);
}

static zx_node sub(world *w, zx_node a, zx_node b)
{
    return zx_binary(&w->pool, ZX_SUB, a, b);
}

static zx_node mul(world *w, zx_node a, zx_node b)
{
    return zx_binary(&w->pool, ZX_MUL, a, b);
}

static zx_node fun(world *w, zx_op op, zx_node a)
{
    return zx_unary(&w->pool, op, a);
}

static zx_node square(world *w, zx_node a)
{
    return mul(w, a, a);
}

/* ---------------------------------------------------------------- expressions */

/* Slots of the bodies of an instance: coordinate slots from at[k] on, values from `value` on. */
typedef struct scope {
    int32_t at[3], size[3];
    int32_t value[world_most_values];
} scope;

static zx_node q(world *w, const scope *s, int32_t body, int32_t k)
{
    return leaf(w, ZX_POSITION, s->at[body] + k);
}

static zx_node v(world *w, const scope *s, int32_t body, int32_t k)
{
    return leaf(w, ZX_VELOCITY, s->at[body] + k);
}

static zx_node value(world *w, const scope *s, int32_t k)
{
    return leaf(w, ZX_VALUE, s->value[k]);
}

static void point(world *w, const scope *s, int32_t body, zx_node r, zx_node xy[2])
{
    xy[0] = q(w, s, body, 0);
    switch (s->size[body]) {
    case 1:
        xy[1] = add(w, r, mul(w, num(w, 0.5), fun(w, ZX_SIN, xy[0])));
        return;
    case 2:
        xy[1] = q(w, s, body, 1);
        return;
    case 3:
        xy[0] = add(w, xy[0], mul(w, r, fun(w, ZX_COS, q(w, s, body, 2))));
        xy[1] = add(w, q(w, s, body, 1), mul(w, r, fun(w, ZX_SIN, q(w, s, body, 2))));
        return;
    default: {
        zx_node c = fun(w, ZX_COS, q(w, s, body, 3)), d = fun(w, ZX_SIN, q(w, s, body, 3));
        zx_node e = mul(w, num(w, 0.2), q(w, s, body, 4));
        zx_node f = mul(w, num(w, 0.3), q(w, s, body, 5));
        xy[0] = add(w, xy[0], mul(w, r, add(w, c, e)));
        xy[1] = add(w, q(w, s, body, 1), mul(w, r, sub(w, d, f)));
    }
    }
}

static void point_at(const world *w, int32_t body, double r, double xy[2])
{
    const double *x = w->q + w->at[body];
    xy[0] = x[0];
    switch (w->size[body]) {
    case 1:
        xy[1] = r + 0.5 * sin(x[0]);
        return;
    case 2:
        xy[1] = x[1];
        return;
    case 3:
        xy[0] += r * cos(x[2]);
        xy[1] = x[1] + r * sin(x[2]);
        return;
    default:
        xy[0] += r * (cos(x[3]) + 0.2 * x[4]);
        xy[1] = x[1] + r * (sin(x[3]) - 0.3 * x[5]);
    }
}

/* Values 0: mass, 1: gravity. */
static zx_node energy_of_body(world *w, const scope *s, bool coupled)
{
    zx_node m = value(w, s, 0), g = value(w, s, 1), T = num(w, 0.0), height;
    int32_t d = s->size[0];
    for (int32_t i = 0; i < d; i++) T = add(w, T, square(w, v(w, s, 0, i)));
    T = mul(w, num(w, 0.5), T);
    for (int32_t i = 0; i + 1 < d && coupled && d != 3; i++)
        T = add(w, T,
                mul(w, mul(w, num(w, 0.2), fun(w, ZX_COS, q(w, s, 0, i))),
                    mul(w, v(w, s, 0, i), v(w, s, 0, i + 1))));
    height = d == 1 ? mul(w, num(w, 0.5), fun(w, ZX_SIN, q(w, s, 0, 0))) : q(w, s, 0, 1);
    if (d == 1) T = mul(w, T, add(w, num(w, 1.0), square(w, fun(w, ZX_COS, q(w, s, 0, 0)))));
    if (d == 3 && coupled) { /* the centre of mass is beside the origin of the body */
        zx_node a = q(w, s, 0, 2), h = num(w, 0.3);
        zx_node cross = sub(w, mul(w, fun(w, ZX_COS, a), v(w, s, 0, 1)),
                            mul(w, fun(w, ZX_SIN, a), v(w, s, 0, 0)));
        T = add(w, T, mul(w, h, mul(w, cross, v(w, s, 0, 2))));
        height = add(w, height, mul(w, h, fun(w, ZX_SIN, a)));
    }
    return sub(w, mul(w, m, T), mul(w, mul(w, m, g), height));
}

static zx_node gap(world *w, const scope *s, zx_node ra, zx_node rb)
{
    zx_node a[2], b[2];
    point(w, s, 0, ra, a);
    point(w, s, 1, rb, b);
    return add(w, square(w, sub(w, a[0], b[0])), square(w, sub(w, a[1], b[1])));
}

static zx_node common_energy(world *w, const scope *s)
{
    zx_node sum = add(w, v(w, s, 0, 0), v(w, s, 1, s->size[1] - 1));
    return mul(w, value(w, s, 0), mul(w, num(w, 0.5), square(w, sum)));
}

/* Length of a rod: value 0, or with time. */
static zx_node length_of(world *w, const scope *s, bool timed)
{
    zx_node length = value(w, s, 0);
    if (!timed) return length;
    zx_node swing = mul(w, num(w, 0.1), fun(w, ZX_SIN, leaf(w, ZX_TIME, 0)));
    return mul(w, length, add(w, num(w, 1.0), swing));
}

static double timed_factor(const world *w)
{
    return 1.0 + 0.1 * sin(w->t);
}

static zx_node rod(world *w, const scope *s, bool timed)
{
    zx_node half = num(w, 0.5), length = square(w, length_of(w, s, timed));
    return sub(w, mul(w, half, gap(w, s, value(w, s, 1), value(w, s, 2))), mul(w, half, length));
}

static zx_node anchor(world *w, const scope *s)
{
    zx_node a[2];
    point(w, s, 0, value(w, s, 1), a);
    zx_node apart =
        add(w, square(w, sub(w, a[0], value(w, s, 2))), square(w, sub(w, a[1], value(w, s, 3))));
    return sub(w, apart, square(w, value(w, s, 0)));
}

static void pin(world *w, const scope *s, zx_node *roots)
{
    zx_node a[2], b[2];
    point(w, s, 0, value(w, s, 2), a);
    point(w, s, 1, value(w, s, 3), b);
    for (int k = 0; k < 2; k++) roots[k] = sub(w, sub(w, a[k], b[k]), value(w, s, k));
}

/* v cos - u sin, along a heading that depends on the state */
static zx_node knife(world *w, const scope *s)
{
    int32_t d = s->size[0];
    zx_node heading = add(w, value(w, s, 0), q(w, s, 0, d > 2 ? 2 : 0));
    zx_node across = mul(w, fun(w, ZX_SIN, heading), v(w, s, 0, 0));
    if (d == 1)
        return sub(w, v(w, s, 0, 0), mul(w, value(w, s, 0), fun(w, ZX_COS, leaf(w, ZX_TIME, 0))));
    return sub(w, across, mul(w, fun(w, ZX_COS, heading), v(w, s, 0, 1)));
}

static zx_node drive(world *w, const scope *s)
{
    zx_node one = v(w, s, 0, s->size[0] - 1);
    zx_node other = mul(w, add(w, num(w, 1.5), fun(w, ZX_SIN, q(w, s, 1, 0))), v(w, s, 1, 0));
    return sub(w, add(w, one, other), mul(w, value(w, s, 0), leaf(w, ZX_TIME, 0)));
}

/* A and what it is to be. */
static zx_node gear(world *w, const scope *s, zx_node ratio[2])
{
    ratio[0] = num(w, 1.0);
    ratio[1] = add(w, num(w, 1.5), fun(w, ZX_COS, q(w, s, 2, 0)));
    return add(w, mul(w, value(w, s, 0), fun(w, ZX_SIN, leaf(w, ZX_TIME, 0))),
               mul(w, v(w, s, 0, 0), v(w, s, 1, 0)));
}

static zx_node drag(world *w, const scope *s, int32_t k)
{
    int32_t other = s->size[1] - 1;
    zx_node speed = sub(w, v(w, s, 1, k < other ? k : other), v(w, s, 0, k));
    return mul(w, value(w, s, 0), mul(w, speed, add(w, num(w, 1.0), square(w, q(w, s, 1, 0)))));
}

/* ---------------------------------------------------------------- derivatives */

static bool is_zero(world *w, zx_node node)
{
    double x;
    return zx_is_constant(&w->pool, node, &x) && x == 0.0;
}

static bool is_constant(world *w, zx_node node)
{
    zx_reach r = zx_reaches(&w->pool, &node, 1);
    return !r.time && !r.position && !r.velocity;
}

static void put(world_outputs *o, zx_node node, int32_t row, int32_t column)
{
    if (o->count == world_most_outputs) abort();
    o->node[o->count] = node;
    o->row[o->count] = row;
    o->column[o->count++] = column;
}

/* Along the motion, accelerations 0. */
static void along(world *w, int32_t slots, const zx_node *roots, int32_t count, zx_node *out)
{
    zx_node *speed = calloc((size_t)slots + 1, sizeof *speed);
    if (!speed) abort();
    for (int32_t i = 0; i < slots; i++) speed[i] = leaf(w, ZX_VELOCITY, i);
    zx_direction d = {.position = speed, .slots = slots, .time = num(w, 1.0)};
    zx_directional(&w->pool, roots, count, &d, out);
    free(speed);
}

/* All outputs of one kind as they come, matrix ones first. */
typedef struct draft {
    world_outputs matrix, vector;
} draft;

static void derive_energy(world *w, int32_t slots, zx_node L, draft *d)
{
    size_t bytes = sizeof(zx_node) * ((size_t)slots + 1);
    zx_node *force = malloc(bytes), *p = malloc(bytes), *rate = malloc(bytes), *row = malloc(bytes);
    if (!force || !p || !rate || !row) abort();
    zx_gradient g = {.position = force, .velocity = p, .slots = slots};
    zx_reverse(&w->pool, &L, NULL, 1, &g);
    along(w, slots, p, slots, rate);
    for (int32_t i = 0; i < slots; i++) {
        zx_gradient h = {.velocity = row, .slots = slots};
        zx_reverse(&w->pool, &p[i], NULL, 1, &h);
        for (int32_t j = i; j < slots; j++)
            if (!is_zero(w, row[j])) put(&d->matrix, row[j], i, j);
        zx_node Q = sub(w, force[i], rate[i]);
        if (!is_zero(w, Q)) put(&d->vector, Q, i, 0);
    }
    free(force), free(p), free(rate), free(row);
}

/* Sum of the |terms| of a sum. */
static zx_node magnitude(world *w, zx_node root)
{
    zx_node stack[64], sum = num(w, 0.0);
    int32_t depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        zx_node node = stack[--depth];
        zx_item item = w->pool.items[node];
        bool split = (item.op == ZX_ADD || item.op == ZX_SUB) && depth < 60;
        if (split) {
            stack[depth++] = item.b;
            stack[depth++] = item.a;
        } else {
            sum = add(w, sum, fun(w, ZX_ABS, node));
        }
    }
    return sum;
}

static void derive_rows(world *w, world_family *f, const zx_node *roots, draft *d,
                        world_outputs *levels)
{
    bool holonomic = f->kind == ZE_HOLONOMIC;
    zx_node *row = malloc(sizeof *row * ((size_t)f->slots + 1));
    if (!row) abort();
    for (int32_t k = 0; k < f->rows; k++) {
        zx_node rate = roots[k], rest;
        zx_gradient g = {.position = holonomic ? row : NULL,
                         .velocity = holonomic ? NULL : row,
                         .slots = f->slots};
        zx_reverse(&w->pool, &roots[k], NULL, 1, &g);
        for (int32_t j = 0; j < f->slots; j++)
            if (!is_zero(w, row[j])) put(&d->matrix, row[j], k, j);
        if (holonomic) along(w, f->slots, &roots[k], 1, &rate);
        along(w, f->slots, &rate, 1, &rest);
        put(&d->vector, fun(w, ZX_NEG, rest), k, 0);
        put(levels, roots[k], k, 0);
        put(levels, magnitude(w, roots[k]), k, 2);
        put(levels, rate, k, 1);
        put(levels, magnitude(w, rate), k, 3);
    }
    free(row);
}

/* ------------------------------------------------------------------- families */

static void append_constant(world *w, world_outputs *o, const world_outputs *from, bool constant)
{
    for (int32_t k = 0; k < from->count; k++)
        if (is_constant(w, from->node[k]) == constant)
            put(o, from->node[k], from->row[k], from->column[k]);
}

/* Constant outputs and the others: two terms, either of which may be missing. */
static void close_draft(world *w, world_family *f, draft *d, ze_target target)
{
    for (int constant = 1; constant >= 0; constant--) {
        world_outputs *o = calloc(1, sizeof *o);
        if (!o) abort();
        o->target = target;
        append_constant(w, o, &d->matrix, constant);
        o->matrix = o->count;
        append_constant(w, o, &d->vector, constant);
        if (o->count > 0)
            f->part[f->parts++] = o;
        else
            free(o);
    }
}

static void write_dynamics(world *w, world_family *f, world_thing thing, const scope *s, draft *d)
{
    zx_node L = num(w, 0.0);
    if (thing == WORLD_BODY || thing == WORLD_COUPLED)
        L = energy_of_body(w, s, thing == WORLD_COUPLED);
    if (thing == WORLD_SPRING)
        L = fun(w, ZX_NEG, mul(w, value(w, s, 0), gap(w, s, value(w, s, 1), value(w, s, 2))));
    if (thing == WORLD_COMMON) L = common_energy(w, s);
    if (thing == WORLD_DRAG)
        for (int32_t k = 0; k < s->size[0]; k++) put(&d->vector, drag(w, s, k), s->at[0] + k, 0);
    else
        derive_energy(w, f->slots, L, d);
}

static void write_gear(world *w, const scope *s, draft *d)
{
    zx_node ratio[2], rest = gear(w, s, ratio);
    put(&d->matrix, ratio[0], 0, s->at[0]);
    put(&d->matrix, ratio[1], 0, s->at[1]);
    put(&d->vector, rest, 0, 0);
}

static void write_rows(world *w, world_family *f, world_thing thing, const scope *s, draft *d)
{
    zx_node roots[2] = {0};
    world_outputs *levels = calloc(1, sizeof *levels);
    if (!levels) abort();
    levels->target = ZE_TO_LEVELS;
    if (thing == WORLD_ROD || thing == WORLD_TIMED) roots[0] = rod(w, s, thing == WORLD_TIMED);
    if (thing == WORLD_ANCHOR) roots[0] = anchor(w, s);
    if (thing == WORLD_PIN) pin(w, s, roots);
    if (thing == WORLD_KNIFE) roots[0] = knife(w, s);
    if (thing == WORLD_DRIVE) roots[0] = drive(w, s);
    if (thing == WORLD_GEAR)
        write_gear(w, s, d);
    else
        derive_rows(w, f, roots, d, levels);
    close_draft(w, f, d, ZE_TO_ROWS);
    if (levels->count > 0)
        f->part[f->parts++] = levels;
    else
        free(levels);
}

bool world_is_row(world_thing thing)
{
    return thing >= WORLD_ROD;
}

int32_t world_row_count(world_thing thing)
{
    return thing == WORLD_PIN ? 2 : world_is_row(thing) ? 1 : 0;
}

int32_t world_value_count(world_thing thing)
{
    static const int32_t count[WORLD_THINGS] = {
        [WORLD_BODY] = 2,   [WORLD_COUPLED] = 2, [WORLD_SPRING] = 3, [WORLD_DRAG] = 1,
        [WORLD_COMMON] = 1, [WORLD_ROD] = 3,     [WORLD_TIMED] = 3,  [WORLD_ANCHOR] = 4,
        [WORLD_PIN] = 4,    [WORLD_KNIFE] = 1,   [WORLD_DRIVE] = 1,  [WORLD_GEAR] = 1};
    return count[thing];
}

static ze_row_kind kind_of(world_thing thing)
{
    if (thing == WORLD_GEAR) return ZE_OF_ACCELERATIONS;
    return thing == WORLD_KNIFE || thing == WORLD_DRIVE ? ZE_OF_VELOCITIES : ZE_HOLONOMIC;
}

static world_family *new_family(world *w)
{
    if (w->families == world_most_families) abort();
    world_family *f = calloc(1, sizeof *f);
    if (!f) abort();
    return w->family[w->families++] = f;
}

world_family *world_find_family(world *w, world_thing thing, const int32_t size[3])
{
    for (int32_t k = 0; k < w->families; k++) {
        const int32_t *key = w->family[k]->key;
        if (!w->family[k]->whole && key[0] == (int32_t)thing && key[1] == size[0] &&
            key[2] == size[1] && key[3] == size[2])
            return w->family[k];
    }
    world_family *f = new_family(w);
    memcpy(f->key, (int32_t[4]){(int32_t)thing, size[0], size[1], size[2]}, sizeof f->key);
    scope s = {.at = {0, size[0], size[0] + size[1]}, .size = {size[0], size[1], size[2]}};
    for (int32_t k = 0; k < world_most_values; k++) s.value[k] = k;
    f->slots = size[0] + size[1] + size[2];
    f->values = world_value_count(thing);
    f->rows = world_row_count(thing);
    f->kind = kind_of(thing);
    draft *d = calloc(1, sizeof *d);
    if (!d) abort();
    if (world_is_row(thing)) {
        write_rows(w, f, thing, &s, d);
    } else {
        write_dynamics(w, f, thing, &s, d);
        close_draft(w, f, d, ZE_TO_DYNAMICS);
    }
    free(d);
    return f;
}

/* bodies: one of each body, or two of each rod. Everything in one family over all coordinates. */
void world_write_whole(world *w, world_thing thing, const int32_t *bodies, const int32_t *values,
                       int32_t count, int32_t first_row)
{
    world_family *f = new_family(w);
    draft *d = calloc(1, sizeof *d);
    world_outputs *levels = calloc(1, sizeof *levels);
    zx_node *roots = calloc((size_t)count + 1, sizeof *roots);
    if (!d || !levels || !roots) abort();
    zx_node L = num(w, 0.0);
    int32_t each = world_is_row(thing) ? 2 : 1, own = world_value_count(thing);
    for (int32_t i = 0; i < count; i++) {
        scope s = {0};
        for (int32_t k = 0; k < each; k++) {
            s.at[k] = w->at[bodies[i * each + k]];
            s.size[k] = w->size[bodies[i * each + k]];
        }
        for (int32_t k = 0; k < own; k++) s.value[k] = values[i * own + k];
        if (world_is_row(thing))
            roots[i] = rod(w, &s, false);
        else
            L = add(w, L, energy_of_body(w, &s, thing == WORLD_COUPLED));
    }
    f->whole = true;
    f->slots = w->n;
    f->instances = 1;
    f->first_row = calloc(1, sizeof *f->first_row);
    if (!f->first_row) abort();
    f->first_row[0] = first_row;
    if (world_is_row(thing)) {
        f->rows = count;
        levels->target = ZE_TO_LEVELS;
        derive_rows(w, f, roots, d, levels);
        close_draft(w, f, d, ZE_TO_ROWS);
        f->part[f->parts++] = levels;
    } else {
        free(levels);
        derive_energy(w, w->n, L, d);
        close_draft(w, f, d, ZE_TO_DYNAMICS);
    }
    free(d), free(roots);
}

/* -------------------------------------------------------------------- numbers */

void world_numbers(world *w, world_thing thing, const int32_t body[3], bool shared, double *number)
{
    double a[2], b[2], r = shared ? 0.25 : world_between(&w->random, 0.1, 0.4);
    switch (thing) {
    case WORLD_BODY:
    case WORLD_COUPLED:
        number[0] = shared ? 1.5 : world_between(&w->random, 0.5, 2.0);
        number[1] = 9.81;
        return;
    case WORLD_SPRING:
        number[0] = shared ? 3.0 : world_between(&w->random, 1.0, 5.0);
        number[1] = number[2] = r;
        return;
    case WORLD_ROD:
    case WORLD_TIMED:
        number[1] = r;
        number[2] = r * 0.5;
        point_at(w, body[0], number[1], a);
        point_at(w, body[1], number[2], b);
        number[0] =
            hypot(a[0] - b[0], a[1] - b[1]) / (thing == WORLD_TIMED ? timed_factor(w) : 1.0);
        return;
    case WORLD_ANCHOR:
        number[1] = r;
        point_at(w, body[0], r, a);
        number[2] = a[0] + world_between(&w->random, -1.0, 1.0);
        number[3] = a[1] + world_between(&w->random, 0.5, 1.0);
        number[0] = hypot(a[0] - number[2], a[1] - number[3]);
        return;
    case WORLD_PIN:
        number[2] = r;
        number[3] = r * 1.5;
        point_at(w, body[0], number[2], a);
        point_at(w, body[1], number[3], b);
        for (int k = 0; k < 2; k++) number[k] = a[k] - b[k];
        return;
    default:
        number[0] = shared ? 0.7 : world_between(&w->random, 0.3, 1.0);
    }
}
