/*
 * Writing fused programs (compile/fused.h): the system of one *form* as nodes of a pool, and the
 * solve as operations on them. What is zero stays zero, so the sparsity of M and A costs nothing.
 * fuse_terms.c writes out the families' terms, fuse_solve.c the solve, fuse_friction.c what slides,
 * build_fused.c the programs. Everything lives in two pools of the builder and its scratch arena;
 * only the programs stay.
 */
#ifndef ZR_FUSER_H
#define ZR_FUSER_H

#include "contact_laws.h"
#include "fused.h"

/* The system as nodes; matrices by rows, dense, 0 where there is nothing. */
typedef struct zr_fuser {
    zr_builder *b;
    zx_pool *pool;
    int32_t n, m;
    zx_node zero, one;
    const zr_fused_form *form;
    const int8_t *known; /* [values] what a mask is in this form, -1: a value; NULL: all are */
    zx_node *M, *Q, *A, *right; /* [n*n] [n] [m*n] [m] */
    bool *massless;             /* [n] coordinates without a mass of their own */
    bool lacks_mass;            /* there are some */
    zx_node *level;             /* [4 m] as zw_sim has it */
    zx_node *T, *slip, *number; /* [slips*n] [slips] [numbers]; of contact_laws.h */
} zr_fuser;

/* ----------------------------------------------------------------------------- nodes */

static inline zx_node zr_plus(zr_fuser *f, zx_node x, zx_node y)
{
    return zx_binary(f->pool, ZX_ADD, x, y);
}

static inline zx_node zr_minus(zr_fuser *f, zx_node x, zx_node y)
{
    return zx_binary(f->pool, ZX_SUB, x, y);
}

/* Products with 0 vanish whatever the other factor is. */
static inline zx_node zr_times(zr_fuser *f, zx_node x, zx_node y)
{
    if (x == f->zero || y == f->zero) return f->zero;
    return zx_binary(f->pool, ZX_MUL, x, y);
}

static inline zx_node zr_inverse(zr_fuser *f, zx_node x)
{
    return zx_binary(f->pool, ZX_DIV, f->one, x);
}

static inline zx_node zr_absolute(zr_fuser *f, zx_node x)
{
    return zx_unary(f->pool, ZX_ABS, x);
}

static inline zx_node zr_number_node(zr_fuser *f, double x)
{
    return zx_number(f->pool, x);
}

/* A list in scratch, all entries the number 0. */
static inline zx_node *zr_new_nodes(zr_fuser *f, int64_t count)
{
    zx_node *list = ZB_NEW_ARRAY(&f->b->scratch, zx_node, (size_t)count);
    for (int64_t i = 0; i < count; i++) list[i] = f->zero;
    return list;
}

/* Of x and y [n]. */
static inline zx_node zr_dot_nodes(zr_fuser *f, int32_t n, const zx_node *x, const zx_node *y)
{
    zx_node sum = f->zero;
    for (int32_t k = 0; k < n; k++) sum = zr_plus(f, sum, zr_times(f, x[k], y[k]));
    return sum;
}

/* ----------------------------------------------------------------- terms (fuse_terms.c) */

/* An instance of a family that is written out. */
typedef struct zr_written {
    const zr_fuser *fuser;
    const zm_family *family;
    int32_t number;
    const zx_node *measures;      /* [measure_count] what reactions are, or NULL */
    const zx_node *accelerations; /* [n] what these are, or NULL */
} zr_written;

/* zx_leaf_fn: a slot of the family becomes the coordinate, value or measure it is bound to. */
zx_node zr_bind_leaf(void *user, zx_pool *to, const zx_item *leaf);

/* Adds the outputs of passes to the nodes of matrix and vector: what zr_evaluate_passes does with
 * numbers. as: measures and accelerations, where they stand in the passes; or NULL. */
void zr_write_passes(zr_fuser *f, const zr_passes *passes, const zr_written *as, zx_node *matrix,
                     zx_node *vector);
void zr_write_system(zr_fuser *f); /* all nodes of the fuser, for its form */
/* A multiplier, or a reaction as zm_measure_kind says, from lambda [m]. */
zx_node zr_write_measure(zr_fuser *f, const zm_measure *what, const zx_node *lambda);
/* force [n] of some rows, A^T lambda. */
void zr_write_row_force(zr_fuser *f, const zx_node *lambda, int32_t first, int32_t count,
                        zx_node *force);

/* ----------------------------------------------------------------- forms (fuse_forms.c) */

enum { zr_most_fused = 48 }; /* coordinates and rows of a form */

/* The forms that are to be tried, in scratch; their number. complete: those that read masks are not
 * needed. */
int32_t zr_list_forms(zr_builder *b, zr_fused_form **forms, bool *complete);
int64_t zr_form_limit(const zr_fused_form *form); /* operations of its acceleration at most */

/* ----------------------------------------------------------------- solve (fuse_solve.c) */

/* K E K^T of a symmetric matrix [size*size]. */
typedef struct zr_triangle {
    int32_t size;
    zx_node *K;       /* [size*size] unit lower, its diagonal left out */
    zx_node *E;       /* [size] the pivots */
    zx_node *inverse; /* [size] 1 / E */
} zr_triangle;

/* The factored equations of those rows of A that take part. */
typedef struct zr_fused_solver {
    int32_t rows;
    const int32_t *row; /* [rows] */
    zx_node *M;         /* [n*n] with the weighed rows added where coordinates have no mass */
    zx_node *weight;    /* [rows] of these, 0: not added; NULL: none is */
    zr_triangle mass, schur;
    zx_node *G;    /* [rows*n] L^-1 A_i */
    zx_node *S;    /* [rows*rows] the Schur complement */
    zx_node okay;  /* 1 where M is definite */
    zx_node guard; /* bound of the condition of S scaled, infinite where M is not definite */
} zr_fused_solver;

/* M, the Schur complement of the rows row [rows] of A, and the guard. */
zr_fused_solver zr_write_factors(zr_fuser *f, const int32_t *row, int32_t rows);
/* g [n] = L^-1 force; lambda [rows], of M z = force + A^T lambda, A z = right; NULL: 0. */
void zr_write_multipliers(zr_fuser *f, const zr_fused_solver *s, const zx_node *force,
                          const zx_node *right, zx_node *g, zx_node *lambda);
/* z [n] from both. */
void zr_write_motion(zr_fuser *f, const zr_fused_solver *s, const zx_node *g, const zx_node *lambda,
                     zx_node *z);
/* z [n], lambda [rows] = GG(force, right). */
void zr_write_solution(zr_fuser *f, const zr_fused_solver *s, const zx_node *force,
                       const zx_node *right, zx_node *z, zx_node *lambda);
/* z and lambda are corrected once by their residual, where what is factored is not diagonal. */
void zr_write_refinement(zr_fuser *f, const zr_fused_solver *s, const zx_node *force,
                         const zx_node *right, zx_node *z, zx_node *lambda);
/* The largest of sizes [count], none of which is below 0; a NaN among them is the answer. */
zx_node zr_write_largest(zr_fuser *f, const zx_node *size, int32_t count);

/* ------------------------------------------------------------ friction (fuse_friction.c) */

/* A friction that slides, or may. */
typedef struct zr_fused_slide {
    int32_t friction;
    zx_node *direction; /* [width] d */
    zx_node *column;    /* [n] the force per unit of pressure, -mu T^T d */
    zx_node *g;         /* [n] L^-1 of it */
    zx_node *way;       /* [rows] multipliers per unit of pressure */
} zr_fused_slide;

typedef struct zr_fused_slides {
    const zr_fused_solver *solver;
    zr_fused_slide *list;
    int32_t count;
    int32_t *place; /* [m] among the rows of the solver, -1: not among them */
    zx_node
        guard; /* what friction makes of noise, at least 1; infinite: pressures were not found */
} zr_fused_slides;

zr_fused_slides zr_write_slides(zr_fuser *f, const zr_fused_solver *s);

/* Where the nodes of an answer go. */
typedef struct zr_fused_answer {
    zx_node *z, *lambda; /* [n] [rows] */
    zx_node *pressure;   /* [frictions] of what slides */
    zx_node *friction;   /* [n] the force of it */
} zr_fused_answer;

/* GG(force, right) with the friction of all that slides. */
void zr_write_sliding(zr_fuser *f, zr_fused_slides *all, const zx_node *force, const zx_node *right,
                      const zr_fused_answer *to);
/* The friction along each row that slides is added to lambda [m]. */
void zr_write_sliding_rows(zr_fuser *f, const zr_fused_slides *all, const zx_node *pressure,
                           zx_node *lambda);
/* The functions that tell when contacts change, [zr_touch_functions], then the rates of open
 * contacts, [contacts]; from accelerations z [n] and the acting multipliers [m]. */
void zr_write_watched(zr_fuser *f, const zr_fused_slides *all, const zx_node *z,
                      const zx_node *lambda, zx_node *out);

#endif
