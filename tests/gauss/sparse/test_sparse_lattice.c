/*
 * test_sparse_lattice.c: lattices whose answers are known without solving anything.
 *
 * 100 x 100 nodes, 20,000 coordinates, 29,601 rods of which 9,604 are redundant. First it is made
 * sure, without a solver, that the problem is what it is said to be: A^T W (A z - b) and
 * M z - Q - A^T lambda vanish exactly in double precision, so z is the answer.
 */
#include "sparse_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* A z - b = lost, and A^T W lost = 0, to the last bit. */
static void is_the_answer(const known_lattice *l, bool contradictory)
{
    const sparse_problem *p = l->p;
    const zg_pattern *A = &p->is.A;
    double *g = calloc((size_t)p->is.n, sizeof *g), most = 0.0;
    assert_non_null(g);
    for (int32_t i = 0; i < p->is.m; i++) {
        double r = -p->b[i];
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
            r += p->values.A[k] * l->z[A->column[k]];
        assert_true(r == l->lost[i]);
        most = fmax(most, fabs(r));
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
            g[A->column[k]] += p->values.A[k] * p->values.W[i] * r;
    }
    for (int32_t j = 0; j < p->is.n; j++) {
        assert_true(g[j] == 0.0);
        assert_true(p->values.M[j] * l->z[j] - p->Q[j] == l->force[j]);
    }
    assert_true(contradictory == (most > 0.1));
    free(g);
}

static double weighted(const double *x, const double *y, const double *W, int32_t m)
{
    double s = 0.0;
    for (int32_t i = 0; i < m; i++) s += W[i] * (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(s);
}

static double largest_apart(const double *x, const double *y, int32_t n)
{
    double most = 0.0;
    for (int32_t i = 0; i < n; i++) {
        double d = fabs(x[i] - y[i]);
        if (!(d <= most)) most = d;
    }
    return most;
}

/* z, b and the forces are of the size of 1 to 10, entry by entry. */
static void compare(tally *t, const known_lattice *l, const char *who, const outcome *o)
{
    const sparse_problem *p = l->p;
    int32_t n = p->is.n, m = p->is.m;
    tally_true(t, p, who, "solved", o->status == ZW_OK);
    if (o->status != ZW_OK) return;
    bool contradictory = p->kind.extra == EXTRA_CONTRADICTORY;
    double lost = 0.0;
    for (int32_t i = 0; i < m; i++) lost += p->values.W[i] * l->lost[i] * l->lost[i];
    tally_below(t, p, who, "acceleration", largest_apart(o->z, l->z, n), 1e-10);
    tally_below(t, p, who, "ideal", largest_apart(o->ideal, l->force, n), 1e-10);
    tally_below(t, p, who, "nonideal", size_of(o->nonideal, n), 1e-10);
    tally_below(t, p, who, "residual", largest_apart(o->residual, l->lost, m), 1e-10);
    tally_below(t, p, who, "lost", weighted(o->lost, l->lost, p->values.W, m),
                1e-10 * (1 + sqrt(lost)));
    tally_below(t, p, who, "inconsistency_norm", fabs(o->answer.inconsistency_norm - sqrt(lost)),
                1e-10 * (1 + sqrt(lost)));
    tally_true(t, p, who, "consistent", o->answer.consistent == !contradictory);
    tally_true(t, p, who, "rank", o->answer.rank == n - 3); /* it moves as one body */
    tally_true(t, p, who, "rank by itself", o->rank.rank == n - 3 && !o->rank.ambiguous);
}

/* A^T lambda is the force, and lambda = W A y for some y: no other has a smaller norm, because
 * lambda^T W^-1 s = 0 for every self-stress s; here for random hexagons through the lost part of
 * a second problem. */
static void least_norm(tally *t, const known_lattice *l, const known_lattice *other,
                       const char *who, const outcome *o)
{
    const sparse_problem *p = l->p;
    double product = 0.0, size = 0.0;
    for (int32_t i = 0; i < p->is.m; i++) {
        double stress = other->lost[i] * other->p->values.W[i] / p->values.W[i];
        product += o->lambda[i] * stress;
        size += fabs(o->lambda[i] * stress);
    }
    tally_below(t, p, who, "least multipliers", fabs(product), 1e-10 * size);
}

static void lattices(void **state, int32_t side, zw_solver solver, const char *who)
{
    tally t = {0};
    known_lattice stressed = lattice_make(side, true, 99);
    for (int32_t contradictory = 0; contradictory < 2; contradictory++) {
        known_lattice l = lattice_make(side, contradictory == 1, 17 + (uint64_t)side);
        is_the_answer(&l, contradictory == 1);
        outcome o = solved_by(*state, l.p, solver);
        compare(&t, &l, who, &o);
        least_norm(&t, &l, &stressed, who, &o);
        outcome_free(&o);
        lattice_free(&l);
    }
    lattice_free(&stressed);
    tally_finish(&t, 20);
}

static void test_small_dense(void **state)
{
    lattices(state, 8, ZW_SOLVER_DENSE, "dense");
}

static void test_small_sparse(void **state)
{
    lattices(state, 8, ZW_SOLVER_SPARSE, "sparse");
    lattices(state, 21, ZW_SOLVER_SPARSE, "sparse");
}

static void test_hundred_by_hundred(void **state)
{
    lattices(state, 100, ZW_SOLVER_AUTO, "sparse");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_dense),
        cmocka_unit_test(test_small_sparse),
        cmocka_unit_test(test_hundred_by_hundred),
    };
    return cmocka_run_group_tests(tests, memory_prepare, memory_complete);
}
