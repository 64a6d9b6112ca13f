/*
 * Tangential restitution by Poisson's law: of the impulse C_t that a tangent got in compression, b = e_t C_t
 * (no longer than mu e C_n, so that it always is inside the cone) is given back at least. In the plane
 * the impulse of the expansion is between b and the edge of the cone on that side,
 *
 *     slips to the other side: the edge;  at rest: between;  slips to the side of b: b
 *
 * In space it is in that part of the cone's disc which lies beyond the chord through b; the modes
 * are those of Coulomb inside it, and on the chord, where the tangents across b stick. So that these are rows, the tangents
 * are turned until the first points along C_t.
 */
#include "impact_back.h"

#include <math.h>
#include <string.h>

static double length_of(const double *x, int32_t width)
{
    double sum = 0.0;
    for (int32_t j = 0; j < width; j++) sum = hypot(sum, x[j]);
    return sum;
}

void zg_keep_back(zg_island *c, int32_t friction, double part, const double *C)
{
    island_friction *f = &c->friction[friction];
    f->gives_back = false;
    if (f->contact < 0 || !(part > 0.0)) return;
    double length = length_of(C + f->first, f->width);
    double most = f->mu * c->contact[f->contact].offset;
    if (part * length > most) part = most / length;
    f->gives_back = part * length > 0.0;
    for (int32_t j = 0; j < f->width; j++) f->back[j] = part * C[f->first + j];
}

/* Q [w*w] by rows, orthogonal, the first row C / |C|: a reflection. */
static void write_frame(int32_t w, const double *C, double *Q)
{
    double v[ZG_MOST_WIDTH] = {0.0}, length = length_of(C, w), sign = C[0] < 0.0 ? -1.0 : 1.0,
           size = 0.0;
    for (int32_t j = 0; j < w; j++) v[j] = C[j] / length;
    v[0] += sign;
    for (int32_t j = 0; j < w; j++) size += v[j] * v[j];
    for (int32_t i = 0; i < w; i++)
        for (int32_t j = 0; j < w; j++) {
            Q[i * w + j] = (i == j ? 1.0 : 0.0) - 2.0 * v[i] * v[j] / size;
            if (i == 0) Q[j] = -sign * Q[j];
        }
}

/* x = Q x, or Q^T x, at places x[0], x[step], ... */
static void turn(int32_t w, const double *Q, bool back, double *x, size_t step)
{
    double y[ZG_MOST_WIDTH] = {0.0};
    for (int32_t i = 0; i < w; i++)
        for (int32_t j = 0; j < w; j++)
            y[i] += (back ? Q[j * w + i] : Q[i * w + j]) * x[(size_t)j * step];
    for (int32_t i = 0; i < w; i++) x[(size_t)i * step] = y[i];
}

/* Rows that cannot move are 0; of turned ones it has to be seen anew. */
static void judge_rows(zg_island *c, const island_friction *f)
{
    double own = 0.0;
    size_t r = (size_t)c->r;
    for (int32_t j = 0; j < f->width; j++) own = fmax(own, c->own[f->first + j]);
    for (int32_t j = 0; j < f->width; j++) {
        size_t row = (size_t)f->first + (size_t)j;
        bool moves = c->G[row * r + row] > c->rank * own;
        c->own[row] = moves ? own : 0.0;
        for (size_t i = 0; !moves && i < r; i++) c->G[row * r + i] = c->G[i * r + row] = 0.0;
    }
}

void zg_turn_tangents(zg_island *c, const bool *wants, const double *C, double *frame,
                      double *const *x, int32_t count)
{
    size_t r = (size_t)c->r;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        double *Q = frame + 9 * n;
        memset(Q, 0, 9 * sizeof *Q);
        if (!wants[n] || f->width == 1 || !(length_of(C + f->first, f->width) > 0.0)) continue;
        write_frame(f->width, C + f->first, Q);
        for (size_t i = 0; i < r; i++) turn(f->width, Q, false, c->G + (size_t)f->first * r + i, r);
        for (size_t i = 0; i < r; i++) turn(f->width, Q, false, c->G + i * r + (size_t)f->first, 1);
        for (int32_t i = 0; i < c->joints; i++)
            turn(f->width, Q, false, c->L + (size_t)i * r + (size_t)f->first, 1);
        for (int32_t i = 0; i < count; i++) turn(f->width, Q, false, x[i] + f->first, 1);
        judge_rows(c, f);
    }
}

void zg_turn_vector_back(const zg_island *c, const double *frame, double *x)
{
    for (int32_t n = 0; n < c->frictions; n++) {
        const double *Q = frame + 9 * n;
        if (length_of(Q, 3) > 0.0) turn(c->friction[n].width, Q, true, x + c->friction[n].first, 1);
    }
}
