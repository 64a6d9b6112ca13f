/*
 * Lists of names for people: names that differ in consecutive indices only become one,
 *
 *     x[1], x[2], x[3]                                    x[1..3]
 *     link[1].r[1], link[1].r[2], link[1].s, link[2].r[1], ...   link[1..9].r[1..2], link[1..9].s
 *
 * A name is kept as its pattern, the text without the numbers in brackets, and an interval for each
 * of these. Whatever is added joins the last one of the list, when patterns agree and intervals do
 * in all but one place, where they follow on each other; likewise the last p names join the p
 * before. What was joined may join again, so that the list stays short while it grows. The pattern
 * is followed by a word about the name (the kind of a constraint), which must agree, too.
 */
#include <math.h>
#include <string.h>

#include "messages.h"

enum { longest_period = 8 }; /* p at most */

void zr_name_ranges_init(zr_name_ranges *ranges, zb_memory *memory)
{
    *ranges = (zr_name_ranges){.memory = memory};
    zb_text_init(&ranges->name, memory);
}

void zr_name_ranges_free(zr_name_ranges *ranges)
{
    zb_text_free(&ranges->name);
    zb_array_free(ranges->memory, &ranges->patterns);
    zb_array_free(ranges->memory, &ranges->list);
}

/* --------------------------------------------------------------------- joining */

static const char *range_pattern(const zr_name_ranges *ranges, const zr_name_range *a)
{
    return ranges->patterns.data + a->at;
}

/* The index in which b goes on where a ends, all others being equal; -1: they do not join. */
static int32_t find_joint(const zr_name_ranges *ranges, const zr_name_range *a,
                          const zr_name_range *b)
{
    int32_t place = -1;
    if (a->length != b->length || a->indices != b->indices) return -1;
    for (int32_t i = 0; i < a->indices; i++) {
        if (a->from[i] == b->from[i] && a->to[i] == b->to[i]) continue;
        if (place >= 0 || a->to[i] + 1 != b->from[i]) return -1;
        place = i;
    }
    if (place < 0) return -1;
    return memcmp(range_pattern(ranges, a), range_pattern(ranges, b), (size_t)a->length) == 0
               ? place
               : -1;
}

/* Joins the last p names with the p before; false: they do not join. */
static bool join_last(zr_name_ranges *ranges, int32_t p)
{
    int32_t count = ranges->list.count;
    if (count < 2 * p) return false;
    zr_name_range *a = ranges->list.data + count - 2 * p, *b = a + p;
    for (int32_t k = p - 1; k >= 0; k--)
        if (find_joint(ranges, &a[k], &b[k]) < 0) return false;
    for (int32_t k = 0; k < p; k++) {
        int32_t place = find_joint(ranges, &a[k], &b[k]);
        a[k].to[place] = b[k].to[place];
        a[k].count += b[k].count;
        a[k].least = fmin(a[k].least, b[k].least);
        a[k].most = fmax(a[k].most, b[k].most);
    }
    ranges->patterns.count = b->at;
    ranges->list.count = count - p;
    return true;
}

/* Until no last p names join the p before them any more, short periods first. */
static void join_ranges(zr_name_ranges *ranges)
{
    for (int32_t p = 1; p <= longest_period; p++)
        if (join_last(ranges, p)) p = 0;
}

/* --------------------------------------------------------------------- reading */

/* The number at text, if it has at most 9 digits and stands as it would be printed; returns how
 * many characters it takes, 0: there is none. */
static size_t read_bracketed_number(const char *text, int32_t *value)
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

/* Moves the numbers in brackets from text, in place, to the range, as many as it holds; returns the
 * length of what is left, 0: something else than a number stands in a bracket. */
static size_t extract_indices(char *text, size_t length, zr_name_range *range)
{
    size_t to = 0;
    bool inside = false;
    for (size_t at = 0; at < length;) {
        char c = text[at++];
        int32_t value = 0;
        text[to++] = c;
        if (c == '[' || c == ']') inside = c == '[';
        if (!inside || (c != '[' && c != ',') || range->indices == zr_range_indices) continue;
        size_t digits = read_bracketed_number(text + at, &value);
        if (digits == 0) return 0;
        range->from[range->indices] = range->to[range->indices] = value;
        range->indices++;
        at += digits;
    }
    text[to] = '\0';
    return to;
}

/* The pattern and the kind go to the end of `patterns`, the range to the end of the list. */
void zr_name_ranges_add(zr_name_ranges *ranges, const char *kind)
{
    zb_text *name = &ranges->name;
    size_t kind_length = strlen(kind), length = name->length;
    zr_name_range range = {
        .at = ranges->patterns.count, .count = 1, .least = ranges->value, .most = ranges->value};
    if (ranges->failure == ZW_OK) ranges->failure = name->failure;
    if (ranges->failure != ZW_OK) return;
    int32_t room = (int32_t)(length + kind_length + 2);
    if (!zb_array_reserve(ranges->memory, &ranges->patterns, room) ||
        !zb_array_reserve(ranges->memory, &ranges->list, 1)) {
        ranges->failure = ranges->memory->failure;
        return;
    }
    char *to = ranges->patterns.data + range.at;
    memcpy(to, zb_text_string(name), length + 1);
    size_t left = extract_indices(to, length, &range);
    if (left == 0) { /* not one of our names: it stays as it is */
        range.indices = 0;
        memcpy(to, zb_text_string(name), length + 1);
        left = length;
    }
    range.kind = (int32_t)left + 1;
    memcpy(to + range.kind, kind, kind_length + 1);
    range.length = range.kind + (int32_t)kind_length + 1;
    ranges->patterns.count += range.length;
    ranges->list.data[ranges->list.count++] = range;
    zb_text_clear(name);
    join_ranges(ranges);
}

/* --------------------------------------------------------------------- writing */

const char *zr_name_ranges_kind(const zr_name_ranges *ranges, int32_t k)
{
    const zr_name_range *range = &ranges->list.data[k];
    return range_pattern(ranges, range) + range->kind;
}

/* The pattern with the intervals of its indices written in. */
void zr_name_ranges_text(const zr_name_ranges *ranges, int32_t k, zb_text *text)
{
    const zr_name_range *range = &ranges->list.data[k];
    int32_t i = 0;
    bool inside = false;
    for (const char *c = range_pattern(ranges, range); *c; c++) {
        zb_text_char(text, *c);
        if (*c == '[' || *c == ']') inside = *c == '[';
        if (!inside || (*c != '[' && *c != ',') || i == range->indices) continue;
        zb_text_int(text, range->from[i]);
        if (range->to[i] != range->from[i]) zb_text_printf(text, "..%d", (int)range->to[i]);
        i++;
    }
}

/* "a, b[1..3] and c", or "a, b and 7 more" with at most `most` of them. */
void zr_name_ranges_list(const zr_name_ranges *ranges, int32_t most, const char *last,
                         zb_text *text)
{
    int32_t all = ranges->list.count, more = 0;
    for (int32_t k = 0; k < all; k++) {
        if (k >= most) more += ranges->list.data[k].count;
        if (k >= most) continue;
        if (k > 0) zb_text_add(text, k == all - 1 ? last : ", ");
        zr_name_ranges_text(ranges, k, text);
    }
    if (more > 0) zb_text_printf(text, " and %d more", (int)more);
    if (ranges->failure != ZW_OK) text->failure = ranges->failure;
}
