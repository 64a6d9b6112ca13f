/*
 * oracle.c: the General Gauss Principle by integers.
 *
 * With N an integer basis of ker A, the two stages of the principle are two linear systems:
 *
 *     A^T W A z0 = A^T W b                     z0 makes |A z - b|_W least,
 *     N^T M N y  = N^T (Q + C - M z0)          z = z0 + N y is nearest to M^-1 (Q + C),
 *
 * the second being the part of M z - Q - C = A^T mu that A^T cannot reach. M may be
 * singular; N^T M N is not, exactly when [M; A] has full column rank.
 */
#include "oracle.h"

#include "exact.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct oracle_exact {
    const problem *p;
    grid M, Q, C; /* times 2^eM; Q and C are columns */
    grid A, b;    /* times 2^eA */
    grid W;       /* times 2^eW */
    grid N;       /* columns span ker A */
    long eM, eA, eW;
    fractions z0, z, lambda, ideal;
};

/* ------------------------------------------------------------ the principle */

/* u = N y with N^T M N y = N^T f: the motion that a force f [n x 1] gives to the virtual
 * displacements. False when N^T M N is singular. */
static bool virtual_motion(const oracle_exact *x, const grid *f, grid *u, mpz_t den)
{
    grid MN = grid_product(&x->M, &x->N), K = grid_inner(&x->N, &MN), g = grid_inner(&x->N, f), y;
    int32_t rank = 0;
    exact_solve(&K, &g, &y, den, &rank);
    bool unique = rank == K.cols;
    *u = grid_product(&x->N, &y);
    grid_free(&MN);
    grid_free(&K);
    grid_free(&g);
    grid_free(&y);
    return unique;
}

/* z for the force f [n x 1]: z = z0 + virtual_motion(f - M z0) */
static bool acceleration(const oracle_exact *x, const grid *f, fractions *z)
{
    mpz_t one, e, d;
    mpz_init_set_ui(one, 1);
    mpz_init(e);
    mpz_init(d);
    grid Mz0 = grid_product(&x->M, &x->z0.num), u;
    grid rest = grid_difference(x->z0.den, f, one, &Mz0);
    bool unique = virtual_motion(x, &rest, &u, e);
    mpz_mul(d, x->z0.den, e);
    mpz_set_si(one, -1);
    *z = fractions_new(grid_difference(e, &x->z0.num, one, &u), d, 0);
    grid_free(&Mz0);
    grid_free(&rest);
    grid_free(&u);
    mpz_clear(one);
    mpz_clear(e);
    mpz_clear(d);
    return unique;
}

/* M z - f */
static fractions missing_force(const oracle_exact *x, const fractions *z, const grid *f)
{
    mpz_t one;
    mpz_init_set_ui(one, 1);
    grid Mz = grid_product(&x->M, &z->num);
    fractions F = fractions_new(grid_difference(one, &Mz, z->den, f), z->den, x->eM);
    grid_free(&Mz);
    mpz_clear(one);
    return F;
}

static grid weighted_square(const oracle_exact *x)
{
    grid WA = grid_product(&x->W, &x->A), H = grid_inner(&x->A, &WA);
    grid_free(&WA);
    return H;
}

/* z0 from the normal equations, which always have a solution */
static void closest(oracle_exact *x)
{
    grid H = weighted_square(x), Wb = grid_product(&x->W, &x->b), g = grid_inner(&x->A, &Wb), z0;
    mpz_t den;
    mpz_init(den);
    bool solvable = exact_solve(&H, &g, &z0, den, NULL);
    assert(solvable);
    (void)solvable;
    x->z0 = fractions_new(z0, den, 0);
    mpz_clear(den);
    grid_free(&H);
    grid_free(&Wb);
    grid_free(&g);
}

/* lambda = W A y with A^T W A y = Qi: in the range of W A, hence of least W^-1 norm */
static void multipliers(oracle_exact *x)
{
    grid H = weighted_square(x), y;
    mpz_t den;
    mpz_init(den);
    bool solvable = exact_solve(&H, &x->ideal.num, &y, den, NULL);
    assert(solvable);
    (void)solvable;
    grid Ay = grid_product(&x->A, &y);
    mpz_mul(den, den, x->ideal.den);
    x->lambda = fractions_new(grid_product(&x->W, &Ay), den, x->eM - x->eA);
    mpz_clear(den);
    grid_free(&H);
    grid_free(&y);
    grid_free(&Ay);
}

/* v^T S v of a column v over den^2, times 2^exponent */
static double square(const grid *S, const grid *v, mpz_srcptr den, long exponent)
{
    grid Sv = grid_product(S, v), g = grid_inner(v, &Sv);
    mpz_t d;
    mpz_init(d);
    mpz_mul(d, den, den);
    double x = exact_double(g.e[0], d, exponent);
    mpz_clear(d);
    grid_free(&Sv);
    grid_free(&g);
    return x;
}

static fractions residual(const oracle_exact *x, const fractions *z)
{
    mpz_t one;
    mpz_init_set_ui(one, 1);
    grid Az = grid_product(&x->A, &z->num);
    fractions r = fractions_new(grid_difference(one, &Az, z->den, &x->b), z->den, x->eA);
    grid_free(&Az);
    mpz_clear(one);
    return r;
}

/* ------------------------------------------------------------- the answers */

static grid sum_of_forces(const oracle_exact *x)
{
    mpz_t one, minus;
    mpz_init_set_si(one, 1);
    mpz_init_set_si(minus, -1);
    grid f = grid_difference(one, &x->Q, minus, &x->C);
    mpz_clear(one);
    mpz_clear(minus);
    return f;
}

/* M^-1 Q, and the Gaussian |z - M^-1 (Q + C)|_M^2 */
static void answer_free(oracle *o)
{
    oracle_exact *x = o->exact;
    grid f = sum_of_forces(x), a;
    mpz_t den;
    mpz_init(den);
    exact_solve(&x->M, &x->Q, &a, den, NULL);
    fractions free_motion = fractions_new(a, den, 0);
    fractions_write(&free_motion, o->free_acceleration);
    fractions_free(&free_motion);
    exact_solve(&x->M, &f, &a, den, NULL);
    grid d = grid_difference(den, &x->z.num, x->z.den, &a);
    mpz_mul(den, den, x->z.den);
    o->gaussian = square(&x->M, &d, den, x->eM);
    grid_free(&f);
    grid_free(&a);
    grid_free(&d);
    mpz_clear(den);
}

static void answer_forces(oracle *o)
{
    oracle_exact *x = o->exact;
    fractions zi, F = missing_force(x, &x->z, &x->Q), Qn;
    acceleration(x, &x->Q, &zi);
    x->ideal = missing_force(x, &zi, &x->Q);
    mpz_t den;
    mpz_init(den);
    mpz_mul(den, F.den, x->ideal.den);
    Qn = fractions_new(grid_difference(x->ideal.den, &F.num, F.den, &x->ideal.num), den, x->eM);
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

static void answer_residual(oracle *o)
{
    oracle_exact *x = o->exact;
    fractions r = residual(x, &x->z);
    fractions_write(&r, o->residual);
    o->consistent = grid_is_zero(&r.num);
    o->inconsistency = sqrt(square(&x->W, &r.num, r.den, 2 * x->eA + x->eW));
    fractions_free(&r);
}

/* Row i is unique when every left null vector is zero there. */
static void answer_unique(oracle *o)
{
    grid At = grid_transpose(&o->exact->A), L = exact_null_space(&At);
    for (int32_t i = 0; i < L.rows; i++) {
        o->unique_multiplier[i] = true;
        for (int32_t k = 0; k < L.cols; k++) {
            if (mpz_sgn(grid_at(&L, i, k)) != 0) {
                o->unique_multiplier[i] = false;
            }
        }
    }
    grid_free(&At);
    grid_free(&L);
}

static oracle_exact *exact_new(const problem *p)
{
    oracle_exact *x = calloc(1, sizeof *x);
    int32_t n = p->n, m = p->m;
    x->p = p;
    x->eM = exact_exponent(p->M, n * n, 0);
    x->eM = exact_exponent(p->Q, n, x->eM);
    x->eM = exact_exponent(p->C, n, x->eM);
    x->eA = exact_exponent(p->A, m * n, 0);
    x->eA = exact_exponent(p->b, m, x->eA);
    x->eW = exact_exponent(p->W, m * m, 0);
    x->M = exact_grid(p->M, n, n, x->eM);
    x->Q = exact_grid(p->Q, n, 1, x->eM);
    x->C = exact_grid(p->C, n, 1, x->eM);
    x->A = exact_grid(p->A, m, n, x->eA);
    x->b = exact_grid(p->b, m, 1, x->eA);
    x->W = exact_grid(p->W, m, m, x->eW);
    x->N = exact_null_space(&x->A);
    return x;
}

static void allocate_answers(oracle *o, int32_t n, int32_t m)
{
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

oracle *oracle_solve(const problem *p)
{
    oracle *o = calloc(1, sizeof *o);
    oracle_exact *x = o->exact = exact_new(p);
    allocate_answers(o, p->n, p->m);
    grid MN = grid_product(&x->M, &x->N);
    o->rank = p->n - x->N.cols;
    o->undetermined = x->N.cols - exact_rank(&MN); /* a null vector of [M; A] is N y, M N y = 0 */
    o->mass_singular = exact_rank(&x->M) < p->n;
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

void oracle_free(oracle *o)
{
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

static bool solvable(const grid *H, const grid *right)
{
    grid x;
    mpz_t den;
    mpz_init(den);
    bool yes = exact_solve(H, right, &x, den, NULL);
    mpz_clear(den);
    grid_free(&x);
    return yes;
}

/* A^T W (A z - b) = 0, and M z - Q - C = A^T mu for some mu */
static const char *check_motion(const oracle_exact *x)
{
    const char *wrong = NULL;
    grid f = sum_of_forces(x), At = grid_transpose(&x->A);
    fractions r = residual(x, &x->z), F = missing_force(x, &x->z, &f);
    grid Wr = grid_product(&x->W, &r.num), g = grid_inner(&x->A, &Wr);
    if (!grid_is_zero(&g)) {
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
static const char *check_multipliers(const oracle_exact *x)
{
    grid Al = grid_inner(&x->A, &x->lambda.num), WA = grid_product(&x->W, &x->A);
    grid d = grid_difference(x->ideal.den, &Al, x->lambda.den, &x->ideal.num);
    const char *wrong = NULL;
    if (!grid_is_zero(&d)) {
        wrong = "A^T lambda is not the ideal force";
    } else if (!solvable(&WA, &x->lambda.num)) {
        wrong = "lambda has not the least W^-1 norm";
    }
    grid_free(&Al);
    grid_free(&WA);
    grid_free(&d);
    return wrong;
}

const char *oracle_self_check(const oracle *o)
{
    if (o->undetermined != 0) {
        return NULL;
    }
    const char *wrong = check_motion(o->exact);
    return wrong != NULL ? wrong : check_multipliers(o->exact);
}

/* ------------------------------------------- projection, split, small questions */

void oracle_project(const oracle *o, const double *x, double *y)
{
    const oracle_exact *e = o->exact;
    long ex = exact_exponent(x, e->p->n, 0);
    grid v = exact_grid(x, e->p->n, 1, ex), f = grid_product(&e->M, &v), u;
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
void oracle_split(const oracle *o, const double *force, double *ideal, double *nonideal)
{
    const oracle_exact *e = o->exact;
    long ef = exact_exponent(force, e->p->n, 0);
    grid f = exact_grid(force, e->p->n, 1, ef), u;
    mpz_t den, one;
    mpz_init(den);
    mpz_init_set_ui(one, 1);
    virtual_motion(e, &f, &u, den);
    fractions Qn = fractions_new(grid_product(&e->M, &u), den, ef);
    fractions Qi = fractions_new(grid_difference(den, &f, one, &Qn.num), den, ef);
    fractions_write(&Qn, nonideal);
    fractions_write(&Qi, ideal);
    fractions_free(&Qn);
    fractions_free(&Qi);
    grid_free(&f);
    grid_free(&u);
    mpz_clear(den);
    mpz_clear(one);
}

int32_t oracle_rank(const double *A, int32_t m, int32_t n)
{
    grid g = exact_grid(A, m, n, exact_exponent(A, m * n, 0));
    int32_t rank = exact_rank(&g);
    grid_free(&g);
    return rank;
}

bool oracle_positive_definite(const double *M, int32_t n)
{
    grid g = exact_grid(M, n, n, exact_exponent(M, n * n, 0));
    bool positive = exact_positive_definite(&g);
    grid_free(&g);
    return positive;
}

double oracle_inverse_norm(const double *W, const double *s, int32_t m)
{
    for (int32_t i = 0; i < m; i++) {
        if (!isfinite(s[i])) {
            return (double)NAN;
        }
    }
    long eW = exact_exponent(W, m * m, 0), es = exact_exponent(s, m, 0);
    grid w = exact_grid(W, m, m, eW), v = exact_grid(s, m, 1, es), x;
    mpz_t den;
    mpz_init(den);
    exact_solve(&w, &v, &x, den, NULL);
    grid g = grid_inner(&v, &x);
    double norm = sqrt(exact_double(g.e[0], den, 2 * es - eW));
    mpz_clear(den);
    grid_free(&w);
    grid_free(&v);
    grid_free(&x);
    grid_free(&g);
    return norm;
}
