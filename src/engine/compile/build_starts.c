/*
 * Given values: `start x = E`. The right side may use other start values as given, in any order, so
 * each gets a program of its own and they are evaluated in an order in which everything needed has
 * been computed: a depth-first walk over the values, with a stack of our own. A value that needs
 * itself is a cycle, E0401.
 */
#include "builder.h"

/* Coordinates and velocities that one root of a family reads. */
typedef struct reads {
    int32_t *slot; /* [count], ~slot for velocities */
    int32_t count;
} reads;

/* The walk: from a value to those it reads. */
typedef struct walk {
    zr_builder *b;
    reads **of;              /* [family_count] -> [root_count] */
    int32_t *given_by;       /* [2 n] the start value of a coordinate, of a velocity; -1 */
    int8_t *state;           /* [values] 0 new, 1 on the stack, 2 done */
    int32_t *stack, *cursor; /* [values] on the way; the next read of each */
    int32_t done;            /* values in start_order */
} walk;

/* By halving: the list of zx_below ascends. */
int32_t zr_place_below(const zr_builder *b, zx_node node)
{
    int32_t low = 0, high = b->below_count - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (b->below[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The list of zx_below, which lies in the builder so that it is freed when building is left. */
void zr_free_below(zr_builder *b)
{
    zb_resize(b->memory, b->below, sizeof *b->below * (size_t)b->below_count, 0);
    b->below = NULL;
    b->below_count = 0;
}

/* In scratch. The list below a root is taken by zx_below, and freed here. */
static reads find_start_reads(zr_builder *b, zx_node root)
{
    const zx_pool *pool = &b->zm->pool;
    b->below = zx_below(&b->zm->pool, &root, 1, &b->below_count);
    reads r = {.slot = ZB_NEW_ARRAY(&b->scratch, int32_t, b->below_count)};
    for (int32_t i = 0; i < b->below_count; i++) {
        const zx_item *item = &pool->items[b->below[i]];
        if (item->op == ZX_POSITION) r.slot[r.count++] = item->a;
        if (item->op == ZX_VELOCITY) r.slot[r.count++] = ~item->a;
    }
    zr_free_below(b);
    return r;
}

/* A program for each root of a family, and what it reads. */
static void add_start_programs(walk *w, int32_t family)
{
    zr_builder *b = w->b;
    const zm_family *f = &b->zm->families[family];
    zr_start_family *start = &b->model->starts[family];
    w->of[family] = ZB_NEW_ARRAY(&b->scratch, reads, f->root_count);
    start->programs = ZB_NEW_ARRAY(b->arena, zk_program *, f->root_count);
    for (int32_t k = 0; k < f->root_count; k++) {
        w->of[family][k] = find_start_reads(b, f->roots[k]);
        zw_status status =
            zk_compile(b->memory, &b->zm->pool, &f->roots[k], 1, &start->programs[k]);
        if (status != ZW_OK) zr_fail(b, status);
        size_t workspace = zk_workspace(start->programs[k]);
        if (workspace > b->model->workspace) b->model->workspace = workspace;
    }
}

/* The start value that read number `at` of value s refers to; -1: that coordinate has none, -2:
 * there are no more reads. */
static int32_t find_needed_start(const walk *w, int32_t s, int32_t at)
{
    const zm_where *where = &w->b->zm->start_values[s].where;
    const reads *r = &w->of[where->family][where->root];
    if (at >= r->count) return -2;
    int32_t slot = r->slot[at];
    bool velocity = slot < 0;
    int32_t coordinate = zm_coordinate_of(&w->b->zm->families[where->family], where->instance,
                                          velocity ? ~slot : slot);
    return w->given_by[velocity ? w->b->zm->n + coordinate : coordinate];
}

/* "x[2]" or "x[2]'". */
static void write_start_name(const zr_builder *b, int32_t s, zb_text *text)
{
    const zm_start_value *value = &b->zm->start_values[s];
    zm_coordinate_text(b->zm, value->coordinate, text);
    if (value->order == 1) zb_text_char(text, '\'');
}

/* The values on the stack from `s` on need each other. */
static void report_start_cycle(walk *w, int32_t s, int32_t depth)
{
    zr_builder *b = w->b;
    zb_text text;
    zb_text_init(&text, b->memory);
    zb_text_add(&text, "start values need each other in a circle: ");
    int32_t from = depth - 1;
    while (from > 0 && w->stack[from] != s) from--;
    for (int32_t i = from; i < depth && i < from + 6; i++) {
        write_start_name(b, w->stack[i], &text);
        zb_text_add(&text, i == from + 5 && i + 1 < depth ? " needs ... needs " : " needs ");
    }
    write_start_name(b, s, &text);
    zr_message message = {.code = "E0401",
                          .place = b->zm->start_values[s].place,
                          .help = "give one of them a value of its own; to couple unknown values, "
                                  "write an equation: start (x - y) = 1"};
    zw_status status = zr_report(b->model, &message, &text);
    zb_text_free(&text);
    zr_fail(b, status == ZW_OK ? ZW_ERR_MODEL : status);
}

/* Appends `first` to start_order, after everything it needs. */
static void visit_start(walk *w, int32_t first)
{
    int32_t depth = 0;
    if (w->state[first] != 0) return;
    w->stack[depth++] = first;
    w->state[first] = 1;
    while (depth > 0) {
        int32_t s = w->stack[depth - 1], next = find_needed_start(w, s, w->cursor[s]++);
        if (next == -2) {
            w->state[s] = 2;
            w->b->model->start_order[w->done++] = s;
            depth--;
        } else if (next >= 0 && w->state[next] == 1) {
            report_start_cycle(w, next, depth);
        } else if (next >= 0 && w->state[next] == 0) {
            w->stack[depth++] = next;
            w->state[next] = 1;
        }
    }
}

/* The programs of all values, then the order of those that count. */
void zr_build_starts(zr_builder *b)
{
    const zm_model *zm = b->zm;
    int32_t count = zm->start_value_count;
    walk w = {.b = b,
              .of = ZB_NEW_ARRAY(&b->scratch, reads *, zm->family_count),
              .given_by = ZB_NEW_ARRAY(&b->scratch, int32_t, 2 * (size_t)zm->n),
              .state = ZB_NEW_ARRAY(&b->scratch, int8_t, count),
              .stack = ZB_NEW_ARRAY(&b->scratch, int32_t, count),
              .cursor = ZB_NEW_ARRAY(&b->scratch, int32_t, count)};
    b->model->start_order = ZB_NEW_ARRAY(b->arena, int32_t, count);
    for (int32_t f = 0; f < zm->family_count; f++)
        if (zm->families[f].kind == ZM_START_VALUE) add_start_programs(&w, f);
    for (int32_t i = 0; i < 2 * zm->n; i++) w.given_by[i] = -1;
    for (int32_t s = 0; s < count; s++) {
        const zm_start_value *value = &zm->start_values[s];
        w.given_by[value->order == 1 ? zm->n + value->coordinate : value->coordinate] = s;
    }
    for (int32_t i = 0; i < 2 * zm->n; i++) /* of two for one coordinate the later one holds */
        if (w.given_by[i] >= 0) visit_start(&w, w.given_by[i]);
    b->model->start_order_count = w.done;
}
