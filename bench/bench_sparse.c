/*
 * bench_sparse.c: large models through zwang.h, from text to accelerations and checks.
 *
 *   bench_sparse [LARGEST [SIDE]]     chains up to LARGEST links (1000000), lattices up to
 *                                     SIDE x SIDE points (300)
 *
 * Chains of N links: text to a simulation that is ready, one acceleration, memory. Triangulated
 * lattices, a third of whose rods are redundant: one acceleration, one with velocities that
 * contradict each other, a check. Each line is a process of its own, so that its peak of memory is
 * its own; times are CPU time, medians where a thing is done more than once.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zwang.h>

#include "measure.h"

enum { REPEATS = 9 };

/* ---------------------------------------------------------------------- models */

static const char chain[] = "param N = 1000, m = 1/N, l = 1/N, g = 9.81\n"
                            "coord x[N], y[N]\n"
                            "kinetic   sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
                            "potential sum(i in 1..N, m*g*y[i])\n"
                            "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
                            "for i in 2..N {\n"
                            "  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
                            "  start x[i] = i*l\n"
                            "}\n"
                            "start x[1] = l\n";

static const char lattice[] =
    "param N = 8, n = N*N\n"
    "coord x[n], y[n]\n"
    "kinetic sum(i in 1..n, (x[i]'^2 + y[i]'^2)/2)\n"
    "potential sum(i in 1..n, 9.81*y[i])\n"
    "for i in 1..N { for j in 1..N {\n"
    "  let k = (i - 1)*N + j\n"
    "  start x[k] = j\n"
    "  start y[k] = i\n"
    "  if j < N { constraint right[i, j]: (x[k+1] - x[k])^2 + (y[k+1] - y[k])^2 = 1 }\n"
    "  if i < N { constraint up[i, j]: (x[k+N] - x[k])^2 + (y[k+N] - y[k])^2 = 1 }\n"
    "  if i < N and j < N {\n"
    "    constraint slant[i, j]: (x[k+N+1] - x[k])^2 + (y[k+N+1] - y[k])^2 = 2\n"
    "  }\n"
    "} }\n"
    "constraint pin: [x[1], y[1]] = [1, 1]\n";

typedef struct built {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    int32_t n, m;
    double *q, *v, *z; /* [n]; q and v are the start */
    double compile, create, start;
} built;

static void give_up(const built *b, const char *what, zw_status status)
{
    char messages[2048];
    size_t needed;
    fprintf(stderr, "%s: %s\n", what, zw_status_sentence(status));
    zw_context_format_diagnostics(b->context, ZW_TEXT, messages, sizeof messages, &needed);
    fprintf(stderr, "%s\n", messages);
    exit(1);
}

static built build(const char *text, long N)
{
    built b = {0};
    char number[32];
    const char *setting = number;
    snprintf(number, sizeof number, "N = %ld", N);
    zw_model_source source = {.file = "bench.zw",
                              .text = text,
                              .length = strlen(text),
                              .settings = &setting,
                              .setting_count = 1};
    if (zw_context_create(NULL, &b.context) != ZW_OK) exit(1);
    double begin = cpu_seconds();
    zw_status status = zw_model_compile(b.context, &source, &b.model);
    if (status != ZW_OK) give_up(&b, "compile", status);
    b.compile = cpu_seconds() - begin;
    status = zw_sim_create(b.model, &b.sim);
    if (status == ZW_OK) status = zw_sim_set_kernel(b.sim, ZW_KERNEL_NATIVE);
    if (status != ZW_OK) give_up(&b, "create", status);
    b.create = cpu_seconds() - begin - b.compile;
    status = zw_sim_start(b.sim, false);
    if (status != ZW_OK) give_up(&b, "start", status);
    b.start = cpu_seconds() - begin - b.compile - b.create;
    b.n = zw_model_coordinate_count(b.model);
    b.m = zw_model_row_count(b.model);
    b.q = calloc(3 * (size_t)b.n, sizeof *b.q);
    if (!b.q) exit(1);
    b.v = b.q + b.n;
    b.z = b.v + b.n;
    zw_sim_state(b.sim, NULL, b.q, b.v);
    return b;
}

static void built_free(built *b)
{
    free(b->q);
    zw_sim_free(b->sim);
    zw_model_free(b->model);
    zw_context_free(b->context);
}

/* Median seconds of an acceleration. */
static double acceleration(built *b)
{
    double times[REPEATS];
    long count = 1 + 20000 / (b->n + 1);
    for (int r = 0; r < REPEATS; r++) {
        double begin = cpu_seconds();
        for (long i = 0; i < count; i++) {
            zw_status status = zw_sim_acceleration(b->sim, 0, b->q, b->v, b->z);
            if (status != ZW_OK) give_up(b, "acceleration", status);
        }
        times[r] = (cpu_seconds() - begin) / (double)count;
    }
    return median(times, REPEATS);
}

/* ------------------------------------------------------------------------ lines */

/* Runs the line in a process of its own. */
static void alone(void (*line)(long), long N)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        line(N);
        fflush(stdout);
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) < 0) exit(1);
}

/* Bent and moving, so that nothing is zero by chance. */
static void stir(built *b, double size)
{
    uint64_t random = 42;
    for (int32_t i = 0; i < b->n; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        b->v[i] = size * ((double)(random >> 40) / 16777216.0 - 0.5);
    }
}

static void chain_line(long N)
{
    built b = build(chain, N);
    stir(&b, 0.1 / (double)N);
    double seconds = acceleration(&b);
    printf("| %ld | %.3f | %.3f | %.3f | %.3f | %.1f | %.0f |\n", N, b.compile, b.create, b.start,
           1e3 * seconds, 1e9 * seconds / (double)N, peak_megabytes());
    built_free(&b);
}

static bool swallow(void *user, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
    return true;
}

static void lattice_line(long N)
{
    size_t bytes = 0;
    built b = build(lattice, N);
    double agreeing = acceleration(&b);
    stir(&b, 1.0);
    double contradictory = acceleration(&b), begin = cpu_seconds();
    zw_status status = zw_sim_check(b.sim, false, ZW_REPORT_JSON, swallow, &bytes);
    if (status != ZW_OK) give_up(&b, "check", status);
    printf("| %ld x %ld | %d | %d | %.2f | %.2f | %.1f | %.1f | %.2f | %.0f |\n", N, N, b.n, b.m,
           b.compile + b.create, b.start, 1e3 * agreeing, 1e3 * contradictory,
           cpu_seconds() - begin, peak_megabytes());
    built_free(&b);
}

int main(int argc, char **argv)
{
    long largest = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    long side = argc > 2 ? strtol(argv[2], NULL, 10) : 300;
    printf("| links | compile, s | create, s | start, s | acceleration, ms | ns a link | peak MB "
           "|\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for (long N = 1000; N <= largest; N *= 10) alone(chain_line, N);
    printf("\n| lattice | coordinates | rows | text to ready, s | start, s | acceleration, ms | "
           "contradictory, ms | check, s | peak MB |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    static const long sides[] = {10, 30, 100, 300};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (sides[i] <= side) alone(lattice_line, sides[i]);
    return 0;
}
