/*
 * How much memory this process may still take: the least of what the machine has to give, what the
 * control groups it is in leave it (version 2, or the memory controller of version 1, each group up
 * to the root), and its own limits of address space and data. Asking changes nothing, and what is
 * not known limits nothing.
 *
 * Files of a group count only what is neither free nor easily had back: pages of files that are in
 * memory because there was room go when room is needed, so they count as free, as they do in
 * MemAvailable.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory.h"

enum { FILE_SIZE = 8192 };
#define UNKNOWN SIZE_MAX

/* ----------------------------------------------------------------- small files */

/* The text of root/folder/name, or its beginning; false: there is none. */
static bool read_small_file(const char *root, const char *folder, const char *name,
                            char text[FILE_SIZE])
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    if (length <= 0 || (size_t)length >= sizeof path) return false;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t got = 0, more = 1;
    while (more > 0 && got < FILE_SIZE - 1) {
        more = read(file, text + got, (size_t)(FILE_SIZE - 1 - got));
        if (more > 0) got += more;
    }
    (void)close(file);
    text[got] = '\0';
    return got > 0;
}

/* The first number in a text; "max", or none: unknown. */
static size_t read_size(const char *text)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    if (end == text || number > SIZE_MAX) return UNKNOWN;
    return (size_t)number;
}

/* The number behind a word at the beginning of a line; unknown where there is no such line. */
static size_t find_field(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        if (strncmp(line, word, length) == 0) return read_size(line + length);
    }
    return UNKNOWN;
}

static size_t minimum(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---------------------------------------------------------------- the machine */

/* MemAvailable; where that is not said, all there is. */
static size_t find_machine_memory(const char *root)
{
    char text[FILE_SIZE];
    if (read_small_file(root, "/proc", "meminfo", text)) {
        size_t kibibytes = find_field(text, "MemAvailable:");
        if (kibibytes == UNKNOWN) kibibytes = find_field(text, "MemTotal:");
        if (kibibytes < UNKNOWN / 1024) return kibibytes * 1024;
    }
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return zb_product((size_t)pages, (size_t)page);
#endif
    return UNKNOWN;
}

/* ------------------------------------------------------------- control groups */

/* The names of what a version of control groups says. */
typedef struct group_files {
    const char *mount, *limit, *usage, *inactive, *active;
} group_files;

static const group_files second = {"/sys/fs/cgroup", "memory.max", "memory.current",
                                   "inactive_file ", "active_file "};
static const group_files first = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                  "memory.usage_in_bytes", "total_inactive_file ",
                                  "total_active_file "};

/* What one group leaves. */
static size_t find_group_room(const char *root, const group_files *f, const char *folder)
{
    char text[FILE_SIZE];
    size_t limit = UNKNOWN, usage = 0, files = 0;
    if (read_small_file(root, folder, f->limit, text)) limit = read_size(text);
    if (limit == UNKNOWN) return UNKNOWN;
    if (read_small_file(root, folder, f->usage, text)) usage = read_size(text);
    if (read_small_file(root, folder, "memory.stat", text)) {
        size_t inactive = find_field(text, f->inactive), active = find_field(text, f->active);
        files = zb_sum(inactive == UNKNOWN ? 0 : inactive, active == UNKNOWN ? 0 : active);
    }
    usage = usage > files ? usage - files : 0;
    return limit > usage ? limit - usage : 0;
}

/* The group at `path` below the mount and all around it. A path that is not there, as inside a
 * container, ends at the mount itself. */
static size_t find_room_of_groups(const char *root, const group_files *f, const char *path)
{
    char folder[PATH_MAX];
    size_t room = UNKNOWN, mount = strlen(f->mount);
    int length = snprintf(folder, sizeof folder, "%s%s", f->mount, path);
    if (length <= 0 || (size_t)length >= sizeof folder) return UNKNOWN;
    for (;;) {
        room = minimum(room, find_group_room(root, f, folder));
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < mount) return room;
        *slash = '\0';
    }
}

/* /proc/self/cgroup has a line "0::PATH" for version 2 and "7:memory:PATH" for version 1. */
static size_t find_group_memory(const char *root)
{
    char text[FILE_SIZE];
    size_t room = UNKNOWN;
    if (!read_small_file(root, "/proc/self", "cgroup", text)) return UNKNOWN;
    for (char *line = text; line && *line;) {
        char *next = strchr(line, '\n');
        if (next) *next++ = '\0';
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (path) {
            *path++ = '\0';
            controllers++;
            if (*controllers == '\0')
                room = minimum(room, find_room_of_groups(root, &second, path));
            else if (strstr(controllers, "memory"))
                room = minimum(room, find_room_of_groups(root, &first, path));
        }
        line = next;
    }
    return room;
}

/* ----------------------------------------------------------- the process itself */

/* What a limit leaves above what is used of it. */
static size_t find_limit_room(int which, size_t used)
{
    struct rlimit limit;
    if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UNKNOWN;
    if (limit.rlim_cur > SIZE_MAX) return UNKNOWN;
    return (size_t)limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
}

/* Address space and data, of which statm says in pages how much is used. */
static size_t find_process_memory(const char *root)
{
    char text[FILE_SIZE];
    unsigned long long pages[6] = {0};
    long page = sysconf(_SC_PAGESIZE);
    if (read_small_file(root, "/proc/self", "statm", text)) {
        char *at = text;
        for (int k = 0; k < 6; k++) pages[k] = strtoull(at, &at, 10);
    }
    size_t bytes = page > 0 ? (size_t)page : 4096;
    size_t room = UNKNOWN;
#ifdef RLIMIT_AS
    room = minimum(room, find_limit_room(RLIMIT_AS, zb_product((size_t)pages[0], bytes)));
#endif
#ifdef RLIMIT_DATA
    room = minimum(room, find_limit_room(RLIMIT_DATA, zb_product((size_t)pages[5], bytes)));
#endif
    return room;
}

size_t zb_available_memory_at(const char *root)
{
    size_t room = minimum(find_machine_memory(root), find_group_memory(root));
    return minimum(room, find_process_memory(root));
}

size_t zb_available_memory(void)
{
    return zb_available_memory_at("");
}
