/*
 * Gram-Schmidt, each row twice, for rows that join; plane rotations for one that leaves: without
 * its column R has entries below the diagonal, which rotations of neighbouring q remove.
 */
#include "thin_factor.h"

#include <math.h>
#include <string.h>

bool zg_thin_take(zg_thin *f, zb_arena *arena, int32_t n, int32_t rows)
{
    size_t most = (size_t)(n < rows ? n : rows), columns = (size_t)n;
    *f = (zg_thin){0};
    f->Q = ZB_NEW_ARRAY(arena, double, zb_product(most, columns));
    f->R = ZB_NEW_ARRAY(arena, double, zb_product(most, most));
    f->h = ZB_NEW_ARRAY(arena, double, most);
    f->d = ZB_NEW_ARRAY(arena, double, columns);
    return f->Q && f->R && f->h && f->d;
}

void zg_thin_begin(zg_thin *f, int32_t n, int32_t rows)
{
    f->n = n;
    f->most = n < rows ? n : rows;
    f->count = 0;
}

static double dot_rows(int32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) sum += x[j] * y[j];
    return sum;
}

void zg_thin_look(zg_thin *f, const double *row)
{
    memcpy(f->d, row, sizeof *row * (size_t)f->n);
    if (f->most > 0) memset(f->h, 0, sizeof *f->h * (size_t)f->most);
    for (int twice = 0; twice < 2; twice++) {
        for (int32_t i = 0; i < f->count; i++) {
            const double *q = f->Q + (size_t)i * (size_t)f->n;
            double c = dot_rows(f->n, q, f->d);
            f->h[i] += c;
            for (int32_t j = 0; j < f->n; j++) f->d[j] -= c * q[j];
        }
    }
    f->left = sqrt(dot_rows(f->n, f->d, f->d));
}

void zg_thin_coefficients(const zg_thin *f, double *r)
{
    size_t most = (size_t)f->most;
    memcpy(r, f->h, sizeof *r * (size_t)f->count);
    for (int32_t k = f->count; k-- > 0;) {
        const double *column = f->R + (size_t)k * most;
        r[k] /= column[k];
        for (int32_t i = 0; i < k; i++) r[i] -= column[i] * r[k];
    }
}

void zg_thin_join(zg_thin *f)
{
    double *q = f->Q + (size_t)f->count * (size_t)f->n;
    double *column = f->R + (size_t)f->count * (size_t)f->most;
    for (int32_t j = 0; j < f->n; j++) q[j] = f->d[j] / f->left;
    memcpy(column, f->h, sizeof *column * (size_t)f->count);
    column[f->count++] = f->left;
}

/* q_i, q_i+1 turn so that entry i + 1 of column i becomes 0; columns from i on turn with them. */
static void rotate_rows(zg_thin *f, int32_t i)
{
    size_t most = (size_t)f->most, n = (size_t)f->n;
    const double *first = f->R + (size_t)i * most;
    double length = hypot(first[i], first[i + 1]);
    double c = length > 0.0 ? first[i] / length : 1.0,
           s = length > 0.0 ? first[i + 1] / length : 0.0;
    for (int32_t k = i; k < f->count; k++) {
        double *column = f->R + (size_t)k * most;
        double a = column[i], b = column[i + 1];
        column[i] = c * a + s * b;
        column[i + 1] = c * b - s * a;
    }
    double *q = f->Q + (size_t)i * n;
    for (size_t j = 0; j < n; j++) {
        double a = q[j], b = q[n + j];
        q[j] = c * a + s * b;
        q[n + j] = c * b - s * a;
    }
}

void zg_thin_leave(zg_thin *f, int32_t k)
{
    size_t most = (size_t)f->most;
    f->count--;
    memmove(f->R + (size_t)k * most, f->R + (size_t)(k + 1) * most,
            sizeof *f->R * most * (size_t)(f->count - k));
    for (int32_t i = k; i < f->count; i++) rotate_rows(f, i);
}
