/*
 * CSV (RFC 4180 but for the line end, which is \n): a line of names, then a line for each row.
 * Nothing is kept: memory does not grow.
 */
#include "format.h"

#include <string.h>

/* In quotes, with those inside it doubled, where it is empty or has a character that separates. */
void zo_put_csv_text(zo_sink *sink, const char *name)
{
    if (name[0] && !strpbrk(name, ",\"\r\n")) {
        zo_put_string(sink, name);
        return;
    }
    zo_put(sink, "\"", 1);
    for (const char *c = name; *c; c++) {
        if (*c == '"') zo_put(sink, c, 1);
        zo_put(sink, c, 1);
    }
    zo_put(sink, "\"", 1);
}

/* The line of names. */
static zw_status csv_open(zw_result *result)
{
    ZB_TRY(zo_need_powers(result));
    for (int32_t i = 0; i < result->count; i++) {
        if (i > 0) zo_put(&result->sink, ",", 1);
        zo_put_csv_text(&result->sink, result->names[i]);
    }
    zo_put(&result->sink, "\n", 1);
    return ZW_OK;
}

/* Every number ends with a comma, the last of which becomes the end of the line. */
static zw_status csv_row(zw_result *result, const double *row)
{
    size_t most = (size_t)result->count * (zo_number_size + 1);
    char *begin = zo_room(&result->sink, most), *to = begin;
    for (int32_t i = 0; i < result->count; i++) {
        to += zo_number(result->powers, row[i], to);
        *to++ = ',';
    }
    to[-1] = '\n';
    zo_take(&result->sink, (size_t)(to - begin));
    return ZW_OK;
}

static void csv_close(zw_result *result)
{
    (void)result;
}

const zo_format zo_csv = {.open = csv_open, .row = csv_row, .close = csv_close};
