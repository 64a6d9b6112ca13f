/*
 * Rows of a run that is not yet over, in a file that survives whatever ends the process: FILE.part,
 * beside the FILE that it will be.
 */
#ifndef CLI_PART_FILE_H
#define CLI_PART_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "command_messages.h"

typedef struct part_file {
    char *path; /* FILE, behind links; owned */
    char *part; /* FILE.part; owned */
    int file;   /* -1: closed */
    mode_t mode;
    int error;             /* the errno of the first failure; 0 */
    bool deaf;             /* what is put is dropped */
    uint64_t length, hash; /* of all that was put */
    char *buffer;          /* what is not yet written; owned */
    size_t used;
} part_file;

/* Finds the names. What is no regular file cannot be grown: false after a report. */
bool part_name(part_file *p, const char *name, message_log *log);
/* Before a new one: one that is there already becomes FILE.part.old, unless it is empty. False after a
 * report. */
bool part_make_room(part_file *p, message_log *log);
/* A new one. False after a report. */
bool part_begin(part_file *p, message_log *log);
/* That of an earlier run, whose first `length` bytes must have the hash; what follows them is cut
 * off. Where it has become FILE already, it is made again from there. False after a report. */
bool part_resume(part_file *p, uint64_t length, uint64_t hash, message_log *log);

/* A zw_write_fn whose user is a part_file. */
bool part_put(void *p, const char *bytes, size_t size);
/* Everything to the file, on disk if `safe`. False when it cannot take it; part_refuse says why. */
bool part_send(part_file *p, bool safe);
bool part_refuse(const part_file *p, message_log *log); /* always false */

/* FILE.part becomes FILE. False after a report. */
bool part_finish(part_file *p, message_log *log);
/* Closes it; FILE.part stays, if it is still there. */
void part_close(part_file *p);

#endif
