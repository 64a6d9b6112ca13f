/*
 * What the systems of parts_world.h are made of: kinds of families, their expressions and numbers.
 */
#ifndef WORLD_FAMILIES_H
#define WORLD_FAMILIES_H

#include "parts_world.h"

/* Of one, two or three bodies. */
typedef enum world_thing {
    WORLD_BODY,    /* kinetic energy and weight */
    WORLD_COUPLED, /* the same with M full */
    WORLD_SPRING,
    WORLD_DRAG,   /* a force on the first that depends on both */
    WORLD_COMMON, /* kinetic energy of two bodies together; of a body with itself */
    WORLD_ROD,
    WORLD_TIMED,  /* a rod whose length depends on time */
    WORLD_ANCHOR, /* a rod to the ground */
    WORLD_PIN,    /* two rows */
    WORLD_KNIFE,  /* row of velocities, of one body */
    WORLD_DRIVE,  /* of two */
    WORLD_GEAR,   /* row of accelerations of two bodies whose ratio depends on a third */
    WORLD_THINGS
} world_thing;

/* The family of a thing for bodies of these sizes (0: no such body), made when it is not there. */
world_family *world_find_family(world *w, world_thing thing, const int32_t size[3]);
/* A family whose slots are the coordinates and values themselves: for bodies or rods, one of each.
 * Finish it when all instances are there. */
void world_write_whole(world *w, world_thing thing, const int32_t *bodies, const int32_t *values,
                       int32_t count, int32_t first_row);

bool world_is_row(world_thing thing);
int32_t world_row_count(world_thing thing);
int32_t world_value_count(world_thing thing);
/* Numbers for the values of an instance at the world's state: lengths follow from places. `shared`:
 * those of equal things are equal. */
void world_numbers(world *w, world_thing thing, const int32_t body[3], bool shared, double *value);

#endif
