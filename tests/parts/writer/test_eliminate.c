/*
 * Elimination on nodes against dense elimination in long double: random sparse definite matrices,
 * whose entries are values, in random splits of inner and outer rows. Orders of chains and stars,
 * whose fill is known; counts of operations; running out of memory at every request.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/counting.h"
#include "eliminate.h"

enum { most = 24 };

static uint64_t random_state = 88172645463325252u;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) / 9007199254740992.0;
}

static int32_t below(int32_t limit)
{
    return (int32_t)(uniform() * limit);
}

/* ------------------------------------------------------------------- problems */

typedef struct problem {
    int32_t inner, outer, count;
    bool has[most * most];
    double S[most * most], c[most], x[most]; /* x of outer rows is given */
} problem;

/* Diagonally dominant, so that every order is stable. */
static void make_problem(problem *p, int32_t inner, int32_t outer, double density)
{
    *p = (problem){.inner = inner, .outer = outer, .count = inner + outer};
    for (int32_t i = 0; i < p->count; i++) {
        p->S[i * p->count + i] = 0.5;
        p->c[i] = uniform() - 0.5;
        p->x[i] = uniform() - 0.5;
    }
    for (int32_t i = 0; i < p->count; i++) {
        p->has[i * p->count + i] = true;
        for (int32_t j = 0; j < i; j++) {
            if (uniform() >= density) continue;
            double s = uniform() - 0.5;
            p->has[i * p->count + j] = true; /* in one triangle only */
            p->S[i * p->count + j] = p->S[j * p->count + i] = s;
            p->S[i * p->count + i] += fabs(s);
            p->S[j * p->count + j] += fabs(s);
        }
    }
}

/* The same by plain loops, in the order of the numbers: S and c of outer rows are left in place;
 * x of inner rows from that of outer ones. */
typedef struct answer {
    long double S[most * most], c[most], x[most];
} answer;

static void solve_dense(const problem *p, answer *a)
{
    int32_t n = p->count;
    for (int32_t k = 0; k < n * n; k++) a->S[k] = (long double)p->S[k];
    for (int32_t k = 0; k < n; k++) a->c[k] = (long double)p->c[k], a->x[k] = (long double)p->x[k];
    for (int32_t j = 0; j < p->inner; j++)
        for (int32_t i = j + 1; i < n; i++) {
            long double l = a->S[i * n + j] / a->S[j * n + j];
            for (int32_t k = j; k < n; k++) a->S[i * n + k] -= l * a->S[j * n + k];
            a->c[i] -= l * a->c[j];
        }
    for (int32_t j = p->inner - 1; j >= 0; j--) {
        a->x[j] = a->c[j];
        for (int32_t k = j + 1; k < n; k++) a->x[j] -= a->S[j * n + k] * a->x[k];
        a->x[j] /= a->S[j * n + j];
    }
}

/* ---------------------------------------------------------------------- nodes */

/* Values: S by rows, then c, then x. */
typedef struct nodes {
    zb_memory memory;
    jmp_buf escape;
    zx_pool pool;
    zb_arena scratch;
    ze_elimination e;
    zx_node S[most * most], L[most * most], right[most], inverse[most], x[most];
    int32_t order[most];
    bool fills[most * most];
    int64_t predicted;
} nodes;

static double value_of(void *user, const zx_item *leaf)
{
    const problem *p = user;
    int32_t n = p->count, k = leaf->a;
    return k < n * n ? p->S[k] : k < n * n + n ? p->c[k - n * n] : p->x[k - n * n - n];
}

static void write_nodes(nodes *t, const problem *p)
{
    int32_t n = p->count;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            t->S[i * n + j] = p->has[i * n + j] && i >= j ? zx_leaf(&t->pool, ZX_VALUE, i * n + j)
                                                          : zx_number(&t->pool, 0.0);
    for (int32_t i = 0; i < n; i++) {
        t->right[i] = zx_leaf(&t->pool, ZX_VALUE, n * n + i);
        t->x[i] = i < p->inner ? ZX_NONE : zx_leaf(&t->pool, ZX_VALUE, n * n + n + i);
    }
    memcpy(t->fills, p->has, sizeof t->fills);
    t->e = (ze_elimination){.pool = &t->pool,
                            .inner = p->inner,
                            .outer = p->outer,
                            .S = t->S,
                            .right = t->right,
                            .order = t->order,
                            .inverse = t->inverse,
                            .L = t->L};
}

static nodes *open_nodes(const problem *p)
{
    nodes *t = calloc(1, sizeof *t);
    zb_memory_init(&t->memory, NULL);
    zx_pool_init(&t->pool, &t->memory, &t->escape, true);
    zb_arena_init(&t->scratch, &t->memory, 0);
    t->scratch.escape = &t->escape;
    if (setjmp(t->escape) != 0) fail();
    write_nodes(t, p);
    t->predicted = ze_order_rows(&t->scratch, p->inner, p->outer, t->fills, t->order);
    return t;
}

static void close_nodes(nodes *t)
{
    zx_pool_free(&t->pool);
    zb_arena_clear(&t->scratch);
    assert_int_equal(t->memory.held, 0);
    free(t);
}

static void expect(nodes *t, problem *p, zx_node node, long double exact)
{
    double found = zx_evaluate(&t->pool, node, value_of, p);
    assert_true(fabsl((long double)found - exact) < 1e-13L * (1 + fabsl(exact)));
}

/* ---------------------------------------------------------------------- tests */

static void random_matrices_agree(void **state)
{
    (void)state;
    for (int32_t trial = 0; trial < 200; trial++) {
        problem p;
        answer a;
        make_problem(&p, 1 + below(most - 6), below(6), 0.05 + 0.6 * uniform());
        solve_dense(&p, &a);
        nodes *t = open_nodes(&p);
        int32_t n = p.count;
        zx_node other[most];
        memcpy(other, t->right, sizeof other);
        ze_eliminate(&t->e, true);
        ze_substitute_back(&t->e, t->x);
        ze_substitute_forward(&t->e, other);
        for (int32_t i = 0; i < p.inner; i++) expect(t, &p, t->x[i], a.x[i]);
        for (int32_t i = p.inner; i < n; i++) {
            expect(t, &p, t->right[i], a.c[i]);
            for (int32_t j = p.inner; j <= i; j++) {
                expect(t, &p, t->S[i * n + j], a.S[i * n + j]);
                bool zero = t->S[i * n + j] == zx_number(&t->pool, 0.0);
                assert_int_equal(t->fills[i * n + j], !zero);
            }
        }
        for (int32_t i = 0; i < n; i++)
            expect(t, &p, other[i], /* the same nodes' numbers */
                   (long double)zx_evaluate(&t->pool, t->right[i], value_of, &p));
        close_nodes(t);
    }
}

/* Without the outer rows: the answer of the inside alone, outer rows as they were. */
static void the_inside_alone(void **state)
{
    (void)state;
    for (int32_t trial = 0; trial < 50; trial++) {
        problem p, inside;
        answer a;
        make_problem(&p, 1 + below(12), 1 + below(5), 0.3);
        inside = p;
        for (int32_t i = p.inner; i < p.count; i++) inside.x[i] = 0.0;
        solve_dense(&inside, &a);
        nodes *t = open_nodes(&p);
        zx_node before[most * most];
        memcpy(before, t->S, sizeof before);
        ze_eliminate(&t->e, false);
        ze_substitute_back(&t->e, t->x);
        for (int32_t i = 0; i < p.inner; i++) expect(t, &p, t->x[i], a.x[i]);
        size_t rest = (size_t)p.inner * (size_t)p.count;
        for (int32_t i = p.inner; i < p.count; i++)
            assert_int_equal(t->right[i], zx_leaf(&t->pool, ZX_VALUE, p.count * p.count + i));
        assert_memory_equal(before + rest, t->S + rest,
                            sizeof *before * (size_t)p.outer * (size_t)p.count);
        close_nodes(t);
    }
}

/* A chain between two outer rows: every pivot has two neighbours. */
static void chains_do_not_fill(void **state)
{
    (void)state;
    problem p;
    make_problem(&p, 10, 2, 0.0);
    int32_t n = p.count;
    for (int32_t i = 0; i + 1 < 10; i++) p.has[(i + 1) * n + i] = true;
    p.has[10 * n] = p.has[11 * n + 9] = true;
    nodes *t = open_nodes(&p);
    ze_eliminate(&t->e, true);
    ze_substitute_back(&t->e, t->x);
    zx_node roots[] = {t->right[10], t->right[11], t->S[10 * n + 10], t->S[11 * n + 10],
                       t->S[11 * n + 11]};
    zx_node all[15];
    memcpy(all, roots, sizeof roots);
    memcpy(all + 5, t->x, sizeof *all * 10);
    int64_t made = zx_operation_count(&t->pool, all, 15);
    assert_int_equal(t->predicted, 10 * (2 + 2 + 6 + 8));
    /* one outer row is carried along: there the first subtraction of nine entries, and one of the
     * entry between the outer rows, are from 0 */
    assert_int_equal(made, t->predicted - 10);
    for (int32_t k = 1; k < 10; k++) assert_int_equal(t->order[k], t->order[k - 1] + 1);
    close_nodes(t);
}

/* The same with its rows in no order: without the outer rows it fills nowhere either. */
static void scrambled_chains_do_not_fill(void **state)
{
    (void)state;
    for (int32_t trial = 0; trial < 20; trial++) {
        problem p;
        int32_t place[20], filled = 0;
        make_problem(&p, 20, 2, 0.0);
        for (int32_t k = 0; k < 20; k++) {
            int32_t other = below(k + 1);
            place[k] = place[other];
            place[other] = k;
        }
        for (int32_t k = 0; k + 1 < 20; k++) p.has[place[k] * 22 + place[k + 1]] = true;
        p.has[20 * 22 + place[0]] = p.has[21 * 22 + place[19]] = true;
        nodes *t = open_nodes(&p);
        for (int32_t k = 0; k + 1 < 20; k++) { /* either triangle of the pattern */
            int32_t i = place[k], j = place[k + 1], high = i > j ? i : j, low = i > j ? j : i;
            t->S[high * 22 + low] = zx_leaf(&t->pool, ZX_VALUE, high * 22 + low);
        }
        ze_eliminate(&t->e, false);
        for (int32_t k = 0; k < 22 * 22; k++) filled += t->L[k] != zx_number(&t->pool, 0.0);
        assert_int_equal(filled, 19);
        close_nodes(t);
    }
}

/* A star: its centre goes last. */
static void stars_do_not_fill(void **state)
{
    (void)state;
    problem p;
    make_problem(&p, 9, 0, 0.0);
    for (int32_t i = 1; i < 9; i++) p.has[i * 9] = true;
    nodes *t = open_nodes(&p);
    assert_true(t->order[8] == 0 || t->order[7] == 0); /* of the last two either */
    int64_t fill = 0;
    for (int32_t k = 0; k < 81; k++) fill += t->fills[k];
    assert_int_equal(fill, 9 + 2 * 8);
    close_nodes(t);
}

static void full_where_no_pattern_is_given(void **state)
{
    (void)state;
    problem p;
    make_problem(&p, 5, 2, 1.0);
    nodes *t = open_nodes(&p);
    int32_t order[5];
    assert_int_equal(ze_order_rows(&t->scratch, 5, 2, NULL, order), t->predicted);
    assert_memory_equal(order, t->order, sizeof order);
    close_nodes(t);
}

/* The k-th request fails: a jump, and everything is given back. */
static bool try_with(int64_t refuse_at, const problem *p)
{
    counting c;
    nodes *t = calloc(1, sizeof *t);
    volatile bool done = false;
    counting_init(&c, &t->memory);
    c.refuse_at = refuse_at;
    zx_pool_init(&t->pool, &t->memory, &t->escape, true);
    zb_arena_init(&t->scratch, &t->memory, 0);
    t->scratch.escape = &t->escape;
    if (setjmp(t->escape) == 0) {
        write_nodes(t, p);
        ze_order_rows(&t->scratch, p->inner, p->outer, t->fills, t->order);
        ze_eliminate(&t->e, true);
        ze_substitute_back(&t->e, t->x);
        done = true;
    }
    assert_int_equal(c.refused, !done);
    zx_pool_free(&t->pool);
    zb_arena_clear(&t->scratch);
    assert_nothing_held(&c, &t->memory);
    free(t);
    return done;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    problem p;
    make_problem(&p, 16, 4, 0.3);
    int64_t k = 1;
    while (!try_with(k, &p)) k++;
    assert_true(k > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices_agree), cmocka_unit_test(the_inside_alone),
        cmocka_unit_test(chains_do_not_fill),    cmocka_unit_test(scrambled_chains_do_not_fill),
        cmocka_unit_test(stars_do_not_fill),     cmocka_unit_test(full_where_no_pattern_is_given),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
