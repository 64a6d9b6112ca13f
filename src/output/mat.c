/*
 * MATLAB version 4 as OpenModelica lays out its results ("binTrans"): six matrices, each with a
 * header of five 32-bit numbers and its name, stored by columns.
 *
 *     Aclass       4 x 11 characters: Atrajectory, 1.1, nothing, binTrans
 *     name         a column of characters for each variable, filled up with NUL
 *     description  likewise: the column's name as in the other formats
 *     dataInfo     4 x n: table 2, place in it from 1, 0 (linear between points), -1 (undefined
 *                  outside)
 *     data_1       what is constant: the time at the start and at the end only
 *     data_2       n x points
 *
 * The first column is called time, and derivatives as in Modelica: x' is der(x), x'' der(der(x)).
 */
#include "format.h"

#include <string.h>

/* Types of matrices besides numbers: 32-bit integers, and text of bytes. */
enum { numbers = ZO_MAT_NUMBERS, integers = 20, characters = 51 };

/* ------------------------------------------------------------------- names */

/* x' becomes der(x); a copy in the arena, or NULL when memory ran out. */
static const char *modelica_name(zb_arena *arena, const char *name)
{
    static const char der[4] = {'d', 'e', 'r', '('};
    size_t length = strlen(name), bare = length;
    while (bare > 1 && name[bare - 1] == '\'') bare--;
    size_t orders = length - bare;
    char *text = zb_arena_take(arena, bare + 5 * orders + 1, 1);
    if (!text) return NULL;
    for (size_t i = 0; i < orders; i++) memcpy(text + 4 * i, der, sizeof der);
    memcpy(text + 4 * orders, name, bare);
    memset(text + 4 * orders + bare, ')', orders);
    return text; /* an arena's memory is zeroed: the NUL is there */
}

/* The names must differ as Modelica writes them, too. */
static zw_status mat_open(zw_result *result)
{
    zb_arena *arena = &result->arena;
    result->renamed = ZB_NEW_ARRAY(arena, const char *, result->count);
    if (!result->renamed) return arena->failure;
    for (int32_t i = 0; i < result->count; i++) {
        result->renamed[i] = i == 0 ? "time" : modelica_name(arena, result->names[i]);
        if (!result->renamed[i]) return arena->failure;
    }
    return zo_require_unique(result, result->renamed);
}

/* Rows are kept: the number of them stands before the data. */
static zw_status mat_row(zw_result *result, const double *row)
{
    /* the most columns of a matrix that its header can say */
    if (result->row_count == INT32_MAX) return ZW_ERR_ARGUMENT;
    return zo_table_add(result, row);
}

/* ---------------------------------------------------------------- matrices */

void zo_put_matrix(zo_sink *sink, uint32_t type, const char *name, size_t rows, size_t columns)
{
    size_t length = strlen(name) + 1;
    zo_put_32(sink, type);
    zo_put_32(sink, (uint32_t)rows);
    zo_put_32(sink, (uint32_t)columns);
    zo_put_32(sink, 0); /* no imaginary part */
    zo_put_32(sink, (uint32_t)length);
    zo_put(sink, name, length);
}

/* A matrix of characters, a column a string, filled up with NUL. Readers expect at least one
 * character. */
static void put_strings(zo_sink *sink, const char *matrix, const char *const *strings,
                        int32_t count)
{
    size_t longest = 1;
    for (int32_t i = 0; i < count; i++) {
        size_t length = strlen(strings[i]);
        if (length > longest) longest = length;
    }
    zo_put_matrix(sink, characters, matrix, longest, (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        zo_put_string(sink, strings[i]);
        zo_put_zeros(sink, longest - strlen(strings[i]));
    }
}

/* Which layout follows; by columns, as all matrices. */
static void put_class(zo_sink *sink)
{
    static const char *const rows[4] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    zo_put_matrix(sink, characters, "Aclass", 4, 11);
    for (int j = 0; j < 11; j++)
        for (int i = 0; i < 4; i++) zo_put(sink, rows[i] + j, 1);
}

/* Where each variable is to be found: all in table 2, in order. */
static void put_data_info(zo_sink *sink, int32_t count)
{
    zo_put_matrix(sink, integers, "dataInfo", 4, (size_t)count);
    for (int32_t i = 0; i < count; i++) {
        zo_put_32(sink, 2);
        zo_put_32(sink, (uint32_t)i + 1);
        zo_put_32(sink, 0);
        zo_put_32(sink, UINT32_MAX); /* -1 */
    }
}

/* The first column at both ends, then all rows; a row of ours is a column of the matrix. */
static void put_trajectories(zw_result *result)
{
    zo_sink *sink = &result->sink;
    size_t count = (size_t)result->count;
    const zo_block *first = result->first, *last = result->last;
    double ends[2] = {0, 0};
    if (first) ends[0] = first->rows[0];
    if (last) ends[1] = last->rows[(last->used - 1) * count];
    zo_put_matrix(sink, numbers, "data_1", 1, 2);
    zo_put_doubles(sink, ends, 2);
    zo_put_matrix(sink, numbers, "data_2", count, (size_t)result->row_count);
    for (const zo_block *block = first; block && !sink->failed; block = block->next)
        zo_put_doubles(sink, block->rows, block->used * count);
}

/* The six matrices in their order. */
static void mat_close(zw_result *result)
{
    zo_sink *sink = &result->sink;
    put_class(sink);
    put_strings(sink, "name", result->renamed, result->count);
    put_strings(sink, "description", result->names, result->count);
    put_data_info(sink, result->count);
    put_trajectories(result);
}

const zo_format zo_mat = {.open = mat_open, .row = mat_row, .close = mat_close};
