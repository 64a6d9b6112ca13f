/*
 * Which rows depend on the ones before them.
 *
 * The rows, scaled to norm 1, are orthogonalised in declared order, each twice (Gram-Schmidt).
 * A row that leaves nothing is a combination of the ones kept before it: with R the triangular
 * factor and h its coefficients, x = R^-1 h gives
 *
 *     s = e_k - sum x_i e_i   (back in the scale of the rows),   sum_i s_i A_i = 0
 *
 * whose support is a minimal dependent set. All memory is the arena's of the caller.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "dependent.h"

static const double naming_tolerance = 1e-9;  /* closer than this is worth telling */
static const double support_tolerance = 1e-7; /* smaller coefficients are rounding */

/* Four sums side by side, the same on every machine. */
static double dot_in_four_sums(int32_t n, const double *x, const double *y)
{
    double s[4] = {0.0};
    int32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int32_t k = 0; k < 4; k++) s[k] += x[i + k] * y[i + k];
    for (; i < n; i++) s[0] += x[i] * y[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

static int32_t get_most_kept(const zg_search *q)
{
    return q->n < q->m ? q->n : q->m;
}

/* Everything in one arena, which gives zeros. */
bool zg_search_take(zg_search *q, zb_arena *arena)
{
    size_t n = (size_t)q->n, m = (size_t)q->m, most = (size_t)get_most_kept(q);
    q->rows = ZB_NEW_ARRAY(arena, double, zb_product(m, n));
    q->basis = ZB_NEW_ARRAY(arena, double, zb_product(most, n));
    q->R = ZB_NEW_ARRAY(arena, double, zb_product(most, most));
    q->length = ZB_NEW_ARRAY(arena, double, m);
    q->h = ZB_NEW_ARRAY(arena, double, m);
    q->x = ZB_NEW_ARRAY(arena, double, m);
    q->s = ZB_NEW_ARRAY(arena, double, m);
    q->index = ZB_NEW_ARRAY(arena, int32_t, m);
    return q->rows && q->basis && q->R && q->length && q->h && q->x && q->s && q->index;
}

/* Rows are scaled to norm 1. A row is dependent when no more is left of it than 100 times the rank
 * tolerance, or than that itself where it is coarser than what is worth naming. */
void zg_search_begin(zg_search *q, double rank_tolerance)
{
    double tolerance = rank_tolerance;
    if (!(tolerance > 0.0))
        tolerance = 64.0 * DBL_EPSILON * sqrt((double)(q->n > q->m ? q->n : q->m));
    q->dependent = 100.0 * tolerance < naming_tolerance ? 100.0 * tolerance : tolerance;
    q->kept = 0;
    for (int32_t j = 0; j < q->m; j++) {
        double *row = q->rows + (size_t)j * (size_t)q->n;
        q->length[j] = sqrt(dot_in_four_sums(q->n, row, row));
        for (int32_t i = 0; i < q->n; i++)
            row[i] = q->length[j] > 0.0 ? row[i] / q->length[j] : 0.0;
    }
}

/* Takes the kept vectors out of row k, twice; h gets the coefficients. Returns what is left. */
static double orthogonalise_row(zg_search *q, int32_t k)
{
    double *v = q->rows + (size_t)k * (size_t)q->n;
    memset(q->h, 0, sizeof(double) * (size_t)q->m);
    for (int twice = 0; twice < 2; twice++) {
        for (int32_t i = 0; i < q->kept; i++) {
            const double *e = q->basis + (size_t)i * (size_t)q->n;
            double c = dot_in_four_sums(q->n, e, v);
            if (c == 0.0) continue; /* often: rows that touch nothing in common */
            q->h[i] += c;
            for (int32_t p = 0; p < q->n; p++) v[p] -= c * e[p];
        }
    }
    return sqrt(dot_in_four_sums(q->n, v, v));
}

/* Row k, of which `distance` was left, joins the basis: a column of R more. */
static void keep_row(zg_search *q, int32_t k, double distance)
{
    size_t most = (size_t)get_most_kept(q);
    double *e = q->basis + (size_t)q->kept * (size_t)q->n;
    const double *v = q->rows + (size_t)k * (size_t)q->n;
    for (int32_t i = 0; i < q->n; i++) e[i] = v[i] / distance;
    for (int32_t i = 0; i < q->kept; i++) q->R[(size_t)q->kept * most + (size_t)i] = q->h[i];
    q->R[(size_t)q->kept * most + (size_t)q->kept] = distance;
    q->index[q->kept++] = k;
}

/* s [m]: the relation by which row k follows from the kept ones, s_k = 1. */
static void solve_relation(zg_search *q, int32_t k)
{
    size_t most = (size_t)get_most_kept(q);
    memcpy(q->x, q->h, sizeof(double) * (size_t)q->kept);
    for (int32_t i = q->kept - 1; i >= 0; i--) {
        for (int32_t j = i + 1; j < q->kept; j++)
            q->x[i] -= q->R[(size_t)j * most + (size_t)i] * q->x[j];
        q->x[i] /= q->R[(size_t)i * most + (size_t)i];
    }
    memset(q->s, 0, sizeof(double) * (size_t)q->m);
    q->s[k] = 1.0;
    for (int32_t i = 0; i < q->kept && q->length[k] > 0.0; i++)
        if (fabs(q->x[i]) > support_tolerance) /* then back into the scale of the rows */
            q->s[q->index[i]] = -q->x[i] * (q->length[k] / q->length[q->index[i]]);
}

/* Nearly dependent rows are kept in the basis and reported all the same. */
zg_found zg_search_row(zg_search *q, int32_t k, double *distance)
{
    zg_found found = ZG_INDEPENDENT;
    *distance = orthogonalise_row(q, k);
    if (!(*distance > q->dependent) || q->kept == q->n)
        found = ZG_DEPENDENT;
    else if (*distance <= naming_tolerance)
        found = ZG_NEARLY;
    if (found != ZG_INDEPENDENT) solve_relation(q, k);
    if (found != ZG_DEPENDENT) keep_row(q, k, *distance);
    return found;
}
