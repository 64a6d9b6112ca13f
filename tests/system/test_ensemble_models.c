/*
 * test_ensemble_models.c: every member of an ensemble has the bits of its own single run: with other
 * parameters and starts, in any number of threads, with any number of members beside it; samples
 * likewise. Small models go in lanes; with events, other methods and settings, dependent rows,
 * through singular configurations, members run alone.
 */
#include "loaded.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 100, TIMES = 4 };

static const char triple[] = "param g = 9.81, m = 1\ncoord a[2], b[2], c[2]\n"
                             "kinetic m/2*dot(a', a') + dot(b', b')/2 + dot(c', c')/2\n"
                             "potential g*(m*a[2] + b[2] + c[2])\n"
                             "constraint first: dot(a, a) = 1\n"
                             "constraint second: dot(b - a, b - a) = 1\n"
                             "constraint third: dot(c - b, c - b) = 1\n"
                             "start a = [0.8, 0.6]\nstart b = [1.4, 1.4]\nstart c = [1.4, 0.4]\n";

static const char pair[] = "param g = 9.81, m = [1, 2], k = 2*m[1]\ncoord a[2], b[2]\n"
                           "kinetic m[1]/2*dot(a', a') + m[2]/2*dot(b', b')\n"
                           "potential g*(m[1]*a[2] + m[2]*b[2]) + k*b[1]^2\n"
                           "constraint upper: dot(a, a) = 1\n"
                           "constraint lower: dot(b - a, b - a) = 1\n"
                           "start a = [0.8, -0.6]\nstart b = [1.6, 0]\n";

static const char springs[] = "param k = 3\ncoord x, y\nkinetic (x'^2 + 2*y'^2)/2\n"
                              "potential k*x^2/2 + (y - x)^4\nstart x = 1, y' = 0.3\n";

/* A parallelogram: where it is flat its rows are dependent; the faster ones get there. */
static const char parallel[] =
    "param g = 9.81\ncoord a[2], b[2]\n"
    "kinetic (dot(a', a') + dot(b', b'))/2\n"
    "potential g*(a[2] + b[2])\n"
    "constraint left: dot(a, a) = 1\n"
    "constraint right: (b[1] - 2)^2 + b[2]^2 = 1\n"
    "constraint coupler: dot(b - a, b - a) = 4\n"
    "start a = [0, -1]\nstart b = [2, -1]\nstart a' = [4.2, 0]\nstart b' = [4.2, 0]\n";

/* Friction and a damper: works ride along. */
static const char rough[] = "param mu = 0.3, c = 0.1, g = 9.81\ncoord x, z\n"
                            "kinetic (x'^2 + z'^2)/2\npotential g*z\n"
                            "constraint ring: x^2 + z^2 = 0.25\n"
                            "nonideal at [x, z]: -mu*reaction(ring)*[x', z']/hypot(x', z')\n"
                            "dissipation c*x'^2/2\nforce z: 0.1*cos(t)\n"
                            "start z = -0.5, x' = 6\n";

typedef enum where { IN_LANES, ALONE, SOME_ALONE } where;

typedef struct probe {
    const char *model; /* a name, or the text */
    const char *names[2];
    double values[2];
    double until;
    where where;
    zw_method method;
    zw_stabilize stabilize;
    zw_form form;
} probe;

static const probe probes[] = {
    {pair, {"g", "m[2]"}, {9.81, 2}, 2, .where = IN_LANES, .method = ZW_DOP853},
    {pair, {"m[1]"}, {1}, 1, .where = IN_LANES, .method = ZW_DOPRI5},
    {pair, {NULL}, {0}, 1, .where = IN_LANES, .stabilize = ZW_STABILIZE_NONE},
    {pair, {"m[2]"}, {2}, 0.5, .where = ALONE, .method = ZW_RK4},
    {pair, {"m[2]"}, {2}, 0.5, .where = ALONE, .stabilize = ZW_BAUMGARTE},
    {pair, {"m[2]"}, {2}, 0.3, .where = ALONE, .form = ZW_FORM_MULTIPLIERS},
    {pair, {"k", "m[1]"}, {2, 1}, 0.5, .where = ALONE, .method = ZW_BDF},
    {pair, {"k", "m[1]"}, {2, 1}, 0.5, .where = IN_LANES, .method = ZW_AUTO},
    {triple, {"m", "g"}, {1, 9.81}, 2, .where = IN_LANES},
    {springs, {"k"}, {3}, 3, .where = IN_LANES},
    {parallel, {"g"}, {9.81}, 1.5, .where = SOME_ALONE},
    {"pendulum", {"length", "g"}, {1, 9.81}, 2, .where = IN_LANES},
    {"double_pendulum", {"m[1]", "l[2]"}, {1, 0.8}, 1, .where = IN_LANES},
    {"double_pendulum_angle", {"l[2]", "m[1]"}, {0.8, 1}, 2, .where = IN_LANES},
    {"rolling_disc", {"r", "m"}, {0.5, 2}, 1, .where = IN_LANES},
    {rough, {"mu", "c"}, {0.3, 0.1}, 0.2, .where = IN_LANES},
    {"friction_circle", {"mu"}, {0.3}, 0.2, .where = ALONE},
    {"bounce", {"e"}, {0.8}, 2, .where = ALONE},
    {"fourbar", {"g"}, {9.81}, 1.2, .where = ALONE},
    {"hoop", {"R"}, {0.8}, 1, .where = IN_LANES},
    {"servo", {"k"}, {4}, 1, .where = IN_LANES},
    {"inconsistent", {NULL}, {0}, 1, .where = ALONE},
    {"top_quaternion", {"h"}, {0.4}, 0.5, .where = ALONE},
    {"chain", {"g"}, {9.81}, 0.2, .where = IN_LANES},
};
enum { PROBES = sizeof probes / sizeof *probes };

/* A model with its members and what each gave alone. */
typedef struct scene {
    const probe *p;
    loaded l;
    int32_t names;
    zw_run_settings settings;
    double times[TIMES];
    double *start, *values;  /* [MOST * 2n], [MOST * names] */
    double *state, *samples; /* [MOST * 2n], [MOST * TIMES * 2n] of the single runs */
    zw_member member[MOST];
} scene;

static double *doubles(size_t count)
{
    double *x = calloc(count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void set_values(scene *s, int64_t i)
{
    char text[128];
    for (int32_t k = 0; k < s->names; k++) {
        snprintf(text, sizeof text, "%s = %.17g", s->p->names[k], s->values[i * s->names + k]);
        assert_int_equal(zw_sim_set_parameters(s->l.sim, text), ZW_OK);
    }
}

/* Where member i begins: the model's start with its parameters, at a speed of its own. */
static void make_member(scene *s, int64_t i)
{
    double *q = s->start + i * 2 * s->l.n;
    for (int32_t k = 0; k < s->names; k++)
        s->values[i * s->names + k] = s->p->values[k] * (1.0 + 0.01 * (double)((i * 7 + k) % 23));
    set_values(s, i);
    assert_int_equal(zw_sim_start(s->l.sim, true), ZW_OK);
    assert_int_equal(zw_sim_state(s->l.sim, NULL, q, q + s->l.n), ZW_OK);
    for (int32_t j = 0; j < s->l.n; j++) q[s->l.n + j] *= 1.0 + 0.03 * (double)(i % 31);
    assert_int_equal(zw_sim_set_state(s->l.sim, 0, NULL, q + s->l.n), ZW_OK);
    assert_int_equal(zw_sim_project(s->l.sim), ZW_OK); /* moving rows have their own speed */
    assert_int_equal(zw_sim_state(s->l.sim, NULL, q, q + s->l.n), ZW_OK);
}

/* The definition: one member by itself. */
static void run_alone(scene *s, int64_t i)
{
    size_t size = 2 * (size_t)s->l.n, at = (size_t)i * TIMES * size;
    zw_member *m = &s->member[i];
    double *q = s->state + (size_t)i * size;
    zw_run_statistics stats = {0};
    memcpy(q, s->start + (size_t)i * size, size * sizeof *q);
    for (size_t k = 0; k < TIMES * size; k++) s->samples[at + k] = (double)NAN;
    *m = (zw_member){.outcome = ZW_INTERRUPTED};
    set_values(s, i);
    assert_int_equal(zw_sim_set_state(s->l.sim, 0, q, q + s->l.n), ZW_OK);
    m->status = zw_sim_begin(s->l.sim, &s->settings);
    if (m->status != ZW_OK) return;
    m->outcome = ZW_REACHED;
    for (int k = 0; k <= TIMES && m->status == ZW_OK && m->outcome == ZW_REACHED; k++) {
        double *x = s->samples + at + (size_t)k * size;
        m->status =
            zw_sim_advance(s->l.sim, k < TIMES ? s->times[k] : s->settings.until, &m->outcome);
        if (k < TIMES && m->status == ZW_OK && m->outcome == ZW_REACHED)
            assert_int_equal(zw_sim_state(s->l.sim, NULL, x, x + s->l.n), ZW_OK);
    }
    assert_int_equal(zw_sim_state(s->l.sim, &m->t, q, q + s->l.n), ZW_OK);
    assert_int_equal(zw_sim_statistics(s->l.sim, &stats), ZW_OK);
    m->steps = stats.steps;
    m->rejected = stats.rejected;
    m->evaluations = stats.evaluations;
}

static bool open_scene(scene *s, const probe *p, int64_t count)
{
    *s = (scene){.p = p};
    bool text = strchr(p->model, '\n') != NULL;
    s->l = text ? load_text(p->model, &(load_options){0}) : load_model(p->model, NULL);
    assert_int_equal(s->l.status, ZW_OK);
    while (s->names < 2 && p->names[s->names]) s->names++;
    size_t size = 2 * (size_t)s->l.n;
    s->start = doubles(MOST * size);
    s->values = doubles(MOST * 2);
    s->state = doubles(MOST * size);
    s->samples = doubles(MOST * TIMES * size);
    assert_int_equal(zw_run_defaults(s->l.model, &s->settings), ZW_OK);
    s->settings.until = p->until;
    s->settings.tol = s->settings.abs_tol = 1e-8;
    s->settings.method = p->method;
    s->settings.stabilize = p->stabilize;
    s->settings.form = p->form;
    s->settings.step = p->method == ZW_RK4 ? 0.01 : (double)NAN;
    for (int k = 0; k < TIMES; k++) s->times[k] = p->until * (k < 2 ? k : k + 0.5) / TIMES;
    s->times[TIMES - 1] = p->until;
    for (int64_t i = 0; i < count; i++) {
        make_member(s, i);
        run_alone(s, i);
        if (s->member[i].status == ZW_ERR_METHOD) return false; /* not in this build */
    }
    return true;
}

static void close_scene(scene *s)
{
    free(s->start);
    free(s->values);
    free(s->state);
    free(s->samples);
    loaded_clear(&s->l);
}

static void expect_bits(const scene *s, const char *what, int64_t member, const double *x,
                        const double *y, size_t count)
{
    if (memcmp(x, y, count * sizeof *x) == 0) return;
    size_t i = 0;
    while (i < count - 1 && memcmp(&x[i], &y[i], sizeof *x) == 0) i++;
    fail_msg("%.20s, %s, member %d: %s [%d] is %.17g, not %.17g", s->p->model,
             zw_method_name(s->p->method), (int)member, what, (int)i, x[i], y[i]);
}

static void expect_member(const scene *s, int64_t i, const zw_member *m)
{
    const zw_member *x = &s->member[i];
    if (m->status == x->status && m->outcome == x->outcome && m->t == x->t &&
        m->steps == x->steps && m->rejected == x->rejected && m->evaluations == x->evaluations)
        return;
    fail_msg("%.20s, member %d: %s %d t %g steps %d %d %d, not %s %d t %g steps %d %d %d",
             s->p->model, (int)i, zw_status_name(m->status), (int)m->outcome, m->t, (int)m->steps,
             (int)m->rejected, (int)m->evaluations, zw_status_name(x->status), (int)x->outcome,
             x->t, (int)x->steps, (int)x->rejected, (int)x->evaluations);
}

/* The first `count` members as an ensemble; how many of them went in lanes. */
static int64_t run_together(const scene *s, int64_t count, int32_t threads, bool sampled)
{
    size_t size = 2 * (size_t)s->l.n;
    double *state = doubles(MOST * size), *samples = doubles(MOST * TIMES * size);
    zw_member *members = calloc(MOST, sizeof *members);
    assert_non_null(members);
    memcpy(state, s->start, (size_t)count * size * sizeof *state);
    zw_ensemble e = {.count = count,
                     .state = state,
                     .names = s->p->names,
                     .name_count = s->names,
                     .values = s->values,
                     .times = s->times,
                     .time_count = sampled ? TIMES : 0,
                     .samples = samples,
                     .threads = threads,
                     .members = members};
    assert_int_equal(zw_ensemble_run(s->l.model, &s->settings, &e), ZW_OK);
    int64_t in_lanes = 0;
    for (int64_t i = 0; i < count; i++) {
        size_t at = (size_t)i * size;
        if (sampled) expect_member(s, i, &members[i]); /* dense output takes evaluations */
        expect_bits(s, "state", i, state + at, s->state + at, size);
        if (sampled)
            expect_bits(s, "samples", i, samples + TIMES * at, s->samples + TIMES * at,
                        TIMES * size);
        if (members[i].in_lanes) in_lanes++;
    }
    free(state);
    free(samples);
    free(members);
    return in_lanes;
}

static void expect_where(const probe *p, int64_t in_lanes, int64_t count)
{
    bool right = true;
    if (p->where == IN_LANES) right = in_lanes == count;
    if (p->where == ALONE) right = in_lanes == 0;
    if (p->where == SOME_ALONE) right = in_lanes > 0 && in_lanes < count;
    if (!right)
        fail_msg("%.20s, %s: %d of %d members in lanes", p->model, zw_method_name(p->method),
                 (int)in_lanes, (int)count);
}

static void models_and_settings(void **state)
{
    (void)state;
    for (int k = 0; k < PROBES; k++) {
        scene s;
        enum { COUNT = 6 };
        if (open_scene(&s, &probes[k], COUNT)) {
            expect_where(&probes[k], run_together(&s, COUNT, 1, true), COUNT);
            (void)run_together(&s, COUNT, 3, true);
        }
        close_scene(&s);
    }
}

static void any_number_of_members_and_threads(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 2, 3, 4, 5, 9, 23, MOST};
    scene s;
    assert_true(open_scene(&s, &probes[0], MOST));
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (int32_t threads = 0; threads < 4; threads++) {
            int64_t in_lanes = run_together(&s, counts[k], threads, k % 2 == 0);
            if (counts[k] > 1) assert_int_equal(in_lanes, counts[k]);
        }
    close_scene(&s);
}

static void both_kernels(void **state)
{
    (void)state;
    static const zw_kernel kernels[] = {ZW_KERNEL_BYTECODE, ZW_KERNEL_NATIVE, ZW_KERNEL_AUTO};
    scene s;
    assert_true(open_scene(&s, &probes[8], 9));
    for (int k = 0; k < 3; k++) {
        s.settings.kernel = kernels[k];
        assert_int_equal(run_together(&s, 9, 2, true), 9);
    }
    close_scene(&s);
}

/* Members beside one that fails, is stopped by its limit, or lands where rows are dependent. */
static void failing_neighbours(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        scene s;
        assert_true(open_scene(&s, &probes[0], 9));
        double *bad = s.start + 3 * 2 * s.l.n;
        if (kind == 0) bad[1] = (double)NAN;
        if (kind == 1) bad[0] = bad[1] = 0.0; /* no direction */
        if (kind == 2) bad[5] = 1e200;
        if (kind == 3) s.settings.max_steps = 40;
        for (int64_t i = 0; i < 9; i++) run_alone(&s, i);
        if (kind < 3) assert_int_not_equal(s.member[3].status, ZW_OK);
        if (kind == 3) assert_int_equal(s.member[3].status, ZW_ERR_LIMIT);
        int64_t lanes = run_together(&s, 9, 1, true);
        if (kind < 3) assert_int_equal(lanes, 8);
        (void)run_together(&s, 9, 3, true);
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_and_settings),
        cmocka_unit_test(any_number_of_members_and_threads),
        cmocka_unit_test(both_kernels),
        cmocka_unit_test(failing_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
