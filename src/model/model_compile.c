/*
 * The compiler of models from end to end: zm_compile makes the passes one after the other
 * (elaborate, gather, derive, inspect). One that runs out of memory jumps back to here.
 */
#include "elaborate.h"

/* What lives only while a model is compiled. */
typedef struct compile_job {
    zm_builder builder;
    zm_elab elab;
    jmp_buf escape;
} compile_job;

/* Raw families, and the two pools of elaboration; may come after some of them were freed. */
static void free_builder(zm_builder *b)
{
    for (int32_t k = 0; k < b->raw.count; k++) {
        zm_raw_family *raw = &b->raw.data[k];
        zb_resize(b->memory, raw->family.table,
                  zb_product((size_t)raw->table_capacity, sizeof(int32_t)), 0);
        zb_resize(b->memory, raw->places, zb_product((size_t)raw->place_capacity, sizeof(zl_place)),
                  0);
        zb_resize(b->memory, raw->family.items,
                  zb_product((size_t)raw->item_capacity, sizeof(int32_t)), 0);
    }
    zb_array_free(b->memory, &b->raw);
    zb_table_free(b->memory, &b->raw_table);
    zx_pool_free(&b->world);
    zx_pool_free(&b->shapes);
    zx_pool_free(&b->picture_shapes);
}

/* Leaves the job such that it can be freed, whatever happens afterwards. */
static void init_compile_job(compile_job *job, zm_model *model, const zm_request *request)
{
    zm_builder *b = &job->builder;
    *b = (zm_builder){.model = model,
                      .request = request,
                      .unit = &model->unit,
                      .memory = model->memory,
                      .escape = &job->escape,
                      .elab = &job->elab};
    job->elab = (zm_elab){.memory = model->memory};
    zb_arena_init(&job->elab.scratch, model->memory, 0);
    zx_pool_init(&b->world, model->memory, &job->escape, false);
    zx_pool_init(&b->shapes, model->memory, &job->escape, false);
    zx_pool_init(&b->picture_shapes, model->memory, &job->escape, false);
    b->world.tables = b->shapes.tables = b->picture_shapes.tables = &model->tables;
}

/* The passes. Elaboration frees what only it needed before the others begin. Jumps to the job's
 * escape when memory runs out. */
static void apply_passes(zm_builder *b)
{
    zm_elaborate(b);
    if (b->unit->error_count > 0) return;
    zm_elab_free(b->elab);
    b->elab->limits.place = (zl_place){0}; /* no statement is to blame any more */
    zx_pool_free(&b->world);
    zm_gather(b);
    zm_derive(b);
    if (b->unit->error_count == 0) zm_inspect(b);
}

/* False when memory ran out on the way. A function of its own, so that no local variable changes
 * between setjmp and the jump. */
static bool passes_succeed(compile_job *job)
{
    if (setjmp(job->escape) != 0) return false;
    apply_passes(&job->builder);
    return true;
}

/* What was building it has been given back, so there is room for the message. */
static void report_no_budget(zm_model *model, zl_place place)
{
    if (model->unit.sources.count == 0) return;
    zl_report(&model->unit, "E0319", place,
              "make the model smaller, or allow more: --max-memory=SIZE",
              "the model takes more than the %.4g MB of memory that are allowed",
              (double)model->memory->budget / 1e6);
}

/* Compiles into the model and frees what the job holds; the status says which errors came first. */
static zw_status compile_with_job(compile_job *job, zm_model *model)
{
    model->arena.escape = &job->escape;
    model->pool.escape = &job->escape;
    model->pictures.escape = &job->escape;
    model->formulas.escape = &job->escape;
    zw_status status = ZW_OK;
    if (!passes_succeed(job) && !job->elab.limits.given_up) status = model->memory->failure;
    model->arena.escape = NULL;
    zl_place place = job->elab.limits.place;
    if (status == ZW_OK && model->unit.error_count > 0)
        status = job->elab.flags.setting_errors ? ZW_ERR_SETTING : ZW_ERR_MODEL;
    zm_elab_free(&job->elab);
    free_builder(&job->builder);
    if (status == ZW_ERR_BUDGET) report_no_budget(model, place);
    return status;
}

/* Model and job are taken first; a model with errors is freed again. */
zw_status zm_compile(zb_memory *memory, zb_diag_list *diagnostics, const zm_request *request,
                     zm_model **out)
{
    zm_model *model = zb_resize(memory, NULL, 0, sizeof *model);
    compile_job *job = zb_resize(memory, NULL, 0, sizeof *job);
    if (!model || !job) {
        zw_status failure = memory->failure;
        zb_resize(memory, model, sizeof *model, 0);
        zb_resize(memory, job, sizeof *job, 0);
        return failure;
    }
    *model = (zm_model){.memory = memory};
    zb_arena_init(&model->arena, memory, 0);
    zl_unit_init(&model->unit, &model->arena, diagnostics);
    zx_pool_init(&model->pool, memory, &job->escape, true);
    zx_pool_init(&model->pictures, memory, &job->escape, true);
    zx_pool_init(&model->formulas, memory, &job->escape, false);
    model->pool.tables = model->pictures.tables = model->formulas.tables = &model->tables;
    init_compile_job(job, model, request);
    zw_status status = compile_with_job(job, model);
    model->unit.diagnostics = NULL;
    zb_resize(memory, job, sizeof *job, 0);
    if (status == ZW_OK)
        *out = model;
    else
        zm_free(model);
    return status;
}

/* The blocks of a kept family; the rest of a family is in the model's arena. */
static void free_family_tables(zm_model *model, zm_family *f)
{
    size_t row = zb_product((size_t)f->count, sizeof(int32_t));
    zb_resize(model->memory, f->table, zb_product(row, (size_t)f->stride), 0);
    zb_resize(model->memory, f->items, row, 0);
}

/* Accepts NULL. */
void zm_free(zm_model *model)
{
    if (!model) return;
    for (int32_t k = 0; k < model->family_count; k++)
        free_family_tables(model, &model->families[k]);
    zx_pool_free(&model->pool);
    zx_pool_free(&model->pictures);
    zx_pool_free(&model->formulas);
    zl_unit_free(&model->unit);
    zb_arena_clear(&model->arena);
    zb_resize(model->memory, model, sizeof *model, 0);
}
