/*
 * A checkpoint on disk: bytes with a header that shows whether all of them are there, written so that
 * at every moment a whole one can be found; the one before is kept.
 *
 *     FILE      the last one
 *     FILE.old  the one before it
 *     FILE.new  while one is written
 */
#ifndef CLI_CHECKPOINT_FILE_H
#define CLI_CHECKPOINT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input.h"

/* FNV-1a, of bytes that follow those with the hash `before`; hash_none before the first. */
static const uint64_t hash_none = 0xcbf29ce484222325u;
uint64_t hash_bytes(uint64_t before, const void *bytes, size_t size);

/* Writes FILE, whose old content becomes FILE.old. False after a report, and then what there was is
 * still there. */
bool checkpoint_write(const char *name, const char *bytes, size_t size, message_log *log);

typedef enum checkpoint_found {
    CHECKPOINT_NONE,
    CHECKPOINT_READ,
    CHECKPOINT_WRONG
} checkpoint_found;

/* Whether there is one, or what an interrupted checkpoint_write left of it. */
bool checkpoint_exists(const char *name);

/* Reads FILE, or FILE.old where it is not whole (W0824). The bytes that were written are then
 * in->text + checkpoint_header up to in->length. CHECKPOINT_WRONG after a report. */
enum { checkpoint_header = 24 };
checkpoint_found checkpoint_read(const char *name, input *in, message_log *log);

/* All of it. */
void checkpoint_remove(const char *name);

#endif
