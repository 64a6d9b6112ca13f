/*
 * The sparse solver with a factor by parts as well as its ordinary one: the same answers and ranks
 * as without, for independent and for repeated rows; parts are used where they serve, and not where
 * they say that they found no factor.
 */
#include "../../base/counting.h"

#include <math.h>

#include "gauss.h"
#include "parts.h"
#include "system.h"

/* ze_factoring, counted, and refused on demand. */
static int factors, solves;
static bool refuse;

static void counted_factor(void *factor, const double *values, za_pivots *pivots)
{
    factors++;
    ze_factoring.factor(factor, values, pivots);
    if (refuse) *pivots = (za_pivots){.negative = 1};
}

static void counted_solve(const void *factor, double *x, double *work)
{
    solves++;
    assert_false(refuse);
    ze_factoring.solve(factor, x, work);
}

static za_factoring counted(void)
{
    za_factoring table = ze_factoring;
    table.factor = counted_factor;
    table.solve = counted_solve;
    return table;
}

/* A hanging chain of rods in the plane; of every `again`-th rod the row is there twice. */
typedef struct rods {
    int32_t n, m;
    int32_t *M_start, *M_column, *A_start, *A_column;
    double *M, *A, *Q, *b;
    uint64_t seed;
} rods;

static double uniform(rods *r)
{
    r->seed += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(zb_hash_scramble(r->seed) >> 11) * 0x1p-53;
}

static void add_rod(rods *r, int32_t k, double dx, double dy)
{
    int32_t *at = &r->A_start[r->m + 1];
    *at = r->A_start[r->m];
    for (int32_t side = k > 0 ? -1 : 0; side < 1; side++) {
        double sign = side < 0 ? -1.0 : 1.0;
        r->A_column[*at] = 2 * (k + side);
        r->A[(*at)++] = sign * dx;
        r->A_column[*at] = 2 * (k + side) + 1;
        r->A[(*at)++] = sign * dy;
    }
    r->b[r->m++] = dx + dy;
}

static rods make_rods(int32_t bodies, int32_t again)
{
    rods r = {.n = 2 * bodies, .seed = (uint64_t)bodies};
    size_t n = (size_t)r.n, rows = 2 * (size_t)bodies;
    r.M_start = test_malloc((n + 1) * sizeof *r.M_start);
    r.M_column = test_malloc(n * sizeof *r.M_column);
    r.M = test_malloc(n * sizeof *r.M);
    r.Q = test_malloc(n * sizeof *r.Q);
    r.A_start = test_calloc(rows + 1, sizeof *r.A_start);
    r.A_column = test_malloc(4 * rows * sizeof *r.A_column);
    r.A = test_malloc(4 * rows * sizeof *r.A);
    r.b = test_malloc(rows * sizeof *r.b);
    for (int32_t i = 0; i < r.n; i++) {
        r.M_start[i] = r.M_column[i] = i;
        r.M[i] = 1.0 + 0.5 * uniform(&r);
        r.Q[i] = uniform(&r) - 0.5;
    }
    r.M_start[r.n] = r.n;
    for (int32_t k = 0; k < bodies; k++) {
        double dx = uniform(&r) - 0.5, dy = -1.0;
        add_rod(&r, k, dx, dy);
        if (again > 0 && k % again == 0) add_rod(&r, k, dx, dy);
    }
    return r;
}

static void free_rods(rods *r)
{
    void *all[] = {r->M_start, r->M_column, r->M, r->Q, r->A_start, r->A_column, r->A, r->b};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) test_free(all[k]);
}

static zg_structure structure_of(const rods *r)
{
    return (zg_structure){
        .n = r->n,
        .m = r->m,
        .M = {.rows = r->n, .columns = r->n, .start = r->M_start, .column = r->M_column},
        .A = {.rows = r->m, .columns = r->n, .start = r->A_start, .column = r->A_column},
        .solver = ZW_SOLVER_SPARSE};
}

/* z [n], the rank; returns the predicted cost. */
static double answer(const rods *r, const za_factoring *lanes, double *z, int32_t *rank)
{
    zb_memory memory;
    zg_system *g;
    zw_gauss_rank_info info = {0};
    zb_memory_init(&memory, NULL);
    zg_structure is = structure_of(r);
    is.parts_factoring = lanes;
    is.parts_cost = ze_factoring_cost;
    assert_int_equal(zg_system_plan(&memory, &is, &g), ZW_OK);
    assert_int_equal(zg_system_factor(g, &(zg_values){.M = r->M, .A = r->A}), ZW_OK);
    double lost = 0.0, *lambda = test_malloc((size_t)r->m * sizeof *lambda);
    assert_int_equal(zg_system_apply(g, r->Q, r->b, z, lambda, NULL, &lost), ZW_OK);
    assert_int_equal(zg_system_rank(g, &info), ZW_OK);
    *rank = info.rank;
    double cost = zg_system_cost(g);
    zg_system_free(g);
    test_free(lambda);
    assert_int_equal(memory.held, 0);
    return cost;
}

static void check(int32_t bodies, int32_t again, bool refused)
{
    rods r = make_rods(bodies, again);
    za_factoring table = counted();
    double *z = test_malloc((size_t)r.n * sizeof *z), *y = test_malloc((size_t)r.n * sizeof *y);
    double off = 0.0, size = 0.0;
    int32_t rank = 0, other = 0;
    factors = solves = 0;
    refuse = refused;
    double plain = answer(&r, NULL, y, &rank), cost = answer(&r, &table, z, &other);
    assert_true(cost < plain);
    assert_true(factors > 0);
    if (again == 0) assert_int_equal(solves > 0, !refused);
    assert_int_equal(rank, bodies);
    assert_int_equal(other, bodies);
    for (int32_t i = 0; i < r.n; i++) {
        off = fmax(off, fabs(z[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    if (!(off <= 1e-11 * size)) fail_msg("%d bodies: off by %g of %g", bodies, off, size);
    test_free(z);
    test_free(y);
    free_rods(&r);
}

static void test_independent(void **state)
{
    (void)state;
    check(600, 0, false);
    check(2000, 0, false);
}

static void test_repeated_rows(void **state)
{
    (void)state;
    check(600, 5, false);
}

static void test_refused(void **state)
{
    (void)state;
    check(600, 0, true);
}

/* Every allocation of planning. */
static void test_failure(void **state)
{
    (void)state;
    rods r = make_rods(120, 0);
    zg_structure is = structure_of(&r);
    is.parts_factoring = &ze_factoring;
    is.parts_cost = ze_factoring_cost;
    for (int64_t k = 1;; k++) {
        counting c;
        zb_memory memory;
        zg_system *g = NULL;
        counting_init(&c, &memory);
        c.refuse_at = k;
        zw_status status = zg_system_plan(&memory, &is, &g);
        assert_int_equal(status, c.refused > 0 ? ZW_ERR_MEMORY : ZW_OK);
        if (status == ZW_OK) zg_system_free(g);
        assert_nothing_held(&c, &memory);
        if (c.refused == 0) break;
    }
    free_rods(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_independent),
        cmocka_unit_test(test_repeated_rows),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
