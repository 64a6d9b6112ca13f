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
    X(ZW_ERR_MODEL, 20, "the model is wrong; the diagnostics say where")                           \
    X(ZW_ERR_SETTING, 21, "a setting or a state does not fit the model; the diagnostics say why")  \
    X(ZW_ERR_START, 22, "the start cannot be brought onto the constraints")                        \
    X(ZW_ERR_LARGE, 23, "the system is too large for the dense solver")

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

/* Bytes held now. */
ZW_API size_t zw_context_held(const zw_context *context);

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
    /* always written */
    double inconsistency_norm; /* least |A z - b| in the W norm; 0 when the rows are independent */
    double gaussian;           /* |z - M^-1 (Q + C)|^2 in the M norm; NaN when mass_singular */
    double certificate;        /* largest relative residual of the equations that determine z */
    int32_t rank;              /* of A */
    int32_t refinements;       /* how often the answer was corrected by its own residual */
    bool consistent;           /* inconsistency_norm is rounding only */
    bool mass_singular;        /* M alone does not determine a free acceleration */
} zw_gauss_answer;

/* Q [n], b [m] (may be NULL when m is 0), C [n] or NULL. */
ZW_API zw_status zw_gauss_solve(zw_gauss *g, const double *Q, const double *b, const double *C,
                                zw_gauss_answer *answer);

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
    double tolerance; /* relative pivots at or below it count as zero */
    double accepted;  /* smallest relative pivot that counted, 1 when there is none */
    double rejected;  /* largest one that did not, 0 when there is none */
    bool ambiguous;   /* the gap between them is too narrow to be sure */
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
} zw_dependent_set;

typedef struct zw_diagnosis {
    int32_t m;                     /* rows */
    int32_t set_count;             /* dependent sets, conflicting ones included */
    int32_t conflict_count;        /* those of them that conflict */
    int32_t nearly_count;          /* sets that are nearly dependent only, after the others */
    const zw_dependent_set *sets;  /* [set_count + nearly_count], in declared order each */
    const bool *unique_multiplier; /* [m] the multiplier of the row is the only one possible */
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
 * zw_sim_acceleration, zw_sim_instant, zw_sim_state and zw_sim_set_state of different
 * simulations may run at the same time; what takes memory or reports (create, free, start, check,
 * set_parameters, assign, derive) belongs to the context's thread.
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

typedef struct zw_model_source {
    const char *file; /* as it stands in messages */
    const char *text; /* UTF-8, [length] */
    size_t length;
    const char *const *settings; /* [setting_count] "m = 2": overrides parameters */
    int32_t setting_count;
    zw_module_fn module; /* NULL: no modules but those shipped */
    void *user;          /* for module */
    int64_t step_limit;  /* work allowed while the model is built; 0: some hundred million */
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
} zw_constraint_info;

ZW_API zw_status zw_model_constraint(const zw_model *model, int32_t i, zw_constraint_info *info);
ZW_API zw_status zw_model_row_kind(const zw_model *model, int32_t row, zw_row_kind *kind);

/* Receives text piece by piece; false stops the writing. */
typedef bool (*zw_write_fn)(void *user, const char *bytes, size_t size);

typedef enum zw_report_form {
    ZW_REPORT_TEXT = 0,
    ZW_REPORT_JSON = 1,
    ZW_REPORT_LATEX = 2
} zw_report_form;

/* The derived equations M, Q, A, b, C, to read. */
ZW_API zw_status zw_model_derive(zw_model *model, zw_report_form form, zw_write_fn write,
                                 void *user);

/* -------------------------------------------------------------- simulations */

/* A simulation at rest at the origin, with the parameters the model was compiled with. */
ZW_API zw_status zw_sim_create(zw_model *model, zw_sim **sim);
ZW_API void zw_sim_free(zw_sim *sim);

/* Overrides parameters, "m = 2, l = [1, 2]"; those defined from them follow. Structural ones (that
 * size something) are refused: ZW_ERR_SETTING. */
ZW_API zw_status zw_sim_set_parameters(zw_sim *sim, const char *settings);

/* The start of the model: given values, then brought onto the constraints by the smallest change in
 * the metric M. ZW_ERR_START when that cannot be done; where constraints contradict each other
 * accept_inconsistent (or the model's own `inconsistent = accept`) takes the compromise of least
 * squares. ZW_ERR_NOT_FINITE, ZW_ERR_UNDETERMINED, ZW_ERR_INDEFINITE and the like when the
 * equations do not make a motion there. Every failure but that of memory has a diagnostic, and so
 * has every correction beyond rounding (W0411). The state is left where the start got to. */
ZW_API zw_status zw_sim_start(zw_sim *sim, bool accept_inconsistent);

/* q and v [n]; either may be NULL: not changed, not wanted. */
ZW_API zw_status zw_sim_set_state(zw_sim *sim, double t, const double *q, const double *v);
ZW_API zw_status zw_sim_state(const zw_sim *sim, double *t, double *q, double *v);

/* Changes single values of the state, "x = 1, r' = [0, 0, 1]"; corrects nothing. */
ZW_API zw_status zw_sim_assign(zw_sim *sim, const char *assignments);

/* The acceleration at any (t, q [n], v [n]); z [n]. Corrects nothing, keeps the simulation's own
 * state, takes no memory. ZW_ERR_LARGE beyond the reach of the dense solver (2000 coordinates or
 * rows). */
ZW_API zw_status zw_sim_acceleration(zw_sim *sim, double t, const double *q, const double *v,
                                     double *z);

/* Everything the equations say at the simulation's state, dense. Set what is wanted. */
typedef struct zw_instant {
    double *M;         /* [n*n] */
    double *Q, *C;     /* [n] */
    double *A;         /* [m*n] */
    double *b;         /* [m] */
    double *W;         /* [m*m] */
    double *value;     /* [m] phi = L - R; NaN for acceleration rows */
    double *rate;      /* [m] its time derivative at the state's velocity (holonomic rows); of
                          nonholonomic rows phi itself; NaN for acceleration rows */
    bool has_C, has_W; /* written: the model has nonideal or weight statements */
} zw_instant;
ZW_API zw_status zw_sim_instant(zw_sim *sim, zw_instant *instant);

/* What the model is: coordinates, degrees of freedom, constraints, redundancy, conflicts, start; as
 * text or JSON. Runs zw_sim_start itself and returns its status. Remarks go to the context's
 * diagnostics, too. A start that was refused is reported all the same: only running out of memory
 * leaves the report unwritten. */
ZW_API zw_status zw_sim_check(zw_sim *sim, bool accept_inconsistent, zw_report_form form,
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

#ifdef __cplusplus
}
#endif
#endif
