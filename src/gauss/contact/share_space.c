/*
 * Changes of forces that leave the motion as it is. With S the forces that follow from the unknowns y
 * of a mode (normals and sticking tangents; the friction of what slides goes with its normal), they are
 * S y with G S y = 0, or S^T G S y = 0; normals on which something slides keep their shares. Where joints slide, their pressures go with the multipliers, rho = P x: for
 * the forces E y of the rows and e_j of each pressure, (I - P e) rho = P E y. Cholesky's factor with pivots, relative to the diagonal, tells the
 * dependent ones; each gives a vector, and they are made orthonormal by V. Where G is not symmetric it is |G S y|^2
 * that is 0.
 */
#include <math.h>
#include <string.h>

#include "linalg.h"
#include "share_space.h"

/* The force of unknown `row` alone, y = 1: [r]. */
static void unit_force(const zg_island *c, const zg_trial *t, int32_t row, double *x)
{
    memset(x, 0, sizeof *x * (size_t)c->r);
    x[row] = 1.0;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (f->contact < 0 || t->friction[n] != ZG_SLIDE) continue;
        if (c->contact[f->contact].normal != row) continue;
        for (int32_t j = 0; j < f->width; j++) x[f->first + j] = -f->mu * t->direction[3 * n + j];
    }
}

/* Joints that slide, in s->sliding, and I - P e in s->newton; how many. */
static int32_t list_sliding(const zg_island *c, zg_mode_system *s, const zg_trial *t)
{
    int32_t count = 0;
    for (int32_t n = 0; n < c->frictions; n++)
        if (c->friction[n].contact < 0 && t->friction[n] == ZG_SLIDE && c->friction[n].mu > 0.0)
            s->sliding[count++] = n;
    for (int32_t j = 0; j < count; j++) {
        const double *p = s->press + (size_t)s->sliding[j] * (size_t)(c->r + 1);
        for (int32_t k = 0; k < count; k++) {
            const island_friction *f = &c->friction[s->sliding[k]];
            double sum = j == k ? 1.0 : 0.0;
            for (int32_t i = 0; i < f->width; i++)
                sum += p[f->first + i] * f->mu * t->direction[3 * s->sliding[k] + i];
            s->newton[j * count + k] = sum;
        }
    }
    return count;
}

/* x, with the friction on joints that follows from it. Where no pressure does, none is added. */
static void add_sliding(const zg_island *c, zg_mode_system *s, const zg_trial *t, int32_t count,
                        double *x)
{
    double *B = s->newton + count * count, *rho = B + count * count;
    if (count == 0) return;
    memcpy(B, s->newton, sizeof *B * (size_t)(count * count));
    for (int32_t j = 0; j < count; j++) rho[j] = zg_press_at(c, s, s->sliding[j], x, false);
    if (!zg_solve_square(count, B, rho)) return;
    for (int32_t j = 0; j < count; j++) {
        const island_friction *f = &c->friction[s->sliding[j]];
        for (int32_t i = 0; i < f->width; i++)
            x[f->first + i] -= f->mu * rho[j] * t->direction[3 * s->sliding[j] + i];
    }
}

static double product(const double *x, const double *y, int32_t count)
{
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) sum += x[i] * y[i];
    return sum;
}

/* x [r] = G^T x; behind it as much room. */
static void multiply_by_transpose(const zg_island *c, double *x)
{
    size_t r = (size_t)c->r;
    memcpy(x + r, x, sizeof *x * r);
    for (size_t j = 0; j < r; j++) {
        x[j] = 0.0;
        for (size_t i = 0; i < r; i++) x[j] += c->G[i * r + j] * x[r + i];
    }
}

/* S^T G S in s->K, scaled to a diagonal of 1 by s->left; forces S in s->U. */
static void write_gram(const zg_island *c, zg_mode_system *s, const zg_trial *t)
{
    int32_t k = s->k, r = c->r;
    int32_t sliding = list_sliding(c, s, t);
    for (int32_t i = 0; i < k; i++) {
        unit_force(c, t, s->unknown[i], s->U + (size_t)i * (size_t)r);
        add_sliding(c, s, t, sliding, s->U + (size_t)i * (size_t)r);
    }
    for (int32_t i = 0; i < k; i++) {
        const double *x = s->U + (size_t)i * (size_t)r;
        for (int32_t j = 0; j < r; j++) s->spread[j] = product(c->G + (size_t)j * (size_t)r, x, r);
        if (c->held > 0) multiply_by_transpose(c, s->spread);
        for (int32_t j = 0; j < k; j++)
            s->K[(size_t)i * (size_t)k + (size_t)j] =
                product(s->spread, s->U + (size_t)j * (size_t)r, r);
    }
    for (int32_t i = 0; i < k; i++) {
        double own = s->K[(size_t)i * (size_t)(k + 1)];
        s->left[i] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    for (int32_t i = 0; i < k; i++)
        for (int32_t j = 0; j < k; j++)
            s->K[(size_t)i * (size_t)k + (size_t)j] *= s->left[i] * s->left[j];
}

/* x V y over the rows that hold. */
static double weighted(const zg_trial *t, const double *V, int32_t r, const double *x,
                       const double *y)
{
    double sum = 0.0;
    for (int32_t i = 0; i < r; i++)
        if (t->row[i] != ZG_ROW_OFF) sum += x[i] * (V ? V[i] : 1.0) * y[i];
    return sum;
}

/* Gram and Schmidt, twice for each. */
static int32_t orthonormalise(const zg_island *c, const zg_trial *t, const double *V, double *Z,
                              int32_t count)
{
    int32_t kept = 0;
    size_t r = (size_t)c->r;
    for (int32_t i = 0; i < count; i++) {
        double *z = Z + (size_t)kept * r;
        if (i != kept) memcpy(z, Z + (size_t)i * r, sizeof *z * r);
        double whole = sqrt(weighted(t, V, c->r, z, z));
        for (int32_t j = 0; j < 2 * kept; j++) {
            const double *other = Z + (size_t)(j % kept) * r;
            double part = weighted(t, V, c->r, z, other);
            for (size_t m = 0; m < r; m++) z[m] -= part * other[m];
        }
        double left = sqrt(weighted(t, V, c->r, z, z));
        if (!(left > 1e-10 * whole)) continue;
        for (size_t m = 0; m < r; m++) z[m] /= left;
        kept++;
    }
    return kept;
}

/* A row that cannot move carries what its law allows where that presses on joints; elsewhere nothing. */
static bool is_loose(const zg_island *c, const zg_mode_system *s, int32_t row)
{
    for (int32_t n = 0; n < c->frictions; n++)
        if (c->friction[n].contact < 0 &&
            fabs(s->press[(size_t)n * (size_t)(c->r + 1) + (size_t)row]) > 0.0)
            return true;
    return false;
}

/* Row i is the normal of a contact on which something slides: its share, by which the friction is, is that
 * of springs, and no other where s->loose does not say so. */
static bool is_slid_on(const zg_island *c, const zg_trial *t, int32_t i)
{
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        bool slides = t->friction[n] == ZG_SLIDE && f->mu > 0.0;
        if (slides && f->contact >= 0 && c->contact[f->contact].normal == i) return true;
    }
    return false;
}

/* Unknowns of t, by its rows. */
static void list_holding(const zg_island *c, zg_mode_system *s, const zg_trial *t)
{
    s->k = 0;
    for (int32_t i = 0; i < c->r; i++)
        if (t->row[i] != ZG_ROW_OFF && !(c->held > 0 && c->is_held[i]) &&
            (c->own[i] > 0.0 || is_loose(c, s, i)) && (s->loose || !is_slid_on(c, t, i)))
            s->unknown[s->k++] = i;
}

int32_t zg_share_space(const zg_island *c, zg_mode_system *s, const zg_trial *t, const double *V)
{
    size_t r = (size_t)c->r;
    list_holding(c, s, t);
    write_gram(c, s, t);
    za_pivoted p = {.n = s->k, .ld = s->k, .X = s->K, .order = s->swap};
    za_pivoted_factor(&p, c->held > 0 ? 1e-14 : c->rank);
    int32_t count = s->k - p.rank;
    for (int32_t d = 0; d < count; d++) {
        double *y = s->spread, *z = s->Z + (size_t)d * r;
        for (int32_t i = 0; i < p.rank; i++)
            y[i] = s->K[(size_t)i * (size_t)s->k + (size_t)(p.rank + d)];
        za_pivoted_upper(&p, y);
        memset(z, 0, sizeof *z * r);
        for (int32_t i = 0; i <= p.rank; i++) {
            int32_t at = p.order[i < p.rank ? i : p.rank + d];
            double part = (i < p.rank ? -y[i] : 1.0) * s->left[at];
            for (size_t j = 0; j < r; j++) z[j] += part * s->U[(size_t)at * r + j];
        }
    }
    return orthonormalise(c, t, V, s->Z, count);
}

bool zg_is_shared(const zg_island *c, const zg_mode_system *s, int32_t nullity, int32_t row)
{
    double sum = 0.0, all = 0.0;
    for (int32_t i = 0; i < nullity; i++) {
        const double *z = s->Z + (size_t)i * (size_t)c->r;
        double largest = 0.0;
        for (int32_t j = 0; j < c->r; j++) largest = fmax(largest, fabs(z[j]));
        sum = fmax(sum, fabs(z[row]));
        all = fmax(all, largest);
    }
    return sum > 1e-9 * all;
}
