/*
 * A run: what zw_sim_begin takes and zw_sim_advance uses; private to this folder.
 *
 *     begin --> stepper over y = (q, v, works) --rates--> roads.c, energy.c
 *                                              --project--> project.c
 *     advance: steps; after each: watch.c (violations, rank, conflicts), events.c; dense output
 *     conclude, verdict: what is to be said about it (conclude.c, verdict*.c)
 *
 * advance takes no memory and reports nothing: what is to be said is kept here, as numbers.
 */
#ifndef ZR_RUN_H
#define ZR_RUN_H

#include "motion.h"
#include "sim.h"

/* ------------------------------------------------------------ energy (energy.c) */

typedef enum zr_power {
    ZR_IMPRESSED,   /* force statements */
    ZR_DISSIPATION, /* dissipation statements */
    ZR_IDEAL,       /* ideal forces of constraints that depend on t or are not homogeneous in v */
    ZR_NONIDEAL,
    ZR_CONTROL,
    ZR_EXPLICIT, /* - dL/dt, and v^T M' v / 2 of mass statements */
    ZR_POWER_COUNT
} zr_power;

/* What the powers need besides the state: the multipliers [m] and the non-ideal force [n] there,
 * with A of the state in sim->A. */
typedef struct zr_forces {
    const double *lambda, *nonideal;
} zr_forces;

typedef struct zr_energies {
    double kinetic, potential, energy; /* as docs/CLI.md has the columns */
    double h;                          /* v dL/dv - L, + v^T M v / 2 of mass statements */
    double scale;                      /* sum of the magnitudes of its parts */
} zr_energies;

void zr_build_energy(zr_builder *b); /* model->energy */
void zr_free_energy(zw_model *model);
/* Which powers can be other than 0 in this model: bits 1 << zr_power. */
uint32_t zr_possible_powers(const zw_model *model);
/* Those among them, p [ZR_POWER_COUNT]; the others are 0. Takes no memory. */
void zr_powers_at(zw_sim *sim, const zk_source *s, const zr_forces *f, double *p);
void zr_energies_at(zw_sim *sim, const zk_source *s, zr_energies *e);

/* ----------------------------------------------------------- outputs (outputs.c) */

void zr_build_outputs(zr_builder *b); /* model->outputs */
void zr_free_outputs(zw_model *model);
/* All elements of all outputs in their order. s->acceleration and sim->measure must be there when
 * outputs use them: zr_outputs_need says so. */
typedef struct zr_needs {
    bool acceleration, measures;
} zr_needs;
zr_needs zr_outputs_need(const zw_model *model);
int32_t zr_output_elements(const zw_model *model);
int32_t zr_output_passes(const zw_model *model, const zr_passes **passes); /* how many lists */
void zr_outputs_at(zw_sim *sim, const zk_source *s, double *out);
int32_t zr_output_first(const zw_model *model, int32_t output);             /* its first element */
bool zr_output_solved(const zw_model *model, int32_t element);              /* needs a solve */
void zr_text_output(const zw_model *model, int32_t element, zb_text *text); /* its column */
/* The elements that need no solve; 0 for the others. */
void zr_plain_outputs_at(zw_sim *sim, const zk_source *s, double *out);

/* ------------------------------------------------------------- events (events.c) */

void zr_build_events(zr_builder *b); /* model->events */
void zr_free_events(zw_model *model);
int32_t zr_event_gaps(const zw_model *model); /* numbers of gap, see zi_watch */
int32_t zr_event_equalities(const zw_model *model);
const int32_t *zr_equality_owners(const zw_model *model);  /* [equalities] */
bool zr_event_meets(const zw_model *model, int32_t event); /* an equality stands in it */
bool zr_event_stops(const zw_model *model, int32_t event);
void zr_text_event(const zw_model *model, int32_t event, zb_text *text); /* "when y < 0" */
/* Conditions and gaps at a state: truth [events], gap [gaps]. Where conditions use reactions this
 * solves. */
zw_status zr_look(zw_sim *sim, double t, const double *q, const double *v, bool *truth,
                  double *gap);
/* The new values of an event, all from the values before; q and v [n] in place. ZW_ERR_NOT_FINITE:
 * one is not a number, and nothing is changed. */
zw_status zr_reset(zw_sim *sim, int32_t event, double t, double *q, double *v);

/* ------------------------------------------------------ machine code (machine_code.c) */

/* Machine code for the programs that runs with these settings evaluate again and again, at a width
 * of 1, 4 or 8 lanes; made once a model and width, by the context's thread. */
void zr_quicken(zw_model *model, const zw_run_settings *settings, int32_t width);
void zr_free_native(zw_model *model); /* before the programs */
/* kernel, kernel_reason, native_*; of what sim->evaluator says. */
void zr_kernel_statistics(const zw_sim *sim, zw_run_statistics *stats);
/* W0716: machine code was asked for, and is not used. */
zw_status zr_tell_kernel(zw_sim *sim);

/* ----------------------------------------------- acceleration (roads.c) */

/* Everything the principle says at a state: the arrays of `answer` that are not NULL are written.
 * M, Q, A, b, C and the measures are then in sim. The careful road: for outputs and reports. */
zw_status zr_solve_at(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer);

/* The acceleration z [n] at a state, by the quickest sound road, with the settings of the run when
 * there is one. With `force` [n], which gets the non-ideal force when the model has one, A and
 * lambda of the ideal force are there, too. */
zw_status zr_accelerate(zw_sim *sim, const zk_source *s, double *z, double *force);

/* For the run: the rows are independent here, with a condition of about this; by the fused road. */
void zr_note_independent(zw_sim *sim, double condition);
void zr_note_fused(zw_sim *sim);

/* At a state where the rank is below the generic one: the acceleration the motion has in the limit,
 * from rows differentiated once more (NUMERICS 3). After a careful solve; z in place. */
zw_status zr_limit_acceleration(zw_sim *sim, const zk_source *s, double *z);

/* ----------------------------------------------------- constraints (project.c) */

zw_status zr_open_sides(zw_sim *sim); /* takes memory; once */
void zr_close_sides(zw_sim *sim);
/* Ranks that no side of the start exceeds, for the run; and without limits again. */
zw_status zr_limit_sides(zw_sim *sim);
void zr_free_ranks(zw_sim *sim);
/* Onto the constraints, q and v [n] in place; sim->level is then of the result, or sim->lanes says
 * that it went in lanes and how far it is off. near: the state is close to that of the last
 * acceleration, whose factor may serve. ZW_ERR_ACCURACY when there is no way. */
zw_status zr_project(zw_sim *sim, double t, double *q, double *v, bool near);
/* The same, neither fused nor in lanes. */
zw_status zr_project_by_factors(zw_sim *sim, double t, double *q, double *v, bool near);

/* ------------------------------------------------------------------ the run itself */

enum {
    zr_most_fired = 4096,
    zr_limit_reach = 300, /* coordinates or rows: up to here limit accelerations are computed */
    zr_full_reach = 150   /* likewise beside a sparse solver */
};

/* Rows from which the others follow, of redundant systems; count 0: there is none (road_basis.c). */
typedef struct zr_basis {
    int32_t count;
    int32_t *row;            /* [count] ascending */
    int32_t *start, *column; /* their pattern, */
    double *value;           /* their entries, */
    double *b, *lambda;      /* [count] */
    zg_system *system;       /* sparse; or NULL, and then: */
    bool same_mass;          /* it has factored this M */
    zg_quick *quick;
    double *M; /* [n*n], or [n] of a diagonal one */
} zr_basis;

/* How an event follows on itself. */
typedef struct zr_haste {
    double last, between; /* when it fired, NaN: never yet; and how long after the time before */
    int32_t hasty;        /* firings that followed without time between */
    int32_t hurried;      /* those that followed soon */
} zr_haste;

typedef struct zr_motion {
    zw_run_settings settings;
    zb_arena arena; /* everything below */
    zi_stepper *stepper;
    zi_stepper *stiff_stepper;       /* of auto: the one not in use */
    uint32_t powers;                 /* bits: which works ride along */
    int32_t work_of[ZR_POWER_COUNT]; /* place among the sums, -1 */
    double start_t;
    double work[ZR_POWER_COUNT]; /* until the simulation's state */
    double *y;                   /* [2 n and works] scratch, in the order of the model */
    double *z;                   /* [n] */
    bool not_in_lanes; /* they refuse where it begins, or rows depend on each other only where the
                          constraints hold */
    bool in_lanes;     /* the stepper's y is in the order of the lanes: rates.c; then: */
    double *lane_y, *lane_mask;  /* [2 sizes of lanes] scratch in that order; what counts */
    double *state, *state_rates; /* [2 n] scratch in the order of the model */
    double *force;               /* [n] non-ideal */

    int64_t factors_before;  /* factorizations before the run */
    zw_run_statistics stats; /* energy.end, error and trust are found when asked for */
    zr_energies at_start;
    bool moved; /* the start has moved given values; most of all: */
    int32_t moved_entry;
    double moved_from, moved_to;

    /* the present state of the principle, after the last accepted step */
    int32_t rank;            /* of A */
    double lost;             /* |inconsistency| */
    double noise;            /* largest relative rounding noise since the stepper cleared it */
    bool landed;             /* the next evaluation is at a state on the constraints */
    bool careful;            /* stages are evaluated on the constraints */
    bool plain;              /* the fused road serves */
    double *stage;           /* [2 n] there */
    int32_t refused;         /* landings in a row that were refused */
    bool lost_end;           /* so close that branches cannot be told apart */
    bool bad_start, bad_end; /* the last step, this attempt end close to a singular configuration */
    double *inconsistency;   /* [m] */
    bool *conflicting;       /* [m] rows that take part in a conflict of accelerations now */
    bool any_conflicting;
    bool *ever_conflicting; /* [m] */
    double *conflict_size;  /* [m] largest part of the conflict each row had */

    /* events */
    zi_watch watch;              /* count 0: there are none */
    bool *truth, *turned, *seen; /* [events] */
    bool *just_fired;            /* [events] */
    double *gap, *gap_ahead;     /* [gaps] */
    double *ahead;               /* [2 n] */
    double *locator;             /* workspace */
    bool pending;                /* an event waits at pending_t, inside the last step */
    double pending_t;
    bool stopped; /* by event `stopper` */
    int32_t stopper;
    zw_fired *fired; /* [zr_most_fired] */
    int32_t fired_count;
    int64_t *fired_of; /* [events] how often each */
    zr_haste *haste;   /* [events] */
    double jolt,
        jolt_t; /* the largest energy that constraints took when an event set values; when */
    int32_t jolt_event;
    double last_fired;
    int32_t last_event;
    bool resetting;     /* a failure comes from the values an event has set */
    int32_t chatter[2]; /* then: the events that follow each other, the same twice when it is one */
    double chatter_t;   /* where they accumulate */

    zr_basis basis;
    bool *in_basis; /* [m] */

    zg_system *full; /* beside a sparse solver: dense, for other forms and limit accelerations */

    /* singular_limit.c; NULL where the system is too large or sparse */
    double *limit_X, *limit_T;                   /* [m*n], [m*m] */
    double *limit_M, *limit_A, *limit_W;         /* as the dense solver takes them */
    double *limit_value, *limit_right, *limit_b; /* [limit.count], [m], [m] */
    bool *limit_rest;                            /* [m] */

    bool broken_off; /* the last advance was interrupted */

    /* interrupted in the middle of a step */
    uint32_t since_poll; /* evaluations */
    double last_poll;    /* by the clock */
    bool interrupted;

    /* failure */
    zw_status failure; /* ZW_OK while it goes on */
    double failed_t;
    double *failed_q, *failed_v; /* [n] the evaluation that failed last */
} zr_motion;

/* The settings make sense for a run from t on. */
bool zr_sensible(const zw_run_settings *settings, double t);

/* There is a run, and nothing has ended it but itself. */
bool zr_has_run(const zw_sim *sim);

void zr_run_free(zw_sim *sim);

/* generic_rank.c: stats.generic_rank, at the simulation's state. Then: rows that depend on each
 * other only where the constraints hold differ beside that, in the stages of a step, by noise only;
 * their rank is limited for the run. */
zw_status zr_find_generic_rank(zw_sim *sim);
zw_status zr_limit_ranks(zw_sim *sim);
/* Then, of dependent rows: they depend on each other beside the constraints, too. */
zw_status zr_depend_everywhere(zw_sim *sim, bool *everywhere);

/* rates.c: what the stepper calls, the user is the simulation; in the order of the model, and in
 * that of the lanes. */
zw_status zr_rates(void *user, double t, const double *y, double *dy);
zw_status zr_land(void *user, double t, double *y);
zw_status zr_rates_in_lanes(void *user, double t, const double *y, double *dy);
zw_status zr_land_in_lanes(void *user, double t, double *y);
/* In the order of the model, valid until the next of these calls and the next evaluation: y of the
 * stepper; the end of the last step. */
const double *zr_model_order(zw_sim *sim, const double *y);
const double *zr_end_state(zw_sim *sim);
zw_status zr_inner_state(zw_sim *sim, double t); /* at t inside the last step, into run->y */
zw_status zr_restart(zw_sim *sim, double t);     /* the stepper, at run->y */
bool zr_interrupted(const zw_sim *sim);          /* poll says no */
double zr_clock(void);                           /* seconds */

/* watch.c: what is kept of a step, and of the state at the start. */
void zr_watch_step(zw_sim *sim);
void zr_watch_start(zw_sim *sim);

/* fire.c: the event that is pending. */
zw_status zr_fire(zw_sim *sim);
zw_status zr_watch_look(void *user, double t, const double *y, bool *truth, double *gap);

/* road_basis.c. Choosing, when a run begins; M, A, b of a state are in sim for the others. */
zw_status zr_choose_basis(zw_sim *sim);
void zr_free_basis(zr_motion *run);
void zr_mark_basis(zw_sim *sim);   /* the rows in run->in_basis */
bool zr_basis_factor(zw_sim *sim); /* false: it does not serve here */
double zr_basis_noise(const zr_basis *basis);
/* z [n], lambda [m] = GG(f, b); b [m] or NULL: 0. */
zw_status zr_basis_solve(zw_sim *sim, const double *f, const double *b, double *z, double *lambda);
bool zr_basis_agrees(const zw_sim *sim, const double *z); /* so do the other rows */

/* judge.c: what the start has moved; before the first step. */
void zr_remember_start(zw_sim *sim);
/* Rows that take part in a conflict, of accelerations on the way or one accepted at the start: what
 * remains of them is told, not held against the run. */
bool zr_is_excused(const zw_sim *sim, int32_t row);
/* The rows that have taken part in a conflict of accelerations, by name; the last of them, -1. */
int32_t zr_text_conflict(const zw_sim *sim, zb_text *text);

/* conclude.c: the run has failed, and what is reported is about that. */
bool zr_on_the_way(const zw_sim *sim);
void zr_text_when(const zw_sim *sim, zb_text *text); /* "at the start", "at t = 0.42" */
const char *zr_code(const zw_sim *sim, const char *at_start, const char *on_the_way);

/* The verdict's judgement: fills energy.end, energy.error and trust, and says why as a sentence
 * (NULL: not wanted). */
void zr_judge(zw_sim *sim, zw_run_statistics *stats, zb_text *reason);
/* What errors of the energy are compared with: its scale, or the largest work. */
double zr_energy_measure(const zw_ledger *e);

#endif
