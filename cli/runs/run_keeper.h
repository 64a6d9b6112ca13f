/*
 * Checkpoints of a run: what of it is kept, when, and how it goes on.
 *
 *     rows --> FILE.part --at the end--> FILE
 *     place in the run, events, page, simulation, and whose run it is --now and then--> checkpoint
 *
 * A row is in FILE.part before the checkpoint that counts it is written.
 */
#ifndef CLI_RUN_KEEPER_H
#define CLI_RUN_KEEPER_H

#include "film.h"
#include "part_file.h"
#include "run_command.h"

/* Where in the rows the run is: numbers of the command, as they stand in a checkpoint. */
typedef struct run_place {
    int64_t next;          /* the row to be written, among the times of rows */
    int64_t rows;          /* written */
    uint64_t length, hash; /* of FILE.part */
    double last_t;         /* time of the last row */
    double bad_t;          /* as in run_rows */
    double stepped, step;  /* as in run_watch */
    int64_t next_event;    /* as in run_events */
    int32_t first;         /* as in run_rows */
    int32_t whole;         /* 1: the simulation as it was; 0: its t, q and v alone */
} run_place;

struct run_keeper {
    const run_options *options;
    message_log *log;
    run_rows *rows;
    run_watch *watch;
    run_events *events; /* or NULL */
    zw_sim *sim;
    zw_method method;
    int32_t n; /* coordinates */
    part_file part;
    bool raw;       /* FILE.part has numbers, not the text of FILE */
    char *identity; /* whose run it is; owned */
    input found;    /* the checkpoint that the run goes on from; its text is NULL: none */
    run_place place;
};

/* Whose run it is: lines of a key, a tab and a value, which belong to the caller; NULL: no memory.
 * What a result does not depend on is not in it. */
char *run_identity(const run_options *o, const model_job *job, const zw_run_settings *settings,
                   const run_times *times);
/* Reports what differs between the identity of a checkpoint and that of this run. False: something
 * does. */
bool run_identity_compare(const char *name, const char *was, const char *is, message_log *log);

/* Before the simulation is made: names, whose run it is and, with --resume, the checkpoint. False
 * after a report. */
bool run_keeper_open(run_keeper *k, const run_options *o, model_job *job,
                     const zw_run_settings *settings, const run_times *times);
void run_keeper_close(run_keeper *k);

/* When the run has begun: with a checkpoint it goes on from there. The status is the library's;
 * ZW_ERR_WRITE after a report. */
zw_status run_keeper_restore(run_keeper *k, const zw_run_settings *settings);

/* The first checkpoint and FILE.part, or that of the run that goes on. False after a report. */
bool run_keeper_begin(run_keeper *k);
/* A checkpoint now; `next` is the row to be written. False after a report. */
bool run_keeper_save(run_keeper *k, int64_t next);
/* The run is over: FILE.part becomes FILE. False after a report. */
bool run_keeper_finish(run_keeper *k);
/* All that belongs to the run is written: there is nothing to go on with. */
void run_keeper_forget(run_keeper *k);

#endif
