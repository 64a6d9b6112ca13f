/*
 * mutation.c: reading and applying the `#!` lines of a model.
 */
#include "mutation.h"
#include "loaded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- reading */

/* text[0..length) without blanks at its ends */
static void copy_trimmed(char *to, const char *text, size_t length)
{
    while (length > 0 && *text == ' ') text++, length--;
    while (length > 0 && text[length - 1] == ' ') length--;
    if (length >= MUTATION_TEXT) length = MUTATION_TEXT - 1;
    memcpy(to, text, length);
    to[length] = '\0';
}

/* Splits `from` at the first `mark`. */
static bool split(const char *from, const char *mark, char *before, char *after)
{
    char copy[MUTATION_TEXT];
    const char *at = strstr(from, mark);
    if (at == NULL) return false;
    size_t head = (size_t)(at - from);
    copy_trimmed(copy, at + strlen(mark), strlen(at + strlen(mark)));
    copy_trimmed(before, from, head);
    memcpy(after, copy, sizeof copy);
    return true;
}

/* "ROW as NEW [by E]" */
static bool read_as(mutation *m, const char *rest)
{
    if (!split(rest, " as ", m->old, m->new)) return false;
    if (!split(m->new, " by ", m->new, m->by)) strcpy(m->by, "1");
    memcpy(m->names, m->new, sizeof m->names);
    /* of an array the messages say its elements, of a part's name perhaps the last piece alone */
    char *bracket = strchr(m->names, '['), *dot = strrchr(m->names, '.');
    if (bracket != NULL) *bracket = '\0';
    if (dot != NULL) memmove(m->names, dot + 1, strlen(dot));
    return true;
}

/* "NAMES: OLD -> NEW" */
static bool read_change(mutation *m, const char *rest)
{
    char change[MUTATION_TEXT], with_end[MUTATION_TEXT + 2];
    snprintf(with_end, sizeof with_end, "%s ", rest);
    return split(with_end, ": ", m->names, change) &&
           (strcat(change, " "), split(change, "-> ", m->old, m->new));
}

static bool read_directive(mutation *m)
{
    static const char *const words[MUTATION_KINDS] = {
        [MUTATION_REPEAT] = "repeat ",     [MUTATION_CONTRADICT] = "contradict ",
        [MUTATION_MISSPELL] = "misspell ", [MUTATION_MASSLESS] = "massless ",
        [MUTATION_MISPLACE] = "misplace ", [MUTATION_REMARK] = "remark "};
    for (mutation_kind k = MUTATION_REPEAT; k < MUTATION_KINDS; k++) {
        size_t length = strlen(words[k]);
        if (strncmp(m->line, words[k], length) != 0) continue;
        const char *rest = m->line + length;
        m->kind = k;
        if (k == MUTATION_REMARK) return strcpy(m->names, rest) != NULL;
        return k <= MUTATION_MISSPELL ? read_as(m, rest) : read_change(m, rest);
    }
    return false;
}

bool mutation_next(const char **text, mutation *m)
{
    const char *at = strstr(*text, "\n#!");
    *m = (mutation){.kind = MUTATION_NONE};
    if (at == NULL) return false;
    at += strlen("\n#!");
    size_t length = strcspn(at, "\n");
    copy_trimmed(m->line, at, length);
    *text = at + length;
    if (!read_directive(m)) m->kind = MUTATION_NONE;
    return true;
}

/* ------------------------------------------------------------------ applying */

char *mutation_strip(const char *text)
{
    char *copy = malloc(strlen(text) + 1), *to = copy;
    if (copy == NULL) abort();
    for (const char *p = text; *p != '\0';) {
        size_t length = strcspn(p, "\n");
        if (strncmp(p, "#!", 2) != 0) {
            memcpy(to, p, length);
            to += length;
        }
        p += length;
        if (*p == '\n') *to++ = *p++;
    }
    *to = '\0';
    return copy;
}

/* text[0..at) + piece + text[at + gone..) */
static char *spliced(const char *text, const char *at, size_t gone, const char *piece)
{
    size_t head = (size_t)(at - text), size = strlen(text) + strlen(piece) + 1;
    char *result = malloc(size);
    if (result == NULL) abort();
    snprintf(result, size, "%.*s%s%s", (int)head, text, piece, at + gone);
    return result;
}

/* The equation of the constraint or control `row`, up to a comment, and where its line ends. */
static const char *find_row(const char *text, const char *row, char *keyword, char *equation)
{
    static const char *const keywords[] = {"constraint", "control"};
    for (size_t k = 0; k < 2; k++) {
        char head[2 * MUTATION_TEXT];
        snprintf(head, sizeof head, "%s %s:", keywords[k], row);
        const char *at = strstr(text, head);
        if (at == NULL) continue;
        at += strlen(head);
        copy_trimmed(equation, at, strcspn(at, "#\n"));
        strcpy(keyword, keywords[k]);
        return at + strcspn(at, "\n");
    }
    return NULL;
}

static char *with_another_row(const mutation *m, const char *text)
{
    char equation[MUTATION_TEXT], keyword[32], left[MUTATION_TEXT], right[MUTATION_TEXT];
    char line[5 * MUTATION_TEXT];
    const char *end = find_row(text, m->old, keyword, equation);
    if (end == NULL || !split(equation, " = ", left, right)) return NULL;
    if (m->kind == MUTATION_REPEAT) {
        snprintf(line, sizeof line, "\n%s %s: %s", keyword, m->new, equation);
    } else {
        snprintf(line, sizeof line, "\n%s %s: %s = (%s) + %s", keyword, m->new, left, right, m->by);
    }
    return spliced(text, end, 0, line);
}

char *mutation_apply(const mutation *m, const char *stripped)
{
    if (m->kind == MUTATION_REPEAT || m->kind == MUTATION_CONTRADICT) {
        return with_another_row(m, stripped);
    }
    const char *at =
        m->kind == MUTATION_MISSPELL ? find_last_word(stripped, m->old) : strstr(stripped, m->old);
    return at != NULL ? spliced(stripped, at, strlen(m->old), m->new) : NULL;
}

bool mutation_named(const mutation *m, const char *line)
{
    char first[MUTATION_TEXT], rest[MUTATION_TEXT];
    memcpy(rest, m->names, sizeof rest);
    while (split(rest, " or ", first, rest)) {
        if (find_word(line, first) != NULL) return true;
    }
    return find_word(line, rest) != NULL;
}
