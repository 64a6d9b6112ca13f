/*
 * `zwang view`: the page of a model, which is run for it, or of a saved result; opened in a browser.
 *
 *     MODEL --film--> report --.
 *     RESULT --model MODEL-----+--> page --> browser
 *     RESULT alone --> plots --'
 *
 * A saved result has the states of a run: with its model everything that a page shows is computed
 * again from these. Without the model, or where coordinates are missing, there are plots only.
 */
#include <stdlib.h>
#include <string.h>

#include "browser.h"
#include "command.h"
#include "page_file.h"
#include "page_report.h"
#include "table_file.h"

typedef struct view_options {
    run_options run;
    char *model; /* owned; NULL when not given */
    int no_open;
    const char *result;  /* NULL: a model alone; not owned */
    const char *command; /* line; not owned */
    char name[4096];     /* of the page */
} view_options;

static view_options given;

/* -------------------------------------------------------------------- the file */

/* The name of -o, or page.html in a new temporary folder. False after a report. */
static bool choose_name(view_options *o, message_log *log)
{
    const char *folder = getenv("TMPDIR"), *said = o->run.common.output;
    if (said) {
        (void)snprintf(o->name, sizeof o->name, "%s", said);
        return true;
    }
    (void)snprintf(o->name, sizeof o->name, "%s/zwang-XXXXXX",
                   folder && folder[0] ? folder : "/tmp");
    if (!mkdtemp(o->name)) {
        message_report(log, MSG_WRITE, &(zw_diagnostic){.file = o->name},
                       "no temporary folder can be made; name a file by -o FILE.html");
        return false;
    }
    strncat(o->name, "/page.html", sizeof o->name - strlen(o->name) - 1);
    return true;
}

/* Says where the page is, and opens it. */
static void show_page(const view_options *o, message_log *log)
{
    zw_diagnostic place = {.file = o->name,
                           .help = "open the file yourself, or say a browser in $BROWSER"};
    (void)printf("%s\n", o->name);
    (void)fflush(stdout);
    if (!o->no_open && !browser_open(o->name))
        message_report(log, MSG_NOT_OPENED, &place, "no browser could be started");
}

/* ----------------------------------------------------------------------- results */

/* What a column of a saved result is, from its name. */
static const char *guess_kind(const char *name, int32_t k)
{
    static const struct {
        const char *begin, *kind;
    } words[] = {
        {"force", "force"},      {"impressed(", "force"},       {"control(", "force"},
        {"actuator(", "force"},  {"multiplier(", "multiplier"}, {"residual(", "residual"},
        {"rate(", "residual"},   {"energy", "energy"},          {"kinetic", "energy"},
        {"potential", "energy"}, {"gaussian", "gaussian"},      {"inconsistency", "inconsistency"},
        {"draw[", "drawing"}};
    size_t length = strlen(name);
    if (k == 0) return "time";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(name, words[i].begin, strlen(words[i].begin)) == 0) return words[i].kind;
    if (length > 2 && strcmp(name + length - 2, "''") == 0) return "acceleration";
    return length > 1 && name[length - 1] == '\'' ? "velocity" : "coordinate";
}

/* The numbers row by row, every so manyth of them. NULL: no memory. */
static double *transpose_table(const number_table *t, int64_t *count)
{
    enum { cells = 2000000 };
    int64_t most = cells / t->columns > 200 ? cells / t->columns : 200;
    int64_t stride = t->rows > most ? (t->rows + most - 1) / most : 1, n = 0;
    double *rows = malloc(((size_t)(t->rows / stride) + 2) * (size_t)t->columns * sizeof *rows);
    for (int64_t i = 0; rows && i < t->rows; n++) {
        for (int32_t k = 0; k < t->columns; k++)
            rows[n * t->columns + k] = t->data[k * t->rows + i];
        i = i + stride < t->rows || i == t->rows - 1 ? i + stride : t->rows - 1;
    }
    *count = n;
    return rows;
}

/* The number behind "draw[", and then the row and column; false: it is no such name. */
static bool read_draw_name(const char *name, int *shape, int *row, int *column)
{
    char end;
    return sscanf(name, "draw[%d,%d,%d%c", shape, row, column, &end) == 4 && end == ']';
}

/* The first places of the shapes of `--columns draw` as points: more is not known of them without the
 * model. NULL: there are none. */
static json_t *points_of_table(const number_table *t)
{
    json_t *shapes = json_array();
    int shape, row, column, last = 0;
    size_t size = 0;
    json_t *p = NULL;
    for (int32_t k = 0; k < t->columns; k++) {
        if (!read_draw_name(t->names[k], &shape, &row, &column) || row != 1) continue;
        if (shape != last) {
            p = json_array();
            (void)json_array_append_new(shapes, json_pack("{s:s, s:o}", "kind", "point", "p", p));
        }
        last = shape;
        (void)json_array_append_new(p, json_pack("{s:i}", "c", (int)k));
        if (json_array_size(p) > size) size = json_array_size(p);
    }
    if (size >= 2)
        return json_pack("{s:i, s:b, s:o}", "dimension", size == 3 ? 3 : 2, "default", 1, "shapes",
                         shapes);
    json_decref(shapes);
    return NULL;
}

/* Plots of a table. Returns the exit status. */
static int view_table(view_options *o, const number_table *t, const char *why, message_log *log)
{
    int64_t count = 0;
    double *rows = transpose_table(t, &count);
    zw_page_column *columns = calloc((size_t)t->columns + 1, sizeof *columns);
    zw_diagnostic place = {.file = o->result, .help = "give its model by --model MODEL"};
    for (int32_t k = 0; columns && k < t->columns; k++)
        columns[k] = (zw_page_column){t->names[k], guess_kind(t->names[k], k)};
    json_t *scene = points_of_table(t);
    page_trees trees = {.scene = scene};
    zw_page p = {.title = o->result,
                 .command = o->command,
                 .columns = columns,
                 .column_count = t->columns,
                 .rows = rows,
                 .row_count = count,
                 .row_total = t->rows};
    bool done = rows && columns && choose_name(o, log) && page_write_file(p, &trees, o->name, log);
    message_report(log, MSG_PLOTS_ONLY, &place, "the page has %s only: %s",
                   scene ? "plots and points" : "plots", why);
    if (done) show_page(o, log);
    json_decref(scene);
    free(rows);
    free(columns);
    return done ? STATUS_DONE : STATUS_WRONG_DATA;
}

/* A result without its model. */
static int view_result(poptContext context, message_log *log)
{
    number_table t;
    (void)context;
    if (!options_take_messages(given.run.common.messages, given.run.common.quiet, log) ||
        !options_take_memory(given.run.common.memory, log))
        return STATUS_WRONG_USAGE;
    if (!table_read(given.result, &t, log)) return STATUS_WRONG_DATA;
    int status = view_table(&given, &t, "a result does not say how its model is drawn", log);
    table_free(&t);
    return status;
}

/* ------------------------------------------------------------------------ states */

static int32_t find_column(const number_table *t, const char *name, const char *prime)
{
    size_t length = strlen(name);
    for (int32_t k = 0; k < t->columns; k++)
        if (strncmp(t->names[k], name, length) == 0 && strcmp(t->names[k] + length, prime) == 0)
            return k;
    return -1;
}

/* The columns of all coordinates, then velocities: at [2 n]; false: some coordinate is missing. A
 * velocity that is missing is 0. */
static bool find_state_columns(const number_table *t, const zw_model *model, int32_t *at)
{
    int32_t n = zw_model_coordinate_count(model);
    for (int32_t k = 0; k < n; k++) {
        char name[300];
        (void)zw_model_coordinate_name(model, k, name, sizeof name);
        at[k] = find_column(t, name, "");
        at[n + k] = find_column(t, name, "'");
        if (at[k] < 0) return false;
    }
    return true;
}

/* Every row of the table as a state, from which the columns of the film are computed. */
static zw_status film_states(film *f, const number_table *t, const int32_t *at, zw_sim *sim,
                             int32_t n)
{
    double *state = calloc(2 * (size_t)n + 1, sizeof *state);
    zw_status status = state ? ZW_OK : ZW_ERR_MEMORY;
    for (int64_t i = 0; i < t->rows && status == ZW_OK; i++) {
        for (int32_t k = 0; k < 2 * n; k++) state[k] = at[k] < 0 ? 0 : t->data[at[k] * t->rows + i];
        status = zw_sim_set_state(sim, t->data[i], state, state + n);
        if (status != ZW_OK) break;
        status = film_take(f, sim, 0);
    }
    free(state);
    return status;
}

static int view_states(view_options *o, model_job *job, film *f)
{
    number_table t;
    zw_sim *sim = NULL;
    int32_t n = zw_model_coordinate_count(job->model);
    if (!table_read(o->result, &t, &job->log)) return STATUS_WRONG_DATA;
    int32_t *at = calloc(2 * (size_t)n + 1, sizeof *at);
    int code = STATUS_WRONG_DATA;
    if (at && !find_state_columns(&t, job->model, at)) {
        code = view_table(o, &t, "it does not have all coordinates of the model", &job->log);
    } else {
        zw_status status = at ? zw_sim_create(job->model, &sim) : ZW_ERR_MEMORY;
        if (status == ZW_OK) status = film_states(f, &t, at, sim, n);
        code = model_outcome(job, status);
        report r = {.job = job, .film = f, .sim = sim, .command = o->command};
        if (status == ZW_OK && choose_name(o, &job->log)) {
            if (report_write(&r, o->name))
                show_page(o, &job->log);
            else
                code = STATUS_WRONG_DATA;
        }
    }
    zw_sim_free(sim);
    free(at);
    table_free(&t);
    return code;
}

/* -------------------------------------------------------------------------- runs */

/* Runs the model; the page is shown whatever became of the run, if there is a row. */
static int view_run(view_options *o, model_job *job, film *f)
{
    zw_run_settings settings;
    run_times times;
    zw_sim *sim = NULL;
    if (!film_settings(&o->run, job, &settings, &times)) return STATUS_WRONG_USAGE;
    int code = film_run(f, &o->run, job, settings, &times, &sim);
    if (f->count > 0) {
        report r = {.job = job, .film = f, .sim = sim, .command = o->command};
        report_listen(&r);
        message_log_print(&job->log);
        if (!job->log.quiet && job->log.form == ZW_TEXT)
            (void)zw_sim_verdict(sim, ZW_REPORT_TEXT, model_write, stderr);
        bool written = choose_name(o, &job->log) && report_write(&r, o->name);
        if (written) show_page(o, &job->log);
        if (!written && code == STATUS_DONE) code = STATUS_WRONG_DATA;
        report_free(&r);
    }
    zw_sim_free(sim);
    return code;
}

static int view_model(void *self, model_job *job)
{
    view_options *o = self;
    film f = {0};
    int code = model_outcome(job, report_film(&f, job->model));
    if (code == STATUS_DONE) code = o->result ? view_states(o, job, &f) : view_run(o, job, &f);
    film_free(&f);
    return code;
}

/* ----------------------------------------------------------------- the command line */

static bool take_view_options(void *self, message_log *log)
{
    view_options *o = self;
    return run_take_values(&o->run, log);
}

static const char about[] =
    "Makes a page of a model and opens it: a picture that moves, plots, verdict, constraints,\n"
    "equations. The model is run for it, as zwang run does. A saved result (.csv, .json or .npz)\n"
    "is shown without running anything: with --model MODEL as its model draws it, alone by plots.\n"
    "\n"
    "The page is one HTML file that needs no network: FILE of -o, or a temporary file. Its name "
    "is\n"
    "printed; it is opened by $BROWSER, else by xdg-open.\n";

static const struct poptOption table[] = {
    {"no-open", 0, POPT_ARG_NONE, &given.no_open, 0, "only print the name of the page", NULL},
    {"model", 0, POPT_ARG_STRING, &given.model, 0, "the model that a saved result is of", "MODEL"},
    {"until", 0, POPT_ARG_STRING, &given.run.until, 0, "end at this time", "T"},
    {"every", 0, POPT_ARG_STRING, &given.run.every, 0, "a row at every multiple of DT", "DT"},
    {"inconsistent", 0, POPT_ARG_STRING, &given.run.inconsistent, 0,
     "take the nearest compromise where constraints contradict each other", "accept"},
    SOLVER_OPTION(given.run.common),
    MODEL_OPTIONS(given.run.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"the page of a rolling disc", "zwang view rolling_disc.zw --until 2 --no-open -o disc.html"},
    {NULL, NULL},
};

const option_page view_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL|RESULT",
    .about = about,
    .lists = (const option_list *const[]){&option_solvers, NULL},
    .examples = examples,
};

/* The first word that is no option and no value of one; its place in argv, 0: none. */
static int find_argument(int argc, const char **argv)
{
    for (int k = 1; k < argc; k++) {
        bool option = argv[k][0] == '-' && argv[k][1] != '\0';
        if (!option) return k;
        if (!strchr(argv[k], '=') && options_takes_value(table, argv[k])) k++;
    }
    return 0;
}

/* The value of --model in the words of the command line, or NULL. */
static const char *find_model_word(int argc, const char **argv)
{
    for (int k = 1; k < argc; k++) {
        if (strncmp(argv[k], "--model=", 8) == 0) return argv[k] + 8;
        if (strcmp(argv[k], "--model") == 0 && k + 1 < argc) return argv[k + 1];
    }
    return NULL;
}

int view_command(int argc, const char **argv)
{
    int at = find_argument(argc, argv), status;
    const char *model = find_model_word(argc, argv);
    char *line = report_command(argc, argv);
    given.command = line;
    if (at > 0 && table_is_result(argv[at])) given.result = argv[at];
    if (given.result && model) argv[at] = model; /* the driver compiles that */
    if (given.result && !model) {
        status = options_command(argc, argv, &view_page, view_result);
        free(given.run.common.output);
        free(given.run.common.messages);
        free(given.run.common.memory);
    } else {
        model_task task = {.page = &view_page,
                           .options = &given.run.common,
                           .take = take_view_options,
                           .work = view_model,
                           .self = &given};
        status = model_command(argc, argv, &task);
    }
    run_options_clear(&given.run);
    free(given.model);
    free(line);
    return status;
}
