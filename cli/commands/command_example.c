/*
 * `zwang example`: the gallery that is inside the command. Lists it, shows a model, or copies it
 * to work on.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "did_you_mean.h"
#include "gallery.h"
#include "output_file.h"

/* What popt reads; the table needs its addresses. */
static struct {
    char *output, *messages; /* NULL when not given */
    int copy, json, quiet;
} given;

static int refuse_gallery_memory(message_log *log)
{
    message_report(log, MSG_MEMORY, NULL, "there is not enough memory");
    return STATUS_WRONG_DATA;
}

/* -------------------------------------------------------------------------- the list */

/* One name and title a line, the titles below each other in all tables. False: no memory. */
static bool write_titles(FILE *out, const char *heading, const gallery_text *table)
{
    int width = 0;
    for (const gallery_text *t = gallery_models; t->name; t++)
        if ((int)strlen(t->name) > width) width = (int)strlen(t->name);
    fprintf(out, "%s:\n", heading);
    for (const gallery_text *t = table; t->name; t++) {
        char *title = gallery_title(t);
        if (!title) return false;
        fprintf(out, "  %-*s  %s\n", width, t->name, title);
        free(title);
    }
    return true;
}

/* Models, modules, and what to do with them. False: no memory. */
static bool write_gallery_list(FILE *out)
{
    if (!write_titles(out, "Models", gallery_models)) return false;
    if (gallery_modules[0].name) {
        fputc('\n', out);
        if (!write_titles(out, "Modules, which models take in by use NAME", gallery_modules))
            return false;
    }
    fputs("\n"
          "zwang example NAME                shows one\n"
          "zwang example NAME | zwang run -  runs it\n"
          "zwang example NAME --copy         writes it to NAME.zw, to change it\n",
          out);
    return true;
}

/* ------------------------------------------------------------------------------ JSON */

/* Adds a string and frees it. False: no memory, or the text is not UTF-8. */
static bool set_string_field(json_t *object, const char *key, char *value)
{
    bool done = value && json_object_set_new(object, key, json_string(value)) == 0;
    free(value);
    return done;
}

/* All about a model or module as a JSON object; its text only where `whole`. NULL: no memory. */
static json_t *describe_text(const gallery_text *t, bool whole)
{
    json_t *object = json_object();
    const char *kind = gallery_is_module(t) ? "module" : "model";
    bool done = object && json_object_set_new(object, "name", json_string(t->name)) == 0 &&
                json_object_set_new(object, "kind", json_string(kind)) == 0 &&
                set_string_field(object, "title", gallery_title(t)) &&
                set_string_field(object, "story", gallery_story(t)) &&
                set_string_field(object, "source", gallery_source(t)) &&
                (!whole || json_object_set_new(object, "text", json_string(t->text)) == 0);
    if (done) return object;
    json_decref(object);
    return NULL;
}

/* The same of all of them as a list, without their texts. NULL: no memory. */
static json_t *describe_gallery(void)
{
    const gallery_text *const tables[] = {gallery_models, gallery_modules};
    json_t *list = json_array();
    for (size_t k = 0; list && k < sizeof tables / sizeof *tables; k++)
        for (const gallery_text *t = tables[k]; t->name; t++)
            if (json_array_append_new(list, describe_text(t, false)) != 0) {
                json_decref(list);
                return NULL;
            }
    return list;
}

/* t NULL: all. False: no memory. */
static bool write_gallery_json(FILE *out, const gallery_text *t)
{
    json_t *tree = t ? describe_text(t, true) : describe_gallery();
    bool done = tree && json_dumpf(tree, out, JSON_INDENT(2)) == 0;
    json_decref(tree);
    fputc('\n', out);
    return done;
}

/* ----------------------------------------------------------------------- what to do */

/* The list, or JSON about one or (t NULL) all. Returns the exit status. */
static int write_about(const gallery_text *t, message_log *log)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    bool made = out && (given.json ? write_gallery_json(out, t) : write_gallery_list(out));
    if (out && fclose(out) != 0) made = false;
    int status = STATUS_WRONG_DATA;
    if (!made)
        (void)refuse_gallery_memory(log);
    else if (output_write(given.output ? given.output : "-", text, length, log))
        status = STATUS_DONE;
    free(text);
    return status;
}

/* What one does with the copy. */
static void say_next(const gallery_text *t)
{
    if (gallery_is_module(t))
        fprintf(stderr,
                "%s: a copy to read; to change it give it another name, zwang example %s -o "
                "my_%s,\nand take it in by use my_%s\n",
                t->file, t->name, t->file, t->name);
    else
        fprintf(stderr, "%s: yours to change; next: zwang run %s\n", t->file, t->file);
}

/* The files of data that a model names go with it; one that is there stays. False after a report. */
static bool copy_data(const gallery_text *t, message_log *log)
{
    struct stat about;
    for (const gallery_text *d = gallery_data; d->name; d++) {
        char quoted_name[200];
        (void)snprintf(quoted_name, sizeof quoted_name, "\"%s\"", d->file);
        if (!strstr(t->text, quoted_name) || lstat(d->file, &about) == 0) continue;
        if (!output_write(d->file, d->text, d->length, log)) return false;
    }
    return true;
}

/* To NAME.zw, unless something of that name is there. Returns the exit status. */
static int copy_to_file(const gallery_text *t, message_log *log)
{
    struct stat about;
    if (lstat(t->file, &about) == 0) {
        char help[200];
        (void)snprintf(help, sizeof help,
                       "move it away, or give the copy another name: zwang example %s -o NAME.zw",
                       t->name);
        message_report(log, MSG_EXISTS, &(zw_diagnostic){.file = t->file, .help = help},
                       "the file is there already and is not overwritten");
        return STATUS_WRONG_DATA;
    }
    if (!output_write(t->file, t->text, t->length, log)) return STATUS_WRONG_DATA;
    if (!copy_data(t, log)) return STATUS_WRONG_DATA;
    if (!log->quiet && log->form == ZW_TEXT) say_next(t);
    return STATUS_DONE;
}

/* With the name that may have been meant. Returns the exit status. */
static int refuse_example_name(const char *name, message_log *log)
{
    const char **names = gallery_names();
    char help[200], shown[QUOTED_SIZE];
    size_t count = 0;
    if (!names) return refuse_gallery_memory(log);
    while (names[count]) count++;
    const char *nearest = suggest(name, names, count);
    (void)snprintf(help, sizeof help, "%s%s%szwang example lists all of them",
                   nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "");
    zw_diagnostic place = {.file = "zwang", .help = help};
    message_report(log, MSG_NO_EXAMPLE, &place, "there is no example %s", quoted(shown, name));
    free(names);
    return STATUS_WRONG_USAGE;
}

/* ----------------------------------------------------------------- the command line */

/* One NAME at most, which --copy needs. False after a report. */
static bool take_example_arguments(const char *const *arguments, message_log *log)
{
    char shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang", .help = "zwang example lists the names"};
    if (given.copy && given.output)
        return options_refuse_together(log, "--copy and --output exclude each other",
                                       "--copy writes to NAME.zw, --output to any file");
    if (given.copy && given.json)
        return options_refuse_together(log, "--copy and --json exclude each other",
                                       "a copy is the model itself, as text");
    if (given.copy && !arguments[0]) {
        message_report(log, MSG_ARGUMENTS, &place, "a NAME is expected");
        return false;
    }
    if (!arguments[0] || !arguments[1]) return true;
    place.help = "call the command once for each";
    message_report(log, MSG_ARGUMENTS, &place, "one NAME is expected, but there is also %s",
                   quoted(shown, arguments[1]));
    return false;
}

/* An option_work: the list, a model as text or JSON, or a copy of it. */
static int work_on_example(poptContext context, message_log *log)
{
    static const char *const none[] = {NULL};
    const char *const *arguments = poptGetArgs(context);
    if (!arguments) arguments = none;
    if (!options_take_messages(given.messages, given.quiet, log) ||
        !take_example_arguments(arguments, log))
        return STATUS_WRONG_USAGE;
    if (!arguments[0]) return write_about(NULL, log);
    const gallery_text *t = gallery_find(arguments[0]);
    if (!t) return refuse_example_name(arguments[0], log);
    if (given.json) return write_about(t, log);
    if (given.copy) return copy_to_file(t, log);
    const char *name = given.output ? given.output : "-";
    return output_write(name, t->text, t->length, log) ? STATUS_DONE : STATUS_WRONG_DATA;
}

static const char about[] =
    "The gallery: classic systems as models, each with its story, its source and what it should\n"
    "give. Without a NAME: the list. With one: the model as it stands, or a copy of it to change\n"
    "and to run. The modules that models take in by use are shown as well.\n"
    "\n"
    "--copy writes NAME.zw into the current folder, and the files of data that it names, and does\n"
    "not overwrite a file.\n";

static const struct poptOption table[] = {
    {"copy", 0, POPT_ARG_NONE, &given.copy, 0, "write it to NAME.zw in the current folder", NULL},
    {"json", 0, POPT_ARG_NONE, &given.json, 0, "the list as JSON; with a NAME, all about it", NULL},
    {"output", 'o', POPT_ARG_STRING, &given.output, 0, "write to FILE; - is standard output",
     "FILE"},
    {"messages", 0, POPT_ARG_STRING, &given.messages, 0, "errors as text or as json", "text|json"},
    {"quiet", 'q', POPT_ARG_NONE, &given.quiet, 0, "after a copy, not a word on what is next",
     NULL},
    OPTIONS_END,
};

static const option_example examples[] = {
    {"what there is", "zwang example"},
    {"one to work on", "zwang example rolling_disc --copy"},
    {"one as it is, its last state", "zwang example heavy_top | zwang run - | tail -n 1"},
    {NULL, NULL},
};

const option_page example_page = {
    .table = table,
    .arguments = "[OPTION...] [NAME]",
    .about = about,
    .examples = examples,
    .names = gallery_names,
};

int example_command(int argc, const char **argv)
{
    int status = options_command(argc, argv, &example_page, work_on_example);
    free(given.output);
    free(given.messages);
    return status;
}
