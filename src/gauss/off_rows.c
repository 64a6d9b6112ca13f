/*
 * Values of a system whose rows are partly off.
 *
 * What an absent row means where W couples it to others: distances of A z from b are measured with
 * the row free to be whatever it likes, so that the least over it counts,
 *
 *     W' = W_FF - W_Fo W_oo^-1 W_oF      (F: on, o: off),      W'^-1 = (W^-1)_FF
 *
 * and the norm of multipliers, in W^-1, is that of those which are on. Rows that are off keep their
 * own entry of the diagonal, and no other. A W without couplings stays as it is.
 *
 * All memory is taken when it is planned.
 */
#include <string.h>

#include "off_rows.h"

struct zg_off_rows {
    zb_arena arena;
    int32_t m, on;
    zg_pattern A;
    bool *off;      /* [m] */
    int32_t *kept;  /* [on] */
    double *values; /* of A */
    double *b;      /* [m] */
    /* of a W that couples rows: */
    zg_pattern given, closed;
    int32_t *place; /* [entries of given] in closed */
    double *W;      /* of closed; NULL: W is diagonal, or the identity */
    double *block;  /* [largest component squared] */
};

/* ------------------------------------------------------------------------ planning */

static bool couples_rows(const zg_pattern *W)
{
    for (int32_t i = 0; i < W->rows; i++)
        for (int32_t k = W->start[i]; k < W->start[i + 1]; k++)
            if (W->column[k] != i) return true;
    return false;
}

/* first [m]: the lowest row that each row hangs together with. Both triangles of W are there. */
static void find_components(const zg_pattern *W, int32_t *first, int32_t *stack)
{
    for (int32_t i = 0; i < W->rows; i++) first[i] = -1;
    for (int32_t i = 0; i < W->rows; i++) {
        if (first[i] >= 0) continue;
        int32_t count = 1;
        first[i] = i;
        stack[0] = i;
        while (count > 0) {
            int32_t row = stack[--count];
            for (int32_t k = W->start[row]; k < W->start[row + 1]; k++) {
                int32_t other = W->column[k];
                if (first[other] >= 0) continue;
                first[other] = i;
                stack[count++] = other;
            }
        }
    }
}

/* The closed pattern from components: size [m] of each, by its first row; members [m], one
 * component after another, ascending; begin [m + 1], by its first row. */
typedef struct components {
    int32_t *first, *size, *begin, *members;
} components;

static bool take_components(zb_arena *scratch, int32_t m, components *c)
{
    c->first = ZB_NEW_ARRAY(scratch, int32_t, m);
    c->size = ZB_NEW_ARRAY(scratch, int32_t, m);
    c->begin = ZB_NEW_ARRAY(scratch, int32_t, m + 1);
    c->members = ZB_NEW_ARRAY(scratch, int32_t, m);
    return c->first && c->size && c->begin && c->members;
}

static void list_members(int32_t m, components *c)
{
    int32_t at = 0;
    for (int32_t i = 0; i < m; i++) c->size[c->first[i]]++;
    for (int32_t i = 0; i < m; i++) {
        c->begin[i] = at;
        at += c->size[i];
    }
    for (int32_t i = 0; i < m; i++) c->members[c->begin[c->first[i]]++] = i;
    for (int32_t i = 0; i < m; i++) c->begin[i] -= c->size[i];
}

/* Where each entry of the given pattern lies in the closed one; columns of both ascend. */
static void find_closed_places(zg_off_rows *x)
{
    for (int32_t i = 0; i < x->m; i++) {
        int32_t at = x->closed.start[i];
        for (int32_t k = x->given.start[i]; k < x->given.start[i + 1]; k++) {
            while (x->closed.column[at] != x->given.column[k]) at++;
            x->place[k] = at;
        }
    }
}

/* Every pair of a component, in x->closed. */
static zw_status close_weight(zg_off_rows *x, const components *c)
{
    int32_t *start = ZB_NEW_ARRAY(&x->arena, int32_t, (size_t)x->m + 1), *column = NULL;
    int64_t entries = 0;
    int32_t largest = 0;
    if (!start) return x->arena.failure;
    for (int32_t i = 0; i < x->m; i++) {
        int32_t size = c->size[c->first[i]];
        largest = size > largest ? size : largest;
        entries += size;
        if (entries > INT32_MAX) return ZW_ERR_BUDGET;
        start[i + 1] = (int32_t)entries;
    }
    column = ZB_NEW_ARRAY(&x->arena, int32_t, entries);
    x->place = ZB_NEW_ARRAY(&x->arena, int32_t, x->given.start[x->m]);
    x->W = ZB_NEW_ARRAY(&x->arena, double, entries);
    x->block = ZB_NEW_ARRAY(&x->arena, double, (int64_t)largest *largest);
    if (x->arena.failure != ZW_OK) return x->arena.failure;
    for (int32_t i = 0; i < x->m; i++)
        memcpy(column + start[i], c->members + c->begin[c->first[i]],
               sizeof *column * (size_t)c->size[c->first[i]]);
    x->closed = (zg_pattern){.rows = x->m, .columns = x->m, .start = start, .column = column};
    find_closed_places(x);
    return ZW_OK;
}

static zw_status plan_weight(zg_off_rows *x, zg_structure *structure)
{
    zb_arena scratch;
    components c;
    x->given = structure->W;
    if (!couples_rows(&x->given)) return ZW_OK;
    zb_arena_init(&scratch, x->arena.memory, 0);
    zw_status status = ZW_OK;
    if (take_components(&scratch, x->m, &c)) {
        find_components(&x->given, c.first, c.members);
        list_members(x->m, &c);
        status = close_weight(x, &c);
    } else {
        status = scratch.failure;
    }
    zb_arena_clear(&scratch);
    if (status == ZW_OK) structure->W = x->closed;
    return status;
}

zw_status zg_off_plan(zb_memory *memory, zg_structure *structure, zg_off_rows **out)
{
    zg_off_rows *x = zb_resize(memory, NULL, 0, sizeof *x);
    if (!x) return memory->failure;
    *x = (zg_off_rows){.m = structure->m, .on = structure->m, .A = structure->A};
    zb_arena_init(&x->arena, memory, 0);
    x->off = ZB_NEW_ARRAY(&x->arena, bool, x->m);
    x->kept = ZB_NEW_ARRAY(&x->arena, int32_t, x->m);
    x->values = ZB_NEW_ARRAY(&x->arena, double, zg_entry_count(&x->A));
    x->b = ZB_NEW_ARRAY(&x->arena, double, x->m);
    zw_status status = x->arena.failure;
    if (status == ZW_OK) status = plan_weight(x, structure);
    if (status != ZW_OK) {
        zg_off_free(x);
        return status;
    }
    *out = x;
    return ZW_OK;
}

void zg_off_free(zg_off_rows *x)
{
    if (!x) return;
    zb_memory *memory = x->arena.memory;
    zb_arena_clear(&x->arena);
    zb_resize(memory, x, sizeof *x, 0);
}

/* -------------------------------------------------------------------------- values */

void zg_off_use(zg_off_rows *x, const bool *off)
{
    x->on = 0;
    for (int32_t i = 0; i < x->m; i++) {
        x->off[i] = off && off[i];
        if (!x->off[i]) x->kept[x->on++] = i;
    }
}

static void mask_rows(zg_off_rows *x, const double *values)
{
    for (int32_t i = 0; i < x->m; i++) {
        int32_t from = x->A.start[i];
        size_t bytes = sizeof(double) * (size_t)(x->A.start[i + 1] - from);
        if (x->off[i])
            memset(x->values + from, 0, bytes);
        else
            memcpy(x->values + from, values + from, bytes);
    }
}

/* Row k of the component is eliminated from the others, and left with its diagonal. */
static void eliminate_weight(double *B, size_t size, size_t k)
{
    double pivot = B[k * size + k];
    for (size_t i = 0; i < size && pivot > 0.0; i++) {
        double factor = B[i * size + k] / pivot;
        for (size_t j = 0; j < size && i != k; j++) B[i * size + j] -= factor * B[k * size + j];
    }
    for (size_t i = 0; i < size && pivot > 0.0; i++)
        if (i != k) B[i * size + k] = B[k * size + i] = 0.0;
}

/* The component whose first row is `first`; all its rows have the same columns. */
static void mask_component(zg_off_rows *x, int32_t first)
{
    const int32_t *member = x->closed.column + x->closed.start[first];
    size_t size = (size_t)(x->closed.start[first + 1] - x->closed.start[first]);
    for (size_t i = 0; i < size; i++)
        memcpy(x->block + i * size, x->W + x->closed.start[member[i]], sizeof(double) * size);
    for (size_t i = 0; i < size; i++)
        if (x->off[member[i]]) eliminate_weight(x->block, size, i);
    for (size_t i = 0; i < size; i++)
        memcpy(x->W + x->closed.start[member[i]], x->block + i * size, sizeof(double) * size);
}

/* W' into x->W. */
static void mask_weight(zg_off_rows *x, const double *W)
{
    memset(x->W, 0, sizeof(double) * (size_t)x->closed.start[x->m]);
    for (int32_t k = 0; k < x->given.start[x->m]; k++) x->W[x->place[k]] = W[k];
    for (int32_t i = 0; i < x->m && x->on < x->m; i++)
        if (x->closed.column[x->closed.start[i]] == i) mask_component(x, i);
}

void zg_off_take(zg_off_rows *x, const zg_values *values, zg_values *masked)
{
    zg_off_use(x, values->off);
    *masked = *values;
    masked->off = NULL;
    if (x->on < x->m) {
        mask_rows(x, values->A);
        masked->A = x->values;
        masked->off = x->off;
    }
    if (x->W && values->W) {
        mask_weight(x, values->W);
        masked->W = x->W;
    }
}

bool zg_off_any(const zg_off_rows *x)
{
    return x && x->on < x->m;
}

int32_t zg_off_count(const zg_off_rows *x, int32_t m)
{
    return x ? x->on : m;
}

const int32_t *zg_off_kept(const zg_off_rows *x)
{
    return x->kept;
}

/* ------------------------------------------------------------------ right sides, answers */

const double *zg_off_right(zg_off_rows *x, const double *b)
{
    if (!b || !zg_off_any(x)) return b;
    for (int32_t i = 0; i < x->m; i++) x->b[i] = x->off[i] ? 0.0 : b[i];
    return x->b;
}

const double *zg_off_pack(zg_off_rows *x, const double *b)
{
    if (!b || !zg_off_any(x)) return b;
    for (int32_t k = 0; k < x->on; k++) x->b[k] = b[x->kept[k]];
    return x->b;
}

/* From the end, for an entry never moves down. */
void zg_off_spread(const zg_off_rows *x, double *y)
{
    if (!y || !zg_off_any(x)) return;
    for (int32_t i = x->m, k = x->on; i-- > 0;) y[i] = x->off[i] ? 0.0 : y[--k];
}
