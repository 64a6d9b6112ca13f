/*
 * Sweeps of zwang.h: argument checks, then the layer sweep.
 */
#include "api.h"

#include "sweep.h"

static bool is_plan_sound(const zw_sweep_plan *p)
{
    if (!p->model || !p->model->text || p->vary_count < 0 || (p->vary_count > 0 && !p->vary))
        return false;
    for (int32_t k = 0; k < p->vary_count; k++)
        if (!p->vary[k]) return false;
    return p->samples >= 0 && p->batch >= 0 && zw_design_name(p->design);
}

zw_status zw_sweep_create(zw_context *context, const zw_sweep_plan *plan, zw_sweep **sweep)
{
    ZW_REQUIRE(context && plan && sweep && is_plan_sound(plan));
    return zs_sweep_create(context, plan, sweep);
}

void zw_sweep_free(zw_sweep *sweep)
{
    zs_sweep_free(sweep);
}

zw_status zw_sweep_tell(const zw_sweep *sweep, zw_sweep_facts *facts)
{
    ZW_REQUIRE(sweep && facts);
    zs_sweep_facts(sweep, facts);
    return ZW_OK;
}

const char *zw_sweep_column(const zw_sweep *sweep, int32_t i)
{
    return sweep ? zs_sweep_name(sweep, i) : NULL;
}

zw_status zw_sweep_values(const zw_sweep *sweep, int64_t run, double *values)
{
    zw_sweep_facts facts;
    ZW_REQUIRE(sweep && values && run >= 0);
    zs_sweep_facts(sweep, &facts);
    ZW_REQUIRE(run < facts.runs);
    zs_sweep_values(sweep, run, values);
    return ZW_OK;
}

zw_status zw_sweep_run(zw_sweep *sweep, const zw_sweep_job *job)
{
    ZW_REQUIRE(sweep && job && job->next && job->done && job->poll && job->threads >= 0);
    return zs_sweep_run(sweep, job);
}

zw_status zw_sweep_block_read(const zw_sweep *sweep, const void *bytes, size_t size,
                              zw_sweep_block *block)
{
    ZW_REQUIRE(sweep && bytes && block && (uintptr_t)bytes % sizeof(double) == 0);
    return zs_block_read(sweep, bytes, size, block);
}

zw_status zw_sweep_write(zw_sweep *sweep, zw_result_format format, const zw_sweep_source *source,
                         zw_write_fn write, void *user)
{
    ZW_REQUIRE(sweep && source && source->fetch && write);
    return zs_sweep_write(sweep, format, source, write, user);
}

zw_status zw_sweep_summary(zw_sweep *sweep, zw_report_form form, const zw_sweep_source *source,
                           zw_write_fn write, void *user)
{
    ZW_REQUIRE(sweep && source && source->fetch && write);
    ZW_REQUIRE(form == ZW_REPORT_TEXT || form == ZW_REPORT_JSON);
    return zs_sweep_summary(sweep, form, source, write, user);
}
