/*
 * The rule LEVELS: some neighbouring levels of a breadth-first search are a band,
 *
 *     band = (level + shift) / span
 *
 * and parts are the connected pieces of the bands.
 *
 * From an end, span = size / mean width of a level. From the middle it is the span whose pieces
 * have about `size` vertices, counted from the deepest level on, so that it is the root that has an
 * odd part. In a loop a band is two pieces:
 *
 *         o o o | o o o | o o         the pieces turn out half as large as asked for and the one
 *       o       |       |     o       at the start twice as large as the others: then the span is
 *         o o o | o o o | o o         doubled, and the shift makes that one equal to them
 *
 * The better cut is kept: whose typical piece (the one that a vertex is in, on average: sum of
 * squares / vertices) is nearer to `size`.
 *
 * Twigs. What hangs on a narrow graph reaches into the band that follows:
 *
 *     band     0 0 0 1 1 1 2      A piece that touches a single other one, in the band before,
 *              o-o-o-o-o-o-o      has less than half of `size` and company in its band goes to
 *               \ \ \ \ \ \       that one, from the deepest band up. (The last piece of a
 *                o o o o o o      chain is alone: it stays.)
 *     band       0 0 1 1 1 2
 *                    ^ goes to 0
 */
#include "level_structure.h"

/* Pieces of a component, counted from w->parts on, in the order of their bands. The arrays are
 * scratch of the cutting that no search needs any more. */
typedef struct pieces {
    int32_t count;
    int32_t *weight; /* vertices; 0: a twig that is part of another */
    int32_t *up;     /* the piece it touches in the band before */
    int32_t *into;   /* the piece it goes to */
} pieces;
enum { none = -1, many = -2 }; /* in `up` */
enum {
    unjoined = -1,
    blocked = -2
}; /* in `into`; blocked: something hangs on it that is no twig */

typedef struct found {
    double typical;   /* vertices of the piece of a vertex, on average */
    int32_t at_start; /* vertices of the first one */
} found;

/* ------------------------------------------------------------------------- pieces */

/* Gives a number to all vertices of the band of v that are connected to it; how many they are. */
static int32_t fill_piece(ze_cutting *w, int32_t v, int32_t number)
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
            if (w->part[u] >= 0 || w->band[u] != w->band[v]) continue;
            w->part[u] = number;
            w->stack[height++] = u;
        }
    }
    return count;
}

/* The connected pieces of the bands, with their sizes; w->part and w->home are set. */
static pieces find_pieces(ze_cutting *w, ze_bands cut)
{
    const ze_level_structure *s = &w->now;
    pieces x = {.weight = w->other.order, .up = w->other.first, .into = w->stack};
    ze_set_bands(w, cut);
    for (int32_t i = 0; i < s->count; i++) w->part[s->order[i]] = -1;
    for (int32_t i = 0; i < s->count; i++) {
        int32_t v = s->order[i];
        if (w->part[v] >= 0) continue;
        x.weight[x.count] = fill_piece(w, v, w->parts + x.count);
        w->home[w->parts + x.count++] = w->done + w->band[v];
    }
    return x;
}

/* -------------------------------------------------------------------------- twigs */

/* What each piece touches in the band before; those that a piece with several such touches are
 * blocked. */
static void find_ways_up(const ze_cutting *w, pieces *x)
{
    const ze_graph *g = w->graph;
    for (int32_t k = 0; k < x->count; k++) x->up[k] = none, x->into[k] = unjoined;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t i = 0; i < w->now.count; i++) {
            int32_t v = w->now.order[i], *up = &x->up[w->part[v] - w->parts];
            if (pass == 1 && *up != many) continue;
            for (int32_t p = g->start[v]; p < g->start[v + 1]; p++) {
                int32_t u = g->next[p], k = w->part[u] - w->parts;
                if (w->band[u] >= w->band[v]) continue;
                if (pass == 0)
                    *up = *up == none || *up == k ? k : many;
                else
                    x->into[k] = blocked;
            }
        }
    }
}

/* Whether another piece lies in the band of piece k. */
static bool has_company(const ze_cutting *w, const pieces *x, int32_t k)
{
    const int32_t *home = w->home + w->parts;
    return (k > 0 && home[k - 1] == home[k]) || (k + 1 < x->count && home[k + 1] == home[k]);
}

/* Deepest band first: what hangs on a piece has been decided when it is its turn. */
static void join_twigs(const ze_cutting *w, pieces *x)
{
    for (int32_t k = x->count - 1; k > 0; k--) {
        int32_t up = x->up[k];
        if (up < 0) continue;
        if (x->into[k] == unjoined && x->weight[k] < w->size - x->weight[k] &&
            has_company(w, x, k)) {
            x->into[k] = up;
            x->weight[up] += x->weight[k];
            x->weight[k] = 0;
        } else {
            x->into[up] = blocked;
        }
    }
}

/* Numbers the pieces again without the twigs, and their vertices with them. */
static void close_gaps(ze_cutting *w, pieces *x)
{
    int32_t *number = x->up, *home = w->home + w->parts, kept = 0;
    for (int32_t k = 0; k < x->count; k++) {
        if (x->into[k] >= 0) {
            number[k] = number[x->into[k]];
            continue;
        }
        home[kept] = home[k];
        x->weight[kept] = x->weight[k];
        number[k] = kept++;
    }
    for (int32_t i = 0; i < w->now.count; i++) {
        int32_t *part = &w->part[w->now.order[i]];
        *part = w->parts + number[*part - w->parts];
    }
    x->count = kept;
}

/* --------------------------------------------------------------------------- cuts */

/* Parts of the component, numbered from w->parts on; `after`: where they end. */
static found try_bands(ze_cutting *w, ze_bands cut, bool middle, int32_t *after)
{
    pieces x = find_pieces(w, cut);
    int32_t bands = w->home[w->parts + x.count - 1] - w->done + 1;
    if (!middle && x.count > bands) {
        find_ways_up(w, &x);
        join_twigs(w, &x);
        close_gaps(w, &x);
    }
    double squares = 0.0;
    for (int32_t k = 0; k < x.count; k++) squares += (double)x.weight[k] * x.weight[k];
    *after = w->parts + x.count;
    return (found){.typical = squares / w->now.count, .at_start = x.weight[0]};
}

/* How many times two sizes differ. */
static double ratio_apart(double a, double b)
{
    return a > b ? a / b : b / a;
}

/* Bands counted from the deepest level on, so that the first one may be short. */
static ze_bands bands_from_below(int32_t span, int32_t levels)
{
    return (ze_bands){.span = span, .shift = (span - levels % span) % span};
}

/* In a tree a piece has one vertex in the first level of its band, so these levels say how many
 * there are. */
static ze_bands bands_from_middle(const ze_cutting *w)
{
    const ze_level_structure *s = &w->now;
    int32_t best = 1;
    double least = 0.0;
    for (int32_t span = 1; span <= s->levels; span++) {
        int64_t count = s->levels % span != 0 ? s->first[1] : 0;
        for (int32_t l = s->levels - span; l >= 0; l -= span)
            count += s->first[l + 1] - s->first[l];
        double off = ratio_apart((double)s->count / (double)count, w->size);
        if (span > 1 && off >= least) continue;
        least = off;
        best = span;
    }
    return bands_from_below(best, s->levels);
}

/* A span as a whole number, between 1 and all levels. */
static int32_t rounded_span(double span, int32_t levels)
{
    return span < 1.5 ? 1 : span >= levels ? levels : (int32_t)(span + 0.5);
}

/* As many levels as have `size` vertices on average. */
static ze_bands bands_from_end(const ze_cutting *w)
{
    const ze_level_structure *s = &w->now;
    return (ze_bands){.span = rounded_span((double)w->size * s->levels / s->count, s->levels)};
}

/* What to try after a cut whose pieces are too small, or larger at the start than elsewhere. */
static ze_bands other_bands(const ze_cutting *w, ze_bands cut, found f, bool middle)
{
    int32_t levels = w->now.levels, span = cut.span;
    if (1.5 * f.typical < w->size) span = rounded_span(span * (w->size / f.typical), levels);
    if (middle) return bands_from_below(span, levels);
    bool two_sides = f.at_start > 1.5 * f.typical;
    return (ze_bands){.span = span, .shift = two_sides ? span / 2 : 0};
}

/* A component that fits is one part. Otherwise a first try, and a second one where the first looks
 * wrong; the better is kept. */
void ze_cut_levels(ze_cutting *w)
{
    int32_t after = 0;
    if (w->now.count <= w->size) {
        try_bands(w, (ze_bands){.span = w->now.levels}, false, &after);
        w->parts = after;
        return;
    }
    bool middle = ze_find_best_levels(w);
    ze_bands first = middle ? bands_from_middle(w) : bands_from_end(w);
    found f = try_bands(w, first, middle, &after);
    ze_bands second = other_bands(w, first, f, middle);
    if (second.span != first.span || second.shift != first.shift) {
        found s = try_bands(w, second, middle, &after);
        if (ratio_apart(s.typical, w->size) > ratio_apart(f.typical, w->size))
            try_bands(w, first, middle, &after);
    }
    w->parts = after;
}
