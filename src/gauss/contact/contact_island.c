/*
 * Islands: contacts that feel each other through G, a contact with its frictions, frictions with the
 * rows that their joints' multipliers answer to. What is not joined is solved apart: the modes of
 * islands multiply, their costs add. The copy of an island is scaled (contact_space.h).
 */
#include "contact_island.h"

#include <math.h>
#include <string.h>

static const double coupled = 1e-11; /* of sqrt(whole_i whole_j): below it is rounding */

static double whole_of(const zg_instant *p, int32_t i)
{
    double own = p->G[(size_t)i * (size_t)p->rows + (size_t)i];
    return p->whole && p->whole[i] > own ? p->whole[i] : own;
}

/* ------------------------------------------------------------------------- split */

static int32_t leader(const int32_t *of, int32_t i)
{
    while (of[i] != i) i = of[i];
    return i;
}

static void join(int32_t *of, int32_t i, int32_t j)
{
    int32_t a = leader(of, i), b = leader(of, j);
    if (a < b)
        of[b] = a;
    else
        of[a] = b;
}

static bool takes_part(const zg_contact_space *space, const zg_friction *f)
{
    return f->contact < 0 || !space->absent[f->contact];
}

static void join_friction(zg_contact_space *space, const zg_instant *p, const zg_friction *f)
{
    int32_t *of = space->island_of;
    for (int32_t j = 1; j < f->width; j++) join(of, f->first, f->first + j);
    if (f->contact >= 0) {
        join(of, f->first, p->contact[f->contact].normal);
        return;
    }
    for (int32_t i = 0; i < f->joints; i++) {
        const double *l = p->L + (size_t)(f->joint_first + i) * (size_t)p->rows;
        double most = 0.0;
        for (int32_t j = 0; j < p->rows; j++)
            most = fmax(most, whole_of(p, j) > 0.0 ? fabs(l[j]) / sqrt(whole_of(p, j)) : 0.0);
        for (int32_t j = 0; j < p->rows; j++)
            if (fabs(l[j]) > coupled * most * sqrt(whole_of(p, j)) && of[j] >= 0)
                join(of, f->first, j);
    }
}

/* Frictions that share multipliers need not feel each other, but their numbers stay together. */
static void join_shared_joints(zg_contact_space *space, const zg_instant *p)
{
    for (int32_t i = 0; i < p->joints; i++) space->joint_in[i] = -1;
    for (int32_t n = 0; n < p->frictions; n++) {
        const zg_friction *f = &p->friction[n];
        for (int32_t i = f->joint_first; f->contact < 0 && i < f->joint_first + f->joints; i++) {
            if (space->joint_in[i] >= 0) join(space->island_of, space->joint_in[i], f->first);
            space->joint_in[i] = f->first;
        }
    }
}

/* Rows of contacts that take no part are in no island: -1. */
static void leave_out_absent(zg_contact_space *space, const zg_instant *p)
{
    for (int32_t i = 0; i < p->contacts; i++)
        if (space->absent[i]) space->island_of[p->contact[i].normal] = -1;
    for (int32_t n = 0; n < p->frictions; n++) {
        const zg_friction *f = &p->friction[n];
        if (!takes_part(space, f))
            for (int32_t j = 0; j < f->width; j++) space->island_of[f->first + j] = -1;
    }
}

static void join_coupled(zg_contact_space *space, const zg_instant *p)
{
    int32_t *of = space->island_of;
    for (int32_t i = 0; i < p->rows; i++) {
        const double *g = p->G + (size_t)i * (size_t)p->rows;
        double size = coupled * sqrt(whole_of(p, i));
        for (int32_t j = 0; of[i] >= 0 && j < i; j++)
            if (of[j] >= 0 && !(fabs(g[j]) <= size * sqrt(whole_of(p, j)))) join(of, i, j);
    }
}

int32_t zg_split_islands(zg_contact_space *space, const zg_instant *p)
{
    int32_t *of = space->island_of, *number = space->row_in, count = 0;
    for (int32_t i = 0; i < p->rows; i++) of[i] = i;
    leave_out_absent(space, p);
    join_coupled(space, p);
    for (int32_t n = 0; n < p->frictions; n++)
        if (takes_part(space, &p->friction[n])) join_friction(space, p, &p->friction[n]);
    join_shared_joints(space, p);
    /* a leader is the first of its rows, so it has its number before the others ask for it */
    for (int32_t i = 0; i < p->rows; i++) {
        int32_t first = of[i] < 0 ? -1 : leader(of, i);
        number[i] = first < 0 ? -1 : first == i ? count++ : number[first];
    }
    memcpy(of, number, (size_t)p->rows * sizeof *of);
    return count;
}

/* ------------------------------------------------------------------------ gather */

static bool is_in(const zg_contact_space *space, int32_t row, int32_t number)
{
    return number < 0 || space->island_of[row] == number;
}

/* Rows of the island, and D: of a friction that of its largest row. */
static void gather_rows(zg_contact_space *space, const zg_instant *p, int32_t number)
{
    zg_island *c = &space->island;
    c->r = 0;
    for (int32_t i = 0; i < p->rows; i++) {
        space->row_in[i] = -1;
        if (!is_in(space, i, number)) continue;
        c->row_of[c->r] = i;
        c->D[c->r] = whole_of(p, i);
        space->row_in[i] = c->r++;
    }
    for (int32_t n = 0; n < p->frictions; n++) {
        const zg_friction *f = &p->friction[n];
        if (!is_in(space, f->first, number)) continue;
        double *d = c->D + space->row_in[f->first], largest = 0.0;
        for (int32_t j = 0; j < f->width; j++) largest = fmax(largest, d[j]);
        for (int32_t j = 0; j < f->width; j++) d[j] = largest;
    }
    for (int32_t i = 0; i < c->r; i++) c->D[i] = c->D[i] > 0.0 ? 1.0 / sqrt(c->D[i]) : 1.0;
}

/* A row of zeros has no scale: of its w, infinite until now, only the sign counts. */
static void settle_empty_rows(zg_island *c)
{
    for (int32_t i = 0; i < c->r; i++) {
        if (fabs(c->w[i]) < HUGE_VAL) continue;
        if (!(c->A > 0.0)) c->A = 1.0;
        c->w[i] = copysign(c->A, c->w[i]);
    }
}

/* G, w and what goes with them; a row of which nothing is left is 0. */
static void gather_matrix(zg_contact_space *space, const zg_instant *p,
                          const zg_contact_tolerance *tolerance)
{
    zg_island *c = &space->island;
    c->A = 0.0;
    for (int32_t i = 0; i < c->r; i++) {
        int32_t row = c->row_of[i];
        double own = p->G[(size_t)row * (size_t)p->rows + (size_t)row];
        double size = fabs(p->w[row]);
        if (p->size && p->size[row] > size) size = p->size[row];
        c->own[i] = whole_of(p, row) * c->D[i] * c->D[i];
        if (!(own > tolerance->rank * whole_of(p, row))) c->own[i] = 0.0;
        c->w[i] = p->w[row] * c->D[i];
        c->V[i] = c->D[i] * c->D[i] / (p->W ? p->W[row] : 1.0);
        if (whole_of(p, row) > 0.0)
            c->A = fmax(c->A, size * c->D[i]);
        else
            c->w[i] =
                fabs(p->w[row]) > tolerance->sign * size ? copysign(HUGE_VAL, p->w[row]) : 0.0;
    }
    for (int32_t i = 0; i < c->r; i++) {
        const double *g = p->G + (size_t)c->row_of[i] * (size_t)p->rows;
        double *to = c->G + (size_t)i * (size_t)c->r;
        for (int32_t j = 0; j < c->r; j++)
            to[j] = c->own[i] > 0.0 && c->own[j] > 0.0 ? c->D[i] * g[c->row_of[j]] * c->D[j] : 0.0;
    }
    settle_empty_rows(c);
    c->sign = tolerance->sign * c->A;
    c->equal = tolerance->equal * c->A;
    c->rank = tolerance->rank;
}

static void gather_contacts(zg_contact_space *space, const zg_instant *p, int32_t number)
{
    zg_island *c = &space->island;
    c->contacts = 0;
    for (int32_t i = 0; i < p->contacts; i++) {
        space->contact_in[i] = -1;
        if (!is_in(space, p->contact[i].normal, number)) continue;
        c->contact_of[c->contacts] = i;
        c->contact[c->contacts] = (island_contact){.normal = space->row_in[p->contact[i].normal]};
        space->contact_in[i] = c->contacts++;
    }
}

/* Joints that frictions of the island ask for, in their order, so that ranges stay together. */
static void gather_joints(zg_contact_space *space, const zg_instant *p, int32_t number)
{
    zg_island *c = &space->island;
    c->joints = 0;
    for (int32_t i = 0; i < p->joints; i++) space->joint_in[i] = -1;
    for (int32_t n = 0; n < p->frictions; n++) {
        const zg_friction *f = &p->friction[n];
        if (f->contact >= 0 || !is_in(space, f->first, number)) continue;
        for (int32_t i = 0; i < f->joints; i++) space->joint_in[f->joint_first + i] = 0;
    }
    for (int32_t i = 0; i < p->joints; i++) {
        if (space->joint_in[i] < 0) continue;
        double *to = c->L + (size_t)c->joints * (size_t)c->r;
        for (int32_t j = 0; j < c->r; j++)
            to[j] = p->L[(size_t)i * (size_t)p->rows + (size_t)c->row_of[j]] * c->D[j];
        c->lambda0[c->joints] = p->lambda0 ? p->lambda0[i] : 0.0;
        c->joint_of[c->joints] = i;
        space->joint_in[i] = c->joints++;
    }
}

/* slip's direction; at rest when it is 0. */
static void take_slip(const zg_friction *f, island_friction *to)
{
    double length = 0.0;
    for (int32_t j = 0; j < f->width; j++) length = hypot(length, f->slip[j]);
    to->slips = length > 0.0;
    for (int32_t j = 0; j < f->width; j++) to->slip[j] = to->slips ? f->slip[j] / length : 0.0;
}

static void gather_frictions(zg_contact_space *space, const zg_instant *p, int32_t number)
{
    zg_island *c = &space->island;
    c->frictions = 0;
    for (int32_t n = 0; n < p->frictions; n++) {
        const zg_friction *f = &p->friction[n];
        if (!is_in(space, f->first, number)) continue;
        island_friction *to = &c->friction[c->frictions];
        *to = (island_friction){.first = space->row_in[f->first], .width = f->width, .contact = -1};
        double scale = 1.0 / c->D[to->first];
        if (f->contact >= 0) {
            to->contact = space->contact_in[f->contact];
            scale *= c->D[c->contact[to->contact].normal];
        } else {
            to->joints = f->joints;
            to->joint_first = f->joints > 0 ? space->joint_in[f->joint_first] : 0;
            to->pressure = f->pressure;
            to->user = f->user;
        }
        to->mu = f->mu * scale;
        to->mu_static = fmax(f->mu, f->mu_static) * scale;
        take_slip(f, to);
        c->friction_of[c->frictions++] = n;
    }
}

void zg_gather_island(zg_contact_space *space, const zg_instant *instant, int32_t number,
                      const zg_contact_tolerance *tolerance)
{
    gather_rows(space, instant, number);
    gather_matrix(space, instant, tolerance);
    gather_contacts(space, instant, number);
    gather_joints(space, instant, number);
    gather_frictions(space, instant, number);
}

/* ------------------------------------------------------------------ modes, forces */

void zg_gather_mode(const zg_island *c, const zg_mode *mode, zg_trial *t)
{
    for (int32_t i = 0; i < c->contacts; i++) t->contact[i] = mode->contact[c->contact_of[i]];
    for (int32_t n = 0; n < c->frictions; n++) {
        t->friction[n] = mode->friction[c->friction_of[n]];
        memcpy(t->direction + 3 * n, mode->direction + 3 * c->friction_of[n], 3 * sizeof(double));
        t->side[n] = mode->side ? mode->side[c->friction_of[n]] : (int8_t)ZG_SIDE_ANY;
    }
}

/* The sign of the multiplier that presses. */
static int8_t side_of(const island_friction *f, const zg_trial *t)
{
    if (f->contact >= 0 || f->joints != 1 || f->pressure) return ZG_SIDE_ANY;
    return t->lambda[f->joint_first] < 0.0 ? ZG_SIDE_MINUS : ZG_SIDE_PLUS;
}

void zg_scatter_mode(const zg_island *c, const zg_trial *t, const zg_mode *mode)
{
    for (int32_t i = 0; i < c->contacts; i++) mode->contact[c->contact_of[i]] = t->contact[i];
    for (int32_t n = 0; n < c->frictions; n++) {
        mode->friction[c->friction_of[n]] = t->friction[n];
        double *d = mode->direction + 3 * c->friction_of[n];
        if (mode->side) mode->side[c->friction_of[n]] = side_of(&c->friction[n], t);
        memset(d, 0, 3 * sizeof *d);
        if (t->friction[n] == ZG_SLIDE)
            memcpy(d, t->direction + 3 * n, sizeof *d * (size_t)c->friction[n].width);
    }
}

void zg_scatter_forces(const zg_island *c, const zg_trial *t, const zg_instant *instant, double *x,
                       double *u, uint8_t *row)
{
    for (int32_t i = 0; i < c->r; i++) {
        int32_t to = c->row_of[i];
        if (x) x[to] = t->x[i] * c->D[i];
        if (row) row[to] = t->row[i];
        if (u) u[to] = c->own[i] > 0.0 ? t->u[i] / c->D[i] : instant->w[to];
    }
}

void zg_write_multipliers(const zg_instant *instant, const double *x, double *lambda)
{
    size_t r = (size_t)instant->rows;
    for (int32_t i = 0; i < instant->joints; i++) {
        double sum = instant->lambda0 ? instant->lambda0[i] : 0.0;
        for (size_t j = 0; j < r; j++) sum += instant->L[(size_t)i * r + j] * x[j];
        lambda[i] = sum;
    }
}
