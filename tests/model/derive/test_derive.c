/*
 * M, Q, A, b and C derived from energies, forces and constraints, against formulas written by hand,
 * at random states.
 */
#include "stage.h"

enum { STATES = 20 };

/* ------------------------------------------------------------- the pendulum */

static void pendulum_in_the_plane(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0), stage_coord(s, "y", 0, 0);
    stage_param(s, "m", 1.7), stage_param(s, "g", 9.81), stage_param(s, "l", 0.8);
    zx_node T = MUL(DIV(P(0), NUM(2)), ADD(SQR(V(0)), SQR(V(1)))), U = MUL(MUL(P(0), P(1)), Q(1));
    zx_node rod = SUB(ADD(SQR(Q(0)), SQR(Q(1))), SQR(P(2)));
    stage_term(s, ZM_ENERGY, ZM_KINETIC, &T, 1);
    stage_term(s, ZM_ENERGY, ZM_POTENTIAL, &U, 1);
    stage_row(s, "rod", &rod, 1);
    stage_run(s);
    assert_int_equal(zm_row_kind_of(&s->model, 0), ZM_HOLONOMIC);
    assert_false(zm_row_time_dependent(&s->model, 0));
    for (uint64_t k = 0; k < STATES; k++) {
        double q[2], v[2], M[4] = {0}, F[2] = {0}, A[2] = {0}, b, phi, rate;
        stage_fill(q, 2, k), stage_fill(v, 2, k + 100);
        state x = {.q = q, .v = v};
        assemble(&s->model, &x,
                 &(matrices){.M = M, .Q = F, .A = A, .b = &b, .phi = &phi, .rate = &rate});
        assert_near(M[0], 1.7), assert_near(M[3], 1.7), assert_near(M[1], 0);
        assert_near(F[0], 0), assert_near(F[1], -1.7 * 9.81);
        assert_near(A[0], 2 * q[0]), assert_near(A[1], 2 * q[1]);
        assert_near(b, -2 * v[0] * v[0] - 2 * v[1] * v[1]);
        assert_near(phi, q[0] * q[0] + q[1] * q[1] - 0.64);
        assert_near(rate, 2 * q[0] * v[0] + 2 * q[1] * v[1]);
    }
    /* M depends on parameters only, A does not */
    const zm_family *energy = &s->model.families[0];
    assert_int_equal(energy->mass_count, 2);
    assert_true(energy->mass[0].constant && energy->mass[1].constant);
    assert_true(energy->force_count == 1 && energy->force[0].constant);
    const zm_family *rows = &s->model.families[s->constraints[0].where.family];
    assert_true(rows->jacobian_count == 2 && !rows->jacobian[0].constant);
    stage_free(s);
}

/* M11 = (m1 + m2) l1^2, M12 = m2 l1 l2 cos(a - b), M22 = m2 l2^2; the quadratic terms in the
 * velocities come from the derivative of M. */
static void double_pendulum(void **unused)
{
    (void)unused;
    const double m1 = 1.3, m2 = 0.7, l1 = 0.9, l2 = 1.1, g = 9.81;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "a", 0, 0), stage_coord(s, "b", 0, 0);
    stage_param(s, "m1", m1), stage_param(s, "m2", m2), stage_param(s, "l1", l1);
    stage_param(s, "l2", l2), stage_param(s, "g", g);
    zx_node vx1 = MUL(MUL(P(2), COS(Q(0))), V(0)), vy1 = MUL(MUL(P(2), SIN(Q(0))), V(0));
    zx_node vx2 = ADD(vx1, MUL(MUL(P(3), COS(Q(1))), V(1)));
    zx_node vy2 = ADD(vy1, MUL(MUL(P(3), SIN(Q(1))), V(1)));
    zx_node T1 = MUL(DIV(P(0), NUM(2)), ADD(SQR(vx1), SQR(vy1)));
    zx_node T2 = MUL(DIV(P(1), NUM(2)), ADD(SQR(vx2), SQR(vy2)));
    zx_node h1 = MUL(P(2), COS(Q(0))), h2 = ADD(h1, MUL(P(3), COS(Q(1))));
    zx_node L = MUL(P(4), ADD(MUL(P(0), h1), MUL(P(1), h2))); /* -V, as `lagrangian` */
    stage_term(s, ZM_ENERGY, ZM_KINETIC, &T1, 1);
    stage_term(s, ZM_ENERGY, ZM_KINETIC, &T2, 1);
    stage_term(s, ZM_ENERGY, ZM_OTHER, &L, 1);
    stage_run(s);
    assert_int_equal(s->model.family_count, 1);
    for (uint64_t k = 0; k < STATES; k++) {
        double q[2], v[2], M[4] = {0}, F[2] = {0};
        stage_fill(q, 2, k), stage_fill(v, 2, k + 100);
        state x = {.q = q, .v = v};
        assemble(&s->model, &x, &(matrices){.M = M, .Q = F});
        double c = m2 * l1 * l2 * cos(q[0] - q[1]), d = m2 * l1 * l2 * sin(q[0] - q[1]);
        assert_near(M[0], (m1 + m2) * l1 * l1), assert_near(M[3], m2 * l2 * l2);
        assert_near(M[1], c), assert_near(M[2], c);
        assert_near(F[0], -d * v[1] * v[1] - (m1 + m2) * g * l1 * sin(q[0]));
        assert_near(F[1], d * v[0] * v[0] - m2 * g * l2 * sin(q[1]));
        double p = 0; /* momentum of the second */
        p = state_value(&x, &s->model, 0, 0, s->model.families[0].momentum[1]);
        assert_near(p, c * v[0] + m2 * l2 * l2 * v[1]);
    }
    stage_free(s);
}

/* A Lagrangian that depends on time and is not quadratic: L = t^2 x'^4/12 + x x' t. Then
 * g = t^2 x'^3/3 + x t, M = t^2 x'^2, Q = x' t - (2 t x'^3/3 + x' t + x). */
static void any_lagrangian(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0);
    zx_node L = ADD(DIV(MUL(SQR(TIME), zx_power(&s->b.shapes, V(0), 4)), NUM(12)),
                    MUL(MUL(Q(0), V(0)), TIME));
    stage_term(s, ZM_ENERGY, ZM_OTHER, &L, 1);
    stage_run(s);
    for (uint64_t k = 0; k < STATES; k++) {
        double q, v, t = 0.1 * (double)k, M = 0, F = 0;
        stage_fill(&q, 1, k), stage_fill(&v, 1, k + 100);
        state x = {.q = &q, .v = &v, .t = t};
        assemble(&s->model, &x, &(matrices){.M = &M, .Q = &F});
        assert_near(M, t * t * v * v);
        assert_near(F, v * t - (2 * t * v * v * v / 3 + v * t + q));
    }
    stage_free(s);
}

/* -------------------------------------------------------------------- forces */

/* A point p = (l sin a + x, -l cos a) with force (f, x a'): the generalized force is
 * (dp/dq)^T F; the force itself is not differentiated. */
static void forces_of_every_sort(void **unused)
{
    (void)unused;
    const double l = 0.6, c = 0.3;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0), stage_coord(s, "a", 0, 0);
    stage_param(s, "l", l), stage_param(s, "c", c);
    zx_node at[] = {ADD(MUL(P(0), SIN(Q(1))), Q(0)),
                    zx_unary(&s->b.shapes, ZX_NEG, MUL(P(0), COS(Q(1)))), SIN(TIME),
                    MUL(Q(0), V(1))};
    zx_node at3[] = {Q(0), NUM(0), Q(1), NUM(1), NUM(2), NUM(3)};
    zx_node rayleigh = MUL(DIV(P(1), NUM(2)), SQR(SUB(V(0), V(1)))), push = MUL(Q(1), V(0));
    zx_node entries[] = {NUM(2), Q(1)}, again = NUM(5);
    stage_term(s, ZM_FORCE_AT, 0, at, 4);
    stage_term(s, ZM_FORCE_AT, 0, at3, 6);
    stage_term(s, ZM_NONIDEAL_AT, 0, at, 4);
    stage_term(s, ZM_DISSIPATION, 0, &rayleigh, 1);
    stage_targets(s, stage_term(s, ZM_FORCE, 0, &push, 1), (int32_t[]){0}, 1);
    stage_targets(s, stage_term(s, ZM_FORCE, 0, &again, 1), (int32_t[]){0}, 1);
    stage_targets(s, stage_term(s, ZM_NONIDEAL, 0, &push, 1), (int32_t[]){1}, 1);
    stage_targets(s, stage_term(s, ZM_MASS, 0, entries, 2), (int32_t[]){0, 0, 1, 0}, 4);
    stage_targets(s, stage_term(s, ZM_MASS, 0, &again, 1), (int32_t[]){0, 0}, 2);
    stage_run(s);
    for (uint64_t k = 0; k < STATES; k++) {
        double q[2], v[2], t = (double)k, M[4] = {0}, F[2] = {0}, C[2] = {0};
        stage_fill(q, 2, k), stage_fill(v, 2, k + 100);
        state x = {.q = q, .v = v, .t = t};
        assemble(&s->model, &x, &(matrices){.M = M, .Q = F, .C = C});
        double f0 = sin(t), f1 = q[0] * v[1], on_a = l * cos(q[1]) * f0 + l * sin(q[1]) * f1;
        assert_near(F[0], f0 + 1 - c * (v[0] - v[1]) + q[1] * v[0] + 5);
        assert_near(F[1], on_a + 3 + c * (v[0] - v[1]));
        assert_near(C[0], f0), assert_near(C[1], on_a + q[1] * v[0]);
        assert_near(M[0], 7), assert_near(M[1], q[1]), assert_near(M[2], q[1]);
    }
    stage_free(s);
}

/* ----------------------------------------------------------------- velocities */

/* A sled: x' sin a - y' cos a = 0; and a wheel: x' - r a' = 0. One family of two rows. */
static void rolling(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0), stage_coord(s, "y", 0, 0), stage_coord(s, "a", 0, 0);
    stage_param(s, "r", 0.25);
    zx_node rows[] = {SUB(MUL(V(0), SIN(Q(2))), MUL(V(1), COS(Q(2)))), SUB(V(0), MUL(P(0), V(2)))};
    stage_row(s, "roll", rows, 2);
    stage_run(s);
    assert_int_equal(zm_row_kind_of(&s->model, 0), ZM_NONHOLONOMIC);
    assert_int_equal(zm_row_kind_of(&s->model, 1), ZM_NONHOLONOMIC);
    const zm_family *f = &s->model.families[0];
    assert_int_equal(f->jacobian_count, 4);
    assert_true(f->jacobian[2].constant && f->jacobian[3].constant && !f->jacobian[0].constant);
    for (uint64_t k = 0; k < STATES; k++) {
        double q[3], v[3], A[6] = {0}, b[2], rate[2];
        stage_fill(q, 3, k), stage_fill(v, 3, k + 100);
        state x = {.q = q, .v = v};
        assemble(&s->model, &x, &(matrices){.A = A, .b = b, .rate = rate});
        const double expected[6] = {sin(q[2]), -cos(q[2]), 0, 1, 0, -0.25};
        for (int i = 0; i < 6; i++) assert_near(A[i], expected[i]);
        assert_near(b[0], -(v[0] * cos(q[2]) + v[1] * sin(q[2])) * v[2]);
        assert_near(b[1], 0);
        assert_near(rate[0], v[0] * sin(q[2]) - v[1] * cos(q[2]));
    }
    stage_free(s);
}

/* THEORY.md's worked example: (x'^2 + y'^2 - z'^2)/2 = alpha h, h = x y sin t. */
static void appell(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "r", 3, 0);
    stage_param(s, "alpha", 0.4);
    zx_node squares = SUB(ADD(SQR(V(0)), SQR(V(1))), SQR(V(2)));
    zx_node row = SUB(DIV(squares, NUM(2)), MUL(MUL(P(0), MUL(Q(0), Q(1))), SIN(TIME)));
    stage_row(s, "appell", &row, 1);
    stage_run(s);
    assert_int_equal(zm_row_kind_of(&s->model, 0), ZM_NONLINEAR);
    assert_true(zm_row_time_dependent(&s->model, 0));
    for (uint64_t k = 0; k < STATES; k++) {
        double q[3], v[3], t = (double)k, A[3] = {0}, b;
        stage_fill(q, 3, k), stage_fill(v, 3, k + 100);
        state x = {.q = q, .v = v, .t = t};
        assemble(&s->model, &x, &(matrices){.A = A, .b = &b});
        assert_near(A[0], v[0]), assert_near(A[1], v[1]), assert_near(A[2], -v[2]);
        double rate = (q[1] * v[0] + q[0] * v[1]) * sin(t) + q[0] * q[1] * cos(t);
        assert_near(b, 0.4 * rate);
    }
    stage_free(s);
}

/* A rheonomic row: b has all three terms -phi_qq(v, v) - 2 phi_qt v - phi_tt; here for
 * phi = x^2 t - sin t. */
static void rheonomic(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0);
    zx_node row = SUB(MUL(SQR(Q(0)), TIME), SIN(TIME));
    stage_row(s, "c", &row, 1);
    stage_run(s);
    assert_true(zm_row_time_dependent(&s->model, 0));
    for (uint64_t k = 0; k < STATES; k++) {
        double q, v, t = (double)k, A = 0, b, rate;
        stage_fill(&q, 1, k), stage_fill(&v, 1, k + 100);
        state x = {.q = &q, .v = &v, .t = t};
        assemble(&s->model, &x, &(matrices){.A = &A, .b = &b, .rate = &rate});
        assert_near(A, 2 * q * t);
        assert_near(b, -2 * v * v * t - 4 * q * v - sin(t));
        assert_near(rate, 2 * q * v * t + q * q - cos(t));
    }
    stage_free(s);
}

/* -------------------------------------------------------------- accelerations */

static void acceleration_rows(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0), stage_coord(s, "y", 0, 0);
    zx_node mixed = SUB(ADD(Z(0), MUL(Q(1), Z(1))), MUL(SIN(TIME), V(0)));
    zx_node rows[] = {mixed, SUB(Q(0), Q(1)), MUL(ADD(Z(0), Q(0)), SUB(V(1), NUM(3)))};
    stage_row(s, "c", rows, 3);
    stage_run(s);
    assert_int_equal(s->model.unit.error_count, 0);
    assert_int_equal(zm_row_kind_of(&s->model, 0), ZM_ACCELERATION);
    assert_int_equal(zm_row_kind_of(&s->model, 1), ZM_HOLONOMIC);
    assert_int_equal(zm_row_kind_of(&s->model, 2), ZM_ACCELERATION);
    assert_int_equal(s->model.families[0].rate[0], ZX_NONE);
    for (uint64_t k = 0; k < STATES; k++) {
        double q[2], v[2], t = (double)k, A[6] = {0}, b[3];
        stage_fill(q, 2, k), stage_fill(v, 2, k + 100);
        state x = {.q = q, .v = v, .t = t};
        assemble(&s->model, &x, &(matrices){.A = A, .b = b});
        const double expected[6] = {1, q[1], 1, -1, v[1] - 3, 0};
        for (int i = 0; i < 6; i++) assert_near(A[i], expected[i]);
        assert_near(b[0], sin(t) * v[0]);
        assert_near(b[1], 0);
        assert_near(b[2], -q[0] * (v[1] - 3));
    }
    stage_free(s);
}

/* Products, powers and jumps of accelerations are refused, at the constraint. */
static void nonlinear_accelerations(void **unused)
{
    (void)unused;
    for (int k = 0; k < 4; k++) {
        stage st, *s = &st;
        stage_init(s);
        stage_coord(s, "x", 0, 0), stage_coord(s, "y", 0, 0);
        zx_node bad[] = {
            MUL(Z(0), Z(1)), ADD(Z(1), SQR(Z(0))), ADD(Z(0), zx_unary(&s->b.shapes, ZX_SIGN, Z(1))),
            zx_select(&s->b.shapes, stage_binary(s, ZX_LT, Z(0), NUM(0)), ADD(Z(1), NUM(1)), Z(1))};
        zx_node good = ADD(Z(0), Z(1));
        stage_row(s, "good", &good, 1);
        stage_row(s, "bad", &bad[k], 1)->place.at = 7;
        stage_run(s);
        assert_int_equal(s->model.unit.error_count, 1);
        const zw_diagnostic *d = zb_diag_get(&s->diagnostics, 0);
        assert_string_equal(d->code, "E0303");
        assert_string_equal(d->sentence, "the constraint 'bad' is not linear in the accelerations");
        stage_free(s);
    }
}

/* -------------------------------------------------------------------- starts */

static void start_equations(void **unused)
{
    (void)unused;
    stage st, *s = &st;
    stage_init(s);
    stage_coord(s, "x", 0, 0), stage_coord(s, "y", 0, 0);
    zx_node roots[] = {SUB(MUL(Q(0), Q(1)), NUM(1)), ADD(MUL(Q(0), V(1)), TIME)};
    stage_term(s, ZM_START_EQUATION, 0, roots, 2);
    s->start_equations[0].where = (zm_where){0, 0, 0, 2};
    s->model.start_equation_count = 1;
    stage_run(s);
    const zm_family *f = &s->model.families[0];
    assert_true(f->kinds[0] == ZM_HOLONOMIC && f->kinds[1] == ZM_NONHOLONOMIC);
    assert_true(!f->time_dependent[0] && f->time_dependent[1]);
    assert_int_equal(f->jacobian_count, 3);
    double q[2] = {0.3, 0.7}, v[2] = {0};
    state x = {.q = q, .v = v};
    assert_near(state_value(&x, &s->model, 0, 0, f->jacobian[0].node), 0.7);
    assert_near(state_value(&x, &s->model, 0, 0, f->jacobian[1].node), 0.3);
    assert_true(f->jacobian[2].row == 1 && f->jacobian[2].column == 1);
    assert_near(state_value(&x, &s->model, 0, 0, f->jacobian[2].node), 0.3);
    stage_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_in_the_plane),
        cmocka_unit_test(double_pendulum),
        cmocka_unit_test(any_lagrangian),
        cmocka_unit_test(forces_of_every_sort),
        cmocka_unit_test(rolling),
        cmocka_unit_test(appell),
        cmocka_unit_test(rheonomic),
        cmocka_unit_test(acceleration_rows),
        cmocka_unit_test(nonlinear_accelerations),
        cmocka_unit_test(start_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
