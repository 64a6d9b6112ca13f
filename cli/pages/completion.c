/*
 * Writing completions for shells, from the pages of the commands: names of commands, options of
 * each, the words that an option can have, and what the argument can be. Where nothing is known but
 * that it is a file, the shell completes files; a MODEL ends with .zw or is in a folder.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "help.h"

static bool takes_model(const option_page *page)
{
    return strstr(page->arguments, "MODEL") != NULL;
}

/* The words that the argument can be, blanks in between; nothing for a file. False: no memory. */
static bool put_argument_words(FILE *out, const option_page *page)
{
    const char **names = page->names ? page->names() : NULL;
    for (size_t k = 0; names && names[k]; k++) fprintf(out, "%s%s", k > 0 ? " " : "", names[k]);
    bool done = !page->names || names;
    free(names);
    return done;
}

static void put_command_names(FILE *out)
{
    for (size_t k = 0; k < command_count; k++)
        fprintf(out, "%s%s", k > 0 ? " " : "", commands[k].name);
}

/* A text between single quotes: what the shell or its format takes for something else gets a
 * backslash, and a quote is written as the three signs '\'' make it. */
static void put_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", out);
        else if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* ------------------------------------------------------------------------------ bash */

/* 'run --output' | 'run -o' */
static void put_pattern(FILE *out, const command *c, const struct poptOption *o)
{
    fprintf(out, "    '%s --%s'", c->name, o->longName);
    if (o->shortName) fprintf(out, " | '%s -%c'", c->name, o->shortName);
}

/* The cases of a command's options that take a value: its words, or what it is. */
static void put_bash_values(FILE *out, const command *c)
{
    char words[WORDS_SIZE];
    for (const struct poptOption *o = c->page->table; o->longName; o++) {
        value_kind kind = help_value(c->page, o, words);
        if (kind == VALUE_NONE) continue;
        put_pattern(out, c, o);
        if (kind == VALUE_WORD)
            fprintf(out, ") words='%s' ;;\n", words);
        else
            fprintf(out, ") kind='%s' ;;\n", kind == VALUE_FILE ? "file" : "none");
    }
}

/* The cases of a command's options and of its argument. False: no memory. */
static bool put_bash_command(FILE *out, const command *c)
{
    fprintf(out, "    '%s -'*) words='", c->name);
    for (const struct poptOption *o = c->page->table; o->longName; o++)
        fprintf(out, "%s--%s", o > c->page->table ? " " : "", o->longName);
    fprintf(out, "' ;;\n    '%s '*) ", c->name);
    if (!c->page->names) {
        fprintf(out, "kind='%s' ;;\n", takes_model(c->page) ? "model" : "file");
        return true;
    }
    fputs("words='", out);
    bool done = put_argument_words(out, c->page);
    fputs("' ;;\n", out);
    return done;
}

/* A function with two tables of cases: by command and word before, by command and present word. */
static bool write_bash_completion(FILE *out)
{
    bool done = true;
    fputs("# Completion of the zwang command for bash, made by zwang help --completion bash.\n"
          "_zwang() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command=${COMP_WORDS[1]} words='' kind='word'\n"
          "    # bash makes a word of \"=\": --form=ga is the three words --form = ga\n"
          "    if [[ $word == '=' ]]; then\n"
          "        word=''\n"
          "    elif [[ $before == '=' ]]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    if ((COMP_CWORD == 1)); then\n"
          "        command='' before=''\n"
          "    fi\n"
          "    # the value of an option, else an option or an argument\n"
          "    case \"$command $before\" in\n"
          "    ' ') words='",
          out);
    put_command_names(out);
    fputs(" --help --version' ;;\n", out);
    for (size_t k = 0; k < command_count; k++) put_bash_values(out, &commands[k]);
    fputs("    *) kind='' ;;\n"
          "    esac\n"
          "    [[ $kind ]] || case \"$command $word\" in\n",
          out);
    for (size_t k = 0; done && k < command_count; k++) done = put_bash_command(out, &commands[k]);
    fputs("    esac\n"
          "    case $kind in\n"
          "    none) COMPREPLY=() ;;\n"
          "    file) mapfile -t COMPREPLY < <(compgen -f -- \"$word\") ;;\n"
          "    model) mapfile -t COMPREPLY < <(\n"
          "        compgen -d -- \"$word\"\n"
          "        compgen -f -X '!*.zw' -- \"$word\"\n"
          "    ) ;;\n"
          "    *) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\") ;;\n"
          "    esac\n"
          "}\n"
          "complete -o filenames -F _zwang zwang\n",
          out);
    return done;
}

/* ------------------------------------------------------------------------------- zsh */

/* '(-o --output)'{-o+,--output=}'[sentence]:FILE:_files' */
static void put_zsh_option(FILE *out, const option_page *page, const struct poptOption *o)
{
    char words[WORDS_SIZE];
    value_kind kind = help_value(page, o, words);
    const char *value = kind == VALUE_NONE ? "" : "=";
    fputs(" \\\n            ", out);
    if (o->shortName)
        fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'[", o->shortName, o->longName, o->shortName,
                kind == VALUE_NONE ? "" : "+", o->longName, value);
    else
        fprintf(out, "'%s--%s%s[", (o->argInfo & POPT_ARG_MASK) == POPT_ARG_ARGV ? "*" : "",
                o->longName, value);
    put_quoted(out, o->descrip, "[]:\\");
    fputc(']', out);
    if (kind != VALUE_NONE) {
        fputc(':', out);
        put_quoted(out, o->argDescrip, ":\\");
        if (kind == VALUE_WORD) fprintf(out, ":(%s)", words);
        if (kind == VALUE_FILE) fputs(":_files", out);
        if (kind == VALUE_FREE) fputs(": ", out);
    }
    fputc('\'', out);
}

/* The case of a command: its options and its argument for _arguments. False: no memory. */
static bool put_zsh_command(FILE *out, const command *c)
{
    bool done = true;
    bool several = strstr(c->page->arguments + strlen("[OPTION...]"), "...") != NULL;
    fprintf(out, "    %s)\n        _arguments -s -S", c->name);
    for (const struct poptOption *o = c->page->table; o->longName; o++)
        put_zsh_option(out, c->page, o);
    fprintf(out, " \\\n            '%s:argument:", several ? "*" : "1");
    if (c->page->names) {
        fputc('(', out);
        done = put_argument_words(out, c->page);
        fputc(')', out);
    } else {
        fputs(takes_model(c->page) ? "_files -g \"*.zw\"" : "_files", out);
    }
    fputs("'\n        ;;\n", out);
    return done;
}

/* A function that describes the commands, then one case for each. */
static bool write_zsh_completion(FILE *out)
{
    bool done = true;
    fputs("#compdef zwang\n"
          "# Completion of the zwang command for zsh, made by zwang help --completion zsh.\n"
          "_zwang() {\n"
          "    local -a commands=(\n",
          out);
    for (size_t k = 0; k < command_count; k++) {
        fprintf(out, "        '%s:", commands[k].name);
        put_quoted(out, commands[k].summary, "\\");
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $words[1] in\n",
          out);
    for (size_t k = 0; done && k < command_count; k++) done = put_zsh_command(out, &commands[k]);
    fputs("    esac\n"
          "}\n"
          "if [[ $funcstack[1] == _zwang ]]; then\n"
          "    _zwang \"$@\"\n"
          "else\n"
          "    compdef _zwang zwang\n"
          "fi\n",
          out);
    return done;
}

/* ------------------------------------------------------------------------------ fish */

/* One `complete` line for an option of a command. */
static void put_fish_option(FILE *out, const command *c, const struct poptOption *o)
{
    char words[WORDS_SIZE];
    value_kind kind = help_value(c->page, o, words);
    fprintf(out, "complete -c zwang -n '__zwang_is %s' -l %s", c->name, o->longName);
    if (o->shortName) fprintf(out, " -s %c", o->shortName);
    if (kind == VALUE_WORD) fprintf(out, " -x -a '%s'", words);
    if (kind == VALUE_FREE) fputs(" -x", out);
    if (kind == VALUE_FILE) fputs(" -r -F", out);
    fputs(" -d '", out);
    put_quoted(out, o->descrip, "\\");
    fputs("'\n", out);
}

/* The lines of a command: its name, its options, its argument. False: no memory. */
static bool put_fish_command(FILE *out, const command *c)
{
    bool done = true;
    fprintf(out, "complete -c zwang -n __zwang_none -a %s -d '", c->name);
    put_quoted(out, c->summary, "\\");
    fputs("'\n", out);
    for (const struct poptOption *o = c->page->table; o->longName; o++) put_fish_option(out, c, o);
    fprintf(out, "complete -c zwang -n '__zwang_is %s' ", c->name);
    if (c->page->names) {
        fputs("-a '", out);
        done = put_argument_words(out, c->page);
        fputs("'\n", out);
    } else {
        fputs("-F\n", out);
    }
    return done;
}

/* Two conditions, then the lines of all commands. */
static bool write_fish_completion(FILE *out)
{
    bool done = true;
    fputs("# Completion of the zwang command for fish, made by zwang help --completion fish.\n"
          "function __zwang_is\n"
          "    set -l words (commandline -opc)\n"
          "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
          "end\n"
          "function __zwang_none\n"
          "    test (count (commandline -opc)) -lt 2\n"
          "end\n"
          "complete -c zwang -f\n"
          "complete -c zwang -n __zwang_none -s h -l help -d 'show the commands'\n"
          "complete -c zwang -n __zwang_none -l version -d 'show the version'\n",
          out);
    for (size_t k = 0; done && k < command_count; k++) done = put_fish_command(out, &commands[k]);
    return done;
}

/* ----------------------------------------------------------------------------------- */

completion_writer *completion_find(const char *shell)
{
    if (strcmp(shell, "bash") == 0) return write_bash_completion;
    if (strcmp(shell, "zsh") == 0) return write_zsh_completion;
    if (strcmp(shell, "fish") == 0) return write_fish_completion;
    return NULL;
}
