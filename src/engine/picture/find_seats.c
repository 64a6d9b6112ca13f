/*
 * Where contacts are that do not say it: the row of one pushes at a point p that is drawn if, for some
 * vector f,
 *
 *     a = J^T f,                  J = dp/dq, at states taken at random,
 *     a = J^T f - L^T f,          L of a second point, where two bodies push each other.
 *
 * f is read off: only points that some coordinates shift, dp/dq_c the unit vectors, come into
 * question, and f_j = a_c there. So are places of bodies and masses, whatever else moves them. J is
 * taken by differences, once: it decides which point it is, nothing that is shown comes from it.
 *
 * Points are those of draw statements, corners of boxes in the plane, and middles of balls, which
 * touch where the normal meets them. Of several the outermost against f counts, or the middle of
 * those that are.
 */
#include "picture.h"

#include <math.h>
#include <string.h>

#include "friction.h"

enum { LOOKS = 4, MOST_SPOTS = 400 };
static const double alike = 1e-6; /* what differences of analytic functions leave */

/* Points that come into question, with all that is known of them at the looks. */
typedef struct survey {
    zr_picture *p;
    zw_sim *sim;
    int32_t n, count;
    zr_seat_spot *spot; /* [count] */
    double *x;          /* [LOOKS * count * 3] places */
    double *J;          /* [LOOKS * count * 3 * n] */
    double *A;          /* [LOOKS * A.count] */
    double *T;          /* [LOOKS * T.count] */
    double *a, *rest;   /* [n] scratch */
} survey;

/* ------------------------------------------------------------------------ points */

static void add_spot_of(survey *s, const zr_shape *shape, int32_t point, int32_t corner)
{
    if (s->count >= MOST_SPOTS || shape->dimension < 2) return;
    bool ball = shape->kind == ZL_SHAPE_BALL;
    zr_seat_spot spot = {.first = shape->first + point * shape->dimension,
                         .dimension = shape->dimension,
                         .corner = corner,
                         .radius = ball ? shape->first + shape->dimension : -1};
    bool fixed = true;
    int32_t numbers = corner >= 0 ? 3 : spot.dimension;
    for (int32_t j = 0; j < numbers; j++) fixed = fixed && s->p->numbers.data[spot.first + j].fixed;
    for (int32_t j = 0; j < 2 && corner >= 0; j++) /* a box that grows is no body */
        fixed = fixed || !s->p->numbers.data[spot.first + 3 + j].fixed;
    if (!fixed) s->spot[s->count++] = spot;
}

static void list_points(survey *s)
{
    for (int32_t k = 0; k < s->p->drawn; k++) {
        const zr_shape *shape = &s->p->shapes.data[k];
        bool box = shape->kind == ZL_SHAPE_BOX && shape->dimension == 2;
        for (int32_t i = 0; i < shape->points; i++) add_spot_of(s, shape, i, -1);
        for (int32_t i = 0; box && i < 4; i++) add_spot_of(s, shape, 0, i);
    }
}

/* ------------------------------------------------------------------------- looks */

static double *place_at(const survey *s, int32_t look, int32_t spot)
{
    return s->x + 3 * ((size_t)look * (size_t)s->count + (size_t)spot);
}

/* Row j of J of a point: [n]. */
static double *row_of_J(const survey *s, int32_t look, int32_t spot, int32_t j)
{
    size_t at = 3 * ((size_t)look * (size_t)s->count + (size_t)spot) + (size_t)j;
    return s->J + at * (size_t)s->n;
}

/* Places of all points at the state of the simulation: out [count * 3]. */
static void read_places(const survey *s, double *out)
{
    zk_source source = zr_source(s->sim, s->sim->t, s->sim->q, s->sim->v);
    source.acceleration = s->sim->v; /* a point that depends on it is not seen to move rightly */
    memset(out, 0, sizeof *out * 3 * (size_t)s->count);
    zr_draw(s->p, &source);
    for (int32_t k = 0; k < s->count; k++)
        zr_spot_place(s->p, s->sim, &s->spot[k], out + 3 * (size_t)k);
}

/* J of all points in the direction of coordinate i. */
static void differentiate(const survey *s, int32_t look, int32_t i, double *plus, double *minus)
{
    const double h = 1e-5;
    double q = s->sim->q[i];
    s->sim->q[i] = q + h;
    read_places(s, plus);
    s->sim->q[i] = q - h;
    read_places(s, minus);
    s->sim->q[i] = q;
    for (int32_t k = 0; k < s->count; k++)
        for (int32_t j = 0; j < 3; j++)
            row_of_J(s, look, k, j)[i] =
                (plus[3 * (size_t)k + (size_t)j] - minus[3 * (size_t)k + (size_t)j]) / (2.0 * h);
}

/* Points, rows and slips at all looks, with every row on. */
static void look_around(survey *s)
{
    zw_sim *sim = s->sim;
    const zr_pattern *T = &s->p->model->laws->T;
    size_t entries = (size_t)sim->model->A.count, slips = (size_t)T->count;
    double *plus = ZB_NEW_ARRAY(&s->p->arena, double, 3 * s->count);
    double *minus = ZB_NEW_ARRAY(&s->p->arena, double, 3 * s->count);
    zr_enter_masks(sim, true);
    for (int32_t look = 0; look < LOOKS; look++) {
        zr_look_somewhere(sim, look);
        zk_source source = zr_source(sim, sim->t, sim->q, sim->v);
        zr_evaluate_frictions(sim, &source);
        memcpy(s->A + (size_t)look * entries, sim->A, sizeof *s->A * entries);
        memcpy(s->T + (size_t)look * slips, sim->contacts->T, sizeof *s->T * slips);
        read_places(s, place_at(s, look, 0));
        for (int32_t i = 0; i < s->n; i++) differentiate(s, look, i, plus, minus);
    }
}

/* ---------------------------------------------------------------------- matching */

/* The row of a seat at a look, as s->a [n]; returns its size. */
static double read_row(const survey *s, const zr_seat *seat, int32_t look)
{
    const zr_pattern *A = &s->sim->model->A;
    double size = 0.0;
    memset(s->a, 0, sizeof *s->a * (size_t)s->n);
    for (int32_t e = A->start[seat->row]; e < A->start[seat->row + 1]; e++) {
        double value = s->A[(size_t)look * (size_t)A->count + (size_t)e];
        s->a[A->column[e]] += value;
        size = fmax(size, fabs(value));
    }
    return size;
}

/* Whether coordinate i shifts a point along axis j and does nothing else to it. */
static bool shifts(const survey *s, int32_t spot, int32_t i, int32_t j)
{
    for (int32_t look = 0; look < LOOKS; look++)
        for (int32_t k = 0; k < 3; k++)
            if (!(fabs(row_of_J(s, look, spot, k)[i] - (k == j ? 1.0 : 0.0)) <= alike))
                return false;
    return true;
}

/* How much a seat has to do with coordinate i: of its row and its slips, at the first look. */
static double weigh(const survey *s, const zr_seat *seat, int32_t i)
{
    const struct zr_contact_laws *laws = s->p->model->laws;
    const zm_model *zm = s->p->model->zm;
    (void)read_row(s, seat, 0);
    double sum = fabs(s->a[i]);
    for (int32_t f = 0; f < zm->friction_count; f++) {
        if (zm->frictions[f].constraint != seat->constraint) continue;
        int32_t first = laws->friction[f].slip;
        for (int32_t e = laws->T.start[first]; e < laws->T.start[first + zm->frictions[f].width];
             e++)
            if (laws->T.column[e] == i) sum += fabs(s->T[e]);
    }
    return sum;
}

/* The coordinates that shift a point, those of several that the seat has most to do with; false:
 * there are none. */
static bool find_shifting(const survey *s, int32_t spot, zr_seat *seat)
{
    for (int32_t j = 0; j < seat->dimension; j++) {
        double most = -1.0;
        seat->coordinate[j] = -1;
        for (int32_t i = 0; i < s->n; i++) {
            if (!shifts(s, spot, i, j)) continue;
            double weight = weigh(s, seat, i);
            if (weight > most) seat->coordinate[j] = i;
            most = fmax(most, weight);
        }
    }
    /* a direction that no coordinate shifts is one in which nothing moves the point */
    bool some = false;
    for (int32_t j = 0; j < seat->dimension; j++) {
        bool still = true;
        for (int32_t look = 0; look < LOOKS; look++)
            for (int32_t i = 0; i < s->n; i++)
                still = still && fabs(row_of_J(s, look, spot, j)[i]) <= alike;
        if (seat->coordinate[j] < 0 && !still) return false;
        some = some || seat->coordinate[j] >= 0;
    }
    return some;
}

/* f of a seat at the coordinates found, of s->a: [3]. */
static void read_force(const survey *s, const zr_seat *seat, double *f)
{
    for (int32_t j = 0; j < 3; j++)
        f[j] = j < seat->dimension && seat->coordinate[j] >= 0 ? s->a[seat->coordinate[j]] : 0.0;
}

/* s->rest = a - J^T f at a look; whether it is 0. */
static bool takes_row(const survey *s, const zr_seat *seat, int32_t spot, int32_t look, double sign)
{
    double size = read_row(s, seat, look), f[3];
    bool zero = size > 0.0;
    if (sign > 0.0) memcpy(s->rest, s->a, sizeof *s->a * (size_t)s->n);
    read_force(s, seat, f);
    for (int32_t i = 0; i < s->n; i++) {
        for (int32_t j = 0; j < 3; j++) s->rest[i] -= sign * row_of_J(s, look, spot, j)[i] * f[j];
        zero = zero && fabs(s->rest[i]) <= alike * size;
    }
    return zero;
}

/* Whether the row pushes at this point, alone or against `other` (-1: alone), at every look. */
static bool pushes_at(const survey *s, const zr_seat *seat, int32_t spot, int32_t other)
{
    for (int32_t look = 0; look < LOOKS; look++) {
        bool alone = takes_row(s, seat, spot, look, 1.0);
        if (other < 0 ? !alone : !takes_row(s, seat, other, look, -1.0)) return false;
    }
    return true;
}

/* How far out a point is against f, at the first look. */
static double reach_of(const survey *s, const zr_seat *seat, int32_t spot)
{
    double f[3], sum = 0.0, size = 0.0;
    const double *x = place_at(s, 0, spot);
    (void)read_row(s, seat, 0);
    read_force(s, seat, f);
    for (int32_t j = 0; j < 3; j++) {
        sum += f[j] * x[j];
        size += f[j] * f[j];
    }
    double radius = s->spot[spot].radius >= 0 && s->p->numbers.data[s->spot[spot].radius].fixed
                        ? zr_drawn_number(s->p, s->sim, s->spot[spot].radius)
                        : 0.0;
    return radius - sum / sqrt(size);
}

/* Whether it stands where one of the points of a seat does. */
static bool stands_there(const survey *s, const zr_seat *seat, const int32_t *spots, int32_t spot)
{
    for (int32_t k = 0; k < seat->spots; k++) {
        double away = 0.0;
        for (int32_t j = 0; j < 3; j++)
            away = fmax(away, fabs(place_at(s, 0, spots[k])[j] - place_at(s, 0, spot)[j]));
        if (away <= 1e-9) return true;
    }
    return false;
}

/* Takes a point that is as far out as those there, or farther. */
static void take_point(const survey *s, zr_seat *seat, int32_t spot, int32_t *spots, double *most)
{
    zr_seat now = *seat;
    (void)find_shifting(s, spot, &now);
    double reach = reach_of(s, &now, spot);
    if (seat->spots > 0 && reach < *most - 1e-9) return;
    if (seat->spots == 0 || reach > *most + 1e-9) {
        now.spots = 0;
        *most = reach;
    }
    if (now.spots >= zr_most_seat_spots || stands_there(s, &now, spots, spot)) return;
    spots[now.spots] = spot;
    now.spot[now.spots++] = s->spot[spot];
    *seat = now;
}

/* Whether the row pushes against what is up, at the first look. */
static bool pushes_down(const survey *s, const zr_seat *seat)
{
    double f[3];
    (void)read_row(s, seat, 0);
    read_force(s, seat, f);
    return f[seat->dimension - 1] < 0.0;
}

/* A point that is pushed away from another; of the two the one that is not pushed down, as what
 * lies on something. Not among very many. */
static void find_pair(const survey *s, zr_seat *seat, bool upward, int32_t *spots, double *most)
{
    enum { most_work = 300000 };
    zr_seat trial = *seat;
    if ((int64_t)s->count * s->count * s->n > most_work) return;
    for (int32_t k = 0; k < s->count && seat->spots == 0; k++) {
        if (s->spot[k].dimension != seat->dimension || !find_shifting(s, k, &trial) ||
            pushes_down(s, &trial) == upward)
            continue;
        for (int32_t i = 0; i < s->count && seat->spots == 0; i++)
            if (i != k && s->spot[i].dimension == seat->dimension && pushes_at(s, &trial, k, i))
                take_point(s, seat, k, spots, most);
    }
}

/* The point, or the points, of a seat. */
static void find_seat(survey *s, zr_seat *seat)
{
    int32_t spots[zr_most_seat_spots] = {0};
    double most = 0.0;
    zr_seat trial = *seat;
    for (int32_t k = 0; k < s->count; k++)
        if (s->spot[k].dimension == seat->dimension && find_shifting(s, k, &trial) &&
            pushes_at(s, &trial, k, -1))
            take_point(s, seat, k, spots, &most);
    find_pair(s, seat, true, spots, &most);
    find_pair(s, seat, false, spots, &most);
}

static bool is_sought(const zr_picture *p, const zr_seat *seat)
{
    return seat->given < 0 && seat->row >= 0 && p->drawn > 0;
}

/* The simulation has every row on afterwards. */
void zr_find_seats(zr_picture *p, zw_sim *sim)
{
    enum { most_numbers = 2000000 };
    survey s = {.p = p, .sim = sim, .n = sim->zm->n};
    bool any = false;
    for (int32_t k = 0; k < p->seats.count; k++) any = any || is_sought(p, &p->seats.data[k]);
    if (!any || !p->model->laws) return;
    s.spot = ZB_NEW_ARRAY(&p->arena, zr_seat_spot, MOST_SPOTS);
    list_points(&s);
    if (s.count == 0 || (int64_t)s.count * s.n * 3 * LOOKS > most_numbers) return;
    s.x = ZB_NEW_ARRAY(&p->arena, double, 3 * LOOKS * s.count);
    s.J = ZB_NEW_ARRAY(&p->arena, double, 3 * LOOKS * s.count * s.n);
    s.A = ZB_NEW_ARRAY(&p->arena, double, LOOKS * sim->model->A.count + 1);
    s.T = ZB_NEW_ARRAY(&p->arena, double, LOOKS * p->model->laws->T.count + 1);
    s.a = ZB_NEW_ARRAY(&p->arena, double, s.n);
    s.rest = ZB_NEW_ARRAY(&p->arena, double, s.n);
    look_around(&s);
    for (int32_t k = 0; k < p->seats.count; k++)
        if (is_sought(p, &p->seats.data[k])) find_seat(&s, &p->seats.data[k]);
}
