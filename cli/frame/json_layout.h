/*
 * JSON text laid out for people: one key a line, vectors on that line, matrices a row a line.
 *
 * A layout is zeroed but for `out` and `indent`; then: open, for each field a key and its value,
 * close. Nothing is checked for errors on the way; look at ferror(out) at the end.
 */
#ifndef CLI_JSON_LAYOUT_H
#define CLI_JSON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An object that is being written. */
typedef struct layout {
    FILE *out;
    int indent; /* spaces before the closing bracket of what is being written */
    bool first; /* no key has been written since the opening bracket */
} layout;

void layout_open(layout *l);  /* { */
void layout_close(layout *l); /* } on a line of its own */
void layout_key(layout *l, const char *name);
/* A line end, and blanks up to `deeper` more than the indent. */
void layout_new_line(const layout *l, int deeper);

/* Values alone. A number is written with the fewest of 15, 16 or 17 significant digits that read
 * back as the same double; null when it is not finite. */
void layout_number(FILE *out, double x);
void layout_vector(FILE *out, const double *x, int32_t count);
void layout_string(FILE *out, const char *text);

/* A key and its value. */
void layout_number_field(layout *l, const char *name, double x);
void layout_null_field(layout *l, const char *name);
void layout_bool_field(layout *l, const char *name, bool x);
void layout_vector_field(layout *l, const char *name, const double *x, int32_t count);
void layout_matrix_field(layout *l, const char *name, const double *x, int32_t rows,
                         int32_t columns);
void layout_strings_field(layout *l, const char *name, const char *const *texts, int32_t count);

#endif
