/*
 * The start of large trusses, far beyond a dense matrix: chain, ladder, triangulated net. It ends
 * on the constraints to rounding, and the change is smallest: M (x - given) is a combination of the
 * rods' directions, found here by conjugate gradients over the list of rods alone. What is fixed
 * stays, start equations hold, a rod that cannot fit is named, and every failing allocation is
 * survived.
 */
#include "../../slow.h"
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Both are beyond 2,000 coordinates; with sanitizers, which take ten times as long, just beyond. */
#ifdef ZW_SLOW
enum { LINKS = 1012, SIDE = 33 };
#else
enum { LINKS = 3000, SIDE = 40 };
#endif

typedef struct rod {
    int a, b; /* points; a below 0: the origin */
    double square;
} rod;

typedef struct truss {
    int points, rods;
    rod *rod;
    double *mass; /* [points] */
} truss;

static void add_rod(truss *t, int a, int b, double square)
{
    t->rod = realloc(t->rod, sizeof *t->rod * (size_t)(t->rods + 1));
    assert_non_null(t->rod);
    t->rod[t->rods++] = (rod){a, b, square};
}

static void open_truss(truss *t, int points)
{
    *t = (truss){.points = points, .mass = malloc(sizeof(double) * (size_t)points)};
    assert_non_null(t->mass);
    for (int i = 0; i < points; i++) t->mass[i] = 1.0;
}

static void close_truss(truss *t)
{
    free(t->rod);
    free(t->mass);
}

/* ------------------------------------------------------------ an independent check */

/* The derivative of rod k at x: entries at its two points. x [2 points]: all x, then all y. */
static void direction(const truss *t, const double *x, int k, double *dx, double *dy)
{
    const rod *r = &t->rod[k];
    *dx = 2.0 * (x[r->b] - (r->a < 0 ? 0.0 : x[r->a]));
    *dy = 2.0 * (x[t->points + r->b] - (r->a < 0 ? 0.0 : x[t->points + r->a]));
}

/* y [rods] = A f */
static void rows_times(const truss *t, const double *x, const double *f, double *y)
{
    for (int k = 0; k < t->rods; k++) {
        const rod *r = &t->rod[k];
        double dx, dy;
        direction(t, x, k, &dx, &dy);
        y[k] = dx * f[r->b] + dy * f[t->points + r->b];
        if (r->a >= 0) y[k] -= dx * f[r->a] + dy * f[t->points + r->a];
    }
}

/* f [2 points] += by * A^T y */
static void add_transposed(const truss *t, const double *x, double by, const double *y, double *f)
{
    for (int k = 0; k < t->rods; k++) {
        const rod *r = &t->rod[k];
        double dx, dy;
        direction(t, x, k, &dx, &dy);
        f[r->b] += by * dx * y[k];
        f[t->points + r->b] += by * dy * y[k];
        if (r->a < 0) continue;
        f[r->a] -= by * dx * y[k];
        f[t->points + r->a] -= by * dy * y[k];
    }
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* What is left of f when the span of the rows is taken out of it: conjugate gradients for
 * min |f - A^T l|. Coordinates that are held do not count. */
static double rest_of(const truss *t, const double *x, double *f, const bool *held)
{
    int n = 2 * t->points, m = t->rods;
    double *s = calloc(2 * (size_t)m + (size_t)n, sizeof *s), *p = s + m, *q = p + m;
    assert_non_null(s);
    for (int i = 0; i < n; i++)
        if (held && held[i]) f[i] = 0.0;
    rows_times(t, x, f, s);
    memcpy(p, s, sizeof *p * (size_t)m);
    double now = dot(m, s, s), first = now;
    for (int k = 0; k < 20000 && now > 1e-26 * first && now > 0.0; k++) {
        memset(q, 0, sizeof *q * (size_t)n);
        add_transposed(t, x, 1.0, p, q);
        for (int i = 0; i < n; i++)
            if (held && held[i]) q[i] = 0.0;
        double alpha = now / dot(n, q, q), before = now;
        for (int i = 0; i < n; i++) f[i] -= alpha * q[i];
        rows_times(t, x, f, s);
        now = dot(m, s, s);
        for (int i = 0; i < m; i++) p[i] = s[i] + now / before * p[i];
    }
    free(s);
    return sqrt(dot(n, f, f));
}

static double worst_rod(const truss *t, const double *x)
{
    double worst = 0.0;
    for (int k = 0; k < t->rods; k++) {
        double dx, dy;
        direction(t, x, k, &dx, &dy);
        worst = fmax(worst, fabs(0.25 * (dx * dx + dy * dy) - t->rod[k].square));
    }
    return worst;
}

/* Positions and velocities of a start that succeeded: on the rods, and changed no more than must
 * be. given, state [4 points]: q, v. */
static void check(const truss *t, const double *given, const double *state, const bool *held)
{
    size_t n = 2 * (size_t)t->points;
    double *f = malloc(sizeof *f * n), *rates = malloc(sizeof *rates * (size_t)t->rods);
    assert_true(f && rates);
    double size = 0.0;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(state[i]));
    bench_near(worst_rod(t, state), 0.0, 8e-15 * size);
    rows_times(t, state, state + n, rates);
    for (int k = 0; k < t->rods; k++) bench_near(rates[k], 0.0, 1e-12);
    for (int level = 0; level < 2; level++) {
        const double *x = state + (size_t)level * n, *g = given + (size_t)level * n;
        for (size_t i = 0; i < n; i++) f[i] = t->mass[i % (size_t)t->points] * (x[i] - g[i]);
        for (size_t i = 0; i < n && held; i++)
            if (held[(size_t)level * n + i]) assert_true(x[i] == g[i]);
        double all = sqrt(dot((int)n, f, f));
        assert_true(all > 0.0);
        bench_near(rest_of(t, state, f, held ? held + (size_t)level * n : NULL), 0.0, 1e-9 * all);
    }
    free(f);
    free(rates);
}

/* ------------------------------------------------------------------------- models */

/* What the loops of the models below compute. */
static double off_x(double e, int i)
{
    return e * sin(7.0 * i);
}

static double off_y(double e, int i)
{
    return e * cos(11.0 * i);
}

static double zigzag(int i)
{
    return i % 2 ? 0.6 : 0.0;
}

static void start_and_check(const truss *t, const char *text, const double *given, const bool *held)
{
    bench b;
    size_t n = 2 * (size_t)t->points;
    double *state = malloc(2 * sizeof *state * n), time = 0.0;
    assert_non_null(state);
    bench_open(&b, text);
    zw_status status = zw_sim_start(b.sim, false);
    if (status != ZW_OK)
        for (int32_t i = 0; i < zw_context_diagnostic_count(b.context); i++)
            printf("%.300s\n", zw_context_diagnostic(b.context, i)->sentence);
    assert_int_equal(status, ZW_OK);
    assert_int_equal(b.m, t->rods);
    assert_int_equal(zw_sim_state(b.sim, &time, state, state + n), ZW_OK);
    check(t, given, state, held);
    bench_expect(&b, "W0411", "more values");
    bench_close(&b);
    free(state);
}

static const char chain_text[] =
    "param N = %d, e = %g\ncoord x[N], y[N]\n"
    "for i in 1..N { kinetic (1 + 0.5*sin(i))*(x[i]'^2 + y[i]'^2)/2 }\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
    "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }\n"
    "for i in 1..N { start x[i] = 0.8*i + e*sin(7*i), x[i]' = sin(i), y[i]' = 0.1 }\n"
    "for i in 1..N/2-1 { start y[i] = 0.3*(1 - cos(3.141592653589793*i)) + e*cos(11*i) }\n"
    "for i in N/2+1..N { start y[i] = 0.3*(1 - cos(3.141592653589793*i)) + e*cos(11*i) }\n"
    "start y[N/2] = %s\n";

static void chain(double e, const char *middle, const bool *held, double fixed)
{
    enum { N = LINKS };
    truss t;
    char text[1200];
    double *given = malloc(4 * sizeof *given * N);
    assert_non_null(given);
    open_truss(&t, N);
    for (int i = 1; i <= N; i++) {
        t.mass[i - 1] = 1.0 + 0.5 * sin(i);
        add_rod(&t, i - 2, i - 1, 1.0);
        given[i - 1] = 0.8 * i + off_x(e, i);
        given[N + i - 1] = zigzag(i) + off_y(e, i);
        given[2 * N + i - 1] = sin(i);
        given[3 * N + i - 1] = 0.1;
    }
    if (held) given[N + N / 2 - 1] = fixed;
    (void)snprintf(text, sizeof text, chain_text, LINKS, e, middle);
    start_and_check(&t, text, given, held);
    close_truss(&t);
    free(given);
}

static void chains(void **state)
{
    (void)state;
    chain(1e-3, "e*cos(11*N/2)", NULL, 0.0);
    chain(0.05, "e*cos(11*N/2)", NULL, 0.0);
}

static void a_fixed_coordinate_stays(void **state)
{
    (void)state;
    enum { N = LINKS };
    bool *held = calloc(4 * N, sizeof *held);
    assert_non_null(held);
    held[N + N / 2 - 1] = true;
    chain(1e-3, "0.25 fixed", held, 0.25);
    free(held);
}

/* Two rails and rungs; neither fixed to anything. */
static void ladder(void **state)
{
    (void)state;
    enum { N = 510, P = 2 * N };
    static const double sizes[] = {1e-3, 0.03};
    static const char format[] =
        "param N = 510, e = %g\ncoord x[2*N], y[2*N]\n"
        "for i in 1..2*N { kinetic (x[i]'^2 + y[i]'^2)/2\n"
        "  start x[i]' = sin(i), y[i]' = 0.1 }\n"
        "for i in 1..N-1 {\n"
        "  constraint low[i]: (x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 = 1\n"
        "  constraint high[i]: (x[N+i+1] - x[N+i])^2 + (y[N+i+1] - y[N+i])^2 = 1\n}\n"
        "for i in 1..N { constraint rung[i]: (x[N+i] - x[i])^2 + (y[N+i] - y[i])^2 = 0.25\n"
        "  start x[i] = i + e*sin(7*i), y[i] = e*cos(11*i)\n"
        "  start x[N+i] = i + e*sin(7*(N + i)), y[N+i] = 0.5 + e*cos(11*(N + i)) }\n";
    for (int s = 0; s < 2; s++) {
        truss t;
        char text[1200];
        double *given = malloc(4 * sizeof *given * P);
        assert_non_null(given);
        open_truss(&t, P);
        for (int i = 1; i < N; i++) {
            add_rod(&t, i - 1, i, 1.0);
            add_rod(&t, N + i - 1, N + i, 1.0);
        }
        for (int i = 0; i < N; i++) add_rod(&t, i, N + i, 0.25);
        for (int i = 1; i <= P; i++) {
            given[i - 1] = (i > N ? i - N : i) + off_x(sizes[s], i);
            given[P + i - 1] = (i > N ? 0.5 : 0.0) + off_y(sizes[s], i);
            given[2 * P + i - 1] = sin(i);
            given[3 * P + i - 1] = 0.1;
        }
        (void)snprintf(text, sizeof text, format, sizes[s]);
        start_and_check(&t, text, given, NULL);
        close_truss(&t);
        free(given);
    }
}

/* ---------------------------------------------------------------------------- net */

static const char net_text[] =
    "param N = %d, e = %g\ncoord x[N,N], y[N,N]\n"
    "for i in 1..N { for j in 1..N {\n"
    "  kinetic (1 + 0.5*sin(i + 3*j))*(x[i,j]'^2 + y[i,j]'^2)/2\n"
    "  start x[i,j] = j + e*sin(7*(i + 5*j)), y[i,j] = i + e*cos(11*(i + 5*j))\n"
    "  start x[i,j]' = %s } }\n"
    "for i in 1..N { for j in 1..N-1 {\n"
    "  constraint h[i,j]: (x[i,j+1] - x[i,j])^2 + (y[i,j+1] - y[i,j])^2 = 1 } }\n"
    "for i in 1..N-1 { for j in 1..N {\n"
    "  constraint v[i,j]: (x[i+1,j] - x[i,j])^2 + (y[i+1,j] - y[i,j])^2 = 1 } }\n"
    "for i in 1..N-1 { for j in 1..N-1 {\n"
    "  constraint d[i,j]: (x[i+1,j+1] - x[i,j])^2 + (y[i+1,j+1] - y[i,j])^2 = 2 + %s } }\n";

/* Triangulated, a third of its rods redundant: only a rigid motion is free. */
static void net(void **state)
{
    (void)state;
    enum { N = SIDE, P = N * N };
    static const double sizes[] = {1e-3, 0.03};
    for (int s = 0; s < 2; s++) {
        truss t;
        char text[1200];
        double *given = malloc(4 * sizeof *given * P);
        assert_non_null(given);
        open_truss(&t, P);
        for (int i = 0; i < N; i++)
            for (int j = 0; j + 1 < N; j++) add_rod(&t, i * N + j, i * N + j + 1, 1.0);
        for (int i = 0; i + 1 < N; i++)
            for (int j = 0; j < N; j++) add_rod(&t, i * N + j, (i + 1) * N + j, 1.0);
        for (int i = 0; i + 1 < N; i++)
            for (int j = 0; j + 1 < N; j++) add_rod(&t, i * N + j, (i + 1) * N + j + 1, 2.0);
        for (int i = 1; i <= N; i++) {
            for (int j = 1; j <= N; j++) {
                int at = (i - 1) * N + j - 1;
                t.mass[at] = 1.0 + 0.5 * sin(i + 3 * j);
                given[at] = j + off_x(sizes[s], i + 5 * j);
                given[P + at] = i + off_y(sizes[s], i + 5 * j);
                given[2 * P + at] = sin(i + j);
                given[3 * P + at] = 0.0;
            }
        }
        (void)snprintf(text, sizeof text, net_text, N, sizes[s], "sin(i + j)", "0");
        start_and_check(&t, text, given, NULL);
        close_truss(&t);
        free(given);
    }
}

/* Refused, and it is that rod alone that is named. */
static void a_rod_that_is_too_long(void **state)
{
    (void)state;
    char text[1200];
    bench b;
    (void)snprintf(text, sizeof text, net_text, 33, 0.0, "0", "if(i == 20 and j == 17, 0.3, 0)");
    bench_open(&b, text);
    assert_int_equal(zw_sim_start(b.sim, false), ZW_ERR_START);
    bench_expect(&b, "E0402", "position conflict: `d[20,17]` cannot hold");
    assert_int_equal(zw_context_diagnostic_count(b.context), 1);
    bench_close(&b);
}

/* The given values are right: nothing is moved, not in the last bit, and nothing is said. */
static void a_right_start_stays(void **state)
{
    (void)state;
    enum { N = 33, P = N * N };
    char text[1200];
    bench b;
    double *x = malloc(4 * sizeof *x * P), t = 0.0;
    assert_non_null(x);
    (void)snprintf(text, sizeof text, net_text, N, 0.0, "1", "0");
    bench_open(&b, text);
    assert_int_equal(zw_sim_start(b.sim, false), ZW_OK);
    assert_int_equal(zw_context_diagnostic_count(b.context), 0);
    assert_int_equal(zw_sim_state(b.sim, &t, x, x + 2 * P), ZW_OK);
    for (int i = 0; i < P; i++) {
        assert_true(x[i] == i % N + 1 && x[P + i] == i / N + 1);
        assert_true(x[2 * P + i] == 1.0 && x[3 * P + i] == 0.0);
    }
    bench_close(&b);
    free(x);
}

/* ------------------------------------------------------------------- what is asked */

/* Of a chain: how far two joints are apart, and a sum of two speeds. */
static void start_equations_hold(void **state)
{
    (void)state;
    enum { N = LINKS };
    char text[1200];
    bench b;
    double *x = malloc(4 * sizeof *x * N), t = 0.0;
    assert_non_null(x);
    int used = snprintf(text, sizeof text, chain_text, LINKS, 1e-3, "e*cos(11*N/2)");
    (void)snprintf(text + used, sizeof text - (size_t)used,
                   "start (x[11] - x[9]) = 1.5\nstart (x[N]' + 2*y[N/2]') = 0.75\n");
    bench_open(&b, text);
    assert_int_equal(zw_sim_start(b.sim, false), ZW_OK);
    assert_int_equal(zw_sim_state(b.sim, &t, x, x + 2 * N), ZW_OK);
    bench_near(x[10] - x[8], 1.5, 1e-13);
    bench_near(x[3 * N - 1] + 2.0 * x[3 * N + N / 2 - 1], 0.75, 1e-13);
    for (int i = 1; i < N; i++)
        bench_near(hypot(x[i] - x[i - 1], x[N + i] - x[N + i - 1]), 1.0, 1e-12);
    bench_close(&b);
    free(x);
}

/* ------------------------------------------------------------------------- memory */

typedef struct limited {
    long left; /* requests until one fails */
} limited;

static void *limited_resize(void *user, void *block, size_t old_size, size_t new_size)
{
    limited *l = user;
    (void)old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return l->left-- > 0 ? realloc(block, new_size) : NULL;
}

/* Each request of a start, or some of them, fails once; the next start, with what it needs, succeeds. */
static void failing_allocations(void **state)
{
    (void)state;
    char text[1200];
    limited l = {.left = 1000000};
    zw_allocator allocator = {.resize = limited_resize, .user = &l};
    zw_model_source source = {.file = "net.zw", .text = text};
    zw_context *context = NULL;
    zw_model *model = NULL;
    zw_sim *sim = NULL;
    (void)snprintf(text, sizeof text, net_text, 4, 0.03, "sin(i + j)", "0");
    source.length = strlen(text);
    assert_int_equal(zw_context_create(&allocator, &context), ZW_OK);
    assert_int_equal(zw_context_set_solver(context, ZW_SOLVER_SPARSE), ZW_OK);
    assert_int_equal(zw_model_compile(context, &source, &model), ZW_OK);
    assert_int_equal(zw_sim_create(model, &sim), ZW_OK);
    zw_status status = ZW_ERR_MEMORY;
    long k = 0, step = unless_slow(1, 17);
    for (; status == ZW_ERR_MEMORY; k += step) {
        assert_true(k < 2000);
        zw_context_clear_diagnostics(context);
        l.left = k;
        status = zw_sim_start(sim, false);
        l.left = 1000000;
        if (status != ZW_OK) assert_int_equal(zw_sim_start(sim, false), ZW_OK);
    }
    assert_int_equal(status, ZW_OK);
    assert_true(k > 30);
    zw_sim_free(sim);
    zw_model_free(model);
    zw_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains),
        cmocka_unit_test(a_fixed_coordinate_stays),
        cmocka_unit_test(ladder),
        cmocka_unit_test(net),
        cmocka_unit_test(a_rod_that_is_too_long),
        cmocka_unit_test(a_right_start_stays),
        cmocka_unit_test(start_equations_hold),
        cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
