/*
 * NPZ: a stored zip with one NPY file (format 1.0, '<f8', one dimension) for each column, named
 * after it. A member's header holds the CRC of its data, so each column is gathered twice. All
 * memory but the rows' is taken when the result is opened.
 */
#include "format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { npy_header_size = 128, npy_preamble_size = 10, piece_rows = 1024, longest_name = 65535 };

/* Names of the members and the CRC tables; names that a zip cannot hold are refused. */
static zw_status npz_open(zw_result *result)
{
    ZB_TRY(zo_require_unique(result, result->names));
    zb_arena *arena = &result->arena;
    result->members = ZB_NEW_ARRAY(arena, zo_member, result->count);
    result->crc = ZB_NEW(arena, zo_crc);
    if (!result->members || !result->crc) return arena->failure;
    zo_crc_init(result->crc);
    for (int32_t i = 0; i < result->count; i++) {
        size_t length = strlen(result->names[i]);
        if (length + 4 > longest_name) return ZW_ERR_ARGUMENT;
        char *name = zb_arena_take(arena, length + 5, 1);
        if (!name) return arena->failure;
        memcpy(name, result->names[i], length);
        memcpy(name + length, ".npy", 5);
        result->members[i].name = name;
    }
    return ZW_OK;
}

/* Magic, version, length of what follows; then a Python dictionary, filled up with spaces. */
static void make_npy_header(int64_t rows, char header[npy_header_size])
{
    char text[npy_header_size - npy_preamble_size];
    int length =
        snprintf(text, sizeof text,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRId64 ",), }", rows);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    memcpy(header, "\x93NUMPY\1\0", 8);
    header[8] = (char)sizeof text;
    header[9] = 0;
    memcpy(header + npy_preamble_size, text, sizeof text);
}

/* Rows from `from` up to before `to` of one column of a block, as little-endian bytes. */
static void gather_column(const zo_block *block, size_t stride, size_t column, size_t from,
                          size_t to, unsigned char *bytes)
{
    for (size_t i = from; i < to; i++, bytes += 8) {
        uint64_t bits;
        memcpy(&bits, block->rows + i * stride + column, sizeof bits);
        for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(bits >> 8 * k);
    }
}

/* Gathers a column piece by piece in the sink's buffer; then either takes it up into `crc` or lets
 * it go (crc NULL). */
static void pass_column(zw_result *result, int32_t column, uint32_t *crc)
{
    for (const zo_block *block = result->first; block; block = block->next)
        for (size_t from = 0; from < block->used; from += piece_rows) {
            size_t to = from + piece_rows < block->used ? from + piece_rows : block->used;
            size_t size = (to - from) * sizeof(double);
            char *bytes = zo_room(&result->sink, size);
            gather_column(block, (size_t)result->count, (size_t)column, from, to,
                          (unsigned char *)bytes);
            if (crc)
                *crc = zo_crc_add(result->crc, *crc, bytes, size);
            else
                zo_take(&result->sink, size);
        }
}

/* One column: its CRC, its zip header, its NPY header and its data. */
static void put_member(zw_result *result, int32_t column, const char header[npy_header_size])
{
    zo_member *member = &result->members[column];
    member->size = npy_header_size + (uint64_t)result->row_count * sizeof(double);
    member->offset = result->sink.count;
    member->crc = zo_crc_add(result->crc, 0, header, npy_header_size);
    pass_column(result, column, &member->crc);
    zo_zip_local(&result->sink, member);
    zo_put(&result->sink, header, npy_header_size);
    pass_column(result, column, NULL);
}

/* All members, then the directory. */
static void npz_close(zw_result *result)
{
    zo_sink *sink = &result->sink;
    char header[npy_header_size];
    make_npy_header(result->row_count, header);
    for (int32_t i = 0; i < result->count && !sink->failed; i++) put_member(result, i, header);
    uint64_t offset = sink->count;
    for (int32_t i = 0; i < result->count; i++) zo_zip_central(sink, &result->members[i]);
    zo_zip_end(sink, (uint64_t)result->count, offset, sink->count - offset);
}

const zo_format zo_npz = {.open = npz_open, .row = zo_table_add, .close = npz_close};
