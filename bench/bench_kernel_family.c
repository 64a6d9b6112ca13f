/*
 * A family of many equal instances: the rods of a chain, (x2 - x1)^2 + (y2 - y1)^2 = l^2, from q
 * and v to the four entries of A and the entry of b of each. Instances a second on one core, by the
 * scalar byte code, by byte code in lanes and by machine code in lanes: the programs alone, and
 * zr_evaluate_rows, which adds their outputs to A and b. The same with numbers through an irregular
 * table, where every lane has an index of its own. The best of many rounds: others on the machine
 * slow what waits for memory.
 *
 *   bench_kernel_family [LINKS]     100000
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "sim.h"

enum { repeats = 101 };

static const char *const chain =
    "param N = 1000, m = 1/N, l = 1/N, g = 9.81\n"
    "coord x[N], y[N]\n"
    "kinetic   sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
    "potential sum(i in 1..N, m*g*y[i])\n"
    "for i in 2..N {\n"
    "  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "}\n";

/* The neighbour of a mass anywhere in the chain: no runs. */
static const char *const tangle = "param N = 1000, m = 1/N, l = 1/N, g = 9.81\n"
                                  "coord x[N], y[N]\n"
                                  "kinetic   sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
                                  "potential sum(i in 1..N, m*g*y[i])\n"
                                  "for i in 2..N {\n"
                                  "  let k = i*0.6180339887\n"
                                  "  let j = 1 + floor((i - 1)*(k - floor(k)))\n"
                                  "  constraint rod[i]: (x[i] - x[j])^2 + (y[i] - y[j])^2 = l^2\n"
                                  "}\n";

typedef struct bench {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    zr_pass *pass;
    zk_lane_table *lanes;
    zk_source source;
} bench;

static void build(bench *b, const char *text, long links)
{
    char setting[32];
    snprintf(setting, sizeof setting, "N = %ld", links + 1);
    const char *settings[] = {setting};
    zw_model_source source = {.file = "bench.zw",
                              .text = text,
                              .length = strlen(text),
                              .settings = settings,
                              .setting_count = 1};
    if (zw_context_create(NULL, &b->context)) exit(1);
    if (zw_model_compile(b->context, &source, &b->model) || zw_sim_create(b->model, &b->sim)) {
        char messages[2000];
        size_t needed;
        zw_context_format_diagnostics(b->context, ZW_TEXT, messages, sizeof messages, &needed);
        fprintf(stderr, "%s\n", messages);
        exit(1);
    }
    zr_passes *rows = &b->model->rows;
    b->pass = &rows->list[0];
    for (int32_t i = 1; i < rows->count; i++)
        if (b->model->zm->families[rows->list[i].family].count >
            b->model->zm->families[b->pass->family].count)
            b->pass = &rows->list[i];
    b->lanes = b->pass->lanes;
    for (int32_t i = 0; i < b->sim->zm->n; i++) {
        b->sim->q[i] = 0.01 * (double)(i % 977);
        b->sim->v[i] = 0.003 * (double)(i % 331) - 0.5;
    }
    b->source = zr_source(b->sim, 0.0, b->sim->q, b->sim->v);
}

static void drop(bench *b)
{
    zw_sim_free(b->sim);
    zw_model_free(b->model);
    zw_context_free(b->context);
}

/* The programs alone. */
static void evaluate_scalar(bench *b)
{
    const zm_family *f = &b->sim->zm->families[b->pass->family];
    int32_t piece = b->model->out_count / (b->pass->matrix + b->pass->vector);
    zk_table table = {
        .stride = f->stride, .value_at = f->coordinates, .measure_at = f->coordinates + f->values};
    for (int32_t i = 0; i < f->count; i += piece) {
        table.table = f->table + (size_t)i * (size_t)f->stride;
        table.count = f->count - i < piece ? f->count - i : piece;
        zk_evaluate_table(b->pass->code, &b->source, &table, b->sim->workspace, b->sim->out);
    }
}

static void evaluate_lanes(bench *b)
{
    zk_block block;
    for (int32_t k = 0; k < zk_block_count(b->lanes); k++)
        zk_evaluate_block(b->lanes, &b->source, k, b->sim->workspace, b->sim->out, &block);
}

/* With the scatter. */
static void assemble(bench *b)
{
    zr_evaluate_rows(b->sim, &b->source);
}

static double rate(bench *b, void (*run)(bench *))
{
    double best = 1e9;
    for (int k = 0; k < repeats; k++) {
        double start = cpu_seconds();
        run(b);
        double time = cpu_seconds() - start;
        best = time < best ? time : best;
    }
    return (double)b->sim->zm->families[b->pass->family].count / best;
}

static uint64_t hash_rows(const bench *b)
{
    return zb_hash_bytes(b->sim->A, sizeof(double) * (size_t)b->model->A.count) ^
           zb_hash_bytes(b->sim->b, sizeof(double) * (size_t)b->sim->zm->m);
}

static void line(const char *name, double alone, double all, uint64_t hash)
{
    printf("  %-22s %10.1f %10.1f   %016llx\n", name, 1e-6 * alone, 1e-6 * all,
           (unsigned long long)hash);
}

static void measure(const char *name, const char *text, long links)
{
    bench b = {0};
    build(&b, text, links);
    zk_statistics facts;
    zk_statistics_of(b.pass->code, &facts);
    printf("%s of %ld links, %lld operations: million instances a second\n", name, links,
           (long long)facts.operations);
    printf("  %-22s %10s %10s   %s\n", "", "programs", "A and b", "bits");
    b.source.evaluator = ZK_BYTE_CODE;
    b.pass->lanes = NULL;
    double alone = rate(&b, evaluate_scalar), all = rate(&b, assemble);
    line("byte code, scalar", alone, all, hash_rows(&b));
    b.pass->lanes = b.lanes;
    alone = rate(&b, evaluate_lanes), all = rate(&b, assemble);
    line("byte code, lanes", alone, all, hash_rows(&b));
    zk_native *native;
    zk_native_report report;
    zk_make_native(&b.context->memory, &b.pass->code, 1, zk_best_width(), &native, &report);
    b.source.evaluator = ZK_FASTEST;
    if (native) {
        alone = rate(&b, evaluate_lanes), all = rate(&b, assemble);
        line("machine code, lanes", alone, all, hash_rows(&b));
    } else {
        printf("  machine code: %s\n", zk_native_sentence(report.state));
    }
    zk_native_free(native);
    drop(&b);
}

int main(int argc, char **argv)
{
    long links = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    measure("chain", chain, links);
    measure("tangle", tangle, links);
    return 0;
}
