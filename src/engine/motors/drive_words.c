/*
 * What is said of motors that cannot do what their controls ask for (E0544), or have limits or a
 * weight that are none at a state (E0542).
 */
#include <math.h>

#include "actuate.h"

enum { most_named = 6 };

/* Whether a row of constraint c is among those that cannot be reached. */
static bool is_missed(const zw_sim *sim, int32_t c)
{
    const zr_drive *d = sim->drive;
    const zm_constraint *control = &sim->zm->constraints[c];
    for (int32_t i = 0; i < d->motors->rows; i++) {
        int32_t own = d->motors->row[i] - control->first_row;
        if (d->trouble.missed[i] && own >= 0 && own < control->row_count) return true;
    }
    return false;
}

/* The controls that ask too much; how many. */
static int32_t say_controls(const zw_sim *sim, zb_text *text)
{
    zr_name_ranges names;
    int32_t count = 0;
    zr_name_ranges_init(&names, sim->memory);
    for (int32_t c = 0; c < sim->zm->constraint_count; c++) {
        if (!sim->zm->constraints[c].driven || !is_missed(sim, c)) continue;
        zb_text_add(&names.name, "`");
        zm_constraint_text(sim->zm, c, &names.name);
        zb_text_add(&names.name, "`");
        zr_name_ranges_add(&names, "");
        count++;
    }
    zr_name_ranges_list(&names, most_named, " and ", text);
    zr_name_ranges_free(&names);
    return count;
}

/* Their motors. */
static int32_t say_motors(const zw_sim *sim, zb_text *text)
{
    zr_name_ranges names;
    int32_t count = 0;
    zr_name_ranges_init(&names, sim->memory);
    for (int32_t k = 0; k < sim->zm->motor_count; k++) {
        if (!is_missed(sim, sim->zm->motors[k].constraint)) continue;
        zb_text_printf(&names.name, "`%s`", sim->zm->motors[k].name);
        zr_name_ranges_add(&names, "");
        count++;
    }
    zr_name_ranges_list(&names, most_named, " and ", text);
    zr_name_ranges_free(&names);
    return count;
}

static void say_rank(const zw_sim *sim, zb_text *text)
{
    int32_t motors = say_motors(sim, text);
    zb_text_add(text, motors == 1 ? " alone cannot do what the control "
                                  : " together cannot do what the control ");
    say_controls(sim, text);
    zb_text_printf(text, " asks for: of %d acceleration%s %s can choose %d",
                   (int)sim->drive->motors->rows, sim->drive->motors->rows == 1 ? "" : "s",
                   motors == 1 ? "it" : "they", (int)sim->drive->trouble.rank);
}

static void say_settled(const zw_sim *sim, zb_text *text)
{
    int32_t controls = say_controls(sim, text);
    zb_text_add(text, controls == 1 ? " follows" : " follow");
    zb_text_add(text, " from other constraints and controls: ");
    say_motors(sim, text);
    zb_text_add(text, " cannot change it");
}

static void say_touching(const zw_sim *sim, zb_text *text)
{
    int32_t motors = say_motors(sim, text);
    zb_text_add(text, motors == 1 ? " alone cannot do what the control "
                                  : " together cannot do what the control ");
    say_controls(sim, text);
    zb_text_add(text, " asks for: no motion goes with it and with what touches or slides");
}

static void say_unsettled(const zw_sim *sim, zb_text *text)
{
    zb_text_add(text, "no forces of the motors of ");
    say_controls(sim, text);
    zb_text_add(text, " within their limits go with the friction that they change");
}

static void say_number(const zw_sim *sim, zb_text *text)
{
    const zr_drive *d = sim->drive;
    int32_t k = d->trouble.motor;
    const zr_motor_numbers *at = &d->motors->numbers[k];
    if (d->trouble.kind == ZR_DRIVE_WEIGHT) {
        zb_text_printf(text, "the weight of the motor `%s` is ", sim->zm->motors[k].name);
        zr_text_short(text, zr_motor_number(d, at->weight, 1.0));
        zb_text_add(text, ", not positive");
        return;
    }
    zb_text_printf(text, "the motor `%s` has no force within its limits, ",
                   sim->zm->motors[k].name);
    zr_text_short(text, zr_motor_number(d, at->low, 0.0));
    zb_text_add(text, "..");
    zr_text_short(text, zr_motor_number(d, at->high, 0.0));
}

/* Where the first control that asks too much is declared, or the motor. */
static zl_place place_of_trouble(const zw_sim *sim)
{
    const zr_drive *d = sim->drive;
    if (d->trouble.motor >= 0) return sim->zm->motors[d->trouble.motor].place;
    for (int32_t c = 0; c < sim->zm->constraint_count; c++)
        if (sim->zm->constraints[c].driven && is_missed(sim, c))
            return sim->zm->constraints[c].place;
    return zr_nowhere;
}

zw_status zr_report_drive(zw_sim *sim)
{
    const zr_drive_trouble *x = &sim->drive->trouble;
    bool number = x->kind == ZR_DRIVE_LIMITS || x->kind == ZR_DRIVE_WEIGHT;
    zr_message message = {
        .code = number ? "E0542" : "E0544",
        .place = place_of_trouble(sim),
        .help =
            number ? "limits are written with the smaller one first; weights are positive"
            : x->kind == ZR_DRIVE_SETTLED
                ? "leave it out, or what says the same"
                : "give it a motor that can, or control something that its motors move at once"};
    zb_text text;
    zb_text_init(&text, sim->memory);
    if (zr_on_the_way(sim)) {
        zb_text_add(&text, "at t = ");
        zr_text_short(&text, x->t);
    } else {
        zr_text_when(sim, &text);
    }
    zb_text_add(&text, " ");
    if (number)
        say_number(sim, &text);
    else if (x->kind == ZR_DRIVE_SETTLED)
        say_settled(sim, &text);
    else if (x->kind == ZR_DRIVE_UNSETTLED)
        say_unsettled(sim, &text);
    else if (x->kind == ZR_DRIVE_TOUCHING)
        say_touching(sim, &text);
    else
        say_rank(sim, &text);
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* By the equations at the simulation's state. */
zw_status zr_check_drive(zw_sim *sim)
{
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    sim->drive->trouble.kind = ZR_DRIVE_WORKS;
    zw_gauss_answer none = {0};
    zw_status status = sim->contacts ? zr_solve_ideal_at(sim, &s, &none) : zr_factor_at(sim, &s);
    if (status == ZW_OK && !sim->contacts) status = zr_add_motors(sim, &s, sim->Q);
    zr_forget_factor(sim);
    if (status != ZW_ERR_CONTROL) return zr_is_memory(status) ? status : ZW_OK;
    ZB_TRY(zr_report_drive(sim));
    return ZW_ERR_START;
}
