/*
 * Rows of A that are followed from step to step, and whether they have turned.
 *
 * Take them in their order: row k has a part r_k at right angles to those before it. Where it comes
 * to depend on them r_k goes through 0, and has the opposite direction afterwards. With A0 before
 * and A1 after, L U = A0 A1^T without pivoting has
 *
 *     u_kk = |r_k0| |r_k1| cos(angle between the two),         as long as none before has turned
 *
 * so that a pivot that is not above 0 tells of a turn, for the price of one small factorisation.
 * Rows have few coordinates in common: what is 0 in A0 A1^T, as most is, is passed over.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "run.h"

/* ------------------------------------------------------------------------ rows */

/* Row i of A is spread out over the coordinates, or taken back. */
static void spread_row(const zr_pattern *A, const double *value, int32_t row, double *to)
{
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) to[A->column[p]] = value[p];
}

static void clear_row(const zr_pattern *A, int32_t row, double *to)
{
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) to[A->column[p]] = 0.0;
}

static double multiply_row(const zr_pattern *A, const double *value, int32_t row, const double *x)
{
    double sum = 0.0;
    for (int32_t p = A->start[row]; p < A->start[row + 1]; p++) sum += value[p] * x[A->column[p]];
    return sum;
}

/* ---------------------------------------------------------------------- turns */

/* Row and column i of a b^T, up to the diagonal, which is returned, to where they join
 * the factor. Only rows that have a coordinate in common are met. */
static double multiply_rows(const zr_pattern *A, const zr_passage *p, int32_t i, const double *a,
                            const double *b)
{
    double *x = p->factor.row, *y = p->factor.column, diagonal = 0.0;
    for (int32_t j = p->first[i]; j < i; j++) x[j] = y[j] = 0.0;
    for (int32_t k = A->start[p->row[i]]; k < A->start[p->row[i] + 1]; k++) {
        double ak = a[k], bk = b[k];
        for (const zr_crossing *c = p->crossing + p->column_start[A->column[k]]; c->row < i; c++) {
            x[c->row] += ak * b[c->entry];
            y[c->row] += bk * a[c->entry];
        }
        diagonal += ak * bk;
    }
    return diagonal;
}

/* The same for a = b, where the column is enough. */
static double multiply_own_rows(const zr_pattern *A, const zr_passage *p, int32_t i,
                                const double *a)
{
    double *y = p->factor.column, diagonal = 0.0;
    for (int32_t j = p->first[i]; j < i; j++) y[j] = 0.0;
    for (int32_t k = A->start[p->row[i]]; k < A->start[p->row[i] + 1]; k++) {
        double ak = a[k];
        for (const zr_crossing *c = p->crossing + p->column_start[A->column[k]]; c->row < i; c++)
            y[c->row] += ak * a[c->entry];
        diagonal += ak * ak;
    }
    return diagonal;
}

/* u_ii beside the largest |A_i|^2 so far, of which |square| is one; -1: the row is 0. */
static double relate_pivot(const zr_passage *p, int32_t i, double square, double pivot)
{
    double *size = &p->size[p->row[i]], now = fabs(square);
    *size = now > *size ? now : *size;
    return *size > 0.0 ? pivot / *size : -1.0;
}

double zr_compare_rows(const zw_sim *sim, const double *a, const double *b)
{
    const zr_passage *p = &sim->run->passage;
    double least = 1.0;
    for (int32_t i = 0; i < p->count && least > 0.0; i++) {
        double square = multiply_rows(&sim->model->A, p, i, a, b);
        double pivot =
            relate_pivot(p, i, square, p->kernels->join(&p->factor, p->first[i], i, square));
        if (!(pivot >= least)) least = pivot;
    }
    return least;
}

double zr_smallest_pivot(const zw_sim *sim, const double *a)
{
    const zr_passage *p = &sim->run->passage;
    double least = 1.0;
    for (int32_t i = 0; i < p->count && least > 0.0; i++) {
        double square = multiply_own_rows(&sim->model->A, p, i, a);
        double pivot = relate_pivot(p, i, square,
                                    p->kernels->join_symmetric(&p->factor, p->first[i], i, square));
        if (!(pivot >= least)) least = pivot;
    }
    return least;
}

/* ---------------------------------------------------------------------- choice */

/* Entries of the rows by coordinates, in the order of the rows, and where each row begins to have
 * coordinates in common with others before it: before that factors are 0, and stay so. */
static void find_neighbours(const zw_sim *sim)
{
    const zr_pattern *A = &sim->model->A;
    const zr_passage *p = &sim->run->passage;
    int32_t *start = p->column_start;
    memset(start, 0, sizeof *start * ((size_t)A->columns + 2));
    size_t size = (size_t)p->count * (size_t)p->factor.ld;
    memset(p->factor.lower, 0, sizeof(double) * size);
    memset(p->factor.upper, 0, sizeof(double) * size);
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = A->start[p->row[i]]; k < A->start[p->row[i] + 1]; k++)
            start[A->column[k] + 2]++;
    for (int32_t j = 0; j < A->columns; j++) start[j + 2] += start[j + 1];
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = A->start[p->row[i]]; k < A->start[p->row[i] + 1]; k++) {
            p->crossing[start[A->column[k] + 1]++] = (zr_crossing){i, k};
        }
    for (int32_t i = 0; i < p->count; i++) {
        p->first[i] = i;
        for (int32_t k = A->start[p->row[i]]; k < A->start[p->row[i] + 1]; k++) {
            int32_t earliest = p->crossing[start[A->column[k]]].row;
            if (earliest < p->first[i]) p->first[i] = earliest;
        }
    }
}

void zr_follow_all_rows(const zw_sim *sim)
{
    zr_passage *p = &sim->run->passage;
    p->count = sim->model->A.rows;
    for (int32_t i = 0; i < p->count; i++) p->row[i] = i;
    find_neighbours(sim);
}

/* Column k of a pivoted Cholesky factor of A A^T with rows of unit length: `pivot` is taken. left
 * [m]: the squares of what rows have at right angles to those taken, below 0: taken itself. */
static void take_row(const zw_sim *sim, const double *a, int32_t k, int32_t pivot, double *left)
{
    const zr_pattern *A = &sim->model->A;
    const zr_passage *p = &sim->run->passage;
    int32_t m = A->rows;
    double *column = p->chosen + (size_t)k * (size_t)m, root = sqrt(left[pivot]);
    spread_row(A, a, pivot, p->spread);
    for (int32_t i = 0; i < m; i++) {
        double x = multiply_row(A, a, i, p->spread) / (p->length[i] * p->length[pivot]);
        if (left[i] < 0.0 || !(p->length[i] > 0.0)) continue;
        for (int32_t l = 0; l < k; l++) {
            const double *other = p->chosen + (size_t)l * (size_t)m;
            x -= other[i] * other[pivot];
        }
        column[i] = x / root;
        left[i] = fmax(left[i] - column[i] * column[i], 0.0);
    }
    clear_row(A, pivot, p->spread);
    left[pivot] = -1.0;
}

bool zr_choose_rows(const zw_sim *sim, const double *a)
{
    const zr_pattern *A = &sim->model->A;
    zr_passage *p = &sim->run->passage;
    int32_t rank = sim->run->solving.generic_rank, m = A->rows, *row = p->row + rank;
    if (!p->chosen) return false;
    for (int32_t i = 0; i < m; i++) {
        double sum = 0.0;
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++) sum += a[k] * a[k];
        p->length[i] = sqrt(sum);
        p->share[i] = sum > 0.0 ? 1.0 : 0.0;
    }
    for (int32_t k = 0; k < rank; k++) {
        int32_t best = 0;
        for (int32_t i = 1; i < m; i++)
            if (p->share[i] > p->share[best]) best = i;
        if (!(p->share[best] > zr_close_to_dependent)) return false;
        take_row(sim, a, k, best, p->share);
        row[k] = best;
    }
    memcpy(p->row, row,
           sizeof *row * (size_t)rank); /* in this order pivots are as large as can be */
    p->count = rank;
    find_neighbours(sim);
    return true;
}

/* ---------------------------------------------------------------------- shares */

/* v <- (U^T D^-1 U)^-1 v, D the pivots */
static void solve_factored(const zr_passage *p, double *v)
{
    const za_growing *f = &p->factor;
    for (int32_t i = 0; i < p->count; i++) {
        const double *upper = f->upper + (size_t)i * (size_t)f->ld;
        v[i] /= f->pivots[i];
        for (int32_t k = i + 1; k < p->count; k++) v[k] -= upper[k] * v[i];
    }
    for (int32_t i = p->count - 1; i >= 0; i--) {
        const double *upper = f->upper + (size_t)i * (size_t)f->ld;
        double sum = 0.0;
        for (int32_t k = i + 1; k < p->count; k++) sum += upper[k] * v[k];
        v[i] -= sum / f->pivots[i];
    }
}

/* The factor of A A^T with rows of unit length, with a little more on its diagonal. Rows of length
 * 0 have nothing in common with others. */
static void factor_unit_rows(const zw_sim *sim, const double *a, double *length)
{
    const zr_passage *p = &sim->run->passage;
    for (int32_t i = 0; i < p->count; i++) {
        double square = multiply_own_rows(&sim->model->A, p, i, a);
        length[i] = sqrt(square);
        for (int32_t j = p->first[i]; j < i; j++) {
            double by = length[i] * length[j];
            p->factor.column[j] = by > 0.0 ? p->factor.column[j] / by : 0.0;
        }
        double diagonal = (square > 0.0 ? 1.0 : 0.0) + 1e-12;
        (void)p->kernels->join_symmetric(&p->factor, p->first[i], i, diagonal);
    }
}

void zr_find_place_shares(zw_sim *sim, const double *a)
{
    zr_passage *p = &sim->run->passage;
    double *u = p->share, *length = p->length, size = 1.0, largest = 0.0;
    factor_unit_rows(sim, a, length);
    for (int32_t i = 0; i < p->count; i++) u[i] = 1.0 / (1.0 + i);
    for (int round = 0; round < 3; round++) {
        solve_factored(p, u);
        size = 0.0;
        for (int32_t i = 0; i < p->count; i++) size += u[i] * u[i];
        for (int32_t i = 0; i < p->count; i++) u[i] /= sqrt(size);
    }
    for (int32_t i = 0; i < p->count; i++) largest = fmax(largest, fabs(u[i]));
    for (int32_t i = 0; i < p->count; i++) {
        if (fabs(u[i]) > 0.03 * largest) p->concerned[p->row[i]] = true;
        u[i] = fabs(u[i]) > 1e-6 * largest && length[i] > 0.0 ? u[i] / length[i] : 0.0;
    }
}
