/*
 * gauss16: its coefficients against quadruple precision, its order, and what it promises beside:
 * reversed motions come back, energies stay, stages in groups have the bits of stages one by one,
 * dense output is as good as the steps, what does not contract makes shorter steps.
 */
#include "systems.h"

#include <float.h>
#include <stdlib.h>

#include "../../base/counting.h"
#include "gauss16.h"
#include "tableau_gauss16.h"

/* Arithmetic of at least 33 digits where the compiler has it, else of what there is. */
#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
static const double quad_rounding = 5e-30;
#else
typedef long double quad;
static const double quad_rounding = 1e-17;
#endif

enum { S = 8, TERMS = 16 };

/* ----------------------------------------------------------------- coefficients */

static quad magnitude(quad x)
{
    return x < 0 ? -x : x;
}

static quad legendre(int n, quad z)
{
    quad before = 1, p = z;
    if (n == 0) return before;
    for (int k = 2; k <= n; k++) {
        quad next = ((2 * k - 1) * z * p - (k - 1) * before) / k;
        before = p;
        p = next;
    }
    return p;
}

typedef struct collocation {
    quad c[S], b[S], A[S][S], AA[S][S], bA[S];
} collocation;

/* int from 0 to x of the Lagrange polynomial of node j, by its coefficients. */
static quad lagrange_integral(const quad *c, int j, quad x)
{
    quad p[S + 1] = {1}, sum = 0;
    int degree = 0;
    for (int i = 0; i < S; i++) {
        if (i == j) continue;
        quad d = c[j] - c[i];
        for (int k = degree + 1; k >= 0; k--)
            p[k] = (k > 0 ? p[k - 1] : 0) / d - (k <= degree ? p[k] * c[i] / d : 0);
        degree++;
    }
    for (int k = degree; k >= 0; k--) sum = (sum + p[k] / (k + 1)) * x;
    return sum;
}

/* From the zeros of P_8 by Newton's iteration, all else by integrals. */
static collocation compute_collocation(void)
{
    collocation g;
    for (int i = 0; i < S; i++) {
        quad z = (quad)cos(acos(-1.0) * (S - i - 0.25) / (S + 0.5));
        for (int k = 0; k < 10; k++) {
            quad p = legendre(S, z), slope = S * (z * p - legendre(S - 1, z)) / (z * z - 1);
            z -= p / slope;
        }
        g.c[i] = (1 + z) / 2;
    }
    for (int j = 0; j < S; j++) {
        g.b[j] = lagrange_integral(g.c, j, 1);
        for (int i = 0; i < S; i++) g.A[i][j] = lagrange_integral(g.c, j, g.c[i]);
    }
    for (int j = 0; j < S; j++) {
        g.bA[j] = 0;
        for (int i = 0; i < S; i++) {
            g.bA[j] += g.b[i] * g.A[i][j];
            g.AA[i][j] = 0;
            for (int k = 0; k < S; k++) g.AA[i][j] += g.A[i][k] * g.A[k][j];
        }
    }
    return g;
}

static quad power(quad x, int n)
{
    quad p = 1;
    while (n-- > 0) p *= x;
    return p;
}

static void assert_near(quad x, quad y, double within)
{
    quad error = magnitude(x - y);
    if (!(error <= (quad)within))
        fail_msg("%.17g instead of %.17g: off by %g", (double)x, (double)y, (double)error);
}

/* B(16), C(8), D(8): with these the order is 16 (Butcher). B(17) must fail. */
static void computed_coefficients_are_of_order_16(void **state)
{
    (void)state;
    collocation g = compute_collocation();
    for (int k = 1; k <= 17; k++) {
        quad sum = 0;
        for (int i = 0; i < S; i++) sum += g.b[i] * power(g.c[i], k - 1);
        if (k <= 16)
            assert_near(sum, (quad)1 / k, quad_rounding);
        else
            assert_true(magnitude(sum - (quad)1 / k) > (quad)1e-12);
    }
    for (int k = 1; k <= S; k++)
        for (int i = 0; i < S; i++) {
            quad row = 0, column = 0;
            for (int j = 0; j < S; j++) {
                row += g.A[i][j] * power(g.c[j], k - 1);
                column += g.b[j] * power(g.c[j], k - 1) * g.A[j][i];
            }
            assert_near(row, power(g.c[i], k) / k, quad_rounding);
            assert_near(column, g.b[i] * (1 - power(g.c[i], k)) / k, quad_rounding);
        }
}

/* The nearest double; with its rest, the number itself. */
static void assert_table(double value, quad exact)
{
    assert_near((quad)value, exact, 0.5000001 * DBL_EPSILON * fmax(fabs(value), 1e-300));
}

static void tables_are_what_is_computed(void **state)
{
    (void)state;
    collocation g = compute_collocation();
    for (int j = 0; j < S; j++) {
        quad end = 1;
        for (int i = 0; i < S; i++)
            if (i != j) end *= (1 - g.c[i]) / (g.c[j] - g.c[i]);
        assert_table(zi_gauss_end[j], end);
        assert_table(zi_gauss_c[j], g.c[j]);
        assert_table(zi_gauss_b[j], g.b[j]);
        assert_table(zi_gauss_bA[j], g.bA[j]);
        assert_near((quad)zi_gauss_b[j] + (quad)zi_gauss_b_rest[j], g.b[j], quad_rounding);
        assert_near((quad)zi_gauss_bA[j] + (quad)zi_gauss_bA_rest[j], g.bA[j], quad_rounding);
        for (int i = 0; i < S; i++) {
            assert_table(zi_gauss_A[j][i], g.A[i][j]);
            assert_table(zi_gauss_AA[j][i], g.AA[i][j]);
        }
    }
}

/* Coefficients of P_k from its values at all 16 places are those of P_k. */
static void legendre_table_inverts(void **state)
{
    (void)state;
    for (int k = 0; k < TERMS; k++)
        for (int n = 0; n < TERMS; n++) {
            quad sum = 0, size = 0;
            for (int m = 0; m < TERMS; m++) {
                double x = m < S ? zi_gauss_c[m] : zi_gauss_e[m - S];
                quad term = (quad)zi_gauss_legendre[m][n] * legendre(k, 2 * (quad)x - 1);
                sum += term;
                size += magnitude(term);
            }
            assert_near(sum, n == k ? 1 : 0, 100 * DBL_EPSILON * (double)(1 + size));
        }
    assert_true(zi_gauss_e[0] == 0.0 && zi_gauss_e[S - 1] == 1.0);
}

/* int from 0 to x of P_k(2 x - 1), and of that again, by sums of powers of x. */
static void legendre_integrals(int k, quad x, quad *once, quad *twice)
{
    quad coefficient = k % 2 ? -1 : 1; /* of x^i: (-1)^(k + i) (k + i)! / ((k - i)! i!^2) */
    *once = *twice = 0;
    for (int i = 0; i <= k; i++) {
        *once += coefficient * power(x, i + 1) / (i + 1);
        *twice += coefficient * power(x, i + 2) / ((i + 1) * (i + 2));
        coefficient *= -(quad)(k + i + 1) * (k - i) / ((i + 1) * (i + 1));
    }
}

static void integrals_are_what_is_computed(void **state)
{
    (void)state;
    collocation g = compute_collocation();
    for (int set = 0; set < 2; set++)
        for (int k = 0; k < TERMS; k++)
            for (int l = 0; l < S; l++) {
                static const quad e[S] = {0,
                                          (quad)5 / 100,
                                          (quad)175 / 1000,
                                          (quad)36 / 100,
                                          (quad)64 / 100,
                                          (quad)825 / 1000,
                                          (quad)95 / 100,
                                          1};
                quad once, twice;
                legendre_integrals(k, set == 0 ? g.c[l] : e[l], &once, &twice);
                assert_near((quad)zi_gauss_inside[set][k][0][l], once,
                            1.2e-16 + 1e10 * quad_rounding);
                assert_near((quad)zi_gauss_inside[set][k][1][l], twice,
                            1.2e-16 + 1e10 * quad_rounding);
            }
}

/* ----------------------------------------------------------------------- motions */

/* Angle and speed, and as sums the way and the time. */
static zw_status swinging(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = y[1];
    dy[1] = -sin(y[0]);
    dy[2] = y[1] * y[1];
    dy[3] = 1.0;
    return ZW_OK;
}

static const zi_system swing = {.size = 4, .controlled = 2, .half = 1, .rates = swinging};
static const double released[4] = {2.0, 0.0, 0.0, 0.0};

static double swing_energy(const double *y)
{
    return 0.5 * y[1] * y[1] - cos(y[0]);
}

/* Where fixed steps of length h lead. */
static void run_fixed(double h, double end, const double *from, double *to)
{
    zb_memory memory;
    zi_settings settings = {.tol = 1e-13, .abs_tol = 1e-13, .step = h, .end = end};
    zi_stepper *s = open_stepper(&memory, "gauss16", &swing, &settings, from);
    assert_int_equal(run_to_end(s), ZW_OK);
    memcpy(to, s->y, 4 * sizeof(double));
    close_stepper(s, &memory);
}

/* q = 1/(1 + t^2), as q of (q, v) and as the first of any two: its error at t = 2 by fixed steps. */
static zw_status bell(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = y[1];
    dy[1] = 8.0 * t * t * y[0] * y[0] * y[0] - 2.0 * y[0] * y[0];
    return ZW_OK;
}

static double bell_error(int32_t half, int32_t steps)
{
    zb_memory memory;
    double from[] = {1.0, 0.0};
    zi_system system = {.size = 2, .controlled = 2, .half = half, .rates = bell};
    zi_settings settings = {.tol = 1e-13, .abs_tol = 1e-13, .step = 2.0 / steps, .end = 2.0};
    zi_stepper *s = open_stepper(&memory, "gauss16", &system, &settings, from);
    assert_int_equal(run_to_end(s), ZW_OK);
    double error = fabs(s->y[0] - 0.2);
    assert_int_equal(s->counts.rejected, 0);
    close_stepper(s, &memory);
    return error;
}

/* It falls with the 16th power of the step. */
static void order_is_16(void **state)
{
    (void)state;
    for (int32_t half = 0; half < 2; half++) {
        double coarse = bell_error(half, 3), fine = bell_error(half, 6);
        double slope = log(coarse / fine) / log(2.0);
        if (!(slope > 15.0 && slope < 17.0)) fail_msg("order %.2f (%g, %g)", slope, coarse, fine);
    }
}

/* The method is symmetric: from the end with the speed reversed, back to the start, by steps whose
 * error is ten thousand times larger than that. */
static void reversed_motions_come_back(void **state)
{
    (void)state;
    double there[4], back[4], exact[4];
    run_fixed(1.5, 60.0, released, there);
    run_fixed(0.25, 60.0, released, exact);
    assert_true(fabs(there[0] - exact[0]) > 1e-8);
    there[1] = -there[1];
    run_fixed(1.5, 60.0, there, back);
    double walk = 60.0 * DBL_EPSILON * sqrt(80.0); /* rounding of 80 steps, which grows with time */
    assert_true(fabs(back[0] - released[0]) < walk);
    assert_true(fabs(back[1]) < walk);
}

/* Nothing held: over 6000 periods the energy has no more than gathered rounding. */
static void energy_stays_over_long_times(void **state)
{
    (void)state;
    zb_memory memory;
    zi_settings settings = {.tol = 1e-14, .abs_tol = 1e-14, .end = 50000.0};
    zi_stepper *s = open_stepper(&memory, "gauss16", &swing, &settings, released);
    double start = swing_energy(released), worst = 0.0;
    while (s->t < settings.end) {
        assert_int_equal(zi_step(s), ZW_OK);
        worst = fmax(worst, fabs(swing_energy(s->y) - start));
    }
    /* Each step rounds rates of about 1 by some units, with either sign: a walk of chance. */
    double walk = 16.0 * DBL_EPSILON * sqrt((double)s->counts.steps);
    if (!(worst < walk)) fail_msg("the energy is off by %g, not %g", worst, walk);
    assert_true(fabs(s->y[3] - 50000.0) < 1e-9);
    assert_true(s->counts.rejected * 10 < s->counts.steps);
    close_stepper(s, &memory);
}

/* By the tolerance: after 50 units of time errors are at most three of them, which is what dop853
 * has, and steps become longer with it. */
static void tolerances_are_kept(void **state)
{
    (void)state;
    double exact[4];
    int64_t steps = INT64_MAX;
    run_fixed(0.25, 50.0, released, exact);
    for (int k = 13; k >= 5; k--) {
        zb_memory memory;
        zi_settings settings = {.tol = pow(10, -k), .abs_tol = pow(10, -k), .end = 50.0};
        zi_stepper *s = open_stepper(&memory, "gauss16", &swing, &settings, released);
        assert_int_equal(run_to_end(s), ZW_OK);
        double error = hypot(s->y[0] - exact[0], s->y[1] - exact[1]);
        if (!(error < 3.0 * settings.tol + 2e-14)) fail_msg("tol 1e-%d: off by %g", k, error);
        assert_true(s->counts.steps <= steps);
        steps = s->counts.steps;
        close_stepper(s, &memory);
    }
}

/* ------------------------------------------------------------------------- groups */

typedef struct grouped {
    int32_t width, calls;
    double own[2][4 * S];
} grouped;

/* As swinging, of 8 stages in groups. */
static zw_status swinging_stages(void *user, bool first, const double *t, const double *y,
                                 double **rates)
{
    grouped *g = user;
    (void)first;
    double *dy = *rates = g->own[g->calls++ % 2]; /* not always at one place */
    for (int32_t l = 0; l < S; l++) {
        int32_t at = l / g->width * 4 * g->width + l % g->width;
        double one[4], found[4];
        for (int32_t i = 0; i < 4; i++) one[i] = y[at + i * g->width];
        swinging(NULL, t[l], one, found);
        for (int32_t i = 0; i < 4; i++) dy[at + i * g->width] = found[i];
    }
    return ZW_OK;
}

static void groups_have_the_bits_of_single_stages(void **state)
{
    (void)state;
    const int32_t widths[] = {4, 8};
    for (int k = 0; k < 2; k++) {
        zb_memory ma, mb;
        grouped g = {.width = widths[k]};
        zi_system system = swing;
        system.user = &g;
        zi_settings settings = {.tol = 1e-10, .abs_tol = 1e-10, .end = 40.0};
        zi_stepper *a = open_stepper(&ma, "gauss16", &system, &settings, released);
        system.stages = swinging_stages;
        system.stage_width = g.width;
        zi_stepper *b = open_stepper(&mb, "gauss16", &system, &settings, released);
        while (a->t < 40.0) {
            double x[4], y[4];
            assert_int_equal(zi_step(a), ZW_OK);
            assert_int_equal(zi_step(b), ZW_OK);
            assert_true(a->t == b->t && same_bits(a->y, b->y, 4));
            double t = a->t_old + 0.37 * (a->t - a->t_old);
            assert_int_equal(zi_dense(a, t, x), ZW_OK);
            assert_int_equal(zi_dense(b, t, y), ZW_OK);
            assert_true(same_bits(x, y, 4));
        }
        assert_true(g.calls > 0 && a->counts.evaluations == b->counts.evaluations);
        close_stepper(a, &ma);
        close_stepper(b, &mb);
    }
}

/* What is compiled for other instruction sets gives the same bits, as far as this processor has
 * them; in every width. */
static void instruction_sets_give_the_same_bits(void **state)
{
    (void)state;
#if defined(ZI_HAVE_X86)
    enum { STRIDE = 8 };
    const zi_sweep_functions *all[] = {&zi_sweep_functions_plain, &zi_sweep_functions_avx2,
                                       &zi_sweep_functions_avx512};
    int known = zb_cpu() == ZB_CPU_AVX512 ? 3 : zb_cpu() == ZB_CPU_AVX2 ? 2 : 1;
    double y[STRIDE], carry[STRIDE], weight[STRIDE], rates[S * STRIDE], legendre_rows[S * S];
    for (int i = 0; i < STRIDE; i++) {
        y[i] = sin(1.0 + i);
        carry[i] = 1e-17 * cos(i);
        weight[i] = i < 6 ? 1.0 + 0.1 * i : 0.0;
    }
    for (int i = 0; i < S * STRIDE; i++) rates[i] = cos(0.3 * i) / 3.0;
    for (int i = 0; i < S * S; i++) legendre_rows[i] = sin(0.7 * i);
    for (int32_t width = 1; width <= 8; width = width == 1 ? 4 : 2 * width) {
        double first[4][S * STRIDE], numbers[8];
        for (int k = 0; k < known; k++) {
            double Z[S * STRIDE], argument[S * STRIDE] = {0}, end[2 * STRIDE] = {0}, table[S * S];
            for (int i = 0; i < S * STRIDE; i++) Z[i] = sin(0.1 * i);
            zi_sweep x = {.stride = STRIDE,
                          .half = 3,
                          .controlled = 6,
                          .size = 7,
                          .width = width,
                          .h = 0.3,
                          .y = y,
                          .carry = carry,
                          .weight = weight,
                          .Z = Z,
                          .argument = argument,
                          .rates = rates,
                          .ending = legendre_rows};
            all[k]->extrapolate(legendre_rows, 1.0, 1.1, table);
            all[k]->predict(&x, table, rates);
            all[k]->place(&x);
            zi_sweep_change change = all[k]->take(&x);
            zi_tail tail = all[k]->end(&x, end, end + STRIDE);
            double found[] = {change.change, change.size, tail.top, tail.high, tail.low};
            if (k == 0) {
                memcpy(first[0], Z, sizeof Z);
                memcpy(first[1], argument, sizeof argument);
                memcpy(first[2], end, sizeof end);
                memcpy(first[3], table, sizeof table);
                memcpy(numbers, found, sizeof found);
                continue;
            }
            assert_memory_equal(first[0], Z, sizeof Z);
            assert_memory_equal(first[1], argument, sizeof argument);
            assert_memory_equal(first[2], end, sizeof end);
            assert_memory_equal(first[3], table, sizeof table);
            assert_memory_equal(numbers, found, sizeof found);
        }
    }
#else
    skip();
#endif
}

/* ------------------------------------------------------------------- dense output */

/* Inside of steps the motion is as good as at their ends. */
static void dense_output_is_as_good_as_steps(void **state)
{
    (void)state;
    const double tols[] = {1e-13, 1e-9, 1e-6};
    for (int k = 0; k < 3; k++) {
        zb_memory memory;
        zi_system system = {.size = 2, .controlled = 2, .half = 1, .rates = turning};
        zi_settings settings = {.tol = tols[k], .abs_tol = tols[k], .end = 20.0};
        double from[] = {1.0, 0.0}, y[2];
        system.half = 0; /* y' = (-y1, y0): nothing of the kind q' = v */
        zi_stepper *s = open_stepper(&memory, "gauss16", &system, &settings, from);
        double within = 0.5 * tols[k];
        while (s->t < 20.0) {
            assert_int_equal(zi_step(s), ZW_OK);
            within = fmax(within, 3.0 * hypot(s->y[0] - cos(s->t), s->y[1] - sin(s->t)));
            for (int i = 0; i <= 20; i++) {
                double t = s->t_old + (s->t - s->t_old) * (i / 20.0);
                assert_int_equal(zi_dense(s, fmin(t, s->t), y), ZW_OK);
                double error = hypot(y[0] - cos(t), y[1] - sin(t));
                if (!(error < within)) fail_msg("tol %g: off by %g inside", tols[k], error);
            }
        }
        close_stepper(s, &memory);
    }
}

/* Sums are integrals: the way of a turn at unit speed, 2 (1 - cos). */
static void sums_ride_along(void **state)
{
    (void)state;
    zb_memory memory;
    zi_settings settings = {.tol = 1e-12, .abs_tol = 1e-12, .end = 30.0};
    zi_stepper *s = open_stepper(&memory, "gauss16", &swing, &settings, released);
    double y[4], worst = 0.0;
    while (s->t < 30.0) {
        assert_int_equal(zi_step(s), ZW_OK);
        double t = 0.5 * (s->t_old + s->t);
        assert_int_equal(zi_dense(s, t, y), ZW_OK);
        worst = fmax(worst, fabs(y[3] - t));
        worst = fmax(worst, fabs(s->y[3] - s->t));
    }
    assert_true(worst < 1e-13);
    close_stepper(s, &memory);
}

/* ------------------------------------------------------------------ what can fail */

/* A fast spring beside a slow motion: sweeps contract only for short steps, and that is told. */
static zw_status fast_and_slow(void *user, double t, const double *y, double *dy)
{
    (void)t;
    double k = *(double *)user;
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = -y[0];
    dy[3] = -k * (y[1] - cos(t)) - 2.0 * sqrt(k) * (y[3] + sin(t)) - cos(t);
    return ZW_OK;
}

static void stiffness_makes_short_steps_and_is_told(void **state)
{
    (void)state;
    zb_memory memory;
    double k = 1e8, from[] = {1.0, 1.0, 0.0, 0.0};
    zi_system system = {.size = 4, .controlled = 4, .half = 2, .user = &k, .rates = fast_and_slow};
    zi_settings settings = {.tol = 1e-9, .abs_tol = 1e-9, .end = 0.2};
    zi_stepper *s = open_stepper(&memory, "gauss16", &system, &settings, from);
    bool told = false;
    while (s->t < settings.end) {
        assert_int_equal(zi_step(s), ZW_OK);
        told = told || s->stiff;
    }
    assert_true(told);
    assert_true(s->counts.largest < 0.01);
    assert_true(s->counts.evaluations < 100000); /* most steps are left to dop853 */
    assert_true(fabs(s->y[0] - cos(0.2)) < 1e-9 && fabs(s->y[1] - cos(0.2)) < 1e-9);
    close_stepper(s, &memory);
}

/* Beyond a wall f fails, or is no number: steps become shorter until they fit, or are given up. */
typedef struct wall {
    double at;
    zw_status says;
    int calls;
} wall;

static zw_status to_the_wall(void *user, double t, const double *y, double *dy)
{
    wall *w = user;
    w->calls++;
    (void)t;
    dy[0] = y[1];
    dy[1] = -1.0;
    if (y[0] < w->at && w->says != ZW_OK) return w->says;
    if (y[0] < w->at) dy[1] = ZB_NAN;
    return ZW_OK;
}

static void failing_rates_make_shorter_steps(void **state)
{
    (void)state;
    const zw_status says[] = {ZW_ERR_NOT_FINITE, ZW_OK};
    for (int k = 0; k < 2; k++) {
        zb_memory memory;
        wall w = {.at = 0.5, .says = says[k]};
        double from[] = {1.0, 0.0};
        zi_system system = {
            .size = 2, .controlled = 2, .half = 1, .user = &w, .rates = to_the_wall};
        zi_settings settings = {.tol = 1e-9, .abs_tol = 1e-9, .end = 5.0};
        zi_stepper *s = open_stepper(&memory, "gauss16", &system, &settings, from);
        zw_status status = run_to_end(s);
        assert_int_equal(status, ZW_ERR_NOT_FINITE);
        if (!(fabs(s->t - 1.0) < 1e-9))
            fail_msg("it came to %.17g", s->t); /* 1 - t^2/2 = 1/2 at t = 1 */
        double t = s->t, y[2] = {s->y[0], s->y[1]};
        assert_true(fabs(y[0] - (1.0 - 0.5 * t * t)) < 1e-13);
        assert_int_equal(zi_step(s), ZW_ERR_NOT_FINITE);
        assert_true(s->t == t && same_bits(s->y, y, 2));
        close_stepper(s, &memory);
    }
}

/* A force that jumps inside a step where nobody watches it: stages see it, and steps become short,
 * unless it is in the last 2 % of a step, behind the last stage. */
static zw_status switched(void *user, double t, const double *y, double *dy)
{
    double at = *(double *)user;
    dy[0] = y[1];
    dy[1] = t < at ? 1.0 : -1.0;
    return ZW_OK;
}

static void jumps_are_not_stepped_over(void **state)
{
    (void)state;
    int good = 0, all = 0;
    for (double at = 1.0; at < 2.0; at += 0.0173) {
        zb_memory memory;
        double from[] = {0.0, 0.0}, v = at - (3.0 - at);
        zi_system system = {.size = 2, .controlled = 2, .half = 1, .user = &at, .rates = switched};
        zi_settings settings = {.tol = 1e-9, .abs_tol = 1e-9, .end = 3.0};
        zi_stepper *s = open_stepper(&memory, "gauss16", &system, &settings, from);
        assert_int_equal(run_to_end(s), ZW_OK);
        double error = fabs(s->y[1] - v);
        good += error < 1e-8;
        all++;
        if (!(error < 0.04 * s->counts.largest)) fail_msg("jump at %g: off by %g", at, error);
        close_stepper(s, &memory);
    }
    if (good * 10 < all * 9) fail_msg("%d of %d are good", good, all);
}

/* ------------------------------------------------------------------------- bridges */

/* A swing whose rates are told to be noise near its lowest place; broken off where `stops` says so. */
typedef struct noisy_swing {
    double noise;
    bool careful, stops;
    int stop_at;
} noisy_swing;

static zw_status noisy_swinging(void *user, double t, const double *y, double *dy)
{
    noisy_swing *x = user;
    if (x->stops && x->stop_at-- <= 0) return ZW_ERR_LIMIT;
    if (fabs(y[0]) < 0.3) x->noise = 1e-11;
    return swinging(NULL, t, y, dy);
}

static zi_system describe_noisy_swing(noisy_swing *x)
{
    return (zi_system){.size = 4,
                       .controlled = 2,
                       .half = 1,
                       .user = x,
                       .rates = noisy_swinging,
                       .noise = &x->noise,
                       .careful = &x->careful};
}

/* By steps of both methods, at both of them and inside, as good as by one. */
static void noise_is_bridged(void **state)
{
    (void)state;
    zb_memory memory;
    noisy_swing noisy = {0};
    zi_system system = describe_noisy_swing(&noisy);
    zi_settings settings = {.tol = 1e-13, .abs_tol = 1e-13, .end = 50.0};
    zi_stepper *s = open_stepper(&memory, "gauss16", &system, &settings, released);
    int bridged = 0, swept = 0;
    double exact[4], y[4], start = swing_energy(released);
    while (s->t < settings.end) {
        assert_int_equal(zi_step(s), ZW_OK);
        bool bridge = zi_gauss_numbers_of(s)->bridged != 0.0;
        bridged += bridge;
        swept += !bridge;
        if (!bridge) assert_true(noisy.noise * (s->t - s->t_old) < settings.tol);
        assert_int_equal(zi_dense(s, 0.4 * s->t_old + 0.6 * s->t, y), ZW_OK);
        assert_true(fabs(swing_energy(y) - start) < 100.0 * settings.tol);
    }
    assert_true(bridged > 50 && swept > 50);
    run_fixed(0.25, 50.0, released, exact);
    assert_true(hypot(s->y[0] - exact[0], s->y[1] - exact[1]) < 100.0 * settings.tol);
    close_stepper(s, &memory);
}

/* Saved on the way, or broken off at any evaluation of a step: it goes on to the same bits. */
static void bridges_go_on_to_the_same_bits(void **state)
{
    (void)state;
    zb_memory ma, mb;
    noisy_swing one = {0}, other = {0};
    zi_system first = describe_noisy_swing(&one), second = describe_noisy_swing(&other);
    zi_settings settings = {.tol = 1e-11, .sized = true, .end = 20.0};
    zi_stepper *a = open_stepper(&ma, "gauss16", &first, &settings, released),
               *b = open_stepper(&mb, "gauss16", &second, &settings, released);
    char *bytes = malloc(zi_saved_size(a));
    assert_non_null(bytes);
    for (int i = 0; a->t < settings.end; i++) {
        double h = b->h;
        if (i % 3 == 0) {
            zi_save(a, bytes);
            zi_load(b, bytes);
        } else if (i > 1) { /* the first step has no length yet that could be kept */
            other.stops = true;
            other.stop_at = (7 * i) % 200;
            zw_status status = zi_step(b);
            other.stops = false;
            if (status != ZW_OK) {
                assert_int_equal(status, ZW_ERR_LIMIT);
                b->h = h;
                assert_int_equal(zi_step(b), ZW_OK);
            }
            assert_int_equal(zi_step(a), ZW_OK);
            assert_true(a->t == b->t && a->h == b->h && same_bits(a->y, b->y, 4));
            continue;
        }
        assert_int_equal(zi_step(a), ZW_OK);
        assert_int_equal(zi_step(b), ZW_OK);
        assert_true(a->t == b->t && a->h == b->h && same_bits(a->y, b->y, 4));
    }
    free(bytes);
    close_stepper(a, &ma);
    close_stepper(b, &mb);
}

/* ------------------------------------------------------------------ save and load */

static void a_loaded_stepper_goes_on_to_the_same_bits(void **state)
{
    (void)state;
    zb_memory ma, mb;
    zi_settings settings = {.tol = 1e-11, .sized = true, .end = 60.0};
    double other[] = {0.3, 0.1, 0.0, 0.0};
    zi_stepper *a = open_stepper(&ma, "gauss16", &swing, &settings, released);
    size_t size = zi_saved_size(a);
    char *bytes = malloc(size), *again = malloc(size);
    assert_true(size > 0 && bytes && again);
    for (int i = 0; a->t < 60.0; i++) {
        double x[4], y[4];
        zi_stepper *b = open_stepper(&mb, "gauss16", &swing, &settings, other);
        if (i % 2) assert_int_equal(zi_step(b), ZW_OK);
        if (i % 3 == 2) assert_int_equal(zi_dense(a, 0.5 * (a->t_old + a->t), x), ZW_OK);
        zi_save(a, bytes);
        zi_load(b, bytes);
        zi_save(b, again);
        assert_memory_equal(bytes, again, size);
        for (int k = 0; k < 3 && b->t < 60.0; k++) {
            if (k == 0) assert_int_equal(zi_step(a), ZW_OK);
            assert_int_equal(zi_step(b), ZW_OK);
            if (k > 0) continue;
            assert_true(a->t == b->t && a->h == b->h && same_bits(a->y, b->y, 4));
            assert_int_equal(zi_dense(a, 0.7 * a->t + 0.3 * a->t_old, x), ZW_OK);
            assert_int_equal(zi_dense(b, 0.7 * a->t + 0.3 * a->t_old, y), ZW_OK);
            assert_true(same_bits(x, y, 4));
        }
        close_stepper(b, &mb);
    }
    free(bytes);
    free(again);
    close_stepper(a, &ma);
}

/* What is held is corrected through the carries: a correction below rounding is not lost. */
static void add_a_little(void *user, double t, double *y, double *carry)
{
    (void)t;
    int *calls = user;
    ++*calls;
    double add = 1e-18 + carry[1], sum = y[1] + add;
    carry[1] = add - (sum - y[1]);
    y[1] = sum;
}

static zw_status resting(void *user, double t, const double *y, double *dy)
{
    (void)user;
    (void)t;
    dy[0] = y[1];
    dy[1] = 0.0;
    return ZW_OK;
}

static void small_corrections_add_up(void **state)
{
    (void)state;
    zb_memory memory;
    int calls = 0;
    double from[] = {0.0, 1.0};
    zi_system system = {.size = 2, .controlled = 2, .half = 1, .user = &calls, .rates = resting};
    system.hold = add_a_little;
    zi_settings settings = {.tol = 1e-9, .abs_tol = 1e-9, .step = 1.0, .end = 1000.0};
    zi_stepper *s = open_stepper(&memory, "gauss16", &system, &settings, from);
    assert_int_equal(run_to_end(s), ZW_OK);
    assert_int_equal(calls, 1000);
    assert_true(fabs(s->y[1] - 1.0 - 1e-15) <= DBL_EPSILON); /* one by one they would be lost */
    assert_true(s->y[1] > 1.0);
    close_stepper(s, &memory);
}

static void refused_memory_is_told(void **state)
{
    (void)state;
    for (int64_t k = 1;; k++) {
        counting c;
        zb_memory memory;
        counting_init(&c, &memory);
        c.refuse_at = k;
        zi_settings settings = {.tol = 1e-9, .abs_tol = 1e-9, .end = 1.0};
        zi_stepper *s = NULL;
        zw_status status =
            zi_open(&memory, zi_find_method("gauss16"), &swing, &settings, 0.0, released, &s);
        if (status == ZW_OK) {
            int64_t requests = c.requests;
            assert_int_equal(run_to_end(s), ZW_OK);
            assert_int_equal(c.requests, requests); /* no step takes memory */
            zi_close(s);
        }
        assert_true(c.blocks == 0 && c.faults == 0);
        if (status == ZW_OK) break;
        assert_int_equal(status, ZW_ERR_MEMORY);
        assert_true(k < 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computed_coefficients_are_of_order_16),
        cmocka_unit_test(tables_are_what_is_computed),
        cmocka_unit_test(legendre_table_inverts),
        cmocka_unit_test(integrals_are_what_is_computed),
        cmocka_unit_test(order_is_16),
        cmocka_unit_test(reversed_motions_come_back),
        cmocka_unit_test(energy_stays_over_long_times),
        cmocka_unit_test(tolerances_are_kept),
        cmocka_unit_test(groups_have_the_bits_of_single_stages),
        cmocka_unit_test(instruction_sets_give_the_same_bits),
        cmocka_unit_test(dense_output_is_as_good_as_steps),
        cmocka_unit_test(sums_ride_along),
        cmocka_unit_test(stiffness_makes_short_steps_and_is_told),
        cmocka_unit_test(failing_rates_make_shorter_steps),
        cmocka_unit_test(jumps_are_not_stepped_over),
        cmocka_unit_test(noise_is_bridged),
        cmocka_unit_test(bridges_go_on_to_the_same_bits),
        cmocka_unit_test(a_loaded_stepper_goes_on_to_the_same_bits),
        cmocka_unit_test(small_corrections_add_up),
        cmocka_unit_test(refused_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
