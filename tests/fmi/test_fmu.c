/*
 * FMUs through an importer of the tests' own, of both standards: motion as the library has it,
 * constraints, inputs, parameters, states, events, wrong orders of calls, memory.
 */
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>
#include <zwang.h>

#include "importer.h"

static const char swing[] = "param m = 2, l = 1.5\n"
                            "input push = 0\n"
                            "coord x, y\n"
                            "kinetic m/2*(x'^2 + y'^2)\n"
                            "potential m*9.81*y\n"
                            "force x: push\n"
                            "constraint rod: x^2 + y^2 = l^2\n"
                            "start x = l, y = 0\n";

/* ---------------------------------------------------------------- beside the library */

/* A simulation of the same text, at its start. */
typedef struct beside {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
} beside;

static void open_beside(beside *b, const char *text)
{
    zw_model_source source = {.file = "model", .text = text, .length = strlen(text)};
    assert_int_equal(zw_context_create(NULL, &b->context), ZW_OK);
    assert_int_equal(zw_model_compile(b->context, &source, &b->model), ZW_OK);
    assert_int_equal(zw_sim_create(b->model, &b->sim), ZW_OK);
}

static void begin_beside(beside *b, double tol)
{
    zw_run_settings settings;
    assert_int_equal(zw_run_defaults(b->model, &settings), ZW_OK);
    settings.tol = tol;
    settings.until = (double)NAN;
    assert_int_equal(zw_sim_start(b->sim, false), ZW_OK);
    assert_int_equal(zw_sim_begin(b->sim, &settings), ZW_OK);
}

static void close_beside(beside *b)
{
    zw_sim_free(b->sim);
    zw_model_free(b->model);
    zw_context_free(b->context);
}

/* Steps of Co-Simulation are the bits of the library's run, inputs included. */
static void test_motion(void **state)
{
    for (int version = 2; version <= 3; version++) {
        fmu f;
        beside b;
        int32_t handle = 0;
        double q[2], v[2], t;
        fmu_open(&f, swing, version);
        open_beside(&b, swing);
        assert_int_equal(zw_sim_input(b.sim, "push", &handle), ZW_OK);
        begin_beside(&b, 1e-9);
        void *c = fmu_begin(&f, false, 1e-9);
        for (int k = 0; k < 50; k++) {
            double push = sin(0.1 * k);
            zw_outcome outcome;
            assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "push"), push), FMU_OK);
            assert_int_equal(zw_sim_set_input(b.sim, handle, &push, 1), ZW_OK);
            assert_int_equal(fmu_step(&f, c, 0.05 * k, 0.05), FMU_OK);
            assert_int_equal(zw_sim_advance(b.sim, 0.05 * k + 0.05, &outcome), ZW_OK);
            assert_int_equal(zw_sim_state(b.sim, &t, q, v), ZW_OK);
            assert_true(fmu_value(&f, c, "x") == q[0] && fmu_value(&f, c, "der(y)") == v[1]);
            assert_true(fabs(hypot(q[0], q[1]) - 1.5) < 1e-14);
        }
        assert_int_equal(f.terminate(c), FMU_OK);
        f.release(c);
        close_beside(&b);
        fmu_close(&f);
    }
    (void)state;
}

/* One step of rk4 over the states of Model Exchange. */
static void step_rk4(fmu *f, void *c, double t, double h, double *x, size_t count)
{
    static const double when[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    double sum[32] = {0}, rate[32] = {0}, at[32];
    assert_true(count <= 32);
    for (int stage = 0; stage < 4; stage++) {
        for (size_t i = 0; i < count; i++) at[i] = x[i] + when[stage] * h * rate[i];
        assert_int_equal(f->set_time(c, t + when[stage] * h), FMU_OK);
        assert_int_equal(f->set_states(c, at, count), FMU_OK);
        assert_int_equal(f->get_rates(c, rate, count), FMU_OK);
        for (size_t i = 0; i < count; i++) sum[i] += weight[stage] * rate[i];
    }
    for (size_t i = 0; i < count; i++) x[i] += h / 6.0 * sum[i];
    assert_int_equal(f->set_time(c, t + h), FMU_OK);
    assert_int_equal(f->set_states(c, x, count), FMU_OK);
}

/* The end of a step, and the event it asks for. Returns whether there was one. */
static bool complete(fmu *f, void *c, double *x, size_t count)
{
    bool event = false, terminate = false, again, nominals, values, has_next;
    int event2 = 0, terminate2 = 0;
    double next;
    fmi2_event info;
    if (f->version == 2) {
        assert_int_equal(f->completed2(c, 1, &event2, &terminate2), FMU_OK);
        event = event2 != 0;
    } else {
        assert_int_equal(f->completed3(c, true, &event, &terminate), FMU_OK);
    }
    if (!event) return false;
    assert_int_equal(f->enter_event(c), FMU_OK);
    if (f->version == 2) {
        assert_int_equal(f->new_states(c, &info), FMU_OK);
        values = info.values != 0, again = info.again != 0;
    } else {
        assert_int_equal(f->update3(c, &again, &terminate, &nominals, &values, &has_next, &next),
                         FMU_OK);
    }
    assert_true(values && !again);
    assert_int_equal(f->get_states(c, x, count), FMU_OK);
    assert_int_equal(f->enter_continuous(c), FMU_OK);
    return true;
}

/* Steps of an importer's rk4 end near the library's motion, and on the constraints. */
static void test_exchange(void **state)
{
    for (int version = 2; version <= 3; version++) {
        fmu f;
        beside b;
        double x[4], q[2], v[2], t;
        int events = 0;
        zw_outcome outcome;
        fmu_open(&f, swing, version);
        open_beside(&b, swing);
        begin_beside(&b, 1e-12);
        void *c = fmu_begin(&f, true, 1e-10);
        assert_int_equal(f.enter_continuous(c), FMU_OK);
        assert_int_equal(f.get_states(c, x, 4), FMU_OK);
        for (int k = 0; k < 1000; k++) {
            step_rk4(&f, c, 2e-3 * k, 2e-3, x, 4);
            events += complete(&f, c, x, 4);
            assert_true(fabs(hypot(x[0], x[1]) - 1.5) < 1e-9);
        }
        assert_true(events > 0);
        assert_int_equal(zw_sim_advance(b.sim, 2.0, &outcome), ZW_OK);
        assert_int_equal(zw_sim_state(b.sim, &t, q, v), ZW_OK);
        assert_true(fabs(x[0] - q[0]) < 1e-7 && fabs(x[3] - v[1]) < 1e-7);
        f.release(c);
        close_beside(&b);
        fmu_close(&f);
    }
    (void)state;
}

/* --------------------------------------------------------------- values and parameters */

/* A longer rod moves the start with it; start values are brought onto the constraints. */
static void test_start(void **state)
{
    for (int version = 2; version <= 3; version++) {
        fmu f;
        fmu_open(&f, swing, version);
        void *c = fmu_instantiate(&f, false);
        assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "l"), 2.0), FMU_OK);
        assert_true(fmu_value(&f, c, "x") == 2.0 && fmu_value(&f, c, "l") == 2.0);
        assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "y"), -2.0), FMU_OK);
        assert_true(fabs(hypot(fmu_value(&f, c, "x"), fmu_value(&f, c, "y")) - 2.0) < 1e-12);
        assert_true(fmu_value(&f, c, "y") < -1.0);
        assert_int_equal(f.reset(c), FMU_OK);
        assert_true(fmu_value(&f, c, "x") == 1.5 && fmu_value(&f, c, "y") == 0.0);
        f.release(c);
        fmu_close(&f);
    }
    (void)state;
}

/* A mass that changes between two steps is felt from there on. */
static void test_tunable(void **state)
{
    fmu f;
    fmu_open(&f, "param k = 4\ncoord x\nkinetic x'^2/2\npotential k*x^2/2\nstart x = 1\n", 2);
    void *c = fmu_begin(&f, false, 1e-11);
    assert_int_equal(fmu_step(&f, c, 0.0, 1.0), FMU_OK);
    double x = fmu_value(&f, c, "x"), v = fmu_value(&f, c, "der(x)");
    assert_true(fabs(x - cos(2.0)) < 1e-9 && fabs(v + 2.0 * sin(2.0)) < 1e-9);
    assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "k"), 9.0), FMU_OK);
    assert_true(fabs(fmu_value(&f, c, "der(x,2)") + 9.0 * x) < 1e-12);
    assert_int_equal(fmu_step(&f, c, 1.0, 0.5), FMU_OK);
    assert_true(fabs(fmu_value(&f, c, "x") - (x * cos(1.5) + v / 3.0 * sin(1.5))) < 1e-9);
    f.release(c);
    fmu_close(&f);
    (void)state;
}

/* What sizes something can only be what it is. */
static void test_structural(void **state)
{
    fmu f;
    fmu_open(&f, "param n = 2\ncoord x[n]\nkinetic dot(x', x')/2\n", 2);
    assert_non_null(strstr(f.description, "variability=\"fixed\""));
    void *c = fmu_instantiate(&f, false);
    assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "n"), 2.0), FMU_OK);
    assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "n"), 3.0), FMU_ERROR);
    assert_non_null(strstr(said, "n"));
    f.release(c);
    fmu_close(&f);
    (void)state;
}

/* Rates along a direction against differences of the accelerations. */
static void test_directions(void **state)
{
    for (int version = 2; version <= 3; version++) {
        fmu f;
        double x[4], up[4], down[4], rate[2];
        const double h = 1e-6;
        fmu_open(&f, swing, version);
        assert_non_null(strstr(f.description, "providesDirectionalDerivative"));
        void *c = fmu_begin(&f, true, 0.0);
        uint32_t unknown[] = {fmu_reference(&f, "der(x)"), fmu_reference(&f, "der(x,2)")};
        uint32_t known[] = {fmu_reference(&f, "x"), fmu_reference(&f, "der(x)"),
                            fmu_reference(&f, "push")};
        const double seed[] = {0.3, 0.7, 2.0};
        assert_int_equal(f.enter_continuous(c), FMU_OK);
        assert_int_equal(f.get_states(c, x, 4), FMU_OK);
        for (int side = -1; side <= 1; side += 2) {
            double at[4] = {x[0] + side * h * seed[0], x[1], x[2] + side * h * seed[1], x[3]};
            assert_int_equal(fmu_set(&f, c, known[2], side * h * seed[2]), FMU_OK);
            assert_int_equal(f.set_states(c, at, 4), FMU_OK);
            assert_int_equal(f.get_rates(c, side < 0 ? down : up, 4), FMU_OK);
        }
        assert_int_equal(f.set_states(c, x, 4), FMU_OK);
        assert_int_equal(fmu_set(&f, c, known[2], 0.0), FMU_OK);
        int status = version == 2 ? f.derive2(c, unknown, 2, known, 3, seed, rate)
                                  : f.derive3(c, unknown, 2, known, 3, seed, 3, rate, 2);
        assert_int_equal(status, FMU_OK);
        assert_true(rate[0] == 0.7);
        assert_true(fabs(rate[1] - (up[2] - down[2]) / (2.0 * h)) < 1e-6);
        f.release(c);
        fmu_close(&f);
    }
    (void)state;
}

/* ---------------------------------------------------------------------------- states */

/* Goes on to the same bits in the same instance, and as bytes in another one. */
static void test_states(void **state)
{
    for (int version = 2; version <= 3; version++) {
        fmu f;
        void *kept = NULL, *read = NULL;
        size_t size = 0;
        fmu_open(&f, swing, version);
        void *c = fmu_begin(&f, false, 1e-9), *other = fmu_begin(&f, false, 1e-9);
        assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "push"), 1.0), FMU_OK);
        assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "m"), 3.0), FMU_OK);
        assert_int_equal(fmu_step(&f, c, 0.0, 0.3), FMU_OK);
        assert_int_equal(f.get_state(c, &kept), FMU_OK);
        assert_int_equal(f.state_size(c, kept, &size), FMU_OK);
        char *bytes = malloc(size);
        assert_non_null(bytes);
        assert_int_equal(f.write_state(c, kept, bytes, size), FMU_OK);
        assert_int_equal(fmu_step(&f, c, 0.3, 0.7), FMU_OK);
        double x = fmu_value(&f, c, "x"), v = fmu_value(&f, c, "der(y)");
        assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "push"), -2.0), FMU_OK);
        assert_int_equal(f.set_state(c, kept), FMU_OK);
        assert_true(fmu_value(&f, c, "push") == 1.0 && fmu_value(&f, c, "t") == 0.3);
        assert_int_equal(fmu_step(&f, c, 0.3, 0.7), FMU_OK);
        assert_true(fmu_value(&f, c, "x") == x && fmu_value(&f, c, "der(y)") == v);
        assert_int_equal(f.read_state(other, bytes, size, &read), FMU_OK);
        assert_int_equal(f.set_state(other, read), FMU_OK);
        assert_true(fmu_value(&f, other, "m") == 3.0);
        assert_int_equal(fmu_step(&f, other, 0.3, 0.7), FMU_OK);
        assert_true(fmu_value(&f, other, "x") == x && fmu_value(&f, other, "der(y)") == v);
        assert_int_equal(f.free_state(c, &kept), FMU_OK);
        assert_int_equal(f.free_state(other, &read), FMU_OK);
        for (size_t cut = 0; cut < size; cut += 13) { /* bytes that are not such a state */
            assert_int_equal(f.read_state(other, bytes, cut, &read), FMU_OK);
            assert_int_equal(f.set_state(other, read), FMU_ERROR);
        }
        assert_int_equal(f.free_state(other, &read), FMU_OK);
        free(bytes);
        f.release(c);
        f.release(other);
        fmu_close(&f);
    }
    (void)state;
}

/* ---------------------------------------------------------------------------- events */

static const char ball[] = "coord y\nkinetic y'^2/2\npotential 9.81*y\n"
                           "start y = 1\nwhen y < 0: y' = -0.5*y'\n";

/* A ball that bounces: as the formula says, whatever the steps. */
static void test_events(void **state)
{
    for (int version = 2; version <= 3; version++) {
        fmu f;
        fmu_open(&f, ball, version);
        assert_null(strstr(f.description, "<ModelExchange"));
        assert_null(fmu_instantiate(&f, true));
        assert_non_null(strstr(said, "Co-Simulation"));
        void *c = fmu_begin(&f, false, 1e-10);
        for (int k = 0; k < 6; k++) assert_int_equal(fmu_step(&f, c, 0.1 * k, 0.1), FMU_OK);
        double hit = sqrt(2.0 / 9.81), after = 0.6 - hit, up = 0.5 * 9.81 * hit;
        assert_true(fabs(fmu_value(&f, c, "y") - (up - 9.81 / 2.0 * after) * after) < 1e-9);
        assert_true(fabs(fmu_value(&f, c, "der(y)") - (up - 9.81 * after)) < 1e-9);
        f.release(c);
        fmu_close(&f);
    }
    (void)state;
}

/* Where the importer of 3.0 wants to hear of events a step ends there. */
static void test_early_return(void **state)
{
    fmu f;
    bool event, over, early, again, nominals, values, has_next;
    double last = 0.0, next = 0.0;
    fmu_open(&f, ball, 3);
    void *c =
        f.cosim3("unit", f.token, f.resources, false, false, true, true, NULL, 0, NULL, NULL, NULL);
    assert_non_null(c);
    assert_int_equal(f.enter_init3(c, true, 1e-10, 0.0, false, 0.0), FMU_OK);
    assert_int_equal(f.exit_init(c), FMU_OK);
    assert_int_equal(fmu_step(&f, c, 0.0, 0.1), FMU_ERROR); /* it is in event mode */
    assert_int_equal(f.step_mode(c), FMU_OK);
    assert_int_equal(f.step3(c, 0.0, 0.6, true, &event, &over, &early, &last), FMU_OK);
    assert_true(event && early && !over);
    assert_true(fabs(last - sqrt(2.0 / 9.81)) < 1e-8);
    assert_int_equal(f.enter_event(c), FMU_OK);
    assert_int_equal(f.update3(c, &again, &over, &nominals, &values, &has_next, &next), FMU_OK);
    assert_true(!again && !over);
    assert_true(fmu_value(&f, c, "der(y)") > 0.0);
    assert_int_equal(f.step_mode(c), FMU_OK);
    assert_int_equal(f.step3(c, last, 0.6 - last, true, &event, &over, &early, &last), FMU_OK);
    assert_true(!event && !early && fabs(last - 0.6) < 1e-12);
    f.release(c);
    fmu_close(&f);
    (void)state;
}

/* A model that stops ends the simulation: 2.0 discards the step and says when, 3.0 returns early. */
static void test_stop(void **state)
{
    static const char falls[] = "coord y\nkinetic y'^2/2\npotential 9.81*y\nstart y = 1\n"
                                "when y < 0: stop\n";
    const double hit = sqrt(2.0 / 9.81);
    fmu f;
    double last = 0.0;
    int over2 = 0;
    bool event, over, early;
    fmu_open(&f, falls, 2);
    void *c = fmu_begin(&f, false, 1e-10);
    assert_int_equal(fmu_step(&f, c, 0.0, 1.0), FMU_DISCARD);
    assert_int_equal(f.real_status(c, 2, &last), FMU_OK);
    assert_int_equal(f.boolean_status(c, 3, &over2), FMU_OK);
    assert_true(over2 && fabs(last - hit) < 1e-8);
    assert_int_equal(fmu_step(&f, c, last, 1.0), FMU_ERROR);
    f.release(c);
    fmu_close(&f);
    fmu_open(&f, falls, 3);
    c = fmu_begin(&f, false, 1e-10);
    assert_int_equal(f.step3(c, 0.0, 1.0, true, &event, &over, &early, &last), FMU_OK);
    assert_true(over && early && fabs(last - hit) < 1e-8);
    f.release(c);
    fmu_close(&f);
    (void)state;
}

/* --------------------------------------------------------------------- wrong calls */

static void check_before_start(fmu *f, void *c)
{
    double x[4] = {0};
    assert_int_equal(f->exit_init(c), FMU_ERROR);
    assert_int_equal(fmu_step(f, c, 0.0, 0.1), FMU_ERROR);
    assert_int_equal(f->terminate(c), FMU_ERROR);
    assert_int_equal(f->set_states(c, x, 4), FMU_ERROR);
    assert_int_equal(f->enter_event(c), FMU_ERROR);
    assert_int_equal(f->enter_continuous(c), FMU_ERROR);
    assert_int_equal(fmu_get(f, c, 999, x), FMU_ERROR);
    assert_int_equal(fmu_set(f, c, 999, 1.0), FMU_ERROR);
    assert_int_equal(fmu_set(f, c, 0, 1.0), FMU_ERROR);
    assert_int_equal(fmu_set(f, c, fmu_reference(f, "der(x,2)"), 1.0), FMU_ERROR);
    assert_int_equal(fmu_set(f, c, fmu_reference(f, "l"), (double)NAN), FMU_ERROR);
}

/* Errors with a sentence, and the instance is as good as before. */
static void test_wrong_orders(void **state)
{
    for (int version = 2; version <= 3; version++) {
        fmu f;
        double x[4];
        fmu_open(&f, swing, version);
        void *c = fmu_instantiate(&f, false);
        check_before_start(&f, c);
        f.release(c);
        c = fmu_begin(&f, false, 1e-9);
        assert_int_equal(f.exit_init(c), FMU_ERROR);
        assert_int_equal(f.get_rates(c, x, 4), FMU_ERROR); /* of the other kind */
        assert_int_equal(f.enter_continuous(c), FMU_ERROR);
        assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "x"), 1.0), FMU_ERROR);
        assert_int_equal(fmu_step(&f, c, 0.0, 0.0), FMU_ERROR);
        assert_int_equal(fmu_step(&f, c, 0.0, -1.0), FMU_ERROR);
        assert_int_equal(fmu_step(&f, c, 0.5, 0.1), FMU_ERROR);
        assert_int_equal(fmu_step(&f, c, 0.0, (double)NAN), FMU_ERROR);
        assert_true(strlen(said) > 10);
        assert_int_equal(fmu_step(&f, c, 0.0, 0.1), FMU_OK);
        assert_int_equal(f.terminate(c), FMU_OK);
        assert_int_equal(fmu_step(&f, c, 0.1, 0.1), FMU_ERROR);
        assert_int_equal(fmu_set(&f, c, fmu_reference(&f, "push"), 1.0), FMU_ERROR);
        assert_int_equal(fmu_get(&f, c, 1, x), FMU_OK);
        f.release(c);
        c = fmu_begin(&f, true, 1e-9);
        assert_int_equal(fmu_step(&f, c, 0.0, 0.1), FMU_ERROR);
        assert_int_equal(f.set_states(c, x, 4), FMU_ERROR); /* in event mode */
        assert_int_equal(f.enter_continuous(c), FMU_OK);
        assert_int_equal(f.get_states(c, x, 3), FMU_ERROR);
        assert_int_equal(f.get_states(c, x, 4), FMU_OK);
        f.release(c);
        f.release(NULL);
        assert_int_equal(f.reset(NULL), FMU_ERROR);
        assert_int_equal(fmu_step(&f, NULL, 0.0, 0.1), FMU_ERROR);
        assert_int_equal(fmu_get(&f, NULL, 1, x), FMU_ERROR);
        fmu_close(&f);
    }
    (void)state;
}

/* Neither another token nor an empty folder makes an instance. */
static void test_wrong_instances(void **state)
{
    for (int version = 2; version <= 3; version++) {
        fmu f;
        char resources[sizeof f.resources], token[sizeof f.token];
        fmu_open(&f, swing, version);
        memcpy(resources, f.resources, sizeof resources);
        memcpy(token, f.token, sizeof token);
        f.token[3] = f.token[3] == '0' ? '1' : '0';
        assert_null(fmu_instantiate(&f, false));
        assert_non_null(strstr(said, "token"));
        memcpy(f.token, token, sizeof token);
        f.resources[strlen(f.resources) - 3] = 'x';
        assert_null(fmu_instantiate(&f, false));
        assert_non_null(strstr(said, "resources"));
        memcpy(f.resources, resources, sizeof resources);
        void *c = fmu_instantiate(&f, false);
        assert_non_null(c);
        f.release(c);
        fmu_close(&f);
    }
    (void)state;
}

/* ------------------------------------------------------------------- several instances */

/* Two at once do not know of each other. */
static void test_two(void **state)
{
    fmu f;
    fmu_open(&f, swing, 2);
    void *a = fmu_begin(&f, false, 1e-9), *b = fmu_begin(&f, false, 1e-9);
    assert_int_equal(fmu_set(&f, b, fmu_reference(&f, "push"), 5.0), FMU_OK);
    for (int k = 0; k < 10; k++) {
        assert_int_equal(fmu_step(&f, a, 0.1 * k, 0.1), FMU_OK);
        assert_int_equal(fmu_step(&f, b, 0.1 * k, 0.1), FMU_OK);
    }
    void *alone = fmu_begin(&f, false, 1e-9);
    for (int k = 0; k < 10; k++) assert_int_equal(fmu_step(&f, alone, 0.1 * k, 0.1), FMU_OK);
    assert_true(fmu_value(&f, a, "x") == fmu_value(&f, alone, "x"));
    assert_true(fmu_value(&f, a, "x") != fmu_value(&f, b, "x"));
    f.release(a);
    f.release(b);
    f.release(alone);
    fmu_close(&f);
    (void)state;
}

/* A thousand come and go, and no memory stays with them. */
static void test_thousand(void **state)
{
    fmu f;
    size_t before = 0;
    int count = getenv("ZW_SLOW") ? 60 : 1000;
    fmu_open(&f, swing, 3);
    for (int k = 0; k < count; k++) {
        void *c = fmu_begin(&f, k % 2 != 0, 1e-9);
        if (k % 2 == 0) assert_int_equal(fmu_step(&f, c, 0.0, 0.1), FMU_OK);
        f.release(c);
        if (k == count / 10) before = mallinfo2().uordblks;
    }
    assert_true(mallinfo2().uordblks <= before + 4096);
    fmu_close(&f);
    (void)state;
}

/* Two pendulums with a spring between them: each half gets the force of the spring from a master. The
 * error against the whole falls with the step of the master. */
static void test_coupled(void **state)
{
    static const char half[] = "param side = 0\ninput pull = 0\ncoord x, y\n"
                               "kinetic (x'^2 + y'^2)/2\npotential 9.81*y\nforce x: pull\n"
                               "constraint rod: norm([x, y]) = 1\n"
                               "start x = 0.3*(1 - side), y = -1\n";
    static const char whole[] = "coord a[2], b[2]\n"
                                "kinetic (dot(a', a') + dot(b', b'))/2\n"
                                "potential 9.81*(a[2] + b[2]) + 2*(a[1] - b[1])^2\n"
                                "constraint left: norm(a) = 1\nconstraint right: norm(b) = 1\n"
                                "start a = [0.3, -1], b = [0, -1]\n";
    fmu f;
    beside b;
    zw_outcome outcome;
    double q[4], v[4], t, off[2];
    open_beside(&b, whole);
    begin_beside(&b, 1e-11);
    assert_int_equal(zw_sim_advance(b.sim, 1.0, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(b.sim, &t, q, v), ZW_OK);
    fmu_open(&f, half, 2);
    uint32_t pull = fmu_reference(&f, "pull");
    for (int fine = 0; fine < 2; fine++) {
        int steps = fine ? 2000 : 1000;
        void *left = fmu_begin(&f, false, 1e-10), *right = fmu_instantiate(&f, false);
        assert_int_equal(fmu_set(&f, right, fmu_reference(&f, "side"), 1.0), FMU_OK);
        assert_int_equal(f.setup(right, 1, 1e-10, 0.0, 0, 0.0), FMU_OK);
        assert_int_equal(f.enter_init2(right), FMU_OK);
        assert_int_equal(f.exit_init(right), FMU_OK);
        for (int k = 0; k < steps; k++) {
            double force = 4.0 * (fmu_value(&f, right, "x") - fmu_value(&f, left, "x"));
            double at = (double)k / steps, size = (double)(k + 1) / steps - at;
            assert_int_equal(fmu_set(&f, left, pull, force), FMU_OK);
            assert_int_equal(fmu_set(&f, right, pull, -force), FMU_OK);
            assert_int_equal(fmu_step(&f, left, at, size), FMU_OK);
            assert_int_equal(fmu_step(&f, right, at, size), FMU_OK);
        }
        off[fine] = fabs(fmu_value(&f, left, "x") - q[0]);
        f.release(left);
        f.release(right);
    }
    assert_true(off[0] < 2e-3 && off[0] > 1e-7);
    assert_true(fabs(off[0] / off[1] - 2.0) < 0.1);
    close_beside(&b);
    fmu_close(&f);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion),       cmocka_unit_test(test_exchange),
        cmocka_unit_test(test_start),        cmocka_unit_test(test_tunable),
        cmocka_unit_test(test_structural),   cmocka_unit_test(test_directions),
        cmocka_unit_test(test_states),       cmocka_unit_test(test_events),
        cmocka_unit_test(test_early_return), cmocka_unit_test(test_stop),
        cmocka_unit_test(test_wrong_orders), cmocka_unit_test(test_wrong_instances),
        cmocka_unit_test(test_two),          cmocka_unit_test(test_thousand),
        cmocka_unit_test(test_coupled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
