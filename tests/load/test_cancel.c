/*
 * zw_sim_cancel from another thread: a run of any kind gives up within 0.1 s of the processor time of
 * its own thread, says ZW_ERR_CANCELLED, and can begin again there. Time of the processor: how busy the
 * machine is does not matter.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../slow.h"
#include "zwang.h"

static const struct kind {
    const char *name, *text;
    zw_method method;
} kinds[] = {
    {"pendulum",
     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
     "start x = 1, y = 0\nsimulate t = 0..1e7",
     ZW_DOP853},
    {"stages of gauss16",
     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
     "start x = 1, y = 0\nsimulate t = 0..1e7",
     ZW_GAUSS16},
    {"contacts",
     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint ground: y >= 0\n"
     "friction ground: 0.3 along x'\nforce x: sin(t)*9\nsimulate t = 0..1e7",
     ZW_DOP853},
    {"a large chain",
     "param N = 2000, l = 1/N\ncoord p[N, 2]\nfor i in 1..N {\n  kinetic dot(p[i]', p[i]')/2\n"
     "  potential 9.81*p[i, 2]\n  start p[i] = [i*l, 0]\n}\n"
     "constraint first: dot(p[1], p[1]) = l^2\n"
     "for i in 2..N {\n  constraint rod[i]: dot(p[i] - p[i-1], p[i] - p[i-1]) = l^2\n}\n"
     "simulate t = 0..1e7",
     ZW_DOP853},
    {"events without end",
     "coord x\nkinetic x'^2/2\nstart x' = 1\nwhen sin(1000*x) > 0: x' = 1\nsimulate t = 0..1e7",
     ZW_DOPRI5},
};

typedef struct canceller {
    zw_sim *sim;
    pthread_t runs;
    double wait, at; /* seconds until it cancels; processor time of `runs` then */
    atomic_bool begun;
} canceller;

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *cancel_later(void *user)
{
    canceller *c = user;
    clockid_t clock;
    struct timespec pause = {.tv_nsec = (long)(c->wait * 1e9)};
    while (!atomic_load(&c->begun)) {
    }
    (void)nanosleep(&pause, NULL);
    if (pthread_getcpuclockid(c->runs, &clock) == 0) c->at = seconds_of(clock);
    zw_sim_cancel(c->sim);
    return NULL;
}

static void cancel_once(const struct kind *kind, zw_sim *sim, double wait, double end)
{
    pthread_t thread;
    zw_outcome outcome;
    canceller c = {.sim = sim, .runs = pthread_self(), .wait = wait};
    assert_int_equal(pthread_create(&thread, NULL, cancel_later, &c), 0);
    atomic_store(&c.begun, true);
    zw_status status = zw_sim_advance(sim, end, &outcome);
    double after = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (status != ZW_ERR_CANCELLED) fail_msg("%s: %s", kind->name, zw_status_sentence(status));
    if (after - c.at > 0.1 * unless_slow(1, 20))
        fail_msg("%s: %g s of processor time after it was cancelled", kind->name, after - c.at);
}

static void runs_end_soon(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        zw_context *context = NULL;
        zw_model *model = NULL;
        zw_sim *sim = NULL;
        zw_run_settings s;
        const char *text = kinds[k].text;
        zw_model_source source = {.file = "m.zw", .text = text, .length = strlen(text)};
        assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
        if (zw_model_compile(context, &source, &model) != ZW_OK)
            fail_msg("%s: %s", kinds[k].name, zw_context_diagnostic(context, 0)->sentence);
        assert_int_equal(zw_run_defaults_by(model, kinds[k].method, &s), ZW_OK);
        s.patience = 0.0;
        assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
        assert_int_equal(zw_sim_start(sim, false), ZW_OK);
        assert_int_equal(zw_sim_begin(sim, &s), ZW_OK);
        for (int i = 0; i < 4; i++) {
            cancel_once(&kinds[k], sim, 0.002 + 0.03 * i, s.until);
            assert_int_equal(zw_sim_begin(sim, &s), ZW_OK);
        }
        zw_sim_free(sim);
        zw_model_free(model);
        zw_context_free(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_end_soon)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
