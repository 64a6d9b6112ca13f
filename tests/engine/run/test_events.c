/*
 * Events at a state: truth and gaps against the conditions written in C, new values, reactions,
 * texts; families, components, large models. Along a motion: bouncing against closed form.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { MOST = 256 };

typedef struct sight {
    bool truth[MOST];
    double gap[MOST];
} sight;

static sight look(bench *b, double t, const double *q, const double *v)
{
    sight s;
    memset(&s, 0, sizeof s);
    assert_true(zr_event_count(b->model) <= MOST && zr_event_gaps(b->model) <= MOST);
    assert_int_equal(zr_look_at_events(b->sim, t, q, v, s.truth, s.gap), ZW_OK);
    return s;
}

static void check_text(bench *b, int32_t event, const char *expected)
{
    char buffer[200];
    zb_text text;
    zb_text_init_fixed(&text, buffer, sizeof buffer);
    zr_text_event(b->model, event, &text);
    assert_string_equal(buffer, expected);
}

static void open_file(bench *b, const char *name)
{
    char path[500], text[8000];
    snprintf(path, sizeof path, "%s/%s.zw", ZW_TEST_MODELS, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("no %s", path);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    bench_open(b, text);
}

/* --------------------------------------------------------------------- models */

/* when y < 0: y' = -e*y' and when x > 5: stop */
static void bounce(void **state)
{
    (void)state;
    bench b;
    open_file(&b, "bounce");
    assert_int_equal(zr_event_count(b.model), 2);
    assert_int_equal(zr_event_gaps(b.model), 2);
    assert_int_equal(zr_event_equalities(b.model), 0);
    assert_false(zr_event_stops(b.model, 0));
    assert_true(zr_event_stops(b.model, 1));
    check_text(&b, 0, "when y < 0");
    check_text(&b, 1, "when x > 5");
    double q[] = {4.0, -0.25, 0.9}, v[] = {1.0, -3.0, 0.1};
    sight s = look(&b, 0.0, q, v);
    assert_true(s.truth[0] && !s.truth[1]);
    assert_true(s.gap[0] == -0.25 && s.gap[1] == 1.0);
    q[0] = 5.5;
    q[1] = 0.0;
    s = look(&b, 0.0, q, v);
    assert_true(!s.truth[0] && s.truth[1]);
    assert_true(s.gap[0] == 0.0 && s.gap[1] == -0.5);
    assert_int_equal(zr_set_new_values(b.sim, 0, 0.0, q, v), ZW_OK);
    bench_near(v[1], 0.8 * 3.0, 1e-15);
    assert_true(q[0] == 5.5 && q[1] == 0.0 && q[2] == 0.9 && v[0] == 1.0 && v[2] == 0.1);
    assert_int_equal(zw_sim_set_parameters(b.sim, "e = 0.5"), ZW_OK);
    v[1] = -3.0;
    assert_int_equal(zr_set_new_values(b.sim, 0, 0.0, q, v), ZW_OK);
    bench_near(v[1], 1.5, 1e-15);
    assert_int_equal(zr_set_new_values(b.sim, 1, 0.0, q, v), ZW_OK); /* stop sets nothing */
    bench_close(&b);
}

static void none(void **state)
{
    (void)state;
    bench b;
    open_file(&b, "two_balls");
    assert_int_equal(zr_event_count(b.model), 0);
    assert_int_equal(zr_event_gaps(b.model), 0);
    look(&b, 0.0, (double[6]){0}, (double[6]){0});
    bench_close(&b);
}

/* All new values come from the values before; vectors, positions, time. */
static void swap_values(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param c = 3\ncoord x, y, r[3]\n"
                   "kinetic (x'^2 + y'^2 + dot(r', r'))/2\n"
                   "when x > y: x = y, y = x, x' = y', y' = c*x' + t\n"
                   "when norm(r) > 2: r' = cross([0, 0, 1], r), r[2] = 0\n");
    double q[] = {2, 1, 3, 4, 5}, v[] = {7, 8, 9, 10, 11};
    sight s = look(&b, 0.5, q, v);
    assert_true(s.truth[0] && s.truth[1]);
    assert_int_equal(zr_set_new_values(b.sim, 0, 0.5, q, v), ZW_OK);
    assert_true(q[0] == 1 && q[1] == 2 && v[0] == 8 && v[1] == 21.5);
    assert_int_equal(zr_set_new_values(b.sim, 1, 0.5, q, v), ZW_OK);
    assert_true(q[2] == 3 && q[3] == 0 && q[4] == 5);
    assert_true(v[2] == -4 && v[3] == 3 && v[4] == 0);
    bench_close(&b);
}

static void bad_values(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x\nkinetic x'^2/2\nwhen x < 0: x = 1, x' = sqrt(x)\n"
                   "when sqrt(x) < 2: stop\n");
    double q = -1.0, v = 3.0;
    sight s = look(&b, 0.0, &q, &v);
    assert_true(s.truth[0] && !s.truth[1] && isnan(s.gap[1]));
    assert_int_equal(zr_set_new_values(b.sim, 0, 0.0, &q, &v), ZW_ERR_NOT_FINITE);
    assert_true(q == -1.0 && v == 3.0);
    bench_close(&b);
}

/* The pull in the string of a pendulum: m v^2/l + m g cos(phi). */
static void reactions(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param m = 2, g = 10, l = 0.5\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                   "potential m*g*y\nconstraint string: x^2 + y^2 = l^2\n"
                   "when reaction(string) > 30: x' = reaction(string), y' = multiplier(string)\n"
                   "when x > 0 or abs(multiplier(string)) > 1e4: stop\n");
    double speed = 1.5, s = 0.6, c = 0.8, q[] = {0.5 * s, -0.5 * c}, v[] = {speed * c, speed * s};
    double pull = 2.0 * speed * speed / 0.5 + 2.0 * 10.0 * c;
    sight seen = look(&b, 0.0, q, v);
    assert_int_equal(seen.truth[0], pull > 30.0);
    bench_near(seen.gap[0], 30.0 - pull, 1e-12);
    assert_true(seen.truth[1]);
    v[0] *= 2.0;
    v[1] *= 2.0;
    pull = 2.0 * 4.0 * speed * speed / 0.5 + 2.0 * 10.0 * c;
    seen = look(&b, 0.0, q, v);
    assert_true(seen.truth[0]);
    bench_near(seen.gap[0], 30.0 - pull, 1e-12);
    check_text(&b, 0, "when reaction(string) > 30");
    check_text(&b, 1, "when x > 0 or abs(multiplier(string)) > 1e4");
    memset(b.sim->measure, 0, sizeof(double) * (size_t)b.sim->zm->measure_count);
    assert_int_equal(zr_set_new_values(b.sim, 0, 0.0, q, v), ZW_OK);
    bench_near(v[0], pull, 1e-12);
    bench_near(v[1], -pull / (2.0 * 0.5), 1e-12); /* A = 2 (x, y) */
    bench_close(&b);
}

/* ----------------------------------------------------------------- conditions */

/* Against the same conditions in C, at many states; each gap is 0 where its comparison changes. */
static void logic(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param c = 0.5\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                   "when x < 0 and not (y >= c): stop\n"
                   "when (x <= y or x' > 2*y') and t != 3: stop\n"
                   "when if(x < 0, y, -y) < c: stop\n"
                   "when not (x < 0 or y < 0): stop\n");
    assert_int_equal(zr_event_gaps(b.model), 2 + 3 + 2 + 2);
    for (int i = 0; i < 625; i++) {
        double q[2], v[2], t = i % 2 ? 3.0 : 2.5;
        q[0] = 0.5 * (i % 5 - 2);
        q[1] = 0.5 * (i / 5 % 5 - 2);
        v[0] = i / 25 % 5 - 2;
        v[1] = 0.5 * (i / 125 - 2);
        sight s = look(&b, t, q, v);
        assert_int_equal(s.truth[0], q[0] < 0 && !(q[1] >= 0.5));
        assert_int_equal(s.truth[1], (q[0] <= q[1] || v[0] > 2 * v[1]) && t != 3);
        assert_int_equal(s.truth[2], (q[0] < 0 ? q[1] : -q[1]) < 0.5);
        assert_int_equal(s.truth[3], !(q[0] < 0 || q[1] < 0));
        const double wanted[] = {q[0], q[1] - 0.5, q[0] - q[1], v[0] - 2 * v[1], t - 3};
        for (int k = 0; k < 5; k++) {
            bool there = false;
            for (int g = 0; g < 9; g++) there |= fabs(s.gap[g]) == fabs(wanted[k]);
            assert_true(there);
        }
    }
    bench_close(&b);
}

/* The numbers of equalities: the gap, and the condition as if it held. */
static void equalities(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
                   "when x == 1: stop\n"
                   "when y > 3: stop\n"
                   "when x == 2 and y' > 0 or y == x: stop\n"
                   "when not (x != 4): stop\n");
    assert_int_equal(zr_event_equalities(b.model), 4);
    assert_int_equal(zr_event_gaps(b.model), 2 + 2 * 4);
    const int32_t *owner = zr_equality_owners(b.model);
    assert_true(zr_event_has_equality(b.model, 0) && !zr_event_has_equality(b.model, 1) &&
                zr_event_has_equality(b.model, 2) && zr_event_has_equality(b.model, 3));
    for (int sign = -1; sign <= 1; sign += 2) {
        double q[] = {1.5, 0.25}, v[] = {0, sign};
        sight s = look(&b, 0.0, q, v);
        int32_t of[4] = {0};
        for (int e = 0; e < 4; e++) assert_false(s.truth[e]);
        for (int k = 0; k < 4; k++) {
            double gap = fabs(s.gap[2 + k]), held = s.gap[6 + k];
            of[owner[k]]++;
            if (owner[k] == 0) assert_true(gap == 0.5 && held == 1.0);
            if (owner[k] == 3) assert_true(gap == 2.5 && held == 1.0);
            if (owner[k] != 2) continue;
            assert_true(gap == 0.5 || gap == 1.25);
            assert_true(held == (gap == 0.5 ? sign > 0 : 1.0));
        }
        assert_true(of[0] == 1 && of[1] == 0 && of[2] == 2 && of[3] == 1);
    }
    assert_true(look(&b, 0.0, (double[]){1, 0}, (double[]){0, 0}).truth[0]);
    bench_close(&b);
}

/* More equalities in one condition than are told apart. */
static void many_equalities(void **state)
{
    (void)state;
    bench b;
    char text[4000] = "coord x\nkinetic x'^2/2\nwhen x == 0";
    for (int k = 1; k < 100; k++)
        snprintf(text + strlen(text), sizeof text - strlen(text), " or x == %d", k);
    strcat(text, ": stop\n");
    bench_open(&b, text);
    assert_true(zr_event_equalities(b.model) <= 32);
    double q = 77.0, v = 0.0;
    assert_true(look(&b, 0.0, &q, &v).truth[0]);
    q = 0.5;
    assert_false(look(&b, 0.0, &q, &v).truth[0]);
    check_text(&b, 0, "when x == 0 or x == 1 or x == 2 or x == 3 or x == 4 or x == 5 ...");
    bench_close(&b);
}

/* ----------------------------------------------------------------------- texts */

static void texts(void **state)
{
    (void)state;
    bench b;
    bench_open(&b,
               "param c = 2\ncoord p[3], θ\nkinetic (dot(p', p') + θ'^2)/2\n"
               "let height = p[1] + p[2]\n"
               "when height   <\tc and # where: is it\n   θ > 1 : stop\n"
               "for i in 1..3 { when p[i] < c*i: p[i]' = -p[i]' }\n"
               "for i in 2..3 { when p[i] > c: stop; when p[i] >= p[1]: stop }\n"
               "component Ball(a) { coord z; kinetic z'^2/2\nwhen z < a: z' = -z' }\n"
               "part u = Ball(0)\npart w = Ball(1.5)\n"
               "when θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ < 1: stop\n");
    static const char *const expected[] = {"when height < c and θ > 1",
                                           "when p[1] < c",
                                           "when p[2] < 2*c",
                                           "when p[3] < 3*c",
                                           "when p[2] > c",
                                           "when p[1] <= p[2]",
                                           "when p[3] > c",
                                           "when p[1] <= p[3]",
                                           "when u.z < 0",
                                           "when w.z < 1.5"};
    int32_t count = (int32_t)(sizeof expected / sizeof *expected);
    assert_int_equal(zr_event_count(b.model), count + 1);
    for (int32_t e = 0; e < count; e++) check_text(&b, e, expected[e]);
    check_text(&b, count, "when θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ*θ...");
    bench_close(&b);
}

/* Where names of coordinates would be too long: the statement, its part, its loop. */
static void texts_of_parts(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord p[3, 3]\nfor i in 1..3 { kinetic dot(p[i]', p[i]')/2 }\n"
                   "for i in 1..2 { for j in 3..3 { when norm(p[i] - p[j]) < 1: stop } }\n"
                   "component Gap(a, b) { let d = norm(a - b)\nwhen d < 2: stop }\n"
                   "part near = Gap(p[1], p[2])\npart far[2] = Gap(p[1], p[3])\n"
                   "component One(a) { when a > 2: stop }\npart only = One(p[1, 1])\n");
    static const char *const expected[] = {
        "when norm(p[i] - p[j]) < 1 (i = 1, j = 3)", "when norm(p[i] - p[j]) < 1 (i = 2, j = 3)",
        "near: when d < 2", "far[2]: when d < 2", "only: when a > 2"};
    for (int32_t e = 0; e < 5; e++) check_text(&b, e, expected[e]);
    bench_close(&b);
}

/* Each finds the moment to its own last digit; none of them comes again. */
static void many_at_one_moment(void **state)
{
    (void)state;
    bench b;
    bench_open(&b,
               "coord y[6]\nkinetic dot(y', y')/2\npotential sum(i in 1..6, 10*y[i])\n"
               "for i in 1..6 {\n  start y[i] = 1 + 1e-14*i\n  when y[i] < 0: y[i]' = -y[i]'\n}\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_settings set;
    zw_outcome outcome;
    assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
    set.until = 0.8;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, 0.8, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
    assert_int_equal(zr_sim_fired_count(b.sim), 6);
    bench_close(&b);
}

/* -------------------------------------------------------------------- families */

/* Thousands of events, kept as families: looked at in pieces, each with its own bindings. */
static void large(void **state)
{
    (void)state;
    enum { N = 3000 };
    bench b;
    bench_open(&b, "param N = 3000, e = 0.5\ncoord x[N], y[N]\n"
                   "kinetic (dot(x', x') + dot(y', y'))/2\n"
                   "for i in 1..N { when x[i] < i/1000: x[i]' = -e*x[i]' + y[i] }\n"
                   "for i in 1..N { when y[i] == x[i] and x[i]' > 0: stop }\n");
    assert_int_equal(zr_event_count(b.model), 2 * N);
    assert_int_equal(zr_event_equalities(b.model), N);
    assert_int_equal(zr_event_gaps(b.model), 2 * N + 2 * N);
    double *q = calloc(8 * N, sizeof *q), *v = q + 2 * N, *gap = v + 2 * N;
    bool *truth = calloc(2 * N, sizeof *truth);
    assert_true(q && truth);
    for (int i = 0; i < N; i++) {
        q[i] = i % 3 ? 1.0 : 2.0;
        q[N + i] = 1.0;
        v[i] = i % 5 - 2;
    }
    assert_int_equal(zr_look_at_events(b.sim, 0.0, q, v, truth, gap), ZW_OK);
    const int32_t *owner = zr_equality_owners(b.model);
    for (int i = 0; i < N; i++) {
        assert_int_equal(truth[i], q[i] < (i + 1) / 1000.0);
        assert_int_equal(truth[N + i], q[i] == 1.0 && v[i] > 0);
        int32_t k = owner[i] - N;
        assert_true(k >= 0 && k < N);
        assert_true(fabs(gap[2 * N + i]) == fabs(q[k] - 1.0));
        assert_true(gap[3 * N + i] == (v[k] > 0 ? 1.0 : 0.0));
    }
    v[1233] = 4.0;
    assert_int_equal(zr_set_new_values(b.sim, 1233, 0.0, q, v), ZW_OK);
    assert_true(v[1233] == -0.5 * 4.0 + 1.0 && v[1232] == 1232 % 5 - 2);
    check_text(&b, 1233, "when x[1234] < 1.234");
    check_text(&b, N + 16, "when y[17] == x[17] and 0 < x[17]'");
    free(q);
    free(truth);
    bench_close(&b);
}

/* --------------------------------------------------------------------- motions */

/* A ball from height 1 with g = 2, e = 1/2: at the ground at 1, then after 2 e^k more each. */
static void bounces(const char *condition)
{
    bench b;
    char text[400];
    snprintf(text, sizeof text,
             "coord y\nkinetic y'^2/2\npotential 2*y\nstart y = 1\nwhen %s: y' = -0.5*y'\n",
             condition);
    bench_open(&b, text);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_settings settings;
    zw_outcome outcome;
    assert_int_equal(zw_run_defaults(b.model, &settings), ZW_OK);
    settings.until = 2.9;
    settings.tol = settings.abs_tol = 1e-11;
    assert_int_equal(zw_sim_begin(b.sim, &settings), ZW_OK);
    assert_int_equal(b.sim->run->events.watch.equalities, zr_event_equalities(b.model));
    assert_int_equal(zw_sim_advance(b.sim, 2.9, &outcome), ZW_OK);
    const zr_motion *run = b.sim->run;
    double t = 1.0, wait = 1.0, worst = 0.0;
    assert_int_equal(run->events.fired_count, 5); /* 1, 2, 2.5, 2.75, 2.875 */
    for (int k = 0; k < 5; k++, t += wait, wait *= 0.5)
        worst = fmax(worst, fabs(run->events.fired[k].t - t));
    print_message("%s: off by %.2g\n", condition, worst);
    assert_true(worst < 1e-12);
    bench_close(&b);
}

static void falls_below(void **state)
{
    (void)state;
    bounces("y < 0");
}

static void falls_onto(void **state)
{
    (void)state;
    bounces("y == 0");
}

/* An oscillator that begins anew in its middle, where the force is 0, is as accurate as one that is left
 * alone: x = cos(1000 t), by the steps of every method that adapts them. */
static void begun_in_the_middle(void **state)
{
    static const zw_method methods[] = {ZW_DOPRI5, ZW_DOP853};
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        bench b;
        zw_run_settings set;
        zw_outcome outcome;
        bench_open(&b, "coord x\nkinetic x'^2/2\npotential 5e5*x^2\nwhen x > 0: x' = x'\n"
                       "start x = 1\n");
        assert_int_equal(bench_start(&b, false), ZW_OK);
        assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
        set.method = methods[k];
        set.tol = 1e-8;
        set.until = 0.1;
        assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
        assert_int_equal(zw_sim_advance(b.sim, 0.1, &outcome), ZW_OK);
        assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
        bench_near(b.q[0], cos(100.0), 1e-5);
        bench_near(b.v[0] * b.v[0] / 2 + 5e5 * b.q[0] * b.q[0], 5e5, 1.0);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounce),
        cmocka_unit_test(none),
        cmocka_unit_test(swap_values),
        cmocka_unit_test(bad_values),
        cmocka_unit_test(begun_in_the_middle),
        cmocka_unit_test(reactions),
        cmocka_unit_test(logic),
        cmocka_unit_test(equalities),
        cmocka_unit_test(many_equalities),
        cmocka_unit_test(texts),
        cmocka_unit_test(large),
        cmocka_unit_test(texts_of_parts),
        cmocka_unit_test(many_at_one_moment),
        cmocka_unit_test(falls_below),
        cmocka_unit_test(falls_onto),
    };
    return cmocka_run_group_tests_name("events", tests, NULL, NULL);
}
