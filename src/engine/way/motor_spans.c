/*
 * When motors are at their limits. Such a change is a seam as the beginning of a conflict is
 * (seams.c): steps end there, and a control that its motors leave undone is left out of the
 * projection until they do what it asks for again, and from then on where it was left off.
 */
#include <math.h>
#include <string.h>

#include "drive.h"
#include "run.h"

bool zr_do_motors_differ(const zw_sim *sim)
{
    const zr_motion *run = sim->run;
    return memcmp(run->solving.side, run->seams.was_side, (size_t)sim->zm->motor_count) != 0;
}

/* A span goes from one side to another only by its end. */
static void note_motor(zr_motor_spans *spans, bool ends, bool begins, double t)
{
    bool listed = spans->count > 0 && spans->count <= zr_most_spans;
    if (ends && listed) spans->list[spans->count - 1].to = t;
    if (begins && ++spans->count <= zr_most_spans)
        spans->list[spans->count - 1] = (zr_span){t, (double)NAN};
}

void zr_note_motors(zw_sim *sim, double t)
{
    zr_motion *run = sim->run;
    for (int32_t k = 0; k < sim->zm->motor_count; k++) {
        int8_t now = run->solving.side[k], *was = &run->seams.was_side[k];
        if (now == *was) continue;
        note_motor(&run->seams.motors[k], *was != ZR_INSIDE, now != ZR_INSIDE, t);
        *was = now;
    }
}

/* Among what is in `conflicting`: more than what motors leave undone. */
bool zr_is_conflict(const zw_sim *sim)
{
    const zr_solving *solving = &sim->run->solving;
    int32_t next = 0;
    if (!sim->drive || !solving->behind) return true;
    const struct zr_motors *motors = sim->drive->motors;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        bool driven = next < motors->rows && motors->row[next] == i;
        if (driven) next++;
        if (!driven && solving->conflicting[i]) return true;
    }
    return false;
}

bool zr_motors_were_behind(const zw_sim *sim)
{
    return sim->run->seams.ever_behind;
}
