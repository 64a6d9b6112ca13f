/*
 * test_road_fused.c: the programs with the solve inside against the orthogonal decomposition, at random
 * states of models of every kind: accelerations, multipliers, non-ideal forces, the guard, the way
 * back onto the constraints, parameters that change.
 */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "road_fused.h"

static uint64_t state = 7;

static double uniform(double a, double b)
{
    uint64_t bits = zb_hash_scramble(state += UINT64_C(0x9e3779b97f4a7c15));
    return a + (b - a) * ((double)(bits >> 11) * 0x1p-53);
}

static const char *const texts[] = {
    "param m = 2, k = 3\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential k/2*x^2 + y\n"
    "constraint circle: x^2 + y^2 = 1\n",
    "param m = 1.5, l = 2\ncoord a, b\n"
    "kinetic m*l^2*(a'^2 + b'^2/2 + a'*b'*cos(a - b))\npotential -m*9.81*l*(2*cos(a) + cos(b))\n"
    "force a: -a'/5 + sin(t)\n",
    "param N = 4\ncoord x[N], y[N]\nkinetic sum(i in 1..N, i*(x[i]'^2 + y[i]'^2)/2)\n"
    "potential sum(i in 1..N, 9.81*y[i])\nconstraint first: x[1]^2 + y[1]^2 = 1\n"
    "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }\n",
    "param J = 0.3\ncoord x, y, phi\nkinetic (x'^2 + y'^2 + J*phi'^2 + 0.4*x'*phi'*cos(phi))/2\n"
    "constraint blade: y'*cos(phi) - x'*sin(phi) = 0.2*phi'\n",
    "param mu = 0.2\ncoord x, y\nkinetic x'^2 + y'^2\npotential 9.81*y\n"
    "constraint wire: y = x^2/4\n"
    "nonideal x: -mu*reaction(wire)*x'/sqrt(x'^2 + y'^2 + 0.1)\n"
    "nonideal y: -mu*abs(multiplier(wire))*y'/sqrt(x'^2 + y'^2 + 0.1)\n",
    "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
    "constraint appell: x'^2 + y'^2 = 4*z'^2\n",
    "coord x, y, u\nkinetic (x'^2 + y'^2 + u'^2 + x'*u')/2\nconstraint moved: x^2 + y^2 = 1 + t/9\n"
    "constraint pushed: u'' + x*y'' = sin(t)\nweight pushed: 3\n",
    /* coordinates without a mass, which rows hold: angles of point masses, one by a parameter; a rod without one
     * between two masses, which takes up nothing */
    "param J = 0\ncoord x[2], y[2], th[2]\n"
    "kinetic sum(i in 1..2, i*(x[i]'^2 + y[i]'^2)/2) + J*th[1]'^2/2\n"
    "potential 9.81*(y[1] + 2*y[2])\n"
    "constraint pin: [x[1] - cos(th[1])/2, y[1] - sin(th[1])/2] = [0, 0]\n"
    "constraint pins: [x[2] - cos(th[2])/2 - cos(th[1]), y[2] - sin(th[2])/2 - sin(th[1])] = [0, "
    "0]\n",
    "coord a, s, b\nkinetic (3*a'^2 + b'^2 + a'*b'*sin(a))/2\nforce s: 2 - 0.1*s'\nforce a: -a\n"
    "constraint lever: a + 2*s = sin(t)\nconstraint gear: 3*b' - s'*cos(b) = 0.1*t\n",
};
enum { text_count = sizeof texts / sizeof *texts };

static void any_state(bench *b)
{
    b->t = uniform(0.0, 3.0);
    for (int32_t i = 0; i < b->n; i++) {
        b->q[i] = uniform(-2.0, 2.0);
        b->v[i] = uniform(-2.0, 2.0);
    }
}

static double largest(const double *x, int32_t count)
{
    double all = 0.0;
    for (int32_t i = 0; i < count; i++) all = fmax(all, fabs(x[i]));
    return all;
}

static void expect_alike(const double *x, const double *y, int32_t count, double tolerance)
{
    double scale = fmax(largest(x, count), largest(y, count));
    for (int32_t i = 0; i < count; i++) bench_near(x[i], y[i], tolerance * scale);
}

/* z, lambda, A, the non-ideal force and the guard of every model against zr_solve_at. */
static void compare(bench *b, int rounds, int *served)
{
    double z[16], lambda[16], force[16] = {0}, entries[64], sure[16], multipliers[16], rest[16];
    double works[ZR_POWER_COUNT], power[ZR_POWER_COUNT];
    const zr_fused_places *at = &b->sim->solver->form->places;
    zw_gauss_answer answer = {
        .acceleration = sure, .multipliers = multipliers, .force_nonideal = rest};
    for (int k = 0; k < rounds; k++) {
        any_state(b);
        zk_source s = zr_source(b->sim, b->t, b->q, b->v);
        const double *found = zr_fused_acceleration(b->sim, &b->t, b->q, b->v);
        if (!found) continue;
        (*served)++;
        memcpy(z, found, sizeof *z * (size_t)b->n);
        zr_wanted wanted = {.at = &s, .z = z, .force = force};
        assert_int_equal(zr_accelerate(b->sim, NULL, &wanted), ZW_OK);
        assert_int_equal(b->sim->solver->road, ZR_FUSED);
        memcpy(lambda, b->sim->lambda, sizeof *z * (size_t)b->m);
        memcpy(works, b->sim->solver->fused_out + at->power, sizeof *works * (size_t)at->powers);
        memcpy(entries, b->sim->A, sizeof *z * (size_t)b->sim->model->A.count);
        double tolerance = 1e-14 * b->sim->solver->fused_condition + 1e-12;
        assert_int_equal(zr_solve_at(b->sim, &s, &answer), ZW_OK);
        expect_alike(z, sure, b->n, tolerance);
        expect_alike(entries, b->sim->A, b->sim->model->A.count, 1e-14);
        /* the powers of the same answers, by the ledger's own programs */
        zr_forces forces = {.lambda = lambda, .nonideal = force};
        s.acceleration = z;
        zr_powers_at(b->sim, &s, &forces, power);
        for (int p = 0, next = 0; p < ZR_POWER_COUNT; p++)
            if (zr_possible_powers(b->sim->model) & (1u << p))
                bench_near(works[next++], power[p], 1e-12 * (fabs(power[p]) + 1.0));
        if (b->sim->model->nonideal.count > 0) expect_alike(force, rest, b->n, tolerance);
        /* multipliers of the ideal force alone: with a non-ideal one the answer's hold both */
        else
            expect_alike(lambda, multipliers, b->m, tolerance);
    }
}

static void against_the_careful_road(void **unused)
{
    (void)unused;
    for (int k = 0; k < text_count; k++) {
        bench b;
        int served = 0;
        bench_open(&b, texts[k]);
        assert_non_null(b.sim->model->fused);
        compare(&b, 200, &served);
        assert_true(served > 150);
        bench_close(&b);
    }
}

/* By machine code outside of a run, too: the same bits. */
static void by_machine_code(void **unused)
{
    (void)unused;
    for (int k = 0; k < text_count; k++) {
        bench b;
        double z[16], again[16];
        bench_open(&b, texts[k]);
        for (int round = 0; round < 20; round++) {
            any_state(&b);
            assert_int_equal(zw_sim_set_kernel(b.sim, ZW_KERNEL_BYTECODE), ZW_OK);
            assert_int_equal(zw_sim_acceleration(b.sim, b.t, b.q, b.v, z), ZW_OK);
            assert_int_equal(zw_sim_set_kernel(b.sim, ZW_KERNEL_NATIVE), ZW_OK);
            assert_int_equal(zw_sim_acceleration(b.sim, b.t, b.q, b.v, again), ZW_OK);
            assert_memory_equal(z, again, sizeof *z * (size_t)b.n);
        }
        assert_int_equal(zw_sim_set_kernel(b.sim, (zw_kernel)7), ZW_ERR_ARGUMENT);
        assert_int_equal(zw_sim_set_kernel(NULL, ZW_KERNEL_AUTO), ZW_ERR_ARGUMENT);
        bench_close(&b);
    }
}

/* 1/x^2 at x = 0: told by every road, the fused one, the quick one of a system too large for it and
 * the careful one of dependent rows. */
static void not_finite(void **unused)
{
    (void)unused;
    static const char *const bad[] = {
        "coord x\nkinetic x'^2/2\npotential 1/x^2\n",
        "coord x[60]\nkinetic dot(x', x')/2\npotential 1/x[1]^2\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 1/x^2\nconstraint a: [y, 2*y] = [0, 0]\n",
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        bench b;
        double z[64];
        bench_open(&b, bad[k]);
        memset(b.q, 0, sizeof b.q);
        memset(b.v, 0, sizeof b.v);
        assert_int_equal(zw_sim_acceleration(b.sim, 0.0, b.q, b.v, z), ZW_ERR_NOT_FINITE);
        bench_close(&b);
    }
}

/* What the prelude has hoisted follows the parameters. */
static void other_parameters(void **unused)
{
    (void)unused;
    bench b;
    int served = 0;
    bench_open(&b, texts[1]);
    assert_true(b.sim->model->fused->prelude.count > 0);
    assert_int_equal(zw_sim_set_parameters(b.sim, "m = 0.3, l = 5"), ZW_OK);
    compare(&b, 100, &served);
    assert_int_equal(zw_sim_set_parameters(b.sim, "l = 0.01"), ZW_OK);
    compare(&b, 100, &served);
    assert_true(served > 150);
    bench_close(&b);
}

/* -------------------------------------------------------------------- the guard */

/* Largest and smallest eigenvalue of a symmetric matrix [m*m], by Jacobi's rotations. */
static void extremes(double *S, int32_t m, double *least, double *most)
{
    for (int sweep = 0; sweep < 60; sweep++)
        for (int32_t p = 0; p < m; p++)
            for (int32_t q = p + 1; q < m; q++) {
                double a = S[p * m + q];
                if (a == 0.0) continue;
                double d = (S[q * m + q] - S[p * m + p]) / (2.0 * a);
                double t = (d >= 0.0 ? 1.0 : -1.0) / (fabs(d) + sqrt(1.0 + d * d));
                double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
                for (int32_t k = 0; k < m; k++) {
                    double x = S[k * m + p], y = S[k * m + q];
                    S[k * m + p] = c * x - s * y;
                    S[k * m + q] = s * x + c * y;
                }
                for (int32_t k = 0; k < m; k++) {
                    double x = S[p * m + k], y = S[q * m + k];
                    S[p * m + k] = c * x - s * y;
                    S[q * m + k] = s * x + c * y;
                }
            }
    *least = *most = S[0];
    for (int32_t i = 1; i < m; i++) {
        *least = fmin(*least, S[i * m + i]);
        *most = fmax(*most, S[i * m + i]);
    }
}

/* The condition of A M^-1 A^T scaled to a unit diagonal; M diagonal. */
static double true_condition(const bench *b)
{
    const zr_pattern *A = &b->sim->model->A;
    double rows[8 * 16] = {0}, S[64] = {0}, least, most;
    int32_t m = b->m, n = b->n;
    for (int32_t i = 0; i < m; i++)
        for (int32_t k = A->start[i]; k < A->start[i + 1]; k++)
            rows[i * n + A->column[k]] = b->sim->A[k] / sqrt(b->sim->M[A->column[k]]);
    for (int32_t i = 0; i < m; i++) {
        double length = 0.0;
        for (int32_t k = 0; k < n; k++) length += rows[i * n + k] * rows[i * n + k];
        for (int32_t k = 0; k < n; k++) rows[i * n + k] /= sqrt(length);
    }
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < m; j++) {
            S[i * m + j] = 0.0;
            for (int32_t k = 0; k < n; k++) S[i * m + j] += rows[i * n + k] * rows[j * n + k];
        }
    extremes(S, m, &least, &most);
    return most / least;
}

/* Never below the condition, and not far above it: rods of random directions, some nearly the same
 * as others; the first rows of these. */
static void expect_bound(int rows)
{
    static const char *const row[] = {"a: x[1]^2 + y[1]^2 = 1",
                                      "b: (x[1] - x[2])^2 + (y[1] - y[2])^2 = 1",
                                      "c: (x[3] - x[2])^2 + (y[3] - y[2])^2 = 1",
                                      "d: x[2]^2 + y[2]^2 + x[3] = 1", "e: x[1] + x[2]*y[3] = 1"};
    bench b;
    double widest = 0.0;
    char text[600];
    int length = snprintf(text, sizeof text,
                          "coord x[3], y[3]\n"
                          "kinetic (x[1]'^2 + 4*x[2]'^2 + 9*x[3]'^2 + dot(y', y'))/2\n");
    for (int k = 0; k < rows; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, "constraint %s\n", row[k]);
    bench_open(&b, text);
    for (int k = 0; k < 3000; k++) {
        any_state(&b);
        double near = pow(10.0, uniform(-6.0, 0.0)); /* a and b nearly along one line */
        if (k % 2) b.q[1] = b.q[0] * 2.0 + near, b.q[4] = b.q[3] * 2.0 - near;
        zk_source s = zr_source(b.sim, b.t, b.q, b.v);
        zr_fused_acceleration(b.sim, &b.t, b.q, b.v);
        double guard = b.sim->solver->fused_condition;
        zr_evaluate_dynamics(b.sim, &s);
        zr_evaluate_rows(b.sim, &s);
        double condition = true_condition(&b);
        if (!(guard >= condition * (1.0 - 1e-6))) fail_msg("guard %g of %g", guard, condition);
        if (condition < 1e8) widest = fmax(widest, guard / condition);
    }
    printf("%d rows: guard at most %.0f times the condition\n", rows, widest);
    assert_true(widest < 1000.0);
    bench_close(&b);
}

static void the_guard_is_a_bound(void **unused)
{
    (void)unused;
    for (int rows = 1; rows <= 5; rows++) expect_bound(rows);
}

/* Dependent rows, masses that are not positive: refused, never answered. */
static void refused(void **unused)
{
    (void)unused;
    static const char *const bad[] = {
        "coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x = t\nconstraint b: 2*x = 2*t\n",
        "param m = 0\ncoord x, y\nkinetic x'^2 + m*y'^2\nconstraint a: x = t\n",
        "coord x, y, z\nkinetic x'^2\nconstraint a: x + y + z = t\n",
        "param m = -1\ncoord x, y\nkinetic x'^2 + m*y'^2\nconstraint a: x + 3*y = t\n",
        "coord x, y\nkinetic (x' + y')^2\nconstraint a: x = t\n",
        "coord x, y\nkinetic (x' + y')^2 - 1e-9*y'^2\n",
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        bench b;
        bench_open(&b, bad[k]);
        if (b.sim->model->fused) {
            any_state(&b);
            assert_null(zr_fused_acceleration(b.sim, &b.t, b.q, b.v));
        }
        bench_close(&b);
    }
}

/* ----------------------------------------------------------------- the way back */

/* A state beside the constraints comes back onto them, by the smallest change to first order: the
 * change is M^-1 A^T of something. */
static void onto_the_constraints(void **unused)
{
    (void)unused;
    int served = 0;
    for (int k = 0; k < text_count; k++) {
        bench b;
        bench_open(&b, texts[k]);
        const zr_fused_form *fused = b.sim->solver->form;
        for (int round = 0; round < 50 && b.m > 0; round++) {
            any_state(&b);
            if (!zr_road_fused.project(b.sim, NULL, b.t, b.q, b.v)) continue;
            served++;
            zk_source s = zr_source(b.sim, b.t, b.q, b.v);
            double kept[64];
            memcpy(kept, b.sim->level, sizeof *kept * (size_t)(4 * b.m));
            zr_evaluate_levels(b.sim, &s);
            for (int side = 0; side < 2; side++)
                for (int32_t i = 0; i < fused->side[side].rows; i++) {
                    int32_t row = fused->side[side].row[i] + side * b.m;
                    double unit = b.sim->level[2 * b.m + row];
                    bench_near(b.sim->level[row], 0.0, 64.0 * 4.0 * 2.3e-16 * unit);
                    bench_near(kept[row], b.sim->level[row], 1e-15 * unit);
                    bench_near(kept[2 * b.m + row], unit, 1e-14 * unit);
                }
        }
        bench_close(&b);
    }
    assert_true(served > 150);
}

/* What one of the programs of a side says of a state, one lane. */
static double look(bench *b, const zk_program *program, const zr_fused_side *side,
                   zk_evaluator evaluator)
{
    zk_frame frame = {.time = &b->t,
                      .position = b->q,
                      .velocity = b->v,
                      .value = b->sim->values,
                      .out = b->sim->solver->fused_out,
                      .workspace = b->sim->workspace};
    zk_evaluate_frame(program, 1, evaluator, &frame);
    return b->sim->solver->fused_out[side->off];
}

/* Rows that have nothing to do with each other, one of them no number: the largest residual is none
 * either, wherever the row stands, in both programs of both sides. */
static void no_row_hides_another(void **unused)
{
    (void)unused;
    for (int n = 1; n <= 6; n++) {
        bench b;
        char text[300];
        (void)snprintf(
            text, sizeof text,
            "param N = %d\ncoord p[N, 2]\nfor i in 1..N {\n  kinetic dot(p[i]', p[i]')/2\n"
            "  constraint rod[i]: dot(p[i], p[i]) = 1\n}\n",
            n);
        bench_open(&b, text);
        assert_non_null(b.sim->model->fused);
        for (int32_t wrong = -1; wrong < b.n; wrong++)
            for (int side = 0; side < 2; side++) {
                const zr_fused_side *s = &b.sim->solver->form->side[side];
                any_state(&b);
                if (wrong >= 0) b.q[wrong] = (double)NAN;
                double off = look(&b, s->look, s, ZK_BYTE_CODE);
                double again = look(&b, s->step, s, ZK_BYTE_CODE);
                assert_true((isnan(off) != 0) == (wrong >= 0));
                assert_true((isnan(again) != 0) == (wrong >= 0));
                if (wrong < 0) assert_memory_equal(&off, &again, sizeof off);
            }
        bench_close(&b);
    }
}

/* ------------------------------------------------------------------------ without a mass */

/* Runs to t and reads the state; by this road to the end, also where a condition asks for a reaction. */
static void run_fused(bench *b, const char *text, double t)
{
    zw_run_settings set;
    zw_outcome outcome;
    bench_open(b, text);
    assert_int_equal(bench_start(b, false), ZW_OK);
    assert_int_equal(zw_run_defaults(b->model, &set), ZW_OK);
    set.until = t;
    set.tol = 1e-12;
    assert_int_equal(zw_sim_begin(b->sim, &set), ZW_OK);
    assert_int_equal(zw_sim_advance(b->sim, t, &outcome), ZW_OK);
    assert_int_equal(b->sim->solver->road, ZR_FUSED);
    assert_int_equal(zw_sim_state(b->sim, &b->t, b->q, b->v), ZW_OK);
}

/* Two point masses at bars, as bodies whose moments of inertia are 0, against the same in angles. */
static void point_masses_as_bodies(void **unused)
{
    (void)unused;
    bench b, angles;
    run_fused(&b,
              "use planar\npart ground = Ground()\n"
              "part a = Body(1, 0, at = [0.5, 0], gravity = [0, -9.81])\n"
              "part b = Body(2, 0, at = [1.5, 0], gravity = [0, -9.81])\n"
              "part p = Hinge(ground, a, at = [0, 0])\npart q = Hinge(a, b, at = [1, 0])\n"
              "when q.F[1] > 1e6: stop\n",
              3.0);
    run_fused(&angles,
              "coord a, b\nlet x1 = cos(a)/2\nlet y1 = sin(a)/2\nlet x2 = cos(a) + cos(b)/2\n"
              "let y2 = sin(a) + sin(b)/2\nkinetic (x1'^2 + y1'^2)/2 + x2'^2 + y2'^2\n"
              "potential 9.81*(y1 + 2*y2)\n",
              3.0);
    bench_near(b.q[2], angles.q[0], 1e-9);
    bench_near(b.q[5], angles.q[1], 1e-9);
    bench_near(b.v[5], angles.v[1], 1e-8);
    bench_close(&b);
    bench_close(&angles);
}

/* Where it does not serve the state is as it was. */
static void nothing_is_left_behind(void **unused)
{
    (void)unused;
    bench b;
    bench_open(&b, "coord x, y\nkinetic x'^2 + y'^2\nconstraint no: x^2 + y^2 = -1\n");
    any_state(&b);
    double q[2] = {b.q[0], b.q[1]}, v[2] = {b.v[0], b.v[1]};
    assert_false(zr_road_fused.project(b.sim, NULL, b.t, b.q, b.v));
    assert_memory_equal(q, b.q, sizeof q);
    assert_memory_equal(v, b.v, sizeof v);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_the_careful_road),
        cmocka_unit_test(by_machine_code),
        cmocka_unit_test(not_finite),
        cmocka_unit_test(other_parameters),
        cmocka_unit_test(the_guard_is_a_bound),
        cmocka_unit_test(refused),
        cmocka_unit_test(onto_the_constraints),
        cmocka_unit_test(no_row_hides_another),
        cmocka_unit_test(nothing_is_left_behind),
        cmocka_unit_test(point_masses_as_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
