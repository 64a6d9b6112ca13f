/*
 * The two small problems in the space of relations (multiplier_space.h): what of contradictory rows
 * no acceleration can satisfy, and how rows that depend on each other share their forces. Both are
 * points of least length under inequalities (least_distance.h) in as many unknowns as there are
 * relations.
 */
#ifndef ZG_CONFLICT_AND_SHARES_H
#define ZG_CONFLICT_AND_SHARES_H

#include "least_distance.h"
#include "multiplier_space.h"

/* Rows of the relations: `by` has room for s->count rows of s->relations columns, B for as many. */
typedef struct zg_relation_task {
    const zg_multiplier_space *space;
    zg_least *by;
} zg_relation_task;

/*
 * The first stage: r [m], the least of A z - b - y in the norm of W over all z and y, y >= 0 in
 * inequalities, 0 in equations; and p = W r [m], by which it is proved that no less is possible:
 *
 *     A^T p = 0,   p <= 0 in inequalities,   p.b = -|r|^2
 *
 * kind [m], b [m]; rows that are absent are off in the space. Returns |r|; 0: nothing contradicts, r
 * and p are 0. < 0: rounding keeps it from ending.
 */
double zg_find_conflict(const zg_relation_task *task, const uint8_t *kind, const double *b,
                        double *r, double *p);

/*
 * lambda [m] becomes the share of least W'^-1 norm with the same A^T lambda that is not negative
 * where `pushes` [m]; rows that are off are not touched. False: it was not found, lambda is of
 * least norm without regard to signs where `pushes` is NULL, else as before.
 */
bool zg_find_shares(const zg_relation_task *task, const bool *pushes, double *lambda);

/* unique [m]: whether the multiplier is the same in all shares that `pushes` allows, of which
 * lambda is one. */
void zg_find_unique_shares(const zg_relation_task *task, const bool *pushes, const double *lambda,
                           bool *unique);

#endif
