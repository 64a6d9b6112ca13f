/*
 * The words of the language. They are the first names of every unit: word w has the zl_name w.
 */
#ifndef ZL_WORDS_H
#define ZL_WORDS_H

#include "lang.h"

/* Statements begin with these; `if` is a function, too. */
#define ZL_KEYWORD_LIST(X)                                                                         \
    X(MODEL, "model")                                                                              \
    X(USE, "use")                                                                                  \
    X(PARAM, "param")                                                                              \
    X(COORD, "coord")                                                                              \
    X(LET, "let")                                                                                  \
    X(LAGRANGIAN, "lagrangian")                                                                    \
    X(KINETIC, "kinetic")                                                                          \
    X(POTENTIAL, "potential")                                                                      \
    X(DISSIPATION, "dissipation")                                                                  \
    X(MASS, "mass")                                                                                \
    X(FORCE, "force")                                                                              \
    X(NONIDEAL, "nonideal")                                                                        \
    X(CONSTRAINT, "constraint")                                                                    \
    X(CONTROL, "control")                                                                          \
    X(WEIGHT, "weight")                                                                            \
    X(START, "start")                                                                              \
    X(OUTPUT, "output")                                                                            \
    X(WHEN, "when")                                                                                \
    X(DRAW, "draw")                                                                                \
    X(SIMULATE, "simulate")                                                                        \
    X(FOR, "for")                                                                                  \
    X(IF, "if")                                                                                    \
    X(COMPONENT, "component")                                                                      \
    X(PART, "part")

/* Reserved words inside statements. */
#define ZL_INNER_LIST(X)                                                                           \
    X(ELSE, "else")                                                                                \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(NOT, "not")                                                                                  \
    X(SUM, "sum")                                                                                  \
    X(T, "t")                                                                                      \
    X(PI, "pi")

/* Words that mean something only in their place. */
#define ZL_CONTEXT_LIST(X)                                                                         \
    X(AT, "at")                                                                                    \
    X(IN, "in")                                                                                    \
    X(FIXED, "fixed")                                                                              \
    X(STOP, "stop")                                                                                \
    X(RESTITUTION, "restitution")                                                                  \
    X(FRICTION, "friction")                                                                        \
    X(DATA, "data")                                                                                \
    X(ALONG, "along")                                                                              \
    X(BY, "by")                                                                                    \
    X(WITHIN, "within")                                                                            \
    X(STATIC, "static")                                                                            \
    X(PRESSURE, "pressure")                                                                        \
    X(TANGENTIAL, "tangential")                                                                    \
    X(GAP, "gap")                                                                                  \
    X(SLIP, "slip")                                                                                \
    X(CONTACT, "contact")                                                                          \
    X(IMPULSE, "impulse")                                                                          \
    X(INPUT, "input")

/* The order of ZL_KEYWORD_LIST is that of zl_statement_kind. */
typedef enum zl_word {
#define ZL_WORD_ENUM(symbol, text) ZL_WORD_##symbol,
    ZL_KEYWORD_LIST(ZL_WORD_ENUM) ZL_INNER_LIST(ZL_WORD_ENUM) ZL_CONTEXT_LIST(ZL_WORD_ENUM)
#undef ZL_WORD_ENUM
        ZL_WORD_FUNCTIONS, /* word ZL_WORD_FUNCTIONS + f - 1 names function f; that of `if` is
                              never met, as ZL_WORD_IF comes first */
#define ZL_WORD_COUNT_ONE(symbol, text, least, most) +1
    ZL_WORD_COUNT = ZL_WORD_FUNCTIONS ZL_FUNCTION_LIST(ZL_WORD_COUNT_ONE)
#undef ZL_WORD_COUNT_ONE
} zl_word;

enum { ZL_KEYWORD_COUNT = ZL_WORD_ELSE };

_Static_assert((int)ZL_WORD_MODEL == (int)ZL_MODEL && (int)ZL_WORD_WHEN == (int)ZL_WHEN &&
                   (int)ZL_WORD_PART == (int)ZL_PART && ZL_KEYWORD_COUNT == ZL_PART + 1,
               "keywords and kinds of statements in one order");

const char *zl_word_text(zl_word word);

/* The function a name calls, or ZL_FN_NONE. */
zl_function zl_function_of(zl_name name);

/* The least and the most arguments it takes. */
void zl_function_arity(zl_function function, int32_t *least, int32_t *most);

/* Whether a name is a keyword, or a function that no value may be named after. */
bool zl_is_reserved(zl_name name);

#endif
