/*
 * Sentences for people: names of rows, coordinates and start equations, relations between rows,
 * short numbers; and reporting them at a place of the model's text. The text is looked up in the
 * context, which keeps a copy: the caller's may be gone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"

/* ------------------------------------------------------------------- places */

/* Sets d->line, column and length: where a place of the text stands, counted from 1, and how many
 * characters of that line it covers. Column and length stay as they are where the context has no
 * copy of the text. */
static void locate_place(const zw_context *context, const zl_source *source, zl_place place,
                         zw_diagnostic *d)
{
    int32_t low = 0, high = source->line_count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (source->lines[middle] <= place.at)
            low = middle;
        else
            high = middle;
    }
    d->line = low + 1;
    const zb_source *text = zb_diag_source(&context->diagnostics, source->file);
    if (!text || (size_t)place.at > text->length) return;
    size_t begin = (size_t)source->lines[low], at = (size_t)place.at, end = at;
    while (end < text->length && end < at + (size_t)place.length && text->text[end] != '\n' &&
           text->text[end] != '\r')
        end++;
    d->column = 1 + zb_utf8_columns(text->text, begin, at);
    d->length = zb_utf8_columns(text->text, at, end);
}

/* Severity from the code: E error, W warning, any other letter a remark. A text that could not be
 * written is the failure of the report. */
zw_status zr_report(zw_model *model, const zr_message *message, zb_text *sentence)
{
    if (sentence->failure != ZW_OK) return sentence->failure;
    zw_severity severity = ZW_REMARK;
    if (message->code[0] == 'E') severity = ZW_ERROR;
    if (message->code[0] == 'W') severity = ZW_WARNING;
    zw_diagnostic d = {.severity = severity,
                       .code = message->code,
                       .sentence = zb_text_string(sentence),
                       .help = message->help};
    const zl_unit *unit = &model->zm->unit;
    bool placed = message->place.source >= 0;
    int32_t number = placed ? message->place.source : model->main_source;
    if (number < unit->sources.count) {
        const zl_source *source = &unit->sources.data[number];
        d.file = source->file;
        if (placed) locate_place(model->context, source, message->place, &d);
    }
    return zb_diag_add(&model->context->diagnostics, &d);
}

zl_place zr_row_place(const zw_model *model, int32_t row)
{
    return model->zm->constraints[zm_row_constraint(model->zm, row)].place;
}

/* ------------------------------------------------------------------ numbers */

/* The value with this many significant digits; from 17 on, and of what is not finite, as it is.
 * Through text and back: printf and strtod share their locale, whatever it is. */
static double round_to_digits(double value, int digits)
{
    char buffer[64];
    if (!isfinite(value) || digits >= 17) return value;
    (void)snprintf(buffer, sizeof buffer, "%.*e", digits - 1, value);
    return strtod(buffer, NULL);
}

void zr_text_digits(zb_text *text, double value, int digits)
{
    zb_text_double(text, round_to_digits(value, digits));
}

/* Bytes of the first `most` characters of a UTF-8 text, or of all of it. */
static size_t count_leading_bytes(const char *text, size_t most)
{
    size_t bytes = 0, characters = 0;
    for (; text[bytes]; bytes++) {
        bool begins = ((unsigned char)text[bytes] & 0xC0) != 0x80;
        if (begins && characters++ == most) break;
    }
    return bytes;
}

/* A text that is too long ends with "...", which counts among the `most` characters. */
void zr_text_cut(zb_text *text, const char *what, size_t most)
{
    size_t all = strlen(what), bytes = count_leading_bytes(what, most);
    if (bytes < all) bytes = count_leading_bytes(what, most - 3);
    zb_text_bytes(text, what, bytes);
    if (bytes < all) zb_text_add(text, "...");
}

void zr_text_short(zb_text *text, double value)
{
    zr_text_digits(text, value, 6);
}

int zr_digits_apart(double a, double b, int digits)
{
    return a != b && round_to_digits(a, digits) == round_to_digits(b, digits) ? 17 : digits;
}

/* -------------------------------------------------------------------- names */

void zr_text_coordinate(const zw_model *model, int32_t i, int order, zb_text *text)
{
    zm_coordinate_text(model->zm, i, text);
    if (order == 1) zb_text_char(text, '\'');
}

/* The statement between backquotes as written: its first line, at most `longest` bytes of it, never
 * cut within a character; nothing where the context has no copy of the text. */
void zr_text_equation(const zw_model *model, int32_t equation, zb_text *text)
{
    const zm_start_equation *e = &model->zm->start_equations[model->equation_item[equation]];
    const zl_unit *unit = &model->zm->unit;
    enum { longest = 60 };
    zb_text_add(text, "`");
    if (e->place.source >= 0 && e->place.source < unit->sources.count) {
        const zb_source *source =
            zb_diag_source(&model->context->diagnostics, unit->sources.data[e->place.source].file);
        size_t at = (size_t)e->place.at, end = at + (size_t)e->place.length, last = at;
        for (; source && last < end && last < source->length && last < at + longest; last++)
            if (source->text[last] == '\n') break;
        while (source && last > at && last < source->length &&
               ((unsigned char)source->text[last] & 0xC0) == 0x80)
            last--;
        if (source) zb_text_shown(text, source->text + at, last - at);
        if (last < end) zb_text_add(text, " ...");
    }
    zb_text_add(text, "`");
}

/* Between backquotes. */
void zr_text_row(const zw_model *model, int32_t row, zb_text *text)
{
    if (row < 0) {
        zr_text_equation(model, ~row, text);
        return;
    }
    zb_text_char(text, '`');
    zm_row_text(model->zm, row, text);
    zb_text_char(text, '`');
}

/* ---------------------------------------------------------------- relations */

/* Factors of 1 are left out; what comes after 24 terms is counted. */
void zr_text_terms(const zw_model *model, const zr_finding *f, int32_t but, zb_text *text)
{
    enum { most = 24 };
    bool first = true;
    int32_t said = 0, more = 0;
    for (int32_t k = 0; k < f->count; k++) {
        if (f->rows[k] == but) continue;
        more += said >= most;
        if (said++ >= most) continue;
        double c = but >= 0 ? -f->coefficients[k] : f->coefficients[k];
        if (first)
            zb_text_add(text, c < 0.0 ? "−" : "");
        else
            zb_text_add(text, c < 0.0 ? " − " : " + ");
        if (fabs(fabs(c) - 1.0) > 1e-9) {
            zr_text_short(text, fabs(c));
            zb_text_add(text, "·");
        }
        if (f->rows[k] < 0)
            zr_text_equation(model, ~f->rows[k], text);
        else
            zm_row_text(model->zm, f->rows[k], text);
        first = false;
    }
    if (first) zb_text_add(text, "0");
    if (more > 0) zb_text_printf(text, " + ... (%d more)", (int)more);
}

/* All rows of a finding but `but`, joined to ranges: eight of these, the rest is counted. */
void zr_text_names(const zw_model *model, const zr_finding *f, int32_t but, zb_text *text)
{
    enum { most = 8 };
    zr_name_ranges ranges;
    zr_name_ranges_init(&ranges, &model->context->memory);
    for (int32_t k = 0; k < f->count; k++) {
        if (f->rows[k] == but) continue;
        zr_text_row(model, f->rows[k], &ranges.name);
        zr_name_ranges_add(&ranges, "");
    }
    zr_name_ranges_list(&ranges, most, " and ", text);
    zr_name_ranges_free(&ranges);
}

/* Of one row: "it is off by". */
void zr_text_mismatch(const zw_model *model, const zr_finding *f, zb_text *text)
{
    zb_text_add(text, f->count > 1 ? "they differ by " : "it is off by ");
    zr_text_short(text, fabs(f->mismatch));
    zb_text_add(text, " (size ");
    zr_text_short(text, f->size);
    zb_text_add(text, " in ");
    zr_text_terms(model, f, -1, text);
    zb_text_char(text, ')');
}

/* A row that depends on others, or one without derivatives. */
void zr_text_singular(const zw_model *model, const zr_finding *f, zb_text *text)
{
    if (f->count > 1) {
        zr_text_row(model, f->row, text);
        zb_text_add(text, " depends on ");
        zr_text_names(model, f, f->row, text);
        zb_text_add(text, " at the start only: the start is a singular configuration");
    } else {
        zb_text_add(text, "at the start all derivatives of ");
        zr_text_row(model, f->row, text);
        zb_text_add(text, " are zero (a singular configuration): it does not hold the motion "
                          "there");
    }
}
