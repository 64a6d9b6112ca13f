/*
 * built_system.h: sparse systems built row by row, for the tests of rank and diagnosis.
 *
 * M is diagonal. Rods join points of the plane; a rod's row holds the unit vector between its ends,
 * so that b is the relative acceleration of its ends along it.
 */
#ifndef TESTS_GAUSS_BUILT_SYSTEM_H
#define TESTS_GAUSS_BUILT_SYSTEM_H

#include "gauss.h"
#include "memory.h"
#include "system.h"

typedef struct built {
    int32_t n, m, room, cells;
    int32_t *start, *column; /* rows of A */
    double *value;
    double *b;                             /* [m] */
    double *weight;                        /* [m] the diagonal of W, or its blocks; NULL: 1 */
    int32_t *weight_start, *weight_column; /* of the blocks; NULL: a diagonal */
    double *mass;                          /* [n] */
    int32_t *counts;                       /* 0, 1, 2, ...: the pattern of a diagonal */
    double *x, *y;                         /* [n / 2] points */
    zb_memory memory;
    zg_system *g; /* after built_factor */
} built;

built *built_new(int32_t n);
void built_free(built *s);
uint64_t built_random(uint64_t *state);
double built_real(uint64_t *state); /* -1 .. 1 */

/* The next row; columns ascending. Returns its number. */
int32_t built_row(built *s, int32_t count, const int32_t *columns, const double *values);
int32_t built_rod(built *s, int32_t i, int32_t j);

/* side * side points, jittered, rods to the right, up and along one diagonal; mixed: declared in
 * a random order. */
built *built_lattice(int32_t side, double jitter, bool mixed, uint64_t seed);
/* A chain of rods hanging from a fixed point, every `doubled`-th declared once more at the end. */
built *built_chain(int32_t links, int32_t doubled);
/* Points on a line, each joined to the next, the first to the ground; closed: the last, too. */
built *built_line(int32_t links, bool closed);
/* Bays of a ladder with both diagonals. */
built *built_ladder(int32_t bays);

/* Weights over some decades, by pairs of rows in blocks; after the last row. */
void built_weights(built *s, bool blocks, uint64_t seed);

/* b = A z for a z made up. */
void built_agree(built *s, uint64_t seed);

/* Plans and factors; a system that is there already is freed. */
void built_factor(built *s, zw_solver solver);
int32_t built_rank(built *s);
zw_diagnosis *built_diagnose(built *s);

/* |A^T s| over the terms it is summed from; the set's own arrays. */
double built_imbalance(const built *s, const zw_dependent_set *set);

#endif
