/*
 * bench_parts.c: models made of repeated shapes, through zwang.h: the ordinary sparse solver, what
 * `auto` takes, and equal parts where auto takes something else, side by side in one process.
 *
 *   bench_parts [NAME ...]     models whose names begin so, or the tables "setup" and "threads";
 *                              everything (about a minute and a half)
 *   bench_parts list           the names
 *
 *     round 1      round 2      ...      of each round the CPU time of a batch of accelerations at
 *     s a l        s a l                 the start, bent and moving; medians over the rounds. Then
 *                                        the first steps of a run, in the same way.
 *
 * ns a row: of one acceleration, q and v in declared order; in a run: of an evaluation together
 * with its share of the step (stages, projection, error).
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zwang.h>

#include "measure.h"
#include "parts_models.h"

enum { ROUNDS = 11, LEAST_ROUNDS = 3, STEPS = 6, ROWS_OF_BATCH = 100000 };
static const double patience = 0.8; /* seconds, after which rounds end */

/* ---------------------------------------------------------------------- models */

typedef struct subject {
    const char *name, *text, *settings; /* "N = 1000, braces = 1" */
} subject;

static const subject subjects[] = {
    {"chain 50", chain_text, "N = 50"},
    {"chain 100", chain_text, "N = 100"},
    {"chain 200", chain_text, "N = 200"},
    {"chain 500", chain_text, "N = 500"},
    {"chain 1000", chain_text, "N = 1000"},
    {"chain 10000", chain_text, "N = 10000"},
    {"chain 100000", chain_text, "N = 100000"},
    {"masses 10000", masses_text, "N = 10000"},
    {"loop 1000", loop_text, "N = 1000"},
    {"loop 10000", loop_text, "N = 10000"},
    {"ladder 1000", ladder_text, "N = 1000"},
    {"ladder 10000", ladder_text, "N = 10000"},
    {"truss 1000", ladder_text, "N = 1000, braces = 1"},
    {"X-ladder 1000", ladder_text, "N = 1000, braces = 2"},
    {"X-ladder in pieces 10000", pieces_text, "N = 10000"},
    {"tree 1023", tree_text, "N = 1023"},
    {"tree 65535", tree_text, "N = 65535"},
    {"comb 1000", comb_text, "N = 1000"},
    {"mechanisms 8", mechanisms_text, "N = 8"},
    {"mechanisms 100", mechanisms_text, "N = 100"},
    {"mechanisms 1000", mechanisms_text, "N = 1000"},
    {"planar 1000", planar_text, "N = 1000"},
    {"spatial 1000", spatial_text, "N = 1000"},
    {"scrambled chain 8192", scrambled_chain_text, "N = 8192"},
    {"scrambled ladder 2048", scrambled_ladder_text, "N = 2048"},
    {"odd 0 %", odd_text, "odd = 0"},
    {"odd 1 %", odd_text, "odd = 1"},
    {"odd 5 %", odd_text, "odd = 5"},
    {"odd 10 %", odd_text, "odd = 10"},
    {"lattice 10", lattice_text, "N = 10"},
    {"lattice 30", lattice_text, "N = 30"},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static void give_up(zw_context *context, const char *name, const char *what, zw_status status)
{
    char messages[2048] = "";
    size_t needed;
    fprintf(stderr, "%s: %s: %s\n", name, what, zw_status_sentence(status));
    zw_context_format_diagnostics(context, ZW_TEXT, messages, sizeof messages, &needed);
    fprintf(stderr, "%s\n", messages);
    exit(1);
}

/* What is timed. */
typedef enum work { ACCELERATION, RUN, WORKS } work;

/* A model, and the simulations of it that are compared. */
enum { MOST_SIDES = 3 };
typedef struct side {
    zw_sim *sim;
    double create; /* CPU seconds */
    size_t held;   /* bytes, of the simulation alone */
    double times[ROUNDS], seconds[WORKS];
    double *z; /* [n] */
    zw_run_statistics of_run;
} side;

typedef struct built {
    const char *name;
    zw_context *context;
    zw_model *model;
    int32_t n, m;
    double *q, *v; /* [n] the start */
    double compile;
    side sides[MOST_SIDES];
    int count;
} built;

static void compile(built *b, const subject *s)
{
    const char *settings[] = {s->settings};
    zw_model_source source = {.file = "bench.zw",
                              .text = s->text,
                              .length = strlen(s->text),
                              .settings = settings,
                              .setting_count = 1};
    *b = (built){.name = s->name};
    if (zw_context_create(NULL, &b->context) != ZW_OK) exit(1);
    double begin = cpu_seconds();
    zw_status status = zw_model_compile(b->context, &source, &b->model);
    if (status != ZW_OK) give_up(b->context, b->name, "compile", status);
    b->compile = cpu_seconds() - begin;
    b->n = zw_model_coordinate_count(b->model);
    b->m = zw_model_row_count(b->model);
    b->q = calloc(2 * (size_t)b->n, sizeof *b->q);
    if (!b->q) exit(1);
    b->v = b->q + b->n;
}

/* The first side finds the start, the others take it over. */
static side *add(built *b, zw_solver solver, int32_t threads)
{
    side *s = &b->sides[b->count++];
    zw_context_set_solver(b->context, solver);
    zw_context_set_threads(b->context, threads);
    double begin = cpu_seconds();
    size_t before = zw_context_held(b->context);
    zw_status status = zw_sim_create(b->model, &s->sim);
    s->create = cpu_seconds() - begin;
    s->held = zw_context_held(b->context) - before;
    if (status != ZW_OK) give_up(b->context, b->name, "create", status);
    zw_sim_set_kernel(s->sim, ZW_KERNEL_NATIVE);
    if (b->count == 1) {
        status = zw_sim_start(s->sim, false);
        if (status != ZW_OK) give_up(b->context, b->name, "start", status);
        zw_sim_state(s->sim, NULL, b->q, b->v);
    }
    s->z = calloc((size_t)b->n, sizeof *s->z);
    if (!s->z) exit(1);
    return s;
}

static void built_free(built *b)
{
    for (int i = 0; i < b->count; i++) {
        zw_sim_free(b->sides[i].sim);
        free(b->sides[i].z);
    }
    free(b->q);
    zw_model_free(b->model);
    zw_context_free(b->context);
}

/* ------------------------------------------------------------------- measuring */

/* Seconds of an acceleration; one before the others brings back what the other sides have driven
 * out of the caches. */
static double acceleration(const built *b, side *s, double (*clock)(void))
{
    long times = 1 + ROWS_OF_BATCH / (b->m + 1);
    double begin = 0;
    for (long i = -1; i < times; i++) {
        if (i == 0) begin = clock();
        zw_status status = zw_sim_acceleration(s->sim, 0, b->q, b->v, s->z);
        if (status != ZW_OK) give_up(b->context, b->name, "acceleration", status);
    }
    return (clock() - begin) / (double)times;
}

static bool few_steps(void *user, const zw_progress *progress)
{
    (void)user;
    return progress->steps + progress->rejected < STEPS;
}

/* Seconds of an evaluation in the first steps of a run. */
static double run(const built *b, side *s, double (*clock)(void))
{
    zw_run_settings settings;
    zw_outcome outcome;
    zw_run_defaults(b->model, &settings);
    settings.until = 10;
    settings.tol = settings.abs_tol = 1e-6;
    settings.kernel = ZW_KERNEL_NATIVE;
    settings.poll = few_steps;
    zw_sim_set_state(s->sim, 0, b->q, b->v);
    zw_status status = zw_sim_begin(s->sim, &settings);
    if (status != ZW_OK) give_up(b->context, b->name, "begin", status);
    double begin = clock();
    status = zw_sim_advance(s->sim, settings.until, &outcome);
    double end = clock();
    if (status != ZW_OK) give_up(b->context, b->name, "advance", status);
    zw_sim_statistics(s->sim, &s->of_run);
    return (end - begin) / (double)s->of_run.evaluations;
}

/* All sides in turn, again and again: medians. */
static void measure(built *b, work what, double (*clock)(void))
{
    double begin = wall_seconds();
    int done = 0;
    while (done < ROUNDS && (done < LEAST_ROUNDS || wall_seconds() - begin < patience)) {
        for (int i = 0; i < b->count; i++) {
            side *s = &b->sides[i];
            s->times[done] = what == RUN ? run(b, s, clock) : acceleration(b, s, clock);
        }
        done++;
    }
    for (int i = 0; i < b->count; i++) b->sides[i].seconds[what] = median(b->sides[i].times, done);
}

/* The largest |difference| over the largest |entry|. */
static double apart(const built *b, const side *x, const side *y)
{
    double most = 0, size = 0;
    for (int32_t i = 0; i < b->n; i++) {
        most = fmax(most, fabs(x->z[i] - y->z[i]));
        size = fmax(size, fabs(x->z[i]));
    }
    return most / size;
}

/* ---------------------------------------------------------------------- tables */

static void comparison_head(void)
{
    printf("| model | rows | sparse, ns a row | auto | times faster | in a run: sparse | auto | "
           "times faster | apart | auto takes |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

/* "levels, 40 parts of 3 shapes, 8 wide", or the other solver. */
static void print_choice(const side *s)
{
    const zw_run_statistics *t = &s->of_run;
    const zw_parts_statistics *p = &t->parts;
    if (!p->rule) {
        bool fused = t->road_count > 0 && t->roads[0].count > 0;
        printf("%s", fused ? t->roads[0].name : zw_solver_name(t->solver));
        return;
    }
    printf("%s, %d parts of %d shapes, %d wide", p->rule, (int)p->count, (int)p->shapes,
           (int)p->width);
    if (p->evaluations < t->evaluations)
        printf(", %d of %d evaluations", (int)p->evaluations, (int)t->evaluations);
}

static void comparison_line(const built *b, const side *x, const side *y, const char *name)
{
    double row = 1e9 / (double)b->m;
    const double *first = x->seconds, *second = y->seconds;
    printf("| %s | %d | %.1f | %.1f | %.2f | %.1f | %.1f | %.2f | %.0e | ", name, (int)b->m,
           row * first[ACCELERATION], row * second[ACCELERATION],
           first[ACCELERATION] / second[ACCELERATION], row * first[RUN], row * second[RUN],
           first[RUN] / second[RUN], apart(b, x, y));
    print_choice(y);
    printf(" |\n");
    fflush(stdout);
}

static void compare(const subject *s)
{
    built b;
    char name[64];
    compile(&b, s);
    add(&b, ZW_SOLVER_SPARSE, 1);
    add(&b, ZW_SOLVER_AUTO, 1);
    run(&b, &b.sides[1], cpu_seconds);
    bool third = !b.sides[1].of_run.parts.rule; /* what parts would have done */
    if (third) {
        add(&b, ZW_SOLVER_PARTS, 1);
        run(&b, &b.sides[2], cpu_seconds);
        if (!b.sides[2].of_run.parts.rule) third = false;
    }
    measure(&b, ACCELERATION, cpu_seconds);
    measure(&b, RUN, cpu_seconds);
    comparison_line(&b, &b.sides[0], &b.sides[1], s->name);
    snprintf(name, sizeof name, "%s, by parts", s->name);
    if (third) comparison_line(&b, &b.sides[0], &b.sides[2], name);
    built_free(&b);
}

/* From text to a simulation, and what it holds, for chains of 1e3 to 1e6 links. */
static void setup(void)
{
    printf("\n| links | compile, s | create: sparse, s | auto | bytes a link: model | sparse | "
           "auto | acceleration: sparse, ns a link | auto |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (long N = 1000; N <= 1000000; N *= 10) {
        built b;
        char settings[32];
        snprintf(settings, sizeof settings, "N = %ld", N);
        compile(&b, &(subject){"setup", chain_text, settings});
        double links = (double)N, model = (double)zw_context_held(b.context);
        const side *x = add(&b, ZW_SOLVER_SPARSE, 1), *y = add(&b, ZW_SOLVER_AUTO, 1);
        measure(&b, ACCELERATION, cpu_seconds);
        printf("| %ld | %.3f | %.4f | %.4f | %.0f | %.0f | %.0f | %.1f | %.1f |\n", N, b.compile,
               x->create, y->create, model / links, (double)x->held / links,
               (double)y->held / links, 1e9 * x->seconds[ACCELERATION] / links,
               1e9 * y->seconds[ACCELERATION] / links);
        fflush(stdout);
        built_free(&b);
    }
}

/* One thread against two, by the clock. */
static void threads(void)
{
    static const subject those[] = {
        {"chain 10000", chain_text, "N = 10000"},
        {"chain 100000", chain_text, "N = 100000"},
        {"ladder 20000", ladder_text, "N = 20000"},
        {"tree 65535", tree_text, "N = 65535"},
        {"mechanisms 10000", mechanisms_text, "N = 10000"},
    };
    printf("\n| by the clock | rows | 1 thread, ns a row | 2 threads | times faster | in a run: 1 "
           "thread | 2 threads | times faster | same bits |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (size_t i = 0; i < sizeof those / sizeof *those; i++) {
        built b;
        compile(&b, &those[i]);
        const side *x = add(&b, ZW_SOLVER_AUTO, 1), *y = add(&b, ZW_SOLVER_AUTO, 2);
        measure(&b, ACCELERATION, wall_seconds);
        measure(&b, RUN, wall_seconds);
        double row = 1e9 / (double)b.m;
        const double *one = x->seconds, *two = y->seconds;
        printf("| %s | %d | %.1f | %.1f | %.2f | %.1f | %.1f | %.2f | %s |\n", b.name, (int)b.m,
               row * one[ACCELERATION], row * two[ACCELERATION],
               one[ACCELERATION] / two[ACCELERATION], row * one[RUN], row * two[RUN],
               one[RUN] / two[RUN],
               memcmp(x->z, y->z, (size_t)b.n * sizeof *x->z) == 0 ? "yes" : "no");
        fflush(stdout);
        built_free(&b);
    }
}

/* ------------------------------------------------------------------------ main */

static bool asked(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strncmp(name, argv[i], strlen(argv[i])) == 0) return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    bool head = false;
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (int i = 0; i < SUBJECTS; i++) printf("%s\n", subjects[i].name);
        printf("setup\nthreads\n");
        return 0;
    }
    for (int i = 0; i < SUBJECTS; i++) {
        if (!asked(subjects[i].name, argc, argv)) continue;
        if (!head) comparison_head();
        head = true;
        compare(&subjects[i]);
    }
    if (asked("setup", argc, argv)) setup();
    if (asked("threads", argc, argv)) threads();
    return 0;
}
