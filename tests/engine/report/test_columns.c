/*
 * The numbers of columns, of every kind and on models of every sort, against the equations at the
 * instant solved here by the plain solver, finite differences along the motion, and formulas by
 * hand; and that nothing is computed which no column needs.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 20 }; /* coordinates and rows of the models here */

/* ------------------------------------------------------------------------ columns */

typedef struct table {
    zw_columns *columns;
    int32_t count;
    double row[400];
    char names[400][64];
} table;

static zw_status read_row(bench *b, table *t)
{
    for (int32_t i = 0; i < t->count; i++) t->row[i] = -1e99;
    return zw_sim_columns(b->sim, t->columns, t->row);
}

static zw_status read_table(bench *b, const char *list, table *t)
{
    if (zw_columns_create(b->model, list, &t->columns) != ZW_OK)
        fail_msg("%s: %s", list, zw_context_diagnostic(b->context, 0)->sentence);
    t->count = zw_columns_count(t->columns);
    assert_true(t->count <= 400);
    for (int32_t i = 0; i < t->count; i++)
        assert_true(zw_columns_name(t->columns, i, t->names[i], 64) < 64);
    zw_status status = read_row(b, t);
    zw_columns_free(t->columns);
    return status;
}

static double named(const table *t, const char *name)
{
    for (int32_t i = 0; i < t->count; i++)
        if (strcmp(t->names[i], name) == 0) return t->row[i];
    fail_msg("there is no column %s", name);
    return 0.0;
}

static double one(bench *b, const char *name)
{
    table t;
    assert_int_equal(read_table(b, name, &t), ZW_OK);
    assert_int_equal(t.count, 2);
    assert_string_equal(t.names[1], name);
    return t.row[1];
}

/* ------------------------------------------------------------- the same by another road */

typedef struct expected {
    double M[most * most], Q[most], C[most], A[most * most], b[most], W[most * most];
    double value[most], rate[most];
    double z[most], force[most], ideal[most], nonideal[most], lambda[most];
    double slope[most];     /* of value, along the motion */
    double impressed[most]; /* Q without its inertial part */
    zw_gauss_answer answer;
} expected;

static void solve_here(bench *b, expected *e)
{
    zw_instant instant = {.M = e->M,
                          .Q = e->Q,
                          .C = e->C,
                          .A = e->A,
                          .b = e->b,
                          .W = e->W,
                          .value = e->value,
                          .rate = e->rate};
    zw_gauss *g = NULL;
    zw_gauss_shape shape = {.n = b->n, .m = b->m, .mass = ZW_FULL, .weight = ZW_FULL};
    assert_int_equal(zw_sim_instant(b->sim, &instant), ZW_OK);
    assert_int_equal(zw_gauss_plan(b->context, &shape, &g), ZW_OK);
    assert_int_equal(zw_gauss_factor(g, e->M, e->A, b->m > 0 ? e->W : NULL), ZW_OK);
    e->answer = (zw_gauss_answer){.acceleration = e->z,
                                  .force = e->force,
                                  .force_ideal = e->ideal,
                                  .force_nonideal = e->nonideal,
                                  .multipliers = e->lambda};
    assert_int_equal(zw_gauss_solve(g, e->Q, e->b, instant.has_C ? e->C : NULL, &e->answer), ZW_OK);
    zw_gauss_free(g);
}

/* d phi/dt along t + h, q + h v + h^2/2 z, v + h z, by central differences. */
static void differentiate(bench *b, expected *e)
{
    const double h = 1e-5;
    double side[2][most], q[most], v[most];
    for (int s = 0; s < 2; s++) {
        double d = s ? h : -h;
        for (int32_t j = 0; j < b->n; j++) {
            q[j] = b->q[j] + d * b->v[j] + 0.5 * d * d * e->z[j];
            v[j] = b->v[j] + d * e->z[j];
        }
        assert_int_equal(zw_sim_set_state(b->sim, b->t + d, q, v), ZW_OK);
        zw_instant instant = {.value = side[s]};
        assert_int_equal(zw_sim_instant(b->sim, &instant), ZW_OK);
    }
    for (int32_t i = 0; i < b->m; i++) e->slope[i] = (side[1][i] - side[0][i]) / (2.0 * h);
    assert_int_equal(zw_sim_set_state(b->sim, b->t, b->q, b->v), ZW_OK);
}

/* In these models inertial forces are squares of v, and what was impressed is of degree 0 or 1 along
 * v: the second difference of Q over v, 2 v, 3 v is 2 H, and F = Q - H. */
static void take_inertia_off(bench *b, expected *e)
{
    static const double factor[] = {1.0, 2.0, 3.0};
    double Q[3][most], v[most];
    for (int s = 0; s < 3; s++) {
        for (int32_t j = 0; j < b->n; j++) v[j] = factor[s] * b->v[j];
        assert_int_equal(zw_sim_set_state(b->sim, b->t, b->q, v), ZW_OK);
        assert_int_equal(zw_sim_instant(b->sim, &(zw_instant){.Q = Q[s]}), ZW_OK);
    }
    for (int32_t j = 0; j < b->n; j++)
        e->impressed[j] = Q[0][j] - (Q[2][j] - 2.0 * Q[1][j] + Q[0][j]) / 2.0;
    assert_int_equal(zw_sim_set_state(b->sim, b->t, b->q, b->v), ZW_OK);
}

static double row_times(const bench *b, const expected *e, int32_t i)
{
    double sum = 0.0;
    for (int32_t j = 0; j < b->n; j++) sum += e->A[i * b->n + j] * e->z[j];
    return sum;
}

/* --------------------------------------------------------------- models from files */

static void open_file(bench *b, const char *model)
{
    char path[300], *text = calloc(1, 20000);
    (void)snprintf(path, sizeof path, ZW_TEST_REFERENCE "/../models/%s.zw", model);
    FILE *file = fopen(path, "rb");
    assert_non_null(text);
    assert_non_null(file);
    size_t length = fread(text, 1, 19999, file);
    assert_true(length > 0 && length < 19999);
    (void)fclose(file);
    bench_open(b, text);
    free(text);
}

/* Away from the start, a little off the constraints, at a later time. */
static void disturb(bench *b)
{
    (void)bench_start(b, true);
    for (int32_t i = 0; i < b->n; i++) b->q[i] += 0.01 * sin(3.0 * i + 1.0);
    for (int32_t i = 0; i < b->n; i++) b->v[i] += 0.1 * cos(5.0 * i + 2.0);
    b->t += 0.3;
    assert_int_equal(zw_sim_set_state(b->sim, b->t, b->q, b->v), ZW_OK);
}

static void same(double x, double y, const char *model, const char *name)
{
    if (isnan(x) && isnan(y)) return;
    if (!(fabs(x - y) <= 1e-10 * (1.0 + fabs(y))))
        fail_msg("%s: %s is %.17g, not %.17g", model, name, x, y);
}

static void check_coordinates(bench *b, const expected *e, const table *t, const char *model)
{
    double control[most] = {0.0};
    for (int32_t c = 0; c < zw_model_constraint_count(b->model); c++) {
        zw_constraint_info info;
        assert_int_equal(zw_model_constraint(b->model, c, &info), ZW_OK);
        for (int32_t i = info.first_row; info.control && i < info.first_row + info.row_count; i++)
            for (int32_t j = 0; j < b->n; j++) control[j] += e->A[i * b->n + j] * e->lambda[i];
    }
    for (int32_t j = 0; j < b->n; j++) {
        char x[64], name[128];
        assert_true(zw_model_coordinate_name(b->model, j, x, sizeof x) > 0);
        const struct {
            const char *before, *behind;
            double value;
        } wanted[] = {{"", "", b->q[j]},
                      {"", "'", b->v[j]},
                      {"", "''", e->z[j]},
                      {"force(", ")", e->force[j]},
                      {"force_ideal(", ")", e->ideal[j]},
                      {"force_nonideal(", ")", e->nonideal[j]},
                      {"control(", ")", control[j]},
                      {"impressed(", ")", e->impressed[j]}};
        for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
            (void)snprintf(name, sizeof name, "%s%s%s", wanted[k].before, x, wanted[k].behind);
            same(named(t, name), wanted[k].value, model, name);
        }
    }
}

/* pin, and roll)[2] for the second row of roll. */
static void row_name(const bench *b, int32_t row, const char *word, char name[128])
{
    char text[64], label[64] = "";
    for (int32_t c = 0; c < zw_model_constraint_count(b->model); c++) {
        zw_constraint_info info;
        assert_int_equal(zw_model_constraint(b->model, c, &info), ZW_OK);
        if (row >= info.first_row && row < info.first_row + info.row_count)
            (void)zw_model_constraint_name(b->model, c, label, sizeof label);
    }
    assert_true(zw_model_row_name(b->model, row, text, sizeof text) > 0);
    assert_memory_equal(text, label, strlen(label));
    (void)snprintf(name, 128, "%s(%s)%s", word, label, text + strlen(label));
}

static void check_rows(bench *b, const expected *e, const table *t, const char *model)
{
    char name[128];
    for (int32_t i = 0; i < b->m; i++) {
        zw_row_kind kind;
        assert_int_equal(zw_model_row_kind(b->model, i, &kind), ZW_OK);
        double off = row_times(b, e, i) - e->b[i];
        row_name(b, i, "multiplier", name);
        same(named(t, name), e->lambda[i], model, name);
        row_name(b, i, "residual", name);
        same(named(t, name), kind == ZW_ACCELERATION ? off : e->value[i], model, name);
        row_name(b, i, "rate", name);
        double rate = named(t, name);
        if (kind == ZW_ACCELERATION) {
            assert_true(isnan(rate));
            continue;
        }
        if (kind == ZW_HOLONOMIC) same(rate, e->rate[i], model, name);
        if (!(fabs(rate - e->slope[i]) <= 1e-6 * (1.0 + fabs(row_times(b, e, i)) + fabs(rate))))
            fail_msg("%s: %s is %.17g, differences say %.17g", model, name, rate, e->slope[i]);
    }
}

static void check_model(const char *model)
{
    bench b;
    table t;
    expected e;
    open_file(&b, model);
    assert_true(b.n <= most && b.m <= most);
    disturb(&b);
    solve_here(&b, &e);
    differentiate(&b, &e);
    take_inertia_off(&b, &e);
    if (strcmp(model, "top_quaternion") == 0) /* writes what follows from its inertia as a force */
        memcpy(e.impressed, e.Q, sizeof e.Q);
    assert_int_equal(read_table(&b, "all", &t), ZW_OK);
    bench_near(t.row[0], b.t, 0.0);
    check_coordinates(&b, &e, &t, model);
    check_rows(&b, &e, &t, model);
    same(named(&t, "gaussian"), e.answer.gaussian, model, "gaussian");
    same(named(&t, "inconsistency"), e.answer.inconsistency_norm, model, "inconsistency");
    bench_near(named(&t, "rank"), e.answer.rank, 0.0);
    same(named(&t, "energy"), named(&t, "kinetic") + named(&t, "potential"), model, "energy");
    bench_close(&b);
}

static void every_kind(void **state)
{
    (void)state;
    static const char *const models[] = {
        "pendulum",     "sphere",          "rolling_disc",    "servo",       "control",
        "two_balls",    "matrices",        "inconsistent",    "hoop",        "chain",
        "appell",       "friction_circle", "friction_helix",  "knife_edge",  "fourbar",
        "slider_crank", "top_quaternion",  "double_pendulum", "appell_hamel"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) check_model(models[k]);
}

/* ------------------------------------------------------------------------ by hand */

/* x = cos, y = sin: z, tension and energies of a pendulum in closed form. */
static void pendulum_by_hand(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param m = 2, g = 9.81\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                   "potential m*g*y\nconstraint bar: x^2 + y^2 = 1\n"
                   "output hold = [reaction(bar), reaction(bar, x), multiplier(bar)]\n");
    double q[] = {0.6, -0.8}, v[] = {1.6, 1.2}; /* speed 2 */
    assert_int_equal(zw_sim_set_state(b.sim, 0.5, q, v), ZW_OK);
    double along = -9.81 * 0.6; /* of (0.8, 0.6) */
    double inward = 4.0 + 9.81 * 0.8;
    bench_near(one(&b, "x''"), 0.8 * along - 0.6 * 4.0, 1e-13);
    bench_near(one(&b, "y''"), 0.6 * along + 0.8 * 4.0, 1e-13);
    bench_near(one(&b, "force(x)"), -2.0 * inward * 0.6, 1e-12);
    bench_near(one(&b, "force_ideal(y)"), 2.0 * inward * 0.8, 1e-12);
    bench_near(one(&b, "force_nonideal(y)"), 0.0, 1e-12);
    bench_near(one(&b, "multiplier(bar)"), -inward, 1e-12);
    bench_near(one(&b, "hold[1]"), 2.0 * inward, 1e-12);
    bench_near(one(&b, "hold[2]"), -2.0 * inward * 0.6, 1e-12);
    bench_near(one(&b, "hold[3]"), -inward, 1e-12);
    bench_near(one(&b, "impressed(y)"), -2.0 * 9.81, 1e-13);
    bench_near(one(&b, "control(y)"), 0.0, 0.0);
    bench_near(one(&b, "kinetic"), 4.0, 1e-13);
    bench_near(one(&b, "potential"), -2.0 * 9.81 * 0.8, 1e-13);
    bench_near(one(&b, "energy"), 4.0 - 2.0 * 9.81 * 0.8, 1e-13);
    bench_near(one(&b, "gaussian"), 2.0 * inward * inward, 1e-10);
    bench_near(one(&b, "residual(bar)"), 0.0, 1e-15);
    bench_near(one(&b, "rate(bar)"), 0.0, 1e-14);
    bench_near(one(&b, "rank"), 1.0, 0.0);
    bench_close(&b);
}

/* Terms of every sort: of T with places and with the time, of a potential with a jump in its
 * derivative, of `lagrangian` terms with velocities and without; damping and forces; and the same where
 * many terms of one shape are kept as a family. */
static void impressed_by_hand(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord a, b\nkinetic a'^2/2*(1 + b^2) + b'^2/2 + a'*sin(a)*t\n"
                   "potential a^2*b + abs(a - 0.3)\ndissipation 0.1*a'^2\nforce b: 2*t\n"
                   "lagrangian a'*b*0.5 + a*b^2\n");
    double q[] = {0.2, 0.5}, v[] = {1.0, -0.5}, Q[2];
    assert_int_equal(zw_sim_set_state(b.sim, 0.25, q, v), ZW_OK);
    bench_near(one(&b, "impressed(a)"), 0.25 - 0.2 + 1.0 - 0.2, 1e-15);
    bench_near(one(&b, "impressed(b)"), 0.2 - 0.04 + 0.5, 1e-15);
    assert_int_equal(zw_sim_instant(b.sim, &(zw_instant){.Q = Q}), ZW_OK);
    bench_near(Q[0] - one(&b, "impressed(a)"), 0.5 + 0.25 - sin(0.2), 1e-15);
    bench_near(Q[1] - one(&b, "impressed(b)"), 0.5 + 0.5, 1e-15);
    bench_close(&b);
    bench_open(
        &b, "param n = 40\ncoord r[n], p[n]\n"
            "for i in 1..n {\n  kinetic r[i]'^2/2 + (r[i]*p[i]')^2/2\n  potential i*r[i]^2/2\n}\n"
            "force p[3]: 7\n");
    double many[80], speed[80];
    for (int k = 0; k < 80; k++) many[k] = 1.0 + 0.1 * k, speed[k] = 2.0;
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, many, speed), ZW_OK);
    bench_near(one(&b, "impressed(r[5])"), -5.0 * 1.4, 1e-14);
    bench_near(one(&b, "impressed(p[3])"), 7.0, 0.0);
    bench_near(one(&b, "impressed(p[4])"), 0.0, 0.0);
    bench_close(&b);
}

/* Two rows of acceleration level that contradict each other, x'' = -x and x'' = -4 x weighed 1 to
 * 2: x'' = -3 x, residuals -2 x and x, inconsistency sqrt(4 + 2) |x|. */
static void contradiction_by_hand(void **state)
{
    (void)state;
    bench b;
    open_file(&b, "inconsistent");
    double q[] = {0.7, 0.0}, v[] = {0.0, 0.0};
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, v), ZW_OK);
    bench_near(one(&b, "x''"), -2.1, 1e-14);
    bench_near(one(&b, "residual(first)"), -1.4, 1e-14);
    bench_near(one(&b, "residual(second)"), 0.7, 1e-14);
    bench_near(one(&b, "inconsistency"), sqrt(6.0) * 0.7, 1e-14);
    assert_true(isnan(one(&b, "rate(first)")));
    bench_close(&b);
}

/* A control beside a constraint on the same coordinate: x is held by a wall, y follows x by the
 * control, both together have the force. */
static void control_apart(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + 3*y'^2)/2\nforce x: 5\nforce y: 7\n"
                   "constraint wall: x = 0\ncontrol follow: y - 2*x = 0\n");
    /* x'' = y'' = 0: lambda_follow = -7 on y and 14 on x; the wall has the rest */
    bench_near(one(&b, "control(x)"), 14.0, 1e-13);
    bench_near(one(&b, "control(y)"), -7.0, 1e-13);
    bench_near(one(&b, "force(x)"), -5.0, 1e-13);
    bench_near(one(&b, "multiplier(wall)"), -19.0, 1e-13);
    bench_near(one(&b, "multiplier(follow)"), -7.0, 1e-13);
    bench_close(&b);
}

static void singular_mass(void **state)
{
    (void)state;
    bench b;
    table t;
    bench_open(&b, "coord x, y\nkinetic x'^2/2\nforce x: 3\nconstraint tie: y = 2*x\n");
    assert_true(isnan(one(&b, "gaussian")));
    assert_int_equal(read_table(&b, "x'', y'', rank", &t), ZW_OK);
    bench_near(t.row[1], 3.0, 1e-14);
    bench_near(t.row[2], 6.0, 1e-14);
    bench_near(t.row[3], 1.0, 0.0);
    bench_close(&b);
}

/* ------------------------------------------------------------------------ outputs */

static const char *const block =
    "param mu = 0.3, g = 10\ncoord x, y\nkinetic x'^2 + y'^2\npotential 2*g*y\n"
    "constraint table: y = 0\nnonideal x: -mu*sign(x')*reaction(table)\n"
    "output a = x''\noutput w = [[x, y, 1], [x', x'', t]]\n"
    "output n = reaction(table)\noutput p = [x + 1, multiplier(table), x*x]\n"
    "for i in 1..3 {\n  output power[i] = x^i\n  output pair[i] = [i*x, i*x'']\n}\n";

static void outputs_of_all_sorts(void **state)
{
    (void)state;
    bench b;
    table t;
    bench_open(&b, block);
    double q[] = {2.0, 0.0}, v[] = {1.5, 0.0};
    assert_int_equal(zw_sim_set_state(b.sim, 0.25, q, v), ZW_OK);
    assert_int_equal(read_table(&b, NULL, &t), ZW_OK);
    static const struct {
        const char *name;
        double value;
    } wanted[] = {
        {"t", 0.25},         {"x", 2.0},           {"y", 0.0},           {"x'", 1.5},
        {"y'", 0.0},         {"a", -3.0},          {"w[1,1]", 2.0},      {"w[1,2]", 0.0},
        {"w[1,3]", 1.0},     {"w[2,1]", 1.5},      {"w[2,2]", -3.0},     {"w[2,3]", 0.25},
        {"n", 20.0},         {"p[1]", 3.0},        {"p[2]", 20.0},       {"p[3]", 4.0},
        {"power[1]", 2.0},   {"pair[1][1]", 2.0},  {"pair[1][2]", -3.0}, {"power[2]", 4.0},
        {"pair[2][1]", 4.0}, {"pair[2][2]", -6.0}, {"power[3]", 8.0},    {"pair[3][1]", 6.0},
        {"pair[3][2]", -9.0}};
    assert_int_equal(t.count, sizeof wanted / sizeof *wanted);
    for (int32_t i = 0; i < t.count; i++) {
        assert_string_equal(t.names[i], wanted[i].name);
        bench_near(t.row[i], wanted[i].value, 1e-13);
    }
    bench_close(&b);
}

/* Many instances of one shape, and many shapes: each element in its own place. */
static void outputs_of_families(void **state)
{
    (void)state;
    bench b;
    table t;
    bench_open(&b, "param N = 60\ncoord x[N]\nkinetic dot(x', x')/2\n"
                   "for i in 1..N {\n  output sq[i] = i*x[i]^2\n"
                   "  output both[i] = [x[i] + t, x[i]'', sin(x[i]')]\n}\n");
    double q[60], v[60];
    for (int i = 0; i < 60; i++) q[i] = 0.1 * i + 1.0;
    for (int i = 0; i < 60; i++) v[i] = 0.2 * i - 1.0;
    assert_int_equal(zw_sim_set_state(b.sim, 0.5, q, v), ZW_OK);
    assert_int_equal(read_table(&b, "sq, both", &t), ZW_OK);
    assert_int_equal(t.count, 1 + 60 * 4);
    for (int i = 0; i < 60; i++) {
        bench_near(t.row[1 + i], (i + 1) * q[i] * q[i], 1e-12);
        bench_near(t.row[61 + 3 * i], q[i] + 0.5, 1e-15);
        bench_near(t.row[62 + 3 * i], 0.0, 0.0);
        bench_near(t.row[63 + 3 * i], sin(v[i]), 1e-15);
    }
    assert_string_equal(t.names[61 + 3 * 41 + 2], "both[42][3]");
    bench_close(&b);
}

/* --------------------------------------------------------------- no more than needed */

static void what_fails_is_not_needed(void **state)
{
    (void)state;
    bench b;
    table t;
    bench_open(&b, "coord x, y\nkinetic x'^2/2\npotential x^2\nforce x: 4\n"
                   "constraint c: x^2 = 1\noutput s = x + 1\noutput a = y''\n");
    double q[] = {1.5, 0.25}, v[] = {2.0, 3.0};
    assert_int_equal(zw_sim_set_state(b.sim, 1.0, q, v), ZW_OK);
    assert_int_equal(read_table(&b, "x, y', s, energy, residual(c), rate(c), impressed(x)", &t),
                     ZW_OK);
    static const double wanted[] = {1.0, 1.5, 3.0, 2.5, 4.25, 1.25, 6.0, 1.0};
    for (int i = 0; i < 8; i++) bench_near(t.row[i], wanted[i], 1e-15);
    /* y has no inertia: what needs the solve is not a number, the rest is there */
    assert_int_equal(read_table(&b, "y, a, s, x'', impressed(x), rank", &t), ZW_ERR_UNDETERMINED);
    bench_near(t.row[1], 0.25, 0.0);
    assert_true(isnan(t.row[2]));
    bench_near(t.row[3], 2.5, 0.0);
    assert_true(isnan(t.row[4]) && isnan(t.row[6]));
    bench_near(t.row[5], 1.0, 1e-15);
    bench_close(&b);
}

static void beyond_full_matrices(void **state)
{
    (void)state;
    bench b;
    table t;
    bench_open(&b, "param N = 2100\ncoord x[N]\nkinetic dot(x', x')/2\npotential 3*x[7]\n"
                   "constraint c[1]: x[1]^2 = 4\nconstraint r: x[2]' = 1\n"
                   "output far = x[N] + 1\noutput a = x[1]''\n");
    double *q = calloc(2100, sizeof *q);
    assert_non_null(q);
    q[0] = 3.0;
    q[6] = 5.0;
    q[2099] = 7.0;
    assert_int_equal(zw_sim_set_state(b.sim, 0.0, q, q), ZW_OK);
    assert_int_equal(
        read_table(&b,
                   "x[1], x[2100]', far, residual(c), rate(c[1]), residual(r), energy, "
                   "impressed(x[7])",
                   &t),
        ZW_OK);
    static const double wanted[] = {
        0.0, 3.0, 7.0, 8.0, 5.0, 18.0, -1.0, (9.0 + 25.0 + 49.0) / 2 + 15.0, -3.0};
    for (int i = 0; i < 9; i++) bench_near(t.row[i], wanted[i], 1e-12);
    assert_int_equal(
        read_table(&b, "x[3]'', force(x[1]), multiplier(c), rank, a, rate(r), x[1]'', x[7]''", &t),
        ZW_OK); /* 2 x1 x1'' + 2 x1'^2 = 0 */
    static const double solved[] = {0.0, 0.0, -3.0, -0.5, 2.0, -3.0, 0.0, -3.0, -3.0};
    for (int i = 0; i < 9; i++) bench_near(t.row[i], solved[i], 1e-12);
    free(q);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(pendulum_by_hand),
        cmocka_unit_test(impressed_by_hand),
        cmocka_unit_test(contradiction_by_hand),
        cmocka_unit_test(control_apart),
        cmocka_unit_test(singular_mass),
        cmocka_unit_test(outputs_of_all_sorts),
        cmocka_unit_test(outputs_of_families),
        cmocka_unit_test(what_fails_is_not_needed),
        cmocka_unit_test(beyond_full_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
