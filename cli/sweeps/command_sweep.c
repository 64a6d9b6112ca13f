/*
 * `zwang sweep`: many runs of a model.
 *
 *     plan --zw_sweep--> batches --threads, ranks--> blocks --> journal --> result, summary, page
 *
 * The journal lies beside the result until that is written: the same command goes on where the last
 * one ended. A part (--part K/N) leaves its journal; --merge puts parts together.
 */
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "page_report.h"
#include "run_command.h"
#include "sweep_page.h"
#include "sweep_work.h"

typedef struct sweep_options {
    run_options run;
    char **vary;
    char *table, *keep, *samples, *seed, *design, *part, *threads, *batch, *summary, *report;
    int merge;
    /* what they say */
    int64_t sample_count, thread_count, batch_size, part_index, part_count;
    uint64_t seed_number;
    zw_design design_kind;
    zw_result_format format;
    input table_text;
} sweep_options;

/* --------------------------------------------------------------------------- the result */

/* FILE.journal, FILE.part-3-of-100; owned by the caller, NULL: no memory. */
static char *name_journal(const sweep_options *o)
{
    const char *out = o->run.common.output;
    char *name = NULL;
    size_t length = 0;
    FILE *text = open_memstream(&name, &length);
    if (!text) return NULL;
    if (o->part_count > 1)
        (void)fprintf(text, "%s.part-%lld-of-%lld", out, (long long)o->part_index + 1,
                      (long long)o->part_count);
    else
        (void)fprintf(text, "%s.journal", out);
    if (fclose(text) == 0) return name;
    free(name);
    return NULL;
}

static bool is_to_file(const sweep_options *o)
{
    return o->run.common.output && strcmp(o->run.common.output, "-") != 0;
}

static bool write_result(const sweep_options *o, model_job *job, sweep_journal *journal)
{
    output out;
    zw_sweep_source source = {sweep_journal_fetch, journal};
    if (!output_open(&out, is_to_file(o) ? o->run.common.output : "-", &job->log)) return false;
    zw_status status = zw_sweep_write(journal->sweep, o->format, &source, output_put, &out);
    bool written = output_close(&out, status == ZW_OK, &job->log);
    if (status != ZW_OK && status != ZW_ERR_WRITE) (void)model_outcome(job, status);
    return written && status == ZW_OK;
}

static bool write_json_summary(const sweep_options *o, model_job *job, sweep_journal *journal)
{
    output out;
    zw_sweep_source source = {sweep_journal_fetch, journal};
    if (!o->summary) return true;
    if (!output_open(&out, o->summary, &job->log)) return false;
    zw_status status = zw_sweep_summary(journal->sweep, ZW_REPORT_JSON, &source, output_put, &out);
    bool written = output_close(&out, status == ZW_OK, &job->log);
    if (status != ZW_OK && status != ZW_ERR_WRITE) (void)model_outcome(job, status);
    return written && status == ZW_OK;
}

/* How many runs have failed. */
static int64_t count_failed(sweep_journal *journal)
{
    int64_t failed = 0;
    for (int64_t b = 0; b < journal->facts.batches; b++) {
        const void *bytes;
        size_t size;
        zw_sweep_block block;
        if (sweep_journal_fetch(journal, b, &bytes, &size) &&
            zw_sweep_block_read(journal->sweep, bytes, size, &block) == ZW_OK)
            failed += block.failures;
    }
    return failed;
}

/* Result, summary, page. Returns the exit status. */
static int finish_sweep(const sweep_options *o, model_job *job, sweep_journal *journal)
{
    zw_sweep_source source = {sweep_journal_fetch, journal};
    int64_t failed = count_failed(journal);
    bool good = write_result(o, job, journal) && write_json_summary(o, job, journal);
    if (good && o->report) good = sweep_page_write(journal, job, o->run.command, o->report);
    if (failed > 0) {
        zw_diagnostic place = {.file = job->file, .help = "their rows have a status and a reason"};
        message_report(&job->log, MSG_RUNS_FAILED, &place, "%lld of %lld runs failed",
                       (long long)failed, (long long)journal->facts.runs);
    }
    message_log_print(&job->log);
    if (good && !job->log.quiet && job->log.form == ZW_TEXT)
        (void)zw_sweep_summary(journal->sweep, ZW_REPORT_TEXT, &source, model_write, stderr);
    if (!good) return STATUS_WRONG_DATA;
    return failed == journal->facts.runs ? STATUS_STOPPED_EARLY : STATUS_DONE;
}

/* ----------------------------------------------------------------------------- merging */

/* All parts that are there are read. False after a report: something is missing. */
static bool collect_parts(const sweep_options *o, model_job *job, sweep_journal *journal)
{
    char pattern[PATH_MAX];
    glob_t found = {0};
    bool good = true;
    (void)snprintf(pattern, sizeof pattern, "%s.part-*-of-*", o->run.common.output);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t k = 0; k < found.gl_pathc && good; k++)
            good = sweep_journal_add(journal, found.gl_pathv[k], &job->log);
    size_t count = found.gl_pathc;
    globfree(&found);
    if (!good || journal->done == journal->facts.batches) return good;
    int64_t first = 0;
    while (sweep_journal_has(journal, first)) first++;
    zw_diagnostic place = {.file = "zwang",
                           .help = "run the parts that are missing, then merge again"};
    message_report(&job->log, MSG_PARTS, &place,
                   "%zu part%s %lld of %lld runs; the first that is missing is run %lld", count,
                   count == 1 ? " has" : "s have", (long long)journal->done_runs,
                   (long long)journal->facts.runs, (long long)first * journal->facts.batch);
    return false;
}

static int merge_parts(const sweep_options *o, model_job *job, zw_sweep *sweep)
{
    sweep_journal journal;
    int status = STATUS_WRONG_DATA;
    if (sweep_journal_open(&journal, sweep, NULL, &job->log)) {
        free(journal.memory); /* all blocks stay in the files of the parts */
        journal.memory = NULL;
        if (collect_parts(o, job, &journal)) status = finish_sweep(o, job, &journal);
    }
    sweep_journal_close(&journal);
    return status;
}

/* ------------------------------------------------------------------------------ working */

/* Why it is not finished. Returns the exit status. */
static int report_unfinished(model_job *job, const sweep_work *work, zw_status status)
{
    const sweep_journal *j = work->journal;
    zw_diagnostic place = {.file = job->file};
    if (status == ZW_ERR_WRITE) {
        message_report(&job->log, MSG_WRITE, &place, "the journal cannot be written: %s",
                       strerror(work->error ? work->error : EIO));
        return STATUS_WRONG_DATA;
    }
    if (status != ZW_ERR_CANCELLED) return model_outcome(job, status);
    place.help = j->memory ? "with -o FILE the same command would go on from there"
                           : "the same command goes on from there";
    message_report(&job->log, MSG_INTERRUPTED, &place, "interrupted after %lld of %lld runs",
                   (long long)j->done_runs, (long long)j->facts.runs);
    return STATUS_INTERRUPTED;
}

static int lead_sweep(const sweep_options *o, model_job *job, sweep_work *work)
{
    sweep_journal journal;
    char *name = is_to_file(o) ? name_journal(o) : NULL;
    int status = STATUS_WRONG_DATA;
    work->journal = &journal;
    if (sweep_journal_open(&journal, work->sweep, name, &job->log)) {
        zw_status done = sweep_work_lead(work);
        if (done != ZW_OK)
            status = report_unfinished(job, work, done);
        else if (o->part_count > 1)
            status = STATUS_DONE;
        else
            status = finish_sweep(o, job, &journal);
        bool keep = done != ZW_OK || o->part_count > 1 || status == STATUS_WRONG_DATA;
        if (!keep && name) (void)unlink(name);
    }
    work->journal = NULL;
    sweep_journal_close(&journal);
    free(name);
    return status;
}

/* What a rank other than 0 has to say rank 0 says, too. */
static int follow_sweep(model_job *job, sweep_work *work)
{
    int status = STATUS_WRONG_DATA;
    if (work->sweep)
        status = sweep_work_follow(work) == ZW_OK ? STATUS_DONE : STATUS_INTERRUPTED;
    else
        sweep_work_leave(work);
    message_log_forget(&job->log, 0);
    return status;
}

/* With a plan (or without one, where that is wrong) until all ranks are through. */
static int work_with_ranks(const sweep_options *o, model_job *job, sweep_work *work, int planned)
{
    const sweep_ranks *ranks = work->ranks;
    const char *cores = getenv("SLURM_CPUS_PER_TASK");
    int status = planned;
    work->quiet = job->log.quiet || job->log.form != ZW_TEXT;
    work->threads = (int32_t)o->thread_count;
    if (work->threads == 0 && ranks->mpi)
        work->threads = cores && atoi(cores) > 0 ? atoi(cores) : 1;
    if (ranks->rank > 0) return follow_sweep(job, work);
    if (work->sweep)
        status = o->merge ? merge_parts(o, job, work->sweep) : lead_sweep(o, job, work);
    sweep_work_dismiss(work);
    if (work->ranks_lost) { /* MPI cannot end in order: what there is to say is said, and it ends */
        message_log_print(&job->log);
        (void)fflush(stderr);
        _exit(status);
    }
    return status;
}

/* ------------------------------------------------------------------------------ the plan */

/* zw_sweep_plan.settle. */
static void settle_run(void *user, zw_run_settings *settings)
{
    const sweep_options *o = user;
    run_apply(&o->run, settings);
}

static int32_t count_variations(char *const *vary)
{
    int32_t count = 0;
    while (vary && vary[count]) count++;
    return count;
}

/* Returns the exit status; *sweep only where it is STATUS_DONE. */
static int make_plan(sweep_options *o, model_job *job, zw_sweep **sweep)
{
    if (o->table && !input_read(o->table, NULL, &o->table_text, &job->log))
        return STATUS_WRONG_DATA;
    zw_sweep_plan plan = {.model = job->source,
                          .vary = (const char *const *)o->vary,
                          .vary_count = count_variations(o->vary),
                          .table = o->table ? o->table_text.text : NULL,
                          .table_length = o->table_text.length,
                          .table_file = o->table,
                          .keep = o->keep,
                          .samples = o->sample_count,
                          .seed = o->seed_number,
                          .design = o->design_kind,
                          .batch = o->batch_size,
                          .settle = settle_run,
                          .user = o,
                          .salt = job->modules};
    /* the model is compiled again, and says it again */
    zw_context_clear_diagnostics(job->log.context);
    return model_outcome(job, zw_sweep_create(job->log.context, &plan, sweep));
}

static int sweep_model(void *self, model_job *job)
{
    sweep_options *o = self;
    sweep_ranks ranks;
    if (!sweep_ranks_open(&ranks, &job->log)) return STATUS_WRONG_USAGE;
    sweep_work work = {
        .ranks = &ranks, .log = &job->log, .parts = o->part_count, .part = o->part_index};
    int status = make_plan(o, job, &work.sweep);
    status = work_with_ranks(o, job, &work, status);
    sweep_ranks_close(&ranks);
    zw_sweep_free(work.sweep);
    input_clear(&o->table_text);
    return status;
}

/* --------------------------------------------------------------------- the command line */

static bool take_design_option(sweep_options *o, message_log *log)
{
    static const char *const names[] = {
#define DESIGN_NAME(symbol, value, text, sentence) text,
        ZW_DESIGN_LIST(DESIGN_NAME)
#undef DESIGN_NAME
    };
    return !o->design || zw_design_find(o->design, &o->design_kind) == ZW_OK ||
           options_refuse_name(log, "--design", o->design, names, sizeof names / sizeof *names,
                               "designs");
}

/* --part 3/100 */
static bool take_part_option(sweep_options *o, message_log *log)
{
    long long index = 0, count = 0;
    int used = 0;
    o->part_count = 1;
    if (!o->part) return true;
    if (sscanf(o->part, "%lld/%lld%n", &index, &count, &used) != 2 || o->part[used] != '\0' ||
        index < 1 || index > count || count > 1000000)
        return options_refuse_value(log, "--part", o->part,
                                    "write which part of how many, as in --part 3/100");
    o->part_index = index - 1;
    o->part_count = count;
    return true;
}

static bool take_numbers(sweep_options *o, message_log *log)
{
    int64_t seed = 0;
    bool good =
        options_take_count("--samples", o->samples, 1, INT64_C(1) << 40, &o->sample_count, log) &&
        options_take_count("--seed", o->seed, 0, INT64_C(1) << 53, &seed, log) &&
        options_take_count("--threads", o->threads, 1, 1024, &o->thread_count, log) &&
        options_take_count("--batch", o->batch, 1, 1000000, &o->batch_size, log);
    o->seed_number = (uint64_t)seed;
    return good;
}

/* Only these formats have a place for reasons. */
static bool take_format(sweep_options *o, message_log *log)
{
    const char *name = o->run.common.output, *dot = name ? strrchr(name, '.') : NULL;
    o->format = ZW_RESULT_CSV;
    if (!is_to_file(o)) {
        if (!o->part && !o->merge) return true;
        return options_refuse_together(log, "--part and --merge need a file",
                                       "name the result by -o FILE: parts lie beside it");
    }
    if (dot && strcmp(dot, ".json") == 0)
        o->format = ZW_RESULT_JSON;
    else if (dot && strcmp(dot, ".npz") == 0)
        o->format = ZW_RESULT_NPZ;
    else if (!dot || strcmp(dot, ".csv") != 0)
        return options_refuse_value(log, "--output", name,
                                    "the ending says what is written: .csv, .json or .npz");
    return true;
}

static bool take_sweep_options(void *self, message_log *log)
{
    sweep_options *o = self;
    o->run.common.report = o->report;
    o->run.common.events = o->summary; /* that they do not overwrite each other */
    if (o->part && o->merge)
        return options_refuse_together(log, "--part and --merge exclude each other",
                                       "merge when all parts are done");
    return run_take_values(&o->run, log) && take_numbers(o, log) && take_design_option(o, log) &&
           take_part_option(o, log) && take_format(o, log);
}

static const char about[] =
    "Runs a model many times with other parameters and start values, and keeps a few numbers of "
    "each\n"
    "run. What varies: --vary NAME = values or --vary NAME ~ distribution, as often as wanted, on "
    "a\n"
    "grid of all values and with --samples N of what is drawn; or the rows of --table FILE.csv.\n"
    "\n"
    "    w = 1..10 by 0.5     w = 1..10, 19     k = log 1..1e4, 40     m[2] = [1, 2, 5]\n"
    "    h ~ normal(1, 0.1)   phi ~ uniform(0, 2*pi)   lognormal, exponential, triangular\n"
    "\n"
    "NAME is a parameter, a start value x or x', or an element of one. What is kept: last(LIST),\n"
    "at(T, LIST), every(DT, LIST), largest(LIST), smallest(LIST), mean(LIST), integral(LIST), "
    "with\n"
    "columns as those of zwang run; event(N) or event(N, K), when it fired for the K-th time; "
    "trust\n"
    "(0: ok, 1: remarks, 2: not); steps. The result, .csv, .json or .npz, has a row for every run, "
    "in\n"
    "order, with a status, and a reason where it failed.\n"
    "\n"
    "While it works there is FILE.journal: the same command goes on where the last one was ended.\n"
    "The result is the same to the byte whatever threads, ranks and interruptions there were. "
    "Started\n"
    "by mpirun or srun the ranks share the work; --part K/N computes every N-th batch into a file "
    "of\n"
    "its own, and --merge puts them together.\n";

#define TEXT_OPTION(name, field, text, value)                                                      \
    {                                                                                              \
        name, 0, POPT_ARG_STRING, &given.field, 0, text, value                                     \
    }

/* What popt reads; the table needs its addresses. */
static sweep_options given;

static const struct poptOption table[] = {
    {"vary", 0, POPT_ARG_ARGV, &given.vary, 0, "what varies, and how; several: repeat it", "TEXT"},
    TEXT_OPTION("table", table, "a run for each row: names, then numbers", "FILE.csv"),
    TEXT_OPTION("keep", keep, "what is kept of a run; the last row at first", "LIST"),
    TEXT_OPTION("samples", samples, "how many samples of what is drawn", "N"),
    TEXT_OPTION("seed", seed, "of the samples; 0 at first", "N"),
    TEXT_OPTION("design", design, "how samples are spread", "random|latin|sobol"),
    TEXT_OPTION("threads", threads, "so many threads; all cores at first, one for each rank", "N"),
    TEXT_OPTION("batch", batch, "so many runs at a time", "N"),
    TEXT_OPTION("part", part, "only every N-th batch, from the K-th on", "K/N"),
    {"merge", 0, POPT_ARG_NONE, &given.merge, 0, "put all parts together", NULL},
    TEXT_OPTION("summary", summary, "write quantiles and failures as JSON", "FILE"),
    TEXT_OPTION("report", report, "write a page with linked plots, for a browser", "FILE.html"),
    TEXT_OPTION("until", run.until, "end at this time", "T"),
    TEXT_OPTION("tol", run.tol, "relative tolerance of a step", "T"),
    TEXT_OPTION("abs-tol", run.abs_tol, "absolute tolerance; from the sizes of the motion at first",
                "T"),
    TEXT_OPTION("method", run.method, "integrate by this method", "NAME"),
    TEXT_OPTION("step", run.step, "step of rk4, first step of the others", "H"),
    TEXT_OPTION("stabilize", run.stabilize, "how the motion is kept on its constraints",
                "project|baumgarte|none"),
    TEXT_OPTION("baumgarte", run.baumgarte, "baumgarte with this frequency and damping ratio",
                "OMEGA[,ZETA]"),
    TEXT_OPTION("form", run.form, "solve by this form", "NAME"),
    TEXT_OPTION("kernel", run.kernel, "what evaluates the equations; the bits are the same",
                "bytecode|native|auto"),
    SOLVER_OPTION(given.run.common),
    LANES_OPTION(given.run.common),
    TEXT_OPTION("inconsistent", run.inconsistent,
                "take the nearest compromise where constraints contradict each other", "accept"),
    TEXT_OPTION("max-steps", run.max_steps, "at most so many steps a run", "N"),
    TEXT_OPTION("patience", run.patience,
                "end a run where the rest would take more steps than this; 1e8 at first", "N"),
    MODEL_OPTIONS(given.run.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"how long a pendulum swings, by its length and where it is let go",
     "zwang sweep pendulum.zw --vary \"l = 0.5..2 by 0.1\" --vary \"m = [1, 2]\" -o lengths.csv"},
    {"a thousand samples, evenly spread, and a page to look at",
     "zwang sweep pendulum.zw --vary \"l ~ normal(1, 0.1)\" --samples 1000 --design sobol --keep "
     "\"largest(energy), trust\" -o s.npz --report s.html"},
    {NULL, NULL},
};

const option_page sweep_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL",
    .about = about,
    .lists = (const option_list *const[]){&option_methods, &option_stabilize, &option_kernels,
                                          &option_solvers, &option_forms, NULL},
    .examples = examples,
};

int sweep_command(int argc, const char **argv)
{
    model_task task = {.page = &sweep_page,
                       .options = &given.run.common,
                       .take = take_sweep_options,
                       .work = sweep_model,
                       .self = &given};
    char *line = report_command(argc, argv);
    given.run.command = line;
    int status = model_command(argc, argv, &task);
    char *words[] = {given.table, given.keep,    given.samples, given.seed,    given.design,
                     given.part,  given.threads, given.batch,   given.summary, given.report};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) free(words[k]);
    for (size_t k = 0; given.vary && given.vary[k]; k++) free(given.vary[k]);
    free(given.vary);
    free(line);
    run_options_clear(&given.run);
    return status;
}
