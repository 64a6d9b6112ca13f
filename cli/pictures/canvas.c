/*
 * Marks of a picture: gathering them, measuring, sorting by depth, writing them as SVG.
 */
#include "canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- gathering */

void canvas_clear(canvas *c)
{
    free(c->marks);
    free(c->points);
    *c = (canvas){.space = c->space};
}

/* Room for one more of `size` bytes; false, noted, when there is none. */
static bool reserve(canvas *c, void *list, size_t count, size_t *room, size_t size)
{
    void **at = list;
    if (count < *room) return true;
    size_t more = *room > 0 ? 2 * *room : 64;
    void *grown = realloc(*at, more * size);
    if (!grown) {
        c->failed = true;
        return false;
    }
    *at = grown;
    *room = more;
    return true;
}

mark *canvas_mark(canvas *c, mark_kind kind, const char *color, double width)
{
    static mark nowhere;
    if (!reserve(c, &c->marks, c->mark_count, &c->mark_room, sizeof *c->marks)) return &nowhere;
    mark *m = &c->marks[c->mark_count++];
    *m = (mark){.kind = kind, .color = color, .width = width, .first = c->point_count};
    return m;
}

double canvas_project(bool space, const double *p, double *x)
{
    if (!space) {
        x[0] = p[0];
        x[1] = p[1];
        return 0;
    }
    x[0] = (p[0] + p[1]) / sqrt(2);
    x[1] = (-p[0] + p[1] + 2 * p[2]) / sqrt(6);
    return (p[0] - p[1] + p[2]) / sqrt(3);
}

void canvas_point(canvas *c, const double *p)
{
    double x[2];
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2]) || c->mark_count == 0) return;
    mark *m = &c->marks[c->mark_count - 1];
    if (!reserve(c, &c->points, c->point_count, &c->point_room, 2 * sizeof *c->points)) return;
    double depth = canvas_project(c->space, p, x);
    memcpy(c->points + 2 * c->point_count++, x, sizeof x);
    m->depth += (depth - m->depth) / (double)++m->count; /* the mean */
}

/* --------------------------------------------------------------------- measuring */

/* Widens the box so that it holds a square of half side `r` about a point. */
static void take_in(canvas_view *v, const double *x, double r)
{
    for (int k = 0; k < 2; k++) {
        if (!v->any || x[k] - r < v->low[k]) v->low[k] = x[k] - r;
        if (!v->any || x[k] + r > v->high[k]) v->high[k] = x[k] + r;
    }
    v->any = true;
}

void canvas_measure(const canvas *c, canvas_view *v)
{
    for (size_t k = 0; k < c->mark_count; k++) {
        const mark *m = &c->marks[k];
        const double *x = c->points + 2 * m->first;
        if (m->kind == MARK_FORCE) {
            if (m->count == 2) v->strongest = fmax(v->strongest, hypot(x[2] - x[0], x[3] - x[1]));
            continue;
        }
        for (size_t i = 0; i < m->count; i++) take_in(v, x + 2 * i, fabs(m->radius));
    }
}

/* The larger side of the box. */
static double size_of_view(const canvas_view *v)
{
    double size = fmax(v->high[0] - v->low[0], v->high[1] - v->low[1]);
    return size > 0 ? size : 1;
}

/* Where the arrow of a force ends. */
static void find_tip(const double *x, double unit, double *tip)
{
    tip[0] = x[0] + unit * (x[2] - x[0]);
    tip[1] = x[1] + unit * (x[3] - x[1]);
}

void canvas_fit_forces(const canvas *c, canvas_view *v)
{
    double tip[2];
    if (!(v->unit > 0)) v->unit = v->strongest > 0 ? 0.25 * size_of_view(v) / v->strongest : 1;
    for (size_t k = 0; k < c->mark_count; k++) {
        const mark *m = &c->marks[k];
        if (m->kind != MARK_FORCE || m->count != 2) continue;
        find_tip(c->points + 2 * m->first, v->unit, tip);
        take_in(v, tip, 0);
    }
}

void canvas_end_view(canvas_view *v)
{
    double margin = 0.06 * size_of_view(v), least = 0.3 * size_of_view(v);
    if (!v->any) *v = (canvas_view){.low = {-1, -1}, .high = {1, 1}, .unit = 1};
    for (int k = 0; k < 2; k++) {
        double lack = fmax(0, least - (v->high[k] - v->low[k])) / 2;
        v->low[k] -= margin + lack;
        v->high[k] += margin + lack;
    }
}

/* ----------------------------------------------------------------------- writing */

/* From the plane of the picture to pixels. */
typedef struct scale {
    double factor, x, y;
    double unit; /* of forces */
    FILE *out;
} scale;

static void to_pixels(const scale *s, const double *from, double *to)
{
    to[0] = s->x + s->factor * from[0];
    to[1] = s->y - s->factor * from[1];
}

void canvas_write_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            (void)fputs("&lt;", out);
        else if (c == '&')
            (void)fputs("&amp;", out);
        else if (c == '"')
            (void)fputs("&quot;", out);
        else if (c >= 32 || c == '\t')
            (void)fputc(c, out);
    }
}

/* -0.00 is 0.00 */
static double plain(double x)
{
    return fabs(x) < 0.005 ? 0 : x;
}

static void write_path(const scale *s, const double *points, size_t count, bool closed)
{
    for (size_t i = 0; i < count; i++) {
        double x[2];
        to_pixels(s, points + 2 * i, x);
        (void)fprintf(s->out, "%s%.2f %.2f", i == 0 ? "M" : "L", plain(x[0]), plain(x[1]));
    }
    if (closed) (void)fputs("Z", s->out);
}

/* A closed and filled path; a second one over it makes it darker. */
static void write_area(const scale *s, const mark *m, const double *points)
{
    (void)fputs("<path d=\"", s->out);
    write_path(s, points, m->count, true);
    (void)fprintf(s->out,
                  "\" fill=\"%s\" fill-opacity=\"%.2f\" stroke=\"#1f2937\" stroke-width=\"%.2f\" "
                  "stroke-linejoin=\"round\"/>\n",
                  m->color, 1 - m->faint, m->width);
    if (m->shade < 0.01) return;
    (void)fputs("<path d=\"", s->out);
    write_path(s, points, m->count, true);
    (void)fprintf(s->out, "\" fill=\"#000\" fill-opacity=\"%.2f\"/>\n", m->shade);
}

static void write_line(const scale *s, const mark *m, const double *points)
{
    if (m->count < 2) return;
    (void)fputs("<path d=\"", s->out);
    write_path(s, points, m->count, false);
    (void)fprintf(s->out,
                  "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\" "
                  "stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
                  m->color, m->width, 1 - m->faint);
}

/* A zigzag of twelve strokes between two straight ends. */
static void write_spring(const scale *s, const mark *m, const double *points)
{
    enum { strokes = 12 };
    double a[2], b[2];
    if (m->count < 2) return;
    to_pixels(s, points, a);
    to_pixels(s, points + 2, b);
    double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy), side = 5;
    double nx = length > 0 ? -dy / length : 0, ny = length > 0 ? dx / length : 0;
    (void)fprintf(s->out, "<path d=\"M%.2f %.2f", plain(a[0]), plain(a[1]));
    for (int k = 0; k <= strokes; k++) {
        double along = 0.15 + 0.7 * k / strokes;
        double off = k == 0 || k == strokes ? 0 : k % 2 ? side : -side;
        (void)fprintf(s->out, "L%.2f %.2f", plain(a[0] + along * dx + off * nx),
                      plain(a[1] + along * dy + off * ny));
    }
    (void)fprintf(s->out,
                  "L%.2f %.2f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\" "
                  "stroke-linejoin=\"round\"/>\n",
                  plain(b[0]), plain(b[1]), m->color, m->width);
}

/* A shaft and a head of three pixels' width times three; what is too short has none. */
static void write_arrow(const scale *s, const mark *m, const double *points)
{
    double a[2], b[2], tip[2] = {points[2], points[3]};
    if (m->kind == MARK_FORCE) find_tip(points, s->unit, tip);
    to_pixels(s, points, a);
    to_pixels(s, tip, b);
    double dx = b[0] - a[0], dy = b[1] - a[1], length = hypot(dx, dy), head = 4 + 2 * m->width;
    if (!(length > 0.5)) return;
    if (head > length) head = length;
    double ux = dx / length, uy = dy / length;
    (void)fprintf(
        s->out,
        "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\" stroke-width=\"%.2f\"/>"
        "<path d=\"M%.2f %.2fL%.2f %.2fL%.2f %.2fZ\" fill=\"%s\"/>\n",
        plain(a[0]), plain(a[1]), plain(b[0] - 0.9 * head * ux), plain(b[1] - 0.9 * head * uy),
        m->color, m->width, plain(b[0]), plain(b[1]), plain(b[0] - head * ux - 0.45 * head * uy),
        plain(b[1] - head * uy + 0.45 * head * ux), plain(b[0] - head * ux + 0.45 * head * uy),
        plain(b[1] - head * uy - 0.45 * head * ux), m->color);
}

static void write_circle(const scale *s, const mark *m, const double *points)
{
    double x[2];
    to_pixels(s, points, x);
    double radius = m->kind == MARK_BALL ? fabs(m->radius) * s->factor : m->width / 2;
    (void)fprintf(s->out,
                  "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\" stroke=\"#1f2937\" "
                  "stroke-width=\"0.75\"/>\n",
                  plain(x[0]), plain(x[1]), fmax(radius, 0.5), m->color);
}

static void write_words(const scale *s, const mark *m, const double *points)
{
    double x[2];
    to_pixels(s, points, x);
    (void)fprintf(s->out, "<text x=\"%.2f\" y=\"%.2f\" fill=\"%s\">", plain(x[0] + 4),
                  plain(x[1] - 4), m->color);
    canvas_write_text(s->out, m->text);
    (void)fputs("</text>\n", s->out);
}

static void write_mark(const scale *s, const mark *m, const double *points)
{
    switch (m->kind) {
    case MARK_LINE:
        write_line(s, m, points);
        break;
    case MARK_AREA:
        write_area(s, m, points);
        break;
    case MARK_SPRING:
        write_spring(s, m, points);
        break;
    case MARK_ARROW:
    case MARK_FORCE:
        if (m->count == 2) write_arrow(s, m, points);
        break;
    case MARK_BALL:
    case MARK_POINT:
        write_circle(s, m, points);
        break;
    case MARK_TEXT:
        write_words(s, m, points);
        break;
    }
}

/* Forces and words lie over everything; the rest by depth, and by its order where that is equal. */
static int compare_marks(const void *a, const void *b)
{
    const mark *x = a, *y = b;
    int over = (x->kind == MARK_FORCE || x->kind == MARK_TEXT) -
               (y->kind == MARK_FORCE || y->kind == MARK_TEXT);
    if (over != 0) return over;
    if (x->depth != y->depth) return x->depth < y->depth ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

void canvas_write(canvas *c, const canvas_view *v, const canvas_box *box, FILE *out)
{
    scale s = {.unit = v->unit, .out = out};
    s.factor = fmin(box->width / (v->high[0] - v->low[0]), box->height / (v->high[1] - v->low[1]));
    s.x = box->x + box->width / 2 - s.factor * (v->low[0] + v->high[0]) / 2;
    s.y = box->y + box->height / 2 + s.factor * (v->low[1] + v->high[1]) / 2;
    qsort(c->marks, c->mark_count, sizeof *c->marks, compare_marks);
    for (size_t k = 0; k < c->mark_count; k++)
        if (c->marks[k].count > 0) write_mark(&s, &c->marks[k], c->points + 2 * c->marks[k].first);
}
