/*
 * Sparse symmetric matrices: ordering, prediction, factors X = L D L^T without pivoting.
 *
 * A pattern never changes once a factor is planned for it; only values do. Planning (analysis)
 * takes all memory; factor and solve take none, search nothing and are as often repeated as
 * wanted. No pivoting: the matrices are definite or quasidefinite, for which every order of
 * elimination exists; where a pivot vanishes all the same, factor says so.
 */
#ifndef ZA_FACTORING_H
#define ZA_FACTORING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"

/* A pattern: the lower triangle of X by rows, without values. Row i has the columns
 * index[start[i] .. start[i + 1]), ascending, the diagonal entry last and always there. */
typedef struct za_symmetric {
    int32_t n;
    const int32_t *start; /* [n + 1] */
    const int32_t *index; /* [start[n]] */
} za_symmetric;

/* ----------------------------------------------------------------- ordering
 * order [n]: order[k] is the row that is eliminated k-th. */

/* Approximate minimum degree: for chains, trees, ladders, mechanisms. */
zw_status za_order_amd(zb_memory *memory, const za_symmetric *x, int32_t *order);

/* Nested dissection with minimum degree inside: for nets and lattices. */
zw_status za_order_dissect(zb_memory *memory, const za_symmetric *x, int32_t *order);

/* What a factor in that order (NULL: as given) would be. */
typedef struct za_prediction {
    int64_t nonzeros; /* of L, without its diagonal */
    double flops;     /* of a factorisation: c (c + 2) for a column of c nonzeros */
} za_prediction;
zw_status za_predict(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                     za_prediction *prediction);

/* ------------------------------------------------------------------ factors */

/* What a factorisation found. */
typedef struct za_pivots {
    int64_t negative; /* pivots below 0 */
    double smallest;  /* least |pivot| over the |diagonal entry| it began as; NaN falls here */
    int32_t worst;    /* the row that had it */
    bool complete;    /* all pivots are finite and none is 0; otherwise there is no factor */
    int32_t below;    /* the last row with a pivot below 0, where there is one */
} za_pivots;

/* A *factoring* is a way to factor; one file each. `values`: those of the pattern, in its order. */
typedef struct za_factoring {
    const char *name;
    zw_status (*plan)(zb_memory *memory, const za_symmetric *x, const int32_t *order,
                      void **factor);
    void (*free)(void *factor); /* NULL: nothing */
    void (*factor)(void *factor, const double *values, za_pivots *pivots);
    /* x [n] in place; work [n]. Several threads may solve with one factor at the same time. */
    void (*solve)(const void *factor, double *x, double *work);
    /* inverse [n] = 1 / D, by row; NULL: it is not to be had. */
    void (*pivots)(const void *factor, double *inverse);
} za_factoring;

extern const za_factoring za_up_looking; /* row by row: little fill */
extern const za_factoring za_supernodal; /* dense panels: much fill */

#endif
