/*
 * A compiled model: what compile/ makes from the derived equations and everybody else reads. It
 * lies in the model's arena and is immutable afterwards, but for machine code.
 *
 * A family of the model becomes a few *passes*: a program, and for every output of every instance
 * the *place* it is added to, an index of a matrix's values or of a vector. Matrices are sparse
 * with a pattern that never changes; the passes write straight into their values. M, Q and A have
 * two lists of passes each: what depends on parameters only is evaluated when these change, the
 * rest at every state.
 *
 *     dynamics  M (upper triangle) and Q      ENERGY, MASS, DISSIPATION, FORCE, FORCE_AT
 *     rows      A and b                       CONSTRAINT
 *     levels    phi or rate, magnitudes       CONSTRAINT
 *     nonideal  C                             NONIDEAL, NONIDEAL_AT
 *     equations start equations               START_EQUATION
 *     weights   entries of W                  WEIGHT
 *     limits    A and b differentiated        CONSTRAINT
 *     motors    directions and limits         MOTOR
 */
#ifndef ZR_COMPILED_H
#define ZR_COMPILED_H

#include <stdatomic.h>

#include "base.h"
#include "engine.h"
#include "expr.h"
#include "gauss.h"
#include "kernel.h"
#include "lang.h"
#include "model.h"

enum {
    zr_dense_limit = 2000, /* coordinates or rows: beyond it nothing may cost their square */
    zr_limit_reach = 300,  /* likewise: up to here limit accelerations are computed */
    zr_full_reach = 150,   /* likewise: up to here a sparse solver has a dense one at its side */
    zr_out_size = 4096,    /* doubles of a buffer for outputs, at least */
    zr_lane_instances = 8, /* of a family, from which on it is evaluated in lanes */
    zr_chunk_blocks = 64,  /* that a worker of a team takes at once: a chunk */
    zr_team_blocks = 1024, /* of a pass, from which on a team evaluates it */
    zr_most_workers = 64
};

/* Of what a row is a condition, and what is corrected: positions, velocities, accelerations. */
typedef enum zr_order { ZR_POSITION, ZR_VELOCITY, ZR_ACCELERATION } zr_order;

/* The pattern of a matrix by rows, columns ascending. */
typedef struct zr_pattern {
    int32_t rows, columns, count; /* count: nonzeros */
    int32_t *start;               /* [rows + 1] */
    int32_t *column;              /* [count] */
} zr_pattern;

/* Places that follow a rule: base + stride * l for instance l of a block; stride 0: they do not. */
typedef struct zr_stride {
    int32_t base, stride;
} zr_stride;

/* A pass: one program, evaluated for all instances of a family.
 *
 * Outputs 0 .. matrix-1 of an instance go to values of a matrix, the vector ones after them to
 * entries of a vector. place >= 0: added there; below 0: added twice at ~place (an entry between
 * two slots that mean the same coordinate stands for both triangles). */
typedef struct zr_pass {
    zk_program *code;
    int32_t family;
    int32_t matrix, vector;
    zx_node *nodes;       /* [matrix + vector] what the program computes, in the model's pool */
    int32_t *place;       /* [count of the family * (matrix + vector)] */
    zk_lane_table *lanes; /* of the family; NULL: too few instances for lanes */
    zr_stride *strides;   /* [stride_blocks * (matrix + vector)] of full blocks (places.c); a block
                             whose first stride is 0 goes by `place` */
    int32_t stride_blocks;
    bool apart; /* no two chunks reach the same place: they may be evaluated at the same time */
} zr_pass;

typedef struct zr_passes {
    zr_pass *list;
    int32_t count, capacity;
    bool matrix_once, vector_once; /* no place is reached twice: outputs are stored (places.c) */
} zr_passes;

/* What depends on parameters only, computed when they change; its outputs stand behind the model's
 * own values, where programs read them as they read these (hoist.c). */
typedef struct zr_prelude {
    zk_program *code; /* NULL: nothing was hoisted */
    int32_t count;
} zr_prelude;

/* Right sides of `start x = E`: one program for each root of a family. */
typedef struct zr_start_family {
    zk_program **programs; /* [root_count] or NULL */
} zr_start_family;

/* W[row][column] is output `from` of the weight passes; in the order of the statements. */
typedef struct zr_weight_entry {
    int32_t from, at;
} zr_weight_entry;

/* Machine code of the model's programs at one width of lanes (machine_code.c). The context's thread
 * makes it; the others may read it once `made` says that it is there, and then it stays. */
typedef enum zr_made { ZR_NOT_MADE, ZR_NOT_WORTH_IT, ZR_MADE } zr_made;
typedef struct zr_native {
    _Atomic(zr_made) made;
    zk_native *native; /* NULL: `report` says why */
    zk_native_report report;
    int32_t wanted; /* programs that were to be translated */
} zr_native;

struct zw_model {
    zw_context *context;
    zm_model *zm;
    zb_arena arena;
    double seconds;      /* that compiling took */
    size_t bytes;        /* that it holds */
    int32_t main_source; /* among the unit's sources */
    int32_t lanes;       /* 4 or 8: what is computed side by side, beside parts */

    zr_pattern M; /* upper triangle, with the whole diagonal: the first entry of each row */
    zr_pattern A;
    zr_pattern W;       /* both triangles; no rows when there is no weight */
    zr_pattern E;       /* start equations: derivative by positions or velocities */
    bool diagonal_mass; /* M has no entry beside the diagonal */
    bool constant_mass; /* no entry of M depends on the state */
    int32_t *island;    /* [n] which island a coordinate belongs to (build_islands.c) */
    int32_t island_count;

    zr_passes constant_dynamics, dynamics;
    zr_passes constant_rows, rows;
    zr_passes levels[2]; /* positions, velocities */
    zr_passes nonideal, equations, weights;
    zr_passes impressed; /* Q without what follows from inertia; none unless `inertial` */
    bool inertial;
    zr_prelude prelude; /* of dynamics, rows, levels, nonideal: of their whole families */
    zr_passes limits;   /* rows differentiated once more, build_limits.c */
    zr_pattern limit;   /* of their matrix */
    bool uses_measures; /* some nonideal force does */
    /* by zr_order: rows, start equations are nonlinear in what is corrected */
    bool rows_nonlinear[2], equations_nonlinear[2];

    int32_t equation_count; /* rows of E */
    int32_t *equation_item; /* [equation_count] which start equation */
    bool *equation_moves;   /* [equation_count] velocities stand in it */
    zr_weight_entry *weight_entries;
    int32_t weight_entry_count;
    int32_t weight_outputs;

    zr_start_family *starts; /* [family_count] */
    int32_t *start_order;    /* [start_order_count] so that each follows what it needs */
    int32_t start_order_count;

    zr_native native[3]; /* at 1, 4 and 8 lanes; made by the first runs that ask for it */

    struct zr_fused *fused;       /* fused.h; NULL: none */
    struct zr_energy *energy;     /* energy.h */
    struct zr_outputs *outputs;   /* outputs.h */
    struct zr_events *events;     /* events.h; NULL: none */
    struct zr_switches *switches; /* switches.h; NULL: none */
    struct zr_motors *motors;     /* motors.h; NULL: none */
    struct zr_lookups *lookups;   /* lookups.h; NULL: none */
    struct zr_contact_laws *laws; /* contact_laws.h; NULL: neither contacts nor frictions */

    size_t workspace;    /* doubles, for the largest program */
    int32_t out_count;   /* doubles of the output buffer */
    int32_t team_blocks; /* of the largest pass that a team may evaluate; 0: none */
};

int32_t zr_block_size(const zm_block *block); /* elements (describe_model.c) */

#endif
