/*
 * A drawing on its way to SVG: marks in the coordinates of the world, brought into the plane of the
 * picture, later scaled to it. Marks farther away are written first.
 *
 * The plane is seen as it is, x to the right and y upwards. Space is seen from the direction
 * (1, -1, 1): the isometric projection with z upwards, x to the lower right, y to the upper right.
 */
#ifndef CLI_CANVAS_H
#define CLI_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

typedef enum mark_kind {
    MARK_LINE,   /* points from one to the next */
    MARK_AREA,   /* the same, closed and filled */
    MARK_BALL,   /* a circle of the world's size */
    MARK_POINT,  /* of the picture's */
    MARK_SPRING, /* a zigzag between two points */
    MARK_ARROW,  /* from a point to another */
    MARK_FORCE,  /* the same; the second is scaled with all forces of the picture */
    MARK_TEXT
} mark_kind;

typedef struct mark {
    mark_kind kind;
    const char *color; /* not owned */
    const char *text;  /* likewise, or NULL */
    double width;      /* of the line, or of a point, in pixels */
    double radius;     /* of a ball, in the world */
    double shade;      /* 0 to 1: how dark an area is */
    double faint;      /* 0 to 1: how much shows through */
    double depth;
    size_t first, count; /* points */
} mark;

typedef struct canvas {
    bool space; /* 3 dimensions */
    mark *marks;
    size_t mark_count, mark_room;
    double *points; /* [2 * point_count] in the plane of the picture */
    size_t point_count, point_room;
    bool failed; /* memory ran out */
} canvas;

/* The box around what was drawn, and the length that a force of 1 has in it. */
typedef struct canvas_view {
    double low[2], high[2];
    double strongest; /* force */
    double unit;      /* length of a force of 1, in the world */
    bool any;
} canvas_view;

void canvas_clear(canvas *c);
/* Begins a mark; its points are added after it. The pointer is valid until the next one. */
mark *canvas_mark(canvas *c, mark_kind kind, const char *color, double width);
/* A point [3] of the last mark; what is not finite is left out. */
void canvas_point(canvas *c, const double *p);
/* x [2] and depth of a point in the plane of the picture. */
double canvas_project(bool space, const double *p, double *x);

/* Widens the view by all marks; forces only count by their size. */
void canvas_measure(const canvas *c, canvas_view *view);
/* Chooses the unit of forces and makes room for their arrows. */
void canvas_fit_forces(const canvas *c, canvas_view *view);
/* Margins, and never a box of no size. */
void canvas_end_view(canvas_view *view);

/* Writes the marks with their back to front into a box of the picture: x to y, width pixels. */
typedef struct canvas_box {
    double x, y, width, height;
} canvas_box;
void canvas_write(canvas *c, const canvas_view *view, const canvas_box *box, FILE *out);
/* Text that may hold anything, for XML. */
void canvas_write_text(FILE *out, const char *text);

#endif
