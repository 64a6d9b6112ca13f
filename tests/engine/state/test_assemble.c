/*
 * Families in lanes: M, Q, A, b and the levels of models of many equal parts have the same bits
 * whether their programs run one instance at a time or in lanes, as byte code or as machine code;
 * also where several outputs of a block are added to the same place; in one thread or several; and
 * whether they are added or stored; likewise what depends on parameters only, where it is hoisted
 * and where it is not. A and b of a chain's rods against their formulas. Every
 * allocation that fails while such a model is built leaves a status and no leak.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

/* A small model whose quantities take much from parameters; %s: what l and k are. */
static const char *const linkage =
    "%s\ncoord x, y, th\n"
    "let a = acos(l/3), c = atan2(l, k) + sqrt(l*k)\n"
    "kinetic (exp(-a)*x'^2 + y'^2*(1 + x^2*cos(c)^2) + th'^2)/2\n"
    "potential sin(a + c)*x*y\nforce th: -log(1 + l)*th' + tan(a)*cos(x)\n"
    "constraint p: x*cos(a) + l*sin(th) = sin(c)\n"
    "constraint v: y' = cos(a)*sin(c)*th' + t*exp(-l)\nnonideal x: -0.1*sqrt(l)*x'\n";

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

/* Constant entries of A, rows of every kind. */
static const char *const mixed = "param N = 40\ncoord x[N], y[N], z[N]\n"
                                 "kinetic sum(i in 1..N, (x[i]'^2 + y[i]'^2 + z[i]'^2)/2)\n"
                                 "for i in 2..N {\n"
                                 "  constraint a[i]: x[i] - x[i-1] + z[i]^2 = 1\n"
                                 "  constraint b[i]: y[i]' = x[i]*y[i-1]'\n"
                                 "  constraint c[i]: z[i]'' = -z[i]\n"
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
    zr_passes *lists[] = {&model->dynamics, &model->rows, &model->levels[0], &model->levels[1]};
    for (int i = 0; i < 4; i++)
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

/* --------------------------------------------------------- added one at a time */

/* Every output of every instance added to arrays that begin with 0, in the order of the lists. */
static void add_plainly(zw_sim *sim, const zr_passes *passes, const zk_source *source,
                        double *matrix, double *vector)
{
    double *out = malloc(sizeof *out * (size_t)sim->model->out_count);
    assert_non_null(out);
    for (int32_t p = 0; p < passes->count; p++) {
        const zr_pass *pass = &passes->list[p];
        const zm_family *f = &sim->zm->families[pass->family];
        const int32_t *place = pass->place;
        for (int32_t i = 0; i < f->count; i++) {
            zk_table one = {.table = f->whole || !f->table ? NULL : f->table + i * f->stride,
                            .count = 1,
                            .stride = f->stride,
                            .value_at = f->coordinates,
                            .measure_at = f->coordinates + f->values};
            zk_evaluate_table(pass->code, source, &one, sim->workspace, out);
            for (int32_t k = 0; k < pass->matrix + pass->vector; k++, place++) {
                double *to = k < pass->matrix ? matrix : vector;
                to[*place >= 0 ? *place : ~*place] += *place >= 0 ? out[k] : 2.0 * out[k];
            }
        }
    }
    free(out);
}

/* As evaluate, from sums alone. */
static double *evaluate_plainly(bench *b, const state *s)
{
    zw_sim *sim = b->sim;
    const zw_model *model = b->model;
    size_t sizes[] = {(size_t)model->M.count, (size_t)b->n, (size_t)model->A.count, (size_t)b->m};
    double *M = calloc(sizes[0] + sizes[1] + sizes[2] + 5 * sizes[3] + 1, sizeof *M);
    assert_non_null(M);
    double *Q = M + sizes[0], *A = Q + sizes[1], *right = A + sizes[2], *level = right + sizes[3];
    zk_source source = zr_source(sim, 0.7, s->q, s->v);
    source.evaluator = ZK_BYTE_CODE;
    add_plainly(sim, &model->constant_dynamics, &source, M, Q);
    add_plainly(sim, &model->dynamics, &source, M, Q);
    add_plainly(sim, &model->constant_rows, &source, A, right);
    add_plainly(sim, &model->rows, &source, A, right);
    add_plainly(sim, &model->levels[ZR_POSITION], &source, NULL, level);
    add_plainly(sim, &model->levels[ZR_VELOCITY], &source, NULL, level);
    return M;
}

/* At a state, then at rest at the origin, where entries are -0 and sums of them 0. What is there
 * before does not matter. */
static void stored_or_added(void **unused)
{
    (void)unused;
    const char *const texts[] = {chain, springs, tangle, mixed};
    for (int i = 0; i < 4; i++) {
        bench b;
        size_t count;
        bench_open(&b, texts[i]);
        state s = some_state(&b);
        for (int round = 0; round < 2; round++) {
            for (int32_t k = 0; k < b.m; k++) b.sim->b[k] = (double)NAN;
            double *sums = evaluate_plainly(&b, &s);
            double *all = evaluate(&b, &s, ZK_FASTEST, &count);
            same_bits(sums, all, count, texts[i]);
            free(sums), free(all);
            memset(s.q, 0, sizeof *s.q * (size_t)b.n);
            memset(s.v, 0, sizeof *s.v * (size_t)b.n);
        }
        free(s.q), free(s.v);
        bench_close(&b);
    }
}

/* What is known to be reached once: A, b and levels of all; M where nothing moves it; Q not where
 * neighbours add to it. */
static void what_is_stored(void **unused)
{
    (void)unused;
    const char *const texts[] = {chain, springs, tangle, mixed};
    for (int i = 0; i < 4; i++) {
        bench b;
        bench_open(&b, texts[i]);
        const zw_model *m = b.model;
        assert_null(m->fused);
        assert_true(m->rows.matrix_once && m->rows.vector_once);
        assert_true(m->levels[0].vector_once && m->levels[1].vector_once);
        assert_int_equal(m->dynamics.matrix_once, texts[i] != springs);
        assert_int_equal(m->dynamics.vector_once, texts[i] == chain || texts[i] == mixed);
        bench_close(&b);
    }
}

/* Of one level only its own entries change. */
static void one_level(void **unused)
{
    (void)unused;
    bench b;
    size_t count;
    bench_open(&b, mixed);
    state s = some_state(&b);
    double *all = evaluate(&b, &s, ZK_FASTEST, &count), *level = all + count - 4 * b.m;
    zk_source source = zr_source(b.sim, 0.7, s.q, s.v);
    for (int order = ZR_POSITION; order <= ZR_VELOCITY; order++) {
        for (int32_t k = 0; k < 4 * b.m; k++) b.sim->level[k] = 77.0;
        zr_evaluate_level(b.sim, (zr_order)order, &source);
        for (int32_t k = 0; k < 4 * b.m; k++) {
            zm_row_kind kind = b.sim->row_kind[k % b.m];
            bool own = kind == ZM_HOLONOMIC ? k / b.m % 2 == order
                                            : kind != ZM_ACCELERATION && order == ZR_VELOCITY;
            double expected = own ? level[k] : 77.0;
            same_bits(&expected, &b.sim->level[k], 1, "a level");
        }
    }
    free(all), free(s.q), free(s.v);
    bench_close(&b);
}

/* --------------------------------------------------------------------- threads */

/* Enough links for a team; the springs cannot be shared out, the rods can. */
static const char *const long_chain =
    "param N = 34000, m = 1, k = 3\ncoord x[N]\n"
    "kinetic sum(i in 1..N, m/2*x[i]'^2)\n"
    "potential sum(i in 2..N, k*(x[i] - x[i-1])^4)\n"
    "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 = 1 }\n";

static void threads_change_nothing(void **unused)
{
    (void)unused;
    bench b;
    double *first = NULL;
    size_t count;
    bench_open(&b, long_chain);
    state s = some_state(&b);
    for (int32_t threads = 1; threads <= 3; threads++) {
        zw_sim_free(b.sim);
        b.sim = NULL;
        assert_int_equal(zw_context_set_threads(b.context, threads), ZW_OK);
        assert_int_equal(zw_sim_create(b.model, &b.sim), ZW_OK);
        assert_int_equal(zb_team_size(b.sim->team), threads);
        for (int round = 0; round < 10; round++) {
            double *all = evaluate(&b, &s, ZK_FASTEST, &count);
            if (first) same_bits(first, all, count, "several threads");
            if (first) free(all);
            if (!first) first = all;
        }
    }
    assert_int_equal(zw_context_set_threads(b.context, -1), ZW_ERR_ARGUMENT);
    free(first), free(s.q), free(s.v);
    bench_close(&b);
}

/* Which passes may be shared out. */
static void what_is_apart(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b, long_chain);
    const zw_model *m = b.model;
    for (int32_t k = 0; k < m->rows.count; k++) assert_true(m->rows.list[k].apart);
    assert_true(m->dynamics.count > 0 && !m->dynamics.list[0].apart);
    assert_true(m->team_blocks >= zr_team_blocks);
    bench_close(&b);
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
    for (int32_t k = 0; k < pass->stride_blocks; k++)
        found[pass->strides[k * outputs].stride > 0 ? 0 : 1]++;
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

/* Opens `linkage` with these parameters, or with these numbers in their places. */
static void open_linkage(bench *b, const char *declaration)
{
    char text[1024];
    snprintf(text, sizeof text, linkage, declaration); /* NOLINT: a format of ours */
    bench_open(b, text);
}

/* What depends on parameters only is computed when they change, to the same bits as where numbers
 * stand in their places, and follows them. */
static void hoisted_parts(void **unused)
{
    (void)unused;
    bench b, numbers;
    open_linkage(&b, "param l = 1, k = 2");
    open_linkage(&numbers, "let l = 1.7, k = 0.4");
    assert_true(b.sim->model->prelude.count > 0);
    assert_int_equal(numbers.sim->model->prelude.count, 0);
    assert_int_equal(zw_sim_set_parameters(b.sim, "l = 1.7, k = 0.4"), ZW_OK);
    for (int k = 0; k < 6; k++) {
        b.q[k % 3] = 0.3 * k - 0.7;
        b.v[k % 3] = 1.1 - 0.2 * k;
        bench *each[] = {&b, &numbers};
        for (int i = 0; i < 2; i++) {
            zw_sim *sim = each[i]->sim;
            zk_source s = zr_source(sim, 0.4, b.q, b.v);
            zr_evaluate_dynamics(sim, &s);
            zr_evaluate_rows(sim, &s);
            zr_evaluate_levels(sim, &s);
            zr_evaluate_nonideal(sim, &s);
        }
        const zr_pattern *M = &b.sim->model->M, *A = &b.sim->model->A;
        same_bits(b.sim->M, numbers.sim->M, (size_t)M->count, "M");
        same_bits(b.sim->Q, numbers.sim->Q, 3, "Q");
        same_bits(b.sim->A, numbers.sim->A, (size_t)A->count, "A");
        same_bits(b.sim->b, numbers.sim->b, 2, "b");
        same_bits(b.sim->level, numbers.sim->level, 8, "levels");
        same_bits(b.sim->C, numbers.sim->C, 3, "C");
    }
    bench_close(&numbers);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_change_nothing),   cmocka_unit_test(stored_or_added),
        cmocka_unit_test(what_is_stored),         cmocka_unit_test(one_level),
        cmocka_unit_test(threads_change_nothing), cmocka_unit_test(what_is_apart),
        cmocka_unit_test(rods_of_a_chain),        cmocka_unit_test(places_that_are_runs),
        cmocka_unit_test(failing_allocations),    cmocka_unit_test(hoisted_parts),
    };
    return cmocka_run_group_tests_name("families in lanes", tests, NULL, NULL);
}
