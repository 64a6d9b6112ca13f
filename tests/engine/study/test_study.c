/*
 * Linearisations and equilibria against closed forms (tests/reference/derivatives), and what they say of
 * bodies that lie on the ground, of moving states, and of what cannot be done.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* ------------------------------------------------------------------- references */

static json_t *load(const char *name)
{
    char path[2000];
    snprintf(path, sizeof path, "%s/derivatives/%s.json", ZW_TEST_REFERENCE, name);
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    return root;
}

static void open_model(bench *b, const char *name)
{
    json_t *root = load(name);
    bench_open(b, json_string_value(json_object_get(root, "model")));
    assert_int_equal(bench_start(b, false), ZW_OK);
    json_decref(root);
}

/* The number of a key in a case of a reference. */
static double number_of(json_t *values, const char *key)
{
    const char *text = json_string_value(json_object_get(values, key));
    if (!text) fail_msg("no %s in the reference", key);
    return strtod(text, NULL);
}

static json_t *values_of(json_t *root, size_t k)
{
    return json_object_get(json_array_get(json_object_get(root, "reference"), k), "values");
}

static double relative(double x)
{
    return fmax(1.0, fabs(x));
}

/* The value of X, a coordinate, multiplier or frequency, of derivative k or (-1) itself. */
static double value_of(const bench *b, const zw_equilibrium *e, int32_t k, const char *name)
{
    char text[200];
    const double *q = k < 0 ? e->q : e->dq + k * b->n;
    const double *l = k < 0 ? e->multipliers : e->dmultipliers + k * b->m;
    const double *f = k < 0 ? e->frequency : e->dfrequency + k * e->modes;
    if (strncmp(name, "frequency[", 10) == 0) return f[atoi(name + 10) - 1];
    for (int32_t i = 0; i < b->n; i++) {
        zw_model_coordinate_name(b->model, i, text, sizeof text);
        if (strcmp(text, name) == 0) return q[i];
    }
    for (int32_t i = 0; i < b->m; i++) {
        char whole[300];
        zw_model_row_name(b->model, i, text, sizeof text);
        snprintf(whole, sizeof whole, "multiplier(%s)", text);
        if (strcmp(whole, name) == 0) return l[i];
    }
    fail_msg("nothing is called %s", name);
    return 0.0;
}

/* All keys of a case; how many were derivatives. */
static int compare_case(const bench *b, const zw_equilibrium *e, json_t *values, double within,
                        double derivatives_within)
{
    const char *key;
    json_t *unused;
    int derivatives = 0;
    json_object_foreach(values, key, unused)
    {
        char name[200], by[200];
        double wanted = number_of(values, key);
        if (strcmp(key, "states") == 0) {
            assert_int_equal(e->poles, (int)wanted);
            continue;
        }
        if (sscanf(key, "d(%199[^/]/d(%199[^)])", name, by) != 2) {
            bench_near(value_of(b, e, -1, key), wanted, within * relative(wanted));
            continue;
        }
        name[strlen(name) - 1] = 0; /* its bracket */
        int32_t k = 0;
        while (k < e->parameters && strcmp(e->parameter_names[k], by) != 0) k++;
        assert_true(k < e->parameters);
        bench_near(value_of(b, e, k, name), wanted, derivatives_within * relative(wanted));
        derivatives++;
    }
    return derivatives;
}

static void compare_equilibrium(const char *model, const char *reference, double within,
                                double derivatives_within, int derivatives)
{
    bench b;
    zw_equilibrium *e;
    json_t *root = load(reference);
    size_t cases = json_array_size(json_object_get(root, "reference"));
    int compared = 0;
    open_model(&b, model);
    assert_int_equal(zw_sim_equilibrium(b.sim, &(zw_equilibrium_asked){.by = "all"}, &e), ZW_OK);
    assert_int_equal(e->unstable, 0);
    for (size_t k = 0; k < cases; k++)
        compared += compare_case(&b, e, values_of(root, k), within, derivatives_within);
    assert_int_equal(compared, derivatives);
    zw_equilibrium_free(e);
    json_decref(root);
    bench_close(&b);
}

static void test_spring_arm(void **state)
{
    (void)state;
    compare_equilibrium("equilibrium_spring_arm", "equilibrium_spring_arm", 1e-12, 1e-10, 20);
}

static void test_double_pendulum(void **state)
{
    (void)state;
    compare_equilibrium("sens_double_pendulum", "linear_double_pendulum", 1e-12, 1e-10, 10);
}

static void test_coupled_cranks(void **state)
{
    (void)state;
    compare_equilibrium("sens_coupled_cranks", "linear_coupled_cranks", 1e-11, 1e-10, 0);
}

/* ------------------------------------------------------------------ linearisation */

/* y/u at s, by C (s - A)^-1 B + D with elimination here. */
static double transfer(const zw_linearization *x, int32_t output, double s)
{
    double a[20][21];
    int32_t n = x->states;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) a[i][j] = (i == j ? s : 0.0) - x->A[i * n + j];
        a[i][n] = x->B[i * x->inputs];
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t p = k;
        for (int32_t i = k; i < n; i++)
            if (fabs(a[i][k]) > fabs(a[p][k])) p = i;
        for (int32_t j = 0; j <= n; j++) {
            double y = a[k][j];
            a[k][j] = a[p][j], a[p][j] = y;
        }
        for (int32_t i = 0; i < n; i++) {
            double f = i == k ? 0.0 : a[i][k] / a[k][k];
            for (int32_t j = 0; j <= n; j++) a[i][j] -= f * a[k][j];
        }
    }
    double y = x->D[output * x->inputs];
    for (int32_t k = 0; k < n; k++) y += x->C[output * n + k] * a[k][n] / a[k][k];
    return y;
}

static void test_cart_pole(void **state)
{
    (void)state;
    bench b;
    zw_linearization *x;
    json_t *root = load("linear_cart_pole"), *poles = values_of(root, 0), *t = values_of(root, 1);
    open_model(&b, "linear_cart_pole");
    zw_linearize asked = {.inputs = "u", .outputs = "x, lean"};
    assert_int_equal(zw_sim_linearize(b.sim, &asked, &x), ZW_OK);
    assert_int_equal(x->states, 4);
    bench_near(x->pole_re[0], number_of(poles, "pole[1]"), 1e-10);
    bench_near(x->pole_re[3], number_of(poles, "pole[4]"), 1e-10);
    bench_near(hypot(x->pole_re[1], x->pole_im[1]), 0.0, 1e-6);
    bench_near(hypot(x->pole_re[2], x->pole_im[2]), 0.0, 1e-6);
    const char *keys[4] = {"x/u at s=2", "x/u at s=5", "lean/u at s=2", "lean/u at s=5"};
    for (int k = 0; k < 4; k++) {
        double wanted = number_of(t, keys[k]);
        bench_near(transfer(x, k / 2, k % 2 ? 5.0 : 2.0), wanted, 1e-11 * fabs(wanted));
    }
    zw_linearization_free(x);
    json_decref(root);
    bench_close(&b);
}

/* What was impressed alone is differentiated: centrifugal terms are not in C. */
static void test_impressed_output(void **state)
{
    (void)state;
    bench b;
    zw_linearization *x;
    bench_open(&b, "param k = 3\ncoord r, p\nkinetic (r'^2 + (r*p')^2)/2\npotential k*r^2/2\n"
                   "dissipation 0.1*p'^2\nstart r = 2, p' = 1.5\n");
    assert_int_equal(bench_start(&b, true), ZW_OK);
    zw_linearize asked = {.inputs = "k", .outputs = "impressed(r), impressed(p)"};
    assert_int_equal(zw_sim_linearize(b.sim, &asked, &x), ZW_OK);
    static const double C[2][4] = {{-3.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, -0.2}};
    assert_int_equal(x->states, 4);
    for (int k = 0; k < 8; k++) bench_near(x->C[k], C[k / 4][k % 4], 1e-14);
    bench_near(x->D[0], -2.0, 1e-14);
    bench_near(x->D[1], 0.0, 0.0);
    zw_linearization_free(x);
    bench_close(&b);
}

/* Chaplygin's sleigh in steady motion along its blade: 3 places, 2 speeds, one pole
 * -m a V/(I + m a^2), the others 0. */
static void test_sleigh(void **state)
{
    (void)state;
    bench b;
    zw_linearization *x;
    bench_open(&b, "param m = 2, I = 0.6, a = 0.4\ncoord x, y, th\n"
                   "kinetic m/2*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2) + I/2*th'^2\n"
                   "constraint blade: -x'*sin(th) + y'*cos(th) = 0\n"
                   "start th = 0.3, x' = 1.5*cos(0.3), y' = 1.5*sin(0.3)\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_linearize(b.sim, &(zw_linearize){0}, &x), ZW_OK);
    assert_int_equal(x->states, 5);
    assert_int_equal(x->places, 3);
    assert_true(x->speed > 1.0);
    bench_near(x->pole_re[0], -2 * 0.4 * 1.5 / (0.6 + 2 * 0.4 * 0.4), 1e-13);
    for (int k = 1; k < 5; k++) bench_near(hypot(x->pole_re[k], x->pole_im[k]), 0.0, 1e-5);
    zw_linearization_free(x);
    bench_close(&b);
}

/* Beside a moving state: the motion from a start a little off, minus the motion itself, after a short
 * while is exp(A t), of which A t + A^2 t^2/2 are compared by differences of accelerations: here the
 * double pendulum of 6 rows in other coordinates, angles, has the same poles where it moves. */
static void test_same_poles(void **state)
{
    (void)state;
    static const char *texts[2] = {
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + 3*x^2\n"
        "dissipation 0.1*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = 1\n"
        "start x = sin(0.5), y = -cos(0.5)\n",
        "coord a\nkinetic a'^2/2\npotential -9.81*cos(a) + 3*sin(a)^2\ndissipation 0.1*a'^2\n"
        "start a = 0.5\n"};
    zw_linearization *x[2];
    bench b[2];
    for (int k = 0; k < 2; k++) {
        bench_open(&b[k], texts[k]);
        assert_int_equal(bench_start(&b[k], false), ZW_OK);
    }
    zw_equilibrium *e[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(zw_sim_equilibrium(b[k].sim, &(zw_equilibrium_asked){0}, &e[k]), ZW_OK);
        assert_int_equal(zw_sim_linearize(b[k].sim, &(zw_linearize){0}, &x[k]), ZW_OK);
        assert_int_equal(x[k]->states, 2);
        assert_int_equal(e[k]->poles, 2);
    }
    for (int k = 0; k < 2; k++) {
        bench_near(x[0]->pole_re[k], x[1]->pole_re[k], 1e-12);
        bench_near(x[0]->pole_im[k], x[1]->pole_im[k], 1e-12);
        bench_near(e[0]->pole_im[k], x[1]->pole_im[k], 1e-12);
    }
    bench_near(e[0]->frequency[0], sqrt(9.81 + 6), 1e-12);
    for (int k = 0; k < 2; k++) {
        zw_linearization_free(x[k]);
        zw_equilibrium_free(e[k]);
        bench_close(&b[k]);
    }
}

/* ------------------------------------------------------------------------- contact */

static const char block[] = "param a = 0.2, mu = 0.5\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                            "potential 9.81*(y*cos(a) + x*sin(a))\nconstraint ground: y >= 0\n"
                            "friction ground: mu along x'\nstart x = 1, y = 0\n";

/* A block on a slope: it lies where it is, in the cone, with the forces of statics. */
static void test_block(void **state)
{
    (void)state;
    bench b;
    zw_equilibrium *e;
    bench_open(&b, block);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_equilibrium(b.sim, &(zw_equilibrium_asked){.by = "a"}, &e), ZW_OK);
    bench_near(e->q[0], 1.0, 0.0);
    bench_near(e->multipliers[0], 9.81 * cos(0.2), 1e-12);
    bench_near(e->multipliers[1], 9.81 * sin(0.2), 1e-12);
    bench_near(e->dmultipliers[0], -9.81 * sin(0.2), 1e-12);
    bench_near(e->dmultipliers[1], 9.81 * cos(0.2), 1e-12);
    assert_int_equal(e->modes, 0);
    zw_equilibrium_free(e);
    assert_int_equal(zw_sim_set_parameters(b.sim, "a = 0.6"), ZW_OK);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_equilibrium(b.sim, &(zw_equilibrium_asked){0}, &e), ZW_ERR_START);
    bench_expect(&b, "E0736", "friction does not hold");
    bench_close(&b);
}

/* A box falls onto two corners; a ball rolls to the bottom of a bowl that it only touches. */
static void test_falls(void **state)
{
    (void)state;
    bench b;
    zw_equilibrium *e;
    bench_open(&b, "coord y, th\nkinetic y'^2/2 + 0.1*th'^2\npotential 9.81*y\n"
                   "constraint left: y - 0.5*cos(th) - 0.5*sin(th) >= 0\n"
                   "constraint right: y - 0.5*cos(th) + 0.5*sin(th) >= 0\nstart y = 1, th = 0.1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_equilibrium(b.sim, &(zw_equilibrium_asked){0}, &e), ZW_OK);
    bench_near(e->q[0], 0.5, 1e-12), bench_near(e->q[1], 0.0, 1e-12);
    bench_near(e->multipliers[0], 9.81 / 2, 1e-11);
    zw_equilibrium_free(e);
    bench_close(&b);
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                   "constraint bowl: y - x^2 >= 0\nstart x = 0.5, y = 1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_equilibrium(b.sim, &(zw_equilibrium_asked){0}, &e), ZW_OK);
    bench_near(e->q[0], 0.0, 1e-10), bench_near(e->q[1], 0.0, 1e-10);
    bench_near(e->frequency[0], sqrt(2 * 9.81), 1e-9);
    zw_equilibrium_free(e);
    bench_close(&b);
}

/* ------------------------------------------------------------------------ refusals */

static void refuse_linear(const char *text, const zw_linearize *asked, const char *code,
                          const char *words)
{
    bench b;
    zw_linearization *x = NULL;
    bench_open(&b, text);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_linearize(b.sim, asked, &x), ZW_ERR_SETTING);
    assert_null(x);
    bench_expect(&b, code, words);
    bench_close(&b);
}

static void refuse_rest(const char *text, const char *code, const char *words)
{
    bench b;
    zw_equilibrium *e = NULL;
    bench_open(&b, text);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_equilibrium(b.sim, &(zw_equilibrium_asked){0}, &e), ZW_ERR_START);
    assert_null(e);
    bench_expect(&b, code, words);
    bench_close(&b);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char rod[] =
        "param l = 1, u = 0\ncoord x, y\nkinetic x'^2 + y'^2\npotential y\n"
        "constraint rod: x^2 + y^2 = l^2\nforce x: u\nstart x = 0.6, y = -0.8\n";
    refuse_linear(rod, &(zw_linearize){.states = "x, y"}, "E0738", "not independent");
    refuse_linear(rod, &(zw_linearize){.states = "x'"}, "E0738", "is no coordinate");
    refuse_linear(rod, &(zw_linearize){.inputs = "l"}, "E0738", "moves with it");
    refuse_linear(rod, &(zw_linearize){.inputs = "w"}, "E0108", "no parameter 'w'");
    refuse_linear(rod, &(zw_linearize){.outputs = "rank"}, "E0739", "no derivative of 'rank'");
    refuse_rest("coord x\nkinetic x'^2\nforce x: 1\n", "E0736", "no state of rest was found");
    refuse_rest("coord x, y\nkinetic x'^2 + y'^2\nconstraint moves: x = 2*t\nstart x' = 2\n",
                "E0736", "moves");
}

/* Unstable and neutral states are said. */
static void test_warnings(void **state)
{
    (void)state;
    bench b;
    zw_equilibrium *e;
    open_model(&b, "linear_cart_pole");
    assert_int_equal(zw_sim_equilibrium(b.sim, &(zw_equilibrium_asked){0}, &e), ZW_OK);
    assert_int_equal(e->unstable, 1);
    assert_int_equal(e->neutral, 1);
    bench_near(e->frequency[0], -3.61662826400502488800989, 1e-11);
    bench_expect(&b, "W0737", "unstable");
    zw_equilibrium_free(e);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spring_arm),
                                       cmocka_unit_test(test_double_pendulum),
                                       cmocka_unit_test(test_coupled_cranks),
                                       cmocka_unit_test(test_cart_pole),
                                       cmocka_unit_test(test_impressed_output),
                                       cmocka_unit_test(test_sleigh),
                                       cmocka_unit_test(test_same_poles),
                                       cmocka_unit_test(test_block),
                                       cmocka_unit_test(test_falls),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_warnings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
