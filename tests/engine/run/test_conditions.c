/*
 * Conditions of the motion: windows of force, kinks, jumps, staircases, friction by sign, and many
 * changes in a step, made at random (fixed seeds) and compared with closed forms or with runs of a
 * much smaller tolerance.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* ----------------------------------------------------------------------- random */

static uint64_t seed;

static double between(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static int choose(int count)
{
    return (int)between(0.0, (double)count);
}

/* ------------------------------------------------------------------------- runs */

/* The state of a model at `until`: q and v of the bench; its statistics. */
static zw_run_statistics run_to(bench *b, const char *text, zw_method method, double tol,
                                double until)
{
    zw_run_settings set;
    zw_run_statistics stats;
    zw_outcome outcome;
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
    zw_run_defaults(b->model, &set);
    set.method = method;
    set.tol = set.abs_tol = tol;
    set.until = until;
    if (method == ZW_RK4) set.step = 0.01;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b->sim, until, &outcome), ZW_OK);
    assert_int_equal(zw_sim_statistics(b->sim, &stats), ZW_OK);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_OK);
    zw_sim_state(b->sim, &b->t, b->q, b->v);
    return stats;
}

static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4};

/* ---------------------------------------------------------------------- windows */

/* A force F from a to b in 100 s, written in several ways, on a body at rest or on a spring. */
static void windows_are_met(void **state)
{
    static const char *const ways[] = {
        "if(t > %.17g and t < %.17g, F, 0)", "F*(sign(t - %.17g) - sign(t - %.17g))/2",
        "F*if(t >= %.17g, if(%.17g > t, 1, 0), 0)", "F*if(max(%.17g - t, t - %.17g) < 0, 1, 0)"};
    (void)state;
    seed = 1;
    for (int k = 0; k < 60; k++) {
        double a = between(0.0, 95.0), d = pow(10.0, between(-6.0, 0.5)), e = a + d, T = 100.0;
        double F = between(0.5, 2.0), w = choose(2) ? 1.3 : 0.0, x, v;
        char text[512], force[160];
        bench b;
        snprintf(force, sizeof force, ways[choose(4)], a, e);
        snprintf(text, sizeof text,
                 "coord x\nparam F = %.17g\nkinetic x'^2/2\npotential %.17g*x^2/2\nforce x: %s\n",
                 F, w * w, force);
        run_to(&b, text, methods[k % 3], 1e-9, T);
        x = w > 0.0 ? F / (w * w) * (cos(w * (T - e)) - cos(w * (T - a)))
                    : F * d * (T - e) + F * d * d / 2.0;
        v = w > 0.0 ? F / w * (sin(w * (T - a)) - sin(w * (T - e))) : F * d;
        bench_near(b.q[0], x, 2e-7 * fmax(1.0, fabs(x)));
        bench_near(b.v[0], v, 2e-7);
        bench_close(&b);
    }
}

/* Periodic conditions of t, and of t through others: the impulse over 50 s of a body at rest. */
static void periods_are_met(void **state)
{
    (void)state;
    seed = 2;
    for (int k = 0; k < 20; k++) {
        double period = between(0.01, 2.0), part = between(0.05, 0.5), T = 50.0;
        double whole = floor(T / period), rest = fmin(T - whole * period, part * period);
        char text[512];
        bench b;
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\nparam p = %.17g\nlet phase = t/p - floor(t/p)\n"
                 "force x: if(phase < %.17g, 1, 0)\n",
                 period, part);
        run_to(&b, text, ZW_DOP853, 1e-9, T);
        bench_near(b.v[0], whole * part * period + rest, 1e-9);
        bench_close(&b);
    }
}

/* ------------------------------------------------------------------------ kinks */

/* Errors fall with the tolerance as they do without kinks: they are at most 3000 of 1e-6, 100 of
 * 1e-10. */
static void kinks_keep_the_order(void **state)
{
    static const char *const potentials[] = {"1.3*abs(x - 0.1)", "50*max(0, -x)^2 + x",
                                             "x^2/2 + 0.6*abs(y - x)", "3*max(x, -2*x, y) + x^2/9"};
    static const char *const forces[] = {"0",
                                         "-0.1*floor(3.3*x + 0.3)",
                                         "if(x > 0.05, -0.6, 0.2)",
                                         "0.3*min(x, y)",
                                         "if(x > 0 and y > 0, 0.3, -0.1)",
                                         "0.2*sign(sin(3*t))"};
    (void)state;
    seed = 3;
    for (int k = 0; k < 12; k++) {
        double end[3][4], error[2] = {0.0, 0.0}, tol[] = {1e-6, 1e-10, 1e-13};
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2 + 0.3*x'*y')/2\npotential y^2 + %s\n"
                 "force x: %s\nforce y: %s\nstart x = %.17g, y = %.17g, x' = %.17g, y' = 0.4\n",
                 potentials[k % 4], forces[choose(6)], forces[choose(6)], between(0.3, 1.0),
                 between(-1.0, 1.0), between(-1.0, 1.0));
        for (int i = 0; i < 3; i++) {
            bench b;
            run_to(&b, text, ZW_DOP853, tol[i], 4.0);
            for (int j = 0; j < 4; j++) end[i][j] = j < 2 ? b.q[j] : b.v[j - 2];
            bench_close(&b);
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 4; j++) error[i] = fmax(error[i], fabs(end[i][j] - end[2][j]));
        bench_near(error[0], 0.0, 3e3 * tol[0]);
        bench_near(error[1], 0.0, 1e2 * tol[1]);
    }
}

/* ------------------------------------------------------------------------ sliding */

/* A block that a spring pulls along a rough table, k (w t - x): it stays until k w t = f, then
 * x = w (s - sin(p s)/p), s since then, p = sqrt(k): its speed comes back to 0 only for an instant. */
static void a_block_is_pulled(void **state)
{
    static const char *const ways[] = {"-f*sign(x')", "if(x' > 0, -f, f)", "-f*if(0 < x', 1, -1)",
                                       "f*sign(-3*x')"};
    (void)state;
    seed = 4;
    for (int i = 0; i < 12; i++) {
        double k = between(2.0, 9.0), w = between(0.05, 0.3), f = between(0.5, 2.0), p = sqrt(k);
        double leaves = f / (k * w), s = between(0.2, 0.9) * 2.0 * 3.14159 / p;
        char text[512];
        bench b;
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\nparam f = %.17g\npotential %.17g*(x - %.17g*t)^2/2\n"
                 "force x: %s\n",
                 f, k, w, ways[i % 4]);
        zw_run_statistics stats = run_to(&b, text, methods[i % 2], 1e-10, 0.9 * leaves);
        assert_true(b.q[0] == 0.0 && b.v[0] == 0.0); /* exactly */
        assert_true(stats.steps < 100);
        bench_expect(&b, "R0741", "x'");
        bench_close(&b);
        run_to(&b, text, methods[i % 2], 1e-10, leaves + s);
        bench_near(b.q[0], w * (s - sin(p * s) / p), 1e-7);
        bench_near(b.v[0], w * (1.0 - cos(p * s)), 1e-7);
        bench_close(&b);
    }
}

/* Two blocks in a row between which nothing acts but friction: the upper one, pushed by F, takes
 * the lower one along where it can. */
static void blocks_take_each_other_along(void **state)
{
    (void)state;
    seed = 5;
    for (int i = 0; i < 12; i++) {
        double F = between(0.2, 4.0), f = between(0.3, 1.0), g = between(0.05, 0.25), T = 3.0;
        double together = (F - g) / 3.0, upper = F - f, lower = (f - g) / 2.0;
        bool slips = F - together > f, moves = slips ? f > g : F > g;
        double x = !moves ? 0.0 : (slips ? upper : together) * T * T / 2.0;
        double y = !moves ? 0.0 : (slips ? lower : together) * T * T / 2.0;
        char text[512];
        bench b;
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic x'^2/2 + y'^2\nforce x: %.17g - %.17g*sign(x' - y')\n"
                 "force y: %.17g*sign(x' - y') - %.17g*sign(y')\n",
                 F, f, f, g);
        run_to(&b, text, ZW_DOP853, 1e-9, T);
        bench_near(b.q[0], x, 1e-7);
        bench_near(b.q[1], y, 1e-7);
        bench_close(&b);
    }
}

/* The root of a speed: at rest after 2 sqrt(v0)/k, and from then on. */
static void a_root_brings_to_rest(void **state)
{
    (void)state;
    seed = 6;
    for (int i = 0; i < 6; i++) {
        double k = between(0.5, 3.0), v = between(0.5, 4.0);
        char text[256];
        bench b;
        snprintf(
            text, sizeof text,
            "coord x\nkinetic x'^2/2\nforce x: -%.17g*sqrt(abs(x'))*sign(x')\nstart x' = %.17g\n",
            k, v);
        zw_run_statistics stats = run_to(&b, text, ZW_DOP853, 1e-9, 30.0);
        bench_near(b.q[0], 2.0 * v * sqrt(v) / (3.0 * k), 1e-7);
        bench_near(b.v[0], 0.0, 1e-20);
        assert_true(stats.steps < 2000);
        bench_close(&b);
    }
}

/* ------------------------------------------------------------------------- many */

/* Hundreds of firings, and of silent changes, where the motion alone would make a few steps. */
static void every_change_is_found(void **state)
{
    static const char *const clocks[] = {"t", "x"};
    const double pi = 3.14159265358979323846;
    (void)state;
    seed = 7;
    for (int i = 0; i < 6; i++) {
        double w = between(100.0, 600.0), level = between(-0.6, 0.6), first = asin(level) / w,
               T = 5.0;
        double part = (pi - 2.0 * asin(level)) / w, turn = 2.0 * pi / w, count = 0.0, sum = 0.0;
        if (first <= 0.0) sum += first + part; /* it begins inside */
        for (double at = first > 0.0 ? first : first + turn; at < T; at += turn) {
            count += 1.0;
            sum += fmin(part, T - at);
        }
        char text[512];
        bench b;
        snprintf(
            text, sizeof text,
            "coord x, n, s\nkinetic x'^2/2 + n'^2/2 + s'^2/2\nstart x' = 1\n"
            "when sin(%.17g*%s) > %.17g: n' = n' + 1\nforce s: if(sin(%.17g*%s) > %.17g, 1, 0)\n",
            w, clocks[i % 2], level, w, clocks[i % 2], level);
        run_to(&b, text, ZW_DOP853, 1e-9, T);
        bench_near(b.v[1], count, 0.0);
        bench_near(b.v[2], sum, 1e-8);
        bench_close(&b);
    }
}

/* A run that slides and turns is restored to the same bits. */
static void restored_to_the_bit(void **state)
{
    static const char text[] =
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 5*(x - y)^2\n"
        "force x: 2*sin(t) - sign(x')\nforce y: -0.5*sign(y') + floor(t/0.7)/9\n";
    (void)state;
    bench a, b;
    zw_outcome outcome;
    zw_run_settings set;
    char *bytes = NULL;
    size_t size = 0;
    bench *both[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        bench_open(both[i], text);
        assert_int_equal(bench_start(both[i], false), ZW_OK);
        zw_run_defaults(both[i]->model, &set);
        set.until = 20.0;
        assert_int_equal(zw_sim_begin(both[i]->sim, &set), ZW_OK);
    }
    for (double t = 1.3; t < 20.0; t += 2.9) {
        assert_int_equal(zw_sim_advance(a.sim, t, &outcome), ZW_OK);
        assert_int_equal(zw_sim_save(a.sim, NULL, 0, &size), ZW_OK);
        bytes = realloc(bytes, size);
        assert_non_null(bytes);
        assert_int_equal(zw_sim_save(a.sim, bytes, size, &size), ZW_OK);
        assert_int_equal(zw_sim_restore(b.sim, bytes, size), ZW_OK);
        assert_int_equal(zw_sim_advance(b.sim, 20.0, &outcome), ZW_OK);
        zw_sim_state(b.sim, &b.t, b.q, b.v);
    }
    free(bytes);
    assert_int_equal(zw_sim_advance(a.sim, 20.0, &outcome), ZW_OK);
    zw_sim_state(a.sim, &a.t, a.q, a.v);
    assert_memory_equal(a.q, b.q, 2 * sizeof *a.q);
    assert_memory_equal(a.v, b.v, 2 * sizeof *a.v);
    bench_close(&a);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_met),
        cmocka_unit_test(periods_are_met),
        cmocka_unit_test(kinks_keep_the_order),
        cmocka_unit_test(a_block_is_pulled),
        cmocka_unit_test(blocks_take_each_other_along),
        cmocka_unit_test(a_root_brings_to_rest),
        cmocka_unit_test(every_change_is_found),
        cmocka_unit_test(restored_to_the_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
