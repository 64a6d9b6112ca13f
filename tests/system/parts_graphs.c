/*
 * parts_graphs.c: cells and how they hang together. Everything follows from the seed.
 */
#include "parts_graphs.h"

#include <math.h>
#include <stdlib.h>

uint64_t lanes_bits(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

double lanes_between(uint64_t *state, double a, double b)
{
    return a + (b - a) * (double)(lanes_bits(state) >> 11) * 0x1p-53;
}

int32_t lanes_below(uint64_t *state, int32_t limit)
{
    return (int32_t)(lanes_bits(state) % (uint64_t)limit);
}

const char *lanes_graph_name(lanes_graph_kind kind)
{
    static const char *const names[] = {
#define LANES_GRAPH_NAME(name, text) text,
        LANES_GRAPH_LIST(LANES_GRAPH_NAME)
#undef LANES_GRAPH_NAME
    };
    return kind < LANES_GRAPHS ? names[kind] : "?";
}

static void *zeros(int32_t count, size_t size)
{
    void *block = calloc((size_t)count + 1, size);
    if (!block) abort();
    return block;
}

/* ---------------------------------------------------------------------- cells */

enum { most_edges = 24 };
typedef enum arrangement { LINE, RING, TREE, STAR, APART, ARRANGEMENTS } arrangement;

/* Edges between bodies of the cell; b < 0: body ~b of the cell before. */
typedef struct cell {
    arrangement along;
    int32_t bodies, edges;
    lanes_edge edge[most_edges];
} cell;

static void join(cell *c, int32_t a, int32_t b)
{
    for (int32_t k = 0; k < c->edges; k++)
        if (c->edge[k].a == a && c->edge[k].b == b) return;
    if (c->edges < most_edges) c->edge[c->edges++] = (lanes_edge){a, b};
}

/* A random tree of the bodies, some edges more, and, unless cells are apart, one or two to the cell
 * before; fewer edges than freedoms. */
static void random_cell(cell *c, uint64_t *random, int32_t freedom)
{
    int32_t more = lanes_below(random, c->bodies), links = 1 + lanes_below(random, 2);
    for (int32_t k = 1; k < c->bodies; k++) join(c, k, lanes_below(random, k));
    for (int32_t k = 0; k < links && c->along != APART; k++)
        join(c, lanes_below(random, c->bodies), ~lanes_below(random, c->bodies));
    for (int32_t k = 0; k < more; k++) {
        int32_t a = lanes_below(random, c->bodies), b = lanes_below(random, c->bodies);
        if (a > b && c->edges < c->bodies * freedom - 2) join(c, a, b);
    }
}

static cell cell_of(const lanes_graph_request *r, uint64_t *random)
{
    cell c = {.along = LINE, .bodies = 1};
    switch (r->kind) {
    case LANES_LOOP:
        c.along = RING;
        break;
    case LANES_TREE:
        c.along = TREE;
        break;
    case LANES_STAR:
        c.along = STAR;
        break;
    case LANES_LADDER:
    case LANES_CROSSED:
    case LANES_COMB:
        c.bodies = 2;
        join(&c, 1, 0);
        if (r->kind != LANES_COMB) join(&c, 1, ~1);
        if (r->kind == LANES_CROSSED) join(&c, 1, ~0), join(&c, 0, ~1);
        break;
    case LANES_MECHANISMS:
    case LANES_CELLS:
        c.bodies = 2 + lanes_below(random, 5);
        c.along = r->kind == LANES_MECHANISMS ? APART : (arrangement)lanes_below(random, APART);
        random_cell(&c, random, r->freedom > 0 ? r->freedom : 2);
        return c;
    default:
        break;
    }
    join(&c, 0, ~0);
    return c;
}

/* The cell before; -1: none. */
static int32_t before(const cell *c, int32_t i, int32_t cells)
{
    switch (c->along) {
    case LINE:
        return i - 1;
    case RING:
        return cells > 2 ? (i + cells - 1) % cells : i - 1;
    case TREE:
        return i == 0 ? -1 : (i - 1) / 2;
    case STAR: /* five arms */
        return i <= 5 ? (i == 0 ? -1 : 0) : i - 5;
    default:
        return -1;
    }
}

/* ---------------------------------------------------------------------- graphs */

static void add(lanes_graph *g, int32_t a, int32_t b)
{
    g->edge[g->edges++] = (lanes_edge){a, b};
}

static void add_cell(lanes_graph *g, const cell *c, int32_t i, int32_t back, double odd,
                     uint64_t *random)
{
    int32_t first = i * c->bodies;
    bool lacks = lanes_between(random, 0.0, 1.0) < 0.5 * odd;
    for (int32_t k = 0; k < c->edges; k++) {
        lanes_edge e = c->edge[k];
        if ((e.b < 0 && back < 0) || (lacks && k == 0)) continue;
        add(g, first + e.a, e.b < 0 ? back * c->bodies + ~e.b : first + e.b);
    }
    if (back < 0 || lanes_between(random, 0.0, 1.0) < 0.5 * odd)
        add(g, first + lanes_below(random, c->bodies), -1);
}

/* Along a spiral, with noise. */
static void place(lanes_graph *g, const cell *c, uint64_t *random)
{
    for (int32_t i = 0; i < g->bodies; i++) {
        int32_t k = i / c->bodies;
        double angle = 0.7 * k, radius = 3.0 + 0.1 * k + 0.8 * (i % c->bodies);
        g->at[i][0] = radius * cos(angle) + lanes_between(random, -0.4, 0.4);
        g->at[i][1] = radius * sin(angle) + lanes_between(random, -0.4, 0.4);
        g->at[i][2] = lanes_between(random, -1.0, 1.0);
    }
}

/* Is it without loops? By sets of bodies that hang together. */
static bool is_forest(const lanes_graph *g)
{
    int32_t *set = zeros(g->bodies, sizeof *set);
    bool forest = true;
    for (int32_t i = 0; i < g->bodies; i++) set[i] = i;
    for (int32_t k = 0; k < g->edges; k++) {
        int32_t a = g->edge[k].a, b = g->edge[k].b;
        if (b < 0) continue;
        while (set[a] != a) a = set[a];
        while (set[b] != b) b = set[b];
        if (a == b) forest = false;
        set[a] = b;
    }
    free(set);
    return forest;
}

static void scramble(lanes_graph *g, uint64_t *random)
{
    int32_t *order = zeros(g->bodies, sizeof *order);
    double(*at)[3] = zeros(g->bodies, sizeof *at);
    for (int32_t i = 0; i < g->bodies; i++) order[i] = i;
    for (int32_t i = g->bodies - 1; i > 0; i--) {
        int32_t k = lanes_below(random, i + 1), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (int32_t i = 0; i < g->bodies; i++)
        for (int k = 0; k < 3; k++) at[order[i]][k] = g->at[i][k];
    for (int32_t k = g->edges - 1; k >= 0; k--) {
        int32_t j = lanes_below(random, k + 1);
        lanes_edge kept = g->edge[k];
        g->edge[k] = g->edge[j];
        g->edge[j] = kept;
        g->edge[k].a = order[g->edge[k].a];
        if (g->edge[k].b >= 0) g->edge[k].b = order[g->edge[k].b];
    }
    free(g->at), free(order);
    g->at = at;
}

lanes_graph lanes_graph_make(const lanes_graph_request *request)
{
    uint64_t random = request->seed;
    cell c = cell_of(request, &random);
    int32_t cells = (request->bodies + c.bodies - 1) / c.bodies;
    lanes_graph g = {.bodies = cells * c.bodies};
    g.at = zeros(g.bodies, sizeof *g.at);
    g.edge = zeros(cells * (c.edges + 1), sizeof *g.edge);
    place(&g, &c, &random);
    for (int32_t i = 0; i < cells; i++)
        add_cell(&g, &c, i, before(&c, i, cells), request->odd, &random);
    if (c.along == RING && cells > 2) add(&g, 0, -1);
    if (request->scrambled) scramble(&g, &random);
    g.forest = is_forest(&g);
    return g;
}

void lanes_graph_clear(lanes_graph *g)
{
    free(g->at), free(g->edge);
    *g = (lanes_graph){0};
}
