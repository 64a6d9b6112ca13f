/*
 * `zwang explain`: the long text behind a message's code.
 *
 * The texts are the files of docs/messages, which cmake/embed.cmake puts into the command as one
 * array of bytes. A section is
 *
 *     ## E0102 title
 *     text, with examples between lines of three backquotes
 *
 * and ends where a line begins with "#" outside an example. The sections are listed once, by
 * number; the text is shown as it stands, examples indented.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_messages.h"
#include "did_you_mean.h"
#include "embedded.h"
#include "options.h"
#include "output_file.h"

/* -------------------------------------------------------------------- the sections */

enum { CODE_LENGTH = 5 }; /* a letter and four digits */

/* The explanation of one code; it points into the embedded text. */
typedef struct section {
    char code[CODE_LENGTH + 1];
    const char *title;      /* up to the end of its line */
    const char *text, *end; /* the lines below */
} section;

/* All explanations, by number. */
typedef struct book {
    section *sections; /* owned, [count] */
    size_t count;
} book;

static bool is_fence(const char *line)
{
    return strncmp(line, "```", 3) == 0;
}

/* "## E0102 title": where the code begins, NULL for any other line. */
static const char *heading_code(const char *line)
{
    if (strncmp(line, "## ", 3) != 0 || !strchr("EWR", line[3])) return NULL;
    for (int k = 1; k < CODE_LENGTH; k++)
        if (!isdigit((unsigned char)line[3 + k])) return NULL;
    return line + 3;
}

/* code: where it stands in its heading; text: the line below. The section is empty at first. */
static void add_section(book *b, const char *code, const char *text)
{
    section *s = &b->sections[b->count++];
    memcpy(s->code, code, CODE_LENGTH);
    s->title = code + CODE_LENGTH + strspn(code + CODE_LENGTH, " :");
    s->text = s->end = text;
}

/* For qsort: by the digits, then by the letter. */
static int compare_sections(const void *x, const void *y)
{
    const section *a = x, *b = y;
    int order = strcmp(a->code + 1, b->code + 1);
    return order != 0 ? order : a->code[0] - b->code[0];
}

/* The sections of one file. */
static void add_sections(book *b, const char *text)
{
    bool example = false, inside = false;
    for (const char *line = text; *line; line = embedded_next_line(line)) {
        if (is_fence(line)) example = !example;
        if (!example && line[0] == '#') {
            const char *code = heading_code(line);
            inside = code != NULL;
            if (code) add_section(b, code, embedded_next_line(line));
        } else if (inside) {
            b->sections[b->count - 1].end = embedded_next_line(line);
        }
    }
}

/* Lists the sections; false when there is not enough memory. */
static bool open_book(book *b)
{
    size_t most = 1;
    for (const embedded_text *f = message_texts; f->name; f++)
        for (const char *line = f->text; *line; line = embedded_next_line(line))
            most += line[0] == '#';
    *b = (book){.sections = calloc(most, sizeof *b->sections)};
    if (!b->sections) return false;
    for (const embedded_text *f = message_texts; f->name; f++) add_sections(b, f->text);
    qsort(b->sections, b->count, sizeof *b->sections, compare_sections);
    return true;
}

/* The section of a code in capital or small letters; NULL: there is none. */
static const section *find_section(const book *b, const char *code)
{
    for (size_t k = 0; k < b->count; k++)
        if (strlen(code) == CODE_LENGTH &&
            toupper((unsigned char)code[0]) == b->sections[k].code[0] &&
            strcmp(code + 1, b->sections[k].code + 1) == 0)
            return &b->sections[k];
    return NULL;
}

/* ------------------------------------------------------------------------ the pages */

static int title_length(const section *s)
{
    return (int)strcspn(s->title, "\n");
}

/* One code and title a line. */
static void print_code_list(const book *b)
{
    for (size_t k = 0; k < b->count; k++)
        printf("%s  %.*s\n", b->sections[k].code, title_length(&b->sections[k]),
               b->sections[k].title);
}

/* Blank lines around the text are left out; lines of examples are indented. */
static void print_section(const section *s)
{
    const char *line = s->text, *end = s->end;
    bool example = false;
    while (end > line && isspace((unsigned char)end[-1])) end--;
    while (line < end && *line == '\n') line++;
    printf("%s: %.*s\n\n", s->code, title_length(s), s->title);
    for (; line < end; line = embedded_next_line(line)) {
        int length = (int)strcspn(line, "\n");
        if (is_fence(line))
            example = !example;
        else
            printf("%s%.*s\n", example && length > 0 ? "    " : "", length, line);
    }
}

/* The letters two words have in common at their beginning, a small one being like a capital. */
static int count_same_letters(const char *a, const char *b)
{
    int count = 0;
    while (a[count] && toupper((unsigned char)a[count]) == toupper((unsigned char)b[count]))
        count++;
    return count;
}

/* Of codes equally near, the first one listed is suggested: those that begin like the wrong one
 * go first. NULL when there is none, or no memory. */
static const char *find_nearest_code(const book *b, const char *wrong)
{
    const char **codes = calloc(b->count + 1, sizeof *codes);
    size_t count = 0;
    for (int same = CODE_LENGTH; codes && same >= 0; same--)
        for (size_t k = 0; k < b->count; k++)
            if (count_same_letters(wrong, b->sections[k].code) == same)
                codes[count++] = b->sections[k].code;
    const char *nearest = suggest(wrong, codes, count);
    free(codes);
    return nearest;
}

/* With the code that may have been meant. */
static void refuse_code(const book *b, const char *code, message_log *log)
{
    char help[120], shown[QUOTED_SIZE];
    const char *nearest = find_nearest_code(b, code);
    (void)snprintf(help, sizeof help, "%s%s%szwang explain lists all codes",
                   nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? " : "");
    zw_diagnostic place = {.file = "zwang", .help = help};
    message_report(log, MSG_NO_CODE, &place, "there is no message %s", quoted(shown, code));
}

/* Prints all of them, or none when one is not there. codes ends with NULL. Returns the exit
 * status. */
static int print_explanations(const book *b, const char *const *codes, message_log *log)
{
    for (size_t k = 0; codes[k]; k++)
        if (!find_section(b, codes[k])) refuse_code(b, codes[k], log);
    if (message_log_has_error(log)) return STATUS_WRONG_USAGE;
    for (size_t k = 0; codes[k]; k++) {
        if (k > 0) printf("\n");
        print_section(find_section(b, codes[k]));
    }
    return STATUS_DONE;
}

/* ----------------------------------------------------------------- the command line */

/* What popt reads; the table needs its address. */
static char *given_messages;

/* An option_work: the codes of the command line explained, or the list of all. */
static int work_on_explain(poptContext context, message_log *log)
{
    book b;
    int status = STATUS_DONE;
    if (!options_take_messages(given_messages, 0, log)) return STATUS_WRONG_USAGE;
    if (!open_book(&b)) {
        message_report(log, MSG_MEMORY, NULL, "there is not enough memory");
        return STATUS_WRONG_DATA;
    }
    const char **codes = poptGetArgs(context);
    if (codes && codes[0])
        status = print_explanations(&b, codes, log);
    else
        print_code_list(&b);
    free(b.sections);
    if (!output_flush(log)) status = STATUS_WRONG_DATA;
    return status;
}

static const char about[] =
    "Explains messages by the code that stands in their brackets, as in error[E0102]: what it\n"
    "means, an example, and what to do. Without a CODE: the list of all codes.\n";

static const struct poptOption table[] = {
    {"messages", 0, POPT_ARG_STRING, &given_messages, 0, "errors as text or as json", "text|json"},
    OPTIONS_END,
};

static const option_example examples[] = {
    {"what error[E0801] means", "zwang explain E0801"},
    {NULL, NULL},
};

/* All codes, for the completions. They point into the texts, so they are cut out into one block
 * behind the pointers. */
static const char **list_message_codes(void)
{
    book b;
    if (!open_book(&b)) return NULL;
    size_t pointers = (b.count + 1) * sizeof(char *);
    const char **names = calloc(1, pointers + b.count * sizeof b.sections->code);
    char *codes = (char *)names + pointers;
    for (size_t k = 0; names && k < b.count; k++, codes += sizeof b.sections->code)
        names[k] = strcpy(codes, b.sections[k].code);
    free(b.sections);
    return names;
}

const option_page explain_page = {
    .table = table,
    .arguments = "[OPTION...] [CODE...]",
    .about = about,
    .examples = examples,
    .names = list_message_codes,
};

int explain_command(int argc, const char **argv)
{
    int status = options_command(argc, argv, &explain_page, work_on_explain);
    free(given_messages);
    return status;
}
