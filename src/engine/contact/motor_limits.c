/*
 * Which motors are at their limits where a mode is decided. The mode is looked for with all of them
 * inside first; the law at the mode that was found says who is not, and with those it is looked for
 * again, until both go together. Where contacts leave no mode to motors that do all that is asked for,
 * forces of both would grow without end: the first motor that meets a limit on that way is at it.
 */
#include "settle.h"
#include "touch_motors.h"

#include <math.h>
#include <string.h>

#include "friction.h"
#include "motor_law.h"

void zr_forget_limits(zw_sim *sim)
{
    const zr_motor_rows *h = sim->contacts->space->motors;
    if (h) memset(h->side, ZR_INSIDE, (size_t)sim->drive->motors->count);
}

/* The mode knows with which limits it was found, and what the motors move without contacts. */
static void remember_limits(zw_sim *sim)
{
    const zr_motor_rows *h = sim->contacts->space->motors;
    zr_mode *mode = &sim->contacts->mode;
    memcpy(mode->motor, h->side, (size_t)sim->drive->motors->count);
    memcpy(mode->reach, sim->drive->law->P, sizeof *mode->reach * (size_t)zr_reach_count(sim));
}

zw_status zr_do_limits_change(zw_sim *sim, double t, const double *q, const double *v, int round,
                              bool *change)
{
    zr_motor_rows *h = sim->contacts->space->motors;
    zk_source s = zr_source(sim, t, q, v);
    *change = false;
    if (!h || !sim->drive->motors->limited) return ZW_OK;
    remember_limits(sim);
    zr_enter_mode(sim);
    ZB_TRY(zr_accelerate(sim, NULL, &(zr_wanted){.at = &s, .z = sim->contacts->space->push}));
    if (zr_do_limits_agree(sim->drive, h->side, round)) return ZW_OK;
    if (round >= zr_most_limit_rounds) return zr_note_drive(sim->drive, &s, ZR_DRIVE_UNSETTLED, -1);
    memcpy(h->side, sim->drive->side, (size_t)sim->drive->motors->count);
    *change = true;
    return ZW_OK;
}

/* How motors answer to forces x of candidates that grow: [motors] into push; false: not at all. */
static bool find_way(zw_sim *sim, const double *x, double *push)
{
    const zr_motor_rows *h = sim->contacts->space->motors;
    int32_t R = sim->contacts->space->rows, all = R + h->rows, rows = sim->drive->law->rows;
    double *S = h->X, *y = h->X + (size_t)h->rows * (size_t)h->rows;
    for (int32_t e = 0; e < h->rows; e++) {
        y[e] = 0.0;
        for (int32_t a = 0; a < R; a++) y[e] -= h->G[(R + e) * all + a] * x[a];
        for (int32_t c = 0; c < h->rows; c++) S[e * h->rows + c] = h->G[(R + e) * all + R + c];
    }
    if (h->rows == 0 || !zr_solve_small(S, y, h->rows)) return false;
    for (int32_t k = 0; k < sim->drive->law->count; k++) {
        push[k] = 0.0;
        for (int32_t c = 0; c < h->rows; c++) push[k] += h->C[k * rows + c] * y[c];
    }
    return true;
}

bool zr_give_up_a_motor(zw_sim *sim, const double *x)
{
    zr_motor_rows *h = sim->contacts->space->motors;
    const zr_motor_law *law = sim->drive ? sim->drive->law : NULL;
    int32_t first = -1;
    double soonest = HUGE_VAL, largest = 0.0;
    if (!h || !law || !sim->drive->motors->limited || !find_way(sim, x, h->fixed)) return false;
    for (int32_t k = 0; k < law->count; k++) largest = fmax(largest, fabs(h->fixed[k]));
    for (int32_t k = 0; k < law->count; k++) {
        double limit = h->fixed[k] > 0.0 ? law->high[k] : law->low[k];
        if (h->side[k] != ZR_INSIDE || !(fabs(h->fixed[k]) > 1e-9 * largest)) continue;
        double when = limit / h->fixed[k];
        if (when < soonest) soonest = when, first = k;
    }
    if (first < 0) return false;
    h->side[first] = h->fixed[first] > 0.0 ? 1 : -1;
    return true;
}
