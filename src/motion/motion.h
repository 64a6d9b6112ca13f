/*
 * motion: integrates y' = f(t, y) in time. It takes callbacks and knows nothing of models.
 *
 *     y = (what the error control sees [controlled], integrals it does not [size - controlled])
 *     open --> step, step, ... --> dense output inside the last step --> close
 *
 * An embedded Runge-Kutta pair is a table and its name in pair_list.h, any other method a file and
 * a line of methods.c. Every accepted step ends with `project`, and how far that moved the state
 * counts as error. Times of output never touch the steps. The whole numeric state can be saved and
 * loaded: a loaded stepper goes on to the same bits.
 *
 * *Sums* are the components beyond `controlled`: integrals along the motion, such as the work of a
 * force. They are integrated with the state, but no step is chosen for their sake.
 */
#ifndef ZI_MOTION_H
#define ZI_MOTION_H

#include "base.h"

/* f and the projection. A failing or not finite evaluation makes the step smaller; only when the
 * step has come to its limit is the status handed on. */
typedef struct zi_system {
    int32_t size, controlled;
    /* Which of the controlled count in norms: [controlled] 1 or 0, `counted` ones; so that what is
     * there twice counts once. NULL: all. Read at open only; not by bdf. */
    const double *mask;
    int32_t counted;
    /* Those that count, [counted], in the order in which norms and sums of sizes add them up, positions
     * before velocities: so that sums have the same bits however components are laid out. NULL: as
     * they stand. Read all the time; only with a mask. */
    const int32_t *order;
    /* Read at open only, where absolute tolerances come from sizes; then y = (q, v), v = q', halves
     * of what is controlled. Of each coordinate: its inertia, 0: none; and its *island*, those that
     * have to do with each other, numbered below their number. [controlled / 2] both; NULL: nothing
     * is known. */
    const double *inertia, *island;
    /* Accelerations that forces would give to coordinates that nothing holds, [controlled / 2], sizes
     * only, 0: neither forces nor constraints touch it; asked for now and then. Rounding of rates is in units of these. NULL: not known. */
    const double *(*pushes)(void *user, double t, const double *y);
    void *user;
    /* y and dy are aligned to 64 bytes when the size is a multiple of 8; not by bdf. */
    zw_status (*rates)(void *user, double t, const double *y, double *dy);
    zw_status (*project)(void *user, double t, double *y); /* NULL: none */
    /* Of the controlled, y = (q [half], v [half], others) with q' = v; 0: nothing is known of the
     * kind. Read by gauss16. */
    int32_t half;
    /* rates of 8 stages side by side, in groups of `stage_width`, 4 or 8. Where w is that width and
     * r the size rounded up to a multiple of 4, component i of stage l is at
     *     [(l / w * r + i) * w + l % w]
     * t [8]. first: of a step, and what else rates depend on may have changed before it. *dy: where
     * they go, or become where they are instead, up to the next call; rates q' = v are not read.
     * The bits of `rates`. NULL: stages are evaluated one by one. Read by gauss16. */
    int32_t stage_width;
    zw_status (*stages)(void *user, bool first, const double *t, const double *y, double **dy);
    /* At the end of a step: may correct y by a little, through the carries of compensated sums: what
     * is meant is y + carry. NULL: nothing is held. Called by gauss16. */
    void (*hold)(void *user, double t, double *y, double *carry);
    /* Near a singular configuration rates are full of noise, and the more so the farther a stage is
     * from where `project` would bring it. rates leaves in *noise, when it is larger, the relative
     * rounding noise of what it returned; where that is much, the stepper sets *careful, and rates
     * evaluates at the projected state. NULL: not known, not possible. */
    double *noise;
    bool *careful;
} zi_system;

/* Relative noise of rates from which on the stepper asks for careful ones. */
static const double zi_much_noise = 1e-12;

typedef struct zi_settings {
    double tol, abs_tol;
    bool sized;  /* absolute tolerances come from the sizes of components: sizes.c, not abs_tol */
    double step; /* of fixed-step methods; first step of the others, 0 or NaN: chosen */
    double end;  /* no step goes beyond; HUGE_VAL: no end. After the start */
} zi_settings;

typedef struct zi_counts {
    int64_t steps, rejected, evaluations;
    int64_t bridged;           /* by gauss16: steps of dop853, where sweeps do not do */
    double smallest, largest;  /* accepted steps */
    double excused, excused_t; /* largest error of a step that was accepted although it was more
                                  than 1, in tolerances; the end of that step */
} zi_counts;

typedef struct zi_stepper zi_stepper;
typedef struct zi_pair zi_pair; /* an embedded explicit Runge-Kutta pair: pair.h */

/* One method. */
typedef struct zi_method {
    const char *name;
    bool fixed;                          /* step size given, no error estimate */
    bool restores;                       /* save and load work */
    bool takes_h;                        /* `h` may be set after a restart: the next step to try */
    const zi_pair *pair;                 /* its table, which crowds can run, too; NULL: none */
    zw_status (*open)(zi_stepper *s);    /* takes memory; t, y, settings are there */
    void (*close)(zi_stepper *s);        /* may be called after a failed open */
    zw_status (*restart)(zi_stepper *s); /* t and y were changed: forget the past */
    zw_status (*step)(zi_stepper *s);    /* one accepted step from (t, y) */
    zw_status (*dense)(zi_stepper *s, double t, double *y); /* t_old <= t <= t; see zi_dense */
} zi_method;

struct zi_stepper {
    zi_system system;
    zi_settings settings;
    const zi_method *method;
    zb_memory *memory;

    double t_old, t;   /* the last step; equal before the first */
    double *y_old, *y; /* [size] */
    double h;          /* the next step to try, 0: not known yet */
    zi_counts counts;
    bool stiff; /* the last steps looked stiff to an explicit method */

    /* of the methods */
    double *block; /* [block_size] everything above and below that is an array of doubles, */
    size_t block_size;
    void *taken; /* in here, at a multiple of 64 bytes */
    double *k;   /* stages, rows of `stride`: the size and zeros up to a multiple of 4 */
    int32_t stride;
    int32_t size_row; /* the first of the rows of sizes.c; 0: there are none */
    double error_old; /* PI control: its logarithm */
    int64_t stiff_hits, stiff_misses;
    bool rejected;    /* the last attempt was */
    bool first_known; /* f(t, y) is at hand */
    bool dense_ready; /* the interpolant of the last step is there */
    bool wide;        /* the processor has registers of 4 doubles: AVX2 */
    int32_t stage;    /* rates are asked for in this stage of an attempt; 0: for something else */
    void *other;      /* bdf: its objects of SUNDIALS */
};

/* NULL when there is none of that name. bdf is there only in builds with SUNDIALS. */
const zi_method *zi_find_method(const char *name);

/* Bits of stages that are *spare* to whoever samples something along a step: with both ends of the
 * step the others leave no gap in time that is wider than .35 of it, or than the widest of all
 * stages. 0 of methods that are no pairs. */
uint32_t zi_spare_stages(const zi_method *method);

/* Copies what it is given; y [size]. */
zw_status zi_open(zb_memory *memory, const zi_method *method, const zi_system *system,
                  const zi_settings *settings, double t, const double *y, zi_stepper **stepper);
void zi_close(zi_stepper *s);

/* From here on (an event has changed the state): no history; the step size is chosen anew. */
zw_status zi_restart(zi_stepper *s, double t, const double *y);

/* From y at the time at hand on the rates are others (a number in them has changed): what is known of
 * them is forgotten. Step size, control and sizes stay, but for bdf. */
zw_status zi_renew(zi_stepper *s, const double *y);

/* One accepted step: t_old, y_old, t, y. ZW_ERR_STEP, or what the evaluation said, when the step
 * would have to be smaller than its limit: then t, y are as before. */
zw_status zi_step(zi_stepper *s);

/* The state at a time inside the last step, by an interpolant of nearly the method's order that
 * meets both ends exactly. May evaluate f the first time in a step. */
zw_status zi_dense(zi_stepper *s, double t, double *y);

/* The absolute tolerances of all components: [size] those that are controlled. */
const double *zi_absolute(const zi_stepper *s);

/* Numbers that make a stepper of the same method and system go on as this one. */
size_t zi_saved_size(const zi_stepper *s); /* bytes */
void zi_save(const zi_stepper *s, void *bytes);
void zi_load(zi_stepper *s, const void *bytes);

/* ------------------------------------------------------------------- tangents */

/* How the state moves along the steps of a stepper where its start moves, in `count` directions at
 * once: what each accepted step makes of them, with its own length and stages (carry_tangents.c).
 * Memory is the owner's; direction i of a row is at [i * size]. */
typedef struct zi_tangents {
    int32_t size, count; /* numbers of a tangent, which may have another order than y; directions */
    void *user;
    /* dk [count * size]: how the rates at (t, y) move with dy; y as the stepper has it */
    zw_status (*rates)(void *user, double t, const double *y, const double *dy, double *dk);
    double *dy_old, *dy; /* [count * size] at both ends of the last step */
    double *k;           /* [zi_tangent_rows] rows */
    double *argument;    /* [count * size] scratch */
    double *stage;       /* [stride of the stepper] scratch */
    bool dense_ready;
} zi_tangents;

bool zi_can_carry(const zi_method *method); /* embedded pairs and rk4 can */
int32_t zi_tangent_rows(const zi_method *method);

/* Over the step behind the stepper: dy becomes dy_old, and dy what it is at the end, before a projection
 * there, which the owner makes. */
zw_status zi_carry_step(const zi_stepper *s, zi_tangents *x);

/* dy [count * size] at a time inside that step. */
zw_status zi_carry_dense(const zi_stepper *s, zi_tangents *x, double t, double *dy);

/* -------------------------------------------------------------------- crowds */

/* A *crowd* is many members of one system, stepped side by side in the lanes of vector registers,
 * each with its own time and step size; a lane whose member has reached the end takes the next one.
 * Arrays hold `width` numbers for each entry: entry i of lane l at [i * width + l], aligned to 64
 * bytes. A member has the bits that zi_step would give it alone, whatever its neighbours do. What
 * goes beyond accepted and rejected steps, a refused evaluation, a failing projection, sends the
 * member away: it has to be run alone, from its start. */

/* A member that leaves the crowd, and how far it came. */
typedef struct zi_gone {
    int64_t member;
    bool reached; /* the end of the settings; false: sent away */
    double t;
    const double *y; /* [size] */
    zi_counts counts;
} zi_gone;

/* The members that are in the lanes at a time. */
typedef struct zi_group zi_group;

typedef struct zi_crowd {
    int32_t size, controlled, width; /* width 4 or 8 */
    int64_t max_steps;               /* of a member, who is sent away after them; 0: no limit */
    double patience;                 /* of a member, who is sent away where the steps left are
                                        more; 0: no limit */
    bool stiff_leaves;               /* whoever alone would look stiff is sent away */
    const double *times; /* [time_count] ascending: where `sample` is called; those before a
                            member's start or beyond its end are passed over */
    int32_t time_count;
    void *user;
    /* The next member, who moves in `lane` from now on, and where it begins, y [size]; false: there
     * is none left. */
    bool (*next)(void *user, int32_t lane, int64_t *member, double *t, double *y);
    /* inertia, island [controlled / 2]: as in zi_system, of the member just seated; NULL: not known
     */
    void (*weigh)(void *user, double t, const double *y, double *inertia, double *island);
    void (*done)(void *user, const zi_gone *gone);
    /* t [width], y, dy [size * width]. Returns the bits of lanes that could not be evaluated. What
     * lanes outside of `active` get does not matter. */
    uint32_t (*rates)(void *user, uint32_t active, const double *t, const double *y, double *dy);
    /* Likewise, y in place; lanes outside of `active` stay untouched. NULL: none. */
    uint32_t (*project)(void *user, uint32_t active, const double *t, double *y);
    /* A state at times[k], projected unless a step begins or ends there; y [size]. Where that
     * projection is refused the member is sent away, too. NULL: not wanted. */
    void (*sample)(void *user, int64_t member, int32_t k, const double *y);
    /* These lanes have made a step, which zi_lane_step and zi_show_lanes tell of. Returns those that
     * are to be sent away. NULL: not wanted. */
    uint32_t (*pass)(void *user, zi_group *group, uint32_t lanes);
} zi_crowd;

/* During `pass`: where the step of a lane begins and ends. */
void zi_lane_step(const zi_group *group, int32_t lane, double *from, double *to);
/* Likewise: states of some lanes at moments [width] of their steps, as `sample` gets them; of lane l
 * at y + l * size. Returns the lanes that were refused. */
uint32_t zi_show_lanes(zi_group *group, uint32_t lanes, const double *moment, double *y);

/* ZW_ERR_METHOD when the method is no embedded pair: no callback was called then. */
zw_status zi_run_crowd(zb_memory *memory, const zi_method *method, const zi_crowd *crowd,
                       const zi_settings *settings);

/* ------------------------------------------------------------------- events */

/* Conditions along the motion. truth [count]; gap [gaps]: functions whose change of sign may change
 * a condition (a - b of a comparison), so that a short visit between two looks is seen.
 *
 * An equality a == b holds for no time at all. Its gap passes through 0, and whether its condition
 * would be true there is a number of its own. The order of the gaps:
 *     comparisons,  a - b of equalities [equalities],  1 or 0: true if it held [equalities] */
typedef struct zi_watch {
    int32_t count, gaps;
    bool minds_crowds;    /* steps in which gaps go to and fro too fast are told, not searched */
    int32_t equalities;   /* 0: none */
    const int32_t *owner; /* [equalities] the condition that each stands in */
    void *user;
    zw_status (*look)(void *user, double t, const double *y, bool *truth, double *gap);
} zi_watch;

/* What a search for events in a step has found. */
typedef struct zi_detection {
    bool found;
    double t;     /* the first time at which they are true */
    bool *turned; /* [count] of the caller: which */
    bool *truth;  /* [count] of the caller: at t, or at the end of the step when nothing turned */
    /* Not 0: a gap goes to and fro faster than the looks at it can tell, nothing was searched; this
     * part of the step can be. */
    double crowded;
} zi_detection;

/* Workspace of a locator, [zi_locator_size(watch, size)] doubles. */
size_t zi_locator_size(const zi_watch *watch, int32_t size);

/* Looks for the first moment in the last step, after `from`, at which a condition turns true that
 * was false at the last evaluation (was [count], the truth at `from`; of a condition with
 * equalities that has just fired: true). Finds it to the last bits of time; those that turn true
 * within rounding of it count as simultaneous. */
zw_status zi_locate(zi_stepper *s, const zi_watch *watch, double from, const bool *was,
                    double *workspace, zi_detection *detection);

#endif
