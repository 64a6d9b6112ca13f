/*
 * Sparse patterns from triplets. While passes are built every matrix output is numbered as a
 * triplet (row, column); several triplets may mean one entry. Two stable counting sorts, by
 * column, then by row, put them into the order of the pattern; equal neighbours become one
 * entry. Afterwards the numbers of triplets in the passes are replaced by positions in its values.
 */
#include <string.h>

#include "builder.h"

/* Twice the room; does not return when there is no memory. */
static void reserve_triplets(zr_builder *b)
{
    zr_triplets *t = &b->triplets;
    if (t->capacity > INT32_MAX / 2) zr_fail(b, ZW_ERR_BUDGET);
    int32_t more = t->capacity > 0 ? 2 * t->capacity : 64;
    zr_triplet *grown =
        zb_resize(b->memory, t->list, zb_product((size_t)t->capacity, sizeof *t->list),
                  zb_product((size_t)more, sizeof *t->list));
    if (!grown) zr_fail(b, b->memory->failure);
    t->list = grown;
    t->capacity = more;
}

/* Returns its number. */
int32_t zr_add_triplet(zr_builder *b, int32_t row, int32_t column)
{
    zr_triplets *t = &b->triplets;
    if (t->count == t->capacity) reserve_triplets(b);
    t->list[t->count] = (zr_triplet){.row = row, .column = column};
    return t->count++;
}

void zr_free_triplets(zr_builder *b)
{
    zr_triplets *t = &b->triplets;
    zb_resize(b->memory, t->list, zb_product((size_t)t->capacity, sizeof *t->list), 0);
    *t = (zr_triplets){0};
}

static int32_t triplet_key(const zr_triplet *t, bool by_row)
{
    return by_row ? t->row : t->column;
}

/* out [triplets]: the numbers `in` of triplets (NULL: 0, 1, ...) stably sorted by row or column,
 * which is below `keys`. */
static void sort_triplets(zr_builder *b, bool by_row, int32_t keys, const int32_t *in, int32_t *out)
{
    const zr_triplets *t = &b->triplets;
    zb_mark mark = zb_arena_mark(&b->scratch);
    int32_t *next = ZB_NEW_ARRAY(&b->scratch, int32_t, (size_t)keys + 1);
    for (int32_t i = 0; i < t->count; i++) next[triplet_key(&t->list[i], by_row) + 1]++;
    for (int32_t k = 0; k < keys; k++) next[k + 1] += next[k];
    for (int32_t i = 0; i < t->count; i++) {
        int32_t e = in ? in[i] : i;
        out[next[triplet_key(&t->list[e], by_row)]++] = e;
    }
    zb_arena_release(&b->scratch, mark);
}

/* position [triplets]: the entry that each triplet is, in their sorted order; returns how many
 * there are. */
static int32_t number_entries(const zr_triplets *t, const int32_t *order, int32_t *position)
{
    int32_t count = 0;
    for (int32_t i = 0; i < t->count; i++) {
        const zr_triplet *now = &t->list[order[i]], *before = i > 0 ? &t->list[order[i - 1]] : NULL;
        bool same = before && now->row == before->row && now->column == before->column;
        if (!same) count++;
        position[order[i]] = count - 1;
    }
    return count;
}

/* By rows, columns ascending: sorted by column, then by row. */
const int32_t *zr_make_pattern(zr_builder *b, int32_t rows, int32_t columns, zr_pattern *p)
{
    const zr_triplets *t = &b->triplets;
    int32_t *position = ZB_NEW_ARRAY(&b->scratch, int32_t, t->count);
    zb_mark mark = zb_arena_mark(&b->scratch);
    int32_t *by_column = ZB_NEW_ARRAY(&b->scratch, int32_t, t->count);
    int32_t *order = ZB_NEW_ARRAY(&b->scratch, int32_t, t->count);
    sort_triplets(b, false, columns, NULL, by_column);
    sort_triplets(b, true, rows, by_column, order);
    *p = (zr_pattern){.rows = rows, .columns = columns};
    p->count = number_entries(t, order, position);
    p->start = ZB_NEW_ARRAY(b->arena, int32_t, (size_t)rows + 1);
    p->column = ZB_NEW_ARRAY(b->arena, int32_t, p->count);
    for (int32_t i = 0; i < t->count; i++) {
        int32_t e = order[i], at = position[e];
        p->column[at] = t->list[e].column;
        p->start[t->list[e].row + 1] = at + 1;
    }
    for (int32_t r = 0; r < rows; r++) /* rows without entries */
        if (p->start[r + 1] < p->start[r]) p->start[r + 1] = p->start[r];
    zb_arena_release(&b->scratch, mark);
    b->triplets.count = 0;
    return position;
}

/* A place below 0, of an entry that is added twice, stays below 0. */
void zr_resolve_places(zr_passes *passes, const zm_model *zm, const int32_t *position)
{
    for (int32_t k = 0; k < passes->count; k++) {
        zr_pass *pass = &passes->list[k];
        int32_t outputs = pass->matrix + pass->vector, count = zm->families[pass->family].count;
        for (int32_t i = 0; i < count; i++) {
            int32_t *place = pass->place + (size_t)i * (size_t)outputs;
            for (int32_t o = 0; o < pass->matrix; o++)
                place[o] = place[o] >= 0 ? position[place[o]] : ~position[~place[o]];
        }
    }
}
