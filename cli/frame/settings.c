/*
 * Splitting the values of --set into settings. Only the outer form is looked at, NAME=VALUE; names
 * and values are judged by the library, which knows the model.
 */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"

/* The length of the first setting in text: up to a comma outside brackets, or to the end. */
static size_t measure_first_setting(const char *text)
{
    int depth = 0;
    size_t k = 0;
    for (; text[k]; k++) {
        if (strchr("([", text[k])) depth++;
        if (strchr(")]", text[k])) depth--;
        if (text[k] == ',' && depth <= 0) break;
    }
    return k;
}

static const char help[] = "write NAME=VALUE, as in --set m=2 or --set a=1,r=[0, 1]";

/* Cuts `copy`, a copy of the word, into its settings, in place; they are added to the list. False
 * after a report. */
static bool split_word(const char *word, char *copy, settings *s, message_log *log)
{
    for (;;) {
        size_t length = measure_first_setting(copy);
        bool last = copy[length] == '\0';
        copy[length] = '\0';
        size_t name = strspn(copy, " \t"), equals = strcspn(copy, "=");
        if (copy[equals] != '=' || equals == name)
            return options_refuse_value(log, "--set", last && length > 0 ? copy : word, help);
        s->items[s->count++] = copy;
        if (last) return true;
        copy += length + 1;
    }
}

static bool refuse_settings_memory(message_log *log)
{
    message_report(log, MSG_MEMORY, NULL, "there is not enough memory for the settings");
    return false;
}

/* One block holds copies of all words, one list has room for as many settings as there are
 * commas. */
bool settings_split(const char *const *words, settings *s, message_log *log)
{
    size_t size = 1, most = 1;
    *s = (settings){0};
    for (size_t k = 0; words && words[k]; k++) {
        size += strlen(words[k]) + 1;
        most++;
        for (const char *c = words[k]; *c; c++) most += *c == ',';
    }
    s->text = malloc(size);
    s->items = calloc(most, sizeof *s->items);
    if (!s->text || !s->items || most > INT32_MAX) return refuse_settings_memory(log);
    char *next = s->text;
    for (size_t k = 0; words && words[k]; k++) {
        size_t length = strlen(words[k]) + 1;
        memcpy(next, words[k], length);
        if (!split_word(words[k], next, s, log)) return false;
        next += length;
    }
    return true;
}

void settings_clear(settings *s)
{
    free(s->items);
    free(s->text);
    *s = (settings){0};
}
