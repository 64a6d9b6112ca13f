/*
 * Derivatives of many expressions by many leaves, the nonzero ones only.
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

static void reserve(zb_arena *arena, pattern *p, int32_t used, int32_t more)
{
    if (more <= p->capacity - used) return;
    int32_t capacity = p->capacity + more + 64;
    if (capacity < 2 * p->capacity) capacity = 2 * p->capacity;
    int32_t *column = ZB_NEW_ARRAY(arena, int32_t, capacity);
    if (p->column && used > 0) memcpy(column, p->column, (size_t)used * sizeof *column);
    p->column = column;
    p->capacity = capacity;
}

static pattern find_pattern(zm_workspace *work, const zx_node *roots, int32_t count, zx_op leaf)
{
    zb_arena *arena = &work->scratch;
    pattern p = {.rows = count, .start = ZB_NEW_ARRAY(arena, int32_t, count + 1)};
    reserve(arena, &p, 0, 1);
    for (int32_t k = 0; k < count; k++) {
        int32_t used = p.start[k], more = zm_find_leaves(work, roots[k], leaf);
        reserve(arena, &p, used, more);
        if (more > 0) memcpy(p.column + used, work->reach.found, (size_t)more * sizeof(int32_t));
        p.start[k + 1] = used + more;
    }
    p.node = ZB_NEW_ARRAY(arena, zx_node, p.start[count]);
    return p;
}

/* The entries that are not zero, in order. */
static zm_entries collect(zm_workspace *work, const pattern *p, const int32_t *rows)
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

/* Takes from `left` [*count], the lines of p not treated yet, those that share no entry with one
 * taken before, in order: into group. The others stay. `seen` [entries] holds the number of the
 * last round that took an entry. */
static int32_t take_group(const pattern *p, int32_t *left, int32_t *count, int32_t *seen,
                          int32_t round, int32_t *group)
{
    int32_t taken = 0, kept = 0;
    for (int32_t i = 0; i < *count; i++) {
        int32_t line = left[i];
        bool free = true;
        for (int32_t q = p->start[line]; q < p->start[line + 1] && free; q++)
            free = seen[p->column[q]] != round;
        if (!free) {
            left[kept++] = line;
            continue;
        }
        for (int32_t q = p->start[line]; q < p->start[line + 1]; q++) seen[p->column[q]] = round;
        group[taken++] = line;
    }
    *count = kept;
    return taken;
}

/* The lines of a pattern that are not empty. */
static int32_t *all_lines(zb_arena *arena, const pattern *p, int32_t *count)
{
    int32_t *lines = ZB_NEW_ARRAY(arena, int32_t, p->rows);
    *count = 0;
    for (int32_t k = 0; k < p->rows; k++)
        if (p->start[k + 1] > p->start[k]) lines[(*count)++] = k;
    return lines;
}

/* ------------------------------------------------------------------- reverse */

static void reverse_group(zm_workspace *work, const zx_node *roots, pattern *p,
                          const int32_t *group, int32_t taken, const zx_gradient *gradient,
                          const zx_node *derivative, zx_node *list)
{
    for (int32_t i = 0; i < taken; i++) list[i] = roots[group[i]];
    zx_reverse(work->pool, list, NULL, taken, gradient);
    for (int32_t i = 0; i < taken; i++)
        for (int32_t q = p->start[group[i]]; q < p->start[group[i] + 1]; q++)
            p->node[q] = derivative[p->column[q]];
}

zm_entries zm_derive_jacobian(zm_workspace *work, const zx_node *roots, const int32_t *rows,
                              int32_t count, zx_op leaf, int32_t slots)
{
    zb_arena *arena = &work->scratch;
    pattern p = find_pattern(work, roots, count, leaf);
    zx_node *derivative = ZB_NEW_ARRAY(arena, zx_node, slots);
    zx_gradient gradient = {.slots = slots};
    if (leaf == ZX_POSITION) gradient.position = derivative;
    if (leaf == ZX_VELOCITY) gradient.velocity = derivative;
    if (leaf == ZX_ACCELERATION) gradient.acceleration = derivative;
    int32_t *seen = ZB_NEW_ARRAY(arena, int32_t, slots);
    int32_t *group = ZB_NEW_ARRAY(arena, int32_t, count);
    zx_node *list = ZB_NEW_ARRAY(arena, zx_node, count);
    int32_t remaining, *left = all_lines(arena, &p, &remaining);
    for (int32_t round = 1; remaining > 0; round++) {
        int32_t taken = take_group(&p, left, &remaining, seen, round, group);
        reverse_group(work, roots, &p, group, taken, &gradient, derivative, list);
    }
    return collect(work, &p, rows);
}

/* ------------------------------------------------------------------- forward */

/* The pattern by columns; node[p] is the place of the entry in the original. */
static pattern transpose(zb_arena *arena, const pattern *p, int32_t slots)
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

/* What a forward sweep of several columns needs. */
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

static void forward_group(zm_workspace *work, forward *f, const int32_t *group, int32_t taken)
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

zm_entries zm_derive_hessian(zm_workspace *work, const zx_node *g, const int32_t *rows,
                             int32_t count, int32_t slots)
{
    zb_arena *arena = &work->scratch;
    forward f = {.g = g, .rows = rows, .p = find_pattern(work, g, count, ZX_VELOCITY)};
    f.t = transpose(arena, &f.p, slots);
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
    int32_t remaining, *left = all_lines(arena, &f.t, &remaining);
    for (int32_t round = 1; remaining > 0; round++) {
        int32_t taken = take_group(&f.t, left, &remaining, seen, round, group);
        forward_group(work, &f, group, taken);
    }
    return collect(work, &f.p, rows);
}

void zm_derive_along_motion(zm_workspace *work, const zx_node *roots, int32_t count, int32_t slots,
                            zx_node *out)
{
    if (count == 0) return;
    zx_node *moves = ZB_NEW_ARRAY(&work->scratch, zx_node, slots);
    for (int32_t j = 0; j < slots; j++) moves[j] = ZX_NONE;
    pattern p = find_pattern(work, roots, count, ZX_POSITION);
    for (int32_t i = 0; i < p.start[count]; i++)
        if (moves[p.column[i]] == ZX_NONE)
            moves[p.column[i]] = zx_leaf(work->pool, ZX_VELOCITY, p.column[i]);
    zx_direction direction = {.position = moves, .slots = slots};
    direction.time = zx_number(work->pool, 1);
    zx_directional(work->pool, roots, count, &direction, out);
}

/* ------------------------------------------------------------------- entries */

static int by_place(const void *a, const void *b)
{
    const zm_entry *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

void zm_merge_entries(zm_workspace *work, zm_entries *entries)
{
    if (entries->count == 0) return;
    zm_entry *e = entries->data;
    qsort(e, (size_t)entries->count, sizeof *e, by_place);
    int32_t kept = 0;
    for (int32_t i = 0; i < entries->count;) {
        zm_entry sum = e[i++];
        for (; i < entries->count && e[i].row == sum.row && e[i].column == sum.column; i++)
            sum.node = zx_binary(work->pool, ZX_ADD, sum.node, e[i].node);
        if (!zm_is_zero(work->pool, sum.node)) e[kept++] = sum;
    }
    entries->count = kept;
}
