/*
 * Columns d(X)/d(P) of runs: against references in two formulations of quadruple precision
 * (tests/reference/derivatives), against differences of runs, to the bit where that is promised, and what is
 * said where there are none.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* A run of a model with columns: opens, starts, varies, begins. */
typedef struct trial {
    bench b;
    zw_columns *columns;
    zw_run_settings settings;
    double row[200];
} trial;

static void open_trial(trial *x, const char *text, const char *columns, double tol)
{
    bench_open(&x->b, text);
    assert_int_equal(bench_start(&x->b, false), ZW_OK);
    (void)zw_run_defaults(x->b.model, &x->settings);
    if (tol > 0.0) x->settings.tol = tol;
    assert_int_equal(zw_columns_create(x->b.model, columns, &x->columns), ZW_OK);
    assert_true(zw_columns_count(x->columns) <= 200);
}

static void begin_trial(trial *x)
{
    assert_int_equal(zw_sim_vary(x->b.sim, x->columns), ZW_OK);
    assert_int_equal(zw_sim_begin(x->b.sim, &x->settings), ZW_OK);
}

static void go_to(trial *x, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(x->b.sim, t, &outcome), ZW_OK);
    assert_int_equal(zw_sim_columns(x->b.sim, x->columns, x->row), ZW_OK);
}

static void close_trial(trial *x)
{
    zw_columns_free(x->columns);
    bench_close(&x->b);
}

/* ------------------------------------------------------------------------ references */

/* The list of all keys of a case, but for the times of events. */
static void list_keys(json_t *values, char *list, size_t size)
{
    const char *key;
    json_t *unused;
    size_t at = 0;
    json_object_foreach(values, key, unused)
    {
        if (strstr(key, "last_bounce")) continue;
        at += (size_t)snprintf(list + at, size - at, "%s%s", at > 0 ? ", " : "", key);
        assert_true(at < size);
    }
}

static int compare_case(trial *x, json_t *one)
{
    json_t *values = json_object_get(one, "values");
    int derivatives = 0;
    go_to(x, strtod(json_string_value(json_object_get(one, "t")), NULL));
    for (int32_t i = 1; i < zw_columns_count(x->columns); i++) {
        char name[200];
        zw_columns_name(x->columns, i, name, sizeof name);
        const char *text = json_string_value(json_object_get(values, name));
        if (!text) fail_msg("no %s in the reference", name);
        bool rate = strncmp(name, "d(", 2) == 0;
        double wanted = strtod(text, NULL), size = fmax(1.0, fabs(wanted));
        bench_near(x->row[i], wanted, (rate ? 1e-8 : 1e-9) * size);
        assert_string_equal(zw_columns_kind(x->columns, i),
                            rate ? "derivative" : zw_columns_kind(x->columns, i));
        derivatives += rate;
    }
    return derivatives;
}

/* Every number of a file, at its tolerance; least: so many derivatives. */
static void compare_file(const char *name, int least)
{
    char path[2000], list[8000];
    trial x;
    int compared = 0;
    snprintf(path, sizeof path, "%s/derivatives/sens_%s.json", ZW_TEST_REFERENCE, name);
    json_t *root = json_load_file(path, 0, NULL), *cases = json_object_get(root, "reference");
    assert_non_null(root);
    list_keys(json_object_get(json_array_get(cases, 0), "values"), list, sizeof list);
    open_trial(&x, json_string_value(json_object_get(root, "model")), list, 0.0);
    begin_trial(&x);
    for (size_t k = 0; k < json_array_size(cases); k++)
        compared += compare_case(&x, json_array_get(cases, k));
    assert_true(compared >= least);
    close_trial(&x);
    json_decref(root);
}

static void test_references(void **state)
{
    (void)state;
    compare_file("double_pendulum", 100);
    compare_file("coupled_cranks", 100);
    compare_file("chaplygin_sleigh", 60);
    compare_file("contradictory_servos", 60);
    compare_file("bouncing_ball", 24);
    compare_file("friction_bead", 20);
    compare_file("moved_start", 60);
}

/* ------------------------------------------------------------------------ differences */

/* X at t with a parameter, "m =", moved by `by`. */
static double value_beside(const char *text, const char *column, const char *parameter, double by,
                           double t)
{
    trial x;
    char set[200];
    const char *at = strstr(text, parameter);
    assert_non_null(at);
    bench_open(&x.b, text);
    snprintf(set, sizeof set, "%s %.17g", parameter, strtod(strchr(at, '=') + 1, NULL) + by);
    assert_int_equal(zw_sim_set_parameters(x.b.sim, set), ZW_OK);
    assert_int_equal(bench_start(&x.b, false), ZW_OK);
    (void)zw_run_defaults(x.b.model, &x.settings);
    x.settings.tol = 1e-13;
    assert_int_equal(zw_columns_create(x.b.model, column, &x.columns), ZW_OK);
    assert_int_equal(zw_sim_begin(x.b.sim, &x.settings), ZW_OK);
    go_to(&x, t);
    double value = x.row[strcmp(column, "t") == 0 ? 0 : 1];
    close_trial(&x);
    return value;
}

/* d(X)/d(P) against a central difference of order 4. */
static void compare_difference(const char *text, const char *column, const char *parameter,
                               double t)
{
    trial x;
    char list[200];
    double h = 2e-4;
    snprintf(list, sizeof list, "d(%s)/d(%.*s)", column, (int)strcspn(parameter, " "), parameter);
    open_trial(&x, text, list, 1e-13);
    begin_trial(&x);
    go_to(&x, t);
    double rate = (value_beside(text, column, parameter, -2 * h, t) -
                   8 * value_beside(text, column, parameter, -h, t) +
                   8 * value_beside(text, column, parameter, h, t) -
                   value_beside(text, column, parameter, 2 * h, t)) /
                  (12 * h);
    bench_near(x.row[1], rate, 1e-7 * fmax(1.0, fabs(rate)));
    close_trial(&x);
}

static const char switching[] = "param k = 3, m = 1.3, c = 0.4, T = 0.7, F = 2\n"
                                "coord x\nkinetic m*x'^2/2\npotential k*x^2/2\n"
                                "force x: if(t < T, F, -F/2)\nforce x: -c*max(x', 0)\n"
                                "start x = 0.5, x' = 0.2\nsimulate t = 0..3\n";

/* A condition that the clock turns jumps, one of the velocity bends. */
static void test_conditions(void **state)
{
    (void)state;
    compare_difference(switching, "x", "T =", 2.3);
    compare_difference(switching, "x'", "F =", 2.3);
    compare_difference(switching, "x''", "c =", 2.3);
}

/* The last row of a run that stops moves with the moment of the stop. */
static void test_stop(void **state)
{
    static const char throw[] = "param g = 9.81, h = 2, w = 1\ncoord x, y\n"
                                "kinetic (x'^2 + y'^2)/2\npotential g*y\n"
                                "start y = w, x' = 3, y' = 2\nwhen y < -h: stop\n"
                                "simulate t = 0..5\n";
    (void)state;
    compare_difference(throw, "t", "g =", 5.0);
    compare_difference(throw, "x", "h =", 5.0);
    compare_difference(throw, "y'", "w =", 5.0);
}

/* Servos that contradict each other until a condition turns. */
static void test_conflict(void **state)
{
    trial x;
    (void)state;
    open_trial(&x,
               "param l = 1\ncoord x\nkinetic x'^2\nconstraint c: x'' = l\n"
               "control d: x'' = if(x > 1, 1, 2)\nstart x' = 1\nsimulate t = 0..3\n",
               "d(x)/d(l)", 1e-12);
    begin_trial(&x);
    go_to(&x, 3.0);
    /* x'' = (l + 2)/2 until t = 2/3, then (l + 1)/2 */
    bench_near(x.row[1], 59.0 / 27.0, 1e-11);
    close_trial(&x);
}

/* Velocities that an event sets and the rod corrects; a rod that moves; a start by equations. */
static void test_events_on_rows(void **state)
{
    static const char rod[] =
        "param l = 1, g = 9.81, e = 0.7\ncoord r[2]\nkinetic dot(r', r')\n"
        "potential 2*g*r[2]\nconstraint rod: norm(r) = l + 0.1*sin(2*t)\n"
        "start r = [0.8*l, -0.6*l]\nwhen r[1] < 0.1*l: r' = [-e*r'[1], 0.3*r'[2]]\n"
        "simulate t = 0..2\n";
    static const char posed[] = "param l = 1, a = 0.6, w = 1.5\ncoord r[2], s[2]\n"
                                "kinetic dot(r', r') + dot(s', s')\npotential 20*(r[2] + s[2])\n"
                                "constraint one: norm(r) = l\nconstraint two: norm(s - r) = l/2\n"
                                "start r = [a, -0.7], s[1] = 0.9*a\nstart s[1]' = w\n"
                                "start (r[1]' - 0.2*w) = 0\nsimulate t = 0..2\n";
    (void)state;
    compare_difference(rod, "r[1]", "l =", 1.7);
    compare_difference(rod, "multiplier(rod)", "e =", 1.7);
    compare_difference(rod, "r[2]'", "g =", 1.7);
    compare_difference(posed, "s[2]'", "l =", 1.2);
    compare_difference(posed, "multiplier(two)", "a =", 1.2);
    compare_difference(posed, "r[1]", "w =", 1.2);
}

/* ------------------------------------------------------------------------------ bits */

/* With tangents a run has the steps and bits of one without; twice it has the same tangents. */
static void test_bits(void **state)
{
    static const char text[] = "param l = 1, g = 9.81\ncoord a[2], b[2]\n"
                               "kinetic dot(a', a') + dot(b', b')\npotential 2*g*(a[2] + b[2])\n"
                               "constraint one: dot(a, a) = l^2\n"
                               "constraint two: dot(b - a, b - a) = l^2\n"
                               "constraint again: norm(a) = l\n"
                               "start a = [l, 0], b = [2*l, 0]\nwhen b[1] < 0: b' = -b'\n"
                               "simulate t = 0..3\n";
    static const char list[] = "a, b, a', b', multiplier(one), d(b)/d(l), d(b')/d(start(a[1]'))";
    trial x[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        open_trial(&x[k], text, list, 1e-9);
        if (k < 2) begin_trial(&x[k]);
        if (k == 2) assert_int_equal(zw_sim_begin(x[k].b.sim, &x[k].settings), ZW_OK);
    }
    for (int i = 1; i <= 6; i++) {
        for (int k = 0; k < 3; k++) go_to(&x[k], 0.5 * i);
        assert_memory_equal(x[0].row, x[1].row, sizeof(double) * 14);
        assert_memory_equal(x[0].row, x[2].row, sizeof(double) * 10);
        assert_true(isfinite(x[0].row[10]) && isnan(x[2].row[10])); /* nobody has carried them */
    }
    for (int k = 0; k < 3; k++) close_trial(&x[k]);
}

/* A start value that is moved onto the rows; what is given from it follows. */
static void test_start_values(void **state)
{
    trial x;
    (void)state;
    open_trial(
        &x,
        "coord x, y, z\nkinetic x'^2 + y'^2 + z'^2\nconstraint ring: x^2 + y^2 = 1\n"
        "start x = 0.6, y = 0.8, z = 2*x\nsimulate t = 0..1\n",
        "d(x)/d(start(x)), d(y)/d(start(x)), d(z)/d(start(x)), d(z)/d(start(z')), d(t)/d(start(x))",
        0.0);
    begin_trial(&x);
    go_to(&x, 0.0);
    bench_near(x.row[1], 0.64, 1e-13);
    bench_near(x.row[2], -0.48, 1e-13);
    bench_near(x.row[3], 2.0, 1e-13);
    go_to(&x, 1.0);
    bench_near(x.row[4], 1.0, 1e-13);
    bench_near(x.row[5], 0.0, 0.0);
    close_trial(&x);
}

/* ------------------------------------------------------------------------------ none */

/* The run ends where there are none, and says so. */
static void expect_end(const char *text, const char *list, const char *code, const char *words)
{
    trial x;
    zw_outcome outcome;
    open_trial(&x, text, list, 0.0);
    begin_trial(&x);
    assert_int_equal(zw_sim_advance(x.b.sim, x.settings.until, &outcome), ZW_ERR_DERIVATIVE);
    assert_int_equal(zw_sim_columns(x.b.sim, x.columns, x.row), ZW_OK);
    assert_true(isnan(x.row[1]));
    assert_int_equal(zw_sim_conclude(x.b.sim), ZW_OK);
    bench_expect(&x.b, code, words);
    close_trial(&x);
}

static void test_ends(void **state)
{
    (void)state;
    expect_end("param g = 1\ncoord y\nkinetic y'^2/2\npotential g*y\nconstraint ground: y >= 0\n"
               "restitution ground: 0.5\nstart y = 1\nsimulate t = 0..3\n",
               "d(y)/d(g)", "E0732", "there is an impact");
    expect_end("param g = 1\ncoord x\nkinetic x'^2/2\nforce x: -g*sign(x')\nstart x' = 1\n"
               "simulate t = 0..3\n",
               "d(x)/d(g)", "E0732", "slides on the surface of a condition");
    expect_end("param g = 2\ncoord y\nkinetic y'^2/2\npotential -g*y\nstart y = 1, y' = -2\n"
               "when y < 1e-14: y' = 2*y'\nsimulate t = 0..3\n",
               "d(y)/d(g)", "E0731", "is only touched at t = 1");
    expect_end("param l = 1\ncoord r[2]\nkinetic dot(r', r')\nconstraint rod: norm(r) = l\n"
               "start r = [l, 0], r[2]' = 1\nwhen t > 1: r = [3, 4]\nsimulate t = 0..3\n",
               "d(r[1])/d(l)", "E0734", "far from the constraints");
}

static void test_refusals(void **state)
{
    static const char text[] = "param l = 1, k = 1, n = 2\ncoord x, y, c[n]\n"
                               "kinetic x'^2 + y'^2 + dot(c', c')\nconstraint a: x = l\n"
                               "constraint b: x = k\nstart x = l\nsimulate t = 0..1\n";
    trial x;
    zw_columns *none;
    (void)state;
    open_trial(&x, text, "d(x)/d(k)", 0.0);
    assert_int_equal(zw_sim_vary(x.b.sim, x.columns), ZW_ERR_SETTING);
    bench_expect(&x.b, "E0732", "beside it the constraints contradict each other");
    assert_int_equal(zw_columns_create(x.b.model, "d(x)/d(n)", &none), ZW_ERR_SETTING);
    bench_expect(&x.b, "E0733", "no derivative by 'n'");
    assert_int_equal(zw_columns_create(x.b.model, "d(rank)/d(l)", &none), ZW_ERR_SETTING);
    bench_expect(&x.b, "E0739", "no derivative of 'rank'");
    zw_context_clear_diagnostics(x.b.context);
    assert_int_equal(zw_columns_create(x.b.model, "d(x)/d(start(energy))", &none), ZW_ERR_SETTING);
    bench_expect(&x.b, "E0739", "no value at the start");
    assert_int_equal(zw_columns_create(x.b.model, "d(x)/l", &none), ZW_ERR_SETTING);
    bench_expect(&x.b, "E0723", "d(x)/l");
    close_trial(&x);
    open_trial(&x, switching, "d(x)/d(k)", 0.0);
    x.settings.method = ZW_GAUSS16;
    assert_int_equal(zw_sim_vary(x.b.sim, x.columns), ZW_OK);
    assert_int_equal(zw_sim_begin(x.b.sim, &x.settings), ZW_ERR_SETTING);
    bench_expect(&x.b, "E0732", "dop853, dopri5 and rk4");
    zw_sim_state(x.b.sim, NULL, x.b.q, x.b.v);
    x.b.q[0] += 1.0;
    zw_sim_set_state(x.b.sim, 0.0, x.b.q, x.b.v);
    x.settings.method = ZW_DOP853;
    assert_int_equal(zw_sim_begin(x.b.sim, &x.settings), ZW_ERR_ORDER); /* another state */
    close_trial(&x);
}

/* ----------------------------------------------------------------------------- methods */

/* rk4 and dopri5, inside steps and at their ends. */
static void test_methods(void **state)
{
    static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4};
    (void)state;
    for (int k = 0; k < 3; k++) {
        trial x;
        open_trial(&x,
                   "param w = 2\ncoord x\nkinetic x'^2/2\npotential w^2*x^2/2\nstart x = 1\n"
                   "simulate t = 0..3\n",
                   "d(x)/d(w), d(x')/d(w), d(x'')/d(w), d(energy)/d(w)", 1e-12);
        x.settings.method = methods[k];
        x.settings.step = methods[k] == ZW_RK4 ? 1e-3 : (double)NAN;
        begin_trial(&x);
        for (double t = 0.3333; t < 3.0; t += 0.7777) {
            go_to(&x, t);
            double s = sin(2 * t), c = cos(2 * t);
            bench_near(x.row[1], -t * s, 1e-9);
            bench_near(x.row[2], -s - 2 * t * c, 1e-9);
            bench_near(x.row[3], -4 * c + 4 * t * s, 1e-9);
            bench_near(x.row[4], 2.0, 1e-9);
        }
        close_trial(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references), cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_stop),       cmocka_unit_test(test_events_on_rows),
        cmocka_unit_test(test_bits),       cmocka_unit_test(test_start_values),
        cmocka_unit_test(test_ends),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_methods),    cmocka_unit_test(test_conflict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
