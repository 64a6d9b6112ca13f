/*
 * What a run tells of its motors: when they were at their limits (R0547), and what that left of
 * their controls (W0548).
 */
#include <math.h>

#include "conclude.h"
#include "drive.h"
#include "verdict.h"

enum { most_motors = 4 };

/* "`x` of `steer` from t = 1 to 2"; how many motors were at a limit. */
static int32_t say_spans(const zw_sim *sim, zb_text *text)
{
    const zr_seams *seams = &sim->run->seams;
    int32_t count = 0;
    for (int32_t k = 0; k < sim->zm->motor_count; k++) {
        const zr_motor_spans *spans = &seams->motors[k];
        if (spans->count == 0 || ++count > most_motors) continue;
        zb_text_printf(text, count > 1 ? ", `%s` of " : "`%s` of ", sim->zm->motors[k].name);
        zr_text_row(sim->model, sim->zm->constraints[sim->zm->motors[k].constraint].first_row,
                    text);
        zb_text_char(text, ' ');
        zr_text_span_list(spans->list, spans->count, text);
    }
    if (count > most_motors) zb_text_printf(text, " and %d more", (int)(count - most_motors));
    return count;
}

static bool was_at_limit(const zw_sim *sim)
{
    for (int32_t k = 0; k < sim->zm->motor_count; k++)
        if (sim->run->seams.motors[k].count > 0) return true;
    return false;
}

void zr_say_motors(zr_verdict *v)
{
    if (!was_at_limit(v->sim)) return;
    zb_text *text = zr_begin_verdict_line(v, "motors");
    zb_text_add(text, "at a limit: ");
    (void)say_spans(v->sim, text);
    if (!zr_has_left_rows(v->sim)) return;
    zb_text_add(text, "; that left ");
    (void)zr_text_left(v->sim, text);
}

static zw_status tell_limits(zw_sim *sim)
{
    int32_t k = 0;
    if (!was_at_limit(sim)) return ZW_OK;
    while (sim->run->seams.motors[k].count == 0) k++;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "motors gave all they can: ");
    (void)say_spans(sim, &text);
    if (zr_motors_were_behind(sim))
        zb_text_add(&text, "; meanwhile what is asked for was not done, but the nearest to it");
    return report_and_free(
        sim, (zr_message){.code = "R0547", .place = sim->zm->motors[k].place, .help = NULL}, &text);
}

bool zr_are_left_rows_driven(const zw_sim *sim)
{
    if (!sim->drive) return false;
    for (int32_t i = 0; i < sim->zm->m; i++)
        if (!isnan(sim->run->seams.left_t[i]) &&
            !sim->zm->constraints[zm_row_constraint(sim->zm, i)].driven)
            return false;
    return true;
}

/* Nothing in the principle brings the control back: a law of accelerations may. */
static zw_status tell_left(zw_sim *sim)
{
    if (!zr_has_left_rows(sim) || !zr_are_left_rows_driven(sim)) return ZW_OK;
    zb_text text = open_sentence(sim);
    zb_text_add(&text, "motors at their limits left ");
    int32_t last = zr_text_left(sim, &text);
    zb_text_add(&text, "; from there on only accelerations are kept to");
    return report_and_free(
        sim,
        (zr_message){.code = "W0548",
                     .place = zr_row_place(sim->model, last),
                     .help = "write the control as a law that comes back to its target, as in "
                             "x'' + 2*k*x' + k^2*(x - target) = 0"},
        &text);
}

zw_status zr_tell_motors(zw_sim *sim)
{
    if (!sim->drive) return ZW_OK;
    ZB_TRY(tell_limits(sim));
    return tell_left(sim);
}
