/*
 * Events at a state: which conditions are true, by what gaps, what their new values are, and how
 * they read. Nothing is allocated but for texts. Conditions and new values that use reactions need
 * the multipliers at the state.
 */
#include <math.h>
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

int32_t zr_event_equalities(const zw_model *model)
{
    return model->events ? model->events->equalities : 0;
}

const int32_t *zr_equality_owners(const zw_model *model)
{
    return model->events ? model->events->owner : NULL;
}

bool zr_event_meets(const zw_model *model, int32_t event)
{
    return model->events->meets[event];
}

bool zr_event_stops(const zw_model *model, int32_t event)
{
    return model->zm->events[event].stop;
}

/* -------------------------------------------------------------------- looking */

static zw_status find_measures(zw_sim *sim, const zk_source *s)
{
    zw_gauss_answer answer = {.multipliers = sim->lambda};
    ZB_TRY(zr_solve_at(sim, s, &answer));
    zr_measure(sim, sim->lambda);
    return ZW_OK;
}

static zk_table table_of(const zm_family *f, int32_t first, int32_t count)
{
    bool bound = !f->whole && f->table;
    return (zk_table){.table = bound ? f->table + (size_t)first * (size_t)f->stride : NULL,
                      .count = count,
                      .stride = f->stride,
                      .value_at = f->coordinates,
                      .measure_at = f->coordinates + f->values};
}

static void spread(const zr_pass *pass, const int32_t *place, int32_t count, const double *out,
                   bool *truth, double *gap)
{
    for (int32_t i = 0; i < count; i++) {
        for (int32_t k = 0; k < pass->matrix; k++, out++)
            truth[*place++] = *out < 0.0 || *out > 0.0; /* NaN is not true */
        for (int32_t k = 0; k < pass->vector; k++) gap[*place++] = *out++;
    }
}

zw_status zr_look(zw_sim *sim, double t, const double *q, const double *v, bool *truth, double *gap)
{
    const struct zr_events *events = sim->model->events;
    zk_source s = zr_source(sim, t, q, v);
    if (!events) return ZW_OK;
    if (events->measures) ZB_TRY(find_measures(sim, &s));
    for (int32_t k = 0; k < events->looks.count; k++) {
        const zr_pass *pass = &events->looks.list[k];
        const zm_family *f = &sim->zm->families[pass->family];
        int32_t outputs = pass->matrix + pass->vector, piece = sim->model->out_count / outputs;
        for (int32_t i = 0; i < f->count; i += piece) {
            zk_table table = table_of(f, i, f->count - i < piece ? f->count - i : piece);
            zk_run_table(pass->code, &s, &table, sim->workspace, sim->out);
            spread(pass, pass->place + (size_t)i * (size_t)outputs, table.count, sim->out, truth,
                   gap);
        }
    }
    return ZW_OK;
}

/* ------------------------------------------------------------------ new values */

zw_status zr_reset(zw_sim *sim, int32_t event, double t, double *q, double *v)
{
    const struct zr_events *events = sim->model->events;
    const zm_where *w = &sim->zm->events[event].where;
    const zm_family *f = &sim->zm->families[w->family];
    int32_t shape = events->shape[event], count = w->count - 1;
    if (count == 0) return ZW_OK;
    zk_source s = zr_source(sim, t, q, v);
    if (events->resets_measures[shape]) ZB_TRY(find_measures(sim, &s));
    zk_table table = table_of(f, w->instance, 1);
    zk_run_table(events->resets[shape], &s, &table, sim->workspace, sim->out);
    for (int32_t k = 0; k < count; k++)
        if (!isfinite(sim->out[k])) return ZW_ERR_NOT_FINITE;
    for (int32_t k = 0; k < count; k++) {
        int32_t root = w->root + 1 + k, i = zm_coordinate_of(f, w->instance, f->targets[root]);
        *(f->orders[root] == 1 ? &v[i] : &q[i]) = sim->out[k];
    }
    return ZW_OK;
}

/* ----------------------------------------------------------------------- text */

enum { LONGEST = 60, ROOM = 512 }; /* characters of a condition; bytes, before it is cut */

static bool is_value(const zx_item *item)
{
    return item->op == ZX_NUMBER || item->op == ZX_BOUND || item->op == ZX_VALUE;
}

/* With the model's own names. `x > 5` is kept as 5 < x: turned back. */
static void write_condition(const zw_model *model, int32_t event, zb_text *text)
{
    zm_model *zm = model->zm;
    const zm_where *w = &zm->events[event].where;
    zx_node root = zm->families[w->family].roots[w->root];
    zx_item item = zm->pool.items[root];
    bool turned = (item.op == ZX_LT || item.op == ZX_LE) && is_value(&zm->pool.items[item.a]);
    zm_expression_text(zm, w->family, w->instance, turned ? item.b : root, text);
    if (!turned) return;
    zb_text_add(text, item.op == ZX_LT ? " > " : " >= ");
    zm_expression_text(zm, w->family, w->instance, item.a, text);
}

/* The statement as written, with the part and the pass of loops in which it stands. */
static void add_statement(const zw_model *model, int32_t event, zb_text *text)
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
    if (model->events->shared[event]) write_condition(model, event, &names);
    const char *condition = zb_text_string(&names);
    int32_t length = zb_utf8_columns(condition, 0, strlen(condition));
    if (names.failure != ZW_OK) text->failure = names.failure;
    if (length > 0 && length <= LONGEST) {
        zb_text_add(text, "when ");
        zb_text_add(text, condition);
    } else {
        add_statement(model, event, text);
    }
}
