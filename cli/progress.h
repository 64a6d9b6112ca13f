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

void progress_start(progress *p, const char *unit, int64_t total, bool quiet);
void progress_step(progress *p, int64_t done);
void progress_end(progress *p); /* removes the bar */

#endif
