/*
 * reference.h: the values of tests/reference, by file, case, time and name.
 */
#ifndef TESTS_SYSTEM_REFERENCE_H
#define TESTS_SYSTEM_REFERENCE_H

#include <jansson.h>
#include <stdbool.h>

/* The file of that name; the caller gives it back by json_decref. Fails the test when it cannot be
 * read. */
json_t *reference_load(const char *file);

/* Whether an entry belongs to a case: its member `key` is the text or integer `is`. key NULL: any
 * entry does. */
bool reference_is(const json_t *entry, const char *key, const char *is);

double reference_time(const json_t *entry);
/* A value by its name; the test fails when there is none. */
double reference_value(const json_t *entry, const char *name);

/* The same of the entry at time t, of any case, from a file that is opened and closed. */
double reference_at(const char *file, double t, const char *name);

#endif
