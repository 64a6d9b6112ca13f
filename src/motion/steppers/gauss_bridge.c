/*
 * Bridges of gauss16: steps of dop853 where sweeps do not do.
 *
 * A step of gauss16 is long, and all of its stages have to agree. Near a singular configuration one
 * of them comes so close that its rates are noise; where friction turns within a short time, or the
 * motion is stiff, sweeps do not contract. Steps of dop853 are short and need no sweeps, and its
 * driver knows what to do about noise (adapt.c). So some are made, then gauss16 is tried again:
 *
 *     trouble --> wait steps of dop853 --> gauss16 --> trouble again: wait twice as many
 *                                                  --> good steps: fewer the next time
 *
 * The rows of dop853 come before those of gauss16 (gauss16.h): sizes and which components count are
 * one for both.
 */
#include <string.h>

#include "gauss16.h"
#include "pair_list.h"

static const double most_steps = 512.0;
/* The first step to try afterwards, in steps of dop853. */
static const double longer = 2.5;
/* After a good step: four of them halve what is waited. */
static const double less_waiting = 0.84;

const zi_method *zi_bridge_method(void)
{
    return &zi_pair_methods[zi_number_of_dop853];
}

zw_status zi_open_bridge(zi_stepper *s)
{
    const zi_method *own = s->method;
    s->method = zi_bridge_method();
    zw_status status = s->method->open(s);
    s->method = own;
    return status;
}

/* f at the beginning is asked for again: dop853 has it in a row of its own. */
void zi_begin_bridge(zi_stepper *s, double fewest)
{
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    x->wait = x->wait < fewest ? fewest : 2.0 * x->wait;
    if (x->wait > most_steps) x->wait = most_steps;
    x->left = x->wait;
    x->known = 0.0;
    s->first_known = s->rejected = false;
    s->stiff_hits = s->stiff_misses = 0;
    (void)zi_adapt_restart(s);
}

/* After a step of gauss16 that was good. */
void zi_praise_sweeps(zi_stepper *s)
{
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    x->wait *= less_waiting;
}

/* The energy is held as after other steps; where that changes the state f is another one. */
static void hold_bridged(zi_stepper *s)
{
    double *before = zi_row(s, zi_at_end), *carry = zi_row(s, zi_at_carry);
    memset(carry, 0, sizeof *carry * (size_t)s->stride);
    if (!s->system.hold) return;
    zi_copy(s, before, s->y);
    s->system.hold(s->system.user, s->t, s->y, carry);
    if (memcmp(before, s->y, sizeof *before * (size_t)s->stride) != 0) s->first_known = false;
}

zw_status zi_bridge_step(zi_stepper *s)
{
    zi_gauss_numbers *x = zi_gauss_numbers_of(s);
    const zi_method *own = s->method;
    s->method = zi_bridge_method();
    zw_status status = s->method->step(s);
    s->method = own;
    if (status != ZW_OK) return status;
    x->bridged = 1.0;
    s->counts.bridged++;
    hold_bridged(s);
    bool noisy = s->system.noise && *s->system.noise > zi_much_noise;
    x->left -= x->left > 1.0 || !noisy ? 1.0 : 0.0;
    if (x->left > 0.0) return ZW_OK;
    s->first_known = true; /* of gauss16: the start is settled */
    s->h *= longer;
    return ZW_OK;
}

zw_status zi_bridge_dense(zi_stepper *s, double t, double *y)
{
    const zi_method *own = s->method;
    s->method = zi_bridge_method();
    zw_status status = s->method->dense(s, t, y);
    s->method = own;
    return status;
}
