/*
 * Models built by hand, as elaboration would hand them to the passes after it: names, raw families
 * with their tables, items. And an assembler that adds up M, Q, C, A, b of all families and
 * instances at a state, by zx_evaluate.
 */
#ifndef STAGE_H
#define STAGE_H

#include "../base/counting.h"

#include <math.h>

#include "build.h"

enum { STAGE_ITEMS = 2048 };

typedef struct stage {
    counting c;
    zb_memory memory;
    jmp_buf escape;
    zb_diag_list diagnostics;
    zm_model model;
    zm_builder b;
    /* room for what the model's pointers show */
    zm_block coordinates[16], parameters[16];
    zm_part parts[8];
    double values[64];
    bool used[16];
    zm_constraint constraints[STAGE_ITEMS];
    zm_weight weights[16];
    zm_start_value start_values[16];
    zm_start_equation start_equations[16];
    zm_event events[16];
    zm_measure measures[16];
} stage;

static const char stage_source[] = "param and coord and what else stands in a model";

static inline void stage_init(stage *s)
{
    zm_model *model = &s->model;
    memset(s, 0, sizeof *s);
    counting_init(&s->c, &s->memory);
    zb_diag_init(&s->diagnostics, &s->memory);
    model->memory = &s->memory;
    zb_arena_init(&model->arena, &s->memory, 0);
    model->arena.escape = &s->escape;
    zl_unit_init(&model->unit, &model->arena, &s->diagnostics);
    zx_pool_init(&model->pool, &s->memory, &s->escape, true);
    zx_pool_init(&s->b.shapes, &s->memory, &s->escape, false);
    s->b.model = model;
    s->b.unit = &model->unit;
    s->b.memory = &s->memory;
    s->b.escape = &s->escape;
    model->coordinates = s->coordinates;
    model->parameters = s->parameters;
    model->parts = s->parts;
    model->values = s->values;
    model->used = s->used;
    model->constraints = s->constraints;
    model->weights = s->weights;
    model->start_values = s->start_values;
    model->start_equations = s->start_equations;
    model->events = s->events;
    model->measures = s->measures;
}

/* Ends a stage, also one that was left by a jump; nothing may be held then. */
static inline void stage_free(stage *s)
{
    zm_model *model = &s->model;
    for (int32_t i = 0; i < model->family_count; i++) {
        zm_family *f = &model->families[i];
        zb_resize(&s->memory, f->table, (size_t)f->count * (size_t)f->stride * 4, 0);
        zb_resize(&s->memory, f->items, (size_t)f->count * 4, 0);
    }
    for (int32_t k = 0; k < s->b.raw.count; k++) {
        zm_raw_family *raw = &s->b.raw.data[k];
        zb_resize(&s->memory, raw->family.table, (size_t)raw->table_capacity * 4, 0);
        zb_resize(&s->memory, raw->family.items, (size_t)raw->item_capacity * 4, 0);
    }
    zb_array_free(&s->memory, &s->b.raw);
    zx_pool_free(&s->b.shapes);
    zx_pool_free(&model->pool);
    zl_unit_free(&model->unit);
    zb_arena_clear(&model->arena);
    zb_diag_free(&s->diagnostics);
    assert_nothing_held(&s->c, &s->memory);
}

/* -------------------------------------------------------------------- names */

static inline zm_label stage_label(stage *s, const char *name)
{
    return (zm_label){.scope = -1, .name = zl_intern(&s->model.unit, name, strlen(name))};
}

/* Declares coordinates; the number of the first. Places are made up: one a declaration. */
static inline int32_t stage_coord(stage *s, const char *name, int32_t rows, int32_t columns)
{
    int32_t first = s->model.n, k = s->model.coordinate_blocks++;
    s->coordinates[k] = (zm_block){stage_label(s, name), {0, 10 + k, 1}, first, rows, columns};
    s->model.n += columns > 0 ? rows * columns : rows > 0 ? rows : 1;
    return first;
}

static inline int32_t stage_param(stage *s, const char *name, double value)
{
    int32_t k = s->model.parameter_blocks++, first = s->model.parameter_count++;
    s->parameters[k] = (zm_block){stage_label(s, name), {0, 30 + k, 1}, first, 0, 0};
    s->values[first] = value;
    s->used[k] = true;
    s->model.value_count = s->model.first_hidden = s->model.parameter_count;
    return first;
}

/* A constant that instances are bound to; after all parameters. */
static inline int32_t stage_constant(stage *s, double value)
{
    s->values[s->model.value_count] = value;
    s->model.first_hidden++;
    return s->model.value_count++;
}

/* -------------------------------------------------------------- expressions */

#define Q(i) zx_leaf(&s->b.shapes, ZX_POSITION, i)
#define V(i) zx_leaf(&s->b.shapes, ZX_VELOCITY, i)
#define Z(i) zx_leaf(&s->b.shapes, ZX_ACCELERATION, i)
#define P(i) zx_leaf(&s->b.shapes, ZX_VALUE, i)
#define MEASURE(i) zx_leaf(&s->b.shapes, ZX_MEASURE, i)
#define TIME zx_leaf(&s->b.shapes, ZX_TIME, 0)
#define NUM(x) zx_number(&s->b.shapes, x)
#define ADD(a, b) stage_binary(s, ZX_ADD, a, b)
#define SUB(a, b) stage_binary(s, ZX_SUB, a, b)
#define MUL(a, b) stage_binary(s, ZX_MUL, a, b)
#define DIV(a, b) stage_binary(s, ZX_DIV, a, b)
#define SQR(a) zx_power(&s->b.shapes, a, 2)
#define SIN(a) zx_unary(&s->b.shapes, ZX_SIN, a)
#define COS(a) zx_unary(&s->b.shapes, ZX_COS, a)

/* Makes the leaves of a model in the order q0, v0, z0, q1, ..., so that C's order of evaluation
 * does not show in what is printed. */
static inline void stage_leaves(stage *s, int32_t coordinates, int32_t values)
{
    for (int32_t i = 0; i < coordinates; i++) Q(i), V(i), Z(i);
    for (int32_t i = 0; i < values; i++) P(i);
}

static inline zx_node stage_binary(stage *s, zx_op op, zx_node a, zx_node b)
{
    return zx_binary(&s->b.shapes, op, a, b);
}

/* ------------------------------------------------------------- raw families */

static inline zm_raw_family *stage_raw(stage *s, zm_kind kind, const zx_node *roots,
                                       int32_t root_count, int32_t coordinates, int32_t values)
{
    zm_raw_family raw = {.family = {.kind = kind,
                                    .coordinates = coordinates,
                                    .values = values,
                                    .stride = coordinates + values,
                                    .root_count = root_count,
                                    .place = {0, (int32_t)kind, 1}}};
    raw.family.roots = zb_arena_copy(&s->model.arena, roots, (size_t)root_count * sizeof *roots,
                                     _Alignof(zx_node));
    raw.nodes = (int32_t)zx_operation_count(&s->b.shapes, roots, root_count) + coordinates + values;
    if (!zb_array_push(&s->memory, &s->b.raw, raw)) longjmp(s->escape, 1);
    return &s->b.raw.data[s->b.raw.count - 1];
}

static inline void stage_grow(stage *s, int32_t **data, int32_t *capacity, int32_t count,
                              int32_t more)
{
    if (more > 0 && !zb_array_grow(&s->memory, data, capacity, count, more, sizeof(int32_t)))
        longjmp(s->escape, 1);
}

/* One instance of the last raw family, bound to row [stride]; where it is. */
static inline zm_where stage_bind(stage *s, const int32_t *row, int32_t item)
{
    zm_raw_family *raw = &s->b.raw.data[s->b.raw.count - 1];
    zm_family *f = &raw->family;
    stage_grow(s, &f->table, &raw->table_capacity, f->count * f->stride, f->stride);
    stage_grow(s, &f->items, &raw->item_capacity, f->count, 1);
    for (int32_t k = 0; k < f->stride; k++) f->table[f->count * f->stride + k] = row[k];
    f->items[f->count++] = item;
    return (zm_where){s->b.raw.count - 1, f->count - 1, 0, f->root_count};
}

static inline void stage_targets(stage *s, zm_raw_family *raw, const int32_t *targets,
                                 int32_t count)
{
    raw->family.targets =
        zb_arena_copy(&s->model.arena, targets, (size_t)count * sizeof *targets, _Alignof(int32_t));
    raw->family.target_count = count;
}

/* A term over the coordinates and values themselves, one instance: the slots are 0, 1, ... */
static inline zm_raw_family *stage_term(stage *s, zm_kind kind, zm_energy energy,
                                        const zx_node *roots, int32_t count)
{
    int32_t n = s->model.n, values = s->model.value_count, row[96];
    for (int32_t k = 0; k < n; k++) row[k] = k;
    for (int32_t k = 0; k < values; k++) row[n + k] = k;
    zm_raw_family *raw = stage_raw(s, kind, roots, count, n, values);
    raw->energy = energy;
    stage_bind(s, row, -1);
    return &s->b.raw.data[s->b.raw.count - 1];
}

/* A constraint whose instance has just been bound. */
static inline zm_constraint *stage_constraint(stage *s, const char *name, zm_where where,
                                              bool vector)
{
    zm_constraint *c = &s->constraints[s->model.constraint_count++];
    *c = (zm_constraint){.label = stage_label(s, name),
                         .place = {0, 20, 1},
                         .vector = vector,
                         .first_row = s->model.m,
                         .row_count = where.count,
                         .where = where};
    s->model.m += where.count;
    return c;
}

static inline zm_constraint *stage_row(stage *s, const char *name, const zx_node *roots,
                                       int32_t count)
{
    stage_term(s, ZM_CONSTRAINT, 0, roots, count);
    zm_raw_family *raw = &s->b.raw.data[s->b.raw.count - 1];
    raw->family.items[0] = s->model.constraint_count;
    zm_where where = {s->b.raw.count - 1, 0, 0, count};
    return stage_constraint(s, name, where, count > 1);
}

/* Makes every family of 4 and more instances be kept. */
static inline void stage_keep(stage *s)
{
    for (int32_t k = 0; k < s->b.raw.count; k++) s->b.raw.data[k].nodes = 100000;
}

/* All passes; false when memory ran out. */
static inline bool stage_run(stage *s)
{
    zm_gather(&s->b);
    zm_derive(&s->b);
    zm_inspect(&s->b);
    return true;
}

/* --------------------------------------------------------------- assembling */

typedef struct state {
    const zm_model *model;
    const zm_family *family;
    int32_t instance;
    const double *q, *v, *z, *measures;
    double t;
} state;

static inline double state_leaf(void *user, const zx_item *leaf)
{
    const state *x = user;
    int32_t i;
    switch (leaf->op) {
    case ZX_TIME:
        return x->t;
    case ZX_POSITION:
        return x->q[zm_coordinate_of(x->family, x->instance, leaf->a)];
    case ZX_VELOCITY:
        return x->v[zm_coordinate_of(x->family, x->instance, leaf->a)];
    case ZX_ACCELERATION:
        return x->z[zm_coordinate_of(x->family, x->instance, leaf->a)];
    case ZX_MEASURE:
        return x->measures[zm_measure_of(x->family, x->instance, leaf->a)];
    case ZX_VALUE:
        i = zm_value_of(x->family, x->instance, leaf->a);
        return x->model->values[i];
    default:
        return (double)NAN;
    }
}

static inline double state_value(state *x, zm_model *model, int32_t family, int32_t instance,
                                 zx_node node)
{
    x->model = model;
    x->family = &model->families[family];
    x->instance = instance;
    return zx_evaluate(&model->pool, node, state_leaf, x);
}

/* M [n n], Q, C [n], A [m n], b [m], phi, rate [m]; NULL where not wanted. */
typedef struct matrices {
    double *M, *Q, *C, *A, *b, *phi, *rate;
} matrices;

static inline void assemble_terms(zm_model *model, state *x, int32_t i, int32_t k,
                                  const matrices *out)
{
    const zm_family *f = &model->families[i];
    int32_t n = model->n;
    bool nonideal = f->kind == ZM_NONIDEAL || f->kind == ZM_NONIDEAL_AT;
    double *force = nonideal ? out->C : out->Q;
    for (int32_t e = 0; e < f->mass_count && out->M; e++) {
        int32_t row = zm_coordinate_of(f, k, f->mass[e].row);
        int32_t column = zm_coordinate_of(f, k, f->mass[e].column);
        double value = state_value(x, model, i, k, f->mass[e].node);
        assert_true(f->mass[e].row <= f->mass[e].column);
        out->M[row * n + column] += value;
        if (row != column) out->M[column * n + row] += value;
    }
    for (int32_t e = 0; e < f->force_count && force; e++)
        force[zm_coordinate_of(f, k, f->force[e].row)] +=
            state_value(x, model, i, k, f->force[e].node);
}

static inline void assemble_constraint(zm_model *model, state *x, const zm_constraint *c,
                                       const matrices *out)
{
    int32_t i = c->where.family, k = c->where.instance, n = model->n;
    const zm_family *f = &model->families[i];
    for (int32_t e = 0; e < f->jacobian_count && out->A; e++) {
        int32_t r = f->jacobian[e].row - c->where.root;
        if (r < 0 || r >= c->where.count) continue;
        out->A[(c->first_row + r) * n + zm_coordinate_of(f, k, f->jacobian[e].column)] +=
            state_value(x, model, i, k, f->jacobian[e].node);
    }
    for (int32_t r = 0; r < c->where.count; r++) {
        int32_t root = c->where.root + r, row = c->first_row + r;
        if (out->b) out->b[row] = state_value(x, model, i, k, f->b[root]);
        if (out->phi) out->phi[row] = state_value(x, model, i, k, f->roots[root]);
        if (out->rate && f->rate[root] != ZX_NONE)
            out->rate[row] = state_value(x, model, i, k, f->rate[root]);
    }
}

static inline void assemble(zm_model *model, state *x, const matrices *out)
{
    for (int32_t i = 0; i < model->family_count; i++)
        for (int32_t k = 0; k < model->families[i].count; k++) assemble_terms(model, x, i, k, out);
    for (int32_t c = 0; c < model->constraint_count; c++)
        assemble_constraint(model, x, &model->constraints[c], out);
}

/* Numbers between -1 and 1 that are the same in every run. */
static inline double stage_random(uint64_t *seed)
{
    *seed += UINT64_C(0x9e3779b97f4a7c15);
    return (double)(zb_hash_scramble(*seed) >> 11) / 4503599627370496.0 - 1;
}

static inline void stage_fill(double *x, int32_t count, uint64_t seed)
{
    for (int32_t i = 0; i < count; i++) x[i] = stage_random(&seed);
}

static inline void assert_near(double value, double expected)
{
    double error = fabs(value - expected);
    if (!(error <= 1e-13 * (1 + fabs(expected)))) fail_msg("%.17g is not %.17g", value, expected);
}

#endif
