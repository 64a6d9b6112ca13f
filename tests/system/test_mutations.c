/*
 * test_mutations.c: good models say nothing; spoiled ones name what is wrong with them.
 *
 * Every model of tests/models is compiled and checked as it is, and then once for each of its
 * `#!` lines (mutation.h). All failures are shown, not only the first.
 */
#include "loaded.h"
#include "mutation.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MODELS = 200, NAME = 300 };

typedef struct gallery {
    char names[MODELS][NAME];
    int count;
} gallery;

/* ---------------------------------------------------------------- the models */

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void find_models(gallery *g)
{
    DIR *folder = opendir(ZW_TEST_MODELS);
    assert_non_null(folder);
    g->count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".zw") != 0 || g->count == MODELS) continue;
        snprintf(g->names[g->count++], NAME, "%s", entry->d_name);
    }
    closedir(folder);
    qsort(g->names, (size_t)g->count, NAME, by_name);
}

static char *model_text(const char *name)
{
    char path[2 * NAME + sizeof ZW_TEST_MODELS];
    snprintf(path, sizeof path, "%s/%s", ZW_TEST_MODELS, name);
    return read_text(path);
}

/* Compiles and checks; what was said is in the context. */
static loaded examined(const char *text)
{
    loaded l = load_text(text, NULL);
    if (l.sim != NULL && l.status == ZW_OK) free(load_check(&l, ZW_REPORT_TEXT));
    return l;
}

/* ---------------------------------------------------------------- complaints */

static int failures;

static void complain(const char *model, const char *what, const loaded *l)
{
    char *messages = load_messages(l);
    failures++;
    print_error("%s: %s\n  status %s\n%s%s", model, what, zw_status_name(l->status), messages,
                *messages == '\0' ? "  (no message)\n" : "\n");
    free(messages);
}

/* ------------------------------------------------------------- as they stand */

/* What is expected of a model as it stands: silence, or the remark it asks for. */
static void try_good(const char *name, const char *text)
{
    mutation m;
    bool remark = false;
    for (const char *at = text; !remark && mutation_next(&at, &m);) {
        remark = m.kind == MUTATION_REMARK;
    }
    loaded l = examined(text);
    int32_t said = zw_context_diagnostic_count(l.context);
    char *line = load_first_line(&l);
    if (l.status != ZW_OK)
        complain(name, "is refused", &l);
    else if (!remark && said != 0)
        complain(name, "should say nothing", &l);
    else if (remark && (said == 0 || !mutation_named(&m, line)))
        complain(name, m.line, &l);
    free(line);
    loaded_clear(&l);
}

static void test_good(void **state)
{
    gallery *g = *state;
    failures = 0;
    for (int i = 0; i < g->count; i++) {
        char *text = model_text(g->names[i]);
        try_good(g->names[i], text);
        free(text);
    }
    if (failures > 0) fail_msg("%d of %d good models", failures, g->count);
}

/* -------------------------------------------------------------------- spoiled */

/* The status a mutation must lead to. */
static bool right_status(const mutation *m, const loaded *l)
{
    switch (m->kind) {
    case MUTATION_MISSPELL:
        return l->status == ZW_ERR_MODEL;
    case MUTATION_MASSLESS:
        return l->status == ZW_ERR_MODEL || l->status == ZW_ERR_UNDETERMINED;
    case MUTATION_REPEAT:
        return l->status == ZW_OK;
    default:
        return l->status == ZW_OK || l->status == ZW_ERR_START;
    }
}

/* A misspelled word is told what was meant. */
static bool suggests(const mutation *m, const loaded *l)
{
    const char *meant = strrchr(m->old, '.') != NULL ? strrchr(m->old, '.') + 1 : m->old;
    char *messages = load_messages(l);
    bool yes = m->kind != MUTATION_MISSPELL || strlen(meant) < 3 ||
               (strstr(messages, "did you mean") != NULL && find_word(messages, meant) != NULL);
    free(messages);
    return yes;
}

static void try_mutation(const char *name, const mutation *m, const char *stripped)
{
    char *text = mutation_apply(m, stripped);
    char what[MUTATION_TEXT + 64];
    if (text == NULL) fail_msg("%s: nothing to change for `%s`", name, m->line);
    loaded l = examined(text);
    char *line = load_first_line(&l);
    const char *wrong = NULL;
    if (zw_context_diagnostic_count(l.context) == 0)
        wrong = "says nothing";
    else if (!mutation_named(m, line))
        wrong = "does not name the culprit in its first line";
    else if (!right_status(m, &l))
        wrong = "has the wrong status";
    else if (!suggests(m, &l))
        wrong = "does not suggest the right word";
    if (wrong != NULL) {
        snprintf(what, sizeof what, "%s: %s", m->line, wrong);
        complain(name, what, &l);
    }
    free(line);
    free(text);
    loaded_clear(&l);
}

/* Tries one kind on all models; how many had it. */
static int try_kind(const gallery *g, mutation_kind kind)
{
    int tried = 0;
    for (int i = 0; i < g->count; i++) {
        char *text = model_text(g->names[i]), *stripped = mutation_strip(text);
        mutation m;
        for (const char *at = text; mutation_next(&at, &m);) {
            if (m.kind == MUTATION_NONE) fail_msg("%s: not understood: %s", g->names[i], m.line);
            if (m.kind != kind) continue;
            tried++;
            try_mutation(g->names[i], &m, stripped);
        }
        free(stripped);
        free(text);
    }
    return tried;
}

static void test_kind(const gallery *g, mutation_kind kind)
{
    failures = 0;
    int tried = try_kind(g, kind);
    if (failures > 0) fail_msg("%d of %d spoiled models", failures, tried);
    assert_true(tried >= 20);
}

static void test_massless(void **state)
{
    test_kind(*state, MUTATION_MASSLESS);
}

static void test_repeat(void **state)
{
    test_kind(*state, MUTATION_REPEAT);
}

static void test_contradict(void **state)
{
    test_kind(*state, MUTATION_CONTRADICT);
}

static void test_misspell(void **state)
{
    test_kind(*state, MUTATION_MISSPELL);
}

static void test_misplace(void **state)
{
    test_kind(*state, MUTATION_MISPLACE);
}

int main(void)
{
    static gallery all;
    find_models(&all);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_good, &all),
        cmocka_unit_test_prestate(test_massless, &all),
        cmocka_unit_test_prestate(test_repeat, &all),
        cmocka_unit_test_prestate(test_contradict, &all),
        cmocka_unit_test_prestate(test_misspell, &all),
        cmocka_unit_test_prestate(test_misplace, &all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
