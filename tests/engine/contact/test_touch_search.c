/*
 * test_touch_search.c: steps that are not searched for changes of contacts, because of what was sampled
 * at their stages, against runs in which every step is: the same moments, to the bit, for random numbers
 * in models of every kind of contact.
 */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#include "run.h"

static uint64_t state = 5;

static double uniform(double a, double b)
{
    uint64_t bits = zb_hash_scramble(state += UINT64_C(0x9e3779b97f4a7c15));
    return a + (b - a) * ((double)(bits >> 11) * 0x1p-53);
}

/* p[1..6] are random, from 0 to 1. */
static const char *const texts[] = {
    /* a ball on ground that rises and sinks */
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
    "constraint ground: y >= 0.1*p[1]*sin(3*p[2]*t)\nrestitution ground: p[3]\n"
    "friction ground: p[4]/2 along x'\nstart y = 0.5 + p[5], x' = 4*p[6]\n",
    /* a rod with two ends */
    "let l = 0.5\ncoord x, y, a\nkinetic x'^2 + y'^2 + (0.05 + 0.2*p[1])*a'^2\npotential 19*y\n"
    "constraint left: y - l*sin(a) >= 0\nconstraint right: y + l*sin(a) >= 0\n"
    "friction left: p[2]/2 along x' + l*sin(a)*a'\nfriction right: p[3]/2 along x' - l*sin(a)*a'\n"
    "restitution left, right: 0.8*p[4]\nstart y = 1, a = 3*p[5] - 1.5, x' = 4*p[6] - 2\n",
    /* stick and slip on a belt, with a coefficient that falls */
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y + 20*x^2\n"
    "constraint belt: y >= 0\nlet s = x' - 0.2 - p[1]\n"
    "friction belt: 0.2 + 0.2*p[2]*exp(-abs(s)) along s, static = 0.3 + 0.3*p[3]\n"
    "force x: p[4]*sin(5*p[5]*t)\n",
    /* a double pendulum between a stop and a wall, a clutch beside it */
    "coord a, b, w\nkinetic a'^2 + b'^2/2 + a'*b'*cos(a - b) + w'^2/4\n"
    "potential -9.81*(2*cos(a) + cos(b))\n"
    "constraint stop: -0.3 - p[1] <= a <= 0.5 + p[2]\nconstraint wall: sin(a) + sin(b) <= 1.2\n"
    "constraint clutch: w' - b' >= 0\nrestitution stop: p[3]\nrestitution wall: 0.5\n"
    "start a = 0.3*p[4], b = p[5], b' = 3*p[6]\n",
    /* a cart that carries a pendulum, held by friction until that pulls too hard */
    "coord x, y, a\nlet X = x + sin(a)\nlet Y = y - cos(a)\n"
    "kinetic (2 + 4*p[1])*(x'^2 + y'^2)/2 + (X'^2 + Y'^2)/2\n"
    "potential 9.81*((2 + 4*p[1])*y + Y)\nconstraint ground: y >= 0\n"
    "friction ground: 0.05 + 0.3*p[2] along x', static = 0.1 + 0.3*p[3]\n"
    "start a = 3*p[4], a' = 2*p[5]\n",
    /* in a plane, sliding to rest on a slope */
    "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z + p[1]*x\n"
    "constraint ground: z >= 0.1*p[2]*x\nfriction ground: 0.1 + 0.4*p[3] along [x', y']\n"
    "restitution ground: p[4]\nstart z = 0.5*p[5] + 0.1*p[2], x = 1, x' = 2*p[6], y' = 1\n",
    /* a bead on a wire with friction, which passes the place where nothing presses */
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint wire: y = -0.2*x^2 + "
    "0.05*x^4\n"
    "friction wire: 0.2*p[1] along x'\nstart x = 0.1 + 2*p[2], x' = 3*p[3], y = 0\n",
    /* a rope, taut and slack, and a wall that is hit while it is */
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
    "constraint rope: hypot(x, y) <= 1\nconstraint wall: x + 0.9*p[1] >= 0\n"
    "restitution wall: p[2]\nrestitution rope: 0.3*p[3]\n"
    "start x = 0.3 + 0.5*p[4], y = 0.1, y' = 3*p[5], x' = p[6]\n",
};
enum { text_count = sizeof texts / sizeof *texts, rounds = 12, looks = 7 };

/* What a run has come to. */
typedef struct outcome {
    zw_status status;
    int64_t moments, quiet, steps;
    double state[looks][16];
} outcome;

static void run(const char *text, bool thorough, outcome *o)
{
    bench b;
    zw_run_settings settings;
    zw_outcome reached;
    bench_open(&b, text);
    memset(o, 0, sizeof *o);
    o->status = bench_start(&b, false);
    zw_run_defaults(b.model, &settings);
    if (o->status == ZW_OK) o->status = zw_sim_begin(b.sim, &settings);
    if (o->status == ZW_OK) b.sim->run->touching.thorough = thorough;
    for (int k = 0; k < looks && o->status == ZW_OK; k++) {
        double t = settings.until * (k + 1) / looks, *at = o->state[k];
        o->status = zw_sim_advance(b.sim, t, &reached);
        zw_sim_state(b.sim, at, at + 1, at + 1 + b.n);
    }
    if (b.sim->run) {
        o->moments = b.sim->run->touching.moments;
        o->quiet = b.sim->run->touching.quiet;
        o->steps = b.sim->run->step.stepper->counts.steps;
    }
    bench_close(&b);
}

static void the_same_moments(void **unused)
{
    (void)unused;
    int64_t quiet = 0, steps = 0, moments = 0;
    for (int k = 0; k < text_count; k++)
        for (int round = 0; round < rounds; round++) {
            char text[1200];
            outcome x, y;
            int at = snprintf(text, sizeof text, "param p = [%.17g", uniform(0.0, 1.0));
            for (int i = 1; i < 6; i++)
                at += snprintf(text + at, sizeof text - (size_t)at, ", %.17g", uniform(0.0, 1.0));
            (void)snprintf(text + at, sizeof text - (size_t)at, "]\n%ssimulate t = 0..3\n",
                           texts[k]);
            run(text, false, &x);
            run(text, true, &y);
            quiet += x.quiet;
            steps += x.steps;
            moments += x.moments;
            x.quiet = y.quiet = 0;
            x.steps = y.steps = 0; /* what comes to rest may be found a step earlier */
            if (memcmp(&x, &y, sizeof x) != 0)
                fail_msg("model %d, round %d: %d and %d moments, status %d and %d\n%s", k, round,
                         (int)x.moments, (int)y.moments, (int)x.status, (int)y.status, text);
        }
    printf("%d steps, %d moments, %d steps not searched\n", (int)steps, (int)moments, (int)quiet);
    assert_true(quiet > steps / 3 && moments > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
