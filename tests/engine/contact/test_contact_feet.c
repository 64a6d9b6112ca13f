/*
 * Bodies on three and more feet that begin to slide without a jump of the force. Where the motion has a closed form it
 * is that; others are compared with the law itself in long double, N and friction solved together, by Radau's implicit
 * method of order 5, begun at the limit load from v = c t^2/2 w, where w is the direction in which it gives way.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef long double real;

enum { most_feet = 4 };

/* m, inertia, height of the mass, mu; feet; force f t and torque k t; sides of the table are tilts a, b. */
typedef struct table {
    real m, I, h, mu, f[2], k;
    int feet;
    real r[most_feet][2];
} table;

static const real weight = 9.81L;

static void write_table(const table *b, char *text, size_t size)
{
    int at = snprintf(
        text, size,
        "coord x, y, th, z, a, b\nlet c = cos(th)\nlet s = sin(th)\n"
        "let X = x + %.17Lg*a\nlet Y = y + %.17Lg*b\n"
        "kinetic %.17Lg*(X'^2 + Y'^2 + z'^2)/2 + %.17Lg*th'^2/2 + 0.1*(a'^2 + b'^2)\n"
        "potential %.17Lg*9.81*z\nforce x: %.17Lg*t\nforce y: %.17Lg*t\nforce th: %.17Lg*t\n",
        b->h, b->h, b->m, b->I, b->m, b->f[0], b->f[1], b->k);
    for (int i = 0; i < b->feet; i++)
        at += snprintf(text + at, size - (size_t)at,
                       "let r%d = [c*(%.17Lg) - s*(%.17Lg), s*(%.17Lg) + c*(%.17Lg)]\n"
                       "constraint f%d: z + a*r%d[1] + b*r%d[2] >= 0\n"
                       "friction f%d: %.17Lg along [x' - th'*r%d[2], y' + th'*r%d[1]]\n",
                       i, b->r[i][0], b->r[i][1], b->r[i][0], b->r[i][1], i, i, i, i, b->mu, i, i);
}

/* ------------------------------------------------------------------------- the law */

/* Accelerations at q, with slips along v. Springs: N = p0 + p1 rx + p2 ry; sum N = m g, sum N r = m h r''. */
static void accelerate(const table *b, real t, const real *q, const real *v, real *z)
{
    real d[most_feet][2], r[most_feet][2], X[9], p[3] = {b->m * weight, 0.0L, 0.0L};
    memset(X, 0, sizeof X);
    for (int j = 0; j < 2; j++) p[1 + j] = b->h * b->f[j] * t;
    for (int i = 0; i < b->feet; i++) {
        real c = cosl(q[2]), s = sinl(q[2]);
        r[i][0] = c * b->r[i][0] - s * b->r[i][1];
        r[i][1] = s * b->r[i][0] + c * b->r[i][1];
        real slip[2] = {v[0] - v[2] * r[i][1], v[1] + v[2] * r[i][0]};
        real length = hypotl(slip[0], slip[1]), row[3] = {1.0L, r[i][0], r[i][1]};
        for (int j = 0; j < 2; j++) d[i][j] = slip[j] / length;
        for (int a = 0; a < 3; a++)
            for (int e = 0; e < 3; e++)
                X[a * 3 + e] += (row[a] + (a > 0 ? b->h * b->mu * d[i][a - 1] : 0.0L)) * row[e];
    }
    bench_solve(3, X, p);
    z[0] = b->f[0] * t / b->m;
    z[1] = b->f[1] * t / b->m;
    z[2] = b->k * t / b->I;
    for (int i = 0; i < b->feet; i++) {
        real N = p[0] + p[1] * r[i][0] + p[2] * r[i][1];
        assert_true(N > 0.0L);
        for (int j = 0; j < 2; j++) z[j] -= b->mu * N * d[i][j] / b->m;
        z[2] -= b->mu * N * (r[i][0] * d[i][1] - r[i][1] * d[i][0]) / b->I;
    }
}

/* Where it gives way: |w| = 1 in the metric of inertias, no acceleration at `t`. Returns t, *rate: of the
 * acceleration along w. By Newton's method from a guess, with whole t as the third unknown. */
static real find_limit(const table *b, real *w, real *rate)
{
    real zero[3] = {0.0L}, t = 1.0L, best[3] = {0.0L}, most = -1.0L, z[3];
    /* the direction of most power at the load of one second; then the load that it bears */
    for (int round = 0; round < 4000; round++) {
        real angle = 2.399963229728653L * round, height = 1.0L - (2 * round + 1) / 4000.0L;
        real across = sqrtl(1.0L - height * height);
        real u[3] = {across * cosl(angle), across * sinl(angle), height};
        real power = b->f[0] * u[0] + b->f[1] * u[1] + b->k * u[2];
        accelerate(b, 0.0L, zero, u, z);
        real brake = -(b->m * (z[0] * u[0] + z[1] * u[1]) + b->I * z[2] * u[2]);
        if (power > 0.0L && power / brake > most)
            most = power / brake, memcpy(best, u, sizeof best);
    }
    t = 1.0L / most;
    for (int round = 0; round < 60; round++) { /* unknown: two turns of w and t */
        real X[9], y[3], base[3], e = 1e-9L, across[2][3] = {{0}};
        int least = fabsl(best[0]) < fabsl(best[1]) ? 0 : 1;
        if (fabsl(best[2]) < fabsl(best[least])) least = 2;
        real size = sqrtl(best[0] * best[0] + best[1] * best[1] + best[2] * best[2]);
        for (int j = 0; j < 3; j++) best[j] /= size;
        for (int j = 0; j < 3; j++) across[0][j] = (j == least) - best[least] * best[j];
        for (int j = 0; j < 3; j++)
            across[1][j] = best[(j + 1) % 3] * across[0][(j + 2) % 3] -
                           best[(j + 2) % 3] * across[0][(j + 1) % 3];
        accelerate(b, t, zero, best, base);
        for (int k = 0; k < 3; k++) {
            real u[3];
            for (int j = 0; j < 3; j++) u[j] = best[j] + (k < 2 ? e * across[k][j] : 0.0L);
            accelerate(b, k == 2 ? t + e : t, zero, u, z);
            for (int j = 0; j < 3; j++) X[j * 3 + k] = (z[j] - base[j]) / e;
        }
        for (int j = 0; j < 3; j++) y[j] = -base[j];
        bench_solve(3, X, y);
        real part =
            fmaxl(fabsl(y[0]), fabsl(y[1])) > 0.2L ? 0.2L / fmaxl(fabsl(y[0]), fabsl(y[1])) : 1.0L;
        for (int j = 0; j < 3; j++) best[j] += part * (y[0] * across[0][j] + y[1] * across[1][j]);
        t += part * y[2];
    }
    memcpy(w, best, sizeof best);
    accelerate(b, t + 1e-7L, zero, w, z);
    *rate = (z[0] * w[0] + z[1] * w[1] + z[2] * w[2]) / 1e-7L /
            (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    return t;
}

/* One step of Radau IIA of order 5 of q' = v, v' = z: k [9] are stage accelerations. */
static void step_radau(const table *b, real t, real h, real *q, real *v, real *k)
{
    const real s6 = sqrtl(6.0L);
    const real c[3] = {(4 - s6) / 10, (4 + s6) / 10, 1.0L};
    const real A[3][3] = {{(88 - 7 * s6) / 360, (296 - 169 * s6) / 1800, (-2 + 3 * s6) / 225},
                          {(296 + 169 * s6) / 1800, (88 + 7 * s6) / 360, (-2 - 3 * s6) / 225},
                          {(16 - s6) / 36, (16 + s6) / 36, 1.0L / 9}};
    for (int round = 0; round < 30; round++) {
        real X[81], off[9], size = 0.0L;
        memset(X, 0, sizeof X);
        for (int s = 0; s < 3; s++) {
            real Q[3], V[3], z[3], other[3];
            for (int j = 0; j < 3; j++) {
                V[j] = v[j];
                Q[j] = q[j] + h * c[s] * v[j];
                for (int r = 0; r < 3; r++) {
                    V[j] += h * A[s][r] * k[3 * r + j];
                    for (int m = 0; m < 3; m++) Q[j] += h * h * A[s][m] * A[m][r] * k[3 * r + j];
                }
            }
            accelerate(b, t + c[s] * h, Q, V, z);
            for (int j = 0; j < 3; j++) {
                off[3 * s + j] = z[j] - k[3 * s + j];
                X[(3 * s + j) * 9 + 3 * s + j] += 1.0L;
            }
            real speed = hypotl(hypotl(V[0], V[1]), V[2]);
            for (int m = 0; m < 3; m++) {
                real e = 1e-8L * speed, kept = V[m];
                V[m] += e;
                accelerate(b, t + c[s] * h, Q, V, other);
                V[m] = kept;
                for (int j = 0; j < 3; j++)
                    for (int r = 0; r < 3; r++)
                        X[(3 * s + j) * 9 + 3 * r + m] -= h * A[s][r] * (other[j] - z[j]) / e;
            }
        }
        bench_solve(9, X, off);
        for (int i = 0; i < 9; i++) {
            k[i] += off[i];
            size = fmaxl(size, fabsl(off[i]));
        }
        if (size < 1e-17L) break;
    }
    for (int j = 0; j < 3; j++) {
        for (int r = 0; r < 3; r++)
            for (int m = 0; m < 3; m++) q[j] += h * h * A[2][m] * A[m][r] * k[3 * r + j];
        q[j] += h * v[j];
        for (int r = 0; r < 3; r++) v[j] += h * A[2][r] * k[3 * r + j];
    }
}

/* q, v at `until`, with steps in proportion to the time since it gave way, up to a limit. Returns when that was. */
static real follow_law(const table *b, real until, int steps, real *q, real *v)
{
    real w[3], rate, begin = find_limit(b, w, &rate), since = 1e-7L, k[9];
    for (int j = 0; j < 3; j++) {
        q[j] = w[j] * rate * since * since * since / 6.0L;
        v[j] = w[j] * rate * since * since / 2.0L;
        for (int r = 0; r < 3; r++) k[3 * r + j] = w[j] * rate * since;
    }
    while (since < until - begin) {
        real h = fminl(0.3L * since, (until - begin) / steps);
        if (since + 1.01L * h > until - begin) h = until - begin - since;
        step_radau(b, begin + since, h, q, v, k);
        since += h;
    }
    return begin;
}

/* ----------------------------------------------------------------------------- runs */

static const double tolerances[] = {1e-6, 1e-9, 1e-12};

/* q, v at t = until; steps. The motion is not stiff to a reader, and trusted. */
static int64_t run_table(const char *model, double tol, double until, bench *b)
{
    zw_run_settings set;
    zw_outcome outcome;
    zw_run_statistics stats;
    bench_open(b, model);
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = until;
    set.tol = tol;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b->sim, until, &outcome), ZW_OK);
    assert_int_equal(outcome, ZW_REACHED);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
    assert_int_equal(zw_sim_statistics(b->sim, &stats), ZW_OK);
    return stats.steps;
}

static void compare_with(const table *is, double until, const real *q, const real *v)
{
    char text[8192];
    write_table(is, text, sizeof text);
    for (int i = 0; i < 3; i++) {
        bench b;
        int64_t steps = run_table(text, tolerances[i], until, &b);
        for (int j = 0; j < 3; j++) {
            double far = 30.0 * tolerances[i] * (1.0 + (double)fmaxl(fabsl(q[j]), fabsl(v[j])));
            if (!(fabs(b.q[j] - (double)q[j]) <= far) || !(fabs(b.v[j] - (double)v[j]) <= far))
                printf("tol %g, %d feet: q[%d] off by %g, v by %g\n", tolerances[i], is->feet, j,
                       b.q[j] - (double)q[j], b.v[j] - (double)v[j]);
            assert_true(fabs(b.q[j] - (double)q[j]) <= far);
            assert_true(fabs(b.v[j] - (double)v[j]) <= far);
        }
        assert_true(steps < 900);
        bench_close(&b);
    }
}

/* On three feet: where more stand, shares of what sticks are free, and it begins with a jump. */
static double next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static table draw_table(uint64_t *seed, int feet)
{
    table b = {.feet = feet};
    real way = (real)(6.2831853 * next_random(seed));
    b.m = 1.0L + (real)next_random(seed);
    b.I = b.m * (0.3L + 0.5L * (real)next_random(seed));
    b.h = 0.1L * (real)next_random(seed);
    b.mu = 0.2L + 0.2L * (real)next_random(seed);
    b.f[0] = 2.0L * b.m * cosl(way);
    b.f[1] = 2.0L * b.m * sinl(way);
    b.k = b.m * ((real)next_random(seed) - 0.5L);
    for (int i = 0; i < feet; i++) {
        real angle = 6.2831853L * (i + 0.3L * (real)next_random(seed)) / feet;
        real length = 0.7L + 0.4L * (real)next_random(seed);
        b.r[i][0] = length * cosl(angle);
        b.r[i][1] = length * sinl(angle);
    }
    return b;
}

static void round_table(table *b) /* to what is written */
{
    real *all[] = {&b->m, &b->I, &b->h, &b->mu, &b->f[0], &b->f[1], &b->k};
    for (int i = 0; i < 7; i++) *all[i] = (real)(double)*all[i];
    for (int i = 0; i < b->feet; i++)
        for (int j = 0; j < 2; j++) b->r[i][j] = (real)(double)b->r[i][j];
}

static void pulled_and_turned(void **state)
{
    (void)state;
    uint64_t seed = 20261118;
    for (int round = 0; round < 4; round++) {
        table b = draw_table(&seed, 3);
        real q[3], v[3], other[3], w[3];
        round_table(&b);
        real begin = follow_law(&b, 0.0L, 1, q, v);
        real until = (real)(double)(begin + 0.7L);
        follow_law(&b, until, 1500, q, v);
        follow_law(&b, until, 750, other, w);
        for (int j = 0; j < 3; j++) assert_true(fabsl(q[j] - other[j]) < 1e-13L);
        compare_with(&b, (double)until, q, v);
    }
}

/* Through the middle of feet that stand round it: x'' = f t/m - mu g from t = mu m g/f on. */
static void straight(void **state)
{
    (void)state;
    for (int feet = 3; feet <= most_feet; feet++) {
        table b = {.m = 2, .I = 0.5L, .mu = 0.25L, .f = {3, 0}, .feet = feet};
        real q[3] = {0}, v[3] = {0}, begin = b.mu * b.m * weight / 3, since = 4 - begin;
        for (int i = 0; i < feet; i++) {
            b.r[i][0] = cosl(6.28318530717958647692L * i / feet);
            b.r[i][1] = sinl(6.28318530717958647692L * i / feet);
        }
        round_table(&b);
        q[0] = since * since * since / 4;
        v[0] = 3 * since * since / 4;
        compare_with(&b, 4.0, q, v);
    }
}

/* A torque alone turns them all: I w' = k t - mu m g r. */
static void round_and_round(void **state)
{
    (void)state;
    for (int feet = 3; feet <= most_feet; feet++) {
        table b = {.m = 2, .I = 0.5L, .mu = 0.25L, .k = 1.5L, .feet = feet};
        real q[3] = {0}, v[3] = {0}, begin = b.mu * b.m * weight / 1.5L, since = 4 - begin;
        for (int i = 0; i < feet; i++) {
            b.r[i][0] = cosl(6.28318530717958647692L * i / feet);
            b.r[i][1] = sinl(6.28318530717958647692L * i / feet);
        }
        round_table(&b);
        q[2] = since * since * since / 2;
        v[2] = 3 * since * since / 2;
        compare_with(&b, 4.0, q, v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight),
        cmocka_unit_test(round_and_round),
        cmocka_unit_test(pulled_and_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
