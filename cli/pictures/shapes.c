/*
 * From shapes to marks. Numbers of a shape are written as they are or as {"c": column}.
 *
 * Solid bodies in space are drawn as what is seen of them: a box by its faces, a surface and a
 * cylinder by the outline of their points, with rings that show how they turn.
 */
#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char ink[] = "#1f2937", solid[] = "#94a3b8";

/* The shape at hand. */
typedef struct subject {
    const json_t *shape;
    const double *row;
    canvas *c;
    const char *color; /* NULL: not said */
    double width;      /* 0: not said */
} subject;

/* ----------------------------------------------------------------------- numbers */

/* NaN where there is none. */
static double read_number(const json_t *x, const double *row)
{
    const json_t *column = json_object_get(x, "c");
    if (json_is_number(x)) return json_number_value(x);
    return column ? row[json_integer_value(column)] : (double)NAN;
}

/* A point or vector of 2 or 3 numbers; the third is 0 where there is none. False: it is none. */
static bool read_point(const json_t *x, const double *row, double *p)
{
    size_t size = json_array_size(x);
    p[0] = p[1] = p[2] = 0;
    for (size_t k = 0; k < size && k < 3; k++) p[k] = read_number(json_array_get(x, k), row);
    return size >= 2;
}

static bool read_member(const subject *s, const char *name, double *p)
{
    return read_point(json_object_get(s->shape, name), s->row, p);
}

static const char *color_or(const subject *s, const char *other)
{
    return s->color ? s->color : other;
}

static double width_or(const subject *s, double other)
{
    return s->width > 0 ? s->width : other;
}

/* ------------------------------------------------------------------- flat shapes */

/* The points of "p", a list of them, into a mark. */
static void draw_points(const subject *s, mark_kind kind, const char *color, double width)
{
    const json_t *list = json_object_get(s->shape, "p");
    double p[3];
    mark *m = canvas_mark(s->c, kind, color, width);
    if (kind == MARK_AREA) m->faint = 0.25;
    for (size_t k = 0; k < json_array_size(list); k++)
        if (read_point(json_array_get(list, k), s->row, p)) canvas_point(s->c, p);
}

/* A mark at p, or from p to q or to p + v. */
static void draw_between(const subject *s, mark_kind kind, const char *color, double width)
{
    double p[3], q[3];
    (void)canvas_mark(s->c, kind, color, width);
    if (!read_member(s, "p", p)) return;
    canvas_point(s->c, p);
    if (read_member(s, "v", q))
        for (int k = 0; k < 3; k++) q[k] += p[k];
    else if (!read_member(s, "q", q))
        return;
    canvas_point(s->c, q);
}

static void draw_ball(const subject *s)
{
    double p[3];
    mark *m = canvas_mark(s->c, MARK_BALL, color_or(s, solid), 1);
    double radius = read_number(json_object_get(s->shape, "radius"), s->row);
    m->radius = isfinite(radius) ? radius : 0;
    if (read_member(s, "p", p)) canvas_point(s->c, p);
}

static void draw_text(const subject *s)
{
    double p[3];
    mark *m = canvas_mark(s->c, MARK_TEXT, color_or(s, ink), 1);
    m->text = json_string_value(json_object_get(s->shape, "text"));
    if (m->text && read_member(s, "p", p)) canvas_point(s->c, p);
}

/* ------------------------------------------------------------------------ bodies */

/* Place and axes of a body: R [9] row by row; in the plane from its angle. */
static void read_body(const subject *s, double *p, double *R)
{
    const json_t *matrix = json_object_get(s->shape, "R");
    double angle = read_number(json_object_get(s->shape, "angle"), s->row);
    const double turn[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
    (void)read_member(s, "p", p);
    for (size_t k = 0; k < 9; k++)
        R[k] = matrix ? read_number(json_array_get(matrix, k), s->row) : turn[k];
}

/* Where the point a of the body is: x. */
static void move_to_body(const double *p, const double *R, const double *a, double *x)
{
    for (int k = 0; k < 3; k++)
        x[k] = p[k] + R[3 * k] * a[0] + R[3 * k + 1] * a[1] + R[3 * k + 2] * a[2];
}

/* A face of a box, if it is turned towards us: half sizes h, the axis and side it belongs to. */
static void draw_face(const subject *s, const double *p, const double *R, const double *h, int axis,
                      int side)
{
    static const int corners[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double out = side * (R[axis] - R[3 + axis] + R[6 + axis]); /* along the line of sight */
    if (s->c->space && !(out > 0)) return;
    mark *m = canvas_mark(s->c, MARK_AREA, color_or(s, solid), 0.75);
    m->shade = s->c->space ? 0.3 * (1 - fabs(R[6 + axis])) * (0.5 + 0.5 * fabs(R[axis])) : 0;
    m->faint = 0.1;
    for (int k = 0; k < 4; k++) {
        double a[3], x[3];
        a[axis] = side * h[axis];
        a[u] = corners[k][0] * h[u];
        a[v] = corners[k][1] * h[v];
        move_to_body(p, R, a, x);
        canvas_point(s->c, x);
    }
}

static void draw_box(const subject *s)
{
    double p[3], R[9], h[3];
    read_body(s, p, R);
    (void)read_member(s, "sizes", h);
    for (int k = 0; k < 3; k++) h[k] *= 0.5;
    if (!s->c->space) {
        draw_face(s, p, R, h, 2, 1);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        draw_face(s, p, R, h, axis, 1);
        draw_face(s, p, R, h, axis, -1);
    }
}

/* ---------------------------------------------------------------------- outlines */

/* Points [count] of the world, as seen. */
typedef struct seen {
    double x[2];
    double p[3];
} seen;

static int compare_seen(const void *a, const void *b)
{
    const seen *p = a, *q = b;
    if (p->x[0] != q->x[0]) return p->x[0] < q->x[0] ? -1 : 1;
    return p->x[1] < q->x[1] ? -1 : p->x[1] > q->x[1];
}

/* Twice the area of a, b, c; more than 0: to the left. */
static double turn_of(const seen *a, const seen *b, const seen *c)
{
    return (b->x[0] - a->x[0]) * (c->x[1] - a->x[1]) - (b->x[1] - a->x[1]) * (c->x[0] - a->x[0]);
}

/* The outline of points as seen (Andrew's monotone chain), as an area. The list is sorted. */
static void draw_outline(const subject *s, seen *list, size_t count, double faint)
{
    seen *hull = malloc((2 * count + 1) * sizeof *hull);
    size_t size = 0;
    if (!hull) {
        s->c->failed = true;
        return;
    }
    for (size_t k = 0; k < count; k++) (void)canvas_project(s->c->space, list[k].p, list[k].x);
    qsort(list, count, sizeof *list, compare_seen);
    for (size_t k = 0; k < count; hull[size++] = list[k++])
        while (size >= 2 && turn_of(&hull[size - 2], &hull[size - 1], &list[k]) <= 0) size--;
    size_t lower = size + 1;
    for (size_t k = count - 1; k-- > 0; hull[size++] = list[k])
        while (size >= lower && turn_of(&hull[size - 2], &hull[size - 1], &list[k]) <= 0) size--;
    mark *m = canvas_mark(s->c, MARK_AREA, color_or(s, solid), 0.75);
    m->faint = faint;
    for (size_t k = 0; k + 1 < size; k++) canvas_point(s->c, hull[k].p);
    free(hull);
}

/* A ring of a surface, as a thin line. */
static void draw_ring(const subject *s, const seen *list, size_t first, size_t count, size_t step)
{
    mark *m = canvas_mark(s->c, MARK_LINE, ink, 0.5);
    m->faint = 0.6;
    for (size_t k = 0; k < count; k++) canvas_point(s->c, list[first + k * step].p);
}

/* The outline, then two lines that show how it turns: of rings of 12 points in space, and from the
 * centre to the first point in the plane. */
static void draw_surface(const subject *s)
{
    enum { on_ring = 12 };
    const json_t *map = json_object_get(s->shape, "map");
    size_t count = json_array_size(map);
    double p[3], R[9], a[3];
    seen *list = malloc((2 * count + 1) * sizeof *list);
    if (!list) {
        s->c->failed = true;
        return;
    }
    read_body(s, p, R);
    for (size_t k = 0; k < count; k++) {
        (void)read_point(json_array_get(map, k), s->row, a);
        move_to_body(p, R, a, list[k].p);
    }
    memcpy(list + count, list, count * sizeof *list);
    if (count > 2) draw_outline(s, list + count, count, 0.15);
    if (s->c->space && count >= on_ring) {
        draw_ring(s, list, count / 2 / on_ring * on_ring, on_ring, 1);
        draw_ring(s, list, 0, count / on_ring, on_ring);
    } else if (count > 0) {
        memcpy(list[1].p, p, sizeof p);
        draw_ring(s, list, 0, 2, 1);
    }
    free(list);
}

/* Points of a circle about p across the axis u. */
static void make_circle(const double *p, const double *u, double radius, seen *list, int count)
{
    double e[3] = {0}, f[3], length;
    e[fabs(u[0]) < fabs(u[1]) ? (fabs(u[0]) < fabs(u[2]) ? 0 : 2)
                              : (fabs(u[1]) < fabs(u[2]) ? 1 : 2)] = 1;
    double along = e[0] * u[0] + e[1] * u[1] + e[2] * u[2];
    for (int k = 0; k < 3; k++) e[k] -= along * u[k];
    length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    for (int k = 0; k < 3; k++) e[k] /= length;
    for (int k = 0; k < 3; k++)
        f[k] = u[(k + 1) % 3] * e[(k + 2) % 3] - u[(k + 2) % 3] * e[(k + 1) % 3];
    for (int i = 0; i < count; i++) {
        double angle = 2 * 3.14159265358979323846 * i / count;
        for (int k = 0; k < 3; k++)
            list[i].p[k] = p[k] + radius * (cos(angle) * e[k] + sin(angle) * f[k]);
    }
}

/* In the plane a strip; in space the outline of its two ends, and the end that is seen. */
static void draw_cylinder(const subject *s)
{
    enum { around = 24 };
    double p[3], q[3], u[3], radius = read_number(json_object_get(s->shape, "radius"), s->row);
    seen list[3 * around];
    if (!read_member(s, "p", p) || !read_member(s, "q", q)) return;
    for (int k = 0; k < 3; k++) u[k] = q[k] - p[k];
    double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    if (!(length > 0) || !isfinite(radius)) return;
    for (int k = 0; k < 3; k++) u[k] /= length;
    if (!s->c->space) {
        double side[4] = {1, 1, -1, -1};
        (void)canvas_mark(s->c, MARK_AREA, color_or(s, solid), 0.75);
        for (int k = 0; k < 4; k++) {
            const double *end = k == 0 || k == 3 ? p : q;
            double x[3] = {end[0] - side[k] * radius * u[1], end[1] + side[k] * radius * u[0], 0};
            canvas_point(s->c, x);
        }
        return;
    }
    make_circle(p, u, radius, list, around);
    make_circle(q, u, radius, list + around, around);
    bool near = u[0] - u[1] + u[2] > 0; /* q is nearer to us */
    memcpy(list + 2 * around, near ? list + around : list, around * sizeof *list);
    draw_outline(s, list, 2 * around, 0.05);
    double depth = s->c->marks[s->c->mark_count - 1].depth;
    draw_outline(s, list + 2 * around, around, 0.05);
    s->c->marks[s->c->mark_count - 1].depth = depth; /* just over it */
}

/* ------------------------------------------------------------------------ scenes */

/* The way of a point over the rows so far. */
static void draw_trail(subject *s, const shape_rows *rows, int64_t at)
{
    double p[3];
    mark *m = canvas_mark(s->c, MARK_LINE, color_or(s, "#64748b"), width_or(s, 1));
    m->faint = 0.3;
    for (int64_t k = 0; k <= at; k++)
        if (read_point(json_object_get(s->shape, "p"), rows->rows + k * rows->width, p))
            canvas_point(s->c, p);
}

static void draw_shape(subject *s, const char *kind, const shape_rows *rows, int64_t at)
{
    if (strcmp(kind, "line") == 0)
        draw_points(s, MARK_LINE, color_or(s, ink), width_or(s, 2));
    else if (strcmp(kind, "polygon") == 0)
        draw_points(s, MARK_AREA, color_or(s, solid), width_or(s, 1));
    else if (strcmp(kind, "point") == 0)
        draw_between(s, MARK_POINT, color_or(s, ink), width_or(s, 5));
    else if (strcmp(kind, "spring") == 0)
        draw_between(s, MARK_SPRING, color_or(s, ink), width_or(s, 1.5));
    else if (strcmp(kind, "arrow") == 0)
        draw_between(s, MARK_ARROW, color_or(s, ink), width_or(s, 2));
    else if (strcmp(kind, "ball") == 0)
        draw_ball(s);
    else if (strcmp(kind, "trail") == 0)
        draw_trail(s, rows, at);
    else if (strcmp(kind, "box") == 0)
        draw_box(s);
    else if (strcmp(kind, "cylinder") == 0)
        draw_cylinder(s);
    else if (strcmp(kind, "surface") == 0)
        draw_surface(s);
    else if (strcmp(kind, "text") == 0)
        draw_text(s);
}

void shapes_draw(const json_t *scene, const shape_rows *rows, int64_t at, canvas *c)
{
    const json_t *list = json_object_get(scene, "shapes");
    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *shape = json_array_get(list, k);
        subject s = {.shape = shape,
                     .row = rows->rows + at * rows->width,
                     .c = c,
                     .color = json_string_value(json_object_get(shape, "color")),
                     .width = json_number_value(json_object_get(shape, "width"))};
        draw_shape(&s, json_string_value(json_object_get(shape, "kind")), rows, at);
    }
}

void shapes_draw_forces(const json_t *forces, const shape_rows *rows, int64_t at, canvas *c)
{
    for (size_t k = 0; k < json_array_size(forces); k++) {
        const json_t *force = json_array_get(forces, k);
        bool ideal = strcmp(json_string_value(json_object_get(force, "kind")), "ideal") == 0;
        subject s = {.shape = force, .row = rows->rows + at * rows->width, .c = c};
        draw_between(&s, MARK_FORCE, ideal ? COLOR_IDEAL : COLOR_NONIDEAL, 2);
    }
}
