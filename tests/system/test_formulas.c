/*
 * test_formulas.c: runs against second formulations: the same problem in other coordinates, worked
 * out by hand, as few as its degrees of freedom, in long double.
 *
 * They are the cases of tests/reference for which no values are listed there. The formulas are
 * integrated by the classical method of fourth order with h and h/2 and extrapolated.
 */
#include "journey.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { STATES = 10, VALUES = 12, TIMES = 4 };
#define G 9.81L

typedef long double real;
typedef void rates_fn(real t, const real *y, real *dy);

/* A problem: minimal state y, and what of it the model's columns say. */
typedef struct twin {
    const char *title, *model, *setting, *columns;
    int states, values;
    real start[STATES];
    rates_fn *rates;
    rates_fn *show; /* (t, y, values) */
    double tol, allowed, constraint;
    double times[TIMES];
    int steps; /* of the formulas, a second */
} twin;

/* -------------------------------------------------------------- Runge-Kutta */

static void step(const twin *w, real t, real h, real *y)
{
    static const real at[4] = {0, 0.5L, 0.5L, 1}, weight[4] = {1, 2, 2, 1};
    real k[STATES] = {0}, sum[STATES] = {0}, stage[STATES];
    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < w->states; i++) stage[i] = y[i] + at[s] * h * k[i];
        w->rates(t + at[s] * h, stage, k);
        for (int i = 0; i < w->states; i++) sum[i] += weight[s] * k[i];
    }
    for (int i = 0; i < w->states; i++) y[i] += h / 6 * sum[i];
}

static void follow(const twin *w, double t, real *y)
{
    real coarse[STATES];
    int count = (int)ceil(t * w->steps);
    for (int refined = 0; refined < 2; refined++) {
        int n = count << refined;
        memcpy(y, w->start, STATES * sizeof *y);
        for (int i = 0; i < n; i++) step(w, (real)t * i / n, (real)t / n, y);
        if (refined == 0) memcpy(coarse, y, sizeof coarse);
    }
    for (int i = 0; i < w->states; i++) y[i] += (y[i] - coarse[i]) / 15;
}

/* --------------------------------------------------------------- the problems */

/* N four-bars: th from the upright, I = (N+1)/3 + N, V = ((N+1)/2 + N) g cos th. */
static void fourbar(real N, const real *y, real *dy)
{
    dy[0] = y[1];
    dy[1] = ((N + 1) / 2 + N) * G * sinl(y[0]) / ((N + 1) / 3 + N);
}

static void fourbar2(real t, const real *y, real *dy)
{
    (void)t;
    fourbar(2, y, dy);
}

static void fourbar8(real t, const real *y, real *dy)
{
    (void)t;
    fourbar(8, y, dy);
}

static void fourbar40(real t, const real *y, real *dy)
{
    (void)t;
    fourbar(40, y, dy);
}

static void show_fourbar(real t, const real *y, real *x)
{
    (void)t;
    x[0] = sinl(y[0]);
    x[1] = cosl(y[0]);
    x[2] = y[1] * cosl(y[0]);
    x[3] = -y[1] * sinl(y[0]);
    x[4] = y[1];
}

/* A bead on a rough ring, upright: th from the bottom, N = R th'^2 + g cos th. */
static void ring(real t, const real *y, real *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -G / 0.5L * sinl(y[0]) - 0.3L * (y[1] * y[1] + G / 0.5L * cosl(y[0]));
}

static void show_ring(real t, const real *y, real *x)
{
    (void)t;
    x[0] = 0.5L * sinl(y[0]);
    x[1] = -0.5L * cosl(y[0]);
    x[2] = 0.5L * cosl(y[0]) * y[1];
    x[3] = 0.5L * sinl(y[0]) * y[1];
    x[4] = 0.5L * y[1] * y[1] + G * cosl(y[0]);
}

/* A bead on a rough helix by its angle f: s = f R / cos b, tan b = p / R. */
static const real helix_R = 0.5L, helix_p = 0.1L;

static real helix_reaction(const real *y)
{
    real c = helix_R / hypotl(helix_R, helix_p), s = y[1] * helix_R / c;
    return hypotl(s * s * c * c / helix_R, G * c);
}

static void helix(real t, const real *y, real *dy)
{
    (void)t;
    real length = hypotl(helix_R, helix_p);
    dy[0] = y[1];
    dy[1] = (-G * helix_p / length - 0.3L * helix_reaction(y)) / length;
}

static void show_helix(real t, const real *y, real *x)
{
    (void)t;
    x[0] = helix_R * cosl(y[0]);
    x[1] = helix_R * sinl(y[0]);
    x[2] = helix_p * y[0];
    x[3] = -helix_R * sinl(y[0]) * y[1];
    x[4] = helix_R * cosl(y[0]) * y[1];
    x[5] = helix_p * y[1];
    x[6] = helix_reaction(y);
}

/* The machine of Appell and Hamel, pushed: speed u in the direction d, z' = a u.
 * (Mh + m a^2) u' = f cos d - a m g,  Mh u d' = -f sin d. y = (x, y, z, u, d) */
static void hamel(real t, const real *y, real *dy)
{
    (void)t;
    real u = y[3], d = y[4];
    dy[0] = u * cosl(d);
    dy[1] = u * sinl(d);
    dy[2] = u / 2;
    dy[3] = (1.5L * cosl(d) - G / 2) / 3.25L;
    dy[4] = -1.5L * sinl(d) / (3 * u);
}

static void show_hamel(real t, const real *y, real *x)
{
    real dy[STATES];
    hamel(t, y, dy);
    for (int i = 0; i < 3; i++) {
        x[i] = y[i];
        x[3 + i] = dy[i];
    }
    /* M a - F */
    x[6] = 3 * (dy[3] * cosl(y[4]) - y[3] * dy[4] * sinl(y[4])) - 1.5L;
    x[7] = 3 * (dy[3] * sinl(y[4]) + y[3] * dy[4] * cosl(y[4]));
    x[8] = dy[3] / 2 + G;
}

/* Appell's particle: velocity R (cosh s cos p, cosh s sin p, sinh s) with R^2 = 2 h; Gauss's
 * principle in s' and p', R' being given. y = (x, y, z, s, p) */
static real hyperbolic_R(real t, const real *y)
{
    return sqrtl(2 * (1 + 0.25L * sinl(t) + 0.1L * (y[0] * y[0] + y[1] * y[1])));
}

static void hyperbolic(real t, const real *y, real *dy)
{
    real R = hyperbolic_R(t, y), sh = sinhl(y[3]), ch = coshl(y[3]);
    real c = cosl(y[4]), s = sinl(y[4]);
    dy[0] = R * ch * c;
    dy[1] = R * ch * s;
    dy[2] = R * sh;
    real stretch = (0.25L * cosl(t) + 0.2L * (y[0] * dy[0] + y[1] * dy[1])) / (R * R);
    /* what is missing to the force (-x, -4 y, -1) */
    real wx = stretch * dy[0] + y[0], wy = stretch * dy[1] + 4 * y[1], wz = stretch * dy[2] + 1;
    dy[3] = -(wx * sh * c + wy * sh * s + wz * ch) / (sh * sh + ch * ch) / R;
    dy[4] = -(wy * c - wx * s) / (R * ch);
}

static void show_hyperbolic(real t, const real *y, real *x)
{
    real dy[STATES];
    hyperbolic(t, y, dy);
    for (int i = 0; i < 3; i++) {
        x[i] = y[i];
        x[3 + i] = dy[i];
    }
}

/* A rolling disc in the frame e1 (horizontal), e2 (to the centre), n. With k = w2 cot th:
 *   (A + m r^2) w1' = A k w2 - (C + m r^2) w2 w3 - m g r cos th
 *             A w2' = C w1 w3 - A k w1
 *   (C + m r^2) w3' = m r^2 w1 w2,          C = 2 A = m r^2/2
 * and the centre moves by r (w1 n - w3 e1). y = (th, psi, phi, w1, w2, w3, contact x, y) */
static void coin(real t, const real *y, real *dy)
{
    (void)t;
    const real r = 0.01L;
    real s = sinl(y[0]), c = cosl(y[0]), w1 = y[3], w2 = y[4], w3 = y[5], k = w2 * c / s;
    dy[0] = w1;
    dy[1] = w2 / s;
    dy[2] = w3 - k;
    dy[3] = (0.25L * k * w2 - 1.5L * w2 * w3 - G / r * c) / 1.25L;
    dy[4] = 2 * w1 * w3 - k * w1;
    dy[5] = w1 * w2 / 1.5L;
    /* the contact moves along e1 only: by -r w3 + r k = -r phi' */
    dy[6] = -r * dy[2] * cosl(y[1]);
    dy[7] = -r * dy[2] * sinl(y[1]);
}

static void show_coin(real t, const real *y, real *x)
{
    const real r = 0.01L;
    real dy[STATES], s = sinl(y[0]), c = cosl(y[0]);
    coin(t, y, dy);
    x[0] = y[6] - r * c * sinl(y[1]);
    x[1] = y[7] + r * c * cosl(y[1]);
    x[2] = r * s;
    x[3] = y[6];
    x[4] = y[7];
    for (int i = 0; i < 3; i++) x[5 + i] = y[i];
    /* the force of the floor: m (a_c + g), upwards */
    x[8] = r * (c * dy[3] - s * y[3] * y[3]) + G;
}

#define PI 3.14159265358979323846264L
static const twin twins[] = {
    {.title = "8 four-bars",
     .model = "fourbar",
     .setting = "N = 8",
     .columns = "x[1],y[1],x[1]',y[1]',thetadot",
     .states = 2,
     .values = 5,
     .start = {0, 1},
     .rates = fourbar8,
     .show = show_fourbar,
     .tol = 1e-10,
     .allowed = 1e-6,
     .constraint = 1e-10,
     .times = {1, 2, 5, 10},
     .steps = 1000},
    {.title = "40 four-bars",
     .model = "fourbar",
     .setting = "N = 40",
     .columns = "x[1],y[1],x[1]',y[1]',thetadot",
     .states = 2,
     .values = 5,
     .start = {0, 1},
     .rates = fourbar40,
     .show = show_fourbar,
     .tol = 1e-9,
     .allowed = 1e-4,
     .constraint = 1e-10,
     .times = {1, 2, 5},
     .steps = 1000},
    {.title = "rough ring, upright",
     .model = "friction_circle",
     .columns = "x,z,x',z',N",
     .states = 2,
     .values = 5,
     .start = {0, 12},
     .rates = ring,
     .show = show_ring,
     .tol = 1e-12,
     .allowed = 1e-9,
     .constraint = 1e-10,
     .times = {0.05, 0.1, 0.15, 0.2},
     .steps = 20000},
    {.title = "rough helix",
     .model = "friction_helix",
     .columns = "r[1],r[2],r[3],r[1]',r[2]',r[3]',N",
     .states = 2,
     .values = 7,
     .start = {0, 6},
     .rates = helix,
     .show = show_helix,
     .tol = 1e-12,
     .allowed = 1e-9,
     .constraint = 1e-10,
     .times = {0.1, 0.2, 0.3},
     .steps = 20000},
    {.title = "Appell and Hamel, pushed",
     .model = "appell_hamel",
     .setting = "push = 1.5",
     .columns = "x,y,z,x',y',z',force(x),force(y),force(z)",
     .states = 5,
     .values = 9,
     .start = {0, 0, 0, 4, 0.3L},
     .rates = hamel,
     .show = show_hamel,
     .tol = 1e-12,
     .allowed = 1e-9,
     .constraint = 1e-10,
     .times = {0.5, 1, 2, 3},
     .steps = 2000},
    {.title = "Appell's hyperbolic particle",
     .model = "appell",
     .columns = "r[1],r[2],r[3],r[1]',r[2]',r[3]'",
     .states = 5,
     .values = 6,
     .start = {0.5L, 0, 0, 0.4L, 0.7L},
     .rates = hyperbolic,
     .show = show_hyperbolic,
     .tol = 1e-12,
     .allowed = 1e-9,
     .constraint = 1e-10,
     .times = {0.5, 1, 2, 5},
     .steps = 2000},
    {.title = "spinning coin",
     .model = "rill_coin",
     .columns = "c[1],c[2],c[3],contact[1],contact[2],θ,ψ,φ,force(c[3])",
     .states = 8,
     .values = 9,
     .start = {PI / 2 + PI / 180, PI / 2, 0, 0, 10 * PI, 0, 0, 0},
     .rates = coin,
     .show = show_coin,
     .tol = 1e-12,
     .allowed = 1e-8,
     .constraint = 1e-10,
     .times = {0.1, 0.25, 0.5},
     .steps = 20000},
};

/* start of the coin's w2 and w3: the spin is vertical, 10 pi (sin th e2 + cos th n) */
static twin completed(const twin *given)
{
    twin w = *given;
    if (w.rates == coin) {
        w.start[4] = 10 * PI * sinl(w.start[0]);
        w.start[5] = 10 * PI * cosl(w.start[0]);
    }
    return w;
}

/* ------------------------------------------------------------------- comparing */

static double compare(const twin *w, const journey *j, double t)
{
    real y[STATES], x[VALUES] = {0};
    double worst = 0;
    follow(w, t, y);
    w->show((real)t, y, x);
    for (int i = 0; i < w->values; i++) {
        double error = fabs((double)((real)j->row[1 + i] - x[i])) / fmax(1, fabs((double)x[i]));
        if (!(error <= w->allowed)) {
            print_message("  %s at t = %g: column %d is %.15g, by the formulas %.15Lg\n", w->title,
                          t, i + 1, j->row[1 + i], x[i]);
        }
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static bool passes(const twin *w)
{
    journey j = journey_open(w->model, w->setting, w->columns);
    double worst = 0, off = 0;
    zw_status status = ZW_OK;
    j.settings.tol = j.settings.abs_tol = w->tol;
    journey_begin(&j);
    for (int i = 0; i < TIMES && w->times[i] > 0 && status == ZW_OK; i++) {
        status = journey_try(&j, w->times[i]);
        if (status != ZW_OK) break;
        worst = fmax(worst, compare(w, &j, w->times[i]));
        off = fmax(off, journey_off(&j));
    }
    zw_run_statistics s = journey_statistics(&j);
    print_message("%s, tol %.0e: %s, worst %.2e, rows off by %.1e, %lld steps, %.2f s\n", w->title,
                  w->tol, zw_status_name(status), worst, off, (long long)s.steps, s.seconds);
    journey_close(&j);
    return status == ZW_OK && worst <= w->allowed && off <= w->constraint;
}

static void test_twins(void **state)
{
    (void)state;
    int failed = 0;
    for (size_t k = 0; k < sizeof twins / sizeof *twins; k++) {
        const twin w = completed(&twins[k]);
        failed += !passes(&w);
    }
    assert_int_equal(failed, 0);
}

/* Through the flat position at any tolerance: steps that end near it, stages that hit it. Only
 * then does a tighter tolerance bring nothing more. */
static void test_any_tolerance(void **state)
{
    (void)state;
    int failed = 0;
    for (int k = 0; k < 14; k++) {
        twin w = twins[0];
        w.title = "two four-bars";
        w.setting = "N = 2";
        w.rates = fourbar2;
        w.tol = pow(10, -5 - 0.5 * k);
        w.allowed = fmax(1e5 * w.tol, 1e-7);
        failed += !passes(&w);
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_any_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
