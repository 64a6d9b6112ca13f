/*
 * Did you mean ...? The nearest of some candidates to a misspelled word.
 *
 *     zb_suggestion s;
 *     zb_suggest_begin(&s, "tetha");
 *     for each name: zb_suggest_add(&s, name);
 *     const char *best = zb_suggest_end(&s);
 */
#ifndef ZB_SUGGEST_H
#define ZB_SUGGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct zb_suggestion {
    const char *word;
    const char *best; /* so far; the candidate itself, not a copy */
    int32_t distance; /* of best */
} zb_suggestion;

/* Distance counts insertions, deletions, replacements and exchanges of neighbours, in characters;
 * upper and lower case are near. Of equally near candidates the first that begins with the same
 * letter wins, else the first. */
void zb_suggest_begin(zb_suggestion *s, const char *word);
void zb_suggest_add(zb_suggestion *s, const char *candidate);

/* NULL when no candidate is near enough: about one error in three characters. */
const char *zb_suggest_end(const zb_suggestion *s);

#endif
