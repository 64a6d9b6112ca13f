/*
 * Reading results. CSV: a line of names, perhaps in quotes, then lines of numbers. JSON:
 * {"columns": [names], "rows": [[numbers], ...]}. NPZ: a zip file, not compressed, of arrays NAME.npy
 * of float64. Everything is checked against the length of the file; what does not fit is refused.
 */
#include "table_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "input.h"

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcasecmp(name + length - tail, ending) == 0;
}

bool table_is_result(const char *name)
{
    return has_ending(name, ".csv") || has_ending(name, ".json") || has_ending(name, ".npz");
}

void table_free(number_table *t)
{
    for (int32_t k = 0; t->names && k < t->columns; k++) free(t->names[k]);
    free(t->names);
    free(t->data);
    *t = (number_table){0};
}

bool table_create(number_table *t, int32_t columns, int64_t rows)
{
    *t = (number_table){.columns = columns, .rows = rows};
    t->names = calloc((size_t)columns + 1, sizeof *t->names);
    t->data = calloc((size_t)columns * (size_t)rows + 1, sizeof *t->data);
    return t->names && t->data;
}

/* ---------------------------------------------------------------------------- csv */

/* One field, which ends at a comma or a line end; moves behind it. The text is changed. NULL at the
 * end of the line. */
static char *take_field(char **at, bool *line_ends)
{
    char *from = *at, *to = from, *begin = from;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            if (*from == '"') from++;
            *to++ = *from;
        }
        if (*from == '"') from++;
    } else {
        for (; *from && *from != ',' && *from != '\n' && *from != '\r'; from++) *to++ = *from;
    }
    *line_ends = *from != ',';
    while (*from == '\r') from++;
    *at = *from ? from + 1 : from;
    *to = '\0';
    return begin;
}

/* Columns of the first line; it is not changed. */
static int32_t count_fields(const char *text)
{
    int32_t count = 1;
    bool quotes = false;
    for (; *text && (*text != '\n' || quotes); text++) {
        if (*text == '"') quotes = !quotes;
        if (*text == ',' && !quotes) count++;
    }
    return count;
}

static bool read_csv(const input *in, number_table *t)
{
    char *at = in->text;
    bool ends = false;
    int64_t lines = 0;
    int32_t columns = count_fields(in->text);
    for (const char *c = in->text; *c; c++) lines += *c == '\n';
    if (lines < 1 || !table_create(t, columns, lines)) return false;
    for (int32_t k = 0; k < columns; k++)
        if (!(t->names[k] = strdup(take_field(&at, &ends)))) return false;
    int64_t row = 0;
    for (; *at && row < lines; row++) {
        ends = false;
        for (int32_t k = 0; k < columns; k++) {
            if (ends) return false;
            char *field = take_field(&at, &ends), *after;
            t->data[k * lines + row] = strtod(field, &after);
            if (after == field || *after) return false;
        }
        if (!ends) return false;
    }
    for (int32_t k = 1; k < columns && row < lines; k++)
        memmove(t->data + k * row, t->data + k * lines, (size_t)row * sizeof *t->data);
    t->rows = row;
    return true;
}

/* --------------------------------------------------------------------------- json */

static bool fill_from_json(const json_t *tree, number_table *t)
{
    const json_t *names = json_object_get(tree, "columns"), *rows = json_object_get(tree, "rows");
    size_t columns = json_array_size(names), count = json_array_size(rows);
    if (columns == 0 || columns > INT32_MAX || !json_is_array(rows) ||
        !table_create(t, (int32_t)columns, (int64_t)count))
        return false;
    for (size_t k = 0; k < columns; k++) {
        const char *name = json_string_value(json_array_get(names, k));
        if (!name || !(t->names[k] = strdup(name))) return false;
    }
    for (size_t i = 0; i < count; i++) {
        const json_t *row = json_array_get(rows, i);
        if (json_array_size(row) != columns) return false;
        for (size_t k = 0; k < columns; k++) {
            const json_t *x = json_array_get(row, k);
            t->data[k * count + i] = json_is_number(x) ? json_number_value(x) : (double)NAN;
        }
    }
    return true;
}

static bool read_json(const input *in, number_table *t)
{
    json_t *tree = json_loadb(in->text, in->length, JSON_DECODE_INT_AS_REAL, NULL);
    bool done = tree && fill_from_json(tree, t);
    json_decref(tree);
    return done;
}

/* ---------------------------------------------------------------------------- npz */

/* A number of so many bytes, the lowest first. */
static uint64_t read_bytes(const unsigned char *at, int bytes)
{
    uint64_t x = 0;
    for (int k = bytes; k-- > 0;) x = x << 8 | at[k];
    return x;
}

/* An array of a zip file: its name, where its bytes are. */
typedef struct member {
    const char *name;
    size_t name_length;
    const unsigned char *bytes;
    size_t size;
} member;

/* The sizes of a member in its central record; large ones are in the extra field. */
static bool read_sizes(const unsigned char *record, size_t room, uint64_t *size, uint64_t *offset)
{
    size_t name = read_bytes(record + 28, 2), extra = read_bytes(record + 30, 2);
    *size = read_bytes(record + 24, 4);
    *offset = read_bytes(record + 42, 4);
    if (46 + name + extra > room) return false;
    const unsigned char *at = record + 46 + name, *end = at + extra;
    while (end - at >= 4) {
        size_t length = read_bytes(at + 2, 2);
        const unsigned char *next = at + 4;
        if (length > (size_t)(end - next)) return false;
        if (read_bytes(at, 2) == 1) { /* sizes of 64 bits: length, packed length, offset */
            bool both = *size == UINT32_MAX;
            if (both && length >= 8) *size = read_bytes(next, 8);
            size_t skip = both ? 16 : 0;
            if (*offset == UINT32_MAX && length >= skip + 8) *offset = read_bytes(next + skip, 8);
        }
        at = next + length;
    }
    return true;
}

/* The member whose central record begins at *at, and moves behind it. False: there is none, or it is
 * packed. */
static bool next_member(const input *in, size_t *at, member *m)
{
    const unsigned char *file = (const unsigned char *)in->text, *record = file + *at;
    uint64_t size, offset;
    if (*at > in->length || in->length - *at < 46 || read_bytes(record, 4) != 0x02014b50)
        return false;
    if (read_bytes(record + 10, 2) != 0 || !read_sizes(record, in->length - *at, &size, &offset))
        return false;
    if (offset > in->length || in->length - offset < 30) return false;
    const unsigned char *local = file + offset;
    uint64_t begin = offset + 30 + read_bytes(local + 26, 2) + read_bytes(local + 28, 2);
    if (begin > in->length || in->length - begin < size) return false;
    m->name_length = read_bytes(record + 28, 2);
    m->name = (const char *)record + 46;
    m->bytes = file + begin;
    m->size = size;
    *at += 46 + m->name_length + read_bytes(record + 30, 2) + read_bytes(record + 32, 2);
    return true;
}

/* Where the central records begin: the last end record says it. */
static bool find_directory(const input *in, size_t *at)
{
    const unsigned char *file = (const unsigned char *)in->text;
    for (size_t k = in->length; k-- >= 22;) {
        if (k + 22 > in->length || read_bytes(file + k, 4) != 0x06054b50) continue;
        uint64_t offset = read_bytes(file + k + 16, 4);
        if (offset == UINT32_MAX && k >= 20 && read_bytes(file + k - 20, 4) == 0x07064b50) {
            uint64_t end = read_bytes(file + k - 12, 8);
            if (end > in->length || in->length - end < 56) return false;
            offset = read_bytes(file + end + 48, 8);
        }
        *at = offset;
        return offset < in->length;
    }
    return false;
}

/* The numbers of an array of float64, one after another; *count. NULL: it is none. */
static const unsigned char *read_npy(const member *m, int64_t *count)
{
    if (m->size < 12 || memcmp(m->bytes, "\x93NUMPY", 6) != 0) return NULL;
    bool old = m->bytes[6] == 1;
    size_t header = read_bytes(m->bytes + 8, old ? 2 : 4), begin = (old ? 10 : 12);
    if (header > m->size - begin) return NULL;
    char *text = malloc(header + 1);
    if (!text) return NULL;
    memcpy(text, m->bytes + begin, header);
    text[header] = '\0';
    bool good = strstr(text, "<f8") && !strstr(text, "True");
    free(text);
    if (!good) return NULL;
    *count = (int64_t)((m->size - begin - header) / 8);
    return m->bytes + begin + header;
}

static void copy_numbers(const unsigned char *from, int64_t count, double *to)
{
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits = read_bytes(from + 8 * k, 8);
        memcpy(&to[k], &bits, sizeof bits);
    }
}

static bool read_npz(const input *in, number_table *t)
{
    size_t directory, at;
    int32_t columns = 0;
    int64_t rows = -1, count = 0;
    member m;
    if (!find_directory(in, &directory)) return false;
    for (at = directory; next_member(in, &at, &m); columns++) {
        if (!read_npy(&m, &count) || (rows >= 0 && count != rows)) return false;
        rows = count;
    }
    if (columns == 0 || !table_create(t, columns, rows)) return false;
    at = directory;
    for (int32_t k = 0; k < columns && next_member(in, &at, &m); k++) {
        const unsigned char *numbers = read_npy(&m, &count);
        size_t length = m.name_length > 4 ? m.name_length - 4 : m.name_length; /* .npy */
        if (!numbers || !(t->names[k] = strndup(m.name, length))) return false;
        copy_numbers(numbers, rows, t->data + k * rows);
    }
    return true;
}

/* --------------------------------------------------------------------------- whole */

bool table_read(const char *name, number_table *t, message_log *log)
{
    input in;
    *t = (number_table){0};
    if (!input_read(name, NULL, &in, log)) return false;
    bool done = has_ending(name, ".npz")    ? read_npz(&in, t)
                : has_ending(name, ".json") ? read_json(&in, t)
                                            : read_csv(&in, t);
    if (!done) {
        zw_diagnostic place = {.file = name,
                               .help = "write one by zwang run MODEL -o FILE.csv, .json or .npz"};
        table_free(t);
        message_report(log, MSG_NO_RESULT, &place, "this is not a table of numbers with names");
    }
    input_clear(&in);
    return done;
}
