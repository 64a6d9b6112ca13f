/*
 * What all methods share: opening and closing, memory, restart, saving and loading, and the ends of
 * dense output.
 *
 * A stepper owns two blocks of memory: itself, and one array of doubles with the rows y_old, y and
 * those of the method in k. Nothing points into another stepper, so its numbers can be copied.
 */
#include <float.h>
#include <string.h>

#include "stepping.h"

enum { alignment = 64 };

/* ---------------------------------------------------------------------- rows */

/* Points y_old, y and the rows of k into the block. */
static void place_stepper_rows(zi_stepper *s)
{
    s->y_old = s->block;
    s->y = s->block + s->stride;
    s->k = s->block + 2 * s->stride;
}

/* Bytes of a block and of the way to a multiple of 64. */
static size_t block_bytes(size_t block_size)
{
    return zb_sum(zb_product(block_size, sizeof(double)), alignment);
}

static void free_rows(zi_stepper *s)
{
    if (s->taken) zb_resize(s->memory, s->taken, block_bytes(s->block_size), 0);
    s->taken = NULL;
}

/* The block of `rows` more rows than y_old and y; what is new is zero. */
zw_status zi_take_rows(zi_stepper *s, int32_t rows)
{
    size_t size = zb_product((size_t)rows + 2, (size_t)s->stride);
    char *taken = zb_resize(s->memory, NULL, 0, block_bytes(size));
    if (!taken) return s->memory->failure;
    double *block = (double *)(void *)(taken + (alignment - (uintptr_t)taken % alignment));
    for (size_t i = 0; i < size; i++) block[i] = i < s->block_size ? s->block[i] : 0.0;
    free_rows(s);
    s->taken = taken;
    s->block = block;
    s->block_size = size;
    place_stepper_rows(s);
    return ZW_OK;
}

/* 0 times a number is 0; 0 times an infinity or NaN is NaN, and so is the sum. */
bool zi_finite(const zi_stepper *s, const double *row)
{
    zi_vector zero = {0};
    for (int32_t i = 0; i < s->stride; i += zi_lanes) zero += 0.0 * *(const zi_vector *)(row + i);
    return ZI_TOTAL(zero) == 0.0;
}

zw_status zi_finite_rates(zi_stepper *s, double t, const double *y, double *dy)
{
    ZB_TRY(zi_rates(s, t, y, dy));
    return zi_finite(s, dy) ? ZW_OK : ZW_ERR_NOT_FINITE;
}

/* What was the state becomes y_old; dense output of the new step has to be prepared anew. */
void zi_accept(zi_stepper *s, double t_new, const double *y_new)
{
    double h = t_new - s->t;
    zi_copy(s, s->y_old, s->y);
    zi_copy(s, s->y, y_new);
    s->t_old = s->t;
    s->t = t_new;
    if (s->counts.steps == 0 || h < s->counts.smallest) s->counts.smallest = h;
    if (h > s->counts.largest) s->counts.largest = h;
    s->counts.steps++;
    s->dense_ready = false;
    if (s->size_row == 0 || !s->settings.sized) return;
    zi_sizes z = zi_stepper_sizes(s);
    zi_reach(&z, s->y);
}

/* A step of length 0 lies behind: dense output then gives y itself. */
void zi_forget_step(zi_stepper *s)
{
    s->t_old = s->t;
    zi_copy(s, s->y_old, s->y);
    s->dense_ready = false;
}

/* ------------------------------------------------------------- open and close */

/* Comparisons refuse NaN. */
bool zi_settings_fit(const zi_settings *settings, double t)
{
    return settings->tol >= 0.0 && settings->tol < 1e100 && settings->abs_tol >= 0.0 &&
           settings->abs_tol < 1e100 && settings->end >= t && t - t == 0.0;
}

/* Both states are the given one, then the method takes its own memory. */
static zw_status start_stepper(zi_stepper *s, const double *y)
{
    ZB_TRY(zi_take_rows(s, 0));
    for (int32_t i = 0; i < s->system.size; i++) s->y_old[i] = s->y[i] = y[i];
    return s->method->open(s);
}

/* What is refused: sizes that do not fit each other, tolerances that are negative or no numbers, an
 * end before the start. */
zw_status zi_open(zb_memory *memory, const zi_method *method, const zi_system *system,
                  const zi_settings *settings, double t, const double *y, zi_stepper **stepper)
{
    if (system->size < 0 || system->controlled < 0 || system->controlled > system->size ||
        system->size > INT32_MAX - zi_lanes || !zi_settings_fit(settings, t))
        return ZW_ERR_ARGUMENT;
    zi_stepper *s = zb_resize(memory, NULL, 0, sizeof *s);
    if (!s) return memory->failure;
    int32_t blocks = system->size / zi_lanes + (system->size % zi_lanes != 0);
    *s = (zi_stepper){.system = *system,
                      .settings = *settings,
                      .method = method,
                      .memory = memory,
                      .stride = blocks > 0 ? blocks * zi_lanes : zi_lanes,
                      .wide = zb_cpu() >= ZB_CPU_AVX2,
                      .t_old = t,
                      .t = t};
    if (!system->mask) s->system.counted = system->controlled;
    zw_status status = start_stepper(s, y);
    s->system.mask = s->system.inertia = s->system.island = NULL;
    if (status != ZW_OK) {
        zi_close(s);
        return status;
    }
    *stepper = s;
    return ZW_OK;
}

/* A method's close comes first, for it may point into the rows. */
void zi_close(zi_stepper *s)
{
    if (!s) return;
    if (s->method->close) s->method->close(s);
    free_rows(s);
    zb_resize(s->memory, s, sizeof *s, 0);
}

/* -------------------------------------------------------------------- motion */

/* History, stiffness and the known rates are forgotten; counts and memory stay. */
zw_status zi_restart(zi_stepper *s, double t, const double *y)
{
    if (!(s->settings.end >= t) || !(t - t == 0.0)) return ZW_ERR_ARGUMENT;
    for (int32_t i = 0; i < s->system.size; i++) s->y[i] = y[i];
    s->t = t;
    zi_forget_step(s);
    s->h = 0.0;
    s->error_old = 0.0;
    s->stiff_hits = s->stiff_misses = 0;
    s->stiff = s->rejected = s->first_known = false;
    return s->method->restart ? s->method->restart(s) : ZW_OK;
}

/* The history of a method of several steps is one of the old rates. */
zw_status zi_renew(zi_stepper *s, const double *y)
{
    for (int32_t i = 0; i < s->system.size; i++) s->y[i] = y[i];
    zi_forget_step(s);
    s->first_known = false;
    bool one_step = s->method->pair || s->method->fixed;
    return one_step || !s->method->restart ? ZW_OK : s->method->restart(s);
}

zw_status zi_step(zi_stepper *s)
{
    if (!(s->t < s->settings.end)) return ZW_ERR_ARGUMENT;
    return s->method->step(s);
}

/* Both ends are the states themselves, to the bit; the method interpolates between them. */
zw_status zi_dense(zi_stepper *s, double t, double *y)
{
    if (!(s->t_old <= t && t <= s->t)) return ZW_ERR_ARGUMENT;
    const double *end = t == s->t ? s->y : t == s->t_old ? s->y_old : NULL;
    if (!end) return s->method->dense(s, t, y);
    for (int32_t i = 0; i < s->system.size; i++) y[i] = end[i];
    return ZW_OK;
}

/* ------------------------------------------------------------- save and load */

/* What is saved of a stepper besides its rows. */
typedef struct saved {
    double t_old, t, h, error_old;
    zi_counts counts;
    int64_t stiff_hits, stiff_misses;
    int64_t stiff, rejected, first_known, dense_ready; /* bool; whole words leave no gaps */
} saved;

size_t zi_saved_size(const zi_stepper *s)
{
    return s->method->restores ? sizeof(saved) + s->block_size * sizeof(double) : 0;
}

/* A fixed header, then all rows: nothing in them is a pointer. */
void zi_save(const zi_stepper *s, void *bytes)
{
    if (!s->method->restores) return;
    saved x = {.t_old = s->t_old,
               .t = s->t,
               .h = s->h,
               .error_old = s->error_old,
               .counts = s->counts,
               .stiff_hits = s->stiff_hits,
               .stiff_misses = s->stiff_misses,
               .stiff = s->stiff,
               .rejected = s->rejected,
               .first_known = s->first_known,
               .dense_ready = s->dense_ready};
    memcpy(bytes, &x, sizeof x);
    memcpy((char *)bytes + sizeof x, s->block, s->block_size * sizeof(double));
}

/* The same from bytes; the stepper has the memory already. */
void zi_load(zi_stepper *s, const void *bytes)
{
    if (!s->method->restores) return;
    saved x;
    memcpy(&x, bytes, sizeof x);
    memcpy(s->block, (const char *)bytes + sizeof x, s->block_size * sizeof(double));
    s->t_old = x.t_old;
    s->t = x.t;
    s->h = x.h;
    s->error_old = x.error_old;
    s->counts = x.counts;
    s->stiff_hits = x.stiff_hits;
    s->stiff_misses = x.stiff_misses;
    s->stiff = x.stiff != 0;
    s->rejected = x.rejected != 0;
    s->first_known = x.first_known != 0;
    s->dense_ready = x.dense_ready != 0;
}
