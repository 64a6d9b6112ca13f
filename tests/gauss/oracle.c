/*
 * oracle.c: the General Gauss Principle by integers.
 *
 * Doubles are integers times a power of two, so all data become integer matrices. With
 * N an integer basis of ker A, the two stages of the principle are two linear systems:
 *
 *     A^T W A z0 = A^T W b                     z0 makes |A z - b|_W least,
 *     N^T M N y  = N^T (Q + C - M z0)          z = z0 + N y is nearest to M^-1 (Q + C),
 *
 * the second being the part of M z - Q - C = A^T mu that A^T cannot reach. Both are solved
 * by fraction-free Gauss-Jordan elimination (Bareiss), which divides without remainder.
 * M may be singular; N^T M N is not, exactly when [M; A] has full column rank.
 *
 * A vector of rationals is a grid of numerators, one denominator and a power of two.
 */
#include "oracle.h"

#include <assert.h>
#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct grid {
    int32_t rows, cols;
    mpz_t *e;
} grid;

typedef struct fractions {
    grid num;
    mpz_t den;
    long exponent; /* value = num / den * 2^exponent */
} fractions;

struct oracle_exact {
    const problem *p;
    grid M, Q, C; /* times 2^eM; Q and C are columns */
    grid A, b;    /* times 2^eA */
    grid W;       /* times 2^eW */
    grid N;       /* columns span ker A */
    long eM, eA, eW;
    fractions z0, z, lambda, ideal;
};

/* ------------------------------------------------------- integer matrices */

static grid grid_new(int32_t rows, int32_t cols) {
    size_t count = (size_t)rows * (size_t)cols;
    grid g = {rows, cols, malloc((count + 1) * sizeof(mpz_t))};
    for (size_t i = 0; i < count; i++) {
        mpz_init(g.e[i]);
    }
    return g;
}

static void grid_free(grid *g) {
    for (int32_t i = 0; i < g->rows * g->cols; i++) {
        mpz_clear(g->e[i]);
    }
    free(g->e);
    g->e = NULL;
    g->rows = g->cols = 0;
}

static mpz_ptr at(const grid *g, int32_t i, int32_t j) { return g->e[i * g->cols + j]; }

static grid transpose(const grid *a) {
    grid t = grid_new(a->cols, a->rows);
    for (int32_t i = 0; i < a->rows; i++) {
        for (int32_t j = 0; j < a->cols; j++) {
            mpz_set(at(&t, j, i), at(a, i, j));
        }
    }
    return t;
}

static grid product(const grid *a, const grid *b) {
    grid c = grid_new(a->rows, b->cols);
    for (int32_t i = 0; i < a->rows; i++) {
        for (int32_t j = 0; j < b->cols; j++) {
            for (int32_t k = 0; k < a->cols; k++) {
                mpz_addmul(at(&c, i, j), at(a, i, k), at(b, k, j));
            }
        }
    }
    return c;
}

/* a^T b */
static grid inner(const grid *a, const grid *b) {
    grid t = transpose(a);
    grid c = product(&t, b);
    grid_free(&t);
    return c;
}

/* [a b], a new grid */
static grid beside(const grid *a, const grid *b) {
    grid c = grid_new(a->rows, a->cols + b->cols);
    for (int32_t i = 0; i < c.rows; i++) {
        for (int32_t j = 0; j < c.cols; j++) {
            mpz_set(at(&c, i, j), j < a->cols ? at(a, i, j) : at(b, i, j - a->cols));
        }
    }
    return c;
}

/* s a - t b, a new grid */
static grid difference(mpz_srcptr s, const grid *a, mpz_srcptr t, const grid *b) {
    grid c = grid_new(a->rows, a->cols);
    for (int32_t i = 0; i < a->rows * a->cols; i++) {
        mpz_mul(c.e[i], s, a->e[i]);
        mpz_submul(c.e[i], t, b->e[i]);
    }
    return c;
}

static bool is_zero(const grid *a) {
    for (int32_t i = 0; i < a->rows * a->cols; i++) {
        if (mpz_sgn(a->e[i]) != 0) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------ from doubles to integers */

/* x = *mantissa * 2^(return) with an odd or zero mantissa below 2^53. */
static long take_apart(double x, int64_t *mantissa) {
    int exponent = 0;
    *mantissa = (int64_t)ldexp(frexp(x, &exponent), 53);
    exponent -= 53;
    while (*mantissa != 0 && *mantissa % 2 == 0) {
        *mantissa /= 2;
        exponent++;
    }
    return exponent;
}

/* The least power of two among the entries, for `least` so far. */
static long least_exponent(const double *x, int32_t count, long least) {
    for (int32_t i = 0; i < count; i++) {
        int64_t mantissa = 0;
        long exponent = take_apart(x[i], &mantissa);
        least = mantissa != 0 && exponent < least ? exponent : least;
    }
    return least;
}

/* x = result * 2^exponent */
static grid from_doubles(const double *x, int32_t rows, int32_t cols, long exponent) {
    grid g = grid_new(rows, cols);
    for (int32_t i = 0; i < rows * cols; i++) {
        int64_t mantissa = 0;
        long own = take_apart(x[i], &mantissa);
        mpz_set_si(g.e[i], (long)mantissa);
        if (mantissa != 0) {
            mpz_mul_2exp(g.e[i], g.e[i], (mp_bitcnt_t)(own - exponent));
        }
    }
    return g;
}

static fractions fractions_new(grid num, mpz_srcptr den, long exponent) {
    fractions f = {.num = num, .exponent = exponent};
    mpz_init_set(f.den, den);
    return f;
}

static void fractions_free(fractions *f) {
    if (f->num.e != NULL) {
        grid_free(&f->num);
        mpz_clear(f->den);
    }
}

static double to_double(mpz_srcptr num, mpz_srcptr den, long exponent) {
    mpq_t q;
    mpq_init(q);
    mpq_set_num(q, num);
    mpq_set_den(q, den);
    mpq_canonicalize(q);
    if (exponent >= 0) {
        mpq_mul_2exp(q, q, (mp_bitcnt_t)exponent);
    } else {
        mpq_div_2exp(q, q, (mp_bitcnt_t)-exponent);
    }
    double x = mpq_get_d(q);
    mpq_clear(q);
    return x;
}

static void fractions_write(const fractions *f, double *x) {
    for (int32_t i = 0; i < f->num.rows; i++) {
        x[i] = to_double(f->num.e[i], f->den, f->exponent);
    }
}

/* ------------------------------------------------------------- elimination */

static void swap_rows(grid *g, int32_t i, int32_t k) {
    for (int32_t j = 0; j < g->cols && i != k; j++) {
        mpz_swap(at(g, i, j), at(g, k, j));
    }
}

/* row i := (pivot * row i - g[i][c] * row r) / last, without remainder */
static void clear_entry(grid *g, int32_t i, int32_t r, int32_t c, mpz_srcptr last) {
    mpz_t factor;
    mpz_init_set(factor, at(g, i, c));
    for (int32_t j = 0; j < g->cols; j++) {
        mpz_mul(at(g, i, j), at(g, i, j), at(g, r, c));
        mpz_submul(at(g, i, j), factor, at(g, r, j));
        mpz_divexact(at(g, i, j), at(g, i, j), last);
    }
    mpz_clear(factor);
}

/* Fraction-free Gauss-Jordan over the first `cols` columns. pivots [cols]: the column of
 * each pivot. Afterwards every pivot entry equals *den, the rest of its column is 0. */
static int32_t reduce(grid *g, int32_t cols, int32_t *pivots, mpz_t den) {
    int32_t rank = 0;
    mpz_set_ui(den, 1);
    for (int32_t c = 0; c < cols && rank < g->rows; c++) {
        int32_t k = rank;
        while (k < g->rows && mpz_sgn(at(g, k, c)) == 0) {
            k++;
        }
        if (k == g->rows) {
            continue;
        }
        swap_rows(g, rank, k);
        for (int32_t i = 0; i < g->rows; i++) {
            if (i != rank) {
                clear_entry(g, i, rank, c, den);
            }
        }
        mpz_set(den, at(g, rank, c));
        pivots[rank++] = c;
    }
    return rank;
}

static int32_t *new_pivots(int32_t cols) { return calloc((size_t)cols + 1, sizeof(int32_t)); }

/* One solution of H x = right with zeros in the free places, over *den > 0. *rank, when
 * wanted, gets the rank of H. False when there is no solution. */
static bool solve(const grid *H, const grid *right, grid *x, mpz_t den, int32_t *rank) {
    grid g = beside(H, right);
    int32_t *pivots = new_pivots(H->cols);
    int32_t r = reduce(&g, H->cols, pivots, den);
    bool solvable = true;
    *x = grid_new(H->cols, right->cols);
    for (int32_t i = 0; i < g.rows; i++) {
        for (int32_t j = 0; j < right->cols; j++) {
            if (i < r) {
                mpz_set(at(x, pivots[i], j), at(&g, i, H->cols + j));
            } else if (mpz_sgn(at(&g, i, H->cols + j)) != 0) {
                solvable = false;
            }
        }
    }
    if (mpz_sgn(den) < 0) {
        mpz_neg(den, den);
        for (int32_t i = 0; i < x->rows * x->cols; i++) {
            mpz_neg(x->e[i], x->e[i]);
        }
    }
    if (rank != NULL) {
        *rank = r;
    }
    grid_free(&g);
    free(pivots);
    return solvable;
}

/* Columns of the result span the null space of A. */
static grid null_space(const grid *A) {
    grid g = beside(A, &(grid){A->rows, 0, NULL});
    int32_t *pivots = new_pivots(A->cols);
    mpz_t den;
    mpz_init(den);
    int32_t r = reduce(&g, A->cols, pivots, den);
    grid N = grid_new(A->cols, A->cols - r);
    for (int32_t f = 0, next = 0, k = 0; f < A->cols; f++) {
        if (next < r && pivots[next] == f) {
            next++;
            continue;
        }
        mpz_set(at(&N, f, k), den);
        for (int32_t i = 0; i < r; i++) {
            mpz_neg(at(&N, pivots[i], k), at(&g, i, f));
        }
        k++;
    }
    mpz_clear(den);
    grid_free(&g);
    free(pivots);
    return N;
}

static int32_t rank_of(const grid *A) {
    grid N = null_space(A);
    int32_t rank = A->cols - N.cols;
    grid_free(&N);
    return rank;
}

/* ------------------------------------------------------------ the principle */

/* u = N y with N^T M N y = N^T f: the motion that a force f [n x 1] gives to the virtual
 * displacements. False when N^T M N is singular. */
static bool virtual_motion(const oracle_exact *x, const grid *f, grid *u, mpz_t den) {
    grid MN = product(&x->M, &x->N), K = inner(&x->N, &MN), g = inner(&x->N, f), y;
    int32_t rank = 0;
    solve(&K, &g, &y, den, &rank);
    bool unique = rank == K.cols;
    *u = product(&x->N, &y);
    grid_free(&MN);
    grid_free(&K);
    grid_free(&g);
    grid_free(&y);
    return unique;
}

/* z for the force f [n x 1]: z = z0 + virtual_motion(f - M z0) */
static bool acceleration(const oracle_exact *x, const grid *f, fractions *z) {
    mpz_t one, e, d;
    mpz_init_set_ui(one, 1);
    mpz_init(e);
    mpz_init(d);
    grid Mz0 = product(&x->M, &x->z0.num), u;
    grid rest = difference(x->z0.den, f, one, &Mz0);
    bool unique = virtual_motion(x, &rest, &u, e);
    mpz_mul(d, x->z0.den, e);
    mpz_set_si(one, -1);
    *z = fractions_new(difference(e, &x->z0.num, one, &u), d, 0);
    grid_free(&Mz0);
    grid_free(&rest);
    grid_free(&u);
    mpz_clear(one);
    mpz_clear(e);
    mpz_clear(d);
    return unique;
}

/* M z - f */
static fractions missing_force(const oracle_exact *x, const fractions *z, const grid *f) {
    mpz_t one;
    mpz_init_set_ui(one, 1);
    grid Mz = product(&x->M, &z->num);
    fractions F = fractions_new(difference(one, &Mz, z->den, f), z->den, x->eM);
    grid_free(&Mz);
    mpz_clear(one);
    return F;
}

static grid weighted_square(const oracle_exact *x) {
    grid WA = product(&x->W, &x->A), H = inner(&x->A, &WA);
    grid_free(&WA);
    return H;
}

/* z0 from the normal equations, which always have a solution */
static void closest(oracle_exact *x) {
    grid H = weighted_square(x), Wb = product(&x->W, &x->b), g = inner(&x->A, &Wb), z0;
    mpz_t den;
    mpz_init(den);
    bool solvable = solve(&H, &g, &z0, den, NULL);
    assert(solvable);
    (void)solvable;
    x->z0 = fractions_new(z0, den, 0);
    mpz_clear(den);
    grid_free(&H);
    grid_free(&Wb);
    grid_free(&g);
}

/* lambda = W A y with A^T W A y = Qi: in the range of W A, hence of least W^-1 norm */
static void multipliers(oracle_exact *x) {
    grid H = weighted_square(x), y;
    mpz_t den;
    mpz_init(den);
    bool solvable = solve(&H, &x->ideal.num, &y, den, NULL);
    assert(solvable);
    (void)solvable;
    grid Ay = product(&x->A, &y);
    mpz_mul(den, den, x->ideal.den);
    x->lambda = fractions_new(product(&x->W, &Ay), den, x->eM - x->eA);
    mpz_clear(den);
    grid_free(&H);
    grid_free(&y);
    grid_free(&Ay);
}

/* v^T S v of a column v over den^2, times 2^exponent */
static double square(const grid *S, const grid *v, mpz_srcptr den, long exponent) {
    grid Sv = product(S, v), g = inner(v, &Sv);
    mpz_t d;
    mpz_init(d);
    mpz_mul(d, den, den);
    double x = to_double(g.e[0], d, exponent);
    mpz_clear(d);
    grid_free(&Sv);
    grid_free(&g);
    return x;
}

static fractions residual(const oracle_exact *x, const fractions *z) {
    mpz_t one;
    mpz_init_set_ui(one, 1);
    grid Az = product(&x->A, &z->num);
    fractions r = fractions_new(difference(one, &Az, z->den, &x->b), z->den, x->eA);
    grid_free(&Az);
    mpz_clear(one);
    return r;
}

/* ------------------------------------------------------------- the answers */

static grid sum_of_forces(const oracle_exact *x) {
    mpz_t one, minus;
    mpz_init_set_si(one, 1);
    mpz_init_set_si(minus, -1);
    grid f = difference(one, &x->Q, minus, &x->C);
    mpz_clear(one);
    mpz_clear(minus);
    return f;
}

/* M^-1 Q, and the Gaussian |z - M^-1 (Q + C)|_M^2 */
static void answer_free(oracle *o) {
    oracle_exact *x = o->exact;
    grid f = sum_of_forces(x), a;
    mpz_t den;
    mpz_init(den);
    solve(&x->M, &x->Q, &a, den, NULL);
    fractions free_motion = fractions_new(a, den, 0);
    fractions_write(&free_motion, o->free_acceleration);
    fractions_free(&free_motion);
    solve(&x->M, &f, &a, den, NULL);
    grid d = difference(den, &x->z.num, x->z.den, &a);
    mpz_mul(den, den, x->z.den);
    o->gaussian = square(&x->M, &d, den, x->eM);
    grid_free(&f);
    grid_free(&a);
    grid_free(&d);
    mpz_clear(den);
}

static void answer_forces(oracle *o) {
    oracle_exact *x = o->exact;
    fractions zi, F = missing_force(x, &x->z, &x->Q), Qn;
    acceleration(x, &x->Q, &zi);
    x->ideal = missing_force(x, &zi, &x->Q);
    mpz_t den;
    mpz_init(den);
    mpz_mul(den, F.den, x->ideal.den);
    Qn = fractions_new(difference(x->ideal.den, &F.num, F.den, &x->ideal.num), den, x->eM);
    fractions_write(&F, o->force);
    fractions_write(&x->ideal, o->ideal);
    fractions_write(&Qn, o->nonideal);
    multipliers(x);
    fractions_write(&x->lambda, o->multipliers);
    mpz_clear(den);
    fractions_free(&zi);
    fractions_free(&F);
    fractions_free(&Qn);
}

static void answer_residual(oracle *o) {
    oracle_exact *x = o->exact;
    fractions r = residual(x, &x->z);
    fractions_write(&r, o->residual);
    o->consistent = is_zero(&r.num);
    o->inconsistency = sqrt(square(&x->W, &r.num, r.den, 2 * x->eA + x->eW));
    fractions_free(&r);
}

/* Row i is unique when every left null vector is zero there. */
static void answer_unique(oracle *o) {
    grid At = transpose(&o->exact->A), L = null_space(&At);
    for (int32_t i = 0; i < L.rows; i++) {
        o->unique_multiplier[i] = true;
        for (int32_t k = 0; k < L.cols; k++) {
            if (mpz_sgn(at(&L, i, k)) != 0) {
                o->unique_multiplier[i] = false;
            }
        }
    }
    grid_free(&At);
    grid_free(&L);
}

static oracle_exact *exact_new(const problem *p) {
    oracle_exact *x = calloc(1, sizeof *x);
    int32_t n = p->n, m = p->m;
    x->p = p;
    x->eM = least_exponent(p->M, n * n, 0);
    x->eM = least_exponent(p->Q, n, x->eM);
    x->eM = least_exponent(p->C, n, x->eM);
    x->eA = least_exponent(p->A, m * n, 0);
    x->eA = least_exponent(p->b, m, x->eA);
    x->eW = least_exponent(p->W, m * m, 0);
    x->M = from_doubles(p->M, n, n, x->eM);
    x->Q = from_doubles(p->Q, n, 1, x->eM);
    x->C = from_doubles(p->C, n, 1, x->eM);
    x->A = from_doubles(p->A, m, n, x->eA);
    x->b = from_doubles(p->b, m, 1, x->eA);
    x->W = from_doubles(p->W, m, m, x->eW);
    x->N = null_space(&x->A);
    return x;
}

static void allocate_answers(oracle *o, int32_t n, int32_t m) {
    double *d = calloc((size_t)(5 * n + 2 * m), sizeof(double));
    o->acceleration = d;
    o->free_acceleration = d + n;
    o->force = d + 2 * n;
    o->ideal = d + 3 * n;
    o->nonideal = d + 4 * n;
    o->multipliers = d + 5 * n;
    o->residual = d + 5 * n + m;
    o->unique_multiplier = calloc((size_t)m + 1, sizeof(bool));
}

oracle *oracle_solve(const problem *p) {
    oracle *o = calloc(1, sizeof *o);
    oracle_exact *x = o->exact = exact_new(p);
    allocate_answers(o, p->n, p->m);
    grid MN = product(&x->M, &x->N);
    o->rank = p->n - x->N.cols;
    o->undetermined = x->N.cols - rank_of(&MN); /* a null vector of [M; A] is N y, M N y = 0 */
    o->mass_singular = rank_of(&x->M) < p->n;
    grid_free(&MN);
    answer_unique(o);
    if (o->undetermined != 0) {
        return o;
    }
    closest(x);
    grid f = sum_of_forces(x);
    acceleration(x, &f, &x->z);
    grid_free(&f);
    fractions_write(&x->z, o->acceleration);
    answer_forces(o);
    answer_residual(o);
    o->gaussian = (double)NAN;
    if (!o->mass_singular) {
        answer_free(o);
    }
    return o;
}

void oracle_free(oracle *o) {
    if (o == NULL) {
        return;
    }
    oracle_exact *x = o->exact;
    grid *grids[] = {&x->M, &x->Q, &x->C, &x->A, &x->b, &x->W, &x->N};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        grid_free(grids[i]);
    }
    fractions_free(&x->z0);
    fractions_free(&x->z);
    fractions_free(&x->lambda);
    fractions_free(&x->ideal);
    free(x);
    free(o->acceleration);
    free(o->unique_multiplier);
    free(o);
}

/* ------------------------------------------------------------- self-check */

static bool solvable(const grid *H, const grid *right) {
    grid x;
    mpz_t den;
    mpz_init(den);
    bool yes = solve(H, right, &x, den, NULL);
    mpz_clear(den);
    grid_free(&x);
    return yes;
}

/* A^T W (A z - b) = 0, and M z - Q - C = A^T mu for some mu */
static const char *check_motion(const oracle_exact *x) {
    const char *wrong = NULL;
    grid f = sum_of_forces(x), At = transpose(&x->A);
    fractions r = residual(x, &x->z), F = missing_force(x, &x->z, &f);
    grid Wr = product(&x->W, &r.num), g = inner(&x->A, &Wr);
    if (!is_zero(&g)) {
        wrong = "A^T W (A z - b) is not zero";
    } else if (!solvable(&At, &F.num)) {
        wrong = "M z - Q - C is not in the range of A^T";
    }
    grid_free(&f);
    grid_free(&At);
    grid_free(&Wr);
    grid_free(&g);
    fractions_free(&r);
    fractions_free(&F);
    return wrong;
}

/* A^T lambda = Qi, and lambda in the range of W A */
static const char *check_multipliers(const oracle_exact *x) {
    grid Al = inner(&x->A, &x->lambda.num), WA = product(&x->W, &x->A);
    grid d = difference(x->ideal.den, &Al, x->lambda.den, &x->ideal.num);
    const char *wrong = NULL;
    if (!is_zero(&d)) {
        wrong = "A^T lambda is not the ideal force";
    } else if (!solvable(&WA, &x->lambda.num)) {
        wrong = "lambda has not the least W^-1 norm";
    }
    grid_free(&Al);
    grid_free(&WA);
    grid_free(&d);
    return wrong;
}

const char *oracle_self_check(const oracle *o) {
    if (o->undetermined != 0) {
        return NULL;
    }
    const char *wrong = check_motion(o->exact);
    return wrong != NULL ? wrong : check_multipliers(o->exact);
}

/* ------------------------------------------- projection, split, small questions */

void oracle_project(const oracle *o, const double *x, double *y) {
    const oracle_exact *e = o->exact;
    long ex = least_exponent(x, e->p->n, 0);
    grid v = from_doubles(x, e->p->n, 1, ex), f = product(&e->M, &v), u;
    mpz_t den;
    mpz_init(den);
    virtual_motion(e, &f, &u, den);
    fractions all = fractions_new(u, den, ex);
    fractions_write(&all, y);
    fractions_free(&all);
    grid_free(&v);
    grid_free(&f);
    mpz_clear(den);
}

/* Qn = M u with u the virtual motion that the force makes, Qi the rest */
void oracle_split(const oracle *o, const double *force, double *ideal, double *nonideal) {
    const oracle_exact *e = o->exact;
    long ef = least_exponent(force, e->p->n, 0);
    grid f = from_doubles(force, e->p->n, 1, ef), u;
    mpz_t den, one;
    mpz_init(den);
    mpz_init_set_ui(one, 1);
    virtual_motion(e, &f, &u, den);
    fractions Qn = fractions_new(product(&e->M, &u), den, ef);
    fractions Qi = fractions_new(difference(den, &f, one, &Qn.num), den, ef);
    fractions_write(&Qn, nonideal);
    fractions_write(&Qi, ideal);
    fractions_free(&Qn);
    fractions_free(&Qi);
    grid_free(&f);
    grid_free(&u);
    mpz_clear(den);
    mpz_clear(one);
}

int32_t oracle_rank(const double *A, int32_t m, int32_t n) {
    grid g = from_doubles(A, m, n, least_exponent(A, m * n, 0));
    int32_t rank = rank_of(&g);
    grid_free(&g);
    return rank;
}

/* Sylvester: all leading principal minors are positive. Rank decides each minor's being
 * nonzero; its sign is that of the pivot of fraction-free elimination. */
bool oracle_positive_definite(const double *M, int32_t n) {
    grid g = from_doubles(M, n, n, least_exponent(M, n * n, 0));
    bool positive = true;
    mpz_t last;
    mpz_init_set_ui(last, 1);
    for (int32_t k = 0; k < n && positive; k++) {
        positive = mpz_sgn(at(&g, k, k)) > 0;
        for (int32_t i = k + 1; i < n && positive; i++) {
            clear_entry(&g, i, k, k, last);
        }
        mpz_set(last, at(&g, k, k));
    }
    mpz_clear(last);
    grid_free(&g);
    return positive;
}

double oracle_inverse_norm(const double *W, const double *s, int32_t m) {
    long eW = least_exponent(W, m * m, 0), es = least_exponent(s, m, 0);
    grid w = from_doubles(W, m, m, eW), v = from_doubles(s, m, 1, es), x;
    mpz_t den;
    mpz_init(den);
    solve(&w, &v, &x, den, NULL);
    grid g = inner(&v, &x);
    double norm = sqrt(to_double(g.e[0], den, 2 * es - eW));
    mpz_clear(den);
    grid_free(&w);
    grid_free(&v);
    grid_free(&x);
    grid_free(&g);
    return norm;
}
