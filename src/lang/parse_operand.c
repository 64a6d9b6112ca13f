/*
 * Parsing operands: numbers, names, calls, sums, vectors, expressions in brackets, and what may
 * follow them: indices, members and their calls, primes.
 */
#include <string.h>

#include "parser.h"

/* -------------------------------------------------------------------- names */

static bool is_word_token(uint8_t kind)
{
    return kind >= ZL_T_NAME && kind <= ZL_T_PI;
}

static bool is_word_operator(uint8_t kind)
{
    return kind == ZL_T_AND || kind == ZL_T_OR || kind == ZL_T_NOT;
}

/* A reserved word stands where a name is declared: said once, then it is a name. */
static void complain_reserved(zl_parser *p, zl_token token)
{
    zl_name name = token.name;
    if (name < 0 || name >= ZL_WORD_COUNT || p->declared[name]) return;
    p->declared[name] = true;
    bool function = zl_function_of(name) != ZL_FN_NONE && name != ZL_WORD_IF;
    zl_complain(p, ZL_CODE_RESERVED, zl_token_place(p, token), "choose another name",
                "'%s' is %s and cannot be a name", zl_name_text(p->unit, name),
                function ? "a function of the language" : "a reserved word");
}

/* Reserved words are reported once and then taken for names, so that their uses are no errors. */
zl_name zl_parse_new_name(zl_parser *p, const char *what, zl_place *place)
{
    zl_token token = p->token;
    *place = zl_token_place(p, token);
    bool reserved = is_word_token(token.kind) || is_word_operator(token.kind);
    if (!reserved || zl_at_statement(p)) {
        zl_fail_expected(p, ZL_CODE_EXPECTED, what, NULL);
        return -1;
    }
    if (token.kind != ZL_T_NAME) complain_reserved(p, token);
    zl_advance(p);
    return token.name;
}

/* A name as an expression. */
static zl_expr *new_name(zl_parser *p, zl_token token)
{
    zl_expr *e = zl_new_expr(p, ZL_NAME, zl_token_place(p, token));
    e->name = token.name;
    return e;
}

/* -------------------------------------------------------------------- lists */

/* Values with commas between them, onto the scratch stack. */
static void push_values(zl_parser *p)
{
    do {
        const zl_expr *item = zl_parse_value(p);
        zl_list_push(p, &item, sizeof item);
    } while (zl_accept(p, ZL_T_COMMA));
}

/* The commas between the values are taken, too; an empty list is an error. */
const zl_expr *const *zl_parse_list(zl_parser *p, int32_t *count)
{
    int32_t begin = zl_list_begin(p);
    zl_bracket bracket = zl_open(p);
    push_values(p);
    zl_close(p, bracket);
    return ZL_LIST_TAKE(p, begin, const zl_expr *, count);
}

/* The tree of e is higher than those of its items. */
static void stack_items(zl_parser *p, zl_expr *e)
{
    for (int32_t i = 0; i < e->count; i++) zl_stack(p, e, e->items[i]);
}

/* [a, b, c] */
static const zl_expr *parse_vector(zl_parser *p)
{
    zl_token open = p->token;
    if (!zl_enter(p, open)) return zl_broken(p);
    zl_expr *e = zl_new_expr(p, ZL_VECTOR, zl_token_place(p, open));
    e->items = zl_parse_list(p, &e->count);
    e->place = zl_place_from(p, open.at);
    zl_leave(p);
    stack_items(p, e);
    return e;
}

/* (E), of which the tree keeps that it stood in brackets. */
static const zl_expr *parse_bracketed(zl_parser *p)
{
    zl_token open = p->token;
    if (!zl_enter(p, open)) return zl_broken(p);
    zl_bracket bracket = zl_open(p);
    zl_expr *copy = ZB_NEW(p->unit->arena, zl_expr);
    *copy = *zl_parse_expression(p);
    zl_close(p, bracket);
    copy->place = zl_place_from(p, open.at);
    copy->bracketed = true;
    zl_leave(p);
    return copy;
}

/* -------------------------------------------------------------------- calls */

/* `NAME =` of an argument by name; -1 when the argument has none. The name has been read as a
 * value: a name alone. part: the arguments are those of a part, which may have names. */
static zl_name parse_argument_name(zl_parser *p, const zl_expr *value, bool part)
{
    if (p->token.kind != ZL_T_ASSIGN) return -1;
    bool name = value->kind == ZL_NAME && !value->bracketed;
    if (part && name) return zl_advance(p), value->name;
    if (part)
        zl_fail_expected(p, ZL_CODE_EXPECTED, "the name of an argument before '='", NULL);
    else
        zl_fail(p, ZL_CODE_BY_NAME, zl_token_place(p, p->token),
                "give the arguments of a function by position; write '==' to compare",
                "'=' cannot stand in the arguments of a function");
    return -1;
}

/* An argument of a part on the scratch stack. */
typedef struct argument {
    const zl_expr *value;
    zl_name name;
} argument;

/* A value, or a name before '='. No argument is named by a reserved word: that is said where the
 * component is known. */
static const zl_expr *parse_part_value(zl_parser *p)
{
    zl_token token = p->token;
    if (token.kind == ZL_T_NAME || !is_word_token(token.kind) || zl_byte_behind(p) != '=')
        return zl_parse_value(p);
    zl_advance(p);
    return new_name(p, token);
}

/* One argument. Those of a part may have names, and behind one with a name all must. */
static argument parse_argument(zl_parser *p, bool part, bool *by_name)
{
    argument a = {.value = part ? parse_part_value(p) : zl_parse_value(p)};
    a.name = parse_argument_name(p, a.value, part);
    if (a.name >= 0) {
        *by_name = true;
        a.value = zl_parse_value(p);
    } else if (*by_name) {
        zl_complain(p, ZL_CODE_BY_POSITION, a.value->place, "write NAME = before it",
                    "an argument by position cannot follow one by name");
    }
    return a;
}

/* The pairs on the scratch stack as the two lists of a call. */
static void put_arguments(zl_parser *p, zl_expr *e, int32_t begin, bool by_name)
{
    int32_t count;
    const argument *list = ZL_LIST_TAKE(p, begin, argument, &count);
    const zl_expr **items = ZB_NEW_ARRAY(p->unit->arena, const zl_expr *, count);
    zl_name *names = by_name ? ZB_NEW_ARRAY(p->unit->arena, zl_name, count) : NULL;
    for (int32_t i = 0; i < count; i++) {
        items[i] = list[i].value;
        if (names) names[i] = list[i].name;
    }
    e->items = items;
    e->item_names = names;
    e->count = count;
}

/* (VALUE, NAME = VALUE, ...), which may be empty. */
static void parse_part_arguments(zl_parser *p, zl_expr *e)
{
    bool by_name = false;
    int32_t begin = zl_list_begin(p);
    zl_bracket bracket = zl_open(p);
    if (p->token.kind != ZL_T_CLOSE) {
        do {
            argument a = parse_argument(p, true, &by_name);
            zl_list_push(p, &a, sizeof a);
        } while (zl_accept(p, ZL_T_COMMA));
    }
    zl_close(p, bracket);
    put_arguments(p, e, begin, by_name);
}

/* The arguments of a function; of `if` the first is a condition. */
static void parse_function_arguments(zl_parser *p, zl_expr *e)
{
    int32_t begin = zl_list_begin(p);
    zl_bracket bracket = zl_open(p);
    bool condition = e->function == ZL_FN_IF;
    if (p->token.kind != ZL_T_CLOSE) {
        do {
            const zl_expr *item = condition ? zl_parse_condition(p) : zl_parse_value(p);
            parse_argument_name(p, item, false);
            zl_list_push(p, &item, sizeof item);
            condition = false;
        } while (zl_accept(p, ZL_T_COMMA));
    }
    zl_close(p, bracket);
    e->items = ZL_LIST_TAKE(p, begin, const zl_expr *, &e->count);
}

/* Reports a wrong number of arguments of a function of the language. */
static void check_arity(zl_parser *p, const zl_expr *e)
{
    int32_t least, most;
    if (e->function == ZL_FN_NONE) return;
    zl_function_arity((zl_function)e->function, &least, &most);
    if (e->count >= least && e->count <= most) return;
    const char *name = zl_name_text(p->unit, e->name);
    if (least == most)
        zl_complain(p, ZL_CODE_ARGUMENTS, e->mark, NULL, "'%s' takes %d argument%s, not %d", name,
                    (int)least, least == 1 ? "" : "s", (int)e->count);
    else
        zl_complain(p, ZL_CODE_ARGUMENTS, e->mark, NULL, "'%s' takes %d to %d arguments, not %d",
                    name, (int)least, (int)most, (int)e->count);
}

/* What a call of this name may ask of a contact. */
static zl_asked find_asked(zl_name name)
{
    switch (name) {
    case ZL_WORD_GAP:
        return ZL_ASK_GAP;
    case ZL_WORD_SLIP:
        return ZL_ASK_SLIP;
    case ZL_WORD_FRICTION:
        return ZL_ASK_FRICTION;
    case ZL_WORD_CONTACT:
        return ZL_ASK_CONTACT;
    case ZL_WORD_IMPULSE:
        return ZL_ASK_IMPULSE;
    default:
        return ZL_ASK_NOTHING;
    }
}

/* NAME(...), the bracket being the next token; with `part`, PART.NAME(...). */
static const zl_expr *parse_call(zl_parser *p, zl_token name, const zl_expr *part)
{
    if (!zl_enter(p, name)) return zl_broken(p);
    zl_expr *e = zl_new_expr(p, ZL_CALL, zl_token_place(p, name));
    e->name = name.name;
    e->left = part;
    e->function = (uint8_t)(part ? ZL_FN_NONE : zl_function_of(name.name));
    e->asked = (uint8_t)(part ? ZL_ASK_NOTHING : find_asked(name.name));
    parse_function_arguments(p, e);
    e->place = zl_place_from(p, part ? part->place.at : name.at);
    zl_leave(p);
    check_arity(p, e);
    if (part) zl_stack(p, e, part);
    stack_items(p, e);
    return e;
}

/* As ZL_CALL of the component; without brackets it has no arguments. */
const zl_expr *zl_parse_instance(zl_parser *p)
{
    zl_place mark;
    int32_t from = p->token.at;
    zl_name name = zl_parse_new_name(p, "the name of a component", &mark);
    zl_expr *e = zl_new_expr(p, ZL_CALL, mark);
    e->name = name;
    if (p->token.kind == ZL_T_OPEN) parse_part_arguments(p, e);
    e->place = zl_place_from(p, from);
    stack_items(p, e);
    return e;
}

/* --------------------------------------------------------------------- sums */

void zl_parse_range(zl_parser *p, const zl_expr **first, const zl_expr **last)
{
    *first = zl_parse_value(p);
    zl_expect(p, ZL_T_RANGE, "'..' of a range", "a range is written 1..N");
    *last = p->failed ? zl_broken(p) : zl_parse_value(p);
}

/* Fails with what is expected and how a sum is written. */
static void fail_sum(zl_parser *p, const char *what)
{
    zl_fail_expected(p, ZL_CODE_SUM, what, "a sum is written sum(i in 1..N, x[i])");
}

/* sum(i in 1..N, E), behind the opening bracket. */
static void parse_sum_inside(zl_parser *p, zl_expr *e)
{
    zl_place place;
    e->name = zl_parse_new_name(p, "the variable of the sum", &place);
    if (!zl_at_word(p, ZL_WORD_IN)) fail_sum(p, "'in' after the variable of a sum");
    zl_advance(p);
    e->left = zl_parse_value(p);
    if (!zl_accept(p, ZL_T_RANGE)) fail_sum(p, "'..' in the range of a sum");
    e->right = zl_parse_value(p);
    if (!zl_accept(p, ZL_T_COMMA)) fail_sum(p, "',' after the range of a sum");
    const zl_expr *item = zl_parse_value(p);
    e->items = zb_arena_copy(p->unit->arena, &item, sizeof item, _Alignof(const zl_expr *));
    e->count = 1;
}

/* sum(i in 1..N, E) */
static const zl_expr *parse_sum(zl_parser *p)
{
    zl_token name = p->token;
    if (!zl_enter(p, name)) return zl_broken(p);
    zl_advance(p);
    zl_expr *e = zl_new_expr(p, ZL_SUM, zl_token_place(p, name));
    if (p->token.kind == ZL_T_OPEN) {
        zl_bracket bracket = zl_open(p);
        parse_sum_inside(p, e);
        zl_close(p, bracket);
    } else {
        fail_sum(p, "'(' after 'sum'");
        return zl_leave(p), zl_broken(p);
    }
    e->place = zl_place_from(p, name.at);
    zl_leave(p);
    zl_stack(p, e, e->left);
    zl_stack(p, e, e->right);
    stack_items(p, e);
    return e;
}

/* ----------------------------------------------------------------- operands */

/* Whether `deg` follows a number, as a unit. */
static bool is_unit_next(const zl_parser *p)
{
    if (p->token.kind != ZL_T_NAME || zl_byte_behind(p) == '(') return false;
    return strcmp(zl_name_text(p->unit, p->token.name), "deg") == 0;
}

/* A number; 90 deg is one operand, the number times what `deg` is. */
static const zl_expr *parse_number(zl_parser *p)
{
    zl_expr *e = zl_new_expr(p, ZL_NUMBER, zl_token_place(p, p->token));
    e->number = p->token.number;
    zl_advance(p);
    if (!is_unit_next(p)) return e;
    zl_expr *unit = new_name(p, p->token), *product = zl_new_expr(p, ZL_MUL, e->place);
    product->left = e;
    product->right = unit;
    product->bracketed = true;
    zl_advance(p);
    product->place = zl_place_from(p, e->place.at);
    zl_stack(p, product, e);
    zl_stack(p, product, unit);
    return product;
}

/* t or pi. */
static const zl_expr *parse_constant(zl_parser *p, zl_expr_kind kind)
{
    zl_expr *e = zl_new_expr(p, kind, zl_token_place(p, p->token));
    zl_advance(p);
    return e;
}

/* A name, or with a bracket behind it a call. */
static const zl_expr *parse_name(zl_parser *p)
{
    zl_token token = p->token;
    zl_advance(p);
    return p->token.kind == ZL_T_OPEN ? parse_call(p, token, NULL) : new_name(p, token);
}

/* A function, or the keyword `if` that is one: a bracket must follow. */
static const zl_expr *parse_function(zl_parser *p)
{
    zl_token token = p->token;
    if (p->declared[token.name]) return parse_name(p);
    zl_advance(p);
    if (p->token.kind == ZL_T_OPEN) return parse_call(p, token, NULL);
    const char *text = zl_name_text(p->unit, token.name);
    zl_fail(p, ZL_CODE_NO_CALL, zl_token_place(p, token), "write its arguments in brackets",
            "'%s' is a function and needs '(' behind it", text);
    return zl_broken(p);
}

/* kinetic, potential, force(x), control(x) in an output: the columns of these names. */
static bool is_column_next(const zl_parser *p)
{
    zl_name word = p->token.name;
    if (!p->output || zl_at_statement(p)) return false;
    bool call = zl_byte_behind(p) == '(';
    if (word == ZL_WORD_KINETIC || word == ZL_WORD_POTENTIAL) return !call;
    return (word == ZL_WORD_FORCE || word == ZL_WORD_CONTROL) && call;
}

/* A keyword in an expression: `if` as a function, the column of that name, or one that was declared
 * as a name; else an error. */
static const zl_expr *parse_keyword(zl_parser *p)
{
    if (is_column_next(p)) return parse_name(p);
    if (p->token.name == ZL_WORD_IF && !zl_at_statement(p)) return parse_function(p);
    if (p->declared[p->token.name]) return parse_name(p);
    if (p->token.begins_line) {
        zl_fail_expected(p, ZL_CODE_OPERAND, "an expression", NULL);
        return zl_broken(p);
    }
    zl_name word = p->token.name;
    bool column = word == ZL_WORD_KINETIC || word == ZL_WORD_POTENTIAL || word == ZL_WORD_FORCE ||
                  word == ZL_WORD_CONTROL;
    zl_fail(p, ZL_CODE_RESERVED, zl_token_place(p, p->token),
            column ? "kinetic, potential, force(x) and control(x) may stand in an output"
                   : "choose another name",
            "'%s' is a reserved word and cannot stand in an expression",
            zl_name_text(p->unit, p->token.name));
    return zl_broken(p);
}

/* What stands here begins no expression. */
static const zl_expr *fail_operand(zl_parser *p)
{
    const char *help = NULL;
    if (p->token.kind == ZL_T_RANGE) help = "ranges stand after 'in' and in 'simulate t = 0..10'";
    if (p->token.kind == ZL_T_PRIME)
        help = "a prime stands behind a name or a bracket; strings stand in double quotes";
    if (p->token.kind == ZL_T_STRING) help = "strings stand in 'model' and in options";
    if (p->token.kind == ZL_T_OPEN_BLOCK) help = "vectors are written [a, b, c]";
    zl_fail_expected(p, ZL_CODE_OPERAND, "an expression", help);
    return zl_broken(p);
}

/* An operand without what may follow it. */
static const zl_expr *parse_operand(zl_parser *p)
{
    switch (p->token.kind) {
    case ZL_T_NUMBER:
        return parse_number(p);
    case ZL_T_NAME:
        return zl_at_statement(p) ? fail_operand(p) : parse_name(p);
    case ZL_T_TIME:
        return parse_constant(p, ZL_TIME);
    case ZL_T_PI:
        return parse_constant(p, ZL_PI);
    case ZL_T_OPEN:
        return parse_bracketed(p);
    case ZL_T_OPEN_INDEX:
        return parse_vector(p);
    case ZL_T_FUNCTION:
        return parse_function(p);
    case ZL_T_SUM:
        return p->declared[ZL_WORD_SUM] ? parse_name(p) : parse_sum(p);
    case ZL_T_KEYWORD:
        return parse_keyword(p);
    default:
        return fail_operand(p);
    }
}

/* ------------------------------------------------------------------ postfix */

/* LEFT[i] or LEFT[i, j], at the opening bracket */
static const zl_expr *parse_index(zl_parser *p, const zl_expr *left)
{
    zl_token open = p->token;
    zl_expr *e = zl_new_expr(p, ZL_INDEX, zl_token_place(p, open));
    if (!zl_enter(p, open)) return zl_broken(p);
    e->left = left;
    e->items = zl_parse_list(p, &e->count);
    e->mark = zl_place_from(p, open.at);
    e->place = zl_place_from(p, left->place.at);
    zl_leave(p);
    if (e->count > 2)
        zl_complain(p, ZL_CODE_INDICES, e->mark, NULL, "%d indices, but there are at most two",
                    (int)e->count);
    zl_stack(p, e, left);
    stack_items(p, e);
    return e;
}

/* LEFT.NAME or LEFT.NAME(...), at the point */
static const zl_expr *parse_member(zl_parser *p, const zl_expr *left)
{
    zl_advance(p);
    zl_expr *e = zl_new_expr(p, ZL_MEMBER, zl_token_place(p, p->token));
    if (p->token.kind == ZL_T_FUNCTION && zl_function_of(p->token.name) == ZL_FN_DOT)
        zl_fail(p, ZL_CODE_RESERVED, e->mark, "a velocity is written x'",
                "'dot' is a function of the language and cannot be a name");
    if (p->token.kind >= ZL_T_TIMES && p->token.kind <= ZL_T_POWER)
        zl_fail_expected(p, ZL_CODE_EXPECTED, "a name after '.'", "leave the point out");
    zl_token name = p->token;
    e->name = zl_parse_new_name(p, "a name after '.'", &e->mark);
    if (p->token.kind == ZL_T_OPEN) return parse_call(p, name, left);
    e->left = left;
    e->place = zl_place_from(p, left->place.at);
    zl_stack(p, e, left);
    return e;
}

/* LEFT' */
static const zl_expr *parse_prime(zl_parser *p, const zl_expr *left)
{
    zl_expr *e = zl_new_expr(p, ZL_PRIME, zl_token_place(p, p->token));
    zl_want_value(p, left);
    zl_advance(p);
    e->left = left;
    e->place = zl_place_from(p, left->place.at);
    zl_stack(p, e, left);
    return e;
}

/* Primes on a number: said once, and left out. */
static void skip_primes(zl_parser *p, bool exponent)
{
    if (p->token.kind != ZL_T_PRIME) return;
    zl_complain(p, ZL_CODE_PRIME, zl_token_place(p, p->token),
                exponent ? "for the derivative of the power write (x^2)'" : NULL,
                "a prime cannot stand on a number");
    while (zl_accept(p, ZL_T_PRIME)) {
    }
}

/* A number takes no indices, members or primes. */
const zl_expr *zl_parse_postfix(zl_parser *p)
{
    bool exponent = p->before.kind == ZL_T_POWER;
    const zl_expr *e = parse_operand(p);
    if (e->kind == ZL_NUMBER && !e->bracketed) {
        skip_primes(p, exponent);
        return e;
    }
    for (;;) {
        switch (p->token.kind) {
        case ZL_T_OPEN_INDEX:
            e = parse_index(p, e);
            break;
        case ZL_T_DOT:
            e = parse_member(p, e);
            break;
        case ZL_T_PRIME:
            e = parse_prime(p, e);
            break;
        default:
            return e;
        }
    }
}

/* --------------------------------------------------- names in statements */

/* A name, then indices and members in any order. */
const zl_expr *zl_parse_reference(zl_parser *p, const char *what)
{
    if (p->token.kind != ZL_T_NAME) {
        zl_place place;
        zl_parse_new_name(p, what, &place);
        return zl_broken(p);
    }
    const zl_expr *e = new_name(p, p->token);
    zl_advance(p);
    for (;;) {
        if (p->token.kind == ZL_T_OPEN_INDEX)
            e = parse_index(p, e);
        else if (p->token.kind == ZL_T_DOT)
            e = parse_member(p, e);
        else
            return e;
    }
}

const zl_expr *zl_parse_target(zl_parser *p, const char *what, zl_name *name)
{
    zl_token token = p->token;
    zl_place place;
    *name = zl_parse_new_name(p, what, &place);
    const zl_expr *e = new_name(p, token);
    return p->token.kind == ZL_T_OPEN_INDEX ? parse_index(p, e) : e;
}
