/*
 * test_motion.c: from the text of a model along its motion to the reference values.
 *
 * The library gives the start and the acceleration; the classical Runge-Kutta method of fourth
 * order stands here, in a few lines, so that nothing but the equations is tested. Nothing
 * is projected: over these short times the equations alone must keep to the constraints.
 */
#include "loaded.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

enum { SIZE = 64 }; /* most coordinates and rows */

/* -------------------------------------------------------------- Runge-Kutta */

typedef struct motion {
    double t, q[SIZE], v[SIZE];
} motion;

/* r = m + h (dq, dv) */
static motion moved(const motion *m, int32_t n, double h, const double *dq, const double *dv)
{
    motion r = {.t = m->t + h};
    for (int32_t i = 0; i < n; i++) {
        r.q[i] = m->q[i] + h * dq[i];
        r.v[i] = m->v[i] + h * dv[i];
    }
    return r;
}

static bool step(loaded *l, motion *m, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
    double dq[SIZE] = {0}, dv[SIZE] = {0}, sum_q[SIZE] = {0}, sum_v[SIZE] = {0};
    for (int k = 0; k < 4; k++) {
        motion stage = moved(m, l->n, at[k] * h, dq, dv);
        memcpy(dq, stage.v, sizeof dq);
        if (zw_sim_acceleration(l->sim, stage.t, stage.q, stage.v, dv) != ZW_OK) return false;
        for (int32_t i = 0; i < l->n; i++) {
            sum_q[i] += weight[k] * dq[i];
            sum_v[i] += weight[k] * dv[i];
        }
    }
    *m = moved(m, l->n, h, sum_q, sum_v);
    return true;
}

/* From the model's start, `steps` steps of length h. */
static motion run(loaded *l, const char *name, double h, int steps)
{
    motion m = {0};
    if (l->status != ZW_OK) fail_msg("%s: %s", name, load_messages(l));
    assert_true(l->n <= SIZE && l->m <= SIZE);
    zw_status status = zw_sim_start(l->sim, false);
    if (status != ZW_OK) fail_msg("%s: %s", name, zw_status_name(status));
    assert_int_equal(zw_sim_state(l->sim, &m.t, m.q, m.v), ZW_OK);
    for (int i = 0; i < steps; i++) {
        if (!step(l, &m, h)) fail_msg("%s: no acceleration in step %d", name, i);
    }
    return m;
}

/* ---------------------------------------------------------------- references */

/* Coordinates and what they are called in the reference: "x=x x'=vx r[1]=xc". */
typedef struct course {
    const char *model, *setting, *file;
    const char *key, *key_value; /* picks entries of the reference; NULL: all */
    const char *time;
    int steps;
    const char *names;
} course;

static const course courses[] = {
    {"pendulum", NULL, "iftomm_a01_pendulum", NULL, NULL, "0.5", 2000, "x=x y=y x'=vx y'=vy"},
    {"sphere", NULL, "uk_redundant_sphere", NULL, NULL, "0.5", 2000,
     "r[1]=x r[2]=y r[3]=z r[1]'=d_x r[2]'=d_y r[3]'=d_z"},
    {"hoop", NULL, "uk_rotating_hoop", NULL, NULL, "0.5", 2000, "x=x y=y z=z x'=d_x y'=d_y z'=d_z"},
    {"appell_hamel", NULL, "appell_nonlinear", "case", "appell_hamel_free", "0.5", 1000,
     "x=x y=y z=z x'=d_x y'=d_y z'=d_z"},
    {"sleigh", NULL, "chaplygin_sleigh", NULL, NULL, "0.5", 2000,
     "X=X Y=Y θ=theta X'=d_X Y'=d_Y θ'=omega"},
    {"rolling_disc", NULL, "rolling_disc", "case", "generic", "0.5", 4000,
     "c[1]=xc c[2]=yc c[3]=zc θ=theta c[1]'=d_xc c[2]'=d_yc c[3]'=d_zc"},
    {"friction_incline", NULL, "uk_friction", "case", "incline", "0.5", 500,
     "x=x z=z x'=d_x z'=d_z"},
    {"caraxis", NULL, "ivp_caraxis", NULL, NULL, "0.5", 8000,
     "xl=xl yl=yl xr=xr yr=yr xl'=d_xl yl'=d_yl xr'=d_xr yr'=d_yr"},
    {"andrews", NULL, "andrews_squeezer", NULL, NULL, "0.005", 2000,
     "β=beta θ=theta γ=gamma φ=phi δ=delta ω=omega ε=epsilon β'=d_beta ε'=d_epsilon"},
    {"bricard", NULL, "iftomm_a04_bricard", NULL, NULL, "0.1", 400, ""},
    {"flyball", NULL, "iftomm_a05_flyball", NULL, NULL, "0.01", 4000,
     "s=s β[1]=beta β[2]=beta2 ψ=psi ψ'=omega s'=d_s"},
    {"chain", "N = 10", "chain_n", "N", "10", "0.1", 2000,
     "x[1]=x_1 y[1]=y_1 x[5]=x_mid y[5]=y_mid x[10]=x_tip y[10]=y_tip x[1]'=d_x_1 y[10]'=d_y_tip"},
    {"fourbar", "N = 1", "iftomm_a02_nfourbar", "N", "1", "0.5", 2000,
     "x[1]=B0x y[1]=B0y x[1]'=B0vx y[1]'=B0vy"},
    {"fourbar", "N = 2", "iftomm_a02_nfourbar", "N", "2", "0.5", 2000,
     "x[1]=B0x y[1]=B0y x[1]'=B0vx y[1]'=B0vy"},
};

static bool has_key(const json_t *entry, const course *c)
{
    char text[64];
    const json_t *value = c->key != NULL ? json_object_get(entry, c->key) : NULL;
    if (c->key == NULL) return true;
    if (json_is_integer(value)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
        return strcmp(text, c->key_value) == 0;
    }
    return json_is_string(value) && strcmp(json_string_value(value), c->key_value) == 0;
}

/* The values of the entry at the wanted time; root is kept by the caller. */
static const json_t *find_values(const json_t *root, const course *c)
{
    size_t i;
    json_t *entry;
    json_array_foreach(json_object_get(root, "reference"), i, entry)
    {
        const char *time = json_string_value(json_object_get(entry, "t"));
        if (time != NULL && strcmp(time, c->time) == 0 && has_key(entry, c)) {
            return json_object_get(entry, "values");
        }
    }
    fail_msg("%s has no time %s", c->file, c->time);
    return NULL;
}

/* The value of "x[1]" or "x[1]'" in a motion. */
static double named(const loaded *l, const motion *m, const char *name)
{
    char bare[64], coordinate[64];
    size_t length = strlen(name);
    bool velocity = length > 0 && name[length - 1] == '\'';
    snprintf(bare, sizeof bare, "%.*s", (int)(length - velocity), name);
    for (int32_t i = 0; i < l->n; i++) {
        zw_model_coordinate_name(l->model, i, coordinate, sizeof coordinate);
        if (strcmp(coordinate, bare) == 0) return velocity ? m->v[i] : m->q[i];
    }
    fail_msg("no coordinate %s", bare);
    return 0;
}

static void compare(const course *c, const loaded *l, const motion *m, const json_t *values)
{
    char pair[128];
    int used;
    for (const char *p = c->names; sscanf(p, "%127s%n", pair, &used) == 1; p += used) {
        char *equals = strchr(pair, '=');
        assert_non_null(equals);
        *equals = '\0';
        const char *text = json_string_value(json_object_get(values, equals + 1));
        if (text == NULL) fail_msg("%s has no %s", c->file, equals + 1);
        double expected = strtod(text, NULL), got = named(l, m, pair);
        if (!(fabs(got - expected) <= 1e-9 * fmax(1, fabs(expected)))) {
            fail_msg("%s at t = %s: %s is %.15g, the reference %.15g", c->model, c->time, pair, got,
                     expected);
        }
    }
}

/* Points of Bricard's mechanism are the first twelve coordinates. */
static void compare_bricard(const motion *m, const json_t *values)
{
    for (int i = 0; i < 12; i++) {
        char name[8];
        snprintf(name, sizeof name, "P%d%c", 1 + i / 3, "xyz"[i % 3]);
        double expected = strtod(json_string_value(json_object_get(values, name)), NULL);
        if (!(fabs(m->q[i] - expected) <= 1e-9)) {
            fail_msg("Bricard: %s is %.15g, the reference %.15g", name, m->q[i], expected);
        }
    }
}

static void test_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++) {
        const course *c = &courses[i];
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.json", ZW_TEST_REFERENCE, c->file);
        json_t *root = json_load_file(path, 0, NULL);
        if (root == NULL) fail_msg("%s cannot be read", path);
        const json_t *values = find_values(root, c);
        loaded l = load_model(c->model, c->setting);
        motion m = run(&l, c->model, strtod(c->time, NULL) / c->steps, c->steps);
        if (strcmp(c->model, "bricard") == 0)
            compare_bricard(&m, values);
        else
            compare(c, &l, &m, values);
        loaded_clear(&l);
        json_decref(root);
    }
}

/* -------------------------------------------------------------- constraints */

/* After a thousandth of a second every model still satisfies its constraints: A and b are the
 * derivatives of phi, whatever the model. */
static void keeps_constraints(const char *name)
{
    double value[SIZE], rate[SIZE];
    zw_instant instant = {.value = value, .rate = rate};
    loaded l = load_model(name, NULL);
    motion m = run(&l, name, 1e-5, 100);
    assert_int_equal(zw_sim_set_state(l.sim, m.t, m.q, m.v), ZW_OK);
    assert_int_equal(zw_sim_instant(l.sim, &instant), ZW_OK);
    for (int32_t k = 0; k < l.m; k++) {
        zw_row_kind kind;
        char row[64];
        assert_int_equal(zw_model_row_kind(l.model, k, &kind), ZW_OK);
        if (kind == ZW_ACCELERATION) continue;
        zw_model_row_name(l.model, k, row, sizeof row);
        if (!(fabs(value[k]) <= 1e-12) || !(fabs(rate[k]) <= 1e-10)) {
            fail_msg("%s: %s has drifted to %g, its rate to %g", name, row, value[k], rate[k]);
        }
    }
    loaded_clear(&l);
}

static void test_constraints(void **state)
{
    (void)state;
    DIR *folder = opendir(ZW_TEST_MODELS);
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".zw") != 0) continue;
        *dot = '\0';
        keeps_constraints(entry->d_name);
        count++;
    }
    closedir(folder);
    assert_true(count >= 20);
}

/* ------------------------------------------------------- the same, otherwise */

/* A Cartesian and an angular double pendulum, from the same start, meet again. */
static void test_two_ways(void **state)
{
    (void)state;
    loaded points = load_model("double_pendulum", NULL);
    loaded angles = load_model("double_pendulum_angle", NULL);
    motion p = run(&points, "double_pendulum", 1e-3, 500);
    motion a = run(&angles, "double_pendulum_angle", 1e-3, 500);
    double tip[4] = {sin(a.q[0]), -cos(a.q[0]), sin(a.q[0]) + 0.8 * sin(a.q[1]),
                     -cos(a.q[0]) - 0.8 * cos(a.q[1])};
    for (int i = 0; i < 4; i++) assert_true(fabs(p.q[i] - tip[i]) <= 1e-9);
    assert_true(fabs(a.q[0] - 1.5) > 0.5); /* it has moved */
    loaded_clear(&points);
    loaded_clear(&angles);
}

/* The top in Euler parameters against Euler's equations: w' = J^-1 (torque - w x J w), w' = 2 L p''
 * (L' p' = 0), torque = h e3 x R^T(0, 0, -m g). */
static void test_top(void **state)
{
    (void)state;
    static const double J[3] = {0.3, 0.3, 0.1};
    loaded l = load_model("top_quaternion", NULL);
    motion m = run(&l, "top_quaternion", 1e-3, 200);
    double z[SIZE], w[3], rate[3];
    const double *p = m.q;
    const double L[3][4] = {
        {-p[1], p[0], p[3], -p[2]}, {-p[2], -p[3], p[0], p[1]}, {-p[3], p[2], -p[1], p[0]}};
    assert_int_equal(zw_sim_acceleration(l.sim, m.t, m.q, m.v, z), ZW_OK);
    for (int i = 0; i < 3; i++) {
        w[i] = rate[i] = 0;
        for (int j = 0; j < 4; j++) {
            w[i] += 2 * L[i][j] * m.v[j];
            rate[i] += 2 * L[i][j] * z[j];
        }
    }
    /* third row of R = the vertical in body axes */
    double up[2] = {2 * (p[1] * p[3] - p[0] * p[2]), 2 * (p[2] * p[3] + p[0] * p[1])};
    double weight = 2 * 9.81 * 0.4;
    double torque[3] = {weight * up[1], -weight * up[0], 0};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double expected = (torque[i] - (w[j] * J[k] * w[k] - w[k] * J[j] * w[j])) / J[i];
        if (!(fabs(rate[i] - expected) <= 1e-8 * 30)) {
            fail_msg("w'[%d] is %.15g, by Euler %.15g", i, rate[i], expected);
        }
    }
    loaded_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_constraints),
        cmocka_unit_test(test_two_ways),
        cmocka_unit_test(test_top),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
