/*
 * The journal of a sweep: blocks of batches that are done, in the order in which they came.
 *
 *     head     "zwsweep1", fingerprint, runs, batch: 32 bytes
 *     record   bytes of the block, checksum: 16 bytes; the block, filled up to 8 bytes
 *
 * It is only added to. A record that is cut or damaged, as a power failure leaves it, ends the file:
 * what comes after it is computed again. While it is open for writing nobody else may open it so.
 */
#ifndef CLI_SWEEP_JOURNAL_H
#define CLI_SWEEP_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <zwang.h>

#include "command_messages.h"

typedef struct sweep_record {
    int32_t file;    /* of the journal's, -1: the batch is not done */
    uint64_t offset; /* of the block in it */
    uint64_t size;
} sweep_record;

typedef struct sweep_journal {
    zw_sweep *sweep; /* not owned */
    zw_sweep_facts facts;
    int *files; /* the first is written to, or -1; owned */
    int file_count;
    sweep_record *records; /* [batches]; owned */
    int64_t done, done_runs;
    uint64_t end;  /* of the first file */
    bool dirty;    /* something waits for a sync */
    char *block;   /* what was fetched last; owned */
    size_t room;   /* of it */
    char **memory; /* [batches] blocks where there is no file, or NULL; owned */
} sweep_journal;

/* Opens or creates the file, reads what is there. name NULL: blocks are kept in memory. False after
 * a report. */
bool sweep_journal_open(sweep_journal *j, zw_sweep *sweep, const char *name, message_log *log);
/* Adds the records of another file, to read only. */
bool sweep_journal_add(sweep_journal *j, const char *name, message_log *log);
void sweep_journal_close(sweep_journal *j);

bool sweep_journal_has(const sweep_journal *j, int64_t batch);
/* Appends a block; one that is there already is left out. False: errno. */
bool sweep_journal_put(sweep_journal *j, int64_t batch, const void *bytes, size_t size);
/* Everything that was put is on the disk. */
bool sweep_journal_sync(sweep_journal *j);
/* A zw_sweep_source's; user is the journal. */
bool sweep_journal_fetch(void *user, int64_t batch, const void **bytes, size_t *size);

#endif
