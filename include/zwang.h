/*
 * zwang.h: the one public header of libzwang.
 *
 * Zwang computes how constrained mechanical systems move, by Gauss's principle of
 * least constraint. This header is the manual: every array has its length in
 * brackets, every pointer its owner.
 *
 * General rules
 *   - Matrices are dense and row-major without padding: A[i * n + j].
 *   - Every function that can fail returns a zw_status; outputs come last and are
 *     written only on ZW_OK unless a comment says otherwise.
 *   - Where a model or a simulation fails, its context's diagnostics say why: after the call
 *     itself, or, of zw_sim_advance, which takes no memory, after zw_sim_conclude. Not where memory
 *     ran out, a pointer is missing, or a call may be made from several threads at once.
 *   - The library never prints, exits, installs handlers or keeps global state.
 *     Objects that share nothing may be used from different threads at once.
 *   - Every *_free accepts NULL.
 *
 * Licence: MIT.
 */
#ifndef ZWANG_H
#define ZWANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ZW_VERSION_MAJOR 0
#define ZW_VERSION_MINOR 1
#define ZW_VERSION_PATCH 0

#if defined(__GNUC__)
#define ZW_API __attribute__((visibility("default")))
#else
#define ZW_API
#endif

/* The version of the library that is linked, "0.1.0". Static. */
ZW_API const char *zw_version(void);

/* ------------------------------------------------------------------ status */

/* Every outcome, with its sentence. The numbers never change. */
#define ZW_STATUS_LIST(X)                                                                          \
    X(ZW_OK, 0, "done")                                                                            \
    X(ZW_ERR_ARGUMENT, 1, "an argument is missing or out of range")                                \
    X(ZW_ERR_MEMORY, 2, "there is not enough memory")                                              \
    X(ZW_ERR_BUDGET, 3, "the memory budget of this context is used up")                            \
    X(ZW_ERR_ORDER, 4, "this call must come after another one that has not succeeded")             \
    X(ZW_ERR_NOT_FINITE, 10, "a number is infinite or not a number")                               \
    X(ZW_ERR_NOT_SYMMETRIC, 11, "a matrix that must be symmetric is not")                          \
    X(ZW_ERR_INDEFINITE, 12, "a mass or weight matrix is negative in some direction")              \
    X(ZW_ERR_UNDETERMINED, 13, "neither inertia nor a constraint determines some motion")          \
    X(ZW_ERR_INCONSISTENT, 14,                                                                     \
      "the constraints are inconsistent, and the chosen form is not defined for them")             \
    X(ZW_ERR_SINGULAR_MASS, 15, "the chosen form needs a positive definite mass matrix")           \
    X(ZW_ERR_RANGE, 16, "a number is too large or too small to be squared in double precision")    \
    X(ZW_ERR_ACCURACY, 17, "the answer does not satisfy its own equations closely enough")         \
    X(ZW_ERR_INEQUALITY, 18, "the chosen form is not defined where an inequality binds")           \
    X(ZW_ERR_CONFLICT, 19, "inequalities contradict each other, and friction needs their forces")  \
    X(ZW_ERR_MODEL, 20, "the model is wrong; the diagnostics say where")                           \
    X(ZW_ERR_SETTING, 21, "a setting or a state does not fit the model; the diagnostics say why")  \
    X(ZW_ERR_START, 22, "the start cannot be brought onto the constraints")                        \
    X(ZW_ERR_LARGE, 23, "the system is too large for the dense solver")                            \
    X(ZW_ERR_STEP, 24, "the step size fell under its limit")                                       \
    X(ZW_ERR_LIMIT, 25, "the limit of steps is reached")                                           \
    X(ZW_ERR_CHATTER, 26, "events follow each other without time going on")                        \
    X(ZW_ERR_METHOD, 27, "the chosen method is not part of this build")                            \
    X(ZW_ERR_WRITE, 28, "the output could not be written")                                         \
    X(ZW_ERR_PATIENCE, 29, "what is left would take more steps than a run waits for")              \
    X(ZW_ERR_CONTACT, 30,                                                                          \
      "no motion, or more than one, goes with the laws of contact and friction")                   \
    X(ZW_ERR_CANCELLED, 31, "the run was cancelled by zw_sim_cancel")                              \
    X(ZW_ERR_CONTROL, 32, "motors cannot do what their control asks for")                          \
    X(ZW_ERR_DERIVATIVE, 33, "the motion has no derivatives from here on")

typedef enum zw_status {
#define ZW_STATUS_ENUM(name, value, sentence) name = value,
    ZW_STATUS_LIST(ZW_STATUS_ENUM)
#undef ZW_STATUS_ENUM
} zw_status;

/* The sentence of a status, without a full stop; for unknown values a sentence
 * that says so. Static. */
ZW_API const char *zw_status_sentence(zw_status status);

/* The name of a status, "ZW_ERR_MEMORY". Static. */
ZW_API const char *zw_status_name(zw_status status);

/* ----------------------------------------------------------------- context */

/* One callback for all memory. block NULL: allocate new_size bytes. new_size 0:
 * release block. Otherwise resize. Returns NULL on failure, and then the old block
 * is untouched. The result is aligned as malloc aligns. old_size is what was asked
 * for when the block was made. */
typedef void *(*zw_resize_fn)(void *user, void *block, size_t old_size, size_t new_size);

typedef struct zw_allocator {
    zw_resize_fn resize;
    void *user; /* handed back on each call; owned by the caller */
} zw_allocator;

/* Memory, limits and diagnostics of everything made from it. One thread at a time;
 * it must outlive what was made from it. */
typedef struct zw_context zw_context;

/* allocator NULL: malloc and free. The struct is copied. */
ZW_API zw_status zw_context_create(const zw_allocator *allocator, zw_context **context);
ZW_API void zw_context_free(zw_context *context);

/* No more than `bytes` may be held at one time by this context and what is made from
 * it; 0 (at first): no limit. */
ZW_API zw_status zw_context_set_budget(zw_context *context, size_t bytes);

/* Bytes that this process can still have: what the machine has to give, within the control groups
 * (version 1 and 2) and the limits of the process; 0: not known. Half of it is the budget with which
 * the command begins. */
ZW_API size_t zw_memory_available(void);

/* Bytes held now. */
ZW_API size_t zw_context_held(const zw_context *context);

/* What solves the equations of a simulation. All give the same answers. Beside `parts` stands
 * `sparse`, for what is not to be had by parts. */
#define ZW_SOLVER_LIST(X)                                                                          \
    X(ZW_SOLVER_AUTO, 0, "auto", "the one that is expected to be fastest (default)")               \
    X(ZW_SOLVER_DENSE, 1, "dense", "full matrices: small systems")                                 \
    X(ZW_SOLVER_SPARSE, 2, "sparse", "entries that are not 0 only: large systems")                 \
    X(ZW_SOLVER_PARTS, 3, "parts", "equal parts side by side: large systems that repeat themselves")

typedef enum zw_solver {
#define ZW_SOLVER_ENUM(name, value, text, sentence) name = value,
    ZW_SOLVER_LIST(ZW_SOLVER_ENUM)
#undef ZW_SOLVER_ENUM
} zw_solver;

/* "dense" and so on; NULL when out of range. Static. */
ZW_API const char *zw_solver_name(zw_solver solver);

/* The solver of that name, or of the one it had in an earlier version ("lanes" for "parts");
 * ZW_ERR_ARGUMENT when there is none. */
ZW_API zw_status zw_solver_find(const char *name, zw_solver *solver);

/* Of the simulations that are created from now on. */
ZW_API zw_status zw_context_set_solver(zw_context *context, zw_solver solver);

/* How many threads a large simulation, created from now on, may use, the caller's own among them;
 * 0 (at first): as many as there are processors. Small simulations and those of ensembles use one.
 * Results do not depend on it, to the bit. */
ZW_API zw_status zw_context_set_threads(zw_context *context, int32_t count);

/* How many numbers are computed side by side where equal things are, of the models that are compiled
 * from now on: 4 or 8; 0 (at first): what this processor does best. Without registers of 8, eight
 * are two times four. Results do not depend on it, to the bit. */
ZW_API zw_status zw_context_set_lanes(zw_context *context, int32_t count);

/* ------------------------------------------------------------- diagnostics */

typedef enum zw_severity { ZW_REMARK = 0, ZW_WARNING = 1, ZW_ERROR = 2 } zw_severity;

/* One thing to tell a person. Strings may be NULL where not known. */
typedef struct zw_diagnostic {
    zw_severity severity;
    const char *code;     /* stable, "E0102" */
    const char *file;     /* name of the source, "-" for standard input */
    int32_t line;         /* from 1; 0 when there is no line */
    int32_t column;       /* from 1, in characters; 0 when there is no column */
    int32_t length;       /* characters the caret underlines; 0 means 1 */
    const char *where;    /* a place inside data, "A[2][1]" */
    const char *sentence; /* what is wrong, one sentence without a full stop */
    const char *help;     /* what to do about it */
} zw_diagnostic;

typedef enum zw_diagnostic_form { ZW_TEXT = 0, ZW_JSON = 1 } zw_diagnostic_form;

/* Adds a copy of d to the context's list. */
ZW_API zw_status zw_context_report(zw_context *context, const zw_diagnostic *d);

/* Remembers the text of a source (copied), so that the text form can show its lines. */
ZW_API zw_status zw_context_add_source(zw_context *context, const char *file, const char *text,
                                       size_t length);

ZW_API int32_t zw_context_diagnostic_count(const zw_context *context);

/* The i-th, from 0: errors first, then warnings, then remarks. Valid until the list is cleared.
 * NULL when out of range. */
ZW_API const zw_diagnostic *zw_context_diagnostic(const zw_context *context, int32_t i);

ZW_API void zw_context_clear_diagnostics(zw_context *context);

/* Writes the whole list, as text for people or as one JSON array, to `buffer` (at most
 * `size` bytes with the final NUL; may be NULL when size is 0). *needed gets the
 * length of the whole without the NUL. */
ZW_API zw_status zw_context_format_diagnostics(const zw_context *context, zw_diagnostic_form form,
                                               char *buffer, size_t size, size_t *needed);

/* The word among candidates [count] that a misspelled one was most likely meant to be, or NULL
 * when none is near. */
ZW_API const char *zw_suggest(const char *word, const char *const *candidates, int32_t count);

/* ------------------------------------------------- the General Gauss solver
 *
 * Given a mass matrix M [n x n], impressed force Q [n], constraints A z = b (A [m x n],
 * b [m]), optionally a force C [n] by which the constraints do work, and a weight
 * W [m x m] of the least-squares sense, the acceleration z is, among all that
 * minimise |A z - b| in the W norm, the one nearest to M^-1 (Q + C) in the M norm.
 * It exists for dependent and for contradictory constraints, and is unique.
 *
 * plan once (all memory), factor when M, A or W change, solve as often as wanted:
 *
 *     zw_gauss_shape shape = {.n = 3, .m = 1};
 *     zw_gauss_plan(context, &shape, &g);
 *     for (;;) {
 *         zw_gauss_factor(g, M, A, NULL);
 *         zw_gauss_answer answer = {.acceleration = z, .force_ideal = F};
 *         zw_gauss_solve(g, Q, b, NULL, &answer);
 *     }
 *     zw_gauss_free(g);
 *
 * factor, solve, project, split, basis and rank allocate nothing.
 *
 * With inequalities, which a shape says how many there are of, A z >= b in the last rows, z is the
 * one nearest to M^-1 (Q + C) among all whose A z is nearest, in the W norm, to {b} in equations and
 * to all that is b or more in inequalities. The multipliers of inequalities are not negative. What
 * M and the equations leave undetermined an inequality does not determine. project, split, basis
 * and rank then come after a solve, and take the inequalities that it needed as equations.
 */

typedef struct zw_gauss zw_gauss; /* one thread at a time */

typedef enum zw_matrix_kind {
    ZW_FULL = 0,     /* all entries, row-major; only symmetric matrices are right */
    ZW_DIAGONAL = 1, /* the diagonal only */
    ZW_IDENTITY = 2  /* not given; for W only */
} zw_matrix_kind;

/* What a plan is made for. Zero everything, then set what is needed. */
typedef struct zw_gauss_shape {
    int32_t n;             /* coordinates, at least 1 */
    int32_t m;             /* constraint rows, at least 0 */
    int32_t inequalities;  /* the last so many of them are A z >= b, the others A z = b */
    zw_matrix_kind mass;   /* ZW_FULL or ZW_DIAGONAL */
    zw_matrix_kind weight; /* ZW_FULL, ZW_DIAGONAL or ZW_IDENTITY; ignored when W is NULL */
    double rank_tolerance; /* relative pivot under which a row counts as dependent, below 1;
                              0: max(64 eps sqrt(max(n, m)), 10 noise) */
    double noise;          /* relative noise of the entries of A; 0 when they are exact */
} zw_gauss_shape;

/* Checks the shape and takes all memory that factor and solve will need. */
ZW_API zw_status zw_gauss_plan(zw_context *context, const zw_gauss_shape *shape, zw_gauss **g);
ZW_API void zw_gauss_free(zw_gauss *g);

/* Factors M, A and W, which are copied. M [n*n] or [n], A [m*n] (may be NULL when m is 0),
 * W NULL (identity), [m*m] or [m], as the shape says. M may be singular as long as M and A
 * together determine every motion; otherwise ZW_ERR_UNDETERMINED. */
ZW_API zw_status zw_gauss_factor(zw_gauss *g, const double *M, const double *A, const double *W);

/* Judges raw input strictly, as `zwang solve` does, before any factor: finite entries,
 * M and W symmetric to 1e-12 of their largest entry, M positive semidefinite,
 * W positive definite. Overwrites the factor. */
ZW_API zw_status zw_gauss_check(zw_gauss *g, const double *M, const double *A, const double *W);

/* The last failure of a call on g as one sentence with its place ("row 2 of A ...",
 * "coordinates 3 and 4 ..."; rows and coordinates count from 0). Writes at most `size`
 * bytes with the final NUL and returns the length of the whole. Empty when the last
 * call did not fail. */
ZW_API size_t zw_gauss_explain(const zw_gauss *g, char *buffer, size_t size);

/* How far an answer with inequalities is from what determines it; each relative to the terms of
 * what it is the rest of, or to the largest force. r is `inconsistency`, p = W r. */
typedef struct zw_gauss_conditions {
    double stationarity;    /* M z = Q + C + A^T shares */
    double primal;          /* A z = b + r, A z >= b + r */
    double dual;            /* shares are not negative in inequalities, those in conflict apart */
    double complementarity; /* a share is 0 where there is slack */
    double conflict; /* A^T p = 0; p is not positive in inequalities, 0 where there is slack */
} zw_gauss_conditions;

/* What solve returns. Set the arrays that are wanted, leave the others NULL. */
typedef struct zw_gauss_answer {
    /* arrays of the caller, written by solve */
    double *acceleration;      /* [n] */
    double *free_acceleration; /* [n] M^-1 Q; not written when mass_singular */
    double *force;             /* [n] the whole constraint force, M z - Q */
    double *force_ideal;       /* [n] does no work in a virtual displacement: A^T multipliers */
    double *force_nonideal;    /* [n] the rest: its acceleration is a virtual displacement */
    double *multipliers;       /* [m] of least W^-1 norm */
    double *residual;          /* [m] A z - b */
    double *inconsistency;     /* [m] the part of `residual` that no acceleration can remove */
    double *balance;           /* [n] Q + constraint force - M z, recomputed from the data */
    /* of a shape with inequalities, likewise */
    bool *active;   /* [m] the row holds as an equation: inequalities without slack, and those in
                       conflict */
    double *shares; /* [m] multipliers of all forces together, `multipliers` where there is no C:
                       0 where there is slack, not negative in inequalities (those in conflict may
                       be), and of least W^-1 norm among such */
    bool *unique;   /* [m] the share is the only one possible */
    double *proof;  /* [m] y with y^T A = 0 and y.b > 0, y not negative in inequalities: rows that
                       contradict each other; 0 in all others */
    /* always written */
    double inconsistency_norm; /* least |A z - b| in the W norm; 0 when the rows are independent */
    double gaussian;           /* |z - M^-1 (Q + C)|^2 in the M norm; NaN when mass_singular */
    double certificate;        /* largest relative residual of the equations that determine z */
    int32_t rank;              /* of A */
    int32_t refinements;       /* how often the answer was corrected by its own residual */
    bool consistent;           /* inconsistency_norm is rounding only */
    bool mass_singular;        /* M alone does not determine a free acceleration */
    int32_t trials;            /* of a shape with inequalities: sets that were solved for */
    zw_gauss_conditions conditions; /* likewise */
} zw_gauss_answer;

/* Q [n], b [m] (may be NULL when m is 0), C [n] or NULL. */
ZW_API zw_status zw_gauss_solve(zw_gauss *g, const double *Q, const double *b, const double *C,
                                zw_gauss_answer *answer);

/* Of a shape with inequalities. active [m] or NULL: those with which the next solve begins, entries
 * of equations are not looked at. Every solve leaves its own for the one after it, and where these
 * are still right, one set is solved for; NULL forgets them. The answer does not depend on it but
 * for rounding. */
ZW_API zw_status zw_gauss_guess(zw_gauss *g, const bool *active);

/* ------------------------------------------------------------------ friction
 *
 * Coulomb's law beside the rows of a solver. Something slips in `width` directions: its slip is
 * given, the slip's acceleration is T z - b, and a force T^T tau acts, with the pressure rho of a
 * row, the multiplier of an inequality or the size of that of an equation:
 *
 *     slips      tau = -mu rho slip / |slip|
 *     at rest    |tau| <= mu_static rho and T z = b, or tau = -mu rho d where it begins to slip
 *                along d
 *
 * With friction there may be no motion, or several (Painleve): how many there are is part of the
 * answer, and none is chosen. */
typedef struct zw_friction {
    int32_t row;          /* of A, whose multiplier presses */
    int32_t width;        /* 1, 2 or 3 */
    const double *T;      /* [width*n] */
    const double *b;      /* [width], NULL: 0 */
    const double *slip;   /* [width], NULL or all 0: at rest */
    double mu, mu_static; /* >= 0; a mu_static below mu counts as mu */
} zw_friction;

typedef struct zw_friction_problem {
    const double *Q, *b, *C; /* as for zw_gauss_solve */
    const zw_friction *frictions;
    int32_t count;
} zw_friction_problem;

typedef enum zw_friction_state {
    ZW_FRICTION_IDLE = 0, /* there is no pressure: the gap opens, or nothing presses */
    ZW_FRICTION_NONE = 1, /* pressure without friction */
    ZW_FRICTION_SLIDES = 2,
    ZW_FRICTION_STICKS = 3
} zw_friction_state;

/* Arrays of the caller, or NULL. Where there are two motions, the second of a pair is the other
 * one; where there is none nothing is written. */
typedef struct zw_friction_answer {
    double *acceleration[2];  /* [n] */
    double *multipliers[2];   /* [m], of all forces */
    double *friction[2];      /* [sum of all width] tau, one friction after another */
    zw_friction_state *state; /* [count] of the first motion */
    bool *unique;             /* [m] of one motion: the multiplier is the only one possible */
    /* always written */
    int32_t solutions;  /* 0, 1, or 2 for two or more */
    bool certified;     /* it is known that there are no others */
    double certificate; /* largest relative violation of the laws */
    int32_t row;        /* 0 or 2 motions: the row of the contact to blame, -1: no single one */
    double pivot;       /* 0 motions: what its pressure does to the acceleration of its gap, */
    double free_acceleration; /* and what that is without it */
} zw_friction_answer;

/* After a factor; allocates. ZW_ERR_CONFLICT: the inequalities contradict each other. */
ZW_API zw_status zw_gauss_solve_friction(zw_gauss *g, const zw_friction_problem *problem,
                                         zw_friction_answer *answer);

/* y [n]: the M-orthogonal projection of x [n] onto the virtual displacements, A y = 0.
 * x and y may be the same array. */
ZW_API zw_status zw_gauss_project(zw_gauss *g, const double *x, double *y);

/* Splits any constraint force [n] into its ideal [n] and non-ideal [n] part, which add up
 * to it. Either output may be NULL. */
ZW_API zw_status zw_gauss_split(zw_gauss *g, const double *force, double *ideal, double *nonideal);

/* A basis of the virtual displacements, orthonormal in M: *count = n - rank vectors of n
 * numbers, one after another, in basis [n*n at most]. */
ZW_API zw_status zw_gauss_basis(zw_gauss *g, double *basis, int32_t *count);

typedef struct zw_gauss_rank_info {
    int32_t rank;
    double tolerance;    /* relative pivots at or below it count as zero */
    double accepted;     /* smallest relative pivot that counted, 1 when there is none */
    double rejected;     /* largest one that did not, 0 when there is none */
    bool ambiguous;      /* the gap between them is too narrow to be sure */
    int32_t least, most; /* between which it lies; both are `rank` unless it is ambiguous */
} zw_gauss_rank_info;

ZW_API zw_status zw_gauss_rank(zw_gauss *g, zw_gauss_rank_info *info);

/* After ZW_ERR_UNDETERMINED: the motions that neither M nor A resists. *count vectors of
 * n numbers, one after another, largest entry 1, in directions [n*n at most, or NULL]. */
ZW_API zw_status zw_gauss_undetermined(const zw_gauss *g, double *directions, int32_t *count);

/* --------------------------------------------------------- equivalent forms */

#define ZW_FORM_LIST(X)                                                                            \
    X(ZW_FORM_GAUSS, 0, "gauss", "the fastest sound way (default)")                                \
    X(ZW_FORM_MOORE_PENROSE, 1, "moore-penrose", "fundamental equation, Moore-Penrose inverse")    \
    X(ZW_FORM_INVERSE_14, 2, "inverse-14", "a {1,4}-inverse of A M^(-1/2)")                        \
    X(ZW_FORM_INVERSE_1, 3, "inverse-1", "a {1}-inverse of A M^-1 A^T")                            \
    X(ZW_FORM_GIBBS_APPELL, 4, "gibbs-appell", "explicit Gibbs-Appell equations")                  \
    X(ZW_FORM_MULTIPLIERS, 5, "multipliers", "the system with Lagrange multipliers (KKT)")         \
    X(ZW_FORM_PROJECTION, 6, "projection", "M-orthogonal projection of the free acceleration")

typedef enum zw_form {
#define ZW_FORM_ENUM(name, value, text, sentence) name = value,
    ZW_FORM_LIST(ZW_FORM_ENUM)
#undef ZW_FORM_ENUM
} zw_form;

/* "moore-penrose" and so on; NULL when out of range. Static. */
ZW_API const char *zw_form_name(zw_form form);

/* The form of that name; ZW_ERR_ARGUMENT when there is none. */
ZW_API zw_status zw_form_find(const char *name, zw_form *form);

/* As zw_gauss_solve, by another road; for checking and teaching, so it allocates.
 * Acceleration and forces come from the form; multipliers, rank and inconsistency from
 * the factor at hand. Forms that are not defined for inconsistent constraints return
 * ZW_ERR_INCONSISTENT, those that need a positive definite M ZW_ERR_SINGULAR_MASS; none
 * returns a wrong acceleration. */
ZW_API zw_status zw_gauss_solve_form(zw_gauss *g, zw_form form, const double *Q, const double *b,
                                     const double *C, zw_gauss_answer *answer);

/* ---------------------------------------------------------------- diagnosis */

/* Rows of A with sum coefficients[k] * A[rows[k]] = 0, and no smaller set among them. */
typedef struct zw_dependent_set {
    int32_t count;              /* rows in the set, at least 1 */
    int32_t row;                /* the last declared: it follows from the others; its
                                   coefficient is 1 */
    const int32_t *rows;        /* [count] ascending, `row` last */
    const double *coefficients; /* [count] */
    double distance;            /* of `row` from the span of the others, relative */
    double mismatch;            /* sum coefficients[k] * b[rows[k]], 0 when they agree */
    double size;                /* |mismatch| over the W^-1 norm of the coefficients */
    bool conflict;              /* mismatch is more than rounding */
    bool nearly;                /* distance is small, yet the rows count as independent */
    int32_t suspect;            /* of a conflict: the row that alone explains it and all others
                                   around it, the last declared such row; -1: none is known */
} zw_dependent_set;

typedef struct zw_diagnosis {
    int32_t m;                     /* rows */
    int32_t set_count;             /* dependent sets, conflicting ones included */
    int32_t conflict_count;        /* those of them that conflict */
    int32_t nearly_count;          /* sets that are nearly dependent only, after the others */
    const zw_dependent_set *sets;  /* [set_count + nearly_count], in declared order each */
    const bool *unique_multiplier; /* [m] the multiplier of the row is the only one possible */
    int32_t unlisted;              /* dependent rows without a set here; 0 but in large systems */
} zw_diagnosis;

/* Which rows depend on which, where they contradict each other, which multipliers are
 * unique. b [m] and acceleration [n] (of zw_gauss_solve) set the scale of what is rounding.
 * The result is freed by zw_diagnosis_free; it does not refer to g. */
ZW_API zw_status zw_gauss_diagnose(zw_gauss *g, const double *b, const double *acceleration,
                                   zw_diagnosis **diagnosis);
ZW_API void zw_diagnosis_free(zw_diagnosis *diagnosis);

/* ------------------------------------------------------------------- models
 *
 * A model is compiled from text once; it is immutable and may be shared by threads. A
 * simulation (zw_sim) holds a state, parameters and all workspace, one for each thread.
 * zw_sim_acceleration, zw_sim_instant, zw_sim_state, zw_sim_set_state, zw_sim_advance,
 * zw_sim_set_input (unless it refuses), zw_sim_columns and zw_sim_statistics of different simulations may run at the same time; what
 * takes memory or reports (create, free, start, begin, conclude, check, set_parameters, assign,
 * derive) belongs to the context's thread.
 *
 *     zw_model_source source = {.file = "pendulum.zw", .text = text, .length = strlen(text)};
 *     zw_model_compile(context, &source, &model);
 *     zw_sim_create(model, &sim);
 *     zw_sim_start(sim, false);
 *     zw_sim_acceleration(sim, t, q, v, z);
 */

typedef struct zw_model zw_model;
typedef struct zw_sim zw_sim;

/* Gives the text of the module NAME that `use NAME` asks for and that is not shipped with
 * Zwang. The strings must stay until zw_model_compile returns. False: there is none. */
typedef bool (*zw_module_fn)(void *user, const char *name, const char **file, const char **text,
                             size_t *length);

/* Numbers in the place of the file of the statement `data NAME = ...`, which says the rest: x [count]
 * ascends. Copied. */
typedef struct zw_table {
    const char *name; /* NAME */
    const double *x, *y;
    int32_t count;
} zw_table;

typedef struct zw_model_source {
    const char *file; /* as it stands in messages */
    const char *text; /* UTF-8, [length] */
    size_t length;
    const char *const *settings; /* [setting_count] "m = 2": overrides parameters */
    int32_t setting_count;
    zw_module_fn module;    /* NULL: no modules but those shipped */
    void *user;             /* for module and data */
    int64_t step_limit;     /* work allowed while the model is built; 0: some hundred million */
    size_t memory_limit;    /* bytes its statements may take meanwhile, in the budget; 0: 1.5 GiB */
    zw_module_fn data;      /* gives the text of a file that `data` names, likewise; NULL: no files.
                            The library opens none; a name with a slash or a point in front is
                            refused before, but in `inputs` */
    const zw_table *tables; /* [table_count] */
    int32_t table_count;
    const char *const *inputs; /* [input_count] "u = sin(t)": stands where the model says `input u`,
                                  as let u = sin(t) would; what is given so is no input any more.
                                  "u = FILE.csv:COLUMN, hold" (or linear, cubic, and what else the
                                  options of `data` are): the file is asked for through `data` by a
                                  name with a slash, ./FILE.csv */
    int32_t input_count;
} zw_model_source;

/* Compiles. ZW_ERR_MODEL and ZW_ERR_SETTING: the context's diagnostics say what is wrong;
 * remarks and warnings may be there after ZW_OK, too. The context must outlive the model. */
ZW_API zw_status zw_model_compile(zw_context *context, const zw_model_source *source,
                                  zw_model **model);
ZW_API void zw_model_free(zw_model *model);

ZW_API int32_t zw_model_coordinate_count(const zw_model *model); /* n */
ZW_API int32_t zw_model_row_count(const zw_model *model);        /* m, rows of A */
ZW_API int32_t zw_model_constraint_count(const zw_model *model); /* controls included */

/* Names, written as zw_gauss_explain writes: at most `size` bytes with the final NUL; returns the
 * length of the whole; 0 when there is no such thing. Rows of a vector constraint: roll[2]. */
ZW_API size_t zw_model_coordinate_name(const zw_model *model, int32_t i, char *buffer, size_t size);
ZW_API size_t zw_model_row_name(const zw_model *model, int32_t row, char *buffer, size_t size);
ZW_API size_t zw_model_constraint_name(const zw_model *model, int32_t i, char *buffer, size_t size);

#define ZW_ROW_KIND_LIST(X)                                                                        \
    X(ZW_HOLONOMIC, 0, "holonomic")                                                                \
    X(ZW_NONHOLONOMIC, 1, "nonholonomic") /* linear in the velocities */                           \
    X(ZW_NONLINEAR, 2, "nonlinear")       /* in the velocities */                                  \
    X(ZW_ACCELERATION, 3, "acceleration")

typedef enum zw_row_kind {
#define ZW_ROW_KIND_ENUM(name, value, text) name = value,
    ZW_ROW_KIND_LIST(ZW_ROW_KIND_ENUM)
#undef ZW_ROW_KIND_ENUM
} zw_row_kind;

typedef struct zw_constraint_info {
    int32_t first_row, row_count;
    bool control;        /* declared by `control` */
    bool time_dependent; /* t stands in one of its rows */
    bool inequality;     /* its rows are contacts */
    bool friction;       /* its rows hold what sticks: the directions of a friction */
} zw_constraint_info;

ZW_API zw_status zw_model_constraint(const zw_model *model, int32_t i, zw_constraint_info *info);
ZW_API zw_status zw_model_row_kind(const zw_model *model, int32_t row, zw_row_kind *kind);

/* What can touch: the rows of inequalities, in their order; then equations with friction, which always
 * do. Names as zw_model_row_name: ground, stop[2], pin. */
ZW_API int32_t zw_model_contact_count(const zw_model *model);
ZW_API size_t zw_model_contact_name(const zw_model *model, int32_t i, char *buffer, size_t size);

/* Parameters, those of vectors and matrices element by element; names as zw_model_row_name. */
ZW_API int32_t zw_model_parameter_count(const zw_model *model);
ZW_API size_t zw_model_parameter_name(const zw_model *model, int32_t i, char *buffer, size_t size);

/* Whether parameter i belongs to an input. */
ZW_API bool zw_model_is_input(const zw_model *model, int32_t i);

/* Receives text piece by piece; false stops the writing. */
typedef bool (*zw_write_fn)(void *user, const char *bytes, size_t size);

typedef enum zw_report_form {
    ZW_REPORT_TEXT = 0,
    ZW_REPORT_JSON = 1,
    ZW_REPORT_LATEX = 2, /* of equations only */
    ZW_REPORT_MATHML =
        3, /* likewise: for each section a line <h2>title</h2>, then a line <math>..</math> */
    ZW_REPORT_SYMPY = 4, /* likewise: a program of Python that makes matrices of SymPy */
    ZW_REPORT_C = 5      /* likewise: a function of C that fills the matrices */
} zw_report_form;

/* The derived equations M, Q, A, b, C, to read, as people write them. Where Q has a part that follows
 * from inertia, as centrifugal forces do, that stands apart: Q = F + H. */
ZW_API zw_status zw_model_derive(zw_model *model, zw_report_form form, zw_write_fn write,
                                 void *user);

/* The same as one chooses; bits of `how`. */
enum {
    ZW_EQUATIONS_PLAIN = 1, /* as they were derived: nothing is multiplied out or put together */
    ZW_EQUATIONS_MOTION = 2 /* one equation for each coordinate, and the Lagrangian; as text, LaTeX
                               or MathML */
};
/* ZW_ERR_LARGE: the model has so many terms of one shape that only the first of each is written, and
 * ZW_EQUATIONS_MOTION, ZW_REPORT_SYMPY or ZW_REPORT_C ask for all. */
ZW_API zw_status zw_model_equations(zw_model *model, zw_report_form form, int how,
                                    zw_write_fn write, void *user);

/* -------------------------------------------------------------- simulations */

/* A simulation at rest at the origin, with the parameters the model was compiled with. */
ZW_API zw_status zw_sim_create(zw_model *model, zw_sim **sim);
ZW_API void zw_sim_free(zw_sim *sim);

/* Overrides parameters, "m = 2, l = [1, 2]"; those defined from them follow. Structural ones (that
 * size something) are refused: ZW_ERR_SETTING. */
ZW_API zw_status zw_sim_set_parameters(zw_sim *sim, const char *settings);
ZW_API zw_status zw_sim_parameter(const zw_sim *sim, int32_t i, double *value);

/* Handles: numbers set without text and without an end of the run.
 *
 *     zw_sim_input(sim, "u", &u);               once, before zw_sim_begin
 *     zw_sim_begin(sim, &settings);
 *     for (k = 1; k <= 1000; k++) {
 *         zw_sim_set_input(sim, u, torque, 6);
 *         zw_sim_advance(sim, 0.001 * k, &outcome);
 *     }
 *
 * `name` is that of an input or of one of its elements: "u", "F", "F[2]", "arm.u". ZW_ERR_SETTING
 * with a diagnostic when there is none, ZW_ERR_ORDER when a run has begun without handles. A
 * simulation that has given out a handle ends its steps at the times that zw_sim_advance is asked
 * for, where numbers may change; they do not depend on these times otherwise. Takes memory. */
ZW_API zw_status zw_sim_input(zw_sim *sim, const char *name, int32_t *handle);

/* values [count], as many as the handle has, by rows. They hold from the state's time on, and those
 * of parameters that are defined from them follow. Takes no memory. Where nothing changes nothing
 * happens. In a run the integrator keeps its step size and forgets what it knew of the forces; the
 * state is brought onto constraints that have moved; conditions and contacts are looked at anew;
 * what that did to the energy is on the ledger (`inputs`). ZW_ERR_SETTING with a diagnostic, and
 * everything as before: a number is not finite, or a constraint cannot be met (E0751). */
ZW_API zw_status zw_sim_set_input(zw_sim *sim, int32_t handle, const double *values, int32_t count);

/* The same for parameters (and inputs); structural ones are refused. */
ZW_API zw_status zw_sim_parameter_handle(zw_sim *sim, const char *name, int32_t *handle);
ZW_API zw_status zw_sim_set_parameter(zw_sim *sim, int32_t handle, const double *values,
                                      int32_t count);

/* How many numbers a handle sets; 0: there is no such handle. */
ZW_API int32_t zw_sim_handle_count(const zw_sim *sim, int32_t handle);

/* The start of the model: given values, then brought onto the constraints by the smallest change in
 * the metric M. ZW_ERR_START when that cannot be done; where constraints contradict each other
 * accept_inconsistent (or the model's own `inconsistent = accept`) takes the compromise of least
 * squares. ZW_ERR_NOT_FINITE, ZW_ERR_UNDETERMINED, ZW_ERR_INDEFINITE and the like when the
 * equations do not make a motion there. Every failure but that of memory has a diagnostic, and so
 * has every correction beyond rounding (W0411, R0613, R0615). The state is left as it is then. */
ZW_API zw_status zw_sim_start(zw_sim *sim, bool accept_inconsistent);

/* q and v [n]; either may be NULL: not changed, not wanted. */
ZW_API zw_status zw_sim_set_state(zw_sim *sim, double t, const double *q, const double *v);
ZW_API zw_status zw_sim_state(const zw_sim *sim, double *t, double *q, double *v);

/* Changes single values of the state, "x = 1, r' = [0, 0, 1]"; corrects nothing. */
ZW_API zw_status zw_sim_assign(zw_sim *sim, const char *assignments);

/* The acceleration at any (t, q [n], v [n]); z [n]. Corrects nothing, keeps the simulation's own
 * state, takes no memory. */
ZW_API zw_status zw_sim_acceleration(zw_sim *sim, double t, const double *q, const double *v,
                                     double *z);

/* Everything the equations say at the simulation's state, dense. Set what is wanted. */
typedef struct zw_instant {
    double *M;         /* [n*n] */
    double *Q, *C;     /* [n]; the friction of what slides is in C */
    double *A;         /* [m*n] of rows that hold; those of open contacts are 0, also in b */
    double *b;         /* [m] */
    double *W;         /* [m*m] */
    double *value;     /* [m] phi = L - R; NaN for acceleration rows */
    double *rate;      /* [m] its time derivative at the state's velocity (holonomic rows); of
                          nonholonomic rows phi itself; NaN for acceleration rows */
    bool has_C, has_W; /* written: C is not 0 by itself, there are nonideal forces or something
                          slides; the model has weight statements */
} zw_instant;
ZW_API zw_status zw_sim_instant(zw_sim *sim, zw_instant *instant);

/* Everything the principle says at the simulation's state, as zw_gauss_solve does, by the
 * simulation's own solver, whatever its size: set the arrays that are wanted. Then, until another
 * call on the simulation, the rank, and which rows depend on which (zw_diagnosis_free frees it). */
ZW_API zw_status zw_sim_solve(zw_sim *sim, zw_gauss_answer *answer);
ZW_API zw_status zw_sim_rank(zw_sim *sim, zw_gauss_rank_info *info);
ZW_API zw_status zw_sim_diagnose(zw_sim *sim, const double *acceleration, zw_diagnosis **diagnosis);

/* What solves its equations, beside equal parts where there are any: ZW_SOLVER_DENSE or
 * ZW_SOLVER_SPARSE. */
ZW_API zw_solver zw_sim_solver(const zw_sim *sim);

/* What the model is: coordinates, degrees of freedom, constraints, redundancy, conflicts, start; as
 * text or JSON. Runs zw_sim_start itself and returns its status. Remarks go to the context's
 * diagnostics, too. A start that was refused is reported all the same: only running out of memory
 * leaves the report unwritten. */
ZW_API zw_status zw_sim_check(zw_sim *sim, bool accept_inconsistent, zw_report_form form,
                              zw_write_fn write, void *user);

/* How a model is written as C. NULL, false: the first of each. */
typedef struct zw_c_settings {
    const char *name;   /* of files, functions and types: letters, digits, underscores, no digit
                           first; NULL: model */
    bool single;        /* float in the place of double */
    bool own_functions; /* elementary functions written out, in the place of math.h */
    bool with_main;     /* a main that prints the motion */
    bool smooth; /* events, inequalities and friction: the motion in the present mode, as if none of
                    them were to change; otherwise they are refused */
} zw_c_settings;

typedef enum zw_c_file { ZW_C_SOURCE = 0, ZW_C_HEADER = 1 } zw_c_file;

/* The model as C99, NAME.c or NAME.h, that needs nothing of this library: parameters, state and
 * start as they are here, accelerations, forces and multipliers, outputs, energies, projection, and
 * steps (docs/EXPORT.md). The same simulation gives the same bytes. After zw_sim_begin.
 * ZW_ERR_MODEL: the model cannot be written so; the diagnostics say why. */
ZW_API zw_status zw_sim_export_c(zw_sim *sim, const zw_c_settings *settings, zw_c_file file,
                                 zw_write_fn write, void *user);

typedef struct zw_model_statistics {
    int32_t families;       /* shapes */
    int64_t instances;      /* of all families */
    int64_t operations;     /* for M and Q of one state */
    int64_t row_operations; /* for A and b */
    double seconds;         /* text to programs */
    size_t bytes;           /* held by the model */
} zw_model_statistics;
ZW_API zw_status zw_model_statistics_of(const zw_model *model, zw_model_statistics *statistics);

/* ------------------------------------------------------------------- motion
 *
 *     zw_run_settings settings;
 *     zw_run_defaults(model, &settings);        what the model's `simulate` says
 *     settings.until = 10.0;
 *     zw_sim_start(sim, settings.accept_inconsistent);
 *     zw_sim_begin(sim, &settings);
 *     for (k = 1; k <= 100; k++) {
 *         zw_sim_advance(sim, 0.1 * k, &outcome);
 *         zw_sim_columns(sim, columns, row);
 *     }
 *     zw_sim_conclude(sim);                     warnings and errors of the run, as diagnostics
 *
 * The steps do not depend on the times asked for: states between steps come from the dense output,
 * brought onto the constraints for the asker only. advance takes no memory (the method bdf apart).
 */

#define ZW_METHOD_LIST(X)                                                                          \
    X(ZW_DOP853, 0, "dop853", "Dormand-Prince of order 8, adaptive (default)")                     \
    X(ZW_DOPRI5, 1, "dopri5", "Dormand-Prince of order 5, adaptive")                               \
    X(ZW_RK4, 2, "rk4", "the classical method of order 4, fixed step")                             \
    X(ZW_BDF, 3, "bdf", "backward differences for stiff systems (SUNDIALS CVODE)")                 \
    X(ZW_AUTO, 4, "auto", "dop853, and bdf from where the motion turns out to be stiff")           \
    X(ZW_GAUSS16, 5, "gauss16", "Gauss collocation of order 16, for high accuracy and long times")

typedef enum zw_method {
#define ZW_METHOD_ENUM(name, value, text, sentence) name = value,
    ZW_METHOD_LIST(ZW_METHOD_ENUM)
#undef ZW_METHOD_ENUM
} zw_method;

/* "dop853" and so on; NULL when out of range. Static. */
ZW_API const char *zw_method_name(zw_method method);
ZW_API zw_status zw_method_find(const char *name, zw_method *method);

/* How the motion is kept on its constraints. */
#define ZW_STABILIZE_LIST(X)                                                                       \
    X(ZW_PROJECT, 0, "project", "every step ends on the constraints (default)")                    \
    X(ZW_BAUMGARTE, 1, "baumgarte", "violations are damped by the equations of motion")            \
    X(ZW_STABILIZE_NONE, 2, "none", "violations grow as they like")

typedef enum zw_stabilize {
#define ZW_STABILIZE_ENUM(name, value, text, sentence) name = value,
    ZW_STABILIZE_LIST(ZW_STABILIZE_ENUM)
#undef ZW_STABILIZE_ENUM
} zw_stabilize;

ZW_API const char *zw_stabilize_name(zw_stabilize stabilize);
ZW_API zw_status zw_stabilize_find(const char *name, zw_stabilize *stabilize);

/* What a run holds at its value beside its constraints. */
#define ZW_HOLD_LIST(X)                                                                            \
    X(ZW_HOLD_ENERGY, 0, "energy",                                                                 \
      "by gauss16 the energy, where the model conserves it (default)")                             \
    X(ZW_HOLD_NOTHING, 1, "nothing", "nothing")

typedef enum zw_hold {
#define ZW_HOLD_ENUM(name, value, text, sentence) name = value,
    ZW_HOLD_LIST(ZW_HOLD_ENUM)
#undef ZW_HOLD_ENUM
} zw_hold;

ZW_API const char *zw_hold_name(zw_hold hold);
ZW_API zw_status zw_hold_find(const char *name, zw_hold *hold);

/* What evaluates the derived programs. Both give the same bits. */
#define ZW_KERNEL_LIST(X)                                                                          \
    X(ZW_KERNEL_AUTO, 0, "auto", "machine code where it pays and can be had (default)")            \
    X(ZW_KERNEL_BYTECODE, 1, "bytecode", "the byte-code machine, on every processor")              \
    X(ZW_KERNEL_NATIVE, 2, "native",                                                               \
      "machine code, whatever it costs; byte code where it cannot "                                \
      "be had")

typedef enum zw_kernel {
#define ZW_KERNEL_ENUM(name, value, text, sentence) name = value,
    ZW_KERNEL_LIST(ZW_KERNEL_ENUM)
#undef ZW_KERNEL_ENUM
} zw_kernel;

ZW_API const char *zw_kernel_name(zw_kernel kernel);
ZW_API zw_status zw_kernel_find(const char *name, zw_kernel *kernel);

/* The programs of a model, to read: what each computes, its byte code, and what every pass of the
 * emitter makes of it for so many lanes (1, 4 or 8). ZW_KERNEL_BYTECODE and ZW_KERNEL_NATIVE show
 * one of the two only. */
ZW_API zw_status zw_model_programs(zw_model *model, zw_kernel kernel, int32_t lanes,
                                   zw_write_fn write, void *user);

/* What evaluates zw_sim_acceleration and the like of this simulation from now on, until a run
 * begins with settings of its own: byte code, unless said. Making machine code takes a fraction of
 * a millisecond for a small model, once; then an acceleration is several times as fast. */
ZW_API zw_status zw_sim_set_kernel(zw_sim *sim, zw_kernel kernel);

typedef struct zw_progress {
    double t;
    int64_t steps, rejected, evaluations;
    const char *trouble; /* what makes the steps small there, in words, static; NULL: nothing */
} zw_progress;

/* Called after every step; false interrupts the run. */
typedef bool (*zw_poll_fn)(void *user, const zw_progress *progress);

typedef struct zw_run_settings {
    double from;         /* start time; only told by zw_run_defaults, the state has its own */
    double until;        /* the last step ends there exactly; NaN: not said, no end */
    double every;        /* interval of output rows; NaN: not said. Not used by the engine */
    double tol, abs_tol; /* relative and absolute tolerance of a step; absolute 0: from the sizes
                            of coordinates and velocities */
    double step;         /* of rk4 and gauss16; first step of the others; NaN: chosen */
    double omega, zeta;  /* of ZW_BAUMGARTE */
    zw_method method;
    zw_stabilize stabilize;
    zw_form form; /* of every solve; all but ZW_FORM_GAUSS take memory and time */
    zw_kernel kernel;
    bool accept_inconsistent;
    int64_t max_steps; /* 0: no limit */
    zw_poll_fn poll;   /* or NULL */
    void *user;        /* for poll */
    /* ZW_ERR_PATIENCE: up to `until` there would be more steps than this to make, rejected ones
     * included, as the last 1000 go; 0: no limit */
    double patience;
    zw_hold hold;
} zw_run_settings;

/* What the model says, and for the rest: dop853, project, tol 1e-9 (of gauss16 1e-12: nearly
 * rounding), abs_tol 0, omega 10, zeta 1, no limit of steps, patience 1e8, the energy held. */
ZW_API zw_status zw_run_defaults(const zw_model *model, zw_run_settings *settings);
/* The same by this method, whatever the model says of it. */
ZW_API zw_status zw_run_defaults_by(const zw_model *model, zw_method method,
                                    zw_run_settings *settings);

/* The times of rows, as `zwang run` has them: from + k numerator / denominator for k from 0 to
 * count - 1, none beyond `until`. Where `every` is a decimal number it is that fraction (0.3 = 3/10),
 * so that times are the numbers one would write, and errors do not add up; where it is not said there
 * are 500 equal intervals. */
typedef struct zw_run_grid {
    double start, end;
    double numerator, denominator;
    int64_t count;
} zw_run_grid;

/* Of settings->from, until and every. ZW_ERR_ARGUMENT: there is no end, it lies before the start,
 * `every` is not above 0, or there are more times than can be counted. */
ZW_API zw_status zw_run_grid_find(const zw_run_settings *settings, zw_run_grid *grid);
ZW_API double zw_run_grid_time(const zw_run_grid *grid, int64_t k);

/* Brings the simulation's state onto the constraints by the smallest change in the metric M. */
ZW_API zw_status zw_sim_project(zw_sim *sim);

/* Begins a run at the simulation's state; takes all memory that advance needs. An earlier run of
 * the same simulation is forgotten. set_state, assign, start and set_parameters end a run: begin
 * again after them. */
ZW_API zw_status zw_sim_begin(zw_sim *sim, const zw_run_settings *settings);

typedef enum zw_outcome {
    ZW_REACHED = 0,    /* the state is at the time asked for */
    ZW_STOPPED = 1,    /* a `stop` came first: the state is at its time, the run is over */
    ZW_INTERRUPTED = 2 /* by poll: the state is where the run got to; advance may go on */
} zw_outcome;

/* Moves on to t, at or after the state's time and not beyond `until`. The simulation's state is
 * then at t. When it fails the state is where the run got to, and every further call fails in the
 * same way. *outcome is always written. */
ZW_API zw_status zw_sim_advance(zw_sim *sim, double t, zw_outcome *outcome);

/* Ends the run of a simulation from any thread, the only call that may be made while another thread
 * is in one on it: its advance, or the next one, fails with ZW_ERR_CANCELLED at the end of a step.
 * The state is where the run got to. zw_sim_begin begins a new run there. */
ZW_API void zw_sim_cancel(zw_sim *sim);

/* Everything a run depends on (state, step size, controller, events, what was set by handle), so
 * that a restored run goes on to the same bits. At most `size` bytes are written, *needed gets the
 * length of all; not of bdf: ZW_ERR_METHOD. restore: after zw_sim_begin with the same model,
 * handles, parameters without handles, settings and library; ZW_ERR_SETTING when the bytes are not
 * of such a run. */
ZW_API zw_status zw_sim_save(zw_sim *sim, void *bytes, size_t size, size_t *needed);
ZW_API zw_status zw_sim_restore(zw_sim *sim, const void *bytes, size_t size);

/* Tells the context what is to be said about the run so far: why it stopped (E07..), what one
 * should know (W07.., R07..). */
ZW_API zw_status zw_sim_conclude(zw_sim *sim);

typedef enum zw_trust {
    ZW_TRUST_OK = 0,
    ZW_TRUST_REMARKS = 1, /* ok with remarks */
    ZW_TRUST_NOT = 2      /* do not trust */
} zw_trust;

/* A constraint row and how far off it was at worst. */
typedef struct zw_violation {
    double size;     /* |phi| or |rate|; 0 when there is no such row */
    double relative; /* to the magnitudes of the row's terms */
    double t;
    int32_t row; /* -1: none */
} zw_violation;

/* The balance of h = v dL/dv - L (+ the kinetic energy of `mass` statements) over the run. Each
 * work is an integral over time; the ones that cannot arise in the model are exactly 0. */
typedef struct zw_ledger {
    double start, end;  /* h */
    double scale;       /* largest |kinetic| + |potential| + |other| of the run */
    double impressed;   /* work of force statements */
    double dissipation; /* of dissipation statements */
    double ideal;       /* of ideal forces of constraints that move or are not homogeneous in v */
    double nonideal;
    double
        friction; /* of `friction` statements, of what slides and what sticks to something that moves */
    double control;
    double impacts;       /* what contacts that closed have added; below 0: lost */
    double events;        /* what resets have added */
    double explicit_time; /* of energies in which t stands, and masses that change */
    double error;         /* end - start - the sum of the works */
    bool conserved;       /* no work can arise: h is constant */
    double inputs;        /* what settings by handle have added: energies in which an input stands,
                             and what it took to follow constraints that it has moved */
    bool held; /* gauss16 holds the energy: `error` is what it would be off by, the sum of
                             all corrections */
} zw_ledger;

/* How often a way to the acceleration was taken: "fused" (one straight-line program, the solve
 * included), "careful" (the orthogonal decomposition), and others; for people, not for decisions. */
typedef struct zw_road_count {
    const char *name;
    int64_t count;
} zw_road_count;
enum { ZW_MOST_ROADS = 8 };

/* Equal parts of a system, solved side by side. */
typedef struct zw_parts_statistics {
    int64_t evaluations;   /* that went by parts; 0: none, and then there is no more to say */
    const char *rule;      /* how it was cut: "declared", "levels", "carved" or "components" */
    int32_t count, shapes; /* parts, and how many of them differ */
    int32_t width;         /* parts side by side: 4 or 8 */
} zw_parts_statistics;

typedef struct zw_run_statistics {
    double t; /* reached */
    int64_t steps, rejected;
    int64_t bridged;     /* steps of gauss16 that were left to dop853 */
    int64_t evaluations; /* of the acceleration */
    int64_t projections, projection_iterations;
    zw_road_count roads[ZW_MOST_ROADS]; /* by which ways the accelerations were found */
    int32_t road_count;
    zw_kernel kernel;          /* what evaluates: ZW_KERNEL_BYTECODE or ZW_KERNEL_NATIVE */
    const char *kernel_reason; /* why it is not machine code; NULL: it is */
    int32_t native_programs;   /* programs of the model that have machine code */
    size_t native_bytes;       /* of it */
    double native_seconds;     /* that making and testing it took, once a model */
    zw_solver solver;          /* ZW_SOLVER_DENSE or ZW_SOLVER_SPARSE */
    const char *solver_form;   /* what is factored: "dense", or sparse "K", "S", "H" */
    int64_t factorizations;    /* by that solver, so far; fused and quick solves have their own */
    zw_parts_statistics parts;
    double smallest_step, largest_step;
    double seconds;             /* in advance, by the clock */
    int32_t rank, generic_rank; /* of A, at the last step; what it is almost everywhere */
    int32_t generic_most;       /* which is at most this; the same where it is certain */
    int64_t rank_changes;       /* steps at which the rank was not the one of the step before */
    double first_rank_change;   /* time; NaN: none */
    double first_unsure;        /* time at which a step ended so close to a singular configuration
                                   that the motion may have changed its branch; NaN: none */
    int64_t passages;           /* singular places that steps have passed */
    double first_passage;       /* time of the first; NaN: none */
    double excused;             /* largest error of a step, in tolerances, that was accepted since
                                   rounding near a singular place allowed no smaller one; 0: none */
    double excused_t;           /* time of it */
    int64_t singular;           /* evaluations at which the limit acceleration was taken */
    double inconsistency;       /* largest |inconsistency| of accelerations */
    double first_inconsistent;  /* time; NaN: never */
    int64_t events;             /* fired */
    bool stiff;                 /* an explicit method found the motion stiff */
    double first_stiff;         /* time; NaN: never */
    bool switched;              /* auto has changed to bdf */
    zw_violation position, velocity;
    zw_ledger energy;
    zw_trust trust;
} zw_run_statistics;
ZW_API zw_status zw_sim_statistics(zw_sim *sim, zw_run_statistics *statistics);

/* Events that have fired, the first few thousand of them. */
typedef struct zw_fired {
    double t;
    int32_t event; /* among the model's, in declared order from 0 */
} zw_fired;
ZW_API int32_t zw_sim_fired_count(const zw_sim *sim);
ZW_API zw_status zw_sim_fired(const zw_sim *sim, int32_t i, zw_fired *fired);
ZW_API int32_t zw_model_event_count(const zw_model *model);
/* An event as it was written, "when y < 0"; as zw_model_row_name. */
ZW_API size_t zw_model_event_name(const zw_model *model, int32_t event, char *buffer, size_t size);

/* What a contact does, and what has happened to it in the run so far; without a run all counts are 0. */
typedef enum zw_contact_state {
    ZW_OPEN = 0,
    ZW_TOUCHES = 1, /* with friction: it slides */
    ZW_STICKS = 2
} zw_contact_state;

typedef struct zw_contact {
    zw_contact_state state;
    double impulse; /* of its last impact; 0: there was none */
    int64_t impacts, closings, openings;
    int64_t sticks, slips; /* how often it began to */
    double last;           /* when it closed last, or the start where it was closed; NaN: never */
} zw_contact;
ZW_API zw_status zw_sim_contact(zw_sim *sim, int32_t i, zw_contact *contact);

/* What happens in a run, by the word that `zwang run --events` has for it. */
#define ZW_HAPPENING_LIST(X)                                                                       \
    X(ZW_HAPPENS_WHEN, 0, "when", "an event fires")                                                \
    X(ZW_HAPPENS_IMPACT, 1, "impact", "velocities jump at a contact")                              \
    X(ZW_HAPPENS_CLOSES, 2, "closes", "a contact is closed from here on")                          \
    X(ZW_HAPPENS_OPENS, 3, "opens", "it is open from here on")                                     \
    X(ZW_HAPPENS_STICKS, 4, "sticks", "friction holds from here on")                               \
    X(ZW_HAPPENS_SLIPS, 5, "slips", "what stuck slides from here on")                              \
    X(ZW_HAPPENS_SHARES, 6, "shares",                                                              \
      "of contacts that depend on each other others carry the load from here on")

typedef enum zw_happening {
#define ZW_HAPPENING_ENUM(name, value, text, sentence) name = value,
    ZW_HAPPENING_LIST(ZW_HAPPENING_ENUM)
#undef ZW_HAPPENING_ENUM
} zw_happening;

/* "impact" and so on; NULL when out of range. Static. */
ZW_API const char *zw_happening_name(zw_happening kind);
ZW_API zw_status zw_happening_find(const char *name, zw_happening *kind);

typedef struct zw_happened {
    double t;
    zw_happening kind;
    int32_t number; /* of the contact; of ZW_HAPPENS_WHEN the event's */
    double impulse; /* of an impact, along the normal, else 0 */
    double energy;  /* lost in it at this contact, its friction included; below 0: a moving wall has
                        done work. Also where it closes without an impact because its bounce is left
                        out. Of one moment they add up to the whole */
} zw_happened;

/* How much has happened in the run so far, and number i of it, from 0, in the order of time. The last
 * thousand at least are kept: who wants all of them asks after each step (zw_poll_fn). Older ones:
 * ZW_ERR_ARGUMENT. */
ZW_API int64_t zw_sim_happened_count(const zw_sim *sim);
ZW_API zw_status zw_sim_happened(const zw_sim *sim, int64_t i, zw_happened *happened);

/* The verdict on the run so far, as text for people or JSON: everything of the statistics with
 * names, and the trust it deserves with its reason. */
ZW_API zw_status zw_sim_verdict(zw_sim *sim, zw_report_form form, zw_write_fn write, void *user);

/* ---------------------------------------------------------------- ensembles
 *
 * Many members of one model, each with its own start and parameters, moved side by side in the
 * lanes of the processor and in several threads. Every member ends with the bits of its own single
 * run (zw_sim_set_state, zw_sim_begin, zw_sim_advance with the same settings), whatever the number
 * of members, lanes and threads.
 */
typedef struct zw_member {
    zw_status status; /* of the run; a failed member's state is where it got to */
    zw_outcome outcome;
    bool in_lanes; /* it went all the way in lanes */
    double t;      /* reached */
    int64_t steps, rejected, evaluations;
} zw_member;

typedef struct zw_ensemble {
    int64_t count; /* members */
    double t;      /* where all of them begin */
    double *state; /* [count * 2n] q and v of each member: at t, then where it got to */
    const char *const
        *names; /* [name_count] parameters that differ: "m", "k[2]"; twice: the last */
    int32_t name_count;
    const double *values; /* [count * name_count] */
    const double *times;  /* [time_count] ascending; states at these are sampled */
    int32_t time_count;
    double *samples;    /* [count * time_count * 2n]; NaN where a member did not get to */
    int32_t threads;    /* 0: as many as there are processors */
    zw_member *members; /* [count], or NULL */
} zw_ensemble;

/* Until settings->until, which must be said. ZW_OK when every member was tried; without `members`
 * the first failure among them is returned. ZW_ERR_SETTING with a diagnostic when a name is not one
 * of a single parameter that zw_sim_set_parameters takes; a member whose value for it is not finite
 * fails by itself. settings->poll is asked by the calling thread, with the members that are through
 * as `steps`; false ends it all: what is not through has ZW_INTERRUPTED.
 *
 * The call belongs to the context's thread, and nothing else of the context may be used meanwhile.
 * Its other threads take memory, too, within the budget of the context: the allocator is called
 * from them, by one at a time. All signals are blocked in them. They are gone when it returns. */
ZW_API zw_status zw_ensemble_run(zw_model *model, const zw_run_settings *settings,
                                 zw_ensemble *ensemble);

/* ------------------------------------------------------------------ columns */

/* Numbers by name, as `zwang run --columns` takes them: x, x', x'', energy, force(x),
 * multiplier(rod[3])[2], ... (docs/CLI.md). */
typedef struct zw_columns zw_columns;

/* list NULL: t, coordinates, velocities, outputs. "all": everything. ZW_ERR_SETTING with a
 * diagnostic when a name is unknown. The model must outlive the columns. */
ZW_API zw_status zw_columns_create(zw_model *model, const char *list, zw_columns **columns);
ZW_API void zw_columns_free(zw_columns *columns);
ZW_API int32_t zw_columns_count(const zw_columns *columns); /* t included, the first */
ZW_API size_t zw_columns_name(const zw_columns *columns, int32_t i, char *buffer, size_t size);

/* What a column is: "time", "coordinate", "velocity", "acceleration", "output", "energy", "force",
 * "multiplier", "residual", "gap", "slip", "contact", "impulse", "gaussian", "inconsistency", "rank",
 * "drawing", "derivative". NULL when out of range. Static. */
ZW_API const char *zw_columns_kind(const zw_columns *columns, int32_t i);

/* row [count] at the simulation's state. Only what the columns need is computed. Columns of the
 * picture (draw) are for one simulation at a time. */
ZW_API zw_status zw_sim_columns(zw_sim *sim, const zw_columns *columns, double *row);

/* The columns d(X)/d(P) of these need derivatives along the run that begins next: how the whole motion
 * moves with a parameter or with a start value is carried over its steps, from the simulation's state on.
 * Call it after zw_sim_start or zw_sim_set_state and before zw_sim_begin; what was asked for before is
 * forgotten. zw_sim_columns then has d(X)/d(P) at every state of the run, and at the state of this call
 * before it begins; of others it is NaN. Columns without derivatives, or NULL: none are carried.
 * ZW_ERR_SETTING with a diagnostic where the start or a column has none. Where the motion has none from a
 * moment on, a run ends there with ZW_ERR_DERIVATIVE. Steps and states are those of a run without. */
ZW_API zw_status zw_sim_vary(zw_sim *sim, const zw_columns *columns);

/* A table in one call: to each of times [count], ascending, from the state's time on, and the
 * columns there: out [count * zw_columns_count], row by row. After zw_sim_begin. Rows that the run
 * has not reached, because it stopped, was interrupted or failed, are NaN; a failure is that of
 * zw_sim_advance. */
ZW_API zw_status zw_sim_run_rows(zw_sim *sim, const double *times, int32_t count,
                                 const zw_columns *columns, double *out);

/* The picture of the model as one JSON object, {"scene": {...} or null, "forces": [...],
 * "contacts": [...]}: shapes, arrows of forces, and where contacts are (docs/CLI.md, The page). A number
 * in it that moves is {"c": k}, column k of `columns`, which must have been made with `drawn` in their
 * list (`draw`: the shapes alone); one that no state changes is written as it is with the simulation's
 * parameters. null: there is nothing to draw. */
ZW_API zw_status zw_sim_scene(zw_sim *sim, const zw_columns *columns, zw_write_fn write,
                              void *user);

/* -------------------------------------------------------------- derivatives
 *
 * How the answer of the principle changes with what it depends on, at the simulation's state: exact
 * derivatives, for redundant and contradictory constraints, too, as long as the rank of A stays what
 * it is near the state. What sticks is held, what is open is free. ZW_ERR_SETTING with a diagnostic
 * where there are none: something slides, motors enforce a control. The first call takes memory. */

/* How the state and one parameter move at once. */
typedef struct zw_direction {
    const double *q, *v; /* [n] each; NULL: they stay */
    double t;
    int32_t
        parameter; /* element that moves by 1, from 0; what is defined from it follows; -1: none */
} zw_direction;

/* The rates of accelerations [n] and multipliers [m] along a direction; either may be NULL. */
ZW_API zw_status zw_sim_tangent(zw_sim *sim, const zw_direction *direction, double *acceleration,
                                double *multipliers);

/* What a linearisation is made of; each may be NULL. */
typedef struct zw_linearize {
    const char *states;  /* coordinates that are to be independent, "x, r[2]"; others are chosen */
    const char *inputs;  /* parameters, "u, k[2]"; NULL: the inputs of the model */
    const char *outputs; /* columns, "x, lean, multiplier(rod)"; NULL: the outputs of the model */
} zw_linearize;

/* x' = A x + B u, y = C x + D u beside the simulation's state, in some of its own coordinates and
 * velocities: those from which the constraints determine the others, at rest or moving. Matrices by
 * rows. Poles are the eigenvalues of A, ascending by their real parts. */
typedef struct zw_linearization {
    int32_t states, places; /* the first `places` states are coordinates, then come velocities */
    int32_t inputs, outputs;
    double t, speed, acceleration;   /* of the state: the largest of each; at rest both are 0 */
    const double *A, *B;             /* [states * states], [states * inputs] */
    const double *C, *D;             /* [outputs * states], [outputs * inputs] */
    const double *pole_re, *pole_im; /* [states] */
    const char *const *state_names;  /* [states] "x", "x'" */
    const char *const *input_names;  /* [inputs] */
    const char *const *output_names; /* [outputs] */
} zw_linearization;

/* ZW_ERR_SETTING with a diagnostic where a name is wrong, where states depend on each other, where an input
 * moves a constraint, or there are no derivatives. *result is owned by the caller. */
ZW_API zw_status zw_sim_linearize(zw_sim *sim, const zw_linearize *asked,
                                  zw_linearization **result);
ZW_API void zw_linearization_free(zw_linearization *result);

typedef struct zw_equilibrium_asked {
    const char *by; /* parameters, "m, k[2]", "all": derivatives by these, too; NULL: by none */
} zw_equilibrium_asked;

/* A state of rest. Frequencies [rad/s] and shapes are those of the forces without speeds, ascending; a
 * frequency below 0 is the rate, with that sign, at which the state is left. Where forces have no
 * potential there are none (modes 0). Shapes are of length 1 in M. Poles are those with all forces. */
typedef struct zw_equilibrium {
    double t;
    double moved;       /* the largest change of a coordinate on the way */
    int32_t iterations; /* of the search */
    int32_t modes, poles;
    int32_t unstable;                /* modes, or pairs of poles, that grow; 0: none */
    int32_t neutral;                 /* directions in which it may move without a force */
    const double *q, *multipliers;   /* [n], [m] */
    const double *frequency, *shape; /* [modes], [modes * n] */
    const double *pole_re, *pole_im; /* [poles] */
    int32_t parameters;
    const char *const *parameter_names;           /* [parameters] */
    const double *dq, *dmultipliers, *dfrequency; /* [parameters * n], [parameters * m],
                                                      [parameters * modes]; NaN: there is none */
} zw_equilibrium;

/* Finds a state of rest from the simulation's state on, at its time, and leaves the simulation there, with speeds
 * 0; a run ends. What sticks stays where it is; what is pushed moves until it is held, downhill where forces have
 * a potential. ZW_ERR_START with a diagnostic (E0736): none was found. *result is owned by the caller. */
ZW_API zw_status zw_sim_equilibrium(zw_sim *sim, const zw_equilibrium_asked *asked,
                                    zw_equilibrium **result);
ZW_API void zw_equilibrium_free(zw_equilibrium *result);

/* ------------------------------------------------------------------ results */

/* What a table of numbers can be written as. The word is the ending of a file's name. */
#define ZW_RESULT_LIST(X)                                                                          \
    X(ZW_RESULT_CSV, 0, csv, "text, row by row; memory does not grow")                             \
    X(ZW_RESULT_JSON, 1, json,                                                                     \
      "{\"columns\": [names], \"rows\": [[numbers], ...]}, row by row; memory does not grow")      \
    X(ZW_RESULT_NPZ, 2, npz,                                                                       \
      "numpy: an array of float64 for each column; kept in memory until the end")                  \
    X(ZW_RESULT_MAT, 3, mat,                                                                       \
      "MATLAB version 4 in OpenModelica's layout; kept in memory until the end")

typedef enum zw_result_format {
#define ZW_RESULT_ENUM(name, value, word, sentence) name = value,
    ZW_RESULT_LIST(ZW_RESULT_ENUM)
#undef ZW_RESULT_ENUM
        ZW_RESULT_MAT_PLAIN = 4 /* a .mat with a variable for each column: t, x, r_2, x_d for x' */
} zw_result_format;

typedef struct zw_result zw_result;

/* names [count] are copied; the first is the time. Bytes go to `write`; when that returns false the
 * call fails with ZW_ERR_WRITE, and so does every later one. ZW_ERR_ARGUMENT when a name is not
 * UTF-8 or, of npz and mat, two are the same. */
ZW_API zw_status zw_result_open(zw_context *context, zw_result_format format,
                                const char *const *names, int32_t count, zw_write_fn write,
                                void *user, zw_result **result);
ZW_API zw_status zw_result_row(zw_result *result, const double *row);
/* Hands all that there is of csv and json, whole rows, to `write`; of npz and mat that is little. */
ZW_API zw_status zw_result_flush(zw_result *result);
/* Ends the file: whatever rows there are, it is complete and readable. Frees, also on failure. */
ZW_API zw_status zw_result_close(zw_result *result);

/* ------------------------------------------------------------------- sweeps
 *
 * Runs of one model by thousands and millions: parameters and start values on a grid, sampled, or
 * from a table; of each run a few numbers are kept (`zwang sweep`, docs/CLI.md).
 *
 *     zw_sweep_create(context, &plan, &sweep);
 *     zw_sweep_run(sweep, &job);              batches in all threads, blocks to job.done
 *     zw_sweep_write(sweep, ZW_RESULT_NPZ, &source, write, user);
 *
 * The runs are cut into batches of one size. A batch becomes a *block* of bytes, which depends on
 * the plan and the batch's number alone: not on threads, lanes, machines, or what came before. So
 * blocks may be computed anywhere, in any order, kept in files and put together later.
 */
#define ZW_DESIGN_LIST(X)                                                                          \
    X(ZW_DESIGN_RANDOM, 0, "random", "independent random numbers (default)")                       \
    X(ZW_DESIGN_LATIN, 1, "latin",                                                                 \
      "a Latin hypercube: every strip of every number has one sample")                             \
    X(ZW_DESIGN_SOBOL, 2, "sobol", "Sobol's sequence, shifted by the seed: evenly spread")

typedef enum zw_design {
#define ZW_DESIGN_ENUM(name, value, text, sentence) name = value,
    ZW_DESIGN_LIST(ZW_DESIGN_ENUM)
#undef ZW_DESIGN_ENUM
} zw_design;

ZW_API const char *zw_design_name(zw_design design);
ZW_API zw_status zw_design_find(const char *name, zw_design *design);

typedef struct zw_sweep zw_sweep;

typedef struct zw_sweep_plan {
    /* Its texts must stay as long as the sweep. module and data are called from other threads, too,
     * by one at a time. */
    const zw_model_source *model;
    const char *const
        *vary; /* [vary_count] "w = 1..10 by 0.5", "m[2] = [1, 2]", "x' ~ normal(0, 1)" */
    int32_t vary_count;
    const char *table; /* or: CSV [table_length], names, then a line a run; NULL: none */
    size_t table_length;
    const char *table_file; /* as it stands in messages, or NULL */
    const char *keep; /* "last(x), largest(pin.F[1]), trust"; NULL: last of the usual columns */
    int64_t samples;  /* of what is drawn from distributions */
    uint64_t seed;
    zw_design design;
    int64_t batch; /* runs of a batch; 0: chosen */
    /* Puts what is wanted over what the model says, or over the defaults of the method wanted; may be
     * called from any thread, and more than once for a run. NULL: nothing. */
    void (*settle)(void *user, zw_run_settings *settings);
    void *user;    /* for settle */
    uint64_t salt; /* becomes part of the fingerprint: a hash of what else the model depends on */
} zw_sweep_plan;

typedef struct zw_sweep_facts {
    int64_t runs, batch, batches; /* batch: runs of one; the last may have fewer */
    int32_t varied, columns;      /* of a row: what is varied, then what is kept */
    uint64_t fingerprint;         /* of everything that the numbers depend on */
} zw_sweep_facts;

/* Compiles the model and checks the plan. ZW_ERR_SETTING and ZW_ERR_MODEL with diagnostics. The
 * context must outlive the sweep. */
ZW_API zw_status zw_sweep_create(zw_context *context, const zw_sweep_plan *plan, zw_sweep **sweep);
ZW_API void zw_sweep_free(zw_sweep *sweep);
ZW_API zw_status zw_sweep_tell(const zw_sweep *sweep, zw_sweep_facts *facts);
/* Of a column: "m[2]", "last(x)"; NULL when out of range. Valid as long as the sweep. */
ZW_API const char *zw_sweep_column(const zw_sweep *sweep, int32_t i);
/* What is varied, in run number `run`, from 0: values [varied]. */
ZW_API zw_status zw_sweep_values(const zw_sweep *sweep, int64_t run, double *values);

/* Who computes. All functions are called in the calling thread. */
typedef struct zw_sweep_job {
    int32_t threads; /* 0: as many as there are processors */
    /* The next batch to compute; -1: there are no more; ZW_SWEEP_LATER: none now, ask again. */
    int64_t (*next)(void *user);
    /* Takes the block of a batch, in any order; the bytes are valid during the call. False: it ends
     * with ZW_ERR_WRITE. */
    bool (*done)(void *user, int64_t batch, const void *bytes, size_t size);
    bool (*poll)(
        void *user); /* often; false: it ends with ZW_ERR_CANCELLED, batches at work are lost */
    void *user;
} zw_sweep_job;
enum { ZW_SWEEP_LATER = -2 };

/* A run that fails does not end the sweep: its block says so. */
ZW_API zw_status zw_sweep_run(zw_sweep *sweep, const zw_sweep_job *job);

typedef struct zw_sweep_failure {
    int64_t run;
    int32_t status; /* a zw_status */
    char reason[244];
} zw_sweep_failure;

/* A block, to read; the pointers lie in its bytes, which must be aligned as doubles are. */
typedef struct zw_sweep_block {
    int64_t batch, first, count; /* runs first .. first + count - 1 */
    const double *rows;          /* [count * columns]; NaN: the run has no such number */
    int64_t failures;
    const zw_sweep_failure *failed; /* [failures] ascending */
} zw_sweep_block;

/* ZW_ERR_SETTING: the bytes are no block of this sweep. */
ZW_API zw_status zw_sweep_block_read(const zw_sweep *sweep, const void *bytes, size_t size,
                                     zw_sweep_block *block);

/* Where blocks come from: the bytes of a batch's, aligned, valid until the next call. False: it is
 * not there. */
typedef struct zw_sweep_source {
    bool (*fetch)(void *user, int64_t batch, const void **bytes, size_t *size);
    void *user;
} zw_sweep_source;

/* The whole result, a row a run: what is varied, what is kept, `status` (0: done) and why it failed.
 * Csv, json or npz; memory does not grow with the runs. ZW_ERR_ARGUMENT: another format, or a
 * batch is missing. */
ZW_API zw_status zw_sweep_write(zw_sweep *sweep, zw_result_format format,
                                const zw_sweep_source *source, zw_write_fn write, void *user);

/* Counts, quantiles of what is kept, the worst trust, reasons of failures; as text or JSON. */
ZW_API zw_status zw_sweep_summary(zw_sweep *sweep, zw_report_form form,
                                  const zw_sweep_source *source, zw_write_fn write, void *user);

/* -------------------------------------------------------------------- pages */

typedef struct zw_page_column {
    const char *name;
    const char *kind; /* under which the page lists it: web/DATA.md */
} zw_page_column;

/* What a page of a run shows; what is NULL is left out. Nothing is kept. Where a field is JSON it goes
 * into the page as it is (web/DATA.md says what the page expects). */
typedef struct zw_page {
    const char *style, *script; /* that make the page: web/dist/page.css and page.js */
    const char *title, *command;
    const char *file, *text; /* name and text [text_length] of the model */
    size_t text_length;
    const zw_page_column *columns; /* [column_count], the time first */
    int32_t column_count;
    const double *rows; /* [row_count * column_count] */
    int64_t row_count;
    int64_t row_total;          /* of the run; more than row_count: the page says so */
    const char *scene, *forces; /* JSON, members of what zw_sim_scene writes */
    const char *contacts;       /* likewise */
    const char *parameters, *events, *constraints; /* JSON */
    const char *trust;                             /* word of the verdict */
    const char *verdict;                           /* its lines */
    const char *equations;                         /* of zw_model_derive by ZW_REPORT_MATHML */
} zw_page;

/* Writes the page: one HTML file that loads nothing, from any folder. ZW_ERR_WRITE when `write`
 * returns false. */
ZW_API zw_status zw_page_write(zw_context *context, const zw_page *page, zw_write_fn write,
                               void *user);

/* A matrix by rows with its name, a word of at most 60 letters. */
typedef struct zw_matrix {
    const char *name;
    int32_t rows, columns;
    const double *values; /* [rows * columns] */
} zw_matrix;

/* Matrices [count], at most 64, as one file: ZW_RESULT_NPZ, arrays of two dimensions, or ZW_RESULT_MAT, variables
 * of MATLAB version 4. */
ZW_API zw_status zw_matrices_write(zw_context *context, zw_result_format format,
                                   const zw_matrix *matrices, int32_t count, zw_write_fn write,
                                   void *user);

/* A file in an archive. */
typedef struct zw_archive_file {
    const char *name; /* UTF-8, folders end with / */
    const void *bytes;
    size_t size;
} zw_archive_file;

/* Files [count] as a zip, stored as they are, in their order and without times: the same files give
 * the same bytes. ZW_ERR_ARGUMENT: a name is empty, longer than 65,535 bytes or there twice. */
ZW_API zw_status zw_archive_write(zw_context *context, const zw_archive_file *files, int32_t count,
                                  zw_write_fn write, void *user);

#ifdef __cplusplus
}
#endif
#endif
