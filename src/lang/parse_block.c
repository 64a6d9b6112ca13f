/*
 * Parsing blocks: lists of statements, at the top of a source and in braces; the statements that
 * have blocks (for, if, component); what is not a statement; the entry points. A statement that
 * failed is not in the tree; blocks whose header failed are still read, for their own errors.
 */
#include "parser.h"

#include <string.h>

static zl_block parse_block(zl_parser *p, bool braces);

/* ----------------------------------------------------------- block statements */

/* Goes to the brace of the block; false when there is none. One on the next line is reported and
 * taken. */
static bool find_brace(zl_parser *p)
{
    static const char help[] = "put '{' on the line of the statement";
    zl_token token = p->token;
    bool failed = p->failed, line_ended = token.kind == ZL_T_LINE_END;
    if (!failed && !line_ended && token.kind != ZL_T_OPEN_BLOCK)
        zl_fail_expected(p, ZL_CODE_EXPECTED, "'{'", NULL);
    zl_recover(p, true);
    if (p->token.kind == ZL_T_LINE_END) zl_advance(p);
    if (line_ended && !failed)
        zl_complain(p, ZL_CODE_EXPECTED, zl_token_place(p, token), help,
                    "expected '{', but found the end of the line");
    return p->token.kind == ZL_T_OPEN_BLOCK;
}

/* { ... } */
static zl_block parse_body(zl_parser *p)
{
    zl_block body = {0};
    zl_token open = p->token;
    if (!zl_enter(p, open)) return body;
    zl_advance(p);
    body = parse_block(p, true);
    zl_leave(p);
    if (!zl_accept(p, ZL_T_CLOSE_BLOCK))
        zl_complain(p, ZL_CODE_NO_BRACE, zl_token_place(p, open), "write '}' where the block ends",
                    "this '{' is not closed");
    return body;
}

/* The header of a block statement ends here; its block goes to *body. Whether both were
 * understood. */
static bool parse_header_end(zl_parser *p, zl_statement *s, zl_block *body)
{
    bool understood = !p->failed;
    s->place = zl_place_from(p, s->place.at);
    if (!find_brace(p)) return false;
    *body = parse_body(p);
    return understood && !p->failed;
}

/* The statement is not put into the tree. There is no further message. */
static void leave_out_statement(zl_statement *s)
{
    s->kind = ZL_STATEMENT_COUNT;
}

/* NAME in FIRST..LAST { ... } */
void zl_parse_for(zl_parser *p, zl_statement *s)
{
    s->name = zl_parse_new_name(p, "the variable of the loop", &s->mark);
    if (!zl_at_word(p, ZL_WORD_IN))
        zl_fail_expected(p, ZL_CODE_EXPECTED, "'in' after the variable of the loop",
                         "for i in 1..N { ... }");
    zl_advance(p);
    zl_parse_range(p, &s->left, &s->right);
    if (!parse_header_end(p, s, &s->body)) leave_out_statement(s);
}

/* NAME(ARGUMENTS) { ... }, the arguments with defaults or without */
void zl_parse_component(zl_parser *p, zl_statement *s)
{
    s->name = zl_parse_new_name(p, "the name of the component", &s->mark);
    if (p->token.kind == ZL_T_OPEN) s->arguments = zl_parse_parameters(p, true, &s->argument_count);
    if (!parse_header_end(p, s, &s->body)) leave_out_statement(s);
}

/* Of keywords the kind is the word. */
static zl_statement *new_statement(zl_parser *p, zl_token keyword, zl_statement_kind kind)
{
    zl_statement *s = ZB_NEW(p->unit->arena, zl_statement);
    s->kind = (uint8_t)kind;
    s->name = -1;
    s->place = s->mark = zl_token_place(p, keyword);
    return s;
}

/* `if` behind `else`: a block of one statement, none when it failed. Each is one level deeper. */
static zl_block parse_else_if(zl_parser *p)
{
    zl_block block = {0};
    zl_token keyword = p->token;
    if (!zl_enter(p, keyword)) return block;
    zl_advance(p);
    zl_statement *inner = new_statement(p, keyword, ZL_IF);
    zl_parse_if(p, inner);
    zl_leave(p);
    if (inner->kind != ZL_IF) return block;
    int32_t begin = zl_list_begin(p);
    zl_list_push(p, &inner, sizeof inner);
    block.statements = ZL_LIST_TAKE(p, begin, const zl_statement *, &block.count);
    return block;
}

/* `else`, on the line of the brace or on the next, or nothing. Whether it was understood. */
static bool parse_else(zl_parser *p, zl_statement *s)
{
    if (p->token.kind == ZL_T_LINE_END) zl_advance(p);
    if (p->token.kind != ZL_T_KEYWORD || p->token.name != ZL_WORD_ELSE) return true;
    zl_advance(p);
    if (p->token.kind == ZL_T_KEYWORD && p->token.name == ZL_WORD_IF) {
        s->otherwise = parse_else_if(p);
        return !p->failed && s->otherwise.count == 1;
    }
    bool understood = find_brace(p);
    if (understood) s->otherwise = parse_body(p);
    return understood && !p->failed;
}

/* CONDITION { ... } else { ... }; where the whole failed, an `else` that is left is not
 * reported. */
void zl_parse_if(zl_parser *p, zl_statement *s)
{
    s->left = zl_parse_condition(p);
    bool understood = parse_header_end(p, s, &s->body);
    p->else_lost = false;
    if (!p->failed) understood = parse_else(p, s) && understood;
    p->else_lost = p->failed;
    if (!understood) leave_out_statement(s);
}

/* --------------------------------------------------------- not a statement */

/* Whether a statement begins with this word, or goes on with it: `else`. */
static bool begins_statement(int32_t word)
{
    return word <= ZL_WORD_ELSE || word == ZL_WORD_RESTITUTION || word == ZL_WORD_FRICTION ||
           word == ZL_WORD_DATA || word == ZL_WORD_INPUT;
}

/* The word at the beginning of statements that is nearest to a word, or -1. */
static int32_t find_nearest_keyword(const zl_parser *p, zl_token token)
{
    zb_suggestion s;
    zb_suggest_begin(&s, zl_name_text(p->unit, token.name));
    for (int32_t word = 0; word < ZL_WORD_FUNCTIONS; word++)
        if (begins_statement(word)) zb_suggest_add(&s, zl_word_text((zl_word)word));
    const char *best = zb_suggest_end(&s);
    for (int32_t word = 0; best && word < ZL_WORD_FUNCTIONS; word++)
        if (best == zl_word_text((zl_word)word)) return word;
    return -1;
}

/* A block may follow a misspelled keyword: it is read for its own errors. */
static void skip_misspelled_statement(zl_parser *p, int32_t word)
{
    bool block = word == ZL_WORD_FOR || word == ZL_WORD_IF || word == ZL_WORD_COMPONENT ||
                 word == ZL_WORD_ELSE;
    p->else_lost = true;
    zl_recover(p, block);
    if (block && p->token.kind == ZL_T_OPEN_BLOCK) parse_body(p);
}

/* The help for words of other languages, and for letters of energies before '='; or NULL. */
static const char *help_for_foreign_word(const zl_parser *p, const char *word)
{
    static const struct {
        const char *word, *help;
        bool energy;
    } words[] = {
        {"var", "coordinates are declared with 'coord'", false},
        {"variable", "coordinates are declared with 'coord'", false},
        {"coordinate", "coordinates are declared with 'coord'", false},
        {"coordinates", "coordinates are declared with 'coord'", false},
        {"parameter", "parameters are declared with 'param'", false},
        {"parameters", "parameters are declared with 'param'", false},
        {"const", "parameters are declared with 'param'", false},
        {"constant", "parameters are declared with 'param'", false},
        {"import", "modules are read with 'use'", false},
        {"include", "modules are read with 'use'", false},
        {"def", "a function is written let f(u) = u^2", false},
        {"function", "a function is written let f(u) = u^2", false},
        {"end", "a block ends with '}'", false},
        {"class", "models of things are written component NAME(...) { ... }", false},
        {"elif", "write else if", false},
        {"elseif", "write else if", false},
        {"T", "a kinetic energy is written kinetic E", true},
        {"L", "a Lagrangian is written lagrangian E", true},
        {"V", "a potential is written potential E", true},
        {"U", "a potential is written potential E", true},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(words[k].word, word) == 0 && (!words[k].energy || zl_byte_behind(p) == '='))
            return words[k].help;
    return NULL;
}

/* "statements are model, use, ... and friction" */
static void write_keywords(zb_text *text)
{
    zb_text_add(text, "statements are ");
    for (int32_t word = 0; word < ZL_KEYWORD_COUNT; word++)
        zb_text_printf(text, "%s, ", zl_word_text((zl_word)word));
    zb_text_add(text, "restitution and friction");
}

/* A word that is no keyword where a statement begins, with what may have been meant. */
static void fail_unknown_word(zl_parser *p)
{
    char help[300];
    zb_text text;
    zl_found found = zl_found_token(p);
    const char *foreign = help_for_foreign_word(p, zl_name_text(p->unit, p->token.name));
    int32_t word = foreign ? -1 : find_nearest_keyword(p, p->token);
    zb_text_init_fixed(&text, help, sizeof help);
    if (foreign)
        zb_text_add(&text, foreign);
    else if (word >= 0)
        zb_text_printf(&text, "did you mean '%s'?", zl_word_text((zl_word)word));
    else if (zl_byte_behind(p) == '=')
        zb_text_add(&text, "begin with 'param', 'let' or 'start'");
    else
        write_keywords(&text);
    zl_fail(p, ZL_CODE_STATEMENT, zl_token_place(p, p->token), help, "%s is not a statement",
            found.text);
    skip_misspelled_statement(p, word);
}

/* An `else` without its `if`; no message where that `if` was not understood. */
static void fail_stray_else(zl_parser *p)
{
    if (!p->else_lost)
        zl_complain(p, ZL_CODE_ELSE, zl_token_place(p, p->token),
                    "it stands behind the '}' of an 'if'", "this 'else' has no 'if'");
    zl_advance(p);
    zl_stop(p); /* it has been said that what follows is out of place */
    skip_misspelled_statement(p, ZL_WORD_ELSE);
}

/* A sign, number or string where a statement begins. */
static void fail_statement_begin(zl_parser *p)
{
    static const char line_help[] = "to go on with the line before, end that line with the "
                                    "operator, or put the whole in brackets";
    uint8_t kind = p->token.kind;
    bool dashes = kind == ZL_T_MINUS && zl_byte_behind(p) == '-';
    const char *help = dashes ? "comments begin with #" : line_help;
    zl_found found = zl_found_token(p);
    zl_place place = zl_token_place(p, p->token);
    bool binary = zl_continues_line(kind) && kind != ZL_T_NOT;
    if (binary && p->token.begins_line && kind != ZL_T_MINUS)
        zl_fail(p, ZL_CODE_LINE_BEGIN, place, help, "a line cannot begin with %s", found.text);
    else if (kind == ZL_T_CLOSE || kind == ZL_T_CLOSE_INDEX)
        zl_fail(p, ZL_CODE_CLOSING, place, NULL, "%s closes nothing", found.text);
    else
        zl_fail(p, ZL_CODE_STATEMENT, place,
                kind == ZL_T_MINUS ? help : "statements begin with a keyword",
                "a statement cannot begin with %s", found.text);
}

/* -------------------------------------------------------------- statements */

/* What to do about a second '=' in a statement of this kind. */
static const char *help_for_equals(zl_statement_kind kind)
{
    bool energy = kind >= ZL_LAGRANGIAN && kind <= ZL_DISSIPATION;
    return energy ? "an energy has no name: write only what stands behind the '='"
                  : "there can be only one '=' here";
}

/* What may have been meant by something behind a statement. */
static const char *help_for_left_over(const zl_parser *p, zl_statement_kind kind)
{
    if (kind == ZL_COORD)
        return p->token.kind == ZL_T_ASSIGN ? "initial values are given with 'start'"
                                            : "separate names with ','";
    if (kind == ZL_USE && p->token.kind == ZL_T_DOT) return "a module is named without '.zw'";
    if (kind == ZL_MODEL || kind == ZL_USE) return NULL;
    switch (p->token.kind) {
    case ZL_T_COMMA:
        return p->before.kind == ZL_T_NUMBER ? "decimals take a point: 9.81" : NULL;
    case ZL_T_NAME:
        return zl_unit_help(p);
    case ZL_T_FUNCTION:
    case ZL_T_NUMBER:
    case ZL_T_TIME:
    case ZL_T_PI:
    case ZL_T_OPEN:
        return "to multiply write '*'";
    case ZL_T_KEYWORD:
        return p->token.name == ZL_WORD_IF && !p->token.begins_line
                   ? "a choice is written if(condition, a, b)"
                   : "separate statements with ';' or a new line";
    case ZL_T_EQ:
    case ZL_T_ASSIGN:
        return help_for_equals(kind);
    default:
        return NULL;
    }
}

/* Something follows where a statement should have ended. */
static void fail_left_over(zl_parser *p, zl_statement_kind kind)
{
    zl_found found = zl_found_token(p);
    zl_place place = zl_token_place(p, p->token);
    if (p->token.kind == ZL_T_CLOSE || p->token.kind == ZL_T_CLOSE_INDEX)
        zl_fail(p, ZL_CODE_CLOSING, place, NULL, "%s closes nothing", found.text);
    else if (p->token.kind == ZL_T_RANGE)
        zl_fail(p, ZL_CODE_RANGE, place, "ranges stand after 'in' and in 'simulate t = 0..10'",
                "a range cannot stand here");
    else
        zl_fail(p, ZL_CODE_LEFT_OVER, place, help_for_left_over(p, kind),
                "expected the end of the statement, but found %s", found.text);
}

/* The statement that the next word begins; ZL_STATEMENT_COUNT: it begins none. */
static zl_statement_kind find_statement(const zl_parser *p)
{
    if (p->token.kind == ZL_T_KEYWORD && p->token.name != ZL_WORD_ELSE)
        return (zl_statement_kind)p->token.name;
    if (zl_at_word(p, ZL_WORD_RESTITUTION)) return ZL_RESTITUTION;
    if (zl_at_word(p, ZL_WORD_INPUT)) return ZL_INPUT;
    if (zl_at_word(p, ZL_WORD_DATA)) return ZL_DATA;
    return zl_at_word(p, ZL_WORD_FRICTION) ? ZL_FRICTION : ZL_STATEMENT_COUNT;
}

/* The statement behind its word; NULL when it could not be read. */
static const zl_statement *parse_known_statement(zl_parser *p, zl_statement_kind kind)
{
    zl_token keyword = p->token;
    zl_statement *s = new_statement(p, keyword, kind);
    bool block = s->kind == ZL_FOR || s->kind == ZL_IF || s->kind == ZL_COMPONENT;
    p->else_lost = false;
    zl_advance(p);
    zl_parse_statement(p, s);
    while (kind == ZL_OUTPUT && !p->failed && zl_accept(p, ZL_T_COMMA)) { /* output a = 1, b = 2 */
        const zl_statement *before = s;
        s->place = zl_place_from(p, keyword.at);
        zl_list_push(p, &before, sizeof before);
        s = new_statement(p, keyword, kind);
        zl_parse_statement(p, s);
    }
    if (!block) {
        s->place = zl_place_from(p, keyword.at);
        if (!p->failed && !zl_at_end(p)) fail_left_over(p, (zl_statement_kind)s->kind);
    }
    return p->failed || s->kind >= ZL_STATEMENT_COUNT ? NULL : s;
}

/* Whether a statement that begins so may declare names that other statements use. */
static bool may_declare_names(zl_token first)
{
    bool law = first.name == ZL_WORD_FRICTION || first.name == ZL_WORD_RESTITUTION;
    if (first.kind != ZL_T_KEYWORD) return !law; /* who knows */
    switch (first.name) {
    case ZL_WORD_LAGRANGIAN:
    case ZL_WORD_KINETIC:
    case ZL_WORD_POTENTIAL:
    case ZL_WORD_DISSIPATION:
    case ZL_WORD_MASS:
    case ZL_WORD_FORCE:
    case ZL_WORD_NONIDEAL:
    case ZL_WORD_WEIGHT:
    case ZL_WORD_START:
    case ZL_WORD_OUTPUT:
    case ZL_WORD_WHEN:
    case ZL_WORD_DRAW:
    case ZL_WORD_SIMULATE:
        return false;
    default:
        return true;
    }
}

/* Whether a statement that begins so declares names which do not stand in it: a module, a block. */
static bool may_declare_others(zl_token first)
{
    if (first.kind != ZL_T_KEYWORD) return false;
    return first.name == ZL_WORD_USE || first.name == ZL_WORD_FOR || first.name == ZL_WORD_IF ||
           first.name == ZL_WORD_COMPONENT || first.name == ZL_WORD_ELSE;
}

/* Counts the errors of a statement that is left out, and notes its place where it may declare names,
 * or was read all the same (`read`). Where more than it may have been skipped, any name may be
 * missing. */
static void note_left_out(zl_parser *p, zl_token first, int32_t errors, bool read)
{
    zl_unit *unit = p->unit;
    const char *from = p->lexer.text + first.at;
    size_t length = (size_t)(p->token.at - first.at);
    bool more = memchr(from, ';', length) || memchr(from, '{', length);
    bool full = unit->lost_count == ZL_MOST_LOST;
    if (read && (more || full || may_declare_others(first)))
        return; /* nobody can tell which it is: all stops here */
    unit->harmless_count += errors;
    if (!read && !more && !may_declare_names(first)) return;
    if (more || full || may_declare_others(first)) {
        unit->lost_more = true;
        return;
    }
    zl_place place = zl_token_place(p, first);
    place.length = p->token.at - first.at;
    unit->lost[unit->lost_count++] = place;
}

/* One statement, of whatever begins here, up to its end; NULL, after a message, when it failed. */
static const zl_statement *parse_any_statement(zl_parser *p)
{
    const zl_statement *s = NULL;
    zl_token first = p->token;
    int32_t errors = p->unit->error_count - p->unit->harmless_count;
    zl_statement_kind kind = find_statement(p);
    p->bracket = (zl_token){.kind = ZL_T_STOP};
    p->condition = false;
    if (p->token.kind == ZL_T_KEYWORD && p->token.name == ZL_WORD_ELSE)
        fail_stray_else(p);
    else if (kind != ZL_STATEMENT_COUNT)
        s = parse_known_statement(p, kind);
    else if (p->token.kind == ZL_T_NAME)
        fail_unknown_word(p);
    else
        fail_statement_begin(p);
    zl_recover(p, false);
    errors = p->unit->error_count - p->unit->harmless_count - errors;
    if (errors > 0) note_left_out(p, first, errors, s != NULL);
    return s;
}

/* Statements up to the brace that closes the block, or to the end of the text. */
static zl_block parse_block(zl_parser *p, bool braces)
{
    zl_block block = {0};
    int32_t begin = zl_list_begin(p);
    for (;;) {
        while (zl_accept(p, ZL_T_LINE_END) || zl_accept(p, ZL_T_SEMICOLON)) {
        }
        if (p->token.kind == ZL_T_FILE_END) break;
        if (p->token.kind == ZL_T_CLOSE_BLOCK) {
            if (braces) break;
            zl_complain(p, ZL_CODE_BRACE, zl_token_place(p, p->token), NULL, "'}' closes nothing");
            zl_advance(p);
            continue;
        }
        const zl_statement *s = parse_any_statement(p);
        if (s) zl_list_push(p, &s, sizeof s);
    }
    block.statements = ZL_LIST_TAKE(p, begin, const zl_statement *, &block.count);
    return block;
}

/* ------------------------------------------------------------- entry points */

/* A parser at the first token of a source. */
static void begin_parsing(zl_parser *p, zl_unit *unit, int32_t source)
{
    *p = (zl_parser){.unit = unit};
    unit->scratch.count = 0;
    zl_lexer_init(&p->lexer, unit, source);
    zl_advance(p);
}

/* What is no text at all is reported once and not parsed. */
zl_block zl_parse(zl_unit *unit, const char *file, const char *text, size_t length)
{
    zl_parser p;
    int32_t source = zl_add_source(unit, file, text, length);
    if (!zl_check_text(unit, source)) return (zl_block){0};
    begin_parsing(&p, unit, source);
    return parse_block(&p, false);
}

bool zl_may_go_on(const zl_unit *unit)
{
    return unit->harmless_count == unit->error_count;
}

/* An error anywhere in the text leaves nothing of it. */
const zl_equation *zl_parse_equations(zl_unit *unit, const char *file, const char *text,
                                      size_t length, int32_t *count)
{
    zl_parser p;
    int32_t before = unit->error_count;
    begin_parsing(&p, unit, zl_add_source(unit, file, text, length));
    const zl_equation *equations = zl_parse_equation_list(&p, true, count);
    while (zl_accept(&p, ZL_T_LINE_END)) {
    }
    if (!p.failed && p.token.kind != ZL_T_FILE_END) fail_left_over(&p, ZL_START);
    if (unit->error_count > before) *count = 0;
    return *count > 0 ? equations : NULL;
}
