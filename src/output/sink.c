/*
 * A buffer before the caller's function. Bytes are handed on when the buffer is full and when the
 * format says so; formats of text ask for room for a whole row, so that what was handed on ends
 * with one. A refusal is remembered, and bytes are dropped from then on.
 */
#include "format.h"

#include <string.h>

/* Nothing is handed on after a refusal; the buffer is empty in any case. */
void zo_flush(zo_sink *sink)
{
    if (sink->used > 0 && !sink->failed)
        sink->failed = !sink->write(sink->user, sink->buffer, sink->used);
    sink->used = 0;
}

char *zo_room(zo_sink *sink, size_t size)
{
    if (size > sink->size - sink->used) zo_flush(sink);
    return sink->buffer + sink->used;
}

void zo_take(zo_sink *sink, size_t size)
{
    sink->used += size;
    sink->count += size;
}

/* Fills the buffer, and hands it on as often as it is full. */
void zo_put(zo_sink *sink, const void *bytes, size_t size)
{
    for (const char *from = bytes; size > 0;) {
        if (sink->used == sink->size) zo_flush(sink);
        size_t space = sink->size - sink->used;
        size_t now = size < space ? size : space;
        memcpy(sink->buffer + sink->used, from, now);
        zo_take(sink, now);
        from += now;
        size -= now;
    }
}

void zo_put_string(zo_sink *sink, const char *string)
{
    zo_put(sink, string, strlen(string));
}

/* 64 at a time. */
void zo_put_zeros(zo_sink *sink, size_t size)
{
    static const char zeros[64];
    for (; size > sizeof zeros; size -= sizeof zeros) zo_put(sink, zeros, sizeof zeros);
    zo_put(sink, zeros, size);
}

/* ----------------------------------------------------------- little-endian */

/* The lowest `size` bytes of a number, the lowest first. */
static void put_little(zo_sink *sink, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < size; i++) bytes[i] = (unsigned char)(value >> 8 * i);
    zo_put(sink, bytes, size);
}

void zo_put_16(zo_sink *sink, uint32_t value)
{
    put_little(sink, value, 2);
}

void zo_put_32(zo_sink *sink, uint32_t value)
{
    put_little(sink, value, 4);
}

void zo_put_64(zo_sink *sink, uint64_t value)
{
    put_little(sink, value, 8);
}

/* The eight bytes of each, the lowest first. */
void zo_put_doubles(zo_sink *sink, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        unsigned char *to = (unsigned char *)zo_room(sink, sizeof bits);
        for (int k = 0; k < 8; k++) to[k] = (unsigned char)(bits >> 8 * k);
        zo_take(sink, sizeof bits);
    }
}
