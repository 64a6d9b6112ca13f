/*
 * A run ends: what is left is judged by the last thousand steps. Random oscillators by every
 * method, alone and in ensembles: with patience for more steps than the run takes it is as without
 * a limit, to the bit; with patience for half of them it is given up. What makes steps small is
 * found; a run that is restored ends where the other one does.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between 0 and 1, the same in every run. */
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

static const char spring[] = "param w = 1, c = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                             "potential (w*x)^2/2 + (w*y)^2\nforce x: -c*x'\nstart x = 1\n";

/* ------------------------------------------------------------------------ alone */

/* bdf, and auto, which may need it, are not in builds without SUNDIALS. */
static bool is_built_in(zw_method method)
{
    bench b;
    zw_run_settings set;
    bench_open(&b, spring);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
    set.method = method;
    zw_status status = zw_sim_begin(b.sim, &set);
    bench_close(&b);
    return status != ZW_ERR_METHOD;
}

/* What a run to `until` came to. */
typedef struct way {
    zw_status status;
    zw_run_statistics stats;
    double t, q[2], v[2];
} way;

static way run_with(bench *b, zw_method method, double until, double patience)
{
    way w;
    zw_run_settings set;
    zw_outcome outcome;
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    assert_true(set.patience == 1e8);
    set.method = method;
    set.until = until;
    set.step = until / 20000;
    set.tol = set.abs_tol = 1e-6;
    set.patience = patience;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    w.status = zw_sim_advance(b->sim, until, &outcome);
    assert_int_equal(zw_sim_statistics(b->sim, &w.stats), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, &w.t, w.q, w.v), ZW_OK);
    return w;
}

static void by_every_method(void **state)
{
    (void)state;
    static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_RK4, ZW_BDF, ZW_AUTO};
    uint64_t seed = 7;
    char text[400];
    for (int k = 0; k < 30; k++) {
        zw_method method = methods[k % 5];
        if (!is_built_in(method)) continue;
        double w = exp(8 * draw(&seed) - 4), until = (method == ZW_BDF ? 1000 : 6000) / w;
        bench b;
        (void)snprintf(text, sizeof text, "%ssimulate t = 0..1\n", spring);
        bench_open(&b, text);
        (void)snprintf(text, sizeof text, "w = %.17g", w);
        assert_int_equal(zw_sim_set_parameters(b.sim, text), ZW_OK);
        way free = run_with(&b, method, until, 0);
        assert_int_equal(free.status, ZW_OK);
        double tries = (double)(free.stats.steps + free.stats.rejected);
        assert_true(tries > 2500);
        way patient = run_with(&b, method, until, 2 * tries);
        assert_int_equal(patient.status, ZW_OK);
        assert_memory_equal(free.q, patient.q, sizeof free.q);
        assert_memory_equal(free.v, patient.v, sizeof free.v);
        way hasty = run_with(&b, method, until, 0.4 * tries);
        assert_int_equal(hasty.status, ZW_ERR_PATIENCE);
        assert_true(hasty.stats.steps + hasty.stats.rejected <= 1100);
        assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
        bench_expect(&b, "E0707", "the rest would take some ");
        bench_close(&b);
    }
}

/* Without an end nothing is left. */
static void without_an_end(void **state)
{
    (void)state;
    bench b;
    zw_run_settings set;
    zw_outcome outcome;
    bench_open(&b, spring);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
    set.patience = 1;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, 3000, &outcome), ZW_OK);
    set.patience = -1;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    set.patience = (double)NAN;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    bench_close(&b);
}

/* ---------------------------------------------------------------------- ensembles */

/* Of members side by side the fast ones are given up, where they would be alone, and the others
 * reach the end. */
static void in_ensembles(void **state)
{
    (void)state;
    enum { count = 23 };
    uint64_t seed = 11;
    double states[count * 4], values[count];
    zw_member members[count];
    static const char *names[] = {"w"};
    bench b;
    bench_open(&b, spring);
    for (int threads = 1; threads <= 2; threads++) {
        zw_run_settings set;
        assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
        set.until = 20;
        set.tol = set.abs_tol = 1e-6;
        set.patience = 4e4;
        for (int i = 0; i < count; i++) {
            double start[4] = {1, 0.5, 0, 0};
            values[i] = i % 3 == 0 ? 1e5 * (1 + draw(&seed)) : 1 + 100 * draw(&seed);
            memcpy(states + 4 * i, start, sizeof start);
        }
        zw_ensemble e = {.count = count,
                         .state = states,
                         .names = names,
                         .name_count = 1,
                         .values = values,
                         .members = members,
                         .threads = threads};
        assert_int_equal(zw_ensemble_run(b.model, &set, &e), ZW_OK);
        for (int i = 0; i < count; i++) {
            bool fast = i % 3 == 0;
            assert_int_equal(members[i].status, fast ? ZW_ERR_PATIENCE : ZW_OK);
            if (!fast) assert_true(members[i].t == 20);
            if (fast) assert_true(members[i].t < 1 && members[i].steps <= 1100);
        }
    }
    bench_close(&b);
}

/* -------------------------------------------------------------------------- words */

/* What makes steps small, as the caller of a run is told on the way, and at its end. */
typedef struct ear {
    char heard[80];
} ear;

static bool listen(void *user, const zw_progress *p)
{
    ear *e = user;
    if (p->trouble) (void)snprintf(e->heard, sizeof e->heard, "%s", p->trouble);
    return true;
}

static void tell(const char *text, zw_method method, double patience, const char *heard,
                 const char *code, const char *words)
{
    bench b;
    ear e = {""};
    zw_run_settings set;
    zw_outcome outcome;
    bench_open(&b, text);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
    set.method = method;
    set.patience = patience;
    set.poll = listen;
    set.user = &e;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, set.until, &outcome), ZW_ERR_PATIENCE);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
    if (strcmp(e.heard, heard) != 0) fail_msg("heard '%s', not '%s'", e.heard, heard);
    bench_expect(&b, code, words);
    bench_close(&b);
}

/* A jump by whatever function, in one of several coordinates, is found and named, and not taken
 * for a stiff motion by auto; a stiff motion is. */
static void what_makes_steps_small(void **state)
{
    (void)state;
    static const zw_method methods[] = {ZW_DOP853, ZW_DOPRI5, ZW_BDF, ZW_AUTO};
    uint64_t seed = 3;
    char text[400];
    for (int k = 0; k < 12; k++) {
        if (!is_built_in(methods[k % 4])) continue;
        double size = exp(4 * draw(&seed) - 2), speed = size * (0.2 + 0.5 * draw(&seed));
        (void)snprintf(text, sizeof text,
                       "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (y - 2)^2/2\n"
                       "force x: -%.6g*tanh(1e40*x')\nstart x' = %.6g\n"
                       "simulate t = 0..100, tol = 1e-8\n",
                       size, speed);
        tell(text, methods[k % 4], 1e7, "a force switches back and forth", "E0707",
             "x'' jumps between");
    }
    tell("coord x\nkinetic x'^2/2\nforce x: -1e5*x' - 1e5*(x - cos(t))\n"
         "simulate t = 0..100, tol = 1e-6\n",
         ZW_DOP853, 1e5, "the motion is stiff", "W0711", "the motion is stiff");
}

/* --------------------------------------------------------------------- restored */

static void restored(void **state)
{
    (void)state;
    bench a, b;
    zw_run_settings set;
    zw_outcome outcome;
    static char bytes[100000];
    size_t needed = 0;
    double t[2];
    bench_open(&a, spring);
    bench_open(&b, spring);
    assert_int_equal(zw_run_defaults(a.model, &set), ZW_OK);
    set.until = 1e9;
    set.patience = 1e6;
    for (int k = 0; k < 2; k++) {
        bench *x = k ? &b : &a;
        assert_int_equal(bench_start(x, false), ZW_OK);
        assert_int_equal(zw_sim_begin(x->sim, &set), ZW_OK);
    }
    assert_int_equal(zw_sim_advance(a.sim, 10, &outcome), ZW_OK);
    assert_int_equal(zw_sim_save(a.sim, bytes, sizeof bytes, &needed), ZW_OK);
    assert_true(needed <= sizeof bytes);
    assert_int_equal(zw_sim_restore(b.sim, bytes, needed), ZW_OK);
    assert_int_equal(zw_sim_advance(a.sim, 1e9, &outcome), ZW_ERR_PATIENCE);
    assert_int_equal(zw_sim_advance(b.sim, 1e9, &outcome), ZW_ERR_PATIENCE);
    assert_int_equal(zw_sim_state(a.sim, &t[0], NULL, NULL), ZW_OK);
    assert_int_equal(zw_sim_state(b.sim, &t[1], NULL, NULL), ZW_OK);
    assert_true(t[0] == t[1] && t[0] > 10);
    bench_close(&a);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_every_method), cmocka_unit_test(without_an_end),
        cmocka_unit_test(in_ensembles),    cmocka_unit_test(what_makes_steps_small),
        cmocka_unit_test(restored),
    };
    return cmocka_run_group_tests_name("patience", tests, NULL, NULL);
}
