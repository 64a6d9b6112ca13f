/*
 * Nested dissection: the parts it is made of; private to the files order_dissect.c,
 * dissect_separate.c, dissect_coarsen.c and dissect_refine.c.
 *
 * A *separator* is a set of nodes without which a net falls into two sides that no edge joins.
 * Everything is counted in whole numbers, in an order that the net alone decides: the same net
 * gives the same separator on every machine.
 */
#ifndef ZA_DISSECT_H
#define ZA_DISSECT_H

#include "factoring.h"

/* A net with weights, its arrays an arena's; every edge stands in the lists of both its nodes. */
typedef struct za_net {
    int32_t n;
    int32_t rows;    /* the weights of all nodes together */
    int32_t *start;  /* [n + 1] */
    int32_t *index;  /* [start[n]] neighbours */
    int32_t *edge;   /* [start[n]] edges of the given net that this one stands for */
    int32_t *weight; /* [n] rows that a node stands for */
} za_net;

enum { ZA_SEPARATOR = 2 };

/* Which side a node is on, and how many rows are on each. */
typedef struct za_cut {
    int8_t *side;    /* [n] 0, 1 or ZA_SEPARATOR */
    int32_t rows[3]; /* by side */
} za_cut;

/* What coarsening needs, for nets of up to n nodes with up to `entries` in their lists. */
typedef struct za_coarsening {
    int32_t *mate, *waiting, *at; /* [n] */
    int32_t *start, *weight;      /* [n + 1], [n] of the net being made */
    int32_t *index, *edge;        /* [entries] */
} za_coarsening;
zw_status za_coarsening_init(zb_arena *arena, int32_t n, int32_t entries, za_coarsening *work);

/* How nodes are joined: to no more than `most` rows; of equal partners to the first or the last. */
typedef struct za_pairs {
    int32_t most;
    bool last;
} za_pairs;

/* A coarser net; to [n of fine]: the coarse node that each has become, never a larger number. */
zw_status za_net_coarsen(zb_arena *arena, const za_coarsening *work, const za_net *fine,
                         za_pairs pairs, za_net *coarse, int32_t *to);

/* What refining needs, for nets of up to n nodes. */
typedef struct za_refining za_refining;
za_refining *za_refining_create(zb_arena *arena, int32_t n); /* NULL: no memory */

/* Makes the separator lighter, as far as moving single nodes finds how, neither side to have more
 * than `most` rows. */
void za_cut_refine(za_refining *r, const za_net *net, int32_t most, za_cut *cut);

/* Whether a is the better cut: no side too heavy, a lighter separator, sides alike. */
bool za_cut_better(const int32_t a[3], const int32_t b[3], int32_t most);

/* A light separator; with `again` the better of two. cut->side is the caller's, [n]. */
zw_status za_separate(zb_arena *arena, const za_net *net, bool again, za_cut *cut);

#endif
