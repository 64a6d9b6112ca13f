/*
 * test_large_models.c: models of many constraints, from text, through the sparse solver.
 *
 * The chain of the reference; accelerations of long chains against a tridiagonal elimination that
 * is written out here; loops, ladders and lattices by the dense and the sparse solver; a lattice in
 * which one rod is too long.
 */
#include "journey.h"
#include "large_models.h"
#include "reference.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static loaded load(const char *model, const char *setting, zw_solver solver)
{
    bool text = strchr(model, '\n') != NULL;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.zw", ZW_TEST_MODELS, model);
    char *file = text ? NULL : read_text(path);
    loaded l =
        load_text(text ? model : file, &(load_options){.setting = setting, .solver = solver});
    free(file);
    if (l.status != ZW_OK) fail_msg("%s: %s", setting, load_messages(&l));
    return l;
}

static void done(loaded *l, zw_status status, const char *what)
{
    if (status != ZW_OK) fail_msg("%s: %s\n%s", what, zw_status_name(status), load_messages(l));
}

static double *numbers(int32_t count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* ---------------------------------------------------------------- the reference */

/* A run of tests/models/chain.zw with N links. */
typedef struct chain {
    loaded l;
    int32_t N;
    double *q, *v; /* x[1..N], y[1..N] */
} chain;

static chain chain_begin(int32_t N, zw_solver solver, double tol)
{
    char setting[32];
    zw_run_settings settings;
    snprintf(setting, sizeof setting, "N = %d", N);
    chain c = {.l = load("chain", setting, solver), .N = N, .q = numbers(4 * N)};
    c.v = c.q + 2 * N;
    done(&c.l, zw_run_defaults(c.l.model, &settings), "defaults");
    settings.until = (double)NAN;
    settings.tol = settings.abs_tol = tol;
    settings.max_steps = 20000;
    done(&c.l, zw_sim_start(c.l.sim, false), "start");
    done(&c.l, zw_sim_begin(c.l.sim, &settings), "begin");
    return c;
}

static void chain_to(chain *c, double t)
{
    zw_outcome outcome;
    done(&c->l, zw_sim_advance(c->l.sim, t, &outcome), "advance");
    assert_int_equal(outcome, ZW_REACHED);
    done(&c->l, zw_sim_state(c->l.sim, NULL, c->q, c->v), "state");
}

static void chain_free(chain *c)
{
    free(c->q);
    loaded_clear(&c->l);
}

/* The worst |rod - 1/N|, relative. */
static double rods_off(const chain *c)
{
    double worst = 0;
    for (int32_t i = 0; i < c->N; i++) {
        double dx = c->q[i] - (i > 0 ? c->q[i - 1] : 0);
        double dy = c->q[c->N + i] - (i > 0 ? c->q[c->N + i - 1] : 0);
        worst = fmax(worst, fabs(hypot(dx, dy) * c->N - 1));
    }
    return worst;
}

static double energy_of(const chain *c)
{
    double energy = 0;
    for (int32_t i = 0; i < c->N; i++) {
        double vx = c->v[i], vy = c->v[c->N + i];
        energy += (0.5 * (vx * vx + vy * vy) + 9.81 * c->q[c->N + i]) / c->N;
    }
    return energy;
}

static void expect(const chain *c, const json_t *entry, const char *point, int32_t i)
{
    const double got[] = {c->q[i], c->q[c->N + i]};
    double spread = strtod(json_string_value(json_object_get(entry, "A_vs_B")), NULL);
    double allowed = fmax(1e-8, 1e3 * spread); /* the file's own tolerance_to_pass */
    for (int k = 0; k < 2; k++) {
        char name[32];
        snprintf(name, sizeof name, "%c_%s", "xy"[k], point);
        double expected = reference_value(entry, name);
        if (!(fabs(got[k] - expected) <= allowed))
            fail_msg("N = %d, t = %g: %s is %.15g, the reference %.15g", c->N,
                     reference_time(entry), name, got[k], expected);
    }
}

static int32_t follow_reference(const char *links, double tol)
{
    json_t *root = reference_load("chain_n"), *entry;
    size_t i;
    int32_t N = (int32_t)strtol(links, NULL, 10), seen = 0;
    chain c = chain_begin(N, ZW_SOLVER_SPARSE, tol);
    json_array_foreach(json_object_get(root, "reference"), i, entry)
    {
        if (!reference_is(entry, "N", links)) continue;
        chain_to(&c, reference_time(entry));
        expect(&c, entry, "1", 0);
        expect(&c, entry, "mid", N / 2 - 1);
        expect(&c, entry, "tip", N - 1);
        assert_true(rods_off(&c) <= 1e-9);
        assert_true(fabs(energy_of(&c) - reference_value(entry, "energy")) <= 1e-8);
        seen++;
    }
    chain_free(&c);
    json_decref(root);
    return seen;
}

static void test_reference(void **state)
{
    (void)state;
    assert_true(follow_reference("10", 1e-12) >= 5);
    assert_true(follow_reference("100", 1e-11) >= 5);
}

/* ------------------------------------------------------------------- long chains */

/* a [2N] by elimination: with d_k the k-th rod and w_k the rate of it, the multipliers are those of
 *
 *     -d_k.d_(k-1) l_(k-1) + (1 or 2) d_k.d_k l_k - d_k.d_(k+1) l_(k+1) = w_k.w_k [- g d_1y],
 *
 * masses 1. All in long double. */
typedef struct rods {
    int32_t N;
    long double *dx, *dy, *diagonal, *side;
} rods;

static void set_rods(rods *r, const chain *c)
{
    int32_t N = c->N;
    for (int32_t k = 0; k < N; k++) {
        long double wx = (long double)c->v[k] - (k > 0 ? (long double)c->v[k - 1] : 0);
        long double wy = (long double)c->v[N + k] - (k > 0 ? (long double)c->v[N + k - 1] : 0);
        r->dx[k] = (long double)c->q[k] - (k > 0 ? (long double)c->q[k - 1] : 0);
        r->dy[k] = (long double)c->q[N + k] - (k > 0 ? (long double)c->q[N + k - 1] : 0);
        r->diagonal[k] = (k > 0 ? 2 : 1) * (r->dx[k] * r->dx[k] + r->dy[k] * r->dy[k]);
        r->side[k] = wx * wx + wy * wy - (k > 0 ? 0 : (long double)9.81 * r->dy[0]);
    }
}

static void eliminate(rods *r)
{
    long double *b = r->side, *d = r->diagonal;
    for (int32_t k = 1; k < r->N; k++) {
        long double c = r->dx[k] * r->dx[k - 1] + r->dy[k] * r->dy[k - 1];
        d[k] -= c * c / d[k - 1];
        b[k] += c * b[k - 1] / d[k - 1];
    }
    for (int32_t k = r->N - 1; k >= 0; k--) {
        long double c = k + 1 < r->N ? r->dx[k] * r->dx[k + 1] + r->dy[k] * r->dy[k + 1] : 0;
        b[k] = (b[k] + c * (k + 1 < r->N ? b[k + 1] : 0)) / d[k];
    }
}

static void chain_acceleration(const chain *c, double *a)
{
    int32_t N = c->N;
    long double *room = calloc((size_t)(4 * N), sizeof *room);
    assert_non_null(room);
    rods r = {N, room, room + N, room + 2 * N, room + 3 * N};
    set_rods(&r, c);
    eliminate(&r);
    for (int32_t k = 0; k < N; k++) {
        bool last = k + 1 == N;
        long double next_x = last ? 0 : r.side[k + 1] * r.dx[k + 1];
        long double next_y = last ? 0 : r.side[k + 1] * r.dy[k + 1];
        a[k] = (double)(next_x - r.side[k] * r.dx[k]);
        a[N + k] = (double)(next_y - r.side[k] * r.dy[k] - (long double)9.81);
    }
    free(room);
}

static double largest(const double *x, const double *y, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; i < n; i++) {
        double d = fabs(x[i] - (y != NULL ? y[i] : 0));
        if (!(d <= most)) most = d;
    }
    return most;
}

static void expect_tridiagonal(chain *c, double t)
{
    double *a = numbers(4 * c->N), *z = a + 2 * c->N;
    done(&c->l, zw_sim_acceleration(c->l.sim, t, c->q, c->v, z), "acceleration");
    chain_acceleration(c, a);
    double off = largest(z, a, 2 * c->N), size = largest(a, NULL, 2 * c->N);
    if (!(off <= 1e-11 * size)) fail_msg("%d links: off by %.2g of %.2g", c->N, off, size);
    free(a);
}

/* A thousand links fall: on their rods, with their energy, by the right acceleration. */
static void test_thousand_links(void **state)
{
    (void)state;
    chain c = chain_begin(1000, ZW_SOLVER_AUTO, 1e-8);
    chain_to(&c, 0.02);
    assert_true(largest(c.v, NULL, 2000) > 0.1); /* it has moved */
    assert_true(rods_off(&c) <= 1e-12);
    assert_true(fabs(energy_of(&c)) <= 1e-8);
    expect_tridiagonal(&c, 0.02);
    chain_free(&c);
}

/* Twenty thousand links, bent and moving: an arc that turns and swings. */
static void test_twenty_thousand_links(void **state)
{
    (void)state;
    enum { N = 20000 };
    char setting[32];
    snprintf(setting, sizeof setting, "N = %d", N);
    chain c = {.l = load("chain", setting, ZW_SOLVER_AUTO), .N = N, .q = numbers(4 * N)};
    c.v = c.q + 2 * N;
    for (int32_t i = 0; i < N; i++) {
        double s = (i + 1.0) / N, angle = 0.3 * sin(40 * s), rate = 1 + cos(25 * s);
        double before[4] = {0};
        for (int k = 0; k < 4 && i > 0; k++) before[k] = c.q[k * N + i - 1];
        c.q[i] = before[0] + cos(angle) / N;
        c.q[N + i] = before[1] + sin(angle) / N;
        c.v[i] = before[2] - rate * sin(angle) / N;
        c.v[N + i] = before[3] + rate * cos(angle) / N;
    }
    expect_tridiagonal(&c, 0);
    chain_free(&c);
}

/* ------------------------------------------------------------ dense equals sparse */

/* Velocities that the constraints do not allow: with redundant rows, accelerations then contradict
 * each other. */
static void shake(double *v, int32_t n, double size)
{
    uint64_t random = 7;
    for (int32_t i = 0; i < n; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        v[i] += size * ((double)(random >> 40) / 16777216.0 - 0.5);
    }
}

static void compare_at(loaded *dense, loaded *sparse, const double *q, const double *v,
                       const char *what)
{
    int32_t n = dense->n;
    double *z = numbers(2 * n), *y = z + n;
    done(dense, zw_sim_acceleration(dense->sim, 0, q, v, z), "dense acceleration");
    done(sparse, zw_sim_acceleration(sparse->sim, 0, q, v, y), "sparse acceleration");
    double off = largest(y, z, n), size = fmax(largest(z, NULL, n), 9.81);
    if (!(off <= 1e-11 * size)) fail_msg("%s: off by %.2g of %.2g", what, off, size);
    free(z);
}

/* At the start, shaken, and where a run of the sparse one has come to. */
static void compare(const char *model, const char *setting, bool shaken)
{
    loaded dense = load(model, setting, ZW_SOLVER_DENSE);
    loaded sparse = load(model, setting, ZW_SOLVER_SPARSE);
    double *q = numbers(2 * dense.n), *v = q + dense.n;
    zw_run_settings settings;
    zw_outcome outcome;
    done(&dense, zw_sim_start(dense.sim, false), "dense start");
    done(&sparse, zw_sim_start(sparse.sim, false), "sparse start");
    done(&dense, zw_sim_state(dense.sim, NULL, q, v), "state");
    compare_at(&dense, &sparse, q, v, setting);
    done(&sparse, zw_run_defaults(sparse.model, &settings), "defaults");
    settings.until = 0.2;
    settings.tol = settings.abs_tol = 1e-6;
    done(&sparse, zw_sim_begin(sparse.sim, &settings), "begin");
    done(&sparse, zw_sim_advance(sparse.sim, 0.2, &outcome), "advance");
    done(&sparse, zw_sim_state(sparse.sim, NULL, q, v), "state");
    assert_true(largest(v, NULL, dense.n) > 0.1);
    compare_at(&dense, &sparse, q, v, setting);
    if (shaken) shake(v, dense.n, 1.0);
    if (shaken) compare_at(&dense, &sparse, q, v, setting);
    free(q);
    loaded_clear(&dense);
    loaded_clear(&sparse);
}

static void test_dense_equals_sparse(void **state)
{
    (void)state;
    compare(loop_model, "N = 24", true);
    compare(loop_model, "N = 61", true);
    compare(ladder_model, "N = 20", true);
    compare(lattice_model, "N = 6", true);
    compare(lattice_model, "N = 9", true);
}

static void test_both_diagonals(void **state)
{
    (void)state;
    char *text = calloc(sizeof ladder_model + 1, 1), *both;
    assert_non_null(text);
    strcpy(text, ladder_model);
    both = strstr(text, "both = 0");
    assert_non_null(both);
    both[strlen("both = ")] = '1';
    compare(text, "N = 15", true);
    free(text);
}

/* ---------------------------------------------------------------- a rod too long */

/* The error, not a mere remark about the start, names the rod. */
static bool error_names(const loaded *l, const char *rod)
{
    const zw_diagnostic *d;
    for (int32_t i = 0; (d = zw_context_diagnostic(l->context, i)) != NULL; i++) {
        if (d->severity == ZW_ERROR && find_word(d->sentence, rod) != NULL) return true;
    }
    return false;
}

static void long_rod(int32_t N, int32_t i, int32_t j)
{
    char text[sizeof lattice_model + 64], rod[32];
    const char *rest = strchr(lattice_model, '\n');
    snprintf(text, sizeof text, "param N = %d, I = %d, J = %d, extra = 0.01, n = N*N%s", N, i, j,
             rest);
    snprintf(rod, sizeof rod, "slant[%d,%d]", i, j);
    loaded l = load(text, NULL, ZW_SOLVER_SPARSE);
    char *report = load_check(&l, ZW_REPORT_TEXT);
    assert_int_not_equal(l.status, ZW_OK);
    if (!error_names(&l, rod)) fail_msg("%s is not named:\n%.3000s", rod, load_messages(&l));
    free(report);
    loaded_clear(&l);
}

static void test_rod_too_long(void **state)
{
    (void)state;
    long_rod(24, 11, 3);
    long_rod(24, 20, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_thousand_links),
        cmocka_unit_test(test_twenty_thousand_links),
        cmocka_unit_test(test_dense_equals_sparse),
        cmocka_unit_test(test_both_diagonals),
        cmocka_unit_test(test_rod_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
