/*
 * A reader of stored zips with ZIP64 and of NPY files, that trusts nothing: the directory and the
 * headers must agree, members must fill the file without gaps, and every CRC is recomputed bit by
 * bit.
 */
#include "output_sample.h"

typedef struct entry {
    const char *name; /* [length] */
    size_t length;
    uint32_t crc;
    uint64_t size, offset;
} entry;

static uint32_t crc_by_bits(const char *bytes, uint64_t size)
{
    uint32_t crc = UINT32_MAX;
    for (uint64_t i = 0; i < size; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0U - (crc & 1)));
    }
    return ~crc;
}

/* Version, flags, method, time and date, from the version on. */
static void check_common(const char *at)
{
    assert_int_equal(little(at, 2), 20);
    assert_int_equal(little(at + 2, 2), 1 << 11);
    assert_int_equal(little(at + 4, 2), 0);
    assert_int_equal(little(at + 6, 2), 0);
    assert_int_equal(little(at + 8, 2), 33);
}

/* An entry of the directory; what follows it. */
static const char *read_entry(const char *at, entry *e)
{
    assert_memory_equal(at, "PK\1\2", 4);
    check_common(at + 6);
    *e = (entry){.crc = (uint32_t)little(at + 16, 4),
                 .size = little(at + 20, 4),
                 .length = little(at + 28, 2),
                 .offset = little(at + 42, 4),
                 .name = at + 46};
    assert_int_equal(little(at + 24, 4), e->size);
    assert_int_equal(little(at + 30, 2), 0);
    return at + 46 + e->length;
}

/* The member's own header agrees; its data. */
static const char *check_member(const char *file, const entry *e)
{
    const char *at = file + e->offset;
    assert_memory_equal(at, "PK\3\4", 4);
    check_common(at + 4);
    assert_int_equal(little(at + 14, 4), e->crc);
    assert_int_equal(little(at + 18, 4), e->size);
    assert_int_equal(little(at + 22, 4), e->size);
    assert_int_equal(little(at + 26, 2), e->length);
    assert_int_equal(little(at + 28, 2), 0);
    assert_memory_equal(at + 30, e->name, e->length);
    const char *data = at + 30 + e->length;
    assert_int_equal(crc_by_bits(data, e->size), e->crc);
    return data;
}

/* Rows of an NPY file; *numbers gets where they are. */
static int64_t read_npy(const char *data, uint64_t size, const char **numbers)
{
    char dictionary[200] = {0}, expected[200];
    assert_true(size >= 10);
    assert_memory_equal(data, "\x93NUMPY\1\0", 8);
    size_t length = (size_t)little(data + 8, 2);
    assert_true(length < sizeof dictionary && 10 + length <= size);
    assert_int_equal((10 + length) % 64, 0);
    memcpy(dictionary, data + 10, length);
    assert_int_equal(dictionary[length - 1], '\n');
    int64_t rows = (int64_t)(size - 10 - length) / 8;
    int end =
        snprintf(expected, sizeof expected,
                 "{'descr': '<f8', 'fortran_order': False, 'shape': (%lld,), }", (long long)rows);
    assert_memory_equal(dictionary, expected, (size_t)end);
    assert_int_equal(strspn(dictionary + end, " "), length - 1 - (size_t)end);
    assert_int_equal(10 + length + 8 * (uint64_t)rows, size);
    *numbers = data + 10 + length;
    return rows;
}

/* Where the directory is, and how many entries it has; ZIP64 or not. */
static uint64_t find_directory(const collected *file, uint64_t *offset)
{
    const char *end = file->data + file->size - 22;
    assert_memory_equal(end, "PK\5\6\0\0\0\0", 8);
    uint64_t count = little(end + 10, 2), size = little(end + 12, 4);
    *offset = little(end + 16, 4);
    const char *last = end;
    if (count == 0xffff) {
        assert_memory_equal(end - 20, "PK\6\7", 4);
        const char *large = file->data + little(end - 12, 8);
        assert_memory_equal(large, "PK\6\6", 4);
        assert_int_equal(little(large + 4, 8), 44);
        count = little(large + 24, 8);
        assert_int_equal(little(large + 32, 8), count);
        size = little(large + 40, 8);
        *offset = little(large + 48, 8);
        assert_ptr_equal(large + 56, end - 20);
        last = large;
    }
    assert_ptr_equal(file->data + *offset + size, last);
    return count;
}

void read_npz(const collected *file, table *t)
{
    uint64_t directory, next = 0;
    int32_t count = (int32_t)find_directory(file, &directory);
    const char *at = file->data + directory;
    for (int32_t j = 0; j < count; j++) {
        const char *numbers;
        entry e;
        at = read_entry(at, &e);
        assert_int_equal(e.offset, next);
        next = e.offset + 30 + e.length + e.size;
        int64_t rows = read_npy(check_member(file->data, &e), e.size, &numbers);
        if (j == 0) table_make(t, count, rows);
        assert_int_equal(rows, t->rows);
        assert_memory_equal(e.name + e.length - 4, ".npy", 4);
        table_set(t->names, j, e.name, e.length - 4);
        for (int64_t i = 0; i < rows; i++) {
            uint64_t bits = little(numbers + 8 * i, 8);
            memcpy(&t->values[i * count + j], &bits, sizeof bits);
        }
    }
    assert_int_equal(next, directory);
}
