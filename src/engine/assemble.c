/*
 * Evaluation: runs the passes and adds their outputs where they belong. Instances of a family go
 * through one buffer in pieces, so that a family of a million needs no more room than one of a
 * hundred. The order of additions is fixed (families, instances, outputs), hence the bits.
 * Nothing is allocated.
 */
#include <math.h>
#include <string.h>

#include "sim.h"

zk_source zr_source(const zw_sim *sim, double t, const double *q, const double *v)
{
    return (zk_source){.position = q,
                       .velocity = v,
                       .value = sim->values,
                       .measure = sim->measure,
                       .time = t,
                       .evaluator = sim->evaluator};
}

static void scatter(const zr_pass *pass, int32_t count, const int32_t *place, const double *out,
                    double *matrix, double *vector)
{
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; matrix && k < pass->matrix; k++, place++, out++) {
            if (*place >= 0)
                matrix[*place] += *out;
            else
                matrix[~*place] += 2.0 * *out;
        }
        for (int32_t k = 0; vector && k < pass->vector; k++, place++, out++) vector[*place] += *out;
    }
}

/* The same for `count` instances in lanes: output k of instance l at out[k * width + l]. */
static const int32_t *scatter_group(const zr_pass *pass, int32_t count, int32_t width,
                                    const int32_t *place, const double *out, double *matrix,
                                    double *vector)
{
    for (int32_t l = 0; l < count; l++) {
        const double *at = out + l;
        for (int32_t k = 0; matrix && k < pass->matrix; k++, place++, at += width) {
            if (*place >= 0)
                matrix[*place] += *at;
            else
                matrix[~*place] += 2.0 * *at;
        }
        for (int32_t k = 0; vector && k < pass->vector; k++, place++, at += width)
            vector[*place] += *at;
    }
    return place;
}

/* Inlined, so that `width` is known where it is called. */
static inline void add_run(double *restrict to, int32_t stride, const double *restrict from,
                           const int32_t width)
{
    if (stride == 1)
        for (int32_t l = 0; l < width; l++) to[l] += from[l];
    else
        for (int32_t l = 0; l < width; l++) to[(size_t)l * (size_t)stride] += from[l];
}

static inline void add_runs(const zr_stride *runs, int32_t count, const zk_block *block,
                            const double *out, double *to, const int32_t width)
{
    for (int32_t k = 0; k < count; k++) {
        size_t far = (size_t)runs[k].stride * (size_t)width;
        double *at = to + runs[k].base;
        const double *from = out + (size_t)k * (size_t)width;
        for (int32_t l = 0; l < ZK_BLOCK; l += width, from += block->step, at += far)
            add_run(at, runs[k].stride, from, width);
    }
}

/* A block whose places are runs that do not meet. */
static void scatter_runs(const zr_stride *runs, int32_t count, const zk_block *block,
                         const double *out, double *to)
{
    if (block->width == 4)
        add_runs(runs, count, block, out, to, 4);
    else if (block->width == 8)
        add_runs(runs, count, block, out, to, 8);
    else
        add_runs(runs, count, block, out, to, ZK_BLOCK);
}

static void scatter_block(const zr_pass *pass, const zk_block *block, const double *out,
                          double *matrix, double *vector)
{
    int32_t width = block->width, outputs = pass->matrix + pass->vector;
    size_t at = (size_t)block->first * (size_t)outputs;
    bool known = block->first / ZK_BLOCK < pass->run_blocks;
    const zr_stride *runs = known ? pass->runs + at / ZK_BLOCK : NULL;
    if (runs && runs->stride > 0) {
        scatter_runs(runs, pass->matrix, block, out, matrix);
        scatter_runs(runs + pass->matrix, pass->vector, block, out + pass->matrix * width, vector);
        return;
    }
    const int32_t *place = pass->place + at;
    for (int32_t l = 0; l < block->count; l += width, out += block->step) {
        int32_t count = block->count - l < width ? block->count - l : width;
        place = scatter_group(pass, count, width, place, out, matrix, vector);
    }
}

static void run_lanes(zw_sim *sim, const zr_pass *pass, const zk_source *source, double *matrix,
                      double *vector)
{
    for (int32_t k = 0; k < zk_block_count(pass->lanes); k++) {
        zk_block block;
        zk_run_block(pass->lanes, source, k, sim->workspace, sim->out, &block);
        scatter_block(pass, &block, sim->out, matrix, vector);
    }
}

static void run_pass(zw_sim *sim, const zr_pass *pass, const zk_source *source, double *matrix,
                     double *vector)
{
    const zm_family *f = &sim->zm->families[pass->family];
    int32_t outputs = pass->matrix + pass->vector, piece = sim->model->out_count / outputs;
    zk_table table = {
        .stride = f->stride, .value_at = f->coordinates, .measure_at = f->coordinates + f->values};
    for (int32_t i = 0; i < f->count; i += table.count) {
        table.table = f->whole || !f->table ? NULL : f->table + (size_t)i * (size_t)f->stride;
        table.count = f->count - i < piece ? f->count - i : piece;
        zk_run_table(pass->code, source, &table, sim->workspace, sim->out);
        scatter(pass, table.count, pass->place + (size_t)i * (size_t)outputs, sim->out, matrix,
                vector);
    }
}

void zr_run_passes(zw_sim *sim, const zr_passes *passes, const zk_source *source, double *matrix,
                   double *vector)
{
    for (int32_t i = 0; i < passes->count; i++) {
        const zr_pass *pass = &passes->list[i];
        (pass->lanes ? run_lanes : run_pass)(sim, pass, source, matrix, vector);
    }
}

static void clear(double *x, int32_t count)
{
    if (count > 0) memset(x, 0, sizeof *x * (size_t)count);
}

static void copy(const double *from, int32_t count, double *to)
{
    if (count > 0) memcpy(to, from, sizeof *to * (size_t)count);
}

/* ------------------------------------------------------------- what changes when */

/* W: the identity, then the statements in their order: the last one counts. */
static void set_weight(zw_sim *sim, const zk_source *source)
{
    const zw_model *model = sim->model;
    clear(sim->weight_out, model->weight_outputs);
    zr_run_passes(sim, &model->weights, source, NULL, sim->weight_out);
    for (int32_t k = 0; k < model->weight_entry_count; k++) {
        const zr_weight_entry *e = &model->weight_entries[k];
        sim->W[e->at] = e->from < 0 ? 1.0 : sim->weight_out[e->from];
    }
}

void zr_parameters_changed(zw_sim *sim)
{
    const zw_model *model = sim->model;
    zk_source source = zr_source(sim, sim->t, sim->q, sim->v);
    clear(sim->M_constant, model->M.count);
    clear(sim->Q_constant, sim->zm->n);
    clear(sim->A_constant, model->A.count);
    zr_run_passes(sim, &model->constant_dynamics, &source, sim->M_constant, sim->Q_constant);
    zr_run_passes(sim, &model->constant_rows, &source, sim->A_constant, NULL);
    set_weight(sim, &source);
}

void zr_evaluate_dynamics(zw_sim *sim, const zk_source *source)
{
    copy(sim->M_constant, sim->model->M.count, sim->M);
    copy(sim->Q_constant, sim->zm->n, sim->Q);
    zr_run_passes(sim, &sim->model->dynamics, source, sim->M, sim->Q);
}

void zr_evaluate_rows(zw_sim *sim, const zk_source *source)
{
    if (sim->model->constant_rows.count > 0)
        copy(sim->A_constant, sim->model->A.count, sim->A);
    else
        clear(sim->A, sim->model->A.count);
    clear(sim->b, sim->zm->m);
    zr_run_passes(sim, &sim->model->rows, source, sim->A, sim->b);
}

/* Acceleration rows have no value and no rate. */
void zr_evaluate_levels(zw_sim *sim, const zk_source *source)
{
    int32_t m = sim->zm->m;
    clear(sim->level, 4 * m);
    zr_run_passes(sim, &sim->model->levels, source, NULL, sim->level);
}

void zr_evaluate_equations(zw_sim *sim, const zk_source *source)
{
    clear(sim->E, sim->model->E.count);
    clear(sim->equation, 2 * sim->model->equation_count);
    zr_run_passes(sim, &sim->model->equations, source, sim->E, sim->equation);
}

void zr_evaluate_nonideal(zw_sim *sim, const zk_source *source)
{
    clear(sim->C, sim->zm->n);
    zr_run_passes(sim, &sim->model->nonideal, source, NULL, sim->C);
}

/* ------------------------------------------------------------------- measures */

/* The ideal force of some rows, sum of A_i lambda_i, into work [n]. */
static void add_force(zw_sim *sim, const double *lambda, int32_t first, int32_t count)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t i = first; i < first + count; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            sim->work[A->column[p]] += sim->A[p] * lambda[i];
}

/* The norm of that force, or its component on one coordinate; leaves work at 0. An entry that
 * several rows touch is counted when it is met first. */
static double take_force(zw_sim *sim, int32_t first, int32_t count, int32_t coordinate)
{
    const zr_pattern *A = &sim->model->A;
    double sum = 0.0, component = coordinate >= 0 ? sim->work[coordinate] : 0.0;
    for (int32_t i = first; i < first + count; i++) {
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++) {
            double *x = &sim->work[A->column[p]];
            sum += *x * *x;
            *x = 0.0;
        }
    }
    return coordinate >= 0 ? component : sqrt(sum);
}

static double measure(zw_sim *sim, const zm_measure *what, const double *lambda)
{
    if (what->kind == ZM_MULTIPLIER) return lambda[what->row];
    bool all = what->kind == ZM_REACTION_ALL;
    const zm_constraint *c = all ? NULL : &sim->zm->constraints[what->constraint];
    int32_t first = all ? 0 : c->first_row, count = all ? sim->zm->m : c->row_count;
    add_force(sim, lambda, first, count);
    return take_force(sim, first, count, what->kind == ZM_REACTION_ON ? what->coordinate : -1);
}

void zr_measure(zw_sim *sim, const double *lambda)
{
    for (int32_t k = 0; k < sim->zm->measure_count; k++)
        sim->measure[k] = measure(sim, &sim->zm->measures[k], lambda);
}

/* ---------------------------------------------------------------------- dense */

void zr_expand_mass(const zw_sim *sim, double *M, bool diagonal)
{
    const zr_pattern *p = &sim->model->M;
    size_t n = (size_t)sim->zm->n;
    memset(M, 0, sizeof *M * n * (diagonal ? 1 : n));
    for (int32_t i = 0; i < p->rows; i++) {
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++) {
            size_t r = (size_t)i, c = (size_t)p->column[k];
            if (diagonal) {
                M[r] = sim->M[k];
                continue;
            }
            M[r * n + c] = sim->M[k];
            M[c * n + r] = sim->M[k];
        }
    }
}

void zr_expand_rows(const zw_sim *sim, double *A)
{
    const zr_pattern *p = &sim->model->A;
    size_t n = (size_t)sim->zm->n;
    if (p->rows > 0) memset(A, 0, sizeof *A * n * (size_t)p->rows);
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            A[(size_t)i * n + (size_t)p->column[k]] = sim->A[k];
}

void zr_expand_weight(const zw_sim *sim, double *W, bool diagonal)
{
    const zr_pattern *p = &sim->model->W;
    size_t m = (size_t)sim->zm->m;
    if (m == 0) return;
    memset(W, 0, sizeof *W * m * (diagonal ? 1 : m));
    if (p->rows == 0)
        for (size_t i = 0; i < m; i++) W[diagonal ? i : i * m + i] = 1.0;
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            W[diagonal ? (size_t)i : (size_t)i * m + (size_t)p->column[k]] = sim->W[k];
}
