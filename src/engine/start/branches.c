/*
 * Branches of a level's solutions. Newton's method finds a solution from which every small way
 * along the rows leads farther from the given values; there may be another that is nearer, on
 * another branch (a linkage folded the other way), or the steps ended in a singular point or on a
 * saddle. So, unless the correction is small against the curvature of the rows, the rows are solved
 * again from other places: mirrored, unwound by whole turns, along the axes, and random ones in the
 * ball around the given values in which a nearer solution would have to be. Of equally near ones
 * the one with the larger first value that differs is taken, whichever solver found it first.
 *
 * It is a search: in a large system there are few places, or none, and l->branches says so.
 */
#include <math.h>
#include <string.h>

#include "level.h"

static const double two_pi = 6.283185307179586;
static const double as_near = 1.1; /* a solution is named up to so many times as far away */
static const double linear = 0.05; /* of a correction: what its first step may leave to others */
static const double few_suffice = 0.3;   /* likewise, where few places are looked from */
static const double level_ground = 1e-5; /* slope of the distance along the rows, relatively */
static const double equal = 1e-7;        /* distances that count as equal, relatively */
static const double apart = 1e-3;        /* solutions that differ, relative to the distance */
static const double beside = 1e-3;   /* of a solution: states that show whether it is singular */
static const double vanished = 0.02; /* of a row or pivot, against that of the state beside */
static const double nothing = 1e-6;  /* of a row, against that at the given values */
enum { most_work = 1500000, most_factored = 64, most_unwound = 4 };
static const double widths[] = {1.0, 0.5, 2.0, 0.25};

typedef struct solution {
    double *x; /* [n] */
    double distance;
    bool singular; /* rows lose their rank there, and not beside it */
} solution;

/* The search under way. */
typedef struct search {
    solution best, other; /* other: the nearest that is apart from the best */
    double left;          /* distance of the nearest singular one */
    double *x;            /* [n] the one at hand */
    double *first;        /* [n] the one from which the search began */
    double *wound;        /* [n] that one before whole turns are taken from it */
    bool *angle;          /* [n] whole turns of an unknown leave the rows as they are */
    double *width;        /* [n] how far a unit of distance moves an unknown */
    double *root;         /* [n n] L of M = L L^T, by rows; NULL: there is none, widths must do */
    double *length;       /* [m] of the rows of A */
    double radius;        /* the distance of the first solution */
    uint64_t seed;
} search;

/* Distance in M; what has no inertia counts a little, so that of equally near solutions the one
 * that moves it least is nearer. */
static double distance_of(const zr_level *l, const search *s)
{
    double sum = zr_level_distance2(l), least = 0.0;
    for (int32_t j = 0; j < l->n; j++) {
        double d = (l->x[l->unknown[j]] - l->x_given[l->unknown[j]]) / s->width[j];
        least += d * d;
    }
    return sqrt(sum + (l->solver.singular ? 1e-6 * least : 0.0));
}

/* |a - b|, unknowns in their widths, but for whole turns of angles. */
static double separation(const zr_level *l, const search *s, const double *a, const double *b)
{
    double sum = 0.0;
    for (int32_t j = 0; j < l->n; j++) {
        double d = s->angle[j] ? remainder(a[j] - b[j], two_pi) : a[j] - b[j];
        sum += d * d / (s->width[j] * s->width[j]);
    }
    return sqrt(sum);
}

/* ------------------------------------------------------------- singular points */

/* The rank of A at the present x and its smallest relative pivot. */
static zw_status measure_rank(zr_level *l, zw_gauss_rank_info *rank)
{
    ZB_TRY(zr_level_factor(l));
    return zg_system_rank(l->solver.factored, rank);
}

/* At a state beside a solution with this rank and s->length: have the rows more rank, or is a
 * row or a pivot many times as long? */
static zw_status compare_rank(zr_level *l, const search *s, const zw_gauss_rank_info *rank,
                              bool *more)
{
    zw_gauss_rank_info here = {0};
    ZB_TRY(measure_rank(l, &here));
    *more = here.rank > rank->rank ||
            (here.rank == rank->rank && rank->accepted < vanished * here.accepted);
    for (int32_t i = 0; i < l->m && !*more; i++)
        *more = s->length[i] < vanished * zr_level_row_length(l, i);
    return ZW_OK;
}

/* Is the solution s->x singular? A row has vanished, or the rows have more rank beside it. */
static zw_status judge_solution(zr_level *l, search *s, bool *singular)
{
    zw_gauss_rank_info rank = {0};
    zw_status status = measure_rank(l, &rank);
    *singular = false;
    for (int32_t i = 0; i < l->m; i++) {
        s->length[i] = zr_level_row_length(l, i);
        if (l->branches.length && s->length[i] < nothing * l->branches.length[i]) *singular = true;
    }
    for (int k = 0; k < 3 && status == ZW_OK && !*singular; k++) {
        for (int32_t j = 0; j < l->n; j++)
            l->x[l->unknown[j]] =
                s->x[j] + beside * s->radius * s->width[j] * zr_next_random(&s->seed);
        zr_level_evaluate(l);
        if (!l->now.finite) continue;
        status = zr_level_iterate(l, 20);
        if (status == ZW_OK && l->met) status = compare_rank(l, s, &rank, singular);
    }
    zr_level_set_x(l, s->x, 0.0, s->x);
    zr_level_evaluate(l);
    return zr_is_memory(status) ? status : ZW_OK;
}

/* -------------------------------------------------------------------- solutions */

/* Of two equally near solutions: has a the larger value where they differ first? */
static bool comes_before(const zr_level *l, const search *s, const double *a, const double *b)
{
    for (int32_t j = 0; j < l->n; j++)
        if (fabs(a[j] - b[j]) > apart * s->radius * s->width[j]) return a[j] > b[j];
    return false;
}

static bool is_better(const zr_level *l, const search *s, const solution *a, const solution *b)
{
    if (a->singular != b->singular) return b->singular;
    bool tie = fabs(a->distance - b->distance) <= equal * b->distance;
    return tie ? comes_before(l, s, a->x, b->x) : a->distance < b->distance;
}

static bool are_same(const zr_level *l, const search *s, const solution *a, const solution *b)
{
    return separation(l, s, a->x, b->x) <= apart * s->radius;
}

static void copy_solution(const zr_level *l, const solution *from, solution *to)
{
    memcpy(to->x, from->x, sizeof *to->x * (size_t)l->n);
    to->distance = from->distance;
    to->singular = from->singular;
}

/* The solution s->x, which l is at: the best, one beside it, or nothing new. Singular ones are no
 * answer while there is another. */
static zw_status note_solution(zr_level *l, search *s)
{
    solution now = {.x = s->x, .distance = distance_of(l, s)};
    if (now.distance > s->best.distance * as_near && !s->best.singular) return ZW_OK;
    ZB_TRY(judge_solution(l, s, &now.singular));
    if (now.singular) s->left = fmin(s->left, now.distance);
    bool better = is_better(l, s, &now, &s->best), same = are_same(l, s, &now, &s->best);
    const solution *second = better ? &s->best : &now;
    if (!same && !second->singular && second->distance < s->other.distance)
        copy_solution(l, second, &s->other);
    if (!better) return ZW_OK;
    copy_solution(l, &now, &s->best);
    s->radius = now.distance;
    l->branches.reach = 2.0 * s->radius;
    if (are_same(l, s, &s->other, &s->best)) s->other.distance = HUGE_VAL;
    return ZW_OK;
}

/* Are the rows of the present x those with residuals r [m] and derivatives A, but for rounding? */
static bool are_rows_as(const zr_level *l, const double *r, const double *A)
{
    const int32_t *start = l->rows.is.A.start;
    for (int32_t i = 0; i < l->m; i++) {
        double length = zr_level_row_length(l, i);
        if (!(fabs(l->now.r[i] - r[i]) <= 1e-9 * l->now.terms[i])) return false;
        for (int32_t k = start[i]; k < start[i + 1]; k++)
            if (!(fabs(l->rows.A[k] - A[k]) <= 1e-9 * length)) return false;
    }
    return true;
}

/* Which unknowns are angles, as whole turns at a place beside the solution tell. */
static zw_status find_angles(zr_level *l, search *s)
{
    size_t entries = (size_t)l->rows.is.A.start[l->m];
    double *r = ZB_NEW_ARRAY(&l->arena, double, l->m),
           *A = ZB_NEW_ARRAY(&l->arena, double, entries);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    for (int32_t j = 0; j < l->n; j++)
        l->x[l->unknown[j]] += 0.01 * s->radius * s->width[j] * zr_next_random(&s->seed);
    zr_level_evaluate(l);
    memcpy(r, l->now.r, sizeof *r * (size_t)l->m);
    memcpy(A, l->rows.A, sizeof *A * entries);
    for (int32_t j = 0; j < l->n; j++) {
        double *x = &l->x[l->unknown[j]], kept = *x;
        *x += two_pi;
        zr_level_evaluate(l);
        s->angle[j] = are_rows_as(l, r, A);
        *x = kept;
    }
    zr_level_set_x(l, s->best.x, 0.0, s->best.x);
    zr_level_evaluate(l);
    return ZW_OK;
}

static double given_of(const zr_level *l, int32_t j)
{
    return l->x_given[l->unknown[j]];
}

/* Takes whole turns from the angles of x [n], so that none is farther than half a turn from the
 * given one; false: there are none. */
static bool unwind(const zr_level *l, const search *s, double *x)
{
    bool wound = false;
    for (int32_t j = 0; j < l->n; j++) {
        double turns = s->angle[j] ? nearbyint((x[j] - given_of(l, j)) / two_pi) : 0.0;
        wound = wound || turns != 0.0;
        x[j] -= two_pi * turns;
    }
    return wound;
}

/* Is the solution s->x, which l is at, nearer without whole turns? Then l and s->x are there. */
static bool is_wound(zr_level *l, search *s)
{
    double far = distance_of(l, s);
    memcpy(s->wound, s->x, sizeof *s->x * (size_t)l->n);
    if (!unwind(l, s, s->x)) return false;
    zr_level_set_x(l, s->x, 0.0, s->x);
    if (distance_of(l, s) < far) return true;
    memcpy(s->x, s->wound, sizeof *s->x * (size_t)l->n);
    zr_level_set_x(l, s->x, 0.0, s->x);
    return false;
}

/* Onto the rows from s->x and along them to the nearest solution there. What was wound up on the
 * way begins again without its turns: along the rows there is a nearer one then. */
static zw_status solve_from(zr_level *l, search *s)
{
    int round = 0;
    zr_level_set_x(l, s->x, 0.0, s->x);
    do {
        zr_level_evaluate(l);
        if (!l->now.finite) return ZW_OK;
        zw_status status = zr_level_iterate(l, 40);
        if (status != ZW_OK || !l->met) return zr_is_memory(status) ? status : ZW_OK;
        status = zr_level_find_nearest(l);
        if (status != ZW_OK || !l->met) return zr_is_memory(status) ? status : ZW_OK;
        zr_level_get_x(l, s->x);
    } while (round++ < most_unwound && is_wound(l, s));
    return note_solution(l, s);
}

/* ---------------------------------------------------------------------- places */

/* y = L^-T y: coordinates in which M is the identity become unknowns. In a metric that is much
 * softer in some direction a nearer solution may be far away there. */
static void spread_direction(const zr_level *l, const search *s, double *y)
{
    int32_t n = l->n;
    size_t N = (size_t)n;
    for (int32_t j = 0; j < n && !s->root; j++) y[j] *= s->width[j];
    for (int32_t j = n - 1; j >= 0 && s->root; j--) {
        for (int32_t i = j + 1; i < n; i++) y[j] -= s->root[(size_t)i * N + (size_t)j] * y[i];
        y[j] /= s->root[(size_t)j * N + (size_t)j];
    }
}

/* Place k of a search, into s->x: false where it is one that was had. */
static bool choose_place(const zr_level *l, search *s, int32_t k)
{
    int32_t n = l->n, mirrors = n <= 24 ? n : 0;
    memcpy(s->x, s->best.x, sizeof *s->x * (size_t)n);
    if (k == 0) { /* whole turns back */
        bool wound = false;
        for (int32_t j = 0; j < n; j++) {
            double turns = nearbyint((s->x[j] - given_of(l, j)) / two_pi);
            wound = wound || turns != 0.0;
            s->x[j] -= two_pi * turns;
        }
        return wound;
    }
    if (k == 1) { /* to the other side */
        for (int32_t j = 0; j < n; j++) s->x[j] = 2.0 * given_of(l, j) - s->x[j];
        return true;
    }
    if (k - 2 < mirrors) {
        s->x[k - 2] = 2.0 * given_of(l, k - 2) - s->x[k - 2];
        return true;
    }
    k -= 2 + mirrors;
    bool axis = k / 2 < mirrors;
    double by = axis ? s->radius : s->radius * widths[k % 4] * sqrt(3.0 / (double)n);
    for (int32_t j = 0; j < n; j++) s->x[j] = axis ? 0.0 : zr_next_random(&s->seed);
    if (axis) s->x[k / 2] = k % 2 ? -1.0 : 1.0;
    spread_direction(l, s, s->x);
    for (int32_t j = 0; j < n; j++)
        s->x[j] = by * s->x[j] + (!axis && k % 8 == 7 ? s->best.x[j] : given_of(l, j));
    return true;
}

/* How many places a system of this size can afford. */
static int32_t count_places(int32_t n)
{
    if (n > zr_most_searched) return 0;
    return n <= 24 ? 3 * n + 48 : n <= 60 ? 24 : n <= 120 ? 12 : 6;
}

/* ------------------------------------------------------------------------ search */

/* One unit of distance moves unknown j by 1/sqrt(M_jj); by that of a typical mass where there is
 * none. */
static void measure_widths(const zr_level *l, double *width)
{
    double mass = 0.0;
    for (int32_t j = 0; j < l->n; j++) mass += zr_level_mass_entry(l, j) / (double)l->n;
    if (!(mass > 0.0)) mass = 1.0;
    for (int32_t j = 0; j < l->n; j++) {
        double m = zr_level_mass_entry(l, j);
        width[j] = 1.0 / sqrt(m > 1e-8 * mass ? m : mass);
    }
}

/* M = L L^T, of systems that are not large and whose M is definite. */
static zw_status factor_metric(zr_level *l, search *s)
{
    size_t n = (size_t)l->n;
    const zg_pattern *M = &l->rows.is.M;
    if (l->n > most_factored || l->solver.singular) return ZW_OK;
    double *L = ZB_NEW_ARRAY(&l->arena, double, n *n);
    if (!L) return l->arena.failure;
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = M->start[i]; k < M->start[i + 1]; k++)
            L[(size_t)M->column[k] * n + (size_t)i] = l->rows.M[k];
    for (size_t j = 0; j < n; j++) {
        for (size_t i = j; i < n; i++)
            for (size_t k = 0; k < j; k++) L[i * n + j] -= L[i * n + k] * L[j * n + k];
        if (!(L[j * n + j] > 0.0)) return ZW_OK;
        double pivot = sqrt(L[j * n + j]);
        for (size_t i = j; i < n; i++) L[i * n + j] /= pivot;
    }
    s->root = L;
    return ZW_OK;
}

static bool allocate_search(zr_level *l, search *s)
{
    double **arrays[] = {&s->first, &s->best.x, &s->other.x, &s->x, &s->wound, &s->width};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ZB_NEW_ARRAY(&l->arena, double, l->n);
    s->angle = ZB_NEW_ARRAY(&l->arena, bool, l->n);
    s->length = ZB_NEW_ARRAY(&l->arena, double, l->m);
    return l->arena.failure == ZW_OK;
}

/* Does the distance rise along the rows to all sides, to first order? */
static zw_status judge_slope(zr_level *l, const search *s, bool *still)
{
    double slope = 0.0;
    zw_status status = zr_level_find_slope(l, &slope);
    *still = status == ZW_OK && slope <= level_ground * s->radius;
    return zr_is_memory(status) ? status : ZW_OK;
}

/* The answer, and what is to be said of others. */
static zw_status conclude_search(zr_level *l, search *s)
{
    zr_branches *b = &l->branches;
    bool still = false;
    zr_level_set_x(l, s->best.x, 0.0, s->best.x);
    zr_level_evaluate(l);
    l->met = zr_level_holds(l, 1e-11);
    ZB_TRY(judge_slope(l, s, &still));
    b->singular = s->best.singular;
    b->left = !b->singular && s->left < s->best.distance;
    b->doubtful = !still && !b->singular;
    if (s->other.distance <= as_near * s->best.distance) {
        b->other = s->other.x;
        b->farther = s->other.distance / s->best.distance;
    }
    return ZW_OK;
}

/* From the solution that l->x is, in all unknowns of l. */
static zw_status search_branches(zr_level *l, search *s, double deviation)
{
    int32_t most = count_places(l->n);
    ZB_TRY(factor_metric(l, s));
    ZB_TRY(find_angles(l, s));
    ZB_TRY(judge_solution(l, s, &s->best.singular));
    if (s->best.singular) s->left = s->best.distance;
    l->branches.reach = 2.0 * s->radius;
    int32_t again = 0;
    for (int32_t k = 0; k < most; k++) {
        double before = s->radius;
        if (choose_place(l, s, k)) {
            (void)unwind(l, s, s->x);
            ZB_TRY(solve_from(l, s));
        }
        if (s->radius < 0.7 * before && again++ < 4) k = 0; /* in a much smaller ball */
    }
    l->branches.reach = 0.0;
    ZB_TRY(conclude_search(l, s));
    if (most < 3 * l->n && deviation > few_suffice) l->branches.doubtful = true;
    return ZW_OK;
}

/* Begins at the solution that l->x is. */
static zw_status begin_search(zr_level *l, search *s)
{
    *s = (search){.other.distance = HUGE_VAL, .left = HUGE_VAL, .seed = 0x4252414E4348u};
    if (!allocate_search(l, s)) return l->arena.failure;
    measure_widths(l, s->width);
    zr_level_get_x(l, s->first);
    zr_level_get_x(l, s->best.x);
    zr_level_get_x(l, s->x);
    s->radius = s->best.distance = distance_of(l, s);
    return ZW_OK;
}

/* ------------------------------------------------------------------------- parts */

/* What a search in a part found, for the whole: the other branch that is nearest. */
static zw_status note_part(zr_level *l, const zr_level *part)
{
    const zr_branches *b = &part->branches;
    zr_branches *all = &l->branches;
    all->singular = all->singular || b->singular;
    all->left = all->left || b->left;
    all->doubtful = all->doubtful || b->doubtful;
    if (!b->other || (all->other && all->farther <= b->farther)) return ZW_OK;
    if (!all->other) all->other = ZB_NEW_ARRAY(&l->arena, double, l->n);
    if (!all->other) return l->arena.failure;
    zr_level_get_x(l, all->other);
    for (int32_t j = 0; j < part->n; j++) all->other[l->at[part->unknown[j]]] = b->other[j];
    all->farther = b->farther;
    return ZW_OK;
}

/* A search in the unknowns that are connected with `root` alone; held [coordinates]. */
static zw_status search_part(zr_level *l, int32_t root, bool *held, double deviation)
{
    zr_level part;
    search s;
    zw_status status = zr_level_open_connected(&part, l, root, held);
    if (status == ZW_OK) status = begin_search(&part, &s);
    if (status == ZW_OK && s.radius > 0.0) status = search_branches(&part, &s, deviation);
    if (status == ZW_OK) status = note_part(l, &part);
    zr_level_close(&part);
    return status;
}

/* What the way from the given values to the answer is like, of each part at its root. Where the
 * rows are as good as plane there no other solution is near. */
typedef struct survey {
    int32_t *size;     /* [coordinates] unknowns of the part; 0: no root */
    double *deviation; /* how far the answer is from what the first step said, relatively */
    double *way;       /* square of the distance */
    bool *bent;        /* a row does not fall as a straight line does */
} survey;

static int32_t root_of_row(zr_level *l, int32_t i)
{
    return zr_find_root(l->parent, l->unknown[l->rows.is.A.column[l->rows.is.A.start[i]]]);
}

/* The sum of |A_ij d_j|: the size of what a row's derivative makes of the way d [n]. */
static double size_of_change(const zr_level *l, int32_t i, const double *d)
{
    const zg_pattern *A = &l->rows.is.A;
    double sum = 0.0;
    for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
        sum += fabs(l->rows.A[k] * d[A->column[k]]);
    return sum;
}

/* Looks at the rows on the way; d, size [n], [m] are scratch. Leaves l as it was. */
static void find_bent_rows(zr_level *l, const search *s, survey *v, double *d, double *size)
{
    double *given = l->scratch.lengths;
    for (int32_t j = 0; j < l->n; j++) d[j] = s->first[j] - given_of(l, j);
    for (int k = 0; k < 4; k++) {
        double t = 0.25 * k;
        zr_level_set_x(l, s->first, t - 1.0, d);
        zr_level_evaluate(l);
        for (int32_t i = 0; i < l->m; i++) {
            if (l->rows.is.A.start[i] == l->rows.is.A.start[i + 1]) continue;
            if (k == 0) given[i] = l->now.r[i];
            if (k == 0) size[i] = fmax(fabs(given[i]), size_of_change(l, i, d));
            double off = fabs(l->now.r[i] - (1.0 - t) * given[i]);
            if (!(off <= 2.0 * linear * size[i])) v->bent[root_of_row(l, i)] = true;
        }
    }
    zr_level_set_x(l, s->first, 0.0, d);
    zr_level_evaluate(l);
}

/* Sums of the parts, over their unknowns. */
static void find_deviations(zr_level *l, const search *s, survey *v)
{
    bool stepped = l->branches.step && !l->met_elsewhere;
    for (int32_t j = 0; j < l->n; j++) {
        int32_t root = zr_find_root(l->parent, l->unknown[j]);
        double d = (s->first[j] - given_of(l, j)) / s->width[j];
        double off = stepped ? d - l->branches.step[j] / s->width[j] : HUGE_VAL;
        v->size[root]++;
        v->deviation[root] += off * off;
        v->way[root] += d * d;
    }
    for (int32_t i = 0; i < l->sim->zm->n; i++)
        v->deviation[i] = v->way[i] > 0.0 ? sqrt(v->deviation[i] / v->way[i]) : 0.0;
}

static zw_status survey_parts(zr_level *l, const search *s, survey *v)
{
    int32_t n = l->sim->zm->n;
    *v = (survey){.size = ZB_NEW_ARRAY(&l->arena, int32_t, n),
                  .deviation = ZB_NEW_ARRAY(&l->arena, double, n),
                  .way = ZB_NEW_ARRAY(&l->arena, double, n),
                  .bent = ZB_NEW_ARRAY(&l->arena, bool, n)};
    double *d = ZB_NEW_ARRAY(&l->arena, double, l->n),
           *size = ZB_NEW_ARRAY(&l->arena, double, l->m);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    find_deviations(l, s, v);
    find_bent_rows(l, s, v, d, size);
    return ZW_OK;
}

/* Unknowns that neither rows nor M connect have branches of their own: each such part is searched
 * by itself, so that their numbers add up and do not multiply. */
static zw_status search_parts(zr_level *l, search *s, bool sure)
{
    bool *held = ZB_NEW_ARRAY(&l->arena, bool, l->sim->zm->n);
    survey v;
    double work = 0.0;
    if (!held) return l->arena.failure;
    ZB_TRY(survey_parts(l, s, &v));
    for (int32_t i = 0; i < l->sim->zm->n; i++) {
        if (!(v.way[i] > 0.0) || (sure && !v.bent[i] && v.deviation[i] <= linear)) continue;
        int32_t most = count_places(v.size[i]);
        double deviation = v.bent[i] ? fmax(v.deviation[i], 1.0) : v.deviation[i];
        work += (double)most * v.size[i] * l->n;
        if (most == 0 || work > most_work) {
            l->branches.doubtful = true;
        } else if (v.size[i] == l->n) {
            return search_branches(l, s, deviation);
        } else {
            ZB_TRY(search_part(l, i, held, deviation));
        }
    }
    zr_level_evaluate(l);
    l->met = zr_level_holds(l, 1e-11);
    return ZW_OK;
}

/* From the solution that l->x is. */
zw_status zr_level_compare_branches(zr_level *l)
{
    search s;
    bool still = false;
    ZB_TRY(begin_search(l, &s));
    if (!(s.radius > 0.0)) return ZW_OK;
    ZB_TRY(zr_level_find_first_step(l));
    ZB_TRY(judge_slope(l, &s, &still));
    return search_parts(l, &s, still && !l->branches.saddle);
}
