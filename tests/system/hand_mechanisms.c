/*
 * hand_mechanisms.c: closed loops of bodies, worked out by hand.
 */
#include "hand.h"

#include <math.h>

static const double g = 9.81;
static const real gl = 9.81L;

static real square(real x)
{
    return x * x;
}

/* ------------------------------------------------------------------------- N-four-bar
 *
 * Coordinates x[0..N], y[0..N]. A uniform unit rod with end velocities u, v has the energy
 * (u^2 + u v + v^2)/6. Each point carries 1/3 of its post and of its one or two couplers.
 */

static void fourbar_inertia(int N, hand_equations *e)
{
    int n = 2 * (N + 1);
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i <= N; i++) {
            int k = half * (N + 1) + i, couplers = (i > 0) + (i < N);
            e->M[k * n + k] = (1 + couplers) / 3.0;
            if (i > 0) {
                e->M[k * n + k - 1] = e->M[(k - 1) * n + k] = 1 / 6.0;
            }
            if (half == 1) e->Q[k] = -g * (1 + couplers) / 2.0;
        }
    }
}

/* A row |p|^2 = 1 with p = (x[i] - base, y[i]) or the difference of two points. */
static void fourbar_equations(int N, const double *q, const double *v, hand_equations *e)
{
    int n = 2 * (N + 1);
    const double *x = q, *y = q + N + 1, *vx = v, *vy = v + N + 1;
    fourbar_inertia(N, e);
    for (int i = 0; i <= N; i++) {
        e->A[i * n + i] = 2 * (x[i] - i);
        e->A[i * n + N + 1 + i] = 2 * y[i];
        e->b[i] = -2 * (vx[i] * vx[i] + vy[i] * vy[i]);
    }
    for (int i = 1; i <= N; i++) {
        double *row = e->A + (N + i) * n;
        double dx = x[i] - x[i - 1], dy = y[i] - y[i - 1];
        double ux = vx[i] - vx[i - 1], uy = vy[i] - vy[i - 1];
        row[i] = 2 * dx;
        row[i - 1] = -2 * dx;
        row[N + 1 + i] = 2 * dy;
        row[N + i] = -2 * dy;
        e->b[N + i] = -2 * (ux * ux + uy * uy);
    }
}

static real fourbar_lagrangian(int N, const real *q, const real *v)
{
    real L = 0;
    for (int i = 0; i <= N; i++) {
        const real *y = q + N + 1 + i, *vx = v + i, *vy = v + N + 1 + i;
        L += (square(*vx) + square(*vy)) / 6 - gl * *y / 2;
        if (i > 0) {
            L += (square(vx[-1]) + vx[-1] * *vx + square(*vx)) / 6;
            L += (square(vy[-1]) + vy[-1] * *vy + square(*vy)) / 6;
            L -= gl * (y[-1] + *y) / 2;
        }
    }
    return L;
}

static void fourbar_rows(int N, const real *q, real *phi)
{
    const real *x = q, *y = q + N + 1;
    for (int i = 0; i <= N; i++) phi[i] = square(x[i] - i) + square(y[i]) - 1;
    for (int i = 1; i <= N; i++) phi[N + i] = square(x[i] - x[i - 1]) + square(y[i] - y[i - 1]) - 1;
}

static void fourbar2_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    fourbar_equations(2, q, v, e);
}

static real fourbar2_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return fourbar_lagrangian(2, q, v);
}

static void fourbar2_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)v;
    fourbar_rows(2, q, phi);
}

static void fourbar7_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    fourbar_equations(7, q, v, e);
}

static real fourbar7_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    return fourbar_lagrangian(7, q, v);
}

static void fourbar7_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)v;
    fourbar_rows(7, q, phi);
}

const hand hand_fourbar = {.model = "fourbar",
                           .n = 6,
                           .m = 5,
                           .kinds = "hhhhh",
                           .speed = 1,
                           .equations = fourbar2_equations,
                           .lagrangian = fourbar2_lagrangian,
                           .rows = fourbar2_rows};

const hand hand_fourbar_long = {.model = "fourbar",
                                .settings = "N = 7",
                                .n = 16,
                                .m = 15,
                                .kinds = "hhhhhhhhhhhhhhh",
                                .speed = 1,
                                .equations = fourbar7_equations,
                                .lagrangian = fourbar7_lagrangian,
                                .rows = fourbar7_rows};

/* -------------------------------------------------------------------------- car axis
 *
 * Springs of rest length 1/2 from (0, 0) and from (xb, yb), yb = sin(10 t)/10, xb = sqrt(1 - yb^2).
 */

static void caraxis_spring(double x, double y, double *F)
{
    double length = hypot(x, y);
    F[0] += (0.5 - length) * x / length;
    F[1] += (0.5 - length) * y / length;
}

static void caraxis_equations(double t, const double *q, const double *v, hand_equations *e)
{
    const double k = 5e-4;
    double s = sin(10 * t), c = cos(10 * t);
    double yb = 0.1 * s, yb1 = c, yb2 = -10 * s, xb = sqrt(1 - yb * yb);
    /* xb^2 = 1 - yb^2: xb xb' = -yb yb', xb xb'' = -yb'^2 - yb yb'' - xb'^2 */
    double xb1 = -yb * yb1 / xb, xb2 = -(yb1 * yb1 + yb * yb2 + xb1 * xb1) / xb;
    for (int i = 0; i < 4; i++) e->M[5 * i] = k;
    e->Q[1] = e->Q[3] = -k;
    caraxis_spring(q[0], q[1], e->Q);
    caraxis_spring(q[2] - xb, q[3] - yb, e->Q + 2);
    e->A[0] = xb;
    e->A[1] = yb;
    e->b[0] = -2 * (v[0] * xb1 + v[1] * yb1) - q[0] * xb2 - q[1] * yb2;
    double dx = q[0] - q[2], dy = q[1] - q[3], ux = v[0] - v[2], uy = v[1] - v[3];
    e->A[4] = 2 * dx;
    e->A[5] = 2 * dy;
    e->A[6] = -2 * dx;
    e->A[7] = -2 * dy;
    e->b[1] = -2 * (ux * ux + uy * uy);
}

static real caraxis_lagrangian(real t, const real *q, const real *v)
{
    const real k = 5e-4L;
    real yb = sinl(10 * t) / 10, xb = sqrtl(1 - yb * yb);
    real left = hypotl(q[0], q[1]) - 0.5L, right = hypotl(q[2] - xb, q[3] - yb) - 0.5L;
    real T = square(v[0]) + square(v[1]) + square(v[2]) + square(v[3]);
    return k / 2 * T - (square(left) + square(right)) / 2 - k * (q[1] + q[3]);
}

static void caraxis_rows(real t, const real *q, const real *v, real *phi)
{
    (void)v;
    real yb = sinl(10 * t) / 10, xb = sqrtl(1 - yb * yb);
    phi[0] = q[0] * xb + q[1] * yb;
    phi[1] = square(q[0] - q[2]) + square(q[1] - q[3]) - 1;
}

const hand hand_caraxis = {.model = "caraxis",
                           .n = 4,
                           .m = 2,
                           .kinds = "hh",
                           .speed = 1,
                           .equations = caraxis_equations,
                           .lagrangian = caraxis_lagrangian,
                           .rows = caraxis_rows};

/* ---------------------------------------------------------------------- slider-crank
 *
 * Coordinates phi (crank), psi (rod, downwards), s. The rod's centre is
 * (r cos phi + l/2 cos psi, r sin phi - l/2 sin psi), so its energy has the mixed term
 * -mr r l/2 cos(phi + psi) phi' psi'.
 */

static void slider_crank_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    const double r = 0.15, l = 0.4, mc = 1.2, mr = 0.8, ms = 2;
    double a = mr * r * l / 2;
    double c1 = cos(q[0]), s1 = sin(q[0]), c2 = cos(q[1]), s2 = sin(q[1]);
    e->M[0] = mc * r * r / 3 + mr * r * r;
    e->M[4] = mr * l * l / 12 + mr * l * l / 4;
    e->M[1] = e->M[3] = -a * cos(q[0] + q[1]);
    e->M[8] = ms;
    /* L_phi - (mixed term)': the parts with phi' psi' cancel, squares of the other rate remain */
    e->Q[0] = -a * sin(q[0] + q[1]) * v[1] * v[1] - 0.5 * v[0];
    e->Q[1] = -a * sin(q[0] + q[1]) * v[0] * v[0];
    e->Q[2] = -3 * v[2] - (v[2] > 0 ? 500 : 0);
    e->A[0] = -r * s1;
    e->A[1] = -l * s2;
    e->A[2] = -1;
    e->b[0] = r * c1 * v[0] * v[0] + l * c2 * v[1] * v[1];
    e->A[3] = r * c1;
    e->A[4] = -l * c2;
    e->b[1] = r * s1 * v[0] * v[0] - l * s2 * v[1] * v[1];
}

static real slider_crank_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    const real r = 0.15L, l = 0.4L, mc = 1.2L, mr = 0.8L, ms = 2;
    real cx = -r * sinl(q[0]) * v[0] - l / 2 * sinl(q[1]) * v[1];
    real cy = r * cosl(q[0]) * v[0] - l / 2 * cosl(q[1]) * v[1];
    return mc * r * r / 6 * square(v[0]) + mr / 2 * (square(cx) + square(cy)) +
           mr * l * l / 24 * square(v[1]) + ms / 2 * square(v[2]);
}

static void slider_crank_forces(real t, const real *q, const real *v, real *F)
{
    (void)t, (void)q;
    F[0] = -0.5L * v[0];
    F[2] = -3 * v[2] - (v[2] > 0 ? 500 : 0);
}

static void slider_crank_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)v;
    phi[0] = 0.15L * cosl(q[0]) + 0.4L * cosl(q[1]) - q[2];
    phi[1] = 0.15L * sinl(q[0]) - 0.4L * sinl(q[1]);
}

const hand hand_slider_crank = {.model = "slider_crank",
                                .n = 3,
                                .m = 2,
                                .kinds = "hh",
                                .speed = 2,
                                .equations = slider_crank_equations,
                                .lagrangian = slider_crank_lagrangian,
                                .forces = slider_crank_forces,
                                .rows = slider_crank_rows};

/* --------------------------------------------------------------------------- Andrews
 *
 * Coordinates beta theta gamma phi delta omega epsilon; the squared speeds of the centres of mass
 * multiplied out.
 */

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705,
                    m6 = 0.00706, m7 = 0.05498;
static const double I1 = 2.194e-06, I2 = 4.41e-07, I3 = 5.255e-06, I4 = 5.667e-07, I5 = 1.169e-05,
                    I6 = 5.667e-07, I7 = 1.912e-05;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072, c0 = 4530, l0 = 0.07785, mom = 0.033;
static const double d = 0.028, da = 0.0115, e_ = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092,
                    ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308,
                    tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                    fa = 0.01421;

static void andrews_mass(const double *q, double *M)
{
    double h = e_ - ea, k = zf - fa;
    double ct = cos(q[1]), sp = sin(q[3]), so = sin(q[5]);
    M[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * ct + da * da) + I1 + I2;
    M[1] = M[7] = m2 * (da * da - da * rr * ct) + I2;
    M[8] = m2 * da * da + I2;
    M[16] = m3 * (sa * sa + sb * sb) + I3;
    M[24] = m4 * h * h + I4;
    M[25] = M[31] = m4 * (h * h + zt * h * sp) + I4;
    M[32] = m4 * (zt * zt + 2 * zt * h * sp + h * h) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M[40] = m6 * k * k + I6;
    M[41] = M[47] = m6 * (k * k - u * k * so) + I6;
    M[48] = m6 * (k * k - 2 * u * k * so + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
}

static void andrews_force(const double *q, const double *v, double *Q)
{
    double h = e_ - ea, k = zf - fa;
    double sg = sin(q[2]), cg = cos(q[2]);
    double xd = xb + sc * sg + sd * cg - xc, yd = yb - sc * cg + sd * sg - yc;
    double length = sqrt(xd * xd + yd * yd), F = -c0 * (length - l0) / length;
    Q[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sin(q[1]);
    Q[1] = m2 * da * rr * v[0] * v[0] * sin(q[1]);
    Q[2] = F * (xd * (sc * cg - sd * sg) + yd * (sd * cg + sc * sg));
    Q[3] = m4 * zt * h * v[4] * v[4] * cos(q[3]);
    Q[4] = -m4 * zt * h * v[3] * (v[3] + 2 * v[4]) * cos(q[3]);
    Q[5] = -m6 * u * k * v[6] * v[6] * cos(q[5]);
    Q[6] = m6 * u * k * v[5] * (v[5] + 2 * v[6]) * cos(q[5]);
}

static void andrews_equations(double t, const double *q, const double *v, hand_equations *e)
{
    (void)t;
    andrews_mass(q, e->M);
    andrews_force(q, v, e->Q);
    double sbe = sin(q[0]), cbe = cos(q[0]), sbt = sin(q[0] + q[1]), cbt = cos(q[0] + q[1]);
    double sg = sin(q[2]), cg = cos(q[2]), spd = sin(q[3] + q[4]), cpd = cos(q[3] + q[4]);
    double sde = sin(q[4]), cde = cos(q[4]), soe = sin(q[5] + q[6]), coe = cos(q[5] + q[6]);
    double sep = sin(q[6]), cep = cos(q[6]);
    double b2 = v[0] * v[0], bt = v[0] + v[1], pd = v[3] + v[4], oe = v[5] + v[6];
    /* E, which stands in all three loops */
    for (int loop = 0; loop < 3; loop++) {
        double *X = e->A + 14 * loop, *Y = X + 7;
        X[0] = -rr * sbe + d * sbt;
        X[1] = d * sbt;
        Y[0] = rr * cbe - d * cbt;
        Y[1] = -d * cbt;
        e->b[2 * loop] = rr * cbe * b2 - d * cbt * bt * bt;
        e->b[2 * loop + 1] = rr * sbe * b2 - d * sbt * bt * bt;
    }
    double *A = e->A, *b = e->b;
    A[2] = -ss * cg;
    A[7 + 2] = -ss * sg;
    b[0] -= ss * sg * v[2] * v[2];
    b[1] += ss * cg * v[2] * v[2];
    A[14 + 3] = -e_ * cpd;
    A[14 + 4] = -e_ * cpd + zt * sde;
    A[21 + 3] = -e_ * spd;
    A[21 + 4] = -e_ * spd - zt * cde;
    b[2] -= e_ * spd * pd * pd + zt * cde * v[4] * v[4];
    b[3] += e_ * cpd * pd * pd - zt * sde * v[4] * v[4];
    A[28 + 5] = zf * soe;
    A[28 + 6] = zf * soe - u * cep;
    A[35 + 5] = -zf * coe;
    A[35 + 6] = -zf * coe - u * sep;
    b[4] -= zf * coe * oe * oe + u * sep * v[6] * v[6];
    b[5] += -zf * soe * oe * oe + u * cep * v[6] * v[6];
}

/* m (x'^2 + y'^2)/2 + J w^2/2 of a point that is a sum of two arms a, b along and across angles. */
static real andrews_body(double m, double J, const real *velocity, real w)
{
    return (real)m / 2 * (square(velocity[0]) + square(velocity[1])) + (real)J / 2 * square(w);
}

/* adds the velocity of `along` (cos, sin) + `across` (sin, -cos) at the angle, turning with w */
static void andrews_arm(real along, real across, real angle, real w, real *velocity)
{
    velocity[0] += w * (-along * sinl(angle) + across * cosl(angle));
    velocity[1] += w * (along * cosl(angle) + across * sinl(angle));
}

static real andrews_lagrangian(real t, const real *q, const real *v)
{
    (void)t;
    real c[7][2] = {{0}};
    andrews_arm(ra, 0, q[0], v[0], c[0]);
    andrews_arm(rr, 0, q[0], v[0], c[1]);
    andrews_arm(-da, 0, q[0] + q[1], v[0] + v[1], c[1]);
    andrews_arm(sb, sa, q[2], v[2], c[2]);
    andrews_arm(zt, 0, q[4], v[4], c[3]);
    andrews_arm(0, (real)e_ - ea, q[3] + q[4], v[3] + v[4], c[3]);
    andrews_arm(ta, -tb, q[4], v[4], c[4]);
    andrews_arm(0, u, q[6], v[6], c[5]);
    andrews_arm((real)zf - fa, 0, q[5] + q[6], v[5] + v[6], c[5]);
    andrews_arm(-ub, ua, q[6], v[6], c[6]);
    real T = andrews_body(m1, I1, c[0], v[0]) + andrews_body(m2, I2, c[1], v[0] + v[1]) +
             andrews_body(m3, I3, c[2], v[2]) + andrews_body(m4, I4, c[3], v[3] + v[4]) +
             andrews_body(m5, I5, c[4], v[4]) + andrews_body(m6, I6, c[5], v[5] + v[6]) +
             andrews_body(m7, I7, c[6], v[6]);
    real xd = xb + sc * sinl(q[2]) + sd * cosl(q[2]), yd = yb - sc * cosl(q[2]) + sd * sinl(q[2]);
    return T - (real)c0 / 2 * square(hypotl(xd - xc, yd - yc) - l0);
}

static void andrews_forces(real t, const real *q, const real *v, real *F)
{
    (void)t, (void)q, (void)v;
    F[0] = mom;
}

static void andrews_rows(real t, const real *q, const real *v, real *phi)
{
    (void)t, (void)v;
    real Ex = rr * cosl(q[0]) - d * cosl(q[0] + q[1]), Ey = rr * sinl(q[0]) - d * sinl(q[0] + q[1]);
    phi[0] = Ex - ss * sinl(q[2]) - xb;
    phi[1] = Ey + ss * cosl(q[2]) - yb;
    phi[2] = Ex - e_ * sinl(q[3] + q[4]) - zt * cosl(q[4]) - xa;
    phi[3] = Ey + e_ * cosl(q[3] + q[4]) - zt * sinl(q[4]) - ya;
    phi[4] = Ex - zf * cosl(q[5] + q[6]) - u * sinl(q[6]) - xa;
    phi[5] = Ey - zf * sinl(q[5] + q[6]) + u * cosl(q[6]) - ya;
}

const hand hand_andrews = {.model = "andrews",
                           .n = 7,
                           .m = 6,
                           .kinds = "hhhhhh",
                           .speed = 100,
                           .equations = andrews_equations,
                           .lagrangian = andrews_lagrangian,
                           .forces = andrews_forces,
                           .rows = andrews_rows};
