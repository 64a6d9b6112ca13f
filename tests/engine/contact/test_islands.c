/*
 * test_islands.c: mechanisms that have nothing to do with each other, in one model and each alone: the
 * same motions, and the same things happen to each. And contacts by the thousand, of which each stands
 * for itself.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"
#include "settle.h"

enum { looks = 6, most_coordinates = 64, most_text = 16000 };

/* @ is the number of the mechanism. */
static const char *const mechanisms[] = {
    /* a ball bounces and rubs until it rolls on */
    "coord x@, y@\nkinetic (x@'^2 + y@'^2)/2\npotential 9.81*y@\nconstraint ground@: y@ >= 0\n"
    "restitution ground@: 0.5\nfriction ground@: 0.3 along x@'\nstart y@ = 0.3, x@' = 2\n",
    /* stick and slip on a belt */
    "coord x@, y@\nkinetic (x@'^2 + y@'^2)/2\npotential 9.81*y@ + 25*x@^2\n"
    "constraint belt@: y@ >= 0\nfriction belt@: 0.3 along x@' - 0.5, static = 0.5\n"
    "start x@' = 0.5\n",
    /* a bead on a rough wire, which swings out */
    "coord x@, y@\nkinetic (x@'^2 + y@'^2)/2\npotential 9.81*y@\n"
    "constraint wire@: x@^2 + y@^2 = 1\nfriction wire@: 0.2 along y@*x@' - x@*y@'\n"
    "start x@ = 1, y@ = 0\n",
    /* a rotor on a pin, by what the model says presses */
    "coord x@, y@, a@\nkinetic (x@'^2 + y@'^2 + 0.4*a@'^2)/2\npotential 9.81*y@\n"
    "constraint pin@: [x@, y@] = 0\n"
    "friction pin@: 0.05 along a@', pressure = hypot(multiplier(pin@)[1], multiplier(pin@)[2])\n"
    "start a@' = 1\n",
    /* two blocks, one on the other, pushed by a force that grows */
    "coord x@, u@, y@, w@\nkinetic x@'^2 + u@'^2/2 + y@'^2 + w@'^2/2\n"
    "potential 9.81*(2*y@ + w@)\nforce u@: 3*t\nconstraint table@: y@ >= 0\n"
    "constraint block@: w@ - y@ >= 0\nfriction table@: 0.1 along x@'\n"
    "friction block@: 0.3 along u@' - x@', static = 0.4\n",
    /* a slider driven to and fro */
    "coord x@, y@\nkinetic (x@'^2 + y@'^2)/2\npotential 9.81*y@\nforce x@: 6*sin(7*t)\n"
    "constraint rail@: y@ = 0\nfriction rail@: 0.2 along x@', pressure = "
    "abs(multiplier(rail@))\n",
};
enum { count = sizeof mechanisms / sizeof *mechanisms, copies = 3 };

/* Mechanism k with its number in the place of @, at the end of the text. */
static void add_mechanism(char *text, int k, int number)
{
    char *to = text + strlen(text);
    for (const char *from = mechanisms[k]; *from; from++) {
        if (*from == '@')
            to += snprintf(to, 8, "%d", number);
        else
            *to++ = *from;
    }
    *to = '\0';
}

typedef struct outcome {
    int32_t n, sites;
    double state[looks][2 * most_coordinates];
    int64_t happened[most_coordinates];
} outcome;

static void run(const char *text, outcome *o)
{
    bench b;
    zw_run_settings settings;
    zw_outcome reached;
    double t;
    bench_open(&b, text);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_defaults(b.model, &settings);
    assert_int_equal(zw_sim_begin(b.sim, &settings), ZW_OK);
    o->n = b.n;
    for (int k = 0; k < looks; k++) {
        assert_int_equal(zw_sim_advance(b.sim, settings.until * (k + 1) / looks, &reached), ZW_OK);
        zw_sim_state(b.sim, &t, o->state[k], o->state[k] + b.n);
    }
    const zr_contacts *c = b.sim->contacts;
    o->sites = c->laws->sites;
    for (int32_t k = 0; k < o->sites; k++) {
        const zr_tally *x = &c->tally[k];
        o->happened[k] = x->impacts + 100 * x->closings + 10000 * x->openings +
                         1000000 * x->sticks + 100000000 * x->slips;
    }
    bench_close(&b);
}

static const char ending[] = "simulate t = 0..1.5, tol = 1e-12\n";

/* Sites are contacts first: sums of what happened are compared. */
static void each_as_alone(void **unused)
{
    (void)unused;
    static char text[most_text];
    static outcome all, one;
    int64_t happened = 0, together = 0;
    int32_t first = 0;
    text[0] = '\0';
    for (int i = 0; i < count * copies; i++) add_mechanism(text, i % count, i + 1);
    (void)strcat(text, ending);
    run(text, &all);
    for (int i = 0; i < count * copies; i++, first += one.n) {
        text[0] = '\0';
        add_mechanism(text, i % count, i + 1);
        (void)strcat(text, ending);
        run(text, &one);
        for (int k = 0; k < looks; k++)
            for (int32_t j = 0; j < one.n; j++) {
                bench_near(all.state[k][first + j], one.state[k][j], 1e-10);
                bench_near(all.state[k][all.n + first + j], one.state[k][one.n + j], 1e-10);
            }
        for (int32_t k = 0; k < one.sites; k++) happened += one.happened[k];
    }
    for (int32_t k = 0; k < all.sites; k++) together += all.happened[k];
    assert_int_equal(first, all.n);
    assert_int_equal(happened, together);
}

/* What contact space takes grows with their number, not with its square. */
static void thousands_of_blocks(void **unused)
{
    (void)unused;
    bench b;
    assert_int_equal(bench_compile(&b, "param N = 3000\ncoord x[N], y[N]\n"
                                       "kinetic (dot(x', x') + dot(y', y'))/2\n"
                                       "for i in 1..N {\npotential 9.81*y[i]\n"
                                       "constraint ground[i]: y[i] >= 0\n"
                                       "friction ground[i]: 0.3 along x[i]'\n"
                                       "start y[i] = if(i < N/2, 0, 1), x[i]' = 1\n}\n"
                                       "simulate t = 0..0.1\n"),
                     ZW_OK);
    assert_int_equal(zw_sim_start(b.sim, false), ZW_OK);
    const zr_contacts *c = b.sim->contacts;
    assert_int_equal(zr_decide_mode(b.sim, b.sim->t, b.sim->q, b.sim->v), ZW_OK);
    const zr_space *s = c->space;
    assert_int_equal(s->contacts, 1499);
    assert_int_equal(s->rows, 2998);
    assert_int_equal(s->blocks.count, 1499);
    assert_true(s->room_G + s->room_Z <= 100 * 3000);
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        assert_int_equal(c->mode.touch[k], k < 1499 ? ZR_CLOSED : ZR_OPEN);
        assert_int_equal(c->mode.grip[k], k < 1499 ? ZR_SLIDES : ZR_IDLE);
    }
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_as_alone),
        cmocka_unit_test(thousands_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
