/*
 * contact: inequalities and Coulomb friction of one instant, in *contact space* (THEORY, "Contact").
 * Once the equations are eliminated, all that is left of a system are the rows that may hold or not,
 * normals of contacts and tangents of frictions, with a force x[i] and an acceleration u[i] each:
 *
 *     u = G x + w        G = R M~^-1 R^T symmetric, positive semidefinite;  w = R z_free - b
 *     lambda = lambda0 + L x        multipliers of equations that frictions take their pressure from
 *
 * In an impact the same with impulses x, velocities u after it and w before it. The laws:
 *
 *     contact    0 <= x_n,  0 <= u_n,  one of them 0
 *     friction   slips:       x_t = -mu rho d,  d = slip / |slip|
 *                at rest:     |x_t| <= mu_static rho and u_t = 0,  or  x_t = -mu rho d and u_t = a d, a >= 0
 *                rho          the pressure: x_n of its contact, or a function of lambda
 *
 * A *mode* says which rows hold. Row numbers, contacts and frictions are the caller's; rows that no
 * contact and no friction names are not allowed. A friction on a contact whose normal is row n may
 * stand in any row. Several frictions may press on the same contact.
 *
 * Nothing here allocates but zg_contact_space_plan. All matrices are row-major without padding.
 * Results do not depend on what a space was used for before.
 */
#ifndef ZG_CONTACT_H
#define ZG_CONTACT_H

#include "base.h"

enum { ZG_MOST_WIDTH = 3 }; /* tangent rows of one friction */

/* --------------------------------------------------------------------- the data */

/* The pressure of a friction from `count` multipliers: homogeneous of degree 1, as the norm is; the
 * absolute value of what it returns counts. gradient [count] is written. */
typedef double (*zg_pressure_fn)(void *user, const double *lambda, double *gradient);

typedef struct zg_contact {
    int32_t normal;     /* its row */
    double restitution; /* 0 .. 1, in impacts; 0 for an inequality on velocities */
} zg_contact;

typedef struct zg_friction {
    int32_t first, width;       /* tangent rows first .. first + width - 1, width 1 .. 3 */
    double mu, mu_static;       /* mu_static < mu counts as mu */
    double slip[ZG_MOST_WIDTH]; /* all 0: at rest */
    double tangential;          /* restitution 0 .. 1, in impacts */
    int32_t contact;            /* >= 0: the pressure is the multiplier of this contact's normal */
    int32_t joint_first,
        joints; /* contact < 0: it comes from lambda[joint_first ...], `joints` of them: */
    zg_pressure_fn pressure; /* by this function; NULL: by the Euclidean norm */
    void *user;
} zg_friction;

/* An instant. Pointers are referred to, never written. */
typedef struct zg_instant {
    int32_t rows, contacts, frictions, joints;
    const double *G;           /* [rows*rows] both triangles */
    const double *w;           /* [rows] */
    const double *size;        /* [rows] or NULL: how large the terms are that w[i] is the sum of,
                                     in units of u[i]; less than |w[i]| counts as |w[i]| */
    const double *whole;       /* [rows] or NULL: G[i][i] before equations were eliminated; a row of
                                     which (almost) nothing is left cannot move. NULL: G[i][i] */
    const double *W;           /* [rows] or NULL: weights for shares; NULL: 1 */
    const zg_contact *contact; /* [contacts] */
    const zg_friction *friction; /* [frictions] */
    const double *L;             /* [joints*rows] or NULL */
    const double *lambda0;       /* [joints] or NULL: 0 */
} zg_instant;

/*
 * Tolerances are relative; there are no absolute ones. Rows are made comparable by
 * D_i = 1/sqrt(whole_i) (one D for all rows of a friction, of the largest): u_i D_i and x_i / D_i have one
 * unit, that of A = max_i max(size_i, |w_i|) D_i over the rows of an island, the contacts that feel
 * each other. A sign of u or x counts when its scaled value exceeds `sign` A.
 */
typedef struct zg_contact_tolerance {
    double sign; /* about 1e-8 at an event, 1e-11 for a principle in numbers */
    double
        rank; /* a row depends on others when this part of whole_i or less is left of G_ii; 1e-10 */
    double equal; /* motions differ when u does by more than this times A; 1e-6 */
} zg_contact_tolerance;

static const zg_contact_tolerance zg_contact_usual = {1e-8, 1e-10, 1e-6};

/* ------------------------------------------------------------------------ modes */

/* Of a contact. Unloaded: it touches because other contacts hold it there, and x_n = 0: its row
 * follows from theirs. */
enum { ZG_OPEN, ZG_TOUCHING, ZG_UNLOADED };
enum { ZG_IDLE, ZG_STICK, ZG_SLIDE }; /* of a friction; idle: without pressure, x_t = 0 */
enum { ZG_ROW_OFF, ZG_ROW_BASIS, ZG_ROW_IMPLIED };

/* Arrays of the caller. */
typedef struct zg_mode {
    uint8_t *contact;  /* [contacts] */
    uint8_t *friction; /* [frictions] */
    double *direction; /* [3*frictions] of slip, length 1; read and written where it slides */
} zg_mode;

/* --------------------------------------------------------------------- the space */

typedef struct zg_contact_space zg_contact_space;

/* The largest instant; 0 <= all. */
typedef struct zg_contact_limits {
    int32_t rows, contacts, frictions, joints;
} zg_contact_limits;

zw_status zg_contact_space_plan(zb_memory *memory, const zg_contact_limits *limits,
                                zg_contact_space **space);
void zg_contact_space_free(zg_contact_space *space);

/* ------------------------------------------------------------- forces of a mode */

typedef struct zg_forces {
    double *x;      /* [rows] */
    double *u;      /* [rows] */
    double *lambda; /* [joints] or NULL */
    uint8_t
        *row; /* [rows] or NULL: whether it holds, and if so whether it is in a basis of those that
                        do or follows from them */
    double pivot; /* determinant of the system with friction relative to that without: 1 without
                        sliding friction, (G_nn - mu d G_nt) / G_nn for one contact. It passes through 0
                        where friction jams */
    double
        feedback; /* joints that slide: max_j sum_k |d rho_j / d rho_k|; below 1 the pressures are unique.
                        0 without them */
    double
        residual; /* largest scaled |u| of rows that hold, relative to A: not rounding when dependent
                        rows contradict each other */
    int32_t closed, rank; /* rows that hold, and how many of them are independent */
} zg_forces;

/*
 * The forces of a mode, by its equations alone: u = 0 in the normals that touch and the tangents that
 * stick, x_t = -mu rho d where it slides, x = 0 elsewhere. No inequality is looked at. Dependent rows
 * share by springs: y^T W^-1 x = 0 over the rows that hold, for every y with G y = 0. False: there is
 * no solution, or none that can be computed (pivot about 0, pressures of joints that do not settle);
 * then x and u are not finite where they are not known.
 */
bool zg_mode_forces(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                    const zg_contact_tolerance *tolerance, zg_forces *forces);

/* ------------------------------------------------------------------ finding a mode */

/* A choice that an event has made: at the event the old mode still serves to rounding. */
typedef struct zg_choice {
    int32_t contact, friction;       /* one of them, the other -1 */
    uint8_t state;                   /* ZG_OPEN or ZG_TOUCHING; ZG_STICK or ZG_SLIDE */
    double direction[ZG_MOST_WIDTH]; /* of ZG_SLIDE; width > 1: where the search for it begins */
} zg_choice;

typedef struct zg_search {
    const zg_mode *last; /* tried first, with the forced choices put in; NULL: all that can touch
                                 does, what is at rest sticks */
    const zg_choice
        *forced; /* [forced_count] preferred before all others; dropped only where no mode has
                                 them. Modes without them do not count as further solutions */
    int32_t forced_count;
    zg_contact_tolerance tolerance;
    bool count; /* look for further solutions unless there is a proof that there is none */
} zg_search;

typedef enum zg_outcome {
    ZG_FOUND,    /* one mode; `certified` says whether it is known to be the only one */
    ZG_NO_MODE,  /* none: Painleve's paradox */
    ZG_SEVERAL,  /* at least two with different motions */
    ZG_CONFLICT, /* no x at all makes every u_n >= 0 */
    ZG_UNDECIDED /* nothing was found, and that proves nothing */
} zg_outcome;

/* How far an answer is from the laws, scaled and relative to A + max |x|. */
typedef struct zg_certificate {
    double primal;          /* max(0, -u_n), |u| of rows that hold, slip against d */
    double dual;            /* max(0, -x_n), outside the cone */
    double complementarity; /* |x_n u_n| */
} zg_certificate;

typedef struct zg_found {
    /* arrays of the caller */
    zg_mode mode;
    double *x, *u;  /* [rows] */
    double *lambda; /* [joints] or NULL */
    uint8_t *row; /* [rows] or NULL: ZG_ROW_*. Without friction the rows ZG_ROW_BASIS alone carry x;
                           rows that follow from them are ZG_ROW_IMPLIED with x = 0 */
    double *other; /* [rows] or NULL. ZG_SEVERAL: the second x. ZG_CONFLICT: y >= 0 with G y = 0 and
                           y^T w < 0; the rows where it is not 0 are in conflict */
    /* written */
    bool
        certified; /* ZG_FOUND: the motion is known to be unique; ZG_NO_MODE: all modes were tried */
    bool forced;   /* the mode has all forced choices */
    zg_certificate certificate;
    double feedback; /* zg_forces */
    double pivot;    /* zg_forces */
    double
        smallest; /* a number below 1 proves uniqueness: sum over frictions of mu |d rho| |d u_t| */
    int32_t solves; /* modes that were solved */
    /* ZG_NO_MODE, ZG_SEVERAL: for the message; contact -1 where none can be blamed */
    int32_t contact;
    double contact_pivot; /* ZG_NO_MODE: G_nn - mu d G_nt of it, the others as in the last trial, */
    double free_acceleration; /* and its u_n with x_n = 0 */
    double value[2];          /* ZG_SEVERAL: x_n of it in both solutions */
} zg_found;

zg_outcome zg_find_mode(zg_contact_space *space, const zg_instant *instant, const zg_search *search,
                        zg_found *found);

/* ------------------------------------------------------------- distance from slip
 * margin [frictions]: where it sticks mu_static rho - |x_t|; else 0. Where rows that hold depend on each
 * other it sticks as long as some share of the same forces is in all cones: the s of
 *
 *     max s:  same G x,  |x_t| + s <= mu_static x_n of all that stick among them,  x_n >= 0
 *
 * in units of x_t. best [rows] or NULL: forces that reach it (x where the shares are unique); the
 * direction in which it lets go is -best_t. x [rows] are the forces of the mode. A margin without
 * bound (a body wedged between walls) is 10 times the largest force. False: no share has all x_n >= 0. */
bool zg_stick_margins(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                      const zg_contact_tolerance *tolerance, const double *x, double *margin,
                      double *best);

/* The direction in which a friction of this width lets go: d and a >= 0 with f - limit G d = a d,
 * |d| = 1, where f is the slip's acceleration without this friction, G [width*width] its response and
 * limit = mu rho. False: |G^-1 f| <= limit, it does not let go (width 1: |f| <= limit G). */
bool zg_slide_direction(int32_t width, const double *G, const double *f, double limit, double *d,
                        double *a);

/* ------------------------------------------------------------------------ shares
 * Of all x with the same G x, x_n >= 0 and x = 0 in rows that do not hold, the one of least x^T W^-1 x:
 * share [rows]. unique [rows] or NULL: whether no other x could stand there. mode and x as found. False: none is nonnegative;
 * then share = x. */
bool zg_shares(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
               const zg_contact_tolerance *tolerance, const double *x, double *share, bool *unique);

/* ----------------------------------------------------------------------- impacts */

typedef enum zg_impact_law { ZG_POISSON, ZG_NEWTON } zg_impact_law;
typedef enum zg_impact_rule { ZG_ROUNDS, ZG_TOGETHER } zg_impact_rule;

typedef struct zg_impact_task {
    zg_impact_law law;
    zg_impact_rule rule;
    const double *approach; /* [contacts]: a contact approaches when u_n < -approach; >= 0 */
    const double *plastic; /* [contacts] or NULL: restitution counts as 0 where -e u_n <= plastic */
    double energy;         /* kinetic energy before; the guard acts on gains above 1e-12 of it */
    int32_t most_rounds;   /* 0: 1000 */
    zg_contact_tolerance tolerance;
} zg_impact_task;

typedef struct zg_impact {
    double *P;      /* [rows] impulses, summed over the rounds */
    double *u;      /* [rows] velocities after */
    double *lambda; /* [joints] or NULL: impulses of the joints, lambda0 not included */
    zg_outcome
        outcome; /* not ZG_FOUND: the last phase had none or several solutions; P and u as far as it got */
    double energy;   /* work of the impulses, sum of P (u- + u+) / 2 over the rounds; < 0: lost */
    double guard;    /* the least kappa that any round needed; 1: the guard did nothing */
    double gain;     /* the largest gain that the guard prevented */
    int32_t guarded; /* rounds with kappa < 1 */
    int32_t rounds;
    bool ended; /* the cap of rounds was reached: a last plastic impact of all that touch */
    bool
        rule_mattered; /* contacts that touch and feel each other got impulses: the other rule may differ */
    int32_t contact; /* for a message, as zg_found */
} zg_impact;

/* instant: w the velocities before, all its contacts touch; slips are not read (they are in w); static
 * coefficients are not either; lambda0 counts as 0. */
zg_outcome zg_contact_impact(zg_contact_space *space, const zg_instant *instant,
                             const zg_impact_task *task, zg_impact *impact);

#endif
