/*
 * Doubles as text. printf and strtod write and read the decimal point of the locale, which
 * may be a comma or several bytes; as both use the same one, the test whether a text is read
 * back as the same number needs no care. Only then is whatever is neither digit, sign nor
 * exponent replaced by a point.
 *
 * Fifteen digits always survive the way through a normal double, and %g drops zeros at the
 * end, so trying 15, 16 and 17 digits finds every shorter text. Subnormal numbers carry fewer
 * digits; for them the search begins with one. Seventeen are always enough.
 */
#include "text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces the decimal point of the locale, however long, by '.'; the new length. */
static size_t replace_point(char *digits)
{
    size_t point = strspn(digits, "+-0123456789e");
    size_t width = strcspn(digits + point, "+-0123456789e");
    if (width == 0) return point;
    digits[point] = '.';
    memmove(digits + point + 1, digits + point + width, strlen(digits + point + width) + 1);
    return strlen(digits);
}

/* A word instead of digits; its length. */
static size_t copy_word(char buffer[ZB_DOUBLE_SIZE], const char *word)
{
    strcpy(buffer, word);
    return strlen(word);
}

/* Tries more and more digits until the text is read back as the same number. */
size_t zb_print_double(double value, char buffer[ZB_DOUBLE_SIZE])
{
    if (isnan(value)) return copy_word(buffer, "nan");
    if (isinf(value)) return copy_word(buffer, value < 0 ? "-inf" : "inf");
    int digits = value != 0 && fabs(value) < DBL_MIN ? 1 : 15;
    for (; digits <= 17; digits++) {
        snprintf(buffer, ZB_DOUBLE_SIZE, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) break;
    }
    return replace_point(buffer);
}

void zb_text_double(zb_text *text, double value)
{
    char buffer[ZB_DOUBLE_SIZE];
    zb_text_bytes(text, buffer, zb_print_double(value, buffer));
}

/* JSON has no word for infinity and NaN: null. */
void zb_text_json_double(zb_text *text, double value)
{
    if (isfinite(value))
        zb_text_double(text, value);
    else
        zb_text_add(text, "null");
}
