/*
 * Contact space at a state (gauss/contact.h): the rows of contacts that touch and of frictions, with
 * what a unit force along each does when all other rows of contacts are away and equations hold.
 *
 *     A, b, phi, rate   of all rows, masks on
 *     Z_i, Lambda_i     GG(A_i^T, 0), the equations alone
 *     G_ij = A_j Z_i,   w = A z_free - b,   u = rates
 */
#ifndef ZR_TOUCH_SPACE_H
#define ZR_TOUCH_SPACE_H

#include "friction.h"

typedef struct zr_space {
    zg_contact_space *solver;
    /* all rows of A with masks on, at the state of the last fill */
    double *A;          /* [A.count] */
    double *b;          /* [m] */
    double *phi, *rate; /* [m] */
    double *level;      /* [4 m] scratch: what the simulation had */
    double *z;          /* [n] accelerations without contacts */
    double *lambda;     /* [m] and multipliers */
    double *C;          /* [n] scratch: a row, dense */
    /* the candidates */
    int32_t rows, contacts, frictions;
    int32_t *row;      /* [rows] of A */
    int32_t *was;      /* [rows] scratch: before */
    int32_t *contact;  /* [contacts] of the model */
    int32_t *friction; /* [frictions] of the model */
    int32_t *at;       /* [m] the candidate that a row of A is, -1: none */
    double *Z;         /* [rows*n] */
    double *Lambda;    /* [rows*m] */
    double *G;         /* [rows*rows] */
    double *w, *u;     /* [rows] accelerations and velocities without contact forces */
    double *size;      /* [rows] of the terms of w */
    double *whole;     /* [rows] G_ii without equations, or less */
    double *weight;    /* [rows] of W; NULL: 1 */
    double *L;         /* [m*rows]; where a pressure is not one multiplier of a contact */
    zg_contact *is_contact;
    zg_friction *is_friction;
    struct zr_pressing *pressing; /* [frictions] for the callbacks */
    /* answers */
    zg_mode mode, last;
    double *x, *after;          /* [rows] forces or impulses; accelerations or velocities */
    double *other;              /* [rows] */
    double *pressed;            /* [m] multipliers of the mode that was found; where there is L */
    double *margin;             /* [frictions] */
    uint8_t *holds;             /* [rows] ZG_ROW_* */
    bool *unique;               /* [rows] scratch of contact_record.c */
    double *approach, *plastic; /* [contacts] */
    zg_choice *choice;          /* [contacts + frictions] */
    zg_found found;
    zk_source source; /* the state */
} zr_space;

zw_status zr_open_space(zw_sim *sim); /* takes memory, once */
void zr_close_space(zw_sim *sim);

/* Fills the space at a state: touching [contacts] says which contacts are in it; frictions are those
 * of these, and of joints. Masks are all on afterwards, until a mode is entered, but rows that have
 * one count as off. */
zw_status zr_fill_space(zw_sim *sim, double t, const double *q, const double *v,
                        const bool *touching);
/* Of the same contacts, after velocities have changed at the state it was filled for. */
zw_status zr_renew_space(zw_sim *sim, const bool *touching);
/* Some contacts are taken out. */
void zr_restrict_space(zw_sim *sim, const bool *touching);

/* Slips that are not more than this, [slips], count as rest: into is_friction. */
void zr_set_slips(zw_sim *sim, const double *rest);
/* What of the multiplier that presses friction k, sided, is rounding, by the forces x of the space and by
 * those that its slip answers to. */
double zr_joint_band(const zw_sim *sim, int32_t k);
zg_instant zr_space_instant(const zw_sim *sim, const double *w);

#endif
