/*
 * The statements kinetic, potential, lagrangian, dissipation, mass, force and nonideal. An energy
 * is a sum of terms: sums over ranges, long scalar products and long chains of additions are taken
 * apart while the tree is walked, so that a sum over a million bodies is a million instances of one
 * shape and never one long expression.
 */
#include "elaborate.h"

/* What stands in the terms of a kinetic energy, as far as it has been looked at. */
typedef struct term_seen {
    bool position, velocity;
} term_seen;

/* Where the terms of a statement go. */
typedef struct term_sink {
    const zl_statement *statement;
    const char *what; /* "a kinetic energy" */
    zm_kind kind;
    zm_energy energy;
    term_seen *seen; /* or NULL: nobody asks */
} term_sink;

enum { LONG_SUM = 16 }; /* terms, from which on an expression is taken apart, too */

static void emit_terms(zm_elab *e, const term_sink *sink, const zl_expr *x, zx_node factor);

/* ------------------------------------------------------------------- one term */

/* Adds one expression as a term of the statement; zeros are left out. */
static void add_energy_term(zm_elab *e, const term_sink *sink, zx_node node)
{
    double number;
    if (zx_is_constant(e->world, node, &number) && number == 0.0) return;
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true};
    if (!zm_check_leaves(e, &node, 1, allowed, sink->statement->right->place, sink->what)) return;
    if (sink->seen && !sink->seen->velocity) {
        zx_reach r = zx_reaches(e->world, &node, 1);
        sink->seen->position |= r.position;
        sink->seen->velocity |= r.velocity;
    }
    zm_instance instance = {.kind = sink->kind,
                            .energy = sink->energy,
                            .roots = &node,
                            .root_count = 1,
                            .item = -1,
                            .place = sink->statement->place};
    zm_add_instance(e, &instance);
}

static zx_node scale_node(zm_elab *e, zx_node factor, zx_node node)
{
    return factor == ZX_NONE ? node : zx_binary(e->world, ZX_MUL, factor, node);
}

/* Adds factor * node. An expression that turned out to be a long sum (of a definition, say) is
 * taken apart from the right; short ones stay whole, their terms share what they have in common. */
static void split_long_sum(zm_elab *e, const term_sink *sink, zx_node node, zx_node factor)
{
    int32_t length = 1;
    const zx_item *items = e->world->items;
    for (zx_node at = node; items[at].op == ZX_ADD || items[at].op == ZX_SUB; at = items[at].a)
        length++;
    while (length > LONG_SUM &&
           (e->world->items[node].op == ZX_ADD || e->world->items[node].op == ZX_SUB)) {
        zx_item sum = e->world->items[node];
        zx_node last = sum.b;
        if (sum.op == ZX_SUB) last = zx_unary(e->world, ZX_NEG, last);
        add_energy_term(e, sink, scale_node(e, factor, last));
        node = sum.a;
        if (zm_count_steps(e, sink->statement->place, 1)) return;
    }
    add_energy_term(e, sink, scale_node(e, factor, node));
}

/* Evaluates x as one scalar and adds factor * x. */
static void emit_scalar(zm_elab *e, const term_sink *sink, const zl_expr *x, zx_node factor)
{
    zx_node node = zm_evaluate_scalar(e, x);
    if (node != ZX_NONE) split_long_sum(e, sink, node, factor);
}

/* -------------------------------------------------------- taking sums apart */

/* Whether x is written as a sum that is worth taking apart: sum(...), dot(...), or such a thing
 * scaled, negated or added to something. */
static bool is_written_as_sum(const zl_expr *x)
{
    switch ((zl_expr_kind)x->kind) {
    case ZL_SUM:
        return true;
    case ZL_CALL:
        return x->function == ZL_FN_DOT;
    case ZL_NEG:
        return is_written_as_sum(x->left);
    case ZL_ADD:
    case ZL_SUB:
        return is_written_as_sum(x->right) || is_written_as_sum(x->left);
    case ZL_MUL:
        return is_written_as_sum(x->left) || is_written_as_sum(x->right);
    case ZL_DIV:
        return is_written_as_sum(x->left);
    default:
        return false;
    }
}

/* sum(i in a..b, body): the terms of the body for each number. What a pass made is given back after
 * it. */
static void emit_sum_range(zm_elab *e, const term_sink *sink, const zl_expr *x, zx_node factor)
{
    int64_t from, to;
    if (!zm_read_range(e, x->left, x->right, &from, &to)) return;
    zm_scope *before = e->scope, *inner = zm_scope_new(e, before, before->part, false, 1);
    zm_loop loop;
    zm_begin_loop(e, &loop, x->place, to - from + 1);
    for (int64_t i = from; i <= to && zm_begin_pass(e, &loop); i++) {
        int32_t errors = e->unit->error_count, nodes = e->world->count;
        zb_mark mark = zb_arena_mark(&e->scratch);
        zm_value number = zm_number((double)i, true);
        zm_bind_name(e, inner, x->name, x->mark, &number);
        e->scope = inner;
        emit_terms(e, sink, x->items[0], factor);
        e->scope = before;
        zm_scope_empty(inner);
        zx_pool_release(e->world, nodes);
        zb_arena_release(&e->scratch, mark);
        if (e->unit->error_count != errors) break;
    }
    zm_end_loop(e, &loop);
}

/* dot(a, b): a term for each element when there are many. */
static void emit_dot_terms(zm_elab *e, const term_sink *sink, const zl_expr *x, zx_node factor)
{
    zm_value a = zm_evaluate(e, x->items[0]);
    bool is_long = !a.columns && a.rows > ZM_SHORT_DOT;
    zm_value b = is_long ? zm_evaluate(e, x->items[1]) : zm_broken();
    if (!is_long || !zm_same_shape(&a, &b)) {
        emit_scalar(e, sink, x, factor);
        return;
    }
    zm_loop loop;
    zm_begin_loop(e, &loop, x->place, a.rows);
    loop.even = true;
    for (int32_t k = 0; k < a.rows && zm_begin_pass(e, &loop); k++) {
        int32_t nodes = e->world->count;
        zx_node p = zm_element(e, &a, k), q = zm_element(e, &b, k);
        zx_node product = p == q ? zx_power(e->world, p, 2) : zx_binary(e->world, ZX_MUL, p, q);
        add_energy_term(e, sink, scale_node(e, factor, product));
        zx_pool_release(e->world, nodes);
    }
    zm_end_loop(e, &loop);
}

/* Minus a factor; ZX_NONE stands for 1. */
static zx_node negate_factor(zm_elab *e, zx_node factor)
{
    return factor == ZX_NONE ? zx_number(e->world, -1.0) : zx_unary(e->world, ZX_NEG, factor);
}

/* A product or quotient of which one side is a sum: the other, a scalar, becomes part of the
 * factor. A product of two sums is added whole. */
static void emit_scaled_sum(zm_elab *e, const term_sink *sink, const zl_expr *x, zx_node factor)
{
    const zl_expr *sum = is_written_as_sum(x->left) ? x->left : x->right;
    const zl_expr *other = sum == x->left ? x->right : x->left;
    if (is_written_as_sum(other) && x->kind == ZL_MUL) {
        emit_scalar(e, sink, x, factor);
        return;
    }
    zm_value v = zm_evaluate(e, other);
    if (zm_is_broken(&v)) return;
    if (!zm_is_scalar(&v)) {
        emit_scalar(e, sink, x, factor);
        return;
    }
    zx_node scale = zm_element(e, &v, 0);
    if (x->kind == ZL_DIV) {
        zx_node top = factor == ZX_NONE ? zx_number(e->world, 1.0) : factor;
        emit_terms(e, sink, sum, zx_binary(e->world, ZX_DIV, top, scale));
    } else {
        emit_terms(e, sink, sum, scale_node(e, factor, scale));
    }
}

/* a + b - c: down the left side first, then up again, so that long chains need no recursion. */
static void emit_chain_terms(zm_elab *e, const term_sink *sink, const zl_expr *x, zx_node factor)
{
    int32_t length = 0;
    const zl_expr *first = x;
    for (; first->kind == ZL_ADD || first->kind == ZL_SUB; first = first->left) length++;
    const zl_expr **spine = ZB_NEW_ARRAY(&e->scratch, const zl_expr *, length);
    for (int32_t k = length; k-- > 0; x = x->left) spine[k] = x;
    emit_terms(e, sink, first, factor);
    for (int32_t k = 0; k < length && !e->limits.stopped; k++)
        emit_terms(e, sink, spine[k]->right,
                   spine[k]->kind == ZL_SUB ? negate_factor(e, factor) : factor);
}

/* Adds factor * x as terms; factor ZX_NONE stands for 1. */
static void emit_terms(zm_elab *e, const term_sink *sink, const zl_expr *x, zx_node factor)
{
    if (zm_count_steps(e, x->place, 1)) return;
    if (!is_written_as_sum(x)) {
        emit_scalar(e, sink, x, factor);
        return;
    }
    switch ((zl_expr_kind)x->kind) {
    case ZL_SUM:
        emit_sum_range(e, sink, x, factor);
        break;
    case ZL_CALL:
        emit_dot_terms(e, sink, x, factor);
        break;
    case ZL_NEG:
        emit_terms(e, sink, x->left, negate_factor(e, factor));
        break;
    case ZL_ADD:
    case ZL_SUB:
        emit_chain_terms(e, sink, x, factor);
        break;
    default:
        emit_scaled_sum(e, sink, x, factor);
        break;
    }
}

/* kinetic m/2*x^2: most likely a prime is missing. In a loop this is said, and looked at, once. */
static void warn_without_velocity(zm_elab *e, const zl_statement *s, const term_seen *seen)
{
    if (seen->velocity || seen->position) e->reading.looked_at = s;
    if (seen->velocity || !seen->position) return;
    zl_report(e->unit, "W0604", s->right->place, "a velocity is written x'",
              "this kinetic energy contains no velocity; is a prime missing?");
}

/* The four kinds of energy differ in where their terms go. */
void zm_execute_energy(zm_elab *e, const zl_statement *s)
{
    term_seen seen = {0};
    term_sink sink = {.statement = s, .kind = ZM_ENERGY};
    int32_t errors = e->unit->error_count;
    switch ((zl_statement_kind)s->kind) {
    case ZL_KINETIC:
        sink.what = "a kinetic energy";
        sink.energy = ZM_KINETIC;
        sink.seen = e->reading.looked_at == s ? NULL : &seen;
        break;
    case ZL_POTENTIAL:
        sink.what = "a potential";
        sink.energy = ZM_POTENTIAL;
        break;
    case ZL_LAGRANGIAN:
        sink.what = "a Lagrangian";
        sink.energy = ZM_OTHER;
        break;
    default:
        sink.what = "a dissipation";
        sink.kind = ZM_DISSIPATION;
        break;
    }
    emit_terms(e, &sink, s->right, ZX_NONE);
    if (sink.seen && e->unit->error_count == errors) warn_without_velocity(e, s, &seen);
}

/* ------------------------------------------------------------------ coordinates */

/* False after an error. */
bool zm_read_targets(zm_elab *e, const zl_expr *x, bool velocities, zm_value *v)
{
    *v = zm_evaluate(e, x);
    if (zm_is_broken(v)) return false;
    if (zm_is_coordinates(v) && (velocities || v->leaf == ZX_POSITION)) return true;
    ZM_ERROR(
        e, "E0306", x->place, "name a coordinate, an array of coordinates or an element of one",
        velocities ? "this is neither a coordinate nor a velocity" : "this is not a coordinate");
    return false;
}

/* ------------------------------------------------------------------------- mass */

/* The entry (i, j) of M and its mirror image; zeros are left out. */
static void add_mass_entry(zm_elab *e, const zl_statement *s, int32_t i, int32_t j, zx_node node)
{
    double number;
    if (zx_is_constant(e->world, node, &number) && number == 0.0) return;
    int32_t targets[2] = {i, j};
    zm_instance instance = {.kind = ZM_MASS,
                            .roots = &node,
                            .root_count = 1,
                            .targets = targets,
                            .target_count = 2,
                            .item = -1,
                            .place = s->place};
    zm_add_instance(e, &instance);
}

/* Whether two entries are the same: one expression, or parameters of one value now. */
static bool are_entries_equal(zm_elab *e, zx_node a, zx_node b)
{
    if (a == b) return true;
    zx_node both[2] = {a, b};
    zx_reach r = zx_reaches(e->world, both, 2);
    return !r.time && !r.position && !r.velocity && !r.acceleration && !r.measure &&
           zm_number_of_node(e, a) == zm_number_of_node(e, b);
}

/* The block of M of one array with itself: E a number (on the diagonal), one for each, or a
 * symmetric matrix. False when E does not fit. */
static bool add_mass_block(zm_elab *e, const zl_statement *s, const zm_value *r, const zm_value *E)
{
    int32_t n = zm_size(r);
    if (zm_is_scalar(E) || (!E->columns && E->rows == n)) {
        for (int32_t k = 0; k < n; k++)
            add_mass_entry(e, s, r->first + k, r->first + k,
                           zm_element(e, E, zm_is_scalar(E) ? 0 : k));
        return true;
    }
    if (E->rows != n || E->columns != n) return false;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i; j < n; j++) {
            zx_node entry = zm_element(e, E, i * n + j);
            if (!are_entries_equal(e, entry, zm_element(e, E, j * n + i))) {
                ZM_ERROR(e, "E0315", s->right->place, NULL,
                         "the mass matrix is not symmetric: entries [%d, %d] and [%d, %d] differ",
                         (int)i + 1, (int)j + 1, (int)j + 1, (int)i + 1);
                return true;
            }
            add_mass_entry(e, s, r->first + i, r->first + j, entry);
        }
    return true;
}

/* The block between two arrays: E a number for scalars or equal lengths, or a matrix. False when E
 * does not fit. */
static bool add_mass_pair(zm_elab *e, const zl_statement *s, const zm_value *a, const zm_value *b,
                          const zm_value *E)
{
    int32_t n = zm_size(a), m = zm_size(b);
    if (zm_is_scalar(E) && n == m) {
        for (int32_t k = 0; k < n; k++)
            add_mass_entry(e, s, a->first + k, b->first + k, zm_element(e, E, 0));
        return true;
    }
    if (E->rows != n || E->columns != m) return false;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < m; j++)
            add_mass_entry(e, s, a->first + i, b->first + j, zm_element(e, E, i * m + j));
    return true;
}

static bool blocks_overlap(const zm_value *a, const zm_value *b)
{
    return a->first < b->first + zm_size(b) && b->first < a->first + zm_size(a);
}

/* Whether only allowed leaves stand in the elements of a value; reports otherwise. */
static bool check_value_leaves(zm_elab *e, const zm_value *v, zm_allowed allowed, zl_place place,
                               const char *what)
{
    zm_value list = zm_new_items(e, zm_size(v), 0);
    for (int32_t k = 0; k < zm_size(v); k++) list.items[k] = zm_element(e, v, k);
    return zm_check_leaves(e, list.items, zm_size(v), allowed, place, what);
}

/* Whether v is a value, not a part; reports a part. False of broken values, too. */
static bool expect_numeric(zm_elab *e, const zm_value *v, const zl_expr *x)
{
    if (zm_is_broken(v)) return false;
    if (zm_is_numeric(v)) return true;
    ZM_ERROR(e, "E0203", x->place, NULL, "a value is needed here, not %s", zm_shape_string(e, v));
    return false;
}

/* mass r: E, or mass a, b: E for the block between two arrays. */
void zm_execute_mass(zm_elab *e, const zl_statement *s)
{
    zm_value a, b, E = zm_evaluate(e, s->right);
    bool pair = s->target_count == 2;
    bool good = zm_read_targets(e, s->targets[0], false, &a);
    if (pair) good = zm_read_targets(e, s->targets[1], false, &b) && good;
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true};
    if (!good || !expect_numeric(e, &E, s->right) ||
        !check_value_leaves(e, &E, allowed, s->right->place, "a mass"))
        return;
    if (pair && blocks_overlap(&a, &b)) {
        if (zm_size(&a) == 1 && zm_size(&b) == 1) {
            pair = false; /* mass x, x: the entry on the diagonal */
        } else {
            ZM_ERROR(e, "E0315", s->targets[1]->place, "name the array once and give its block",
                     "these two arrays have coordinates in common");
            return;
        }
    }
    bool fits = pair ? add_mass_pair(e, s, &a, &b, &E) : add_mass_block(e, s, &a, &E);
    if (!fits)
        ZM_ERROR(e, "E0201", s->right->place, "a number, or a block of the size of the coordinates",
                 "%s does not fit the coordinates", zm_shape_string(e, &E));
}

/* ------------------------------------------------------------------------ forces */

/* force r: F, a term for each coordinate. */
static void add_force_terms(zm_elab *e, const zl_statement *s, const zm_value *r, const zm_value *F)
{
    for (int32_t k = 0; k < zm_size(r); k++) {
        int32_t target = r->first + k;
        zx_node node = zm_element(e, F, k);
        zm_instance instance = {.kind = s->kind == ZL_FORCE ? ZM_FORCE : ZM_NONIDEAL,
                                .roots = &node,
                                .root_count = 1,
                                .targets = &target,
                                .target_count = 1,
                                .item = -1,
                                .place = s->place};
        zm_add_instance(e, &instance);
    }
}

/* force at p: F, one term with roots p[1..d], F[1..d]; the work of F along p gives the generalised
 * force (derive.c). */
static void add_force_at_point(zm_elab *e, const zl_statement *s, const zm_value *p,
                               const zm_value *F)
{
    int32_t d = zm_size(p);
    zm_value roots = zm_new_items(e, 2 * d, 0);
    for (int32_t k = 0; k < d; k++) {
        roots.items[k] = zm_element(e, p, k);
        roots.items[d + k] = zm_element(e, F, k);
    }
    zm_allowed allowed = {.coordinate = true, .time = true};
    if (!zm_check_leaves(e, roots.items, d, allowed, s->targets[0]->place,
                         "the point at which a force acts"))
        return;
    zm_instance instance = {.kind = s->kind == ZL_FORCE ? ZM_FORCE_AT : ZM_NONIDEAL_AT,
                            .roots = roots.items,
                            .root_count = 2 * d,
                            .item = -1,
                            .place = s->place};
    zm_add_instance(e, &instance);
}

/* force and nonideal, on coordinates or at a point. A nonideal force may hold reactions, and is
 * then put off while their constraints are not declared. */
void zm_execute_force(zm_elab *e, const zl_statement *s)
{
    bool nonideal = s->kind == ZL_NONIDEAL;
    e->flags.nonideal = nonideal;
    zm_value F = zm_evaluate(e, s->right), r;
    e->flags.nonideal = false;
    bool good = s->at ? (r = zm_evaluate(e, s->targets[0]), expect_numeric(e, &r, s->targets[0]))
                      : zm_read_targets(e, s->targets[0], false, &r);
    if (e->flags.unresolved || !expect_numeric(e, &F, s->right) || !good) return;
    if (!zm_same_shape(&r, &F)) {
        ZM_ERROR(e, "E0201", s->right->place, NULL, "the force is %s, but %s is %s",
                 zm_shape_string(e, &F), s->at ? "the point" : "the coordinate",
                 zm_shape_string(e, &r));
        return;
    }
    zm_allowed allowed = {.velocity = true, .coordinate = true, .time = true, .measure = nonideal};
    if (!check_value_leaves(e, &F, allowed, s->right->place,
                            nonideal ? "a nonideal force" : "a force"))
        return;
    if (s->at)
        add_force_at_point(e, s, &r, &F);
    else
        add_force_terms(e, s, &r, &F);
}
