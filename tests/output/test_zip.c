/*
 * Headers of zips whose numbers do not fit 16 or 32 bits, without writing such a file; and CRC-32
 * against known values and in pieces.
 */
#include "format.h"
#include "output_sample.h"

enum { space = 4096 };

typedef struct written {
    collected file;
    char buffer[space];
    zo_sink sink;
} written;

static void begin(written *w)
{
    *w = (written){.sink = {.write = collect, .size = space}};
    w->sink.buffer = w->buffer;
    w->sink.user = &w->file;
}

static const uint64_t edges[] = {0,
                                 1000,
                                 UINT64_C(0xfffffffe),
                                 UINT64_C(0xffffffff),
                                 UINT64_C(0x100000000),
                                 UINT64_C(0x123456789abcdef)};
enum { edge_count = sizeof edges / sizeof *edges };

static bool beyond(uint64_t value)
{
    return value > UINT64_C(0xfffffffe);
}

/* The ZIP64 field at `at`: its values in order. */
static void check_field(const char *at, const uint64_t *values, int count)
{
    assert_int_equal(little(at, 2), 1);
    assert_int_equal(little(at + 2, 2), 8 * count);
    for (int i = 0; i < count; i++) assert_true(little(at + 4 + 8 * i, 8) == values[i]);
}

static void local(void **state)
{
    (void)state;
    for (int i = 0; i < edge_count; i++) {
        written w;
        begin(&w);
        zo_member member = {.name = "abc", .size = edges[i], .crc = 0x01020304};
        zo_zip_local(&w.sink, &member);
        zo_flush(&w.sink);
        const char *at = w.file.data;
        bool large = beyond(edges[i]);
        assert_int_equal(w.file.size, 30 + 3 + (large ? 20 : 0));
        assert_int_equal(w.sink.count, w.file.size);
        assert_int_equal(little(at + 4, 2), large ? 45 : 20);
        assert_int_equal(little(at + 14, 4), 0x01020304);
        assert_int_equal(little(at + 18, 4), large ? UINT32_MAX : edges[i]);
        assert_int_equal(little(at + 22, 4), large ? UINT32_MAX : edges[i]);
        assert_int_equal(little(at + 28, 2), large ? 20 : 0);
        if (large) check_field(at + 33, (uint64_t[]){edges[i], edges[i]}, 2);
        collected_free(&w.file);
    }
}

static void central(void **state)
{
    (void)state;
    for (int i = 0; i < edge_count; i++)
        for (int j = 0; j < edge_count; j++) {
            written w;
            begin(&w);
            zo_member member = {.name = "abc", .size = edges[i], .offset = edges[j]};
            zo_zip_central(&w.sink, &member);
            zo_flush(&w.sink);
            const char *at = w.file.data;
            uint64_t values[3];
            int count = 0;
            if (beyond(edges[i])) values[count++] = edges[i];
            if (beyond(edges[i])) values[count++] = edges[i];
            if (beyond(edges[j])) values[count++] = edges[j];
            size_t extra = count > 0 ? 4 + 8 * (size_t)count : 0;
            assert_int_equal(w.file.size, 46 + 3 + extra);
            assert_int_equal(little(at + 4, 2), count > 0 ? 45 : 20);
            assert_int_equal(little(at + 6, 2), count > 0 ? 45 : 20);
            assert_int_equal(little(at + 20, 4), beyond(edges[i]) ? UINT32_MAX : edges[i]);
            assert_int_equal(little(at + 24, 4), beyond(edges[i]) ? UINT32_MAX : edges[i]);
            assert_int_equal(little(at + 30, 2), extra);
            assert_int_equal(little(at + 42, 4), beyond(edges[j]) ? UINT32_MAX : edges[j]);
            assert_memory_equal(at + 46, "abc", 3);
            if (count > 0) check_field(at + 49, values, count);
            collected_free(&w.file);
        }
}

static void check_end(uint64_t members, uint64_t offset, uint64_t size)
{
    written w;
    begin(&w);
    zo_zip_end(&w.sink, members, offset, size);
    zo_flush(&w.sink);
    bool large = members > 0xfffe || beyond(offset) || beyond(size);
    assert_int_equal(w.file.size, large ? 56 + 20 + 22 : 22);
    const char *end = w.file.data + w.file.size - 22, *at = w.file.data;
    assert_memory_equal(end, "PK\5\6\0\0\0\0", 8);
    assert_int_equal(little(end + 8, 2), members > 0xfffe ? 0xffff : members);
    assert_int_equal(little(end + 10, 2), members > 0xfffe ? 0xffff : members);
    assert_int_equal(little(end + 12, 4), beyond(size) ? UINT32_MAX : size);
    assert_int_equal(little(end + 16, 4), beyond(offset) ? UINT32_MAX : offset);
    assert_int_equal(little(end + 20, 2), 0);
    if (large) {
        assert_memory_equal(at, "PK\6\6", 4);
        assert_int_equal(little(at + 4, 8), 44);
        assert_true(little(at + 24, 8) == members && little(at + 32, 8) == members);
        assert_true(little(at + 40, 8) == size && little(at + 48, 8) == offset);
        assert_memory_equal(at + 56, "PK\6\7\0\0\0\0", 8);
        assert_true(little(at + 64, 8) == offset + size);
        assert_int_equal(little(at + 72, 4), 1);
    }
    collected_free(&w.file);
}

static void ends(void **state)
{
    (void)state;
    static const uint64_t members[] = {1, 0xfffe, 0xffff, 0x10000, 1000000};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < edge_count; j++)
            for (int k = 0; k < edge_count; k++) check_end(members[i], edges[j], edges[k]);
}

static void crc(void **state)
{
    (void)state;
    static zo_crc tables;
    zo_crc_init(&tables);
    /* the check value of every catalogue of CRCs */
    assert_int_equal(zo_crc_add(&tables, 0, "123456789", 9), 0xcbf43926);
    assert_int_equal(zo_crc_add(&tables, 0, "", 0), 0);
    assert_int_equal(zo_crc_add(&tables, 0, "The quick brown fox jumps over the lazy dog", 43),
                     0x414fa339);
    unsigned char bytes[100];
    for (int i = 0; i < 100; i++) bytes[i] = (unsigned char)(i * 37 + 11);
    uint32_t whole = zo_crc_add(&tables, 0, bytes, 100);
    for (size_t cut = 0; cut <= 100; cut++)
        assert_int_equal(
            zo_crc_add(&tables, zo_crc_add(&tables, 0, bytes, cut), bytes + cut, 100 - cut), whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(local), cmocka_unit_test(central),
                                       cmocka_unit_test(ends), cmocka_unit_test(crc)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
