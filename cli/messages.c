/*
 * Diagnostics of the command. A message is reported into the context, which holds its copy, and
 * printed at the end of the run in one piece, as text or as one JSON array. If even the context
 * has no memory left, the sentence goes to standard error at once.
 */
#include "messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const codes[] = {
#define MESSAGE_CODE(name, code, meaning) code,
    MESSAGE_LIST(MESSAGE_CODE)
#undef MESSAGE_CODE
};

enum { SENTENCE_SIZE = 2048 };

/* The memory of the machine, in bytes; 0 when it is not known. */
static size_t machine_memory(void)
{
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) return (size_t)pages * (size_t)page;
#endif
    return 0;
}

void message_log_open(message_log *log)
{
    if (zw_context_create(NULL, &log->context) != ZW_OK) {
        log->context = NULL;
        return;
    }
    /* A problem too large for the machine shall be refused by a sentence; the system would
     * grant the memory and later kill the process. */
    (void)zw_context_set_budget(log->context, machine_memory());
}

void message_log_close(message_log *log)
{
    zw_context_free(log->context);
    log->context = NULL;
}

void message_report_v(message_log *log, message_code code, const zw_diagnostic *place,
                      const char *format, va_list arguments)
{
    bool warning = codes[code][0] == 'W';
    if (warning && log->quiet) return;
    if (!warning) log->errors++;

    char sentence[SENTENCE_SIZE];
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    zw_diagnostic d = place ? *place : (zw_diagnostic){0};
    d.severity = warning ? ZW_WARNING : ZW_ERROR;
    d.code = codes[code];
    d.sentence = sentence;
    if (!log->context || zw_context_report(log->context, &d) != ZW_OK)
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

void message_log_print(message_log *log)
{
    size_t length = 0;
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
