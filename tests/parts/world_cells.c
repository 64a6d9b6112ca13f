/*
 * Worlds of equal cells: what a cell is made of, and how cells hang together.
 */
#include <stdlib.h>

#include "parts_world.h"
#include "world_families.h"

/* ---------------------------------------------------------------------- cells */

enum { most_cell = 6, most_edges = 40, most_items = 4000 };

/* What is being made. */
typedef struct maker {
    world_request request;
    uint64_t random;
    world_item *items; /* [most_items] */
    int32_t count;
} maker;

/* An edge of the cell: bodies of the cell itself (0 ..) or of the one before (~0 ..). */
typedef struct edge {
    world_thing thing;
    int32_t body[3];
} edge;

typedef struct cell {
    int32_t bodies, size[most_cell];
    bool coupled[most_cell];
    edge edges[most_edges];
    int32_t count;
    int32_t rows, freedom; /* rows so far, and how many there may be */
} cell;

static void join(cell *c, world_thing thing, int32_t a, int32_t b, int32_t d)
{
    int32_t rows = world_row_count(thing);
    if (c->count == most_edges || c->rows + rows > c->freedom) return;
    c->edges[c->count++] = (edge){.thing = thing, .body = {a, b, d}};
    c->rows += rows;
}

static bool chance(maker *w, double probability)
{
    return world_between(&w->random, 0.0, 1.0) < probability;
}

static int32_t any(maker *w, const cell *c)
{
    int32_t k = world_below(&w->random, c->bodies);
    return chance(w, 0.5) ? k : ~k;
}

static world_thing joint(maker *w, const cell *c, int32_t a, int32_t b)
{
    bool large = c->size[a] >= 3 && c->size[b < 0 ? ~b : b] >= 3;
    if (large && chance(w, 0.4)) return WORLD_PIN;
    return !w->request.particles && chance(w, 0.15) ? WORLD_TIMED : WORLD_ROD;
}

/* What particles with rods never have. */
static void enrich(maker *w, cell *c)
{
    for (int32_t k = 0; k < 2; k++) {
        int32_t a = world_below(&w->random, c->bodies), b = any(w, c), d = any(w, c);
        if (a == b) continue;
        if (chance(w, 0.3)) join(c, WORLD_SPRING, a, b, 0);
        if (chance(w, 0.2)) join(c, WORLD_DRAG, a, b, 0);
        if (chance(w, 0.2)) join(c, WORLD_KNIFE, a, 0, 0);
        if (chance(w, 0.15)) join(c, WORLD_DRIVE, a, b, 0);
        if (chance(w, 0.15)) join(c, WORLD_GEAR, a, b, d);
        if (chance(w, 0.15)) join(c, WORLD_COMMON, a, chance(w, 0.3) ? a : b < 0 ? ~b : b, 0);
        if (chance(w, 0.1)) join(c, WORLD_ANCHOR, a, 0, 0);
    }
}

/* All pairs of two bodies and the two before: one rod too many. */
static void cross(cell *c)
{
    c->bodies = 2;
    c->size[0] = c->size[1] = 2;
    c->freedom = 9;
    join(c, WORLD_ROD, 0, 1, 0);
    for (int32_t k = 0; k < 4; k++) join(c, WORLD_ROD, k & 1, ~(k >> 1), 0);
}

static void make_cell(maker *w, cell *c)
{
    static const int32_t sizes[4] = {2, 1, 3, 6};
    int32_t most = w->request.most_cell > 0 ? w->request.most_cell : 4;
    c->bodies = 1 + world_below(&w->random, most);
    for (int32_t k = 0; k < c->bodies; k++) {
        c->size[k] = w->request.particles ? 2 : sizes[world_below(&w->random, 4)];
        c->coupled[k] = !w->request.particles && chance(w, 0.6);
        c->freedom += c->size[k];
    }
    c->freedom -= 1;
    if (w->request.redundant && chance(w, 0.5)) {
        cross(c);
        return;
    }
    for (int32_t k = 1; k < c->bodies; k++) {
        int32_t other = world_below(&w->random, k);
        join(c, joint(w, c, k, other), k, other, 0);
    }
    int32_t links = 1 + world_below(&w->random, 2);
    for (int32_t k = 0; k < links; k++) {
        int32_t a = world_below(&w->random, c->bodies), b = world_below(&w->random, c->bodies);
        join(c, joint(w, c, a, ~b), a, ~b, 0);
    }
    if (c->bodies > 2 && chance(w, 0.3)) join(c, WORLD_ROD, 0, c->bodies - 1, 0);
    if (!w->request.particles) enrich(w, c);
    if (w->request.redundant) { /* the same once more */
        c->freedom = 100;
        for (int32_t k = c->count - 1; k >= 0; k--)
            if (c->edges[k].thing == WORLD_ROD && (k == 0 || chance(w, 0.5)))
                join(c, WORLD_ROD, c->edges[k].body[0], c->edges[k].body[1], 0);
    }
}

/* The cell before; -1: none. */
static int32_t before(const maker *w, int32_t i)
{
    int32_t cells = w->request.cells;
    switch (w->request.arrangement) {
    case WORLD_LINE:
        return i - 1;
    case WORLD_RING:
        return cells > 2 ? (i + cells - 1) % cells : i - 1;
    case WORLD_TREE:
        return i == 0 ? -1 : (i - 1) / 2;
    case WORLD_STAR:
        return i < 4 ? (i == 0 ? -1 : 0) : i - 3;
    default:
        return -1;
    }
}

/* ---------------------------------------------------------------------- items */

static void take(maker *w, world_thing thing, int32_t a, int32_t b, int32_t d)
{
    if (w->count == most_items) abort();
    w->items[w->count++] = (world_item){.thing = (int32_t)thing, .body = {a, b, d}};
}

static int32_t body_of(const maker *w, const cell *c, int32_t i, int32_t local)
{
    return local >= 0 ? i * c->bodies + local : before(w, i) * c->bodies + ~local;
}

static void take_cell(maker *w, const cell *c, int32_t i)
{
    for (int32_t k = 0; k < c->bodies; k++)
        take(w, c->coupled[k] ? WORLD_COUPLED : WORLD_BODY, i * c->bodies + k, 0, 0);
    for (int32_t k = 0; k < c->count; k++) {
        const edge *e = &c->edges[k];
        bool outside = e->body[0] < 0 || e->body[1] < 0 || e->body[2] < 0;
        if (outside && before(w, i) < 0) continue;
        if (w->request.odd && world_is_row(e->thing) && chance(w, 0.03)) continue;
        take(w, e->thing, body_of(w, c, i, e->body[0]), body_of(w, c, i, e->body[1]),
             body_of(w, c, i, e->body[2]));
    }
    bool root = before(w, i) < 0;
    if ((root && c->rows < c->freedom) || (w->request.odd && chance(w, 0.05)))
        take(w, WORLD_ANCHOR, i * c->bodies, 0, 0);
}

world *world_create(zb_memory *memory, const world_request *request)
{
    int32_t sizes[world_most_bodies], size = 0;
    maker w = {.request = *request, .random = request->seed};
    cell c = {0};
    w.items = calloc(most_items, sizeof *w.items);
    if (!w.items) abort();
    make_cell(&w, &c);
    for (int32_t k = 0; k < c.bodies; k++) size += c.size[k];
    int32_t most = request->most > 0 ? request->most : world_most_bodies, *cells = &w.request.cells;
    while (*cells * size > most && *cells > 1) *cells -= 1;
    for (int32_t i = 0; i < *cells * c.bodies; i++) sizes[i] = c.size[i % c.bodies];
    for (int32_t i = 0; i < *cells; i++) take_cell(&w, &c, i);
    world_plan plan = {.seed = w.random,
                       .bodies = *cells * c.bodies,
                       .turn = c.bodies,
                       .size = sizes,
                       .items = w.items,
                       .count = w.count,
                       .scrambled = request->scrambled,
                       .whole = !request->particles};
    world *made = world_build(memory, &plan);
    made->request = w.request;
    free(w.items);
    return made;
}
