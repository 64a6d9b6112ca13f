/*
 * The equations at a state: evaluates the passes of M, Q, A, b, C, W, levels and start equations
 * and adds their outputs to matrices and vectors. Instances of a family go through one buffer in
 * pieces, so that a family of a million needs no more room than one of a hundred. Nothing is
 * allocated.
 *
 * Outputs are added in a fixed order (families, instances, outputs), hence the bits. Where no place
 * is reached twice (places.c) they are stored, as 0 + x, the same bits, and nothing is cleared or
 * copied before: the constant part stays in the other places from the last change of a parameter.
 *
 * Large families are evaluated by the simulation's team, in chunks of blocks, where no two chunks
 * reach the same place; each worker has a buffer of its own.
 */
#include <math.h>
#include <string.h>

#include "drive.h"
#include "sim.h"
#include "switches.h"

/* What programs read at this state: the arrays, values and measures of the simulation. */
static zk_source plain_source(const zw_sim *sim, double t, const double *q, const double *v)
{
    return (zk_source){.position = q,
                       .velocity = v,
                       .value = sim->values,
                       .measure = sim->measure,
                       .time = t,
                       .evaluator = sim->evaluator};
}

zk_source zr_source(const zw_sim *sim, double t, const double *q, const double *v)
{
    zk_source s = plain_source(sim, t, q, v);
    if (sim->model->lookups) zr_find_pieces(sim, &s);
    return s;
}

/* Where outputs go, either NULL: there are none; and whether they are stored, or added. */
typedef struct target {
    double *matrix, *vector;
    bool store_matrix, store_vector;
} target;

/* ----------------------------------------------------------------- one by one */

static inline void add_or_store(double *to, double x, bool store)
{
    *to = (store ? 0.0 : *to) + x;
}

/* The outputs of one instance, `step` apart, to their places; returns the place after theirs. */
static inline const int32_t *put_instance(const zr_pass *pass, const int32_t *place,
                                          const double *out, size_t step, const target *to)
{
    for (int32_t k = 0; to->matrix && k < pass->matrix; k++, place++, out += step) {
        if (*place >= 0)
            add_or_store(&to->matrix[*place], *out, to->store_matrix);
        else
            to->matrix[~*place] += 2.0 * *out;
    }
    for (int32_t k = 0; to->vector && k < pass->vector; k++, place++, out += step)
        add_or_store(&to->vector[*place], *out, to->store_vector);
    return place;
}

/* ---------------------------------------------------------------------- blocks */

/* One output of `width` instances. Inlined, so that `width` and `store` are known where it is
 * called. */
static inline void put_stride(double *restrict to, size_t stride, const double *restrict from,
                              const int32_t width, const bool store)
{
    if (stride == 1)
        for (int32_t l = 0; l < width; l++) to[l] = (store ? 0.0 : to[l]) + from[l];
    else
        for (int32_t l = 0; l < width; l++, to += stride) *to = (store ? 0.0 : *to) + from[l];
}

/* Outputs of a full block, each [ZK_BLOCK / width] pieces of `width` instances. */
static inline void put_strides(const zr_stride *strides, int32_t count, const zk_block *block,
                               const double *out, double *to, const int32_t width, const bool store)
{
    for (int32_t k = 0; k < count; k++) {
        size_t stride = (size_t)strides[k].stride, far = stride * (size_t)width;
        double *at = to + strides[k].base;
        const double *from = out + (size_t)k * (size_t)width;
        for (int32_t l = 0; l < ZK_BLOCK; l += width, from += block->step, at += far)
            put_stride(at, stride, from, width, store);
    }
}

/* A full block whose places are strides [count] that do not meet; by the widths that exist. */
static void scatter_strides(const zr_stride *strides, int32_t count, const zk_block *block,
                            const double *out, double *to, bool store)
{
    if (block->width == 8 && store)
        put_strides(strides, count, block, out, to, 8, true);
    else if (block->width == 8)
        put_strides(strides, count, block, out, to, 8, false);
    else if (block->width == 4)
        put_strides(strides, count, block, out, to, 4, store);
    else if (store)
        put_strides(strides, count, block, out, to, ZK_BLOCK, true);
    else
        put_strides(strides, count, block, out, to, ZK_BLOCK, false);
}

/* The outputs of one block: by strides where it has them, else instance by instance. */
static void scatter_block(const zr_pass *pass, const zk_block *block, const double *out,
                          const target *to)
{
    int32_t width = block->width, outputs = pass->matrix + pass->vector;
    size_t at = (size_t)block->first * (size_t)outputs;
    bool known = block->first / ZK_BLOCK < pass->stride_blocks;
    const zr_stride *strides = known ? pass->strides + at / ZK_BLOCK : NULL;
    if (strides && strides->stride > 0) {
        scatter_strides(strides, pass->matrix, block, out, to->matrix, to->store_matrix);
        scatter_strides(strides + pass->matrix, pass->vector, block, out + pass->matrix * width,
                        to->vector, to->store_vector);
        return;
    }
    const int32_t *place = pass->place + at;
    for (int32_t l = 0; l < block->count; l += width, out += block->step) {
        int32_t count = block->count - l < width ? block->count - l : width;
        for (int32_t i = 0; i < count; i++)
            place = put_instance(pass, place, out + i, (size_t)width, to);
    }
}

/* Blocks from .. end - 1 of a pass. */
static void evaluate_blocks(const zr_pass *pass, const zk_source *source, int32_t from, int32_t end,
                            const zr_scratch *scratch, const target *to)
{
    for (int32_t k = from; k < end; k++) {
        zk_block block;
        zk_evaluate_block(pass->lanes, source, k, scratch->workspace, scratch->out, &block);
        scatter_block(pass, &block, scratch->out, to);
    }
}

/* ---------------------------------------------------------------------- passes */

/* A pass that a team evaluates. */
typedef struct job {
    const zw_sim *sim;
    const zr_pass *pass;
    const zk_source *source;
    const target *to;
} job;

/* For zb_team_do. */
static void evaluate_pass_chunk(void *user, int32_t chunk, int32_t worker)
{
    const job *j = user;
    int32_t from = chunk * zr_chunk_blocks, blocks = zk_block_count(j->pass->lanes);
    int32_t end = blocks - from < zr_chunk_blocks ? blocks : from + zr_chunk_blocks;
    evaluate_blocks(j->pass, j->source, from, end, &j->sim->scratches[worker], j->to);
}

/* A pass with a table for lanes; by the team where it is large and its chunks are apart. */
static void evaluate_in_lanes(zw_sim *sim, const zr_pass *pass, const zk_source *source,
                              const target *to)
{
    int32_t blocks = zk_block_count(pass->lanes);
    if (!sim->team || !pass->apart || blocks < zr_team_blocks) {
        evaluate_blocks(pass, source, 0, blocks, sim->scratches, to);
        return;
    }
    job j = {.sim = sim, .pass = pass, .source = source, .to = to};
    zb_team_do(sim->team, evaluate_pass_chunk, &j, (blocks - 1) / zr_chunk_blocks + 1);
}

/* A pass of few instances, in pieces that fit the buffer. */
static void evaluate_one_by_one(zw_sim *sim, const zr_pass *pass, const zk_source *source,
                                const target *to)
{
    const zm_family *f = &sim->zm->families[pass->family];
    int32_t outputs = pass->matrix + pass->vector, piece = zr_instances_at_once(sim, f, outputs);
    const int32_t *place = pass->place;
    zk_table table = {
        .stride = f->stride, .value_at = f->coordinates, .measure_at = f->coordinates + f->values};
    for (int32_t i = 0; i < f->count; i += table.count) {
        table.table = f->whole || !f->table ? NULL : f->table + (size_t)i * (size_t)f->stride;
        table.count = f->count - i < piece ? f->count - i : piece;
        zk_evaluate_table(pass->code, source, &table, sim->workspace, sim->out);
        const double *out = sim->out;
        for (int32_t k = 0; k < table.count; k++, out += outputs)
            place = put_instance(pass, place, out, 1, to);
    }
}

/* All passes of a list; the order of families, instances and outputs is fixed. */
void zr_evaluate_passes(zw_sim *sim, const zr_passes *passes, const zk_source *source,
                        double *matrix, double *vector)
{
    target to = {.matrix = matrix,
                 .vector = vector,
                 .store_matrix = passes->matrix_once,
                 .store_vector = passes->vector_once};
    for (int32_t i = 0; i < passes->count; i++) {
        const zr_pass *pass = &passes->list[i];
        (pass->lanes ? evaluate_in_lanes : evaluate_one_by_one)(sim, pass, source, &to);
    }
}

static void clear_doubles(double *x, int32_t count)
{
    if (count > 0) memset(x, 0, sizeof *x * (size_t)count);
}

/* to [count] becomes the constant part (NULL: 0), to be added to; where both are one array it is
 * there. */
static void begin_sum(const double *constant, int32_t count, double *to)
{
    if (!constant)
        clear_doubles(to, count);
    else if (to != constant && count > 0)
        memcpy(to, constant, sizeof *to * (size_t)count);
}

/* ------------------------------------------------------------- what changes when */

/* W: the identity, then the statements in their order: the last one counts. */
static void evaluate_weight(zw_sim *sim, const zk_source *source)
{
    const zw_model *model = sim->model;
    clear_doubles(sim->weight_out, model->weight_outputs);
    zr_evaluate_passes(sim, &model->weights, source, NULL, sim->weight_out);
    for (int32_t k = 0; k < model->weight_entry_count; k++) {
        const zr_weight_entry *e = &model->weight_entries[k];
        sim->W[e->at] = e->from < 0 ? 1.0 : sim->weight_out[e->from];
    }
}

/* By byte code, as machine code may not be there yet. */
static void evaluate_prelude(zw_sim *sim, const zk_source *source)
{
    const zr_prelude *prelude = &sim->model->prelude;
    zk_source s = *source;
    s.evaluator = ZK_BYTE_CODE;
    if (prelude->code)
        zk_evaluate(prelude->code, &s, NULL, sim->workspace,
                    sim->values + zr_first_hoisted_value(sim->model));
}

/* Programs are given a state, which those of parameters only do not read. Rows alone have masks. */
void zr_masks_changed(zw_sim *sim)
{
    const zw_model *model = sim->model;
    zk_source source = plain_source(sim, sim->t, sim->q, sim->v);
    evaluate_prelude(sim, &source);
    if (sim->A_constant) clear_doubles(sim->A_constant, model->A.count);
    zr_evaluate_passes(sim, &model->constant_rows, &source, sim->A_constant, NULL);
}

void zr_parameters_changed(zw_sim *sim)
{
    const zw_model *model = sim->model;
    zk_source source = zr_source(sim, sim->t, sim->q, sim->v);
    zr_masks_changed(sim);
    clear_doubles(sim->M_constant, model->M.count);
    clear_doubles(sim->Q_constant, sim->zm->n);
    zr_evaluate_passes(sim, &model->constant_dynamics, &source, sim->M_constant, sim->Q_constant);
    evaluate_weight(sim, &source);
}

/* Numbers whose squares are below what a double can hold, or nearly so, are 0: what a motion that
 * has come to rest leaves. Solvers cannot weigh them. In large systems they drown among others, but
 * not what lies on the ground. */
static void drop_tiny(const zw_sim *sim, double *x, int64_t count)
{
    enum { largest_system = 400 };
    const double least = 1e-100;
    if (sim->zm->n > largest_system && !sim->contacts) return;
    for (int64_t k = 0; k < count; k++) x[k] = fabs(x[k]) < least ? 0.0 : x[k]; /* no branch */
}

/* M and Q from their constant parts on. */
void zr_evaluate_dynamics(zw_sim *sim, const zk_source *source)
{
    begin_sum(sim->M_constant, sim->model->M.count, sim->M);
    begin_sum(sim->Q_constant, sim->zm->n, sim->Q);
    zr_evaluate_passes(sim, &sim->model->dynamics, source, sim->M, sim->Q);
    drop_tiny(sim, sim->Q, sim->zm->n);
}

/* A from its constant part on; b has none. */
void zr_evaluate_rows(zw_sim *sim, const zk_source *source)
{
    const zr_passes *rows = &sim->model->rows;
    sim->A_fresh = false;
    begin_sum(sim->A_constant, sim->model->A.count, sim->A);
    if (!rows->vector_once) clear_doubles(sim->b, sim->zm->m);
    zr_evaluate_passes(sim, rows, source, sim->A, sim->b);
    drop_tiny(sim, sim->A, sim->model->A.count);
    drop_tiny(sim, sim->b, sim->zm->m);
}

/* Each row is one root of one instance: nothing of `level` is reached twice. Acceleration rows have
 * no value and no rate, and stay at 0. */
void zr_evaluate_level(zw_sim *sim, zr_order order, const zk_source *source)
{
    zr_evaluate_passes(sim, &sim->model->levels[order], source, NULL, sim->level);
}

void zr_evaluate_levels(zw_sim *sim, const zk_source *source)
{
    zr_evaluate_level(sim, ZR_POSITION, source);
    zr_evaluate_level(sim, ZR_VELOCITY, source);
}

/* E, and value and magnitude of each start equation. */
void zr_evaluate_equations(zw_sim *sim, const zk_source *source)
{
    clear_doubles(sim->E, sim->model->E.count);
    clear_doubles(sim->equation, 2 * sim->model->equation_count);
    zr_evaluate_passes(sim, &sim->model->equations, source, sim->E, sim->equation);
}

/* C has no constant part. */
void zr_evaluate_nonideal(zw_sim *sim, const zk_source *source)
{
    const zr_passes *nonideal = &sim->model->nonideal;
    if (!nonideal->vector_once) clear_doubles(sim->C, sim->zm->n);
    zr_evaluate_passes(sim, nonideal, source, NULL, sim->C);
    drop_tiny(sim, sim->C, sim->zm->n);
}

void zr_evaluate_impressed(zw_sim *sim, const zk_source *source, double *F)
{
    clear_doubles(F, sim->zm->n);
    zr_evaluate_passes(sim, &sim->model->impressed, source, NULL, F);
    drop_tiny(sim, F, sim->zm->n);
}

/* ------------------------------------------------------------------- measures */

/* The ideal force of some rows, sum of A_i lambda_i, into sim->work [n], which is 0 before. */
static void add_row_forces(zw_sim *sim, const double *lambda, int32_t first, int32_t count)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t i = first; i < first + count; i++)
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            sim->work[A->column[p]] += sim->A[p] * lambda[i];
}

/* The norm of that force, or its component on one coordinate (-1: the norm); leaves work at 0. An
 * entry that several rows touch is counted when it is met first. */
static double take_row_force(zw_sim *sim, int32_t first, int32_t count, int32_t coordinate)
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

/* Entries of a row are in the order of their columns. */
static double find_row_entry(const zw_sim *sim, int32_t row, int32_t column)
{
    const zr_pattern *A = &sim->model->A;
    for (int32_t p = A->start[row]; p < A->start[row + 1] && A->column[p] <= column; p++)
        if (A->column[p] == column) return sim->A[p];
    return 0.0;
}

/* The part of the control rows in the ideal force on a coordinate, and what motors give. */
static double compute_control_force(const zw_sim *sim, int32_t coordinate, const double *lambda)
{
    const zm_model *zm = sim->zm;
    double sum = sim->drive ? sim->drive->force[coordinate] : 0.0;
    for (int32_t k = 0; k < zm->constraint_count; k++) {
        const zm_constraint *c = &zm->constraints[k];
        for (int32_t i = c->first_row; c->control && i < c->first_row + c->row_count; i++)
            sum += find_row_entry(sim, i, coordinate) * lambda[i];
    }
    return sum;
}

/* One multiplier or reaction, from lambda [m] and A of the state in sim->A. */
static double compute_measure(zw_sim *sim, const zm_measure *what, const double *lambda)
{
    if (what->kind == ZM_MULTIPLIER) return lambda[what->row];
    if (what->kind == ZM_SHOWN_CONTROL) return compute_control_force(sim, what->coordinate, lambda);
    bool all = what->kind == ZM_REACTION_ALL;
    const zm_constraint *c = all ? NULL : &sim->zm->constraints[what->constraint];
    int32_t first = all ? 0 : c->first_row, count = all ? sim->zm->m : c->row_count;
    add_row_forces(sim, lambda, first, count);
    return take_row_force(sim, first, count, what->kind == ZM_REACTION_ON ? what->coordinate : -1);
}

void zr_measure(zw_sim *sim, const double *lambda)
{
    for (int32_t k = 0; k < sim->zm->measure_count; k++)
        if (sim->zm->measures[k].kind <= ZM_SHOWN_CONTROL) /* others: zr_show_measures */
            sim->measure[k] = compute_measure(sim, &sim->zm->measures[k], lambda);
}

/* ---------------------------------------------------------------------- dense */

/* diagonal: M is a diagonal, of which [n] is wanted; else both triangles. */
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

/* The diagonal is the first entry of each row. */
void zr_find_inertias(zw_sim *sim, const zk_source *s, double *inertia, double *island)
{
    zr_evaluate_dynamics(sim, s);
    for (int32_t i = 0; i < sim->zm->n; i++) {
        inertia[i] = sim->M[sim->model->M.start[i]];
        island[i] = sim->model->island[i];
    }
}

/* By rows. */
void zr_expand_rows(const zw_sim *sim, double *A)
{
    const zr_pattern *p = &sim->model->A;
    size_t n = (size_t)sim->zm->n;
    if (p->rows > 0) memset(A, 0, sizeof *A * n * (size_t)p->rows);
    for (int32_t i = 0; i < p->rows; i++)
        for (int32_t k = p->start[i]; k < p->start[i + 1]; k++)
            A[(size_t)i * n + (size_t)p->column[k]] = sim->A[k];
}

/* Without a weight in the model it is the identity. */
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

/* ------------------------------------------------------------------ sizes */

/* A rod has |phi| about l^2 and |A| about 2 l: their ratio is a length. Coordinates that no row
 * holds have the size of their value, or 1. */
void zr_local_sizes(zw_sim *sim, double *size)
{
    const zr_pattern *A = &sim->model->A;
    zk_source s = zr_source(sim, sim->t, sim->q, sim->v);
    zr_evaluate_levels(sim, &s);
    zr_evaluate_rows(sim, &s);
    for (int32_t j = 0; j < sim->zm->n; j++) size[j] = HUGE_VAL;
    for (int32_t i = 0; i < A->rows; i++) {
        double largest = 0.0;
        for (int32_t p = A->start[i]; p < A->start[i + 1]; p++)
            largest = fmax(largest, fabs(sim->A[p]));
        double ratio = sim->level[2 * A->rows + i] / largest;
        for (int32_t p = A->start[i]; p < A->start[i + 1] && ratio > 0.0; p++)
            size[A->column[p]] = fmin(size[A->column[p]], ratio);
    }
    for (int32_t j = 0; j < sim->zm->n; j++)
        if (!isfinite(size[j])) size[j] = fabs(sim->q[j]) > 0.0 ? fabs(sim->q[j]) : 1.0;
}
