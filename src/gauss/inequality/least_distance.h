/*
 * The point x of least length with equations n_i x = c_i and inequalities n_i x >= c_i, by a dual
 * active set (Goldfarb and Idnani): every point on the way is the answer to the rows that it holds,
 * their multipliers are not negative, and its length grows. So it ends; rows that depend on those
 * held need nothing special; and where no point serves, the row that the held ones exclude is
 * found.
 *
 * How x and the rows are kept is the matter of a *holder*, a table of functions: in full
 * (zg_least), or by the solver of a system (held_system.c).
 */
#ifndef ZG_LEAST_DISTANCE_H
#define ZG_LEAST_DISTANCE_H

#include "inequality.h"
#include "thin_factor.h"

/* Rows are scaled to the same length, so that their slacks compare. */
typedef struct zg_holder {
    /* s [rows] = n_i x - c_i; rounding [rows]: what of it may be that. */
    void (*slacks)(void *of, double *s, double *rounding);
    /* Row p beside those held: n_p = sum r_k n_k + d, r [held]. *left: d.d, 0 where p depends on
     * them. */
    zw_status (*look)(void *of, int32_t p, double *r, double *left);
    void (*move)(void *of, double t);            /* x += t d, of the row looked at last */
    zw_status (*join)(void *of, int32_t p);      /* the row looked at last is held */
    zw_status (*leave)(void *of, int32_t place); /* the row held at that place no longer is */
} zg_holder;

typedef enum zg_reached {
    ZG_REACHED,
    ZG_EXCLUDED, /* no x: rows exclude each other */
    ZG_ENDLESS   /* rounding keeps it from ending */
} zg_reached;

/* A search. Which rows are held, and their multipliers, in the order in which they came. */
typedef struct zg_holding {
    int32_t rows;
    uint8_t *kind; /* [rows] zg_row_kind, of the caller */
    int32_t *held; /* [rows] */
    int32_t count;
    double *lambda;           /* [rows] of rows as they are scaled */
    double *r, *s, *rounding; /* [rows] */
    bool *in;                 /* [rows] held */
    int32_t looks;            /* how often a row was looked at */
    int32_t excluded;         /* ZG_EXCLUDED: the row that the others exclude */
} zg_holding;

bool zg_holding_take(zg_holding *q, zb_arena *arena, int32_t rows); /* false: no memory */

/* From x = 0 with nothing held. warm [rows] or NULL: inequalities to begin with. */
zw_status zg_holding_find(zg_holding *q, const zg_holder *holder, void *of, const bool *warm,
                          zg_reached *reached);

/* ---------------------------------------------------------------------------- in full */

typedef struct zg_least {
    int32_t n;
    double *B;         /* [rows * n] of length 1, or 0 */
    double *c, *size;  /* [rows]; size: of what c_i is the sum of */
    double *x;         /* [n] the answer */
    double origin;     /* the size of what x is added to */
    double depends;    /* what is left at most of a row that depends on others */
    const double *raw; /* [rows * n] of length 1 or 0: by these dependence is judged where little
                          is left of a row; NULL: as they are */
    zg_thin factor, judge;
    zg_holding q;
} zg_least;

/* Memory for up to `rows` rows of up to n columns, without B; judged: with `raw`. False: none. */
bool zg_least_take(zg_least *l, zb_arena *arena, int32_t n, int32_t rows, bool judged);

/* B, c, size, q.kind, origin, depends and raw are the caller's. */
zw_status zg_least_find(zg_least *l, int32_t n, int32_t rows, const bool *warm,
                        zg_reached *reached);

#endif
