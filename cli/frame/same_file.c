/*
 * A file that is there is known by its device and inode; one that is not by those of the folder in
 * which it would be made, and its name. Only regular files are meant: devices and pipes may be read
 * and written as often as one likes.
 *
 * The list of what was read is the log's, which lives as long as a call of the command.
 */
#include "same_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What tells a file from all others. */
typedef struct identity {
    bool known;       /* false: no regular file, and none could be made */
    const char *name; /* in the folder, where the file is not there; else NULL */
    dev_t device;     /* of the file, or of its folder */
    ino_t inode;
} identity;

struct read_file {
    identity is;
    char *name; /* as it was given; owned */
    read_file *next;
};

static identity identity_of(const struct stat *about)
{
    return (identity){
        .known = S_ISREG(about->st_mode), .device = about->st_dev, .inode = about->st_ino};
}

/* A file that is not there yet: its folder and its name in it. */
static identity identify_absent(const char *name)
{
    char folder[PATH_MAX] = ".";
    struct stat about;
    const char *slash = strrchr(name, '/');
    if (slash) {
        int length = snprintf(folder, sizeof folder, "%.*s/", (int)(slash - name), name);
        if (length <= 0 || (size_t)length >= sizeof folder) return (identity){0};
    }
    if (stat(folder, &about) != 0) return (identity){0};
    return (identity){.known = true,
                      .name = slash ? slash + 1 : name,
                      .device = about.st_dev,
                      .inode = about.st_ino};
}

/* Where an output of this name would go. */
static identity identify_output(const char *name)
{
    struct stat about;
    if (strcmp(name, "-") == 0)
        return fstat(STDOUT_FILENO, &about) == 0 ? identity_of(&about) : (identity){0};
    return stat(name, &about) == 0 ? identity_of(&about) : identify_absent(name);
}

static bool is_same_file(const identity *a, const identity *b)
{
    if (!a->known || !b->known || a->device != b->device || a->inode != b->inode) return false;
    if (!a->name || !b->name) return !a->name && !b->name;
    return strcmp(a->name, b->name) == 0;
}

bool same_file_note(int file, const char *name, message_log *log)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return true;
    read_file *r = malloc(sizeof *r);
    char *copy = strdup(name);
    if (!r || !copy) {
        free(r);
        free(copy);
        return false;
    }
    *r = (read_file){.is = identity_of(&about), .name = copy, .next = log->read};
    log->read = r;
    return true;
}

/* The list is freed with the log that owns it. */
void message_log_forget_files(message_log *log)
{
    while (log->read) {
        read_file *r = log->read;
        log->read = r->next;
        free(r->name);
        free(r);
    }
}

/* Says which of the files that are read it is, where that has another name. */
bool same_file_check(const char *name, message_log *log)
{
    identity is = identify_output(name);
    for (const read_file *r = log->read; r; r = r->next) {
        if (!is_same_file(&is, &r->is)) continue;
        char shown[QUOTED_SIZE];
        zw_diagnostic place = {.file = name, .help = "name another file for what is written"};
        bool other = strcmp(name, r->name) != 0;
        message_report(log, MSG_OVERWRITE, &place, "this file is read%s%s, and is not overwritten",
                       other ? " as " : "", other ? quoted(shown, r->name) : "");
        return false;
    }
    return true;
}

bool same_file_check_two(const char *one, const char *other, const char *both, message_log *log)
{
    identity a = identify_output(one), b = identify_output(other);
    if (!is_same_file(&a, &b)) return true;
    zw_diagnostic place = {.file = other, .help = "name another file for one of them"};
    message_report(log, MSG_OVERWRITE, &place, "%s would go to this one file", both);
    return false;
}
