/*
 * The set of shapes: coloured graphs, equal ones found whatever the numbering of their vertices.
 *
 *     graph ──▶ forms: the very same colours and edges before? ──yes──▶ shape, order
 *                 │ no
 *                 └──▶ canonical order ──▶ text ──▶ shapes: the same text? ──▶ shape
 *
 * A form is a graph as it was given, with its shape and order. Parts that are cut from a chain in
 * its own numbering are two or three forms, met over and over: a hash, a comparison, a copy. Forms
 * are a memory of answers only; when there are many of them (a scrambled numbering: hardly one
 * comes twice) all are forgotten and the list begins anew, so that memory is bounded.
 *
 * The text of a graph is its description in canonical order, in bytes of which the highest bit
 * says that the number goes on:
 *
 *     vertices, for each: colour less that of the one before, edges from it, for each: to, label
 *
 * with edges ascending. Equal texts are equal graphs, and nothing else is. The set owns the forms
 * (an arena that is cleared), the texts (an arena that is not) and the scratch of the ordering.
 */
#include "shape_set.h"

#include <string.h>

#include "colour_cells.h"

#ifdef ZB_SMALL_TABLES
enum { MOST_FORMS = 3, MOST_WORDS = 2000 };
#else
enum { MOST_FORMS = 4096, MOST_WORDS = 1 << 22 };
#endif
/* The most edges of a graph for which work is done, and the most bytes of a number. */
enum { MOST_EDGES = 1 << 22, NUMBER_BYTES = 5 };

typedef struct form {
    ze_colour_graph graph;
    uint64_t hash;
    int32_t shape;
    int32_t *order; /* [vertices] */
} form;

typedef struct text {
    const unsigned char *bytes;
    size_t size;
} text;

struct ze_shape_set {
    zb_memory *memory;
    zb_arena form_room, text_room;
    ZB_ARRAY(form) forms;
    ZB_ARRAY(text) shapes;
    zb_table form_table, shape_table;
    int64_t words; /* of all forms */
    ze_cells cells;
    ZB_ARRAY(unsigned char) written; /* the text of the present graph */
};

zw_status ze_shape_set_create(zb_memory *memory, ze_shape_set **set)
{
    ze_shape_set *s = *set = zb_resize(memory, NULL, 0, sizeof *s);
    if (!s) return memory->failure;
    *s = (ze_shape_set){.memory = memory};
    zb_arena_init(&s->form_room, memory, 0);
    zb_arena_init(&s->text_room, memory, 0);
    ze_cells_init(&s->cells, memory);
    return ZW_OK;
}

void ze_shape_set_free(ze_shape_set *set)
{
    if (!set) return;
    zb_memory *memory = set->memory;
    zb_arena_clear(&set->form_room);
    zb_arena_clear(&set->text_room);
    ze_cells_clear(&set->cells);
    zb_array_free(memory, &set->forms);
    zb_array_free(memory, &set->shapes);
    zb_array_free(memory, &set->written);
    zb_table_free(memory, &set->form_table);
    zb_table_free(memory, &set->shape_table);
    zb_resize(memory, set, sizeof *set, 0);
}

int32_t ze_shape_set_count(const ze_shape_set *set)
{
    return set->shapes.count;
}

/* --------------------------------------------------------------------------- forms */

_Static_assert(sizeof(ze_edge) == 3 * sizeof(int32_t), "edges are compared by bytes");

/* Mixes a number into a hash. */
static uint64_t stir_hash(uint64_t hash, uint64_t x)
{
    hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Ends and label of an edge in one number; different edges may share one. */
static uint64_t edge_as_number(ze_edge e)
{
    uint64_t ends = (uint64_t)(uint32_t)e.from << 32 | (uint32_t)e.to;
    return ends + (uint32_t)e.label * UINT64_C(0xd1b54a32d192ed03);
}

/* Four hashes side by side, which need not wait for each other. What collides is told apart by
 * comparison. */
static uint64_t hash_graph(const ze_colour_graph *f)
{
    uint64_t h[4] = {(uint64_t)f->vertices, (uint64_t)f->edges, 2, 3};
    int32_t i = 0;
    for (; i + 4 <= f->vertices; i += 4)
        for (int k = 0; k < 4; k++) h[k] = stir_hash(h[k], (uint64_t)f->colour[i + k]);
    for (; i < f->vertices; i++) h[0] = stir_hash(h[0], (uint64_t)f->colour[i]);
    for (i = 0; i + 4 <= f->edges; i += 4)
        for (int k = 0; k < 4; k++) h[k] = stir_hash(h[k], edge_as_number(f->edge[i + k]));
    for (; i < f->edges; i++) h[0] = stir_hash(h[0], edge_as_number(f->edge[i]));
    return zb_hash_mix(zb_hash_mix(zb_hash_mix(h[0], h[1]), h[2]), h[3]);
}

static size_t colour_bytes(const ze_colour_graph *f)
{
    return (size_t)f->vertices * sizeof *f->colour;
}

static size_t edge_bytes(const ze_colour_graph *f)
{
    return (size_t)f->edges * sizeof *f->edge;
}

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

/* Whether a graph (key, a form) was given before as form `index`: a callback of zb_table_find. */
static bool same_form(const void *pool, const void *key, int32_t index)
{
    const form *a = key, *b = &((const ze_shape_set *)pool)->forms.data[index];
    return a->hash == b->hash && a->graph.vertices == b->graph.vertices &&
           a->graph.edges == b->graph.edges &&
           same_bytes(a->graph.edge, b->graph.edge, edge_bytes(&b->graph)) &&
           same_bytes(a->graph.colour, b->graph.colour, colour_bytes(&b->graph));
}

/* Empties the memory of forms; shapes stay. */
static void forget_forms(ze_shape_set *set)
{
    set->forms.count = 0;
    set->words = 0;
    zb_table_clear(&set->form_table);
    zb_arena_clear(&set->form_room);
}

/* Keeps a copy of a form, unless it alone is too large. */
static zw_status keep_form(ze_shape_set *set, form f)
{
    zb_memory *memory = set->memory;
    zb_arena *room = &set->form_room;
    int64_t words = 2 * (int64_t)f.graph.vertices + 3 * (int64_t)f.graph.edges;
    if (words > MOST_WORDS) return ZW_OK;
    if (set->forms.count == MOST_FORMS || set->words + words > MOST_WORDS) forget_forms(set);

    size_t align = sizeof(int32_t);
    f.graph.colour = zb_arena_copy(room, f.graph.colour, colour_bytes(&f.graph), align);
    f.graph.edge = zb_arena_copy(room, f.graph.edge, edge_bytes(&f.graph), align);
    f.order = zb_arena_copy(room, f.order, colour_bytes(&f.graph), align);
    if (!f.graph.colour || !f.graph.edge || !f.order) return room->failure;
    if (!zb_array_push(memory, &set->forms, f)) return memory->failure;
    if (!zb_table_insert(memory, &set->form_table, f.hash, set->forms.count - 1)) {
        set->forms.count--;
        return memory->failure;
    }
    set->words += words;
    return ZW_OK;
}

/* -------------------------------------------------------------------------- shapes */

static void write_number(ze_shape_set *set, uint32_t x)
{
    for (; x > 127; x >>= 7) set->written.data[set->written.count++] = (unsigned char)(x | 128);
    set->written.data[set->written.count++] = (unsigned char)x;
}

/* Edges by their ends in the new order, then by label: sorted by the last first. */
static void sort_edges(ze_cells *z, const ze_colour_graph *f)
{
    for (int32_t e = 0; e < f->edges; e++) z->item[e] = e;
    for (int32_t e = 0; e < f->edges; e++) z->sort_key[e] = (uint32_t)f->edge[e].label;
    ze_cells_sort(z, f->edges);
    for (int32_t e = 0; e < f->edges; e++) z->sort_key[e] = (uint32_t)z->place[f->edge[e].to];
    ze_cells_sort(z, f->edges);
    for (int32_t e = 0; e < f->edges; e++) z->sort_key[e] = (uint32_t)z->place[f->edge[e].from];
    ze_cells_sort(z, f->edges);
}

/* The text of a graph whose order is that of the cells. */
static zw_status write_text(ze_shape_set *set, const ze_colour_graph *f)
{
    ze_cells *z = &set->cells;
    int32_t bytes = NUMBER_BYTES * (1 + 2 * f->vertices + 2 * f->edges);
    set->written.count = 0;
    if (!zb_array_reserve(set->memory, &set->written, bytes)) return set->memory->failure;

    sort_edges(z, f);
    write_number(set, (uint32_t)f->vertices);
    int32_t colour = 0;
    for (int32_t p = 0, e = 0, end; p < f->vertices; p++) {
        int32_t v = z->member[p];
        write_number(set, (uint32_t)(f->colour[v] - colour));
        colour = f->colour[v];
        for (end = e; end < f->edges && f->edge[z->item[end]].from == v;) end++;
        write_number(set, (uint32_t)(end - e));
        for (; e < end; e++) {
            write_number(set, (uint32_t)z->place[f->edge[z->item[e]].to]);
            write_number(set, (uint32_t)f->edge[z->item[e]].label);
        }
    }
    return ZW_OK;
}

/* Whether a text is that of shape `index`: a callback of zb_table_find. */
static bool same_text(const void *pool, const void *key, int32_t index)
{
    const text *a = key, *b = &((const ze_shape_set *)pool)->shapes.data[index];
    return a->size == b->size && same_bytes(a->bytes, b->bytes, a->size);
}

/* The shape with the text that was written, a new one if there is none. */
static zw_status find_shape_by_text(ze_shape_set *set, int32_t *shape)
{
    zb_memory *memory = set->memory;
    text t = {.bytes = set->written.data, .size = (size_t)set->written.count};
    uint64_t hash = zb_hash_bytes(t.bytes, t.size);
    *shape = zb_table_find(&set->shape_table, hash, same_text, set, &t);
    if (*shape >= 0) return ZW_OK;

    if (!zb_array_reserve(memory, &set->shapes, 1)) return memory->failure;
    if (!zb_table_reserve(memory, &set->shape_table, 1)) return memory->failure;
    t.bytes = zb_arena_copy(&set->text_room, t.bytes, t.size, 1);
    if (!t.bytes) return set->text_room.failure;
    *shape = set->shapes.count;
    set->shapes.data[set->shapes.count++] = t;
    zb_table_insert(memory, &set->shape_table, hash, *shape); /* there is room */
    return ZW_OK;
}

/* By the forms first, then by the text in canonical order. */
zw_status ze_shape_set_find(ze_shape_set *set, const ze_colour_graph *graph, int32_t *shape,
                            int32_t *order)
{
    *shape = -1;
    if (graph->vertices > ze_most_vertices || graph->edges > MOST_EDGES) return ZW_OK;
    form f = {.graph = *graph, .hash = hash_graph(graph), .order = order};
    int32_t known = zb_table_find(&set->form_table, f.hash, same_form, set, &f);
    if (known >= 0) {
        const form *k = &set->forms.data[known];
        *shape = k->shape;
        if (graph->vertices > 0) memcpy(order, k->order, colour_bytes(graph));
        return ZW_OK;
    }
    ZB_TRY(ze_cells_order(&set->cells, graph));
    ZB_TRY(write_text(set, graph));
    ZB_TRY(find_shape_by_text(set, &f.shape));
    if (graph->vertices > 0) memcpy(order, set->cells.member, colour_bytes(graph));
    ZB_TRY(keep_form(set, f));
    *shape = f.shape;
    return ZW_OK;
}
