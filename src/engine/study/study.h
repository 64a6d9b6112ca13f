/*
 * study: questions about a state that need derivatives: tangents, linearisations, equilibria and modes.
 */
#ifndef ZR_STUDY_H
#define ZR_STUDY_H

#include "columns.h"
#include "vary.h"

/* ------------------------------------------------------------- a state (study_state.c) */

/* sim->vary at the simulation's state, in its mode of contacts; with second derivatives if `twice`.
 * Reports why there are no derivatives. */
zw_status zr_study_state(zw_sim *sim, bool twice, zr_vary **vary);

/* Elements of parameters by their names, "m, k[2], F"; "all": all that may be varied. NULL: none. The list
 * lies in the arena. */
typedef struct zr_parameter_list {
    int32_t *element; /* [count] */
    int32_t count;
} zr_parameter_list;
zw_status zr_list_parameters(zw_sim *sim, zb_arena *arena, const char *names,
                             zr_parameter_list *list);

/* A sentence without a place, as a diagnostic; returns `refused`. */
zw_status zr_refuse_study(zw_sim *sim, const char *code, const char *help, zb_text *sentence,
                          zw_status refused);

zw_status zr_report_large(zw_sim *sim); /* E0732: too large for full matrices */

/* ------------------------------------------------------------- minimal states (minimal_states.c) */

/* Named minimal coordinates: positions dq = T x, velocities dv = T2 w + E x that satisfy the rows. */
typedef struct zr_minimal {
    int32_t n, places, speeds; /* independent positions, velocities */
    int32_t *place, *speed;    /* [n] each, the first so many: coordinates */
    double *T, *E, *T2;        /* [places * n], [places * n], [speeds * n]: row k for state k */
} zr_minimal;
/* wanted [count]: coordinates that are to be independent; reports E0738. After zr_study_state. */
zw_status zr_find_minimal(zr_vary *vary, zb_arena *arena, const int32_t *wanted, int32_t count,
                          zr_minimal *minimal);

/* A basis of the displacements that all rows allow, orthonormal in M: row k of basis [count * n]. */
zw_status zr_find_virtual(zr_vary *vary, zb_arena *arena, double **basis, int32_t *count);

/* ------------------------------------------------------------- rest (rest.c) */

/* A state near rest, as the search for an equilibrium has it. */
typedef struct zr_rest {
    zw_sim *sim;
    zr_vary *vary;
    bool twice;      /* second derivatives will be needed */
    zb_arena *arena; /* of the result */
    zb_arena scratch;
    int32_t freedom; /* virtual displacements */
    double *N;       /* [freedom * n], in scratch */
    double *g;       /* [freedom] force along each */
    double *noise;   /* [freedom] the size of the terms of each */
    double *K;       /* [freedom * freedom] stiffness along each */
    double *s, *V;   /* of a symmetric K: eigenvalues ascending, row k the vector of s[k] */
    bool symmetric;
    double *size;  /* [n] of coordinates */
    double *q;     /* [n] before a step */
    double *step;  /* [n] */
    double *y;     /* [freedom] */
    double radius; /* of a step, in sizes */
    int32_t iterations;
} zr_rest;

/* From the simulation's state to one of rest, which is its state then. Reports E0736. */
zw_status zr_find_rest(zr_rest *rest);
/* N, g, K and so on at the simulation's state. */
zw_status zr_look_at_rest(zr_rest *rest);
/* y = K^+ g: of least norm where K is singular. */
zw_status zr_divide_by_stiffness(zr_rest *rest, const double *g, double *y);

#endif
