/*
 * Whose run a checkpoint is of: version, texts of the model, its modules and data, parameters, inputs,
 * settings, rows. What the bits of a result do not depend on is left out (kernel, limits of steps, time
 * and memory, where messages go), so that a run may go on with other limits.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint_file.h"
#include "modules.h"
#include "run_keeper.h"

/* ------------------------------------------------------------------------ writing */

/* A value is one line. */
static void put_text(FILE *out, const char *key, const char *text)
{
    (void)fprintf(out, "%s\t", key);
    for (; *text; text++) (void)fputc(*text == '\n' || *text == '\t' ? ' ' : *text, out);
    (void)fputc('\n', out);
}

static void put_words(FILE *out, const char *key, char *const *words)
{
    for (size_t k = 0; words && words[k]; k++) put_text(out, key, words[k]);
}

static void put_value(FILE *out, const char *key, double value)
{
    (void)fprintf(out, "%s\t%.17g\n", key, value);
}

/* '#' before a hash: nobody wants to read it. */
static void put_hash(FILE *out, const char *key, const char *name, const void *bytes, size_t size)
{
    (void)fputs(key, out);
    for (; *name; name++) (void)fputc(*name == '\n' || *name == '\t' ? ' ' : *name, out);
    (void)fprintf(out, "\t#%016" PRIx64 "\n", hash_bytes(hash_none, bytes, size));
}

/* What moves the state. */
static void put_settings(FILE *out, const run_options *o, const zw_run_settings *s)
{
    put_text(out, "--method", zw_method_name(s->method));
    put_value(out, "the end", s->until);
    put_value(out, "--tol", s->tol);
    put_value(out, "--abs-tol", s->abs_tol);
    put_value(out, "--step", s->step);
    put_value(out, "--patience", s->patience);
    put_text(out, "--stabilize", zw_stabilize_name(s->stabilize));
    put_value(out, "--baumgarte", s->omega);
    put_value(out, "--baumgarte (damping)", s->zeta);
    put_text(out, "--hold", zw_hold_name(s->hold));
    put_text(out, "--form", zw_form_name(s->form));
    put_text(out, "--inconsistent", s->accept_inconsistent ? "accept" : "");
    put_text(out, "--solver", o->common.solver ? o->common.solver : "auto");
    put_text(out, "--lanes", o->common.lanes ? o->common.lanes : "auto");
}

/* What is written. */
static void put_rows(FILE *out, const run_options *o, const run_times *times)
{
    /* of a grid the first interval and the last time tell the others */
    bool several = times->count > 1;
    double grid[] = {times->start, times->end, (double)times->count,
                     several ? run_times_at(times, 1) : 0,
                     several ? run_times_at(times, times->count - 1) : 0};
    if (times->list)
        put_hash(out, "the times of rows", "", times->list, sizeof(double) * (size_t)times->count);
    else
        put_hash(out, "the times of rows", "", grid, sizeof grid);
    put_text(out, "--columns", o->columns ? o->columns : "");
    (void)fprintf(out, "the format of rows\t%d\n", (int)o->format);
    put_text(out, "--events", o->events ? "given" : "not given");
    put_text(out, "--report", o->report ? "given" : "not given");
}

char *run_identity(const run_options *o, const model_job *job, const zw_run_settings *settings,
                   const run_times *times)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out) return NULL;
    put_text(out, "the version", zw_version());
    put_hash(out, "the model", "", job->text, job->length);
    for (size_t k = 0; k < job->texts->count; k++) {
        const module *m = &job->texts->modules[k];
        put_hash(out, "the file ", m->path, m->in.text, m->in.length);
    }
    put_words(out, "--set", o->common.set);
    put_words(out, "--input", o->common.input);
    put_settings(out, o, settings);
    put_rows(out, o, times);
    bool full = ferror(out) != 0;
    if (fclose(out) != 0) full = true;
    if (!full) return text;
    free(text);
    return NULL;
}

/* ---------------------------------------------------------------------- comparing */

/* A line of an identity. */
typedef struct entry {
    const char *key, *value;
    int key_length, value_length;
} entry;

/* The line at `text`; returns where the next one begins, NULL where there is none. */
static const char *read_entry(const char *text, entry *e)
{
    const char *tab = strchr(text, '\t'), *end = strchr(text, '\n');
    if (!tab || !end || tab > end) return NULL;
    *e = (entry){text, tab + 1, (int)(tab - text), (int)(end - tab - 1)};
    return end + 1;
}

/* Number `which` of the lines with the key of e. */
static bool find_entry(const char *text, const entry *e, int which, entry *found)
{
    while ((text = read_entry(text, found)) != NULL) {
        if (found->key_length != e->key_length ||
            memcmp(found->key, e->key, (size_t)e->key_length) != 0)
            continue;
        if (which-- == 0) return true;
    }
    return false;
}

/* How many lines before e have its key. */
static int count_before(const char *text, const entry *e)
{
    entry other;
    int count = 0;
    while ((text = read_entry(text, &other)) != NULL && other.key != e->key)
        count += other.key_length == e->key_length &&
                 memcmp(other.key, e->key, (size_t)e->key_length) == 0;
    return count;
}

/* What differs, in words; the first few, for nobody reads more. */
typedef struct differences {
    char text[600];
    size_t length;
    int count;
} differences;

enum { MOST_SHOWN = 4, MOST_LETTERS = 40 };

/* A value in words: cut, and quoted. */
static void show_value(char *to, size_t size, const entry *e)
{
    int shown = e->value_length < MOST_LETTERS ? e->value_length : MOST_LETTERS;
    while (shown > 0 && shown < e->value_length && ((unsigned char)e->value[shown] & 0xc0) == 0x80)
        shown--;
    (void)snprintf(to, size, "'%.*s%s'", shown, e->value, shown < e->value_length ? "..." : "");
}

/* was or is: NULL where there is no such line. */
static void add_difference(differences *d, const entry *was, const entry *is)
{
    char before[80], now[80], words[260];
    const entry *e = was ? was : is;
    if (!e) return;
    int key = e->key_length < 60 ? e->key_length : 60;
    if (was) show_value(before, sizeof before, was);
    if (is) show_value(now, sizeof now, is);
    if (e->value[0] == '#' && was && is)
        (void)snprintf(words, sizeof words, "%.*s has changed", key, e->key);
    else if (!was || !is)
        (void)snprintf(words, sizeof words, "%.*s %s is %s", key, e->key,
                       e->value[0] == '#' ? "" : (is ? now : before), is ? "new" : "missing");
    else
        (void)snprintf(words, sizeof words, "%.*s was %s and is %s", key, e->key, before, now);
    if (d->count++ >= MOST_SHOWN || d->length >= sizeof d->text) return;
    d->length += (size_t)snprintf(d->text + d->length, sizeof d->text - d->length, "%s%s",
                                  d->length > 0 ? "; " : "", words);
}

/* Lines of `one` that are not in `other`; those that differ are told once, with what they were. */
static void list_differences(differences *d, const char *one, const char *other, bool one_is_new)
{
    entry e, same;
    const char *next = one;
    while ((next = read_entry(next, &e)) != NULL) {
        bool there = find_entry(other, &e, count_before(one, &e), &same);
        if (!there) add_difference(d, one_is_new ? NULL : &e, one_is_new ? &e : NULL);
        if (!there || one_is_new) continue;
        if (same.value_length != e.value_length ||
            memcmp(same.value, e.value, (size_t)e.value_length) != 0)
            add_difference(d, &e, &same);
    }
}

bool run_identity_compare(const char *name, const char *was, const char *is, message_log *log)
{
    differences d = {.count = 0};
    list_differences(&d, was, is, false);
    list_differences(&d, is, was, true);
    if (d.count == 0) return true;
    zw_diagnostic place = {.file = name,
                           .help = "say the same as before to go on with that run, or move the "
                                   "checkpoint away to begin a new one"};
    message_report(log, MSG_OTHER_RUN, &place, "this checkpoint is of another run: %s%s", d.text,
                   d.count > MOST_SHOWN ? "; and more" : "");
    return false;
}
