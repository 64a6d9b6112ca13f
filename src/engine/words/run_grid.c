/*
 * The times of the rows of a run: every DT from the start on, or, when nothing is said, the ends of 500
 * equal intervals.
 *
 * They are computed one by one, start + k p / r, so that errors do not add up. Where DT is a decimal
 * number, p / r is that fraction (0.3 = 3/10): the ninth of ten times a second is then 0.9, the number
 * one would write, and rows that two runs have in common agree to the bit.
 */
#include <float.h>
#include <math.h>

#include "engine.h"

enum { INTERVALS = 500 };
static const double most_rows = 9e15; /* whole numbers up to there are exact */

/* interval = numerator / denominator with whole numbers, when it is a decimal number; otherwise it
 * stands over 1. */
static void find_fraction(zw_run_grid *grid, double interval)
{
    grid->numerator = interval;
    grid->denominator = 1;
    double power = 1;
    for (int digits = 0; digits <= 15; digits++, power *= 10) {
        double whole = round(interval * power);
        if (whole < 1 || whole > 1e15 || whole / power != interval) continue;
        grid->numerator = whole;
        grid->denominator = power;
        return;
    }
}

/* The end counts when it is a multiple but for rounding. */
zw_status zr_run_grid_find(const zw_run_settings *settings, zw_run_grid *grid)
{
    double start = settings->from, end = settings->until, every = settings->every;
    if (!(isfinite(start) && isfinite(end) && end >= start)) return ZW_ERR_ARGUMENT;
    zw_run_grid g = {.start = start, .end = end};
    if (isnan(every)) {
        g.numerator = end - start;
        g.denominator = INTERVALS;
        g.count = end > start ? INTERVALS + 1 : 1;
    } else {
        if (!(every > 0)) return ZW_ERR_ARGUMENT;
        double size = fmax(fabs(start), fabs(end));
        double count = floor((end - start + 4 * DBL_EPSILON * size) / every) + 1;
        if (!(count < most_rows)) return ZW_ERR_ARGUMENT;
        find_fraction(&g, every);
        g.count = (int64_t)count;
    }
    *grid = g;
    return ZW_OK;
}

/* A time that is the end but for rounding is the end itself. */
double zr_run_grid_time(const zw_run_grid *grid, int64_t k)
{
    double t = grid->start + (double)k * grid->numerator / grid->denominator;
    double size = fmax(fabs(grid->start), fabs(grid->end));
    return t > grid->end - 4 * DBL_EPSILON * size ? grid->end : t;
}
