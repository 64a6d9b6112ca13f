/*
 * Memory that runs out: every model of a folder is compiled, started, checked, printed, evaluated,
 * differentiated, and run for a few steps to a verdict, alone and as an ensemble, with the k-th
 * allocation failing, for every k until none fails, or for some of them. Each time the library must
 * return ZW_ERR_MEMORY, give everything back, and work when tried again.
 *
 *     memory_models [FOLDER [POINTS]]     POINTS: so many k for each model, spread; 0: every one
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "zwang.h"

enum { COLUMNS = 2000, MEMBERS = 3 };
static const char *folder = ZW_TEST_MODELS;
static long points;

typedef struct failing {
    long left;   /* allocations that still succeed; negative: all do */
    long blocks; /* held */
    long failed;
    long asked; /* allocations so far */
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
    f->asked++;
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

/* Three members from the same start, in one thread: which allocation is the k-th is then the same
 * every time. */
static zw_status run_ensemble(zw_model *model, zw_sim *sim)
{
    size_t n = (size_t)zw_model_coordinate_count(model);
    double *state = calloc(2 * n * MEMBERS + 1, sizeof *state);
    assert_non_null(state);
    zw_member member[MEMBERS] = {0};
    zw_ensemble e = {.count = MEMBERS, .state = state, .threads = 1, .members = member};
    zw_run_settings settings;
    zw_status status = zw_run_defaults(model, &settings);
    settings.max_steps = 3;
    if (status == ZW_OK) status = zw_sim_state(sim, &e.t, state, state + n);
    for (size_t k = 1; k < MEMBERS; k++) memcpy(state + 2 * n * k, state, 2 * n * sizeof *state);
    if (!(settings.until > e.t)) settings.until = e.t + 1;
    if (status == ZW_OK) status = zw_ensemble_run(model, &settings, &e);
    for (int k = 0; k < MEMBERS; k++)
        if (member[k].status == ZW_ERR_MEMORY) status = ZW_ERR_MEMORY;
    free(state);
    return status;
}

/* Many models have none at their start, or no place for it: what counts is that memory is told. */
static zw_status differentiate(zw_sim *sim)
{
    zw_linearization *found = NULL;
    zw_linearize asked = {0};
    zw_status status = zw_sim_linearize(sim, &asked, &found);
    zw_linearization_free(found);
    return status == ZW_ERR_MEMORY ? status : ZW_OK;
}

/* A model that has files of data asks for them. */
static char data_text[1 << 20];
static bool give_data(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    char path[1000];
    (void)user;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    *length = fread(data_text, 1, sizeof data_text, f);
    (void)fclose(f);
    *file = name;
    *text = data_text;
    return true;
}

/* Everything that can be done with a model, until the first failure. */
static zw_status use_text(zw_context *context, const char *text, size_t length)
{
    zw_model_source source = {.file = "model", .text = text, .length = length, .data = give_data};
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_status status = zw_model_compile(context, &source, &model);
    if (status == ZW_OK) status = zw_model_derive(model, ZW_REPORT_TEXT, swallow, NULL);
    if (status == ZW_OK) status = zw_sim_create(model, &sim);
    if (status == ZW_OK) status = zw_sim_start(sim, true);
    if (status == ZW_OK) status = zw_sim_check(sim, true, ZW_REPORT_JSON, swallow, NULL);
    zw_instant nothing = {0};
    if (status == ZW_OK) status = zw_sim_instant(sim, &nothing);
    if (status == ZW_OK) status = differentiate(sim);
    if (status == ZW_OK) status = run_a_little(model, sim);
    if (status == ZW_OK) status = run_ensemble(model, sim);
    zw_sim_free(sim);
    zw_model_free(model);
    return status;
}

static char *read_text(const char *name, size_t *length)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
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

/* The status with the k-th allocation failing; everything must have been given back. otherwise: the
 * status when nothing fails. */
static zw_status fail_at(long k, const char *text, size_t length, zw_status otherwise,
                         bool *reached)
{
    failing f = {.left = -1};
    zw_allocator allocator = {.resize = resize, .user = &f};
    zw_context *context = NULL;
    assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
    f.left = k;
    zw_status status = use_text(context, text, length);
    *reached = f.failed > 0;
    f.left = -1;
    zw_status again = *reached ? use_text(context, text, length) : otherwise;
    if (again != otherwise)
        fail_msg("after allocation %ld failed: %s", k, zw_status_sentence(again));
    zw_context_free(context);
    if (f.blocks != 0) fail_msg("allocation %ld: %ld blocks are lost", k, f.blocks);
    return status;
}

/* How many allocations there are when none fails, and what the status is. */
static long count_allocations(const char *text, size_t length, zw_status *status)
{
    failing f = {.left = -1};
    zw_allocator allocator = {.resize = resize, .user = &f};
    zw_context *context = NULL;
    assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
    *status = use_text(context, text, length);
    zw_context_free(context);
    return f.asked;
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
    printf("%s\n", name);
    (void)fflush(stdout); /* a failure is its own */
    char *text = read_text(name, &length);
    bool reached = true;
    zw_status otherwise;
    long all = count_allocations(text, length, &otherwise);
    long stride = points > 0 && all / points > STRIDE ? all / points : STRIDE;
    long k = (long)(length % (size_t)stride), tried = 0;
    for (; reached; k += stride, tried++) {
        zw_status status = fail_at(k, text, length, otherwise, &reached);
        if (reached && status != ZW_ERR_MEMORY)
            fail_msg("%s: allocation %ld: %s", name, k, zw_status_sentence(status));
        if (!reached && status != otherwise) fail_msg("%s: %s", name, zw_status_sentence(status));
    }
    printf("%s: %ld of %ld allocations, otherwise %s\n", name, tried, all,
           zw_status_sentence(otherwise));
    assert_true(all > 10);
    free(text);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    DIR *list = opendir(folder);
    assert_non_null(list);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(list));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".zw") != 0) continue;
        try_model(entry->d_name);
        count++;
    }
    closedir(list);
    assert_true(count >= 20);
}

int main(int argc, char **argv)
{
    if (argc > 1) folder = argv[1];
    if (argc > 2) points = atol(argv[2]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
