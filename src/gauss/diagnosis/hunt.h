/*
 * The diagnosis of a large sparse system in the making; private to diagnose_sparse.c (the order of
 * things), near.c (neighbourhoods), conflict_hunt.c and null.c.
 *
 * A *survey* is that diagnosis. Rows *take part* when some dependent set may contain them; those
 * that do fall into *groups*, connected by coordinates that they share. A *ball* is the
 * neighbourhood of a row. A set is *listed* when it becomes one of the findings.
 */
#ifndef ZG_HUNT_H
#define ZG_HUNT_H

#include "dependent.h"
#include "sparse.h"
#include "sparse_form.h"

enum {
    zg_small_group = 400, /* rows that are searched as one dense matrix */
    zg_most_sets = 64,    /* listed, that agree; and as many that conflict */
    zg_most_nullity = 16  /* redundancies up to which whole null vectors are taken */
};

typedef struct zg_survey {
    zg_sparse *g;
    const zg_numbers *x;
    int32_t n, m;
    int32_t on; /* rows that are not off */
    const double *b;
    double size_z;  /* norm of the acceleration */
    double *length; /* [m] of the rows */
    zb_arena *scratch;
    zg_findings *to;
    int32_t agreeing; /* sets listed so far that are no conflict */
    int32_t dropped;  /* sets found that there was no room for */
    double work;      /* operations left, roughly; counted, so that answers do not depend on time */

    /* A by columns, without entries that are 0 and without rows that take no part */
    int32_t *start, *row; /* [n + 1], [nonzeros] */
    bool *dependent;      /* [m] takes part: may be in a dependent set */
    bool *wrong;          /* [m] found to be the cause of a conflict */
    int32_t *group;       /* [m] of the rows that take part: connected by coordinates; else -1 */
    int32_t *group_size;  /* [groups] */
    int32_t groups;

    /* of near.c; all -1 or 0 between calls */
    int32_t *row_seen, *column_seen, *column_at, *touched; /* [m], [n], [n], [n] */
    int32_t stamp;
    double *weighted[4]; /* [m] where W is given: for the norm of W^-1 */
} zg_survey;

/* ------------------------------------------------------------- diagnose_sparse.c */

/* A set with rows, coefficients, distance and nearly; the rest is filled in. It is listed when
 * there is room for it and no other has the same last row. */
zw_status zg_survey_list(zg_survey *v, zw_dependent_set *set);

/* ----------------------------------------------------------------- near.c */

/* The rows within some steps of one, a step being a coordinate that two rows share. */
typedef struct zg_ball {
    int32_t center, count, layer; /* layer: where the outermost one begins */
    int32_t *rows;                /* [zg_small_group] nearest first */
    int32_t kept;
    int32_t *core; /* [zg_small_group] those that can be in a dependent set, nearest first */
} zg_ball;

bool zg_ball_take(zg_survey *v, zg_ball *ball);
void zg_ball_begin(zg_survey *v, zg_ball *ball, int32_t center);
/* One step further, by rows before `before`, and without those that are wrong: avoid. False:
 * nothing was added. */
bool zg_ball_grow(zg_survey *v, zg_ball *ball, int32_t before, bool avoid);
/* The core: without rows that alone touch some coordinate, again and again. True when the center
 * is left. */
bool zg_ball_peel(zg_survey *v, zg_ball *ball);

/* A dense copy of rows [count], in that order, columns that none of them touches left out;
 * transposed: columns as rows. False: no memory. */
bool zg_load_rows(zg_survey *v, const int32_t *rows, int32_t count, bool transposed, zg_search *q);
/* What a search over so many rows costs, roughly. */
double zg_search_cost(zg_survey *v, const int32_t *rows, int32_t count);

/* All sets among rows [count], ascending, as the dense solver finds them. */
zw_status zg_search_all(zg_survey *v, const int32_t *rows, int32_t count);

/* The set by which the center follows from the rest of the core; count 0: there is none. Arrays
 * in scratch. */
zw_status zg_ball_close(zg_survey *v, const zg_ball *ball, zw_dependent_set *set);

/* ----------------------------------------------------------- the other two files */

/* lost [m]: the part of b that no acceleration reaches; conflicts in groups that are large. */
zw_status zg_survey_conflicts(zg_survey *v, const double *lost);

/* All sets in large groups, which hold `count` redundancies together, zg_most_nullity at most. */
zw_status zg_survey_null(zg_survey *v, int32_t count);

/* x [m]: a null vector, A^T x = 0, from a pseudo-random vector over the rows of large groups (all:
 * over every row), the same always. |x_i| times the length of row i is 1 at most, and 1
 * somewhere unless there is no such vector. */
zw_status zg_survey_null_vector(zg_survey *v, uint64_t seed, bool all, double *x);

#endif
