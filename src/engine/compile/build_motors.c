/*
 * The passes of motors (motors.h): one for each family, whose roots are the speed of a motor and
 * its numbers as far as they are said.
 */
#include "motors.h"

/* The numbers of each motor, in their order, and the driven rows. */
static void number_motors(zr_builder *b)
{
    const zm_model *zm = b->zm;
    struct zr_motors *motors = b->model->motors;
    motors->numbers = ZB_NEW_ARRAY(b->arena, zr_motor_numbers, (size_t)zm->motor_count);
    for (int32_t k = 0; k < zm->motor_count; k++) {
        const zm_motor *m = &zm->motors[k];
        zr_motor_numbers *at = &motors->numbers[k];
        *at = (zr_motor_numbers){-1, -1, -1};
        if (m->limited) at->low = motors->number_count++;
        if (m->limited) at->high = motors->number_count++;
        if (m->weighted) at->weight = motors->number_count++;
        motors->limited = motors->limited || m->limited;
    }
    motors->control = ZB_NEW_ARRAY(b->arena, int32_t, (size_t)zm->motor_count);
    motors->first = ZB_NEW_ARRAY(b->arena, int32_t, (size_t)zm->motor_count + 1);
    for (int32_t k = 0; k < zm->motor_count; k++) {
        if (zm->motors[k].number > 1) continue;
        motors->control[motors->controls] = zm->motors[k].constraint;
        motors->first[motors->controls++] = k;
    }
    motors->first[motors->controls] = zm->motor_count;
    motors->row = ZB_NEW_ARRAY(b->arena, int32_t, (size_t)zm->m);
    for (int32_t c = 0; c < zm->constraint_count; c++)
        for (int32_t i = 0; zm->constraints[c].driven && i < zm->constraints[c].row_count; i++)
            motors->row[motors->rows++] = zm->constraints[c].first_row + i;
}

/* Where the outputs of motor k go, from its speed on: to [roots of the motor]. */
static void place_roots(const struct zr_motors *motors, int32_t k, int32_t *to)
{
    const zr_motor_numbers *at = &motors->numbers[k];
    int32_t next = 0;
    to[next++] = k;
    if (at->low >= 0) to[next++] = motors->count + at->low;
    if (at->high >= 0) to[next++] = motors->count + at->high;
    if (at->weight >= 0) to[next++] = motors->count + at->weight;
}

static void add_motor_pass(zr_builder *b, int32_t family)
{
    const zm_model *zm = b->zm;
    const zm_family *f = &zm->families[family];
    struct zr_motors *motors = b->model->motors;
    int32_t roots = f->root_count;
    zb_mark mark = zb_arena_mark(&b->scratch);
    int32_t *to = ZB_NEW_ARRAY(&b->scratch, int32_t, zb_product((size_t)f->count, (size_t)roots));
    for (int32_t k = 0; k < zm->motor_count; k++) {
        const zm_where *w = &zm->motors[k].where;
        if (w->family == family)
            place_roots(motors, k, to + (size_t)w->instance * (size_t)roots + (size_t)w->root);
    }
    zr_add_row_pass(b, &motors->at, family, to);
    zb_arena_release(&b->scratch, mark);
}

void zr_build_motors(zr_builder *b)
{
    const zm_model *zm = b->zm;
    if (zm->motor_count == 0) return;
    struct zr_motors *motors = b->model->motors = ZB_NEW(b->arena, struct zr_motors);
    motors->count = zm->motor_count;
    number_motors(b);
    for (int32_t f = 0; f < zm->family_count; f++)
        if (zm->families[f].kind == ZM_MOTOR) add_motor_pass(b, f);
    const int32_t *position = zr_make_pattern(b, motors->count, zm->n, &motors->B);
    zr_resolve_places(&motors->at, zm, position);
}

void zr_free_motors(zw_model *model)
{
    if (model->motors) zr_free_passes(&model->motors->at);
}
