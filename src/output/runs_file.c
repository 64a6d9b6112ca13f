/*
 * Rows of a sweep as a file: what was varied, what was kept, the status of each run and, where it
 * failed, the reason.
 *
 *     csv   columns, status, reason
 *     json  {"columns": [...], "rows": [[numbers, status, reason or null], ...]}
 *     npz   an array of float64 for each column; status, of int64; failed, the numbers of the runs
 *           that failed, and reason, their reasons, of the same length
 *
 * The blocks are read anew for every column of npz, twice: once for the checksum that stands before
 * its data. So memory does not grow with the runs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format.h"

enum {
    npy_header = 128,
    npy_preamble = 10,
    reason_letters = sizeof((zw_sweep_failure *)0)->reason
};

/* A file being written. */
typedef struct runs_file {
    const zo_runs *runs;
    zb_memory *memory;
    zo_sink sink;
    zo_powers powers;
    zo_crc crc;
} runs_file;

/* The failure of a run of the block; NULL: there is none. *next: where to look, ascending. */
static const zw_sweep_failure *find_failure(const zw_sweep_block *block, int64_t run, int64_t *next)
{
    while (*next < block->failures && block->failed[*next].run < run) ++*next;
    return *next < block->failures && block->failed[*next].run == run ? &block->failed[*next]
                                                                      : NULL;
}

/* --------------------------------------------------------------------------------- text */

static void put_csv_run(runs_file *f, const double *row, const zw_sweep_failure *failure)
{
    for (int32_t k = 0; k < f->runs->columns; k++) {
        char *to = zo_room(&f->sink, zo_number_size + 1);
        size_t length = zo_number(&f->powers, row[k], to);
        to[length] = ',';
        zo_take(&f->sink, length + 1);
    }
    char number[24];
    (void)snprintf(number, sizeof number, "%d,", failure ? (int)failure->status : 0);
    zo_put_string(&f->sink, number);
    if (failure) zo_put_csv_text(&f->sink, failure->reason);
    zo_put(&f->sink, "\n", 1);
}

static zw_status put_json_run(runs_file *f, const double *row, const zw_sweep_failure *failure,
                              bool first)
{
    zo_put_string(&f->sink, first ? "\n[" : ",\n[");
    for (int32_t k = 0; k < f->runs->columns; k++) {
        char *to = zo_room(&f->sink, zo_number_size + 2);
        size_t length = zo_json_number(&f->powers, row[k], to);
        to[length] = ',';
        to[length + 1] = ' ';
        zo_take(&f->sink, length + 2);
    }
    zb_text text;
    zb_text_init(&text, f->memory);
    zb_text_printf(&text, "%d, ", failure ? (int)failure->status : 0);
    zb_text_json_string(&text, failure ? failure->reason : NULL);
    zb_text_char(&text, ']');
    zw_status status = text.failure;
    if (status == ZW_OK) zo_put(&f->sink, text.data, text.length);
    zb_text_free(&text);
    return status;
}

static zw_status put_text_head(runs_file *f, bool json)
{
    zb_text text;
    zb_text_init(&text, f->memory);
    if (json) zb_text_add(&text, "{\"columns\": [");
    for (int32_t k = 0; k < f->runs->columns && json; k++) {
        zb_text_json_string(&text, f->runs->names[k]);
        zb_text_add(&text, ", ");
    }
    if (json) zb_text_add(&text, "\"status\", \"reason\"], \"rows\": [");
    zw_status status = text.failure;
    if (status == ZW_OK) zo_put(&f->sink, text.data, text.length);
    zb_text_free(&text);
    for (int32_t k = 0; k < f->runs->columns && !json; k++) {
        zo_put_csv_text(&f->sink, f->runs->names[k]);
        zo_put(&f->sink, ",", 1);
    }
    if (!json) zo_put_string(&f->sink, "status,reason\n");
    return status;
}

static zw_status write_text(runs_file *f, bool json)
{
    ZB_TRY(put_text_head(f, json));
    for (int64_t k = 0; k < f->runs->blocks && !f->sink.failed; k++) {
        zw_sweep_block block;
        int64_t next = 0;
        ZB_TRY(f->runs->read(f->runs->user, k, &block));
        for (int64_t i = 0; i < block.count; i++) {
            const double *row = block.rows + i * f->runs->columns;
            const zw_sweep_failure *failure = find_failure(&block, block.first + i, &next);
            if (json)
                ZB_TRY(put_json_run(f, row, failure, block.first + i == 0));
            else
                put_csv_run(f, row, failure);
        }
    }
    if (json) zo_put_string(&f->sink, f->runs->runs > 0 ? "\n]}\n" : "]}\n");
    return ZW_OK;
}

/* ---------------------------------------------------------------------------------- npz */

/* Arrays behind those of the columns. */
enum { STATUS_ARRAY, FAILED_ARRAY, REASON_ARRAY, EXTRA_ARRAYS };
static const char *const extra_names[EXTRA_ARRAYS] = {"status", "failed", "reason"};
static const char *const extra_types[EXTRA_ARRAYS] = {"<i8", "<i8", "<U244"};

/* A member's bytes go through here: into the checksum, or out. */
typedef struct passage {
    runs_file *file;
    uint32_t *crc; /* NULL: out */
    uint64_t size;
} passage;

static void pass_bytes(passage *p, const void *bytes, size_t size)
{
    p->size += size;
    if (p->crc)
        *p->crc = zo_crc_add(&p->file->crc, *p->crc, bytes, size);
    else
        zo_put(&p->file->sink, bytes, size);
}

static void pass_64(passage *p, uint64_t bits)
{
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(bits >> 8 * k);
    pass_bytes(p, bytes, sizeof bytes);
}

/* UTF-8 as numbers of 32 bits, filled up with zeros. */
static void pass_reason(passage *p, const char *reason)
{
    unsigned char bytes[4 * reason_letters] = {0};
    size_t length = strlen(reason), at = 0;
    for (size_t k = 0; at < length && k < reason_letters; k++) {
        uint32_t letter = (uint32_t)zb_utf8_next(reason, length, &at);
        if (letter > 0x10ffff) letter = 0xfffd;
        for (int b = 0; b < 4; b++) bytes[4 * k + (size_t)b] = (unsigned char)(letter >> 8 * b);
    }
    pass_bytes(p, bytes, sizeof bytes);
}

/* What a block has of array a. */
static void pass_block(passage *p, const zw_sweep_block *block, int32_t a)
{
    int32_t columns = p->file->runs->columns;
    int64_t next = 0;
    if (a >= columns + FAILED_ARRAY) {
        for (int64_t k = 0; k < block->failures; k++)
            if (a == columns + FAILED_ARRAY)
                pass_64(p, (uint64_t)block->failed[k].run);
            else
                pass_reason(p, block->failed[k].reason);
        return;
    }
    for (int64_t i = 0; i < block->count; i++) {
        const zw_sweep_failure *failure =
            a < columns ? NULL : find_failure(block, block->first + i, &next);
        if (a < columns)
            pass_64(p, zb_bits(block->rows[i * columns + a]));
        else
            pass_64(p, failure ? (uint64_t)failure->status : 0);
    }
}

/* As a Python dictionary, filled up with spaces. */
static void make_header(const char *type, int64_t count, char header[npy_header])
{
    char text[npy_header - npy_preamble];
    int length =
        snprintf(text, sizeof text,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRId64 ",), }", type, count);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    memcpy(header, "\x93NUMPY\1\0", 8);
    header[8] = (char)sizeof text;
    header[9] = 0;
    memcpy(header + npy_preamble, text, sizeof text);
}

static zw_status pass_array(passage *p, int32_t a, int64_t failures)
{
    const zo_runs *runs = p->file->runs;
    char header[npy_header];
    int32_t extra = a - runs->columns;
    make_header(extra < 0 ? "<f8" : extra_types[extra],
                extra < FAILED_ARRAY ? runs->runs : failures, header);
    pass_bytes(p, header, sizeof header);
    for (int64_t k = 0; k < runs->blocks && !p->file->sink.failed; k++) {
        zw_sweep_block block;
        ZB_TRY(runs->read(runs->user, k, &block));
        pass_block(p, &block, a);
    }
    return ZW_OK;
}

static zw_status count_failures(const zo_runs *runs, int64_t *failures)
{
    *failures = 0;
    for (int64_t k = 0; k < runs->blocks; k++) {
        zw_sweep_block block;
        ZB_TRY(runs->read(runs->user, k, &block));
        *failures += block.failures;
    }
    return ZW_OK;
}

/* Names of the members, "x.npy". */
static zw_status name_members(runs_file *f, zb_arena *arena, zo_member *members)
{
    for (int32_t a = 0; a < f->runs->columns + EXTRA_ARRAYS; a++) {
        int32_t extra = a - f->runs->columns;
        zb_text name;
        zb_text_init(&name, f->memory);
        zb_text_printf(&name, "%s.npy", extra < 0 ? f->runs->names[a] : extra_names[extra]);
        members[a].name = zb_arena_string(arena, zb_text_string(&name), name.length);
        zw_status status = name.failure != ZW_OK ? name.failure : arena->failure;
        zb_text_free(&name);
        ZB_TRY(status);
    }
    return ZW_OK;
}

static zw_status write_arrays(runs_file *f, zb_arena *arena)
{
    int32_t count = f->runs->columns + EXTRA_ARRAYS;
    int64_t failures = 0;
    zo_member *members = ZB_NEW_ARRAY(arena, zo_member, (size_t)count);
    if (!members) return arena->failure;
    zo_crc_init(&f->crc);
    ZB_TRY(name_members(f, arena, members));
    ZB_TRY(count_failures(f->runs, &failures));
    for (int32_t a = 0; a < count && !f->sink.failed; a++) {
        passage first = {.file = f, .crc = &members[a].crc}, second = {.file = f};
        members[a].offset = f->sink.count;
        ZB_TRY(pass_array(&first, a, failures));
        members[a].size = first.size;
        zo_zip_local(&f->sink, &members[a]);
        ZB_TRY(pass_array(&second, a, failures));
    }
    uint64_t offset = f->sink.count;
    for (int32_t a = 0; a < count; a++) zo_zip_central(&f->sink, &members[a]);
    zo_zip_end(&f->sink, (uint64_t)count, offset, f->sink.count - offset);
    return ZW_OK;
}

/* ----------------------------------------------------------------------------- the whole */

zw_status zo_write_runs(zb_memory *memory, zw_result_format format, const zo_runs *runs,
                        zw_write_fn write, void *user)
{
    enum { buffer_size = 1 << 16 };
    if (format == ZW_RESULT_MAT) return ZW_ERR_ARGUMENT;
    zb_arena arena;
    zb_arena_init(&arena, memory, 0);
    runs_file *f = ZB_NEW(&arena, runs_file);
    char *buffer = zb_arena_take(&arena, buffer_size, 8);
    zw_status status = arena.failure;
    if (status == ZW_OK) {
        *f = (runs_file){
            .runs = runs,
            .memory = memory,
            .sink = {.write = write, .user = user, .buffer = buffer, .size = buffer_size}};
        zo_powers_init(&f->powers);
        status = format == ZW_RESULT_NPZ ? write_arrays(f, &arena)
                                         : write_text(f, format == ZW_RESULT_JSON);
        if (status == ZW_OK) zo_flush(&f->sink);
        if (status == ZW_OK && f->sink.failed) status = ZW_ERR_WRITE;
    }
    zb_arena_clear(&arena);
    return status;
}
