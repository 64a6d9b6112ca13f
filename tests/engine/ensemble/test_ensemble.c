/*
 * Ensembles: what is refused and how it is said; members that fail beside others; poll; memory,
 * whose every request may fail, and the budget. That members have the bits of single runs is
 * tested in tests/system.
 */
#include "bench.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 7, N = 4 };

static const char text[] = "param n = 2, g = 9.81, m = [1, 1], k = m[1]\ncoord a[n], b[n]\n"
                           "kinetic m[1]/2*dot(a', a') + m[2]/2*dot(b', b')\n"
                           "potential g*(k*a[2] + m[2]*b[2])\n"
                           "constraint upper: dot(a, a) = 1\n"
                           "constraint lower: dot(b - a, b - a) = 1\n";

/* A friction and an event: members run alone. */
static const char rough[] = "param g = 9.81, mu = 0.1\ncoord a[2], b[2]\n"
                            "kinetic (dot(a', a') + dot(b', b'))/2\npotential g*(a[2] + b[2])\n"
                            "constraint upper: dot(a, a) = 1\n"
                            "constraint lower: dot(b - a, b - a) = 1\n"
                            "dissipation mu*dot(a', a')\nwhen t > 0.75: stop\n";

typedef struct party {
    zw_ensemble e;
    zw_run_settings settings;
    double state[COUNT * 2 * N], values[COUNT], samples[COUNT * 2 * 2 * N], times[2];
    const char *names[1];
    zw_member members[COUNT];
} party;

/* Members of a double pendulum, with other masses and speeds. */
static void invite(party *p, zw_model *model)
{
    memset(p, 0, sizeof *p);
    assert_int_equal(zw_run_defaults(model, &p->settings), ZW_OK);
    p->settings.until = 1;
    p->settings.tol = p->settings.abs_tol = 1e-7;
    for (int i = 0; i < COUNT; i++) {
        double *x = p->state + i * 2 * N;
        x[0] = x[2] = 1;
        x[3] = -1;
        x[5] = x[7] = 0.1 * i;
        p->values[i] = 9 + i;
    }
    p->times[0] = 0.5;
    p->times[1] = 1;
    p->names[0] = "g";
    p->e = (zw_ensemble){.count = COUNT,
                         .state = p->state,
                         .names = p->names,
                         .name_count = 1,
                         .values = p->values,
                         .times = p->times,
                         .time_count = 2,
                         .samples = p->samples,
                         .threads = 1,
                         .members = p->members};
}

/* ------------------------------------------------------------------- arguments */

static void arguments(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, text);
    for (int k = 0; k < 18; k++) {
        party p;
        invite(&p, b.model);
        if (k == 0) p.e.count = -1;
        if (k == 1) p.e.state = NULL;
        if (k == 2) p.e.names = NULL;
        if (k == 3) p.e.values = NULL;
        if (k == 4) p.e.times = NULL;
        if (k == 5) p.e.samples = NULL;
        if (k == 6) p.e.threads = -1;
        if (k == 7) p.e.t = (double)NAN;
        if (k == 8) p.settings.until = (double)NAN;
        if (k == 9) p.settings.until = -1;
        if (k == 10) p.times[0] = 1.5;
        if (k == 11) p.times[1] = 0.25;
        if (k == 12) p.times[0] = -0.25;
        if (k == 13) p.settings.tol = 0;
        if (k == 14) p.names[0] = NULL;
        if (k == 15) p.settings.form = (zw_form)99;
        if (k == 16) p.settings.stabilize = (zw_stabilize)99;
        if (k == 17) p.times[1] = (double)NAN;
        double before = p.state[5];
        assert_int_equal(zw_ensemble_run(b.model, &p.settings, &p.e), ZW_ERR_ARGUMENT);
        assert_true(p.state[5] == before);
    }
    party p;
    invite(&p, b.model);
    assert_int_equal(zw_ensemble_run(NULL, &p.settings, &p.e), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_ensemble_run(b.model, NULL, &p.e), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_ensemble_run(b.model, &p.settings, NULL), ZW_ERR_ARGUMENT);
    p.e = (zw_ensemble){0}; /* nobody is there */
    assert_int_equal(zw_ensemble_run(b.model, &p.settings, &p.e), ZW_OK);
    assert_int_equal(zw_context_diagnostic_count(b.context), 0);
    bench_close(&b);
}

/* Names are those that zw_sim_set_parameters takes. */
static void names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *code;
    } cases[] = {{"g", NULL},    {"m[2]", NULL},    {"k", NULL},           {"gg", "E0102"},
                 {"m", "E0109"}, {"m[3]", "E0205"}, {"n", "E0115"},        {"a[1]", "E0109"},
                 {"", "E0015"},  {"g +", "E0015"},  {"g = 2, k", "E0109"}, {"g = 2 #", "E0109"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bench b;
        party p;
        bench_open(&b, text);
        invite(&p, b.model);
        p.names[0] = cases[k].name;
        zw_status status = zw_ensemble_run(b.model, &p.settings, &p.e);
        bool good = k < 3;
        if (status != (good ? ZW_OK : ZW_ERR_SETTING))
            fail_msg("'%s': %s", cases[k].name, zw_status_name(status));
        assert_true(good == (zw_context_diagnostic_count(b.context) == 0));
        if (cases[k].code) bench_expect(&b, cases[k].code, "");
        bench_close(&b);
    }
}

/* ---------------------------------------------------------- members that fail */

static void one_fails(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        bench b;
        party p;
        bench_open(&b, k % 2 ? rough : text);
        invite(&p, b.model);
        p.e.threads = 1 + k;
        p.values[2] = (double)INFINITY;
        p.state[4 * 2 * N + 1] = (double)NAN;
        assert_int_equal(zw_ensemble_run(b.model, &p.settings, &p.e), ZW_OK);
        for (int i = 0; i < COUNT; i++) {
            const zw_member *m = &p.members[i];
            bool bad = i == 2 || i == 4;
            assert_int_equal(m->status == ZW_OK, !bad);
            if (i == 2) assert_int_equal(m->status, ZW_ERR_SETTING);
            assert_true(m->t == (bad ? 0.0 : k % 2 ? m->t : 1.0));
            if (!bad && k % 2) assert_int_equal(m->outcome, ZW_STOPPED);
            if (!bad && k % 2) bench_near(m->t, 0.75, 1e-12);
            assert_true(isnan(p.samples[i * 2 * 2 * N]) == bad);
            assert_true(isnan(p.samples[i * 2 * 2 * N + 2 * N]) == (bad || k % 2));
        }
        bench_close(&b);
    }
}

/* Without an array for the members the first failure is the answer. */
static void nobody_asks(void **state)
{
    (void)state;
    bench b;
    party p;
    bench_open(&b, text);
    invite(&p, b.model);
    p.e.members = NULL;
    p.e.threads = 2;
    assert_int_equal(zw_ensemble_run(b.model, &p.settings, &p.e), ZW_OK);
    invite(&p, b.model);
    p.e.members = NULL;
    p.values[5] = (double)NAN;
    p.settings.max_steps = 1;
    assert_int_equal(zw_ensemble_run(b.model, &p.settings, &p.e), ZW_ERR_LIMIT);
    invite(&p, b.model);
    p.e.members = NULL;
    p.values[0] = (double)NAN;
    assert_int_equal(zw_ensemble_run(b.model, &p.settings, &p.e), ZW_ERR_SETTING);
    bench_close(&b);
}

/* ------------------------------------------------------------------------ poll */

typedef struct listener {
    pthread_t thread;
    int64_t calls, last, stop_at; /* stop_at: members */
    bool strange;
} listener;

static bool listen(void *user, const zw_progress *progress)
{
    listener *l = user;
    l->calls++;
    if (!pthread_equal(l->thread, pthread_self()) || progress->steps < l->last) l->strange = true;
    l->last = progress->steps;
    return progress->steps < l->stop_at;
}

static void poll(void **state)
{
    (void)state;
    for (int k = 0; k < 6; k++) {
        bench b;
        party p;
        listener l = {.thread = pthread_self(), .stop_at = k < 3 ? 2 : 100};
        bench_open(&b, k == 1 ? rough : text);
        invite(&p, b.model);
        p.settings.poll = listen;
        p.settings.user = &l;
        p.e.threads = 1 + k % 3;
        assert_int_equal(zw_ensemble_run(b.model, &p.settings, &p.e), ZW_OK);
        assert_false(l.strange);
        assert_true(l.calls >= (p.e.threads > 1 ? 0 : 2));
        int through = 0;
        for (int i = 0; i < COUNT; i++) {
            const zw_member *m = &p.members[i];
            assert_int_equal(m->status, ZW_OK);
            if (m->outcome != ZW_INTERRUPTED) through++;
            if (m->outcome != ZW_INTERRUPTED || m->t > 0) continue;
            assert_true(p.state[i * 2 * N + 5] == 0.1 * i); /* still at its start */
            assert_true(isnan(p.samples[i * 2 * 2 * N]));
        }
        if (k >= 3) assert_int_equal(through, COUNT);
        if (k == 0) assert_int_equal(through, 2);
        bench_close(&b);
    }
}

/* ---------------------------------------------------------------------- memory */

typedef struct counter {
    size_t requests, fail_at, bytes, most;
} counter;

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    if (new_size == 0) {
        if (block) c->bytes -= old_size;
        free(block);
        return NULL;
    }
    if ((!block || new_size > old_size) && ++c->requests >= c->fail_at && c->fail_at) return NULL;
    void *grown = realloc(block, new_size);
    if (grown) c->bytes += new_size - (block ? old_size : 0);
    if (c->bytes > c->most) c->most = c->bytes;
    return grown;
}

static void open_counted(bench *b, counter *c, const char *model)
{
    zw_allocator allocator = {.resize = resize, .user = c};
    zw_model_source source = {.file = "m", .text = model, .length = strlen(model)};
    memset(b, 0, sizeof *b);
    assert_int_equal(zw_context_create(&allocator, &b->context), ZW_OK);
    assert_int_equal(zw_model_compile(b->context, &source, &b->model), ZW_OK);
}

/* Each request fails from some moment on: the call or its members say so, or have their bits. */
static void every_request_may_fail(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        bench b;
        party good, p;
        counter c = {0};
        open_counted(&b, &c, k ? rough : text);
        invite(&good, b.model);
        good.settings.until = 0.2;
        good.e.count = 2;
        good.e.time_count = 0;
        size_t before = c.requests, held = c.bytes;
        assert_int_equal(zw_ensemble_run(b.model, &good.settings, &good.e), ZW_OK);
        size_t all = c.requests - before, kept = c.bytes - held; /* machine code stays */
        for (size_t at = 1; at <= all + 1; at++) {
            invite(&p, b.model);
            p.settings = good.settings;
            p.e.count = 2;
            p.e.time_count = 0;
            c.fail_at = c.requests + at;
            zw_status status = zw_ensemble_run(b.model, &p.settings, &p.e);
            assert_true(status == ZW_OK || status == ZW_ERR_MEMORY);
            for (int i = 0; i < 2 && status == ZW_OK; i++) {
                const double *x = p.state + i * 2 * N, *y = good.state + i * 2 * N;
                if (p.members[i].status == ZW_OK)
                    assert_memory_equal(x, y, 2 * N * sizeof *x);
                else
                    assert_int_equal(p.members[i].status, ZW_ERR_MEMORY);
            }
            assert_int_equal(c.bytes, held + kept);
            c.fail_at = 0;
        }
        bench_close(&b);
        assert_int_equal(c.bytes, 0);
    }
}

/* Members for whom the budget was short while others ran are run again; what is held never exceeds
 * it. */
static void budget(void **state)
{
    (void)state;
    int failures = 0;
    for (size_t room = 1000; room < 400000; room += room / 3) {
        bench b;
        party p;
        counter c = {0};
        open_counted(&b, &c, rough);
        invite(&p, b.model);
        p.settings.kernel = ZW_KERNEL_BYTECODE;
        p.e.threads = 3;
        size_t limit = zw_context_held(b.context) + room;
        assert_int_equal(zw_context_set_budget(b.context, limit), ZW_OK);
        c.most = 0;
        zw_status status = zw_ensemble_run(b.model, &p.settings, &p.e);
        assert_true(status == ZW_OK || status == ZW_ERR_BUDGET);
        int good = 0;
        for (int i = 0; i < COUNT && status == ZW_OK; i++) {
            if (p.members[i].status == ZW_OK) good++;
            if (p.members[i].status != ZW_OK) assert_int_equal(p.members[i].status, ZW_ERR_BUDGET);
        }
        assert_true(good == 0 || good == COUNT); /* whatever the threads did */
        if (good == 0) failures++;
        assert_true(zw_context_held(b.context) <= limit);
        bench_close(&b);
        assert_int_equal(c.bytes, 0);
    }
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments), cmocka_unit_test(names),
        cmocka_unit_test(one_fails), cmocka_unit_test(nobody_asks),
        cmocka_unit_test(poll),      cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
