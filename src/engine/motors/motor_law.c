/*
 * How much motors give (motor_law.h). By singular values of P in the scales of its rows: where it is
 * square there is one u; where there are more motors than rows, y = sqrt(weight) u of least norm.
 *
 * Limits: the forces within them are a box, and |P u - d|^2 in W is a convex quadratic on it. Which
 * motors end at a limit is found by an active set, with a little of the weights added so that one u
 * is best; how much the others give then follows from these alone, without what was added.
 */
#include "motor_law.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg.h"

static const double least_cosine = 1e-9; /* below it a motor cannot move a row */
static const double added = 1e-10;       /* part of the weights, for the choice of limits only */
static const double met = 1e-11;         /* part of d and P u that is rounding */

size_t zr_motor_law_work(int32_t rows, int32_t count)
{
    size_t r = (size_t)rows, c = (size_t)count, k = r < c ? r : c;
    return r * c + r * k + k + c * k + za_svd_work(rows, count) + r * r + 2 * r + 2 * c * c + 5 * c;
}

/* Pieces of law->work. */
typedef struct pieces {
    double *X;         /* [rows * count] */
    double *U, *s, *V; /* its singular values */
    double *svd;
    double *L;                            /* [rows * rows] W = L L^T */
    double *r, *q;                        /* [rows] */
    double *H, *F;                        /* [count * count] */
    double *g, *trial, *x, *left, *right; /* [count] */
} pieces;

static pieces cut_work(const zr_motor_law *law)
{
    size_t r = (size_t)law->rows, c = (size_t)law->count, k = r < c ? r : c;
    pieces p = {.X = law->work};
    p.U = p.X + r * c;
    p.s = p.U + r * k;
    p.V = p.s + k;
    p.svd = p.V + c * k;
    p.L = p.svd + za_svd_work(law->rows, law->count);
    p.r = p.L + r * r;
    p.q = p.r + r;
    p.H = p.q + r;
    p.F = p.H + c * c;
    p.g = p.F + c * c;
    p.trial = p.g + c;
    p.x = p.trial + c;
    p.left = p.x + c;
    p.right = p.left + c;
    return p;
}

/* ------------------------------------------------------------------------------- rank */

/* Singular values of the cosines; rows that no motor reaches. */
static bool find_rank(zr_motor_law *law, const pieces *p)
{
    int32_t rows = law->rows, count = law->count, most = rows < count ? rows : count;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t k = 0; k < count; k++) {
            double scale = law->row_scale[i] * law->motor_scale[k];
            p->X[i * count + k] = scale > 0.0 ? law->P[i * count + k] / scale : 0.0;
        }
    law->rank = 0;
    if (most == 0 || za_svd(rows, count, p->X, p->U, p->s, p->V, p->svd) != ZW_OK) return false;
    while (law->rank < most && p->s[law->rank] > least_cosine) law->rank++;
    if (law->rank == rows) return true;
    for (int32_t i = 0; i < rows; i++) {
        double reached = 0.0;
        for (int32_t j = 0; j < law->rank; j++) reached += p->U[i * most + j] * p->U[i * most + j];
        law->missed[i] = reached < 1.0 - 1e-6;
    }
    return false;
}

/* ------------------------------------------------------------------------ least norm */

/* y [columns] of least norm among those of least |X y - r|; X [rows * columns]. */
static bool solve_least(const pieces *p, int32_t rows, int32_t columns, const double *r, double *y)
{
    int32_t most = rows < columns ? rows : columns;
    if (za_svd(rows, columns, p->X, p->U, p->s, p->V, p->svd) != ZW_OK) return false;
    memset(y, 0, sizeof *y * (size_t)columns);
    for (int32_t j = 0; j < most && p->s[j] > 1e-12 * p->s[0]; j++) {
        double part = 0.0;
        for (int32_t i = 0; i < rows; i++) part += p->U[i * most + j] * r[i];
        for (int32_t k = 0; k < columns; k++) y[k] += p->V[k * most + j] * part / p->s[j];
    }
    return true;
}

/* u of least sum of weight u^2 with P u = d. */
static bool find_least(zr_motor_law *law, const pieces *p)
{
    int32_t rows = law->rows, count = law->count;
    for (int32_t i = 0; i < rows; i++) {
        for (int32_t k = 0; k < count; k++)
            p->X[i * count + k] =
                law->P[i * count + k] / (law->row_scale[i] * sqrt(law->weight[k]));
        p->r[i] = law->d[i] / law->row_scale[i];
    }
    if (!solve_least(p, rows, count, p->r, p->x)) return false;
    for (int32_t k = 0; k < count; k++) law->u[k] = p->x[k] / sqrt(law->weight[k]);
    return true;
}

/* ----------------------------------------------------------------------------- limits */

/* X = L L^T in place, the lower half; false: not definite. */
static bool factor_small(int32_t size, double *X)
{
    for (int32_t j = 0; j < size; j++)
        for (int32_t i = j; i < size; i++) {
            double sum = X[i * size + j];
            for (int32_t k = 0; k < j; k++) sum -= X[i * size + k] * X[j * size + k];
            if (i == j && !(sum > 0.0)) return false;
            X[i * size + j] = i == j ? sqrt(sum) : sum / X[j * size + j];
        }
    return true;
}

static void solve_small(int32_t size, const double *L, double *x)
{
    for (int32_t i = 0; i < size; i++) {
        for (int32_t k = 0; k < i; k++) x[i] -= L[i * size + k] * x[k];
        x[i] /= L[i * size + i];
    }
    for (int32_t i = size; i-- > 0;) {
        for (int32_t k = i + 1; k < size; k++) x[i] -= L[k * size + i] * x[k];
        x[i] /= L[i * size + i];
    }
}

/* H and g of |P u - d|^2 / 2 in W with a little of the weights, in motors of scale 1: x is u times
 * motor_scale. */
static void write_quadratic(const zr_motor_law *law, const pieces *p)
{
    int32_t rows = law->rows, count = law->count;
    double trace = 0.0, sum = 0.0;
    for (int32_t k = 0; k < count; k++) {
        double scale = law->motor_scale[k] > 0.0 ? law->motor_scale[k] : 1.0;
        p->left[k] = law->low[k] * scale;
        p->right[k] = law->high[k] * scale;
        p->g[k] = 0.0;
        for (int32_t i = 0; i < rows; i++) {
            p->q[i] = 0.0; /* (W P)_ik */
            for (int32_t j = 0; j < rows; j++)
                p->q[i] += law->W[i * rows + j] * law->P[j * count + k] / scale;
            p->g[k] += p->q[i] * law->d[i];
        }
        for (int32_t l = 0; l < count; l++) {
            double other = law->motor_scale[l] > 0.0 ? law->motor_scale[l] : 1.0, h = 0.0;
            for (int32_t i = 0; i < rows; i++) h += p->q[i] * law->P[i * count + l] / other;
            p->H[k * count + l] = h;
        }
        trace += p->H[k * count + k];
        sum += law->weight[k] / (scale * scale);
    }
    for (int32_t k = 0; k < count; k++) {
        double scale = law->motor_scale[k] > 0.0 ? law->motor_scale[k] : 1.0;
        p->H[k * count + k] += added * trace * law->weight[k] / (scale * scale * sum);
    }
}

/* The best x of the motors that are inside, the others at their limits; into trial [count]. */
static bool solve_inside(const zr_motor_law *law, const pieces *p)
{
    int32_t count = law->count, free = 0, a = 0;
    for (int32_t k = 0; k < count; k++) free += law->side[k] == 0;
    for (int32_t k = 0; k < count; k++) {
        if (law->side[k] != 0) continue;
        int32_t c = 0;
        p->trial[a] = p->g[k];
        for (int32_t l = 0; l < count; l++)
            if (law->side[l] == 0)
                p->F[a * free + c++] = p->H[k * count + l];
            else
                p->trial[a] -= p->H[k * count + l] * p->x[l];
        a++;
    }
    if (!factor_small(free, p->F)) return false;
    solve_small(free, p->F, p->trial);
    for (int32_t k = count; k-- > 0;) p->trial[k] = law->side[k] == 0 ? p->trial[--a] : p->x[k];
    return true;
}

/* From x on towards trial, as far as the limits allow; the motor that meets one, -1: none does. */
static int32_t go_towards(zr_motor_law *law, const pieces *p)
{
    double way = 1.0;
    int32_t first = -1;
    for (int32_t k = 0; k < law->count; k++) {
        double step = p->trial[k] - p->x[k];
        double room = (step > 0.0 ? p->right[k] : p->left[k]) - p->x[k];
        if (law->side[k] != 0 || !(fabs(step) > 0.0) || !(room / step < way)) continue;
        way = fmax(room / step, 0.0);
        first = k;
    }
    for (int32_t k = 0; k < law->count; k++) p->x[k] += way * (p->trial[k] - p->x[k]);
    if (first < 0) return -1;
    law->side[first] = p->trial[first] > p->x[first] ? 1 : -1;
    p->x[first] = law->side[first] > 0 ? p->right[first] : p->left[first];
    return first;
}

/* The motor that would rather leave its limit, most of all; -1: none. */
static int32_t find_release(const zr_motor_law *law, const pieces *p)
{
    int32_t best = -1;
    double most = 0.0;
    for (int32_t k = 0; k < law->count; k++) {
        double slope = -p->g[k], size = fabs(p->g[k]);
        for (int32_t l = 0; l < law->count; l++) {
            slope += p->H[k * law->count + l] * p->x[l];
            size += fabs(p->H[k * law->count + l] * p->x[l]);
        }
        double pull = law->side[k] * slope / (size > 0.0 ? size : 1.0);
        if (law->side[k] == 0 || !(pull > fmax(most, 1e-13))) continue;
        best = k;
        most = pull;
    }
    return best;
}

/* Which motors are at a limit where the quadratic is least within the box, from the u of no limits
 * brought into it on. */
static bool choose_sides(zr_motor_law *law, const pieces *p)
{
    for (int32_t k = 0; k < law->count; k++) {
        double at = law->u[k] * (law->motor_scale[k] > 0.0 ? law->motor_scale[k] : 1.0);
        law->side[k] = at < p->left[k] ? -1 : at > p->right[k] ? 1 : 0;
        p->x[k] = fmin(fmax(at, p->left[k]), p->right[k]);
    }
    for (int32_t round = 0; round < 50 * (law->count + 1); round++) {
        if (!solve_inside(law, p)) return false;
        if (go_towards(law, p) >= 0) continue;
        int32_t free = find_release(law, p);
        if (free < 0) return true;
        law->side[free] = 0;
    }
    return false;
}

/* X and r of the motors that are inside, in rows times L^T of W; how many they are. */
static int32_t write_inside(const zr_motor_law *law, const pieces *p, const int8_t *side,
                            const double *u)
{
    int32_t rows = law->rows, count = law->count, free = 0;
    for (int32_t k = 0; k < count; k++) free += side[k] == 0;
    for (int32_t j = 0; j < rows; j++) { /* row j of L^T times the rows */
        int32_t c = 0;
        p->r[j] = 0.0;
        for (int32_t i = j; i < rows; i++) p->r[j] += p->L[i * rows + j] * law->d[i];
        for (int32_t k = 0; k < count; k++) {
            double sum = 0.0;
            for (int32_t i = j; i < rows; i++) sum += p->L[i * rows + j] * law->P[i * count + k];
            if (side[k] != 0)
                p->r[j] -= sum * u[k];
            else
                p->X[j * free + c++] = sum / sqrt(law->weight[k]);
        }
    }
    return free;
}

static bool factor_weights(const zr_motor_law *law, const pieces *p)
{
    memcpy(p->L, law->W, sizeof *p->L * (size_t)law->rows * (size_t)law->rows);
    return factor_small(law->rows, p->L);
}

/* What the motors inside give, those at their limits giving all they can. */
static bool solve_at_limits(zr_motor_law *law, const pieces *p)
{
    if (!factor_weights(law, p)) return false;
    for (int32_t k = 0; k < law->count; k++)
        if (law->side[k] != 0) law->u[k] = law->side[k] > 0 ? law->high[k] : law->low[k];
    int32_t free = write_inside(law, p, law->side, law->u);
    if (free == 0) return true;
    if (!solve_least(p, law->rows, free, p->r, p->x)) return false;
    for (int32_t k = 0, c = 0; k < law->count; k++)
        if (law->side[k] == 0)
            law->u[k] = fmin(fmax(p->x[c++] / sqrt(law->weight[k]), law->low[k]), law->high[k]);
    return true;
}

/* P u - d; what is rounding is 0. */
void zr_find_motor_slack(zr_motor_law *law)
{
    law->behind = false;
    for (int32_t i = 0; i < law->rows; i++) {
        double sum = -law->d[i], size = fabs(law->d[i]);
        for (int32_t k = 0; k < law->count; k++) {
            sum += law->P[i * law->count + k] * law->u[k];
            size += fabs(law->P[i * law->count + k] * law->u[k]);
        }
        law->slack[i] = fabs(sum) > met * size ? sum : 0.0;
        law->behind = law->behind || law->slack[i] != 0.0;
    }
}

/* ------------------------------------------------------------------------------- all */

static bool is_within_limits(const zr_motor_law *law)
{
    for (int32_t k = 0; k < law->count; k++)
        if (law->u[k] < law->low[k] || law->u[k] > law->high[k]) return false;
    return true;
}

bool zr_apply_motor_law(zr_motor_law *law)
{
    pieces p = cut_work(law);
    memset(law->slack, 0, sizeof *law->slack * (size_t)law->rows);
    memset(law->side, 0, (size_t)law->count);
    memset(law->missed, 0, sizeof *law->missed * (size_t)law->rows);
    law->behind = false;
    if (!find_rank(law, &p) || !find_least(law, &p)) return false;
    if (is_within_limits(law)) return true;
    write_quadratic(law, &p);
    if (!choose_sides(law, &p) || !solve_at_limits(law, &p)) return false;
    zr_find_motor_slack(law);
    return true;
}

int32_t zr_motor_rank(zr_motor_law *law)
{
    pieces p = cut_work(law);
    (void)find_rank(law, &p);
    return law->rank;
}

bool zr_answer_at_limits(zr_motor_law *law, const int8_t *side, bool whole, double *u)
{
    pieces p = cut_work(law);
    if (!factor_weights(law, &p)) return false;
    for (int32_t k = 0; k < law->count; k++)
        u[k] = !whole || side[k] == 0 ? 0.0 : side[k] > 0 ? law->high[k] : law->low[k];
    int32_t free = write_inside(law, &p, side, u);
    if (free == 0) return true;
    if (!solve_least(&p, law->rows, free, p.r, p.x)) return false;
    for (int32_t k = 0, c = 0; k < law->count; k++)
        if (side[k] == 0) u[k] = p.x[c++] / sqrt(law->weight[k]);
    return true;
}
