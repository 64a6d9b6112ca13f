/*
 * The writer: what the files that write the programs of one shape of parts share.
 *
 *     write_terms.c      elements ──▶ M, Q, A, b, levels as nodes of expressions
 *     write_rows.c       ──▶ factors of M, S = A M^-1 A^T
 *     write_solve.c      ──▶ right sides, elimination, back substitution: roots of programs
 *     write_violation.c  ──▶ how far rows are off
 *     write_prelude.c    what depends on values only is packed, reads are numbered, all is compiled
 *     write_program.c    all of this in order
 *
 * Nodes live in `pool`, whose leaves mean: ZX_POSITION and ZX_VELOCITY local coordinates, halo
 * included; ZX_VALUE local values; ZX_ACCELERATION uniform numbers; ZX_MEASURE a read, kind and
 * index in one number. Running out of memory jumps to `escape`.
 */
#ifndef ZE_WRITER_H
#define ZE_WRITER_H

#include "eliminate.h"
#include "shape.h"

/* A *touch*: a row and an own body whose coordinates it has entries for; arrays are by coordinate
 * of the body. */
typedef struct ze_touch {
    int32_t row, body;
    zx_node *A; /* [size of the body] of the row over its factor, 0 where there is nothing */
    zx_node *G; /* [size] L^-1 A, where M = L D L^T; of diagonal blocks A itself */
    zx_node *H; /* [size] D^-1 G, or NULL */
} ze_touch;

/* An entry of a row in a halo coordinate: known here, as how far a row is off depends on it. */
typedef struct ze_halo_entry {
    int32_t row, coordinate;
    zx_node A;
} ze_halo_entry;

/* The *roots* of a program: the nodes that are its outputs. Of a back that reads what down has
 * stored: the codes of its purpose, and the nodes that may be stored. */
typedef struct ze_roots {
    ze_code *code;
    zx_node *list;
    int32_t count;
    ze_solve_codes *codes;
    const zx_node *cuts; /* [cut_count] */
    int32_t cut_count;
    bool apart; /* in place of cuts: all that depends on the state alone is stored and read */
} ze_roots;

/* Of a row: phi, rate, their magnitudes, absence. */
enum { ze_absence = 4, ze_levels };

enum { ze_most_rows = ze_most_operations / 10 }; /* each takes more operations than that */
enum { ze_most_roots = 3 * ZE_PURPOSE_COUNT + 2 };

/* The programs of a shape while they are written. */
typedef struct ze_writer {
    zb_memory *memory;
    zb_arena *arena, scratch;
    jmp_buf escape;
    zw_status status;
    zx_pool pool, other; /* nodes of all programs; `other`: those of one at a time */
    const ze_shape *shape;
    const ze_program_options *options;
    ze_programs *programs;
    zx_node zero, one;

    /* Own coordinates by bodies: those of body k are member[first[k] .. first[k + 1]); place [own]:
     * of a coordinate within its body. */
    int32_t *first, *member, *place;
    zx_node **M; /* [bodies] of each its block [size * size], the lower triangle */
    zx_node *Q;  /* [own] */

    /* M = L D L^T body by body; D and its inverse in the order of member. */
    zx_node **L; /* [bodies] like M, NULL: the block is diagonal */
    zx_node *D, *inverse;
    bool *outside;  /* [own] 1 / D is taken out of sums of products */
    zx_node common; /* 1 / D of all own coordinates where that is one node, else ZX_NONE; S is
                       then kept without it, multipliers with it */

    int32_t rows;   /* inner, then outer */
    zx_node *b;     /* [rows] */
    zx_node *level; /* [ze_levels * rows] */
    double *factor; /* [rows] of all entries of A; taken off them */
    ze_touch *touch;
    int32_t *touch_start;        /* [rows + 1] */
    int32_t *by_body;            /* [touches] touches of a body, rows ascending */
    int32_t *by_start;           /* [bodies + 1] */
    ze_halo_entry *halo_entries; /* by rows */
    int32_t halo_entry_count;

    bool *fills;    /* [rows * rows] of S and L */
    int32_t *order; /* [inner] */
    zx_node *S;     /* [rows * rows] lower triangle */

    ze_roots roots[ze_most_roots];
    int32_t root_count;
} ze_writer;

_Noreturn void ze_writer_fail(ze_writer *w, zw_status status);

/* Pools and scratch arena, empty; memory, shape are set. */
void ze_open_writer(ze_writer *w);
void ze_close_writer(ze_writer *w);

/* [count] of the number 0. */
zx_node *ze_zeros(ze_writer *w, int64_t count);

/* ZX_MEASURE index of a read; kinds ascend. */
enum { ze_read_bits = 24 };
zx_node ze_read_node(ze_writer *w, ze_read_kind kind, int32_t index);

/* Sums and products that drop zeros. */
bool ze_is_zero(const ze_writer *w, zx_node x);
zx_node ze_add(ze_writer *w, zx_node x, zx_node y);
zx_node ze_sub(ze_writer *w, zx_node x, zx_node y);
zx_node ze_mul(ze_writer *w, zx_node x, zx_node y);
zx_node ze_scale(ze_writer *w, double factor, zx_node x);

/* Bodies and the pattern of rows on bodies, by elements alone: first, member, place, touches
 * (without nodes), fills, order. What elimination takes. */
int64_t ze_find_pattern(ze_writer *w);

void ze_write_terms(ze_writer *w);
void ze_write_rows(ze_writer *w);      /* factors of M, G, S */
void ze_write_solves(ze_writer *w);    /* adds roots */
void ze_write_violation(ze_writer *w); /* adds roots */

/* x <- L^-1 x and x <- L^-T x of a body, x [size of the body]; nothing where its block is diagonal.
 */
void ze_forward_body(ze_writer *w, int32_t body, zx_node *x);
void ze_backward_body(ze_writer *w, int32_t body, zx_node *x);

/* G of a row times u [own], in the order of member; the same with A. */
zx_node ze_row_times(ze_writer *w, int32_t row, const zx_node *u);
zx_node ze_row_itself_times(ze_writer *w, int32_t row, const zx_node *u);

/* Packs, numbers and compiles what the roots need. */
void ze_compile_all(ze_writer *w);

/* Which touch a row has of a body, or NULL. */
ze_touch *ze_touch_of(const ze_writer *w, int32_t row, int32_t body);

static inline int32_t ze_body_size(const ze_writer *w, int32_t body)
{
    return w->first[body + 1] - w->first[body];
}

#endif
