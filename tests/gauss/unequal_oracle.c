/*
 * unequal_oracle.c: enumeration with GMP rationals. With F the rows of a set and W' the inverse of
 * what is left of W^-1 for them, the solution of the set is that of
 *
 *     [M N; N 0] (z, .) = (Q + C, A^T W' b),   N = A^T W' A
 *
 * and it is right when p = W' (A z - b) <= 0 in inequalities, A z >= b + r in those left out, with
 * r = W^-1 p, and M z - Q - C = A^T lambda with lambda >= 0 where p = 0. Sets whose rows with p = 0
 * depend on others are not needed: a cone is the union of those of its independent rows.
 */
#include "unequal_oracle.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

#include "random_numbers.h"

/* -------------------------------------------------------------------- rational matrices */

typedef struct table {
    int32_t rows, columns;
    mpq_t *e;
} table;

static table table_new(int32_t rows, int32_t columns)
{
    table t = {rows, columns, calloc((size_t)(rows * columns) + 1, sizeof(mpq_t))};
    if (t.e == NULL) abort();
    for (int32_t k = 0; k < rows * columns; k++) mpq_init(t.e[k]);
    return t;
}

static void table_free(table *t)
{
    for (int32_t k = 0; k < t->rows * t->columns; k++) mpq_clear(t->e[k]);
    free(t->e);
    *t = (table){0};
}

static mpq_ptr at(const table *t, int32_t i, int32_t j)
{
    return t->e[i * t->columns + j];
}

static table table_from(const double *x, int32_t rows, int32_t columns, int32_t ld)
{
    table t = table_new(rows, columns);
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < columns; j++) mpq_set_d(at(&t, i, j), x[i * ld + j]);
    return t;
}

/* a b, or a^T b */
static table product(const table *a, bool transposed, const table *b)
{
    int32_t rows = transposed ? a->columns : a->rows, inner = transposed ? a->rows : a->columns;
    table c = table_new(rows, b->columns);
    mpq_t t;
    mpq_init(t);
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < b->columns; j++)
            for (int32_t k = 0; k < inner; k++) {
                mpq_mul(t, transposed ? at(a, k, i) : at(a, i, k), at(b, k, j));
                mpq_add(at(&c, i, j), at(&c, i, j), t);
            }
    mpq_clear(t);
    return c;
}

/* Rows and columns `keep` of a square table; columns NULL: all. */
static table part(const table *a, const int32_t *row, int32_t rows, const int32_t *column,
                  int32_t columns)
{
    table c = table_new(rows, columns);
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < columns; j++)
            mpq_set(at(&c, i, j), at(a, row ? row[i] : i, column ? column[j] : j));
    return c;
}

/* Reduced echelon form in place; pivot [rows]: the column of each row's pivot. The rank. */
static int32_t reduce(table *t, int32_t columns, int32_t *pivot)
{
    int32_t rank = 0;
    mpq_t factor, term;
    mpq_init(factor);
    mpq_init(term);
    for (int32_t c = 0; c < columns && rank < t->rows; c++) {
        int32_t k = rank;
        while (k < t->rows && mpq_sgn(at(t, k, c)) == 0) k++;
        if (k == t->rows) continue;
        for (int32_t j = 0; j < t->columns; j++) mpq_swap(at(t, k, j), at(t, rank, j));
        mpq_inv(factor, at(t, rank, c));
        for (int32_t j = 0; j < t->columns; j++) mpq_mul(at(t, rank, j), at(t, rank, j), factor);
        for (int32_t i = 0; i < t->rows; i++) {
            if (i == rank || mpq_sgn(at(t, i, c)) == 0) continue;
            mpq_set(factor, at(t, i, c));
            for (int32_t j = 0; j < t->columns; j++) {
                mpq_mul(term, factor, at(t, rank, j));
                mpq_sub(at(t, i, j), at(t, i, j), term);
            }
        }
        pivot[rank++] = c;
    }
    mpq_clear(factor);
    mpq_clear(term);
    return rank;
}

/* One x with a x = b, zeros in the free places; false: there is none. */
static bool solve(const table *a, const table *b, table *x)
{
    table t = table_new(a->rows, a->columns + 1);
    int32_t *pivot = calloc((size_t)a->rows + 1, sizeof *pivot);
    if (pivot == NULL) abort();
    for (int32_t i = 0; i < a->rows; i++) {
        for (int32_t j = 0; j < a->columns; j++) mpq_set(at(&t, i, j), at(a, i, j));
        mpq_set(at(&t, i, a->columns), at(b, i, 0));
    }
    int32_t rank = reduce(&t, a->columns, pivot);
    bool there = true;
    for (int32_t i = rank; i < a->rows; i++) there = there && mpq_sgn(at(&t, i, a->columns)) == 0;
    *x = table_new(a->columns, 1);
    for (int32_t i = 0; i < rank; i++) mpq_set(at(x, pivot[i], 0), at(&t, i, a->columns));
    if (!there) table_free(x);
    table_free(&t);
    free(pivot);
    return there;
}

static int32_t rank_of(const table *a)
{
    table t = part(a, NULL, a->rows, NULL, a->columns);
    int32_t *pivot = calloc((size_t)a->rows + 1, sizeof *pivot);
    if (pivot == NULL) abort();
    int32_t rank = reduce(&t, t.columns, pivot);
    table_free(&t);
    free(pivot);
    return rank;
}

static table inverse(const table *a)
{
    int32_t n = a->rows, pivot[UNEQUAL_M + 1];
    table t = table_new(n, 2 * n);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) mpq_set(at(&t, i, j), at(a, i, j));
        mpq_set_si(at(&t, i, n + i), 1, 1);
    }
    if (reduce(&t, n, pivot) != n) abort();
    table c = table_new(n, n);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) mpq_set(at(&c, i, j), at(&t, i, n + j));
    table_free(&t);
    return c;
}

/* Columns span the null space of a. */
static table null_space(const table *a)
{
    table t = part(a, NULL, a->rows, NULL, a->columns);
    int32_t *pivot = calloc((size_t)(a->rows + a->columns) + 1, sizeof *pivot), free_count = 0;
    if (pivot == NULL) abort();
    int32_t rank = reduce(&t, t.columns, pivot);
    table c = table_new(a->columns, a->columns - rank);
    for (int32_t j = 0, k = 0; j < a->columns; j++) {
        if (k < rank && pivot[k] == j) {
            k++;
            continue;
        }
        mpq_set_si(at(&c, j, free_count), 1, 1);
        for (int32_t i = 0; i < rank; i++) mpq_neg(at(&c, pivot[i], free_count), at(&t, i, j));
        free_count++;
    }
    table_free(&t);
    free(pivot);
    return c;
}

/* ------------------------------------------------------------------------ one problem */

typedef struct exact {
    int32_t n, m, e;
    table M, f, A, b, W, V; /* V = W^-1 */
} exact;

static exact exact_from(const unequal_problem *p)
{
    exact x = {.n = p->n, .m = p->m, .e = p->m - p->inequalities};
    x.M = table_from(p->M, p->n, p->n, p->n);
    x.f = table_from(p->Q, p->n, 1, 1);
    for (int32_t j = 0; j < p->n && p->with_C; j++) {
        mpq_t c;
        mpq_init(c);
        mpq_set_d(c, p->C[j]);
        mpq_add(at(&x.f, j, 0), at(&x.f, j, 0), c);
        mpq_clear(c);
    }
    x.A = table_from(p->A, p->m, p->n, p->n);
    x.b = table_from(p->b, p->m, 1, 1);
    x.W = table_from(p->W, p->m, p->m, p->m);
    x.V = inverse(&x.W);
    return x;
}

static void exact_free(exact *x)
{
    table *all[] = {&x->M, &x->f, &x->A, &x->b, &x->W, &x->V};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) table_free(all[k]);
}

static bool is_undetermined(const exact *x)
{
    table t = table_new(x->n + x->e, x->n);
    for (int32_t i = 0; i < x->n + x->e; i++)
        for (int32_t j = 0; j < x->n; j++)
            mpq_set(at(&t, i, j), i < x->n ? at(&x->M, i, j) : at(&x->A, i - x->n, j));
    int32_t rank = rank_of(&t);
    table_free(&t);
    return rank < x->n;
}

/* The rows of a set: equations, and bit i - e of `set` for inequality i. */
static int32_t rows_of(const exact *x, uint32_t set, int32_t *row)
{
    int32_t count = 0;
    for (int32_t i = 0; i < x->m; i++)
        if (i < x->e || (set >> (i - x->e) & 1)) row[count++] = i;
    return count;
}

/* A candidate: z, p, r, slack, all exact. */
typedef struct candidate {
    table z, p, r, slack, force;
} candidate;

static void candidate_free(candidate *c)
{
    table *all[] = {&c->z, &c->p, &c->r, &c->slack, &c->force};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) table_free(all[k]);
}

/* z of a set. */
static table solve_set(const exact *x, const table *A, const table *b, const table *W)
{
    int32_t n = x->n;
    table WA = product(W, false, A), N = product(A, true, &WA), right = product(&WA, true, b);
    table K = table_new(2 * n, 2 * n), k = table_new(2 * n, 1), y;
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            mpq_set(at(&K, i, j), at(&x->M, i, j));
            mpq_set(at(&K, i, n + j), at(&N, i, j));
            mpq_set(at(&K, n + i, j), at(&N, i, j));
        }
        mpq_set(at(&k, i, 0), at(&x->f, i, 0));
        mpq_set(at(&k, n + i, 0), at(&right, i, 0));
    }
    if (!solve(&K, &k, &y)) abort();
    table z = part(&y, NULL, n, NULL, 1);
    table *all[] = {&WA, &N, &right, &K, &k, &y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) table_free(all[i]);
    return z;
}

static void subtract(table *a, const table *b)
{
    for (int32_t k = 0; k < a->rows * a->columns; k++) mpq_sub(a->e[k], a->e[k], b->e[k]);
}

static candidate try_set(const exact *x, uint32_t set)
{
    int32_t row[UNEQUAL_M], count = rows_of(x, set, row);
    table A = part(&x->A, row, count, NULL, x->n), b = part(&x->b, row, count, NULL, 1);
    table V = part(&x->V, row, count, row, count), W = inverse(&V);
    candidate c = {.z = solve_set(x, &A, &b, &W)};
    table r = product(&A, false, &c.z);
    subtract(&r, &b);
    table p = product(&W, false, &r);
    c.p = table_new(x->m, 1);
    for (int32_t i = 0; i < count; i++) mpq_set(at(&c.p, row[i], 0), at(&p, i, 0));
    c.r = product(&x->V, false, &c.p);
    c.slack = product(&x->A, false, &c.z);
    subtract(&c.slack, &x->b);
    subtract(&c.slack, &c.r);
    c.force = product(&x->M, false, &c.z);
    subtract(&c.force, &x->f);
    table *all[] = {&A, &b, &V, &W, &r, &p};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) table_free(all[i]);
    return c;
}

/* lambda >= 0 of the rows with p = 0, which must not depend on the others and each other. */
static bool pushes(const exact *x, uint32_t set, const candidate *c)
{
    int32_t row[UNEQUAL_M], count = rows_of(x, set, row), fixed[UNEQUAL_M], others = 0;
    for (int32_t i = 0; i < count; i++)
        if (row[i] < x->e || mpq_sgn(at(&c->p, row[i], 0)) != 0) fixed[others++] = row[i];
    table A = part(&x->A, row, count, NULL, x->n), held = part(&x->A, fixed, others, NULL, x->n);
    bool good = rank_of(&A) == rank_of(&held) + count - others;
    table T = table_new(x->n, count), l;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < x->n; j++) mpq_set(at(&T, j, i), at(&A, i, j));
    good = good && solve(&T, &c->force, &l);
    if (good) {
        for (int32_t i = 0; i < count; i++)
            if (row[i] >= x->e && mpq_sgn(at(&c->p, row[i], 0)) == 0)
                good = good && mpq_sgn(at(&l, i, 0)) >= 0;
        table_free(&l);
    }
    table_free(&A);
    table_free(&held);
    table_free(&T);
    return good;
}

static bool is_right(const exact *x, uint32_t set, const candidate *c)
{
    for (int32_t i = x->e; i < x->m; i++) {
        bool on = set >> (i - x->e) & 1;
        if (on ? mpq_sgn(at(&c->p, i, 0)) > 0 : mpq_sgn(at(&c->slack, i, 0)) < 0) return false;
    }
    return pushes(x, set, c);
}

/* ----------------------------------------------------------------------------- shares */

/* Least multipliers on rows [count] with A^T l = force; false: there are none. norm: l^T V l. */
static bool least_multipliers(const exact *x, const int32_t *row, int32_t count, const table *force,
                              table *l, mpq_t norm)
{
    table A = part(&x->A, row, count, NULL, x->n), V = part(&x->V, row, count, row, count);
    table W = inverse(&V), WA = product(&W, false, &A), N = product(&A, true, &WA), w;
    bool there = solve(&N, force, &w);
    if (there) {
        *l = product(&WA, false, &w);
        table Vl = product(&V, false, l), square = product(l, true, &Vl);
        mpq_set(norm, at(&square, 0, 0));
        table_free(&Vl);
        table_free(&square);
        table_free(&w);
    }
    table *all[] = {&A, &V, &W, &WA, &N};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) table_free(all[i]);
    return there;
}

/* Of all sets of the closed rows that may carry something, the least. free_sign: equations and rows
 * in conflict. best [m]. */
static void find_shares(const exact *x, const candidate *c, const bool *closed, table *best)
{
    mpq_t norm, least;
    bool found = false;
    mpq_init(norm);
    mpq_init(least);
    *best = table_new(x->m, 1);
    for (uint32_t set = 0; set < 1u << (x->m - x->e); set++) {
        int32_t row[UNEQUAL_M], count = rows_of(x, set, row);
        bool allowed = true, good = true;
        for (int32_t i = x->e; i < x->m; i++) {
            bool in = set >> (i - x->e) & 1, conflict = mpq_sgn(at(&c->p, i, 0)) < 0;
            allowed = allowed && (closed[i] ? in || !conflict : !in);
        }
        table l;
        if (!allowed || !least_multipliers(x, row, count, &c->force, &l, norm)) continue;
        for (int32_t i = 0; i < count; i++)
            if (row[i] >= x->e && mpq_sgn(at(&c->p, row[i], 0)) == 0 && mpq_sgn(at(&l, i, 0)) < 0)
                good = false;
        if (good && (!found || mpq_cmp(norm, least) < 0)) {
            found = true;
            mpq_set(least, norm);
            for (int32_t i = 0; i < x->m; i++) mpq_set_si(at(best, i, 0), 0, 1);
            for (int32_t i = 0; i < count; i++) mpq_set(at(best, row[i], 0), at(&l, i, 0));
        }
        table_free(&l);
    }
    if (!found) abort();
    mpq_clear(norm);
    mpq_clear(least);
}

/* ----------------------------------------------------------------------------- unique */

/* The null space of A^T over the closed rows, with the entries of rows in `zero` put to 0. */
static table relations(const exact *x, const bool *closed, uint32_t zero)
{
    table T = table_new(x->n + 2 * x->m, x->m);
    for (int32_t i = 0; i < x->m; i++) {
        for (int32_t j = 0; j < x->n; j++) mpq_set(at(&T, j, i), at(&x->A, i, j));
        if (!closed[i]) mpq_set_si(at(&T, x->n + i, i), 1, 1);
        if (zero >> i & 1) mpq_set_si(at(&T, x->n + x->m + i, i), 1, 1);
    }
    table N = null_space(&T);
    table_free(&T);
    return N;
}

/* The cone of directions in which shares may change is spanned by its lineality space and by the
 * rays on its faces of one dimension more. */
static void find_unique(const exact *x, const candidate *c, const table *share, const bool *closed,
                        bool *unique)
{
    uint32_t bound = 0;
    for (int32_t i = x->e; i < x->m; i++)
        if (closed[i] && mpq_sgn(at(&c->p, i, 0)) == 0 && mpq_sgn(at(share, i, 0)) == 0)
            bound |= 1u << i;
    for (int32_t i = 0; i < x->m; i++) unique[i] = true;
    table L = relations(x, closed, bound);
    for (int32_t i = 0; i < x->m; i++)
        for (int32_t k = 0; k < L.columns; k++)
            if (mpq_sgn(at(&L, i, k)) != 0) unique[i] = false;
    int32_t lines = L.columns;
    table_free(&L);
    for (uint32_t face = bound;; face = (face - 1) & bound) {
        table N = relations(x, closed, face);
        /* a ray is a direction of the face beyond the lines: one whose entries in `bound` are not
         * all 0; they are the same up to a factor in all such columns */
        for (int32_t k = 0; k < N.columns && N.columns == lines + 1; k++) {
            int up = 0, down = 0;
            for (int32_t i = 0; i < x->m; i++) {
                if (!(bound >> i & 1)) continue;
                up |= mpq_sgn(at(&N, i, k)) > 0;
                down |= mpq_sgn(at(&N, i, k)) < 0;
            }
            if (up == down) continue;
            for (int32_t i = 0; i < x->m; i++)
                if (mpq_sgn(at(&N, i, k)) != 0) unique[i] = false;
        }
        table_free(&N);
        if (face == 0) break;
    }
}

/* ------------------------------------------------------------------------------ truth */

static void write_truth(const exact *x, const candidate *c, unequal_truth *t)
{
    table share, rp = product(&c->r, true, &c->p);
    for (int32_t j = 0; j < x->n; j++) {
        t->z[j] = mpq_get_d(at(&c->z, j, 0));
        t->force[j] = mpq_get_d(at(&c->force, j, 0));
    }
    for (int32_t i = 0; i < x->m; i++) {
        t->r[i] = mpq_get_d(at(&c->r, i, 0));
        t->p[i] = mpq_get_d(at(&c->p, i, 0));
        t->slack[i] = mpq_get_d(at(&c->slack, i, 0));
        t->closed[i] = i < x->e || mpq_sgn(at(&c->slack, i, 0)) == 0;
    }
    t->conflict2 = mpq_get_d(at(&rp, 0, 0));
    find_shares(x, c, t->closed, &share);
    for (int32_t i = 0; i < x->m; i++) t->shares[i] = mpq_get_d(at(&share, i, 0));
    find_unique(x, c, &share, t->closed, t->unique);
    table_free(&share);
    table_free(&rp);
}

void unequal_solve(const unequal_problem *p, unequal_truth *truth)
{
    exact x = exact_from(p);
    *truth = (unequal_truth){.undetermined = is_undetermined(&x)};
    for (uint32_t set = 0; set < 1u << p->inequalities && !truth->undetermined; set++) {
        candidate c = try_set(&x, set);
        if (is_right(&x, set, &c) && truth->right++ == 0) write_truth(&x, &c, truth);
        candidate_free(&c);
    }
    if (!truth->undetermined && truth->right == 0) abort();
    exact_free(&x);
}

/* ------------------------------------------------------------------------ random problems */

static double small(uint64_t *s)
{
    return (double)random_integer(s, -4, 4);
}

/* F^T F of `rows` rows, and 1 on the diagonal where definite. */
static void make_square(uint64_t *s, int32_t n, int32_t rows, bool definite, double *X)
{
    double F[UNEQUAL_M * UNEQUAL_M];
    for (int32_t k = 0; k < rows * n; k++) F[k] = (double)random_integer(s, -2, 2);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) {
            double sum = definite && i == j ? 1.0 : 0.0;
            for (int32_t k = 0; k < rows; k++) sum += F[k * n + i] * F[k * n + j];
            X[i * n + j] = sum;
        }
}

static void make_weight(unequal_problem *p, uint64_t *s)
{
    int32_t kind = random_integer(s, 0, 3);
    memset(p->W, 0, sizeof p->W);
    for (int32_t i = 0; i < p->m; i++)
        p->W[i * p->m + i] = kind == 0 ? 1.0 : (double)random_integer(s, 1, 9);
    if (kind == 3) make_square(s, p->m, p->m, true, p->W);
}

/* Row i: of its own, zeros, or made from two rows before it. */
static void make_row(unequal_problem *p, uint64_t *s, int32_t i)
{
    int32_t n = p->n, kind = random_integer(s, 0, 9);
    double *a = p->A + i * n;
    for (int32_t j = 0; j < n; j++) a[j] = random_integer(s, 0, 2) == 0 ? 0.0 : small(s);
    p->b[i] = small(s);
    if (kind == 0 && random_integer(s, 0, 4) == 0) memset(a, 0, sizeof *a * (size_t)n);
    if (kind > 4 || kind == 0 || i == 0) return;
    int32_t k = random_integer(s, 0, i - 1), l = random_integer(s, 0, i - 1);
    double u = (double)random_integer(s, -2, 2),
           v = kind < 3 ? 0.0 : (double)random_integer(s, -1, 1);
    if (u == 0.0) u = -1.0;
    for (int32_t j = 0; j < n; j++) a[j] = u * p->A[k * n + j] + v * p->A[l * n + j];
    p->b[i] = u * p->b[k] + v * p->b[l] + (kind & 1 ? small(s) : 0.0);
}

void unequal_make(unequal_problem *p, uint64_t seed)
{
    uint64_t s = seed;
    *p = (unequal_problem){.n = random_integer(&s, 1, 4), .inequalities = random_integer(&s, 1, 5)};
    int32_t e = random_integer(&s, -1, 2);
    p->m = (e < 0 ? 0 : e) + p->inequalities;
    bool singular = random_integer(&s, 0, 4) == 0 && p->n > 1;
    make_square(&s, p->n, singular ? p->n - random_integer(&s, 0, 1) : p->n, !singular, p->M);
    double trace = 0.0;
    for (int32_t j = 0; j < p->n; j++) trace += p->M[j * p->n + j];
    if (trace == 0.0) p->M[0] = 1.0;
    for (int32_t j = 0; j < p->n; j++) p->Q[j] = small(&s);
    p->with_C = random_integer(&s, 0, 3) == 0;
    for (int32_t j = 0; j < p->n && p->with_C; j++) p->C[j] = small(&s);
    for (int32_t i = 0; i < p->m; i++) make_row(p, &s, i);
    make_weight(p, &s);
    if (random_integer(&s, 0, 3) != 0) return; /* else: all rows meet in one point, or nearly */
    double z[UNEQUAL_N];
    for (int32_t j = 0; j < p->n; j++) z[j] = small(&s);
    for (int32_t i = 0; i < p->m; i++) {
        p->b[i] = random_integer(&s, 0, 5) == 0 && i >= p->m - p->inequalities ? -1.0 : 0.0;
        for (int32_t j = 0; j < p->n; j++) p->b[i] += p->A[i * p->n + j] * z[j];
    }
}
