/*
 * Islands: contacts that feel each other through G, a contact with its frictions, frictions with the
 * rows that their joints' multipliers answer to. What is not joined is solved apart: the modes of
 * islands multiply, their costs add. The copy of an island is scaled (contact_space.h).
 */
#include "contact_island.h"

#include <math.h>
#include <string.h>

static const double coupled = 1e-11; /* of sqrt(whole_i whole_j): below it is rounding */

/* --------------------------------------------------------------------------- rows */

const double *zg_instant_row(const zg_instant *p, int32_t i, int32_t *first, int32_t *end)
{
    const zg_blocks *b = p->blocks;
    *first = b ? b->start[b->of[i]] : 0;
    *end = b ? b->start[b->of[i] + 1] : p->rows;
    return p->G + (b ? b->G[b->of[i]] : 0) + (size_t)(i - *first) * (size_t)(*end - *first);
}

/* Row j of L likewise. */
static const double *row_of_joint(const zg_instant *p, int32_t j, int32_t *first, int32_t *end)
{
    const zg_blocks *b = p->blocks;
    *first = b ? b->start[b->joint_block[j]] : 0;
    *end = b ? b->start[b->joint_block[j] + 1] : p->rows;
    return p->L + (b ? b->L[j] : (size_t)j * (size_t)p->rows);
}

static double own_of(const zg_instant *p, int32_t i)
{
    int32_t first, end;
    return zg_instant_row(p, i, &first, &end)[i - first];
}

static double whole_of(const zg_instant *p, int32_t i)
{
    double own = own_of(p, i);
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
        int32_t first, end;
        const double *l = row_of_joint(p, f->joint_first + i, &first, &end);
        double most = 0.0;
        for (int32_t j = first; j < end; j++)
            if (whole_of(p, j) > 0.0) most = fmax(most, fabs(l[j - first]) / sqrt(whole_of(p, j)));
        for (int32_t j = first; j < end; j++)
            if (fabs(l[j - first]) > coupled * most * sqrt(whole_of(p, j)) && of[j] >= 0)
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
        int32_t first, end;
        const double *g = zg_instant_row(p, i, &first, &end);
        double size = coupled * sqrt(whole_of(p, i));
        for (int32_t j = first; of[i] >= 0 && j < (p->held ? end : i); j++)
            if (of[j] >= 0 && !(fabs(g[j - first]) <= size * sqrt(whole_of(p, j)))) join(of, i, j);
    }
}

/* Things are sorted by islands, in their order: of(k) is that of thing k, -1: none. */
static void list_by_island(zg_contact_space *space, int32_t islands, int32_t *start, int32_t *list,
                           int32_t count, const int32_t *of)
{
    int32_t *fill = space->fill;
    memset(start, 0, sizeof *start * (size_t)(islands + 1));
    for (int32_t k = 0; k < count; k++)
        if (of[k] >= 0) start[of[k] + 1]++;
    for (int32_t i = 0; i < islands; i++) start[i + 1] += start[i];
    memcpy(fill, start, sizeof *fill * (size_t)islands);
    for (int32_t k = 0; k < count; k++)
        if (of[k] >= 0) list[fill[of[k]]++] = k;
}

static void list_islands(zg_contact_space *space, const zg_instant *p, int32_t islands)
{
    const int32_t *of = space->island_of;
    int32_t *contact = space->contact_in, *friction = space->row_in; /* scratch */
    for (int32_t i = 0; i < p->contacts; i++) contact[i] = of[p->contact[i].normal];
    list_by_island(space, islands, space->row_start, space->island_row, p->rows, of);
    list_by_island(space, islands, space->contact_start, space->island_contact, p->contacts,
                   contact);
    for (int32_t n = 0; n < p->frictions; n++) friction[n] = of[p->friction[n].first];
    list_by_island(space, islands, space->friction_start, space->island_friction, p->frictions,
                   friction);
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
    list_islands(space, p, count);
    return count;
}

/* ------------------------------------------------------------------------ gather */

/* Rows of the island, and D: of a friction that of its largest row. */
static void gather_rows(zg_contact_space *space, const zg_instant *p, int32_t number)
{
    zg_island *c = &space->island;
    c->r = 0;
    for (int32_t k = space->row_start[number]; k < space->row_start[number + 1]; k++) {
        int32_t i = space->island_row[k];
        c->row_of[c->r] = i;
        c->D[c->r] = whole_of(p, i);
        space->row_in[i] = c->r++;
    }
    for (int32_t k = space->friction_start[number]; k < space->friction_start[number + 1]; k++) {
        const zg_friction *f = &p->friction[space->island_friction[k]];
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
    c->held = 0;
    for (int32_t i = 0; i < c->r; i++) {
        int32_t row = c->row_of[i];
        double own = own_of(p, row);
        double size = fabs(p->w[row]);
        if (p->size && p->size[row] > size) size = p->size[row];
        c->own[i] = whole_of(p, row) * c->D[i] * c->D[i];
        c->is_held[i] = p->held && p->held[row];
        c->held += c->is_held[i] ? 1 : 0;
        if (!(own > tolerance->rank * whole_of(p, row)) && !c->is_held[i]) c->own[i] = 0.0;
        c->w[i] = p->w[row] * c->D[i];
        c->V[i] = c->is_held[i] ? 0.0 : c->D[i] * c->D[i] / (p->W ? p->W[row] : 1.0);
        if (whole_of(p, row) > 0.0)
            c->A = fmax(c->A, size * c->D[i]);
        else
            c->w[i] =
                fabs(p->w[row]) > tolerance->sign * size ? copysign(HUGE_VAL, p->w[row]) : 0.0;
    }
    for (int32_t i = 0; i < c->r; i++) {
        int32_t first, end;
        const double *g = zg_instant_row(p, c->row_of[i], &first, &end);
        double *to = c->G + (size_t)i * (size_t)c->r;
        for (int32_t j = 0; j < c->r; j++)
            to[j] = c->own[i] > 0.0 && c->own[j] > 0.0 ? c->D[i] * g[c->row_of[j] - first] * c->D[j]
                                                       : 0.0;
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
    for (int32_t k = space->contact_start[number]; k < space->contact_start[number + 1]; k++) {
        int32_t i = space->island_contact[k];
        c->contact_of[c->contacts] = i;
        c->contact[c->contacts] = (island_contact){.normal = space->row_in[p->contact[i].normal]};
        space->contact_in[i] = c->contacts++;
    }
}

/* The range of joints that frictions of the island ask for; those among them are marked. */
static void mark_joints(zg_contact_space *space, const zg_instant *p, int32_t number,
                        int32_t *first, int32_t *end)
{
    *first = p->joints;
    *end = 0;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t i = *first; pass == 1 && i < *end; i++) space->joint_in[i] = -1;
        for (int32_t k = space->friction_start[number]; k < space->friction_start[number + 1];
             k++) {
            const zg_friction *f = &p->friction[space->island_friction[k]];
            if (f->contact >= 0 || f->joints == 0) continue;
            if (f->joint_first < *first) *first = f->joint_first;
            if (f->joint_first + f->joints > *end) *end = f->joint_first + f->joints;
            for (int32_t i = 0; pass == 1 && i < f->joints; i++)
                space->joint_in[f->joint_first + i] = 0;
        }
    }
}

/* In their order, so that ranges stay together. */
static void gather_joints(zg_contact_space *space, const zg_instant *p, int32_t number)
{
    zg_island *c = &space->island;
    int32_t from, to_end, first, end;
    c->joints = 0;
    mark_joints(space, p, number, &from, &to_end);
    for (int32_t i = from; i < to_end; i++) {
        if (space->joint_in[i] < 0) continue;
        const double *l = row_of_joint(p, i, &first, &end);
        double *to = c->L + (size_t)c->joints * (size_t)c->r;
        for (int32_t j = 0; j < c->r; j++) to[j] = l[c->row_of[j] - first] * c->D[j];
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
    for (int32_t k = space->friction_start[number]; k < space->friction_start[number + 1]; k++) {
        int32_t n = space->island_friction[k];
        const zg_friction *f = &p->friction[n];
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
    for (int32_t i = 0; i < instant->joints; i++) {
        int32_t first, end;
        const double *l = row_of_joint(instant, i, &first, &end);
        double sum = instant->lambda0 ? instant->lambda0[i] : 0.0;
        for (int32_t j = first; j < end; j++) sum += l[j - first] * x[j];
        lambda[i] = sum;
    }
}
