/*
 * sweep: many runs of one model. What is varied and how becomes a plan (plan); batches of runs are
 * computed by workers in threads of their own (work); blocks of rows become files and summaries
 * (result). The functions of zwang.h call these after they have checked the arguments (api), and
 * zwang.h says what each does.
 */
#ifndef ZS_SWEEP_H
#define ZS_SWEEP_H

#include "base.h"

zw_status zs_sweep_create(zw_context *context, const zw_sweep_plan *plan, zw_sweep **sweep);
void zs_sweep_free(zw_sweep *sweep);
void zs_sweep_facts(const zw_sweep *sweep, zw_sweep_facts *facts);
const char *zs_sweep_name(const zw_sweep *sweep, int32_t i);
void zs_sweep_values(const zw_sweep *sweep, int64_t run, double *values);
zw_status zs_sweep_run(zw_sweep *sweep, const zw_sweep_job *job);
zw_status zs_block_read(const zw_sweep *sweep, const void *bytes, size_t size,
                        zw_sweep_block *block);
zw_status zs_sweep_write(zw_sweep *sweep, zw_result_format format, const zw_sweep_source *source,
                         zw_write_fn write, void *user);
zw_status zs_sweep_summary(zw_sweep *sweep, zw_report_form form, const zw_sweep_source *source,
                           zw_write_fn write, void *user);

#endif
