/*
 * How gaps go over the samples of a step, each from one to the next. Most of them are far from 0 or
 * go one way; of a step in which all do nothing else is to be asked, and that is found for many
 * gaps side by side:
 *
 *     quiet     one sign at all samples, and no minimum of |gap| that may reach 0 between them
 *     crowded   slopes or reversals that tell of more changes than the samples show
 */
#include <math.h>

#include "locator.h"

/* -------------------------------------------------------------------- visits */

/* |gap k| at sample i on the side of the sign s; negative, or NaN, where it is not on it. */
static double gap_height(const zi_locator *l, int32_t k, int32_t i, int s)
{
    return s * l->sample[i].gap[k];
}

/* How far below x[1] the parabola through three heights, x[1] the least, goes. */
static double parabola_drop(const double t[3], const double x[3])
{
    double d = t[1] - t[0], e = t[2] - t[1], p = (x[1] - x[0]) / d, q = (x[2] - x[1]) / e;
    double slope = (p * e + q * d) / (d + e), bend = (q - p) / (d + e);
    return 0.25 * slope * slope / bend;
}

bool zi_may_visit(const zi_locator *l, int32_t k, int32_t j, int32_t *from)
{
    int before = zi_sign_of_gap(l->sample[j - 1].gap[k]),
        s = before ? before : zi_sign_of_gap(l->sample[j].gap[k]);
    if (s == 0 || s == 2) return false;
    int32_t i = gap_height(l, k, j - 1, s) <= gap_height(l, k, j, s) ? j - 2 : j - 1;
    if (i < 0 || i + 2 > INTERVALS) return false;
    double t[] = {l->sample[i].t, l->sample[i + 1].t, l->sample[i + 2].t};
    double x[] = {gap_height(l, k, i, s), gap_height(l, k, i + 1, s), gap_height(l, k, i + 2, s)};
    *from = i;
    if (!(x[1] >= 0.0 && x[0] >= x[1] && x[2] >= x[1])) return false;
    return 2.0 * x[1] <= fmax(x[0], x[2]) || x[1] <= 8.0 * parabola_drop(t, x);
}

/* ---------------------------------------------------------------- courses of gaps */

/* All gaps go from x to y, after what was known of them. Numbers are compared as the processor does
 * it, many side by side. */
static void follow_gaps_to(const zi_locator *l, const double *restrict x, const double *restrict y)
{
    double *restrict low = l->of.low, *restrict high = l->of.high;
    double *restrict fall = l->of.fall, *restrict rise = l->of.rise, *restrict sum = l->of.sum;
    for (int32_t k = 0, count = l->gaps; k < count; k++) {
        double gap = y[k], way = gap - x[k];
        low[k] = gap < low[k] ? gap : low[k];
        high[k] = gap > high[k] ? gap : high[k];
        fall[k] = way < fall[k] ? way : fall[k];
        rise[k] = way > rise[k] ? way : rise[k];
        sum[k] += gap;
    }
}

/* The range of gap k over the samples; 0 where that is hardly more than rounding, or where the gap is
 * far from 0 for it. */
static double range_of_gap(const zi_course *of, int32_t k)
{
    double low = of->low[k], high = of->high[k];
    double range = high - low, away = low > -high ? low : -high;
    double size = high > -low ? high : -low;
    return range > 1e-9 * size && away < 4.0 * range ? range : 0.0;
}

void zi_follow_gaps(const zi_locator *l)
{
    zi_course of = l->of;
    for (int32_t k = 0; k < l->gaps; k++) {
        double gap = l->sample[0].gap[k];
        of.low[k] = gap < HUGE_VAL ? gap : HUGE_VAL;
        of.high[k] = gap > -HUGE_VAL ? gap : -HUGE_VAL;
        of.fall[k] = HUGE_VAL;
        of.rise[k] = -HUGE_VAL;
        of.sum[k] = gap;
    }
    for (int32_t i = 1; i <= INTERVALS; i++)
        follow_gaps_to(l, l->sample[i - 1].gap, l->sample[i].gap);
    for (int32_t k = 0; k < l->gaps; k++) of.range[k] = range_of_gap(&of, k);
}

/* Whether gap k goes one way from sample to sample, or stays: it turns back nowhere. */
static bool goes_one_way(const zi_course *of, int32_t k)
{
    double fall = of->fall[k], rise = of->rise[k];
    return of->sum[k] - of->sum[k] == 0.0 &&
           (fall > 0.0 || rise < 0.0 || (fall == 0.0 && rise == 0.0));
}

/* Whether gap k has one sign at all samples, and no interval asks for a visit to 0. A parabola goes
 * below the least of three even samples by no more than an eighth of the way to the others: where no
 * gap is twice another that asks for nothing. It is some 250 times as much where samples stand close
 * to the ends of the step, around the second and the last but one: those are asked. */
static bool is_gap_quiet(const zi_locator *l, int32_t k)
{
    double low = l->of.low[k], high = l->of.high[k];
    double nearest = low > 0.0 ? low : -high, farthest = low > 0.0 ? high : -low;
    int32_t from;
    if (!(nearest > 0.0)) return low == 0.0 && high == 0.0; /* one that is always 0 has no side */
    if (goes_one_way(&l->of, k) || 2100.0 * (farthest - nearest) < nearest) return true;
    bool even = farthest < 1.99 * nearest;
    for (int32_t j = even ? 2 : 1; j <= INTERVALS; j += even ? INTERVALS - 2 : 1)
        if (zi_may_visit(l, k, j, &from)) return false;
    return true;
}

bool zi_is_quiet(const zi_locator *l)
{
    for (int32_t i = 0; i <= INTERVALS; i++)
        for (int32_t e = 0; e < l->watch->count; e++)
            if (l->sample[i].truth[e] != l->left.truth[e]) return false;
    for (int32_t k = 0; k < l->gaps; k++)
        if (!is_gap_quiet(l, k)) return false;
    return true;
}

/* ------------------------------------------------------------------- crowded steps */

/* A slope that would carry a gap through its whole range more often than this in the step tells of
 * changes between the samples. */
static const double crowded_turns = 8.0;
enum { most_reversals = 4 }; /* of a gap, from sample to sample, that leave no doubt */

void zi_compare_slope(const zi_locator *l, const zi_point *x, const zi_point *y, double *part)
{
    double width = l->s->t - l->from, between = y->t - x->t;
    const double *ranges = l->of.range;
    if (!(between > 64.0 * l->ulp)) return;
    for (int32_t k = 0; k < l->gaps; k++) {
        double way = fabs(y->gap[k] - x->gap[k]) / between * width, range = ranges[k];
        if (!(way > crowded_turns * range) || !(range > 0.0)) continue;
        double now = 0.5 * crowded_turns * range / way;
        if (*part == 0.0 || now < *part) *part = now;
    }
}

/* How often gap k turns back from sample to sample, by more than a thousandth of its range. */
static int32_t count_reversals(const zi_locator *l, int32_t k, double range)
{
    int32_t count = 0;
    double last = l->sample[0].gap[k], way = 0.0;
    for (int32_t i = 2; i <= INTERVALS; i++) {
        double now = l->sample[i].gap[k] - last;
        if (i == INTERVALS - 1 || !(fabs(now) > 1e-3 * range)) continue;
        if (way * now < 0.0) count++;
        way = now;
        last = l->sample[i].gap[k];
    }
    return count;
}

void zi_mind_reversals(const zi_locator *l, double *part)
{
    for (int32_t k = 0; k < l->gaps && *part == 0.0; k++) {
        double range = l->of.range[k];
        if (!(range > 0.0) || goes_one_way(&l->of, k)) continue;
        if (count_reversals(l, k, range) > most_reversals) *part = zi_largest_part;
    }
}

bool zi_is_any_gap_near(const zi_locator *l)
{
    for (int32_t k = 0; k < l->gaps; k++)
        if (l->of.range[k] > 0.0) return true;
    return false;
}
