/*
 * The K-form: K = [M A^T; A -mu W^-1] of order n + m, for any sparse M that is definite by itself
 * and any W of small blocks:
 *
 *     K (dz, -dl) = (r1, r2)
 *
 * K is quasidefinite: it has a factor L D L^T in every order of elimination, with a positive pivot
 * in every row of M and a negative one in every row of A. The sum of negative pivots is m, however,
 * also where M is singular and A determines what M does not; there a pivot is nothing but rounding
 * of the diagonal entry it began as, and what it is divided into is lost. Rows of A cannot look
 * like that: their pivots only grow. So the smallest pivot tells whether the factor can be used. (A
 * singular M can pass where rows of A come first in the order; then the answers are right.)
 *
 * Values of M, A and W^-1 have their places in K, found by plan; factor copies them there. With
 * +tau scale in the place of -mu W^-1 the same factor counts eigenvalues of A M^-1 A^T above tau.
 */
#include <math.h>
#include <string.h>

#include "inverse_blocks.h"
#include "maps.h"
#include "sparse_form.h"

enum {
    weight_block = 64 /* rows of a block of W, at most */
};
static const double least_pivot = 64 * zb_eps; /* below it a pivot is rounding */
static const double per_entry = 2e-9;          /* seconds to put a value into its place */

typedef struct k_form {
    zb_arena arena;
    const zg_numbers *x;
    int32_t n, m;
    zg_blocks *weight;    /* NULL: the identity */
    int32_t weights;      /* entries of the lower triangle of W^-1 */
    int32_t *inverse;     /* [weights] which entry of W^-1 */
    za_symmetric pattern; /* of K */
    int32_t *place;       /* [entries of M, of A, weights] in K */
    double *K;
    zg_chosen chosen;
    double *y, *work; /* [n + m] */
    bool definite;    /* M, as the last factor has shown */
} k_form;

/* --------------------------------------------------------------------------- plan */

/* Every entry of p, its rows shifted down by `below`. */
static void add_pattern_entries(const zg_pattern *p, int32_t below, zg_entries *e)
{
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            zg_entries_add(e, below + i, p->column[k]);
}

/* The lower triangle of W^-1; the diagonal alone where W is the identity. */
static void add_weights(k_form *f, zg_entries *e)
{
    if (!f->weight) {
        for (int32_t i = 0; i < f->m; i++) zg_entries_add(e, f->n + i, f->n + i);
        return;
    }
    const zg_pattern *p = zg_blocks_pattern(f->weight);
    int32_t count = 0;
    for (int32_t i = 0; i < f->m; i++) {
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            if (p->column[k] > i) continue;
            f->inverse[count++] = k;
            zg_entries_add(e, f->n + i, f->n + p->column[k]);
        }
    }
}

/* Entries of the lower triangle of W^-1. */
static int32_t count_weights(const k_form *f)
{
    return f->weight ? (zg_entry_count(zg_blocks_pattern(f->weight)) + f->m) / 2 : f->m;
}

/* The pattern of K, and where each value of M, A and W^-1 goes in it. */
static zw_status lay_out_K(k_form *f, zb_arena *scratch)
{
    const zg_structure *is = f->x->is;
    int32_t order = f->n + f->m, mass = zg_entry_count(&is->M), rows = zg_entry_count(&is->A);
    f->weights = count_weights(f);
    if (f->weight) f->inverse = ZB_NEW_ARRAY(&f->arena, int32_t, f->weights);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    zg_entries e;
    ZB_TRY(zg_entries_begin(scratch, (int64_t)order + mass + rows + f->weights, &e));
    add_pattern_entries(&is->M, 0, &e);
    add_pattern_entries(&is->A, f->n, &e);
    add_weights(f, &e);
    return zg_merge_lower(&f->arena, scratch, &e, order, &f->pattern, &f->place);
}

static void free_form_K(void *form)
{
    k_form *f = form;
    if (!f) return;
    zb_memory *memory = f->arena.memory;
    zg_chosen_clear(&f->chosen);
    zg_blocks_free(f->weight);
    zb_arena_clear(&f->arena);
    zb_resize(memory, f, sizeof *f, 0);
}

/* M must be definite, and is not without a diagonal entry in every row. */
static bool may_form_K_serve(const zg_structure *is)
{
    return (int64_t)is->n + is->m < INT32_MAX && zg_upper_has_diagonal(&is->M);
}

/* *serves false: a block of W is too large. */
static zw_status build_form_K(k_form *f, zb_memory *memory, bool *serves)
{
    const zg_structure *is = f->x->is;
    *serves = false;
    if (is->W.rows > 0) {
        ZB_TRY(zg_blocks_plan(memory, &is->W, false, weight_block, &f->weight));
        if (!f->weight) return ZW_OK;
    }
    *serves = true;
    zb_arena scratch;
    zb_arena_init(&scratch, memory, 0);
    zw_status status = lay_out_K(f, &scratch);
    zb_arena_clear(&scratch);
    if (status != ZW_OK) return status;
    int32_t order = f->n + f->m;
    f->K = ZB_NEW_ARRAY(&f->arena, double, f->pattern.start[order]);
    f->y = ZB_NEW_ARRAY(&f->arena, double, order);
    f->work = ZB_NEW_ARRAY(&f->arena, double, order);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    return zg_choose_factor(memory, &f->pattern, NULL, &f->chosen);
}

/* The cost: that of the factor, and of putting the values into their places. */
static zw_status plan_form_K(zb_memory *memory, const zg_numbers *x, void **form, double *cost)
{
    *form = NULL;
    if (!may_form_K_serve(x->is)) return ZW_OK;
    k_form *f = zb_resize(memory, NULL, 0, sizeof *f);
    if (!f) return memory->failure;
    *f = (k_form){.x = x, .n = x->is->n, .m = x->is->m};
    zb_arena_init(&f->arena, memory, 0);
    bool serves = false;
    zw_status status = build_form_K(f, memory, &serves);
    if (status != ZW_OK || !serves) {
        free_form_K(f);
        return status;
    }
    *cost = f->chosen.cost + per_entry * (double)f->pattern.start[f->n + f->m];
    *form = f;
    return ZW_OK;
}

/* ------------------------------------------------------------------------ numbers */

static const int32_t *get_weight_places(const k_form *f)
{
    return f->place + zg_entry_count(&f->x->is->M) + zg_entry_count(&f->x->is->A);
}

/* M and A; the other entries of K are 0 then. */
static void put_mass_and_rows(k_form *f)
{
    int32_t mass = zg_entry_count(&f->x->is->M), rows = zg_entry_count(&f->x->is->A);
    const int32_t *place = f->place;
    memset(f->K, 0, sizeof *f->K * (size_t)f->pattern.start[f->n + f->m]);
    for (int32_t p = 0; p < mass; p++) f->K[place[p]] = f->x->M[p];
    for (int32_t p = 0; p < rows; p++) f->K[place[mass + p]] = f->x->A[p];
}

/* A diagonal entry of M that is not positive; -1: none. */
static int32_t find_coordinate_without_mass(const k_form *f)
{
    const zg_pattern *M = &f->x->is->M;
    for (int32_t j = 0; j < f->n; j++)
        if (!(f->x->M[M->start[j]] > 0.0)) return j;
    return -1;
}

/* -mu W^-1; false: W is not definite. */
static bool put_weights(k_form *f, double mu, int32_t *row)
{
    const int32_t *place = get_weight_places(f);
    if (!f->weight || !f->x->W) { /* the diagonal is the last entry of its row */
        for (int32_t i = 0; i < f->m; i++) f->K[f->pattern.start[f->n + i + 1] - 1] = -mu;
        return true;
    }
    if (!zg_blocks_invert(f->weight, f->x->W, row)) return false;
    const double *inverse = zg_blocks_inverse(f->weight);
    for (int32_t p = 0; p < f->weights; p++) f->K[place[p]] = -mu * inverse[f->inverse[p]];
    return true;
}

/* False also where a pivot is rounding: M may be singular then, *mass. */
static bool factor_form_K(void *form, double mu, za_pivots *pivots, bool *mass)
{
    k_form *f = form;
    int32_t row = 0;
    f->definite = false;
    *pivots = (za_pivots){.worst = find_coordinate_without_mass(f)};
    *mass = pivots->worst >= 0;
    if (*mass) return false;
    put_mass_and_rows(f);
    if (!put_weights(f, mu, &row)) {
        pivots->worst = f->n + row;
        return false;
    }
    f->chosen.method->factor(f->chosen.factor, f->K, pivots);
    f->definite = pivots->complete && pivots->negative == f->m && pivots->smallest >= least_pivot;
    *mass = !f->definite;
    return f->definite;
}

/* K (dz, -dl) = (r1, r2). */
static void solve_form_K(void *form, const double *r1, const double *r2, double *dz, double *dl)
{
    k_form *f = form;
    double *y = f->y;
    for (int32_t j = 0; j < f->n; j++) y[j] = r1[j];
    for (int32_t i = 0; i < f->m; i++) y[f->n + i] = r2 ? r2[i] : 0.0;
    f->chosen.method->solve(f->chosen.factor, y, f->work);
    for (int32_t j = 0; j < f->n; j++) dz[j] = y[j];
    for (int32_t i = 0; i < f->m; i++) dl[i] = -y[f->n + i];
}

/* M positive: [M A^T; A tau scale] has the signs of M and of tau scale - A M^-1 A^T. */
static int64_t count_above_K(void *form, double tau, const double *scale)
{
    k_form *f = form;
    za_pivots pivots;
    if (!f->definite) return -1;
    put_mass_and_rows(f);
    for (int32_t i = 0; i < f->m; i++) f->K[f->pattern.start[f->n + i + 1] - 1] = tau * scale[i];
    return zg_chosen_negative(&f->chosen, f->K, &pivots);
}

const zg_sparse_form zg_sparse_K = {.name = "K",
                                    .plan = plan_form_K,
                                    .free = free_form_K,
                                    .factor = factor_form_K,
                                    .solve = solve_form_K,
                                    .above = count_above_K};
