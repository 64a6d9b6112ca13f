/*
 * bench_sparse_inside.c: what the choices of the sparse solver rest on.
 *
 * Systems of 10 to 400 rows, one factor and one solve as a step of a run asks for them: the dense
 * solver, each form of the sparse one, what both predict of themselves, and which is chosen. Then
 * the two ways to factor, and the two orders, on chains and lattices. Medians of CPU time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "measure.h"
#include "sparse_problems.h"

enum { REPEATS = 7 };

static void check(zw_status status, const char *what)
{
    if (status == ZW_OK) return;
    fprintf(stderr, "%s: %s\n", what, zw_status_sentence(status));
    exit(1);
}

static double *numbers(int32_t count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    if (!x) exit(1);
    return x;
}

/* ------------------------------------------------------------ dense and sparse */

typedef struct task {
    const sparse_problem *p;
    zg_system *system; /* or */
    zg_sparse *sparse;
    double *z, *lambda;
} task;

static void once(const task *t)
{
    zg_values values = t->p->values;
    values.same_mass = true; /* as in a run with constant masses */
    zw_status status;
    if (t->system) {
        status = zg_system_factor(t->system, &values);
        if (status == ZW_OK)
            status = zg_system_apply(t->system, t->p->Q, t->p->b, t->z, t->lambda, NULL, NULL);
    } else {
        status = zg_sparse_factor(t->sparse, &values);
        if (status == ZW_OK)
            status = zg_sparse_apply(t->sparse, t->p->Q, t->p->b, t->z, t->lambda, NULL, NULL);
    }
    check(status, "solve");
}

/* Median in us of a factor and a solve. */
static double measure(const task *t)
{
    double times[REPEATS], begin = cpu_seconds();
    once(t);
    once(t);
    long count = 1 + (long)(2e-3 / ((cpu_seconds() - begin) / 2 + 1e-9));
    for (int r = 0; r < REPEATS; r++) {
        begin = cpu_seconds();
        for (long i = 0; i < count; i++) once(t);
        times[r] = 1e6 * (cpu_seconds() - begin) / (double)count;
    }
    return median(times, REPEATS);
}

static double by_system(zb_memory *memory, task t, zw_solver solver, bool *dense)
{
    zg_structure is = t.p->is;
    is.solver = solver;
    check(zg_system_plan(memory, &is, &t.system), "plan");
    double us = measure(&t);
    if (dense) *dense = zg_system_dense(t.system) != NULL;
    zg_system_free(t.system);
    return us;
}

/* In a form; -1: it cannot serve. *predicted in us. */
static double by_form(zb_memory *memory, task t, const zg_sparse_form *kind, double *predicted)
{
    void *form = NULL;
    double us = -1.0, cost = 0.0;
    check(zg_sparse_plan(memory, &t.p->is, &t.sparse), "plan");
    check(kind->plan(memory, &t.sparse->x, &form, &cost), "form");
    if (form) {
        t.sparse->kind->free(t.sparse->form);
        t.sparse->kind = kind;
        t.sparse->form = form;
        us = measure(&t);
    }
    *predicted = 1e6 * cost;
    zg_sparse_free(t.sparse);
    return us;
}

static void crossover_line(zb_memory *memory, const char *name, const net_kind *kind)
{
    static const zg_sparse_form *const forms[] = {&zg_sparse_S, &zg_sparse_K, &zg_sparse_H};
    sparse_problem *p = net_make(kind, 1);
    task t = {.p = p, .z = numbers(p->is.n), .lambda = numbers(p->is.m)};
    bool dense = false;
    printf("| %s | %d | %d | %.3g |", name, p->is.n, p->is.m,
           by_system(memory, t, ZW_SOLVER_DENSE, NULL));
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        double predicted, us = by_form(memory, t, forms[k], &predicted);
        if (us < 0)
            printf(" |");
        else
            printf(" %.3g (%.3g) |", us, predicted);
    }
    double chosen = by_system(memory, t, ZW_SOLVER_AUTO, &dense);
    printf(" %s %.3g |\n", dense ? "dense" : "sparse", chosen);
    free(t.z);
    free(t.lambda);
    net_free(p);
}

static void crossovers(zb_memory *memory)
{
    static const struct {
        const char *name;
        net_kind kind;
    } systems[] = {
        {"chain", {.shape = NET_CHAIN}},
        {"chain, blocks of 3", {.shape = NET_CHAIN, .mass = MASS_BLOCKS_3}},
        {"ladder", {.shape = NET_LADDER}},
        {"ladder, redundant", {.shape = NET_CROSSED}},
        {"ladder, contradictory", {.shape = NET_CROSSED, .extra = EXTRA_CONTRADICTORY}},
        {"random rods", {.shape = NET_GRAPH}},
        {"random rows, general M", {.shape = NET_SPARSE, .mass = MASS_GENERAL}},
    };
    static const int32_t rows[] = {10, 20, 40, 80, 160, 400};
    printf("us of a factor and a solve (in brackets: predicted)\n\n"
           "| system | n | m | dense | S | K | H | chosen |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t s = 0; s < sizeof systems / sizeof *systems; s++) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            net_kind kind = systems[s].kind;
            kind.rows = rows[r];
            crossover_line(memory, systems[s].name, &kind);
            fflush(stdout);
        }
    }
}

/* ------------------------------------------------------------ orders and factors */

/* M + A^T W A of a lattice, or the tridiagonal matrix of a chain: pattern and values. */
typedef struct matrix {
    za_symmetric x;
    double *values;
    int32_t *start, *index;
} matrix;

static void matrix_free(matrix *x)
{
    free(x->start);
    free(x->index);
    free(x->values);
}

static int by_index(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Points in a grid of the given width, `size` coordinates each, joined to their neighbours to the
 * left, below and across: definite, because the diagonal outweighs the rest. */
static matrix grid(int32_t points, int32_t width, int32_t size)
{
    int32_t n = points * size, count = 0;
    matrix r = {.start = malloc(((size_t)n + 1) * sizeof(int32_t)),
                .index = malloc((size_t)n * 4 * (size_t)size * sizeof(int32_t))};
    if (!r.start || !r.index) exit(1);
    for (int32_t i = 0; i < n; i++) {
        int32_t point = i / size, first = r.start[i] = count;
        const int32_t other[] = {point, point % width > 0 ? point - 1 : -1, point - width,
                                 point % width > 0 ? point - width - 1 : -1};
        for (int32_t k = 0; k < 4; k++)
            for (int32_t d = 0; d < size && other[k] >= 0; d++)
                if (other[k] * size + d <= i) r.index[count++] = other[k] * size + d;
        qsort(r.index + first, (size_t)(count - first), sizeof *r.index, by_index);
    }
    r.start[n] = count;
    r.values = numbers(count);
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = r.start[i]; k < r.start[i + 1]; k++)
            r.values[k] = r.index[k] == i ? 20.0 : -0.5 - 0.001 * (double)((i + k) % 97);
    r.x = (za_symmetric){n, r.start, r.index};
    return r;
}

static double factor_time(zb_memory *memory, const za_factoring *way, const matrix *x,
                          const int32_t *order, double *solve)
{
    void *factor = NULL;
    za_pivots pivots;
    double times[REPEATS], solves[REPEATS], *y = numbers(2 * x->x.n);
    check(way->plan(memory, &x->x, order, &factor), way->name);
    long count = 1 + 20000 / x->x.n;
    for (int r = 0; r < REPEATS; r++) {
        double begin = cpu_seconds();
        for (long i = 0; i < count; i++) way->factor(factor, x->values, &pivots);
        times[r] = 1e3 * (cpu_seconds() - begin) / (double)count;
        for (int32_t i = 0; i < x->x.n; i++) y[i] = 1.0;
        begin = cpu_seconds();
        for (long i = 0; i < count; i++) way->solve(factor, y, y + x->x.n);
        solves[r] = 1e3 * (cpu_seconds() - begin) / (double)count;
    }
    way->free(factor);
    free(y);
    *solve = median(solves, REPEATS);
    return median(times, REPEATS);
}

static void factor_line(zb_memory *memory, const char *name, const matrix *x, bool dissect)
{
    const za_factoring *ways[] = {&za_up_looking, &za_supernodal};
    int32_t *order = malloc((size_t)x->x.n * sizeof *order);
    za_prediction predicted;
    if (!order) exit(1);
    double begin = cpu_seconds();
    check((dissect ? za_order_dissect : za_order_amd)(memory, &x->x, order), "order");
    double ordering = 1e3 * (cpu_seconds() - begin);
    check(za_predict(memory, &x->x, order, &predicted), "predict");
    printf("| %s | %d | %s | %.3g | %lld | %.1f |", name, x->x.n, dissect ? "dissection" : "AMD",
           ordering, (long long)predicted.nonzeros,
           predicted.flops / ((double)predicted.nonzeros + (double)x->x.n));
    for (size_t k = 0; k < 2; k++) {
        double solve, time = factor_time(memory, ways[k], x, order, &solve);
        printf(" %.3g + %.3g |", time, solve);
    }
    printf("\n");
    fflush(stdout);
    free(order);
}

static void factors(zb_memory *memory)
{
    static const struct {
        const char *name;
        int32_t points, width, size;
    } matrices[] = {
        {"chain", 1000, 1, 1},
        {"chain", 100000, 1, 1},
        {"chain of bodies", 2000, 1, 6},
        {"ladder", 2000, 2, 2},
        {"strip of 8", 4000, 8, 2},
        {"lattice 10 x 10", 100, 10, 2},
        {"lattice 30 x 30", 900, 30, 2},
        {"lattice 100 x 100", 10000, 100, 2},
        {"lattice 200 x 200", 40000, 200, 2},
    };
    printf("\nms of a factor + a solve\n\n"
           "| matrix | n | order | ordering, ms | nonzeros of L | flops each | up-looking | "
           "supernodal |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++) {
        matrix x = grid(matrices[k].points, matrices[k].width, matrices[k].size);
        factor_line(memory, matrices[k].name, &x, false);
        factor_line(memory, matrices[k].name, &x, true);
        matrix_free(&x);
    }
}

int main(void)
{
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    crossovers(&memory);
    factors(&memory);
    return 0;
}
