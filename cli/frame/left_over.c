/*
 * Removing what kill -9 leaves: output is written under a temporary name until it is whole, and a
 * process that is killed cannot remove it. The next one that writes into the same folder does. A lock
 * of fcntl ends with its process, however that ends. The minute is for a file that was made, but is not
 * locked yet.
 */
#include "left_over.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { untouched_seconds = 60 };

static bool lock_file(int file)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_SETLK, &whole) == 0;
}

void left_over_hold(int file)
{
    (void)lock_file(file);
}

/* Whether the name is one of ours: .zwang- and six characters. */
static bool is_temporary_name(const char *name)
{
    static const char begins[] = ".zwang-";
    return strncmp(name, begins, sizeof begins - 1) == 0 && strlen(name) == sizeof begins - 1 + 6;
}

/* A plain file of this user's, with one name, that nobody has written to lately. */
static bool looks_left(int file)
{
    struct stat about;
    return fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_uid == geteuid() &&
           about.st_nlink == 1 && time(NULL) - about.st_mtime >= untouched_seconds;
}

void left_over_remove(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash + 1 - path) : 0;
    if (snprintf(folder, sizeof folder, "%.*s.", length, path) >= (int)sizeof folder) return;
    DIR *list = opendir(folder);
    if (!list) return;
    for (struct dirent *entry; (entry = readdir(list));) {
        if (!is_temporary_name(entry->d_name)) continue;
        int file = openat(dirfd(list), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (file < 0) continue;
        if (looks_left(file) && lock_file(file)) (void)unlinkat(dirfd(list), entry->d_name, 0);
        (void)close(file);
    }
    (void)closedir(list);
}
