/*
 * Shows on standard error how far something has come, once it takes over a second: a bar on a
 * terminal, plain lines elsewhere.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct progress {
    const char *unit; /* plural, "problems"; not owned */
    int64_t total;
    bool hidden, terminal, shown;
    struct timespec start;
    double last; /* seconds after start of the last thing shown */
} progress;

/* Things that are counted. */
void progress_start(progress *p, const char *unit, int64_t total, bool quiet);
void progress_step(progress *p, int64_t done);

/* Whatever else: progress_open instead of start, then progress_show whenever progress_due at so
 * many seconds after the start. The text stands behind the bar; part: of the whole, 0 to 1. */
void progress_open(progress *p, bool quiet);
double progress_seconds(const progress *p); /* since the start */
bool progress_due(const progress *p, double seconds);
void progress_show(progress *p, double seconds, double part, const char *text);

void progress_end(progress *p); /* removes the bar */

#endif
