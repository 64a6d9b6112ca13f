/*
 * bench_order_inside.c: what the orders of elimination leave of sparse matrices.
 *
 * For plane lattices, nets in space, strips, trees, random graphs and the matrices that nets of
 * rods lead to (with their redundant rows): time of the order, nonzeros of L, operations, time of a
 * supernodal factor. CPU time; the median of five where that is short. `bench_order_inside WORD`
 * takes the graphs whose names begin with WORD alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graphs.h"
#include "measure.h"

typedef zw_status (*order_fn)(zb_memory *memory, const za_symmetric *x, int32_t *order);

static void check(zw_status status, const char *what)
{
    if (status == ZW_OK) return;
    fprintf(stderr, "%s: %s\n", what, zw_status_sentence(status));
    exit(1);
}

/* ------------------------------------------------------------------------- graphs */

static graph cube(int32_t width, int32_t d)
{
    return graph_box(width, width, width, d);
}

static graph strip(int32_t width, int32_t d)
{
    return graph_box(width, 40000 / width, 1, d);
}

static graph bar(int32_t width, int32_t d)
{
    return graph_box(width, width, 20 * width, d);
}

static graph scrambled_lattice(int32_t width, int32_t d)
{
    uint64_t seed = 5;
    graph g = graph_lattice(width, d);
    graph_scramble(&g, &seed);
    return g;
}

static graph tree(int32_t n, int32_t d)
{
    uint64_t seed = 3;
    (void)d;
    return graph_tree(n, &seed);
}

/* d edges a node. */
static graph random_graph(int32_t n, int32_t d)
{
    uint64_t seed = 7;
    return graph_random(n, n * d, &seed);
}

typedef struct family {
    const char *name;
    graph (*make)(int32_t size, int32_t d);
    int32_t size, d;
} family;

static const family families[] = {
    {"lattice 50", graph_lattice, 50, 1},
    {"lattice 100", graph_lattice, 100, 1},
    {"lattice 200", graph_lattice, 200, 1},
    {"lattice 300", graph_lattice, 300, 1},
    {"lattice 500", graph_lattice, 500, 1},
    {"lattice 100, 2 each", graph_lattice, 100, 2},
    {"lattice 200, 2 each", graph_lattice, 200, 2},
    {"lattice 300, 2 each", graph_lattice, 300, 2},
    {"lattice 500, 2 each", graph_lattice, 500, 2},
    {"scrambled lattice 300", scrambled_lattice, 300, 1},
    {"net 10", cube, 10, 1},
    {"net 20", cube, 20, 1},
    {"net 30", cube, 30, 1},
    {"net 40", cube, 40, 1},
    {"net 10, 3 each", cube, 10, 3},
    {"net 20, 3 each", cube, 20, 3},
    {"rods 100, form K", graph_rods, 100, 2},
    {"rods 300, form K", graph_rods, 300, 2},
    {"strip of 8", strip, 8, 2},
    {"strip of 50", strip, 50, 2},
    {"bar of 12", bar, 12, 1},
    {"tree", tree, 100000, 1},
    {"random, 2 each", random_graph, 5000, 2},
    {"random, 4 each", random_graph, 2000, 4},
};

/* ------------------------------------------------------------------------- measuring */

enum { REPEATS = 5 };

static double order_time(zb_memory *memory, order_fn way, const za_symmetric *x, int32_t *order)
{
    double times[REPEATS], sum = 0.0;
    int done = 0;
    while (done < REPEATS && (done == 0 || sum < 1.0)) {
        double begin = cpu_seconds();
        check(way(memory, x, order), "order");
        times[done] = cpu_seconds() - begin;
        sum += times[done++];
    }
    return 1e3 * median(times, done);
}

static double factor_time(zb_memory *memory, const za_symmetric *x, const int32_t *order)
{
    uint64_t seed = 11;
    double times[REPEATS], sum = 0.0, *values = definite_values(x, &seed);
    void *factor = NULL;
    za_pivots pivots;
    int done = 0;
    check(za_supernodal.plan(memory, x, order, &factor), "plan");
    while (done < REPEATS && (done == 0 || sum < 1.0)) {
        double begin = cpu_seconds();
        za_supernodal.factor(factor, values, &pivots);
        times[done] = cpu_seconds() - begin;
        sum += times[done++];
    }
    za_supernodal.free(factor);
    free(values);
    return 1e3 * median(times, done);
}

static void line(zb_memory *memory, const char *name, const za_symmetric *x, const char *by,
                 order_fn way)
{
    int32_t *order = malloc(((size_t)x->n + 1) * sizeof *order);
    za_prediction p;
    if (!order) exit(1);
    double ordering = order_time(memory, way, x, order);
    check(za_predict(memory, x, order, &p), "predict");
    printf("| %s | %d | %s | %.3g | %.3f | %.4g |", name, x->n, by, ordering,
           1e-6 * (double)p.nonzeros, 1e-9 * p.flops);
    if (p.flops < 1e11)
        printf(" %.3g |\n", factor_time(memory, x, order));
    else
        printf(" |\n");
    fflush(stdout);
    free(order);
}

int main(int count, char **words)
{
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    printf("| matrix | n | order | ordering, ms | nonzeros of L, M | Gflop | factor, ms |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        const family *f = &families[k];
        if (count > 1 && strncmp(f->name, words[1], strlen(words[1])) != 0) continue;
        graph g = f->make(f->size, f->d);
        za_symmetric x = graph_pattern(&g);
        line(&memory, f->name, &x, "AMD", za_order_amd);
        line(&memory, f->name, &x, "dissection", za_order_dissect);
        pattern_free(&x);
    }
    return 0;
}
