/*
 * The supernodal factor, private to supernodal*.c.
 *
 * Columns of L with the same rows below them are one supernode: its part of L is a dense panel.
 * A panel is kept in strips of four rows, one after the other, each with all its columns:
 *
 *     strip r, column k, lane l:   panel[(r * columns + k) * 4 + l]
 *
 * The first `top` strips are the rows of the supernode's own columns (unit lower triangle; only
 * what is strictly below the diagonal counts), the others the rows below; the last strip of each
 * kind is filled up with rows of 0. What a supernode still subtracts from rows below it is its
 * update, a symmetric matrix of which strip r has the columns 0 .. 4 r + 3; it begins at
 * za_update_strip(r).
 */
#ifndef ZA_SUPERNODAL_H
#define ZA_SUPERNODAL_H

#include "linalg.h"

/* Wide panels are worked on in blocks: of so many columns, and sums of so many terms. */
enum { ZA_PANEL_COLUMNS = 64, ZA_PANEL_DEPTH = 128 };
enum { ZA_PANEL_WORK = ZA_PANEL_COLUMNS * (ZA_PANEL_COLUMNS + ZA_PANEL_DEPTH) };

typedef struct za_panel {
    int32_t columns, below; /* rows below */
    int32_t top, strips;    /* of its own columns; all */
    double *L;              /* [strips * columns * 4] */
    double *D, *inverse;    /* [columns] pivots, 1 / pivots */
} za_panel;

static inline int64_t za_update_strip(int64_t r)
{
    return 8 * r * (r + 1);
}

/* The dense part, one variant per instruction set, all of the same bits. */
typedef struct za_panel_kernels {
    /* The panel, assembled, becomes L and D; a pivot of 0 leaves numbers that are not finite.
     * work [ZA_PANEL_WORK]. */
    void (*factor)(const za_panel *p, double *work);

    /* U = -L D L^T of the rows below. work as above. */
    void (*update)(const za_panel *p, double *U, double *work);

    /* x [n] = L^-1 x as far as this panel goes: its own entries from `first` on, then those of its
     * rows below. */
    void (*forward)(const za_panel *p, int32_t first, const int32_t *rows, double *x);

    /* The same for L^-T D^-1; scratch [below]. */
    void (*backward)(const za_panel *p, int32_t first, const int32_t *rows, double *x,
                     double *scratch);
} za_panel_kernels;

typedef struct za_supernode {
    int32_t first, columns;         /* its columns of L */
    int32_t below;                  /* rows below them */
    int32_t inside;                 /* how many of these are columns of the parent */
    int32_t parent, child, sibling; /* -1: none; children ascend */
    int32_t side;                   /* which of the two stacks has its update */
    int64_t rows;                   /* begin of its rows in `row` and `place` */
    int64_t panel;                  /* begin of its panel in `L` */
    int64_t update;                 /* begin of its update on the stack */
    int64_t values;                 /* begin of its entries in `from` and `to` */
} za_supernode;

typedef struct za_supernodes {
    zb_arena arena;
    const za_panel_kernels *kernels;
    int32_t n, count;
    int32_t *order;      /* [n] */
    za_supernode *node;  /* [count + 1] children before parents; the last holds ends only */
    int32_t *row;        /* rows below, ascending, in the numbers of the order */
    int32_t *place;      /* where each stands in the parent: its columns, then its rows below */
    int32_t *from;       /* [entries] which value */
    int64_t *to;         /* [entries] where in L */
    int32_t *diagonal;   /* [n] which value */
    double *L;           /* panels */
    double *D, *inverse; /* [n] */
    double *stack[2];    /* updates of supernodes of even and of odd depth */
    double *work;        /* [ZA_PANEL_WORK] */
} za_supernodes;

/* supernodal_plan.c; a set of kernels in particular, for tests. */
zw_status za_supernodal_plan(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                             const za_panel_kernels *kernels, za_supernodes **factor);
void za_supernodal_free(za_supernodes *factor);

/* ------------------------------------------------------- analysis (supernodal_tree.c) */

/* Supernodes: children before parents, columns numbered through. */
typedef struct za_partition {
    int32_t count;
    int32_t *columns, *rows, *parent; /* [count]; rows: own columns included; -1: no parent */
} za_partition;

/* Finds supernodes, and the order `new` [n], as good as the one given (NULL: as it is), in which
 * each has consecutive columns. All memory from `arena`, which must have an escape. */
void za_supernodal_partition(zb_arena *arena, const za_symmetric *x, const int32_t *order,
                             int32_t *new, za_partition *partition);

#endif
