/* Directions and numbers of motors at a state (motors.h). */
#include "drive.h"

#include <string.h>

void zr_evaluate_motors(zw_sim *sim, const zk_source *s)
{
    zr_drive *d = sim->drive;
    const struct zr_motors *motors = d->motors;
    memset(d->B, 0, sizeof *d->B * (size_t)motors->B.count);
    memset(d->V, 0, sizeof *d->V * (size_t)(motors->count + motors->number_count));
    zr_evaluate_passes(sim, &motors->at, s, d->B, d->V);
}

void zr_write_motor_column(const zw_sim *sim, int32_t k, double *column)
{
    const zr_pattern *B = &sim->drive->motors->B;
    memset(column, 0, sizeof *column * (size_t)sim->zm->n);
    for (int32_t p = B->start[k]; p < B->start[k + 1]; p++)
        column[B->column[p]] += sim->drive->B[p];
}

double zr_motor_number(const zr_drive *d, int32_t number, double otherwise)
{
    return number < 0 ? otherwise : d->V[d->motors->count + number];
}
