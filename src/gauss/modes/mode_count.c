/*
 * All modes of an island, one after the other: each contact touches or is open, each friction at rest
 * sticks, slides one way or the other (in space: along the direction that fits), or holds what it gives back.
 * Sticking comes before sliding, sliding before opening, and what an event forces before all: its
 * choices are the slowest digits of the count, so that every mode that has them is tried before any
 * that has not. Joints that slide are tried with each sign of what presses them where several may go. Where no mode is found and directions in space have to be, the search for them begins anew elsewhere. Solutions are different when their motions are: u differs.
 */
#include <math.h>
#include <string.h>

#include "mode_search.h"

enum { most_digits = 32, most_options = 4, most_starts = 25 };

typedef struct digit {
    int32_t contact, friction; /* one of them; -1 */
    int32_t options, at;
    uint8_t state[most_options];
    double sign[most_options]; /* of a slide in the plane */
} digit;

typedef struct counter {
    digit digit[most_digits]; /* slowest first */
    int32_t digits, forced;   /* the first are those that events chose */
} counter;

static void add_option(digit *d, uint8_t state, double sign)
{
    d->state[d->options] = state;
    d->sign[d->options++] = sign;
}

/* The forced option comes first. */
static void bring_forward(digit *d, uint8_t state, double sign)
{
    for (int32_t i = 0; i < d->options; i++) {
        if (d->state[i] != state || (state == ZG_SLIDE && d->sign[i] * sign < 0.0)) continue;
        double own = d->sign[i];
        for (int32_t j = i; j > 0; j--) {
            d->state[j] = d->state[j - 1];
            d->sign[j] = d->sign[j - 1];
        }
        d->state[0] = state;
        d->sign[0] = own;
        return;
    }
}

static bool contact_digit(const zg_hunt *h, int32_t i, digit *d)
{
    *d = (digit){.contact = i, .friction = -1};
    add_option(d, ZG_TOUCHING, 0.0);
    add_option(d, ZG_OPEN, 0.0);
    if (h->forced_contact[i] == ZG_ANY) return false;
    bring_forward(d, h->forced_contact[i], 0.0);
    return true;
}

static bool friction_digit(const zg_hunt *h, int32_t n, digit *d)
{
    const island_friction *f = &h->c->friction[n];
    *d = (digit){.contact = -1, .friction = n};
    if (f->slips) {
        add_option(d, ZG_SLIDE, 0.0);
        return false;
    }
    add_option(d, ZG_STICK, 0.0);
    add_option(d, ZG_SLIDE, 1.0);
    if (f->width == 1) add_option(d, ZG_SLIDE, -1.0);
    if (f->gives_back) add_option(d, ZG_HELD, 0.0);
    if (h->forced_friction[n] == ZG_ANY) return false;
    bring_forward(d, h->forced_friction[n], f->width == 1 ? h->forced_direction[3 * n] : 0.0);
    return true;
}

/* The digits, forced ones first; false: too many. */
static bool set_up(const zg_hunt *h, counter *k)
{
    const zg_island *c = h->c;
    k->digits = k->forced = 0;
    for (int32_t pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < c->contacts + c->frictions; i++) {
            digit d;
            bool contact = i < c->contacts;
            bool forced =
                contact ? contact_digit(h, i, &d) : friction_digit(h, i - c->contacts, &d);
            if (forced != (pass == 0) || d.options < 2) continue;
            if (k->digits == most_digits) return false;
            k->digit[k->digits++] = d;
            k->forced += forced;
        }
    }
    return true;
}

/* Modes of the frictions at rest that press on a contact (-1: on joints). */
static double friction_modes(const zg_island *c, int32_t contact)
{
    double modes = 1.0;
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        if (f->contact != contact || f->slips) continue;
        modes *= (f->width == 1 ? 3.0 : 2.0) + (f->gives_back ? 1.0 : 0.0);
    }
    return modes;
}

int32_t zg_count_modes(const zg_hunt *h)
{
    const zg_island *c = h->c;
    double modes = friction_modes(c, -1);
    for (int32_t i = 0; i < c->contacts && modes <= ZG_MOST_MODES; i++) {
        double closed = friction_modes(c, i);
        modes *= closed + (c->contact[i].offset > 0.0 ? closed : 1.0);
    }
    return modes <= ZG_MOST_MODES && c->contacts + c->frictions <= most_digits ? (int32_t)modes
                                                                               : -1;
}

/* Where the search for a direction in space begins. From the second time on places that are spread
 * evenly, by multiples of irrational parts of a turn. */
static void begin_direction(const zg_hunt *h, int32_t n, double *d)
{
    if (h->start == 0) {
        if (h->forced_friction[n] == ZG_SLIDE)
            memcpy(d, h->forced_direction + 3 * n, 3 * sizeof *d);
        return;
    }
    double turn =
        6.283185307179586 * 0.6180339887498949 * h->start * (1.0 + 0.7548776662466927 * n);
    double height = h->c->friction[n].width == 2 ? 0.0 : sin(2.399963229728653 * h->start + n);
    double across = sqrt(1.0 - height * height);
    d[0] = across * cos(turn);
    d[1] = across * sin(turn);
    d[2] = height;
}

/* t from the digits. False: a friction without pressure would be tried in more than one way. */
static bool write_mode(const zg_hunt *h, const counter *k)
{
    const zg_island *c = h->c;
    zg_trial *t = h->t;
    for (int32_t n = 0; n < c->frictions; n++) {
        t->friction[n] = ZG_SLIDE;
        t->side[n] = ZG_SIDE_ANY;
        memcpy(t->direction + 3 * n, c->friction[n].slip, sizeof c->friction[n].slip);
    }
    for (int32_t i = 0; i < k->digits; i++) {
        const digit *d = &k->digit[i];
        if (d->contact >= 0)
            t->contact[d->contact] = d->state[d->at];
        else
            t->friction[d->friction] = d->state[d->at];
    }
    for (int32_t i = 0; i < k->digits; i++) {
        const digit *d = &k->digit[i];
        if (d->friction < 0) continue;
        if (!zg_has_pressure(c, t, d->friction) && d->at > 0) return false;
        double *to = t->direction + 3 * d->friction;
        memset(to, 0, 3 * sizeof *to);
        if (d->state[d->at] == ZG_SLIDE && c->friction[d->friction].width == 1)
            to[0] = d->sign[d->at];
        if (d->state[d->at] == ZG_SLIDE && c->friction[d->friction].width > 1)
            begin_direction(h, d->friction, to);
    }
    return true;
}

/* The next mode; the slowest digit that changed, -1 after the last. */
static int32_t advance(counter *k)
{
    int32_t i = k->digits - 1;
    while (i >= 0 && ++k->digit[i].at == k->digit[i].options) k->digit[i--].at = 0;
    return i;
}

static bool moves_alike(const zg_island *c, const zg_trial *a, const zg_trial *b)
{
    for (int32_t i = 0; i < c->r; i++)
        if (!(fabs(a->u[i] - b->u[i]) <= c->equal)) return false;
    return true;
}

/* Where static friction is larger than dynamic, what sticks might slide as well: sticking is the rule. */
static bool only_by_static(const zg_island *c, const zg_trial *sticks, const zg_trial *slides)
{
    for (int32_t n = 0; n < c->frictions; n++)
        if (c->friction[n].mu_static > c->friction[n].mu && sticks->friction[n] == ZG_STICK &&
            slides->friction[n] == ZG_SLIDE)
            return true;
    return false;
}

/* What slides in one and sticks in the other is clearly inside its cone there: it did not just let go. */
static bool holds_clearly(const zg_island *c, const zg_trial *sticks, const zg_trial *slides)
{
    for (int32_t n = 0; n < c->frictions; n++) {
        const island_friction *f = &c->friction[n];
        double length = 0.0;
        if (sticks->friction[n] != ZG_STICK || slides->friction[n] != ZG_SLIDE) continue;
        for (int32_t j = 0; j < f->width; j++) length = hypot(length, sticks->x[f->first + j]);
        if (!(length < (1.0 - 1e-6) * f->mu_static * sticks->rho[n])) return false;
    }
    return true;
}

/* A solution; true where it is the second. */
static bool count_solution(zg_hunt *h)
{
    if (h->found == 0) {
        zg_copy_trial(h->c, h->t, h->best);
        h->found = 1;
        return false;
    }
    if (moves_alike(h->c, h->best, h->t) || only_by_static(h->c, h->best, h->t)) return false;
    if (only_by_static(h->c, h->t, h->best)) {
        if (holds_clearly(h->c, h->t, h->best)) zg_copy_trial(h->c, h->t, h->best);
        return false;
    }
    zg_copy_trial(h->c, h->t, h->second);
    h->found = 2;
    return true;
}

/* ----------------------------------------------------------------- signs of joints */

enum { most_sides = 8 };

/* Joints that slide in t, in list; how many. */
static int32_t list_sides(const zg_hunt *h, int32_t *list)
{
    int32_t count = 0;
    for (int32_t n = 0; n < h->c->frictions && count < most_sides; n++) {
        const island_friction *f = &h->c->friction[n];
        if (f->contact < 0 && f->mu > 0.0 && h->t->friction[n] == ZG_SLIDE) list[count++] = n;
    }
    return count;
}

/* The choice of signs; of several multipliers, where the search begins. */
static void write_sides(const zg_hunt *h, int32_t choice, const int32_t *list, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        bool second = choice >> i & 1, single = zg_is_single(&h->c->friction[list[i]]);
        h->t->side[list[i]] =
            single ? (second ? ZG_SIDE_MINUS : ZG_SIDE_PLUS) : (second ? ZG_SIDE_FAR : ZG_SIDE_ANY);
    }
}

/* Whether the pressures of joints of the last trial need not be the only ones: they are where their feedback is below 1 and
 * nothing else shares. */
static bool has_branches(const zg_hunt *h, bool kept)
{
    return !h->t->solved || h->t->feedback >= 1.0 || (h->t->shared && !kept);
}

/* The mode in t, tried as it is and, where joints slide, with all signs of them. True: it is enough. */
static bool try_mode(zg_hunt *h, bool all)
{
    int32_t list[most_sides], count = list_sides(h, list);
    zg_trial *begun = h->begun;
    zg_copy_mode(h->c, h->t, begun);
    bool kept = zg_try(h);
    if (kept && (count_solution(h) || !all)) return true;
    if (count == 0 || !has_branches(h, kept)) return false;
    for (int32_t choice = 0; choice < 1 << count; choice++) {
        zg_copy_mode(h->c, begun, h->t);
        write_sides(h, choice, list, count);
        for (int32_t i = 0; i < count; i++) h->unsure |= !zg_is_single(&h->c->friction[list[i]]);
        if (zg_try(h) && (count_solution(h) || !all)) return true;
    }
    return false;
}

void zg_try_branches(zg_hunt *h)
{
    zg_copy_mode(h->c, h->best, h->t);
    memset(h->t->side, ZG_SIDE_ANY, (size_t)h->c->frictions);
    try_mode(h, true);
}

/* ------------------------------------------------------------------------ all modes */

static void try_all(zg_hunt *h, bool all)
{
    counter k;
    if (!set_up(h, &k)) return;
    for (int32_t changed = 0; changed >= 0; changed = advance(&k)) {
        /* the first of another forced choice: modes without the forced ones do not count any more */
        bool forced = true;
        for (int32_t i = 0; i < k.forced; i++) forced &= k.digit[i].at == 0;
        if (!forced && h->found > 0) return;
        if (write_mode(h, &k) && try_mode(h, all)) return;
    }
}

bool zg_turns(const zg_island *c)
{
    for (int32_t n = 0; n < c->frictions; n++)
        if (!c->friction[n].slips && c->friction[n].width > 1) return true;
    return false;
}

void zg_try_modes(zg_hunt *h, bool all)
{
    int32_t starts = zg_turns(h->c) ? most_starts : 1;
    for (h->start = 0; h->start < starts; h->start++) {
        try_all(h, all);
        if (all || h->found > 0) break;
    }
    h->start = 0;
}
