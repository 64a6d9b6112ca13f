/*
 * Writing the manual page, in the man macros of roff, from the pages of the commands. What stands
 * there as a table becomes a tagged list; options are bold, names that stand for a value in
 * italics.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include <zwang.h>

#include "command.h"
#include "help.h"

/* ------------------------------------------------------------------------------ text */

/* One character, so that it is printed as it is and can be copied from the page. */
static void put_character(FILE *out, char c)
{
    switch (c) {
    case '-':
        fputs("\\-", out);
        break;
    case '\\':
        fputs("\\e", out);
        break;
    case '\'':
        fputs("\\(aq", out);
        break;
    case '`':
        fputs("\\(ga", out);
        break;
    case '^':
        fputs("\\(ha", out);
        break;
    case '~':
        fputs("\\(ti", out);
        break;
    case '"':
        fputs("\\(dq", out);
        break;
    default:
        fputc(c, out);
    }
}

/* text [length], in a font ("\fB") or, NULL, in the present one. */
static void put_words(FILE *out, const char *font, const char *text, size_t length)
{
    if (font) fputs(font, out);
    for (size_t k = 0; k < length; k++) put_character(out, text[k]);
    if (font) fputs("\\fR", out);
}

/* The length of an option, "--name", that begins here; 0: there is none. */
static size_t measure_option(const char *text)
{
    if (strncmp(text, "--", 2) != 0) return 0;
    size_t length = 2;
    while (islower((unsigned char)text[length]) || text[length] == '-') length++;
    return length > 2 ? length : 0;
}

/* The length of the capitals that begin here, "MODEL", and of digits behind the first; 0: none. */
static size_t measure_capitals(const char *text)
{
    size_t length = 0;
    while (isupper((unsigned char)text[length]) ||
           (length > 0 && isdigit((unsigned char)text[length])))
        length++;
    return length;
}

/* A line of text, options bold. `names`: and capitals in italics. */
static void put_line(FILE *out, const char *line, size_t length, bool names)
{
    if (line[0] == '.') fputs("\\&", out);
    for (size_t k = 0; k < length;) {
        bool starts = k == 0 || !isalnum((unsigned char)line[k - 1]);
        size_t option = starts ? measure_option(line + k) : 0;
        size_t capitals = starts && names ? measure_capitals(line + k) : 0;
        if (option > 0)
            put_words(out, "\\fB", line + k, option);
        else if (capitals > 0)
            put_words(out, "\\fI", line + k, capitals);
        else
            put_character(out, line[k]);
        k += option + capitals > 0 ? option + capitals : 1;
    }
    fputc('\n', out);
}

static void put_sentence(FILE *out, const char *text)
{
    put_line(out, text, strlen(text), false);
}

/* An entry of a tagged list, its name in bold. */
static void put_entry(FILE *out, const char *name, const char *sentence)
{
    fputs(".TP\n", out);
    put_words(out, "\\fB", name, strlen(name));
    fputc('\n', out);
    put_sentence(out, sentence);
}

/* "  M    mass matrix": up to where the name and the blanks behind it reach; 0: no such line. */
static size_t measure_entry_name(const char *line, size_t *blanks)
{
    if (strncmp(line, "  ", 2) != 0) return 0;
    size_t length = 0;
    while (line[2 + length] != '\n' && strncmp(line + 2 + length, "  ", 2) != 0) length++;
    *blanks = strspn(line + 2 + length, " ");
    return length;
}

/* Paragraphs, and tables in them. */
static void put_text(FILE *out, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n"), blanks = 0, name = measure_entry_name(text, &blanks);
        if (name > 0) {
            fputs(".TP\n", out);
            put_words(out, "\\fB", text + 2, name);
            fputc('\n', out);
            put_line(out, text + 2 + name + blanks, length - 2 - name - blanks, false);
        } else if (length == 0) {
            if (strncmp(text + 1, "  ", 2) != 0) fputs(".PP\n", out);
        } else {
            put_line(out, text, length, false);
        }
        text += length + (text[length] == '\n');
    }
}

/* -------------------------------------------------------------------------- commands */

/* "-o, --output=FILE" */
static void put_option(FILE *out, const struct poptOption *option, const option_page *page)
{
    char words[WORDS_SIZE];
    value_kind kind = help_value(page, option, words);
    fputs(".TP\n", out);
    if (option->shortName) fprintf(out, "\\fB\\-%c\\fR, ", option->shortName);
    fputs("\\fB\\-\\-", out);
    put_words(out, NULL, option->longName, strlen(option->longName));
    fputs("\\fR", out);
    if (kind != VALUE_NONE) {
        fputc(strchr(option->argDescrip, '=') ? ' ' : '=', out);
        bool choice = kind == VALUE_WORD && islower((unsigned char)option->argDescrip[0]);
        put_words(out, choice ? "\\fB" : "\\fI", option->argDescrip, strlen(option->argDescrip));
    }
    fputc('\n', out);
    put_sentence(out, option->descrip);
}

/* The section of a command: its usage, what is said about it, its options. */
static void put_command(FILE *out, const command *c)
{
    const option_page *page = c->page;
    fprintf(out, ".SS zwang %s ", c->name);
    put_line(out, page->arguments, strlen(page->arguments), true);
    put_text(out, page->about);
    fputs(".PP\nOptions:\n", out);
    for (const struct poptOption *o = page->table; o->longName; o++) put_option(out, o, page);
}

/* Whether a command before `end` in the table has the list, so that it is on the page already. */
static bool is_listed_before(const option_list *list, const command *end)
{
    for (const command *c = commands; c < end; c++)
        for (size_t k = 0; c->page->lists && c->page->lists[k]; k++)
            if (c->page->lists[k] == list) return true;
    return false;
}

/* The lists of values, each once. */
static void put_lists(FILE *out, const command *c)
{
    const option_list *const *lists = c->page->lists;
    for (size_t k = 0; lists && lists[k]; k++) {
        if (is_listed_before(lists[k], c)) continue;
        fprintf(out, ".SS %s: \\-\\-%s\n", lists[k]->title, lists[k]->option);
        for (const option_value *v = lists[k]->values; v->name; v++)
            put_entry(out, v->name, v->sentence);
    }
}

/* One line for each command. */
static void put_synopsis(FILE *out)
{
    for (size_t k = 0; k < command_count; k++) {
        fprintf(out, "\\fBzwang %s\\fR ", commands[k].name);
        put_line(out, commands[k].page->arguments, strlen(commands[k].page->arguments), true);
        fputs(".br\n", out);
    }
    fputs("\\fBzwang \\-\\-help\\fR | \\fB\\-\\-version\\fR\n", out);
}

/* The sentence with a capital, then the line as it is typed. */
static void put_examples(FILE *out)
{
    for (size_t k = 0; k < command_count; k++)
        for (const option_example *e = commands[k].page->examples; e && e->line; e++) {
            fputs(".PP\n", out);
            put_character(out, (char)toupper((unsigned char)e->sentence[0]));
            put_line(out, e->sentence + 1, strlen(e->sentence + 1), false);
            fputs(".PP\n.nf\n.RS\n", out);
            put_words(out, NULL, e->line, strlen(e->line));
            fputs("\n.RE\n.fi\n", out);
        }
}

/* -------------------------------------------------------------------------- the page */

static const char description[] =
    "Zwang computes constrained motion by Gauss's principle of least constraint, also where the\n"
    "constraints depend on each other or contradict each other. A MODEL is a file in the model\n"
    "language: coordinates, energies, forces, constraints; - is standard input.\n"
    "\n"
    "Results go to standard output or to the named file, messages to standard error. A message "
    "has\n"
    "a code in brackets, about which zwang explain says more.\n"
    "\n"
    "To begin, take a model of the gallery: zwang example lists it.\n";

/* " *.csv *.json" and so on. */
#define RESULT_FILE(name, value, word, sentence) " *." #word
#define RESULT_FILES ZW_RESULT_LIST(RESULT_FILE)

static const char files[] =
    "  *.zw       models and modules in the model language, UTF-8\n"
    "  NAME.zw    beside a model: the module that it takes in by use NAME, unless one of that name "
    "is built in\n"
    " " RESULT_FILES "    results of zwang run, by the ending of the file\n";

/* The sections in the order that man pages have. */
void manual_write(FILE *out)
{
    fputs(".\\\" Made by zwang help --man from the tables of the command.\n", out);
    fprintf(out, ".TH ZWANG 1 \"\" \"zwang %s\" \"User Commands\"\n", zw_version());
    fputs(".SH NAME\nzwang \\- how constrained mechanical systems move\n.SH SYNOPSIS\n", out);
    put_synopsis(out);
    fputs(".SH DESCRIPTION\n", out);
    put_text(out, description);
    fputs(".PP\nCommands:\n", out);
    for (size_t k = 0; k < command_count; k++)
        put_entry(out, commands[k].name, commands[k].summary);
    fputs(".SH COMMANDS\n", out);
    for (size_t k = 0; k < command_count; k++) put_command(out, &commands[k]);
    fputs(".SH VALUES OF OPTIONS\n", out);
    for (size_t k = 0; k < command_count; k++) put_lists(out, &commands[k]);
    fputs(".SH EXIT STATUS\n", out);
#define STATUS_ENTRY(name, value, sentence) put_entry(out, #value, sentence);
    STATUS_LIST(STATUS_ENTRY)
#undef STATUS_ENTRY
    fputs(".SH FILES\n", out);
    put_text(out, files);
    fputs(".SH EXAMPLES\nThe model is one of the gallery: zwang example rolling_disc \\-\\-copy\n",
          out);
    put_examples(out);
}
