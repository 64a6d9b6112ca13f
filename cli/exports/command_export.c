/*
 * `zwang export`: a model in a form that others take in. `c` writes a source and a header of C that
 * need nothing of Zwang, into a folder; `fmu` a Functional Mock-up Unit, one file (fmu_export.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "fmu_export.h"
#include "model_command.h"
#include "output_file.h"

/* The options of the command. */
typedef struct export_options {
    model_options common;
    int single, own, with_main, smooth;
    char *name, *inconsistent, *fmi; /* words, by popt, owned; NULL when not given */
    bool fmu;                        /* not c */
    char stem[64];
} export_options;

/* ------------------------------------------------------------------------------- name */

/* The name of a model file without its folder and ending, as a word of C. */
static void find_stem(const char *file, char stem[64])
{
    const char *slash = strrchr(file, '/'), *at = slash ? slash + 1 : file;
    size_t length = strcspn(at, "."), used = 0;
    if (length == 0 || strchr("0123456789-", at[0])) stem[used++] = 'm';
    for (size_t k = 0; k < length && used < 60; k++) {
        bool letter = (at[k] >= 'a' && at[k] <= 'z') || (at[k] >= 'A' && at[k] <= 'Z') ||
                      (at[k] >= '0' && at[k] <= '9');
        stem[used++] = letter ? at[k] : '_';
    }
    stem[used] = 0;
}

static bool is_word(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    size_t length = strlen(name);
    return length > 0 && length <= 60 && strspn(name, letters) == length &&
           !strchr("0123456789", name[0]);
}

/* Options that the other form has. False after a report. */
static bool are_of_form(const export_options *o, message_log *log)
{
    const struct {
        const char *name;
        bool given, of_fmu;
    } list[] = {{"--main", o->with_main != 0, false},
                {"--float", o->single != 0, false},
                {"--no-math", o->own != 0, false},
                {"--smooth", o->smooth != 0, false},
                {"--fmi", o->fmi != NULL, true}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        zw_diagnostic place = {.file = "zwang export", .help = "leave it out"};
        if (!list[k].given || list[k].of_fmu == o->fmu) continue;
        message_report(log, MSG_TOGETHER, &place, "%s is an option of zwang export %s only",
                       list[k].name, o->fmu ? "c" : "fmu");
        return false;
    }
    return true;
}

/* False after a report. */
static bool take_export_options(void *self, message_log *log)
{
    export_options *o = self;
    if (!are_of_form(o, log)) return false;
    if (o->name && !is_word(o->name))
        return options_refuse_value(log, "--name", o->name,
                                    "a name of C: letters, digits and underscores, no digit first");
    if (o->fmi && strcmp(o->fmi, "2") != 0 && strcmp(o->fmi, "3") != 0)
        return options_refuse_value(log, "--fmi", o->fmi, "2 for FMI 2.0, or 3 for FMI 3.0");
    if (!o->common.output) {
        zw_diagnostic place = {.file = "zwang export",
                               .help = o->fmu
                                           ? "say where it goes: -o NAME.fmu"
                                           : "say where the files go: -o DIR; -o . is this folder"};
        message_report(log, MSG_ARGUMENTS, &place,
                       o->fmu ? "a file for the FMU is missing"
                              : "a folder for the files is missing");
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------ files */

/* Makes the folder unless it is there. False after a report. */
static bool make_folder(const char *folder, message_log *log)
{
    char shown[QUOTED_SIZE];
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) return true;
    zw_diagnostic place = {.file = folder, .help = "name a folder that can be made or written to"};
    message_report(log, MSG_WRITE, &place, "the folder %s cannot be made: %s",
                   quoted(shown, folder), strerror(errno));
    return false;
}

/* folder/stem.ending, owned by the caller; NULL: no memory. */
static char *join_path(const char *folder, const char *stem, const char *ending)
{
    size_t size = strlen(folder) + strlen(stem) + strlen(ending) + 2;
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s/%s%s", folder, stem, ending);
    return path;
}

/* One of the two files. */
static int write_c_file(const export_options *o, model_job *job, zw_sim *sim, zw_c_file file)
{
    zw_c_settings settings = {.name = o->name ? o->name : o->stem,
                              .single = o->single != 0,
                              .own_functions = o->own != 0,
                              .with_main = o->with_main != 0,
                              .smooth = o->smooth != 0};
    char *text = NULL, *path = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    zw_status status = ZW_ERR_MEMORY;
    if (memory) {
        status = zw_sim_export_c(sim, &settings, file, model_write, memory);
        if (fclose(memory) != 0 && status == ZW_OK) status = ZW_ERR_MEMORY;
    }
    int outcome = model_outcome(job, status);
    if (status == ZW_OK)
        path = join_path(o->common.output, settings.name, file == ZW_C_HEADER ? ".h" : ".c");
    if (status == ZW_OK && !path) outcome = model_outcome(job, ZW_ERR_MEMORY);
    if (path && !output_write(path, text, length, &job->log)) outcome = STATUS_WRONG_DATA;
    free(path);
    free(text);
    return outcome;
}

/* Ranks, and with contacts the mode, are those that a run begins with. */
static zw_status begin_run(model_job *job, zw_sim *sim)
{
    zw_run_settings settings;
    zw_status status = zw_run_defaults(job->model, &settings);
    if (status != ZW_OK) return status;
    settings.method = ZW_DOP853; /* every build has it */
    return zw_sim_begin(sim, &settings);
}

static int write_c_files(const export_options *o, model_job *job, zw_sim *sim)
{
    int outcome = model_outcome(job, begin_run(job, sim));
    if (outcome == STATUS_DONE && !make_folder(o->common.output, &job->log))
        outcome = STATUS_WRONG_DATA;
    if (outcome == STATUS_DONE) outcome = write_c_file(o, job, sim, ZW_C_SOURCE);
    if (outcome == STATUS_DONE) outcome = write_c_file(o, job, sim, ZW_C_HEADER);
    return outcome;
}

/* The work of the command. */
static int export_model(void *self, model_job *job)
{
    export_options *o = self;
    bool accept = false;
    zw_sim *sim = NULL;
    find_stem(strcmp(job->file, "-") == 0 ? "model" : job->file, o->stem);
    if (!model_take_inconsistent(o->inconsistent, &accept, &job->log)) return STATUS_WRONG_USAGE;
    zw_status status = zw_sim_create(job->model, &sim);
    if (status == ZW_OK) status = zw_sim_start(sim, accept);
    int outcome = model_outcome(job, status);
    fmu_request fmu = {.name = o->name ? o->name : o->stem,
                       .version = o->fmi && o->fmi[0] == '3' ? 3 : 2,
                       .accept = accept,
                       .solver = o->common.solver,
                       .sim = sim};
    if (status == ZW_OK)
        outcome = o->fmu ? fmu_write(&fmu, job, o->common.output) : write_c_files(o, job, sim);
    zw_sim_free(sim);
    return outcome;
}

static const char about[] =
    "Writes a model in a form that others take in. MODEL is a model file, or - for standard "
    "input.\n"
    "\n"
    "c: a source DIR/NAME.c and a header DIR/NAME.h of C99 that need nothing of Zwang, no "
    "allocation\n"
    "and no library but math.h: parameters, inputs and state in a struct; accelerations, "
    "multipliers\n"
    "and constraint forces, outputs, energies, projection onto the constraints, steps of rk4 and\n"
    "dopri5. The motion is smooth: a model with when, inequalities or friction is refused, unless\n"
    "--smooth asks for the motion of the mode at the start.\n"
    "\n"
    "fmu: a Functional Mock-up Unit NAME.fmu for Co-Simulation and, where the motion is smooth,\n"
    "Model Exchange, with the library and the model inside.\n";

/* What popt reads; the table needs its addresses. */
static export_options given;

static const struct poptOption table[] = {
    {"name", 0, POPT_ARG_STRING, &given.name, 0,
     "the name of files, functions and types; that of the model file at first", "NAME"},
    {"main", 0, POPT_ARG_NONE, &given.with_main, 0, "with a main that prints the motion", NULL},
    {"float", 0, POPT_ARG_NONE, &given.single, 0, "float in the place of double", NULL},
    {"no-math", 0, POPT_ARG_NONE, &given.own, 0,
     "elementary functions written out, in the place of math.h", NULL},
    {"smooth", 0, POPT_ARG_NONE, &given.smooth, 0,
     "the motion of the mode at the start, as if no event and no contact were to change it", NULL},
    {"fmi", 0, POPT_ARG_STRING, &given.fmi, 0, "the version of the standard, 2 at first", "2|3"},
    INCONSISTENT_OPTION(given.inconsistent),
    SOLVER_OPTION(given.common),
    MODEL_OPTIONS(given.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"C code of a model, and a run of it", "zwang export c rolling_disc.zw -o disc --main"},
    {"an FMU of FMI 3.0", "zwang export fmu crane.zw -o crane.fmu --fmi 3"},
    {NULL, NULL},
};

const option_page export_page = {
    .table = table,
    .arguments = "[OPTION...] c|fmu MODEL",
    .about = about,
    .examples = examples,
};

/* Where in argv the word stands that says what is written; 0: there is none. */
static int find_what(int argc, const char **argv)
{
    for (int k = 1; k < argc; k++) {
        if (argv[k][0] != '-' || strcmp(argv[k], "-") == 0) return k;
        if (options_takes_value(table, argv[k])) k++;
    }
    return 0;
}

/* Help needs no such word. */
static bool asks_for_help(int argc, const char **argv)
{
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) return true;
    return false;
}

/* Reports that `word` (NULL: nothing) is none of the forms. Returns the exit status. */
static int refuse_what(const char *word)
{
    message_log log = {0};
    char shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang export",
                           .help = "write: zwang export c MODEL -o DIR, or fmu MODEL -o NAME.fmu"};
    message_log_open(&log);
    if (word)
        message_report(&log, MSG_ARGUMENTS, &place, "a model cannot be exported as %s",
                       quoted(shown, word));
    else
        message_report(&log, MSG_ARGUMENTS, &place, "what is to be exported is missing");
    message_log_print(&log);
    message_log_close(&log);
    return STATUS_WRONG_USAGE;
}

int export_command(int argc, const char **argv)
{
    model_task task = {.page = &export_page,
                       .options = &given.common,
                       .take = take_export_options,
                       .work = export_model,
                       .self = &given};
    int what = find_what(argc, argv);
    bool help = asks_for_help(argc, argv);
    given.fmu = what > 0 && strcmp(argv[what], "fmu") == 0;
    if (!help && (what == 0 || (!given.fmu && strcmp(argv[what], "c") != 0)))
        return refuse_what(what > 0 ? argv[what] : NULL);
    for (int k = what; what > 0 && k < argc; k++) argv[k] = argv[k + 1]; /* the NULL, too */
    int status = model_command(what > 0 ? argc - 1 : argc, argv, &task);
    free(given.name);
    free(given.inconsistent);
    free(given.fmi);
    return status;
}
