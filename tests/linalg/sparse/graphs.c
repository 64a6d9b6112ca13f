#include "graphs.h"

#include <stdlib.h>
#include <string.h>

int32_t random_below(uint64_t *seed, int32_t most)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    return (int32_t)(zb_hash_scramble(*seed) % (uint64_t)most);
}

void random_order(int32_t n, int32_t *order, uint64_t *seed)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t j = random_below(seed, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

/* ---------------------------------------------------------------------------- graphs */

void graph_add(graph *g, int32_t a, int32_t b)
{
    if (g->count == g->room) {
        g->room = g->room > 0 ? 2 * g->room : 64;
        g->edge = realloc(g->edge, sizeof *g->edge * (size_t)g->room);
    }
    g->edge[g->count][0] = a;
    g->edge[g->count++][1] = b;
}

graph graph_path(int32_t n)
{
    graph g = {.n = n};
    for (int32_t i = 1; i < n; i++) graph_add(&g, i - 1, i);
    return g;
}

graph graph_tree(int32_t n, uint64_t *seed)
{
    graph g = {.n = n};
    for (int32_t i = 1; i < n; i++) graph_add(&g, random_below(seed, i), i);
    return g;
}

graph graph_ladder(int32_t n)
{
    graph g = {.n = 2 * n};
    for (int32_t i = 0; i < n; i++) {
        graph_add(&g, 2 * i, 2 * i + 1);
        if (i == 0) continue;
        graph_add(&g, 2 * i - 2, 2 * i);
        graph_add(&g, 2 * i - 1, 2 * i + 1);
    }
    return g;
}

static void join(graph *g, int32_t a, int32_t b, int32_t d)
{
    for (int32_t i = 0; i < d; i++)
        for (int32_t j = 0; j < d; j++) graph_add(g, a * d + i, b * d + j);
}

graph graph_lattice(int32_t width, int32_t d)
{
    graph g = {.n = width * width * d};
    for (int32_t k = 0; k < width * width; k++) {
        bool left = k % width > 0, above = k >= width;
        join(&g, k, k, d);
        if (left) join(&g, k, k - 1, d);
        if (above) join(&g, k, k - width, d);
        if (left && above) join(&g, k, k - width - 1, d);
    }
    return g;
}

graph graph_box(int32_t x, int32_t y, int32_t z, int32_t d)
{
    graph g = {.n = x * y * z * d};
    for (int32_t k = 0; k < x * y * z; k++) {
        join(&g, k, k, d);
        if (k % x > 0) join(&g, k, k - 1, d);
        if (k / x % y > 0) join(&g, k, k - x, d);
        if (k / x / y > 0) join(&g, k, k - x * y, d);
    }
    return g;
}

static void add_rod(graph *g, int32_t a, int32_t b, int32_t d)
{
    if (b < 0) return;
    for (int32_t i = 0; i < d; i++) {
        graph_add(g, g->n, a * d + i);
        graph_add(g, g->n, b * d + i);
    }
    g->n++;
}

graph graph_rods(int32_t width, int32_t d)
{
    graph g = {.n = width * width * d};
    for (int32_t k = 0; k < width * width; k++) {
        bool left = k % width > 0;
        join(&g, k, k, d);
        add_rod(&g, k, left ? k - 1 : -1, d);
        add_rod(&g, k, k - width, d);
        add_rod(&g, k, left ? k - width - 1 : -1, d);
    }
    return g;
}

graph graph_random(int32_t n, int32_t edges, uint64_t *seed)
{
    graph g = {.n = n};
    for (int32_t k = 0; k < edges; k++) graph_add(&g, random_below(seed, n), random_below(seed, n));
    return g;
}

graph graph_full(int32_t n)
{
    graph g = {.n = n};
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i; j++) graph_add(&g, i, j);
    return g;
}

void graph_scramble(graph *g, uint64_t *seed)
{
    int32_t *name = malloc(sizeof *name * (size_t)(g->n + 1));
    random_order(g->n, name, seed);
    for (int64_t k = 0; k < g->count; k++)
        for (int side = 0; side < 2; side++) g->edge[k][side] = name[g->edge[k][side]];
    free(name);
}

/* -------------------------------------------------------------------------- patterns */

static int by_row(const void *a_, const void *b_)
{
    const int32_t *a = a_, *b = b_;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return (a[1] > b[1]) - (a[1] < b[1]);
}

za_symmetric graph_pattern(graph *g)
{
    int32_t *start = calloc((size_t)g->n + 1, sizeof *start), all = 0;
    int32_t *index = malloc(sizeof *index * (size_t)(g->count + g->n + 1));
    int64_t p = 0;
    for (int64_t k = 0; k < g->count; k++) {
        int32_t a = g->edge[k][0], b = g->edge[k][1];
        g->edge[k][0] = a > b ? a : b;
        g->edge[k][1] = a > b ? b : a;
    }
    if (g->count > 0) qsort(g->edge, (size_t)g->count, sizeof *g->edge, by_row);
    for (int32_t i = 0; i < g->n; i++) {
        for (; p < g->count && g->edge[p][0] == i; p++) {
            int32_t j = g->edge[p][1];
            if (j < i && (all == start[i] || index[all - 1] != j)) index[all++] = j;
        }
        index[all++] = i;
        start[i + 1] = all;
    }
    free(g->edge);
    return (za_symmetric){g->n, start, index};
}

void pattern_free(za_symmetric *x)
{
    void *block;
    memcpy(&block, &x->start, sizeof block);
    free(block);
    memcpy(&block, &x->index, sizeof block);
    free(block);
}

double *definite_values(const za_symmetric *x, uint64_t *seed)
{
    double *values = malloc(sizeof *values * (size_t)(x->start[x->n] + 1));
    for (int32_t i = 0; i < x->n; i++) values[x->start[i + 1] - 1] = 0.5;
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            double v = 1e-6 * random_below(seed, 2000000) - 1.0, size = v < 0.0 ? -v : v;
            values[p] = v;
            values[x->start[i + 1] - 1] += size;
            values[x->start[x->index[p] + 1] - 1] += size;
        }
    }
    return values;
}

/* ---------------------------------------------------------------------------- memory */

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = user;
    if (new_size > (block ? old_size : 0)) {
        f->requests++;
        if (f->fail_at > 0 && f->requests >= f->fail_at) return NULL;
    }
    f->held += (int64_t)new_size - (block ? (int64_t)old_size : 0);
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    char *fresh = realloc(block, new_size);
    if (!block) memset(fresh, 0xa5, new_size); /* what is read before it is written is seen */
    return fresh;
}

zw_allocator failing_allocator(failing *f)
{
    return (zw_allocator){.resize = resize, .user = f};
}
