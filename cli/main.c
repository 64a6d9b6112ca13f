/*
 * The zwang command: finds the sub-command in the table of commands.c and hands over.
 */
#include <stdio.h>
#include <string.h>

#include <zwang.h>

#include "command.h"
#include "help.h"
#include "output_file.h"

/* argv[0] becomes "zwang NAME", as popt shows it in the page of help. */
static int start_command(const command *chosen, int argc, const char **argv)
{
    char title[40];
    (void)snprintf(title, sizeof title, "zwang %s", chosen->name);
    argv[0] = title;
    return chosen->work(argc, argv);
}

static int show_version(message_log *log)
{
    printf("zwang %s\n", zw_version());
    return output_flush(log) ? STATUS_DONE : STATUS_WRONG_DATA;
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* An option in the place of the command (only the version; help is a command), or what is no
 * command. Returns the exit status. */
static int answer_without_command(const char *word)
{
    message_log log = {0};
    int status;
    message_log_open(&log);
    if (is_one_of(word, "--version", "-V"))
        status = show_version(&log);
    else
        status = command_refuse(word, &log);
    message_log_print(&log);
    message_log_close(&log);
    return status;
}

/* Without anything the page of help goes to standard error, as wrong usage. */
int main(int argc, const char **argv)
{
    output_protect_streams();
    if (argc < 2) {
        help_write_usage(stderr);
        return STATUS_WRONG_USAGE;
    }
    if (is_one_of(argv[1], "--help", "-h")) return start_command(command_find("help"), 1, argv);
    const command *chosen = command_find(argv[1]);
    return chosen ? start_command(chosen, argc - 1, argv + 1) : answer_without_command(argv[1]);
}
