/*
 * Matrices by name, all known at once: as NPZ, an array of two dimensions each, or as MATLAB version 4,
 * stored by columns. Names are short words of letters; nothing is kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "format.h"

enum { header_size = 128, preamble_size = 10, longest_word = 60, most_matrices = 64 };

/* Room of the sink, the members of the zip and their names. */
typedef struct job {
    zo_sink sink;
    zo_crc crc;
    zo_member members[most_matrices];
    char names[most_matrices][longest_word + 5];
} job;

static void make_header(const zw_matrix *m, char header[header_size])
{
    char text[header_size - preamble_size];
    int length =
        snprintf(text, sizeof text,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%" PRId32 ", %" PRId32 "), }",
                 m->rows, m->columns);
    memset(text + length, ' ', sizeof text - (size_t)length);
    text[sizeof text - 1] = '\n';
    memcpy(header, "\x93NUMPY\1\0", 8);
    header[8] = (char)sizeof text;
    header[9] = 0;
    memcpy(header + preamble_size, text, sizeof text);
}

/* The CRC of the numbers as they are written, little-endian. */
static uint32_t add_numbers(const zo_crc *crc, uint32_t before, const zw_matrix *m)
{
    size_t count = (size_t)m->rows * (size_t)m->columns;
    for (size_t i = 0; i < count; i++) {
        unsigned char bytes[8];
        uint64_t bits;
        memcpy(&bits, &m->values[i], sizeof bits);
        for (int k = 0; k < 8; k++) bytes[k] = (unsigned char)(bits >> 8 * k);
        before = zo_crc_add(crc, before, bytes, sizeof bytes);
    }
    return before;
}

static void write_npz(job *j, const zw_matrix *list, int32_t count)
{
    zo_crc_init(&j->crc);
    for (int32_t i = 0; i < count; i++) {
        const zw_matrix *m = &list[i];
        zo_member *member = &j->members[i];
        char header[header_size];
        size_t numbers = (size_t)m->rows * (size_t)m->columns;
        snprintf(j->names[i], sizeof j->names[i], "%s.npy", m->name);
        make_header(m, header);
        *member = (zo_member){.name = j->names[i],
                              .size = header_size + numbers * sizeof(double),
                              .offset = j->sink.count,
                              .crc = zo_crc_add(&j->crc, 0, header, header_size)};
        member->crc = add_numbers(&j->crc, member->crc, m);
        zo_zip_local(&j->sink, member);
        zo_put(&j->sink, header, header_size);
        zo_put_doubles(&j->sink, m->values, numbers);
    }
    uint64_t offset = j->sink.count;
    for (int32_t i = 0; i < count; i++) zo_zip_central(&j->sink, &j->members[i]);
    zo_zip_end(&j->sink, (uint64_t)count, offset, j->sink.count - offset);
}

static void write_mat(job *j, const zw_matrix *list, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const zw_matrix *m = &list[i];
        size_t length = strlen(m->name) + 1, columns = (size_t)m->columns;
        zo_put_32(&j->sink, 0); /* doubles, little-endian */
        zo_put_32(&j->sink, (uint32_t)m->rows);
        zo_put_32(&j->sink, (uint32_t)m->columns);
        zo_put_32(&j->sink, 0); /* no imaginary part */
        zo_put_32(&j->sink, (uint32_t)length);
        zo_put(&j->sink, m->name, length);
        for (size_t c = 0; c < columns; c++)
            for (size_t r = 0; r < (size_t)m->rows; r++)
                zo_put_doubles(&j->sink, &m->values[r * columns + c], 1);
    }
}

zw_status zo_matrices(zb_memory *memory, zw_result_format format, const zw_matrix *list,
                      int32_t count, zw_write_fn write, void *user)
{
    if (format != ZW_RESULT_NPZ && format != ZW_RESULT_MAT) return ZW_ERR_ARGUMENT;
    if (count < 1 || count > most_matrices) return ZW_ERR_ARGUMENT;
    for (int32_t i = 0; i < count; i++)
        if (!list[i].name || strlen(list[i].name) > longest_word || list[i].rows < 0 ||
            list[i].columns < 0 || (!list[i].values && list[i].rows > 0 && list[i].columns > 0))
            return ZW_ERR_ARGUMENT;
    job *j = zb_resize(memory, NULL, 0, sizeof *j);
    char *buffer = j ? zb_resize(memory, NULL, 0, zo_buffer_size) : NULL;
    zw_status status = buffer ? ZW_OK : memory->failure;
    if (buffer) {
        memset(j, 0, sizeof *j);
        j->sink = (zo_sink){.write = write, .user = user, .buffer = buffer, .size = zo_buffer_size};
        (format == ZW_RESULT_NPZ ? write_npz : write_mat)(j, list, count);
        zo_flush(&j->sink);
        if (j->sink.failed) status = ZW_ERR_WRITE;
    }
    zb_resize(memory, buffer, zo_buffer_size, 0);
    zb_resize(memory, j, sizeof *j, 0);
    return status;
}
