/*
 * Cutting a graph into parts that are likely to repeat.
 *
 * Every rule goes component by component. A sweep is a breadth-first order of a component with the
 * places where its levels begin; the first sweep begins at the vertex with the smallest index, the
 * next ones at the far end of the one before, until that leads no further. What is long and narrow
 * is looked at from an end, what branches (more vertices than a square with such a diameter has)
 * from the middle, as a tree from its root:
 *
 *     end  o--o--o--o--o--o--o--o--o         o     middle
 *          |  |  |  |  |  |  |  |  |       /   \
 *          o--o--o--o--o--o--o--o--o      o     o
 *     level 0   1   2   3  ...           / \   / \
 *                                       o   o o   o
 *
 * LEVELS   class = (level + shift) / span. From an end, span = size / mean width of a level; from
 *          the middle, the span whose pieces have about `size` vertices, counted from the deepest
 *          level on, so that it is the root that has an odd part. In a loop a class is two pieces:
 *
 *              . - o o o | o o o | o o        the pieces turn out half as large as asked for and
 *            o           |       |     o      the one at the start twice as large as the others:
 *              . - o o o | o o o | o o        then span is doubled, and shift makes that one equal
 *
 *          The better of the two is kept: whose typical piece (the one that a vertex is in, on
 *          average: sum of squares / vertices) is nearer to `size`.
 *
 * CARVED   weight of v = 1 + those of the children whose subtrees have not been cut off;
 *          v is cut off above where its weight >= size. Where it would be more than twice the size
 *          (hubs) all children are cut off instead, and v counts 1.
 *
 * Parts are found in any order and numbered at the end, by class and first vertex, with counting
 * sorts. All memory is scratch and given back.
 */
#include "partition.h"

enum { most_sweeps = 4 };

/* A breadth-first order of a component: vertices of level l are order[first[l] .. first[l + 1]). */
typedef struct sweep {
    int32_t *order, *first;
    int32_t count, levels;
    int64_t ends; /* of edges */
} sweep;

/* Classes of a component: (level + shift) / span. */
typedef struct cut {
    int32_t span, shift;
} cut;

typedef struct work {
    const ze_graph *graph;
    int32_t size;
    sweep now, other; /* of the component at hand */
    int8_t *mark;     /* [count] the last sweep that met the vertex, 0: none */
    int32_t *class;   /* [count] of vertices, within the component */
    int32_t *part;    /* [count] in the order in which they are found */
    int32_t *home;    /* [count] of parts: their class among all; below `count` */
    int32_t *stack;   /* [count] */
    int32_t parts;
    int32_t done; /* vertices of the components before */
} work;

const char *ze_rule_name(ze_rule rule)
{
    static const char *const names[] = {
#define ZE_RULE_TEXT(name, text) [name] = text,
        ZE_RULE_LIST(ZE_RULE_TEXT)
#undef ZE_RULE_TEXT
    };
    return (int)rule >= 0 && rule < ZE_RULE_COUNT ? names[rule] : NULL;
}

static int32_t degree(const ze_graph *g, int32_t v)
{
    return g->start[v + 1] - g->start[v];
}

/* ------------------------------------------------------------------------- sweeps */

/* The neighbours of v that this sweep has not met yet. */
static int32_t meet(work *w, int32_t v, int8_t number, int32_t *order, int32_t met)
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

/* From the vertices that already are order[0 .. sources). */
static void run_sweep(work *w, sweep *s, int32_t sources, int8_t number)
{
    int32_t met = sources, done = 0;
    s->levels = 0;
    s->ends = 0;
    for (int32_t k = 0; k < sources; k++) w->mark[s->order[k]] = number;
    while (done < met) {
        s->first[s->levels++] = done;
        for (int32_t end = met; done < end; done++) {
            s->ends += degree(w->graph, s->order[done]);
            met = meet(w, s->order[done], number, s->order, met);
        }
    }
    s->first[s->levels] = s->count = met;
}

static void swap_sweeps(work *w)
{
    sweep s = w->now;
    w->now = w->other;
    w->other = s;
}

static bool is_tree(const sweep *s)
{
    return s->ends == 2 * ((int64_t)s->count - 1);
}

/* Of the deepest level the vertex with the fewest neighbours, then the smallest index. */
static int32_t far_end(const work *w, const sweep *s)
{
    int32_t best = s->order[s->first[s->levels - 1]];
    for (int32_t i = s->first[s->levels - 1]; i < s->count; i++) {
        int32_t v = s->order[i], more = degree(w->graph, v) - degree(w->graph, best);
        if (more < 0 || (more == 0 && v < best)) best = v;
    }
    return best;
}

/* Leaves in `now` a sweep from an end. Of a tree the second one already is. */
static int8_t sweep_from_end(work *w)
{
    for (int8_t number = 2; number <= most_sweeps; number++) {
        w->other.order[0] = far_end(w, &w->now);
        run_sweep(w, &w->other, 1, number);
        if (w->other.levels <= w->now.levels) return number;
        swap_sweeps(w);
        if (is_tree(&w->now)) return number;
    }
    return most_sweeps;
}

/* More vertices than a square with such a diameter. A path never is. */
static bool branches(const sweep *s)
{
    return s->count > s->levels && 4 * (int64_t)s->count > (int64_t)s->levels * s->levels;
}

/* The neighbour of v in the level before, as `class` has them; the smallest index. */
static int32_t step_back(const work *w, int32_t v)
{
    const ze_graph *g = w->graph;
    int32_t best = -1;
    for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
        int32_t u = g->next[p];
        if (w->class[u] == w->class[v] - 1 && (best < 0 || u < best)) best = u;
    }
    return best;
}

static void set_classes(work *w, cut c)
{
    const sweep *s = &w->now;
    int32_t class = 0, within = c.shift;
    for (int32_t l = 0; l < s->levels; l++) {
        if (within == c.span) class ++, within = 0;
        for (int32_t i = s->first[l]; i < s->first[l + 1]; i++) w->class[s->order[i]] = class;
        within++;
    }
}

/* From the middle of the path between the two ends; from both if there are two. */
static void sweep_from_middle(work *w, int8_t number)
{
    set_classes(w, (cut){.span = 1});
    int32_t v = far_end(w, &w->now), sources = 1;
    for (int32_t k = (w->now.levels - 1) / 2; k > 0; k--) v = step_back(w, v);
    w->other.order[0] = v;
    if (w->now.levels % 2 == 0) w->other.order[sources++] = step_back(w, v);
    run_sweep(w, &w->other, sources, number);
    swap_sweeps(w);
}

/* From where a component is best looked at; true: from its middle. */
static bool sweep_well(work *w)
{
    int8_t number = sweep_from_end(w);
    if (!branches(&w->now)) return false;
    sweep_from_middle(w, (int8_t)(number + 1));
    return true;
}

/* ------------------------------------------------------------------------- levels */

typedef struct found {
    double typical; /* vertices of the piece of a vertex, on average */
    int32_t at_start;
} found;

/* All vertices of the class of v that are connected to it. */
static int32_t fill_piece(work *w, int32_t v, int32_t number)
{
    const ze_graph *g = w->graph;
    int32_t height = 0, count = 0;
    w->part[v] = number;
    w->stack[height++] = v;
    while (height > 0) {
        v = w->stack[--height];
        count++;
        for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
            int32_t u = g->next[p];
            if (w->part[u] >= 0 || w->class[u] != w->class[v]) continue;
            w->part[u] = number;
            w->stack[height++] = u;
        }
    }
    return count;
}

/* The connected pieces of the classes, numbered from w->parts on; `after`: where they end. */
static found find_pieces(work *w, cut c, int32_t *after)
{
    const sweep *s = &w->now;
    int64_t squares = 0;
    int32_t number = w->parts;
    found f = {0};
    set_classes(w, c);
    for (int32_t i = 0; i < s->count; i++) w->part[s->order[i]] = -1;
    for (int32_t i = 0; i < s->count; i++) {
        int32_t v = s->order[i];
        if (w->part[v] >= 0) continue;
        int32_t count = fill_piece(w, v, number);
        w->home[number++] = w->done + w->class[v];
        squares += (int64_t)count * count;
        if (i == 0) f.at_start = count;
    }
    f.typical = (double)squares / s->count;
    *after = number;
    return f;
}

/* How many times two sizes differ. */
static double apart(double a, double b)
{
    return a > b ? a / b : b / a;
}

/* From the middle: in a tree a piece has one vertex in the first level of its class, so these
 * levels say how many there are. */
static cut cut_from_middle(const work *w)
{
    const sweep *s = &w->now;
    cut best = {.span = 1};
    double least = 0.0;
    for (int32_t span = 1; span <= s->levels; span++) {
        int64_t pieces = s->levels % span != 0 ? s->first[1] : 0;
        for (int32_t l = s->levels - span; l >= 0; l -= span)
            pieces += s->first[l + 1] - s->first[l];
        double off = apart((double)s->count / (double)pieces, w->size);
        if (span > 1 && off >= least) continue;
        least = off;
        best = (cut){.span = span, .shift = (span - s->levels % span) % span};
    }
    return best;
}

static int32_t rounded_span(double span, int32_t levels)
{
    return span < 1.5 ? 1 : span >= levels ? levels : (int32_t)(span + 0.5);
}

static cut cut_from_end(const work *w)
{
    const sweep *s = &w->now;
    return (cut){.span = rounded_span((double)w->size * s->levels / s->count, s->levels)};
}

/* What to try after a cut whose pieces are too small, or larger at the start than elsewhere. */
static cut other_cut(const work *w, cut c, found f, bool middle)
{
    int32_t levels = w->now.levels;
    if (1.5 * f.typical < w->size) c.span = rounded_span(c.span * (w->size / f.typical), levels);
    if (middle)
        c.shift = (c.span - levels % c.span) % c.span;
    else if (f.at_start > 1.5 * f.typical)
        c.shift = c.span / 2;
    return c;
}

static void cut_levels(work *w)
{
    int32_t after = 0;
    if (w->now.count <= w->size) {
        find_pieces(w, (cut){.span = w->now.levels}, &after);
        w->parts = after;
        return;
    }
    bool middle = sweep_well(w);
    cut c = middle ? cut_from_middle(w) : cut_from_end(w);
    found f = find_pieces(w, c, &after);
    cut d = other_cut(w, c, f, middle);
    if (d.span != c.span || d.shift != c.shift) {
        found e = find_pieces(w, d, &after);
        if (apart(e.typical, w->size) > apart(f.typical, w->size)) find_pieces(w, c, &after);
    }
    w->parts = after;
}

/* ------------------------------------------------------------------------- carved */

/* Parents as the sweep has met them, in place of classes; the first source is its own, and the
 * second, where there is one, hangs on it. */
static void find_parents(work *w)
{
    const ze_graph *g = w->graph;
    const sweep *s = &w->now;
    int32_t *above = w->class;
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
static void weigh(const work *w, const int32_t *above, int32_t *weight)
{
    const sweep *s = &w->now;
    for (int32_t i = 0; i < s->count; i++) weight[s->order[i]] = 1;
    for (int32_t i = s->count - 1; i > 0; i--) {
        int32_t v = s->order[i];
        if ((int64_t)weight[v] > 2 * (int64_t)w->size) weight[v] = -1;
        if (weight[v] < w->size) weight[above[v]] += weight[v] < 0 ? 1 : weight[v];
    }
    int32_t root = s->order[0];
    if ((int64_t)weight[root] > 2 * (int64_t)w->size) weight[root] = -1;
}

static void carve(work *w)
{
    const sweep *s = &w->now;
    if (s->count > w->size) sweep_well(w);
    find_parents(w);
    const int32_t *above = w->class;
    int32_t *weight = w->stack;
    weigh(w, above, weight);
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
static bool take_whole(work *w)
{
    const sweep *s = &w->now;
    if (s->count > w->size) return false;
    for (int32_t i = 0; i < s->count; i++) w->part[s->order[i]] = w->parts;
    w->home[w->parts++] = w->done;
    return true;
}

/* False: the rule does not serve. */
static bool cut_components(work *w, ze_rule rule)
{
    for (int32_t v = 0; v < w->graph->count; v++) {
        if (w->mark[v] != 0) continue;
        w->now.order[0] = v;
        run_sweep(w, &w->now, 1, 1);
        if (rule == ZE_LEVELS) cut_levels(w);
        if (rule == ZE_CARVED) carve(w);
        if (rule == ZE_COMPONENTS && !take_whole(w)) return false;
        w->done += w->now.count;
    }
    return true;
}

/* Numbers the parts by class, then by first vertex. */
static void number_parts(work *w)
{
    int32_t count = w->graph->count, sum = 0;
    int32_t *from = w->stack, *number = w->class;
    for (int32_t c = 0; c < count; c++) from[c] = 0;
    for (int32_t k = 0; k < w->parts; k++) from[w->home[k]]++, number[k] = -1;
    for (int32_t c = 0; c < count; c++) {
        int32_t parts = from[c];
        from[c] = sum;
        sum += parts;
    }
    for (int32_t v = 0; v < count; v++) {
        int32_t k = w->part[v];
        if (number[k] < 0) number[k] = from[w->home[k]]++;
        w->part[v] = number[k];
    }
}

static zw_status take_memory(work *w, zb_arena *arena)
{
    int32_t count = w->graph->count;
    int32_t **arrays[] = {&w->now.order, &w->other.order, &w->class, &w->home, &w->stack};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ZB_NEW_ARRAY(arena, int32_t, count);
    w->now.first = ZB_NEW_ARRAY(arena, int32_t, (size_t)count + 1);
    w->other.first = ZB_NEW_ARRAY(arena, int32_t, (size_t)count + 1);
    w->mark = ZB_NEW_ARRAY(arena, int8_t, count);
    return arena->failure;
}

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
    work w = {.graph = graph, .size = size, .part = part};
    zw_status status = take_memory(&w, &arena);
    if (status == ZW_OK && cut_components(&w, rule)) {
        number_parts(&w);
        *parts = w.parts;
    }
    zb_arena_clear(&arena);
    return status;
}
