/*
 * Pressures of joints that slide. The multipliers are affine in them, lambda = h0 + H rho, and
 *
 *     rho_j = g_j(h0 + H rho)        g_j the norm of joint j's multipliers, or the caller's function
 *
 * is solved by Newton's method with the gradient of g (semismooth where lambda = 0), halving a step
 * that leads away. One solution is certain where the matrix of |dg_j / drho_k| <= B_jk has a
 * spectral radius below 1, which no choice of units changes; `feedback` is an upper bound of it, by Collatz and
 * Wielandt: max_j (B v)_j / v_j for any v > 0. Where it is not, joints of one multiplier each are
 * solved for every choice of signs s_j, rho = S (h0 + H rho), and what is nonnegative counts.
 *
 * A mode may ask for a sign (zg_trial.side): then g_j = s_j lambda_j, all is linear, and a rho_j below 0 is told by
 * the laws. Norms of several are convex in each rho_k: Newton's method from 0 finds the least solution, from
 * afar the largest.
 */
#include <math.h>
#include <string.h>

#include "mode_system.h"

enum { most_rounds = 60, most_signs = 8, most_joint = 64 };

static const double from_afar = 1e6;

static double norm_of(const double *x, int32_t count)
{
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) sum = hypot(sum, x[i]);
    return sum;
}

bool zg_is_single(const island_friction *f)
{
    return f->contact < 0 && f->joints == 1 && !f->pressure;
}

double zg_joint_pressure(const island_friction *f, const double *lambda, double *gradient)
{
    double unused[most_joint];
    const double *own = lambda + f->joint_first;
    if (!gradient) gradient = unused;
    if (f->pressure) {
        double g = f->pressure(f->user, own, gradient);
        for (int32_t i = 0; g < 0.0 && i < f->joints; i++) gradient[i] = -gradient[i];
        return fabs(g);
    }
    double g = f->joints == 1 ? fabs(own[0]) : norm_of(own, f->joints);
    for (int32_t i = 0; i < f->joints && i < most_joint; i++)
        gradient[i] = g > 0.0 ? own[i] / g : 0.0;
    return g;
}

/* As zg_joint_pressure, with the sign that the mode asks for. */
static double asked_pressure(const island_friction *f, int8_t side, const double *lambda,
                             double *gradient)
{
    if (side != ZG_SIDE_MINUS && side != ZG_SIDE_PLUS)
        return zg_joint_pressure(f, lambda, gradient);
    if (gradient) gradient[0] = side;
    return side * lambda[f->joint_first];
}

/* lambda of the island for these pressures, into t. */
static void multipliers_at(const zg_island *c, const zg_mode_system *s, const double *rho,
                           double *lambda)
{
    for (int32_t i = 0; i < c->joints; i++) {
        lambda[i] = s->H[i];
        for (int32_t j = 0; j < s->joints; j++)
            lambda[i] += rho[j] * s->H[(size_t)(j + 1) * (size_t)c->joints + (size_t)i];
    }
}

/* F_j = rho_j - g_j; J [joints*joints] or NULL its derivative. Returns max |F_j| / (rho_j + |h0_j|). */
static double pressure_residual(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                                const double *rho, double *F, double *J)
{
    double worst = 0.0, gradient[most_joint], *lambda = t->lambda;
    multipliers_at(c, s, rho, lambda);
    for (int32_t j = 0; j < s->joints; j++) {
        const island_friction *f = &c->friction[s->sliding[j]];
        double g = asked_pressure(f, t->side[s->sliding[j]], lambda, gradient);
        double size = fabs(rho[j]) + norm_of(s->H + f->joint_first, f->joints);
        F[j] = rho[j] - g;
        if (F[j] != 0.0) worst = fmax(worst, fabs(F[j]) / size);
        for (int32_t k = 0; J && k < s->joints; k++) {
            const double *h = s->H + (size_t)(k + 1) * (size_t)c->joints + (size_t)f->joint_first;
            double slope = 0.0;
            for (int32_t i = 0; i < f->joints; i++) slope += gradient[i] * h[i];
            J[j * s->joints + k] = (j == k ? 1.0 : 0.0) - slope;
        }
    }
    return worst;
}

bool zg_solve_square(int32_t n, double *B, double *x)
{
    for (int32_t k = 0; k < n; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < n; i++)
            if (fabs(B[i * n + k]) > fabs(B[best * n + k])) best = i;
        if (!(fabs(B[best * n + k]) > 1e-300)) return false;
        for (int32_t j = 0; best != k && j < n; j++) {
            double y = B[k * n + j];
            B[k * n + j] = B[best * n + j];
            B[best * n + j] = y;
        }
        double y = x[k];
        x[k] = x[best];
        x[best] = y;
        for (int32_t i = k + 1; i < n; i++) {
            double part = B[i * n + k] / B[k * n + k];
            if (part == 0.0) continue;
            for (int32_t j = k + 1; j < n; j++) B[i * n + j] -= part * B[k * n + j];
            x[i] -= part * x[k];
        }
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        for (int32_t j = k + 1; j < n; j++) x[k] -= B[k * n + j] * x[j];
        x[k] /= B[k * n + k];
    }
    return true;
}

/* The bound of the feedback: |H_jk| for norms, the slope at the solution for other functions. */
static double pressure_feedback(const zg_island *c, zg_mode_system *s, const double *lambda,
                                double *B)
{
    int32_t n = s->joints;
    double *v = B + n * n, *next = v + n, gradient[most_joint], bound = 0.0;
    for (int32_t j = 0; j < n; j++) {
        const island_friction *f = &c->friction[s->sliding[j]];
        if (f->pressure) zg_joint_pressure(f, lambda, gradient);
        for (int32_t k = 0; k < n; k++) {
            const double *h = s->H + (size_t)(k + 1) * (size_t)c->joints + (size_t)f->joint_first;
            double slope = 0.0;
            for (int32_t i = 0; f->pressure && i < f->joints; i++) slope += gradient[i] * h[i];
            B[j * n + k] = f->pressure ? fabs(slope) : norm_of(h, f->joints);
        }
        v[j] = 1.0;
    }
    for (int32_t round = 0; round < 20; round++) {
        double most = 0.0;
        for (int32_t j = 0; j < n; j++) {
            next[j] = 0.0;
            for (int32_t k = 0; k < n; k++) next[j] += B[j * n + k] * v[k];
            most = fmax(most, next[j] / v[j]);
        }
        bound = round ? fmin(bound, most) : most;
        double floor = 1e-6 * most;
        for (int32_t j = 0; j < n; j++)
            v[j] = fmax(next[j], floor * v[j]) / (most > 0.0 ? most : 1.0);
        for (int32_t j = 0; j < n; j++)
            if (!(v[j] > 1e-100)) v[j] = 1e-100;
    }
    return bound;
}

static bool newton_pressures(const zg_island *c, zg_mode_system *s, zg_trial *t, double *rho)
{
    int32_t n = s->joints;
    double *F = rho + n, *trial = F + n, *J = trial + 2 * n, *step = trial + n;
    double worst = pressure_residual(c, s, t, rho, F, J);
    for (int32_t round = 0; round < most_rounds && worst > 4.0 * zb_eps; round++) {
        memcpy(step, F, (size_t)n * sizeof *step);
        if (!zg_solve_square(n, J, step)) return false;
        double part = 1.0, next = 0.0;
        for (int32_t halving = 0; halving < 6; halving++, part *= 0.5) {
            for (int32_t j = 0; j < n; j++) trial[j] = rho[j] - part * step[j];
            next = pressure_residual(c, s, t, trial, F, J);
            if (next < worst) break;
        }
        if (!(next < worst) && worst < 1e-12) break;
        memcpy(rho, trial, (size_t)n * sizeof *rho);
        worst = next;
    }
    return worst < 1e-10;
}

/* Every choice of signs, joints of one multiplier: how many solutions; the first is left in rho. */
static int32_t count_signs(const zg_island *c, zg_mode_system *s, double *rho)
{
    int32_t n = s->joints, found = 0;
    double *x = rho + n, *J = x + 4 * n, scale = 0.0;
    for (int32_t signs = 0; signs < 1 << n; signs++) {
        for (int32_t j = 0; j < n; j++) {
            int32_t at = c->friction[s->sliding[j]].joint_first;
            double sign = signs >> j & 1 ? -1.0 : 1.0;
            x[j] = sign * s->H[at];
            for (int32_t k = 0; k < n; k++)
                J[j * n + k] = (j == k ? 1.0 : 0.0) - sign * s->H[(k + 1) * c->joints + at];
        }
        if (!zg_solve_square(n, J, x)) continue;
        bool nonnegative = true, same = found > 0;
        for (int32_t j = 0; j < n; j++) scale = fmax(scale, fabs(x[j]));
        for (int32_t j = 0; j < n; j++) {
            nonnegative &= x[j] >= -1e-10 * scale;
            same &= found > 0 && fabs(x[j] - rho[j]) <= 1e-8 * scale;
        }
        if (!nonnegative || same) continue;
        if (found++ == 0) memcpy(rho, x, (size_t)n * sizeof *rho);
    }
    return found;
}

bool zg_settle_pressures(const zg_island *c, zg_mode_system *s, zg_trial *t, double *rho)
{
    int32_t n = s->joints;
    bool single = n <= most_signs, asked = false;
    for (int32_t j = 0; j < n; j++) {
        const island_friction *f = &c->friction[s->sliding[j]];
        int8_t side = t->side[s->sliding[j]];
        if (f->joints > most_joint) return false;
        rho[j] = fabs(asked_pressure(f, side, s->H, NULL));
        if (side == ZG_SIDE_FAR) rho[j] *= from_afar;
        single &= zg_is_single(f);
        asked |= side != ZG_SIDE_ANY;
    }
    bool solved = newton_pressures(c, s, t, rho);
    if (!solved) multipliers_at(c, s, rho, t->lambda);
    t->feedback = pressure_feedback(c, s, t->lambda, rho + 5 * n);
    if (t->feedback < 1.0 || !single || asked) return solved;
    int32_t found = count_signs(c, s, rho);
    t->branches = found > 1;
    return found > 0;
}
