/*
 * Symbolic analysis of a sparse symmetric matrix; private to this folder: the matrix in another
 * order, its elimination tree, the tree's postorder, the sizes of the columns of L. No
 * function here takes time in proportion to the nonzeros of L.
 */
#ifndef ZA_ANALYSE_H
#define ZA_ANALYSE_H

#include "factoring.h"

/* A matrix in another order: row k of it is row order[k] of the original. */
typedef struct za_permuted {
    za_symmetric rows;    /* as every za_symmetric */
    const int32_t *from;  /* [rows.start[n]] where each entry stands in the original, or NULL */
    const int32_t *below; /* [n + 1] column j below its diagonal is row[below[j] .. below[j + 1]) */
    const int32_t *row;   /* in no particular order */
} za_permuted;

/* All of it in the arena. order NULL: as it is; from: whether to say where entries come from. */
zw_status za_permute(zb_arena *arena, const za_symmetric *x, const int32_t *order, bool from,
                     za_permuted *y);

/* parent [n]: the first row below the diagonal of each column of L, -1: there is none. work [n]. */
void za_elimination_tree(const za_symmetric *x, int32_t *parent, int32_t *work);

/* post [n]: the nodes, children before parents and every subtree in one piece; children, and trees,
 * in ascending order. An order that is one already is left as it is. work [2 n]. */
void za_postorder(int32_t n, const int32_t *parent, int32_t *post, int32_t *work);

/* count [n]: the nonzeros of each column of L with the diagonal. work [4 n]. */
void za_column_counts(const za_permuted *x, const int32_t *parent, const int32_t *post,
                      int32_t *count, int32_t *work);

/* Makes an order one in which the elimination tree is a postorder: the same L, its rows moved. */
zw_status za_make_postorder(zb_arena *arena, const za_symmetric *x, int32_t *order);

#endif
