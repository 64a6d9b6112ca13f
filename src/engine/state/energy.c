/*
 * Energies and powers at a state, from the programs of build_energy.c. Instances of a family go
 * through one buffer in pieces and are added up piece by piece, in a fixed order. Nothing is
 * allocated: powers are evaluated at every stage of a step.
 *
 *     impressed, dissipation   v^T F
 *     ideal, control           sum lambda_i (A v)_i over the rows whose A v need not be 0
 *                              and v^T B u of motors
 *     nonideal                 v^T Qn
 *     friction                 v^T F of what slides, sum lambda_i (A v)_i of what sticks
 *     explicit                 - dL/dt, v^T M' v / 2
 */
#include <math.h>

#include "contacts.h"
#include "drive.h"

/* One sum (energy.h) over all instances, added to total [columns]. */
static void add_up_sum(zw_sim *sim, const zr_sum *sum, const zk_source *s, double *total)
{
    const zm_family *f = &sim->zm->families[sum->family];
    int32_t piece = sim->model->out_count / sum->outputs;
    zk_table table = {
        .stride = f->stride, .value_at = f->coordinates, .measure_at = f->coordinates + f->values};
    for (int32_t i = 0; i < f->count; i += table.count) {
        double part[zr_sum_columns] = {0.0};
        table.table = f->whole || !f->table ? NULL : f->table + (size_t)i * (size_t)f->stride;
        table.count = f->count - i < piece ? f->count - i : piece;
        zk_evaluate_table(sum->code, s, &table, sim->workspace, sim->out);
        const double *out = sim->out;
        for (int32_t k = 0; k < table.count; k++)
            for (int32_t j = 0; j < sum->outputs; j++) part[j] += *out++;
        for (int32_t j = 0; j < sum->outputs; j++) total[sum->column[j]] += part[j];
    }
}

/* Of x and y [n]. */
static double dot_vectors(int32_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* sum lambda_i (A v)_i over some rows; A of the state is in sim->A. */
static double compute_row_power(const zw_sim *sim, const int32_t *rows, int32_t count,
                                const double *v, const double *lambda)
{
    const zr_pattern *A = &sim->model->A;
    double power = 0.0;
    for (int32_t k = 0; k < count; k++) {
        double rate = 0.0;
        for (int32_t p = A->start[rows[k]]; p < A->start[rows[k] + 1]; p++)
            rate += sim->A[p] * v[A->column[p]];
        power += lambda[rows[k]] * rate;
    }
    return power;
}

static bool is_one_of(const int32_t *rows, int32_t count, int32_t row)
{
    for (int32_t k = 0; k < count; k++)
        if (rows[k] == row) return true;
    return false;
}

/* Rows that a conflict keeps off their constraint, or has left so, do work as well. */
static double compute_power_off(const zw_sim *sim, const zr_forces *f, const double *v)
{
    const struct zr_energy *e = sim->model->energy;
    double power = 0.0;
    for (int32_t i = 0; i < sim->zm->m; i++) {
        bool counted = is_one_of(e->ideal, e->ideal_count, i) ||
                       is_one_of(e->control, e->control_count, i) ||
                       is_one_of(e->friction, e->friction_count, i);
        if (f->out[i] && !counted) power += compute_row_power(sim, &i, 1, v, f->lambda);
    }
    return power;
}

/* Sums with accelerations are left out where the source has none. */
void zr_powers_at(zw_sim *sim, const zk_source *s, const zr_forces *f, double *p)
{
    const struct zr_energy *e = sim->model->energy;
    for (int k = 0; k < ZR_POWER_COUNT; k++) p[k] = 0.0;
    for (int32_t i = 0; i < e->powers.count; i++)
        if (s->acceleration || !e->powers.list[i].accelerates)
            add_up_sum(sim, &e->powers.list[i], s, p);
    if (e->ideal_count > 0)
        p[ZR_IDEAL] = compute_row_power(sim, e->ideal, e->ideal_count, s->velocity, f->lambda);
    if (f->out) p[ZR_IDEAL] += compute_power_off(sim, f, s->velocity);
    if (e->control_count > 0)
        p[ZR_CONTROL] =
            compute_row_power(sim, e->control, e->control_count, s->velocity, f->lambda);
    if (sim->drive) p[ZR_CONTROL] += dot_vectors(sim->zm->n, s->velocity, sim->drive->force);
    if (e->possible & (1u << ZR_NONIDEAL))
        p[ZR_NONIDEAL] = dot_vectors(sim->zm->n, s->velocity, f->nonideal);
    if (e->friction_count > 0)
        p[ZR_FRICTION] =
            compute_row_power(sim, e->friction, e->friction_count, s->velocity, f->lambda);
    if (sim->contacts && sim->contacts->sliding > 0)
        p[ZR_FRICTION] += dot_vectors(sim->zm->n, s->velocity, sim->contacts->force);
}

/* h, energy and scale are put together from their parts (zr_energy_part). */
void zr_energies_at(zw_sim *sim, const zk_source *s, zr_energies *energies)
{
    const struct zr_energy *e = sim->model->energy;
    double part[ZR_PART_COUNT] = {0.0};
    for (int32_t i = 0; i < e->energies.count; i++) add_up_sum(sim, &e->energies.list[i], s, part);
    *energies =
        (zr_energies){.kinetic = part[ZR_PART_KINETIC], .potential = part[ZR_PART_POTENTIAL]};
    energies->energy = energies->kinetic + energies->potential + part[ZR_PART_OTHER];
    energies->h = energies->energy + part[ZR_PART_EXTRA];
    energies->scale = part[ZR_PART_MAGNITUDE] + fabs(part[ZR_PART_EXTRA]);
}

/* Instances of a kept family, each to its island. */
static void add_instances_to_islands(zw_sim *sim, const zr_sum *sum, const zk_source *s, double *h,
                                     double *scale)
{
    const zm_family *f = &sim->zm->families[sum->family];
    int32_t piece = sim->model->out_count / sum->outputs;
    zk_table table = {
        .stride = f->stride, .value_at = f->coordinates, .measure_at = f->coordinates + f->values};
    for (int32_t i = 0; i < f->count; i += table.count) {
        table.table = f->table ? f->table + (size_t)i * (size_t)f->stride : NULL;
        table.count = f->count - i < piece ? f->count - i : piece;
        zk_evaluate_table(sum->code, s, &table, sim->workspace, sim->out);
        for (int32_t k = 0; k < table.count && f->coordinates > 0; k++) {
            int32_t island = sim->model->island[zm_coordinate_of(f, i + k, 0)];
            for (int32_t j = 0; j < sum->outputs; j++) {
                double x = sim->out[k * sum->outputs + j];
                bool size = sum->column[j] == ZR_PART_MAGNITUDE;
                if (size || sum->column[j] == ZR_PART_EXTRA) scale[island] += fabs(x);
                if (!size) h[island] += x;
            }
        }
    }
}

void zr_island_energies_at(zw_sim *sim, const zk_source *s, double *h, double *scale)
{
    const struct zr_energy *e = sim->model->energy;
    int32_t islands = sim->model->island_count;
    for (int32_t g = 0; g < islands; g++) h[g] = scale[g] = 0.0;
    if (e->island_code) {
        zk_table table = {.count = 1};
        zk_evaluate_table(e->island_code, s, &table, sim->workspace, sim->out);
        for (int32_t g = 0; g < islands; g++) {
            h[g] = sim->out[2 * g];
            scale[g] = sim->out[2 * g + 1];
        }
    }
    for (int32_t i = 0; i < e->energies.count; i++)
        if (!sim->zm->families[e->energies.list[i].family].whole)
            add_instances_to_islands(sim, &e->energies.list[i], s, h, scale);
}
