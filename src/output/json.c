/*
 * JSON: {"columns": [names], "rows": [[numbers], ...]}, a line for each row, null for what is not
 * finite. Nothing is kept: memory does not grow.
 */
#include "format.h"

#include <math.h>
#include <string.h>

/* The names, escaped, and the beginning of the rows. */
static zw_status json_open(zw_result *result)
{
    ZB_TRY(zo_need_powers(result));
    zb_text text;
    zb_text_init(&text, result->memory);
    zb_text_add(&text, "{\"columns\": [");
    for (int32_t i = 0; i < result->count; i++) {
        if (i > 0) zb_text_add(&text, ", ");
        zb_text_json_string(&text, result->names[i]);
    }
    zb_text_add(&text, "], \"rows\": [");
    zw_status status = text.failure;
    if (status == ZW_OK) zo_put(&result->sink, text.data, text.length);
    zb_text_free(&text);
    return status;
}

/* A number, or null where JSON has none for it; the bytes written. */
size_t zo_json_number(zo_powers *powers, double value, char *to)
{
    static const char null[4] = {'n', 'u', 'l', 'l'};
    if (isfinite(value)) return zo_number(powers, value, to);
    memcpy(to, null, sizeof null);
    return sizeof null;
}

/* The comma of the row before stands in front, as the last row has none. */
static zw_status json_row(zw_result *result, const double *row)
{
    size_t most = (size_t)result->count * (zo_number_size + 2) + 4;
    char *begin = zo_room(&result->sink, most), *to = begin;
    if (result->row_count > 0) *to++ = ',';
    *to++ = '\n';
    *to++ = '[';
    for (int32_t i = 0; i < result->count; i++) {
        if (i > 0) *to++ = ',', *to++ = ' ';
        to += zo_json_number(result->powers, row[i], to);
    }
    *to++ = ']';
    zo_take(&result->sink, (size_t)(to - begin));
    return ZW_OK;
}

static void json_close(zw_result *result)
{
    zo_put_string(&result->sink, result->row_count > 0 ? "\n]}\n" : "]}\n");
}

const zo_format zo_json = {.open = json_open, .row = json_row, .close = json_close};
