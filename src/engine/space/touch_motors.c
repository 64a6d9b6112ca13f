/*
 * Motors in contact space. While a mode is looked for it is not known which rows hold, so nobody can
 * say what a motor moves: motors are unknowns there as forces of contacts are, each with a driven row
 * that holds in every mode. With H = A Z_B what unit pushes do to candidates, F = A_c Z what candidates
 * do to driven rows and P = A_c Z_B, all under the other equations alone,
 *
 *     G    H C       forces x of candidates and y of motors, u = C y
 *     E F  E P C     candidates, then driven rows
 *
 * E and C make as many rows of them as forces: motors at limits are constant, of more motors than rows
 * the push of least norm counts, of fewer motors the best of their rows. Units are such that each
 * moves itself by 1. Impacts know nothing of it: motors are no impulses.
 */
#include "touch_motors.h"

#include <math.h>
#include <string.h>

#include "motor_law.h"
#include "touch_blocks.h"

/* ----------------------------------------------------------------------------- memory */

zw_status zr_open_motor_rows(zw_sim *sim)
{
    const zr_drive *d = sim->drive;
    if (!d) return ZW_OK;
    zr_motor_rows *h = sim->contacts->space->motors = ZB_NEW(&sim->arena, zr_motor_rows);
    if (!h) return sim->arena.failure;
    size_t r = (size_t)d->motors->rows, c = (size_t)d->motors->count;
    h->side = ZB_NEW_ARRAY(&sim->arena, int8_t, c);
    h->E = ZB_NEW_ARRAY(&sim->arena, double, r *r);
    h->C = ZB_NEW_ARRAY(&sim->arena, double, c *r);
    h->fixed = ZB_NEW_ARRAY(&sim->arena, double, c);
    h->P = ZB_NEW_ARRAY(&sim->arena, double, r *c);
    h->free = ZB_NEW_ARRAY(&sim->arena, double, r *c);
    return sim->arena.failure;
}

void zr_close_motor_rows(zw_sim *sim)
{
    zr_motor_rows *h = sim->contacts->space->motors;
    if (h) zb_resize(sim->memory, h->numbers, h->room * sizeof *h->numbers, 0);
    if (h) zb_resize(sim->memory, h->held, h->held_room, 0);
}

/* Pieces of h->numbers for `rows` in all, `joints`, and a matrix with all rows and all motors. */
static zw_status reserve_rows(zw_sim *sim, zr_motor_rows *h)
{
    const zr_space *s = sim->contacts->space;
    const zr_motor_law *law = sim->drive->law;
    size_t rows = (size_t)s->rows + (size_t)law->rows, joints = (size_t)s->joints;
    size_t wide = (size_t)s->rows + (size_t)law->count;
    size_t want = rows * rows + rows * wide + rows * joints + 5 * rows + joints;
    if (want > h->room) {
        double *now = zb_resize(sim->memory, h->numbers, h->room * sizeof *now, want * sizeof *now);
        if (!now) return sim->memory->failure;
        h->numbers = now;
        h->room = want;
    }
    if (rows > h->held_room) {
        bool *now = zb_resize(sim->memory, h->held, h->held_room, rows);
        if (!now) return sim->memory->failure;
        h->held = now;
        h->held_room = rows;
    }
    h->G = h->numbers;
    h->X = h->G + rows * rows;
    h->L = h->X + rows * wide;
    h->w = h->L + rows * joints;
    h->size = h->w + rows;
    h->whole = h->size + rows;
    h->weight = h->whole + rows;
    h->lambda0 = h->weight + rows;
    return ZW_OK;
}

/* ----------------------------------------------------------------------- the matrices */

/* Row i of A, masks on, times z [n]. */
static double row_with_mask(const zw_sim *sim, int32_t i, const double *z)
{
    const zr_pattern *A = &sim->model->A;
    double sum = 0.0;
    for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
        sum += sim->contacts->space->A[p] * z[A->column[p]];
    return sum;
}

/* X [candidates + driven rows] * [candidates + motors] = (G H; F P). */
static void write_whole(const zw_sim *sim, const zr_motor_rows *h)
{
    const zr_space *s = sim->contacts->space;
    const zr_drive *d = sim->drive;
    size_t n = (size_t)sim->zm->n;
    int32_t R = s->rows, wide = R + d->law->count;
    for (int32_t a = 0; a < R; a++) {
        for (int32_t b = 0; b < R; b++) h->X[a * wide + b] = s->G[a * R + b];
        for (int32_t k = 0; k < d->law->count; k++)
            h->X[a * wide + R + k] = row_with_mask(sim, s->row[a], d->push_z + (size_t)k * n);
    }
    for (int32_t i = 0; i < d->law->rows; i++) {
        double *x = h->X + (size_t)(R + i) * (size_t)wide;
        for (int32_t b = 0; b < R; b++)
            x[b] = row_with_mask(sim, s->row[b], d->row_z + (size_t)i * n);
        for (int32_t k = 0; k < d->law->count; k++) x[R + k] = d->law->P[i * d->law->count + k];
    }
}

/* P where all candidates hold: those are eliminated from a copy of X, in h->G for the while. */
static void hold_candidates(const zw_sim *sim, const zr_motor_rows *h, double *X)
{
    const zr_space *s = sim->contacts->space;
    const zr_motor_law *law = sim->drive->law;
    int32_t R = s->rows, rows = R + law->rows, wide = R + law->count;
    bool *done = h->held;
    memset(done, 0, (size_t)rows);
    for (int32_t step = 0; step < R; step++) {
        int32_t best = -1;
        double part = 1e-10;
        for (int32_t a = 0; a < R; a++) {
            double x = s->whole[a] > 0.0 ? X[a * wide + a] / s->whole[a] : 0.0;
            if (!done[a] && x > part) part = x, best = a;
        }
        if (best < 0) return;
        done[best] = true;
        for (int32_t i = 0; i < rows; i++) {
            double factor = X[i * wide + best] / X[best * wide + best];
            if ((i < R && done[i]) || factor == 0.0) continue;
            for (int32_t j = 0; j < wide; j++) X[i * wide + j] -= factor * X[best * wide + j];
        }
    }
}

/* P with all candidates holding, into law->P; X is written anew afterwards. */
static void find_held_reach(const zw_sim *sim, const zr_motor_rows *h)
{
    zr_motor_law *law = sim->drive->law;
    int32_t R = sim->contacts->space->rows, wide = R + law->count;
    hold_candidates(sim, h, h->X);
    for (int32_t i = 0; i < law->rows; i++)
        for (int32_t k = 0; k < law->count; k++)
            law->P[i * law->count + k] = h->X[(R + i) * wide + R + k];
}

/* Whether motor k moves a driven row by P of the law. */
static bool does_reach(const zr_motor_law *law, int32_t k)
{
    for (int32_t i = 0; i < law->rows; i++)
        if (fabs(law->P[i * law->count + k]) > 1e-7 * law->row_scale[i] * law->motor_scale[k])
            return true;
    return false;
}

/* P to choose pushes by: that of the equations alone; where it does not move all rows, or contacts may hold what motors at
 * limits press against, with all candidates holding. */
static void choose_reference(const zw_sim *sim, zr_motor_rows *h)
{
    zr_motor_law *law = sim->drive->law;
    int32_t count = law->count, most = law->rows < count ? law->rows : count;
    size_t bytes = sizeof(double) * (size_t)(law->rows * count);
    int32_t rank = zr_motor_rank(law);
    bool limited = false;
    for (int32_t k = 0; k < count; k++) limited = limited || h->side[k] != ZR_INSIDE;
    memcpy(h->P, law->P, bytes);
    memcpy(h->free, law->P, bytes);
    if (rank >= most && !limited) return;
    find_held_reach(sim, h);
    bool better = zr_motor_rank(law) > rank;
    for (int32_t k = 0; k < count; k++)
        for (int32_t i = 0; (better || (limited && does_reach(law, k))) && i < law->rows; i++)
            h->P[i * count + k] = law->P[i * count + k];
    memcpy(law->P, h->free, bytes);
    write_whole(sim, h);
}

double zr_response_beside_driven(const zw_sim *sim, int32_t i)
{
    const zr_space *s = sim->contacts->space;
    const zr_drive *d = sim->drive;
    double left = zr_own_response(s, i);
    if (!s->motors) return left;
    int32_t rows = d->law->rows;
    double *S = s->motors->E, *x = s->motors->C, *f = s->motors->P; /* scratch here */
    memcpy(S, d->S, sizeof *S * (size_t)rows * (size_t)rows);
    for (int32_t k = 0; k < rows; k++)
        x[k] = f[k] = row_with_mask(sim, s->row[i], d->row_z + (size_t)k * (size_t)sim->zm->n);
    if (!zr_solve_small(S, x, rows)) return left;
    for (int32_t k = 0; k < rows; k++) left -= f[k] * x[k];
    return left;
}

/* ------------------------------------------------------------------------- E and C */

/* E: driven rows, or, of fewer free motors, P^T W; C: W^-1 P^T, or the motors. Not yet in their units. */
static void choose_pushes(const zw_sim *sim, zr_motor_rows *h)
{
    const zr_motor_law *law = sim->drive->law;
    int32_t rows = law->rows, count = law->count, free = 0;
    for (int32_t k = 0; k < count; k++) free += h->side[k] == ZR_INSIDE;
    h->rows = free < rows ? free : rows;
    memset(h->E, 0, sizeof *h->E * (size_t)(rows * rows));
    memset(h->C, 0, sizeof *h->C * (size_t)(count * rows));
    for (int32_t i = 0; free >= rows && i < rows; i++) {
        h->E[i * rows + i] = 1.0;
        for (int32_t k = 0; k < count; k++)
            if (h->side[k] == ZR_INSIDE) h->C[k * rows + i] = h->P[i * count + k] / law->weight[k];
    }
    for (int32_t k = 0, c = 0; free < rows && k < count; k++) {
        if (h->side[k] != ZR_INSIDE) continue;
        h->C[k * rows + c] = 1.0;
        for (int32_t i = 0; i < rows; i++)
            for (int32_t j = 0; j < rows; j++)
                h->E[c * rows + j] += h->P[i * count + k] * law->W[i * rows + j];
        c++;
    }
}

/* sqrt of x^T S x over the driven rows, S = A_c X A_c^T. */
static double size_of_rows(const zr_drive *d, const double *x)
{
    int32_t rows = d->law->rows;
    double sum = 0.0;
    for (int32_t i = 0; i < rows; i++)
        for (int32_t j = 0; j < rows; j++) sum += x[i] * d->S[i * rows + j] * x[j];
    return sqrt(fmax(sum, 0.0));
}

/* The same of a push, column c of C, by what it moves itself. */
static double size_of_push(const zw_sim *sim, const zr_motor_rows *h, int32_t c)
{
    const zr_drive *d = sim->drive;
    const zr_pattern *B = &d->motors->B;
    size_t n = (size_t)sim->zm->n;
    int32_t rows = d->law->rows, count = d->law->count;
    double sum = 0.0;
    for (int32_t k = 0; k < count; k++)
        for (int32_t l = 0; l < count; l++) {
            double part = h->C[k * rows + c] * h->C[l * rows + c];
            for (int32_t p = B->start[k]; part != 0.0 && p < B->start[k + 1]; p++)
                sum += part * d->B[p] * d->push_z[(size_t)l * n + (size_t)B->column[p]];
        }
    return sqrt(fmax(sum, 0.0));
}

static void scale_pushes(const zw_sim *sim, const zr_motor_rows *h)
{
    int32_t rows = sim->drive->law->rows, count = sim->drive->law->count;
    for (int32_t c = 0; c < h->rows; c++) {
        double row = size_of_rows(sim->drive, h->E + (size_t)c * (size_t)rows);
        double push = size_of_push(sim, h, c);
        for (int32_t j = 0; row > 0.0 && j < rows; j++) h->E[c * rows + j] /= row;
        for (int32_t k = 0; push > 0.0 && k < count; k++) h->C[k * rows + c] /= push;
    }
}

/* ---------------------------------------------------------------------------- instant */

/* G, from X. */
static void write_extended(const zw_sim *sim, const zr_motor_rows *h)
{
    const zr_motor_law *law = sim->drive->law;
    int32_t R = sim->contacts->space->rows, all = R + h->rows, wide = R + law->count;
    for (int32_t a = 0; a < R; a++)
        memcpy(h->G + (size_t)a * (size_t)all, h->X + (size_t)a * (size_t)wide,
               sizeof *h->G * (size_t)R);
    for (int32_t e = 0; e < h->rows; e++) { /* E times the rows below, in X */
        double *g = h->G + (size_t)(R + e) * (size_t)all;
        for (int32_t b = 0; b < all; b++) g[b] = 0.0;
        for (int32_t i = 0; i < law->rows; i++) {
            const double *x = h->X + (size_t)(R + i) * (size_t)wide;
            double part = h->E[e * law->rows + i];
            for (int32_t b = 0; b < R; b++) g[b] += part * x[b];
            for (int32_t k = 0; k < law->count; k++)
                for (int32_t c = 0; c < h->rows; c++)
                    g[R + c] += part * x[R + k] * h->C[k * law->rows + c];
        }
    }
    for (int32_t a = 0; a < R; a++)
        for (int32_t c = 0; c < h->rows; c++) {
            double sum = 0.0;
            for (int32_t k = 0; k < law->count; k++)
                sum += h->X[a * wide + R + k] * h->C[k * law->rows + c];
            h->G[a * all + R + c] = sum;
        }
}

/* w and its size, with what motors at their limits do. */
static void write_free_motion(const zw_sim *sim, const zr_motor_rows *h)
{
    const zr_space *s = sim->contacts->space;
    const zr_drive *d = sim->drive;
    int32_t R = s->rows, rows = d->law->rows, count = d->law->count, wide = R + count;
    for (int32_t a = 0; a < R; a++) {
        h->w[a] = s->w[a];
        h->size[a] = s->size[a];
        for (int32_t k = 0; k < count; k++) {
            h->w[a] += h->X[a * wide + R + k] * h->fixed[k];
            h->size[a] += fabs(h->X[a * wide + R + k] * h->fixed[k]);
        }
    }
    for (int32_t e = 0; e < h->rows; e++) {
        h->w[R + e] = h->size[R + e] = 0.0;
        for (int32_t i = 0; i < rows; i++) {
            double part = h->E[e * rows + i], own = zr_driven_times(sim, i, s->z);
            double sum = own - s->b[d->motors->row[i]];
            h->size[R + e] += fabs(part * own) + fabs(part * s->b[d->motors->row[i]]);
            for (int32_t k = 0; k < count; k++) sum += h->X[(R + i) * wide + R + k] * h->fixed[k];
            h->w[R + e] += part * sum;
        }
    }
}

/* L and lambda0, likewise. */
static void write_pressing(const zw_sim *sim, const zr_motor_rows *h)
{
    const zr_space *s = sim->contacts->space;
    const zr_drive *d = sim->drive;
    int32_t R = s->rows, all = R + h->rows, count = d->law->count;
    size_t m = (size_t)sim->zm->m;
    for (int32_t j = 0; j < s->joints; j++) {
        int32_t row = s->joint_row[j];
        double *l = h->L + (size_t)j * (size_t)all;
        bool candidate = s->at[row] >= 0;
        memset(l, 0, sizeof *l * (size_t)all);
        memcpy(l, s->L + s->L_at[j], sizeof *l * (size_t)R);
        h->lambda0[j] = s->lambda0[j];
        for (int32_t k = 0; k < count && !candidate; k++) {
            double push = d->push_lambda[(size_t)k * m + (size_t)row];
            h->lambda0[j] += push * h->fixed[k];
            for (int32_t c = 0; c < h->rows; c++) l[R + c] += push * h->C[k * d->law->rows + c];
        }
    }
}

static void write_sizes(const zw_sim *sim, const zr_motor_rows *h)
{
    zr_space *s = sim->contacts->space;
    for (int32_t i = 0; i < s->rows + h->rows; i++) {
        bool held = i >= s->rows;
        h->held[i] = held;
        h->whole[i] = held ? 1.0 : s->whole[i];
        h->weight[i] = held || !s->weight ? 1.0 : s->weight[i];
        if (held) s->calm[i] = true;
    }
}

zw_status zr_write_motor_rows(zw_sim *sim)
{
    zr_motor_rows *h = sim->contacts->space->motors;
    const zr_motor_law *law = sim->drive->law;
    ZB_TRY(reserve_rows(sim, h));
    for (int32_t k = 0; k < law->count; k++)
        h->fixed[k] = h->side[k] == ZR_INSIDE ? 0.0 : h->side[k] > 0 ? law->high[k] : law->low[k];
    write_whole(sim, h);
    choose_reference(sim, h);
    choose_pushes(sim, h);
    scale_pushes(sim, h);
    write_extended(sim, h);
    write_free_motion(sim, h);
    write_pressing(sim, h);
    write_sizes(sim, h);
    return ZW_OK;
}

void zr_add_motor_rows(const zw_sim *sim, zg_instant *instant)
{
    const zr_motor_rows *h = sim->contacts->space->motors;
    instant->rows += h->rows;
    instant->G = h->G;
    instant->w = h->w;
    instant->size = h->size;
    instant->whole = h->whole;
    instant->W = instant->W ? h->weight : NULL;
    instant->L = h->L;
    instant->lambda0 = h->lambda0;
    instant->blocks = NULL;
    instant->held = h->held;
}
