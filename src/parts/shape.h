/*
 * A *shape* of parts of bodies, in local numbers: what describe_part.c finds all parts of it to
 * have in common, and what the writer (writer.h) makes programs from.
 *
 * coordinates  [0, own) of the part's own bodies; [own, own + halo) of others that its terms read
 * rows         [0, inner) between own bodies only; [inner, inner + outer) shared with other parts
 * values       parameters and constants of the terms; `uniform`: the same for all parts
 * elements     instances of terms with a share in an own coordinate or in one of the rows
 */
#ifndef ZE_SHAPE_H
#define ZE_SHAPE_H

#include "parts.h"

/* A *spot*: where an output of an element belongs, local numbers; -1: not to this part.
 *     M  coordinates (own, or -1), row <= column or not
 *     A  row, coordinate; one of the halo (from own on) matters for how far the row is off only
 *     vectors: row */
typedef struct ze_spot {
    int32_t row, column;
    bool twice;
} ze_spot;

/* An *element*: the outputs of one term for one instance, and what its slots are in this part. */
typedef struct ze_element {
    int32_t terms;             /* which of system->terms */
    int32_t first, count;      /* outputs [first, first + count) of these: all, or one */
    const int32_t *coordinate; /* [slots of the terms] local, -1: not read */
    const int32_t *value;      /* [value slots] local, -1 */
    const ze_spot *spot;       /* [count]; of LEVELS: row = local row, column = 0 .. 3 */
} ze_element;

typedef struct ze_shape {
    const ze_system *system;
    int32_t own, halo, inner, outer;
    const int32_t *body; /* [own] coordinates of one body are coupled in M; bodies from 0 on */
    int32_t bodies;
    const bool *owned;       /* [inner + outer] b (and levels) of the row are this part's to add */
    const ze_row_kind *kind; /* [inner + outer] */
    int32_t value_count;
    const bool *uniform; /* [value_count] */
    const ze_element *elements;
    int32_t element_count;
} ze_shape;

/* ----------------------------------------------------------------------- programs */

/* What a pair of programs, down and back, is for. */
typedef enum ze_purpose {
    ZE_ACCELERATION, /* rhs b - A M^-1 Q; back: z */
    ZE_POSITIONS,    /* rhs -phi of holonomic rows; other rows are left out (1 on the diagonal) */
    ZE_VELOCITIES,   /* rhs -rate of all rows but those of accelerations */
    ZE_DAMPED,       /* as ACCELERATION, the diagonal times 1 + damping; back: z and lambda */
    ZE_REFINED,      /* corrects z and lambda of DAMPED by what is missing of A z = b */
    ZE_PURPOSE_COUNT
} ze_purpose;

/* Leaves of the programs: ZX_POSITION s, ZX_VELOCITY s: own coordinate s. ZX_VALUE k: packed value
 * k of the part. ZX_ACCELERATION k: uniform number k (first the ze_uniform ones, then packed
 * uniform values). ZX_MEASURE k: read k of the program. ZX_TIME. Programs of REFINED know nothing
 * of the state: ZX_POSITION s is z of own coordinate s, ZX_VELOCITY i lambda of inner row i,
 * before. */
enum { ze_least, ze_damping, ze_uniform_count }; /* pivots are above least * diagonal entry */

/* A number that a program reads from elsewhere. */
typedef enum ze_read_kind {
    ZE_READ_POSITION, /* of halo coordinate `index` (from 0 on: own + index) */
    ZE_READ_VELOCITY,
    ZE_READ_OUTER,   /* multiplier of outer row `index`, of this solve */
    ZE_READ_STORED,  /* number `index` that down has stored; of REFINED: that of DAMPED */
    ZE_READ_CARRIED, /* REFINED: number `index` of its down */
    ZE_READ_KINDS,
    ZE_READ_Z = ZE_READ_KINDS, /* REFINED: own coordinate of the z before: no read, see above */
    ZE_READ_LAMBDA             /* REFINED: inner row of the lambda before */
} ze_read_kind;

typedef struct ze_read {
    int32_t kind, index;
} ze_read;

/* A *code*: one program, its reads and how many outputs. */
typedef struct ze_code {
    zk_program *program; /* NULL: there is nothing to do */
    ze_read *reads;      /* [read_count], measure slot k is read k; sorted by kind, of STORED all
                            up to the last */
    int32_t read_count;
    int32_t outputs;
} ze_code;

/* Outputs of down, in this order:
 *     pairs   [pair_count] the share of S between outer rows (row, column), column <= row
 *     right   [outer] the share of the right side
 *     size    [outer] the share of the diagonal entry as it was before elimination
 *     margin  1: above 0 where every pivot of the inner rows is above least * its diagonal entry, M
 *             is definite and all is finite; how much above is in units of the rows
 *     stored  [stored] what back reads; DAMPED stores always, and what REFINED reads as well. Where
 *             there are no outer rows that is the answer, whatever options.store says
 * Outputs of back: z [own], and with multipliers lambda [inner]; of POSITIONS and VELOCITIES the
 * change [own] alone; of DAMPED z, lambda and 1: the largest |D^-1 L^-1 Q|, M = L D L^T, what z
 * would be without rows, about. REFINED has the factor that DAMPED has stored. Outputs of its down:
 * what its back reads [inner], the share of the right side [outer]; no program where there are no
 * outer rows. Of its back: z and lambda after the correction [own + inner], then the largest |dz|,
 * |z|, and of inner rows |dlambda|, |lambda| (4). */
typedef struct ze_pair_of_rows {
    int32_t row, column; /* outer rows, from 0 on */
} ze_pair_of_rows;

/* The programs of one purpose. */
typedef struct ze_solve_codes {
    ze_code down, back, back_full; /* back_full: with lambda; of ACCELERATION only */
    int32_t stored;                /* numbers that down stores */
} ze_solve_codes;

/* All programs of a shape. */
typedef struct ze_programs {
    ze_pair_of_rows *pairs; /* [pair_count] the same for all purposes */
    int32_t pair_count;
    ze_solve_codes solve[ZE_PURPOSE_COUNT];
    /* owned rows: outputs largest |phi|, largest in units of rounding; of positions, velocities */
    ze_code violation[2];
    /* Values as programs read them: packed value k of a part, and packed uniform value k, are
     * outputs of these over ZX_VALUE slots = local values (of uniform_prelude: uniform ones only).
     */
    ze_code prelude, uniform_prelude;
    int32_t packed, packed_uniform;
    int64_t operations; /* of one part in ACCELERATION: down and back */
    int64_t compiled;   /* of all programs together */
} ze_programs;

/* How the programs of a shape are to be written. */
typedef struct ze_program_options {
    bool store;     /* back reads what down has stored; DAMPED does in any case */
    bool dependent; /* DAMPED and REFINED in place of ACCELERATION, POSITIONS and VELOCITIES damped
                     */
} ze_program_options;

/* Everything in `arena` but the programs, which ze_programs_clear frees. ZW_ERR_LARGE: too long. */
zw_status ze_make_programs(zb_memory *memory, zb_arena *arena, const ze_shape *shape,
                           const ze_program_options *options, ze_programs *programs);
void ze_programs_clear(ze_programs *programs);

/* Operations that down and back of an acceleration would take, without writing them. -1: memory ran
 * out. */
int64_t ze_predict_operations(zb_memory *memory, const ze_shape *shape);

enum { ze_most_operations = 20000 }; /* of a program */

#endif
