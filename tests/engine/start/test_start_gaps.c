/*
 * Starts that inequalities allow: against the nearest point that an enumeration of all sets of active
 * inequalities finds, of positions and of velocities, with and without an equation; against what has no
 * solution; and mechanisms.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 3, ROWS = 6 };

/* Rows a x >= c, the first `equations` of them a x = c; masses and given values. */
typedef struct problem {
    int rows, equations;
    double a[ROWS][N], c[ROWS], mass[N], given[N];
} problem;

static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* Small numbers with one decimal: what is read is what was meant. */
static double draw_number(uint64_t *seed)
{
    return floor(draw(seed) * 61.0) / 10.0 - 3.0;
}

static problem draw_problem(uint64_t *seed)
{
    problem p = {.rows = 1 + (int)(draw(seed) * ROWS)};
    p.equations = draw(seed) < 0.3 ? 1 : 0;
    if (p.rows > ROWS) p.rows = ROWS;
    for (int i = 0; i < p.rows; i++) {
        double length = 0.0;
        while (length < 1.0) {
            length = 0.0;
            for (int j = 0; j < N; j++) p.a[i][j] = draw_number(seed);
            for (int j = 0; j < N; j++) length += fabs(p.a[i][j]);
        }
        p.c[i] = draw_number(seed);
    }
    for (int j = 0; j < N; j++) p.mass[j] = 0.5 + floor(draw(seed) * 40.0) / 10.0;
    for (int j = 0; j < N; j++) p.given[j] = draw_number(seed);
    return p;
}

/* ---------------------------------------------------------------------- the enumeration */

static double row_at(const problem *p, int i, const double *x)
{
    double sum = -p->c[i];
    for (int j = 0; j < N; j++) sum += p->a[i][j] * x[j];
    return sum;
}

/* Solves X y = r by elimination with pivoting; false: singular, about. */
static bool solve(int size, double X[N][N], double *r)
{
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++)
            if (fabs(X[i][k]) > fabs(X[best][k])) best = i;
        if (fabs(X[best][k]) < 1e-9) return false;
        for (int j = 0; j < size; j++) {
            double swap = X[k][j];
            X[k][j] = X[best][j];
            X[best][j] = swap;
        }
        double swap = r[k];
        r[k] = r[best];
        r[best] = swap;
        for (int i = 0; i < size; i++) {
            if (i == k) continue;
            double factor = X[i][k] / X[k][k];
            for (int j = k; j < size; j++) X[i][j] -= factor * X[k][j];
            r[i] -= factor * r[k];
        }
    }
    for (int k = 0; k < size; k++) r[k] /= X[k][k];
    return true;
}

/* x = given + M^-1 A^T lambda on the rows of `set`; whether it is the nearest point: all others hold,
 * and inequalities push. */
static bool is_nearest(const problem *p, unsigned set, double *x)
{
    int row[ROWS], count = 0;
    double G[N][N], r[N];
    for (int i = 0; i < p->rows; i++)
        if (set >> i & 1u) row[count++] = i;
    if (count > N) return false;
    for (int i = 0; i < count; i++) {
        r[i] = -row_at(p, row[i], p->given);
        for (int k = 0; k < count; k++) {
            G[i][k] = 0.0;
            for (int j = 0; j < N; j++) G[i][k] += p->a[row[i]][j] * p->a[row[k]][j] / p->mass[j];
        }
    }
    if (!solve(count, G, r)) return false;
    memcpy(x, p->given, sizeof *x * N);
    for (int i = 0; i < count; i++) {
        if (row[i] >= p->equations && r[i] < -1e-9) return false;
        for (int j = 0; j < N; j++) x[j] += p->a[row[i]][j] * r[i] / p->mass[j];
    }
    for (int i = 0; i < p->rows; i++)
        if (row_at(p, i, x) < -1e-9) return false;
    return true;
}

/* Equations are in every set. False: there is no such point. */
static bool find_nearest(const problem *p, double *x)
{
    unsigned equations = (1u << p->equations) - 1u;
    for (unsigned set = 0; set < 1u << p->rows; set++)
        if ((set & equations) == equations && is_nearest(p, set, x)) return true;
    return false;
}

/* ----------------------------------------------------------------------------- the model */

/* The same as a model, of positions or of velocities. */
static void write_problem(const problem *p, bool velocities, char *text, size_t size)
{
    static const char *const names[2][N] = {{"x", "y", "z"}, {"x'", "y'", "z'"}};
    size_t at = 0;
    at += (size_t)snprintf(text + at, size - at,
                           "coord x, y, z\nkinetic (%g*x'^2 + %g*y'^2 + "
                           "%g*z'^2)/2\n",
                           p->mass[0], p->mass[1], p->mass[2]);
    for (int i = 0; i < p->rows; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "constraint r%d: %g*%s + %g*%s + %g*%s %s %g\n", i, p->a[i][0],
                               names[velocities][0], p->a[i][1], names[velocities][1], p->a[i][2],
                               names[velocities][2], i < p->equations ? "=" : ">=", p->c[i]);
    for (int j = 0; j < N; j++)
        at += (size_t)snprintf(text + at, size - at, "start %s = %g\n", names[velocities][j],
                               p->given[j]);
    assert_true(at < size);
}

static void nearest_of_all(void **state)
{
    (void)state;
    uint64_t seed = 20;
    int moved = 0, none = 0;
    for (int k = 0; k < 400; k++) {
        problem p = draw_problem(&seed);
        bool velocities = k % 2 == 1;
        double x[N];
        char text[2000];
        bench b;
        write_problem(&p, velocities, text, sizeof text);
        bool exists = find_nearest(&p, x);
        bench_open(&b, text);
        zw_status status = bench_start(&b, false);
        if ((status == ZW_OK) != exists) fail_msg("%d: exists %d\n%s", k, exists, text);
        const double *found = velocities ? b.v : b.q;
        for (int j = 0; j < N && exists; j++)
            if (!(fabs(found[j] - x[j]) <= 1e-9))
                fail_msg("%d: %.17g %.17g\n%s", k, found[j], x[j], text);
        if (!exists) assert_true(bench_message(&b, "E0507") != NULL);
        none += !exists;
        moved += exists && memcmp(x, p.given, sizeof x) != 0;
        bench_close(&b);
    }
    assert_true(moved > 100 && none > 20);
}

/* ---------------------------------------------------------------------------- mechanisms */

/* A box in the ground: turned so that it lies on two corners, though all four are below. */
static void box_in_the_ground(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param px = [1, -1, -1, 1], py = [1, 1, -1, -1]\ncoord x, y, th\n"
                   "kinetic (x'^2 + y'^2)/2 + 0.1*th'^2\n"
                   "for i in 1..4 { constraint corner[i]: y + sin(th)*px[i]/2 + cos(th)*py[i]/4 >= "
                   "0 }\nstart y = -0.6, th = 0.3\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], 0.0, 0.0);
    bench_near(b.q[1], 0.25, 1e-12);
    bench_near(b.q[2], 0.0, 1e-12);
    bench_expect(&b, "W0411", "the start was moved onto the constraints: y from -0.6 to 0.25");
    bench_close(&b);
}

/* What is allowed is not moved; what is closed and approaches is not either. */
static void what_stays(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint ground: y >= 0\n"
                   "constraint rope: hypot(x, y) <= 2\nstart x = 2, x' = 3, y' = -1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], 2.0, 0.0);
    bench_near(b.q[1], 0.0, 0.0);
    bench_near(b.v[0], 3.0, 0.0);
    bench_near(b.v[1], -1.0, 0.0);
    assert_null(bench_message(&b, "W0411"));
    bench_close(&b);
}

/* Fixed values are not moved; values that are not given move first. */
static void what_moves_first(void **state)
{
    (void)state;
    bench b;
    bench_open(&b,
               "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint up: x + y >= 2\nstart x = -1\n");
    assert_int_equal(bench_start(&b, false), ZW_OK);
    bench_near(b.q[0], -1.0, 0.0);
    bench_near(b.q[1], 3.0, 1e-13);
    bench_close(&b);
    bench_open(&b, "coord y\nkinetic y'^2/2\nconstraint ground: y >= 0\nstart y = -1 fixed\n");
    assert_int_equal(bench_start(&b, false), ZW_ERR_START);
    bench_expect(&b, "E0404", "`ground` by 1 cannot be met with y = -1 fixed");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_of_all),
        cmocka_unit_test(box_in_the_ground),
        cmocka_unit_test(what_stays),
        cmocka_unit_test(what_moves_first),
    };
    int failed = cmocka_run_group_tests_name("auto", tests, bench_auto, NULL);
    return failed + cmocka_run_group_tests_name("sparse", tests, bench_sparse, NULL);
}
