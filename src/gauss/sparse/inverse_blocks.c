/*
 * Inverses of symmetric matrices whose graph falls into small parts. A *block* is a set of rows
 * that are connected by entries; its inverse is dense, so the inverse has a pattern of its own, in
 * which row i holds the members of its block, ascending. X is written in that layout, then inverted
 * block by block: X = C C^T, X^-1 = C^-T C^-1.
 */
#include <math.h>
#include <string.h>

#include "inverse_blocks.h"

static const double least_pivot = 1e-14; /* times the order of the block, relative */

struct zg_blocks {
    zb_arena arena;
    int32_t n, largest;
    int32_t *block;     /* [n] the least member of each row's block */
    int32_t *local;     /* [n] which member it is */
    zg_pattern pattern; /* of the inverse */
    int32_t *start, *column;
    int32_t *to;     /* [entries of X] where each goes, the upper half of a pair of entries: */
    int32_t *mirror; /* and its mirror image; NULL when both triangles are given */
    int32_t entries;
    double *inverse; /* [start[n]] */
    double *C;       /* [2 largest^2] */
};

/* -------------------------------------------------------------------------- plan */

/* The least member of i's block as far as it is known, by union and find; paths are halved. */
static int32_t find_block_root(int32_t *block, int32_t i)
{
    while (block[i] != i) {
        block[i] = block[block[i]];
        i = block[i];
    }
    return i;
}

/* block: the least member of every block; returns the order of the largest. size [n]: zeros. */
static int32_t find_blocks(zg_blocks *g, const zg_pattern *x, int32_t *size)
{
    int32_t largest = 0;
    for (int32_t i = 0; i < g->n; i++) g->block[i] = i;
    for (int32_t i = 0; i < g->n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++) {
            int32_t a = find_block_root(g->block, i), b = find_block_root(g->block, x->column[p]);
            g->block[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int32_t i = 0; i < g->n; i++) {
        g->block[i] = find_block_root(g->block, i);
        g->local[i] = size[g->block[i]]++;
        if (size[g->block[i]] > largest) largest = size[g->block[i]];
    }
    return largest;
}

/* Rows of the inverse. first [n]: where the members of a block begin to be listed. */
static void lay_out_inverse(zg_blocks *g, const int32_t *size)
{
    for (int32_t i = 0; i < g->n; i++) g->start[i + 1] = g->start[i] + size[g->block[i]];
    for (int32_t i = 0; i < g->n; i++) /* into the row of the least member, then copied */
        g->column[g->start[g->block[i]] + g->local[i]] = i;
    for (int32_t i = 0; i < g->n; i++)
        if (g->block[i] != i)
            memcpy(g->column + g->start[i], g->column + g->start[g->block[i]],
                   sizeof *g->column * (size_t)size[g->block[i]]);
    g->pattern = (zg_pattern){g->n, g->n, g->start, g->column};
}

/* Where each entry of X goes, and its mirror image. */
static void map_block_entries(zg_blocks *g, const zg_pattern *x)
{
    for (int32_t i = 0; i < g->n; i++) {
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++) {
            int32_t j = x->column[p];
            g->to[p] = g->start[i] + g->local[j];
            if (g->mirror) g->mirror[p] = g->start[j] + g->local[i];
        }
    }
}

/* ZW_ERR_BUDGET: more entries than an int32_t counts. */
static zw_status take_block_arrays(zg_blocks *g, const zg_pattern *x, bool upper,
                                   const int32_t *size)
{
    int64_t all = 0;
    for (int32_t i = 0; i < g->n; i++) all += size[g->block[i]];
    if (all > INT32_MAX) return ZW_ERR_BUDGET;
    size_t square = (size_t)g->largest * (size_t)g->largest;
    g->entries = zg_entry_count(x);
    g->start = ZB_NEW_ARRAY(&g->arena, int32_t, (size_t)g->n + 1);
    g->column = ZB_NEW_ARRAY(&g->arena, int32_t, all);
    g->to = ZB_NEW_ARRAY(&g->arena, int32_t, g->entries);
    if (upper) g->mirror = ZB_NEW_ARRAY(&g->arena, int32_t, g->entries);
    g->inverse = ZB_NEW_ARRAY(&g->arena, double, all);
    g->C = ZB_NEW_ARRAY(&g->arena, double, 2 * square);
    if (g->arena.failure != ZW_OK) return g->arena.failure;
    lay_out_inverse(g, size);
    map_block_entries(g, x);
    return ZW_OK;
}

/* *fits false: a block has more than `most` rows; nothing else is taken then. */
static zw_status build_blocks(zg_blocks *g, const zg_pattern *x, bool upper, int32_t most,
                              bool *fits)
{
    g->block = ZB_NEW_ARRAY(&g->arena, int32_t, g->n);
    g->local = ZB_NEW_ARRAY(&g->arena, int32_t, g->n);
    zb_arena scratch;
    zb_arena_init(&scratch, g->arena.memory, 0);
    int32_t *size = ZB_NEW_ARRAY(&scratch, int32_t, g->n);
    zw_status status = g->arena.failure != ZW_OK ? g->arena.failure : scratch.failure;
    if (status == ZW_OK) {
        g->largest = find_blocks(g, x, size);
        *fits = g->largest <= most;
        if (*fits) status = take_block_arrays(g, x, upper, size);
    }
    zb_arena_clear(&scratch);
    return status;
}

zw_status zg_blocks_plan(zb_memory *memory, const zg_pattern *x, bool upper, int32_t most,
                         zg_blocks **blocks)
{
    zg_blocks *g = zb_resize(memory, NULL, 0, sizeof *g);
    bool fits = false;
    *blocks = NULL;
    if (!g) return memory->failure;
    *g = (zg_blocks){.n = x->rows};
    zb_arena_init(&g->arena, memory, 0);
    zw_status status = build_blocks(g, x, upper, most, &fits);
    if (status != ZW_OK || !fits) {
        zg_blocks_free(g);
        return status;
    }
    *blocks = g;
    return ZW_OK;
}

void zg_blocks_free(zg_blocks *g)
{
    if (!g) return;
    zb_memory *memory = g->arena.memory;
    zb_arena_clear(&g->arena);
    zb_resize(memory, g, sizeof *g, 0);
}

bool zg_blocks_diagonal(const zg_blocks *g)
{
    return g->largest <= 1;
}

/* ----------------------------------------------------------------------- numbers */

/* C lower triangular with X = C C^T, then D = C^-1, both [s*s] by rows; X at rows[0 .. s). */
static bool invert_block(double *const X, const int32_t *start, const int32_t *member, int32_t s,
                         double *C)
{
    double *D = C + s * s;
    for (int32_t i = 0; i < s; i++) {
        const double *x = X + start[member[i]];
        for (int32_t j = 0; j <= i; j++) {
            double sum = x[j];
            for (int32_t k = 0; k < j; k++) sum -= C[i * s + k] * C[j * s + k];
            if (i == j && !(sum > least_pivot * s * x[i])) return false;
            C[i * s + j] = i == j ? sqrt(sum) : sum / C[j * s + j];
        }
    }
    for (int32_t j = 0; j < s; j++) {
        for (int32_t i = j; i < s; i++) {
            double sum = i == j ? 1.0 : 0.0;
            for (int32_t k = j; k < i; k++) sum -= C[i * s + k] * D[k * s + j];
            D[i * s + j] = sum / C[i * s + i];
        }
    }
    for (int32_t i = 0; i < s; i++) {
        for (int32_t j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int32_t k = i; k < s; k++) sum += D[k * s + i] * D[k * s + j];
            X[start[member[i]] + j] = X[start[member[j]] + i] = sum;
        }
    }
    return true;
}

/* Blocks of one row: 1 / x. False: *row is not positive and finite. */
static bool invert_diagonal_blocks(zg_blocks *g, int32_t *row)
{
    for (int32_t i = 0; i < g->n; i++) {
        double x = g->inverse[i];
        if (!(x > 0.0) || !isfinite(x)) {
            *row = i;
            return false;
        }
        g->inverse[i] = 1.0 / x;
    }
    return true;
}

/* The values go into the layout of the inverse and are replaced there. */
bool zg_blocks_invert(zg_blocks *g, const double *values, int32_t *row)
{
    if (g->n > 0) memset(g->inverse, 0, sizeof(double) * (size_t)g->start[g->n]);
    for (int32_t p = 0; p < g->entries; p++) {
        g->inverse[g->to[p]] = values[p];
        if (g->mirror) g->inverse[g->mirror[p]] = values[p];
    }
    if (g->largest <= 1) return invert_diagonal_blocks(g, row);
    for (int32_t i = 0; i < g->n; i++) {
        if (g->block[i] != i) continue;
        int32_t size = g->start[i + 1] - g->start[i];
        if (invert_block(g->inverse, g->start, g->column + g->start[i], size, g->C)) continue;
        *row = i;
        return false;
    }
    return true;
}

const zg_pattern *zg_blocks_pattern(const zg_blocks *g)
{
    return &g->pattern;
}

const double *zg_blocks_inverse(const zg_blocks *g)
{
    return g->inverse;
}

void zg_blocks_times(const zg_blocks *g, const double *x, double *y)
{
    if (g->largest <= 1) {
        for (int32_t i = 0; i < g->n; i++) y[i] = g->inverse[i] * x[i];
        return;
    }
    for (int32_t i = 0; i < g->n; i++) {
        double sum = 0.0;
        for (int32_t p = g->start[i]; p < g->start[i + 1]; p++)
            sum += g->inverse[p] * x[g->column[p]];
        y[i] = sum;
    }
}
