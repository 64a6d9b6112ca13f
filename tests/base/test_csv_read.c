/*
 * Tables of numbers as text: separators, names, comments, line ends; every fault and where it is;
 * bytes at random never do harm.
 */
#include "counting.h"

#include <stdlib.h>

typedef struct reading {
    counting allocator;
    zb_memory memory;
    zb_arena arena;
    zb_csv csv;
    bool good;
} reading;

static void read_text(reading *r, const char *text)
{
    counting_init(&r->allocator, &r->memory);
    zb_arena_init(&r->arena, &r->memory, 0);
    r->good = zb_csv_read(&r->arena, text, strlen(text), &r->csv);
}

static void end_reading(reading *r)
{
    zb_arena_clear(&r->arena);
    assert_nothing_held(&r->allocator, &r->memory);
}

static void tables_are_read(void **state)
{
    static const char *const same[] = {
        "a,b c\n1,2\n-3.5,4e2\n",
        "a,b c\r\n1,2\r\n-3.5,4e2",
        "# a comment\n\n a , \"b c\"\n1, 2\n# another\n -3.5 ,4e2\n\n",
        "a;b c\n1;2\n-3.5;4e2\n",
        "a\tb c\n1\t2\n-3.5\t4e2\n",
        "\xef\xbb\xbf# marked\na,b c\n1,2\n-3.5,4e2\n",
    };
    (void)state;
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        reading r;
        read_text(&r, same[k]);
        assert_true(r.good);
        assert_int_equal(r.csv.columns, 2);
        assert_int_equal(r.csv.rows, 2);
        assert_string_equal(r.csv.names[0], "a");
        assert_string_equal(r.csv.names[1], "b c");
        const double expected[] = {1.0, 2.0, -3.5, 400.0};
        assert_memory_equal(r.csv.values, expected, sizeof expected);
        end_reading(&r);
    }
}

static void names_may_be_missing(void **state)
{
    reading r;
    (void)state;
    read_text(&r, "1,2,3\n4,5,6\n");
    assert_true(r.good && !r.csv.names && r.csv.rows == 2 && r.csv.columns == 3);
    end_reading(&r);
    read_text(&r, "\"say \"\"x\"\"\",y\n1,2\n");
    assert_true(r.good);
    assert_string_equal(r.csv.names[0], "say \"x\"");
    end_reading(&r);
    read_text(&r, "# nothing\n\n");
    assert_true(r.good && r.csv.columns == 0 && r.csv.rows == 0);
    end_reading(&r);
}

static void faults_have_places(void **state)
{
    static const struct {
        const char *text;
        zb_csv_fault fault;
        size_t at, length;
    } cases[] = {{"x,y\n1,2\n3,four\n", ZB_CSV_NOT_NUMBER, 10, 4},
                 {"x,y\n1,2\n3,\n", ZB_CSV_NOT_NUMBER, 10, 0},
                 {"x,y\n1,2\n3,nan\n", ZB_CSV_NOT_NUMBER, 10, 3},
                 {"x,y\n1,\"2\"\n", ZB_CSV_NOT_NUMBER, 7, 1},
                 {"x,y\n1,1e999\n", ZB_CSV_TOO_BIG, 6, 5},
                 {"x,y\n1,2,3\n", ZB_CSV_CELLS, 4, 5},
                 {"x,y\n1\n", ZB_CSV_CELLS, 4, 1},
                 {"x,\"y\n1,2\n", ZB_CSV_QUOTE, 2, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        reading r;
        read_text(&r, cases[k].text);
        assert_false(r.good);
        assert_int_equal(r.csv.fault, cases[k].fault);
        assert_int_equal(r.csv.fault_at, cases[k].at);
        assert_int_equal(r.csv.fault_length, cases[k].length);
        end_reading(&r);
    }
}

static void any_bytes_do_no_harm(void **state)
{
    static const char signs[] = "0123456789.,;\t\"\n\r#ex-+ a";
    uint64_t seed = 7;
    (void)state;
    for (int round = 0; round < 20000; round++) {
        char *text = malloc(24);
        size_t length = 0;
        assert_non_null(text);
        for (; length < 23; length++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            text[length] = signs[(seed >> 33) % (sizeof signs - 1)];
            if ((seed >> 60) == 0) break;
        }
        reading r;
        counting_init(&r.allocator, &r.memory);
        zb_arena_init(&r.arena, &r.memory, 0);
        r.good = zb_csv_read(&r.arena, text, length, &r.csv);
        if (!r.good) assert_true(r.csv.fault_at + r.csv.fault_length <= length + 1);
        end_reading(&r);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(names_may_be_missing),
        cmocka_unit_test(faults_have_places),
        cmocka_unit_test(any_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
