/*
 * Level structures: breadth-first searches of a component, from an end or from the middle of it.
 *
 * The first search begins anywhere, the next ones at the far end of the one before, until that
 * leads no further. What is long and narrow is looked at from that end; what branches (has more
 * vertices than a square of such a diameter) from the middle, as a tree from its root:
 *
 *     end  o--o--o--o--o--o--o--o--o         o     middle
 *          |  |  |  |  |  |  |  |  |       /   \
 *          o--o--o--o--o--o--o--o--o      o     o
 *     level 0   1   2   3  ...           / \   / \
 *                                       o   o o   o
 *
 * Of a tree the second search is from an end of its longest path, and the middle of that is the
 * same in any numbering. Where two vertices are in the middle a search begins at both.
 */
#include "level_structure.h"

enum { most_searches = 4 };

static int32_t vertex_degree(const ze_graph *g, int32_t v)
{
    return g->start[v + 1] - g->start[v];
}

/* Adds the neighbours of v that this search has not met yet to the order; how many are met then. */
static int32_t meet_neighbours(ze_cutting *w, int32_t v, int8_t number, int32_t *order, int32_t met)
{
    const ze_graph *g = w->graph;
    for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
        int32_t u = g->next[p];
        if (w->mark[u] == number) continue;
        w->mark[u] = number;
        order[met++] = u;
    }
    return met;
}

/* Breadth first; a level ends where the vertices that were known at its begin do. */
void ze_find_levels(ze_cutting *w, ze_level_structure *s, int32_t sources, int8_t number)
{
    int32_t met = sources, done = 0;
    s->levels = 0;
    s->ends = 0;
    for (int32_t k = 0; k < sources; k++) w->mark[s->order[k]] = number;
    while (done < met) {
        s->first[s->levels++] = done;
        for (int32_t end = met; done < end; done++) {
            s->ends += vertex_degree(w->graph, s->order[done]);
            met = meet_neighbours(w, s->order[done], number, s->order, met);
        }
    }
    s->first[s->levels] = s->count = met;
}

/* Makes the level structure in `other` the present one. */
static void swap_structures(ze_cutting *w)
{
    ze_level_structure s = w->now;
    w->now = w->other;
    w->other = s;
}

/* A tree has one edge less than vertices; `ends` counts each at both ends. */
static bool is_tree(const ze_level_structure *s)
{
    return s->ends == 2 * ((int64_t)s->count - 1);
}

/* Of the deepest level the vertex with the fewest neighbours, then the smallest index. */
static int32_t far_end(const ze_cutting *w, const ze_level_structure *s)
{
    int32_t best = s->order[s->first[s->levels - 1]];
    for (int32_t i = s->first[s->levels - 1]; i < s->count; i++) {
        int32_t v = s->order[i], more = vertex_degree(w->graph, v) - vertex_degree(w->graph, best);
        if (more < 0 || (more == 0 && v < best)) best = v;
    }
    return best;
}

/* Leaves in `now` a search from an end, the first of those that are as good; returns the number of
 * the last. */
static int8_t search_from_end(ze_cutting *w)
{
    for (int number = 2; number <= most_searches; number++) {
        w->other.order[0] = far_end(w, &w->now);
        ze_find_levels(w, &w->other, 1, (int8_t)number);
        if (w->other.levels <= w->now.levels) return (int8_t)number;
        swap_structures(w);
        if (is_tree(&w->now)) return (int8_t)number;
    }
    return most_searches;
}

/* More vertices than a plane square of so many levels. A path never has. */
static bool is_branching(const ze_level_structure *s)
{
    return s->count > s->levels && 4 * (int64_t)s->count > (int64_t)s->levels * s->levels;
}

/* Counts levels from `shift` on and begins a new band after each `span`. */
void ze_set_bands(ze_cutting *w, ze_bands cut)
{
    const ze_level_structure *s = &w->now;
    int32_t band = 0, within = cut.shift;
    for (int32_t l = 0; l < s->levels; l++) {
        if (within == cut.span) band++, within = 0;
        for (int32_t i = s->first[l]; i < s->first[l + 1]; i++) w->band[s->order[i]] = band;
        within++;
    }
}

/* The neighbour of v in the level before, as `band` has them; the smallest index. */
static int32_t step_back(const ze_cutting *w, int32_t v)
{
    const ze_graph *g = w->graph;
    int32_t best = -1;
    for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
        int32_t u = g->next[p];
        if (w->band[u] == w->band[v] - 1 && (best < 0 || u < best)) best = u;
    }
    return best;
}

/* From the middle of a shortest path between the two ends. */
static void search_from_middle(ze_cutting *w, int8_t number)
{
    ze_set_bands(w, (ze_bands){.span = 1});
    int32_t v = far_end(w, &w->now), sources = 1;
    for (int32_t k = (w->now.levels - 1) / 2; k > 0; k--) v = step_back(w, v);
    w->other.order[0] = v;
    if (w->now.levels % 2 == 0) w->other.order[sources++] = step_back(w, v);
    ze_find_levels(w, &w->other, sources, number);
    swap_structures(w);
}

/* From an end first: only that shows whether the component branches. */
bool ze_find_best_levels(ze_cutting *w)
{
    int8_t number = search_from_end(w);
    if (!is_branching(&w->now)) return false;
    search_from_middle(w, (int8_t)(number + 1));
    return true;
}
