/*
 * Kept on the constraints, and what happens where that or anything else on the way fails.
 *
 * Projection against closed forms of the smallest change in the metric M; Baumgarte's method
 * against the damped equations it stands for. Then every way a run can fail: its status, its state,
 * that further calls fail alike, its message, its verdict.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static zw_run_settings defaults(const bench *b)
{
    zw_run_settings set;
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.max_steps = 20000; /* no test may hang */
    return set;
}

static void go(bench *b, double t)
{
    zw_outcome outcome;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
}

static void project(bench *b, const char *assignments)
{
    assert_int_equal(zw_sim_assign(b->sim, assignments), ZW_OK);
    assert_int_equal(zw_sim_project(b->sim), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
}

/* -------------------------------------------------------------------------- projection */

/* x - y = 1 between masses 1 and 3: the heavy one moves a third as far. The same with the row three
 * times, and with rows that do not touch them. */
static void the_smallest_change_in_M(void **state)
{
    (void)state;
    const char *const rows[] = {
        "constraint a: x - y = 1\n",
        "constraint a: x - y = 1\nconstraint b: 2*x - 2*y = 2\nconstraint c: y - x = -1\n",
        "constraint a: x - y = 1\nconstraint d: z = 4\nconstraint e: z'*x = 0\n"};
    for (int k = 0; k < 3; k++) {
        bench b;
        char text[400];
        snprintf(text, sizeof text, "coord x, y, z\nkinetic (x'^2 + 3*y'^2 + z'^2)/2\n%s", rows[k]);
        bench_open(&b, text);
        project(&b, "x = 2, y = -1, z = 4, x' = 1, y' = 0, z' = 0"); /* off by 2, and by 1 */
        bench_near(b.q[0], 2.0 - 2.0 * 0.75, 1e-15);
        bench_near(b.q[1], -1.0 + 2.0 * 0.25, 1e-15);
        bench_near(b.q[2], 4.0, 1e-15);
        bench_near(b.v[0], 1.0 - 0.75, 1e-15);
        bench_near(b.v[1], 0.25, 1e-15);
        double x = b.q[0], v = b.v[0];
        project(&b, "z = 4"); /* what is on the constraints is not touched */
        assert_true(b.q[0] == x && b.v[0] == v);
        bench_close(&b);
    }
}

/* Onto a circle: the nearest point, radially, to first order of how far it is off. */
static void onto_a_circle(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 25\n");
    project(&b, "x = 3.0003, y = 4.0004, x' = 1, y' = 1");
    bench_near(b.q[0], 3.0, 1e-15);
    bench_near(b.q[1], 4.0, 1e-15);
    bench_near(b.v[0], 0.16, 1e-15); /* (1, 1) less its part along (0.6, 0.8), 1.4 */
    bench_near(b.v[1], -0.12, 1e-15);
    assert_int_equal(zw_sim_assign(b.sim, "x = 0, y = 0"), ZW_OK); /* no way out of the centre */
    assert_int_equal(zw_sim_project(b.sim), ZW_ERR_ACCURACY);
    bench_close(&b);
}

/* A skate: only velocities are corrected. */
static void onto_a_nonholonomic_row(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y, a\nkinetic (x'^2 + y'^2 + 2*a'^2)/2\n"
                   "constraint edge: x'*sin(a) - y'*cos(a) = 0\n");
    project(&b, "x = 1, y = 2, a = 0.5, x' = 1, y' = 0, a' = 3");
    assert_true(b.q[0] == 1.0 && b.q[1] == 2.0 && b.q[2] == 0.5);
    bench_near(b.v[0], cos(0.5) * cos(0.5), 1e-15);
    bench_near(b.v[1], cos(0.5) * sin(0.5), 1e-15);
    bench_near(b.v[2], 3.0, 0.0);
    bench_close(&b);
}

/* phi'' + 2 zeta omega phi' + omega^2 phi = 0 of a holonomic row, phi' + omega phi = 0 of another:
 * with zeta 1, phi = (1 + omega t) exp(-omega t) phi0 and exp(-omega t) phi0. */
static void baumgarte_is_its_equation(void **state)
{
    (void)state;
    const double omegas[] = {1.0, 10.0, 4.0};
    for (int k = 0; k < 3; k++) {
        bench b;
        double w = omegas[k];
        bench_open(&b, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce x: 3\nforce y: 7\n"
                       "constraint fixed: x + y = 1\nconstraint slow: z' = 2\n");
        assert_int_equal(zw_sim_assign(b.sim, "x = 1.5, y = 0, z' = 2.25"), ZW_OK);
        zw_run_settings set = defaults(&b);
        set.stabilize = ZW_BAUMGARTE;
        set.omega = w;
        set.tol = set.abs_tol = 1e-12;
        assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
        for (double t = 0.25; t <= 2.0; t += 0.25) {
            go(&b, t);
            bench_near(b.q[0] + b.q[1] - 1.0, 0.5 * (1.0 + w * t) * exp(-w * t), 1e-10);
            bench_near(b.v[2] - 2.0, 0.25 * exp(-w * t), 1e-10);
        }
        bench_close(&b);
    }
}

/* Drift over a hundred swings: none with projection, little with Baumgarte, growing without. */
static void drift(void **state)
{
    (void)state;
    double off[3], speed[3];
    for (int k = 0; k < 3; k++) {
        bench b;
        zw_run_statistics s;
        bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                       "constraint rod: x^2 + y^2 = 1\nstart x = 1\n");
        assert_int_equal(bench_start(&b, false), ZW_OK);
        zw_run_settings set = defaults(&b);
        set.stabilize = (zw_stabilize)k;
        set.tol = set.abs_tol = 1e-8;
        assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
        go(&b, 100.0);
        off[k] = fabs(b.q[0] * b.q[0] + b.q[1] * b.q[1] - 1.0);
        speed[k] = fabs(b.q[0] * b.v[0] + b.q[1] * b.v[1]);
        assert_int_equal(zw_sim_statistics(b.sim, &s), ZW_OK);
        assert_true(s.position.size >= 0.5 * off[k]); /* the worst at the ends of steps */
        bench_close(&b);
    }
    printf("off after 100 s: project %.1e %.1e, baumgarte %.1e %.1e, none %.1e %.1e\n", off[0],
           speed[0], off[1], speed[1], off[2], speed[2]);
    assert_true(off[ZW_PROJECT] < 1e-15 && speed[ZW_PROJECT] < 1e-14);
    assert_true(off[ZW_BAUMGARTE] < 1e-8);
    assert_true(off[ZW_STABILIZE_NONE] > 100.0 * off[ZW_BAUMGARTE]);
}

/* ---------------------------------------------------------------------------- failures */

typedef struct failure {
    const char *text;
    double until;
    zw_status status;
    double t, within; /* where it ends */
    const char *code;
    const char *words[3]; /* of the message */
} failure;

static const failure failures[] = {
    /* x = 1/(1 - t)^2 */
    {"coord x\nkinetic x'^2/2\npotential -2*x^3\nstart x = 1, x' = 2\n",
     2.0,
     ZW_ERR_STEP,
     1.0,
     1e-3,
     "E0701",
     {"the step size fell under its limit", "x'", "changes fastest"}},
    /* x goes to 1 and beyond: the root, its operand */
    {"coord x\nkinetic x'^2/2\nforce x: 1 + 0*t\nforce x: sqrt(2 - x)\nstart x' = 1\n",
     5.0,
     ZW_ERR_NOT_FINITE,
     1.0,
     0.3,
     "E0702",
     {"sqrt", "2 - x", "at t = "}},
    /* a logarithm inside a function of the model, in a potential */
    {"coord x\nlet depth(u) = log(1 - u)\nkinetic x'^2/2\npotential 0.001*depth(x)\n"
     "start x' = 1\n",
     5.0,
     ZW_OK, /* a pole: whatever it is called */
     1.0,
     0.3,
     NULL,
     {NULL}},
    {"coord x, y\nmass x: max(0, 1 - t)\nmass y: 1\nstart x' = 1\n",
     2.0,
     ZW_ERR_UNDETERMINED,
     1.0,
     1e-6,
     "E0703",
     {"x", "t = 1"}},
    {"coord x\nkinetic x'^2\nconstraint closing: abs(x) = 1 - t\nstart x = 1, x' = -1\n",
     2.0,
     ZW_OK, /* any failure */
     1.0,
     1e-5,
     "E0706",
     {"`closing`"}},
    /* a rod that grows beyond what the rail allows */
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = (2 - t)^2\n"
     "constraint rail: y = 1\nstart x = 1.7, y = 1, x' = -1\n",
     3.0,
     ZW_OK,
     1.0,
     1e-2,
     NULL,
     {NULL}},
    /* the event puts the mass into the centre of its circle */
    {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\nstart x = 1, y' = 1\n"
     "when t > 0.75: x = 0, y = 0\n",
     2.0,
     ZW_ERR_ACCURACY,
     0.75,
     1e-12,
     "E0706",
     {"when t > 0.75", "cannot be brought onto the constraints"}},
    /* and this one gives no number: the state stays */
    {"coord y\nkinetic y'^2/2\npotential 10*y\nstart y = 5\nwhen y < 0: y' = sqrt(y')\n",
     2.0,
     ZW_ERR_NOT_FINITE,
     1.0,
     1e-12,
     "E0702",
     {"when y < 0", "not numbers"}},
    /* bounces: sqrt(2/g) (1 + 2 e/(1 - e)) */
    {"coord y\nkinetic y'^2/2\npotential 9.81*y\nstart y = 1\nwhen y < 0: y' = -0.5*y'\n",
     5.0,
     ZW_ERR_CHATTER,
     1.3545709,
     1e-6,
     "E0705",
     {"when y < 0", "1.35457"}},
    /* it lies on the floor already */
    {"coord y\nkinetic y'^2/2\npotential 9.81*y\nstart y = 0\nwhen y < 0: y' = -0.8*y'\n",
     5.0,
     ZW_ERR_CHATTER,
     0.0,
     1e-6,
     "E0705",
     {"when y < 0"}},
};
enum { failure_count = sizeof failures / sizeof *failures };

static bool append(void *user, const char *bytes, size_t size)
{
    char *text = user;
    size_t length = strlen(text);
    if (length + size >= 4000) return false;
    memcpy(text + length, bytes, size);
    text[length + size] = '\0';
    return true;
}

/* Further calls fail alike and leave everything as it is. */
static void expect_stays(bench *b, zw_status status)
{
    for (int k = 0; k < 3; k++) {
        zw_outcome outcome = ZW_REACHED;
        double t, q[8], v[8];
        size_t needed;
        assert_int_equal(zw_sim_advance(b->sim, b->t + k, &outcome), status);
        assert_int_equal(outcome, ZW_INTERRUPTED);
        assert_int_equal(zw_sim_state(b->sim, &t, q, v), ZW_OK);
        assert_true(t == b->t);
        for (int32_t i = 0; i < b->n; i++) assert_true(q[i] == b->q[i] && v[i] == b->v[i]);
        assert_int_equal(zw_sim_save(b->sim, NULL, 0, &needed), ZW_ERR_ORDER);
    }
}

static void expect_message(bench *b, const failure *f)
{
    zw_run_statistics s;
    char verdict[4000] = "";
    zw_context_clear_diagnostics(b->context);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_OK);
    assert_true(zw_context_diagnostic_count(b->context) > 0);
    assert_int_equal(zw_context_diagnostic(b->context, 0)->severity, ZW_ERROR);
    for (int k = 0; k < 3 && f->code && f->words[k]; k++) bench_expect(b, f->code, f->words[k]);
    assert_int_equal(zw_sim_statistics(b->sim, &s), ZW_OK);
    assert_int_equal(s.trust, ZW_TRUST_NOT);
    assert_true(s.t == b->t);
    assert_int_equal(zw_sim_verdict(b->sim, ZW_REPORT_TEXT, append, verdict), ZW_OK);
    if (!strstr(verdict, "do not trust: the run ended early, at t = "))
        fail_msg("the verdict says\n%s", verdict);
}

static void every_failure(void **state)
{
    (void)state;
    for (int k = 0; k < failure_count; k++) {
        const failure *f = &failures[k];
        bench b;
        zw_outcome outcome = ZW_REACHED;
        bench_open(&b, f->text);
        assert_int_equal(bench_start(&b, false), ZW_OK);
        zw_run_settings set = defaults(&b);
        set.until = f->until;
        assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
        zw_status status = zw_sim_advance(b.sim, f->until, &outcome);
        assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
        if (status == ZW_OK || (f->status != ZW_OK && status != f->status))
            fail_msg("failure %d: %s at t = %.17g", k, zw_status_name(status), b.t);
        assert_int_equal(outcome, ZW_INTERRUPTED);
        if (!(fabs(b.t - f->t) <= f->within)) fail_msg("failure %d: ends at t = %.17g", k, b.t);
        for (int32_t i = 0; i < b.n; i++) assert_true(isfinite(b.q[i]) && isfinite(b.v[i]));
        expect_stays(&b, status);
        expect_message(&b, f);
        expect_stays(&b, status);
        bench_close(&b);
    }
}

/* The state at the end of a failed run is a state of the motion. */
static void where_it_got_to(void **state)
{
    (void)state;
    bench b;
    zw_outcome outcome;
    bench_open(&b, failures[0].text);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_settings set = defaults(&b);
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    go(&b, 0.9);
    bench_near(b.q[0], 100.0, 1e-4);
    assert_int_equal(zw_sim_advance(b.sim, 2.0, &outcome), ZW_ERR_STEP);
    assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
    bench_near(b.v[0] / (2.0 * pow(b.q[0], 1.5)), 1.0, 1e-6); /* energy 0: x'^2 = 4 x^3 */
    assert_true(b.q[0] > 1e6);
    bench_close(&b);
}

/* Pendulums that have nothing to do with each other, one of them nowhere: the others, which can be
 * brought onto their circles, do not hide it, wherever it stands among them. */
static void not_a_number(void **state)
{
    (void)state;
    static const char *const counts[] = {"2", "5", "30"};
    for (int k = 0; k < 3 * 3; k++) {
        bench b;
        char text[400];
        (void)snprintf(
            text, sizeof text,
            "param N = %s\ncoord p[N, 2]\nfor i in 1..N {\n  kinetic dot(p[i]', p[i]')/2\n"
            "  potential 9.81*p[i, 2]\n  constraint rod[i]: dot(p[i], p[i]) = 1\n"
            "  start p[i] = [1, 0]\n}\n",
            counts[k / 3]);
        bench_open(&b, text);
        assert_int_equal(bench_start(&b, false), ZW_OK);
        for (int32_t i = 0; i < b.n; i++) b.q[i] += 1e-3 * sin(i + 1.0);
        assert_int_equal(zw_sim_set_state(b.sim, 0.0, b.q, b.v), ZW_OK);
        assert_int_equal(zw_sim_project(b.sim), ZW_OK);
        b.q[k % 3 == 0 ? 0 : k % 3 == 1 ? b.n / 2 : b.n - 1] = (double)NAN;
        assert_int_equal(zw_sim_set_state(b.sim, 0.0, b.q, b.v), ZW_OK);
        assert_int_equal(zw_sim_project(b.sim), ZW_ERR_NOT_FINITE);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_change_in_M),
        cmocka_unit_test(onto_a_circle),
        cmocka_unit_test(onto_a_nonholonomic_row),
        cmocka_unit_test(baumgarte_is_its_equation),
        cmocka_unit_test(drift),
        cmocka_unit_test(every_failure),
        cmocka_unit_test(where_it_got_to),
        cmocka_unit_test_setup_teardown(not_a_number, bench_auto, bench_auto),
        cmocka_unit_test_setup_teardown(not_a_number, bench_sparse, bench_auto),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
