/*
 * Writing a page. The JSON is made in memory first, then copied with every < in it as \u003c, so that
 * nothing in a model can end the script it stands in.
 */
#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zwang.h>

#include "embedded.h"
#include "json_layout.h"
#include "output_file.h"

enum { SINGLE_FROM = 1000000 }; /* numbers, from which on they are written in single precision */

/* ------------------------------------------------------------------------ numbers */

/* Bytes on their way to base64. */
typedef struct encoder {
    FILE *out;
    unsigned char held[3];
    int count;
} encoder;

static void put_group(encoder *e)
{
    static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = (unsigned)e->held[0] << 16 | (unsigned)e->held[1] << 8 | e->held[2];
    char group[4];
    for (int k = 0; k < 4; k++) group[k] = signs[bits >> (18 - 6 * k) & 63];
    for (int k = e->count + 1; k < 4; k++) group[k] = '=';
    (void)fwrite(group, 1, sizeof group, e->out);
    memset(e->held, 0, sizeof e->held);
    e->count = 0;
}

/* So many bytes of a number, the lowest first. */
static void put_number(encoder *e, uint64_t bits, int bytes)
{
    for (int k = 0; k < bytes; k++) {
        e->held[e->count++] = (unsigned char)(bits >> (8 * k));
        if (e->count == 3) put_group(e);
    }
}

static void put_column(encoder *e, const page *p, int32_t column, bool single)
{
    for (int64_t i = 0; i < p->row_count; i++) {
        double x = p->rows[i * p->width + column];
        uint64_t bits = 0;
        if (single) {
            float y = (float)x;
            uint32_t half;
            memcpy(&half, &y, sizeof half);
            bits = half;
        } else {
            memcpy(&bits, &x, sizeof bits);
        }
        put_number(e, bits, single ? 4 : 8);
    }
}

static void write_data(const page *p, FILE *out)
{
    bool single = p->row_count * p->column_count > SINGLE_FROM;
    encoder e = {.out = out};
    (void)fprintf(out, ",\n\"data\":{\"type\":\"%s\",\"rows\":%lld,\"columns\":[",
                  single ? "f4" : "f8", (long long)p->row_count);
    for (int32_t k = 0; k < p->column_count; k++) {
        (void)fputs(k > 0 ? ",{\"name\":" : "{\"name\":", out);
        layout_string(out, p->columns[k].name);
        (void)fprintf(out, ",\"kind\":\"%s\"}", p->columns[k].kind);
    }
    (void)fputs("],\"base64\":\"", out);
    for (int32_t k = 0; k < p->column_count; k++) put_column(&e, p, k, single);
    if (e.count > 0) put_group(&e);
    (void)fputs("\"}", out);
}

/* --------------------------------------------------------------------- the rest */

static void write_string(FILE *out, const char *name, const char *text)
{
    if (!text) return;
    (void)fprintf(out, ",\n\"%s\":", name);
    layout_string(out, text);
}

static void write_tree(FILE *out, const char *name, const json_t *tree)
{
    if (!tree || json_is_null(tree)) return;
    (void)fprintf(out, ",\n\"%s\":", name);
    (void)json_dumpf(tree, out, JSON_COMPACT);
}

/* The lines of a text as strings. */
static void write_lines(FILE *out, const char *text)
{
    (void)fputc('[', out);
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (!first) (void)fputc(',', out);
        layout_string(out, line ? line : "");
        free(line);
        text += length + (text[length] == '\n');
    }
    (void)fputc(']', out);
}

static void write_verdict(const page *p, FILE *out)
{
    if (!p->trust) return;
    (void)fputs(",\n\"verdict\":{\"trust\":", out);
    layout_string(out, p->trust);
    (void)fputs(",\"lines\":", out);
    write_lines(out, p->verdict ? p->verdict : "");
    (void)fputc('}', out);
}

/* Pairs of lines: <h2>title</h2>, then the equations. */
static void write_equations(const char *text, FILE *out)
{
    bool first = true;
    if (!text) return;
    (void)fputs(",\n\"equations\":[", out);
    while (strncmp(text, "<h2>", 4) == 0) {
        const char *end = strstr(text, "</h2>\n"), *math = end ? end + 6 : NULL;
        if (!math) break;
        char *title = strndup(text + 4, (size_t)(end - text - 4));
        char *body = strndup(math, strcspn(math, "\n"));
        (void)fputs(first ? "{\"title\":" : ",{\"title\":", out);
        layout_string(out, title ? title : "");
        (void)fputs(",\"mathml\":", out);
        layout_string(out, body ? body : "");
        (void)fputc('}', out);
        free(title);
        free(body);
        first = false;
        text = math + strcspn(math, "\n");
        if (*text) text++;
    }
    (void)fputc(']', out);
}

/* The columns of kind energy. */
static void write_energy(const page *p, FILE *out)
{
    bool first = true;
    for (int32_t k = 0; k < p->column_count; k++) {
        if (strcmp(p->columns[k].kind, "energy") != 0) continue;
        (void)fputs(first ? ",\n\"energy\":{\"columns\":[" : ",", out);
        layout_string(out, p->columns[k].name);
        first = false;
    }
    if (!first) (void)fputs("]}", out);
}

static void write_model_text(const page *p, FILE *out)
{
    char *text = p->text ? strndup(p->text, p->text_length) : NULL;
    write_string(out, "file", p->file);
    write_string(out, "text", text);
    free(text);
}

static void write_page_json(const page *p, FILE *out)
{
    (void)fputs("{\"version\":", out);
    layout_string(out, zw_version());
    write_string(out, "title", p->title);
    write_string(out, "command", p->command);
    write_model_text(p, out);
    write_tree(out, "parameters", p->parameters);
    write_data(p, out);
    if (p->row_total > p->row_count)
        (void)fprintf(out, ",\n\"thinned\":{\"from\":%lld,\"to\":%lld}", (long long)p->row_total,
                      (long long)p->row_count);
    write_tree(out, "scene", p->scene);
    write_tree(out, "forces", p->forces);
    write_tree(out, "contacts", p->contacts);
    write_tree(out, "events", p->events);
    write_verdict(p, out);
    write_tree(out, "constraints", p->constraints);
    write_equations(p->equations, out);
    write_energy(p, out);
    (void)fputs("}\n", out);
}

/* ------------------------------------------------------------------------- frame */

static const char *find_bundle(const char *file)
{
    const embedded_text *t = page_texts;
    while (t->name && strcmp(t->file, file) != 0) t++;
    return t->name ? t->text : "";
}

/* Every < as \u003c. */
static void write_safely(const char *text, size_t length, FILE *out)
{
    while (length > 0) {
        const char *sign = memchr(text, '<', length);
        size_t plain = sign ? (size_t)(sign - text) : length;
        (void)fwrite(text, 1, plain, out);
        if (!sign) return;
        (void)fputs("\\u003c", out);
        text += plain + 1;
        length -= plain + 1;
    }
}

/* False: there was not enough memory. */
static bool write_page(const page *p, FILE *out)
{
    char *json = NULL;
    size_t length = 0;
    FILE *inside = open_memstream(&json, &length);
    if (!inside) return false;
    write_page_json(p, inside);
    bool good = !ferror(inside);
    good = fclose(inside) == 0 && good;
    if (good) {
        (void)fprintf(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<title>Zwang</title>\n<style>%s</style>\n</head>\n<body>\n<div id=\"page\"></div>\n"
            "<noscript>This page needs JavaScript, which is inside it: nothing is loaded from "
            "anywhere.</noscript>\n<script type=\"application/json\" id=\"zwang-page\">",
            find_bundle("page.css"));
        write_safely(json, length, out);
        (void)fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n",
                      find_bundle("page.js"));
    }
    free(json);
    return good && !ferror(out);
}

bool page_write_file(const page *p, const char *name, message_log *log)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    bool good = out && write_page(p, out);
    if (out && fclose(out) != 0) good = false;
    if (good)
        good = output_write(name, text, length, log);
    else
        message_report(log, MSG_MEMORY, NULL, "there is not enough memory for the page");
    free(text);
    return good;
}
