/*
 * Motors beside contacts and friction, against closed forms and a second formulation: a block that is
 * pushed over a rough floor, a cart-pole whose cart rubs on its rail by what presses it there, a wheel
 * that rolls and then slips, a gripper that lifts, a hoist whose rope goes slack and is caught, motors
 * that share a load, limits; saving, ensembles, messages.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;

static void open_run(bench *b, const char *text, double until)
{
    zw_run_settings set;
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = until;
    set.tol = 1e-11;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
}

static void advance(bench *b, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
}

/* The columns of a list; their first is t. */
static void read_columns(const bench *b, const char *list, double *row)
{
    zw_columns *columns = NULL;
    assert_int_equal(zw_columns_create(b->model, list, &columns), ZW_OK);
    assert_int_equal(zw_sim_columns(b->sim, columns, row), ZW_OK);
    zw_columns_free(columns);
}

/* ------------------------------------------------------------------------------ block */

/* To and fro: u = m x'' + mu m g sign(x'), also right behind the turning points. */
static void test_to_and_fro(void **state)
{
    (void)state;
    bench b;
    double row[3];
    open_run(&b,
             "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nconstraint ground: y >= 0\n"
             "friction ground: 0.3 along x'\ncontrol go: x = 0.2*sin(3*t) by x\n",
             2.0);
    for (int k = 1; k <= 40; k++) {
        double t = 0.05 * k, u = -2.0 * 1.8 * sin(3.0 * t) + 0.6 * g * copysign(1.0, cos(3.0 * t));
        advance(&b, t);
        read_columns(&b, "actuator(go), friction(ground)", row);
        bench_near(row[1], u, 1e-9);
        bench_near(row[2], -0.6 * g * copysign(1.0, cos(3.0 * t)), 1e-9);
        bench_near(b.q[0], 0.2 * sin(3.0 * t), 1e-12);
    }
    bench_close(&b);
}

/* At rest the motor carries what it is asked for and friction nothing; it lets go when the control
 * sets out. On a slope; the same by a constraint in place of the motor. */
static void set_out(const char *control, bool motor)
{
    char text[600];
    bench b;
    double row[2];
    snprintf(text, sizeof text,
             "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*(0.6*x + 0.8*y)\n"
             "constraint ground: y >= 0\nfriction ground: 0.9 along x'\n"
             "%s go: x = if(t < 1, 0, (t - 1)^3/2)%s\n",
             control, motor ? " by x" : "");
    open_run(&b, text, 2.0);
    for (int k = 1; k <= 8; k++) {
        double t = 0.25 * k, s = t - 1.0;
        double slope = 2.0 * g * 0.6, rub = t > 1.0 ? 0.9 * 2.0 * g * 0.8 : 0.0;
        advance(&b, t);
        read_columns(&b, motor ? "actuator(go)" : "force_ideal(x)", row);
        bench_near(row[1], slope + rub + (t > 1.0 ? 6.0 * s : 0.0), 1e-9);
        bench_near(b.q[0], t > 1.0 ? 0.5 * s * s * s : 0.0, 1e-9);
    }
    bench_close(&b);
}

static void test_setting_out(void **state)
{
    (void)state;
    set_out("control", true);
    set_out("constraint", false);
}

/* Pushed down as well by what it pushes along: the push of a slanted rod presses on the floor, and
 * friction on it answers: u (c - mu s) = m a + mu m g. */
static void test_slanted_push(void **state)
{
    (void)state;
    bench b;
    double row[4];
    open_run(&b,
             "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nconstraint ground: y >= 0\n"
             "friction ground: 0.4 along x'\n"
             "control go: x' = 1 + t by [x, y] along [0.8, -0.6]\n",
             2.0);
    for (int k = 0; k <= 4; k++) {
        double u = (2.0 + 0.4 * 2.0 * g) / (0.8 - 0.4 * 0.6);
        if (k > 0) advance(&b, 0.5 * k);
        read_columns(&b, "actuator(go), normal(ground), friction(ground)", row);
        bench_near(row[1], u, 1e-9 * u);
        bench_near(row[2], 2.0 * g + 0.6 * u, 1e-8);
        bench_near(row[3], -0.4 * (2.0 * g + 0.6 * u), 1e-8);
    }
    bench_close(&b);
}

/* ---------------------------------------------------------------------------- cart-pole */

/* th'' of the pole whose cart follows 0.5 sin 2t. */
static double turn_pole(double t, double th)
{
    return (2.0 * sin(2.0 * t) * cos(th) - g * sin(th)) / 0.8;
}

/* Fourth order, so many steps. */
static void swing_pole(double t, double until, int steps, double *th, double *w)
{
    double h = (until - t) / steps;
    for (int k = 0; k < steps; k++, t += h) {
        double a1 = turn_pole(t, *th), v2 = *w + h / 2 * a1;
        double a2 = turn_pole(t + h / 2, *th + h / 2 * *w), v3 = *w + h / 2 * a2;
        double a3 = turn_pole(t + h / 2, *th + h / 2 * v2), v4 = *w + h * a3;
        double a4 = turn_pole(t + h, *th + h * v3);
        *th += h / 6 * (*w + 2 * v2 + 2 * v3 + v4);
        *w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
}

/* Inverse dynamics: what presses on the rail, and the push. */
static void test_cart_pole(void **state)
{
    (void)state;
    const double M = 1.2, m = 0.3, l = 0.8, mu = 0.2;
    static const char *const rails[] = {"constraint rail: y = 0", "constraint rail: y >= 0"};
    for (int kind = 0; kind < 2; kind++) {
        char text[700];
        bench b;
        double row[3], th = 0.3, w = -1.0;
        snprintf(text, sizeof text,
                 "param M = 1.2, m = 0.3, l = 0.8\ncoord x, y, th\n"
                 "let p = [x + l*sin(th), y - l*cos(th)]\n"
                 "kinetic M/2*(x'^2 + y'^2) + m/2*dot(p', p')\npotential 9.81*(M*y + m*p[2])\n"
                 "%s\nfriction rail: 0.2 along x'\ncontrol go: x = 0.5*sin(2*t) by x\n"
                 "start th = 0.3 fixed, th' = -1 fixed\n",
                 rails[kind]);
        open_run(&b, text, 3.0);
        for (int k = 1; k <= 12; k++) {
            double t = 0.25 * k;
            swing_pole(t - 0.25, t, 2000, &th, &w);
            advance(&b, t);
            bench_near(b.q[2], th, 1e-9);
            double a = turn_pole(t, th), x2 = -2.0 * sin(2.0 * t);
            double N = (M + m) * g + m * l * (a * sin(th) + w * w * cos(th));
            double u = (M + m) * x2 + m * l * (a * cos(th) - w * w * sin(th)) +
                       mu * N * copysign(1.0, cos(2.0 * t));
            read_columns(&b, "actuator(go), multiplier(rail)", row);
            bench_near(row[1], u, 1e-8);
            bench_near(row[2], N, 1e-8);
        }
        bench_close(&b);
    }
}

/* -------------------------------------------------------------------------------- wheel */

static const char wheel[] = "param m = 1.5, I = 0.02, r = 0.2\ncoord x, y, phi\n"
                            "kinetic m/2*(x'^2 + y'^2) + I/2*phi'^2\npotential m*9.81*y\n"
                            "constraint ground: y >= r\nfriction ground: 0.3 along x' - r*phi'\n"
                            "control go: %s by phi\nstart y = r\n";

/* It rolls while I and m need less than mu m g at the rim, then slips: torque on the wheel turns it as
 * asked, the cart goes on with mu g. Asked for by its axle it cannot be done from there on. */
static void test_wheel(void **state)
{
    (void)state;
    const double m = 1.5, I = 0.02, r = 0.2, slips = 0.3 * g / r / 4.0;
    char text[500];
    bench b;
    double row[3];
    zw_outcome outcome;
    snprintf(text, sizeof text, wheel, "phi'' = 4*t");
    open_run(&b, text, 6.0);
    for (int k = 1; k <= 12; k++) {
        double t = 0.5 * k, a = t < slips ? 4.0 * t * r : 0.3 * g;
        advance(&b, t);
        read_columns(&b, "actuator(go), friction(ground)", row);
        bench_near(row[1], I * 4.0 * t + r * m * a, 1e-8);
        bench_near(row[2], m * a, 1e-8);
        double rolled = r * 2.0 * fmin(t, slips) * fmin(t, slips);
        bench_near(b.v[0], rolled + (t > slips ? 0.3 * g * (t - slips) : 0.0), 1e-8);
        bench_near(b.v[2], 2.0 * t * t, 1e-8);
    }
    bench_close(&b);
    snprintf(text, sizeof text, wheel, "x'' = t");
    open_run(&b, text, 6.0);
    advance(&b, 2.5);
    read_columns(&b, "actuator(go)", row);
    bench_near(row[1], (m * r + I / r) * 2.5, 1e-9);
    assert_int_equal(zw_sim_advance(b.sim, 6.0, &outcome), ZW_ERR_CONTROL);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
    bench_expect(&b, "E0544", "at t = 2.943 `phi` alone cannot do what the control `go` asks for");
    bench_close(&b);
}

/* ---------------------------------------------------------------------- gripper, hoist */

/* Two fingers pressed together by a force of 30 hold a box by friction; a motor lifts the hand. It
 * slips where m (a + g) is more than 2 mu F. */
static void test_gripper(void **state)
{
    (void)state;
    const double M = 2.0, m = 0.5, most = 2.0 * 0.3 * 30.0, slips = (most / m - g) / 12.0;
    bench b;
    double row[2];
    open_run(&b,
             "coord hand, l, r, x, z\n"
             "kinetic hand'^2 + (l'^2 + r'^2)/2 + (x'^2 + z'^2)/4\n"
             "potential 9.81*(2*hand + z/2)\n"
             "force l: 30\nforce r: -30\n"
             "constraint left: x - l >= 0.1\nconstraint right: r - x >= 0.1\n"
             "friction left: 0.3 along z' - hand'\nfriction right: 0.3 along z' - hand'\n"
             "control lift: hand'' = 12*t by hand\nstart l = -0.1, r = 0.1\n",
             3.0);
    for (int k = 1; k <= 12; k++) {
        double t = 0.25 * k, a = 12.0 * t;
        double u = t < slips ? (M + m) * (a + g) : M * (a + g) + most;
        advance(&b, t);
        read_columns(&b, "actuator(lift)", row);
        bench_near(row[1], u, 1e-8);
        double fallen =
            t < slips ? 0.0 : 6.0 * (t * t - slips * slips) - 12.0 * slips * (t - slips);
        bench_near(b.v[0] - b.v[4], fallen, 1e-8);
    }
    bench_close(&b);
}

/* The drum turns as asked for; the rope pulls until the load would fall more slowly than the rope, is
 * slack, and is caught again. A motor is no impulse: the drum is jerked, and turns on from there. */
static void test_hoist(void **state)
{
    (void)state;
    const double m = 2.0, J = 0.1, r = 0.2, slack = acos(-g / (r * 80.0)) / 8.0;
    bench b;
    double row[4];
    open_run(&b,
             "coord z, phi\nkinetic z'^2 + phi'^2/20\npotential 2*9.81*z\n"
             "constraint rope: z >= 0.2*phi\ncontrol go: phi' = 10*sin(8*t) by phi\n",
             1.0);
    for (int k = 1; k <= 6; k++) {
        double t = 0.1 * k, a = 80.0 * cos(8.0 * t), v = 2.0 * sin(8.0 * slack), s = t - slack;
        double N = t < slack ? m * (r * a + g) : 0.0;
        advance(&b, t);
        read_columns(&b, "actuator(go), normal(rope), contact(rope)", row);
        bench_near(row[1], J * a + r * N, 1e-7);
        bench_near(row[2], N, 1e-7);
        double z = t < slack ? 0.25 * (1.0 - cos(8.0 * t))
                             : 0.25 * (1.0 - cos(8.0 * slack)) + v * s - g / 2.0 * s * s;
        bench_near(b.q[0], z, 1e-8);
    }
    /* caught where z(t) = 0.25 (1 - cos 8t): the common speed keeps m z' + J phi'/r */
    double low = 0.6, high = 0.8;
    for (int k = 0; k < 100; k++) {
        double t = (low + high) / 2.0, s = t - slack;
        double z = 0.25 * (1.0 - cos(8.0 * slack)) + 2.0 * sin(8.0 * slack) * s - g / 2.0 * s * s;
        if (z > 0.25 * (1.0 - cos(8.0 * t)))
            low = t;
        else
            high = t;
    }
    double fall = 2.0 * sin(8.0 * slack) - g * (low - slack), turn = 10.0 * sin(8.0 * low);
    double speed = (m * fall + J / r * turn) / (m + J / (r * r));
    advance(&b, 0.8);
    bench_near(b.v[0], speed + 2.0 * (sin(8.0 * 0.8) - sin(8.0 * low)), 1e-7);
    bench_near(b.v[0], 0.2 * b.v[1], 1e-12);
    read_columns(&b, "actuator(go), normal(rope)", row);
    double a = 80.0 * cos(6.4);
    bench_near(row[1], J * a + r * m * (r * a + g), 1e-7);
    bench_close(&b);
}

/* ------------------------------------------------------------------------------- limits */

/* More motors than rows: least sum of weight u^2; the one that pulls at its limit leaves the rest. */
static void test_sharing(void **state)
{
    (void)state;
    bench b;
    double row[3];
    open_run(&b,
             "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nconstraint ground: y >= 0\n"
             "friction ground: 0.25 along x'\nstart x' = 1 fixed\n"
             "control go: x'' = 3*t by x weight 1 within -4..4, x weight 3\n",
             3.0);
    for (int k = 1; k <= 12; k++) {
        double t = 0.25 * k, all = 6.0 * t + 0.5 * g, first = fmin(0.75 * all, 4.0);
        advance(&b, t);
        read_columns(&b, "actuator(go)", row);
        bench_near(row[1], first, 1e-8);
        bench_near(row[2], all - first, 1e-8);
        bench_near(b.v[0], 1.0 + 1.5 * t * t, 1e-9);
    }
    bench_close(&b);
}

/* At its limit of 10 from t1 on; friction keeps its part. */
static void test_limit(void **state)
{
    (void)state;
    const double rub = 0.6 * g, t1 = (10.0 - rub) / 6.0, v1 = 1.5 * t1 * t1;
    bench b;
    double row[2];
    open_run(&b,
             "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nconstraint ground: y >= 0\n"
             "friction ground: 0.3 along x'\ncontrol go: x'' = 3*t by x within -10..10\n",
             2.0);
    for (int k = 1; k <= 8; k++) {
        double t = 0.25 * k, v = t < t1 ? 1.5 * t * t : v1 + (10.0 - rub) / 2.0 * (t - t1);
        advance(&b, t);
        read_columns(&b, "actuator(go)", row);
        bench_near(row[1], fmin(6.0 * t + rub, 10.0), 1e-9);
        bench_near(b.v[0], v, 1e-9);
    }
    bench_close(&b);
    /* what its limit cannot tear loose stays, and the control undone */
    open_run(&b,
             "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nconstraint ground: y >= 0\n"
             "friction ground: 0.3 along x'\ncontrol go: x'' = 1 by x within -5..5\n",
             1.0);
    advance(&b, 1.0);
    bench_near(b.q[0], 0.0, 1e-12);
    bench_close(&b);
}

/* Against what contacts hold a motor does nothing to what is asked for: it gives all it can. A finger against a wall; two
 * that hold a box between them, which a third motor lifts from the table; and they let go again. */
static void test_pressing(void **state)
{
    (void)state;
    const double m = 0.5, F = 20.0;
    bench b;
    double row[6];
    open_run(
        &b,
        "coord x\nkinetic x'^2/2\nconstraint wall: x >= 0\n"
        "control close: x'' = -100*(x + 0.05*cos(t)) - 20*x' by x within -8..8\nstart x = 0.3\n",
        2.0);
    for (int k = 2; k <= 6; k++) {
        advance(&b, 0.3 * k);
        read_columns(&b, "actuator(close), normal(wall)", row);
        bench_near(b.q[0], b.t < 1.57 ? 0.0 : b.q[0], 1e-12);
        bench_near(row[1], b.t < 1.57 ? -8.0 : -100.0 * (b.q[0] + 0.05 * cos(b.t)) - 20.0 * b.v[0],
                   1e-9);
        bench_near(row[2], b.t < 1.57 ? 8.0 : 0.0, 1e-9);
    }
    assert_true(b.q[0] > 1e-4); /* it has left when it was told to */
    bench_close(&b);
    open_run(&b,
             "param F = 20, m = 0.5\ncoord hand, l, r, x, z\n"
             "kinetic hand'^2 + (l'^2 + r'^2)/2 + m*(x'^2 + z'^2)/2\n"
             "potential 9.81*(2*hand + m*z)\n"
             "constraint left: x - l >= 0.1\nconstraint right: r - x >= 0.1\n"
             "friction left: 0.4 along z' - hand'\nfriction right: 0.4 along z' - hand'\n"
             "constraint table: z >= 0\n"
             "control one: l'' = 200*(0.05 - l) - 30*l' by l within -F..F\n"
             "control two: r'' = 200*(-0.05 - r) - 30*r' by r within -F..F\n"
             "control lift: hand'' = if(t < 1, 0, 3*sin(4*(t - 1))) by hand\n"
             "start l = -0.2, r = 0.2\n",
             2.5);
    for (int k = 1; k <= 10; k++) {
        double t = 0.25 * k, a = t < 1.0 ? 0.0 : 3.0 * sin(4.0 * (t - 1.0));
        advance(&b, t);
        read_columns(&b, "actuator(one), actuator(two), actuator(lift), normal(left), z'", row);
        bench_near(row[1], F, 1e-8);
        bench_near(row[2], -F, 1e-8);
        if (t > 1.0) bench_near(row[3], (2.0 + m) * (a + g), 1e-8);
        bench_near(row[4], F, 1e-8);
        bench_near(row[5], t < 1.0 ? 0.0 : 0.75 * (1.0 - cos(4.0 * (t - 1.0))), 1e-8);
    }
    bench_close(&b);
}

/* ---------------------------------------------------------------------------- save, crowds */

static const char crowd[] =
    "param mu = 0.3\ncoord x, y, th\nlet p = [x + sin(th), y - cos(th)]\n"
    "kinetic x'^2 + y'^2 + dot(p', p')/2\npotential 9.81*(2*y + p[2])\n"
    "constraint ground: y >= 0\nfriction ground: mu along x'\nrestitution ground: 0.5\n"
    "control go: x' = sin(3*t) by x within -9..9\nstart th = 1, y = 0.05\n";

static void test_saved(void **state)
{
    (void)state;
    for (int k = 1; k <= 10; k++) {
        size_t size = 0, needed = 0;
        bench b, c;
        open_run(&b, crowd, 4.0);
        open_run(&c, crowd, 4.0);
        advance(&b, 0.2 * k);
        assert_int_equal(zw_sim_save(b.sim, NULL, 0, &size), ZW_OK);
        void *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(zw_sim_save(b.sim, bytes, size, &needed), ZW_OK);
        assert_int_equal(zw_sim_restore(c.sim, bytes, size), ZW_OK);
        free(bytes);
        advance(&b, 4.0);
        advance(&c, 4.0);
        assert_memory_equal(b.q, c.q, 3 * sizeof *b.q);
        assert_memory_equal(b.v, c.v, 3 * sizeof *b.v);
        bench_close(&b);
        bench_close(&c);
    }
}

static void test_members(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, crowd);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_compare_members(&b, "mu", (const double[]){0.1, 0.3, 0.6}, 3, 2.0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_to_and_fro),   cmocka_unit_test(test_setting_out),
        cmocka_unit_test(test_slanted_push), cmocka_unit_test(test_cart_pole),
        cmocka_unit_test(test_wheel),        cmocka_unit_test(test_gripper),
        cmocka_unit_test(test_hoist),        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_limit),        cmocka_unit_test(test_saved),
        cmocka_unit_test(test_members),      cmocka_unit_test(test_pressing)};
    int failed = cmocka_run_group_tests_name("motors and contacts", tests, NULL, NULL);
    return failed +
           cmocka_run_group_tests_name("motors and contacts, sparse", tests, bench_sparse, NULL);
}
