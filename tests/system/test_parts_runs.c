/*
 * test_parts_runs.c: whole runs of repeated parts, in lanes and by the sparse road, with everything
 * that runs have: all methods and ways to stay on the constraints, events, works of forces,
 * columns, saving and going on, accelerations asked for in between, rows that contradict each
 * other.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "parts_cases.h"
#include "parts_roads.h"

static char *model_of(lanes_graph_kind kind, lanes_matter matter, int32_t bodies, const char *more)
{
    lanes_model_request r = {.matter = matter};
    r.graph = (lanes_graph_request){.kind = kind,
                                    .seed = 11 + (uint64_t)kind,
                                    .bodies = bodies,
                                    .freedom = 2,
                                    .scrambled = true};
    char *text = lanes_model_text(&r);
    size_t length = strlen(text), extra = strlen(more);
    text = realloc(text, length + extra + 1);
    assert_non_null(text);
    memcpy(text + length, more, extra + 1);
    return text;
}

static double size_of(int32_t n, const double *x)
{
    double worst = 1.0;
    for (int32_t k = 0; k < n; k++) worst = fmax(worst, fabs(x[k]));
    return worst;
}

#define near_each_other(a, b, n, error, what)                                                      \
    do {                                                                                           \
        double gap = apart(n, a, b), size = size_of(n, a);                                         \
        if (!(gap <= (error)*size)) fail_msg("%s: apart by %g of %g", what, gap, size);            \
    } while (0)

/* Both roads from the start; false: this build does not have the method. */
typedef struct two {
    road one, other;
    ride a, b;
} two;

static bool begins(road *r, const zw_run_settings *settings)
{
    assert_int_equal(zw_sim_start(r->sim, settings->accept_inconsistent), ZW_OK);
    zw_status status = zw_sim_begin(r->sim, settings);
    if (status != ZW_ERR_METHOD) assert_int_equal(status, ZW_OK);
    return status == ZW_OK;
}

static void two_close(two *t)
{
    free(t->a.x), free(t->b.x);
    road_close(&t->one), road_close(&t->other);
}

/* -------------------------------------------------------------------- methods */

static void compare_methods(const char *text, zw_method method, zw_stabilize stabilize, bool lanes)
{
    two t = {.one = road_open(text, ZW_SOLVER_SPARSE, 1),
             .other = road_open(text, ZW_SOLVER_PARTS, 2)};
    zw_run_settings settings = ride_settings(&t.one, 0.1);
    char what[64];
    snprintf(what, sizeof what, "%s, %s", zw_method_name(method), zw_stabilize_name(stabilize));
    settings.method = method;
    settings.stabilize = stabilize;
    if (method == ZW_RK4) settings.step = 0.002;
    if (begins(&t.one, &settings)) {
        t.a = ride_on(&t.one, &settings);
        t.b = ride_on(&t.other, &settings);
        assert_int_equal(t.a.status, ZW_OK);
        assert_int_equal(t.b.status, ZW_OK);
        near_each_other(t.a.x, t.b.x, 2 * t.one.n, method == ZW_BDF ? 1e-5 : 1e-7, what);
        if (lanes && t.b.stats.parts.evaluations == 0) fail_msg("%s: not in lanes", what);
    }
    two_close(&t);
}

static void test_methods(void **state)
{
    static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4, ZW_BDF, ZW_AUTO};
    char *chain = model_of(LANES_CHAIN, LANES_MASSES, 28, "");
    char *crossed = model_of(LANES_CROSSED, LANES_POINTS, 24, "");
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        compare_methods(chain, methods[k], ZW_PROJECT, true);
    compare_methods(chain, ZW_DOP853, ZW_BAUMGARTE, false);
    compare_methods(chain, ZW_DOP853, ZW_STABILIZE_NONE, true);
    compare_methods(crossed, ZW_DOPRI5, ZW_PROJECT, true);
    free(chain), free(crossed);
}

/* --------------------------------------------------------------------- events */

/* Resets throw the state off the constraints of velocities; another event ends the run. */
static void test_events(void **state)
{
    char *text = model_of(LANES_CHAIN, LANES_MASSES, 28,
                          "when (x[3] - X[3])^2 > 0.0004: x[3]' = -0.5*x[3]', y[3]' = 0\n"
                          "when t > 0.03: y[7]' = y[7]' + 1\n"
                          "when t > 0.08: stop\n");
    two t = {.one = road_open(text, ZW_SOLVER_SPARSE, 1),
             .other = road_open(text, ZW_SOLVER_PARTS, 1)};
    zw_run_settings settings = ride_settings(&t.one, 0.1);
    (void)state;
    t.a = ride_on(&t.one, &settings);
    t.b = ride_on(&t.other, &settings);
    assert_int_equal(t.a.stats.events, t.b.stats.events);
    assert_true(t.b.stats.events >= 2);
    assert_true(t.b.stats.parts.evaluations > 0);
    for (int32_t k = 0; k < zw_sim_fired_count(t.one.sim); k++) {
        zw_fired a, b;
        assert_int_equal(zw_sim_fired(t.one.sim, k, &a), ZW_OK);
        assert_int_equal(zw_sim_fired(t.other.sim, k, &b), ZW_OK);
        assert_int_equal(a.event, b.event);
        assert_true(fabs(a.t - b.t) <= 1e-8);
    }
    near_each_other(t.a.x, t.b.x, 2 * t.one.n, 1e-6, "events");
    two_close(&t);
    free(text);
}

/* ---------------------------------------------------------- works and columns */

static void compare_columns(two *t, const char *list)
{
    zw_columns *one, *other;
    assert_int_equal(zw_columns_create(t->one.model, list, &one), ZW_OK);
    assert_int_equal(zw_columns_create(t->other.model, list, &other), ZW_OK);
    int32_t count = zw_columns_count(one);
    double *a = numbers(count), *b = numbers(count);
    assert_int_equal(zw_sim_columns(t->one.sim, one, a), ZW_OK);
    assert_int_equal(zw_sim_columns(t->other.sim, other, b), ZW_OK);
    near_each_other(a, b, count, 1e-6, list);
    free(a), free(b);
    zw_columns_free(one), zw_columns_free(other);
}

/* Springs, dampers and rods that move: every kind of work. */
static void test_works(void **state)
{
    char *text = model_of(LANES_CHAIN, LANES_SPRINGS, 28,
                          "force y[4]: 3*sin(10*t)\n"
                          "constraint lift: y[9] = Y[9] + 0.1*t^2 + V[9]*t\n");
    two t = {.one = road_open(text, ZW_SOLVER_SPARSE, 1),
             .other = road_open(text, ZW_SOLVER_PARTS, 1)};
    zw_run_settings settings = ride_settings(&t.one, 0.1);
    (void)state;
    t.a = ride_on(&t.one, &settings);
    t.b = ride_on(&t.other, &settings);
    assert_true(t.b.stats.parts.evaluations > 0);
    near_each_other(t.a.x, t.b.x, 2 * t.one.n, 1e-6, "works");
    const zw_ledger *a = &t.a.stats.energy, *b = &t.b.stats.energy;
    double scale = b->scale;
    assert_true(fabs(b->error) <= 1e-6 * scale);
    assert_true(fabs(b->impressed) > 0.0 && b->dissipation < 0.0 && fabs(b->ideal) > 0.0);
    assert_true(fabs(a->impressed - b->impressed) <= 1e-6 * scale);
    assert_true(fabs(a->dissipation - b->dissipation) <= 1e-6 * scale);
    assert_true(fabs(a->ideal - b->ideal) <= 1e-6 * scale);
    compare_columns(&t, NULL);
    compare_columns(&t, "energy, multiplier(rod[5]), force(x[2]), x[3]''");
    two_close(&t);
    free(text);
}

/* ----------------------------------------------------------- saved, interrupted */

static void to(road *r, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(r->sim, t, &outcome), ZW_OK);
}

/* A run that was saved goes on to the same bits; one that is asked for accelerations elsewhere in
 * between does so, too. */
static void test_going_on(void **state)
{
    char *text = model_of(LANES_LADDER, LANES_MASSES, 32, "");
    road r[3];
    size_t needed = 0, bytes;
    (void)state;
    for (int k = 0; k < 3; k++) {
        r[k] = road_open(text, ZW_SOLVER_PARTS, 1 + k % 2);
        zw_run_settings settings = ride_settings(&r[k], 0.1);
        assert_true(begins(&r[k], &settings));
    }
    int32_t n = r[0].n;
    double *x = numbers(8 * n);
    bytes = sizeof *x * 2 * (size_t)n;
    to(&r[0], 0.04);
    assert_int_equal(zw_sim_save(r[0].sim, NULL, 0, &needed), ZW_OK);
    void *saved = malloc(needed);
    assert_int_equal(zw_sim_save(r[0].sim, saved, needed, &needed), ZW_OK);
    to(&r[0], 0.1);
    assert_int_equal(zw_sim_restore(r[1].sim, saved, needed), ZW_OK);
    to(&r[1], 0.1);
    to(&r[2], 0.04);
    assert_int_equal(zw_sim_state(r[2].sim, NULL, x, x + n), ZW_OK);
    for (int32_t k = 0; k < n; k++) x[k] += 0.01 * sin((double)k);
    assert_int_equal(zw_sim_acceleration(r[2].sim, 0.7, x, x + n, x + 2 * n), ZW_OK);
    to(&r[2], 0.1);
    for (int k = 0; k < 3; k++)
        assert_int_equal(zw_sim_state(r[k].sim, NULL, x + 2 * n * k, x + 2 * n * k + n), ZW_OK);
    assert_memory_equal(x, x + 2 * n, bytes);
    assert_memory_equal(x, x + 4 * n, bytes);
    free(x), free(saved), free(text);
    for (int k = 0; k < 3; k++) road_close(&r[k]);
}

/* A run by the sparse road is not one in lanes: its bytes are refused. */
static void test_other_road(void **state)
{
    char *text = model_of(LANES_CHAIN, LANES_MASSES, 32, ""), saved[1 << 16];
    road one = road_open(text, ZW_SOLVER_SPARSE, 1), other = road_open(text, ZW_SOLVER_PARTS, 1);
    zw_run_settings settings = ride_settings(&one, 0.1);
    size_t needed;
    (void)state;
    assert_true(begins(&one, &settings) && begins(&other, &settings));
    to(&one, 0.02);
    assert_int_equal(zw_sim_save(one.sim, saved, sizeof saved, &needed), ZW_OK);
    assert_int_equal(zw_sim_restore(other.sim, saved, needed), ZW_ERR_SETTING);
    road_close(&one), road_close(&other);
    free(text);
}

/* --------------------------------------------------------------- contradictions */

/* Two rods of one place with different lengths: the compromise is not one of lanes. */
static void test_contradiction(void **state)
{
    char *text = model_of(LANES_CHAIN, LANES_MASSES, 28,
                          "constraint other: (x[a[5]] - x[b[5]])^2 + (y[a[5]] - y[b[5]])^2 = "
                          "(1.1*l[5] + 0.2*t^2)^2\n"
                          "simulate t = 0..1, inconsistent = accept\n");
    two t = {.one = road_open(text, ZW_SOLVER_SPARSE, 1),
             .other = road_open(text, ZW_SOLVER_PARTS, 1)};
    zw_run_settings settings = ride_settings(&t.one, 0.02);
    (void)state;
    settings.accept_inconsistent = true;
    assert_int_equal(zw_sim_start(t.one.sim, false), zw_sim_start(t.other.sim, false));
    assert_true(begins(&t.one, &settings) && begins(&t.other, &settings));
    to(&t.one, 0.02), to(&t.other, 0.02);
    t.a.x = numbers(2 * t.one.n), t.b.x = numbers(2 * t.one.n);
    assert_int_equal(zw_sim_state(t.one.sim, NULL, t.a.x, t.a.x + t.one.n), ZW_OK);
    assert_int_equal(zw_sim_state(t.other.sim, NULL, t.b.x, t.b.x + t.one.n), ZW_OK);
    near_each_other(t.a.x, t.b.x, 2 * t.one.n, 1e-6, "contradiction");
    assert_int_equal(zw_sim_statistics(t.one.sim, &t.a.stats), ZW_OK);
    assert_int_equal(zw_sim_statistics(t.other.sim, &t.b.stats), ZW_OK);
    assert_true(fabs(t.a.stats.inconsistency - t.b.stats.inconsistency) <=
                1e-6 * (1.0 + t.a.stats.inconsistency));
    two_close(&t);
    free(text);
}

/* ------------------------------------------------------------------ ensembles */

/* Members of an ensemble end with the bits of single runs, whoever runs them. */
static void test_members(void **state)
{
    enum { members = 3 };
    char *text = model_of(LANES_TREE, LANES_MASSES, 30, "");
    road r = road_open(text, ZW_SOLVER_PARTS, 2);
    int32_t n = r.n;
    double *x = numbers(2 * members * n), *single = numbers(2 * n);
    const char *name = "g";
    const double g[members] = {9.81, 5.0, 1.6};
    zw_run_settings settings = ride_settings(&r, 0.05);
    (void)state;
    assert_int_equal(zw_sim_start(r.sim, false), ZW_OK);
    assert_int_equal(zw_sim_state(r.sim, NULL, single, single + n), ZW_OK);
    for (int k = 0; k < members; k++) memcpy(x + 2 * n * k, single, sizeof *x * 2 * (size_t)n);
    zw_ensemble ensemble = {
        .count = members, .state = x, .names = &name, .name_count = 1, .values = g, .threads = 2};
    assert_int_equal(zw_ensemble_run(r.model, &settings, &ensemble), ZW_OK);
    for (int k = 0; k < members; k++) {
        char setting[32];
        snprintf(setting, sizeof setting, "g = %.17g", g[k]);
        assert_int_equal(zw_sim_set_parameters(r.sim, setting), ZW_OK);
        assert_int_equal(zw_sim_set_state(r.sim, 0.0, single, single + n), ZW_OK);
        assert_int_equal(zw_sim_begin(r.sim, &settings), ZW_OK);
        to(&r, 0.05);
        double *end = numbers(2 * n);
        assert_int_equal(zw_sim_state(r.sim, NULL, end, end + n), ZW_OK);
        assert_memory_equal(end, x + 2 * n * k, sizeof *end * 2 * (size_t)n);
        free(end);
    }
    free(x), free(single), free(text);
    road_close(&r);
}

/* ------------------------------------------------------------- special places */

/* Hoberman's ring of scissors (models/scissor.zw): rows depend on each other where they hold, and
 * nowhere else. Beside the constraints, where the stages of a step are, a singular value is small
 * and not 0, and it must not be taken for a constraint. */
static const char scissors[] = "param N = 8, s = 1, bend = 2*pi/N, m = 0.1, u = 0.6, w = 2\n"
                               "coord a[N, 2], b[N, 2], c[N, 2]\n"
                               "let ray(angle) = [cos(angle), sin(angle)]\n"
                               "let turn(p) = [-p[2], p[1]]\n"
                               "let sq(p) = dot(p, p)\n"
                               "for i in 1..N {\n"
                               "  kinetic m/2*(sq(a[i]') + sq(b[i]') + sq(c[i]'))\n"
                               "  start a[i] = s*(sin(u)/tan(pi/N) - cos(u))*ray(2*pi*i/N)\n"
                               "  start b[i] = s*(sin(u)/tan(pi/N) + cos(u))*ray(2*pi*i/N)\n"
                               "  start c[i] = s*sin(u)/sin(pi/N)*ray(2*pi*(i + 0.5)/N)\n"
                               "  start a[i]' = w*turn(a[i])\n"
                               "  start b[i]' = w*turn(b[i])\n"
                               "  start c[i]' = w*turn(c[i])\n"
                               "  for side in 0..1 {\n"
                               "    let p = a[if(i + side > N, 1, i + side)]\n"
                               "    let q = b[if(i + 1 - side > N, 1, i + 1 - side)]\n"
                               "    constraint near[i, side + 1]: sq(p - c[i]) = s^2\n"
                               "    constraint far[i, side + 1]: sq(q - c[i]) = s^2\n"
                               "    constraint bent[i, side + 1]: sq(p - q) = (2*s*cos(bend/2))^2\n"
                               "  }\n"
                               "}\n";

static void test_special_places(void **state)
{
    two t = {.one = road_open(scissors, ZW_SOLVER_SPARSE, 1),
             .other = road_open(scissors, ZW_SOLVER_PARTS, 1)};
    zw_run_settings settings = ride_settings(&t.one, 1.0);
    (void)state;
    settings.tol = settings.abs_tol = 1e-10;
    settings.max_steps = 400;
    t.a = ride_on(&t.one, &settings);
    t.b = ride_on(&t.other, &settings);
    assert_int_equal(t.a.status, ZW_OK);
    assert_int_equal(t.b.status, ZW_OK);
    near_each_other(t.a.x, t.b.x, 2 * t.one.n, 1e-6, "scissors");
    two_close(&t);
}

#ifndef ZW_SLOW
/* Large enough for a team of threads, and to be cut by a sample: a chain that winds, with masses of
 * many sizes, of 60,000 rods. Accelerations and a few steps have the bits of one thread, and agree
 * with the sparse road. */
static const char long_chain[] =
    "param N = 60000\n"
    "coord x[N], y[N]\n"
    "let h(i) = 0.3*sin(1.7*i)\n"
    "for i in 1..N {\n"
    "  kinetic (1 + 0.3*sin(i))*(x[i]'^2 + y[i]'^2)/2\n"
    "  potential 9.81*y[i]\n"
    "  start x[i] = 0.8*i\n"
    "  start y[i] = h(i)\n"
    "  start x[i]' = 0.1*sin(i)\n"
    "}\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = 0.64 + h(1)^2\n"
    "for i in 2..N {\n"
    "  let d = h(i) - h(i-1)\n"
    "  constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 0.64 + d^2\n"
    "}\n";

static double *accelerate(road *r)
{
    double *q = numbers(3 * r->n), t = 0.0;
    assert_int_equal(zw_sim_start(r->sim, false), ZW_OK);
    assert_int_equal(zw_sim_state(r->sim, &t, q, q + r->n), ZW_OK);
    assert_int_equal(zw_sim_acceleration(r->sim, t, q, q + r->n, q + 2 * r->n), ZW_OK);
    return q;
}

static void test_threads(void **state)
{
    road roads[3] = {road_open(long_chain, ZW_SOLVER_SPARSE, 1),
                     road_open(long_chain, ZW_SOLVER_AUTO, 1),
                     road_open(long_chain, ZW_SOLVER_AUTO, 2)};
    int32_t n = roads[0].n;
    double *z[3];
    ride rides[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        z[k] = accelerate(&roads[k]);
        zw_run_settings settings = ride_settings(&roads[k], 0.002);
        rides[k] = ride_on(&roads[k], &settings);
        assert_int_equal(rides[k].status, ZW_OK);
        if (k > 0) assert_true(rides[k].stats.parts.evaluations > 0);
    }
    near_each_other(z[0] + 2 * n, z[1] + 2 * n, n, 1e-11, "accelerations");
    near_each_other(rides[0].x, rides[1].x, 2 * n, 1e-9, "states");
    assert_memory_equal(z[1], z[2], sizeof(double) * 3 * (size_t)n);
    assert_memory_equal(rides[1].x, rides[2].x, sizeof(double) * 2 * (size_t)n);
    for (int k = 0; k < 3; k++) {
        free(z[k]);
        free(rides[k].x);
        road_close(&roads[k]);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),    cmocka_unit_test(test_events),
        cmocka_unit_test(test_works),      cmocka_unit_test(test_going_on),
        cmocka_unit_test(test_other_road), cmocka_unit_test(test_contradiction),
        cmocka_unit_test(test_members),    cmocka_unit_test(test_special_places),
#ifndef ZW_SLOW /* sanitizers */
        cmocka_unit_test(test_threads),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
