/*
 * Expressions for people, private to expr: what the files of the reading pass share.
 *
 * An expression is seen as a *polynomial*: a sum of terms, each a number times powers of *atoms*.
 * An atom is a node of the result that is not taken apart: a leaf, a function of arguments that were
 * read before, or a sum that stays in brackets. Exponents may be negative. Terms are sorted by their
 * atoms, and no two have the same.
 *
 *     polynomial.c     sums and products of polynomials
 *     squares.c        a^2 + 2 a b + b^2 = (a + b)^2
 *     trigonometry.c   sin^2 + cos^2 = 1, and the addition theorems backwards
 *     compose.c        a polynomial as an expression, with common factors in front
 *     reading.c        the pass: candidates for every subexpression, the shortest is taken
 *     prove_equal.c    the result against the original at random points
 *
 * Everything lives in the scratch arena of the pool of the result until the pass ends.
 */
#ifndef ZX_READING_H
#define ZX_READING_H

#include "walk.h"

typedef struct zx_factor {
    zx_node atom;
    int32_t exponent; /* not 0 */
} zx_factor;

/* size: the sum of the magnitudes that c was added up from, to tell a zero from a small number. */
typedef struct zx_term {
    double c, size;
    int32_t count;
    zx_factor *factors; /* [count] by atom */
} zx_term;

typedef struct zx_polynomial {
    int32_t count;
    zx_term *terms; /* [count] sorted, see zx_compare_terms */
} zx_polynomial;

/* What is known of a node of the result. */
typedef struct zx_known {
    const zx_polynomial *polynomial; /* NULL: not known */
    const zx_term *lump;             /* the same as one product, its sums as atoms; or NULL */
    zx_node plain;                   /* as written, its functions read; or ZX_NONE */
    zx_node best;                    /* to be printed; or ZX_NONE */
    double cost;                     /* of it as a tree: about half its characters */
    int64_t rank;                    /* among atoms of its kind; of a sum that of its first leaf */
    bool varies;                     /* time, a coordinate or a measure stands in it */
    uint8_t uses;                    /* of reading.c */
} zx_known;

typedef struct zx_reader {
    zx_pool *pool; /* of the result; it does not commute, and operands keep their order */
    const zx_reading *how;
    int64_t budget;  /* terms that may still be made; below 0 everything stays as it is */
    zx_known *known; /* [capacity] by node, the first `count` filled in */
    int32_t count, capacity;
} zx_reader;

/* Fills in r->known for all nodes there are: costs, and what varies. */
void zx_learn(zx_reader *r);
/* What is known of a node; the address holds until something more is learned. */
zx_known *zx_know(zx_reader *r, zx_node node);
double zx_cost(zx_reader *r, zx_node node);

/* ---------------------------------------------------------- polynomial.c */

int zx_compare_factors(const zx_term *a, const zx_term *b); /* ignores c */
const zx_polynomial *zx_constant_polynomial(zx_reader *r, double c);
const zx_polynomial *zx_atom_polynomial(zx_reader *r, zx_node atom, int32_t exponent);
const zx_polynomial *zx_one_term(zx_reader *r, const zx_term *term);
/* a + c b */
const zx_polynomial *zx_add_polynomials(zx_reader *r, const zx_polynomial *a, double c,
                                        const zx_polynomial *b);
/* NULL: it would have too many terms, or the budget is spent. */
const zx_polynomial *zx_multiply_polynomials(zx_reader *r, const zx_polynomial *a,
                                             const zx_polynomial *b);
zx_term zx_multiply_terms(zx_reader *r, const zx_term *a, const zx_term *b);
zx_term zx_term_power(zx_reader *r, const zx_term *a, int32_t exponent);
/* Sorts terms [count], adds up equal ones, drops zeros. */
const zx_polynomial *zx_collect_terms(zx_reader *r, zx_term *terms, int32_t count);
/* The number and atoms that all terms have, as a term; c has the sign of the first. */
zx_term zx_common_content(zx_reader *r, const zx_polynomial *p);
const zx_polynomial *zx_divide_by_term(zx_reader *r, const zx_polynomial *p, const zx_term *by);
int32_t zx_exponent_in(const zx_term *term, zx_node atom); /* 0: it is not there */
/* The term with exponents of some atoms changed. */
zx_term zx_replace_factors(zx_reader *r, const zx_term *term, const zx_factor *change,
                           int32_t count);

/* -------------------------------------------------------------- squares.c */

/* The polynomial whose square p is; NULL: there is none. */
const zx_polynomial *zx_square_root(zx_reader *r, const zx_polynomial *p);

/* Three terms of a polynomial as before * root^2, root a sum of two. */
typedef struct zx_square {
    zx_term before;
    const zx_polynomial *root, *all, *rest; /* all: the three; rest: the others */
} zx_square;
/* The first such; false: there is none. */
bool zx_find_square(zx_reader *r, const zx_polynomial *p, zx_square *square);

/* -------------------------------------------------------- trigonometry.c */

const zx_polynomial *zx_contract_trigonometry(zx_reader *r, const zx_polynomial *p);

/* --------------------------------------------------------------- compose.c */

/* A polynomial as an expression. */
zx_node zx_compose(zx_reader *r, const zx_polynomial *p);
/* Term for term: nothing is put before brackets but constants of one product. Of constants alone, and
 * with accelerations or multipliers, whose factors belong together, as above. */
zx_node zx_compose_apart(zx_reader *r, const zx_polynomial *p);
/* One term. */
zx_node zx_compose_term(zx_reader *r, const zx_term *term);
/* The term that is written first in a sum; zx_compare_written says which of two is. */
const zx_term *zx_leading_term(zx_reader *r, const zx_polynomial *p);
int zx_compare_written(const zx_reader *r, const zx_term *a, const zx_term *b);
/* Number and atoms of all terms, signed as the one written first; and the rest. */
zx_term zx_take_content(zx_reader *r, const zx_polynomial *p, const zx_polynomial **rest);

/* A sum of nodes under way; the leading terms decide their places. */
typedef struct zx_summand {
    bool minus;
    zx_node node;
    const zx_term *leading;
} zx_summand;
typedef struct zx_sum {
    zx_summand *data;
    int32_t count, capacity;
} zx_sum;
void zx_append_summand(zx_reader *r, zx_sum *list, zx_summand summand);
zx_node zx_compose_sum(zx_reader *r, zx_sum *sum);

/* f(argument) as an atom with a number in front: sin(-x) is -sin(x). */
zx_term zx_function_term(zx_reader *r, zx_op op, const zx_polynomial *argument);

/* ----------------------------------------------------------- prove_equal.c */

/* Whether b of pool y has the value of a of pool x wherever a has one, at points of the pass. */
bool zx_prove_equal(zx_pool *x, zx_node a, zx_pool *y, zx_node b);

#endif
