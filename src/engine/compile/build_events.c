/*
 * The programs of events `when CONDITION: stop` or `when CONDITION: x' = E`: conditions with their
 * gaps, new values; and conditions as text.
 *
 * The *gaps* of a condition are a - b of the comparisons that stand in it: where one changes its
 * sign the condition may. An equality is never seen to hold, so it has two numbers: its gap, and
 * the condition with this equality taken as true.
 */
#include <stdlib.h>
#include <string.h>

#include "events.h"

enum { MOST_EQUALITIES = 32 }; /* in one condition; any more go as other comparisons do */

/* A shape (events.h) under construction. */
typedef struct shape {
    int32_t family, root, roots; /* the condition, then roots - 1 new values */
    int32_t count;               /* events */
    const int32_t *events;       /* [count] */
    zx_node *gap;                /* [comparisons + 2 * equalities], as in events.h */
    int32_t comparisons, equalities;
} shape;

typedef struct event_builder {
    zr_builder *b;
    struct zr_events *events;
    shape *shapes; /* [count] */
    int32_t count;
    int32_t *all;              /* [events] 0, 1, 2, ... */
    int32_t comparisons;       /* of all events */
    int32_t compared, equated; /* comparisons and equalities that have their numbers */
} event_builder;

/* ---------------------------------------------------------------------- gaps */

static bool is_comparison(int32_t op)
{
    return op == ZX_LT || op == ZX_LE || op == ZX_EQ || op == ZX_NE;
}

/* The image of a node of b->below, which ascends; image [below_count]. */
static zx_node find_image(const zr_builder *b, const zx_node *image, zx_node node)
{
    return image[zr_place_below(b, node)];
}

/* The node over the images of its operands; itself where they are what they were. */
static zx_node rebuild_node(zr_builder *b, const zx_node *image, zx_node node)
{
    zx_pool *pool = &b->zm->pool;
    zx_item item = pool->items[node];
    int operands = zx_operands((zx_op)item.op);
    if (operands == 0) return node;
    zx_node x = find_image(b, image, item.a);
    if (item.op == ZX_POWI) return x == item.a ? node : zx_power(pool, x, item.b);
    zx_node y = operands > 1 ? find_image(b, image, item.b) : item.b;
    zx_node z = operands > 2 ? find_image(b, image, item.c) : item.c;
    if (x == item.a && y == item.b && z == item.c) return node;
    if (operands == 1) return zx_unary(pool, (zx_op)item.op, x);
    return operands == 2 ? zx_binary(pool, (zx_op)item.op, x, y) : zx_select(pool, x, y, z);
}

/* The condition, whose nodes are b->below, its root last, with one equality taken as true. */
static zx_node assume_equality(zr_builder *b, zx_node equality)
{
    zx_node *image = ZB_NEW_ARRAY(&b->scratch, zx_node, b->below_count);
    for (int32_t i = 0; i < b->below_count; i++)
        image[i] = b->below[i] == equality ? zx_number(&b->zm->pool, 1.0)
                                           : rebuild_node(b, image, b->below[i]);
    return image[b->below_count - 1];
}

/* Sets s->gap, comparisons, equalities from the comparisons that stand in the shape's condition. */
static void find_condition_gaps(zr_builder *b, shape *s)
{
    zx_pool *pool = &b->zm->pool;
    zx_node root = b->zm->families[s->family].roots[s->root], equal[MOST_EQUALITIES];
    b->below = zx_below(pool, &root, 1, &b->below_count);
    s->gap = ZB_NEW_ARRAY(&b->scratch, zx_node, b->below_count + 2 * MOST_EQUALITIES);
    for (int32_t i = 0; i < b->below_count; i++) {
        zx_item item = pool->items[b->below[i]];
        if (!is_comparison(item.op)) continue;
        if (item.op == ZX_EQ && s->equalities < MOST_EQUALITIES)
            equal[s->equalities++] = b->below[i];
        else
            s->gap[s->comparisons++] = zx_binary(pool, ZX_SUB, item.a, item.b);
    }
    zx_node *gap = s->gap + s->comparisons;
    for (int32_t k = 0; k < s->equalities; k++) {
        zx_item item = pool->items[equal[k]];
        gap[k] = zx_binary(pool, ZX_SUB, item.a, item.b);
        gap[s->equalities + k] = assume_equality(b, equal[k]);
    }
    zr_free_below(b);
}

/* -------------------------------------------------------------------- shapes */

static void add_event_shape(event_builder *m, shape s)
{
    for (int32_t i = 0; i < s.count; i++) m->events->shape[s.events[i]] = m->count;
    m->shapes[m->count++] = s;
}

/* A shape for each kept family of events, then one for each event of a whole family. */
static void find_event_shapes(event_builder *m)
{
    const zm_model *zm = m->b->zm;
    for (int32_t f = 0; f < zm->family_count; f++) {
        const zm_family *family = &zm->families[f];
        if (family->kind != ZM_EVENT || family->whole) continue;
        add_event_shape(m, (shape){.family = f,
                                   .roots = family->root_count,
                                   .count = family->count,
                                   .events = family->items});
    }
    for (int32_t e = 0; e < zm->event_count; e++) {
        const zm_where *w = &zm->events[e].where;
        if (!zm->families[w->family].whole) continue;
        add_event_shape(m, (shape){.family = w->family,
                                   .root = w->root,
                                   .roots = w->count,
                                   .count = 1,
                                   .events = &m->all[e]});
    }
}

/* ---------------------------------------------------------------- conditions */

/* Numbers the gaps of an event with this shape: their places among all, written from `place` on;
 * returns the place after them. */
static int32_t *number_gaps(event_builder *m, const shape *s, int32_t event, int32_t *place)
{
    struct zr_events *events = m->events;
    for (int32_t k = 0; k < s->comparisons; k++) {
        events->gap_event[m->compared] = event;
        *place++ = m->compared++;
    }
    for (int32_t k = 0; k < s->equalities; k++) {
        events->owner[m->equated + k] = event;
        place[k] = m->comparisons + m->equated + k;
        place[s->equalities + k] = place[k] + events->equalities;
        events->gap_event[place[k]] = event;
        events->has_equality[event] = true;
    }
    m->equated += s->equalities;
    return place + 2 * s->equalities;
}

/* One pass for shapes s [count] of the same family: their conditions, then their gaps. */
static void add_condition_pass(event_builder *m, const shape *s, int32_t count)
{
    zr_builder *b = m->b;
    const zm_family *f = &b->zm->families[s->family];
    int32_t gaps = 0, at = count;
    for (int32_t k = 0; k < count; k++) gaps += s[k].comparisons + 2 * s[k].equalities;
    zx_node *nodes = ZB_NEW_ARRAY(&b->scratch, zx_node, count + gaps);
    for (int32_t k = 0; k < count; k++) {
        nodes[k] = f->roots[s[k].root];
        for (int32_t i = 0; i < s[k].comparisons + 2 * s[k].equalities; i++)
            nodes[at++] = s[k].gap[i];
    }
    zr_pass *pass = zr_add_pass(b, &m->events->looks, s->family, nodes, count, gaps);
    int32_t *place = pass->place;
    for (int32_t i = 0; i < f->count; i++) {
        for (int32_t k = 0; k < count; k++) *place++ = s[k].events[i];
        for (int32_t k = 0; k < count; k++) place = number_gaps(m, &s[k], s[k].events[i], place);
    }
    if (zx_reaches(&b->zm->pool, nodes, count).measure) m->events->measures = true;
}

/* The passes of all conditions, one a family: shapes of one family follow on each other. Counts are
 * made first, since equalities are numbered after all comparisons. */
static void build_conditions(event_builder *m)
{
    struct zr_events *events = m->events;
    int32_t first = 0;
    for (int32_t k = 0; k < m->count; k++) {
        find_condition_gaps(m->b, &m->shapes[k]);
        m->comparisons += m->shapes[k].comparisons * m->shapes[k].count;
        events->equalities += m->shapes[k].equalities * m->shapes[k].count;
    }
    events->gaps = m->comparisons + 2 * events->equalities;
    events->owner = ZB_NEW_ARRAY(m->b->arena, int32_t, events->equalities);
    events->gap_event = ZB_NEW_ARRAY(m->b->arena, int32_t, events->gaps);
    for (int32_t k = 0; k < events->gaps; k++) events->gap_event[k] = -1;
    for (int32_t k = 1; k <= m->count; k++) {
        if (k < m->count && m->shapes[k].family == m->shapes[first].family) continue;
        add_condition_pass(m, &m->shapes[first], k - first);
        first = k;
    }
}

/* -------------------------------------------------------------------- resets */

/* A program of the new values of each shape that has some. */
static void build_resets(event_builder *m)
{
    zr_builder *b = m->b;
    zw_model *model = b->model;
    struct zr_events *events = m->events;
    events->shape_count = m->count;
    events->resets = ZB_NEW_ARRAY(b->arena, zk_program *, m->count);
    events->resets_measures = ZB_NEW_ARRAY(b->arena, bool, m->count);
    for (int32_t k = 0; k < m->count; k++) {
        const shape *s = &m->shapes[k];
        const zx_node *roots = b->zm->families[s->family].roots + s->root + 1;
        int32_t count = s->roots - 1;
        if (count == 0) continue;
        zw_status status = zk_compile(b->memory, &b->zm->pool, roots, count, &events->resets[k]);
        if (status != ZW_OK) zr_fail(b, status);
        size_t workspace = zk_workspace(events->resets[k]);
        if (workspace > model->workspace) model->workspace = workspace;
        if (count > model->out_count) model->out_count = count;
        events->resets_measures[k] = zx_reaches(&b->zm->pool, roots, count).measure;
    }
}

/* ---------------------------------------------------------------------- text */

/* What stands before the colon, in one line, without comments; its length. text NULL: only that. */
static size_t copy_condition(const char *c, const char *end, char *text)
{
    size_t length = 0;
    bool blank = false, comment = false;
    for (; c < end && (comment || *c != ':'); c++) {
        comment = comment ? *c != '\n' : *c == '#';
        if (comment || *c == ' ' || *c == '\t' || *c == '\n' || *c == '\r') {
            blank = length > 0;
            continue;
        }
        if (blank && text) text[length] = ' ';
        length += blank;
        if (text) text[length] = *c;
        length++;
        blank = false;
    }
    return length;
}

/* In the model's arena. */
static const char *keep_condition_text(event_builder *m, const zm_event *event)
{
    const size_t word = sizeof "when" - 1; /* the statement begins with it */
    const zl_source *source = &m->b->zm->unit.sources.data[event->written.source];
    const char *from = source->text + event->written.at, *end = source->text + source->length;
    size_t length = copy_condition(from + word, end, NULL);
    char *text = zb_arena_take(m->b->arena, length + 1, 1);
    (void)copy_condition(from + word, end, text);
    return text;
}

/* An event and where its statement begins. */
typedef struct statement {
    zl_place place;
    int32_t event;
} statement;

/* By where the statement stands, then by the number of the event. */
static int compare_statements(const void *a, const void *b)
{
    const statement *x = a, *y = b;
    if (x->place.source != y->place.source) return x->place.source < y->place.source ? -1 : 1;
    if (x->place.at != y->place.at) return x->place.at < y->place.at ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

static bool are_of_one_statement(const statement *a, const statement *b)
{
    return a->place.source == b->place.source && a->place.at == b->place.at;
}

/* Conditions as written; events of one statement share the text. */
static void build_condition_texts(event_builder *m)
{
    const zm_model *zm = m->b->zm;
    int32_t count = zm->event_count;
    statement *list = ZB_NEW_ARRAY(&m->b->scratch, statement, count);
    struct zr_events *events = m->events;
    events->written = ZB_NEW_ARRAY(m->b->arena, const char *, count);
    events->shared = ZB_NEW_ARRAY(m->b->arena, bool, count);
    for (int32_t e = 0; e < count; e++) list[e] = (statement){zm->events[e].written, e};
    qsort(list, (size_t)count, sizeof *list, compare_statements);
    for (int32_t i = 0; i < count; i++) {
        int32_t e = list[i].event, before = i > 0 ? list[i - 1].event : -1;
        bool again = i > 0 && are_of_one_statement(&list[i - 1], &list[i]);
        events->shared[e] =
            again || (i + 1 < count && are_of_one_statement(&list[i], &list[i + 1]));
        events->written[e] =
            again ? events->written[before] : keep_condition_text(m, &zm->events[e]);
    }
}

/* ----------------------------------------------------------------------- all */

/* model->events stays NULL where there are none. */
void zr_build_events(zr_builder *b)
{
    int32_t count = b->zm->event_count;
    if (count == 0) return;
    event_builder m = {.b = b, .events = ZB_NEW(b->arena, struct zr_events)};
    b->model->events = m.events;
    m.events->shape = ZB_NEW_ARRAY(b->arena, int32_t, count);
    m.events->has_equality = ZB_NEW_ARRAY(b->arena, bool, count);
    m.shapes = ZB_NEW_ARRAY(&b->scratch, shape, count);
    m.all = ZB_NEW_ARRAY(&b->scratch, int32_t, count);
    for (int32_t e = 0; e < count; e++) m.all[e] = e;
    find_event_shapes(&m);
    build_conditions(&m);
    build_resets(&m);
    build_condition_texts(&m);
}

void zr_free_events(zw_model *model)
{
    struct zr_events *events = model->events;
    if (!events) return;
    zr_free_passes(&events->looks);
    for (int32_t k = 0; k < events->shape_count; k++) zk_free(events->resets[k]);
    model->events = NULL;
}
