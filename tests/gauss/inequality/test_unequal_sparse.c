/*
 * test_unequal_sparse.c: inequalities on sparse systems.
 *
 * Nets of every kind with some rows as inequalities and some absent: the sparse solver finds what
 * the dense one does, whose answers are those of exact arithmetic (test_unequal_exact.c). Large
 * systems with known answers: a tower of a thousand blocks takes one set from nothing; chains of
 * beads on a floor a few, and one when it was right before. The dual active set by the system
 * itself, which takes over where block pivoting does not end, finds the same sets. What happens
 * when memory runs out.
 */
#include "metered.h"
#include "sparse_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unequal.h"

/* ------------------------------------------------------------------------- answers */

typedef struct result {
    zw_status status;
    zw_gauss_answer answer;
    double *z, *force, *shares, *residual, *r; /* [n], [n], [m], ... */
    bool *active, *unique;
    double *memory;
    bool *flags;
} result;

static result result_new(const sparse_problem *p)
{
    size_t n = (size_t)p->is.n, m = (size_t)p->is.m;
    result x = {.memory = calloc(2 * n + 3 * m + 1, sizeof(double)), .flags = calloc(2 * m + 1, 1)};
    assert_true(x.memory != NULL && x.flags != NULL);
    x.z = x.memory, x.force = x.z + n, x.shares = x.force + n, x.residual = x.shares + m;
    x.r = x.residual + m, x.active = x.flags, x.unique = x.flags + m;
    x.answer = (zw_gauss_answer){.acceleration = x.z,
                                 .force = x.force,
                                 .shares = x.shares,
                                 .residual = x.residual,
                                 .inconsistency = x.r,
                                 .active = x.active,
                                 .unique = x.unique};
    return x;
}

static void result_free(result *x)
{
    free(x->memory);
    free(x->flags);
}

static zg_inequality *planned(zb_memory *memory, const sparse_problem *p, zw_solver solver)
{
    zg_structure is = p->is;
    zg_inequality *q = NULL;
    is.solver = solver;
    assert_int_equal(zg_inequality_plan(memory, &is, &q), ZW_OK);
    return q;
}

static void solve(zg_inequality *q, const sparse_problem *p, const uint8_t *kind, result *x)
{
    x->status = zg_inequality_factor(q, &p->values, kind);
    if (x->status == ZW_OK)
        x->status = zg_inequality_solve(q, p->Q, p->b, p->with_C ? p->C : NULL, &x->answer);
}

/* A third are inequalities, one in twelve is absent; what M does not resist is held. */
static uint8_t *draw_kinds(const sparse_problem *p, uint64_t seed)
{
    uint8_t *kind = calloc((size_t)p->is.m + 1, 1);
    assert_non_null(kind);
    for (int32_t i = 0; i < p->is.m; i++) {
        int32_t k = random_integer(&seed, 0, 11);
        kind[i] = k == 0 ? ZG_ABSENT : k < 5 ? ZG_AT_LEAST : ZG_EQUATION;
    }
    return kind;
}

/* ------------------------------------------------------------- dense and sparse */

static void compare(tally *t, const sparse_problem *p, const result *dense, const result *sparse)
{
    int32_t n = p->is.n, m = p->is.m;
    double motion = 1.0 + size_of(dense->z, n), force = 1.0 + size_of(dense->force, n);
    double rows = 1.0 + size_of(p->b, m), shares = 1.0 + size_of(dense->shares, m);
    tally_below(t, p, "sparse", "acceleration", distance_of(dense->z, sparse->z, n), 1e-8 * motion);
    tally_below(t, p, "sparse", "force", distance_of(dense->force, sparse->force, n), 1e-8 * force);
    tally_below(t, p, "sparse", "out of reach", distance_of(dense->r, sparse->r, m), 1e-8 * rows);
    tally_below(t, p, "sparse", "shares", distance_of(dense->shares, sparse->shares, m),
                1e-6 * shares);
    tally_below(t, p, "sparse", "certificate", sparse->answer.certificate, 1e-8);
    tally_below(t, p, "dense", "certificate", dense->answer.certificate, 1e-10);
    int32_t flags = 0;
    for (int32_t i = 0; i < m; i++) flags += dense->active[i] != sparse->active[i];
    tally_true(t, p, "sparse", "active", flags == 0);
}

static void test_dense_and_sparse(void **state)
{
    tally t = {0};
    int32_t conflicts = 0, refused = 0, undetermined = 0, missed = 0;
    for (int32_t k = 0; k < 3 * NET_KINDS; k++) {
        net_kind net = net_kind_of(k % NET_KINDS, k / NET_KINDS, 18);
        sparse_problem *p = net_make(&net, 30000 + (uint64_t)k);
        uint8_t *kind = draw_kinds(p, (uint64_t)k);
        result dense = result_new(p), sparse = result_new(p);
        zg_inequality *a = planned(*state, p, ZW_SOLVER_DENSE);
        zg_inequality *b = planned(*state, p, ZW_SOLVER_SPARSE);
        solve(a, p, kind, &dense);
        solve(b, p, kind, &sparse);
        t.systems++;
        if (dense.status == ZW_ERR_UNDETERMINED) {
            undetermined++;
            missed += sparse.status != ZW_ERR_UNDETERMINED;
        } else {
            tally_true(&t, p, "dense", "solved", dense.status == ZW_OK);
            refused += sparse.status != ZW_OK;
            if (dense.status == ZW_OK && sparse.status == ZW_OK) {
                compare(&t, p, &dense, &sparse);
                conflicts += !dense.answer.consistent;
            }
        }
        zg_inequality_free(a);
        zg_inequality_free(b);
        result_free(&dense);
        result_free(&sparse);
        free(kind);
        net_free(p);
    }
    print_message("%d systems, %d undetermined, %d in conflict, %d not answered by sparse\n",
                  t.systems, undetermined, conflicts, refused);
    tally_finish(&t, 2000);
    assert_true(conflicts > 20 && 25 * refused < t.systems && 10 * missed < undetermined);
}

/* ------------------------------------------------------------------- known answers */

/* Rows of two entries, M diagonal. */
typedef struct chain {
    sparse_problem p;
    int32_t *start, *column, *diagonal;
    double *value, *M;
    uint8_t *kind;
} chain;

static chain chain_new(int32_t n, int32_t m)
{
    chain c = {.start = calloc((size_t)m + 1, 4), .column = calloc(2 * (size_t)m + 1, 4)};
    c.diagonal = calloc(2 * (size_t)n + 2, 4);
    c.value = calloc(2 * (size_t)m + 1, sizeof(double));
    c.M = calloc((size_t)n + 1, sizeof(double));
    c.kind = calloc((size_t)m + 1, 1);
    c.p.Q = calloc((size_t)n + 1, sizeof(double));
    c.p.b = calloc((size_t)m + 1, sizeof(double));
    assert_true(c.start && c.column && c.diagonal && c.value && c.M && c.kind && c.p.Q && c.p.b);
    for (int32_t j = 0; j <= n; j++) c.diagonal[j] = j;
    c.p.is = (zg_structure){.n = n, .m = m};
    c.p.is.M = (zg_pattern){n, n, c.diagonal, c.diagonal};
    c.p.is.A = (zg_pattern){m, n, c.start, c.column};
    c.p.values = (zg_values){.M = c.M, .A = c.value};
    return c;
}

static void chain_free(chain *c)
{
    void *all[] = {c->start, c->column, c->diagonal, c->value, c->M, c->kind, c->p.Q, c->p.b};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

/* The next row: value at column j, other at column k > j (k < 0: none). */
static void chain_row(chain *c, int32_t i, int32_t j, double value, int32_t k, double other,
                      uint8_t kind)
{
    int32_t at = c->start[i];
    c->column[at] = j, c->value[at++] = value;
    if (k >= 0) c->column[at] = k, c->value[at++] = other;
    c->start[i + 1] = at;
    c->kind[i] = kind;
}

/* Block upon block: z_1 >= 0, z_i+1 - z_i >= 0. Nothing moves, contact i carries what is above. */
static void test_tower(void **state)
{
    enum { blocks = 1000 };
    chain c = chain_new(blocks, blocks);
    for (int32_t i = 0; i < blocks; i++) {
        c.M[i] = 1.0 + i % 3;
        c.p.Q[i] = -9.81 * c.M[i];
        if (i == 0)
            chain_row(&c, i, 0, 1.0, -1, 0.0, ZG_AT_LEAST);
        else
            chain_row(&c, i, i - 1, -1.0, i, 1.0, ZG_AT_LEAST);
    }
    zg_inequality *q = planned(*state, &c.p, ZW_SOLVER_AUTO);
    assert_null(zg_system_dense(zg_inequality_system(q)));
    result x = result_new(&c.p);
    solve(q, &c.p, c.kind, &x);
    assert_int_equal(x.status, ZW_OK);
    assert_int_equal(x.answer.trials, 1);
    double above = 0.0;
    for (int32_t i = blocks; i-- > 0;) {
        above += 9.81 * c.M[i];
        assert_true(fabs(x.z[i]) <= 1e-9 && x.active[i] && x.unique[i]);
        assert_true(fabs(x.shares[i] - above) <= 1e-10 * above);
    }
    /* the upper half is pulled up: it leaves, all of it together */
    for (int32_t i = blocks / 2; i < blocks; i++) c.p.Q[i] = 2.0 * c.M[i];
    solve(q, &c.p, c.kind, &x);
    assert_int_equal(x.status, ZW_OK);
    for (int32_t i = 0; i < blocks; i++) {
        assert_true(fabs(x.z[i] - (i < blocks / 2 ? 0.0 : 2.0)) <= 1e-9);
        assert_true(x.active[i] == (i != blocks / 2));
    }
    print_message("a tower of %d blocks: one set; half of it pulled up: %d\n", blocks,
                  x.answer.trials);
    zg_inequality_free(q);
    result_free(&x);
    chain_free(&c);
}

/* Beads joined by springs hard enough to be rods, half of them over a floor that pushes: many
 * contacts of which about half close; random forces. */
static void make_beads(chain *c, int32_t beads, double turn)
{
    int32_t rows = 0;
    uint64_t s = 11;
    for (int32_t i = 0; i < beads; i++) {
        c->M[i] = random_real(&s, 0.5, 2.0);
        c->p.Q[i] = sin(0.37 * i + turn) + random_real(&s, -1.0, 1.0);
    }
    for (int32_t i = 0; i + 1 < beads; i += 2)
        chain_row(c, rows++, i, -1.0, i + 1, random_real(&s, 0.5, 1.5), ZG_EQUATION);
    for (int32_t i = 0; i < beads; i += 3) {
        c->p.b[rows] = random_real(&s, -0.5, 0.1);
        chain_row(c, rows++, i, 1.0, i + 1 < beads ? i + 1 : -1, 0.3, ZG_AT_LEAST);
    }
    c->p.is.m = c->p.is.A.rows = rows;
}

/* The conditions from the data. */
static void expect_conditions(const chain *c, const result *x)
{
    double most = 1.0, *rest = calloc((size_t)c->p.is.n + 1, sizeof *rest);
    assert_non_null(rest);
    for (int32_t i = 0; i < c->p.is.m; i++) most = fmax(most, fabs(x->shares[i]));
    for (int32_t j = 0; j < c->p.is.n; j++) rest[j] = c->M[j] * x->z[j] - c->p.Q[j];
    for (int32_t i = 0; i < c->p.is.m; i++) {
        double slack = -c->p.b[i];
        for (int32_t k = c->start[i]; k < c->start[i + 1]; k++) {
            slack += c->value[k] * x->z[c->column[k]];
            rest[c->column[k]] -= c->value[k] * x->shares[i];
        }
        if (c->kind[i] == ZG_EQUATION) {
            assert_true(fabs(slack) <= 1e-11);
            continue;
        }
        assert_true(slack >= -1e-11 && x->shares[i] >= 0.0);
        assert_true(x->shares[i] * slack <= 1e-11 * most);
    }
    for (int32_t j = 0; j < c->p.is.n; j++) assert_true(fabs(rest[j]) <= 1e-11 * most);
    free(rest);
}

static void test_beads(void **state)
{
    enum { beads = 4000 };
    chain c = chain_new(beads, 2 * beads);
    make_beads(&c, beads, 0.0);
    zg_inequality *q = planned(*state, &c.p, ZW_SOLVER_AUTO);
    assert_null(zg_system_dense(zg_inequality_system(q)));
    result x = result_new(&c.p);
    int32_t cold = 0, warm = 0, closed = 0;
    for (int32_t turn = 0; turn < 20; turn++) {
        if (turn % 2 == 0) zg_inequality_guess(q, NULL);
        make_beads(&c, beads, turn / 2);
        solve(q, &c.p, c.kind, &x);
        assert_int_equal(x.status, ZW_OK);
        expect_conditions(&c, &x);
        cold = turn % 2 == 0 && x.answer.trials > cold ? x.answer.trials : cold;
        warm = turn % 2 == 1 && x.answer.trials > warm ? x.answer.trials : warm;
        closed = 0;
        for (int32_t i = 0; i < c.p.is.m; i++) closed += x.active[i] && c.kind[i] == ZG_AT_LEAST;
    }
    print_message("%d beads, %d contacts closed: at most %d sets from nothing, %d again\n", beads,
                  closed, cold, warm);
    assert_int_equal(warm, 1);
    assert_true(cold <= 8 && closed > beads / 20);
    zg_inequality_free(q);
    result_free(&x);
    chain_free(&c);
}

/* -------------------------------------------------------- by the system itself */

static void test_by_system(void **state)
{
    int32_t found_ones = 0;
    for (int32_t k = 0; k < NET_KINDS; k++) {
        net_kind net = net_kind_of(k, 0, 14);
        if (net.extra == EXTRA_CONTRADICTORY) continue;
        sparse_problem *p = net_make(&net, 50000 + (uint64_t)k);
        uint8_t *kind = draw_kinds(p, (uint64_t)k);
        result x = result_new(p);
        zg_inequality *q = planned(*state, p, ZW_SOLVER_SPARSE);
        solve(q, p, kind, &x);
        if (x.status == ZW_OK && x.answer.consistent) {
            bool found = false;
            zw_gauss_answer answer = {0};
            assert_int_equal(zg_search_by_system(q, &found), ZW_OK);
            assert_true(found);
            assert_int_equal(zg_try_set(q, &answer), ZW_OK);
            assert_int_equal(zg_count_bad_rows(q), 0);
            assert_true(distance_of(q->z, x.z, p->is.n) <= 1e-8 * (1.0 + size_of(x.z, p->is.n)));
            found_ones++;
        }
        zg_inequality_free(q);
        result_free(&x);
        free(kind);
        net_free(p);
    }
    assert_true(found_ones > NET_KINDS / 4);
}

/* ------------------------------------------------------------------------------ memory */

static void test_memory(void **state)
{
    (void)state;
    for (int32_t k = 0; k < 4; k++) {
        net_kind net = {
            .shape = NET_LADDER, .weight = k & 1 ? WEIGHT_BLOCKS : WEIGHT_NONE, .rows = 30};
        sparse_problem *p = net_make(&net, (uint64_t)k);
        uint8_t *kind = draw_kinds(p, 3);
        result x = result_new(p);
        zw_status status = ZW_ERR_MEMORY;
        p->is.solver = k & 2 ? ZW_SOLVER_DENSE : ZW_SOLVER_SPARSE;
        for (int64_t at = 0; status == ZW_ERR_MEMORY && at < 10000; at++) {
            meter a = {.left = at};
            zw_allocator allocator = {.resize = metered, .user = &a};
            zb_memory memory;
            zb_memory_init(&memory, &allocator);
            zg_inequality *q = NULL;
            status = zg_inequality_plan(&memory, &p->is, &q);
            a.left = status == ZW_OK ? 0 : -1; /* from here on nothing is asked for */
            if (status == ZW_OK) {
                solve(q, p, kind, &x);
                assert_int_equal(x.status, ZW_OK);
                assert_int_equal(a.left, 0);
            }
            zg_inequality_free(q);
            assert_int_equal(a.held, 0);
        }
        assert_int_equal(status, ZW_OK);
        result_free(&x);
        free(kind);
        net_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense_and_sparse),
        cmocka_unit_test(test_tower),
        cmocka_unit_test(test_beads),
        cmocka_unit_test(test_by_system),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("inequalities, sparse", tests, memory_prepare,
                                       memory_complete);
}
