/*
 * Where a friction begins to slide in space. Alone, with f the acceleration of its slip without it and
 * G_tt its response, the direction solves f - m G_tt d = a d with m = mu rho, a >= 0, |d| = 1, so
 *
 *     d(a) = (m G_tt + a I)^-1 f,  |d(a)| = 1        the secular equation; |d(a)| falls with a
 *
 * with one root if and only if |d(0)| > 1, that is, if friction cannot hold it. Newton's method on 1/|d(a)|, which is
 * nearly straight, from a = 0: it comes from the left and never passes the root.
 *
 * Several frictions, and pressures that change with d: Newton's method on all directions at once, u_t - a d = 0
 * across d. Where it leads nowhere, each friction by its own equation with the others as they are, for a few rounds,
 * and Newton's method from there.
 */
#include "slide_direction.h"

#include <math.h>
#include <string.h>

enum { most_roots = 60, fixed_rounds = 12, newton_rounds = 25 };

/* ------------------------------------------------------------------ one friction */

/* Q and the eigenvalues of a symmetric matrix of up to three rows, by Jacobi's rotations. */
static void diagonalise(int32_t n, double *G, double *Q)
{
    for (int32_t i = 0; i < n * n; i++) Q[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    for (int32_t sweep = 0; sweep < 30; sweep++) {
        for (int32_t p = 0; p < n; p++) {
            for (int32_t q = p + 1; q < n; q++) {
                double off = G[p * n + q];
                if (off == 0.0) continue;
                double angle = 0.5 * atan2(2.0 * off, G[q * n + q] - G[p * n + p]);
                double c = cos(angle), s = sin(angle);
                for (int32_t i = 0; i < n; i++) {
                    double x = G[i * n + p], y = G[i * n + q];
                    G[i * n + p] = c * x - s * y;
                    G[i * n + q] = s * x + c * y;
                    x = Q[i * n + p], y = Q[i * n + q];
                    Q[i * n + p] = c * x - s * y;
                    Q[i * n + q] = s * x + c * y;
                }
                for (int32_t i = 0; i < n; i++) {
                    double x = G[p * n + i], y = G[q * n + i];
                    G[p * n + i] = c * x - s * y;
                    G[q * n + i] = s * x + c * y;
                }
                G[p * n + q] = G[q * n + p] = 0.0;
            }
        }
    }
}

/* |d(a)| and its derivative from the eigenvalues g and f along the eigenvectors. */
static double secular_length(int32_t n, const double *g, const double *f, double a, double *slope)
{
    double sum = 0.0, change = 0.0;
    for (int32_t i = 0; i < n; i++) {
        if (f[i] == 0.0) continue;
        double d = f[i] / (g[i] + a);
        sum += d * d;
        change -= d * d / (g[i] + a);
    }
    double length = sqrt(sum);
    *slope = change / length;
    return length;
}

bool zg_slide_direction(int32_t width, const double *G, const double *f, double limit, double *d,
                        double *a)
{
    double H[9] = {0.0}, Q[9], g[3], along[3], slope, size = 0.0;
    for (int32_t i = 0; i < width; i++)
        for (int32_t j = 0; j < width; j++)
            H[i * width + j] = limit * 0.5 * (G[i * width + j] + G[j * width + i]);
    diagonalise(width, H, Q);
    for (int32_t i = 0; i < width; i++) {
        g[i] = fmax(H[i * width + i], 0.0);
        along[i] = 0.0;
        for (int32_t j = 0; j < width; j++) along[i] += Q[j * width + i] * f[j];
        size = hypot(size, along[i]);
    }
    *a = 0.0;
    if (!(size > 0.0) || !(secular_length(width, g, along, 0.0, &slope) > 1.0)) return false;
    /* where G is singular |d(0)| is infinite: begin where its part alone has the length */
    for (int32_t i = 0; i < width; i++) *a = fmax(*a, fabs(along[i]) - g[i]);
    for (int32_t round = 0; round < most_roots; round++) {
        double length = secular_length(width, g, along, *a, &slope);
        double step = (1.0 - length) * length / slope;
        double next = *a + step;
        if (!(next > *a)) break;
        *a = next;
    }
    double length = 0.0;
    for (int32_t i = 0; i < width; i++) {
        d[i] = 0.0;
        for (int32_t j = 0; j < width; j++)
            if (along[j] != 0.0) d[i] += Q[i * width + j] * along[j] / (g[j] + *a);
        length = hypot(length, d[i]);
    }
    for (int32_t i = 0; i < width; i++) d[i] /= length;
    return true;
}

/* ------------------------------------------------------------------ all frictions */

static double length_of(const double *x, int32_t width)
{
    double sum = 0.0;
    for (int32_t j = 0; j < width; j++) sum = hypot(sum, x[j]);
    return sum;
}

/* Frictions that begin to slide in space, in s->turning; how many. */
static int32_t list_turning(const zg_island *c, zg_mode_system *s, const zg_trial *t)
{
    int32_t count = 0;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (t->friction[n] == ZG_SLIDE && !f->slips && f->width > 1 && zg_has_pressure(c, t, n))
            s->turning[count++] = n;
    }
    return count;
}

/* Where nothing is known yet: against the force with which all that is listed would stick. */
static void begin_directions(const zg_island *c, zg_mode_system *s, zg_trial *t, int32_t count)
{
    bool known = true;
    for (int32_t i = 0; i < count; i++)
        known &=
            length_of(t->direction + 3 * s->turning[i], c->friction[s->turning[i]].width) > 0.0;
    if (known) return;
    for (int32_t i = 0; i < count; i++) t->friction[s->turning[i]] = ZG_STICK;
    zg_solve_trial(c, s, t);
    for (int32_t i = 0; i < count; i++) {
        int32_t n = s->turning[i];
        const island_friction *f = &c->friction[n];
        double *d = t->direction + 3 * n;
        double length = t->solved ? length_of(t->x + f->first, f->width) : 0.0;
        t->friction[n] = ZG_SLIDE;
        for (int32_t j = 0; j < f->width; j++)
            d[j] = length > 0.0 ? -t->x[f->first + j] / length : j == 0 ? 1.0 : 0.0;
    }
}

/* J: how the slips that are listed answer to forces there, 3 places for each, ld 3 count. */
static void write_responses(const zg_island *c, zg_mode_system *s, const zg_trial *t, int32_t count)
{
    double *u = s->share;
    int32_t ld = 3 * count;
    for (int32_t i = 0; i < count; i++) {
        const island_friction *from = &c->friction[s->turning[i]];
        for (int32_t j = 0; j < from->width; j++) {
            zg_respond(c, s, t, from->first + j, u);
            for (int32_t k = 0; k < count; k++) {
                const island_friction *to = &c->friction[s->turning[k]];
                for (int32_t m = 0; m < to->width; m++)
                    s->turn[(3 * k + m) * ld + 3 * i + j] = u[to->first + m];
            }
        }
    }
}

/* Each friction by its own secular equation; how far directions turn. */
static double turn_each(const zg_island *c, const zg_mode_system *s, zg_trial *t, int32_t count)
{
    double most = 0.0;
    for (int32_t i = 0; i < count; i++) {
        int32_t n = s->turning[i], w = c->friction[n].width, ld = 3 * count;
        const double *x = t->x + c->friction[n].first, *u = t->u + c->friction[n].first;
        double G[9] = {0.0}, f[3] = {0.0}, d[3], a, *old = t->direction + 3 * n;
        for (int32_t j = 0; j < w; j++) {
            f[j] = u[j];
            for (int32_t k = 0; k < w; k++) {
                G[j * w + k] = s->turn[(3 * i + j) * ld + 3 * i + k];
                f[j] -= G[j * w + k] * x[k];
            }
        }
        if (!zg_slide_direction(w, G, f, c->friction[n].mu * fmax(t->rho[n], 0.0), d, &a)) continue;
        for (int32_t j = 0; j < w; j++) {
            most = fmax(most, fabs(d[j] - old[j]));
            old[j] = d[j];
        }
    }
    return most;
}

void zg_across_direction(int32_t width, const double *d, double *T)
{
    if (width == 2) {
        T[0] = -d[1];
        T[1] = d[0];
        return;
    }
    int32_t least = fabs(d[0]) < fabs(d[1]) ? 0 : 1;
    if (fabs(d[2]) < fabs(d[least])) least = 2;
    double e[3] = {0.0, 0.0, 0.0}, p[3], q[3];
    e[least] = 1.0;
    for (int32_t j = 0; j < 3; j++) p[j] = e[j] - d[least] * d[j];
    double length = length_of(p, 3);
    for (int32_t j = 0; j < 3; j++) p[j] /= length;
    q[0] = d[1] * p[2] - d[2] * p[1];
    q[1] = d[2] * p[0] - d[0] * p[2];
    q[2] = d[0] * p[1] - d[1] * p[0];
    for (int32_t j = 0; j < 3; j++) T[2 * j] = p[j], T[2 * j + 1] = q[j];
}

/* The system of Newton's step: T^T (u + J dx - a dd) = 0 with dx = -mu rho dd, dd = T y. */
typedef struct turning {
    int32_t count, size;         /* frictions, unknowns y */
    int32_t at[ZG_MOST_TURNING]; /* where the unknowns of each begin */
    double T[6 * ZG_MOST_TURNING];
    double *J, *K, *y; /* [9 count^2], [size*size], [size] */
} turning;

static void begin_turning(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                          int32_t count, turning *g)
{
    g->count = count;
    g->size = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t n = s->turning[i], w = c->friction[n].width;
        g->at[i] = g->size;
        g->size += w - 1;
        zg_across_direction(w, t->direction + 3 * n, g->T + 6 * i);
    }
    g->J = s->turn;
    g->K = g->J + 9 * count * count;
    g->y = g->K + 4 * count * count;
}

/* T_i^T J_ik T_k at (p, q). */
static double turned_response(const turning *g, int32_t i, int32_t p, int32_t w, int32_t k,
                              int32_t q, int32_t v)
{
    double sum = 0.0;
    for (int32_t j = 0; j < w; j++)
        for (int32_t m = 0; m < v; m++)
            sum += g->T[6 * i + j * (w - 1) + p] * g->J[(3 * i + j) * 3 * g->count + 3 * k + m] *
                   g->T[6 * k + m * (v - 1) + q];
    return sum;
}

/* K and the right side; the largest part of u across d. */
static double write_turning(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                            const turning *g)
{
    double worst = 0.0;
    for (int32_t i = 0; i < g->count; i++) {
        const island_friction *f = &c->friction[s->turning[i]];
        const double *u = t->u + f->first, *d = t->direction + 3 * s->turning[i];
        int32_t w = f->width;
        double a = 0.0;
        for (int32_t j = 0; j < w; j++) a += u[j] * d[j];
        for (int32_t p = 0; p < w - 1; p++) {
            double *row = g->K + (g->at[i] + p) * g->size, off = 0.0;
            for (int32_t j = 0; j < w; j++) off += g->T[6 * i + j * (w - 1) + p] * u[j];
            g->y[g->at[i] + p] = -off;
            worst = fmax(worst, fabs(off));
            for (int32_t k = 0; k < g->count; k++) {
                const island_friction *other = &c->friction[s->turning[k]];
                double limit = other->mu * fmax(t->rho[s->turning[k]], 0.0);
                for (int32_t q = 0; q < other->width - 1; q++)
                    row[g->at[k] + q] = -limit * turned_response(g, i, p, w, k, q, other->width) -
                                        (i == k && p == q ? a : 0.0);
            }
        }
    }
    return worst;
}

/* One step of Newton's method over all directions, at most half a radian. Returns the largest part of u across
 * d before it; how far it turned in *most. */
static double turn_all(const zg_island *c, const zg_mode_system *s, zg_trial *t, int32_t count,
                       double *most)
{
    turning g;
    begin_turning(c, s, t, count, &g);
    double worst = write_turning(c, s, t, &g);
    *most = 0.0;
    if (!zg_solve_square(g.size, g.K, g.y)) return worst;
    for (int32_t i = 0; i < count; i++) {
        int32_t w = c->friction[s->turning[i]].width;
        const double *y = g.y + g.at[i], *T = g.T + 6 * i;
        double *d = t->direction + 3 * s->turning[i], change = length_of(y, w - 1);
        double part = change > 0.5 ? 0.5 / change : 1.0;
        *most = fmax(*most, change);
        for (int32_t j = 0; j < w; j++)
            for (int32_t p = 0; p < w - 1; p++) d[j] += part * T[j * (w - 1) + p] * y[p];
        double length = length_of(d, w);
        for (int32_t j = 0; j < w; j++) d[j] /= length;
    }
    return worst;
}

/* Newton's method from the directions that t has; true where all fit. */
static bool settle(const zg_island *c, zg_mode_system *s, zg_trial *t, int32_t count)
{
    double turned = 1.0, off = HUGE_VAL;
    for (int32_t round = 0; t->solved && round < newton_rounds && turned > 1e-15; round++) {
        write_responses(c, s, t, count);
        off = turn_all(c, s, t, count, &turned);
        if (off <= 4.0 * zb_eps * c->A) break;
        zg_solve_trial(c, s, t);
    }
    if (!t->solved || !(off <= c->sign)) return false;
    for (int32_t i = 0; i < count; i++) {
        const island_friction *f = &c->friction[s->turning[i]];
        double forward = 0.0;
        for (int32_t j = 0; j < f->width; j++)
            forward += t->u[f->first + j] * t->direction[3 * s->turning[i] + j];
        if (forward < -c->sign || t->rho[s->turning[i]] < -c->sign) return false;
    }
    return true;
}

static void keep_directions(const zg_mode_system *s, const zg_trial *t, int32_t count, double *kept)
{
    for (int32_t i = 0; i < count; i++)
        memcpy(kept + 3 * i, t->direction + 3 * s->turning[i], 3 * sizeof *kept);
}

void zg_solve_mode(const zg_island *c, zg_mode_system *s, zg_trial *t)
{
    int32_t count = list_turning(c, s, t);
    double begun[3 * ZG_MOST_TURNING], turned = 1.0;
    if (count > 0 && count <= ZG_MOST_TURNING) {
        begin_directions(c, s, t, count);
        keep_directions(s, t, count, begun);
    }
    zg_solve_trial(c, s, t);
    if (count == 0 || count > ZG_MOST_TURNING || settle(c, s, t, count)) return;
    for (int32_t i = 0; i < count; i++)
        memcpy(t->direction + 3 * s->turning[i], begun + 3 * i, 3 * sizeof *begun);
    zg_solve_trial(c, s, t);
    for (int32_t round = 0; t->solved && round < fixed_rounds && turned > 1e-3; round++) {
        write_responses(c, s, t, count);
        turned = turn_each(c, s, t, count);
        zg_solve_trial(c, s, t);
    }
    settle(c, s, t, count);
}
