/*
 * The linear program of shares, max s with A (y, s) + b >= 0, by its dual, min b^T v with A^T v = -e_s,
 * v >= 0, and the simplex method on that: n rows are a basis, v_B >= 0; (y, s) is where they hold. The
 * row that is violated most comes in, the first whose v falls to 0 leaves; after many steps the lowest numbers
 * instead (Bland), which ends always. It begins with faces of the box, where v = 0 but for s <= most.
 */
#include <math.h>
#include <string.h>

#include "share_space.h"

static double *add_plain(zg_share_program *p, double b, int32_t at, double value)
{
    double *row = zg_add_row(p, -1, b);
    row[at] = value;
    return row;
}

double *zg_add_row(zg_share_program *p, int32_t owner, double b)
{
    double *row = p->row + (size_t)p->rows * (size_t)p->n;
    memset(row, 0, sizeof *row * (size_t)p->n);
    p->owner[p->rows] = owner;
    p->b[p->rows++] = b;
    return row;
}

void zg_begin_program(zg_share_program *p, int32_t nullity, double most)
{
    p->n = nullity + 1;
    p->rows = 0;
    for (int32_t j = 0; j < p->n; j++) {
        add_plain(p, most, j, -1.0);
        p->basis[j] = j;
    }
    for (int32_t j = 0; j < nullity; j++) add_plain(p, most, j, 1.0);
}

/* The basis as a matrix, its rows or (transposed) its columns. */
static void write_basis(const zg_share_program *p, bool transposed, double *B)
{
    int32_t n = p->n;
    for (int32_t i = 0; i < n; i++) {
        const double *row = p->row + (size_t)p->basis[i] * (size_t)n;
        for (int32_t j = 0; j < n; j++) B[transposed ? j * n + i : i * n + j] = row[j];
    }
}

/* The row that is violated, most or first; -1: none. */
static int32_t violated(const zg_share_program *p, bool first)
{
    int32_t worst = -1;
    double least = 0.0;
    for (int32_t i = 0; i < p->rows; i++) {
        const double *row = p->row + (size_t)i * (size_t)p->n;
        double slack = p->b[i], size = fabs(p->b[i]);
        for (int32_t j = 0; j < p->n; j++) {
            slack += row[j] * p->solution[j];
            size += fabs(row[j] * p->solution[j]);
        }
        if (!(slack < -1e-13 * size) || !(slack < least)) continue;
        worst = i;
        if (first) return i;
        least = slack;
    }
    return worst;
}

/* v [n] of the basis, with B [n*n] as scratch. */
static bool find_dual(const zg_share_program *p, double *B, double *v)
{
    memset(v, 0, sizeof *v * (size_t)p->n);
    v[p->n - 1] = -1.0;
    write_basis(p, true, B);
    return zg_solve_square(p->n, B, v);
}

const double *zg_program_dual(zg_share_program *p)
{
    double *v = p->work + (size_t)p->n * (size_t)p->n;
    return find_dual(p, p->work, v) ? v : NULL;
}

/* Row q comes in; false: nothing can leave. v [n], g [n]. */
static bool exchange(zg_share_program *p, int32_t q, double *B, double *v, double *g)
{
    int32_t n = p->n, leaves = -1;
    double least = HUGE_VAL, size = 0.0;
    if (!find_dual(p, B, v)) return false;
    memcpy(g, p->row + (size_t)q * (size_t)n, sizeof *g * (size_t)n);
    write_basis(p, true, B);
    if (!zg_solve_square(n, B, g)) return false;
    for (int32_t i = 0; i < n; i++) size = fmax(size, fabs(g[i]));
    for (int32_t i = 0; i < n; i++) {
        if (!(g[i] > 1e-11 * size)) continue;
        double ratio = fmax(v[i], 0.0) / g[i];
        bool lower = leaves >= 0 && ratio == least && p->basis[i] < p->basis[leaves];
        if (ratio < least || lower) least = ratio, leaves = i;
    }
    if (leaves < 0) return false;
    p->basis[leaves] = q;
    return true;
}

bool zg_solve_program(zg_share_program *p)
{
    int32_t n = p->n, usual = 10 * (p->rows + n), most = 20 * usual;
    double *B = p->work, *v = B + (size_t)n * (size_t)n, *g = v + n;
    for (int32_t step = 0; step < most; step++) {
        for (int32_t i = 0; i < n; i++) p->solution[i] = -p->b[p->basis[i]];
        write_basis(p, false, B);
        if (!zg_solve_square(n, B, p->solution)) return false;
        int32_t q = violated(p, step > usual);
        if (q < 0) return true;
        if (!exchange(p, q, B, v, g)) return false;
    }
    return false;
}

void zg_drop_rows(zg_share_program *p, int32_t first)
{
    int32_t kept = first;
    for (int32_t i = first; i < p->rows; i++) {
        int32_t at = -1;
        for (int32_t j = 0; j < p->n; j++)
            if (p->basis[j] == i) at = j;
        if (at < 0) continue;
        memmove(p->row + (size_t)kept * (size_t)p->n, p->row + (size_t)i * (size_t)p->n,
                sizeof *p->row * (size_t)p->n);
        p->b[kept] = p->b[i];
        p->owner[kept] = p->owner[i];
        p->basis[at] = kept++;
    }
    p->rows = kept;
}
