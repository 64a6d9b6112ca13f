/*
 * `zwang run`: simulates a model.
 *
 *     model --start--> state --begin, advance--> rows --> file; messages, verdict, statistics, events
 *
 * What the command line says stands over what the model's `simulate` says. Mistakes in it are found
 * before the start is computed, and the output is opened before the first step is made. A run that
 * stops early keeps what it has: the exit status tells.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "film.h"
#include "page_report.h"
#include "run_keeper.h"

/* ------------------------------------------------------------------- after the run */

/* Says why a run ended before its time; returns the exit status. */
static int report_end(model_job *job, const run_options *o, const run_rows *rows, run_end end,
                      double t)
{
    zw_diagnostic place = {.file = job->file};
    switch (end) {
    case RUN_DONE:
        return STATUS_DONE;
    case RUN_FAILED:
        (void)model_outcome(job, rows->failure); /* unless the engine has said it */
        if (rows->failure == ZW_ERR_MEMORY || rows->failure == ZW_ERR_BUDGET)
            return STATUS_WRONG_DATA;
        return STATUS_STOPPED_EARLY;
    case RUN_LATE:
        place.help = o->checkpoint
                         ? "there is a checkpoint: the same command with --resume goes on"
                         : "what was computed up to there is kept; --max-time gives another limit";
        message_report(&job->log, MSG_LATE, &place,
                       "the time limit of %.15g s is reached at t = %.6g", o->seconds, t);
        return STATUS_STOPPED_EARLY;
    case RUN_INTERRUPTED:
        place.help = o->checkpoint ? "there is a checkpoint: the same command with --resume goes on"
                                   : "what was computed up to there is kept";
        message_report(&job->log, MSG_INTERRUPTED, &place, "interrupted at t = %.6g", t);
        return STATUS_INTERRUPTED;
    case RUN_NOT_WRITTEN:
        break;
    }
    return STATUS_WRONG_DATA;
}

/* Outputs may be infinite, or no numbers, while the motion is sound. */
static void report_bad_columns(model_job *job, const run_rows *rows)
{
    char name[200], others[60] = "";
    int32_t more = -1;
    zw_diagnostic place = {.file = job->file,
                           .help = "look at the expression with the state there"};
    if (rows->first < 0) return;
    for (int32_t k = 0; k < zw_columns_count(rows->columns); k++) more += rows->bad[k];
    (void)zw_columns_name(rows->columns, rows->first, name, sizeof name);
    if (more > 0)
        (void)snprintf(others, sizeof others, ", and so %s %d more column%s",
                       more == 1 ? "does" : "do", (int)more, more == 1 ? "" : "s");
    message_report(&job->log, MSG_NO_VALUE, &place,
                   "column %s has values that are infinite or not numbers, first at t = %.6g%s",
                   name, rows->bad_t, others);
}

/* The verdict as JSON. False after a report. */
static bool write_statistics(model_job *job, const char *name, zw_sim *sim)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    zw_status status = ZW_ERR_MEMORY;
    if (out) {
        status = zw_sim_verdict(sim, ZW_REPORT_JSON, model_write, out);
        if (ferror(out)) status = ZW_ERR_MEMORY;
        if (fclose(out) != 0) status = ZW_ERR_MEMORY;
    }
    bool done = status == ZW_OK && output_write(name, text, length, &job->log);
    if (status != ZW_OK) (void)model_outcome(job, status);
    free(text);
    return done;
}

/* Concludes the run: messages first, then the verdict. Returns the exit status. */
static int conclude_run(const run_options *o, model_job *job, zw_sim *sim, const run_rows *rows,
                        run_events *events, run_end end)
{
    double t = 0;
    message_log *log = &job->log;
    (void)zw_sim_conclude(sim);
    (void)zw_sim_state(sim, &t, NULL, NULL);
    int status = report_end(job, o, rows, end, t);
    bool told = end != RUN_NOT_WRITTEN;
    report_bad_columns(job, rows);
    if (told && o->common.statistics && !write_statistics(job, o->common.statistics, sim) &&
        status == STATUS_DONE)
        status = STATUS_WRONG_DATA;
    if (told && o->events && !run_events_write(events, o->events, log) && status == STATUS_DONE)
        status = STATUS_WRONG_DATA;
    report r = {.job = job, .film = rows->film, .sim = sim, .command = o->command};
    if (rows->film) report_listen(&r);
    message_log_print(log);
    if (told && !log->quiet && log->form == ZW_TEXT)
        (void)zw_sim_verdict(sim, ZW_REPORT_TEXT, model_write, stderr);
    if (rows->film && told && !report_write(&r, o->report) && status == STATUS_DONE)
        status = STATUS_WRONG_DATA;
    report_free(&r);
    return status;
}

/* --------------------------------------------------------------------- the run itself */

/* A method that this build leaves out: wrong usage, unless it is the model that asks for it. */
static int refuse_method(const run_options *o, model_job *job, zw_method method)
{
    zw_diagnostic place = {.file = o->method ? "zwang" : job->file,
                           .help = "build with SUNDIALS, or choose another one by --method"};
    zw_context_clear_diagnostics(job->log.context); /* the library has said it in its own words */
    message_report(&job->log, MSG_NO_METHOD, &place, "the method %s is not part of this build",
                   zw_method_name(method));
    return o->method ? STATUS_WRONG_USAGE : STATUS_WRONG_DATA;
}

/* What is asked after every step. */
typedef struct step_asker {
    run_watch watch;
    run_events *events; /* or NULL */
} step_asker;

/* A zw_poll_fn; user is a step_asker. */
static bool ask_after_step(void *user, const zw_progress *p)
{
    step_asker *asker = user;
    if (asker->events) run_events_take(asker->events);
    return run_watch_step(&asker->watch, p);
}

/* A simulation at the beginning of its run, or where its checkpoint was. */
static zw_status begin_simulation(const run_options *o, model_job *job,
                                  const zw_run_settings *settings, run_rows *rows,
                                  step_asker *asker, run_events *events, zw_sim **sim)
{
    zw_status status = zw_sim_create(job->model, sim);
    if (status == ZW_OK) status = zw_sim_start(*sim, settings->accept_inconsistent);
    if (status == ZW_OK) status = zw_sim_vary(*sim, rows->columns);
    if (status == ZW_OK) status = zw_sim_begin(*sim, settings);
    if (status == ZW_OK && o->events) {
        if (!run_events_open(events, job->model, *sim)) return ZW_ERR_MEMORY;
        asker->events = events;
    }
    if (status != ZW_OK || !rows->keeper) return status;
    run_keeper *keeper = rows->keeper;
    keeper->rows = rows;
    keeper->events = asker->events;
    keeper->sim = *sim;
    return run_keeper_restore(keeper, settings);
}

/* Starts and begins the run, writes its rows, concludes it. Returns the exit status. */
static int simulate_model(const run_options *o, model_job *job, zw_run_settings settings,
                          run_times *times, run_rows *rows)
{
    step_asker asker = {0};
    run_events events = {0};
    zw_sim *sim = NULL;
    settings.poll = ask_after_step;
    settings.user = &asker;
    if (times->end == times->start) {
        /* one row, at the start: any run that can begin will do */
        settings.until = (double)NAN;
        settings.step = 1;
    }
    zw_status begun = begin_simulation(o, job, &settings, rows, &asker, &events, &sim);
    int status;
    if (begun == ZW_ERR_METHOD)
        status = refuse_method(o, job, settings.method);
    else
        status = model_outcome(job, begun);
    if (status == STATUS_DONE) {
        run_end end = run_rows_write(rows, o, times, sim, &asker.watch, &job->log);
        status = conclude_run(o, job, sim, rows, &events, end);
        if (rows->keeper && (end == RUN_DONE || end == RUN_FAILED)) run_keeper_forget(rows->keeper);
    }
    run_events_free(&events);
    zw_sim_free(sim);
    return status;
}

/* With --checkpoint there is a keeper beside. Returns the exit status. */
static int simulate_and_keep(const run_options *o, model_job *job, const zw_run_settings *settings,
                             run_times *times, run_rows *rows)
{
    run_keeper keeper;
    if (!o->checkpoint) return simulate_model(o, job, *settings, times, rows);
    for (int32_t k = 0; k < zw_columns_count(rows->columns); k++) {
        if (strcmp(zw_columns_kind(rows->columns, k), "derivative") != 0) continue;
        (void)options_refuse_together(&job->log,
                                      "--checkpoint and columns d(...)/d(...) exclude each other",
                                      "a checkpoint has no derivatives: leave one of them out");
        return STATUS_WRONG_USAGE;
    }
    rows->keeper = &keeper;
    int code = STATUS_WRONG_DATA;
    if (run_keeper_open(&keeper, o, job, settings, times))
        code = simulate_model(o, job, *settings, times, rows);
    run_keeper_close(&keeper);
    rows->keeper = NULL;
    return code;
}

/* The work of the command: settings of the model and the command line, the times of the rows, the
 * run. */
static int run_model(void *self, model_job *job)
{
    const run_options *o = self;
    zw_run_settings settings;
    run_times times;
    run_rows rows = {0};
    film kept = {0};
    zw_status status = run_settings_find(o, job->model, &settings);
    if (status == ZW_OK) status = run_rows_create(&rows, job->model, o->columns);
    if (status == ZW_OK && o->report) status = report_film(&kept, job->model);
    if (o->report) rows.film = &kept;
    int code = model_outcome(job, status);
    if (code == STATUS_DONE) {
        if (run_times_find(o, settings.from, &settings, &times, &job->log))
            code = simulate_and_keep(o, job, &settings, &times, &rows);
        else
            code = STATUS_WRONG_USAGE;
    }
    run_rows_free(&rows);
    film_free(&kept);
    return code;
}

/* ----------------------------------------------------------------- the command line */

static bool take_run_options(void *self, message_log *log)
{
    run_options *o = self;
    o->common.report = o->report;
    o->common.events = o->events;
    o->common.checkpoint = o->checkpoint;
    return run_take(o, log);
}

/* " .csv .json" and so on. */
#define ENDING(name, value, word, sentence) " ." #word
#define ENDINGS ZW_RESULT_LIST(ENDING)

static const char about[] =
    "Simulates a model and writes its rows: time, coordinates, velocities and outputs, or what\n"
    "--columns lists. MODEL is a model file, or - for standard input. What the options do not "
    "say,\n"
    "the model's simulate says; where neither says when there are rows, there are 500 equal\n"
    "intervals. The verdict, on standard error, tells how far to trust the numbers; --quiet "
    "leaves\n"
    "out progress, warnings and verdict.\n"
    "\n"
    "The ending of FILE chooses the format, one of" ENDINGS "; on standard output\n"
    "it is CSV. Columns are x, x', x'', outputs, energy, kinetic, potential, force(x),\n"
    "force_ideal(x), force_nonideal(x), control(x), actuator(NAME), impressed(x),\n"
    "multiplier(NAME), residual(NAME), rate(NAME), of contacts gap(NAME), normal(NAME), "
    "slip(NAME), friction(NAME), contact(NAME),\n"
    "impulse(NAME), gaussian, inconsistency, rank, and all for everything.\n"
    "\n"
    "A run that cannot go on, or that reaches a limit, ends with status 3, an interrupted one "
    "with\n"
    "130; what was computed up to there is written all the same, its last row where it got to.\n"
    "With --checkpoint rows go to FILE.part, and an interrupted run, or one that was killed, is "
    "gone\n"
    "on with by the same command and --resume; its result has the same bits. SIGUSR1 asks for a\n"
    "checkpoint.\n";

#define TEXT_OPTION(name, field, text, value)                                                      \
    {                                                                                              \
        name, 0, POPT_ARG_STRING, &given.field, 0, text, value                                     \
    }

/* What popt reads; the table needs its addresses. */
static run_options given;

static const struct poptOption table[] = {
    TEXT_OPTION("until", until, "end at this time", "T"),
    TEXT_OPTION("every", every, "a row at every multiple of DT after the start", "DT"),
    TEXT_OPTION("at", at, "rows at these times", "T1,T2,..."),
    TEXT_OPTION("columns", columns, "these columns, after t", "LIST"),
    TEXT_OPTION("mat", mat,
                "layout of a .mat: variables t, x, ..., or that of OpenModelica (at first)",
                "plain|openmodelica"),
    TEXT_OPTION("tol", tol, "relative tolerance of a step", "T"),
    TEXT_OPTION("abs-tol", abs_tol, "absolute tolerance; from the sizes of the motion at first",
                "T"),
    TEXT_OPTION("method", method, "integrate by this method", "NAME"),
    TEXT_OPTION("step", step, "step of rk4 and gauss16, first step of the others", "H"),
    TEXT_OPTION("stabilize", stabilize, "how the motion is kept on its constraints",
                "project|baumgarte|none"),
    TEXT_OPTION("baumgarte", baumgarte, "baumgarte with this frequency and damping ratio",
                "OMEGA[,ZETA]"),
    TEXT_OPTION("hold", hold, "what gauss16 holds at its value, where it is conserved",
                "energy|nothing"),
    TEXT_OPTION("form", form, "solve by this form", "NAME"),
    TEXT_OPTION("kernel", kernel, "what evaluates the equations; the bits are the same",
                "bytecode|native|auto"),
    SOLVER_OPTION(given.common),
    LANES_OPTION(given.common),
    THREADS_OPTION(given.common),
    TEXT_OPTION("inconsistent", inconsistent,
                "take the nearest compromise where constraints contradict each other", "accept"),
    TEXT_OPTION("max-steps", max_steps, "at most so many steps", "N"),
    TEXT_OPTION("patience", patience,
                "end where the rest would take more steps than this; 1e8 at first", "N"),
    TEXT_OPTION("max-time", max_time, "at most so many seconds by the clock", "SECONDS"),
    TEXT_OPTION("checkpoint", checkpoint,
                "keep the run in FILE now and then, so that --resume can go on with it", "FILE"),
    TEXT_OPTION("checkpoint-every", checkpoint_every, "a checkpoint every so often; 60 at first",
                "SECONDS"),
    {"resume", 0, POPT_ARG_NONE, &given.resume, 0,
     "go on from the checkpoint; without one, from the start", NULL},
    TEXT_OPTION("stats", common.statistics, "write the verdict with all its numbers as JSON",
                "FILE"),
    TEXT_OPTION("events", events, "write what happened, a line each, as CSV", "FILE"),
    TEXT_OPTION("report", report, "write a page that moves and plots, for a browser", "FILE.html"),
    MODEL_OPTIONS(given.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"two seconds of a smaller disc: where it is, what holds it, its energy",
     "zwang run rolling_disc.zw --set r=0.3 --until 2 --columns \"c, force(c), energy\" -o "
     "disc.csv"},
    {"three rows, on standard output", "zwang run rolling_disc.zw --at 0,1,2 --columns c"},
    {NULL, NULL},
};

const option_page run_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL",
    .about = about,
    .lists = (const option_list *const[]){&option_methods, &option_stabilize, &option_kernels,
                                          &option_solvers, &option_forms, NULL},
    .examples = examples,
};

int run_command(int argc, const char **argv)
{
    model_task task = {.page = &run_page,
                       .options = &given.common,
                       .take = take_run_options,
                       .work = run_model,
                       .self = &given};
    char *line = report_command(argc, argv);
    given.command = line;
    int status = model_command(argc, argv, &task);
    free(line);
    run_options_clear(&given);
    return status;
}
