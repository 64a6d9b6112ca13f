/*
 * X = L D L^T row by row, for matrices whose factor stays thin: chains, trees, mechanisms.
 *
 * Row k of L solves a triangular system with the rows before it: with y = row k of X,
 *
 *     for each column i of row k of L, ascending:
 *         y_j -= L_ji y_i          for the rows j, i < j < k, of column i
 *         L_ki = y_i / D_i,  D_k -= L_ki y_i
 *
 * Analysis finds, once, the columns of every row of L (the nodes on the paths up the elimination
 * tree from the entries of X) and where each entry lies in its column: a factorisation follows
 * lists and searches nothing. Rows are those of the chosen order; `from` leads from their entries
 * to the caller's values.
 *
 * One block of memory, taken by plan, apart from what plan itself needs on the way.
 */
#include <math.h>
#include <string.h>

#include "factoring.h"

typedef struct up_looking {
    zb_arena arena;
    int32_t n;
    int32_t *order;          /* [n] */
    int32_t *start;          /* [n + 1] rows of X without the diagonal, in the order */
    int32_t *index, *from;   /* [start[n]] column; which value */
    int32_t *diagonal;       /* [n] which value */
    bool *direct;            /* [n] row k of L has the columns of X, and nothing fills in */
    int32_t *rows;           /* [n + 1] rows of L: */
    int32_t *column, *place; /* [rows[n]] column, and where in its column */
    int32_t *columns;        /* [n + 1] columns of L: */
    int32_t *row;            /* [columns[n]] rows, ascending */
    double *L;               /* [columns[n]] */
    double *inverse;         /* [n] 1 / D */
    double *y;               /* [n] 0 between rows */
} up_looking;

/* ---------------------------------------------------------------------- analysis */

/* Rows of X in the order, lower triangle; each entry goes to the later of its two. */
static bool permute_rows(up_looking *f, const za_symmetric *x)
{
    int32_t n = f->n;
    int32_t *at = ZB_NEW_ARRAY(&f->arena, int32_t, n); /* the reverse of order */
    if (!at) return false;
    for (int32_t k = 0; k < n; k++) at[f->order[k]] = k;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1] - 1; p++) {
            int32_t a = at[i], b = at[x->index[p]];
            f->start[(a > b ? a : b) + 1]++;
        }
    }
    for (int32_t k = 0; k < n; k++) f->start[k + 1] += f->start[k];
    int32_t *next = ZB_NEW_ARRAY(&f->arena, int32_t, n);
    if (!next) return false;
    if (n > 0) memcpy(next, f->start, sizeof *next * (size_t)n);
    for (int32_t i = 0; i < n; i++) {
        int32_t a = at[i], last = x->start[i + 1] - 1;
        for (int32_t p = x->start[i]; p < last; p++) {
            int32_t b = at[x->index[p]], q = next[a > b ? a : b]++;
            f->index[q] = a > b ? b : a;
            f->from[q] = p;
        }
        f->diagonal[a] = last;
    }
    return true;
}

/* Columns ascending in every row. */
static void sort_row_columns(up_looking *f)
{
    for (int32_t k = 0; k < f->n; k++) {
        for (int32_t p = f->start[k] + 1; p < f->start[k + 1]; p++) {
            int32_t index = f->index[p], from = f->from[p], q = p;
            for (; q > f->start[k] && f->index[q - 1] > index; q--) {
                f->index[q] = f->index[q - 1];
                f->from[q] = f->from[q - 1];
            }
            f->index[q] = index;
            f->from[q] = from;
        }
    }
}

/* The paths up the elimination tree: `reach` gets the columns of row k of L, in no order; returns
 * how many. seen [n] holds the last row that came by. */
static int32_t find_row_reach(const up_looking *f, int32_t k, const int32_t *parent, int32_t *seen,
                              int32_t *reach)
{
    int32_t count = 0;
    seen[k] = k;
    for (int32_t p = f->start[k]; p < f->start[k + 1]; p++) {
        for (int32_t i = f->index[p]; seen[i] != k; i = parent[i]) {
            reach[count++] = i;
            seen[i] = k;
        }
    }
    return count;
}

/* parent [n], and the number of entries of each column in f->columns[i + 1]; false: too many. */
static bool count_columns(up_looking *f, int32_t *parent, int32_t *seen)
{
    int64_t all = 0;
    for (int32_t k = 0; k < f->n; k++) {
        parent[k] = -1;
        seen[k] = k;
        for (int32_t p = f->start[k]; p < f->start[k + 1]; p++) {
            for (int32_t i = f->index[p]; seen[i] != k; i = parent[i]) {
                if (parent[i] < 0) parent[i] = k;
                f->columns[i + 1]++;
                f->rows[k + 1]++;
                seen[i] = k;
                all++;
            }
        }
    }
    return all < INT32_MAX / 2;
}

/* Columns are filled row by row, so their rows ascend; rows are then filled column by column. */
static void fill_structure(up_looking *f, const int32_t *parent, int32_t *seen, int32_t *reach,
                           int32_t *next)
{
    int32_t n = f->n;
    for (int32_t k = 0; k < n; k++) f->columns[k + 1] += f->columns[k];
    for (int32_t k = 0; k < n; k++) f->rows[k + 1] += f->rows[k];
    for (int32_t k = 0; k < n; k++) next[k] = f->columns[k], seen[k] = -1;
    for (int32_t k = 0; k < n; k++) {
        int32_t count = find_row_reach(f, k, parent, seen, reach);
        for (int32_t c = 0; c < count; c++) f->row[next[reach[c]]++] = k;
    }
    for (int32_t k = 0; k < n; k++) next[k] = f->rows[k];
    for (int32_t i = 0; i < n; i++) {
        for (int32_t p = f->columns[i]; p < f->columns[i + 1]; p++) {
            int32_t e = next[f->row[p]]++;
            f->column[e] = i;
            f->place[e] = p;
        }
    }
}

/* Which rows are direct: row k of L has as many entries as that of X, and each is the first of its
 * column. Of chains and trees nearly all are. */
static void find_direct(up_looking *f)
{
    for (int32_t k = 0; k < f->n; k++) {
        f->direct[k] = f->rows[k + 1] - f->rows[k] == f->start[k + 1] - f->start[k];
        for (int32_t e = f->rows[k]; e < f->rows[k + 1] && f->direct[k]; e++)
            f->direct[k] = f->place[e] == f->columns[f->column[e]];
    }
}

/* The pattern of L by rows and by columns; ZW_ERR_BUDGET when it has
 * too many entries for its indices. */
static zw_status take_structure(up_looking *f, zb_arena *scratch)
{
    size_t n = (size_t)f->n;
    int32_t *parent = ZB_NEW_ARRAY(scratch, int32_t, n), *seen = ZB_NEW_ARRAY(scratch, int32_t, n);
    int32_t *reach = ZB_NEW_ARRAY(scratch, int32_t, n), *next = ZB_NEW_ARRAY(scratch, int32_t, n);
    if (scratch->failure != ZW_OK) return scratch->failure;
    if (!count_columns(f, parent, seen)) return ZW_ERR_BUDGET;
    int64_t all = 0;
    for (size_t k = 0; k < n; k++) all += f->columns[k + 1];
    f->column = ZB_NEW_ARRAY(&f->arena, int32_t, all);
    f->place = ZB_NEW_ARRAY(&f->arena, int32_t, all);
    f->row = ZB_NEW_ARRAY(&f->arena, int32_t, all);
    f->L = ZB_NEW_ARRAY(&f->arena, double, all);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    fill_structure(f, parent, seen, reach, next);
    find_direct(f);
    return ZW_OK;
}

/* All arrays whose lengths are known from X, and X in the order given (NULL: as it is). */
static zw_status take_row_arrays(up_looking *f, const za_symmetric *x, const int32_t *order)
{
    size_t n = (size_t)x->n, entries = n > 0 ? (size_t)x->start[x->n] - n : 0;
    f->order = ZB_NEW_ARRAY(&f->arena, int32_t, n);
    f->start = ZB_NEW_ARRAY(&f->arena, int32_t, n + 1);
    f->index = ZB_NEW_ARRAY(&f->arena, int32_t, entries);
    f->from = ZB_NEW_ARRAY(&f->arena, int32_t, entries);
    f->diagonal = ZB_NEW_ARRAY(&f->arena, int32_t, n);
    f->direct = ZB_NEW_ARRAY(&f->arena, bool, n);
    f->rows = ZB_NEW_ARRAY(&f->arena, int32_t, n + 1);
    f->columns = ZB_NEW_ARRAY(&f->arena, int32_t, n + 1);
    f->inverse = ZB_NEW_ARRAY(&f->arena, double, n);
    f->y = ZB_NEW_ARRAY(&f->arena, double, n);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    for (int32_t k = 0; k < x->n; k++) f->order[k] = order ? order[k] : k;
    zb_mark mark = zb_arena_mark(&f->arena);
    if (!permute_rows(f, x)) return f->arena.failure;
    zb_arena_release(&f->arena, mark);
    sort_row_columns(f);
    return ZW_OK;
}

/* NULL: nothing. The structure itself lies outside its arena. */
static void free_up_looking(void *factor)
{
    up_looking *f = factor;
    if (!f) return;
    zb_memory *memory = f->arena.memory;
    zb_arena_clear(&f->arena);
    zb_resize(memory, f, sizeof *f, 0);
}

/* ------------------------------------------------------------------------- chains
 *
 * Eliminated from one end every pivot of a chain waits for the one before it. From both ends in
 * turn, 0, n-1, 1, n-2, ..., two eliminations go on side by side and meet in the middle; nothing
 * fills in either. */

/* No row has more than one entry: the matrix is one chain, or several. */
static bool has_chains_only(const up_looking *f)
{
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is a plan */
    for (int32_t k = 0; k < f->n; k++)
        if (f->rows[k + 1] - f->rows[k] > 1) return false;
    return f->n > 2;
}

/* order [n]: each chain from its two ends; path [n]: room for the nodes of one. */
static void order_from_both_ends(const up_looking *f, int32_t *path, int32_t *order)
{
    int32_t count = 0;
    for (int32_t k = 0; k < f->n; k++) {
        if (f->rows[k + 1] > f->rows[k]) continue; /* not the first of its chain */
        int32_t length = 0, at = k;
        path[length++] = at;
        while (f->columns[at + 1] > f->columns[at]) path[length++] = at = f->row[f->columns[at]];
        for (int32_t low = 0, high = length - 1; low <= high; low++, high--) {
            order[count++] = f->order[path[low]];
            if (high > low) order[count++] = f->order[path[high]];
        }
    }
}

/* A factor planned in the order given, or nothing where that failed. */
static zw_status plan_in_order(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                               void **factor)
{
    up_looking *f = zb_resize(memory, NULL, 0, sizeof *f);
    zb_arena scratch;
    if (!f) return memory->failure;
    *f = (up_looking){.n = x->n};
    zb_arena_init(&f->arena, memory, 0);
    zb_arena_init(&scratch, memory, 0);
    zw_status status = take_row_arrays(f, x, order);
    if (status == ZW_OK) status = take_structure(f, &scratch);
    zb_arena_clear(&scratch);
    if (status != ZW_OK) {
        free_up_looking(f);
        return status;
    }
    *factor = f;
    return ZW_OK;
}

/* Where the matrix is made of chains it is planned once more, from both ends of each. */
static zw_status plan_up_looking(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                                 void **factor)
{
    void *first = NULL;
    ZB_TRY(plan_in_order(memory, x, order, &first));
    if (!has_chains_only(first)) {
        *factor = first;
        return ZW_OK;
    }
    zb_arena scratch;
    zb_arena_init(&scratch, memory, 0);
    int32_t *path = ZB_NEW_ARRAY(&scratch, int32_t, x->n);
    int32_t *both = ZB_NEW_ARRAY(&scratch, int32_t, x->n);
    zw_status status = scratch.failure;
    if (status == ZW_OK) order_from_both_ends(first, path, both);
    free_up_looking(first);
    if (status == ZW_OK) status = plan_in_order(memory, x, both, factor);
    zb_arena_clear(&scratch);
    return status;
}

/* ------------------------------------------------------------------------ numbers */

/* The same for a direct row, which needs no work array. */
static double eliminate_direct_row(up_looking *f, const double *values, int32_t k)
{
    double d = values[f->diagonal[k]];
    const int32_t *place = f->place + f->rows[k];
    for (int32_t p = f->start[k]; p < f->start[k + 1]; p++, place++) {
        double y = values[f->from[p]], l = y * f->inverse[f->index[p]];
        d -= l * y;
        f->L[*place] = l;
    }
    return d;
}

/* Computes row k of L; returns its pivot. */
static double eliminate_sparse_row(up_looking *f, const double *values, int32_t k)
{
    double *y = f->y, d = values[f->diagonal[k]];
    if (f->direct[k]) return eliminate_direct_row(f, values, k);
    for (int32_t p = f->start[k]; p < f->start[k + 1]; p++) y[f->index[p]] = values[f->from[p]];
    for (int32_t e = f->rows[k]; e < f->rows[k + 1]; e++) {
        int32_t i = f->column[e], end = f->place[e];
        double yi = y[i];
        y[i] = 0.0;
        for (int32_t p = f->columns[i]; p < end; p++) y[f->row[p]] -= f->L[p] * yi;
        double l = yi * f->inverse[i];
        d -= l * yi;
        f->L[end] = l;
    }
    return d;
}

/* Row by row; ends at the first pivot that is 0 or not finite. The
 * work array is 0 again in the end. */
static void factor_up_looking(void *factor_, const double *values, za_pivots *pivots)
{
    up_looking *f = factor_;
    za_pivots found = {.smallest = HUGE_VAL, .worst = -1, .complete = true};
    for (int32_t k = 0; k < f->n; k++) {
        double d = eliminate_sparse_row(f, values, k), first = fabs(values[f->diagonal[k]]);
        /* |d| / first < smallest without a division; the common case is that it is not */
        if (!(fabs(d) >= found.smallest * first)) {
            found.smallest = first > 0.0 ? fabs(d) / first : fabs(d);
            found.worst = f->order[k];
        }
        if (d < 0.0) {
            found.negative++;
            found.below = f->order[k];
        }
        if (d == 0.0 || !isfinite(d)) { /* what follows would be its consequence */
            found = (za_pivots){found.negative, fabs(d), f->order[k], false, found.below};
            break;
        }
        f->inverse[k] = 1.0 / d;
    }
    if (f->n == 0) found.smallest = 1.0;
    if (!found.complete && f->n > 0) memset(f->y, 0, sizeof *f->y * (size_t)f->n);
    *pivots = found;
}

/* Forward by the rows of L, backward by its columns, in the numbers of the order. */
static void solve_up_looking(const void *factor_, double *x, double *work)
{
    const up_looking *f = factor_;
    int32_t n = f->n;
    for (int32_t k = 0; k < n; k++) {
        double sum = x[f->order[k]];
        for (int32_t e = f->rows[k]; e < f->rows[k + 1]; e++)
            sum -= f->L[f->place[e]] * work[f->column[e]];
        work[k] = sum;
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        double sum = work[k] * f->inverse[k];
        for (int32_t p = f->columns[k]; p < f->columns[k + 1]; p++)
            sum -= f->L[p] * work[f->row[p]];
        work[k] = sum;
        x[f->order[k]] = sum;
    }
}

static void list_row_pivots(const void *factor_, double *inverse)
{
    const up_looking *f = factor_;
    for (int32_t k = 0; k < f->n; k++) inverse[f->order[k]] = f->inverse[k];
}

const za_factoring za_up_looking = {.name = "up-looking",
                                    .plan = plan_up_looking,
                                    .free = free_up_looking,
                                    .factor = factor_up_looking,
                                    .solve = solve_up_looking,
                                    .pivots = list_row_pivots};
