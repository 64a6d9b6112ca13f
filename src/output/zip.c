/*
 * A stored zip: each member is a header and its bytes as they are; a directory at the end repeats
 * the headers with their places (PKWARE's APPNOTE, 4.3). Sizes, offsets and the number of members
 * that do not fit are written as all ones and stand in a ZIP64 record (4.3.14, 4.5.3). Names are
 * UTF-8 (bit 11), and the time is the first there is, so that the same numbers give the same file.
 *
 * CRC-32 by eight tables, eight bytes at a time: table[j][b] is the CRC of byte b with j zero bytes
 * behind it.
 */
#include "format.h"

#include <string.h>

enum {
    plain_version = 20,
    zip64_version = 45,
    utf8_names = 1 << 11,
    first_of_1980 = 1 << 5 | 1, /* year 0, month 1, day 1 */
    zip64_field = 1
};

static const uint32_t all_ones = UINT32_MAX;

/* --------------------------------------------------------------------- CRC */

/* The usual polynomial of CRC-32, bits reversed; each further table from the one before. */
void zo_crc_init(zo_crc *crc)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t c = b;
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? UINT32_C(0xedb88320) : 0);
        crc->table[0][b] = c;
    }
    for (int j = 1; j < 8; j++)
        for (uint32_t b = 0; b < 256; b++) {
            uint32_t c = crc->table[j - 1][b];
            crc->table[j][b] = c >> 8 ^ crc->table[0][c & 255];
        }
}

/* Eight bytes at a time by eight tables, then byte by byte. */
uint32_t zo_crc_add(const zo_crc *crc, uint32_t before, const void *bytes, size_t size)
{
    const unsigned char *b = bytes;
    uint32_t c = ~before;
    for (; size >= 8; size -= 8, b += 8) {
        c ^= b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        c = crc->table[7][c & 255] ^ crc->table[6][c >> 8 & 255] ^ crc->table[5][c >> 16 & 255] ^
            crc->table[4][c >> 24] ^ crc->table[3][b[4]] ^ crc->table[2][b[5]] ^
            crc->table[1][b[6]] ^ crc->table[0][b[7]];
    }
    for (; size > 0; size--, b++) c = c >> 8 ^ crc->table[0][(c ^ *b) & 255];
    return ~c;
}

/* ----------------------------------------------------------------- headers */

/* The value, or all ones where it does not fit: it then stands in a ZIP64 record. */
static uint32_t fit_32(uint64_t value)
{
    return value < all_ones ? (uint32_t)value : all_ones;
}

static uint32_t fit_16(uint64_t value)
{
    return value < 0xffff ? (uint32_t)value : 0xffff;
}

/* What both headers have in common, from the version on: up to and with the length of the name. */
static void put_common(zo_sink *sink, const zo_member *member, bool large)
{
    zo_put_16(sink, large ? zip64_version : plain_version);
    zo_put_16(sink, utf8_names);
    zo_put_16(sink, 0); /* stored */
    zo_put_16(sink, 0); /* midnight */
    zo_put_16(sink, first_of_1980);
    zo_put_32(sink, member->crc);
    zo_put_32(sink, fit_32(member->size));
    zo_put_32(sink, fit_32(member->size));
    zo_put_16(sink, (uint32_t)strlen(member->name));
}

/* Sizes are known beforehand; those that do not fit go to the extra field of ZIP64. */
void zo_zip_local(zo_sink *sink, const zo_member *member)
{
    bool large = member->size >= all_ones;
    zo_put(sink, "PK\3\4", 4);
    put_common(sink, member, large);
    zo_put_16(sink, large ? 20 : 0); /* bytes of the extra field */
    zo_put_string(sink, member->name);
    if (!large) return;
    zo_put_16(sink, zip64_field);
    zo_put_16(sink, 16);
    zo_put_64(sink, member->size);
    zo_put_64(sink, member->size);
}

/* As the local header, with the offset, which may also need ZIP64. */
void zo_zip_central(zo_sink *sink, const zo_member *member)
{
    bool large = member->size >= all_ones, far = member->offset >= all_ones;
    uint32_t extra = (large ? 16U : 0U) + (far ? 8U : 0U);
    zo_put(sink, "PK\1\2", 4);
    zo_put_16(sink, large || far ? zip64_version : plain_version); /* made by */
    put_common(sink, member, large || far);
    zo_put_16(sink, extra > 0 ? extra + 4 : 0);
    zo_put_zeros(sink, 2 + 2 + 2 + 4); /* comment, disk, attributes */
    zo_put_32(sink, fit_32(member->offset));
    zo_put_string(sink, member->name);
    if (extra == 0) return;
    zo_put_16(sink, zip64_field);
    zo_put_16(sink, extra);
    if (large) zo_put_64(sink, member->size);
    if (large) zo_put_64(sink, member->size);
    if (far) zo_put_64(sink, member->offset);
}

/* The record of large numbers, and where it is to be found. */
static void put_end_64(zo_sink *sink, uint64_t members, uint64_t offset, uint64_t size)
{
    zo_put(sink, "PK\6\6", 4);
    zo_put_64(sink, 44); /* bytes that follow */
    zo_put_16(sink, zip64_version);
    zo_put_16(sink, zip64_version);
    zo_put_zeros(sink, 4 + 4); /* disks */
    zo_put_64(sink, members);
    zo_put_64(sink, members);
    zo_put_64(sink, size);
    zo_put_64(sink, offset);
    zo_put(sink, "PK\6\7", 4);
    zo_put_32(sink, 0);
    zo_put_64(sink, offset + size);
    zo_put_32(sink, 1); /* disks in all */
}

/* The end record, after that of ZIP64 where a number does not fit. */
void zo_zip_end(zo_sink *sink, uint64_t members, uint64_t offset, uint64_t size)
{
    if (members >= 0xffff || offset >= all_ones || size >= all_ones)
        put_end_64(sink, members, offset, size);
    zo_put(sink, "PK\5\6", 4);
    zo_put_zeros(sink, 2 + 2); /* disks */
    zo_put_16(sink, fit_16(members));
    zo_put_16(sink, fit_16(members));
    zo_put_32(sink, fit_32(size));
    zo_put_32(sink, fit_32(offset));
    zo_put_16(sink, 0); /* comment */
}
