/*
 * test_kept_contacts.c: contacts that nothing happens to at a moment are kept as equations; against
 * runs in which all that touch are in contact space at every moment: the same motion, the same
 * impacts, closings and openings of each contact. And functions of contacts whose forces balance: they
 * are not armed by rounding.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

enum { looks = 8, most_sites = 40 };

/* What a run has come to. */
typedef struct outcome {
    int64_t moments, kept;
    int64_t impacts[most_sites], closings[most_sites], openings[most_sites];
    double state[looks][128], energy, impulse[most_sites];
    int32_t n, contacts;
} outcome;

static void run(const char *text, bool thorough, outcome *o)
{
    bench b;
    zw_run_settings settings;
    zw_outcome reached;
    zw_run_statistics stats;
    bench_open(&b, text);
    memset(o, 0, sizeof *o);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_defaults(b.model, &settings);
    assert_int_equal(zw_sim_begin(b.sim, &settings), ZW_OK);
    b.sim->run->touching.thorough = thorough;
    for (int k = 0; k < looks; k++) {
        double t;
        assert_int_equal(zw_sim_advance(b.sim, settings.until * (k + 1) / looks, &reached), ZW_OK);
        zw_sim_state(b.sim, &t, o->state[k], o->state[k] + b.n);
    }
    const zr_contacts *c = b.sim->contacts;
    o->n = b.n;
    o->contacts = c->laws->contacts;
    o->moments = b.sim->run->touching.moments;
    o->kept = b.sim->run->touching.kept;
    for (int32_t k = 0; k < o->contacts; k++) {
        o->impacts[k] = c->tally[k].impacts;
        o->closings[k] = c->tally[k].closings;
        o->openings[k] = c->tally[k].openings;
        o->impulse[k] = c->impulse[k];
    }
    assert_int_equal(zw_sim_statistics(b.sim, &stats), ZW_OK);
    o->energy = stats.energy.end;
    bench_close(&b);
}

static void compare(const char *text, double tolerance)
{
    outcome x, y;
    run(text, false, &x);
    run(text, true, &y);
    printf("%d moments, %d contacts kept\n", (int)x.moments, (int)x.kept);
    assert_true(x.kept > 8 && y.kept == 0);
    assert_int_equal(x.moments, y.moments);
    for (int32_t k = 0; k < x.contacts; k++) {
        assert_int_equal(x.impacts[k], y.impacts[k]);
        assert_int_equal(x.closings[k], y.closings[k]);
        assert_int_equal(x.openings[k], y.openings[k]);
        bench_near(x.impulse[k], y.impulse[k], tolerance);
    }
    for (int k = 0; k < looks; k++)
        for (int32_t j = 0; j < 2 * x.n; j++) bench_near(x.state[k][j], y.state[k][j], tolerance);
    bench_near(x.energy, y.energy, tolerance);
}

/* A wavy chain of beads falls on a floor, where some are pulled up again. */
static const char chain[] =
    "param N = 30, g = 9.81, l = 4/N, m = 1/N\ncoord p[N, 2]\n"
    "for i in 1..N {\nkinetic m/2*dot(p[i]', p[i]')\npotential m*g*p[i, 2]\n"
    "constraint ground[i]: p[i, 2] >= 0\n}\n"
    "start p[1] = [0, 0.05]\nfor i in 2..N {\nlet slope = 0.6*sin(9*(i - 1)/(N - 1))\n"
    "constraint rod[i]: dot(p[i] - p[i-1], p[i] - p[i-1]) = l^2\n"
    "start p[i] = p[i-1] + l*[cos(slope), sin(slope)]\n}\n";

static void a_chain_falls(void **unused)
{
    (void)unused;
    char text[1200];
    (void)snprintf(text, sizeof text, "%ssimulate t = 0..0.4\n", chain);
    compare(text, 1e-9);
}

/* The ground rises under the fourth leg of one of four tables whose other legs stand: what rises
 * cannot move that leg while they are kept. */
static void the_fourth_leg(void **unused)
{
    (void)unused;
    compare("coord z[4], a[4], b[4]\nfor i in 1..4 {\n"
            "kinetic (z[i]'^2 + 0.3*a[i]'^2 + 0.2*b[i]'^2)/2\npotential 9.81*z[i]\n"
            "constraint one[i]: z[i] + a[i] >= 0\nconstraint two[i]: z[i] - a[i]/2 + b[i] >= 0\n"
            "constraint three[i]: z[i] - a[i]/2 - b[i] >= 0\n}\n"
            "constraint four: z[1] + 2*a[1] + 0.1*(1 - t)*(1 + t) >= 0\nsimulate t = 0..1.5\n",
            1e-9);
}

/* A weight falls on one of many feet that feel each other by inertia: some press, others are pulled up. */
static void feet_are_pulled_up(void **unused)
{
    (void)unused;
    compare("coord x, y[16]\nkinetic x'^2/2\npotential 9.81*x\n"
            "for i in 1..16 {\nkinetic y[i]'^2/2\npotential 9.81*y[i]\n"
            "constraint foot[i]: y[i] >= 0\n}\n"
            "for i in 2..16 { kinetic (y[i]' + (-1)^i*y[i-1]')^2\n"
            "potential 8*(1 + sin(4*i))*y[i]*y[i-1] }\n"
            "constraint strikes: x - y[7] + 2*y[9] - y[12] >= 0\n"
            "start x = 0.2, y[12] = 0.1, y[3] = 0.15\nsimulate t = 0..1\n",
            1e-9);
}

/* Where a weight is balanced to rounding by another one over a pulley, its contact force is rounding of
 * these. At a moment that is another contact's it is not armed by it. */
static void balanced_forces(void **unused)
{
    (void)unused;
    bench b;
    zw_run_settings settings;
    zw_outcome reached;
    bench_open(&b, "coord x, h, y\nkinetic (x'^2 + h'^2 + y'^2)/2\n"
                   "potential 9.81*(x + h*(1 - 1e-15) + y)\nconstraint pulley: x + h = 0\n"
                   "constraint one: x >= 0\nconstraint two: y >= 0\n"
                   "start y = 0.1\nsimulate t = 0..1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_defaults(b.model, &settings);
    assert_int_equal(zw_sim_begin(b.sim, &settings), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, 1.0, &reached), ZW_OK);
    const zr_touching *w = &b.sim->run->touching;
    assert_int_equal(w->moments, 1);
    if (b.sim->contacts->mode.touch[0] == ZR_CLOSED) {
        assert_false(w->armed[0]);
        assert_true(w->band[0] >= 1e-9 * 9.81);
    }
    assert_true(fabs(b.sim->q[0]) < 1e-14);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_falls),
        cmocka_unit_test(the_fourth_leg),
        cmocka_unit_test(feet_are_pulled_up),
        cmocka_unit_test(balanced_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
