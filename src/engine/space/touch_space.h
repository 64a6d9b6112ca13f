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
    /* the candidates, by blocks (touch_blocks.h) */
    int32_t rows, contacts, frictions;
    int32_t *row;        /* [rows] of A */
    int32_t *contact;    /* [contacts] of the model */
    int32_t *friction;   /* [frictions] of the model */
    int32_t *at;         /* [m] the candidate that a row of A is, -1: none */
    int32_t *contact_at; /* [contacts of the model] likewise */
    zg_blocks blocks;
    int32_t *block_start, *block_of; /* its arrays: [blocks + 1], [rows] */
    int32_t *column_start, *column;  /* [blocks + 1], coordinates of the blocks */
    size_t *G_at, *Z_at;             /* [blocks] where the part of a block begins */
    double *G;                       /* of each block [width*width] */
    double *Z;                       /* of each block [width*columns] */
    double *w, *u;  /* [rows] accelerations and velocities without contact forces */
    double *size;   /* [rows] of the terms of w */
    double *whole;  /* [rows] G_ii without equations, or less */
    double *weight; /* [rows] of W; NULL: 1 */
    /* multipliers that press, of frictions for which that is not one of a contact */
    int32_t joints;
    int32_t *joint_row, *joint_friction,
        *joint_block; /* [joints] row of A, friction of the model */
    size_t *L_at;     /* [joints] */
    double *L,
        *response;   /* of each joint [width]: with candidates as rows, of the equations alone */
    double *lambda0; /* [joints] */
    double *pressed; /* [joints] multipliers of the mode that was found */
    /* scratch of touch_blocks.c, touch_space.c */
    int32_t *component, *leader,
        *block;                      /* [n + m] joined by equations, by candidates; their block */
    int32_t *fill, *was, *was_start; /* [rows] */
    size_t *was_G, *was_Z, *was_L;   /* [rows], [rows], [joints] */
    int32_t *was_friction, *was_row; /* [joints] */
    bool *calm;                      /* [rows] */
    double *push;                    /* [n] */
    size_t size_G, size_Z, size_L;   /* in use */
    size_t room_G, room_Z, room_L, room_response;
    zg_contact_sizes room; /* of blocks that the solver takes */
    zg_contact *is_contact;
    zg_friction *is_friction;
    struct zr_motor_rows *motors; /* touch_motors.h; NULL: there are none */
    struct zr_pressing *pressing; /* [frictions] for the callbacks */
    /* answers */
    zg_mode mode, last;
    double *x, *after;          /* [rows] forces or impulses; accelerations or velocities */
    double *other;              /* [rows] */
    double *margin;             /* [frictions] */
    uint8_t *holds;             /* [rows] ZG_ROW_* */
    bool *unique;               /* [rows] scratch of contact_record.c and shares.c */
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
/* Of accelerations, w being that of the space, with the motors; or of velocities. */
zg_instant zr_space_instant(zw_sim *sim, const double *w);

/* G_ii */
static inline double zr_own_response(const zr_space *s, int32_t i)
{
    int32_t b = s->block_of[i], first = s->block_start[b], width = s->block_start[b + 1] - first;
    return s->G[s->G_at[b] + (size_t)(i - first) * (size_t)(width + 1)];
}

/* Z_i at the coordinates column[0 .. *count - 1]. */
static inline const double *zr_response(const zr_space *s, int32_t i, const int32_t **column,
                                        int32_t *count)
{
    int32_t b = s->block_of[i], first = s->column_start[b];
    *column = s->column + first;
    *count = s->column_start[b + 1] - first;
    return s->Z + s->Z_at[b] + (size_t)(i - s->block_start[b]) * (size_t)*count;
}

#endif
