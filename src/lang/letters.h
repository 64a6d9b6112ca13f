/*
 * Which characters outside ASCII make up names, and which are spaces. A point is a code point of
 * Unicode.
 */
#ifndef ZL_LETTERS_H
#define ZL_LETTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Letters of any script, outside ASCII. */
bool zl_is_letter(int32_t point);

/* Letters, and marks that stand over, under or after them. */
bool zl_is_letter_or_mark(int32_t point);

/* Spaces other than those of ASCII. */
bool zl_is_space(int32_t point);

#endif
