/*
 * Parsing operators. From the loosest: or; and; not; comparisons, which do not chain; + and -;
 * * and /; unary minus; ^, to the right, whose right side may have a sign. Operands are in
 * parse_operand.c.
 *
 * Chains are read in a loop and lean to the left, a + b + c = (a + b) + c: what stands in the
 * text decides how a model rounds. The height of a tree is limited (zl_stack), so that whoever
 * walks it may do so recursively.
 *
 * Values and conditions are kept apart here: whether an expression is a condition shows in its
 * kind, as no name or function stands for one.
 */
#include "parser.h"

zl_expr *zl_new_expr(zl_parser *p, zl_expr_kind kind, zl_place mark)
{
    zl_expr *e = ZB_NEW(p->unit->arena, zl_expr);
    e->kind = (uint8_t)kind;
    e->name = -1;
    e->place = e->mark = mark;
    return e;
}

const zl_expr *zl_broken(zl_parser *p)
{
    return zl_new_expr(p, ZL_BROKEN, zl_token_place(p, p->failed ? p->stuck : p->token));
}

/* Chains of operands are trees of as many levels, so this limits their length as well. */
void zl_stack(zl_parser *p, zl_expr *e, const zl_expr *child)
{
    if (e->height <= child->height) e->height = child->height + 1;
    if (e->height > ZL_MAX_CHAIN)
        zl_fail(p, ZL_CODE_LONG, e->mark,
                "write it as several statements, as a sum over an array, or name parts with 'let'",
                "this expression has more than %d operands or levels", ZL_MAX_CHAIN);
}

/* --------------------------------------------------- values and conditions */

static bool is_condition(const zl_expr *e)
{
    return e->kind == ZL_NOT || (e->kind >= ZL_LT && e->kind <= ZL_OR);
}

/* Whether it is a condition shows in its kind. */
void zl_want_value(zl_parser *p, const zl_expr *e)
{
    if (is_condition(e))
        zl_complain(p, ZL_CODE_NOT_VALUE, e->mark,
                    "conditions stand in 'when', in 'if' and in if(condition, a, b)",
                    "a condition cannot stand where a value belongs");
}

/* What could not be read is not reported again. */
void zl_want_condition(zl_parser *p, const zl_expr *e)
{
    if (!is_condition(e) && e->kind != ZL_BROKEN)
        zl_complain(p, ZL_CODE_NOT_CONDITION, e->place, "compare it with something: x > 0",
                    "a value cannot stand where a condition belongs");
}

/* ------------------------------------------------------------------- binary */

/* Levels of operators that chain, the loosest first. */
typedef enum level { OR, AND, SUM, PRODUCT } level;

/* The operation a token stands for, ZL_BROKEN when it stands for none. */
static zl_expr_kind find_operation(uint8_t token)
{
    switch (token) {
    case ZL_T_OR:
        return ZL_OR;
    case ZL_T_AND:
        return ZL_AND;
    case ZL_T_PLUS:
        return ZL_ADD;
    case ZL_T_MINUS:
        return ZL_SUB;
    case ZL_T_TIMES:
        return ZL_MUL;
    case ZL_T_OVER:
        return ZL_DIV;
    case ZL_T_POWER:
        return ZL_POW;
    case ZL_T_LT:
        return ZL_LT;
    case ZL_T_LE:
        return ZL_LE;
    case ZL_T_GT:
        return ZL_GT;
    case ZL_T_GE:
        return ZL_GE;
    case ZL_T_EQ:
        return ZL_EQ;
    case ZL_T_NE:
        return ZL_NE;
    default:
        return ZL_BROKEN;
    }
}

/* Whether an operation belongs to a level of chains. */
static bool is_of_level(zl_expr_kind kind, level l)
{
    switch (l) {
    case OR:
        return kind == ZL_OR;
    case AND:
        return kind == ZL_AND;
    case SUM:
        return kind == ZL_ADD || kind == ZL_SUB;
    default:
        return kind == ZL_MUL || kind == ZL_DIV;
    }
}

/* An operation of two operands, which must be conditions for `and` and `or`, values for all others.
 * op: its token. */
static const zl_expr *new_binary(zl_parser *p, zl_token op, zl_expr_kind kind, const zl_expr *left,
                                 const zl_expr *right)
{
    zl_expr *e = zl_new_expr(p, kind, zl_token_place(p, op));
    if (kind == ZL_AND || kind == ZL_OR) {
        zl_want_condition(p, left);
        zl_want_condition(p, right);
    } else {
        zl_want_value(p, left);
        zl_want_value(p, right);
    }
    e->left = left;
    e->right = right;
    e->place = zl_place_from(p, left->place.at);
    zl_stack(p, e, left);
    zl_stack(p, e, right);
    return e;
}

/* A sign or `not` before its operand, which is checked likewise. */
static const zl_expr *new_unary(zl_parser *p, zl_token op, zl_expr_kind kind,
                                const zl_expr *operand)
{
    zl_expr *e = zl_new_expr(p, kind, zl_token_place(p, op));
    if (kind == ZL_NOT)
        zl_want_condition(p, operand);
    else
        zl_want_value(p, operand);
    e->left = operand;
    e->place = zl_place_from(p, op.at);
    zl_stack(p, e, operand);
    return e;
}

static const zl_expr *parse_not(zl_parser *p);
static const zl_expr *parse_unary(zl_parser *p);

static const zl_expr *parse_chain(zl_parser *p, level l);

/* What stands between the operators of a level: the next tighter level. */
static const zl_expr *parse_chain_operand(zl_parser *p, level l)
{
    switch (l) {
    case OR:
        return parse_chain(p, AND);
    case AND:
        return parse_not(p);
    case SUM:
        return parse_chain(p, PRODUCT);
    default:
        return parse_unary(p);
    }
}

/* Operands with operators of one level between them. */
static const zl_expr *parse_chain(zl_parser *p, level l)
{
    const zl_expr *left = parse_chain_operand(p, l);
    for (;;) {
        zl_token op = p->token;
        zl_expr_kind kind = find_operation(op.kind);
        if (!is_of_level(kind, l)) return left;
        zl_advance(p);
        const zl_expr *right = parse_chain_operand(p, l);
        left = new_binary(p, op, kind, left, right);
    }
}

/* -------------------------------------------------------------- comparisons */

/* The comparison that comes next. '=' in a condition is reported and taken for '=='. */
static zl_expr_kind next_comparison(zl_parser *p)
{
    zl_expr_kind kind = find_operation(p->token.kind);
    if (kind >= ZL_LT && kind <= ZL_NE) return kind;
    if (p->token.kind != ZL_T_ASSIGN || !p->condition) return ZL_BROKEN;
    zl_complain(p, ZL_CODE_ASSIGNED, zl_token_place(p, p->token), "write '==' to compare",
                "'=' does not compare");
    return ZL_EQ;
}

/* SIDE, or SIDE < SIDE. Further comparisons behind it are reported once and left out. */
static const zl_expr *parse_comparison(zl_parser *p)
{
    const zl_expr *left = parse_chain(p, SUM);
    zl_expr_kind kind = next_comparison(p);
    if (kind == ZL_BROKEN) return left;
    zl_token op = p->token;
    zl_advance(p);
    const zl_expr *whole = new_binary(p, op, kind, left, parse_chain(p, SUM));
    for (bool said = false;
         find_operation(p->token.kind) >= ZL_LT && find_operation(p->token.kind) <= ZL_NE;
         said = true) {
        if (!said)
            zl_complain(p, ZL_CODE_CHAINED, zl_token_place(p, p->token),
                        "join two comparisons with 'and': a < b and b < c",
                        "comparisons cannot follow one another");
        zl_advance(p);
        parse_chain(p, SUM);
    }
    return whole;
}

/* not not a < b */
static const zl_expr *parse_not(zl_parser *p)
{
    zl_token op = p->token;
    if (op.kind != ZL_T_NOT) return parse_comparison(p);
    if (!zl_enter(p, op)) return zl_broken(p);
    zl_advance(p);
    const zl_expr *operand = parse_not(p);
    zl_leave(p);
    return new_unary(p, op, ZL_NOT, operand);
}

/* --------------------------------------------------------- signs and powers */

static const zl_expr *parse_power(zl_parser *p);

/* Signs, as many as there are, before a power. A plus does nothing. */
static const zl_expr *parse_unary(zl_parser *p)
{
    zl_token op = p->token;
    if (op.kind != ZL_T_MINUS && op.kind != ZL_T_PLUS) return parse_power(p);
    if (!zl_enter(p, op)) return zl_broken(p);
    zl_advance(p);
    const zl_expr *operand = parse_unary(p);
    zl_leave(p);
    return op.kind == ZL_T_MINUS ? new_unary(p, op, ZL_NEG, operand) : operand;
}

/* a^b^c = a^(b^c); -a^b = -(a^b); a^-b = a^(-b). */
static const zl_expr *parse_power(zl_parser *p)
{
    const zl_expr *base = zl_parse_postfix(p);
    zl_token op = p->token;
    if (op.kind != ZL_T_POWER) return base;
    if (!zl_enter(p, op)) return zl_broken(p);
    zl_advance(p);
    const zl_expr *exponent = parse_unary(p);
    zl_leave(p);
    return new_binary(p, op, ZL_POW, base, exponent);
}

/* -------------------------------------------------------------------- whole */

const zl_expr *zl_parse_expression(zl_parser *p)
{
    return parse_chain(p, OR);
}

const zl_expr *zl_parse_side(zl_parser *p)
{
    const zl_expr *e = parse_chain(p, SUM);
    zl_want_value(p, e);
    return e;
}

/* '=' is no comparison in it, whatever stands around it. */
const zl_expr *zl_parse_value(zl_parser *p)
{
    bool outer = p->condition;
    p->condition = false;
    const zl_expr *e = zl_parse_expression(p);
    p->condition = outer;
    zl_want_value(p, e);
    return e;
}

/* '=' in it is taken for '==', with a message. */
const zl_expr *zl_parse_condition(zl_parser *p)
{
    bool outer = p->condition;
    p->condition = true;
    const zl_expr *e = zl_parse_expression(p);
    p->condition = outer;
    zl_want_condition(p, e);
    return e;
}
