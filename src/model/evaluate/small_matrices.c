/*
 * Products, determinants and inverses of matrices in expressions. Up to 4 x 4 determinants are
 * expanded by the first column and inverses are cofactors over the determinant, all as expressions;
 * larger ones are computed now, and only when every element is a number.
 */
#include "elaborate.h"

#include <math.h>

enum { LARGEST_EXPANDED = 4 };

/* a is a matrix, b a vector or a matrix; a->columns == b->rows. */
zm_value zm_multiply_matrix(zm_elab *e, const zm_value *a, const zm_value *b)
{
    int32_t width = b->columns ? b->columns : 1;
    zm_value out = zm_new_items(e, a->rows, b->columns);
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t j = 0; j < width; j++) {
            zx_node sum = zx_number(e->world, 0.0);
            for (int32_t k = 0; k < a->columns; k++)
                sum = zx_binary(e->world, ZX_ADD, sum,
                                zx_binary(e->world, ZX_MUL, zm_element(e, a, i * a->columns + k),
                                          zm_element(e, b, k * width + j)));
            out.items[i * width + j] = sum;
        }
    return out;
}

/* A square array of nodes, at most 4 x 4. */
typedef struct square {
    zx_node at[LARGEST_EXPANDED][LARGEST_EXPANDED];
    int32_t size;
} square;

/* The minor that is left. */
static square remove_row_and_column(const square *a, int32_t row, int32_t column)
{
    square out = {.size = a->size - 1};
    for (int32_t i = 0; i < out.size; i++)
        for (int32_t j = 0; j < out.size; j++)
            out.at[i][j] = a->at[i + (i >= row)][j + (j >= column)];
    return out;
}

/* The determinant as an expression, expanded by the first column; 1 for an empty array. */
static zx_node expand_determinant(zm_elab *e, const square *a)
{
    if (a->size == 0) return zx_number(e->world, 1.0);
    if (a->size == 1) return a->at[0][0];
    zx_node sum = zx_number(e->world, 0.0);
    for (int32_t i = 0; i < a->size; i++) {
        square minor = remove_row_and_column(a, i, 0);
        zx_node product = zx_binary(e->world, ZX_MUL, a->at[i][0], expand_determinant(e, &minor));
        sum = zx_binary(e->world, i % 2 ? ZX_SUB : ZX_ADD, sum, product);
    }
    return sum;
}

/* The elements of a square matrix of at most 4 x 4. */
static square square_from_value(zm_elab *e, const zm_value *a)
{
    square out = {.size = a->rows};
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t j = 0; j < a->rows; j++) out.at[i][j] = zm_element(e, a, i * a->rows + j);
    return out;
}

/* ---------------------------------------------------------------- large: numbers */

/* The elements of a as numbers, n * n of them, in scratch; NULL after an error. */
static double *read_matrix_numbers(zm_elab *e, const zl_expr *x, const zm_value *a)
{
    double *out = ZB_NEW_ARRAY(&e->scratch, double, zm_size(a));
    for (int32_t k = 0; k < zm_size(a); k++)
        if (!zx_is_constant(e->world, zm_element(e, a, k), &out[k])) {
            ZM_ERROR(e, "E0210", x->place, "beyond 4×4 only matrices of plain numbers",
                     "%s of a %d×%d matrix that is not constant", zm_name_of(e, x->name),
                     (int)a->rows, (int)a->rows);
            return NULL;
        }
    return out;
}

/* Of an n x n matrix stored row by row. */
static void exchange_matrix_rows(double *a, int32_t n, int32_t i, int32_t j)
{
    for (int32_t k = 0; k < n; k++) {
        double swap = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = swap;
    }
}

/* Gauss-Jordan with row pivoting: a [n n] becomes the unit matrix, the rows of `with` (the same
 * size, or NULL) go along, so that a unit matrix becomes the inverse. Returns the determinant; 0:
 * it stopped half-way. */
static double eliminate_gauss_jordan(double *a, double *with, int32_t n)
{
    double det = 1.0;
    for (int32_t k = 0; k < n; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        double pivot = a[best * n + k];
        det *= best == k ? pivot : -pivot;
        if (pivot == 0.0) return 0.0;
        exchange_matrix_rows(a, n, k, best);
        if (with) exchange_matrix_rows(with, n, k, best);
        for (int32_t j = 0; j < n; j++) {
            a[k * n + j] /= pivot;
            if (with) with[k * n + j] /= pivot;
        }
        for (int32_t i = 0; i < n; i++) {
            double factor = a[i * n + k];
            if (i == k || factor == 0.0) continue;
            for (int32_t j = 0; j < n; j++) {
                a[i * n + j] -= factor * a[k * n + j];
                if (with) with[i * n + j] -= factor * with[k * n + j];
            }
        }
    }
    return det;
}

static zm_value report_no_inverse(zm_elab *e, const zl_expr *x)
{
    ZM_ERROR(e, "E0213", x->place, NULL, "this matrix has no inverse: its determinant is 0");
    return zm_broken();
}

/* The inverse of a large matrix, all of whose elements must be numbers. */
static zm_value invert_numbers(zm_elab *e, const zl_expr *x, const zm_value *a)
{
    int32_t n = a->rows;
    double *numbers = read_matrix_numbers(e, x, a);
    if (!numbers) return zm_broken();
    double *inverse = ZB_NEW_ARRAY(&e->scratch, double, n *n);
    for (int32_t i = 0; i < n; i++) inverse[i * n + i] = 1.0;
    if (eliminate_gauss_jordan(numbers, inverse, n) == 0.0) return report_no_inverse(e, x);
    zm_value out = zm_new_items(e, n, n);
    for (int32_t k = 0; k < n * n; k++) out.items[k] = zx_number(e->world, inverse[k]);
    return out;
}

/* -------------------------------------------------------------------------- both */

/* Small ones as expressions, large ones as numbers. */
zm_value zm_matrix_determinant(zm_elab *e, const zl_expr *x, const zm_value *a)
{
    if (a->rows <= LARGEST_EXPANDED) {
        square s = square_from_value(e, a);
        return zm_node_value(e, expand_determinant(e, &s));
    }
    double *numbers = read_matrix_numbers(e, x, a);
    return numbers ? zm_number(eliminate_gauss_jordan(numbers, NULL, a->rows), false) : zm_broken();
}

/* Small ones as cofactors over the determinant. A determinant known to be 0 is an error, but not
 * inside a branch of if(...), which may never be needed. */
zm_value zm_invert_matrix(zm_elab *e, const zl_expr *x, const zm_value *a)
{
    if (a->rows > LARGEST_EXPANDED) return invert_numbers(e, x, a);
    square s = square_from_value(e, a);
    zx_node det = expand_determinant(e, &s);
    double number;
    bool none = zx_is_constant(e->world, det, &number) && number == 0.0;
    if (none && e->flags.guarded == 0)
        return report_no_inverse(e, x); /* in a branch it may never be needed */
    zm_value out = zm_new_items(e, a->rows, a->rows);
    for (int32_t i = 0; i < a->rows; i++)
        for (int32_t j = 0; j < a->rows; j++) {
            square minor = remove_row_and_column(&s, j, i);
            zx_node cofactor = expand_determinant(e, &minor);
            if ((i + j) % 2) cofactor = zx_unary(e->world, ZX_NEG, cofactor);
            out.items[i * a->rows + j] = zx_binary(e->world, ZX_DIV, cofactor, det);
        }
    return out;
}
