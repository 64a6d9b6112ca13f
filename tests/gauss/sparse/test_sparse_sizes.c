/*
 * test_sparse_sizes.c: each form of the sparse solver by itself, and systems of a hundred rows and
 * more. The forms are forced, whichever the solver would have chosen.
 */
#include "sparse_check.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Each form in turn, whichever the solver would have chosen. */
static void examine_forms(zb_memory *memory, tally *t, const net_kind *kind, uint64_t seed)
{
    static const zg_sparse_form *const forms[] = {&zg_sparse_K, &zg_sparse_S, &zg_sparse_H};
    sparse_problem *p = net_make(kind, seed);
    bool singular = net_rank(p, true, false) < p->is.n;
    long_oracle truth = long_solve(p, net_rank(p, false, true), singular);
    bool skipped = tally_leaves_out(t, &truth);
    for (int32_t k = 0; k < 3 && !skipped; k++) {
        outcome o = solved_in_form(memory, p, forms[k]);
        if (o.served) outcome_compare(t, p, forms[k]->name, &o, &truth, singular);
        /* S needs blocks, and neither S nor K a mass that is not there. */
        bool must =
            k == 2 || (kind->mass < MASS_GENERAL && (k == 0 || kind->weight < WEIGHT_BLOCKS));
        tally_true(t, p, forms[k]->name, "served", o.served || !must);
        outcome_free(&o);
    }
    long_free(&truth);
    net_free(p);
}

static void test_every_form(void **state)
{
    tally t = {0};
    for (int32_t k = 0; k < NET_KINDS; k++) {
        net_kind kind = net_kind_of(k, 2, 10 + k % 17);
        examine_forms(*state, &t, &kind, (uint64_t)(5000 + k));
    }
    tally_finish(&t, 150 * 45);
}

/* The same with more rows. */
static void test_a_hundred_rows(void **state)
{
    tally t = {0};
    for (int32_t k = 0; k < NET_KINDS; k += 11) {
        net_kind kind = net_kind_of(k, k, 60 + k % 41);
        if (kind.weight == WEIGHT_FULL) kind.weight = WEIGHT_DECADES;
        outcome_examine(*state, &t, &kind, (uint64_t)(10000 + k));
    }
    tally_finish(&t, 15 * 30);
}

/* Sparse against dense, where nothing slower can be waited for. */
static void test_hundreds_of_rows(void **state)
{
    tally t = {0};
    for (int32_t k = 0; k < NET_SHAPES * 3; k++) {
        net_kind kind = net_kind_of(k + NET_SHAPES * NET_MASSES * (k % 3), k % 3, 150 + 6 * k);
        if (kind.weight == WEIGHT_FULL) kind.weight = WEIGHT_BLOCKS;
        if (kind.mass >= MASS_ZERO_ROWS) kind.mass = MASS_GENERAL;
        sparse_problem *p = net_make(&kind, (uint64_t)(20000 + k));
        outcome dense = solved_by(*state, p, ZW_SOLVER_DENSE);
        outcome sparse = solved_by(*state, p, ZW_SOLVER_SPARSE);
        assert_int_equal(dense.status, ZW_OK);
        long_oracle truth = outcome_as_truth(p, &dense);
        outcome_compare(&t, p, "sparse", &sparse, &truth, false);
        outcome_free(&dense);
        outcome_free(&sparse);
        net_free(p);
    }
    tally_finish(&t, 27 * 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form),
        cmocka_unit_test(test_a_hundred_rows),
        cmocka_unit_test(test_hundreds_of_rows),
    };
    return cmocka_run_group_tests(tests, memory_prepare, memory_complete);
}
