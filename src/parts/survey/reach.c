/*
 * Where the outputs of a family's terms lead. A rod has a dozen of outputs, but they lead to one
 * row and the coordinates of its two ends, which its slots name already:
 *
 *     A[r, x0] A[r, y0] A[r, x1] A[r, y1] b[r] phi[r] ...      rows    r
 *     slots  x0 y0 x1 y1                                       goals   none beside the slots
 *
 * Two outputs lead to the same place if they do so in every instance, which one pass over both
 * shows; what differs in the first is told apart at once.
 */
#include "survey.h"

static bool same_reach(const ze_reach *a, const ze_reach *b, int32_t instances)
{
    for (int32_t i = 0; i < instances; i++)
        if (ze_reached(a, i) != ze_reached(b, i)) return false;
    return true;
}

/* Unless it is in the list. */
static void add_reach(const ze_family *f, ze_reach *list, int32_t *count, ze_reach reach)
{
    for (int32_t k = 0; k < *count; k++)
        if (same_reach(&list[k], &reach, f->instances)) return;
    list[(*count)++] = reach;
}

/* Unless a slot that is read leads there. */
static void add_goal(ze_family *f, const ze_reach *reach)
{
    for (int32_t k = 0; k < f->slot_count; k++) {
        ze_reach slot = {.place = f->table + f->slots[k], .step = f->stride};
        if (same_reach(&slot, reach, f->instances)) return;
    }
    add_reach(f, f->goals, &f->goal_count, *reach);
}

static void reach_dynamics(const ze_survey *s, ze_family *f, const ze_terms *t)
{
    for (int32_t o = 0; o < t->outputs; o++) {
        ze_reach r = {.place = t->place + o, .step = t->outputs};
        if (o < t->matrix) r.map = s->M_row;
        add_reach(f, f->dynamics, &f->dynamics_count, r);
        if (o >= t->matrix) continue;
        r.map = s->system.M.column;
        add_reach(f, f->dynamics, &f->dynamics_count, r);
    }
}

static void reach_rows(const ze_survey *s, ze_family *f, const ze_terms *t)
{
    for (int32_t o = 0; o < t->outputs; o++) {
        ze_reach r = {.place = t->place + o, .step = t->outputs};
        if (o < t->matrix) r.map = s->A_row;
        if (t->target == ZE_TO_LEVELS) r.modulo = s->system.m;
        add_reach(f, f->rows, &f->row_count, r);
        if (o >= t->matrix) continue;
        r.map = s->system.A.column;
        add_goal(f, &r);
    }
}

void ze_find_reaches(ze_survey *s, ze_family *f)
{
    size_t rows = 0, dynamics = 0;
    for (int32_t k = 0; k < f->term_count; k++) {
        const ze_terms *t = &s->system.terms[f->terms[k]];
        *(t->target == ZE_TO_DYNAMICS ? &dynamics : &rows) += (size_t)t->outputs;
    }
    f->rows = ZB_NEW_ARRAY(&s->arena, ze_reach, rows + 1);
    f->dynamics = ZB_NEW_ARRAY(&s->arena, ze_reach, 2 * dynamics + 1);
    f->goals = ZB_NEW_ARRAY(&s->arena, ze_reach, rows + 2 * dynamics + 1);
    for (int32_t k = 0; k < f->term_count; k++) {
        const ze_terms *t = &s->system.terms[f->terms[k]];
        (t->target == ZE_TO_DYNAMICS ? reach_dynamics : reach_rows)(s, f, t);
    }
    for (int32_t k = 0; k < f->dynamics_count; k++) add_goal(f, &f->dynamics[k]);
}
