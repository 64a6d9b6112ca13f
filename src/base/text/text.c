/*
 * Growing text: one function that appends, append_bytes, and around it everything that turns
 * something into bytes. Invariants: a text that grows has capacity > length as soon as it has
 * data; data[length] is NUL; after a failure it does not change any more. A fixed text is the
 * same except that length may pass capacity; then data ends with NUL at its last byte. The
 * text owns data unless it is fixed.
 */
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#ifdef ZB_SMALL_TABLES
enum { FIRST_CAPACITY = 1 };
#else
enum { FIRST_CAPACITY = 64 };
#endif

void zb_text_init(zb_text *text, zb_memory *memory)
{
    *text = (zb_text){.memory = memory};
}

void zb_text_init_fixed(zb_text *text, char *buffer, size_t size)
{
    *text = (zb_text){.data = buffer, .capacity = size, .fixed = true};
    if (size > 0) buffer[0] = '\0';
}

/* A fixed text keeps its buffer, one that grows its memory. */
void zb_text_clear(zb_text *text)
{
    text->length = 0;
    text->failure = ZW_OK;
    if (text->capacity > 0) text->data[0] = '\0';
}

void zb_text_free(zb_text *text)
{
    if (!text->fixed && text->data) zb_resize(text->memory, text->data, text->capacity, 0);
    *text = (zb_text){.memory = text->memory};
}

const char *zb_text_string(const zb_text *text)
{
    return text->capacity > 0 ? text->data : "";
}

/* ---------------------------------------------------------------- appending */

/* Bytes that can be written at data + length, without the NUL. */
static size_t space_left(const zb_text *text)
{
    return text->length < text->capacity ? text->capacity - text->length - 1 : 0;
}

/* Makes room for `more` bytes and the NUL: twice the capacity, or what is needed, and near the
 * budget what the budget allows. False when that failed or the text is fixed. */
static bool grow_text(zb_text *text, size_t more)
{
    if (text->fixed) return false;
    size_t need = zb_sum(zb_sum(text->length, more), 1);
    size_t extra = text->capacity < FIRST_CAPACITY ? FIRST_CAPACITY : text->capacity;
    size_t allowed = zb_room(text->memory);
    size_t next = zb_sum(text->capacity, extra < allowed ? extra : allowed);
    if (next < need) next = need;

    char *data = zb_resize(text->memory, text->data, text->capacity, next);
    if (!data) {
        text->failure = text->memory->failure;
        return false;
    }
    text->data = data;
    text->capacity = next;
    return true;
}

/* Adds `size` bytes whose first ones already stand at data + length. */
static void count_bytes(zb_text *text, size_t size)
{
    text->length = zb_sum(text->length, size);
    if (text->capacity == 0) return;
    size_t end = text->length < text->capacity ? text->length : text->capacity - 1;
    text->data[end] = '\0';
}

/* Appends copies of what `bytes` holds, or of the byte `fill` when bytes is NULL. */
static void append_bytes(zb_text *text, const char *bytes, char fill, size_t size)
{
    if (text->failure != ZW_OK || size == 0) return;
    if (size > space_left(text) && !grow_text(text, size) && !text->fixed) return;
    size_t now = size < space_left(text) ? size : space_left(text);
    if (now > 0 && bytes) memcpy(text->data + text->length, bytes, now);
    if (now > 0 && !bytes) memset(text->data + text->length, fill, now);
    count_bytes(text, size);
}

void zb_text_bytes(zb_text *text, const char *bytes, size_t size)
{
    if (bytes) append_bytes(text, bytes, 0, size);
}

void zb_text_add(zb_text *text, const char *string)
{
    zb_text_bytes(text, string, strlen(string));
}

void zb_text_char(zb_text *text, char c)
{
    append_bytes(text, NULL, c, 1);
}

void zb_text_repeat(zb_text *text, char c, size_t times)
{
    append_bytes(text, NULL, c, times);
}

/* ----------------------------------------------------------------- formats */

/* Formats into the space there is; the length of the whole, negative for a bad format. */
static int format_here(zb_text *text, const char *format, va_list arguments)
{
    va_list copy;
    va_copy(copy, arguments);
    bool any = text->length < text->capacity;
    char *end = any ? text->data + text->length : NULL;
    int size = vsnprintf(end, any ? space_left(text) + 1 : 0, format, copy);
    va_end(copy);
    return size;
}

/* Formats straight into the space there is, and once more where that was not enough. */
void zb_text_vprintf(zb_text *text, const char *format, va_list arguments)
{
    if (text->failure != ZW_OK) return;
    int size = format_here(text, format, arguments);
    if (size > 0 && (size_t)size > space_left(text) && grow_text(text, (size_t)size))
        size = format_here(text, format, arguments);
    if (size < 0) text->failure = ZW_ERR_ARGUMENT;
    /* An attempt that failed has left half a text behind the end: to count 0 takes it off. */
    count_bytes(text, text->failure == ZW_OK ? (size_t)size : 0);
}

void zb_text_printf(zb_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    zb_text_vprintf(text, format, arguments);
    va_end(arguments);
}

void zb_text_int(zb_text *text, int64_t value)
{
    zb_text_printf(text, "%" PRId64, value);
}

/* Character by character, as each would be shown (zb_glyph_next). */
void zb_text_shown(zb_text *text, const char *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        zb_glyph glyph = zb_glyph_next(bytes, size, &at);
        zb_text_bytes(text, glyph.bytes, glyph.size);
    }
}

/* --------------------------------------------------------------------- JSON */

/* Escapes what JSON demands and, so that JSON can be shown on a terminal too, every other
 * control character. All of these are below U+10000: one \u each. */
static void append_json_point(zb_text *text, int32_t point)
{
    static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    char bytes[4];
    for (const char *pair = letters; *pair; pair += 2)
        if (point == *pair) {
            zb_text_char(text, '\\');
            zb_text_char(text, pair[1]);
            return;
        }
    if (zb_utf8_is_control(point))
        zb_text_printf(text, "\\u%04x", (unsigned)point);
    else
        zb_text_bytes(text, bytes, zb_utf8_put(point, bytes));
}

/* Character by character; what is not UTF-8 becomes the replacement character. */
void zb_text_json_bytes(zb_text *text, const char *bytes, size_t size)
{
    if (!bytes) {
        zb_text_add(text, "null");
        return;
    }
    zb_text_char(text, '"');
    for (size_t at = 0; at < size;) {
        int32_t point = zb_utf8_next(bytes, size, &at);
        append_json_point(text, point == ZB_UTF8_BAD ? 0xfffd : point);
    }
    zb_text_char(text, '"');
}

void zb_text_json_string(zb_text *text, const char *string)
{
    zb_text_json_bytes(text, string, string ? strlen(string) : 0);
}
