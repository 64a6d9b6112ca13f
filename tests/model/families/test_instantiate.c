/*
 * Families kept and families made whole: the same equations either way, items found where their
 * `where` says, tables moved and not copied.
 */
#include "models.h"

/* M, Q, A, b of a chain at one state. */
typedef struct chain_values {
    double M[400], Q[20], A[200], b[10];
} chain_values;

static void evaluate_chain(stage *s, chain_values *out)
{
    double q[20], v[20];
    memset(out, 0, sizeof *out);
    stage_fill(q, 20, 1), stage_fill(v, 20, 2);
    state x = {.q = q, .v = v, .t = 0.7};
    assemble(&s->model, &x, &(matrices){.M = out->M, .Q = out->Q, .A = out->A, .b = out->b});
}

static void kept_and_whole_agree(void **unused)
{
    (void)unused;
    stage *kept = malloc(sizeof *kept), *whole = malloc(sizeof *whole);
    stage_init(kept), stage_init(whole);
    build_chain(kept, 10), build_chain(whole, 10);
    stage_keep(kept);
    stage_run(kept), stage_run(whole);
    assert_int_equal(whole->model.family_count, 4);
    for (int32_t i = 0; i < 4; i++) assert_true(whole->model.families[i].whole);
    assert_int_equal(kept->model.family_count, 6); /* T, V, damper, wind, rods; the first rod */
    chain_values a, b;
    evaluate_chain(kept, &a), evaluate_chain(whole, &b);
    const double *x = (const double *)&a, *y = (const double *)&b;
    for (size_t i = 0; i < sizeof a / sizeof *x; i++) assert_near(x[i], y[i]);
    assert_near(a.M[0], 0.75), assert_near(a.M[21], 0.25);
    stage_free(kept), stage_free(whole);
    free(kept), free(whole);
}

/* A thousand rods: the model is large, so shapes are kept; rod[1] stands alone. */
static void long_chain(void **unused)
{
    (void)unused;
    enum { N = 1000 };
    stage *s = malloc(sizeof *s);
    stage_init(s);
    build_chain(s, N);
    const int32_t *rods = s->b.raw.data[s->b.raw.count - 1].family.table;
    assert_non_null(rods);
    stage_run(s);
    zm_model *model = &s->model;
    assert_true(model->pool.count < 300);
    double *q = calloc(2 * N, sizeof *q), *v = calloc(2 * N, sizeof *v);
    stage_fill(q, 2 * N, 5), stage_fill(v, 2 * N, 6);
    state x = {.q = q, .v = v};
    for (int32_t c = 0; c < N; c += 111) {
        const zm_constraint *rod = &model->constraints[c];
        const zm_family *f = &model->families[rod->where.family];
        assert_true(f->kind == ZM_CONSTRAINT && f->whole == (c == 0));
        if (c > 0) assert_int_equal(f->items[rod->where.instance], c);
        double b =
            state_value(&x, model, rod->where.family, rod->where.instance, f->b[rod->where.root]);
        double dx = c > 0 ? v[c] - v[c - 1] : v[0], dy = c > 0 ? v[N + c] - v[N + c - 1] : v[N];
        assert_near(b, -2 * dx * dx - 2 * dy * dy);
    }
    for (int32_t i = 0; i < model->family_count; i++) {
        const zm_family *f = &model->families[i];
        if (!f->whole && f->kind == ZM_ENERGY)
            assert_true(f->root_count == 3 && f->items == NULL && f->count == N);
    }
    free(q), free(v);
    stage_free(s);
    free(s);
}

/* Parameters stay variables in whole families, constants become literals. */
static void constants_become_literals(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0);
    int32_t k = stage_param(s, "k", 3), two = stage_constant(s, 2);
    zx_node F = MUL(P(0), P(1));
    stage_targets(s, stage_raw(s, ZM_FORCE, &F, 1, 1, 2), (int32_t[]){0}, 1);
    stage_bind(s, (int32_t[]){0, k, two}, -1);
    stage_run(s);
    const zm_family *f = &s->model.families[0];
    zx_reach reach = zx_reaches(&s->model.pool, f->roots, 1);
    assert_true(reach.value && f->values == 2);
    double q = 0;
    state x = {.q = &q, .v = &q};
    s->values[k] = 5, s->values[two] = 1000;
    assert_near(state_value(&x, &s->model, 0, 0, f->roots[0]), 10);
    stage_free(s);
}

/* Items of two shapes, declared in turn: whole roots are in declared order, targets go with
 * their roots. */
static void declared_order(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 4, 0);
    zx_node plain = MUL(NUM(2), P(0)), other = ADD(P(0), NUM(1));
    int32_t value[4];
    for (int32_t i = 0; i < 4; i++) value[i] = stage_constant(s, 10 * (i + 1));
    for (int32_t shape = 0; shape < 2; shape++) {
        zm_raw_family *raw = stage_raw(s, ZM_START_VALUE, shape ? &other : &plain, 1, 1, 1);
        stage_targets(s, raw, (int32_t[]){0}, 1);
        raw->family.orders = ZB_NEW_ARRAY(&s->model.arena, int32_t, 1);
        raw->family.orders[0] = shape;
        for (int32_t i = shape; i < 4; i += 2)
            s->start_values[i].where = stage_bind(s, (int32_t[]){3 - i, value[i]}, i);
    }
    s->model.start_value_count = 4;
    stage_run(s);
    const double expected[] = {20, 21, 60, 41};
    const zm_family *f = &s->model.families[0];
    state x = {0};
    assert_int_equal(s->model.family_count, 1);
    for (int32_t i = 0; i < 4; i++) {
        zm_where w = s->start_values[i].where;
        assert_true(w.family == 0 && w.instance == 0 && w.root == i && w.count == 1);
        assert_near(state_value(&x, &s->model, 0, 0, f->roots[w.root]), expected[i]);
        assert_int_equal(f->targets[w.root], 3 - i);
        assert_int_equal(f->orders[w.root], i % 2);
    }
    stage_free(s);
}

/* An event's condition has no target; its new values have. */
static void targets_of_events(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0), stage_coord(s, "y", 0, 0);
    zx_node stop = stage_binary(s, ZX_LT, Q(0), NUM(-1));
    stage_term(s, ZM_EVENT, 0, &stop, 1);
    zx_node bounce[] = {stage_binary(s, ZX_LT, Q(1), NUM(0)), MUL(NUM(-1), V(1)), V(0)};
    zm_raw_family *raw = stage_term(s, ZM_EVENT, 0, bounce, 3);
    stage_targets(s, raw, (int32_t[]){-1, 1, 0}, 3);
    raw->family.orders = zb_arena_copy(&s->model.arena, (int32_t[]){0, 1, 1}, 12, 4);
    s->events[0].where = (zm_where){0, 0, 0, 1}, s->events[1].where = (zm_where){1, 0, 0, 3};
    s->model.event_count = 2;
    stage_run(s);
    const zm_family *f = &s->model.families[0];
    const int32_t targets[] = {-1, -1, 1, 0}, orders[] = {0, 0, 1, 1};
    assert_int_equal(f->target_count, 4);
    for (int32_t i = 0; i < 4; i++)
        assert_true(f->targets[i] == targets[i] && f->orders[i] == orders[i]);
    assert_int_equal(s->events[1].where.root, 1);
    stage_free(s);
}

/* A million instances cost their table and nothing that grows with them. */
static void a_million_instances(void **unused)
{
    (void)unused;
    enum { N = 1000000 };
    stage *s = malloc(sizeof *s);
    stage_init(s);
    stage_coord(s, "x", N, 0);
    stage_param(s, "m", 1);
    zx_node T = MUL(P(0), SQR(V(0)));
    stage_raw(s, ZM_ENERGY, &T, 1, 1, 1);
    for (int32_t i = 0; i < N; i++) stage_bind(s, (int32_t[]){i, 0}, -1);
    zm_gather(&s->b);
    zm_derive(&s->b);
    assert_int_equal(s->model.family_count, 1);
    assert_int_equal(s->model.families[0].count, N);
    assert_true(s->memory.held < (size_t)N * 2 * 4 + 200000);
    stage_free(s);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_and_whole_agree),      cmocka_unit_test(long_chain),
        cmocka_unit_test(constants_become_literals), cmocka_unit_test(declared_order),
        cmocka_unit_test(targets_of_events),         cmocka_unit_test(a_million_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
