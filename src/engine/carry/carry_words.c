/*
 * Why there are no derivatives of a run: at its start, or where it ended for them.
 */
#include "carry.h"
#include "events.h"
#include "messages.h"

/* A sentence without a place; frees it. */
static zw_status tell(zw_sim *sim, const char *code, const char *help, zb_text *text)
{
    zr_message message = {.code = code, .place = zr_nowhere, .help = help};
    zw_status status = zr_report(sim->model, &message, text);
    zb_text_free(text);
    return status;
}

static zw_status tell_grazing(zw_sim *sim, zb_text *text)
{
    const zr_carried *c = sim->carried;
    if (c->event >= 0) {
        zb_text_char(text, '`');
        zr_text_event(sim->model, c->event, text);
        zb_text_char(text, '`');
    } else {
        zb_text_add(text, "a condition");
    }
    zb_text_add(text, " is only touched at t = ");
    zr_text_short(text, c->trouble_t);
    zb_text_add(text, ": its moment has no derivative");
    zr_message message = {
        .code = "E0731",
        .place = c->event >= 0 ? sim->zm->events[c->event].written : zr_nowhere,
        .help = "end the run before it, or move a parameter so that the condition is passed"};
    zw_status status = zr_report(sim->model, &message, text);
    zb_text_free(text);
    return status;
}

/* "there are no derivatives from t = 1.5 on: " */
static void begin_sentence(const zr_carried *c, zb_text *text)
{
    zb_text_add(text, "there are no derivatives from t = ");
    zr_text_short(text, c->trouble_t);
    zb_text_add(text, " on: ");
}

zw_status zr_report_carry(zw_sim *sim)
{
    const zr_carried *c = sim->carried;
    zb_text text;
    if (!c) return ZW_OK;
    zb_text_init(&text, sim->memory);
    if (c->trouble == ZR_CARRY_GRAZES) return tell_grazing(sim, &text);
    begin_sentence(c, &text);
    switch (c->trouble) {
    case ZR_CARRY_RANK:
        zb_text_add(&text, "constraints depend on each other there, and elsewhere they do not");
        return tell(sim, "E0732", "end the run before the singular configuration", &text);
    case ZR_CARRY_FAR:
        zb_text_add(&text, "the values that an event sets are far from the constraints");
        return tell(sim, "E0734", "let the event set values that satisfy the constraints", &text);
    case ZR_CARRY_TOGETHER:
        zb_text_add(&text, "several conditions of the equations turn at one moment");
        return tell(sim, "E0734", "move a parameter so that one comes after the other", &text);
    default:
        zb_text_add(&text, c->why ? c->why : "nothing is known of them");
        return tell(sim, "E0732",
                    "end the run before it (--until), or leave out the columns d(...)/d(...)",
                    &text);
    }
}

zw_status zr_report_no_carry(zw_sim *sim, zw_status status)
{
    zb_text text;
    if (status == ZW_OK || zr_is_memory(status) || status == ZW_ERR_ORDER) return status;
    zb_text_init(&text, sim->memory);
    const char *help = "ask for others, or leave out the columns d(...)/d(...)";
    if (status == ZW_ERR_METHOD) {
        zb_text_add(&text,
                    "derivatives go along with dop853, dopri5 and rk4, onto the constraints by "
                    "projection");
        help = "leave out --method, --stabilize and --form";
    } else if (status == ZW_ERR_CONTACT) {
        zb_text_add(&text, "there are no derivatives of the start: contacts meet there at once");
    } else if (status == ZW_ERR_LARGE) {
        zb_text_add(&text, "the model is too large for derivatives with weights");
    } else if (status == ZW_ERR_INCONSISTENT) {
        zb_text_add(&text, "there are no derivatives of the start: beside it the constraints "
                           "contradict each other");
    } else {
        zb_text_add(&text, "there are no derivatives of the start: the nearest point on the "
                           "constraints is not a regular one");
    }
    zw_status told = tell(sim, "E0732", help, &text);
    return told == ZW_OK ? ZW_ERR_SETTING : told;
}
