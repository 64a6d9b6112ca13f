/*
 * The coefficients of the Runge-Kutta methods, seen from outside: when the j-th evaluation of f in
 * a step of length 1 returns the j-th unit vector, the argument of the i-th is the row a[i][.], the
 * new state is b, and dense output at theta is b(theta). These must satisfy the order conditions of
 * Butcher, one for every rooted tree:
 *
 *     sum b_i(theta) Phi_i(tree) = theta^order / gamma(tree),
 *     Phi_i(leaf) = 1, Phi_i(tree) = product over its branches of sum_j a_ij Phi_j(branch).
 *
 * One order higher some condition must fail, or the test would see nothing. Every pair of
 * pair_list.h is held to the orders of its own table.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "pair_list.h"

enum { most_stages = 16, most_order = 9, most_trees = 600 };

/* ---------------------------------------------------------------------- trees */

typedef struct tree {
    int order, count;
    int branch[most_order]; /* ids, not increasing */
    long double gamma;
} tree;

typedef struct forest {
    tree trees[most_trees];
    int count;
    int first[most_order + 2]; /* id of the first tree of an order */
} forest;

/* Adds every tree of an order whose branches have ids up to `largest` and `left` nodes together. */
static void grow(forest *f, tree *partial, int left, int largest)
{
    if (left == 0) {
        assert_true(f->count < most_trees);
        partial->gamma = partial->order;
        for (int i = 0; i < partial->count; i++)
            partial->gamma *= f->trees[partial->branch[i]].gamma;
        f->trees[f->count++] = *partial;
        return;
    }
    for (int id = largest; id >= 0; id--) {
        if (f->trees[id].order > left) continue;
        partial->branch[partial->count++] = id;
        grow(f, partial, left - f->trees[id].order, id);
        partial->count--;
    }
}

static void plant(forest *f)
{
    f->count = 0;
    for (int order = 1; order <= most_order; order++) {
        f->first[order] = f->count;
        tree partial = {.order = order};
        grow(f, &partial, order - 1, f->count - 1);
    }
    f->first[most_order + 1] = f->count;
}

static void trees_are_all_there(void **state)
{
    (void)state;
    static forest f;
    plant(&f);
    const int known[] = {1, 1, 2, 4, 9, 20, 48, 115, 286}; /* Cayley */
    for (int order = 1; order <= most_order; order++)
        assert_int_equal(f.first[order + 1] - f.first[order], known[order - 1]);
}

/* -------------------------------------------------------------------- probing */

typedef struct probe {
    int calls;
    double c[most_stages], a[most_stages][most_stages];
} probe;

static zw_status unit_vectors(void *user, double t, const double *y, double *dy)
{
    probe *p = user;
    assert_true(p->calls < most_stages);
    p->c[p->calls] = t;
    memcpy(p->a[p->calls], y, sizeof p->a[0]);
    for (int i = 0; i < most_stages; i++) dy[i] = i == p->calls;
    p->calls++;
    return ZW_OK;
}

static zi_stepper *probe_step(zb_memory *memory, const char *method, probe *p)
{
    *p = (probe){0};
    zb_memory_init(memory, NULL);
    zi_system system = {
        .size = most_stages, .controlled = most_stages, .user = p, .rates = unit_vectors};
    zi_settings settings = {.tol = 1.0, .abs_tol = 1e9, .step = 1.0, .end = HUGE_VAL};
    double zero[most_stages] = {0.0};
    zi_stepper *s = NULL;
    assert_int_equal(zi_open(memory, zi_find_method(method), &system, &settings, 0.0, zero, &s),
                     ZW_OK);
    assert_int_equal(zi_step(s), ZW_OK);
    assert_true(s->t == 1.0);
    return s;
}

/* Phi_i of every tree. */
static void elementary_weights(const probe *p, const forest *f,
                               long double phi[most_trees][most_stages])
{
    for (int id = 0; id < f->count; id++)
        for (int i = 0; i < most_stages; i++) {
            long double product = 1.0L;
            for (int k = 0; k < f->trees[id].count; k++) {
                long double sum = 0.0L;
                for (int j = 0; j < i; j++)
                    sum += (long double)p->a[i][j] * phi[f->trees[id].branch[k]][j];
                product *= sum;
            }
            phi[id][i] = product;
        }
}

/* The largest violation among the conditions of an order. */
static long double violation(const forest *f, long double phi[most_trees][most_stages], int order,
                             const double *b, double theta)
{
    long double worst = 0.0L;
    for (int id = f->first[order]; id < f->first[order + 1]; id++) {
        long double sum = -powl((long double)theta, order) / f->trees[id].gamma;
        for (int i = 0; i < most_stages; i++) sum += (long double)b[i] * phi[id][i];
        if (!(fabsl(sum) <= worst)) worst = fabsl(sum);
    }
    return worst;
}

static void check_conditions(const forest *f, long double phi[most_trees][most_stages],
                             const char *what, const double *b, double theta, int order)
{
    for (int r = 1; r <= order; r++) {
        long double worst = violation(f, phi, r, b, theta);
        if (!(worst < 2e-14L)) fail_msg("%s, order %d: off by %.2Le", what, r, worst);
    }
    long double next = violation(f, phi, order + 1, b, theta);
    printf("%s at %.2f: order %d to %.1Le, the next is off by %.1Le\n", what, theta, order,
           violation(f, phi, order, b, theta), next);
    assert_true(next > 1e-8L);
}

static void check_method(const char *method, int order, int dense_order, int step_calls,
                         int dense_calls)
{
    static forest f;
    static long double phi[most_trees][most_stages];
    zb_memory memory;
    probe p;
    plant(&f);
    zi_stepper *s = probe_step(&memory, method, &p);
    assert_int_equal(p.calls, step_calls);
    double b[most_stages], dense[most_stages];
    memcpy(b, s->y, sizeof b);
    const double thetas[] = {0.05, 0.3, 0.5, 0.77, 0.98};
    for (int k = 0; k < 5; k++) { /* the first call may evaluate more stages */
        assert_int_equal(zi_dense(s, thetas[k], dense), ZW_OK);
        if (k == 0) elementary_weights(&p, &f, phi);
        check_conditions(&f, phi, method, dense, thetas[k], dense_order);
    }
    assert_int_equal(p.calls, step_calls + dense_calls);
    for (int i = 0; i < p.calls; i++) { /* row sums are the times */
        long double sum = 0.0L;
        for (int j = 0; j < i; j++) sum += (long double)p.a[i][j];
        assert_true(fabsl(sum - (long double)p.c[i]) < 2e-14L);
    }
    check_conditions(&f, phi, method, b, 1.0, order);
    zi_close(s);
    assert_int_equal(memory.held, 0);
}

static void dop853_has_order_8_and_7(void **state)
{
    (void)state;
    check_method("dop853", 8, 7, 13, 3);
}

static void dopri5_has_order_5_and_4(void **state)
{
    (void)state;
    check_method("dopri5", 5, 4, 7, 0);
}

/* ---------------------------------------------------------------------- tables */

/* Adds the weights of a sum to b. */
static void add_terms(const zi_terms *terms, double factor, double *b)
{
    for (int j = 0; j < terms->count; j++) b[terms->row[j]] += factor * terms->a[j];
}

/* Sums read only rows that are there before them, [0, rows), each once. */
static void check_terms(const zi_terms *terms, int rows)
{
    assert_true(terms->count >= 1 && terms->count <= zi_most_terms);
    for (int j = 0; j < terms->count; j++) {
        assert_in_range(terms->row[j], 0, rows - 1);
        assert_true(j == 0 || terms->row[j] > terms->row[j - 1]);
    }
}

static void check_table(const zi_tableau *t)
{
    assert_in_range(t->count, 1, zi_most_stages);
    for (int i = 0; i < t->count; i++) check_terms(&t->stage[i], i + 1);
    assert_true(zi_step_terms(t)->c == 1.0);
    if (t->stiff_bound > 0.0) assert_true(t->stage[zi_twin_row(t) - 1].c == 1.0);
    check_terms(&t->error, t->fsal ? t->count + 1 : t->count);
    if (t->second.count > 0) check_terms(&t->second, t->count);
    for (int i = 0; i < t->extra_count; i++) check_terms(&t->extra[i], zi_extra_row(t) + i);
    for (int i = 0; i < t->polynomial_count; i++)
        check_terms(&t->polynomial[i], zi_interpolant_row(t));
    assert_true(t->exponent > 0.0 && t->exponent <= 0.5);
    assert_true(t->shrink > 0.0 && t->shrink < 1.0 && t->grow > 1.0);
}

/* The order of the solution with the weights b. */
static int find_order(const forest *f, long double phi[most_trees][most_stages], const double *b)
{
    int order = 0;
    while (order < most_order && violation(f, phi, order + 1, b, 1.0) < 2e-14L) order++;
    return order;
}

/* The embedded solutions are of some order, and of a lower one. */
static void check_embedded(const char *method, const zi_tableau *t)
{
    static forest f;
    static long double phi[most_trees][most_stages];
    zb_memory memory;
    probe p;
    plant(&f);
    zi_stepper *s = probe_step(&memory, method, &p);
    elementary_weights(&p, &f, phi);
    double better[most_stages] = {0.0}, poorer[most_stages] = {0.0};
    add_terms(zi_step_terms(t), 1.0, better);
    add_terms(&t->error, -1.0, better);
    add_terms(&t->second, 1.0, poorer);
    int order = find_order(&f, phi, better), second = find_order(&f, phi, poorer);
    printf("%s: embedded solutions of order %d, %d\n", method, order, second);
    assert_in_range(order, 1, t->order - 1);
    if (t->second.count > 0) assert_in_range(second, 1, order - 1);
    zi_close(s);
}

static void every_pair_keeps_its_table(void **state)
{
    (void)state;
    for (int i = 0; i < zi_pair_count; i++) {
        const zi_method *method = &zi_pair_methods[i];
        const zi_tableau *t = method->pair->tableau;
        check_table(t);
        check_method(method->name, t->order, t->dense_order, t->count + 1, t->extra_count);
        check_embedded(method->name, t);
    }
}

static void rk4_has_order_4_and_3(void **state)
{
    (void)state;
    check_method("rk4", 4, 3, 5, 0);
}

/* A parabola over a step, seen at both ends and at the stages that are not spare: how far it goes
 * below the least sample, as a part of the range of the samples; at most, wherever its vertex is. */
static double deepest_dip(const zi_tableau *t, uint32_t spare)
{
    double most = 0.0;
    for (double vertex = 0.0; vertex <= 1.0; vertex += 1.0 / 1024.0) {
        double low = fmin(vertex * vertex, (1.0 - vertex) * (1.0 - vertex));
        double high = fmax(vertex * vertex, (1.0 - vertex) * (1.0 - vertex));
        for (int32_t i = 1; i < t->count; i++) {
            double c = t->stage[i - 1].c - vertex;
            if (spare >> i & 1u) continue;
            low = fmin(low, c * c);
            high = fmax(high, c * c);
        }
        most = fmax(most, low / (high - low));
    }
    return most;
}

/* Two stages of each pair are left, and are as good as all, or good enough. */
static void stages_are_spare(void **state)
{
    (void)state;
    for (int k = 0; k < zi_pair_count; k++) {
        const zi_tableau *t = zi_pair_methods[k].pair->tableau;
        uint32_t spare = zi_spare_stages(&zi_pair_methods[k]);
        double dip = deepest_dip(t, spare), of_all = deepest_dip(t, 0);
        int32_t left = 0;
        for (int32_t i = 1; i < t->count; i++) left += !(spare >> i & 1u);
        printf("%s: %d stages, dips %.3f, of all %.3f\n", zi_pair_methods[k].name, left, dip,
               of_all);
        assert_int_equal(left, 2);
        assert_true(dip <= fmax(of_all, 1.0 / 9.0));
        assert_int_equal(spare & 1u, 0); /* not what is asked for outside of stages */
        assert_int_equal(spare >> t->count, 0);
    }
    assert_int_equal(zi_spare_stages(zi_find_method("rk4")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_all_there),        cmocka_unit_test(dop853_has_order_8_and_7),
        cmocka_unit_test(dopri5_has_order_5_and_4),   cmocka_unit_test(rk4_has_order_4_and_3),
        cmocka_unit_test(every_pair_keeps_its_table), cmocka_unit_test(stages_are_spare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
