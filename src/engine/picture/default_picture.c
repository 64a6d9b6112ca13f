/*
 * What is drawn where the model says nothing: spots as marks, and the distances that constraints
 * keep as lines. Bodies and joints of modules draw themselves; the spots of such a part are left out.
 *
 * Whether a row keeps a distance is seen from its gradient at states taken at random, whatever its
 * formula. Between two spots p and q it is along p - q at p, and the opposite at q. Between a spot
 * and the ground all lines along the gradient meet in one point c, which is found by least squares
 * and must lie on each:
 *
 *     sum_s (I - u_s u_s^T) c = sum_s (I - u_s u_s^T) p_s,  u_s the direction of the gradient
 */
#include <math.h>
#include <string.h>

#include "picture.h"

enum { states = 4 };

/* The rows under inspection. */
typedef struct inspection {
    zr_picture *p;
    zw_sim *sim;
    int32_t *spot;  /* [n] to which a coordinate belongs, -1: none */
    int32_t *which; /* [n] its place there */
    double *q;      /* [states * n] */
    double *A;      /* [states * A.count] */
} inspection;

/* Gradient and place of a spot in a row at a state: g, x [3]. */
static void read_gradient(const inspection *n, int32_t row, int32_t spot, int32_t state, double *g,
                          double *x)
{
    const zr_pattern *A = &n->sim->model->A;
    const zr_spot *s = &n->p->spots.data[spot];
    const double *entries = n->A + (size_t)state * (size_t)A->count;
    for (int32_t j = 0; j < 3; j++) g[j] = x[j] = 0.0;
    for (int32_t j = 0; j < s->dimension; j++)
        x[j] = n->q[(size_t)state * (size_t)n->sim->zm->n + (size_t)s->coordinate[j]];
    for (int32_t e = A->start[row]; e < A->start[row + 1]; e++)
        if (n->spot[A->column[e]] == spot) g[n->which[A->column[e]]] = entries[e];
}

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Whether a and b, neither of them 0, are along one line. */
static bool are_parallel(const double *a, const double *b)
{
    double aa = dot3(a, a), bb = dot3(b, b), ab = dot3(a, b);
    return aa > 0.0 && bb > 0.0 && aa * bb - ab * ab <= 1e-12 * aa * bb;
}

/* A row of two spots keeps their distance. */
static bool keeps_distance(const inspection *n, int32_t row, const int32_t *spots)
{
    for (int32_t k = 0; k < states; k++) {
        double g[2][3], x[2][3], d[3], sum[3];
        for (int32_t i = 0; i < 2; i++) read_gradient(n, row, spots[i], k, g[i], x[i]);
        for (int32_t j = 0; j < 3; j++) {
            d[j] = x[0][j] - x[1][j];
            sum[j] = g[0][j] + g[1][j];
        }
        if (!are_parallel(g[0], d) || !(dot3(sum, sum) <= 1e-18 * dot3(g[0], g[0]))) return false;
    }
    return true;
}

/* Solves K c = r [size] by Cramer's rule; false: singular. */
static bool solve_small(double K[3][3], const double *r, int32_t size, double *c)
{
    if (size == 2) K[2][2] = 1.0;
    double det = K[0][0] * (K[1][1] * K[2][2] - K[1][2] * K[2][1]) -
                 K[0][1] * (K[1][0] * K[2][2] - K[1][2] * K[2][0]) +
                 K[0][2] * (K[1][0] * K[2][1] - K[1][1] * K[2][0]);
    if (!(fabs(det) > 1e-9)) return false;
    for (int32_t j = 0; j < 3; j++) {
        double L[3][3];
        memcpy(L, K, sizeof L);
        for (int32_t i = 0; i < 3; i++) L[i][j] = i < size ? r[i] : 0.0;
        c[j] = (L[0][0] * (L[1][1] * L[2][2] - L[1][2] * L[2][1]) -
                L[0][1] * (L[1][0] * L[2][2] - L[1][2] * L[2][0]) +
                L[0][2] * (L[1][0] * L[2][1] - L[1][1] * L[2][0])) /
               det;
    }
    return true;
}

/* A row of one spot keeps its distance from the point c [3] of the ground. */
static bool keeps_radius(const inspection *n, int32_t row, int32_t spot, double *c)
{
    double K[3][3] = {{0}}, r[3] = {0};
    int32_t size = n->p->spots.data[spot].dimension;
    for (int32_t k = 0; k < states; k++) {
        double g[3], x[3];
        read_gradient(n, row, spot, k, g, x);
        double length = sqrt(dot3(g, g));
        if (!(length > 0.0)) return false;
        for (int32_t i = 0; i < size; i++)
            for (int32_t j = 0; j < size; j++) {
                double entry = (i == j) - g[i] * g[j] / (length * length);
                K[i][j] += entry;
                r[i] += entry * x[j];
            }
    }
    if (!solve_small(K, r, size, c)) return false;
    for (int32_t k = 0; k < states; k++) {
        double g[3], x[3];
        read_gradient(n, row, spot, k, g, x);
        for (int32_t j = 0; j < 3; j++) x[j] -= c[j];
        if (!are_parallel(g, x)) return false;
    }
    for (int32_t j = 0; j < 3; j++) c[j] = rint(c[j] * 1e12) / 1e12 + 0.0; /* 0.5 is 0.5 */
    return true;
}

/* ------------------------------------------------------------------------ shapes */

/* Begins a shape; its numbers are pushed after it. */
static void begin_shape(zr_picture *p, zl_shape kind, int32_t points, int32_t dimension,
                        int32_t row)
{
    zr_shape shape = {.kind = kind,
                      .points = points,
                      .dimension = dimension,
                      .first = p->numbers.count,
                      .count = points * dimension,
                      .part = -1,
                      .row = row};
    if (kind == ZL_SHAPE_POINT) shape.width = row < 0 ? 9.0 : 4.0;
    if (!zb_array_push(p->memory, &p->shapes, shape)) zr_out_of_picture(p);
}

static void push_number(zr_picture *p, int32_t coordinate, double constant)
{
    zr_number x = {
        .at = -1, .coordinate = coordinate, .fixed = coordinate < 0, .constant = constant};
    if (!zb_array_push(p->memory, &p->numbers, x)) zr_out_of_picture(p);
}

static void push_spot(zr_picture *p, int32_t spot)
{
    for (int32_t j = 0; j < p->spots.data[spot].dimension; j++)
        push_number(p, p->spots.data[spot].coordinate[j], 0.0);
}

/* The spots that all coordinates of a row belong to, at most two of one dimension; returns how many,
 * 0: others stand in it. */
static int32_t find_spots_of_row(const inspection *n, int32_t row, int32_t *spots)
{
    const zr_pattern *A = &n->sim->model->A;
    int32_t count = 0;
    for (int32_t e = A->start[row]; e < A->start[row + 1]; e++) {
        int32_t spot = n->spot[A->column[e]];
        if (spot < 0) return 0;
        if ((count > 0 && spots[0] == spot) || (count > 1 && spots[1] == spot)) continue;
        if (count == 2) return 0;
        spots[count++] = spot;
    }
    const zr_spot *list = n->p->spots.data;
    return count == 2 && list[spots[0]].dimension != list[spots[1]].dimension ? 0 : count;
}

/* The line that a row is, if it keeps a distance. */
static void draw_row(const inspection *n, int32_t row)
{
    zr_picture *p = n->p;
    int32_t spots[2];
    double c[3] = {0};
    int32_t count = find_spots_of_row(n, row, spots);
    if (count == 0 || n->sim->row_kind[row] != ZM_HOLONOMIC) return;
    int32_t dimension = p->spots.data[spots[0]].dimension;
    if (count == 2 && keeps_distance(n, row, spots)) {
        begin_shape(p, ZL_SHAPE_LINE, 2, dimension, row);
        push_spot(p, spots[0]);
        push_spot(p, spots[1]);
    } else if (count == 1 && !zm_row_time_dependent(n->sim->zm, row) &&
               keeps_radius(n, row, spots[0], c)) {
        begin_shape(p, ZL_SHAPE_POINT, 1, dimension, row);
        for (int32_t j = 0; j < dimension; j++) push_number(p, -1, c[j]);
        begin_shape(p, ZL_SHAPE_LINE, 2, dimension, row);
        for (int32_t j = 0; j < dimension; j++) push_number(p, -1, c[j]);
        push_spot(p, spots[0]);
    }
}

/* Whether the part that a spot belongs to, or one around it, draws something. */
static bool is_drawn_by_part(const zr_picture *p, const bool *draws, const zr_spot *spot)
{
    const zm_model *zm = p->model->zm;
    int32_t part = zm->coordinates[spot->block].label.scope;
    for (; part >= 0; part = zm->parts[part].label.scope)
        if (draws[part]) return true;
    return false;
}

/* Entries and states of all looks. */
static void look_around(inspection *n)
{
    size_t size = (size_t)n->sim->zm->n, entries = (size_t)n->sim->model->A.count;
    for (int32_t k = 0; k < states; k++) {
        zr_look_somewhere(n->sim, k);
        memcpy(n->q + (size_t)k * size, n->sim->q, sizeof(double) * size);
        if (entries > 0) memcpy(n->A + (size_t)k * entries, n->sim->A, sizeof(double) * entries);
    }
}

void zr_add_default_shapes(zr_picture *p, zw_sim *sim)
{
    const zm_model *zm = p->model->zm;
    inspection n = {.p = p, .sim = sim};
    size_t size = (size_t)zm->n, entries = (size_t)p->model->A.count;
    n.spot = ZB_NEW_ARRAY(&p->arena, int32_t, size);
    n.which = ZB_NEW_ARRAY(&p->arena, int32_t, size);
    n.q = ZB_NEW_ARRAY(&p->arena, double, states *size);
    n.A = ZB_NEW_ARRAY(&p->arena, double, states *entries + 1);
    bool *draws = ZB_NEW_ARRAY(&p->arena, bool, (size_t)zm->part_count + 1);
    for (int32_t k = 0; k < zm->drawing_count; k++)
        if (zm->drawings[k].part >= 0) draws[zm->drawings[k].part] = true;
    for (size_t i = 0; i < size; i++) n.spot[i] = -1;
    for (int32_t k = 0; k < p->spots.count; k++)
        for (int32_t j = 0; j < p->spots.data[k].dimension; j++) {
            n.spot[p->spots.data[k].coordinate[j]] = k;
            n.which[p->spots.data[k].coordinate[j]] = j;
        }
    look_around(&n);
    for (int32_t row = 0; row < zm->m; row++) draw_row(&n, row);
    for (int32_t k = 0; k < p->spots.count; k++) {
        if (is_drawn_by_part(p, draws, &p->spots.data[k])) continue;
        begin_shape(p, ZL_SHAPE_POINT, 1, p->spots.data[k].dimension, -1);
        push_spot(p, k);
    }
}
