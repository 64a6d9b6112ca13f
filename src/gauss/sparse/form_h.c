/*
 * The H-form: H = M + A^T W A / mu of order n, positive definite wherever [M; A] has full column
 * rank, also where M is singular; for any sparse W. The smallest factor for nets and lattices.
 *
 *     H dz = r1 + A^T W r2 / mu,   dl = W (r2 - A dz) / mu
 *
 * What it costs: M is added to numbers larger by 1 / mu and loses as many digits, and r2 - A dz
 * cancels. Both errors are relative to this correction, about eps / mu in the units of the driver,
 * so its refinement contracts by that factor; a mu below 1e-12 gains nothing here.
 *
 * H is assembled as A^T U with U = W A, which has a pattern of its own (that of A for a diagonal
 * W). Entry p of row i of A meets the first upto[p] entries of row i of U, those not right of it:
 * these products make the lower triangle. Their places in H are listed in the order of assembling.
 */
#include <math.h>
#include <string.h>

#include "maps.h"
#include "sparse_form.h"

static const double least_pivot = 64 * zb_eps;            /* below it a pivot is rounding */
static const double per_product = 2e-9, per_entry = 4e-9; /* seconds */
static const int64_t most_products = (int64_t)1 << 26;    /* and this many for each entry of A: */
static const int64_t entry_products = 32;

typedef struct h_form {
    zb_arena arena;
    const zg_numbers *x;
    int32_t n, m;
    zg_pattern U_is;      /* pattern of U */
    bool whole;           /* row i of U has the columns of row i of A */
    double *U;            /* NULL: W is the identity, U = A */
    int32_t *U_place;     /* of a W that is not diagonal: for each i, entry ij of W, entry of row j
                             of A, the entry of U */
    int32_t *upto;        /* [entries of A] */
    za_symmetric pattern; /* of H */
    int32_t *mass_place;  /* [entries of M] */
    int32_t *place;       /* [products] */
    int64_t products;
    double *H;
    zg_chosen chosen;
    double *work, *u; /* [n], [m] */
    double over;      /* 1 / mu of the last factor */
    bool determined;  /* the last factor has shown that H is definite */
} h_form;

/* ---------------------------------------------------------------- the pattern of U */

/* Exactly the diagonal, nothing else. */
static bool is_weight_diagonal(const zg_pattern *W)
{
    for (int32_t i = 0; i < W->rows; i++)
        if (W->start[i + 1] != W->start[i] + 1 || W->column[W->start[i]] != i) return false;
    return true;
}

/* W with all of its diagonal, as a definite one has. */
static bool has_weight_diagonal(const zg_pattern *W)
{
    for (int32_t i = 0; i < W->rows; i++) {
        int32_t k = W->start[i];
        while (k < W->start[i + 1] && W->column[k] < i) k++;
        if (k == W->start[i + 1] || W->column[k] != i) return false;
    }
    return true;
}

/* Products of W A: for each entry ij of W the entries of row j of A. */
static int64_t count_weighted_entries(const zg_pattern *W, const zg_pattern *A)
{
    int64_t count = 0;
    for (int32_t e = 0; e < zg_entry_count(W); e++)
        count += A->start[W->column[e] + 1] - A->start[W->column[e]];
    return count;
}

/* The pattern of U = W A; that of A where W is diagonal or the identity. */
static zw_status lay_out_U(h_form *f, zb_arena *scratch)
{
    const zg_pattern *W = &f->x->is->W, *A = &f->x->is->A;
    f->U_is = *A;
    f->whole = has_weight_diagonal(W);
    if (W->rows > 0 && !is_weight_diagonal(W)) {
        zg_entries e;
        ZB_TRY(zg_entries_begin(scratch, count_weighted_entries(W, A), &e));
        for (int32_t i = 0; i < f->m; i++) {
            for (int32_t k = W->start[i]; k < W->start[i + 1]; k++) {
                int32_t j = W->column[k];
                for (int32_t p = A->start[j]; p < A->start[j + 1]; p++)
                    zg_entries_add(&e, i, A->column[p]);
            }
        }
        ZB_TRY(zg_merge(&f->arena, scratch, &e, f->m, f->n, &f->U_is, &f->U_place));
    }
    if (W->rows > 0) f->U = ZB_NEW_ARRAY(&f->arena, double, zg_entry_count(&f->U_is));
    return f->arena.failure;
}

/* Both rows ascend: one walk along each. Counts the products. */
static zw_status pair_entries(h_form *f)
{
    const zg_pattern *A = &f->x->is->A, *U = &f->U_is;
    f->upto = ZB_NEW_ARRAY(&f->arena, int32_t, zg_entry_count(A));
    if (!f->upto) return f->arena.failure;
    for (int32_t i = 0; i < f->m; i++) {
        int32_t q = U->start[i];
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            while (q < U->start[i + 1] && U->column[q] <= A->column[p]) q++;
            f->upto[p] = q - U->start[i];
            f->products += f->upto[p];
        }
    }
    return ZW_OK;
}

/* ---------------------------------------------------------------- the pattern of H */

/* What finds the rows of the lower triangle of H. */
typedef struct H_finder {
    const h_form *f;
    zg_transposed M, A; /* row j of the lower triangle of M; the rows of A that move coordinate j */
    int32_t *seen;      /* [n] */
} H_finder;

/* Adds the columns of row j, each once, to e (NULL: counts only). */
static int32_t find_row_of_H(H_finder *g, int32_t j, zg_entries *e)
{
    const zg_pattern *U = &g->f->U_is;
    int32_t count = 0;
    for (int32_t k = g->M.start[j]; k < g->M.start[j + 1]; k++) {
        int32_t column = g->M.row[k];
        if (g->seen[column] == j) continue;
        g->seen[column] = j;
        count++;
        if (e) zg_entries_add(e, j, column);
    }
    for (int32_t k = g->A.start[j]; k < g->A.start[j + 1]; k++) {
        const int32_t *columns = U->column + U->start[g->A.row[k]];
        for (int32_t q = 0; q < g->f->upto[g->A.place[k]]; q++) {
            if (g->seen[columns[q]] == j) continue;
            g->seen[columns[q]] = j;
            count++;
            if (e) zg_entries_add(e, j, columns[q]);
        }
    }
    return count;
}

static void forget_seen_columns(H_finder *g)
{
    for (int32_t j = 0; j < g->f->n; j++) g->seen[j] = -1;
}

/* Counts the entries, then merges them. */
static zw_status find_pattern_of_H(h_form *f, H_finder *g, zb_arena *scratch)
{
    int64_t count = f->n;
    forget_seen_columns(g);
    for (int32_t j = 0; j < f->n; j++) count += find_row_of_H(g, j, NULL);
    zg_entries e;
    ZB_TRY(zg_entries_begin(scratch, count, &e));
    forget_seen_columns(g);
    for (int32_t j = 0; j < f->n; j++) find_row_of_H(g, j, &e);
    return zg_merge_lower(&f->arena, scratch, &e, f->n, &f->pattern, NULL);
}

/* Row after row of H: `slot` [n] says where its columns lie; first [entries of A] where the
 * products of an entry begin. */
static void find_places_in_H(h_form *f, const H_finder *g, int32_t *slot, const int32_t *first)
{
    const zg_pattern *U = &f->U_is;
    for (int32_t j = 0; j < f->n; j++) {
        for (int32_t p = f->pattern.start[j]; p < f->pattern.start[j + 1]; p++)
            slot[f->pattern.index[p]] = p;
        for (int32_t k = g->M.start[j]; k < g->M.start[j + 1]; k++)
            f->mass_place[g->M.place[k]] = slot[g->M.row[k]];
        for (int32_t k = g->A.start[j]; k < g->A.start[j + 1]; k++) {
            const int32_t *columns = U->column + U->start[g->A.row[k]];
            int32_t p = g->A.place[k], *place = f->place + first[p];
            for (int32_t q = 0; q < f->upto[p]; q++) place[q] = slot[columns[q]];
        }
    }
}

/* The pattern of H, and where the entries of M and the products of A and U go in it. */
static zw_status lay_out_H(h_form *f, zb_arena *scratch)
{
    const zg_structure *is = f->x->is;
    H_finder g = {.f = f, .seen = ZB_NEW_ARRAY(scratch, int32_t, f->n)};
    ZB_TRY(zg_transpose(scratch, &is->M, &g.M));
    ZB_TRY(zg_transpose(scratch, &is->A, &g.A));
    zb_mark mark = zb_arena_mark(scratch);
    ZB_TRY(find_pattern_of_H(f, &g, scratch));
    zb_arena_release(scratch, mark);
    int32_t *first = ZB_NEW_ARRAY(scratch, int32_t, zg_entry_count(&is->A));
    if (!first) return scratch->failure;
    for (int32_t p = 0, from = 0; p < zg_entry_count(&is->A); p++) {
        first[p] = from;
        from += f->upto[p];
    }
    f->mass_place = ZB_NEW_ARRAY(&f->arena, int32_t, zg_entry_count(&is->M));
    f->place = ZB_NEW_ARRAY(&f->arena, int32_t, f->products);
    f->H = ZB_NEW_ARRAY(&f->arena, double, f->pattern.start[f->n]);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    find_places_in_H(f, &g, g.seen, first);
    return ZW_OK;
}

/* --------------------------------------------------------------------------- plan */

static void free_form_H(void *form)
{
    h_form *f = form;
    if (!f) return;
    zb_memory *memory = f->arena.memory;
    zg_chosen_clear(&f->chosen);
    zb_arena_clear(&f->arena);
    zb_resize(memory, f, sizeof *f, 0);
}

/* *serves stays false where there would be too many products. */
static zw_status lay_out_products(h_form *f, zb_arena *scratch, bool *serves)
{
    const zg_pattern *A = &f->x->is->A;
    int64_t most = most_products + entry_products * zg_entry_count(A);
    if (count_weighted_entries(&f->x->is->W, A) > most) return ZW_OK;
    ZB_TRY(lay_out_U(f, scratch));
    zb_arena_clear(scratch);
    ZB_TRY(pair_entries(f));
    *serves = f->products <= most && f->products <= INT32_MAX;
    return *serves ? lay_out_H(f, scratch) : ZW_OK;
}

/* *serves: H was laid out and a factor chosen. */
static zw_status build_form_H(h_form *f, zb_memory *memory, bool *serves)
{
    zb_arena scratch;
    zb_arena_init(&scratch, memory, 0);
    zw_status status = lay_out_products(f, &scratch, serves);
    zb_arena_clear(&scratch);
    if (status != ZW_OK || !*serves) return status;
    f->work = ZB_NEW_ARRAY(&f->arena, double, f->n);
    f->u = ZB_NEW_ARRAY(&f->arena, double, f->m);
    if (f->arena.failure != ZW_OK) return f->arena.failure;
    return zg_choose_factor(memory, &f->pattern, f->x->is, &f->chosen);
}

/* The cost: that of the factor, of the products and of the entries of A and M. */
static zw_status plan_form_H(zb_memory *memory, const zg_numbers *x, void **form, double *cost)
{
    *form = NULL;
    h_form *f = zb_resize(memory, NULL, 0, sizeof *f);
    if (!f) return memory->failure;
    *f = (h_form){.x = x, .n = x->is->n, .m = x->is->m};
    zb_arena_init(&f->arena, memory, 0);
    bool serves = false;
    zw_status status = build_form_H(f, memory, &serves);
    if (status != ZW_OK || !serves) {
        free_form_H(f);
        return status;
    }
    double entries = (double)zg_entry_count(&x->is->A) + (double)zg_entry_count(&x->is->M);
    *cost = f->chosen.cost + per_product * (double)f->products + per_entry * entries;
    *form = f;
    return ZW_OK;
}

/* ------------------------------------------------------------------------ numbers */

/* U = W A; own: of W only the identity. */
static const double *compute_U(h_form *f, bool own)
{
    const zg_pattern *W = &f->x->is->W, *A = &f->x->is->A;
    const double *a = f->x->A, *w = f->x->W;
    if (!f->U || (!f->U_place && (own || !w))) return a;
    if (!f->U_place) {
        for (int32_t i = 0; i < f->m; i++)
            for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) f->U[p] = w[i] * a[p];
        return f->U;
    }
    memset(f->U, 0, sizeof *f->U * (size_t)zg_entry_count(&f->U_is));
    const int32_t *place = f->U_place;
    for (int32_t i = 0; i < f->m; i++) {
        for (int32_t k = W->start[i]; k < W->start[i + 1]; k++) {
            int32_t j = W->column[k];
            double wij = !own && w ? w[k] : i == j ? 1.0 : 0.0;
            for (int32_t p = A->start[j]; p < A->start[j + 1]; p++) f->U[*place++] += wij * a[p];
        }
    }
    return f->U;
}

/* H = M + over A^T D U, D = 1 / scale (NULL: 1). */
static void assemble_H(h_form *f, const double *U, double over, const double *scale)
{
    const zg_pattern *A = &f->x->is->A;
    const double *a = f->x->A, *M = f->x->M;
    const int32_t *place = f->place;
    memset(f->H, 0, sizeof *f->H * (size_t)f->pattern.start[f->n]);
    for (int32_t p = 0; p < zg_entry_count(&f->x->is->M); p++) f->H[f->mass_place[p]] = M[p];
    for (int32_t i = 0; i < f->m; i++) {
        const double *row = U + f->U_is.start[i];
        double factor = scale ? over / scale[i] : over;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            double ap = a[p] * factor;
            for (int32_t q = 0; q < f->upto[p]; q++) f->H[place[q]] += ap * row[q];
            place += f->upto[p];
        }
    }
}

/* False: neither M nor A resists some motion, as far as rounding shows. */
static bool factor_form_H(void *form, double mu, za_pivots *pivots, bool *mass)
{
    h_form *f = form;
    *mass = false;
    f->over = 1.0 / mu;
    assemble_H(f, compute_U(f, false), f->over, NULL);
    zg_chosen_factor(&f->chosen, f->H, least_pivot, pivots);
    f->determined = pivots->complete && pivots->negative == 0 && pivots->smallest >= least_pivot;
    return f->determined;
}

/* y = W x / mu */
static void weigh_residuals(const h_form *f, const double *x, double *y)
{
    const zg_pattern *W = &f->x->is->W;
    const double *w = f->x->W;
    for (int32_t i = 0; i < f->m; i++) {
        double sum = 0.0;
        if (!f->U || !w) {
            sum = x[i];
        } else {
            for (int32_t k = W->start[i]; k < W->start[i + 1]; k++) sum += w[k] * x[W->column[k]];
        }
        y[i] = sum * f->over;
    }
}

/* H dz = r1 + A^T W r2 / mu, then dl = W (r2 - A dz) / mu. */
static void solve_form_H(void *form, const double *r1, const double *r2, double *dz, double *dl)
{
    h_form *f = form;
    const zg_pattern *A = &f->x->is->A;
    const double *a = f->x->A;
    for (int32_t j = 0; j < f->n; j++) dz[j] = r1[j];
    if (r2) weigh_residuals(f, r2, f->u);
    for (int32_t i = 0; i < f->m && r2; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) dz[A->column[p]] += a[p] * f->u[i];
    zg_chosen_solve(&f->chosen, dz, f->work);
    for (int32_t i = 0; i < f->m; i++) {
        double sum = r2 ? r2[i] : 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) sum -= a[p] * dz[A->column[p]];
        f->u[i] = sum;
    }
    weigh_residuals(f, f->u, dl);
}

/* [M A^T; A tau scale] has the signs of tau scale and of M - A^T (tau scale)^-1 A. Where M is
 * singular the eigenvalues are those with M + e, e -> 0: the directions that only A resists count
 * as infinite, which is right for a rank; M need not be definite, only H. */
static int64_t count_above_H(void *form, double tau, const double *scale)
{
    h_form *f = form;
    za_pivots pivots;
    if (!f->determined || !f->whole) return -1;
    assemble_H(f, compute_U(f, true), -1.0 / tau, scale);
    return zg_chosen_negative(&f->chosen, f->H, &pivots);
}

const zg_sparse_form zg_sparse_H = {.name = "H",
                                    .plan = plan_form_H,
                                    .free = free_form_H,
                                    .factor = factor_form_H,
                                    .solve = solve_form_H,
                                    .above = count_above_H};
