/*
 * From a cut of the bodies to parts and their shapes.
 *
 *      ──o───o│o───o│──        own     coordinates of the bodies of the part
 *        part │     │          halo    coordinates of others that its elements read
 *      a row that is cut is an outer row of every part it touches, and owned by one of them
 *
 * A part as a coloured graph: vertices are coordinates, rows and elements, each coloured by its
 * sort; edges lead from an element to the coordinates of its slots and to the rows it has a share
 * in, labelled by slot and by output. Parts with equal graphs are served by the same programs.
 *
 * A shape that occurs too rarely for lanes is taken apart: each of its bodies becomes a part of its
 * own, all rows of it but its own ones are outer rows, and the shapes of single bodies repeat.
 */
#include <string.h>

#include "arrange.h"
#include "part_shapes.h"

enum {
    colour_own,
    colour_halo,
    colour_inner = 8, /* + kind of the row */
    colour_owned = 16,
    colour_shared = 24,
    colour_element = 32 /* + family */
};
enum { row_label = 1 << 20, unread_label = 1 << 24 }; /* of edges; below: slots */

/* A part under construction. */
typedef struct draft {
    ze_parts *p;
    const ze_survey *s;
    int32_t *coordinate, *row, *element; /* [n], [m], [elements] 1 + vertex, 0: none */
    ze_lists bodies;                     /* of each part */
    const int32_t *body;                 /* [body_count] of the part */
    int32_t body_count;
    ZB_ARRAY(int32_t) number; /* what each vertex is */
    ZB_ARRAY(int32_t) colour;
    ZB_ARRAY(ze_edge) edges;
    ZB_ARRAY(int32_t) order;
    ze_part_counts counts;
    bool arranged; /* bodies and rows by what they are, not by number */
    ze_arranger arranger;
    zb_arena arena;
} draft;

/* Adds a vertex to the graph of the part. *local becomes 1 + its number. */
static zw_status add_vertex(draft *d, int32_t *local, int32_t number, int32_t colour)
{
    zb_memory *memory = d->p->memory;
    if (!zb_array_reserve(memory, &d->number, 1) || !zb_array_reserve(memory, &d->colour, 1))
        return memory->failure;
    d->number.data[d->number.count++] = number;
    d->colour.data[d->colour.count++] = colour;
    *local = d->number.count;
    return ZW_OK;
}

static zw_status add_edge(draft *d, int32_t from, int32_t to, int32_t label)
{
    ze_edge edge = {from - 1, to - 1, label};
    return zb_array_push(d->p->memory, &d->edges, edge) ? ZW_OK : d->p->memory->failure;
}

/* ----------------------------------------------------------------------- vertices */

/* Whether all bodies of a row are in the part. */
static bool is_inner_row_of(const draft *d, int32_t row, int32_t part)
{
    const ze_lists *l = &d->s->bodies_of;
    for (int32_t k = l->start[row]; k < l->start[row + 1]; k++)
        if (d->p->part[l->list[k]] != part) return false;
    return true;
}

/* The body that owns a row: the last one in the last of the parts that the row touches. */
static int32_t owner_of_row(const ze_parts *p, int32_t row)
{
    const ze_lists *l = &p->survey->bodies_of;
    int32_t best = l->list[l->start[row]];
    for (int32_t k = l->start[row] + 1; k < l->start[row + 1]; k++) {
        int32_t b = l->list[k];
        bool later = p->part[b] > p->part[best] || (b > best && p->part[b] == p->part[best]);
        if (later) best = b;
    }
    return best;
}

/* A row of the part: inner, or outer and owned by this part or by another. */
static zw_status add_row_vertex(draft *d, int32_t row, int32_t part)
{
    int32_t kind = (int32_t)d->s->system.kinds[row];
    int32_t owner = d->p->owner_body ? d->p->owner_body[row] : owner_of_row(d->p, row);
    bool owned = d->p->part[owner] == part;
    if (is_inner_row_of(d, row, part)) {
        d->counts.inner++;
        return add_vertex(d, &d->row[row], row, colour_inner + kind);
    }
    *(owned ? &d->counts.owned : &d->counts.shared) += 1;
    return add_vertex(d, &d->row[row], row, (owned ? colour_owned : colour_shared) + kind);
}

/* Whether a row touches a body of no part: one that is not in the sample. */
static bool leads_to_no_part(const draft *d, int32_t row)
{
    const ze_lists *l = &d->s->bodies_of;
    for (int32_t k = l->start[row]; k < l->start[row + 1]; k++)
        if (d->p->part[l->list[k]] < 0) return true;
    return false;
}

/* Sorts the list of rows of a body, in the survey itself: nothing else depends on its order. */
static void sort_rows_by_rank(draft *d, int32_t body)
{
    const ze_lists *l = &d->s->rows;
    for (int32_t k = l->start[body] + 1; k < l->start[body + 1]; k++) {
        int32_t row = l->list[k], at = k;
        int64_t rank = ze_row_rank(&d->arranger, row, body);
        for (; at > l->start[body] && ze_row_rank(&d->arranger, l->list[at - 1], body) > rank; at--)
            l->list[at] = l->list[at - 1];
        l->list[at] = row;
    }
}

/* The coordinates of the part's bodies, then the rows that touch these. */
static zw_status add_body_vertices(draft *d, int32_t part)
{
    const ze_survey *s = d->s;
    for (int32_t k = 0; k < d->body_count; k++) {
        int32_t b = d->body[k];
        for (int32_t c = s->coordinates.start[b]; c < s->coordinates.start[b + 1]; c++) {
            int32_t j = s->coordinates.list[c];
            ZB_TRY(add_vertex(d, &d->coordinate[j], j, colour_own));
        }
    }
    d->counts.own = d->number.count;
    for (int32_t k = 0; k < d->body_count; k++) {
        int32_t b = d->body[k], from = s->rows.start[b];
        if (d->arranged) sort_rows_by_rank(d, b);
        for (int32_t r = from; r < s->rows.start[b + 1]; r++)
            if (!d->row[s->rows.list[r]] && !leads_to_no_part(d, s->rows.list[r]))
                ZB_TRY(add_row_vertex(d, s->rows.list[r], part));
    }
    return ZW_OK;
}

/* The elements in a list, those that are not there yet. */
static zw_status add_element_vertices(draft *d, const ze_lists *l, int32_t vertex)
{
    const ze_survey *s = d->s;
    for (int32_t k = l->start[vertex]; k < l->start[vertex + 1]; k++) {
        int32_t e = l->list[k], f = s->family_of[e];
        if (d->element[e]) continue;
        ZB_TRY(add_vertex(d, &d->element[e], e, colour_element + f));
        d->counts.elements++;
    }
    return ZW_OK;
}

/* Edges to the coordinates that an element reads; those of other parts are met here. */
static zw_status bind_slots(draft *d, int32_t e)
{
    const ze_family *f = &d->s->families[d->s->family_of[e]];
    const int32_t *binding = ze_binding(f, e);
    for (int32_t k = 0; k < f->slot_count; k++) {
        int32_t j = binding[f->slots[k]];
        if (!d->coordinate[j]) {
            ZB_TRY(add_vertex(d, &d->coordinate[j], j, colour_halo));
            d->counts.halo++;
        }
        ZB_TRY(add_edge(d, d->element[e], d->coordinate[j], f->slots[k]));
    }
    return ZW_OK;
}

/* Where the outputs of an element go, as far as it is in the part: what is read says nothing of a
 * mass, whose M is a number. */
static zw_status bind_outputs(draft *d, int32_t e)
{
    const ze_family *f = &d->s->families[d->s->family_of[e]];
    int32_t instance = e - f->first;
    for (int32_t k = 0; k < f->unread_count; k++) {
        int32_t to = d->coordinate[ze_destination_of(&f->unread[k], instance)];
        if (to) ZB_TRY(add_edge(d, d->element[e], to, unread_label + k));
    }
    for (int32_t k = 0; k < f->row_count; k++) {
        int32_t to = d->row[ze_destination_of(&f->rows[k], instance)];
        if (to) ZB_TRY(add_edge(d, d->element[e], to, row_label + k));
    }
    return ZW_OK;
}

/* The whole graph of a part: coordinates, rows, elements, then edges. Halo coordinates come last,
 * as edges meet them. */
static zw_status draw_part(draft *d, int32_t part)
{
    const ze_survey *s = d->s;
    ZB_TRY(add_body_vertices(d, part));
    int32_t rows = d->counts.own, elements = d->number.count;
    for (int32_t v = 0; v < rows; v++)
        ZB_TRY(add_element_vertices(d, &s->at_coordinate, d->number.data[v]));
    for (int32_t v = rows; v < elements; v++)
        ZB_TRY(add_element_vertices(d, &s->at_row, d->number.data[v]));
    int32_t end = d->number.count;
    for (int32_t v = elements; v < end; v++) ZB_TRY(bind_slots(d, d->number.data[v]));
    for (int32_t v = elements; v < end; v++) ZB_TRY(bind_outputs(d, d->number.data[v]));
    return ZW_OK;
}

/* Takes back all local numbers, for the next part. */
static void erase_part(draft *d)
{
    for (int32_t v = 0; v < d->number.count; v++) {
        int32_t colour = d->colour.data[v], number = d->number.data[v];
        if (colour <= colour_halo)
            d->coordinate[number] = 0;
        else if (colour < colour_element)
            d->row[number] = 0;
        else
            d->element[number] = 0;
    }
    d->number.count = d->colour.count = d->edges.count = 0;
    d->counts = (ze_part_counts){0};
}

/* ------------------------------------------------------------------------- shapes */

/* Keeps the numbers of a part in the order of its shape; a new shape with how many it has of each
 * sort. */
static zw_status note_shape(draft *d, int32_t part, int32_t shape)
{
    ze_parts *p = d->p;
    if (shape == p->shape_count) {
        if (!zb_array_push(p->memory, &p->counts, d->counts) ||
            !zb_array_push(p->memory, &p->parts_with, 0) ||
            !zb_array_push(p->memory, &p->first, part))
            return p->memory->failure;
        p->shape_count++;
    }
    p->shape[part] = shape;
    p->parts_with.data[shape]++;
    p->at[part] = p->numbers.count;
    if (!zb_array_reserve(p->memory, &p->numbers, d->number.count)) return p->memory->failure;
    for (int32_t v = 0; v < d->number.count; v++)
        p->numbers.data[p->numbers.count++] = d->number.data[d->order.data[v]];
    return ZW_OK;
}

/* The shape of the graph that was drawn, -1: too large; d->order is its canonical order. */
static zw_status find_part_shape(draft *d, int32_t *shape)
{
    d->order.count = 0;
    if (!zb_array_reserve(d->p->memory, &d->order, d->number.count)) return d->p->memory->failure;
    ze_colour_graph graph = {.vertices = d->number.count,
                             .edges = d->edges.count,
                             .colour = d->colour.data,
                             .edge = d->edges.data};
    return ze_shape_set_find(d->p->shapes, &graph, shape, d->order.data);
}

/* Brings the bodies of a part into an order that does not depend on their numbers. */
static zw_status arrange_part(draft *d, int32_t part)
{
    d->order.count = 0;
    if (!zb_array_reserve(d->p->memory, &d->order, d->body_count)) return d->p->memory->failure;
    ze_arrange(&d->arranger, d->bodies.list + d->bodies.start[part], d->body_count, d->order.data);
    return ZW_OK;
}

/* Draws a part and finds its shape. Empty parts have none. */
static zw_status take_part(draft *d, int32_t part)
{
    int32_t shape = -1;
    d->body = d->bodies.list + d->bodies.start[part];
    d->body_count = d->bodies.start[part + 1] - d->bodies.start[part];
    if (d->body_count == 0) return ZW_OK;
    if (d->arranged) ZB_TRY(arrange_part(d, part));
    ZB_TRY(draw_part(d, part));
    if (d->arranged) ze_arranger_leave(&d->arranger, d->body, d->body_count);
    ZB_TRY(find_part_shape(d, &shape));
    if (shape < 0) return ZW_ERR_LARGE;
    ZB_TRY(note_shape(d, part, shape));
    erase_part(d);
    return ZW_OK;
}

/* The bodies of each part, ascending. */
static zw_status list_part_bodies(draft *d)
{
    int32_t bodies = d->s->bodies, parts = d->p->count;
    int32_t *start = ZB_NEW_ARRAY(&d->arena, int32_t, (size_t)parts + 2);
    int32_t *list = ZB_NEW_ARRAY(&d->arena, int32_t, (size_t)bodies + 1);
    if (d->arena.failure != ZW_OK) return d->arena.failure;
    for (int32_t b = 0; b < bodies; b++) start[d->p->part[b] + 2]++;
    for (int32_t k = 1; k < parts; k++) start[k + 1] += start[k];
    for (int32_t b = 0; b < bodies; b++) list[start[d->p->part[b] + 1]++] = b;
    d->bodies = (ze_lists){.start = start, .list = list};
    return ZW_OK;
}

/* Bodies of rare shapes get parts of their own, after the others. */
static int32_t take_rare_apart(draft *d, int32_t least)
{
    ze_parts *p = d->p;
    int32_t count = p->count;
    for (int32_t b = 0; b < d->s->bodies; b++) {
        int32_t shape = p->shape[p->part[b]];
        if (shape < 0 || p->parts_with.data[shape] < least) p->part[b] = count++;
    }
    for (int32_t k = 0; k < p->count; k++) {
        int32_t shape = p->shape[k];
        if (shape >= 0 && p->parts_with.data[shape] < least) p->shape[k] = -1;
    }
    for (int32_t k = 0; k < p->shape_count; k++)
        if (p->parts_with.data[k] < least) p->parts_with.data[k] = 0;
    return count;
}

/* The first part of each shape, after rare ones have gone. */
static void find_first_parts(ze_parts *p)
{
    for (int32_t k = p->count - 1; k >= 0; k--)
        if (p->shape[k] >= 0) p->first.data[p->shape[k]] = k;
}

/* `least`, or as many parts as leave no more than the most frequent shapes. */
static int32_t least_count_kept(const ze_parts *p, int32_t least)
{
    for (;; least++) {
        int32_t kept = 0, next = INT32_MAX;
        for (int32_t k = 0; k < p->shape_count; k++) {
            if (p->parts_with.data[k] < least) continue;
            kept++;
            next = p->parts_with.data[k] < next ? p->parts_with.data[k] : next;
        }
        if (kept <= ze_most_kept) return least;
        least = next;
    }
}

/* Parts of the cut first; rare ones are taken apart, and their bodies are parts once more. */
static zw_status make_all_parts(draft *d, int32_t least)
{
    ze_parts *p = d->p;
    int32_t before = p->count;
    ZB_TRY(list_part_bodies(d));
    for (int32_t k = 0; k < before; k++) ZB_TRY(take_part(d, k));
    int32_t count = take_rare_apart(d, least_count_kept(p, least));
    p->count = count;
    ZB_TRY(list_part_bodies(d));
    for (int32_t k = before; k < count; k++) ZB_TRY(take_part(d, k));
    find_first_parts(p);
    return ZW_OK;
}

/* ---------------------------------------------------------------------------- all */

static void find_row_owners(ze_parts *p)
{
    for (int32_t i = 0; i < p->survey->system.m; i++) p->owner_body[i] = owner_of_row(p, i);
}

/* Arrays of local numbers, all 0. */
static zw_status open_draft(draft *d)
{
    const ze_survey *s = d->s;
    zb_arena_init(&d->arena, d->p->memory, 0);
    d->coordinate = ZB_NEW_ARRAY(&d->arena, int32_t, (size_t)s->system.n + 1);
    d->row = ZB_NEW_ARRAY(&d->arena, int32_t, (size_t)s->system.m + 1);
    d->element = ZB_NEW_ARRAY(&d->arena, int32_t, (size_t)s->element_count + 1);
    return d->arena.failure;
}

/* Gives back what a draft has taken; safe after open_draft has failed. */
static void close_draft(draft *d)
{
    zb_memory *memory = d->p->memory;
    zb_array_free(memory, &d->number);
    zb_array_free(memory, &d->colour);
    zb_array_free(memory, &d->edges);
    zb_array_free(memory, &d->order);
    zb_arena_clear(&d->arena);
}

/* Where neighbours have numbers far apart the bodies of each part are arranged, which makes most
 * equal parts the same form. */
zw_status ze_parts_make(const ze_survey *survey, const int32_t *part, int32_t parts, int32_t least,
                        ze_parts *p)
{
    size_t bodies = (size_t)survey->bodies, most = bodies + (size_t)parts + 1;
    *p = (ze_parts){.memory = survey->memory, .survey = survey, .count = parts};
    zb_arena_init(&p->arena, p->memory, 0);
    p->part = ZB_NEW_ARRAY(&p->arena, int32_t, bodies + 1);
    p->owner_body = ZB_NEW_ARRAY(&p->arena, int32_t, (size_t)survey->system.m + 1);
    p->shape = ZB_NEW_ARRAY(&p->arena, int32_t, most);
    p->at = ZB_NEW_ARRAY(&p->arena, int64_t, most);
    zw_status status = p->arena.failure;
    if (status == ZW_OK) status = ze_shape_set_create(p->memory, &p->shapes);
    if (status == ZW_OK) {
        draft d = {.p = p, .s = survey};
        memcpy(p->part, part, sizeof *part * bodies);
        for (size_t k = 0; k < most; k++) p->shape[k] = -1;
        find_row_owners(p);
        status = open_draft(&d);
        d.arranged = ze_is_scattered(survey);
        if (status == ZW_OK && d.arranged)
            status = ze_arranger_open(survey, p->part, p->owner_body, &d.arena, &d.arranger);
        if (status == ZW_OK) status = make_all_parts(&d, least);
        close_draft(&d);
    }
    if (status != ZW_OK) ze_parts_clear(p);
    return status;
}

/* Safe for what was never made and after a failure. */
void ze_parts_clear(ze_parts *p)
{
    zb_memory *memory = p->memory;
    if (!memory) return;
    ze_shape_set_free(p->shapes);
    zb_array_free(memory, &p->numbers);
    zb_array_free(memory, &p->counts);
    zb_array_free(memory, &p->parts_with);
    zb_array_free(memory, &p->first);
    zb_arena_clear(&p->arena);
    *p = (ze_parts){0};
}

/* ----------------------------------------------------------------------- sketches */

struct ze_sketch {
    draft d;
    ze_parts p;
};

/* One part at a time, so that arrays by part have one place. */
zw_status ze_sketch_open(const ze_survey *survey, int32_t *part, ze_sketch **out)
{
    zb_memory *memory = survey->memory;
    ze_sketch *x = zb_resize(memory, NULL, 0, sizeof *x);
    if (!x) return memory->failure;
    *x = (ze_sketch){.d = {.p = &x->p, .s = survey},
                     .p = {.memory = memory, .survey = survey, .part = part, .count = 1}};
    zb_arena_init(&x->p.arena, memory, 0);
    x->p.shape = ZB_NEW_ARRAY(&x->p.arena, int32_t, 1);
    x->p.at = ZB_NEW_ARRAY(&x->p.arena, int64_t, 1);
    zw_status status = open_draft(&x->d);
    if (status == ZW_OK) status = x->p.arena.failure;
    if (status != ZW_OK) {
        ze_sketch_close(x);
        return status;
    }
    *out = x;
    return ZW_OK;
}

/* NULL is allowed. */
void ze_sketch_close(ze_sketch *x)
{
    if (!x) return;
    zb_memory *memory = x->p.memory;
    close_draft(&x->d);
    ze_parts_clear(&x->p);
    zb_resize(memory, x, sizeof *x, 0);
}

/* By colour alone, in the order of ze_part_counts. */
static zw_status order_by_colour(draft *d)
{
    static const int32_t from[] = {colour_own,    colour_halo,    colour_inner, colour_owned,
                                   colour_shared, colour_element, INT32_MAX};
    d->order.count = 0;
    if (!zb_array_reserve(d->p->memory, &d->order, d->number.count)) return d->p->memory->failure;
    for (int group = 0; from[group] < INT32_MAX; group++)
        for (int32_t v = 0; v < d->number.count; v++)
            if (d->colour.data[v] >= from[group] && d->colour.data[v] < from[group + 1])
                d->order.data[d->order.count++] = v;
    return ZW_OK;
}

/* The part d.body as shape 0, part 0. */
static zw_status sketch_one(ze_sketch *x)
{
    x->p.numbers.count = x->p.counts.count = x->p.parts_with.count = x->p.first.count = 0;
    x->p.shape_count = 0;
    ZB_TRY(draw_part(&x->d, x->p.part[x->d.body[0]]));
    ZB_TRY(order_by_colour(&x->d));
    return note_shape(&x->d, 0, 0);
}

/* The draft is erased also after a failure. */
zw_status ze_sketch_part(ze_sketch *x, const int32_t *body, int32_t count, const ze_parts **p)
{
    x->d.body = body;
    x->d.body_count = count;
    zw_status status = sketch_one(x);
    erase_part(&x->d);
    *p = &x->p;
    return status;
}

/* Shapes are counted anew. */
zw_status ze_sketch_begin(ze_sketch *x)
{
    ze_shape_set_free(x->p.shapes);
    x->p.shapes = NULL;
    return ze_shape_set_create(x->p.memory, &x->p.shapes);
}

/* Draws the part and looks its shape up; no numbers are kept. */
zw_status ze_sketch_shape(ze_sketch *x, const int32_t *body, int32_t count, int32_t *shape)
{
    x->d.body = body;
    x->d.body_count = count;
    zw_status status = draw_part(&x->d, x->p.part[body[0]]);
    if (status == ZW_OK) status = find_part_shape(&x->d, shape);
    erase_part(&x->d);
    return status;
}
