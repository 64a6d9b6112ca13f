/*
 * From a matrix and its cut to the matrix that is left: rows that no part has inside, entries
 * between them, and those that the parts add, of every two rows around a part between which
 * elimination leaves something.
 *
 *     o-o-x-o-o-x-o-o-x-o        x─x─x    rows are numbered by parts, so that neighbours stay near
 *
 * All is in the planner's arenas, which jump when memory runs out.
 */
#include <string.h>

#include "matrix_plan.h"

/* Both triangles from the lower one, with the entry of each; the diagonal is no edge. */
void ze_level_graph(ze_planner *p, ze_level *level)
{
    const za_symmetric *x = &level->x;
    int32_t n = x->n, all = 2 * (x->start[n] - n);
    int32_t *start = ZB_NEW_ARRAY(&p->arena, int32_t, n + 2);
    int32_t *next = ZB_NEW_ARRAY(&p->arena, int32_t, all);
    int32_t *entry = ZB_NEW_ARRAY(&p->arena, int32_t, all);
    for (int32_t i = 0; i < n; i++) {
        start[i + 2] += x->start[i + 1] - x->start[i] - 1;
        for (int32_t k = x->start[i]; k < x->start[i + 1] - 1; k++) start[x->index[k] + 2]++;
    }
    for (int32_t i = 0; i < n; i++) start[i + 2] += start[i + 1];
    /* Rows ascending: of each first its columns, then the rows that have it as a column. */
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = x->start[i]; k < x->start[i + 1] - 1; k++) {
            int32_t j = x->index[k], at = start[i + 1]++, back = start[j + 1]++;
            next[at] = j;
            next[back] = i;
            entry[at] = entry[back] = k;
        }
    }
    level->graph = (ze_graph){.count = n, .start = start, .next = next};
    level->entry = entry;
}

/* -------------------------------------------------------------------------- entries */

typedef struct list {
    int32_t count;
    int32_t *row, *column;
} list;

/* One entry (a, b), its row the larger. */
static void add_entry_between(list *l, int32_t a, int32_t b)
{
    l->row[l->count] = a > b ? a : b;
    l->column[l->count++] = a > b ? b : a;
}

/* to [count]: `from` (NULL: 0, 1, ...) sorted by key, equal keys in their order. */
static void sort_by_key(int32_t count, const int32_t *key, const int32_t *from, int32_t *to,
                        int32_t *bucket, int32_t keys)
{
    memset(bucket, 0, ((size_t)keys + 1) * sizeof *bucket);
    for (int32_t e = 0; e < count; e++) bucket[key[e] + 1]++;
    for (int32_t k = 0; k < keys; k++) bucket[k + 1] += bucket[k];
    for (int32_t e = 0; e < count; e++) {
        int32_t id = from ? from[e] : e;
        to[bucket[key[id]]++] = id;
    }
}

/* The pattern of the entries (the diagonal is among them) and which entry of it each is. */
static za_symmetric merge_entries(ze_planner *p, const list *l, int32_t n, int32_t *place)
{
    zb_mark mark = zb_arena_mark(&p->scratch);
    int32_t *bucket = ZB_NEW_ARRAY(&p->scratch, int32_t, n + 1);
    int32_t *first = ZB_NEW_ARRAY(&p->scratch, int32_t, l->count);
    int32_t *sorted = ZB_NEW_ARRAY(&p->scratch, int32_t, l->count);
    int32_t *start = ZB_NEW_ARRAY(&p->arena, int32_t, n + 1);
    int32_t *index = ZB_NEW_ARRAY(&p->arena, int32_t, l->count);
    sort_by_key(l->count, l->column, NULL, first, bucket, n);
    sort_by_key(l->count, l->row, first, sorted, bucket, n);
    int32_t places = 0, row = -1, column = -1;
    for (int32_t s = 0; s < l->count; s++) {
        int32_t id = sorted[s], i = l->row[id], j = l->column[id];
        if (i != row || j != column) {
            while (row < i) start[++row] = places;
            index[places++] = column = j;
        }
        place[id] = places - 1;
    }
    while (row < n) start[++row] = places;
    zb_arena_release(&p->scratch, mark);
    return (za_symmetric){.n = n, .start = start, .index = index};
}

/* ----------------------------------------------------------------------------- rows */

static bool goes_inside(const ze_row_cut *cut, int32_t row)
{
    return !cut->left[row] && cut->class[cut->part[row]] >= 0;
}

/* Numbers the rows that stay, by parts; how many they are. origin: which rows of the first
 * matrix. */
static int32_t number_rows_left(ze_planner *p, ze_level *level, int32_t **origin)
{
    const ze_row_cut *cut = level->cut;
    int32_t n = level->x.n, count = 0;
    level->next = ZB_NEW_ARRAY(&p->arena, int32_t, n);
    for (int32_t i = 0; i < n; i++) count += !goes_inside(cut, i);
    *origin = ZB_NEW_ARRAY(&p->arena, int32_t, count);
    count = 0;
    for (int32_t k = 0; k < n; k++) {
        int32_t row = cut->row[k];
        level->next[row] = -1;
        if (goes_inside(cut, row)) continue;
        (*origin)[count] = level->origin ? level->origin[row] : row;
        level->next[row] = count++;
    }
    return count;
}

/* Entries of the level below as they come, several for the same place. */
static int64_t count_entries(const ze_level *level)
{
    const ze_row_cut *cut = level->cut;
    int64_t count = 0;
    for (int32_t i = 0; i < level->x.n; i++)
        for (int32_t k = level->x.start[i]; k < level->x.start[i + 1]; k++)
            count += level->next[i] >= 0 && level->next[level->x.index[k]] >= 0;
    for (int32_t c = 0; c < cut->class_count; c++)
        count += (int64_t)cut->classes[c].count * cut->classes[c].pair_count;
    return count;
}

/* First those of x between rows that stay, then the pairs of every part in the order of parts: the
 * order in which they will be summed. */
static void list_entries(ze_level *level, list *l)
{
    const ze_row_cut *cut = level->cut;
    const za_symmetric *x = &level->x;
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t k = x->start[i]; k < x->start[i + 1]; k++) {
            int32_t a = level->next[i], b = level->next[x->index[k]];
            if (a < 0 || b < 0) continue;
            level->from[l->count] = k;
            add_entry_between(l, a, b);
        }
    }
    level->stay_count = l->count;
    for (int32_t q = 0; q < cut->parts; q++) {
        if (cut->class[q] < 0) continue;
        const ze_row_class *class = &cut->classes[cut->class[q]];
        const int32_t *outer = cut->members + cut->member_at[q] + class->inner;
        for (int32_t k = 0; k < class->pair_count; k++)
            add_entry_between(l, level->next[outer[class->pairs[k].row]],
                              level->next[outer[class->pairs[k].column]]);
    }
    level->come_count = l->count;
}

/* The matrix that is left, where each of its entries comes from, and which of them parts add to. */
void ze_level_below(ze_planner *p, ze_level *level, ze_level *below)
{
    int32_t *origin;
    int32_t n = number_rows_left(p, level, &origin);
    int64_t count = count_entries(level);
    if (count > INT32_MAX) ze_must(p, ZW_ERR_MEMORY);
    zb_mark mark = zb_arena_mark(&p->scratch);
    list l = {.row = ZB_NEW_ARRAY(&p->scratch, int32_t, count),
              .column = ZB_NEW_ARRAY(&p->scratch, int32_t, count)};
    level->from = ZB_NEW_ARRAY(&p->arena, int32_t, count);
    level->to = ZB_NEW_ARRAY(&p->arena, int32_t, count);
    list_entries(level, &l);
    *below =
        (ze_level){.x = merge_entries(p, &l, n, level->to), .origin = origin, .ordinary = -1.0};
    level->joined = ZB_NEW_ARRAY(&p->arena, bool, below->x.start[n]);
    level->pushed = ZB_NEW_ARRAY(&p->arena, bool, n);
    for (int32_t k = level->stay_count; k < level->come_count; k++) {
        level->joined[level->to[k]] = true;
        level->pushed[l.row[k]] = level->pushed[l.column[k]] = true;
    }
    zb_arena_release(&p->scratch, mark);
}
