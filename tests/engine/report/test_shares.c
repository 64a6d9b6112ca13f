/*
 * Forces that are not unique, in the rows of a run: random linear rows of which some follow from
 * others, of any scale and weight, against the null space by elimination in long double. Which
 * multipliers, sums of them and controls are told, by both solvers; that nothing is told where the
 * columns do not show it; uniqueness that is lost at a moment.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

enum { MOST = 9 };

static uint64_t seed;

static int draw(int low, int high) /* both included */
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (int)((seed >> 33) % (uint64_t)(high - low + 1));
}

/* ---------------------------------------------------------------------- the problem */

/* Rows A with small whole numbers; sums c of multipliers. */
typedef struct problem {
    int n, m, sums;
    double A[MOST][MOST], scale[MOST], weight[MOST], c[MOST][MOST];
} problem;

/* Rows of small numbers, of which some are sums of one or two earlier ones; half of the sums of
 * multipliers are unique, c = A u. */
static problem draw_problem(void)
{
    problem p = {.n = draw(3, MOST), .m = draw(2, MOST - 1), .sums = draw(1, 4)};
    for (int i = 0; i < p.m; i++) {
        bool follows = i > 1 && draw(0, 2) == 0;
        int a = draw(0, i > 0 ? i - 1 : 0), b = draw(0, i > 0 ? i - 1 : 0), k = draw(1, 2);
        for (int j = 0; j < p.n; j++)
            p.A[i][j] = follows ? p.A[a][j] + k * p.A[b][j] : draw(0, 2) ? 0 : draw(-3, 3);
        p.A[i][i % p.n] += follows ? 0 : 1;
        p.scale[i] = pow(10, draw(-2, 2));
        p.weight[i] = draw(0, 1) ? 1 : draw(1, 5);
    }
    for (int s = 0; s < p.sums; s++)
        for (int i = 0; i < p.m; i++) p.c[s][i] = draw(-2, 2);
    for (int s = 0; s < p.sums; s += 2) { /* c = (scaled A) u */
        int u[MOST];
        for (int j = 0; j < p.n; j++) u[j] = draw(-2, 2);
        for (int i = 0; i < p.m; i++) {
            p.c[s][i] = 0;
            for (int j = 0; j < p.n; j++) p.c[s][i] += p.scale[i] * p.A[i][j] * u[j];
        }
    }
    return p;
}

/* Whether the row vector c is in the column space of the scaled A, c = A u: then c.n = 0 for every
 * n with A^T n = 0. By elimination on [A | c]. */
static bool is_reached(const problem *p, const double *c)
{
    long double x[MOST][MOST + 1];
    int used = 0;
    for (int i = 0; i < p->m; i++) {
        for (int j = 0; j < p->n; j++) x[i][j] = (long double)p->A[i][j];
        x[i][p->n] = (long double)(c[i] / p->scale[i]); /* rows in units of their scale */
    }
    for (int j = 0; j < p->n && used < p->m; j++) {
        int best = used;
        for (int i = used; i < p->m; i++)
            if (fabsl(x[i][j]) > fabsl(x[best][j])) best = i;
        if (fabsl(x[best][j]) < 1e-9L) continue;
        for (int k = 0; k <= p->n; k++) {
            long double y = x[used][k];
            x[used][k] = x[best][k];
            x[best][k] = y;
        }
        for (int i = used + 1; i < p->m; i++) {
            long double by = x[i][j] / x[used][j];
            for (int k = 0; k <= p->n; k++) x[i][k] -= by * x[used][k];
        }
        used++;
    }
    for (int i = used; i < p->m; i++)
        if (fabsl(x[i][p->n]) > 1e-9L) return false;
    return true;
}

/* ------------------------------------------------------------------------- the model */

static void write_model(const problem *p, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    assert_non_null(out);
    (void)fprintf(out, "coord x[%d]\nkinetic dot(x', x')/2\n", p->n);
    for (int j = 0; j < p->n; j++) (void)fprintf(out, "force x[%d]: %d\n", j + 1, draw(-4, 4));
    for (int i = 0; i < p->m; i++) {
        (void)fprintf(out, "%s r%d: %.17g*(0", i == 0 ? "control" : "constraint", i, p->scale[i]);
        for (int j = 0; j < p->n; j++)
            if (p->A[i][j] != 0) (void)fprintf(out, " + (%g)*x[%d]", p->A[i][j], j + 1);
        (void)fprintf(out, ") = 0\n");
        if (p->weight[i] != 1) (void)fprintf(out, "weight r%d: %g\n", i, p->weight[i]);
    }
    for (int s = 0; s < p->sums; s++) {
        (void)fprintf(out, "output s%d = 0", s);
        for (int i = 0; i < p->m; i++)
            (void)fprintf(out, " + (%.17g)*multiplier(r%d)", p->c[s][i], i);
        (void)fprintf(out, "\n");
    }
    (void)fprintf(out, "simulate t = 0..1\n");
    (void)fclose(out);
}

static bool keep(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

/* The verdict of a run that writes three rows of these columns; the caller frees it. */
static json_t *judge(bench *b, const char *list)
{
    zw_run_settings set;
    zw_outcome outcome;
    zw_columns *columns;
    double row[200];
    char *bytes = NULL;
    size_t size = 0;
    if (bench_start(b, false) != ZW_OK) return NULL; /* the sparse solver refuses some scales */
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    assert_int_equal(zw_columns_create(b->model, list, &columns), ZW_OK);
    assert_true(zw_columns_count(columns) <= 200);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(zw_sim_advance(b->sim, 0.5 * set.until * k, &outcome), ZW_OK);
        assert_int_equal(zw_sim_columns(b->sim, columns, row), ZW_OK);
    }
    zw_columns_free(columns);
    assert_int_equal(zw_sim_conclude(b->sim), ZW_OK);
    FILE *out = open_memstream(&bytes, &size);
    assert_non_null(out);
    assert_int_equal(zw_sim_verdict(b->sim, ZW_REPORT_JSON, keep, out), ZW_OK);
    (void)fclose(out);
    json_t *root = json_loads(bytes, 0, NULL);
    assert_non_null(root);
    free(bytes);
    return root;
}

/* Whether the verdict names a column. */
static bool names(const json_t *root, const char *column)
{
    const json_t *list = json_object_get(json_object_get(root, "not_unique"), "columns");
    for (size_t k = 0; k < json_array_size(list); k++)
        if (strcmp(json_string_value(json_array_get(list, k)), column) == 0) return true;
    return false;
}

static bool is_plain(const json_t *root)
{
    return strcmp(json_string_value(json_object_get(root, "trust")), "ok") == 0;
}

/* --------------------------------------------------------------------------- random */

static void random_rows(void **state)
{
    (void)state;
    char text[8000], name[40];
    int open = 0, sure = 0;
    seed = 20;
    for (int k = 0; k < 400; k++) {
        problem p = draw_problem();
        bench b;
        write_model(&p, text, sizeof text);
        bench_open(&b, text);
        if (b.m != p.m) { /* a row that says nothing is left out */
            bench_close(&b);
            continue;
        }
        json_t *root = judge(&b, "all");
        bool any = false;
        if (!root) {
            bench_close(&b);
            continue;
        }
        for (int i = 0; i < p.m; i++) {
            double e[MOST] = {0};
            e[i] = p.scale[i];
            bool unique = is_reached(&p, e);
            (void)snprintf(name, sizeof name, "multiplier(r%d)", i);
            if (names(root, name) == unique) fail_msg("%s, unique %d\n%s", name, unique, text);
            any = any || !unique;
            unique ? sure++ : open++;
        }
        for (int s = 0; s < p.sums; s++) {
            bool unique = is_reached(&p, p.c[s]);
            (void)snprintf(name, sizeof name, "s%d", s);
            if (names(root, name) == unique) fail_msg("%s, unique %d\n%s", name, unique, text);
        }
        assert_int_equal(any, bench_message(&b, "R0731") != NULL);
        assert_int_equal(any, !is_plain(root));
        json_decref(root);
        root = judge(&b, "x, energy, force(x)"); /* what is unique is written without a word */
        if (json_array_size(json_object_get(json_object_get(root, "not_unique"), "columns")) > 0)
            fail_msg("told although not written\n%s", text);
        json_decref(root);
        bench_close(&b);
    }
    if (open < 100 || sure < 100) fail_msg("only %d and %d", open, sure);
}

/* ------------------------------------------------------------------------ a moment */

/* A row whose factor passes through 0 depends on the other one only there; a control whose share
 * another row takes. */
static void at_a_moment(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce y: -1\n"
                   "constraint a: y' = 0\nconstraint b: y' + (t - 1)*x' = 0\nsimulate t = 0..2\n");
    json_t *root = judge(&b, "multiplier(a)");
    assert_true(names(root, "multiplier(a)"));
    assert_true(
        json_number_value(json_object_get(json_object_get(root, "not_unique"), "first_time")) == 1);
    bench_expect(&b, "R0731", " at t = 1");
    json_decref(root);
    root = judge(&b, "x, y");
    assert_int_equal(
        json_array_size(json_object_get(json_object_get(root, "not_unique"), "columns")), 0);
    json_decref(root);
    bench_close(&b);
    bench_open(&b, "coord x\nkinetic x'^2/2\ncontrol hold: x = 0\nconstraint wall: x = 0\n"
                   "force x: 3\nsimulate t = 0..1\n");
    root = judge(&b, "control(x)");
    assert_true(names(root, "control(x)"));
    json_decref(root);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_rows),
                                       cmocka_unit_test(at_a_moment)};
    int failed = cmocka_run_group_tests_name("shares", tests, bench_auto, NULL);
    return failed + cmocka_run_group_tests_name("shares, sparse", tests, bench_sparse, NULL);
}
