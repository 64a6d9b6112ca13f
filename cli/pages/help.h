/*
 * The pages that are made from the table of commands and their options: the page of help, the
 * manual page, the completions of shells.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdbool.h>
#include <stdio.h>

#include "options.h"

/* The page that lists the commands. */
void help_write_usage(FILE *out);

/* The manual page, for man (manual.c). */
void manual_write(FILE *out);

/* The completion for "bash", "zsh" or "fish" (completion.c). False when there is not enough
 * memory; completion_find gives NULL for other shells. */
typedef bool completion_writer(FILE *out);
completion_writer *completion_find(const char *shell);

/* What the value of an option can be. */
typedef enum value_kind {
    VALUE_NONE, /* it takes none */
    VALUE_WORD, /* one of the words */
    VALUE_FILE,
    VALUE_FREE /* a number, a name of the model, ... */
} value_kind;

/* Writes the words, blanks in between, to `words`. */
enum { WORDS_SIZE = 400 };
value_kind help_value(const option_page *page, const struct poptOption *option,
                      char words[WORDS_SIZE]);

#endif
