/*
 * Columns of the picture: draw[2,1,3] is number 3 of row 1 of shape 2, its points first, then what
 * the shape has besides (zr_number_place). Indices that are left out stand for all. `drawn` is what
 * is needed to draw it: the coordinates that stand in it, the other numbers that move, the
 * constraint forces on its spots, and its contacts, which stand behind all that is drawn (seats.c).
 */
#include "columns.h"

#include <string.h>

/* Made only where the word stands in the list; a name that has it inside costs no more than time. */
zw_status zr_prepare_picture(zr_search *s)
{
    if (!s->list || !strstr(s->list, "draw")) return ZW_OK;
    return zr_picture_create(s->model, &s->columns->picture);
}

/* The shape that a number belongs to: the last one that begins at or before it. */
static int32_t find_shape_of_number(const zr_picture *p, int32_t number)
{
    int32_t low = 0, high = p->shapes.count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (p->shapes.data[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int zr_draw_needs(const zr_picture *p, int32_t k)
{
    int needs = p->solved || p->numbers.data[k].solved ? ZR_NEED_SOLVE : 0;
    bool seat = p->drawn < p->shapes.count && k >= p->shapes.data[p->drawn].first;
    return seat ? needs | ZR_NEED_SOLVE | ZR_NEED_SEATS : needs;
}

void zr_text_draw_column(const zr_picture *p, int32_t number, zb_text *text)
{
    int32_t shape = find_shape_of_number(p, number), row, column;
    zr_number_place(&p->shapes.data[shape], number - p->shapes.data[shape].first, &row, &column);
    zb_text_printf(text, "draw[%d,%d,%d]", (int)shape + 1, (int)row + 1, (int)column + 1);
}

/* Whether the indices of an item choose number k of a shape. */
static bool is_number_chosen(const zr_item *item, const zr_shape *shape, int32_t shape_number,
                             int32_t k)
{
    int32_t place[3] = {shape_number};
    zr_number_place(shape, k, &place[1], &place[2]);
    for (int32_t i = 0; i < item->index_count; i++)
        if (item->indices[i].value != place[i] + 1) return false;
    return true;
}

/* Number k of the picture, if it moves: a coordinate, or its own. */
static zw_status add_moving_number(zr_search *s, int32_t k)
{
    const zr_number *x = &s->columns->picture->numbers.data[k];
    if (x->fixed) return ZW_OK;
    if (x->coordinate >= 0) return zr_add_columns(s, ZR_COL_POSITION, x->coordinate, 1);
    return zr_add_columns(s, ZR_COL_DRAW, k, 1);
}

/* All that is needed to draw the picture with its forces. */
static zw_status add_drawn(zr_search *s)
{
    const zr_picture *p = s->columns->picture;
    for (int32_t k = 0; k < p->numbers.count; k++) ZB_TRY(add_moving_number(s, k));
    for (int32_t k = 0; p->drawn > 0 && k < p->spots.count; k++)
        for (int32_t j = 0; j < p->spots.data[k].dimension; j++) {
            int32_t i = p->spots.data[k].coordinate[j];
            ZB_TRY(zr_add_columns(s, ZR_COL_POSITION, i, 1));
            if (s->model->zm->m > 0) ZB_TRY(zr_add_columns(s, ZR_COL_IDEAL, i, 1));
            if (p->nonideal) ZB_TRY(zr_add_columns(s, ZR_COL_NONIDEAL, i, 1));
        }
    return ZW_OK;
}

zw_status zr_add_draw_columns(zr_search *s, const zr_item *item, bool *found)
{
    const zr_picture *p = s->columns->picture;
    if (item->count != 1 || item->index_count > 3 || !p) return ZW_OK;
    *found = item->index_count == 0 && zr_is_word(s->list, &item->names[0], "drawn");
    if (*found) return add_drawn(s);
    if (!zr_is_word(s->list, &item->names[0], "draw")) return ZW_OK;
    *found = item->index_count == 0; /* also where there is nothing to draw */
    for (int32_t j = 0; j < p->drawn; j++) {
        const zr_shape *shape = &p->shapes.data[j];
        for (int32_t k = 0; k < shape->count; k++) {
            if (!is_number_chosen(item, shape, j, k)) continue;
            *found = true;
            ZB_TRY(zr_add_columns(s, ZR_COL_DRAW, shape->first + k, 1));
        }
    }
    return ZW_OK;
}
