/*
 * test_parts_models.c: models of repeated parts by lanes and by the ordinary sparse road.
 *
 * All kinds of matter on all kinds of graphs (parts_cases.h), in order and scrambled, with odd
 * parts here and there: accelerations of both roads against long double; the same bits for one and
 * two threads, for byte code and machine code; parameters changed in between; multipliers and
 * forces after it; short runs to the same place; statistics that say where lanes were used.
 *
 * What is allowed: elimination in any order is off by some eps times the condition of A M^-1 A^T
 * with rows scaled to unit length, in units of what z is the sum of. Both roads are held to `most`
 * of these units, and lanes to ten times what the sparse road is off by, or rounding; the sparse
 * road corrects its answer by its residuals, so that of badly conditioned models it may be better.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../parts/wide_gauss.h"
#include "parts_cases.h"
#include "parts_roads.h"

#ifndef PARTS_STEP
#define PARTS_STEP 1 /* of the loops over graphs and matters: more where all is slow */
#endif

static const double eps = 2.220446049250313e-16;
static const double most = 20.0; /* eps times condition */
static const double kept_condition = 1e9;

/* ------------------------------------------------------------------- loading */

typedef struct trial {
    lanes_model_request request;
    char *text;
    char name[120];
    road sparse, lanes;
    int32_t n, m;
    double t, *q, *v; /* [n] */
    wide_system *system;
    wide_answer facts;
    long double *z, *lambda, *push;
} trial;

#define claim(c, truth, ...)                                                                       \
    do {                                                                                           \
        if (!(truth)) {                                                                            \
            print_error("%s: ", (c)->name);                                                        \
            print_error(__VA_ARGS__);                                                              \
            print_error("\n");                                                                     \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

static long double *wide(int32_t count)
{
    long double *x = calloc((size_t)count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

/* --------------------------------------------------------------------- trials */

/* False: the start is refused, as it may be. */
static bool trial_open(trial *c, const lanes_model_request *request)
{
    *c = (trial){.request = *request, .text = lanes_model_text(request)};
    snprintf(c->name, sizeof c->name, "%s of %s, seed %llu%s",
             lanes_graph_name(request->graph.kind), lanes_matter_name(request->matter),
             (unsigned long long)request->graph.seed,
             request->graph.scrambled ? ", scrambled" : "");
    c->sparse = road_open(c->text, ZW_SOLVER_SPARSE, 1);
    c->lanes = road_open(c->text, ZW_SOLVER_PARTS, 1);
    c->n = c->sparse.n, c->m = c->sparse.m;
    c->q = numbers(c->n), c->v = numbers(c->n);
    c->z = wide(c->n), c->lambda = wide(c->m), c->push = wide(c->n);
    zw_status status = zw_sim_start(c->sparse.sim, false);
    zw_status other = zw_sim_start(c->lanes.sim, false);
    claim(c, status == other, "the start: %s, in lanes %s", zw_status_name(status),
          zw_status_name(other));
    if (status != ZW_OK) return false;
    assert_int_equal(zw_sim_state(c->sparse.sim, &c->t, c->q, c->v), ZW_OK);
    assert_int_equal(zw_sim_set_state(c->lanes.sim, c->t, c->q, c->v), ZW_OK);
    return true;
}

static void trial_close(trial *c)
{
    road_close(&c->sparse);
    road_close(&c->lanes);
    wide_free(c->system);
    free(c->text), free(c->q), free(c->v), free(c->z), free(c->lambda), free(c->push);
}

/* The answer in long double at the trial's state, by the matrices of the sparse one. */
static void know(trial *c)
{
    int32_t n = c->n, m = c->m;
    double *all = numbers(n * n + m * n + n + m);
    zw_instant is = {.M = all, .A = all + n * n, .Q = all + n * n + m * n};
    is.b = is.Q + n;
    assert_int_equal(zw_sim_set_state(c->sparse.sim, c->t, c->q, c->v), ZW_OK);
    assert_int_equal(zw_sim_instant(c->sparse.sim, &is), ZW_OK);
    wide_free(c->system);
    c->system = wide_create(n, m);
    for (int32_t k = 0; k < n * n; k++) c->system->M[k] = (long double)is.M[k];
    for (int32_t k = 0; k < m * n; k++) c->system->A[k] = (long double)is.A[k];
    for (int32_t k = 0; k < n; k++) c->system->Q[k] = (long double)is.Q[k];
    for (int32_t k = 0; k < m; k++) c->system->b[k] = (long double)is.b[k];
    wide_factor(c->system);
    c->facts = wide_solve(c->system, NULL, c->system->Q, c->system->b, c->z, c->lambda, c->push);
    free(all);
}

static double off(int32_t n, const double *x, const long double *y)
{
    double worst = 0.0;
    for (int32_t k = 0; k < n; k++) {
        double d = (double)fabsl((long double)x[k] - y[k]);
        if (!(d <= worst)) worst = d;
    }
    return worst;
}

static double size_of(int32_t n, const long double *x)
{
    double worst = 0.0;
    for (int32_t k = 0; k < n; k++) worst = fmax(worst, (double)fabsl(x[k]));
    return worst;
}

/* -------------------------------------------------------------- accelerations */

/* What was seen in all trials. */
typedef struct tally {
    int32_t trials, refused, compared, in_lanes;
    double sparse, lanes; /* worst, eps times condition */
} tally;

static void accelerate(const trial *c, road *r, const double *q, const double *v, double *z)
{
    zw_status status = zw_sim_acceleration(r->sim, c->t, q, v, z);
    claim(c, status == ZW_OK, "acceleration: %s", zw_status_name(status));
}

static void compare(trial *c, tally *seen)
{
    double *z1 = numbers(c->n), *z2 = numbers(c->n);
    know(c);
    accelerate(c, &c->sparse, c->q, c->v, z1);
    accelerate(c, &c->lanes, c->q, c->v, z2);
    if (c->facts.condition <= kept_condition && c->facts.contradiction <= 1e-12) {
        double scale = fmax(c->facts.scale, size_of(c->n, c->z));
        double unit = eps * c->facts.condition * scale;
        double one = off(c->n, z1, c->z), other = off(c->n, z2, c->z);
        seen->sparse = fmax(seen->sparse, one / unit);
        seen->lanes = fmax(seen->lanes, other / unit);
        seen->compared++;
        claim(c, other <= most * unit, "z is off by %g of %g, %g eps cond (sparse %g)", other,
              scale, other / unit, one / unit);
        claim(c, other <= 10.0 * one + 1e-13 * scale || other <= unit,
              "z is off by %g, sparse by %g, condition %g, scale %g", other, one,
              c->facts.condition, scale);
    }
    free(z1), free(z2);
}

/* The same at a place nearby, not on the constraints; not of redundant rows, which may contradict
 * each other there. */
static void compare_nearby(trial *c, tally *seen)
{
    uint64_t random = c->request.graph.seed + 3;
    if (c->facts.rank < c->m) return;
    for (int32_t k = 0; k < c->n; k++) {
        c->q[k] += lanes_between(&random, -0.01, 0.01);
        c->v[k] += lanes_between(&random, -0.1, 0.1);
    }
    c->t += 0.2;
    compare(c, seen);
}

/* Bits of one thread and two, of byte code and machine code. */
static void compare_bits(trial *c)
{
    double *z = numbers(c->n), *first = numbers(c->n);
    size_t bytes = sizeof *z * (size_t)c->n;
    road two = road_open(c->text, ZW_SOLVER_PARTS, 2);
    assert_int_equal(zw_sim_start(two.sim, false), ZW_OK);
    for (int way = 0; way < 4; way++) {
        road *r = way < 2 ? &c->lanes : &two;
        zw_kernel kernel = way % 2 == 0 ? ZW_KERNEL_BYTECODE : ZW_KERNEL_NATIVE;
        assert_int_equal(zw_sim_set_kernel(r->sim, kernel), ZW_OK);
        accelerate(c, r, c->q, c->v, way == 0 ? first : z);
        claim(c, way == 0 || memcmp(z, first, bytes) == 0, "bits of way %d are others", way);
    }
    road_close(&two);
    free(z), free(first);
}

/* ----------------------------------------------------------------- parameters */

static void set_both(const trial *c, const char *settings)
{
    claim(c, zw_sim_set_parameters(c->sparse.sim, settings) == ZW_OK, "%s", settings);
    claim(c, zw_sim_set_parameters(c->lanes.sim, settings) == ZW_OK, "%s in lanes", settings);
}

/* Weight and masses change, then come back. */
static void compare_parameters(trial *c, tally *seen)
{
    bool many = strstr(c->text, "param m = [") != NULL;
    int32_t bodies = (int32_t)strtol(strstr(c->text, "N = ") + 4, NULL, 10);
    size_t room = 64 + 8 * (size_t)bodies;
    char *text = calloc(room, 1);
    assert_non_null(text);
    size_t length = (size_t)snprintf(text, room, "g = 7.5, m = %s", many ? "[" : "2.25");
    for (int32_t i = 0; i < bodies && many; i++)
        length += (size_t)snprintf(text + length, room - length, "%s%.2f", i > 0 ? "," : "",
                                   0.5 + 0.01 * (double)(i * 37 % 100));
    if (many) snprintf(text + length, room - length, "]");
    double *before = numbers(c->n), *after = numbers(c->n);
    accelerate(c, &c->lanes, c->q, c->v, before);
    set_both(c, text);
    compare(c, seen);
    accelerate(c, &c->lanes, c->q, c->v, after);
    if (c->facts.rank < c->n) /* something moves */
        claim(c, apart(c->n, before, after) > 1e-6, "parameters change nothing");
    free(text), free(before), free(after);
}

/* ----------------------------------------------------------- forces, multipliers */

static void compare_forces(trial *c)
{
    double *x = numbers(4 * c->n + 2 * c->m);
    double *lambda = x + 4 * c->n;
    zw_gauss_answer one = {.acceleration = x, .force = x + c->n, .multipliers = lambda};
    zw_gauss_answer two = {
        .acceleration = x + 2 * c->n, .force = x + 3 * c->n, .multipliers = lambda + c->m};
    assert_int_equal(zw_sim_set_state(c->sparse.sim, c->t, c->q, c->v), ZW_OK);
    assert_int_equal(zw_sim_set_state(c->lanes.sim, c->t, c->q, c->v), ZW_OK);
    claim(c, zw_sim_solve(c->sparse.sim, &one) == ZW_OK, "solve");
    claim(c, zw_sim_solve(c->lanes.sim, &two) == ZW_OK, "solve in lanes");
    claim(c, memcmp(x, x + 2 * c->n, sizeof *x * (size_t)(2 * c->n)) == 0, "solve: other forces");
    claim(c, memcmp(lambda, lambda + c->m, sizeof *x * (size_t)c->m) == 0, "other multipliers");
    claim(c, one.rank == c->facts.rank, "rank %d, not %d", one.rank, c->facts.rank);
    free(x);
}

/* ------------------------------------------------------------------------ runs */

/* Parts of these repeat however they are numbered, or are not scrambled. */
static bool repeats(const lanes_model_request *r)
{
    bool plain =
        r->matter <= LANES_TIMED || (r->matter >= LANES_COUPLED2 && r->matter <= LANES_COUPLED6);
    return plain || (!r->graph.scrambled && r->graph.kind == LANES_CHAIN);
}

static void check_lanes_used(const trial *c, const zw_run_statistics *s)
{
    claim(c, s->parts.rule != NULL && s->parts.evaluations > 0, "lanes are not used");
    claim(c, s->parts.count > 1 && s->parts.shapes >= 1 && s->parts.shapes <= s->parts.count,
          "%d parts, %d shapes", s->parts.count, s->parts.shapes);
    claim(c, s->parts.width == 4 || s->parts.width == 8, "width %d", s->parts.width);
    claim(c, s->parts.evaluations <= s->evaluations + 1, "%lld in lanes of %lld",
          (long long)s->parts.evaluations, (long long)s->evaluations);
}

static void compare_runs(trial *c, tally *seen)
{
    const double until = 0.1, error = 1e-6;
    size_t bytes = sizeof(double) * 2 * (size_t)c->n;
    road one = road_open(c->text, ZW_SOLVER_SPARSE, 1);
    road two = road_open(c->text, ZW_SOLVER_PARTS, 1),
         three = road_open(c->text, ZW_SOLVER_PARTS, 2);
    zw_run_settings settings = ride_settings(&one, until);
    ride a = ride_on(&one, &settings);
    settings.kernel = ZW_KERNEL_NATIVE;
    ride b = ride_on(&two, &settings);
    settings.kernel = ZW_KERNEL_BYTECODE;
    ride d = ride_on(&three, &settings);
    double far = 1.0, gap = apart(2 * c->n, a.x, b.x);
    for (int32_t k = 0; k < 2 * c->n; k++) far = fmax(far, fabs(a.x[k]));
    claim(c, a.status == b.status, "run: %s, in lanes %s", zw_status_name(a.status),
          zw_status_name(b.status));
    if (a.status == ZW_OK) /* some are held so that they cannot go on */
        claim(c, gap <= error * far, "runs end apart by %g of %g", gap, far);
    claim(c, memcmp(b.x, d.x, bytes) == 0, "a run with two threads and byte code has other bits");
    claim(c, a.stats.parts.evaluations == 0 && a.stats.parts.rule == NULL,
          "lanes where none were asked for");
    if (c->facts.condition <= 1e6 && repeats(&c->request)) check_lanes_used(c, &b.stats);
    bool holds = b.stats.position.size <= 1e-12 * far || b.stats.position.relative <= 1e-9;
    bool follows = b.stats.velocity.size <= 1e-12 * far || b.stats.velocity.relative <= 1e-9;
    claim(c, holds && follows, "rows are off by %g, %g", b.stats.position.size,
          b.stats.velocity.size);
    seen->in_lanes += b.stats.parts.evaluations > 0;
    free(a.x), free(b.x), free(d.x);
    road_close(&one), road_close(&two), road_close(&three);
}

/* ----------------------------------------------------------------------- tests */

static void try_model(const lanes_model_request *request, bool runs, tally *seen)
{
    trial c;
    seen->trials++;
    if (trial_open(&c, request)) {
        compare(&c, seen);
        compare_bits(&c);
        compare_forces(&c);
        compare_parameters(&c, seen);
        compare_nearby(&c, seen);
        if (runs) compare_runs(&c, seen);
    } else {
        seen->refused++;
    }
    trial_close(&c);
}

static void report(const tally *seen)
{
    print_message("%d trials, %d refused, %d compared; sparse %.3g lanes %.3g; %d runs in lanes\n",
                  seen->trials, seen->refused, seen->compared, seen->sparse, seen->lanes,
                  seen->in_lanes);
}

static lanes_model_request request_of(lanes_graph_kind kind, lanes_matter matter, uint64_t seed)
{
    bool large = matter == LANES_SPATIAL || matter == LANES_COUPLED6;
    lanes_model_request r = {.matter = matter};
    r.graph = (lanes_graph_request){.kind = kind,
                                    .seed = seed * 7919 + 31 * (uint64_t)kind + (uint64_t)matter,
                                    .bodies = large ? 10 : 26 + (int32_t)(seed % 7),
                                    .scrambled = seed % 2 == 1,
                                    .odd = seed % 4 >= 2 ? 0.1 : 0.0,
                                    .freedom = 2};
    return r;
}

/* Every graph of points, then every matter on some graphs. */
static void test_graphs(void **state)
{
    tally seen = {0};
    (void)state;
    for (int32_t k = 0; k < LANES_GRAPHS; k += PARTS_STEP) {
        lanes_model_request r =
            request_of((lanes_graph_kind)k, k % 2 ? LANES_POINTS : LANES_MASSES, (uint64_t)k);
        try_model(&r, true, &seen);
    }
    report(&seen);
    assert_int_equal(seen.refused, 0);
    assert_true(seen.in_lanes > seen.trials / 2);
}

static void test_matters(void **state)
{
    static const lanes_graph_kind kinds[3] = {LANES_CHAIN, LANES_CELLS, LANES_TREE};
    tally seen = {0};
    (void)state;
    for (int32_t k = 0; k < LANES_MATTERS; k += PARTS_STEP) {
        lanes_model_request r = request_of(kinds[k % 3], (lanes_matter)k, (uint64_t)k + 5);
        try_model(&r, k % 2 == 0, &seen);
        r = request_of(kinds[(k + 1) % 3], (lanes_matter)k, (uint64_t)k + 50);
        try_model(&r, false, &seen);
    }
    report(&seen);
    assert_true(seen.refused < seen.trials / 4);
    assert_true(seen.compared > seen.trials);
}

/* ----------------------------------------------------- where there are no lanes */

static char *with(const char *text, const char *more)
{
    size_t size = strlen(text) + strlen(more) + 1;
    char *all = malloc(size);
    assert_non_null(all);
    snprintf(all, size, "%s%s", text, more);
    return all;
}

/* Models that lanes do not serve go by the other road, to the bit. */
static void test_not_in_lanes(void **state)
{
    static const char *const more[] = {
        "nonideal x[3]: -0.1*reaction(rod[2])*x[3]'\n", "weight rod[2]: 3\n",
        "coord s\nconstraint follow: s = x[1] + x[2]\n" /* no inertia of its own */};
    lanes_model_request r = request_of(LANES_CHAIN, LANES_POINTS, 0);
    char *plain = lanes_model_text(&r);
    (void)state;
    for (size_t k = 0; k < sizeof more / sizeof *more; k++) {
        trial c = {.name = "not in lanes"};
        char *text = with(plain, more[k]);
        road one = road_open(text, ZW_SOLVER_SPARSE, 1), two = road_open(text, ZW_SOLVER_PARTS, 1);
        c.n = one.n;
        zw_run_settings settings = ride_settings(&one, 0.05);
        ride a = ride_on(&one, &settings), b = ride_on(&two, &settings);
        assert_int_equal(a.status, ZW_OK);
        claim(&c, b.stats.parts.evaluations == 0, "lanes were used: %s", more[k]);
        assert_memory_equal(a.x, b.x, sizeof *a.x * 2 * (size_t)c.n);
        free(a.x), free(b.x), free(text);
        road_close(&one), road_close(&two);
    }
    free(plain);
}

/* With arguments: graph, matter, seed. */
int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graphs),
        cmocka_unit_test(test_matters),
        cmocka_unit_test(test_not_in_lanes),
    };
    if (count == 4) {
        tally seen = {0};
        lanes_model_request r =
            request_of((lanes_graph_kind)atoi(arguments[1]), (lanes_matter)atoi(arguments[2]),
                       (uint64_t)atoi(arguments[3]));
        try_model(&r, true, &seen);
        report(&seen);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
