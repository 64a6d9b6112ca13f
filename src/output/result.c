/*
 * The formats there are, and what they share: the checks of names, the buffer, the first failure,
 * which every later call repeats.
 */
#include <string.h>

#include "format.h"

static const zo_format *const formats[] = {
#define FORMAT(name, value, word, sentence) [name] = &zo_##word,
    ZW_RESULT_LIST(FORMAT)
#undef FORMAT
        [ZW_RESULT_MAT_PLAIN] = &zo_mat_plain,
};

/* ------------------------------------------------------------------- names */

static bool same_column_name(const void *pool, const void *key, int32_t index)
{
    return strcmp(((const char *const *)pool)[index], key) == 0;
}

/* By a table of hashes, which is given back again. */
zw_status zo_require_unique(zw_result *result, const char *const *names)
{
    zb_table table = {0};
    zw_status status = ZW_OK;
    for (int32_t i = 0; i < result->count && status == ZW_OK; i++) {
        uint64_t hash = zb_hash_bytes(names[i], strlen(names[i]));
        if (zb_table_find(&table, hash, same_column_name, names, names[i]) >= 0)
            status = ZW_ERR_ARGUMENT;
        else if (!zb_table_insert(result->memory, &table, hash, i))
            status = result->memory->failure;
    }
    zb_table_free(result->memory, &table);
    return status;
}

/* Whether all of a text is valid UTF-8. */
static bool is_utf8(const char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0; at < length;)
        if (zb_utf8_next(text, length, &at) == ZB_UTF8_BAD) return false;
    return true;
}

/* The caller's names need not outlive the call. */
static zw_status copy_column_names(zw_result *result, const char *const *names)
{
    const char **copies = ZB_NEW_ARRAY(&result->arena, const char *, result->count);
    if (!copies) return result->arena.failure;
    for (int32_t i = 0; i < result->count; i++) {
        copies[i] = zb_arena_string(&result->arena, names[i], strlen(names[i]));
        if (!copies[i]) return result->arena.failure;
    }
    result->names = copies;
    return ZW_OK;
}

/* ------------------------------------------------------------------ opening */

/* In the result's arena; 15 kB. */
zw_status zo_need_powers(zw_result *result)
{
    result->powers = ZB_NEW(&result->arena, zo_powers);
    if (!result->powers) return result->arena.failure;
    zo_powers_init(result->powers);
    return ZW_OK;
}

/* A buffer with room for the longest row there can be; the names; what the format does first. */
static zw_status prepare_result(zw_result *result, const char *const *names)
{
    size_t row = zb_sum(zb_product((size_t)result->count, zo_number_size + 2), 16);
    result->sink.size = row > zo_buffer_size ? row : zo_buffer_size;
    result->sink.buffer = zb_resize(result->memory, NULL, 0, result->sink.size);
    if (!result->sink.buffer) return result->memory->failure;
    ZB_TRY(copy_column_names(result, names));
    ZB_TRY(result->format->open(result));
    return result->sink.failed ? ZW_ERR_WRITE : ZW_OK;
}

/* Everything a result has, itself included. */
static void free_result(zw_result *result)
{
    zo_table_free(result);
    zb_resize(result->memory, result->sink.buffer, result->sink.size, 0);
    zb_arena_clear(&result->arena);
    zb_resize(result->memory, result, sizeof *result, 0);
}

/* The result is handed out only when its format has opened it. */
zw_status zo_open(zb_memory *memory, zw_result_format format, const char *const *names,
                  int32_t count, zw_write_fn write, void *user, zw_result **result)
{
    if ((unsigned)format >= sizeof formats / sizeof *formats || count < 1) return ZW_ERR_ARGUMENT;
    for (int32_t i = 0; i < count; i++)
        if (!names[i] || !is_utf8(names[i])) return ZW_ERR_ARGUMENT;
    zw_result *fresh = zb_resize(memory, NULL, 0, sizeof *fresh);
    if (!fresh) return memory->failure;
    *fresh = (zw_result){.memory = memory,
                         .format = formats[format],
                         .count = count,
                         .sink = {.write = write, .user = user}};
    zb_arena_init(&fresh->arena, memory, 0);
    zw_status status = prepare_result(fresh, names);
    if (status != ZW_OK)
        free_result(fresh);
    else
        *result = fresh;
    return status;
}

/* The first failure is kept and returned from then on. */
zw_status zo_row(zw_result *result, const double *row)
{
    if (result->failure != ZW_OK) return result->failure;
    result->failure = result->format->row(result, row);
    if (result->failure == ZW_OK) result->row_count++;
    if (result->sink.failed) result->failure = ZW_ERR_WRITE;
    return result->failure;
}

zw_status zo_send(zw_result *result)
{
    if (result->failure == ZW_OK) zo_flush(&result->sink);
    if (result->sink.failed) result->failure = ZW_ERR_WRITE;
    return result->failure;
}

/* A row that could not be kept does not spoil those before it: the file ends with them. */
zw_status zo_close(zw_result *result)
{
    if (!result) return ZW_OK;
    if (!result->sink.failed) {
        result->format->close(result);
        zo_flush(&result->sink);
    }
    zw_status status = result->failure;
    if (status == ZW_OK && result->sink.failed) status = ZW_ERR_WRITE;
    free_result(result);
    return status;
}
