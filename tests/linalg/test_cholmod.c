/*
 * CHOLMOD's factor as one of ours: it is loaded when asked for and not before; what it solves
 * satisfies the equations, and is what the row by row factor solves; what is not positive definite
 * has no factor, and the next matrix has one again; several threads may solve at the same time.
 *
 * The program is built twice where the build found the library: as it is, and with cholmod.c and
 * metis.c compiled for libraries that do not exist (EXPECTED: whether they must be there). Without
 * the library everything but the first test is skipped.
 */
#define _GNU_SOURCE /* RTLD_NOLOAD */
#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "graphs.h"

static bool is_loaded(void)
{
    void *library = dlopen(ZA_CHOLMOD_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
    if (library) (void)dlclose(library);
    return library != NULL;
}

static void loaded_when_asked(void **state)
{
    (void)state;
    assert_false(is_loaded());
    const za_factoring *way = za_cholmod();
    assert_int_equal(way != NULL, EXPECTED);
    assert_int_equal(is_loaded(), EXPECTED);
    assert_int_equal(za_metis_available(), EXPECTED);
    if (way) assert_true(way->definite);
}

/* r = b - X x, and the largest of it. */
static double residual(const za_symmetric *x, const double *values, const double *b,
                       const double *y)
{
    double *r = malloc(sizeof *r * (size_t)(x->n + 1)), worst = 0.0;
    memcpy(r, b, sizeof *r * (size_t)x->n);
    for (int32_t i = 0; i < x->n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++) {
            int32_t j = x->index[p];
            r[i] -= values[p] * y[j];
            if (j != i) r[j] -= values[p] * y[i];
        }
    }
    for (int32_t i = 0; i < x->n; i++) worst = fmax(worst, fabs(r[i]));
    free(r);
    return worst;
}

typedef struct problem {
    za_symmetric x;
    int32_t *order;
    double *values, *b, *y, *work;
} problem;

static problem problem_of(graph g, uint64_t *seed)
{
    problem p = {.x = graph_pattern(&g)};
    size_t n = (size_t)p.x.n + 1;
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    p.order = malloc(sizeof *p.order * n);
    p.values = definite_values(&p.x, seed);
    p.b = malloc(sizeof *p.b * n);
    p.y = malloc(sizeof *p.y * n);
    p.work = malloc(sizeof *p.work * n);
    for (size_t i = 0; i < n; i++) p.b[i] = 1e-3 * random_below(seed, 2000) - 1.0;
    assert_int_equal(za_order_amd(&memory, &p.x, p.order), ZW_OK);
    return p;
}

static void problem_free(problem *p)
{
    pattern_free(&p->x);
    void *all[] = {p->order, p->values, p->b, p->y, p->work};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
}

static void solve(const za_factoring *way, const void *factor, problem *p)
{
    memcpy(p->y, p->b, sizeof *p->y * (size_t)p->x.n);
    way->solve(factor, p->y, p->work);
    assert_true(residual(&p->x, p->values, p->b, p->y) < 1e-12);
}

/* Against the row by row factor: the same least pivot, found in the same row, the same answer. */
static void compare(graph g, uint64_t *seed, bool ordered)
{
    const za_factoring *way[] = {za_cholmod(), &za_up_looking};
    problem p = problem_of(g, seed);
    size_t n = (size_t)p.x.n;
    double *answer = calloc(n + 1, sizeof *answer);
    za_pivots pivots[2];
    zb_memory memory;
    zb_memory_init(&memory, NULL);
    for (int k = 0; k < 2; k++) {
        void *factor;
        assert_int_equal(way[k]->plan(&memory, &p.x, ordered ? p.order : NULL, &factor), ZW_OK);
        way[k]->factor(factor, p.values, &pivots[k]);
        assert_true(pivots[k].complete);
        assert_int_equal(pivots[k].negative, 0);
        solve(way[k], factor, &p);
        if (k == 0) memcpy(answer, p.y, sizeof *answer * n);
        way[k]->free(factor);
    }
    for (size_t i = 0; i < n; i++) assert_true(fabs(answer[i] - p.y[i]) < 1e-12);
    assert_true(fabs(pivots[0].smallest - pivots[1].smallest) < 1e-13);
    if (n > 0) assert_true(pivots[0].worst >= 0 && pivots[0].worst < p.x.n);
    free(answer);
    problem_free(&p);
}

static void same_as_row_by_row(void **state)
{
    (void)state;
    uint64_t seed = 19;
    if (!za_cholmod()) skip();
    graph none = {0}, one = {.n = 1}, apart = {.n = 50};
    compare(none, &seed, true);
    compare(one, &seed, true);
    compare(apart, &seed, true);
    compare(graph_path(1000), &seed, true);
    compare(graph_full(60), &seed, true);
    compare(graph_lattice(30, 2), &seed, true);
    compare(graph_lattice(12, 1), &seed, false);
    for (int round = 0; round < 30; round++) {
        int32_t n = 1 + random_below(&seed, 200);
        compare(graph_random(n, 2 * n, &seed), &seed, round % 2 == 0);
    }
}

static void indefinite_has_none(void **state)
{
    (void)state;
    uint64_t seed = 23;
    const za_factoring *way = za_cholmod();
    if (!way) skip();
    problem p = problem_of(graph_lattice(15, 2), &seed);
    zb_memory memory;
    void *factor;
    za_pivots pivots;
    zb_memory_init(&memory, NULL);
    assert_int_equal(way->plan(&memory, &p.x, p.order, &factor), ZW_OK);
    for (int32_t row = 0; row < p.x.n; row += 37) {
        double *diagonal = &p.values[p.x.start[row + 1] - 1], kept = *diagonal;
        const double bad[] = {-1.0, 0.0, (double)NAN};
        for (int k = 0; k < 3; k++) {
            *diagonal = bad[k];
            way->factor(factor, p.values, &pivots);
            assert_false(pivots.complete);
            assert_in_range(pivots.worst, 0, p.x.n - 1);
        }
        *diagonal = kept;
        way->factor(factor, p.values, &pivots);
        assert_true(pivots.complete);
        solve(way, factor, &p);
    }
    way->free(factor);
    way->free(NULL);
    assert_int_equal(memory.held, 0);
    problem_free(&p);
}

/* A pivot that is almost nothing of its diagonal is reported, with its row. */
static void small_pivot_is_told(void **state)
{
    (void)state;
    const za_factoring *way = za_cholmod();
    if (!way) skip();
    graph g = graph_path(3);
    za_symmetric x = graph_pattern(&g);
    /* pivots in the given order: 1, 1e-10 / (1 + 1e-10), 1 - ... */
    const int32_t order[] = {0, 1, 2};
    const double values[] = {1.0, 1.0, 1.0 + 1e-10, 0.0, 1.0};
    zb_memory memory;
    void *factor;
    za_pivots pivots;
    zb_memory_init(&memory, NULL);
    assert_int_equal(way->plan(&memory, &x, order, &factor), ZW_OK);
    way->factor(factor, values, &pivots);
    assert_true(pivots.complete);
    assert_true(fabs(pivots.smallest - 1e-10) < 1e-15);
    assert_int_equal(pivots.worst, 1);
    way->free(factor);
    pattern_free(&x);
}

typedef struct job {
    const void *factor;
    const problem *p;
    double *y, *work;
} job;

static void solve_often(void *job_)
{
    const job *j = job_;
    for (int round = 0; round < 50; round++) {
        memcpy(j->y, j->p->b, sizeof *j->y * (size_t)j->p->x.n);
        za_cholmod()->solve(j->factor, j->y, j->work);
    }
}

static void threads_solve(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    uint64_t seed = 29;
    const za_factoring *way = za_cholmod();
    if (!way) skip();
    problem p = problem_of(graph_lattice(30, 2), &seed);
    size_t n = (size_t)p.x.n;
    zb_thread thread[THREADS];
    job jobs[THREADS];
    zb_memory memory;
    void *factor;
    za_pivots pivots;
    zb_memory_init(&memory, NULL);
    assert_int_equal(way->plan(&memory, &p.x, p.order, &factor), ZW_OK);
    way->factor(factor, p.values, &pivots);
    solve(way, factor, &p);
    for (int k = 0; k < THREADS; k++) {
        jobs[k] = (job){factor, &p, malloc(sizeof(double) * n), malloc(sizeof(double) * n)};
        assert_true(zb_thread_start(&thread[k], solve_often, &jobs[k]));
    }
    for (int k = 0; k < THREADS; k++) {
        zb_thread_join(&thread[k]);
        assert_memory_equal(jobs[k].y, p.y, sizeof(double) * n);
        free(jobs[k].y);
        free(jobs[k].work);
    }
    way->free(factor);
    problem_free(&p);
}

static void memory_fails(void **state)
{
    (void)state;
    uint64_t seed = 31;
    const za_factoring *way = za_cholmod();
    if (!way) skip();
    problem p = problem_of(graph_lattice(10, 1), &seed);
    failing f = {0};
    zw_allocator allocator = failing_allocator(&f);
    zw_status status = ZW_ERR_MEMORY;
    zb_memory memory;
    void *factor = NULL;
    for (int64_t k = 1; status != ZW_OK; k++) {
        zb_memory_init(&memory, &allocator);
        f = (failing){.fail_at = k};
        status = way->plan(&memory, &p.x, p.order, &factor);
        if (status == ZW_OK) break;
        assert_int_equal(status, ZW_ERR_MEMORY);
        assert_int_equal(f.held, 0);
        assert_true(k < 100);
    }
    way->free(factor);
    assert_int_equal(f.held, 0);
    /* enough for the pattern, not for L */
    zb_memory_init(&memory, NULL);
    assert_int_equal(way->plan(&memory, &p.x, p.order, &factor), ZW_OK);
    size_t held = memory.held;
    way->free(factor);
    memory.budget = held + 4096;
    assert_int_equal(way->plan(&memory, &p.x, p.order, &factor), ZW_ERR_BUDGET);
    assert_int_equal(memory.held, 0);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loaded_when_asked),   cmocka_unit_test(same_as_row_by_row),
        cmocka_unit_test(indefinite_has_none), cmocka_unit_test(small_pivot_is_told),
        cmocka_unit_test(threads_solve),       cmocka_unit_test(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
