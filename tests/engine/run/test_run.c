/*
 * Begin and advance: their order, arguments and settings; the end hit exactly; the same bits
 * whatever the pieces, interruptions and restorations on the way; bytes that are not of the run;
 * memory.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char pendulum[] = "param g = 9.81\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                               "potential g*y\nconstraint rod: x^2 + y^2 = 1\nstart x = 1\n";
/* Bounces, a moving wall, friction: events, works, a row that depends on t. */
static const char busy[] = "param e = 0.8, g = 9.81\ncoord x, y, s\n"
                           "kinetic (x'^2 + y'^2 + s'^2)/2\npotential g*y + x^2/2\n"
                           "force x: -0.1*x'\nconstraint wall: s = sin(t)\n"
                           "start y = 1, x = 0.3, s' = 1\n"
                           "when y < 0: y' = -e*y'\nwhen x > 0.2: x' = 0.9*x'\n";
static const char swing[] =
    "param w = 1\ncoord x\nkinetic x'^2/2\npotential (w*x)^2/2\nstart x = 1\n";

/* ------------------------------------------------------------------------- runs */

static zw_run_settings defaults(const bench *b)
{
    zw_run_settings set;
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.max_steps = 100000; /* no test may hang */
    return set;
}

static void open_started(bench *b, const char *text)
{
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
}

static void begin(bench *b, const zw_run_settings *set)
{
    assert_int_equal(zw_sim_begin(b->sim, set), ZW_OK);
}

static void go(bench *b, double t)
{
    zw_outcome outcome = ZW_STOPPED;
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
    assert_true(b->t == t);
}

static zw_run_statistics statistics(const bench *b)
{
    zw_run_statistics s;
    assert_int_equal(zw_sim_statistics(b->sim, &s), ZW_OK);
    return s;
}

static bool swallow(void *user, const char *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    return true;
}

static void expect_same_state(const bench *a, const bench *b)
{
    assert_true(a->t == b->t);
    for (int32_t i = 0; i < a->n; i++) {
        if (a->q[i] != b->q[i]) fail_msg("q[%d]: %.17g, not %.17g", i, a->q[i], b->q[i]);
        if (a->v[i] != b->v[i]) fail_msg("v[%d]: %.17g, not %.17g", i, a->v[i], b->v[i]);
    }
}

/* State, counts, works and events. */
static void expect_same_run(const bench *a, const bench *b)
{
    zw_run_statistics s = statistics(a), u = statistics(b);
    expect_same_state(a, b);
    assert_int_equal(s.steps, u.steps);
    assert_int_equal(s.rejected, u.rejected);
    assert_int_equal(s.events, u.events);
    assert_true(s.smallest_step == u.smallest_step && s.largest_step == u.largest_step);
    assert_true(s.energy.impressed == u.energy.impressed && s.energy.ideal == u.energy.ideal);
    assert_true(s.energy.error == u.energy.error && s.position.size == u.position.size);
    assert_int_equal(zw_sim_fired_count(a->sim), zw_sim_fired_count(b->sim));
    for (int32_t i = 0; i < zw_sim_fired_count(a->sim); i++) {
        zw_fired x, y;
        assert_int_equal(zw_sim_fired(a->sim, i, &x), ZW_OK);
        assert_int_equal(zw_sim_fired(b->sim, i, &y), ZW_OK);
        assert_true(x.t == y.t && x.event == y.event);
    }
}

/* ------------------------------------------------------------- order and arguments */

static void expect_no_run(bench *b)
{
    zw_outcome outcome = ZW_REACHED;
    zw_run_statistics s;
    size_t needed = 0;
    const char bytes[8] = {0};
    assert_int_equal(zw_sim_advance(b->sim, 100.0, &outcome), ZW_ERR_ORDER);
    assert_int_equal(outcome, ZW_INTERRUPTED);
    assert_int_equal(zw_sim_statistics(b->sim, &s), ZW_ERR_ORDER);
    assert_int_equal(zw_sim_save(b->sim, NULL, 0, &needed), ZW_ERR_ORDER);
    zw_status restored = zw_sim_restore(b->sim, bytes, sizeof bytes); /* no run, or not of it */
    assert_true(restored == ZW_ERR_ORDER || restored == ZW_ERR_SETTING);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_ERR_ORDER);
    assert_int_equal(zw_sim_verdict(b->sim, ZW_REPORT_TEXT, swallow, NULL), ZW_ERR_ORDER);
    assert_int_equal(zw_sim_fired_count(b->sim), 0);
}

/* What changes the state or the parameters ends a run. */
static void order(void **state)
{
    (void)state;
    bench b;
    open_started(&b, pendulum);
    zw_run_settings set = defaults(&b);
    expect_no_run(&b);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(zw_sim_project(b.sim), ZW_OK);
        assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
        begin(&b, &set);
        go(&b, b.t + 0.1);
        zw_status status = k == 0   ? zw_sim_set_state(b.sim, b.t, b.q, b.v)
                           : k == 1 ? zw_sim_assign(b.sim, "x' = 0")
                           : k == 2 ? zw_sim_set_parameters(b.sim, "g = 9")
                           : k == 3 ? zw_sim_start(b.sim, false)
                                    : zw_sim_project(b.sim);
        assert_int_equal(status, ZW_OK);
        expect_no_run(&b);
    }
    bench_close(&b);
}

static void arguments(void **state)
{
    (void)state;
    bench b;
    zw_outcome outcome = ZW_REACHED;
    zw_fired fired;
    open_started(&b, pendulum);
    zw_run_settings set = defaults(&b);
    set.until = 2.0;
    assert_int_equal(zw_sim_begin(NULL, &set), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_begin(b.sim, NULL), ZW_ERR_ARGUMENT);
    begin(&b, &set);
    assert_int_equal(zw_sim_advance(NULL, 1.0, &outcome), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_advance(b.sim, 1.0, NULL), ZW_ERR_ARGUMENT);
    go(&b, 1.0);
    /* back, beyond the end, no number: refused, and the run goes on */
    const double wrong[] = {0.999, 2.0000001, (double)NAN, HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        double t = 0.0;
        outcome = ZW_REACHED;
        assert_int_equal(zw_sim_advance(b.sim, wrong[k], &outcome), ZW_ERR_ARGUMENT);
        assert_int_equal(outcome, ZW_INTERRUPTED);
        assert_int_equal(zw_sim_state(b.sim, &t, NULL, NULL), ZW_OK);
        assert_true(t == 1.0);
    }
    assert_int_equal(zw_sim_fired(b.sim, 0, &fired), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_save(b.sim, NULL, 0, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_sim_restore(b.sim, NULL, 0), ZW_ERR_ARGUMENT);
    go(&b, 1.0);
    go(&b, 2.0);
    go(&b, 2.0);
    bench_close(&b);
}

static void refused_settings(void **state)
{
    (void)state;
    bench b;
    open_started(&b, pendulum);
    assert_int_equal(zw_sim_set_state(b.sim, 1.0, NULL, NULL), ZW_OK);
    const double wrong[] = {0.0, -1.0, (double)NAN, HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        zw_run_settings set = defaults(&b), good = set;
        set.tol = wrong[k];
        assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
        set = good;
        set.abs_tol = wrong[k];
        if (k > 0) assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
        set = good;
        set.step = wrong[k];
        if (k != 2 && k != 3) assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
        set = good;
        set.omega = wrong[k];
        if (k >= 2) assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
        set = good;
        set.zeta = wrong[k];
        if (k >= 2) assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
        set = good;
        set.until = wrong[k]; /* before the state's time */
        if (k != 2 && k != 3) assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    }
    zw_run_settings set = defaults(&b), good = set;
    set.tol = 1.0;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    set = good;
    set.kernel = (zw_kernel)77;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    set = good;
    set.max_steps = -1;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    set = good;
    set.method = (zw_method)17;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    set = good;
    set.stabilize = (zw_stabilize)17;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    set = good;
    set.form = (zw_form)17;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    set = good;
    set.method = ZW_RK4; /* neither a step nor an end to make one from */
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    begin(&b, &good);
    bench_close(&b);
}

/* bdf is there or it is not; auto needs it; it cannot be saved. */
static void a_method_that_may_be_missing(void **state)
{
    (void)state;
    bench b;
    size_t needed = 0;
    open_started(&b, swing);
    zw_run_settings set = defaults(&b);
    set.method = ZW_BDF;
    zw_status bdf = zw_sim_begin(b.sim, &set);
    if (bdf == ZW_OK) {
        go(&b, 1.0);
        bench_near(b.q[0], cos(1.0), 1e-6);
        assert_int_equal(zw_sim_save(b.sim, NULL, 0, &needed), ZW_ERR_METHOD);
        assert_int_equal(zw_sim_restore(b.sim, &needed, sizeof needed), ZW_ERR_METHOD);
    } else {
        assert_int_equal(bdf, ZW_ERR_METHOD);
        expect_no_run(&b);
    }
    set.method = ZW_AUTO;
    assert_int_equal(zw_sim_begin(b.sim, &set), bdf);
    bench_close(&b);
}

/* ------------------------------------------------------------------ time and steps */

static void the_end_is_hit_exactly(void **state)
{
    (void)state;
    const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4};
    for (int k = 0; k < 3; k++) {
        bench b;
        open_started(&b, swing);
        zw_run_settings set = defaults(&b);
        set.method = methods[k];
        set.step = 0.3;
        set.until = 1.0;
        begin(&b, &set);
        go(&b, 1.0);
        bench_near(b.q[0], cos(1.0), k == 2 ? 1e-3 : 1e-8);
        zw_run_statistics s = statistics(&b);
        if (k == 2) assert_int_equal(s.steps, 4);
        if (k == 2) bench_near(s.largest_step, 0.3, 1e-15);
        assert_true(s.t == 1.0 && s.steps > 0);
        bench_close(&b);
    }
}

/* until at the start itself, and a run without an end. */
static void no_way_and_no_end(void **state)
{
    (void)state;
    const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4};
    for (int k = 0; k < 3; k++) {
        bench b;
        zw_outcome outcome;
        open_started(&b, swing);
        zw_run_settings set = defaults(&b);
        set.method = methods[k];
        set.until = b.t;
        begin(&b, &set);
        go(&b, b.t);
        assert_true(b.q[0] == 1.0 && b.v[0] == 0.0);
        assert_int_equal(statistics(&b).steps, 0);
        assert_int_equal(zw_sim_advance(b.sim, 1e-9, &outcome), ZW_ERR_ARGUMENT);
        set.until = (double)NAN;
        set.step = 0.01;
        begin(&b, &set);
        go(&b, 7.5);
        bench_near(b.q[0], cos(7.5), 1e-6);
        go(&b, 20.0);
        bench_near(b.q[0], cos(20.0), 1e-6);
        bench_close(&b);
    }
}

/* The classical method, by hand: x'' = -sin(x) in ten steps. */
static void rk4_is_the_classical_method(void **state)
{
    (void)state;
    bench b;
    double x = 1.0, v = 0.5, h = 0.1;
    open_started(&b, "coord x\nkinetic x'^2/2\npotential -cos(x)\nstart x = 1, x' = 0.5\n");
    zw_run_settings set = defaults(&b);
    set.method = ZW_RK4;
    set.step = h;
    begin(&b, &set);
    for (int k = 0; k < 10; k++) {
        double x1 = v, v1 = -sin(x);
        double x2 = v + h / 2 * v1, v2 = -sin(x + h / 2 * x1);
        double x3 = v + h / 2 * v2, v3 = -sin(x + h / 2 * x2);
        double x4 = v + h * v3, v4 = -sin(x + h * x3);
        x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
        v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    }
    double end = 0.0;
    for (int k = 0; k < 10; k++) end += h;
    go(&b, end);
    assert_int_equal(statistics(&b).steps, 10);
    bench_near(b.q[0], x, 4e-16);
    bench_near(b.v[0], v, 4e-16);
    bench_close(&b);
}

static void extreme_tolerances(void **state)
{
    (void)state;
    const double tol[] = {1e-2, 1e-4, 1e-13, 1e-15};
    const double bound[] = {5e-2, 1e-3, 1e-12, 1e-12};
    for (int m = 0; m < 2; m++) {
        int64_t steps = 0;
        for (int k = 0; k < 4; k++) {
            bench b;
            open_started(&b, swing);
            zw_run_settings set = defaults(&b);
            set.method = m ? ZW_DOPRI5 : ZW_DOP853;
            set.tol = set.abs_tol = tol[k];
            begin(&b, &set);
            go(&b, 10.0);
            bench_near(b.q[0], cos(10.0), bound[k]);
            bench_near(b.v[0], -sin(10.0), bound[k]);
            assert_true(statistics(&b).steps > steps);
            steps = statistics(&b).steps;
            bench_close(&b);
        }
    }
}

/* ------------------------------------------------------------------------ the same bits */

static double pseudo(uint64_t *seed) /* 0 .. 1 */
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static zw_run_settings setup(bench *b, const char *text, int method)
{
    open_started(b, text);
    zw_run_settings set = defaults(b);
    set.method = (zw_method)method;
    set.step = method == ZW_RK4 ? 0.01 : (double)NAN;
    set.until = 3.0;
    return set;
}

static void pieces(void **state)
{
    (void)state;
    const char *const texts[] = {pendulum, busy};
    for (int k = 0; k < 6; k++) {
        bench a, b;
        uint64_t seed = 7;
        zw_run_settings set = setup(&a, texts[k % 2], k / 2);
        (void)setup(&b, texts[k % 2], k / 2);
        begin(&a, &set);
        begin(&b, &set);
        go(&a, 3.0);
        for (double t = 0.0; t < 3.0; t += 0.004 * pseudo(&seed)) go(&b, t);
        go(&b, 3.0);
        expect_same_run(&a, &b);
        bench_close(&a);
        bench_close(&b);
    }
}

/* Interrupts at every `every`-th step. */
typedef struct pest {
    int64_t calls, every;
} pest;

static bool poll(void *user, const zw_progress *progress)
{
    pest *p = user;
    assert_true(progress->steps >= 0 && progress->evaluations >= progress->steps);
    p->calls++;
    return p->every == 0 || p->calls % p->every != 0;
}

static void interruptions(void **state)
{
    (void)state;
    const char *const texts[] = {pendulum, busy};
    for (int k = 0; k < 12; k++) {
        bench a, b;
        pest p = {.every = k < 6 ? 1 : 3};
        zw_outcome outcome = ZW_INTERRUPTED;
        zw_run_settings set = setup(&a, texts[k % 2], k / 2 % 3);
        (void)setup(&b, texts[k % 2], k / 2 % 3);
        begin(&a, &set);
        go(&a, 3.0);
        set.poll = poll;
        set.user = &p;
        begin(&b, &set);
        int64_t stops = 0;
        for (double t = -1.0; outcome == ZW_INTERRUPTED; stops++) {
            assert_int_equal(zw_sim_advance(b.sim, 3.0, &outcome), ZW_OK);
            double now = 0.0;
            assert_int_equal(zw_sim_state(b.sim, &now, b.q, b.v), ZW_OK);
            assert_true(now > t - 1e-15 * (1.0 + t)); /* an event stands just before its moment */
            t = b.t = now;
            assert_true(stops < 100000);
        }
        assert_true(stops > 2 && p.calls >= statistics(&b).steps);
        expect_same_run(&a, &b);
        bench_close(&a);
        bench_close(&b);
    }
}

/* A limit of k steps ends where the k-th step ends; every further call fails alike. */
static void the_limit_of_steps(void **state)
{
    (void)state;
    for (int64_t most = 1; most < 6; most++) {
        bench a, b;
        pest p = {.every = most};
        zw_outcome outcome;
        zw_run_settings set = setup(&a, pendulum, ZW_DOP853), other = set;
        (void)setup(&b, pendulum, ZW_DOP853);
        set.max_steps = most;
        begin(&a, &set);
        for (int k = 0; k < 3; k++) {
            assert_int_equal(zw_sim_advance(a.sim, 3.0, &outcome), ZW_ERR_LIMIT);
            assert_int_equal(outcome, ZW_INTERRUPTED);
            assert_int_equal(zw_sim_state(a.sim, &a.t, a.q, a.v), ZW_OK);
        }
        other.poll = poll;
        other.user = &p;
        begin(&b, &other);
        assert_int_equal(zw_sim_advance(b.sim, 3.0, &outcome), ZW_OK);
        assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
        expect_same_state(&a, &b);
        assert_int_equal(statistics(&a).steps, most);
        assert_int_equal(statistics(&a).trust, ZW_TRUST_NOT);
        assert_int_equal(zw_sim_conclude(a.sim), ZW_OK);
        bench_expect(&a, "E0704", "is reached at t = ");
        bench_close(&a);
        bench_close(&b);
    }
}

/* A stop: the outcome stays, the state is at its time. */
static void a_stop_ends_the_run(void **state)
{
    (void)state;
    bench b;
    zw_outcome outcome = ZW_REACHED;
    open_started(&b, "coord y\nkinetic y'^2/2\npotential 10*y\nstart y = 5\nwhen y < 0: stop\n");
    zw_run_settings set = defaults(&b);
    begin(&b, &set);
    go(&b, 0.5);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(zw_sim_advance(b.sim, 2.0 + k, &outcome), ZW_OK);
        assert_int_equal(outcome, ZW_STOPPED);
        assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
        bench_near(b.t, 1.0, 1e-14);
        bench_near(b.v[0], -10.0, 1e-13);
    }
    assert_int_equal(zw_sim_fired_count(b.sim), 1);
    bench_close(&b);
}

/* Parameters changed between two runs: as a simulation that had them from the start. */
static void other_parameters(void **state)
{
    (void)state;
    bench a, b;
    zw_run_settings set = setup(&a, busy, ZW_DOP853);
    open_started(&b, busy);
    begin(&a, &set);
    go(&a, 2.0);
    for (int k = 0; k < 2; k++) {
        bench *c = k ? &b : &a;
        assert_int_equal(zw_sim_set_parameters(c->sim, "e = 0.9, g = 20"), ZW_OK);
        assert_int_equal(bench_start(c, false), ZW_OK);
        begin(c, &set);
        go(c, 3.0);
    }
    expect_same_run(&a, &b);
    bench_close(&a);
    bench_close(&b);
}

/* ------------------------------------------------------------------- save and restore */

typedef struct snapshot {
    void *bytes; /* exactly as long as needed, so that sanitizers see more */
    size_t size;
} snapshot;

static snapshot save(const bench *b)
{
    snapshot s = {0};
    size_t again = 0;
    assert_int_equal(zw_sim_save(b->sim, NULL, 0, &s.size), ZW_OK);
    s.bytes = malloc(s.size);
    assert_non_null(s.bytes);
    memset(s.bytes, 0xA5, s.size);
    assert_int_equal(zw_sim_save(b->sim, s.bytes, s.size - 1, &again), ZW_OK);
    assert_int_equal(again, s.size);
    for (size_t i = 0; i < s.size; i++) assert_int_equal(((unsigned char *)s.bytes)[i], 0xA5);
    assert_int_equal(zw_sim_save(b->sim, s.bytes, s.size, &again), ZW_OK);
    return s;
}

/* At random times: between events, inside a step that an event will cut, after events. */
static void restored_anywhere(void **state)
{
    (void)state;
    uint64_t seed = 99;
    for (int k = 0; k < 3; k++) {
        bench a, b;
        zw_run_settings set = setup(&a, busy, k);
        (void)setup(&b, busy, k);
        begin(&a, &set);
        go(&a, 3.0);
        for (int round = 0; round < 12; round++) {
            bench c;
            double t = 3.0 * pseudo(&seed);
            assert_int_equal(bench_start(&b, false), ZW_OK);
            begin(&b, &set);
            go(&b, t);
            snapshot s = save(&b);
            (void)setup(&c, busy, k);
            begin(&c, &set);
            if (round % 2) go(&c, 2.9); /* wherever it is itself */
            assert_int_equal(zw_sim_restore(c.sim, s.bytes, s.size), ZW_OK);
            assert_int_equal(zw_sim_state(c.sim, &c.t, c.q, c.v), ZW_OK);
            expect_same_run(&b, &c);
            go(&c, 3.0);
            expect_same_run(&a, &c);
            /* back in time on the same simulation, too */
            go(&b, 3.0);
            assert_int_equal(zw_sim_restore(b.sim, s.bytes, s.size), ZW_OK);
            go(&b, 3.0);
            expect_same_run(&a, &b);
            bench_close(&c);
            free(s.bytes);
        }
        bench_close(&a);
        bench_close(&b);
    }
}

/* Bytes of other settings, other parameters, another method, cut or without sense. */
static void foreign_bytes_are_refused(void **state)
{
    (void)state;
    bench a, b;
    uint64_t seed = 5;
    zw_run_settings set = setup(&a, busy, ZW_DOP853), other = set;
    (void)setup(&b, busy, ZW_DOP853);
    begin(&a, &set);
    go(&a, 1.0);
    snapshot s = save(&a);
    unsigned char *junk = malloc(s.size);
    assert_non_null(junk);
    other.tol = 1e-8;
    begin(&b, &other);
    assert_int_equal(zw_sim_restore(b.sim, s.bytes, s.size), ZW_ERR_SETTING);
    other = set;
    other.method = ZW_DOPRI5;
    begin(&b, &other);
    assert_int_equal(zw_sim_restore(b.sim, s.bytes, s.size), ZW_ERR_SETTING);
    assert_int_equal(zw_sim_set_parameters(b.sim, "e = 0.7"), ZW_OK);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    begin(&b, &set);
    assert_int_equal(zw_sim_restore(b.sim, s.bytes, s.size), ZW_ERR_SETTING);
    for (size_t size = 0; size < s.size; size += 1 + size / 16) {
        void *cut = malloc(size ? size : 1);
        assert_non_null(cut);
        memcpy(cut, s.bytes, size);
        assert_int_equal(zw_sim_restore(a.sim, cut, size), ZW_ERR_SETTING);
        free(cut);
    }
    for (int k = 0; k < 200; k++) {
        for (size_t i = 0; i < s.size; i++) junk[i] = (unsigned char)(256.0 * pseudo(&seed));
        assert_int_equal(zw_sim_restore(a.sim, junk, s.size), ZW_ERR_SETTING);
    }
    for (int k = 0; k < 500; k++) { /* a single bit, anywhere */
        size_t i = (size_t)(pseudo(&seed) * (double)s.size);
        memcpy(junk, s.bytes, s.size);
        junk[i] = (unsigned char)(junk[i] ^ (1u << (k % 8)));
        assert_int_equal(zw_sim_restore(a.sim, junk, s.size), ZW_ERR_SETTING);
    }
    free(junk);
    /* nothing of that has touched the run */
    assert_int_equal(zw_sim_set_parameters(b.sim, "e = 0.8"), ZW_OK);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    begin(&b, &set);
    go(&b, 3.0);
    go(&a, 3.0);
    expect_same_run(&a, &b);
    free(s.bytes);
    bench_close(&a);
    bench_close(&b);
}

/* A run that has failed cannot be saved, but an earlier state of it can be taken up again. */
static void after_a_failure(void **state)
{
    (void)state;
    bench b;
    zw_outcome outcome;
    size_t needed = 0;
    open_started(&b, "coord x\nkinetic x'^2/2\nforce x: sqrt(1 - x)\nstart x' = 1\n");
    zw_run_settings set = defaults(&b);
    begin(&b, &set);
    go(&b, 0.5);
    double x = b.q[0];
    snapshot s = save(&b);
    assert_int_equal(zw_sim_advance(b.sim, 5.0, &outcome), ZW_ERR_NOT_FINITE);
    assert_int_equal(zw_sim_save(b.sim, NULL, 0, &needed), ZW_ERR_ORDER);
    assert_int_equal(zw_sim_restore(b.sim, s.bytes, s.size), ZW_OK);
    go(&b, 0.5);
    assert_true(b.q[0] == x);
    go(&b, 0.6);
    free(s.bytes);
    bench_close(&b);
}

/* ----------------------------------------------------------------------------- memory */

typedef struct counter {
    size_t requests, fail_at; /* fail_at: from 1; 0: none */
    size_t held;
} counter;

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    if (new_size == 0) {
        if (block) c->held -= old_size;
        free(block);
        return NULL;
    }
    if (++c->requests == c->fail_at) return NULL;
    void *grown = realloc(block, new_size);
    if (grown) c->held += new_size - (block ? old_size : 0);
    return grown;
}

static void open_counted(bench *b, counter *c, const char *text)
{
    memset(b, 0, sizeof *b);
    *c = (counter){0};
    zw_allocator allocator = {.resize = resize, .user = c};
    zw_model_source source = {.file = "m", .text = text, .length = strlen(text)};
    assert_int_equal(zw_context_create(&allocator, &b->context), ZW_OK);
    assert_int_equal(zw_model_compile(b->context, &source, &b->model), ZW_OK);
    assert_int_equal(zw_sim_create(b->model, &b->sim), ZW_OK);
    b->n = zw_model_coordinate_count(b->model);
    assert_int_equal(bench_start(b, false), ZW_OK);
}

static void advance_takes_no_memory(void **state)
{
    (void)state;
    const char *const texts[] = {pendulum, busy};
    for (int k = 0; k < 6; k++) {
        bench b;
        counter c;
        zw_columns *columns = NULL;
        double row[64];
        open_counted(&b, &c, texts[k % 2]);
        zw_run_settings set = defaults(&b);
        set.method = (zw_method)(k / 2);
        set.step = 0.01;
        begin(&b, &set);
        assert_int_equal(zw_columns_create(b.model, "all", &columns), ZW_OK);
        assert_true(zw_columns_count(columns) <= 64);
        snapshot s = save(&b);
        size_t before = c.requests;
        for (int i = 1; i <= 100; i++) {
            go(&b, 0.03 * i);
            assert_int_equal(zw_sim_columns(b.sim, columns, row), ZW_OK);
            (void)statistics(&b);
        }
        assert_int_equal(zw_sim_restore(b.sim, s.bytes, s.size), ZW_OK);
        assert_int_equal(c.requests, before);
        free(s.bytes);
        zw_columns_free(columns);
        bench_close(&b);
        assert_int_equal(c.held, 0);
    }
}

/* The k-th request of one call fails, for every k; tried again it succeeds, to the same bits. */
typedef zw_status (*call)(bench *b, zw_columns **columns);

/* By byte code: where memory for machine code fails the run goes on without it. */
static zw_status call_begin(bench *b, zw_columns **columns)
{
    zw_run_settings set = defaults(b);
    (void)columns;
    set.kernel = ZW_KERNEL_BYTECODE;
    return zw_sim_begin(b->sim, &set);
}

static zw_status call_columns(bench *b, zw_columns **columns)
{
    return zw_columns_create(b->model, "t, x, x'', energy, force(x)", columns);
}

static zw_status call_verdict(bench *b, zw_columns **columns)
{
    (void)columns;
    return zw_sim_verdict(b->sim, ZW_REPORT_TEXT, swallow, NULL);
}

static zw_status call_json(bench *b, zw_columns **columns)
{
    (void)columns;
    return zw_sim_verdict(b->sim, ZW_REPORT_JSON, swallow, NULL);
}

static zw_status call_conclude(bench *b, zw_columns **columns)
{
    (void)columns;
    return zw_sim_conclude(b->sim);
}

static void every_request_may_fail(void **state)
{
    (void)state;
    const call calls[] = {call_begin, call_columns, call_verdict, call_json, call_conclude};
    const char *const texts[] = {pendulum, busy,
                                 "coord x\nkinetic x'^2/2\nconstraint slow: x'' = 1\n"
                                 "constraint quick: x'' = 3\n"};
    bench straight;
    for (int k = 0; k < 15; k++) {
        const char *text = texts[k / 5];
        call tried = calls[k % 5];
        open_started(&straight, text);
        assert_int_equal(call_begin(&straight, NULL), ZW_OK);
        go(&straight, 1.0);
        size_t failed = 0;
        for (bool reached = true; reached; failed++) {
            bench b;
            counter c;
            zw_columns *columns = NULL;
            open_counted(&b, &c, text);
            if (k % 5 != 0) assert_int_equal(call_begin(&b, NULL), ZW_OK);
            c.fail_at = c.requests + failed + 1;
            zw_status status = tried(&b, &columns);
            reached = c.requests >= c.fail_at;
            c.fail_at = 0;
            if (status != (reached ? ZW_ERR_MEMORY : ZW_OK))
                fail_msg("call %d, request %d: %s", k, (int)failed, zw_status_name(status));
            if (reached && k % 5 == 0) expect_no_run(&b);
            if (reached) assert_int_equal(tried(&b, &columns), ZW_OK);
            go(&b, 1.0);
            expect_same_state(&straight, &b);
            zw_columns_free(columns);
            bench_close(&b);
            assert_int_equal(c.held, 0);
        }
        if (k % 5 < 4) assert_true(failed > 1);
        bench_close(&straight);
    }
}

/* Machine code is a help: whatever memory fails for it, the run begins or is refused as a whole,
 * and has the same bits. */
static void machine_code_may_fail(void **state)
{
    (void)state;
    bench straight;
    open_started(&straight, pendulum);
    assert_int_equal(call_begin(&straight, NULL), ZW_OK);
    go(&straight, 1.0);
    size_t failed = 0;
    for (bool reached = true; reached; failed++) {
        bench b;
        counter c;
        open_counted(&b, &c, pendulum);
        zw_run_settings set = defaults(&b);
        set.kernel = ZW_KERNEL_NATIVE;
        c.fail_at = c.requests + failed + 1;
        zw_status status = zw_sim_begin(b.sim, &set);
        reached = c.requests >= c.fail_at;
        c.fail_at = 0;
        if (status != ZW_OK) assert_int_equal(status, ZW_ERR_MEMORY);
        if (status != ZW_OK) assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
        go(&b, 1.0);
        expect_same_state(&straight, &b);
        bench_close(&b);
        assert_int_equal(c.held, 0);
    }
    assert_true(failed > 1);
    bench_close(&straight);
}

/* The limit that the caller sets for building a model is the one that counts. */
static void the_limit_of_building(void **state)
{
    (void)state;
    static const char text[] = "param N = 300\ncoord x[N]\nlet A = outer(x, x)\n"
                               "kinetic dot(x', x')/2\n";
    zw_model_source source = {.file = "large", .text = text, .length = sizeof text - 1};
    zw_context *context = NULL;
    zw_model *model = NULL;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    zw_model_free(model);
    source.step_limit = 100000;
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_ERR_MODEL);
    zw_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_of_building),
        cmocka_unit_test(order),
        cmocka_unit_test(arguments),
        cmocka_unit_test(refused_settings),
        cmocka_unit_test(a_method_that_may_be_missing),
        cmocka_unit_test(the_end_is_hit_exactly),
        cmocka_unit_test(no_way_and_no_end),
        cmocka_unit_test(rk4_is_the_classical_method),
        cmocka_unit_test(extreme_tolerances),
        cmocka_unit_test(pieces),
        cmocka_unit_test(interruptions),
        cmocka_unit_test(the_limit_of_steps),
        cmocka_unit_test(a_stop_ends_the_run),
        cmocka_unit_test(other_parameters),
        cmocka_unit_test(restored_anywhere),
        cmocka_unit_test(foreign_bytes_are_refused),
        cmocka_unit_test(after_a_failure),
        cmocka_unit_test(advance_takes_no_memory),
        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(machine_code_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
