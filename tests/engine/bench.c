/*
 * See bench.h.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static zw_solver solver = ZW_SOLVER_AUTO;

int bench_auto(void **state)
{
    (void)state;
    solver = ZW_SOLVER_AUTO;
    return 0;
}

int bench_sparse(void **state)
{
    (void)state;
    solver = ZW_SOLVER_SPARSE;
    return 0;
}

/* A zw_module_fn: the files of data that docs/messages speaks of, from 0 to 10. */
static bool give_bench_rows(void *user, const char *name, const char **file, const char **text,
                            size_t *length)
{
    (void)user;
    *file = name;
    *text = "0,1\n5,2\n10,1.5\n";
    *length = strlen(*text);
    return strcmp(name, "push.csv") == 0 || strcmp(name, "road.csv") == 0;
}

zw_status bench_compile(bench *b, const char *text)
{
    memset(b, 0, sizeof *b);
    assert_int_equal(zw_context_create(NULL, &b->context), ZW_OK);
    assert_int_equal(zw_context_set_solver(b->context, solver), ZW_OK);
    zw_model_source source = {
        .file = "model.zw", .text = text, .length = strlen(text), .data = give_bench_rows};
    zw_status status = zw_model_compile(b->context, &source, &b->model);
    if (status != ZW_OK) return status;
    assert_int_equal(zw_sim_create(b->model, &b->sim), ZW_OK);
    b->n = zw_model_coordinate_count(b->model);
    b->m = zw_model_row_count(b->model);
    return ZW_OK;
}

void bench_open(bench *b, const char *text)
{
    zw_status status = bench_compile(b, text);
    for (int32_t i = 0; i < zw_context_diagnostic_count(b->context) && status != ZW_OK; i++) {
        const zw_diagnostic *d = zw_context_diagnostic(b->context, i);
        printf("%s %d: %s\n", d->code, (int)d->line, d->sentence);
    }
    assert_int_equal(status, ZW_OK);
}

void bench_close(bench *b)
{
    zw_sim_free(b->sim);
    zw_model_free(b->model);
    zw_context_free(b->context);
    free(b->report);
    memset(b, 0, sizeof *b);
}

zw_status bench_start(bench *b, bool accept)
{
    zw_status status = zw_sim_start(b->sim, accept);
    assert_true(b->n <= 64);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
    return status;
}

static bool append(void *user, const char *bytes, size_t size)
{
    bench *b = user;
    char *grown = realloc(b->report, b->report_size + size + 1);
    if (!grown) return false;
    memcpy(grown + b->report_size, bytes, size);
    b->report = grown;
    b->report_size += size;
    b->report[b->report_size] = '\0';
    return true;
}

zw_status bench_check(bench *b, bool accept, zw_report_form form)
{
    free(b->report);
    b->report = NULL;
    b->report_size = 0;
    return zw_sim_check(b->sim, accept, form, append, b);
}

const zw_diagnostic *bench_message(const bench *b, const char *code)
{
    for (int32_t i = 0; i < zw_context_diagnostic_count(b->context); i++) {
        const zw_diagnostic *d = zw_context_diagnostic(b->context, i);
        if (d->code && strcmp(d->code, code) == 0) return d;
    }
    return NULL;
}

void bench_expect(const bench *b, const char *code, const char *words)
{
    const zw_diagnostic *d = bench_message(b, code);
    if (!d) fail_msg("there is no %s", code);
    if (!strstr(d->sentence, words)) fail_msg("%s does not say '%s': %s", code, words, d->sentence);
}

bool bench_contains(const bench *b, const char *words)
{
    return b->report && strstr(b->report, words) != NULL;
}

void bench_compare_members(const bench *b, const char *name, const double *values, int32_t count,
                           double until)
{
    size_t n = (size_t)b->n, row = 2 * n;
    double *ends = malloc(sizeof *ends * row * (size_t)count), q[64], v[64];
    zw_run_settings set;
    assert_non_null(ends);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = until;
    for (size_t k = 0; k < (size_t)count; k++) {
        memcpy(ends + row * k, b->q, n * sizeof *ends);
        memcpy(ends + row * k + n, b->v, n * sizeof *ends);
    }
    zw_ensemble all = {.count = count,
                       .state = ends,
                       .names = &name,
                       .name_count = 1,
                       .values = values,
                       .threads = 2};
    assert_int_equal(zw_ensemble_run(b->model, &set, &all), ZW_OK);
    for (size_t k = 0; k < (size_t)count; k++) {
        char text[80];
        zw_outcome outcome;
        snprintf(text, sizeof text, "%s = %.17g", name, values[k]);
        assert_int_equal(zw_sim_set_parameters(b->sim, text), ZW_OK);
        assert_int_equal(zw_sim_set_state(b->sim, 0.0, b->q, b->v), ZW_OK);
        assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
        assert_int_equal(zw_sim_advance(b->sim, until, &outcome), ZW_OK);
        assert_int_equal(zw_sim_state(b->sim, NULL, q, v), ZW_OK);
        assert_memory_equal(q, ends + row * k, n * sizeof *q);
        assert_memory_equal(v, ends + row * k + n, n * sizeof *v);
    }
    free(ends);
}

static void swap_numbers(long double *a, long double *b)
{
    long double x = *a;
    *a = *b;
    *b = x;
}

void bench_solve(int size, long double *X, long double *r)
{
    for (int i = 0; i < size; i++) {
        int best = i;
        for (int k = i + 1; k < size; k++)
            if (fabsl(X[k * size + i]) > fabsl(X[best * size + i])) best = k;
        for (int j = 0; j < size; j++) swap_numbers(&X[i * size + j], &X[best * size + j]);
        swap_numbers(&r[i], &r[best]);
        for (int k = 0; k < size; k++) {
            long double part = k == i ? 0.0L : X[k * size + i] / X[i * size + i];
            for (int j = i; j < size; j++) X[k * size + j] -= part * X[i * size + j];
            r[k] -= part * r[i];
        }
    }
    for (int i = 0; i < size; i++) r[i] /= X[i * size + i];
}

void bench_near(double x, double y, double tolerance)
{
    if (!(fabs(x - y) <= tolerance)) fail_msg("%.17g is not %.17g to %g", x, y, tolerance);
}

char *bench_read_page(const char *path)
{
    enum { most = 1 << 18 };
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    char *text = calloc(1, most);
    assert_non_null(text);
    assert_true(fread(text, 1, most - 1, file) > 1000);
    (void)fclose(file);
    return text;
}

char *bench_next_block(const char **at, const char *end)
{
    const char *open = strstr(*at, "\n```\n");
    if (!open || open >= end) return NULL;
    const char *close = strstr(open + 5, "\n```\n");
    assert_non_null(close);
    size_t size = (size_t)(close + 1 - (open + 5));
    char *block = malloc(size + 1);
    assert_non_null(block);
    memcpy(block, open + 5, size);
    block[size] = '\0';
    *at = close + 4;
    return block;
}
