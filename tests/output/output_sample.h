/*
 * What the tests of output share: a sink that collects, a table of odd numbers to write, and a
 * reader for each format, written from the formats' descriptions.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "../base/counting.h"
#include "output.h"

/* Bytes as they come. The call number fail_at (from 1; 0: none) is refused. */
typedef struct collected {
    char *data;
    size_t size, capacity;
    int64_t calls, fail_at, after; /* after: calls after the refusal */
    bool failed;
    int64_t ragged; /* calls whose bytes did not end with `last` */
    char last;
} collected;

bool collect(void *user, const char *bytes, size_t size);
void collected_free(collected *c);

/* The number in row i, column j: the first column rises, the others hold everything a double can.
 */
double sample(int64_t i, int32_t j);

/* Names like those of columns: t, x, r[1]', ... */
enum { sample_columns = 6 };
extern const char *const sample_names[sample_columns];

/* How many formats there are. */
#define SAMPLE_ONE(name, value, word, sentence) +1
enum { sample_formats = 0 ZW_RESULT_LIST(SAMPLE_ONE) };

/* Opens, writes `rows` rows, closes; the first failure. *written gets the rows accepted. */
zw_status write_sample(zb_memory *memory, zw_result_format format, int32_t columns, int64_t rows,
                       collected *out, int64_t *written);

/* A table that was read. */
typedef struct table {
    int32_t columns;
    int64_t rows;
    char **names;
    char **notes;   /* descriptions, of mat only */
    double *values; /* [rows * columns] */
} table;

void table_make(table *t, int32_t columns, int64_t rows);
void table_set(char **strings, int32_t column, const char *text, size_t length);
void table_free(table *t);

/* read_csv and so on: each fails the test when the file is not as it must be. Of json, null is NaN. */
#define SAMPLE_READER(name, value, word, sentence)                                                 \
    void read_##word(const collected *file, table *t);
ZW_RESULT_LIST(SAMPLE_READER)
void read_result(zw_result_format format, const collected *file, table *t);

/* The table is the sample, to the bits. */
void check_sample(zw_result_format format, const table *t, int32_t columns, int64_t rows);

uint64_t little(const char *bytes, int size);

#endif
