/*
 * The codes of lexical and syntactic errors: stable, never used again for something else. Each
 * is explained in docs/messages/lang.md under its title and has a broken model in
 * tests/diag/model.
 */
#ifndef ZL_CODES_H
#define ZL_CODES_H

#define ZL_CODE_LIST(X)                                                                            \
    X(CHARACTER, "E0001", "a character that does not belong to the language")                      \
    X(LOOK_ALIKE, "E0002", "a sign that only looks right")                                         \
    X(NOT_UTF8, "E0003", "bytes that are not UTF-8")                                               \
    X(NUL, "E0004", "a NUL byte")                                                                  \
    X(NUMBER, "E0005", "a number that is not written right")                                       \
    X(TOO_LARGE, "E0006", "a number that is too large")                                            \
    X(STRING, "E0007", "a string without its end")                                                 \
    X(STATEMENT, "E0008", "not a statement")                                                       \
    X(LINE_BEGIN, "E0009", "a line that begins with an operator")                                  \
    X(UNCLOSED, "E0010", "a bracket that is not closed")                                           \
    X(CLOSING, "E0011", "a closing bracket that does not fit")                                     \
    X(NO_BRACE, "E0012", "a block that is not closed")                                             \
    X(BRACE, "E0013", "a brace that closes nothing")                                               \
    X(EXPECTED, "E0014", "something else was expected")                                            \
    X(OPERAND, "E0015", "an expression is missing")                                                \
    X(LEFT_OVER, "E0016", "something left over at the end of a statement")                         \
    X(RESERVED, "E0017", "a reserved word used as a name")                                         \
    X(ARGUMENTS, "E0018", "a wrong number of arguments")                                           \
    X(NO_CALL, "E0019", "a function without its brackets")                                         \
    X(PRIME, "E0020", "a prime on a number")                                                       \
    X(CHAINED, "E0021", "comparisons one after another")                                           \
    X(ASSIGNED, "E0022", "'=' in a condition")                                                     \
    X(COMPARED, "E0023", "'==' where '=' belongs")                                                 \
    X(NOT_VALUE, "E0024", "a condition where a value belongs")                                     \
    X(NOT_CONDITION, "E0025", "a value where a condition belongs")                                 \
    X(RANGE, "E0026", "a range in the wrong place")                                                \
    X(SUM, "E0027", "a sum that is not written right")                                             \
    X(BY_NAME, "E0028", "an argument by name where it may not stand")                              \
    X(BY_POSITION, "E0029", "an argument by position after one by name")                           \
    X(LEFT_SIDE, "E0030", "a left side that must stand in brackets")                               \
    X(NO_NAME, "E0031", "a constraint without a name")                                             \
    X(DRAWING, "E0032", "not something that can be drawn")                                         \
    X(OPTION, "E0033", "not an option of this statement")                                          \
    X(TWICE, "E0034", "an option given twice")                                                     \
    X(DEEP, "E0035", "nested too deeply")                                                          \
    X(LONG, "E0036", "an expression that is too long")                                             \
    X(SOURCE, "E0037", "a source that is too large")                                               \
    X(ELSE, "E0038", "an 'else' without 'if'")                                                     \
    X(INDICES, "E0039", "too many indices")                                                        \
    X(LONG_NAME, "E0040", "a name that is too long")                                               \
    X(RELATION, "E0501", "a constraint with a sign that it cannot have")

typedef enum zl_code {
#define ZL_CODE_ENUM(symbol, code, title) ZL_CODE_##symbol,
    ZL_CODE_LIST(ZL_CODE_ENUM)
#undef ZL_CODE_ENUM
        ZL_CODE_COUNT
} zl_code;

const char *zl_code_text(zl_code code);  /* "E0001" */
const char *zl_code_title(zl_code code); /* the title above */

#endif
