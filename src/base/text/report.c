/*
 * The two forms of a list of diagnostics. The text form puts the place first, as compilers do,
 * so that editors find it; the quoted line is written by quote.c. Every string that came from
 * outside goes through zb_text_shown or the JSON escapes: an input can put nothing on the
 * terminal but visible characters.
 */
#include <string.h>

#include "diag.h"

const char *zb_severity_word(zw_severity severity)
{
    switch (severity) {
    case ZW_REMARK:
        return "remark";
    case ZW_WARNING:
        return "warning";
    case ZW_ERROR:
        return "error";
    }
    return "remark";
}

/* --------------------------------------------------------------------- text */

static void show(zb_text *text, const char *string)
{
    zb_text_shown(text, string, strlen(string));
}

/* FILE:LINE:COLUMN and what separates it from the rest. */
static void write_place(zb_text *text, const zw_diagnostic *d)
{
    if (d->file) show(text, d->file);
    if (d->line > 0) zb_text_printf(text, d->file ? ":%d" : "%d", (int)d->line);
    if (d->line > 0 && d->column > 0) zb_text_printf(text, ":%d", (int)d->column);
    if (d->file || d->line > 0) zb_text_add(text, ": ");
}

static void write_part(zb_text *text, const char *separator, const char *part)
{
    if (!part) return;
    zb_text_add(text, separator);
    show(text, part);
}

static void write_head(zb_text *text, const zw_diagnostic *d)
{
    write_place(text, d);
    zb_text_add(text, zb_severity_word(d->severity));
    if (d->code) {
        zb_text_char(text, '[');
        show(text, d->code);
        zb_text_char(text, ']');
    }
    write_part(text, ": ", d->where);
    write_part(text, ": ", d->sentence);
    zb_text_char(text, '\n');
}

static void write_one(const zb_diag_list *list, const zw_diagnostic *d, zb_text *text)
{
    write_head(text, d);
    const zb_source *source = zb_diag_source(list, d->file);
    if (source) zb_diag_quote(source, d, text);
    if (!d->help) return;
    write_part(text, "    help: ", d->help);
    zb_text_char(text, '\n');
}

void zb_diag_text(const zb_diag_list *list, zb_text *text)
{
    for (int32_t i = 0; i < list->items.count; i++) write_one(list, list->items.data[i], text);
    if (list->dropped > 0) zb_text_printf(text, "... and %d more\n", (int)list->dropped);
}

/* --------------------------------------------------------------------- JSON */

static void json_string(zb_text *text, const char *name, const char *value)
{
    if (!value) return;
    zb_text_printf(text, ",\"%s\":", name);
    zb_text_json_string(text, value);
}

static void json_number(zb_text *text, const char *name, int32_t value)
{
    if (value > 0) zb_text_printf(text, ",\"%s\":%d", name, (int)value);
}

static void json_one(zb_text *text, const zw_diagnostic *d)
{
    zb_text_printf(text, "{\"severity\":\"%s\"", zb_severity_word(d->severity));
    json_string(text, "code", d->code);
    json_string(text, "file", d->file);
    json_number(text, "line", d->line);
    json_number(text, "column", d->column);
    json_number(text, "length", d->length);
    json_string(text, "where", d->where);
    json_string(text, "sentence", d->sentence);
    json_string(text, "help", d->help);
    zb_text_char(text, '}');
}

/* Those past the limit become one remark at the end: nothing is left out in silence. */
static void json_dropped(zb_text *text, int32_t dropped)
{
    char sentence[32];
    zb_text number;
    zb_text_init_fixed(&number, sentence, sizeof sentence);
    zb_text_printf(&number, "and %d more", (int)dropped);
    json_one(text, &(zw_diagnostic){.severity = ZW_REMARK, .sentence = sentence});
}

void zb_diag_json(const zb_diag_list *list, zb_text *text)
{
    zb_text_char(text, '[');
    for (int32_t i = 0; i < list->items.count; i++) {
        if (i > 0) zb_text_add(text, ",\n");
        json_one(text, list->items.data[i]);
    }
    /* Where something was dropped, something was kept. */
    if (list->dropped > 0) {
        zb_text_add(text, ",\n");
        json_dropped(text, list->dropped);
    }
    zb_text_char(text, ']');
}
