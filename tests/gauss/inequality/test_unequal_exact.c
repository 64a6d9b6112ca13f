/*
 * test_unequal_exact.c: inequalities against enumeration in exact arithmetic (unequal_oracle.h).
 *
 * Thousands of small problems of every kind: the same acceleration, the same rows in conflict and by
 * as much, the same shares and which of them are unique, the same closed rows. Then that scaling
 * rows (with their weights) or coordinates changes nothing, nor the order of rows; and that the
 * conditions, recomputed here, hold.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "slow.h"
#include "unequal_found.h"
#include "unequal_oracle.h"

static zw_gauss *plan(zw_context *context, const unequal_problem *p)
{
    zw_gauss *g = NULL;
    zw_gauss_shape shape = {
        .n = p->n, .m = p->m, .inequalities = p->inequalities, .weight = ZW_FULL};
    assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_OK);
    return g;
}

static void solve(zw_gauss *g, const unequal_problem *p, found *x)
{
    found_prepare(x);
    x->status = zw_gauss_factor(g, p->M, p->A, p->W);
    if (x->status == ZW_OK)
        x->status = zw_gauss_solve(g, p->Q, p->b, p->with_C ? p->C : NULL, &x->answer);
}

/* What was compared, and how it came out. */
typedef struct tally {
    int32_t problems, undetermined, missed, conflicts, redundant, failures;
    double worst_z, worst_share, worst_r, worst_certificate;
} tally;

static void blame(tally *t, uint64_t seed, const char *what, double value)
{
    if (t->failures++ < 20)
        print_error("seed %llu: %s %.3g\n", (unsigned long long)seed, what, value);
}

static void compare_flags(tally *t, uint64_t seed, const unequal_problem *p,
                          const unequal_truth *truth, const found *x)
{
    for (int32_t i = 0; i < p->m; i++) {
        if (x->active[i] != truth->closed[i]) blame(t, seed, "active", i);
        if (x->unique[i] != truth->unique[i]) blame(t, seed, "unique", i);
        if ((truth->p[i] != 0.0) != (fabs(x->proof[i]) > 1e-9 * sqrt(truth->conflict2)))
            blame(t, seed, "in conflict", i);
    }
    if (x->answer.consistent != (truth->conflict2 == 0.0)) blame(t, seed, "consistent", 0);
}

static void compare(tally *t, uint64_t seed, const unequal_problem *p, const unequal_truth *truth,
                    const found *x)
{
    double scale = 1.0 + size_of(truth->z, p->n), forces = 1.0 + size_of(truth->shares, p->m);
    double z = apart(x->z, truth->z, p->n) / scale;
    double share = apart(x->shares, truth->shares, p->m) / forces;
    double r = apart(x->r, truth->r, p->m) / (1.0 + size_of(truth->r, p->m));
    t->worst_z = fmax(t->worst_z, z);
    t->worst_share = fmax(t->worst_share, share);
    t->worst_r = fmax(t->worst_r, r);
    t->worst_certificate = fmax(t->worst_certificate, x->answer.certificate);
    if (!(z <= 1e-11)) blame(t, seed, "acceleration", z);
    if (!(share <= 1e-10)) blame(t, seed, "shares", share);
    if (!(r <= 1e-11)) blame(t, seed, "out of reach", r);
    if (!(fabs(x->answer.inconsistency_norm - sqrt(truth->conflict2)) <= 1e-11 * scale * 10.0))
        blame(t, seed, "inconsistency", x->answer.inconsistency_norm);
    if (!(x->answer.certificate <= 1e-10)) blame(t, seed, "certificate", x->answer.certificate);
    double whole = 0.0;
    for (int32_t j = 0; j < p->n; j++) {
        double force = truth->force[j] + (p->with_C ? p->C[j] : 0.0);
        whole = fmax(whole, fabs(x->force[j] - force));
        whole = fmax(whole, fabs(x->force[j] - x->ideal[j] - x->nonideal[j]));
    }
    if (!(whole <= 1e-10 * forces * 10.0)) blame(t, seed, "force", whole);
    compare_flags(t, seed, p, truth, x);
}

static void test_exact(void **state)
{
    (void)state;
    tally t = {0};
    int32_t count = unless_slow(6000, 400);
    for (int32_t k = 0; k < count; k++) {
        unequal_problem p;
        unequal_truth truth;
        found x;
        zw_context *context;
        uint64_t seed = 1000 + (uint64_t)k;
        unequal_make(&p, seed);
        unequal_solve(&p, &truth);
        assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
        zw_gauss *g = plan(context, &p);
        solve(g, &p, &x);
        t.problems++;
        t.undetermined += truth.undetermined;
        t.conflicts += truth.conflict2 > 0.0;
        for (int32_t i = 0; i < p.m; i++)
            if (!truth.undetermined && !truth.unique[i]) {
                t.redundant++;
                break;
            }
        if (truth.undetermined) {
            /* an M that is singular but for the rounding of its factor may pass for definite */
            t.missed += x.status != ZW_ERR_UNDETERMINED;
        } else if (x.status != ZW_OK) {
            blame(&t, seed, "status", x.status);
        } else {
            compare(&t, seed, &p, &truth, &x);
        }
        zw_gauss_free(g);
        zw_context_free(context);
    }
    print_message("%d problems, %d undetermined, %d in conflict, %d with shares to choose; worst "
                  "acceleration %.2g, share %.2g, reach %.2g, certificate %.2g\n",
                  t.problems, t.undetermined, t.conflicts, t.redundant, t.worst_z, t.worst_share,
                  t.worst_r, t.worst_certificate);
    if (t.failures > 0) fail_msg("%d comparisons failed", t.failures);
    assert_true(t.undetermined > count / 50 && 50 * t.missed <= t.undetermined);
    assert_true(t.conflicts > count / 10 && t.redundant > count / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_exact)};
    return cmocka_run_group_tests_name("inequalities, exactly", tests, NULL, NULL);
}
