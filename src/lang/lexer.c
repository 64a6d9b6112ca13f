/*
 * The lexer. The end of a line ends a statement unless a bracket is open or the last token is one
 * after which a line goes on; only then does it become a token. Comments and blanks are skipped.
 *
 * Bytes that are not UTF-8, and NUL, are reported once in a source, wherever they stand: such a
 * file has usually more than one of them, for the same reason.
 */
#include "lexer.h"

#include <stdarg.h>
#include <string.h>

#include "letters.h"
#include "words.h"

void zl_lexer_init(zl_lexer *lexer, zl_unit *unit, int32_t source)
{
    const zl_source *s = &unit->sources.data[source];
    *lexer = (zl_lexer){.unit = unit,
                        .text = s->text,
                        .source = source,
                        .length = s->length,
                        .last = ZL_T_LINE_END,
                        .begins_line = true};
}

bool zl_continues_line(uint8_t kind)
{
    return kind >= ZL_T_NOT;
}

zl_place zl_lexer_place(const zl_lexer *lexer, int32_t from, int32_t to)
{
    return (zl_place){.source = lexer->source, .at = from, .length = to - from};
}

void zl_lexer_report(zl_lexer *lexer, zl_code code, int32_t from, int32_t to, const char *help,
                     const char *format, ...)
{
    if (lexer->quiet) return;
    va_list arguments;
    va_start(arguments, format);
    zl_vreport(lexer->unit, zl_code_text(code), zl_lexer_place(lexer, from, to), help, format,
               arguments);
    va_end(arguments);
}

/* --------------------------------------------------------------- characters */

/* Once in a source, even where the parser skips. */
static void report_bad_utf8(zl_lexer *lexer, int32_t at)
{
    if (lexer->said_utf8) return;
    lexer->said_utf8 = true;
    zl_report(lexer->unit, zl_code_text(ZL_CODE_NOT_UTF8), zl_lexer_place(lexer, at, at + 1),
              "save the file as UTF-8", "the byte 0x%02x is not UTF-8 here",
              (unsigned)(unsigned char)lexer->text[at]);
}

/* Once in a source, even where the parser skips. */
static void report_nul_byte(zl_lexer *lexer, int32_t at)
{
    if (lexer->said_nul) return;
    lexer->said_nul = true;
    zl_report(lexer->unit, zl_code_text(ZL_CODE_NUL), zl_lexer_place(lexer, at, at + 1),
              "save the file as UTF-8", "a NUL byte in the text of a model");
}

/* Decodes one character of UTF-8. */
int32_t zl_lexer_character(zl_lexer *lexer, int32_t *at)
{
    size_t next = (size_t)*at;
    int32_t point = zb_utf8_next(lexer->text, (size_t)lexer->length, &next);
    if (point == ZB_UTF8_BAD) report_bad_utf8(lexer, *at);
    if (point == 0) report_nul_byte(lexer, *at);
    *at = (int32_t)next;
    return point;
}

static bool is_ascii_name_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A byte that is not UTF-8 counts as a letter: in most such files it was meant as one. */
bool zl_lexer_name_part(zl_lexer *lexer, int32_t *at)
{
    if (*at >= lexer->length) return false;
    char c = lexer->text[*at];
    if (is_ascii_name_part(c)) return ++*at, true;
    if ((c & 0x80) == 0) return false;
    int32_t next = *at;
    int32_t point = zl_lexer_character(lexer, &next);
    if (point != ZB_UTF8_BAD && !zl_is_letter_or_mark(point)) return false;
    *at = next;
    return true;
}

/* ------------------------------------------------------------------- blanks */

/* To the end of the line. Comments are decoded too, so that bytes that are not UTF-8 are reported
 * there as well. */
static void skip_comment(zl_lexer *lexer)
{
    while (lexer->at < lexer->length && lexer->text[lexer->at] != '\n') {
        char c = lexer->text[lexer->at];
        if ((c & 0x80) == 0 && c != '\0')
            lexer->at++;
        else
            zl_lexer_character(lexer, &lexer->at);
    }
}

/* Whether an end of a line here ends a statement. */
static bool line_end_ends_statement(const zl_lexer *lexer)
{
    return lexer->open == 0 && !zl_continues_line(lexer->last) && lexer->last != ZL_T_LINE_END;
}

/* A space outside ASCII; moves behind it. */
static bool skip_wide_space(zl_lexer *lexer)
{
    int32_t next = lexer->at;
    if (!zl_is_space(zl_lexer_character(lexer, &next))) return false;
    lexer->at = next;
    return true;
}

static bool is_comment(const zl_lexer *lexer)
{
    return zl_lexer_peek(lexer, 0) == '#';
}

/* Skips to the next token, or to an end of a line that counts: then true. */
static bool skip_blanks(zl_lexer *lexer)
{
    while (lexer->at < lexer->length) {
        char c = lexer->text[lexer->at];
        if (c == ' ' || c == '\t' || (c == '\r' && zl_lexer_peek(lexer, 1) == '\n')) {
            lexer->at++;
        } else if (c == '\n') {
            lexer->at++;
            lexer->begins_line = true;
            if (line_end_ends_statement(lexer)) return true;
        } else if (is_comment(lexer)) {
            skip_comment(lexer);
        } else if ((c & 0x80) == 0 || !skip_wide_space(lexer)) {
            return false;
        }
    }
    return false;
}

/* ------------------------------------------------------------------- tokens */

/* A token from byte `from` up to where the lexer is now. */
static zl_token make_token(const zl_lexer *lexer, zl_token_kind kind, int32_t from)
{
    return (zl_token){
        .kind = (uint8_t)kind, .at = from, .length = lexer->at - from, .name = -1, .number = 0};
}

/* The kind of token that a word is: an operator, a constant, a keyword, a function or a name. */
static zl_token_kind classify_word(zl_name name)
{
    if (name >= ZL_WORD_COUNT) return ZL_T_NAME;
    switch (name) {
    case ZL_WORD_AND:
        return ZL_T_AND;
    case ZL_WORD_OR:
        return ZL_T_OR;
    case ZL_WORD_NOT:
        return ZL_T_NOT;
    case ZL_WORD_SUM:
        return ZL_T_SUM;
    case ZL_WORD_T:
        return ZL_T_TIME;
    case ZL_WORD_PI:
        return ZL_T_PI;
    default:
        break;
    }
    if (name < ZL_WORD_AT) return ZL_T_KEYWORD;
    return zl_is_reserved(name) ? ZL_T_FUNCTION : ZL_T_NAME;
}

/* A name or a word of the language, whose length is limited. */
static zl_token lex_name(zl_lexer *lexer)
{
    int32_t from = lexer->at;
    while (zl_lexer_name_part(lexer, &lexer->at)) {
    }
    zl_token token = make_token(lexer, ZL_T_NAME, from);
    if (token.length > ZL_MAX_NAME) {
        zl_lexer_report(lexer, ZL_CODE_LONG_NAME, from, from + 1, NULL,
                        "this name has %d bytes; it may have %d at most", (int)token.length,
                        ZL_MAX_NAME);
        token.kind = ZL_T_BAD;
        return token;
    }
    token.name = zl_intern(lexer->unit, lexer->text + from, (size_t)token.length);
    token.kind = (uint8_t)classify_word(token.name);
    return token;
}

/* In double quotes, on one line; a backslash takes the sense from a quote and from itself. */
static zl_token lex_string(zl_lexer *lexer)
{
    int32_t from = lexer->at++;
    while (lexer->at < lexer->length && lexer->text[lexer->at] != '\n') {
        char c = lexer->text[lexer->at];
        char next = zl_lexer_peek(lexer, 1);
        if (c == '"') {
            lexer->at++;
            return make_token(lexer, ZL_T_STRING, from);
        }
        if (c == '\\' && (next == '"' || next == '\\')) lexer->at++;
        zl_lexer_character(lexer, &lexer->at);
    }
    zl_lexer_report(lexer, ZL_CODE_STRING, from, from + 1, "write '\"' before the end of the line",
                    "this string has no end");
    return make_token(lexer, ZL_T_BAD, from);
}

/* The kind and the length in bytes of the sign that begins here, ASCII all of them; ZL_T_BAD when
 * there is none. The lexer does not move. */
static zl_token_kind read_sign(const zl_lexer *lexer, int32_t *length)
{
    char next = zl_lexer_peek(lexer, 1);
    *length = 1;
    switch (zl_lexer_peek(lexer, 0)) {
    case ';':
        return ZL_T_SEMICOLON;
    case '(':
        return ZL_T_OPEN;
    case ')':
        return ZL_T_CLOSE;
    case '[':
        return ZL_T_OPEN_INDEX;
    case ']':
        return ZL_T_CLOSE_INDEX;
    case '{':
        return ZL_T_OPEN_BLOCK;
    case '}':
        return ZL_T_CLOSE_BLOCK;
    case '\'':
        return ZL_T_PRIME;
    case ',':
        return ZL_T_COMMA;
    case ':':
        return ZL_T_COLON;
    case '+':
        return ZL_T_PLUS;
    case '-':
        return ZL_T_MINUS;
    case '*':
        return ZL_T_TIMES;
    case '/':
        return ZL_T_OVER;
    case '^':
        return ZL_T_POWER;
    default:
        break;
    }
    *length = next == '=' ? 2 : 1;
    switch (zl_lexer_peek(lexer, 0)) {
    case '=':
        return next == '=' ? ZL_T_EQ : ZL_T_ASSIGN;
    case '<':
        return next == '=' ? ZL_T_LE : ZL_T_LT;
    case '>':
        return next == '=' ? ZL_T_GE : ZL_T_GT;
    case '!':
        return next == '=' ? ZL_T_NE : ZL_T_BAD;
    case '.':
        return *length = next == '.' ? 2 : 1, next == '.' ? ZL_T_RANGE : ZL_T_DOT;
    default:
        return ZL_T_BAD;
    }
}

/* Whether nothing can begin with the character at a byte. */
static bool is_foreign(zl_lexer *lexer, int32_t at)
{
    zl_lexer here = *lexer;
    zl_token token;
    int32_t length;
    here.at = at;
    here.quiet = here.said_utf8 = here.said_nul = true;
    char c = zl_lexer_peek(&here, 0);
    if (c == '\n' || c == ' ' || c == '\t' || c == '#' || c == '"') return false;
    if (zl_lexer_name_part(&here, &here.at) || read_sign(&here, &length) != ZL_T_BAD) return false;
    return !zl_lex_look_alike(&here, &token);
}

/* What is written in the place of a character that other languages have; NULL: nothing comes to
 * mind. */
static const char *help_for_character(const zl_lexer *lexer, int32_t from)
{
    switch (lexer->text[from]) {
    case '%':
        return lexer->begins_line
                   ? "comments begin with #"
                   : "comments begin with #; a remainder is written x - n*floor(x/n)";
    case '\\':
        return "a line goes on after an operator or inside brackets";
    case '|':
        return "write abs(x), or norm(v) for a vector";
    case '?':
        return "a choice is written if(condition, a, b)";
    default:
        return NULL;
    }
}

/* Characters that are nothing in the language, as many as stand together. */
static zl_token lex_foreign(zl_lexer *lexer)
{
    int32_t from = lexer->at, next = from;
    bool silent = lexer->text[from] == '\0'; /* has a message of its own */
    zl_lexer_character(lexer, &next);
    size_t at = (size_t)from;
    zb_glyph glyph = zb_glyph_next(lexer->text, (size_t)lexer->length, &at);
    while (next < lexer->length && is_foreign(lexer, next)) zl_lexer_character(lexer, &next);
    lexer->at = next;
    if (!silent)
        zl_lexer_report(lexer, ZL_CODE_CHARACTER, from, next, help_for_character(lexer, from),
                        "'%.*s' does not belong to the language", (int)glyph.size, glyph.bytes);
    return make_token(lexer, ZL_T_BAD, from);
}

/* Counts open brackets ( and [, inside which ends of lines do not matter. */
static void track_bracket(zl_lexer *lexer, zl_token_kind kind)
{
    if (kind == ZL_T_OPEN || kind == ZL_T_OPEN_INDEX) lexer->open++;
    if (kind == ZL_T_CLOSE || kind == ZL_T_CLOSE_INDEX) lexer->open -= lexer->open > 0;
}

/* A token that is neither name nor number nor string. */
static zl_token lex_sign(zl_lexer *lexer)
{
    int32_t from = lexer->at, length;
    zl_token token;
    if (zl_lex_look_alike(lexer, &token)) return token;
    zl_token_kind kind = read_sign(lexer, &length);
    if (kind == ZL_T_BAD) return lex_foreign(lexer);
    lexer->at += length;
    return make_token(lexer, kind, from);
}

/* The token that begins here; the text has not ended. */
static zl_token lex_token(zl_lexer *lexer)
{
    char c = lexer->text[lexer->at];
    if ((c >= '0' && c <= '9') || zl_begins_with_point(lexer)) return zl_lex_number(lexer);
    if (c == '"') return lex_string(lexer);
    if (is_ascii_name_part(c)) return lex_name(lexer);
    if ((c & 0x80) == 0) return lex_sign(lexer);

    zl_token token;
    int32_t next = lexer->at;
    if (zl_lex_look_alike(lexer, &token)) return token;
    int32_t point = zl_lexer_character(lexer, &next);
    return point == ZB_UTF8_BAD || zl_is_letter(point) ? lex_name(lexer) : lex_foreign(lexer);
}

/* A sign that nothing stands in for (ZL_T_STOP) is passed over. */
zl_token zl_lexer_next(zl_lexer *lexer)
{
    zl_token token = {.kind = ZL_T_STOP};
    while (token.kind == ZL_T_STOP) {
        bool line_ended = skip_blanks(lexer);
        if (line_ended || lexer->at >= lexer->length) {
            token = make_token(lexer, line_ended ? ZL_T_LINE_END : ZL_T_FILE_END, lexer->at);
            token.at = lexer->end;
            lexer->last = token.kind;
            return token;
        }
        token = lex_token(lexer);
    }
    token.begins_line = lexer->begins_line;
    lexer->begins_line = false;
    lexer->last = token.kind;
    lexer->end = token.at + token.length;
    track_bracket(lexer, (zl_token_kind)token.kind);
    return token;
}
