/*
 * The page of a run: what is known of it after it has ended, gathered and written.
 */
#ifndef CLI_PAGE_REPORT_H
#define CLI_PAGE_REPORT_H

#include "film.h"

typedef struct report {
    model_job *job;
    film *film;
    zw_sim *sim;
    const char *command; /* or NULL */
    char *messages;      /* as the terminal is told; owned */
} report;

/* The columns a page shows: all, unless the model is large. */
zw_status report_film(film *f, zw_model *model);

/* Takes down the messages, before they are printed and forgotten. */
void report_listen(report *r);

/* Writes the page. The simulation is started again on the way: it comes last. False after a
 * message. */
bool report_write(report *r, const char *name);
void report_free(report *r);

/* The command line in words that a shell reads back; owned by the caller, NULL: no memory. */
char *report_command(int argc, const char **argv);

#endif
