/*
 * reference.c: reads tests/reference. Numbers are decimal strings there.
 */
#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

json_t *reference_load(const char *file)
{
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s.json", ZW_TEST_REFERENCE, file);
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) fail_msg("%s: %s", path, error.text);
    return root;
}

bool reference_is(const json_t *entry, const char *key, const char *is)
{
    char text[64];
    if (key == NULL) return true;
    const json_t *value = json_object_get(entry, key);
    if (json_is_string(value)) return strcmp(json_string_value(value), is) == 0;
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    return json_is_integer(value) && strcmp(text, is) == 0;
}

double reference_time(const json_t *entry)
{
    const char *text = json_string_value(json_object_get(entry, "t"));
    if (text == NULL) fail_msg("an entry of the reference has no time");
    return strtod(text, NULL);
}

double reference_value(const json_t *entry, const char *name)
{
    const char *text = json_string_value(json_object_get(json_object_get(entry, "values"), name));
    if (text == NULL) fail_msg("the reference has no %s", name);
    return strtod(text, NULL);
}

double reference_at(const char *file, double t, const char *name)
{
    json_t *root = reference_load(file), *entry;
    size_t i;
    json_array_foreach(json_object_get(root, "reference"), i, entry)
    {
        if (reference_time(entry) != t) continue;
        double value = reference_value(entry, name);
        json_decref(root);
        return value;
    }
    fail_msg("%s has no time %g", file, t);
    return 0;
}
