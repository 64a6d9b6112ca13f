/*
 * Terms without a table name coordinates themselves: the outputs of a small model, each written
 * out. Here every output becomes an instance of a term with a table again, so that what repeats is
 * seen:
 *
 *     A[3, 4] = 2 (x5 - x4)   ┐          term 2 (q[0] - q[1])
 *     A[4, 6] = 2 (x7 - x6)   ┘   ──▶    table  5 4 / 7 6,   places of the two
 *
 * Leaves get slots in the order in which a walk from the root meets them; the copy into a pool of
 * our own makes equal expressions the same node. Where that order differs, because operands that
 * commute stand the other way round, an equality is lost and nothing else.
 *
 * Numbers are written out, too: rods of different lengths have different expressions. Those of
 * which there are few then are compared without their numbers (replace_numbers.c); where that makes
 * them equal, the numbers that differ become values of our own, behind those that were given.
 */
#include <string.h>

#include "replace_numbers.h"

/* The slots of one output: which coordinate or value each is. */
typedef struct slots {
    int32_t *coordinate, *value; /* [n], [values] */
    int32_t coordinates, values;
    int32_t *slot_of; /* [n + values] 1 + slot, 0: none yet */
    int32_t n;
} slots;

/* A *piece*: one output of a term without a table, after copying. Equal pieces are a class here. */
typedef struct piece {
    zx_node node;
    int32_t terms, output; /* as given */
    int32_t *bindings;     /* [coordinates + values] */
    int32_t coordinates, values;
} piece;

typedef struct normalizer {
    ze_survey *s;
    slots now;
    zx_node *stack; /* [3 pool count + 4] */
    uint32_t *seen; /* [pool count] the walk */
    uint32_t walk;
    piece *pieces; /* [piece_count] */
    int32_t piece_count;
} normalizer;

/* --------------------------------------------------------------------- one output */

/* Gives a coordinate or value the next free slot, when it is met for the first time. */
static void meet_leaf(normalizer *z, const zx_item *item)
{
    slots *now = &z->now;
    bool value = item->op == ZX_VALUE;
    if (item->op < ZX_POSITION || item->op > ZX_VALUE) return;
    int32_t *slot = &now->slot_of[value ? now->n + item->a : item->a];
    if (*slot) return;
    if (value)
        now->value[now->values++] = item->a;
    else
        now->coordinate[now->coordinates++] = item->a;
    *slot = value ? now->values : now->coordinates;
}

/* Meets the leaves below a node, operands from left to right. */
static void walk_leaves(normalizer *z, zx_node root)
{
    const zx_pool *pool = z->s->given->pool;
    int32_t depth = 0;
    z->walk++;
    z->stack[depth++] = root;
    while (depth > 0) {
        zx_node node = z->stack[--depth];
        const zx_item *x = &pool->items[node];
        if (z->seen[node] == z->walk) continue;
        z->seen[node] = z->walk;
        int operands = x->op == ZX_POWI ? 1 : zx_operands((zx_op)x->op);
        if (operands == 0) meet_leaf(z, x);
        if (operands > 2) z->stack[depth++] = x->c;
        if (operands > 1) z->stack[depth++] = x->b;
        if (operands > 0) z->stack[depth++] = x->a;
    }
}

/* A leaf in the copy of an output: its slot in place of its number (a callback of zx_copy; ZX_NONE:
 * the leaf as it is). */
static zx_node leaf_of_slot(void *user, zx_pool *to, const zx_item *leaf)
{
    const slots *now = user;
    if (leaf->op == ZX_VALUE) return zx_leaf(to, ZX_VALUE, now->slot_of[now->n + leaf->a] - 1);
    if (leaf->op >= ZX_POSITION && leaf->op <= ZX_ACCELERATION)
        return zx_leaf(to, (zx_op)leaf->op, now->slot_of[leaf->a] - 1);
    return ZX_NONE;
}

/* Takes back the slots of the last output. */
static void forget_slots(slots *now)
{
    for (int32_t k = 0; k < now->coordinates; k++) now->slot_of[now->coordinate[k]] = 0;
    for (int32_t k = 0; k < now->values; k++) now->slot_of[now->n + now->value[k]] = 0;
    now->coordinates = now->values = 0;
}

/* Copies one output into our pool, slots in place of numbers, and keeps what the slots are. */
static void take_piece(normalizer *z, int32_t terms, int32_t output)
{
    ze_survey *s = z->s;
    slots *now = &z->now;
    zx_node node = s->given->terms[terms].nodes[output];
    walk_leaves(z, node);
    size_t count = (size_t)now->coordinates + (size_t)now->values;
    piece *p = &z->pieces[z->piece_count++];
    *p = (piece){.terms = terms,
                 .output = output,
                 .bindings = ZB_NEW_ARRAY(&s->arena, int32_t, count),
                 .coordinates = now->coordinates,
                 .values = now->values};
    zx_copy(&s->pool, s->given->pool, &node, 1, leaf_of_slot, now, &p->node);
    for (int32_t k = 0; k < p->coordinates; k++) p->bindings[k] = now->coordinate[k];
    for (int32_t k = 0; k < p->values; k++) p->bindings[p->coordinates + k] = now->value[k];
    forget_slots(now);
}

/* ------------------------------------------------------------------------ classes */

static bool is_matrix_entry(const ze_survey *s, const piece *p)
{
    return p->output < s->given->terms[p->terms].matrix;
}

/* Of outputs of levels 0 to 4: phi, rate, their magnitudes and absence are different things; else 0. */
static int32_t which_level(const ze_survey *s, const piece *p)
{
    const ze_terms *t = &s->given->terms[p->terms];
    return t->target == ZE_TO_LEVELS ? t->place[p->output] / s->given->m : 0;
}

/* Whether two outputs agree in all but the expression: what they are added to, and how many slots
 * they have. */
static bool same_but_expression(const ze_survey *s, const piece *a, const piece *b)
{
    bool twice = s->given->terms[a->terms].place[a->output] < 0;
    return is_matrix_entry(s, a) == is_matrix_entry(s, b) &&
           s->given->terms[a->terms].target == s->given->terms[b->terms].target &&
           which_level(s, a) == which_level(s, b) && a->coordinates == b->coordinates &&
           a->values == b->values && twice == (s->given->terms[b->terms].place[b->output] < 0);
}

static bool same_class(const ze_survey *s, const piece *a, const piece *b)
{
    return a->node == b->node && same_but_expression(s, a, b);
}

/* class_of [pieces]; returns how many classes there are. By chains from each node. */
static int32_t find_output_classes(normalizer *z, int32_t *class_of, int32_t *count)
{
    ze_survey *s = z->s;
    int32_t pieces = z->piece_count, classes = 0;
    int32_t *head = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)s->pool.count);
    int32_t *next = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)pieces);
    int32_t *first = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)pieces); /* piece of a class */
    for (int32_t k = 0; k < pieces; k++) {
        const piece *p = &z->pieces[k];
        int32_t c = head[p->node] - 1;
        while (c >= 0 && !same_class(s, &z->pieces[first[c]], p)) c = next[c] - 1;
        if (c < 0) {
            c = classes++;
            first[c] = k;
            next[c] = head[p->node];
            head[p->node] = c + 1;
        }
        class_of[k] = c;
        count[c]++;
    }
    return classes;
}

/* Room for the instances of a class, of which p is one. */
static void open_class(ze_survey *s, const piece *p, int32_t count, ze_terms *t)
{
    int32_t *stride = &t->stride;
    *t = (ze_terms){.target = s->given->terms[p->terms].target,
                    .outputs = 1,
                    .matrix = is_matrix_entry(s, p) ? 1 : 0,
                    .value_at = p->coordinates};
    *stride = p->coordinates + p->values;
    zx_node *node = ZB_NEW_ARRAY(&s->arena, zx_node, 1);
    *node = p->node;
    t->nodes = node;
    t->table = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)count * (size_t)*stride + 1);
    t->place = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)count);
}

/* --------------------------------------------------------------- numbers apart */

enum { few = 8 }; /* pieces of a class, below which its numbers are taken out */

/* A class, as it would be without numbers. */
typedef struct stripped {
    int32_t piece;   /* its first one */
    zx_node node;    /* ZX_NONE: left alone */
    zx_node *number; /* [numbers] nodes */
    int32_t numbers;
    int32_t group; /* the first class that is equal, or itself */
    int32_t next;  /* 1 + another class of the same node */
    bool several;  /* of a first one: there are others */
    int32_t *slot; /* of a first one: [numbers] of its numbers that differ, else -1 */
    int32_t own;   /* how many differ */
    zx_node with;  /* the node in the end */
} stripped;

/* The expression of a class with a value in place of every number; ZX_NONE without numbers. */
static void strip_numbers(normalizer *z, ze_number_finder *l, stripped *b)
{
    const piece *p = &z->pieces[b->piece];
    b->number = ze_numbers_below(l, p->node, &b->numbers);
    b->slot = ZB_NEW_ARRAY(&z->s->arena, int32_t, (size_t)b->numbers + 1);
    for (int32_t k = 0; k < b->numbers; k++) b->slot[k] = p->values + k;
    b->node = b->numbers > 0 ? ze_replace_numbers(l, p->node, b->slot) : ZX_NONE;
}

/* Finds classes that are equal without their numbers: the first of them is their group. */
static void find_equal_stripped(normalizer *z, stripped *list, int32_t classes)
{
    ze_survey *s = z->s;
    int32_t *head = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)s->pool.count);
    for (int32_t c = 0; c < classes; c++) {
        stripped *b = &list[c];
        b->group = c;
        if (b->node == ZX_NONE) continue;
        int32_t k = head[b->node] - 1;
        for (; k >= 0; k = list[k].next - 1)
            if (same_but_expression(s, &z->pieces[list[k].piece], &z->pieces[b->piece])) break;
        if (k >= 0) {
            b->group = k;
            list[k].several = true;
        } else {
            b->next = head[b->node];
            head[b->node] = c + 1;
        }
    }
}

/* Which numbers differ in a group; its expression with values for these, and all others as they
 * are. */
static void keep_common_numbers(normalizer *z, ze_number_finder *l, stripped *list, int32_t classes)
{
    for (int32_t c = 0; c < classes; c++)
        for (int32_t k = 0; list[c].several && k < list[c].numbers; k++) list[c].slot[k] = -1;
    for (int32_t c = 0; c < classes; c++) {
        stripped *b = &list[c], *first = &list[b->group];
        for (int32_t k = 0; b != first && k < b->numbers; k++)
            if (b->number[k] != first->number[k]) first->slot[k] = 0;
    }
    for (int32_t c = 0; c < classes; c++) {
        stripped *b = &list[c];
        if (!b->several) continue;
        for (int32_t k = 0; k < b->numbers; k++)
            if (b->slot[k] == 0) b->slot[k] = z->pieces[b->piece].values + b->own++;
        b->with = ze_replace_numbers(l, z->pieces[b->piece].node, b->slot);
    }
}

/* Appends the numbers of a class that differ in its group to our own values; at: ~ which. */
static void add_numbers(ze_survey *s, const stripped *b, const stripped *first, int32_t *at)
{
    for (int32_t k = 0; k < b->numbers; k++) {
        if (first->slot[k] < 0) continue;
        s->numbers[s->number_count] = zx_number_of(&s->pool.items[b->number[k]]);
        *at++ = ~s->number_count++;
    }
}

/* Gives the outputs of joined classes the common expression, and the numbers that differ as
 * values. */
static void rebind_pieces(normalizer *z, const stripped *list, const int32_t *class_of)
{
    ze_survey *s = z->s;
    for (int32_t i = 0; i < z->piece_count; i++) {
        const stripped *b = &list[class_of[i]], *first = &list[b->group];
        piece *p = &z->pieces[i];
        if (!first->several) continue;
        size_t count = (size_t)p->coordinates + (size_t)p->values;
        int32_t *bindings = ZB_NEW_ARRAY(&s->arena, int32_t, count + (size_t)first->own);
        if (count > 0) memcpy(bindings, p->bindings, sizeof *bindings * count);
        add_numbers(s, b, first, bindings + count);
        p->bindings = bindings;
        p->values += first->own;
        p->node = first->with;
    }
}

/* Takes the numbers out of the expressions of rare classes. False: nothing has changed. */
static bool take_numbers_out(normalizer *z, const int32_t *class_of, const int32_t *count,
                             int32_t classes)
{
    ze_survey *s = z->s;
    ze_number_finder l;
    bool any = false;
    int64_t numbers = 0;
    stripped *list = ZB_NEW_ARRAY(&s->arena, stripped, (size_t)classes + 1);
    ze_number_finder_open(&l, s);
    for (int32_t i = z->piece_count - 1; i >= 0; i--) list[class_of[i]].piece = i;
    for (int32_t c = 0; c < classes; c++) {
        list[c].node = ZX_NONE;
        if (count[c] < few) strip_numbers(z, &l, &list[c]);
    }
    find_equal_stripped(z, list, classes);
    keep_common_numbers(z, &l, list, classes);
    for (int32_t c = 0; c < classes; c++) {
        any = any || list[c].several;
        if (list[list[c].group].several) numbers += (int64_t)list[c].numbers * count[c];
    }
    if (!any) return false;
    s->numbers = ZB_NEW_ARRAY(&s->arena, double, (size_t)numbers + 1);
    rebind_pieces(z, list, class_of);
    return true;
}

/* Makes a term with a table of every class of outputs, behind the terms that had one. */
static void add_class_terms(normalizer *z, ze_terms *terms, int32_t *term_count)
{
    ze_survey *s = z->s;
    int32_t pieces = z->piece_count;
    int32_t *class_of = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)pieces + 1);
    int32_t *count = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)pieces + 1);
    int32_t classes = find_output_classes(z, class_of, count);
    if (take_numbers_out(z, class_of, count, classes)) {
        memset(count, 0, sizeof *count * (size_t)pieces);
        classes = find_output_classes(z, class_of, count);
    }
    ze_terms *list = terms + *term_count;
    for (int32_t k = 0; k < pieces; k++) {
        const piece *p = &z->pieces[k];
        ze_terms *t = &list[class_of[k]];
        if (!t->nodes) open_class(s, p, count[class_of[k]], t);
        int32_t *table = (int32_t *)(uintptr_t)t->table, *place = (int32_t *)(uintptr_t)t->place;
        if (t->stride > 0)
            memcpy(table + (size_t)t->instances * (size_t)t->stride, p->bindings,
                   sizeof *table * (size_t)t->stride);
        place[t->instances++] = s->given->terms[p->terms].place[p->output];
    }
    *term_count += classes;
}

/* ---------------------------------------------------------------------------- all */

/* Terms that have a table stay, copied into our pool. */
static void keep_terms(ze_survey *s, const ze_terms *from, ze_terms *to)
{
    zx_node *nodes = ZB_NEW_ARRAY(&s->arena, zx_node, (size_t)from->outputs);
    zx_copy(&s->pool, s->given->pool, from->nodes, from->outputs, NULL, NULL, nodes);
    *to = *from;
    to->nodes = nodes;
}

/* Terms with a table come first, unchanged; then those made of single outputs. */
void ze_normalize(ze_survey *s)
{
    normalizer z = {.s = s};
    const ze_system *g = s->given;
    int32_t count = 0, whole = 0;
    for (int32_t t = 0; t < g->term_count; t++)
        whole += g->terms[t].table ? 0 : g->terms[t].outputs;
    ze_terms *terms = ZB_NEW_ARRAY(&s->arena, ze_terms, (size_t)(g->term_count + whole) + 1);
    for (int32_t t = 0; t < g->term_count; t++)
        if (g->terms[t].table && g->terms[t].instances > 0)
            keep_terms(s, &g->terms[t], &terms[count++]);
    s->kept = count;
    if (whole > 0) {
        z.now.n = g->n;
        z.pieces = ZB_NEW_ARRAY(&s->arena, piece, (size_t)whole);
        z.now.coordinate = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)g->n);
        z.now.value = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)g->values);
        z.now.slot_of = ZB_NEW_ARRAY(&s->arena, int32_t, (size_t)g->n + (size_t)g->values + 1);
        z.stack = ZB_NEW_ARRAY(&s->arena, zx_node, 3 * (size_t)g->pool->count + 4);
        z.seen = ZB_NEW_ARRAY(&s->arena, uint32_t, (size_t)g->pool->count + 1);
        for (int32_t t = 0; t < g->term_count; t++)
            for (int32_t o = 0; !g->terms[t].table && o < g->terms[t].outputs; o++)
                take_piece(&z, t, o);
        add_class_terms(&z, terms, &count);
    }
    s->system = *g;
    s->system.pool = &s->pool;
    s->system.terms = terms;
    s->system.term_count = count;
}
