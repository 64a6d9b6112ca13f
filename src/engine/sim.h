/*
 * What a compiled model and a simulation hold; private to this folder.
 *
 * A family of the model becomes a few *passes*: a program, and for every output of every instance
 * the place it is added to. Matrices are sparse with a pattern that never changes; the passes write
 * straight into their values. Each quantity has two lists of passes: what depends on parameters
 * only runs when these change, the rest at every state.
 *
 *     dynamics  M (upper triangle) and Q      ENERGY, MASS, DISSIPATION, FORCE, FORCE_AT
 *     rows      A and b                       CONSTRAINT
 *     levels    phi or rate, magnitudes       CONSTRAINT
 *     nonideal  C                             NONIDEAL, NONIDEAL_AT
 *     equations start equations               START_EQUATION
 *     weights   entries of W                  WEIGHT
 *
 * Everything of the model lies in its arena and is immutable after compiling; everything of a
 * simulation is taken when it is created.
 */
#ifndef ZR_SIM_H
#define ZR_SIM_H

#include <setjmp.h>
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
    zr_out_size = 4096,    /* doubles of a buffer for outputs, at least */
    zr_lane_instances = 8, /* of a family, from which on it runs in lanes */
    zr_chunk_blocks = 64,  /* that a worker of a team takes at once */
    zr_team_blocks = 1024, /* of a pass, from which on a team runs it */
    zr_most_workers = 64
};

/* ------------------------------------------------------------------ compiled */

/* The pattern of a matrix by rows, columns ascending. */
typedef struct zr_pattern {
    int32_t rows, columns, count; /* count: nonzeros */
    int32_t *start;               /* [rows + 1] */
    int32_t *column;              /* [count] */
} zr_pattern;

/* base + stride * lane */
typedef struct zr_stride {
    int32_t base, stride;
} zr_stride;

/* Outputs 0 .. matrix-1 of an instance go to values of a matrix, the vector ones after them to
 * entries of a vector. place >= 0: added there; below 0: added twice at ~place (an entry between
 * two slots that mean the same coordinate stands for both triangles). */
typedef struct zr_pass {
    zk_program *code;
    int32_t family;
    int32_t matrix, vector;
    zx_node *nodes;       /* [matrix + vector] */
    int32_t *place;       /* [count of the family * (matrix + vector)] */
    zk_lane_table *lanes; /* NULL: too few instances to run in lanes */
    zr_stride *runs;      /* [run_blocks * (matrix + vector)] places.c; first stride 0: place */
    int32_t run_blocks;
    bool apart; /* chunks reach different places */
} zr_pass;

typedef struct zr_passes {
    zr_pass *list;
    int32_t count, capacity;
    bool matrix_once, vector_once; /* no place is reached twice: outputs are stored (places.c) */
} zr_passes;

/* Right sides of `start x = E`: one program for each root of a family. */
typedef struct zr_start_family {
    zk_program **programs; /* [root_count] or NULL */
} zr_start_family;

/* W[row][column] is output `from` of the weight passes; in the order of the statements. */
typedef struct zr_weight_entry {
    int32_t from, at;
} zr_weight_entry;

/* Machine code of the model's programs at one width (machine_code.c). The context's thread makes it; the
 * others may read what it is once `made` says so, and then it stays. */
typedef enum zr_made { ZR_NOT_MADE, ZR_NOT_WORTH_IT, ZR_MADE } zr_made;
typedef struct zr_native {
    _Atomic(zr_made) made;
    zk_native *native; /* NULL: `report` says why */
    zk_native_report report;
    int32_t wanted; /* programs */
} zr_native;

struct zw_model {
    zw_context *context;
    zm_model *zm;
    zb_arena arena;
    double seconds;
    size_t bytes;
    int32_t main_source; /* among the unit's sources */

    zr_pattern M; /* upper triangle, with the whole diagonal: the first entry of each row */
    zr_pattern A;
    zr_pattern W;       /* both triangles; no rows when there is no weight */
    zr_pattern E;       /* start equations: derivative by positions or velocities */
    bool diagonal_mass; /* M has no entry beside the diagonal */
    bool constant_mass; /* no entry of M depends on the state */

    zr_passes constant_dynamics, dynamics;
    zr_passes constant_rows, rows;
    zr_passes levels[2]; /* positions, velocities */
    zr_passes nonideal, equations, weights;
    zr_passes limits; /* build_limits.c */
    zr_pattern limit;
    bool uses_measures; /* some nonideal force does */
    /* by zr_order: derivatives of rows, of start equations depend on what is corrected */
    bool rows_bend[2], equations_bend[2];

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

    struct zr_fused *fused;     /* fused.h; NULL: none */
    struct zr_energy *energy;   /* energy.c */
    struct zr_outputs *outputs; /* outputs.c */
    struct zr_events *events;   /* events.c */

    size_t workspace;    /* doubles, for the largest program */
    int32_t out_count;   /* doubles of the output buffer */
    int32_t team_blocks; /* of the largest pass that a team may run; 0: none */
};

/* ---------------------------------------------------------------- simulations */

/* What a worker of a team has for itself; the first is the simulation's. */
typedef struct zr_desk {
    double *workspace, *out;
} zr_desk;

/* ZR_FUSED, ZR_LANES: no factor is kept (road_fused.c, road_parts.c); from ZR_QUICK on there is one.
 * ZR_BASIS: some of the rows by a quick solver (road_basis.c); ZR_CAREFUL, ZR_SPARSE: sim->system, which
 * is dense or sparse. */
typedef enum zr_road {
    ZR_NO_ROAD,
    ZR_FUSED,
    ZR_LANES,
    ZR_QUICK,
    ZR_BASIS,
    ZR_CAREFUL,
    ZR_SPARSE
} zr_road;

typedef enum zr_order { ZR_POSITION, ZR_VELOCITY, ZR_ACCELERATION } zr_order;

/* Rows that contradict each other, or one that follows from others. */
typedef struct zr_finding {
    zr_order level;
    int32_t count, row; /* row: the last declared, or the one to blame; coefficient 1 */
    int32_t *rows;      /* [count] */
    double *coefficients;
    double size;
    double mismatch; /* of a contradiction: sum of coefficient * residual */
} zr_finding;

typedef struct zr_findings {
    zr_finding *list;
    int32_t count, capacity;
} zr_findings;

/* What the last start did. */
typedef struct zr_start {
    bool done;      /* given values are there */
    bool satisfied; /* the given values satisfied everything to rounding */
    bool moved;
    bool complete;  /* the whole start was found, or a compromise accepted */
    double size[2]; /* of positions and velocities: changes below 1e-13 of it are rounding */
    bool *stated;   /* [2 n] the model says a value; in notes */
    zr_findings conflicts;
} zr_start;

/* The rows of one level and what brings a moving state back onto them (project.c). */
typedef struct zr_side {
    zr_order order;
    int32_t count;
    int32_t *row;            /* [count] of A */
    bool all;                /* these are all rows: the solvers of the acceleration serve */
    int32_t *start, *column; /* otherwise: the pattern of the rows, */
    zr_pattern W;            /* that of their weights, */
    int32_t *weight_from;    /* [W.count] and which entries of the model's these are */
    double *W_value;         /* [W.count] */
    double *value;           /* entries of the rows; of all rows: those that are not left out */
    zg_system *system;
    bool same_mass; /* the system has factored this M */
    zg_quick *quick;
    zr_road road;       /* which solver holds the factor */
    double *r, *lambda; /* [count] */
} zr_side;

struct zw_sim {
    zw_model *model;
    zm_model *zm;
    zb_memory *memory;
    zb_arena arena;              /* all that is taken at create */
    zb_arena notes;              /* findings of the last start and check */
    zg_system *system;           /* for accelerations */
    bool sparse;                 /* behind it stands the sparse solver */
    bool same_mass;              /* it has factored this M */
    zg_quick *quick;             /* beside the dense solver; NULL where it cannot serve */
    struct zr_lanes_road *lanes; /* road_parts.h; NULL: none */
    zr_road road;                /* by which the last acceleration went; who holds its factor */

    double t;
    double *q, *v;    /* [n] the state */
    double *given;    /* [2 n] of the last start */
    bool *fixed;      /* [2 n] likewise */
    double *values;   /* [value_count] */
    bool *overridden; /* [parameter_count] */
    zr_start start;

    /* the last evaluation */
    double *M, *M_constant; /* [M.count]; both are one where outputs are stored */
    double *Q, *Q_constant; /* [n] likewise */
    double *A, *A_constant; /* [A.count] likewise */
    double *b;              /* [m] */
    double *C;              /* [n] */
    double *W;              /* [W.count] */
    double *level;          /* [4 m] phi, rate, magnitude of phi, of rate */
    double *E;              /* [E.count] */
    double *equation;       /* [2 equation_count] value, magnitude */
    double *weight_out;     /* [weight_outputs] */
    double *measure;        /* [measure_count] */

    double *dense_M;                      /* of `quick`: [n*n], or [n] of a diagonal one */
    double *lambda;                       /* [m] */
    double *work;                         /* [n] */
    double *z_nonideal, *lambda_nonideal; /* [n], [m] */
    zm_row_kind *row_kind;                /* [m] */

    zk_evaluator evaluator; /* of every program */
    double *workspace;      /* 64-byte aligned */
    double *out;            /* [out_count] */
    zb_team *team;          /* NULL: small, or one thread is wanted */
    zr_desk *desks;         /* [workers of the team, 1 without] */

    double *fused_out;      /* [most_outputs] of the fused programs, or NULL */
    double *fused_kept;     /* [2 n] */
    double fused_condition; /* of the last acceleration by that road */

    /* of project.c */
    zr_side sides[2]; /* positions, velocities */
    bool sides_open;
    double *zero, *change; /* [n] */
    double *metric;        /* [M.count] M, made definite */
    int64_t rounds;        /* corrections made */

    /* of columns_row.c */
    double *output; /* [elements of the outputs] */
    double *solved; /* [5 n + 2 m] the answer for a row */

    struct zr_motion *run; /* run.h; NULL: none */
};

/* ------------------------------------------------------------------- compile */

/* Entries of a matrix as they are found, several may be one. */
typedef struct zr_triplet {
    int32_t row, column;
} zr_triplet;

typedef struct zr_triplets {
    zr_triplet *list;
    int32_t count, capacity;
} zr_triplets;

/* Everything that compiling needs besides the model; jumps to *escape when memory runs out. */
typedef struct zr_builder {
    zw_model *model;
    zm_model *zm;
    zb_memory *memory;
    zb_arena *arena;      /* of the model, with escape set */
    zb_arena scratch;     /* likewise */
    zr_triplets triplets; /* of the matrix under construction */
    zx_pool pools[2];     /* of build_fused.c */
    bool pools_open;
    zx_node *below; /* [below_count] nodes under a start value */
    int32_t below_count;
    jmp_buf escape;
    zw_status status; /* why it was left */
} zr_builder;

void zr_fail(zr_builder *builder, zw_status status); /* does not return */

int32_t zr_add_triplet(zr_builder *builder, int32_t row, int32_t column);
/* The pattern of the triplets, which are forgotten; in scratch: where each of them went. */
const int32_t *zr_make_pattern(zr_builder *builder, int32_t rows, int32_t columns,
                               zr_pattern *pattern);
void zr_free_triplets(zr_builder *builder);
/* Places of the matrix part of passes, triplets until now, become positions. */
void zr_settle(zr_passes *passes, const zm_model *zm, const int32_t *position);

/* A pass of family f with these nodes; places are 0. */
zr_pass *zr_add_pass(zr_builder *builder, zr_passes *passes, int32_t family, const zx_node *nodes,
                     int32_t matrix, int32_t vector);
void zr_free_passes(zr_passes *passes);
/* The sum of the absolute values of the terms of a sum. */
zx_node zr_magnitude(zr_builder *builder, zx_node root);

void zr_build_dynamics(zr_builder *builder);
void zr_build_rows(zr_builder *builder);
/* [count * root_count] the row of each root of each instance of a family; in scratch. */
int32_t *zr_rows_of_family(zr_builder *builder, int32_t family);
void zr_build_limits(zr_builder *builder);
void zr_build_nonideal(zr_builder *builder);
void zr_build_weights(zr_builder *builder);
void zr_build_equations(zr_builder *builder);
void zr_build_starts(zr_builder *builder); /* programs, order; a cycle is reported */
void zr_free_below(zr_builder *builder);
void zr_find_places(zr_builder *builder); /* of all passes in lanes, when their places are known */
void zr_free_pools(zr_builder *builder);

/* zr_sim_create with memory of its own, for a simulation in another thread (ensemble.c). */
zw_status zr_sim_create_in(zb_memory *memory, zw_model *model, zw_sim **sim);

/* ------------------------------------------------------------------ assemble */

zk_source zr_source(const zw_sim *sim, double t, const double *q, const double *v);
void zr_run_passes(zw_sim *sim, const zr_passes *passes, const zk_source *source, double *matrix,
                   double *vector);
void zr_parameters_changed(zw_sim *sim);                    /* the constant parts, W */
void zr_evaluate_dynamics(zw_sim *sim, const zk_source *s); /* M, Q */
void zr_evaluate_rows(zw_sim *sim, const zk_source *s);     /* A, b */
void zr_evaluate_levels(zw_sim *sim, const zk_source *s);   /* level */
/* Only value and magnitude of holonomic rows, or rate and magnitude of all. */
void zr_evaluate_level(zw_sim *sim, zr_order order, const zk_source *s);
void zr_evaluate_equations(zw_sim *sim, const zk_source *s);
void zr_evaluate_nonideal(zw_sim *sim, const zk_source *s); /* C; after the measures */
void zr_measure(zw_sim *sim, const double *lambda);         /* measures from multipliers */

void zr_expand_mass(const zw_sim *sim, double *M, bool diagonal); /* [n*n] or [n] */
void zr_expand_rows(const zw_sim *sim, double *A);                /* [m*n] */
void zr_expand_weight(const zw_sim *sim, double *W, bool diagonal);

/* M, Q, A, b at a state, factored. C as well, when there is any, with its measures. */
zw_status zr_factor_at(zw_sim *sim, const zk_source *s);
zw_status zr_nonideal_at(zw_sim *sim, const zk_source *s);
/* The numbers that are there, factored by sim->system. */
zw_status zr_factor(zw_sim *sim);
/* size [n]: how far each coordinate is from where the rows that hold it look quite different,
 * about; at the simulation's state. Evaluates levels and rows. */
void zr_local_sizes(zw_sim *sim, double *size);
void zr_forget_mass(zw_sim *sim); /* parameters, and with them M, are others */

zg_pattern zr_pattern_of(const zr_pattern *p);
zg_structure zr_structure(const zw_sim *sim); /* of all rows */
bool zr_is_memory(zw_status status);          /* memory or its budget ran out */

/* ---------------------------------------------------------- names, messages */

/* Six significant digits, no more than needed; or as many as said, from 17 on all. */
void zr_text_short(zb_text *text, double value);
void zr_text_cut(zb_text *text, const char *what, size_t most); /* characters, with "..." */
void zr_text_digits(zb_text *text, double value, int digits);
/* `digits`, or 17 where two different numbers would look the same with these. */
int zr_digits_apart(double a, double b, int digits);
/* `pin`; below 0, ~row is a start equation, as it was written */
void zr_text_row(const zw_sim *sim, int32_t row, zb_text *text);
void zr_text_coordinate(const zw_sim *sim, int32_t i, int order, zb_text *text); /* x[2]' */
void zr_text_equation(const zw_sim *sim, int32_t equation, zb_text *text);       /* as written */
/* "0.5·hinge_x − weld.y": the first terms of a finding; `but` -1, or a row left out, the others
 * then with their signs turned. */
void zr_text_terms(const zw_sim *sim, const zr_finding *f, int32_t but, zb_text *text);
void zr_text_names(const zw_sim *sim, const zr_finding *f, int32_t but, zb_text *text);
/* "they differ by 1 (size 0.707107 in −a + b)" */
void zr_text_mismatch(const zw_sim *sim, const zr_finding *f, zb_text *text);
/* The sentence of R0612: rows that are dependent at the start only. */
void zr_text_singular(const zw_sim *sim, const zr_finding *f, zb_text *text);

/* Names that differ in consecutive indices only, as one: x[1..9] (name_ranges.c). */
enum { zr_run_indices = 6 };
typedef struct zr_run {
    int32_t at, length;     /* pattern and kind */
    int32_t kind;           /* where it begins */
    int32_t count, indices; /* names; numbers in each */
    int32_t from[zr_run_indices], to[zr_run_indices];
} zr_run;

typedef struct zr_runs {
    zb_memory *memory;
    zb_text name; /* write one here, then add it */
    ZB_ARRAY(char) patterns;
    ZB_ARRAY(zr_run) list;
    zw_status failure;
} zr_runs;

void zr_runs_init(zr_runs *runs, zb_memory *memory);
void zr_runs_free(zr_runs *runs);
void zr_runs_add(zr_runs *runs, const char *kind); /* joins names of the same kind only */
const char *zr_runs_kind(const zr_runs *runs, int32_t k);
void zr_runs_text(const zr_runs *runs, int32_t k, zb_text *text);
/* "a, b[1..3] and c", with `last` before the last; of more than `most` the rest is counted. */
void zr_runs_list(const zr_runs *runs, int32_t most, const char *last, zb_text *text);

typedef struct zr_message {
    const char *code; /* its letter is the severity */
    zl_place place;   /* source below 0: somewhere in the model */
    const char *help; /* or NULL */
} zr_message;
zw_status zr_report(zw_model *model, const zr_message *message, zb_text *sentence);
zl_place zr_row_place(const zw_sim *sim, int32_t row);
static const zl_place zr_nowhere = {-1, 0, 0};

/* ------------------------------------------------------------------- start */

/* A level under correction: rows and start equations as functions of the free positions or
 * velocities, residual r(x) = 0, derivative A. Sparse; everything lies in `arena`. What only a
 * correction needs is taken when there is one: a start that is right costs little. */
typedef struct zr_level {
    zw_sim *sim;
    zr_order order;
    bool alone;            /* constraints only, nothing fixed */
    bool linear;           /* A does not depend on x: one solve is the answer */
    double *q, *v;         /* [n] the state that is corrected */
    double *x;             /* q or v */
    const double *x_given; /* [n] */
    int32_t n, m;
    int32_t *unknown; /* [n] coordinate of each */
    int32_t *at;      /* [coordinates] the reverse, -1 */
    int32_t *rows;    /* [m] row of A, or ~equation; constraints first */

    zg_structure is;              /* patterns of M, A, W of the free columns */
    int32_t *M_from;              /* entries of sim->M */
    int32_t *A_from;              /* entries of sim->A, or ~entry of sim->E */
    double *M, *A, *W;            /* values; W NULL: the identity */
    int32_t *column_start;        /* [n + 1] A by columns: */
    int32_t *column_row;          /* row of an entry */
    int32_t *column_at;           /* and where it is in A */
    zg_pattern H;                 /* upper triangle of M, A^T W A and the diagonal */
    int32_t *back_start;          /* [n + 1] the entries of H left of the diagonal: */
    int32_t *back_row, *back_at;  /* those of column j above it, and where they are in H */
    double *spread;               /* [n] zeros */
    double *metric, *K, *damping; /* values of H: M made definite, curvature, damped steps */

    double *r, *scale;   /* [m] */
    double *near, *wide; /* [m] what rounding of the state does: see zr_level_off */
    double *shaken;      /* [coordinates] */
    double *probe;       /* [m] of velocities: A_i c, then its slope by positions */
    bool *flat;          /* [m] A_i is the rounding of positions, taken as 0 */
    double *work;        /* [n + m] */
    double *d, *f, *old; /* [n] */
    double *h;           /* [n] of the damped steps */
    double *lengths;     /* [m] */
    double *lambda;      /* [m] of the last step */

    zg_system *plain, *shaped; /* in M, in the metric */
    zg_system *damped;         /* without rows */
    zg_system *factored;       /* the one of the last zr_level_factor */
    zb_arena arena;
    double merit; /* |r| in W */
    bool finite, met;
    int32_t *group;        /* [n] columns whose curvature is had at once; NULL until then */
    int32_t *member;       /* [n] by groups */
    int32_t *member_start; /* [groups + 1] */
    int32_t groups;        /* 0: too many, no curvature */
    bool curved;           /* the metric is M + K */
    double stiff;          /* then: how much A^T V A is added, in units of K */
    bool singular;         /* M is */
    bool full;             /* every entry is in H */
    bool same_mass;        /* M has been factored by `plain` */
    bool beside;           /* met from beside the given values only */
} zr_level;

zw_status zr_level_open(zr_level *l, zw_sim *sim, zr_order order, bool alone, double *q, double *v,
                        const double *x_given);
void zr_level_close(zr_level *l);
void zr_level_evaluate(zr_level *l); /* r, A, scale, near, wide, merit, finite */
bool zr_level_off(const zr_level *l, int32_t i, double tolerance); /* row i, beyond rounding */
bool zr_level_rounding(const zr_level *l, double tolerance);       /* no row is off */
/* M of the level's columns, and everything that a correction needs. */
zw_status zr_level_metric(zr_level *l, const double *mass);
zw_status zr_level_factor(zr_level *l);
zw_status zr_level_solve(zr_level *l); /* onto the rows, as near to x_given as can be */
/* Onto the rows by Newton's steps alone; and with damped ones where these fail. l->met. */
zw_status zr_level_restore(zr_level *l, int32_t most);
zw_status zr_level_newton(zr_level *l, int32_t most);
zw_status zr_level_nearest(zr_level *l);
void zr_level_save(const zr_level *l, double *x); /* x [n] of the free unknowns */
void zr_level_move(zr_level *l, const double *base, double step, const double *d);

/* level_matrices.c */
zw_status zr_level_shape_rows(zr_level *l);   /* patterns of A and W, values of W */
zw_status zr_level_shape_mass(zr_level *l);   /* of M */
zw_status zr_level_shape_normal(zr_level *l); /* of H, unless it is there */
zg_structure zr_level_without_rows(const zr_level *l, const zg_pattern *M);
double zr_level_mass_entry(const zr_level *l, int32_t j);           /* M_jj */
void zr_level_weigh(const zr_level *l, const double *x, double *y); /* y = W x */
void zr_level_transposed(const zr_level *l, const double *A, const double *x, double *y);
/* H = H + A^T X A, X = W or, not NULL, the diagonal x [m]. */
void zr_level_add_normal(const zr_level *l, const double *x, double *H);
void zr_level_add_mass(const zr_level *l, double *H);
/* K = sum lambda_i r_i'' by differences (curvature.c); *there false: it is not to be had. work
 * [2 n]. Leaves x as it was. */
zw_status zr_level_curvature(zr_level *l, const double *lambda, double *work, bool *there);

/* |corrected - given| of entry i of (q, v), 0 when it is rounding. After a start. */
double zr_moved_by(const zw_sim *sim, int32_t i);
/* The entry that moved most after `after` (-1: of all), -1 when there is none left; of those that
 * the model gives, of those that it does not, or of both. */
typedef enum zr_which { ZR_STATED, ZR_NOT_STATED, ZR_EITHER } zr_which;
int32_t zr_next_move(const zw_sim *sim, zr_which which, int32_t after);

/* Given values at t; reports values that are not finite. */
zw_status zr_given(zw_sim *sim, double t, double *q, double *v, bool *fixed);

/* The findings of a level whose rows cannot all hold: dependent sets that contradict. */
zw_status zr_level_conflicts(zr_level *l, zr_findings *findings);
/* Why a level was not met, as messages. ZW_OK: a conflict, and it is accepted. */
zw_status zr_refuse(zr_level *l, bool accept);
bool zr_add_finding(zw_sim *sim, zr_findings *list, const zr_finding *f);
void zr_accuse(zr_finding *f, int32_t row); /* of its rows: named instead of the last declared */

/* The first expression among the families that is not finite at a state, reported as E0406.
 * kinds: bit mask of zm_kind; bits of what: */
enum { ZR_BAD_LEVEL = 1, ZR_BAD_ROWS = 2, ZR_BAD_DYNAMICS = 4, ZR_BAD_NONIDEAL = 8 };
zw_status zr_report_bad(zw_sim *sim, const zk_source *s, int what);
zw_status zr_report_bad_node(zw_sim *sim, const zk_source *s, int32_t family, int32_t instance,
                             zx_node node, zl_place place);

/* Why M, A and W at a state cannot be factored, as a message: E0407, E0408, E0409. `status` is
 * what the factor said, and is returned. */
zw_status zr_report_factor(zw_sim *sim, const zk_source *s, zw_status status);

/* W0611: nonideal forces that use a share that is not unique. */
zw_status zr_warn_shares(zw_sim *sim, const zw_diagnosis *d);

/* ------------------------------------------------------------------- check */

typedef struct zr_check {
    zw_sim *sim;
    zw_write_fn write;
    void *user;
    zb_text text;     /* what has not been written yet */
    zb_text line;     /* a paragraph before it is wrapped, a name before it is quoted */
    bool stopped;     /* by the caller */
    zw_status status; /* of the start */
    bool evaluated;   /* levels at the start are in sim->level */
    bool ranked;      /* rank is known */
    int32_t rank;     /* at the start or at a point near it, the larger */
    int32_t rank_at_start;
    bool elsewhere;        /* a feasible point near the start was examined as well */
    zr_findings redundant; /* everywhere near the start, or, not elsewhere, there */
    zr_findings singular;  /* at the start only */
    int32_t unlisted;      /* dependent rows that no finding names */
    bool *unique;          /* [m] multipliers; NULL: all */
    bool *unique_output;   /* [elements of outputs]; NULL: all, or not known */
} zr_check;

/* Rank, redundancy, conflicts of accelerations, with their messages. After a start. */
zw_status zr_find_redundancy(zr_check *c);
zw_status zr_find_unique(zr_check *c, const zw_diagnosis *d); /* reactions that are unique */
void zr_check_text(zr_check *c);
void zr_check_json(zr_check *c);
void zr_check_flush(zr_check *c, bool all); /* writes out what is there, when it is much */

#endif
