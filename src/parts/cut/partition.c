/*
 * Cutting a graph into parts that are likely to repeat; LEVELS is partition_levels.c.
 *
 * CARVED   weight of v = 1 + those of the children whose subtrees have not been cut off; v is cut
 *          off above where its weight is `size` or more. Where it would be more than twice the size
 *          (hubs) all children are cut off instead, and v counts 1.
 *
 *              o | o---o | o---o | o---o     size 4, levels from the left: cut off from the
 *              | | |   | | |   | | |   |     right on, what remains is at the root
 *              o | o   o | o   o | o   o
 *
 * Parts are found in any order and numbered at the end, by band and first vertex, with counting
 * sorts. The band of a part of CARVED is the level of its top. Every rule goes through the graph
 * several times along its edges; a large graph whose edges join vertices far from each other is
 * first numbered anew in breadth-first order, so that this stays in the cache. All memory is
 * scratch and given back.
 */
#include "partition.h"

#include "level_structure.h"

/* Edges are long beyond `far`; graphs below `large` fit into a cache anyhow. */
enum { far = 1 << 14, large = 1 << 16 };

/* NULL: there is no such rule. */
const char *ze_rule_name(ze_rule rule)
{
    static const char *const names[] = {
#define ZE_RULE_TEXT(name, text) [name] = text,
        ZE_RULE_LIST(ZE_RULE_TEXT)
#undef ZE_RULE_TEXT
    };
    return (int)rule >= 0 && rule < ZE_RULE_COUNT ? names[rule] : NULL;
}

/* ------------------------------------------------------------------------- carved */

/* Parents as the search has met them, in place of bands; the first source is its own, and the
 * second, where there is one, hangs on it. */
static void find_tree_parents(ze_cutting *w)
{
    const ze_graph *g = w->graph;
    const ze_level_structure *s = &w->now;
    int32_t *above = w->band;
    for (int32_t i = 0; i < s->count; i++) above[s->order[i]] = -1;
    above[s->order[0]] = s->order[0];
    for (int32_t i = 0; i < s->count; i++) {
        int32_t v = s->order[i];
        for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
            int32_t u = g->next[p];
            if (above[u] < 0) above[u] = v;
        }
    }
}

/* Weights from the leaves up, -1 of hubs that count 1 and have cut off their children. */
static void weigh_subtrees(const ze_cutting *w, const int32_t *above, int32_t *weight)
{
    const ze_level_structure *s = &w->now;
    for (int32_t i = 0; i < s->count; i++) weight[s->order[i]] = 1;
    for (int32_t i = s->count - 1; i > 0; i--) {
        int32_t v = s->order[i];
        if ((int64_t)weight[v] > 2 * (int64_t)w->size) weight[v] = -1;
        if (weight[v] < w->size) weight[above[v]] += weight[v] < 0 ? 1 : weight[v];
    }
    int32_t root = s->order[0];
    if ((int64_t)weight[root] > 2 * (int64_t)w->size) weight[root] = -1;
}

/* CARVED for the component of w->now: parts from the root down, each vertex into that of its parent
 * unless it was cut off. */
static void carve_subtrees(ze_cutting *w)
{
    const ze_level_structure *s = &w->now;
    if (s->count > w->size) ze_find_best_levels(w);
    find_tree_parents(w);
    const int32_t *above = w->band;
    int32_t *weight = w->stack;
    weigh_subtrees(w, above, weight);
    for (int32_t l = 0; l < s->levels; l++) {
        for (int32_t i = s->first[l]; i < s->first[l + 1]; i++) {
            int32_t v = s->order[i];
            bool own = i == 0 || weight[v] >= w->size || weight[above[v]] < 0;
            w->part[v] = own ? w->parts : w->part[above[v]];
            if (own) w->home[w->parts++] = w->done + l;
        }
    }
}

/* -------------------------------------------------------------------------- parts */

/* False: the component is too large to be a part. */
static bool take_whole_component(ze_cutting *w)
{
    const ze_level_structure *s = &w->now;
    if (s->count > w->size) return false;
    for (int32_t i = 0; i < s->count; i++) w->part[s->order[i]] = w->parts;
    w->home[w->parts++] = w->done;
    return true;
}

/* False: the rule does not serve. */
static bool cut_components(ze_cutting *w, ze_rule rule)
{
    for (int32_t v = 0; v < w->graph->count; v++) {
        if (w->mark[v] != 0) continue;
        w->now.order[0] = v;
        ze_find_levels(w, &w->now, 1, 1);
        if (rule == ZE_LEVELS) ze_cut_levels(w);
        if (rule == ZE_CARVED) carve_subtrees(w);
        if (rule == ZE_COMPONENTS && !take_whole_component(w)) return false;
        w->done += w->now.count;
    }
    return true;
}

/* Numbers the parts by band, then by first vertex. name: of vertices in the graph that was cut,
 * NULL: their own. */
static void number_by_band(ze_cutting *w, const int32_t *name, int32_t *part)
{
    int32_t count = w->graph->count, sum = 0;
    int32_t *from = w->stack, *number = w->band;
    for (int32_t c = 0; c < count; c++) from[c] = 0;
    for (int32_t k = 0; k < w->parts; k++) from[w->home[k]]++, number[k] = -1;
    for (int32_t c = 0; c < count; c++) {
        int32_t parts = from[c];
        from[c] = sum;
        sum += parts;
    }
    for (int32_t v = 0; v < count; v++) {
        int32_t k = w->part[name ? name[v] : v];
        if (number[k] < 0) number[k] = from[w->home[k]]++;
        part[v] = number[k];
    }
}

/* The arrays of a cutting but for `part`, which is the caller's. */
static zw_status take_cutting_memory(zb_arena *arena, int32_t count, ze_cutting *w)
{
    int32_t **arrays[] = {&w->now.order, &w->other.order, &w->band, &w->home, &w->stack};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ZB_NEW_ARRAY(arena, int32_t, count);
    w->now.first = ZB_NEW_ARRAY(arena, int32_t, (size_t)count + 1);
    w->other.first = ZB_NEW_ARRAY(arena, int32_t, (size_t)count + 1);
    w->mark = ZB_NEW_ARRAY(arena, int8_t, count);
    return arena->failure;
}

/* ------------------------------------------------------------------- another order */

/* Half of the vertices have a neighbour far away. */
static bool has_long_edges(const ze_graph *g)
{
    if (g->count < large) return false;
    int32_t long_ones = 0;
    for (int32_t v = 0; v < g->count; v++)
        for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) long_ones += g->next[p] - v > far;
    return long_ones > g->count / 2;
}

/* The graph in breadth-first order of its vertices; name [count]: the numbers they have there. */
static zw_status renumber_breadth_first(zb_arena *arena, ze_cutting *w, ze_graph *to, int32_t *name)
{
    const ze_graph *g = w->graph;
    int32_t *start = ZB_NEW_ARRAY(arena, int32_t, (size_t)g->count + 1);
    int32_t *next = ZB_NEW_ARRAY(arena, int32_t, g->start[g->count]);
    if (!start || !next) return arena->failure;
    ze_level_structure s = {.order = w->now.order, .first = w->now.first};
    for (int32_t v = 0; v < g->count; v++) {
        if (w->mark[v] != 0) continue;
        s.order[0] = v;
        ze_find_levels(w, &s, 1, 1);
        s.order += s.count;
    }
    const int32_t *order = w->now.order;
    int32_t ends = 0;
    for (int32_t i = 0; i < g->count; i++) name[order[i]] = i, w->mark[i] = 0;
    for (int32_t i = 0; i < g->count; i++) {
        int32_t v = order[i];
        for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) next[ends++] = name[g->next[p]];
        start[i + 1] = ends;
    }
    *to = (ze_graph){.count = g->count, .start = start, .next = next};
    return ZW_OK;
}

/* -------------------------------------------------------------------------- rules */

/* All rules but DECLARED; *parts stays 0 where the rule does not serve. */
static zw_status cut_along_edges(zb_arena *arena, const ze_graph *graph, ze_rule rule, int32_t size,
                                 int32_t *part, int32_t *parts)
{
    ze_cutting w = {.graph = graph, .size = size, .part = part};
    ze_graph other = {0};
    int32_t *name = NULL;
    ZB_TRY(take_cutting_memory(arena, graph->count, &w));
    if (rule != ZE_COMPONENTS && has_long_edges(graph)) {
        name = ZB_NEW_ARRAY(arena, int32_t, graph->count);
        w.part = ZB_NEW_ARRAY(arena, int32_t, graph->count);
        if (!name || !w.part) return arena->failure;
        ZB_TRY(renumber_breadth_first(arena, &w, &other, name));
        w.graph = &other;
    }
    if (!cut_components(&w, rule)) return ZW_OK;
    number_by_band(&w, name, part);
    *parts = w.parts;
    return ZW_OK;
}

/* DECLARED needs no graph; all others take scratch memory and give it back. */
zw_status ze_partition(zb_memory *memory, const ze_graph *graph, ze_rule rule, int32_t size,
                       int32_t *part, int32_t *parts)
{
    *parts = 0;
    if (graph->count == 0 || size < 1) return ZW_OK;
    if (rule == ZE_DECLARED) {
        for (int32_t v = 0; v < graph->count; v++) part[v] = v / size;
        *parts = (graph->count - 1) / size + 1;
        return ZW_OK;
    }
    zb_arena arena;
    zb_arena_init(&arena, memory, 0);
    zw_status status = cut_along_edges(&arena, graph, rule, size, part, parts);
    zb_arena_clear(&arena);
    return status;
}
