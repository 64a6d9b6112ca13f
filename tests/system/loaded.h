/*
 * loaded.h: a model taken from text to a simulation through zwang.h, for tests.
 *
 * Every step can fail and that may be what is tested, so a `loaded` keeps the status of the last
 * step that was tried; whatever exists is freed by loaded_clear.
 */
#ifndef TESTS_SYSTEM_LOADED_H
#define TESTS_SYSTEM_LOADED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zwang.h>

typedef struct loaded {
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    zw_status status;
    int32_t n, m;
} loaded;

/* Sources of a model beside its text. Zero what is not needed. */
typedef struct load_options {
    const char *file;    /* name in messages; NULL: model.zw */
    const char *setting; /* one setting, "m = 2"; NULL: none */
    zw_module_fn module;
    void *user;
    zw_solver solver;
} load_options;

/* Compiles the text and makes a simulation. */
loaded load_text(const char *text, const load_options *options);
/* The same for tests/models/NAME.zw. */
loaded load_model(const char *name, const char *setting);
void loaded_clear(loaded *l);

/* Runs zw_sim_check; the report, which the caller frees, or NULL. Sets l->status. */
char *load_check(loaded *l, zw_report_form form);

/* All diagnostics as text; the caller frees it. "" when there are none. */
char *load_messages(const loaded *l);

/* The first line of the first diagnostic, without its file name; "" when there is none. */
char *load_first_line(const loaded *l);

/* A whole file; the caller frees it. Fails the test when it cannot be read. */
char *read_text(const char *path);

/* Whether `word` stands in `text` as a word: no letter, digit or underscore around it. Where it is,
 * or NULL. The last one: where it stands last. */
const char *find_word(const char *text, const char *word);
const char *find_last_word(const char *text, const char *word);

#endif
