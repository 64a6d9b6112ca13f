/*
 * Following: a rank other than 0 asks for batches, computes them in its threads and sends the blocks,
 * until it is told that it is over. What it is at then is dropped: somebody else has done it.
 */
#include <math.h>

#include "run_command.h"
#include "sweep_messages.h"
#include "sweep_work.h"

typedef struct follow {
    sweep_work *work;
    uint64_t fingerprint;
    int64_t granted; /* below 0: nothing */
    bool asked, over;
} follow;

static int64_t next_granted(void *user)
{
    follow *f = user;
    int64_t batch = f->granted;
    f->granted = -1;
    if (batch >= 0) return batch;
    if (f->over) return -1;
    if (!f->asked)
        f->asked =
            f->work->ranks->mpi->send(0, SWEEP_REQUEST, &f->fingerprint, sizeof f->fingerprint);
    return ZW_SWEEP_LATER;
}

static bool send_block(void *user, int64_t batch, const void *bytes, size_t size)
{
    follow *f = user;
    (void)batch;
    return f->work->ranks->mpi->send(0, SWEEP_BLOCK, bytes, size);
}

static bool poll_follow(void *user)
{
    follow *f = user;
    const zwang_mpi_functions *mpi = f->work->ranks->mpi;
    int from, tag;
    size_t size;
    while (mpi->probe(&from, &tag, &size)) {
        int64_t batch = -1;
        if (size != sizeof batch || !mpi->receive(from, tag, &batch, sizeof batch)) return false;
        f->asked = false;
        if (batch < 0) f->over = true;
        f->granted = batch;
        if (batch >= 0) break; /* it is taken before the next is heard */
    }
    return !f->over && !run_watch_caught();
}

void sweep_work_leave(const sweep_work *work)
{
    uint64_t nothing = 0;
    (void)work->ranks->mpi->send(0, SWEEP_BYE, &nothing, sizeof nothing);
}

zw_status sweep_work_follow(sweep_work *work)
{
    follow f = {.work = work, .granted = -1};
    run_watch watch;
    zw_sweep_facts facts;
    zw_sweep_job job = {.threads = work->threads,
                        .next = next_granted,
                        .done = send_block,
                        .poll = poll_follow,
                        .user = &f};
    (void)zw_sweep_tell(work->sweep, &facts);
    f.fingerprint = facts.fingerprint;
    run_watch_start(&watch, &(run_times){0}, HUGE_VAL, 0, true);
    zw_status status = zw_sweep_run(work->sweep, &job);
    run_watch_end(&watch);
    sweep_work_leave(work);
    return f.over ? ZW_OK : status;
}
