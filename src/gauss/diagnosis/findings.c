/*
 * A diagnosis that is being written: dependent sets as they are found, copied into an arena of
 * its own, brought into declared order at the end. It refers to nothing of the solver.
 *
 * A set is a conflict when s.b is more than the rounding of its terms; s.b / |s| in the norm of
 * W^-1 is how far apart its rows are (NUMERICS 6). Where one row alone explains all conflicts of
 * the sets that hang together with it, it is their suspect; of several such rows the last
 * declared, since first declared wins.
 */
#include <math.h>
#include <string.h>

#include "dense_solver.h"
#include "dependent.h"

static const double conflict_tolerance = 1e-9;

/* For m rows and `room` sets. */
zw_status zg_findings_new(zb_memory *memory, int32_t m, int32_t room, zg_findings **out)
{
    zg_findings *d = zb_resize(memory, NULL, 0, sizeof *d);
    if (!d) return memory->failure;
    *d = (zg_findings){.memory = memory, .room = room, .shown = {.m = m}};
    zb_arena_init(&d->arena, memory, 0);
    d->sets = ZB_NEW_ARRAY(&d->arena, zw_dependent_set, room);
    d->unique = ZB_NEW_ARRAY(&d->arena, bool, m);
    if (!d->sets || !d->unique) {
        zg_diagnosis_free(&d->shown);
        return memory->failure;
    }
    for (int32_t i = 0; i < m; i++) d->unique[i] = true;
    d->shown.sets = d->sets;
    d->shown.unique_multiplier = d->unique;
    *out = d;
    return ZW_OK;
}

void zg_diagnosis_free(zw_diagnosis *shown)
{
    zg_findings *d = (zg_findings *)(void *)shown;
    if (!d) return;
    zb_memory *memory = d->memory;
    zb_arena_clear(&d->arena);
    zb_resize(memory, d, sizeof *d, 0);
}

/* Rows of dependent sets lose their unique multiplier; nearly dependent ones do not. */
zw_status zg_findings_add(zg_findings *d, const zw_dependent_set *set)
{
    size_t count = (size_t)set->count;
    zw_dependent_set copy = *set;
    copy.rows = zb_arena_copy(&d->arena, set->rows, sizeof *set->rows * count, _Alignof(int32_t));
    copy.coefficients = zb_arena_copy(&d->arena, set->coefficients,
                                      sizeof *set->coefficients * count, _Alignof(double));
    if (!copy.rows || !copy.coefficients) return d->memory->failure;
    if (set->nearly)
        d->sets[d->room - 1 - d->shown.nearly_count++] = copy;
    else
        d->sets[d->shown.set_count++] = copy;
    d->shown.conflict_count += set->conflict;
    for (size_t i = 0; i < count && !set->nearly; i++) d->unique[set->rows[i]] = false;
    return ZW_OK;
}

/* The multipliers of rows that were not there are 0, and unique. The order of rows stays. */
zw_status zg_findings_renumber(zg_findings *d, const int32_t *kept, int32_t m)
{
    bool *unique = ZB_NEW_ARRAY(&d->arena, bool, m);
    if (!unique) return d->memory->failure;
    for (int32_t i = 0; i < m; i++) unique[i] = true;
    for (int32_t k = 0; k < d->shown.m; k++) unique[kept[k]] = d->unique[k];
    for (int32_t s = 0; s < d->shown.set_count + d->shown.nearly_count; s++) {
        zw_dependent_set *set = &d->sets[s];
        int32_t *rows = ZB_NEW_ARRAY(&d->arena, int32_t, set->count);
        if (!rows) return d->memory->failure;
        for (int32_t i = 0; i < set->count; i++) rows[i] = kept[set->rows[i]];
        set->rows = rows;
        set->row = kept[set->row];
        if (set->suspect >= 0) set->suspect = kept[set->suspect];
    }
    d->shown.m = m;
    d->shown.unique_multiplier = d->unique = unique;
    return ZW_OK;
}

/* ------------------------------------------------------------------------ suspects
 * Row i alone is wrong, by e, when every relation s of the rows that hang together with it has
 * s.b = e s_i; those that agree must not contain it. */

typedef struct blame {
    zw_dependent_set *sets; /* [count] */
    int32_t count;
    int32_t *part; /* [count] the first set that hangs together with it, by shared rows */
} blame;

static int32_t find_part_of_set(const blame *x, int32_t k)
{
    while (x->part[k] != k) k = x->part[k];
    return k;
}

/* owner [m]: the first set a row is in, + 1. */
static void find_parts_of_sets(blame *x, int32_t *owner)
{
    for (int32_t k = 0; k < x->count; k++) {
        x->part[k] = k;
        for (int32_t p = 0; p < x->sets[k].count; p++) {
            int32_t *own = &owner[x->sets[k].rows[p]];
            if (*own == 0) *own = k + 1;
            int32_t a = find_part_of_set(x, *own - 1), b = find_part_of_set(x, k);
            x->part[a > b ? a : b] = a < b ? a : b;
        }
    }
    for (int32_t k = 0; k < x->count; k++) x->part[k] = find_part_of_set(x, k);
}

/* The coefficient of row i, by halving. */
static double get_coefficient(const zw_dependent_set *set, int32_t i)
{
    int32_t low = 0, high = set->count - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (set->rows[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return set->rows[low] == i ? set->coefficients[low] : 0.0;
}

/* Row i, wrong by so much, gives every set of the part the mismatch it has? */
static bool explains_conflicts(const blame *x, int32_t part, int32_t i, double by)
{
    for (int32_t k = part; k < x->count; k++) {
        if (x->part[k] != part) continue;
        double expected = by * get_coefficient(&x->sets[k], i), found = x->sets[k].mismatch;
        if (!(fabs(found - expected) <= 1e-6 * fabs(found))) return false;
    }
    return true;
}

/* The last declared row that explains all conflicts of a part. */
static int32_t find_suspect(const blame *x, int32_t part)
{
    const zw_dependent_set *shortest = NULL;
    for (int32_t k = part; k < x->count; k++) {
        const zw_dependent_set *set = &x->sets[k];
        if (x->part[k] != part || !set->conflict) continue;
        if (!shortest || set->count < shortest->count) shortest = set;
    }
    for (int32_t p = shortest ? shortest->count - 1 : -1; p >= 0; p--) {
        double by = shortest->mismatch / shortest->coefficients[p];
        if (explains_conflicts(x, part, shortest->rows[p], by)) return shortest->rows[p];
    }
    return -1;
}

/* Part after part: the suspect of one is that of all its conflicts. */
bool zg_findings_blame(zg_findings *d, int32_t first, zb_arena *scratch)
{
    blame x = {.sets = d->sets + first, .count = d->shown.set_count - first};
    bool any = false;
    for (int32_t k = 0; k < x.count && !any; k++) any = x.sets[k].conflict;
    if (!any) return true;
    int32_t *owner = ZB_NEW_ARRAY(scratch, int32_t, d->shown.m);
    x.part = ZB_NEW_ARRAY(scratch, int32_t, x.count);
    if (!owner || !x.part) return false;
    find_parts_of_sets(&x, owner);
    for (int32_t k = 0; k < x.count; k++) {
        if (x.part[k] != k) continue;
        int32_t suspect = find_suspect(&x, k);
        for (int32_t j = k; j < x.count; j++)
            if (x.part[j] == k && x.sets[j].conflict) x.sets[j].suspect = suspect;
    }
    return true;
}

/* ---------------------------------------------------------------------------- order */

/* By insertion: they are nearly in order. */
static void sort_sets(zw_dependent_set *sets, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        zw_dependent_set t = sets[i];
        int32_t k = i;
        for (; k > 0 && sets[k - 1].row > t.row; k--) sets[k] = sets[k - 1];
        sets[k] = t;
    }
}

/* Nearly dependent sets stand behind the dependent ones. */
void zg_findings_close(zg_findings *d)
{
    int32_t first = d->shown.set_count, count = d->shown.nearly_count;
    zw_dependent_set *tail = d->sets + d->room - count;
    for (int32_t i = 0; i < count / 2; i++) {
        zw_dependent_set t = tail[i];
        tail[i] = tail[count - 1 - i];
        tail[count - 1 - i] = t;
    }
    memmove(d->sets + first, tail, sizeof *tail * (size_t)count);
    sort_sets(d->sets, first);
    sort_sets(d->sets + first, count);
}

/* s.b against 1e-9 of the sizes of its terms, in which the acceleration counts, too: b alone may be
 * 0. */
void zg_judge_set(zw_dependent_set *set, const double *b, const double *length, double size_z)
{
    double rounding = 0.0, mismatch = 0.0;
    for (int32_t k = 0; k < set->count; k++) {
        int32_t i = set->rows[k];
        mismatch += set->coefficients[k] * b[i];
        rounding += fabs(set->coefficients[k]) * (fabs(b[i]) + length[i] * size_z);
    }
    set->conflict = !set->nearly && fabs(mismatch) > conflict_tolerance * rounding;
    set->mismatch = set->conflict ? mismatch : 0.0;
}
