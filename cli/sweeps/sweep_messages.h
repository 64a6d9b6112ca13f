/*
 * What ranks of a sweep send each other.
 */
#ifndef CLI_SWEEP_MESSAGES_H
#define CLI_SWEEP_MESSAGES_H

enum {
    SWEEP_REQUEST = 1, /* to rank 0: something to do; the fingerprint of the sweep */
    SWEEP_GRANT = 2,   /* from rank 0: a batch, as int64_t; -1: it is over */
    SWEEP_BLOCK = 3,   /* to rank 0: the block of a batch */
    SWEEP_BYE = 4      /* to rank 0: nothing more will come */
};

#endif
