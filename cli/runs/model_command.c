/*
 * The driver of the commands that take a MODEL: from the command line to the compiled model, the
 * command's own work with it, and back to an exit status.
 *
 *     options --settings--> text --modules--> zw_model --task--> result --output--> file
 *
 * Modules lie beside the model: `use joints` in FOLDER/crane.zw reads FOLDER/joints.zw; a model
 * from standard input has the current folder. Their texts are kept until the model is compiled.
 */
#include "model_command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "compute.h"
#include "gallery.h"
#include "modules.h"
#include "output_file.h"
#include "same_file.h"
#include "settings.h"

/* ------------------------------------------------------------------- outcomes */

/* An error that waits to be printed already says what is wrong. */
int model_outcome(model_job *job, zw_status status)
{
    if (status == ZW_OK) return STATUS_DONE;
    problem_place place = {.file = job->file, .index = -1, .model = true};
    if (!message_log_has_error(&job->log)) (void)compute_refuse(&job->log, &place, status, NULL);
    return status == ZW_ERR_SETTING ? STATUS_WRONG_USAGE : STATUS_WRONG_DATA;
}

bool model_write(void *user, const char *bytes, size_t size)
{
    FILE *out = user;
    return fwrite(bytes, 1, size, out) == size;
}

/* Returns the exit status. */
static int refuse_result_memory(model_job *job)
{
    message_report(&job->log, MSG_MEMORY, &(zw_diagnostic){.file = job->file},
                   "there is not enough memory for the result");
    return STATUS_WRONG_DATA;
}

/* ------------------------------------------------------------- with a compiled model */

/* Has the task write into memory, then writes the result to its place. Returns the exit status. */
static int write_task_result(const model_task *task, model_job *job)
{
    char *text = NULL;
    size_t length = 0;
    job->out = open_memstream(&text, &length);
    if (!job->out) return refuse_result_memory(job);
    int status = task->work(task->self, job);
    bool full = ferror(job->out) != 0;
    if (fclose(job->out) != 0) full = true;
    const char *name = task->options->output ? task->options->output : "-";
    if (job->result && full)
        status = refuse_result_memory(job);
    else if (job->result && !output_write(name, text, length, &job->log))
        status = STATUS_WRONG_DATA;
    free(text);
    return status;
}

/* A model that is not there may be meant as one of the gallery, or as NAME.zw: then this says what
 * to do. help [size]; returns help, or NULL. */
static const char *help_for_absent_model(const char *name, char *help, size_t size)
{
    char file[PATH_MAX];
    const gallery_text *t = gallery_find(name);
    if (access(name, F_OK) == 0) return NULL;
    int length = snprintf(file, sizeof file, "%s.zw", name);
    if (length > 0 && (size_t)length < sizeof file && access(file, F_OK) == 0)
        (void)snprintf(help, size, "did you mean '%s.zw'?", name);
    else if (t)
        (void)snprintf(help, size, "there is an example of that name: zwang example %s --copy",
                       t->name);
    else
        return NULL;
    return help;
}

/* Before the work: all that will be read has been read by now. False after a report. */
static bool outputs_are_free(const model_task *task, model_job *job)
{
    const model_options *o = task->options;
    const struct {
        const char *name, *what;
    } outputs[] = {{o->output ? o->output : "-", "the rows"},
                   {o->statistics, "the statistics"},
                   {o->events, "the events"},
                   {o->checkpoint, "the checkpoint"},
                   {o->report, "the page"}};
    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++) {
        if (!outputs[k].name) continue;
        if (!same_file_check(outputs[k].name, &job->log)) return false;
        for (size_t i = 0; i < k; i++) {
            char both[80];
            (void)snprintf(both, sizeof both, "%s and %s", outputs[i].what, outputs[k].what);
            if (outputs[i].name &&
                !same_file_check_two(outputs[i].name, outputs[k].name, both, &job->log))
                return false;
        }
    }
    return true;
}

/* FNV-1a over the texts, in the order in which they were asked for. */
static uint64_t hash_modules(const module_list *modules)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < modules->count; k++)
        for (size_t i = 0; i < modules->modules[k].in.length; i++)
            hash = (hash ^ (unsigned char)modules->modules[k].in.text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static int32_t count_words(char *const *words)
{
    int32_t count = 0;
    while (words && words[count]) count++;
    return count;
}

/* Reads and compiles the model with its settings, then the task. Returns the exit status. */
static int compile_and_work(const model_task *task, model_job *job, const settings *set)
{
    input in;
    module_list modules;
    char help[300];
    const char *absent = help_for_absent_model(task->options->file, help, sizeof help);
    if (!input_read(task->options->file, absent, &in, &job->log)) return STATUS_WRONG_DATA;
    modules_open(&modules, in.name, &job->log);
    zw_model_source source = {.file = in.name,
                              .text = in.text,
                              .length = in.length,
                              .settings = set->items,
                              .setting_count = set->count,
                              .inputs = (const char *const *)task->options->input,
                              .input_count = count_words(task->options->input),
                              .memory_limit = job->log.said ? job->log.budget : 0,
                              .module = modules_find,
                              .data = modules_data,
                              .user = &modules};
    zw_status compiled = zw_model_compile(job->log.context, &source, &job->model);
    int status = model_outcome(job, compiled);
    job->source = &source;
    job->modules = hash_modules(&modules);
    job->texts = &modules;
    job->text = in.text;
    job->length = in.length;
    if (compiled == ZW_OK) {
        status = outputs_are_free(task, job) ? write_task_result(task, job) : STATUS_WRONG_DATA;
        zw_model_free(job->model);
    }
    job->source = NULL;
    job->texts = NULL;
    modules_close(&modules);
    input_clear(&in);
    return status;
}

/* ------------------------------------------------------------------ the command line */

/* The option has one value, accept. */
bool model_take_inconsistent(const char *word, bool *accept, message_log *log)
{
    *accept = word && strcmp(word, "accept") == 0;
    return !word || *accept ||
           options_refuse_value(log, "--inconsistent", word,
                                "write accept to go on from the nearest compromise; without the "
                                "option a start that cannot be corrected is an error");
}

/* Exactly one MODEL. False after a report. */
static bool take_model_argument(poptContext context, model_options *o, message_log *log)
{
    const char **arguments = poptGetArgs(context);
    char shown[QUOTED_SIZE];
    zw_diagnostic place = {.file = "zwang"};
    if (!arguments || !arguments[0]) {
        place.help = "MODEL is a model file, or - for standard input";
        message_report(log, MSG_ARGUMENTS, &place, "a MODEL is expected");
        return false;
    }
    o->file = arguments[0];
    if (!arguments[1]) return true;
    place.help = "parameters are given by --set NAME=VALUE";
    message_report(log, MSG_ARGUMENTS, &place, "one MODEL is expected, but there is also %s",
                   quoted(shown, arguments[1]));
    return false;
}

/* Goes to the context in which the model will be compiled. False after a report. */
static bool take_solver_option(const model_options *o, message_log *log)
{
    zw_solver solver = ZW_SOLVER_AUTO;
    if (!o->solver) return true;
    return options_take_solver(o->solver, &solver, log) &&
           zw_context_set_solver(log->context, solver) == ZW_OK;
}

/* Likewise, of lanes and threads. */
static bool take_lanes_option(const model_options *o, message_log *log)
{
    const char *lanes = o->lanes;
    int64_t threads = 0;
    if (lanes && strcmp(lanes, "4") != 0 && strcmp(lanes, "8") != 0)
        return options_refuse_value(log, "--lanes", lanes, "write 4 or 8");
    if (lanes && zw_context_set_lanes(log->context, lanes[0] - '0') != ZW_OK) return false;
    if (!o->threads) return true;
    return options_take_count("--threads", o->threads, 1, 1024, &threads, log) &&
           zw_context_set_threads(log->context, (int32_t)threads) == ZW_OK;
}

/* All of the command line is judged before the model is read. Returns the exit status. */
static int work_on_model(poptContext context, const model_task *task, model_job *job)
{
    message_log *log = &job->log;
    model_options *o = task->options;
    option_outcome outcome = options_read(context, task->page, log);
    if (outcome == OPTIONS_SHOWN) return output_flush(log) ? STATUS_DONE : STATUS_WRONG_DATA;
    if (outcome == OPTIONS_WRONG || !options_take_messages(o->messages, o->quiet, log) ||
        !options_take_memory(o->memory, log) || !take_solver_option(o, log) ||
        !take_lanes_option(o, log) || (task->take && !task->take(task->self, log)) ||
        !take_model_argument(context, o, log))
        return STATUS_WRONG_USAGE;
    job->file = o->file;
    settings set;
    int status = STATUS_WRONG_USAGE;
    if (settings_split((const char *const *)o->set, &set, log))
        status = compile_and_work(task, job, &set);
    settings_clear(&set);
    return status;
}

static void free_model_options(model_options *o)
{
    free(o->output);
    free(o->messages);
    free(o->solver);
    free(o->lanes);
    free(o->threads);
    free(o->statistics);
    free(o->memory);
    for (size_t k = 0; o->set && o->set[k]; k++) free(o->set[k]);
    free(o->set);
    for (size_t k = 0; o->input && o->input[k]; k++) free(o->input[k]);
    free(o->input);
}

/* The log is open before the options are read, so that their mistakes are messages too. */
int model_command(int argc, const char **argv, const model_task *task)
{
    model_job job = {.file = "zwang"};
    int status = STATUS_WRONG_DATA;
    message_log_open(&job.log);
    poptContext context = poptGetContext("zwang", argc, argv, task->page->table, 0);
    if (context && job.log.context)
        status = work_on_model(context, task, &job);
    else
        message_report(&job.log, MSG_MEMORY, NULL, "there is not enough memory");
    message_log_print(&job.log);
    message_log_close(&job.log);
    free_model_options(task->options);
    (void)poptFreeContext(context);
    return status;
}
