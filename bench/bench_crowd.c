/*
 * bench_crowd.c: what a step costs, alone and side by side.
 *
 *   bench_crowd [MEMBERS]
 *
 * Double pendulums in Cartesian coordinates (8 components), 10 s from rest with angles up to 2 rad,
 * tol 1e-8: rates and projection are closed formulas written by hand, so that what is left is the
 * stepper. Nanoseconds of CPU time for an accepted step of one member: of zi_step, of crowds of 4
 * and of 8, and of the rates (and projection) alone, as often as the steps call them. Medians.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "motion.h"

enum { REPEATS = 7, SIZE = 8 };
static const double gravity = 9.81, end_time = 10.0;

/* The formulas, for doubles and for vectors of them. Rods d1 = (x1, y1), d2 = (x2 - x1, y2 - y1);
 * masses and lengths 1. */
#define PENDULUM(T)                                                                                \
    T dx1 = y[0], dy1 = y[1], dx2 = y[2] - y[0], dy2 = y[3] - y[1];                                \
    T vx1 = y[4], vy1 = y[5], wx = y[6] - y[4], wy = y[7] - y[5];                                  \
    T s11 = dx1 * dx1 + dy1 * dy1, s22 = (dx2 * dx2 + dy2 * dy2) * 2.0;                            \
    T s12 = -(dx1 * dx2 + dy1 * dy2), over = 1.0 / (s11 * s22 - s12 * s12);

#define RATES(T)                                                                                   \
    {                                                                                              \
        PENDULUM(T)                                                                                \
        T r1 = vx1 * vx1 + vy1 * vy1 - dy1 * gravity, r2 = wx * wx + wy * wy;                      \
        T l1 = (s22 * r1 - s12 * r2) * over, l2 = (s11 * r2 - s12 * r1) * over;                    \
        f[0] = y[4], f[1] = y[5], f[2] = y[6], f[3] = y[7];                                        \
        f[4] = l2 * dx2 - l1 * dx1, f[5] = l2 * dy2 - l1 * dy1 - gravity;                          \
        f[6] = -l2 * dx2, f[7] = -l2 * dy2 - gravity;                                              \
    }

/* One step of Newton for the positions, then the velocities; both with the rods of before. */
#define PROJECT(T)                                                                                 \
    {                                                                                              \
        PENDULUM(T)                                                                                \
        T p1 = 0.5 * (s11 - 1.0), p2 = 0.5 * (0.5 * s22 - 1.0);                                    \
        T r1 = vx1 * dx1 + vy1 * dy1, r2 = wx * dx2 + wy * dy2;                                    \
        T l1 = (s22 * p1 - s12 * p2) * over, l2 = (s11 * p2 - s12 * p1) * over;                    \
        T m1 = (s22 * r1 - s12 * r2) * over, m2 = (s11 * r2 - s12 * r1) * over;                    \
        y[0] -= l1 * dx1 - l2 * dx2, y[1] -= l1 * dy1 - l2 * dy2;                                  \
        y[2] -= l2 * dx2, y[3] -= l2 * dy2;                                                        \
        y[4] -= m1 * dx1 - m2 * dx2, y[5] -= m1 * dy1 - m2 * dy2;                                  \
        y[6] -= m2 * dx2, y[7] -= m2 * dy2;                                                        \
    }

static zw_status rates_1(void *user, double t, const double *y, double *f)
{
    (void)user, (void)t;
    RATES(double)
    return ZW_OK;
}

static zw_status project_1(void *user, double t, double *y)
{
    (void)user, (void)t;
    PROJECT(double)
    return ZW_OK;
}

#if defined(__x86_64__)
#define FAST __attribute__((target("avx2")))
#else
#define FAST
#endif

typedef double v4 __attribute__((vector_size(32)));

/* Part p of rows of `width` lanes: gathered, computed, put back. */
#define LANES(width)                                                                               \
    FAST static uint32_t rates_##width(void *user, uint32_t active, const double *t,               \
                                       const double *rows, double *out)                            \
    {                                                                                              \
        (void)user, (void)active, (void)t;                                                         \
        for (int p = 0; p < width / 4; p++) {                                                      \
            v4 y[SIZE], f[SIZE];                                                                   \
            for (int i = 0; i < SIZE; i++)                                                         \
                y[i] = ((const v4 *)(const void *)rows)[i * (width / 4) + p];                      \
            RATES(v4)                                                                              \
            for (int i = 0; i < SIZE; i++) ((v4 *)(void *)out)[i * (width / 4) + p] = f[i];        \
        }                                                                                          \
        return 0;                                                                                  \
    }                                                                                              \
    FAST static uint32_t project_##width(void *user, uint32_t active, const double *t,             \
                                         double *rows)                                             \
    {                                                                                              \
        (void)user, (void)active, (void)t;                                                         \
        for (int p = 0; p < width / 4; p++) {                                                      \
            v4 y[SIZE];                                                                            \
            for (int i = 0; i < SIZE; i++) y[i] = ((v4 *)(void *)rows)[i * (width / 4) + p];       \
            PROJECT(v4)                                                                            \
            for (int i = 0; i < SIZE; i++)                                                         \
                for (int l = 0; l < 4; l++)                                                        \
                    if (active >> (p * 4 + l) & 1) rows[i * width + p * 4 + l] = y[i][l];          \
        }                                                                                          \
        return 0;                                                                                  \
    }

LANES(4)
LANES(8)

/* -------------------------------------------------------------------- members */

typedef struct work {
    int32_t count, next;
    double *starts; /* [count * SIZE] */
    int64_t steps, evaluations, away;
    double sum; /* of all ends: the same everywhere */
} work;

static void make_starts(work *w)
{
    uint64_t seed = 12345;
    for (int32_t i = 0; i < w->count; i++) {
        double angle[2], *y = w->starts + SIZE * i;
        for (int k = 0; k < 2; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            angle[k] = 4.0 * ((double)(seed >> 11) * 0x1p-53) - 2.0;
        }
        memset(y, 0, SIZE * sizeof *y);
        y[0] = sin(angle[0]);
        y[1] = -cos(angle[0]);
        y[2] = y[0] + sin(angle[1]);
        y[3] = y[1] - cos(angle[1]);
    }
}

static void add(work *w, const double *y, const zi_counts *counts)
{
    w->steps += counts->steps;
    w->evaluations += counts->evaluations;
    for (int i = 0; i < SIZE; i++) w->sum += y[i];
}

static bool next(void *user, int32_t lane, int64_t *member, double *t, double *y)
{
    work *w = user;
    (void)lane;
    if (w->next == w->count) return false;
    memcpy(y, w->starts + SIZE * w->next, SIZE * sizeof *y);
    *t = 0.0;
    *member = w->next++;
    return true;
}

static void done(void *user, const zi_gone *gone)
{
    work *w = user;
    if (!gone->reached) w->away++;
    add(w, gone->y, &gone->counts);
}

static void fail(const char *why)
{
    fprintf(stderr, "bench_crowd: %s\n", why);
    exit(1);
}

static void run_singles(work *w, const zi_method *method, const zi_settings *settings, bool land)
{
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    zi_system system = {
        .size = SIZE, .controlled = SIZE, .rates = rates_1, .project = land ? project_1 : NULL};
    for (int32_t i = 0; i < w->count; i++) {
        zi_stepper *s;
        if (zi_open(&memory, method, &system, settings, 0.0, w->starts + SIZE * i, &s) != ZW_OK)
            fail("no memory");
        while (s->t < settings->end)
            if (zi_step(s) != ZW_OK) fail("a step failed");
        add(w, s->y, &s->counts);
        zi_close(s);
    }
}

static void run_crowd(work *w, const zi_method *method, const zi_settings *settings, bool land,
                      int32_t width)
{
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    zi_crowd crowd = {.size = SIZE,
                      .controlled = SIZE,
                      .width = width,
                      .user = w,
                      .next = next,
                      .done = done,
                      .rates = width == 4 ? rates_4 : rates_8};
    if (land) crowd.project = width == 4 ? project_4 : project_8;
    if (zi_run_crowd(&memory, method, &crowd, settings) != ZW_OK) fail("the crowd failed");
}

/* The callbacks as often as a step of one member takes them. */
static void run_callbacks(work *w, bool land, int32_t width, double per_step, int64_t steps)
{
    _Alignas(64) double y[SIZE * 8], f[SIZE * 8], t[8] = {0};
    for (int i = 0; i < SIZE * width; i++) y[i] = w->starts[i / width];
    int64_t calls = (int64_t)(per_step * (double)steps / width);
    uint32_t all = (1u << width) - 1u;
    for (int64_t i = 0; i < calls; i++) {
        if (width == 1) rates_1(NULL, 0.0, y, f);
        if (width == 4) rates_4(NULL, all, t, y, f);
        if (width == 8) rates_8(NULL, all, t, y, f);
        y[0] += 1e-16 * f[4]; /* the next call waits for this one, as in a step */
    }
    for (int64_t i = 0; land && i < steps / width; i++) {
        if (width == 1) project_1(NULL, 0.0, y);
        if (width == 4) project_4(NULL, all, t, y);
        if (width == 8) project_8(NULL, all, t, y);
    }
    w->sum += y[0];
}

/* ------------------------------------------------------------------ measuring */

/* One line of the table. */
static void measure(work *w, const char *name, bool land)
{
    static const int32_t widths[] = {1, 4, 8};
    const zi_method *method = zi_find_method(name);
    zi_settings settings = {.tol = 1e-8, .abs_tol = 1e-8, .end = end_time};
    double ns[3][REPEATS], bare[3][REPEATS], sum = 0.0, per_step = 0.0;
    int64_t steps = 0;
    for (int r = 0; r < REPEATS; r++)
        for (int k = 0; k < 3; k++) {
            w->steps = w->evaluations = w->away = w->next = 0;
            w->sum = 0.0;
            double began = cpu_seconds();
            if (k == 0)
                run_singles(w, method, &settings, land);
            else
                run_crowd(w, method, &settings, land, widths[k]);
            ns[k][r] = 1e9 * (cpu_seconds() - began) / (double)w->steps;
            if (k == 0) sum = w->sum, steps = w->steps;
            if (k == 0) per_step = (double)w->evaluations / (double)steps;
            if (w->steps != steps || fabs(w->sum - sum) > 1e-9 || w->away != 0)
                fail("the crowd differs");
            began = cpu_seconds();
            run_callbacks(w, land, widths[k], per_step, steps);
            bare[k][r] = 1e9 * (cpu_seconds() - began) / (double)steps;
        }
    printf("%-7s %-9s %7.1f %6.2f ", name, land ? "projected" : "", (double)steps / w->count,
           per_step);
    for (int k = 0; k < 3; k++)
        printf(" %7.0f (%4.0f)", median(ns[k], REPEATS), median(bare[k], REPEATS));
    printf("\n");
}

int main(int argc, char **argv)
{
    work w = {.count = argc > 1 ? atoi(argv[1]) : 200};
    if (w.count < 1) fail("MEMBERS must be a positive number");
    w.starts = malloc((size_t)w.count * SIZE * sizeof(double));
    if (!w.starts) fail("no memory");
    make_starts(&w);
    printf("ns an accepted step of one member (callbacks alone), %d double pendulums\n"
           "%-17s %7s %6s %15s %14s %14s\n",
           w.count, "", "steps", "evals", "alone", "crowd of 4", "of 8");
    for (int land = 0; land < 2; land++) {
        measure(&w, "dop853", land != 0);
        measure(&w, "dopri5", land != 0);
    }
    free(w.starts);
    return 0;
}
