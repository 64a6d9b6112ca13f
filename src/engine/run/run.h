/*
 * A run: what zw_sim_begin takes and zw_sim_advance uses.
 *
 *     begin --> stepper over y = (q, v, works) --rates--> roads.c, energy.c
 *                                              --end of a step--> project.c
 *     advance: steps; after each: watch.c (violations, rank, conflicts), events.c; dense output
 *     conclude, verdict: what is to be said about it (conclude.c, verdict*.c)
 *
 * advance takes no memory and reports nothing: what is to be said is kept here, as numbers.
 */
#ifndef ZR_RUN_H
#define ZR_RUN_H

#include "events.h"
#include "linalg.h"
#include "motion.h"
#include "start.h"
#include "switching.h"

enum { zr_most_fired = 4096 };

/* What has happened so far, the last of it (happened.c). */
typedef struct zr_log_ring {
    zw_happened *list; /* [room] number i is at i mod room */
    int32_t room;      /* 0: nothing can happen */
    int64_t count;
} zr_log_ring;

/* The stepper and what it moves: y = (q, v, works), in the order of the model, or, without works,
 * in that of the lanes of equal parts. */
typedef struct zr_stepping {
    zi_stepper *stepper;
    zi_stepper *stiff_stepper;   /* of auto: the one not in use */
    double *y;                   /* [2 n and works] scratch, in the order of the model */
    double *z, *force;           /* [n] scratch: accelerations, non-ideal force */
    double *stage;               /* [2 n] scratch: a state on the constraints */
    double *pushes;              /* [n] sizes of accelerations by forces alone, asked for last */
    double *inertia;             /* [2 n] of each coordinate at the start, then its island */
    bool in_lanes;               /* the stepper's y is in the order of the lanes: rates.c; then: */
    double *lane_y, *lane_mask;  /* [2 sizes of lanes] scratch in that order; what counts */
    double *lane_inertia;        /* likewise */
    int32_t *lane_order;         /* [2n] where each coordinate and velocity is in it */
    double *state, *state_rates; /* [2 n] scratch in the order of the model */

    bool careful;            /* stages are evaluated on the constraints */
    bool was_careful;        /* some stage of the last step was */
    int32_t refused;         /* ends of steps in a row that were refused */
    int32_t vain;            /* steps made shorter for many changes, since one was found */
    double longest;          /* no step is longer; 0: they may be */
    bool ends_asked;         /* steps end where advance is asked to go: numbers may be set there */
    double asked;            /* then: where */
    bool crowded;            /* fixed steps were too long to find every change of a condition */
    bool lost_end;           /* so close that branches cannot be told apart */
    bool bad_start, bad_end; /* the last step, this attempt end close to a singular configuration */
} zr_stepping;

/* The *pace* of an event: how it follows on itself. */
typedef struct zr_pace {
    double last, between; /* when it fired, NaN: never yet; and how long after the time before */
    int32_t at_once;      /* firings that followed without time between */
    int32_t soon;         /* those that followed soon */
} zr_pace;

typedef struct zr_firing {
    zi_watch watch;              /* count 0: there are none */
    bool *truth, *turned, *seen; /* [events] */
    bool *before;                /* [events] truth before the last step */
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
    zr_pace *pace;     /* [events] */
    double last_fired;
    int32_t last_event;
    bool resetting;     /* a failure comes from the values an event has set */
    int32_t chatter[2]; /* then: the events that follow each other, the same twice when it is one */
    double chatter_t;   /* where they accumulate */
    /* the *jump*: the largest change of energy when values that an event had set were brought onto
     * the constraints; when, and which event */
    double jump, jump_t;
    int32_t jump_event;
} zr_firing;

/* A at different moments of a step. */
enum { ZR_BEFORE, ZR_AFTER, ZR_LEFT, ZR_RIGHT, ZR_BETWEEN, ZR_PIECE, ZR_PASSAGE_SETS };

enum { ZR_MOST_PLACES = 16 };

/* A coordinate crosses a row of those that are looked at, at an entry of A. */
typedef struct zr_crossing {
    int32_t row, entry;
} zr_crossing;

/* The *passage* of a step by singular places (passage.c). */
typedef struct zr_passage {
    bool open;                  /* places are looked for */
    bool still;                 /* they have not moved since they were compared last */
    bool idle;                  /* rows have hardly changed in the last step */
    bool known;                 /* A[ZR_BEFORE] is of the last look, with no event since */
    int32_t count;              /* rows that are looked at, 0: not chosen yet */
    int32_t *row, *first;       /* [rank] their numbers; the first that each has to do with */
    int32_t *column_start;      /* [n + 2] where each coordinate begins in: */
    zr_crossing *crossing;      /* [A.count] their entries by coordinates */
    double *chosen;             /* [rank * m] scratch, of dependent rows */
    double *A[ZR_PASSAGE_SETS]; /* [A.count] */
    za_growing factor;          /* of up to `rank` rows (row_turns.c) */
    const za_kernels *kernels;
    double *share, *length; /* [m] u of the last place, |A_i| there */
    double *size;           /* [m] largest |A_i|^2 so far */
    double *weight;         /* [n] of each coordinate: 1 over the root of its inertia */
    double *entry_weight;   /* [A.count] of each entry's */
    double *change_weight;  /* [A.count] 1 over the length of its row at the last look */
    double *spread;         /* [2 n] zeros */
    bool *concerned;        /* [m] rows that have had a share at a place */
    double clear;           /* of rows at the end of the last look, a square of a sine or less */
    bool clear_known;       /* that square itself, not a bound of it */
    double pivot, clearest; /* smallest of the last step; the largest of them */
    double place[ZR_MOST_PLACES]; /* those of the last step, as many as there is room for */
    int32_t place_count;
    bool kept_off;        /* the state shown last is as the dense output has it (beside.c) */
    double *kept, kept_t; /* [2 n] the state that is shown */
    /* a *stay*: steps that end close to a place, one after the other */
    bool stays;
    double *entry;           /* [n] velocities where it began */
    double closest, nearest; /* the smallest pivot of it, and when that was */
    double short_step;       /* the longest in which rows were seen to turn only a little */
} zr_passage;

enum { zr_most_spans = 8 };

/* A *span* of time in which rows contradicted each other; to NaN: it has not ended. */
typedef struct zr_span {
    double from, to;
} zr_span;

/* When a motor was at a limit: the first spans, of `count`; the last of them goes on while it is. */
typedef struct zr_motor_spans {
    zr_span list[zr_most_spans];
    int64_t count;
} zr_motor_spans;

/* *Seams* of a motion, where a conflict begins or ends (seams.c). */
typedef struct zr_seams {
    zi_watch watch;  /* count 0: rows cannot contradict each other */
    double *locator; /* workspace */
    double *state;   /* [2 n] scratch: a state inside a step on its constraints */
    bool *was;       /* [m] rows in a conflict at the beginning of this step */
    bool was_any;
    int8_t *was_side;       /* [motors] likewise, at which limit each was */
    zr_motor_spans *motors; /* [motors] */
    bool ever_behind;       /* they have left something undone */
    bool spanning;          /* rows contradict each other now: the last of the spans goes on */
    bool near;              /* a seam is known, and steps go up to its last moment before */
    bool pending;           /* it has come: events.pending, too, and it is crossed next */
    double t;               /* when it is */
    double given_up;        /* the length of the step that led across it */
    int32_t tries;          /* seams in a row without much time between */
    double last;            /* where the last one was crossed */
    zr_span spans[zr_most_spans]; /* the first ones, of span_count; the last of them goes on where
                                     rows are in a conflict now */
    int64_t span_count;
    double *left, *left_rate, *left_t; /* [m] what the end of a conflict left of a row, and when;
                                          left_t NaN: nothing */
} zr_seams;

/* What is remembered of the way, for the verdict. */
typedef struct zr_record {
    double start_t;
    zr_energies at_start;
    int32_t work_place[ZR_POWER_COUNT]; /* of each power among the works, -1 */
    double work[ZR_POWER_COUNT];        /* until the simulation's state */
    int64_t factors_before;             /* factorisations before the run */
    bool moved;                         /* the start has moved given values; most of all: */
    bool branch; /* the start is one of several branches, or may not be the nearest */
    int32_t moved_entry;
    double moved_from, moved_to;
    bool *ever_conflicting; /* [m] */
    double *conflict_size; /* [m] the most each row was off in a conflict; above 0: it had a part */
    double raised_t;       /* when rows turned out to be more than around the start, NaN: never */
    double locked_t;       /* when positions could no longer meet all rows, NaN: never */
    double lock_entry;     /* then: the moment behind it at which the motion goes on */
    bool *locked;          /* [m] then: rows with a share in that */
    int64_t set_count;     /* settings by handle that have changed something */
    /* [islands] energies at the start, sizes so far; NULL: not kept apart. Two more for scratch */
    double *island_h, *island_scale, *island_now;
} zr_record;

/* How it ended, or was asked to. */
typedef struct zr_ending {
    bool broken_off;     /* the last advance was interrupted */
    bool stoppable;      /* a step is being made: it may be given up, and made again */
    bool interrupted;    /* in the middle of a step */
    uint32_t since_poll; /* evaluations */
    double last_poll;    /* by the clock */
    zw_status failure;   /* ZW_OK while it goes on */
    double wrong_t;      /* that the last advance was asked for in vain; NaN: none */
    double failed_t;
    double *failed_q, *failed_v; /* [n] the evaluation that failed last */
} zr_ending;

/* How the run gets on: what is left is judged by what the last steps have reached. */
typedef struct zr_patience {
    int64_t tries;   /* steps, rejected ones included, when it was judged last */
    double t;        /* and where the run was then */
    double left;     /* steps that the rest would take as those before went; 0: not judged yet */
    int64_t looked;  /* tries, when a switch was last looked for */
    int32_t jumping; /* the coordinate whose acceleration then jumped, -1: none */
    double before, after; /* its values on both sides */
} zr_patience;

/* Columns that were written and are not unique, because rows depend on each other (shares.c). */
typedef struct zr_shares {
    bool *row, *control, *output;    /* [m], [n], [elements]: multipliers, controls, outputs */
    double first;                    /* the time of the first such row; NaN: none */
    int32_t first_rank;              /* and the rank there, of so many rows that are on: */
    int32_t first_rows, closed_rows; /* (of the last look) */
    bool passing;               /* it is less than almost everywhere, or contacts have closed */
    int32_t lowest;             /* the lowest rank that was looked at */
    int64_t rows, looks;        /* written while rows depend on each other; looked at of them */
    double *length, *change;    /* [m] scratch: of the rows; multipliers that hold nothing */
    double *image, *pull, *way; /* [m], [n], [n] scratch: A way, A^T change, a direction */
    double *moved, *any;        /* [elements] scratch: outputs with changed multipliers; */
    bool *same;                 /* [elements] whether they stay as they are */
} zr_shares;

/* Non-ideal forces that change the reactions they follow (feedback.c). */
typedef struct zr_feedback {
    bool watched;          /* the model can have such */
    double first;          /* when it was first seen; NaN: never */
    double chosen;         /* when such a force or an event first followed a share of a reaction
                              that is not unique; NaN: never */
    double worst, worst_t; /* by how much of itself such a force, or a reaction, is off; and when */
    double *force, *C, *largest_C; /* [n] scratch; the largest force on each coordinate */
    double *C_moved;               /* [n] scratch */
    double *lambda, *moved;        /* [m] scratch */
    bool *truth;                   /* [events] scratch */
    double *gap_moved;             /* [gaps] scratch */
    double *gap, *gap_with;        /* [gaps] of conditions without and with the friction, */
    double *largest_gap;           /* [gaps] and the largest of the run */
} zr_feedback;

/* The search for what happens to contacts (contact_watch.c). Its functions fall through 0 where
 * something happens; number c is of contact c, number contacts + k of friction k:
 *
 *     open       the gap, while it closes        sliding    slip along the direction
 *     closed     the multiplier                  sticking   what it can bear less what it bears
 *
 * A function counts as it is once it has been above its *band* (it is *armed*), before only below
 * minus its band: it begins at 0 but for rounding. */
typedef struct zr_touching {
    zi_watch watch;  /* count 0: there are none */
    double *locator; /* workspace */
    bool *turned;    /* [functions] */
    bool *armed;     /* [functions] */
    /* of the search in a step: the functions that may fall in it, and what is known of these */
    int32_t *asked, asked_count;       /* [functions] */
    bool *truth, *turned_asked, *seen; /* [asked_count] */
    double *band, *value;              /* [functions] */
    /* [functions + contacts] functions and rates of open contacts at the stages of a step: the least,
     * the largest, and the last, which is of sample_t */
    double *low, *high, *sample, sample_t;
    uint32_t spare;    /* bits of stages that samples of forces can do without */
    bool sampled;      /* at all others */
    bool *clear;       /* [functions] stay clear of 0 in the last step */
    bool needs_forces; /* others are forces, or slips */
    bool thorough;     /* every step is searched, whatever they say, and nothing is kept
                                (kept_contacts.h): for tests */
    bool searched;     /* the last step was */
    int64_t quiet;     /* steps that were not searched */
    int64_t kept;      /* contacts that were kept, summed over the moments */
    double *z, *force; /* [n] scratch */
    double *least;     /* [n] rounding of accelerations, by their terms where the mode was found */
    const za_sweep_kernels *sweep;
    bool *closing, *resting; /* [contacts], [frictions]: at this moment */
    bool *crept, *wanted;    /* [frictions] scratch */
    bool pending;            /* something happens where run->events has it pending */
    int32_t base_rank;       /* of the equations alone */
    double last;             /* when something happened last */
    int32_t at_once;         /* moments that followed without time between */
    int64_t moments;
} zr_touching;

/* The 8 stages of gauss16 in lanes (stages.c). */
typedef struct zr_stages {
    int32_t width, stride, values;   /* stride: components of a group */
    double *value, *out, *workspace; /* of the frame */
    double *y, *dy;                  /* [stride] of one stage */
} zr_stages;

/* Energies that are held (held_energy.c), one for each island. */
typedef struct zr_held {
    bool square_of_speeds; /* v^T M v is twice the kinetic energy */
    bool on, known;        /* known: h is that of the motion from the last restart on */
    int32_t islands;
    double *h;      /* [islands] */
    double *now;    /* [2 islands] scratch: at the end of a step, then their sizes */
    double *square; /* [islands] scratch: v^T M v */
    double sum;     /* of all corrections */
} zr_held;

typedef struct zr_motion {
    zw_run_settings settings;
    zb_arena arena; /* everything below */
    zr_solving solving;
    zr_stepping step;
    zr_stages stages;
    zr_held held;
    zr_firing events;
    zr_seams seams;
    zr_switching switching;
    zr_touching touching;
    zr_log_ring log;
    zr_record record;
    zr_passage passage;
    zr_ending ending;
    zr_patience patience;
    zr_shares shares;
    zr_feedback feedback;
    zw_run_statistics stats; /* energy.end, error, roads and trust are found when asked for */
} zr_motion;

/* The settings make sense for a run from t on. */
bool zr_sensible(const zw_run_settings *settings, double t);

/* statistics.c: factorisations made so far by all solvers that the run uses. */
int64_t zr_count_factors(const zw_sim *sim);
/* There is a run, and nothing has ended it but itself. */
bool zr_has_run(const zw_sim *sim);

void zr_run_free(zw_sim *sim);

/* zr_sim_create with memory of its own, for a simulation in another thread (ensemble.c). */
zw_status zr_sim_create_in(zb_memory *memory, zw_model *model, zw_sim **sim);

/* rates.c: what the stepper calls, the user is the simulation; in the order of the model, and in
 * that of the lanes. */
zw_status zr_rates(void *user, double t, const double *y, double *dy);
bool zr_is_asked_to_stop(zw_sim *sim); /* also on the way: then the evaluation fails */
zw_status zr_end_step(void *user, double t, double *y);
zw_status zr_rates_in_lanes(void *user, double t, const double *y, double *dy);
zw_status zr_end_step_in_lanes(void *user, double t, double *y);
/* In the order of the model, valid until the next of these calls and the next evaluation: y of the
 * stepper; the end of the last step. */
const double *zr_model_order(zw_sim *sim, const double *y);
const double *zr_end_state(zw_sim *sim);
zw_status zr_inner_state(zw_sim *sim, double t); /* at t inside the last step, into run->y */
/* The simulation's state becomes the one at t inside the last step, or at its end. */
zw_status zr_show_inner(zw_sim *sim, double t);
zw_status zr_restart(zw_sim *sim, double t); /* the stepper, at run->y */
zw_status zr_renew(zw_sim *sim);             /* at run->y, where it is: rates are others */
bool zr_interrupted(const zw_sim *sim);      /* poll says no */
static inline bool zr_is_cancelled(const zw_sim *sim)
{
    return atomic_load_explicit(&sim->cancelled, memory_order_relaxed);
}

/* seams.c: where conflicts begin and end. Open: before the first evaluation. Note: after an
 * evaluation on the constraints at the state (t, q, v), what the rows in a conflict are from here
 * on; renew: the same with the evaluation, at run->step.y. Mind: after a step and the search for
 * events in it; *back: it led across a seam, and is made again up to there, or it has come to one,
 * which is then pending. Cross: over that one. */
zw_status zr_open_seams(zw_sim *sim);
/* motor_spans.c: what stands at its limit at the end of a step, noted; whether that is not as when
 * it began; whether rows contradict each other that are not what motors leave undone. */
void zr_note_motors(zw_sim *sim, double t);
bool zr_do_motors_differ(const zw_sim *sim);
bool zr_is_conflict(const zw_sim *sim);
/* Driven rows that an impact has left off at a state stay out of projections. */
void zr_leave_driven_rows(zw_sim *sim, double t, const double *q, const double *v);
bool zr_motors_were_behind(const zw_sim *sim); /* at some time */
void zr_note_conflicts(zw_sim *sim, double t, const double *q, const double *v);
zw_status zr_renew_conflicts(zw_sim *sim, double t);
zw_status zr_mind_seams(zw_sim *sim, bool *back);
zw_status zr_cross_seam(zw_sim *sim);
/* Steps end at the end of the run, or before: at the seam that is near, where a switch turns by the
 * clock, where they would be too long. */
void zr_set_end_of_steps(zw_sim *sim);

/* contact_watch.c: what begin takes, and the first moment, at which closed contacts that approach
 * collide; after a step, *t: when the first thing happens to a contact in it, HUGE_VAL: nothing does;
 * that which is pending; at the end of a step in which nothing did. */
zw_status zr_begin_touching(zw_sim *sim);
zw_status zr_touch_first(zw_sim *sim);
zw_status zr_find_touch(zw_sim *sim, double *t);
zw_status zr_meet_touch(zw_sim *sim);
/* Around values that an event has set: no contact holds them; then y [2 n] settles as it stands. */
void zr_let_all_go(zw_sim *sim);
zw_status zr_touch_set_values(zw_sim *sim, double t, double *y);
zw_status zr_touch_again(zw_sim *sim); /* after a switch has turned, which may open or close some */
zw_status zr_end_touching_step(zw_sim *sim);
zw_status zr_turn_directions(zw_sim *sim); /* creeping.c: of what slides; before a step */
/* What the tolerance of the stepper is in slips of friction k, of the last evaluation. */
double zr_slip_tolerance(const zw_sim *sim, int32_t k);
/* touch_values.c: whether samples can do without this stage of a step: where all are forces. */
bool zr_is_stage_spare(const zw_sim *sim);
/* The functions at a state whose rates were just found: by the fused program, or by
 * any road; s with accelerations. */
void zr_sample_fused(zw_sim *sim, double t);
void zr_sample_touch(zw_sim *sim, const zk_source *s);
/* Accelerations [n] that are 0 but for rounding are 0 where something is closed: what rests stays. */
bool zr_clear_resting(const zw_sim *sim, double *z); /* false: some are not finite */

/* happened.c: takes the memory of the log; adds to it. */
zw_status zr_open_log(zw_sim *sim);
void zr_log(zr_motion *run, const zw_happened *happened);

/* trouble.c: the message for sim->contacts->trouble; the contacts that it names. */
zw_status zr_report_trouble(zw_sim *sim);
void zr_text_blamed(const zw_sim *sim, zb_text *text);
const char *zr_trouble_sentence(const zw_sim *sim); /* in a few words; static */

/* contact_words.c: where the energy guard acted; where the rule of simultaneous impacts mattered. */
void zr_text_guard(const zw_sim *sim, zb_text *text);
void zr_text_rule(const zw_sim *sim, const zr_together *set, zb_text *text);

/* lock.c: positions that cannot meet all rows, where that is accepted. Begin: at the start, before
 * the stepper. Goes on: after a step that failed with this status; false: it does not. */
zw_status zr_begin_at_compromise(zw_sim *sim);
bool zr_goes_on_at_compromise(zw_sim *sim, zw_status failed);
/* The rows that cannot hold from run->record.locked_t on, by name; the last of them. */
int32_t zr_text_locked(const zw_sim *sim, zb_text *text);

/* watch.c: what is kept of a step, and of the state at the start; energies of islands, whose sizes
 * are noted. */
void zr_watch_islands(zw_sim *sim, const zk_source *s);
void zr_watch_step(zw_sim *sim);
void zr_watch_start(zw_sim *sim);

/* patience.c: ZW_ERR_PATIENCE where the rest would take more steps than the settings allow. Before
 * a step. */
zw_status zr_mind_patience(zw_sim *sim);
/* A force switches back and forth where the last step ended; looked for now and then only. */
bool zr_switches(zw_sim *sim);
/* What makes the steps small, as far as it is known without a look; NULL: nothing. Static. */
const char *zr_trouble(const zw_sim *sim);

/* share_change.c, shares.c: takes its memory; says which columns are not unique, by name. */
zw_status zr_open_shares(zw_sim *sim, zb_arena *arena, zr_shares *shares);
void zr_text_shares(const zw_sim *sim, zb_text *text);
/* After a solve with dependent rows: shares->change becomes multipliers that hold nothing, random
 * ones, and shares->length the lengths of the rows; the largest force of a row in it, 0: none was
 * found. */
double zr_find_share_change(zw_sim *sim, zr_shares *shares);
/* shares->pull [n] = A^T change, of all rows or of controls only. */
void zr_pull_share_change(const zw_sim *sim, zr_shares *shares, bool controls);
/* One by one: of all that could be; the name of number k, false: it is unique, or not written. */
int32_t zr_share_count(const zw_sim *sim);
bool zr_text_share(const zw_sim *sim, int32_t k, zb_text *text);

/* feedback.c: takes its memory; looks now and then, after a step. */
zw_status zr_open_feedback(zw_sim *sim, zb_arena *arena, zr_feedback *feedback);
void zr_watch_feedback(zw_sim *sim);

/* passage.c: singular places that a step has passed, in this order; on record in the statistics and
 * in run->passage. */
zw_status zr_open_passage(zw_sim *sim);
zw_status zr_keep_rows_of_step(zw_sim *sim);
zw_status zr_look_for_places(zw_sim *sim);
void zr_take_rows(const zw_sim *sim, const double *values, double *to);

/* row_turns.c, of rows as zr_take_rows has them. The smallest pivot, beside the largest square that
 * its row has had; above 0 where no row has turned between the two matrices. Of one matrix: how
 * clear rows are of depending on each other, a square of a sine; below 0 or 0: they do. */
double zr_compare_rows(const zw_sim *sim, const double *a, const double *b);
double zr_smallest_pivot(const zw_sim *sim, const double *A);
/* Rows of A come closer than this to depending on each other at a place: squares of sines. */
static const double zr_close_to_dependent = 1e-5;
/* Which rows are followed: all, or of dependent ones a set of the generic rank that is as
 * independent at `a` as can be; false: none is clearly so, since the state is singular or close to
 * it, and the rows stay as they were. */
void zr_follow_all_rows(const zw_sim *sim);
bool zr_choose_rows(const zw_sim *sim, const double *a);
/* passage->share becomes u, of the rows as they are, with u^T A ~ 0: inverse iteration on rows of
 * unit length, where u has unit length as well. Rows with a share worth mentioning are marked. */
void zr_find_place_shares(zw_sim *sim, const double *a);

/* beside.c: the last step has come near a place: the smallest of its pivots is small beside others. */
static inline bool zr_is_near_place(const zr_motion *run)
{
    if (!run || !run->passage.open || run->passage.still) return false;
    return run->passage.place_count > 0 || run->passage.pivot < 0.1 * run->passage.clearest;
}
/* A state of the dense output, in q and v and in run->step.y, onto the constraints, unless
 * that leads astray beside a singular place. A failure has left it as it was. */
zw_status zr_bring_back(zw_sim *sim, double t, double *q, double *v);
/* Whether the state shown last is so close to a place that its equations tell nothing. Then, where
 * nodes are found: their states, one after the other, the limit of what was found there, and the
 * state that was shown again. */
enum { ZR_NODES = 6 };
bool zr_is_beside_place(zw_sim *sim);
zw_status zr_begin_nodes(zw_sim *sim, double *node, bool *found);
zw_status zr_show_node(zw_sim *sim, double t, bool *good);
void zr_end_nodes(zw_sim *sim);
double zr_limit_of_nodes(const double *node, const double *value, double t, double nothing);

/* carry/: tangents along the run, where some are asked for (sim->carried). Begin: after the stepper. Step: over
 * the last one, conditions held as in it; back: it is made again. Events: to the moment, across the gap of one
 * that fires, through what it sets and the constraints, and from there. Turns of switches: before
 * and after sides are decided. Pending: whether what waits has a rule. The message for
 * ZW_ERR_DERIVATIVE. */
bool zr_is_carried_from(
    const zw_sim *sim); /* the state is the one that they are of, or there are none */
zw_status zr_begin_carry(zw_sim *sim);
zw_status zr_carry_step(zw_sim *sim);
void zr_carry_back(zw_sim *sim);
zw_status zr_carry_inside(zw_sim *sim, double t); /* at run->step.y, as it moves with t */
zw_status zr_carry_to_event(zw_sim *sim, double t);
zw_status zr_carry_crossing(zw_sim *sim, int32_t event, double t, const double *y);
zw_status zr_carry_reset(zw_sim *sim, int32_t event, double t, const double *y);
void zr_carry_set_values(zw_sim *sim, const double *y);
zw_status zr_carry_onto_rows(zw_sim *sim, double t, const double *y);
zw_status zr_carry_from_event(zw_sim *sim, double t, const double *y);
zw_status zr_carry_turn(zw_sim *sim, double t);
zw_status zr_carry_turned(zw_sim *sim, double t);
zw_status zr_carry_pending(zw_sim *sim);
zw_status zr_carry_to_touch(zw_sim *sim, double t); /* before something happens to a contact */
zw_status zr_carry_from_touch(zw_sim *sim, double t);
zw_status zr_report_carry(zw_sim *sim);

/* run.c: what waits inside the last step happens; the simulation's state becomes y at t. */
zw_status zr_do_pending(zw_sim *sim);
void zr_show_state(zw_sim *sim, double t, const double *y);
/* fire.c: conditions at the state y [2 n] where values were set: what that turned true is pending. */
zw_status zr_fire_what_turned(zw_sim *sim, double t, const double *y);

/* fire.c: run->step.y becomes the state at t inside the last step, on the constraints where the run
 * projects; the event that is pending. */
zw_status zr_read_state_inside(zw_sim *sim, double t);
zw_status zr_fire(zw_sim *sim);
zw_status zr_watch_look(void *user, double t, const double *y, bool *truth, double *gap);

/* switching.c: what begin takes; a step with all conditions held, *turns: one changes in it, at
 * run->events.pending_t. */
zw_status zr_begin_switching(zw_sim *sim);
zw_status zr_ready_switches(zw_sim *sim);
void zr_hold_conditions(zw_sim *sim);
void zr_show_conditions(zw_sim *sim);
void zr_wind_clocks(zw_sim *sim, double t); /* sides of timed switches just after t */
zw_status zr_look_at_sides(zw_sim *sim, double t, const double *y); /* switching.truth */
zw_status zr_take_end_state(zw_sim *sim);
zw_status zr_find_turn(zw_sim *sim, bool *found, double *t, double *crowded);
/* turn.c: the switch that is pending turns; sides from the state in run->step.y at t. */
zw_status zr_turn(zw_sim *sim);
zw_status zr_decide_sides(zw_sim *sim, double t, const bool *turned);
void zr_text_slide(const zw_sim *sim, int32_t k, zb_text *text); /* from when to when, where */
void zr_end_slide(zw_sim *sim, int32_t k, double t);
/* slide.c: slots of what slides so that the motion stays on the surfaces; y in the order of the
 * model. */
zw_status zr_slide(zw_sim *sim, double t, const double *y);
/* Of chosen [count], all free to be between their sides: r and B of the rates r + B s. */
zw_status zr_find_pushes(zw_sim *sim, double t, const double *y, int32_t count);
bool zr_solve_sides(zr_switching *w, int32_t count);
/* w->s of those that are free so that their rates are 0; false: singular, nothing is changed. */
bool zr_solve_free(zr_switching *w, int32_t count, const bool *free);
double zr_slot_value(const zr_switching *w, int32_t k, double side);
void zr_clear_rounding(const zw_sim *sim, double *z);
/* The simulation's state is shown: what slides has the slots of this state. */
zw_status zr_show_state_of_switches(zw_sim *sim);

/* judge.c: what the start has moved; before the first step. */
void zr_remember_start(zw_sim *sim);
/* Rows that take part in a conflict, of accelerations on the way or one accepted at the start: what
 * remains of them is told, not held against the run. */
bool zr_is_excused(const zw_sim *sim, int32_t row);
/* The rows that have taken part in a conflict of accelerations, by name; the last of them, -1. */
int32_t zr_text_conflict(const zw_sim *sim, zb_text *text);
/* The same as the beginning of a sentence, "... ask for accelerations that contradict each other "
 * (seams.c). */
/* "from t = 1 to 2, from t = 3 on", of `count` spans the first. */
void zr_text_span_list(const zr_span *spans, int64_t count, zb_text *text);
int32_t zr_text_demands(const zw_sim *sim, zb_text *text);
/* When there was a conflict: "from t = 1 to 2, from t = 3 on". */
void zr_text_spans(const zw_sim *sim, zb_text *text);
/* The rows that a conflict has left off when it ended, by how much and when; the last of them, -1:
 * there are none. */
bool zr_has_left_rows(const zw_sim *sim);
int32_t zr_text_left(const zw_sim *sim, zb_text *text);

/* The verdict's judgement: fills energy.end, energy.error and trust, and says why as a sentence
 * (NULL: not wanted). */
void zr_judge(zw_sim *sim, zw_run_statistics *stats, zb_text *reason);
/* What errors of the energy are compared with: its scale, or the largest work. */
double zr_energy_measure(const zw_ledger *e);

/* ------------------------------------------------------------- events (events.c) */

/* Conditions and gaps at a state: truth [events], gap [gaps]. Where conditions use reactions this
 * solves. */
zw_status zr_look_at_events(zw_sim *sim, double t, const double *q, const double *v, bool *truth,
                            double *gap);
/* The same with the reactions that are in sim->measure. */
void zr_look_with_measures(zw_sim *sim, const zk_source *s, bool *truth, double *gap);
/* Reactions at a state, from its multipliers, into sim->measure. */
zw_status zr_measure_reactions(zw_sim *sim, const zk_source *s);
/* The new values of an event, all from the values before; q and v [n] in place. ZW_ERR_NOT_FINITE:
 * one is not a number, and nothing is changed. */
zw_status zr_set_new_values(zw_sim *sim, int32_t event, double t, double *q, double *v);

/* ------------------------------------------------------ machine code (machine_code.c) */

/* Machine code for the programs that runs with these settings evaluate again and again, at a width
 * of 1, 4 or 8 lanes; made once a model and width, by the context's thread. */
void zr_make_machine_code(zw_model *model, const zw_run_settings *settings, int32_t width);
/* kernel, kernel_reason, native_*; of what sim->evaluator says. */
void zr_kernel_statistics(const zw_sim *sim, zw_run_statistics *stats);
/* W0716: machine code was asked for, and is not used. */
zw_status zr_tell_kernel(zw_sim *sim);

#endif
