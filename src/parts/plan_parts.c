/*
 * Planning: from a system to programs, tables and arrays.
 *
 *     survey ─▶ cut ─▶ parts ─▶ shapes ─▶ programs      classes: shapes that parts have
 *                       │                  │
 *                       ├──▶ lane order ◀──┘            [class][group][coordinate][lane]
 *                       └──▶ rows between (rows_between.c)
 *
 * All memory is taken here, from one arena; the programs and the matrix apart.
 */
#include <string.h>
#include <time.h>

#include "costs.h"
#include "plan_parts.h"

enum {
    least_parts = 3, /* of a shape that is kept whole */
    most_shapes = 40,
};
/* Down stores for back what fits into a cache; otherwise back computes it again (PARTS 7). */
static bool stores(const ze_lanes *l, const ze_choice *choice)
{
    return choice->store == 0 ? ze_stored_row_bytes * l->m <= ze_stored_bytes : choice->store == 2;
}

static double now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------------------------- classes */

static zw_status make_class(ze_lanes *l, const ze_parts *p, int32_t shape, bool store)
{
    ze_class *c = &l->classes[l->class_count++];
    ze_shape description;
    ze_making making = {.store = store, .dependent = l->dependent};
    c->sorts = p->sorts.data[shape];
    c->outer = c->sorts.owned + c->sorts.shared;
    c->part = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)p->blocks.data[shape]);
    if (!c->part) return l->arena.failure;
    for (int32_t k = 0; k < p->count; k++)
        if (p->shape[k] == shape) c->part[c->parts++] = k;
    c->groups = (c->parts - 1) / l->width + 1;
    ZB_TRY(ze_describe_shape(p, shape, &l->arena, &description, &c->values));
    c->value_count = description.value_count;
    ZB_TRY(ze_make_programs(l->memory, &l->arena, &description, &making, &c->programs));
    l->facts.operations += c->programs.compiled;
    return ZW_OK;
}

static zw_status make_classes(ze_lanes *l, const ze_parts *p, bool store)
{
    int32_t used = 0;
    for (int32_t k = 0; k < p->shape_count; k++) used += p->blocks.data[k] > 0;
    if (used > most_shapes) return ZW_ERR_LARGE;
    l->classes = ZB_NEW_ARRAY(&l->arena, ze_class, (size_t)used + 1);
    if (!l->classes) return l->arena.failure;
    for (int32_t k = 0; k < p->shape_count; k++)
        if (p->blocks.data[k] > 0) ZB_TRY(make_class(l, p, k, store));
    return ZW_OK;
}

/* --------------------------------------------------------------------- lane order */

static int32_t most_outputs(const ze_class *c)
{
    int32_t most = 0;
    for (int k = 0; k < ZE_PURPOSE_COUNT; k++) {
        int32_t outputs = c->programs.duty[k].down.outputs;
        most = outputs > most ? outputs : most;
    }
    int32_t end = ze_carried_at(c) + c->programs.duty[ZE_REFINED].down.outputs;
    return most > end ? most : end;
}

static zw_status lay_out(ze_lanes *l)
{
    int64_t state = 0, inner = 0, out = 0;
    for (int32_t k = 0; k < l->class_count; k++) {
        ze_class *c = &l->classes[k];
        int64_t lanes = (int64_t)c->groups * l->width;
        c->out_step = most_outputs(c);
        c->state_at = (int32_t)state;
        c->inner_at = (int32_t)inner;
        c->out_at = (int32_t)out;
        state += lanes * c->sorts.own;
        inner += lanes * c->sorts.inner;
        out += lanes * c->out_step;
        if (state > INT32_MAX || inner > INT32_MAX || out > INT32_MAX) return ZW_ERR_LARGE;
    }
    l->size = (int32_t)state;
    l->inner_count = (int32_t)inner;
    l->out = zb_arena_take(&l->arena, zb_product((size_t)out + 8, sizeof(double)), 64);
    l->inner = zb_arena_take(&l->arena, zb_product((size_t)inner + 8, sizeof(double)), 64);
    l->from = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)state + 1);
    l->mask = ZB_NEW_ARRAY(&l->arena, double, (size_t)state + 1);
    l->place = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)l->n + 1);
    l->row_place = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)l->m + 1);
    return l->arena.failure;
}

/* Slot s of part k of a class that has `slots` of them, beginning at `at`. */
static int32_t place_in(const ze_lanes *l, int32_t at, int32_t slots, int32_t k, int32_t s)
{
    return at + (k / l->width * slots + s) * l->width + k % l->width;
}

static void place_class(ze_lanes *l, const ze_parts *p, const ze_class *c)
{
    const ze_sorts *s = &c->sorts;
    for (int32_t k = 0; k < c->groups * l->width; k++) {
        bool real = k < c->parts;
        const int32_t *number = ze_numbers(p, c->part[real ? k : c->parts - 1]);
        for (int32_t j = 0; j < s->own; j++) {
            int32_t at = place_in(l, c->state_at, s->own, k, j);
            l->from[at] = number[j];
            l->mask[at] = real ? 1.0 : 0.0;
            if (real) l->place[number[j]] = at;
        }
        const int32_t *row = number + s->own + s->halo;
        for (int32_t i = 0; i < s->inner && real; i++)
            l->row_place[row[i]] = place_in(l, c->inner_at, s->inner, k, i);
    }
}

/* Parts whose coordinates are those of the first, all moved by one number, are packed without
 * looking each of them up. */
static zw_status find_bases(ze_lanes *l, const ze_parts *p, ze_class *c)
{
    int32_t lanes = c->groups * l->width;
    const int32_t *first = ze_numbers(p, c->part[0]);
    int32_t *base = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)lanes);
    c->offset = ZB_NEW_ARRAY(&l->arena, int32_t, (size_t)c->sorts.own + 1);
    if (l->arena.failure != ZW_OK) return l->arena.failure;
    for (int32_t j = 0; j < c->sorts.own; j++) c->offset[j] = first[j] - first[0];
    for (int32_t k = 0; k < lanes; k++) {
        const int32_t *number = ze_numbers(p, c->part[k < c->parts ? k : c->parts - 1]);
        base[k] = number[0];
        for (int32_t j = 0; j < c->sorts.own; j++)
            if (number[j] != base[k] + c->offset[j]) return ZW_OK;
    }
    c->base = base;
    return ZW_OK;
}

static zw_status place_halos(ze_lanes *l, const ze_parts *p)
{
    for (int32_t x = 0; x < l->class_count; x++) {
        ze_class *c = &l->classes[x];
        const ze_sorts *s = &c->sorts;
        size_t count = (size_t)c->groups * (size_t)s->halo * (size_t)l->width;
        c->halo = ZB_NEW_ARRAY(&l->arena, int32_t, count + 1);
        c->halo_from = ZB_NEW_ARRAY(&l->arena, int32_t, count + 1);
        if (l->arena.failure != ZW_OK) return l->arena.failure;
        for (int32_t k = 0; k < c->groups * l->width; k++) {
            const int32_t *number = ze_numbers(p, c->part[k < c->parts ? k : c->parts - 1]);
            for (int32_t h = 0; h < s->halo; h++) {
                int32_t at = place_in(l, 0, s->halo, k, h);
                c->halo_from[at] = number[s->own + h];
                c->halo[at] = l->place[number[s->own + h]];
            }
        }
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------- for runs */

static size_t most_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void measure_code(const ze_code *c, size_t *workspace, size_t *reads, size_t *out)
{
    if (!c->program) return;
    *workspace = most_of(*workspace, zk_workspace(c->program));
    *reads = most_of(*reads, (size_t)c->read_count);
    *out = most_of(*out, (size_t)c->outputs);
}

/* Every code of a class. */
enum { code_count = 3 * ZE_PURPOSE_COUNT + 4 };
static void list_codes(ze_programs *p, ze_code **list)
{
    for (int k = 0; k < ZE_PURPOSE_COUNT; k++) {
        *list++ = &p->duty[k].down;
        *list++ = &p->duty[k].back;
        *list++ = &p->duty[k].back_full;
    }
    *list++ = &p->look[0];
    *list++ = &p->look[1];
    *list++ = &p->prelude;
    *list++ = &p->uniform_prelude;
}

static double *lanes_of(ze_lanes *l, size_t slots)
{
    size_t count = slots * (size_t)l->width + 8;
    return zb_arena_take(&l->arena, zb_product(count, sizeof(double)), 64);
}

static zw_status take_desks(ze_lanes *l)
{
    size_t workspace = 1, reads = 1, out = 1, own = 1;
    ze_code *codes[code_count];
    for (int32_t k = 0; k < l->class_count; k++) {
        ze_class *c = &l->classes[k];
        list_codes(&c->programs, codes);
        for (int i = 0; i < code_count; i++) measure_code(codes[i], &workspace, &reads, &out);
        reads = most_of(reads, (size_t)c->value_count); /* of preludes */
        own = most_of(own, (size_t)c->sorts.own);
        c->packed = lanes_of(l, (size_t)c->groups * (size_t)c->programs.packed);
        c->uniform = lanes_of(l, ze_uniform_count + (size_t)c->programs.packed_uniform);
    }
    l->desks = ZB_NEW_ARRAY(&l->arena, ze_desk, (size_t)l->workers);
    for (int32_t k = 0; l->desks && k < l->workers; k++)
        l->desks[k] = (ze_desk){lanes_of(l, workspace), lanes_of(l, reads), lanes_of(l, out),
                                lanes_of(l, 2 * own)};
    return l->arena.failure;
}

static int32_t groups_at_once(const ze_lanes *l, const ze_class *c)
{
    int64_t operations = c->programs.operations * l->width + 1;
    int64_t groups = ze_chunk_operations / operations + 1;
    return groups > c->groups ? c->groups : (int32_t)groups;
}

static zw_status cut_chunks(ze_lanes *l)
{
    int32_t count = 0;
    double work = 0.0;
    for (int32_t k = 0; k < l->class_count; k++) {
        const ze_class *c = &l->classes[k];
        count += (c->groups - 1) / groups_at_once(l, c) + 1;
        work += (double)c->groups * l->width * (double)c->programs.operations;
    }
    l->busy = work > ze_team_operations;
    l->chunks = ZB_NEW_ARRAY(&l->arena, ze_stint, (size_t)count);
    if (!l->chunks) return l->arena.failure;
    for (int32_t k = 0; k < l->class_count; k++) {
        const ze_class *c = &l->classes[k];
        int32_t step = groups_at_once(l, c);
        for (int32_t g = 0; g < c->groups; g += step)
            l->chunks[l->chunk_count++] =
                (ze_stint){k, g, c->groups - g < step ? c->groups : g + step, {0}};
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ planning */

static void note_facts(ze_lanes *l, const ze_division *cut)
{
    ze_facts *f = &l->facts;
    ze_matrix_facts below = {0};
    if (l->matrix) ze_matrix_facts_of(l->matrix, &below);
    f->rule = ze_rule_name(cut->rule);
    f->size = cut->size;
    f->width = l->width;
    f->shapes = l->class_count;
    for (int32_t k = 0; k < l->class_count; k++) {
        f->parts += l->classes[k].parts;
        f->groups += l->classes[k].groups;
    }
    f->between = l->between;
    f->levels = below.levels;
    f->rest = below.rest;
    f->operations += below.operations;
    f->bytes = l->arena.held + below.bytes;
    f->cost = cut->cost;
}

static zw_status build(ze_lanes *l, const ze_parts *p, const ze_choice *choice)
{
    double began = now();
    l->facts.stores = stores(l, choice);
    ZB_TRY(make_classes(l, p, l->facts.stores));
    l->facts.program_seconds = now() - began;
    began = now();
    ZB_TRY(lay_out(l));
    for (int32_t k = 0; k < l->class_count; k++) {
        place_class(l, p, &l->classes[k]);
        ZB_TRY(find_bases(l, p, &l->classes[k]));
    }
    ZB_TRY(place_halos(l, p));
    ZB_TRY(ze_plan_between(l, p));
    ZB_TRY(take_desks(l));
    ZB_TRY(cut_chunks(l));
    l->facts.table_seconds = now() - began;
    return ZW_OK;
}

/* Without registers of 8 numbers 8 lanes are pairs of 4: two programs interleaved, which hides that
 * divisions take long, in half of the registers. That pays where little is alive at a time: parts
 * with two outer rows, as in chains (PARTS 7). */
static int32_t best_width(const ze_parts *p)
{
    enum { few = 2 };
    int64_t narrow = 0, wide = 0;
    if (zb_cpu() >= ZB_CPU_AVX512 || zk_best_width() == 4) return zk_best_width();
    for (int32_t k = 0; k < p->shape_count; k++) {
        const ze_sorts *s = &p->sorts.data[k];
        int64_t coordinates = (int64_t)p->blocks.data[k] * s->own;
        *(s->owned + s->shared <= few ? &narrow : &wide) += coordinates;
    }
    return narrow >= wide ? 8 : 4;
}

static zw_status plan(ze_lanes *l, const ze_survey *s, const ze_choice *choice, bool *serves)
{
    ze_division cut = {0};
    ze_parts parts = {0};
    zb_arena scratch;
    double began = now();
    zb_arena_init(&scratch, l->memory, 0);
    zw_status status = ze_choose_cut(s, choice, l->width, &scratch, &cut);
    *serves = status == ZW_OK && cut.count > 0;
    if (*serves) status = ze_parts_make(s, cut.part, cut.count, least_parts, &parts);
    l->facts.partition_seconds = now() - began;
    if (*serves && status == ZW_OK && choice->width == 0) l->width = best_width(&parts);
    if (*serves && status == ZW_OK) status = build(l, &parts, choice);
    if (*serves && status == ZW_OK) note_facts(l, &cut);
    ze_parts_clear(&parts);
    zb_arena_clear(&scratch);
    return status;
}

zw_status ze_plan(zb_memory *memory, const ze_system *system, const ze_choice *choice,
                  ze_lanes **out)
{
    ze_survey survey;
    bool serves = false;
    *out = NULL;
    ZB_TRY(ze_survey_make(memory, system, &survey));
    ze_lanes *l = survey.serves ? zb_resize(memory, NULL, 0, sizeof *l) : NULL;
    zw_status status = survey.serves && !l ? memory->failure : ZW_OK;
    if (l) {
        *l = (ze_lanes){.memory = memory,
                        .n = system->n,
                        .m = system->m,
                        .width = choice->width > 0 ? choice->width : zk_best_width(),
                        .dependent = choice->dependent,
                        .workers = choice->workers > 1 ? choice->workers : 1};
        zb_arena_init(&l->arena, memory, 0);
        l->numbers = zb_arena_copy(&l->arena, survey.numbers,
                                   sizeof(double) * (size_t)survey.number_count, sizeof(double));
        status = survey.number_count > 0 && !l->numbers ? l->arena.failure
                                                        : plan(l, &survey, choice, &serves);
        if (status != ZW_OK || !serves) {
            ze_free(l);
            l = NULL;
        }
    }
    ze_survey_clear(&survey);
    *out = l;
    return status == ZW_ERR_LARGE ? ZW_OK : status;
}

void ze_free(ze_lanes *l)
{
    if (!l) return;
    zb_memory *memory = l->memory;
    zk_native_free(l->native);
    for (int32_t k = 0; k < l->class_count; k++) ze_programs_clear(&l->classes[k].programs);
    ze_matrix_free(l->matrix);
    zb_arena_clear(&l->arena);
    zb_resize(memory, l, sizeof *l, 0);
}

void ze_facts_of(const ze_lanes *l, ze_facts *facts)
{
    *facts = l->facts;
}

/* ------------------------------------------------------------------- machine code */

void ze_make_native(ze_lanes *l, zk_native_report *report)
{
    zk_native_report own = {0};
    int32_t count = 0, below = l->matrix ? ze_matrix_programs(l->matrix, NULL) : 0;
    ze_code *codes[code_count];
    zb_arena arena;
    if (l->native) return;
    zb_arena_init(&arena, l->memory, 0);
    size_t most = (size_t)below + (size_t)l->class_count * code_count;
    zk_program **list = ZB_NEW_ARRAY(&arena, zk_program *, most + 1);
    if (list) {
        if (l->matrix) count = ze_matrix_programs(l->matrix, list);
        for (int32_t k = 0; k < l->class_count; k++) {
            list_codes(&l->classes[k].programs, codes);
            for (int i = 0; i < code_count - 2; i++)
                if (codes[i]->program) list[count++] = codes[i]->program;
        }
        zk_make_native(l->memory, list, count, l->width, &l->native, &own);
    }
    zb_arena_clear(&arena);
    if (report) *report = own;
}
