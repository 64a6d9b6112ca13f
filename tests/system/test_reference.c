/*
 * test_reference.c: constraint forces and accelerations at the states of tests/reference, whose
 * values were computed in quadruple precision by two formulations each.
 *
 * The states there are on their motions to double precision, so the forces must come out to about
 * as many digits. The constraint force is M z - Q.
 */
#include "loaded.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

enum { SIZE = 24 }; /* most coordinates and rows */

/* ------------------------------------------------------------------- reading */

static json_t *load_reference(const char *name)
{
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s.json", ZW_TEST_REFERENCE, name);
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) fail_msg("%s: %s", path, error.text);
    return root;
}

static double value_of(const json_t *entry, const char *name)
{
    const char *text = json_string_value(json_object_get(json_object_get(entry, "values"), name));
    if (text == NULL) fail_msg("the reference has no %s", name);
    return strtod(text, NULL);
}

/* names [n] separated by blanks */
static void values_of(const json_t *entry, const char *names, double *x)
{
    char name[32];
    int used;
    for (const char *p = names; sscanf(p, "%31s%n", name, &used) == 1; p += used) {
        *x++ = value_of(entry, name);
    }
}

static double time_of(const json_t *entry)
{
    return strtod(json_string_value(json_object_get(entry, "t")), NULL);
}

/* ----------------------------------------------------------------- comparing */

typedef struct state {
    double t, q[SIZE], v[SIZE];
    double z[SIZE], force[SIZE], C[SIZE], A[SIZE * SIZE]; /* what the library says there */
} state;

static void evaluate(loaded *l, state *s)
{
    double M[SIZE * SIZE], Q[SIZE];
    zw_instant i = {.M = M, .Q = Q, .C = s->C, .A = s->A};
    assert_int_equal(zw_sim_set_state(l->sim, s->t, s->q, s->v), ZW_OK);
    assert_int_equal(zw_sim_instant(l->sim, &i), ZW_OK);
    assert_int_equal(zw_sim_acceleration(l->sim, s->t, s->q, s->v, s->z), ZW_OK);
    for (int32_t k = 0; k < l->n; k++) {
        s->force[k] = -Q[k];
        for (int32_t j = 0; j < l->n; j++) s->force[k] += M[k * l->n + j] * s->z[j];
    }
}

/* `scale`: what the entries are measured by, besides the largest of them */
static void expect_vector(const char *what, double t, const double *x, const double *y, int32_t n,
                          double scale)
{
    double size = scale;
    for (int32_t i = 0; i < n; i++) size = fmax(size, fabs(y[i]));
    for (int32_t i = 0; i < n; i++) {
        if (!(fabs(x[i] - y[i]) <= 1e-10 * size)) {
            fail_msg("%s at t = %g: [%d] is %.17g, the reference %.17g", what, t, i, x[i], y[i]);
        }
    }
}

/* A^T lambda [n] */
static void rows_times(const loaded *l, const state *s, const double *lambda, double *force)
{
    for (int32_t j = 0; j < l->n; j++) {
        force[j] = 0;
        for (int32_t k = 0; k < l->m; k++) force[j] += s->A[k * l->n + j] * lambda[k];
    }
}

/* ------------------------------------------------------------------- systems */

/* Where the names of the reference are those of coordinates, velocities and forces. */
typedef struct plain {
    const char *model, *setting, *file, *which; /* which: the case, NULL: all */
    const char *q, *v;
    const char *force;       /* NULL: no forces given */
    const char *multipliers; /* NULL: none given */
    const char *z;           /* NULL: none given */
    double sign;             /* of the multipliers */
} plain;

static const plain plains[] = {
    {.model = "pendulum",
     .file = "iftomm_a01_pendulum",
     .q = "x y",
     .v = "vx vy",
     .force = "Fcx Fcy"},
    {.model = "sphere",
     .file = "uk_redundant_sphere",
     .q = "x y z",
     .v = "d_x d_y d_z",
     .force = "Fcx Fcy Fcz"},
    {.model = "hoop",
     .file = "uk_rotating_hoop",
     .q = "x y z",
     .v = "d_x d_y d_z",
     .force = "Fcx Fcy Fcz"},
    {.model = "appell_hamel",
     .file = "appell_nonlinear",
     .which = "appell_hamel_free",
     .q = "x y z",
     .v = "d_x d_y d_z",
     .force = "Fcx Fcy Fcz"},
    {.model = "caraxis",
     .file = "ivp_caraxis",
     .q = "xl yl xr yr",
     .v = "d_xl d_yl d_xr d_yr",
     .multipliers = "lambda1 lambda2",
     .sign = 1},
    {.model = "sleigh",
     .file = "chaplygin_sleigh",
     .q = "X Y theta",
     .v = "d_X d_Y omega",
     .multipliers = "lateral_force",
     .sign = 1},
    {.model = "andrews",
     .file = "andrews_squeezer",
     .q = "beta theta gamma phi delta omega epsilon",
     .v = "d_beta d_theta d_gamma d_phi d_delta d_omega d_epsilon",
     .multipliers = "lambda1 lambda2 lambda3 lambda4 lambda5 lambda6",
     .z = "dd_beta dd_theta dd_gamma dd_phi dd_delta dd_omega dd_epsilon",
     .sign = -1},
};

static void compare(const plain *p, loaded *l, const json_t *entry)
{
    state s = {.t = time_of(entry)};
    double expected[SIZE], lambda[SIZE];
    values_of(entry, p->q, s.q);
    values_of(entry, p->v, s.v);
    evaluate(l, &s);
    if (p->force != NULL) {
        values_of(entry, p->force, expected);
        expect_vector(p->model, s.t, s.force, expected, l->n, 0);
    }
    if (p->multipliers != NULL) {
        values_of(entry, p->multipliers, lambda);
        for (int32_t k = 0; k < l->m; k++) lambda[k] *= p->sign;
        rows_times(l, &s, lambda, expected);
        expect_vector(p->model, s.t, s.force, expected, l->n, 0);
    }
    if (p->z != NULL) {
        values_of(entry, p->z, expected);
        expect_vector(p->model, s.t, s.z, expected, l->n, 0);
    }
}

static bool of_case(const json_t *entry, const char *which)
{
    const char *name = json_string_value(json_object_get(entry, "case"));
    return which == NULL || (name != NULL && strcmp(name, which) == 0);
}

static loaded load_or_fail(const char *model, const char *setting)
{
    loaded l = load_model(model, setting);
    if (l.status != ZW_OK) fail_msg("%s: %s", model, load_messages(&l));
    assert_true(l.n <= SIZE && l.m <= SIZE);
    return l;
}

static void test_plain(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof plains / sizeof *plains; i++) {
        const plain *p = &plains[i];
        json_t *root = load_reference(p->file), *entry;
        loaded l = load_or_fail(p->model, p->setting);
        size_t k, compared = 0;
        json_array_foreach(json_object_get(root, "reference"), k, entry)
        {
            if (!of_case(entry, p->which)) continue;
            compare(p, &l, entry);
            compared++;
        }
        assert_true(compared >= 3);
        loaded_clear(&l);
        json_decref(root);
    }
}

/* ------------------------------------------------------------------ friction */

/* |C| = mu N, N the norm of the ideal reaction. */
static void friction_case(const char *model, const char *setting, const char *which, const char *q,
                          const char *v)
{
    json_t *root = load_reference("uk_friction"), *entry;
    loaded l = load_or_fail(model, setting);
    size_t k;
    json_array_foreach(json_object_get(root, "reference"), k, entry)
    {
        if (!of_case(entry, which)) continue;
        state s = {.t = time_of(entry)};
        values_of(entry, q, s.q);
        values_of(entry, v, s.v);
        evaluate(&l, &s);
        double N = 0, expected = 0.3 * value_of(entry, "N");
        for (int32_t i = 0; i < l.n; i++) N = hypot(N, s.C[i]);
        expect_vector(which, s.t, &N, &expected, 1, 0);
    }
    loaded_clear(&l);
    json_decref(root);
}

static void test_friction(void **unused)
{
    (void)unused;
    friction_case("friction_circle", "g = 0", "circle_no_gravity", "x y", "d_x d_y");
    friction_case("friction_incline", NULL, "incline", "x y z", "d_x d_y d_z");
}

/* -------------------------------------------------------------- rolling disc */

static double dot3(const double *x, const double *y)
{
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}

/* Rates of the angles from the angular velocity; the contact force is that on the centre. */
static void test_rolling_disc(void **unused)
{
    (void)unused;
    json_t *root = load_reference("rolling_disc"), *entry;
    loaded l = load_or_fail("rolling_disc", NULL);
    size_t k;
    json_array_foreach(json_object_get(root, "reference"), k, entry)
    {
        state s = {.t = time_of(entry)};
        double w[3], expected[3];
        values_of(entry, "xc yc zc theta psi phi", s.q);
        values_of(entry, "d_xc d_yc d_zc", s.v);
        values_of(entry, "wx wy wz", w);
        values_of(entry, "Fx Fy Fz", expected);
        double st = sin(s.q[3]), ct = cos(s.q[3]), sp = sin(s.q[4]), cp = cos(s.q[4]);
        s.v[3] = dot3(w, (double[]){cp, sp, 0});
        s.v[4] = dot3(w, (double[]){-ct * sp, ct * cp, st}) / st;
        s.v[5] = dot3(w, (double[]){sp * st, -cp * st, ct}) - s.v[4] * ct;
        evaluate(&l, &s);
        expect_vector("rolling disc", s.t, s.force, expected, 3, 0);
    }
    loaded_clear(&l);
    json_decref(root);
}

/* ------------------------------------------------------------------- Bricard
 *
 * Coordinates P1..P4, u1..u4. A rod d_k and the axes u_k-1, u_k at its ends are perpendicular to
 * each other and turn together, so u_k = +-(d_k x u_k-1) with the sign it has at the start;
 * u_0 = Y.
 */

enum { POINTS = 6, AXES = 4 };

static void add_cross(double sign, const double *x, const double *y, double *z)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        z[i] += sign * (x[j] * y[k] - x[k] * y[j]);
    }
}

/* Points P and their rates [3*POINTS] to q and v [24]. */
static void bricard_state(const double *P, const double *rate, double *q, double *v)
{
    static const double sign[AXES] = {1, -1, 1, -1}, Y[3] = {0, 1, 0}, fixed[3] = {0, 0, 0};
    memset(q, 0, SIZE * sizeof *q);
    memset(v, 0, SIZE * sizeof *v);
    memcpy(q, P + 3, 12 * sizeof *q);
    memcpy(v, rate + 3, 12 * sizeof *v);
    for (int k = 0; k < AXES; k++) {
        double d[3], dr[3], *u = q + 12 + 3 * k, *ur = v + 12 + 3 * k;
        const double *before = k > 0 ? u - 3 : Y, *before_rate = k > 0 ? ur - 3 : fixed;
        for (int i = 0; i < 3; i++) {
            d[i] = P[3 * k + 3 + i] - P[3 * k + i];
            dr[i] = rate[3 * k + 3 + i] - rate[3 * k + i];
        }
        add_cross(sign[k], d, before, u);
        add_cross(sign[k], dr, before, ur);
        add_cross(sign[k], d, before_rate, ur);
    }
}

static void test_bricard(void **unused)
{
    (void)unused;
    json_t *root = load_reference("iftomm_a04_bricard"), *entry;
    loaded l = load_or_fail("bricard", NULL);
    size_t e;
    json_array_foreach(json_object_get(root, "reference"), e, entry)
    {
        state s = {.t = time_of(entry)};
        double P[3 * POINTS] = {[17] = 1}, rate[3 * POINTS] = {0}, expected[12];
        values_of(entry, "P1x P1y P1z P2x P2y P2z P3x P3y P3z P4x P4y P4z", P + 3);
        values_of(entry, "d_P1x d_P1y d_P1z d_P2x d_P2y d_P2z d_P3x d_P3y d_P3z d_P4x d_P4y d_P4z",
                  rate + 3);
        values_of(entry,
                  "dd_P1x dd_P1y dd_P1z dd_P2x dd_P2y dd_P2z dd_P3x dd_P3y dd_P3z dd_P4x dd_P4y "
                  "dd_P4z",
                  expected);
        bricard_state(P, rate, s.q, s.v);
        evaluate(&l, &s);
        expect_vector("Bricard", s.t, s.z, expected, 12, 0);
    }
    loaded_clear(&l);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_friction),
        cmocka_unit_test(test_rolling_disc),
        cmocka_unit_test(test_bricard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
