/*
 * Whether a solved trial obeys the laws, and what to change where it does not (mode_laws.c).
 */
#ifndef ZG_MODE_LAWS_H
#define ZG_MODE_LAWS_H

#include "mode_system.h"

/* What is broken, worst first in the order of this list where all are as bad. */
typedef enum zg_broken {
    ZG_KEPT,
    ZG_FALLS,    /* contact: open, and u_n < 0 */
    ZG_PULLS,    /* contact: x_n < 0 */
    ZG_CONE,     /* friction: sticks with too large a force */
    ZG_BACKWARD, /* friction: begins to slide, and accelerates against it */
    ZG_REVERSED  /* friction: slides, and its force is not mu rho against it */
} zg_broken;

typedef struct zg_judgement {
    int32_t count;        /* of broken laws; -1: not solved, or rows that hold do not */
    zg_broken worst;      /* the worst of them */
    int32_t index;        /* its contact or friction */
    double amount;        /* scaled */
    zg_certificate sizes; /* absolute and scaled */
} zg_judgement;

/* Fills broken_contact [contacts], broken_friction [frictions], too. */
void zg_judge_trial(const zg_island *c, const zg_trial *t, uint8_t *broken_contact,
                    uint8_t *broken_friction, zg_judgement *j);

/* The change that a broken law asks for. */
void zg_mend_contact(const zg_island *c, zg_trial *t, int32_t contact, zg_broken what);
void zg_mend_friction(const zg_island *c, zg_trial *t, int32_t friction, zg_broken what);

/* A contact touches: its frictions stick, or slide as they do. */
void zg_close_contact(const zg_island *c, zg_trial *t, int32_t contact);

#endif
