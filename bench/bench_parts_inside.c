/*
 * bench_parts_inside.c: what elimination by parts is made of, and what its stages cost.
 *
 *   bench_parts_inside [LARGEST]     chains of 1000, 10000, ... up to LARGEST links (1000000), and
 *                                    other models
 *
 * First table: how a system was cut, and what making that took: operations are those of all
 * programs, each counted once however many parts it serves; machine code included in `programs`.
 * Second: ns a row of an acceleration in lane order, of a look at positions, of a correction of
 * positions, of packing q and v and unpacking z, each the best of many rounds, CPU time, one
 * thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "parts.h"
#include "parts_models.h"
#include "road_parts.h"

enum { ROUNDS = 15, ROWS_OF_BATCH = 40000, LINE = 200 };

static const struct {
    const char *name, *text, *setting;
    long links;
} subjects[] = {
    {"chain 1000", chain_text, "N = 1000", 1000},
    {"chain 10000", chain_text, "N = 10000", 10000},
    {"chain 100000", chain_text, "N = 100000", 100000},
    {"chain 1000000", chain_text, "N = 1000000", 1000000},
    {"loop 10000", loop_text, "N = 10000", 0},
    {"ladder 1000", ladder_text, "N = 1000", 0},
    {"X-ladder in pieces 1000", pieces_text, "N = 1000", 0},
    {"tree 1023", tree_text, "N = 1023", 0},
    {"comb 1000", comb_text, "N = 1000", 0},
    {"mechanisms 1000", mechanisms_text, "N = 1000", 0},
    {"planar 1000", planar_text, "N = 1000", 0},
    {"spatial 1000", spatial_text, "N = 1000", 0},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

typedef struct bench {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    ze_parts_plan *plan; /* of the simulation */
    double native;       /* seconds that machine code took */
    double *q, *v, *z, *x;
} bench;

static bool build(bench *b, const char *text, const char *setting)
{
    const char *settings[] = {setting};
    zw_model_source source = {.file = "bench.zw",
                              .text = text,
                              .length = strlen(text),
                              .settings = settings,
                              .setting_count = 1};
    *b = (bench){0};
    if (zw_context_create(NULL, &b->context)) exit(1);
    zw_context_set_threads(b->context, 1);
    zw_context_set_solver(b->context, ZW_SOLVER_PARTS);
    if (zw_model_compile(b->context, &source, &b->model)) exit(1);
    if (zw_sim_create(b->model, &b->sim) || zw_sim_start(b->sim, false)) exit(1);
    b->plan = b->sim->solver->parts ? b->sim->solver->parts->plan : NULL;
    if (!b->plan) return false;
    double begin = cpu_seconds();
    zw_sim_set_kernel(b->sim, ZW_KERNEL_NATIVE);
    b->native = cpu_seconds() - begin;
    size_t size = (size_t)ze_size(b->plan);
    b->q = aligned_alloc(64, (4 * size * sizeof *b->q + 63) / 64 * 64);
    if (!b->q) exit(1);
    b->v = b->q + size, b->z = b->v + size, b->x = b->z + size;
    ze_pack(b->plan, b->sim->q, b->q);
    ze_pack(b->plan, b->sim->v, b->v);
    return true;
}

static void drop(bench *b)
{
    free(b->q);
    zw_sim_free(b->sim);
    zw_model_free(b->model);
    zw_context_free(b->context);
}

/* ----------------------------------------------------------------------- stages */

static ze_state state_of(const bench *b)
{
    return (ze_state){.t = 0, .q = b->q, .v = b->v, .evaluator = ZK_FASTEST};
}

static void accelerate(bench *b)
{
    ze_state state = state_of(b);
    ze_task task = {.least = 1e-7};
    ze_accelerate(b->plan, &state, &task, b->z);
}

static void look(bench *b)
{
    ze_state state = state_of(b);
    ze_violation off;
    ze_measure_violation(b->plan, &state, 0, &off);
}

static void correct(bench *b)
{
    ze_state state = state_of(b);
    ze_correct(b->plan, &state, 0, 1e-7, b->z);
}

static void pack(bench *b)
{
    ze_pack(b->plan, b->sim->q, b->q);
    ze_pack(b->plan, b->sim->v, b->v);
    ze_unpack(b->plan, b->z, b->x);
}

/* Nanoseconds a row. */
static double cost(bench *b, void (*stage)(bench *))
{
    int32_t rows = b->sim->zm->m;
    long times = 1 + ROWS_OF_BATCH / rows;
    double best = 1e9;
    for (int r = 0; r < ROUNDS; r++) {
        double begin = cpu_seconds();
        for (long i = 0; i < times; i++) stage(b);
        double time = (cpu_seconds() - begin) / (double)times;
        best = time < best ? time : best;
    }
    return 1e9 * best / (double)rows;
}

/* ----------------------------------------------------------------------- tables */

static void made_of(const char *name, const bench *b)
{
    ze_facts f;
    double rows = (double)b->sim->zm->m;
    ze_facts_of(b->plan, &f);
    printf(
        "| %s | %.0f | %s %d | %d%s | %d of %d | %d | %d | %d | %.3f | %.4f | %.3f | %d | %.2f | "
        "%.0f |\n",
        name, rows, f.rule, (int)f.size, (int)f.width, f.stores ? ", stored" : "", (int)f.parts,
        (int)f.shapes, (int)f.between, (int)f.levels, (int)f.rest, f.partition_seconds,
        f.program_seconds + b->native, f.table_seconds, (int)f.operations,
        1e6 * (f.program_seconds + b->native) / (double)f.operations, (double)f.bytes / rows);
    fflush(stdout);
}

/* A line of the second table, to be printed later. */
static void stages(const char *name, bench *b, char *line)
{
    ze_facts f;
    ze_facts_of(b->plan, &f);
    double a = cost(b, accelerate), l = cost(b, look), c = cost(b, correct), p = cost(b, pack);
    snprintf(line, LINE, "| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name,
             (int)b->sim->zm->m, a, 1e9 * f.cost / (double)b->sim->zm->m, l, c, p);
}

int main(int argc, char **argv)
{
    long largest = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    static char lines[SUBJECTS][LINE];
    printf(
        "| model | rows | cut | width | parts of shapes | rows between | levels | rest | "
        "partition, s | programs, s | tables, s | operations | us an operation | bytes a row |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < SUBJECTS; i++) {
        bench b;
        if (subjects[i].links > largest) continue;
        if (build(&b, subjects[i].text, subjects[i].setting)) {
            made_of(subjects[i].name, &b);
            stages(subjects[i].name, &b, lines[i]);
        }
        drop(&b);
    }
    printf("\n| model | rows | acceleration, ns a row | predicted | look | correction | pack and "
           "unpack |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < SUBJECTS; i++) printf("%s", lines[i]);
    return 0;
}
