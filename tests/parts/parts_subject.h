/*
 * A world with everything that is expected of it (parts_oracle.h): accelerations with its own
 * values and with others, and the ways back onto the constraints from near them. Made once,
 * compared often.
 */
#ifndef PARTS_SUBJECT_H
#define PARTS_SUBJECT_H

#include "parts_oracle.h"

/* Accelerations as they should be. */
typedef struct answer {
    oracle *o;
    wide_answer facts;
    long double *z, *lambda, *push;
} answer;

/* A state near the constraints, not on them, and the way back. */
typedef struct off_constraints {
    double *q, *v;
    oracle *o;
    wide_answer facts[2];
    long double *change[2];
} off_constraints;

typedef struct subject {
    world *w;
    double *values; /* others than the world's own */
    answer here, other;
    off_constraints exact, shaken;
    double shake;
    const char *stage; /* what is being done */
    char name[200];    /* seed, sizes; a cut adds its choice */
} subject;

subject *subject_create(zb_memory *memory, const world_request *r);
void subject_free(subject *s);

/* Holds a row for positions (order 0) or velocities (1)? */
bool subject_row_counts(const world *w, int32_t row, int order);

/* Numbers aligned to 64 bytes, all NaN; zeros. free() them. */
double *aligned(int32_t count);
long double *wide(int32_t count);

#endif
