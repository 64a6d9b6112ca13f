/*
 * The machine and the compiler on random arithmetic: nanoseconds an operation for programs of
 * several sizes, the time to compile them, the elementary functions, and a small family run over
 * many instances. Medians of CPU time within one run.
 */
#include <stdio.h>
#include <stdlib.h>

#include "random_program.h"

enum { repeats = RANDOM_REPEATS, instances = 20000 };

static double compile_time(random_program *g, const zk_options *options)
{
    double times[repeats];
    int32_t rounds = 1 + 200000 / g->pool.count;
    for (int k = 0; k < repeats; k++) {
        double start = random_seconds();
        for (int32_t i = 0; i < rounds; i++) {
            zk_program *program;
            if (zk_compile_as(&g->memory, &g->pool, g->roots, g->root_count, options, &program))
                exit(1);
            zk_free(program);
        }
        times[k] = (random_seconds() - start) / rounds;
    }
    return random_median(times);
}

static double run_time(const random_program *g, const zk_program *program)
{
    double *workspace = random_allocate(zk_workspace(program), sizeof(double));
    double *out = random_allocate((size_t)g->root_count, sizeof(double)), times[repeats];
    zk_source source = {.position = g->position};
    int32_t rounds = 1 + 2000000 / g->pool.count;
    for (int k = 0; k < repeats; k++) {
        double start = random_seconds();
        for (int32_t i = 0; i < rounds; i++) zk_evaluate(program, &source, NULL, workspace, out);
        times[k] = (random_seconds() - start) / rounds;
    }
    free(workspace), free(out);
    return random_median(times);
}

static void measure(int32_t operations, int32_t window)
{
    random_program g;
    zk_program *program;
    zk_statistics facts;
    zk_options options = {.fuse = true, .window = window};
    random_make(&g, operations);
    if (zk_compile_as(&g.memory, &g.pool, g.roots, g.root_count, &options, &program)) exit(1);
    zk_statistics_of(program, &facts);
    double run = run_time(&g, program), compile = compile_time(&g, &options);
    printf("%9lld %7d %9lld %6d %9d  %7.3f  %8.2f %8.3f\n", (long long)facts.operations,
           (int)window, (long long)facts.instructions, (int)facts.batches, (int)facts.registers,
           1e9 * run / (double)facts.operations, 1e6 * compile,
           1e6 * compile / (double)facts.operations);
    zk_free(program);
    random_drop(&g);
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
        double start = random_seconds();
        if (table) zk_evaluate_table(program, &source, &all, f->workspace, f->out);
        for (int32_t i = 0; i < instances && !table; i++)
            zk_evaluate(program, &source, NULL, f->workspace, f->out);
        times[k] = (random_seconds() - start) / instances;
    }
    return 1e9 * random_median(times);
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
    family f = {.position = random_allocate(instances + 1, sizeof(double)),
                .velocity = random_allocate(instances + 1, sizeof(double)),
                .value = {1.5, 0.7},
                .workspace = random_allocate(zk_workspace(program), sizeof(double)),
                .out = random_allocate(2 * instances, sizeof(double)),
                .rows = random_allocate(4 * instances, sizeof(int32_t))};
    for (int32_t i = 0; i <= instances; i++) f.position[i] = 0.01 * i, f.velocity[i] = 1.0;
    for (int32_t i = 0; i < instances; i++) {
        f.rows[4 * i] = i, f.rows[4 * i + 1] = i + 1;
        f.rows[4 * i + 2] = 0, f.rows[4 * i + 3] = 1;
    }
    printf("family of %lld operations, %d runs: %.1f ns a run, %.1f ns an instance of a table\n",
           (long long)facts.operations, (int)facts.batches, family_time(program, &f, false),
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
        double start = random_seconds();
        for (int r = 0; r < rounds; r++)
            for (int i = 0; i < points; i++) sum += function(x[i]);
        times[k] = (random_seconds() - start) / (points * rounds);
    }
    printf("%s %.1f ns%s", name, 1e9 * random_median(times), sum == 1.0 ? " " : "  ");
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
