/*
 * Eigenvalues of a real matrix, without and with symmetry.
 *
 *     any         balanced, brought to Hessenberg form by reflections, then QR steps with a double shift
 *                 (Francis), deflating where a subdiagonal entry is rounding beside its neighbours
 *     symmetric   Jacobi's rotations, sweep by sweep, with eigenvectors: small eigenvalues of a matrix
 *                 that is scaled well come out to all their digits
 *
 * In place, with memory of the caller.
 */
#include <float.h>
#include <math.h>

#include "linalg.h"

enum { most_sweeps = 60, most_steps = 60 };

/* ----------------------------------------------------------------------- balancing */

static double sum_magnitudes(int32_t n, const double *x, int32_t step, int32_t but)
{
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++)
        if (j != but) sum += fabs(x[(size_t)j * (size_t)step]);
    return sum;
}

/* Scales row and column i by a power of two, so that they are about alike; whether it had to. */
static bool balance_one(int32_t n, double *A, int32_t i)
{
    double *row = A + (size_t)i * (size_t)n, *column = A + i;
    double r = sum_magnitudes(n, row, 1, i), c = sum_magnitudes(n, column, n, i);
    if (!(r > 0.0 && c > 0.0)) return false;
    int exponent = (int)floor(0.5 * log2(r / c) + 0.5);
    double f = ldexp(1.0, exponent);
    if (!(c * f + r / f < 0.95 * (c + r))) return false;
    for (int32_t j = 0; j < n; j++) row[j] /= f;
    for (int32_t j = 0; j < n; j++) column[(size_t)j * (size_t)n] *= f;
    return true;
}

static void balance_matrix(int32_t n, double *A)
{
    bool again = true;
    for (int32_t sweep = 0; again && sweep < most_sweeps; sweep++) {
        again = false;
        for (int32_t i = 0; i < n; i++)
            if (balance_one(n, A, i)) again = true;
    }
}

/* ---------------------------------------------------------------------- reflections */

/* v [count] becomes the vector of a reflection I - beta v v^T that takes it to a multiple of the
 * first unit vector; returns beta, 0: nothing is to be done. *first: the multiple. */
static double make_reflection(int32_t count, double *v, double *first)
{
    double size = 0.0, square = 0.0;
    for (int32_t k = 1; k < count; k++) size = fmax(size, fabs(v[k]));
    *first = v[0];
    if (!(size > 0.0)) return 0.0;
    size = fmax(size, fabs(v[0]));
    for (int32_t k = 0; k < count; k++) square += v[k] / size * (v[k] / size);
    double norm = size * sqrt(square);
    *first = v[0] > 0.0 ? -norm : norm;
    double lead = v[0] - *first;
    for (int32_t k = 1; k < count; k++) v[k] /= lead;
    v[0] = 1.0;
    return -lead / *first;
}

/* Rows top .. top + count - 1 of columns from .. to - 1: (I - beta v v^T) A. */
static void reflect_rows(int32_t n, double *A, int32_t top, int32_t count, const double *v,
                         double beta, int32_t from, int32_t to)
{
    for (int32_t j = from; j < to; j++) {
        double sum = 0.0, *a = A + (size_t)top * (size_t)n + j;
        for (int32_t k = 0; k < count; k++) sum += v[k] * a[(size_t)k * (size_t)n];
        for (int32_t k = 0; k < count; k++) a[(size_t)k * (size_t)n] -= beta * sum * v[k];
    }
}

/* Columns left .. left + count - 1 of rows 0 .. to - 1: A (I - beta v v^T). */
static void reflect_columns(int32_t n, double *A, int32_t left, int32_t count, const double *v,
                            double beta, int32_t to)
{
    for (int32_t i = 0; i < to; i++) {
        double sum = 0.0, *a = A + (size_t)i * (size_t)n + left;
        for (int32_t k = 0; k < count; k++) sum += v[k] * a[k];
        for (int32_t k = 0; k < count; k++) a[k] -= beta * sum * v[k];
    }
}

static void make_hessenberg(int32_t n, double *A, double *v)
{
    for (int32_t k = 0; k + 2 < n; k++) {
        int32_t count = n - k - 1;
        double first;
        for (int32_t i = 0; i < count; i++) v[i] = A[(size_t)(k + 1 + i) * (size_t)n + (size_t)k];
        double beta = make_reflection(count, v, &first);
        if (beta == 0.0) continue;
        reflect_rows(n, A, k + 1, count, v, beta, k, n);
        reflect_columns(n, A, k + 1, count, v, beta, n);
        for (int32_t i = 1; i < count; i++) A[(size_t)(k + 1 + i) * (size_t)n + (size_t)k] = 0.0;
    }
}

/* ------------------------------------------------------------------------ QR steps */

/* The two eigenvalues of [a b; c d]. */
static void solve_two(double a, double b, double c, double d, double *re, double *im)
{
    double p = 0.5 * (a - d), q = p * p + b * c;
    if (q < 0.0) {
        re[0] = re[1] = d + p;
        im[0] = sqrt(-q);
        im[1] = -im[0];
        return;
    }
    double z = p + copysign(sqrt(q), p);
    re[0] = d + z;
    re[1] = z != 0.0 ? d - b * c / z : re[0];
    im[0] = im[1] = 0.0;
}

/* Entry of a matrix by rows. */
static double *entry(int32_t n, double *A, int32_t i, int32_t j)
{
    return A + (size_t)i * (size_t)n + (size_t)j;
}

/* The first column of (A - x)(A - y) of rows and columns low .. high, for the shifts x and y that are
 * the eigenvalues of the last two rows, or others where these do not lead on. */
static void shift_column(int32_t n, double *A, int32_t low, int32_t high, bool odd, double v[3])
{
    double x = *entry(n, A, high, high), below = *entry(n, A, high, high - 1);
    double s = x + *entry(n, A, high - 1, high - 1);
    double t = x * *entry(n, A, high - 1, high - 1) - below * *entry(n, A, high - 1, high);
    if (odd) {
        double e = fabs(below) + (high - 2 >= low ? fabs(*entry(n, A, high - 1, high - 2)) : 0.0);
        s = 2.0 * x + 1.5 * e;
        t = (x + 0.75 * e) * (x + 0.75 * e) + 0.4375 * e * e;
    }
    double a = *entry(n, A, low, low), c = *entry(n, A, low + 1, low);
    v[0] = a * a + *entry(n, A, low, low + 1) * c - s * a + t;
    v[1] = c * (a + *entry(n, A, low + 1, low + 1) - s);
    v[2] = low + 2 <= high ? c * *entry(n, A, low + 2, low + 1) : 0.0;
}

/* One double step on rows and columns low .. high: a bulge is made at the top and chased down. */
static void francis_step(int32_t n, double *A, int32_t low, int32_t high, bool odd)
{
    double v[3];
    shift_column(n, A, low, high, odd, v);
    for (int32_t k = low; k < high; k++) {
        int32_t count = high - k + 1 < 3 ? high - k + 1 : 3;
        int32_t rows = k + 4 < high + 1 ? k + 4 : high + 1;
        double first, beta = make_reflection(count, v, &first);
        if (k > low) {
            *entry(n, A, k, k - 1) = first;
            for (int32_t i = 1; i < count; i++) *entry(n, A, k + i, k - 1) = 0.0;
        }
        if (beta != 0.0) {
            reflect_rows(n, A, k, count, v, beta, k, high + 1);
            reflect_columns(n, A, k, count, v, beta, rows);
        }
        for (int32_t i = 0; i < 3; i++) v[i] = k + 1 + i <= high ? *entry(n, A, k + 1 + i, k) : 0.0;
    }
}

/* The first row of the block that ends with `high`: above it a subdiagonal entry is rounding. */
static int32_t find_block(int32_t n, double *A, int32_t high, double size)
{
    int32_t low = high;
    for (; low > 0; low--) {
        double beside = fabs(*entry(n, A, low, low)) + fabs(*entry(n, A, low - 1, low - 1));
        if (beside == 0.0) beside = size;
        if (!(fabs(*entry(n, A, low, low - 1)) > DBL_EPSILON * beside)) break;
    }
    return low;
}

/* Smaller real parts first, then smaller imaginary ones without their sign, + before -. */
static bool comes_before(const double *re, const double *im, int32_t i, int32_t j)
{
    if (re[i] != re[j]) return re[i] < re[j];
    if (fabs(im[i]) != fabs(im[j])) return fabs(im[i]) < fabs(im[j]);
    return im[i] > im[j];
}

static void sort_eigenvalues(int32_t n, double *re, double *im)
{
    for (int32_t i = 1; i < n; i++)
        for (int32_t j = i; j > 0 && comes_before(re, im, j, j - 1); j--) {
            double r = re[j], m = im[j];
            re[j] = re[j - 1], im[j] = im[j - 1];
            re[j - 1] = r, im[j - 1] = m;
        }
}

zw_status za_eigenvalues(int32_t n, double *A, double *re, double *im, double *work)
{
    balance_matrix(n, A);
    make_hessenberg(n, A, work);
    double size = sum_magnitudes(n * n, A, 1, -1);
    if (!isfinite(size)) return ZW_ERR_NOT_FINITE;
    int32_t steps = 0;
    for (int32_t high = n - 1; high >= 0;) {
        int32_t low = find_block(n, A, high, size);
        if (low >= high - 1) {
            if (low == high)
                re[high] = *entry(n, A, high, high), im[high] = 0.0;
            else
                solve_two(*entry(n, A, low, low), *entry(n, A, low, high), *entry(n, A, high, low),
                          *entry(n, A, high, high), re + low, im + low);
            high = low - 1;
            steps = 0;
        } else if (steps++ < most_steps) {
            francis_step(n, A, low, high, steps % 10 == 0);
        } else {
            return ZW_ERR_ACCURACY;
        }
    }
    sort_eigenvalues(n, re, im);
    return ZW_OK;
}

/* ----------------------------------------------------------------------- symmetric */

/* Rows and columns i and j of S, and rows i and j of V, turned so that S_ij becomes 0. */
static void rotate_pair(int32_t n, double *S, double *V, int32_t i, int32_t j)
{
    double a = *entry(n, S, i, i), b = *entry(n, S, j, j), c = *entry(n, S, i, j);
    double theta = 0.5 * (b - a) / c;
    double t = copysign(1.0, theta) / (fabs(theta) + hypot(1.0, theta));
    double cosine = 1.0 / hypot(1.0, t), sine = t * cosine;
    for (int32_t k = 0; k < n; k++) {
        double x = *entry(n, S, k, i), y = *entry(n, S, k, j);
        *entry(n, S, k, i) = cosine * x - sine * y;
        *entry(n, S, k, j) = sine * x + cosine * y;
    }
    for (int32_t k = 0; k < n; k++) {
        double x = *entry(n, S, i, k), y = *entry(n, S, j, k);
        *entry(n, S, i, k) = cosine * x - sine * y;
        *entry(n, S, j, k) = sine * x + cosine * y;
        x = *entry(n, V, i, k), y = *entry(n, V, j, k);
        *entry(n, V, i, k) = cosine * x - sine * y;
        *entry(n, V, j, k) = sine * x + cosine * y;
    }
    *entry(n, S, i, j) = *entry(n, S, j, i) = 0.0;
}

/* Ascending, with their vectors. */
static void sort_vectors(int32_t n, double *s, double *V)
{
    for (int32_t i = 1; i < n; i++) {
        for (int32_t j = i; j > 0 && s[j] < s[j - 1]; j--) {
            double x = s[j];
            s[j] = s[j - 1], s[j - 1] = x;
            for (int32_t k = 0; k < n; k++) {
                x = *entry(n, V, j, k);
                *entry(n, V, j, k) = *entry(n, V, j - 1, k);
                *entry(n, V, j - 1, k) = x;
            }
        }
    }
}

/* Entries that are rounding beside both of their diagonal entries, or beside the whole, are 0. */
static bool is_rounding(int32_t n, double *S, int32_t i, int32_t j, double size)
{
    double c = fabs(*entry(n, S, i, j));
    double beside = sqrt(fabs(*entry(n, S, i, i) * *entry(n, S, j, j)));
    return !(c > DBL_EPSILON * beside && c > 1e-3 * DBL_EPSILON * size);
}

zw_status za_symmetric_eigen(int32_t n, double *S, double *s, double *V)
{
    double size = 0.0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            size = fmax(size, fabs(*entry(n, S, i, j)));
            *entry(n, V, i, j) = i == j ? 1.0 : 0.0;
        }
    if (!isfinite(sum_magnitudes(n * n, S, 1, -1))) return ZW_ERR_NOT_FINITE;
    bool turned = true;
    for (int32_t sweep = 0; turned; sweep++) {
        if (sweep == most_sweeps) return ZW_ERR_ACCURACY;
        turned = false;
        for (int32_t i = 0; i < n; i++)
            for (int32_t j = i + 1; j < n; j++) {
                if (is_rounding(n, S, i, j, size)) continue;
                rotate_pair(n, S, V, i, j);
                turned = true;
            }
    }
    for (int32_t i = 0; i < n; i++) s[i] = *entry(n, S, i, i);
    sort_vectors(n, s, V);
    return ZW_OK;
}
