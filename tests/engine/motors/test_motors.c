/*
 * Controls by motors: the same forces in whatever coordinates a model is written; the unsymmetric
 * system of accelerations, multipliers of the other rows and motors, solved by elimination; least
 * norm by hand; limits against closed forms, with the moments at which they are met; saving and
 * restoring while a motor is at its limit; ensembles; messages of a start and of columns.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* The columns of a list at the simulation's state. */
static void read_columns(const bench *b, const char *list, double *row)
{
    zw_columns *columns = NULL;
    assert_int_equal(zw_columns_create(b->model, list, &columns), ZW_OK);
    assert_int_equal(zw_sim_columns(b->sim, columns, row), ZW_OK);
    zw_columns_free(columns);
}

static void open_started(bench *b, const char *text)
{
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-52 - 1.0;
}

/* ------------------------------------------------------------------------ coordinates */

static const char angles[] = "param M = 1.2, m = 0.3, l = 0.8\ncoord x, th\n"
                             "let p = [x + l*sin(th), -l*cos(th)]\n"
                             "kinetic M/2*x'^2 + m/2*dot(p', p')\npotential m*9.81*p[2]\n"
                             "force x: -0.3*x'\nforce th: -0.1*th'\n"
                             "control follow: x'' + %s = sin(t) by %s\n";
static const char rods[] = "param M = 1.2, m = 0.3, l = 0.8\ncoord x, p[2]\n"
                           "let th = atan2(p[1] - x, -p[2])\n"
                           "kinetic M/2*x'^2 + m/2*dot(p', p')\npotential m*9.81*p[2]\n"
                           "constraint rod: (p[1] - x)^2 + p[2]^2 = l^2\n"
                           "force x: -0.3*x'\n"
                           "force p: -0.1*th'*[-p[2], p[1] - x]/l^2\n"
                           "force x: 0.1*th'*(-p[2])/l^2\n"
                           "control follow: x'' + %s = sin(t) by %s\n";

/* u of a model at a state of the cart-pole; as a rod where `cartesian`. */
static double ask_cart(const char *text, const char *law, const char *motor, const double s[4],
                       bool cartesian)
{
    char model[1000];
    bench b;
    double u, q[3] = {s[0], s[1], 0}, v[3] = {s[2], s[3], 0};
    snprintf(model, sizeof model, text, law, motor);
    bench_open(&b, model);
    if (cartesian) {
        q[1] = s[0] + 0.8 * sin(s[1]);
        q[2] = -0.8 * cos(s[1]);
        v[1] = s[2] + 0.8 * cos(s[1]) * s[3];
        v[2] = 0.8 * sin(s[1]) * s[3];
    }
    assert_int_equal(zw_sim_set_state(b.sim, 0.7, q, v), ZW_OK);
    double row[2];
    read_columns(&b, "actuator(follow)", row);
    u = row[1];
    bench_close(&b);
    return u;
}

/* Angles and Cartesian coordinates with a rod; the cart's motor, that of the hinge, one that pulls at
 * the bob; laws of cart and pole. */
static void test_coordinates(void **state)
{
    (void)state;
    static const char *const laws[] = {"2*x' + x", "0.7*th''", "th' + 3*x''*cos(th)"};
    static const char *const motors[] = {"x", "th", "[x + 0.8*sin(th), 0] along [0.6, 0.8]"};
    uint64_t seed = 5;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            for (int n = 0; n < 5; n++) {
                double s[4];
                for (int j = 0; j < 4; j++) s[j] = uniform(&seed);
                double u = ask_cart(angles, laws[i], motors[k], s, false);
                double w = ask_cart(rods, laws[i], motors[k], s, true);
                bench_near(u, w, 1e-10 * (1.0 + fabs(u)));
            }
}

/* ------------------------------------------------------------- the unsymmetric system */

/* M z - A_o^T l - B u = Q, A z = b, with two other rows and two driven ones; the directions of the
 * motors as they follow from the text by hand. */
static void test_saddle(void **state)
{
    (void)state;
    enum { n = 5, m = 4, size = n + 2 + 2 };
    static const char text[] =
        "coord q[5]\nkinetic sum(i in 1..5, i*q[i]'^2)/2 + 0.3*q[1]'*q[2]'*cos(q[3])\n"
        "potential q[1]^2 + sin(q[2])*q[5]\nforce q[4]: -q[4]'^3\n"
        "constraint a: q[1]*q[2] + q[3] = 1\nconstraint b: q[4]' + q[1]*q[5]' = sin(t)\n"
        "control go: [q[3] - q[5], q[2]''*q[1] + q[4]''] = [0.1*t, 2] "
        "by q[1]*q[4], q[2]' - 3*cos(q[1])*q[5]'\n";
    bench b;
    uint64_t seed = 9;
    bench_open(&b, text);
    for (int turn = 0; turn < 20; turn++) {
        double q[n], v[n], M[n * n], Q[n], A[m * n], right[m], row[9];
        long double X[size * size] = {0}, r[size];
        for (int j = 0; j < n; j++) {
            q[j] = uniform(&seed);
            v[j] = uniform(&seed);
        }
        double B[2][n] = {{q[3], 0, 0, q[0], 0}, {0, 1, 0, 0, -3.0 * cos(q[0])}};
        zw_instant instant = {.M = M, .Q = Q, .A = A, .b = right};
        assert_int_equal(zw_sim_set_state(b.sim, 0.3, q, v), ZW_OK);
        assert_int_equal(zw_sim_instant(b.sim, &instant), ZW_OK);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) X[i * size + j] = (long double)M[i * n + j];
            for (int k = 0; k < 2; k++) X[i * size + n + k] = -(long double)A[k * n + i];
            for (int k = 0; k < 2; k++) X[i * size + n + 2 + k] = -(long double)B[k][i];
            r[i] = (long double)Q[i];
        }
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) X[(n + i) * size + j] = (long double)A[i * n + j];
            r[n + i] = (long double)right[i];
        }
        bench_solve(size, X, r);
        read_columns(&b, "actuator(go), q'', multiplier(a)", row);
        for (int k = 0; k < 2; k++)
            bench_near(row[1 + k], (double)r[n + 2 + k], 1e-9 * (1 + fabs(row[1 + k])));
        for (int j = 0; j < n; j++)
            bench_near(row[3 + j], (double)r[j], 1e-9 * (1 + fabs(row[3 + j])));
        bench_near(row[8], (double)r[n], 1e-9 * (1 + fabs(row[8])));
    }
    bench_close(&b);
}

/* -------------------------------------------------------------------------- least norm */

/* Two masses that are tied move as one of 5 kg. Three motors, along x, y and 3 x: 5 a = u1 + u2 + 3 u3
 * at least 2 u1^2 + u2^2 + 4 u3^2, so u = s (1/2, 1, 3/4) with s (1/2 + 1 + 9/4) = 5 a. */
static void test_least_norm(void **state)
{
    (void)state;
    bench b;
    double row[6];
    open_started(&b, "coord x, y\nkinetic x'^2 + 3*y'^2/2\nconstraint tie: x - y = 0\n"
                     "control go: x'' = 3 + t by x weight 2, y, 3*x' weight 4\n");
    read_columns(&b, "actuator(go), control(x), control(y)", row);
    double s = 15.0 / 3.75;
    bench_near(row[1], s / 2, 1e-12);
    bench_near(row[2], s, 1e-12);
    bench_near(row[3], 0.75 * s, 1e-12);
    bench_near(row[4], s / 2 + 2.25 * s, 1e-12);
    bench_near(row[5], s, 1e-12);
    bench_close(&b);
}

/* ------------------------------------------------------------------------------ limits */

/* The first number behind a word of the verdict, as JSON. */
typedef struct verdict {
    char text[20000];
    size_t size;
} verdict;

static bool collect(void *user, const char *bytes, size_t size)
{
    verdict *v = user;
    if (v->size + size >= sizeof v->text) return false;
    memcpy(v->text + v->size, bytes, size);
    v->size += size;
    v->text[v->size] = 0;
    return true;
}

static void run_to(bench *b, double tol, double t)
{
    zw_run_settings set;
    zw_outcome outcome;
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.tol = tol;
    set.abs_tol = tol;
    set.until = t;
    set.max_steps = 100000;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
}

/* A mass of 2 shall go as sin(2 t)/2, which takes -4 sin(2 t), and has -2..3. It is at -2 while sin(2 t)
 * is above 1/2, at 3 while it is below -3/4; in between it has the acceleration asked for. */
static void test_closed_form(void **state)
{
    (void)state;
    static const char text[] = "coord x\nkinetic x'^2\n"
                               "control go: x = 0.5*sin(2*t) by x within -2..3\nstart x' = 1\n";
    double t[5] = {asin(0.5) / 2, (pi - asin(0.5)) / 2, (pi + asin(0.75)) / 2, pi - asin(0.75) / 2,
                   3};
    double x = 0.5 * sin(2 * t[0]), v = cos(2 * t[0]);
    for (int k = 0; k < 4; k++) {
        double h = t[k + 1] - t[k];
        if (k % 2 == 0) { /* at a limit */
            double a = k == 0 ? -1.0 : 1.5;
            x += v * h + a * h * h / 2;
            v += a * h;
        } else {
            double off = v - cos(2 * t[k]);
            x += 0.5 * (sin(2 * t[k + 1]) - sin(2 * t[k])) + off * h;
            v += cos(2 * t[k + 1]) - cos(2 * t[k]);
        }
    }
    bench b;
    open_started(&b, text);
    run_to(&b, 1e-11, 3.0);
    bench_near(b.q[0], x, 1e-10);
    bench_near(b.v[0], v, 1e-10);
    static verdict said;
    said.size = 0;
    assert_int_equal(zw_sim_verdict(b.sim, ZW_REPORT_JSON, collect, &said), ZW_OK);
    const char *at = strstr(said.text, "\"motors\": [{\"name\": \"x\", \"spans\": [[");
    assert_non_null(at);
    double found[4];
    assert_int_equal(sscanf(at,
                            "\"motors\": [{\"name\": \"x\", \"spans\": [[%lf, %lf], [%lf, %lf]]",
                            &found[0], &found[1], &found[2], &found[3]),
                     4);
    for (int k = 0; k < 4; k++) bench_near(found[k], t[k], 1e-9);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
    bench_expect(&b, "R0547", "`x` of `go` from t = 0.261799 to 1.309");
    bench_expect(&b, "W0548", "left `go` off by");
    bench_close(&b);
}

/* Two motors for one row: where the cheap one is at its limit the other makes up for it, and the
 * control holds. */
static void test_making_up(void **state)
{
    (void)state;
    bench b;
    double row[3];
    open_started(&b, "coord x\nkinetic x'^2\ncontrol go: x = t^3 by x within -1..4, x' weight 9\n");
    run_to(&b, 1e-10, 1.0);
    bench_near(b.q[0], 1.0, 1e-12);
    read_columns(&b, "actuator(go)", row);
    bench_near(row[1], 4.0, 0.0);
    bench_near(row[2], 8.0, 1e-9);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
    bench_expect(&b, "R0547", "`x` of `go` from t = 0.37037 on"); /* 12 t 9/10 = 4 */
    assert_null(bench_message(&b, "W0548"));
    bench_close(&b);
}

/* Two rows that want 3 and 1 of one motor's push, of which it has one: the best in W. Masses of 1;
 * the motor pushes both alike, and another one the first alone, up to 1: u1 = x'' - u2. The least
 * w (u1 + u2 - 3)^2 + (u1 - 1)^2 at u2 = 1: u1 = (2 w + 1)/(w + 1). */
static void test_weights(void **state)
{
    (void)state;
    for (int w = 1; w <= 16; w *= 4) {
        char text[400];
        bench b;
        double row[3];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\ncontrol go: [x'', y''] = [3, 1] "
                 "by x' + y', x within -1..1\nweight go: [%d, 1]\n",
                 w);
        open_started(&b, text);
        read_columns(&b, "actuator(go)", row);
        bench_near(row[1], (2.0 * w + 1.0) / (w + 1.0), 1e-12);
        bench_near(row[2], 1.0, 0.0);
        bench_close(&b);
    }
}

/* The implicit method asks nowhere at the ends of its steps: limits are located all the same. x is what it is after
 * the moments of the closed form, to the tolerance. */
static void test_implicit(void **state)
{
    (void)state;
    static const char text[] = "coord x\nkinetic x'^2\n"
                               "control go: x' = cos(2*t) by x within -2..3\nstart x' = 1\n";
    zw_run_settings set;
    zw_outcome outcome;
    bench b;
    open_started(&b, text);
    assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
    set.tol = 1e-9;
    set.until = 1.0;
    set.method = ZW_BDF;
    if (zw_sim_begin(b.sim, &set) == ZW_OK) { /* it is part of this build */
        double t1 = asin(0.5) / 2;
        assert_int_equal(zw_sim_advance(b.sim, 1.0, &outcome), ZW_OK);
        assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
        bench_near(b.v[0], cos(2 * t1) - (1.0 - t1), 2e-8);
    }
    bench_close(&b);
}

/* ------------------------------------------------------------------------ save, crowds */

/* A run that is saved while a motor is at its limit goes on to the same bits. */
static void test_saved(void **state)
{
    (void)state;
    static const char text[] = "coord x, th\nkinetic x'^2 + x'*th'*cos(th) + th'^2\n"
                               "potential -9.81*cos(th)\n"
                               "control go: x = 0.5*sin(2*t) by x within -2..3\nstart th = 1\n";
    for (int turn = 0; turn < 4; turn++) {
        double middle = 0.3 + 0.6 * turn, until = 5.0;
        bench b, c;
        zw_outcome outcome;
        zw_run_settings set;
        open_started(&b, text);
        open_started(&c, text);
        assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
        set.until = until;
        assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
        assert_int_equal(zw_sim_begin(c.sim, &set), ZW_OK);
        assert_int_equal(zw_sim_advance(b.sim, middle, &outcome), ZW_OK);
        size_t size = 0, needed = 0;
        assert_int_equal(zw_sim_save(b.sim, NULL, 0, &size), ZW_OK);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(zw_sim_save(b.sim, bytes, size, &needed), ZW_OK);
        assert_int_equal(zw_sim_restore(c.sim, bytes, size), ZW_OK);
        free(bytes);
        assert_int_equal(zw_sim_advance(b.sim, until, &outcome), ZW_OK);
        assert_int_equal(zw_sim_advance(c.sim, until, &outcome), ZW_OK);
        assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
        assert_int_equal(zw_sim_state(c.sim, &c.t, c.q, c.v), ZW_OK);
        assert_memory_equal(b.q, c.q, 2 * sizeof *b.q);
        assert_memory_equal(b.v, c.v, 2 * sizeof *b.v);
        bench_close(&b);
        bench_close(&c);
    }
}

/* Members of an ensemble move as runs of their own do, to the same bits. */
static void test_members(void **state)
{
    (void)state;
    static const char text[] =
        "param most = 3\ncoord x, th\nkinetic x'^2 + x'*th'*cos(th) + th'^2\n"
        "potential -9.81*cos(th)\n"
        "control go: x = 0.5*sin(2*t) by x within -2..most\nstart th = 1\n";
    bench b;
    open_started(&b, text);
    bench_compare_members(&b, "most", (const double[]){2.0, 3.0, 9.0}, 3, 3.0);
    bench_close(&b);
}

/* ---------------------------------------------------------------------------- messages */

static void test_messages(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord s, l, a\nlet load = [s + l*sin(a), -l*cos(a)]\n"
                   "kinetic 5*s'^2 + l'^2 + 50*dot(load', load')\npotential 981*load[2]\n"
                   "control carry: load = [0.2*t^2, -4] by s, l\nstart l = 4\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_START);
    bench_expect(&b, "E0544",
                 "`s` and `l` together cannot do what the control `carry` asks for: of "
                 "2 accelerations they can choose 1");
    bench_close(&b);
    open_started(&b, "coord x\nkinetic x'^2\ncontrol go: x = t\nstart x' = 1\n");
    zw_columns *columns = NULL;
    assert_int_equal(zw_columns_create(b.model, "actuator(go)", &columns), ZW_ERR_SETTING);
    bench_expect(&b, "E0721", "there is no control by motors 'go'");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coordinates), cmocka_unit_test(test_saddle),
        cmocka_unit_test(test_least_norm),  cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_making_up),   cmocka_unit_test(test_weights),
        cmocka_unit_test(test_saved),       cmocka_unit_test(test_members),
        cmocka_unit_test(test_messages),    cmocka_unit_test(test_implicit)};
    int failed = cmocka_run_group_tests_name("motors", tests, NULL, NULL);
    return failed + cmocka_run_group_tests_name("motors, sparse", tests, bench_sparse, NULL);
}
