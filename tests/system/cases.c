/*
 * cases.c: reading the file of cases. The text is cut into pieces in place.
 */
#include "cases.h"
#include "loaded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

char *cases_line(char **lines)
{
    char *line = *lines;
    if (*line == '\0') return NULL;
    size_t length = strcspn(line, "\n");
    *lines = line + length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

const char *cases_rest(const char *line, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || (line[length] != ' ' && line[length] != '\0')) {
        return NULL;
    }
    return line[length] == ' ' ? line + length + 1 : line + length;
}

/* Where the part of the text before a line that begins with `mark` ends; the line is taken out. */
static char *cut_at(char *text, const char *mark, char **mark_rest)
{
    size_t length = strlen(mark);
    for (char *p = text; *p != '\0';) {
        char *next = p + strcspn(p, "\n");
        if (strncmp(p, mark, length) == 0) {
            char *rest = p + length;
            char *after = *next == '\n' ? next + 1 : next;
            *next = '\0';
            *p = '\0';
            *mark_rest = rest + strspn(rest, " ");
            return after;
        }
        p = *next == '\n' ? next + 1 : next;
    }
    return NULL;
}

static void read_modules(language_case *c)
{
    char *name, *text = cut_at(c->text, "+++", &name);
    while (text != NULL) {
        assert_true(c->module_count < CASE_MODULES);
        c->module_names[c->module_count] = name;
        c->module_texts[c->module_count++] = text;
        text = cut_at(text, "+++", &name);
    }
}

case_file cases_read(const char *path)
{
    case_file f = {.memory = read_text(path)};
    char *title, *rest = cut_at(f.memory, "===", &title);
    while (rest != NULL) {
        f.cases = realloc(f.cases, (size_t)(f.count + 1) * sizeof *f.cases);
        assert_non_null(f.cases);
        language_case *c = &f.cases[f.count++];
        *c = (language_case){.title = title, .text = rest};
        rest = cut_at(c->text, "===", &title);
        char *none;
        c->expectations = cut_at(c->text, "---", &none);
        if (c->expectations == NULL) fail_msg("no --- in the case: %s", c->title);
        read_modules(c);
    }
    return f;
}

void cases_free(case_file *f)
{
    free(f->cases);
    free(f->memory);
    *f = (case_file){0};
}

bool cases_quoted(const char **from, char *quoted, unsigned size)
{
    const char *open = strchr(*from, '"');
    if (open == NULL) return false;
    const char *close = strchr(open + 1, '"');
    assert_non_null(close);
    snprintf(quoted, size, "%.*s", (int)(close - open - 1), open + 1);
    *from = close + 1;
    return true;
}

bool cases_contains(const char *text, const char *alternatives)
{
    char one[256];
    for (const char *p = alternatives; *p != '\0';) {
        size_t length = strcspn(p, "|");
        snprintf(one, sizeof one, "%.*s", (int)length, p);
        if (strstr(text, one) != NULL) return true;
        p += length + (p[length] == '|');
    }
    return false;
}
