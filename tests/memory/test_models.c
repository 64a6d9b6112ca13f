/*
 * Memory that runs out: every model under tests/models is compiled, started, checked, printed,
 * evaluated, and run for a few steps to a verdict, with the k-th allocation failing, for every k
 * until none fails. Each time the library must return ZW_ERR_MEMORY, give everything back, and work
 * when tried again.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "zwang.h"

enum { COLUMNS = 2000 };

typedef struct failing {
    long left;   /* allocations that still succeed; negative: all do */
    long blocks; /* held */
    long failed;
} failing;

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    failing *f = user;
    (void)old_size;
    if (new_size == 0) {
        if (block) f->blocks--;
        free(block);
        return NULL;
    }
    if (f->left == 0) {
        f->failed++;
        return NULL;
    }
    if (f->left > 0) f->left--;
    void *now = realloc(block, new_size);
    if (now && !block) f->blocks++;
    return now;
}

static bool swallow(void *user, const char *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
    return true;
}

/* A few steps and what is said about them. Advance takes no memory and stops at the limit. */
static zw_status run_a_little(zw_model *model, zw_sim *sim)
{
    zw_run_settings settings;
    zw_outcome outcome;
    zw_columns *columns = NULL;
    double t = 0, row[COLUMNS];
    zw_status status = zw_run_defaults(model, &settings);
    settings.max_steps = 3;
    if (status == ZW_OK) status = zw_columns_create(model, "all", &columns);
    if (status == ZW_OK) status = zw_sim_begin(sim, &settings);
    if (status == ZW_OK) status = zw_sim_state(sim, &t, NULL, NULL);
    double end = settings.until > t ? settings.until : t + 1;
    for (int k = 1; k <= 2 && status == ZW_OK; k++) {
        status = zw_sim_advance(sim, t + (end - t) * k / 2, &outcome);
    }
    if (status == ZW_ERR_LIMIT) status = ZW_OK;
    if (status == ZW_OK) {
        assert_true(zw_columns_count(columns) <= COLUMNS);
        status = zw_sim_columns(sim, columns, row);
    }
    if (status == ZW_OK) status = zw_sim_conclude(sim);
    if (status == ZW_OK) status = zw_sim_verdict(sim, ZW_REPORT_TEXT, swallow, NULL);
    if (status == ZW_OK) status = zw_sim_verdict(sim, ZW_REPORT_JSON, swallow, NULL);
    zw_columns_free(columns);
    return status;
}

/* Everything that can be done with a model, until the first failure. */
static zw_status use_text(zw_context *context, const char *text, size_t length)
{
    zw_model_source source = {.file = "model", .text = text, .length = length};
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_status status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_model_derive(model, ZW_REPORT_TEXT, swallow, NULL);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_sim_start(sim, true);
    if (status == ZW_OK) status = zw_sim_check(sim, true, ZW_REPORT_JSON, swallow, NULL);
    zw_instant nothing = {0};
    if (status == ZW_OK) status = zw_sim_instant(sim, &nothing);
    if (status == ZW_OK) status = run_a_little(model, sim);
    zw_sim_free(sim);
    zw_model_free(model);
    return status;
}

static char *read_text(const char *name, size_t *length)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", ZW_TEST_MODELS, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    *length = fread(text, 1, (size_t)size, file);
    fclose(file);
    return text;
}

/* The status with the k-th allocation failing; everything must have been given back. */
static zw_status fail_at(long k, const char *text, size_t length, bool *reached)
{
    failing f = {.left = -1};
    zw_allocator allocator = {.resize = resize, .user = &f};
    zw_context *context = NULL;
    assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
    f.left = k;
    zw_status status = use_text(context, text, length);
    *reached = f.failed > 0;
    f.left = -1;
    if (*reached) assert_int_equal(use_text(context, text, length), ZW_OK);
    zw_context_free(context);
    if (f.blocks != 0) fail_msg("allocation %ld: %ld blocks are lost", k, f.blocks);
    return status;
}

/* With small tables there are many more allocations: some of them, others for each model. */
#ifdef ZB_SMALL_TABLES
enum { STRIDE = 53 };
#else
enum { STRIDE = 1 };
#endif

static void try_model(const char *name)
{
    size_t length;
    char *text = read_text(name, &length);
    bool reached = true;
    long k = (long)(length % STRIDE);
    for (; reached; k += STRIDE) {
        zw_status status = fail_at(k, text, length, &reached);
        if (reached && status != ZW_ERR_MEMORY)
            fail_msg("%s: allocation %ld: %s", name, k, zw_status_sentence(status));
        if (!reached && status != ZW_OK) fail_msg("%s: %s", name, zw_status_sentence(status));
    }
    printf("%s: about %ld allocations\n", name, k - STRIDE);
    assert_true(k > 10);
    free(text);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    DIR *folder = opendir(ZW_TEST_MODELS);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".zw") != 0) continue;
        try_model(entry->d_name);
        count++;
    }
    closedir(folder);
    assert_true(count >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
