/*
 * The zwang command: finds the sub-command and hands over. To add one: write its file, declare
 * it in command.h, add its line to the table below.
 */
#include <stdio.h>
#include <string.h>

#include <zwang.h>

#include "command.h"
#include "messages.h"
#include "output.h"
#include "suggest.h"

static const command commands[] = {
    {"run", "simulates a model: rows of numbers, and a verdict on them", run_command},
    {"check", "what a model is: degrees of freedom, redundancy, conflicts, start", check_command},
    {"derive", "the derived equations of a model, to read", derive_command},
    {"eval", "one instant of a model as JSON", eval_command},
    {"solve", "one constrained acceleration from numbers, JSON to JSON", solve_command},
    {"explain", "what a message means, by its code", explain_command},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const command *find_command(const char *name)
{
    for (size_t k = 0; k < COMMAND_COUNT; k++)
        if (strcmp(commands[k].name, name) == 0) return &commands[k];
    return NULL;
}

static void write_usage(FILE *out)
{
    fputs("Usage: zwang COMMAND [OPTION...]\n"
          "\n"
          "How constrained mechanical systems move, by Gauss's principle of least constraint.\n"
          "\n"
          "Commands:\n",
          out);
    for (size_t k = 0; k < COMMAND_COUNT; k++)
        fprintf(out, "  %-8s %s\n", commands[k].name, commands[k].summary);
    fputs("  help     this page, or that of a command: zwang help COMMAND\n"
          "\n"
          "Options:\n"
          "  -h, --help       this page; after a command, its own\n"
          "      --version    the version\n"
          "\n"
          "Exit status: 0 done, 1 the model, the data or a file is wrong, 2 wrong usage,\n"
          "3 a run stopped early, 130 it was interrupted; what it computed is kept.\n",
          out);
}

/* One message about the command line. */
static int refuse(message_code code, const char *sentence, const char *word, const char *help)
{
    message_log log = {0};
    char shown[QUOTED_SIZE];
    message_log_open(&log);
    zw_diagnostic place = {.file = "zwang", .help = help};
    message_report(&log, code, &place, "%s %s", sentence, quoted(shown, word));
    message_log_print(&log);
    message_log_close(&log);
    return STATUS_WRONG_USAGE;
}

static int refuse_command(const char *name)
{
    const char *names[COMMAND_COUNT + 1];
    char help[200];
    for (size_t k = 0; k < COMMAND_COUNT; k++) names[k] = commands[k].name;
    names[COMMAND_COUNT] = "help";
    if (name[0] == '-')
        return refuse(MSG_OPTION, "there is no option", name, "zwang --help shows what there is");
    suggest_help(help, sizeof help, name, names, COMMAND_COUNT + 1, "commands");
    return refuse(MSG_COMMAND, "there is no command", name, help);
}

/* 0, or 1 when standard output could not take what was written. */
static int finish_output(void)
{
    message_log log = {0};
    message_log_open(&log);
    int status = output_flush(&log) ? STATUS_DONE : STATUS_WRONG_DATA;
    message_log_print(&log);
    message_log_close(&log);
    return status;
}

/* zwang help, zwang help COMMAND */
static int help(int argc, const char **argv)
{
    if (argc < 2) {
        write_usage(stdout);
        return finish_output();
    }
    if (argc > 2)
        return refuse(MSG_ARGUMENTS, "one COMMAND is expected, but there is also", argv[2], NULL);
    const command *wanted = find_command(argv[1]);
    if (!wanted) return refuse_command(argv[1]);
    char title[40];
    (void)snprintf(title, sizeof title, "zwang %s", wanted->name);
    const char *arguments[] = {title, "--help", NULL};
    return wanted->run(2, arguments);
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

int main(int argc, const char **argv)
{
    output_protect_streams();
    if (argc < 2) {
        write_usage(stderr);
        return STATUS_WRONG_USAGE;
    }
    if (is_one_of(argv[1], "--help", "-h")) return help(1, argv + 1);
    if (strcmp(argv[1], "help") == 0) return help(argc - 1, argv + 1);
    if (is_one_of(argv[1], "--version", "-V")) {
        printf("zwang %s\n", zw_version());
        return finish_output();
    }
    const command *chosen = find_command(argv[1]);
    if (!chosen) return refuse_command(argv[1]);
    char title[40];
    (void)snprintf(title, sizeof title, "zwang %s", chosen->name);
    argv[1] = title;
    return chosen->run(argc - 1, argv + 1);
}
