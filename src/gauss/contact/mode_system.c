/*
 * The equations of a mode. Unknowns are the forces x_i of the rows that hold, normals N of contacts
 * that touch and tangents of frictions that stick; where a friction slides its force is -mu d (N + offset), or
 * -mu d rho_j on a joint j. With e_j the force of joint j for rho_j = 1 and x0 what does not depend on the
 * unknowns,
 *
 *     K x = -(w + G x0) - sum_j rho_j G e_j,        K = G - mu G_t d in the columns of N
 *
 * so x is affine in rho, and rho follows from the multipliers (joint_pressure.c). Without sliding on
 * contacts K = U^T U by Cholesky's factor, pivots relative to each row's own size. It tells the
 * rank, too: from the first pivot below the tolerance on rows depend on those before, G_d = G_b C, and
 * the closure takes their place,
 *
 *     y^T V x = 0  for y = (-C_d, e_d)        springs of stiffness W, in the limit of stiff ones
 *
 * K is eliminated with row interchanges; one correction by the residual follows. The arrays hold the unknowns
 * in the order of pivots. Where G is not symmetric the same by G = L U, L with a diagonal of 1, pivots on the
 * diagonal, rows that motors hold first: what follows from them carries nothing, for V is 0 there. K is then what
 * is solved with.
 */
#include "mode_system.h"

#include <math.h>
#include <string.h>

static const double least_pivot = 1e-13; /* of K, whose entries are about 1 */

bool zg_has_pressure(const zg_island *c, const zg_trial *t, int32_t friction)
{
    int32_t contact = c->friction[friction].contact;
    return contact < 0 || t->contact[contact] == ZG_TOUCHING || c->contact[contact].offset > 0.0;
}

/* ---------------------------------------------------------------------- unknowns */

/* A row that follows from others. */
static void follow_row(zg_trial *t, int32_t row)
{
    t->closed++;
    t->row[row] = ZG_ROW_IMPLIED;
}

/* Rows that hold; those that cannot move follow from nothing, and are no unknowns. */
static void hold_row(const zg_island *c, zg_mode_system *s, zg_trial *t, int32_t row)
{
    follow_row(t, row);
    if (c->own[row] > 0.0)
        s->unknown[s->k++] = row;
    else
        s->fixed++;
}

static void list_unknowns(const zg_island *c, zg_mode_system *s, zg_trial *t)
{
    s->k = s->joints = s->fixed = t->closed = 0;
    s->mixed = false;
    memset(t->row, ZG_ROW_OFF, (size_t)c->r * sizeof *t->row);
    for (int32_t i = 0; c->held > 0 && i < c->r; i++)
        if (c->is_held[i]) hold_row(c, s, t, i);
    for (int32_t i = 0; i < c->contacts; i++) {
        if (t->contact[i] == ZG_TOUCHING) hold_row(c, s, t, c->contact[i].normal);
        if (t->contact[i] == ZG_UNLOADED) follow_row(t, c->contact[i].normal);
    }
    for (int32_t i = 0; i < c->frictions; i++) {
        const island_friction *f = &c->friction[i];
        if (!zg_has_pressure(c, t, i)) t->friction[i] = ZG_IDLE;
        int32_t free = t->friction[i] == ZG_STICK ? 0 : t->friction[i] == ZG_HELD ? 1 : f->width;
        for (int32_t j = free; j < f->width; j++) hold_row(c, s, t, f->first + j);
        if (t->friction[i] != ZG_SLIDE || !(f->mu > 0.0)) continue;
        if (f->contact < 0)
            s->sliding[s->joints++] = i;
        else if (t->contact[f->contact] == ZG_TOUCHING)
            s->mixed = true;
    }
}

static void swap_rows(zg_mode_system *s, size_t ld, int32_t p, int32_t q)
{
    int32_t row = s->unknown[p];
    double left = s->left[p];
    s->unknown[p] = s->unknown[q];
    s->unknown[q] = row;
    s->left[p] = s->left[q];
    s->left[q] = left;
    for (int32_t i = 0; i < p; i++) {
        double *u = s->U + (size_t)i * ld, x = u[p];
        u[p] = u[q];
        u[q] = x;
    }
}

/* The row of which most is left, relative to its own size; of those that motors hold, if of any. */
static int32_t next_pivot(const zg_island *c, const zg_mode_system *s, int32_t p, double *part)
{
    int32_t best = p;
    bool held = false;
    *part = -1.0;
    for (int32_t q = p; q < s->k; q++) {
        bool by_motors = c->held > 0 && c->is_held[s->unknown[q]];
        double x = (c->held > 0 ? fabs(s->left[q]) : s->left[q]) / c->own[s->unknown[q]];
        bool first = by_motors && !held && x > c->rank;
        if (!first && (held != by_motors || !(x > *part))) continue;
        held = held || first;
        *part = x;
        best = q;
    }
    return best;
}

static void exchange(double *x, double *y)
{
    double z = *x;
    *x = *y;
    *y = z;
}

/* U with G = U^T U on the unknowns, as far as rows are independent; U12 right of it. */
static void factor_unknowns(const zg_island *c, zg_mode_system *s)
{
    int32_t k = s->k;
    size_t ld = (size_t)c->r;
    for (int32_t q = 0; q < k; q++)
        s->left[q] = c->G[(size_t)s->unknown[q] * (size_t)c->r + (size_t)s->unknown[q]];
    for (s->rank = 0; s->rank < k; s->rank++) {
        int32_t p = s->rank;
        double part, *u = s->U + (size_t)p * ld;
        int32_t q = next_pivot(c, s, p, &part);
        if (!(part > c->rank)) break;
        if (q != p) swap_rows(s, ld, p, q);
        const double *g = c->G + (size_t)s->unknown[p] * ld;
        for (int32_t j = p + 1; j < k; j++) u[j] = g[s->unknown[j]];
        for (int32_t i = 0; i < p; i++) {
            const double *v = s->U + (size_t)i * ld, x = v[p];
            for (int32_t j = p + 1; j < k; j++) u[j] -= x * v[j];
        }
        u[p] = sqrt(s->left[p]);
        for (int32_t j = p + 1; j < k; j++) {
            u[j] /= u[p];
            s->left[j] -= u[j] * u[j];
        }
    }
}

/* U of G = L U on the unknowns as far as rows are independent, and U12; L below it. */
static void factor_skew(const zg_island *c, zg_mode_system *s)
{
    size_t ld = (size_t)c->r;
    for (int32_t q = 0; q < s->k; q++)
        for (int32_t j = 0; j < s->k; j++)
            s->U[(size_t)q * ld + (size_t)j] =
                c->G[(size_t)s->unknown[q] * ld + (size_t)s->unknown[j]];
    for (s->rank = 0; s->rank < s->k; s->rank++) {
        int32_t p = s->rank;
        double part;
        for (int32_t q = p; q < s->k; q++) s->left[q] = s->U[(size_t)q * (ld + 1)];
        int32_t best = next_pivot(c, s, p, &part);
        if (!(part > c->rank)) break;
        int32_t row = s->unknown[p];
        s->unknown[p] = s->unknown[best];
        s->unknown[best] = row;
        for (int32_t j = 0; j < s->k && best != p; j++)
            exchange(&s->U[(size_t)p * ld + (size_t)j], &s->U[(size_t)best * ld + (size_t)j]);
        for (int32_t i = 0; i < s->k && best != p; i++)
            exchange(&s->U[(size_t)i * ld + (size_t)p], &s->U[(size_t)i * ld + (size_t)best]);
        for (int32_t i = p + 1; i < s->k; i++) {
            double *u = s->U + (size_t)i * ld, x = u[p] /= s->U[(size_t)p * (ld + 1)];
            for (int32_t j = p + 1; j < s->k; j++) u[j] -= x * s->U[(size_t)p * ld + (size_t)j];
        }
    }
}

/* x = U11^-1 x. */
static void solve_upper(const zg_mode_system *s, size_t ld, double *x)
{
    for (int32_t i = s->rank - 1; i >= 0; i--) {
        const double *u = s->U + (size_t)i * ld;
        double sum = x[i];
        for (int32_t j = i + 1; j < s->rank; j++) sum -= u[j] * x[j];
        x[i] = sum / u[i];
    }
}

/* x = (U11^T U11)^-1 x. */
static void solve_factor(const zg_mode_system *s, size_t ld, double *x)
{
    for (int32_t i = 0; i < s->rank; i++) {
        const double *u = s->U + (size_t)i * ld;
        x[i] /= u[i];
        for (int32_t j = i + 1; j < s->rank; j++) x[j] -= u[j] * x[i];
    }
    solve_upper(s, ld, x);
}

/* ----------------------------------------------------------------- K and its L U */

/* The dependency of unknown d as the row (-C_d V, V_d), largest entry 1. */
static void write_closure(const zg_island *c, const zg_mode_system *s, int32_t d, double *row)
{
    int32_t k = s->k;
    double largest = 0.0;
    memset(row, 0, (size_t)k * sizeof *row);
    for (int32_t i = 0; i < s->rank; i++) row[i] = s->U[(size_t)i * (size_t)c->r + (size_t)d];
    solve_upper(s, (size_t)c->r, row);
    for (int32_t i = 0; i < s->rank; i++) row[i] *= -c->V[s->unknown[i]];
    row[d] = c->V[s->unknown[d]];
    for (int32_t i = 0; i < k; i++) largest = fmax(largest, fabs(row[i]));
    for (int32_t i = 0; i < k; i++) row[i] /= largest;
}

/* (G d)_row over the tangents of a friction. */
static double response(const zg_island *c, int32_t row, const island_friction *f, const double *d)
{
    const double *g = c->G + (size_t)row * (size_t)c->r + (size_t)f->first;
    double sum = 0.0;
    for (int32_t j = 0; j < f->width; j++) sum += g[j] * d[j];
    return sum;
}

/* K, with the friction of sliding contacts or without. */
static void write_system(const zg_island *c, const zg_mode_system *s, const zg_trial *t, bool slide)
{
    int32_t k = s->k;
    for (int32_t i = 0; i < s->rank; i++) {
        const double *g = c->G + (size_t)s->unknown[i] * (size_t)c->r;
        for (int32_t j = 0; j < k; j++) s->K[(size_t)i * (size_t)k + (size_t)j] = g[s->unknown[j]];
    }
    for (int32_t i = s->rank; i < k; i++) write_closure(c, s, i, s->K + (size_t)i * (size_t)k);
    for (int32_t n = 0; slide && n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (t->friction[n] != ZG_SLIDE || f->contact < 0) continue;
        for (int32_t j = 0; j < k; j++) {
            if (s->unknown[j] != c->contact[f->contact].normal) continue;
            for (int32_t i = 0; i < s->rank; i++)
                s->K[(size_t)i * (size_t)k + (size_t)j] -=
                    f->mu * response(c, s->unknown[i], f, t->direction + 3 * n);
        }
    }
}

static int32_t largest_below(const zg_mode_system *s, int32_t p)
{
    int32_t best = p;
    for (int32_t i = p + 1; i < s->k; i++)
        if (fabs(s->K[(size_t)i * (size_t)s->k + (size_t)p]) >
            fabs(s->K[(size_t)best * (size_t)s->k + (size_t)p]))
            best = i;
    return best;
}

static void interchange(double *x, double *y, int32_t count)
{
    for (int32_t i = 0; i < count; i++) exchange(&x[i], &y[i]);
}

/* K = L U in place; *ratio is multiplied by each pivot over that of `before` (NULL: 1). False: singular. */
static bool eliminate(zg_mode_system *s, const double *before, double *ratio)
{
    int32_t k = s->k;
    for (int32_t p = 0; p < k; p++) {
        double *row = s->K + (size_t)p * (size_t)k;
        s->swap[p] = largest_below(s, p);
        if (s->swap[p] != p) {
            interchange(row, s->K + (size_t)s->swap[p] * (size_t)k, k);
            *ratio = -*ratio;
        }
        *ratio *= before ? row[p] / before[p] : row[p];
        if (!(fabs(row[p]) > least_pivot)) return false;
        for (int32_t i = p + 1; i < k; i++) {
            double *other = s->K + (size_t)i * (size_t)k, x = other[p] /= row[p];
            if (x == 0.0) continue;
            for (int32_t j = p + 1; j < k; j++) other[j] -= x * row[j];
        }
    }
    return true;
}

static void solve_system(const zg_island *c, const zg_mode_system *s, double *x)
{
    int32_t k = s->k;
    if (!s->mixed) {
        solve_factor(s, (size_t)c->r, x);
        return;
    }
    for (int32_t p = 0; p < k; p++) {
        double y = x[s->swap[p]];
        x[s->swap[p]] = x[p];
        x[p] = y;
    }
    /* all interchanges first: rows of L were moved with them */
    for (int32_t p = 0; p < k; p++)
        for (int32_t j = 0; j < p; j++) x[p] -= s->K[(size_t)p * (size_t)k + (size_t)j] * x[j];
    for (int32_t p = k - 1; p >= 0; p--) {
        const double *row = s->K + (size_t)p * (size_t)k;
        for (int32_t j = p + 1; j < k; j++) x[p] -= row[j] * x[j];
        x[p] /= row[p];
    }
}

/* What there is to solve with, and the pivot of zg_forces. */
static bool factor_system(const zg_island *c, zg_mode_system *s, zg_trial *t)
{
    bool slide = s->mixed;
    if (c->held > 0)
        factor_skew(c, s);
    else
        factor_unknowns(c, s);
    t->pivot = 1.0;
    if (!slide && s->rank == s->k && c->held == 0) return true;
    s->mixed = true;
    if (s->rank < s->k || c->held > 0) {
        double without = 1.0;
        write_system(c, s, t, false);
        if (!eliminate(s, NULL, &without)) return false;
        if (!slide) return true;
        for (int32_t p = 0; p < s->k; p++) s->left[p] = fabs(s->K[(size_t)p * (size_t)(s->k + 1)]);
        if (without < 0.0) t->pivot = -1.0;
    } else {
        for (int32_t p = 0; p < s->k; p++) {
            double u = s->U[(size_t)p * (size_t)(c->r + 1)];
            s->left[p] = u * u;
        }
    }
    write_system(c, s, t, true);
    return eliminate(s, s->left, &t->pivot);
}

/* ------------------------------------------------------------------------ forces */

/* x [r] of the unknowns y, with the friction that follows from them; `joint` the one whose pressure is
 * 1, -1 what depends on nothing, -2 none of both. */
static void spread(const zg_island *c, const zg_mode_system *s, const zg_trial *t, const double *y,
                   int32_t joint, double *x)
{
    memset(x, 0, (size_t)c->r * sizeof *x);
    for (int32_t i = 0; y && i < s->k; i++) x[s->unknown[i]] = y[i];
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        const double *d = t->direction + 3 * n;
        double rho = 0.0;
        if (t->friction[n] == ZG_HELD && joint == -1) x[f->first] = f->back[0];
        if (t->friction[n] != ZG_SLIDE) continue;
        if (f->contact < 0)
            rho = joint == n ? 1.0 : 0.0;
        else {
            const island_contact *contact = &c->contact[f->contact];
            if (t->contact[f->contact] == ZG_TOUCHING) rho = x[contact->normal];
            if (joint == -1) rho += contact->offset;
        }
        for (int32_t j = 0; j < f->width; j++) x[f->first + j] = -f->mu * rho * d[j];
    }
}

/* out = G x, plus w where wanted, in the rows listed (NULL: all r). */
static void accelerate(const zg_island *c, const double *x, const double *w, double *u)
{
    for (int32_t i = 0; i < c->r; i++) {
        const double *g = c->G + (size_t)i * (size_t)c->r;
        double sum = w ? w[i] : 0.0;
        for (int32_t j = 0; j < c->r; j++) sum += g[j] * x[j];
        u[i] = sum;
    }
}

/* The unknowns for a force x0 that is there besides, and w (NULL: 0): y = -K^-1 (w + G x0). */
static void unknowns_for(const zg_island *c, const zg_mode_system *s, const double *x0,
                         const double *w, double *y)
{
    for (int32_t i = 0; i < s->rank; i++) {
        const double *g = c->G + (size_t)s->unknown[i] * (size_t)c->r;
        double sum = w ? w[s->unknown[i]] : 0.0;
        for (int32_t j = 0; j < c->r; j++) sum += g[j] * x0[j];
        y[i] = -sum;
    }
    for (int32_t i = s->rank; i < s->k; i++) y[i] = 0.0;
    solve_system(c, s, y);
}

void zg_find_multipliers(const zg_island *c, const double *x, bool constant, double *lambda)
{
    for (int32_t i = 0; i < c->joints; i++) {
        double sum = constant ? c->lambda0[i] : 0.0;
        for (int32_t j = 0; j < c->r; j++) sum += c->L[(size_t)i * (size_t)c->r + (size_t)j] * x[j];
        lambda[i] = sum;
    }
}

/* Solutions for the free part and for each sliding joint, in s->right; lambda of them in s->H. */
static void solve_parts(const zg_island *c, zg_mode_system *s, const zg_trial *t)
{
    double *x = s->spread;
    for (int32_t j = -1; j < s->joints; j++) {
        double *y = s->right + (size_t)(j + 1) * (size_t)c->r;
        int32_t which = j < 0 ? -1 : s->sliding[j];
        spread(c, s, t, NULL, which, x);
        unknowns_for(c, s, x, j < 0 ? c->w : NULL, y);
        spread(c, s, t, y, which, x);
        zg_find_multipliers(c, x, j < 0, s->H + (size_t)(j + 1) * (size_t)c->joints);
    }
}

/* x = x(y) + sum_j rho_j e_j. */
static void assemble(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                     const double *y, const double *rho, double *x)
{
    spread(c, s, t, y, -1, x);
    for (int32_t j = 0; j < s->joints; j++) {
        const island_friction *f = &c->friction[s->sliding[j]];
        const double *d = t->direction + 3 * s->sliding[j];
        for (int32_t i = 0; i < f->width; i++) x[f->first + i] = -f->mu * rho[j] * d[i];
    }
}

/* One correction by what is left in the rows that should hold. */
static void correct(const zg_island *c, const zg_mode_system *s, const zg_trial *t, double *y)
{
    double *change = s->spread;
    for (int32_t i = 0; i < s->rank; i++) change[i] = -t->u[s->unknown[i]];
    for (int32_t i = s->rank; i < s->k; i++) change[i] = 0.0;
    solve_system(c, s, change);
    for (int32_t i = 0; i < s->k; i++) y[i] += change[i];
}

void zg_note_pressures(const zg_island *c, zg_trial *t)
{
    zg_find_multipliers(c, t->x, true, t->lambda);
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (f->contact < 0)
            t->rho[n] = zg_joint_pressure(f, t->lambda, NULL);
        else
            t->rho[n] = c->contact[f->contact].offset + t->x[c->contact[f->contact].normal];
    }
}

void zg_note_motion(const zg_island *c, zg_trial *t)
{
    accelerate(c, t->x, c->w, t->u);
    zg_note_pressures(c, t);
}

void zg_solve_trial(const zg_island *c, zg_mode_system *s, zg_trial *t)
{
    double *y = s->right, *rho = s->newton;
    t->solved = t->branches = t->picked = false;
    t->feedback = 0.0;
    list_unknowns(c, s, t);
    bool regular = factor_system(c, s, t);
    t->rank = s->rank;
    t->shared = s->rank < s->k || (c->joints > 0 && s->fixed > 0);
    for (int32_t i = 0; i < s->rank; i++) t->row[s->unknown[i]] = ZG_ROW_BASIS;
    if (!regular) return;
    solve_parts(c, s, t);
    if (s->joints > 0 && !zg_settle_pressures(c, s, t, rho)) return;
    for (int32_t j = 0; j < s->joints; j++) {
        const double *part = s->right + (size_t)(j + 1) * (size_t)c->r;
        for (int32_t i = 0; i < s->k; i++) y[i] += rho[j] * part[i];
    }
    assemble(c, s, t, y, rho, t->x);
    accelerate(c, t->x, c->w, t->u);
    correct(c, s, t, y);
    assemble(c, s, t, y, rho, t->x);
    accelerate(c, t->x, c->w, t->u);
    zg_note_pressures(c, t);
    t->solved = true;
}

/* z G = the row, on the unknowns: by G = U^T U, or by G = L U from the right. */
void zg_spring_row(const zg_island *c, const zg_mode_system *s, int32_t row, double *z)
{
    size_t ld = (size_t)c->r;
    for (int32_t i = 0; i < s->rank; i++) z[i] = c->G[(size_t)row * ld + (size_t)s->unknown[i]];
    if (c->held == 0) {
        solve_factor(s, ld, z);
        return;
    }
    for (int32_t i = 0; i < s->rank; i++) {
        const double *u = s->U + (size_t)i * ld;
        z[i] /= u[i];
        for (int32_t j = i + 1; j < s->rank; j++) z[j] -= u[j] * z[i];
    }
    for (int32_t i = s->rank; i-- > 0;)
        for (int32_t j = 0; j < i; j++) z[j] -= s->U[(size_t)i * ld + (size_t)j] * z[i];
}

double zg_spring_length(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                        const double *z)
{
    double sum = 0.0;
    for (int32_t i = 0; i < s->rank; i++) sum += z[i] * c->V[s->unknown[i]] * t->x[s->unknown[i]];
    return sum;
}

double zg_spring_left(const zg_island *c, const zg_mode_system *s, int32_t row, int32_t column,
                      const double *z)
{
    const double *g = c->G + column;
    size_t ld = (size_t)c->r;
    double left = g[(size_t)row * ld];
    for (int32_t i = 0; i < s->rank; i++) left -= z[i] * g[(size_t)s->unknown[i] * ld];
    return left;
}

double zg_spring_force(const zg_island *c, const zg_mode_system *s, const zg_trial *t, int32_t row)
{
    double *z = s->spread;
    zg_spring_row(c, s, row, z);
    if (zg_spring_left(c, s, row, row, z) > c->rank * c->own[row]) return -HUGE_VAL;
    return zg_spring_length(c, s, t, z) / c->V[row];
}

void zg_respond(const zg_island *c, const zg_mode_system *s, const zg_trial *t, int32_t row,
                double *u)
{
    double *y = s->right, *x = s->spread;
    for (int32_t i = 0; i < s->k; i++)
        y[i] = i < s->rank ? -c->G[(size_t)s->unknown[i] * (size_t)c->r + (size_t)row] : 0.0;
    solve_system(c, s, y);
    spread(c, s, t, y, -2, x);
    x[row] += 1.0;
    accelerate(c, x, NULL, u);
}
