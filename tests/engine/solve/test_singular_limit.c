/*
 * Singular configurations: a motion that begins exactly in one has the limit acceleration, one that
 * goes through keeps its accuracy, and where there is no limit the acceleration stays as it is.
 *
 * N four-bars in a row move as one angle, x_i = i - 1 + sin(theta), y_i = cos(theta):
 *
 *     theta'' = k g sin(theta),    k = 3 (3 N + 1) / (2 (4 N + 1))
 *
 * and lie flat at theta = pi/2, where the rank of the rows is less by N. The second opinion is this
 * equation, integrated here in long double.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

/* All posts at the angle whose sine and cosine are s and c, turning at w. */
static void open_fourbar(bench *b, int N, double s, double c, double w)
{
    char text[2000];
    snprintf(text, sizeof text,
             "param N = %d, m = 1, g = 9.81, s = %.17g, c = %.17g, w = %.17g\n"
             "coord x[N+1], y[N+1]\n"
             "let couplers(u) = sum(i in 2..N+1, u[i-1]'^2 + u[i-1]'*u[i]' + u[i]'^2)\n"
             "kinetic m/6*(dot(x', x') + dot(y', y') + couplers(x) + couplers(y))\n"
             "potential sum(i in 1..N+1, m*g*y[i]/2) + sum(i in 2..N+1, m*g*(y[i-1] + y[i])/2)\n"
             "for i in 1..N+1 {\n"
             "  constraint post[i]: (x[i] - (i - 1))^2 + y[i]^2 = 1\n"
             "  start x[i] = i - 1 + s, y[i] = c, x[i]' = c*w, y[i]' = -s*w\n}\n"
             "for i in 2..N+1 {\n"
             "  constraint coupler[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1\n}\n",
             N, s, c, w);
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
}

static double stiffness(int N)
{
    return 9.81 * 3.0 * (3.0 * N + 1.0) / (2.0 * (4.0 * N + 1.0));
}

static void begin(bench *b, double tol)
{
    zw_run_settings set;
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.tol = set.abs_tol = tol;
    set.max_steps = 20000;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
}

/* What the stepper sees at the state. */
static void accelerate(bench *b, double *z)
{
    zk_source s = zr_source(b->sim, b->t, b->q, b->v);
    zr_wanted wanted = {.at = &s, .z = z};
    assert_int_equal(zr_accelerate(b->sim, &b->sim->run->solving, &wanted), ZW_OK);
}

static void go(bench *b, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
}

static zw_run_statistics statistics(bench *b)
{
    zw_run_statistics s;
    assert_int_equal(zw_sim_statistics(b->sim, &s), ZW_OK);
    return s;
}

/* theta and its rate after t, by the classical method with steps of 1/8192. */
static void turn(double k, double t, long double *angle, long double *rate)
{
    long double h = 1.0L / 8192, x = *angle, w = *rate, K = (long double)k;
    long steps = lround(t * 8192);
    for (long i = 0; i < steps; i++) {
        long double x1 = w, w1 = K * sinl(x);
        long double x2 = w + h / 2 * w1, w2 = K * sinl(x + h / 2 * x1);
        long double x3 = w + h / 2 * w2, w3 = K * sinl(x + h / 2 * x2);
        long double x4 = w + h * w3, w4 = K * sinl(x + h * x3);
        x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
        w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    *angle = x;
    *rate = w;
}

/* Largest error of all coordinates and velocities against the angle. */
static double error_of(const bench *b, int N, long double angle, long double rate)
{
    double worst = 0.0;
    double s = (double)sinl(angle), c = (double)cosl(angle), w = (double)rate;
    for (int i = 0; i <= N; i++) {
        worst = fmax(worst, fabs(b->q[i] - i - s));
        worst = fmax(worst, fabs(b->q[N + 1 + i] - c));
        worst = fmax(worst, fabs(b->v[i] - c * w));
        worst = fmax(worst, fabs(b->v[N + 1 + i] + s * w));
    }
    return worst;
}

/* ------------------------------------------------------------------ the limit itself */

static void a_flat_fourbar_has_the_limit_acceleration(void **state)
{
    (void)state;
    const double speeds[] = {0.01, 1.0, -3.0, 50.0};
    for (int N = 1; N <= 6; N++) {
        for (int k = 0; k < 4; k++) {
            bench b;
            double z[14], w = speeds[k], scale = w * w + stiffness(N);
            open_fourbar(&b, N, 1.0, 0.0, w);
            begin(&b, 1e-9);
            accelerate(&b, z);
            for (int i = 0; i <= N; i++) {
                bench_near(z[i], -w * w, 1e-12 * scale);
                bench_near(z[N + 1 + i], -stiffness(N), 1e-12 * scale);
            }
            zw_run_statistics s = statistics(&b);
            assert_int_equal(s.generic_rank, 2 * N + 1);
            assert_int_equal(s.rank, N + 1);
            assert_true(s.singular > 0);
            assert_int_equal(s.trust, ZW_TRUST_REMARKS);
            bench_close(&b);
        }
    }
}

/* It is the limit: the accelerations just beside it tend to it. */
static void beside_it(void **state)
{
    (void)state;
    double last = HUGE_VAL;
    for (double d = 1e-1; d > 1e-4; d *= 0.1) {
        bench b;
        double z[4], away = 0.0;
        open_fourbar(&b, 1, cos(d), sin(d), 2.0);
        begin(&b, 1e-9);
        accelerate(&b, z);
        for (int i = 0; i < 2; i++) {
            away = fmax(away, fabs(z[i] + 4.0));
            away = fmax(away, fabs(z[2 + i] + stiffness(1)));
        }
        assert_int_equal(statistics(&b).singular, 0);
        assert_true(away < 0.2 * last && away < 50.0 * d);
        last = away;
        bench_close(&b);
    }
}

/* y' = 0 and y' + x z' = 0 leave z' free at x = 0 only: its acceleration, 5 there by the forces
 * alone, is 0 in the limit. */
static void nonholonomic_rows(void **state)
{
    (void)state;
    bench b;
    double z[3];
    bench_open(&b, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce x: 3\nforce z: 5\n"
                   "constraint level: y' = 0\nconstraint tied: y' + x*z' = 0\nstart x' = 1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_acceleration(b.sim, b.t, b.q, b.v, z), ZW_OK);
    bench_near(z[2], 5.0, 1e-14); /* of the rows as they stand */
    begin(&b, 1e-10);
    accelerate(&b, z);
    bench_near(z[0], 3.0, 1e-13);
    bench_near(z[1], 0.0, 1e-13);
    bench_near(z[2], 0.0, 1e-13);
    assert_int_equal(statistics(&b).generic_rank, 2);
    go(&b, 1.0);
    bench_near(b.q[0], 2.5, 1e-9);
    bench_near(b.q[2], 0.0, 1e-9);
    bench_close(&b);
}

/* ------------------------------------------------------------------- where there is none */

static void expect_as_it_is(const char *text)
{
    bench b;
    double z[64], plain[64];
    bench_open(&b, text);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_sim_acceleration(b.sim, b.t, b.q, b.v, plain), ZW_OK);
    begin(&b, 1e-9);
    accelerate(&b, z);
    for (int32_t i = 0; i < b.n; i++) bench_near(z[i], plain[i], 1e-13);
    assert_int_equal(statistics(&b).singular, 0);
    bench_close(&b);
}

static void no_limit(void **state)
{
    (void)state;
    /* the curves touch to second order and part: no motion goes on */
    expect_as_it_is("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: 7\nforce x: 2\n"
                    "constraint line: y = 0\nconstraint cubic: y = x^3\nstart x' = 1\n");
    /* they touch to first order: the accelerations contradict each other, and the principle holds
     */
    expect_as_it_is("coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: 7\n"
                    "constraint line: y = 0\nconstraint square: y = x^2\nstart x' = 1\n");
    /* rows of accelerations are not differentiated */
    expect_as_it_is("coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce z: 5\n"
                    "constraint level: y'' = 0\nconstraint tied: y'' + x*z'' = 0\nstart x' = 1\n");
}

/* At rest the flat four-bar may move either way; the principle alone decides: the bars fall
 * together. */
static void at_rest(void **state)
{
    (void)state;
    for (int N = 1; N <= 1; N++) { /* with more bars no smooth motion begins there */
        bench b;
        double z[6], plain[6];
        long double angle = acosl(-1.0L) / 2, rate = 0.0L;
        open_fourbar(&b, N, 1.0, 0.0, 0.0);
        assert_int_equal(zw_sim_acceleration(b.sim, b.t, b.q, b.v, plain), ZW_OK);
        begin(&b, 1e-9);
        accelerate(&b, z);
        for (int32_t i = 0; i < b.n; i++) bench_near(z[i], plain[i], 1e-12);
        turn(stiffness(N), 1.0, &angle, &rate);
        go(&b, 1.0);
        bench_near(error_of(&b, N, angle, rate), 0.0, 1e-7);
        bench_close(&b);
    }
}

/* ---------------------------------------------------------------------- going through */

/* From upright (theta = 0, w = 1), or from flat itself, through flat positions until t. */
static double run_through(int N, bool flat, double tol, double t, zw_run_statistics *s)
{
    bench b;
    long double angle = flat ? acosl(-1.0L) / 2 : 0.0L, rate = 1.0L;
    open_fourbar(&b, N, flat ? 1.0 : 0.0, flat ? 0.0 : 1.0, 1.0);
    begin(&b, tol);
    turn(stiffness(N), t, &angle, &rate);
    go(&b, t);
    *s = statistics(&b);
    double error = error_of(&b, N, angle, rate);
    bench_close(&b);
    return error;
}

static void through_singular_positions(void **state)
{
    (void)state;
    const int sizes[] = {1, 2, 5};
    for (int k = 0; k < 6; k++) {
        int N = sizes[k % 3];
        bool flat = k >= 3;
        double first = 0.0, last = 0.0;
        /* with five loops rounding decides below 1e-12 whether a step can be had: one tolerance in
         * nine ends with a step at its limit */
        double least = N == 5 ? 0.5e-12 : 0.5e-13;
        for (double tol = 1e-6; tol > least; tol *= 0.1) {
            zw_run_statistics s;
            last = run_through(N, flat, tol, 3.0, &s);
            if (tol > 0.5e-6) first = last;
            if (!(last <= 400.0 * tol + 5e-12)) fail_msg("N %d, tol %g: %g", N, tol, last);
            assert_int_equal(s.generic_rank, 2 * N + 1);
            assert_int_equal(s.rank, 2 * N + 1);
            assert_true(s.trust != ZW_TRUST_NOT);
            assert_true(s.smallest_step > 1e-4 && s.rejected < s.steps);
            if (flat) assert_true(s.singular > 0 && s.rank_changes == 1);
            if (tol < 5e-12) assert_true(last < 1e-3 * first); /* it falls with the tolerance */
        }
        printf("N %d%s: error %.2e at tol 1e-6, %.2e at %.0e\n", N, flat ? " from flat" : "", first,
               last, N == 5 ? 1e-12 : 1e-13);
    }
}

/* The work array of a simulation, in which forces are summed up, is 0 again after a start that has
 * looked at shares: two tables that are one, of which a force of friction uses one. */
static void a_start_leaves_no_work(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y, z\nkinetic 0.5*(x'^2 + y'^2 + z'^2)\npotential 9.81*z\n"
                   "constraint table: z = 0\nconstraint again: 2*z = 0\nstart x' = 1\n"
                   "nonideal x: -0.1*reaction(table)\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_expect(&b, "W0611", "`table`");
    for (int32_t i = 0; i < b.n; i++) assert_true(b.sim->work[i] == 0.0);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_leaves_no_work),
        cmocka_unit_test(a_flat_fourbar_has_the_limit_acceleration),
        cmocka_unit_test(beside_it),
        cmocka_unit_test(nonholonomic_rows),
        cmocka_unit_test(no_limit),
        cmocka_unit_test(at_rest),
        cmocka_unit_test(through_singular_positions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
