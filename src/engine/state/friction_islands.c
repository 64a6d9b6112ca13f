/*
 * Frictions by islands. What slides in one island of a model changes no multiplier of another, so pressures are found
 * island by island, and one friction of each goes into the same solve (friction.c): fifteen hundred blocks that slide on a floor
 * cost one solve, not fifteen hundred.
 *
 * Islands are those of the model (build_islands.c). Two of them count as one here where multipliers of the one press a friction of
 * the other, or a weight couples their rows. Numbers follow the first frictions; rows without coordinates belong to none.
 */
#include <string.h>

#include "contacts.h"

/* Of island i, the one that stands for all that are joined with it. */
static int32_t find_joined(const int32_t *with, int32_t i)
{
    while (with[i] != i) i = with[i];
    return i;
}

static void join_islands(int32_t *with, int32_t i, int32_t j)
{
    if (i < 0 || j < 0) return;
    int32_t a = find_joined(with, i), b = find_joined(with, j);
    with[a > b ? a : b] = a > b ? b : a;
}

/* The island of the model in which row i is; -1: none. */
static int32_t island_of_row(const zw_sim *sim, int32_t i)
{
    const zr_pattern *A = &sim->model->A;
    return A->start[i] < A->start[i + 1] ? sim->model->island[A->column[A->start[i]]] : -1;
}

static int32_t island_of_friction(const zw_sim *sim, int32_t k)
{
    const zm_friction *f = &sim->zm->frictions[k];
    int32_t island = -1;
    for (int32_t i = f->first_row; i < f->first_row + f->width && island < 0; i++)
        island = island_of_row(sim, i);
    return island < 0 ? 0 : island;
}

/* with [islands of the model] */
static void join_pressed_and_weighed(const zw_sim *sim, int32_t *with)
{
    const struct zr_contact_laws *laws = sim->model->laws;
    const zr_pattern *W = &sim->model->W;
    for (int32_t k = 0; k < laws->frictions; k++) {
        int32_t own = island_of_friction(sim, k), first = sim->zm->frictions[k].first_row;
        for (int32_t i = first; i < first + sim->zm->frictions[k].width; i++)
            join_islands(with, own, island_of_row(sim, i));
        for (int32_t p = laws->press_start[k]; p < laws->press_start[k + 1]; p++)
            join_islands(with, own, island_of_row(sim, laws->press_row[p]));
    }
    for (int32_t i = 0; i < W->rows; i++)
        for (int32_t p = W->start[i]; p < W->start[i + 1]; p++)
            join_islands(with, island_of_row(sim, i), island_of_row(sim, W->column[p]));
}

/* number [islands of the model]: of those with frictions, in the order of these; -1: it has none. */
static void number_friction_islands(const zw_sim *sim, const int32_t *with, int32_t *number,
                                    zr_friction_islands *x)
{
    for (int32_t i = 0; i < sim->model->island_count; i++) number[i] = -1;
    for (int32_t k = 0; k < sim->model->laws->frictions; k++) {
        int32_t i = find_joined(with, island_of_friction(sim, k));
        if (number[i] < 0) number[i] = x->count++;
        x->of[k] = number[i];
    }
}

/* x->order, and the size of the largest; start [count + 1] is scratch. */
static void order_frictions(int32_t frictions, zr_friction_islands *x, int32_t *start)
{
    memset(start, 0, sizeof *start * ((size_t)x->count + 1));
    for (int32_t k = 0; k < frictions; k++) start[x->of[k] + 1]++;
    for (int32_t i = 0; i < x->count; i++) {
        if (start[i + 1] > x->most) x->most = start[i + 1];
        start[i + 1] += start[i];
    }
    for (int32_t k = 0; k < frictions; k++) x->order[start[x->of[k]]++] = k;
}

/* Rows of A, island by island; with and number [islands of the model]. */
static void list_island_rows(const zw_sim *sim, const int32_t *with, const int32_t *number,
                             zr_friction_islands *x)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < sim->zm->m; i++) {
            int32_t island = island_of_row(sim, i);
            int32_t at = island < 0 ? -1 : number[find_joined(with, island)];
            if (at < 0) continue;
            if (pass == 0)
                x->row_start[at + 1]++;
            else
                x->row[x->row_start[at]++] = i;
        }
        for (int32_t i = 0; pass == 0 && i < x->count; i++) x->row_start[i + 1] += x->row_start[i];
    }
    for (int32_t i = x->count; i > 0; i--) x->row_start[i] = x->row_start[i - 1];
    x->row_start[0] = 0;
}

void zr_open_friction_islands(zw_sim *sim)
{
    zr_friction_islands *x = &sim->contacts->islands;
    int32_t frictions = sim->model->laws->frictions, islands = sim->model->island_count;
    if (frictions == 0) return;
    x->order = ZB_NEW_ARRAY(&sim->arena, int32_t, frictions);
    x->of = ZB_NEW_ARRAY(&sim->arena, int32_t, frictions);
    x->row_start = ZB_NEW_ARRAY(&sim->arena, int32_t, frictions + 1);
    x->row = ZB_NEW_ARRAY(&sim->arena, int32_t, sim->zm->m);
    int32_t *with = ZB_NEW_ARRAY(&sim->arena, int32_t, islands);
    int32_t *number = ZB_NEW_ARRAY(&sim->arena, int32_t, islands);
    if (sim->arena.failure != ZW_OK) return;
    for (int32_t i = 0; i < islands; i++)
        with[i] = sim->model->motors ? 0 : i; /* motors answer to all */
    join_pressed_and_weighed(sim, with);
    number_friction_islands(sim, with, number, x);
    order_frictions(frictions, x, x->row_start);
    memset(x->row_start, 0, sizeof *x->row_start * ((size_t)x->count + 1));
    list_island_rows(sim, with, number, x);
}
