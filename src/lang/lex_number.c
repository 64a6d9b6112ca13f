/*
 * Numbers: digits, optionally a point with digits behind it, optionally an exponent. The point
 * of `1..N` belongs to the range. What a person may write instead (`1.`, `.5`, `2x`, `1e`,
 * `1.2.3`, `0x1f`) is reported as a whole and stands for some number.
 */
#include "lexer.h"

static bool is_ascii_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_digits(zl_lexer *lexer)
{
    while (is_ascii_digit(zl_lexer_peek(lexer, 0))) lexer->at++;
}

/* `.5`; behind a name or a bracket the point is that of a member. */
bool zl_begins_with_point(const zl_lexer *lexer)
{
    if (zl_lexer_peek(lexer, 0) != '.' || !is_ascii_digit(zl_lexer_peek(lexer, 1))) return false;
    bool adjacent = lexer->end == lexer->at;
    bool operand = lexer->last == ZL_T_NAME || lexer->last == ZL_T_CLOSE ||
                   lexer->last == ZL_T_CLOSE_INDEX || lexer->last == ZL_T_PRIME;
    return !(adjacent && operand);
}

/* Moves behind e-3, E12; not where there are no digits behind the letter. */
static void skip_exponent(zl_lexer *lexer)
{
    char c = zl_lexer_peek(lexer, 0), next = zl_lexer_peek(lexer, 1);
    bool sign = next == '+' || next == '-';
    if ((c != 'e' && c != 'E') || !is_ascii_digit(zl_lexer_peek(lexer, sign ? 2 : 1))) return;
    lexer->at += sign ? 2 : 1;
    skip_digits(lexer);
}

/* Whether a point follows that is not that of a range. */
static bool is_stray_point(const zl_lexer *lexer)
{
    return zl_lexer_peek(lexer, 0) == '.' && zl_lexer_peek(lexer, 1) != '.';
}

/* Skips letters, digits and points that belong to the number by their looks. */
static void skip_number_rest(zl_lexer *lexer)
{
    for (;;) {
        if (is_stray_point(lexer)) lexer->at++;
        if (!zl_lexer_name_part(lexer, &lexer->at) && !is_stray_point(lexer)) return;
    }
}

/* Reports a number with something behind it that should not be there: bytes [from, lexer->at), of
 * which the number itself ends at number_end. */
static void report_bad_number(zl_lexer *lexer, int32_t from, int32_t number_end)
{
    enum { SHOWN = 40 };
    int32_t length = lexer->at - from;
    char first = lexer->text[number_end];
    const char *help = "a name cannot begin with a digit; to multiply write '*' between them";
    if (lexer->text[from] == '.')
        help = "write a digit before the point: 0.5";
    else if (first == '.')
        help = "write a digit after the point, 1.0, or leave the point out";
    else if ((first == 'e' || first == 'E') && lexer->at - number_end == 1)
        help = "write digits after the 'e': 1e-3";
    else if (number_end - from == 1 && lexer->text[from] == '0' && (first == 'x' || first == 'b'))
        help = "numbers are decimal";
    zl_lexer_report(lexer, ZL_CODE_NUMBER, from, lexer->at, help, "'%.*s%s' is not a number",
                    (int)(length > SHOWN ? SHOWN : length), lexer->text + from,
                    length > SHOWN ? "..." : "");
}

/* The double nearest to the digits [from, to); 1 after a message where it is too large. */
static double read_number_value(zl_lexer *lexer, int32_t from, int32_t to)
{
    double value = 0;
    size_t length = (size_t)(to - from);
    if (zb_read_double(lexer->text + from, length, &value) == ZB_NUMBER_TOO_LARGE) {
        zl_lexer_report(lexer, ZL_CODE_TOO_LARGE, from, to, NULL,
                        "this number is too large; the largest is about 1.8e308");
        value = 1;
    }
    return value;
}

/* What is wrong with it is reported as a whole; such a token has the value 0. */
zl_token zl_lex_number(zl_lexer *lexer)
{
    int32_t from = lexer->at;
    bool point_first = lexer->text[from] == '.';
    skip_digits(lexer);
    if (zl_lexer_peek(lexer, 0) == '.' && is_ascii_digit(zl_lexer_peek(lexer, 1))) {
        lexer->at++;
        skip_digits(lexer);
    }
    skip_exponent(lexer);
    int32_t end = lexer->at;
    skip_number_rest(lexer);
    zl_token token = {.kind = ZL_T_NUMBER, .at = from, .length = lexer->at - from, .name = -1};
    if (lexer->at > end || point_first)
        report_bad_number(lexer, from, end);
    else
        token.number = read_number_value(lexer, from, end);
    return token;
}
