/* Systems for tests of parts: see part_world.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "part_world.h"

uint64_t world_random = 88172645463325252u;

double world_uniform(double low, double high)
{
    world_random ^= world_random << 13;
    world_random ^= world_random >> 7;
    world_random ^= world_random << 17;
    return low + (high - low) * ((double)(world_random >> 11) / 9007199254740992.0);
}

int32_t world_below(int32_t limit)
{
    return (int32_t)world_uniform(0.0, limit);
}

/* ---------------------------------------------------------------------- writing */

static zx_node q(world *w, int32_t k)
{
    return zx_leaf(&w->pool, ZX_POSITION, k);
}

static zx_node v(world *w, int32_t k)
{
    return zx_leaf(&w->pool, ZX_VELOCITY, k);
}

static zx_node value(world *w, int32_t k)
{
    return zx_leaf(&w->pool, ZX_VALUE, k);
}

static zx_node number(world *w, double x)
{
    return zx_number(&w->pool, x);
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

static zx_node neg(world *w, zx_node a)
{
    return zx_unary(&w->pool, ZX_NEG, a);
}

static zx_node of(world *w, zx_op op, zx_node a)
{
    return zx_unary(&w->pool, op, a);
}

static int32_t add_terms(world *w, ze_target target, int32_t matrix, int32_t outputs,
                         const zx_node *nodes)
{
    int32_t k = w->system.term_count++;
    assert_true(k < most_terms && outputs <= most_outputs);
    memcpy(w->nodes[k], nodes, sizeof *nodes * (size_t)outputs);
    w->terms[k] = (ze_terms){.target = target, .nodes = w->nodes[k], .outputs = outputs};
    w->terms[k].matrix = matrix;
    return k;
}

static instance *add_instance(world *w, int32_t terms)
{
    assert_true(w->instance_count < most_instances);
    instance *i = &w->instances[w->instance_count++];
    i->terms = terms;
    memset(i->coordinate, 0xff, sizeof i->coordinate);
    memset(i->value, 0xff, sizeof i->value);
    return i;
}

static world *open_world(void)
{
    world *w = calloc(1, sizeof *w);
    zb_memory_init(&w->memory, NULL);
    zx_pool_init(&w->pool, &w->memory, &w->escape, false);
    if (setjmp(w->escape) != 0) fail();
    w->system = (ze_system){.pool = &w->pool, .terms = w->terms, .kinds = w->kinds};
    return w;
}

void world_free(world *w)
{
    zx_pool_free(&w->pool);
    assert_int_equal(w->memory.held, 0);
    free(w);
}

/* ----------------------------------------------------------------------- chains */

/* A mass: values m and g. */
static int32_t mass_terms(world *w)
{
    zx_node m = value(w, 0), g = value(w, 1);
    return add_terms(w, ZE_TO_DYNAMICS, 2, 3, (zx_node[]){m, m, neg(w, mul(w, m, g))});
}

typedef struct rod_terms {
    int32_t rows, levels;
} rod_terms;

/* |d|^2 = l^2 with d from the first end to the second; `both`: two bodies, else one and the
 * origin. Slots: ends' x, y; value l. */
static rod_terms rod_of(world *w, bool both)
{
    zx_node dx = both ? sub(w, q(w, 2), q(w, 0)) : q(w, 0), two = number(w, 2.0);
    zx_node dy = both ? sub(w, q(w, 3), q(w, 1)) : q(w, 1);
    zx_node ux = both ? sub(w, v(w, 2), v(w, 0)) : v(w, 0);
    zx_node uy = both ? sub(w, v(w, 3), v(w, 1)) : v(w, 1);
    zx_node b = neg(w, add(w, mul(w, two, mul(w, ux, ux)), mul(w, two, mul(w, uy, uy))));
    zx_node ax = mul(w, two, dx), ay = mul(w, two, dy);
    zx_node ll = mul(w, value(w, 0), value(w, 0)), dd = add(w, mul(w, dx, dx), mul(w, dy, dy));
    zx_node phi = sub(w, dd, ll), magnitude = add(w, dd, ll);
    zx_node rate = mul(w, two, add(w, mul(w, dx, ux), mul(w, dy, uy)));
    zx_node sizes = add(w, of(w, ZX_ABS, mul(w, ax, ux)), of(w, ZX_ABS, mul(w, ay, uy)));
    zx_node rows[] = {neg(w, ax), neg(w, ay), ax, ay, b}, one[] = {ax, ay, b};
    zx_node levels[] = {phi, rate, magnitude, sizes};
    rod_terms t = {.rows = both ? add_terms(w, ZE_TO_ROWS, 4, 5, rows)
                                : add_terms(w, ZE_TO_ROWS, 2, 3, one)};
    t.levels = add_terms(w, ZE_TO_LEVELS, 0, 4, levels);
    return t;
}

/* From body a (-1: the origin) to body b. */
static void add_rod(world *w, const rod_terms t[2], int32_t a, int32_t b, int32_t length)
{
    int32_t row = w->system.m++, ends[] = {2 * a, 2 * a + 1, 2 * b, 2 * b + 1};
    const int32_t *end = a < 0 ? ends + 2 : ends;
    int32_t count = a < 0 ? 2 : 4;
    const rod_terms *which = &t[a < 0];
    assert_true(row < most_world_rows);
    w->kinds[row] = ZE_HOLONOMIC;
    for (int k = 0; k < 2; k++) {
        instance *i = add_instance(w, k == 0 ? which->rows : which->levels);
        for (int32_t s = 0; s < count; s++) i->coordinate[s] = end[s];
        i->value[0] = length;
        for (int32_t s = 0; k == 0 && s <= count; s++)
            i->spot[s] = (ze_spot){.row = row, .column = s < count ? end[s] : 0};
        for (int32_t s = 0; k == 1 && s < 4; s++) i->spot[s] = (ze_spot){.row = row, .column = s};
    }
}

world *world_of_chain(const chain_kind *kind)
{
    world *w = open_world();
    int32_t rails = kind->rail ? 2 : 1, bodies = rails * kind->length, masses = mass_terms(w);
    rod_terms rods[2] = {rod_of(w, true), rod_of(w, false)};
    w->bodies = bodies;
    w->system.n = 2 * bodies;
    w->system.values = 2 + (kind->masses ? bodies : 1); /* g, l, masses */
    w->uniform[0] = w->uniform[1] = true;
    for (int32_t k = 2; k < w->system.values; k++) w->uniform[k] = !kind->masses;
    for (int32_t b = 0; b < bodies; b++) {
        instance *i = add_instance(w, masses);
        w->unit[2 * b] = w->unit[2 * b + 1] = b;
        for (int32_t s = 0; s < 2; s++) w->body[2 * b + s] = kind->masses ? b : 2 * b + s;
        i->value[0] = kind->masses ? 2 + b : 2;
        i->value[1] = 0;
        for (int32_t s = 0; s < 2; s++)
            i->spot[s] = (ze_spot){.row = 2 * b + s, .column = 2 * b + s};
        i->spot[2] = (ze_spot){.row = 2 * b + 1};
    }
    for (int32_t copy = 0; copy < 1 + kind->twice; copy++)
        for (int32_t b = 0; b < kind->length; b++)
            for (int32_t r = 0; r < rails; r++) { /* bodies b * rails + r */
                int32_t before = (b - 1) * rails + r, here = b * rails + r;
                if (b % 2 == 1) add_rod(w, rods, before, here, 1);
                if (b % 2 == 0 && b > 0) add_rod(w, rods, here, before, 1); /* turned round */
                if (b == 0 && kind->ground) add_rod(w, rods, -1, r, 1);
                if (r == 1) add_rod(w, rods, b * rails, b * rails + 1, 1);
            }
    return w;
}

/* ----------------------------------------------------------------------- blocks */

/* M of a body of `size` coordinates: full, changing, definite. Q depends on everything. */
static int32_t block_terms(world *w, int32_t size)
{
    zx_node nodes[most_outputs];
    int32_t count = 0, matrix;
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = i; j < size; j++) {
            zx_node whole = add(w, value(w, i), mul(w, number(w, 0.5), of(w, ZX_SIN, q(w, i))));
            zx_node coupling = mul(w, number(w, 0.4), of(w, ZX_COS, sub(w, q(w, i), q(w, j))));
            nodes[count++] = i == j ? whole : coupling;
        }
    matrix = count;
    for (int32_t i = 0; i < size; i++) {
        zx_node pull = sub(w, mul(w, value(w, size), v(w, i)), q(w, (i + 1) % size));
        nodes[count++] = sub(w, zx_leaf(&w->pool, ZX_TIME, 0), pull);
    }
    return add_terms(w, ZE_TO_DYNAMICS, matrix, count, nodes);
}

/* One entry of a row: of some kind each. */
static zx_node entry_of(world *w, int32_t type, int32_t k)
{
    zx_node c = value(w, type % 3), x = q(w, k);
    switch ((type + k) % 4) {
    case 0:
        return add(w, c, of(w, ZX_COS, x));
    case 1:
        return neg(w, mul(w, number(w, 3.0), add(w, x, number(w, 2.0))));
    case 2:
        return zx_binary(&w->pool, ZX_DIV, x, c);
    default:
        return zx_binary(&w->pool, ZX_DIV, number(w, 1.0), add(w, number(w, 2.0), mul(w, x, x)));
    }
}

/* Rows over 2 coordinates each of two bodies, which is all that a joint reads: of body a the first
 * and last, of b the same. Values 3. */
static rod_terms joint_of(world *w, int32_t type)
{
    zx_node nodes[5], level[4];
    for (int32_t k = 0; k < 4; k++) nodes[k] = entry_of(w, type, k);
    nodes[4] = sub(w, mul(w, v(w, 0), v(w, 3)), mul(w, value(w, 1), of(w, ZX_SIN, q(w, 2))));
    level[0] = sub(w, mul(w, value(w, 0), q(w, 0)), q(w, 3));
    level[1] = sub(w, mul(w, value(w, 0), v(w, 0)), v(w, 3));
    level[2] = add(w, of(w, ZX_ABS, level[0]), number(w, 1.0));
    level[3] = add(w, of(w, ZX_ABS, level[1]), number(w, 2.0));
    rod_terms t = {.rows = add_terms(w, ZE_TO_ROWS, 4, 5, nodes)};
    t.levels = add_terms(w, ZE_TO_LEVELS, 0, 4, level);
    return t;
}

static void add_joint_row(world *w, const rod_terms *t, const int32_t *at, const int32_t *values)
{
    int32_t row = w->system.m++;
    assert_true(row < most_world_rows);
    w->kinds[row] = row % 5 == 3   ? ZE_OF_VELOCITIES
                    : row % 7 == 6 ? ZE_OF_ACCELERATIONS
                                   : ZE_HOLONOMIC;
    for (int k = 0; k < 2; k++) {
        if (k == 1 && w->kinds[row] == ZE_OF_ACCELERATIONS) continue;
        instance *i = add_instance(w, k == 0 ? t->rows : t->levels);
        for (int32_t s = 0; s < 4; s++) i->coordinate[s] = at[s];
        for (int32_t s = 0; s < 3; s++) i->value[s] = values[s];
        for (int32_t s = 0; k == 0 && s < 5; s++)
            i->spot[s] = (ze_spot){.row = row, .column = s < 4 ? at[s] : 0};
        for (int32_t s = 0; k == 1 && s < 4; s++) i->spot[s] = (ze_spot){.row = row, .column = s};
    }
}

static void add_block(world *w, int32_t terms, int32_t size, int32_t body)
{
    int32_t at = w->system.n;
    instance *x = add_instance(w, terms);
    for (int32_t i = 0; i < size; i++) {
        w->body[at + i] = w->unit[at + i] = body;
        x->coordinate[i] = at + i;
    }
    for (int32_t i = 0; i <= size; i++) {
        w->uniform[w->system.values] = i == size || body % 2 == 0;
        x->value[i] = w->system.values++;
    }
    int32_t k = 0;
    for (int32_t i = 0; i < size; i++)
        for (int32_t j = i; j < size; j++) /* any triangle */
            x->spot[k++] = body % 3 ? (ze_spot){.row = at + i, .column = at + j}
                                    : (ze_spot){.row = at + j, .column = at + i};
    for (int32_t i = 0; i < size; i++) x->spot[k++] = (ze_spot){.row = at + i};
    w->system.n += size;
}

world *world_of_blocks(int32_t bodies)
{
    world *w = open_world();
    int32_t first[most_coordinates], last[most_coordinates];
    int32_t blocks[3] = {block_terms(w, 1), block_terms(w, 2), block_terms(w, 3)};
    rod_terms joints[4];
    for (int32_t k = 0; k < 4; k++) joints[k] = joint_of(w, k);
    w->bodies = bodies;
    for (int32_t body = 0; body < bodies; body++) {
        int32_t size = 3 - body % 3;
        first[body] = w->system.n;
        add_block(w, blocks[size - 1], size, body);
        last[body] = w->system.n - 1;
    }
    int32_t values[] = {w->system.values, w->system.values + 1, w->system.values + 2};
    w->system.values += 3;
    w->uniform[values[0]] = w->uniform[values[2]] = true;
    assert_true(w->system.values <= most_values && w->system.n <= most_coordinates);
    for (int32_t b = 1; b < bodies; b++) {
        int32_t at[] = {first[b - 1], last[b - 1], first[b], last[b]};
        /* not more rows than the bodies can follow */
        add_joint_row(w, &joints[b % 4], at, values);
        if (b % 3 == 0) {
            int32_t far[] = {first[b - 2], last[b - 2], last[b], first[b]};
            add_joint_row(w, &joints[(b + 1) % 4], far, values);
        }
    }
    return w;
}

/* ---------------------------------------------------------------------- numbers */

void world_place(const world *w, const place_in_world *like, place_in_world *at)
{
    at->t = like ? like->t : world_uniform(0.0, 1.0);
    for (int32_t k = 0; k < w->system.n; k++) {
        at->q[k] = k % 2 == 0 ? k / 2 + 1 + world_uniform(-0.4, 0.4) : world_uniform(-0.4, 0.4);
        at->v[k] = world_uniform(-1.0, 1.0);
    }
    for (int32_t k = 0; k < w->system.values; k++)
        at->value[k] = like && w->uniform[k] ? like->value[k] : world_uniform(1.5, 3.0);
}

typedef struct seen {
    const place_in_world *at;
    const instance *instance;
} seen;

static double leaf_value(void *user, const zx_item *leaf)
{
    const seen *s = user;
    switch (leaf->op) {
    case ZX_TIME:
        return s->at->t;
    case ZX_POSITION:
        return s->at->q[s->instance->coordinate[leaf->a]];
    case ZX_VELOCITY:
        return s->at->v[s->instance->coordinate[leaf->a]];
    default:
        return s->at->value[s->instance->value[leaf->a]];
    }
}

void world_numbers(world *w, const place_in_world *at, numbers *x)
{
    memset(x, 0, sizeof *x);
    for (int32_t k = 0; k < w->instance_count; k++) {
        seen s = {.at = at, .instance = &w->instances[k]};
        const ze_terms *t = &w->terms[s.instance->terms];
        for (int32_t o = 0; o < t->outputs; o++) {
            ze_spot spot = s.instance->spot[o];
            long double y = (long double)zx_evaluate(&w->pool, t->nodes[o], leaf_value, &s);
            if (t->target == ZE_TO_LEVELS)
                x->level[spot.row][spot.column] += y;
            else if (t->target == ZE_TO_ROWS && o < t->matrix)
                x->A[spot.row][spot.column] += y;
            else if (t->target == ZE_TO_ROWS)
                x->b[spot.row] += y;
            else if (o >= t->matrix)
                x->Q[spot.row] += y;
            else
                x->M[spot.row][spot.column] += y;
            if (t->target == ZE_TO_DYNAMICS && o < t->matrix && spot.row != spot.column)
                x->M[spot.column][spot.row] += y;
        }
    }
}

/* ------------------------------------------------------------------------- parts */

static int32_t local(int32_t *list, int32_t *count, int32_t what, bool new)
{
    for (int32_t k = 0; k < *count; k++)
        if (list[k] == what) return k;
    if (!new || what < 0) return -1;
    list[*count] = what;
    return (*count)++;
}

/* Whether some of the bodies of a row are in the part, and which is its last. */
static bool reaches(const world *w, const bool *bodies, int32_t row, bool *all, int32_t *last)
{
    bool any = false;
    *all = true;
    *last = -1;
    for (int32_t k = 0; k < w->instance_count; k++) {
        const instance *i = &w->instances[k];
        const ze_terms *t = &w->terms[i->terms];
        if (t->target != ZE_TO_ROWS || i->spot[0].row != row) continue;
        for (int32_t o = 0; o < t->matrix; o++) {
            int32_t unit = w->unit[i->spot[o].column];
            any = any || bodies[unit];
            *all = *all && bodies[unit];
            if (unit > *last) *last = unit;
        }
    }
    return any;
}

static void find_rows(const world *w, const bool *bodies, part *p)
{
    for (int pass = 0; pass < 2; pass++)
        for (int32_t row = 0; row < w->system.m; row++) {
            bool all;
            int32_t last;
            if (!reaches(w, bodies, row, &all, &last) || all != (pass == 0)) continue;
            int32_t k = p->shape.inner + p->shape.outer;
            p->row[k] = row;
            p->owned[k] = bodies[last];
            p->kind[k] = w->kinds[row];
            *(pass == 0 ? &p->shape.inner : &p->shape.outer) += 1;
        }
}

static void find_element(const world *w, const instance *i, part *p)
{
    const ze_terms *t = &w->terms[i->terms];
    int32_t at = p->shape.element_count, rows = p->shape.inner + p->shape.outer;
    int32_t own = p->shape.own, all = own + p->shape.halo;
    bool dynamics = t->target == ZE_TO_DYNAMICS, reached = false;
    for (int32_t o = 0; o < t->outputs; o++) {
        ze_spot spot = i->spot[o];
        spot.row = dynamics ? local(p->coordinate, &own, spot.row, false)
                            : local(p->row, &rows, spot.row, false);
        reached = reached || spot.row >= 0;
        p->spots[at][o] = spot;
    }
    if (!reached) return;
    for (int32_t s = 0; s < most_slots; s++) {
        p->slots[at][0][s] = local(p->coordinate, &all, i->coordinate[s], true);
        p->slots[at][1][s] = local(p->value, &p->shape.value_count, i->value[s], true);
    }
    p->shape.halo = all - own;
    for (int32_t o = 0; o < t->outputs; o++) {
        int32_t *column = &p->spots[at][o].column;
        if (dynamics && o < t->matrix) *column = local(p->coordinate, &own, *column, false);
        if (t->target == ZE_TO_ROWS && o < t->matrix)
            *column = local(p->coordinate, &all, *column, false);
    }
    p->elements[at] = (ze_element){.terms = i->terms,
                                   .count = t->outputs,
                                   .coordinate = p->slots[at][0],
                                   .value = p->slots[at][1],
                                   .spot = p->spots[at]};
    p->shape.element_count++;
}

void part_cut(const world *w, const bool *bodies, part *p)
{
    int32_t number[most_coordinates];
    memset(p, 0, sizeof *p);
    for (int32_t k = 0; k < w->system.n; k++) {
        if (!bodies[w->unit[k]]) continue;
        p->coordinate[p->shape.own] = k;
        p->body[p->shape.own++] = local(number, &p->shape.bodies, w->body[k], true);
    }
    find_rows(w, bodies, p);
    for (int32_t k = 0; k < w->instance_count; k++) find_element(w, &w->instances[k], p);
    for (int32_t k = 0; k < p->shape.value_count; k++) p->uniform[k] = w->uniform[p->value[k]];
    p->shape.system = &w->system;
    p->shape.body = p->body;
    p->shape.owned = p->owned;
    p->shape.kind = p->kind;
    p->shape.uniform = p->uniform;
    p->shape.elements = p->elements;
}
