/*
 * A shape in local numbers, from its first part: elements with the local numbers of their slots,
 * and where their outputs belong.
 *
 *     part   7 8 | 9 | rod 4, rod 5 | ...      coordinates, rows, elements, canonical order
 *     local  0 1 | 2 | 0,     1     | ...
 *
 * Values come by column: local value v is the same slot of the same element of every part. Columns
 * that hold one number everywhere are uniform; equal columns are one value.
 */
#include <string.h>

#include "part_shapes.h"

typedef struct describer {
    const ze_parts *p;
    const ze_survey *s;
    zb_arena *arena;
    int32_t shape;
    ze_part_counts counts;
    const int32_t *numbers; /* of the first part */
    int32_t *parts;         /* [part_count] the parts of the shape */
    int32_t part_count;
    ze_shape *out;
    int32_t **column; /* [value_count] of each value: its number in every part */
    uint64_t *hash;   /* [value_count] */
} describer;

static const int32_t *elements_of_part(const describer *d, int32_t part)
{
    return ze_part_numbers(d->p, part) + ze_part_total(&d->counts) - d->counts.elements;
}

/* Where a number stands in a list, -1: nowhere. Lists of a part are short. */
static int32_t find_number(const int32_t *list, int32_t count, int32_t number)
{
    for (int32_t k = 0; k < count; k++)
        if (list[k] == number) return k;
    return -1;
}

static int32_t local_coordinate(const describer *d, int32_t j)
{
    return find_number(d->numbers, d->counts.own + d->counts.halo, j);
}

static int32_t local_row(const describer *d, int32_t i)
{
    const ze_part_counts *s = &d->counts;
    return find_number(d->numbers + s->own + s->halo, s->inner + s->owned + s->shared, i);
}

/* ------------------------------------------------------------------------- values */

/* The numbers of a value slot of an element in all parts; into column [part_count]. */
static void read_column(const describer *d, int32_t element, int32_t slot, int32_t *column)
{
    for (int32_t k = 0; k < d->part_count; k++) {
        int32_t e = elements_of_part(d, d->parts[k])[element];
        const ze_family *f = &d->s->families[d->s->family_of[e]];
        column[k] = ze_binding(f, e)[f->value_at + slot];
    }
}

/* Whether all parts have the same number there. */
static bool is_uniform_column(const int32_t *column, int32_t count)
{
    for (int32_t k = 1; k < count; k++)
        if (column[k] != column[0]) return false;
    return true;
}

/* The local value of a column, which is kept when it is a new one. */
static int32_t find_or_add_value(describer *d, int32_t element, int32_t slot, zb_arena *scratch)
{
    ze_shape *out = d->out;
    size_t bytes = sizeof(int32_t) * (size_t)d->part_count;
    zb_mark mark = zb_arena_mark(scratch);
    int32_t *column = ZB_NEW_ARRAY(scratch, int32_t, (size_t)d->part_count);
    if (!column) return -1;
    read_column(d, element, slot, column);
    uint64_t hash = zb_hash_bytes(column, bytes);
    for (int32_t v = 0; v < out->value_count; v++) {
        if (d->hash[v] != hash || memcmp(d->column[v], column, bytes) != 0) continue;
        zb_arena_release(scratch, mark);
        return v;
    }
    int32_t v = out->value_count++;
    ((bool *)(uintptr_t)out->uniform)[v] = is_uniform_column(column, d->part_count);
    d->column[v] = column;
    d->hash[v] = hash;
    return v;
}

/* ----------------------------------------------------------------------- elements */

/* Where output o of M or Q belongs, `place` as the terms have it; -1 outside the own
 * coordinates. */
static ze_spot dynamics_spot(const describer *d, const ze_terms *t, int32_t o, int32_t place)
{
    int32_t at = place < 0 ? ~place : place, own = d->counts.own;
    if (o >= t->matrix) {
        int32_t i = find_number(d->numbers, own, at);
        return (ze_spot){.row = i, .column = i};
    }
    return (ze_spot){.row = find_number(d->numbers, own, d->s->M_row[at]),
                     .column = find_number(d->numbers, own, d->s->system.M.column[at]),
                     .twice = place < 0};
}

/* Where output o of A, b or levels belongs; -1: to a row or coordinate that is not of this part. */
static ze_spot row_spot(const describer *d, const ze_terms *t, int32_t o, int32_t place)
{
    if (t->target == ZE_TO_LEVELS) {
        int32_t m = d->s->system.m;
        return (ze_spot){.row = local_row(d, place % m), .column = place / m};
    }
    if (o >= t->matrix) return (ze_spot){.row = local_row(d, place)};
    return (ze_spot){.row = local_row(d, d->s->A_row[place]),
                     .column = local_coordinate(d, d->s->system.A.column[place])};
}

/* Slots of the terms of an element, by slot: local coordinates, local values. */
typedef struct bindings {
    int32_t *coordinate, *value;
} bindings;

/* What the slots of an element are in local numbers; -1 for those that no term reads. */
static zw_status bind_element(describer *d, int32_t element, zb_arena *scratch, bindings *b)
{
    int32_t e = elements_of_part(d, d->parts[0])[element];
    const ze_family *f = &d->s->families[d->s->family_of[e]];
    int32_t values = f->stride - f->value_at;
    b->coordinate = ZB_NEW_ARRAY(d->arena, int32_t, (size_t)f->value_at + 1);
    b->value = ZB_NEW_ARRAY(d->arena, int32_t, (size_t)values + 1);
    if (d->arena->failure != ZW_OK) return d->arena->failure;
    for (int32_t k = 0; k < f->value_at; k++) b->coordinate[k] = -1;
    for (int32_t k = 0; k < values; k++) b->value[k] = -1;
    for (int32_t k = 0; k < f->slot_count; k++)
        b->coordinate[f->slots[k]] = local_coordinate(d, ze_binding(f, e)[f->slots[k]]);
    for (int32_t k = 0; k < f->value_count; k++)
        b->value[f->values[k]] = find_or_add_value(d, element, f->values[k], scratch);
    return scratch->failure;
}

/* One term of element e, as it is in the shape: all its outputs, with where they belong. */
static zw_status describe_terms(describer *d, const bindings *b, int32_t e, int32_t terms,
                                ze_element *out)
{
    const ze_terms *t = &d->s->system.terms[terms];
    const ze_family *f = &d->s->families[d->s->family_of[e]];
    const int32_t *place = t->place + (size_t)(e - f->first) * (size_t)t->outputs;
    ze_spot *spot = ZB_NEW_ARRAY(d->arena, ze_spot, (size_t)t->outputs);
    if (!spot) return d->arena->failure;
    for (int32_t o = 0; o < t->outputs; o++)
        spot[o] = t->target == ZE_TO_DYNAMICS ? dynamics_spot(d, t, o, place[o])
                                              : row_spot(d, t, o, place[o]);
    *out = (ze_element){.terms = terms,
                        .count = t->outputs,
                        .coordinate = b->coordinate,
                        .value = b->value,
                        .spot = spot};
    return ZW_OK;
}

/* All elements, each with every term of its family; their values on the way. */
static zw_status describe_elements(describer *d, zb_arena *scratch)
{
    const int32_t *element = elements_of_part(d, d->parts[0]);
    int32_t count = 0, values = 0;
    for (int32_t k = 0; k < d->counts.elements; k++) {
        const ze_family *f = &d->s->families[d->s->family_of[element[k]]];
        count += f->term_count;
        values += f->value_count;
    }
    ze_element *list = ZB_NEW_ARRAY(d->arena, ze_element, (size_t)count + 1);
    d->out->elements = list;
    d->out->uniform = ZB_NEW_ARRAY(d->arena, bool, (size_t)values + 1);
    d->column = ZB_NEW_ARRAY(scratch, int32_t *, (size_t)values + 1);
    d->hash = ZB_NEW_ARRAY(scratch, uint64_t, (size_t)values + 1);
    if (d->arena->failure != ZW_OK) return d->arena->failure;
    if (scratch->failure != ZW_OK) return scratch->failure;
    for (int32_t k = 0; k < d->counts.elements; k++) {
        const ze_family *f = &d->s->families[d->s->family_of[element[k]]];
        bindings b;
        ZB_TRY(bind_element(d, k, scratch, &b));
        for (int32_t j = 0; j < f->term_count; j++)
            ZB_TRY(describe_terms(d, &b, element[k], f->terms[j], &list[d->out->element_count++]));
    }
    return ZW_OK;
}

/* --------------------------------------------------------------------------- rows */

/* Coordinates that M couples are one body here: numbers from 0 on, by the first of them. */
static zw_status number_mass_blocks(describer *d)
{
    int32_t own = d->counts.own, *body = ZB_NEW_ARRAY(d->arena, int32_t, (size_t)own + 1);
    const ze_pattern *M = &d->s->system.M;
    if (!body) return d->arena->failure;
    for (int32_t i = 0; i < own; i++) body[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 0; i < own; i++)
            /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): of every part */
            for (int32_t k = M->start[d->numbers[i]]; k < M->start[d->numbers[i] + 1]; k++) {
                int32_t j = find_number(d->numbers, own, M->column[k]);
                int32_t least = body[i] < body[j] ? body[i] : body[j];
                changed = changed || body[i] != body[j];
                body[i] = body[j] = least;
            }
    }
    for (int32_t i = 0; i < own; i++) body[i] = body[i] == i ? d->out->bodies++ : body[body[i]];
    d->out->body = body;
    return ZW_OK;
}

/* Which rows the part adds b of, and what kind they are. Inner and owned rows come first. */
static zw_status describe_rows(describer *d)
{
    const ze_part_counts *s = &d->counts;
    int32_t rows = s->inner + s->owned + s->shared;
    const int32_t *row = d->numbers + s->own + s->halo;
    bool *owned = ZB_NEW_ARRAY(d->arena, bool, (size_t)rows + 1);
    ze_row_kind *kind = ZB_NEW_ARRAY(d->arena, ze_row_kind, (size_t)rows + 1);
    if (d->arena->failure != ZW_OK) return d->arena->failure;
    for (int32_t k = 0; k < rows; k++) {
        owned[k] = k < s->inner + s->owned;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): of every part */
        kind[k] = d->s->system.kinds[row[k]];
    }
    d->out->owned = owned;
    d->out->kind = kind;
    return ZW_OK;
}

/* The parts of the shape in their order; the first of them is described. */
static zw_status list_parts_of_shape(describer *d)
{
    d->part_count = 0;
    d->parts = ZB_NEW_ARRAY(d->arena, int32_t, (size_t)d->p->parts_with.data[d->shape] + 1);
    if (!d->parts) return d->arena->failure;
    for (int32_t k = 0; k < d->p->count; k++)
        if (d->p->shape[k] == d->shape) d->parts[d->part_count++] = k;
    d->numbers = ze_part_numbers(d->p, d->parts[0]);
    return ZW_OK;
}

/* All of the description; value_of [parts * values] is turned round from columns to parts. */
static zw_status describe_shape(describer *d, zb_arena *scratch, int32_t **value_of)
{
    ze_shape *out = d->out;
    ZB_TRY(list_parts_of_shape(d));
    *out = (ze_shape){.system = &d->s->system,
                      .own = d->counts.own,
                      .halo = d->counts.halo,
                      .inner = d->counts.inner,
                      .outer = d->counts.owned + d->counts.shared};
    ZB_TRY(number_mass_blocks(d));
    ZB_TRY(describe_rows(d));
    ZB_TRY(describe_elements(d, scratch));
    size_t values = (size_t)out->value_count, part_count = (size_t)d->part_count;
    *value_of = ZB_NEW_ARRAY(d->arena, int32_t, zb_product(values, part_count) + 1);
    if (!*value_of) return d->arena->failure;
    for (size_t k = 0; k < part_count; k++)
        for (size_t v = 0; v < values; v++) (*value_of)[k * values + v] = d->column[v][k];
    return ZW_OK;
}

/* Columns of values are scratch; all else is in the caller's arena. */
zw_status ze_describe_shape(const ze_parts *p, int32_t shape, zb_arena *arena, ze_shape *out,
                            int32_t **value_of)
{
    describer d = {.p = p,
                   .s = p->survey,
                   .arena = arena,
                   .shape = shape,
                   .counts = p->counts.data[shape],
                   .out = out};
    zb_arena scratch;
    zb_arena_init(&scratch, p->memory, 0);
    zw_status status = describe_shape(&d, &scratch, value_of);
    zb_arena_clear(&scratch);
    return status;
}
