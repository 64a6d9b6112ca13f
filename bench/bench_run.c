/*
 * bench_run.c: what a run costs.
 *
 *   bench_run [COMMAND [MODELS]]     build/zwang and tests/models, from the root of the project
 *
 * Whole processes: `zwang run` from the text of a model to a finished CSV file of 501 rows, by the
 * wall clock; the same into /dev/null, without what the file system takes; and up to the first row
 * only, which is everything but the motion: loading, compiling, the start. `zwang --version` is the
 * loading alone. Pendulums of 2, 5 and 10 links in Cartesian coordinates and in angles from the
 * same start, t = 0 to 10, tol 1e-10. Inside a process: steps, evaluations and the time of one
 * evaluation with its share of everything else that a step needs, without rows; and what it costs
 * to project every step onto the constraints; CPU time. Medians of repeated runs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zwang.h>

#include "measure.h"

enum { REPEATS = 11, PROCESSES = 41, TEXT = 16384, PATH = 512 };

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "bench_run: %s: %s\n", what, why);
    exit(1);
}

/* ------------------------------------------------------------- whole processes */

/* Angles from the vertical between 1 and 1.5 at the start, at rest. */
static const char *const cartesian =
    "param N = 2, m = 1, l = 1, g = 9.81\n"
    "coord x[N], y[N]\n"
    "kinetic   sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
    "potential sum(i in 1..N, m*g*y[i])\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2 }\n"
    "for i in 1..N {\n"
    "  start x[i] = sum(j in 1..i, l*sin(1 + (j - 1)/(N - 1)/2))\n"
    "  start y[i] = -sum(j in 1..i, l*cos(1 + (j - 1)/(N - 1)/2))\n"
    "}\n"
    "simulate t = 0..10, tol = 1e-10\n";

static const char *const angles =
    "param N = 2, m = 1, l = 1, g = 9.81\n"
    "coord q[N]\n"
    "for i in 1..N {\n"
    "  let p = [sum(j in 1..i, l*sin(q[j])), -sum(j in 1..i, l*cos(q[j]))]\n"
    "  kinetic m/2*dot(p', p')\n"
    "  potential m*g*p[2]\n"
    "  start q[i] = 1 + (i - 1)/(N - 1)/2\n"
    "}\n"
    "simulate t = 0..10, tol = 1e-10\n";

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) give_up(path, "cannot be written");
}

/* Seconds from before the fork until the process is gone; arguments[0] is the command. What it
 * prints is dropped. */
static double run_process(const char *const *arguments)
{
    double begin = wall_seconds();
    pid_t child = fork();
    if (child < 0) give_up("fork", "failed");
    if (child == 0) {
        char *words[16] = {0};
        for (int k = 0; k < 15 && arguments[k]; k++) words[k] = strdup(arguments[k]);
        if (words[0] && dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO) >= 0)
            execv(words[0], words);
        _exit(127);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) give_up(arguments[0], "failed");
    return wall_seconds() - begin;
}

/* A file of rows, /dev/null, the first row alone. */
static void time_links(const char *command, const char *model, const char *rows, const char *name,
                       int links)
{
    char setting[32];
    double kept[PROCESSES], dropped[PROCESSES], first[PROCESSES];
    snprintf(setting, sizeof setting, "N=%d", links);
    const char *keep[] = {command, "run", model, "--set", setting, "--quiet", "-o", rows, NULL};
    const char *drop[] = {command,   "run", model,       "--set", setting,
                          "--quiet", "-o",  "/dev/null", NULL};
    const char *one[] = {command,     "run",     model,  "--set", setting, "--quiet", "-o",
                         "/dev/null", "--until", "1e-3", "--at",  "0",     NULL};
    for (int k = 0; k < PROCESSES; k++) {
        kept[k] = run_process(keep);
        dropped[k] = run_process(drop);
        first[k] = run_process(one);
    }
    printf("%-10s %5d %10.2f %14.2f %14.2f\n", name, links, 1e3 * median(kept, PROCESSES),
           1e3 * median(dropped, PROCESSES), 1e3 * median(first, PROCESSES));
    fflush(stdout);
}

static void time_processes(const char *command, const char *folder, const char *name,
                           const char *text)
{
    static const int links[] = {2, 5, 10};
    char model[PATH], rows[PATH];
    snprintf(model, sizeof model, "%s/pendulum.zw", folder);
    snprintf(rows, sizeof rows, "%s/pendulum.csv", folder);
    write_file(model, text);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        time_links(command, model, rows, name, links[i]);
    remove(model);
    remove(rows);
}

static double time_loading(const char *command)
{
    const char *version[] = {command, "--version", NULL};
    double seconds[PROCESSES];
    for (int k = 0; k < PROCESSES; k++) seconds[k] = run_process(version);
    return median(seconds, PROCESSES);
}

static void processes(const char *command)
{
    char folder[] = "/tmp/zwang-bench-XXXXXX";
    if (!mkdtemp(folder)) give_up(folder, "cannot be made");
    printf("zwang run, text to CSV, median of %d processes; zwang --version: %.2f ms\n", PROCESSES,
           1e3 * time_loading(command));
    printf("%-10s %5s %10s %14s %14s\n", "pendulum", "links", "ms", "ms, /dev/null",
           "ms, first row");
    time_processes(command, folder, "Cartesian", cartesian);
    time_processes(command, folder, "angles", angles);
    rmdir(folder);
}

/* ------------------------------------------------------------ inside a process */

static void read_file(const char *path, char *text)
{
    FILE *file = fopen(path, "r");
    if (!file) give_up(path, "cannot be read");
    size_t length = fread(text, 1, TEXT - 1, file);
    if (length == TEXT - 1 || ferror(file)) give_up(path, "cannot be read");
    text[length] = '\0';
    fclose(file);
}

static void must(zw_status status, const char *what)
{
    if (status != ZW_OK) give_up(what, zw_status_sentence(status));
}

/* From the model's start to its end; statistics of the median in seconds. */
static zw_status time_run(zw_model *model, zw_stabilize stabilize, zw_run_statistics *statistics)
{
    double seconds[REPEATS];
    zw_run_settings settings;
    zw_outcome outcome;
    zw_sim *sim;
    zw_status status = ZW_OK;
    must(zw_run_defaults(model, &settings), "settings");
    must(zw_sim_create(model, &sim), "create");
    settings.stabilize = stabilize;
    for (int k = 0; k < REPEATS && status == ZW_OK; k++) {
        must(zw_sim_start(sim, false), "start");
        must(zw_sim_begin(sim, &settings), "begin");
        double begin = cpu_seconds();
        status = zw_sim_advance(sim, settings.until, &outcome);
        seconds[k] = cpu_seconds() - begin;
        must(zw_sim_statistics(sim, statistics), "statistics");
    }
    if (status == ZW_OK) statistics->seconds = median(seconds, REPEATS);
    zw_sim_free(sim);
    return status;
}

static void time_model(const char *folder, const char *name)
{
    char path[PATH], text[TEXT];
    zw_context *context;
    zw_model *model;
    zw_run_statistics projected, free;
    snprintf(path, sizeof path, "%s/%s.zw", folder, name);
    read_file(path, text);
    must(zw_context_create(NULL, &context), "context");
    zw_model_source source = {.file = path, .text = text, .length = strlen(text)};
    must(zw_model_compile(context, &source, &model), path);
    must(time_run(model, ZW_PROJECT, &projected), path);
    printf("%-16s %6.3g %7lld %8lld %12.0f %9.2f", name, projected.t, (long long)projected.steps,
           (long long)projected.evaluations,
           1e9 * projected.seconds / (double)projected.evaluations, 1e3 * projected.seconds);
    if (time_run(model, ZW_STABILIZE_NONE, &free) == ZW_OK)
        printf(" %9.2f %8.2f\n", 1e3 * free.seconds, projected.seconds / free.seconds);
    else
        printf(" %9s\n", "fails");
    zw_model_free(model);
    zw_context_free(context);
}

static void models(const char *folder)
{
    static const char *const names[] = {"pendulum", "double_pendulum", "fourbar",
                                        "bricard",  "chain",           "hoop"};
    printf("\nthe motion alone, CPU time, median of %d runs\n", REPEATS);
    printf("%-16s %6s %7s %8s %12s %9s %9s %8s\n", "model", "until", "steps", "evals", "ns an eval",
           "ms", "ms, none", "ratio");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) time_model(folder, names[i]);
}

int main(int argc, char **argv)
{
    processes(argc > 1 ? argv[1] : "build/zwang");
    models(argc > 2 ? argv[2] : "tests/models");
    return 0;
}
