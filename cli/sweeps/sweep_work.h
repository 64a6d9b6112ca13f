/*
 * Computing the batches of a sweep that are not in its journal: in threads of this process, and where
 * ranks of MPI were started, in theirs.
 */
#ifndef CLI_SWEEP_WORK_H
#define CLI_SWEEP_WORK_H

#include "progress.h"
#include "sweep_journal.h"
#include "sweep_ranks.h"

typedef struct sweep_work {
    zw_sweep *sweep;
    sweep_journal *journal; /* of rank 0, or alone */
    const sweep_ranks *ranks;
    message_log *log;
    int32_t threads;
    int64_t part, parts; /* batches b with b % parts == part */
    bool quiet;
    bool ranks_lost; /* after the work: some have not answered */
    int error;       /* errno of a journal that could not be written */
} sweep_work;

/* ZW_OK: all batches of the part are in the journal. ZW_ERR_CANCELLED: interrupted. */
zw_status sweep_work_lead(sweep_work *work);
/* Tells all other ranks that it is over, and waits for their BYE; last thing of rank 0. */
void sweep_work_dismiss(sweep_work *work);
/* Of another rank than 0: computes what rank 0 hands out, until it says that it is over. */
zw_status sweep_work_follow(sweep_work *work);
/* Nothing will come from this rank. */
void sweep_work_leave(const sweep_work *work);

#endif
