/*
 * A plan: which numbers of the model are varied, what they are in run k, what is kept. Private to
 * this layer.
 *
 *     run k = (grid point g, sample s), k = g * samples + s: every grid point has the same samples
 *     g counts through the grid axes, those of structural parameters slowest, then as they were given
 *     of a table run k is row k
 *
 * A *block* is what a batch of runs becomes: bytes that a journal keeps and ranks send each other.
 */
#ifndef ZS_SWEEP_PLAN_H
#define ZS_SWEEP_PLAN_H

#include "design.h"
#include "engine.h"
#include "sweep.h"

/* One number that is varied. */
typedef struct zs_axis {
    const char *name;
    int32_t target;  /* of the engine; of a structural parameter the parameter */
    bool structural; /* the model is compiled for each of its values */
    bool sampled;    /* drawn from a distribution, else on the grid */
    int64_t count;   /* of values on the grid */
    double *values;  /* [count] */
    zs_distribution distribution;
    double arguments[3];
    int32_t dimension; /* of the design */
} zs_axis;

struct zw_sweep {
    zw_context *context;
    zb_memory *memory;
    zb_arena arena;
    zw_sweep_plan plan; /* as given; texts are the caller's */
    zw_model *model;    /* compiled with the first structural values; names and messages */
    zw_run_settings settings;
    zr_keep *keep;
    zs_axis *axes; /* [axis_count], as given */
    int32_t axis_count;
    int32_t *order; /* [axis_count] grid axes, the slowest first */
    int32_t grid_axes, structural_count, sampled_count;
    zs_design design;
    double *table; /* [runs * axis_count], or NULL */
    int64_t runs, samples, batch;
    const char **names; /* [axis_count + kept] */
    int32_t kept;
    uint64_t fingerprint;
};

/* vary_text.c: one text, "w = 1..10 by 0.5", into the axis. ZW_ERR_SETTING with a diagnostic. */
zw_status zs_read_vary(zw_sweep *sweep, const char *text, zs_axis *axis);
/* vary_table.c: axes and numbers of a table. */
zw_status zs_read_table(zw_sweep *sweep);
/* sweep_plan.c: the axis is that of a number of the model. */
zw_status zs_bind_axis(zw_sweep *sweep, zs_axis *axis, const char *name);

/* Compiles the model with structural values [structural_count], in the order of the axes. */
zw_status zs_compile(const zw_sweep *sweep, zw_context *context, const double *structural,
                     zw_model **model);
/* What the model says, with what the caller puts over it. */
void zs_settle(const zw_sweep *sweep, const zw_model *model, zw_run_settings *settings);

/* ----------------------------------------------------------------------- blocks */

/* Bytes of the block of a batch with so many failures. */
typedef struct zs_block_head {
    int64_t batch, first, count, failures;
} zs_block_head;
size_t zs_block_size(const zw_sweep *sweep, int64_t count, int64_t failures);
int64_t zs_batch_runs(const zw_sweep *sweep, int64_t batch); /* runs of it */

#endif
