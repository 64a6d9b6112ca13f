/*
 * Families in lanes: M, Q, A, b and the levels of models of many equal parts have the same bits
 * whether their programs run one instance at a time or in lanes, as byte code or as machine code;
 * also where several outputs of a block are added to the same place. A and b of a chain's rods
 * against their formulas. Every allocation that fails while such a model is built leaves a status
 * and no leak.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

/* More than 20000 nodes, so that families are kept. N is no multiple of a block. */
static const char *const chain =
    "param N = 2011, m = 1, k = 3\ncoord x[N], y[N]\n"
    "kinetic sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
    "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }\n";

/* Neighbours add to the same entries of M and Q. */
static const char *const springs =
    "param N = 2011, m = 1, k = 3\ncoord x[N], y[N]\n"
    "kinetic sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
    "kinetic sum(i in 2..N, 0.1*cos(x[i] - x[i-1])*(x[i]' + x[i-1]')^2)\n"
    "potential sum(i in 2..N, k*(x[i] - x[i-1])^4 + k*exp(y[i] - y[i-1]))\n"
    "force y[1]: -t\n";

/* The partner of a mass anywhere: neither leaves nor places are runs. */
static const char *const tangle = "param N = 2011, m = 1, k = 3\ncoord x[N], y[N]\n"
                                  "kinetic sum(i in 1..N, m/2*(x[i]'^2 + y[i]'^2))\n"
                                  "for i in 2..N {\n"
                                  "  let a = i*0.6180339887\n"
                                  "  let j = 1 + floor((i - 1)*(a - floor(a)))\n"
                                  "  constraint rod[i]: (x[i] - x[j])^2 + (y[i] - y[j])^2 = 1\n"
                                  "  potential k*sin(x[i] - x[j])^2*y[j]\n"
                                  "}\n";

/* ------------------------------------------------------------------- evaluation */

typedef struct state {
    double *q, *v;
} state;

static state some_state(const bench *b)
{
    state s = {malloc(sizeof(double) * (size_t)b->n), malloc(sizeof(double) * (size_t)b->n)};
    assert_true(s.q && s.v);
    for (int32_t i = 0; i < b->n; i++) {
        s.q[i] = 0.37 * (double)(i % 53) - 0.011 * (double)(i % 7);
        s.v[i] = 0.1 * (double)(i % 31) - 1.3;
    }
    return s;
}

/* All that is evaluated, one behind the other; free() it. */
static double *evaluate(bench *b, const state *s, zk_evaluator evaluator, size_t *count)
{
    zw_sim *sim = b->sim;
    zk_source source = zr_source(sim, 0.7, s->q, s->v);
    source.evaluator = evaluator;
    zr_evaluate_dynamics(sim, &source);
    zr_evaluate_rows(sim, &source);
    zr_evaluate_levels(sim, &source);
    const double *parts[] = {sim->M, sim->Q, sim->A, sim->b, sim->level};
    size_t sizes[] = {(size_t)b->model->M.count, (size_t)b->n, (size_t)b->model->A.count,
                      (size_t)b->m, 4 * (size_t)b->m};
    *count = 0;
    for (int i = 0; i < 5; i++) *count += sizes[i];
    double *all = malloc(sizeof *all * *count), *to = all;
    assert_non_null(all);
    for (int i = 0; i < 5; to += sizes[i], i++)
        if (sizes[i] > 0) memcpy(to, parts[i], sizeof *to * sizes[i]);
    return all;
}

static void each_pass(zw_model *model, void (*what)(zr_pass *, void *), void *user)
{
    zr_passes *lists[] = {&model->dynamics, &model->rows, &model->levels};
    for (int i = 0; i < 3; i++)
        for (int32_t k = 0; k < lists[i]->count; k++) what(&lists[i]->list[k], user);
}

static void count_lanes(zr_pass *pass, void *user)
{
    *(int *)user += pass->lanes != NULL;
}

static void drop_lanes(zr_pass *pass, void *user)
{
    (void)user;
    pass->lanes = NULL;
}

typedef struct codes {
    zk_program *list[32];
    int32_t count;
} codes;

static void collect(zr_pass *pass, void *user)
{
    codes *c = user;
    assert_true(c->count < 32);
    c->list[c->count++] = pass->code;
}

static void same_bits(const double *a, const double *b, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        if (zb_bits(a[i]) != zb_bits(b[i]))
            fail_msg("%s: number %zu is %a, not %a", what, i, b[i], a[i]);
}

static void lanes_change_nothing(void **unused)
{
    (void)unused;
    const char *const texts[] = {chain, springs, tangle};
    for (int i = 0; i < 3; i++) {
        bench b;
        codes c = {.count = 0};
        int in_lanes = 0;
        size_t count;
        zk_native *native;
        zk_native_report report;
        bench_open(&b, texts[i]);
        state s = some_state(&b);
        each_pass(b.model, count_lanes, &in_lanes);
        assert_true(in_lanes >= 1);
        double *lanes = evaluate(&b, &s, ZK_BYTE_CODE, &count);
        each_pass(b.model, collect, &c);
        zk_make_native(&b.context->memory, c.list, c.count, zk_best_width(), &native, &report);
        double *machine = evaluate(&b, &s, ZK_FASTEST, &count);
        each_pass(b.model, drop_lanes, NULL);
        double *scalar = evaluate(&b, &s, ZK_BYTE_CODE, &count);
        same_bits(scalar, lanes, count, "byte code in lanes");
        same_bits(scalar, machine, count, "machine code in lanes");
        zk_native_free(native);
        free(lanes), free(machine), free(scalar), free(s.q), free(s.v);
        bench_close(&b);
    }
}

/* -------------------------------------------------------------------- the chain */

/* A and b of rod i are 2 (x_i - x_(i-1)) and so on, and -2 (v_x^2 + v_y^2). */
static void rods_of_a_chain(void **unused)
{
    (void)unused;
    bench b;
    size_t count;
    bench_open(&b, chain);
    state s = some_state(&b);
    free(evaluate(&b, &s, ZK_FASTEST, &count));
    const zr_pattern *A = &b.model->A;
    int32_t N = b.n / 2;
    assert_int_equal(b.m, N - 1);
    for (int32_t i = 0; i < b.m; i++) {
        double square = 0.0;
        assert_int_equal(A->start[i + 1] - A->start[i], 4);
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            int32_t c = A->column[p], base = c < N ? 0 : N;
            double d = s.q[base + i + 1] - s.q[base + i], v = s.v[base + i + 1] - s.v[base + i];
            assert_true(c - base == i || c - base == i + 1);
            bench_near(b.sim->A[p], c - base == i ? -2.0 * d : 2.0 * d, 1e-13);
            square += c - base == i ? v * v : 0.0;
        }
        bench_near(b.sim->b[i], -2.0 * square, 1e-12);
    }
    free(s.q), free(s.v);
    bench_close(&b);
}

/* Which blocks are runs is found: all full ones of the chain's rods, none of the springs' forces,
 * whose outputs meet, nor of the tangle's. */
static void count_runs(zr_pass *pass, void *user)
{
    int32_t *found = user, outputs = pass->matrix + pass->vector;
    for (int32_t k = 0; k < pass->run_blocks; k++)
        found[pass->runs[k * outputs].stride > 0 ? 0 : 1]++;
}

static void places_that_are_runs(void **unused)
{
    (void)unused;
    const char *const texts[] = {chain, springs};
    for (int i = 0; i < 2; i++) {
        bench b;
        int32_t found[2] = {0, 0};
        bench_open(&b, texts[i]);
        each_pass(b.model, count_runs, found);
        assert_true(found[i] >= 2010 / ZK_BLOCK && found[1 - i] == 0);
        bench_close(&b);
    }
}

/* ----------------------------------------------------------------------- memory */

typedef struct counter {
    int64_t requests, fail_at;
    size_t held;
} counter;

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    if (new_size > 0 && ++c->requests == c->fail_at) return NULL;
    void *moved = realloc(block, new_size > 0 ? new_size : 1);
    c->held += new_size - (block ? old_size : 0);
    if (new_size > 0) return moved;
    free(moved);
    return NULL;
}

static zw_status build(counter *c)
{
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_model_source source = {.file = "chain.zw", .text = chain, .length = strlen(chain)};
    zw_status status = zw_context_create(&(zw_allocator){.resize = resize, .user = c}, &context);
    if (status == ZW_OK) status = zw_model_compile(context, &source, &model);
    zw_model_free(model);
    zw_context_free(context);
    return status;
}

/* The last allocations of a build, among them those of the tables, and some before. */
static void failing_allocations(void **unused)
{
    (void)unused;
    counter all = {0};
    assert_int_equal(build(&all), ZW_OK);
    for (int k = 0; k < 24; k++) {
        counter c = {.fail_at = k < 16 ? all.requests - 6 * k : all.requests * (k - 15) / 9};
        zw_status status = build(&c);
        if (status != ZW_ERR_MEMORY)
            fail_msg("request %d of %d failed: status %d", (int)c.fail_at, (int)all.requests,
                     (int)status);
        assert_int_equal(c.held, 0);
    }
    assert_int_equal(all.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_change_nothing),
        cmocka_unit_test(rods_of_a_chain),
        cmocka_unit_test(places_that_are_runs),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests_name("families in lanes", tests, NULL, NULL);
}
