/*
 * Given values stay while others can move: a level is first corrected with the values that the
 * model says *held*, as if they were `fixed`. Where that cannot be done the given values of the
 * rows that still fail are released, and of all rows that share an unknown with these, directly or
 * through others: parts of a model that have nothing to do with each other do not release each
 * other.
 */
#include <float.h>

#include "level.h"

/* The held values of a level: those that are said, not fixed, and not alone in being unknown. */
bool zr_hold_given(const zr_level *whole, bool *held)
{
    const zw_sim *sim = whole->sim;
    const bool *stated = sim->start.stated + (whole->order == ZR_VELOCITY ? sim->zm->n : 0);
    int32_t count = 0;
    for (int32_t j = 0; j < whole->n; j++) {
        held[whole->unknown[j]] = stated[whole->unknown[j]];
        count += stated[whole->unknown[j]];
    }
    return count > 0 && count < whole->n;
}

/* The one that stands for all unknowns that rows connect with j; ways are shortened. */
static int32_t find_standing_for(int32_t *parent, int32_t j)
{
    while (parent[j] != j) {
        parent[j] = parent[parent[j]];
        j = parent[j];
    }
    return j;
}

/* parent [n]: unknowns of the level, connected by its rows. */
static void connect_unknowns(const zr_level *l, int32_t *parent)
{
    const zg_pattern *A = &l->rows.is.A;
    for (int32_t j = 0; j < l->n; j++) parent[j] = j;
    for (int32_t i = 0; i < l->m; i++) {
        for (int32_t k = A->start[i] + 1; k < A->start[i + 1]; k++) {
            int32_t a = find_standing_for(parent, A->column[k - 1]);
            int32_t b = find_standing_for(parent, A->column[k]);
            parent[a] = b;
        }
    }
}

/* A row that the held values leave off: beyond the tolerance, or 0 for those alone that no unknown
 * can change. */
static bool is_left_off(const zr_level *part, int32_t i, double tolerance)
{
    const int32_t *start = part->rows.is.A.start;
    if (start[i] == start[i + 1]) return zr_level_row_is_off(part, i, 1e-11);
    return tolerance > 0.0 && zr_level_row_is_off(part, i, tolerance);
}

/* Releases what keeps rows of `part` from holding; *left: some are held still. *released: some were
 * let go. */
static zw_status release_held(zr_level *whole, const zr_level *part, double tolerance, bool *held,
                              bool *released, bool *left)
{
    const zg_pattern *A = &whole->rows.is.A;
    int32_t *parent = ZB_NEW_ARRAY(&whole->arena, int32_t, whole->n);
    bool *fails = ZB_NEW_ARRAY(&whole->arena, bool, whole->n), all = false;
    if (whole->arena.failure != ZW_OK) return whole->arena.failure;
    connect_unknowns(whole, parent);
    for (int32_t i = 0; i < whole->m; i++) {
        if (!is_left_off(part, i, tolerance)) continue;
        all = all || A->start[i] == A->start[i + 1]; /* nothing helps this row */
        if (!all) fails[find_standing_for(parent, A->column[A->start[i]])] = true;
    }
    *released = *left = false;
    for (int32_t j = 0; j < whole->n; j++) {
        bool *h = &held[whole->unknown[j]];
        if (!*h) continue;
        bool go = all || fails[find_standing_for(parent, j)];
        *released = *released || go;
        *left = *left || !go;
        *h = !go;
    }
    return ZW_OK;
}

/* The part is tried as it is held now; what fails is released. Rows that no unknown can change are
 * seen before anything is solved. */
static zw_status try_part(zr_level *whole, zr_level *part, double tolerance, bool *held, bool *left)
{
    bool released = false;
    zr_level_evaluate(part);
    ZB_TRY(release_held(whole, part, 0.0, held, &released, left));
    if (released) return ZW_OK;
    ZB_TRY(zr_level_set_mass(part, whole->sim->M));
    zw_status status = zr_level_solve(part);
    if (status != ZW_OK) part->met = false;
    if (zr_is_memory(status) || part->met) return status;
    ZB_TRY(release_held(whole, part, tolerance, held, &released, left));
    if (!released) *left = false; /* it is not known what to release: everything */
    return ZW_OK;
}

/* A compromise shows rows that fail, but what is small beside them is not yet solved: so the first
 * release is of rows that fail clearly. */
zw_status zr_level_solve_held(zr_level *whole, zr_level *part, bool *held)
{
    zw_sim *sim = whole->sim;
    bool left = true;
    for (int k = 0; k < 4 && left; k++) {
        zr_level_close(part);
        ZB_TRY(zr_level_open_start(part, sim, whole->order, held));
        zw_status status = try_part(whole, part, k == 0 ? 1e-5 : 1e-9, held, &left);
        if (status != ZW_OK && zr_is_memory(status)) return status;
        if (part->met && status == ZW_OK) return ZW_OK;
        for (int32_t i = 0; i < sim->zm->n; i++) whole->x[i] = whole->x_given[i];
    }
    part->met = false;
    return ZW_OK;
}
