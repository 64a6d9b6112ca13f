/*
 * How often a run went by one road, from its statistics.
 */
#ifndef TESTS_ROADS_TAKEN_H
#define TESTS_ROADS_TAKEN_H

#include <string.h>

#include <zwang.h>

/* 0 also where there is no such road. */
static inline int64_t roads_taken(const zw_run_statistics *statistics, const char *road)
{
    for (int32_t k = 0; k < statistics->road_count; k++)
        if (strcmp(statistics->roads[k].name, road) == 0) return statistics->roads[k].count;
    return 0;
}

#endif
