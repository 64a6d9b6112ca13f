/*
 * The picture as JSON, {"scene": ..., "forces": ..., "contacts": ...}, for the page and for whatever draws stills
 * (docs/CLI.md). Numbers that move are {"c": column}; the others are written as they are.
 *
 *     scene   {dimension, up, default, shapes: [{kind, name, color, width, p, ...}]} or null
 *     forces  [{name, kind, p, v}]: the ideal and the non-ideal constraint force on a spot
 *     contacts [{name, friction, p, n, f, slope, state}]: where sites are, and what they do
 */
#include "columns.h"
#include "contact_laws.h"

#include <math.h>

/* The text under way, and in which column a number is; -1: in none. */
typedef struct scene {
    zw_sim *sim;
    const zw_columns *columns;
    const zr_picture *p;
    zb_text text, name;
    int32_t *column; /* [ZR_COL_COUNT][n or numbers]; of positions, ideal, non-ideal forces, draw */
    size_t bytes;
} scene;

enum { OF_POSITION, OF_IDEAL, OF_NONIDEAL, OF_DRAWING, MAPS };

/* Where the map of a kind begins. */
static int32_t *find_map(const scene *s, int map)
{
    return s->column + (size_t)map * (size_t)s->sim->zm->n;
}

static zw_status map_columns(scene *s)
{
    static const int map_of[ZR_COL_COUNT] = {[ZR_COL_POSITION] = OF_POSITION + 1,
                                             [ZR_COL_IDEAL] = OF_IDEAL + 1,
                                             [ZR_COL_NONIDEAL] = OF_NONIDEAL + 1,
                                             [ZR_COL_DRAW] = OF_DRAWING + 1};
    size_t count = 3 * (size_t)s->sim->zm->n + (size_t)s->p->numbers.count;
    zb_memory *memory = s->columns->memory;
    s->bytes = sizeof *s->column * (count + 1);
    s->column = zb_resize(memory, NULL, 0, s->bytes);
    if (!s->column) return memory->failure;
    for (size_t k = 0; k < count; k++) s->column[k] = -1;
    for (int32_t i = 0; i < s->columns->list.count; i++) {
        const zr_column *c = &s->columns->list.data[i];
        if (c->by == 0 && map_of[c->kind] > 0) find_map(s, map_of[c->kind] - 1)[c->number] = i;
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------- numbers */

static void write_column(scene *s, int32_t column)
{
    if (column >= 0)
        zb_text_printf(&s->text, "{\"c\":%d}", (int)column);
    else
        zb_text_add(&s->text, "null");
}

/* Number k of the picture: as it is, a coordinate's column, or its own. */
static void write_number(scene *s, int32_t k)
{
    const zr_number *x = &s->p->numbers.data[k];
    int32_t own = find_map(s, OF_DRAWING)[k];
    int32_t column = x->coordinate >= 0 ? find_map(s, OF_POSITION)[x->coordinate] : own;
    if (x->fixed)
        zb_text_json_double(&s->text, zr_drawn_number(s->p, s->sim, k));
    else
        write_column(s, column >= 0 ? column : own);
}

/* Numbers [first, first + count) as a list; one number of a line is put into the plane. */
static void write_list(scene *s, int32_t first, int32_t count, bool place)
{
    zb_text_char(&s->text, '[');
    for (int32_t k = 0; k < count; k++) {
        if (k > 0) zb_text_char(&s->text, ',');
        write_number(s, first + k);
    }
    if (place && count == 1) zb_text_add(&s->text, ",0");
    zb_text_char(&s->text, ']');
}

/* "p": the points from point `from` on, as a list of lists. */
static void write_points(scene *s, const zr_shape *shape, int32_t from, int32_t count)
{
    zb_text_char(&s->text, '[');
    for (int32_t i = from; i < from + count; i++) {
        if (i > from) zb_text_char(&s->text, ',');
        write_list(s, shape->first + i * shape->dimension, shape->dimension, true);
    }
    zb_text_char(&s->text, ']');
}

/* ------------------------------------------------------------------------ shapes */

/* The member `name` with one point or vector, number `at` of the shape on. */
static void write_vector(scene *s, const zr_shape *shape, const char *name, int32_t at)
{
    zb_text_printf(&s->text, ",\"%s\":", name);
    write_list(s, shape->first + at, shape->dimension, true);
}

static void write_scalar(scene *s, const zr_shape *shape, const char *name, int32_t at)
{
    zb_text_printf(&s->text, ",\"%s\":", name);
    write_number(s, shape->first + at);
}

/* Place and turn of a body; returns where the rest begins. */
static int32_t write_body(scene *s, const zr_shape *shape)
{
    int32_t size = shape->dimension;
    write_vector(s, shape, "p", 0);
    if (size == 2) {
        write_scalar(s, shape, "angle", 2);
        return 3;
    }
    zb_text_add(&s->text, ",\"R\":");
    write_list(s, shape->first + size, size * size, false);
    return size + size * size;
}

/* The places of a surface, which no state changes. */
static void write_map(scene *s, const zr_shape *shape, int32_t at)
{
    int32_t places = (shape->count - at) / shape->dimension;
    if (shape->dimension == 3)
        zb_text_printf(&s->text, ",\"grid\":[%d,%d]", (int)(places / ZM_ON_RING), (int)ZM_ON_RING);
    zb_text_add(&s->text, ",\"map\":[");
    for (int32_t k = at; k + shape->dimension <= shape->count; k += shape->dimension) {
        if (k > at) zb_text_char(&s->text, ',');
        write_list(s, shape->first + k, shape->dimension, false);
    }
    zb_text_char(&s->text, ']');
}

/* What a shape is made of, by its kind. */
static void write_shape_members(scene *s, const zr_shape *shape)
{
    int32_t size = shape->dimension, rest = shape->points * size;
    switch (shape->kind) {
    case ZL_SHAPE_LINE:
    case ZL_SHAPE_POLYGON:
        zb_text_add(&s->text, ",\"p\":");
        write_points(s, shape, 0, shape->points);
        break;
    case ZL_SHAPE_BOX:
        rest = write_body(s, shape);
        zb_text_add(&s->text, ",\"sizes\":");
        write_list(s, shape->first + rest, size, false);
        break;
    case ZL_SHAPE_SURFACE:
        write_map(s, shape, write_body(s, shape));
        break;
    default:
        write_vector(s, shape, "p", 0);
        if (shape->points == 2) write_vector(s, shape, "q", size);
        if (shape->kind == ZL_SHAPE_ARROW) write_vector(s, shape, "v", rest);
        if (shape->kind == ZL_SHAPE_BALL || shape->kind == ZL_SHAPE_CYLINDER)
            write_scalar(s, shape, "radius", rest);
        if (shape->kind != ZL_SHAPE_TEXT) break;
        zb_text_add(&s->text, ",\"text\":");
        zb_text_json_string(&s->text, shape->text);
    }
}

/* The name that was made, as a string. */
static void write_made_name(scene *s)
{
    if (s->name.failure != ZW_OK) s->text.failure = s->name.failure;
    zb_text_json_string(&s->text, zb_text_string(&s->name));
}

/* The part that draws it, or the constraint that it is. */
static void write_shape_name(scene *s, const zr_shape *shape)
{
    const zm_model *zm = s->sim->zm;
    if (shape->part < 0 && shape->row < 0) return;
    zb_text_clear(&s->name);
    if (shape->row >= 0)
        zm_row_text(zm, shape->row, &s->name);
    else
        zm_label_text(zm, &zm->parts[shape->part].label, &s->name);
    zb_text_add(&s->text, ",\"name\":");
    write_made_name(s);
}

static void write_shape(scene *s, const zr_shape *shape)
{
    zb_text_printf(&s->text, "{\"kind\":\"%s\"", zl_shape_words[shape->kind]);
    write_shape_name(s, shape);
    if (shape->color) zb_text_add(&s->text, ",\"color\":");
    if (shape->color) zb_text_json_string(&s->text, shape->color);
    if (shape->width > 0.0) zb_text_add(&s->text, ",\"width\":");
    if (shape->width > 0.0) zb_text_json_double(&s->text, shape->width);
    write_shape_members(s, shape);
    zb_text_char(&s->text, '}');
}

static void write_shapes(scene *s)
{
    const zr_picture *p = s->p;
    zb_text_printf(&s->text, "{\"dimension\":%d,\"up\":%s%s,\"shapes\":[", (int)p->dimension,
                   p->dimension == 3 ? "[0,0,1]" : "[0,1,0]",
                   p->fallback ? ",\"default\":true" : "");
    for (int32_t k = 0; k < p->drawn; k++) {
        if (k > 0) zb_text_add(&s->text, ",\n");
        write_shape(s, &p->shapes.data[k]);
    }
    zb_text_add(&s->text, "]}");
}

/* ------------------------------------------------------------------------ forces */

/* Coordinates of a spot in a map of columns. */
static void write_spot(scene *s, const zr_spot *spot, int map)
{
    zb_text_char(&s->text, '[');
    for (int32_t j = 0; j < spot->dimension; j++) {
        if (j > 0) zb_text_char(&s->text, ',');
        write_column(s, find_map(s, map)[spot->coordinate[j]]);
    }
    zb_text_char(&s->text, ']');
}

/* r, p[3], or x, y of scalars; in s->name. */
static void name_spot(scene *s, const zr_spot *spot)
{
    const zm_model *zm = s->sim->zm;
    const zm_block *b = &zm->coordinates[spot->block];
    bool rows = b->columns > 0, vector = spot->coordinate[1] == spot->coordinate[0] + 1 && b->rows;
    zb_text_clear(&s->name);
    if (!vector) {
        for (int32_t j = 0; j < spot->dimension; j++) {
            if (j > 0) zb_text_add(&s->name, ", ");
            zm_coordinate_text(zm, spot->coordinate[j], &s->name);
        }
        return;
    }
    zm_label_text(zm, &b->label, &s->name);
    if (rows)
        zb_text_printf(&s->name, "[%d]", (int)((spot->coordinate[0] - b->first) / b->columns + 1));
}

/* One arrow at each spot for each kind of force whose columns are there. */
static void write_forces(scene *s)
{
    static const char *const words[] = {[OF_IDEAL] = "ideal", [OF_NONIDEAL] = "nonideal"};
    const zm_model *zm = s->sim->zm;
    int last = s->p->nonideal ? OF_NONIDEAL : OF_IDEAL;
    bool first = true;
    for (int32_t k = 0; zm->m > 0 && k < s->p->spots.count; k++) {
        const zr_spot *spot = &s->p->spots.data[k];
        for (int map = OF_IDEAL; map <= last; map++) {
            if (find_map(s, map)[spot->coordinate[0]] < 0) continue;
            name_spot(s, spot);
            zb_text_add(&s->text, first ? "{\"name\":" : ",\n{\"name\":");
            write_made_name(s);
            zb_text_printf(&s->text, ",\"kind\":\"%s\",\"p\":", words[map]);
            write_spot(s, spot, OF_POSITION);
            zb_text_add(&s->text, ",\"v\":");
            write_spot(s, spot, map);
            zb_text_char(&s->text, '}');
            first = false;
        }
    }
}

/* ---------------------------------------------------------------------- contacts */

/* A site by its name, an equation by that of its constraint. */
static void name_seat(scene *s, const zr_seat *seat)
{
    const zm_model *zm = s->sim->zm;
    zb_text_clear(&s->name);
    if (seat->site >= 0)
        zr_text_site(s->sim->model, seat->site, &s->name);
    else
        zm_label_text(zm, &zm->constraints[seat->constraint].label, &s->name);
}

static bool has_friction(const zm_model *zm, int32_t constraint)
{
    for (int32_t k = 0; k < zm->friction_count; k++)
        if (zm->frictions[k].constraint == constraint) return true;
    return false;
}

/* One whose place is not known has neither place nor forces. */
static void write_contact(scene *s, const zr_seat *seat, const zr_shape *shape)
{
    int32_t size = shape->dimension;
    bool friction = has_friction(s->sim->zm, seat->constraint);
    name_seat(s, seat);
    zb_text_add(&s->text, "{\"name\":");
    write_made_name(s);
    zb_text_printf(&s->text, ",\"friction\":%s", friction ? "true" : "false");
    if (!s->p->numbers.data[shape->first].fixed) {
        write_vector(s, shape, "p", 0);
        write_vector(s, shape, "n", size);
        write_vector(s, shape, "f", 2 * size);
    }
    write_scalar(s, shape, "slope", 3 * size);
    write_scalar(s, shape, "state", 3 * size + 1);
    zb_text_char(&s->text, '}');
}

static void write_contacts(scene *s)
{
    for (int32_t k = 0; k < s->p->seats.count; k++) {
        if (k > 0) zb_text_add(&s->text, ",\n");
        write_contact(s, &s->p->seats.data[k], &s->p->shapes.data[s->p->drawn + k]);
    }
}

/* ------------------------------------------------------------------------- whole */

zw_status zr_sim_scene(zw_sim *sim, const zw_columns *columns, zw_write_fn write, void *user)
{
    zr_picture *p = columns->picture;
    zb_memory *memory = columns->memory;
    scene s = {.sim = sim, .columns = columns, .p = p};
    if (!p) return ZW_ERR_ORDER;
    zb_text_init(&s.text, memory);
    zb_text_init(&s.name, memory);
    zw_status status = map_columns(&s);
    if (status == ZW_OK) {
        zk_source source = zr_source(sim, sim->t, sim->q, sim->v);
        source.acceleration = sim->v; /* of what moves nothing is read */
        zr_draw(p, &source);
        zb_text_add(&s.text, "{\"scene\":");
        if (p->drawn > 0)
            write_shapes(&s);
        else
            zb_text_add(&s.text, "null");
        zb_text_add(&s.text, ",\n\"forces\":[");
        if (p->drawn > 0) write_forces(&s);
        zb_text_add(&s.text, "],\n\"contacts\":[");
        write_contacts(&s);
        zb_text_add(&s.text, "]}\n");
        status = s.text.failure;
    }
    if (status == ZW_OK && !write(user, zb_text_string(&s.text), s.text.length))
        status = ZW_ERR_WRITE;
    zb_text_free(&s.text);
    zb_text_free(&s.name);
    zb_resize(memory, s.column, s.bytes, 0);
    return status;
}
