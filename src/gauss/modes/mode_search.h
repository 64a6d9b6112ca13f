/*
 * Finding the mode of an island (mode_search.c), all of its modes (mode_count.c), and proofs that
 * there is only one (mode_certify.c).
 */
#ifndef ZG_MODE_SEARCH_H
#define ZG_MODE_SEARCH_H

#include "mode_laws.h"

enum { ZG_ANY = 255 }; /* no choice is forced */

/* A search on one island. */
typedef struct zg_hunt {
    const zg_island *c;
    zg_mode_system *s;
    zg_trial *t;             /* what is tried */
    zg_trial *best, *second; /* what was found */
    zg_trial *begun;         /* a mode that is tried in several ways */
    zg_island *dual; /* scratch: of contacts without load, with its trial and their numbers */
    zg_trial *other;
    int32_t *unloaded;        /* [contacts] */
    uint8_t *forced_contact;  /* [contacts] ZG_ANY, or what an event chose */
    uint8_t *forced_friction; /* [frictions] */
    double *forced_direction; /* [3*frictions] */
    bool any_forced;
    bool
        shared; /* a trial in which something slides had other shares than those of springs to look at */
    int32_t
        start; /* where directions in space begin: 0 with what is known, else a place of its own */
    bool
        unsure; /* joints of several multipliers have been tried, which may have more pressures than were found */
    int32_t solves;
    int32_t found;          /* solutions: best, then second */
    zg_judgement judgement; /* of the last trial */
} zg_hunt;

/* The mode of the hunt's island, in `best`; found->bound and ->certified are brought up to date. */
zg_outcome zg_hunt_island(zg_hunt *h, const zg_search *search, zg_found *found);

/* A hunt on space->island, nothing forced. */
zg_hunt zg_begin_hunt(zg_contact_space *space);

/* Solves t and judges it; true where all laws are kept. */
bool zg_try(zg_hunt *h);

/* Of a trial that keeps all laws: contacts that do not move, though the mode has them open, must not be such
 * as springs would load (unloaded_contacts.c). */
void zg_judge_unloaded(zg_hunt *h);

/* A copy of a trial; of its mode alone. */
void zg_copy_mode(const zg_island *c, const zg_trial *from, zg_trial *to);
void zg_copy_trial(const zg_island *c, const zg_trial *from, zg_trial *to);

/* The modes of the island, if they are at most this many; else -1. */
enum { ZG_MOST_MODES = 4096 };
int32_t zg_count_modes(const zg_hunt *h);

/* Tries all of them, those with the forced choices first, until one is kept (all = false) or until two
 * are that move differently. What is in `best` already counts. */
void zg_try_modes(zg_hunt *h, bool all);

/* Other pressures of joints in the mode of `best`. */
void zg_try_branches(zg_hunt *h);

/* Whether directions in space may have to be found: then trying all modes proves nothing. */
bool zg_turns(const zg_island *c);

/* A mode for many contacts with friction in the plane, in h->t (lemke.c); false: none was found, or it is not of that kind. */
bool zg_follow_lemke(zg_hunt *h);

/* A number below 1 proves that there is one motion at most (mode_certify.c). */
double zg_uniqueness_bound(const zg_island *c, zg_mode_system *s);

/* All frictions slip: whether the matrix of normals with their friction is a P-matrix; false: not known. */
bool zg_is_p_matrix(const zg_island *c, zg_mode_system *s);

/* The contact to name in a message, with its numbers (mode_blame.c). */
void zg_blame_none(zg_hunt *h, zg_found *found);
void zg_blame_several(zg_hunt *h, zg_found *found);

#endif
