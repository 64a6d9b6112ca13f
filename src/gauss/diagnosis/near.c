/*
 * Neighbourhoods of rows. Two rows are neighbours when both touch a coordinate; a *ball* grows from
 * its center by whole layers. Within a ball, a row that touches some coordinate alone is in no
 * dependent set there: its coefficient would have to vanish. Such rows are peeled off, then those
 * that have become alone, and so on; in a ball of a lattice little is left but what closes. The
 * rest, the *core*, is searched as a dense matrix (dependent.c), nearest rows first and the center
 * last, so that what it follows from lies near it.
 *
 * The arrays [n] and [m] of the survey are marked with a stamp, or are cleared after use, so that
 * a ball costs what it holds and not what the system holds.
 */
#include <math.h>
#include <string.h>

#include "hunt.h"

enum {
    most_cells = 4000000 /* of one dense matrix */
};

/* ---------------------------------------------------------------------- balls */

bool zg_ball_take(zg_survey *v, zg_ball *ball)
{
    ball->rows = ZB_NEW_ARRAY(v->scratch, int32_t, zg_small_group);
    ball->core = ZB_NEW_ARRAY(v->scratch, int32_t, zg_small_group);
    return ball->rows && ball->core;
}

/* A new stamp: nothing is seen yet but the center. */
void zg_ball_begin(zg_survey *v, zg_ball *ball, int32_t center)
{
    v->stamp++;
    ball->center = center;
    ball->rows[0] = center;
    ball->count = 1;
    ball->layer = 0;
    ball->kept = 0;
    v->row_seen[center] = v->stamp;
}

/* The rows of column c that are not in it yet. False: it is full. */
static bool add_rows_of_column(zg_survey *v, zg_ball *ball, int32_t c, int32_t before, bool avoid)
{
    if (v->column_seen[c] == v->stamp) return true;
    v->column_seen[c] = v->stamp;
    for (int32_t p = v->start[c]; p < v->start[c + 1] && v->row[p] < before; p++) {
        if (v->row_seen[v->row[p]] == v->stamp || (avoid && v->wrong[v->row[p]])) continue;
        if (ball->count == zg_small_group) return false;
        v->row_seen[v->row[p]] = v->stamp;
        ball->rows[ball->count++] = v->row[p];
    }
    return true;
}

/* The rows that share a coordinate with the outermost layer become the next one, until the
 * ball is full. */
bool zg_ball_grow(zg_survey *v, zg_ball *ball, int32_t before, bool avoid)
{
    const zg_pattern *A = &v->x->is->A;
    int32_t first = ball->layer, end = ball->count;
    bool room = true;
    ball->layer = end;
    for (int32_t k = first; k < end && room; k++)
        for (int32_t p = A->start[ball->rows[k]]; p < A->start[ball->rows[k] + 1] && room; p++)
            if (v->x->A[p] != 0.0) room = add_rows_of_column(v, ball, A->column[p], before, avoid);
    return ball->count > end;
}

/* ------------------------------------------------------------------- peeling */

/* touched[c] counts the rows of the ball that touch column c; +1 or -1 for row i. */
static void count_touched_columns(zg_survey *v, int32_t i, int32_t by)
{
    const zg_pattern *A = &v->x->is->A;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
        if (v->x->A[p] != 0.0) v->touched[A->column[p]] += by;
}

/* Row i is the only one of the ball in some column? */
static bool touches_column_alone(const zg_survey *v, int32_t i)
{
    const zg_pattern *A = &v->x->is->A;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
        if (v->x->A[p] != 0.0 && v->touched[A->column[p]] == 1) return true;
    return false;
}

/* Counts how many rows touch each column, and takes rows away until none is alone. */
bool zg_ball_peel(zg_survey *v, zg_ball *ball)
{
    bool center = false, again = true;
    memcpy(ball->core, ball->rows, sizeof *ball->core * (size_t)ball->count);
    ball->kept = ball->count;
    for (int32_t k = 0; k < ball->kept; k++) count_touched_columns(v, ball->core[k], 1);
    while (again) {
        int32_t left = 0;
        for (int32_t k = ball->kept - 1; k >= 0; k--) { /* from outside */
            if (!touches_column_alone(v, ball->core[k])) continue;
            count_touched_columns(v, ball->core[k], -1);
            ball->core[k] = -1;
        }
        for (int32_t k = 0; k < ball->kept; k++)
            if (ball->core[k] >= 0) ball->core[left++] = ball->core[k];
        again = left < ball->kept;
        ball->kept = left;
    }
    for (int32_t k = 0; k < ball->kept; k++) {
        count_touched_columns(v, ball->core[k], -1);
        center = center || ball->core[k] == ball->center;
    }
    return center;
}

/* ------------------------------------------------------------- dense matrices */

/* Numbers the columns that the rows touch, in the order they come; column_at is -1 elsewhere. */
static int32_t number_columns(zg_survey *v, const int32_t *rows, int32_t count)
{
    const zg_pattern *A = &v->x->is->A;
    int32_t columns = 0;
    for (int32_t k = 0; k < count; k++) {
        for (int32_t p = A->start[rows[k]]; p < A->start[rows[k] + 1]; p++) {
            int32_t c = A->column[p];
            if (v->x->A[p] != 0.0 && v->column_at[c] < 0) v->column_at[c] = columns++;
        }
    }
    return columns;
}

/* column_at is -1 again where the rows are. */
static void forget_columns(zg_survey *v, const int32_t *rows, int32_t count)
{
    const zg_pattern *A = &v->x->is->A;
    for (int32_t k = 0; k < count; k++)
        for (int32_t p = A->start[rows[k]]; p < A->start[rows[k] + 1]; p++)
            v->column_at[A->column[p]] = -1;
}

/* Operations of Gram-Schmidt, twice; HUGE_VAL: too large a matrix. */
double zg_search_cost(zg_survey *v, const int32_t *rows, int32_t count)
{
    double n = (double)number_columns(v, rows, count), m = (double)count;
    forget_columns(v, rows, count);
    if (m * n > most_cells) return HUGE_VAL;
    return 4.0 * n * m * fmin(n, m);
}

/* Memory of the search is that of scratch. */
bool zg_load_rows(zg_survey *v, const int32_t *rows, int32_t count, bool transposed, zg_search *q)
{
    const zg_pattern *A = &v->x->is->A;
    int32_t columns = number_columns(v, rows, count);
    *q = (zg_search){.n = transposed ? count : columns, .m = transposed ? columns : count};
    bool room = zg_search_take(q, v->scratch);
    for (int32_t k = 0; k < count && room; k++) {
        for (int32_t p = A->start[rows[k]]; p < A->start[rows[k] + 1]; p++) {
            int32_t c = v->column_at[A->column[p]];
            size_t at = transposed ? (size_t)c * (size_t)count + (size_t)k
                                   : (size_t)k * (size_t)columns + (size_t)c;
            if (c >= 0) q->rows[at] = v->x->A[p];
        }
    }
    forget_columns(v, rows, count);
    return room;
}

/* ------------------------------------------------------------------- searching */

/* The relation found last as a set; arrays in scratch, rows ascending, the last coefficient 1. */
static bool take_relation(zg_survey *v, const zg_search *q, const int32_t *rows,
                          zw_dependent_set *set)
{
    int32_t *found = ZB_NEW_ARRAY(v->scratch, int32_t, q->m);
    double *s = ZB_NEW_ARRAY(v->scratch, double, q->m);
    if (!found || !s) return false;
    for (int32_t i = 0; i < q->m; i++) {
        if (q->s[i] == 0.0) continue;
        int32_t k = set->count++;
        for (; k > 0 && found[k - 1] > rows[i]; k--) { /* few, or in order */
            found[k] = found[k - 1];
            s[k] = s[k - 1];
        }
        found[k] = rows[i];
        s[k] = q->s[i];
    }
    double last = s[set->count - 1];
    for (int32_t k = 0; k < set->count; k++) s[k] /= last;
    set->row = found[set->count - 1];
    set->rows = found;
    set->coefficients = s;
    return true;
}

/* Every set is listed; its arrays are scratch. */
static zw_status search_loaded_rows(zg_survey *v, zg_search *q, const int32_t *rows)
{
    zg_search_begin(q, v->x->is->rank_tolerance);
    for (int32_t k = 0; k < q->m; k++) {
        zw_dependent_set set = {.suspect = -1};
        zg_found found = zg_search_row(q, k, &set.distance);
        if (found == ZG_INDEPENDENT) continue;
        set.nearly = found == ZG_NEARLY;
        zb_mark mark = zb_arena_mark(v->scratch);
        bool room = take_relation(v, q, rows, &set);
        zw_status status = room ? zg_survey_list(v, &set) : v->scratch->failure;
        zb_arena_release(v->scratch, mark);
        ZB_TRY(status);
    }
    return ZW_OK;
}

/* rows [count] are given as the survey counts them. */
zw_status zg_search_all(zg_survey *v, const int32_t *rows, int32_t count)
{
    zg_search q;
    zb_mark mark = zb_arena_mark(v->scratch);
    bool room = zg_load_rows(v, rows, count, false, &q);
    zw_status status = room ? search_loaded_rows(v, &q, rows) : v->scratch->failure;
    zb_arena_release(v->scratch, mark);
    return status;
}

/* Only the last row counts: is it dependent on the ones before? */
static zw_status search_core(zg_survey *v, const int32_t *order, int32_t count,
                             zw_dependent_set *set)
{
    zg_search q;
    zg_found found = ZG_INDEPENDENT;
    if (!zg_load_rows(v, order, count, false, &q)) return v->scratch->failure;
    zg_search_begin(&q, v->x->is->rank_tolerance);
    for (int32_t k = 0; k < count; k++) found = zg_search_row(&q, k, &set->distance);
    if (found != ZG_DEPENDENT) return ZW_OK;
    return take_relation(v, &q, order, set) ? ZW_OK : v->scratch->failure;
}

/* The center goes to the end of the order. Nothing is done where the work left does not suffice. */
zw_status zg_ball_close(zg_survey *v, const zg_ball *ball, zw_dependent_set *set)
{
    *set = (zw_dependent_set){.suspect = -1};
    double cost = zg_search_cost(v, ball->core, ball->kept);
    if (cost > v->work) return ZW_OK;
    v->work -= cost;
    int32_t *order = ZB_NEW_ARRAY(v->scratch, int32_t, ball->kept), count = 0;
    if (!order) return v->scratch->failure;
    for (int32_t k = 0; k < ball->kept; k++)
        if (ball->core[k] != ball->center) order[count++] = ball->core[k];
    order[count++] = ball->center;
    return search_core(v, order, count, set);
}
