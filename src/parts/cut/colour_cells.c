/*
 * Refinement of cells. For one cell W, the splitter, every vertex v outside or inside it has the
 * key
 *
 *     key(v) = sum of h(label, direction) over the edges between v and W
 *
 * and every cell whose members have different keys is cut into pieces, those without edges to W
 * first, the others by ascending key:
 *
 *     W          C            C         C'      C"
 *     o---o    | a b c d |    | b d |   | a |   | c |     a has one edge into W, c has two
 *      \ /                     key 0     h       2 h
 *
 * The pieces are new splitters, until no cell is cut any more. A piece that is the largest of its
 * cell need not be one when the whole cell was (Hopcroft): its keys follow by subtraction, as keys
 * are sums. Thus every arc is looked at O(log n) times, and a chain, from whose long cell two
 * members are cut at a time, costs no more than its length.
 *
 * h maps to 64 bits and sums wrap around. Two different neighbourhoods with the same sum would not
 * be told apart here; they would be in every numbering, so that nothing but fineness is lost.
 *
 * All arrays are in an arena of the cells, as large as the largest graph so far needed them.
 */
#include "colour_cells.h"

#include <string.h>

void ze_cells_init(ze_cells *z, zb_memory *memory)
{
    *z = (ze_cells){0};
    zb_arena_init(&z->arena, memory, 0);
}

void ze_cells_clear(ze_cells *z)
{
    zb_arena_clear(&z->arena);
    z->room_vertices = z->room_edges = 0;
}

/* -------------------------------------------------------------------------- memory */

/* Room for `needed`, with half as much again when it must grow. */
static int32_t grown_room(int32_t room, int32_t needed)
{
    return needed <= room ? room : needed + needed / 2;
}

/* All arrays of the cells, from their arena. */
static zw_status take_cell_arrays(ze_cells *z, int32_t vertices, int32_t edges)
{
    zb_arena *arena = &z->arena;
    int32_t most = vertices > edges ? vertices : edges;
    z->arc = ZB_NEW_ARRAY(arena, ze_arc, 2 * edges);
    z->key = ZB_NEW_ARRAY(arena, uint64_t, vertices);
    z->queued = ZB_NEW_ARRAY(arena, bool, vertices);
    z->marked = ZB_NEW_ARRAY(arena, bool, vertices);
    z->sort_key = ZB_NEW_ARRAY(arena, uint32_t, most);
    z->item = ZB_NEW_ARRAY(arena, int32_t, most);
    z->spare = ZB_NEW_ARRAY(arena, int32_t, most);
    int32_t **arrays[] = {&z->member, &z->place, &z->cell,    &z->size, &z->parent, &z->child,
                          &z->start,  &z->queue, &z->reached, &z->hits, &z->struck};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = ZB_NEW_ARRAY(arena, int32_t, vertices + 1);
    return arena->failure;
}

/* Takes new arrays when a graph is larger than all before. */
static zw_status make_room_for_graph(ze_cells *z, const ze_colour_graph *graph)
{
    if (graph->vertices <= z->room_vertices && graph->edges <= z->room_edges) return ZW_OK;
    int32_t vertices = grown_room(z->room_vertices, graph->vertices);
    int32_t edges = grown_room(z->room_edges, graph->edges);
    ze_cells_clear(z);
    ZB_TRY(take_cell_arrays(z, vertices, edges));
    z->room_vertices = vertices;
    z->room_edges = edges;
    return ZW_OK;
}

/* ------------------------------------------------------------------------- sorting */

/* By bytes, the lowest first; a byte that is the same in all keys costs a look. */
void ze_cells_sort(ze_cells *z, int32_t count)
{
    for (int shift = 0; shift < 32 && count > 1; shift += 8) {
        int32_t next[257] = {0};
        for (int32_t i = 0; i < count; i++) next[(z->sort_key[z->item[i]] >> shift & 255) + 1]++;
        if (next[(z->sort_key[z->item[0]] >> shift & 255) + 1] == count) continue;
        for (int b = 0; b < 256; b++) next[b + 1] += next[b];
        for (int32_t i = 0; i < count; i++)
            z->spare[next[z->sort_key[z->item[i]] >> shift & 255]++] = z->item[i];
        memcpy(z->item, z->spare, (size_t)count * sizeof *z->item);
    }
}

/* What an item is sorted by: its key, or itself without one. */
static uint64_t sort_value(const uint64_t *key, int32_t item)
{
    return key ? key[item] : (uint64_t)item;
}

/* Ascending by key, without one by the items themselves. Mostly a few, often all with one key: an
 * insertion sort, with strides for those that are many. */
static void sort_few(int32_t *item, int32_t count, const uint64_t *key)
{
    static const int32_t strides[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++) {
        int32_t stride = strides[s];
        for (int32_t i = stride; i < count; i++) {
            int32_t moved = item[i], j = i;
            uint64_t sought = sort_value(key, moved);
            for (; j >= stride && sort_value(key, item[j - stride]) > sought; j -= stride)
                item[j] = item[j - stride];
            item[j] = moved;
        }
    }
}

/* -------------------------------------------------------------------- cells, queue */

/* Queues a cell to be a splitter, unless it is queued. */
static void push_splitter(ze_cells *z, int32_t cell)
{
    if (z->queued[cell]) return;
    int32_t end = z->first_queued + z->count_queued++;
    z->queue[end < z->vertices ? end : end - z->vertices] = cell;
    z->queued[cell] = true;
}

/* The cell that has waited longest. */
static int32_t pop_splitter(ze_cells *z)
{
    int32_t cell = z->queue[z->first_queued++];
    if (z->first_queued == z->vertices) z->first_queued = 0;
    z->count_queued--;
    z->queued[cell] = false;
    return cell;
}

/* Members [from, from + size) of the cell `parent` become a cell; its own size is the caller's. */
static void cut_off_cell(ze_cells *z, int32_t parent, int32_t from, int32_t size)
{
    for (int32_t p = from; p < from + size; p++) z->cell[z->member[p]] = from;
    z->size[from] = size;
    z->parent[z->cells] = parent;
    z->child[z->cells++] = from;
}

/* The last cell goes first, so that each is whole when its turn comes. */
void ze_cells_undo(ze_cells *z, int32_t cells)
{
    while (z->cells > cells) {
        int32_t from = z->child[--z->cells], parent = z->parent[z->cells];
        for (int32_t p = from; p < from + z->size[from]; p++) z->cell[z->member[p]] = parent;
        z->size[parent] += z->size[from];
    }
}

/* Moves v to the place `to`, and what is there to where v was. */
static void exchange_places(ze_cells *z, int32_t v, int32_t to)
{
    int32_t from = z->place[v], other = z->member[to];
    z->member[from] = other;
    z->place[other] = from;
    z->member[to] = v;
    z->place[v] = to;
}

/* ---------------------------------------------------------------------- refinement */

/* What was seen: `amount` members at the place `at` have this key. A sum, so that the order in
 * which vertices are met does not matter. */
static void note_in_trace(ze_cells *z, int32_t splitter, int32_t at, int32_t amount, uint64_t key)
{
    uint64_t where = (uint64_t)splitter << 40 ^ (uint64_t)at << 20 ^ (uint64_t)amount;
    z->trace += zb_hash_scramble(key + where * UINT64_C(0x9e3779b97f4a7c15));
}

/* Keys of all vertices with edges into the splitter; returns how many there are. */
static int32_t add_keys_from(ze_cells *z, int32_t splitter)
{
    int32_t count = 0;
    for (int32_t p = splitter; p < splitter + z->size[splitter]; p++) {
        int32_t w = z->member[p];
        for (int32_t a = z->start[w]; a < z->start[w + 1]; a++) {
            int32_t v = z->arc[a].to;
            z->key[v] += z->arc[a].weight;
            if (z->marked[v]) continue;
            z->marked[v] = true;
            z->reached[count++] = v;
        }
    }
    return count;
}

/* Moves those that were reached to the ends of their cells, and lists these cells by place. Cells
 * of one member are only noted. */
static int32_t strike_cells(ze_cells *z, int32_t splitter, int32_t reached)
{
    int32_t count = 0;
    for (int32_t i = 0; i < reached; i++) {
        int32_t v = z->reached[i], c = z->cell[v];
        z->marked[v] = false;
        if (z->size[c] == 1) {
            note_in_trace(z, splitter, c, 1, z->key[v]);
            continue;
        }
        if (z->hits[c] == 0) z->struck[count++] = c;
        exchange_places(z, v, c + z->size[c] - ++z->hits[c]);
    }
    sort_few(z->struck, count, NULL);
    return count;
}

/* The pieces of a cell in [cell, end) are to be splitters: all of them when the whole cell still
 * was to be one, otherwise all but the largest. */
static void push_pieces(ze_cells *z, int32_t cell, int32_t end)
{
    int32_t left_out = cell;
    if (!z->queued[cell]) {
        for (int32_t p = cell; p < end; p += z->size[p])
            if (z->size[p] > z->size[left_out]) left_out = p;
    }
    for (int32_t p = cell; p < end; p += z->size[p])
        if (p != left_out) push_splitter(z, p);
}

/* Cuts a cell by the keys of its members. */
static void split_cell(ze_cells *z, int32_t splitter, int32_t cell)
{
    int32_t end = cell + z->size[cell], from = end - z->hits[cell];
    z->hits[cell] = 0;
    sort_few(z->member + from, end - from, z->key);
    for (int32_t p = from; p < end; p++) z->place[z->member[p]] = p;

    if (from > cell) z->size[cell] = from - cell;
    for (int32_t p = from, next; p < end; p = next) {
        uint64_t key = z->key[z->member[p]];
        for (next = p + 1; next < end && z->key[z->member[next]] == key;) next++;
        note_in_trace(z, splitter, p, next - p, key);
        if (p > cell) cut_off_cell(z, cell, p, next - p);
        if (p == cell) z->size[cell] = next - p;
    }
    push_pieces(z, cell, end);
}

/* Splits cells until the members of each have the same arcs into every other. */
static void refine_cells(ze_cells *z)
{
    while (z->count_queued > 0) {
        int32_t splitter = pop_splitter(z);
        int32_t reached = add_keys_from(z, splitter);
        int32_t struck = strike_cells(z, splitter, reached);
        for (int32_t i = 0; i < struck; i++) split_cell(z, splitter, z->struck[i]);
        for (int32_t i = 0; i < reached; i++) z->key[z->reached[i]] = 0;
    }
}

/* The new cell is the only splitter that is needed: all others are stable. */
void ze_cells_single_out(ze_cells *z, int32_t v)
{
    int32_t cell = z->cell[v], last = cell + z->size[cell] - 1;
    exchange_places(z, v, last);
    z->size[cell]--;
    cut_off_cell(z, cell, last, 1);
    push_splitter(z, last);
    z->trace = 0;
    refine_cells(z);
}

/* --------------------------------------------------------------------------- start */

/* A hash of label and direction. */
static uint64_t arc_weight(int32_t label, bool outwards)
{
    return zb_hash_scramble((uint64_t)(uint32_t)label * 2 + outwards + 1);
}

/* Every edge as two arcs, by vertex; a counting sort. */
static void fill_arcs(ze_cells *z, const ze_colour_graph *graph)
{
    int32_t n = graph->vertices;
    memset(z->start, 0, ((size_t)n + 1) * sizeof *z->start);
    for (int32_t e = 0; e < graph->edges; e++) {
        z->start[graph->edge[e].from]++;
        z->start[graph->edge[e].to]++;
    }
    for (int32_t v = 0, sum = 0; v <= n; v++) {
        sum += z->start[v];
        z->start[v] = sum; /* one behind its last: filled from the end */
    }
    for (int32_t e = 0; e < graph->edges; e++) {
        ze_edge edge = graph->edge[e];
        z->arc[--z->start[edge.from]] = (ze_arc){arc_weight(edge.label, true), edge.to};
        z->arc[--z->start[edge.to]] = (ze_arc){arc_weight(edge.label, false), edge.from};
    }
}

/* A cell for every colour, ascending. */
static void make_colour_cells(ze_cells *z, const ze_colour_graph *graph)
{
    int32_t n = graph->vertices;
    for (int32_t v = 0; v < n; v++) {
        z->item[v] = v;
        z->sort_key[v] = (uint32_t)graph->colour[v];
    }
    ze_cells_sort(z, n);
    for (int32_t p = 0; p < n; p++) {
        z->member[p] = z->item[p];
        z->place[z->item[p]] = p;
    }
    for (int32_t p = 0, next; p < n; p = next) {
        int32_t colour = graph->colour[z->member[p]];
        for (next = p + 1; next < n && graph->colour[z->member[next]] == colour;) next++;
        cut_off_cell(z, p, p, next - p);
        push_splitter(z, p);
    }
}

/* Cells by colour, then refined. */
zw_status ze_cells_start(ze_cells *z, const ze_colour_graph *graph)
{
    ZB_TRY(make_room_for_graph(z, graph));
    size_t n = (size_t)graph->vertices;
    z->vertices = graph->vertices;
    z->cells = z->first_queued = z->count_queued = 0;
    z->trace = 0;
    if (n == 0) return ZW_OK;
    memset(z->queued, 0, n * sizeof *z->queued);
    memset(z->marked, 0, n * sizeof *z->marked);
    memset(z->hits, 0, n * sizeof *z->hits);
    memset(z->key, 0, n * sizeof *z->key);
    fill_arcs(z, graph);
    make_colour_cells(z, graph);
    refine_cells(z);
    return ZW_OK;
}
