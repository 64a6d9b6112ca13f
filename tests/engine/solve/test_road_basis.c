/*
 * Redundant systems in a run: a basis of the rows serves, and the motion is the one that all rows
 * give (other forms and the dense solver take them all); rows that turn out to contradict it are
 * told; what depends on shares takes the careful road; a run goes on from its bytes to the same
 * bits.
 */
#include "../../roads_taken.h"
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Three cranks with coupling rods and a stay: 6 rows of rank 5, 4 where they lie flat. */
#define CRANKS                                                                                     \
    "param l = 1, a = 1.5\ncoord p[3, 2]\n"                                                        \
    "for i in 1..3 {\n  let foot = [(i - 1)*a, 0]\n  kinetic dot(p[i]', p[i]')\n"                  \
    "  potential 9.81*p[i, 2]\n  constraint crank[i]: dot(p[i] - foot, p[i] - foot) = l^2\n"       \
    "  start p[i] = [(i - 1)*a, l]\n  start p[i]' = [1, 0]\n}\n"                                   \
    "for i in 1..2 { constraint rod[i]: dot(p[i+1] - p[i], p[i+1] - p[i]) = a^2 }\n"               \
    "constraint stay: dot(p[3] - p[1], p[3] - p[1]) = 4*a^2\n"

static zw_run_settings settings_of(const bench *b, double until)
{
    zw_run_settings set;
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.tol = set.abs_tol = 1e-11;
    set.until = until;
    set.max_steps = 20000;
    return set;
}

static zw_run_statistics run(bench *b, const char *text, zw_form form, double until)
{
    zw_outcome outcome;
    zw_run_statistics stats;
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
    zw_run_settings set = settings_of(b, until);
    set.form = form;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b->sim, until, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
    assert_int_equal(zw_sim_statistics(b->sim, &stats), ZW_OK);
    return stats;
}

/* Once by the basis, once by a form that takes all rows. */
static void compare(const char *text, double until, double within)
{
    bench some, all;
    zw_run_statistics a = run(&some, text, ZW_FORM_GAUSS, until);
    zw_run_statistics b = run(&all, text, ZW_FORM_MOORE_PENROSE, until);
    if (!(10 * roads_taken(&a, "careful") < a.evaluations))
        fail_msg("%d of %d careful", (int)roads_taken(&a, "careful"), (int)a.evaluations);
    assert_true(roads_taken(&b, "careful") >= b.evaluations);
    assert_int_equal(a.generic_rank, b.generic_rank);
    assert_true(a.generic_rank < some.m);
    for (int32_t i = 0; i < some.n; i++) {
        if (!(fabs(some.q[i] - all.q[i]) <= within && fabs(some.v[i] - all.v[i]) <= within))
            fail_msg("coordinate %d: %.17g, %.17g", (int)i, some.q[i], all.q[i]);
    }
    bench_close(&some);
    bench_close(&all);
}

static void the_motion_by_all_rows(void **state)
{
    (void)state;
    compare(CRANKS, 0.6, 1e-9);
    /* with friction that does not ask for reactions */
    compare(CRANKS "for i in 1..3 { nonideal p[i]: -0.3*p[i]' }\n", 0.6, 1e-9);
    /* a row three times, with other factors; one that moves */
    compare("coord x, y, z\nkinetic (x'^2 + 2*y'^2 + 3*z'^2)/2\npotential 9.81*z + x*y\n"
            "constraint a: x^2 + y^2 + z^2 = 1\nconstraint b: 3*(x^2 + y^2 + z^2) = 3\n"
            "constraint c: z = sin(t)/2\nconstraint d: 2*z + x^2 + y^2 + z^2 = 1 + sin(t)\n"
            "start x = 1\n",
            2.0, 1e-9);
}

/* Through the flat position, where a rank is lost for an instant. */
static void through_a_dead_centre(void **state)
{
    (void)state;
    bench b;
    zw_run_statistics stats = run(&b, CRANKS, ZW_FORM_GAUSS, 3.0);
    assert_true(roads_taken(&stats, "careful") > 0 &&
                2 * roads_taken(&stats, "careful") < stats.evaluations);
    for (int32_t i = 1; i < 3; i++) { /* still parallel */
        assert_true(fabs(b.q[2 * i] - b.q[0] - 1.5 * i) < 1e-8);
        assert_true(fabs(b.q[2 * i + 1] - b.q[1]) < 1e-8);
    }
    bench_close(&b);
}

/* The second row says the same as the first until t = 1, and then something else. */
static void a_contradiction_on_the_way(void **state)
{
    (void)state;
    bench b;
    zw_outcome outcome;
    zw_run_statistics stats;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x'' = -x\n"
                   "constraint b: x'' = -x + max(0, t - 1)\nstart x = 1, y' = 1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_settings set = settings_of(&b, 2.0);
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, 0.9, &outcome), ZW_OK);
    assert_int_equal(zw_sim_statistics(b.sim, &stats), ZW_OK);
    assert_true(stats.inconsistency == 0.0);
    assert_true(roads_taken(&stats, "careful") < stats.evaluations);
    (void)zw_sim_advance(b.sim, 2.0, &outcome);
    assert_int_equal(zw_sim_statistics(b.sim, &stats), ZW_OK);
    assert_true(stats.inconsistency > 0.1);
    /* it is seen at the end of a step; one ends at t = 1, where the right side has its corner */
    assert_true(stats.first_inconsistent > 1.0 && stats.first_inconsistent < 1.5);
    bench_close(&b);
}

/* Friction by a share of the reaction needs the share of least norm. */
static void shares_are_careful(void **state)
{
    (void)state;
    bench b;
    zw_run_statistics stats =
        run(&b, CRANKS "nonideal p[1]: -0.01*reaction(crank[1])*p[1]'\n", ZW_FORM_GAUSS, 0.3);
    assert_true(roads_taken(&stats, "careful") >= stats.evaluations);
    bench_close(&b);
}

static void from_its_bytes(void **state)
{
    (void)state;
    bench a, b;
    zw_outcome outcome;
    size_t needed = 0;
    bench_open(&a, CRANKS);
    bench_open(&b, CRANKS);
    assert_int_equal(bench_start(&a, false), ZW_OK);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    zw_run_settings set = settings_of(&a, 3.0);
    assert_int_equal(zw_sim_begin(a.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(a.sim, 1.0, &outcome), ZW_OK);
    assert_int_equal(zw_sim_save(a.sim, NULL, 0, &needed), ZW_OK);
    void *bytes = malloc(needed);
    assert_non_null(bytes);
    assert_int_equal(zw_sim_save(a.sim, bytes, needed, &needed), ZW_OK);
    assert_int_equal(zw_sim_restore(b.sim, bytes, needed), ZW_OK);
    free(bytes);
    assert_int_equal(zw_sim_advance(a.sim, 3.0, &outcome), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, 3.0, &outcome), ZW_OK);
    assert_int_equal(zw_sim_state(a.sim, &a.t, a.q, a.v), ZW_OK);
    assert_int_equal(zw_sim_state(b.sim, &b.t, b.q, b.v), ZW_OK);
    assert_memory_equal(a.q, b.q, sizeof(double) * (size_t)a.n);
    assert_memory_equal(a.v, b.v, sizeof(double) * (size_t)a.n);
    bench_close(&a);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_motion_by_all_rows),
        cmocka_unit_test(through_a_dead_centre),
        cmocka_unit_test(a_contradiction_on_the_way),
        cmocka_unit_test(shares_are_careful),
        cmocka_unit_test(from_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
