/*
 * The pieces that calls of data are in at a state (lookups.h): those that a switch holds, or found
 * from the state. Beyond data that end the numbers are NaN, and what is computed of them is reported
 * as any number that is not finite.
 */
#include <math.h>

#include "lookups.h"
#include "sim.h"
#include "switches.h"

/* Piece `number` becomes that of a lookup; beyond: it has no value there. */
static void set_piece(const zw_sim *sim, const zr_lookup *l, double number, bool beyond)
{
    double *value = sim->values + l->first, key = number + 0.5;
    if (!beyond && value[zr_piece_key] == key) return;
    zx_piece p = zx_table_numbers(sim->zm->tables.list[l->table], beyond ? 0.0 : number);
    value[zr_piece_x] = p.x;
    for (int k = 0; k < 4; k++) value[zr_piece_c + k] = beyond ? (double)NAN : p.c[k];
    value[zr_piece_from] = p.from;
    value[zr_piece_number] = p.number;
    value[zr_piece_per_length] = p.per_length;
    value[zr_piece_key] = beyond ? 0.0 : key;
}

static double switch_of(const zw_sim *sim, const zr_lookup *l)
{
    return l->turn < 0 ? zr_live_slot : sim->values[sim->zm->value_count + l->turn];
}

/* In their order: what stands in the argument of a call comes before it. */
void zr_find_pieces(const zw_sim *sim, const zk_source *s)
{
    const struct zr_lookups *all = sim->model->lookups;
    zk_source at = *s;
    at.evaluator = ZK_BYTE_CODE;
    for (int32_t k = 0; k < all->count; k++) {
        const zr_lookup *l = &all->list[k];
        const zx_table *table = sim->zm->tables.list[l->table];
        double slot = switch_of(sim, l), x = 0.0;
        if (slot < zr_live_slot) {
            set_piece(sim, l, slot, false);
        } else if (s->position) {
            zk_evaluate(l->code, &at, NULL, sim->workspace, &x);
            double piece = zx_table_piece(table, x);
            set_piece(sim, l, piece, isnan(piece) || !zx_table_has(table, x));
        }
    }
}

void zr_follow_steps(const zw_sim *sim)
{
    const struct zr_lookups *all = sim->model->lookups;
    for (int32_t k = 0; all && k < all->count; k++) {
        const zr_lookup *l = &all->list[k];
        if (sim->zm->tables.list[l->table]->degree == 0 && switch_of(sim, l) < zr_live_slot)
            set_piece(sim, l, switch_of(sim, l), false);
    }
}

/* After the slot of a switch was set. */
void zr_follow_switch(const zw_sim *sim, int32_t turn)
{
    const struct zr_lookups *all = sim->model->lookups;
    for (int32_t k = 0; all && k < all->count; k++)
        if (all->list[k].turn == turn && switch_of(sim, &all->list[k]) < zr_live_slot)
            set_piece(sim, &all->list[k], switch_of(sim, &all->list[k]), false);
}

/* side [switches], or NULL: those of a run. */
int32_t zr_find_beyond(const zw_sim *sim, const zk_source *s, const double *side, double *x)
{
    const struct zr_lookups *all = sim->model->lookups;
    zk_source at = *s;
    at.evaluator = ZK_BYTE_CODE;
    for (int32_t k = 0; all && k < all->count; k++) {
        const zr_lookup *l = &all->list[k];
        const zx_table *table = sim->zm->tables.list[l->table];
        if (table->extends || table->periodic) continue;
        double piece = side && l->turn >= 0 ? side[l->turn] : 0.0;
        zk_evaluate(l->code, &at, NULL, sim->workspace, x);
        bool held = piece < 0.0 || (piece >= table->pieces && piece < zr_live_slot);
        if (held || !zx_table_has(table, *x)) return k;
    }
    return -1;
}
