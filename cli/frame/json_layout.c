/*
 * Writing JSON for people. The command never calls setlocale, so the decimal point is a point
 * everywhere.
 */
#include "json_layout.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* The sign of a zero is kept. */
void layout_number(FILE *out, double x)
{
    char text[32];
    if (!isfinite(x)) {
        fputs("null", out);
        return;
    }
    if (x == 0) {
        fputs(signbit(x) ? "-0.0" : "0", out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    fputs(text, out);
}

void layout_vector(FILE *out, const double *x, int32_t count)
{
    fputc('[', out);
    for (int32_t k = 0; k < count; k++) {
        if (k > 0) fputs(", ", out);
        layout_number(out, x[k]);
    }
    fputc(']', out);
}

/* Whether a text has characters that JSON need not escape and a terminal obeys: DEL, those from U+0080
 * to U+009F, and those that turn the direction of a line. */
static bool has_hidden_control(const char *text)
{
    static const struct {
        const char *first, *last;
    } ranges[] = {{"\x7f", "\x7f"},
                  {"\xc2\x80", "\xc2\x9f"},
                  {"\xd8\x9c", "\xd8\x9c"},
                  {"\xe2\x80\x8e", "\xe2\x80\x8f"},
                  {"\xe2\x80\xa8", "\xe2\x80\xae"},
                  {"\xe2\x81\xa6", "\xe2\x81\xa9"},
                  {"\xef\xbf\xb9", "\xef\xbf\xbb"}};
    for (; *text; text++)
        for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
            size_t length = strlen(ranges[k].first);
            if (strncmp(text, ranges[k].first, length) >= 0 &&
                strncmp(text, ranges[k].last, length) <= 0)
                return true;
        }
    return false;
}

/* By jansson, which knows what must be escaped; only of DEL it does not. */
void layout_string(FILE *out, const char *text)
{
    json_t *value = json_string(text);
    size_t plain = has_hidden_control(text) ? JSON_ENSURE_ASCII : 0;
    char *shown = json_dumps(value, JSON_ENCODE_ANY | plain);
    for (const char *c = shown; c && *c; c++)
        if (*c == '\x7f')
            fputs("\\u007f", out);
        else
            fputc(*c, out);
    free(shown);
    json_decref(value);
}

void layout_new_line(const layout *l, int deeper)
{
    fprintf(l->out, "\n%*s", l->indent + deeper, "");
}

void layout_open(layout *l)
{
    fputc('{', l->out);
    l->first = true;
}

void layout_close(layout *l)
{
    layout_new_line(l, 0);
    fputc('}', l->out);
    l->first = false;
}

/* A comma before every key but the first. */
void layout_key(layout *l, const char *name)
{
    if (!l->first) fputc(',', l->out);
    l->first = false;
    layout_new_line(l, 2);
    fprintf(l->out, "\"%s\": ", name);
}

void layout_number_field(layout *l, const char *name, double x)
{
    layout_key(l, name);
    layout_number(l->out, x);
}

void layout_null_field(layout *l, const char *name)
{
    layout_key(l, name);
    fputs("null", l->out);
}

void layout_bool_field(layout *l, const char *name, bool x)
{
    layout_key(l, name);
    fputs(x ? "true" : "false", l->out);
}

void layout_vector_field(layout *l, const char *name, const double *x, int32_t count)
{
    layout_key(l, name);
    layout_vector(l->out, x, count);
}

/* x [rows * columns], row by row; a row a line. */
void layout_matrix_field(layout *l, const char *name, const double *x, int32_t rows,
                         int32_t columns)
{
    layout_key(l, name);
    fputc('[', l->out);
    for (int32_t i = 0; i < rows; i++) {
        if (i > 0) fputc(',', l->out);
        layout_new_line(l, 4);
        layout_vector(l->out, x + (size_t)i * (size_t)columns, columns);
    }
    if (rows > 0) layout_new_line(l, 2);
    fputc(']', l->out);
}

/* All on one line. */
void layout_strings_field(layout *l, const char *name, const char *const *texts, int32_t count)
{
    layout_key(l, name);
    fputc('[', l->out);
    for (int32_t k = 0; k < count; k++) {
        if (k > 0) fputs(", ", l->out);
        layout_string(l->out, texts[k]);
    }
    fputc(']', l->out);
}
