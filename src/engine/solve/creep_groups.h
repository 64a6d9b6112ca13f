/*
 * Slips that creep together (creep_groups.c): coordinates of the velocities that all slips of a group
 * have, and directions in them.
 */
#ifndef ZR_CREEP_GROUPS_H
#define ZR_CREEP_GROUPS_H

#include "contacts.h"

enum { ZR_MOST_TURNS = ZR_CREEPING_SLIPS };

/* Frictions whose slips depend on each other, and no others do on them. */
typedef struct zr_creep_group {
    int32_t first, count; /* of zr_turning.member */
    int32_t rank, y;      /* coordinates, and where they begin */
    int32_t turn;         /* where its rank - 1 turns begin */
} zr_creep_group;

/*
 * What is unknown: the unit vector e of each group, of which y = R e are the coordinates; slips are B y.
 * Slip j of number k is 3 k + j. B has the columns of the group, rows of `pivot` are a triangle.
 */
typedef struct zr_turning {
    zw_sim *sim;
    const zk_source *at;
    int32_t sliding;
    int32_t groups, size; /* size: turns of all groups */
    zr_creep_group group[ZR_MOST_CREEPING];
    int32_t member[ZR_MOST_CREEPING]; /* numbers of what creeps, group by group */
    int32_t pivot[ZR_CREEPING_SLIPS]; /* [coordinates] the slip whose row ends there */
    double
        B[ZR_CREEPING_SLIPS * ZR_CREEPING_SLIPS]; /* row: slip; column: coordinate in its group */
    double
        T[ZR_CREEPING_SLIPS * ZR_CREEPING_SLIPS]; /* row: coordinate; column: turn in its group */
    double e[ZR_CREEPING_SLIPS];                  /* [coordinates] */
    double slips[ZR_CREEPING_SLIPS];              /* B e */
    double F[ZR_CREEPING_SLIPS];                  /* rates of slips at e, */
    double gain[ZR_MOST_CREEPING];                /* [groups] along it, */
    double off[ZR_MOST_TURNS];                    /* and across */
    double J[ZR_MOST_TURNS * ZR_MOST_TURNS];
} zr_turning;

static inline int32_t zr_creep_width(const zw_sim *sim, int32_t e)
{
    return sim->zm->frictions[sim->contacts->creep.list[e].friction].width;
}

/* Of number e, [width]. */
static inline double *zr_creep_direction(const zw_sim *sim, int32_t e)
{
    zr_contacts *c = sim->contacts;
    return c->creep.direction + c->laws->friction[c->creep.list[e].friction].slip;
}

/* Groups and their coordinates, by the responses in creep.G. */
void zr_find_creep_groups(zr_turning *g);
/* e nearest to the directions that are there. False: there is none that goes with them. */
bool zr_take_creep_directions(zr_turning *g);
/* slips, and the directions of the simulation, become those of e; T is across. False: a slip is 0. */
bool zr_show_creep_directions(zr_turning *g);
/* e of all groups turns by y [size], at most so far that no direction does by more than `most`. How
 * far e would have turned at most. */
double zr_turn_creep_groups(zr_turning *g, const double *y, double most);
/* Coordinates of slips x [3 numbers] in group k: y [rank]. */
void zr_creep_coordinates(const zr_turning *g, int32_t k, const double *x, double *y);
/* x [3 numbers] across e: out [size]; with along [groups], or NULL, what it has along it. */
void zr_look_across_creep(const zr_turning *g, const double *x, double *out, double *along);
/* Impulses x [3 numbers] in the slips that push them by B T y. */
void zr_creep_impulses(const zr_turning *g, const double *y, double *x);
/* How turns t of friction e, of which there are width - 1 across its direction by `across`, follow from turn
 * p of its group k. */
void zr_turn_of_friction(const zr_turning *g, int32_t k, int32_t e, const double *across, int32_t p,
                         double *t);

#endif
