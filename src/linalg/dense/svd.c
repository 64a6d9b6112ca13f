/*
 * Singular values by one-sided Jacobi (Hestenes): rotate pairs of rows of a working copy until
 * all are orthogonal; their lengths are the singular values. Works on the thinner side, so
 * that there are k = min(m, n) rows to rotate:
 *
 *     J Y = diag(s) N,  Y = X or X^T [k x l],  J orthogonal [k x k], N with orthonormal rows
 *
 * Rows that have shrunk to rounding against the largest count as zero; their rows of N are
 * filled up by orthogonal vectors, so that the factors always have orthonormal columns.
 */
#include <math.h>
#include <string.h>

#include "linalg.h"

enum { most_sweeps = 60 };

size_t za_svd_work(int32_t m, int32_t n)
{
    size_t k = (size_t)(m < n ? m : n), l = (size_t)(m < n ? n : m);
    return k * l + k * k + l;
}

/* x . y of `count` entries. */
static double dot_rows(int32_t count, const double *x, const double *y)
{
    double s = 0.0;
    for (int32_t i = 0; i < count; i++) s += x[i] * y[i];
    return s;
}

/* [x; y] = [c -s; s c] [x; y], `count` entries each. */
static void rotate_rows(int32_t count, double c, double s, double *x, double *y)
{
    for (int32_t i = 0; i < count; i++) {
        double a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

/* Makes rows p and q of Y orthogonal; true when they were not. */
static bool orthogonalise_rows(int32_t k, int32_t l, int32_t p, int32_t q, double *Y, double *J)
{
    double *x = Y + (size_t)p * (size_t)l, *y = Y + (size_t)q * (size_t)l;
    double a = dot_rows(l, x, x), b = dot_rows(l, y, y), g = dot_rows(l, x, y);
    if (!(a > 1e-60 * b) || !(b > 1e-60 * a)) return false; /* one of them is nothing */
    /* the dot product itself is not known better */
    if (!(fabs(g) > (8.0 + l) * zb_eps * sqrt(a) * sqrt(b))) return false;
    double zeta = (b - a) / (2.0 * g);
    double t = copysign(1.0, zeta) / (fabs(zeta) + hypot(1.0, zeta));
    double c = 1.0 / hypot(1.0, t), s = c * t;
    rotate_rows(l, c, s, x, y);
    rotate_rows(k, c, s, J + (size_t)p * (size_t)k, J + (size_t)q * (size_t)k);
    return true;
}

/* All pairs again and again until none had to be rotated;
 * ZW_ERR_ACCURACY when that does not end. */
static zw_status sweep_rows(int32_t k, int32_t l, double *Y, double *J)
{
    for (int round = 0; round < most_sweeps; round++) {
        bool turned = false;
        for (int32_t p = 0; p < k; p++)
            for (int32_t q = p + 1; q < k; q++)
                if (orthogonalise_rows(k, l, p, q, Y, J)) turned = true;
        if (!turned) return ZW_OK;
    }
    return ZW_ERR_ACCURACY;
}

/* Exchanges x and y, `count` entries each. */
static void swap_vectors(int32_t count, double *x, double *y)
{
    for (int32_t i = 0; i < count; i++) {
        double t = x[i];
        x[i] = y[i];
        y[i] = t;
    }
}

/* s [k]: the lengths of the rows of Y, largest first; the rows of Y and J go with them. */
static void sort_singular_values(int32_t k, int32_t l, double *Y, double *J, double *s)
{
    for (int32_t p = 0; p < k; p++) {
        const double *row = Y + (size_t)p * (size_t)l;
        s[p] = sqrt(dot_rows(l, row, row));
    }
    for (int32_t p = 0; p < k; p++) {
        int32_t best = p;
        for (int32_t q = p + 1; q < k; q++)
            if (s[q] > s[best]) best = q;
        if (best == p) continue;
        swap_vectors(1, s + p, s + best);
        swap_vectors(l, Y + (size_t)p * (size_t)l, Y + (size_t)best * (size_t)l);
        swap_vectors(k, J + (size_t)p * (size_t)k, J + (size_t)best * (size_t)k);
    }
}

/* A unit vector orthogonal to rows 0..p-1 of Y, made from the unit vector that keeps most. */
static void fill_row(int32_t l, int32_t p, double *Y, double *trial)
{
    double *row = Y + (size_t)p * (size_t)l, best = -1.0;
    for (int32_t e = 0; e < l && best < 0.5; e++) {
        memset(trial, 0, sizeof(double) * (size_t)l);
        trial[e] = 1.0;
        for (int twice = 0; twice < 2; twice++) {
            for (int32_t q = 0; q < p; q++) {
                const double *other = Y + (size_t)q * (size_t)l;
                double g = dot_rows(l, other, trial);
                for (int32_t i = 0; i < l; i++) trial[i] -= g * other[i];
            }
        }
        double length = sqrt(dot_rows(l, trial, trial));
        if (length <= best) continue;
        best = length;
        for (int32_t i = 0; i < l; i++) row[i] = trial[i] / length;
    }
}

/* The rows of Y become N: divided by s, or made anew where s is rounding and becomes 0. */
static void normalise_rows(int32_t k, int32_t l, double *Y, double *s, double *trial)
{
    double zero = k > 0 ? s[0] * zb_eps * 1e-3 : 0.0;
    for (int32_t p = 0; p < k; p++) {
        double *row = Y + (size_t)p * (size_t)l;
        if (s[p] > zero) {
            for (int32_t i = 0; i < l; i++) row[i] /= s[p];
        } else {
            s[p] = 0.0;
            fill_row(l, p, Y, trial);
        }
    }
}

/* Y and J in the caller's workspace; at the end J is the factor on the
 * short side, N that on the long one. */
zw_status za_svd(int32_t m, int32_t n, const double *X, double *U, double *s, double *V,
                 double *work)
{
    bool wide = m <= n;
    int32_t k = wide ? m : n, l = wide ? n : m;
    double *Y = work, *J = Y + (size_t)k * (size_t)l, *trial = J + (size_t)k * (size_t)k;
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < n; j++)
            Y[wide ? (size_t)i * (size_t)l + (size_t)j : (size_t)j * (size_t)l + (size_t)i] =
                X[(size_t)i * (size_t)n + (size_t)j];
    memset(J, 0, sizeof(double) * (size_t)k * (size_t)k);
    for (int32_t i = 0; i < k; i++) J[(size_t)i * (size_t)k + (size_t)i] = 1.0;
    ZB_TRY(sweep_rows(k, l, Y, J));
    sort_singular_values(k, l, Y, J, s);
    normalise_rows(k, l, Y, s, trial);
    /* Y = J^T diag(s) N: the side of J is U for a wide matrix, V for a tall one */
    double *near = wide ? U : V, *far = wide ? V : U;
    for (int32_t p = 0; p < k; p++) {
        for (int32_t i = 0; i < k; i++)
            near[(size_t)i * (size_t)k + (size_t)p] = J[(size_t)p * (size_t)k + (size_t)i];
        for (int32_t i = 0; i < l; i++)
            far[(size_t)i * (size_t)k + (size_t)p] = Y[(size_t)p * (size_t)l + (size_t)i];
    }
    return ZW_OK;
}
