/*
 * Diagnosis of sparse systems: which rows depend on which, and where they contradict each other, as
 * diagnose_dense.c finds it, without a dense matrix of the whole. Words: hunt.h.
 *
 * Small systems (and there the answer is that of the dense solver) are searched as they are. In
 * large ones
 *
 *   1. the rank tells how many rows are dependent; none: everything is said;
 *   2. the null part of two fixed pseudo-random vectors is 0 at rows that are in no dependent set:
 *      their multipliers are unique, and they are left out of all that follows;
 *   3. what takes part falls into groups, connected by coordinates. Groups of some hundred rows are
 *      searched as dense matrices, in declared order, and give the sets of the dense solver;
 *   4. large groups with few redundancies: whole null vectors (null.c), the same sets again;
 *   5. other large groups, nets and lattices: conflicts from the part of b that no acceleration
 *      reaches (conflict_hunt.c); then rows that follow from earlier ones nearby: the ball
 *      around a row, of earlier declared rows, is grown until the row depends on it.
 *
 * Only in 5 may sets differ from the dense ones: there a set is a smallest neighbourhood's, made of
 * rows some of which may depend on others farther away; the dense solver would have replaced
 * those. Each is minimal all the same, and the same where a row has one set only. Not all are
 * listed: at most zg_most_sets that agree, and as many conflicts, within a fixed amount of work.
 */
#include <math.h>
#include <string.h>

#include "dense_solver.h"
#include "driver.h"
#include "hunt.h"

static const double all_work = 1e9;          /* operations: about a second */
static const double unique_tolerance = 1e-7; /* of a null part: smaller is none */

/* ------------------------------------------------------------------------- listing */

static double sum_products(int32_t n, const double *x, const double *y)
{
    double s = 0.0;
    for (int32_t i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

static double measure_length(int32_t n, const double *x)
{
    return sqrt(sum_products(n, x, x));
}

/* 1 / the diagonal of W. */
static void invert_weight_diagonal(const zg_survey *v, double *d)
{
    const zg_pattern *W = &v->x->is->W;
    for (int32_t i = 0; i < v->m; i++)
        for (int32_t p = W->start[i]; p < W->start[i + 1]; p++)
            if (W->column[p] == i) d[i] = 1.0 / v->x->W[p];
}

/* s.W^-1 s, s in the first array, by conjugate gradients; one step where W is diagonal. */
static double solve_weight_iteratively(zg_survey *v)
{
    double *r = v->weighted[0], *p = v->weighted[1], *y = v->weighted[2], *d = v->weighted[3];
    double sum = 0.0, before = 1.0, first = 0.0;
    invert_weight_diagonal(v, d);
    memset(p, 0, sizeof *p * (size_t)v->m);
    for (int k = 0; k < 1000; k++) {
        double rho = 0.0;
        for (int32_t i = 0; i < v->m; i++) rho += r[i] * d[i] * r[i];
        if (k == 0) first = rho;
        if (!(rho > 1e-28 * first)) break;
        for (int32_t i = 0; i < v->m; i++) p[i] = d[i] * r[i] + (k > 0 ? rho / before : 0.0) * p[i];
        zg_weight_apply(v->g, p, y);
        double step = rho / sum_products(v->m, p, y);
        for (int32_t i = 0; i < v->m; i++) r[i] -= step * y[i];
        sum += step * rho; /* what the step adds to s.W^-1 s */
        before = rho;
    }
    return sum;
}

/* |s| in the norm of W^-1. */
static double measure_by_sparse_weight(zg_survey *v, const zw_dependent_set *set)
{
    double *s = v->weighted[0];
    if (!v->x->W) return measure_length(set->count, set->coefficients);
    memset(s, 0, sizeof *s * (size_t)v->m);
    for (int32_t k = 0; k < set->count; k++) s[set->rows[k]] = set->coefficients[k];
    return sqrt(solve_weight_iteratively(v));
}

/* A set whose last row is this one. */
static bool is_listed(const zg_findings *d, int32_t row)
{
    for (int32_t k = 0; k < d->shown.set_count; k++)
        if (d->sets[k].row == row) return true;
    return false;
}

/* In a small system there is room for everything; otherwise for zg_most_sets of each kind. */
zw_status zg_survey_list(zg_survey *v, zw_dependent_set *set)
{
    const zw_diagnosis *shown = &v->to->shown;
    int32_t conflicts = shown->conflict_count, limit = zg_most_sets;
    if (v->m <= zg_small_group && v->n <= zg_small_group) limit = v->m;
    zg_judge_set(set, v->b, v->length, v->size_z);
    bool full = set->conflict ? conflicts == limit : v->agreeing == limit;
    if (set->nearly) full = shown->nearly_count == limit;
    if (full || (!set->nearly && is_listed(v->to, set->row))) {
        v->dropped++;
        return ZW_OK;
    }
    if (set->conflict) set->size = fabs(set->mismatch) / measure_by_sparse_weight(v, set);
    v->agreeing += !set->nearly && !set->conflict;
    return zg_findings_add(v->to, set);
}

/* --------------------------------------------------------------------- preparation */

/* All arrays of the survey but row, which waits for its length; false: no memory. */
static bool take_survey_arrays(zg_survey *v)
{
    size_t n = (size_t)v->n, m = (size_t)v->m;
    v->length = ZB_NEW_ARRAY(v->scratch, double, m);
    v->dependent = ZB_NEW_ARRAY(v->scratch, bool, m);
    v->wrong = ZB_NEW_ARRAY(v->scratch, bool, m);
    v->group = ZB_NEW_ARRAY(v->scratch, int32_t, m);
    v->row_seen = ZB_NEW_ARRAY(v->scratch, int32_t, m);
    v->column_seen = ZB_NEW_ARRAY(v->scratch, int32_t, n);
    v->column_at = ZB_NEW_ARRAY(v->scratch, int32_t, n);
    v->touched = ZB_NEW_ARRAY(v->scratch, int32_t, n);
    v->start = ZB_NEW_ARRAY(v->scratch, int32_t, n + 1);
    for (int k = 0; k < 4; k++) v->weighted[k] = ZB_NEW_ARRAY(v->scratch, double, v->x->W ? m : 0);
    return v->length && v->dependent && v->wrong && v->group && v->row_seen && v->column_seen &&
           v->column_at && v->touched && v->start && v->weighted[0] && v->weighted[1] &&
           v->weighted[2] && v->weighted[3];
}

/* Norms of the rows; no column has a number yet. */
static void measure_survey_rows(zg_survey *v)
{
    const zg_pattern *A = &v->x->is->A;
    for (int32_t i = 0; i < v->m; i++)
        v->length[i] = measure_length(A->start[i + 1] - A->start[i], v->x->A + A->start[i]);
    for (int32_t c = 0; c < v->n; c++) v->column_at[c] = -1;
}

/* --------------------------------------------------------------- who takes part */

static bool is_off(const zg_survey *v, int32_t i)
{
    return v->x->off && v->x->off[i];
}

/* Too large a group to be searched as one matrix. */
static bool is_in_large_group(const zg_survey *v, int32_t i)
{
    return v->group[i] >= 0 && v->group_size[v->group[i]] > zg_small_group;
}

/* Entries between 1/2 and 1, of either sign, in units of 1 / length. */
static void draw_random_vector(const zg_survey *v, uint64_t seed, bool all, double *x)
{
    for (int32_t i = 0; i < v->m; i++) {
        uint64_t bits = zb_hash_mix(seed, (uint64_t)i);
        double size = 0.5 + 0.5 * (double)(bits >> 12) * 0x1p-52;
        x[i] = 0.0;
        if ((all || is_in_large_group(v, i)) && v->length[i] > 0.0)
            x[i] = (bits & 1 ? size : -size) / v->length[i];
    }
}

/* Returns what the largest entry was before it became 1. */
static double scale_largest_to_one(const zg_survey *v, double *x)
{
    double most = 0.0;
    for (int32_t i = 0; i < v->m; i++) most = fmax(most, fabs(x[i]) * v->length[i]);
    for (int32_t i = 0; i < v->m && most > 0.0; i++) x[i] /= most;
    return most;
}

/* The null part of a random vector, taken once more where little of it was left. */
zw_status zg_survey_null_vector(zg_survey *v, uint64_t seed, bool all, double *x)
{
    draw_random_vector(v, seed, all, x);
    ZB_TRY(zg_sparse_null_part(v->g, x));
    double left = scale_largest_to_one(v, x);
    if (!(left < 0.1 && left > 0.0)) return ZW_OK;
    ZB_TRY(
        zg_sparse_null_part(v->g, x)); /* little was left, and the rounding of the rest with it */
    (void)scale_largest_to_one(v, x);
    return ZW_OK;
}

/* Rows of zeros are sets by themselves; of the others those whose null part does not vanish. */
static zw_status mark_dependent_rows(zg_survey *v, double *x)
{
    for (uint64_t seed = 1; seed <= 2; seed++) {
        ZB_TRY(zg_survey_null_vector(v, seed, true, x));
        for (int32_t i = 0; i < v->m; i++)
            if (!(fabs(x[i]) * v->length[i] <= unique_tolerance)) v->dependent[i] = true;
    }
    for (int32_t i = 0; i < v->m; i++) {
        if (!(v->length[i] > 0.0)) v->dependent[i] = !is_off(v, i);
        v->to->unique[i] = !v->dependent[i];
    }
    return ZW_OK;
}

/* A by columns: the rows that take part. */
static bool collect_columns(zg_survey *v)
{
    const zg_pattern *A = &v->x->is->A;
    for (int32_t i = 0; i < v->m; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1] && v->dependent[i]; p++)
            if (v->x->A[p] != 0.0) v->start[A->column[p] + 1]++;
    for (int32_t c = 0; c < v->n; c++) v->start[c + 1] += v->start[c];
    v->row = ZB_NEW_ARRAY(v->scratch, int32_t, v->start[v->n]);
    if (!v->row) return false;
    for (int32_t i = 0; i < v->m; i++) /* touched: how many of each column are there already */
        for (int32_t p = A->start[i]; p < A->start[i + 1] && v->dependent[i]; p++)
            if (v->x->A[p] != 0.0) v->row[v->start[A->column[p]] + v->touched[A->column[p]]++] = i;
    memset(v->touched, 0, sizeof *v->touched * (size_t)v->n);
    return true;
}

/* -------------------------------------------------------------------------- groups */

/* All rows that hang together with the first of `list`, appended to it; the new count. */
static int32_t gather_group(zg_survey *v, int32_t *list)
{
    const zg_pattern *A = &v->x->is->A;
    int32_t count = 1;
    for (int32_t k = 0; k < count; k++) {
        for (int32_t p = A->start[list[k]]; p < A->start[list[k] + 1]; p++) {
            int32_t c = A->column[p];
            if (v->x->A[p] == 0.0 || v->column_seen[c]) continue;
            v->column_seen[c] = 1;
            for (int32_t r = v->start[c]; r < v->start[c + 1]; r++) {
                if (v->group[v->row[r]] >= 0) continue;
                v->group[v->row[r]] = v->groups;
                list[count++] = v->row[r];
            }
        }
    }
    return count;
}

/* list [m]: scratch. */
static bool find_row_groups(zg_survey *v, int32_t *list)
{
    int32_t taking = 0;
    for (int32_t i = 0; i < v->m; i++) {
        v->group[i] = -1;
        taking += v->dependent[i];
    }
    v->group_size = ZB_NEW_ARRAY(v->scratch, int32_t, taking);
    if (!v->group_size) return false;
    for (int32_t i = 0; i < v->m; i++) {
        if (!v->dependent[i] || v->group[i] >= 0) continue;
        v->group[i] = v->groups;
        list[0] = i;
        v->group_size[v->groups] = gather_group(v, list);
        v->groups++;
    }
    memset(v->column_seen, 0, sizeof *v->column_seen * (size_t)v->n);
    return true;
}

/* ---------------------------------------------------------------- groups, searched */

/* The rows of each small group, ascending, groups one after another. */
typedef struct listing {
    int32_t *rows;     /* [m] */
    int32_t *first;    /* [groups + 1] */
    int32_t *order;    /* [groups] those with a conflict first, then by size */
    double *lost;      /* [m] the part of b that no acceleration reaches */
    bool *in_conflict; /* [groups] some of it is there */
} listing;

/* All but rows and lost, which the caller has. */
static bool take_listing(zg_survey *v, listing *l)
{
    l->first = ZB_NEW_ARRAY(v->scratch, int32_t, v->groups + 1);
    l->order = ZB_NEW_ARRAY(v->scratch, int32_t, v->groups);
    l->in_conflict = ZB_NEW_ARRAY(v->scratch, bool, v->groups);
    return l->first && l->order && l->in_conflict;
}

/* A counting sort of the rows by group. */
static void list_rows_of_groups(const zg_survey *v, listing *l)
{
    for (int32_t k = 0; k < v->groups; k++) l->first[k + 1] = l->first[k] + v->group_size[k];
    for (int32_t i = 0; i < v->m; i++)
        if (v->group[i] >= 0) l->rows[l->first[v->group[i]]++] = i;
    for (int32_t k = v->groups; k > 0; k--) l->first[k] = l->first[k - 1];
    l->first[0] = 0;
}

/* Small groups in the order they are looked at: counted by size, stable. */
static int32_t order_groups(const zg_survey *v, listing *l)
{
    int32_t at[2 * zg_small_group + 3] = {0}, count = 0;
    for (int32_t k = 0; k < v->groups; k++) {
        int32_t key = v->group_size[k] + (l->in_conflict[k] ? 0 : zg_small_group + 1);
        if (v->group_size[k] <= zg_small_group) at[key + 1]++;
    }
    for (int32_t k = 0; k < 2 * zg_small_group + 2; k++) at[k + 1] += at[k];
    for (int32_t k = 0; k < v->groups; k++) {
        int32_t key = v->group_size[k] + (l->in_conflict[k] ? 0 : zg_small_group + 1);
        if (v->group_size[k] > zg_small_group) continue;
        l->order[at[key]++] = k;
        count++;
    }
    return count;
}

/* Which groups hold what is lost, beyond the rounding of their rows. */
static void find_groups_in_conflict(const zg_survey *v, listing *l)
{
    for (int32_t i = 0; i < v->m; i++) {
        double rounding = 1e-10 * (fabs(v->b[i]) + v->length[i] * v->size_z);
        if (v->group[i] >= 0 && fabs(l->lost[i]) > rounding) l->in_conflict[v->group[i]] = true;
    }
}

/* Rows that no others hang together with. */
static zw_status search_whole_group(zg_survey *v, const int32_t *rows, int32_t count)
{
    int32_t before = v->to->shown.set_count, dropped = v->dropped;
    ZB_TRY(zg_search_all(v, rows, count));
    if (v->dropped > dropped) return ZW_OK; /* not all sets are there to be compared */
    zb_mark mark = zb_arena_mark(v->scratch);
    bool room = zg_findings_blame(v->to, before, v->scratch);
    zb_arena_release(v->scratch, mark);
    return room ? ZW_OK : v->scratch->failure;
}

/* *found: the redundancies of the groups that were searched whole; *all: every small one was. */
static zw_status search_groups(zg_survey *v, listing *l, int32_t *found, bool *all)
{
    int32_t count = order_groups(v, l);
    for (int32_t k = 0; k < count; k++) {
        const int32_t *rows = l->rows + l->first[l->order[k]];
        int32_t size = v->group_size[l->order[k]], before = v->to->shown.set_count;
        double cost = zg_search_cost(v, rows, size);
        bool full = v->agreeing == zg_most_sets && !l->in_conflict[l->order[k]];
        *all = *all && !full && cost <= v->work;
        if (full || cost > v->work) continue;
        v->work -= cost;
        for (int32_t i = 0; i < size; i++) v->to->unique[rows[i]] = true;
        ZB_TRY(search_whole_group(v, rows, size));
        *found += v->to->shown.set_count - before;
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------- near rows */

/* Row i follows from earlier rows nearby: that set is listed. */
static zw_status search_near_row(zg_survey *v, zg_ball *ball, int32_t i, int32_t steps)
{
    zg_ball_begin(v, ball, i);
    bool grown = true;
    for (int32_t k = 0; k < steps && grown; k++) grown = zg_ball_grow(v, ball, i, true);
    v->work -= 200.0 * (double)ball->count;
    if (!grown || !zg_ball_peel(v, ball)) return ZW_OK;
    zw_dependent_set set;
    zb_mark mark = zb_arena_mark(v->scratch);
    zw_status status = zg_ball_close(v, ball, &set);
    if (status == ZW_OK && set.count > 0) status = zg_survey_list(v, &set);
    zb_arena_release(v->scratch, mark);
    return status;
}

/* Some rows after the other, of these the smaller balls first. */
static zw_status search_near_rows(zg_survey *v, zg_ball *ball, int32_t least, int32_t most)
{
    enum { together = 256 };
    for (int32_t first = 0; first < v->m; first += together) {
        for (int32_t k = 0; k < (most - least + 1) * together; k++) {
            int32_t i = first + k % together, steps = least + k / together;
            if (v->agreeing >= zg_most_sets || v->work <= 0.0) return ZW_OK;
            if (i < v->m && is_in_large_group(v, i) && !v->wrong[i] && !is_listed(v->to, i))
                ZB_TRY(search_near_row(v, ball, i, steps));
        }
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------------- in order */

/* Steps 3 to 5 above; nullity: m - rank. */
static zw_status survey_large_groups(zg_survey *v, listing *l, int32_t nullity, bool conflicts)
{
    int32_t large = 0, found = 0;
    bool all = true;
    for (int32_t k = 0; k < v->groups; k++) large += v->group_size[k] > zg_small_group;
    ZB_TRY(search_groups(v, l, &found, &all));
    if (large == 0) return ZW_OK;
    v->work = all_work;
    if (all && nullity - found <= zg_most_nullity) return zg_survey_null(v, nullity - found);
    zg_ball ball;
    if (conflicts) ZB_TRY(zg_survey_conflicts(v, l->lost));
    if (!zg_ball_take(v, &ball)) return v->scratch->failure;
    v->work = all_work;
    ZB_TRY(search_near_rows(v, &ball, 1, 4));
    return search_near_rows(v, &ball, 5, 10);
}

/* What of b is out of reach: lost [m]. */
static zw_status compute_lost_part(zg_survey *v, double *lost, double *lost_norm)
{
    double *z = ZB_NEW_ARRAY(v->scratch, double, v->n), *f = ZB_NEW_ARRAY(v->scratch, double, v->n);
    double *lambda = ZB_NEW_ARRAY(v->scratch, double, v->m);
    if (!z || !f || !lambda) return v->scratch->failure;
    return zg_sparse_apply(v->g, f, v->b, z, lambda, lost, lost_norm);
}

/* Steps 1 and 2, then the others; what is not listed is counted. */
static zw_status survey_large_system(zg_survey *v)
{
    zw_gauss_rank_info rank;
    listing l = {.rows = ZB_NEW_ARRAY(v->scratch, int32_t, v->m),
                 .lost = ZB_NEW_ARRAY(v->scratch, double, v->m)};
    double lost_norm = 0.0;
    if (!l.rows || !l.lost) return v->scratch->failure;
    ZB_TRY(zg_sparse_rank(v->g, &rank));
    if (rank.rank >= v->on) return ZW_OK;
    ZB_TRY(mark_dependent_rows(v, l.lost));
    if (!collect_columns(v) || !find_row_groups(v, l.rows) || !take_listing(v, &l))
        return v->scratch->failure;
    list_rows_of_groups(v, &l);
    ZB_TRY(compute_lost_part(v, l.lost, &lost_norm));
    if (lost_norm > 0.0) find_groups_in_conflict(v, &l);
    ZB_TRY(survey_large_groups(v, &l, v->on - rank.rank, lost_norm > 0.0));
    v->to->shown.unlisted = v->on - rank.rank - v->to->shown.set_count;
    if (v->to->shown.unlisted < 0) v->to->shown.unlisted = 0;
    return ZW_OK;
}

/* Small systems: all rows, as the dense solver does it. */
static zw_status survey_small_system(zg_survey *v)
{
    int32_t *rows = ZB_NEW_ARRAY(v->scratch, int32_t, v->m);
    if (!rows) return v->scratch->failure;
    for (int32_t i = 0, k = 0; i < v->m; i++)
        if (!is_off(v, i)) rows[k++] = i;
    return search_whole_group(v, rows, v->on);
}

/* Small systems whole, large ones step by step. */
static zw_status survey_system(zg_survey *v)
{
    bool small = v->m <= zg_small_group && v->n <= zg_small_group;
    if (!take_survey_arrays(v)) return v->scratch->failure;
    measure_survey_rows(v);
    ZB_TRY(zg_findings_new(zg_sparse_memory(v->g), v->m, small ? v->m : 3 * zg_most_sets, &v->to));
    return small ? survey_small_system(v) : survey_large_system(v);
}

static bool are_all_finite(int32_t count, const double *x)
{
    for (int32_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Scratch lives as long as the call, the findings are the caller's. */
zw_status zg_sparse_diagnose(zg_sparse *g, const double *b, const double *acceleration,
                             zw_diagnosis **out)
{
    const zg_numbers *x = zg_sparse_numbers(g);
    int32_t n = x->is->n, m = x->is->m;
    zb_arena scratch;
    if (!are_all_finite(m, b) || !are_all_finite(n, acceleration)) return ZW_ERR_NOT_FINITE;
    zb_arena_init(&scratch, zg_sparse_memory(g), 0);
    zg_survey v = {.g = g, .x = x, .n = n, .m = m, .b = b, .scratch = &scratch, .work = all_work};
    v.size_z = measure_length(n, acceleration);
    v.on = m;
    for (int32_t i = 0; i < m; i++) v.on -= is_off(&v, i);
    zw_status status = survey_system(&v);
    zb_arena_clear(&scratch);
    if (status == ZW_OK) {
        zg_findings_close(v.to);
        *out = &v.to->shown;
    } else if (v.to) {
        zg_diagnosis_free(&v.to->shown);
    }
    return status;
}
