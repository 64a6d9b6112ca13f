/*
 * Patterns from entries, and the choice of a factor.
 *
 * Patterns: entries are sorted by column, then, stably, by row (two counting sorts, linear time);
 * equal neighbours are one place. In a lower triangle the diagonal entry then is the last of its
 * row, as za_symmetric wants it.
 *
 * Factors: approximate minimum degree first. Where it predicts much fill, nested dissection is
 * tried as well, and the better of the two is taken. The method is the one with the least predicted
 * time, linear in the rows, nonzeros and operations of the factor. Where the structure brings a
 * factor by equal parts, and that is predicted to be faster still, both are planned: the ordinary
 * one counts signs, and serves where the other finds a pivot that is too small.
 */
#include "maps.h"

#include <string.h>

/* ------------------------------------------------------------------------- entries */

/* No more than an int32_t counts. */
zw_status zg_entries_begin(zb_arena *scratch, int64_t most, zg_entries *e)
{
    *e = (zg_entries){.capacity = most};
    if (most > INT32_MAX) return ZW_ERR_MEMORY;
    e->row = ZB_NEW_ARRAY(scratch, int32_t, most);
    if (e->row) e->column = ZB_NEW_ARRAY(scratch, int32_t, most);
    return e->column ? ZW_OK : scratch->failure;
}

/* to [count]: `from` (NULL: 0, 1, ...) sorted by key, equal keys in their order; bucket [keys + 1].
 */
static void sort_by_key(int32_t count, const int32_t *key, int32_t keys, const int32_t *from,
                        int32_t *to, int32_t *bucket)
{
    memset(bucket, 0, ((size_t)keys + 1) * sizeof *bucket);
    for (int32_t e = 0; e < count; e++) bucket[key[e] + 1]++;
    for (int32_t k = 0; k < keys; k++) bucket[k + 1] += bucket[k];
    for (int32_t e = 0; e < count; e++) {
        int32_t id = from ? from[e] : e;
        to[bucket[key[id]]++] = id;
    }
}

/* Walks the sorted entries: starts of the rows, and how many places there are. */
static int32_t count_pattern_places(const zg_entries *e, const int32_t *sorted, int32_t rows,
                                    int32_t *start)
{
    int32_t places = 0, row = -1, column = -1;
    for (int32_t s = 0; s < e->count; s++) {
        int32_t i = e->row[sorted[s]], j = e->column[sorted[s]];
        if (i == row && j == column) continue;
        while (row < i) start[++row] = places;
        column = j;
        places++;
    }
    while (row < rows) start[++row] = places;
    return places;
}

/* The second walk: the column of each place, and for each entry its place. */
static void fill_pattern_places(const zg_entries *e, const int32_t *sorted, int32_t *index,
                                int32_t *place)
{
    int32_t places = 0, row = -1, column = -1;
    for (int32_t s = 0; s < e->count; s++) {
        int32_t id = sorted[s], i = e->row[id], j = e->column[id];
        if (i != row || j != column) index[places++] = j;
        row = i;
        column = j;
        place[id] = places - 1;
    }
}

/* zg_merge, but for giving scratch back. place NULL: its array is scratch, too. */
static zw_status merge_entries(zb_arena *keep, zb_arena *scratch, const zg_entries *e, int32_t rows,
                               int32_t columns, zg_pattern *x, int32_t **place)
{
    int32_t keys = rows > columns ? rows : columns;
    int32_t *bucket = ZB_NEW_ARRAY(scratch, int32_t, (int64_t)keys + 1);
    int32_t *sorted = bucket ? ZB_NEW_ARRAY(scratch, int32_t, e->count) : NULL;
    if (!sorted) return scratch->failure;
    zb_arena *owner = place ? keep : scratch;
    int32_t *first = ZB_NEW_ARRAY(owner, int32_t, e->count);
    if (!first) return owner->failure;
    sort_by_key(e->count, e->column, columns, NULL, first, bucket);
    sort_by_key(e->count, e->row, rows, first, sorted, bucket);

    int32_t *start = ZB_NEW_ARRAY(keep, int32_t, (int64_t)rows + 1);
    if (!start) return keep->failure;
    int32_t *index = ZB_NEW_ARRAY(keep, int32_t, count_pattern_places(e, sorted, rows, start));
    if (!index) return keep->failure;
    fill_pattern_places(e, sorted, index, first); /* `first` has served: it becomes the places */
    *x = (zg_pattern){.rows = rows, .columns = columns, .start = start, .column = index};
    if (place) *place = first;
    return ZW_OK;
}

zw_status zg_merge(zb_arena *keep, zb_arena *scratch, const zg_entries *e, int32_t rows,
                   int32_t columns, zg_pattern *x, int32_t **place)
{
    zb_mark mark = zb_arena_mark(scratch);
    zw_status status = merge_entries(keep, scratch, e, rows, columns, x, place);
    zb_arena_release(scratch, mark);
    return status;
}

/* The entries are turned in place; the diagonal is forgotten again at the end. */
zw_status zg_merge_lower(zb_arena *keep, zb_arena *scratch, zg_entries *e, int32_t n,
                         za_symmetric *x, int32_t **place)
{
    for (int32_t k = 0; k < e->count; k++) {
        int32_t i = e->row[k], j = e->column[k];
        e->row[k] = i > j ? i : j;
        e->column[k] = i > j ? j : i;
    }
    int32_t count = e->count;
    for (int32_t i = 0; i < n; i++) zg_entries_add(e, i, i);
    zg_pattern p = {0};
    zw_status status = zg_merge(keep, scratch, e, n, n, &p, place);
    e->count = count;
    *x = (za_symmetric){.n = n, .start = p.start, .index = p.column};
    return status;
}

/* A counting sort by columns. */
zw_status zg_transpose(zb_arena *arena, const zg_pattern *x, zg_transposed *t)
{
    int32_t n = x->columns, all = zg_entry_count(x);
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, (int64_t)n + 2);
    t->row = ZB_NEW_ARRAY(arena, int32_t, all);
    t->place = ZB_NEW_ARRAY(arena, int32_t, all);
    if (arena->failure != ZW_OK) return arena->failure;
    for (int32_t p = 0; p < all; p++) start[x->column[p] + 2]++;
    for (int32_t j = 0; j < n; j++) start[j + 2] += start[j + 1];
    for (int32_t i = 0; i < x->rows; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++) {
            int32_t at = start[x->column[p] + 1]++; /* ends as the start of the next column */
            t->row[at] = i;
            t->place[at] = p;
        }
    }
    t->start = start;
    return ZW_OK;
}

/* -------------------------------------------------------------------------- factors */

/* Seconds per row, nonzero and operation of a factorisation; per row and nonzero of a solve.
 * Measured on chains and lattices. */
typedef struct rates {
    double row, nonzero, flop, solve_row, solve_nonzero;
} rates;

static const rates up_looking = {2e-9, 3e-9, 0.43e-9, 6e-9, 2e-9};
static const rates supernodal = {33e-9, 1.5e-9, 0.05e-9, 12e-9, 1.2e-9};

/* Nested dissection takes five to fifteen times as long as minimum degree. It is worth a try from
 * so many operations on, and so many a nonzero: chains and trees of any size stay below, and plane
 * lattices up to some 400 points a side, which gain little. */
static const double large = 1e10, much_fill = 40.0;

static double predict_seconds(const rates *r, int32_t n, const za_prediction *p)
{
    double row = r->row + r->solve_row, nonzero = r->nonzero + r->solve_nonzero;
    return row * n + nonzero * (double)p->nonzeros + r->flop * p->flops;
}

/* Up-looking or supernodal, whichever is predicted to be faster with this fill. */
static void choose_method(const za_prediction *p, zg_chosen *c)
{
    double other = predict_seconds(&supernodal, c->x->n, p);
    c->prediction = *p;
    c->method = &za_up_looking;
    c->cost = predict_seconds(&up_looking, c->x->n, p);
    if (other < c->cost) c->cost = other, c->method = &za_supernodal;
}

static bool is_worth_dissecting(const za_prediction *p)
{
    return p->flops > much_fill * (double)p->nonzeros && p->flops > large;
}

/* The order by nested dissection, if it is better, in place of *order. */
static zw_status try_dissection(zb_memory *memory, zb_arena *arena, zg_chosen *c, int32_t **order)
{
    int32_t *dissected = ZB_NEW_ARRAY(arena, int32_t, c->x->n);
    if (!dissected) return arena->failure;
    ZB_TRY(za_order_dissect(memory, c->x, dissected));
    za_prediction p;
    ZB_TRY(za_predict(memory, c->x, dissected, &p));
    zg_chosen other = *c;
    choose_method(&p, &other);
    if (!(other.cost < c->cost)) return ZW_OK;
    *c = other;
    *order = dissected;
    return ZW_OK;
}

/* The factor by equal parts in addition to the ordinary one, if it is faster. */
static zw_status choose_parts(zb_memory *memory, const zg_structure *is, const int32_t *order,
                              zg_chosen *c)
{
    void *factor = NULL;
    ZB_TRY(is->parts_factoring->plan(memory, c->x, order, &factor));
    double cost = factor ? is->parts_cost(factor) : c->cost;
    if (!(cost < c->cost)) {
        is->parts_factoring->free(factor);
        return ZW_OK;
    }
    c->parts = is->parts_factoring;
    c->parts_factor = factor;
    c->cost = cost;
    return ZW_OK;
}

/* And plans the factor; arena: for the orders, which are copied. */
static zw_status choose_order_and_method(zb_memory *memory, zb_arena *arena, const zg_structure *is,
                                         zg_chosen *c)
{
    int32_t *order = ZB_NEW_ARRAY(arena, int32_t, c->x->n);
    if (!order) return arena->failure;
    ZB_TRY(za_order_amd(memory, c->x, order));
    za_prediction p;
    ZB_TRY(za_predict(memory, c->x, order, &p));
    choose_method(&p, c);
    if (is_worth_dissecting(&p)) ZB_TRY(try_dissection(memory, arena, c, &order));
    ZB_TRY(c->method->plan(memory, c->x, order, &c->factor));
    return is && is->parts_factoring ? choose_parts(memory, is, order, c) : ZW_OK;
}

zw_status zg_choose_factor(zb_memory *memory, const za_symmetric *x, const zg_structure *is,
                           zg_chosen *c)
{
    zb_arena arena;
    *c = (zg_chosen){.x = x};
    zb_arena_init(&arena, memory, 0);
    zw_status status = choose_order_and_method(memory, &arena, is, c);
    zb_arena_clear(&arena);
    if (status != ZW_OK) zg_chosen_clear(c);
    return status;
}

void zg_chosen_clear(zg_chosen *c)
{
    if (c->factor) c->method->free(c->factor);
    if (c->parts) c->parts->free(c->parts_factor);
    *c = (zg_chosen){0};
}

/* `least` of 1 or more: not by parts. */
void zg_chosen_factor(zg_chosen *c, const double *values, double least, za_pivots *pivots)
{
    c->by_parts = false;
    if (c->parts && least < 1.0) {
        c->parts->factor(c->parts_factor, values, pivots);
        c->by_parts = pivots->complete && pivots->negative == 0 && pivots->smallest > least;
    }
    if (!c->by_parts) c->method->factor(c->factor, values, pivots);
}

void zg_chosen_solve(const zg_chosen *c, double *x, double *work)
{
    if (c->by_parts)
        c->parts->solve(c->parts_factor, x, work);
    else
        c->method->solve(c->factor, x, work);
}

int64_t zg_chosen_negative(zg_chosen *c, const double *values, za_pivots *pivots)
{
    c->by_parts = false;
    c->method->factor(c->factor, values, pivots);
    return pivots->complete ? pivots->negative : -1;
}
