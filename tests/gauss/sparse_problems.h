/*
 * sparse_problems.h: constrained accelerations of a fixed sparsity, of every kind.
 *
 * A net is nodes joined by rods, some of them to the ground; a rod's row holds the difference of
 * its two positions. Positions, entries and the coefficients of dependent rows are dyadic, so that
 * dependence is exact and not a matter of rounding. Kind and seed together give always the same
 * problem.
 */
#ifndef TESTS_GAUSS_SPARSE_PROBLEMS_H
#define TESTS_GAUSS_SPARSE_PROBLEMS_H

#include "random_numbers.h"
#include "system.h"

#define NET_LIST(X)                                                                                \
    X(NET_CHAIN, "chain")                                                                          \
    X(NET_LOOP, "closed loop")                                                                     \
    X(NET_LADDER, "ladder")                                                                        \
    X(NET_CROSSED, "ladder with both diagonals") /* one redundant rod a bay */                     \
    X(NET_TREE, "binary tree")                                                                     \
    X(NET_LATTICE, "triangulated lattice")                                                         \
    X(NET_STAR, "star") /* all rods end at one body */                                             \
    X(NET_GRAPH, "random graph of rods")                                                           \
    X(NET_SPARSE, "random sparse rows")

#define NET_MASS_LIST(X)                                                                           \
    X(MASS_PLAIN, "diagonal M")                                                                    \
    X(MASS_BLOCKS_2, "M of blocks of 2")                                                           \
    X(MASS_BLOCKS_3, "M of blocks of 3")                                                           \
    X(MASS_BLOCKS_6, "M of blocks of 6")                                                           \
    X(MASS_GENERAL, "general sparse M")                                                            \
    X(MASS_ZERO_ROWS, "M with zero rows") /* A determines the rest */                              \
    X(MASS_SEMIDEFINITE, "semidefinite M")

#define NET_WEIGHT_LIST(X)                                                                         \
    X(WEIGHT_NONE, "W = 1")                                                                        \
    X(WEIGHT_DECADES, "diagonal W over 6 decades")                                                 \
    X(WEIGHT_BLOCKS, "W of blocks of 3")                                                           \
    X(WEIGHT_FULL, "full W")

#define NET_EXTRA_LIST(X)                                                                          \
    X(EXTRA_NONE, "as it is")                                                                      \
    X(EXTRA_REDUNDANT, "dependent rows mixed in") /* sums, copies, zero rows; b agrees */          \
    X(EXTRA_CONTRADICTORY, "contradictory b")     /* the same rows; b does not */

#define NET_ENUM(name, text) name,
typedef enum net_shape { NET_LIST(NET_ENUM) NET_SHAPES } net_shape;
typedef enum net_mass { NET_MASS_LIST(NET_ENUM) NET_MASSES } net_mass;
typedef enum net_weight { NET_WEIGHT_LIST(NET_ENUM) NET_WEIGHTS } net_weight;
typedef enum net_extra { NET_EXTRA_LIST(NET_ENUM) NET_EXTRAS } net_extra;
#undef NET_ENUM

typedef struct net_kind {
    net_shape shape;
    net_mass mass;
    net_weight weight;
    net_extra extra;
    int32_t rows; /* about so many before others are mixed in */
} net_kind;

/* The k-th combination of shape, mass and extra rows, the weights in `turn`. */
enum { NET_KINDS = NET_SHAPES * NET_MASSES * NET_EXTRAS };
net_kind net_kind_of(int32_t k, int32_t turn, int32_t rows);

/* Patterns and values belong to it. */
typedef struct sparse_problem {
    net_kind kind;
    uint64_t seed;
    zg_structure is; /* solver: auto */
    zg_values values;
    double *Q, *C; /* [n]; C is 0 when absent */
    double *b;     /* [m] */
    double *x;     /* [n] any motion, to be projected */
    bool with_C;
    void *owned[12];
} sparse_problem;

sparse_problem *net_make(const net_kind *kind, uint64_t seed);
void net_free(sparse_problem *p);
void net_describe(const sparse_problem *p, char *text, size_t size);

/* A triangulated lattice of side x side nodes under a shear, free in the plane, M diagonal and
 * dyadic, W diagonal of powers of two. Its answer is known without solving anything:
 *
 *     b = A z - W^-1 s,   Q = M z - A^T lambda,   A^T s = 0,
 *
 * for z and lambda made up beforehand; s sums self-stresses, one for each hexagon around a node
 * (spokes +1, rim -1). All of it is exact in double precision. Contradictory: s is not 0. */
typedef struct known_lattice {
    sparse_problem *p;
    double *z;     /* [n] the acceleration */
    double *force; /* [n] M z - Q, all of it ideal */
    double *lost;  /* [m] A z - b */
} known_lattice;

known_lattice lattice_make(int32_t side, bool contradictory, uint64_t seed);
void lattice_free(known_lattice *l);

/* The rank of [M; A], M or A, exactly but for a chance of 1e-9: by elimination modulo a prime. For
 * a few hundred rows. */
int32_t net_rank(const sparse_problem *p, bool of_mass, bool of_rows);

/* Dense copies, which the caller frees: M [n*n], A [m*n], W [m*m]. */
double *net_dense_mass(const sparse_problem *p);
double *net_dense_rows(const sparse_problem *p);
double *net_dense_weight(const sparse_problem *p);

#endif
