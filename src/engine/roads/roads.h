/*
 * A *road* is a way to compute the acceleration at a state from M, Q, A and b, and perhaps also a
 * way to bring a state back onto the constraints. Each is one file and one line of
 * ZR_ROAD_LIST, which is tried in order:
 *
 *     fused     small systems with independent rows: one program for everything (road_fused.c)
 *     parts     equal parts of a large system, rows of any rank (road_parts.c)
 *     basis     dependent rows: by those from which the others follow (road_basis.c)
 *     sparse    systems behind which the sparse solver stands, rows of any rank (road_sparse.c)
 *     quick     independent rows, definite M: Cholesky and Schur complement, guarded (road_quick.c)
 *     careful   everything else: the orthogonal decomposition (road_careful.c)
 *
 * What a run asks of them and what they have found for it is a zr_solving, handed to every road;
 * NULL outside of runs, where the equations stand as they are.
 */
#ifndef ZR_ROADS_H
#define ZR_ROADS_H

#include <float.h>
#include <math.h>

#include "contacts.h"
#include "fused.h"
#include "row_selection.h"

/* In the order in which they are asked; each has a number ZR_... and a struct zr_road_... */
#define ZR_ROAD_LIST(X)                                                                            \
    X(FUSED, fused)                                                                                \
    X(PARTS, parts)                                                                                \
    X(BASIS, basis)                                                                                \
    X(SPARSE, sparse)                                                                              \
    X(QUICK, quick)                                                                                \
    X(CAREFUL, careful)

typedef enum zr_road_number {
#define ZR_ROAD_ENUM(NUMBER, name) ZR_##NUMBER,
    ZR_ROAD_LIST(ZR_ROAD_ENUM)
#undef ZR_ROAD_ENUM
        ZR_ROAD_COUNT,
    ZR_NO_ROAD = -1 /* nobody has answered, or M and A were evaluated since */
} zr_road_number;

/* --------------------------------------------------- what a simulation has for solving */

/* A *side*: the rows of one level, positions or velocities, which a moving state is brought back
 * onto (project.c). */
typedef struct zr_side {
    zr_order order;
    zr_rows rows;       /* count 0: there are none */
    zr_rows *own;       /* these, or all rows of the simulation where the level has them all */
    double *r, *lambda; /* [m] */
} zr_side;

typedef struct zr_solver {
    zr_rows all;                 /* all rows: for accelerations */
    bool sparse;                 /* behind them stands the sparse solver */
    struct zr_parts_road *parts; /* road_parts.h; NULL: none */
    zr_road_number road;         /* by which the last acceleration or projection went */
    zr_rows *held;               /* the rows whose factor is that of the last one; NULL: none is */

    double *z_nonideal, *lambda_nonideal; /* [n], [m] */

    const zr_fused_form
        *form;              /* of the fused programs, for the mode that was entered; NULL: none */
    double *fused_out;      /* [most_outputs] of the fused programs, or NULL */
    double *fused_kept;     /* [2 n] */
    double fused_condition; /* of the last acceleration by that road */
    bool fused_fresh;       /* fused_out is that of an acceleration */

    struct zr_compromise
        *compromise; /* compromise.c; NULL: conflicts of positions are not accepted */

    zr_side sides[2]; /* positions, velocities */
    bool sides_open;
    double *zero, *change; /* [n] */
    double *metric;        /* [M.count] M, made definite */
    int64_t rounds;        /* corrections made */
} zr_solver;

zw_status zr_plan_solver(zw_sim *sim); /* sim->solver; values are there */
void zr_free_solver(zw_sim *sim);
zg_structure zr_structure(const zw_sim *sim); /* of all rows */

/* ------------------------------------------------------------------- what a run asks */

/* The *memory* of a road for one kind of question: how often it has refused in a row, for how many
 * questions more it is not asked (it *sleeps*), and for how many it was not asked the last time. */
typedef struct zr_memory {
    int32_t refused, sleeps, slept;
    int32_t served; /* 1: it has taken a question of the run before, and is always asked */
} zr_memory;
typedef enum zr_question { ZR_ASK_ACCELERATION, ZR_ASK_PROJECTION, ZR_QUESTIONS } zr_question;

/* The *trace* of questions: what they leave behind that later ones depend on, as it was kept
 * before one that must leave nothing. */
typedef struct zr_trace {
    zr_memory memory[ZR_ROAD_COUNT][ZR_QUESTIONS];
    bool on_constraints, any_conflicting;
    bool *conflicting; /* [m], where there are any */
    int8_t *side;      /* [motors] */
    bool behind;
    int32_t rank;
    double lost;
} zr_trace;

/* A *basis*: rows from which the others follow, of redundant systems (road_basis.c). */
typedef struct zr_basis {
    zr_rows rows;       /* m 0: there is none */
    bool *in;           /* [rows of A] */
    double *b, *lambda; /* [rows.m] */
} zr_basis;

/* Scratch of singular_limit.c, for *limit accelerations*: those at a state where A has lost rank,
 * in the limit of the motion through it. X NULL where the system is too large or sparse. */
typedef struct zr_limits {
    double *X, *T;                 /* [m*n], [m*m] */
    double *M, *A, *W;             /* as the dense solver takes them */
    double *value, *right, *b, *z; /* [limit.count], [m], [m], [n] */
    bool *rest;                    /* [m] */
} zr_limits;

typedef struct zr_solving {
    const zw_run_settings *settings;
    int32_t generic_rank; /* of the rows, almost everywhere; below 0: not known yet */
    int32_t generic_most; /* what it may be at most; the same where it is certain */
    uint32_t powers;      /* bits: works that the run keeps account of */
    bool projects;        /* its steps end on the constraints */
    bool asks_fused;      /* it has asked the fused road itself before it asks here (rates.c) */
    bool no_forces;       /* nobody asks for the multipliers of this answer (rates.c) */
    bool not_by_parts; /* they refuse where it begins, or rows depend on each other only where the
                             constraints hold */

    /* from one question to the next; part of a saved run */
    bool on_constraints; /* the state of the next question is on the constraints */
    zr_memory memory[ZR_ROAD_COUNT][ZR_QUESTIONS];
    int64_t taken[ZR_ROAD_COUNT]; /* accelerations by each */
    int64_t singular;             /* limit accelerations */

    /* what the last answers have found */
    int32_t rank;          /* of A */
    double lost;           /* |inconsistency| */
    double noise;          /* largest relative rounding noise since the stepper cleared it */
    double *inconsistency; /* [m] */
    bool *conflicting;     /* [m] rows that take part in a conflict of accelerations now */
    bool any_conflicting;
    int8_t *side;  /* [motors] at which limit each is now (drive.h) */
    bool behind;   /* they leave something undone: that is in `conflicting`, too */
    bool may_part; /* rows may contradict each other for a while: not holonomic ones without t */
    bool suspects; /* then: off the constraints they have seemed to, clearly */

    /* Rows that the projection leaves *out*: those in a conflict, and those that a conflict has left
     * off their constraint (seams.c). Not what the last answer found: what holds for this step. */
    bool *out; /* [m] */
    bool any_out;

    zr_basis basis;
    zg_system *full; /* beside a sparse solver: dense, for other forms and limit accelerations */
    zr_limits limits;
    zr_trace kept;
} zr_solving;

/* What a run takes and gives back. */
zw_status zr_open_solving(zw_sim *sim, zb_arena *arena, zr_solving *run);
void zr_close_solving(zw_sim *sim, zr_solving *run);

/* ------------------------------------------------------------------------- the table */

/* Where the acceleration goes: z [n]; force [n] gets the non-ideal force where it is not NULL and
 * the model has one: then A and lambda of the ideal force are there, too. */
typedef struct zr_wanted {
    const zk_source *at;
    double *z, *force;
} zr_wanted;

typedef struct zr_road {
    const char *name; /* in statistics */
    bool by_itself;   /* needs no M, Q, A, b in the simulation */
    /* Whether it may be asked: cheap. */
    bool (*serves)(const zw_sim *sim, const zr_solving *run);
    /* *taken false: it refuses this state, and the next one is asked. Without the non-ideal part
     * where there is a function for that. */
    zw_status (*accelerate)(zw_sim *sim, zr_solving *run, const zr_wanted *w, bool *taken);
    /* GG(C, 0) with the factor it holds, into z_nonideal and lambda_nonideal; NULL: it is part of
     * the acceleration. */
    zw_status (*nonideal)(zw_sim *sim, zr_solving *run);
    /* z [n], lambda [m] = GG(f, b) once more with the factor that the last acceleration has left, b
     * NULL: 0. What derivatives are made from, forwards and backwards (vary). NULL: it holds none that
     * others can use, and all rows are factored for it. */
    zw_status (*again)(zw_sim *sim, zr_solving *run, const double *f, const double *b, double *z,
                       double *lambda);
    /* The condition of the rows that the last answer saw, about; 0: no matter of concern. */
    double (*condition)(const zw_sim *sim, const zr_solving *run);
    /* Onto the constraints, in place; false: not, and nothing has changed. NULL: by factors of rows
     * (project.c), for all that have none. */
    bool (*project)(zw_sim *sim, const zr_solving *run, double t, double *q, double *v);
} zr_road;

#define ZR_ROAD_DECLARE(NUMBER, name) extern const zr_road zr_road_##name;
ZR_ROAD_LIST(ZR_ROAD_DECLARE)
#undef ZR_ROAD_DECLARE
extern const zr_road *const zr_roads[ZR_ROAD_COUNT];

/* A road that has never served and refused often is left alone for a while (roads.c). May be asked
 * only where its answer is heeded: a question that it is not asked is counted. */
static inline bool zr_is_awake(zr_memory *memory)
{
    if (memory->sleeps == 0) return true;
    memory->sleeps--;
    return false;
}

void zr_remember_refusal(zr_memory *memory,
                         zr_question question); /* of a road that has never served */

/* Of most roads that serve there is nothing to be remembered: it costs them nothing. */
static inline void zr_remember(zr_memory *memory, zr_question question, bool taken)
{
    if (memory->served) return;
    if (taken)
        *memory = (zr_memory){.served = 1};
    else
        zr_remember_refusal(memory, question);
}
void zr_wake_roads(zr_solving *run); /* after an event everything may be different */

/* Around questions that do not belong to the steps, such as dense output for a caller, and around a
 * step that is given up and made again: afterwards the run is as if they had not been asked. */
void zr_keep_trace(const zw_sim *sim, zr_solving *run);
void zr_put_back_trace(const zw_sim *sim, zr_solving *run);

/* --------------------------------------------------------------------- accelerations */

/* M, Q, A, b as the run wants them: with Baumgarte's terms in b where it has chosen these. */
void zr_equations_at(zw_sim *sim, const zr_solving *run, const zk_source *s);
/* The acceleration at a state by the first road of the table that takes it. */
zw_status zr_accelerate(zw_sim *sim, zr_solving *run, const zr_wanted *w);
/* z [n] by the equations as they stand, in the mode of contacts that is entered. */
zw_status zr_acceleration_at(zw_sim *sim, double t, const double *q, const double *v, double *z);
double zr_last_condition(const zw_sim *sim, const zr_solving *run); /* of the road taken last */

/* For a road that has answered: the rows are independent here, with a condition of about this. */
static inline void zr_note_independent(const zw_sim *sim, zr_solving *run, double condition)
{
    run->rank = zr_rows_on(sim);
    run->lost = 0.0;
    run->any_conflicting = false;
    run->noise = fmax(run->noise, DBL_EPSILON * condition);
}
/* The rows that contradict each other now: those with a share in what no acceleration can reach. */
void zr_note_conflict(const zw_sim *sim, zr_solving *run, double lost);
/* Whether run->inconsistency is more than noise in the terms of some row at accelerations z;
 * relative: the noise of the solve. */
bool zr_is_any_row_off(const zw_sim *sim, const zr_solving *run, const double *z, double relative);
/* Whether the next answer tells conflicts: only where constraints hold. Off them rows that do not
 * contradict each other seem to. */
bool zr_tells_conflicts(const zr_solving *run);

/* instant.c. Everything the principle says at a state: the arrays of `answer` that are not NULL are
 * written. M, Q, A, b, C and the measures are then in sim. For outputs and reports. */
zw_status zr_solve_at(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer);
/* zr_sim_instant in the mode that is entered. */
zw_status zr_read_instant(zw_sim *sim, zw_instant *instant);
/* The same without C: one solve. Its multipliers are those that C and measures are made from, in both
 * answers. */
zw_status zr_solve_ideal_at(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer);
/* GG(f, b) by the factor of all rows, zr_road.again of roads that hold it. */
zw_status zr_again_by_all(zw_sim *sim, zr_solving *run, const double *f, const double *b, double *z,
                          double *lambda);
/* M, Q, A, b at a state, factored. C as well, when there is any, with its measures. */
zw_status zr_factor_at(zw_sim *sim, const zk_source *s);
zw_status zr_nonideal_at(zw_sim *sim, const zk_source *s);
/* The numbers that are there, factored by the system of all rows. */
zw_status zr_factor_all(zw_sim *sim);
void zr_forget_mass(zw_sim *sim);      /* parameters, and with them M, are others */
void zr_renew_parameters(zw_sim *sim); /* renew_parameters.c: all that was computed from them */
void zr_forget_factor(zw_sim *sim);    /* M and A are evaluated anew */

/* motors/actuate.c, where motors enforce controls. As zr_accelerate, M, Q, A and b being there; as
 * zr_solve_at and zr_solve_ideal_at, the force of the motors being part of the whole force, neither of
 * the ideal nor of the non-ideal one. */
zw_status zr_accelerate_driven(zw_sim *sim, zr_solving *run, const zr_wanted *w);
zw_status zr_solve_driven(zw_sim *sim, const zk_source *s, bool nonideal, zw_gauss_answer *answer);

/* motors/beside_contacts.c. While motors answer, beside friction: what they do is added to an answer of the rows that are
 * on; whole: to all forces, b among them, not to a single one. */
void zr_answer_by_motors(zw_sim *sim, bool whole, double *z, double *lambda);

/* singular_limit.c. At a state where the rank is below the generic one: the acceleration the motion
 * has in the limit, from rows differentiated once more (NUMERICS 3). After a careful solve; z in
 * place. */
zw_status zr_limit_acceleration(zw_sim *sim, zr_solving *run, const zk_source *s, double *z);

/* road_basis.c */
zw_status zr_choose_basis(zw_sim *sim, zb_arena *arena, zr_solving *run); /* when a run begins */
/* basis->in was loaded with a saved run: other rows than those of now get a solver of their own.
 * Where that fails there is no basis any more. */
zw_status zr_restore_basis(zw_sim *sim, zb_arena *arena, zr_basis *basis);
/* M and A of a state are in sim. False: it does not serve here. */
bool zr_factor_basis(const zw_sim *sim, zr_solving *run);
/* z [n], lambda [m] = GG(f, b); b [m] or NULL: 0. */
zw_status zr_solve_basis(const zw_sim *sim, zr_basis *basis, const double *f, const double *b,
                         double *z, double *lambda);

/* generic_rank.c. run->generic_rank, at the simulation's state; scratch [2 n]. Then: rows that
 * depend on each other only where the constraints hold differ off them, in the stages of a step,
 * by noise only; their rank is limited for the run. */
zw_status zr_find_generic_rank(zw_sim *sim, zr_solving *run, double *scratch);
zw_status zr_limit_ranks(zw_sim *sim, zr_solving *run);
void zr_raise_generic_rank(zw_sim *sim, zr_solving *run); /* to run->rank, which is more */
/* Then, of dependent rows: they depend on each other off the constraints, too. */
zw_status zr_depend_everywhere(zw_sim *sim, const zr_solving *run, double *scratch,
                               bool *everywhere);

/* ---------------------------------------------------------- compromises (compromise.c) */

typedef struct zr_compromise zr_compromise;
/* For a run that accepts contradictions, and takes about this span of time; where the model is not
 * such that it has any, nothing is taken. */
zw_status zr_open_compromise(zw_sim *sim, zb_arena *arena, double span);
void zr_close_compromise(zw_sim *sim);
/* The motion goes on at the compromise from now on: q and v [n] are brought onto it, from farther
 * away where `far`. False, and nothing has changed: there is none near, or, not far, the ordinary
 * roads keep to it. */
bool zr_enter_compromise(zw_sim *sim, double t, double *q, double *v, bool far);
void zr_set_compromise(zw_sim *sim, bool on); /* as it was in a saved run, or not at all */
bool zr_on_compromise(const zw_sim *sim);
/* Then: z [n]; q and v onto it; A z - b and forces of a row of output. */
zw_status zr_accelerate_on_compromise(zw_sim *sim, const zk_source *s, double *z);
zw_status zr_project_onto_compromise(zw_sim *sim, double t, double *q, double *v);
zw_status zr_answer_on_compromise(zw_sim *sim, const zk_source *s, zw_gauss_answer *answer);

/* ------------------------------------------------------------ projections (project.c) */

zw_status zr_open_sides(zw_sim *sim); /* takes memory; once */
void zr_close_sides(zw_sim *sim);
/* Ranks that no side of the start exceeds, for the run; and without limits again. */
zw_status zr_limit_sides(zw_sim *sim, zr_solving *run);
void zr_free_ranks(zw_sim *sim);
/* Onto the constraints, q and v [n] in place; sim->level is then of the result, or the road by
 * parts says that it went there and how far it is off. near: at the end of a step, where the
 * factor of the last acceleration may serve. ZW_ERR_ACCURACY when there is no way. */
zw_status zr_project(zw_sim *sim, zr_solving *run, double t, double *q, double *v, bool near);
/* Positions alone, by factors of rows. */
zw_status zr_project_positions(zw_sim *sim, zr_solving *run, double t, double *q, double *v);
/* The same, by factors of rows only. */
zw_status zr_project_by_factors(zw_sim *sim, zr_solving *run, double t, double *q, double *v,
                                bool near);

#endif
