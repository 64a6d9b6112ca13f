/*
 * Dependent rows; private to this folder. The search in declared order among rows of a dense matrix
 * (dependent.c) and the diagnosis that is being written, the *findings* (findings.c); both serve
 * the dense and the sparse solver.
 *
 * A *dependent set* is a set of rows with coefficients s, its *relation*, such that
 * sum s_i A_i = 0; it is in *conflict* when s.b is not 0. Its *suspect* is the row that is probably
 * wrong.
 */
#ifndef ZG_DEPENDENT_H
#define ZG_DEPENDENT_H

#include "base.h"

/* ------------------------------------------------------------------------- search */

/* Gram-Schmidt under way: rows, and the orthonormal basis of those that were kept. */
typedef struct zg_search {
    int32_t n, m;     /* columns and rows; the caller's */
    double dependent; /* distance at or below which a row counts as dependent */
    double *rows; /* [m * n] of the caller; begin scales them to norm 1, the search uses them up */
    double *length; /* [m] their norms before */
    int32_t kept;   /* rows found independent so far */
    double *basis;  /* [min(n,m) * n] orthonormal */
    double *R;      /* [min(n,m)^2] R[j * most + i], i <= j */
    double *h, *x;  /* [m] */
    double *s;      /* [m] the relation found last */
    int32_t *index; /* [m] the rows that were kept */
} zg_search;

typedef enum zg_found { ZG_INDEPENDENT, ZG_NEARLY, ZG_DEPENDENT } zg_found;

/* With n and m set; `rows` is zero then. False: no memory. */
bool zg_search_take(zg_search *q, zb_arena *arena);
void zg_search_begin(zg_search *q, double rank_tolerance); /* 0: that of zw_gauss_shape */

/* Row k against the rows kept before it, *distance being what it leaves of itself. Unless it is
 * independent, s [m] is its relation: sum s_i row_i = 0 in the scale they were given in, s_k = 1.
 */
zg_found zg_search_row(zg_search *q, int32_t k, double *distance);

/* ----------------------------------------------------------------------- findings */

/* The result and its arrays are taken piece by piece and freed with it. */
typedef struct zg_findings {
    zw_diagnosis shown; /* first: its address is the caller's */
    zb_arena arena;
    zb_memory *memory;
    int32_t room;
    zw_dependent_set *sets; /* [room] nearly dependent ones from the end, backwards */
    bool *unique;           /* [m] true to begin with */
} zg_findings;

/* zg_diagnosis_free (dense_solver.h) gives it back. */
zw_status zg_findings_new(zb_memory *memory, int32_t m, int32_t room, zg_findings **d);

/* Copies a set with its arrays. There must be room. */
zw_status zg_findings_add(zg_findings *d, const zw_dependent_set *set);

/* Names the suspects of conflicts among the sets from the `first` on, which must be all sets of
 * their rows. False: no memory in `scratch`. */
bool zg_findings_blame(zg_findings *d, int32_t first, zb_arena *scratch);

/* Of the rows kept [d->shown.m] of a system of m rows: numbers its rows as those. */
zw_status zg_findings_renumber(zg_findings *d, const int32_t *kept, int32_t m);

/* Brings the sets into declared order; after the last one. */
void zg_findings_close(zg_findings *d);

/* What b [m] has to say about the rows of a set: conflict and mismatch. length [m]: the norms of
 * the rows, size_z that of the acceleration. */
void zg_judge_set(zw_dependent_set *set, const double *b, const double *length, double size_z);

#endif
