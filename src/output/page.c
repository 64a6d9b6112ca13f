/*
 * A page: one HTML file with a style, a script and, between them, what it shows as JSON (web/DATA.md).
 * Numbers are columns of doubles in base64, or of floats where there are very many.
 *
 * The JSON goes out through a gate in which every < becomes \u003c, so that nothing in a model can end
 * the script it stands in. Nothing is kept but the buffer of the sink and one field at a time.
 */
#include <string.h>

#include "format.h"

enum { SINGLE_FROM = 1000000 }; /* numbers, from which on they are written in single precision */

typedef struct page_writer {
    const zw_page *page;
    zo_sink *sink;
    zb_text scratch;   /* of one string */
    zw_status failure; /* of memory for it, the first one */
} page_writer;

/* JSON, through the gate. */
static void put_safely(page_writer *w, const char *text, size_t length)
{
    while (length > 0) {
        const char *sign = memchr(text, '<', length);
        size_t plain = sign ? (size_t)(sign - text) : length;
        zo_put(w->sink, text, plain);
        if (!sign) return;
        zo_put_string(w->sink, "\\u003c");
        text += plain + 1;
        length -= plain + 1;
    }
}

static void put(page_writer *w, const char *text)
{
    put_safely(w, text, strlen(text));
}

/* What is in the scratch, if there was memory for it. */
static void put_scratch(page_writer *w)
{
    if (w->failure == ZW_OK) w->failure = w->scratch.failure;
    if (w->failure == ZW_OK) put_safely(w, w->scratch.data, w->scratch.length);
}

/* A string of JSON. */
static void put_bytes(page_writer *w, const char *text, size_t length)
{
    zb_text_clear(&w->scratch);
    zb_text_json_bytes(&w->scratch, text, length);
    put_scratch(w);
}

static void put_count(page_writer *w, int64_t count)
{
    zb_text_clear(&w->scratch);
    zb_text_printf(&w->scratch, "%lld", (long long)count);
    put_scratch(w);
}

/* ------------------------------------------------------------------------- numbers */

/* Bytes on their way to base64. */
typedef struct encoder {
    zo_sink *sink;
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
    zo_put(e->sink, group, sizeof group);
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

static void put_column(encoder *e, const zw_page *p, int32_t column, bool single)
{
    for (int64_t i = 0; i < p->row_count; i++) {
        double x = p->rows[i * p->column_count + column];
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

static void put_data(page_writer *w)
{
    const zw_page *p = w->page;
    bool single = p->row_count * p->column_count > SINGLE_FROM;
    encoder e = {.sink = w->sink};
    put(w, ",\n\"data\":{\"type\":");
    put(w, single ? "\"f4\",\"rows\":" : "\"f8\",\"rows\":");
    put_count(w, p->row_count);
    put(w, ",\"columns\":[");
    for (int32_t k = 0; k < p->column_count; k++) {
        put(w, k > 0 ? ",{\"name\":" : "{\"name\":");
        put_bytes(w, p->columns[k].name, strlen(p->columns[k].name));
        put(w, ",\"kind\":");
        put_bytes(w, p->columns[k].kind, strlen(p->columns[k].kind));
        put(w, "}");
    }
    put(w, "],\"base64\":\"");
    for (int32_t k = 0; k < p->column_count; k++) put_column(&e, p, k, single);
    if (e.count > 0) put_group(&e);
    put(w, "\"}");
}

/* ------------------------------------------------------------------------ the rest */

/* The name of a member behind others; false: there is none. */
static bool put_name(page_writer *w, const char *name, const void *value)
{
    if (!value) return false;
    put(w, ",\n\"");
    put(w, name);
    put(w, "\":");
    return true;
}

static void put_string(page_writer *w, const char *name, const char *text)
{
    if (put_name(w, name, text)) put_bytes(w, text, strlen(text));
}

static void put_json(page_writer *w, const char *name, const char *json)
{
    if (put_name(w, name, json)) put(w, json);
}

/* The lines of a text as strings. */
static void put_lines(page_writer *w, const char *text)
{
    put(w, "[");
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, "\n");
        if (!first) put(w, ",");
        put_bytes(w, text, length);
        text += length + (text[length] == '\n');
    }
    put(w, "]");
}

static void put_verdict(page_writer *w)
{
    const zw_page *p = w->page;
    if (!put_name(w, "verdict", p->trust)) return;
    put(w, "{\"trust\":");
    put_bytes(w, p->trust, strlen(p->trust));
    put(w, ",\"lines\":");
    put_lines(w, p->verdict ? p->verdict : "");
    put(w, "}");
}

/* Pairs of lines: <h2>title</h2>, then the equations. */
static void put_equations(page_writer *w, const char *text)
{
    bool first = true;
    if (!put_name(w, "equations", text)) return;
    put(w, "[");
    while (strncmp(text, "<h2>", 4) == 0) {
        const char *end = strstr(text, "</h2>\n"), *math = end ? end + 6 : NULL;
        if (!math) break;
        size_t length = strcspn(math, "\n");
        put(w, first ? "{\"title\":" : ",{\"title\":");
        put_bytes(w, text + 4, (size_t)(end - text - 4));
        put(w, ",\"mathml\":");
        put_bytes(w, math, length);
        put(w, "}");
        first = false;
        text = math + length;
        if (*text) text++;
    }
    put(w, "]");
}

/* The columns of kind energy. */
static void put_energy(page_writer *w)
{
    const zw_page *p = w->page;
    bool first = true;
    for (int32_t k = 0; k < p->column_count; k++) {
        if (strcmp(p->columns[k].kind, "energy") != 0) continue;
        put(w, first ? ",\n\"energy\":{\"columns\":[" : ",");
        put_bytes(w, p->columns[k].name, strlen(p->columns[k].name));
        first = false;
    }
    if (!first) put(w, "]}");
}

static void put_thinning(page_writer *w)
{
    const zw_page *p = w->page;
    if (p->row_total <= p->row_count) return;
    put(w, ",\n\"thinned\":{\"from\":");
    put_count(w, p->row_total);
    put(w, ",\"to\":");
    put_count(w, p->row_count);
    put(w, "}");
}

static void put_page_json(page_writer *w)
{
    const zw_page *p = w->page;
    const char *version = zw_version();
    put(w, "{\"version\":");
    put_bytes(w, version, strlen(version));
    put_string(w, "title", p->title);
    put_string(w, "command", p->command);
    put_string(w, "file", p->file);
    if (put_name(w, "text", p->text)) put_bytes(w, p->text, p->text_length);
    put_json(w, "parameters", p->parameters);
    put_data(w);
    put_thinning(w);
    put_json(w, "scene", p->scene);
    put_json(w, "forces", p->forces);
    put_json(w, "contacts", p->contacts);
    put_json(w, "events", p->events);
    put_verdict(w);
    put_json(w, "constraints", p->constraints);
    put_equations(w, p->equations);
    put_energy(w);
    put(w, "}\n");
}

/* --------------------------------------------------------------------------- frame */

static void put_page(page_writer *w)
{
    zo_put_string(w->sink,
                  "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>Zwang</title>\n<style>");
    zo_put_string(w->sink, w->page->style);
    zo_put_string(
        w->sink, "</style>\n</head>\n<body>\n<div id=\"page\"></div>\n"
                 "<noscript>This page needs JavaScript, which is inside it: nothing is loaded from "
                 "anywhere.</noscript>\n<script type=\"application/json\" id=\"zwang-page\">");
    put_page_json(w);
    zo_put_string(w->sink, "</script>\n<script>");
    zo_put_string(w->sink, w->page->script);
    zo_put_string(w->sink, "</script>\n</body>\n</html>\n");
}

zw_status zo_page(zb_memory *memory, const zw_page *page, zw_write_fn write, void *user)
{
    char buffer[zo_buffer_size];
    zo_sink sink = {.write = write, .user = user, .buffer = buffer, .size = sizeof buffer};
    page_writer w = {.page = page, .sink = &sink};
    zb_text_init(&w.scratch, memory);
    put_page(&w);
    zo_flush(&sink);
    zb_text_free(&w.scratch);
    if (w.failure != ZW_OK) return w.failure;
    return sink.failed ? ZW_ERR_WRITE : ZW_OK;
}
