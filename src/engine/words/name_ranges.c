/*
 * Lists of names for people: names that differ in consecutive indices only become one,
 *
 *     x[1], x[2], x[3]                                    x[1..3]
 *     link[1].r[1], link[1].r[2], link[1].s, link[2].r[1], ...   link[1..9].r[1..2], link[1..9].s
 *
 * A name is kept as its pattern, the text without the numbers in brackets, and a range for each of
 * these. Whatever is added joins the last one of the list, when patterns agree and ranges do in all
 * but one place, where they follow on each other; likewise the last p names join the p before. What
 * was joined may join again, so that the list stays short while it grows. The pattern is followed
 * by a word about the name (the kind of a constraint), which must agree, too.
 */
#include <string.h>

#include "messages.h"

enum { longest_period = 8 };

void zr_runs_init(zr_runs *runs, zb_memory *memory)
{
    *runs = (zr_runs){.memory = memory};
    zb_text_init(&runs->name, memory);
}

void zr_runs_free(zr_runs *runs)
{
    zb_text_free(&runs->name);
    zb_array_free(runs->memory, &runs->patterns);
    zb_array_free(runs->memory, &runs->list);
}

/* --------------------------------------------------------------------- joining */

static const char *pattern(const zr_runs *runs, const zr_run *a)
{
    return runs->patterns.data + a->at;
}

/* The place in which b goes on where a ends; -1: they do not join. */
static int32_t joint(const zr_runs *runs, const zr_run *a, const zr_run *b)
{
    int32_t place = -1;
    if (a->length != b->length || a->indices != b->indices) return -1;
    for (int32_t i = 0; i < a->indices; i++) {
        if (a->from[i] == b->from[i] && a->to[i] == b->to[i]) continue;
        if (place >= 0 || a->to[i] + 1 != b->from[i]) return -1;
        place = i;
    }
    if (place < 0) return -1;
    return memcmp(pattern(runs, a), pattern(runs, b), (size_t)a->length) == 0 ? place : -1;
}

/* Joins the last p names with the p before; false: they do not join. */
static bool join(zr_runs *runs, int32_t p)
{
    int32_t count = runs->list.count;
    if (count < 2 * p) return false;
    zr_run *a = runs->list.data + count - 2 * p, *b = a + p;
    for (int32_t k = p - 1; k >= 0; k--)
        if (joint(runs, &a[k], &b[k]) < 0) return false;
    for (int32_t k = 0; k < p; k++) {
        int32_t place = joint(runs, &a[k], &b[k]);
        a[k].to[place] = b[k].to[place];
        a[k].count += b[k].count;
    }
    runs->patterns.count = b->at;
    runs->list.count = count - p;
    return true;
}

static void settle(zr_runs *runs)
{
    for (int32_t p = 1; p <= longest_period; p++)
        if (join(runs, p)) p = 0;
}

/* --------------------------------------------------------------------- reading */

/* The number at text, of at most 9 digits, as it would be printed; how long it is, 0: none. */
static size_t read_index(const char *text, int32_t *value)
{
    size_t sign = text[0] == '-', at = sign;
    *value = 0;
    for (; text[at] >= '0' && text[at] <= '9'; at++) {
        if (at - sign == 9) return 0;
        *value = *value * 10 + (text[at] - '0');
    }
    if (at == sign || (text[sign] == '0' && at > 1)) return 0;
    if (sign) *value = -*value;
    return at;
}

/* Takes the numbers out of text, in place; what is left. */
static size_t take_indices(char *text, size_t length, zr_run *run)
{
    size_t to = 0;
    bool inside = false;
    for (size_t at = 0; at < length;) {
        char c = text[at++];
        int32_t value = 0;
        text[to++] = c;
        if (c == '[' || c == ']') inside = c == '[';
        if (!inside || (c != '[' && c != ',') || run->indices == zr_run_indices) continue;
        size_t digits = read_index(text + at, &value);
        if (digits == 0) return 0;
        run->from[run->indices] = run->to[run->indices] = value;
        run->indices++;
        at += digits;
    }
    text[to] = '\0';
    return to;
}

void zr_runs_add(zr_runs *runs, const char *kind)
{
    zb_text *name = &runs->name;
    size_t kind_length = strlen(kind), length = name->length;
    zr_run run = {.at = runs->patterns.count, .count = 1};
    if (runs->failure == ZW_OK) runs->failure = name->failure;
    if (runs->failure != ZW_OK) return;
    int32_t room = (int32_t)(length + kind_length + 2);
    if (!zb_array_reserve(runs->memory, &runs->patterns, room) ||
        !zb_array_reserve(runs->memory, &runs->list, 1)) {
        runs->failure = runs->memory->failure;
        return;
    }
    char *to = runs->patterns.data + run.at;
    memcpy(to, zb_text_string(name), length + 1);
    size_t left = take_indices(to, length, &run);
    if (left == 0) { /* not one of our names: it stays as it is */
        run.indices = 0;
        memcpy(to, zb_text_string(name), length + 1);
        left = length;
    }
    run.kind = (int32_t)left + 1;
    memcpy(to + run.kind, kind, kind_length + 1);
    run.length = run.kind + (int32_t)kind_length + 1;
    runs->patterns.count += run.length;
    runs->list.data[runs->list.count++] = run;
    zb_text_clear(name);
    settle(runs);
}

/* --------------------------------------------------------------------- writing */

const char *zr_runs_kind(const zr_runs *runs, int32_t k)
{
    const zr_run *run = &runs->list.data[k];
    return pattern(runs, run) + run->kind;
}

void zr_runs_text(const zr_runs *runs, int32_t k, zb_text *text)
{
    const zr_run *run = &runs->list.data[k];
    int32_t i = 0;
    bool inside = false;
    for (const char *c = pattern(runs, run); *c; c++) {
        zb_text_char(text, *c);
        if (*c == '[' || *c == ']') inside = *c == '[';
        if (!inside || (*c != '[' && *c != ',') || i == run->indices) continue;
        zb_text_int(text, run->from[i]);
        if (run->to[i] != run->from[i]) zb_text_printf(text, "..%d", (int)run->to[i]);
        i++;
    }
}

/* "a, b[1..3] and c", or "a, b and 7 more" with at most `most` of them. */
void zr_runs_list(const zr_runs *runs, int32_t most, const char *last, zb_text *text)
{
    int32_t all = runs->list.count, more = 0;
    for (int32_t k = 0; k < all; k++) {
        if (k >= most) more += runs->list.data[k].count;
        if (k >= most) continue;
        if (k > 0) zb_text_add(text, k == all - 1 ? last : ", ");
        zr_runs_text(runs, k, text);
    }
    if (more > 0) zb_text_printf(text, " and %d more", (int)more);
    if (runs->failure != ZW_OK) text->failure = runs->failure;
}
