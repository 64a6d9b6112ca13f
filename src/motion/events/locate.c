/*
 * Location of events: the first time in a step at which a condition turns true. The *truth* of a
 * condition is 1 or 0; a *gap* is a function whose change of sign may change a condition. What is
 * known at a time is a *point*: every gap and every truth there. Two points are alike when all
 * truths agree and no gap has another sign.
 *
 *     samples   a few points spread over the step
 *     visits    points between two samples at which a gap has the other sign for a short while:
 *               where |gap| has a minimum towards 0, by Brent's minimisation
 *     changes   between two neighbours that are not alike the first change is narrowed down to
 *               adjacent times by Chandrupatla's root finder on the gap that seems to change
 *               first, or by bisection; then from there to the next change
 *
 * The first change in which a condition turns true is what is sought. An equality turns true where
 * its gap changes sign, not where it jumps from one sign to the other. A gap that is not a number
 * has no sign and is like every other.
 *
 * R. P. Brent, Algorithms for Minimization without Derivatives, 1973. T. R. Chandrupatla, A new
 * hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function without using
 * derivatives, Adv. Eng. Software 28 (1997) 145-149.
 */
#include <float.h>
#include <math.h>

#include "locator.h"

static const double GOLDEN = 0.3819660112501051;

/* Where the samples are; those close to the ends show which way a gap goes there. */
static const double fractions[INTERVALS + 1] = {0.0, 1e-4, 0.1, 0.2, 0.3,        0.4, 0.5,
                                                0.6, 0.7,  0.8, 0.9, 1.0 - 1e-4, 1.0};

/* Every point holds all gaps and truths; behind the points stand the courses, band, release and one
 * state. */
size_t zi_locator_size(const zi_watch *watch, int32_t size)
{
    size_t each = (size_t)watch->gaps + (size_t)watch->count;
    size_t points = zb_product(INTERVALS + 1 + VISITS + OTHERS, each);
    size_t courses = zb_product(COURSE_ARRAYS, (size_t)watch->gaps);
    size_t others = (size_t)size + (size_t)watch->equalities + (size_t)watch->count;
    return zb_sum(points, zb_sum(courses, others));
}

/* -------------------------------------------------------------------- points */

/* Exchanges two points with their arrays. */
static void swap_points(zi_point *x, zi_point *y)
{
    zi_point z = *x;
    *x = *y;
    *y = z;
}

/* Copies the numbers; each point keeps its own arrays. */
static void copy_point(const zi_locator *l, const zi_point *from, zi_point *to)
{
    to->t = from->t;
    for (int32_t k = 0; k < l->watch->gaps; k++) to->gap[k] = from->gap[k];
    for (int32_t e = 0; e < l->watch->count; e++) to->truth[e] = from->truth[e];
}

/* An equality that has just fired is left on one side or the other of 0 by rounding only. */
static void forget_rounding(const zi_locator *l, zi_point *p)
{
    double *gap = p->gap + l->gaps - l->watch->equalities;
    if (p->t - l->from > 64.0 * l->ulp) return;
    for (int32_t k = 0; k < l->watch->equalities; k++)
        if (fabs(gap[k]) <= l->band[k]) gap[k] = (double)NAN;
}

/* Evaluates all gaps and conditions at t, on the dense output, into p. */
static zw_status evaluate_point(zi_locator *l, double t, zi_point *p)
{
    p->t = t;
    ZB_TRY(zi_dense(l->s, t, l->y));
    ZB_TRY(l->watch->look(l->watch->user, t, l->y, l->holds, p->gap));
    for (int32_t e = 0; e < l->watch->count; e++)
        p->truth[e] = l->holds[e] || t < l->release[e] ? 1.0 : 0.0;
    forget_rounding(l, p);
    return ZW_OK;
}

static bool signs_differ(double x, double y)
{
    int i = zi_sign_of_gap(x), j = zi_sign_of_gap(y);
    return i != j && i != 2 && j != 2;
}

/* After too many changes only conditions count. */
static bool points_alike(const zi_locator *l, const zi_point *x, const zi_point *y)
{
    int32_t gaps = l->changes < MOST_CHANGES ? l->gaps : 0;
    for (int32_t e = 0; e < l->watch->count; e++)
        if (x->truth[e] != y->truth[e]) return false;
    for (int32_t k = 0; k < gaps; k++)
        if (signs_differ(x->gap[k], y->gap[k])) return false;
    return true;
}

/* ------------------------------------------------------------------- changes */

/* Times that are not further apart count as adjacent: next to each other, but around 0. */
static double time_resolution(const zi_locator *l, double t)
{
    return fmax(0.5 * DBL_EPSILON * fabs(t), 0x1p-60 * (l->s->t - l->s->t_old));
}

/* The gap that seems to change its sign first between a and b; -1: none does. */
static int32_t find_pilot(const zi_locator *l)
{
    int32_t pilot = -1;
    double first = 2.0;
    for (int32_t k = 0; k < l->gaps; k++) {
        double x = l->a.gap[k], y = l->b.gap[k], at = x / (x - y);
        if (!signs_differ(x, y) || !(at < first)) continue;
        first = at;
        pilot = k;
    }
    return pilot;
}

/* Where the pilot is 0, as a fraction of the way from the newest end to the other one: inverse
 * quadratic interpolation through a, b, c where these are well placed for it, else the middle. */
static double root_fraction(const zi_locator *l, int32_t pilot, bool three)
{
    const zi_point *newest = l->b_newest ? &l->b : &l->a, *other = l->b_newest ? &l->a : &l->b;
    double x1 = newest->t, x2 = other->t, x3 = l->c.t;
    double f1 = newest->gap[pilot], f2 = other->gap[pilot], f3 = three ? l->c.gap[pilot] : f1;
    if (!three) return f1 / (f1 - f2);
    double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    if (!(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)) return 0.5;
    return f1 / (f2 - f1) * f3 / (f2 - f3) +
           (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
}

/* The next time to look at, at least `nudge` from both ends, where a probe close to a root that
 * is known by now shows it from the other side. */
static double next_time(const zi_locator *l, int32_t count, double *nudge)
{
    double width = l->b.t - l->a.t, middle = l->a.t + 0.5 * width;
    int32_t pilot = count < QUICK ? find_pilot(l) : -1;
    if (pilot < 0) return middle;
    double f = root_fraction(l, pilot, count > 0), least = fmin(*nudge / width, 0.5);
    if (!(f >= least && f <= 1.0 - least)) {
        f = f > 0.5 ? 1.0 - least : least; /* NaN: near the newest */
        *nudge *= 4.0;
    } else {
        *nudge = 2.0 * time_resolution(l, l->b.t);
    }
    double t = l->b_newest ? l->b.t - f * width : l->a.t + f * width;
    return t > l->a.t && t < l->b.t ? t : middle;
}

/* The first change between left and `right`, which are not alike: between adjacent a and b. */
static zw_status narrow_change(zi_locator *l, const zi_point *right)
{
    double nudge = 2.0 * time_resolution(l, right->t);
    copy_point(l, &l->left, &l->a);
    copy_point(l, right, &l->b);
    l->b_newest = true;
    for (int32_t count = 0; l->b.t - l->a.t > time_resolution(l, l->b.t); count++) {
        double t = next_time(l, count, &nudge);
        if (!(t > l->a.t && t < l->b.t)) break;
        ZB_TRY(evaluate_point(l, t, &l->probe));
        l->b_newest = !points_alike(l, &l->left, &l->probe);
        zi_point *end = l->b_newest ? &l->b : &l->a;
        swap_points(&l->c, end);
        swap_points(end, &l->probe);
    }
    return ZW_OK;
}

/* Equality k passes through 0 between a and p, which is close to it: its gap has the other sign,
 * the condition would be true if it held, and it is not a jump of what lies between left and
 * `right`. */
static bool equality_passes(const zi_locator *l, int32_t k, const zi_point *p,
                            const zi_point *right)
{
    int32_t at = l->gaps - l->watch->equalities + k;
    double x = l->a.gap[at], y = p->gap[at], way = fabs(l->left.gap[at]) + fabs(right->gap[at]);
    if (!((x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0))) return false;
    return p->gap[l->gaps + k] != 0.0 && fabs(y - x) <= 0.5 * way;
}

static void hold_equalities(const zi_locator *l, const zi_point *right, zi_point *p)
{
    for (int32_t k = 0; k < l->watch->equalities; k++)
        if (equality_passes(l, k, p, right)) p->truth[l->watch->owner[k]] = 1.0;
}

/* ----------------------------------------------------------------- detections */

/* What is false at a and true at p joins `turned`; whether there is any that was not there. */
static bool join_turned(const zi_locator *l, const zi_point *p, bool *turned)
{
    bool any = false;
    for (int32_t e = 0; e < l->watch->count; e++) {
        if (turned[e] || l->a.truth[e] != 0.0 || p->truth[e] == 0.0) continue;
        any = turned[e] = true;
    }
    return any;
}

/* Whether every condition in `which` is true at p. */
static bool all_hold(const zi_locator *l, const bool *which, const zi_point *p)
{
    for (int32_t e = 0; e < l->watch->count; e++)
        if (which[e] && p->truth[e] == 0.0) return false;
    return true;
}

/* Evaluates the probe at t, and equalities that pass through 0 between a and it as true. */
static zw_status evaluate_probe(zi_locator *l, double t, const zi_point *right)
{
    ZB_TRY(evaluate_point(l, t, &l->probe));
    hold_equalities(l, right, &l->probe);
    return ZW_OK;
}

/* What turned at b is in `turned`. Where more turn true within rounding after it, b becomes the
 * first time at which all of them are true. */
static zw_status join_simultaneous(zi_locator *l, const zi_point *right, bool *turned)
{
    double window = 8.0 * l->ulp + 1e-13 * (l->s->t - l->s->t_old);
    double end = fmin(l->b.t + window, l->s->t);
    if (!(end > l->b.t)) return ZW_OK;
    ZB_TRY(evaluate_probe(l, end, right));
    if (!all_hold(l, turned, &l->probe) || !join_turned(l, &l->probe, turned)) return ZW_OK;
    swap_points(&l->c, &l->probe);
    while (l->c.t - l->b.t > time_resolution(l, l->c.t)) {
        double middle = l->b.t + 0.5 * (l->c.t - l->b.t);
        if (!(middle > l->b.t && middle < l->c.t)) break;
        ZB_TRY(evaluate_probe(l, middle, right));
        swap_points(all_hold(l, turned, &l->probe) ? &l->c : &l->b, &l->probe);
    }
    swap_points(&l->b, &l->c);
    return ZW_OK;
}

/* The time and the truths of p become those of the detection. */
static void report_point(const zi_point *p, int32_t count, zi_detection *detection)
{
    detection->t = p->t;
    for (int32_t e = 0; e < count; e++) detection->truth[e] = p->truth[e] != 0.0;
}

/* From left through all changes to `right`, which is left then; or to the first one in which a
 * condition turns true. */
static zw_status pass_changes(zi_locator *l, const zi_point *right, zi_detection *detection)
{
    while (!points_alike(l, &l->left, right)) {
        ZB_TRY(narrow_change(l, right));
        hold_equalities(l, right, &l->b);
        if (join_turned(l, &l->b, detection->turned)) {
            ZB_TRY(join_simultaneous(l, right, detection->turned));
            report_point(&l->b, l->watch->count, detection);
            detection->found = true;
            return ZW_OK;
        }
        copy_point(l, &l->b, &l->left);
        l->changes++;
        if (!(l->left.t < right->t)) return ZW_OK;
    }
    copy_point(l, right, &l->left);
    return ZW_OK;
}

/* -------------------------------------------------------------------- visits */

/* A time, and |gap| there. */
typedef struct spot {
    double t, f;
} spot;

/* The state of Brent's minimisation of |gap|. */
typedef struct minimum {
    double low, high; /* where it lies */
    spot x, w, v;     /* the best so far */
    double step, step_before;
    bool parabolic; /* the last step was */
} minimum;

/* By the parabola through the best three where it leads inside and the steps shrink, else by the
 * golden section. */
static double next_probe(minimum *m, double least)
{
    spot x = m->x, w = m->w, v = m->v;
    double r = (x.t - w.t) * (x.f - v.f), q = (x.t - v.t) * (x.f - w.f);
    double step = ((x.t - w.t) * r - (x.t - v.t) * q) / (2.0 * (q - r)), t = x.t + step;
    m->parabolic = t > m->low && t < m->high && fabs(step) < 0.5 * fabs(m->step_before);
    m->step_before = m->step;
    if (!m->parabolic) {
        m->step_before = (x.t < 0.5 * (m->low + m->high) ? m->high : m->low) - x.t;
        step = GOLDEN * m->step_before;
    }
    if (fabs(step) < least) step = copysign(least, step);
    m->step = step;
    return x.t + step;
}

/* Brent's bookkeeping: the bracket shrinks, and u joins the best three if it is one of them. */
static void add_probe(minimum *m, spot u)
{
    if (u.f <= m->x.f) {
        *(u.t < m->x.t ? &m->high : &m->low) = m->x.t;
        m->v = m->w;
        m->w = m->x;
        m->x = u;
        return;
    }
    *(u.t < m->x.t ? &m->low : &m->high) = u.t;
    if (u.f <= m->w.f || m->w.t == m->x.t) {
        m->v = m->w;
        m->w = u;
    } else if (u.f <= m->v.f || m->v.t == m->x.t || m->v.t == m->w.t) {
        m->v = u;
    }
}

/* Looks for a time between two samples at which gap k has another sign than there: *found, in
 * probe. Given up where parabolas do not promise that 0 is reached. */
static zw_status find_visit(zi_locator *l, int32_t k, int32_t from, bool *found)
{
    int before = zi_sign_of_gap(l->sample[from].gap[k]), idle = 0;
    int s = before ? before : zi_sign_of_gap(l->sample[from + 2].gap[k]);
    double low = l->sample[from].t, high = l->sample[from + 2].t;
    double least = fmax(1e-10 * (high - low), l->ulp);
    minimum m = {.low = low, .high = high};
    *found = false;
    for (int32_t i = 0; i < MOST_PROBES && m.high - m.low > 2.0 * least && idle < 2; i++) {
        double t = i == 0 ? low + GOLDEN * (high - low) : next_probe(&m, least);
        if (!(t > low && t < high)) return ZW_OK;
        ZB_TRY(evaluate_point(l, t, &l->probe));
        spot u = {t, s * l->probe.gap[k]};
        *found = u.f < 0.0;
        if (!(u.f >= 0.0)) return ZW_OK;
        idle = m.parabolic && fabs(m.x.f - u.f) < 0.05 * fmin(m.x.f, u.f) ? idle + 1 : 0;
        if (i == 0)
            m.x = m.w = m.v = u;
        else
            add_probe(&m, u);
    }
    return ZW_OK;
}

/* The probe among the visits [count], in the order of time; the last one makes room. */
static int32_t add_visit(zi_locator *l, int32_t count)
{
    int32_t at = count < VISITS ? count : VISITS - 1;
    if (count == VISITS && !(l->probe.t < l->visit[at].t)) return count;
    swap_points(&l->visit[at], &l->probe);
    for (; at > 0 && l->visit[at].t < l->visit[at - 1].t; at--)
        swap_points(&l->visit[at], &l->visit[at - 1]);
    return count < VISITS ? count + 1 : count;
}

/* The first visits between left and sample j. */
static zw_status find_visits(zi_locator *l, int32_t j, int32_t *count)
{
    *count = 0;
    for (int32_t k = 0; k < l->gaps; k++) {
        int32_t from;
        bool found;
        if (!zi_may_visit(l, k, j, &from)) continue;
        ZB_TRY(find_visit(l, k, from, &found));
        if (!found || !(l->probe.t > l->left.t && l->probe.t < l->sample[j].t)) continue;
        *count = add_visit(l, *count);
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------- step */

/* From left, which is sample j - 1, to sample j. */
static zw_status pass_interval(zi_locator *l, int32_t j, zi_detection *detection)
{
    int32_t visits;
    do {
        ZB_TRY(find_visits(l, j, &visits));
        for (int32_t i = 0; i < visits && !detection->found; i++)
            ZB_TRY(pass_changes(l, &l->visit[i], detection));
    } while (visits == VISITS && !detection->found);
    return detection->found ? ZW_OK : pass_changes(l, &l->sample[j], detection);
}

/* Gives every point its arrays, as zi_locator_size counts them. */
static void divide_workspace(zi_locator *l, double *workspace)
{
    zi_point *others[OTHERS] = {&l->left, &l->a, &l->b, &l->c, &l->probe};
    size_t gaps = (size_t)l->watch->gaps, each = gaps + (size_t)l->watch->count;
    for (int32_t i = 0; i < INTERVALS + 1 + VISITS + OTHERS; i++, workspace += each) {
        int32_t v = i - INTERVALS - 1, o = v - VISITS;
        zi_point *p = v < 0 ? &l->sample[i] : o < 0 ? &l->visit[v] : others[o];
        *p = (zi_point){.gap = workspace, .truth = workspace + gaps};
    }
    double **courses[COURSE_ARRAYS] = {&l->of.low,  &l->of.high, &l->of.fall,
                                       &l->of.rise, &l->of.sum,  &l->of.range};
    for (int32_t i = 0; i < COURSE_ARRAYS; i++, workspace += gaps) *courses[i] = workspace;
    l->band = workspace;
    l->release = l->band + l->watch->equalities;
    l->y = l->release + l->watch->count;
}

/* Below which the gap of an equality that has just fired is rounding. */
static void find_bands(zi_locator *l, const bool *was)
{
    for (int32_t k = 0; k < l->watch->equalities; k++) {
        int32_t at = l->gaps - l->watch->equalities + k;
        double most = 0.0;
        for (int32_t i = 0; i <= INTERVALS; i++) most = fmax(most, fabs(l->sample[i].gap[at]));
        l->band[k] = was[l->watch->owner[k]] ? 1e-6 * most : -1.0;
    }
}

/* What has fired just before it turns true (was, but is not yet) turns true without firing: until
 * the first sample at which it is true. Where no sample is, it was true for an instant only. */
static void find_releases(zi_locator *l, const bool *was)
{
    for (int32_t e = 0; e < l->watch->count; e++) {
        int32_t i = 1;
        if (!was[e] || l->sample[0].truth[e] != 0.0) continue;
        while (i <= INTERVALS && l->sample[i].truth[e] == 0.0) i++;
        if (i > INTERVALS) i = 1;
        l->release[e] = l->sample[i].t;
        for (int32_t k = 0; k < i; k++) l->sample[k].truth[e] = 1.0;
    }
}

/* What is known to have been false may turn true; what is true now but was not does so at once. */
static zw_status take_samples(zi_locator *l, const bool *was)
{
    double width = l->s->t - l->from;
    for (int32_t k = 0; k < l->watch->equalities; k++) l->band[k] = -1.0;
    for (int32_t e = 0; e < l->watch->count; e++) l->release[e] = l->from;
    for (int32_t i = 0; i <= INTERVALS; i++) {
        double t = i == INTERVALS ? l->s->t : l->from + width * fractions[i];
        ZB_TRY(evaluate_point(l, t, &l->sample[i]));
    }
    find_bands(l, was);
    find_releases(l, was);
    forget_rounding(l, &l->sample[0]);
    copy_point(l, &l->sample[0], &l->left);
    for (int32_t e = 0; e < l->watch->count; e++)
        if (!was[e]) l->left.truth[e] = 0.0;
    return ZW_OK;
}

/* ------------------------------------------------------------------- crowded steps */

/* Slopes are taken over this part of the step; no shorter one than the least is asked for. */
static const double beside = 1e-4, least_part = 1e-4;

/* At both ends and at two places inside. */
static zw_status find_crowd(zi_locator *l, double *part)
{
    static const int32_t places[] = {5, 8};
    double width = l->s->t - l->from;
    *part = 0.0;
    if (!zi_is_any_gap_near(l)) return ZW_OK;
    zi_compare_slope(l, &l->sample[0], &l->sample[1], part);
    zi_compare_slope(l, &l->sample[INTERVALS - 1], &l->sample[INTERVALS], part);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const zi_point *x = &l->sample[places[i]];
        ZB_TRY(evaluate_point(l, x->t + beside * width, &l->probe));
        zi_compare_slope(l, x, &l->probe, part);
    }
    zi_mind_reversals(l, part);
    if (*part > 0.0) *part = fmin(fmax(*part, least_part), zi_largest_part);
    return ZW_OK;
}

/* Interval by interval from `from` on; stops at the first in which a condition turns true. */
zw_status zi_locate(zi_stepper *s, const zi_watch *watch, double from, const bool *was,
                    double *workspace, zi_detection *detection)
{
    zi_locator l = {.s = s,
                    .watch = watch,
                    .holds = detection->truth,
                    .from = from,
                    .ulp = DBL_EPSILON * fmax(fabs(s->t_old), fabs(s->t)),
                    .gaps = watch->gaps - watch->equalities};
    detection->found = false;
    detection->crowded = 0.0;
    detection->t = s->t;
    if (watch->count == 0) return ZW_OK;
    for (int32_t e = 0; e < watch->count; e++) detection->turned[e] = false;
    divide_workspace(&l, workspace);
    ZB_TRY(take_samples(&l, was));
    zi_follow_gaps(&l);
    /* in a step as short as this it is rounding that goes to and fro */
    bool long_enough = s->t - s->t_old > 1e-5 * s->counts.largest;
    if (watch->minds_crowds && long_enough) ZB_TRY(find_crowd(&l, &detection->crowded));
    if (detection->crowded > 0.0 && !s->method->fixed) return ZW_OK;
    if (zi_is_quiet(&l)) {
        report_point(&l.sample[INTERVALS], watch->count, detection);
        return ZW_OK;
    }
    for (int32_t j = 1; j <= INTERVALS && !detection->found; j++)
        ZB_TRY(pass_interval(&l, j, detection));
    if (!detection->found) report_point(&l.left, watch->count, detection);
    return ZW_OK;
}
