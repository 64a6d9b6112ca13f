/*
 * Moments at which a condition of t alone changes, known before any step: the gap is bounded over
 * whole intervals of time by interval arithmetic, so that nothing between two looks is missed.
 *
 *     all on its side       nothing changes in the interval
 *     all on the other      the change lies where the interval begins
 *     not known             both halves, the earlier one first
 *
 * down to intervals that are rounding of the time, or, where bounds stay wide (a gap that only
 * touches 0), to a small part of the way.
 */
#include "moments.h"

#include <float.h>
#include <math.h>

static const zr_bounds everything = {-HUGE_VAL, HUGE_VAL};

/* ------------------------------------------------------------------ arithmetic */

/* Rounding makes bounds wider, but not exact zeros. */
static zr_bounds widen(double low, double high)
{
    if (!(low <= high)) return everything; /* NaN */
    return (zr_bounds){low - 4.0 * DBL_EPSILON * fabs(low), high + 4.0 * DBL_EPSILON * fabs(high)};
}

static double least_of(const double x[4])
{
    return fmin(fmin(x[0], x[1]), fmin(x[2], x[3]));
}

static double largest_of(const double x[4])
{
    return fmax(fmax(x[0], x[1]), fmax(x[2], x[3]));
}

static zr_bounds multiply_bounds(zr_bounds a, zr_bounds b)
{
    double x[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    for (int i = 0; i < 4; i++)
        if (isnan(x[i])) return everything;
    return widen(least_of(x), largest_of(x));
}

static zr_bounds divide_bounds(zr_bounds a, zr_bounds b)
{
    if (!(b.low > 0.0 || b.high < 0.0)) return everything;
    return multiply_bounds(a, (zr_bounds){1.0 / b.high, 1.0 / b.low});
}

/* Of a function that grows, or falls, all the way. */
static zr_bounds monotone(zx_op op, zr_bounds a)
{
    double x = zx_apply(op, a.low, 0.0, 0.0), y = zx_apply(op, a.high, 0.0, 0.0);
    if (isnan(x) || isnan(y)) return everything;
    return widen(fmin(x, y), fmax(x, y));
}

static zr_bounds power_bounds(zr_bounds a, int32_t exponent)
{
    double x = zx_power_of(a.low, exponent), y = zx_power_of(a.high, exponent);
    bool around = a.low <= 0.0 && a.high >= 0.0;
    if (exponent < 0 && around) return everything;
    if (exponent % 2 == 0 && around) return widen(0.0, fmax(x, y));
    return widen(fmin(x, y), fmax(x, y));
}

/* Of sin, whose largest values are at `top` + 2 pi k, and of cos. */
static zr_bounds wave_bounds(zx_op op, zr_bounds a, double top)
{
    const double pi = 3.14159265358979323846, turn = 2.0 * pi;
    double x = zx_apply(op, a.low, 0.0, 0.0), y = zx_apply(op, a.high, 0.0, 0.0);
    double low = fmin(x, y), high = fmax(x, y), slack = 1e-9;
    if (!(a.high - a.low < turn) || !(fabs(a.low) < 1e6 * turn)) return (zr_bounds){-1.0, 1.0};
    double first = (a.low - top - slack) / turn, last = (a.high - top + slack) / turn;
    if (floor(last) > floor(first)) high = 1.0;
    if (floor(last - 0.5) > floor(first - 0.5)) low = -1.0;
    return widen(low, high);
}

/* Only between two of its poles. */
static zr_bounds tangent_bounds(zr_bounds a)
{
    const double pi = 3.14159265358979323846;
    double first = a.low / pi + 0.5, last = a.high / pi + 0.5;
    if (floor(first) != floor(last) || !(fabs(a.low) < 1e6)) return everything;
    return monotone(ZX_TAN, a);
}

static zr_bounds absolute_bounds(zr_bounds a)
{
    if (a.low >= 0.0) return a;
    if (a.high <= 0.0) return (zr_bounds){-a.high, -a.low};
    return (zr_bounds){0.0, fmax(-a.low, a.high)};
}

/* Of what is 1 or 0: surely one, surely the other, or not known. */
static zr_bounds truth_bounds(bool surely, bool surely_not)
{
    return (zr_bounds){surely ? 1.0 : 0.0, surely_not ? 0.0 : 1.0};
}

static bool is_surely(zr_bounds c)
{
    return c.low > 0.0 || c.high < 0.0;
}

static bool is_surely_not(zr_bounds c)
{
    return c.low == 0.0 && c.high == 0.0;
}

/* ------------------------------------------------------------------ operations */

static zr_bounds bound_unary(zx_op op, const zx_item *item, zr_bounds a)
{
    const double pi = 3.14159265358979323846;
    switch (op) {
    case ZX_NEG:
        return (zr_bounds){-a.high, -a.low};
    case ZX_POWI:
        return power_bounds(a, item->b);
    case ZX_SIN:
        return wave_bounds(ZX_SIN, a, 0.5 * pi);
    case ZX_COS:
        return wave_bounds(ZX_COS, a, 0.0);
    case ZX_TAN:
        return tangent_bounds(a);
    case ZX_COSH:
        return monotone(ZX_COSH, absolute_bounds(a));
    case ZX_ABS:
        return absolute_bounds(a);
    case ZX_NOT:
        return truth_bounds(is_surely_not(a), is_surely(a));
    default: /* the others grow or fall all the way */
        return monotone(op, a);
    }
}

static zr_bounds bound_comparison(zx_op op, zr_bounds a, zr_bounds b)
{
    bool apart = a.high < b.low || a.low > b.high;
    bool equal = a.low == a.high && b.low == b.high && a.low == b.low;
    switch (op) {
    case ZX_LT:
        return truth_bounds(a.high < b.low, a.low >= b.high);
    case ZX_LE:
        return truth_bounds(a.high <= b.low, a.low > b.high);
    case ZX_EQ:
        return truth_bounds(equal, apart);
    default:
        return truth_bounds(apart, equal);
    }
}

static zr_bounds bound_binary(zx_op op, zr_bounds a, zr_bounds b)
{
    switch (op) {
    case ZX_ADD:
        return widen(a.low + b.low, a.high + b.high);
    case ZX_SUB:
        return widen(a.low - b.high, a.high - b.low);
    case ZX_MUL:
        return multiply_bounds(a, b);
    case ZX_DIV:
        return divide_bounds(a, b);
    case ZX_POW:
        if (!(a.low > 0.0)) return everything;
        return monotone(ZX_EXP, multiply_bounds(monotone(ZX_LOG, a), b));
    case ZX_HYPOT:
        a = absolute_bounds(a);
        b = absolute_bounds(b);
        return widen(hypot(a.low, b.low), hypot(a.high, b.high));
    case ZX_MIN:
        return (zr_bounds){fmin(a.low, b.low), fmin(a.high, b.high)};
    case ZX_MAX:
        return (zr_bounds){fmax(a.low, b.low), fmax(a.high, b.high)};
    case ZX_AND:
        return truth_bounds(is_surely(a) && is_surely(b), is_surely_not(a) || is_surely_not(b));
    case ZX_OR:
        return truth_bounds(is_surely(a) || is_surely(b), is_surely_not(a) && is_surely_not(b));
    case ZX_ATAN2:
        return b.low > 0.0 ? monotone(ZX_ATAN, divide_bounds(a, b)) : widen(-3.2, 3.2);
    default:
        return bound_comparison(op, a, b);
    }
}

static zr_bounds bound_choice(zr_bounds c, zr_bounds yes, zr_bounds no)
{
    if (is_surely(c)) return yes;
    if (is_surely_not(c)) return no;
    return (zr_bounds){fmin(yes.low, no.low), fmax(yes.high, no.high)};
}

/* Bounds of the gap over the times t. At one time they are the gap itself: every operation is the
 * one that programs do. */
static zr_bounds bound_gap(const zr_moment_search *s, zr_bounds t)
{
    zr_bounds *x = s->scratch;
    for (int32_t i = 0; i < s->clock->count; i++) {
        const zx_item *item = &s->clock->items[i];
        zx_op op = (zx_op)item->op;
        int operands = op == ZX_POWI ? 1 : zx_operands(op);
        if (op == ZX_TIME) {
            x[i] = t;
        } else if (operands == 0) {
            double value = op == ZX_VALUE ? s->values[item->a] : zx_number_of(item);
            x[i] = (zr_bounds){value, value};
        } else if (t.low == t.high) {
            double b = operands > 1 ? x[item->b].low : 0.0, c = operands > 2 ? x[item->c].low : 0.0;
            double value = op == ZX_POWI ? zx_power_of(x[item->a].low, item->b)
                                         : zx_apply(op, x[item->a].low, b, c);
            x[i] = (zr_bounds){value, value};
        } else if (operands == 1) {
            x[i] = bound_unary(op, item, x[item->a]);
        } else if (operands == 2) {
            x[i] = bound_binary(op, x[item->a], x[item->b]);
        } else {
            x[i] = bound_choice(x[item->a], x[item->b], x[item->c]);
        }
    }
    return x[s->clock->count - 1];
}

/* ---------------------------------------------------------------------- moments */

double zr_clock_at(const zr_moment_search *s, double t)
{
    return bound_gap(s, (zr_bounds){t, t}).low;
}

/* A gap of exactly 0 is on either side; one that is not a number has none. */
static bool is_on_side(const zr_moment_search *s, double gap)
{
    if (isnan(gap)) return true;
    return s->is_floor ? gap >= s->side && gap < s->side + 1.0 : s->side * gap >= 0.0;
}

/* A little later and later still, as long as the gap is 0. */
double zr_side_after(const zr_moment_search *s, double t)
{
    double unit = fmax(DBL_EPSILON * fabs(t), 1e-18);
    for (int k = 0; k < 24; k++) {
        double gap = zr_clock_at(s, t + ldexp(unit, k));
        if (s->is_floor) return floor(gap);
        if (gap > 0.0 || gap < 0.0) return gap > 0.0 ? 1.0 : -1.0;
    }
    return zr_live_slot;
}

/* All times of the interval are on the side; or none, below. */
static bool stays(const zr_moment_search *s, zr_bounds gap)
{
    if (s->is_floor) return gap.low >= s->side && gap.high < s->side + 1.0;
    return s->side > 0.0 ? gap.low >= 0.0 : gap.high <= 0.0;
}

static bool is_gone(const zr_moment_search *s, zr_bounds gap)
{
    if (s->is_floor) return gap.high < s->side || gap.low >= s->side + 1.0;
    return s->side > 0.0 ? gap.high < 0.0 : gap.low > 0.0;
}

/* The last time on the side, between one that is and one that is not. */
static double narrow_moment(const zr_moment_search *s, double on, double off)
{
    for (;;) {
        double middle = on + 0.5 * (off - on);
        if (!(middle > on && middle < off)) return on;
        if (is_on_side(s, zr_clock_at(s, middle)))
            on = middle;
        else
            off = middle;
    }
}

enum { deepest = 64, leaves_before_coarser = 512 };

/* The halves that wait are a stack, the earliest on top: each begins where the one below it ends,
 * so their ends are enough. */
double zr_next_moment(const zr_moment_search *s, double from, double to)
{
    double end[deepest + 1], at = from, way = to - from;
    double least = fmax(1e-13 * way, 4.0 * DBL_EPSILON * fmax(fabs(from), fabs(to)));
    int depth = 0, leaves = 0;
    if (!(way > 0.0) || s->side == zr_live_slot) return HUGE_VAL;
    end[depth++] = to;
    while (depth > 0) {
        double until = end[depth - 1];
        zr_bounds gap = bound_gap(s, (zr_bounds){at, until});
        if (!stays(s, gap) && !is_gone(s, gap) && until - at > least && depth < deepest) {
            end[depth++] = at + 0.5 * (until - at);
            continue;
        }
        if (!stays(s, gap) && !is_on_side(s, zr_clock_at(s, until)))
            return narrow_moment(s, at, until);
        if (!stays(s, gap) && ++leaves % leaves_before_coarser == 0) least *= 2.0;
        at = until;
        depth--;
    }
    return HUGE_VAL;
}
