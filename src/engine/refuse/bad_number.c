/*
 * Numbers that are not finite (infinite, or NaN), at the start or during a run: which expression,
 * of which instance of a family, with which operands. The programs are evaluated again until an
 * output is not finite; then the expressions of that instance are searched, first as the author
 * wrote them, then what was derived from them (a root has no derivative at 0). Reported as E0406 or
 * E0702.
 */
#include <math.h>

#include "lookups.h"
#include "motors.h"
#include "start.h"

/* Where the leaves of an instance's expressions have their values. */
typedef struct instance_leaves {
    const zk_source *source;
    const zm_family *family;
    int32_t instance;
} instance_leaves;

/* For zx_first_bad; user is an instance_leaves. */
static double value_of_leaf(void *user, const zx_item *leaf)
{
    const instance_leaves *l = user;
    const zk_source *s = l->source;
    switch (leaf->op) {
    case ZX_TIME:
        return s->time;
    case ZX_POSITION:
        return s->position[zm_coordinate_of(l->family, l->instance, leaf->a)];
    case ZX_VELOCITY:
        return s->velocity[zm_coordinate_of(l->family, l->instance, leaf->a)];
    case ZX_VALUE:
        return s->value[zm_value_of(l->family, l->instance, leaf->a)];
    case ZX_MEASURE:
        return s->measure[zm_measure_of(l->family, l->instance, leaf->a)];
    default:
        return 0.0;
    }
}

/* ------------------------------------------------------------------ sentences */

/* An expression with the model's names; of a long one the beginning. */
static void add_expression_text(zm_model *zm, int32_t family, int32_t instance, zx_node node,
                                zb_text *text)
{
    enum { longest = 100 };
    zb_text whole;
    zb_text_init(&whole, text->memory);
    zm_expression_text(zm, family, instance, node, &whole);
    if (whole.failure != ZW_OK) text->failure = whole.failure;
    zr_text_cut(text, zb_text_string(&whole), longest);
    zb_text_free(&whole);
}

/* "x = 0", or the operand's value alone when it is a number already. */
static void say_operand(zm_model *zm, int32_t family, int32_t instance, zx_node operand,
                        double value, zb_text *text)
{
    double number = 0.0;
    if (!zx_is_constant(&zm->pool, operand, &number)) {
        add_expression_text(zm, family, instance, operand, text);
        zb_text_add(text, " = ");
    }
    zr_text_short(text, value);
}

/* What is wrong with an operation whose value is not finite, from its operands. */
static const char *name_fault(const zx_item *item, const double operands[3])
{
    if (item->op == ZX_DIV && operands[1] == 0.0) return "a division by zero";
    if (item->op == ZX_POWI && operands[0] == 0.0) return "a division by zero";
    if (item->op == ZX_SQRT) return "the root of a negative number";
    if (item->op == ZX_LOG) return "the logarithm of a number that is not positive";
    if (item->op == ZX_ASIN || item->op == ZX_ACOS) return "an argument beyond -1 and 1";
    if (item->op == ZX_TABLE) return "beyond its data";
    if (item->op == ZX_POW) return "a power that is no finite number";
    return "a value that is no finite number";
}

/* ", and they go from 0 to 10" */
static void say_range(const zm_model *zm, double code, zb_text *text)
{
    const zm_data *data = &zm->data[zx_tabulated_by(code).table];
    zb_text_add(text, ", and they go from ");
    zr_text_short(text, data->least);
    zb_text_add(text, " to ");
    zr_text_short(text, data->most);
}

/* "at the start `1/x` is a division by zero: x = 0" */
static void say_bad_node(zw_sim *sim, int32_t family, int32_t instance, zx_node bad,
                         const double operands[3], zb_text *text)
{
    zm_model *zm = sim->zm;
    zx_item item = zm->pool.items[bad];
    int32_t below[3] = {item.a, item.b, item.c};
    int count = item.op == ZX_POWI ? 1 : zx_operands((zx_op)item.op);
    zr_text_when(sim, text);
    zb_text_add(text, " `");
    add_expression_text(zm, family, instance, bad, text);
    zb_text_printf(text, "` is %s", name_fault(&item, operands));
    if (count > 0) zb_text_add(text, ": ");
    int first = item.op == ZX_DIV && operands[1] == 0.0 ? 1 : 0;
    if (item.op == ZX_TABLE) count = 1;
    for (int k = first; k < count && k < 3; k++) {
        if (k > first) zb_text_add(text, ", ");
        say_operand(zm, family, instance, below[k], operands[k], text);
    }
    if (item.op == ZX_TABLE) say_range(zm, operands[1], text);
}

/* Where an instance was written. A whole family holds the terms of many statements: which one it
 * was is found later, from its origins. */
static zl_place place_of_instance(const zw_sim *sim, int32_t family, int32_t instance)
{
    const zm_model *zm = sim->zm;
    const zm_family *f = &zm->families[family];
    if (f->kind == ZM_CONSTRAINT && f->items) return zm->constraints[f->items[instance]].place;
    return f->whole ? zr_nowhere : f->place;
}

/* ---------------------------------------------------------------------- search */

/* The first operation below `node` that is not finite, into *found and said in `text`; ZX_NONE: all
 * are finite. Its names may take memory of the pool, which jumps out of the call when there is
 * none. */
static zw_status find_bad_below(zw_sim *sim, instance_leaves *l, int32_t family, zx_node node,
                                zb_text *text, zx_node *found)
{
    zx_pool *pool = &sim->zm->pool;
    jmp_buf escape;
    double operands[3] = {0.0, 0.0, 0.0};
    *found = ZX_NONE;
    if (setjmp(escape) != 0) {
        pool->escape = NULL;
        return sim->memory->failure;
    }
    pool->escape = &escape;
    zx_node bad = zx_first_bad(pool, &node, 1, value_of_leaf, l, operands);
    if (bad != ZX_NONE) say_bad_node(sim, family, l->instance, bad, operands, text);
    *found = bad;
    pool->escape = NULL;
    return ZW_OK;
}

static const char start_help[] =
    "give a start at which the expression has a value, or write it with if(condition, a, b)";
static const char run_help[] =
    "stop before it (when CONDITION: stop), or write the expression with if(condition, a, b)";

/* Whether `node`, or an operand of it that is not a leaf, stands below `root`. */
static bool stands_in(zx_pool *pool, zx_node root, zx_node node)
{
    int32_t count = 0;
    bool found = false;
    zx_node *below = zx_below(pool, &root, 1, &count);
    const zx_item *item = &pool->items[node];
    int32_t sought[4] = {node, item->a, item->b, item->c};
    for (int k = 0; k <= zx_operands((zx_op)item->op) && !found; k++)
        for (int32_t i = 0; i < count && !found; i++)
            found = below[i] == sought[k] &&
                    (k == 0 || zx_operands((zx_op)pool->items[sought[k]].op) > 0);
    zb_resize(pool->memory, below, zb_product((size_t)count, sizeof *below), 0);
    return found;
}

/* The statement of a whole family in which a node stands, it or (of a derivative) its operand. */
static zw_status find_origin_of_node(zw_sim *sim, const zm_family *f, zx_node node, zl_place *place)
{
    zx_pool *pool = &sim->zm->pool;
    jmp_buf escape;
    if (setjmp(escape) != 0) {
        pool->escape = NULL;
        return sim->memory->failure;
    }
    pool->escape = &escape;
    int32_t k = 0;
    while (k < f->origin_count && !stands_in(pool, f->origins[k].node, node)) k++;
    if (k < f->origin_count) *place = f->origins[k].place;
    pool->escape = NULL;
    return ZW_OK;
}

static bool is_root_of(const zm_where *w, int32_t family, int32_t k)
{
    return w->family == family && k >= w->root && k < w->root + w->count;
}

/* The place of root k of an instance: its constraint's, in a whole family, too. */
static zl_place place_of_root(const zw_sim *sim, int32_t family, int32_t k, zl_place otherwise)
{
    const zm_model *zm = sim->zm;
    const zm_family *f = &zm->families[family];
    for (int32_t c = 0; f->kind == ZM_CONSTRAINT && f->whole && c < zm->constraint_count; c++)
        if (is_root_of(&zm->constraints[c].where, family, k)) return zm->constraints[c].place;
    for (int32_t c = 0; f->kind == ZM_GAP && f->whole && c < zm->contact_count; c++)
        if (is_root_of(&zm->contacts[c].where, family, k))
            return zm->constraints[zm->contacts[c].constraint].place;
    for (int32_t c = 0; f->kind == ZM_FRICTION && f->whole && c < zm->friction_count; c++)
        if (is_root_of(&zm->frictions[c].where, family, k)) return zm->frictions[c].place;
    for (int32_t c = 0; f->kind == ZM_RESTITUTION && f->whole && c < zm->restitution_count; c++)
        if (is_root_of(&zm->restitutions[c].where, family, k)) return zm->restitutions[c].place;
    for (int32_t c = 0; f->kind == ZM_MOTOR && f->whole && c < zm->motor_count; c++)
        if (is_root_of(&zm->motors[c].where, family, k)) return zm->motors[c].place;
    return otherwise;
}

static void say_nothing_found(const zw_sim *sim, zb_text *text)
{
    zr_text_when(sim, text);
    zb_text_add(text, " a number is infinite or not a number");
}

/* The roots, as the author wrote them, come before `node`, which may be derived from them: what
 * is found there also has the better place. */
zw_status zr_report_bad_node(zw_sim *sim, const zk_source *s, int32_t family, int32_t instance,
                             zx_node node, zl_place place)
{
    const zm_family *f = &sim->zm->families[family];
    instance_leaves l = {.source = s, .family = f, .instance = instance};
    int32_t roots = f->kind == ZM_START_VALUE ? 0 : f->root_count;
    zb_text text;
    zb_text_init(&text, sim->memory);
    zx_node found = ZX_NONE;
    zw_status status = ZW_OK;
    for (int32_t k = 0; k < roots && status == ZW_OK && found == ZX_NONE; k++) {
        status = find_bad_below(sim, &l, family, f->roots[k], &text, &found);
        if (found != ZX_NONE) place = place_of_root(sim, family, k, place);
    }
    if (status == ZW_OK && found == ZX_NONE)
        status = find_bad_below(sim, &l, family, node, &text, &found);
    if (status == ZW_OK && found != ZX_NONE && f->origins)
        status = find_origin_of_node(sim, f, found, &place);
    if (status == ZW_OK && found == ZX_NONE) say_nothing_found(sim, &text);
    zr_message message = {.code = zr_code(sim, "E0406", "E0702"),
                          .place = place,
                          .help = zr_on_the_way(sim) ? run_help : start_help};
    if (status == ZW_OK) status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_NOT_FINITE : status;
}

/* Evaluates a program again, instance by instance, and reports the first output that is not
 * finite. */
static zw_status search_pass(zw_sim *sim, const zk_source *s, const zr_pass *pass)
{
    const zm_family *f = &sim->zm->families[pass->family];
    int32_t outputs = pass->matrix + pass->vector;
    for (int32_t i = 0; i < f->count; i++) {
        zk_table one = {.table =
                            f->whole || !f->table ? NULL : f->table + (size_t)i * (size_t)f->stride,
                        .count = 1,
                        .stride = f->stride,
                        .value_at = f->coordinates,
                        .measure_at = f->coordinates + f->values};
        zk_evaluate_table(pass->code, s, &one, sim->workspace, sim->out);
        for (int32_t k = 0; k < outputs; k++)
            if (!isfinite(sim->out[k]))
                return zr_report_bad_node(sim, s, pass->family, i, pass->nodes[k],
                                          place_of_instance(sim, pass->family, i));
    }
    return ZW_OK;
}

static zw_status search_passes(zw_sim *sim, const zk_source *s, const zr_passes *passes)
{
    for (int32_t i = 0; i < passes->count; i++) ZB_TRY(search_pass(sim, s, &passes->list[i]));
    return ZW_OK;
}

/* "at t = 4 `u(t)` leaves its data: t = 4, and they go from 0 to 4" */
static void say_left_data(zw_sim *sim, const zr_lookup *l, double x, zb_text *text)
{
    zm_model *zm = sim->zm;
    zx_item call = zm->pool.items[l->written];
    double code = 0.0;
    (void)zx_is_constant(&zm->pool, call.b, &code);
    zr_text_when(sim, text);
    const zm_data *data = &zm->data[zx_tabulated_by(code).table];
    if (data->input) {
        zb_text_printf(text, " the input `%s` leaves its data", data->input);
        if (data->file) zb_text_add(text, ", ");
        if (data->file) zb_text_shown(text, data->file, strlen(data->file));
        zb_text_add(text, ": ");
    } else {
        zb_text_add(text, " `");
        add_expression_text(zm, l->family, 0, l->written, text);
        zb_text_add(text, "` leaves its data: ");
    }
    say_operand(zm, l->family, 0, call.a, x, text);
    say_range(zm, code, text);
}

/* Where the call stands: the statement of its root, or term. */
static zw_status find_place_of_call(zw_sim *sim, const zr_lookup *l, zl_place *place)
{
    const zm_family *f = &sim->zm->families[l->family];
    zx_pool *pool = &sim->zm->pool;
    jmp_buf escape;
    *place = f->place;
    if (setjmp(escape) != 0) {
        pool->escape = NULL;
        return sim->memory->failure;
    }
    pool->escape = &escape;
    for (int32_t k = f->root_count - 1; k >= 0; k--)
        if (stands_in(pool, f->roots[k], l->written))
            *place = place_of_root(sim, l->family, k, f->place);
    pool->escape = NULL;
    return f->origins ? find_origin_of_node(sim, f, l->written, place) : ZW_OK;
}

/* A call of data that has left them is the cause of all that is not finite. */
static zw_status report_left_data(zw_sim *sim, const zk_source *s)
{
    double x;
    int32_t k = zr_find_beyond(sim, s, NULL, &x);
    if (k < 0 && sim->left_data > 0 && zr_on_the_way(sim)) {
        k = sim->left_data - 1;
        zk_evaluate(sim->model->lookups->list[k].code, s, NULL, sim->workspace, &x);
    }
    if (k < 0 || sim->model->lookups->list[k].pool != &sim->zm->pool) return ZW_OK;
    const zr_lookup *l = &sim->model->lookups->list[k];
    zr_message message = {.code = zr_code(sim, "E0412", "E0708"),
                          .help = "give data that reach farther, or let them go on by extend or "
                                  "periodic; or stop before by when"};
    zb_text text;
    zb_text_init(&text, sim->memory);
    say_left_data(sim, l, x, &text);
    zw_status status = find_place_of_call(sim, l, &message.place);
    if (status == ZW_OK) status = zr_report(sim->model, &message, &text);
    zb_text_free(&text);
    return status == ZW_OK ? ZW_ERR_NOT_FINITE : status;
}

zw_status zr_report_bad(zw_sim *sim, const zk_source *s, int what)
{
    zw_model *model = sim->model;
    if (model->lookups) ZB_TRY(report_left_data(sim, s));
    if (what & ZR_BAD_LEVEL) ZB_TRY(search_passes(sim, s, &model->levels[ZR_POSITION]));
    if (what & ZR_BAD_LEVEL) ZB_TRY(search_passes(sim, s, &model->levels[ZR_VELOCITY]));
    if (what & ZR_BAD_LEVEL) ZB_TRY(search_passes(sim, s, &model->equations));
    if (what & ZR_BAD_ROWS) ZB_TRY(search_passes(sim, s, &model->constant_rows));
    if (what & ZR_BAD_ROWS) ZB_TRY(search_passes(sim, s, &model->rows));
    if (what & ZR_BAD_DYNAMICS) ZB_TRY(search_passes(sim, s, &model->constant_dynamics));
    if (what & ZR_BAD_DYNAMICS) ZB_TRY(search_passes(sim, s, &model->dynamics));
    if (what & ZR_BAD_NONIDEAL) ZB_TRY(search_passes(sim, s, &model->nonideal));
    if (model->motors && what & ZR_BAD_DYNAMICS) ZB_TRY(search_passes(sim, s, &model->motors->at));
    if (!model->laws || !(what & ZR_BAD_LAWS)) return ZW_OK;
    zk_source at = *s;
    if (!at.acceleration) at.acceleration = sim->work; /* zeros */
    ZB_TRY(search_passes(sim, &at, &model->laws->gaps));
    ZB_TRY(search_passes(sim, s, &model->laws->frictions_at));
    return search_passes(sim, s, &model->laws->restitutions);
}
