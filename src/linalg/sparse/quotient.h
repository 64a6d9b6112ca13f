/*
 * The quotient graph of minimum degree ordering; private to order_amd.c, which eliminates,
 * order_graph.c, which sets it up, and order_dissect.c, which says what is to be kept for later.
 *
 * A *variable* stands for one or more rows not yet eliminated that have the same neighbours. An
 * *element* stands for eliminated rows: its list holds the variables that are thereby each other's
 * neighbours. The list of a variable holds first its elements, then its remaining neighbours from
 * X. All lists lie in one pool that is never larger than at the start by more than one list.
 */
#ifndef ZA_QUOTIENT_H
#define ZA_QUOTIENT_H

#include "factoring.h"

/* A variable or an element. */
typedef struct za_node {
    int64_t start;    /* its list in the pool */
    int32_t length;   /* of the list */
    int32_t elements; /* of a variable: how many of the list are elements */
} za_node;

/* A place in a doubly linked list. */
typedef struct za_link {
    int32_t next, previous; /* -1: none */
} za_link;

typedef struct za_quotient {
    int32_t n;              /* nodes */
    int32_t rows;           /* not yet eliminated, without those set aside */
    int32_t *pool;          /* [size] */
    int64_t used, size;     /* of the pool */
    za_node *node;          /* [n] */
    int32_t *weight;        /* [n] rows of a variable; < 0: it is in the element being made;
                               0: element, merged, eliminated or set aside */
    int32_t *degree;        /* [n] of a variable: bound of its neighbours' rows; of an element: the
                               rows of its list */
    int32_t *mark;          /* [n] 0: absorbed; otherwise compared with stamp */
    int32_t stamp;          /* no mark is larger, except while elements are measured */
    int32_t largest;        /* element so far, in rows */
    za_link *link;          /* [n] variables of equal degree, or of equal hash */
    int32_t *head;          /* [rows at the start + 1] by degree: the latest comes first */
    int32_t least;          /* no variable in these lists has a smaller degree */
    int32_t listed;         /* variables in these lists */
    int32_t *stage;         /* [n] NULL or: variables of a later stage than `now` are not listed */
    int32_t now;            /* the stage that is being eliminated */
    int32_t *bucket;        /* [n] by hash; -1 but while variables are compared */
    uint32_t *hash;         /* [n] */
    int32_t *name;          /* [n] the row of X that a node began as */
    int32_t *member, *tail; /* [n] nodes merged into one: next of the chain, its end */
    int32_t *order, *aside; /* next to be filled: from the front; from the back */
} za_quotient;

/* Rows with at most one neighbour left, along the chains that they form, as long as there are any:
 * they cause no fill. Fills order and returns how many; degree [n]: the neighbours left of
 * the others, -1 of these. work [n]. */
int32_t za_order_peel(const za_symmetric *x, int32_t *order, int32_t *degree, int32_t *work);

/* The graph of the `left` rows that are not peeled, equal ones merged, those with very many
 * neighbours set aside at the end of the order; order: the left places of it. */
zw_status za_quotient_begin(zb_arena *arena, const za_symmetric *x, const int32_t *degree,
                            int32_t left, int32_t *order, za_quotient *g);

/* Minimum degree in stages: stages (NULL: one for all) fills stage [n], which is 0 everywhere; rows
 * of one go before any of a later one, but that a row which causes no fill may go at once. */
typedef zw_status (*za_stages_fn)(zb_arena *arena, const za_quotient *g, int32_t *stage);
zw_status za_order_in_stages(zb_memory *memory, const za_symmetric *x, za_stages_fn stages,
                             int32_t *order);

/* To be used by both: the lists by degree, which have no place for later stages; the chains of
 * merged nodes. */
static inline bool za_quotient_is_later(const za_quotient *g, int32_t i)
{
    return g->stage && g->stage[i] > g->now;
}
void za_quotient_insert(za_quotient *g, int32_t i);
void za_quotient_merge(za_quotient *g, int32_t into, int32_t i);

#endif
