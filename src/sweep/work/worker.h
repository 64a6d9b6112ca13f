/*
 * Who computes batches. Private to this layer.
 *
 *     worker   a context of its own, and in it the models that its batches need, compiled once for
 *              each value of structural parameters; one thread at a time (batch.c)
 *     crew     threads with a worker each; the calling thread hands out batches and takes the blocks
 *              (crew.c)
 *
 * Nothing is shared but the plan, which is only read: what a batch becomes depends on its number
 * alone.
 */
#ifndef ZS_WORKER_H
#define ZS_WORKER_H

#include <stdatomic.h>

#include "sweep_plan.h"

/* A model for some structural values. */
typedef struct zs_variant {
    bool there;
    int64_t used; /* when it was used last */
    double *structural;
    zw_model *model;
    zw_sim *sim;
    zr_keep *keep;
    zw_run_settings settings;
    int32_t *targets;  /* [axis_count] of numbers that are no structure; target_count of them */
    int32_t *axis;     /* which axis each belongs to */
    zw_status failure; /* it cannot be had, */
    char reason[ZR_REASON_SIZE];
} zs_variant;

enum { zs_most_variants = 16 };

typedef struct zs_worker {
    const zw_sweep *sweep;
    zb_mutex *compiling; /* one worker at a time: modules and data are asked for from the caller */
    zw_context *context;
    zb_arena arena; /* of the worker's life */
    zs_variant variants[zs_most_variants];
    int64_t clock;
    atomic_bool *over; /* the caller has ended it */
    int32_t target_count;
    struct zs_batch_room *room; /* what a batch needs, taken once (batch.c) */
} zs_worker;

zw_status zs_worker_open(zs_worker *worker, const zw_sweep *sweep, zb_mutex *compiling,
                         atomic_bool *over);
void zs_worker_close(zs_worker *worker);
/* *block: bytes of malloc, *size of them. ZW_ERR_CANCELLED: over. */
zw_status zs_worker_batch(zs_worker *worker, int64_t batch, char **block, size_t *size);

#endif
