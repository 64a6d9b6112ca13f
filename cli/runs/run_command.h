/*
 * What the files of `zwang run` share.
 *
 *     command line --run_take--> run_options --run_times--> times of the rows
 *     simulation --run_rows, watched by run_watch--> rows --> zw_result --> output
 */
#ifndef CLI_RUN_COMMAND_H
#define CLI_RUN_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <zwang.h>

#include "model_command.h"
#include "output_file.h"
#include "progress.h"

/* --------------------------------------------------------------- options (run_take.c) */

typedef struct run_options {
    model_options common;
    /* words, by popt, owned; NULL when not given */
    char *until, *tol, *abs_tol, *every, *at, *columns, *method, *stabilize, *baumgarte,
        *inconsistent, *form, *kernel, *hold, *step, *max_steps, *patience, *max_time, *report,
        *events, *checkpoint, *checkpoint_every, *mat;
    int resume;          /* --resume was given */
    const char *command; /* line, for the report; not owned */
    /* what they say, after run_take; where there is no word the value means nothing */
    zw_run_settings given;
    double seconds; /* --max-time; infinite: no limit */
    double pause;   /* --checkpoint-every, seconds */
    double *times;  /* --at, ascending, none twice; owned */
    int64_t time_count;
    zw_result_format format;
} run_options;

/* From words to values. False after a report. */
bool run_take(run_options *o, message_log *log);
/* The same without what concerns the output of rows. */
bool run_take_values(run_options *o, message_log *log);
void run_options_clear(run_options *o);

/* Puts what was given on the command line over settings that are there. */
void run_apply(const run_options *o, zw_run_settings *settings);
/* What the model says, and over it what was given on the command line. */
zw_status run_settings_find(const run_options *o, const zw_model *model, zw_run_settings *settings);

/* ------------------------------------------------------------- times of rows (run_times.c) */

/* Listed, or a grid; all within [start, end]. */
typedef struct run_times {
    double start, end;
    const double *list; /* or NULL; not owned */
    int64_t count;
    zw_run_grid grid;
} run_times;

/* Finds settings->until, if it is still open, and the times. False after a report: wrong usage. */
bool run_times_find(const run_options *o, double start, zw_run_settings *settings, run_times *times,
                    message_log *log);
double run_times_at(const run_times *times, int64_t k);

/* ---------------------------------------------------------------- watching (run_watch.c) */

/* Signals, the limit of time, progress: checked after every step and every row. */
typedef struct run_watch {
    progress bar;
    double from, until;
    double limit; /* seconds; infinite: none */
    double t;
    int64_t steps;
    const char *trouble;  /* what makes the steps small, or NULL */
    double stepped, step; /* where the last step ended, and its size */
    double seconds;       /* since the start, when the clock was read last */
    int stride, skip;     /* the clock is read at every `stride`-th check, the next one in `skip` */
    bool late, stopped;   /* the limit is reached; an interrupt came */
    double pause, kept;   /* seconds between checkpoints, 0: there are none; of the last one */
    bool due;             /* a checkpoint is to be written */
} run_watch;

void run_write_duration(char *text, size_t size, double seconds); /* "3 min" */
/* Whether a signal has come; of who counts something else than steps. */
bool run_watch_caught(void);

/* From start to end the first SIGINT, SIGTERM, SIGHUP or SIGXCPU is only noted; the second one does
 * what it did before. With a `pause`, seconds between checkpoints, SIGUSR1 makes one due; 0: there are none. One at a
 * time. */
void run_watch_start(run_watch *w, const run_times *times, double limit, double pause, bool quiet);
void run_watch_end(run_watch *w);
void run_watch_kept(run_watch *w); /* there is a checkpoint now */

/* A zw_poll_fn; user is a run_watch. */
bool run_watch_step(void *w, const zw_progress *p);
/* After a row; false: no further. */
bool run_watch_row(run_watch *w, double t);

/* ------------------------------------------------------------- what happens (run_events.c) */

/* The text of --events as it grows. */
typedef struct run_events {
    const zw_model *model;
    zw_sim *sim;
    FILE *out; /* to text [length], which is owned */
    char *text;
    size_t length;
    int64_t next; /* of what has happened, to be taken */
} run_events;

/* False: no memory. */
bool run_events_open(run_events *e, const zw_model *model, zw_sim *sim);
void run_events_take(run_events *e); /* what has happened since it was called last */
bool run_events_write(run_events *e, const char *name, message_log *log); /* false after a report */
/* The text so far, without what has not been taken; NULL: no memory. And back. */
const char *run_events_text(run_events *e, size_t *length);
bool run_events_take_back(run_events *e, const char *text, size_t length);
void run_events_free(run_events *e);

/* ---------------------------------------------------------------------- rows (run_rows.c) */

typedef enum run_end {
    RUN_DONE,   /* the end, or a `stop` */
    RUN_FAILED, /* the run could not go on: `failure` */
    RUN_LATE,   /* the limit of time */
    RUN_INTERRUPTED,
    RUN_NOT_WRITTEN /* the output; reported */
} run_end;

struct film;
typedef struct run_keeper run_keeper;
typedef struct run_rows {
    run_keeper *keeper;  /* of checkpoints, or NULL; not owned */
    struct film *film;   /* of the report, or NULL; not owned */
    zw_columns *columns; /* owned */
    zw_result *result;   /* owned */
    output out;
    double *row;   /* [columns]; owned */
    bool *bad;     /* [columns] some value was not finite; owned */
    double bad_t;  /* the time of the first one */
    int32_t first; /* its column, -1: there was none */
    int64_t count; /* rows written */
    double flushed;
    zw_status failure;
} run_rows;

/* The columns alone. */
zw_status run_rows_create(run_rows *r, zw_model *model, const char *list);
void run_rows_free(run_rows *r);

/* Moves the simulation, whose run has begun, to the end of the times and writes the rows to the
 * output that the options name. */
run_end run_rows_write(run_rows *r, const run_options *o, const run_times *times, zw_sim *sim,
                       run_watch *watch, message_log *log);

/* For the keeper: opens r->result, whose bytes go to `write`; hands on what it holds. */
zw_status run_rows_open_result(run_rows *r, zw_result_format format, zw_write_fn write, void *user,
                               message_log *log);
bool run_rows_send(run_rows *r);

#endif
