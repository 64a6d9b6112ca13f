/*
 * The page of a sweep: linked scatter plots of what was varied and what was kept.
 */
#ifndef CLI_SWEEP_PAGE_H
#define CLI_SWEEP_PAGE_H

#include "model_command.h"
#include "sweep_journal.h"

/* False after a report. */
bool sweep_page_write(sweep_journal *journal, const model_job *job, const char *command,
                      const char *name);

#endif
