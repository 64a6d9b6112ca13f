/*
 * Suggestions: what is near and what is not, which of several is taken, characters instead of
 * bytes, words of any length.
 */
#include "counting.h"

static const char *nearest(const char *word, const char *const *candidates)
{
    zb_suggestion s;
    zb_suggest_begin(&s, word);
    while (*candidates) zb_suggest_add(&s, *candidates++);
    return zb_suggest_end(&s);
}

static void assert_nearest(const char *word, const char *candidate, bool near)
{
    const char *const list[] = {candidate, NULL};
    const char *found = nearest(word, list);
    if ((found != NULL) != near) fail_msg("'%s' and '%s'", word, candidate);
    if (near) assert_ptr_equal(found, candidate);
}

static void near_words(void **state)
{
    (void)state;
    assert_nearest("tetha", "theta", true); /* exchanged */
    assert_nearest("cord", "coord", true);  /* one missing */
    assert_nearest("coordd", "coord", true);
    assert_nearest("foz", "for", true);
    assert_nearest("Param", "param", true);
    assert_nearest("B", "b", true); /* case alone */
    assert_nearest("kinteci", "kinetic", true);
    assert_nearest("lagragian", "lagrangian", true);
    assert_nearest("constrainnt", "constraint", true);
}

static void words_that_are_not_near(void **state)
{
    (void)state;
    assert_nearest("x", "y", false);
    assert_nearest("ab", "ac", false);
    assert_nearest("abc", "axy", false);
    assert_nearest("mass", "let", false);
    assert_nearest("length", "l", false);
    assert_nearest("", "x", false);
    assert_nearest("", "", false);
    assert_nearest("theta", "kinetic", false);
}

static void the_nearest_wins_and_of_equals_the_first(void **state)
{
    (void)state;
    const char *const a[] = {"thetas", "theta", "thet", NULL};
    assert_string_equal(nearest("theto", a), "theta");
    const char *const b[] = {"cat", "car", NULL};
    assert_string_equal(nearest("caz", b), "cat");
    const char *const both[] = {"Ground", "ground", "Grounds",
                                NULL}; /* by the letter it begins with */
    assert_string_equal(nearest("graund", both), "ground");
    assert_string_equal(nearest("Graund", both), "Ground");
    const char *const none[] = {NULL};
    assert_null(nearest("caz", none));
}

static void characters_are_counted(void **state)
{
    (void)state;
    assert_nearest("\xce\xb8\xcf\x86\xcf\x88", "\xce\xb8\xcf\x86\xcf\x89", true);
    assert_nearest("\xce\xb8", "\xcf\x86", false); /* one of one, though one byte of two */
    assert_nearest("\xce\xb8_1", "\xce\xb8_2", true);
}

static void long_words(void **state)
{
    (void)state;
    char word[2001];
    memset(word, 'a', 2000);
    word[2000] = '\0';
    assert_nearest(word, word, false);
    assert_nearest("aaaa", word, false);
    assert_nearest(word + 1960, word + 1960, true); /* forty */
    assert_nearest(word + 1960, word + 1959, false);
    assert_nearest(word + 1960, word + 1961, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_words),
        cmocka_unit_test(words_that_are_not_near),
        cmocka_unit_test(the_nearest_wins_and_of_equals_the_first),
        cmocka_unit_test(characters_are_counted),
        cmocka_unit_test(long_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
