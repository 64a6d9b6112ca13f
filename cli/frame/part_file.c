/*
 * The growing file of a run with checkpoints. A checkpoint says how many bytes of it count and what
 * their hash is; a run that goes on reads them once, to be sure that they are its own.
 */
#include "part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint_file.h"
#include "output_file.h"

enum { BUFFER_SIZE = 1 << 16 };

/* A string and an ending in memory of their own. */
static char *join(const char *text, const char *ending)
{
    size_t size = strlen(text) + strlen(ending) + 1;
    char *both = malloc(size);
    if (both) (void)snprintf(both, size, "%s%s", text, ending);
    return both;
}

bool part_name(part_file *p, const char *name, message_log *log)
{
    struct stat about;
    bool old = stat(name, &about) == 0;
    *p = (part_file){.file = -1, .hash = hash_none};
    if (old && !S_ISREG(about.st_mode))
        return output_refuse(name, S_ISDIR(about.st_mode) ? EISDIR : ESPIPE, log);
    p->mode = output_permissions(old ? &about : NULL);
    p->path = old ? realpath(name, NULL) : strdup(name);
    p->part = p->path ? join(p->path, ".part") : NULL;
    p->buffer = malloc(BUFFER_SIZE);
    return (p->part && p->buffer) || output_refuse(name, ENOMEM, log);
}

bool part_refuse(const part_file *p, message_log *log)
{
    return output_refuse(p->part, p->error, log);
}

bool part_make_room(part_file *p, message_log *log)
{
    struct stat about;
    char *before = join(p->part, ".old");
    bool there = lstat(p->part, &about) == 0;
    bool empty = there && S_ISREG(about.st_mode) && about.st_size == 0;
    if (!before)
        p->error = ENOMEM;
    else if (there && (empty ? unlink(p->part) : rename(p->part, before)) != 0)
        p->error = errno;
    free(before);
    return p->error == 0 || part_refuse(p, log);
}

bool part_begin(part_file *p, message_log *log)
{
    p->file = open(p->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (p->file < 0) p->error = errno;
    return p->error == 0 || part_refuse(p, log);
}

/* ---------------------------------------------------------------- going on with one */

/* Reads `length` bytes of `from` and, unless it is -1, writes them to `to`. False: there are not so
 * many, or they have another hash. */
static bool read_rows_again(part_file *p, int from, int to, uint64_t length, uint64_t hash)
{
    p->length = 0;
    p->hash = hash_none;
    while (p->length < length) {
        uint64_t left = length - p->length;
        ssize_t got = read(from, p->buffer, left < BUFFER_SIZE ? (size_t)left : BUFFER_SIZE);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        if (to >= 0 && output_write_bytes(to, p->buffer, (size_t)got) != 0) return false;
        p->hash = hash_bytes(p->hash, p->buffer, (size_t)got);
        p->length += (uint64_t)got;
    }
    return p->hash == hash;
}

/* The rows that have become FILE, once more as FILE.part. */
static bool take_rows_back(part_file *p, uint64_t length, uint64_t hash)
{
    int from = open(p->path, O_RDONLY | O_CLOEXEC);
    if (from < 0) return false;
    bool ours = read_rows_again(p, from, -1, length, hash) && lseek(from, 0, SEEK_SET) == 0;
    if (ours) p->file = open(p->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    ours = ours && p->file >= 0 && read_rows_again(p, from, p->file, length, hash);
    (void)close(from);
    return ours;
}

bool part_resume(part_file *p, uint64_t length, uint64_t hash, message_log *log)
{
    p->file = open(p->part, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (p->file < 0 && errno == ENOENT && length == 0) return part_begin(p, log);
    bool ours = p->file >= 0 ? read_rows_again(p, p->file, -1, length, hash)
                             : errno == ENOENT && take_rows_back(p, length, hash);
    if (!ours) {
        zw_diagnostic place = {.file = p->part,
                               .help = "a checkpoint and its .part file belong together: move both "
                                       "away, and the run begins anew"};
        message_report(log, MSG_NO_CHECKPOINT, &place,
                       "the rows of the run that is to go on are not in this file");
        return false;
    }
    if (ftruncate(p->file, (off_t)length) != 0 || lseek(p->file, 0, SEEK_END) < 0) p->error = errno;
    return p->error == 0 || part_refuse(p, log);
}

/* ----------------------------------------------------------------------- writing */

bool part_send(part_file *p, bool safe)
{
    if (p->error == 0) p->error = output_write_bytes(p->file, p->buffer, p->used);
    if (p->error == 0 && safe && p->file >= 0 && fdatasync(p->file) != 0) p->error = errno;
    p->used = 0;
    return p->error == 0;
}

bool part_put(void *self, const char *bytes, size_t size)
{
    part_file *p = self;
    if (p->deaf) return true;
    p->hash = hash_bytes(p->hash, bytes, size);
    p->length += size;
    if (size > BUFFER_SIZE - p->used && !part_send(p, false)) return false;
    if (size > BUFFER_SIZE) {
        p->error = output_write_bytes(p->file, bytes, size);
    } else {
        memcpy(p->buffer + p->used, bytes, size);
        p->used += size;
    }
    return p->error == 0;
}

bool part_finish(part_file *p, message_log *log)
{
    if (part_send(p, false)) {
        p->error = output_give_name(p->file, p->mode, p->part, p->path);
        p->file = -1;
    }
    return p->error == 0 || part_refuse(p, log);
}

void part_close(part_file *p)
{
    if (p->file >= 0) {
        (void)part_send(p, false);
        (void)close(p->file);
    }
    p->file = -1;
    free(p->path);
    free(p->part);
    free(p->buffer);
    p->path = p->part = p->buffer = NULL;
}
