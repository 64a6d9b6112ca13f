/*
 * Lemke's method for many contacts with friction in the plane, where not all modes can be tried. Each
 * friction at rest is split, tau = p - m, with s for the size of its slip,
 *
 *     0 <= N,  0 <= u_n            0 <= p,  0 <= s + u_t         0 <= m,  0 <= s - u_t
 *     0 <= s,  0 <= mu (N + offset) - p - m                      in each pair one is 0
 *
 * a linear complementarity problem u = A y + q of 3 frictions + contacts rows; friction that slips is a
 * column with its normal. It is followed from y0 = max(-q) on, adding y0 to all rows, pivot by
 * pivot: the partner of what left enters. It ends when y0 leaves (a solution) or on a ray (none was found, which
 * proves nothing where something slips). Only the mode is taken from it: its equations are solved anew.
 */
#include <math.h>
#include <string.h>

#include "mode_search.h"

/* Rows of the tableau: w - A y - y0 = q; columns w [n], y [n], y0, q. */
typedef struct tableau {
    int32_t n, width;
    double *T;      /* [n*width] */
    int32_t *basis; /* [n] columns */
} tableau;

static double *entry(const tableau *t, int32_t i, int32_t j)
{
    return t->T + (size_t)i * (size_t)t->width + (size_t)j;
}

/* Frictions at rest, numbered; -1 where it is not one that this method can do. */
static int32_t count_rest(const zg_island *c)
{
    int32_t rest = 0;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (!(f->mu_static > 0.0)) continue;
        if (f->contact < 0 || f->gives_back || (!f->slips && f->width > 1)) return -1;
        rest += !f->slips;
    }
    return rest;
}

/* u of a row by the forces of unknown normal i, friction that slips included. */
static double by_normal(const zg_island *c, int32_t row, int32_t i)
{
    const double *g = c->G + (size_t)row * (size_t)c->r;
    double sum = g[c->contact[i].normal];
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        for (int32_t j = 0; f->slips && f->contact == i && j < f->width; j++)
            sum -= f->mu * g[f->first + j] * f->slip[j];
    }
    return sum;
}

/* w of a row, with the friction of what presses besides and slips. */
static double free_of(const zg_island *c, int32_t row)
{
    const double *g = c->G + (size_t)row * (size_t)c->r;
    double sum = c->w[row];
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        for (int32_t j = 0; f->slips && f->contact >= 0 && j < f->width; j++)
            sum -= f->mu * c->contact[f->contact].offset * g[f->first + j] * f->slip[j];
    }
    return sum;
}

/* -A y into row `at` of the tableau: sign times u of a row of the island. */
static void write_motion(const zg_island *c, const tableau *t, int32_t at, int32_t row, double sign)
{
    int32_t k = c->contacts, place = 0;
    for (int32_t i = 0; i < k; i++) *entry(t, at, t->n + i) = -sign * by_normal(c, row, i);
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (f->slips || !(f->mu_static > 0.0)) continue;
        double g = c->G[(size_t)row * (size_t)c->r + (size_t)f->first];
        *entry(t, at, t->n + k + 3 * place) = -sign * g;
        *entry(t, at, t->n + k + 3 * place + 1) = sign * g;
        place++;
    }
    *entry(t, at, 2 * t->n + 1) = sign * free_of(c, row);
}

static void write_tableau(const zg_island *c, const tableau *t)
{
    int32_t k = c->contacts, at = k;
    memset(t->T, 0, sizeof *t->T * (size_t)t->n * (size_t)t->width);
    for (int32_t i = 0; i < t->n; i++) {
        *entry(t, i, i) = 1.0;
        *entry(t, i, 2 * t->n) = -1.0;
        t->basis[i] = i;
    }
    for (int32_t i = 0; i < k; i++) write_motion(c, t, i, c->contact[i].normal, 1.0);
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (f->slips || !(f->mu_static > 0.0)) continue;
        write_motion(c, t, at, f->first, 1.0);
        write_motion(c, t, at + 1, f->first, -1.0);
        *entry(t, at, t->n + at + 2) = *entry(t, at + 1, t->n + at + 2) = -1.0;
        *entry(t, at + 2, t->n + f->contact) = -f->mu;
        *entry(t, at + 2, t->n + at) = *entry(t, at + 2, t->n + at + 1) = 1.0;
        *entry(t, at + 2, 2 * t->n + 1) = f->mu * c->contact[f->contact].offset;
        at += 3;
    }
    /* limits of frictions are 0 as long as nothing presses: a little more for each, so that no two are alike */
    for (int32_t i = 0; i < t->n; i++)
        *entry(t, i, 2 * t->n + 1) += 1e-9 * c->A * (1.0 + fmod(0.6180339887498949 * i, 1.0));
}

static void pivot_at(const tableau *t, int32_t row, int32_t column)
{
    double *own = entry(t, row, 0), p = own[column];
    for (int32_t j = 0; j < t->width; j++) own[j] /= p;
    for (int32_t i = 0; i < t->n; i++) {
        double *other = entry(t, i, 0), part = other[column];
        if (i == row || part == 0.0) continue;
        for (int32_t j = 0; j < t->width; j++) other[j] -= part * own[j];
        other[column] = 0.0;
    }
}

/* The row that leaves for a column; y0 where it is among the first. -1: a ray. */
static int32_t leaving(const tableau *t, int32_t column)
{
    double least = 0.0;
    int32_t row = -1;
    for (int32_t i = 0; i < t->n; i++) {
        double x = *entry(t, i, column);
        if (!(x > 1e-11)) continue;
        double ratio = fmax(*entry(t, i, 2 * t->n + 1), 0.0) / x;
        bool first = row < 0 || ratio < least * (1.0 - 1e-13);
        bool tie = !first && ratio <= least * (1.0 + 1e-13);
        if (first || (tie && t->basis[i] == 2 * t->n)) least = ratio, row = i;
    }
    return row;
}

/* Follows the path; true where y0 has left. */
static bool follow(const tableau *t)
{
    int32_t row = -1, column = 2 * t->n, most = 50 * (t->n + 10);
    double least = 0.0;
    for (int32_t i = 0; i < t->n; i++) {
        double q = *entry(t, i, 2 * t->n + 1);
        if (q < least) least = q, row = i;
    }
    for (int32_t step = 0; row >= 0 && step < most; step++) {
        int32_t left = t->basis[row];
        pivot_at(t, row, column);
        t->basis[row] = column;
        if (left == 2 * t->n) return true;
        column = left < t->n ? left + t->n : left - t->n;
        row = leaving(t, column);
        if (row < 0) return false;
    }
    return row < 0;
}

/* y of a variable. */
static double value_of(const tableau *t, int32_t variable)
{
    for (int32_t i = 0; i < t->n; i++)
        if (t->basis[i] == t->n + variable) return *entry(t, i, 2 * t->n + 1);
    return 0.0;
}

static void take_mode(const zg_island *c, const tableau *t, zg_trial *to)
{
    int32_t at = c->contacts;
    for (int32_t i = 0; i < c->contacts; i++)
        to->contact[i] = (uint8_t)(value_of(t, i) > c->sign ? ZG_TOUCHING : ZG_OPEN);
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        double *d = to->direction + 3 * n;
        to->friction[n] = f->slips ? ZG_SLIDE : ZG_STICK;
        to->side[n] = ZG_SIDE_ANY;
        if (f->slips) memcpy(d, f->slip, sizeof f->slip);
        if (f->slips || !(f->mu_static > 0.0)) continue;
        if (value_of(t, at + 2) > c->sign) {
            to->friction[n] = ZG_SLIDE;
            d[0] = value_of(t, at) > value_of(t, at + 1) ? -1.0 : 1.0;
        }
        at += 3;
    }
}

bool zg_follow_lemke(zg_hunt *h)
{
    const zg_island *c = h->c;
    int32_t rest = count_rest(c), n = c->contacts + 3 * rest;
    if (rest < 0 || n > h->s->most_lemke || c->held > 0) return false;
    tableau t = {.n = n, .width = 2 * n + 2, .T = h->s->lemke, .basis = h->s->lemke_basis};
    write_tableau(c, &t);
    if (!follow(&t)) return false;
    take_mode(c, &t, h->t);
    return true;
}
