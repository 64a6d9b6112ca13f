/*
 * "Did you mean": the name nearest to a word that is not one of the names.
 */
#ifndef CLI_DID_YOU_MEAN_H
#define CLI_DID_YOU_MEAN_H

#include <stddef.h>

/* The name that a person who typed `word` may have meant, NULL when none is near. names [count]. */
const char *suggest(const char *word, const char *const *names, size_t count);

/* Writes the help for a wrong word: the suggestion if there is one, and all names, as in
 * "did you mean 'gauss'? the forms are gauss, projection and multipliers"; `what` is the
 * plural, "forms". Returns buffer, of which at most `size` bytes are used. */
const char *suggest_help(char *buffer, size_t size, const char *word, const char *const *names,
                         size_t count, const char *what);

#endif
