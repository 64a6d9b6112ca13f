/*
 * X = L D L^T by dense panels, for matrices whose factor fills: lattices, nets. The multifrontal
 * method: supernode by supernode (supernodal.h), children first,
 *
 *     panel  = entries of X + what the children's updates hold for its columns
 *     panel -> L, D                                  (kernels)
 *     U      = -L D L^T of its rows below            (kernels)
 *     U     += the rest of the children's updates
 *
 * U is then what the parent finds. Pivots are taken as they come, of either sign; the kernels go on
 * with whatever a pivot of 0 leaves, and the loop here ends at the first panel that has one.
 *
 * Memory: supernodal_plan.c; factor and solve take none.
 */
#include <math.h>
#include <string.h>

#include "supernodal.h"

/* The panel of a supernode: where its parts of L and D lie, and its sizes in strips. */
static za_panel panel_of(const za_supernodes *f, const za_supernode *node)
{
    int32_t top = (node->columns + 3) / 4;
    return (za_panel){.columns = node->columns,
                      .below = node->below,
                      .top = top,
                      .strips = top + (node->below + 3) / 4,
                      .L = f->L + node->panel,
                      .D = f->D + node->first,
                      .inverse = f->inverse + node->first};
}

/* ------------------------------------------------------------------- assembly */

/* Up to four rows, a strip, of a child's update on their way into the parent's *front*, its panel
 * and its update together: each is added to its own row there. */
typedef struct rows4 {
    const double *from; /* a strip: column, lane */
    const int32_t *column;
    double *to[4]; /* the same there */
    int32_t rows;  /* 1 to 4 */
    int32_t shift; /* column[j] - shift is where column j goes */
} rows4;

/* Adds the columns from `begin` to `end` of all its rows. */
static void add_columns(const rows4 *r, int32_t begin, int32_t end)
{
    if (r->rows < 4) {
        for (int32_t l = 0; l < r->rows; l++)
            for (int32_t j = begin; j < end; j++)
                r->to[l][4 * (int64_t)(r->column[j] - r->shift)] += r->from[4 * (int64_t)j + l];
        return;
    }
    double *a = r->to[0], *b = r->to[1], *c = r->to[2], *d = r->to[3];
    for (int32_t j = begin; j < end; j++) {
        const double *from = r->from + 4 * (int64_t)j;
        int64_t at = 4 * (int64_t)(r->column[j] - r->shift);
        a[at] += from[0];
        b[at] += from[1];
        c[at] += from[2];
        d[at] += from[3];
    }
}

/* The columns of a strip between `begin` and `end` as far as they are left of its diagonal or on
 * it; `row` is the strip's first. */
static void add_strip(rows4 *r, int32_t row, int32_t begin, int32_t end)
{
    int32_t full = row < end ? row : end;
    if (begin < full) add_columns(r, begin, full);
    for (int32_t l = 0; l < r->rows; l++)
        for (int32_t j = full > begin ? full : begin; j < end && j <= row + l; j++)
            r->to[l][4 * (int64_t)(r->column[j] - r->shift)] += r->from[4 * (int64_t)j + l];
}

/* A child's update into the columns of the panel. */
static void add_to_panel(const za_supernodes *f, const za_panel *p, const za_supernode *child)
{
    const int32_t *place = f->place + child->rows;
    const double *U = f->stack[child->side] + child->update;
    int32_t shift = 4 * p->top - p->columns; /* rows below begin a strip of their own */
    for (int32_t i = 0; i < child->below; i += 4) {
        rows4 r = {.from = U + za_update_strip(i / 4), .column = place};
        for (; r.rows < 4 && i + r.rows < child->below; r.rows++) {
            int32_t q = place[i + r.rows];
            if (q >= p->columns) q += shift;
            r.to[r.rows] = p->L + (int64_t)(q / 4) * p->columns * 4 + q % 4;
        }
        add_strip(&r, i, 0, child->inside);
    }
}

/* The rest of it into the parent's update. */
static void add_to_update(const za_supernodes *f, const za_panel *p, const za_supernode *child,
                          double *update)
{
    const int32_t *place = f->place + child->rows;
    const double *U = f->stack[child->side] + child->update;
    for (int32_t i = child->inside & ~3; i < child->below; i += 4) {
        rows4 r = {.from = U + za_update_strip(i / 4), .column = place, .shift = p->columns};
        for (; r.rows < 4 && i + r.rows < child->below; r.rows++) {
            int32_t q = place[i + r.rows] - p->columns;
            if (q < 0) q = 0; /* a row of the panel: nothing of it is left of `inside` */
            r.to[r.rows] = update + za_update_strip(q / 4) + q % 4;
        }
        add_strip(&r, i, child->inside, child->below);
    }
}

/* The panel before its factorisation: entries of X and what the children hold for it. */
static void assemble_panel(za_supernodes *f, int32_t s, const za_panel *p, const double *values)
{
    const za_supernode *node = &f->node[s];
    memset(p->L, 0, sizeof(double) * (size_t)(node[1].panel - node->panel));
    for (int64_t q = node->values; q < node[1].values; q++) f->L[f->to[q]] = values[f->from[q]];
    for (int32_t c = node->child; c >= 0; c = f->node[c].sibling) add_to_panel(f, p, &f->node[c]);
}

/* --------------------------------------------------------------------- factor */

/* What the pivots of a panel are; false: there is no factor. A diagonal of 0 is no measure. */
static bool judge_pivots(const za_supernodes *f, const za_supernode *node, const double *values,
                         za_pivots *pivots)
{
    for (int32_t k = node->first; k < node->first + node->columns; k++) {
        double d = fabs(f->D[k]), first = fabs(values[f->diagonal[k]]);
        bool good = d > 0.0 && isfinite(d) && isfinite(f->inverse[k]);
        if (!good || d < pivots->smallest * first) {
            pivots->smallest = first > 0.0 ? d / first : d;
            if (!isfinite(d)) pivots->smallest = (double)NAN;
            pivots->worst = f->order[k];
        }
        if (f->D[k] < 0.0) {
            pivots->negative++;
            pivots->below = f->order[k];
        }
        if (!good) return false;
    }
    return true;
}

/* Supernode by supernode; ends at the first pivot that leaves no factor, with complete = false. */
static void factor_supernodes(void *factor_, const double *values, za_pivots *pivots)
{
    za_supernodes *f = factor_;
    *pivots = (za_pivots){.smallest = f->n > 0 ? HUGE_VAL : 1.0, .worst = -1};
    for (int32_t s = 0; s < f->count; s++) {
        const za_supernode *node = &f->node[s];
        za_panel p = panel_of(f, node);
        double *U = f->stack[node->side] + node->update;
        assemble_panel(f, s, &p, values);
        f->kernels->factor(&p, f->work);
        if (!judge_pivots(f, node, values, pivots)) return;
        f->kernels->update(&p, U, f->work);
        for (int32_t c = node->child; c >= 0; c = f->node[c].sibling)
            add_to_update(f, &p, &f->node[c], U);
    }
    pivots->complete = true;
}

/* ---------------------------------------------------------------------- solve */

/* L, then D and L^T, in the numbers of the order. */
static void solve_supernodes(const void *factor_, double *x, double *work)
{
    const za_supernodes *f = factor_;
    for (int32_t k = 0; k < f->n; k++) work[k] = x[f->order[k]];
    for (int32_t s = 0; s < f->count; s++) {
        za_panel p = panel_of(f, &f->node[s]);
        f->kernels->forward(&p, f->node[s].first, f->row + f->node[s].rows, work);
    }
    for (int32_t s = f->count - 1; s >= 0; s--) { /* x is free until the end */
        za_panel p = panel_of(f, &f->node[s]);
        f->kernels->backward(&p, f->node[s].first, f->row + f->node[s].rows, work, x);
    }
    for (int32_t k = 0; k < f->n; k++) x[f->order[k]] = work[k];
}

/* With the fastest kernels this processor has. */
static zw_status plan_supernodes(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                                 void **factor)
{
    za_supernodes *f = NULL;
    zw_status status = za_supernodal_plan(memory, x, order, za_kernels_best()->panel, &f);
    if (status == ZW_OK) *factor = f;
    return status;
}

static void free_supernodes(void *factor)
{
    za_supernodal_free(factor);
}

static void list_supernodal_pivots(const void *factor_, double *inverse)
{
    const za_supernodes *f = factor_;
    for (int32_t k = 0; k < f->n; k++) inverse[f->order[k]] = f->inverse[k];
}

const za_factoring za_supernodal = {.name = "supernodal",
                                    .plan = plan_supernodes,
                                    .free = free_supernodes,
                                    .factor = factor_supernodes,
                                    .solve = solve_supernodes,
                                    .pivots = list_supernodal_pivots};
