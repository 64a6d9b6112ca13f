/*
 * cases.h: small models with what is expected of them, from a plain text file.
 *
 *   === title
 *   the model's text
 *   +++ NAME            (any number of times) the text of the module NAME
 *   ---
 *   one expectation a line
 *
 * Lines before the first `===` and lines that begin with `#` outside a model are comments.
 * Expectations:
 *
 *   set m = 2                 a setting, before the model is compiled
 *   error "a" "b|c"           it is refused; the messages contain a, and b or c
 *   says "a" "b|c"            it is accepted, with remarks or warnings that contain these
 *   anything                  it is accepted, whatever is remarked
 *   at 3:7|3:9                place of the first message
 *   vary m = 2                zw_sim_set_parameters; `refuse m = 2`: which must fail
 *   state x = 1, x' = 2       zw_sim_assign
 *   time 2.5
 *   within 1e-8               numbers of the following lines to this, not to 1e-12
 *   M = 1 0; 0 2              so Q, A, b, C, W, value, rate, q, v and z (the acceleration)
 *   coordinates = x y[1]      names; so rows and constraints
 *   kinds = holonomic ...     of rows; control, timed = yes no ... of constraints
 *   expr E is 1 2 3           a force E on a coordinate of its own has this value at the start
 *   expr E fails "a" "b|c"    or is refused
 *
 * Without error, says or anything the model must be accepted in silence.
 */
#ifndef TESTS_SYSTEM_CASES_H
#define TESTS_SYSTEM_CASES_H

#include <stdbool.h>

enum { CASE_MODULES = 4 };

typedef struct language_case {
    char *title, *text; /* pieces of the file's text */
    char *expectations; /* lines */
    int module_count;
    char *module_names[CASE_MODULES], *module_texts[CASE_MODULES];
} language_case;

typedef struct case_file {
    language_case *cases;
    int count;
    char *memory;
} case_file;

case_file cases_read(const char *path);
void cases_free(case_file *f);

/* The next line of *lines, ended by NUL in place; NULL after the last. */
char *cases_line(char **lines);

/* If `line` is `word REST`, REST; otherwise NULL. */
const char *cases_rest(const char *line, const char *word);

/* The next text in double quotes of *from, copied to `quoted`; false when there is none. */
bool cases_quoted(const char **from, char *quoted, unsigned size);

/* Whether one of the alternatives, separated by |, is part of the text. */
bool cases_contains(const char *text, const char *alternatives);

#endif
