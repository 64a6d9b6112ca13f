/*
 * The table of functions over a matrix by parts against za_up_looking and a dense elimination:
 * where it serves and where not, several right sides, values that change, matrices that are not
 * definite, no allocation after planning, failure of every allocation.
 */
#include "matrices.h"

#include <math.h>

typedef struct scratch {
    counting c;
    zb_memory memory;
    matrix m;
    int32_t *order;
    void *parts, *plain;
    double *x, *y, *work;
} scratch;

static void open_desk(scratch *d, kind what, int32_t n, bool scrambled)
{
    size_t size = (size_t)n + 1;
    *d = (scratch){.m = make_matrix(what, n, scrambled)};
    counting_init(&d->c, &d->memory);
    d->order = test_malloc(size * sizeof *d->order);
    d->x = test_malloc(size * sizeof *d->x);
    d->y = test_malloc(size * sizeof *d->y);
    d->work = test_malloc(size * sizeof *d->work);
    assert_int_equal(za_order_amd(&d->memory, &d->m.x, d->order), ZW_OK);
    assert_int_equal(za_up_looking.plan(&d->memory, &d->m.x, d->order, &d->plain), ZW_OK);
    assert_int_equal(ze_factoring.plan(&d->memory, &d->m.x, d->order, &d->parts), ZW_OK);
}

static void close_desk(scratch *d)
{
    ze_factoring.free(d->parts);
    za_up_looking.free(d->plain);
    assert_nothing_held(&d->c, &d->memory);
    test_free(d->order);
    test_free(d->x);
    test_free(d->y);
    test_free(d->work);
    free_matrix(&d->m);
}

static za_pivots factor_both(scratch *d)
{
    za_pivots pivots, plain;
    za_up_looking.factor(d->plain, d->m.values, &plain);
    ze_factoring.factor(d->parts, d->m.values, &pivots);
    assert_int_equal(pivots.complete && pivots.negative == 0,
                     plain.complete && plain.negative == 0);
    return pivots;
}

static void compare_solves(scratch *d)
{
    int32_t n = d->m.x.n;
    double most = 0.0, off = 0.0;
    for (int32_t i = 0; i < n; i++) d->x[i] = d->y[i] = d->m.right[i] = 2.0 * uniform(&d->m) - 1.0;
    ze_factoring.solve(d->parts, d->x, d->work);
    za_up_looking.solve(d->plain, d->y, d->work);
    for (int32_t i = 0; i < n; i++) {
        most = fmax(most, fabs(d->y[i]));
        off = fmax(off, fabs(d->x[i] - d->y[i]));
    }
    if (!(off <= 4e-14 * most)) fail_msg("off by %g of %g", off, most);
    assert_true(residual(&d->m, d->m.right, d->x) < 1e-13);
}

static void test_solves(void **state)
{
    static const kind thin[] = {CHAIN, LOOP, LADDER, CROSSED, TREE, COMB, COPIES, PLANTED};
    (void)state;
    for (size_t k = 0; k < sizeof thin / sizeof *thin; k++) {
        for (int scrambled = 0; scrambled < 2; scrambled++) {
            scratch d;
            open_desk(&d, thin[k], 1200, scrambled);
            if (!d.parts) fail_msg("kind %d is not served", (int)thin[k]);
            int64_t requests = d.c.requests;
            for (int round = 0; round < 2; round++) {
                draw_values(&d.m);
                za_pivots pivots = factor_both(&d);
                assert_true(pivots.complete && pivots.smallest > 0.0 && pivots.smallest <= 1.0);
                compare_solves(&d);
                compare_solves(&d);
            }
            assert_int_equal(d.c.requests, requests);
            close_desk(&d);
        }
    }
}

/* Nothing that repeats, or too little of it. */
static void test_not_worth_it(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        scratch d;
        open_desk(&d, k == 0 ? CHAIN : k == 1 ? RANDOM : GRID, k == 0 ? 40 : 400 * k, k == 3);
        assert_null(d.parts);
        close_desk(&d);
    }
    ze_factoring.free(NULL);
}

/* The cost is that of less than an ordinary factor. */
static void test_cost(void **state)
{
    (void)state;
    scratch d;
    open_desk(&d, CHAIN, 5000, false);
    assert_non_null(d.parts);
    double cost = ze_factoring_cost(d.parts);
    assert_true(cost > 5000 * 0.1e-9 && cost < 5000 * 14.3e-9);
    void *unordered = NULL; /* no order: judged as if nothing filled */
    assert_int_equal(ze_factoring.plan(&d.memory, &d.m.x, NULL, &unordered), ZW_OK);
    assert_non_null(unordered);
    ze_factoring.free(unordered);
    close_desk(&d);
}

static void test_indefinite(void **state)
{
    (void)state;
    scratch d;
    open_desk(&d, LADDER, 600, false);
    assert_non_null(d.parts);
    for (int32_t i = 0; i < 600; i += 7) {
        double *value = &d.m.values[diagonal(&d.m, i)], kept = *value;
        *value = i % 2 == 0 ? -kept : ZB_NAN;
        za_pivots pivots = factor_both(&d);
        assert_false(pivots.complete && pivots.negative == 0 && pivots.smallest > 0.0);
        *value = kept;
    }
    assert_true(factor_both(&d).complete);
    compare_solves(&d);
    close_desk(&d);
}

static void test_failure(void **state)
{
    (void)state;
    matrix m = make_matrix(CHAIN, 400, false);
    for (int64_t k = 1;; k++) {
        counting c;
        zb_memory memory;
        void *factor;
        counting_init(&c, &memory);
        c.refuse_at = k;
        zw_status status = ze_factoring.plan(&memory, &m.x, NULL, &factor);
        bool refused = c.refused > 0;
        if (!refused) assert_non_null(factor);
        if (refused) assert_int_equal(status, ZW_ERR_MEMORY);
        if (refused) assert_null(factor);
        ze_factoring.free(factor);
        assert_nothing_held(&c, &memory);
        if (refused) continue;
        assert_int_equal(status, ZW_OK);
        assert_true(k > 20);
        break;
    }
    free_matrix(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),  cmocka_unit_test(test_not_worth_it),
        cmocka_unit_test(test_cost),    cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
