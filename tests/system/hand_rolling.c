/*
 * hand_rolling.c: skates and a rolling disc, worked out by hand. A nonholonomic row phi(q, v) has
 * A = phi_v and b = -phi_q v.
 */
#include "hand.h"

#include <math.h>

static const double g = 9.81;
static const real gl = 9.81L;

static real square(real x)
{
    return x * x;
}

/* ----------- Chaplygin's sleigh: -X' sin + Y' cos = a theta'; m = 2, J = 1/2, a = 0.3 */

static void sleigh_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    double s = sin(q[2]), c = cos(q[2]);
    e->M[0] = e->M[4] = 2;
    e->M[8] = 0.5;
    e->A[0] = -s;
    e->A[1] = c;
    e->A[2] = -0.3;
    e->b[0] = (v[0] * c + v[1] * s) * v[2];
}

static real sleigh_lagrangian(real t, const real *q, const real *v)
{
    (void)t, (void)q;
    return square(v[0]) + square(v[1]) + square(v[2]) / 4;
}

static void sleigh_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t;
    phi[0] = -v[0] * sinl(q[2]) + v[1] * cosl(q[2]) - 0.3L * v[2];
}

const hand hand_sleigh = {.model = "sleigh",
                          .n = 3,
                          .m = 1,
                          .kinds = "n",
                          .speed = 1,
                          .equations = sleigh_equations,
                          .lagrangian = sleigh_lagrangian,
                          .rows = sleigh_rows};

/* ------------------- skate on a slope of 30 degrees: x' cos + y' sin = 0; m = 1, J = 0.2 */

static void knife_edge_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    double s = sin(q[2]), c = cos(q[2]);
    e->M[0] = e->M[4] = 1;
    e->M[8] = 0.2;
    e->Q[1] = g / 2;
    e->A[0] = c;
    e->A[1] = s;
    e->b[0] = (v[0] * s - v[1] * c) * v[2];
}

static real knife_edge_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return (square(v[0]) + square(v[1])) / 2 + square(v[2]) / 10 + gl * q[1] / 2;
}

static void knife_edge_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t;
    phi[0] = v[0] * cosl(q[2]) + v[1] * sinl(q[2]);
}

const hand hand_knife_edge = {.model = "knife_edge",
                              .n = 3,
                              .m = 1,
                              .kinds = "n",
                              .speed = 1,
                              .equations = knife_edge_equations,
                              .lagrangian = knife_edge_lagrangian,
                              .rows = knife_edge_rows};

/* ------------------------------------------------------------------------ rolling disc
 *
 * Coordinates c1 c2 c3 theta psi phi, m = 2, r = 1/2, J = m r^2/4, K = m r^2/2. With
 * s, k = sin, cos theta and w3 = psi' k + phi' the energy is
 * m c'^2/2 + J (theta'^2 + psi'^2 s^2)/2 + K w3^2/2 and the rows are c' = r (theta' n - w3 e1).
 */

static void rolling_disc_inertia(const double *q, const double *v, hand_equations *e)
{
    const double J = 0.125, K = 0.25;
    double s = sin(q[3]), k = cos(q[3]), w3 = v[4] * k + v[5];
    e->M[0] = e->M[7] = e->M[14] = 2;
    e->M[21] = J;
    e->M[28] = J * s * s + K * k * k;
    e->M[29] = e->M[34] = K * k;
    e->M[35] = K;
    e->Q[2] = -2 * g;
    e->Q[3] = J * v[4] * v[4] * s * k - K * w3 * v[4] * s;
    e->Q[4] = -v[3] * (2 * J * v[4] * s * k - K * v[4] * s * k - K * w3 * s);
    e->Q[5] = K * v[4] * s * v[3];
}

static void rolling_disc_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    const double r = 0.5;
    double s = sin(q[3]), k = cos(q[3]), sp = sin(q[4]), cp = cos(q[4]);
    double w3 = v[4] * k + v[5];
    double n[3] = {sp * s, -cp * s, k}, e1[3] = {cp, sp, 0};
    double n_rate[3] = {cp * s * v[4] + sp * k * v[3], sp * s * v[4] - cp * k * v[3], -s * v[3]};
    double e1_rate[3] = {-sp * v[4], cp * v[4], 0};
    rolling_disc_inertia(q, v, e);
    for (int i = 0; i < 3; i++) {
        e->A[6 * i + i] = 1;
        e->A[6 * i + 3] = -r * n[i];
        e->A[6 * i + 4] = r * k * e1[i];
        e->A[6 * i + 5] = r * e1[i];
        e->b[i] = r * (v[3] * n_rate[i] + v[4] * v[3] * s * e1[i] - w3 * e1_rate[i]);
    }
}

static real rolling_disc_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    real w3 = v[4] * cosl(q[3]) + v[5];
    real spin = square(v[3]) + square(v[4] * sinl(q[3])) + 2 * square(w3);
    return square(v[0]) + square(v[1]) + square(v[2]) + spin / 16 - 2 * gl * q[2];
}

/* The contact's velocity from w x (r e2), with w and e2 by components: nothing simplified. */
static void rolling_disc_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t;
    real n[3] = {sinl(q[4]) * sinl(q[3]), -cosl(q[4]) * sinl(q[3]), cosl(q[3])};
    real e1[3] = {cosl(q[4]), sinl(q[4]), 0}, e2[3], w[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        e2[i] = n[j] * e1[k] - n[k] * e1[j];
        w[i] = v[3] * e1[i] + v[5] * n[i] + (i == 2 ? v[4] : 0);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        phi[i] = v[i] - 0.5L * (w[j] * e2[k] - w[k] * e2[j]);
    }
}

const hand hand_rolling_disc = {.model = "rolling_disc",
                                .n = 6,
                                .m = 3,
                                .kinds = "nnn",
                                .speed = 1,
                                .equations = rolling_disc_equations,
                                .lagrangian = rolling_disc_lagrangian,
                                .rows = rolling_disc_rows};
