/*
 * `zwang help`: the list of commands, the page of one, and, for those who install the command, the
 * manual page and the completions. All of it comes from the table of commands.c and the pages of
 * the commands, so that nothing can be missing.
 */
#include "help.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "output_file.h"

/* From the table of commands and the list of exit statuses. */
void help_write_usage(FILE *out)
{
    fputs("Usage: zwang COMMAND [OPTION...]\n"
          "\n"
          "How constrained mechanical systems move, by Gauss's principle of least constraint.\n"
          "\n"
          "Commands:\n",
          out);
    for (size_t k = 0; k < command_count; k++)
        fprintf(out, "  %-8s %s\n", commands[k].name, commands[k].summary);
    fputs("\n"
          "Options:\n"
          "  -h, --help       this page; after a command, its own\n"
          "      --version    the version\n"
          "\n"
          "Exit status:\n",
          out);
#define STATUS_LINE(name, value, sentence) fprintf(out, "  %-8d %s\n", value, sentence);
    STATUS_LIST(STATUS_LINE)
#undef STATUS_LINE
}

/* ------------------------------------------------------------------ values of options */

/* "text|json", "accept": the words themselves; "FILE", "T1,T2,...": a name for them. */
static bool is_list_of_words(const char *text)
{
    for (; *text; text++)
        if (!islower((unsigned char)*text) && !isdigit((unsigned char)*text) && *text != '|')
            return false;
    return true;
}

/* By the name of the value in the table: FILE, words with bars between them, or a name that one of
 * the page's lists explains. */
value_kind help_value(const option_page *page, const struct poptOption *option,
                      char words[WORDS_SIZE])
{
    size_t length = 0;
    words[0] = '\0';
    if ((option->argInfo & POPT_ARG_MASK) == POPT_ARG_NONE) return VALUE_NONE;
    if (strcmp(option->argDescrip, "FILE") == 0) return VALUE_FILE;
    if (is_list_of_words(option->argDescrip)) {
        (void)snprintf(words, WORDS_SIZE, "%s", option->argDescrip);
        for (char *c = words; *c; c++)
            if (*c == '|') *c = ' ';
        return VALUE_WORD;
    }
    for (size_t k = 0; page->lists && page->lists[k]; k++) {
        if (strcmp(page->lists[k]->option, option->longName) != 0) continue;
        for (const option_value *v = page->lists[k]->values; v->name && length < WORDS_SIZE; v++)
            length += (size_t)snprintf(words + length, WORDS_SIZE - length, "%s%s",
                                       length > 0 ? " " : "", v->name);
        return VALUE_WORD;
    }
    return VALUE_FREE;
}

/* --------------------------------------------------------------------- the command line */

/* What popt reads; the table needs its addresses. */
static struct {
    char *output, *completion, *messages; /* NULL when not given */
    int man;
} given;

/* The manual page, or the completion, into memory and out. */
static int write_file(completion_writer *complete, message_log *log)
{
    char *text = NULL;
    size_t length = 0;
    bool made = true;
    FILE *out = open_memstream(&text, &length);
    if (out && complete) made = complete(out);
    if (out && !complete) manual_write(out);
    if (!out || ferror(out)) made = false;
    if (out && fclose(out) != 0) made = false;
    if (!made) message_report(log, MSG_MEMORY, NULL, "there is not enough memory");
    made = made && output_write(given.output ? given.output : "-", text, length, log);
    free(text);
    return made ? STATUS_DONE : STATUS_WRONG_DATA;
}

/* That of the command `name`, NULL: the list of commands. Returns the exit status. */
static int show_help_page(const char *name, message_log *log)
{
    const command *wanted = name ? command_find(name) : NULL;
    char title[40];
    if (name && !wanted) return command_refuse(name, log);
    if (!name)
        help_write_usage(stdout);
    else {
        (void)snprintf(title, sizeof title, "zwang %s", name);
        if (!options_show_page(title, wanted->page)) {
            message_report(log, MSG_MEMORY, NULL, "there is not enough memory");
            return STATUS_WRONG_DATA;
        }
    }
    return output_flush(log) ? STATUS_DONE : STATUS_WRONG_DATA;
}

/* One COMMAND at most, and none with --man or --completion. False after a report. */
static bool take_help_arguments(const char *const *arguments, message_log *log)
{
    char shown[QUOTED_SIZE];
    size_t most = given.man || given.completion ? 0 : 1, k = 0;
    if (given.man && given.completion)
        return options_refuse_together(log, "--man and --completion exclude each other",
                                       "call the command once for each");
    if (most == 1 && given.output)
        return options_refuse_value(log, "--output", given.output,
                                    "it is for --man and --completion");
    while (arguments && k < most && arguments[k]) k++;
    if (!arguments || !arguments[k]) return true;
    message_report(log, MSG_ARGUMENTS, &(zw_diagnostic){.file = "zwang"},
                   "%s is expected, but there is also %s", most == 1 ? "one COMMAND" : "no COMMAND",
                   quoted(shown, arguments[k]));
    return false;
}

/* *writer: what writes the completion of the shell that was asked for, NULL: none was. False after
 * a report. */
static bool take_completion_shell(completion_writer **writer, message_log *log)
{
    *writer = given.completion ? completion_find(given.completion) : NULL;
    return !given.completion || *writer ||
           options_refuse_value(log, "--completion", given.completion,
                                "the shells are bash, zsh and fish");
}

/* An option_work: the manual page or a completion to a file, or a page to read. */
static int work_on_help(poptContext context, message_log *log)
{
    const char *const *arguments = poptGetArgs(context);
    completion_writer *writer = NULL;
    if (!options_take_messages(given.messages, 0, log) || !take_help_arguments(arguments, log) ||
        !take_completion_shell(&writer, log))
        return STATUS_WRONG_USAGE;
    if (given.man || writer) return write_file(writer, log);
    return show_help_page(arguments ? arguments[0] : NULL, log);
}

static const char about[] =
    "Shows the page of a COMMAND, or the list of all.\n"
    "\n"
    "--man writes the manual page and --completion a completion for a shell. Both come with an\n"
    "installed zwang; here they are for one that is not.\n";

static const struct poptOption table[] = {
    {"man", 0, POPT_ARG_NONE, &given.man, 0, "write the manual page, for man", NULL},
    {"completion", 0, POPT_ARG_STRING, &given.completion, 0, "write the completion for a shell",
     "bash|zsh|fish"},
    {"output", 'o', POPT_ARG_STRING, &given.output, 0,
     "write one of these to FILE; - is standard output", "FILE"},
    {"messages", 0, POPT_ARG_STRING, &given.messages, 0, "errors as text or as json", "text|json"},
    OPTIONS_END,
};

static const option_example examples[] = {
    {"the page of run", "zwang help run"},
    {"completion in this shell, if it is bash", "source <(zwang help --completion bash)"},
    {NULL, NULL},
};

const option_page help_page = {
    .table = table,
    .arguments = "[OPTION...] [COMMAND]",
    .about = about,
    .examples = examples,
    .names = command_names,
};

int help_command(int argc, const char **argv)
{
    int status = options_command(argc, argv, &help_page, work_on_help);
    free(given.output);
    free(given.completion);
    free(given.messages);
    return status;
}
