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
 * contact and no friction names, and that are not held by motors, are not allowed. A friction on a contact whose normal is row n may
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

/* The pressure is the multiplier of a contact's normal, or comes from multipliers of equations:
 * lambda[joint_first ...], `joints` of them, by `pressure`, or by the Euclidean norm where that is NULL.
 * A multiplier may stand for a normal as well (a row of L with a single 1). */
typedef struct zg_friction {
    int32_t first, width;       /* tangent rows first .. first + width - 1, width 1 .. 3 */
    double mu, mu_static;       /* mu_static < mu counts as mu; both 0: it is idle always */
    double slip[ZG_MOST_WIDTH]; /* all 0: at rest */
    double tangential;          /* restitution 0 .. 1, in impacts */
    int32_t contact;            /* -1: joints */
    int32_t joint_first, joints;
    zg_pressure_fn pressure;
    void *user;
} zg_friction;

/*
 * Rows may stand in *blocks* that do not feel each other, as those of mechanisms that have nothing to
 * do with each other: of G only the blocks are there, one behind the other, and of a row of L only
 * what is in the block of its joint. What a friction takes its pressure from is of its own block.
 */
typedef struct zg_blocks {
    int32_t count;
    const int32_t *start;       /* [count + 1] rows start[b] .. start[b + 1] - 1 are block b */
    const int32_t *of;          /* [rows] the block of a row */
    const size_t *G;            /* [count] where its part of G begins: [width*width] */
    const int32_t *joint_block; /* [joints] */
    const size_t *L;            /* [joints] where its row of L begins: [width] */
} zg_blocks;

/*
 * An instant. Pointers are referred to, never written.
 *
 * size: how large the terms are that w[i] is the sum of, in units of u[i]; less than |w[i]| counts as
 * |w[i]|. whole: G[i][i] before equations were eliminated; a row of which (almost) nothing is left
 * cannot move, and carries nothing. W: weights of shares.
 *
 * held: rows of no contact and no friction, which motors hold by forces of their own, u = 0 in every
 * mode. Column i of G is then what the force does, row i what moves the row: G is not symmetric. What
 * they hold already carries nothing.
 */
typedef struct zg_instant {
    int32_t rows, contacts, frictions, joints;
    const double *G;             /* [rows*rows] both triangles */
    const double *w;             /* [rows] */
    const double *size;          /* [rows] or NULL: |w| */
    const double *whole;         /* [rows] or NULL: the diagonal of G */
    const double *W;             /* [rows] or NULL: 1 */
    const zg_contact *contact;   /* [contacts] */
    const zg_friction *friction; /* [frictions] */
    const double *L;             /* [joints*rows] or NULL without joints */
    const double *lambda0;       /* [joints] or NULL: 0 */
    const zg_blocks *blocks;     /* NULL: one block, all rows */
    const bool *held;            /* [rows] or NULL: rows that motors hold, whatever the mode */
} zg_instant;

/*
 * Tolerances are relative; there are no absolute ones. Rows are made comparable by
 * D_i = 1/sqrt(whole_i) (one D for all rows of a friction, of the largest): u_i D_i and x_i / D_i have one
 * unit, that of A = max_i max(size_i, |w_i|) D_i over the rows of an island, the contacts that feel
 * each other.
 *
 *     sign    a sign of u or x counts when its scaled value exceeds so much of A
 *     rank    a row depends on others when this part of whole_i or less is left of G_ii
 *     equal   motions differ when scaled u does by more than this part of A
 */
typedef struct zg_contact_tolerance {
    double sign, rank, equal;
} zg_contact_tolerance;

static const zg_contact_tolerance zg_contact_usual = {1e-8, 1e-10, 1e-6};

/* ------------------------------------------------------------------------ modes */

/* Of a contact. Unloaded: it touches because other contacts hold it there, and x_n = 0: its row
 * follows from theirs. */
enum { ZG_OPEN, ZG_TOUCHING, ZG_UNLOADED };

enum { ZG_IDLE, ZG_STICK, ZG_SLIDE }; /* of a friction; idle: without pressure, x_t = 0 */

/* Of a row: it does not hold; it holds and is in a basis of those that do; it holds and follows from
 * the basis. */
enum { ZG_ROW_OFF, ZG_ROW_BASIS, ZG_ROW_IMPLIED };

/* Arrays of the caller. */
typedef struct zg_mode {
    uint8_t *contact;  /* [contacts] */
    uint8_t *friction; /* [frictions] */
    double *direction; /* [3*frictions] of slip, length 1; read and written where it slides */
    int8_t *side;      /* [frictions] or NULL: ZG_SIDE_* of joints; read where it slides */
    bool loose;        /* shares need not be those of springs where something slides; read */
} zg_mode;

/* Of a joint of one multiplier: its sign, by which its pressure is linear. Of others: where the search for
 * the pressure begins. */
enum { ZG_SIDE_MINUS = -1, ZG_SIDE_ANY = 0, ZG_SIDE_PLUS = 1, ZG_SIDE_FAR = 2 };

/* --------------------------------------------------------------------- the space */

typedef struct zg_contact_space zg_contact_space;

/* Numbers of an instant, or of a block of it. */
typedef struct zg_contact_sizes {
    int32_t rows, contacts, frictions, joints;
} zg_contact_sizes;

/* The largest instant; 0 <= all. block: the largest of each in one block; NULL: as the instant. */
typedef struct zg_contact_limits {
    int32_t rows, contacts, frictions, joints;
    const zg_contact_sizes *block;
} zg_contact_limits;

size_t zg_contact_space_bytes(const zg_contact_limits *limits);
zw_status zg_contact_space_plan(zb_memory *memory, const zg_contact_limits *limits,
                                zg_contact_space **space);
void zg_contact_space_free(zg_contact_space *space);

/* ------------------------------------------------------------- forces of a mode */

/*
 * pivot: the determinant of the system with friction relative to that without; 1 without sliding
 * friction, (G_nn - mu d G_nt) / G_nn for one contact. It passes through 0 where friction jams. That of
 * the island where it is least.
 *
 * feedback: of joints that slide, a bound of the spectral radius of |d rho_j / d rho_k|; below 1 the
 * pressures are unique. 0 without them.
 *
 * residual: the largest scaled |u| of rows that hold, relative to A: no rounding where dependent rows
 * contradict each other.
 */
typedef struct zg_forces {
    double *x, *u;  /* [rows] */
    double *lambda; /* [joints] or NULL */
    uint8_t *row;   /* [rows] or NULL: ZG_ROW_* */
    double pivot, feedback, residual;
    int32_t closed, rank; /* rows that hold, and how many of them are independent */
} zg_forces;

/*
 * The forces of a mode, by its equations alone: u = 0 in the normals that touch and the tangents that
 * stick, x_t = -mu rho d where it slides, x = 0 elsewhere. No inequality is looked at. Dependent rows
 * share by springs: y^T W^-1 x = 0 over the rows that hold, for every y with G y = 0. False: there is
 * no solution, or none that can be computed (pivot about 0, pressures of joints that do not settle);
 * then x and u are not numbers.
 */
bool zg_mode_forces(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                    const zg_contact_tolerance *tolerance, zg_forces *forces);

/* ------------------------------------------------------------------ finding a mode */

/* A choice that an event has made: at the event the old mode still serves to rounding. One of contact
 * and friction is -1. */
typedef struct zg_choice {
    int32_t contact, friction;
    uint8_t state;                   /* ZG_OPEN or ZG_TOUCHING; ZG_STICK or ZG_SLIDE */
    double direction[ZG_MOST_WIDTH]; /* of ZG_SLIDE; width > 1: where the search for it begins */
} zg_choice;

/*
 * last: tried first, with the forced choices put in; NULL: all that can touch does, what is at rest
 * sticks. Forced choices are preferred to all others, and dropped only where no mode has them; modes
 * without them do not count as further solutions. count: look for further solutions, unless there is a
 * proof that there is none. calm: nothing has happened to this row; an island of such rows keeps its last
 * mode where that obeys the laws, and further solutions are not looked for.
 */
typedef struct zg_search {
    const zg_mode *last;
    const zg_choice *forced; /* [forced_count] */
    int32_t forced_count;
    zg_contact_tolerance tolerance;
    bool count;
    const bool *calm; /* [rows] or NULL */
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

/*
 * What was found, first into arrays of the caller.
 *
 * row: ZG_ROW_*. Without friction the rows of a basis alone carry x; contacts that follow from them are
 * unloaded. other: ZG_SEVERAL: the second x. ZG_CONFLICT: y >= 0 with G y = 0 and y^T w < 0; the
 * rows where it is not 0 are in conflict.
 *
 * certified: ZG_FOUND: the motion is known to be unique; ZG_NO_MODE: all modes were tried. Where
 * directions in space had to be searched for, only a proof counts: bound < 1.
 *
 * bound: sum over frictions of mu |d rho| |d u_t|, for two motions at distance 1 (modes/mode_certify.c);
 * infinite where rows are dependent.
 *
 * contact, friction ...: for a message; -1 where none can be blamed; a friction is one on joints, where there is no
 * contact to blame. ZG_NO_MODE: its G_nn - mu d G_nt with the
 * other contacts open (or touching, where that alone explains it), and its u_n without force. ZG_SEVERAL: x_n
 * of it in both solutions, or what presses the joint, with the sign of its multiplier where there is one.
 */
typedef struct zg_found {
    zg_mode mode;
    double *x, *u;  /* [rows] */
    double *lambda; /* [joints] or NULL */
    uint8_t *row;   /* [rows] or NULL */
    double *other;  /* [rows] or NULL */
    bool certified;
    bool forced; /* the mode has all forced choices */
    bool
        picked; /* the forces of an island, by which friction slides there, are a share other than that of springs */
    zg_certificate certificate;
    double feedback, pivot; /* zg_forces; the least pivot of all islands */
    double bound;
    int32_t solves; /* modes that were solved */
    int32_t contact, friction;
    double contact_pivot, free_acceleration;
    double value[2];
} zg_found;

zg_outcome zg_find_mode(zg_contact_space *space, const zg_instant *instant, const zg_search *search,
                        zg_found *found);

/* ------------------------------------------------------------- distance from slip
 * margin [frictions]: where it sticks mu_static rho - |x_t|, in units of x_t; where it slides on a joint of one
 * multiplier that, times the sign of the mode; else 0. Where rows that
 * hold depend on each other it sticks as long as some share of the same forces is in all cones. Then the
 * margins are those of the share for which the least of them is largest, then the next, and so on,
 *
 *     max s:  same G x,  |x_t| + s D_t <= mu_static x_n of all that stick among them,  x_n >= s D_n of other contacts
 *
 * best [rows] or NULL: this share (x where it is unique); the direction in which it lets go is -best_t. Of a
 * contact without friction that sticks best_n tells in the same way when it opens: with all margins >= 0
 * nothing happens, whatever single shares do. x [rows] are forces of the mode. A margin without bound (a body
 * wedged between walls) ends at 10 times the largest force. False: they cannot be found; then margins are those of x. */
bool zg_stick_margins(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                      const zg_contact_tolerance *tolerance, const double *x, double *margin,
                      double *best);

/* The direction in which a friction of this width lets go: d and a >= 0 with f - limit G d = a d,
 * |d| = 1, where f is the slip's acceleration without this friction, G [width*width] its response and
 * limit = mu rho. False: |G^-1 f| <= limit, it does not let go (width 1: |f| <= limit G). */
bool zg_slide_direction(int32_t width, const double *G, const double *f, double limit, double *d,
                        double *a);

/* T [width*(width - 1)], row-major: unit vectors across d, of length 1; width 2 or 3. */
void zg_across_direction(int32_t width, const double *d, double *T);

/* ------------------------------------------------------------------------ shares
 * Of all x with the same G x, x_n >= 0, what sticks in its cone and x = 0 in rows that do not hold, the one of
 * least x^T W^-1 x: share [rows]. unique [rows] or NULL: whether no other x could stand there. mode and x
 * as found. False: none was found in all cones; share is then the one of least norm without them, or x
 * where none is nonnegative either. */
bool zg_shares(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
               const zg_contact_tolerance *tolerance, const double *x, double *share, bool *unique);

/* depends [rows]: rows that hold in a mode and take part in a dependency among them, friction that slides left aside. */
void zg_dependent_rows(zg_contact_space *space, const zg_instant *instant, const zg_mode *mode,
                       const zg_contact_tolerance *tolerance, bool *depends);

/* ----------------------------------------------------------------------- impacts */

typedef enum zg_impact_law { ZG_POISSON, ZG_NEWTON } zg_impact_law;
typedef enum zg_impact_rule { ZG_ROUNDS, ZG_TOGETHER } zg_impact_rule;

/*
 * A contact approaches when u_n < -approach. Its restitution counts as 0 where it would throw back no
 * faster than `plastic`: e times the speed of its approach or, by Poisson's law, of what compression
 * would move it by. The guard acts on gains of more than 1e-12 of `energy`, the kinetic energy before.
 */
typedef struct zg_impact_task {
    zg_impact_law law;
    zg_impact_rule rule;
    const double *approach; /* [contacts] >= 0 */
    const double *plastic;  /* [contacts] or NULL: 0 */
    double energy;
    int32_t most_rounds; /* 0: 1000 */
    zg_contact_tolerance tolerance;
} zg_impact_task;

/*
 * outcome: where it is not ZG_FOUND a phase has no solution (or none was found); P and u are as far as it
 * got. Of several solutions of a phase the first is taken, sticking before sliding before opening.
 */
typedef struct zg_impact {
    double *P;      /* [rows] impulses, summed over the rounds */
    double *u;      /* [rows] velocities after */
    double *lambda; /* [joints] or NULL: impulses of the joints, lambda0 not included */
    zg_outcome outcome;
    double energy;   /* work of the impulses, sum of P (u- + u+) / 2 over the rounds; < 0: lost */
    double guard;    /* the least kappa that any island needed; 1: the guard did nothing */
    double gain;     /* the largest gain that the guard prevented */
    int32_t guarded; /* how often kappa < 1 */
    int32_t rounds;
    bool ended;         /* the cap of rounds was reached: a last plastic impact of all that touch */
    bool rule_mattered; /* contacts that feel each other were hit, not all at once: rules differ */
    int32_t contact;    /* where a phase has no solution: the one that comes fastest; else -1 */
} zg_impact;

/* w are the velocities before; all contacts touch. Slips (they are in w), static coefficients and
 * lambda0 are not read. */
zg_outcome zg_contact_impact(zg_contact_space *space, const zg_instant *instant,
                             const zg_impact_task *task, zg_impact *impact);

#endif
