/*
 * The models and modules inside the command: finding one by name, and reading its opening comment:
 *
 *     # A story in some lines, and in
 *     # paragraphs.
 *     #
 *     # Source: where it comes from, in
 *     #   one line or several
 *     # expect ...                        for the tests
 *     model "Title"
 */
#include "gallery.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* With or without the ending .zw. */
const gallery_text *gallery_find(const char *name)
{
    const gallery_text *const tables[] = {gallery_models, gallery_modules};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++)
        for (const gallery_text *t = tables[k]; t->name; t++)
            if (strcmp(t->name, name) == 0 || strcmp(t->file, name) == 0) return t;
    return NULL;
}

bool gallery_is_module(const gallery_text *t)
{
    for (const gallery_text *m = gallery_modules; m->name; m++)
        if (m == t) return true;
    return false;
}

/* The list is owned by the caller, the names by the tables. */
const char **gallery_names(void)
{
    size_t count = 0;
    for (const gallery_text *t = gallery_models; t->name; t++) count++;
    for (const gallery_text *t = gallery_modules; t->name; t++) count++;
    const char **names = calloc(count + 1, sizeof *names), **next = names;
    for (const gallery_text *t = gallery_models; names && t->name; t++) *next++ = t->name;
    for (const gallery_text *t = gallery_modules; names && t->name; t++) *next++ = t->name;
    return names;
}

/* ----------------------------------------------------------------------- the comment */

/* Where the words of a line of the comment begin; NULL: it is not one. */
static const char *find_comment_words(const char *line)
{
    return line[0] == '#' ? line + 1 + strspn(line + 1, " \t") : NULL;
}

static bool begins_with_word(const char *words, const char *with)
{
    return strncmp(words, with, strlen(with)) == 0;
}

/* Whether a line of the comment is one that ends the story. */
static bool ends_story(const char *words)
{
    return begins_with_word(words, "Source:") || begins_with_word(words, "expect");
}

/* Adds the words of a line behind what is there, from `start` to `end`; returns the new end. joint:
 * what comes in between. */
static char *add_words(char *end, const char *start, const char *words, char joint)
{
    size_t length = strcspn(words, "\n");
    while (length > 0 && isspace((unsigned char)words[length - 1])) length--;
    if (length == 0) return end;
    if (end > start) *end++ = joint;
    memcpy(end, words, length);
    end[length] = '\0';
    return end + length;
}

/* Lines are joined by blanks, paragraphs by a line end. */
char *gallery_story(const gallery_text *t)
{
    char *story = calloc(t->length + 1, 1), *end = story;
    char joint = ' ';
    for (const char *line = t->text, *words;
         story && (words = find_comment_words(line)) && !ends_story(words);
         line = embedded_next_line(line)) {
        end = add_words(end, story, words, joint);
        joint = *words == '\n' ? '\n' : ' ';
    }
    return story;
}

/* From "Source:" on, with the lines that go on with it. */
char *gallery_source(const gallery_text *t)
{
    char *source = calloc(t->length + 1, 1), *end = source;
    const char *line = t->text, *words = NULL;
    while ((words = find_comment_words(line)) && !begins_with_word(words, "Source:"))
        line = embedded_next_line(line);
    if (!words || !source) return source;
    end = add_words(end, source, words + strlen("Source:") + strspn(words + 7, " "), ' ');
    while ((words = find_comment_words(line = embedded_next_line(line))) && !ends_story(words) &&
           *words != '\n')
        end = add_words(end, source, words, ' ');
    return source;
}

/* ------------------------------------------------------------------------- the title */

/* In memory of its own; NULL: there is none. */
static char *duplicate_words(const char *from, size_t length)
{
    char *text = calloc(length + 1, 1);
    return text ? memcpy(text, from, length) : NULL;
}

/* Where the first sentence ends: at a full stop or a colon before a blank or a line end. */
static size_t measure_sentence(const char *text)
{
    size_t k = 0;
    while (text[k] &&
           !(strchr(".:", text[k]) && (!text[k + 1] || isspace((unsigned char)text[k + 1]))) &&
           text[k] != '\n')
        k++;
    return k;
}

/* A module has no `model`; then its story is cut behind its first sentence. */
char *gallery_title(const gallery_text *t)
{
    for (const char *line = t->text; *line; line = embedded_next_line(line)) {
        const char *word = line + strspn(line, " \t");
        if (!begins_with_word(word, "model")) continue;
        const char *quote = word + 5 + strspn(word + 5, " \t");
        if (*quote == '"') return duplicate_words(quote + 1, strcspn(quote + 1, "\"\n"));
    }
    char *story = gallery_story(t);
    if (story) story[measure_sentence(story)] = '\0';
    return story;
}
