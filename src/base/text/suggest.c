/*
 * Suggestions by edit distance: the least number of insertions, deletions, replacements and
 * exchanges of neighbours that turn one word into the other (optimal string alignment). With
 * d(i, j) the distance of the first i characters of one from the first j of the other,
 *
 *     d(i, j) = min( d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j],
 *                    d(i-2, j-2) + 1 where the last two characters are exchanged ).
 *
 * Letters of ASCII that differ in case only count as equal, so that `B` leads to `b`. Words of
 * more than LONGEST characters match nothing: the work for one candidate is bounded.
 */
#include "suggest.h"

#include <stdbool.h>
#include <string.h>

#include "utf8.h"

enum { LONGEST = 40 };

typedef struct letters {
    int32_t points[LONGEST]; /* in lower case */
    int32_t count;           /* LONGEST + 1 when the word is longer */
} letters;

/* The characters of a word in lower case (of ASCII); past LONGEST it
 * stops and says so by the count. */
static letters read_letters(const char *word)
{
    letters l = {.count = 0};
    size_t at = 0, length = strlen(word);
    while (at < length) {
        int32_t point = zb_utf8_next(word, length, &at);
        if (l.count == LONGEST) {
            l.count = LONGEST + 1;
            return l;
        }
        l.points[l.count++] = point >= 'A' && point <= 'Z' ? point - 'A' + 'a' : point;
    }
    return l;
}

static int32_t fewer_mistakes(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* Whether the characters i-1, i of a are those of j-1, j of b in the other order; from 1. */
static bool are_exchanged(const letters *a, int32_t i, const letters *b, int32_t j)
{
    return i > 1 && j > 1 && a->points[i - 1] == b->points[j - 2] &&
           a->points[i - 2] == b->points[j - 1];
}

/* d(i, j) row by row in a table; both words of at most LONGEST characters. */
static int32_t edit_distance(const letters *a, const letters *b)
{
    int32_t d[LONGEST + 1][LONGEST + 1];
    for (int32_t i = 0; i <= a->count; i++) d[i][0] = i;
    for (int32_t j = 0; j <= b->count; j++) d[0][j] = j;
    for (int32_t i = 1; i <= a->count; i++) {
        for (int32_t j = 1; j <= b->count; j++) {
            int32_t replaced = d[i - 1][j - 1] + (a->points[i - 1] != b->points[j - 1]);
            d[i][j] = fewer_mistakes(replaced, fewer_mistakes(d[i - 1][j], d[i][j - 1]) + 1);
            if (are_exchanged(a, i, b, j)) d[i][j] = fewer_mistakes(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a->count][b->count];
}

/* Mistakes that are still near: none in two characters, one in three or four, ... */
static int32_t most_mistakes(int32_t count)
{
    return count < 3 ? 0 : (count + 1) / 3;
}

/* The distance of the best so far begins one above what is near: so only what is near is taken. */
void zb_suggest_begin(zb_suggestion *s, const char *word)
{
    letters l = read_letters(word);
    *s = (zb_suggestion){.word = word, .distance = most_mistakes(l.count) + 1};
    if (l.count > LONGEST || l.count == 0) s->distance = 0; /* nothing is near */
}

/* Lengths that differ too much need no table: each character more is a mistake. */
void zb_suggest_add(zb_suggestion *s, const char *candidate)
{
    if (s->distance == 0) return;
    letters a = read_letters(s->word), b = read_letters(candidate);
    if (b.count > LONGEST) return;
    int32_t longer = a.count > b.count ? a.count : b.count;
    if (longer - fewer_mistakes(a.count, b.count) >= s->distance) return;
    int32_t d = edit_distance(&a, &b);
    bool closer = s->best && d == s->distance && s->best[0] != s->word[0] &&
                  candidate[0] == s->word[0]; /* `ground`, not `Ground`, for `graund` */
    if (d >= s->distance && !closer) return;
    s->distance = d;
    s->best = candidate;
}

const char *zb_suggest_end(const zb_suggestion *s)
{
    return s->best;
}
