/*
 * Proofs that an instant with friction has one motion at most.
 *
 * Let two solutions differ by dx, du = G dx. Normals give dx_n du_n <= 0, and friction, which does as
 * much negative work as its cone allows (or has a fixed direction), dx_t du_t <= mu |drho| |du_t|. So
 *
 *     dx^T G dx <= sum over frictions of mu |drho| |du_t| <= b dx^T G dx
 *     b = sum mu sqrt(|G_tt|) sqrt((G^-1)_nn)        on joints sqrt(|L G^-1 L^T|) for the last
 *
 * and b < 1 leaves dx^T G dx = 0. It holds in the plane and in space, for mixed slip and rest, as long
 * as static and dynamic coefficients are the same; where they are not, b counts the larger and the
 * rule that sticking goes first decides. G is that of all rows and must be regular.
 *
 * Where all frictions slip and press on contacts the problem is linear, 0 <= N, 0 <= G_s N + f, with
 * G_s = G_nn - mu G_nt d, and has one solution for every f if and only if all principal minors of G_s
 * are positive (P-matrix). Rows that motors hold have no such proofs. Tests: symmetric part definite; diagonally dominant; all minors, up to 12 contacts.
 */
#include <math.h>
#include <string.h>

#include "mode_search.h"

enum { most_minors = 12 };

/* The factor of G on all rows that can move; false: singular. */
static bool factor_all(const zg_island *c, zg_mode_system *s)
{
    size_t ld = (size_t)c->r;
    for (int32_t i = 0; i < c->r; i++) {
        double *u = s->U + (size_t)i * ld, left = c->G[(size_t)i * ld + (size_t)i];
        if (!(c->own[i] > 0.0)) return false;
        memcpy(u, c->G + (size_t)i * ld, sizeof *u * ld);
        for (int32_t k = 0; k < i; k++) {
            const double *v = s->U + (size_t)k * ld, x = v[i];
            left -= x * x;
            for (int32_t j = i + 1; j < c->r; j++) u[j] -= x * v[j];
        }
        if (!(left > c->rank * c->own[i])) return false;
        u[i] = sqrt(left);
        for (int32_t j = i + 1; j < c->r; j++) u[j] /= u[i];
    }
    return true;
}

/* |U^-T x|^2 = x^T G^-1 x; x is overwritten. */
static double inverse_size(const zg_island *c, const zg_mode_system *s, double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < c->r; i++) {
        const double *u = s->U + (size_t)i * (size_t)c->r;
        x[i] /= u[i];
        sum += x[i] * x[i];
        for (int32_t j = i + 1; j < c->r; j++) x[j] -= u[j] * x[i];
    }
    return sum;
}

/* How much the pressure may change, per sqrt(dx^T G dx). A caller's function: not known. */
static double pressure_slope(const zg_island *c, zg_mode_system *s, const island_friction *f)
{
    double *x = s->spread, sum = 0.0;
    if (f->contact >= 0) {
        memset(x, 0, sizeof *x * (size_t)c->r);
        x[c->contact[f->contact].normal] = 1.0;
        return sqrt(inverse_size(c, s, x));
    }
    if (f->pressure) return HUGE_VAL;
    for (int32_t i = 0; i < f->joints; i++) {
        memcpy(x, c->L + (size_t)(f->joint_first + i) * (size_t)c->r, sizeof *x * (size_t)c->r);
        sum += inverse_size(c, s, x);
    }
    return sqrt(sum);
}

/* Largest eigenvalue of the friction's own block: its trace is no less. */
static double slip_slope(const zg_island *c, const island_friction *f)
{
    double sum = 0.0;
    for (int32_t j = f->first; j < f->first + f->width; j++)
        sum += c->G[(size_t)j * (size_t)(c->r + 1)];
    return sqrt(sum);
}

double zg_uniqueness_bound(const zg_island *c, zg_mode_system *s)
{
    double bound = 0.0;
    if (c->held > 0 || !factor_all(c, s)) return HUGE_VAL;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (!(f->mu_static > 0.0)) continue;
        bound += f->mu_static * slip_slope(c, f) * pressure_slope(c, s, f);
    }
    return bound;
}

/* ------------------------------------------------------------------------ P-matrix */

/* G_s in s->K [contacts*contacts]; every friction slips and presses on a contact. */
static void write_sliding(const zg_island *c, zg_mode_system *s)
{
    int32_t k = c->contacts;
    for (int32_t i = 0; i < k; i++) {
        const double *g = c->G + (size_t)c->contact[i].normal * (size_t)c->r;
        double *to = s->K + (size_t)i * (size_t)k;
        for (int32_t j = 0; j < k; j++) to[j] = g[c->contact[j].normal];
        for (int32_t n = 0; n < c->frictions; n++) {
            const island_friction *f = &c->friction[n];
            for (int32_t j = 0; j < f->width; j++)
                to[f->contact] -= f->mu * g[f->first + j] * f->slip[j];
        }
    }
}

static bool is_dominant(const double *K, int32_t k)
{
    for (int32_t i = 0; i < k; i++) {
        double sum = 0.0;
        for (int32_t j = 0; j < k; j++)
            if (j != i) sum += fabs(K[(size_t)i * (size_t)k + (size_t)j]);
        if (!(K[(size_t)i * (size_t)(k + 1)] > sum)) return false;
    }
    return true;
}

/* Whether the symmetric part has a factor; X [k*k]. */
static bool is_definite(const double *K, int32_t k, double *X)
{
    size_t ld = (size_t)k;
    for (size_t i = 0; i < ld; i++) {
        for (size_t j = 0; j <= i; j++) {
            double sum = 0.5 * (K[i * ld + j] + K[j * ld + i]);
            for (size_t m = 0; m < j; m++) sum -= X[i * ld + m] * X[j * ld + m];
            if (i == j && !(sum > 1e-10)) return false;
            X[i * ld + j] = i == j ? sqrt(sum) : sum / X[j * ld + j];
        }
    }
    return true;
}

/* Whether the minor of the rows in `set` is positive, by elimination without interchanges: all smaller
 * leading ones are, when sets are tried in ascending order. */
static bool minor_positive(const double *K, int32_t k, uint32_t set)
{
    double X[most_minors * most_minors];
    int32_t list[most_minors], n = 0;
    for (int32_t i = 0; i < k; i++)
        if (set >> i & 1) list[n++] = i;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) X[i * n + j] = K[list[i] * k + list[j]];
    for (int32_t p = 0; p < n; p++) {
        if (!(X[p * n + p] > 1e-12)) return false;
        for (int32_t i = p + 1; i < n; i++) {
            double part = X[i * n + p] / X[p * n + p];
            for (int32_t j = p + 1; j < n; j++) X[i * n + j] -= part * X[p * n + j];
        }
    }
    return true;
}

bool zg_is_p_matrix(const zg_island *c, zg_mode_system *s)
{
    if (c->held > 0) return false;
    int32_t k = c->contacts;
    write_sliding(c, s);
    if (is_dominant(s->K, k) || is_definite(s->K, k, s->U)) return true;
    if (k > most_minors) return false;
    for (uint32_t set = 1; set < 1u << k; set++)
        if (!minor_positive(s->K, k, set)) return false;
    return true;
}
