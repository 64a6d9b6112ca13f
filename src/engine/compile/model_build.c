/*
 * From the text of a model to its programs. zm_compile derives the equations of every family; then
 * the files build_*.c compile each family's expressions into passes, in the order of
 * build_programs. The order of the nodes of a program is: matrix entries in the order of the
 * family's lists, then vector entries. Parts that depend on parameters only form a program of their
 * own.
 *
 * Running out of memory jumps to one place, build_programs, and the model is freed.
 */
#include <string.h>

#include "contact_laws.h"
#include "events.h"
#include "fused.h"
#include "lookups.h"
#include "motors.h"
#include "outputs.h"
#include "shipped.h"
#include "switches.h"

void zr_fail(zr_builder *b, zw_status status)
{
    b->status = status;
    longjmp(b->escape, 1);
}

/* -------------------------------------------------------------------- passes */

/* Room for one more, in the arena: what was grown out of stays there. */
static void reserve_pass(zr_builder *b, zr_passes *passes)
{
    if (passes->count < passes->capacity) return;
    int32_t more = passes->capacity > 0 ? 2 * passes->capacity : 4;
    zr_pass *list = ZB_NEW_ARRAY(b->arena, zr_pass, more);
    if (passes->count > 0) memcpy(list, passes->list, sizeof *list * (size_t)passes->count);
    passes->list = list;
    passes->capacity = more;
}

/* The model's workspace and output buffer serve its largest program. */
static void reserve_room(zw_model *model, size_t workspace, size_t outputs)
{
    if (workspace > model->workspace) model->workspace = workspace;
    if ((int32_t)outputs > model->out_count) model->out_count = (int32_t)outputs;
}

/* Families of many instances are evaluated in lanes: the table for it, and room for a block. */
static void add_lane_table(zr_builder *b, zr_pass *pass)
{
    const zm_family *f = &b->zm->families[pass->family];
    if (f->whole || !f->table || f->count < zr_lane_instances) return;
    zk_table table = {.table = f->table,
                      .count = f->count,
                      .stride = f->stride,
                      .value_at = f->coordinates,
                      .measure_at = f->coordinates + f->values};
    pass->lanes = zk_lane_table_create(b->arena, pass->code, &table, b->model->lanes);
    reserve_room(b->model, zk_block_workspace(pass->lanes), zk_block_outputs(pass->lanes));
}

/* Passes of whole families that every step evaluates: their values are the model's own. */
static bool may_hoist(const zr_builder *b, const zr_passes *passes, const zm_family *f)
{
    const zw_model *model = b->model;
    return f->whole && (passes == &model->dynamics || passes == &model->rows ||
                        passes == &model->levels[ZR_POSITION] ||
                        passes == &model->levels[ZR_VELOCITY] || passes == &model->nonideal);
}

/* The nodes that the program of a pass computes, in scratch: all but what depends on parameters
 * only, which goes to the prelude. */
static const zx_node *hoist_pass(zr_builder *b, const zx_node *nodes, int32_t count)
{
    zr_roots roots = {.list = ZB_NEW_ARRAY(&b->scratch, zx_node, count), .count = count};
    zr_hoisting how = {.from = &b->zm->pool,
                       .to = &b->zm->pool,
                       .values = zr_first_hoisted_value(b->model),
                       .known = b->hoisted};
    memcpy(roots.list, nodes, sizeof *nodes * (size_t)count);
    zr_roots all = zr_hoist(b, &how, &roots, 1);
    size_t bytes = sizeof *all.list * (size_t)all.count;
    if (all.count > b->hoisted.count)
        b->hoisted.list = zb_arena_copy(b->arena, all.list, bytes, _Alignof(zx_node));
    b->hoisted.count = all.count;
    return roots.list;
}

void zr_build_prelude(zr_builder *b)
{
    zr_prelude *prelude = &b->model->prelude;
    prelude->count = b->hoisted.count;
    if (prelude->count == 0) return;
    zw_status status =
        zk_compile(b->memory, &b->zm->pool, b->hoisted.list, b->hoisted.count, &prelude->code);
    if (status != ZW_OK) zr_fail(b, status);
    reserve_room(b->model, zk_workspace(prelude->code), 0);
}

/* The caller fills in the places. */
zr_pass *zr_add_pass(zr_builder *b, zr_passes *passes, int32_t family, const zx_node *nodes,
                     int32_t matrix, int32_t vector)
{
    int32_t outputs = matrix + vector;
    const zm_family *f = &b->zm->families[family];
    reserve_pass(b, passes);
    zr_pass *pass = &passes->list[passes->count];
    *pass = (zr_pass){.family = family, .matrix = matrix, .vector = vector};
    pass->nodes =
        zb_arena_copy(b->arena, nodes, sizeof *nodes * (size_t)outputs, _Alignof(zx_node));
    pass->place = ZB_NEW_ARRAY(b->arena, int32_t, zb_product((size_t)f->count, (size_t)outputs));
    zb_mark mark = zb_arena_mark(&b->scratch);
    if (may_hoist(b, passes, f)) nodes = hoist_pass(b, nodes, outputs);
    zw_status status = zk_compile(b->memory, &b->zm->pool, nodes, outputs, &pass->code);
    zb_arena_release(&b->scratch, mark);
    if (status != ZW_OK) zr_fail(b, status);
    passes->count++;
    reserve_room(b->model, zk_workspace(pass->code), (size_t)outputs);
    add_lane_table(b, pass);
    return pass;
}

void zr_add_row_pass(zr_builder *b, zr_passes *passes, int32_t family, const int32_t *to)
{
    const zm_family *f = &b->zm->families[family];
    int32_t roots = f->root_count, entries = f->jacobian_count, outputs = entries + roots;
    zb_mark mark = zb_arena_mark(&b->scratch);
    zx_node *nodes = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)outputs);
    for (int32_t k = 0; k < entries; k++) nodes[k] = f->jacobian[k].node;
    for (int32_t k = 0; k < roots; k++) nodes[entries + k] = f->roots[k];
    zr_pass *pass = zr_add_pass(b, passes, family, nodes, entries, roots);
    for (int32_t i = 0; i < f->count; i++) {
        int32_t *place = pass->place + (size_t)i * (size_t)outputs;
        const int32_t *own = to + (size_t)i * (size_t)roots;
        for (int32_t k = 0; k < entries; k++)
            place[k] = zr_add_triplet(b, own[f->jacobian[k].row],
                                      zm_coordinate_of(f, i, f->jacobian[k].column));
        for (int32_t k = 0; k < roots; k++) place[entries + k] = own[k];
    }
    zb_arena_release(&b->scratch, mark);
}

void zr_free_passes(zr_passes *passes)
{
    for (int32_t i = 0; i < passes->count; i++) zk_free(passes->list[i].code);
    passes->count = 0;
}

/* --------------------------------------------------------------------- model */

/* zm_load_fn: by the function of the source, if it has one. */
static bool load_callers_module(void *user, const char *name, const char **file, const char **text,
                                size_t *length)
{
    const zw_model_source *source = user;
    return source->module && source->module(source->user, name, file, text, length);
}

/* zm_load_fn likewise: the text of a file of data. */
static bool load_callers_data(void *user, const char *name, const char **file, const char **text,
                              size_t *length)
{
    const zw_model_source *source = user;
    return source->data && source->data(source->user, name, file, text, length);
}

/* The names of the modules that come with the library, at most `most` of them; returns how many. */
static int32_t list_shipped_names(const char **names, int32_t most)
{
    int32_t count = 0;
    for (; count < most && zr_shipped[count].name; count++) names[count] = zr_shipped[count].name;
    return count;
}

/* zm_shipped_fn */
static bool find_shipped_module(const char *name, const char **file, const char **text,
                                size_t *length)
{
    for (const zr_shipped_file *f = zr_shipped; f->name; f++)
        if (strcmp(f->name, name) == 0) {
            *file = f->file;
            *text = f->text;
            *length = f->length;
            return true;
        }
    return false;
}

void zr_free_pools(zr_builder *b)
{
    for (int k = 0; k < 2 && b->pools_open; k++) zx_pool_free(&b->pools[k]);
    b->pools_open = false;
}

/* All programs of a model that has been derived. Who fails comes back here, and whatever happens,
 * what the builder holds is freed. */
static zw_status build_programs(zw_model *model)
{
    zb_memory *memory = &model->context->memory;
    zr_builder *b = zb_resize(memory, NULL, 0, sizeof *b);
    if (!b) return memory->failure;
    *b = (zr_builder){.model = model, .zm = model->zm, .memory = memory, .arena = &model->arena};
    zb_arena_init(&b->scratch, memory, 0);
    if (setjmp(b->escape) == 0) {
        b->scratch.escape = model->arena.escape = b->zm->pool.escape = &b->escape;
        b->status = memory->failure;
        model->out_count = zr_out_size;
        model->starts = ZB_NEW_ARRAY(b->arena, zr_start_family, b->zm->family_count);
        zr_build_lookups(b);
        zr_build_switches(b);
        zr_build_dynamics(b);
        zr_build_rows(b);
        zr_build_limits(b);
        zr_build_nonideal(b);
        zr_build_impressed(b);
        zr_build_islands(b);
        zr_build_weights(b);
        zr_build_equations(b);
        zr_build_starts(b);
        zr_build_energy(b);
        zr_build_outputs(b);
        zr_build_events(b);
        zr_build_contacts(b);
        zr_build_motors(b);
        zr_build_prelude(b);
        zr_build_fused(b);
        zr_find_places(b);
        b->status = ZW_OK;
    } else if (b->status == ZW_OK) { /* an arena or the pool jumped */
        b->status = memory->failure;
    }
    zw_status status = b->status;
    zr_put_back_conditions(b);
    zb_arena_clear(&b->scratch);
    zr_free_triplets(b);
    zr_free_below(b);
    zr_free_pools(b);
    model->arena.escape = model->zm->pool.escape = NULL;
    zb_resize(memory, b, sizeof *b, 0);
    return status;
}

/* The context keeps the texts, for messages after the caller's are gone; which of them is the
 * model's own file. */
static zw_status keep_sources(zw_model *model, const char *file)
{
    const zl_unit *unit = &model->zm->unit;
    for (int32_t i = unit->sources.count - 1; i >= 0; i--) {
        const zl_source *s = &unit->sources.data[i];
        if (strcmp(s->file, file) == 0) model->main_source = i;
        if (!s->shown)
            ZB_TRY(zb_diag_add_source(&model->context->diagnostics, s->file, s->text,
                                      (size_t)s->length));
    }
    return ZW_OK;
}

/* Text to equations, equations to programs; time and memory of both are noted. */
zw_status zr_model_compile(zw_context *context, const zw_model_source *source, zw_model **out)
{
    double began = zb_clock();
    zb_memory *memory = &context->memory;
    size_t held = memory->held;
    zw_model *model = zb_resize(memory, NULL, 0, sizeof *model);
    if (!model) return memory->failure;
    *model = (zw_model){.context = context,
                        .lanes = context->lanes > 0 ? context->lanes : zk_best_width()};
    zb_arena_init(&model->arena, memory, 0);
    zw_model_source copy = *source;
    const char *names[8];
    zm_request request = {.file = source->file,
                          .text = source->text,
                          .length = source->length,
                          .settings = source->settings,
                          .setting_count = source->setting_count,
                          .inputs = source->inputs,
                          .input_count = source->input_count,
                          .load = load_callers_module,
                          .shipped = find_shipped_module,
                          .shipped_names = names,
                          .shipped_count = list_shipped_names(names, sizeof names / sizeof *names),
                          .user = &copy,
                          .data = load_callers_data,
                          .tables = source->tables,
                          .table_count = source->table_count,
                          .step_limit = source->step_limit,
                          .memory_limit = source->memory_limit};
    zw_status status = zm_compile(memory, &context->diagnostics, &request, &model->zm);
    if (status == ZW_OK) status = keep_sources(model, source->file);
    if (status == ZW_OK) status = build_programs(model);
    if (status != ZW_OK) {
        zr_model_free(model);
        return status;
    }
    model->seconds = zb_clock() - began;
    model->bytes = memory->held - held;
    *out = model;
    return ZW_OK;
}

static void free_starts(zw_model *model)
{
    for (int32_t f = 0; model->starts && f < model->zm->family_count; f++)
        for (int32_t k = 0; model->starts[f].programs && k < model->zm->families[f].root_count; k++)
            zk_free(model->starts[f].programs[k]);
}

/* In any state that zr_model_compile may leave it in. */
void zr_model_free(zw_model *model)
{
    if (!model) return;
    for (size_t k = 0; k < sizeof model->native / sizeof *model->native; k++)
        zk_native_free(model->native[k].native); /* before the programs */
    zr_passes *passes[] = {&model->constant_dynamics,
                           &model->dynamics,
                           &model->constant_rows,
                           &model->rows,
                           &model->levels[ZR_POSITION],
                           &model->levels[ZR_VELOCITY],
                           &model->limits,
                           &model->nonideal,
                           &model->impressed,
                           &model->equations,
                           &model->weights};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) zr_free_passes(passes[i]);
    if (model->zm) free_starts(model);
    zr_free_energy(model);
    zr_free_outputs(model);
    zr_free_events(model);
    zk_free(model->prelude.code);
    zr_free_fused(model);
    zr_free_switches(model);
    zr_free_lookups(model);
    zr_free_contacts(model);
    zr_free_motors(model);
    zm_free(model->zm);
    zb_memory *memory = &model->context->memory;
    zb_arena_clear(&model->arena);
    zb_resize(memory, model, sizeof *model, 0);
}
