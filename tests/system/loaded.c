/*
 * loaded.c: from text to a simulation, and what was said on the way.
 */
#include "loaded.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ------------------------------------------------------------------- loading */

loaded load_text(const char *text, const load_options *options)
{
    static const load_options none = {0};
    const load_options *o = options != NULL ? options : &none;
    loaded l = {0};
    assert_int_equal(zw_context_create(NULL, &l.context), ZW_OK);
    assert_int_equal(zw_context_set_solver(l.context, o->solver), ZW_OK);
    zw_model_source source = {.file = o->file != NULL ? o->file : "model.zw",
                              .text = text,
                              .length = strlen(text),
                              .settings = &o->setting,
                              .setting_count = o->setting != NULL,
                              .module = o->module,
                              .user = o->user};
    l.status = zw_model_compile(l.context, &source, &l.model);
    if (l.status == ZW_OK) {
        l.n = zw_model_coordinate_count(l.model);
        l.m = zw_model_row_count(l.model);
        l.status = zw_sim_create(l.model, &l.sim);
    }
    return l;
}

loaded load_model(const char *name, const char *setting)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.zw", ZW_TEST_MODELS, name);
    char *text = read_text(path);
    loaded l = load_text(text, &(load_options){.setting = setting});
    free(text);
    return l;
}

void loaded_clear(loaded *l)
{
    zw_sim_free(l->sim);
    zw_model_free(l->model);
    zw_context_free(l->context);
    *l = (loaded){0};
}

/* ------------------------------------------------------------------ messages */

typedef struct growing {
    char *text;
    size_t length;
} growing;

static bool append(void *user, const char *bytes, size_t size)
{
    growing *to = user;
    char *longer = realloc(to->text, to->length + size + 1);
    if (longer == NULL) return false;
    to->text = longer;
    memcpy(to->text + to->length, bytes, size);
    to->length += size;
    to->text[to->length] = '\0';
    return true;
}

char *load_check(loaded *l, zw_report_form form)
{
    growing report = {0};
    l->status = zw_sim_check(l->sim, false, form, append, &report);
    return report.text;
}

char *load_messages(const loaded *l)
{
    size_t needed = 0;
    assert_int_equal(zw_context_format_diagnostics(l->context, ZW_TEXT, NULL, 0, &needed), ZW_OK);
    char *text = calloc(needed + 1, 1);
    assert_non_null(text);
    assert_int_equal(zw_context_format_diagnostics(l->context, ZW_TEXT, text, needed + 1, &needed),
                     ZW_OK);
    return text;
}

char *load_first_line(const loaded *l)
{
    const zw_diagnostic *d = zw_context_diagnostic(l->context, 0);
    const char *sentence = d != NULL && d->sentence != NULL ? d->sentence : "";
    const char *where = d != NULL && d->where != NULL ? d->where : "";
    size_t size = strlen(sentence) + strlen(where) + 3;
    char *line = calloc(size, 1);
    assert_non_null(line);
    snprintf(line, size, "%s%s%s", where, *where != '\0' ? ": " : "", sentence);
    return line;
}

/* ---------------------------------------------------------------------- text */

char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL) fail_msg("%s cannot be read", path);
    growing text = {0};
    char block[4096];
    size_t got;
    append(&text, "", 0);
    while ((got = fread(block, 1, sizeof block, f)) > 0) append(&text, block, got);
    fclose(f);
    return text.text;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || ((unsigned char)c & 0x80) != 0;
}

const char *find_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = strstr(text, word); p != NULL; p = strstr(p + 1, word)) {
        bool begins = p == text || !in_word(p[-1]), ends = !in_word(p[length]);
        if (begins && (ends || !in_word(word[length - 1]))) return p;
    }
    return NULL;
}

const char *find_last_word(const char *text, const char *word)
{
    const char *last = NULL;
    for (const char *p = find_word(text, word); p != NULL; p = find_word(p + 1, word)) last = p;
    return last;
}
