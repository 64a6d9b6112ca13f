/*
 * Files as a stored zip (zip.c): headers and bytes one after the other, then the directory. Members are
 * kept until then, nothing else.
 */
#include <string.h>

#include "format.h"

enum { longest_name = 65535 };

/* Room of the sink, its buffer and the tables of the CRC. */
typedef struct job {
    zo_sink sink;
    zo_crc crc;
    char buffer[zo_buffer_size];
} job;

static void write_files(job *j, const zw_archive_file *files, int32_t count, zo_member *members)
{
    for (int32_t i = 0; i < count; i++) {
        const zw_archive_file *f = &files[i];
        members[i] = (zo_member){.name = f->name,
                                 .size = f->size,
                                 .offset = j->sink.count,
                                 .crc = zo_crc_add(&j->crc, 0, f->bytes, f->size)};
        zo_zip_local(&j->sink, &members[i]);
        if (f->size > 0) zo_put(&j->sink, f->bytes, f->size);
    }
    uint64_t offset = j->sink.count;
    for (int32_t i = 0; i < count; i++) zo_zip_central(&j->sink, &members[i]);
    zo_zip_end(&j->sink, (uint64_t)count, offset, j->sink.count - offset);
    zo_flush(&j->sink);
}

/* Few files: each is compared with those before it. */
static bool are_files(const zw_archive_file *files, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        const zw_archive_file *f = &files[i];
        size_t length = f->name ? strlen(f->name) : 0;
        if (length == 0 || length > longest_name || (!f->bytes && f->size > 0)) return false;
        for (int32_t k = 0; k < i; k++)
            if (strcmp(files[k].name, f->name) == 0) return false;
    }
    return count >= 0;
}

zw_status zo_archive(zb_memory *memory, const zw_archive_file *files, int32_t count,
                     zw_write_fn write, void *user)
{
    if (!are_files(files, count)) return ZW_ERR_ARGUMENT;
    size_t size = ((size_t)count + 1) * sizeof(zo_member);
    job *j = zb_resize(memory, NULL, 0, sizeof *j);
    zo_member *members = j ? zb_resize(memory, NULL, 0, size) : NULL;
    zw_status status = members ? ZW_OK : memory->failure;
    if (members) {
        j->sink =
            (zo_sink){.write = write, .user = user, .buffer = j->buffer, .size = zo_buffer_size};
        zo_crc_init(&j->crc);
        write_files(j, files, count, members);
        if (j->sink.failed) status = ZW_ERR_WRITE;
    }
    zb_resize(memory, members, size, 0);
    zb_resize(memory, j, sizeof *j, 0);
    return status;
}
