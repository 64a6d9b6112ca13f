/*
 * The solve as operations on nodes (fuser.h):
 *
 *     M = L D L^T,  G_i = L^-1 A_i,  S_ij = G_i D^-1 G_j,  S = K E K^T          (K, L unit lower)
 *     g = L^-1 f,  lambda = S^-1 (b - G^T D^-1 g),  z = L^-T D^-1 (g + G lambda)
 *
 * The guard: with w_i = sqrt(S_ii) the condition of the rows scaled to unit length is at most
 * m max_i w_i u_i, where u solves the two triangular systems with |K| in the place of K and all
 * signs alike, |K^-1| being no larger than that:
 *
 *     x_i = w_i + sum_{j<i} |K_ij| x_j,   u_i = x_i / |E_i| + sum_{j>i} |K_ji| u_j
 *
 * Of few rows the determinant of the scaled matrix, the product of E_i / S_ii, is at hand and gives
 * a bound without roots: its eigenvalues sum up to m, so the least is at least
 * det ((m - 1) / m)^(m - 1).
 *
 * With a full M the answer is corrected once by its residual.
 *
 * Where coordinates have no mass, the angle of a point mass say, M is not definite, but the rows that
 * hold them hold their accelerations. What is factored is M + sum_i w_i A_i A_i^T over these rows, and
 * the force is Q + sum_i w_i b_i A_i: the same z and lambda, for A z = b. w_i is the mass that row i feels,
 * 1 / sum_k A_ik^2 / M_kk over coordinates that have one.
 */
#include <string.h>

#include "fuser.h"

enum { few_rows = 4 };                  /* whose guard is the bound by the determinant */
static const double least_pivot = 1e-6; /* of M, in units of its own entry */

/* Without pivoting: where a pivot is 0 numbers are not finite, and the guard refuses them. */
static zr_triangle factor_symmetric(zr_fuser *f, const zx_node *X, int32_t size)
{
    zr_triangle t = {size, zr_new_nodes(f, (int64_t)size * size), zr_new_nodes(f, size),
                     zr_new_nodes(f, size)};
    for (int32_t i = 0; i < size; i++) {
        zx_node *row = t.K + i * size, pivot = X[i * size + i];
        for (int32_t j = 0; j < i; j++) { /* row j holds K_ij E_j, until it is divided */
            zx_node sum = X[i * size + j];
            for (int32_t k = 0; k < j; k++)
                sum = zr_minus(f, sum, zr_times(f, row[k], t.K[j * size + k]));
            row[j] = sum;
        }
        for (int32_t j = 0; j < i; j++) {
            zx_node scaled = zr_times(f, row[j], t.inverse[j]);
            pivot = zr_minus(f, pivot, zr_times(f, scaled, row[j]));
            row[j] = scaled;
        }
        t.E[i] = pivot;
        t.inverse[i] = zr_inverse(f, pivot);
    }
    return t;
}

/* x <- K^-1 x */
static void solve_forward(zr_fuser *f, const zr_triangle *t, zx_node *x)
{
    for (int32_t i = 0; i < t->size; i++)
        for (int32_t j = 0; j < i; j++)
            x[i] = zr_minus(f, x[i], zr_times(f, t->K[i * t->size + j], x[j]));
}

/* x <- K^-T x */
static void solve_backward(zr_fuser *f, const zr_triangle *t, zx_node *x)
{
    for (int32_t i = t->size - 1; i >= 0; i--)
        for (int32_t j = i + 1; j < t->size; j++)
            x[i] = zr_minus(f, x[i], zr_times(f, t->K[j * t->size + i], x[j]));
}

/* ------------------------------------------------------------------------- the guard */

/* 1 where every pivot of M is above its bound, else 0. */
static zx_node write_definite(zr_fuser *f, const zx_node *M, const zr_triangle *mass)
{
    zx_node okay = f->one;
    for (int32_t i = 0; i < f->n; i++) {
        zx_node whole = M[i * f->n + i];
        zx_node least =
            whole == mass->E[i] ? f->zero : zr_times(f, zr_number_node(f, least_pivot), whole);
        zx_node fine = zx_binary(f->pool, ZX_LT, least, mass->E[i]);
        okay = zx_binary(f->pool, ZX_AND, okay, fine);
    }
    return okay;
}

/* m (m / (m - 1))^(m - 1) / det: m over the bound of the least eigenvalue. */
static zx_node write_determinant_bound(zr_fuser *f, const zr_fused_solver *s)
{
    int32_t m = s->rows;
    double factor = (double)m;
    for (int32_t i = 1; i < m; i++) factor *= (double)m / (double)(m - 1);
    zx_node bound = zr_number_node(f, factor);
    for (int32_t i = m > 1 ? 1 : 0; i < m; i++) {
        zx_node ratio = zr_times(f, s->S[i * m + i], s->schur.inverse[i]);
        bound = zr_times(f, bound, zr_absolute(f, ratio));
    }
    return bound;
}

/* The maximum of the processor passes over a NaN on its left. The sum does not, and else it is never
 * less than the largest, so that the minimum of both is that, to the bit. */
zx_node zr_write_largest(zr_fuser *f, const zx_node *size, int32_t count)
{
    if (count == 0) return f->zero;
    zx_node largest = size[0], sum = size[0];
    for (int32_t i = 1; i < count; i++) {
        largest = zx_binary(f->pool, ZX_MAX, size[i], largest);
        sum = zr_plus(f, sum, size[i]);
    }
    return zx_binary(f->pool, ZX_MIN, largest, sum);
}

/* m max_i w_i u_i, see above. */
static zx_node write_triangle_bound(zr_fuser *f, const zr_fused_solver *s)
{
    int32_t m = s->rows;
    const zr_triangle *t = &s->schur;
    zx_node *w = zr_new_nodes(f, m), *x = zr_new_nodes(f, m), *u = zr_new_nodes(f, m),
            *size = zr_new_nodes(f, m);
    for (int32_t i = 0; i < m; i++) {
        w[i] = zx_unary(f->pool, ZX_SQRT, s->S[i * m + i]);
        x[i] = w[i];
        for (int32_t j = 0; j < i; j++)
            x[i] = zr_plus(f, x[i], zr_times(f, zr_absolute(f, t->K[i * m + j]), x[j]));
    }
    for (int32_t i = m - 1; i >= 0; i--) {
        u[i] = zr_times(f, x[i], zr_absolute(f, t->inverse[i]));
        for (int32_t j = i + 1; j < m; j++)
            u[i] = zr_plus(f, u[i], zr_times(f, zr_absolute(f, t->K[j * m + i]), u[j]));
        size[m - 1 - i] = zr_times(f, w[i], u[i]);
    }
    return zr_times(f, zr_number_node(f, (double)m), zr_write_largest(f, size, m));
}

/* Infinite where M is not definite. */
static zx_node write_guard(zr_fuser *f, const zr_fused_solver *s)
{
    zx_node bound = s->rows == 0          ? f->one
                    : s->rows <= few_rows ? write_determinant_bound(f, s)
                                          : write_triangle_bound(f, s);
    return zx_select(f->pool, s->okay, bound, zr_inverse(f, f->zero));
}

/* --------------------------------------------------------------------------- factors */

/* 1 - mask of a row of A that may be off: then the row is 0, this is its pivot, and its multiplier
 * is 0. Rows that are on have none. */
static zx_node write_absence(zr_fuser *f, int32_t row)
{
    const uint8_t *state = f->form->row;
    if (!state || state[row] != ZR_FUSED_EITHER) return f->zero;
    return zr_minus(f, f->one, zx_leaf(f->pool, ZX_VALUE, f->b->zm->mask[row]));
}

/* The mass that a row feels, where it holds a coordinate that has none; else 0. */
static zx_node write_weight(zr_fuser *f, int32_t row)
{
    const zx_node *A_i = f->A + (ptrdiff_t)row * f->n;
    const uint8_t *state = f->form->row;
    zx_node sum = f->zero;
    bool holds = false;
    for (int32_t k = 0; k < f->n; k++) {
        zx_node own = f->M[k * f->n + k], square = zr_times(f, A_i[k], A_i[k]);
        if (square == f->zero) continue;
        holds = holds || f->massless[k];
        if (!f->massless[k]) sum = zr_plus(f, sum, zx_binary(f->pool, ZX_DIV, square, own));
    }
    if (!holds || (state && state[row] == ZR_FUSED_EITHER)) return f->zero;
    return sum == f->zero ? f->one : zr_inverse(f, sum);
}

/* M, with the rows that hold what has no mass. */
static void write_masses(zr_fuser *f, zr_fused_solver *s)
{
    int32_t n = f->n;
    s->M = f->M;
    if (!f->lacks_mass) return;
    s->M = zr_new_nodes(f, (int64_t)n * n);
    s->weight = zr_new_nodes(f, s->rows);
    memcpy(s->M, f->M, sizeof *s->M * (size_t)n * (size_t)n);
    for (int32_t i = 0; i < s->rows; i++) {
        const zx_node *A_i = f->A + (ptrdiff_t)s->row[i] * n;
        s->weight[i] = write_weight(f, s->row[i]);
        for (int32_t j = 0; j < n; j++) {
            zx_node heavy = zr_times(f, s->weight[i], A_i[j]);
            for (int32_t k = 0; k < n; k++)
                s->M[j * n + k] = zr_plus(f, s->M[j * n + k], zr_times(f, heavy, A_i[k]));
        }
    }
}

zr_fused_solver zr_write_factors(zr_fuser *f, const int32_t *row, int32_t rows)
{
    int32_t n = f->n;
    zr_fused_solver s = {.rows = rows, .row = row};
    write_masses(f, &s);
    s.mass = factor_symmetric(f, s.M, n);
    s.G = zr_new_nodes(f, (int64_t)rows * n);
    s.S = zr_new_nodes(f, (int64_t)rows * rows);
    zx_node *H = zr_new_nodes(f, n);
    for (int32_t i = 0; i < rows; i++) {
        memcpy(s.G + i * n, f->A + row[i] * n, sizeof *s.G * (size_t)n);
        solve_forward(f, &s.mass, s.G + i * n);
        for (int32_t k = 0; k < n; k++) H[k] = zr_times(f, s.G[i * n + k], s.mass.inverse[k]);
        for (int32_t j = 0; j <= i; j++)
            s.S[i * rows + j] = s.S[j * rows + i] = zr_dot_nodes(f, n, H, s.G + j * n);
        s.S[i * rows + i] = zr_plus(f, s.S[i * rows + i], write_absence(f, row[i]));
    }
    s.schur = factor_symmetric(f, s.S, rows);
    s.okay = write_definite(f, s.M, &s.mass);
    s.guard = write_guard(f, &s);
    return s;
}

/* ------------------------------------------------------------------------- solutions */

void zr_write_multipliers(zr_fuser *f, const zr_fused_solver *s, const zx_node *force,
                          const zx_node *right, zx_node *g, zx_node *lambda)
{
    int32_t n = f->n;
    zx_node *scaled = zr_new_nodes(f, n);
    memcpy(g, force, sizeof *g * (size_t)n);
    for (int32_t i = 0; s->weight && right && i < s->rows; i++) {
        zx_node heavy = zr_times(f, s->weight[i], right[i]);
        for (int32_t k = 0; k < n; k++)
            g[k] = zr_plus(f, g[k], zr_times(f, f->A[s->row[i] * n + k], heavy));
    }
    solve_forward(f, &s->mass, g);
    for (int32_t k = 0; k < n; k++) scaled[k] = zr_times(f, g[k], s->mass.inverse[k]);
    for (int32_t i = 0; i < s->rows; i++)
        lambda[i] =
            zr_minus(f, right ? right[i] : f->zero, zr_dot_nodes(f, n, s->G + i * n, scaled));
    solve_forward(f, &s->schur, lambda);
    for (int32_t i = 0; i < s->rows; i++) lambda[i] = zr_times(f, lambda[i], s->schur.inverse[i]);
    solve_backward(f, &s->schur, lambda);
}

void zr_write_motion(zr_fuser *f, const zr_fused_solver *s, const zx_node *g, const zx_node *lambda,
                     zx_node *z)
{
    int32_t n = f->n;
    for (int32_t k = 0; k < n; k++) {
        zx_node sum = g[k];
        for (int32_t i = 0; i < s->rows; i++)
            sum = zr_plus(f, sum, zr_times(f, s->G[i * n + k], lambda[i]));
        z[k] = zr_times(f, sum, s->mass.inverse[k]);
    }
    solve_backward(f, &s->mass, z);
}

void zr_write_solution(zr_fuser *f, const zr_fused_solver *s, const zx_node *force,
                       const zx_node *right, zx_node *z, zx_node *lambda)
{
    zx_node *g = zr_new_nodes(f, f->n);
    zr_write_multipliers(f, s, force, right, g, lambda);
    zr_write_motion(f, s, g, lambda, z);
}

void zr_write_refinement(zr_fuser *f, const zr_fused_solver *s, const zx_node *force,
                         const zx_node *right, zx_node *z, zx_node *lambda)
{
    int32_t n = f->n, m = s->rows;
    if (f->b->model->diagonal_mass && !s->weight) return;
    zx_node *r = zr_new_nodes(f, n), *c = zr_new_nodes(f, m), *dz = zr_new_nodes(f, n),
            *dl = zr_new_nodes(f, m);
    for (int32_t k = 0; k < n; k++) {
        r[k] = zr_minus(f, force[k], zr_dot_nodes(f, n, f->M + k * n, z));
        for (int32_t i = 0; i < m; i++)
            r[k] = zr_plus(f, r[k], zr_times(f, f->A[s->row[i] * n + k], lambda[i]));
    }
    for (int32_t i = 0; i < m; i++)
        c[i] = zr_minus(f, right ? right[i] : f->zero, zr_dot_nodes(f, n, f->A + s->row[i] * n, z));
    zr_write_solution(f, s, r, c, dz, dl);
    for (int32_t k = 0; k < n; k++) z[k] = zr_plus(f, z[k], dz[k]);
    for (int32_t i = 0; i < m; i++) lambda[i] = zr_plus(f, lambda[i], dl[i]);
}
