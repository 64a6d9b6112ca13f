/*
 * `zwang plot`: columns over time, of a run that is made for it or of a result that was saved; in the
 * terminal, or as a vector graphic.
 *
 *     MODEL --film--> columns --.
 *     RESULT --table_file-------+--> curves --> braille or SVG
 *
 * The first argument says which: a file with the ending of a result is one. For a model the driver of
 * model commands does the rest.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "did_you_mean.h"
#include "film.h"
#include "plot.h"
#include "table_file.h"

typedef struct plot_options {
    run_options run;
    char *against; /* owned; NULL when not given */
    char *names;   /* of the command line, with commas between them; owned */
} plot_options;

/* ------------------------------------------------------------------------ writing */

/* Columns and lines of the terminal; 80 and 24 where there is none. */
static void find_terminal_size(int *columns, int *lines)
{
    struct winsize size = {0};
    const char *wide = getenv("COLUMNS"), *high = getenv("LINES");
    *columns = 80;
    *lines = 24;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        *columns = size.ws_col;
        *lines = size.ws_row;
    } else {
        if (wide && atoi(wide) > 0) *columns = atoi(wide);
        if (high && atoi(high) > 0) *lines = atoi(high);
    }
    if (*columns > 400) *columns = 400;
    if (*lines > 200) *lines = 200;
}

/* A file gets SVG, the terminal braille. */
static void write_plot(const plot *p, const char *file_name, FILE *out)
{
    int columns, lines;
    if (file_name && strcmp(file_name, "-") != 0) {
        plot_write_svg(p, out);
        return;
    }
    find_terminal_size(&columns, &lines);
    plot_write_braille(p, columns, lines, out);
}

/* Curves of the columns `chosen` [count] of a table. False: no memory. */
static bool plot_table(const number_table *t, const int32_t *chosen, int32_t count, int32_t x,
                       const char *title, const char *file_name, FILE *out)
{
    plot_curve *curves = calloc((size_t)count + 1, sizeof *curves);
    if (!curves) return false;
    for (int32_t k = 0; k < count; k++)
        curves[k] = (plot_curve){t->names[chosen[k]], t->data + chosen[k] * t->rows};
    plot p = {.title = title,
              .x_name = t->names[x],
              .x = t->data + x * t->rows,
              .count = t->rows,
              .curves = curves,
              .curve_count = count};
    write_plot(&p, file_name, out);
    free(curves);
    return true;
}

/* ------------------------------------------------------------------------ results */

/* Whether a column is meant by a name: by its own, or as an element of it, r[2] by r. */
static bool is_meant(const char *column, const char *name, size_t length)
{
    if (strncmp(column, name, length) != 0) return false;
    return column[length] == '\0' || column[length] == '[';
}

/* False after a report: with what may be meant. */
static bool refuse_column(const number_table *t, const char *file, const char *name, size_t length,
                          message_log *log)
{
    char help[300], word[200], shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = file, .help = help};
    (void)snprintf(word, sizeof word, "%.*s", (int)length, name);
    suggest_help(help, sizeof help, word, (const char *const *)t->names, (size_t)t->columns,
                 "columns");
    message_report(log, MSG_NO_COLUMN, &place, "there is no column %s", quoted(shown, word));
    return false;
}

/* The columns of a list of names, brackets kept together: chosen [columns]. False after a report. */
static bool choose_columns(const number_table *t, const char *file, const char *list,
                           int32_t *chosen, int32_t *count, message_log *log)
{
    *count = 0;
    while (*list) {
        size_t length = 0;
        int depth = 0;
        while (*list == ' ' || *list == ',') list++;
        for (; list[length] && (depth > 0 || list[length] != ','); length++)
            depth += (list[length] == '[' || list[length] == '(') -
                     (list[length] == ']' || list[length] == ')');
        size_t word = length;
        while (word > 0 && list[word - 1] == ' ') word--;
        bool found = word == 0;
        for (int32_t k = 0; word > 0 && k < t->columns; k++) {
            if (!is_meant(t->names[k], list, word)) continue;
            found = true;
            if (*count < t->columns) chosen[(*count)++] = k;
        }
        if (!found) return refuse_column(t, file, list, word, log);
        list += length;
    }
    return true;
}

/* The column that stands along the axis: the first, or the one of --against. */
static bool find_axis(const number_table *t, const char *file, const char *against, int32_t *x,
                      message_log *log)
{
    *x = 0;
    if (!against) return true;
    for (int32_t k = 0; k < t->columns; k++)
        if (strcmp(t->names[k], against) == 0) {
            *x = k;
            return true;
        }
    return refuse_column(t, file, against, strlen(against), log);
}

/* All but the axis where no names are given. */
static bool choose_all_or(const number_table *t, const char *file, const char *names, int32_t x,
                          int32_t *chosen, int32_t *count, message_log *log)
{
    if (names && names[0]) return choose_columns(t, file, names, chosen, count, log);
    *count = 0;
    for (int32_t k = 0; k < t->columns; k++)
        if (k != x) chosen[(*count)++] = k;
    return true;
}

/* A table to the output that the options name. Returns the exit status. */
static int plot_to_file(const plot_options *o, const number_table *t, const char *title,
                        message_log *log, FILE *job_out)
{
    int32_t x, count, *chosen = calloc((size_t)t->columns + 1, sizeof *chosen);
    bool good = chosen && find_axis(t, title, o->against, &x, log) &&
                choose_all_or(t, title, o->names, x, chosen, &count, log);
    if (good) good = plot_table(t, chosen, count, x, title, o->run.common.output, job_out);
    if (!good && !message_log_has_error(log))
        message_report(log, MSG_MEMORY, NULL, "there is not enough memory for the plot");
    free(chosen);
    return good ? STATUS_DONE : STATUS_WRONG_DATA;
}

/* ------------------------------------------------------------------------- models */

/* The rows of a film as a table. False: no memory. */
static bool table_of_film(const film *f, number_table *t)
{
    int32_t columns = f->width - 1;
    if (!table_create(t, columns, f->count)) return false;
    for (int32_t k = 0; k < columns; k++) {
        size_t length = zw_columns_name(f->columns, k, NULL, 0);
        if (!(t->names[k] = malloc(length + 1))) return false;
        (void)zw_columns_name(f->columns, k, t->names[k], length + 1);
        for (int64_t i = 0; i < f->count; i++)
            t->data[k * f->count + i] = f->rows[i * f->width + k];
    }
    return true;
}

/* The column along the axis must be among those of the run. */
static char *list_columns(const plot_options *o)
{
    const char *names = o->names ? o->names : "", *against = o->against ? o->against : "";
    size_t size = strlen(names) + strlen(against) + 3;
    char *list = malloc(size);
    if (list)
        (void)snprintf(list, size, "%s%s%s", names, names[0] && against[0] ? ", " : "", against);
    return list;
}

/* Everything the run has but the axis; what --against added for it is not shown as a curve. */
static int plot_film(const plot_options *o, model_job *job, const film *f)
{
    number_table t = {0};
    plot_options without = *o;
    without.names = NULL; /* the columns are those that were asked for */
    int code = STATUS_WRONG_DATA;
    if (table_of_film(f, &t)) {
        if (o->against && t.columns > 1) { /* t is no curve then */
            free(t.names[0]);
            memmove(t.names, t.names + 1, (size_t)(t.columns - 1) * sizeof *t.names);
            memmove(t.data, t.data + t.rows,
                    (size_t)(t.columns - 1) * (size_t)t.rows * sizeof *t.data);
            t.columns--;
        }
        code = plot_to_file(&without, &t, job->file, &job->log, job->out);
        job->result = code == STATUS_DONE;
    } else {
        message_report(&job->log, MSG_MEMORY, NULL, "there is not enough memory for the plot");
    }
    table_free(&t);
    return code;
}

static int plot_model(void *self, model_job *job)
{
    const plot_options *o = self;
    film f = {0};
    zw_sim *sim = NULL;
    zw_run_settings settings;
    run_times times;
    char *list = list_columns(o);
    if (!list) return model_outcome(job, ZW_ERR_MEMORY);
    int code = STATUS_WRONG_USAGE;
    if (film_settings(&o->run, job, &settings, &times)) {
        code = model_outcome(job, film_create(&f, job->model, o->names ? list : NULL, 4000000));
        if (code == STATUS_DONE) code = film_run(&f, &o->run, job, settings, &times, &sim);
        if (f.count > 0) {
            int plotted = plot_film(o, job, &f);
            if (plotted != STATUS_DONE) code = plotted;
        }
    }
    zw_sim_free(sim);
    film_free(&f);
    free(list);
    return code;
}

/* ----------------------------------------------------------------- the command line */

static bool take_plot_options(void *self, message_log *log)
{
    plot_options *o = self;
    const char *name = o->run.common.output;
    size_t length = name ? strlen(name) : 0;
    if (name && strcmp(name, "-") != 0 &&
        (length < 5 || strcasecmp(name + length - 4, ".svg") != 0))
        return options_refuse_value(log, "--output", name, "a plot is written as FILE.svg");
    return run_take_values(&o->run, log);
}

static const char about[] =
    "Plots columns over time: in the terminal, a panel a column, or with -o FILE.svg as a vector\n"
    "graphic. The first argument is a result (.csv, .json or .npz, as zwang run writes them), or "
    "a\n"
    "MODEL, which is run for it. NAMES are columns, as zwang run --columns takes them; of a "
    "result\n"
    "they are names in it, and r stands for r[1], r[2] and so on. Without NAMES all are plotted.\n";

static plot_options given;

static const struct poptOption table[] = {
    {"against", 0, POPT_ARG_STRING, &given.against, 0, "this column along the axis, instead of t",
     "NAME"},
    {"until", 0, POPT_ARG_STRING, &given.run.until, 0, "of a model: end at this time", "T"},
    {"every", 0, POPT_ARG_STRING, &given.run.every, 0, "of a model: a row at every multiple of DT",
     "DT"},
    SOLVER_OPTION(given.run.common),
    MODEL_OPTIONS(given.run.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"the way of a disc, in the terminal", "zwang plot rolling_disc.zw c --until 2"},
    {"its energy as a picture", "zwang plot rolling_disc.zw energy --until 2 -o energy.svg"},
    {NULL, NULL},
};

const option_page plot_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL|RESULT [NAMES]",
    .about = about,
    .lists = (const option_list *const[]){&option_solvers, NULL},
    .examples = examples,
};

/* A result needs no model: read, choose, write. Returns the exit status. */
static int plot_result(const char *file, message_log *log)
{
    number_table t;
    char *text = NULL;
    size_t length = 0;
    const char *file_name = given.run.common.output ? given.run.common.output : "-";
    if (!table_read(file, &t, log)) return STATUS_WRONG_DATA;
    FILE *out = open_memstream(&text, &length);
    int code = out ? plot_to_file(&given, &t, file, log, out) : STATUS_WRONG_DATA;
    if (out && fclose(out) != 0) code = STATUS_WRONG_DATA;
    if (code == STATUS_DONE && !output_write(file_name, text, length, log))
        code = STATUS_WRONG_DATA;
    free(text);
    table_free(&t);
    return code;
}

/* Options and arguments were read; the first argument is a result. */
static int work_on_result(poptContext context, message_log *log)
{
    const char **arguments = poptGetArgs(context);
    if (!options_take_messages(given.run.common.messages, given.run.common.quiet, log) ||
        !options_take_memory(given.run.common.memory, log) || !take_plot_options(&given, log))
        return STATUS_WRONG_USAGE;
    if (!arguments || !arguments[0]) return STATUS_WRONG_USAGE;
    return plot_result(arguments[0], log);
}

/* Takes the second and later words that are no options out of argv, as NAMES; a result among them
 * is noted. Returns how many words are left. */
static int take_names(int argc, const char **argv, bool *result)
{
    int left = 1, words = 0;
    bool value = false, names = false;
    for (int k = 1; k < argc; k++) {
        const char *word = argv[k];
        bool option = word[0] == '-' && word[1] != '\0';
        bool argument = !option && !value;
        if (argument && words++ > 0) {
            size_t size = (given.names ? strlen(given.names) : 0) + strlen(word) + 3;
            char *list = malloc(size);
            if (list)
                (void)snprintf(list, size, "%s%s%s", given.names ? given.names : "",
                               names ? ", " : "", word);
            free(given.names);
            given.names = list;
            names = true;
            continue;
        }
        if (argument) *result = table_is_result(word);
        value = option && !strchr(word, '=') && options_takes_value(table, word);
        argv[left++] = word;
    }
    return left;
}

int plot_command(int argc, const char **argv)
{
    bool result = false;
    int left = take_names(argc, argv, &result), status;
    if (result) {
        status = options_command(left, argv, &plot_page, work_on_result);
        free(given.run.common.output);
        free(given.run.common.messages);
        free(given.run.common.memory);
    } else {
        model_task task = {.page = &plot_page,
                           .options = &given.run.common,
                           .take = take_plot_options,
                           .work = plot_model,
                           .self = &given};
        status = model_command(left, argv, &task);
    }
    run_options_clear(&given.run);
    free(given.against);
    free(given.names);
    return status;
}
