/*
 * Tables of numbers as text (csv.h): one look over the text to count lines and cells, one to read
 * them. Memory lies in the arena of the caller.
 */
#include <string.h>

#include "csv.h"
#include "text.h"

typedef struct reader {
    zb_arena *arena;
    const char *text;
    size_t length, at;
    char separator;
    zb_csv *out;
} reader;

typedef struct cell {
    size_t at, length; /* without blanks around it; of a quoted one what is between the quotes */
    bool quoted, last; /* last: of its line */
} cell;

static bool is_blank(char c, char separator)
{
    return (c == ' ' || c == '\t' || c == '\r') && c != separator;
}

static bool set_fault(reader *r, zb_csv_fault fault, size_t at, size_t length)
{
    r->out->fault = fault;
    r->out->fault_at = at;
    r->out->fault_length = length;
    return false;
}

/* To the beginning of the next line with cells; false: there is none. */
static bool find_next_line(reader *r)
{
    while (r->at < r->length) {
        size_t from = r->at;
        while (from < r->length && is_blank(r->text[from], r->separator)) from++;
        bool cells = from < r->length && r->text[from] != '\n' && r->text[from] != '#';
        if (cells) return true;
        const char *end = memchr(r->text + r->at, '\n', r->length - r->at);
        r->at = end ? (size_t)(end - r->text) + 1 : r->length;
    }
    return false;
}

/* What stands between the quote before `at` and the one that closes it; doubled ones stay. */
static bool read_quoted(reader *r, cell *c)
{
    size_t at = c->at;
    while (at < r->length && r->text[at] != '\n') {
        if (r->text[at] == '"' && (at + 1 >= r->length || r->text[at + 1] != '"')) break;
        at += r->text[at] == '"' ? 2 : 1;
    }
    if (at >= r->length || r->text[at] != '"') return set_fault(r, ZB_CSV_QUOTE, c->at - 1, 1);
    c->length = at - c->at;
    c->quoted = true;
    r->at = at + 1;
    return true;
}

/* The next cell of a line, with what separates it. */
static bool read_cell(reader *r, cell *c)
{
    *c = (cell){0};
    while (r->at < r->length && is_blank(r->text[r->at], r->separator)) r->at++;
    c->at = r->at;
    if (r->at < r->length && r->text[r->at] == '"') {
        c->at++;
        if (!read_quoted(r, c)) return false;
    }
    size_t from = r->at;
    while (r->at < r->length && r->text[r->at] != r->separator && r->text[r->at] != '\n') r->at++;
    size_t end = r->at;
    while (end > from && is_blank(r->text[end - 1], r->separator)) end--;
    if (!c->quoted) c->length = end - c->at;
    c->last = r->at >= r->length || r->text[r->at] == '\n';
    if (r->at < r->length) r->at++;
    return true;
}

static char find_separator(const reader *r)
{
    const char *line = r->text + r->at, *end = memchr(line, '\n', r->length - r->at);
    size_t size = end ? (size_t)(end - line) : r->length - r->at;
    if (memchr(line, ',', size)) return ',';
    if (memchr(line, ';', size)) return ';';
    return memchr(line, '\t', size) ? '\t' : ',';
}

/* How many cells the line at hand has, and whether one of them is no number. */
static bool count_cells(reader *r, int32_t *count, bool *names)
{
    cell c = {0};
    double value;
    *count = 0;
    for (*names = false; !c.last; ++*count) {
        if (!read_cell(r, &c)) return false;
        zb_number_outcome is = zb_read_double(r->text + c.at, c.length, &value);
        *names = *names || c.quoted || is == ZB_NUMBER_MALFORMED;
    }
    return true;
}

/* A quote that is doubled inside quotes is one. */
static char *copy_name(reader *r, const cell *c)
{
    char *name = zb_arena_string(r->arena, r->text + c->at, c->length);
    size_t to = 0;
    for (size_t k = 0; name && k < c->length; k++) {
        name[to++] = name[k];
        if (c->quoted && name[k] == '"') k++;
    }
    if (name) name[to] = '\0';
    return name;
}

static bool read_names(reader *r)
{
    cell c;
    r->out->names = ZB_NEW_ARRAY(r->arena, char *, (size_t)r->out->columns);
    for (int32_t k = 0; k < r->out->columns && r->out->names; k++) {
        if (!read_cell(r, &c)) return false;
        r->out->names[k] = copy_name(r, &c);
    }
    return r->arena->failure == ZW_OK;
}

/* Lines with cells from here on; the place stays. */
static int64_t count_lines(reader *r)
{
    int64_t count = 0;
    size_t at = r->at;
    while (find_next_line(r)) {
        count++;
        const char *end = memchr(r->text + r->at, '\n', r->length - r->at);
        r->at = end ? (size_t)(end - r->text) + 1 : r->length;
    }
    r->at = at;
    return count;
}

static bool read_row(reader *r, double *to)
{
    size_t line = r->at;
    int32_t count = 0;
    cell c = {0};
    for (; !c.last; count++) {
        double value = 0.0;
        if (!read_cell(r, &c)) return false;
        if (count >= r->out->columns) continue;
        zb_number_outcome is = zb_read_double(r->text + c.at, c.length, &value);
        if (is != ZB_NUMBER_READ || c.quoted)
            return set_fault(r, is == ZB_NUMBER_TOO_LARGE ? ZB_CSV_TOO_BIG : ZB_CSV_NOT_NUMBER,
                             c.at, c.length);
        to[count] = value;
    }
    if (count == r->out->columns) return true;
    r->out->fault_cells = count;
    return set_fault(r, ZB_CSV_CELLS, line, c.at + c.length - line);
}

bool zb_csv_read(zb_arena *arena, const char *text, size_t length, zb_csv *out)
{
    reader r = {.arena = arena, .text = text, .length = length, .out = out, .separator = ','};
    bool names = false;
    *out = (zb_csv){0};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) r.at = 3;
    if (!find_next_line(&r)) return true;
    r.separator = find_separator(&r);
    size_t first = r.at;
    if (!count_cells(&r, &out->columns, &names)) return false;
    r.at = first;
    if (names && !read_names(&r)) return false;
    int64_t rows = count_lines(&r);
    if (rows * out->columns > ZB_CSV_MOST) return set_fault(&r, ZB_CSV_TOO_MANY, first, 1);
    out->values = ZB_NEW_ARRAY(arena, double, (size_t)rows *(size_t)out->columns);
    out->at = ZB_NEW_ARRAY(arena, size_t, (size_t)rows);
    if (arena->failure != ZW_OK) return false;
    for (; find_next_line(&r); out->rows++) {
        out->at[out->rows] = r.at;
        if (!read_row(&r, out->values + (size_t)out->rows * (size_t)out->columns)) return false;
    }
    return true;
}
