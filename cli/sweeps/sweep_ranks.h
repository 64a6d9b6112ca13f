/*
 * Ranks of MPI: processes that were started together and send each other messages. MPI itself is in
 * a plug-in, mpi/zwang_mpi.c, which is loaded only where its launcher has set its variables: the
 * command does not depend on it.
 */
#ifndef CLI_SWEEP_RANKS_H
#define CLI_SWEEP_RANKS_H

#include <stdbool.h>
#include <stddef.h>

#include "command_messages.h"

/* What the plug-in offers, under the name zwang_mpi. Messages are bytes with a tag; send returns
 * when the bytes may be changed. All of one thread. False: MPI said no. */
typedef struct zwang_mpi_functions {
    int version; /* 1 */
    bool (*open)(int *rank, int *size);
    bool (*send)(int to, int tag, const void *bytes, size_t size);
    bool (*probe)(int *from, int *tag, size_t *size); /* whether a message is there */
    bool (*receive)(int from, int tag, void *bytes, size_t size);
    void (*close)(void);
} zwang_mpi_functions;

typedef struct sweep_ranks {
    const zwang_mpi_functions *mpi; /* NULL: this process is alone */
    int rank, size;
} sweep_ranks;

/* False after a report: a launcher has started several, but there is no plug-in. */
bool sweep_ranks_open(sweep_ranks *r, message_log *log);
void sweep_ranks_close(sweep_ranks *r);

#endif
