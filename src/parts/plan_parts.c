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

#include "costs.h"
#include "plan_parts.h"

enum {
    least_parts = 3, /* of a shape that is kept whole */
    most_shapes = 40,
};
/* Down stores for back what fits into a cache; otherwise back computes it again (PARTS 7). */
static bool stores_for_back(const ze_parts_plan *plan, const ze_choice *choice)
{
    return choice->store == 0 ? ze_stored_row_bytes * plan->m <= ze_stored_bytes
                              : choice->store == 2;
}

/* ------------------------------------------------------------------------------------- classes */

/* A class of a shape: its parts in their order, and the programs that serve them. */
static zw_status make_class(ze_parts_plan *plan, const ze_parts *p, int32_t shape, bool store)
{
    ze_class *c = &plan->classes[plan->class_count++];
    ze_shape description;
    ze_program_options options = {.store = store, .dependent = plan->dependent};
    c->counts = p->counts.data[shape];
    c->outer = c->counts.owned + c->counts.shared;
    c->part = ZB_NEW_ARRAY(&plan->arena, int32_t, (size_t)p->parts_with.data[shape]);
    if (!c->part) return plan->arena.failure;
    for (int32_t k = 0; k < p->count; k++)
        if (p->shape[k] == shape) c->part[c->parts++] = k;
    c->groups = (c->parts - 1) / plan->width + 1;
    ZB_TRY(ze_describe_shape(p, shape, &plan->arena, &description, &c->values));
    c->value_count = description.value_count;
    ZB_TRY(ze_make_programs(plan->memory, &plan->arena, &description, &options, &c->programs));
    plan->facts.operations += c->programs.compiled;
    return ZW_OK;
}

/* ZW_ERR_LARGE: too many shapes. */
static zw_status make_classes(ze_parts_plan *plan, const ze_parts *p, bool store)
{
    int32_t used = 0;
    for (int32_t k = 0; k < p->shape_count; k++) used += p->parts_with.data[k] > 0;
    if (used > most_shapes) return ZW_ERR_LARGE;
    plan->classes = ZB_NEW_ARRAY(&plan->arena, ze_class, (size_t)used + 1);
    if (!plan->classes) return plan->arena.failure;
    for (int32_t k = 0; k < p->shape_count; k++)
        if (p->parts_with.data[k] > 0) ZB_TRY(make_class(plan, p, k, store));
    return ZW_OK;
}

/* --------------------------------------------------------------------- lane order */

/* Slots that a part needs for its shares: those of the purpose with the most outputs, or of DAMPED
 * and REFINED one behind the other. */
static int32_t most_outputs(const ze_class *c)
{
    int32_t most = 0;
    for (int k = 0; k < ZE_PURPOSE_COUNT; k++) {
        int32_t outputs = c->programs.solve[k].down.outputs;
        most = outputs > most ? outputs : most;
    }
    int32_t end = ze_carried_at(c) + c->programs.solve[ZE_REFINED].down.outputs;
    return most > end ? most : end;
}

/* Where coordinates, multipliers of inner rows and shares of each class begin; takes these
 * arrays. */
static zw_status lay_out_parts(ze_parts_plan *plan)
{
    int64_t state = 0, inner = 0, out = 0;
    for (int32_t k = 0; k < plan->class_count; k++) {
        ze_class *c = &plan->classes[k];
        int64_t lanes = (int64_t)c->groups * plan->width;
        c->out_step = most_outputs(c);
        c->state_at = (int32_t)state;
        c->inner_at = (int32_t)inner;
        c->out_at = (int32_t)out;
        state += lanes * c->counts.own;
        inner += lanes * c->counts.inner;
        out += lanes * c->out_step;
        if (state > INT32_MAX || inner > INT32_MAX || out > INT32_MAX) return ZW_ERR_LARGE;
    }
    plan->size = (int32_t)state;
    plan->inner_count = (int32_t)inner;
    plan->out = zb_arena_take(&plan->arena, zb_product((size_t)out + 8, sizeof(double)), 64);
    plan->inner = zb_arena_take(&plan->arena, zb_product((size_t)inner + 8, sizeof(double)), 64);
    plan->from = ZB_NEW_ARRAY(&plan->arena, int32_t, (size_t)state + 1);
    plan->mask = ZB_NEW_ARRAY(&plan->arena, double, (size_t)state + 1);
    plan->place = ZB_NEW_ARRAY(&plan->arena, int32_t, (size_t)plan->n + 1);
    plan->row_place = ZB_NEW_ARRAY(&plan->arena, int32_t, (size_t)plan->m + 1);
    return plan->arena.failure;
}

/* Place of slot s of part k, in a class that has `slots` of them and begins at `at`. */
static int32_t place_of_slot(const ze_parts_plan *plan, int32_t at, int32_t slots, int32_t k,
                             int32_t s)
{
    return at + (k / plan->width * slots + s) * plan->width + k % plan->width;
}

/* The two-way tables between coordinates and places in lane order, and places of the multipliers of
 * inner rows. Lanes behind the last part repeat it, with a mask of 0. */
static void place_class(ze_parts_plan *plan, const ze_parts *p, const ze_class *c)
{
    const ze_part_counts *s = &c->counts;
    for (int32_t k = 0; k < c->groups * plan->width; k++) {
        bool real = k < c->parts;
        const int32_t *number = ze_part_numbers(p, c->part[real ? k : c->parts - 1]);
        for (int32_t j = 0; j < s->own; j++) {
            int32_t at = place_of_slot(plan, c->state_at, s->own, k, j);
            plan->from[at] = number[j];
            plan->mask[at] = real ? 1.0 : 0.0;
            if (real) plan->place[number[j]] = at;
        }
        const int32_t *row = number + s->own + s->halo;
        for (int32_t i = 0; i < s->inner && real; i++)
            plan->row_place[row[i]] = place_of_slot(plan, c->inner_at, s->inner, k, i);
    }
}

/* Parts whose coordinates are those of the first, all moved by one number, are packed without
 * looking each of them up. */
static zw_status find_bases(ze_parts_plan *plan, const ze_parts *p, ze_class *c)
{
    int32_t lanes = c->groups * plan->width;
    const int32_t *first = ze_part_numbers(p, c->part[0]);
    int32_t *base = ZB_NEW_ARRAY(&plan->arena, int32_t, (size_t)lanes);
    c->offset = ZB_NEW_ARRAY(&plan->arena, int32_t, (size_t)c->counts.own + 1);
    if (plan->arena.failure != ZW_OK) return plan->arena.failure;
    for (int32_t j = 0; j < c->counts.own; j++) c->offset[j] = first[j] - first[0];
    for (int32_t k = 0; k < lanes; k++) {
        const int32_t *number = ze_part_numbers(p, c->part[k < c->parts ? k : c->parts - 1]);
        base[k] = number[0];
        for (int32_t j = 0; j < c->counts.own; j++)
            if (number[j] != base[k] + c->offset[j]) return ZW_OK;
    }
    c->base = base;
    return ZW_OK;
}

/* Where each part finds the coordinates of others: in lane order, and in the caller's. */
static zw_status place_halos(ze_parts_plan *plan, const ze_parts *p)
{
    for (int32_t x = 0; x < plan->class_count; x++) {
        ze_class *c = &plan->classes[x];
        const ze_part_counts *s = &c->counts;
        size_t count = (size_t)c->groups * (size_t)s->halo * (size_t)plan->width;
        c->halo = ZB_NEW_ARRAY(&plan->arena, int32_t, count + 1);
        c->halo_from = ZB_NEW_ARRAY(&plan->arena, int32_t, count + 1);
        if (plan->arena.failure != ZW_OK) return plan->arena.failure;
        for (int32_t k = 0; k < c->groups * plan->width; k++) {
            const int32_t *number = ze_part_numbers(p, c->part[k < c->parts ? k : c->parts - 1]);
            for (int32_t h = 0; h < s->halo; h++) {
                int32_t at = place_of_slot(plan, 0, s->halo, k, h);
                c->halo_from[at] = number[s->own + h];
                c->halo[at] = plan->place[number[s->own + h]];
            }
        }
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------- for evaluation */

static size_t larger_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Raises the sizes of scratch to what a program needs. */
static void measure_code(const ze_code *c, size_t *workspace, size_t *reads, size_t *out)
{
    if (!c->program) return;
    *workspace = larger_size(*workspace, zk_workspace(c->program));
    *reads = larger_size(*reads, (size_t)c->read_count);
    *out = larger_size(*out, (size_t)c->outputs);
}

/* Every code of a class. */
enum { code_count = 3 * ZE_PURPOSE_COUNT + 4 };
/* Every code of a class, the preludes last; list [code_count]. */
static void list_class_codes(ze_programs *p, ze_code **list)
{
    for (int k = 0; k < ZE_PURPOSE_COUNT; k++) {
        *list++ = &p->solve[k].down;
        *list++ = &p->solve[k].back;
        *list++ = &p->solve[k].back_full;
    }
    *list++ = &p->violation[0];
    *list++ = &p->violation[1];
    *list++ = &p->prelude;
    *list++ = &p->uniform_prelude;
}

/* Numbers for `slots` slots of one group, at 64 bytes. */
static double *take_lane_array(ze_parts_plan *plan, size_t slots)
{
    size_t count = slots * (size_t)plan->width + 8;
    return zb_arena_take(&plan->arena, zb_product(count, sizeof(double)), 64);
}

/* Scratch for every worker, as large as the largest class needs it; values of all classes. */
static zw_status take_worker_scratch(ze_parts_plan *plan)
{
    size_t workspace = 1, reads = 1, out = 1, own = 1;
    ze_code *codes[code_count];
    for (int32_t k = 0; k < plan->class_count; k++) {
        ze_class *c = &plan->classes[k];
        list_class_codes(&c->programs, codes);
        for (int i = 0; i < code_count; i++) measure_code(codes[i], &workspace, &reads, &out);
        reads = larger_size(reads, (size_t)c->value_count); /* of preludes */
        own = larger_size(own, (size_t)c->counts.own);
        c->packed = take_lane_array(plan, (size_t)c->groups * (size_t)c->programs.packed);
        c->uniform = take_lane_array(plan, ze_uniform_count + (size_t)c->programs.packed_uniform);
    }
    plan->scratch = ZB_NEW_ARRAY(&plan->arena, ze_worker_scratch, (size_t)plan->workers);
    for (int32_t k = 0; plan->scratch && k < plan->workers; k++)
        plan->scratch[k] =
            (ze_worker_scratch){take_lane_array(plan, workspace), take_lane_array(plan, reads),
                                take_lane_array(plan, out), take_lane_array(plan, 2 * own)};
    return plan->arena.failure;
}

/* Groups of a class that make a chunk. */
static int32_t groups_at_once(const ze_parts_plan *plan, const ze_class *c)
{
    int64_t operations = c->programs.operations * plan->width + 1;
    int64_t groups = ze_chunk_operations / operations + 1;
    return groups > c->groups ? c->groups : (int32_t)groups;
}

/* Cuts the groups of all classes into chunks, and decides whether a team pays. */
static zw_status cut_chunks(ze_parts_plan *plan)
{
    int32_t count = 0;
    double work = 0.0;
    for (int32_t k = 0; k < plan->class_count; k++) {
        const ze_class *c = &plan->classes[k];
        count += (c->groups - 1) / groups_at_once(plan, c) + 1;
        work += (double)c->groups * plan->width * (double)c->programs.operations;
    }
    plan->busy = work > ze_team_operations;
    plan->chunks = ZB_NEW_ARRAY(&plan->arena, ze_class_chunk, (size_t)count);
    if (!plan->chunks) return plan->arena.failure;
    for (int32_t k = 0; k < plan->class_count; k++) {
        const ze_class *c = &plan->classes[k];
        int32_t step = groups_at_once(plan, c);
        for (int32_t g = 0; g < c->groups; g += step)
            plan->chunks[plan->chunk_count++] =
                (ze_class_chunk){k, g, c->groups - g < step ? c->groups : g + step, {0}};
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------------------------ planning */

/* What the plan has become, for reports. */
static void note_facts(ze_parts_plan *plan, const ze_body_cut *cut)
{
    ze_facts *f = &plan->facts;
    ze_matrix_facts below = {0};
    if (plan->matrix) ze_matrix_facts_of(plan->matrix, &below);
    f->rule = ze_rule_name(cut->rule);
    f->size = cut->size;
    f->width = plan->width;
    f->shapes = plan->class_count;
    for (int32_t k = 0; k < plan->class_count; k++) {
        f->parts += plan->classes[k].parts;
        f->groups += plan->classes[k].groups;
    }
    f->between = plan->between;
    f->levels = below.levels;
    f->rest = below.rest;
    f->operations += below.operations;
    f->bytes = plan->arena.held + below.bytes;
    f->cost = cut->cost;
}

/* Programs, tables, arrays of a cut that was chosen. */
static zw_status build_plan(ze_parts_plan *plan, const ze_parts *p, const ze_choice *choice)
{
    double began = zb_clock();
    plan->facts.stores = stores_for_back(plan, choice);
    ZB_TRY(make_classes(plan, p, plan->facts.stores));
    plan->facts.program_seconds = zb_clock() - began;
    began = zb_clock();
    ZB_TRY(lay_out_parts(plan));
    for (int32_t k = 0; k < plan->class_count; k++) {
        place_class(plan, p, &plan->classes[k]);
        ZB_TRY(find_bases(plan, p, &plan->classes[k]));
    }
    ZB_TRY(place_halos(plan, p));
    ZB_TRY(ze_plan_between(plan, p));
    ZB_TRY(take_worker_scratch(plan));
    ZB_TRY(cut_chunks(plan));
    plan->facts.table_seconds = zb_clock() - began;
    return ZW_OK;
}

/* Without registers of 8 numbers 8 lanes are pairs of 4: two programs interleaved, which hides that
 * divisions take long, in half of the registers. That pays where little is alive at a time: parts
 * with two outer rows, as in chains (PARTS 7). */
static int32_t choose_width(const ze_parts *p)
{
    enum { few = 2 };
    int64_t narrow = 0, wide = 0;
    if (zb_cpu() >= ZB_CPU_AVX512 || zk_best_width() == 4) return zk_best_width();
    for (int32_t k = 0; k < p->shape_count; k++) {
        const ze_part_counts *s = &p->counts.data[k];
        int64_t coordinates = (int64_t)p->parts_with.data[k] * s->own;
        *(s->owned + s->shared <= few ? &narrow : &wide) += coordinates;
    }
    return narrow >= wide ? 8 : 4;
}

/* *serves false: no cut is worth it. The number of lanes is known when the parts are. */
static zw_status plan_system(ze_parts_plan *plan, const ze_survey *s, const ze_choice *choice,
                             bool *serves)
{
    ze_body_cut cut = {0};
    ze_parts parts = {0};
    zb_arena scratch;
    double began = zb_clock();
    zb_arena_init(&scratch, plan->memory, 0);
    zw_status status = ze_choose_cut(s, choice, &scratch, &cut);
    *serves = status == ZW_OK && cut.count > 0;
    if (*serves) status = ze_parts_make(s, cut.part, cut.count, least_parts, &parts);
    plan->facts.partition_seconds = zb_clock() - began;
    if (*serves && status == ZW_OK && choice->width == 0) plan->width = choose_width(&parts);
    if (*serves && status == ZW_OK) status = build_plan(plan, &parts, choice);
    if (*serves && status == ZW_OK) note_facts(plan, &cut);
    ze_parts_clear(&parts);
    zb_arena_clear(&scratch);
    return status;
}

/* A system that is too large in any respect is no failure: it has no plan. */
zw_status ze_plan(zb_memory *memory, const ze_system *system, const ze_choice *choice,
                  ze_parts_plan **out)
{
    ze_survey survey;
    bool serves = false;
    *out = NULL;
    ZB_TRY(ze_survey_make(memory, system, &survey));
    ze_parts_plan *plan = survey.serves ? zb_resize(memory, NULL, 0, sizeof *plan) : NULL;
    zw_status status = survey.serves && !plan ? memory->failure : ZW_OK;
    if (plan) {
        *plan = (ze_parts_plan){.memory = memory,
                                .n = system->n,
                                .m = system->m,
                                .width = choice->width > 0 ? choice->width : zk_best_width(),
                                .dependent = choice->dependent,
                                .workers = choice->workers > 1 ? choice->workers : 1};
        zb_arena_init(&plan->arena, memory, 0);
        plan->numbers = zb_arena_copy(&plan->arena, survey.numbers,
                                      sizeof(double) * (size_t)survey.number_count, sizeof(double));
        status = survey.number_count > 0 && !plan->numbers
                     ? plan->arena.failure
                     : plan_system(plan, &survey, choice, &serves);
        if (status != ZW_OK || !serves) {
            ze_free(plan);
            plan = NULL;
        }
    }
    ze_survey_clear(&survey);
    *out = plan;
    return status == ZW_ERR_LARGE ? ZW_OK : status;
}

/* NULL is allowed; also of a plan that was made in part. */
void ze_free(ze_parts_plan *plan)
{
    if (!plan) return;
    zb_memory *memory = plan->memory;
    zk_native_free(plan->native);
    for (int32_t k = 0; k < plan->class_count; k++) ze_programs_clear(&plan->classes[k].programs);
    ze_matrix_free(plan->matrix);
    zb_arena_clear(&plan->arena);
    zb_resize(memory, plan, sizeof *plan, 0);
}

void ze_facts_of(const ze_parts_plan *plan, ze_facts *facts)
{
    *facts = plan->facts;
}

/* ------------------------------------------------------------------- machine code */

/* All programs but the preludes, which are evaluated when values change only; once. */
void ze_make_native(ze_parts_plan *plan, zk_native_report *report)
{
    zk_native_report own = {0};
    int32_t count = 0, below = plan->matrix ? ze_matrix_programs(plan->matrix, NULL) : 0;
    ze_code *codes[code_count];
    zb_arena arena;
    if (plan->native) return;
    zb_arena_init(&arena, plan->memory, 0);
    size_t most = (size_t)below + (size_t)plan->class_count * code_count;
    zk_program **list = ZB_NEW_ARRAY(&arena, zk_program *, most + 1);
    if (list) {
        if (plan->matrix) count = ze_matrix_programs(plan->matrix, list);
        for (int32_t k = 0; k < plan->class_count; k++) {
            list_class_codes(&plan->classes[k].programs, codes);
            for (int i = 0; i < code_count - 2; i++)
                if (codes[i]->program) list[count++] = codes[i]->program;
        }
        zk_make_native(plan->memory, list, count, plan->width, &plan->native, &own);
    }
    zb_arena_clear(&arena);
    if (report) *report = own;
}
