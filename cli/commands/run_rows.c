/*
 * Writing the rows of a run: moves the simulation from one time that is asked for to the next and
 * writes the values of the columns there.
 *
 * However the run ends, the file is complete and takes its name: rows at the times that were
 * reached, and one more where it got to when a `stop`, a failure or an interrupt came in between.
 * Only when the output itself fails is there no file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "film.h"

/* ------------------------------------------------------------------------ columns */

/* list: the columns in the words of --columns; NULL: the usual ones. */
zw_status run_rows_create(run_rows *r, zw_model *model, const char *list)
{
    *r = (run_rows){.first = -1};
    zw_status status = zw_columns_create(model, list, &r->columns);
    if (status != ZW_OK) return status;
    r->row = calloc((size_t)zw_columns_count(r->columns), sizeof *r->row);
    r->bad = calloc((size_t)zw_columns_count(r->columns), sizeof *r->bad);
    return r->row && r->bad ? ZW_OK : ZW_ERR_MEMORY;
}

void run_rows_free(run_rows *r)
{
    zw_columns_free(r->columns);
    free(r->row);
    free(r->bad);
}

/* The names of the columns, in one block of memory with the pointers to them; NULL: none left. */
static const char **list_column_names(const zw_columns *columns)
{
    int32_t count = zw_columns_count(columns);
    size_t size = (size_t)count * sizeof(char *);
    for (int32_t k = 0; k < count; k++) size += zw_columns_name(columns, k, NULL, 0) + 1;
    const char **names = malloc(size);
    if (!names) return NULL;
    char *next = (char *)(names + count), *end = (char *)names + size;
    for (int32_t k = 0; k < count; k++) {
        names[k] = next;
        next += zw_columns_name(columns, k, next, (size_t)(end - next)) + 1;
    }
    return names;
}

/* The writer of the format, whose bytes go to the output. */
static zw_status open_result(run_rows *r, zw_result_format format, message_log *log)
{
    const char **names = list_column_names(r->columns);
    if (!names) return ZW_ERR_MEMORY;
    zw_status status = zw_result_open(log->context, format, names, zw_columns_count(r->columns),
                                      output_put, &r->out, &r->result);
    free(names);
    return status;
}

/* --------------------------------------------------------------------------- rows */

/* Notes which columns have a value that is not finite, and the first of them with its time. */
static void note_bad_values(run_rows *r)
{
    double sum = 0;
    int32_t count = zw_columns_count(r->columns);
    for (int32_t k = 0; k < count; k++) sum += r->row[k] * 0; /* 0, or NaN */
    if (sum == 0) return;
    for (int32_t k = 0; k < count; k++) {
        if (isfinite(r->row[k])) continue;
        r->bad[k] = true;
        if (r->first >= 0) continue;
        r->first = k;
        r->bad_t = r->row[0];
    }
}

/* The row at the simulation's state. Whoever reads along sees it within a fraction of a second. */
static zw_status write_state_row(run_rows *r, zw_sim *sim, const run_watch *watch)
{
    zw_status status = zw_sim_columns(sim, r->columns, r->row);
    if (status == ZW_OK) status = zw_result_row(r->result, r->row);
    if (status == ZW_OK && r->film) status = film_take(r->film, sim, watch->step);
    if (status != ZW_OK) return status;
    r->count++;
    note_bad_values(r);
    bool now = watch->seconds - r->flushed >= 0.2;
    if (now) r->flushed = watch->seconds;
    return output_send_rows(&r->out, now) ? ZW_OK : ZW_ERR_WRITE;
}

static run_end why_interrupted(const run_watch *watch)
{
    return watch->late && !watch->stopped ? RUN_LATE : RUN_INTERRUPTED;
}

/* Why the run ends, from a status that is no success. */
static run_end note_run_failure(run_rows *r, zw_status status)
{
    r->failure = status;
    return status == ZW_ERR_WRITE ? RUN_NOT_WRITTEN : RUN_FAILED;
}

/* A last row where the run got to, if that is beyond the row before. */
static run_end add_last_row(run_rows *r, zw_sim *sim, const run_watch *watch, run_end end)
{
    double t;
    if (end == RUN_NOT_WRITTEN || zw_sim_state(sim, &t, NULL, NULL) != ZW_OK) return end;
    if (r->count > 0 && t <= r->row[0]) return end;
    zw_status status = write_state_row(r, sim, watch);
    return status == ZW_ERR_WRITE ? RUN_NOT_WRITTEN : end;
}

/* One row at each time, then on to the end; a run that ends before it has a last row where it got
 * to. */
static run_end write_rows_at(run_rows *r, const run_times *times, zw_sim *sim, run_watch *watch)
{
    for (int64_t k = 0; k <= times->count; k++) {
        zw_outcome outcome;
        double t = k < times->count ? run_times_at(times, k) : times->end;
        zw_status status = zw_sim_advance(sim, t, &outcome);
        if (status != ZW_OK) return add_last_row(r, sim, watch, note_run_failure(r, status));
        if (outcome == ZW_STOPPED) return add_last_row(r, sim, watch, RUN_DONE);
        if (outcome == ZW_INTERRUPTED) return add_last_row(r, sim, watch, why_interrupted(watch));
        if (k == times->count) break;
        status = write_state_row(r, sim, watch);
        if (status != ZW_OK) return note_run_failure(r, status);
        if (run_watch_row(watch, t)) continue;
        (void)zw_sim_advance(sim, times->end, &outcome); /* which is told to stop at once */
        return add_last_row(r, sim, watch, why_interrupted(watch));
    }
    return RUN_DONE;
}

/* ------------------------------------------------------------------------ the file */

/* Ends the file and gives it its name. */
static run_end close_result(run_rows *r, run_end end, message_log *log)
{
    zw_status status = zw_result_close(r->result);
    bool keep = end != RUN_NOT_WRITTEN && status == ZW_OK;
    if (!output_close(&r->out, keep, log)) return RUN_NOT_WRITTEN;
    if (status == ZW_OK || end == RUN_NOT_WRITTEN) return end;
    return note_run_failure(r, status);
}

/* Signals are caught from before the first row until the file has its name. */
run_end run_rows_write(run_rows *r, const run_options *o, const run_times *times, zw_sim *sim,
                       run_watch *watch, message_log *log)
{
    if (!output_open(&r->out, o->common.output ? o->common.output : "-", log))
        return RUN_NOT_WRITTEN;
    run_watch_start(watch, times, o->seconds, o->common.quiet || log->form == ZW_JSON);
    zw_status status = open_result(r, o->format, log);
    run_end end;
    if (status == ZW_OK) {
        end = close_result(r, write_rows_at(r, times, sim, watch), log);
    } else {
        end = note_run_failure(r, status);
        if (!output_close(&r->out, false, log)) end = RUN_NOT_WRITTEN;
    }
    run_watch_end(watch);
    return end;
}
