/*
 * The parser's state and what its files share. It is a parser by recursive descent with one token
 * of lookahead: a function for each kind of statement and each level of operators.
 *
 * Errors: zl_complain reports and the parser goes on as if nothing had been wrong; zl_fail
 * reports and makes the current token ZL_T_STOP, which matches nothing, so that every function
 * comes to its end without a further message; zl_recover then skips to the end of the statement.
 *
 * Lists grow on the unit's scratch stack and are copied to the arena when they are complete.
 */
#ifndef ZL_PARSER_H
#define ZL_PARSER_H

#include "lexer.h"
#include "words.h"

typedef struct zl_parser {
    zl_unit *unit;
    zl_lexer lexer;
    zl_token token;   /* the next one */
    zl_token before;  /* the one before it */
    zl_token stuck;   /* where the parser failed */
    zl_token bracket; /* the innermost that is open; ZL_T_STOP: none */
    bool failed;
    bool else_lost; /* the `if` of an `else` that may follow was not understood */
    bool condition; /* inside a condition: '=' is taken for '==' */
    bool output;    /* inside an output, where columns may stand: kinetic, force(x), ... */
    int32_t depth;
    bool declared[ZL_WORD_COUNT]; /* reserved words declared as names, which has been reported */
} zl_parser;

/* ------------------------------------------------------------------- tokens */

/* Takes the next token. After a failure nothing moves until zl_recover. */
void zl_advance(zl_parser *p);

/* Takes the next token if it is of this kind; whether it was. */
bool zl_accept(zl_parser *p, zl_token_kind kind);

/* The token must come now, else the parser fails; `what` says it: "':' after the condition". */
bool zl_expect(zl_parser *p, zl_token_kind kind, const char *what, const char *help);

/* Whether the next token is that word, in its place only. */
bool zl_at_word(const zl_parser *p, zl_word word);

/* Whether a statement cannot go on with the next token. */
bool zl_at_end(const zl_parser *p);

/* Whether the next token begins a line and a statement, so that it cannot be part of this one. */
bool zl_at_statement(const zl_parser *p);

zl_place zl_token_place(const zl_parser *p, zl_token token);

/* The next byte on the line behind the next token that is not a blank. */
char zl_byte_behind(const zl_parser *p);

/* From a byte to the end of the token before. */
zl_place zl_place_from(const zl_parser *p, int32_t from);

/* ------------------------------------------------------------------- errors */

void zl_complain(zl_parser *p, zl_code code, zl_place place, const char *help, const char *format,
                 ...) ZB_PRINTF(5, 6);
void zl_fail(zl_parser *p, zl_code code, zl_place place, const char *help, const char *format, ...)
    ZB_PRINTF(5, 6);

/* As zl_fail, where it has been said what is wrong. */
void zl_stop(zl_parser *p);

/* The next token in words: "'x'", "the end of the line". */
enum { ZL_FOUND_SIZE = 80 };
typedef struct zl_found {
    char text[ZL_FOUND_SIZE];
} zl_found;
zl_found zl_found_token(const zl_parser *p);

/* The help for a name behind a value: a product, or a unit. */
const char *zl_unit_help(const zl_parser *p);

/* Fails with "expected WHAT, but found ...". */
void zl_fail_expected(zl_parser *p, zl_code code, const char *what, const char *help);

/* Skips to the end of the statement, or with `block` to a { before it. */
void zl_recover(zl_parser *p, bool block);

/* Takes a bracket, and expects the one that closes it; an unclosed one is reported where it
 * opens. */
typedef struct zl_bracket {
    zl_token open, outer;
} zl_bracket;
zl_bracket zl_open(zl_parser *p);
void zl_close(zl_parser *p, zl_bracket bracket);

/* One level deeper; false, with a message, where that is too deep. Leave only after true. */
bool zl_enter(zl_parser *p, zl_token at);
void zl_leave(zl_parser *p);

/* -------------------------------------------------------------------- lists */

/* The list that begins now; push appends `size` bytes, take copies all of it to the arena. */
int32_t zl_list_begin(const zl_parser *p);
void zl_list_push(zl_parser *p, const void *item, size_t size);
void *zl_list_take(zl_parser *p, int32_t begin, size_t size, size_t align, int32_t *count);

#define ZL_LIST_TAKE(p, begin, type, count)                                                        \
    ((type *)zl_list_take((p), (begin), sizeof(type), _Alignof(type), (count)))

/* -------------------------------------------------------------- expressions */

const zl_expr *zl_parse_value(zl_parser *p);
const zl_expr *zl_parse_condition(zl_parser *p);

/* The left side of an equation: a value that ends before a comparison. */
const zl_expr *zl_parse_side(zl_parser *p);

/* A name with indices and members: what statements speak of. `what` for the message. */
const zl_expr *zl_parse_reference(zl_parser *p, const char *what);

/* A new name with indices: ZL_NAME or ZL_INDEX of it. */
const zl_expr *zl_parse_target(zl_parser *p, const char *what, zl_name *name);

/* COMPONENT or COMPONENT(arguments), some by name. */
const zl_expr *zl_parse_instance(zl_parser *p);

/* FIRST..LAST */
void zl_parse_range(zl_parser *p, const zl_expr **first, const zl_expr **last);

/* Values in brackets, the opening one being the next token; at least one. */
const zl_expr *const *zl_parse_list(zl_parser *p, int32_t *count);

/* A name that is declared here; -1 after an error. */
zl_name zl_parse_new_name(zl_parser *p, const char *what, zl_place *place);

/* Between the files of expressions: a value or a condition; an operand of '^'. */
const zl_expr *zl_parse_expression(zl_parser *p);
const zl_expr *zl_parse_postfix(zl_parser *p);
/* A new expression whose place is its mark, and one after an error. */
zl_expr *zl_new_expr(zl_parser *p, zl_expr_kind kind, zl_place mark);
const zl_expr *zl_broken(zl_parser *p);

/* Makes `e` at least one level higher than `child`; fails when that is too high. */
void zl_stack(zl_parser *p, zl_expr *e, const zl_expr *child);

/* Reports an expression that is not of the sort needed. */
void zl_want_value(zl_parser *p, const zl_expr *e);
void zl_want_condition(zl_parser *p, const zl_expr *e);

/* --------------------------------------------------------------- statements */

/* The statement behind a keyword, which has been taken. */
void zl_parse_statement(zl_parser *p, zl_statement *s);

/* for, if, component: likewise, with their blocks. */
void zl_parse_for(zl_parser *p, zl_statement *s);
void zl_parse_if(zl_parser *p, zl_statement *s);
void zl_parse_component(zl_parser *p, zl_statement *s);

/* NAME, NAME = VALUE, ... up to the closing bracket, which is taken. */
const zl_definition *zl_parse_parameters(zl_parser *p, bool defaults, int32_t *count);

/* LEFT = RIGHT, ... */
const zl_equation *zl_parse_equation_list(zl_parser *p, bool fixed, int32_t *count);

/* '=', or '==' with a message. */
bool zl_expect_assign(zl_parser *p, const char *after);

/* ':' behind what a statement speaks of. */
void zl_expect_colon(zl_parser *p, const zl_statement *s, const char *what);

/* The one target of a statement. */
void zl_set_target(zl_parser *p, zl_statement *s, const zl_expr *target);

/* constraint and control; friction and restitution, likewise. */
void zl_parse_constraint(zl_parser *p, zl_statement *s);
void zl_parse_contact_law(zl_parser *p, zl_statement *s);

/* draw, simulate and data, likewise; KEY = VALUE, ... of a statement that takes options. */
void zl_parse_draw(zl_parser *p, zl_statement *s);
void zl_parse_simulate(zl_parser *p, zl_statement *s);
void zl_parse_data(zl_parser *p, zl_statement *s);
void zl_parse_settings(zl_parser *p, zl_statement *s);

/* The characters between the quotes of a string. */
const char *zl_string_text(zl_parser *p, zl_token token);

#endif
