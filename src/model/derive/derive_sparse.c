/*
 * Symbolic derivatives of many expressions by many leaves, the nonzero ones only: sparse Jacobians
 * and Hessians by compressed sweeps of automatic differentiation.
 *
 * The pattern comes first: which leaves of the wanted sort stand below each root. Then the sweeps
 * are shared: two rows that have no leaf in common can be summed and swept in one reverse sweep,
 * for every leaf's derivative belongs to one of them; likewise two columns that have no row in
 * common go into one forward sweep. A chain needs a handful of sweeps however long it is.
 * Everything is in the scratch arena of the workspace.
 */
#include <stdlib.h>
#include <string.h>

#include "derive.h"

/* A sparse pattern by rows: columns[p], p from start[k] up to before start[k + 1], ascending;
 * node[p] the entry's expression. */
typedef struct pattern {
    int32_t rows;
    int32_t *start;  /* [rows + 1] */
    int32_t *column; /* [capacity] */
    zx_node *node;   /* [start[rows]] */
    int32_t capacity;
} pattern;

/* Room for `more` column numbers after the first `used`. */
static void reserve_columns(zb_arena *arena, pattern *p, int32_t used, int32_t more)
{
    if (more <= p->capacity - used) return;
    int32_t capacity = p->capacity + more + 64;
    if (capacity < 2 * p->capacity) capacity = 2 * p->capacity;
    int32_t *column = ZB_NEW_ARRAY(arena, int32_t, capacity);
    if (p->column && used > 0) memcpy(column, p->column, (size_t)used * sizeof *column);
    p->column = column;
    p->capacity = capacity;
}

/* Row k holds the indices of the leaves of one sort below roots[k]. The nodes are still to be
 * found. */
static pattern find_leaf_pattern(zm_workspace *work, const zx_node *roots, int32_t count,
                                 zx_op leaf)
{
    zb_arena *arena = &work->scratch;
    pattern p = {.rows = count, .start = ZB_NEW_ARRAY(arena, int32_t, count + 1)};
    reserve_columns(arena, &p, 0, 1);
    for (int32_t k = 0; k < count; k++) {
        int32_t used = p.start[k], more = zm_find_leaves(work, roots[k], leaf);
        reserve_columns(arena, &p, used, more);
        if (more > 0) memcpy(p.column + used, work->reach.found, (size_t)more * sizeof(int32_t));
        p.start[k + 1] = used + more;
    }
    p.node = ZB_NEW_ARRAY(arena, zx_node, p.start[count]);
    return p;
}

/* The entries of the pattern that are not zero, in order; row k is called rows[k] (NULL: k). */
static zm_entries collect_nonzero_entries(zm_workspace *work, const pattern *p, const int32_t *rows)
{
    int32_t total = p->start[p->rows];
    zm_entries entries = {.data = ZB_NEW_ARRAY(&work->scratch, zm_entry, total)};
    for (int32_t k = 0; k < p->rows; k++)
        for (int32_t i = p->start[k]; i < p->start[k + 1]; i++)
            if (p->node[i] != ZX_NONE && !zm_is_zero(work->pool, p->node[i]))
                entries.data[entries.count++] = (zm_entry){
                    .row = rows ? rows[k] : k, .column = p->column[i], .node = p->node[i]};
    return entries;
}

/* Takes from `left` [*count], the rows of p not treated yet, those that share no column with one
 * taken before, in order: into group. The others stay. `seen` [columns] holds the number of the
 * last round that took a column. Returns how many were taken. */
static int32_t take_disjoint_rows(const pattern *p, int32_t *left, int32_t *count, int32_t *seen,
                                  int32_t round, int32_t *group)
{
    int32_t taken = 0, kept = 0;
    for (int32_t i = 0; i < *count; i++) {
        int32_t row = left[i];
        bool free = true;
        for (int32_t q = p->start[row]; q < p->start[row + 1] && free; q++)
            free = seen[p->column[q]] != round;
        if (!free) {
            left[kept++] = row;
            continue;
        }
        for (int32_t q = p->start[row]; q < p->start[row + 1]; q++) seen[p->column[q]] = round;
        group[taken++] = row;
    }
    *count = kept;
    return taken;
}

/* The rows of a pattern that are not empty. */
static int32_t *list_nonempty_rows(zb_arena *arena, const pattern *p, int32_t *count)
{
    int32_t *lines = ZB_NEW_ARRAY(arena, int32_t, p->rows);
    *count = 0;
    for (int32_t k = 0; k < p->rows; k++)
        if (p->start[k + 1] > p->start[k]) lines[(*count)++] = k;
    return lines;
}

/* ------------------------------------------------------------------- reverse */

/* One reverse sweep from the sum of the rows of a group, which have no leaf in common: the
 * derivative by each leaf is the entry of the one row that holds it. derivative [slots] is where
 * `gradient` leaves them; list is scratch. */
static void sweep_rows_reverse(zm_workspace *work, const zx_node *roots, pattern *p,
                               const int32_t *group, int32_t taken, const zx_gradient *gradient,
                               const zx_node *derivative, zx_node *list)
{
    for (int32_t i = 0; i < taken; i++) list[i] = roots[group[i]];
    zx_reverse(work->pool, list, NULL, taken, gradient);
    for (int32_t i = 0; i < taken; i++)
        for (int32_t q = p->start[group[i]]; q < p->start[group[i] + 1]; q++)
            p->node[q] = derivative[p->column[q]];
}

/* Round by round a group of rows without a common leaf, until no row is left. */
zm_entries zm_derive_jacobian(zm_workspace *work, const zx_node *roots, const int32_t *rows,
                              int32_t count, zx_op leaf, int32_t slots)
{
    zb_arena *arena = &work->scratch;
    pattern p = find_leaf_pattern(work, roots, count, leaf);
    zx_node *derivative = ZB_NEW_ARRAY(arena, zx_node, slots);
    zx_gradient gradient = {.slots = slots};
    if (leaf == ZX_POSITION) gradient.position = derivative;
    if (leaf == ZX_VELOCITY) gradient.velocity = derivative;
    if (leaf == ZX_ACCELERATION) gradient.acceleration = derivative;
    int32_t *seen = ZB_NEW_ARRAY(arena, int32_t, slots);
    int32_t *group = ZB_NEW_ARRAY(arena, int32_t, count);
    zx_node *list = ZB_NEW_ARRAY(arena, zx_node, count);
    int32_t remaining, *left = list_nonempty_rows(arena, &p, &remaining);
    for (int32_t round = 1; remaining > 0; round++) {
        int32_t taken = take_disjoint_rows(&p, left, &remaining, seen, round, group);
        sweep_rows_reverse(work, roots, &p, group, taken, &gradient, derivative, list);
    }
    return collect_nonzero_entries(work, &p, rows);
}

/* ------------------------------------------------------------------- forward */

/* The pattern by columns; node[p] is the place of the entry in the original. */
static pattern transpose_leaf_pattern(zb_arena *arena, const pattern *p, int32_t slots)
{
    int32_t total = p->start[p->rows];
    pattern t = {.rows = slots,
                 .start = ZB_NEW_ARRAY(arena, int32_t, slots + 1),
                 .column = ZB_NEW_ARRAY(arena, int32_t, total),
                 .node = ZB_NEW_ARRAY(arena, int32_t, total)};
    int32_t *next = ZB_NEW_ARRAY(arena, int32_t, slots + 1);
    for (int32_t i = 0; i < total; i++) t.start[p->column[i] + 1]++;
    for (int32_t j = 0; j < slots; j++) t.start[j + 1] += t.start[j];
    memcpy(next, t.start, (size_t)(slots + 1) * sizeof *next);
    for (int32_t k = 0; k < p->rows; k++)
        for (int32_t i = p->start[k]; i < p->start[k + 1]; i++) {
            int32_t at = next[p->column[i]]++;
            t.column[at] = k;
            t.node[at] = i;
        }
    return t;
}

/* What the forward sweeps of zm_derive_hessian share. */
typedef struct forward {
    const zx_node *g;
    const int32_t *rows; /* coordinate of g[k]: only columns from it on are wanted */
    pattern p, t;
    zx_direction direction;
    zx_node *moves; /* [slots] the direction's velocities */
    zx_node one;
    zx_node *list, *out; /* [count] */
    int32_t *place;      /* [count] entry of the pattern that list[k] gives */
} forward;

/* One forward sweep along the sum of the columns of a group, which have no row in common; only
 * entries on and above the diagonal. */
static void sweep_columns_forward(zm_workspace *work, forward *f, const int32_t *group,
                                  int32_t taken)
{
    int32_t count = 0;
    for (int32_t i = 0; i < taken; i++) {
        int32_t j = group[i];
        f->moves[j] = f->one;
        for (int32_t q = f->t.start[j]; q < f->t.start[j + 1]; q++) {
            if (f->rows[f->t.column[q]] > j) continue;
            f->place[count] = f->t.node[q];
            f->list[count++] = f->g[f->t.column[q]];
        }
    }
    if (count > 0) zx_directional(work->pool, f->list, count, &f->direction, f->out);
    for (int32_t i = 0; i < count; i++) f->p.node[f->place[i]] = f->out[i];
    for (int32_t i = 0; i < taken; i++) f->moves[group[i]] = ZX_NONE;
}

/* As zm_derive_jacobian, by columns: forward sweeps need only the rows that a group touches. */
zm_entries zm_derive_hessian(zm_workspace *work, const zx_node *g, const int32_t *rows,
                             int32_t count, int32_t slots)
{
    zb_arena *arena = &work->scratch;
    forward f = {.g = g, .rows = rows, .p = find_leaf_pattern(work, g, count, ZX_VELOCITY)};
    f.t = transpose_leaf_pattern(arena, &f.p, slots);
    f.moves = ZB_NEW_ARRAY(arena, zx_node, slots);
    f.list = ZB_NEW_ARRAY(arena, zx_node, count);
    f.out = ZB_NEW_ARRAY(arena, zx_node, count);
    f.place = ZB_NEW_ARRAY(arena, int32_t, count);
    f.one = zx_number(work->pool, 1);
    f.direction = (zx_direction){.velocity = f.moves, .slots = slots, .time = ZX_NONE};
    for (int32_t j = 0; j < slots; j++) f.moves[j] = ZX_NONE;
    for (int32_t i = 0; i < f.p.start[count]; i++) f.p.node[i] = ZX_NONE;
    int32_t *seen = ZB_NEW_ARRAY(arena, int32_t, count);
    int32_t *group = ZB_NEW_ARRAY(arena, int32_t, slots);
    int32_t remaining, *left = list_nonempty_rows(arena, &f.t, &remaining);
    for (int32_t round = 1; remaining > 0; round++) {
        int32_t taken = take_disjoint_rows(&f.t, left, &remaining, seen, round, group);
        sweep_columns_forward(work, &f, group, taken);
    }
    return collect_nonzero_entries(work, &f.p, rows);
}

/* One forward sweep along q' = v, t' = 1, for the positions that occur. */
void zm_derive_along_motion(zm_workspace *work, const zx_node *roots, int32_t count, int32_t slots,
                            zx_node *out)
{
    if (count == 0) return;
    zx_node *moves = ZB_NEW_ARRAY(&work->scratch, zx_node, slots);
    for (int32_t j = 0; j < slots; j++) moves[j] = ZX_NONE;
    pattern p = find_leaf_pattern(work, roots, count, ZX_POSITION);
    for (int32_t i = 0; i < p.start[count]; i++)
        if (moves[p.column[i]] == ZX_NONE)
            moves[p.column[i]] = zx_leaf(work->pool, ZX_VELOCITY, p.column[i]);
    zx_direction direction = {.position = moves, .slots = slots};
    direction.time = zx_number(work->pool, 1);
    zx_directional(work->pool, roots, count, &direction, out);
}

/* ------------------------------------------------------------------- entries */

/* For qsort: by row, column, then node, so that sums do not depend on the sort. */
static int compare_entry_places(const void *a, const void *b)
{
    const zm_entry *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* In place. */
void zm_merge_entries(zm_workspace *work, zm_entries *entries)
{
    if (entries->count == 0) return;
    zm_entry *e = entries->data;
    qsort(e, (size_t)entries->count, sizeof *e, compare_entry_places);
    int32_t kept = 0;
    for (int32_t i = 0; i < entries->count;) {
        zm_entry sum = e[i++];
        for (; i < entries->count && e[i].row == sum.row && e[i].column == sum.column; i++)
            sum.node = zx_binary(work->pool, ZX_ADD, sum.node, e[i].node);
        if (!zm_is_zero(work->pool, sum.node)) e[kept++] = sum;
    }
    entries->count = kept;
}
