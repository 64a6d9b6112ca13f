/*
 * Status codes: every code of the list has its own name and sentence, numbers outside have
 * neither, ZB_TRY passes failures up and nothing else.
 */
#include "counting.h"

static const zw_status all[] = {
#define VALUE(name, value, sentence) name,
    ZW_STATUS_LIST(VALUE)
#undef VALUE
};
enum { COUNT = sizeof all / sizeof *all };

static void names_and_sentences_as_in_the_list(void **state)
{
    (void)state;
    assert_string_equal(zb_status_name(ZW_OK), "ZW_OK");
    assert_string_equal(zb_status_sentence(ZW_OK), "done");
    assert_string_equal(zb_status_name(ZW_ERR_MEMORY), "ZW_ERR_MEMORY");
    assert_string_equal(zb_status_sentence(ZW_ERR_MEMORY), "there is not enough memory");
    assert_string_equal(zb_status_name(ZW_ERR_ACCURACY), "ZW_ERR_ACCURACY");
}

/* A sentence is one of its own, begins small and has no full stop. */
static void sentences_are_distinct_and_well_formed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        const char *sentence = zb_status_sentence(all[i]);
        assert_non_null(sentence);
        assert_true(strlen(sentence) > 0 && sentence[strlen(sentence) - 1] != '.');
        for (size_t j = 0; j < i; j++) {
            assert_string_not_equal(sentence, zb_status_sentence(all[j]));
            assert_string_not_equal(zb_status_name(all[i]), zb_status_name(all[j]));
        }
    }
}

static void unknown_values_have_nothing(void **state)
{
    (void)state;
    int known = 0;
    for (int value = 0; value < 1000; value++) {
        const char *name = zb_status_name((zw_status)value);
        assert_true((name == NULL) == (zb_status_sentence((zw_status)value) == NULL));
        known += name != NULL;
    }
    assert_int_equal(known, COUNT);
}

static zw_status tried(zw_status first, int *reached)
{
    ZB_TRY(first);
    ++*reached;
    return ZW_OK;
}

static void try_passes_failures_up(void **state)
{
    (void)state;
    int reached = 0;
    assert_int_equal(tried(ZW_ERR_RANGE, &reached), ZW_ERR_RANGE);
    assert_int_equal(reached, 0);
    assert_int_equal(tried(ZW_OK, &reached), ZW_OK);
    assert_int_equal(reached, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_sentences_as_in_the_list),
        cmocka_unit_test(sentences_are_distinct_and_well_formed),
        cmocka_unit_test(unknown_values_have_nothing),
        cmocka_unit_test(try_passes_failures_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
