/*
 * The road through lanes: what the engine has of the layer `lanes`, which cuts a system into equal
 * parts and solves it part by part, many at once. Private to this folder.
 *
 *     plan       at create; again when rows turn out to depend on each other, or no longer do
 *     serve      whether it may be taken now; whatever it refuses goes by another road
 *     by order of the model   q, v, z [n]: packed and unpacked at every call
 *     by order of the lanes   y = (q, v) [2 size]: as the stepper of a run keeps it
 *
 * The header of the layer is included by road_parts.c alone.
 */
#ifndef ZR_ROAD_PARTS_H
#define ZR_ROAD_PARTS_H

#include "run.h"

struct ze_lanes;

typedef struct zr_lanes_road {
    struct ze_lanes *lanes; /* NULL: none, for rows as `dependent` says */
    bool dependent;         /* planned for rows that depend on each other */
    bool asleep;            /* outside of runs: not to be tried */
    bool native;            /* machine code was asked for */
    zk_native_report report;
    int32_t size;          /* numbers of a vector in the order of the lanes */
    zb_arena arena;        /* what follows */
    double *q, *v, *other; /* [size] a state, an answer; aligned to 64 bytes */
    double *kept;          /* [2 size] a state before its projection */
    /* the last projection: it was by lanes, and the largest |phi|, |rate| it has left */
    bool projected;
    double off[2];
} zr_lanes_road;

/* ------------------------------------------------------------------- planning */

bool zr_lanes_possible(const zw_sim *sim); /* as far as solver and model are concerned */
/* sim->lanes, where they are possible and pay; values are there. */
zw_status zr_plan_lanes(zw_sim *sim);
void zr_free_lanes(zw_sim *sim);
void zr_lanes_parameters(zw_sim *sim); /* have changed */
void zr_lanes_native(zw_sim *sim);     /* machine code for its programs, once */
/* Planned anew where that is wrong, in the context's thread: by a look at the rank where lanes
 * refuse the simulation's state; when a run begins, by its generic rank. Takes memory. */
zw_status zr_settle_lanes(zw_sim *sim);
zw_status zr_lanes_begin(zw_sim *sim);
/* lanes_rule and so on. */
void zr_lanes_statistics(const zw_sim *sim, zw_run_statistics *stats);
uint64_t zr_lanes_fingerprint(const zw_sim *sim); /* of what bits depend on */

/* --------------------------------------------------------------------- running */

/* There are lanes for what the run, if there is one, asks for now. */
bool zr_lanes_serve(const zw_sim *sim);

/* z [n]; multipliers, and with them A, when works of the run need them. False: by another road. */
bool zr_lanes_accelerate(zw_sim *sim, const zk_source *s, double *z);
/* Onto the constraints, in place; false: not, and nothing has changed. sim->level is not of the
 * result: sim->lanes->off is. */
bool zr_lanes_project(zw_sim *sim, double t, double *q, double *v);

/* The same by the order of the lanes: y and its rates [2 size], aligned to 64 bytes. */
bool zr_lanes_rates(zw_sim *sim, double t, const double *y, double *dy);
bool zr_lanes_land(zw_sim *sim, double t, double *y);

/* From the order of the model, x [2 n], and back. */
void zr_lanes_pack(const zw_sim *sim, const double *x, double *y);
void zr_lanes_unpack(const zw_sim *sim, const double *y, double *x);
void zr_lanes_mask(const zw_sim *sim, double *mask); /* [2 size] */

#endif
