/*
 * Graphs for the tests of partitions: chains, loops, ladders, combs, trees, nets, and the same with
 * other numbers.
 */
#ifndef TEST_NETS_H
#define TEST_NETS_H

#include "../../base/counting.h"

#include "partition.h"

static uint64_t seed;

static inline int32_t below(int32_t most)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((seed >> 33) % (uint64_t)most);
}

typedef struct net {
    int32_t count, edges, room;
    int32_t (*edge)[2];
    int32_t *start, *next; /* after finish */
    int32_t *part, parts;
} net;

static inline void join(net *n, int32_t a, int32_t b)
{
    if (n->edges == n->room) {
        n->room = 2 * n->room + 16;
        n->edge = test_realloc(n->edge, (size_t)n->room * sizeof *n->edge);
    }
    n->edge[n->edges][0] = a;
    n->edge[n->edges++][1] = b;
}

static inline bool joined(const net *n, int32_t a, int32_t b)
{
    for (int32_t e = 0; e < n->edges; e++) {
        const int32_t *x = n->edge[e];
        if ((x[0] == a && x[1] == b) || (x[0] == b && x[1] == a)) return true;
    }
    return false;
}

/* Both directions of every edge, by counting. */
static inline net finish(net n)
{
    size_t count = (size_t)n.count;
    n.start = test_calloc(count + 2, sizeof *n.start);
    n.next = test_malloc((size_t)(2 * n.edges + 1) * sizeof *n.next);
    n.part = test_malloc((count + 1) * sizeof *n.part);
    for (int32_t e = 0; e < n.edges; e++)
        for (int k = 0; k < 2; k++) n.start[n.edge[e][k] + 2]++;
    for (int32_t v = 2; v <= n.count; v++) n.start[v] += n.start[v - 1];
    for (int32_t e = 0; e < n.edges; e++)
        for (int k = 0; k < 2; k++) n.next[n.start[n.edge[e][k] + 1]++] = n.edge[e][1 - k];
    return n;
}

static inline void net_free(net *n)
{
    test_free(n->edge);
    test_free(n->start);
    test_free(n->next);
    test_free(n->part);
}

static inline net chain(int32_t count)
{
    net n = {.count = count};
    for (int32_t v = 1; v < count; v++) join(&n, v - 1, v);
    return finish(n);
}

static inline net ring(int32_t count)
{
    net n = {.count = count};
    for (int32_t v = 0; v < count; v++) join(&n, v, (v + 1) % count);
    return finish(n);
}

/* Vertex 2 c + r of column c; with both diagonals if `crossed`. */
static inline net ladder(int32_t columns, bool crossed)
{
    net n = {.count = 2 * columns};
    for (int32_t c = 0; c < columns; c++) {
        join(&n, 2 * c, 2 * c + 1);
        for (int32_t r = 0; c > 0 && r < 2; r++) {
            join(&n, 2 * c + r, 2 * c - 2 + r);
            if (crossed) join(&n, 2 * c + r, 2 * c - 1 - r);
        }
    }
    return finish(n);
}

/* A chain of `backs`, on each of which hang `tooth` more. */
static inline net comb(int32_t backs, int32_t tooth)
{
    int32_t w = tooth + 1;
    net n = {.count = backs * w};
    for (int32_t b = 0; b < backs; b++) {
        if (b > 0) join(&n, b * w, (b - 1) * w);
        for (int32_t t = 0; t < tooth; t++) join(&n, b * w + t, b * w + t + 1);
    }
    return finish(n);
}

/* A ladder with one more on each of its vertices. */
static inline net hung_ladder(int32_t columns)
{
    net n = {.count = 4 * columns};
    for (int32_t c = 0; c < columns; c++) {
        join(&n, 4 * c, 4 * c + 1);
        for (int32_t r = 0; r < 2; r++) {
            join(&n, 4 * c + r, 4 * c + 2 + r);
            if (c > 0) join(&n, 4 * c + r, 4 * c - 4 + r);
        }
    }
    return finish(n);
}

/* Chains one after the other. */
static inline net copies_of_chains(int32_t copies, int32_t length)
{
    net n = {.count = copies * length};
    for (int32_t v = 1; v < n.count; v++)
        if (v % length != 0) join(&n, v - 1, v);
    return finish(n);
}

/* A chain with two more on it, equally far from its ends. */
static inline net chain_with_twigs(int32_t count, int32_t at)
{
    net n = {.count = count + 2};
    for (int32_t v = 1; v < count; v++) join(&n, v - 1, v);
    join(&n, at, count);
    join(&n, count - 1 - at, count + 1);
    return finish(n);
}

static inline net tree(int32_t count, int32_t children)
{
    net n = {.count = count};
    for (int32_t v = 1; v < count; v++) join(&n, v, (v - 1) / children);
    return finish(n);
}

static inline net random_tree(int32_t count)
{
    net n = {.count = count};
    for (int32_t v = 1; v < count; v++) join(&n, v, below(v));
    return finish(n);
}

static inline net star(int32_t arms, int32_t length)
{
    net n = {.count = 1 + arms * length};
    for (int32_t a = 0; a < arms; a++)
        for (int32_t k = 0; k < length; k++)
            join(&n, 1 + a * length + k, k == 0 ? 0 : a * length + k);
    return finish(n);
}

static inline net grid(int32_t width, int32_t height)
{
    net n = {.count = width * height};
    for (int32_t v = 0; v < n.count; v++) {
        if (v % width > 0) join(&n, v, v - 1);
        if (v >= width) join(&n, v, v - width);
    }
    return finish(n);
}

static inline net random_net(int32_t count, int32_t edges)
{
    net n = {.count = count};
    for (int32_t e = 0; e < edges; e++) {
        int32_t a = below(count), b = below(count);
        if (a != b && !joined(&n, a, b)) join(&n, a, b);
    }
    return finish(n);
}

static inline net copies_of_rings(int32_t copies, int32_t length)
{
    net n = {.count = copies * length};
    for (int32_t v = 0; v < n.count; v++) {
        int32_t first = v / length * length;
        join(&n, v, first + (v - first + 1) % length);
    }
    return finish(n);
}

/* The same with other numbers and another order of edges: name[v] is the new number of v. */
static inline net scrambled(const net *n, int32_t *name)
{
    net s = {.count = n->count};
    for (int32_t v = 0; v < n->count; v++) name[v] = v;
    for (int32_t v = n->count - 1; v > 0; v--) {
        int32_t other = below(v + 1), kept = name[v];
        name[v] = name[other];
        name[other] = kept;
    }
    for (int32_t e = 0; e < n->edges; e++) join(&s, name[n->edge[e][0]], name[n->edge[e][1]]);
    for (int32_t e = s.edges - 1; e > 0; e--) {
        int32_t other = below(e + 1);
        for (int k = 0; k < 2; k++) {
            int32_t kept = s.edge[e][k];
            s.edge[e][k] = s.edge[other][k];
            s.edge[other][k] = kept;
        }
    }
    return finish(s);
}

#endif
