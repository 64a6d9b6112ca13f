/*
 * Which files the command reads, and that it overwrites none of them: files are compared by device
 * and inode, so that other spellings of a name and links, hard ones too, are seen through.
 */
#ifndef CLI_SAME_FILE_H
#define CLI_SAME_FILE_H

#include <stdbool.h>

#include "command_messages.h"

/* Notes the open file as one that is read; what is no regular file needs none. False: no memory. */
bool same_file_note(int file, const char *name, message_log *log);

/* Whether an output may go to `name` ("-": standard output). False after a report: the command reads
 * that file. */
bool same_file_check(const char *name, message_log *log);

/* Whether two outputs have files of their own; `both` names them in the message. False after a
 * report. */
bool same_file_check_two(const char *one, const char *other, const char *both, message_log *log);

#endif
