/*
 * A matrix by parts against a plain dense elimination in long double: patterns that repeat and that
 * do not, in any numbering, at both widths, several right sides; the least pivot; matrices that are
 * not definite; the same bits by byte code, machine code and threads; no allocation while it runs;
 * failure of every allocation.
 */
#include "matrices.h"

#include <math.h>

typedef struct scratch {
    counting c;
    zb_memory memory;
    matrix m;
    ze_matrix *matrix;
    double *x;
} scratch;

static void open_desk(scratch *d, kind what, int32_t n, bool scrambled, int32_t width)
{
    *d = (scratch){.m = make_matrix(what, n, scrambled)};
    counting_init(&d->c, &d->memory);
    d->x = test_malloc((size_t)(n + 1) * sizeof *d->x);
    assert_int_equal(ze_matrix_plan(&d->memory, &d->m.x, width, 0.0, &d->matrix), ZW_OK);
    assert_non_null(d->matrix);
}

static void close_desk(scratch *d)
{
    ze_matrix_free(d->matrix);
    assert_nothing_held(&d->c, &d->memory);
    test_free(d->x);
    free_matrix(&d->m);
}

static void put_values(scratch *d)
{
    double *inputs = ze_matrix_inputs(d->matrix);
    const int32_t *place = ze_matrix_entry_places(d->matrix);
    for (int32_t p = 0; p < d->m.start[d->m.x.n]; p++) {
        assert_in_range(place[p], 0, ze_matrix_input_count(d->matrix) - 1);
        inputs[place[p]] = d->m.values[p];
    }
}

static void put_right(scratch *d)
{
    double *inputs = ze_matrix_inputs(d->matrix);
    const int32_t *place = ze_matrix_right_places(d->matrix);
    for (int32_t i = 0; i < d->m.x.n; i++) inputs[place[i]] = d->m.right[i];
}

static void take_answers(scratch *d)
{
    const double *answers = ze_matrix_answers(d->matrix);
    const int32_t *place = ze_matrix_answer_places(d->matrix);
    for (int32_t i = 0; i < d->m.x.n; i++) {
        assert_in_range(place[i], 0, ze_matrix_answer_count(d->matrix) - 1);
        d->x[i] = answers[place[i]];
    }
}

static double solve(scratch *d, zk_evaluator evaluator, zb_team *team)
{
    double smallest = 0.0;
    put_values(d);
    put_right(d);
    ze_matrix_solve(d->matrix, &(ze_execution){evaluator, team}, &smallest);
    take_answers(d);
    return smallest;
}

/* No two places are one. */
static void check_places(const scratch *d)
{
    int32_t count = ze_matrix_input_count(d->matrix);
    char *seen = test_calloc((size_t)count + 1, 1);
    for (int32_t p = 0; p < d->m.start[d->m.x.n]; p++)
        assert_int_equal(seen[ze_matrix_entry_places(d->matrix)[p]]++, 0);
    for (int32_t i = 0; i < d->m.x.n; i++)
        assert_int_equal(seen[ze_matrix_right_places(d->matrix)[i]]++, 0);
    test_free(seen);
}

static void compare(const scratch *d, const dense *reference)
{
    int32_t n = d->m.x.n;
    long double *x = test_malloc((size_t)(n + 1) * sizeof *x), most = 0.0L, off = 0.0L;
    dense_solve(reference, d->m.right, x);
    for (int32_t i = 0; i < n; i++) {
        most = fmaxl(most, fabsl(x[i]));
        off = fmaxl(off, fabsl(x[i] - (long double)d->x[i]));
    }
    if (!(off <= 2e-14L * most)) fail_msg("off by %Lg of %Lg", off, most);
    test_free(x);
}

static void check_kind(kind what, int32_t n, bool scrambled, int32_t width)
{
    scratch d;
    open_desk(&d, what, n, scrambled, width);
    dense reference = dense_factor(&d.m);
    check_places(&d);
    int64_t requests = d.c.requests;
    double smallest = solve(&d, ZK_FASTEST, NULL);
    assert_true(smallest > 0.0 && smallest <= 1.0);
    compare(&d, &reference);
    for (int k = 0; k < 3; k++) { /* other right sides, the same factor */
        for (int32_t i = 0; i < n; i++) d.m.right[i] = 2.0 * uniform(&d.m) - 1.0;
        put_right(&d);
        ze_matrix_again(d.matrix, &(ze_execution){ZK_FASTEST, NULL});
        take_answers(&d);
        compare(&d, &reference);
    }
    assert_int_equal(d.c.requests, requests);
    test_free(reference.L);
    close_desk(&d);
}

static void test_answers(void **state)
{
    (void)state;
    for (int what = 0; what < KIND_COUNT; what++)
        for (int k = 0; k < 4; k++) check_kind((kind)what, 201 + 7 * k, k % 2 == 1, k < 2 ? 8 : 4);
}

static void test_small_ones(void **state)
{
    (void)state;
    for (int32_t n = 0; n < 40; n++) check_kind(n % 2 == 0 ? CHAIN : COPIES, n, n % 3 == 0, 8);
}

/* Values change, the plan stays. */
static void test_other_values(void **state)
{
    (void)state;
    scratch d;
    open_desk(&d, LADDER, 260, false, 8);
    for (int k = 0; k < 3; k++) {
        draw_values(&d.m);
        dense reference = dense_factor(&d.m);
        assert_true(solve(&d, ZK_FASTEST, NULL) > 0.0);
        compare(&d, &reference);
        test_free(reference.L);
    }
    close_desk(&d);
}

/* ------------------------------------------------------------------------- structure */

static ze_matrix_facts facts_of(kind what, int32_t n, bool scrambled)
{
    scratch d;
    ze_matrix_facts facts;
    open_desk(&d, what, n, scrambled, 8);
    ze_matrix_facts_of(d.matrix, &facts);
    assert_true(solve(&d, ZK_FASTEST, NULL) > 0.0);
    assert_true(residual(&d.m, d.m.right, d.x) < 1e-13);
    assert_int_equal(ze_matrix_programs(d.matrix, NULL), 3 * facts.shapes);
    assert_true(ze_matrix_cost(d.matrix) > 0.0);
    close_desk(&d);
    return facts;
}

/* What repeats is found, in any numbering: few rows are left. */
static void test_repetition(void **state)
{
    static const kind thin[] = {CHAIN, LOOP, LADDER, TREE, COMB, COPIES, PLANTED};
    (void)state;
    for (size_t k = 0; k < sizeof thin / sizeof *thin; k++) {
        for (int scrambled = 0; scrambled < 2; scrambled++) {
            ze_matrix_facts facts = facts_of(thin[k], 3000, scrambled);
            if (facts.levels < 2 || facts.rest > 300)
                fail_msg("kind %d: %d levels, %d rows left", (int)thin[k], facts.levels,
                         facts.rest);
        }
    }
    assert_int_equal(facts_of(RANDOM, 1000, false).levels, 1);
}

/* Large ones are judged by a sample. */
static void test_large(void **state)
{
    (void)state;
    assert_in_range(facts_of(CHAIN, 60000, false).rest, 0, 100);
    assert_in_range(facts_of(LADDER, 30000, true).rest, 0, 300);
}

static void test_limit(void **state)
{
    (void)state;
    matrix m = make_matrix(CHAIN, 500, false);
    counting c;
    zb_memory memory;
    ze_matrix *made;
    counting_init(&c, &memory);
    assert_int_equal(ze_matrix_plan(&memory, &m.x, 8, 1e-9, &made), ZW_OK);
    assert_null(made);
    assert_nothing_held(&c, &memory);
    assert_int_equal(ze_matrix_plan(&memory, &m.x, 8, 1.0, &made), ZW_OK);
    assert_non_null(made);
    assert_true(ze_matrix_cost(made) <= 1.0);
    ze_matrix_free(made);
    assert_nothing_held(&c, &memory);
    free_matrix(&m);
}

/* ---------------------------------------------------------------------------- pivots */

/* Chains of springs on a soft ground: whatever row of a chain comes last, its pivot is 1 /
 * (X^-1)_ii, about as many times the ground as there are rows, in whatever level that is; the
 * diagonal entry it began as is at least 1. */
static void check_smallest(kind what, int32_t n, int32_t length, bool scrambled)
{
    const double ground = 1e-9;
    scratch d;
    open_desk(&d, what, n, scrambled, 8);
    for (int32_t i = 0; i < n; i++) d.m.values[diagonal(&d.m, i)] = ground;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t p = d.m.start[i]; p < diagonal(&d.m, i); p++) {
            d.m.values[p] = -1.0;
            d.m.values[diagonal(&d.m, i)] += 1.0;
            d.m.values[diagonal(&d.m, d.m.index[p])] += 1.0;
        }
    }
    double smallest = solve(&d, ZK_FASTEST, NULL), bound = length * ground;
    if (!(smallest <= 1.01 * bound && smallest > 1e-4 * bound))
        fail_msg("%d rows in chains of %d: %g, not %g", n, length, smallest, bound);
    close_desk(&d);
}

static void test_smallest(void **state)
{
    (void)state;
    for (int scrambled = 0; scrambled < 2; scrambled++) {
        check_smallest(CHAIN, 100, 100, scrambled);
        check_smallest(CHAIN, 400, 400, scrambled);
        check_smallest(CHAIN, 3000, 3000, scrambled);
        check_smallest(CHAINS, 3000, 100, scrambled);
    }
}

/* One diagonal entry that is not what it should be, wherever it is. */
static void test_indefinite(void **state)
{
    static const double bad[] = {-1.0, 0.0, ZB_NAN, ZB_INFINITY, -ZB_INFINITY};
    (void)state;
    for (int width = 4; width <= 8; width += 4) {
        scratch d;
        open_desk(&d, LADDER, 200, width == 4, width);
        for (int32_t i = 0; i < 200; i++) {
            double *value = &d.m.values[diagonal(&d.m, i)], kept = *value;
            for (int k = 0; k < 5; k++) {
                *value = bad[k];
                double smallest = solve(&d, ZK_FASTEST, NULL);
                if (smallest > 0.0 && k != 3) fail_msg("row %d, %g: %g", i, bad[k], smallest);
                if (k == 3) assert_true(!(smallest > 1e-250)); /* infinite: no row at all */
            }
            *value = kept;
        }
        double good = solve(&d, ZK_FASTEST, NULL);
        assert_true(good > 0.0);
        assert_true(residual(&d.m, d.m.right, d.x) < 1e-13);
        close_desk(&d);
    }
}

/* An entry off the diagonal that is not a number. */
static void test_not_a_number(void **state)
{
    (void)state;
    scratch d;
    open_desk(&d, CHAIN, 300, false, 8);
    for (int32_t p = 0; p < d.m.start[300]; p += 3) {
        double kept = d.m.values[p];
        d.m.values[p] = ZB_NAN;
        assert_false(solve(&d, ZK_FASTEST, NULL) > 0.0);
        d.m.values[p] = kept;
    }
    close_desk(&d);
}

/* ------------------------------------------------------------------------ evaluators */

static void keep(const scratch *d, double *x)
{
    memcpy(x, d->x, (size_t)d->m.x.n * sizeof *x);
}

static void check_bits(kind what, int32_t n, int32_t width)
{
    scratch d;
    open_desk(&d, what, n, false, width);
    double *x = test_malloc((size_t)n * sizeof *x);
    double smallest = solve(&d, ZK_BYTE_CODE, NULL);
    assert_true(smallest > 0.0);
    keep(&d, x);
    for (int32_t size = 2; size <= 3; size++) {
        zb_team *team = NULL;
        assert_int_equal(zb_team_create(&d.memory, size, &team), ZW_OK);
        double other = solve(&d, ZK_BYTE_CODE, team);
        assert_memory_equal(&other, &smallest, sizeof other);
        assert_memory_equal(d.x, x, (size_t)n * sizeof *x);
        ze_matrix_again(d.matrix, &(ze_execution){ZK_BYTE_CODE, team});
        take_answers(&d);
        assert_memory_equal(d.x, x, (size_t)n * sizeof *x);
        zb_team_free(team);
    }
    int32_t count = ze_matrix_programs(d.matrix, NULL);
    zk_program **list = test_malloc(((size_t)count + 1) * sizeof(zk_program *));
    zk_native *native;
    zk_native_report report;
    assert_int_equal(ze_matrix_programs(d.matrix, list), count);
    assert_true(count > 0);
    zk_make_native(&d.memory, list, count, width, &native, &report);
    (void)solve(&d, ZK_FASTEST, NULL);
    assert_memory_equal(d.x, x, (size_t)n * sizeof *x);
    zk_native_free(native);
    test_free(list);
    test_free(x);
    close_desk(&d);
}

static void test_bits(void **state)
{
    (void)state;
    check_bits(CHAIN, 40000, 8);
    check_bits(COPIES, 20000, 4);
    check_bits(LADDER, 12000, 8);
}

/* ---------------------------------------------------------------------------- memory */

static void fail_everywhere(kind what, int32_t n, bool onwards)
{
    matrix m = make_matrix(what, n, false);
    for (int64_t k = 1;; k++) {
        counting c;
        zb_memory memory;
        ze_matrix *made;
        counting_init(&c, &memory);
        c.refuse_at = k;
        c.refuse_onwards = onwards;
        zw_status status = ze_matrix_plan(&memory, &m.x, 8, 0.0, &made);
        if (c.refused == 0) {
            assert_int_equal(status, ZW_OK);
            ze_matrix_free(made);
            assert_true(k > 20);
            break;
        }
        assert_int_equal(status, ZW_ERR_MEMORY);
        assert_null(made);
        assert_nothing_held(&c, &memory);
    }
    free_matrix(&m);
}

static void test_failure(void **state)
{
    (void)state;
    fail_everywhere(CHAIN, 90, false);
    fail_everywhere(COPIES, 70, true);
    ze_matrix_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),      cmocka_unit_test(test_small_ones),
        cmocka_unit_test(test_other_values), cmocka_unit_test(test_repetition),
        cmocka_unit_test(test_large),        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_smallest),     cmocka_unit_test(test_indefinite),
        cmocka_unit_test(test_not_a_number), cmocka_unit_test(test_bits),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
