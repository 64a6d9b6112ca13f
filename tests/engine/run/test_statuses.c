/*
 * Every status of zwang.h, made to happen, with what is told of it: a diagnostic of the context where a model or a
 * simulation fails, a sentence with its place where matrices do (zw_gauss_explain). Those that say nothing more are
 * named: memory, whose lack allows no words, and a caller's own refusal to take what is written.
 */
#include "bench.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------- by models */

static void expect_error(const bench *b, zw_status status)
{
    int32_t errors = 0;
    for (int32_t i = 0; i < zw_context_diagnostic_count(b->context); i++) {
        const zw_diagnostic *d = zw_context_diagnostic(b->context, i);
        if (d->severity != ZW_ERROR) continue;
        errors++;
        assert_true(strlen(d->code) == 5 && strlen(d->sentence) > 10);
    }
    if (errors == 0) fail_msg("%s comes without a diagnostic", zw_status_name(status));
}

/* The status of start, begin, advance to `until` and conclude. */
static zw_status run_model(bench *b, const char *text, double until, int64_t steps)
{
    zw_run_settings set;
    zw_outcome outcome;
    zw_status status = bench_compile(b, text);
    if (status != ZW_OK) return status;
    if ((status = bench_start(b, false)) != ZW_OK) return status;
    if ((status = zw_run_defaults(b->model, &set)) != ZW_OK) return status;
    set.until = until;
    set.patience = 1e4;
    set.max_steps = steps;
    if ((status = zw_sim_begin(b->sim, &set)) != ZW_OK) return status;
    status = zw_sim_advance(b->sim, until, &outcome);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_OK);
    return status;
}

static const struct {
    zw_status status;
    const char *text;
    double until;
    int64_t steps;
} models[] = {
    {ZW_ERR_MODEL, "coord x\nkinetic y'^2\n", 1.0, 1000},
    {ZW_ERR_NOT_FINITE, "coord x\nkinetic x'^2/2\nforce x: sqrt(0.5 - t)\n", 1.0, 100000},
    {ZW_ERR_INDEFINITE, "coord x, y\nkinetic x'^2 - y'^2\n", 1.0, 1000},
    {ZW_ERR_UNDETERMINED, "coord x, y\nkinetic x'^2\n", 1.0, 1000},
    {ZW_ERR_START, "coord x\nkinetic x'^2\nconstraint a: x^2 = -1\n", 1.0, 1000},
    {ZW_ERR_LIMIT, "coord x\nkinetic x'^2/2\npotential 1e4*x^2\nstart x = 1\n", 1.0, 5},
    {ZW_ERR_PATIENCE, "coord x\nkinetic x'^2/2\npotential 1e4*x^2\nstart x = 1\n", 1e9, 100000},
    {ZW_ERR_CHATTER,
     "coord x\nkinetic x'^2/2\nforce x: -1\nstart x = 1\nwhen x < 0.9: x = 0.9, x' = 0\n", 1.0,
     100000},
    {ZW_ERR_STEP, "coord x\nkinetic x'^2/2\nforce x: 1/(1 - t)^2\n", 2.0, 1000000},
    {ZW_ERR_CONTACT,
     "coord x, y\nkinetic x'^2 + y'^2\nconstraint ground: y >= 0\nconstraint down: y = 1 - t\n"
     "start y = 1\n",
     2.0, 100000},
    {ZW_ERR_ACCURACY,
     "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x^2 + y^2 = 1\nstart x = 1\n"
     "when t > 0.5: x = 0, y = 0\n",
     1.0, 100000},
    {ZW_ERR_CONTROL,
     "coord x, th\nlet bob = [x + sin(th), -cos(th)]\nkinetic x'^2/2 + dot(bob', bob')/2\n"
     "potential 9.81*bob[2]\ncontrol swing: th = 2*cos(t) by x\nstart th = 2\n",
     2.0, 100000},
};

/* -------------------------------------------------------------------------- by matrices */

/* The status of a problem of two coordinates and two rows, the last `inequalities` of them one way. */
static zw_status solve_two(const double M[4], const double A[4], zw_form form, int32_t inequalities,
                           char *sentence, size_t size)
{
    zw_context *context = NULL;
    zw_gauss *g = NULL;
    double z[2], Q[2] = {1, -3}, b[2] = {0, 2};
    zw_gauss_answer answer = {.acceleration = z};
    zw_gauss_shape shape = {.n = 2, .m = 2, .inequalities = inequalities};
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_OK);
    zw_status status = zw_gauss_check(g, M, A, NULL);
    if (status == ZW_OK) status = zw_gauss_factor(g, M, A, NULL);
    if (status == ZW_OK) status = zw_gauss_solve_form(g, form, Q, b, NULL, &answer);
    (void)zw_gauss_explain(g, sentence, size);
    zw_gauss_free(g);
    zw_context_free(context);
    return status;
}

static const struct {
    zw_status status;
    double M[4], A[4];
    zw_form form;
    int32_t inequalities;
} problems[] = {
    {ZW_ERR_NOT_SYMMETRIC, {1, 2, 0, 1}, {1, 0, 0, 1}, ZW_FORM_GAUSS, 0},
    {ZW_ERR_RANGE, {1e300, 0, 0, 1}, {1, 0, 0, 1}, ZW_FORM_GAUSS, 0},
    {ZW_ERR_INCONSISTENT, {1, 0, 0, 1}, {1, 0, 1, 0}, ZW_FORM_INVERSE_14, 0},
    {ZW_ERR_SINGULAR_MASS, {1, 0, 0, 0}, {1, 0, 0, 1}, ZW_FORM_MOORE_PENROSE, 0},
    {ZW_ERR_INEQUALITY, {1, 0, 0, 1}, {1, 0, 0, 1}, ZW_FORM_MOORE_PENROSE, 1},
};

/* ------------------------------------------------------------------------------ others */

static bool refuse(void *user, const char *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    return false;
}

/* A motion that bounces has no derivatives behind the impact. */
static void try_derivatives(bool *seen)
{
    bench b;
    zw_run_settings set;
    zw_outcome outcome;
    zw_columns *columns = NULL;
    bench_open(&b, "param g = 1\ncoord y\nkinetic y'^2/2\npotential g*y\nconstraint c: y >= 0\n"
                   "start y = 1\n");
    assert_int_equal(zw_columns_create(b.model, "d(y)/d(g)", &columns), ZW_OK);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
    set.until = 3.0;
    assert_int_equal(zw_sim_vary(b.sim, columns), ZW_OK);
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b.sim, 3.0, &outcome), ZW_ERR_DERIVATIVE);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
    expect_error(&b, ZW_ERR_DERIVATIVE);
    zw_columns_free(columns);
    bench_close(&b);
    seen[ZW_ERR_DERIVATIVE] = true;
}

/* Statuses of calls on a model that is right. */
static void try_calls(bool *seen)
{
    bench b;
    zw_run_settings set;
    zw_outcome outcome;
    size_t needed = 0;
    bench_open(&b, "param m = 1\ncoord x\nkinetic m*x'^2/2\n");
    assert_int_equal(zw_sim_conclude(b.sim), ZW_ERR_ORDER);
    expect_error(&b, ZW_ERR_ORDER);
    zw_context_clear_diagnostics(b.context);
    assert_int_equal(zw_sim_set_parameters(b.sim, "k = 2"), ZW_ERR_SETTING);
    expect_error(&b, ZW_ERR_SETTING);
    zw_context_clear_diagnostics(b.context);
    assert_int_equal(bench_start(&b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b.model, &set), ZW_OK);
    set.until = 1.0;
    set.tol = -1.0;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_ERR_ARGUMENT);
    expect_error(&b, ZW_ERR_ARGUMENT);
    zw_context_clear_diagnostics(b.context);
    set.tol = 1e-9;
    set.method = ZW_BDF;
    zw_status method = zw_sim_begin(b.sim, &set);
    if (method == ZW_OK) method = zw_sim_save(b.sim, NULL, 0, &needed);
    assert_int_equal(method, ZW_ERR_METHOD);
    expect_error(&b, ZW_ERR_METHOD);
    zw_context_clear_diagnostics(b.context);
    set.method = ZW_DOP853;
    assert_int_equal(zw_sim_begin(b.sim, &set), ZW_OK);
    zw_sim_cancel(b.sim);
    assert_int_equal(zw_sim_advance(b.sim, 1.0, &outcome), ZW_ERR_CANCELLED);
    assert_int_equal(zw_sim_conclude(b.sim), ZW_OK);
    expect_error(&b, ZW_ERR_CANCELLED);
    assert_int_equal(zw_sim_verdict(b.sim, ZW_REPORT_TEXT, refuse, NULL), ZW_ERR_WRITE);
    bench_close(&b);
    try_derivatives(seen);
    seen[ZW_ERR_ORDER] = seen[ZW_ERR_SETTING] = seen[ZW_ERR_ARGUMENT] = true;
    seen[ZW_ERR_METHOD] = seen[ZW_ERR_CANCELLED] = seen[ZW_ERR_WRITE] = true;
}

/* More coordinates than full matrices serve, where a form needs these. */
static void try_large(bool *seen)
{
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_run_settings set;
    static const char text[] = "coord x[2100]\nkinetic dot(x', x')/2\n";
    zw_model_source source = {.file = "large", .text = text, .length = sizeof text - 1};
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_context_set_solver(context, ZW_SOLVER_SPARSE), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
    assert_int_equal(zw_sim_start(sim, false), ZW_OK);
    assert_int_equal(zw_run_defaults(model, &set), ZW_OK);
    set.until = 1.0;
    set.form = ZW_FORM_MULTIPLIERS;
    assert_int_equal(zw_sim_begin(sim, &set), ZW_ERR_LARGE);
    assert_true(zw_context_diagnostic_count(context) > 0);
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    seen[ZW_ERR_LARGE] = true;
}

/* ---------------------------------------------------------------------------- together */

static void every_status_is_told(void **state)
{
    (void)state;
    bool seen[64] = {
        [ZW_OK] = true,
        /* no words without memory: tests/engine/test_engine_memory.c makes both happen */
        [ZW_ERR_MEMORY] = true,
        [ZW_ERR_BUDGET] = true,
        /* of zw_gauss_solve_friction: tests/gauss makes it happen */
        [ZW_ERR_CONFLICT] = true};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        bench b = {0};
        zw_status status = run_model(&b, models[i].text, models[i].until, models[i].steps);
        if (status != models[i].status)
            fail_msg("%s in place of %s", zw_status_name(status), zw_status_name(models[i].status));
        expect_error(&b, status);
        seen[status] = true;
        bench_close(&b);
    }
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        char sentence[300] = "";
        zw_status status = solve_two(problems[i].M, problems[i].A, problems[i].form,
                                     problems[i].inequalities, sentence, sizeof sentence);
        if (status != problems[i].status)
            fail_msg("%s in place of %s", zw_status_name(status),
                     zw_status_name(problems[i].status));
        assert_true(strlen(sentence) > 10);
        seen[status] = true;
    }
    try_calls(seen);
    try_large(seen);
#define STATUS_SEEN(name, value, sentence)                                                         \
    if (!seen[value]) fail_msg("%s is not made to happen", #name);
    ZW_STATUS_LIST(STATUS_SEEN)
#undef STATUS_SEEN
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_status_is_told)};
    return cmocka_run_group_tests_name("statuses", tests, NULL, NULL);
}
