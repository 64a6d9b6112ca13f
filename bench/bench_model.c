/*
 * bench_model.c: from text to a simulation that is ready, and what one evaluation costs.
 *
 *   bench_model [LARGEST]     chains of 1000, 10000, ... up to LARGEST links (1000000)
 *
 * Pendulums of 2, 5 and 10 links in Cartesian coordinates and in angles: medians of repeated
 * compilations. A chain of N links as in LANGUAGE.md: text to simulation, one evaluation of M, Q, A
 * and b in sparse form (zw_sim_instant with no array wanted), peak memory. An arm of six links:
 * operations of one evaluation.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zwang.h>

#include "measure.h"

enum { REPEATS = 41, TEXT = 8192 };

/* ------------------------------------------------------------------- building */

typedef struct built {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    double compile_seconds, create_seconds;
} built;

static void built_free(built *b)
{
    zw_sim_free(b->sim);
    zw_model_free(b->model);
    zw_context_free(b->context);
}

static void give_up(const built *b, const char *what, zw_status status)
{
    char messages[4096];
    size_t needed;
    fprintf(stderr, "%s: %s\n", what, zw_status_sentence(status));
    zw_context_format_diagnostics(b->context, ZW_TEXT, messages, sizeof messages, &needed);
    fprintf(stderr, "%s\n", messages);
    exit(1);
}

static built build(const char *text, const char *setting)
{
    built b = {0};
    zw_model_source source = {.file = "bench.zw",
                              .text = text,
                              .length = strlen(text),
                              .settings = &setting,
                              .setting_count = setting != NULL};
    zw_status status = zw_context_create(NULL, &b.context);
    if (status != ZW_OK) exit(1);
    double begin = wall_seconds();
    status = zw_model_compile(b.context, &source, &b.model);
    if (status != ZW_OK) give_up(&b, "compile", status);
    double middle = wall_seconds();
    status = zw_sim_create(b.model, &b.sim);
    if (status != ZW_OK) give_up(&b, "create", status);
    b.compile_seconds = middle - begin;
    b.create_seconds = wall_seconds() - middle;
    return b;
}

/* -------------------------------------------------------------------- pendulums */

static const char *const cartesian =
    "param N = 2, m = 1, l = 1, g = 9.81\n"
    "coord x[N], y[N]\n"
    "kinetic   sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
    "potential sum(i in 1..N, m*g*y[i])\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N {\n"
    "  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "  start x[i] = i*l\n"
    "}\n"
    "start x[1] = l\n";

static const char *const angles =
    "param N = 2, m = 1, l = 1, g = 9.81\n"
    "coord q[N]\n"
    "for i in 1..N {\n"
    "  let p = [sum(j in 1..i, l*sin(q[j])), -sum(j in 1..i, l*cos(q[j]))]\n"
    "  kinetic m/2*dot(p', p')\n"
    "  potential m*g*p[2]\n"
    "}\n";

static void time_pendulum(const char *name, const char *text, int links)
{
    char setting[32];
    double whole[REPEATS];
    zw_model_statistics s = {0};
    snprintf(setting, sizeof setting, "N = %d", links);
    for (int i = 0; i < REPEATS; i++) {
        built b = build(text, setting);
        whole[i] = b.compile_seconds + b.create_seconds;
        zw_model_statistics_of(b.model, &s);
        built_free(&b);
    }
    printf("%-10s %5d %12.3f %10lld %10lld %8d %10zu\n", name, links, 1e3 * median(whole, REPEATS),
           (long long)s.operations, (long long)s.row_operations, (int)s.families, s.bytes);
}

static void pendulums(void)
{
    static const int links[] = {2, 5, 10};
    printf("text to simulation, median of %d\n", REPEATS);
    printf("%-10s %5s %12s %10s %10s %8s %10s\n", "pendulum", "links", "ms", "ops M,Q", "ops A,b",
           "families", "bytes");
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        time_pendulum("Cartesian", cartesian, links[i]);
    }
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        time_pendulum("angles", angles, links[i]);
    }
}

/* ------------------------------------------------------------------------ arm */

/* A serial arm of six hinges with crossed axes, by its joint angles; point masses at the links'
 * ends and an inertia about each axis. */
static const char *const arm =
    "param l = [0.3, 0.5, 0.4, 0.3, 0.2, 0.1], m = [8, 6, 4, 2, 1, 0.5], J = 0.02, g = 9.81\n"
    "coord q[6]\n"
    "let Z(a) = [[cos(a), -sin(a), 0], [sin(a), cos(a), 0], [0, 0, 1]]\n"
    "let Y(a) = [[cos(a), 0, sin(a)], [0, 1, 0], [-sin(a), 0, cos(a)]]\n"
    "let R1 = Z(q[1])\nlet R2 = R1*Y(q[2])\nlet R3 = R2*Y(q[3])\n"
    "let R4 = R3*Z(q[4])\nlet R5 = R4*Y(q[5])\nlet R6 = R5*Z(q[6])\n"
    "let p1 = R1*[0, 0, l[1]]\nlet p2 = p1 + R2*[0, 0, l[2]]\nlet p3 = p2 + R3*[0, 0, l[3]]\n"
    "let p4 = p3 + R4*[l[4], 0, 0]\nlet p5 = p4 + R5*[0, 0, l[5]]\nlet p6 = p5 + R6*[l[6], 0, 0]\n"
    "let T(k, p) = k/2*dot(p', p')\n"
    "kinetic T(m[1], p1) + T(m[2], p2) + T(m[3], p3) + T(m[4], p4) + T(m[5], p5) + T(m[6], p6)\n"
    "kinetic J/2*dot(q', q')\n"
    "potential g*(m[1]*p1[3] + m[2]*p2[3] + m[3]*p3[3] + m[4]*p4[3] + m[5]*p5[3] + m[6]*p6[3])\n";

static void serial_arm(void)
{
    double whole[REPEATS], evaluate[REPEATS];
    zw_model_statistics s = {0};
    double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, v[6] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < REPEATS; i++) {
        built b = build(arm, NULL);
        whole[i] = b.compile_seconds + b.create_seconds;
        zw_model_statistics_of(b.model, &s);
        zw_sim_set_state(b.sim, 0, q, v);
        double begin = wall_seconds();
        zw_sim_instant(b.sim, &(zw_instant){0});
        evaluate[i] = wall_seconds() - begin;
        built_free(&b);
    }
    printf("\nserial arm of 6 links: %.3f ms to a simulation, %lld operations for M and Q, "
           "first evaluation %.1f us\n",
           1e3 * median(whole, REPEATS), (long long)s.operations, 1e6 * median(evaluate, REPEATS));
}

/* ---------------------------------------------------------------------- chains */

static const char *const chain =
    "param N = 1000, m = 1/N, l = 1/N, g = 9.81\n"
    "coord x[N], y[N]\n"
    "kinetic   sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
    "potential sum(i in 1..N, m*g*y[i])\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = l^2\n"
    "for i in 2..N {\n"
    "  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = l^2\n"
    "  start x[i] = i*l\n"
    "}\n"
    "start x[1] = l\n";

/* The best of a few evaluations at rest at the origin. */
static double one_evaluation(zw_sim *sim)
{
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        double begin = wall_seconds();
        zw_status status = zw_sim_instant(sim, &(zw_instant){0});
        if (status != ZW_OK) {
            fprintf(stderr, "evaluation: %s\n", zw_status_sentence(status));
            return -1;
        }
        double seconds = wall_seconds() - begin;
        best = seconds < best ? seconds : best;
    }
    return best;
}

static void chains(long largest)
{
    printf("\n%-10s %12s %12s %14s %12s %9s %12s\n", "chain", "compile s", "create s",
           "evaluate ms", "ns a link", "families", "peak MB");
    for (long N = 1000; N <= largest; N *= 10) {
        char setting[32];
        zw_model_statistics s = {0};
        snprintf(setting, sizeof setting, "N = %ld", N);
        built b = build(chain, setting);
        double seconds = one_evaluation(b.sim);
        zw_model_statistics_of(b.model, &s);
        printf("%-10ld %12.4f %12.4f %14.4f %12.2f %9d %12.1f\n", N, b.compile_seconds,
               b.create_seconds, 1e3 * seconds, 1e9 * seconds / (double)N, (int)s.families,
               peak_megabytes());
        fflush(stdout);
        built_free(&b);
    }
}

int main(int argc, char **argv)
{
    long largest = argc > 1 ? strtol(argv[1], NULL, 10) : 1000000;
    pendulums();
    serial_arm();
    chains(largest);
    return 0;
}
