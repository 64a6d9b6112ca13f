/*
 * Columns: making and naming them. The order of `all` is that of ZR_COLUMN_LIST; a word of Zwang's
 * that the model uses as a name of its own (`output energy = ...`) means the model's, and is then
 * left out of `all`, so that no two columns have one name.
 */
#include "columns.h"

#include <string.h>

const zr_column_type zr_column_types[ZR_COL_COUNT] = {
#define ZR_COLUMN_TYPE(kind, sort, need, word, primes) {sort, need, word, primes},
    ZR_COLUMN_LIST(ZR_COLUMN_TYPE)
#undef ZR_COLUMN_TYPE
};

/* ------------------------------------------------------------------------- adding */

/* How many columns of a kind there are. */
static int32_t count_columns_of(const zr_search *s, zr_column_kind kind)
{
    const zw_model *model = s->model;
    switch (zr_column_types[kind].sort) {
    case ZR_OF_COORDINATE:
        return model->zm->n;
    case ZR_OF_OUTPUT:
        return zr_output_elements(model);
    case ZR_OF_ROW:
        return model->zm->m;
    case ZR_OF_CONTACT:
    case ZR_OF_SITE:
    case ZR_OF_SLIP:
        return zr_touching_count(model, zr_column_types[kind].sort);
    case ZR_OF_MOTOR:
        return model->zm->motor_count;
    case ZR_OF_PICTURE:
        return s->columns->picture ? s->columns->picture->numbers.count : 0;
    default:
        return 1;
    }
}

/* The residual of a row of acceleration level has its accelerations in it, as have its gap and the
 * time derivative of a row with velocities. */
static int find_needs(const zw_model *model, zr_column_kind kind, int32_t number)
{
    int need = zr_column_types[kind].need;
    if (kind == ZR_COL_OUTPUT && zr_output_solved(model, number)) need |= ZR_NEED_SOLVE;
    if (kind == ZR_COL_GAP &&
        zm_row_kind_of(model->zm, model->zm->contacts[number].row) == ZM_ACCELERATION)
        need |= ZR_NEED_SOLVE;
    if (kind != ZR_COL_RESIDUAL && kind != ZR_COL_RATE) return need;
    zm_row_kind row = zm_row_kind_of(model->zm, number);
    if (kind == ZR_COL_RESIDUAL) return row == ZM_ACCELERATION ? ZR_NEED_SOLVE : need;
    return row == ZM_HOLONOMIC ? need : row == ZM_ACCELERATION ? 0 : ZR_NEED_SOLVE;
}

/* Notes that a column is in the list; false: it was there already. */
static bool mark_column(zr_search *s, zr_column_kind kind, int32_t number)
{
    int64_t bit = s->base[kind] + number;
    unsigned char mask = (unsigned char)(1u << (bit & 7)), *byte = &s->seen[bit >> 3];
    bool fresh = !(*byte & mask);
    *byte |= mask;
    return fresh;
}

zw_status zr_add_columns(zr_search *s, zr_column_kind kind, int32_t first, int32_t count)
{
    zw_columns *c = s->columns;
    if (!zb_array_reserve(c->memory, &c->list, count)) return c->memory->failure;
    for (int32_t i = first; i < first + count; i++) {
        if (!mark_column(s, kind, i)) continue;
        c->list.data[c->list.count++] = (zr_column){.kind = (int32_t)kind, .number = i};
        c->needs |= find_needs(s->model, kind, i);
        if (kind == ZR_COL_DRAW) c->needs |= zr_draw_needs(c->picture, i);
        c->shares = c->shares || kind == ZR_COL_MULTIPLIER || kind == ZR_COL_CONTROL ||
                    kind == ZR_COL_NORMAL || kind == ZR_COL_FRICTION ||
                    (kind == ZR_COL_OUTPUT && zr_output_solved(s->model, i));
    }
    return ZW_OK;
}

/* Whether the model itself has a name like this. */
static bool is_name_of_model(const zw_model *model, const char *word)
{
    for (int sort = ZR_OF_COORDINATE; sort <= ZR_OF_OUTPUT; sort++) {
        for (int32_t k = 0; k < zr_thing_count(model, (zr_sort)sort); k++) {
            const zm_label *label = zr_thing_at(model, (zr_sort)sort, k).label;
            if (label->scope < 0 && strcmp(zl_name_text(&model->zm->unit, label->name), word) == 0)
                return true;
        }
    }
    return false;
}

/* Those of a kind of rows that have no other name among `all`. */
static zw_status add_shown_rows(zr_search *s, zr_column_kind kind)
{
    for (int32_t i = 0; i < s->model->zm->m; i++)
        if (zr_is_row_shown(s->model, kind, i)) ZB_TRY(zr_add_columns(s, kind, i, 1));
    return ZW_OK;
}

/* Words that are names of the model's own are left out. */
zw_status zr_add_all(zr_search *s)
{
    for (int k = 0; k < ZR_COL_DRAW; k++) {
        const zr_column_type *type = &zr_column_types[k];
        if (type->sort == ZR_OF_MODEL && is_name_of_model(s->model, type->word)) continue;
        if (type->sort == ZR_OF_ROW && s->model->laws) {
            ZB_TRY(add_shown_rows(s, (zr_column_kind)k));
            continue;
        }
        ZB_TRY(zr_add_columns(s, (zr_column_kind)k, 0, count_columns_of(s, (zr_column_kind)k)));
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------- making */

/* Gives every column there could be its bit in s->seen. */
static zw_status number_all_columns(zr_search *s)
{
    int64_t bits = 0;
    for (int k = 0; k < ZR_COL_COUNT; k++) {
        s->base[k] = bits;
        bits += count_columns_of(s, (zr_column_kind)k);
    }
    s->seen_bytes = (size_t)bits / 8 + 1;
    s->seen = zb_resize(s->columns->memory, NULL, 0, s->seen_bytes);
    if (!s->seen) return s->columns->memory->failure;
    memset(s->seen, 0, s->seen_bytes);
    return ZW_OK;
}

/* Outputs but for those that were said to stand aside. */
static zw_status add_default_outputs(zr_search *s)
{
    const zw_model *model = s->model;
    for (int32_t k = 0; k < model->zm->output_count; k++) {
        int32_t first = zr_output_first(model, k), size = zr_output_first(model, k + 1) - first;
        if (!model->zm->outputs[k].aside) ZB_TRY(zr_add_columns(s, ZR_COL_OUTPUT, first, size));
    }
    return ZW_OK;
}

/* Time first; then what the list names, without one positions, velocities and outputs. */
static zw_status fill_column_list(zr_search *s)
{
    ZB_TRY(zr_prepare_picture(s));
    ZB_TRY(number_all_columns(s));
    ZB_TRY(zr_add_columns(s, ZR_COL_TIME, 0, 1));
    if (s->list) return zr_find_columns(s);
    ZB_TRY(zr_add_columns(s, ZR_COL_POSITION, 0, s->model->zm->n));
    ZB_TRY(zr_add_columns(s, ZR_COL_VELOCITY, 0, s->model->zm->n));
    return add_default_outputs(s);
}

/* What served the search is given back, whether it succeeds or not. */
zw_status zr_columns_create_part(zw_model *model, const char *list, const char *written,
                                 zw_columns **out)
{
    zb_memory *memory = &model->context->memory;
    zw_columns *columns = zb_resize(memory, NULL, 0, sizeof *columns);
    if (!columns) return memory->failure;
    *columns = (zw_columns){.model = model, .memory = memory};
    zr_search search = {.columns = columns, .model = model, .list = list, .written = written};
    zw_status status = fill_column_list(&search);
    zb_resize(memory, search.seen, search.seen_bytes, 0);
    for (int k = 0; k < ZR_SORTS; k++) zb_table_free(memory, &search.known[k]);
    if (status != ZW_OK) {
        zr_columns_free(columns);
        return status;
    }
    *out = columns;
    return ZW_OK;
}

zw_status zr_columns_create(zw_model *model, const char *list, zw_columns **columns)
{
    return zr_columns_create_part(model, list, list, columns);
}

void zr_columns_free(zw_columns *columns)
{
    if (!columns) return;
    zb_memory *memory = columns->memory;
    zb_array_free(memory, &columns->list);
    zb_array_free(memory, &columns->by);
    zr_picture_free(columns->picture);
    zb_resize(memory, columns, sizeof *columns, 0);
}

bool zr_columns_fit(const zw_sim *sim, const zw_columns *columns)
{
    return sim->model == columns->model;
}

int32_t zr_columns_count(const zw_columns *columns)
{
    return columns->list.count;
}

/* ------------------------------------------------------------------------- naming */

/* The output that an element belongs to: the last one that begins at or before it and is not
 * empty. */
static int32_t find_output(const zw_model *model, int32_t element)
{
    int32_t low = 0, high = model->zm->output_count;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (zr_output_first(model, middle) <= element)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Elements of a matrix are counted by rows. */
void zr_text_output(const zw_model *model, int32_t element, zb_text *text)
{
    int32_t k = find_output(model, element), i = element - zr_output_first(model, k);
    const zm_output *o = &model->zm->outputs[k];
    zm_label_text(model->zm, &o->label, text);
    if (o->columns > 0)
        zb_text_printf(text, "[%d,%d]", (int)(i / o->columns + 1), (int)(i % o->columns + 1));
    else if (o->rows > 0)
        zb_text_printf(text, "[%d]", (int)(i + 1));
}

void zr_text_row_column(const zm_model *zm, const char *word, int32_t row, zb_text *text)
{
    const zm_constraint *c = &zm->constraints[zm_row_constraint(zm, row)];
    int32_t k = row - c->first_row;
    zb_text_add(text, word);
    zb_text_char(text, '(');
    zm_label_text(zm, &c->label, text);
    zb_text_char(text, ')');
    if (c->vector) zb_text_printf(text, "[%d]", (int)(c->written ? c->written[k] : k + 1));
}

/* x, x', force(x): of coordinate i. */
static void name_coordinate_column(const zm_model *zm, const zr_column_type *type, int32_t i,
                                   zb_text *text)
{
    if (type->word) zb_text_add(text, type->word);
    if (type->word) zb_text_char(text, '(');
    zm_coordinate_text(zm, i, text);
    if (type->word) zb_text_char(text, ')');
    zb_text_repeat(text, '\'', (size_t)type->primes);
}

/* actuator(steer)[2]: of motor k. */
static void name_motor_column(const zm_model *zm, const char *word, int32_t k, zb_text *text)
{
    zb_text_printf(text, "%s(", word);
    zm_label_text(zm, &zm->constraints[zm->motors[k].constraint].label, text);
    zb_text_printf(text, ")[%d]", (int)zm->motors[k].number);
}

/* The names are those that the list would be read with. */
void zr_text_column(const zw_model *model, const zr_column *c, zb_text *text)
{
    const zr_column_type *type = &zr_column_types[c->kind];
    switch (type->sort) {
    case ZR_OF_MODEL:
        zb_text_add(text, type->word);
        break;
    case ZR_OF_COORDINATE:
        name_coordinate_column(model->zm, type, c->number, text);
        break;
    case ZR_OF_OUTPUT:
        zr_text_output(model, c->number, text);
        break;
    case ZR_OF_CONTACT:
    case ZR_OF_SITE:
    case ZR_OF_SLIP:
        zr_text_touching_column(model, c, text);
        break;
    case ZR_OF_MOTOR:
        name_motor_column(model->zm, type->word, c->number, text);
        break;
    default:
        zr_text_row_column(model->zm, type->word, c->number, text);
        break;
    }
}

void zr_columns_name(const zw_columns *columns, int32_t i, zb_text *text)
{
    const zr_column *c = &columns->list.data[i];
    if (c->by > 0)
        zr_text_derivative(columns, c, text);
    else if (c->kind == ZR_COL_DRAW)
        zr_text_draw_column(columns->picture, c->number, text);
    else
        zr_text_column(columns->model, c, text);
}

/* The words of the page (docs/CLI.md). */
const char *zr_columns_kind(const zw_columns *columns, int32_t i)
{
    static const char *const words[ZR_COL_COUNT] = {[ZR_COL_TIME] = "time",
                                                    [ZR_COL_POSITION] = "coordinate",
                                                    [ZR_COL_VELOCITY] = "velocity",
                                                    [ZR_COL_OUTPUT] = "output",
                                                    [ZR_COL_ACCELERATION] = "acceleration",
                                                    [ZR_COL_ENERGY] = "energy",
                                                    [ZR_COL_KINETIC] = "energy",
                                                    [ZR_COL_POTENTIAL] = "energy",
                                                    [ZR_COL_FORCE] = "force",
                                                    [ZR_COL_IDEAL] = "force",
                                                    [ZR_COL_NONIDEAL] = "force",
                                                    [ZR_COL_CONTROL] = "force",
                                                    [ZR_COL_ACTUATOR] = "force",
                                                    [ZR_COL_IMPRESSED] = "force",
                                                    [ZR_COL_MULTIPLIER] = "multiplier",
                                                    [ZR_COL_RESIDUAL] = "residual",
                                                    [ZR_COL_RATE] = "residual",
                                                    [ZR_COL_GAP] = "gap",
                                                    [ZR_COL_NORMAL] = "multiplier",
                                                    [ZR_COL_SLIP] = "slip",
                                                    [ZR_COL_FRICTION] = "multiplier",
                                                    [ZR_COL_CONTACT] = "contact",
                                                    [ZR_COL_IMPULSE] = "impulse",
                                                    [ZR_COL_GAUSSIAN] = "gaussian",
                                                    [ZR_COL_INCONSISTENCY] = "inconsistency",
                                                    [ZR_COL_RANK] = "rank",
                                                    [ZR_COL_DRAW] = "drawing"};
    const zr_column *c = &columns->list.data[i];
    return c->by > 0 ? "derivative" : words[c->kind];
}
