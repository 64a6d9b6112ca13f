/*
 * Runs that contacts end in ways that no model is known for: moments that follow each other without
 * time going on (E0705), and the names in that message.
 */
#include "bench.h"
#include "run.h"

static void begin(bench *b)
{
    zw_run_settings settings;
    zw_outcome outcome;
    bench_open(b,
               "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint ground: y >= 0\n"
               "constraint wall: x <= 1\nfriction ground: 0.3 along x'\nsimulate t = 0..1\n");
    assert_int_equal(zw_sim_start(b->sim, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &settings), ZW_OK);
    assert_int_equal(zw_sim_begin(b->sim, &settings), ZW_OK);
    assert_int_equal(zw_sim_advance(b->sim, 0.5, &outcome), ZW_OK);
    b->sim->run->ending.failure = ZW_ERR_CHATTER;
    b->sim->run->touching.at_once = 201;
    b->sim->run->touching.last = 0.5;
}

static void moments_that_accumulate(void **state)
{
    (void)state;
    static const char *const words[] = {
        "friction changes again and again without time going on: the moments accumulate at t = 0.5",
        "`ground` changes again and again without time going on: the moments accumulate at t = 0.5",
        "`ground` and `wall` change again and again without time going on: the moments accumulate"};
    for (int k = 0; k < 3; k++) {
        bench b;
        begin(&b);
        b.sim->contacts->blamed[0] = k > 0;
        b.sim->contacts->blamed[1] = k > 1;
        assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
        bench_expect(&b, "E0705", words[k]);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(moments_that_accumulate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
