/*
 * The supernodal factor: L D L^T gives the matrix back, entry by entry, within the rounding that
 * theory allows, for hundreds of matrices of every kind, size and order; pivots are those of a
 * dense elimination in long double; inertia is what construction or closed formulas say; all
 * variants of the kernels give the same bits.
 */
#include "symmetric.h"

#include "supernodal.h"

/* ------------------------------------------------------------------- checks */

static za_supernodes *plan(zb_memory *memory, const matrix *x, const za_kernels *kernels)
{
    za_supernodes *f = NULL;
    assert_int_equal(za_supernodal_plan(memory, &x->pattern, x->order, kernels->panel, &f), ZW_OK);
    return f;
}

/* L [n * n] in the order of the factor. */
static double *unpack(const za_supernodes *f)
{
    double *L = zeroed((int64_t)f->n * f->n, sizeof *L);
    for (int32_t s = 0; s < f->count; s++) {
        const za_supernode *node = &f->node[s];
        const double *panel = f->L + node->panel;
        int64_t top = (node->columns + 3) / 4;
        for (int32_t k = 0; k < node->columns; k++) {
            int64_t column = node->first + k;
            L[column * f->n + column] = 1.0;
            for (int32_t i = k + 1; i < node->columns; i++)
                L[(node->first + i) * (int64_t)f->n + column] =
                    panel[((int64_t)(i / 4) * node->columns + k) * 4 + i % 4];
            for (int32_t i = 0; i < node->below; i++)
                L[f->row[node->rows + i] * (int64_t)f->n + column] =
                    panel[((top + i / 4) * node->columns + k) * 4 + i % 4];
        }
    }
    return L;
}

/* size [n * n] = |L| |D| |L^T| in the numbers of x, after comparing L D L^T with x. */
static void check_product(const matrix *x, const za_supernodes *f, double *size)
{
    int32_t n = x->n;
    double *L = unpack(f);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            long double sum = 0.0L;
            double bound = 0.0;
            for (int32_t k = 0; k <= j; k++) {
                double term = L[(int64_t)i * n + k] * f->D[k];
                sum += (long double)term * (long double)L[(int64_t)j * n + k];
                bound += fabs(term * L[(int64_t)j * n + k]);
            }
            int32_t a = f->order[i], b = f->order[j];
            size[(int64_t)a * n + b] = size[(int64_t)b * n + a] = bound;
            double error = fabs((double)(sum - (long double)*entry(x, a, b)));
            if (!(error <= (n + 4) * zb_eps * bound))
                fail_msg("n %d entry %d %d: %g of %g", n, a, b, error, bound);
        }
    free(L);
}

/* b - X x within what the factor's rounding explains. */
static void check_solution(const matrix *x, const double *y, const double *b, const double *size)
{
    int32_t n = x->n;
    for (int32_t i = 0; i < n; i++) {
        long double sum = (long double)b[i];
        double bound = 0.0;
        for (int32_t j = 0; j < n; j++) {
            sum -= (long double)*entry(x, i, j) * (long double)y[j];
            bound += size[(int64_t)i * n + j] * fabs(y[j]);
        }
        if (!(fabs((double)sum) <= 3.0 * (n + 4) * zb_eps * bound))
            fail_msg("n %d row %d: %g of %g", n, i, (double)sum, bound);
    }
}

/* Dense elimination in x->order: pivot [n] of each row. */
static void eliminate(const matrix *x, long double *pivot)
{
    int32_t n = x->n;
    long double *X = zeroed((int64_t)n * n, sizeof *X);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            X[(int64_t)i * n + j] = (long double)*entry(x, x->order[i], x->order[j]);
    for (int32_t k = 0; k < n; k++) {
        long double d = X[(int64_t)k * n + k];
        pivot[x->order[k]] = d;
        for (int32_t i = k + 1; i < n; i++) {
            long double l = X[(int64_t)i * n + k] / d;
            if (l == 0.0L) continue;
            for (int32_t j = k + 1; j <= i; j++) X[(int64_t)i * n + j] -= l * X[(int64_t)j * n + k];
        }
    }
    free(X);
}

/* The order of the factor is equivalent to the one given: the pivots are the same. */
static void check_pivots(const matrix *x, const za_supernodes *f, const za_pivots *found)
{
    long double *pivot = zeroed(x->n, sizeof *pivot);
    double smallest = HUGE_VAL;
    int64_t negative = 0;
    eliminate(x, pivot);
    for (int32_t k = 0; k < x->n; k++) {
        int32_t row = f->order[k];
        double exact = (double)pivot[row], first = fabs(*entry(x, row, row));
        if (!(fabs(f->D[k] - exact) <= 1e-9 * fabs(exact)))
            fail_msg("n %d pivot of row %d: %g, not %g", x->n, row, f->D[k], exact);
        if (fabs(exact) / first < smallest) smallest = fabs(exact) / first;
        negative += exact < 0.0;
    }
    assert_true(found->complete);
    assert_int_equal(found->negative, negative);
    if (x->negative >= 0) assert_int_equal(negative, x->negative);
    assert_true(fabs(found->smallest - smallest) <= 1e-9 * smallest);
    double worst = fabs((double)pivot[found->worst] / *entry(x, found->worst, found->worst));
    assert_true(fabs(worst - smallest) <= 1e-9 * smallest);
    free(pivot);
}

/* The same bits by another variant. */
static void check_variant(const za_supernodes *f, const za_supernodes *other, const double *y,
                          const double *z)
{
    assert_int_equal(f->count, other->count);
    for (int32_t s = 0; s < f->count; s++) {
        const za_supernode *node = &f->node[s];
        int64_t begin = node->panel + 4 * (int64_t)((node->columns + 3) / 4) * node->columns;
        assert_memory_equal(f->L + begin, other->L + begin,
                            sizeof(double) * (size_t)(node[1].panel - begin));
    }
    assert_memory_equal(f->D, other->D, sizeof(double) * (size_t)f->n);
    assert_memory_equal(y, z, sizeof(double) * (size_t)f->n);
}

static void check(const matrix *x)
{
    int32_t count, n = x->n;
    const za_kernels *const *all = za_kernels_all(&count);
    counting c;
    zb_memory memory;
    counting_init(&c, &memory);
    za_supernodes *f[8];
    double *y[8], *b = zeroed(n, sizeof *b), *work = zeroed(n, sizeof *work);
    double *size = zeroed((int64_t)n * n, sizeof *size);
    for (int32_t i = 0; i < n; i++) b[i] = uniform() - 0.5;
    for (int32_t v = 0; v < count; v++) {
        za_pivots found;
        f[v] = plan(&memory, x, all[v]);
        int64_t requests = c.requests;
        za_supernodal.factor(f[v], x->values, &found);
        y[v] = zeroed(n, sizeof(double));
        memcpy(y[v], b, sizeof *b * (size_t)n);
        za_supernodal.solve(f[v], y[v], work);
        assert_int_equal(c.requests, requests); /* neither takes memory */
        if (v == 0) {
            check_product(x, f[v], size);
            check_solution(x, y[v], b, size);
            check_pivots(x, f[v], &found);
        } else {
            check_variant(f[0], f[v], y[0], y[v]);
        }
    }
    for (int32_t v = 0; v < count; v++) za_supernodal.free(f[v]), free(y[v]);
    assert_nothing_held(&c, &memory);
    free(b), free(work), free(size);
}

/* --------------------------------------------------------------------- tests */

static void small_ones(void **unused)
{
    (void)unused;
    for (int32_t n = 1; n <= 60; n++)
        for (int32_t t = 0; t < 8; t++) {
            matrix x = make(n, (enum pattern)(t % PATTERNS), (enum kind)((n + t + t / 4) % KINDS));
            check(&x);
            free_matrix(&x);
        }
}

/* Panels wider than the blocks of the kernels, with and without rows below. */
static void wide_ones(void **unused)
{
    (void)unused;
    static const struct {
        int32_t n;
        enum pattern pattern;
        enum kind kind;
    } cases[] = {{203, DENSE, DOMINANT},      {65, DENSE, PRODUCT},
                 {134, DENSE, QUASIDEFINITE}, {211, LATTICE, QUASIDEFINITE},
                 {250, SPARSE, DOMINANT},     {230, BLOCKS, PRODUCT}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        matrix x = make(cases[t].n, cases[t].pattern, cases[t].kind);
        check(&x);
        free_matrix(&x);
    }
}

/* Two cliques that share rows: the first has a wide panel with rows below it, and many of them. */
static void cliques(void **unused)
{
    (void)unused;
    const int32_t own = 133, shared = 79, n = 2 * own + shared;
    matrix x = {.n = n, .dense = zeroed((int64_t)n * n, sizeof(double))};
    double *sign = zeroed(n, sizeof *sign);
    x.order = zeroed(n, sizeof *x.order);
    for (int32_t i = 0; i < n; i++) sign[i] = uniform() < 0.3 ? -1.0 : 1.0;
    fill(&x, DENSE, sign, 1.0);
    for (int32_t i = 0; i < own; i++)
        for (int32_t j = own; j < 2 * own; j++) *entry(&x, i, j) = *entry(&x, j, i) = 0.0;
    dominate(&x, sign, true);
    mix(&x);
    compress(&x);
    check(&x);

    zb_memory memory;
    zb_memory_init(&memory, NULL);
    za_supernodes *f = plan(&memory, &x, za_kernels_best());
    assert_int_equal(f->count, 2); /* the case is what it says */
    assert_int_equal(f->node[0].columns, own);
    assert_int_equal(f->node[0].below, shared);
    za_supernodal_free(f);
    free_matrix(&x);
    free(sign);
}

/* ------------------------------------------------------------- large lattices */

/* Rows of a w x h lattice, dissected: a line in the middle comes last. */
static int32_t *dissect(int32_t width, const int32_t box[4], int32_t *next)
{
    int32_t x = box[0], y = box[1], w = box[2], h = box[3];
    if (w <= 0 || h <= 0) return next;
    if (w * h <= 6 || (w < 3 && h < 3)) {
        for (int32_t i = 0; i < w * h; i++) *next++ = (y + i / w) * width + x + i % w;
        return next;
    }
    int32_t m = w > h ? w / 2 : h / 2;
    if (w > h) {
        next = dissect(width, (int32_t[]){x, y, m, h}, next);
        next = dissect(width, (int32_t[]){x + m + 1, y, w - m - 1, h}, next);
        return dissect(width, (int32_t[]){x + m, y, 1, h}, next);
    }
    next = dissect(width, (int32_t[]){x, y, w, m}, next);
    next = dissect(width, (int32_t[]){x, y + m + 1, w, h - m - 1}, next);
    return dissect(width, (int32_t[]){x, y + m, w, 1}, next);
}

/* 4 - (neighbours) on a w x h lattice, whose eigenvalues are known, minus `shift`. */
static matrix laplacian(int32_t w, int32_t h, double shift)
{
    int32_t n = w * h, count = 0;
    matrix x = {.n = n, .negative = 0};
    x.start = zeroed((int64_t)n + 1, sizeof *x.start);
    x.index = zeroed(3 * (int64_t)n, sizeof *x.index);
    x.values = zeroed(3 * (int64_t)n, sizeof *x.values);
    x.order = zeroed(n, sizeof *x.order);
    for (int32_t i = 0; i < n; i++) {
        if (i >= w) x.index[count] = i - w, x.values[count++] = -1.0;
        if (i % w > 0) x.index[count] = i - 1, x.values[count++] = -1.0;
        x.index[count] = i, x.values[count++] = 4.0 - shift;
        x.start[i + 1] = count;
    }
    x.pattern = (za_symmetric){n, x.start, x.index};
    dissect(w, (int32_t[]){0, 0, w, h}, x.order);
    const double pi = 3.14159265358979323846;
    for (int32_t p = 1; p <= w; p++)
        for (int32_t q = 1; q <= h; q++)
            x.negative += 4.0 - 2.0 * cos(p * pi / (w + 1)) - 2.0 * cos(q * pi / (h + 1)) < shift;
    return x;
}

/* max |b - X y| over max |y| */
static double residual(const matrix *x, const double *y, const double *b)
{
    double *r = zeroed(x->n, sizeof *r), worst = 0.0, most = 0.0;
    memcpy(r, b, sizeof *r * (size_t)x->n);
    for (int32_t i = 0; i < x->n; i++)
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++) {
            int32_t j = x->index[p];
            r[i] -= x->values[p] * y[j];
            if (j < i) r[j] -= x->values[p] * y[i];
        }
    for (int32_t i = 0; i < x->n; i++) {
        if (!(fabs(r[i]) <= worst)) worst = fabs(r[i]);
        if (fabs(y[i]) > most) most = fabs(y[i]);
    }
    free(r);
    return worst / most;
}

/* Definite and, counting the eigenvalues below a shift, indefinite. */
static void lattices(void **unused)
{
    (void)unused;
    static const double shifts[] = {0.0, 0.321, 1.7, 3.9};
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    for (int32_t t = 0; t < 4; t++) {
        matrix x = laplacian(91, 83, shifts[t]);
        int32_t n = x.n;
        double *y = zeroed(n, sizeof *y), *b = zeroed(n, sizeof *b), *w = zeroed(n, sizeof *w);
        void *f = NULL;
        za_pivots found;
        for (int32_t i = 0; i < n; i++) y[i] = b[i] = uniform() - 0.5;
        assert_int_equal(za_supernodal.plan(&memory, &x.pattern, x.order, &f), ZW_OK);
        const za_supernodes *nodes = f; /* updates are few at a time */
        assert_in_range(memory.held, 1,
                        2 * sizeof(double) * (size_t)nodes->node[nodes->count].panel);
        za_supernodal.factor(f, x.values, &found);
        assert_true(found.complete);
        assert_int_equal(found.negative, x.negative);
        za_supernodal.solve(f, y, w);
        assert_true(residual(&x, y, b) <= (shifts[t] == 0.0 ? 1e-14 : 1e-9));
        za_supernodal.free(f);
        free_matrix(&x);
        free(y), free(b), free(w);
    }
    assert_int_equal(memory.held, 0);
}

/* A shape for which the number of children of one supernode grows with n: time must not square. */
static void star(void **unused)
{
    (void)unused;
    const int32_t n = 200000;
    matrix x = {.n = n};
    x.start = zeroed((int64_t)n + 1, sizeof *x.start);
    x.index = zeroed(2 * (int64_t)n, sizeof *x.index);
    x.values = zeroed(2 * (int64_t)n, sizeof *x.values);
    for (int32_t i = 0; i < n - 1; i++) x.index[i] = i, x.values[i] = i % 3 ? 2.0 : -2.0;
    for (int32_t i = 0; i < n; i++) x.start[i] = i;
    for (int32_t i = 0; i < n; i++)
        x.index[n - 1 + i] = i, x.values[n - 1 + i] = i < n - 1 ? 1.0 : n;
    x.start[n] = 2 * n - 1;
    x.pattern = (za_symmetric){n, x.start, x.index};
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    void *f = NULL;
    za_pivots found;
    assert_int_equal(za_supernodal.plan(&memory, &x.pattern, NULL, &f), ZW_OK);
    za_supernodal.factor(f, x.values, &found);
    assert_true(found.complete);
    assert_int_equal(found.negative, (n - 1 + 2) / 3);
    za_supernodal.free(f);
    free_matrix(&x);
}

/* -------------------------------------------------------------------- pivots */

typedef struct small {
    int32_t n, start[8], index[16];
} small;

/* A chain of n; factored with those diagonals and 1 beside them. */
static za_pivots chain(int32_t n, const double *diagonal)
{
    small s = {.n = n};
    double values[16];
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (i > 0) s.index[count] = i - 1, values[count++] = 1.0;
        s.index[count] = i, values[count++] = diagonal[i];
        s.start[i + 1] = count;
    }
    za_symmetric pattern = {n, s.start, s.index};
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    void *f = NULL;
    za_pivots found;
    assert_int_equal(za_supernodal.plan(&memory, &pattern, NULL, &f), ZW_OK);
    za_supernodal.factor(f, values, &found);
    za_supernodal.free(f);
    return found;
}

static void pivots(void **unused)
{
    (void)unused;
    za_pivots p = chain(3, (double[]){2.0, 1.0, -1.0}); /* 2, 1/2, -3 */
    assert_true(p.complete);
    assert_int_equal(p.negative, 1);
    assert_true(p.smallest == 0.5);
    assert_int_equal(p.worst, 1);

    p = chain(4, (double[]){1.0, 1.0, 5.0, 1.0}); /* 1, 0 */
    assert_false(p.complete);
    assert_true(p.smallest == 0.0);
    assert_int_equal(p.worst, 1);

    p = chain(4, (double[]){1.0, 2.0, (double)NAN, 1.0});
    assert_false(p.complete);
    assert_true(isnan(p.smallest));
    assert_int_equal(p.worst, 2);

    p = chain(2, (double[]){1.0, HUGE_VAL});
    assert_false(p.complete);
    assert_int_equal(p.worst, 1);

    p = chain(2, (double[]){1e-310, 1.0}); /* its inverse does not exist */
    assert_false(p.complete);
    assert_int_equal(p.worst, 0);

    p = chain(2, (double[]){1.0, 0.0}); /* a diagonal of 0 is no measure: 1, -1 */
    assert_true(p.complete);
    assert_int_equal(p.negative, 1);
    assert_true(p.smallest == 1.0);

    p = chain(0, NULL);
    assert_true(p.complete);
    assert_int_equal(p.negative, 0);
}

/* What one failed factorisation leaves behind does not show in the next. */
static void after_failure(void **unused)
{
    (void)unused;
    matrix x = make(150, LATTICE, QUASIDEFINITE);
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    za_supernodes *f = plan(&memory, &x, za_kernels_best()),
                  *g = plan(&memory, &x, za_kernels_best());
    double *bad = zeroed(x.start[x.n], sizeof *bad);
    double y[150], z[150], work[150];
    za_pivots found;
    for (int32_t t = 0; t < 20; t++) {
        int32_t row = below(x.n);
        memcpy(bad, x.values, sizeof *bad * (size_t)x.start[x.n]);
        bad[x.start[row + 1] - 1] = t % 2 ? (double)NAN : -HUGE_VAL;
        za_supernodal.factor(f, bad, &found);
        assert_false(found.complete);
    }
    za_supernodal.factor(f, x.values, &found);
    za_supernodal.factor(g, x.values, &found);
    for (int32_t i = 0; i < 150; i++) y[i] = z[i] = uniform();
    za_supernodal.solve(f, y, work);
    za_supernodal.solve(g, z, work);
    check_variant(f, g, y, z);
    za_supernodal_free(f), za_supernodal_free(g);
    free(bad);
    free_matrix(&x);
}

static void failing_memory(void **unused)
{
    (void)unused;
    matrix x = make(120, LATTICE, DEFINITE);
    for (int64_t k = 1;; k++) {
        counting c;
        zb_memory memory;
        counting_init(&c, &memory);
        c.refuse_at = k;
        c.refuse_onwards = k % 2;
        void *f = NULL;
        zw_status status = za_supernodal.plan(&memory, &x.pattern, x.order, &f);
        za_supernodal.free(f);
        assert_nothing_held(&c, &memory);
        if (c.refused == 0) {
            assert_int_equal(status, ZW_OK);
            assert_true(k > 2);
            break;
        }
        assert_int_equal(status, ZW_ERR_MEMORY);
    }
    free_matrix(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_ones),    cmocka_unit_test(wide_ones),
        cmocka_unit_test(cliques),       cmocka_unit_test(lattices),
        cmocka_unit_test(star),          cmocka_unit_test(pivots),
        cmocka_unit_test(after_failure), cmocka_unit_test(failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
