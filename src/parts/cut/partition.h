/*
 * Ways to cut a graph into parts that are likely to repeat. All linear in the size of the graph,
 * all deterministic, none knows what the graph is of.
 */
#ifndef ZE_PARTITION_H
#define ZE_PARTITION_H

#include "graph.h"

/* Of every rule `size` is about the number of vertices of a part, whatever the rule counts itself.
 *   DECLARED    part = index / size
 *   LEVELS      breadth-first distance from a vertex at an end of each component, or from its
 *               middle where it branches; as many neighbouring levels as make `size` vertices are a
 *               band, parts are the connected pieces of the bands, with small ones that hang on
 *               them: chains, loops, ladders, combs, trees, in any numbering
 *   CARVED      subtrees of a spanning tree (of the graph itself where it is one), cut off from the
 *               leaves as soon as they have `size` vertices; none has more than twice as many
 *   COMPONENTS  each component a part; none may have more than `size` vertices, otherwise no parts
 */
#define ZE_RULE_LIST(X)                                                                            \
    X(ZE_DECLARED, "declared")                                                                     \
    X(ZE_LEVELS, "levels")                                                                         \
    X(ZE_CARVED, "carved")                                                                         \
    X(ZE_COMPONENTS, "components")

typedef enum ze_rule {
#define ZE_RULE_ENUM(name, text) name,
    ZE_RULE_LIST(ZE_RULE_ENUM)
#undef ZE_RULE_ENUM
        ZE_RULE_COUNT
} ze_rule;
const char *ze_rule_name(ze_rule rule);

/* part [count]: numbers from 0 on, *parts of them, in an order in which neighbours are near each
 * other (that of their band, then of their first vertex). *parts 0: the rule does not serve. */
zw_status ze_partition(zb_memory *memory, const ze_graph *graph, ze_rule rule, int32_t size,
                       int32_t *part, int32_t *parts);

#endif
