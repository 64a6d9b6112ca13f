/*
 * Limits and hostile texts: depth, length, size, every prefix of a model, every refused request
 * for memory.
 */
#include "tree_dump.h"

static const char sample[] =
    "model \"Bead\"\nuse rigid\nparam m = 0.1, g = 9.81\ncoord r[3], x\n"
    "let f(u, v) = u^2 + v'\nkinetic m/2 * dot(r', r')\npotential sum(i in 1..3, g*r[i])\n"
    "mass x, x: [1, [2]]\nforce at [1, 2]: x\nconstraint c[1]: if(x < 1 and not x > 2, 1, 2) = 0\n"
    "start x = 1 fixed, (x + 1) = 2\nwhen x < 0: x' = -x'\nwhen x > 3: stop\n"
    "draw line(r, r) color = \"red\", width = 2\nsimulate t = 0..1, tol = 1e-9\n"
    "for i in 1..2 { output o[i] = i }\nif m > 1 { coord y } else if m > 2 { } else { coord z }\n"
    "component C(a, b = 1) {\n  coord q\n}\npart p = C(1, b = 2)\n"
    "param mass = 3\nfro x { $ }\npotential (x \xe2\x88\x92 1. 2\ncoord \xff\n";

/* `count` times `open`, then `middle`, then `count` times `close`. */
static char *nested(const char *open, const char *middle, const char *close, size_t count)
{
    size_t size = strlen(open) * count + strlen(middle) + strlen(close) * count + 1;
    char *text = malloc(size), *at = text;
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) at += sprintf(at, "%s", open);
    at += sprintf(at, "%s", middle);
    for (size_t i = 0; i < count; i++) at += sprintf(at, "%s", close);
    return text;
}

/* The code of the one error of a nested value, "" when there is none. */
static void check_nested(const char *open, const char *close, size_t count, const char *code)
{
    char *inner = nested(open, "x", close, count), *text = nested("potential ", inner, "\n", 1);
    reading r;
    read_string(&r, text);
    const zw_diagnostic *d = zb_diag_get(&r.diagnostics, 0);
    assert_int_equal(r.unit.error_count, *code ? 1 : 0);
    assert_string_equal(d ? d->code : "", code);
    reading_free(&r);
    free(text);
    free(inner);
}

static void depth(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {{"(", ")"},  {"[", "]"},  {"-", ""},   {"x^", ""},
                                           {"f(", ")"}, {"x[", "]"}, {"x^-", ""}, {"+", ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        bool two = strcmp(pairs[i][0], "x^-") == 0; /* levels each */
        check_nested(pairs[i][0], pairs[i][1], two ? ZL_MAX_DEPTH / 2 : ZL_MAX_DEPTH, "");
        check_nested(pairs[i][0], pairs[i][1], ZL_MAX_DEPTH + 1, "E0035");
        check_nested(pairs[i][0], pairs[i][1], 100000, "E0035");
    }
}

static void depth_of_blocks(void **state)
{
    (void)state;
    for (size_t count = ZL_MAX_DEPTH; count < 50000; count += 40000) {
        char *text = nested("for i in 1..2 {\n", "coord x\n", "}\n", count);
        reading r;
        read_string(&r, text);
        assert_int_equal(r.unit.error_count, count > ZL_MAX_DEPTH);
        reading_free(&r);
        free(text);
        text = nested("if a > b { }\nelse ", "{ }", "", count);
        read_string(&r, text);
        assert_int_equal(r.unit.error_count, count > ZL_MAX_DEPTH);
        reading_free(&r);
        free(text);
    }
}

/* Chains do not nest, but their trees do. */
static void length(void **state)
{
    (void)state;
    check_nested("x + ", "", ZL_MAX_CHAIN, "");
    check_nested("x*", "", ZL_MAX_CHAIN, "");
    check_nested("", "'", ZL_MAX_CHAIN, "");
    check_nested("x + ", "", ZL_MAX_CHAIN + 1, "E0036");
    check_nested("x/", "", 100000, "E0036");
    check_nested("", "'", 100000, "E0036");
    check_nested("", "[1]", 100000, "E0036");
    check_nested("", ".a", 100000, "E0036");
}

/* Wide lists are not deep. */
static void wide(void **state)
{
    (void)state;
    char *items = nested("1,", "1", "", 200000), *text = nested("let v = [", items, "]", 1);
    reading r;
    read_string(&r, text);
    assert_int_equal(r.unit.error_count, 0);
    assert_int_equal(r.block.statements[0]->definitions[0].value->count, 200001);
    reading_free(&r);
    free(text);
    free(items);
}

/* A source that is too large is not read at all. */
static void size(void **state)
{
    (void)state;
    reading r;
    reading_init(&r);
    reading_parse(&r, "coord x", (size_t)ZL_MAX_SOURCE + 1);
    assert_string_equal(dump_codes(&r), "1:1+0 E0037");
    assert_int_equal(r.block.count, 0);
    reading_free(&r);
}

static void names_and_numbers_of_any_length(void **state)
{
    (void)state;
    enum { LENGTH = 200000 };
    char *name = nested("a", "", "", LENGTH), *text = nested("coord ", name, " $", 1);
    reading r;
    read_string(&r, text);
    assert_int_equal(r.unit.error_count, 1);
    reading_free(&r);
    free(text);
    text = nested("potential x ", name, "", 1);
    read_string(&r, text);
    assert_in_range(strlen(zb_diag_get(&r.diagnostics, 0)->sentence), 1, 200);
    reading_free(&r);
    free(text);
    free(name);
    char *number = nested("9", "", "", LENGTH);
    text = nested("param a = 0.", number, "", 1);
    read_string(&r, text);
    assert_int_equal(r.unit.error_count, 0);
    assert_true(r.block.statements[0]->definitions[0].value->number == 1);
    reading_free(&r);
    free(text);
    free(number);
}

/* Every prefix in memory of its own, so that a step past its end is found. */
static void every_prefix(void **state)
{
    (void)state;
    for (size_t length_read = 0; length_read < sizeof sample; length_read++) {
        char *copy = malloc(length_read + 1);
        assert_non_null(copy);
        memcpy(copy, sample, length_read);
        char *exact = realloc(copy, length_read > 0 ? length_read : 1);
        reading r;
        reading_init(&r);
        reading_parse(&r, exact, length_read);
        assert_false(r.escaped);
        reading_free(&r);
        free(exact);
    }
}

/* Every byte replaced by others. */
static void every_byte_changed(void **state)
{
    (void)state;
    static const char others[] = "(]{}'\"\n;=.,:9\x80";
    char text[sizeof sample];
    for (size_t i = 0; i + 1 < sizeof sample; i++) {
        memcpy(text, sample, sizeof sample);
        for (size_t k = 0; k + 1 < sizeof others; k++) {
            text[i] = others[k];
            reading r;
            reading_init(&r);
            reading_parse(&r, text, sizeof sample - 1);
            assert_false(r.escaped);
            reading_free(&r);
        }
    }
}

/* Reads the sample with the k-th request refused; whether it was met. */
static bool refuse(int64_t k, bool onwards)
{
    reading r;
    reading_init(&r);
    r.counter.refuse_at = k;
    r.counter.refuse_onwards = onwards;
    reading_parse(&r, sample, sizeof sample - 1);
    bool met = r.counter.refused > 0;
    if (r.escaped) assert_int_equal(r.arena.failure, ZW_ERR_MEMORY);
    assert_int_equal(r.escaped, met);
    r.counter.refuse_at = 0;
    reading_free(&r);
    return met;
}

static void every_refusal_of_memory(void **state)
{
    (void)state;
    for (int onwards = 0; onwards < 2; onwards++) {
        int64_t k = 1;
        while (refuse(k, onwards)) k++;
        assert_true(k > 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth),
        cmocka_unit_test(depth_of_blocks),
        cmocka_unit_test(length),
        cmocka_unit_test(wide),
        cmocka_unit_test(size),
        cmocka_unit_test(names_and_numbers_of_any_length),
        cmocka_unit_test(every_prefix),
        cmocka_unit_test(every_byte_changed),
        cmocka_unit_test(every_refusal_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
