/*
 * The whole acceleration of a small system as one expression graph: the families' terms written out
 * for their coordinates, then the solve as operations on nodes. What is zero stays zero, so the
 * sparsity of M and A costs nothing, and what depends on parameters only is hoisted into a prelude.
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
 * With a full M the answer is corrected once by its residual. Everything lives in two pools of the
 * builder and its scratch arena; only the programs stay.
 */
#include <float.h>
#include <string.h>

#include "energy.h"
#include "fused.h"

enum {
    most_size = 48,          /* coordinates and rows */
    most_operations = 12000, /* of the acceleration */
    few_rows = 4,            /* whose guard is the bound by the determinant */
};
static const double least_pivot = 1e-6; /* of M, in units of its own entry */
static const double rounding = 4.0 * DBL_EPSILON;

/* The system as nodes; matrices by rows, dense, 0 where there is nothing. */
typedef struct fuser {
    zr_builder *b;
    zx_pool *pool;
    int32_t n, m;
    zx_node zero, one;
    zx_node *M, *Q, *A, *right; /* [n*n] [n] [m*n] [m] */
    zx_node *level;             /* [4 m] as zw_sim has it */
    zx_node *C;                 /* [n] */
} fuser;

/* A list in scratch, all entries the number 0. */
static zx_node *new_zero_nodes(fuser *f, int64_t count)
{
    zx_node *list = ZB_NEW_ARRAY(&f->b->scratch, zx_node, (size_t)count);
    for (int64_t i = 0; i < count; i++) list[i] = f->zero;
    return list;
}

static zx_node plus(fuser *f, zx_node x, zx_node y)
{
    return zx_binary(f->pool, ZX_ADD, x, y);
}

static zx_node minus(fuser *f, zx_node x, zx_node y)
{
    return zx_binary(f->pool, ZX_SUB, x, y);
}

/* Products with 0 vanish whatever the other factor is. */
static zx_node times(fuser *f, zx_node x, zx_node y)
{
    if (x == f->zero || y == f->zero) return f->zero;
    return zx_binary(f->pool, ZX_MUL, x, y);
}

static zx_node inverse_of(fuser *f, zx_node x)
{
    return zx_binary(f->pool, ZX_DIV, f->one, x);
}

static zx_node abs_of(fuser *f, zx_node x)
{
    return zx_unary(f->pool, ZX_ABS, x);
}

static zx_node number_node(fuser *f, double x)
{
    return zx_number(f->pool, x);
}

/* -------------------------------------------------------- terms written out */

/* An instance of a family that is written out, for bind_leaf. */
typedef struct instance {
    const zm_family *family;
    int32_t number;
    const zx_node *measures;      /* [measure_count] what reactions are, or NULL */
    const zx_node *accelerations; /* [n] what these are, or NULL */
} instance;

/* zx_leaf_fn: a slot of the family becomes the coordinate, value or measure it is bound to. */
static zx_node bind_leaf(void *user, zx_pool *to, const zx_item *leaf)
{
    const instance *i = user;
    switch (leaf->op) {
    case ZX_POSITION:
    case ZX_VELOCITY:
        return zx_leaf(to, (zx_op)leaf->op, zm_coordinate_of(i->family, i->number, leaf->a));
    case ZX_ACCELERATION:
        return i->accelerations ? i->accelerations[zm_coordinate_of(i->family, i->number, leaf->a)]
                                : ZX_NONE;
    case ZX_VALUE:
        return zx_leaf(to, ZX_VALUE, zm_value_of(i->family, i->number, leaf->a));
    case ZX_MEASURE:
        return i->measures ? i->measures[zm_measure_of(i->family, i->number, leaf->a)] : ZX_NONE;
    default:
        return ZX_NONE;
    }
}

/* Adds the outputs of passes to the nodes of matrix and vector: what zr_evaluate_passes does with
 * numbers. measures: what reactions are, or NULL. */
static void write_passes(fuser *f, const zr_passes *passes, const zx_node *measures,
                         zx_node *matrix, zx_node *vector)
{
    zm_model *zm = f->b->zm;
    for (int32_t p = 0; p < passes->count; p++) {
        const zr_pass *pass = &passes->list[p];
        int32_t outputs = pass->matrix + pass->vector;
        instance i = {.family = &zm->families[pass->family], .measures = measures};
        zx_node *out = ZB_NEW_ARRAY(&f->b->scratch, zx_node, (size_t)outputs);
        for (i.number = 0; i.number < i.family->count; i.number++) {
            const int32_t *place = pass->place + (size_t)i.number * (size_t)outputs;
            zx_copy(f->pool, &zm->pool, pass->nodes, outputs, bind_leaf, &i, out);
            for (int32_t k = 0; k < outputs; k++) {
                bool twice = place[k] < 0;
                int32_t at = twice ? ~place[k] : place[k];
                zx_node *sum = k < pass->matrix ? &matrix[at] : &vector[at];
                /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): levels have no matrix */
                *sum = plus(f, *sum, twice ? times(f, number_node(f, 2.0), out[k]) : out[k]);
            }
        }
    }
}

/* dense [rows*columns] from the entries of a pattern; symmetric: of an upper triangle. */
static void spread_entries(const zr_pattern *p, const zx_node *value, bool symmetric,
                           zx_node *dense)
{
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            int32_t j = p->column[k];
            dense[i * p->columns + j] = value[k];
            if (symmetric) dense[j * p->columns + i] = value[k];
        }
}

/* Sets M, Q, A, right and level of the fuser. */
static void write_system(fuser *f)
{
    const zw_model *model = f->b->model;
    int32_t n = f->n, m = f->m;
    zx_node *M = new_zero_nodes(f, model->M.count), *A = new_zero_nodes(f, model->A.count);
    f->M = new_zero_nodes(f, (int64_t)n * n);
    f->A = new_zero_nodes(f, (int64_t)m * n);
    f->Q = new_zero_nodes(f, n);
    f->right = new_zero_nodes(f, m);
    f->level = new_zero_nodes(f, 4 * (int64_t)m);
    write_passes(f, &model->constant_dynamics, NULL, M, f->Q);
    write_passes(f, &model->dynamics, NULL, M, f->Q);
    write_passes(f, &model->constant_rows, NULL, A, f->right);
    write_passes(f, &model->rows, NULL, A, f->right);
    write_passes(f, &model->levels[ZR_POSITION], NULL, NULL, f->level);
    write_passes(f, &model->levels[ZR_VELOCITY], NULL, NULL, f->level);
    spread_entries(&model->M, M, true, f->M);
    spread_entries(&model->A, A, false, f->A);
}

/* ------------------------------------------------------------------- solving */

/* K E K^T of a symmetric matrix [size*size]. */
typedef struct triangle {
    int32_t size;
    zx_node *K;       /* [size*size] unit lower, its diagonal left out */
    zx_node *E;       /* [size] the pivots */
    zx_node *inverse; /* [size] 1 / E */
} triangle;

/* Without pivoting: where a pivot is 0 numbers are not finite, and the guard refuses them. */
static triangle factor_symmetric(fuser *f, const zx_node *X, int32_t size)
{
    triangle t = {size, new_zero_nodes(f, (int64_t)size * size), new_zero_nodes(f, size),
                  new_zero_nodes(f, size)};
    for (int32_t i = 0; i < size; i++) {
        zx_node *row = t.K + i * size, pivot = X[i * size + i];
        for (int32_t j = 0; j < i; j++) { /* row j holds K_ij E_j, until it is divided */
            zx_node sum = X[i * size + j];
            for (int32_t k = 0; k < j; k++)
                sum = minus(f, sum, times(f, row[k], t.K[j * size + k]));
            row[j] = sum;
        }
        for (int32_t j = 0; j < i; j++) {
            zx_node scaled = times(f, row[j], t.inverse[j]);
            pivot = minus(f, pivot, times(f, scaled, row[j]));
            row[j] = scaled;
        }
        t.E[i] = pivot;
        t.inverse[i] = inverse_of(f, pivot);
    }
    return t;
}

/* x <- K^-1 x */
static void solve_forward(fuser *f, const triangle *t, zx_node *x)
{
    for (int32_t i = 0; i < t->size; i++)
        for (int32_t j = 0; j < i; j++)
            x[i] = minus(f, x[i], times(f, t->K[i * t->size + j], x[j]));
}

/* x <- K^-T x */
static void solve_backward(fuser *f, const triangle *t, zx_node *x)
{
    for (int32_t i = t->size - 1; i >= 0; i--)
        for (int32_t j = i + 1; j < t->size; j++)
            x[i] = minus(f, x[i], times(f, t->K[j * t->size + i], x[j]));
}

/* The factored equations of those rows of A that take part. */
typedef struct solver {
    int32_t rows;
    const int32_t *row; /* [rows] */
    triangle mass, schur;
    zx_node *G;    /* [rows*n] L^-1 A_i */
    zx_node *S;    /* [rows*rows] the Schur complement */
    zx_node okay;  /* 1 where M is definite */
    zx_node guard; /* bound of the condition of S scaled, infinite where M is not definite */
} solver;

/* Of x and y [n]. */
static zx_node fused_dot(fuser *f, int32_t n, const zx_node *x, const zx_node *y)
{
    zx_node sum = f->zero;
    for (int32_t k = 0; k < n; k++) sum = plus(f, sum, times(f, x[k], y[k]));
    return sum;
}

/* 1 where every pivot of M is above its bound, else 0. */
static zx_node write_definite(fuser *f, const triangle *mass)
{
    zx_node okay = f->one;
    for (int32_t i = 0; i < f->n; i++) {
        zx_node whole = f->M[i * f->n + i];
        zx_node least =
            whole == mass->E[i] ? f->zero : times(f, number_node(f, least_pivot), whole);
        zx_node fine = zx_binary(f->pool, ZX_LT, least, mass->E[i]);
        okay = zx_binary(f->pool, ZX_AND, okay, fine);
    }
    return okay;
}

/* m (m / (m - 1))^(m - 1) / det: m over the bound of the least eigenvalue. */
static zx_node write_determinant_bound(fuser *f, const solver *s)
{
    int32_t m = s->rows;
    double factor = (double)m;
    for (int32_t i = 1; i < m; i++) factor *= (double)m / (double)(m - 1);
    zx_node bound = number_node(f, factor);
    for (int32_t i = m > 1 ? 1 : 0; i < m; i++)
        bound = times(f, bound, abs_of(f, times(f, s->S[i * m + i], s->schur.inverse[i])));
    return bound;
}

/* The largest of sizes [count], none of which is below 0; a NaN among them is the answer. The maximum
 * of the processor passes over a NaN on its left. The sum does not, and else it is never less than the
 * largest, so that the minimum of both is that, to the bit. */
static zx_node write_largest(fuser *f, const zx_node *size, int32_t count)
{
    if (count == 0) return f->zero;
    zx_node largest = size[0], sum = size[0];
    for (int32_t i = 1; i < count; i++) {
        largest = zx_binary(f->pool, ZX_MAX, size[i], largest);
        sum = plus(f, sum, size[i]);
    }
    return zx_binary(f->pool, ZX_MIN, largest, sum);
}

/* m max_i w_i u_i, see above. */
static zx_node write_triangle_bound(fuser *f, const solver *s)
{
    int32_t m = s->rows;
    const triangle *t = &s->schur;
    zx_node *w = new_zero_nodes(f, m), *x = new_zero_nodes(f, m), *u = new_zero_nodes(f, m),
            *size = new_zero_nodes(f, m);
    for (int32_t i = 0; i < m; i++) {
        w[i] = zx_unary(f->pool, ZX_SQRT, s->S[i * m + i]);
        x[i] = w[i];
        for (int32_t j = 0; j < i; j++)
            x[i] = plus(f, x[i], times(f, abs_of(f, t->K[i * m + j]), x[j]));
    }
    for (int32_t i = m - 1; i >= 0; i--) {
        u[i] = times(f, x[i], abs_of(f, t->inverse[i]));
        for (int32_t j = i + 1; j < m; j++)
            u[i] = plus(f, u[i], times(f, abs_of(f, t->K[j * m + i]), u[j]));
        size[m - 1 - i] = times(f, w[i], u[i]);
    }
    return times(f, number_node(f, (double)m), write_largest(f, size, m));
}

/* Infinite where M is not definite. */
static zx_node write_guard(fuser *f, const solver *s)
{
    zx_node bound = s->rows == 0          ? f->one
                    : s->rows <= few_rows ? write_determinant_bound(f, s)
                                          : write_triangle_bound(f, s);
    return zx_select(f->pool, s->okay, bound, inverse_of(f, f->zero));
}

/* 1 - mask of a row of A that may be off: then the row is 0, this is its pivot, and its multiplier
 * is 0. Rows that are always on have none. */
static zx_node write_absence(fuser *f, int32_t row)
{
    const int32_t *mask = f->b->zm->mask;
    if (!mask || mask[row] < 0) return f->zero;
    return minus(f, f->one, zx_leaf(f->pool, ZX_VALUE, mask[row]));
}

/* M, the Schur complement of the rows row [rows] of A, and the guard. */
static solver write_factors(fuser *f, const int32_t *row, int32_t rows)
{
    int32_t n = f->n;
    solver s = {.rows = rows, .row = row, .mass = factor_symmetric(f, f->M, n)};
    s.G = new_zero_nodes(f, (int64_t)rows * n);
    s.S = new_zero_nodes(f, (int64_t)rows * rows);
    zx_node *H = new_zero_nodes(f, n);
    for (int32_t i = 0; i < rows; i++) {
        memcpy(s.G + i * n, f->A + row[i] * n, sizeof *s.G * (size_t)n);
        solve_forward(f, &s.mass, s.G + i * n);
        for (int32_t k = 0; k < n; k++) H[k] = times(f, s.G[i * n + k], s.mass.inverse[k]);
        for (int32_t j = 0; j <= i; j++)
            s.S[i * rows + j] = s.S[j * rows + i] = fused_dot(f, n, H, s.G + j * n);
        s.S[i * rows + i] = plus(f, s.S[i * rows + i], write_absence(f, row[i]));
    }
    s.schur = factor_symmetric(f, s.S, rows);
    s.okay = write_definite(f, &s.mass);
    s.guard = write_guard(f, &s);
    return s;
}

/* z [n], lambda [rows] = GG(force, right): M z = force + A^T lambda, A z = right. */
static void write_solution(fuser *f, const solver *s, const zx_node *force, const zx_node *right,
                           zx_node *z, zx_node *lambda)
{
    int32_t n = f->n;
    zx_node *g = new_zero_nodes(f, n), *scaled = new_zero_nodes(f, n);
    memcpy(g, force, sizeof *g * (size_t)n);
    solve_forward(f, &s->mass, g);
    for (int32_t k = 0; k < n; k++) scaled[k] = times(f, g[k], s->mass.inverse[k]);
    for (int32_t i = 0; i < s->rows; i++)
        lambda[i] = minus(f, right[i], fused_dot(f, n, s->G + i * n, scaled));
    solve_forward(f, &s->schur, lambda);
    for (int32_t i = 0; i < s->rows; i++) lambda[i] = times(f, lambda[i], s->schur.inverse[i]);
    solve_backward(f, &s->schur, lambda);
    for (int32_t k = 0; k < n; k++) {
        zx_node sum = g[k];
        for (int32_t i = 0; i < s->rows; i++)
            sum = plus(f, sum, times(f, s->G[i * n + k], lambda[i]));
        z[k] = times(f, sum, s->mass.inverse[k]);
    }
    solve_backward(f, &s->mass, z);
}

/* The same, corrected once by its residual where M is not diagonal. */
static void write_refined_solution(fuser *f, const solver *s, const zx_node *force,
                                   const zx_node *right, zx_node *z, zx_node *lambda)
{
    int32_t n = f->n, m = s->rows;
    write_solution(f, s, force, right, z, lambda);
    if (f->b->model->diagonal_mass) return;
    zx_node *r = new_zero_nodes(f, n), *c = new_zero_nodes(f, m), *dz = new_zero_nodes(f, n),
            *dl = new_zero_nodes(f, m);
    for (int32_t k = 0; k < n; k++) {
        r[k] = minus(f, force[k], fused_dot(f, n, f->M + k * n, z));
        for (int32_t i = 0; i < m; i++)
            r[k] = plus(f, r[k], times(f, f->A[s->row[i] * n + k], lambda[i]));
    }
    for (int32_t i = 0; i < m; i++)
        c[i] = minus(f, right[i], fused_dot(f, n, f->A + s->row[i] * n, z));
    write_solution(f, s, r, c, dz, dl);
    for (int32_t k = 0; k < n; k++) z[k] = plus(f, z[k], dz[k]);
    for (int32_t i = 0; i < m; i++) lambda[i] = plus(f, lambda[i], dl[i]);
}

/* ------------------------------------------------------------------ reactions */

/* force [n] of some rows, A^T lambda. */
static void write_row_force(fuser *f, const zx_node *lambda, int32_t first, int32_t count,
                            zx_node *force)
{
    for (int32_t j = 0; j < f->n; j++) {
        force[j] = f->zero;
        for (int32_t i = first; i < first + count; i++)
            force[j] = plus(f, force[j], times(f, f->A[i * f->n + j], lambda[i]));
    }
}

/* A multiplier, or a reaction as zm_measure_kind says, from lambda [m]. */
static zx_node write_measure(fuser *f, const zm_measure *what, const zx_node *lambda)
{
    const zm_model *zm = f->b->zm;
    if (what->kind == ZM_MULTIPLIER) return lambda[what->row];
    bool all = what->kind == ZM_REACTION_ALL;
    const zm_constraint *c = all ? NULL : &zm->constraints[what->constraint];
    zx_node *force = new_zero_nodes(f, f->n);
    write_row_force(f, lambda, all ? 0 : c->first_row, all ? f->m : c->row_count, force);
    if (what->kind == ZM_REACTION_ON) return force[what->coordinate];
    return zx_unary(f->pool, ZX_SQRT, fused_dot(f, f->n, force, force));
}

/* The nonideal force C from the reactions of lambda: z += GG(C, 0); force [n] = C + A^T
 * lambda_C. */
static void write_nonideal(fuser *f, const solver *s, const zx_node *lambda, zx_node *z,
                           zx_node *force)
{
    const zm_model *zm = f->b->zm;
    int32_t n = f->n, m = f->m;
    zx_node *measures = new_zero_nodes(f, zm->measure_count), *C = new_zero_nodes(f, n),
            *none = new_zero_nodes(f, m);
    zx_node *dz = new_zero_nodes(f, n), *dl = new_zero_nodes(f, m);
    for (int32_t k = 0; k < zm->measure_count; k++)
        measures[k] = write_measure(f, &zm->measures[k], lambda);
    write_passes(f, &f->b->model->nonideal, measures, NULL, C);
    write_refined_solution(f, s, C, none, dz, dl);
    write_row_force(f, dl, 0, m, force);
    for (int32_t k = 0; k < n; k++) {
        z[k] = plus(f, z[k], dz[k]);
        force[k] = plus(f, C[k], force[k]);
    }
}

/* --------------------------------------------------------------------- powers */

/* sum lambda_i (A v)_i over some rows. */
static zx_node write_row_power(fuser *f, const int32_t *rows, int32_t count, const zx_node *v,
                               const zx_node *lambda)
{
    zx_node power = f->zero;
    for (int32_t k = 0; k < count; k++)
        power =
            plus(f, power, times(f, lambda[rows[k]], fused_dot(f, f->n, f->A + rows[k] * f->n, v)));
    return power;
}

/* What the works of a run need, power [ZR_POWER_COUNT]: as zr_powers_at. */
static void write_powers(fuser *f, const zx_node *z, const zx_node *lambda, const zx_node *force,
                         zx_node *power)
{
    const struct zr_energy *e = f->b->model->energy;
    zm_model *zm = f->b->zm;
    zx_node *v = new_zero_nodes(f, f->n), out[zr_sum_columns];
    for (int32_t i = 0; i < f->n; i++) v[i] = zx_leaf(f->pool, ZX_VELOCITY, i);
    for (int32_t k = 0; k < e->powers.count; k++) {
        const zr_sum *sum = &e->powers.list[k];
        instance i = {.family = &zm->families[sum->family], .accelerations = z};
        for (i.number = 0; i.number < i.family->count; i.number++) {
            zx_copy(f->pool, &zm->pool, sum->node, sum->outputs, bind_leaf, &i, out);
            for (int32_t j = 0; j < sum->outputs; j++)
                power[sum->column[j]] = plus(f, power[sum->column[j]], out[j]);
        }
    }
    power[ZR_IDEAL] = write_row_power(f, e->ideal, e->ideal_count, v, lambda);
    power[ZR_CONTROL] = write_row_power(f, e->control, e->control_count, v, lambda);
    if (e->possible & (1u << ZR_NONIDEAL)) power[ZR_NONIDEAL] = fused_dot(f, f->n, v, force);
}

/* ------------------------------------------------------------------- programs */

/* Returns where they begin. */
static int32_t append_roots(zr_roots *w, const zx_node *list, int32_t count)
{
    int32_t at = w->count;
    if (count > 0) memcpy(w->list + at, list, sizeof *list * (size_t)count);
    w->count += count;
    return at;
}

/* The roots of the acceleration, and where each of its outputs stands. */
static zr_roots write_acceleration(fuser *f, zr_fused_places *places)
{
    const zw_model *model = f->b->model;
    int32_t n = f->n, m = f->m, entries = model->A.count;
    int32_t *row = ZB_NEW_ARRAY(&f->b->scratch, int32_t, (size_t)m);
    zx_node *z = new_zero_nodes(f, n), *lambda = new_zero_nodes(f, m),
            *force = new_zero_nodes(f, n);
    for (int32_t i = 0; i < m; i++) row[i] = i;
    solver s = write_factors(f, row, m);
    write_refined_solution(f, &s, f->Q, f->right, z, lambda);
    bool nonideal = model->nonideal.count > 0;
    if (nonideal) write_nonideal(f, &s, lambda, z, force);
    zx_node *A = new_zero_nodes(f, entries);
    for (int32_t i = 0; i < m; i++)
        for (int32_t k = model->A.start[i]; k < model->A.start[i + 1]; k++)
            A[k] = f->A[i * n + model->A.column[k]];
    zx_node *power = new_zero_nodes(f, ZR_POWER_COUNT);
    write_powers(f, z, lambda, force, power);
    zr_roots w = {.list = new_zero_nodes(f, 2 * (int64_t)n + m + entries + 1 + ZR_POWER_COUNT)};
    places->z = append_roots(&w, z, n);
    places->guard = append_roots(&w, &s.guard, 1);
    places->lambda = append_roots(&w, lambda, m);
    places->A = append_roots(&w, A, entries);
    places->force = nonideal ? append_roots(&w, force, n) : -1;
    places->power = w.count;
    for (int k = 0; k < ZR_POWER_COUNT; k++)
        if (zr_possible_powers(model) & (1u << k)) append_roots(&w, &power[k], 1);
    places->powers = w.count - places->power;
    places->count = w.count;
    return w;
}

/* Positions: holonomic rows; velocities: all but rows of accelerations. */
static bool is_row_of_side(const fuser *f, zr_order order, int32_t row)
{
    zm_row_kind kind = zm_row_kind_of(f->b->zm, row);
    return kind == ZM_HOLONOMIC || (order == ZR_VELOCITY && kind != ZM_ACCELERATION);
}

/* max |r_i| / (rounding of the terms of row i), 0 where r_i is exactly: at most 1, nothing to
 * correct. */
static zx_node write_largest_residual(fuser *f, const zx_node *r, const zx_node *magnitude,
                                      int32_t rows)
{
    zx_node *size = new_zero_nodes(f, rows);
    for (int32_t i = 0; i < rows; i++) {
        zx_node unit = times(f, number_node(f, rounding), magnitude[i]);
        zx_node ratio = zx_binary(f->pool, ZX_DIV, abs_of(f, r[i]), unit);
        zx_node exact = zx_binary(f->pool, ZX_EQ, r[i], f->zero);
        size[i] = zx_select(f->pool, exact, f->zero, ratio);
    }
    return write_largest(f, size, rows);
}

/* One Newton step of a projection: the roots of the program `step`; those of `look` are the first
 * side->looks of them. A side without rows has none. */
static zr_roots write_side(fuser *f, zr_order order, zr_fused_side *side)
{
    int32_t n = f->n, m = f->m, shift = order == ZR_VELOCITY ? m : 0;
    side->row = ZB_NEW_ARRAY(f->b->arena, int32_t, (size_t)m);
    for (int32_t i = 0; i < m; i++)
        if (is_row_of_side(f, order, i)) side->row[side->rows++] = i;
    if (side->rows == 0) return (zr_roots){0};
    zx_node *r = new_zero_nodes(f, side->rows), *magnitude = new_zero_nodes(f, side->rows),
            *c = new_zero_nodes(f, side->rows);
    zx_node *d = new_zero_nodes(f, n), *lambda = new_zero_nodes(f, side->rows),
            *none = new_zero_nodes(f, n);
    for (int32_t k = 0; k < side->rows; k++) {
        r[k] = f->level[shift + side->row[k]];
        magnitude[k] = f->level[2 * m + shift + side->row[k]];
        c[k] = zx_unary(f->pool, ZX_NEG, r[k]);
    }
    solver s = write_factors(f, side->row, side->rows);
    write_solution(f, &s, none, c, d, lambda);
    for (int32_t k = 0; k < n; k++)
        d[k] = plus(f, zx_leaf(f->pool, order == ZR_VELOCITY ? ZX_VELOCITY : ZX_POSITION, k), d[k]);
    zx_node off = write_largest_residual(f, r, magnitude, side->rows);
    zr_roots w = {.list = new_zero_nodes(f, (int64_t)n + 2 + 2 * (int64_t)side->rows)};
    side->off = append_roots(&w, &off, 1);
    side->residual = append_roots(&w, r, side->rows);
    side->magnitude = append_roots(&w, magnitude, side->rows);
    side->looks = w.count;
    side->guard = append_roots(&w, &s.guard, 1);
    side->x = append_roots(&w, d, n);
    side->count = w.count;
    return w;
}

/* One program, and room for it in the model's workspace. */
static void compile_roots(fuser *f, zx_pool *pool, const zr_roots *w, zk_program **program)
{
    zr_fused *fused = f->b->model->fused;
    zw_status status = zk_compile(f->b->memory, pool, w->list, w->count, program);
    if (status != ZW_OK) zr_fail(f->b, status);
    size_t workspace = zk_workspace(*program);
    if (workspace > fused->workspace) fused->workspace = workspace;
    if (workspace > f->b->model->workspace) f->b->model->workspace = workspace;
    if (w->count > fused->most_outputs) fused->most_outputs = w->count;
}

/* All programs, roots [count]: what depends on parameters only goes to the prelude. Roots 1 and 2
 * are those of the sides, which have a program `look` besides. */
static void compile_fused_programs(fuser *f, zr_roots *roots, zk_program **const *programs,
                                   int count)
{
    zr_fused *fused = f->b->model->fused;
    zx_pool *pool = &f->b->pools[1];
    zr_hoisting how = {.from = f->pool, .to = pool, .values = zr_first_fused_value(f->b->model)};
    zr_roots prelude = zr_hoist(f->b, &how, roots, count);
    for (int k = 0; k < count; k++)
        if (roots[k].count > 0) compile_roots(f, pool, &roots[k], programs[k]);
    for (int k = 0; k < 2; k++) {
        zr_roots look = {roots[1 + k].list, fused->side[k].looks};
        if (look.count > 0) compile_roots(f, pool, &look, &fused->side[k].look);
    }
    fused->prelude.count = prelude.count;
    if (prelude.count > 0) compile_roots(f, f->pool, &prelude, &fused->prelude.code);
}

/* ---------------------------------------------------------------------- build */

/* A small system whose rows can be independent. */
static bool is_worth_fusing(const zw_model *model)
{
    const zm_model *zm = model->zm;
    int32_t always = zm->m;
    for (int32_t i = 0; zm->mask && i < zm->m; i++) always -= zm->mask[i] >= 0 ? 1 : 0;
    return zm->n > 0 && always <= zm->n && zm->n + zm->m <= most_size;
}

/* Some coordinate has no mass of its own: M is singular, or not definite. */
static bool lacks_diagonal_mass(const fuser *f)
{
    for (int32_t i = 0; i < f->n; i++)
        if (f->M[i * f->n + i] == f->zero) return true;
    return false;
}

/* The programs, unless the acceleration would be too long. */
static void write_fused_programs(fuser *f)
{
    zr_roots roots[3];
    zr_fused *fused = ZB_NEW(f->b->arena, zr_fused);
    roots[0] = write_acceleration(f, &fused->places);
    if (zx_operation_count(f->pool, roots[0].list, roots[0].count) > most_operations) return;
    f->b->model->fused = fused;
    for (int k = 0; k < 2; k++) roots[1 + k] = write_side(f, (zr_order)k, &fused->side[k]);
    zk_program **programs[3] = {&fused->acceleration, &fused->side[0].step, &fused->side[1].step};
    compile_fused_programs(f, roots, programs, 3);
}

/* Two pools: what is written first, and the nodes of the programs after hoisting. */
void zr_build_fused(zr_builder *b)
{
    zw_model *model = b->model;
    if (!is_worth_fusing(model)) return;
    zb_mark mark = zb_arena_mark(&b->scratch);
    zx_pool_init(&b->pools[0], b->memory, &b->escape, true);
    zx_pool_init(&b->pools[1], b->memory, &b->escape, true);
    b->pools_open = true;
    fuser f = {.b = b, .pool = &b->pools[0], .n = b->zm->n, .m = b->zm->m};
    f.zero = zx_number(f.pool, 0.0);
    f.one = zx_number(f.pool, 1.0);
    write_system(&f);
    if (!lacks_diagonal_mass(&f)) write_fused_programs(&f);
    zr_free_pools(b);
    zb_arena_release(&b->scratch, mark);
}

void zr_free_fused(zw_model *model)
{
    zr_fused *fused = model->fused;
    if (!fused) return;
    zk_free(fused->prelude.code);
    zk_free(fused->acceleration);
    zk_free(fused->side[0].step);
    zk_free(fused->side[1].step);
    zk_free(fused->side[0].look);
    zk_free(fused->side[1].look);
}
