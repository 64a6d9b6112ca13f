/*
 * Every code is explained in docs/messages/lang.md under its title and has a broken model in
 * tests/diag/model whose first error it is. What the document calls right is right.
 */
#include <dirent.h>

#include "codes.h"
#include "tree_dump.h"

static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s cannot be read", path);
    enum { MOST = 1 << 20 };
    char *text = malloc(MOST + 1);
    assert_non_null(text);
    *length = fread(text, 1, MOST, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

static void every_code_is_explained(void **state)
{
    (void)state;
    size_t length;
    char *text = read_file(ZW_TEST_MESSAGES, &length);
    for (int code = 0; code < ZL_CODE_COUNT; code++) {
        char heading[160];
        snprintf(heading, sizeof heading, "\n## %s %s\n", zl_code_text((zl_code)code),
                 zl_code_title((zl_code)code));
        const char *found = strstr(text, heading);
        if (!found) {
            fail_msg("no entry '%s'", heading);
            break;
        }
        const char *body = found + strlen(heading);
        const char *next = strstr(body, "\n## "), *right = strstr(body, "\nRight:\n");
        assert_non_null(right);
        assert_true(!next || right < next);
    }
    free(text);
}

/* The model must begin with the code in its name. */
static void check_model(const char *name)
{
    char path[1024];
    size_t length;
    reading r;
    snprintf(path, sizeof path, "%s/%s", ZW_TEST_MODELS, name);
    char *text = read_file(path, &length);
    reading_init(&r);
    reading_parse(&r, text, length);
    const zw_diagnostic *first = zb_diag_get(&r.diagnostics, 0);
    if (!first || strncmp(first->code, name, 5) != 0)
        fail_msg("%s: the first error is %s", name, first ? first->code : "not there");
    reading_free(&r);
    free(text);
}

static void every_code_has_a_broken_model(void **state)
{
    (void)state;
    bool seen[ZL_CODE_COUNT] = {[ZL_CODE_SOURCE] = true}; /* would take a gigabyte */
    DIR *folder = opendir(ZW_TEST_MODELS);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        size_t length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 3, ".zw") != 0) continue;
        for (int code = 0; code < ZL_CODE_COUNT; code++) {
            if (strncmp(entry->d_name, zl_code_text((zl_code)code), 5) != 0) continue;
            check_model(entry->d_name);
            seen[code] = true;
        }
    }
    closedir(folder);
    for (int code = 0; code < ZL_CODE_COUNT; code++)
        if (!seen[code]) fail_msg("no model for %s", zl_code_text((zl_code)code));
}

/* Whether an example is described rather than written. */
static bool is_prose(const char *from, const char *end)
{
    const char *dots = strstr(from, "...");
    return strncmp(from, "the same", 8) == 0 || (dots && dots < end);
}

/* The examples after "Right:" that are models. */
static void what_is_called_right_is_right(void **state)
{
    (void)state;
    size_t length;
    int count = 0;
    char *text = read_file(ZW_TEST_MESSAGES, &length), *at = text;
    while ((at = strstr(at, "\nRight:\n\n```\n")) != NULL) {
        at += strlen("\nRight:\n\n```\n");
        char *end = strstr(at, "```\n");
        assert_non_null(end);
        if (is_prose(at, end)) continue;
        reading r;
        reading_init(&r);
        reading_parse(&r, at, (size_t)(end - at));
        assert_string_equal(dump_messages(&r), "");
        assert_true(r.block.count > 0);
        reading_free(&r);
        count++;
    }
    assert_in_range(count, 30, ZL_CODE_COUNT);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_explained),
        cmocka_unit_test(every_code_has_a_broken_model),
        cmocka_unit_test(what_is_called_right_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
