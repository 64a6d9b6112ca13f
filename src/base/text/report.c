/*
 * The two forms of a list of diagnostics. The text form puts the place first, as compilers do,
 * so that editors find it; the quoted line is written by quote.c. Every string that came from
 * outside goes through zb_text_shown or the JSON escapes: an input can put nothing on the
 * terminal but visible characters.
 */
#include <string.h>

#include "diag.h"

/* A severity that is out of range, which cannot be added to a list, counts as a remark. */
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

/* A string that came from outside, with control characters as escapes. */
static void append_shown(zb_text *text, const char *string)
{
    zb_text_shown(text, string, strlen(string));
}

/* FILE:LINE:COLUMN and what separates it from the rest. */
static void write_place(zb_text *text, const zw_diagnostic *d)
{
    if (d->file) append_shown(text, d->file);
    if (d->line > 0) zb_text_printf(text, d->file ? ":%d" : "%d", (int)d->line);
    if (d->line > 0 && d->column > 0) zb_text_printf(text, ":%d", (int)d->column);
    if (d->file || d->line > 0) zb_text_add(text, ": ");
}

/* `label` and a string from outside; nothing where that is NULL. */
static void write_labelled(zb_text *text, const char *label, const char *string)
{
    if (!string) return;
    zb_text_add(text, label);
    append_shown(text, string);
}

/* PLACE: SEVERITY[CODE]: WHERE: SENTENCE. */
static void write_first_line(zb_text *text, const zw_diagnostic *d)
{
    write_place(text, d);
    zb_text_add(text, zb_severity_word(d->severity));
    if (d->code) {
        zb_text_char(text, '[');
        append_shown(text, d->code);
        zb_text_char(text, ']');
    }
    write_labelled(text, ": ", d->where);
    write_labelled(text, ": ", d->sentence);
    zb_text_char(text, '\n');
}

/* The first line, the line of the source where it is known, the help. */
static void write_diagnostic(const zb_diag_list *list, const zw_diagnostic *d, zb_text *text)
{
    write_first_line(text, d);
    const zb_source *source = zb_diag_source(list, d->file);
    if (source) zb_diag_quote(source, d, text);
    if (!d->help) return;
    write_labelled(text, "    help: ", d->help);
    zb_text_char(text, '\n');
}

void zb_diag_text(const zb_diag_list *list, zb_text *text)
{
    for (int32_t i = 0; i < list->items.count; i++)
        write_diagnostic(list, list->items.data[i], text);
    if (list->dropped > 0) zb_text_printf(text, "... and %d more\n", (int)list->dropped);
}

/* --------------------------------------------------------------------- JSON */

/* A member "name": "value" behind others; nothing where value is NULL. */
static void append_json_field(zb_text *text, const char *name, const char *value)
{
    if (!value) return;
    zb_text_printf(text, ",\"%s\":", name);
    zb_text_json_string(text, value);
}

/* A member "name": value behind others; nothing where it is not known (0). */
static void append_json_count(zb_text *text, const char *name, int32_t value)
{
    if (value > 0) zb_text_printf(text, ",\"%s\":%d", name, (int)value);
}

/* One diagnostic as a JSON object. */
static void append_json_object(zb_text *text, const zw_diagnostic *d)
{
    zb_text_printf(text, "{\"severity\":\"%s\"", zb_severity_word(d->severity));
    append_json_field(text, "code", d->code);
    append_json_field(text, "file", d->file);
    append_json_count(text, "line", d->line);
    append_json_count(text, "column", d->column);
    append_json_count(text, "length", d->length);
    append_json_field(text, "where", d->where);
    append_json_field(text, "sentence", d->sentence);
    append_json_field(text, "help", d->help);
    zb_text_char(text, '}');
}

/* Those past the limit become one remark at the end: nothing is left out in silence. */
static void append_json_dropped(zb_text *text, int32_t dropped)
{
    char sentence[32];
    zb_text number;
    zb_text_init_fixed(&number, sentence, sizeof sentence);
    zb_text_printf(&number, "and %d more", (int)dropped);
    append_json_object(text, &(zw_diagnostic){.severity = ZW_REMARK, .sentence = sentence});
}

/* Objects are separated by ",\n": one a line. */
void zb_diag_json(const zb_diag_list *list, zb_text *text)
{
    zb_text_char(text, '[');
    for (int32_t i = 0; i < list->items.count; i++) {
        if (i > 0) zb_text_add(text, ",\n");
        append_json_object(text, list->items.data[i]);
    }
    /* Where something was dropped, something was kept. */
    if (list->dropped > 0) {
        zb_text_add(text, ",\n");
        append_json_dropped(text, list->dropped);
    }
    zb_text_char(text, ']');
}
