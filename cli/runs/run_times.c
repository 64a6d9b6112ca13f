/*
 * Finding the times of the rows of a run: those of --at, or the grid of the library
 * (zw_run_grid_find): every DT from the start on, else 500 equal intervals.
 */
#include <math.h>

#include "run_command.h"

/* --------------------------------------------------------------------------- the end */

/* Always false. */
static bool refuse_no_end(message_log *log)
{
    zw_diagnostic place = {.file = "zwang",
                           .help = "say it by --until T, or in the model: simulate t = 0..10"};
    message_report(log, MSG_NO_END, &place, "there is no end time");
    return false;
}

/* Fills in settings->until, from the last time of --at if nothing else says it. False after a
 * report: there is no end, or it lies before the start. */
static bool find_end_time(const run_options *o, double start, zw_run_settings *s, message_log *log)
{
    char help[100];
    if (isnan(s->until) && o->time_count > 0) s->until = o->times[o->time_count - 1];
    if (isnan(s->until)) return refuse_no_end(log);
    (void)snprintf(help, sizeof help, "the run starts at t = %.15g", start);
    if (s->until >= start) return true;
    if (o->until) return options_refuse_value(log, "--until", o->until, help);
    if (o->at) return options_refuse_value(log, "--at", o->at, help);
    return refuse_no_end(log);
}

/* -------------------------------------------------------------------------- the times */

/* The times of --at, which must lie within the run. False after a report. */
static bool use_listed_times(const run_options *o, run_times *times, message_log *log)
{
    char help[200];
    *times = (run_times){.start = times->start, .end = times->end};
    times->list = o->times;
    times->count = o->time_count;
    if (o->times[0] >= times->start && o->times[o->time_count - 1] <= times->end) return true;
    (void)snprintf(help, sizeof help, "the run goes from t = %.15g to t = %.15g%s", times->start,
                   times->end, o->times[0] >= times->start ? "; --until gives another end" : "");
    return options_refuse_value(log, "--at", o->at, help);
}

/* A time of the grid, or of the list. */
double run_times_at(const run_times *times, int64_t k)
{
    return times->list ? times->list[k] : zw_run_grid_time(&times->grid, k);
}

/* The end first, since the times must not lie behind it. */
bool run_times_find(const run_options *o, double start, zw_run_settings *s, run_times *times,
                    message_log *log)
{
    if (!find_end_time(o, start, s, log)) return false;
    *times = (run_times){.start = start, .end = s->until};
    if (o->at) return use_listed_times(o, times, log);
    zw_run_settings of_rows = *s;
    of_rows.from = start;
    if (zw_run_grid_find(&of_rows, &times->grid) != ZW_OK)
        return options_refuse_value(log, "--every", o->every ? o->every : "every",
                                    "these would be too many rows to count");
    times->count = times->grid.count;
    return true;
}
