/*
 * The contacts of a simulation: the *mode*, which says what each contact and friction does now, the
 * masks in the values that follow from it, and the functions of contacts at a state.
 *
 *     contact    open; closed, its row of A on; implied, closed but its row follows from others
 *     friction   idle, nothing presses; sticks, its rows of A on or implied; slides along `direction`
 *
 * A friction in a plane or in space that slides may *creep*: its slip is so small that its direction
 * follows from the forces at once (solve/creep.c).
 *
 * All rows of A that no contact or friction owns are always on. Everything is taken at create.
 */
#ifndef ZR_CONTACTS_H
#define ZR_CONTACTS_H

#include "contact_laws.h"
#include "sim.h"

typedef enum zr_touch { ZR_OPEN, ZR_CLOSED, ZR_IMPLIED } zr_touch;
typedef enum zr_grip { ZR_IDLE, ZR_SLIDES, ZR_STICKS } zr_grip;

typedef struct zr_mode {
    uint8_t *touch;    /* [contacts] zr_touch */
    uint8_t *grip;     /* [frictions] zr_grip */
    bool *held;        /* [slips] of what sticks: its row is on; else it follows from others */
    bool *creeps;      /* [frictions] of what slides */
    double span;       /* of time, over which what creeps is seen to turn; 0: not at all */
    double *direction; /* [slips] unit vector of each friction that slides */
    int8_t *side; /* [frictions] 1 or -1: the sign of the one multiplier that presses a sided one */
    int8_t *motor;     /* [motors] zr_motor_side: at a limit where the mode was decided */
    double *reach;     /* [driven rows * motors] what they moved there without contacts */
    bool dependent;    /* something that sticks, or touches, follows from other rows */
    bool grips_depend; /* something that sticks does */
    bool picked;       /* it goes with a share that is not that of springs: no closure of shares */
} zr_mode;

/* What is rounding, or too small to matter, at a state: by rows of A. */
typedef struct zr_smallness {
    double *gap;  /* [m] closed */
    double *rate; /* [m] at rest */
    double *low;  /* [m] a bounce of this height is left out */
} zr_smallness;

enum { ZR_MOST_CREEPING = 12, ZR_CREEPING_SLIPS = 3 * ZR_MOST_CREEPING }; /* at once */

/* Of J (solve/creep.c): slips that grow faster than this grow before they turn. */
static const double zr_slow_gain = 0.2;

/* Of a friction that creeps, at the state that was asked for last. */
typedef struct zr_creeping {
    int32_t friction, column; /* and its place among those that slide */
    bool found;               /* its direction; else it is that of the slip */
    int32_t group;            /* of frictions whose slips depend on each other */
    double along, gain;       /* the slip of the group in its direction, and its rate */
    double
        relaxing; /* times the slip: the least rate at which slips across it end; 0: they do not */
} zr_creeping;

/* Of solve/creep.c. Slip j of number e is 3 e + j. */
typedef struct zr_creep {
    int32_t count;
    zr_creeping list[ZR_MOST_CREEPING];
    double *direction; /* [slips] which friction is against */
    double *b;         /* [slips] of the rows that would hold them */
    double *lambda;    /* [3 most * m] multipliers per unit of force along a slip, */
    double G[ZR_CREEPING_SLIPS * ZR_CREEPING_SLIPS]; /* and accelerations of the slips; */
    double *push;                   /* [3 most * frictions] these per unit of another pressure, */
    double free[ZR_CREEPING_SLIPS]; /* and without any friction */
    double *q, *v, *z;              /* [n] scratch */
} zr_creep;

/* How often things have happened at a site in a run. */
typedef struct zr_tally {
    int64_t impacts, closings, openings, sticks, slips;
    int64_t captures;  /* impacts whose bounce was so low that it was left out */
    int64_t guarded;   /* impacts in which the energy guard acted */
    double last;       /* when it closed last, or the run began with it closed; NaN: never */
    double captured_t; /* when the last such bounce was */
    double low;        /* the height, or with `rest` the speed, of bounces that are left out */
} zr_tally;

/* What has happened to contacts at one moment. */
enum {
    ZR_HAS_IMPACT = 1,
    ZR_HAS_CLOSED = 2,
    ZR_HAS_OPENED = 4,
    ZR_HAS_STUCK = 8,
    ZR_HAS_SLIPPED = 16,
    ZR_HAS_SHARED = 32 /* others carry what it did, or it what others did */
};

/* Contacts that got impulses together, where the rule of simultaneous impacts mattered. */
enum { zr_most_together = 6, zr_most_rules = 4 };
typedef struct zr_together {
    int32_t contact[zr_most_together]; /* the first of `count` */
    int32_t count;
    int64_t times;
} zr_together;

/* Of all impacts and modes of a run. */
typedef struct zr_impact_record {
    int64_t impacts, guarded, rule_mattered;
    double energy, gain; /* lost, below 0; the largest gain that the guard prevented, as a part of
                            the kinetic energy */
    zr_together rules[zr_most_rules]; /* the first of these sets */
    int32_t rule_count;
    double certificate; /* the worst of all modes that were found */
    double lowest;      /* gap at the end of a step, on positions */
    double lowest_t;    /* when */
    int32_t lowest_of;  /* contact, -1: there is none */
    double shared_t;    /* when friction first followed shares that are not unique; NaN: never */
} zr_impact_record;

/* Why the motion cannot go on: for the message (trouble.c). */
typedef enum zr_trouble_kind {
    ZR_NO_TROUBLE,
    ZR_NO_FORCE,   /* E0510 */
    ZR_JAMS,       /* E0510: the force grows beyond all bounds */
    ZR_TWO_FORCES, /* E0511 */
    ZR_MISSED,     /* E0512 */
    ZR_SQUEEZED,   /* E0513 */
    ZR_NOT_FOUND,  /* E0514 */
    ZR_BAD_LAW     /* E0505 */
} zr_trouble_kind;

/* The numbers of laws; friction and restitution statements are told apart by them. */
typedef enum zr_law_number {
    ZR_LAW_MU,
    ZR_LAW_STATIC,
    ZR_LAW_RESTITUTION,
    ZR_LAW_TANGENTIAL
} zr_law_number;

typedef struct zr_contact_trouble {
    zr_trouble_kind kind;
    bool impact;      /* it is about impulses */
    int32_t contact;  /* -1: none can be blamed */
    int32_t friction; /* that presses on it, or whose law it is; -1 */
    int32_t number;   /* zr_law_number of friction or restitution statement `friction` */
    double t, value[2];
    double mu, slip; /* of the friction */
} zr_contact_trouble;

enum { ZR_MOST_DEPENDENCIES = 64 };

/* Dependencies of rows, by which contacts that depend on each other share where something slides
 * (share_closure.h). */
typedef struct zr_closure {
    bool found;          /* of the factor at hand */
    int32_t m, count;    /* rows of the model; dependencies */
    int32_t most;        /* of them */
    int32_t rows, *row;  /* [rows] rows that press or stick, */
    double *V, *part;    /* and of each 1/W, and how much of it depends on others */
    double *u;           /* [count*m] orthonormal by V over these rows */
    double *unit, *lost; /* [m] scratch */
    double *z, *lambda;  /* [n], [m] scratch */
} zr_closure;

/* Frictions by islands of the model, joined where one is pressed by rows of another (friction_islands.c): those of
 * different ones do not feel each other. */
typedef struct zr_friction_islands {
    int32_t count, most;      /* islands with frictions; frictions of one of them, at most */
    int32_t *order, *of;      /* [frictions] island by island; the island of each */
    int32_t *row_start, *row; /* [count + 1], rows of A of each island */
} zr_friction_islands;

typedef struct zr_contacts {
    const struct zr_contact_laws *laws;
    zr_mode mode;
    bool decided; /* for the simulation's state: */
    zw_status decision;
    bool asked;         /* the mode is for a question about another state, not for the run */
    int32_t masked;     /* rows of A that contacts and frictions own */
    int32_t rows_off;   /* those whose mask is 0 */
    int32_t sliding;    /* frictions that slide, */
    int32_t creeping;   /* and those of them that creep */
    int32_t not_closed; /* contacts that are not: functions of contacts ask for their gaps */
    bool *off;          /* [m] these rows */
    double *impulse;    /* [contacts] of the last impact */
    /* functions at a state, as evaluated last */
    double *gap;         /* [2 contacts] phi, then rates */
    double *T;           /* [T.count] */
    double *slip;        /* [slips + numbers] V, then the numbers of the laws */
    double *restitution; /* [2 restitutions] */
    /* of friction.c: */
    double *pressure;      /* [frictions] what presses, of those that slide */
    double *force;         /* [n] the friction force of the last acceleration */
    double *total;         /* [n] Q with it */
    double *column;        /* [n] */
    double *column_lambda; /* [islands.most * m] multipliers per unit of pressure (zr_way_of) */
    double *base, *trial;  /* [m] scratch */
    double *matrix;        /* [islands.most^2] scratch */
    double *rest;          /* [islands.most] scratch */
    zr_friction_islands islands;
    int32_t *which,
        *turn; /* [frictions] those that slide, by islands; the number of each in its island */
    zr_creep creep;
    zr_closure closure;
    zr_contact_trouble trouble;
    bool *blamed; /* [contacts] of it; those that are squeezed, or follow each other without end */
    bool *shared; /* [contacts] friction has followed a share of theirs that is not unique */
    /* of settle.c */
    zr_smallness small;
    bool *touching, *slow; /* [contacts] */
    bool *kept;            /* [contacts] touch, and count as equations in contact space */
    int32_t kept_count;    /* 0: none does */
    bool *candidate;       /* [contacts] scratch: touch, and are not kept */
    zr_mode mode_kept;     /* scratch */
    zr_mode mode_before;   /* at the last moment */
    zg_choice *forced;     /* [contacts + frictions] scratch */
    double *pull;          /* [contacts] acceleration of the gap after the last moment */
    double *velocity;      /* [n] before the last settling */
    double *slip_before;   /* [frictions] speed before its impacts; */
    bool *slipped;         /* [frictions] it was more than rounding */
    double *rest_below;    /* [slips] scratch */
    uint8_t *happened;     /* [sites] at the last moment */
    double *lost;          /* [contacts] energy, in an impact at that moment */
    double given_back;     /* work of friction in bounces that were left out at that moment */
    zr_tally *tally;       /* [sites] */
    zr_impact_record record;
    /* of ask_mode.c: what is kept of a run while somebody asks about another state */
    zr_mode mode_aside;
    zr_smallness small_aside;
    zr_contact_trouble trouble_aside;
    /* How contacts that depend on each other share: multipliers [m] of a solve at this state become
     * the shares that are written (share_multipliers.c). NULL: there is no space yet */
    zw_status (*share)(zw_sim *sim, const zk_source *s, double *lambda);
    struct zr_space *space; /* touch_space.h; NULL: not taken yet */
} zr_contacts;

zw_status zr_open_contacts(zw_sim *sim); /* sim->contacts; NULL where the model has none */
void zr_open_friction_islands(zw_sim *sim);

/* Gaps and rates (inequalities on accelerations: at those of s, or 0, both); frictions (T, V, numbers); restitutions, at a state. */
void zr_evaluate_gaps(zw_sim *sim, const zk_source *s);
void zr_evaluate_frictions(zw_sim *sim, const zk_source *s);
void zr_evaluate_restitutions(zw_sim *sim, const zk_source *s);

/* The masks become those of the mode; or all on, or all off, whatever the mode is. What depends on
 * values is not computed again: friction.h does both. */
void zr_apply_mode(zw_sim *sim);
void zr_show_directions(zw_sim *sim); /* of the mode, into the slots of frictions */
void zr_mask_closed(
    zw_sim *sim); /* on: all that is closed, or sticks, whether it is a basis or not */
void zr_mask_all(zw_sim *sim, bool on);
/* Rows with masks, whatever these are, count as off but for those that are kept: contacts->off. */
void zr_count_masked_off(zw_sim *sim);

int32_t zr_reach_count(const zw_sim *sim); /* of mode.reach */
/* Driven rows count as off, or not: motors hold them, and not their multipliers. */
void zr_set_driven_off(zw_sim *sim, bool off);

/* Every contact open, every friction idle; not yet in the masks. */
void zr_open_all(zw_sim *sim);
/* The same, and nothing has happened to any of them. */
void zr_forget_happenings(zw_sim *sim);
/* All of a mode; of what is small. */
void zr_copy_mode(const zw_sim *sim, const zr_mode *from, zr_mode *to);
void zr_copy_smallness(const zw_sim *sim, const zr_smallness *from, zr_smallness *to);
/* The size of the terms of the gap of contact k, or of its rate. */
double zr_gap_size(zw_sim *sim, const zk_source *s, int32_t k);

/* mu of friction k, and the larger of it and `static`, of the last evaluation. */
double zr_friction_mu(const zw_sim *sim, int32_t k);
double zr_friction_static(const zw_sim *sim, int32_t k);
/* e of contact c, and its tangential one (NaN: not said), of the last evaluation. */
double zr_contact_restitution(const zw_sim *sim, int32_t c);
double zr_contact_tangential(const zw_sim *sim, int32_t c);

/* What a site does: 0 open, 1 touches or slides, 2 sticks. */
double zr_site_state(const zw_sim *sim, int32_t site);

/* The gap of contact k at the end of a step, for the record. */
static inline void zr_note_lowest(zr_contacts *c, int32_t k, double gap, double t)
{
    if (!(gap < c->record.lowest)) return;
    c->record.lowest = gap;
    c->record.lowest_of = k;
    c->record.lowest_t = t;
}

/* Rows of A that are equations. */
static inline int32_t zr_equation_rows(const zw_sim *sim)
{
    return sim->zm->m - (sim->contacts ? sim->contacts->masked : 0);
}

/* Rows of A that are on: the most that their rank can be. */
static inline int32_t zr_rows_on(const zw_sim *sim)
{
    return sim->zm->m - (sim->contacts ? sim->contacts->rows_off : 0);
}

#endif
