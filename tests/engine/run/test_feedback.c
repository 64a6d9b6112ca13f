/*
 * Friction that changes the reaction it follows: random slopes, masses and directions of a brake
 * against the closed form of what it does to the multiplier; exact ones are not told. A joint that
 * sticks while another one slides. Forces and events that follow a share that is not unique.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* To the end of the run, with all that is told about it. */
static void run_to_end(bench *b, const char *text)
{
    zw_run_settings set;
    zw_outcome outcome;
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b->sim, set.until, &outcome), ZW_OK);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_OK);
}

/* Runs to the end and gives by how much friction is off, 0: it is exact. */
static double find_feedback(const char *text)
{
    bench b;
    zw_run_statistics stats;
    run_to_end(&b, text);
    assert_int_equal(zw_sim_statistics(b.sim, &stats), ZW_OK);
    double off = b.sim->run->feedback.worst;
    assert_int_equal(off > 0.0, bench_message(&b, "R0732") != NULL);
    assert_int_equal(off > 0.0, stats.trust == ZW_TRUST_REMARKS);
    bench_close(&b);
    return off;
}

/* Mass m on the slope y = k x, braked by mu |lambda| (c, s): lambda without it is
 * -g/(1/m + k^2/m), and the brake adds to it (y - k x)'' = 0: -(s - k c) mu |lambda| /(1 + k^2). */
static void slopes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    char text[500];
    for (int i = 0; i < 60; i++) {
        double k = 4 * draw(&seed) - 2, m = exp(4 * draw(&seed) - 2), mu = 0.6 * draw(&seed);
        double angle = 6.28 * draw(&seed), c = cos(angle), s = sin(angle);
        bool along = i % 3 == 0; /* the motion that is left */
        if (along) c = 1 / sqrt(1 + k * k), s = k * c;
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic %.17g*(x'^2 + y'^2)/2\npotential %.17g*9.81*y\n"
                       "constraint wedge: y - %.17g*x = 0\n"
                       "nonideal x: %.17g*abs(multiplier(wedge))\n"
                       "nonideal y: %.17g*abs(multiplier(wedge))\n"
                       "start x' = 1, y' = %.17g\nsimulate t = 0..0.1\n",
                       m, m, k, -mu * c, -mu * s, k);
        double expected = along ? 0 : fabs(mu * (s - k * c) / (1 + k * k));
        double off = find_feedback(text);
        if (fabs(off - expected) > 1e-6 * expected) fail_msg("%g, not %g\n%s", off, expected, text);
    }
}

/* Events that read a reaction which a friction elsewhere changes; a single block is exact. */
static void blocks(void **state)
{
    (void)state;
    static const char tied[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce x: 1\n"
                               "constraint rope: y = x\nnonideal y: -0.5\nstart x' = 1, y' = 1\n"
                               "when multiplier(rope) > 10: stop\nsimulate t = 0..0.1\n";
    static const char apart[] = "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce x: 1\n"
                                "constraint rope: y = x\nnonideal z: -0.5\nstart x' = 1, y' = 1\n"
                                "when multiplier(rope) > 10: stop\nsimulate t = 0..0.1\n";
    static const char block[] =
        "use planar\npart ground = Ground()\n"
        "part a = Body(1, 0.1, v0 = [1, 0], gravity = [0, -9.81])\n"
        "part rail = Slider(ground, a)\npart rub = SliderFriction(rail, 0.3)\nsimulate t = 0..1\n";
    assert_true(find_feedback(tied) > 0.01);
    assert_true(find_feedback(apart) == 0.0);
    assert_true(find_feedback(block) == 0.0);
}

/* Rows that hold the same thing, of other weights and lengths: a force and an event that follow one
 * of them are told, those that follow the whole are not. */
static void choices(void **state)
{
    (void)state;
    uint64_t seed = 8;
    char text[600];
    for (int i = 0; i < 24; i++) {
        double a = exp(4 * draw(&seed) - 2), c = exp(4 * draw(&seed) - 2), w = 1 + draw(&seed);
        bool share = i % 2 == 0, event = i % 4 < 2;
        char whole[120], use[200];
        (void)snprintf(whole, sizeof whole,
                       share ? "multiplier(one)"
                             : "(%.17g*multiplier(one) + "
                               "%.17g*multiplier(two))",
                       a, c);
        (void)snprintf(use, sizeof use, event ? "when %s > 1e9: stop" : "nonideal x: -1e-3*%s",
                       whole);
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                       "constraint one: %.17g*y = 0\nconstraint two: %.17g*y = 0\nweight two: %g\n"
                       "start x' = 1\n%s\nsimulate t = 0..0.1\n",
                       a, c, w, use);
        bench b;
        run_to_end(&b, text);
        if ((bench_message(&b, "W0733") != NULL) != share) fail_msg("share %d\n%s", share, text);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slopes), cmocka_unit_test(blocks),
                                       cmocka_unit_test(choices)};
    return cmocka_run_group_tests_name("feedback", tests, NULL, NULL);
}
