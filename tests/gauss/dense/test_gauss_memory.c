/*
 * test_gauss_memory.c: who allocates what, and what happens when there is none.
 *
 * A counting allocator keeps a record of every block; it can fail the k-th request, once or
 * from then on. Plan takes all memory: factor, solve, project, split, basis and rank ask for
 * none, neither from the allocator nor behind its back from malloc. Whatever fails leaves
 * the right status and no leak.
 */
#include "gauss_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---------------------------------------------------- malloc behind our back */

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif

static size_t malloc_calls;

#if defined(__GLIBC__) && !defined(SANITIZED)
/* The program's own malloc comes before the C library's, for libzwang too. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);

void *malloc(size_t size)
{
    malloc_calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    malloc_calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    malloc_calls++;
    return __libc_realloc(block, size);
}
#endif

/* ------------------------------------------------------ the counting allocator */

enum { BLOCKS = 4096 };

typedef struct counter {
    size_t requests;     /* for new or larger blocks */
    size_t fail_at;      /* the request that fails, from 1; 0: none */
    bool fail_on;        /* and all after it */
    size_t failed;       /* how many did */
    size_t wrong;        /* calls that broke the contract */
    size_t bytes, count; /* held */
    void *blocks[BLOCKS];
    size_t sizes[BLOCKS];
} counter;

static size_t find(const counter *c, const void *block)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->blocks[i] == block) {
            return i;
        }
    }
    return BLOCKS;
}

static void forget(counter *c, size_t i)
{
    c->bytes -= c->sizes[i];
    c->count--;
    c->blocks[i] = c->blocks[c->count];
    c->sizes[i] = c->sizes[c->count];
}

static void *resize(void *user, void *block, size_t old_size, size_t new_size)
{
    counter *c = user;
    size_t i = block != NULL ? find(c, block) : BLOCKS;
    if (block != NULL && (i == BLOCKS || c->sizes[i] != old_size)) {
        c->wrong++; /* not one of ours, or not the size it was asked for with */
        return NULL;
    }
    if (new_size == 0) {
        c->wrong += block == NULL;
        if (block != NULL) {
            forget(c, i);
            free(block);
        }
        return NULL;
    }
    c->requests++;
    bool fails =
        c->fail_at != 0 && (c->fail_on ? c->requests >= c->fail_at : c->requests == c->fail_at);
    if (fails || new_size > (size_t)1 << 30 || c->count == BLOCKS) {
        c->failed++;
        return NULL;
    }
    void *fresh = malloc(new_size);
    memset(fresh, 0xa5, new_size); /* what is read before it is written is seen */
    if (block != NULL) {
        memcpy(fresh, block, old_size < new_size ? old_size : new_size);
        forget(c, i);
        free(block);
    }
    c->blocks[c->count] = fresh;
    c->sizes[c->count++] = new_size;
    c->bytes += new_size;
    return fresh;
}

static counter *counter_new(zw_allocator *allocator)
{
    counter *c = calloc(1, sizeof *c);
    allocator->resize = resize;
    allocator->user = c;
    return c;
}

static void expect_clean(counter *c)
{
    assert_int_equal(c->wrong, 0);
    assert_int_equal(c->count, 0);
    assert_int_equal(c->bytes, 0);
    free(c);
}

/* ------------------------------------------------------ no allocation later on */

/* Everything that may be done with a plan often, on one problem. */
static void work(const problem *p, solved *s, double *room)
{
    int32_t count = 0;
    zw_gauss_rank_info info;
    char text[64];
    if (factor_problem(p, s->g) == ZW_OK) { /* the helper itself allocates: see below */
        zw_gauss_solve(s->g, p->Q, given_b(p), given_C(p), &s->answer);
    }
    zw_gauss_project(s->g, p->Q, room);
    zw_gauss_split(s->g, p->Q, room, room + p->n);
    zw_gauss_basis(s->g, room, &count);
    zw_gauss_rank(s->g, &info);
    zw_gauss_undetermined(s->g, room, &count);
    zw_gauss_explain(s->g, text, sizeof text);
}

static const recipe kinds[] = {
    {1, 4, MASS_GENERIC, 1e2, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {4, 12, MASS_GENERIC, 1e10, ROWS_REDUNDANT, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {4, 12, MASS_DIAGONAL, 1e10, ROWS_MANY, ANY_B, ZW_DIAGONAL, SCALE_TEN, 0},
    {2, 12, MASS_SINGULAR, 1, ROWS_REDUNDANT, ANY_B, ZW_FULL, SCALE_NONE, 0},
    {2, 12, MASS_SINGULAR_DIAGONAL, 1, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {1, 8, MASS_GENERIC, 1, ROWS_NONE, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
    {20, 40, MASS_GENERIC, 1e3, ROWS_REDUNDANT, CONSISTENT, ZW_IDENTITY, SCALE_NONE, 0},
    {150, 170, MASS_DIAGONAL, 1e3, ROWS_INDEPENDENT, ANY_B, ZW_IDENTITY, SCALE_NONE, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A plan made with the counting allocator. */
static void plan_with(const problem *p, const zw_allocator *allocator, solved *s)
{
    zw_gauss_shape shape = shape_of(p);
    prepare(p, s); /* for its room; its plan is replaced */
    zw_gauss_free(s->g);
    zw_context_free(s->context);
    assert_int_equal(zw_context_create(allocator, &s->context), ZW_OK);
    assert_int_equal(zw_gauss_plan(s->context, &shape, &s->g), ZW_OK);
}

static void test_only_plan_allocates(void **state)
{
    (void)state;
    for (int32_t i = 0; i < KINDS * 10; i++) {
        zw_allocator allocator;
        counter *c = counter_new(&allocator);
        recipe r = kinds[i % KINDS];
        /* rows of large problems are drawn freely: the search for well separated ones is slow */
        r.rows = r.n_min > 100 ? ROWS_GENERIC : r.rows;
        if (r.n_min > 100 && i >= 2 * KINDS) {
            free(c);
            continue;
        }
        problem *p = problem_make(&r, (uint64_t)i);
        p->inequalities = i / KINDS % 2 == 1 ? (p->m + 1) / 2 : 0;
        double *room = calloc((size_t)(p->n * p->n + 2 * p->n), sizeof *room);
        solved s;
        plan_with(p, &allocator, &s);
        size_t requests = c->requests, bytes = c->bytes;
        assert_true(bytes > 0);
        assert_true(zw_context_held(s.context) <= bytes);
        for (int32_t turn = 0; turn < 3; turn++) {
            work(p, &s, room);
        }
        p->M[0] = -1; /* the way of failure allocates nothing either */
        work(p, &s, room);
        if (c->requests != requests || c->bytes != bytes) {
            fail_msg("%zu requests after plan, kind %d, seed %d", c->requests - requests, i % KINDS,
                     i);
        }
        free(room);
        solve_clear(&s);
        problem_free(p);
        expect_clean(c);
    }
}

/* The same for malloc itself; only our own kernels, LAPACK may do as it likes. */
static void test_malloc_is_not_called(void **state)
{
    (void)state;
    free(calloc(1, 1));
    if (malloc_calls == 0) { /* under a sanitizer malloc is not ours */
        skip();
    }
    for (uint64_t seed = 0; seed < 40; seed++) {
        recipe r = kinds[seed % 7];
        r.weight = ZW_FULL; /* as it stands, without the helper's packing */
        r.mass = r.mass == MASS_DIAGONAL ? MASS_GENERIC : r.mass;
        r.mass = r.mass == MASS_SINGULAR_DIAGONAL ? MASS_SINGULAR : r.mass;
        problem *p = problem_make(&r, seed);
        p->inequalities = seed / 7 % 2 == 1 && r.mass == MASS_GENERIC ? (p->m + 1) / 2 : 0;
        double *room = calloc((size_t)(p->n * p->n + 2 * p->n), sizeof *room);
        int32_t count = 0;
        zw_gauss_rank_info info;
        solved s;
        prepare(p, &s);
        size_t before = malloc_calls;
        zw_status factored = zw_gauss_factor(s.g, p->M, p->A, p->W);
        zw_status status = zw_gauss_solve(s.g, p->Q, p->b, p->C, &s.answer);
        zw_gauss_project(s.g, p->Q, room);
        zw_gauss_split(s.g, p->Q, room, room + p->n);
        zw_gauss_basis(s.g, room, &count);
        zw_gauss_rank(s.g, &info);
        if (malloc_calls != before) {
            fail_msg("%zu calls of malloc, kind %d, seed %d", malloc_calls - before,
                     (int)(seed % 7), (int)seed);
        }
        assert_int_equal(factored, ZW_OK);
        (void)status; /* other tests judge it */
        free(room);
        solve_clear(&s);
        problem_free(p);
    }
}

/* ----------------------------------------------------- failure at every request */

/* What is tried; returns the status and frees what it made, the context excepted. */
typedef zw_status (*attempt)(zw_context *context, zw_gauss *g, const problem *p, solved *s);

static zw_status try_plan(zw_context *context, zw_gauss *g, const problem *p, solved *s)
{
    (void)g;
    (void)s;
    zw_gauss *made = NULL;
    zw_gauss_shape shape = shape_of(p);
    zw_status status = zw_gauss_plan(context, &shape, &made);
    assert_true((status == ZW_OK) == (made != NULL));
    zw_gauss_free(made);
    return status;
}

static zw_status try_diagnose(zw_context *context, zw_gauss *g, const problem *p, solved *s)
{
    (void)context;
    zw_diagnosis *d = NULL;
    zw_status status = zw_gauss_diagnose(g, p->b, s->z, &d);
    assert_true((status == ZW_OK) == (d != NULL));
    zw_diagnosis_free(d);
    return status;
}

static zw_form form_tried;

static zw_status try_form(zw_context *context, zw_gauss *g, const problem *p, solved *s)
{
    (void)context;
    return zw_gauss_solve_form(g, form_tried, p->Q, p->b, p->C, &s->answer);
}

static zw_status try_report(zw_context *context, zw_gauss *g, const problem *p, solved *s)
{
    (void)g;
    (void)p;
    (void)s;
    zw_diagnostic d = {.severity = ZW_ERROR, .code = "E0001", .sentence = "a sentence"};
    zw_status status = zw_context_add_source(context, "a file", "its text", 8);
    if (status == ZW_OK) {
        status = zw_context_report(context, &d);
    }
    return status;
}

/* Fails request 1, 2, ... until the attempt succeeds; `on`: and all after it. */
static void fail_everywhere(attempt f, const problem *p, bool on)
{
    for (size_t k = 1; k < 1000; k++) {
        zw_allocator allocator;
        counter *c = counter_new(&allocator);
        solved s;
        plan_with(p, &allocator, &s);
        assert_int_equal(factor_problem(p, s.g), ZW_OK);
        assert_int_equal(zw_gauss_solve(s.g, p->Q, p->b, p->C, &s.answer), ZW_OK);
        size_t bytes = c->bytes, blocks = c->count, held = zw_context_held(s.context);
        c->requests = 0;
        c->fail_at = k;
        c->fail_on = on;
        zw_status status = f(s.context, s.g, p, &s);
        bool failed = c->failed > 0;
        c->fail_at = 0;
        if (status != (failed ? ZW_ERR_MEMORY : ZW_OK)) {
            fail_msg("request %zu of %zu: %s", k, c->requests, zw_status_name(status));
        }
        if (f != try_report && (c->bytes != bytes || c->count != blocks)) {
            fail_msg("request %zu leaks: %zu blocks, %zu before", k, c->count, blocks);
        }
        if (f != try_report) {
            assert_int_equal(zw_context_held(s.context), held);
        }
        assert_int_equal(f(s.context, s.g, p, &s), ZW_OK); /* and it still works */
        solve_clear(&s);
        expect_clean(c);
        if (!failed) {
            assert_true(k > 1); /* it did ask for memory */
            return;
        }
    }
    fail_msg("it never stops asking");
}

static problem *sample(void)
{
    recipe r = {5, 5, MASS_GENERIC, 1e2, ROWS_REDUNDANT, CONSISTENT, ZW_FULL, SCALE_NONE, 0};
    return problem_make(&r, 7);
}

/* The same with half of the rows as inequalities, contradictory ones among them. */
static problem *unequal_sample(void)
{
    recipe r = {5, 5, MASS_GENERIC, 1e2, ROWS_MANY, ANY_B, ZW_FULL, SCALE_NONE, 0};
    problem *p = problem_make(&r, 7);
    p->inequalities = (p->m + 1) / 2;
    return p;
}

static void test_failure_in_plan(void **state)
{
    (void)state;
    problem *p = sample();
    fail_everywhere(try_plan, p, false);
    fail_everywhere(try_plan, p, true);
    problem_free(p);
    p = unequal_sample();
    fail_everywhere(try_plan, p, false);
    fail_everywhere(try_plan, p, true);
    problem_free(p);
}

static void test_failure_in_diagnose(void **state)
{
    (void)state;
    problem *p = sample();
    fail_everywhere(try_diagnose, p, false);
    fail_everywhere(try_diagnose, p, true);
    problem_free(p);
    p = unequal_sample();
    fail_everywhere(try_diagnose, p, false);
    fail_everywhere(try_diagnose, p, true);
    problem_free(p);
}

static void test_failure_in_forms(void **state)
{
    (void)state;
    problem *p = sample();
    for (int32_t form = 1; form < 7; form++) {
        form_tried = (zw_form)form;
        fail_everywhere(try_form, p, false);
        fail_everywhere(try_form, p, true);
    }
    problem_free(p);
}

static void test_failure_in_report(void **state)
{
    (void)state;
    problem *p = sample();
    fail_everywhere(try_report, p, false);
    fail_everywhere(try_report, p, true);
    problem_free(p);
}

static void test_failure_in_context(void **state)
{
    (void)state;
    for (size_t k = 1; k < 100; k++) {
        zw_allocator allocator;
        counter *c = counter_new(&allocator);
        zw_context *context = NULL;
        c->fail_at = k;
        zw_status status = zw_context_create(&allocator, &context);
        bool failed = c->failed > 0;
        assert_int_equal(status, failed ? ZW_ERR_MEMORY : ZW_OK);
        assert_true((status == ZW_OK) == (context != NULL));
        zw_context_free(context);
        expect_clean(c);
        if (!failed) {
            assert_true(k > 1);
            return;
        }
    }
    fail_msg("it never stops asking");
}

/* ------------------------------------------------------------------- budgets */

/* With a budget of what it held before, it works; with a byte less it does not. */
static void test_budget(void **state)
{
    (void)state;
    problem *p = sample();
    zw_gauss_shape shape = shape_of(p);
    zw_context *context = NULL;
    zw_gauss *g = NULL;
    assert_int_equal(zw_context_create(NULL, &context), ZW_OK);
    size_t empty = zw_context_held(context);
    assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_OK);
    size_t held = zw_context_held(context);
    assert_true(held > empty);
    zw_gauss_free(g);
    assert_int_equal(zw_context_held(context), empty);
    for (size_t budget = held - 1; budget > 0; budget = budget * 3 / 4) {
        g = NULL;
        assert_int_equal(zw_context_set_budget(context, budget), ZW_OK);
        assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_ERR_BUDGET);
        assert_null(g);
        assert_int_equal(zw_context_held(context), empty);
    }
    assert_int_equal(zw_context_set_budget(context, held), ZW_OK);
    assert_int_equal(zw_gauss_plan(context, &shape, &g), ZW_OK);
    assert_true(zw_context_held(context) <= held);
    /* forms and diagnosis count too: nothing is left for them */
    solved s;
    zw_diagnosis *d = NULL;
    prepare(p, &s);
    assert_int_equal(factor_problem(p, g), ZW_OK);
    assert_int_equal(zw_gauss_solve(g, p->Q, p->b, p->C, &s.answer), ZW_OK);
    assert_int_equal(zw_gauss_diagnose(g, p->b, s.z, &d), ZW_ERR_BUDGET);
    assert_null(d);
    assert_int_equal(zw_gauss_solve_form(g, ZW_FORM_MOORE_PENROSE, p->Q, p->b, p->C, &s.answer),
                     ZW_ERR_BUDGET);
    assert_int_equal(zw_context_set_budget(context, 0), ZW_OK);
    assert_int_equal(zw_gauss_diagnose(g, p->b, s.z, &d), ZW_OK);
    zw_diagnosis_free(d);
    solve_clear(&s);
    zw_gauss_free(g);
    assert_int_equal(zw_context_held(context), empty);
    zw_context_free(context);
    problem_free(p);
}

/* Shapes that no computer holds are refused, not wrapped around. */
static void test_absurd_sizes(void **state)
{
    (void)state;
    static const int32_t sizes[][2] = {{INT32_MAX, INT32_MAX}, {INT32_MAX, 0}, {1, INT32_MAX},
                                       {INT32_MAX, 1},         {65536, 65536}, {46341, 46341}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        zw_allocator allocator;
        counter *c = counter_new(&allocator);
        zw_context *context = NULL;
        zw_gauss *g = NULL;
        zw_gauss_shape shape = {.n = sizes[i][0], .m = sizes[i][1]};
        assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
        zw_status status = zw_gauss_plan(context, &shape, &g);
        if (status != ZW_ERR_MEMORY && status != ZW_ERR_ARGUMENT && status != ZW_ERR_BUDGET) {
            fail_msg("n %d, m %d: %s", sizes[i][0], sizes[i][1], zw_status_name(status));
        }
        assert_null(g);
        zw_context_free(context);
        expect_clean(c);
    }
}

/* Every free accepts NULL. */
static void test_free_of_nothing(void **state)
{
    (void)state;
    zw_context_free(NULL);
    zw_gauss_free(NULL);
    zw_diagnosis_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_plan_allocates), cmocka_unit_test(test_malloc_is_not_called),
        cmocka_unit_test(test_failure_in_plan),     cmocka_unit_test(test_failure_in_diagnose),
        cmocka_unit_test(test_failure_in_forms),    cmocka_unit_test(test_failure_in_report),
        cmocka_unit_test(test_failure_in_context),  cmocka_unit_test(test_budget),
        cmocka_unit_test(test_absurd_sizes),        cmocka_unit_test(test_free_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
