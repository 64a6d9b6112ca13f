/*
 * Models of the gallery as FMUs beside the library: Co-Simulation over the first part of the model's own
 * time has the bits of a run with the same settings.
 *
 *     fmi_gallery_units [MODEL.zw...]
 *
 * One line for each model; status 1 where one differs.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zwang.h>

#include "importer.h"

enum { points = 12, most_texts = 16, most = 4096 };

typedef struct texts {
    char folder[500];
    char *kept[most_texts];
    int count;
} texts;

static char *read_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *length = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *length, file), *length);
    text[*length] = 0;
    assert_int_equal(fclose(file), 0);
    return text;
}

/* Files of data lie beside the model. */
static bool find_data(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    texts *t = user;
    char path[900];
    (void)snprintf(path, sizeof path, "%s%s", t->folder, name);
    assert_true(t->count < most_texts);
    *text = read_text(path, length);
    *file = name;
    if (*text) t->kept[t->count++] = (char *)(uintptr_t)*text;
    return *text != NULL;
}

/* A run as the FMU makes it. False: the model does not start. */
static bool begin_run(zw_model *model, zw_sim *sim, zw_run_settings *s)
{
    for (int32_t i = 0; i < zw_model_parameter_count(model); i++) {
        char name[200];
        int32_t handle = 0;
        (void)zw_model_parameter_name(model, i, name, sizeof name);
        if (zw_model_is_input(model, i))
            assert_int_equal(zw_sim_parameter_handle(sim, name, &handle), ZW_OK);
    }
    assert_int_equal(zw_run_defaults(model, s), ZW_OK);
    if (s->method == ZW_BDF || s->method == ZW_AUTO) s->method = ZW_DOP853;
    double until = s->until;
    s->until = (double)NAN;
    if (zw_sim_start(sim, s->accept_inconsistent) != ZW_OK) return false;
    assert_int_equal(zw_sim_begin(sim, s), ZW_OK);
    s->until = isnan(until) ? s->from + 1.0 : until;
    return true;
}

/* Whether all coordinates and velocities are the same bits. */
static bool agrees(fmu *f, void *c, zw_sim *sim, int32_t n)
{
    static double q[most], v[most];
    bool same = true;
    assert_true(n <= most);
    assert_int_equal(zw_sim_state(sim, NULL, q, v), ZW_OK);
    for (int32_t i = 0; i < 2 * n && same; i++) {
        double value = 0.0, own = i < n ? q[i] : v[i - n];
        assert_int_equal(fmu_get(f, c, (uint32_t)(1 + i), &value), FMU_OK);
        same = memcmp(&value, &own, sizeof own) == 0;
    }
    return same;
}

/* Communication points of both, until one of them ends. */
static bool compare(fmu *f, zw_sim *sim, const zw_run_settings *s, int32_t n)
{
    void *c = fmu_instantiate(f, false);
    bool same = c != NULL;
    double t = s->from, h = fmin(s->until - s->from, 2.0) / points;
    if (!c) fail_msg("%s", said);
    assert_int_equal(f->setup(c, 0, 0.0, s->from, 0, 0.0), FMU_OK);
    assert_int_equal(f->enter_init2(c), FMU_OK);
    if (f->exit_init(c) != FMU_OK) fail_msg("%s", said);
    for (int k = 0; k < points && same; k++) {
        zw_outcome outcome = ZW_REACHED;
        zw_status status = zw_sim_advance(sim, t + h, &outcome);
        int answer = fmu_step(f, c, t, h);
        same = agrees(f, c, sim, n);
        if (status != ZW_OK || outcome != ZW_REACHED) {
            same = same && answer == (status == ZW_OK ? FMU_DISCARD : FMU_ERROR);
            break;
        }
        same = same && answer == FMU_OK;
        t = t + h;
    }
    f->release(c);
    return same;
}

static bool check_model(const char *path)
{
    texts t = {.count = 0};
    size_t length = 0;
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    zw_run_settings settings;
    fmu f;
    const char *slash = strrchr(path, '/');
    (void)snprintf(t.folder, sizeof t.folder, "%.*s", slash ? (int)(slash - path + 1) : 0, path);
    char *text = read_text(path, &length);
    assert_non_null(text);
    zw_model_source source = {
        .file = path, .text = text, .length = length, .data = find_data, .user = &t};
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    assert_int_equal(zw_context_set_threads(context, 1), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
    bool same = true, starts = begin_run(model, sim, &settings);
    if (starts) {
        fmu_open_model(&f, path, 2);
        same = compare(&f, sim, &settings, zw_model_coordinate_count(model));
        fmu_close(&f);
    }
    printf("%s: %s\n", path, !starts ? "does not start" : same ? "same bits" : "DIFFERS");
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
    while (t.count > 0) free(t.kept[--t.count]);
    free(text);
    return same;
}

static char **models;
static int model_count;

static void test_gallery(void **state)
{
    int differ = 0, seen = 0;
    for (int k = 0; k < model_count; k++, seen++) differ += !check_model(models[k]);
    assert_int_equal(differ, 0);
    assert_true(seen > 0);
    (void)state;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gallery)};
    static char first[] = TEST_MODELS, second[] = TEST_MODELS_TOO;
    static char *usual[] = {first, second};
    models = argc > 1 ? argv + 1 : usual;
    model_count = argc > 1 ? argc - 1 : 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
