/*
 * Reading a list of columns: elements between commas outside brackets,
 *
 *     element  path primes | word(path) | word(path)[k] | word(path, k)
 *     path     name[i, j].name[k] ...
 *
 * with spaces anywhere between. Primes may also stand before an index, as in the language (r'[2]).
 * Names are letters, digits, _ and whatever is not ASCII. Nothing is looked up here.
 */
#include <string.h>

#include "columns.h"

/* An element that is being read into `item`. */
typedef struct reader {
    const char *list;
    int32_t at, end; /* of the element */
    zr_item *item;
} reader;

static bool is_blank_sign(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit_sign(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter_sign(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

/* The next byte that is no space, and moves there; 0 at the end of the element. */
static char skip_to_sign(reader *r)
{
    while (r->at < r->end && is_blank_sign(r->list[r->at])) r->at++;
    return r->at < r->end ? r->list[r->at] : '\0';
}

/* Moves behind the next byte if it is this one. */
static bool take_sign(reader *r, char c)
{
    if (skip_to_sign(r) != c) return false;
    r->at++;
    return true;
}

/* The next name, appended to item->names; false: there is none, or they are too many. */
static bool read_path_name(reader *r)
{
    zr_item *item = r->item;
    if (!is_letter_sign(skip_to_sign(r)) || item->count == zr_most_names) return false;
    zr_name *name = &item->names[item->count];
    *name = (zr_name){.at = r->at, .name = -1};
    while (r->at < r->end && (is_letter_sign(r->list[r->at]) || is_digit_sign(r->list[r->at])))
        r->at++;
    name->length = r->at - name->at;
    item->count++;
    return true;
}

/* Digits; beyond nine of them it is beyond everything. */
static bool read_number(reader *r, zr_index *index)
{
    if (!is_digit_sign(skip_to_sign(r))) return false;
    index->at = r->at;
    for (; r->at < r->end && is_digit_sign(r->list[r->at]); r->at++)
        index->value =
            index->value > 99999999 ? INT32_MAX : 10 * index->value + (r->list[r->at] - '0');
    index->length = r->at - index->at;
    return true;
}

/* One number of [i, j]. */
static bool read_one_index(reader *r, int32_t of)
{
    zr_item *item = r->item;
    if (item->index_count == zr_most_indices) return false;
    zr_index *index = &item->indices[item->index_count];
    const zr_index *before = item->index_count > 0 ? index - 1 : NULL;
    *index = (zr_index){.of = of};
    index->position = before && before->of == of ? before->position + 1 : 0;
    if (!read_number(r, index)) return false;
    item->index_count++;
    return true;
}

/* Behind a bracket: "i, j]", of name number `of`. */
static bool read_index_list(reader *r, int32_t of)
{
    do {
        if (!read_one_index(r, of)) return false;
    } while (take_sign(r, ','));
    return take_sign(r, ']');
}

/* A path with its indices and primes; no name may follow a prime. */
static bool read_item_path(reader *r)
{
    if (!read_path_name(r)) return false;
    for (;;) {
        if (take_sign(r, '[')) {
            if (!read_index_list(r, r->item->count - 1)) return false;
        } else if (take_sign(r, '\'')) {
            r->item->primes++;
        } else if (take_sign(r, '.')) {
            if (r->item->primes > 0 || !read_path_name(r)) return false;
        } else {
            return true;
        }
    }
}

/* word ( path, which ) [ k ], behind the word and its bracket. */
static bool read_item_call(reader *r)
{
    zr_item *item = r->item;
    if (item->count != 1 || item->index_count > 0 || item->primes > 0) return false;
    item->call = item->names[0];
    item->count = 0;
    if (!read_item_path(r) || item->primes > 0) return false;
    if (take_sign(r, ',') && !read_number(r, &item->which)) return false;
    if (!take_sign(r, ')')) return false;
    while (take_sign(r, '['))
        if (!read_index_list(r, item->count)) return false;
    return true;
}

/* False: the element cannot be read to its end. */
static bool read_whole_item(reader *r)
{
    if (!read_item_path(r)) return false;
    if (take_sign(r, '(') && !read_item_call(r)) return false;
    return skip_to_sign(r) == '\0';
}

/* Behind the last byte of the element at `at`: a comma outside brackets, or the end. */
static int32_t find_item_end(const char *list, int32_t at)
{
    int32_t depth = 0;
    for (; list[at]; at++) {
        if (list[at] == '(' || list[at] == '[') depth++;
        if ((list[at] == ')' || list[at] == ']') && depth > 0) depth--;
        if (list[at] == ',' && depth == 0) break;
    }
    return at;
}

static bool is_blank_text(const char *text)
{
    while (is_blank_sign(*text)) text++;
    return *text == '\0';
}

/* *at becomes -1 behind the last element. An empty list has none; an empty element is BAD. */
zr_read zr_read_item(const char *list, int32_t *at, zr_item *item)
{
    bool first = *at == 0;
    if (*at < 0 || (first && is_blank_text(list))) return ZR_READ_END;
    reader r = {.list = list, .at = *at, .end = find_item_end(list, *at), .item = item};
    *at = list[r.end] == ',' ? r.end + 1 : -1;
    while (r.end > r.at && is_blank_sign(list[r.end - 1])) r.end--;
    (void)skip_to_sign(&r);
    item->at = r.at;
    item->length = r.end - r.at;
    item->call.length = item->count = item->index_count = item->primes = 0;
    item->which = (zr_index){0};
    if (read_whole_item(&r)) return ZR_READ_ITEM;
    return ZR_READ_BAD;
}

bool zr_is_word(const char *list, const zr_name *name, const char *word)
{
    return strlen(word) == (size_t)name->length &&
           memcmp(list + name->at, word, (size_t)name->length) == 0;
}
