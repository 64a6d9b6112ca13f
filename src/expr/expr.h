/*
 * expr: symbolic expressions, built, differentiated, evaluated and printed.
 *
 * An expression is a node of a directed acyclic graph, the graph a hash-consed *pool*: equal
 * expressions are one node, so common subexpressions are shared by construction. A node is an
 * int32 index; operands always have smaller indices than what uses them, so that a loop in index
 * order meets operands first. Building simplifies (simplify.c); nothing here knows of models.
 *
 * Leaves carry an index whose meaning is the owner's: while a model is elaborated it is the
 * number of a coordinate or parameter, in a family (terms of one shape) the number of a slot.
 *
 * The *shape* of an expression is the expression but for the values of its bound numbers, those
 * that the author wrote by a name. Terms of one shape are compiled once, and a bound number is
 * then data.
 *
 * The pool takes its memory from zb_memory; when that runs out it jumps to `escape`, which must
 * be set, so that callers need no error path of their own.
 */
#ifndef ZX_EXPR_H
#define ZX_EXPR_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "base.h"

typedef int32_t zx_node;
enum { ZX_NONE = -1 };

/* Every operation: symbol, operands, name in text. Comparisons and logic give 0 or 1. */
#define ZX_OP_LIST(X)                                                                              \
    /* leaves */                                                                                   \
    X(ZX_NUMBER, 0, "number") /* a literal: part of the shape */                                   \
    X(ZX_BOUND, 0, "bound")   /* a number that came through a name: not part of the shape */       \
    X(ZX_TIME, 0, "t")                                                                             \
    X(ZX_POSITION, 0, "q")                                                                         \
    X(ZX_VELOCITY, 0, "v")                                                                         \
    X(ZX_ACCELERATION, 0, "z")                                                                     \
    X(ZX_VALUE, 0, "value")     /* a parameter */                                                  \
    X(ZX_MEASURE, 0, "measure") /* a multiplier or reaction */                                     \
    /* one operand */                                                                              \
    X(ZX_NEG, 1, "-")                                                                              \
    X(ZX_POWI, 1, "^") /* integer power, exponent in b: |b| >= 2, or b = -1.. */                   \
    X(ZX_SIN, 1, "sin")                                                                            \
    X(ZX_COS, 1, "cos")                                                                            \
    X(ZX_TAN, 1, "tan")                                                                            \
    X(ZX_ASIN, 1, "asin")                                                                          \
    X(ZX_ACOS, 1, "acos")                                                                          \
    X(ZX_ATAN, 1, "atan")                                                                          \
    X(ZX_SINH, 1, "sinh")                                                                          \
    X(ZX_COSH, 1, "cosh")                                                                          \
    X(ZX_TANH, 1, "tanh")                                                                          \
    X(ZX_EXP, 1, "exp")                                                                            \
    X(ZX_LOG, 1, "log")                                                                            \
    X(ZX_SQRT, 1, "sqrt")                                                                          \
    X(ZX_ABS, 1, "abs")                                                                            \
    X(ZX_SIGN, 1, "sign")                                                                          \
    X(ZX_FLOOR, 1, "floor")                                                                        \
    X(ZX_NOT, 1, "not")                                                                            \
    /* two operands */                                                                             \
    X(ZX_ADD, 2, "+")                                                                              \
    X(ZX_SUB, 2, "-")                                                                              \
    X(ZX_MUL, 2, "*")                                                                              \
    X(ZX_DIV, 2, "/")                                                                              \
    X(ZX_POW, 2, "^")                                                                              \
    X(ZX_ATAN2, 2, "atan2")                                                                        \
    X(ZX_HYPOT, 2, "hypot")                                                                        \
    X(ZX_MIN, 2, "min")                                                                            \
    X(ZX_MAX, 2, "max")                                                                            \
    X(ZX_TABLE, 2, "table") /* of data at a; b: a literal, zx_table_code */                        \
    X(ZX_LT, 2, "<")                                                                               \
    X(ZX_LE, 2, "<=")                                                                              \
    X(ZX_EQ, 2, "==")                                                                              \
    X(ZX_NE, 2, "!=")                                                                              \
    X(ZX_AND, 2, "and")                                                                            \
    X(ZX_OR, 2, "or")                                                                              \
    /* three: condition, value if not 0, value if 0; the branch not taken has no influence */      \
    X(ZX_SELECT, 3, "if")

typedef enum zx_op {
#define ZX_OP_ENUM(name, operands, text) name,
    ZX_OP_LIST(ZX_OP_ENUM)
#undef ZX_OP_ENUM
        ZX_OP_COUNT
} zx_op;

/* How many operands an operation has, 0 to 3; operations are listed in this order. */
static inline int zx_operands(zx_op op)
{
    return op < ZX_NEG ? 0 : op < ZX_ADD ? 1 : op < ZX_SELECT ? 2 : 3;
}
const char *zx_op_name(zx_op op); /* "sin" */

/* Data as a function of one number: *pieces* 0 .. pieces - 1 between the knots x, polynomials
 *
 *     c[0] + s (c[1] + s (c[2] + s c[3])),     s = x - knot of the piece
 *
 * of a degree of 0 (each value holds up to the next knot), 1 or 3 (twice continuously
 * differentiable). Beyond the knots pieces -1 and `pieces` go on along the tangent if it `extends`,
 * else it has no value there; a periodic one has all pieces. */
typedef struct zx_table {
    int32_t pieces;
    int32_t degree;
    bool periodic, extends;
    double *x; /* [pieces + 1] ascending */
    double *c; /* [4 (pieces + 2)] of pieces -1 .. pieces */
} zx_table;

typedef struct zx_tables {
    const zx_table **list; /* [count] */
    int32_t count;
} zx_tables;

/* A piece as numbers, also of one that data which end have not: it is as the nearest. number + (x' - from) per_length, of a place x', counts knots: its floor is the
 * number of the piece, and another one beyond the ends of the piece. */
typedef struct zx_piece {
    double x, c[4];
    double from, number, per_length;
} zx_piece;

/* What a node is. a, b, c: operands; of leaves a is the index; of ZX_POWI a the base, b the
 * exponent; of numbers a and b hold the bits of the double (zx_number_of). Unused ones are 0. */
typedef struct zx_item {
    int32_t op;
    int32_t a, b, c;
} zx_item;

/* A time derivative that is remembered: of which node, and how many nodes there were then. */
typedef struct zx_rated {
    zx_node node;
    int32_t count;
} zx_rated;

typedef struct zx_pool {
    zb_memory *memory;
    jmp_buf *escape; /* where to go when memory runs out */
    bool commute;    /* a + b and b + a are one node (smaller index first). Off while a model is
                        elaborated: there the order is the author's, and shapes must not
                        depend on what else is in the pool */
    zx_item *items;  /* [count] */
    int32_t *next;   /* [count] chain of equal hash */
    int32_t *heads;  /* [buckets] */
    int32_t count, capacity, buckets;
    const zx_tables *tables; /* of ZX_TABLE; NULL: there are none */
    zx_node *rates;          /* [capacity] memo of zx_time_derivative: ZX_NONE - 1 when not known */

    /* private to expr */
    uint32_t *marks;          /* [capacity] number of the walk (walk.h) that last came here */
    int32_t *places;          /* [capacity] position in that walk */
    zx_node *list;            /* [capacity] the nodes a walk collects */
    int32_t room[6];          /* of items, next, rates, marks, places, list: at least capacity */
    uint32_t walk;            /* number of the last walk */
    zb_arena scratch;         /* work space of a function, until it returns or escapes */
    ZB_ARRAY(zx_rated) rated; /* the rates known, in the order they were found */
} zx_pool;

/* An empty pool. Whoever builds in it must have set `escape` to a place that is still live. */
void zx_pool_init(zx_pool *pool, zb_memory *memory, jmp_buf *escape, bool commute);
void zx_pool_free(zx_pool *pool);

/* Forgets every node from `count` on (a former pool->count); what refers to them is invalid. */
void zx_pool_release(zx_pool *pool, int32_t count);

/* ---------------------------------------------------------------- building */

/* All of these return the node of the simplified expression, new or found in the pool. */
zx_node zx_number(zx_pool *pool, double value);
zx_node zx_bound(zx_pool *pool, double value); /* 0 and 1 become literals */
zx_node zx_leaf(zx_pool *pool, zx_op op, int32_t index);
zx_node zx_unary(zx_pool *pool, zx_op op, zx_node a);
zx_node zx_binary(zx_pool *pool, zx_op op, zx_node a, zx_node b);
zx_node zx_select(zx_pool *pool, zx_node condition, zx_node yes, zx_node no);

/* zx_binary with ZX_POW turns constant integer exponents (|e| <= 64) into ZX_POWI, 1/2 into sqrt;
 * ZX_POWI is built by this one only. A constant exponent is always made a literal. */
zx_node zx_power(zx_pool *pool, zx_node a, int32_t exponent);

/* zx_binary with ZX_TABLE: b is the literal of this code, of a table and how often it has been
 * differentiated, at most `degree` times. */
static inline double zx_table_code(int32_t table, int32_t degree, int32_t order)
{
    return (double)table * 16.0 + degree * 4 + order;
}
typedef struct zx_tabulated {
    int32_t table, degree, order;
} zx_tabulated;
zx_tabulated zx_tabulated_by(double code);

/* The node of exactly this item, found or added, without simplifying; for copies whose shape must
 * not change. Operands must be nodes of the pool. */
zx_node zx_intern(zx_pool *pool, const zx_item *item);

/* Whether it is ZX_NUMBER or ZX_BOUND, and which. */
bool zx_is_constant(const zx_pool *pool, zx_node node, double *value);
double zx_number_of(const zx_item *item);

/* ----------------------------------------------------------------- looking */

/* Which kinds of leaves occur below some nodes: what the expressions depend on. */
typedef struct zx_reach {
    bool time, position, velocity, acceleration, value, measure;
} zx_reach;
zx_reach zx_reaches(zx_pool *pool, const zx_node *roots, int32_t count);

/* The nodes below roots (roots included) in index order: a list of *count indices that the caller
 * frees by zb_resize(memory, list, *count * sizeof, 0). Jumps when memory runs out. */
zx_node *zx_below(zx_pool *pool, const zx_node *roots, int32_t count, int32_t *below_count);

/* Operations (not leaves) below roots, ZX_POWI counted as the multiplications it takes. */
int64_t zx_operation_count(zx_pool *pool, const zx_node *roots, int32_t count);

/* Copies roots from one pool into another, leaves through `leaf` (NULL: unchanged), simplifying
 * anew. `leaf` is asked for every leaf but ZX_NUMBER, bound numbers and the time included; where
 * it returns ZX_NONE the leaf stays as it is. out [count]. The two pools must differ. */
typedef zx_node (*zx_leaf_fn)(void *user, zx_pool *to, const zx_item *leaf);
void zx_copy(zx_pool *to, zx_pool *from, const zx_node *roots, int32_t count, zx_leaf_fn leaf,
             void *user, zx_node *out);

/* --------------------------------------------------------- differentiating */

/* Total time derivative along the motion: q' = v, v' = z, t' = 1. ZX_NONE when an acceleration
 * or a measure would have to be differentiated. Remembered per node. */
zx_node zx_time_derivative(zx_pool *pool, zx_node node);

/* The derivative of every root in one direction: leaf i of a kind moves by the node
 * position[i], ... ; NULL arrays and ZX_NONE entries do not move. out [count]; exact zeros come
 * out as the number 0. */
typedef struct zx_direction {
    const zx_node *position, *velocity, *acceleration; /* [slots] each, or NULL */
    int32_t slots;
    zx_node time;                   /* ZX_NONE: stands still */
    const zx_node *value, *measure; /* [values], [measures], or NULL */
    int32_t values, measures;
} zx_direction;
void zx_directional(zx_pool *pool, const zx_node *roots, int32_t count, const zx_direction *d,
                    zx_node *out);

/* One reverse sweep: the derivative of sum seeds[k] * roots[k] by every leaf of the three kinds.
 * Each of the arrays is [slots] or NULL when not wanted; zeros come out as the number 0.
 * seeds NULL: all 1. An infinite derivative in a branch not taken (select, min, max) never reaches
 * the result. */
typedef struct zx_gradient {
    zx_node *position, *velocity, *acceleration;
    int32_t slots;
} zx_gradient;
void zx_reverse(zx_pool *pool, const zx_node *roots, const zx_node *seeds, int32_t count,
                const zx_gradient *out);

/* -------------------------------------------------------------- evaluating */

/* The one meaning of every operation in double precision, by base's own elementary functions:
 * the same bits as every other evaluator of Zwang. ZX_TABLE is not known here. Operands that an operation does not have are
 * ignored; of ZX_POWI b is the exponent. */
double zx_apply(zx_op op, double a, double b, double c);
double zx_look_up(const zx_tables *tables, double a, double code); /* ZX_TABLE; NaN without */
double zx_power_of(double a, int32_t exponent); /* by the same multiplications as programs */

/* The value of root, node by node; for building models, not for simulating them. leaf gives the
 * value of a leaf (numbers excepted). */
typedef double (*zx_value_fn)(void *user, const zx_item *leaf);
double zx_evaluate(zx_pool *pool, zx_node root, zx_value_fn leaf, void *user);

/* The first node below roots whose value is infinite or not a number although its operands are
 * finite, with the values of its operands; ZX_NONE when there is none that matters: what stands
 * only in a branch not taken does not. */
zx_node zx_first_bad(zx_pool *pool, const zx_node *roots, int32_t count, zx_value_fn leaf,
                     void *user, double operands[3]);

/* ------------------------------------------------------------------ tables */

/* Fills in x and c, which are taken from the arena; the rest of the table is set. x [rows] ascends
 * and has 2 rows, of degree 3 has 3, of a periodic one of degree 3 has 4, whose last is the first
 * again. False: the arena has no memory. */
bool zx_table_make(zb_arena *arena, zx_table *table, const double *x, const double *y,
                   int32_t rows);
/* Whether there is a value at x. */
bool zx_table_has(const zx_table *table, double x);
/* The number of the piece that x is in; NaN where x is no number. */
double zx_table_piece(const zx_table *table, double x);
/* Of a number between two whole ones what is between both pieces, about the knot where they meet. */
zx_piece zx_table_numbers(const zx_table *table, double piece);
/* The derivative of this order. */
double zx_table_value(const zx_table *table, int32_t order, double x);

/* ----------------------------------------------------------------- reading */

/* The place of a leaf among those of its kind in a product: smaller ones stand before larger ones. */
typedef int64_t (*zx_rank_fn)(void *user, const zx_item *leaf);

typedef struct zx_reading {
    zx_rank_fn rank; /* NULL: by index */
    void *user;
    bool apart; /* the terms of a root stay apart, if that does not make it much longer */
} zx_reading;

/* Copies roots into another pool, which does not commute, as people write them: numbers multiplied
 * out, equal terms added, sin^2 + cos^2 = 1, addition theorems backwards, common factors in front.
 * Each result has been compared with its root at random points; how many were refused for that, and
 * are mere copies. */
int32_t zx_read(zx_pool *to, zx_pool *from, const zx_node *roots, int32_t count,
                const zx_reading *how, zx_node *out);

/* ---------------------------------------------------------------- printing */

typedef enum zx_form { ZX_TEXT, ZX_LATEX, ZX_C, ZX_MATHML, ZX_SYMPY } zx_form;

/* Writes a leaf that is not a number or the time: x[2]' in text, \dot x_{2} in LaTeX, one element in
 * MathML; of an item ZX_TABLE whose a is the table and b the order its name: road'. What it
 * writes is taken as one unbreakable operand. NULL in the place of such a function: q1, v1. */
typedef void (*zx_name_fn)(void *user, const zx_item *leaf, zx_form form, zb_text *text);

/* One expression, with as few brackets as can be; text is in the model language and reads back as
 * the same expression. An expression of more than `limit` operations as a tree is cut with "...";
 * 0: no limit. */
void zx_print(zx_pool *pool, zx_node node, zx_form form, zx_name_fn name, void *user, int64_t limit,
              zb_text *text);

/* Several expressions with their common subexpressions as definitions before them: `begin` is
 * called before each definition k (from 1) and each root k (from 0) to write its left side, and
 * what ends the one before. Where definition k is used its name is the prefix and k: with "s" that
 * is s1, s2, ...; s_{1} in LaTeX. */
typedef void (*zx_begin_fn)(void *user, bool definition, int32_t k, zb_text *text);
void zx_print_shared(zx_pool *pool, const zx_node *roots, int32_t count, zx_form form,
                     const char *prefix, zx_name_fn name, zx_begin_fn begin, void *user,
                     zb_text *text);

#endif
