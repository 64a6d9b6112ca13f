/*
 * mutation.h: ways to spoil a good model, written in the model itself as comments:
 *
 *   #! repeat ROW as NEW                a second constraint, the same equation under another name
 *   #! contradict ROW as NEW [by E]     the same left side, the right side plus E (1)
 *   #! misspell WORD as NEW             where WORD stands last
 *   #! massless NAMES: OLD -> NEW       text for text, so that nothing moves NAMES
 *   #! misplace NAMES: OLD -> NEW       text for text, so that the start is wrong
 *   #! remark NAMES                     no mutation: the good model itself gets a remark
 *
 * NAMES are `x or y[1] or rod`: what the first line of the first message must name, one of them.
 * For the first three it must name NEW.
 */
#ifndef TESTS_SYSTEM_MUTATION_H
#define TESTS_SYSTEM_MUTATION_H

#include <stdbool.h>

typedef enum mutation_kind {
    MUTATION_NONE,
    MUTATION_REPEAT,
    MUTATION_CONTRADICT,
    MUTATION_MISSPELL,
    MUTATION_MASSLESS,
    MUTATION_MISPLACE,
    MUTATION_REMARK,
    MUTATION_KINDS
} mutation_kind;

enum { MUTATION_TEXT = 512 };

typedef struct mutation {
    mutation_kind kind;
    char line[MUTATION_TEXT];  /* as it stands in the model */
    char names[MUTATION_TEXT]; /* "x or y" */
    char old[MUTATION_TEXT], new[MUTATION_TEXT], by[MUTATION_TEXT];
} mutation;

/* Reads the next `#!` line at or after *text and moves *text behind it. False when there is none;
 * kind MUTATION_NONE when it is not understood. */
bool mutation_next(const char **text, mutation *m);

/* The model without its `#!` lines (which stay as empty lines); the caller frees it. */
char *mutation_strip(const char *text);

/* The spoiled model; the caller frees it. NULL when the old text is not there. */
char *mutation_apply(const mutation *m, const char *stripped);

/* Whether the line names one of m->names. */
bool mutation_named(const mutation *m, const char *line);

#endif
