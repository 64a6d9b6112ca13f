/*
 * What the files of this shelf share: the space with all its memory, an *island* of contacts that feel
 * each other, and the mode that is tried on it.
 *
 * An island holds a copy of its part of an instant, scaled so that all rows have one unit: with
 * D_i = 1/sqrt(whole_i), one D for the rows of a friction,
 *
 *     G := D G D,  w := D w,  so  u := D u,  x := D^-1 x,  L := L D,  V := D W^-1 D
 *     mu := mu D_n / D_t on a contact, mu / D_t on a joint (whose pressure keeps its unit)
 *
 * Numbers of rows, contacts, frictions and joints are those of the island from here on.
 */
#ifndef ZG_CONTACT_SPACE_H
#define ZG_CONTACT_SPACE_H

#include "contact.h"

typedef struct island_contact {
    int32_t normal;
    double offset; /* pressure besides the multiplier, in expansion */
} island_contact;

typedef struct island_friction {
    int32_t first, width;
    double mu, mu_static;
    bool slips;                 /* else at rest */
    double slip[ZG_MOST_WIDTH]; /* its direction */
    double back[ZG_MOST_WIDTH]; /* impulse that is given back at least, in expansion */
    bool gives_back;
    int32_t contact;             /* -1: joints */
    int32_t joint_first, joints; /* among those of the island */
    zg_pressure_fn pressure;
    void *user;
} island_friction;

typedef struct zg_island {
    int32_t r, contacts, frictions, joints;
    double *G;         /* [r*r] */
    double *w, *D, *V; /* [r] */
    double *own; /* [r] whole_i D_i^2, with which pivots are compared; 0: the row cannot move */
    island_contact *contact;   /* [contacts] */
    island_friction *friction; /* [frictions] */
    double *L, *lambda0;       /* [joints*r], [joints] */
    int32_t held;              /* rows that motors hold; 0: G is symmetric */
    bool *is_held;             /* [r] */
    double A;                  /* scale of u and x */
    double sign, equal, rank;  /* tolerances: sign and equal times A, rank as given */
    int32_t *row_of, *contact_of, *friction_of, *joint_of; /* numbers in the instant */
} zg_island;

/* A mode of an island, and what its equations give. */
typedef struct zg_trial {
    uint8_t *contact;  /* [contacts] */
    uint8_t *friction; /* [frictions] ZG_HELD, too */
    double *direction; /* [3*frictions] */
    int8_t *side;      /* [frictions] of joints that slide: what is asked of their pressure */
    double *x, *u;     /* [r] */
    double *lambda;    /* [joints] */
    double *rho;       /* [frictions] pressures */
    uint8_t *row;      /* [r] ZG_ROW_* */
    bool solved;
    bool branches; /* pressures of joints have several solutions */
    double pivot, feedback;
    int32_t closed, rank;
    bool shared; /* rows that hold depend on each other */
    bool picked; /* its forces, which friction goes by, are a share other than that of springs */
} zg_trial;

/* Of a friction, in expansion: the first tangent has what is given back, those across it stick. */
enum { ZG_HELD = ZG_SLIDE + 1 };

enum { ZG_MOST_TURNING = 32 }; /* directions that are found at once */

/* What a share must obey: part rho - d x_t >= 0, where rho is x[normal], or that of a joint. */
typedef struct zg_share_row {
    int32_t normal; /* -1: joints */
    int32_t first, width, friction;
    double part, d[ZG_MOST_WIDTH];
} zg_share_row;

/* A small linear program (share_program.c). */
typedef struct zg_share_program {
    int32_t n, rows;
    double *row;      /* [rows*n] */
    double *b;        /* [rows] */
    int32_t *owner;   /* [rows] what a row is of, the caller's number; -1: the box */
    int32_t *basis;   /* [n] rows that hold at the solution */
    double *solution; /* [n] */
    double *work;     /* [n*(n + 4)] */
} zg_share_program;

enum { ZG_MOST_SHARED = 64 }; /* largest nullity */

/* The system of a mode, also of the shares' instant: k is the larger number of rows of both. */
typedef struct zg_mode_system {
    int32_t k, rank, joints; /* unknowns, independent ones among them, joints that slide */
    int32_t fixed;           /* rows that hold and cannot move */
    bool mixed;              /* it is K, not the factor alone */
    bool loose;              /* shares may be others than those of springs where something slides */
    int32_t *unknown; /* [k] rows whose x are the unknowns, in the order of pivots: basis first */
    int32_t *swap;    /* [r] rows swapped in the elimination of K */
    int32_t *sliding; /* [frictions] joints that slide */
    double *U;        /* [r*r] U^T U = G on the unknowns; ld r */
    double *K;        /* [r*r] L and U of the system with friction; ld k */
    double *left;     /* [r] what is left of the diagonal */
    double *right;    /* [r*(frictions + 1)] solutions: the free part, then by each pressure */
    double *spread;   /* [2*r] */
    double *H;        /* [joints*(frictions + 1)] lambda likewise */
    double *newton;   /* [frictions*(2*frictions + 8)] */
    uint8_t *broken;  /* [contacts + frictions] zg_broken */
    uint8_t *begun;   /* [contacts] */
    double *Z;        /* [r*r] changes of shares (share_space.c) */
    double *lemke;    /* [n*(2*n + 2)], n = most_lemke rows (lemke.c) */
    int32_t *lemke_basis, most_lemke;
    double *share;    /* [r] */
    double *farther;  /* [r] a share for other signs of joints */
    double *pressed;  /* [joints] multipliers whose signs shares keep (joint_shares.c) */
    double *reversed; /* [joints] scratch */
    double *press;    /* [frictions*(r + 1)] rho of joints by forces, then without them */
    double *level;    /* [contacts + frictions] margins that are found; NaN: not yet */
    int32_t *turning; /* [frictions] that begin to slide in space */
    double *turn;     /* [13*n*n + 2*n], n of them at most (slide_direction.c) */
    zg_share_program program;
} zg_mode_system;

struct zg_contact_space {
    zb_memory *memory;
    size_t bytes;
    zg_contact_limits limits; /* its `block` is `most` */
    zg_contact_sizes most;
    zg_island island;
    zg_island dual;          /* of shares (contact_shares.c) */
    zg_trial other;          /* on it */
    int32_t *unloaded;       /* [contacts] (unloaded_contacts.c) */
    zg_share_row *share_row; /* [most_share_rows] */
    int32_t share_rows, most_share_rows;
    zg_trial trial, best, second, begun;
    zg_mode_system system;
    int32_t *island_of;                      /* [rows]; -1: absent */
    uint8_t *absent;                         /* [contacts] takes no part, in rounds of an impact */
    int32_t *row_in, *contact_in, *joint_in; /* [rows], [contacts], [joints] in its island */
    /* rows, contacts and frictions of the islands, one island behind the other; where each begins */
    int32_t *island_row, *island_contact, *island_friction; /* [rows], [contacts], [frictions] */
    int32_t *row_start, *contact_start, *friction_start, *fill; /* [rows + 1] */
    uint8_t *forced;                                            /* [contacts + frictions] */
    double *forced_direction;                                   /* [3*frictions] */
    double *frame;                                              /* [9*frictions] of it */
    bool *wants;                                                /* [frictions] of it */
    double *crash;                                              /* [6*rows] of an impact */
    uint8_t *hit;                                               /* [contacts] of it */
};

#endif
