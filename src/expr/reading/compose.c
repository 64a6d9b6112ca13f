/*
 * A polynomial as an expression to read. Several ways are tried, and the one with the fewest
 * characters is taken:
 *
 *     collected   (m1 + m2)*l1^2*x + ...: for each product of what varies its constants in one factor
 *     merged      the same, and terms with equal constants share them: k*(x - y)
 *     grouped     the atom that most terms have in front, again and again: m*(a^2 + b^2) + J
 *     in front    what all terms have, then one of these
 *
 * Factors of a product stand in the order of books: numbers, sums of constants, constants by the
 * caller's rank, coordinates, velocities, functions, sums, accelerations. Terms with what varies stand before
 * constants, and a sum begins with a term that is added, if it has one.
 */
#include <math.h>

#include "reading.h"

static zx_node intern_binary(zx_reader *r, zx_op op, zx_node a, zx_node b)
{
    return zx_intern(r->pool, &(zx_item){.op = (int32_t)op, .a = a, .b = b});
}

/* ------------------------------------------------------------------- order */

/* In a product from left to right. */
typedef enum factor_class {
    CONSTANT, /* or a sum of constants, which stands with the first of them */
    FUNCTION_OF_CONSTANTS,
    TIME,
    POSITION,
    VELOCITY,
    FUNCTION,
    SUM,
    MEASURE,
    ACCELERATION
} factor_class;

static factor_class classify_factor(const zx_reader *r, zx_node atom)
{
    bool varies = r->known[atom].varies;
    switch (r->pool->items[atom].op) {
    case ZX_VALUE:
        return CONSTANT;
    case ZX_TIME:
        return TIME;
    case ZX_POSITION:
        return POSITION;
    case ZX_VELOCITY:
        return VELOCITY;
    case ZX_ACCELERATION:
        return ACCELERATION;
    case ZX_MEASURE:
        return MEASURE;
    case ZX_ADD:
    case ZX_SUB:
        return varies ? SUM : CONSTANT;
    default:
        return varies ? FUNCTION : FUNCTION_OF_CONSTANTS;
    }
}

static int compare_ranks(const zx_reader *r, zx_node a, zx_node b)
{
    int64_t x = r->known[a].rank, y = r->known[b].rank;
    return x != y ? (x > y) - (x < y) : (a > b) - (a < b);
}

/* Whether factor a stands before b in a product. */
static bool stands_before(const zx_reader *r, zx_node a, zx_node b)
{
    factor_class x = classify_factor(r, a), y = classify_factor(r, b);
    return x != y ? x < y : compare_ranks(r, a, b) < 0;
}

/* What decides the place of a term in a sum, most weighty first. */
static int weigh_factor(const zx_reader *r, zx_node atom)
{
    static const int weights[] = {[ACCELERATION] = 0, [VELOCITY] = 1, [FUNCTION] = 2,
                                  [SUM] = 2,          [POSITION] = 3, [TIME] = 4,
                                  [MEASURE] = 5,      [CONSTANT] = 6, [FUNCTION_OF_CONSTANTS] = 7};
    return weights[classify_factor(r, atom)];
}

static bool weighs_more(const zx_reader *r, zx_node a, zx_node b)
{
    int x = weigh_factor(r, a), y = weigh_factor(r, b);
    return x != y ? x < y : compare_ranks(r, a, b) < 0;
}

/* The factor of a term that weighs most among those below `after`; -1: there is none. */
static int32_t find_next_weight(const zx_reader *r, const zx_term *term, int32_t after)
{
    int32_t next = -1;
    for (int32_t k = 0; k < term->count; k++) {
        zx_node atom = term->factors[k].atom;
        if (after >= 0 && !weighs_more(r, term->factors[after].atom, atom)) continue;
        if (next < 0 || weighs_more(r, atom, term->factors[next].atom)) next = k;
    }
    return next;
}

int zx_compare_written(const zx_reader *r, const zx_term *a, const zx_term *b)
{
    int32_t i = find_next_weight(r, a, -1), j = find_next_weight(r, b, -1);
    for (; i >= 0 && j >= 0; i = find_next_weight(r, a, i), j = find_next_weight(r, b, j)) {
        zx_factor x = a->factors[i], y = b->factors[j];
        if (x.atom != y.atom) return weighs_more(r, x.atom, y.atom) ? -1 : 1;
        if (x.exponent != y.exponent) return x.exponent > y.exponent ? -1 : 1;
    }
    return (i < 0) - (j < 0);
}

const zx_term *zx_leading_term(zx_reader *r, const zx_polynomial *p)
{
    zx_learn(r);
    const zx_term *first = &p->terms[0];
    for (int32_t i = 1; i < p->count; i++)
        if (zx_compare_written(r, &p->terms[i], first) < 0) first = &p->terms[i];
    return first;
}

/* ----------------------------------------------------------------- numbers */

/* The decimal number with the fewest digits that c can be, up to round-off; how many stand behind
 * the point. */
static double round_to_decimal(double c, int *digits)
{
    double scale = 1.0;
    for (*digits = 0; *digits <= 17; ++*digits, scale *= 10.0) {
        double rounded = floor(c * scale + 0.5) / scale;
        if (c * scale < 1e15 && fabs(rounded - c) <= 8.0 * zb_eps * c) return rounded;
    }
    return c;
}

/* c > 0 as p / q: halves, quarters and eighths as fractions, short decimals as they are, thirds and
 * the like as fractions again. */
static double split_number(double c, double *q)
{
    int digits;
    double decimal = round_to_decimal(c, &digits);
    *q = 1.0;
    for (double k = 2.0; k <= 8.0 && digits > 0; k *= 2.0)
        if (decimal * k == floor(decimal * k) && decimal * k < 20.0) {
            *q = k;
            return decimal * k;
        }
    for (double k = 3.0; k <= 720.0 && digits > 4 && c < 1e4; k += 1.0) {
        double p = floor(c * k + 0.5);
        if (p >= 1.0 && fabs(p / k - c) <= 8.0 * zb_eps * c) {
            *q = k;
            return p;
        }
    }
    return decimal;
}

/* ---------------------------------------------------------------- products */

/* left * right; left ZX_NONE: nothing stands there yet. */
static zx_node append_factor(zx_reader *r, zx_node left, zx_node right)
{
    return left == ZX_NONE ? right : intern_binary(r, ZX_MUL, left, right);
}

/* `left` times the factors whose exponents have the sign, in order; ZX_NONE: there are none. */
static zx_node compose_factors(zx_reader *r, const zx_term *term, int sign, zx_node left)
{
    zx_factor *sorted = zx_scratch(r->pool, term->count, sizeof *sorted);
    int32_t count = 0;
    for (int32_t k = 0; k < term->count; k++) {
        if ((term->factors[k].exponent > 0) != (sign > 0)) continue;
        int32_t at = count++;
        for (; at > 0 && stands_before(r, term->factors[k].atom, sorted[at - 1].atom); at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = term->factors[k];
    }
    for (int32_t k = 0; k < count; k++) {
        int32_t exponent = sign * sorted[k].exponent;
        zx_item power = {.op = ZX_POWI, .a = sorted[k].atom, .b = exponent};
        left = append_factor(r, left, exponent > 1 ? zx_intern(r->pool, &power) : sorted[k].atom);
    }
    return left;
}

/* The term with |c| as its number. */
static zx_node compose_magnitude(zx_reader *r, const zx_term *term)
{
    double q, p = split_number(fabs(term->c), &q);
    zx_learn(r);
    zx_node number = p != 1.0 ? zx_number(r->pool, p) : ZX_NONE;
    zx_node above = compose_factors(r, term, 1, number);
    zx_node below = compose_factors(r, term, -1, q != 1.0 ? zx_number(r->pool, q) : ZX_NONE);
    if (above == ZX_NONE) above = zx_number(r->pool, 1.0);
    return below == ZX_NONE ? above : intern_binary(r, ZX_DIV, above, below);
}

zx_node zx_compose_term(zx_reader *r, const zx_term *term)
{
    if (term->count == 0 && fabs(term->c) == floor(fabs(term->c)))
        return zx_number(r->pool, term->c);
    zx_node node = compose_magnitude(r, term);
    return term->c < 0.0 ? zx_intern(r->pool, &(zx_item){.op = ZX_NEG, .a = node}) : node;
}

/* -------------------------------------------------------------------- sums */

void zx_append_summand(zx_reader *r, zx_sum *list, zx_summand summand)
{
    if (list->count == list->capacity) {
        int32_t capacity = list->capacity < 8 ? 8 : 2 * list->capacity;
        zx_summand *data = zx_scratch(r->pool, capacity, sizeof *data);
        for (int32_t k = 0; k < list->count; k++) data[k] = list->data[k];
        list->data = data;
        list->capacity = capacity;
    }
    list->data[list->count++] = summand;
}

static void append_term(zx_reader *r, zx_sum *list, const zx_term *term, const zx_term *leading)
{
    zx_node node = compose_magnitude(r, term);
    zx_append_summand(r, list, (zx_summand){term->c < 0.0, node, leading});
}

/* In the order of zx_compare_written, a summand that is added first if there is one. */
static void sort_summands(const zx_reader *r, zx_summand *s, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        zx_summand moved = s[i];
        int32_t k = i;
        for (; k > 0 && zx_compare_written(r, moved.leading, s[k - 1].leading) < 0; k--)
            s[k] = s[k - 1];
        s[k] = moved;
    }
    int32_t first = 0;
    while (first < count && s[first].minus) first++;
    if (first == count) return;
    zx_summand added = s[first];
    for (int32_t k = first; k > 0; k--) s[k] = s[k - 1];
    s[0] = added;
}

zx_node zx_compose_sum(zx_reader *r, zx_sum *sum)
{
    const zx_summand *s = sum->data;
    if (sum->count == 0) return zx_number(r->pool, 0.0);
    zx_learn(r);
    sort_summands(r, sum->data, sum->count);
    zx_node node =
        s[0].minus ? zx_intern(r->pool, &(zx_item){.op = ZX_NEG, .a = s[0].node}) : s[0].node;
    for (int32_t k = 1; k < sum->count; k++)
        node = intern_binary(r, s[k].minus ? ZX_SUB : ZX_ADD, node, s[k].node);
    return node;
}

zx_term zx_take_content(zx_reader *r, const zx_polynomial *p, const zx_polynomial **rest)
{
    zx_term content = zx_common_content(r, p);
    if ((zx_leading_term(r, p)->c < 0.0) != (content.c < 0.0)) content.c = -content.c;
    *rest = zx_divide_by_term(r, p, &content);
    return content;
}

/* ----------------------------------------------------------------- grouped */

static zx_node compose_grouped(zx_reader *r, const zx_polynomial *p);
static void append_grouped(zx_reader *r, zx_sum *list, const zx_polynomial *p);

/* content times p, a sum in brackets. Where p has both signs, no sign stands before it. */
static zx_term multiply_by_sum(zx_reader *r, const zx_term *content, const zx_polynomial *p)
{
    zx_term product = *content;
    const zx_polynomial *root = zx_square_root(r, p);
    bool minus = false;
    for (int32_t i = 0; i < p->count; i++) minus = minus || p->terms[i].c < 0.0;
    if (content->c < 0.0 && minus && !root) {
        p = zx_add_polynomials(r, zx_constant_polynomial(r, 0.0), -1.0, p);
        product.c = -product.c;
    }
    zx_factor sum = {compose_grouped(r, root ? root : p), root ? 2 : 1};
    zx_learn(r);
    return zx_replace_factors(r, &product, &sum, 1);
}

/* The sum of p by groups. */
static zx_node compose_grouped(zx_reader *r, const zx_polynomial *p)
{
    zx_sum list = {0};
    append_grouped(r, &list, p);
    return zx_compose_sum(r, &list);
}

/* In how many terms an atom has an exponent of this sign. */
static int32_t count_terms_with(const zx_polynomial *p, zx_factor f)
{
    int32_t count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        int32_t e = zx_exponent_in(&p->terms[i], f.atom);
        count += e != 0 && (e > 0) == (f.exponent > 0);
    }
    return count;
}

/* Splits p by whether f stands in a term. */
static void split_by_factor(zx_reader *r, const zx_polynomial *p, zx_factor f,
                            const zx_polynomial **with, const zx_polynomial **without)
{
    zx_term *terms = zx_scratch(r->pool, p->count, sizeof *terms);
    int32_t low = 0, high = p->count;
    for (int32_t i = 0; i < p->count; i++) {
        int32_t e = zx_exponent_in(&p->terms[i], f.atom);
        bool has = e != 0 && (e > 0) == (f.exponent > 0);
        terms[has ? low++ : --high] = p->terms[i];
    }
    *with = zx_collect_terms(r, terms, low);
    *without = zx_collect_terms(r, terms + high, p->count - high);
}

/* What is saved when the terms with f share what they have in common. */
static double measure_saving(zx_reader *r, const zx_polynomial *p, zx_factor f)
{
    int32_t count = count_terms_with(p, f);
    double cost = 0.0;
    if (count < 2) return 0.0;
    const zx_polynomial *with, *without;
    split_by_factor(r, p, f, &with, &without);
    zx_term content = zx_common_content(r, with);
    for (int32_t k = 0; k < content.count; k++)
        cost += r->known[content.factors[k].atom].cost + 1.0;
    return (count - 1) * cost;
}

/* The factor that is worth most to be written once; exponent 0: none is. */
static zx_factor choose_group_factor(zx_reader *r, const zx_polynomial *p)
{
    enum { BRACKETS = 4 };
    zx_factor best = {0};
    double most = BRACKETS;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = 0; k < p->terms[i].count; k++) {
            zx_factor f = p->terms[i].factors[k];
            double saved = f.atom == best.atom ? 0.0 : measure_saving(r, p, f);
            if (saved <= BRACKETS || saved < most) continue;
            if (saved == most && !stands_before(r, f.atom, best.atom)) continue;
            best = f;
            most = saved;
        }
    return best;
}

/* Adds p to the list, the most common factors before brackets. */
static void append_grouped(zx_reader *r, zx_sum *list, const zx_polynomial *p)
{
    for (zx_square square; r->budget > 0 && zx_find_square(r, p, &square); p = square.rest) {
        zx_factor sum = {compose_grouped(r, square.root), 2};
        zx_learn(r);
        zx_term term = zx_replace_factors(r, &square.before, &sum, 1);
        append_term(r, list, &term, zx_leading_term(r, square.all));
    }
    while (p->count > 1 && r->budget > 0) {
        zx_learn(r);
        zx_factor f = choose_group_factor(r, p);
        if (f.exponent == 0) break;
        const zx_polynomial *with, *inner;
        split_by_factor(r, p, f, &with, &p);
        zx_term content = zx_take_content(r, with, &inner);
        zx_term term = multiply_by_sum(r, &content, inner);
        append_term(r, list, &term, zx_leading_term(r, with));
    }
    for (int32_t i = 0; i < p->count; i++) append_term(r, list, &p->terms[i], &p->terms[i]);
}

/* --------------------------------------------------------------- collected */

/* Terms whose constants are one factor: K V, K a product (its number is 1) of constants and a sum of
 * constants, V of what varies. */
typedef struct collection {
    zx_term constants;
    const zx_polynomial *varying;
    const zx_term *leading;
} collection;

/* The factors of a term that vary, or those that do not, whose number is the term's. */
static zx_term take_factors(zx_reader *r, const zx_term *term, bool varying)
{
    r->budget--;
    zx_term part = {.c = varying ? 1.0 : term->c, .size = varying ? 1.0 : term->size};
    part.factors = zx_scratch(r->pool, term->count, sizeof(zx_factor));
    for (int32_t k = 0; k < term->count; k++)
        if (r->known[term->factors[k].atom].varies == varying)
            part.factors[part.count++] = term->factors[k];
    return part;
}

/* The constants of all terms whose varying factors are these; `used` marks the terms. */
static const zx_polynomial *gather_constants(zx_reader *r, const zx_polynomial *p,
                                             const zx_term *varying, bool *used)
{
    zx_term *terms = zx_scratch(r->pool, p->count, sizeof *terms);
    int32_t count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        if (used[i]) continue;
        zx_term other = take_factors(r, &p->terms[i], true);
        if (zx_compare_factors(&other, varying) != 0) continue;
        used[i] = true;
        terms[count++] = take_factors(r, &p->terms[i], false);
    }
    return zx_collect_terms(r, terms, count);
}

/* One collection of p; constants: their sum. */
static collection make_collection(zx_reader *r, const zx_polynomial *constants,
                                  const zx_term *varying, const zx_term *leading)
{
    const zx_polynomial *inner;
    zx_term content = zx_take_content(r, constants, &inner);
    zx_term number = *varying;
    number.c = content.c;
    number.size = fabs(content.c);
    content.c = content.size = 1.0;
    if (inner->count > 1) content = multiply_by_sum(r, &content, inner);
    return (collection){content, zx_one_term(r, &number), leading};
}

/* Joins collections with the same constants. */
static int32_t merge_collections(zx_reader *r, collection *c, int32_t count)
{
    int32_t left = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t k = 0;
        while (k < left && zx_compare_factors(&c[k].constants, &c[i].constants) != 0) k++;
        if (k == left || c[i].constants.count == 0) {
            c[left++] = c[i];
            continue;
        }
        c[k].varying = zx_add_polynomials(r, c[k].varying, 1.0, c[i].varying);
        if (zx_compare_written(r, c[i].leading, c[k].leading) < 0) c[k].leading = c[i].leading;
    }
    return left;
}

/* K V as one summand, or if K is nothing each term of V as one. */
static void append_collection(zx_reader *r, zx_sum *list, const collection *c)
{
    const zx_polynomial *inner = c->varying;
    if (inner->count == 0) return;
    zx_term content = zx_take_content(r, c->varying, &inner);
    content = zx_multiply_terms(r, &content, &c->constants);
    if (inner->count > 1) content = multiply_by_sum(r, &content, inner);
    append_term(r, list, &content, c->leading);
}

static zx_node compose_collected(zx_reader *r, const zx_polynomial *p, bool merge)
{
    if (r->budget < 0) return compose_grouped(r, p);
    bool *used = zx_scratch(r->pool, p->count, sizeof *used);
    collection *c = zx_scratch(r->pool, p->count, sizeof *c);
    int32_t count = 0;
    zx_sum list = {0};
    for (int32_t i = 0; i < p->count; i++) {
        if (used[i]) continue;
        zx_learn(r);
        zx_term varying = take_factors(r, &p->terms[i], true);
        const zx_polynomial *constants = gather_constants(r, p, &varying, used);
        if (constants->count == 0) continue;
        if (varying.count == 0)
            append_grouped(r, &list, constants);
        else
            c[count++] = make_collection(r, constants, &varying, &p->terms[i]);
    }
    zx_learn(r);
    if (merge) count = merge_collections(r, c, count);
    for (int32_t i = 0; i < count; i++) append_collection(r, &list, &c[i]);
    return zx_compose_sum(r, &list);
}

/* ---------------------------------------------------------------------- all */

/* The shortest of some ways; the first of equal ones. */
static zx_node choose_shortest(zx_reader *r, const zx_node *nodes, int32_t count)
{
    zx_node best = nodes[0];
    for (int32_t k = 1; k < count; k++)
        if (zx_cost(r, nodes[k]) < zx_cost(r, best)) best = nodes[k];
    return best;
}

static zx_node compose_several(zx_reader *r, const zx_polynomial *p)
{
    enum { FEW = 32 };
    zx_node ways[4];
    int32_t count = 0;
    ways[count++] = compose_collected(r, p, false);
    if (p->count <= FEW) {
        ways[count++] = compose_collected(r, p, true);
        ways[count++] = compose_grouped(r, p);
    }
    return choose_shortest(r, ways, count);
}

zx_node zx_compose_apart(zx_reader *r, const zx_polynomial *p)
{
    bool varies = false;
    zx_learn(r);
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = 0; k < p->terms[i].count; k++) {
            factor_class class = classify_factor(r, p->terms[i].factors[k].atom);
            if (class == ACCELERATION || class == MEASURE) return zx_compose(r, p);
            varies = varies || r->known[p->terms[i].factors[k].atom].varies;
        }
    return varies && p->count > 1 ? compose_collected(r, p, false) : zx_compose(r, p);
}

zx_node zx_compose(zx_reader *r, const zx_polynomial *p)
{
    if (p->count == 0) return zx_number(r->pool, 0.0);
    if (p->count == 1) return zx_compose_term(r, &p->terms[0]);
    const zx_polynomial *inner;
    zx_term content = zx_take_content(r, p, &inner);
    zx_node ways[2] = {compose_several(r, p), ZX_NONE};
    if (content.count == 0 && fabs(content.c) == 1.0) return ways[0];
    zx_term product = multiply_by_sum(r, &content, inner);
    ways[1] = zx_compose_term(r, &product);
    return choose_shortest(r, ways, 2);
}

/* --------------------------------------------------------------- functions */

/* 1: f(-x) = f(x), -1: f(-x) = -f(x), 0: neither. */
static int find_parity(zx_op op)
{
    switch (op) {
    case ZX_COS:
    case ZX_COSH:
    case ZX_ABS:
        return 1;
    case ZX_SIN:
    case ZX_TAN:
    case ZX_ASIN:
    case ZX_ATAN:
    case ZX_SINH:
    case ZX_TANH:
    case ZX_SIGN:
        return -1;
    default:
        return 0;
    }
}

zx_term zx_function_term(zx_reader *r, zx_op op, const zx_polynomial *argument)
{
    int parity = find_parity(op);
    double c = 1.0, number;
    zx_learn(r);
    if (parity != 0 && argument->count > 0 && zx_leading_term(r, argument)->c < 0.0) {
        argument = zx_add_polynomials(r, zx_constant_polynomial(r, 0.0), -1.0, argument);
        c = parity;
    }
    zx_node inner = zx_compose(r, argument);
    zx_node node = zx_unary(r->pool, op, inner);
    zx_know(r, inner)->polynomial = argument;
    if (zx_is_constant(r->pool, node, &number))
        return (zx_term){.c = c * number, .size = fabs(number)};
    zx_term term = *zx_atom_polynomial(r, node, 1)->terms;
    term.c = c;
    zx_know(r, node)->polynomial = zx_atom_polynomial(r, node, 1);
    return term;
}
