/*
 * Pressures of joints under changes of shares. Forces x that are shared differently have other multipliers,
 * lambda = lambda0 + L x, and so other pressures rho = g(lambda), which is no linear function: |lambda| for one
 * multiplier, a norm for several. For given signs it is,
 *
 *     rho = s lambda          and for several  g'(lambda*) lambda <= g(lambda), equal along lambda*
 *
 * so that what shares can do is the union of linear programs over all signs of the joints that they reach:
 * *patterns*, numbered by the bits of those that are reversed, 0 for the signs that are there. Multipliers whose
 * directions count are s->pressed. Of joints that slide the signs are those of the mode.
 */
#include <math.h>
#include <string.h>

#include "share_space.h"

enum { most_reversed = 8, most_joint = 64 };

static double dot_of(int32_t count, const double *x, const double *y)
{
    double sum = 0.0;
    for (int32_t i = 0; i < count; i++) sum += x[i] * y[i];
    return sum;
}

/* Row n of s->press, by the gradient at s->pressed. */
static void write_press(const zg_island *c, zg_mode_system *s, int32_t n)
{
    const island_friction *f = &c->friction[n];
    size_t r = (size_t)c->r;
    double gradient[most_joint], *row = s->press + (size_t)n * (r + 1);
    memset(row, 0, sizeof *row * (r + 1));
    if (f->contact >= 0 || f->joints > most_joint) return;
    zg_joint_pressure(f, s->pressed, gradient);
    for (int32_t i = 0; i < f->joints; i++) {
        const double *l = c->L + (size_t)(f->joint_first + i) * r;
        for (size_t j = 0; j < r; j++) row[j] += gradient[i] * l[j];
        row[r] += gradient[i] * c->lambda0[f->joint_first + i];
    }
}

static void write_presses(const zg_island *c, zg_mode_system *s)
{
    for (int32_t n = 0; n < c->frictions; n++) write_press(c, s, n);
}

void zg_begin_presses(const zg_island *c, zg_mode_system *s, const zg_trial *t, const double *x)
{
    zg_find_multipliers(c, x, true, s->pressed);
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (!zg_is_single(f)) continue;
        double *own = &s->pressed[f->joint_first];
        if (t->friction[n] == ZG_SLIDE && t->side[n] != ZG_SIDE_ANY)
            *own = t->side[n];
        else if (*own == 0.0)
            *own = 1.0;
    }
    write_presses(c, s);
}

double zg_press_at(const zg_island *c, const zg_mode_system *s, int32_t n, const double *x,
                   bool constant)
{
    const double *row = s->press + (size_t)n * (size_t)(c->r + 1);
    return dot_of(c->r, row, x) + (constant ? row[c->r] : 0.0);
}

/* Z changes the pressure of friction n, on joints. */
bool zg_press_is_shared(const zg_island *c, const zg_mode_system *s, int32_t nullity, int32_t n)
{
    const double *row = s->press + (size_t)n * (size_t)(c->r + 1);
    double most = 0.0, size = 0.0;
    for (int32_t j = 0; j < c->r; j++) size = fmax(size, fabs(row[j]));
    for (int32_t i = 0; i < nullity; i++) {
        const double *z = s->Z + (size_t)i * (size_t)c->r;
        most = fmax(most, fabs(dot_of(c->r, row, z)));
    }
    return most > 1e-9 * size;
}

/* ----------------------------------------------------------------------- patterns */

/* Whether the signs of friction n may be reversed: it sticks, shares reach its pressure, and none before it has
 * the same multipliers. */
static bool is_reversible(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                          int32_t nullity, int32_t n)
{
    const island_friction *f = &c->friction[n];
    if (f->contact >= 0 || !(f->mu_static > 0.0)) return false;
    for (int32_t k = 0; k < c->frictions; k++) {
        const island_friction *other = &c->friction[k];
        bool same = other->contact < 0 && other->joint_first < f->joint_first + f->joints &&
                    f->joint_first < other->joint_first + other->joints;
        if (same && (k < n || t->friction[k] == ZG_SLIDE)) return false;
    }
    return t->friction[n] == ZG_STICK && zg_press_is_shared(c, s, nullity, n);
}

int32_t zg_count_patterns(const zg_island *c, const zg_mode_system *s, const zg_trial *t,
                          int32_t nullity)
{
    int32_t count = 0;
    for (int32_t n = 0; n < c->frictions && count < most_reversed; n++)
        count += is_reversible(c, s, t, nullity, n);
    return 1 << count;
}

void zg_reverse_presses(const zg_island *c, zg_mode_system *s, const zg_trial *t, int32_t nullity,
                        int32_t pattern)
{
    int32_t bit = 0;
    memcpy(s->reversed, s->pressed, sizeof *s->pressed * (size_t)c->joints);
    for (int32_t n = 0; n < c->frictions && bit < most_reversed; n++) {
        const island_friction *f = &c->friction[n];
        if (!is_reversible(c, s, t, nullity, n)) continue;
        for (int32_t i = f->joint_first; pattern >> bit & 1 && i < f->joint_first + f->joints; i++)
            s->reversed[i] = -s->pressed[i];
        bit++;
    }
    memcpy(s->pressed, s->reversed, sizeof *s->pressed * (size_t)c->joints);
    write_presses(c, s);
}

bool zg_turn_presses(const zg_island *c, zg_mode_system *s, const zg_trial *t, const double *x)
{
    bool any = false;
    zg_find_multipliers(c, x, true, s->reversed);
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (f->contact >= 0 || t->friction[n] != ZG_STICK || zg_is_single(f)) continue;
        any = true;
        memcpy(s->pressed + f->joint_first, s->reversed + f->joint_first,
               sizeof *s->pressed * (size_t)f->joints);
        write_press(c, s, n);
    }
    return any;
}
