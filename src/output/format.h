/*
 * What the formats share: a result, which is a table being written; the sink that its bytes go
 * through; numbers as text; kept rows; members of a zip.
 *
 *     result.c                   the table of formats; opening, rows, closing; who may fail how
 *     sink.c                     a buffer before the caller's function
 *     number_digits.c            doubles as text, quickly
 *     row_table.c                rows kept in memory until the end
 *     csv.c json.c npz.c mat.c   one format each
 *     runs_file.c                rows of a sweep, with words why some are not there
 *     archive.c                  any files as a zip
 *     zip.c                      headers of a stored zip and CRC-32
 */
#ifndef ZO_FORMAT_H
#define ZO_FORMAT_H

#include "output.h"

/* -------------------------------------------------------------------- sink */

/* Small: every page of it that a short result touches first has to be fetched. */
enum { zo_buffer_size = 1 << 14 };

/* A *sink*: bytes on their way out. After the first refusal nothing more is handed on. */
typedef struct zo_sink {
    zw_write_fn write;
    void *user;
    char *buffer; /* [size] */
    size_t size, used;
    uint64_t count; /* bytes put so far */
    bool failed;
} zo_sink;

/* Hands what the buffer has to the caller's function. */
void zo_flush(zo_sink *sink);
/* Where `size` bytes, no more than the buffer has, may be written; zo_take then counts those that
 * were. */
char *zo_room(zo_sink *sink, size_t size);
void zo_take(zo_sink *sink, size_t size);
void zo_put(zo_sink *sink, const void *bytes, size_t size);
void zo_put_string(zo_sink *sink, const char *string);
void zo_put_zeros(zo_sink *sink, size_t size);
/* Little-endian whatever the machine. */
void zo_put_16(zo_sink *sink, uint32_t value);
void zo_put_32(zo_sink *sink, uint32_t value);
void zo_put_64(zo_sink *sink, uint64_t value);
void zo_put_doubles(zo_sink *sink, const double *values, size_t count);

/* ----------------------------------------------------------------- numbers */

enum { zo_least_power = -292, zo_greatest_power = 340, zo_number_size = 24 };

/* 10^p = (high 2^64 + low) 2^exponent, cut off; high has its first bit set. */
typedef struct zo_power {
    uint64_t high, low;
    int32_t exponent;
} zo_power;

/* (limb[0] 2^192 + limb[1] 2^128 + limb[2] 2^64 + limb[3]) 2^exponent */
typedef struct zo_big {
    uint64_t limb[4];
    int32_t exponent;
} zo_big;

/* Known are those from `first` to `last`; the rest is found when it is needed. */
typedef struct zo_powers {
    int32_t first, last;
    zo_big smallest, largest; /* 10^first and 10^last */
    zo_power of[zo_greatest_power - zo_least_power + 1];
} zo_powers;

void zo_powers_init(zo_powers *powers);
/* The text of zb_print_double without the NUL; its length. */
size_t zo_number(zo_powers *powers, double value, char text[zo_number_size]);

/* ------------------------------------------------------------------ result */

/* A format: what it does when a result is opened, for each row, and at the end. */
typedef struct zo_format {
    zw_status (*open)(zw_result *result);
    zw_status (*row)(zw_result *result, const double *row);
    void (*close)(zw_result *result); /* takes no memory; what fails is known to the sink */
} zo_format;

/* The header of a matrix of a .mat: type, rows, columns, no imaginary part, length of the name with its
 * NUL; the name (mat.c). */
enum { ZO_MAT_NUMBERS = 0 };
void zo_put_matrix(zo_sink *sink, uint32_t type, const char *name, size_t rows, size_t columns);
extern const zo_format zo_mat_plain;

/* zo_csv and so on, one for each line of the public list. */
#define ZO_DECLARE(name, value, word, sentence) extern const zo_format zo_##word;
ZW_RESULT_LIST(ZO_DECLARE)
#undef ZO_DECLARE

/* Kept rows, one after the other. */
typedef struct zo_block {
    struct zo_block *next;
    size_t capacity, used; /* rows */
    double rows[];
} zo_block;

/* A file inside a zip. */
typedef struct zo_member {
    const char *name;
    uint64_t size, offset; /* bytes of its data; of its header from the start of the zip */
    uint32_t crc;
} zo_member;

/* The tables of zip.c. */
typedef struct zo_crc {
    uint32_t table[8][256];
} zo_crc;

struct zw_result {
    zb_memory *memory;
    zb_arena arena; /* everything but the buffer and the blocks */
    const zo_format *format;
    zw_status failure; /* the first one; ZW_OK while there is none */
    int32_t count;
    const char *const *names; /* [count] */
    int64_t row_count;
    zo_sink sink;
    zo_powers *powers;      /* of csv, json */
    zo_block *first, *last; /* of npz, mat */
    zo_member *members;     /* [count] of npz */
    zo_crc *crc;            /* of npz */
    const char **renamed;   /* [count] of mat */
};

/* Makes result->powers, for formats that write numbers as text. */
zw_status zo_need_powers(zw_result *result);
/* ZW_ERR_ARGUMENT when two of names [result->count] are the same. */
zw_status zo_require_unique(zw_result *result, const char *const *names);

/* ------------------------------------------------------------- kept rows */

/* Keeps a copy of row [result->count]; a failure of memory leaves the rows before it. */
zw_status zo_table_add(zw_result *result, const double *row);
void zo_table_free(zw_result *result);
/* Rows of `count` numbers that go into a block of about `bytes`, at least one. */
size_t zo_block_rows(size_t bytes, int32_t count);

/* What results and runs of a sweep share: a text of CSV, in quotes where it needs them (csv.c); a
 * number of JSON, or null, at most zo_number_size bytes, their count (json.c). */
void zo_put_csv_text(zo_sink *sink, const char *text);
size_t zo_json_number(zo_powers *powers, double value, char *to);

/* --------------------------------------------------------------------- zip */

void zo_crc_init(zo_crc *crc);
/* The CRC-32 of zip of bytes that follow those whose CRC is `before`, 0 for none. */
uint32_t zo_crc_add(const zo_crc *crc, uint32_t before, const void *bytes, size_t size);

/* Before a member's data; in the directory at the end; the end itself. Members are not compressed,
 * and of 1 January 1980. ZIP64 only where a number needs it. */
void zo_zip_local(zo_sink *sink, const zo_member *member);
void zo_zip_central(zo_sink *sink, const zo_member *member);
void zo_zip_end(zo_sink *sink, uint64_t members, uint64_t offset, uint64_t size);

#endif
