/*
 * Controls in a check. R0549: one that names no motor, and whose force acts on more coordinates than
 * it has rows and along no joint: perhaps nothing in the machine can push like that. Of the others
 * what enforces them.
 */
#include <math.h>

#include "check.h"
#include "drive.h"

/* Whether row i pushes coordinate j at the start. */
static bool pushes(const zw_sim *sim, int32_t i, int32_t j)
{
    const zr_pattern *A = &sim->model->A;
    double most = 0.0, own = 0.0;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
        most = fmax(most, fabs(sim->A[p]));
        if (A->column[p] == j) own = fabs(sim->A[p]);
    }
    return own > 1e-12 * most;
}

/* How many coordinates the rows [from, to) push in all. */
static int32_t count_pushed(const zw_sim *sim, int32_t from, int32_t to)
{
    const zr_pattern *A = &sim->model->A;
    int32_t count = 0;
    for (int32_t i = from; i < to; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            bool seen = !pushes(sim, i, A->column[p]);
            for (int32_t k = from; k < i && !seen; k++) seen = pushes(sim, k, A->column[p]);
            count += !seen;
        }
    return count;
}

/* "x, y and z": the first coordinates of row i. */
static void say_pushed(const zw_sim *sim, int32_t i, zb_text *text)
{
    enum { most = 5 };
    const zr_pattern *A = &sim->model->A;
    zr_name_ranges names;
    zr_name_ranges_init(&names, sim->memory);
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
        if (sim->A[p] == 0.0) continue;
        zm_coordinate_text(sim->zm, A->column[p], &names.name);
        zr_name_ranges_add(&names, "");
    }
    zr_name_ranges_list(&names, most, " and ", text);
    zr_name_ranges_free(&names);
}

static zw_status remark_control(const zw_sim *sim, int32_t row)
{
    zb_text text;
    zb_text_init(&text, sim->memory);
    zb_text_add(&text, "the force of the control ");
    zr_text_row(sim->model, row, &text);
    zb_text_add(&text, " acts on ");
    say_pushed(sim, row, &text);
    zb_text_add(&text, " at once: no single coordinate or joint carries it");
    zr_message message = {.code = "R0549",
                          .place = zr_row_place(sim->model, row),
                          .help = "say what enforces it: `by` a coordinate, a joint or a speed"};
    zw_status status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status;
}

/* sim->A is that of the start. One remark for each control. */
zw_status zr_examine_controls(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    for (int32_t k = 0; k < zm->constraint_count; k++) {
        const zm_constraint *control = &zm->constraints[k];
        int32_t i = control->first_row, end = i + control->row_count;
        if (!control->control || control->driven || control->carried) continue;
        if (count_pushed(c->sim, i, end) <= control->row_count) continue; /* each by itself */
        while (i < end && count_pushed(c->sim, i, i + 1) < 2) i++;
        if (i < end) ZB_TRY(remark_control(c->sim, i));
    }
    return ZW_OK;
}

/* The motors of each driven control, and whether they can do what it asks for. */
void zr_check_say_motors(zr_check *c)
{
    const zw_sim *sim = c->sim;
    if (!sim->drive) return;
    const struct zr_motors *motors = sim->drive->motors;
    const zr_drive_trouble *x = &sim->drive->trouble;
    zb_text_add(&c->text, "\nmotors\n");
    for (int32_t k = 0; k < motors->controls; k++) {
        zb_text_add(&c->line, "  ");
        zm_constraint_text(sim->zm, motors->control[k], &c->line);
        for (int32_t i = motors->first[k]; i < motors->first[k + 1]; i++)
            zb_text_printf(&c->line, i > motors->first[k] ? ", %s" : " by %s",
                           sim->zm->motors[i].name);
        zr_end_paragraph(c, 4);
    }
    if (x->kind != ZR_DRIVE_RANK) return;
    zb_text_printf(&c->line, "  of %d accelerations they can choose %d: see the messages",
                   (int)motors->rows, (int)x->rank);
    zr_end_paragraph(c, 4);
}
