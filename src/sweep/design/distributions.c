/*
 * From a number in (0, 1) to one of a distribution: the quantile, the inverse of the distribution
 * function. So any design, and any point of it alone, serves any distribution.
 *
 * That of the normal distribution is found from Phi itself by Halley's method, from a rough first
 * value; with P(x) = 1/2 + phi(x) (x + x^3/3 + x^5/15 + ...) for the middle and Laplace's continued
 * fraction 1 - Phi(x) = phi(x) / (x + 1/(x + 2/(x + ...))) for the tail. Elementary functions are
 * ours, so the bits are the same everywhere.
 */
#include "design.h"

static const double root_two_pi = 2.50662827463100050242;

/* ---------------------------------------------------------------------------- normal */

static double normal_density(double x)
{
    return zb_exp(-0.5 * x * x) / root_two_pi;
}

/* Phi(x) - 1/2 for 0 <= x <= 2: all terms are positive. */
static double normal_middle(double x)
{
    double term = x, sum = x;
    for (int k = 3; k < 200 && term > 1e-18 * sum; k += 2) {
        term *= x * x / k;
        sum += term;
    }
    return sum * normal_density(x);
}

/* 1 - Phi(x) for x > 2: the fraction from its end. */
static double normal_tail(double x)
{
    double below = x;
    for (int k = 120; k > 0; k--) below = x + k / below;
    return normal_density(x) / below;
}

/* x > 0 with 1 - Phi(x) = p, p < 1/2. About to 0.01 at first: (Hastings' form with rounded numbers is
 * all that Halley's method needs). */
static double find_upper_normal(double p)
{
    double s = zb_sqrt(-2.0 * zb_log(p));
    double x = s - (2.5 + 0.8 * s) / (1.0 + 1.43 * s + 0.19 * s * s);
    if (!(x > 0.0)) x = 0.0;
    for (int round = 0; round < 4; round++) {
        double error = x > 2.0 ? p - normal_tail(x) : normal_middle(x) - (0.5 - p);
        double newton = error / normal_density(x); /* Phi(x) - Phi(wanted), over the density */
        double step = newton / (1.0 + 0.5 * x * newton);
        x -= step;
        if (zb_abs(step) <= 1e-7 * (x > 1.0 ? x : 1.0))
            break; /* the next would be below rounding */
    }
    return x;
}

double zs_normal_quantile(double u)
{
    if (u == 0.5) return 0.0; /* NOLINT: exactly */
    return u < 0.5 ? -find_upper_normal(u) : find_upper_normal(1.0 - u);
}

/* ---------------------------------------------------------------------------- all of them */

static double find_triangular(const double p[3], double u)
{
    double width = p[2] - p[0], left = p[1] - p[0], right = p[2] - p[1];
    if (u * width < left) return p[0] + zb_sqrt(u * width * left);
    return p[2] - zb_sqrt((1.0 - u) * width * right);
}

double zs_quantile(zs_distribution distribution, const double p[3], double u)
{
    switch (distribution) {
    case ZS_NORMAL:
        return p[0] + p[1] * zs_normal_quantile(u);
    case ZS_LOGNORMAL:
        return zb_exp(p[0] + p[1] * zs_normal_quantile(u));
    case ZS_EXPONENTIAL:
        return -p[0] * zb_log(1.0 - u);
    case ZS_TRIANGULAR:
        return find_triangular(p, u);
    default:
        return p[0] + (p[1] - p[0]) * u;
    }
}

bool zs_is_sensible(zs_distribution distribution, const double p[3])
{
    switch (distribution) {
    case ZS_NORMAL:
    case ZS_LOGNORMAL:
        return p[1] >= 0.0;
    case ZS_EXPONENTIAL:
        return p[0] > 0.0;
    case ZS_TRIANGULAR:
        return p[0] <= p[1] && p[1] <= p[2] && p[0] < p[2];
    default:
        return p[0] < p[1];
    }
}
