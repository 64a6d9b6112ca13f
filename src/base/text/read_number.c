/*
 * Decimal numbers from text, correctly rounded, whatever the locale. A number is D * 10^e with
 * the digits D as an integer. Where D has at most fifteen digits and |e| <= 22, D and 10^|e| are
 * doubles without error, and one multiplication or division rounds once. Otherwise strtod gets
 * D and e written without a decimal point ("15e-1"): the point is all that it takes from the
 * locale.
 *
 * Two neighbouring doubles, or their middle, differ within the first 768 digits. Of longer
 * numbers KEPT digits are taken, and a 1 after them stands for anything but zeros.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "text.h"

/* More digits than can decide; exponents past the limit give 0 or infinity whatever the digits. */
enum { KEPT = 800, EXPONENT_LIMIT = 1000000 };

/* A number D 10^e as it is read. */
typedef struct decimal {
    char digits[KEPT + 32]; /* without zeros in front; room for a 1 and the exponent */
    size_t count;
    bool more;        /* digits that are not zero were left out */
    int64_t exponent; /* of ten, that the digits are multiplied with */
} decimal;

static bool is_decimal_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* One more digit of D. `fraction`: it stands behind the point. Zeros in front only move the
 * exponent; of digits past KEPT it is remembered whether one was not zero. */
static void take_digit(decimal *d, char c, bool fraction)
{
    if (d->count == 0 && c == '0') {
        d->exponent -= fraction;
    } else if (d->count < KEPT) {
        d->digits[d->count++] = c;
        d->exponent -= fraction;
    } else {
        d->more = d->more || c != '0';
        d->exponent += !fraction;
    }
}

/* Digits from text[at] on; where they end. */
static size_t take_digits(decimal *d, const char *text, size_t at, size_t length, bool fraction)
{
    while (at < length && is_decimal_digit(text[at])) take_digit(d, text[at++], fraction);
    return at;
}

/* The exponent behind e; false when it has no digits. Stays at the limit, past which only 0
 * and infinity are left: texts are far shorter. */
static bool take_exponent(decimal *d, const char *text, size_t at, size_t length, size_t *end)
{
    int64_t value = 0;
    bool negative = at < length && text[at] == '-';
    if (at < length && (text[at] == '-' || text[at] == '+')) at++;
    if (at >= length || !is_decimal_digit(text[at])) return false;
    for (; at < length && is_decimal_digit(text[at]); at++)
        if (value < INT64_MAX / 100) value = 10 * value + (text[at] - '0');
    d->exponent += negative ? -value : value;
    *end = at;
    return true;
}

/* D and e of an unsigned number that takes up the whole text. */
static bool take_decimal(decimal *d, const char *text, size_t length)
{
    size_t at = take_digits(d, text, 0, length, false);
    if (at == 0) return false;
    if (at < length && text[at] == '.') {
        size_t end = take_digits(d, text, at + 1, length, true);
        if (end == at + 1) return false;
        at = end;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E'))
        if (!take_exponent(d, text, at + 1, length, &at)) return false;
    return at == length;
}

/* D 10^e where D and 10^|e| are doubles without error; false when they are not. */
static bool value_exact(const decimal *d, double *value)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->count > 15 || d->exponent > 22 || d->exponent < -22) return false;
    int64_t integer = 0;
    for (size_t i = 0; i < d->count; i++) integer = 10 * integer + (d->digits[i] - '0');
    *value = d->exponent < 0 ? (double)integer / tens[-d->exponent]
                             : (double)integer * tens[d->exponent];
    return true;
}

/* The value of any D and e, by strtod on text without a point; errno stays as it was. HUGE_VAL
 * where the number is too large. */
static double value_by_strtod(decimal *d)
{
    if (d->more) {
        d->digits[d->count++] = '1';
        d->exponent--;
    }
    if (d->exponent > EXPONENT_LIMIT) d->exponent = EXPONENT_LIMIT;
    if (d->exponent < -EXPONENT_LIMIT) d->exponent = -EXPONENT_LIMIT;
    snprintf(d->digits + d->count, sizeof d->digits - d->count, "e%d", (int)d->exponent);
    int before = errno;
    double value = strtod(d->digits, NULL);
    errno = before;
    return value;
}

/* The sign is taken off here: what follows works on a number that is not negative. */
zb_number_outcome zb_read_double(const char *text, size_t length, double *value)
{
    decimal d;
    d.count = 0, d.more = false, d.exponent = 0; /* the digits are written before they are read */
    bool negative = length > 0 && text[0] == '-';
    size_t sign = length > 0 && (negative || text[0] == '+');
    if (!take_decimal(&d, text + sign, length - sign)) return ZB_NUMBER_MALFORMED;
    double size = 0;
    if (d.count > 0 && !value_exact(&d, &size)) size = value_by_strtod(&d);
    if (isinf(size)) return ZB_NUMBER_TOO_LARGE;
    *value = negative ? -size : size;
    return ZB_NUMBER_READ;
}
