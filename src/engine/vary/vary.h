/*
 * vary: how the answer of the principle changes with what it depends on, at a state. A *direction*
 * says how positions, velocities, time and values move at once; the *tangent* in that direction is
 * the rate of the accelerations and multipliers.
 *
 *     programs of passes, differentiated (varied_passes.c)  ->  M', Q', A', b', C', W'
 *     (z', lambda') by the factor of the state once more (tangent.c)
 *
 * A zr_vary belongs to a simulation. It is made when derivatives are asked for first, and takes all of
 * its memory then.
 */
#ifndef ZR_VARY_H
#define ZR_VARY_H

#include "energy.h"
#include "roads.h"

/* How everything that equations read moves; NULL: stands still. */
typedef struct zr_direction {
    const double *q, *v; /* [n] */
    double t;
    const double *values; /* [parameters] all that follows from a parameter included */
} zr_direction;

/* A pass of the model, differentiated: the outputs that move at all. */
typedef struct zr_varied_pass {
    const zr_pass *of;
    zk_program *code; /* NULL: nothing moves */
    int32_t *output;  /* [count] which outputs of the pass */
    int32_t count;
    zk_table table; /* of all instances, with slots for directions */
} zr_varied_pass;

typedef struct zr_varied {
    zr_varied_pass *list;
    int32_t count;
} zr_varied;

/* Everything that is differentiated. */
typedef enum zr_varied_kind {
    ZR_VARY_DYNAMICS,  /* M, Q */
    ZR_VARY_ROWS,      /* A, b */
    ZR_VARY_VALUES,    /* phi of holonomic rows */
    ZR_VARY_RATES,     /* their rates, and nonholonomic rows */
    ZR_VARY_NONIDEAL,  /* C */
    ZR_VARY_IMPRESSED, /* Q without what follows from inertia */
    ZR_VARY_WEIGHTS,
    ZR_VARY_OUTPUTS,
    ZR_VARY_ENERGIES,
    ZR_VARY_GAPS,      /* of contacts, with their rates */
    ZR_VARY_EQUATIONS, /* E, start equations */
    ZR_VARY_GIVEN,     /* start values: entries of (q, v), one more for those that do not count */
    ZR_VARY_LOOKS,     /* gaps of events */
    ZR_VARY_RESETS,    /* new values: one pass for each shape of events, asked one by one */
    ZR_VARY_SWITCHES,  /* gaps of switches */
    ZR_VARY_FORCES_TWICE, /* M, Q and A, b in two directions, one after the other */
    ZR_VARY_ROWS_TWICE,
    ZR_VARY_KINDS
} zr_varied_kind;

/* A solution of the optimality conditions at the state, and what the rule needs of it. */
typedef struct zr_solution {
    double *z, *lambda; /* [n], [m] */
    double *r;          /* [m] b - A z */
    double *nu;         /* [n] lambda = W A nu */
    bool consistent;    /* r is rounding, and taken as 0 */
} zr_solution;

typedef struct zr_vary {
    zw_sim *sim;
    zb_memory *memory;
    bool twice; /* second derivatives are there */
    zb_arena arena;
    zx_pool pool;
    int32_t values; /* of the simulation, without those of preludes */
    double t;       /* of the state */
    zr_varied varied[ZR_VARY_KINDS];
    zk_table *tables; /* [family_count] of families that are kept: count 0 until it is made */

    /* what the programs read: the state, the direction, a second one */
    double *position, *velocity, *acceleration; /* [3 n] */
    double *value;                              /* [3 values + 2]; then the rates of t */
    double *measure;                            /* [3 measures] */
    double *workspace, *out;
    int32_t room;  /* doubles of out */
    double *rates; /* [parameters] of the caller's use: how they move */

    /* derivatives in the direction asked for last */
    double *dM, *dQ, *dA, *db, *dC, *dW, *dweight, *dlevel; /* as in sim */

    /* the state */
    zr_solution ideal, total; /* without and with C; one where there is none */
    bool has_nonideal;
    bool independent; /* rows */
    int32_t rank;
    double *W_factor; /* [m*m] Cholesky factor of W, or NULL */

    /* the tangent of the last direction */
    double *dz, *dlambda; /* [n], [m] of `total` */
    double *dz_ideal, *dlambda_ideal;
    double *dmeasure;          /* [measures] */
    double *dr;                /* [m] of r */
    double *zero;              /* [m] */
    double *dF;                /* [n] of Q + C */
    double *f, *b, *g, *s, *x; /* scratch: [n], [m], [m], [m], [n] */
} zr_vary;

/* twice: second derivatives, too. */
zw_status zr_vary_create(zw_sim *sim, bool twice, zr_vary **vary);
void zr_vary_free(zr_vary *vary);

/* The simulation's state, in the mode of contacts that is entered, solved. ZW_ERR_CONTACT: something slides, for
 * which there is no rule. */
zw_status zr_vary_at(zr_vary *vary);
/* The same at another state of the simulation's mode; q, v [n]. */
zw_status zr_vary_at_state(zr_vary *vary, double t, const double *q, const double *v);
/* Only what programs read, without a factor. */
void zr_vary_place(zr_vary *vary, double t, const double *q, const double *v);

/* The direction of the next derivatives; the second one. */
void zr_vary_along(zr_vary *vary, const zr_direction *d);
void zr_vary_along_second(zr_vary *vary, const zr_direction *d);

/* Adds the derivatives of a kind in the direction to matrix and vector, either NULL: not wanted. */
void zr_vary_evaluate(zr_vary *vary, zr_varied_kind kind, double *matrix, double *vector);

/* All outputs of one instance of a pass, out [matrix + vector]; 0 where nothing moves. */
void zr_vary_instance(zr_vary *vary, const zr_varied_pass *varied, int32_t instance, double *out);

/* dz, dlambda and the others along a direction. */
zw_status zr_tangent(zr_vary *vary, const zr_direction *d);

/* GG(f, b) by the factor of the state: z [n], lambda [m]; b NULL: 0. */
zw_status zr_vary_solve(zr_vary *vary, const double *f, const double *b, double *z, double *lambda);

/* rates [parameters] of all parameters where element `parameter` moves by 1: those defined from it
 * follow, unless they were set. */
zw_status zr_vary_parameter(const zw_sim *sim, int32_t parameter, double *rates);

/* y += M x of the state; y += A^T x; y += A x; with other values of the same patterns. */
void zr_multiply_mass(const zw_sim *sim, const double *M, const double *x, double scale, double *y);
void zr_multiply_rows(const zw_sim *sim, const double *A, const double *x, double scale, double *y);
void zr_multiply_rows_back(const zw_sim *sim, const double *A, const double *x, double scale,
                           double *y);

#endif
