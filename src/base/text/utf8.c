/*
 * UTF-8 after RFC 3629: one to four bytes, the shortest form only, no surrogates, nothing
 * above U+10FFFF. The tables of widths are ranges of Unicode 15 in ascending order, joined
 * where the gaps hold nothing that a model would contain.
 */
#include "utf8.h"

#include <stdio.h>
#include <string.h>

/* The length of the sequence a first byte announces, its own bits of the code point, and the
 * smallest code point that needs this length. Length 0: no sequence begins so. */
typedef struct lead {
    size_t length;
    int32_t bits, least;
} lead;

/* What the first byte of a sequence says. */
static lead read_lead(unsigned char byte)
{
    if (byte < 0x80) return (lead){1, byte, 0};
    if (byte < 0xc0) return (lead){0};
    if (byte < 0xe0) return (lead){2, byte & 0x1f, 0x80};
    if (byte < 0xf0) return (lead){3, byte & 0x0f, 0x800};
    if (byte < 0xf8) return (lead){4, byte & 0x07, 0x10000};
    return (lead){0};
}

/* The code point of the sequence at the start of `bytes`, of which `left` may be read, and how many
 * it takes; ZB_UTF8_BAD, and *used as it was, where there is none. */
static int32_t decode_sequence(const char *bytes, size_t left, size_t *used)
{
    lead first = read_lead((unsigned char)bytes[0]);
    int32_t point = first.bits;
    if (first.length == 0 || first.length > left) return ZB_UTF8_BAD;
    for (size_t i = 1; i < first.length; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if ((byte & 0xc0) != 0x80) return ZB_UTF8_BAD;
        point = point << 6 | (byte & 0x3f);
    }
    bool surrogate = point >= 0xd800 && point <= 0xdfff;
    if (point < first.least || surrogate || point > 0x10ffff) return ZB_UTF8_BAD;
    *used = first.length;
    return point;
}

/* A byte that begins no valid sequence is passed alone: the next may begin one. */
int32_t zb_utf8_next(const char *text, size_t length, size_t *at)
{
    size_t used = 1;
    int32_t point = decode_sequence(text + *at, length - *at, &used);
    *at += used;
    return point;
}

/* Six bits a byte from the back; what is left goes into the first byte under its mark. */
size_t zb_utf8_put(int32_t point, char bytes[4])
{
    size_t length = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const int32_t marks[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length; i-- > 1; point >>= 6) bytes[i] = (char)(0x80 | (point & 0x3f));
    bytes[0] = (char)(marks[length] | point);
    return length;
}

/* Bytes that are not UTF-8 count one each, as everywhere. */
int32_t zb_utf8_columns(const char *text, size_t from, size_t to)
{
    int32_t columns = 0;
    while (from < to && columns < INT32_MAX) {
        zb_utf8_next(text, to, &from);
        columns++;
    }
    return columns;
}

/* -------------------------------------------------------------------- shown */

/* Code points from first to last, both included. */
typedef struct range {
    int32_t first, last;
} range;

static const range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200b, 0x200d},
    {0x2060, 0x2064}, {0x20d0, 0x20f0}, {0x302a, 0x302d},   {0x3099, 0x309a}, {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0000, 0xe01ef},
};

static const range double_width[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x2e80, 0x303e},
    {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},
    {0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
    {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

static const range control[] = {
    {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c}, {0x200e, 0x200f},
    {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfff9, 0xfffb},
};

/* Whether a code point lies in one of `count` ranges, which ascend. */
static bool is_in_ranges(int32_t point, const range *ranges, size_t count)
{
    for (size_t i = 0; i < count && ranges[i].first <= point; i++)
        if (point <= ranges[i].last) return true;
    return false;
}

bool zb_utf8_is_control(int32_t point)
{
    return is_in_ranges(point, control, sizeof control / sizeof *control);
}

/* Below U+0300 every character counts as one column. */
int32_t zb_utf8_width(int32_t point)
{
    if (point < 0x300) return 1;
    if (is_in_ranges(point, zero_width, sizeof zero_width / sizeof *zero_width)) return 0;
    return is_in_ranges(point, double_width, sizeof double_width / sizeof *double_width) ? 2 : 1;
}

/* \t, \n, \r by their letters, other bytes as \x1b, the rest (all below U+10000) as \u202e. */
static zb_glyph escape_glyph(int32_t point, unsigned char byte)
{
    static const char controls[] = "\t\n\r", letters[] = "tnr";
    zb_glyph glyph = {0};
    const char *found = point > 0 && point < ' ' ? strchr(controls, point) : NULL;
    int size;
    if (found)
        size = snprintf(glyph.bytes, sizeof glyph.bytes, "\\%c", letters[found - controls]);
    else if (point < 0x80)
        size = snprintf(glyph.bytes, sizeof glyph.bytes, "\\x%02x", (unsigned)byte);
    else
        size = snprintf(glyph.bytes, sizeof glyph.bytes, "\\u%04x", (unsigned)point & 0xffff);
    glyph.size = (size_t)size;
    glyph.width = size;
    return glyph;
}

/* The bytes as they are, or an escape where they must not be shown. */
zb_glyph zb_glyph_next(const char *text, size_t length, size_t *at)
{
    const char *start = text + *at;
    int32_t point = zb_utf8_next(text, length, at);
    if (point == ZB_UTF8_BAD || zb_utf8_is_control(point))
        return escape_glyph(point, (unsigned char)*start);
    zb_glyph glyph = {.size = (size_t)(text + *at - start), .width = zb_utf8_width(point)};
    memcpy(glyph.bytes, start, glyph.size);
    return glyph;
}
