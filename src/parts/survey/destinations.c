/*
 * Where the outputs of a family's terms lead. A rod has a dozen of outputs, but they lead to one
 * row and the coordinates of its two ends, which its slots name already:
 *
 *     A[r, x0] A[r, y0] A[r, x1] A[r, y1] b[r] phi[r] ...      rows    r
 *     slots  x0 y0 x1 y1                                       unread  none: the slots have all
 *
 * Two outputs lead to the same place if they do so in every instance, which one pass over both
 * shows; what differs in the first is told apart at once.
 */
#include "survey.h"

/* Whether two destinations agree in every instance. */
static bool same_destination(const ze_destination *a, const ze_destination *b, int32_t instances)
{
    for (int32_t i = 0; i < instances; i++)
        if (ze_destination_of(a, i) != ze_destination_of(b, i)) return false;
    return true;
}

/* Adds a destination to a list, unless it is there. */
static void add_destination(const ze_family *f, ze_destination *list, int32_t *count,
                            ze_destination to)
{
    for (int32_t k = 0; k < *count; k++)
        if (same_destination(&list[k], &to, f->instances)) return;
    list[(*count)++] = to;
}

/* Adds a coordinate to those that no slot reads, unless one does. */
static void add_unread_destination(ze_family *f, const ze_destination *to)
{
    for (int32_t k = 0; k < f->slot_count; k++) {
        ze_destination slot = {.place = f->table + f->slots[k], .step = f->stride};
        if (same_destination(&slot, to, f->instances)) return;
    }
    add_destination(f, f->unread, &f->unread_count, *to);
}

/* The coordinates that outputs of M and Q belong to: of an entry of M row and column. */
static void find_dynamics(const ze_survey *s, ze_family *f, const ze_terms *t)
{
    for (int32_t o = 0; o < t->outputs; o++) {
        ze_destination r = {.place = t->place + o, .step = t->outputs};
        if (o < t->matrix) r.map = s->M_row;
        add_destination(f, f->dynamics, &f->dynamics_count, r);
        if (o >= t->matrix) continue;
        r.map = s->system.M.column;
        add_destination(f, f->dynamics, &f->dynamics_count, r);
    }
}

/* The rows that outputs of A, b and levels belong to, and the columns of A. */
static void find_row_destinations(const ze_survey *s, ze_family *f, const ze_terms *t)
{
    for (int32_t o = 0; o < t->outputs; o++) {
        ze_destination r = {.place = t->place + o, .step = t->outputs};
        if (o < t->matrix) r.map = s->A_row;
        if (t->target == ZE_TO_LEVELS) r.modulo = s->system.m;
        add_destination(f, f->rows, &f->row_count, r);
        if (o >= t->matrix) continue;
        r.map = s->system.A.column;
        add_unread_destination(f, &r);
    }
}

/* Room for every output, then each in its list once. What M and Q lead to is compared with the
 * slots at the end. */
void ze_find_destinations(ze_survey *s, ze_family *f)
{
    size_t rows = 0, dynamics = 0;
    for (int32_t k = 0; k < f->term_count; k++) {
        const ze_terms *t = &s->system.terms[f->terms[k]];
        *(t->target == ZE_TO_DYNAMICS ? &dynamics : &rows) += (size_t)t->outputs;
    }
    f->rows = ZB_NEW_ARRAY(&s->arena, ze_destination, rows + 1);
    f->dynamics = ZB_NEW_ARRAY(&s->arena, ze_destination, 2 * dynamics + 1);
    f->unread = ZB_NEW_ARRAY(&s->arena, ze_destination, rows + 2 * dynamics + 1);
    for (int32_t k = 0; k < f->term_count; k++) {
        const ze_terms *t = &s->system.terms[f->terms[k]];
        (t->target == ZE_TO_DYNAMICS ? find_dynamics : find_row_destinations)(s, f, t);
    }
    for (int32_t k = 0; k < f->dynamics_count; k++) add_unread_destination(f, &f->dynamics[k]);
}
