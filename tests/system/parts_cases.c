/*
 * parts_cases.c: the text of a model: arrays of numbers as parameters, then loops over them, so
 * that equal things are instances of one family whatever their numbers are.
 */
#include "parts_cases.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lanes_matter_name(lanes_matter matter)
{
    static const char *const names[] = {
#define LANES_MATTER_NAME(name, text) text,
        LANES_MATTER_LIST(LANES_MATTER_NAME)
#undef LANES_MATTER_NAME
    };
    return matter < LANES_MATTERS ? names[matter] : "?";
}

bool lanes_model_redundant(const lanes_model_request *request)
{
    return request->matter == LANES_DOUBLED || request->graph.kind == LANES_CROSSED;
}

/* ------------------------------------------------------------------- writing */

typedef struct writer {
    char *text;
    size_t length, room;
    const lanes_graph *g;
    uint64_t random;
    int32_t size; /* coordinates of a point */
    bool mixed;
    lanes_matter matter;
} writer;

__attribute__((format(printf, 2, 3))) static void say(writer *w, const char *format, ...)
{
    for (;;) {
        va_list list;
        va_start(list, format);
        size_t left = w->room - w->length;
        int more = vsnprintf(w->text ? w->text + w->length : NULL, left, format, list);
        va_end(list);
        if (more >= 0 && (size_t)more < left) {
            w->length += (size_t)more;
            return;
        }
        w->room = 2 * w->room + 4096;
        w->text = realloc(w->text, w->room);
        if (!w->text) abort();
    }
}

/* param NAME = [first(0), first(1), ...] */
typedef double (*number_fn)(writer *w, int32_t i);
static void list(writer *w, const char *name, int32_t count, number_fn number)
{
    if (count == 0) return;
    say(w, "param %s = [", name);
    for (int32_t i = 0; i < count; i++)
        say(w, "%s%.17g", i == 0 ? "" : i % 8 == 0 ? ",\n  " : ", ", number(w, i));
    say(w, "]\n");
}

/* Has this feature, by itself or with all others. */
static bool has(const writer *w, lanes_matter matter)
{
    return w->matter == matter || w->mixed;
}

/* Coordinate k (from 1) of the point whose index is written in `index`. */
static const char *point(const writer *w, const char *index, int k)
{
    static char text[8][48];
    static int next;
    char *to = text[next++ % 8];
    if (w->size == 2)
        snprintf(to, sizeof text[0], "%c[%s]", k == 1 ? 'x' : 'y', index);
    else
        snprintf(to, sizeof text[0], "p[%s, %d]", index, k);
    return to;
}

/* The squared distance of two points, in the plane or in space. */
static void say_distance(writer *w, const char *a, const char *b)
{
    int dimensions = w->size == 2 ? 2 : 3;
    for (int k = 1; k <= dimensions; k++)
        say(w, "%s(%s - %s)^2", k == 1 ? "" : " + ", point(w, a, k), point(w, b, k));
}

/* --------------------------------------------------------------------- lists */

static double place_x(writer *w, int32_t i)
{
    return w->g->at[i][0];
}

static double place_y(writer *w, int32_t i)
{
    return w->g->at[i][1];
}

static double place_z(writer *w, int32_t i)
{
    return w->g->at[i][2];
}

static double speed(writer *w, int32_t i)
{
    (void)i;
    return lanes_between(&w->random, -1.0, 1.0);
}

static double mass(writer *w, int32_t i)
{
    (void)i;
    return lanes_between(&w->random, 0.5, 2.0);
}

/* Edges between points come before those to the ground: the k-th of either. */
static const lanes_edge *edge_of(const lanes_graph *g, bool ground, int32_t k)
{
    for (int32_t i = 0; i < g->edges; i++)
        if ((g->edge[i].b < 0) == ground && k-- == 0) return &g->edge[i];
    abort();
}

static int32_t edge_count(const lanes_graph *g, bool ground)
{
    int32_t count = 0;
    for (int32_t i = 0; i < g->edges; i++) count += (g->edge[i].b < 0) == ground;
    return count;
}

static double edge_a(writer *w, int32_t k)
{
    return edge_of(w->g, false, k)->a + 1;
}

static double edge_b(writer *w, int32_t k)
{
    return edge_of(w->g, false, k)->b + 1;
}

static double ground_a(writer *w, int32_t k)
{
    return edge_of(w->g, true, k)->a + 1;
}

static double apart(const writer *w, int32_t i, int32_t j, int dimensions)
{
    double sum = 0.0;
    for (int k = 0; k < dimensions; k++) sum += pow(w->g->at[i][k] - w->g->at[j][k], 2.0);
    return sqrt(sum);
}

static const double swing = 0.1, phase = 0.3; /* of lengths that depend on time */

static bool is_timed(const writer *w)
{
    return w->matter == LANES_TIMED || w->mixed;
}

static double edge_length(writer *w, int32_t k)
{
    const lanes_edge *e = edge_of(w->g, false, k);
    double now = apart(w, e->a, e->b, w->size == 2 ? 2 : 3);
    return is_timed(w) ? now / (1.0 + swing * sin(phase)) : now;
}

/* Rods to the ground end above their points, beside by a third. */
static double ground_length(writer *w, int32_t k)
{
    (void)w, (void)k;
    return sqrt(1.0 + 1.0 / 9.0);
}

static double offset_x(writer *w, int32_t k)
{
    const lanes_edge *e = edge_of(w->g, false, k);
    return w->g->at[e->a][0] - w->g->at[e->b][0];
}

static double offset_y(writer *w, int32_t k)
{
    const lanes_edge *e = edge_of(w->g, false, k);
    return w->g->at[e->a][1] - w->g->at[e->b][1];
}

/* -------------------------------------------------------------------- points */

static void say_kinetic(writer *w)
{
    const char *m = has(w, LANES_MASSES) ? "m[i]" : "m";
    say(w, "for i in 1..N {\n  kinetic %s/2*(", m);
    for (int k = 1; k <= w->size; k++) say(w, "%s%s'^2", k == 1 ? "" : " + ", point(w, "i", k));
    say(w, ")\n  potential %s*g*%s\n", m, point(w, "i", 2));
    bool coupled = w->matter == LANES_COUPLED2 || w->size > 2;
    for (int k = 1; k < w->size && coupled; k++)
        say(w, "  kinetic 0.2*%s*cos(%s)*%s'*%s'\n", m, point(w, "i", k), point(w, "i", k),
            point(w, "i", k + 1));
    for (int k = 4; k <= w->size; k++) say(w, "  potential 2*%s^2\n", point(w, "i", k));
    say(w, "}\n");
}

static void say_starts(writer *w)
{
    static const char *const places[3] = {"X", "Y", "Z"};
    static const char *const speeds[3] = {"U", "V", "S"};
    say(w, "for i in 1..N {\n");
    for (int k = 1; k <= 3 && k <= w->size; k++) {
        say(w, "  start %s = %s[i]\n", point(w, "i", k), places[k - 1]);
        say(w, "  start %s' = %s[i]\n", point(w, "i", k), speeds[k - 1]);
    }
    for (int k = 4; k <= w->size; k++) say(w, "  start %s = 0.1*U[i]\n", point(w, "i", k));
    say(w, "}\n");
}

/* Every third edge is a vector where there are pairs; other edges are rods. */
static void say_rods(writer *w, int32_t edges)
{
    const char *factor = is_timed(w) ? "*(1 + 0.1*sin(t + 0.3))" : "";
    if (edges == 0) return;
    say(w, "for k in 1..%d {\n", edges);
    if (w->matter == LANES_PAIRS) {
        say(w, "  if k - 3*floor(k/3) == 0 {\n");
        say(w, "    constraint pair[k]: [%s - %s, %s - %s] = scale*[ox[k], oy[k]]\n  }\n  else {\n",
            point(w, "a[k]", 1), point(w, "b[k]", 1), point(w, "a[k]", 2), point(w, "b[k]", 2));
    }
    say(w, "  constraint rod[k]: ");
    say_distance(w, "a[k]", "b[k]");
    say(w, " = (scale*l[k]%s)^2\n", factor);
    if (w->matter == LANES_PAIRS) say(w, "  }\n");
    if (w->matter == LANES_DOUBLED) {
        say(w, "  if k - 2*floor(k/2) == 0 { constraint again[k]: ");
        say_distance(w, "a[k]", "b[k]");
        say(w, " = (scale*l[k])^2 }\n");
    }
    say(w, "}\n");
}

static void say_ground(writer *w, int32_t count)
{
    if (count == 0) return;
    say(w, "for k in 1..%d {\n  constraint held[k]: ", count);
    say(w, "(%s - X[ga[k]] - 1/3)^2 + (%s - Y[ga[k]] - 1)^2 = (scale*gl[k])^2\n}\n",
        point(w, "ga[k]", 1), point(w, "ga[k]", 2));
}

/* What is not a rod: of every point and the one two further, or of every edge. */
static void say_others(writer *w, int32_t edges)
{
    if (has(w, LANES_SPRINGS)) {
        say(w, "for i in 3..N {\n  potential 3*(");
        say_distance(w, "i", "i-2");
        say(w, ")/2\n  dissipation 0.2*((%s' - %s')^2 + (%s' - %s')^2)\n}\n", point(w, "i", 1),
            point(w, "i-2", 1), point(w, "i", 2), point(w, "i-2", 2));
    }
    if (has(w, LANES_KNIVES) && edges > 0) {
        say(w, "for k in 1..%d { if k - 4*floor(k/4) == 0 {\n", edges);
        say(w, "  constraint knife[k]: (%s - %s)*%s' = (%s - %s)*%s'\n} }\n", point(w, "a[k]", 1),
            point(w, "b[k]", 1), point(w, "a[k]", 2), point(w, "a[k]", 2), point(w, "b[k]", 2),
            point(w, "a[k]", 1));
    }
    if (has(w, LANES_SERVOS)) {
        say(w, "for i in 1..N { if i - 5*floor(i/5) == 0 {\n");
        say(w, "  constraint servo[i]: %s'' + 0.5*%s'' = sin(t + i) - %s'\n} }\n", point(w, "i", 1),
            point(w, "i-1", 2), point(w, "i", 1));
    }
}

static void say_points(writer *w)
{
    int32_t edges = edge_count(w->g, false), grounds = edge_count(w->g, true);
    list(w, "X", w->g->bodies, place_x);
    list(w, "Y", w->g->bodies, place_y);
    list(w, "U", w->g->bodies, speed);
    list(w, "V", w->g->bodies, speed);
    if (w->size > 2) list(w, "Z", w->g->bodies, place_z);
    if (w->size > 2) list(w, "S", w->g->bodies, speed);
    if (has(w, LANES_MASSES)) list(w, "m", w->g->bodies, mass);
    if (!has(w, LANES_MASSES)) say(w, "param m = 1.5\n");
    list(w, "a", edges, edge_a);
    list(w, "b", edges, edge_b);
    list(w, "l", edges, edge_length);
    if (w->matter == LANES_PAIRS) list(w, "ox", edges, offset_x);
    if (w->matter == LANES_PAIRS) list(w, "oy", edges, offset_y);
    list(w, "ga", grounds, ground_a);
    list(w, "gl", grounds, ground_length);
    say(w, w->size == 2 ? "coord x[N], y[N]\n" : "coord p[N, %d]\n", w->size);
    say_kinetic(w);
    say_starts(w);
    say_rods(w, edges);
    say_ground(w, grounds);
    say_others(w, edges);
}

/* -------------------------------------------------------------------- bodies */

static void say_bodies(writer *w, bool spatial)
{
    int32_t edges = edge_count(w->g, false), grounds = edge_count(w->g, true);
    const char *third = spatial ? ", Z[i]" : "", *joint = spatial ? ", (Z[a[k]] + Z[b[k]])/2" : "";
    list(w, "X", w->g->bodies, place_x);
    list(w, "Y", w->g->bodies, place_y);
    list(w, "Z", w->g->bodies, place_z);
    list(w, "U", w->g->bodies, speed);
    list(w, "m", w->g->bodies, mass);
    list(w, "a", edges, edge_a);
    list(w, "b", edges, edge_b);
    list(w, "ga", grounds, ground_a);
    say(w, "part floor_ = Ground()\nfor i in 1..N {\n");
    say(w, spatial ? "  part body[i] = Body(m[i], [[0.4, 0.05, 0], [0.05, 0.5, 0], [0, 0, 0.6]]"
                   : "  part body[i] = Body(m[i], 0.3");
    say(w, ", at = [X[i], Y[i]%s], ", third);
    if (spatial)
        say(w, "v0 = [U[i], 0, 1], w0 = [0, U[i], 0.5], gravity = [0, -g, 0]");
    else
        say(w, "angle = Z[i], v0 = [U[i], 1], w0 = U[i], gravity = [0, -g]");
    say(w, ")\n}\n");
    if (edges > 0) {
        say(w, "for k in 1..%d {\n", edges);
        if (spatial)
            say(w,
                "  if k - 3*floor(k/3) == 0 { part turn[k] = Hinge(body[a[k]], body[b[k]], "
                "at = [(X[a[k]] + X[b[k]])/2, (Y[a[k]] + Y[b[k]])/2%s], axis = [0.6, 0, 0.8]) }\n"
                "  else { part ball[k] = Ball(body[a[k]], body[b[k]], "
                "at = [(X[a[k]] + X[b[k]])/2, (Y[a[k]] + Y[b[k]])/2%s]) }\n}\n",
                joint, joint);
        else
            say(w, "  part pin[k] = Hinge(body[a[k]], body[b[k]], at = [(X[a[k]] + X[b[k]])/2, "
                   "(Y[a[k]] + Y[b[k]])/2])\n}\n");
    }
    for (int32_t k = 1; k <= grounds; k++)
        say(w, "part post%d = %s(floor_, body[ga[%d]], at = [X[ga[%d]], Y[ga[%d]] + 0.5%s])\n", k,
            spatial ? "Ball" : "Hinge", k, k, k, spatial ? ", 0" : "");
}

char *lanes_model_text(const lanes_model_request *request)
{
    lanes_graph_request graph = request->graph;
    writer w = {.matter = request->matter, .random = request->graph.seed + 99, .size = 2};
    w.mixed = request->matter == LANES_MIXED;
    if (request->matter == LANES_COUPLED3) w.size = 3;
    if (request->matter == LANES_COUPLED6) w.size = 6;
    lanes_graph g = lanes_graph_make(&graph);
    w.g = &g;
    bool planar = request->matter == LANES_PLANAR, spatial = request->matter == LANES_SPATIAL;
    if (planar || spatial) say(&w, "use %s\n", planar ? "planar" : "rigid");
    say(&w, "param N = %d, g = 9.81, scale = 1\n", g.bodies);
    if (planar || spatial)
        say_bodies(&w, spatial);
    else
        say_points(&w);
    lanes_graph_clear(&g);
    return w.text;
}
