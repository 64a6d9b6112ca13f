/*
 * Leading a sweep: alone, or as rank 0 of several. Batches are handed out in order, to the threads of
 * this process and to the ranks that ask; every block goes to the journal, and what was put there
 * together is synced at once.
 *
 *     rank k --REQUEST--> rank 0 --GRANT batch, or -1: over--> rank k --BLOCK--> rank 0
 *
 * A rank that dies takes its batches with it. So once none is left to begin, whoever asks gets the
 * batch that was handed out longest ago, if that is longer than batches take: a block depends on its
 * batch alone, the first that comes is taken. At the end ranks say BYE; of those that do not in ten
 * seconds it is said.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_command.h"
#include "sweep_messages.h"
#include "sweep_work.h"

static const double least_late = 5.0, times_late = 4.0; /* seconds; of the longest batch so far */
static const double farewell = 10.0;

/* What was handed out. */
typedef struct handed {
    double when; /* below 0: not yet */
    int rank;
} handed;

typedef struct rank_seen {
    bool waits; /* for a batch */
} rank_seen;

typedef struct lead {
    sweep_work *work;
    sweep_journal *journal;
    run_watch watch;
    progress bar;
    handed *handed;         /* [batches] */
    rank_seen *ranks;       /* [size] */
    int64_t next;           /* the first that may not have been handed out */
    int64_t wanted, before; /* batches of the part; runs that were done before */
    double longest;         /* seconds that a batch took */
    double mark_when[2];    /* for the rate: two moments, and the runs done then */
    int64_t mark_runs[2];
} lead;

/* ------------------------------------------------------------------------- handing out */

static bool is_ours(const lead *l, int64_t batch)
{
    return batch % l->work->parts == l->work->part;
}

/* The one that was handed out longest ago to somebody else, and is late; -1: none. */
static int64_t find_late(const lead *l, int rank, double now)
{
    int64_t found = -1;
    double limit = fmax(least_late, times_late * l->longest);
    for (int64_t b = 0; b < l->journal->facts.batches; b++) {
        const handed *h = &l->handed[b];
        if (h->when < 0 || h->rank == rank || sweep_journal_has(l->journal, b)) continue;
        if (now - h->when > limit && (found < 0 || h->when < l->handed[found].when)) found = b;
    }
    return found;
}

static int64_t hand_out(lead *l, int rank)
{
    const sweep_journal *j = l->journal;
    double now = progress_seconds(&l->bar);
    int64_t batch = ZW_SWEEP_LATER;
    while (l->next < j->facts.batches &&
           (!is_ours(l, l->next) || l->handed[l->next].when >= 0 || sweep_journal_has(j, l->next)))
        l->next++;
    if (l->next < j->facts.batches)
        batch = l->next++;
    else if (j->done >= l->wanted || !l->work->ranks->mpi)
        return -1; /* or the threads of this process have the rest */
    else if ((batch = find_late(l, rank, now)) < 0)
        return ZW_SWEEP_LATER;
    l->handed[batch] = (handed){now, rank};
    return batch;
}

static int64_t next_batch(void *user)
{
    return hand_out(user, 0);
}

/* ----------------------------------------------------------------------------- blocks */

static bool take_block(lead *l, int64_t batch, const void *bytes, size_t size)
{
    if (l->handed[batch].when >= 0)
        l->longest = fmax(l->longest, progress_seconds(&l->bar) - l->handed[batch].when);
    if (sweep_journal_put(l->journal, batch, bytes, size)) return true;
    l->work->error = errno;
    return false;
}

static bool take_own_block(void *user, int64_t batch, const void *bytes, size_t size)
{
    return take_block(user, batch, bytes, size);
}

/* ----------------------------------------------------------------------------- ranks */

static void answer_request(lead *l, int rank)
{
    int64_t batch = hand_out(l, rank);
    l->ranks[rank].waits = batch == ZW_SWEEP_LATER;
    if (batch != ZW_SWEEP_LATER)
        (void)l->work->ranks->mpi->send(rank, SWEEP_GRANT, &batch, sizeof batch);
}

/* A rank with another plan gets nothing to do. */
static void take_request(lead *l, int rank, const void *bytes, size_t size)
{
    uint64_t fingerprint = 0;
    int64_t over = -1;
    if (size == sizeof fingerprint) fingerprint = *(const uint64_t *)bytes;
    if (fingerprint == l->journal->facts.fingerprint) {
        answer_request(l, rank);
        return;
    }
    zw_diagnostic place = {
        .file = "zwang",
        .help = "all ranks must read the same model with the same options and version"};
    message_report(l->work->log, MSG_RANK_LOST, &place,
                   "rank %d has another sweep and gets nothing to do", rank);
    (void)l->work->ranks->mpi->send(rank, SWEEP_GRANT, &over, sizeof over);
}

static bool take_message(lead *l, int rank, int tag, const void *bytes, size_t size)
{
    zw_sweep_block block;
    if (tag == SWEEP_REQUEST) take_request(l, rank, bytes, size);
    if (tag != SWEEP_BLOCK || zw_sweep_block_read(l->work->sweep, bytes, size, &block) != ZW_OK)
        return true;
    return take_block(l, block.batch, bytes, size);
}

/* All messages that are there. False: a block could not be kept. */
static bool hear_ranks(lead *l)
{
    const zwang_mpi_functions *mpi = l->work->ranks->mpi;
    int from, tag;
    size_t size;
    bool good = true;
    while (good && mpi->probe(&from, &tag, &size)) {
        void *bytes = malloc(size + 8);
        good = bytes && mpi->receive(from, tag, bytes, size) &&
               take_message(l, from, tag, bytes, size);
        free(bytes);
    }
    for (int rank = 1; rank < l->work->ranks->size; rank++)
        if (l->ranks[rank].waits) answer_request(l, rank);
    return good;
}

/* Messages are only taken in: what they bring is not needed any more. Returns how many say goodbye. */
static int hear_farewells(const sweep_ranks *r, bool *gone)
{
    int from, tag, count = 0;
    size_t size;
    while (r->mpi->probe(&from, &tag, &size)) {
        void *bytes = malloc(size + 8);
        if (!bytes || !r->mpi->receive(from, tag, bytes, size)) tag = 0;
        free(bytes);
        if (tag != SWEEP_BYE || gone[from]) continue;
        gone[from] = true;
        count++;
    }
    return count;
}

/* Everybody is told that it is over, and may say goodbye. */
void sweep_work_dismiss(sweep_work *work)
{
    const sweep_ranks *r = work->ranks;
    int64_t over = -1;
    progress clock;
    bool *gone = r->mpi ? calloc((size_t)r->size + 1, sizeof *gone) : NULL;
    int left = r->size - 1;
    if (!gone) return;
    progress_open(&clock, true);
    for (int rank = 1; rank < r->size; rank++)
        (void)r->mpi->send(rank, SWEEP_GRANT, &over, sizeof over);
    while (left > 0 && progress_seconds(&clock) < farewell) left -= hear_farewells(r, gone);
    for (int rank = 1; rank < r->size; rank++) {
        if (gone[rank]) continue;
        zw_diagnostic place = {.file = "zwang",
                               .help = "its batches were computed by others; the result is whole"};
        message_report(work->log, MSG_RANK_LOST, &place, "rank %d has not answered", rank);
        work->ranks_lost = true;
    }
    free(gone);
}

/* --------------------------------------------------------------------------- progress */

/* The rate of the last half minute at least, as far as there is one: what batches took earlier says
 * less of those to come. */
static void show_sweep_progress(lead *l, double now)
{
    char text[160], left[40] = "?";
    const sweep_journal *j = l->journal;
    int64_t total = j->facts.runs / l->work->parts;
    if (now - l->mark_when[1] > 30.0) {
        l->mark_when[0] = l->mark_when[1], l->mark_runs[0] = l->mark_runs[1];
        l->mark_when[1] = now, l->mark_runs[1] = j->done_runs;
    }
    double rate = (double)(j->done_runs - l->mark_runs[0]) / fmax(now - l->mark_when[0], 1e-9);
    if (rate > 0) run_write_duration(left, sizeof left, (double)(total - j->done_runs) / rate);
    (void)snprintf(text, sizeof text, "%lld of %lld runs, %.3g a second, %s left",
                   (long long)j->done_runs, (long long)total, rate, left);
    progress_show(&l->bar, now, (double)j->done_runs / (double)total, text);
}

static bool poll_lead(void *user)
{
    lead *l = user;
    double now = progress_seconds(&l->bar);
    if (l->work->ranks->mpi && !hear_ranks(l)) return false;
    if (!sweep_journal_sync(l->journal)) l->work->error = errno;
    if (!l->bar.hidden && progress_due(&l->bar, now)) show_sweep_progress(l, now);
    return !run_watch_caught() && l->work->error == 0;
}

/* ------------------------------------------------------------------------------ the whole */

static bool prepare_lead(lead *l)
{
    sweep_journal *j = l->journal;
    l->handed = calloc((size_t)j->facts.batches + 1, sizeof *l->handed);
    l->ranks = calloc((size_t)l->work->ranks->size + 1, sizeof *l->ranks);
    if (!l->handed || !l->ranks) return false;
    for (int64_t b = 0; b < j->facts.batches; b++) {
        l->handed[b].when = -1;
        l->wanted += is_ours(l, b) || sweep_journal_has(j, b);
    }
    return true;
}

zw_status sweep_work_lead(sweep_work *work)
{
    lead l = {.work = work, .journal = work->journal};
    zw_sweep_job job = {.threads = work->threads,
                        .next = next_batch,
                        .done = take_own_block,
                        .poll = poll_lead,
                        .user = &l};
    zw_status status = ZW_ERR_MEMORY;
    if (prepare_lead(&l)) {
        run_watch_start(&l.watch, &(run_times){0}, HUGE_VAL, 0, true);
        progress_open(&l.bar, work->quiet);
        l.mark_runs[0] = l.mark_runs[1] = work->journal->done_runs;
        status = work->journal->done >= l.wanted ? ZW_OK : zw_sweep_run(work->sweep, &job);
        if (!sweep_journal_sync(work->journal) && work->error == 0) work->error = errno;
        if (work->error) status = ZW_ERR_WRITE;
        progress_end(&l.bar);
        run_watch_end(&l.watch);
    }
    free(l.handed);
    free(l.ranks);
    return status;
}
