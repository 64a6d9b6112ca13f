/*
 * Sizes of components, from which absolute tolerances come: so that a motion of micrometres, or of
 * gigametres, is judged as the same motion in metres.
 *
 *     absolute_i = share tol reach_i + floor_i
 *
 * reach is the largest |y_i| so far. It alone would not do: a component that stays at 0 but for
 * rounding, or that a wave has not come to yet, is no smaller for it than what it hangs together
 * with. So there is a floor, some dozen roundings of a natural size. It comes from inertias m_j,
 * for coordinates of different units can be compared by energies only. Over the coordinates j of an
 * island:
 *
 *     S^2 = sum m_j (reach of v_j)^2     R^2 = sum m_j (reach of q_j)^2
 *     floor of v_i = rounding (S + R/T) / sqrt(m_i)     of q_i: T times that
 *
 * T is the longest step so far; what the next step will reach counts as well, and what forces would
 * make of coordinates that nothing holds in the time T: where they balance, rates are their rounding.
 * A coordinate without inertia has its own reach only.
 *
 * The first step comes from times that are made of the same sums: how long accelerations, and their
 * change over a short step, take to make a motion of its size. All this is the same motion in
 * whatever units of coordinates, of time, of energy.
 *
 * Entry i is at [i * step], so that a lane of a crowd is served, too. But for zi_reach nothing here
 * is called in every step.
 */
#include <float.h>

#include "stepping.h"

/* Of the reach: what counts where a component passes 0. */
static const double share = 0.375;
/* Of a natural speed: rounding, and a part of the tolerance. */
static const double part = 0.1;
static const double rounding = 16.0 * DBL_EPSILON;
/* Of forces on what stands still all the same: so much more rounding a solve may make of them. Where
 * nothing moves at all but by the noise which the solve has told of, so many times that. */
static const double standing = 3.0, told = 16.0, still = 1e-9;
/* A look ahead goes so far: of the time of the motion, or of the way where none is known. */
static const double of_motion = 1e-3, of_way = 1e-6, least_way = 1e-12;
/* Nor does it go farther than this part of what there is: it counts as reached. */
static const double of_size = 0.1;

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

/* ---------------------------------------------------------------------- rows */

zi_sizes zi_place_sizes(double *first, size_t stride, size_t step, int32_t controlled,
                        double relative)
{
    int32_t half = controlled / 2;
    double *inertia = first + zi_at_inertia * stride, *sum = first + zi_at_sum * stride;
    return (zi_sizes){.controlled = controlled,
                      .half = half,
                      .step = step,
                      .relative = share * relative,
                      .absolute = first + zi_at_absolute * stride,
                      .reach = first + zi_at_reach * stride,
                      .floor = first + zi_at_floor * stride,
                      .root = inertia,
                      .island = inertia + (size_t)half * step,
                      .speed_sum = sum,
                      .size_sum = sum + (size_t)half * step};
}

/* Without a word every coordinate is an island, without inertia. A root below 0 is that of a
 * coordinate which stands elsewhere, too, and is not to be added up. */
void zi_begin_sizes(const zi_sizes *z, int32_t rows, const double *inertia, const double *island,
                    const double *mask)
{
    for (int32_t i = 0; i < rows; i++) {
        size_t at = (size_t)i * z->step;
        z->reach[at] = z->floor[at] = 0.0;
        z->absolute[at] = zi_least_absolute;
    }
    for (int32_t i = 0; i < z->half; i++) {
        size_t at = (size_t)i * z->step;
        double m = inertia ? inertia[i] : 0.0;
        z->root[at] = m > 0.0 && m < DBL_MAX ? zb_sqrt(m) : 0.0;
        if (mask && mask[i] == 0.0) z->root[at] = -z->root[at];
        z->island[at] = island ? island[i] : i;
    }
}

void zi_open_sizes(zi_stepper *s, int32_t row)
{
    s->size_row = row;
    zi_sizes z = zi_stepper_sizes(s);
    double absolute = zi_find_scale(&s->settings).absolute;
    if (s->settings.sized)
        zi_begin_sizes(&z, s->stride, s->system.inertia, s->system.island, s->system.mask);
    else
        for (int32_t i = 0; i < s->stride; i++) z.absolute[i] = absolute;
}

zi_sizes zi_stepper_sizes(const zi_stepper *s)
{
    zi_sizes z = zi_place_sizes(zi_row(s, s->size_row), (size_t)s->stride, 1, s->system.controlled,
                                zi_find_scale(&s->settings).relative);
    z.order = s->system.order;
    z.added = s->system.counted / 2;
    return z;
}

const double *zi_absolute(const zi_stepper *s)
{
    return zi_row(s, s->size_row);
}

/* --------------------------------------------------------------------- sizes */

/* The absolute tolerance of the entry at a place. */
static void set_absolute(const zi_sizes *z, size_t at)
{
    z->absolute[at] = larger_of(z->relative * z->reach[at] + z->floor[at], zi_least_absolute);
}

void zi_reach(const zi_sizes *z, const double *y)
{
    for (int32_t i = 0; i < z->controlled; i++) {
        size_t at = (size_t)i * z->step;
        z->reach[at] = larger_of(zb_abs(y[at]), z->reach[at]);
        set_absolute(z, at);
    }
}

/* The sums of islands begin with 0. */
static void clear_sums(const zi_sizes *z, double *sum)
{
    for (int32_t i = 0; i < z->half; i++) sum[(size_t)i * z->step] = 0.0;
}

/* Coordinates are added up in the order of the system: of the k-th the index. */
static int32_t count_added(const zi_sizes *z)
{
    return z->order ? z->added : z->half;
}

static int32_t find_added(const zi_sizes *z, int32_t k)
{
    return z->order ? z->order[k] : k;
}

/* Adds m x^2 of coordinate i to the sum of its island. */
static void add_square(const zi_sizes *z, double *sum, int32_t i, double x)
{
    size_t at = (size_t)i * z->step;
    double root = z->root[at] * x;
    if (root == 0.0 || z->root[at] < 0.0) return;
    sum[(size_t)z->island[at] * z->step] += root * root;
}

/* The speed and the size that a coordinate has, or will have after the next step. */
typedef struct scope {
    double speed, size;
} scope;

static scope find_scope(const zi_sizes *z, int32_t i, const zi_outlook *o)
{
    size_t at = (size_t)i * z->step, v = (size_t)(i + z->half) * z->step;
    double speed = larger_of(z->reach[v], o->h * zb_abs(o->f[v]));
    double time = larger_of(o->h, o->longest), size = larger_of(z->reach[at], o->h * speed);
    if (!o->pushes) return (scope){speed, size};
    double pushed = time * o->pushes[i];
    if (speed <= still * pushed) pushed *= larger_of(standing, told * o->noise / rounding);
    return (scope){speed, larger_of(size, time * pushed)};
}

/* Whether forces act, and all speeds, by their energy, are the noise that a solve makes of them. */
static bool is_all_noise(const zi_sizes *z, const zi_outlook *o)
{
    double time = larger_of(o->h, o->longest), moves = 0.0, pushed = 0.0;
    if (!o->pushes) return false;
    for (int32_t i = 0; i < z->half; i++) {
        size_t at = (size_t)i * z->step, v = (size_t)(i + z->half) * z->step;
        double speed = larger_of(z->reach[v], o->h * zb_abs(o->f[v])), root = z->root[at];
        if (root == 0.0 && speed > 0.0) return false;
        moves += root * speed * root * speed;
        pushed += root * o->pushes[i] * root * o->pushes[i];
    }
    return zb_sqrt(moves) <= o->noise * time * zb_sqrt(pushed);
}

/* The natural speed of all islands together, times the root of a mass. */
static double add_up_islands(const zi_sizes *z, double time)
{
    double speed = 0.0, size = 0.0;
    for (int32_t i = 0; i < z->half; i++) {
        speed += z->speed_sum[(size_t)i * z->step];
        size += z->size_sum[(size_t)i * z->step];
    }
    return zb_sqrt(speed) + zb_sqrt(size) / time;
}

void zi_find_floors(const zi_sizes *z, const zi_outlook *o)
{
    double time = larger_of(o->h, o->longest);
    clear_sums(z, z->speed_sum);
    clear_sums(z, z->size_sum);
    for (int32_t k = 0; k < count_added(z); k++) {
        int32_t i = find_added(z, k);
        scope own = find_scope(z, i, o);
        add_square(z, z->speed_sum, i, own.speed);
        add_square(z, z->size_sum, i, own.size);
    }
    double all =
        add_up_islands(z, time); /* what nothing moves and nothing holds may be its rounding */
    for (int32_t i = 0; i < z->half; i++) {
        size_t at = (size_t)i * z->step, v = (size_t)(i + z->half) * z->step;
        size_t island = (size_t)z->island[at] * z->step;
        scope own = find_scope(z, i, o);
        double speed = own.speed, size = own.size, root = zb_abs(z->root[at]);
        double speeds = zb_sqrt(z->speed_sum[island]), sizes = zb_sqrt(z->size_sum[island]);
        if (root > 0.0 && (speeds + sizes) / root < DBL_MAX)
            speed = speeds / root, size = sizes / root;
        z->floor[v] = rounding * (speed + size / time) + part * z->relative * speed;
        if (root > 0.0 && o->pushes && o->pushes[i] == 0.0 &&
            speed + size / time <= 4.0 * rounding * all / root)
            z->floor[v] = rounding * all / root;
        z->floor[at] = time * z->floor[v];
        set_absolute(z, at);
        set_absolute(z, v);
    }
}

void zi_find_stepper_floors(zi_stepper *s, const double *f, double h)
{
    zi_sizes z = zi_stepper_sizes(s);
    zi_outlook o = {.f = f, .h = h, .longest = s->counts.largest};
    if (s->system.pushes) o.pushes = s->system.pushes(s->system.user, s->t, s->y);
    zi_reach(&z, s->y);
    if (s->system.noise && o.pushes) o.noise = *s->system.noise;
    if (o.noise > 0.0 && !is_all_noise(&z, &o)) o.noise = 0.0;
    zi_find_floors(&z, &o);
}

/* ---------------------------------------------------------------- first step */

/* Of all islands the smallest ratio a/b; HUGE: none has one. Both are squares of a norm. */
static double find_least_ratio(const zi_sizes *z, const double *a, const double *b)
{
    double least = DBL_MAX;
    for (int32_t i = 0; i < z->half; i++) {
        size_t at = (size_t)i * z->step;
        if (!(a[at] > 0.0 && b[at] > 0.0)) continue;
        double ratio = zb_sqrt(a[at]) / zb_sqrt(b[at]);
        if (ratio < least) least = ratio;
    }
    return least;
}

/* sqrt(R/A), of a pendulum at its turning point about its period. */
static double find_time_of_motion(const zi_sizes *z, const double *f)
{
    clear_sums(z, z->speed_sum);
    clear_sums(z, z->size_sum);
    for (int32_t k = 0; k < count_added(z); k++) {
        int32_t i = find_added(z, k);
        add_square(z, z->speed_sum, i, f[(size_t)(i + z->half) * z->step]);
        add_square(z, z->size_sum, i, z->reach[(size_t)i * z->step]);
    }
    double ratio = find_least_ratio(z, z->size_sum, z->speed_sum);
    return ratio < DBL_MAX ? zb_sqrt(ratio) : DBL_MAX;
}

/* R/S: how long speeds take to go through what there is. */
static double find_time_of_passing(const zi_sizes *z)
{
    clear_sums(z, z->speed_sum);
    clear_sums(z, z->size_sum);
    for (int32_t k = 0; k < count_added(z); k++) {
        int32_t i = find_added(z, k);
        add_square(z, z->speed_sum, i, z->reach[(size_t)(i + z->half) * z->step]);
        add_square(z, z->size_sum, i, z->reach[(size_t)i * z->step]);
    }
    return find_least_ratio(z, z->size_sum, z->speed_sum);
}

/* Where forces happen to be 0, as an oscillator's in the middle, accelerations tell of no time. */
double zi_short_step(const zi_sizes *z, const double *f, double left)
{
    double time = find_time_of_motion(z, f), way = left < DBL_MAX ? left : 1.0;
    double most = larger_of(of_size * find_time_of_passing(z), least_way * way);
    double h = time < DBL_MAX ? larger_of(of_motion * time, least_way * way) : of_way * way;
    if (time < DBL_MAX && h > most) h = most;
    return h < left ? h : left;
}

/* How long the change B of accelerations over the time h takes to make the speeds that there are,
 * sqrt(S/B), or the sizes, where there are no speeds: (R/B)^(1/3). */
static double find_time_of_change(const zi_sizes *z, const double *f, const double *ahead, double h)
{
    double *change = z->size_sum, *own = z->speed_sum;
    for (int turn = 0; turn < 2; turn++) {
        clear_sums(z, change);
        clear_sums(z, own);
        for (int32_t k = 0; k < count_added(z); k++) {
            int32_t i = find_added(z, k);
            size_t v = (size_t)(i + z->half) * z->step, q = (size_t)i * z->step;
            add_square(z, change, i, (ahead[v] - f[v]) / h);
            add_square(z, own, i, z->reach[turn == 0 ? v : q]);
        }
        double ratio = find_least_ratio(z, own, change);
        if (ratio < DBL_MAX) return turn == 0 ? zb_sqrt(ratio) : zb_exp(zb_log(ratio) / 3.0);
    }
    return DBL_MAX;
}

/* As the error of a step is about (h/time)^order of what moves. What the short step has reached
 * counts as a size from now on: a motion that begins from nothing has no other. */
double zi_first_step(const zi_sizes *z, const double *y, const double *f, const double *ahead,
                     double h, int32_t order)
{
    double time = find_time_of_motion(z, f), change = find_time_of_change(z, f, ahead, h);
    for (int32_t i = 0; i < z->controlled; i++) {
        size_t at = (size_t)i * z->step;
        double there = zb_abs(y[at] + h * ahead[at]);
        if (there < DBL_MAX) z->reach[at] = larger_of(there, z->reach[at]);
    }
    if (change < time) time = change;
    double next = time * zb_exp(zb_log(0.02 * z->relative) / order);
    next = larger_of(next, 1e-3 * h); /* what is at rest has no time of its own */
    return next < 100.0 * h ? next : 100.0 * h;
}
