/*
 * Data as a function of one number (expr.h): pieces between knots, by values that hold, by chords,
 * or by the cubic spline whose second derivatives M solve
 *
 *     h[i-1] M[i-1] + 2 (h[i-1] + h[i]) M[i] + h[i] M[i+1] = 6 (d[i] - d[i-1]),   d slopes of chords
 *
 * with M = 0 at both ends, or, of a periodic one, all around (a rank one change of a tridiagonal
 * matrix: Sherman and Morrison). C. de Boor, A Practical Guide to Splines, 1978, chapter IV.
 */
#include <math.h>

#include "expr.h"

/* ---------------------------------------------------------------------- pieces */

static double *numbers_of(const zx_table *t, int32_t piece)
{
    return t->c + 4 * ((size_t)piece + 1);
}

/* A diagonally dominant tridiagonal system, sub- and superdiagonal `beside` [n - 1]; diagonal and
 * right side x [n] are used up. */
static void solve_tridiagonal(const double *beside, double *diagonal, double *x, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        double w = beside[i - 1] / diagonal[i - 1];
        diagonal[i] -= w * beside[i - 1];
        x[i] -= w * x[i - 1];
    }
    for (int32_t i = n - 1; i >= 0; i--)
        x[i] = (x[i] - (i + 1 < n ? beside[i] * x[i + 1] : 0.0)) / diagonal[i];
}

/* The system above, for knots first .. first + n - 1 of n + 1 or, all around, n pieces. */
typedef struct spline {
    double *h, *d;        /* [pieces] */
    double *M;            /* [pieces + 1] */
    double *diagonal, *z; /* [pieces + 1] scratch */
} spline;

static void solve_natural(const spline *s, int32_t pieces)
{
    for (int32_t i = 1; i < pieces; i++) {
        s->diagonal[i] = 2.0 * (s->h[i - 1] + s->h[i]);
        s->M[i] = 6.0 * (s->d[i] - s->d[i - 1]);
    }
    s->M[0] = s->M[pieces] = 0.0;
    solve_tridiagonal(s->h + 1, s->diagonal + 1, s->M + 1, pieces - 1);
}

/* With u = (-a, 0, ..., 0, b) and v = (1, 0, ..., 0, -b/a), b the entry in the corners and a the
 * first of the diagonal, the matrix is a tridiagonal one + u v^T. */
static void solve_periodic(const spline *s, int32_t n)
{
    double corner = s->h[n - 1], a = 2.0 * (s->h[n - 1] + s->h[0]);
    for (int turn = 0; turn < 2; turn++) {
        for (int32_t i = 0; i < n; i++) {
            int32_t before = i > 0 ? i - 1 : n - 1;
            s->diagonal[i] = 2.0 * (s->h[before] + s->h[i]);
            if (turn == 0)
                s->M[i] = 6.0 * (s->d[i] - s->d[before]);
            else
                s->z[i] = i == 0 ? -a : i == n - 1 ? corner : 0.0;
        }
        s->diagonal[0] += a;
        s->diagonal[n - 1] += corner * corner / a;
        solve_tridiagonal(s->h, s->diagonal, turn == 0 ? s->M : s->z, n);
    }
    double ratio = -corner / a;
    double by = (s->M[0] + ratio * s->M[n - 1]) / (1.0 + s->z[0] + ratio * s->z[n - 1]);
    for (int32_t i = 0; i < n; i++) s->M[i] -= by * s->z[i];
    s->M[n] = s->M[0];
}

static void make_cubic_pieces(zx_table *t, const double *y, const spline *s)
{
    for (int32_t i = 0; i < t->pieces; i++) {
        double *c = numbers_of(t, i), h = s->h[i];
        c[0] = y[i];
        c[1] = s->d[i] - h * (2.0 * s->M[i] + s->M[i + 1]) / 6.0;
        c[2] = 0.5 * s->M[i];
        c[3] = (s->M[i + 1] - s->M[i]) / (6.0 * h);
    }
}

/* Value and slope at s of a piece. */
static double value_of_piece(const double *c, double s)
{
    return c[0] + s * (c[1] + s * (c[2] + s * c[3]));
}

static double slope_of_piece(const double *c, double s)
{
    return c[1] + s * (2.0 * c[2] + s * (3.0 * c[3]));
}

/* Pieces -1 and `pieces`: along the tangents, from the first and the last knot. */
static void make_outer_pieces(zx_table *t, const double *y)
{
    int32_t last = t->pieces;
    double *before = numbers_of(t, -1), *after = numbers_of(t, last);
    before[0] = y[0];
    after[0] = y[last];
    if (t->degree == 0) return;
    before[1] = numbers_of(t, 0)[1];
    after[1] = slope_of_piece(numbers_of(t, last - 1), t->x[last] - t->x[last - 1]);
}

bool zx_table_make(zb_arena *arena, zx_table *t, const double *x, const double *y, int32_t rows)
{
    size_t count = (size_t)rows;
    spline s = {0};
    double **arrays[] = {&t->x, &s.h, &s.d, &s.M, &s.diagonal, &s.z};
    t->pieces = rows - 1;
    t->c = ZB_NEW_ARRAY(arena, double, 4 * (count + 1));
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ZB_NEW_ARRAY(arena, double, count);
    if (arena->failure != ZW_OK) return false;
    for (int32_t i = 0; i < rows; i++) t->x[i] = x[i];
    for (int32_t i = 0; i + 1 < rows; i++) {
        s.h[i] = x[i + 1] - x[i];
        s.d[i] = t->degree > 0 ? (y[i + 1] - y[i]) / s.h[i] : 0.0;
        s.M[i] = s.M[i + 1] = 0.0;
        for (int k = 0; k < 4; k++) numbers_of(t, i)[k] = k == 0 ? y[i] : k == 1 ? s.d[i] : 0.0;
    }
    if (t->degree == 3) {
        (t->periodic ? solve_periodic : solve_natural)(&s, t->pieces);
        make_cubic_pieces(t, y, &s);
    }
    make_outer_pieces(t, y);
    return true;
}

/* ---------------------------------------------------------------------- values */

static double period_of(const zx_table *t)
{
    return t->x[t->pieces] - t->x[0];
}

/* x[k] <= x < x[k + 1], by bisection; beyond the ends the first and the last. */
static int32_t find_between(const zx_table *t, double x)
{
    int32_t low = 0, high = t->pieces;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (x >= t->x[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* At the last knot itself it is the piece before it, but of values that hold. */
double zx_table_piece(const zx_table *t, double x)
{
    if (!(fabs(x) < 1e300)) return (double)NAN;
    if (t->periodic) {
        double turn = floor((x - t->x[0]) / period_of(t));
        return turn * t->pieces + find_between(t, x - turn * period_of(t));
    }
    if (x < t->x[0]) return -1.0;
    bool after = t->degree > 0 ? x > t->x[t->pieces] : x >= t->x[t->pieces];
    return after ? t->pieces : find_between(t, x);
}

bool zx_table_has(const zx_table *t, double x)
{
    return t->periodic || t->extends || (x >= t->x[0] && x <= t->x[t->pieces]);
}

/* One with a whole number; what there is none of is as the nearest. Beyond the ends knots are counted
 * as long as the outermost pieces are. */
static zx_piece read_piece(const zx_table *t, double number)
{
    double turn = t->periodic ? floor(number / t->pieces) : 0.0, k = number - turn * t->pieces;
    int32_t last = t->pieces;
    k = k < -1.0 ? -1.0 : k > last ? last : k;
    int32_t piece = (int32_t)k, knot = piece < 0 ? 0 : piece;
    int32_t like = knot < last ? knot : last - 1;
    double shift = turn != 0.0 ? turn * period_of(t) : 0.0;
    zx_piece out = {.from = t->x[knot] + shift, .number = knot + turn * last};
    out.per_length = 1.0 / (t->x[like + 1] - t->x[like]);
    if (!t->extends && t->degree > 0) piece = like;
    out.x = t->x[piece < 0 ? 0 : piece] + shift;
    for (int i = 0; i < 4; i++) out.c[i] = numbers_of(t, piece)[i];
    return out;
}

/* About another place. */
static void move_piece(zx_piece *p, double x)
{
    double s = x - p->x, *c = p->c;
    double c0 = value_of_piece(c, s), c1 = slope_of_piece(c, s), c2 = c[2] + 3.0 * s * c[3];
    p->x = x;
    c[0] = c0;
    c[1] = c1;
    c[2] = c2;
}

zx_piece zx_table_numbers(const zx_table *t, double number)
{
    double whole = floor(number), part = number - whole;
    zx_piece p = read_piece(t, whole);
    if (!(part > 0.0)) return p;
    zx_piece next = read_piece(t, whole + 1.0);
    move_piece(&p, next.from);
    move_piece(&next, next.from);
    for (int i = 0; i < 4; i++) p.c[i] += part * (next.c[i] - p.c[i]);
    return p;
}

double zx_table_value(const zx_table *t, int32_t order, double x)
{
    double number = zx_table_piece(t, x);
    if (isnan(number) || !zx_table_has(t, x)) return (double)NAN;
    zx_piece p = read_piece(t, number);
    double s = x - p.x;
    switch (order) {
    case 0:
        return t->degree == 0   ? p.c[0]
               : t->degree == 1 ? p.c[0] + s * p.c[1]
                                : value_of_piece(p.c, s);
    case 1:
        return t->degree == 1 ? p.c[1] : slope_of_piece(p.c, s);
    case 2:
        return 2.0 * p.c[2] + s * (6.0 * p.c[3]);
    default:
        return 6.0 * p.c[3];
    }
}

/* ----------------------------------------------------------------------- codes */

zx_tabulated zx_tabulated_by(double code)
{
    int32_t number = (int32_t)code;
    return (zx_tabulated){.table = number / 16, .degree = number / 4 % 4, .order = number % 4};
}

double zx_look_up(const zx_tables *tables, double a, double code)
{
    zx_tabulated is = zx_tabulated_by(code);
    if (!tables || is.table >= tables->count) return (double)NAN;
    return zx_table_value(tables->list[is.table], is.order, a);
}
