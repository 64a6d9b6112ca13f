/*
 * Writing and reading checkpoints. A new one is brought to disk under the name FILE.new; then FILE
 * becomes FILE.old, and FILE.new becomes FILE. A process that is killed in between leaves FILE.old,
 * which is whole, and is read where there is no FILE or one that is damaged.
 *
 *     8 bytes  "ZwCheck1"
 *     8 bytes  how many follow the header
 *     8 bytes  the hash of those
 */
#include "checkpoint_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_file.h"

static const char magic[8] = {'Z', 'w', 'C', 'h', 'e', 'c', 'k', '1'};

uint64_t hash_bytes(uint64_t before, const void *bytes, size_t size)
{
    const unsigned char *next = bytes;
    for (size_t k = 0; k < size; k++) before = (before ^ next[k]) * 0x100000001b3u;
    return before;
}

/* NAME and an ending; empty where that is too long. */
static void add_ending(char path[PATH_MAX], const char *name, const char *ending)
{
    int length = snprintf(path, PATH_MAX, "%s%s", name, ending);
    if (length < 0 || length >= PATH_MAX) path[0] = '\0';
}

/* ----------------------------------------------------------------------- writing */

/* The header, and the bytes. 0, or the errno. */
static int write_whole(int file, const char *bytes, size_t size)
{
    char header[checkpoint_header];
    uint64_t length = size, hash = hash_bytes(hash_none, bytes, size);
    memcpy(header, magic, 8);
    memcpy(header + 8, &length, 8);
    memcpy(header + 16, &hash, 8);
    int error = output_write_bytes(file, header, sizeof header);
    return error ? error : output_write_bytes(file, bytes, size);
}

bool checkpoint_write(const char *name, const char *bytes, size_t size, message_log *log)
{
    char fresh[PATH_MAX], old[PATH_MAX];
    add_ending(fresh, name, ".new");
    add_ending(old, name, ".old");
    if (!fresh[0] || !old[0]) return output_refuse(name, ENAMETOOLONG, log);
    (void)unlink(fresh); /* of a process that was killed */
    int file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0) return output_refuse(fresh, errno, log);
    int error = write_whole(file, bytes, size);
    if (error == 0 && fsync(file) != 0) error = errno;
    if (close(file) != 0 && error == 0) error = errno;
    if (error == 0 && rename(name, old) != 0 && errno != ENOENT) error = errno;
    if (error == 0 && rename(fresh, name) != 0) error = errno;
    if (error == 0) {
        output_sync_folder(name);
        return true;
    }
    (void)unlink(fresh);
    return output_refuse(name, error, log);
}

void checkpoint_remove(const char *name)
{
    char old[PATH_MAX];
    add_ending(old, name, ".old");
    (void)unlink(old);
    (void)unlink(name);
    output_sync_folder(name);
}

/* ----------------------------------------------------------------------- reading */

/* Whether everything that was written is there. */
static bool is_whole(const input *in)
{
    uint64_t length, hash;
    if (in->length < checkpoint_header || memcmp(in->text, magic, 8) != 0) return false;
    memcpy(&length, in->text + 8, 8);
    memcpy(&hash, in->text + 16, 8);
    return length == in->length - checkpoint_header &&
           hash == hash_bytes(hash_none, in->text + checkpoint_header, (size_t)length);
}

/* A file that is there. False after a report: it cannot be read, or is none. */
static bool read_regular(const char *path, input *in, message_log *log)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        message_report(log, MSG_NO_CHECKPOINT, &(zw_diagnostic){.file = path},
                       "this is no file, and so no checkpoint");
        return false;
    }
    return input_read(path, NULL, in, log);
}

bool checkpoint_exists(const char *name)
{
    char old[PATH_MAX];
    add_ending(old, name, ".old");
    return access(name, F_OK) == 0 || (old[0] && access(old, F_OK) == 0);
}

/* Always CHECKPOINT_WRONG. */
static checkpoint_found refuse_checkpoint(const char *name, message_log *log)
{
    zw_diagnostic place = {.file = name,
                           .help =
                               "look whether another file was meant; without --resume, and with "
                               "this file moved away, the run begins anew"};
    message_report(log, MSG_NO_CHECKPOINT, &place, "this is not a whole checkpoint");
    return CHECKPOINT_WRONG;
}

checkpoint_found checkpoint_read(const char *name, input *in, message_log *log)
{
    char old[PATH_MAX];
    add_ending(old, name, ".old");
    *in = (input){0};
    bool last = access(name, F_OK) == 0, before = old[0] && access(old, F_OK) == 0;
    if (!last && !before) return CHECKPOINT_NONE;
    if (last && !read_regular(name, in, log)) return CHECKPOINT_WRONG;
    if (last && is_whole(in)) return CHECKPOINT_READ;
    input_clear(in);
    if (!before) return refuse_checkpoint(name, log);
    if (!read_regular(old, in, log)) return CHECKPOINT_WRONG;
    if (!is_whole(in)) {
        input_clear(in);
        return refuse_checkpoint(name, log);
    }
    if (last)
        message_report(log, MSG_OLD_CHECKPOINT, &(zw_diagnostic){.file = name},
                       "this checkpoint is damaged, and the run goes on from the one before it");
    return CHECKPOINT_READ;
}
