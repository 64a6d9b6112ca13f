/*
 * Tables: values and derivatives against splines that are computed here in long double from the
 * conditions themselves, as one dense system for all coefficients; pieces, ends and what is between
 * two pieces.
 */
#include "expr_helpers.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 24, UNKNOWNS = 4 * MOST };

static uint64_t seed;

static double between(double low, double high)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

/* ------------------------------------------------------------------- in long double */

static long double A[UNKNOWNS][UNKNOWNS + 1];

static void eliminate(int n)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            if (fabsl(A[i][k]) > fabsl(A[pivot][k])) pivot = i;
        for (int j = 0; j <= n; j++) {
            long double x = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = x;
        }
        for (int i = 0; i < n; i++) {
            long double w = i == k ? 0.0L : A[i][k] / A[k][k];
            for (int j = k; j <= n; j++) A[i][j] -= w * A[k][j];
        }
    }
    for (int k = 0; k < n; k++) A[k][n] /= A[k][k];
}

/* The derivative of an order of piece k at s, times `by`, into row i. */
static void add_derivative(int i, int k, int order, long double s, long double by)
{
    for (int p = order; p < 4; p++) {
        long double factor = 1.0L;
        for (int q = p; q > p - order; q--) factor *= q;
        A[i][4 * k + p] += by * factor * powl(s, p - order);
    }
}

/* Conditions of the cubic spline; its coefficients c [4 pieces]. */
static void solve_spline(const double *x, const double *y, int pieces, bool periodic,
                         long double *c)
{
    int n = 4 * pieces, row = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= n; j++) A[i][j] = 0.0L;
    for (int k = 0; k < pieces; k++) {
        long double h = (long double)x[k + 1] - (long double)x[k];
        add_derivative(row, k, 0, 0.0L, 1.0L);
        A[row++][n] = (long double)y[k];
        add_derivative(row, k, 0, h, 1.0L);
        A[row++][n] = (long double)y[k + 1];
        if (k + 1 == pieces && !periodic) continue;
        for (int order = 1; order < 3; order++) {
            add_derivative(row, k, order, h, 1.0L);
            add_derivative(row++, k + 1 < pieces ? k + 1 : 0, order, 0.0L, -1.0L);
        }
    }
    if (!periodic) {
        add_derivative(row++, 0, 2, 0.0L, 1.0L);
        add_derivative(row++, pieces - 1, 2, (long double)x[pieces] - (long double)x[pieces - 1],
                       1.0L);
    }
    assert_int_equal(row, n);
    eliminate(n);
    for (int i = 0; i < n; i++) c[i] = A[i][n];
}

static long double expected(const long double *c, int piece, int order, long double s)
{
    long double sum = 0.0L;
    for (int p = order; p < 4; p++) {
        long double factor = 1.0L;
        for (int q = p; q > p - order; q--) factor *= q;
        sum += c[4 * piece + p] * factor * powl(s, p - order);
    }
    return sum;
}

/* --------------------------------------------------------------------------- tables */

typedef struct sample {
    double x[MOST + 1], y[MOST + 1];
    int rows;
    zb_arena arena;
    zx_table table;
} sample;

static void make_sample(bench *b, sample *s, int rows, zx_table like)
{
    s->rows = rows;
    for (int k = 0; k < rows; k++) {
        s->x[k] = k == 0 ? between(-3.0, 3.0) : s->x[k - 1] + pow(10.0, between(-2.0, 0.5));
        s->y[k] = between(-1.0, 1.0);
    }
    if (like.periodic) s->y[rows - 1] = s->y[0];
    zb_arena_init(&s->arena, &b->memory, 0);
    s->table = like;
    assert_true(zx_table_make(&s->arena, &s->table, s->x, s->y, rows));
}

static void expect_near(double x, long double y, long double size)
{
    if (!(fabsl((long double)x - y) <= 1e-11L * (size + fabsl(y))))
        fail_msg("%.17g is not %.20Lg", x, y);
}

POOL_TEST(cubic_splines, false)
{
    long double c[UNKNOWNS];
    seed = 1;
    for (int round = 0; round < 60; round++) {
        sample s;
        bool periodic = round % 2;
        int rows = (periodic ? 4 : 3) + (int)between(0.0, 20.0), pieces = rows - 1;
        make_sample(b, &s, rows, (zx_table){.degree = 3, .periodic = periodic});
        solve_spline(s.x, s.y, pieces, periodic, c);
        for (int k = 0; k < pieces; k++)
            for (int i = 0; i < 5; i++) {
                double x = s.x[k] + (s.x[k + 1] - s.x[k]) * (i == 0 ? 0.0 : between(0.0, 1.0));
                long double at = (long double)x - (long double)s.x[k];
                long double h = (long double)s.x[k + 1] - (long double)s.x[k], size = 1.0L;
                assert_true(zx_table_piece(&s.table, x) == k);
                for (int order = 0; order < 4; order++, size /= h)
                    expect_near(zx_table_value(&s.table, order, x), expected(c, k, order, at),
                                10.0L * size);
            }
        zb_arena_clear(&s.arena);
    }
}

POOL_TEST(chords_and_steps, false)
{
    seed = 2;
    for (int round = 0; round < 40; round++) {
        sample s;
        int degree = round % 2, rows = 2 + (int)between(0.0, 20.0);
        make_sample(b, &s, rows, (zx_table){.degree = degree});
        for (int k = 0; k + 1 < rows; k++) {
            double x = between(s.x[k], s.x[k + 1]), h = s.x[k + 1] - s.x[k];
            long double slope = ((long double)s.y[k + 1] - (long double)s.y[k]) / (long double)h;
            long double y = (long double)s.y[k];
            if (degree == 1) y += slope * ((long double)x - (long double)s.x[k]);
            expect_near(zx_table_value(&s.table, 0, x), y, 1.0L);
            if (degree == 1) expect_near(zx_table_value(&s.table, 1, x), slope, 1.0L);
            assert_true(zx_table_value(&s.table, 0, s.x[k]) == s.y[k]);
        }
        assert_true(fabs(zx_table_value(&s.table, 0, s.x[rows - 1]) - s.y[rows - 1]) < 1e-14);
        zb_arena_clear(&s.arena);
    }
}

/* Beyond the ends: nothing, the tangent, the last value, or all again. */
POOL_TEST(ends, false)
{
    seed = 3;
    for (int degree = 0; degree < 4; degree += degree == 1 ? 2 : 1) {
        sample s;
        make_sample(b, &s, 6, (zx_table){.degree = degree});
        double first = s.x[0], last = s.x[5], far = 2.5;
        assert_true(isnan(zx_table_value(&s.table, 0, nextafter(first, -9e9))));
        assert_true(isnan(zx_table_value(&s.table, 0, nextafter(last, 9e9))));
        assert_true(isnan(zx_table_value(&s.table, 0, (double)NAN)));
        assert_true(!isnan(zx_table_value(&s.table, 0, first)));
        assert_true(!isnan(zx_table_value(&s.table, 0, last)));
        zb_arena_clear(&s.arena);

        make_sample(b, &s, 6, (zx_table){.degree = degree, .extends = true});
        first = s.x[0], last = s.x[5];
        double low = degree > 0 ? zx_table_value(&s.table, 1, first) : 0.0;
        double high = degree > 0 ? zx_table_value(&s.table, 1, last) : 0.0;
        expect_near(zx_table_value(&s.table, 0, first - far), (long double)(s.y[0] - far * low),
                    1.0L);
        expect_near(zx_table_value(&s.table, 0, last + far), (long double)(s.y[5] + far * high),
                    1.0L);
        zb_arena_clear(&s.arena);

        make_sample(b, &s, 6, (zx_table){.degree = degree, .periodic = true});
        for (int turn = -40; turn < 40; turn++) {
            double x = between(s.x[0], s.x[5]), P = s.x[5] - s.x[0];
            long double size = 100.0L / 0.01L;
            expect_near(zx_table_value(&s.table, 0, x + turn * P),
                        (long double)zx_table_value(&s.table, 0, x), 1.0L);
            if (degree > 0)
                expect_near(zx_table_value(&s.table, 1, x + turn * P),
                            (long double)zx_table_value(&s.table, 1, x), size);
        }
        zb_arena_clear(&s.arena);
    }
}

/* The numbers of a piece give its values; knots are counted; what is between two pieces is between
 * them at and beside their knot. */
POOL_TEST(pieces_as_numbers, false)
{
    sample s;
    seed = 4;
    make_sample(b, &s, 8, (zx_table){.degree = 3, .extends = true});
    for (int i = 0; i < 400; i++) {
        double x = between(s.x[0] - 1.0, s.x[7] + 1.0), number = zx_table_piece(&s.table, x);
        zx_piece p = zx_table_numbers(&s.table, number);
        double at = x - p.x, y = p.c[0] + at * (p.c[1] + at * (p.c[2] + at * p.c[3]));
        assert_true(y == zx_table_value(&s.table, 0, x));
        double count = floor(p.number + (x - p.from) * p.per_length);
        assert_true(number < 0.0 ? count < 0.0 : number > 6.0 ? count >= 7.0 : count == number);
    }
    for (int k = 1; k < 7; k++) {
        zx_piece p = zx_table_numbers(&s.table, k - 0.25), low = zx_table_numbers(&s.table, k - 1);
        zx_piece high = zx_table_numbers(&s.table, k);
        assert_true(p.x == s.x[k]);
        for (double d = -0.01; d <= 0.01; d += 0.005) {
            double x = s.x[k] + d, a = x - low.x, c = x - high.x, m = x - p.x;
            double left = low.c[0] + a * (low.c[1] + a * (low.c[2] + a * low.c[3]));
            double right = high.c[0] + c * (high.c[1] + c * (high.c[2] + c * high.c[3]));
            double mixed = p.c[0] + m * (p.c[1] + m * (p.c[2] + m * p.c[3]));
            assert_true(fabs(mixed - (0.25 * left + 0.75 * right)) < 1e-9);
        }
    }
    zb_arena_clear(&s.arena);
}

/* In a pool: derivatives by the degree, constants folded, names printed, evaluation by data. */
POOL_TEST(calls_in_a_pool, true)
{
    sample s;
    zx_pool *p = &b->pool;
    seed = 5;
    make_sample(b, &s, 6, (zx_table){.degree = 3});
    const zx_table *list[] = {&s.table};
    zx_tables tables = {list, 1};
    zx_node code = zx_number(p, zx_table_code(0, 3, 0)), x = q_(p, 0);
    zx_node bare = zx_binary(p, ZX_TABLE, zx_number(p, s.x[2]), code);
    assert_int_equal(p->items[bare].op, ZX_TABLE); /* no data are known yet */
    p->tables = &tables;
    double value;
    assert_true(zx_is_constant(p, zx_binary(p, ZX_TABLE, zx_number(p, s.x[2]), code), &value));
    assert_true(value == s.y[2]);
    zx_node outside = zx_binary(p, ZX_TABLE, zx_number(p, s.x[5] + 1.0), code);
    assert_int_equal(p->items[outside].op, ZX_TABLE);
    zx_node node = zx_binary(p, ZX_TABLE, zx_power(p, x, 2), code), d[4] = {node};
    zx_direction direction = {.position = (zx_node[]){zx_number(p, 1.0)}, .slots = 1};
    direction.time = ZX_NONE;
    zx_node call = zx_binary(p, ZX_TABLE, x, code);
    for (int order = 1; order < 4; order++) {
        zx_directional(p, &call, 1, &direction, &d[order]);
        call = d[order];
        assert_int_equal(p->items[call].op, ZX_TABLE);
    }
    zx_directional(p, &call, 1, &direction, &d[0]);
    assert_true(zx_is_constant(p, d[0], &value) && value == 0.0);
    char buffer[100];
    zb_text text;
    zb_text_init_fixed(&text, buffer, sizeof buffer);
    zx_print(p, zx_time_derivative(p, node), ZX_TEXT, NULL, NULL, 0, &text);
    assert_non_null(strstr(buffer, "table0("));
    zb_arena_clear(&s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cubic_splines),
        cmocka_unit_test(chords_and_steps),
        cmocka_unit_test(ends),
        cmocka_unit_test(pieces_as_numbers),
        cmocka_unit_test(calls_in_a_pool),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
