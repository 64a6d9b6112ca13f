/*
 * The S-form: S = A M^-1 A^T + mu W^-1, of order m, for M of small diagonal blocks. The smallest
 * factor for chains and mechanisms, and the only form that may do without mu:
 *
 *     t = M^-1 r1,  S dl = r2 - A t,  dz = t + B^T dl,     B = A M^-1
 *
 * B has a pattern of its own: row i has the columns of all blocks of M that row i of A touches. An
 * entry of S is a sum of products of an entry of B and one of A, listed once, entry after entry;
 * computing S goes through the lists. A row that is off has a 1 on the diagonal, and zeros else.
 */
#include <math.h>
#include <string.h>

#include "inverse_blocks.h"
#include "maps.h"
#include "sparse_form.h"

enum {
    mass_block = 16,  /* rows of a block of M, at most */
    weight_block = 64 /* likewise of W */
};
static const double parts_pivot = 1e-9;   /* below it an ordinary factor is made */
static const double most_products = 40.0; /* per entry of A and row: beyond it another form is
                                             better, as where one body carries all rows */

typedef struct s_form {
    zb_arena arena;
    const zg_numbers *x;
    int32_t n, m;
    zg_blocks *mass, *weight; /* weight NULL: the identity */
    bool inverted;            /* mass holds M^-1 of these values */
    /* B by rows; of a diagonal M its pattern is that of A */
    const int32_t *B_start, *B_column;
    double *B;
    /* S: its pattern; products [first[e], first[e + 1]) of entry e */
    za_symmetric pattern;
    int32_t *first;
    int32_t *left, *right; /* into B, into A */
    int32_t *damped;       /* [entries of W^-1] the entry of S that each belongs to, -1: upper */
    double *S;
    double largest; /* entry of the diagonal of A M^-1 A^T; 0: M is not diagonal */
    zg_chosen chosen;
    double *t, *work, *u; /* [n], [m], [m] */
} s_form;

/* ---------------------------------------------------------------- the pattern of B */

/* The pattern of B: for each entry of A the whole block of M that its coordinate belongs to. */
static zw_status lay_out_B(s_form *f)
{
    const zg_pattern *A = &f->x->is->A, *blocks = zg_blocks_pattern(f->mass);
    if (zg_blocks_diagonal(f->mass)) {
        f->B_start = A->start;
        f->B_column = A->column;
        f->B = ZB_NEW_ARRAY(&f->arena, double, A->start[f->m]);
        return f->arena.failure;
    }
    int32_t *start = ZB_NEW_ARRAY(&f->arena, int32_t, (size_t)f->m + 1);
    int32_t *seen = ZB_NEW_ARRAY(&f->arena, int32_t, f->n), *column = NULL;
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    for (int pass = 0; pass < 2; pass++) { /* counting, then writing */
        int64_t at = 0;
        memset(seen, 0xff, sizeof *seen * (size_t)f->n);
        for (int32_t i = 0; i < f->m; i++) {
            for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
                int32_t j = A->column[p];
                if (seen[j] == i) continue;
                for (int32_t k = blocks->start[j]; k < blocks->start[j + 1]; k++, at++) {
                    if (column) column[at] = blocks->column[k];
                    seen[blocks->column[k]] = i;
                }
            }
            if (at > INT32_MAX) return ZW_ERR_BUDGET;
            start[i + 1] = (int32_t)at;
        }
        if (pass == 1) break;
        column = ZB_NEW_ARRAY(&f->arena, int32_t, at);
        f->B = ZB_NEW_ARRAY(&f->arena, double, at);
        if (f->arena.failure != ZW_OK) return f->arena.failure;
    }
    f->B_start = start;
    f->B_column = column;
    return ZW_OK;
}

/* ------------------------------------------------------------------- products of S */

/* Building S: what is found row by row. */
typedef struct S_builder {
    s_form *f;
    zg_transposed T;
    int32_t *slot;  /* [m] where row k stands among those that row i meets; of seen ones */
    int32_t *seen;  /* [m] */
    int32_t *met;   /* [m] the rows that row i meets */
    int32_t *count; /* [m] products with each */
} S_builder;

/* Ascending; few numbers as a rule. */
static void sort_met_rows(int32_t *x, int32_t count)
{
    int32_t gap = 1;
    while (gap < count / 3) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int32_t i = gap; i < count; i++) {
            int32_t value = x[i], j = i;
            for (; j >= gap && x[j - gap] > value; j -= gap) x[j] = x[j - gap];
            x[j] = value;
        }
    }
}

/* Row k joins the rows that row i meets, unless it is there. */
static void meet_row(S_builder *b, int32_t i, int32_t k, int32_t *count)
{
    if (b->seen[k] == i) return;
    b->seen[k] = i;
    b->met[(*count)++] = k;
}

/* The rows k <= i with which row i has an entry, ascending; returns how many. */
static int32_t meet_rows(S_builder *b, int32_t i)
{
    const s_form *f = b->f;
    int32_t count = 0;
    for (int32_t p = f->B_start[i]; p < f->B_start[i + 1]; p++) {
        int32_t j = f->B_column[p];
        for (int32_t e = b->T.start[j]; e < b->T.start[j + 1] && b->T.row[e] <= i; e++)
            meet_row(b, i, b->T.row[e], &count);
    }
    meet_row(b, i, i, &count);
    if (f->weight) {
        const zg_pattern *w = zg_blocks_pattern(f->weight);
        for (int32_t p = w->start[i]; p < w->start[i + 1] && w->column[p] < i; p++)
            meet_row(b, i, w->column[p], &count);
    }
    sort_met_rows(b->met, count);
    for (int32_t c = 0; c < count; c++) b->slot[b->met[c]] = c;
    return count;
}

/* Products that make up the entries of row i of S. */
static int64_t count_products(const S_builder *b, int32_t i)
{
    const s_form *f = b->f;
    int64_t all = 0;
    for (int32_t p = f->B_start[i]; p < f->B_start[i + 1]; p++) {
        int32_t j = f->B_column[p];
        for (int32_t e = b->T.start[j]; e < b->T.start[j + 1] && b->T.row[e] <= i; e++) all++;
    }
    return all;
}

/* Products of row i, sorted by entry: counted, then put. */
static void list_products(S_builder *b, int32_t i, int32_t entry, int32_t count)
{
    s_form *f = b->f;
    for (int32_t c = 0; c < count; c++) b->count[c] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t p = f->B_start[i]; p < f->B_start[i + 1]; p++) {
            int32_t j = f->B_column[p];
            for (int32_t e = b->T.start[j]; e < b->T.start[j + 1] && b->T.row[e] <= i; e++) {
                int32_t *at = &b->count[b->slot[b->T.row[e]]];
                if (pass == 1) {
                    f->left[*at] = p;
                    f->right[*at] = b->T.place[e];
                }
                (*at)++;
            }
        }
        int32_t from = f->first[entry];
        for (int32_t c = 0; c < count && pass == 0; c++) {
            int32_t products = b->count[c];
            b->count[c] = from;
            from += products;
            f->first[entry + c + 1] = from;
        }
    }
}

/* The entry of S under every entry of W^-1 of row i. */
static void place_weights(S_builder *b, int32_t i, int32_t entry)
{
    const zg_pattern *w = zg_blocks_pattern(b->f->weight);
    for (int32_t p = w->start[i]; p < w->start[i + 1]; p++)
        b->f->damped[p] = w->column[p] > i ? -1 : entry + b->slot[w->column[p]];
}

/* The second walk over the rows: indices, products, places of W^-1. */
static zw_status fill_S(S_builder *b, int32_t *start, int32_t *index)
{
    s_form *f = b->f;
    memset(b->seen, 0xff, sizeof *b->seen * (size_t)f->m);
    for (int32_t i = 0; i < f->m; i++) {
        int32_t count = meet_rows(b, i), entry = start[i];
        memcpy(index + entry, b->met, sizeof *index * (size_t)count);
        list_products(b, i, entry, count);
        if (f->weight) place_weights(b, i, entry);
    }
    return ZW_OK;
}

/* *fits false: too many products. */
static zw_status build_S(s_form *f, S_builder *b, bool *fits)
{
    int64_t entries = 0, products = 0;
    double most = most_products * ((double)f->x->is->A.start[f->m] + (double)f->m) + 1e5;
    int32_t *start = ZB_NEW_ARRAY(&f->arena, int32_t, (size_t)f->m + 1);
    if (!start) return f->arena.failure;
    memset(b->seen, 0xff, sizeof *b->seen * (size_t)f->m);
    for (int32_t i = 0; i < f->m; i++) {
        products += count_products(b, i);
        if ((double)products > most || products > INT32_MAX) return ZW_OK;
        entries += meet_rows(b, i);
        if (entries > INT32_MAX) return ZW_OK;
        start[i + 1] = (int32_t)entries;
    }
    int32_t *index = ZB_NEW_ARRAY(&f->arena, int32_t, entries);
    f->first = ZB_NEW_ARRAY(&f->arena, int32_t, entries + 1);
    f->left = ZB_NEW_ARRAY(&f->arena, int32_t, products);
    f->right = ZB_NEW_ARRAY(&f->arena, int32_t, products);
    f->S = ZB_NEW_ARRAY(&f->arena, double, entries);
    if (f->weight)
        f->damped = ZB_NEW_ARRAY(&f->arena, int32_t, zg_blocks_pattern(f->weight)->start[f->m]);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    f->pattern = (za_symmetric){f->m, start, index};
    *fits = true;
    return fill_S(b, start, index);
}

/* Scratch of the construction, and A by columns. */
static zw_status open_S_builder(s_form *f, zb_arena *scratch, S_builder *b)
{
    size_t m = (size_t)f->m;
    b->f = f;
    b->slot = ZB_NEW_ARRAY(scratch, int32_t, m);
    b->seen = ZB_NEW_ARRAY(scratch, int32_t, m);
    b->met = ZB_NEW_ARRAY(scratch, int32_t, m);
    b->count = ZB_NEW_ARRAY(scratch, int32_t, m);
    if (scratch->failure != ZW_OK) return scratch->failure;
    return zg_transpose(scratch, &f->x->is->A, &b->T);
}

/* --------------------------------------------------------------------------- plan */

static void free_form_S(void *form)
{
    s_form *f = form;
    if (!f) return;
    zb_memory *memory = f->arena.memory;
    zg_chosen_clear(&f->chosen);
    zg_blocks_free(f->mass);
    zg_blocks_free(f->weight);
    zb_arena_clear(&f->arena);
    zb_resize(memory, f, sizeof *f, 0);
}

/* *fits false: blocks of M or W are too large, or there are too many products. */
static zw_status build_form_S(s_form *f, zb_memory *memory, bool *fits)
{
    const zg_structure *is = f->x->is;
    *fits = false;
    ZB_TRY(zg_blocks_plan(memory, &is->M, true, mass_block, &f->mass));
    if (!f->mass) return ZW_OK;
    if (is->W.rows > 0) {
        ZB_TRY(zg_blocks_plan(memory, &is->W, false, weight_block, &f->weight));
        if (!f->weight) return ZW_OK;
    }
    ZB_TRY(lay_out_B(f));
    zb_arena scratch;
    zb_arena_init(&scratch, memory, 0);
    S_builder b = {0};
    zw_status status = open_S_builder(f, &scratch, &b);
    if (status == ZW_OK) status = build_S(f, &b, fits);
    zb_arena_clear(&scratch);
    if (status != ZW_OK || !*fits) return status;
    f->t = ZB_NEW_ARRAY(&f->arena, double, f->n);
    f->u = ZB_NEW_ARRAY(&f->arena, double, f->m);
    f->work = ZB_NEW_ARRAY(&f->arena, double, f->m);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    return zg_choose_factor(memory, &f->pattern, is, &f->chosen);
}

/* The cost: that of the factor, of the products of S and of B. */
static zw_status plan_form_S(zb_memory *memory, const zg_numbers *x, void **form, double *cost)
{
    s_form *f = zb_resize(memory, NULL, 0, sizeof *f);
    bool fits = false;
    *form = NULL;
    if (!f) return memory->failure;
    *f = (s_form){.x = x, .n = x->is->n, .m = x->is->m};
    zb_arena_init(&f->arena, memory, 0);
    zw_status status = build_form_S(f, memory, &fits);
    if (status != ZW_OK || !fits) {
        free_form_S(f);
        return status;
    }
    double products = (double)f->first[f->pattern.start[f->m]];
    *cost = f->chosen.cost + 1.2e-9 * products + 3e-9 * (double)f->B_start[f->m];
    *form = f;
    return ZW_OK;
}

/* ------------------------------------------------------------------------ numbers */

/* B = A M^-1 */
static void compute_B(s_form *f)
{
    const zg_pattern *A = &f->x->is->A, *blocks = zg_blocks_pattern(f->mass);
    const double *inverse = zg_blocks_inverse(f->mass), *a = f->x->A;
    if (zg_blocks_diagonal(f->mass)) {
        int32_t all = A->start[f->m];
        for (int32_t p = 0; p < all; p++) f->B[p] = a[p] * inverse[A->column[p]];
        return;
    }
    double *row = f->t; /* spread over the coordinates: 0 between rows */
    memset(row, 0, sizeof *row * (size_t)f->n);
    for (int32_t i = 0; i < f->m; i++) {
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            int32_t j = A->column[p];
            for (int32_t k = blocks->start[j]; k < blocks->start[j + 1]; k++)
                row[blocks->column[k]] += a[p] * inverse[k];
        }
        for (int32_t p = f->B_start[i]; p < f->B_start[i + 1]; p++) {
            f->B[p] = row[f->B_column[p]];
            row[f->B_column[p]] = 0.0;
        }
    }
}

/* Most entries are sums of a few products: those are written out. */
static void compute_S(s_form *f)
{
    const double *restrict a = f->x->A, *restrict B = f->B;
    const int32_t *l = f->left, *r = f->right;
    int32_t entries = f->pattern.start[f->m];
    for (int32_t e = 0; e < entries; e++) {
        int32_t count = f->first[e + 1] - f->first[e];
        double sum = 0.0;
        if (count == 2) {
            sum = B[l[0]] * a[r[0]] + B[l[1]] * a[r[1]];
        } else if (count == 4) {
            sum = (B[l[0]] * a[r[0]] + B[l[1]] * a[r[1]]) + (B[l[2]] * a[r[2]] + B[l[3]] * a[r[3]]);
        } else {
            for (int32_t k = 0; k < count; k++) sum += B[l[k]] * a[r[k]];
        }
        f->S[e] = sum;
        l += count;
        r += count;
    }
}

/* S = A M^-1 A^T; M is inverted only where it is new. False: M is not definite. */
static bool take_S_values(s_form *f)
{
    int32_t row = 0;
    if (!(f->inverted && f->x->same_mass)) f->inverted = zg_blocks_invert(f->mass, f->x->M, &row);
    if (!f->inverted) return false;
    compute_B(f);
    compute_S(f);
    return true;
}

/* Of S without mu; 0 where M is not diagonal. */
static void find_largest_diagonal(s_form *f)
{
    f->largest = 0.0;
    if (!zg_blocks_diagonal(f->mass)) return;
    for (int32_t i = 0; i < f->m; i++) {
        double x = f->S[f->pattern.start[i + 1] - 1];
        f->largest = x > f->largest ? x : f->largest;
    }
}

/* S += mu W^-1. */
static void add_damping(s_form *f, double mu)
{
    if (mu == 0.0) return;
    if (!f->weight) {
        for (int32_t i = 0; i < f->m; i++) f->S[f->pattern.start[i + 1] - 1] += mu;
        return;
    }
    const double *inverse = zg_blocks_inverse(f->weight);
    int32_t all = zg_blocks_pattern(f->weight)->start[f->m];
    for (int32_t p = 0; p < all; p++)
        if (f->damped[p] >= 0) f->S[f->damped[p]] += mu * inverse[p];
}

/* The diagonal of S where rows are off. */
static void set_off_rows(s_form *f, double value)
{
    for (int32_t i = 0; i < f->m && f->x->off; i++)
        if (f->x->off[i]) f->S[f->pattern.start[i + 1] - 1] = value;
}

/* *mass: M is not definite. */
static bool factor_form_S(void *form, double mu, za_pivots *pivots, bool *mass)
{
    s_form *f = form;
    int32_t row = 0;
    *mass = !take_S_values(f);
    if (*mass) return false;
    if (f->weight && !zg_blocks_invert(f->weight, f->x->W, &row)) return false;
    find_largest_diagonal(f);
    add_damping(f, mu);
    set_off_rows(f, 1.0);
    /* with mu some pivots are small, and the factor by equal parts is not tried */
    zg_chosen_factor(&f->chosen, f->S, mu == 0.0 ? parts_pivot : HUGE_VAL, pivots);
    return pivots->complete && pivots->negative == 0;
}

/* The right side r2 - A t of the multipliers, and these. */
static void solve_multipliers(s_form *f, const double *t, const double *r2, double *dl)
{
    const zg_pattern *A = &f->x->is->A;
    const double *a = f->x->A;
    for (int32_t i = 0; i < f->m; i++) {
        double sum = r2 ? r2[i] : 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) sum -= a[p] * t[A->column[p]];
        dl[i] = sum;
    }
    zg_chosen_solve(&f->chosen, dl, f->work);
}

/* y += X^T dl, X with the rows of A or B. */
static void add_transposed_product(const s_form *f, const int32_t *start, const int32_t *column,
                                   const double *X, const double *dl, double *y)
{
    for (int32_t i = 0; i < f->m; i++)
        for (int32_t p = start[i]; p < start[i + 1]; p++) y[column[p]] += X[p] * dl[i];
}

/* A diagonal M: dz = M^-1 (r1 + A^T dl), which spares B its way through memory. */
static void solve_with_diagonal_mass(s_form *f, const double *r1, const double *r2, double *dz,
                                     double *dl)
{
    const double *inverse = zg_blocks_inverse(f->mass);
    for (int32_t j = 0; j < f->n; j++) {
        dz[j] = r1[j];
        f->t[j] = inverse[j] * r1[j];
    }
    solve_multipliers(f, f->t, r2, dl);
    add_transposed_product(f, f->x->is->A.start, f->x->is->A.column, f->x->A, dl, dz);
    for (int32_t j = 0; j < f->n; j++) dz[j] *= inverse[j];
}

/* dz = M^-1 r1 + B^T dl. */
static void solve_form_S(void *form, const double *r1, const double *r2, double *dz, double *dl)
{
    s_form *f = form;
    if (zg_blocks_diagonal(f->mass)) {
        solve_with_diagonal_mass(f, r1, r2, dz, dl);
        return;
    }
    zg_blocks_times(f->mass, r1, dz);
    solve_multipliers(f, dz, r2, dl);
    add_transposed_product(f, f->B_start, f->B_column, f->B, dl, dz);
}

/* Of S - tau scale the eigenvalues above 0 are counted: those that are not below. */
static int64_t count_above_S(void *form, double tau, const double *scale)
{
    s_form *f = form;
    za_pivots pivots;
    if (!take_S_values(f)) return -1;
    for (int32_t i = 0; i < f->m; i++) f->S[f->pattern.start[i + 1] - 1] -= tau * scale[i];
    set_off_rows(f, -1.0);
    int64_t negative = zg_chosen_negative(&f->chosen, f->S, &pivots);
    return negative < 0 ? -1 : f->m - negative;
}

static double get_largest_diagonal(const void *form)
{
    return ((const s_form *)form)->largest;
}

const zg_sparse_form zg_sparse_S = {.name = "S",
                                    .plan = plan_form_S,
                                    .free = free_form_S,
                                    .factor = factor_form_S,
                                    .solve = solve_form_S,
                                    .above = count_above_S,
                                    .undamped = true,
                                    .scale = get_largest_diagonal};
