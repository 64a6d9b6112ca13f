/*
 * What a model may ask of a contact: gap(NAME), slip(NAME), friction(NAME), contact(NAME) and
 * impulse(NAME); and events that an inequality keeps from firing.
 *
 * Gap and slip are the expressions as they were written, which are copied back from the family that
 * holds them; friction is the multipliers of the tangents; contact and impulse are hidden values,
 * which a simulation sets.
 */
#include "elaborate.h"

/* -------------------------------------------------------------- copying back */

/* What the slots of a raw instance are. */
typedef struct raw_binding {
    zm_elab *e;
    const int32_t *coordinates, *values, *measures;
} raw_binding;

/* For zx_copy: the inverse of what canonical.c does to leaves. */
static zx_node recall_leaf(void *user, zx_pool *to, const zx_item *leaf)
{
    const raw_binding *b = user;
    switch (leaf->op) {
    case ZX_POSITION:
    case ZX_VELOCITY:
    case ZX_ACCELERATION:
        return zx_leaf(to, (zx_op)leaf->op, b->coordinates[leaf->a]);
    case ZX_MEASURE:
        return zx_leaf(to, ZX_MEASURE, b->measures[leaf->a]);
    case ZX_VALUE: {
        int32_t value = b->values[leaf->a];
        return value < 0 ? zx_bound(to, b->e->canonical.constants.data[-1 - value])
                         : zx_leaf(to, ZX_VALUE, value);
    }
    default:
        return ZX_NONE;
    }
}

/* From the pool of shapes, where all but default drawings are. */
void zm_recall_roots(zm_elab *e, const zm_where *where, zx_node *out)
{
    const zm_family *f = &e->b->raw.data[where->family].family;
    raw_binding b = {.e = e};
    b.coordinates = f->table ? f->table + (int64_t)where->instance * f->stride : NULL;
    b.values = b.coordinates ? b.coordinates + f->coordinates : NULL;
    b.measures = b.values ? b.values + f->values : NULL;
    zx_copy(e->world, &e->b->shapes, f->roots + where->root, where->count, recall_leaf, &b, out);
}

/* ------------------------------------------------------- gap, contact, impulse */

/* A value with an element for each row as written, 0 where a row was dropped. */
static zm_value new_row_values(zm_elab *e, const zm_constraint *c)
{
    zm_value out = zm_new_items(e, c->elements > 0 ? c->elements : 1, 0);
    for (int32_t k = 0; k < out.rows; k++) out.items[k] = zx_number(e->world, 0.0);
    return out;
}

/* phi of every row. */
static zm_value evaluate_gap(zm_elab *e, int32_t constraint)
{
    zm_constraint c = e->items.constraints.data[constraint];
    zm_value out = new_row_values(e, &c);
    int32_t first = zm_find_contact(e, constraint);
    for (int32_t k = 0; k < c.row_count; k++)
        zm_recall_roots(e, &e->items.contacts.data[first + k].where,
                        &out.items[c.written ? c.written[k] - 1 : k]);
    return c.vector ? out : zm_node_value(e, out.items[0]);
}

/* One number for all rows: the largest of the states, the sum of the impulses. */
static zm_value evaluate_hidden(zm_elab *e, int32_t constraint, bool impulse)
{
    zm_constraint c = e->items.constraints.data[constraint];
    int32_t first = zm_find_contact(e, constraint);
    zx_node all = zx_number(e->world, 0.0);
    e->flags.hidden = e->flags.unusual = true;
    for (int32_t k = 0; k < c.row_count; k++) {
        const zm_contact *contact = &e->items.contacts.data[first + k];
        zx_node one = zx_leaf(e->world, ZX_VALUE, impulse ? contact->impulse : contact->state);
        all = k == 0 ? one : zx_binary(e->world, impulse ? ZX_ADD : ZX_MAX, all, one);
    }
    return zm_node_value(e, all);
}

/* contact(NAME) of an equation with friction: what its frictions do. */
static zm_value evaluate_friction_state(zm_elab *e, int32_t constraint)
{
    zx_node all = ZX_NONE;
    e->flags.hidden = e->flags.unusual = true;
    for (int32_t k = *zm_last_friction(e, constraint); k >= 0;
         k = e->items.frictions.data[k].before) {
        zx_node one = zx_leaf(e->world, ZX_VALUE, e->items.frictions.data[k].state);
        all = all == ZX_NONE ? one : zx_binary(e->world, ZX_MAX, one, all);
    }
    return zm_node_value(e, all);
}

/* ------------------------------------------------------------- slip, friction */

/* The multipliers of its rows. */
static void put_multipliers(zm_elab *e, const zl_expr *x, const zm_friction *f, zx_node *items)
{
    for (int32_t k = 0; k < f->width; k++) {
        zm_measure m = {.kind = ZM_MULTIPLIER,
                        .constraint = f->tangent,
                        .row = f->first_row + k,
                        .coordinate = -1,
                        .place = x->place};
        items[k] = zm_measure_leaf(e, &m);
    }
}

/* A number, or a vector, as the direction was written. */
static zm_value evaluate_directions(zm_elab *e, const zl_expr *x, int32_t friction)
{
    zm_friction f = e->items.frictions.data[friction];
    zm_value out = zm_new_items(e, f.width, 0);
    zm_where V = f.where;
    V.count = f.width;
    if (x->asked == ZL_ASK_SLIP)
        zm_recall_roots(e, &V, out.items);
    else
        put_multipliers(e, x, &f, out.items);
    bool vector = e->items.constraints.data[f.tangent].vector;
    return vector ? out : zm_node_value(e, out.items[0]);
}

/* The friction of this number on a constraint, -1: none. */
static int32_t find_friction(zm_elab *e, int32_t constraint, int64_t number)
{
    int32_t k = *zm_last_friction(e, constraint);
    while (k >= 0 && e->items.frictions.data[k].number != number)
        k = e->items.frictions.data[k].before;
    return k;
}

/* The number of the first friction that the part at hand has itself on a constraint; 0: none. */
static int64_t find_own_friction(zm_elab *e, int32_t constraint)
{
    int64_t first = 0;
    if (e->scope->part < 0) return 0;
    for (int32_t k = *zm_last_friction(e, constraint); k >= 0;
         k = e->items.frictions.data[k].before)
        if (e->items.frictions.data[k].part == e->scope->part)
            first = e->items.frictions.data[k].number;
    return first;
}

/* Whether it is a friction statement, or has one inside; blocks are nested at most ZL_MAX_DEPTH. */
static bool holds_friction(const zl_statement *s, int depth)
{
    const zl_block *blocks[] = {&s->body, &s->otherwise};
    if (s->kind == ZL_FRICTION || depth > ZL_MAX_DEPTH) return s->kind == ZL_FRICTION;
    for (int i = 0; i < 2 && s->kind != ZL_COMPONENT; i++)
        for (int32_t k = 0; k < blocks[i]->count; k++)
            if (holds_friction(blocks[i]->statements[k], depth + 1)) return true;
    return false;
}

/* Whether such a statement follows in the part at hand: from here out to the end of its component. */
static bool is_friction_to_come(zm_elab *e)
{
    if (e->scope->part < 0 || e->flags.last_call) return false;
    const zm_symbol *c = zm_find_name(e, e->parts.list.data[e->scope->part].component);
    for (const zm_active_block *r = e->reading.active; r; r = r->outer) {
        for (int32_t k = r->at + 1; k < r->block->count; k++)
            if (holds_friction(r->block->statements[k], 0)) return true;
        if (c && c->meaning == ZM_IS_COMPONENT && r->block == &c->statement->body) return false;
    }
    return false;
}

/* There is no such friction: one may still come, or it is an error. */
static zm_value report_no_friction(zm_elab *e, const zl_expr *x, int32_t constraint)
{
    int32_t last = *zm_last_friction(e, constraint);
    const char *name = zm_label_string(e, &e->items.constraints.data[constraint].label);
    e->flags.unresolved = true;
    if (!e->flags.last_call) return zm_broken();
    if (last < 0)
        ZM_ERROR(e, "E0502", x->items[0]->place,
                 zm_format(e, "say it: friction %s: 0.3 along x'", name), "'%s' has no friction",
                 name);
    else
        ZM_ERROR(e, "E0502", x->items[x->count - 1]->place, NULL,
                 "there is no such friction: '%s' has %d", name,
                 (int)e->items.frictions.data[last].number);
    return zm_broken();
}

/* slip(NAME), slip(NAME, 2), and so friction: of what has friction, or will have. Without a number it is
 * the friction that the part at hand has itself there, else the first of all. */
static zm_value evaluate_of_friction(zm_elab *e, const zl_expr *x, int32_t constraint)
{
    const zm_constraint *c = &e->items.constraints.data[constraint];
    int64_t own = x->count == 1 ? find_own_friction(e, constraint) : 0, number = own > 0 ? own : 1;
    if (x->count == 1 && own == 0 && is_friction_to_come(e)) {
        e->flags.unresolved = true;
        return zm_broken();
    }
    if (x->count == 2 &&
        !zm_read_known_integer(e, x->items[1], "the number of a friction", &number))
        return zm_broken();
    bool dropped = c->elements > 0 && c->row_count == 0;
    if (dropped) return zm_number(0.0, false);
    int32_t friction = find_friction(e, constraint, number);
    return friction >= 0 ? evaluate_directions(e, x, friction)
                         : report_no_friction(e, x, constraint);
}

/* ------------------------------------------------------------------- dispatch */

/* An equation has no gap. */
static zm_value report_no_gap(zm_elab *e, const zl_expr *x, int32_t constraint)
{
    ZM_ERROR(e, "E0502", x->items[0]->place, "an inequality is written with '>=' or '<='",
             "'%s' is an equation, %s(...) is of an inequality",
             zm_label_string(e, &e->items.constraints.data[constraint].label),
             zm_name_of(e, x->name));
    return zm_broken();
}

/* The name of a constraint; of slip and friction also which one. */
zm_value zm_evaluate_contact(zm_elab *e, const zl_expr *x)
{
    bool several = x->asked == ZL_ASK_SLIP || x->asked == ZL_ASK_FRICTION;
    if (x->count < 1 || x->count > (several ? 2 : 1)) {
        ZM_ERROR(e, "E0111", x->mark, "name a constraint, as in gap(ground)",
                 several ? "'%s' takes 1 or 2 arguments, not %d" : "'%s' takes 1 argument, not %d",
                 zm_name_of(e, x->name), (int)x->count);
        return zm_broken();
    }
    int32_t constraint = zm_find_constraint(e, x->items[0], "E0106");
    if (constraint < 0) return zm_broken();
    bool inequality = e->items.constraints.data[constraint].inequality;
    switch (x->asked) {
    case ZL_ASK_SLIP:
    case ZL_ASK_FRICTION:
        return evaluate_of_friction(e, x, constraint);
    case ZL_ASK_GAP:
        return inequality ? evaluate_gap(e, constraint) : report_no_gap(e, x, constraint);
    case ZL_ASK_CONTACT:
        if (!inequality && *zm_last_friction(e, constraint) >= 0)
            return evaluate_friction_state(e, constraint);
        break;
    default:
        break;
    }
    if (!inequality) return report_no_gap(e, x, constraint);
    return evaluate_hidden(e, constraint, x->asked == ZL_ASK_IMPULSE);
}

/* ------------------------------------------------------------------ idle events */

/* The contact whose phi each node of world is, -1: none; in scratch [*size]. */
static int32_t *map_gaps(zm_elab *e, int32_t *size)
{
    int32_t count = e->items.contacts.count;
    zx_node *phi = ZB_NEW_ARRAY(&e->scratch, zx_node, count);
    for (int32_t k = 0; k < count; k++)
        zm_recall_roots(e, &e->items.contacts.data[k].where, &phi[k]);
    *size = e->world->count;
    int32_t *map = ZB_NEW_ARRAY(&e->scratch, int32_t, *size);
    for (int32_t k = 0; k < *size; k++) map[k] = -1;
    for (int32_t k = count; k-- > 0;) map[phi[k]] = k;
    return map;
}

/* The contact that keeps a condition false: phi < 0 itself, or what it is joined with by `and`. A
 * chain of them leans to the left. */
static int32_t find_keeper(zm_elab *e, const int32_t *map, int32_t size, zx_node condition)
{
    for (;;) {
        zx_item item = e->world->items[condition];
        zx_item last = item.op == ZX_AND ? e->world->items[item.b] : item;
        if (last.op == ZX_LT) {
            zx_node gap = zx_binary(e->world, ZX_SUB, last.a, last.b);
            if (gap < size && map[gap] >= 0) return map[gap];
        }
        if (item.op != ZX_AND) return -1;
        condition = item.a;
    }
}

/* Which contact keeps the condition of an event false, or -1. */
static int32_t find_keeper_of(zm_elab *e, const int32_t *map, int32_t size, const zm_event *event)
{
    zm_where where = event->where;
    zx_node condition;
    where.count = 1;
    zm_recall_roots(e, &where, &condition);
    return find_keeper(e, map, size, condition);
}

/* One warning a statement, however often it was executed. */
void zm_warn_idle_events(zm_elab *e)
{
    if (e->items.contacts.count == 0 || e->items.events.count == 0) return;
    int32_t size, *map = map_gaps(e, &size);
    zl_place said = {.source = -1};
    for (int32_t k = 0; k < e->items.events.count; k++) {
        zm_event *event = &e->items.events.data[k];
        int32_t keeper = find_keeper_of(e, map, size, event);
        event->idle = keeper >= 0;
        bool again = event->written.source == said.source && event->written.at == said.at;
        if (keeper < 0 || again) continue;
        said = event->written;
        const zm_constraint *c =
            &e->items.constraints.data[e->items.contacts.data[keeper].constraint];
        zl_report(e->unit, "W0521", event->place,
                  "leave it out; what happens at the contact is said by restitution and friction",
                  "this event never fires: the constraint '%s' keeps its condition false",
                  zm_label_string(e, &c->label));
    }
}
