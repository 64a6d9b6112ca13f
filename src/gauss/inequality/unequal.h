/*
 * What the search for the right set of inequalities holds; private to this folder.
 *
 * A row is *held* when it is solved for as an equation: all equations, and the inequalities of the
 * set at hand. It is *closed* when it has no slack, held or not. The *size* of a row is its length
 * in the metric of the diagonal of M: sizes times motions are accelerations, sizes times
 * multipliers are motions.
 */
#ifndef ZG_UNEQUAL_H
#define ZG_UNEQUAL_H

#include "conflict_and_shares.h"
#include "inequality.h"

struct zg_inequality {
    zb_memory *memory;
    zb_arena arena;
    zg_structure is;
    zg_system *system;
    bool full;      /* small enough for full matrices: there are relations */
    double depends; /* what is left at most of a row of length 1 that depends on others */

    /* of the last factor */
    zg_values values;
    uint8_t *kind;    /* [m] */
    double *size;     /* [m] of the rows */
    double *diagonal; /* [n] of M; where it is 0 an estimate of what would be like the others */
    bool factored;
    bool prepared; /* raw, length, space.W */

    /* the set at hand */
    bool *held;         /* [m] */
    bool *off;          /* [m] not held; and scratch */
    bool *off_factored; /* [m] of the system's factor, */
    bool set_factored;  /* if it has one */
    bool *guess;        /* [m] where the next solve begins */
    bool guessed;
    bool singular; /* M was, at the last solve */
    bool
        warm; /* the system has the factor of the guess, and of values only open rows of A are there */
    int32_t warm_rows; /* rows of that factor */
    int32_t trials;

    /* its solution, of the force f = Q + C */
    const double *b;           /* of the caller */
    double *f, *z;             /* [n] */
    double *lambda;            /* [m] */
    double *ideal;             /* [m] of Q alone */
    double *rest, *rest_terms; /* [n] for conditions */
    double *r, *p;             /* [m] what of b is out of reach, and W r */
    double conflict;           /* |r| in the norm of W */
    bool *in_conflict;         /* [m] inequalities with p < 0 */
    double *slack;             /* [m] A z - b - r */
    double *terms;             /* [m] what rounding of it is measured by */
    double motion;             /* |f| + |z| in the metric of the diagonal of M */
    double force;              /* motion, and the largest |lambda| times size */
    bool *bad;                 /* [m] */
    bool *closed;              /* [m] */
    bool solved;               /* the set at hand is the right one */
    bool shared;        /* multipliers are not those of the system, but shares of the same force */
    double *x;          /* [n] for held_system.c */
    zg_holding by_rows; /* likewise, where there is no dense solver */

    /* where it is full */
    double *unit;         /* [n] of the coordinates */
    double *raw, *length; /* [m * n] rows in these units at length 1, or 0; [m] their lengths */
    double *B;            /* [m * max(m, n)] rows of a task of `least` */
    bool *leave_out;      /* [m] inequalities that are excluded by rounding only */
    zg_multiplier_space space;
    zg_least least;
};

/* set_trial.c. Solves for the set at hand; answer: what the system writes of it, or NULL: z, lambda
 * and r alone. Then judges it. */
zw_status zg_try_set(zg_inequality *q, zw_gauss_answer *answer);
zw_status zg_factor_set(zg_inequality *q);   /* of the rows that are not in q->off */
int32_t zg_count_bad_rows(zg_inequality *q); /* in q->bad; slacks and forces are measured */
void zg_find_closed_rows(zg_inequality *q);  /* after that */
/* What p_i could be at most, were all of the conflict in row i: |r| times the root of W_ii. */
double zg_bound_conflict(const zg_inequality *q, int32_t i);
double zg_get_weight(const zg_inequality *q, int32_t i); /* W_ii */
void zg_hold_equations(zg_inequality *q);                /* and nothing else */

/* The right set, in q->held; *found false: it was not found. */
zw_status zg_search_in_full(zg_inequality *q, bool *found);   /* full_search.c */
zw_status zg_search_by_blocks(zg_inequality *q, bool *found); /* block_pivots.c */
zw_status zg_search_by_system(zg_inequality *q, bool *found); /* held_system.c */

/* full_search.c: raw rows and weights of the last factor. */
void zg_prepare_rows(zg_inequality *q);

/* answer_parts.c: shares, what is unique, the proof, the conditions; of the set that is right.
 * lambda: of all forces in q->lambda, ideal [m]: of Q alone. */
void zg_write_shares(zg_inequality *q, double *ideal, zw_gauss_answer *answer);
void zg_write_conditions(zg_inequality *q, zw_gauss_answer *answer);

#endif
