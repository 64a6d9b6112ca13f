/*
 * Finding the times of the rows of a run: those of --at; or every DT from the start on; or, when
 * nothing is said, the ends of 500 equal intervals.
 *
 * Times of a grid are computed one by one, start + k p / r, so that errors do not add up. Where DT
 * is a decimal number, p / r is that fraction (0.3 = 3/10): the ninth of ten times a second is then
 * 0.9, the number one would write, and rows that two runs have in common agree to the bit.
 */
#include <float.h>
#include <math.h>

#include "run_command.h"

enum { INTERVALS = 500 };
static const double most_rows = 9e15; /* whole numbers up to there are exact */

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

/* interval = numerator / denominator with whole numbers, when it is a decimal number; otherwise it
 * stands over 1. */
static void find_fraction(run_times *times, double interval)
{
    times->numerator = interval;
    times->denominator = 1;
    double power = 1;
    for (int digits = 0; digits <= 15; digits++, power *= 10) {
        double whole = round(interval * power);
        if (whole < 1 || whole > 1e15 || whole / power != interval) continue;
        times->numerator = whole;
        times->denominator = power;
        return;
    }
}

/* Multiples of `every` after the start. False after a report: there are too many. */
static bool use_time_grid(const run_options *o, double every, run_times *times, message_log *log)
{
    double length = times->end - times->start;
    double size = fmax(fabs(times->start), fabs(times->end));
    find_fraction(times, every);
    /* the end counts when it is a multiple but for rounding */
    double count = floor((length + 4 * DBL_EPSILON * size) / every) + 1;
    if (count < most_rows) {
        times->count = (int64_t)count;
        return true;
    }
    return options_refuse_value(log, "--every", o->every ? o->every : "every",
                                "these would be too many rows to count");
}

/* A time that is the end but for rounding is the end itself. */
double run_times_at(const run_times *times, int64_t k)
{
    if (times->list) return times->list[k];
    double t = times->start + (double)k * times->numerator / times->denominator;
    double size = fmax(fabs(times->start), fabs(times->end));
    return t > times->end - 4 * DBL_EPSILON * size ? times->end : t;
}

/* The end first, since the times must not lie behind it. */
bool run_times_find(const run_options *o, double start, zw_run_settings *s, run_times *times,
                    message_log *log)
{
    if (!find_end_time(o, start, s, log)) return false;
    *times = (run_times){.start = start, .end = s->until};
    if (o->at) return use_listed_times(o, times, log);
    if (!isnan(s->every)) return use_time_grid(o, s->every, times, log);
    times->numerator = s->until - start;
    times->denominator = INTERVALS;
    times->count = s->until > start ? INTERVALS + 1 : 1;
    return true;
}
