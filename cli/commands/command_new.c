/*
 * `zwang new`: a first model of one's own. Writes a commented model of a chosen kind, one of the files
 * of cli/starters, which is complete and runs, with the new name in the place of NAME.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "did_you_mean.h"
#include "embedded.h"
#include "output_file.h"

/* What popt reads; the table needs its addresses. */
static struct {
    char *kind, *messages; /* NULL when not given */
    int quiet;
} given;

/* NULL: there is none of that kind. */
static const embedded_text *find_starter(const char *kind)
{
    for (const embedded_text *t = starter_models; t->name; t++)
        if (strcmp(t->name, kind) == 0) return t;
    return NULL;
}

/* The model with a name in the place of NAME, of the caller's; NULL when there is no memory. */
static char *write_model(const embedded_text *t, const char *name, size_t *length)
{
    static const char mark[] = "NAME";
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out) return NULL;
    for (const char *at = t->text; *at;) {
        const char *next = strstr(at, mark);
        size_t plain = next ? (size_t)(next - at) : strlen(at);
        (void)fwrite(at, 1, plain, out);
        if (next) (void)fputs(name, out);
        at += plain + (next ? strlen(mark) : 0);
    }
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

/* Letters, digits, - and _: it is the name of a file and stands in the text. A .zw at its end is left out.
 * False after a report. */
static bool take_name(const char *word, char *name, size_t size, message_log *log)
{
    char shown[QUOTED_SIZE];
    size_t length = strlen(word);
    if (length > 3 && strcmp(word + length - 3, ".zw") == 0) length -= 3;
    bool plain = length > 0 && length < size && word[0] != '-';
    for (size_t k = 0; k < length && plain; k++)
        plain = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", word[k]);
    if (!plain) {
        zw_diagnostic place = {.file = "zwang",
                               .help = "write letters, digits, - and _: zwang new swing"};
        message_report(log, MSG_ARGUMENTS, &place, "%s cannot be the name of a model",
                       quoted(shown, word));
        return false;
    }
    memcpy(name, word, length);
    name[length] = '\0';
    return true;
}

/* To NAME.zw, unless something of that name is there. Returns the exit status. */
static int write_new_file(const embedded_text *t, const char *name, message_log *log)
{
    char file[120];
    struct stat about;
    size_t length = 0;
    (void)snprintf(file, sizeof file, "%s.zw", name);
    if (lstat(file, &about) == 0) {
        message_report(
            log, MSG_EXISTS,
            &(zw_diagnostic){.file = file, .help = "choose another name, or move it away"},
            "the file is there already and is not overwritten");
        return STATUS_WRONG_DATA;
    }
    char *text = write_model(t, name, &length);
    if (!text) message_report(log, MSG_MEMORY, NULL, "there is not enough memory");
    bool done = text && output_write(file, text, length, log);
    free(text);
    if (done && !log->quiet && log->form == ZW_TEXT)
        fprintf(stderr, "%s: yours to change; next: zwang view %s\n", file, file);
    return done ? STATUS_DONE : STATUS_WRONG_DATA;
}

/* One NAME, and a kind that there is. Returns the exit status. */
static int work_on_new(poptContext context, message_log *log)
{
    const char *const *arguments = poptGetArgs(context);
    char name[100], shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang", .help = "zwang new NAME writes NAME.zw"};
    if (!options_take_messages(given.messages, given.quiet, log)) return STATUS_WRONG_USAGE;
    if (!arguments || !arguments[0]) {
        message_report(log, MSG_ARGUMENTS, &place, "a NAME is expected");
        return STATUS_WRONG_USAGE;
    }
    if (arguments[1]) {
        message_report(log, MSG_ARGUMENTS, &place, "one NAME is expected, but there is also %s",
                       quoted(shown, arguments[1]));
        return STATUS_WRONG_USAGE;
    }
    const embedded_text *t = find_starter(given.kind ? given.kind : "particle");
    if (!t) {
        (void)options_refuse_value(log, "--kind", given.kind,
                                   "write particle, linkage, bodies or control");
        return STATUS_WRONG_USAGE;
    }
    if (!take_name(arguments[0], name, sizeof name, log)) return STATUS_WRONG_USAGE;
    return write_new_file(t, name, log);
}

static const char about[] =
    "Writes NAME.zw into the current folder: a small model with a comment on every line, which\n"
    "runs as it is and is meant to be changed. It does not overwrite a file.\n"
    "\n"
    "KIND is particle (a point of mass and a constraint; at first), linkage (bars and hinges in\n"
    "the plane), bodies (rigid bodies in space) or control (a motion that is asked for, and the\n"
    "force it takes).\n";

static const struct poptOption table[] = {
    {"kind", 'k', POPT_ARG_STRING, &given.kind, 0, "what to begin with",
     "particle|linkage|bodies|control"},
    {"messages", 0, POPT_ARG_STRING, &given.messages, 0, "errors as text or as json", "text|json"},
    {"quiet", 'q', POPT_ARG_NONE, &given.quiet, 0, "not a word on what is next", NULL},
    OPTIONS_END,
};

static const option_example examples[] = {
    {"a bob on a rod", "zwang new swing"},
    {"a linkage, and its picture", "zwang new wiper --kind linkage && zwang view wiper.zw"},
    {NULL, NULL},
};

const option_page new_page = {
    .table = table,
    .arguments = "[OPTION...] NAME",
    .about = about,
    .examples = examples,
};

int new_command(int argc, const char **argv)
{
    int status = options_command(argc, argv, &new_page, work_on_new);
    free(given.kind);
    free(given.messages);
    return status;
}
