/*
 * test_evaluators.c: byte code and machine code give the same bits.
 *
 * Every model of tests/models, the problems of tests/reference among them, runs with every column
 * by byte code, by machine code, by what is chosen and by byte code once more, all with one
 * compiled model; rows, outcome and counts are those of the first. On x86-64 with AVX2 there must
 * be machine code, unless the system refuses it.
 */
#include "loaded.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 12 };

typedef struct trace {
    double *rows; /* [count * columns]; owned */
    int32_t columns, count;
    zw_status status;
    zw_outcome outcome;
    zw_run_statistics stats;
} trace;

/* Rows of all columns at equal times until the end or a failure, which is compared, too. */
static trace traced(const char *name, loaded *l, const zw_run_settings *settings)
{
    trace t = {.outcome = ZW_REACHED};
    zw_columns *columns = NULL;
    assert_int_equal(zw_columns_create(l->model, "all", &columns), ZW_OK);
    t.columns = zw_columns_count(columns);
    t.rows = calloc((size_t)(ROWS * t.columns), sizeof *t.rows);
    assert_non_null(t.rows);
    t.status = zw_sim_start(l->sim, true);
    if (t.status == ZW_OK) t.status = zw_sim_begin(l->sim, settings);
    if (t.status != ZW_OK) fail_msg("%s does not begin: %s", name, zw_status_name(t.status));
    for (; t.count < ROWS && t.status == ZW_OK && t.outcome == ZW_REACHED; t.count++) {
        double at = settings->from + (settings->until - settings->from) * t.count / (ROWS - 1);
        t.status = zw_sim_advance(l->sim, fmin(at, settings->until), &t.outcome);
        (void)zw_sim_columns(l->sim, columns, t.rows + t.count * t.columns);
    }
    assert_int_equal(zw_sim_statistics(l->sim, &t.stats), ZW_OK);
    zw_columns_free(columns);
    return t;
}

static void expect_same(const char *name, zw_kernel kernel, const trace *x, const trace *y)
{
    const zw_run_statistics *a = &x->stats, *b = &y->stats;
    const char *by = zw_kernel_name(kernel);
    if (x->status != y->status || x->outcome != y->outcome || x->count != y->count) {
        fail_msg("%s by %s ends otherwise", name, by);
    }
    for (int32_t i = 0; i < x->count * x->columns; i++) {
        bool none = isnan(x->rows[i]) && isnan(y->rows[i]);
        if (none || memcmp(&x->rows[i], &y->rows[i], sizeof *x->rows) == 0) continue;
        fail_msg("%s by %s: column %d of row %d is %.17g, not %.17g", name, by, i % x->columns,
                 i / x->columns, x->rows[i], y->rows[i]);
    }
    if (a->steps != b->steps || a->rejected != b->rejected || a->evaluations != b->evaluations ||
        a->projection_iterations != b->projection_iterations || a->events != b->events ||
        memcmp(a->roads, b->roads, sizeof a->roads) != 0 || a->trust != b->trust) {
        fail_msg("%s by %s has other counts", name, by);
    }
}

/* What evaluated is what was asked for. */
static void expect_kernel(const char *name, zw_kernel asked, const zw_run_statistics *s)
{
    if (asked == ZW_KERNEL_BYTECODE) {
        assert_int_equal(s->kernel, ZW_KERNEL_BYTECODE);
        assert_string_equal(s->kernel_reason, "not asked for");
        return;
    }
    assert_true((s->kernel == ZW_KERNEL_NATIVE) == (s->kernel_reason == NULL));
#if defined(__x86_64__) && defined(__linux__)
    if (s->kernel_reason != NULL && __builtin_cpu_supports("avx2") &&
        strstr(s->kernel_reason, "refuses") == NULL) {
        fail_msg("%s has no machine code: %s", name, s->kernel_reason);
    }
#endif
    if (s->kernel_reason != NULL) return;
    assert_true(s->native_programs > 0 && s->native_bytes > 0 && s->native_seconds > 0.0);
}

static void compare_kernels(const char *name, zw_method method)
{
    static const zw_kernel kernels[] = {ZW_KERNEL_BYTECODE, ZW_KERNEL_NATIVE, ZW_KERNEL_AUTO,
                                        ZW_KERNEL_BYTECODE};
    loaded l = load_model(name, NULL);
    zw_run_settings settings;
    trace first = {0};
    if (l.status != ZW_OK) fail_msg("%s: %s", name, zw_status_name(l.status));
    assert_int_equal(zw_run_defaults(l.model, &settings), ZW_OK);
    settings.accept_inconsistent = true;
    settings.method = method;
    settings.max_steps = 300;
    if (isnan(settings.until)) settings.until = settings.from + 1;
    settings.until = fmin(settings.until, settings.from + 1);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        settings.kernel = kernels[k];
        trace t = traced(name, &l, &settings);
        expect_kernel(name, kernels[k], &t.stats);
        if (k == 0) {
            first = t;
            continue;
        }
        expect_same(name, kernels[k], &t, &first);
        free(t.rows);
    }
    free(first.rows);
    loaded_clear(&l);
}

/* All models, by name. */
static void compare_all(zw_method method, int least)
{
    DIR *folder = opendir(ZW_TEST_MODELS);
    int count = 0;
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[256];
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 3, ".zw") != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)length - 3, entry->d_name);
        compare_kernels(name, method);
        count++;
    }
    closedir(folder);
    assert_true(count >= least);
}

static void test_dop853(void **state)
{
    (void)state;
    compare_all(ZW_DOP853, 30);
}

static void test_dopri5(void **state)
{
    (void)state;
    compare_all(ZW_DOPRI5, 30);
}

static void test_gauss16(void **state)
{
    (void)state;
    compare_all(ZW_GAUSS16, 30);
}

/* The listing of programs: arguments, and that each way of looking shows its part. */
static bool append(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

static char *listed(const loaded *l, zw_kernel kernel, int32_t lanes)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    assert_int_equal(zw_model_programs(l->model, kernel, lanes, append, out), ZW_OK);
    fclose(out);
    return text;
}

static bool refuse(void *user, const char *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
    return false;
}

static void test_listing(void **state)
{
    (void)state;
    loaded l = load_model("pendulum", NULL);
    assert_int_equal(l.status, ZW_OK);
    char *both = listed(&l, ZW_KERNEL_AUTO, 1), *code = listed(&l, ZW_KERNEL_BYTECODE, 8);
    assert_non_null(strstr(both, "\nbyte code\n"));
    assert_non_null(strstr(both, "\nmachine code, 1 lane\n"));
    assert_non_null(strstr(code, "\nbyte code\n"));
    assert_null(strstr(code, "\nmachine code"));
    free(both);
    free(code);
    assert_int_equal(zw_model_programs(l.model, ZW_KERNEL_AUTO, 2, refuse, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_model_programs(l.model, ZW_KERNEL_AUTO, 1, NULL, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_model_programs(NULL, ZW_KERNEL_AUTO, 1, refuse, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_model_programs(l.model, (zw_kernel)3, 1, refuse, NULL), ZW_ERR_ARGUMENT);
    assert_int_equal(zw_model_programs(l.model, ZW_KERNEL_AUTO, 1, refuse, NULL), ZW_ERR_WRITE);
    loaded_clear(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dop853),
        cmocka_unit_test(test_dopri5),
        cmocka_unit_test(test_gauss16),
        cmocka_unit_test(test_listing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
