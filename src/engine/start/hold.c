/*
 * Given values stay while others can move: a level is first corrected with the values that the
 * model says *held*, as if they were `fixed`. Where that cannot be done the given values of the
 * rows that still fail are released, and of all rows that share an unknown with these, directly or
 * through others: such a *part* of the level is tried by itself, so that parts that have nothing to
 * do with each other do not release each other. Of very many parts all are tried at once.
 */
#include <float.h>
#include <string.h>

#include "level.h"

enum { most_parts = 50 };

/* The level in parts. */
typedef struct parts {
    zr_level *whole;
    bool *held;      /* [coordinates] */
    int32_t *parent; /* [n] of the whole: unknowns in trees, one for each part */
    bool *off;       /* [n] at its root: rows of the part do not hold */
    bool *others;    /* [coordinates] held for a part alone: everything but its unknowns */
} parts;

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

/* parent [n]: unknowns of the level, connected by its rows. */
static void connect_unknowns(const zr_level *l, int32_t *parent)
{
    const zg_pattern *A = &l->rows.is.A;
    for (int32_t j = 0; j < l->n; j++) parent[j] = j;
    for (int32_t i = 0; i < l->m; i++) {
        for (int32_t k = A->start[i] + 1; k < A->start[i + 1]; k++) {
            int32_t a = zr_find_root(parent, A->column[k - 1]);
            int32_t b = zr_find_root(parent, A->column[k]);
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
        if (!all) fails[zr_find_root(parent, A->column[A->start[i]])] = true;
    }
    *released = *left = false;
    for (int32_t j = 0; j < whole->n; j++) {
        bool *h = &held[whole->unknown[j]];
        if (!*h) continue;
        bool go = all || fails[zr_find_root(parent, j)];
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

/* All at once. A compromise shows rows that fail, but what is small beside them is not yet solved:
 * so the first release is of rows that fail clearly. */
static zw_status solve_at_once(zr_level *whole, zr_level *part, bool *held)
{
    zw_sim *sim = whole->sim;
    bool left = true;
    for (int k = 0; k < 4 && left; k++) {
        zr_level_close(part);
        ZB_TRY(zr_level_open_start(part, sim, whole->order, held));
        zw_status status = try_part(whole, part, k == 0 ? 1e-5 : 1e-9, held, &left);
        if (status != ZW_OK && zr_is_memory(status)) return status;
        if (part->met && status == ZW_OK) return ZW_OK;
        part->met = false;
        for (int32_t i = 0; i < sim->zm->n; i++) whole->x[i] = whole->x_given[i];
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------ part by part */

/* The parts and which of them are off; returns their number. */
static int32_t find_parts_off(parts *p)
{
    const zr_level *whole = p->whole;
    const zg_pattern *A = &whole->rows.is.A;
    int32_t count = 0;
    connect_unknowns(whole, p->parent);
    for (int32_t i = 0; i < whole->m; i++) {
        if (A->start[i] == A->start[i + 1]) continue;
        bool *off = &p->off[zr_find_root(p->parent, A->column[A->start[i]])];
        if (*off || !zr_level_row_is_off(whole, i, 16.0 * DBL_EPSILON)) continue;
        *off = true;
        count++;
    }
    return count;
}

/* Lets go of the given values of the part with this root. */
static void release_part(parts *p, int32_t root)
{
    for (int32_t j = 0; j < p->whole->n; j++)
        if (zr_find_root(p->parent, j) == root) p->held[p->whole->unknown[j]] = false;
}

/* Solves a part with its given values held; *met false: x is as given there. */
static zw_status solve_part_held(parts *p, int32_t root, bool *met)
{
    zr_level *whole = p->whole, part;
    *met = false;
    memset(p->others, true, (size_t)whole->sim->zm->n);
    for (int32_t j = 0; j < whole->n; j++) {
        int32_t i = whole->unknown[j];
        if (zr_find_root(p->parent, j) == root) p->others[i] = p->held[i];
    }
    zw_status status = zr_level_open_part(&part, whole->sim, whole->order, p->others);
    if (status == ZW_OK && part.n > 0 && part.m > 0) {
        zr_level_evaluate(&part);
        status = zr_level_set_mass(&part, whole->sim->M);
        if (status == ZW_OK) status = zr_level_solve(&part);
        *met = status == ZW_OK && part.met;
        for (int32_t j = 0; j < part.n && !*met; j++)
            part.x[part.unknown[j]] = part.x_given[part.unknown[j]];
    }
    zr_level_close(&part);
    return zr_is_memory(status) ? status : ZW_OK;
}

/* Does every row of the part contain an unknown that is not held? A row with none, if it is off,
 * must have given values released. */
static bool can_be_held(const parts *p, int32_t root)
{
    const zr_level *whole = p->whole;
    const zg_pattern *A = &whole->rows.is.A;
    for (int32_t i = 0; i < whole->m; i++) {
        bool some = false;
        if (A->start[i] == A->start[i + 1]) continue;
        if (zr_find_root(p->parent, A->column[A->start[i]]) != root) continue;
        for (int32_t k = A->start[i]; k < A->start[i + 1] && !some; k++)
            some = !p->held[whole->unknown[A->column[k]]];
        if (!some && zr_level_row_is_off(whole, i, 1e-11)) return false;
    }
    return true;
}

/* Each part by itself; then all, from there, with what is held still. */
static zw_status solve_by_parts(parts *p, zr_level *last)
{
    zr_level *whole = p->whole;
    bool some = false, met = false;
    for (int32_t root = 0; root < whole->n; root++) {
        if (!p->off[root]) continue;
        met = can_be_held(p, root);
        if (met) ZB_TRY(solve_part_held(p, root, &met));
        if (!met) release_part(p, root);
        zr_level_evaluate(whole);
    }
    for (int32_t j = 0; j < whole->n; j++) some = some || p->held[whole->unknown[j]];
    for (int32_t i = 0; i < whole->sim->zm->n && whole->linear; i++)
        whole->x[i] = whole->x_given[i]; /* one solve is the answer, from there */
    if (some) {
        ZB_TRY(zr_level_open_start(last, whole->sim, whole->order, p->held));
        zr_level_evaluate(last);
        zw_status status = zr_level_set_mass(last, whole->sim->M);
        if (status == ZW_OK) status = zr_level_solve(last);
        if (zr_is_memory(status)) return status;
        last->met = last->met && status == ZW_OK;
    }
    for (int32_t i = 0; i < whole->sim->zm->n && !last->met; i++) whole->x[i] = whole->x_given[i];
    return ZW_OK;
}

/* Residuals of the rows that are off at the given values, 0 of the others, into before [m]. */
static void note_residuals(const zr_level *whole, double *before)
{
    for (int32_t i = 0; i < whole->m; i++)
        before[i] = zr_level_row_is_off(whole, i, 16.0 * DBL_EPSILON) ? fabs(whole->now.r[i]) : 0.0;
}

/* Is every row that was off much less so, or off no longer? A value that is wrong in its last digits
 * would otherwise stay: a circle of radius 1 and x = 1 + 1e-13, where y cannot help. */
static bool has_settled(zr_level *whole, const double *before)
{
    zr_level_evaluate(whole);
    for (int32_t i = 0; i < whole->m; i++)
        if (before[i] > 0.0 && fabs(whole->now.r[i]) > 0.1 * before[i] &&
            zr_level_row_is_off(whole, i, 16.0 * DBL_EPSILON))
            return false;
    return true;
}

zw_status zr_level_solve_held(zr_level *whole, zr_level *last, bool *held)
{
    zb_arena *arena = &whole->arena;
    parts p = {.whole = whole, .held = held};
    p.parent = ZB_NEW_ARRAY(arena, int32_t, whole->n);
    p.off = ZB_NEW_ARRAY(arena, bool, whole->n);
    p.others = ZB_NEW_ARRAY(arena, bool, whole->sim->zm->n);
    double *before = ZB_NEW_ARRAY(arena, double, whole->m);
    if (arena->failure != ZW_OK) return arena->failure;
    note_residuals(whole, before);
    int32_t count = find_parts_off(&p);
    ZB_TRY(count > 1 && count <= most_parts ? solve_by_parts(&p, last)
                                            : solve_at_once(whole, last, held));
    if (!last->met || has_settled(whole, before)) return ZW_OK;
    last->met = false;
    for (int32_t i = 0; i < whole->sim->zm->n; i++) whole->x[i] = whole->x_given[i];
    return ZW_OK;
}
