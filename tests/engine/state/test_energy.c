/*
 * Energies and powers: closed forms; and along motions that are integrated here by Runge-Kutta's
 * method, where the change of h must be the sum of the powers, for models of every kind. The
 * kinetic energy has a second source in the mass matrix, v^T M v / 2.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

enum { SIZE = 64 };

/* ------------------------------------------------------------------- evaluation */

typedef struct point {
    double t, q[SIZE], v[SIZE];
} point;

typedef struct look {
    zr_energies energies;
    double power[ZR_POWER_COUNT], sum;
    double z[SIZE];
} look;

static zr_energies energies_at(bench *b, const point *p)
{
    zr_energies e;
    zk_source s = zr_source(b->sim, p->t, p->q, p->v);
    zr_energies_at(b->sim, &s, &e);
    return e;
}

static look look_at(bench *b, const point *p)
{
    look l = {0};
    double lambda[SIZE] = {0}, nonideal[SIZE] = {0};
    zk_source s = zr_source(b->sim, p->t, p->q, p->v);
    zw_gauss_answer answer = {
        .acceleration = l.z, .multipliers = lambda, .force_nonideal = nonideal};
    assert_true(b->n <= SIZE && b->m <= SIZE);
    assert_int_equal(zr_solve_at(b->sim, &s, &answer), ZW_OK);
    s.acceleration = l.z;
    zr_powers_at(b->sim, &s, &(zr_forces){.lambda = lambda, .nonideal = nonideal}, l.power);
    uint32_t possible = zr_possible_powers(b->model);
    for (int k = 0; k < ZR_POWER_COUNT; k++) {
        if (!(possible & (1u << k))) assert_true(l.power[k] == 0.0);
        l.sum += l.power[k];
    }
    l.energies = energies_at(b, p);
    return l;
}

/* One step of the classical method; h of either sign. */
static point step(bench *b, const point *from, double h)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1 / 6., 1 / 3., 1 / 3., 1 / 6.};
    double dq[SIZE] = {0}, dv[SIZE] = {0};
    point end = *from;
    end.t = from->t + h;
    for (int k = 0; k < 4; k++) {
        point stage = {.t = from->t + at[k] * h};
        for (int32_t i = 0; i < b->n; i++) {
            stage.q[i] = from->q[i] + at[k] * h * dq[i];
            stage.v[i] = from->v[i] + at[k] * h * dv[i];
        }
        memcpy(dq, stage.v, sizeof dq);
        assert_int_equal(zw_sim_acceleration(b->sim, stage.t, stage.q, stage.v, dv), ZW_OK);
        for (int32_t i = 0; i < b->n; i++) {
            end.q[i] += weight[k] * h * dq[i];
            end.v[i] += weight[k] * h * dv[i];
        }
    }
    return end;
}

/* dh/dt along the motion, by four values around a point. */
static double slope(bench *b, const point *p, double h)
{
    double value[4];
    static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1 / 12., -2 / 3., 2 / 3., -1 / 12.};
    double sum = 0.0;
    for (int k = 0; k < 4; k++) {
        point near = step(b, p, at[k] * h);
        value[k] = energies_at(b, &near).h;
        sum += weight[k] * value[k];
    }
    return sum / h;
}

static point start_of(bench *b)
{
    point p = {0};
    assert_int_equal(bench_start(b, false), ZW_OK);
    p.t = b->t;
    memcpy(p.q, b->q, sizeof p.q);
    memcpy(p.v, b->v, sizeof p.v);
    return p;
}

/* v^T M v / 2 from the mass matrix. */
static double half_square(bench *b, const point *p)
{
    double M[SIZE * SIZE], sum = 0.0;
    assert_int_equal(zw_sim_set_state(b->sim, p->t, p->q, p->v), ZW_OK);
    assert_int_equal(zw_sim_instant(b->sim, &(zw_instant){.M = M}), ZW_OK);
    for (int32_t i = 0; i < b->n; i++)
        for (int32_t j = 0; j < b->n; j++) sum += p->v[i] * M[i * b->n + j] * p->v[j];
    return 0.5 * sum;
}

/* ------------------------------------------------------------------ along motions */

static char *read_model(const char *name)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s.zw", ZW_TEST_MODELS, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    char *text = calloc(1, 65536);
    assert_non_null(text);
    size_t size = fread(text, 1, 65535, file);
    assert_true(size > 0 && size < 65535);
    (void)fclose(file);
    return text;
}

/* dh/dt is the sum of the powers at points of the motion. */
static void follow(bench *b, const char *name, double h, int steps, bool quadratic)
{
    point p = start_of(b);
    for (int k = 0; k < steps; k++) {
        p = step(b, &p, h);
        if (k % (steps / 5) != 0) continue;
        look l = look_at(b, &p);
        double rate = slope(b, &p, 0.1 * h), scale = l.energies.scale, worst = fabs(l.sum);
        for (int i = 0; i < ZR_POWER_COUNT; i++) worst = fmax(worst, fabs(l.power[i]));
        double tolerance = 1e-8 * worst + 5e-13 * fmax(scale, 0.01) / h;
        if (!(fabs(rate - l.sum) <= tolerance))
            fail_msg("%s at t = %g: dh/dt = %.12g, powers %.12g (allowed %g)", name, p.t, rate,
                     l.sum, tolerance);
        assert_true(scale > 0.0 && fabs(l.energies.h) <= 2.0 * scale);
        if (!quadratic) continue;
        bench_near(l.energies.kinetic, half_square(b, &p), 1e-13 * scale);
        assert_true(l.energies.h == l.energies.energy);
    }
}

#define BIT(power) (1u << (power))

typedef struct course {
    const char *name;
    double h;
    uint32_t powers; /* that can arise */
    bool lagrangian; /* T is not all of the kinetic energy */
} course;

static void models(void **state)
{
    (void)state;
    static const course list[] = {
        {"pendulum", 1e-3, 0, false},
        {"double_pendulum", 1e-3, BIT(ZR_IMPRESSED), false},
        {"double_pendulum_angle", 1e-3, 0, false},
        {"pendulum_angle", 1e-3, BIT(ZR_DISSIPATION), true},
        {"hoop", 1e-3, BIT(ZR_IDEAL), false},
        {"caraxis", 1e-4, BIT(ZR_IDEAL) | BIT(ZR_EXPLICIT), false},
        {"control", 1e-3, BIT(ZR_CONTROL), false},
        {"servo", 1e-3, BIT(ZR_IDEAL), false},
        {"andrews", 1e-6, BIT(ZR_IMPRESSED), false},
        {"slider_crank", 1e-4, BIT(ZR_IMPRESSED) | BIT(ZR_DISSIPATION), false},
        {"friction_circle", 1e-5, BIT(ZR_NONIDEAL), false},
        {"friction_helix", 1e-3, BIT(ZR_NONIDEAL), false},
        {"top_quaternion", 1e-4, BIT(ZR_IMPRESSED) | BIT(ZR_EXPLICIT), false},
        {"sleigh", 1e-3, 0, false},
        {"rolling_disc", 1e-4, 0, false},
        {"knife_edge", 1e-3, 0, false},
        {"appell", 1e-3, BIT(ZR_IMPRESSED) | BIT(ZR_IDEAL), false},
        {"appell_hamel", 1e-3, BIT(ZR_IMPRESSED), false},
        {"fourbar", 1e-3, 0, false},
        {"bricard", 1e-3, 0, false},
        {"chain", 1e-4, 0, false},
        {"flyball", 1e-5, BIT(ZR_IMPRESSED), false},
        {"sphere", 1e-3, 0, false},
        {"bead_wire", 1e-3, 0, false},
        {"two_balls", 1e-3, 0, false},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        bench b;
        char *text = read_model(list[i].name);
        bench_open(&b, text);
        if (zr_possible_powers(b.model) != list[i].powers)
            fail_msg("%s: powers %x", list[i].name, (unsigned)zr_possible_powers(b.model));
        follow(&b, list[i].name, list[i].h, 50, !list[i].lagrangian);
        bench_close(&b);
        free(text);
    }
}

/* Texts of the kinds that no model above is of. */
static void kinds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t powers;
    } list[] = {
        /* t in a kinetic energy that is no square of the velocities */
        {"param w = 2, m = 3\ncoord x, y\n"
         "let p = [x*cos(w*t) - y*sin(w*t), x*sin(w*t) + y*cos(w*t) + t^2]\n"
         "kinetic m/2*dot(p', p')\npotential x^2\nstart x = 5, y = 7, x' = 1, y' = 2\n",
         BIT(ZR_EXPLICIT)},
        /* gyroscopic terms, with and without t */
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 + 3*x*y' + t^2*x' - x^2*(1 + t)\n"
         "start x' = 5, y' = 7\n",
         BIT(ZR_EXPLICIT)},
        {"coord x, y\nlagrangian (x'^2 + y'^2)/2 + 3*x*y' - x^2\nstart x' = 5, y' = 7\n", 0},
        /* no square at all: a relativistic particle */
        {"param c = 3\ncoord x\nlagrangian -c^2*sqrt(1 - x'^2/c^2) - 2*x^2\nstart x = 1, x' = 1\n",
         0},
        /* masses by statements: of t, of places, of velocities */
        {"coord x, y\nkinetic x'^2/2\nmass x: 1 + x^2 + t\nmass x, y: x/2\nmass y: 9\n"
         "potential x^2 + 2*y^2\nstart x = 2, x' = 3, y' = 4\n",
         BIT(ZR_EXPLICIT)},
        {"coord x, y\nmass x: 2 + sin(y')\nmass y: 3\npotential x^2 + x*y + 2*y^2\n"
         "start x = 2, x' = 3, y' = 1\n",
         BIT(ZR_EXPLICIT)},
        /* rows of velocities: with a part that has none, with t in the derivative only */
        {"coord x, y\nkinetic (x'^2 + 2*y'^2)/2\npotential x^2 + y\n"
         "constraint belt: x' - 2*y' = 1 + x\nstart x' = 1\n",
         BIT(ZR_IDEAL)},
        {"coord x, y\nkinetic (x'^2 + 2*y'^2)/2\npotential x^2 + y\n"
         "constraint turning: x'*cos(3*t) = y'*sin(3*t)\nstart x' = 1, y' = 2\n",
         0},
        {"coord x, y, z\nkinetic (x'^2 + 2*y'^2 + z'^2)/2\npotential x^2 + y + z\n"
         "constraint ratio: x'*y'/z' = hypot(x', y')\nstart x' = 1, y' = 2, z' = 1\n",
         0},
        {"coord x, y, z\nkinetic (x'^2 + 2*y'^2 + z'^2)/2\npotential x^2 + y + z\n"
         "constraint speed: x'^2 + y'^2 + z'^2 = 3 + x\nstart x' = 1, y' = 1, z' = 1\n",
         BIT(ZR_IDEAL)},
        /* everything at once */
        {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z*(1 + t)\n"
         "force x: 2 - y*x'\nforce at [x, y + t]: [y, z']\ndissipation 3/2*(x' - y')^2 + z'^4/4\n"
         "constraint cart: x - z = sin(t)\ncontrol keep: y = x^2 + t\n"
         "nonideal at [x, y, z]: [-x', -abs(multiplier(cart))*y', 1]\n"
         "start x = 0.5, x' = 1\n",
         (BIT(ZR_POWER_COUNT) - 1) & ~BIT(ZR_FRICTION)},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        bench b;
        bench_open(&b, list[i].text);
        if (zr_possible_powers(b.model) != list[i].powers)
            fail_msg("powers %x in\n%s", (unsigned)zr_possible_powers(b.model), list[i].text);
        follow(&b, list[i].text, 1e-3, 50, false);
        bench_close(&b);
    }
}

/* ------------------------------------------------------------------ closed forms */

static void driven_spring(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param m = 2, k = 3\ncoord x, y\nkinetic m/2*x'^2\npotential k/2*x^2*(1 + t)\n"
                   "mass y: 5 + y\nforce x: 7\nforce y: -2*y'\ndissipation x'^2\n");
    point p = {.t = 0.5, .q = {1.25, 0.75}, .v = {0.7, -1.1}};
    look l = look_at(&b, &p);
    double y_kinetic = 0.5 * 5.75 * 1.21;
    bench_near(l.energies.kinetic, 0.49 + y_kinetic, 1e-15);
    bench_near(l.energies.potential, 1.5 * 1.25 * 1.25 * 1.5, 1e-15);
    bench_near(l.energies.energy, l.energies.kinetic + l.energies.potential, 0.0);
    bench_near(l.energies.h, l.energies.energy, 0.0);
    bench_near(l.energies.scale, l.energies.energy, 1e-14);
    bench_near(l.power[ZR_IMPRESSED], 7 * 0.7 - 2 * 1.21, 1e-14);
    bench_near(l.power[ZR_DISSIPATION], -2 * 0.49, 1e-15);
    bench_near(l.power[ZR_EXPLICIT], 1.5 * 1.25 * 1.25 - 0.5 * 1.1 * 1.21, 1e-14);
    bench_close(&b);
}

/* h of a turning frame is T2 - T0 + V: Jacobi's integral. The energy is T + V. */
static void turning_frame(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, y\nkinetic ((x' - 2*y)^2 + (y' + 2*x)^2)/2\npotential x\n"
                   "lagrangian 3*x*y' - y^2\n");
    point p = {.q = {1.5, 0.5}, .v = {0.25, -1.0}};
    zr_energies e = energies_at(&b, &p);
    assert_int_equal(zr_possible_powers(b.model), 0);
    double T2 = 0.5 * (0.0625 + 1.0), T0 = 0.5 * (1.0 + 9.0);
    bench_near(e.kinetic, 0.5 * (0.75 * 0.75 + 4.0), 1e-15);
    bench_near(e.potential, 1.5, 0.0);
    bench_near(e.energy, e.kinetic + 1.5 + 0.25, 1e-15);
    bench_near(e.h, T2 - T0 + 1.5 + 0.25, 1e-14);
    assert_true(e.scale >= fabs(e.kinetic) + fabs(e.potential));
    bench_close(&b);
}

/* A lift at constant speed: the constraint does the work m g w a second. */
static void lift(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord x, z\nkinetic (x'^2 + z'^2)\npotential 2*9.81*z\n"
                   "constraint cabin: z = 3*t\ncontrol aside: x = 5*t^2\nstart x' = 0\n");
    point p = start_of(&b);
    p = step(&b, &p, 0.25);
    look l = look_at(&b, &p);
    bench_near(l.power[ZR_IDEAL], 2 * 9.81 * 3, 1e-12);
    bench_near(l.power[ZR_CONTROL], 2.0 * 10.0 * 2.5, 1e-12);
    assert_int_equal(zr_possible_powers(b.model), BIT(ZR_IDEAL) | BIT(ZR_CONTROL));
    bench_close(&b);
}

/* Two weights that balance each other: V is 0 all the time, its terms are not. */
static void cancelling_terms(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "coord a, b\nkinetic (a'^2 + b'^2)/2\npotential 9.81*a\npotential 9.81*b\n"
                   "constraint rope: a + b = 0\nstart a = 2, b = -2\n");
    point p = start_of(&b);
    zr_energies e = energies_at(&b, &p);
    bench_near(e.potential, 0.0, 1e-15);
    bench_near(e.scale, 4 * 9.81, 1e-14);
    bench_close(&b);
}

/* A family of many instances stays a family, and is added up. */
static void many_instances(void **state)
{
    (void)state;
    bench b;
    bench_open(&b, "param N = 3000\ncoord x[N]\nkinetic sum(i in 1..N, x[i]'^2/2*i)\n"
                   "potential sum(i in 1..N, x[i]^2*(1 + t))\n"
                   "for i in 1..N { force x[i]: -3*x[i]' }\n");
    enum { count = 3000 };
    static double q[count], v[count];
    double kinetic = 0.0, potential = 0.0, impressed = 0.0, power[ZR_POWER_COUNT];
    for (int i = 0; i < count; i++) {
        q[i] = sin(i);
        v[i] = cos(3 * i);
        kinetic += v[i] * v[i] * (i + 1) / 2;
        potential += 3 * q[i] * q[i];
        impressed -= 3 * v[i] * v[i];
    }
    zk_source s = zr_source(b.sim, 2.0, q, v);
    zr_energies e;
    zr_energies_at(b.sim, &s, &e);
    bench_near(e.kinetic, kinetic, 1e-12 * kinetic);
    bench_near(e.potential, potential, 1e-12 * potential);
    bench_near(e.scale, kinetic + potential, 1e-12 * kinetic);
    zr_powers_at(b.sim, &s, &(zr_forces){0}, power);
    bench_near(power[ZR_IMPRESSED], impressed, -1e-12 * impressed);
    bench_near(power[ZR_EXPLICIT], potential / 3, 1e-12 * potential);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_spring),  cmocka_unit_test(turning_frame),
        cmocka_unit_test(lift),           cmocka_unit_test(cancelling_terms),
        cmocka_unit_test(many_instances), cmocka_unit_test(models),
        cmocka_unit_test(kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
