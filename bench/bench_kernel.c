/*
 * The machine and the compiler on random arithmetic: nanoseconds an operation for programs of
 * several sizes, the time to compile them, the elementary functions, and a small family run over
 * many instances. Medians of CPU time within one run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "compiler.h"

enum { repeats = 15, leaves = 24, instances = 20000 };

static uint64_t state = 42;

static uint64_t next(void)
{
    return zb_hash_scramble(state += UINT64_C(0x9e3779b97f4a7c15));
}

static int32_t below(int32_t limit)
{
    return (int32_t)(next() % (uint64_t)limit);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void *allocate(size_t count, size_t size)
{
    void *block = aligned_alloc(64, (count * size + 127) & ~(size_t)63);
    if (!block) exit(1);
    return block;
}

/* ----------------------------------------------------------------- programs */

typedef struct graph {
    zb_memory memory;
    zx_pool pool;
    jmp_buf escape;
    double position[leaves], *values;
    bool *used;
    zx_node *roots, *terms;
    int32_t root_count, term_count;
} graph;

/* One of the sums so far, mostly a late one. */
static zx_node pick(const graph *g)
{
    int32_t n = g->term_count;
    int32_t at = below(4) == 0 || n < 200 ? below(n) : n - 1 - below(100 + n / 4);
    g->used[g->terms[at]] = true;
    return g->terms[at];
}

static zx_node add(graph *g, zx_op op, zx_node a, zx_node b)
{
    zx_node node = zx_intern(&g->pool, &(zx_item){.op = (int32_t)op, .a = a, .b = b});
    g->values[node] = zx_apply(op, g->values[a], g->values[b], 0.0);
    return node;
}

/* A sum of products as in multibody programs: of ten steps four are a*b + c*d, three a*b + c, two
 * a*b, one a + b. Values that become large or small are outputs. */
static void grow(graph *g)
{
    int32_t kind = below(10);
    zx_op op = below(2) ? ZX_ADD : ZX_SUB;
    zx_node x = pick(g), y = pick(g);
    if (kind < 9) x = add(g, ZX_MUL, x, pick(g));
    if (kind < 4) y = add(g, ZX_MUL, y, pick(g));
    if (kind < 7 || kind == 9) x = add(g, op, x, y);
    if (zb_abs(g->values[x]) < 1e2 && zb_abs(g->values[x]) > 1e-2)
        g->terms[g->term_count++] = x;
    else
        g->roots[g->root_count++] = x;
}

static void make(graph *g, int32_t operations)
{
    zb_memory_init(&g->memory, NULL);
    if (setjmp(g->escape)) exit(1);
    zx_pool_init(&g->pool, &g->memory, &g->escape, false);
    size_t most = (size_t)operations + leaves + 4;
    g->values = allocate(most, sizeof(double));
    g->used = allocate(most, sizeof(bool));
    g->roots = allocate(most, sizeof(zx_node));
    g->terms = allocate(most, sizeof(zx_node));
    g->root_count = g->term_count = 0;
    for (size_t i = 0; i < most; i++) g->used[i] = false;
    for (int32_t i = 0; i < leaves; i++) {
        g->position[i] = 0.5 + 0.05 * (double)i;
        g->terms[g->term_count++] = zx_leaf(&g->pool, ZX_POSITION, i);
        g->values[g->terms[i]] = g->position[i];
    }
    while (g->pool.count < operations + leaves) grow(g);
    for (int32_t i = leaves; i < g->term_count; i++)
        if (!g->used[g->terms[i]]) g->roots[g->root_count++] = g->terms[i];
}

static void drop(graph *g)
{
    free(g->values), free(g->used), free(g->roots), free(g->terms);
    zx_pool_free(&g->pool);
}

static double compile_time(graph *g, const zk_options *options)
{
    double times[repeats];
    int32_t rounds = 1 + 200000 / g->pool.count;
    for (int k = 0; k < repeats; k++) {
        double start = seconds();
        for (int32_t i = 0; i < rounds; i++) {
            zk_program *program;
            if (zk_compile_as(&g->memory, &g->pool, g->roots, g->root_count, options, &program))
                exit(1);
            zk_free(program);
        }
        times[k] = (seconds() - start) / rounds;
    }
    qsort(times, repeats, sizeof *times, compare);
    return times[repeats / 2];
}

static double run_time(const graph *g, const zk_program *program)
{
    double *workspace = allocate(zk_workspace(program), sizeof(double));
    double *out = allocate((size_t)g->root_count, sizeof(double)), times[repeats];
    zk_source source = {.position = g->position};
    int32_t rounds = 1 + 2000000 / g->pool.count;
    for (int k = 0; k < repeats; k++) {
        double start = seconds();
        for (int32_t i = 0; i < rounds; i++) zk_run(program, &source, NULL, workspace, out);
        times[k] = (seconds() - start) / rounds;
    }
    qsort(times, repeats, sizeof *times, compare);
    free(workspace), free(out);
    return times[repeats / 2];
}

static void measure(int32_t operations, int32_t window)
{
    graph g;
    zk_program *program;
    zk_statistics facts;
    zk_options options = {.fuse = true, .window = window};
    make(&g, operations);
    if (zk_compile_as(&g.memory, &g.pool, g.roots, g.root_count, &options, &program)) exit(1);
    zk_statistics_of(program, &facts);
    double run = run_time(&g, program), compile = compile_time(&g, &options);
    printf("%9lld %7d %9lld %6d %9d  %7.3f  %8.2f %8.3f\n", (long long)facts.operations,
           (int)window, (long long)facts.instructions, (int)facts.runs, (int)facts.registers,
           1e9 * run / (double)facts.operations, 1e6 * compile,
           1e6 * compile / (double)facts.operations);
    zk_free(program);
    drop(&g);
}

/* ------------------------------------------------------------------ a family */

/* The force between two neighbours in a chain: two angles, two lengths, one stiffness. */
static zx_node link_force(zx_pool *pool, zx_node *second)
{
    zx_node a = zx_leaf(pool, ZX_POSITION, 0), b = zx_leaf(pool, ZX_POSITION, 1);
    zx_node v = zx_leaf(pool, ZX_VELOCITY, 0), w = zx_leaf(pool, ZX_VELOCITY, 1);
    zx_node m = zx_leaf(pool, ZX_VALUE, 0), l = zx_leaf(pool, ZX_VALUE, 1);
    zx_node d = zx_binary(pool, ZX_SUB, a, b);
    zx_node s = zx_unary(pool, ZX_SIN, d), c = zx_unary(pool, ZX_COS, d);
    zx_node ml = zx_binary(pool, ZX_MUL, m, l);
    *second = zx_binary(pool, ZX_MUL, ml, c);
    zx_node vw = zx_binary(pool, ZX_MUL, v, w);
    return zx_binary(pool, ZX_ADD, zx_binary(pool, ZX_MUL, ml, zx_binary(pool, ZX_MUL, s, vw)),
                     zx_binary(pool, ZX_MUL, m, zx_unary(pool, ZX_SIN, a)));
}

typedef struct family {
    double *position, *velocity, value[2], *workspace, *out;
    int32_t *rows;
} family;

static double family_time(const zk_program *program, family *f, bool table)
{
    double times[repeats];
    zk_source source = {.position = f->position, .velocity = f->velocity, .value = f->value};
    zk_table all = {.table = f->rows, .count = instances, .stride = 4, .value_at = 2};
    for (int k = 0; k < repeats; k++) {
        double start = seconds();
        if (table) zk_run_table(program, &source, &all, f->workspace, f->out);
        for (int32_t i = 0; i < instances && !table; i++)
            zk_run(program, &source, NULL, f->workspace, f->out);
        times[k] = (seconds() - start) / instances;
    }
    qsort(times, repeats, sizeof *times, compare);
    return 1e9 * times[repeats / 2];
}

static void measure_family(void)
{
    zb_memory memory;
    zx_pool pool;
    jmp_buf escape;
    zk_program *program;
    zk_statistics facts;
    zb_memory_init(&memory, NULL);
    if (setjmp(escape)) exit(1);
    zx_pool_init(&pool, &memory, &escape, false);
    zx_node roots[2];
    roots[0] = link_force(&pool, &roots[1]);
    if (zk_compile(&memory, &pool, roots, 2, &program)) exit(1);
    zk_statistics_of(program, &facts);
    family f = {.position = allocate(instances + 1, sizeof(double)),
                .velocity = allocate(instances + 1, sizeof(double)),
                .value = {1.5, 0.7},
                .workspace = allocate(zk_workspace(program), sizeof(double)),
                .out = allocate(2 * instances, sizeof(double)),
                .rows = allocate(4 * instances, sizeof(int32_t))};
    for (int32_t i = 0; i <= instances; i++) f.position[i] = 0.01 * i, f.velocity[i] = 1.0;
    for (int32_t i = 0; i < instances; i++) {
        f.rows[4 * i] = i, f.rows[4 * i + 1] = i + 1;
        f.rows[4 * i + 2] = 0, f.rows[4 * i + 3] = 1;
    }
    printf("family of %lld operations, %d runs: %.1f ns a run, %.1f ns an instance of a table\n",
           (long long)facts.operations, (int)facts.runs, family_time(program, &f, false),
           family_time(program, &f, true));
    free(f.position), free(f.velocity), free(f.workspace), free(f.out), free(f.rows);
    zk_free(program);
    zx_pool_free(&pool);
}

/* ------------------------------------------------------------------ functions */

static void measure_function(const char *name, double (*function)(double), double low, double high)
{
    enum { points = 1024, rounds = 200 };
    double x[points], sum = 0.0, times[repeats];
    for (int i = 0; i < points; i++) x[i] = low + (high - low) * (double)i / points;
    for (int k = 0; k < repeats; k++) {
        double start = seconds();
        for (int r = 0; r < rounds; r++)
            for (int i = 0; i < points; i++) sum += function(x[i]);
        times[k] = (seconds() - start) / (points * rounds);
    }
    qsort(times, repeats, sizeof *times, compare);
    printf("%s %.1f ns%s", name, 1e9 * times[repeats / 2], sum == 1.0 ? " " : "  ");
}

static double own_sin(double x)
{
    return zb_sin(x);
}
static double own_exp(double x)
{
    return zb_exp(x);
}
static double own_log(double x)
{
    return zb_log(x);
}

int main(void)
{
    static const int32_t sizes[] = {10, 100, 1000, 10000, 100000};
    printf("operations  window  instructions runs registers  ns/op  compile us   us/op\n");
    for (int i = 0; i < 5; i++) measure(sizes[i], ZK_WINDOW);
    measure(100000, 4096), measure(100000, 16384);
    measure_family();
    measure_function("sin", own_sin, -10.0, 10.0);
    measure_function("sin(1e9)", own_sin, 1e9, 2e9);
    measure_function("exp", own_exp, -10.0, 10.0);
    measure_function("log", own_log, 0.1, 10.0);
    measure_function("tan", zb_tan, -10.0, 10.0);
    measure_function("atan", zb_atan, -10.0, 10.0);
    printf("\n");
    return 0;
}
