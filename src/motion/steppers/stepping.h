/*
 * What the steppers share: rows of numbers, linear combinations of stages, weighted norms. Seen by
 * nobody outside this layer.
 *
 * Arrays of a stepper are rows of `stride` doubles, the size rounded up to a multiple of 4. What is
 * beyond `size` in a row is zero and stays so: loops run over whole blocks and have no remainder.
 * All sums run over 4 accumulators in a fixed order, so that bits do not depend on the compiler.
 */
#ifndef ZI_STEPPING_H
#define ZI_STEPPING_H

#include "motion.h"

enum { zi_lanes = 4, zi_most_terms = 12 };

/* 4 doubles of a row, the lanes of a register with AVX2. */
typedef double zi_vector __attribute__((vector_size(32), aligned(8), may_alias));

/* Accumulators are added up in this order. */
#define ZI_TOTAL(sum) (((sum)[0] + (sum)[1]) + ((sum)[2] + (sum)[3]))

/* bdf.c, or bdf_none.c in builds without SUNDIALS: then NULL. */
const zi_method *zi_bdf_method(void);
extern const zi_method zi_rk4, zi_gauss16;

/* Tolerances and an end that a start at t goes with; NaN is refused. */
bool zi_settings_fit(const zi_settings *settings, double t);

/* ---------------------------------------------------------------------- rows */

static inline double *zi_row(const zi_stepper *s, int32_t row)
{
    return s->k + (size_t)row * (size_t)s->stride;
}

/* Makes room for `rows` rows in k, all zero, behind y_old and y. */
zw_status zi_take_rows(zi_stepper *s, int32_t rows);

/* A step to t_new with the state y_new [stride] was accepted. */
void zi_accept(zi_stepper *s, double t_new, const double *y_new);

/* No step lies behind the stepper any more; t and y stay. */
void zi_forget_step(zi_stepper *s);

static inline void zi_copy(const zi_stepper *s, double *to, const double *from)
{
    for (int32_t i = 0; i < s->stride; i += zi_lanes)
        *(zi_vector *)(to + i) = *(const zi_vector *)(from + i);
}

/* The row holds numbers only. */
bool zi_finite(const zi_stepper *s, const double *row);

/* f into a row of k, counted. */
static inline zw_status zi_rates(zi_stepper *s, double t, const double *y, double *dy)
{
    s->counts.evaluations++;
    return s->system.rates(s->system.user, t, y, dy);
}

/* The same; a result that is not finite is ZW_ERR_NOT_FINITE. */
zw_status zi_finite_rates(zi_stepper *s, double t, const double *y, double *dy);

/* -------------------------------------------------------------- combinations */

/* sum of a[j] k[row[j]], j < count, in this order; c: the time of the stage in units of h. */
typedef struct zi_terms {
    double c;
    int32_t count;
    int32_t row[zi_most_terms];
    double a[zi_most_terms];
} zi_terms;

/* The stages of rk4 after the first, then its step. */
enum { zi_rk4_term_count = 4 };
extern const zi_terms zi_rk4_terms[zi_rk4_term_count];

/* out = y + h * sum. out is none of the others. */
void zi_combine(const zi_stepper *s, const zi_terms *terms, const double *y, double h, double *out);

/* out = h * sum */
void zi_sum(const zi_stepper *s, const zi_terms *terms, double h, double *out);

/* Evaluates one stage: its argument into `argument`, f into k[row]. */
zw_status zi_stage(zi_stepper *s, const zi_terms *terms, double h, double *argument, int32_t row);

/* The scale of errors: absolute and relative part, both positive. */
typedef struct zi_scale {
    double absolute, relative;
} zi_scale;
zi_scale zi_find_scale(const zi_settings *settings);

/* ---------------------------------------------------------------------- sizes */

/* Rows of sizes: absolute tolerances; then, where they come from sizes: the largest so far, floors,
 * roots of inertias and islands, sums over islands. */
enum { zi_at_absolute, zi_at_reach, zi_at_floor, zi_at_inertia, zi_at_sum, zi_size_rows };

/* Keeps 0/0 out of norms. */
static const double zi_least_absolute = 1e-280;

/* The rows of one member, entry i at [i * step]. */
typedef struct zi_sizes {
    int32_t controlled, half; /* half: of them, positions */
    size_t step;
    double relative; /* of the reach, that becomes absolute */
    double *absolute, *reach, *floor;
    double *root, *island;        /* [half] the square root of an inertia */
    double *speed_sum, *size_sum; /* [half] scratch, for each island */
    const int32_t *order;         /* [added] of coordinates in sums; NULL: as they stand */
    int32_t added;
} zi_sizes;

/* From the row of absolute tolerances on; `stride` doubles a row. */
zi_sizes zi_place_sizes(double *first, size_t stride, size_t step, int32_t controlled,
                        double relative);
/* A member that begins: nothing is known but inertias, islands and mask [half], each may be
 * NULL. Rows hold
 * `rows` entries, those beyond the controlled ones as well. */
void zi_begin_sizes(const zi_sizes *z, int32_t rows, const double *inertia, const double *island,
                    const double *mask);
/* The member is, or was, at y. */
void zi_reach(const zi_sizes *z, const double *y);
/* What lies before a step of about h from where rates are f; longest: of the steps so far. */
typedef struct zi_outlook {
    const double *f, *pushes; /* pushes: of the system; NULL: not known */
    double h, longest, noise; /* noise: relative, of the rates */
} zi_outlook;
void zi_find_floors(const zi_sizes *z, const zi_outlook *o);
/* Of the stepper, rates f at its state. */
void zi_find_stepper_floors(zi_stepper *s, const double *f, double h);
/* Floors are found anew after so many steps. */
static inline bool zi_floors_due(int64_t steps)
{
    return (steps & (steps - 1)) == 0;
}
/* A short step for a look ahead; left: until the end. */
double zi_short_step(const zi_sizes *z, const double *f, double left);
/* The first step of a method of an order, from the rates f here and `ahead` after the short step
 * h. */
double zi_first_step(const zi_sizes *z, const double *y, const double *f, const double *ahead,
                     double h, int32_t order);

/* The rows of a stepper. */
zi_sizes zi_stepper_sizes(const zi_stepper *s);
/* When a stepper opens: its rows begin at `row`. */
void zi_open_sizes(zi_stepper *s, int32_t row);

/* --------------------------------------------------------- first_step.c: beginnings */

/* What a guess of the first step needs: f(t, y), which components count, the order of the method;
 * scratch rows: an argument, f there, weights. */
typedef struct zi_about_start {
    const double *f, *mask;
    double *argument, *ahead, *weight;
    int32_t order;
} zi_about_start;
double zi_guess_step(zi_stepper *s, const zi_about_start *x);
/* A run begins where `project` brings its start. y: scratch. */
void zi_settle_start(zi_stepper *s, double *y);
/* The shortest step: some units in the last place of t. */
double zi_shortest_step(const zi_stepper *s);
/* Where an attempt of length s->h ends. The end is met exactly; what would be left of the way when
 * it is less than another step is split evenly. h is what t and that end really differ by. */
double zi_choose_end(const zi_stepper *s);
/* Whether an attempt was noisy enough for another one with every stage on the constraints. */
bool zi_should_be_careful(const zi_stepper *s);
bool zi_is_careful(const zi_stepper *s);
void zi_set_careful(zi_stepper *s, bool on);

/* sqrt(squares / counted); the sum of (weight * (a - b))^2, as zi_squares. */
double zi_mean_root(const zi_stepper *s, double squares);
double zi_square_difference(const zi_stepper *s, const double *weight, const double *a,
                            const double *b);

/* Weights mask / (absolute + relative * max(|a|, |b|)). */
void zi_weigh(const zi_stepper *s, const double *mask, const double *a, const double *b,
              double *weight); /* absolute: the row of sizes */

/* The sum of (weight * x)^2 over the row. A NaN or infinity in x anywhere makes it NaN. */
double zi_squares(const zi_stepper *s, const double *weight, const double *x);
double zi_squares_in_order(const zi_stepper *s, const double *weight, const double *a,
                           const double *b);

#endif
