/*
 * Conditions that the motion depends on become switches (switches.h): in the derived expressions of
 * a model every one of them is written twice, as it stands and by the slot w of its switch, and w
 * says which counts. With s = w, or -w where the switch has a and b the other way round:
 *
 *     sign(u)       s                     a < b        (1 - s)/2, as a weight; s < 0
 *     abs(u)        s u                   a == b       0
 *     max(a, b)     a if s > 0, else b    floor(u)     w
 *     if(c, x, y)   x or y; where the weight h of c is between 0 and 1: y + h (x - y)
 *
 * Weights of `and`, `or`, `not` are h k, h + k - h k and 1 - h, so what is between two sides is
 * between their values.
 *
 * Left as they stand: conditions of parameters alone; of accelerations and reactions; those whose
 * gap only jumps, with conditions that stand in it; those of kept families.
 */
#include <string.h>

#include "lookups.h"
#include "switches.h"

/* of_data: values of data stand in it, which change with the state. */
enum { of_time = 1, of_position = 2, of_velocity = 4, of_unknown = 8, of_state = 7, of_data = 16 };

/* A list of expressions whose conditions are written by slots. */
typedef struct holder {
    zr_builder *b;
    zx_pool *pool;
    struct zr_switches *switches;
    int32_t family;
    bool adds;       /* new switches may be made */
    bool slow;       /* not of conditions in which velocities stand */
    zx_node *image;  /* [below_count] */
    zx_node *weight; /* [below_count] of conditions; ZX_NONE: 1 or 0, as the image says */
    uint8_t *reach;  /* [below_count] what it depends on */
} holder;

static bool is_conditional(int32_t op)
{
    return op == ZX_ABS || op == ZX_SIGN || op == ZX_FLOOR || op == ZX_MIN || op == ZX_MAX ||
           (op >= ZX_LT && op <= ZX_NE);
}

static uint8_t find_reach(const holder *h, const zx_item *item)
{
    int operands = zr_count_operands(item);
    uint8_t reach = 0;
    if (item->op == ZX_TIME) return of_time;
    if (item->op == ZX_POSITION) return of_position;
    if (item->op == ZX_VELOCITY) return of_velocity;
    if (item->op == ZX_ACCELERATION || item->op == ZX_MEASURE) return of_unknown;
    if (item->op == ZX_VALUE && zr_lookup_of_value(h->b->model, item->a)) return of_data;
    if (operands > 0) reach |= h->reach[zr_place_below(h->b, item->a)];
    if (operands > 1) reach |= h->reach[zr_place_below(h->b, item->b)];
    if (operands > 2) reach |= h->reach[zr_place_below(h->b, item->c)];
    return reach;
}

/* ------------------------------------------------------------------- switches */

/* Constant factors and signs go off *u: whether its sign is another one then. */
static bool strip_factors(const zx_pool *pool, zx_node *u)
{
    bool flipped = false;
    for (;;) {
        zx_item item = pool->items[*u];
        double factor = 0.0;
        if (item.op == ZX_NEG) {
            factor = -1.0;
            *u = item.a;
        } else if (item.op == ZX_MUL && zx_is_constant(pool, item.a, &factor) && factor != 0.0) {
            *u = item.b;
        } else if ((item.op == ZX_MUL || item.op == ZX_DIV) &&
                   zx_is_constant(pool, item.b, &factor) && factor != 0.0) {
            *u = item.a;
        } else {
            return flipped;
        }
        if (factor < 0.0) flipped = !flipped;
    }
}

/* The surface a = b in the form that all conditions on it share; whether a and b have changed their
 * places. */
static bool find_surface(zx_pool *pool, zx_node *a, zx_node *b)
{
    double value;
    bool flipped = false;
    if (zx_is_constant(pool, *a, &value) && value == 0.0) {
        *a = *b;
        *b = zx_number(pool, 0.0);
        flipped = true;
    }
    if (zx_is_constant(pool, *b, &value) && value == 0.0) {
        *b = zx_number(pool, 0.0);
        if (strip_factors(pool, a)) flipped = !flipped;
        zx_item item = pool->items[*a];
        if (item.op == ZX_SUB) {
            *a = item.a;
            *b = item.b;
        }
    }
    if (*a > *b || zx_is_constant(pool, *b, &value)) return flipped;
    zx_node c = *a;
    *a = *b;
    *b = c;
    return !flipped;
}

static zr_switch *add_switch(zr_builder *b, struct zr_switches *switches)
{
    if (switches->count == switches->capacity) {
        int32_t more = switches->capacity > 0 ? 2 * switches->capacity : 8;
        zr_switch *list = ZB_NEW_ARRAY(b->arena, zr_switch, (size_t)more);
        if (switches->count > 0)
            memcpy(list, switches->list, sizeof *list * (size_t)switches->count);
        switches->list = list;
        switches->capacity = more;
    }
    return &switches->list[switches->count++];
}

/* The gap of a timed switch as a list of its own. */
static zr_clockwork copy_clockwork(zr_builder *b, zx_node gap)
{
    zx_pool *pool = &b->zm->pool;
    int32_t count;
    zx_node *kept = b->below;
    int32_t kept_count = b->below_count;
    b->below = zx_below(pool, &gap, 1, &b->below_count);
    count = b->below_count;
    zr_clockwork clock = {.items = ZB_NEW_ARRAY(b->arena, zx_item, (size_t)count), .count = count};
    for (int32_t i = 0; i < count; i++) {
        zx_item item = pool->items[b->below[i]];
        int operands = zr_count_operands(&item);
        if (operands > 0) item.a = zr_place_below(b, item.a);
        if (operands > 1) item.b = zr_place_below(b, item.b);
        if (operands > 2) item.c = zr_place_below(b, item.c);
        clock.items[i] = item;
        if (item.op == ZX_VALUE && item.a >= b->zm->value_count) clock.of_slots = true;
    }
    zr_free_below(b);
    b->below = kept;
    b->below_count = kept_count;
    return clock;
}

static zx_node strip_written(const zx_pool *pool, zx_node written)
{
    (void)strip_factors(pool, &written);
    return written;
}

/* Whether `part` stands in an expression. */
static bool stands_in(zx_pool *pool, zx_node whole, zx_node part)
{
    int32_t count;
    bool found = false;
    zx_node *below = zx_below(pool, &whole, 1, &count);
    for (int32_t i = 0; i < count && !found; i++) found = below[i] == part;
    zb_resize(pool->memory, below, zb_product((size_t)count, sizeof *below), 0);
    return found;
}

/* Where a condition was written: the first term in which both its operands stand, or an operand. */
static zl_place find_place_of(zr_builder *b, int32_t family, zx_node written)
{
    const zm_family *f = &b->zm->families[family];
    zx_item item = b->zm->pool.items[written];
    for (int32_t i = 0; i < f->origin_count; i++) {
        zx_node node = f->origins[i].node;
        if (stands_in(&b->zm->pool, node, written)) return f->origins[i].place;
        if (item.op == ZX_SUB && stands_in(&b->zm->pool, node, item.a) &&
            stands_in(&b->zm->pool, node, item.b))
            return f->origins[i].place;
    }
    return f->place;
}

/* The switch of a surface or a floor, b ZX_NONE; found, or made where the holder makes some. -1:
 * there is none, the condition stays as it stands. */
static int32_t find_switch(holder *h, zx_node a, zx_node b, uint8_t reach, zx_node written)
{
    struct zr_switches *s = h->switches;
    zx_pool *pool = h->pool;
    bool is_floor = b == ZX_NONE;
    if ((reach & of_state) == 0 || (reach & of_unknown) != 0) return -1;
    for (int32_t k = 0; k < s->count; k++)
        if (s->list[k].is_floor == is_floor && s->list[k].a == a && s->list[k].b == b &&
            !s->list[k].kept)
            return k;
    if (!h->adds || (h->slow && (reach & of_velocity) != 0)) return -1;
    zx_node gap = is_floor ? a : zx_binary(pool, ZX_SUB, a, b);
    zx_node speed = zx_time_derivative(pool, gap), rate = speed;
    double value;
    if (speed == ZX_NONE || zx_is_constant(pool, gap, &value)) return -1;
    if (zx_is_constant(pool, speed, &value) && value == 0.0) return -1;
    bool braking = zx_reaches(pool, &speed, 1).acceleration;
    if (!braking && reach != of_time) rate = zx_time_derivative(pool, speed);
    if (rate == ZX_NONE) return -1;
    zr_clockwork clock = {0};
    if (reach == of_time) clock = copy_clockwork(h->b, gap);
    *add_switch(h->b, s) =
        (zr_switch){.is_floor = is_floor,
                    .timed = reach == of_time,
                    .braking = braking,
                    .a = a,
                    .b = b,
                    .gap = gap,
                    .rate = rate,
                    .written = strip_written(pool, written),
                    .family = h->family,
                    .place = find_place_of(h->b, h->family, strip_written(pool, written)),
                    .clock = clock};
    if (reach != of_time) s->moving = true;
    return s->count - 1;
}

/* --------------------------------------------------------------------- slots */

static zx_node slot_leaf(const holder *h, int32_t k)
{
    return zx_leaf(h->pool, ZX_VALUE, h->b->zm->value_count + k);
}

/* `held` where the slot holds the condition, else `live`. */
static zx_node either(const holder *h, int32_t k, zx_node held, zx_node live)
{
    zx_node limit = zx_number(h->pool, zr_live_slot);
    return zx_select(h->pool, zx_binary(h->pool, ZX_LT, slot_leaf(h, k), limit), held, live);
}

/* The slot as the side on which a condition is. */
static zx_node side_of(const holder *h, int32_t k, bool flipped)
{
    zx_node w = slot_leaf(h, k);
    return flipped ? zx_unary(h->pool, ZX_NEG, w) : w;
}

/* sign, abs, floor of x; `live` is the node as it stands, over images. */
static zx_node hold_function(holder *h, const zx_item *item, zx_node x, uint8_t reach, zx_node live)
{
    zx_node a = x, b = item->op == ZX_FLOOR ? ZX_NONE : zx_number(h->pool, 0.0);
    bool flipped = b != ZX_NONE && find_surface(h->pool, &a, &b);
    int32_t k = find_switch(h, a, b, reach, item->a);
    if (k < 0) return live;
    zx_node s = side_of(h, k, flipped);
    if (item->op == ZX_ABS) s = zx_binary(h->pool, ZX_MUL, s, x);
    return either(h, k, s, live);
}

/* min, max and comparisons of x and y; *weight of the latter. */
static zx_node hold_pair(holder *h, const zx_item *item, const zx_node x[2], uint8_t reach,
                         zx_node live, zx_node *weight)
{
    zx_pool *pool = h->pool;
    zx_node a = x[0], b = x[1], zero = zx_number(pool, 0.0), one = zx_number(pool, 1.0);
    bool flipped = find_surface(pool, &a, &b);
    int32_t k = find_switch(h, a, b, reach, zx_binary(pool, ZX_SUB, item->a, item->b));
    if (k < 0) return live;
    zx_node s = side_of(h, k, flipped), above = zx_binary(pool, ZX_LT, zero, s);
    if (item->op == ZX_MAX) return either(h, k, zx_select(pool, above, x[0], x[1]), live);
    if (item->op == ZX_MIN) return either(h, k, zx_select(pool, above, x[1], x[0]), live);
    if (item->op == ZX_EQ) return either(h, k, zero, live);
    if (item->op == ZX_NE) return either(h, k, one, live);
    zx_node part = zx_binary(pool, ZX_MUL, zx_number(pool, 0.5), zx_binary(pool, ZX_SUB, one, s));
    *weight = either(h, k, part, live);
    return either(h, k, zx_binary(pool, ZX_LT, s, zero), live);
}

/* The weight of a condition, which may be without one of its own. */
static zx_node weight_at(holder *h, int32_t at)
{
    if (h->weight[at] != ZX_NONE) return h->weight[at];
    zx_node zero = zx_number(h->pool, 0.0);
    return zx_binary(h->pool, ZX_NE, h->image[at], zero);
}

/* Of and, or, not; ZX_NONE where no operand has one of its own. */
static zx_node combine_weights(holder *h, const zx_item *item)
{
    zx_pool *pool = h->pool;
    int32_t i = zr_place_below(h->b, item->a);
    int32_t j = item->op == ZX_NOT ? i : zr_place_below(h->b, item->b);
    if (h->weight[i] == ZX_NONE && h->weight[j] == ZX_NONE) return ZX_NONE;
    zx_node x = weight_at(h, i);
    if (item->op == ZX_NOT) return zx_binary(pool, ZX_SUB, zx_number(pool, 1.0), x);
    zx_node y = weight_at(h, j), both = zx_binary(pool, ZX_MUL, x, y);
    if (item->op == ZX_AND) return both;
    return zx_binary(pool, ZX_SUB, zx_binary(pool, ZX_ADD, x, y), both);
}

/* A choice by a condition with a weight: between both where that is between 0 and 1. */
static zx_node hold_choice(holder *h, int32_t at, zx_node yes, zx_node no)
{
    zx_pool *pool = h->pool;
    zx_node w = h->weight[at], plain = zx_select(pool, h->image[at], yes, no);
    if (w == ZX_NONE) return plain;
    zx_node inside = zx_binary(pool, ZX_AND, zx_binary(pool, ZX_LT, zx_number(pool, 0.0), w),
                               zx_binary(pool, ZX_LT, w, zx_number(pool, 1.0)));
    zx_node way = zx_binary(pool, ZX_SUB, yes, no);
    zx_node mixed = zx_binary(pool, ZX_ADD, no, zx_binary(pool, ZX_MUL, w, way));
    return zx_select(pool, inside, mixed, plain);
}

/* ---------------------------------------------------------------------- images */

/* The node over the images of its operands. */
static zx_node rebuild_over_images(holder *h, const zx_item *item, zx_node node)
{
    zx_pool *pool = h->pool;
    int operands = zr_count_operands(item);
    if (operands == 0) return node;
    int32_t i = zr_place_below(h->b, item->a);
    int32_t j = operands > 1 ? zr_place_below(h->b, item->b) : 0;
    int32_t k = operands > 2 ? zr_place_below(h->b, item->c) : 0;
    if (item->op == ZX_SELECT) {
        if (h->image[i] == item->a && h->image[j] == item->b && h->image[k] == item->c &&
            h->weight[i] == ZX_NONE)
            return node;
        return hold_choice(h, i, h->image[j], h->image[k]);
    }
    bool same = h->image[i] == item->a && (operands < 2 || h->image[j] == item->b);
    if (same) return node;
    if (item->op == ZX_POWI) return zx_power(pool, h->image[i], item->b);
    if (operands == 1) return zx_unary(pool, (zx_op)item->op, h->image[i]);
    return zx_binary(pool, (zx_op)item->op, h->image[i], h->image[j]);
}

/* Image, weight and reach of entry i of b->below; those before it have theirs. */
static void hold_node(holder *h, int32_t i)
{
    zx_node node = h->b->below[i];
    zx_item item = h->pool->items[node];
    h->reach[i] = find_reach(h, &item);
    h->weight[i] = ZX_NONE;
    h->image[i] = rebuild_over_images(h, &item, node);
    if (item.op == ZX_AND || item.op == ZX_OR || item.op == ZX_NOT)
        h->weight[i] = combine_weights(h, &item);
    if (!is_conditional(item.op)) return;
    zx_node x[2] = {h->image[zr_place_below(h->b, item.a)], ZX_NONE};
    if (zx_operands((zx_op)item.op) == 1) {
        h->image[i] = hold_function(h, &item, x[0], h->reach[i], h->image[i]);
        return;
    }
    x[1] = h->image[zr_place_below(h->b, item.b)];
    h->image[i] = hold_pair(h, &item, x, h->reach[i], h->image[i], &h->weight[i]);
}

/* Whether a condition stands below that depends on more than parameters. */
static bool has_conditions(holder *h)
{
    bool any = false;
    for (int32_t i = 0; i < h->b->below_count; i++) {
        zx_item item = h->pool->items[h->b->below[i]];
        h->reach[i] = find_reach(h, &item);
        any = any || (is_conditional(item.op) && h->reach[i] != 0);
    }
    return any;
}

/* ---------------------------------------------------------------------- families */

/* `at` [*count]; NULL: they are counted only. */
static void list_family_nodes(const zm_family *f, zx_node **at, int32_t *count)
{
    int32_t k = 0;
#define PLACE(node)                                                                                \
    do {                                                                                           \
        if ((node) != ZX_NONE) {                                                                   \
            if (at) at[k] = &(node);                                                               \
            k++;                                                                                   \
        }                                                                                          \
    } while (0)
    for (int32_t i = 0; i < f->root_count; i++) PLACE(f->roots[i]);
    for (int32_t i = 0; i < f->mass_count; i++) PLACE(f->mass[i].node);
    for (int32_t i = 0; i < f->force_count; i++) PLACE(f->force[i].node);
    for (int32_t i = 0; i < f->impressed_count; i++) PLACE(f->impressed[i].node);
    for (int32_t i = 0; f->momentum && i < f->coordinates; i++) PLACE(f->momentum[i]);
    for (int32_t i = 0; i < f->jacobian_count; i++) PLACE(f->jacobian[i].node);
    for (int32_t i = 0; f->b && i < f->root_count; i++) PLACE(f->b[i]);
    for (int32_t i = 0; f->rate && i < f->root_count; i++) PLACE(f->rate[i]);
#undef PLACE
    *count = k;
}

zx_node **zr_list_family_nodes(zr_builder *b, const zm_family *f, int32_t *count)
{
    list_family_nodes(f, NULL, count);
    zx_node **at = ZB_NEW_ARRAY(&b->scratch, zx_node *, (size_t)*count);
    list_family_nodes(f, at, count);
    return at;
}

void zr_keep_nodes(zr_builder *b, zx_node **at, int32_t count)
{
    zr_kept_node *kept = ZB_NEW_ARRAY(&b->scratch, zr_kept_node, (size_t)(b->kept_count + count));
    if (b->kept_count > 0) memcpy(kept, b->kept, sizeof *kept * (size_t)b->kept_count);
    b->kept = kept;
    for (int32_t i = 0; i < count; i++) b->kept[b->kept_count++] = (zr_kept_node){at[i], *at[i]};
}

/* The nodes of a family with held conditions in their places; what was there is remembered. */
static void replace_nodes(holder *h, zx_node **at, const zx_node *roots, int32_t count)
{
    zr_builder *b = h->b;
    for (int32_t i = 0; i < b->below_count; i++) hold_node(h, i);
    zr_keep_nodes(b, at, count);
    for (int32_t i = 0; i < count; i++) *at[i] = h->image[zr_place_below(b, roots[i])];
}

/* Laws of frictions and motors, whose numbers may change from place to place. Those that go by a slip (Stribeck) are smooth while
 * it slides, and it sticks by an event of its own. */
static bool is_law(zm_kind kind)
{
    return kind == ZM_FRICTION || kind == ZM_MOTOR;
}

static void hold_family(zr_builder *b, int32_t family, bool adds)
{
    const zm_family *f = &b->zm->families[family];
    holder h = {.b = b,
                .pool = &b->zm->pool,
                .switches = b->model->switches,
                .adds = adds,
                .slow = is_law(f->kind)};
    int32_t count;
    h.family = family;
    zx_node **at = zr_list_family_nodes(b, f, &count);
    if (count == 0) return;
    zx_node *roots = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)count);
    for (int32_t i = 0; i < count; i++) roots[i] = *at[i];
    b->below = zx_below(h.pool, roots, count, &b->below_count);
    h.image = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)b->below_count);
    h.weight = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)b->below_count);
    h.reach = ZB_NEW_ARRAY(&b->scratch, uint8_t, (size_t)b->below_count);
    if (has_conditions(&h)) {
        if (f->whole)
            replace_nodes(&h, at, roots, count);
        else if (adds)
            h.switches->unwatched++;
    }
    zr_free_below(b);
}

static bool moves(zm_kind kind)
{
    return kind <= ZM_CONSTRAINT;
}

/* ------------------------------------------------------------------------- data */

/* The count of knots of a call of data is a floor: its switch holds the piece. What it depends on is
 * what the argument does. */
static void hold_lookup(zr_builder *b, zr_lookup *l)
{
    holder h = {.b = b, .pool = &b->zm->pool, .switches = b->model->switches, .adds = true};
    h.family = l->family;
    b->below = zx_below(h.pool, &l->count, 1, &b->below_count);
    h.image = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)b->below_count);
    h.weight = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)b->below_count);
    h.reach = ZB_NEW_ARRAY(&b->scratch, uint8_t, (size_t)b->below_count);
    for (int32_t i = 0; i < b->below_count; i++) hold_node(&h, i);
    uint8_t reach = h.reach[zr_place_below(b, l->argument)];
    zx_node count = h.image[zr_place_below(b, l->count)];
    l->turn = find_switch(&h, count, ZX_NONE, reach, l->argument);
    if (l->turn >= 0) h.switches->list[l->turn].of_data = true;
    zr_free_below(b);
}

static void hold_lookups(zr_builder *b)
{
    struct zr_lookups *all = b->model->lookups;
    for (int32_t k = 0; all && k < all->count; k++)
        if (all->list[k].moves && all->list[k].pool == &b->zm->pool) hold_lookup(b, &all->list[k]);
}

/* ----------------------------------------------------------------------- events */

/* Comparisons of t alone in the conditions of events: many changes of one may lie in a step, so
 * steps end between two of them. Equalities are sought by themselves. */
static void keep_event_clocks(zr_builder *b, zx_node condition, int32_t family)
{
    zx_pool *pool = &b->zm->pool;
    struct zr_switches *s = b->model->switches;
    zb_mark mark = zb_arena_mark(&b->scratch);
    b->below = zx_below(pool, &condition, 1, &b->below_count);
    holder h = {.b = b, .pool = pool};
    h.reach = ZB_NEW_ARRAY(&b->scratch, uint8_t, (size_t)b->below_count);
    int32_t nodes = b->below_count;
    for (int32_t i = 0; i < nodes; i++) {
        zx_item item = pool->items[b->below[i]];
        h.reach[i] = find_reach(&h, &item);
        if ((item.op != ZX_LT && item.op != ZX_LE) || h.reach[i] != of_time) continue;
        zx_node gap = zx_binary(pool, ZX_SUB, item.a, item.b);
        zr_clockwork clock = copy_clockwork(b, gap);
        *add_switch(b, s) = (zr_switch){.timed = true,
                                        .kept = true,
                                        .a = item.a,
                                        .b = item.b,
                                        .gap = gap,
                                        .rate = gap,
                                        .written = gap,
                                        .family = family,
                                        .clock = clock};
    }
    zr_free_below(b);
    zb_arena_release(&b->scratch, mark);
}

static void keep_clocks_of_events(zr_builder *b)
{
    const zm_model *zm = b->zm;
    for (int32_t e = 0; e < zm->event_count; e++) {
        const zm_where *w = &zm->events[e].where;
        if (zm->families[w->family].whole)
            keep_event_clocks(b, zm->families[w->family].roots[w->root], w->family);
    }
}

/* -------------------------------------------------------------------------- all */

/* The size of a node from the sizes of its operands: as if nothing in it cancelled. */
static zx_node size_of_node(zr_builder *b, const zx_node *size, zx_node node)
{
    zx_pool *pool = &b->zm->pool;
    zx_item item = pool->items[node];
    int operands = zr_count_operands(&item);
    zx_node x = operands > 0 ? size[zr_place_below(b, item.a)] : ZX_NONE;
    zx_node y = operands > 1 ? size[zr_place_below(b, item.b)] : ZX_NONE;
    switch (item.op) {
    case ZX_NEG:
    case ZX_ABS:
        return x;
    case ZX_ADD:
    case ZX_SUB:
        return zx_binary(pool, ZX_ADD, x, y);
    case ZX_MUL:
        return zx_binary(pool, ZX_MUL, x, y);
    case ZX_DIV:
        return zx_binary(pool, ZX_DIV, x, zx_unary(pool, ZX_ABS, item.b));
    case ZX_MIN:
    case ZX_MAX:
        return zx_binary(pool, ZX_MAX, x, y);
    case ZX_SELECT:
        return zx_select(pool, item.a, y, size[zr_place_below(b, item.c)]);
    default:
        return zx_unary(pool, ZX_ABS, node);
    }
}

/* Rounding of an expression is in units of this, wherever in it terms cancel. */
static zx_node find_size(zr_builder *b, zx_node root)
{
    zx_pool *pool = &b->zm->pool;
    b->below = zx_below(pool, &root, 1, &b->below_count);
    zx_node *size = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)b->below_count), last = root;
    for (int32_t i = 0; i < b->below_count; i++) size[i] = size_of_node(b, size, b->below[i]);
    last = size[b->below_count - 1];
    zr_free_below(b);
    return last;
}

/* One program of all switches; timed ones have no part in it. */
static void compile_of_all(zr_builder *b, zx_node *nodes, zk_program **program)
{
    zw_model *model = b->model;
    struct zr_switches *s = model->switches;
    for (int32_t k = 0; k < s->count; k++)
        if (s->list[k].timed) nodes[k] = zx_number(&b->zm->pool, 0.0);
    zw_status status = zk_compile(b->memory, &b->zm->pool, nodes, s->count, program);
    if (status != ZW_OK) zr_fail(b, status);
    size_t workspace = zk_workspace(*program);
    if (workspace > model->workspace) model->workspace = workspace;
    if (s->count > model->out_count) model->out_count = s->count;
}

static void compile_switches(zr_builder *b)
{
    struct zr_switches *s = b->model->switches;
    zx_pool *pool = &b->zm->pool;
    zx_node *nodes = ZB_NEW_ARRAY(&b->scratch, zx_node, (size_t)s->count);
    for (int32_t k = 0; k < s->count; k++) nodes[k] = s->list[k].gap;
    compile_of_all(b, nodes, &s->gaps);
    for (int32_t k = 0; k < s->count; k++)
        if (!s->list[k].timed) nodes[k] = zx_time_derivative(pool, s->list[k].gap);
    compile_of_all(b, nodes, &s->speeds);
    for (int32_t k = 0; k < s->count; k++) nodes[k] = s->list[k].rate;
    compile_of_all(b, nodes, &s->rates);
    for (int32_t k = 0; k < s->count; k++) nodes[k] = find_size(b, s->list[k].gap);
    compile_of_all(b, nodes, &s->gap_sizes);
    for (int32_t k = 0; k < s->count; k++) nodes[k] = find_size(b, s->list[k].rate);
    compile_of_all(b, nodes, &s->rate_sizes);
}

/* Outputs see the switches that the motion has, for what slides; they make none. */
void zr_build_switches(zr_builder *b)
{
    const zm_model *zm = b->zm;
    struct zr_switches *s = b->model->switches = ZB_NEW(b->arena, struct zr_switches);
    hold_lookups(b);
    for (int32_t f = 0; f < zm->family_count; f++)
        if (moves(zm->families[f].kind)) hold_family(b, f, true);
    for (int32_t f = 0; f < zm->family_count; f++)
        if (is_law(zm->families[f].kind)) hold_family(b, f, true);
    s->slots = s->count;
    keep_clocks_of_events(b);
    if (s->count == 0 && s->unwatched == 0) {
        b->model->switches = NULL;
        return;
    }
    if (s->count == 0) return;
    for (int32_t f = 0; f < zm->family_count; f++)
        if (s->slots > 0 && zm->families[f].kind == ZM_OUTPUT) hold_family(b, f, false);
    compile_switches(b);
}

void zr_put_back_conditions(zr_builder *b)
{
    for (int32_t i = b->kept_count - 1; i >= 0; i--) *b->kept[i].at = b->kept[i].node;
    b->kept_count = 0;
}

void zr_free_switches(zw_model *model)
{
    struct zr_switches *s = model->switches;
    if (!s) return;
    zk_free(s->gaps);
    zk_free(s->speeds);
    zk_free(s->rates);
    zk_free(s->gap_sizes);
    zk_free(s->rate_sizes);
    model->switches = NULL;
}

int32_t zr_slot_count(const zw_model *model)
{
    return model->switches ? model->switches->slots : 0;
}
