/*
 * Making a plan and asking it: which runs there are and what varies in each. The model is compiled
 * once here, with the first value of what sizes it: names, messages and what is kept come from it.
 *
 * The fingerprint is a hash of everything the numbers of a sweep depend on: texts of model and
 * modules as far as they are known, settings, plan, version. A journal with another one is not gone
 * on with.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep_plan.h"

static const int64_t most_runs = INT64_C(1) << 48;

/* ------------------------------------------------------------------------------ names */

zw_status zs_bind_axis(zw_sweep *sweep, zs_axis *axis, const char *name)
{
    zw_model *model = sweep->model;
    axis->name = zb_arena_string(&sweep->arena, name, strlen(name));
    if (!axis->name) return sweep->arena.failure;
    if (zr_find_target(model, name, &axis->target)) {
        axis->structural = axis->target >= 0 && zr_is_structural(model, axis->target);
        return ZW_OK;
    }
    char help[200];
    zb_text near, text;
    zb_text_init(&near, sweep->memory);
    zb_text_init_fixed(&text, help, sizeof help);
    zr_suggest_target(model, name, &near);
    if (near.length > 0)
        zb_text_printf(&text, "did you mean '%s'?", zb_text_string(&near));
    else
        zb_text_add(&text, "name a parameter or a start value: m, k[2], x, x'");
    zb_text_free(&near);
    return zr_refuse_setting(model, "E0762", help,
                             "'%s' is no single number of the model that can be varied", name);
}

/* No number is varied twice. */
static zw_status check_axes(zw_sweep *sweep)
{
    for (int32_t k = 1; k < sweep->axis_count; k++)
        for (int32_t i = 0; i < k; i++)
            if (sweep->axes[i].target == sweep->axes[k].target)
                return zr_refuse_setting(sweep->model, "E0761", "say once what it is",
                                         "'%s' is varied twice", sweep->axes[k].name);
    return ZW_OK;
}

/* --------------------------------------------------------------------------- compiling */

/* Structural values are settings behind the caller's. */
zw_status zs_compile(const zw_sweep *sweep, zw_context *context, const double *structural,
                     zw_model **model)
{
    zw_model_source source = *sweep->plan.model;
    zb_arena arena;
    zw_status status = ZW_OK;
    int32_t extra = sweep->structural_count, given = source.setting_count;
    zb_arena_init(&arena, &context->memory, 0);
    const char **settings = ZB_NEW_ARRAY(&arena, const char *, (size_t)(given + extra));
    if (!settings) status = arena.failure;
    for (int32_t k = 0; status == ZW_OK && k < given; k++) settings[k] = source.settings[k];
    for (int32_t k = 0, j = 0; status == ZW_OK && k < sweep->axis_count && structural; k++) {
        if (!sweep->axes[k].structural) continue;
        zb_text text;
        zb_text_init(&text, &context->memory);
        zb_text_printf(&text, "%s = ", sweep->axes[k].name);
        zb_text_double(&text, structural[j]);
        settings[given + j++] = zb_arena_string(&arena, zb_text_string(&text), text.length);
        status = text.failure != ZW_OK ? text.failure : arena.failure;
        zb_text_free(&text);
    }
    source.settings = settings;
    source.setting_count = given + extra;
    if (status == ZW_OK) status = zr_model_compile(context, &source, model);
    zb_arena_clear(&arena);
    return status;
}

/* A method has defaults of its own: where another one is wanted it is asked again, over these. */
void zs_settle(const zw_sweep *sweep, const zw_model *model, zw_run_settings *settings)
{
    zr_run_defaults(model, settings);
    if (!sweep->plan.settle) return;
    zw_method usual = settings->method;
    sweep->plan.settle(sweep->plan.user, settings);
    if (settings->method == usual) return;
    zr_run_defaults_by(model, settings->method, settings);
    sweep->plan.settle(sweep->plan.user, settings);
}

/* ------------------------------------------------------------------------------- counts */

/* Grid axes in their order; dimensions of samples. */
static zw_status order_axes(zw_sweep *sweep)
{
    sweep->order = ZB_NEW_ARRAY(&sweep->arena, int32_t, (size_t)sweep->axis_count);
    if (!sweep->order) return sweep->arena.failure;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t k = 0; k < sweep->axis_count; k++) {
            zs_axis *axis = &sweep->axes[k];
            if (pass == 0 && axis->structural) sweep->structural_count++;
            if (axis->sampled && pass == 0) axis->dimension = sweep->sampled_count++;
            if (!axis->sampled && axis->structural == (pass == 0))
                sweep->order[sweep->grid_axes++] = k;
        }
    return ZW_OK;
}

static zw_status count_runs(zw_sweep *sweep)
{
    zw_model *model = sweep->model;
    double runs = 1.0;
    if (sweep->sampled_count > 0 && sweep->plan.samples < 1)
        return zr_refuse_setting(
            model, "E0763", "say how many by --samples N",
            "'%s' is drawn from a distribution, but the number of samples is not said",
            sweep->axes[0].sampled ? sweep->axes[0].name : "something");
    if (sweep->sampled_count == 0 && sweep->plan.samples > 0)
        return zr_refuse_setting(
            model, "E0763", "draw something, as in --vary \"m ~ normal(1, 0.1)\"",
            "there are %" PRId64 " samples, but nothing is drawn from a distribution",
            sweep->plan.samples);
    if (sweep->sampled_count > zs_design_dimensions(sweep->plan.design))
        return zr_refuse_setting(
            model, "E0763", "take the designs random or latin, or fewer of them",
            "the design sobol has %d dimensions, and %d numbers are drawn",
            (int)zs_design_dimensions(sweep->plan.design), (int)sweep->sampled_count);
    sweep->samples = sweep->sampled_count > 0 ? sweep->plan.samples : 1;
    runs = (double)sweep->samples;
    for (int32_t k = 0; k < sweep->grid_axes; k++)
        runs *= (double)sweep->axes[sweep->order[k]].count;
    if (!(runs <= (double)most_runs))
        return zr_refuse_setting(model, "E0763", "vary less at a time", "there would be %.3g runs",
                                 runs);
    sweep->runs = sweep->samples;
    for (int32_t k = 0; k < sweep->grid_axes; k++)
        sweep->runs *= sweep->axes[sweep->order[k]].count;
    sweep->design = (zs_design){sweep->plan.design, sweep->plan.seed, sweep->samples};
    return ZW_OK;
}

/* So many runs that an ensemble pays, and few enough that not much is lost when it is stopped. */
static void choose_batch(zw_sweep *sweep)
{
    enum { least = 8, most = 512, batches = 256 };
    int64_t batch = sweep->plan.batch > 0 ? sweep->plan.batch : sweep->runs / batches;
    if (sweep->plan.batch <= 0 && batch < least) batch = least;
    if (sweep->plan.batch <= 0 && batch > most) batch = most;
    sweep->batch = batch < sweep->runs ? batch : sweep->runs;
    if (sweep->batch < 1) sweep->batch = 1;
}

/* ------------------------------------------------------------------------------ values */

void zs_sweep_values(const zw_sweep *sweep, int64_t run, double *values)
{
    if (sweep->table) {
        memcpy(values, sweep->table + (size_t)run * (size_t)sweep->axis_count,
               sizeof *values * (size_t)sweep->axis_count);
        return;
    }
    int64_t grid = run / sweep->samples, sample = run % sweep->samples;
    for (int32_t k = sweep->grid_axes; k-- > 0;) {
        const zs_axis *axis = &sweep->axes[sweep->order[k]];
        values[sweep->order[k]] = axis->values[grid % axis->count];
        grid /= axis->count;
    }
    for (int32_t k = 0; k < sweep->axis_count; k++) {
        const zs_axis *axis = &sweep->axes[k];
        if (axis->sampled)
            values[k] = zs_quantile(axis->distribution, axis->arguments,
                                    zs_design_point(&sweep->design, sample, axis->dimension));
    }
}

/* ------------------------------------------------------------------------- fingerprint */

static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
    return zb_hash_mix(zb_hash_mix(hash, length), text ? zb_hash_bytes(text, length) : 0);
}

static uint64_t hash_double(uint64_t hash, double x)
{
    return zb_hash_mix(hash, zb_bits(x));
}

/* What decides on the numbers; not who computes them: the kernel gives the same bits. */
static uint64_t hash_settings(uint64_t hash, const zw_run_settings *s)
{
    const double numbers[] = {s->from, s->until, s->tol,  s->abs_tol,
                              s->step, s->omega, s->zeta, s->patience};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        hash = hash_double(hash, isnan(numbers[k]) ? -1.25 : numbers[k]);
    hash = zb_hash_mix(hash, (uint64_t)s->method << 32 | (uint64_t)s->stabilize << 16 |
                                 (uint64_t)s->form);
    return zb_hash_mix(hash, (uint64_t)s->max_steps * 2 + s->accept_inconsistent);
}

static void find_fingerprint(zw_sweep *sweep)
{
    const zw_model_source *m = sweep->plan.model;
    uint64_t hash = hash_text(1, zw_version(), strlen(zw_version()));
    hash = hash_text(hash, m->text, m->length);
    for (int32_t k = 0; k < m->setting_count; k++)
        hash = hash_text(hash, m->settings[k], strlen(m->settings[k]));
    for (int32_t k = 0; k < m->input_count; k++)
        hash = hash_text(hash, m->inputs[k], strlen(m->inputs[k]));
    hash = zb_hash_mix(hash_settings(hash, &sweep->settings), sweep->plan.salt);
    for (int32_t k = 0; k < sweep->axis_count; k++) {
        const zs_axis *a = &sweep->axes[k];
        hash = zb_hash_mix(hash_text(hash, a->name, strlen(a->name)), (uint64_t)a->count);
        for (int64_t i = 0; !sweep->table && i < a->count; i++)
            hash = hash_double(hash, a->values[i]);
        hash = zb_hash_mix(hash, a->sampled ? 1 + (uint64_t)a->distribution : 0);
        for (int i = 0; i < 3; i++) hash = hash_double(hash, a->arguments[i]);
    }
    if (sweep->table)
        for (int64_t i = 0; i < sweep->runs * sweep->axis_count; i++)
            hash = hash_double(hash, sweep->table[i]);
    for (int32_t k = 0; k < sweep->kept; k++) {
        const char *name = sweep->names[sweep->axis_count + k];
        hash = hash_text(hash, name, strlen(name));
    }
    const uint64_t rest[] = {(uint64_t)sweep->runs, (uint64_t)sweep->samples,
                             (uint64_t)sweep->batch, sweep->plan.seed,
                             (uint64_t)sweep->plan.design};
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++) hash = zb_hash_mix(hash, rest[k]);
    sweep->fingerprint = hash;
}

/* ------------------------------------------------------------------------------- the whole */

static zw_status read_axes(zw_sweep *sweep)
{
    const zw_sweep_plan *plan = &sweep->plan;
    if (plan->table)
        return plan->vary_count == 0 && plan->samples == 0
                   ? zs_read_table(sweep)
                   : zr_refuse_setting(
                         sweep->model, "E0763", "leave out one of them",
                         "a table says all runs: there is nothing to vary or to sample besides");
    if (plan->vary_count == 0)
        return zr_refuse_setting(sweep->model, "E0763",
                                 "say it by --vary \"m = 1..10 by 1\" or --table FILE.csv",
                                 "nothing is varied");
    sweep->axis_count = plan->vary_count;
    sweep->axes = ZB_NEW_ARRAY(&sweep->arena, zs_axis, (size_t)plan->vary_count);
    if (!sweep->axes) return sweep->arena.failure;
    for (int32_t k = 0; k < plan->vary_count; k++)
        ZB_TRY(zs_read_vary(sweep, plan->vary[k], &sweep->axes[k]));
    return ZW_OK;
}

/* Names of columns: what varies, then what is kept. */
static zw_status name_sweep_columns(zw_sweep *sweep)
{
    sweep->kept = zr_keep_count(sweep->keep);
    sweep->names =
        ZB_NEW_ARRAY(&sweep->arena, const char *, (size_t)sweep->axis_count + (size_t)sweep->kept);
    if (!sweep->names) return sweep->arena.failure;
    for (int32_t k = 0; k < sweep->axis_count; k++) sweep->names[k] = sweep->axes[k].name;
    for (int32_t k = 0; k < sweep->kept; k++)
        sweep->names[sweep->axis_count + k] = zr_keep_name(sweep->keep, k);
    for (int32_t k = 1; k < sweep->axis_count + sweep->kept; k++)
        for (int32_t i = 0; i < k && k < 2000; i++)
            if (strcmp(sweep->names[i], sweep->names[k]) == 0)
                return zr_refuse_setting(sweep->model, "E0764", "keep it once",
                                         "'%s' is kept twice", sweep->names[k]);
    return ZW_OK;
}

/* The model as its text says tells what is structural; then as the first run has it. */
static zw_status make_plan(zw_sweep *sweep)
{
    ZB_TRY(zs_compile(sweep, sweep->context, NULL, &sweep->model));
    ZB_TRY(read_axes(sweep));
    ZB_TRY(check_axes(sweep));
    ZB_TRY(order_axes(sweep));
    if (!sweep->table) ZB_TRY(count_runs(sweep));
    if (sweep->table) sweep->samples = 1;
    zs_settle(sweep, sweep->model, &sweep->settings);
    ZB_TRY(zr_keep_create(sweep->model, &sweep->settings, sweep->plan.keep, &sweep->keep));
    choose_batch(sweep);
    ZB_TRY(name_sweep_columns(sweep));
    find_fingerprint(sweep);
    return ZW_OK;
}

zw_status zs_sweep_create(zw_context *context, const zw_sweep_plan *plan, zw_sweep **out)
{
    zb_memory *memory = &context->memory;
    zw_sweep *sweep = zb_resize(memory, NULL, 0, sizeof *sweep);
    if (!sweep) return memory->failure;
    *sweep = (zw_sweep){.context = context, .memory = memory, .plan = *plan};
    zb_arena_init(&sweep->arena, memory, 0);
    zw_status status = make_plan(sweep);
    if (status != ZW_OK)
        zs_sweep_free(sweep);
    else
        *out = sweep;
    return status;
}

void zs_sweep_free(zw_sweep *sweep)
{
    if (!sweep) return;
    zr_keep_free(sweep->keep);
    zr_model_free(sweep->model);
    zb_arena_clear(&sweep->arena);
    zb_resize(sweep->memory, sweep, sizeof *sweep, 0);
}

void zs_sweep_facts(const zw_sweep *sweep, zw_sweep_facts *facts)
{
    *facts = (zw_sweep_facts){.runs = sweep->runs,
                              .batch = sweep->batch,
                              .batches = (sweep->runs + sweep->batch - 1) / sweep->batch,
                              .varied = sweep->axis_count,
                              .columns = sweep->axis_count + sweep->kept,
                              .fingerprint = sweep->fingerprint};
}

const char *zs_sweep_name(const zw_sweep *sweep, int32_t i)
{
    return i >= 0 && i < sweep->axis_count + sweep->kept ? sweep->names[i] : NULL;
}

/* ------------------------------------------------------------------------------ blocks */

int64_t zs_batch_runs(const zw_sweep *sweep, int64_t batch)
{
    int64_t left = sweep->runs - batch * sweep->batch;
    return left < sweep->batch ? left : sweep->batch;
}

size_t zs_block_size(const zw_sweep *sweep, int64_t count, int64_t failures)
{
    size_t columns = (size_t)sweep->axis_count + (size_t)sweep->kept;
    return sizeof(zs_block_head) + (size_t)count * columns * sizeof(double) +
           (size_t)failures * sizeof(zw_sweep_failure);
}

/* Everything is checked: bytes may come from a file. */
zw_status zs_block_read(const zw_sweep *sweep, const void *bytes, size_t size,
                        zw_sweep_block *block)
{
    zs_block_head head;
    if (size < sizeof head) return ZW_ERR_SETTING;
    memcpy(&head, bytes, sizeof head);
    bool good = head.batch >= 0 && head.batch * sweep->batch < sweep->runs &&
                head.first == head.batch * sweep->batch &&
                head.count == zs_batch_runs(sweep, head.batch) && head.failures >= 0 &&
                head.failures <= head.count;
    if (!good || size != zs_block_size(sweep, head.count, head.failures)) return ZW_ERR_SETTING;
    const char *rows = (const char *)bytes + sizeof head;
    size_t columns = (size_t)sweep->axis_count + (size_t)sweep->kept;
    *block = (zw_sweep_block){
        .batch = head.batch,
        .first = head.first,
        .count = head.count,
        .failures = head.failures,
        .rows = (const double *)(const void *)rows,
        .failed = (const zw_sweep_failure *)(const void *)(rows + (size_t)head.count * columns *
                                                                      sizeof(double))};
    return ZW_OK;
}
