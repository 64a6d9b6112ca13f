/*
 * UTF-8: decoding with validation, counting characters, and how a character is shown to a
 * person. A character is a code point; a byte that belongs to no valid sequence counts as one
 * character of its own. Everything that speaks of columns counts with these functions.
 */
#ifndef ZB_UTF8_H
#define ZB_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Stands for a byte that belongs to no valid sequence. */
enum { ZB_UTF8_BAD = -1 };

/* The code point at text[*at], where *at < length; moves *at behind it. ZB_UTF8_BAD, and *at
 * one further, for what is not UTF-8: a stray or missing continuation byte, an overlong form, a
 * surrogate, a number above U+10FFFF. Bytes from text[length] on are not read. */
int32_t zb_utf8_next(const char *text, size_t length, size_t *at);

/* Writes a code point that zb_utf8_next can return; the number of bytes, 1 to 4. */
size_t zb_utf8_put(int32_t point, char bytes[4]);

/* Characters in text[from] up to before text[to]; at most INT32_MAX. */
int32_t zb_utf8_columns(const char *text, size_t from, size_t to);

/* Columns a terminal uses for it: 0 for marks that stand over the character before, 2 for the
 * wide characters of East Asia and pictures, else 1. Good enough for carets. */
int32_t zb_utf8_width(int32_t point);

/* Whether it must not be sent to a terminal as it is: control characters, line separators, and
 * the marks that reverse the direction of writing. */
bool zb_utf8_is_control(int32_t point);

/* What to print for one character: itself, or for control characters and bad bytes an escape
 * (\n, \x1b, \u202e). */
typedef struct zb_glyph {
    char bytes[8];
    size_t size;
    int32_t width; /* columns */
} zb_glyph;

/* The glyph of the character at text[*at], where *at < length; moves *at behind it. */
zb_glyph zb_glyph_next(const char *text, size_t length, size_t *at);

#endif
