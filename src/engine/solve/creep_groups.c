/*
 * Slips that creep and depend on each other. Feet of one body cannot slip as each likes: all their slips
 * are those of a few velocities,
 *
 *     s = B y,    G = B B^T    the response of slips to forces along them
 *
 * by Cholesky's method with pivots, which finds the rank; y y / 2 is the kinetic energy that forces along the slips can
 * end, and coordinates have one unit whatever those of slips are. A *group* is the least set of frictions whose slips
 * depend on each other and on no others: they leave rest, creep and turn together, y = R e with one R and one
 * direction |e| = 1. A friction that depends on no other is a group of its own, and e is its direction.
 *
 * Rows of slips that depend: those which have nothing left of G after elimination. They stand in a group with all rows
 * of which they are made.
 */
#include "creep_groups.h"

#include <math.h>
#include <string.h>

#include "friction.h"

static const double rank_part = 1e-10;  /* of G: a row that depends on others has no more left */
static const double least_share = 1e-7; /* of a row in another one, that counts */
static const double least_slip = 1e-9;  /* of the largest of a group: others have a direction */

enum { ld = ZR_CREEPING_SLIPS };

/* ------------------------------------------------------------------------ factors */

/* Rows of slips, and the factor of their responses. */
typedef struct slip_rows {
    int32_t count, rank;
    int32_t row[ZR_CREEPING_SLIPS]; /* 3 e + j; the first `rank` are pivots after zr_... */
    double own[ZR_CREEPING_SLIPS];  /* G_ii, of the largest of its friction */
    double *B;                      /* [row*ld + column] */
} slip_rows;

static void add_friction_rows(const zw_sim *sim, int32_t e, slip_rows *rows)
{
    const double *G = sim->contacts->creep.G;
    double most = 0.0;
    for (int32_t j = 0; j < zr_creep_width(sim, e); j++)
        most = fmax(most, G[(3 * e + j) * ld + 3 * e + j]);
    for (int32_t j = 0; j < zr_creep_width(sim, e); j++) {
        rows->own[rows->count] = most;
        rows->row[rows->count++] = 3 * e + j;
    }
}

static void swap_rows(slip_rows *rows, int32_t a, int32_t b)
{
    int32_t row = rows->row[a];
    double own = rows->own[a];
    rows->row[a] = rows->row[b], rows->row[b] = row;
    rows->own[a] = rows->own[b], rows->own[b] = own;
}

/* What is left of G at (a, b) after the columns that are there. */
static double find_left(const zw_sim *sim, const slip_rows *rows, int32_t a, int32_t b)
{
    int32_t i = rows->row[a], j = rows->row[b];
    double left = 0.5 * (sim->contacts->creep.G[i * ld + j] + sim->contacts->creep.G[j * ld + i]);
    for (int32_t m = 0; m < rows->rank; m++) left -= rows->B[i * ld + m] * rows->B[j * ld + m];
    return left;
}

/* G = B B^T, pivots first. */
static void factor_slips(const zw_sim *sim, slip_rows *rows)
{
    for (rows->rank = 0; rows->rank < rows->count;) {
        int32_t best = -1, n = rows->rank;
        double most = rank_part, column[ZR_CREEPING_SLIPS];
        for (int32_t a = n; a < rows->count; a++) {
            double part = find_left(sim, rows, a, a) / rows->own[a];
            if (rows->own[a] > 0.0 && part > most) best = a, most = part;
        }
        if (best < 0) break;
        swap_rows(rows, n, best);
        double root = sqrt(find_left(sim, rows, n, n));
        for (int32_t a = n; a < rows->count; a++) column[a] = find_left(sim, rows, a, n) / root;
        for (int32_t a = 0; a < rows->count; a++)
            rows->B[rows->row[a] * ld + n] = a < n ? 0.0 : a == n ? root : column[a];
        rows->rank++;
    }
}

/* ------------------------------------------------------------------------- groups */

/* The first friction of the set that e is in. */
static int32_t find_set(const int32_t *set, int32_t e)
{
    while (set[e] != e) e = set[e];
    return e;
}

/* Row a is made of pivots: their frictions and its own are of one set. */
static void join_with_pivots(const slip_rows *rows, int32_t a, int32_t *set)
{
    double share[ZR_CREEPING_SLIPS];
    for (int32_t k = rows->rank - 1; k >= 0; k--) {
        double sum = rows->B[rows->row[a] * ld + k];
        for (int32_t m = k + 1; m < rows->rank; m++)
            sum -= share[m] * rows->B[rows->row[m] * ld + k];
        share[k] = sum / rows->B[rows->row[k] * ld + k];
        if (!(fabs(share[k]) * sqrt(rows->own[k]) > least_share * sqrt(rows->own[a]))) continue;
        int32_t p = find_set(set, rows->row[k] / 3), q = find_set(set, rows->row[a] / 3);
        set[p > q ? p : q] = p > q ? q : p;
    }
}

/* Those of the set of friction e, with coordinates of their own. */
static void add_group(zr_turning *g, const int32_t *set, int32_t e, int32_t *members, int32_t *y)
{
    const zw_sim *sim = g->sim;
    zr_creep_group *group = &g->group[g->groups++];
    slip_rows rows = {.B = g->B};
    *group = (zr_creep_group){.first = *members, .y = *y, .turn = g->size};
    for (int32_t k = e; k < sim->contacts->creep.count; k++) {
        if (find_set(set, k) != e) continue;
        g->member[(*members)++] = k;
        add_friction_rows(sim, k, &rows);
    }
    factor_slips(sim, &rows);
    group->count = *members - group->first;
    group->rank = rows.rank;
    for (int32_t k = 0; k < rows.rank; k++) g->pivot[*y + k] = rows.row[k];
    *y += rows.rank;
    if (rows.rank > 0) g->size += rows.rank - 1;
}

void zr_find_creep_groups(zr_turning *g)
{
    int32_t count = g->sim->contacts->creep.count, members = 0, y = 0;
    int32_t set[ZR_MOST_CREEPING] = {0};
    slip_rows all = {.B = g->B};
    for (int32_t e = 0; e < count; e++) {
        set[e] = e;
        add_friction_rows(g->sim, e, &all);
    }
    factor_slips(g->sim, &all);
    for (int32_t a = all.rank; a < all.count; a++) join_with_pivots(&all, a, set);
    g->groups = g->size = 0;
    memset(g->B, 0, sizeof g->B);
    for (int32_t e = 0; e < count; e++)
        if (set[e] == e) add_group(g, set, e, &members, &y);
}

/* --------------------------------------------------------------------- directions */

/* B_i y of slip i in group k. */
static double slip_of(const zr_turning *g, int32_t k, int32_t i, const double *y)
{
    double sum = 0.0;
    for (int32_t m = 0; m < g->group[k].rank; m++) sum += g->B[i * ld + m] * y[m];
    return sum;
}

static bool normalise(double *e, int32_t count)
{
    double square = 0.0;
    for (int32_t j = 0; j < count; j++) square += e[j] * e[j];
    for (int32_t j = 0; j < count && square > 0.0; j++) e[j] /= sqrt(square);
    return square > 0.0 && isfinite(square);
}

/* X += B^T (I - d d^T) B and e += B^T d of number i. */
static void add_direction(const zr_turning *g, int32_t i, int32_t n, double *X, double *e)
{
    const double *d = zr_creep_direction(g->sim, i), *B = g->B + (size_t)(3 * i) * ld;
    for (int32_t a = 0; a < n; a++) {
        double along = 0.0;
        for (int32_t j = 0; j < zr_creep_width(g->sim, i); j++) along += B[j * ld + a] * d[j];
        e[a] += along;
        for (int32_t b = 0; b < n; b++)
            for (int32_t j = 0; j < zr_creep_width(g->sim, i); j++)
                X[a * n + b] += (B[j * ld + a] - along * d[j]) * B[j * ld + b];
    }
}

/* Of the velocities of group k that have no slips across the directions the one that has most along
 * them: (X + small) e = sum B^T d, and once more with e on the right. */
static bool take_group_directions(zr_turning *g, int32_t k)
{
    static const double small = 1e-9;
    const zr_creep_group *group = &g->group[k];
    int32_t n = group->rank;
    size_t bytes = sizeof(double) * (size_t)(n * n);
    double X[ZR_CREEPING_SLIPS * ZR_CREEPING_SLIPS] = {0.0}, trace = 0.0, *e = g->e + group->y;
    double again[ZR_CREEPING_SLIPS * ZR_CREEPING_SLIPS];
    memset(e, 0, sizeof *e * (size_t)n);
    for (int32_t i = group->first; i < group->first + group->count; i++)
        add_direction(g, g->member[i], n, X, e);
    for (int32_t a = 0; a < n; a++) trace += X[a * n + a];
    for (int32_t a = 0; a < n; a++) X[a * n + a] += trace > 0.0 ? small * trace / n : 1.0;
    memcpy(again, X, bytes);
    return zr_solve_small(X, e, n) && normalise(e, n) && zr_solve_small(again, e, n) &&
           normalise(e, n);
}

bool zr_take_creep_directions(zr_turning *g)
{
    for (int32_t k = 0; k < g->groups; k++)
        if (!take_group_directions(g, k)) return false;
    return true;
}

/* T: all but the first column of the reflection that takes e to the first axis. */
static void find_across(zr_turning *g, int32_t k)
{
    const zr_creep_group *group = &g->group[k];
    double u[ZR_CREEPING_SLIPS], square = 0.0;
    memcpy(u, g->e + group->y, sizeof *u * (size_t)group->rank);
    u[0] += u[0] < 0.0 ? -1.0 : 1.0;
    for (int32_t a = 0; a < group->rank; a++) square += u[a] * u[a];
    for (int32_t a = 0; a < group->rank; a++)
        for (int32_t p = 0; p < group->rank - 1; p++)
            g->T[(group->y + a) * ld + p] =
                (a == p + 1 ? 1.0 : 0.0) - 2.0 * u[a] * u[p + 1] / square;
}

/* The length of B e of number e. */
static double length_of_slip(const zr_turning *g, int32_t e)
{
    double square = 0.0;
    for (int32_t j = 0; j < zr_creep_width(g->sim, e); j++)
        square += g->slips[3 * e + j] * g->slips[3 * e + j];
    return sqrt(square);
}

bool zr_show_creep_directions(zr_turning *g)
{
    bool all = true;
    for (int32_t k = 0; k < g->groups; k++) {
        const zr_creep_group *group = &g->group[k];
        double most = 0.0;
        find_across(g, k);
        for (int32_t i = group->first; i < group->first + group->count; i++) {
            int32_t e = g->member[i];
            for (int32_t j = 0; j < zr_creep_width(g->sim, e); j++)
                g->slips[3 * e + j] = slip_of(g, k, 3 * e + j, g->e + group->y);
            most = fmax(most, length_of_slip(g, e));
        }
        for (int32_t i = group->first; i < group->first + group->count; i++) {
            int32_t e = g->member[i];
            double length = length_of_slip(g, e);
            all = all && length > least_slip * most;
            for (int32_t j = 0; j < zr_creep_width(g->sim, e) && length > 0.0; j++)
                zr_creep_direction(g->sim, e)[j] = g->slips[3 * e + j] / length;
        }
    }
    return all;
}

void zr_turn_of_friction(const zr_turning *g, int32_t k, int32_t e, const double *across, int32_t p,
                         double *t)
{
    int32_t width = zr_creep_width(g->sim, e);
    const zr_creep_group *group = &g->group[k];
    double length = length_of_slip(g, e);
    for (int32_t q = 0; q < width - 1; q++) t[q] = 0.0;
    for (int32_t j = 0; j < width; j++) {
        double slip = 0.0;
        for (int32_t a = 0; a < group->rank; a++)
            slip += g->B[(3 * e + j) * ld + a] * g->T[(group->y + a) * ld + p];
        for (int32_t q = 0; q < width - 1; q++) t[q] += across[j * (width - 1) + q] * slip / length;
    }
}

/* How far the directions of group k turn with turns y of it, at most. */
static double largest_turn_of_group(const zr_turning *g, int32_t k, const double *y)
{
    const zr_creep_group *group = &g->group[k];
    double most = 0.0;
    for (int32_t i = group->first; i < group->first + group->count; i++) {
        int32_t e = g->member[i], width = zr_creep_width(g->sim, e);
        double across[6], turn[2] = {0.0}, t[2];
        zg_across_direction(width, zr_creep_direction(g->sim, e), across);
        for (int32_t p = 0; p < group->rank - 1; p++) {
            zr_turn_of_friction(g, k, e, across, p, t);
            for (int32_t q = 0; q < width - 1; q++) turn[q] += t[q] * y[p];
        }
        for (int32_t q = 0; q < width - 1; q++) most = zb_larger(most, fabs(turn[q]));
    }
    return most;
}

double zr_turn_creep_groups(zr_turning *g, const double *y, double most)
{
    double turned = 0.0, largest = 0.0;
    for (int32_t i = 0; i < g->size; i++) turned = zb_larger(turned, fabs(y[i]));
    for (int32_t k = 0; k < g->groups; k++)
        largest = zb_larger(largest, largest_turn_of_group(g, k, y + g->group[k].turn));
    double part = largest > most ? most / largest : 1.0;
    if (!isfinite(turned) || !isfinite(largest)) return HUGE_VAL;
    for (int32_t k = 0; k < g->groups; k++) {
        const zr_creep_group *group = &g->group[k];
        double *e = g->e + group->y;
        for (int32_t a = 0; a < group->rank; a++)
            for (int32_t p = 0; p < group->rank - 1; p++)
                e[a] += part * g->T[(group->y + a) * ld + p] * y[group->turn + p];
        (void)normalise(e, group->rank);
    }
    return turned;
}

/* -------------------------------------------------------------------- coordinates */

void zr_creep_coordinates(const zr_turning *g, int32_t k, const double *x, double *y)
{
    const zr_creep_group *group = &g->group[k];
    for (int32_t a = 0; a < group->rank; a++) {
        int32_t row = g->pivot[group->y + a];
        double sum = x[row];
        for (int32_t m = 0; m < a; m++) sum -= g->B[row * ld + m] * y[m];
        y[a] = sum / g->B[row * ld + a];
    }
}

void zr_look_across_creep(const zr_turning *g, const double *x, double *out, double *along)
{
    for (int32_t k = 0; k < g->groups; k++) {
        const zr_creep_group *group = &g->group[k];
        double y[ZR_CREEPING_SLIPS], sum = 0.0;
        zr_creep_coordinates(g, k, x, y);
        for (int32_t a = 0; a < group->rank; a++) sum += y[a] * g->e[group->y + a];
        if (along) along[k] = sum;
        for (int32_t p = 0; p < group->rank - 1; p++) {
            out[group->turn + p] = 0.0;
            for (int32_t a = 0; a < group->rank; a++)
                out[group->turn + p] += g->T[(group->y + a) * ld + p] * y[a];
        }
    }
}

/* B^T x = T y with x in the rows of pivots alone: other rows push no other way. */
void zr_creep_impulses(const zr_turning *g, const double *y, double *x)
{
    memset(x, 0, sizeof *x * ZR_CREEPING_SLIPS);
    for (int32_t k = 0; k < g->groups; k++) {
        const zr_creep_group *group = &g->group[k];
        for (int32_t a = group->rank - 1; a >= 0; a--) {
            double sum = 0.0;
            for (int32_t p = 0; p < group->rank - 1; p++)
                sum += g->T[(group->y + a) * ld + p] * y[group->turn + p];
            for (int32_t m = a + 1; m < group->rank; m++) {
                int32_t row = g->pivot[group->y + m];
                sum -= g->B[row * ld + a] * x[row];
            }
            int32_t row = g->pivot[group->y + a];
            x[row] = sum / g->B[row * ld + a];
        }
    }
}
