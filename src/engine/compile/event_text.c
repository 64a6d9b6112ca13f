/*
 * Events of a compiled model: how many there are, what they do, and how they read.
 */
#include <string.h>

#include "events.h"

int32_t zr_event_count(const zw_model *model)
{
    return model->zm->event_count;
}

int32_t zr_event_gaps(const zw_model *model)
{
    return model->events ? model->events->gaps : 0;
}

bool zr_events_measure(const zw_model *model)
{
    return model->events && model->events->measures;
}

int32_t zr_event_equalities(const zw_model *model)
{
    return model->events ? model->events->equalities : 0;
}

const int32_t *zr_equality_owners(const zw_model *model)
{
    return model->events ? model->events->owner : NULL;
}

bool zr_event_has_equality(const zw_model *model, int32_t event)
{
    return model->events->has_equality[event];
}

bool zr_event_stops(const zw_model *model, int32_t event)
{
    return model->zm->events[event].stop;
}

/* ----------------------------------------------------------------------- text */

enum { LONGEST = 60, ROOM = 512 }; /* characters of a condition; bytes, before it is measured */

static bool is_fixed_number(const zx_item *item)
{
    return item->op == ZX_NUMBER || item->op == ZX_BOUND || item->op == ZX_VALUE;
}

/* The condition of one event with the names of its own coordinates. `x > 5` is kept as 5 < x:
 * turned back. */
static void write_event_condition(const zw_model *model, int32_t event, zb_text *text)
{
    zm_model *zm = model->zm;
    const zm_where *w = &zm->events[event].where;
    zx_node root = zm->families[w->family].roots[w->root];
    zx_item item = zm->pool.items[root];
    bool turned =
        (item.op == ZX_LT || item.op == ZX_LE) && is_fixed_number(&zm->pool.items[item.a]);
    zm_expression_text(zm, w->family, w->instance, turned ? item.b : root, text);
    if (!turned) return;
    zb_text_add(text, item.op == ZX_LT ? " > " : " >= ");
    zm_expression_text(zm, w->family, w->instance, item.a, text);
}

/* The statement as written, with the component's part and the pass of loops in which it stands. */
static void write_event_statement(const zw_model *model, int32_t event, zb_text *text)
{
    const zm_event *e = &model->zm->events[event];
    if (e->part >= 0) {
        zm_label_text(model->zm, &model->zm->parts[e->part].label, text);
        zb_text_add(text, ": ");
    }
    zb_text_add(text, "when ");
    zr_text_cut(text, model->events->written[event], LONGEST);
    if (e->pass) zb_text_printf(text, " (%s)", e->pass);
}

/* Of several events of one statement, the names of their coordinates say more where that is short.
 */
void zr_text_event(const zw_model *model, int32_t event, zb_text *text)
{
    char buffer[ROOM];
    zb_text names;
    zb_text_init_fixed(&names, buffer, sizeof buffer);
    if (model->events->shared[event]) write_event_condition(model, event, &names);
    const char *condition = zb_text_string(&names);
    int32_t length = zb_utf8_columns(condition, 0, strlen(condition));
    if (names.failure != ZW_OK) text->failure = names.failure;
    if (length > 0 && length <= LONGEST) {
        zb_text_add(text, "when ");
        zb_text_add(text, condition);
    } else {
        write_event_statement(model, event, text);
    }
}
