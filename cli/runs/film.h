/*
 * A run kept in memory: rows of columns, and the scene they belong to. For pictures, plots and
 * pages. A long run is thinned while it goes: every second row is dropped whenever there are too
 * many, so that memory does not grow; the last row is always there.
 */
#ifndef CLI_FILM_H
#define CLI_FILM_H

#include <jansson.h>

#include "run_command.h"

typedef struct film {
    zw_columns *columns; /* owned */
    int32_t width;       /* numbers of a row: of the columns, then the size of the last step */
    double *rows;        /* [count * width]; owned */
    int64_t count, room;
    int64_t most;   /* rows that are kept, about; 0: all */
    int64_t total;  /* rows there were */
    int64_t stride; /* every so manyth is kept */
    bool last_kept; /* the last row stands at the end without being due */
    json_t *tree;   /* of zw_sim_scene; owned, or NULL */
    run_end end;
    zw_status failure;
} film;

/* The columns of the list; most: cells that are kept, 0: all. */
zw_status film_create(film *f, zw_model *model, const char *list, int64_t most);
void film_free(film *f);

/* A row at the simulation's state; what cannot be computed there is not a number. Fails for want of
 * memory only. */
zw_status film_take(film *f, zw_sim *sim, double step);

/* The rows as bytes, in memory of the caller's, and back. False: no memory; they are no such rows. */
bool film_keep(const film *f, char **bytes, size_t *size);
bool film_take_back(film *f, const char *bytes, size_t size);

/* The scene, with the parameters of the simulation. */
zw_status film_take_scene(film *f, zw_sim *sim);

/* Takes forces out of the scene that are rounding over the whole film: beside what moves the bodies,
 * the kinetic energy over the size of the picture, they are nothing. Needs the column kinetic. */
void film_drop_noise(film *f);

/* A whole run for its film: settings and times as of `zwang run`; times [count] are those of the
 * rows. Messages and verdict are the caller's. The simulation is given back for what is asked of it
 * afterwards, NULL where it could not be made. Returns the exit status. */
int film_run(film *f, const run_options *o, model_job *job, zw_run_settings settings,
             const run_times *times, zw_sim **sim);

/* Settings of the model and the command line; false after a report. */
bool film_settings(const run_options *o, model_job *job, zw_run_settings *settings,
                   run_times *times);

#endif
