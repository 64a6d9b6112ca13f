/*
 * parts_cases.h: models as text over graphs of parts_graphs.h, for answers in lanes: what stands
 * at the vertices and along the edges is chosen by `matter`. Bodies are placed first and lengths
 * follow from the places, so that the start moves nothing but velocities.
 */
#ifndef TESTS_SYSTEM_LANES_MODELS_H
#define TESTS_SYSTEM_LANES_MODELS_H

#include "parts_graphs.h"

#define LANES_MATTER_LIST(X)                                                                       \
    X(LANES_POINTS, "points")    /* mass points and rods, all alike but for lengths */             \
    X(LANES_MASSES, "masses")    /* every point has a mass of its own, every rod a length */       \
    X(LANES_TIMED, "timed")      /* lengths depend on t */                                         \
    X(LANES_SPRINGS, "springs")  /* springs and dampers between points that no rod joins */        \
    X(LANES_KNIVES, "knives")    /* knife edges on rods: rows of velocities */                     \
    X(LANES_PAIRS, "pairs")      /* some rods are vectors: two rows at once */                     \
    X(LANES_SERVOS, "servos")    /* rows of accelerations */                                       \
    X(LANES_COUPLED2, "coupled") /* M with full blocks of 2, 3, 6 */                               \
    X(LANES_COUPLED3, "coupled in space")                                                          \
    X(LANES_COUPLED6, "coupled with six coordinates")                                              \
    X(LANES_DOUBLED, "doubled") /* some rods twice: redundant */                                   \
    X(LANES_MIXED, "mixed")     /* masses, springs, time, knives, servos, all together */          \
    X(LANES_PLANAR, "planar")   /* use planar: bodies and hinges */                                \
    X(LANES_SPATIAL, "spatial") /* use rigid: bodies, ball joints, hinges */

typedef enum lanes_matter {
#define LANES_MATTER_ENUM(name, text) name,
    LANES_MATTER_LIST(LANES_MATTER_ENUM)
#undef LANES_MATTER_ENUM
        LANES_MATTERS
} lanes_matter;

typedef struct lanes_model_request {
    lanes_graph_request graph;
    lanes_matter matter;
} lanes_model_request;

/* The caller frees it. Parameters that may be changed: `g`, the weight; `m`, all masses; `scale`,
 * 1, a factor of all lengths (not of planar and spatial ones). */
char *lanes_model_text(const lanes_model_request *request);
const char *lanes_matter_name(lanes_matter matter);

/* Rows of the model depend on each other. */
bool lanes_model_redundant(const lanes_model_request *request);

#endif
