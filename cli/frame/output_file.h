/*
 * Writes results to standard output or to a file, a file whole or not at all: a text at once, or
 * piece by piece while it comes into being.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "command_messages.h"

/* Opens the three standard streams that the caller has closed, so that no file of ours takes
 * their place and what is written to them fails. First thing in main. */
void output_protect_streams(void);

/* name "-": standard output, whatever it is but a file that was read. Otherwise the text goes to a new file in the same folder, which then
 * takes the name; devices and pipes are written directly. Reports what went wrong and returns
 * false. */
bool output_write(const char *name, const char *text, size_t length, message_log *log);

/* The same piece by piece. One file at a time. */
typedef struct output {
    const char *name; /* not owned */
    char *path;       /* the name that the file will take; NULL: written directly; owned */
    int file;
    bool standard; /* output */
    mode_t mode;   /* permissions of the file */
    int error;     /* the errno of the first failure; 0 */
    char *buffer;  /* what is not yet written, of fixed size; owned */
    size_t used;
} output;

/* False after a report; then there is nothing to close. */
bool output_open(output *o, const char *name, message_log *log);

/* Adds bytes, a zw_write_fn whose user is an output. False when the file cannot take them, then
 * and ever after; output_close reports why. */
bool output_put(void *o, const char *bytes, size_t size);

/* Called between two rows: sends off what has gathered if it is much, or `now`. So nobody who reads
 * along, and no process that is killed, cuts a row. False as above. */
bool output_send_rows(output *o, bool now);

/* Sends off the rest and gives the file its name; or (not `keep`, or after a failure) removes it.
 * False after a report. */
bool output_close(output *o, bool keep, message_log *log);

/* ---- for files that are written in another way (part_file.c, checkpoint_file.c) */

/* Reports that an output cannot be written, error being the errno. Always false. */
bool output_refuse(const char *name, int error, message_log *log);
/* All of text [length]. 0, or the errno. */
int output_write_bytes(int file, const char *text, size_t length);
/* Of a new file that replaces `old`; NULL: there is none. */
struct stat;
mode_t output_permissions(const struct stat *old);
/* Brings an open file with the name `from` to disk, closes it and gives it the name `to`, which is on
 * disk, too, then. 0, or the errno. */
int output_give_name(int file, mode_t mode, const char *from, const char *to);
/* Brings the names in the folder of `path` to disk. */
void output_sync_folder(const char *path);

/* For what was written to stdout with stdio: sends it off. False after a report. */
bool output_flush(message_log *log);

#endif
