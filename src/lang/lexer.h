/*
 * The lexer: from bytes to tokens, one at a time. It knows which ends of lines end a statement.
 * What cannot be part of a model it reports, and returns the nearest token that can in its place,
 * so that the parser is not misled.
 */
#ifndef ZL_LEXER_H
#define ZL_LEXER_H

#include "source.h"

typedef enum zl_token_kind {
    ZL_T_STOP, /* matches nothing: the parser skips to the end of a statement */
    ZL_T_FILE_END,
    ZL_T_LINE_END, /* where it ends a statement */
    ZL_T_SEMICOLON,
    ZL_T_BAD,     /* has been reported */
    ZL_T_NAME,    /* name; also words that mean something only in their place */
    ZL_T_KEYWORD, /* name: begins a statement, or `else` */
    ZL_T_FUNCTION,
    ZL_T_SUM,
    ZL_T_TIME,
    ZL_T_PI,
    ZL_T_NUMBER,
    ZL_T_STRING,
    ZL_T_OPEN,        /* ( */
    ZL_T_CLOSE,       /* ) */
    ZL_T_OPEN_INDEX,  /* [ */
    ZL_T_CLOSE_INDEX, /* ] */
    ZL_T_OPEN_BLOCK,  /* { */
    ZL_T_CLOSE_BLOCK, /* } */
    ZL_T_DOT,
    ZL_T_PRIME,
    ZL_T_NOT,
    /* From here on: binary operators and the like, after which a line goes on. */
    ZL_T_COMMA,
    ZL_T_COLON,
    ZL_T_ASSIGN, /* = */
    ZL_T_RANGE,  /* .. */
    ZL_T_PLUS,
    ZL_T_MINUS,
    ZL_T_TIMES,
    ZL_T_OVER,
    ZL_T_POWER,
    ZL_T_LT,
    ZL_T_LE,
    ZL_T_GT,
    ZL_T_GE,
    ZL_T_EQ,
    ZL_T_NE,
    ZL_T_AND,
    ZL_T_OR
} zl_token_kind;

typedef struct zl_token {
    uint8_t kind;     /* zl_token_kind */
    bool begins_line; /* nothing but blanks stands before it */
    int32_t at, length;
    zl_name name;
    double number;
} zl_token;

typedef struct zl_lexer {
    zl_unit *unit;
    const char *text; /* [length] */
    int32_t source, length;
    int32_t at;
    int32_t end;      /* of the last token that was not an end of a line */
    int32_t open;     /* brackets ( and [ */
    uint8_t last;     /* kind of the last token */
    bool begins_line; /* of the next token */
    bool quiet;       /* nothing is reported: the parser skips */
    bool said_utf8, said_nul;
} zl_lexer;

/* At the beginning of source number `source` of the unit. */
void zl_lexer_init(zl_lexer *lexer, zl_unit *unit, int32_t source);

/* The next token; at the end of the text ZL_T_FILE_END, as often as it is called. */
zl_token zl_lexer_next(zl_lexer *lexer);

/* Whether a line goes on after such a token. */
bool zl_continues_line(uint8_t kind);

/* ------------------------------------------------- between the lexer's files */

/* The place of bytes [from, to), and an error there (none while the lexer is quiet). */
zl_place zl_lexer_place(const zl_lexer *lexer, int32_t from, int32_t to);
void zl_lexer_report(zl_lexer *lexer, zl_code code, int32_t from, int32_t to, const char *help,
                     const char *format, ...) ZB_PRINTF(6, 7);

/* The byte so many further, '\0' behind the end. */
static inline char zl_lexer_peek(const zl_lexer *lexer, int32_t further)
{
    return further < lexer->length - lexer->at ? lexer->text[lexer->at + further] : '\0';
}

/* The character at a byte; moves it behind. Bytes that are none are reported. */
int32_t zl_lexer_character(zl_lexer *lexer, int32_t *at);

/* Whether the character at a byte may stand in a name; moves it behind if so. */
bool zl_lexer_name_part(zl_lexer *lexer, int32_t *at);

/* A number that begins at lexer->at; the position moves behind it. */
zl_token zl_lex_number(zl_lexer *lexer);

/* Whether a number begins with a point here. */
bool zl_begins_with_point(const zl_lexer *lexer);

/* A sign, of ASCII or not, that the language writes differently: reported, and the token that
 * stands in for it. False when there is no such sign. Kind ZL_T_STOP: nothing stands in for it. */
bool zl_lex_look_alike(zl_lexer *lexer, zl_token *token);

#endif
