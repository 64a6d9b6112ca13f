/*
 * What the equations of large systems cost before anything is solved: M and Q, A and b, positions
 * and velocities of constraints, in nanoseconds a link (a mass, of the springs), by byte code and
 * by machine code, in one thread and in several. The best of many rounds by the clock on the wall:
 * others on the machine slow what waits for memory, and threads most of all.
 *
 *   bench_assembly [LARGEST]     1000, 10000, ... up to LARGEST links (1000000)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "sim.h"

enum { rounds = 31, least_links = 200000 }; /* links of one round */

static const char *const chain =
    "param N = 1000, m = 1/N, l = 1/N, g = 9.81\n"
    "coord x[N], y[N]\n"
    "kinetic   sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
    "potential sum(i in 1..N, m*g*y[i])\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\n";

/* Neighbours add to the same entries of Q. */
static const char *const springs =
    "param N = 1000, m = 1/N, k = 3\n"
    "coord x[N], y[N]\n"
    "kinetic   sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
    "potential sum(i in 2..N, k*((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)^2)\n";

typedef struct bench {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
} bench;

static bench build(const char *text, long links)
{
    bench b = {0};
    char setting[32];
    snprintf(setting, sizeof setting, "N = %ld", links);
    const char *settings[] = {setting};
    zw_model_source source = {.file = "bench.zw",
                              .text = text,
                              .length = strlen(text),
                              .settings = settings,
                              .setting_count = 1};
    if (zw_context_create(NULL, &b.context)) exit(1);
    if (zw_model_compile(b.context, &source, &b.model)) exit(1);
    return b;
}

/* A simulation in so many threads, in the place of the one before. */
static void create(bench *b, int32_t threads)
{
    zw_sim_free(b->sim);
    b->sim = NULL;
    zw_context_set_threads(b->context, threads);
    if (zw_sim_create(b->model, &b->sim)) exit(1);
    for (int32_t i = 0; i < b->sim->zm->n; i++) {
        b->sim->q[i] = 0.01 * (double)(i % 977);
        b->sim->v[i] = 0.003 * (double)(i % 331) - 0.5;
    }
}

static void drop(bench *b)
{
    zw_sim_free(b->sim);
    zw_model_free(b->model);
    zw_context_free(b->context);
}

/* Nanoseconds a link. */
static double cost(bench *b, long links, void (*what)(zw_sim *, const zk_source *))
{
    zk_source s = zr_source(b->sim, 0.0, b->sim->q, b->sim->v);
    long times = least_links / links + 1;
    double best = 1e9;
    for (int k = 0; k < rounds; k++) {
        double start = wall_seconds();
        for (long i = 0; i < times; i++) what(b->sim, &s);
        double time = wall_seconds() - start;
        best = time < best ? time : best;
    }
    return 1e9 * best / ((double)times * (double)links);
}

static void positions(zw_sim *sim, const zk_source *s)
{
    zr_evaluate_level(sim, ZR_POSITION, s);
}

static void velocities(zw_sim *sim, const zk_source *s)
{
    zr_evaluate_level(sim, ZR_VELOCITY, s);
}

static void line(bench *b, const char *name, long links)
{
    int32_t threads = zb_team_size(b->sim->team);
    printf("%-8s %9ld %7d %-13s %8.2f %8.2f %10.2f %10.2f\n", name, links, (int)threads,
           b->sim->evaluator == ZK_BYTE_CODE ? "byte code" : "machine code",
           cost(b, links, zr_evaluate_dynamics), cost(b, links, zr_evaluate_rows),
           cost(b, links, positions), cost(b, links, velocities));
    fflush(stdout);
}

static void measure(const char *name, const char *text, long links)
{
    bench b = build(text, links);
    for (int32_t threads = 1; threads <= zb_processor_count(); threads++) {
        create(&b, threads);
        if (zb_team_size(b.sim->team) != threads) break; /* too few links */
        zw_sim_set_kernel(b.sim, ZW_KERNEL_BYTECODE);
        line(&b, name, links);
        zw_sim_set_kernel(b.sim, ZW_KERNEL_NATIVE);
        line(&b, name, links);
    }
    drop(&b);
}

int main(int argc, char **argv)
{
    long largest = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    printf("nanoseconds a link\n%-8s %9s %7s %-13s %8s %8s %10s %10s\n", "", "links", "threads", "",
           "M, Q", "A, b", "positions", "velocities");
    for (long links = 1000; links <= largest; links *= 10) {
        measure("chain", chain, links);
        measure("springs", springs, links);
    }
    return 0;
}
