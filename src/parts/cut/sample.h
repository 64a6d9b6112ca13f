/*
 * Some bodies of a system that stand for all, to try cuts on. Private to this folder.
 */
#ifndef ZE_SAMPLE_H
#define ZE_SAMPLE_H

#include "survey.h"

typedef struct ze_sample {
    int32_t count;  /* bodies */
    int32_t *body;  /* [count] ascending */
    ze_graph graph; /* of them, numbered by `body` */
    int32_t *rows;  /* [row_count] rows whose bodies are all among them */
    int32_t row_count;
    double times; /* that the system is larger */
    bool regular; /* nearly all bodies have the same signature (sample.c) */
} ze_sample;

/* Everything in `arena`. */
zw_status ze_sample_take(const ze_survey *survey, zb_arena *arena, ze_sample *sample);

#endif
