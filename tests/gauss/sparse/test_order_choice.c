/*
 * Which order of elimination is chosen for a sparse factor: the one with the smaller predicted
 * cost, and nested dissection is asked at all where there is much to win.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "graphs.h"
#include "maps.h"

/* What is chosen for a graph, beside what both orders predict for it. */
static void expect_choice(graph g, bool dissected)
{
    zb_memory memory;
    zg_chosen c;
    za_prediction amd, own;
    za_symmetric x = graph_pattern(&g);
    int32_t *order = malloc((size_t)x.n * sizeof *order);
    zb_memory_init(&memory, NULL);
    assert_int_equal(za_order_amd(&memory, &x, order), ZW_OK);
    assert_int_equal(za_predict(&memory, &x, order, &amd), ZW_OK);
    assert_int_equal(za_order_dissect(&memory, &x, order), ZW_OK);
    assert_int_equal(za_predict(&memory, &x, order, &own), ZW_OK);
    assert_int_equal(zg_choose_factor(&memory, &x, NULL, &c), ZW_OK);
    assert_int_not_equal(own.nonzeros, amd.nonzeros);
    assert_int_equal(c.prediction.nonzeros, dissected ? own.nonzeros : amd.nonzeros);
    assert_true(c.prediction.flops == (dissected ? own.flops : amd.flops));
    zg_chosen_clear(&c);
    assert_int_equal(memory.held, 0);
    pattern_free(&x);
    free(order);
}

/* A large net in space is dissected; a small one is not, nor a bar, which minimum degree orders
 * better. */
static void chooses_the_order(void **state)
{
    (void)state;
    expect_choice(graph_box(22, 22, 22, 3), true);
    expect_choice(graph_box(12, 12, 12, 1), false);
    expect_choice(graph_box(12, 12, 240, 3), false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
