/*
 * Rates and projection of a crowd, members of an ensemble side by side, over the fused programs.
 * Compiled once for each width and instruction set: ZR_WIDTH lanes are ZR_VECTORS vectors of
 * ZR_VECTOR doubles; all give the same bits (layer.cmake).
 *
 *     y = (q, v, works)   y' = (v, z, powers)   then onto the constraints: positions, velocities
 *
 * What rates.c, roads.c and road_fused.c do for one state is done here for all lanes at once, with
 * masks where they decide. A member who would leave the fused road, or for whom the stepper would
 * have to mind noise, is refused: it is run alone, from its start.
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

/* Vector p of entry i, whose ZR_WIDTH numbers stand side by side. */
INLINE vec get_lane_vector(const double *x, int32_t i, int p)
{
    return ((const vec *)(const void *)x)[i * ZR_VECTORS + p];
}

INLINE void put_lane_vector(double *x, int32_t i, int p, vec value)
{
    ((vec *)(void *)x)[i * ZR_VECTORS + p] = value;
}

/* The bit of each lane of vector p. */
INLINE mask spread_lane_bits(int p)
{
    mask m;
    for (int l = 0; l < ZR_VECTOR; l++) m[l] = INT64_C(1) << (p * ZR_VECTOR + l);
    return m;
}

/* Of a mask for vector p: the bits of the lanes where it is set. */
INLINE uint32_t collect_lane_bits(mask m, int p)
{
    int64_t bits = 0;
    m &= spread_lane_bits(p);
    for (int l = 0; l < ZR_VECTOR; l++) bits |= m[l];
    return (uint32_t)bits;
}

/* t [ZR_WIDTH], y [(2 n + works) * ZR_WIDTH]; outputs are in a->frame.out. */
INLINE void evaluate_crowd(zr_crowd *a, const zk_program *program, const double *t, const double *y)
{
    a->frame.time = t;
    a->frame.position = y;
    a->frame.velocity = y + a->n * ZR_WIDTH;
    zk_evaluate_frame(program, ZR_WIDTH, a->evaluator, &a->frame);
}

/* ----------------------------------------------------------------------- rates */

/* zi_crowd.rates. Refused: the guard is beyond the limit, or an acceleration is not finite. */
static uint32_t compute_crowd_rates(void *user, uint32_t active, const double *t, const double *y,
                                    double *dy)
{
    zr_crowd *a = user;
    const zr_fused_places *at = &a->fused->places;
    const double *out = a->frame.out;
    int32_t n = a->n;
    uint32_t refused = 0;
    vec sum[ZR_VECTORS] = {{0}};
    if (a->polled && zr_is_crowd_over(a)) return active;
    evaluate_crowd(a, a->fused->acceleration, t, y);
    for (int32_t i = 0; i < n; i++)
        for (int p = 0; p < ZR_VECTORS; p++) {
            vec z = get_lane_vector(out, at->z + i, p);
            put_lane_vector(dy, i, p, get_lane_vector(y, n + i, p));
            put_lane_vector(dy, n + i, p, z);
            sum[p] += z;
        }
    for (int32_t k = 0; k < at->powers; k++)
        for (int p = 0; p < ZR_VECTORS; p++)
            put_lane_vector(dy, 2 * n + k, p, get_lane_vector(out, at->power + k, p));
    for (int p = 0; p < ZR_VECTORS; p++) {
        mask finite = sum[p] - sum[p] == 0.0; /* NOLINT: NaN where one is not finite */
        mask good = (get_lane_vector(out, at->guard, p) <= a->limit) & finite;
        refused |= collect_lane_bits(~good, p);
    }
    return refused & active;
}

/* ------------------------------------------------------------------ projection */

/* Where the corrections of a side stand: bits of lanes. */
typedef struct correction {
    uint32_t open;          /* not decided yet */
    uint32_t stalled;       /* those of them that steps no longer help */
    uint32_t failed;        /* refused */
    vec before[ZR_VECTORS]; /* the largest residual of the round before */
} correction;

/* The tests of newton.h on the outputs of `look` or `step`: lanes that are met are closed, those
 * that no longer get better are stalled. */
INLINE void test_residuals(const zr_crowd *a, const zr_fused_side *side, correction *x)
{
    const double *out = a->frame.out;
    uint32_t slow = 0, met = 0;
    for (int p = 0; p < ZR_VECTORS; p++) {
        vec off = get_lane_vector(out, side->off, p);
        mask stays = ~(off <= zr_newton_contracts * x->before[p]);
        slow |= collect_lane_bits(stays, p);
        met |= collect_lane_bits((off <= zr_newton_met) | (stays & (off <= zr_newton_close)), p);
        x->before[p] = off;
    }
    x->open &= ~met;
    x->stalled = x->open & slow;
}

/* Lanes whose guard says that the step is not sound are refused. */
INLINE void refuse_unsound(const zr_crowd *a, const zr_fused_side *side, correction *x)
{
    uint32_t good = 0;
    for (int p = 0; p < ZR_VECTORS; p++)
        good |=
            collect_lane_bits(get_lane_vector(a->frame.out, side->guard, p) <= zr_fused_guard, p);
    x->failed |= x->open & ~good;
    x->open &= good;
}

/* Lanes that steps no longer help: met to rounding of what their rows touch, or refused. */
static void decide_stalled(zr_crowd *a, zr_order order, const double *t, const double *y,
                           correction *x)
{
    const zr_fused_side *side = &a->fused->side[order];
    const zw_model *model = a->worker->crew->model;
    const double *at = order == ZR_POSITION ? y : y + a->n * ZR_WIDTH, *out = a->frame.out;
    evaluate_crowd(a, a->fused->acceleration, t, y);
    memcpy(a->A, out + a->fused->places.A * ZR_WIDTH,
           sizeof *a->A * ZR_WIDTH * (size_t)model->A.count);
    evaluate_crowd(a, side->look, t, y);
    for (int32_t l = 0; l < ZR_WIDTH; l++) {
        zr_fused_left left = {out + side->residual * ZR_WIDTH + l,
                              out + side->magnitude * ZR_WIDTH + l, a->A + l, at + l, ZR_WIDTH};
        bool stalled = (x->stalled >> l & 1u) != 0;
        if (stalled && !zr_fused_good_enough(model, side, &left)) x->failed |= 1u << l;
    }
    x->open &= ~x->stalled;
}

/* x [n] of the lanes that are open becomes what the step says. */
INLINE void move_open_lanes(const zr_crowd *a, const zr_fused_side *side, uint32_t open, double *x)
{
    for (int p = 0; p < ZR_VECTORS; p++) {
        mask bits = spread_lane_bits(p), m = (((mask){0} + (int64_t)open) & bits) == bits;
        for (int32_t i = 0; i < a->n; i++) {
            mask new = (mask)get_lane_vector(a->frame.out, side->x + i, p),
                 old = (mask)get_lane_vector(x, i, p);
            put_lane_vector(x, i, p, (vec)((new &m) | (old & ~m)));
        }
    }
}

/* Positions or velocities of active lanes onto the constraints; returns those that are refused. */
INLINE uint32_t correct_crowd(zr_crowd *a, zr_order order, uint32_t active, const double *t,
                              double *y)
{
    const zr_fused_side *side = &a->fused->side[order];
    double *x = order == ZR_POSITION ? y : y + a->n * ZR_WIDTH;
    correction now = {.open = active};
    if (side->rows == 0) return 0;
    for (int p = 0; p < ZR_VECTORS; p++) now.before[p] = HUGE_VAL - (vec){0};
    for (int round = 0; round < zr_fused_rounds && now.open; round++) {
        evaluate_crowd(a, round == 0 ? side->step : side->look, t, y);
        test_residuals(a, side, &now);
        bool stepped = round == 0 && !now.stalled; /* the step's outputs are there */
        if (now.stalled) decide_stalled(a, order, t, y, &now);
        if (!now.open) break;
        if (!stepped) evaluate_crowd(a, side->step, t, y);
        refuse_unsound(a, side, &now);
        move_open_lanes(a, side, now.open, x);
    }
    return now.failed | now.open;
}

/* zi_crowd.project: positions, then velocities of whoever is left. */
static uint32_t project_crowd(void *user, uint32_t active, const double *t, double *y)
{
    zr_crowd *a = user;
    uint32_t lost = correct_crowd(a, ZR_POSITION, active, t, y);
    if (lost == active) return lost;
    return lost | correct_crowd(a, ZR_VELOCITY, active & ~lost, t, y);
}

extern const zr_crowd_functions ZR_PASTE_1(zr_crowd_functions_, ZR_VARIANT, ZR_WIDTH);
const zr_crowd_functions ZR_PASTE_1(zr_crowd_functions_, ZR_VARIANT,
                                    ZR_WIDTH) = {compute_crowd_rates, project_crowd};
