/*
 * Conflicts in large groups of rows, where not every dependent set can be looked at. Words: hunt.h.
 *
 * The part of b that no acceleration reaches, lost, is large around the rows that are wrong. From
 * its peak a ball is grown until its own rows contradict each other. There, with A' and b' the rows
 * of its core scaled to norm 1 and P the projector onto the null space of A'^T,
 *
 *     r = P b',   and where row i alone is wrong, by e:   r = e P e_i
 *
 * so that row i is found by |r_i| / (|r| sqrt(P_ii)), the correlation of r with P e_i, which is 1
 * for it; among rows that explain r equally well the last declared is taken. Where it does not
 * explain all of r it is given up, and the next is sought, until what remains agrees. At the edge
 * of a ball more rows look alike than there are, so the ball is moved until that row is its center.
 * Then b_i is corrected and what is lost is computed again: conflicts far apart are found in one
 * pass, those that others hide in the next. Rows whose b differs at the end are wrong.
 *
 * The set that is listed closes around that row in the smallest ball in which it contradicts.
 * Where no ball of bearable size contradicts itself, s = W lost, which satisfies A^T s = 0, is
 * listed as it is: dependent, conflicting, but perhaps not minimal.
 */
#include <math.h>
#include <string.h>

#include "driver.h"
#include "hunt.h"

static const double conflict_tolerance = 1e-9;
static const double more_work = 2e8; /* for the sets */
static const double same_fit = 1e-6; /* correlations closer than this do not differ */
enum { most_passes = 8, most_peaks = 16, most_moves = 6, most_steps = 64, most_together = 6 };

typedef struct hunt {
    zg_survey *v;
    double *right;                /* [m] b, with the rows found wrong corrected */
    double *lost, *peak, *lambda; /* [m] */
    double *z, *f;                /* [n] */
    bool *covered;                /* [m] looked at in this pass */
    int32_t *wrong;               /* [zg_most_sets] rows found wrong, perhaps */
    int32_t wrong_count;
    zg_ball ball;
} hunt;

/* The rows of a ball that explain its conflict together, most often one. */
typedef struct suspects {
    bool in_conflict; /* there is a conflict */
    bool complete;    /* and they explain all of it */
    int32_t count;
    int32_t row[most_together];
    double by[most_together]; /* what their right sides are off by */
} suspects;

/* P b' of a core as rows are given up: r, the diagonal of P, and the directions taken out. */
typedef struct reduced {
    double *r, *diagonal;             /* [core] */
    double *direction[most_together]; /* [core] orthonormal */
    double share[most_together];      /* of r, along them */
    int32_t at[most_together];        /* rows given up, places in the core */
    int32_t count;
} reduced;

/* -------------------------------------------------------------- within a ball */

/* r = P b' and the diagonal of P, from an orthonormal basis of the columns of A'. */
static void project_right_side(const hunt *h, const zg_search *q, reduced *x)
{
    const zg_ball *ball = &h->ball;
    double *r = x->r, *diagonal = x->diagonal;
    for (int32_t i = 0; i < ball->kept; i++) {
        r[i] = h->right[ball->core[i]] / h->v->length[ball->core[i]];
        diagonal[i] = 1.0;
    }
    for (int twice = 0; twice < 2; twice++) {
        for (int32_t k = 0; k < q->kept; k++) {
            const double *e = q->basis + (size_t)k * (size_t)q->n;
            double c = 0.0;
            for (int32_t i = 0; i < q->n; i++) c += e[i] * r[i];
            for (int32_t i = 0; i < q->n; i++) r[i] -= c * e[i];
            for (int32_t i = 0; i < q->n && twice == 0; i++) diagonal[i] -= e[i] * e[i];
        }
    }
}

/* Is what is left of r more than rounding? */
static bool is_in_conflict(const hunt *h, const double *r)
{
    const zg_survey *v = h->v;
    double size = 0.0, rounding = 0.0;
    for (int32_t i = 0; i < h->ball.kept; i++) {
        int32_t row = h->ball.core[i];
        size += r[i] * r[i];
        rounding += fabs(r[i]) * (fabs(h->right[row]) / v->length[row] + v->size_z);
    }
    return size > conflict_tolerance * rounding;
}

/* The row whose P e_i correlates best with r; of equal ones the last declared. */
static int32_t find_best_row(const hunt *h, const reduced *x)
{
    double size = 0.0, best = 0.0;
    int32_t found = -1;
    for (int32_t i = 0; i < h->ball.kept; i++) size += x->r[i] * x->r[i];
    for (int32_t i = 0; i < h->ball.kept; i++) {
        if (x->diagonal[i] <= 1e-9) continue; /* hardly in any dependent set, or given up */
        double fit = sqrt(x->r[i] * x->r[i] / (x->diagonal[i] * size));
        bool same = found >= 0 && fabs(fit - best) <= same_fit;
        if (same ? h->ball.core[i] < h->ball.core[found] : fit <= best) continue;
        best = fmax(best, fit);
        found = i;
    }
    return found;
}

/* Takes vector e [n] out of d. */
static void remove_component(int32_t n, const double *e, double *d)
{
    double c = 0.0;
    for (int32_t i = 0; i < n; i++) c += e[i] * d[i];
    for (int32_t i = 0; i < n; i++) d[i] -= c * e[i];
}

/* Row i (of the core) is given up: its direction P e_i goes out of r and P. */
static void give_up_row(const zg_search *q, int32_t i, reduced *x)
{
    double *d = x->direction[x->count], norm = 0.0, share = 0.0;
    memset(d, 0, sizeof *d * (size_t)q->n);
    d[i] = 1.0;
    for (int twice = 0; twice < 2; twice++) {
        for (int32_t k = 0; k < q->kept; k++)
            remove_component(q->n, q->basis + (size_t)k * (size_t)q->n, d);
        for (int32_t k = 0; k < x->count; k++) remove_component(q->n, x->direction[k], d);
    }
    for (int32_t k = 0; k < q->n; k++) norm += d[k] * d[k];
    for (int32_t k = 0; k < q->n; k++) {
        d[k] /= sqrt(norm);
        share += d[k] * x->r[k];
    }
    for (int32_t k = 0; k < q->n; k++) {
        x->r[k] -= share * d[k];
        x->diagonal[k] -= d[k] * d[k];
    }
    x->share[x->count] = share;
    x->at[x->count++] = i;
}

/* What the rows given up are off by together: r = sum e_k P e_k. A row that was given up in vain
 * gets 0. */
static void solve_errors(const hunt *h, const reduced *x, suspects *found)
{
    double e[most_together], most = 0.0;
    for (int32_t k = x->count - 1; k >= 0; k--) {
        e[k] = x->share[k];
        for (int32_t j = k + 1; j < x->count; j++) e[k] -= e[j] * x->direction[k][x->at[j]];
        e[k] /= x->direction[k][x->at[k]];
        most = fmax(most, fabs(e[k]));
    }
    for (int32_t k = 0; k < x->count; k++) {
        if (!(fabs(e[k]) > 1e-6 * most)) continue;
        found->row[found->count] = h->ball.core[x->at[k]];
        found->by[found->count] = e[k] * h->v->length[found->row[found->count]];
        found->count++;
    }
}

/* One row after the other is given up until the others agree. */
static void judge_ball(const hunt *h, const zg_search *q, reduced *x, suspects *found)
{
    bool in_conflict = found->in_conflict = is_in_conflict(h, x->r);
    int32_t most = (q->n - q->kept) / 4; /* any as many rows as there are sets explain everything */
    most = most < 1 ? 1 : most > most_together ? most_together : most;
    while (in_conflict && x->count < most) {
        int32_t i = find_best_row(h, x);
        if (i < 0) break;
        give_up_row(q, i, x);
        in_conflict = is_in_conflict(h, x->r);
    }
    found->complete = !in_conflict;
    if (in_conflict && x->count > 1) x->count = 1; /* too many to be told apart: the first alone */
    solve_errors(h, x, found);
}

/* The columns of the core, its rows scaled to norm 1, made orthonormal. */
static bool orthonormalise_columns(const hunt *h, zg_search *q)
{
    const zg_ball *ball = &h->ball;
    double distance;
    if (!zg_load_rows(h->v, ball->core, ball->kept, true, q)) return false;
    for (int32_t c = 0; c < q->m; c++)
        for (int32_t i = 0; i < q->n; i++)
            q->rows[(size_t)c * (size_t)q->n + (size_t)i] /= h->v->length[ball->core[i]];
    zg_search_begin(q, 0.0);
    for (int32_t c = 0; c < q->m; c++) (void)zg_search_row(q, c, &distance);
    return true;
}

/* All arrays [count], from scratch; false: no memory. */
static bool take_reduced(zg_survey *v, int32_t count, reduced *x)
{
    *x = (reduced){.r = ZB_NEW_ARRAY(v->scratch, double, count),
                   .diagonal = ZB_NEW_ARRAY(v->scratch, double, count)};
    bool room = x->r && x->diagonal;
    for (int32_t k = 0; k < most_together && room; k++) {
        x->direction[k] = ZB_NEW_ARRAY(v->scratch, double, count);
        room = x->direction[k] != NULL;
    }
    return room;
}

/* Which rows explain the conflict in the core of the ball; none where it is empty or would cost
 * more work than is left. */
static zw_status examine_core(hunt *h, suspects *found)
{
    zg_survey *v = h->v;
    zg_search q;
    reduced x;
    double cost = zg_search_cost(v, h->ball.core, h->ball.kept);
    *found = (suspects){.count = 0};
    if (h->ball.kept == 0 || cost > v->work) return ZW_OK;
    v->work -= cost;
    zb_mark mark = zb_arena_mark(v->scratch);
    bool room = take_reduced(v, h->ball.kept, &x) && orthonormalise_columns(h, &q);
    if (room) {
        project_right_side(h, &q, &x);
        judge_ball(h, &q, &x, found);
    }
    zb_arena_release(v->scratch, mark);
    return room ? ZW_OK : v->scratch->failure;
}

/* A ball of so many steps around a row; the row may be peeled off. */
static void grow_ball_around(hunt *h, int32_t row, int32_t steps)
{
    zg_ball_begin(h->v, &h->ball, row);
    for (int32_t k = 0; k < steps; k++)
        if (!zg_ball_grow(h->v, &h->ball, INT32_MAX, false)) break;
    (void)zg_ball_peel(h->v, &h->ball);
}

static void cover_ball(hunt *h)
{
    for (int32_t k = 0; k < h->ball.count; k++) h->covered[h->ball.rows[k]] = true;
}

/* Grows a ball around the peak until it contradicts itself, then moves it. */
static zw_status find_suspects(hunt *h, int32_t peak, suspects *found)
{
    int32_t steps = 1, before = 0;
    *found = (suspects){.count = 0};
    for (; steps <= most_steps; steps++) {
        grow_ball_around(h, peak, steps);
        if (h->ball.count == before) break; /* full, or everything */
        before = h->ball.count;
        ZB_TRY(examine_core(h, found));
        if (found->in_conflict) break;
    }
    cover_ball(h);
    for (int32_t move = 0, center = peak; move < most_moves && found->count > 0; move++) {
        if (move > 0 && found->row[0] == center) break;
        suspects next;
        center = found->row[0];
        grow_ball_around(h, center, steps + 1);
        cover_ball(h);
        ZB_TRY(examine_core(h, &next));
        bool better = next.complete && next.count <= found->count;
        if (next.count == 0 || (found->complete && !better)) break; /* others come in */
        *found = next;
    }
    return ZW_OK;
}

/* -------------------------------------------------------------------- the set */

/* The set by which the center of the ball follows from its core, if that is a conflict: *listed. */
static zw_status list_closed_set(hunt *h, bool *listed)
{
    zg_survey *v = h->v;
    zw_dependent_set set;
    zb_mark mark = zb_arena_mark(v->scratch);
    zw_status status = zg_ball_close(v, &h->ball, &set);
    if (status == ZW_OK && set.count > 0) {
        zg_judge_set(&set, v->b, v->length, v->size_z);
        *listed = set.conflict;
        set.suspect = h->ball.center;
        if (set.conflict) status = zg_survey_list(v, &set);
    }
    zb_arena_release(v->scratch, mark);
    return status;
}

/* The smallest ball around the row in which it contradicts the others; rows found wrong before
 * take part only where there is no other way. */
static zw_status list_set_around(hunt *h, int32_t row, bool *listed)
{
    for (int32_t with = 0; with < 2 && !*listed; with++) {
        zg_ball_begin(h->v, &h->ball, row);
        for (int32_t k = 0; k < most_steps && !*listed; k++) {
            if (!zg_ball_grow(h->v, &h->ball, INT32_MAX, with == 0)) break;
            if (zg_ball_peel(h->v, &h->ball)) ZB_TRY(list_closed_set(h, listed));
        }
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------- everything */

/* How strongly each row of a large group takes part in what is lost, free of units. */
static void measure_peaks(hunt *h)
{
    const zg_survey *v = h->v;
    zg_weight_apply(v->g, h->lost, h->peak);
    for (int32_t i = 0; i < v->m; i++) {
        bool large = v->group[i] >= 0 && v->group_size[v->group[i]] > zg_small_group;
        double rounding = 1e-10 * (fabs(v->b[i]) + v->length[i] * v->size_z);
        bool takes = large && fabs(h->lost[i]) > rounding;
        h->peak[i] = takes ? sqrt(fabs(h->lost[i] * h->peak[i])) : 0.0;
        h->covered[i] = false;
    }
}

/* The row not covered yet that takes part most; -1: none does. */
static int32_t find_highest_peak(const hunt *h)
{
    int32_t best = -1;
    for (int32_t i = 0; i < h->v->m; i++)
        if (!h->covered[i] && h->peak[i] > (best < 0 ? 0.0 : h->peak[best])) best = i;
    return best;
}

/* s = W lost, of the group of its peak. */
static zw_status list_compromise(hunt *h)
{
    zg_survey *v = h->v;
    zw_dependent_set set = {.suspect = -1};
    int32_t peak = find_highest_peak(h), *rows = ZB_NEW_ARRAY(v->scratch, int32_t, v->m);
    double *s = ZB_NEW_ARRAY(v->scratch, double, v->m), largest = 0.0;
    if (!rows || !s) return v->scratch->failure;
    if (peak < 0) return ZW_OK;
    zg_weight_apply(v->g, h->lost, h->lambda);
    for (int32_t i = 0; i < v->m; i++)
        if (v->group[i] == v->group[peak])
            largest = fmax(largest, fabs(h->lambda[i]) * v->length[i]);
    for (int32_t i = 0; i < v->m; i++) {
        bool takes = fabs(h->lambda[i]) * v->length[i] > 1e-7 * largest;
        if (v->group[i] != v->group[peak] || !takes) continue;
        rows[set.count] = i;
        s[set.count++] = h->lambda[i];
    }
    set.row = rows[set.count - 1];
    for (int32_t k = 0; k < set.count; k++) s[k] /= h->lambda[set.row];
    set.rows = rows;
    set.coefficients = s;
    return zg_survey_list(v, &set);
}

/* Row `row` is wrong by so much, as far as is known; it may have been before. */
static void correct_right_side(hunt *h, int32_t row, double by)
{
    int32_t k = 0;
    while (k < h->wrong_count && h->wrong[k] != row) k++;
    if (k == zg_most_sets) return;
    h->wrong[k] = row;
    h->wrong_count += k == h->wrong_count;
    h->right[row] -= by;
}

/* All peaks of about the same height. */
static zw_status examine_peaks(hunt *h, int32_t *found)
{
    int32_t first = find_highest_peak(h);
    double least = first < 0 ? 0.0 : 0.25 * h->peak[first];
    for (int32_t k = 0; k < most_peaks && h->wrong_count < zg_most_sets; k++) {
        suspects s;
        int32_t peak = find_highest_peak(h);
        if (peak < 0 || h->peak[peak] < least) break;
        ZB_TRY(find_suspects(h, peak, &s));
        h->covered[peak] = true;
        for (int32_t j = 0; j < s.count; j++) correct_right_side(h, s.row[j], s.by[j]);
        *found += s.count;
    }
    return ZW_OK;
}

/* Until nothing is lost: right differs from b where a row is wrong. */
static zw_status find_wrong_rows(hunt *h)
{
    zg_survey *v = h->v;
    for (int32_t pass = 0; pass < most_passes; pass++) {
        int32_t found = 0;
        double norm = 1.0;
        if (pass > 0)
            ZB_TRY(zg_sparse_apply(v->g, h->f, h->right, h->z, h->lambda, h->lost, &norm));
        if (norm <= 0.0) break;
        measure_peaks(h);
        ZB_TRY(examine_peaks(h, &found));
        if (found == 0 || h->wrong_count == zg_most_sets || v->work <= 0.0) break;
    }
    return ZW_OK;
}

/* Where two wrong rows lie close together a third may have been taken first, and have been put
 * back into its place by what followed: what counts is the correction that remains. */
static void sort_out_wrong_rows(hunt *h)
{
    const zg_survey *v = h->v;
    double most = 0.0;
    for (int32_t k = 0; k < h->wrong_count; k++) {
        int32_t i = h->wrong[k];
        most = fmax(most, fabs(h->right[i] - v->b[i]) / v->length[i]);
    }
    for (int32_t k = 0; k < h->wrong_count; k++) {
        int32_t i = h->wrong[k];
        v->wrong[i] = fabs(h->right[i] - v->b[i]) / v->length[i] > 1e-6 * most;
    }
}

/* The wrong rows, and a set for each; where none closes, the compromise. */
static zw_status hunt_conflicts(hunt *h, const double *lost)
{
    int32_t listed = 0;
    ZB_TRY(find_wrong_rows(h));
    sort_out_wrong_rows(h);
    h->v->work += more_work;
    for (int32_t k = 0; k < h->wrong_count; k++) {
        bool closed = false;
        if (h->v->wrong[h->wrong[k]]) ZB_TRY(list_set_around(h, h->wrong[k], &closed));
        listed += closed;
    }
    if (listed > 0) return ZW_OK;
    memcpy(h->lost, lost, sizeof(double) * (size_t)h->v->m);
    measure_peaks(h);
    return list_compromise(h);
}

/* Takes the memory of the hunt. */
zw_status zg_survey_conflicts(zg_survey *v, const double *lost)
{
    size_t n = (size_t)v->n, m = (size_t)v->m;
    hunt h = {.v = v};
    h.right = ZB_NEW_ARRAY(v->scratch, double, m);
    h.lost = ZB_NEW_ARRAY(v->scratch, double, m);
    h.peak = ZB_NEW_ARRAY(v->scratch, double, m);
    h.lambda = ZB_NEW_ARRAY(v->scratch, double, m);
    h.covered = ZB_NEW_ARRAY(v->scratch, bool, m);
    h.z = ZB_NEW_ARRAY(v->scratch, double, n);
    h.f = ZB_NEW_ARRAY(v->scratch, double, n);
    h.wrong = ZB_NEW_ARRAY(v->scratch, int32_t, zg_most_sets);
    bool room = h.wrong && h.right && h.lost && h.peak && h.lambda && h.covered && h.z && h.f;
    if (!room || !zg_ball_take(v, &h.ball)) return v->scratch->failure;
    memcpy(h.right, v->b, sizeof(double) * m);
    memcpy(h.lost, lost, sizeof(double) * m);
    return hunt_conflicts(&h, lost);
}
