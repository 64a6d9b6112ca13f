/*
 * M and W alone, for free accelerations and norms; and what is wrong with matrices that cannot be
 * factored: M or W negative in some direction, or a motion that neither M nor A resists, with the
 * coordinates that take part in it.
 */
#include <math.h>
#include <string.h>

#include "driver.h"

enum { largest_block = 64 };
static const double shift = 1e-12; /* relative: keeps the pivots of semidefinite matrices */

/* --------------------------------------------------------------- M and W alone */

/* The lower triangle of a symmetric pattern; *place [entries of x]: where each went, -1 those of
 * the other triangle. */
static zw_status copy_lower_pattern(zb_arena *keep, zb_arena *scratch, const zg_pattern *x,
                                    bool upper, za_symmetric *out, int32_t **place)
{
    int32_t all = zg_entry_count(x), kept = 0, *at = NULL;
    zg_entries e;
    *place = ZB_NEW_ARRAY(keep, int32_t, all);
    if (!*place) return keep->failure;
    ZB_TRY(zg_entries_begin(scratch, (int64_t)all + x->rows, &e));
    for (int32_t i = 0; i < x->rows; i++)
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++)
            if (upper || x->column[p] <= i) zg_entries_add(&e, i, x->column[p]);
    ZB_TRY(zg_merge_lower(keep, scratch, &e, x->rows, out, &at));
    for (int32_t i = 0; i < x->rows; i++)
        for (int32_t p = x->start[i]; p < x->start[i + 1]; p++)
            (*place)[p] = upper || x->column[p] <= i ? at[kept++] : -1;
    return ZW_OK;
}

/* values [count] into the pattern x, entries without a place left out. */
static void spread_values(const za_symmetric *x, int32_t count, const int32_t *place,
                          const double *values, double *to)
{
    if (x->n > 0) memset(to, 0, sizeof *to * (size_t)x->start[x->n]);
    for (int32_t p = 0; p < count; p++)
        if (place[p] >= 0) to[place[p]] = values[p];
}

/* Inverse blocks where all are small, else a factor of the lower triangle. */
zw_status zg_symmetric_plan(zg_sparse *g, const zg_pattern *is, bool upper, zg_symmetric_solver *x)
{
    zb_arena scratch;
    x->is = is;
    ZB_TRY(zg_blocks_plan(g->memory, is, upper, largest_block, &x->blocks));
    if (x->blocks) return ZW_OK;
    zb_arena_init(&scratch, g->memory, 0);
    zw_status status = copy_lower_pattern(&g->arena, &scratch, is, upper, &x->pattern, &x->place);
    zb_arena_clear(&scratch);
    if (status != ZW_OK) return status;
    x->values = ZB_NEW_ARRAY(&g->arena, double, x->pattern.start[is->rows]);
    if (!x->values) return g->arena.failure;
    return zg_choose_factor(g->memory, &x->pattern, NULL, &x->chosen);
}

void zg_symmetric_clear(zg_symmetric_solver *x)
{
    zg_blocks_free(x->blocks);
    zg_chosen_clear(&x->chosen);
}

/* Inverts or factors once for these values. False: not definite, or nearly not. */
static bool prepare_symmetric(zg_symmetric_solver *x, const double *values)
{
    int32_t row = 0;
    za_pivots pivots;
    if (x->ready) return !x->singular;
    x->ready = true;
    if (x->blocks) {
        x->singular = !zg_blocks_invert(x->blocks, values, &row);
        return !x->singular;
    }
    spread_values(&x->pattern, x->is->start[x->is->rows], x->place, values, x->values);
    x->chosen.method->factor(x->chosen.factor, x->values, &pivots);
    x->singular = !(pivots.complete && pivots.negative == 0 && pivots.smallest > 1e-13);
    return !x->singular;
}

/* y = X^-1 x; apart. */
static void solve_symmetric(const zg_symmetric_solver *a, const double *x, double *y, double *work)
{
    if (a->blocks) {
        zg_blocks_times(a->blocks, x, y);
        return;
    }
    memcpy(y, x, sizeof *y * (size_t)a->is->rows);
    a->chosen.method->solve(a->chosen.factor, y, work);
}

/* Uses r1 and work. */
bool zg_mass_solve(zg_sparse *g, double *x)
{
    if (!prepare_symmetric(&g->mass, g->x.M)) return false;
    memcpy(g->r1, x, sizeof *x * (size_t)g->is.n);
    solve_symmetric(&g->mass, g->r1, x, g->work);
    return true;
}

/* No W: the identity. Uses dl. */
bool zg_weight_solve(zg_sparse *g, const double *x, double *y)
{
    if (!g->x.W) {
        memcpy(y, x, sizeof *y * (size_t)g->is.m);
        return true;
    }
    if (!prepare_symmetric(&g->weight, g->x.W)) return false;
    solve_symmetric(&g->weight, x, y, g->dl);
    return true;
}

/* ------------------------------------------------------------------------ judgement */

/* A factor made only to see the signs of its pivots. */
typedef struct trial {
    zb_arena keep, scratch;
    za_symmetric x;
    int32_t *place;
    double *values;
    zg_chosen chosen;
    za_pivots pivots;
} trial;

/* Negative pivots of X + shift |diagonal|. */
static zw_status factor_shifted(trial *t, zb_memory *memory, const zg_pattern *p, bool upper,
                                const double *values)
{
    double typical = 0.0;
    ZB_TRY(copy_lower_pattern(&t->keep, &t->scratch, p, upper, &t->x, &t->place));
    t->values = ZB_NEW_ARRAY(&t->keep, double, t->x.start[t->x.n]);
    if (!t->values) return t->keep.failure;
    spread_values(&t->x, p->start[p->rows], t->place, values, t->values);
    for (int32_t i = 0; i < t->x.n; i++)
        typical = fmax(typical, fabs(t->values[t->x.start[i + 1] - 1]));
    for (int32_t i = 0; i < t->x.n; i++)
        t->values[t->x.start[i + 1] - 1] += shift * (typical > 0.0 ? typical : 1.0);
    ZB_TRY(zg_choose_factor(memory, &t->x, NULL, &t->chosen));
    t->chosen.method->factor(t->chosen.factor, t->values, &t->pivots);
    return ZW_OK;
}

/* *row: -1 when the matrix is semidefinite, else where it is not. */
static zw_status find_negative_direction(zb_memory *memory, const zg_pattern *p, bool upper,
                                         const double *values, int32_t *row)
{
    trial t = {0};
    *row = -1;
    if (p->rows == 0) return ZW_OK;
    zb_arena_init(&t.keep, memory, 0);
    zb_arena_init(&t.scratch, memory, 0);
    zw_status status = factor_shifted(&t, memory, p, upper, values);
    if (status == ZW_OK && !t.pivots.complete) *row = t.pivots.worst;
    if (status == ZW_OK && t.pivots.negative > 0) *row = t.pivots.below;
    for (int32_t i = 0; status == ZW_OK && i < p->rows;
         i++) /* a negative diagonal entry says more */
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            if (p->column[k] == i && values[k] < 0.0) *row = i;
    zg_chosen_clear(&t.chosen);
    zb_arena_clear(&t.keep);
    zb_arena_clear(&t.scratch);
    return status;
}

/* g->failed: a coordinate of the direction in which M is negative. */
zw_status zg_mass_judge(zg_sparse *g)
{
    int32_t row;
    ZB_TRY(find_negative_direction(g->memory, &g->is.M, true, g->x.M, &row));
    if (row < 0) return ZW_OK;
    g->failed = row;
    g->failed_matrix = 'M';
    return g->failure = ZW_ERR_INDEFINITE;
}

/* True also where that could not be found out for want of memory. */
bool zg_weight_definite(zg_sparse *g)
{
    int32_t row = -1;
    if (!g->x.W || find_negative_direction(g->memory, &g->is.W, false, g->x.W, &row) != ZW_OK)
        return true;
    if (row < 0) return true;
    g->failed = row;
    g->failed_matrix = 'W';
    return false;
}

/* ------------------------------------------------------------------- free motions */

/* Coordinates without an entry in M or A. */
static void find_untouched_coordinates(const zg_sparse *g, bool *moves)
{
    const zg_pattern *M = &g->is.M, *A = &g->is.A;
    for (int32_t i = 0; i < g->is.n; i++) moves[i] = true;
    for (int32_t i = 0; i < M->rows; i++)
        for (int32_t p = M->start[i]; p < M->start[i + 1]; p++)
            if (g->x.M[p] != 0.0) moves[i] = moves[M->column[p]] = false;
    for (int32_t i = 0; i < A->rows; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            if (g->x.A[p] != 0.0) moves[A->column[p]] = false;
}

/* Inverse iteration with a little inertia everywhere: what nothing resists moves by far the most.
 */
static void find_soft_coordinates(zg_sparse *g, uint64_t seed, bool *moves)
{
    double *x = g->f, *y = g->z;
    for (int32_t i = 0; i < g->is.n; i++)
        x[i] = (double)(zb_hash_scramble(seed + (uint64_t)i) >> 11) * 0x1p-52 - 1.0;
    for (int k = 0; k < 4; k++) {
        g->kind->solve(g->form, x, NULL, y, g->dl);
        double largest = zg_largest(g->is.n, y);
        for (int32_t i = 0; i < g->is.n; i++)
            x[i] = largest > 0.0 ? y[i] / largest * g->diagonal[i] : 0.0;
    }
    double largest = zg_largest(g->is.n, y);
    for (int32_t i = 0; i < g->is.n; i++)
        if (fabs(y[i]) > 1e-5 * largest) moves[i] = true;
}

/* The values of M [bytes] with 1e-9 more on its diagonal, which must be there in every row. NULL:
 * no memory. */
static double *add_little_inertia(const zg_sparse *g, size_t bytes)
{
    const zg_pattern *M = &g->is.M;
    double *values = zb_resize(g->memory, NULL, 0, bytes);
    if (!values) return NULL;
    memcpy(values, g->x.M, bytes);
    for (int32_t i = 0; i < M->rows; i++) values[M->start[i]] += 1e-9 * g->diagonal[i];
    return values;
}

/* Coordinates that neither M nor A touches; where there are none, those that move most when M is
 * made a little heavier everywhere and the H-form is solved with. */
zw_status zg_sparse_free_coordinates(zg_sparse *g, bool *moves)
{
    const zg_pattern *M = &g->is.M;
    int32_t found = 0;
    find_untouched_coordinates(g, moves);
    for (int32_t i = 0; i < g->is.n; i++) found += moves[i];
    for (int32_t i = 0; i < M->rows && found == 0; i++)
        if (M->start[i] == M->start[i + 1] || M->column[M->start[i]] != i) return ZW_OK;
    if (found > 0 || g->is.n == 0 || g->kind != &zg_sparse_H) return ZW_OK;
    size_t bytes = sizeof(double) * (size_t)M->start[M->rows];
    double *values = add_little_inertia(g, bytes);
    const double *before = g->x.M;
    if (!values) return g->memory->failure;
    bool mass = false;
    za_pivots pivots;
    g->x.M = values;
    /* a mu as large as the rows: compared with them what is left of M must not be rounding */
    if (g->kind->factor(g->form, g->unit, &pivots, &mass))
        for (uint64_t k = 1; k <= 3; k++) find_soft_coordinates(g, 1000003 * k, moves);
    g->x.M = before;
    zb_resize(g->memory, values, bytes, 0);
    return ZW_OK;
}

/* ------------------------------------------------------------------------ sentences */

char zg_sparse_failed(const zg_sparse *g, int32_t *index)
{
    *index = g->failed;
    return g->failure == ZW_ERR_INDEFINITE ? g->failed_matrix : '\0';
}

/* As snprintf: the length of the whole sentence is returned, what does not fit is cut off. */
size_t zg_sparse_explain(const zg_sparse *g, char *buffer, size_t size)
{
    zb_text text;
    zb_text_init(&text, g->memory);
    if (g->failure == ZW_ERR_INDEFINITE && g->failed_matrix == 'M')
        zb_text_printf(&text, "M is negative in a direction that contains coordinate %d",
                       (int)g->failed);
    else if (g->failure == ZW_ERR_INDEFINITE)
        zb_text_printf(&text, "W[%d] is not positive definite", (int)g->failed);
    else if (g->failure != ZW_OK)
        zb_text_add(&text, zb_status_sentence(g->failure));
    size_t length = text.length;
    if (size > 0) {
        size_t copied = length < size ? length : size - 1;
        memcpy(buffer, zb_text_string(&text), copied);
        buffer[copied] = '\0';
    }
    zb_text_free(&text);
    return length;
}
