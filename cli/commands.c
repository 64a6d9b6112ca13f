/*
 * The table of commands. To add one: write its file, declare it in command.h, add its line here.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "did_you_mean.h"

/* clang-format off */
const command commands[] = {
    {"run", "simulates a model: rows of numbers, and a verdict on them", run_command, &run_page},
    {"sweep", "many runs of a model: grids, samples, tables; on all cores, on a cluster",
     sweep_command, &sweep_page},
    {"check", "what a model is: degrees of freedom, redundancy, conflicts, start", check_command,
     &check_page},
    {"view", "a page that moves and plots, of a model or a saved result", view_command,
     &view_page},
    {"draw", "pictures of a model as vector graphics: stills, strips, frames", draw_command,
     &draw_page},
    {"plot", "columns of a run over time, in the terminal or as a vector graphic", plot_command,
     &plot_page},
    {"derive", "the derived equations of a model, to read", derive_command, &derive_page},
    {"export", "a model as C code, or as an FMU for other simulators", export_command, &export_page},
    {"eval", "one instant of a model as JSON", eval_command, &eval_page},
    {"linearize", "a model beside a state: A, B, C, D and poles", linearize_command,
     &linearize_page},
    {"equilibrium", "a state of rest, its forces, stability and modes", equilibrium_command,
     &equilibrium_page},
    {"solve", "one constrained acceleration from numbers, JSON to JSON", solve_command,
     &solve_page},
    {"new", "a commented first model to change", new_command, &new_page},
    {"example", "models to look at, to copy and to change", example_command, &example_page},
    {"explain", "what a message means, by its code", explain_command, &explain_page},
    {"help", "this page, or that of a command: zwang help COMMAND", help_command, &help_page},
};
/* clang-format on */
const size_t command_count = sizeof commands / sizeof *commands;

/* By its whole name. */
const command *command_find(const char *name)
{
    for (size_t k = 0; k < command_count; k++)
        if (strcmp(commands[k].name, name) == 0) return &commands[k];
    return NULL;
}

const char **command_names(void)
{
    const char **names = calloc(command_count + 1, sizeof *names);
    for (size_t k = 0; names && k < command_count; k++) names[k] = commands[k].name;
    return names;
}

/* An unknown option in the place of the command, or an unknown command with what may be meant. */
int command_refuse(const char *name, message_log *log)
{
    const char **names = command_names();
    char help[200] = "zwang --help shows what there is", shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang", .help = help};
    if (name[0] == '-') {
        message_report(log, MSG_OPTION, &place, "there is no option %s", quoted(shown, name));
    } else {
        if (names) suggest_help(help, sizeof help, name, names, command_count, "commands");
        message_report(log, MSG_COMMAND, &place, "there is no command %s", quoted(shown, name));
    }
    free(names);
    return STATUS_WRONG_USAGE;
}
