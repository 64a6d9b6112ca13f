/*
 * A model on its track: compiled under one solver, with a run of it, its columns, and a count of
 * the memory it asks for. For tests that compare roads.
 */
#ifndef TRACK_H
#define TRACK_H

#include "bench.h"

typedef struct counter {
    size_t requests; /* for new or larger blocks */
    size_t fail_at;  /* from 1; 0: none */
    size_t bytes;    /* held */
} counter;

/* An allocator whose user is a counter. */
void *count_resize(void *user, void *block, size_t old_size, size_t new_size);
/* A writer that keeps nothing: its user, a size_t, counts the bytes. */
bool swallow(void *user, const char *bytes, size_t size);

/* A model under one solver, with its run. */
typedef struct track {
    counter count;
    zw_context *context;
    zw_model *model;
    zw_sim *sim;
    zw_columns *columns;
    zw_run_settings settings;
    int32_t n, width;
    double *row;
} track;

/* columns NULL: the usual ones. The run goes to t = 1. */
void track_open(track *k, const char *text, const char *columns, zw_solver solver, double tol);
void close_track(track *k); /* everything has been given back */

void begin(track *k);
zw_outcome go(track *k, double t); /* and reads the columns */
void advance(track *k, double t);  /* which must be reached */
zw_run_statistics statistics(track *k);

#endif
