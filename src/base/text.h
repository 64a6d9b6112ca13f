/*
 * Growing text. A zb_text either grows in zb_memory or fills a buffer of the caller; in both
 * cases appending cannot fail half-way: when memory runs out the text remembers it, takes
 * nothing more, and the caller asks once at the end:
 *
 *     zb_text text;
 *     zb_text_init(&text, memory);
 *     zb_text_add(&text, "t = ");
 *     zb_text_double(&text, t);
 *     zw_status status = text.failure;
 *     zb_text_free(&text);
 *
 * Nothing here depends on the locale, except floating-point formats given to zb_text_printf:
 * use zb_text_double for those.
 */
#ifndef ZB_TEXT_H
#define ZB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "utf8.h"

#if defined(__GNUC__)
#define ZB_PRINTF(string, first) __attribute__((format(printf, string, first)))
#else
#define ZB_PRINTF(string, first)
#endif

typedef struct zb_text {
    zb_memory *memory;
    char *data; /* [length + 1], ends with NUL; NULL as long as nothing was appended */
    size_t length;
    size_t capacity;
    bool fixed;        /* data is the caller's: what does not fit is counted only */
    zw_status failure; /* ZW_OK, or why the text is not complete */
} zb_text;

/* An empty text that grows. */
void zb_text_init(zb_text *text, zb_memory *memory);

/* An empty text in buffer [size], which needs no memory and never fails for want of it. What
 * does not fit is cut off, with a NUL at the end when size > 0, but `length` goes on
 * counting. buffer may be NULL when size is 0. */
void zb_text_init_fixed(zb_text *text, char *buffer, size_t size);

/* Empties the text, keeps its memory, forgets a failure. */
void zb_text_clear(zb_text *text);
void zb_text_free(zb_text *text);

/* The text as a C string; "" when there is none. Valid until the next call. */
const char *zb_text_string(const zb_text *text);

/* Appending. Sources must not lie in the text itself. */
void zb_text_bytes(zb_text *text, const char *bytes, size_t size);
void zb_text_add(zb_text *text, const char *string);
void zb_text_char(zb_text *text, char c);
void zb_text_repeat(zb_text *text, char c, size_t count);
void zb_text_printf(zb_text *text, const char *format, ...) ZB_PRINTF(2, 3);
void zb_text_vprintf(zb_text *text, const char *format, va_list arguments) ZB_PRINTF(2, 0);
void zb_text_int(zb_text *text, int64_t value);

/* For a terminal: control characters and bytes that are not UTF-8 as escapes (\n, \x1b), the
 * rest as it is. */
void zb_text_shown(zb_text *text, const char *bytes, size_t size);

/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. A bytes of NULL
 * becomes null. */
void zb_text_json_bytes(zb_text *text, const char *bytes, size_t size);
void zb_text_json_string(zb_text *text, const char *string);

/* Fewest digits of 15, 16, 17 (for subnormal numbers of 1 to 17) that are read back as the
 * same number; nan, inf, -inf in plain text, null for these in JSON. */
void zb_text_double(zb_text *text, double value);
void zb_text_json_double(zb_text *text, double value);

/* The same into a buffer of the caller; the length without the NUL. */
enum { ZB_DOUBLE_SIZE = 32 };
size_t zb_print_double(double value, char buffer[ZB_DOUBLE_SIZE]);

/* Reads a number that takes up the whole text: an optional sign, digits, optionally a point
 * with digits behind it, optionally e or E with an optional sign and digits. The nearest double
 * (of two the even one); too small for a normal one it becomes subnormal or zero. *value is set
 * only when it was read. */
typedef enum zb_number_outcome {
    ZB_NUMBER_READ,
    ZB_NUMBER_MALFORMED,
    ZB_NUMBER_TOO_LARGE /* rounded it would be infinite */
} zb_number_outcome;

zb_number_outcome zb_read_double(const char *text, size_t length, double *value);

#endif
