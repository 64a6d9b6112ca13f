/*
 * The list of diagnostics. Each one lies with its strings in the list's arena, where it does not
 * move; the array of pointers and the sources have memory of their own. All of it is owned by
 * the list and counted in its zb_memory.
 *
 * A broken input can cause any number of complaints. Of each severity only `limit` are kept, so
 * that the list stays small and a flood of warnings does not hide the first error.
 */
#include "diag.h"

#include <string.h>

void zb_diag_init(zb_diag_list *list, zb_memory *memory)
{
    *list = (zb_diag_list){.memory = memory, .limit = ZB_DIAG_LIMIT};
    zb_arena_init(&list->arena, memory, 0);
}

/* The sources stay: their lines may be wanted for what is reported next. */
void zb_diag_clear(zb_diag_list *list)
{
    zb_array_free(list->memory, &list->items);
    zb_arena_clear(&list->arena);
    memset(list->counts, 0, sizeof list->counts);
    list->dropped = 0;
}

static void free_source(zb_memory *memory, zb_source *source)
{
    if (source->file) zb_resize(memory, source->file, strlen(source->file) + 1, 0);
    if (source->text) zb_resize(memory, source->text, source->length + 1, 0);
}

/* The sources go, too. */
void zb_diag_free(zb_diag_list *list)
{
    zb_diag_clear(list);
    for (int32_t i = 0; i < list->sources.count; i++)
        free_source(list->memory, &list->sources.data[i]);
    zb_array_free(list->memory, &list->sources);
}

/* ------------------------------------------------------------------- adding */

/* A copy of a string that may be NULL; false when memory ran out. */
static bool copy_string(zb_arena *arena, const char *string, const char **copy)
{
    *copy = string ? zb_arena_string(arena, string, strlen(string)) : NULL;
    return *copy || !string;
}

/* A copy with its strings in the arena, or NULL when memory ran out. */
static zw_diagnostic *copy_diagnostic(zb_arena *arena, const zw_diagnostic *d)
{
    zw_diagnostic *copy = ZB_NEW(arena, zw_diagnostic);
    if (!copy) return NULL;
    *copy = *d;
    bool complete = copy_string(arena, d->code, &copy->code) &&
                    copy_string(arena, d->file, &copy->file) &&
                    copy_string(arena, d->where, &copy->where) &&
                    copy_string(arena, d->sentence, &copy->sentence) &&
                    copy_string(arena, d->help, &copy->help);
    return complete ? copy : NULL;
}

/* Behind all that are as serious: a reader wants errors first. */
static void insert_by_severity(zb_diag_list *list, zw_diagnostic *d)
{
    int32_t at = list->items.count++;
    for (; at > 0 && list->items.data[at - 1]->severity < d->severity; at--)
        list->items.data[at] = list->items.data[at - 1];
    list->items.data[at] = d;
}

/* Adds a copy to the list; when memory runs out, half a copy is taken
 * back and the list is as it was. */
static zw_status keep_diagnostic(zb_diag_list *list, const zw_diagnostic *d)
{
    if (!zb_array_reserve(list->memory, &list->items, 1)) return list->memory->failure;
    zb_mark mark = zb_arena_mark(&list->arena);
    zw_diagnostic *copy = copy_diagnostic(&list->arena, d);
    if (!copy) {
        zb_arena_release(&list->arena, mark);
        return list->arena.failure;
    }
    insert_by_severity(list, copy);
    return ZW_OK;
}

static void count_up(int32_t *counter)
{
    if (*counter < INT32_MAX) ++*counter;
}

/* Past the limit of its severity a diagnostic is counted only. */
zw_status zb_diag_add(zb_diag_list *list, const zw_diagnostic *d)
{
    /* Compared as a number: callers outside can put anything into an enum. */
    int severity = (int)d->severity;
    if (severity < ZW_REMARK || severity > ZW_ERROR) return ZW_ERR_ARGUMENT;
    if (list->limit > 0 && list->counts[severity] >= list->limit) {
        count_up(&list->dropped);
    } else {
        zw_status status = keep_diagnostic(list, d);
        if (status != ZW_OK) return status;
    }
    count_up(&list->counts[severity]);
    return ZW_OK;
}

int32_t zb_diag_count(const zb_diag_list *list)
{
    return list->items.count;
}

const zw_diagnostic *zb_diag_get(const zb_diag_list *list, int32_t i)
{
    return i >= 0 && i < list->items.count ? list->items.data[i] : NULL;
}

int32_t zb_diag_errors(const zb_diag_list *list)
{
    return list->counts[ZW_ERROR];
}

/* ------------------------------------------------------------------ sources */

/* The index of the source with that name; -1: none, or file is NULL. */
static int32_t find_source(const zb_diag_list *list, const char *file)
{
    for (int32_t i = 0; file && i < list->sources.count; i++)
        if (strcmp(list->sources.data[i].file, file) == 0) return i;
    return -1;
}

const zb_source *zb_diag_source(const zb_diag_list *list, const char *file)
{
    int32_t i = find_source(list, file);
    return i < 0 ? NULL : &list->sources.data[i];
}

/* The bytes and a NUL, in memory of their own. */
static char *copy_bytes(zb_memory *memory, const char *bytes, size_t length)
{
    char *copy = zb_resize(memory, NULL, 0, zb_sum(length, 1));
    if (!copy) return NULL;
    if (length > 0) memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

/* Puts a source in the place of one of the same name, or at the end, where there is room. */
static void put_source(zb_diag_list *list, zb_source source)
{
    int32_t i = find_source(list, source.file);
    if (i < 0)
        i = list->sources.count++;
    else
        free_source(list->memory, &list->sources.data[i]);
    list->sources.data[i] = source;
}

/* Room in the list first, then both copies: after that nothing can fail. */
zw_status zb_diag_add_source(zb_diag_list *list, const char *file, const char *text, size_t length)
{
    zb_memory *memory = list->memory;
    if (!file || (!text && length > 0)) return ZW_ERR_ARGUMENT;
    if (!zb_array_reserve(memory, &list->sources, 1)) return memory->failure;
    zb_source source = {.file = copy_bytes(memory, file, strlen(file)), .length = length};
    if (source.file) source.text = copy_bytes(memory, text, length);
    if (!source.text) {
        zw_status failure = memory->failure;
        free_source(memory, &source);
        return failure;
    }
    put_source(list, source);
    return ZW_OK;
}
