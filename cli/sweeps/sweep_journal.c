/*
 * Writing and reading journals of sweeps (sweep_journal.h). The table of records takes 24 bytes a
 * batch; blocks stay in the file until they are fetched. The checksum is FNV-1a of 64 bits over
 * words of eight bytes.
 */
#include "sweep_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'z', 'w', 's', 'w', 'e', 'e', 'p', '1'};
enum { HEAD = 32, RECORD_HEAD = 16 };

/* ------------------------------------------------------------------------------- bytes */

static uint64_t find_checksum(const void *bytes, size_t size, uint64_t seed)
{
    const char *at = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (; size > 0; at += 8) {
        uint64_t word = 0;
        size_t taken = size < 8 ? size : 8;
        memcpy(&word, at, taken);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
        size -= taken;
    }
    return hash;
}

static bool write_at(int file, const void *bytes, size_t size, uint64_t offset)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t written = pwrite(file, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return true;
}

static bool read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    char *at = bytes;
    while (size > 0) {
        ssize_t got = pread(file, at, size, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

static bool make_room(sweep_journal *j, size_t size)
{
    if (size <= j->room) return true;
    char *larger = realloc(j->block, size);
    if (!larger) return false;
    j->block = larger;
    j->room = size;
    return true;
}

static size_t fill_up(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* ----------------------------------------------------------------------------- reading */

static void note_record(sweep_journal *j, int64_t batch, int32_t file, uint64_t offset, size_t size)
{
    sweep_record *r = &j->records[batch];
    if (r->file >= 0) return;
    *r = (sweep_record){.file = file, .offset = offset, .size = size};
    int64_t left = j->facts.runs - batch * j->facts.batch;
    j->done++;
    j->done_runs += left < j->facts.batch ? left : j->facts.batch;
}

/* The records of a file from `offset` on; returns where the last good one ends. */
static uint64_t read_records(sweep_journal *j, int32_t which, uint64_t offset)
{
    int file = j->files[which];
    for (;;) {
        uint64_t head[2];
        zw_sweep_block block;
        struct stat about;
        if (!read_at(file, head, sizeof head, offset)) return offset;
        if (fstat(file, &about) != 0 || head[0] > (uint64_t)about.st_size) return offset;
        size_t size = (size_t)head[0];
        if (!make_room(j, fill_up(size) + 8) ||
            !read_at(file, j->block, fill_up(size), offset + RECORD_HEAD) ||
            find_checksum(j->block, size, offset) != head[1] ||
            zw_sweep_block_read(j->sweep, j->block, size, &block) != ZW_OK)
            return offset;
        note_record(j, block.batch, which, offset + RECORD_HEAD, size);
        offset += RECORD_HEAD + fill_up(size);
    }
}

static bool refuse_journal(const char *name, const char *what, message_log *log)
{
    char shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang",
                           .help = "give the same options as before, or another name by -o, or "
                                   "remove the file to begin anew"};
    message_report(log, MSG_OTHER_SWEEP, &place, "%s %s", quoted(shown, name), what);
    return false;
}

static bool report_file(const char *name, message_code code, message_log *log)
{
    char shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang"};
    message_report(log, code, &place, "%s: %s", quoted(shown, name), strerror(errno));
    return false;
}

static void make_head(const sweep_journal *j, uint64_t head[4])
{
    memcpy(&head[0], magic, sizeof magic);
    head[1] = j->facts.fingerprint;
    head[2] = (uint64_t)j->facts.runs;
    head[3] = (uint64_t)j->facts.batch;
}

/* ------------------------------------------------------------------------------ opening */

/* The first file: an empty one gets its head, and what follows a damaged record is cut off. */
static bool begin_file(sweep_journal *j, const char *name, message_log *log)
{
    uint64_t head[4], found[4];
    struct stat about;
    int file = j->files[0];
    make_head(j, head);
    if (fstat(file, &about) != 0) return report_file(name, MSG_READ, log);
    if (about.st_size < HEAD) { /* new, or ended while it was begun */
        j->end = HEAD;
        if (ftruncate(file, 0) != 0 || !write_at(file, head, sizeof head, 0))
            return report_file(name, MSG_WRITE, log);
        return true;
    }
    if (!read_at(file, found, sizeof found, 0)) return report_file(name, MSG_READ, log);
    if (memcmp(head, found, sizeof head) != 0)
        return refuse_journal(name, "is the journal of another sweep", log);
    j->end = read_records(j, 0, HEAD);
    if (j->end == (uint64_t)about.st_size) return true;
    zw_diagnostic place = {.file = "zwang"};
    char shown[QUOTED_SIZE];
    message_report(log, MSG_DAMAGED, &place,
                   "the last record of %s is not whole; its batch is computed again",
                   quoted(shown, name));
    if (ftruncate(file, (off_t)j->end) != 0) return report_file(name, MSG_WRITE, log);
    return true;
}

static bool open_first(sweep_journal *j, const char *name, message_log *log)
{
    j->files[0] = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (j->files[0] < 0) return report_file(name, MSG_WRITE, log);
    if (flock(j->files[0], LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        char shown[QUOTED_SIZE];
        zw_diagnostic place = {.file = "zwang", .help = "wait for it, or give another name by -o"};
        message_report(log, MSG_BUSY, &place, "another process writes %s", quoted(shown, name));
        return false;
    }
    return begin_file(j, name, log);
}

bool sweep_journal_open(sweep_journal *j, zw_sweep *sweep, const char *name, message_log *log)
{
    *j = (sweep_journal){.sweep = sweep};
    (void)zw_sweep_tell(sweep, &j->facts);
    j->records = calloc((size_t)j->facts.batches + 1, sizeof *j->records);
    j->files = calloc(1, sizeof *j->files);
    if (!name) j->memory = calloc((size_t)j->facts.batches + 1, sizeof *j->memory);
    if (!j->records || !j->files || (!name && !j->memory)) {
        message_report(log, MSG_MEMORY, NULL, "there is not enough memory for the journal");
        return false;
    }
    for (int64_t k = 0; k < j->facts.batches; k++) j->records[k].file = -1;
    j->files[0] = -1;
    j->file_count = 1;
    return !name || open_first(j, name, log);
}

bool sweep_journal_add(sweep_journal *j, const char *name, message_log *log)
{
    uint64_t head[4], found[4];
    int *more = realloc(j->files, sizeof *more * (size_t)(j->file_count + 1));
    if (!more) return false;
    j->files = more;
    int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return report_file(name, MSG_READ, log);
    j->files[j->file_count++] = file;
    make_head(j, head);
    if (!read_at(file, found, sizeof found, 0) || memcmp(head, found, sizeof head) != 0)
        return refuse_journal(name, "is no part of this sweep", log);
    (void)read_records(j, j->file_count - 1, HEAD);
    return true;
}

void sweep_journal_close(sweep_journal *j)
{
    for (int k = 0; k < j->file_count; k++)
        if (j->files[k] >= 0) (void)close(j->files[k]);
    for (int64_t k = 0; j->memory && k < j->facts.batches; k++) free(j->memory[k]);
    free(j->memory);
    free(j->files);
    free(j->records);
    free(j->block);
    *j = (sweep_journal){0};
}

/* ----------------------------------------------------------------------------- blocks */

bool sweep_journal_has(const sweep_journal *j, int64_t batch)
{
    return j->records[batch].file >= 0;
}

/* The head of the record last: until it is there, it is none. */
bool sweep_journal_put(sweep_journal *j, int64_t batch, const void *bytes, size_t size)
{
    if (sweep_journal_has(j, batch)) return true;
    if (j->memory) {
        j->memory[batch] = malloc(size);
        if (!j->memory[batch]) return false;
        memcpy(j->memory[batch], bytes, size);
        note_record(j, batch, 0, 0, size);
        return true;
    }
    size_t whole = RECORD_HEAD + fill_up(size);
    if (!make_room(j, whole)) return false;
    uint64_t head[2] = {size, find_checksum(bytes, size, j->end)};
    memcpy(j->block, head, sizeof head);
    memcpy(j->block + RECORD_HEAD, bytes, size);
    memset(j->block + RECORD_HEAD + size, 0, whole - RECORD_HEAD - size);
    if (!write_at(j->files[0], j->block, whole, j->end)) return false;
    note_record(j, batch, 0, j->end + RECORD_HEAD, size);
    j->end += whole;
    j->dirty = true;
    return true;
}

bool sweep_journal_sync(sweep_journal *j)
{
    if (!j->dirty) return true;
    j->dirty = false;
    return fdatasync(j->files[0]) == 0 || errno == EINVAL || errno == EROFS;
}

bool sweep_journal_fetch(void *user, int64_t batch, const void **bytes, size_t *size)
{
    sweep_journal *j = user;
    const sweep_record *r = &j->records[batch];
    if (r->file < 0) return false;
    *size = (size_t)r->size;
    if (j->memory) {
        *bytes = j->memory[batch];
        return true;
    }
    if (!make_room(j, fill_up((size_t)r->size) + 8) ||
        !read_at(j->files[r->file], j->block, (size_t)r->size, r->offset))
        return false;
    *bytes = j->block;
    return true;
}
