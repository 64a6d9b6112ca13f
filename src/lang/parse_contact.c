/*
 * Parsing constraints and what belongs to them: equations L = R, inequalities L >= R, L <= R and
 * chains A <= E <= B of them; the motors of controls; the laws of contact, `restitution` and `friction`, which begin with a
 * word that is a name everywhere else.
 */
#include "parser.h"

/* -------------------------------------------------------------- constraints */

static const char *keyword_of(const zl_statement *s)
{
    return zl_word_text((zl_word)s->kind);
}

static void fail_no_name(zl_parser *p, const zl_statement *s)
{
    zl_fail(p, ZL_CODE_NO_NAME, s->mark, "write NAME: before the equation", "a %s needs a name",
            keyword_of(s));
}

static bool is_relation(uint8_t token)
{
    return (token >= ZL_T_LT && token <= ZL_T_GE) || token == ZL_T_NE;
}

/* The sign between two sides of an inequality, which has been taken: ZL_GE or ZL_LE. Strict ones are
 * reported and taken for those. */
static zl_expr_kind read_relation(zl_parser *p)
{
    zl_token sign = p->token;
    bool less = sign.kind == ZL_T_LT || sign.kind == ZL_T_LE;
    if (sign.kind != ZL_T_LE && sign.kind != ZL_T_GE) {
        const char *help = sign.kind == ZL_T_NE ? "say which side is allowed, by '>=' or '<='"
                           : less               ? "write '<=': at the very place it means the same"
                                                : "write '>=': at the very place it means the same";
        zl_found found = zl_found_token(p);
        zl_complain(p, ZL_CODE_RELATION, zl_token_place(p, sign), help,
                    "a constraint is '=', '>=' or '<=', not %s", found.text);
    }
    zl_advance(p);
    return less ? ZL_LE : ZL_GE;
}

/* What follows LEFT <= RIGHT: nothing, or the third side of a chain. */
static void parse_third_side(zl_parser *p, zl_statement *s)
{
    bool first = true;
    while (is_relation(p->token.kind) && !p->failed) {
        zl_place place = zl_token_place(p, p->token);
        if (!first)
            zl_fail(p, ZL_CODE_RELATION, place, "write it as two constraints",
                    "there are at most two signs in a chain");
        zl_expr_kind relation = read_relation(p);
        if (relation != (zl_expr_kind)s->relation)
            zl_complain(p, ZL_CODE_RELATION, place, "write a <= E <= b, or b >= E >= a",
                        "the two signs of a chain must point the same way");
        s->third = zl_parse_side(p);
        first = false;
    }
}

/* DIRECTION along D within A..B weight W: one motor, what follows the direction in any order. */
static zl_motor parse_motor(zl_parser *p)
{
    zl_motor motor = {.direction = zl_parse_value(p)};
    for (;;) {
        zl_place place = zl_token_place(p, p->token);
        const char *twice = NULL;
        if (zl_at_word(p, ZL_WORD_ALONG)) {
            twice = motor.along ? "along" : NULL;
            zl_advance(p);
            motor.along = zl_parse_value(p);
        } else if (zl_at_word(p, ZL_WORD_WITHIN)) {
            twice = motor.low ? "within" : NULL;
            zl_advance(p);
            zl_parse_range(p, &motor.low, &motor.high);
        } else if (p->token.kind == ZL_T_KEYWORD && p->token.name == ZL_WORD_WEIGHT &&
                   !p->token.begins_line) {
            twice = motor.weight ? "weight" : NULL;
            zl_advance(p);
            motor.weight = zl_parse_value(p);
        } else {
            return motor;
        }
        if (twice) zl_complain(p, ZL_CODE_TWICE, place, NULL, "'%s' is given twice", twice);
    }
}

/* by MOTOR, MOTOR, ... */
static void parse_motors(zl_parser *p, zl_statement *s)
{
    int32_t begin = zl_list_begin(p);
    do {
        zl_motor motor = parse_motor(p);
        zl_list_push(p, &motor, sizeof motor);
    } while (zl_accept(p, ZL_T_COMMA));
    s->motors = ZL_LIST_TAKE(p, begin, zl_motor, &s->motor_count);
}

/* = RIGHT of a control, which is always an equation; then its motors, if it says any. */
static void parse_control_side(zl_parser *p, zl_statement *s)
{
    if (is_relation(p->token.kind))
        zl_fail_expected(p, ZL_CODE_EXPECTED, "'=' between the two sides",
                         "a control is an equation; an inequality is a constraint");
    zl_expect_assign(p, "'=' between the two sides");
    s->right = zl_parse_value(p);
    if (!zl_at_word(p, ZL_WORD_BY)) return;
    zl_advance(p);
    parse_motors(p, s);
}

/* = RIGHT of a constraint. */
static void parse_equal_side(zl_parser *p, zl_statement *s)
{
    zl_expect_assign(p, "'=', '>=' or '<=' between the two sides");
    s->right = zl_parse_side(p);
    if (is_relation(p->token.kind))
        zl_fail(p, ZL_CODE_RELATION, zl_token_place(p, p->token), "write it as two constraints",
                "an equation cannot be part of a chain");
}

/* constraint NAME: LEFT = RIGHT, LEFT >= RIGHT, A <= E <= B; control only the first */
void zl_parse_constraint(zl_parser *p, zl_statement *s)
{
    bool keyword = zl_at_statement(p);
    bool word = p->token.kind >= ZL_T_NAME && p->token.kind <= ZL_T_PI && !keyword;
    if (!word && !zl_at_end(p) && !keyword && p->token.kind != ZL_T_BAD) {
        fail_no_name(p, s);
        return;
    }
    zl_set_target(p, s, zl_parse_target(p, "the name of the constraint", &s->name));
    if (!zl_accept(p, ZL_T_COLON)) fail_no_name(p, s);
    s->left = zl_parse_side(p);
    s->relation = ZL_EQ;
    if (s->kind == ZL_CONTROL) {
        parse_control_side(p, s);
    } else if (!is_relation(p->token.kind)) {
        parse_equal_side(p, s);
    } else {
        s->relation = (uint8_t)read_relation(p);
        s->right = zl_parse_side(p);
        parse_third_side(p, s);
    }
}

/* ------------------------------------------------------------ laws of contact */

/* friction NAME, NAME: E along V, static = E, pressure = E
 * restitution NAME, NAME: E, tangential = E */
void zl_parse_contact_law(zl_parser *p, zl_statement *s)
{
    int32_t begin = zl_list_begin(p);
    do {
        const zl_expr *target = zl_parse_reference(p, "the name of a constraint");
        zl_list_push(p, &target, sizeof target);
    } while (zl_accept(p, ZL_T_COMMA));
    s->targets = ZL_LIST_TAKE(p, begin, const zl_expr *, &s->target_count);
    zl_expect_colon(p, s, "':' after the constraint");
    s->right = zl_parse_value(p);
    if (s->kind == ZL_FRICTION) {
        if (!zl_at_word(p, ZL_WORD_ALONG))
            zl_fail_expected(p, ZL_CODE_EXPECTED, "'along' after the coefficient",
                             "write friction ground: 0.3 along x'");
        zl_advance(p);
        s->left = zl_parse_value(p);
    }
    if (zl_accept(p, ZL_T_COMMA)) zl_parse_settings(p, s);
}
