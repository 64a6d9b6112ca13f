/*
 * The road by equal parts: what the engine has of the layer `parts`, which cuts a system into equal
 * parts and solves it part by part, many at once.
 *
 *     plan       at create; again when rows turn out to depend on each other, or no longer do
 *     serve      whether it may be taken now; whatever it refuses goes by another road
 *     in the order of the model   q, v, z [n]: packed and unpacked at every call
 *     in the order of the lanes   y = (q, v) [2 size]: equal parts next to each other, each in a
 *                                 lane of vector registers; as the stepper of a run keeps it
 *
 * The header of the layer is included by road_parts.c and solver.c alone.
 */
#ifndef ZR_ROAD_PARTS_H
#define ZR_ROAD_PARTS_H

#include "roads.h"

struct ze_parts_plan;

typedef struct zr_parts_road {
    struct ze_parts_plan *plan; /* NULL: none, for rows as `dependent` says */
    bool dependent;             /* planned for rows that depend on each other */
    bool asleep;                /* outside of runs: not to be tried */
    bool native;                /* machine code was asked for */
    bool stale;                 /* masks have changed since values were set */
    zk_native_report report;
    int32_t size;          /* numbers of a vector in the order of the lanes */
    zb_arena arena;        /* what follows */
    double *q, *v, *other; /* [size] a state, an answer; aligned to 64 bytes */
    double *kept;          /* [2 size] a state before its projection */
    /* the last projection: it was by parts, and the largest |phi|, |rate| it has left */
    bool projected;
    double off[2];
    double distance; /* of the rows that were looked at last, with contacts */
} zr_parts_road;

/* ------------------------------------------------------------------- planning */

bool zr_parts_possible(const zw_sim *sim); /* as far as solver and model are concerned */
/* sim->solver->parts, where they are possible and pay; values are there. */
zw_status zr_plan_parts(zw_sim *sim);
void zr_free_parts(zw_sim *sim);
void zr_parts_parameters(zw_sim *sim); /* have changed */
void zr_parts_masks(zw_sim *sim);      /* these alone */
void zr_parts_native(zw_sim *sim);     /* machine code for its programs, once */
/* Planned anew where that is wrong, in the context's thread: by a look at the rank where parts
 * refuse the simulation's state; when a run begins, by its generic rank, scratch [2 n]. Takes
 * memory. */
zw_status zr_adapt_parts(zw_sim *sim);
zw_status zr_begin_parts(zw_sim *sim, zr_solving *run, double *scratch);
void zr_parts_statistics(const zw_sim *sim, zw_run_statistics *stats); /* parts.rule and so on */
uint64_t zr_parts_fingerprint(const zw_sim *sim);                      /* of what bits depend on */

/* ------------------------------------------------------------------ evaluating */

/* There are parts for what the run, if there is one, asks for now. */
bool zr_parts_serve(const zw_sim *sim, const zr_solving *run);

/* In the order of the lanes: y and its rates [2 size], aligned to 64 bytes; onto the constraints.
 * False: by another road, and nothing has changed. */
bool zr_parts_rates(zw_sim *sim, zr_solving *run, double t, const double *y, double *dy);
bool zr_project_lane_order(zw_sim *sim, const zr_solving *run, double t, double *y);
/* Positions alone, in the order of the model. */
bool zr_project_positions_by_parts(zw_sim *sim, const zr_solving *run, double t, double *q,
                                   const double *v);
/* The last projection was not by parts, whose residuals sim->level does not have. */
void zr_forget_parts_projection(zw_sim *sim);

/* From the order of the model, x [2 n], and back. */
void zr_parts_pack(const zw_sim *sim, const double *x, double *y);
void zr_parts_unpack(const zw_sim *sim, const double *y, double *x);
void zr_parts_mask(const zw_sim *sim, double *mask); /* [2 size] */

#endif
