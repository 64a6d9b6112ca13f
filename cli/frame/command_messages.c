/*
 * Diagnostics of the command. A message is reported into the context, which holds its copy, and
 * printed when the command ends, in one piece, as text or as one JSON array. If even the context
 * has no memory left, the sentence goes to standard error at once.
 */
#include "command_messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const codes[] = {
#define MESSAGE_CODE(name, code, meaning) code,
    MESSAGE_LIST(MESSAGE_CODE)
#undef MESSAGE_CODE
};

enum { SENTENCE_SIZE = 2048 };

/* Its memory is limited to half of what there is to be had: the other half is for others, and for what
 * the command itself takes beside the library. */
void message_log_open(message_log *log)
{
    if (zw_context_create(NULL, &log->context) != ZW_OK) {
        log->context = NULL;
        return;
    }
    /* A problem too large for the machine shall be refused by a sentence; the system would
     * grant the memory and later kill the process. */
    log->budget = zw_memory_available() / 2;
    (void)zw_context_set_budget(log->context, log->budget);
}

void message_log_close(message_log *log)
{
    message_log_forget_files(log);
    zw_context_free(log->context);
    log->context = NULL;
}

/* The first letter of the code gives it. */
static zw_severity severity_of(const char *code)
{
    if (code[0] == 'R') return ZW_REMARK;
    return code[0] == 'W' ? ZW_WARNING : ZW_ERROR;
}

/* Only errors are counted, and said to those who want it quiet. */
void message_report_v(message_log *log, message_code code, const zw_diagnostic *place,
                      const char *format, va_list arguments)
{
    zw_severity severity = severity_of(codes[code]);
    if (severity != ZW_ERROR && log->quiet) return;
    if (severity == ZW_ERROR) log->errors++;

    char sentence[SENTENCE_SIZE];
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    zw_diagnostic d = place ? *place : (zw_diagnostic){0};
    d.severity = severity;
    d.code = codes[code];
    d.sentence = sentence;
    if (log->context && zw_context_report(log->context, &d) == ZW_OK) return;
    for (char *c = sentence; *c; c++) /* nothing but plain letters without the library's help */
        if (*c < ' ' || *c > '~') *c = '?';
    fprintf(stderr, "zwang: %s\n", sentence);
}

void message_report(message_log *log, message_code code, const zw_diagnostic *place,
                    const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    message_report_v(log, code, place, format, arguments);
    va_end(arguments);
}

void message_report_later(message_log *log, message_code code, const char *help, const char *format,
                          ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(log->later_sentence, sizeof log->later_sentence, format, arguments);
    va_end(arguments);
    (void)snprintf(log->later_help, sizeof log->later_help, "%s", help);
    log->later = code;
}

static void report_what_was_put_off(message_log *log)
{
    zw_diagnostic place = {.file = "zwang", .help = log->later_help};
    if (log->later_sentence[0] == '\0') return;
    message_report(log, log->later, &place, "%s", log->later_sentence);
    log->later_sentence[0] = '\0';
}

/* Errors of the command are counted in the log even where the context could not take them. */
bool message_log_has_error(const message_log *log)
{
    int32_t count = log->context ? zw_context_diagnostic_count(log->context) : 0;
    for (int32_t k = 0; k < count; k++)
        if (zw_context_diagnostic(log->context, k)->severity == ZW_ERROR) return true;
    return log->errors > 0;
}

/* --------------------------------------------------------------------- forgetting */

/* The strings of a diagnostic, in the order of the struct. */
enum { STRING_COUNT = 5 };

/* Where in d its strings stand. */
static void list_strings(zw_diagnostic *d, const char **strings[STRING_COUNT])
{
    strings[0] = &d->code;
    strings[1] = &d->file;
    strings[2] = &d->where;
    strings[3] = &d->sentence;
    strings[4] = &d->help;
}

/* Gives d strings of its own, in one block of memory; NULL when there is none. */
static char *own_strings(zw_diagnostic *d)
{
    const char **strings[STRING_COUNT];
    size_t size = 1;
    list_strings(d, strings);
    for (int k = 0; k < STRING_COUNT; k++)
        if (*strings[k]) size += strlen(*strings[k]) + 1;
    char *block = malloc(size), *next = block;
    for (int k = 0; block && k < STRING_COUNT; k++) {
        if (!*strings[k]) continue;
        size_t length = strlen(*strings[k]) + 1;
        *strings[k] = memcpy(next, *strings[k], length);
        next += length;
    }
    return block;
}

/* Leaves in the list the first `first` and, of these, those at least as severe as `least`: takes
 * copies of them, clears it, and reports them again. The sources stay with the context. Out of
 * memory, it leaves all as it is. */
static void keep_only(message_log *log, int32_t first, zw_severity least)
{
    int32_t count = zw_context_diagnostic_count(log->context), kept = 0;
    zw_diagnostic *list = calloc((size_t)count + 1, sizeof *list);
    char **blocks = calloc((size_t)count + 1, sizeof *blocks);
    bool complete = list && blocks;
    for (int32_t k = 0; complete && k < count && k < first; k++) {
        const zw_diagnostic *d = zw_context_diagnostic(log->context, k);
        if (d->severity < least) continue;
        list[kept] = *d;
        blocks[kept] = own_strings(&list[kept]);
        complete = blocks[kept++] != NULL;
    }
    if (complete && kept < count) {
        zw_context_clear_diagnostics(log->context);
        for (int32_t k = 0; k < kept; k++) (void)zw_context_report(log->context, &list[k]);
    }
    for (int32_t k = 0; blocks && k < kept; k++) free(blocks[k]);
    free(blocks);
    free(list);
}

void message_log_forget(message_log *log, int32_t first)
{
    if (log->context) keep_only(log, first, ZW_REMARK);
}

/* --------------------------------------------------------------------- printing */

/* In one piece; where there is no memory for it a sentence says so. */
void message_log_print(message_log *log)
{
    size_t length = 0;
    report_what_was_put_off(log);
    if (log->context && log->quiet) keep_only(log, INT32_MAX, ZW_ERROR);
    if (!log->context || zw_context_diagnostic_count(log->context) == 0) return;
    (void)zw_context_format_diagnostics(log->context, log->form, NULL, 0, &length);
    char *text = malloc(length + 2);
    if (text && zw_context_format_diagnostics(log->context, log->form, text, length + 1, &length) ==
                    ZW_OK) {
        if (length == 0 || text[length - 1] != '\n') text[length++] = '\n';
        (void)fwrite(text, 1, length, stderr);
    } else {
        fputs("zwang: there is not enough memory to show the messages\n", stderr);
    }
    free(text);
    zw_context_clear_diagnostics(log->context);
}

/* Cuts between characters of UTF-8, never inside one. */
const char *quoted(char buffer[QUOTED_SIZE], const char *text)
{
    enum { SHOWN = 40, LONGEST_CHARACTER = 4 };
    size_t length = 0;
    buffer[length++] = '\'';
    for (int shown = 0; *text && shown < SHOWN; shown++) {
        /* one character of UTF-8: a byte, and those that continue it */
        int bytes = 0;
        do buffer[length++] = *text++;
        while (((unsigned char)*text & 0xc0) == 0x80 && ++bytes < LONGEST_CHARACTER);
    }
    (void)snprintf(buffer + length, QUOTED_SIZE - length, "%s'", *text ? "..." : "");
    return buffer;
}
