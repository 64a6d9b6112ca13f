/*
 * Graphs for tests, the same in another numbering, and what must hold of the orders that are
 * found: checked edge by edge, with a sort of the C library.
 */
#ifndef COLOUR_GRAPHS_H
#define COLOUR_GRAPHS_H

#include "../../base/counting.h"

#include "shape_set.h"

enum { ROOM_VERTICES = ze_most_vertices };

/* -------------------------------------------------------------------------- graphs */

static uint64_t seed;

static inline int32_t below(int32_t n)
{
    seed = zb_hash_mix(seed, 1);
    return (int32_t)(seed % (uint64_t)n);
}

/* Room for one vertex more. */
static inline ze_colour_graph graph_new(int32_t vertices)
{
    ze_colour_graph f = {.vertices = vertices};
    f.colour = calloc((size_t)vertices + 1, sizeof *f.colour);
    assert_non_null(f.colour);
    return f;
}

static inline void graph_free(ze_colour_graph *f)
{
    free(f->colour);
    free(f->edge);
}

static inline void add(ze_colour_graph *f, int32_t from, int32_t to, int32_t label)
{
    if ((f->edges & (f->edges - 1)) == 0) { /* 0 or a power of two: as many as there is room for */
        f->edge = realloc(f->edge, 2 * ((size_t)f->edges + 1) * sizeof *f->edge);
        assert_non_null(f->edge);
    }
    f->edge[f->edges++] = (ze_edge){from, to, label};
}

static inline void both(ze_colour_graph *f, int32_t a, int32_t b)
{
    add(f, a, b, 0);
    add(f, b, a, 0);
}

static inline void shuffle(int32_t *x, int32_t count)
{
    for (int32_t i = 0; i < count; i++) x[i] = i;
    for (int32_t i = count - 1; i > 0; i--) {
        int32_t j = below(i + 1), other = x[i];
        x[i] = x[j];
        x[j] = other;
    }
}

/* The same graph with its vertices renumbered and its edges in another order. */
static inline ze_colour_graph renumbered(const ze_colour_graph *f)
{
    ze_colour_graph g = graph_new(f->vertices);
    int32_t *name = calloc((size_t)(f->vertices + f->edges + 1), sizeof *name);
    assert_non_null(name);
    shuffle(name, f->vertices);
    for (int32_t v = 0; v < f->vertices; v++) g.colour[name[v]] = f->colour[v];
    for (int32_t e = 0; e < f->edges; e++)
        add(&g, name[f->edge[e].from], name[f->edge[e].to], f->edge[e].label);
    shuffle(name, f->edges);
    for (int32_t e = 0; e < f->edges; e++) {
        ze_edge other = g.edge[e];
        g.edge[e] = g.edge[name[e]];
        g.edge[name[e]] = other;
    }
    free(name);
    return g;
}

/* --------------------------------------------------------------- what must hold of orders */

static inline int by_ends(const void *x, const void *y)
{
    const ze_edge *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    if (a->to != b->to) return a->to < b->to ? -1 : 1;
    return (a->label > b->label) - (a->label < b->label);
}

/* The edges in the numbering of an order, sorted by the C library; the order is a permutation in
 * which colours ascend. */
static inline ze_edge *in_order(const ze_colour_graph *f, const int32_t *order)
{
    int32_t *at = calloc((size_t)f->vertices + 1, sizeof *at);
    ze_edge *edge = calloc((size_t)f->edges + 1, sizeof *edge);
    assert_non_null(at);
    assert_non_null(edge);
    for (int32_t v = 0; v < f->vertices; v++) at[v] = -1;
    for (int32_t k = 0; k < f->vertices; k++) {
        assert_in_range(order[k], 0, f->vertices - 1);
        assert_int_equal(at[order[k]], -1);
        at[order[k]] = k;
        if (k > 0) assert_true(f->colour[order[k - 1]] <= f->colour[order[k]]);
    }
    for (int32_t e = 0; e < f->edges; e++)
        edge[e] = (ze_edge){at[f->edge[e].from], at[f->edge[e].to], f->edge[e].label};
    qsort(edge, (size_t)f->edges, sizeof *edge, by_ends);
    free(at);
    return edge;
}

/* Vertex order_f[k] of f is order_g[k] of g. */
static inline void expect_same(const ze_colour_graph *f, const int32_t *order_f,
                               const ze_colour_graph *g, const int32_t *order_g)
{
    assert_int_equal(f->vertices, g->vertices);
    assert_int_equal(f->edges, g->edges);
    ze_edge *a = in_order(f, order_f), *b = in_order(g, order_g);
    for (int32_t k = 0; k < f->vertices; k++)
        assert_int_equal(f->colour[order_f[k]], g->colour[order_g[k]]);
    assert_memory_equal(a, b, (size_t)f->edges * sizeof *a);
    free(a);
    free(b);
}

/* ------------------------------------------------------------------------------ a set */

typedef struct bench {
    counting c;
    zb_memory memory;
    ze_shape_set *set;
    int32_t order[ROOM_VERTICES], other[ROOM_VERTICES];
} bench;

static inline bench *bench_new(void)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    counting_init(&b->c, &b->memory);
    assert_int_equal(ze_shape_set_create(&b->memory, &b->set), ZW_OK);
    assert_int_equal(ze_shape_set_count(b->set), 0);
    return b;
}

static inline void bench_free(bench *b)
{
    ze_shape_set_free(b->set);
    assert_nothing_held(&b->c, &b->memory);
    free(b);
}

static inline int32_t find(bench *b, const ze_colour_graph *f, int32_t *order)
{
    int32_t shape = -7;
    memset(order, 0xa5, (size_t)f->vertices * sizeof *order);
    assert_int_equal(ze_shape_set_find(b->set, f, &shape, order), ZW_OK);
    assert_true(shape >= 0 && shape < ze_shape_set_count(b->set));
    return shape;
}

/* A graph and renumbered ones are one shape; the graph itself is found again as it was. */
static inline int32_t expect_one_shape(bench *b, const ze_colour_graph *f, int times)
{
    int32_t before = ze_shape_set_count(b->set), shape = find(b, f, b->order);
    int32_t after = ze_shape_set_count(b->set);
    assert_true(after == before || (after == before + 1 && shape == before));
    for (int i = 0; i < times; i++) {
        ze_colour_graph g = renumbered(f);
        assert_int_equal(find(b, &g, b->other), shape);
        expect_same(f, b->order, &g, b->other);
        graph_free(&g);
    }
    assert_int_equal(find(b, f, b->other), shape);
    assert_memory_equal(b->order, b->other, (size_t)f->vertices * sizeof *b->order);
    assert_int_equal(ze_shape_set_count(b->set), after);
    return shape;
}

/* --------------------------------------------------------------------- random graphs */

static inline bool has_edge(const ze_colour_graph *f, ze_edge e)
{
    for (int32_t i = 0; i < f->edges; i++)
        if (by_ends(&f->edge[i], &e) == 0) return true;
    return false;
}

static inline ze_colour_graph random_graph(int32_t vertices, int32_t edges, int32_t colours,
                                           int32_t labels)
{
    ze_colour_graph f = graph_new(vertices);
    for (int32_t v = 0; v < vertices; v++) f.colour[v] = below(colours) * 1000003 % 65537;
    for (int32_t k = 0; k < edges; k++) {
        int32_t label = below(labels);
        ze_edge e = {below(vertices), below(vertices), label % 2 ? -label : label * 70000};
        if (!has_edge(&f, e)) add(&f, e.from, e.to, e.label);
    }
    return f;
}

/* ---------------------------------------------------------------- graphs with symmetries */

typedef void (*fill_fn)(ze_colour_graph *f, int32_t n);

static inline void chain(ze_colour_graph *f, int32_t n)
{
    for (int32_t i = 1; i < n; i++) both(f, i - 1, i);
}

static inline void ring(ze_colour_graph *f, int32_t n)
{
    for (int32_t i = 0; i < n; i++) both(f, i, (i + 1) % n);
}

static inline void ladder(ze_colour_graph *f, int32_t n)
{
    for (int32_t i = 0; i + 1 < n; i += 2) {
        both(f, i, i + 1);
        if (i + 3 >= n) continue;
        both(f, i, i + 2);
        both(f, i + 1, i + 3);
    }
}

static inline void tree(ze_colour_graph *f, int32_t n)
{
    for (int32_t i = 1; i < n; i++) add(f, i, (i - 1) / 2, 3);
}

static inline void star(ze_colour_graph *f, int32_t n)
{
    for (int32_t i = 1; i < n; i++) add(f, 0, i, 3);
}

static inline void complete(ze_colour_graph *f, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i; j++) both(f, i, j);
}

static inline void torus(ze_colour_graph *f, int32_t n)
{
    int32_t side = 1;
    while ((side + 1) * (side + 1) <= n) side++;
    for (int32_t i = 0; i < side; i++) {
        for (int32_t j = 0; j < side; j++) {
            both(f, i * side + j, i * side + (j + 1) % side);
            both(f, i * side + j, (i + 1) % side * side + j);
        }
    }
}

/* Equal pieces of five vertices each, of which none is joined to another. */
static inline void pieces(ze_colour_graph *f, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (i % 5 != 4 && i + 1 < n) add(f, i, i + 1, i % 5 % 2);
}

/* A ring of six and two of three: every vertex has two neighbours with two neighbours each, but no
 * symmetry takes one into the other. */
static inline void rings(ze_colour_graph *f, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t at = i % 12, base = i - at,
                next = at < 6 ? (at + 1) % 6 : at / 3 * 3 + (at + 1) % 3;
        if (base + 12 <= n) both(f, base + at, base + next);
    }
}

#endif
