/*
 * Rates and projection of an ensemble in lanes, over the fused programs. Compiled once for each
 * width and instruction set: ZR_WIDTH lanes are ZR_VECTORS vectors of ZR_VECTOR doubles; all give the
 * same bits (layer.cmake).
 *
 *     y = (q, v, works)   y' = (v, z, powers)   then onto the constraints: positions, velocities
 *
 * What run.c, roads.c and road_fused.c do for one state is done here for all lanes at once, with
 * masks where they decide. A lane that would leave the fused road, or in which the stepper would
 * have to mind noise, is refused.
 */
#include <math.h>
#include <string.h>

#include "crowd_step.h"
#include "newton.h"

#define INLINE static inline __attribute__((always_inline))
#define ZR_PASTE_2(name, variant, width) name##variant##_##width
#define ZR_PASTE_1(name, variant, width) ZR_PASTE_2(name, variant, width)

enum { ZR_VECTORS = ZR_WIDTH / ZR_VECTOR };

typedef double vec __attribute__((vector_size(ZR_VECTOR * 8), aligned(8), may_alias));
typedef int64_t mask __attribute__((vector_size(ZR_VECTOR * 8), aligned(8), may_alias));

/* Part p of the numbers of entry i. */
INLINE vec get(const double *x, int32_t i, int p)
{
    return ((const vec *)(const void *)x)[i * ZR_VECTORS + p];
}

INLINE void put(double *x, int32_t i, int p, vec value)
{
    ((vec *)(void *)x)[i * ZR_VECTORS + p] = value;
}

INLINE mask lane_bits(int p)
{
    mask m;
    for (int l = 0; l < ZR_VECTOR; l++) m[l] = INT64_C(1) << (p * ZR_VECTOR + l);
    return m;
}

INLINE uint32_t bits_of(mask m, int p)
{
    int64_t bits = 0;
    m &= lane_bits(p);
    for (int l = 0; l < ZR_VECTOR; l++) bits |= m[l];
    return (uint32_t)bits;
}

INLINE void run(zr_lanes *a, const zk_program *program, const double *t, const double *y)
{
    a->frame.time = t;
    a->frame.position = y;
    a->frame.velocity = y + a->n * ZR_WIDTH;
    zk_evaluate_frame(program, ZR_WIDTH, a->evaluator, &a->frame);
}

/* ----------------------------------------------------------------------- rates */

static uint32_t rates(void *user, uint32_t active, const double *t, const double *y, double *dy)
{
    zr_lanes *a = user;
    const zr_fused_places *at = &a->fused->places;
    const double *out = a->frame.out;
    int32_t n = a->n;
    uint32_t refused = 0;
    vec sum[ZR_VECTORS] = {{0}};
    if (a->polled && zr_lanes_over(a)) return active;
    run(a, a->fused->acceleration, t, y);
    for (int32_t i = 0; i < n; i++)
        for (int p = 0; p < ZR_VECTORS; p++) {
            vec z = get(out, at->z + i, p);
            put(dy, i, p, get(y, n + i, p));
            put(dy, n + i, p, z);
            sum[p] += z;
        }
    for (int32_t k = 0; k < at->powers; k++)
        for (int p = 0; p < ZR_VECTORS; p++) put(dy, 2 * n + k, p, get(out, at->power + k, p));
    for (int p = 0; p < ZR_VECTORS; p++) {
        mask finite = sum[p] - sum[p] == 0.0; /* NOLINT: NaN where one is not finite */
        mask good = (get(out, at->guard, p) <= a->limit) & finite;
        refused |= bits_of(~good, p);
    }
    return refused & active;
}

/* ------------------------------------------------------------------ projection */

/* What a round of corrections says about each lane. */
typedef struct verdict {
    uint32_t open;    /* lanes not decided yet */
    uint32_t stalled; /* those of them that steps no longer help */
    uint32_t failed;  /* lanes to be sent away */
    vec before[ZR_VECTORS];
} verdict;

/* The tests of newton.h. */
INLINE void judge(const zr_lanes *a, const zr_fused_side *side, verdict *x)
{
    const double *out = a->frame.out;
    uint32_t slow = 0, met = 0;
    for (int p = 0; p < ZR_VECTORS; p++) {
        vec off = get(out, side->off, p);
        mask stays = ~(off <= zr_newton_contracts * x->before[p]);
        slow |= bits_of(stays, p);
        met |= bits_of((off <= zr_newton_met) | (stays & (off <= zr_newton_close)), p);
        x->before[p] = off;
    }
    x->open &= ~met;
    x->stalled = x->open & slow;
}

/* Lanes whose step is not sound are sent away. */
INLINE void guard(const zr_lanes *a, const zr_fused_side *side, verdict *x)
{
    uint32_t good = 0;
    for (int p = 0; p < ZR_VECTORS; p++)
        good |= bits_of(get(a->frame.out, side->guard, p) <= zr_fused_guard, p);
    x->failed |= x->open & ~good;
    x->open &= good;
}

/* Lanes that steps no longer help: met to rounding of what their rows touch, or sent away. */
static void settle(zr_lanes *a, zr_order order, const double *t, const double *y, verdict *x)
{
    const zr_fused_side *side = &a->fused->side[order];
    const zw_model *model = a->worker->crew->model;
    const double *at = order == ZR_POSITION ? y : y + a->n * ZR_WIDTH, *out = a->frame.out;
    run(a, a->fused->acceleration, t, y);
    memcpy(a->A, out + a->fused->places.A * ZR_WIDTH,
           sizeof *a->A * ZR_WIDTH * (size_t)model->A.count);
    run(a, side->look, t, y);
    for (int32_t l = 0; l < ZR_WIDTH; l++) {
        zr_fused_left left = {out + side->residual * ZR_WIDTH + l,
                              out + side->magnitude * ZR_WIDTH + l, a->A + l, at + l, ZR_WIDTH};
        bool stalled = (x->stalled >> l & 1u) != 0;
        if (stalled && !zr_fused_good_enough(model, side, &left)) x->failed |= 1u << l;
    }
    x->open &= ~x->stalled;
}

/* x of the lanes that are open becomes what the step says. */
INLINE void move(const zr_lanes *a, const zr_fused_side *side, uint32_t open, double *x)
{
    for (int p = 0; p < ZR_VECTORS; p++) {
        mask bits = lane_bits(p), m = (((mask){0} + (int64_t)open) & bits) == bits;
        for (int32_t i = 0; i < a->n; i++) {
            mask new = (mask)get(a->frame.out, side->x + i, p), old = (mask)get(x, i, p);
            put(x, i, p, (vec)((new &m) | (old & ~m)));
        }
    }
}

INLINE uint32_t correct(zr_lanes *a, zr_order order, uint32_t active, const double *t, double *y)
{
    const zr_fused_side *side = &a->fused->side[order];
    double *x = order == ZR_POSITION ? y : y + a->n * ZR_WIDTH;
    verdict lane = {.open = active};
    if (side->rows == 0) return 0;
    for (int p = 0; p < ZR_VECTORS; p++) lane.before[p] = HUGE_VAL - (vec){0};
    for (int round = 0; round < zr_fused_rounds && lane.open; round++) {
        run(a, round == 0 ? side->step : side->look, t, y);
        judge(a, side, &lane);
        bool stepped = round == 0 && !lane.stalled; /* the step's outputs are there */
        if (lane.stalled) settle(a, order, t, y, &lane);
        if (!lane.open) break;
        if (!stepped) run(a, side->step, t, y);
        guard(a, side, &lane);
        move(a, side, lane.open, x);
    }
    return lane.failed | lane.open;
}

static uint32_t project(void *user, uint32_t active, const double *t, double *y)
{
    zr_lanes *a = user;
    uint32_t lost = correct(a, ZR_POSITION, active, t, y);
    if (lost == active) return lost;
    return lost | correct(a, ZR_VELOCITY, active & ~lost, t, y);
}

extern const zr_lane_functions ZR_PASTE_1(zr_lane_functions_, ZR_VARIANT, ZR_WIDTH);
const zr_lane_functions ZR_PASTE_1(zr_lane_functions_, ZR_VARIANT, ZR_WIDTH) = {rates, project};
