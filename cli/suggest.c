/*
 * Suggestions by edit distance: the least number of insertions, deletions, replacements and
 * exchanges of neighbours that turn one word into the other (optimal string alignment). With
 * d(i, j) the distance of the first i letters of one from the first j of the other,
 *
 *     d(i, j) = min( d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j],
 *                    d(i-2, j-2) + 1 where the last two letters are exchanged ).
 *
 * Letters that differ in case only count as equal, so that `B` leads to `b`.
 */
#include "suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 40 }; /* no name of ours is longer; longer words match nothing */

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* At most LONGEST letters each. */
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= a_length; i++) d[i][0] = (int)i;
    for (size_t j = 0; j <= b_length; j++) d[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            int replaced = d[i - 1][j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            d[i][j] = least(replaced, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a_length][b_length];
}

const char *suggest(const char *word, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    if (length > LONGEST) return NULL;
    int best = (int)length / 3 + 1; /* this many mistakes are too many */
    if (length > 2) best++;
    for (size_t k = 0; k < count; k++) {
        int d = distance(word, length, names[k], strlen(names[k]));
        if (d >= best) continue;
        best = d;
        nearest = names[k];
    }
    return nearest;
}

const char *suggest_help(char *buffer, size_t size, const char *word, const char *const *names,
                         size_t count, const char *what)
{
    const char *nearest = suggest(word, names, count);
    size_t length = 0;
    buffer[0] = '\0';
    if (nearest) length = (size_t)snprintf(buffer, size, "did you mean '%s'? ", nearest);
    if (length < size)
        length += (size_t)snprintf(buffer + length, size - length, "the %s are", what);
    for (size_t k = 0; k < count && length < size; k++) {
        const char *joint = k == 0 ? "" : k + 1 < count ? "," : " and";
        length += (size_t)snprintf(buffer + length, size - length, "%s %s", joint, names[k]);
    }
    return buffer;
}
