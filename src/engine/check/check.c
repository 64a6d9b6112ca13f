/*
 * `zwang check`: what a model is, before it runs. Starts the simulation, finds the rank of its
 * constraints, redundancy and conflicts there, and writes the report (check_text.c, check_json.c).
 * A start that was refused is reported all the same.
 */
#include <math.h>

#include "check.h"
#include "friction.h"

enum { piece_size = 1 << 16 }; /* bytes that are worth a call of the caller's */

/* Once the caller has stopped nothing is given to it any more. A failure of the text outlives
 * its clearing. */
void zr_check_flush(zr_check *c, bool all)
{
    if (c->text.length == 0 || (!all && c->text.length < piece_size)) return;
    if (!c->stopped && c->text.failure == ZW_OK)
        c->stopped = !c->write(c->user, zb_text_string(&c->text), c->text.length);
    zw_status failure = c->text.failure;
    zb_text_clear(&c->text);
    c->text.failure = failure;
}

/* Did the start get as far as a state of finite numbers? */
static bool is_start_usable(const zr_check *c)
{
    const zw_sim *sim = c->sim;
    if (!sim->start.done) return false;
    for (int32_t i = 0; i < sim->zm->n; i++)
        if (!isfinite(sim->q[i]) || !isfinite(sim->v[i])) return false;
    return true;
}

/* What can be said of the constraints at the start. Their values there are then in sim->level. */
static zw_status examine_start(zr_check *c)
{
    zw_sim *sim = c->sim;
    if (!is_start_usable(c)) return ZW_OK;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    if (sim->contacts) zr_enter_masks(sim, false); /* rank and redundancy are those of equations */
    ZB_TRY(zr_find_redundancy(c));
    if (sim->contacts) zr_enter_mode(sim);
    ZB_TRY(zr_examine_contacts(c));
    zr_evaluate_levels(sim, &s);
    zr_evaluate_rows(sim, &s);
    c->evaluated = true;
    return zr_examine_controls(c);
}

/* The status of the start is that of the check: a refused start is an error, though its report
 * is written. */
zw_status zr_sim_check(zw_sim *sim, bool accept_inconsistent, zw_report_form form,
                       zw_write_fn write, void *user)
{
    zr_check c = {.sim = sim, .write = write, .user = user, .rows = zr_equation_rows(sim)};
    c.status = zr_sim_start(sim, accept_inconsistent);
    if (zr_is_memory(c.status)) return c.status;
    ZB_TRY(examine_start(&c));
    zb_text_init(&c.text, sim->memory);
    if (form == ZW_REPORT_JSON)
        zr_check_json(&c);
    else
        zr_check_text(&c);
    zr_check_flush(&c, true);
    zw_status failure = c.text.failure;
    zb_text_free(&c.text);
    return failure == ZW_OK ? c.status : failure;
}
