/*
 * MATLAB version 4 with a variable for each column, as `load` wants it: t, x, r_2 for r[2], x_d and x_dd
 * for x' and x''. What no variable may be called so is left out of its name or an underscore, and
 * underscores are added where two would be one.
 */
#include "format.h"

#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The name of a variable from that of a column, at most three bytes for one; out has room for
 * primes and underscores. */
static void make_variable_name(const char *name, char *out)
{
    size_t length = strlen(name), bare = length, at = 0;
    while (bare > 1 && name[bare - 1] == '\'') bare--;
    if (!is_letter(name[0])) out[at++] = 'v';
    for (size_t k = 0; k < bare; k++) {
        bool plain = is_letter(name[k]) || (name[k] >= '0' && name[k] <= '9');
        bool between = strchr("_[,.(", name[k]) != NULL;
        if (plain)
            out[at++] = name[k];
        else if (between || ((unsigned char)name[k] & 0xC0) == 0xC0)
            out[at++] = '_';
    }
    if (bare < length) out[at++] = '_';
    for (size_t k = bare; k < length; k++) out[at++] = 'd';
    out[at] = '\0';
}

/* Adds underscores until no column before has the name. */
static void make_unique(const char *const *names, int32_t count, char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) != 0) continue;
        size_t length = strlen(name);
        name[length] = '_';
        name[length + 1] = '\0';
        i = -1; /* from the beginning */
    }
}

static zw_status mat_plain_open(zw_result *result)
{
    zb_arena *arena = &result->arena;
    result->renamed = ZB_NEW_ARRAY(arena, const char *, result->count);
    if (!result->renamed) return arena->failure;
    for (int32_t i = 0; i < result->count; i++) {
        char *name = zb_arena_take(arena, strlen(result->names[i]) + (size_t)result->count + 4, 1);
        if (!name) return arena->failure;
        make_variable_name(result->names[i], name);
        make_unique(result->renamed, i, name);
        result->renamed[i] = name;
    }
    return ZW_OK;
}

/* Rows are kept: the number of them stands before the data. */
static zw_status mat_plain_row(zw_result *result, const double *row)
{
    if (result->row_count == INT32_MAX) return ZW_ERR_ARGUMENT;
    return zo_table_add(result, row);
}

/* One matrix of one column for each. */
static void mat_plain_close(zw_result *result)
{
    zo_sink *sink = &result->sink;
    size_t count = (size_t)result->count;
    for (size_t i = 0; i < count; i++) {
        zo_put_matrix(sink, ZO_MAT_NUMBERS, result->renamed[i], (size_t)result->row_count, 1);
        for (const zo_block *b = result->first; b && !sink->failed; b = b->next)
            for (size_t k = 0; k < b->used; k++) zo_put_doubles(sink, &b->rows[k * count + i], 1);
    }
}

const zo_format zo_mat_plain = {
    .open = mat_plain_open, .row = mat_plain_row, .close = mat_plain_close};
