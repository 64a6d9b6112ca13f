/*
 * What one should know about a run that is over, as diagnostics (W07.., R07..): in the order in which
 * they are told.
 */
#include <math.h>
#include <string.h>

#include "conclude.h"

enum { most_slides_told = 8 };

/* W0711: an explicit method went through a stiff stretch. */
static zw_status tell_stiffness(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    if (!run->stats.stiff || run->stats.switched) return ZW_OK;
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "from t = ", run->stats.first_stiff);
    zb_text_printf(&text,
                   " the motion is stiff: %s makes many small steps that only its stability needs",
                   zb_method_name(run->settings.method));
    return report_and_free(
        sim,
        (zr_message){.code = "W0711",
                     .place = zr_nowhere,
                     .help = "use --method bdf, or auto, which changes to it by itself"},
        &text);
}

/* W0715: a run was left, or came to its limit, with steps so small against those before that the
 * rest is out of reach. */
static zw_status tell_small_steps(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    const zi_stepper *step = run->step.stepper;
    double h = step->t - step->t_old, left = run->settings.until - sim->t;
    bool ended = run->events.stopped ||
                 (run->ending.failure != ZW_OK && run->ending.failure != ZW_ERR_LIMIT);
    bool small = h > 0.0 && h < 1e-5 * step->counts.largest && left > 1e6 * h;
    if (ended || run->stats.stiff || !small) return ZW_OK;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "the steps have become very small, ");
    zr_text_digits(&text, h, 2);
    add_brief_number(&text, " at t = ", sim->t);
    zb_text_add(&text, ": what is left would take some ");
    zr_text_digits(&text, left / h, 1);
    zb_text_add(&text, " steps");
    return report_and_free(
        sim,
        (zr_message){.code = "W0715",
                     .place = zr_nowhere,
                     .help = "something in the model is much faster there than the motion before: "
                             "leave it out or smooth it, or stop there by `when`"},
        &text);
}

/* W0712: rows contradicted each other on the way. */
static zw_status tell_conflict_of_run(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    if (isnan(run->stats.first_inconsistent)) return ZW_OK;
    zb_text text = open_sentence(sim);
    int32_t last = zr_text_demands(sim, &text);
    zr_text_spans(sim, &text);
    add_brief_number(&text, ", by at most ", run->stats.inconsistency);
    zb_text_add(&text, ": the motion satisfies them in the sense of least squares");
    return report_and_free(
        sim,
        (zr_message){.code = "W0712",
                     .place = last >= 0 ? zr_row_place(sim->model, last) : zr_nowhere,
                     .help = "if that was not meant, leave one of them out; `weight` says "
                             "how much each counts"},
        &text);
}

/* W0727: what a conflict left when it ended. The principle is about accelerations: nothing in it
 * brings positions and velocities back. */
static zw_status tell_what_conflict_left(zw_sim *sim)
{
    if (!zr_has_left_rows(sim) || zr_are_left_rows_driven(sim)) return ZW_OK;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "where the conflict ended it left ");
    int32_t last = zr_text_left(sim, &text);
    zb_text_add(&text, "; from there on only their accelerations are kept to");
    return report_and_free(
        sim,
        (zr_message){.code = "W0727",
                     .place = zr_row_place(sim->model, last),
                     .help = "an event that sets values brings the motion back: `when` with the "
                             "time or the condition at which the conflict ends"},
        &text);
}

/* W0728: no position met the rows any more, and that is accepted. */
static zw_status tell_lock(zw_sim *sim)
{
    const zr_record *record = &sim->run->record;
    if (isnan(record->locked_t)) return ZW_OK;
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "from t = ", record->locked_t);
    zb_text_add(&text, " on no position meets ");
    int32_t last = zr_text_locked(sim, &text);
    zb_text_add(&text, " together");
    (void)zr_say_drive(sim, -1, &text);
    zb_text_add(&text, ": the motion goes on at the compromise of least squares");
    return report_and_free(
        sim,
        (zr_message){.code = "W0728",
                     .place = last >= 0 ? zr_row_place(sim->model, last) : zr_nowhere,
                     .help = "`weight` says how much each of them counts"},
        &text);
}

/* R0713: the motion went through singular configurations. */
static zw_status tell_rank_changes(zw_sim *sim)
{
    const zw_run_statistics *s = &sim->run->stats;
    if (s->rank_changes == 0) return ZW_OK;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "the rank of the constraints");
    if (!sim->contacts)
        zb_text_printf(&text, ", %d almost everywhere,", (int)sim->run->solving.generic_rank);
    zb_text_add(&text, " changed at ");
    zb_text_int(&text, s->rank_changes);
    zb_text_add(&text, s->rank_changes == 1 ? " step" : " steps");
    add_brief_number(&text, ", first at t = ", s->first_rank_change);
    zb_text_add(&text, ": a singular configuration that the motion went through");
    return report_and_free(
        sim,
        (zr_message){.code = "R0713",
                     .place = zr_nowhere,
                     .help = "where a mechanism can branch there, compare with a run of "
                             "smaller tolerance"},
        &text);
}

/* R0731: forces were written that the mechanics does not determine. */
static zw_status tell_shares(zw_sim *sim)
{
    const zr_shares *x = &sim->run->shares;
    if (isnan(x->first)) return ZW_OK;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "what is written of ");
    zr_text_shares(sim, &text);
    zb_text_printf(&text, " is not unique: %d of %d constraint rows are independent",
                   (int)x->first_rank, (int)x->first_rows);
    if (x->passing) add_brief_number(&text, " at t = ", x->first);
    zb_text_add(&text, ", and the forces of least norm are taken");
    return report_and_free(
        sim,
        (zr_message){.code = "R0731",
                     .place = zr_nowhere,
                     .help = "sums of them may be unique: `zwang check` says which reactions and "
                             "outputs are; leave out the constraints that are redundant"},
        &text);
}

/* W0733: a non-ideal force or an event reads a share that is not unique. */
static zw_status tell_choice(zw_sim *sim)
{
    if (isnan(sim->run->feedback.chosen)) return ZW_OK;
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "from t = ", sim->run->feedback.chosen);
    zb_text_add(&text, " on the motion follows a share of a reaction, in a non-ideal force or the "
                       "condition of an event, that is not unique: constraints depend on each "
                       "other, and the share of least norm is taken");
    return report_and_free(
        sim,
        (zr_message){.code = "W0733",
                     .place = zr_nowhere,
                     .help = "leave out the constraints that are redundant, or use sums that are "
                             "unique; `zwang check` says which"},
        &text);
}

/* R0732: non-ideal forces read reactions that they change. */
static zw_status tell_feedback(zw_sim *sim)
{
    const zr_feedback *x = &sim->run->feedback;
    if (isnan(x->first)) return ZW_OK;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "friction follows the reaction as it is without friction; with it this "
                       "reaction is another one, and the friction would differ by about ");
    zr_text_digits(&text, 100.0 * x->worst, 2);
    add_brief_number(&text, " % at t = ", x->worst_t);
    add_brief_number(&text, ", first seen at t = ", x->first);
    return report_and_free(
        sim,
        (zr_message){.code = "R0732",
                     .place = zr_nowhere,
                     .help = "unless the model allows for that itself, friction and motion are "
                             "off accordingly; exact is friction that does not change the pressure "
                             "it comes from"},
        &text);
}

/* The rows that have depended on each other at a place, by name; one of them, -1: none. */
static int32_t add_rows_of_places(const zw_sim *sim, zb_text *text)
{
    enum { most = 6 };
    int32_t last = -1;
    zr_name_ranges rows;
    zr_name_ranges_init(&rows, sim->memory);
    for (int32_t i = 0; i < sim->zm->m; i++) {
        if (!sim->run->passage.concerned[i]) continue;
        zr_text_row(sim->model, i, &rows.name);
        zr_name_ranges_add(&rows, "");
        last = i;
    }
    zr_name_ranges_list(&rows, most, " and ", text);
    if (rows.failure != ZW_OK) text->failure = rows.failure;
    zr_name_ranges_free(&rows);
    return last;
}

/* R0721: steps have passed singular places. */
static zw_status tell_places(zw_sim *sim)
{
    const zw_run_statistics *s = &sim->run->stats;
    bool ended = sim->run->ending.failure != ZW_OK || !isnan(sim->run->record.locked_t);
    if (s->passages == 0 || ended) return ZW_OK; /* that is told otherwise */
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "at t = ", s->first_passage);
    if (s->passages > 1) {
        zb_text_add(&text, " and ");
        zb_text_int(&text, s->passages - 1);
        zb_text_add(&text, s->passages > 2 ? " more times" : " more time");
    }
    zb_text_add(&text, " the motion passed a singular configuration of ");
    int32_t row = add_rows_of_places(sim, &text);
    zb_text_add(&text, ", at which motions may branch: it goes straight on");
    return report_and_free(
        sim,
        (zr_message){.code = "R0721",
                     .place = row >= 0 ? zr_row_place(sim->model, row) : zr_nowhere,
                     .help = "another branch that is closer than the tolerance cannot be told "
                             "apart there: compare with a run of smaller tolerance"},
        &text);
}

/* R0714: the method auto has changed to bdf. */
static zw_status tell_method_switch(zw_sim *sim)
{
    const zr_motion *run = sim->run;
    if (!run->stats.switched) return ZW_OK;
    zb_text text = open_sentence(sim);
    add_brief_number(&text, "the method auto changed to bdf at t = ", run->stats.first_stiff);
    zb_text_add(&text, ", where the motion is stiff");
    return report_and_free(sim, (zr_message){.code = "R0714", .place = zr_nowhere}, &text);
}

/* R0741: the motion stayed on surfaces on which conditions switch back and forth. */
static zw_status tell_slides(zw_sim *sim)
{
    const zr_switching *w = &sim->run->switching;
    for (int32_t k = 0, told = 0; k < w->count && told < most_slides_told; k++) {
        if (w->slid[k].times == 0) continue;
        zb_text text = open_sentence(sim);
        zr_text_slide(sim, k, &text);
        ZB_TRY(report_and_free(
            sim,
            (zr_message){.code = "R0741",
                         .place = w->list[k].place,
                         .help = "that is how dry friction holds; what a condition is while the "
                                 "motion stays there lies between its two sides"},
            &text));
        told++;
    }
    return ZW_OK;
}

/* R0742: conditions of large models, whose moments are not sought. */
static zw_status tell_unwatched(zw_sim *sim)
{
    const struct zr_switches *all = sim->model->switches;
    if (!all || all->unwatched == 0) return ZW_OK;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "conditions stand in terms that the model has many of: where they change is "
                       "not located, and what lasts less than a step may be passed over");
    return report_and_free(
        sim,
        (zr_message){.code = "R0742",
                     .place = zr_nowhere,
                     .help = "compare with a run of smaller tolerance, or of a given --step"},
        &text);
}

zw_status zr_tell_remarks(zw_sim *sim)
{
    ZB_TRY(tell_stiffness(sim));
    ZB_TRY(tell_small_steps(sim));
    ZB_TRY(tell_conflict_of_run(sim));
    ZB_TRY(tell_what_conflict_left(sim));
    ZB_TRY(zr_tell_motors(sim));
    ZB_TRY(tell_lock(sim));
    ZB_TRY(tell_rank_changes(sim));
    ZB_TRY(tell_shares(sim));
    ZB_TRY(tell_choice(sim));
    ZB_TRY(tell_feedback(sim));
    ZB_TRY(tell_places(sim));
    ZB_TRY(zr_tell_contacts(sim));
    ZB_TRY(tell_method_switch(sim));
    ZB_TRY(tell_slides(sim));
    return tell_unwatched(sim);
}
