/*
 * Largest, smallest, mean and integral of columns along a run, between its steps too.
 *
 * A step is looked at piece by piece; the first piece is all of it. Its columns are evaluated at the
 * nine points of Chebyshev and Lobatto, from the dense output, on the constraints. The rules of
 * Clenshaw and Curtis of eight and of four intervals must agree to 1e-7 of the piece's length times
 * the column's size there; then the one of eight is right to about the square of that. Else the
 * piece is halved, as often as ten times: what jumps or has a kink inside a step is then off by a
 * thousandth of a step only.
 *
 *     integral   sum of w_j f(t_j), over all pieces
 *     largest    of all points; where a point is not below its neighbours, or the polynomial through
 *                the nine rises at an end of the piece, f itself is searched between the neighbours
 *                (golden section and parabolas) until t is known to 1e-8 of the piece
 *
 * Where the state jumps (events, impacts) steps end, and both sides count. Pieces follow from the
 * steps alone, so the numbers do not depend on who asks for what else.
 */
#include <math.h>
#include <string.h>

#include "members.h"

enum { intervals = zr_along_nodes - 1, most_halvings = 10, most_looks = 60 };
static const double agreement = 1e-7;
static const double search_to = 1e-8;

/* cos(j pi / 8) */
static const double cosine[zr_along_nodes] = {
    1.0, 0.92387953251128675613,  0.70710678118654752440,  0.38268343236508977173,
    0.0, -0.38268343236508977173, -0.70710678118654752440, -0.92387953251128675613,
    -1.0};

/* Weights of Clenshaw and Curtis on [-1, 1] with so many intervals (even):
 *     w_j = c_j / n (1 - sum over k = 1..n/2 of b_k / (4 k^2 - 1) cos(2 pi j k / n))
 *
 * with c_j = 1 at the ends and 2 inside, b_k = 1 for k = n/2 and 2 before. */
static double weight_of_node(int32_t n, int32_t j)
{
    double sum = 1.0;
    for (int32_t k = 1; k <= n / 2; k++) {
        double b = 2 * k == n ? 1.0 : 2.0;
        int32_t turn = 2 * j * k * (intervals / n) % (2 * intervals); /* eighths of pi */
        double c = turn <= intervals ? cosine[turn] : cosine[2 * intervals - turn];
        sum -= b / (4.0 * k * k - 1.0) * c;
    }
    return (j == 0 || j == n ? 1.0 : 2.0) / n * sum;
}

/* ------------------------------------------------------------------------- opening */

static void note_wanted(zr_along *a)
{
    for (int32_t k = 0; k < a->keep->list.count; k++) {
        const zr_kept *kept = &a->keep->list.data[k];
        if (kept->kind == ZR_KEEP_LARGEST) a->wanted_high[kept->column] = true;
        if (kept->kind == ZR_KEEP_SMALLEST) a->wanted_low[kept->column] = true;
        if (kept->kind == ZR_KEEP_MEAN || kept->kind == ZR_KEEP_INTEGRAL)
            a->wanted_sum[kept->column] = true;
    }
}

static void find_weights(zr_along *a)
{
    for (int32_t j = 0; j <= intervals; j++) {
        a->fine[j] = weight_of_node(intervals, j);
        a->coarse[j] = j % 2 == 0 ? weight_of_node(intervals / 2, j / 2) : 0.0;
    }
}

/* The memory of all. */
zw_status zr_along_open(zr_along *a, zw_sim *sim, const zr_keep *keep, zb_arena *arena)
{
    size_t width = (size_t)keep->groups[ZR_GROUP_ALONG].count;
    *a = (zr_along){.sim = sim, .keep = keep, .width = (int32_t)width};
    a->node = ZB_NEW_ARRAY(arena, double, zr_along_nodes *width);
    a->row = ZB_NEW_ARRAY(arena, double, width);
    a->low = ZB_NEW_ARRAY(arena, double, width);
    a->high = ZB_NEW_ARRAY(arena, double, width);
    a->sum = ZB_NEW_ARRAY(arena, double, width);
    a->wanted_low = ZB_NEW_ARRAY(arena, bool, width);
    a->wanted_high = ZB_NEW_ARRAY(arena, bool, width);
    a->wanted_sum = ZB_NEW_ARRAY(arena, bool, width);
    if (arena->failure != ZW_OK) return arena->failure;
    note_wanted(a);
    find_weights(a);
    return ZW_OK;
}

/* The start counts, also of a run that goes no further. */
zw_status zr_along_begin(zr_along *a)
{
    size_t bytes = sizeof *a->row * (size_t)a->width;
    a->from = a->sim->t;
    ZB_TRY(zr_keep_row(a->keep, ZR_GROUP_ALONG, a->sim, a->row));
    memcpy(a->low, a->row, bytes);
    memcpy(a->high, a->row, bytes);
    memset(a->sum, 0, bytes);
    return ZW_OK;
}

/* -------------------------------------------------------------------------- searching */

/* A search for the largest value of sign * column between two times. */
typedef struct search {
    zr_along *along;
    int32_t column;
    double sign;
} search;

static zw_status look_at_column(const search *s, double t, double *value)
{
    zr_along *a = s->along;
    ZB_TRY(a->show(a->user, t));
    ZB_TRY(zr_keep_row(a->keep, ZR_GROUP_ALONG, a->sim, a->row));
    *value = s->sign * a->row[s->column];
    return ZW_OK;
}

/* The times and values of the best point, the second and the third best. */
typedef struct search_points {
    double t[3], f[3];
} search_points;

/* Takes a new point into the order. */
static void rank_point(search_points *p, double t, double f)
{
    int k = f >= p->f[0] ? 0 : f >= p->f[1] ? 1 : f >= p->f[2] ? 2 : 3;
    for (int i = 2; i > k; i--) p->t[i] = p->t[i - 1], p->f[i] = p->f[i - 1];
    if (k < 3) p->t[k] = t, p->f[k] = f;
}

/* The top of the parabola through the three points, or, where it lies outside the bracket or too
 * near to a point, the golden section of the larger side. */
static double choose_point(const search_points *p, double low, double high, double least,
                           bool golden)
{
    double a = p->t[1] - p->t[0], b = p->t[2] - p->t[0];
    double fa = p->f[1] - p->f[0], fb = p->f[2] - p->f[0];
    double below = 2.0 * (a * fb - b * fa);
    double t = p->t[0] + (a * a * fb - b * b * fa) / below;
    bool good =
        !golden && isfinite(t) && t > low + least && t < high - least && fabs(t - p->t[0]) > least;
    if (good) return t;
    return high - p->t[0] > p->t[0] - low ? p->t[0] + 0.381966 * (high - p->t[0])
                                          : p->t[0] - 0.381966 * (p->t[0] - low);
}

/* Between low and high, with a point inside (or at an end) whose value is known. */
static zw_status search_largest(const search *s, double low, double high, const double t[3],
                                const double f[3], double *best)
{
    search_points p = {.f = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    double least = search_to * (high - low), width = high - low;
    for (int k = 0; k < 3; k++) rank_point(&p, t[k], f[k]);
    for (int32_t look = 0; look < most_looks && high - low > 4.0 * least; look++) {
        bool golden = look % 3 == 2 && high - low > 0.5 * width;
        if (look % 3 == 2) width = high - low;
        double at = choose_point(&p, low, high, least, golden), value;
        if (!(at > low) || !(at < high)) break;
        ZB_TRY(look_at_column(s, at, &value));
        double old = p.t[0];
        rank_point(&p, at, value);
        if (p.t[0] == at) { /* NOLINT: the new one is the best */
            if (at > old)
                low = fmax(low, old);
            else
                high = fmin(high, old);
        } else if (at > p.t[0])
            high = at;
        else
            low = at;
        if (fabs(at - old) <= 2.0 * least) break;
    }
    *best = fmax(*best, p.f[0]);
    return ZW_OK;
}

/* d/dx at the end x = -1 (or, from there, at +1) of the polynomial through the nine values. */
static double slope_at_end(const double f[zr_along_nodes], bool right)
{
    double slope =
        (right ? 1.0 : -1.0) * (2.0 * intervals * intervals + 1.0) / 6.0 * f[right ? intervals : 0];
    for (int32_t j = 1; j <= intervals; j++) {
        double distance = 1.0 - cosine[j]; /* from the end */
        double term = (j % 2 ? -1.0 : 1.0) * (j == intervals ? 1.0 : 2.0) / distance;
        slope += (right ? -1.0 : 1.0) * -term * f[right ? intervals - j : j];
    }
    return slope;
}

/* The largest of sign * column in a piece, whose values at the nodes are f. */
static zw_status find_largest_in_piece(const search *s, const double t[zr_along_nodes],
                                       const double f[zr_along_nodes], double *best)
{
    for (int32_t j = 0; j <= intervals; j++) *best = fmax(*best, f[j]);
    for (int32_t j = 0; j <= intervals; j++) {
        int32_t left = j > 0 ? j - 1 : 0, right = j < intervals ? j + 1 : intervals;
        if (!(f[j] >= f[left]) || !(f[j] >= f[right])) continue;
        if (j == 0 && !(slope_at_end(f, false) > 0.0)) continue;
        if (j == intervals && !(slope_at_end(f, true) < 0.0)) continue;
        double lower = fmin(f[left], f[right]);
        if (f[j] + (f[j] - lower) < *best || f[j] == lower) continue; /* NOLINT: it is level */
        int32_t third = j == 0 ? 2 : j == intervals ? intervals - 2 : right;
        double at[3] = {t[j], t[j == 0 ? 1 : left], t[third]};
        double value[3] = {f[j], f[j == 0 ? 1 : left], f[third]};
        ZB_TRY(search_largest(s, t[left], t[right], at, value, best));
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------------- pieces */

void zr_along_times(double from, double to, double t[zr_along_nodes])
{
    for (int32_t j = 0; j <= intervals; j++)
        t[j] = 0.5 * (from + to) - 0.5 * (to - from) * cosine[j];
    t[0] = from;
    t[intervals] = to;
}

/* Times of the nodes, and all columns there into along->node. */
static zw_status look_at_piece(zr_along *a, double from, double to, double t[zr_along_nodes])
{
    zr_along_times(from, to, t);
    for (int32_t j = 0; j <= intervals; j++) {
        ZB_TRY(a->show(a->user, t[j]));
        ZB_TRY(zr_keep_row(a->keep, ZR_GROUP_ALONG, a->sim, a->node + j * a->width));
    }
    return ZW_OK;
}

static void copy_nodes(const zr_along *a, int32_t column, double sign, double f[zr_along_nodes])
{
    for (int32_t j = 0; j <= intervals; j++) f[j] = sign * a->node[j * a->width + column];
}

/* Both rules agree on a column; *fine: that of eight intervals, for a length of 2. */
static bool do_rules_agree(const zr_along *a, const double f[zr_along_nodes], double *fine)
{
    double coarse = 0.0, size = 0.0;
    *fine = 0.0;
    for (int32_t j = 0; j <= intervals; j++) {
        *fine += a->fine[j] * f[j];
        if (j % 2 == 0) coarse += a->coarse[j] * f[j];
        size = fmax(size, fabs(f[j]));
    }
    return !(fabs(*fine - coarse) > agreement * 2.0 * size);
}

static bool is_piece_resolved(const zr_along *a)
{
    double f[zr_along_nodes], fine;
    for (int32_t k = 0; k < a->width; k++) {
        if (!a->wanted_low[k] && !a->wanted_high[k] && !a->wanted_sum[k]) continue;
        copy_nodes(a, k, 1.0, f);
        if (!do_rules_agree(a, f, &fine)) return false;
    }
    return true;
}

static zw_status take_piece(zr_along *a, const double t[zr_along_nodes])
{
    double f[zr_along_nodes], fine;
    for (int32_t k = 0; k < a->width; k++) {
        search s = {a, k, 1.0};
        copy_nodes(a, k, 1.0, f);
        (void)do_rules_agree(a, f, &fine);
        a->sum[k] += 0.5 * (t[intervals] - t[0]) * fine;
        if (a->wanted_high[k]) ZB_TRY(find_largest_in_piece(&s, t, f, &a->high[k]));
        if (!a->wanted_low[k]) continue;
        double best = -a->low[k];
        s.sign = -1.0;
        copy_nodes(a, k, -1.0, f);
        ZB_TRY(find_largest_in_piece(&s, t, f, &best));
        a->low[k] = -best;
    }
    return ZW_OK;
}

/* From left to right; the pieces that wait are the right halves. */
zw_status zr_along_take(zr_along *a, double from, double to)
{
    double end[most_halvings + 1], t[zr_along_nodes];
    int32_t waiting = 1;
    end[0] = to;
    if (!(to > from)) return ZW_OK;
    while (waiting > 0) {
        double stop = end[waiting - 1], middle = 0.5 * (from + stop);
        ZB_TRY(look_at_piece(a, from, stop, t));
        bool last = waiting > most_halvings || !(middle > from) || !(middle < stop);
        if (!last && !is_piece_resolved(a)) {
            end[waiting++] = middle;
            continue;
        }
        ZB_TRY(take_piece(a, t));
        from = stop;
        waiting--;
    }
    return ZW_OK;
}

double zr_along_value(const zr_along *a, const zr_kept *kept, double t)
{
    int32_t k = kept->column;
    switch (kept->kind) {
    case ZR_KEEP_LARGEST:
        return a->high[k];
    case ZR_KEEP_SMALLEST:
        return a->low[k];
    case ZR_KEEP_INTEGRAL:
        return a->sum[k];
    default: /* the mean of a moment is the value there */
        return t > a->from ? a->sum[k] / (t - a->from) : a->high[k];
    }
}
