/*
 * hand_particles.c: particles on curves and surfaces, worked out by hand.
 *
 * For a holonomic row phi(q, t): A = phi_q and b = -(second time derivative without A z).
 */
#include "hand.h"

#include <math.h>

static const double g = 9.81;
static const real gl = 9.81L;

static real square(real x)
{
    return x * x;
}

/* ---------------------------------------------------------- pendulum: x^2 + y^2 = 1 */

static void pendulum_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    e->M[0] = e->M[3] = 1;
    e->Q[1] = -g;
    e->A[0] = 2 * q[0];
    e->A[1] = 2 * q[1];
    e->b[0] = -2 * (v[0] * v[0] + v[1] * v[1]);
}

static real pendulum_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return (square(v[0]) + square(v[1])) / 2 - gl * q[1];
}

static void pendulum_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)v;
    phi[0] = square(q[0]) + square(q[1]) - 1;
}

const hand hand_pendulum = {.model = "pendulum",
                            .n = 2,
                            .m = 1,
                            .kinds = "h",
                            .speed = 1,
                            .equations = pendulum_equations,
                            .lagrangian = pendulum_lagrangian,
                            .rows = pendulum_rows};

/* ------------------------------------- sphere: |r|^2 = 1, 3 |r|^2 = 3, r.r' = 0; m = 2 */

static void sphere_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    double speed = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    for (int i = 0; i < 3; i++) {
        e->M[4 * i] = 2;
        e->A[i] = 2 * q[i];
        e->A[3 + i] = 6 * q[i];
        e->A[6 + i] = q[i];
    }
    e->Q[2] = -2 * g;
    e->b[0] = -2 * speed;
    e->b[1] = -6 * speed;
    e->b[2] = -speed;
}

static real sphere_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return square(v[0]) + square(v[1]) + square(v[2]) - 2 * gl * q[2];
}

static void sphere_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t;
    phi[0] = square(q[0]) + square(q[1]) + square(q[2]) - 1;
    phi[1] = 3 * phi[0];
    phi[2] = q[0] * v[0] + q[1] * v[1] + q[2] * v[2];
}

const hand hand_sphere = {.model = "sphere",
                          .n = 3,
                          .m = 3,
                          .kinds = "hhn",
                          .speed = 1,
                          .equations = sphere_equations,
                          .lagrangian = sphere_lagrangian,
                          .rows = sphere_rows};

/* --------- hoop: |r| = R; x sin psi - y cos psi = 0, psi = 2 t + sin(3 t)/2; m = 1/2, R = 0.8 */

static void hoop_equations(double t, const double *q, const double *v, hand_equations *e)
{
    double psi = 2 * t + 0.5 * sin(3 * t), rate = 2 + 1.5 * cos(3 * t), second = -4.5 * sin(3 * t);
    double s = sin(psi), c = cos(psi);
    for (int i = 0; i < 3; i++) {
        e->M[4 * i] = 0.5;
        e->A[i] = 2 * q[i];
    }
    e->Q[2] = -0.5 * g;
    e->b[0] = -2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    /* (sin psi)'' = c psi'' - s psi'^2, (-cos psi)'' = s psi'' + c psi'^2 */
    e->A[3] = s;
    e->A[4] = -c;
    e->b[1] = -2 * rate * (v[0] * c + v[1] * s) - q[0] * (c * second - s * rate * rate) -
              q[1] * (s * second + c * rate * rate);
}

static real hoop_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return (square(v[0]) + square(v[1]) + square(v[2])) / 4 - gl * q[2] / 2;
}

static void hoop_rows(real t, const real *q, const real *v, real *phi)
{
    (void)v;
    real psi = 2 * t + sinl(3 * t) / 2;
    phi[0] = square(q[0]) + square(q[1]) + square(q[2]) - square(0.8L);
    phi[1] = q[0] * sinl(psi) - q[1] * cosl(psi);
}

const hand hand_hoop = {.model = "hoop",
                        .n = 3,
                        .m = 2,
                        .kinds = "hh",
                        .speed = 1,
                        .equations = hoop_equations,
                        .lagrangian = hoop_lagrangian,
                        .rows = hoop_rows};

/* ------------- Appell: x'^2 + y'^2 - z'^2 = 2 h, h = 1 + sin(t)/4 + (x^2 + y^2)/10, unit mass */

static void appell_equations(double t, const double *q, const double *v, hand_equations *e)
{
    e->M[0] = e->M[4] = e->M[8] = 1;
    e->Q[0] = -q[0];
    e->Q[1] = -4 * q[1];
    e->Q[2] = -1;
    e->A[0] = 2 * v[0];
    e->A[1] = 2 * v[1];
    e->A[2] = -2 * v[2];
    e->b[0] = 2 * (0.2 * q[0] * v[0] + 0.2 * q[1] * v[1] + 0.25 * cos(t));
}

static real appell_lagrangian(real t, const real *q, const real *v)
{
    (void)t, (void)q;
    return (square(v[0]) + square(v[1]) + square(v[2])) / 2;
}

static void appell_forces(real t, const real *q, const real *v, real *F)
{
    (void)t, (void)v;
    F[0] = -q[0];
    F[1] = -4 * q[1];
    F[2] = -1;
}

static void appell_rows(real t, const real *q, const real *v, real *phi)
{
    real h = 1 + sinl(t) / 4 + (square(q[0]) + square(q[1])) / 10;
    phi[0] = square(v[0]) + square(v[1]) - square(v[2]) - 2 * h;
}

const hand hand_appell = {.model = "appell",
                          .n = 3,
                          .m = 1,
                          .kinds = "n",
                          .speed = 1,
                          .equations = appell_equations,
                          .lagrangian = appell_lagrangian,
                          .forces = appell_forces,
                          .rows = appell_rows};

/* ------------------- Appell and Hamel: z'^2 = (x'^2 + y'^2)/4, masses 3, 3, 1, a push on x */

static void appell_hamel_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t, (void)q;
    e->M[0] = e->M[4] = 3;
    e->M[8] = 1;
    e->Q[0] = 1.5;
    e->Q[2] = -g;
    e->A[0] = -0.5 * v[0];
    e->A[1] = -0.5 * v[1];
    e->A[2] = 2 * v[2];
}

static real appell_hamel_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return 1.5L * (square(v[0]) + square(v[1])) + square(v[2]) / 2 - gl * q[2];
}

static void appell_hamel_forces(real t, const real *q, const real *v, real *F)
{
    (void)t, (void)q, (void)v;
    F[0] = 1.5L;
}

static void appell_hamel_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)q;
    phi[0] = square(v[2]) - (square(v[0]) + square(v[1])) / 4;
}

const hand hand_appell_hamel = {.model = "appell_hamel",
                                .settings = "push = 1.5",
                                .n = 3,
                                .m = 1,
                                .kinds = "n",
                                .speed = 1,
                                .equations = appell_hamel_equations,
                                .lagrangian = appell_hamel_lagrangian,
                                .forces = appell_hamel_forces,
                                .rows = appell_hamel_rows};

/* ------------- friction on a ring: x^2 + z^2 = 1/4, C = -mu |A^T lambda| v/|v|; unit mass */

static void friction_circle_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    double x = q[0], z = q[1], speed = hypot(v[0], v[1]);
    e->M[0] = e->M[3] = 1;
    e->Q[1] = -g;
    e->A[0] = 2 * x;
    e->A[1] = 2 * z;
    e->b[0] = -2 * speed * speed;
    /* lambda = (b - A Q)/(A A^T), |A^T lambda| = |b - A Q|/|A| */
    double N = fabs(e->b[0] + 2 * z * g) / (2 * hypot(x, z));
    e->C[0] = -0.3 * N * v[0] / speed;
    e->C[1] = -0.3 * N * v[1] / speed;
}

static real friction_circle_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return (square(v[0]) + square(v[1])) / 2 - gl * q[1];
}

static void friction_circle_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)v;
    phi[0] = square(q[0]) + square(q[1]) - 0.25L;
}

const hand hand_friction_circle = {.model = "friction_circle",
                                   .n = 2,
                                   .m = 1,
                                   .kinds = "h",
                                   .speed = 1,
                                   .friction = 0.3,
                                   .equations = friction_circle_equations,
                                   .lagrangian = friction_circle_lagrangian,
                                   .rows = friction_circle_rows};

/* The friction of two rows of a unit mass in space: N^2 = r^T (A A^T)^-1 r with r = b - A Q. */
static void friction_of_two_rows(const double *v, double mu, hand_equations *e)
{
    const double *A = e->A, *B = e->A + 3;
    double r = e->b[0], s = e->b[1], aa = 0, ab = 0, bb = 0, speed = 0;
    for (int i = 0; i < 3; i++) {
        r -= A[i] * e->Q[i];
        s -= B[i] * e->Q[i];
        aa += A[i] * A[i];
        ab += A[i] * B[i];
        bb += B[i] * B[i];
        speed += v[i] * v[i];
    }
    double N = sqrt((r * r * bb - 2 * r * s * ab + s * s * aa) / (aa * bb - ab * ab));
    for (int i = 0; i < 3; i++) {
        e->C[i] = -mu * N * v[i] / sqrt(speed);
    }
}

static real unit_mass_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return (square(v[0]) + square(v[1]) + square(v[2])) / 2 - gl * q[2];
}

/* ---------------------- friction on a helix: x^2 + y^2 = 1/4, y cos(10 z) - x sin(10 z) = 0 */

static void friction_helix_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    double c = cos(q[2] / 0.1), s = sin(q[2] / 0.1), w = v[2] / 0.1;
    e->M[0] = e->M[4] = e->M[8] = 1;
    e->Q[2] = -g;
    e->A[0] = 2 * q[0];
    e->A[1] = 2 * q[1];
    e->b[0] = -2 * (v[0] * v[0] + v[1] * v[1]);
    e->A[3] = -s;
    e->A[4] = c;
    e->A[5] = -(q[1] * s + q[0] * c) / 0.1;
    e->b[1] = 2 * w * (v[1] * s + v[0] * c) + w * w * (q[1] * c - q[0] * s);
    friction_of_two_rows(v, 0.3, e);
}

static void friction_helix_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)v;
    phi[0] = square(q[0]) + square(q[1]) - 0.25L;
    phi[1] = q[1] * cosl(q[2] / 0.1L) - q[0] * sinl(q[2] / 0.1L);
}

const hand hand_friction_helix = {.model = "friction_helix",
                                  .n = 3,
                                  .m = 2,
                                  .kinds = "hh",
                                  .speed = 1,
                                  .friction = 0.3,
                                  .equations = friction_helix_equations,
                                  .lagrangian = unit_mass_lagrangian,
                                  .rows = friction_helix_rows};

/* -------------------------- friction on a straight wire: y = 0, x sin a + z cos a = 0 */

static const double slope = 0.69813170079773183; /* 40 degrees */

static void friction_incline_equations(double t, const double *q, const double *v,
                                       hand_equations *e)
{
    (void)t, (void)q;
    e->M[0] = e->M[4] = e->M[8] = 1;
    e->Q[2] = -g;
    e->A[1] = 1;
    e->A[3] = sin(slope);
    e->A[5] = cos(slope);
    friction_of_two_rows(v, 0.3, e);
}

static void friction_incline_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)v;
    real a = 0.698131700797731830767394763739L;
    phi[0] = q[1];
    phi[1] = q[0] * sinl(a) + q[2] * cosl(a);
}

const hand hand_friction_incline = {.model = "friction_incline",
                                    .n = 3,
                                    .m = 2,
                                    .kinds = "hh",
                                    .speed = 1,
                                    .friction = 0.3,
                                    .equations = friction_incline_equations,
                                    .lagrangian = unit_mass_lagrangian,
                                    .rows = friction_incline_rows};
