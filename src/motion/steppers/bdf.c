/*
 * The method bdf, for stiff systems: backward differentiation of order 1 to 5 with variable steps,
 * by CVODE of SUNDIALS 6 (Hindmarsh et al., ACM TOMS 31, 2005), one step at a time.
 *
 *     CVODE's state: what is controlled. Newton with a dense matrix of difference quotients.
 *     projection: inside CVODE's step, as a correction that CVODE adds to its own polynomial, so
 *         that its history follows; our y is what `project` returned, to the bit. A step whose
 *         projection moves the state by more than the tolerance is repeated with a smaller step.
 *     dense output: CVODE's polynomial p, and the straight line that makes it meet both ends,
 *         p(t) + (1 - x) (y_old - p(t_old)) + x (y - p(t_new)),  x = (t - t_old) / h
 *     sums: s(t) = s_old + the integral of the polynomial of degree 4 through the rates at the five
 *         Lobatto points of the step, at which the states are those of the dense output. Over the
 *         whole step this is of order 8. Rates must not depend on the sums.
 *
 * CVODE takes its memory from malloc, outside the budget. Its past cannot be saved, and so a
 * stepper of this method cannot be either.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "stepping.h"

_Static_assert(sizeof(sunrealtype) == sizeof(double), "SUNDIALS is in double precision");

/* `most_fails`: enough to bring a step from any size down to its limit. */
enum { first_order = 2, points = 5, most_fails = 60 };

/* Its square is a number: of a component that has no size yet. */
static const double most_weight = 1e150;

/* Lobatto's points in [0, 1]: both ends, the middle, (1 -+ sqrt(3/7)) / 2. */
static const double point[points] = {0.0, 0.17267316464601143, 0.5, 0.82732683535398857, 1.0};

/* Gauss's three points and weights in [0, 1]: exact for polynomials up to degree 5. */
static const double gauss[3] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double gauss_weight[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

/* Rows of the stepper. */
enum {
    at_next,      /* the end of the step, before it is accepted */
    at_projected, /* what the last projection gave */
    at_full,      /* the argument of an evaluation: controlled and sums */
    at_rate,      /* f there */
    at_gap_old,   /* y_old - p(t_old) */
    at_gap_new,
    at_node, /* f at Lobatto's points of the step */
    at_sizes = at_node + points,
    all_rows = at_sizes + zi_size_rows
};

typedef struct bdf {
    SUNContext context;
    void *cvode;
    N_Vector state; /* over the row at_next: CVODE writes the end of a step there */
    N_Vector seen;  /* over whatever array the polynomial is wanted in */
    SUNMatrix J;
    SUNLinearSolver solver;

    zw_status failure;   /* of the last evaluation in this step that failed */
    int64_t failures;    /* of CVODE's, counted already */
    double t_projected;  /* the last projection in CVODE's step, NaN: none */
    double t_from, t_to; /* the step that the interpolant is for */
    bool ready;          /* the gaps are those of the last step */
    double first;        /* a first step that was given, 0: chosen */
    bool fresh;          /* no step since the start */
    bool line;           /* the last step was rounding only: a straight line */
    bool rate_known;     /* the last node is f(t, y) */
} bdf;

/* ------------------------------------------------------------- evaluations */

static size_t controlled_bytes(const zi_stepper *s)
{
    return (size_t)s->system.controlled * sizeof(double);
}

static bool has_sums(const zi_stepper *s)
{
    return s->system.size > s->system.controlled;
}

/* y [controlled], with the sums of the last accepted state, as a full row. */
static double *fill_full_row(zi_stepper *s, const double *y)
{
    double *full = zi_row(s, at_full);
    zi_copy(s, full, s->y);
    memcpy(full, y, controlled_bytes(s));
    return full;
}

/* y [controlled] onto the constraints, into its row. */
static zw_status project_controlled(zi_stepper *s, double t, const double *y)
{
    double *full = fill_full_row(s, y);
    if (s->system.project) ZB_TRY(s->system.project(s->system.user, t, full));
    if (!zi_finite(s, full)) return ZW_ERR_NOT_FINITE;
    zi_copy(s, zi_row(s, at_projected), full);
    return ZW_OK;
}

/* ---------------------------------------------------- what CVODE calls back */

/* A positive answer asks for a smaller step. */
static int answer_cvode(bdf *b, zw_status status)
{
    if (status == ZW_OK) return 0;
    b->failure = status;
    return 1;
}

/* f of the controlled components, as CVODE asks for it; positive: failed, a smaller step may
 * help. */
static int cvode_rates(sunrealtype t, N_Vector y, N_Vector dy, void *user)
{
    zi_stepper *s = user;
    double *full = fill_full_row(s, N_VGetArrayPointer_Serial(y)), *rate = zi_row(s, at_rate);
    zw_status status = zi_finite_rates(s, t, full, rate);
    memcpy(N_VGetArrayPointer_Serial(dy), rate, controlled_bytes(s));
    return answer_cvode(s->other, status);
}

/* 1/scale of each component, where absolute tolerances come from sizes. */
static int cvode_weights(N_Vector y, N_Vector weight, void *user)
{
    const zi_stepper *s = user;
    double relative = zi_find_scale(&s->settings).relative;
    const double *at = N_VGetArrayPointer_Serial(y), *absolute = zi_row(s, at_sizes);
    double *w = N_VGetArrayPointer_Serial(weight);
    for (int32_t i = 0; i < s->system.controlled; i++)
        w[i] = fmin(1.0 / (absolute[i] + relative * fabs(at[i])), most_weight);
    return 0;
}

/* How far a projection went, in tolerances. */
static double measure_correction(const zi_stepper *s, const double *y, const double *correction)
{
    double relative = zi_find_scale(&s->settings).relative, squares = 0.0;
    const double *absolute = zi_row(s, at_sizes);
    for (int32_t i = 0; i < s->system.controlled; i++) {
        double x = correction[i] / (absolute[i] + relative * fabs(y[i]));
        squares += x * x;
    }
    return sqrt(squares / s->system.controlled);
}

/* CVODE's estimate of the error is left as it is: that of the state before the projection. */
static int cvode_project(sunrealtype t, N_Vector current, N_Vector correction, sunrealtype epsilon,
                         N_Vector error, void *user)
{
    (void)epsilon, (void)error;
    zi_stepper *s = user;
    bdf *b = s->other;
    const double *y = N_VGetArrayPointer_Serial(current), *projected = zi_row(s, at_projected);
    double *change = N_VGetArrayPointer_Serial(correction);
    zw_status status = project_controlled(s, t, y);
    if (status != ZW_OK) return answer_cvode(b, status);
    for (int32_t i = 0; i < s->system.controlled; i++) change[i] = projected[i] - y[i];
    b->t_projected = t;
    return measure_correction(s, y, change) <= 1.0 ? 0 : 1;
}

/* CVODE would print; what it has to say comes back as its return value too. */
static void cvode_says(int code, const char *module, const char *function, char *text, void *user)
{
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

/* --------------------------------------------------------- opening, starting */

/* The objects of SUNDIALS; each is NULL where there was no memory for it. */
static zw_status make_objects(zi_stepper *s, bdf *b)
{
    sunindextype n = s->system.controlled;
    if (SUNContext_Create(NULL, &b->context) != 0) return ZW_ERR_MEMORY;
    b->state = N_VMake_Serial(n, zi_row(s, at_next), b->context);
    b->seen = N_VMake_Serial(n, zi_row(s, at_full), b->context);
    b->J = SUNDenseMatrix(n, n, b->context);
    if (!b->state || !b->seen || !b->J) return ZW_ERR_MEMORY;
    b->solver = SUNLinSol_Dense(b->state, b->J, b->context);
    b->cvode = CVodeCreate(CV_BDF, b->context);
    return b->solver && b->cvode ? ZW_OK : ZW_ERR_MEMORY;
}

/* Only memory can be missing here: what is set is within CVODE's bounds. */
static zw_status set_up_cvode(zi_stepper *s, bdf *b)
{
    void *c = b->cvode;
    zi_scale scale = zi_find_scale(&s->settings);
    int bad = CVodeSetErrHandlerFn(c, cvode_says, NULL);
    bad |= CVodeInit(c, cvode_rates, s->t, b->state);
    bad |= CVodeSetUserData(c, s);
    bad |= s->settings.sized ? CVodeWFtolerances(c, cvode_weights)
                             : CVodeSStolerances(c, scale.relative, scale.absolute);
    bad |= CVodeSetLinearSolver(c, b->solver, b->J);
    bad |= CVodeSetMaxConvFails(c, most_fails);
    bad |= CVodeSetMaxErrTestFails(c, most_fails);
    bad |= CVodeSetStabLimDet(c, SUNTRUE); /* lower order where 3 to 5 are unstable */
    if (s->system.project) {
        bad |= CVodeSetProjFn(c, cvode_project);
        bad |= CVodeSetProjFrequency(c, 1);
        bad |= CVodeSetMaxNumProjFails(c, most_fails);
    }
    return bad == 0 ? ZW_OK : ZW_ERR_MEMORY;
}

/* Sizes at (s->t, s->y); a first step that is not given is chosen from them. */
static zw_status begin_sizes(zi_stepper *s)
{
    bdf *b = s->other;
    zi_sizes z = zi_stepper_sizes(s);
    double *f = zi_row(s, at_node), *ahead = zi_row(s, at_rate), *y = zi_row(s, at_full);
    zi_reach(&z, s->y);
    ZB_TRY(zi_finite_rates(s, s->t, s->y, f));
    double h = b->first;
    if (!(h > 0.0)) {
        h = zi_short_step(&z, f, s->settings.end - s->t);
        for (int32_t i = 0; i < s->stride; i++) y[i] = s->y[i] + h * f[i];
        if (zi_finite_rates(s, s->t + h, y, ahead) == ZW_OK)
            h = zi_first_step(&z, s->y, f, ahead, h, first_order);
        if (CVodeSetInitStep(b->cvode, h) != CV_SUCCESS) return ZW_ERR_MEMORY;
    }
    zi_find_stepper_floors(s, f, h);
    return ZW_OK;
}

/* CVODE from (s->t, s->y) on, without a past. first: a step, 0 or NaN: chosen. */
static zw_status begin_cvode(zi_stepper *s, double first)
{
    bdf *b = s->other;
    b->first = isfinite(first) && first > 0.0 ? first : 0.0;
    zi_copy(s, zi_row(s, at_next), s->y);
    b->fresh = true;
    b->ready = b->line = b->rate_known = false;
    b->failures = 0;
    int bad = CVodeReInit(b->cvode, s->t, b->state);
    bad |= CVodeSetInitStep(b->cvode, b->first);
    return bad == 0 ? ZW_OK : ZW_ERR_MEMORY;
}

/* Rows, our own struct, the objects of SUNDIALS; what is there when one of them fails bdf_close
 * frees. */
static zw_status bdf_open(zi_stepper *s)
{
    if (s->system.controlled < 1) return ZW_ERR_ARGUMENT;
    ZB_TRY(zi_take_rows(s, all_rows));
    bdf *b = zb_resize(s->memory, NULL, 0, sizeof *b);
    if (!b) return s->memory->failure;
    *b = (bdf){.failure = ZW_OK};
    s->other = b;
    zi_copy(s, zi_row(s, at_next), s->y);
    zi_open_sizes(s, at_sizes);
    ZB_TRY(make_objects(s, b));
    ZB_TRY(set_up_cvode(s, b));
    return begin_cvode(s, s->settings.step);
}

/* In the reverse order of their making. */
static void bdf_close(zi_stepper *s)
{
    bdf *b = s->other;
    if (!b) return;
    if (b->cvode) CVodeFree(&b->cvode);
    if (b->solver) SUNLinSolFree(b->solver);
    if (b->J) SUNMatDestroy(b->J);
    if (b->seen) N_VDestroy(b->seen);
    if (b->state) N_VDestroy(b->state);
    if (b->context) SUNContext_Free(&b->context);
    zb_resize(s->memory, b, sizeof *b, 0);
    s->other = NULL;
}

static zw_status bdf_restart(zi_stepper *s)
{
    return begin_cvode(s, 0.0);
}

/* ---------------------------------------------------------- the interpolant */

/* CVODE's polynomial at t into y [controlled]. */
static zw_status evaluate_polynomial(bdf *b, double t, double *y)
{
    N_VSetArrayPointer_Serial(y, b->seen);
    return CVodeGetDky(b->cvode, t, 0, b->seen) == CV_SUCCESS ? ZW_OK : ZW_ERR_STEP;
}

/* Readies the interpolant between (t_from, from) and (t_to, to). */
static zw_status prepare_interpolant(zi_stepper *s, const double *from, const double *to)
{
    bdf *b = s->other;
    double *gap_old = zi_row(s, at_gap_old), *gap_new = zi_row(s, at_gap_new);
    ZB_TRY(evaluate_polynomial(b, b->t_from, gap_old));
    ZB_TRY(evaluate_polynomial(b, b->t_to, gap_new));
    for (int32_t i = 0; i < s->system.controlled; i++) {
        gap_old[i] = from[i] - gap_old[i];
        gap_new[i] = to[i] - gap_new[i];
    }
    b->ready = true;
    return ZW_OK;
}

/* The controlled components at t, x of the way through the step. */
static zw_status interpolate_controlled(zi_stepper *s, double x, double t, double *y)
{
    const double *gap_old = zi_row(s, at_gap_old), *gap_new = zi_row(s, at_gap_new);
    ZB_TRY(evaluate_polynomial(s->other, t, y));
    for (int32_t i = 0; i < s->system.controlled; i++)
        y[i] += (1.0 - x) * gap_old[i] + x * gap_new[i];
    return ZW_OK;
}

/* The weight of each node in the integral from 0 to x: Lagrange's polynomials, by Gauss's formula.
 */
static void find_weights(double x, double *weight)
{
    for (int i = 0; i < points; i++) {
        weight[i] = 0.0;
        for (int g = 0; g < 3; g++) {
            double value = gauss_weight[g] * x;
            for (int j = 0; j < points; j++)
                if (j != i) value *= (x * gauss[g] - point[j]) / (point[i] - point[j]);
            weight[i] += value;
        }
    }
}

/* The sums x of the way through the step into those of y; `from` is the state at its beginning. */
static void interpolate_sums(const zi_stepper *s, double x, const double *from, double *y)
{
    const bdf *b = s->other;
    double weight[points], h = b->t_to - b->t_from;
    find_weights(x, weight);
    for (int32_t i = s->system.controlled; i < s->system.size; i++) {
        double mean = 0.0;
        for (int k = 0; k < points; k++) mean += weight[k] * zi_row(s, at_node + k)[i];
        y[i] = from[i] + h * mean;
    }
}

/* The state at t inside the last step into y [size]: controlled components, then the sums. */
static zw_status bdf_dense(zi_stepper *s, double t, double *y)
{
    bdf *b = s->other;
    double x = (t - s->t_old) / (s->t - s->t_old);
    if (b->line) {
        for (int32_t i = 0; i < s->system.size; i++) y[i] = (1.0 - x) * s->y_old[i] + x * s->y[i];
        return ZW_OK;
    }
    if (!b->ready) ZB_TRY(prepare_interpolant(s, s->y_old, s->y));
    ZB_TRY(interpolate_controlled(s, x, t, y));
    interpolate_sums(s, x, s->y_old, y);
    return ZW_OK;
}

/* ----------------------------------------------------------------- the step */

/* The sums at the end of the step from (s->t, s->y) to (t_to, next), into next. */
static zw_status integrate_sums(zi_stepper *s)
{
    bdf *b = s->other;
    const int last = at_node + points - 1;
    double *next = zi_row(s, at_next), *full = zi_row(s, at_full);
    ZB_TRY(prepare_interpolant(s, s->y, next));
    if (b->rate_known)
        zi_copy(s, zi_row(s, at_node), zi_row(s, last));
    else
        ZB_TRY(zi_finite_rates(s, s->t, s->y, zi_row(s, at_node)));
    b->rate_known = false;
    zi_copy(s, full, s->y);
    for (int k = 1; k < points - 1; k++) {
        double t = b->t_from + point[k] * (b->t_to - b->t_from);
        ZB_TRY(interpolate_controlled(s, point[k], t, full));
        ZB_TRY(zi_finite_rates(s, t, full, zi_row(s, at_node + k)));
    }
    ZB_TRY(zi_finite_rates(s, b->t_to, next, zi_row(s, last)));
    b->rate_known = true;
    interpolate_sums(s, 1.0, s->y, next);
    return zi_finite(s, next) ? ZW_OK : ZW_ERR_NOT_FINITE;
}

/* A step that CVODE has made to t, its end in `next`: onto the constraints, and the sums. */
static zw_status finish_step(zi_stepper *s, double t)
{
    bdf *b = s->other;
    double *next = zi_row(s, at_next);
    b->t_from = s->t, b->t_to = t;
    b->ready = b->line = false;
    if (s->system.project) {
        /* where CVODE meets the end by its polynomial it has not projected there */
        if (!(t == b->t_projected)) ZB_TRY(project_controlled(s, t, next));
        memcpy(next, zi_row(s, at_projected), controlled_bytes(s));
    }
    return has_sums(s) ? integrate_sums(s) : ZW_OK;
}

/* Under this a step is rounding. */
static double least_step(const zi_stepper *s)
{
    return fmax(16.0 * DBL_EPSILON * fabs(s->t), DBL_MIN);
}

/* Attempts of CVODE's that came to nothing since the last look. */
static void count_failures(zi_stepper *s)
{
    bdf *b = s->other;
    long errors = 0, iterations = 0, projections = 0;
    CVodeGetNumErrTestFails(b->cvode, &errors);
    CVodeGetNumStepSolveFails(b->cvode, &iterations);
    if (s->system.project) CVodeGetNumProjFails(b->cvode, &projections);
    s->counts.rejected += errors + iterations + projections - b->failures;
    b->failures = errors + iterations + projections;
}

/* One step of CVODE's, its end in `next`, the time in *t. */
static zw_status advance_cvode(zi_stepper *s, double *t)
{
    bdf *b = s->other;
    double end = s->settings.end;
    double ahead = isfinite(end) ? end : s->t + fmax(1.0, fabs(s->t)); /* bounds the first step */
    b->failure = ZW_OK;
    b->t_projected = (double)NAN;
    CVodeSetMinStep(b->cvode, least_step(s));
    if (isfinite(end) && CVodeSetStopTime(b->cvode, end) != CV_SUCCESS) return ZW_ERR_ARGUMENT;
    int flag = CVode(b->cvode, ahead, b->state, t, CV_ONE_STEP);
    count_failures(s);
    if (flag >= 0) return ZW_OK;
    if (flag == CV_MEM_FAIL) return ZW_ERR_MEMORY;
    return b->failure != ZW_OK ? b->failure : ZW_ERR_STEP;
}

/* CVODE makes its steps smaller by itself; where we cannot finish its step (an evaluation inside
 * it fails), it begins anew with a smaller one. */
static zw_status step_by_cvode(zi_stepper *s)
{
    for (;;) {
        double t = s->t;
        ZB_TRY(advance_cvode(s, &t));
        zw_status status = finish_step(s, t);
        if (status == ZW_OK) return ZW_OK;
        s->counts.rejected++;
        double h = (t - s->t) / 8.0;
        ZB_TRY(begin_cvode(s, h));
        if (!(h > least_step(s))) return status;
    }
}

/* The way to the end when that is rounding only, which CVODE refuses as a first step. */
static zw_status step_line(zi_stepper *s)
{
    bdf *b = s->other;
    double h = s->settings.end - s->t, *next = zi_row(s, at_next);
    const double *rate = zi_row(s, at_rate);
    b->t_from = s->t, b->t_to = s->settings.end;
    ZB_TRY(zi_finite_rates(s, s->t, s->y, zi_row(s, at_rate)));
    for (int32_t i = 0; i < s->system.size; i++) next[i] = s->y[i] + h * rate[i];
    ZB_TRY(project_controlled(s, b->t_to, next));
    memcpy(next, zi_row(s, at_projected), controlled_bytes(s));
    b->line = true;
    return ZW_OK;
}

/* One accepted step, by CVODE unless the way to the end is rounding only. */
static zw_status bdf_step(zi_stepper *s)
{
    bdf *b = s->other;
    double left = s->settings.end - s->t;
    bool rounding = b->fresh && left <= 128.0 * DBL_EPSILON * fabs(s->t);
    if (b->fresh && s->settings.sized) ZB_TRY(begin_sizes(s));
    ZB_TRY(rounding ? step_line(s) : step_by_cvode(s));
    b->fresh = false;
    zi_accept(s, b->t_to, zi_row(s, at_next));
    CVodeGetCurrentStep(b->cvode, &s->h);
    if (s->settings.sized && zi_floors_due(s->counts.steps))
        zi_find_stepper_floors(s, zi_row(s, at_rate), s->h);
    return ZW_OK;
}

static const zi_method method = {
    .name = "bdf",
    .open = bdf_open,
    .close = bdf_close,
    .restart = bdf_restart,
    .step = bdf_step,
    .dense = bdf_dense,
};

const zi_method *zi_bdf_method(void)
{
    return &method;
}
