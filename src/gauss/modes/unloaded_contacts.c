/*
 * Contacts that a mode leaves open and that do not move all the same. Where friction slides, the motion
 * depends on how contacts share their load, and shares are those of springs, V x on each, in the limit of large
 * stiffness. A spring without load is as long as it is, or shorter by what its contact has come apart; so such a mode counts
 * only where the body can lie on its loaded springs with none of the open contacts U pressed in:
 *
 *     e_B = V x_B,   e_U = e0 + S y <= 0 for some y
 *     e0 = G_UB G_BB^-1 V x_B,   S = G_UU - G_UB G_BB^-1 G_BU
 *
 * with B the basis of the rows that hold. One contact that follows from B (S = 0) has e0 alone. Of several, each may be free to
 * turn away and not all of them together: two feet of a block that is held between two jaws, each on its side. Then
 * 0 <= y, 0 <= S y - e0 has no solution, and active_set.c proves it by p >= 0 with S p = 0, p e0 > 0.
 */
#include <math.h>
#include <string.h>

#include "active_set.h"
#include "mode_search.h"

/* Contact i is pressed in by `amount`, a force: it belongs into the mode. */
static void note_pressed(zg_hunt *h, int32_t i, double amount)
{
    h->s->broken[i] = ZG_FALLS;
    h->judgement.count++;
    h->judgement.worst = ZG_FALLS;
    h->judgement.index = i;
    h->judgement.amount = amount;
}

/* Those that follow from the rows that hold. Returns how many others there are, in h->unloaded. */
static int32_t judge_each(zg_hunt *h)
{
    const zg_island *c = h->c;
    int32_t others = 0;
    for (int32_t i = 0; i < c->contacts; i++) {
        int32_t row = c->contact[i].normal;
        if (h->t->contact[i] == ZG_TOUCHING || !(c->own[row] > 0.0)) continue;
        if (!(fabs(h->t->u[row]) <= c->sign)) continue;
        double force = zg_spring_force(c, h->s, h->t, row);
        if (force == -HUGE_VAL)
            h->unloaded[others++] = i;
        else if (force > c->sign)
            note_pressed(h, i, force);
    }
    return others;
}

/* S and -e0 of the contacts in h->unloaded, as an island of their own. */
static void write_springs(const zg_hunt *h, int32_t count)
{
    const zg_island *c = h->c;
    const int32_t *list = h->unloaded;
    zg_island *d = h->dual;
    double least = HUGE_VAL;
    *d = (zg_island){
        .G = d->G, .w = d->w, .own = d->own, .V = d->V, .contact = d->contact, .rank = c->rank};
    d->r = d->contacts = count;
    for (int32_t i = 0; i < count; i++) {
        int32_t row = c->contact[list[i]].normal;
        double *s = d->G + (size_t)i * (size_t)count, *z = h->s->right;
        zg_spring_row(c, h->s, row, z);
        d->contact[i] = (island_contact){.normal = i};
        d->own[i] = c->own[row];
        d->V[i] = 1.0;
        d->w[i] = -zg_spring_length(c, h->s, h->t, z);
        for (int32_t j = 0; j < count; j++)
            s[j] = zg_spring_left(c, h->s, row, c->contact[list[j]].normal, z);
        d->A = fmax(d->A, fabs(d->w[i]));
        least = fmin(least, c->V[row]);
    }
    d->sign = c->sign * least;
}

void zg_judge_unloaded(zg_hunt *h)
{
    const zg_island *c = h->c;
    int32_t solves = 0, worst = -1, count = judge_each(h);
    if (count < 2 || h->judgement.count > 0) return;
    write_springs(h, count);
    memset(h->other->contact, ZG_OPEN, (size_t)count);
    bool conflict = zg_solve_contacts(h->dual, h->s, h->other, &solves) == ZG_CONFLICT;
    memset(h->s->broken, ZG_KEPT, (size_t)c->contacts + (size_t)c->frictions);
    if (!conflict) return;
    for (int32_t i = 0; i < count; i++)
        if (h->other->x[i] > 0.0 && (worst < 0 || h->dual->w[i] < h->dual->w[worst])) worst = i;
    if (worst < 0) return;
    int32_t row = c->contact[h->unloaded[worst]].normal;
    note_pressed(h, h->unloaded[worst], -h->dual->w[worst] / c->V[row]);
}
