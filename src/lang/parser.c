/*
 * What every function of the parser uses: its tokens, messages, recovery from errors, and lists.
 *
 * Recovery: every statement begins with a keyword that cannot stand inside an expression (`if`
 * can, and is then followed by a bracket; `friction` and `restitution` can, and are then not followed
 * by a name). So a keyword at the beginning of a line always begins
 * a statement, whatever brackets are still open, and an error never spreads beyond it.
 */
#include "parser.h"

#include <string.h>

void zl_advance(zl_parser *p)
{
    if (p->failed) return;
    p->before = p->token;
    p->token = zl_lexer_next(&p->lexer);
}

bool zl_accept(zl_parser *p, zl_token_kind kind)
{
    if (p->token.kind != kind) return false;
    zl_advance(p);
    return true;
}

bool zl_expect(zl_parser *p, zl_token_kind kind, const char *what, const char *help)
{
    if (zl_accept(p, kind)) return true;
    zl_fail_expected(p, ZL_CODE_EXPECTED, what, help);
    return false;
}

bool zl_at_word(const zl_parser *p, zl_word word)
{
    return p->token.kind == ZL_T_NAME && p->token.name == (zl_name)word;
}

bool zl_at_end(const zl_parser *p)
{
    uint8_t kind = p->token.kind;
    return kind == ZL_T_FILE_END || kind == ZL_T_LINE_END || kind == ZL_T_SEMICOLON ||
           kind == ZL_T_CLOSE_BLOCK;
}

char zl_byte_behind(const zl_parser *p)
{
    int32_t at = p->token.at + p->token.length;
    while (at < p->lexer.length && (p->lexer.text[at] == ' ' || p->lexer.text[at] == '\t')) at++;
    return at < p->lexer.length ? p->lexer.text[at] : '\0';
}

/* Letters, digits, `_`, and whatever is not ASCII. */
static bool is_name_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
           (byte >= '0' && byte <= '9') || (unsigned char)byte >= 128;
}

/* Whether the next word and one behind it can only be the beginning of a statement whose word is not
 * reserved: in an expression no name follows another. */
static bool is_at_free_word(const zl_parser *p)
{
    static const char *const inner[] = {"and", "or", "along", "fixed"};
    if (!zl_at_word(p, ZL_WORD_FRICTION) && !zl_at_word(p, ZL_WORD_RESTITUTION) &&
        !zl_at_word(p, ZL_WORD_INPUT) && !zl_at_word(p, ZL_WORD_DATA))
        return false;
    int32_t at = p->token.at + p->token.length, end;
    while (at < p->lexer.length && p->lexer.text[at] == ' ') at++;
    for (end = at; end < p->lexer.length && is_name_byte(p->lexer.text[end]);) end++;
    for (size_t k = 0; k < sizeof inner / sizeof *inner; k++)
        if ((size_t)(end - at) == strlen(inner[k]) &&
            strncmp(p->lexer.text + at, inner[k], strlen(inner[k])) == 0)
            return false;
    return end > at && !(p->lexer.text[at] >= '0' && p->lexer.text[at] <= '9');
}

bool zl_at_statement(const zl_parser *p)
{
    if (!p->token.begins_line) return false;
    if (p->token.kind != ZL_T_KEYWORD) return is_at_free_word(p);
    return p->token.name != ZL_WORD_IF || zl_byte_behind(p) != '(';
}

zl_place zl_token_place(const zl_parser *p, zl_token token)
{
    return zl_lexer_place(&p->lexer, token.at, token.at + token.length);
}

zl_place zl_place_from(const zl_parser *p, int32_t from)
{
    int32_t end = p->before.at + p->before.length;
    return zl_lexer_place(&p->lexer, from, end > from ? end : from);
}

/* ------------------------------------------------------------------- errors */

static void report_parser_error(zl_parser *p, zl_code code, zl_place place, const char *help,
                                const char *format, va_list arguments)
{
    zl_vreport(p->unit, zl_code_text(code), place, help, format, arguments);
}

void zl_complain(zl_parser *p, zl_code code, zl_place place, const char *help, const char *format,
                 ...)
{
    if (p->failed) return;
    va_list arguments;
    va_start(arguments, format);
    report_parser_error(p, code, place, help, format, arguments);
    va_end(arguments);
}

/* The token that could not be read is kept for zl_recover and for the place of what is broken. */
void zl_stop(zl_parser *p)
{
    p->failed = true;
    p->stuck = p->token;
    p->token.kind = ZL_T_STOP;
    p->lexer.quiet = true;
}

/* A token that the lexer has reported (ZL_T_BAD) needs no second message. */
void zl_fail(zl_parser *p, zl_code code, zl_place place, const char *help, const char *format, ...)
{
    if (p->failed) return;
    if (p->token.kind != ZL_T_BAD) { /* else the lexer has said it */
        va_list arguments;
        va_start(arguments, format);
        report_parser_error(p, code, place, help, format, arguments);
        va_end(arguments);
    }
    zl_stop(p);
}

/* Bytes of a token that a message shows. */
static int shown_length(const zl_parser *p, zl_token token)
{
    enum { MOST = 40 };
    if (token.length <= MOST) return token.length;
    size_t at = 0;
    while (at < MOST - 4) zb_utf8_next(p->lexer.text + token.at, (size_t)token.length, &at);
    return (int)at;
}

/* Of a long token only the beginning. */
zl_found zl_found_token(const zl_parser *p)
{
    zl_found found;
    zb_text text;
    zl_token token = p->token;
    zb_text_init_fixed(&text, found.text, sizeof found.text);
    int shown = shown_length(p, token);
    switch (token.kind) {
    case ZL_T_FILE_END:
        zb_text_add(&text, "the end of the text");
        break;
    case ZL_T_LINE_END:
        zb_text_add(&text, "the end of the line");
        break;
    case ZL_T_STRING:
        zb_text_add(&text, "a string");
        break;
    case ZL_T_PRIME:
        zb_text_add(&text, "a prime");
        break;
    default:
        zb_text_printf(&text, "'%.*s%s'", shown, p->lexer.text + token.at,
                       shown < token.length ? "..." : "");
    }
    return found;
}

/* Whether brackets must have been closed before the next token. */
static bool is_past_brackets(const zl_parser *p)
{
    uint8_t kind = p->token.kind;
    return kind == ZL_T_FILE_END || kind == ZL_T_OPEN_BLOCK || kind == ZL_T_CLOSE_BLOCK ||
           zl_at_statement(p);
}

/* Fails where the bracket opens. */
static void fail_unclosed(zl_parser *p, zl_token open)
{
    zl_fail(p, ZL_CODE_UNCLOSED, zl_token_place(p, open), NULL, "this '%s' is not closed",
            open.kind == ZL_T_OPEN ? "(" : "[");
}

/* Open brackets and lines that go on come first: they are the likelier mistake. */
void zl_fail_expected(zl_parser *p, zl_code code, const char *what, const char *help)
{
    if (p->bracket.kind != ZL_T_STOP && is_past_brackets(p)) {
        fail_unclosed(p, p->bracket);
        return;
    }
    /* A line that goes on into the next statement lacks something at its own end. */
    if (zl_at_statement(p) && zl_continues_line(p->before.kind)) {
        zl_fail(p, code, zl_token_place(p, p->before),
                "a line that ends so goes on, but here a statement begins on the next",
                "expected %s after '%.*s'", what, p->before.length, p->lexer.text + p->before.at);
        return;
    }
    zl_found found = zl_found_token(p);
    zl_fail(p, code, zl_token_place(p, p->token), help, "expected %s, but found %s", what,
            found.text);
}

/* The limit keeps the recursion of the parser, and of all who walk the tree, within the stack. */
bool zl_enter(zl_parser *p, zl_token at)
{
    if (p->failed) return false;
    if (p->depth >= ZL_MAX_DEPTH) {
        zl_fail(p, ZL_CODE_DEEP, zl_token_place(p, at), "give a part of it a name with 'let'",
                "nested more than %d levels deep", ZL_MAX_DEPTH);
        return false;
    }
    p->depth++;
    return true;
}

void zl_leave(zl_parser *p)
{
    p->depth--;
}

/* ----------------------------------------------------------------- recovery */

/* Goes on reading after a failure, without messages. */
static void resume_reading(zl_parser *p)
{
    p->token = p->stuck;
    p->failed = false;
}

/* Over a block in braces, the opening one being the next token. */
static void skip_block(zl_parser *p)
{
    int32_t depth = 0;
    do {
        depth += p->token.kind == ZL_T_OPEN_BLOCK;
        depth -= p->token.kind == ZL_T_CLOSE_BLOCK;
        zl_advance(p);
    } while (depth > 0 && p->token.kind != ZL_T_FILE_END);
}

/* Skips tokens without messages. Blocks in braces are skipped whole unless the caller wants
 * them. */
void zl_recover(zl_parser *p, bool block)
{
    if (!p->failed) return;
    resume_reading(p);
    for (;;) {
        /* A semicolon inside brackets is what is wrong, not the end. */
        bool inner = p->token.kind == ZL_T_SEMICOLON && p->lexer.open > 0;
        if ((zl_at_end(p) && !inner) || zl_at_statement(p)) break;
        if (p->token.kind == ZL_T_OPEN_BLOCK && block) break;
        if (p->token.kind == ZL_T_OPEN_BLOCK)
            skip_block(p);
        else
            zl_advance(p);
    }
    p->lexer.open = 0;
    p->lexer.quiet = false;
}

/* Looks for the bracket that closes; tokens on the way are lost. True when it was found. */
static bool find_closing_bracket(zl_parser *p)
{
    int32_t depth = 1;
    while (depth > 0 && p->token.kind != ZL_T_FILE_END && !zl_at_statement(p)) {
        uint8_t kind = p->token.kind;
        if (kind == ZL_T_OPEN_BLOCK || kind == ZL_T_CLOSE_BLOCK) return false;
        depth += kind == ZL_T_OPEN || kind == ZL_T_OPEN_INDEX;
        depth -= kind == ZL_T_CLOSE || kind == ZL_T_CLOSE_INDEX;
        if (depth > 0) zl_advance(p);
    }
    return depth == 0;
}

/* kg, mm, deg behind a number; else a product is the likely meaning. */
const char *zl_unit_help(const zl_parser *p)
{
    static const char *const units[] = {"kg", "g",  "m",   "mm", "cm", "km", "s",
                                        "ms", "Hz", "rad", "N",  "Nm", "J",  "W"};
    const char *word = zl_name_text(p->unit, p->token.name);
    if (p->before.kind != ZL_T_NUMBER) return "to multiply write '*'";
    if (strncmp(word, "deg", 3) == 0) return "angles are in radians: write 30*pi/180";
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (strcmp(word, units[k]) == 0) return "numbers have no units; to multiply write '*'";
    return "to multiply write '*'";
}

/* The help for what stands where a bracket should have closed. */
static const char *help_for_close(const zl_parser *p, zl_token open)
{
    bool square = open.kind == ZL_T_OPEN_INDEX;
    switch (p->token.kind) {
    case ZL_T_SEMICOLON:
        return square ? "the rows of a matrix are vectors: [[a, b], [c, d]]" : NULL;
    case ZL_T_KEYWORD:
        return p->token.name == ZL_WORD_IF ? "a choice is written if(condition, a, b)" : NULL;
    case ZL_T_NAME:
        return square ? "separate elements with ','; to multiply write '*'" : zl_unit_help(p);
    case ZL_T_NUMBER:
    case ZL_T_OPEN:
        return square ? "separate elements with ','; to multiply write '*'"
                      : "to multiply write '*'";
    default:
        return NULL;
    }
}

/* Something else stands where `open` should be closed. */
static void fail_close(zl_parser *p, zl_token open)
{
    bool round = open.kind == ZL_T_OPEN, range = p->token.kind == ZL_T_RANGE;
    zl_found found = zl_found_token(p);
    zl_place place = zl_token_place(p, p->token);
    const char *help = help_for_close(p, open);
    bool wrong = p->token.kind == ZL_T_CLOSE || p->token.kind == ZL_T_CLOSE_INDEX;
    bool bad = p->token.kind == ZL_T_BAD;

    p->lexer.quiet = true;
    bool closed = find_closing_bracket(p);
    if (bad)
        zl_stop(p);
    else if (wrong)
        zl_fail(p, ZL_CODE_CLOSING, place, NULL, "%s does not close '%s'", found.text,
                round ? "(" : "[");
    else if (!closed)
        fail_unclosed(p, open);
    else if (range)
        zl_fail(p, ZL_CODE_RANGE, place, "ranges stand after 'in' and in 'simulate t = 0..10'",
                "a range cannot stand here");
    else
        zl_fail(p, ZL_CODE_EXPECTED, place, help, "expected ',' or '%s', but found %s",
                round ? ")" : "]", found.text);
}

/* The bracket becomes the innermost open one; zl_close makes the outer one so again. */
zl_bracket zl_open(zl_parser *p)
{
    zl_bracket bracket = {.open = p->token, .outer = p->bracket};
    p->bracket = p->token;
    zl_advance(p);
    return bracket;
}

void zl_close(zl_parser *p, zl_bracket bracket)
{
    p->bracket = bracket.outer;
    if (zl_accept(p, bracket.open.kind == ZL_T_OPEN ? ZL_T_CLOSE : ZL_T_CLOSE_INDEX)) return;
    if (!p->failed) fail_close(p, bracket.open);
}

/* -------------------------------------------------------------------- lists */

int32_t zl_list_begin(const zl_parser *p)
{
    return p->unit->scratch.count;
}

/* The scratch stack holds bytes: items of a list are copied in and out by their size. */
void zl_list_push(zl_parser *p, const void *item, size_t size)
{
    zl_unit *unit = p->unit;
    zb_memory *memory = unit->arena->memory;
    if (!zb_array_reserve(memory, &unit->scratch, (int32_t)size)) zl_give_up(unit, memory->failure);
    memcpy(unit->scratch.data + unit->scratch.count, item, size);
    unit->scratch.count += (int32_t)size;
}

/* *count items, NULL for none; the scratch stack is as it was before the list. */
void *zl_list_take(zl_parser *p, int32_t begin, size_t size, size_t align, int32_t *count)
{
    zl_unit *unit = p->unit;
    size_t bytes = (size_t)(unit->scratch.count - begin);
    *count = (int32_t)(bytes / size);
    if (bytes == 0) return NULL;
    void *items = zb_arena_copy(unit->arena, unit->scratch.data + begin, bytes, align);
    unit->scratch.count = begin;
    return items;
}
