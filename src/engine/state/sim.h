/*
 * A simulation: a state of a model with all memory that evaluating it needs, the equations at a
 * state (assemble.c), energies and powers (energy.c), outputs (outputs.c). Everything is taken when
 * it is created; one thread uses it.
 */
#ifndef ZR_SIM_H
#define ZR_SIM_H

#include <stdatomic.h>

#include "energy.h"
#include "outputs.h"

/* The scratch memory of one worker of a team; the first is the simulation's. */
typedef struct zr_scratch {
    double *workspace, *out;
} zr_scratch;

/* Start values from outside, in the place of those that the model says: entries of (q, v). */
typedef struct zr_posed {
    int32_t count;
    const int32_t *entry; /* [count] below 2 n */
    const double *value;  /* [count] */
} zr_posed;

/* What the last start did: finding positions and velocities that satisfy the constraints. */
typedef struct zr_start {
    bool done;             /* given values are there: zw_sim.given */
    bool satisfied;        /* the given values satisfied everything to rounding */
    bool moved;            /* it changed given values */
    bool posed;            /* but only because start equations ask for it */
    bool branch;           /* others are about as near, or it may not be the nearest: R0616 */
    bool complete;         /* the whole start was found, or a compromise accepted */
    double size[2];        /* of positions and velocities: changes below 1e-13 of it are rounding */
    bool *stated;          /* [2 n] the model says a value; in notes */
    bool corrected[2];     /* positions, velocities were brought onto their rows */
    bool *held;            /* [2 n] then: it stayed as given; in notes */
    double *found;         /* [2 n] the state that was found; in notes */
    zr_findings conflicts; /* rows that contradict each other */
} zr_start;

struct zw_sim {
    zw_model *model;
    zm_model *zm;
    zb_memory *memory;
    zb_arena arena; /* all that is taken at create */
    zb_arena notes; /* findings of the last start and check */

    double t;
    double *q, *v;    /* [n] the state */
    double *given;    /* [2 n] positions and velocities before the last start moved them */
    bool *fixed;      /* [2 n] those that it must not move */
    double *values;   /* [value_count + slots + hoisted] of parameters and bindings; of switches;
                         those of the prelude */
    bool *overridden; /* [parameter_count] set from outside */
    zr_start start;
    const zr_posed *posed; /* of the caller, NULL: none */

    /* the last evaluation; letters as in compiled.h */
    double *M, *M_constant; /* [M.count]; both are one where outputs are stored */
    double *Q, *Q_constant; /* [n] likewise */
    double *A, *A_constant; /* [A.count] likewise */
    bool A_fresh;           /* A was evaluated for the last acceleration that was asked for */
    double *b;              /* [m] */
    double *C;              /* [n] */
    double *W;              /* [W.count] */
    double *level;          /* [4 m] phi, rate, magnitude of phi, of rate */
    double *E;              /* [E.count] derivatives of start equations */
    double *equation;       /* [2 equation_count] value, magnitude */
    double *weight_out;     /* [weight_outputs] */
    double *measure;        /* [measure_count] */

    double *lambda;        /* [m] of the ideal force */
    double *work;          /* [n] scratch; zr_measure takes it to be 0 */
    zm_row_kind *row_kind; /* [m] */

    zk_evaluator evaluator; /* of every program */
    double *workspace;      /* 64-byte aligned */
    double *out;            /* [out_count] */
    zb_team *team;          /* NULL: small, or one thread is wanted */
    zr_scratch *scratches;  /* [workers of the team, 1 without] */

    /* of columns_row.c */
    double *output; /* [elements of the outputs] */
    double *solved; /* [6 n + 2 m] the answer for a row of columns; behind it impressed forces */

    int32_t left_data; /* 1 + the call of data whose end the run has come to, 0: none */

    const double *failed_t; /* when.c: when the run failed that is reported; NULL: there is none */

    atomic_bool cancelled; /* zw_sim_cancel, from any thread */

    struct zr_handles *handles;   /* handles.h; NULL: none was given out */
    struct zr_contacts *contacts; /* contacts.h; NULL: the model has none */
    struct zr_drive *drive;       /* drive.h; NULL: it has no motors */
    struct zr_solver *solver;     /* roads.h */
    struct zr_motion *run;        /* run.h; NULL: none */
    struct zr_vary *vary;         /* vary.h; NULL: nobody has asked for derivatives */
    struct zr_carried *carried;   /* carry.h; NULL: no tangents go along */
};

/* ------------------------------------------------------------------ assemble */

/* What programs read at this state; no accelerations. Of data it is the last state asked for that
 * counts. */
zk_source zr_source(const zw_sim *sim, double t, const double *q, const double *v);
/* The pieces of data at a state, where the model has some; zr_source does it (data_pieces.c). */
void zr_find_pieces(const zw_sim *sim, const zk_source *s);
void zr_follow_switch(const zw_sim *sim, int32_t turn);
void zr_follow_steps(const zw_sim *sim); /* all whose values hold, and so jump */
/* The first call of data that has no value at a state, or that a switch holds beyond its ends, with
 * its argument in *x; -1: there is none. */
int32_t zr_find_beyond(const zw_sim *sim, const zk_source *s, const double *side, double *x);
/* How many instances of a family the buffer of outputs holds; almost always all, which needs no
 * division. */
static inline int32_t zr_instances_at_once(const zw_sim *sim, const zm_family *f, int32_t outputs)
{
    int64_t room = sim->model->out_count;
    return (int64_t)f->count * outputs <= room ? f->count : (int32_t)(room / outputs);
}
/* Adds the outputs of passes to matrix and vector, or stores them (places.c); either NULL: the
 * passes have no such outputs. */
void zr_evaluate_passes(zw_sim *sim, const zr_passes *passes, const zk_source *source,
                        double *matrix, double *vector);
void zr_parameters_changed(zw_sim *sim); /* the constant parts, W */
void zr_masks_changed(zw_sim *sim);      /* the constant part of A: all that depends on masks */
void zr_evaluate_dynamics(zw_sim *sim, const zk_source *s); /* M, Q */
void zr_evaluate_rows(zw_sim *sim, const zk_source *s);     /* A, b */
void zr_evaluate_levels(zw_sim *sim, const zk_source *s);   /* level */
/* Only value and magnitude of holonomic rows, or rate and magnitude of all. */
void zr_evaluate_level(zw_sim *sim, zr_order order, const zk_source *s);
void zr_evaluate_equations(zw_sim *sim, const zk_source *s); /* E, equation */
void zr_evaluate_nonideal(zw_sim *sim, const zk_source *s);  /* C; after the measures */
/* Q without what follows from inertia, F [n]; where the model has such a part. */
void zr_evaluate_impressed(zw_sim *sim, const zk_source *s, double *F);
void zr_measure(zw_sim *sim, const double *lambda); /* measures from multipliers */
/* Measures that are columns, from an answer with its forces (shown_measures.c). */
void zr_show_measures(zw_sim *sim, const zk_source *s, const zw_gauss_answer *answer);

/* The matrices of the last evaluation, dense, by rows; diagonal: only that, where there is nothing
 * else. */
void zr_expand_mass(const zw_sim *sim, double *M, bool diagonal);   /* [n*n] or [n] */
void zr_expand_rows(const zw_sim *sim, double *A);                  /* [m*n] */
void zr_expand_weight(const zw_sim *sim, double *W, bool diagonal); /* [m*m] or [m] */

/* The diagonal of M at a state, and the island of each coordinate, as numbers: [n] both. Evaluates
 * M and Q. */
void zr_find_inertias(zw_sim *sim, const zk_source *s, double *inertia, double *island);
/* size [n]: how far each coordinate is from where the rows that hold it look quite different,
 * about; at the simulation's state. Evaluates levels and rows. */
void zr_local_sizes(zw_sim *sim, double *size);

/* Memory or its budget ran out. */
static inline bool zr_is_memory(zw_status status)
{
    return status == ZW_ERR_MEMORY || status == ZW_ERR_BUDGET;
}

/* ------------------------------------------------------------ energy (energy.c) */

/* What the powers need besides the state: the multipliers [m] and the non-ideal force [n] there,
 * with A of the state in sim->A. */
typedef struct zr_forces {
    const double *lambda, *nonideal;
    const bool *out; /* [m] rows that a conflict keeps off, or NULL */
} zr_forces;

typedef struct zr_energies {
    double kinetic, potential, energy; /* as docs/CLI.md has the columns */
    double h;                          /* v dL/dv - L, + v^T M v / 2 of mass statements */
    double scale;                      /* sum of the magnitudes of its parts */
} zr_energies;

/* p [ZR_POWER_COUNT] by zr_power; those that the model has not are 0. Takes no memory. */
void zr_powers_at(zw_sim *sim, const zk_source *s, const zr_forces *f, double *p);
void zr_energies_at(zw_sim *sim, const zk_source *s, zr_energies *e);
/* h and scale of each island, [islands] both; where the model keeps them apart. */
void zr_island_energies_at(zw_sim *sim, const zk_source *s, double *h, double *scale);

/* ----------------------------------------------------------- outputs (outputs.c) */

/* All elements of all outputs in their order. s->acceleration and sim->measure must be there when
 * outputs use them: zr_outputs_need says so. */
void zr_outputs_at(zw_sim *sim, const zk_source *s, double *out);
/* The elements that need no solve; 0 for the others. */
void zr_direct_outputs_at(zw_sim *sim, const zk_source *s, double *out);

/* ------------------------------------------------------------- when it was (when.c) */

/* What is reported is about a run that has failed, not about the start. */
bool zr_on_the_way(const zw_sim *sim);
void zr_text_when(const zw_sim *sim, zb_text *text); /* "at the start", "at t = 0.42" */
/* The one of two codes of a message that fits. */
const char *zr_code(const zw_sim *sim, const char *at_start, const char *on_the_way);

#endif
