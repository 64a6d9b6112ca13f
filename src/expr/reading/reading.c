/*
 * The reading pass: expressions as people write them. For every subexpression that stands as a
 * whole (a root, an argument of a function, a sum in a product, a term of a sum) several forms are
 * made, and the one with the fewest characters is taken:
 *
 *     multiplied out   its polynomial, contracted and composed anew
 *     by parts         of a sum: summands that have terms in common multiplied out together, the
 *                      others each as it is best
 *     as a product     its sums kept in brackets, what they have in common before them
 *     plain            as it was written, with its arguments read
 *
 * Nodes are visited in index order, so operands are read before what uses them. What would have too
 * many terms stays a product, and when the budget is spent all of it does. The result of every root is
 * compared with the original at random points (prove_equal.c); one that differs is not used, nor one
 * that is long, if all long ones together have more operations than the originals, shared ones counted
 * once.
 */
#include <math.h>

#include "reading.h"

enum { BUDGET = 400000, LONG = 150 };

/* How a node is used: as a whole, by a sum, by a product. */
enum { AS_WHOLE = 1, IN_SUM = 2, IN_PRODUCT = 4 };

/* ------------------------------------------------------------------- costs */

static bool is_sum(int32_t op)
{
    return op == ZX_ADD || op == ZX_SUB;
}

static bool is_product(int32_t op)
{
    return op == ZX_MUL || op == ZX_DIV || op == ZX_POWI;
}

/* Characters of a number beyond the first two, halved. */
static double cost_of_number(double value)
{
    char digits[ZB_DOUBLE_SIZE];
    int length = 0;
    zb_print_double(value, digits);
    while (digits[length]) length++;
    return length <= 2 ? 1.0 : length / 2.0;
}

/* Two for the brackets of an operand. */
static double cost_of_brackets(const zx_reader *r, const zx_item *item, int k)
{
    int32_t inner = r->pool->items[*zx_operand(item, k)].op;
    bool low = is_sum(inner) || inner == ZX_NEG;
    if (item->op == ZX_NEG) return is_sum(inner) ? 2.0 : 0.0;
    if (is_sum(item->op)) return k == 1 && low ? 2.0 : 0.0;
    if (item->op == ZX_MUL) return low || (k == 1 && inner == ZX_DIV) ? 2.0 : 0.0;
    if (item->op == ZX_DIV) return low || (k == 1 && is_product(inner)) ? 2.0 : 0.0;
    return item->op == ZX_POWI && (low || is_product(inner)) ? 2.0 : 0.0;
}

/* The first rank of its operands that are no numbers. */
static int64_t rank_operation(const zx_reader *r, const zx_item *item, zx_node node)
{
    int64_t rank = INT64_MAX;
    for (int i = 0; i < zx_operands((zx_op)item->op); i++) {
        zx_node operand = *zx_operand(item, i);
        if (zx_is_number(r->pool, operand)) continue;
        if (r->known[operand].rank < rank) rank = r->known[operand].rank;
    }
    return rank == INT64_MAX ? node : rank;
}

static void learn_node(zx_reader *r, zx_node node)
{
    const zx_item *item = &r->pool->items[node];
    zx_known *k = &r->known[node];
    *k = (zx_known){.plain = ZX_NONE, .best = ZX_NONE, .cost = 1.0};
    k->rank = ((int64_t)item->op << 32) + node; /* of functions: sines before cosines */
    if (zx_is_leaf(item->op)) {
        bool named = item->op > ZX_BOUND && r->how->rank;
        k->rank = named ? r->how->rank(r->how->user, item) : item->a;
        k->varies = item->op > ZX_BOUND && item->op != ZX_VALUE;
        k->cost = item->op <= ZX_BOUND ? cost_of_number(zx_number_of(item)) : 2.0;
        return;
    }
    bool function = !is_sum(item->op) && !is_product(item->op) && item->op != ZX_NEG;
    if (function) k->cost = 3.0;
    for (int i = 0; i < zx_operands((zx_op)item->op); i++) {
        const zx_known *operand = &r->known[*zx_operand(item, i)];
        k->cost += operand->cost + cost_of_brackets(r, item, i);
        k->varies = k->varies || operand->varies;
    }
    if (!function) k->rank = rank_operation(r, item, node);
}

void zx_learn(zx_reader *r)
{
    if (r->pool->count > r->capacity) {
        int32_t capacity = 2 * r->pool->count;
        zx_known *known = zx_scratch(r->pool, capacity, sizeof *known);
        for (int32_t i = 0; i < r->count; i++) known[i] = r->known[i];
        r->known = known;
        r->capacity = capacity;
    }
    while (r->count < r->pool->count) learn_node(r, r->count++);
}

zx_known *zx_know(zx_reader *r, zx_node node)
{
    zx_learn(r);
    return &r->known[node];
}

double zx_cost(zx_reader *r, zx_node node)
{
    return zx_know(r, node)->cost;
}

/* ------------------------------------------------------------- polynomials */

/* A sum, or another node, as one atom: it is not multiplied out. */
static const zx_polynomial *make_lump_polynomial(zx_reader *r, zx_node node)
{
    const zx_term *lump = zx_know(r, node)->lump;
    return lump ? zx_one_term(r, lump) : zx_know(r, node)->polynomial;
}

static const zx_polynomial *multiply_or_lump(zx_reader *r, zx_node a, zx_node b)
{
    const zx_polynomial *x = zx_know(r, a)->polynomial, *y = zx_know(r, b)->polynomial;
    const zx_polynomial *product = zx_multiply_polynomials(r, x, y);
    if (product) return product;
    const zx_polynomial *small = x->count < y->count ? x : y;
    const zx_polynomial *other = make_lump_polynomial(r, x->count < y->count ? b : a);
    product = zx_multiply_polynomials(r, small, other);
    if (product) return product;
    zx_term term =
        zx_multiply_terms(r, make_lump_polynomial(r, a)->terms, make_lump_polynomial(r, b)->terms);
    return zx_one_term(r, &term);
}

/* By repeated products; what gets too long is a power of one atom. */
static const zx_polynomial *raise_polynomial(zx_reader *r, zx_node base, int32_t exponent)
{
    const zx_polynomial *x = zx_know(r, base)->polynomial, *power = x;
    enum { MOST = 4 };
    if (x->count == 0) return x;
    if (x->count > 1 && (exponent < 0 || exponent > MOST)) power = NULL;
    for (int32_t k = 1; k < exponent && power && x->count > 1; k++)
        power = zx_multiply_polynomials(r, power, x);
    if (power && x->count > 1) return power;
    zx_term term = zx_term_power(r, make_lump_polynomial(r, base)->terms, exponent);
    return zx_one_term(r, &term);
}

/* A quotient by one term: sums below are atoms. */
static const zx_polynomial *divide_polynomial(zx_reader *r, zx_node a, zx_node b)
{
    zx_term inverse = zx_term_power(r, make_lump_polynomial(r, b)->terms, -1);
    const zx_polynomial *below = zx_one_term(r, &inverse);
    const zx_polynomial *quotient = zx_multiply_polynomials(r, zx_know(r, a)->polynomial, below);
    if (quotient) return quotient;
    zx_term term = zx_multiply_terms(r, make_lump_polynomial(r, a)->terms, &inverse);
    return zx_one_term(r, &term);
}

/* ------------------------------------------------------------------- lumps */

/* A product of powers and lumps: sums stay in brackets. */
static zx_term make_product_lump(zx_reader *r, const zx_item *item)
{
    zx_term a = *make_lump_polynomial(r, item->a)->terms;
    if (item->op == ZX_POWI) return zx_term_power(r, &a, item->b);
    zx_term b = *make_lump_polynomial(r, item->b)->terms;
    if (item->op == ZX_DIV) b = zx_term_power(r, &b, -1);
    return zx_multiply_terms(r, &a, &b);
}

/* A sum: what its terms have in common, times the rest of `best` as an atom. p: what it is. */
static zx_term make_sum_lump(zx_reader *r, const zx_polynomial *p, zx_node best)
{
    if (p->count == 1) return p->terms[0];
    const zx_polynomial *rest;
    zx_term content = zx_take_content(r, p, &rest);
    if (content.count > 0 || content.c != 1.0) {
        best = zx_compose(r, rest);
        zx_know(r, best)->polynomial = rest;
    }
    return zx_replace_factors(r, &content, &(zx_factor){best, 1}, 1);
}

static void set_lump(zx_reader *r, zx_node node, zx_term term)
{
    zx_term *kept = zx_scratch(r->pool, 1, sizeof *kept);
    *kept = term;
    zx_know(r, node)->lump = kept;
}

/* --------------------------------------------------------- sums by parts */

/* A summand of a sum: not a sum itself. */
typedef struct part {
    zx_node node;
    bool minus;
    int32_t group; /* the first part that it is multiplied out with */
} part;

typedef struct part_list {
    part *data;
    int32_t count, capacity;
} part_list;

static void append_part(zx_reader *r, part_list *list, part added)
{
    if (list->count == list->capacity) {
        int32_t capacity = list->capacity < 16 ? 16 : 2 * list->capacity;
        part *data = zx_scratch(r->pool, capacity, sizeof *data);
        for (int32_t k = 0; k < list->count; k++) data[k] = list->data[k];
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = added;
}

/* The summands of a sum, through sums and signs, from left to right. Sums are shared, and there can
 * be very many: of more than MOST_PARTS the node itself is the only one. */
static part_list list_summands(zx_reader *r, zx_node node)
{
    enum { MOST_PARTS = 60 };
    part_list list = {0}, stack = {0};
    append_part(r, &stack, (part){.node = node});
    while (stack.count > 0) {
        if (list.count + stack.count > MOST_PARTS) {
            list.count = 0;
            append_part(r, &list, (part){.node = node});
            return list;
        }
        part at = stack.data[--stack.count];
        const zx_item *item = &r->pool->items[at.node];
        if (is_sum(item->op)) {
            bool minus = at.minus != (item->op == ZX_SUB);
            append_part(r, &stack, (part){.node = item->b, .minus = minus});
            append_part(r, &stack, (part){.node = item->a, .minus = at.minus});
        } else if (item->op == ZX_NEG)
            append_part(r, &stack, (part){.node = item->a, .minus = !at.minus});
        else
            append_part(r, &list, at);
    }
    return list;
}

/* Whether two terms have the same factors but for sines and cosines. */
static bool are_related(const zx_reader *r, const zx_term *a, const zx_term *b)
{
    int32_t i = 0, j = 0;
    for (;;) {
        while (i < a->count && (r->pool->items[a->factors[i].atom].op == ZX_SIN ||
                                r->pool->items[a->factors[i].atom].op == ZX_COS))
            i++;
        while (j < b->count && (r->pool->items[b->factors[j].atom].op == ZX_SIN ||
                                r->pool->items[b->factors[j].atom].op == ZX_COS))
            j++;
        if (i == a->count || j == b->count) return i == a->count && j == b->count;
        if (a->factors[i].atom != b->factors[j].atom ||
            a->factors[i].exponent != b->factors[j].exponent)
            return false;
        i++, j++;
    }
}

/* Whether two polynomials have related terms; the work is taken from the budget. */
static bool have_related_terms(zx_reader *r, const zx_polynomial *a, const zx_polynomial *b)
{
    r->budget -= ((int64_t)a->count * b->count) / 8;
    for (int32_t i = 0; i < a->count; i++)
        for (int32_t j = 0; j < b->count; j++)
            if (are_related(r, &a->terms[i], &b->terms[j])) return true;
    return false;
}

/* Parts with related terms get one group, the number of the first of them. */
static void group_parts(zx_reader *r, part_list *list)
{
    for (int32_t i = 0; i < list->count; i++)
        for (int32_t j = i + 1; j < list->count; j++) {
            int32_t a = list->data[i].group, b = list->data[j].group;
            if (a == b) continue;
            if (!have_related_terms(r, zx_know(r, list->data[i].node)->polynomial,
                                    zx_know(r, list->data[j].node)->polynomial))
                continue;
            for (int32_t k = 0; k < list->count; k++)
                if (list->data[k].group == a || list->data[k].group == b)
                    list->data[k].group = a < b ? a : b;
        }
}

/* The sum of one group as a polynomial; how many parts it has. */
static const zx_polynomial *add_group(zx_reader *r, const part_list *list, int32_t group,
                                      int32_t *count)
{
    const zx_polynomial *sum = zx_constant_polynomial(r, 0.0);
    *count = 0;
    for (int32_t k = 0; k < list->count; k++) {
        if (list->data[k].group != group) continue;
        sum = zx_add_polynomials(r, sum, list->data[k].minus ? -1.0 : 1.0,
                                 zx_know(r, list->data[k].node)->polynomial);
        ++*count;
    }
    return zx_contract_trigonometry(r, sum);
}

/* Adds the summands of a form of p to a sum. All stand where the first term of p would, so they stay
 * together. */
static void append_form(zx_reader *r, zx_sum *sum, zx_node form, bool minus, const zx_polynomial *p)
{
    const zx_term *leading = zx_leading_term(r, p);
    part_list list = list_summands(r, form);
    for (int32_t k = 0; k < list.count; k++) {
        zx_summand s = {list.data[k].minus != minus, list.data[k].node, leading};
        double value;
        if (zx_is_constant(r->pool, s.node, &value) && value < 0.0) {
            s.node = zx_number(r->pool, -value);
            s.minus = !s.minus;
        }
        zx_append_summand(r, sum, s);
    }
}

/* Each part on its own, or those with related terms together. ZX_NONE: all parts are one group. */
static zx_node read_sum_by_parts(zx_reader *r, zx_node node, bool together)
{
    part_list list = list_summands(r, node);
    zx_sum sum = {0};
    if (list.count < 2) return ZX_NONE;
    for (int32_t i = 0; i < list.count; i++) list.data[i].group = i;
    if (together) group_parts(r, &list);
    for (int32_t i = 0; i < list.count; i++) {
        int32_t members;
        if (list.data[i].group != i) continue;
        const zx_polynomial *p = add_group(r, &list, i, &members);
        if (members == list.count) return ZX_NONE;
        if (p->count == 0) continue;
        if (members == 1)
            append_form(r, &sum, zx_know(r, list.data[i].node)->best, list.data[i].minus, p);
        else
            append_form(r, &sum, zx_compose(r, p), false, p);
    }
    return zx_compose_sum(r, &sum);
}

/* ------------------------------------------------------------------- nodes */

/* Takes a form of a node if it is shorter than the best so far. */
static void offer_form(zx_reader *r, zx_node *best, zx_node form)
{
    if (form != ZX_NONE && (*best == ZX_NONE || zx_cost(r, form) < zx_cost(r, *best))) *best = form;
}

/* The best form of a sum or product whose operands are known. */
static zx_node choose_form(zx_reader *r, zx_node node)
{
    zx_item item = r->pool->items[node];
    zx_node best = ZX_NONE;
    if (r->budget < 0) return zx_know(r, node)->plain;
    const zx_polynomial *p = zx_contract_trigonometry(r, zx_know(r, node)->polynomial);
    zx_know(r, node)->polynomial = p;
    offer_form(r, &best, zx_compose(r, p));
    if (p->count > 1 && is_sum(item.op)) {
        offer_form(r, &best, read_sum_by_parts(r, node, true));
        offer_form(r, &best, read_sum_by_parts(r, node, false));
    }
    if (p->count > 1 && is_product(item.op) && zx_know(r, node)->lump)
        offer_form(r, &best, zx_compose_term(r, zx_know(r, node)->lump));
    if (p->count > 0) offer_form(r, &best, zx_know(r, node)->plain);
    zx_known *known = zx_know(r, best);
    if (!known->polynomial) known->polynomial = p;
    return best;
}

/* A leaf, or a number. */
static void read_leaf(zx_reader *r, zx_node node)
{
    double value;
    const zx_polynomial *p = zx_is_constant(r->pool, node, &value)
                                 ? zx_constant_polynomial(r, value)
                                 : zx_atom_polynomial(r, node, 1);
    zx_known *k = zx_know(r, node);
    k->polynomial = p;
    k->plain = k->best = node;
}

/* A function of one argument, as an atom; NULL: its argument is shorter than its polynomial, and it is
 * left as it is. */
static const zx_polynomial *read_function_of_polynomial(zx_reader *r, zx_item item)
{
    const zx_polynomial *argument = zx_know(r, item.a)->polynomial;
    zx_node best = zx_know(r, item.a)->best;
    if (item.op == ZX_NOT || item.op == ZX_TABLE) return NULL;
    if (zx_cost(r, zx_compose(r, argument)) > zx_cost(r, best) + 1.0) return NULL;
    zx_term term = zx_function_term(r, (zx_op)item.op, argument);
    return zx_one_term(r, &term);
}

/* The operation on the best forms of its operands. */
static zx_node rebuild_operation(zx_reader *r, zx_item item)
{
    zx_pool *pool = r->pool;
    int operands = zx_operands((zx_op)item.op);
    zx_node a = zx_know(r, item.a)->best;
    if (operands == 1) return zx_unary(pool, (zx_op)item.op, a);
    if (item.op == ZX_TABLE) return zx_binary(pool, ZX_TABLE, a, item.b);
    zx_node b = zx_know(r, item.b)->best;
    if (operands == 2) return zx_binary(pool, (zx_op)item.op, a, b);
    return zx_select(pool, a, b, zx_know(r, item.c)->best);
}

/* A function, a comparison, a choice. */
static void read_function(zx_reader *r, zx_node node)
{
    zx_item item = r->pool->items[node];
    double value;
    const zx_polynomial *p = NULL;
    if (zx_operands((zx_op)item.op) == 1) p = read_function_of_polynomial(r, item);
    zx_node best = p ? zx_compose(r, p) : rebuild_operation(r, item);
    if (!p && zx_is_constant(r->pool, best, &value))
        p = zx_constant_polynomial(r, value);
    else if (!p)
        p = zx_atom_polynomial(r, best, 1);
    if (!zx_know(r, best)->polynomial) zx_know(r, best)->polynomial = p;
    zx_known *k = zx_know(r, node);
    k->polynomial = p;
    k->plain = k->best = best;
}

/* The node as it is written, of plain operands. */
static zx_node rebuild_plain(zx_reader *r, zx_item item)
{
    zx_node a = zx_know(r, item.a)->plain;
    if (item.op == ZX_POWI) return zx_power(r->pool, a, item.b);
    if (item.op == ZX_NEG) return zx_unary(r->pool, ZX_NEG, a);
    return zx_binary(r->pool, (zx_op)item.op, a, zx_know(r, item.b)->plain);
}

static const zx_polynomial *find_polynomial(zx_reader *r, zx_item item)
{
    const zx_polynomial *zero;
    switch (item.op) {
    case ZX_NEG:
        zero = zx_constant_polynomial(r, 0.0);
        return zx_add_polynomials(r, zero, -1.0, zx_know(r, item.a)->polynomial);
    case ZX_ADD:
    case ZX_SUB:
        return zx_add_polynomials(r, zx_know(r, item.a)->polynomial, item.op == ZX_ADD ? 1.0 : -1.0,
                                  zx_know(r, item.b)->polynomial);
    case ZX_MUL:
        return multiply_or_lump(r, item.a, item.b);
    case ZX_DIV:
        return divide_polynomial(r, item.a, item.b);
    default:
        return raise_polynomial(r, item.a, item.b);
    }
}

/* Whether the operand that something is divided by is 0 as a polynomial: then nothing is done. */
static bool divides_by_zero(zx_reader *r, zx_item item)
{
    if (item.op == ZX_DIV) return zx_know(r, item.b)->polynomial->count == 0;
    return item.op == ZX_POWI && item.b < 0 && zx_know(r, item.a)->polynomial->count == 0;
}

/* Sums, products, signs. */
static void read_arithmetic(zx_reader *r, zx_node node, uint8_t uses)
{
    zx_item item = r->pool->items[node];
    zx_node plain = rebuild_plain(r, item);
    if (divides_by_zero(r, item)) {
        zx_know(r, node)->plain = zx_know(r, node)->best = plain;
        zx_know(r, node)->polynomial = zx_atom_polynomial(r, plain, 1);
        return;
    }
    const zx_polynomial *p = find_polynomial(r, item);
    zx_know(r, node)->polynomial = p;
    zx_know(r, node)->plain = plain;
    bool zero = p->count == 0;
    if (is_product(item.op) && !zero) set_lump(r, node, make_product_lump(r, &item));
    bool whole = (uses & AS_WHOLE) || (is_sum(item.op) && (uses & IN_PRODUCT)) ||
                 (is_product(item.op) && (uses & IN_SUM));
    if (!whole && item.op != ZX_NEG) return;
    if (whole) {
        zx_node best = choose_form(r, node);
        zx_know(r, node)->best = best;
        p = zx_know(r, node)->polynomial;
    }
    if (is_sum(item.op) && p->count > 0)
        set_lump(r, node, make_sum_lump(r, p, zx_know(r, node)->best));
    if (item.op == ZX_NEG && zx_know(r, item.a)->lump) {
        zx_term lump = *zx_know(r, item.a)->lump;
        lump.c = -lump.c;
        set_lump(r, node, lump);
    }
}

/* ---------------------------------------------------------------------- all */

static bool is_arithmetic(int32_t op)
{
    return is_sum(op) || is_product(op) || op == ZX_NEG;
}

/* Hands down how nodes are used, from the roots. */
static void mark_uses(zx_reader *r, const zx_node *nodes, int32_t count)
{
    for (int32_t i = count - 1; i >= 0; i--) {
        const zx_item *item = &r->pool->items[nodes[i]];
        uint8_t use = AS_WHOLE;
        if (is_sum(item->op)) use = IN_SUM;
        if (is_product(item->op)) use = IN_PRODUCT;
        if (item->op == ZX_NEG) {
            use = r->known[nodes[i]].uses;
            if (use & AS_WHOLE) use |= IN_SUM;
        }
        for (int k = 0; k < zx_operands((zx_op)item->op); k++)
            r->known[*zx_operand(item, k)].uses |= use;
    }
}

/* Every node below the copies, operands first. */
static void read_nodes(zx_reader *r, const zx_node *roots, int32_t count)
{
    int32_t found = zx_collect(r->pool, roots, count, false);
    zx_node *nodes = zx_scratch(r->pool, found, sizeof *nodes);
    for (int32_t i = 0; i < found; i++) nodes[i] = r->pool->list[i];
    zx_learn(r);
    if (!r->known) return; /* there are no nodes */
    for (int32_t i = 0; i < count; i++) r->known[roots[i]].uses |= AS_WHOLE;
    mark_uses(r, nodes, found);
    for (int32_t i = 0; i < found; i++) {
        int32_t op = r->pool->items[nodes[i]].op;
        if (zx_is_leaf(op))
            read_leaf(r, nodes[i]);
        else if (is_arithmetic(op))
            read_arithmetic(r, nodes[i], zx_know(r, nodes[i])->uses);
        else
            read_function(r, nodes[i]);
    }
}

/* Takes the copies in the place of long forms, unless these have fewer operations in all. */
static void refuse_long_forms(zx_reader *r, const zx_node *copies, zx_node *forms, int32_t count)
{
    zx_node *old = zx_scratch(r->pool, count, sizeof *old);
    zx_node *new = zx_scratch(r->pool, count, sizeof *new);
    int32_t found = 0;
    for (int32_t i = 0; i < count; i++) {
        if (zx_cost(r, forms[i]) <= LONG) continue;
        old[found] = copies[i];
        new[found++] = forms[i];
    }
    if (zx_operation_count(r->pool, new, found) <= zx_operation_count(r->pool, old, found)) return;
    for (int32_t i = 0; i < count; i++)
        if (zx_cost(r, forms[i]) > LONG) forms[i] = copies[i];
}

/* The form of a root: its terms apart where that is wanted and not much longer. */
static zx_node choose_root_form(zx_reader *r, zx_node root)
{
    zx_node best = zx_know(r, root)->best;
    const zx_polynomial *p = zx_know(r, root)->polynomial;
    if (best == ZX_NONE) return root;
    if (!r->how->apart || r->budget < 0) return best;
    zx_node apart = zx_compose_apart(r, p);
    return zx_cost(r, apart) <= 1.35 * zx_cost(r, best) ? apart : best;
}

int32_t zx_read(zx_pool *to, zx_pool *from, const zx_node *roots, int32_t count,
                const zx_reading *how, zx_node *out)
{
    int32_t refused = 0;
    zx_copy(to, from, roots, count, NULL, NULL, out);
    zb_mark mark = zx_scratch_mark(to);
    zx_reader r = {.pool = to, .how = how, .budget = BUDGET};
    read_nodes(&r, out, count);
    zx_node *forms = zx_scratch(to, count, sizeof *forms);
    for (int32_t i = 0; i < count; i++) forms[i] = choose_root_form(&r, out[i]);
    refuse_long_forms(&r, out, forms, count);
    for (int32_t i = 0; i < count; i++) {
        if (forms[i] == out[i]) continue;
        if (zx_prove_equal(from, roots[i], to, forms[i]))
            out[i] = forms[i];
        else
            refused++;
    }
    zb_arena_release(&to->scratch, mark);
    return refused;
}
