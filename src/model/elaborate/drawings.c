/*
 * The statement draw: what a picture of the model is made of. A drawing is one item, whose roots are
 * the numbers it is drawn from (zm_drawing).
 *
 *     point(p)  trail(p)  text(p, "..")  line(p, q, ...)  polygon(p, q, r, ...)  spring(p, q)
 *     ball(p, radius)  cylinder(p, q, radius)  arrow(p, v)
 *     box(body, sizes)  surface(body, s)  box(p, R, sizes)  surface(p, R, s)
 *     contact(NAME, p, normal, tangent, ...)
 *
 * A body is a part with a place r and a matrix R from its axes to those of the world, or both are
 * given; in the plane its angle `th`, or a number for R, is taken where there is one, so that it goes
 * on over many turns. A surface s is a part
 * with a function support(n), as rolling bodies have. It is asked for a grid of directions, none of
 * which is an axis: there some surfaces have no single place.
 *
 * Accelerations and reactions may stand in a drawing: arrow(r, multiplier(pin)).
 *
 * contact(...) says where the constraint NAME, an inequality or with friction, is seen, along which
 * vector its multiplier pushes and along which the components of its friction do. It is no
 * drawing of the model's own: what parts draw by default stays.
 */
#include "elaborate.h"

#include <math.h>
#include <string.h>

enum { RINGS = 6, ON_CURVE = 32 }; /* directions of a surface, in space and plane */

/* A drawing on its way: its roots so far. */
typedef struct sketch {
    const zl_statement *s;
    zm_drawing d;
    zx_node *roots;
    int32_t count, room;
} sketch;

/* ------------------------------------------------------------------------ values */

static void add_root(zm_elab *e, sketch *k, zx_node root)
{
    if (k->count == k->room) {
        int32_t room = k->room > 0 ? 2 * k->room : 16;
        zx_node *roots = ZB_NEW_ARRAY(&e->scratch, zx_node, room);
        if (k->count > 0) memcpy(roots, k->roots, sizeof *roots * (size_t)k->count);
        k->roots = roots;
        k->room = room;
    }
    k->roots[k->count++] = root;
}

static void add_elements(zm_elab *e, sketch *k, const zm_value *v)
{
    for (int32_t i = 0; i < zm_size(v); i++) add_root(e, k, zm_element(e, v, i));
}

/* A vector of as many numbers as the points before it have, 1 to 3; false after an error. */
static bool add_vector(zm_elab *e, sketch *k, const zm_value *v, zl_place place, const char *what)
{
    if (zm_is_broken(v)) return false;
    int32_t size = zm_size(v);
    if (zm_is_numeric(v) && !v->columns && v->rows >= 1 && size <= 3 &&
        (k->d.dimension == 0 || k->d.dimension == size)) {
        k->d.dimension = size;
        add_elements(e, k, v);
        return true;
    }
    ZM_ERROR(e, "E0314", place, "a point is a vector of 2 or 3 numbers, the same for all points",
             "%s is not %s to draw", zm_shape_string(e, v), what);
    return false;
}

static bool add_points(zm_elab *e, sketch *k, int32_t count)
{
    for (k->d.points = 0; k->d.points < count; k->d.points++) {
        const zl_expr *x = k->s->targets[k->d.points];
        zm_value v = zm_evaluate(e, x);
        if (!add_vector(e, k, &v, x->place, "a point")) return false;
    }
    return true;
}

/* The last value of the statement: a number. */
static bool add_last_number(zm_elab *e, sketch *k)
{
    zx_node node = zm_evaluate_scalar(e, k->s->targets[k->s->target_count - 1]);
    if (node == ZX_NONE) return false;
    add_root(e, k, node);
    return true;
}

/* The last value of the statement: a vector as long as the points. */
static bool add_last_vector(zm_elab *e, sketch *k, const char *what)
{
    const zl_expr *x = k->s->targets[k->s->target_count - 1];
    zm_value v = zm_evaluate(e, x);
    return add_vector(e, k, &v, x->place, what);
}

/* ------------------------------------------------------------------------ bodies */

/* body.NAME, as if it stood there. */
static zm_value evaluate_member_of(zm_elab *e, const zl_expr *body, const char *name)
{
    zl_expr member = {.kind = ZL_MEMBER,
                      .name = zl_intern(e->unit, name, strlen(name)),
                      .left = body,
                      .place = body->place,
                      .mark = body->place};
    return zm_evaluate(e, &member);
}

/* Whether a part has a name. */
static bool has_member(zm_elab *e, const zm_value *part, const char *name)
{
    if (part->kind != ZM_VAL_PART) return false;
    zl_name word = zl_intern(e->unit, name, strlen(name));
    return zm_find_own_name(e->parts.scopes.data[part->first], word) != NULL;
}

/* How a body is turned: in the plane an angle, or that of R = [[c, -s], [s, c]]; in space R. False
 * after an error. */
static bool add_turn(zm_elab *e, sketch *k, const zm_value *R, zl_place place)
{
    int32_t size = k->d.dimension;
    if (zm_is_broken(R)) return false;
    if (size == 2 && zm_is_numeric(R) && zm_is_scalar(R)) {
        add_root(e, k, zm_element(e, R, 0));
        return true;
    }
    if (size < 2 || !zm_is_numeric(R) || R->rows != size || R->columns != size) {
        ZM_ERROR(e, "E0314", place, "in the plane it is an angle or a matrix of 2, in space of 3",
                 "%s does not say how this body is turned", zm_shape_string(e, R));
        return false;
    }
    if (size == 3)
        add_elements(e, k, R);
    else
        add_root(e, k, zx_binary(e->world, ZX_ATAN2, zm_element(e, R, 2), zm_element(e, R, 0)));
    return true;
}

/* p, R: the first two values. */
static bool add_given_body(zm_elab *e, sketch *k)
{
    if (!add_points(e, k, 1)) return false;
    zm_value R = zm_evaluate(e, k->s->targets[1]);
    return add_turn(e, k, &R, k->s->targets[1]->place);
}

/* The place of the body that is the first value, and how it is turned; false after an error. */
static bool add_body(zm_elab *e, sketch *k)
{
    if (k->s->target_count == 3) return add_given_body(e, k);
    const zl_expr *body = k->s->targets[0];
    zm_value part = zm_evaluate(e, body);
    if (zm_is_broken(&part)) return false;
    if (!has_member(e, &part, "r") || !(has_member(e, &part, "R") || has_member(e, &part, "th"))) {
        ZM_ERROR(e, "E0314", body->place, "a body has a place r and a matrix R, as a Body of rigid",
                 "%s is not a body to draw", zm_shape_string(e, &part));
        return false;
    }
    zm_value r = evaluate_member_of(e, body, "r");
    if (!add_vector(e, k, &r, body->place, "a place of a body")) return false;
    k->d.points = 1;
    bool angle = k->d.dimension == 2 && has_member(e, &part, "th");
    zm_value R = evaluate_member_of(e, body, angle ? "th" : "R");
    return add_turn(e, k, &R, body->place);
}

/* ---------------------------------------------------------------------- contacts */

/* The constraint, a point, and as many vectors as are given; false after an error. */
static bool add_contact(zm_elab *e, sketch *k)
{
    k->d.constraint = zm_find_constraint(e, k->s->targets[0], "E0106");
    if (k->d.constraint < 0) return false;
    for (int32_t i = 1; i < k->s->target_count; i++) {
        const zl_expr *x = k->s->targets[i];
        zm_value v = zm_evaluate(e, x);
        if (!add_vector(e, k, &v, x->place, i == 1 ? "a point" : "a direction")) return false;
    }
    k->d.points = 1;
    return true;
}

/* ---------------------------------------------------------------------- surfaces */

/* s.support(n) for a direction n [dimension]; false after an error. */
static bool add_support(zm_elab *e, sketch *k, const double *n)
{
    const zl_expr *surface = k->s->targets[k->s->target_count - 1];
    zl_expr numbers[3], vector, call;
    const zl_expr *items[3], *argument = &vector;
    for (int32_t i = 0; i < k->d.dimension; i++) {
        numbers[i] = (zl_expr){.kind = ZL_NUMBER, .number = n[i], .place = surface->place};
        items[i] = &numbers[i];
    }
    vector = (zl_expr){
        .kind = ZL_VECTOR, .items = items, .count = k->d.dimension, .place = surface->place};
    call = (zl_expr){.kind = ZL_CALL,
                     .name = zl_intern(e->unit, "support", 7),
                     .left = surface,
                     .items = &argument,
                     .count = 1,
                     .place = surface->place,
                     .mark = surface->place};
    zm_value v = zm_evaluate(e, &call);
    return add_vector(e, k, &v, surface->place, "a place of a surface");
}

/* In space rings from -z to z, in the plane once around. */
static bool add_surface(zm_elab *e, sketch *k)
{
    const double pi = 3.14159265358979323846;
    bool plane = k->d.dimension == 2;
    int32_t rings = plane ? 1 : RINGS, on_ring = plane ? ON_CURVE : ZM_ON_RING;
    for (int32_t i = 0; i < rings; i++) {
        double height = plane ? 0.0 : pi * ((i + 0.5) / rings - 0.5);
        for (int32_t j = 0; j < on_ring; j++) {
            double around = 2.0 * pi * (j + 0.5) / on_ring;
            double n[3] = {cos(height) * cos(around), cos(height) * sin(around), sin(height)};
            if (!add_support(e, k, n)) return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------- settings */

/* color = "teal", color = teal. */
static void read_colour(zm_elab *e, const zl_setting *setting, const char *word, zm_drawing *d)
{
    d->color = word;
    if (zm_is_colour(word)) return;
    const char *near = zm_suggest_colour(word);
    const char *forms = "a colour is a name of CSS, or #rgb or #rrggbb in hexadecimal digits";
    ZM_ERROR(e, "E0320", setting->place,
             near ? zm_format(e, "did you mean '%s'? %s", near, forms) : forms,
             "'%.40s' is not a colour", word);
}

/* Reads the options color, width and default; others are reported. */
static void read_draw_settings(zm_elab *e, const zl_statement *s, zm_drawing *d)
{
    double fallback = 0.0;
    for (int32_t k = 0; k < s->setting_count; k++) {
        const zl_setting *setting = &s->settings[k];
        const char *key = zm_name_of(e, setting->key);
        bool named = setting->value && setting->value->kind == ZL_NAME;
        if (strcmp(key, "color") == 0 && (setting->text || named))
            read_colour(e, setting,
                        setting->text ? setting->text : zm_name_of(e, setting->value->name), d);
        else if (strcmp(key, "width") == 0 && setting->value)
            (void)zm_read_present_number(e, setting->value, "a width", &d->width);
        else if (strcmp(key, "default") == 0 && setting->value)
            (void)zm_read_present_number(e, setting->value, "default", &fallback);
        else
            ZM_ERROR(e, "E0313", setting->place,
                     "color = \"teal\", width = 2 and default = 1 are possible",
                     "'%s' is not an option of draw, or its value is wrong", key);
    }
    d->fallback = fallback != 0.0;
}

/* --------------------------------------------------------------------- statement */

/* All values of the statement; false after an error. */
static bool read_shape(zm_elab *e, sketch *k)
{
    int32_t count = k->s->target_count;
    switch (k->d.shape) {
    case ZL_SHAPE_BALL:
    case ZL_SHAPE_CYLINDER:
        return add_points(e, k, count - 1) && add_last_number(e, k);
    case ZL_SHAPE_ARROW:
        return add_points(e, k, 1) && add_last_vector(e, k, "a vector");
    case ZL_SHAPE_BOX:
        return add_body(e, k) && add_last_vector(e, k, "the sizes of a box");
    case ZL_SHAPE_SURFACE:
        return add_body(e, k) && add_surface(e, k);
    case ZL_SHAPE_CONTACT:
        return add_contact(e, k);
    default:
        return add_points(e, k, count);
    }
}

/* What a part draws by default is not even read where the model draws itself. */
void zm_execute_draw(zm_elab *e, const zl_statement *s)
{
    sketch k = {.s = s};
    k.d = (zm_drawing){.place = s->place,
                       .shape = (zl_shape)s->shape,
                       .text = s->string,
                       .part = e->scope->part,
                       .constraint = -1};
    read_draw_settings(e, s, &k.d);
    if (k.d.fallback && e->flags.draws) return;
    k.d.fallback = k.d.fallback || k.d.shape == ZL_SHAPE_CONTACT;
    if (!read_shape(e, &k) || (e->flags.unresolved && !e->flags.last_call)) return;
    zm_allowed allowed = {
        .velocity = true, .coordinate = true, .time = true, .acceleration = true, .measure = true};
    if (!zm_check_leaves(e, k.roots, k.count, allowed, s->place, "a drawing")) return;
    zm_instance instance = {.kind = k.d.fallback ? ZM_DRAW_DEFAULT : ZM_DRAW,
                            .roots = k.roots,
                            .root_count = k.count,
                            .item = e->items.drawings.count,
                            .place = s->place};
    k.d.where = zm_add_instance(e, &instance);
    ZM_PUSH(e, items.drawings, k.d);
}
