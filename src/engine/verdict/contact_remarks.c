/*
 * What one should know about the contacts of a run that is over, as diagnostics (R053.., W0520).
 */
#include <math.h>

#include "conclude.h"
#include "trouble.h"

enum { most_told = 5, many_moments = 10000 };

static void add_contact_name(const zw_sim *sim, int32_t k, zb_text *text)
{
    zr_text_row(sim->model, sim->zm->contacts[k].row, text);
}

/* ---------------------------------------------------------------------------- rest */

/* R0530, of one contact: it bounced until bounces were left out. */
static zw_status tell_rest(zw_sim *sim, int32_t k)
{
    const zr_contacts *c = sim->contacts;
    const zr_tally *tally = &c->tally[k];
    bool rests = c->mode.touch[k] != ZR_OPEN && tally->last <= tally->captured_t;
    zb_text text = open_sentence(sim);
    add_contact_name(sim, k, &text);
    zb_text_add(&text, ": ");
    zb_text_int(&text, tally->impacts);
    zb_text_add(&text, " impacts");
    if (rests) add_brief_number(&text, ", at rest from t = ", tally->captured_t);
    zb_text_add(&text,
                sim->zm->simulate.rest > 0.0 ? "; bounces slower than " : "; bounces lower than ");
    zr_text_digits(&text, tally->low, 2);
    zb_text_add(&text, " left out");
    if (!rests) add_brief_number(&text, ", last at t = ", tally->captured_t);
    zr_message message = {.code = "R0530",
                          .place = zr_row_place(sim->model, sim->zm->contacts[k].row)};
    return report_and_free(sim, message, &text);
}

/* Of too many, those that bounced most. */
static zw_status tell_all_rests(zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    int32_t told = 0;
    for (int32_t k = 0; k < c->laws->contacts && told < most_told; k++) {
        if (c->tally[k].captures == 0 || c->tally[k].impacts < 2) continue;
        ZB_TRY(tell_rest(sim, k));
        told++;
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------- rules */

/* R0531 */
static zw_status tell_guard(zw_sim *sim)
{
    int32_t last = -1;
    if (sim->contacts->record.guarded == 0) return ZW_OK;
    for (int32_t k = 0; k < sim->contacts->laws->contacts; k++)
        if (sim->contacts->tally[k].guarded > 0) last = k;
    zb_text text = open_sentence(sim);
    zr_text_guard(sim, &text);
    zr_message message = {.code = "R0531",
                          .place = last < 0 ? zr_nowhere
                                            : zr_row_place(sim->model, sim->zm->contacts[last].row),
                          .help = "`simulate impact = poisson` hardly ever needs it"};
    if (sim->zm->simulate.impact != ZM_NEWTON) message.help = NULL;
    return report_and_free(sim, message, &text);
}

/* R0532, once for every set of contacts. */
static zw_status tell_rules(zw_sim *sim)
{
    const zr_impact_record *r = &sim->contacts->record;
    for (int32_t k = 0; k < r->rule_count; k++) {
        zb_text text = open_sentence(sim);
        zr_text_rule(sim, &r->rules[k], &text);
        zr_message message = {
            .code = "R0532",
            .place = zr_row_place(sim->model, sim->zm->contacts[r->rules[k].contact[0]].row),
            .help = "no law says in which order rigid bodies that touch pass an impact on: compare "
                    "with `simulate impacts = together`"};
        if (sim->zm->simulate.impacts == ZM_TOGETHER)
            message.help = "no law says in which order rigid bodies that touch pass an impact on: "
                           "compare with `simulate impacts = rounds`";
        ZB_TRY(report_and_free(sim, message, &text));
    }
    return ZW_OK;
}

/* R0533: so many moments that a run of steps would serve better. */
static zw_status tell_many_moments(zw_sim *sim)
{
    int64_t moments = sim->run->touching.moments;
    if (moments <= many_moments) return ZW_OK;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "contacts have closed, opened, stuck or slipped at ");
    zb_text_int(&text, moments);
    zb_text_add(&text, " moments, each of which was located");
    return report_and_free(
        sim,
        (zr_message){.code = "R0533",
                     .place = zr_nowhere,
                     .help = "`simulate rest = SPEED` ends bounces earlier; a lower restitution or "
                             "a shorter run needs fewer"},
        &text);
}

/* -------------------------------------------------------------------------- shares */

/* W0520 */
static zw_status tell_friction_shares(zw_sim *sim)
{
    const zr_contacts *c = sim->contacts;
    int32_t last = -1;
    zr_name_ranges names;
    if (isnan(c->record.shared_t)) return ZW_OK;
    zr_name_ranges_init(&names, sim->memory);
    for (int32_t k = 0; k < c->laws->contacts; k++) {
        if (!c->shared[k]) continue;
        add_contact_name(sim, k, &names.name);
        zr_name_ranges_add(&names, "");
        last = k;
    }
    int32_t friction = 0;
    for (int32_t f = 0; f < c->laws->frictions; f++)
        if (c->laws->friction[f].first_row == sim->zm->contacts[last].row) friction = f;
    zw_status status = zr_warn_of_friction_shares(sim, &names, friction, c->record.shared_t);
    zr_name_ranges_free(&names);
    return status;
}

zw_status zr_tell_contacts(zw_sim *sim)
{
    if (!sim->contacts) return ZW_OK;
    ZB_TRY(tell_friction_shares(sim));
    ZB_TRY(tell_guard(sim));
    ZB_TRY(tell_rules(sim));
    ZB_TRY(tell_all_rests(sim));
    return tell_many_moments(sim);
}
