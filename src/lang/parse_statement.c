/*
 * Parsing statements without blocks, one function each; the keyword has been taken. Their forms
 * are the table in LANGUAGE.md. What they leave behind, up to the end of the statement, is checked
 * by the caller.
 */
#include <string.h>

#include "parser.h"

static const char *keyword_text(const zl_statement *s)
{
    return zl_word_text((zl_word)s->kind);
}

/* ------------------------------------------------------------ declarations */

/* Where a backslash stands before a quote or a backslash it is left out. */
const char *zl_string_text(zl_parser *p, zl_token token)
{
    const char *from = p->lexer.text + token.at;
    char *text = zb_arena_string(p->unit->arena, from, (size_t)token.length);
    int32_t length = 0;
    for (int32_t i = 1; i < token.length && from[i] != '"'; i++) {
        bool escaped =
            from[i] == '\\' && i + 1 < token.length && (from[i + 1] == '"' || from[i + 1] == '\\');
        text[length++] = from[escaped ? ++i : i];
    }
    text[length] = '\0';
    return text;
}

/* model "TITLE" */
static void parse_model(zl_parser *p, zl_statement *s)
{
    zl_token token = p->token;
    if (zl_expect(p, ZL_T_STRING, "the title in double quotes", "model \"title\""))
        s->string = zl_string_text(p, token);
}

/* use NAME */
static void parse_use(zl_parser *p, zl_statement *s)
{
    if (p->token.kind == ZL_T_STRING)
        zl_fail_expected(p, ZL_CODE_EXPECTED, "the name of a module",
                         "write it without quotes and without '.zw': use mylib");
    s->name = zl_parse_new_name(p, "the name of a module", &s->mark);
}

/* `after` is for the message: "'=' after the name". */
bool zl_expect_assign(zl_parser *p, const char *after)
{
    if (p->token.kind == ZL_T_EQ) {
        zl_complain(p, ZL_CODE_COMPARED, zl_token_place(p, p->token), "write '='",
                    "'==' compares; it does not set");
        zl_advance(p);
        return true;
    }
    return zl_expect(p, ZL_T_ASSIGN, after, NULL);
}

/* `g = 9,81`: a number where a name is expected behind a number and a comma. */
static const char *help_for_decimal_comma(const zl_parser *p, const zl_expr *value)
{
    bool numbers = value->kind == ZL_NUMBER && p->token.kind == ZL_T_NUMBER;
    return numbers ? "decimals take a point: 9.81" : NULL;
}

/* NAME = VALUE, ..., where the first name has been read. */
static void parse_definitions(zl_parser *p, zl_statement *s, zl_definition first)
{
    int32_t begin = zl_list_begin(p);
    zl_definition d = first;
    for (;;) {
        if (p->token.kind == ZL_T_OPEN_INDEX)
            zl_fail_expected(p, ZL_CODE_EXPECTED, "'=' after the name",
                             "what is defined takes the shape of its value: l = [1, 2]");
        zl_expect_assign(p, "'=' after the name");
        d.value = zl_parse_value(p);
        zl_list_push(p, &d, sizeof d);
        if (!zl_accept(p, ZL_T_COMMA)) break;
        const char *help = help_for_decimal_comma(p, d.value);
        if (help) zl_fail_expected(p, ZL_CODE_EXPECTED, "a name", help);
        d.name = zl_parse_new_name(p, "a name", &d.place);
    }
    s->definitions = ZL_LIST_TAKE(p, begin, zl_definition, &s->definition_count);
}

/* param NAME = VALUE, ... */
static void parse_param(zl_parser *p, zl_statement *s)
{
    zl_definition first = {0};
    first.name = zl_parse_new_name(p, "the name of a parameter", &first.place);
    parse_definitions(p, s, first);
}

/* [SIZE] or [SIZE, SIZE] as a vector; NULL when there is no bracket. */
static const zl_expr *parse_sizes(zl_parser *p)
{
    zl_token open = p->token;
    if (open.kind != ZL_T_OPEN_INDEX) return NULL;
    zl_expr *e = zl_new_expr(p, ZL_VECTOR, zl_token_place(p, open));
    e->items = zl_parse_list(p, &e->count);
    e->place = zl_place_from(p, open.at);
    if (e->count > 2)
        zl_complain(p, ZL_CODE_INDICES, e->place, NULL, "%d sizes, but there are at most two",
                    (int)e->count);
    for (int32_t i = 0; i < e->count; i++) zl_stack(p, e, e->items[i]);
    return e;
}

/* coord NAME, NAME[SIZE], ... */
static void parse_coord(zl_parser *p, zl_statement *s)
{
    int32_t begin = zl_list_begin(p);
    do {
        zl_definition d = {0};
        d.name = zl_parse_new_name(p, "the name of a coordinate", &d.place);
        d.sizes = parse_sizes(p);
        zl_list_push(p, &d, sizeof d);
    } while (zl_accept(p, ZL_T_COMMA));
    s->definitions = ZL_LIST_TAKE(p, begin, zl_definition, &s->definition_count);
}

/* One input, onto the scratch stack. */
static zl_definition parse_one_input(zl_parser *p)
{
    zl_definition d = {0};
    d.name = zl_parse_new_name(p, "the name of an input", &d.place);
    d.sizes = parse_sizes(p);
    if (p->token.kind == ZL_T_ASSIGN || p->token.kind == ZL_T_EQ) {
        zl_expect_assign(p, "'=' after the name");
        d.value = zl_parse_value(p);
    }
    zl_list_push(p, &d, sizeof d);
    return d;
}

/* input NAME, NAME = VALUE, NAME[SIZE] = VALUE, ... */
static void parse_input(zl_parser *p, zl_statement *s)
{
    int32_t begin = zl_list_begin(p);
    for (;;) {
        zl_definition d = parse_one_input(p);
        if (!zl_accept(p, ZL_T_COMMA)) break;
        const char *help = d.value ? help_for_decimal_comma(p, d.value) : NULL;
        if (help) zl_fail_expected(p, ZL_CODE_EXPECTED, "the name of an input", help);
    }
    s->definitions = ZL_LIST_TAKE(p, begin, zl_definition, &s->definition_count);
}

/* One argument of a function or component. */
static zl_definition parse_parameter(zl_parser *p, bool defaults)
{
    zl_definition d = {0};
    d.name = zl_parse_new_name(p, "the name of an argument", &d.place);
    if (defaults && zl_accept(p, ZL_T_ASSIGN)) d.value = zl_parse_value(p);
    return d;
}

/* defaults: `NAME = VALUE` is allowed. */
const zl_definition *zl_parse_parameters(zl_parser *p, bool defaults, int32_t *count)
{
    int32_t begin = zl_list_begin(p);
    zl_bracket bracket = zl_open(p);
    if (p->token.kind != ZL_T_CLOSE) {
        do {
            zl_definition d = parse_parameter(p, defaults);
            zl_list_push(p, &d, sizeof d);
        } while (zl_accept(p, ZL_T_COMMA));
    }
    zl_close(p, bracket);
    return ZL_LIST_TAKE(p, begin, zl_definition, count);
}

/* multiplier and reaction may name values; as functions they would never be called. */
static void check_function_name(zl_parser *p, zl_definition d)
{
    zl_function function = zl_function_of(d.name);
    if (function == ZL_FN_MULTIPLIER || function == ZL_FN_REACTION)
        zl_complain(p, ZL_CODE_RESERVED, d.place, "choose another name",
                    "'%s' is a function of the language and cannot be defined again",
                    zl_name_text(p->unit, d.name));
}

/* let NAME = VALUE, ... or let NAME(ARGUMENTS) = VALUE */
static void parse_let(zl_parser *p, zl_statement *s)
{
    zl_definition first = {0};
    s->argument_count = -1;
    first.name = zl_parse_new_name(p, "the name of a definition", &first.place);
    if (p->token.kind != ZL_T_OPEN) {
        parse_definitions(p, s, first);
        return;
    }
    check_function_name(p, first);
    s->arguments = zl_parse_parameters(p, false, &s->argument_count);
    zl_expect_assign(p, "'=' after the arguments");
    first.value = zl_parse_value(p);
    int32_t begin = zl_list_begin(p);
    zl_list_push(p, &first, sizeof first);
    s->definitions = ZL_LIST_TAKE(p, begin, zl_definition, &s->definition_count);
}

/* ---------------------------------------------------------------- dynamics */

/* lagrangian E, kinetic E, potential E, dissipation E */
static void parse_energy(zl_parser *p, zl_statement *s)
{
    if (p->token.kind == ZL_T_ASSIGN || p->token.kind == ZL_T_COLON)
        zl_fail_expected(p, ZL_CODE_OPERAND, "an expression",
                         p->token.kind == ZL_T_ASSIGN ? "leave the '=' out" : "leave the ':' out");
    s->right = zl_parse_value(p);
}

void zl_set_target(zl_parser *p, zl_statement *s, const zl_expr *target)
{
    s->targets = zb_arena_copy(p->unit->arena, &target, sizeof target, _Alignof(const zl_expr *));
    s->target_count = 1;
}

/* ':' behind what a statement speaks of; `force x = 3` is not far from it. */
void zl_expect_colon(zl_parser *p, const zl_statement *s, const char *what)
{
    enum { MOST = 60 };
    char help[MOST + 20];
    zb_text text;
    zb_text_init_fixed(&text, help, sizeof help);
    int32_t length = p->before.at + p->before.length - s->mark.at;
    if (length <= MOST)
        zb_text_printf(&text, "write %.*s: ...", (int)length, p->lexer.text + s->mark.at);
    else
        zb_text_add(&text, "write ':' in its place");
    zl_expect(p, ZL_T_COLON, what, p->token.kind == ZL_T_ASSIGN ? help : NULL);
}

/* One or two things of the model, then ':' and a value. */
static void parse_targets_and_value(zl_parser *p, zl_statement *s, const char *what)
{
    int32_t begin = zl_list_begin(p), from = p->token.at;
    do {
        const zl_expr *target = zl_parse_reference(p, what);
        zl_list_push(p, &target, sizeof target);
    } while (zl_accept(p, ZL_T_COMMA));
    s->targets = ZL_LIST_TAKE(p, begin, const zl_expr *, &s->target_count);
    if (s->target_count > 2)
        zl_complain(p, ZL_CODE_INDICES, zl_place_from(p, from), NULL,
                    "%d names, but '%s' takes one or two", (int)s->target_count, keyword_text(s));
    zl_expect_colon(p, s, "':'");
    s->right = zl_parse_value(p);
}

static void parse_mass(zl_parser *p, zl_statement *s)
{
    parse_targets_and_value(p, s, "a coordinate");
}

static void parse_weight(zl_parser *p, zl_statement *s)
{
    parse_targets_and_value(p, s, "the name of a constraint");
}

/* `at` is a word of ours unless it is the coordinate itself: `force at: 1`, `force at[2]: 1`. */
static bool is_word_at(const zl_parser *p)
{
    if (!zl_at_word(p, ZL_WORD_AT)) return false;
    int32_t at = p->token.at + p->token.length;
    char adjacent = at < p->lexer.length ? p->lexer.text[at] : '\0';
    while (at < p->lexer.length && p->lexer.text[at] == ' ') at++;
    char next = at < p->lexer.length ? p->lexer.text[at] : '\0';
    return next != ':' && adjacent != '[' && adjacent != '.';
}

/* force COORDINATE: VALUE or force at POINT: VALUE; nonideal likewise */
static void parse_force(zl_parser *p, zl_statement *s)
{
    s->at = is_word_at(p);
    if (s->at) zl_advance(p);
    zl_set_target(p, s, s->at ? zl_parse_value(p) : zl_parse_reference(p, "a coordinate"));
    zl_expect_colon(p, s, s->at ? "':' after the point" : "':' after the coordinate");
    s->right = zl_parse_value(p);
}

/* --------------------------------------------------------- start and events */

/* What may stand to the left of '=' without brackets: names, calls, vectors, with what follows
 * them. */
static bool may_stand_left(const zl_expr *e)
{
    bool operation = e->kind == ZL_NEG || e->kind == ZL_NOT ||
                     (e->kind >= ZL_ADD && e->kind <= ZL_OR) || e->kind == ZL_NUMBER;
    return e->bracketed || !operation;
}

/* LEFT = RIGHT [fixed], where LEFT, which begins at byte `from`, has been read. fixed: that word
 * may stand behind. */
static zl_equation parse_equation(zl_parser *p, const zl_expr *left, int32_t from, bool fixed)
{
    zl_equation e = {.left = left};
    if (!may_stand_left(left))
        zl_complain(p, ZL_CODE_LEFT_SIDE, left->place,
                    left->kind == ZL_NUMBER ? "a name is set; decimals take a point: 9.81"
                                            : "write it in brackets: (x + y) = 1",
                    "the left side is neither a name nor in brackets");
    zl_expect_assign(p, "'=' after the left side");
    e.right = zl_parse_value(p);
    if (fixed && zl_at_word(p, ZL_WORD_FIXED)) {
        e.fixed = true;
        zl_advance(p);
    }
    e.place = zl_place_from(p, from);
    return e;
}

/* Equations of which the left side of the first has been read. */
static const zl_equation *parse_equations(zl_parser *p, const zl_expr *left, bool fixed,
                                          int32_t *count)
{
    int32_t begin = zl_list_begin(p), from = left->place.at;
    for (;;) {
        zl_equation e = parse_equation(p, left, from, fixed);
        zl_list_push(p, &e, sizeof e);
        if (!zl_accept(p, ZL_T_COMMA)) break;
        from = p->token.at;
        left = zl_parse_side(p);
    }
    return ZL_LIST_TAKE(p, begin, zl_equation, count);
}

const zl_equation *zl_parse_equation_list(zl_parser *p, bool fixed, int32_t *count)
{
    return parse_equations(p, zl_parse_side(p), fixed, count);
}

static void parse_start(zl_parser *p, zl_statement *s)
{
    s->equations = zl_parse_equation_list(p, true, &s->equation_count);
}

/* Whether `aside` stands before the name of an output: another name follows it. */
static bool is_aside_next(const zl_parser *p)
{
    char next = zl_byte_behind(p);
    bool name = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') || next == '_' ||
                (next & 0x80) != 0;
    return p->token.kind == ZL_T_NAME && name &&
           strcmp(zl_name_text(p->unit, p->token.name), "aside") == 0;
}

/* output NAME = VALUE, output aside NAME = VALUE */
static void parse_output(zl_parser *p, zl_statement *s)
{
    s->aside = is_aside_next(p);
    if (s->aside) zl_advance(p);
    zl_set_target(p, s, zl_parse_target(p, "the name of the output", &s->name));
    zl_expect_assign(p, "'=' after the name");
    p->output = true;
    s->right = zl_parse_value(p);
    p->output = false;
}

/* `when C: stpo`: the word alone, which is not `stop`. */
static void fail_stop(zl_parser *p, const zl_expr *word)
{
    zb_suggestion near;
    zb_suggest_begin(&near, zl_name_text(p->unit, word->name));
    zb_suggest_add(&near, zl_word_text(ZL_WORD_STOP));
    bool found = zb_suggest_end(&near) != NULL;
    zl_fail_expected(p, ZL_CODE_EXPECTED, "'=' after the left side",
                     found ? "did you mean 'stop'?" : "an event sets values, x = 0, or says stop");
}

/* when CONDITION: stop, or equations */
static void parse_when(zl_parser *p, zl_statement *s)
{
    s->left = zl_parse_condition(p);
    zl_expect(p, ZL_T_COLON, "':' after the condition", NULL);
    const zl_expr *first = p->failed ? zl_broken(p) : zl_parse_side(p);
    bool word = first->kind == ZL_NAME && !first->bracketed;
    s->stop = word && first->name == ZL_WORD_STOP && p->token.kind != ZL_T_ASSIGN;
    if (s->stop) return;
    if (word && zl_at_end(p)) fail_stop(p, first);
    s->equations = parse_equations(p, first, false, &s->equation_count);
}

/* -------------------------------------------------------------------- parts */

/* part NAME = COMPONENT(ARGUMENTS) */
static void parse_part(zl_parser *p, zl_statement *s)
{
    zl_set_target(p, s, zl_parse_target(p, "the name of the part", &s->name));
    zl_expect_assign(p, "'=' after the name");
    s->right = zl_parse_instance(p);
}

/* By the kind of statement, which is its keyword. */
void zl_parse_statement(zl_parser *p, zl_statement *s)
{
    static void (*const parsers[ZL_STATEMENT_COUNT])(zl_parser *, zl_statement *) = {
        [ZL_MODEL] = parse_model,
        [ZL_USE] = parse_use,
        [ZL_PARAM] = parse_param,
        [ZL_COORD] = parse_coord,
        [ZL_LET] = parse_let,
        [ZL_LAGRANGIAN] = parse_energy,
        [ZL_KINETIC] = parse_energy,
        [ZL_POTENTIAL] = parse_energy,
        [ZL_DISSIPATION] = parse_energy,
        [ZL_MASS] = parse_mass,
        [ZL_FORCE] = parse_force,
        [ZL_NONIDEAL] = parse_force,
        [ZL_CONSTRAINT] = zl_parse_constraint,
        [ZL_CONTROL] = zl_parse_constraint,
        [ZL_WEIGHT] = parse_weight,
        [ZL_START] = parse_start,
        [ZL_OUTPUT] = parse_output,
        [ZL_WHEN] = parse_when,
        [ZL_DRAW] = zl_parse_draw,
        [ZL_SIMULATE] = zl_parse_simulate,
        [ZL_FOR] = zl_parse_for,
        [ZL_IF] = zl_parse_if,
        [ZL_COMPONENT] = zl_parse_component,
        [ZL_PART] = parse_part,
        [ZL_RESTITUTION] = zl_parse_contact_law,
        [ZL_FRICTION] = zl_parse_contact_law,
        [ZL_INPUT] = parse_input,
        [ZL_DATA] = zl_parse_data,
    };
    parsers[s->kind](p, s);
}
