/*
 * Writing the rows of a run: moves the simulation from one time that is asked for to the next and
 * writes the values of the columns there.
 *
 * However the run ends, the file is complete and takes its name: rows at the times that were
 * reached, and one more where it got to when a `stop`, a failure or an interrupt came in between.
 * Only when the output itself fails is there no file.
 *
 * With checkpoints rows go to FILE.part (run_keeper.c), and a run that is interrupted or late leaves
 * it there with a checkpoint, without a row where it got to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run_keeper.h"

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

/* The writer of the format. */
zw_status run_rows_open_result(run_rows *r, zw_result_format format, zw_write_fn write, void *user,
                               message_log *log)
{
    const char **names = list_column_names(r->columns);
    if (!names) return ZW_ERR_MEMORY;
    zw_status status = zw_result_open(log->context, format, names, zw_columns_count(r->columns),
                                      write, user, &r->result);
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

/* Numbers as they are where FILE.part is not of the format of FILE. */
static zw_status put_row(run_rows *r)
{
    size_t size = (size_t)zw_columns_count(r->columns) * sizeof *r->row;
    if (!r->keeper || !r->keeper->raw) return zw_result_row(r->result, r->row);
    return part_put(&r->keeper->part, (const char *)r->row, size) ? ZW_OK : ZW_ERR_WRITE;
}

bool run_rows_send(run_rows *r)
{
    return !r->result || zw_result_flush(r->result) == ZW_OK;
}

/* To the file, if it is much, or `now`. */
static bool send_rows(run_rows *r, bool now)
{
    if (now && !run_rows_send(r)) return false;
    if (r->keeper) return !now || part_send(&r->keeper->part, false);
    return output_send_rows(&r->out, now);
}

/* The row at the simulation's state. Whoever reads along sees it within a fraction of a second. */
static zw_status write_state_row(run_rows *r, zw_sim *sim, const run_watch *watch)
{
    zw_status status = zw_sim_columns(sim, r->columns, r->row);
    if (status == ZW_OK) status = put_row(r);
    if (status == ZW_OK && r->film) status = film_take(r->film, sim, watch->step);
    if (status != ZW_OK) return status;
    r->count++;
    note_bad_values(r);
    bool now = watch->seconds - r->flushed >= 0.2;
    if (now) r->flushed = watch->seconds;
    return send_rows(r, now) ? ZW_OK : ZW_ERR_WRITE;
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

/* Held between two steps, `next` being the row to be written: for a checkpoint, after which it goes
 * on, or for good. */
static bool goes_on(run_rows *r, zw_sim *sim, run_watch *watch, int64_t next, run_end *end)
{
    bool over = watch->late || watch->stopped;
    if (over) *end = why_interrupted(watch);
    if (!r->keeper) {
        *end = add_last_row(r, sim, watch, *end);
        return false;
    }
    if (!run_keeper_save(r->keeper, next)) *end = RUN_NOT_WRITTEN;
    run_watch_kept(watch);
    return !over && *end != RUN_NOT_WRITTEN;
}

/* One row at each time, then on to the end; a run that ends before it has a last row where it got
 * to. */
static run_end write_rows_at(run_rows *r, const run_times *times, zw_sim *sim, run_watch *watch)
{
    run_end end = RUN_INTERRUPTED;
    for (int64_t k = r->keeper ? r->keeper->place.next : 0; k <= times->count; k++) {
        zw_outcome outcome = ZW_INTERRUPTED;
        double t = k < times->count ? run_times_at(times, k) : times->end;
        while (outcome == ZW_INTERRUPTED) {
            zw_status status = zw_sim_advance(sim, t, &outcome);
            if (status != ZW_OK) return add_last_row(r, sim, watch, note_run_failure(r, status));
            if (outcome == ZW_INTERRUPTED && !goes_on(r, sim, watch, k, &end)) return end;
        }
        if (outcome == ZW_STOPPED) return add_last_row(r, sim, watch, RUN_DONE);
        if (k == times->count) break;
        zw_status status = write_state_row(r, sim, watch);
        if (status != ZW_OK) return note_run_failure(r, status);
        if (run_watch_row(watch, t)) continue;
        /* without a checkpoint the last row is where it got to: told to stop, it does so at once */
        if (!r->keeper) (void)zw_sim_advance(sim, times->end, &outcome);
        if (!goes_on(r, sim, watch, k + 1, &end)) return end;
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

/* Where a run without checkpoints writes, opened before. */
static run_end write_to_output(run_rows *r, const run_options *o, const run_times *times,
                               zw_sim *sim, run_watch *watch, message_log *log)
{
    zw_status status = run_rows_open_result(r, o->format, output_put, &r->out, log);
    if (status == ZW_OK) return close_result(r, write_rows_at(r, times, sim, watch), log);
    run_end end = note_run_failure(r, status);
    return output_close(&r->out, false, log) ? end : RUN_NOT_WRITTEN;
}

/* The writer of FILE.part: of a run that goes on without the line of names, which is there. */
static zw_status open_part_result(run_rows *r, const run_options *o, message_log *log)
{
    part_file *part = &r->keeper->part;
    if (r->keeper->raw) return ZW_OK;
    part->deaf = part->length > 0;
    zw_status status = run_rows_open_result(r, o->format, part_put, part, log);
    if (status == ZW_OK) status = zw_result_flush(r->result);
    part->deaf = false;
    return status;
}

/* With checkpoints: FILE.part becomes FILE when the run is over, not when it is held. */
static run_end write_to_part(run_rows *r, const run_options *o, const run_times *times, zw_sim *sim,
                             run_watch *watch, message_log *log)
{
    run_keeper *keeper = r->keeper;
    keeper->watch = watch;
    if (!run_keeper_begin(keeper)) return RUN_NOT_WRITTEN;
    zw_status status = open_part_result(r, o, log);
    run_end end =
        status == ZW_OK ? write_rows_at(r, times, sim, watch) : note_run_failure(r, status);
    bool written = end == RUN_DONE || end == RUN_FAILED;
    if (r->result && zw_result_close(r->result) != ZW_OK) written = false;
    r->result = NULL;
    if (end == RUN_NOT_WRITTEN && keeper->part.error != 0) (void)part_refuse(&keeper->part, log);
    if (written && !run_keeper_finish(keeper)) end = RUN_NOT_WRITTEN;
    return end;
}

/* Signals are caught from before the first row until the file has its name. */
run_end run_rows_write(run_rows *r, const run_options *o, const run_times *times, zw_sim *sim,
                       run_watch *watch, message_log *log)
{
    if (!r->keeper && !output_open(&r->out, o->common.output ? o->common.output : "-", log))
        return RUN_NOT_WRITTEN;
    run_watch_start(watch, times, o->seconds, r->keeper ? o->pause : 0,
                    o->common.quiet || log->form == ZW_JSON);
    run_end end = r->keeper ? write_to_part(r, o, times, sim, watch, log)
                            : write_to_output(r, o, times, sim, watch, log);
    run_watch_end(watch);
    return end;
}
