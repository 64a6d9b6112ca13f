/*
 * `zwang linearize`: x' = A x + B u, y = C x + D u beside a state of a model, and the poles.
 *
 *     model --start, --time, --state, --run, --at-rest--> state --zw_sim_linearize--> text, JSON, NPZ or MAT
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json_layout.h"
#include "state_options.h"

/* What a result is written as. */
typedef enum form { AS_TEXT, AS_JSON, AS_NPZ, AS_MAT } form;

typedef struct linearize_options {
    model_options common;
    state_options at;
    char *inputs, *outputs, *states, *run; /* NULL when not given */
    int json, at_rest;
    double until;
    form as;
} linearize_options;

/* ------------------------------------------------------------------------- the state */

/* By a run of the model with its own settings. */
static zw_status run_until(model_job *job, zw_sim *sim, double until)
{
    zw_run_settings settings;
    zw_outcome outcome;
    zw_status status = zw_run_defaults(job->model, &settings);
    settings.until = until;
    if (status == ZW_OK) status = zw_sim_begin(sim, &settings);
    if (status == ZW_OK) status = zw_sim_advance(sim, until, &outcome);
    zw_status concluded = zw_sim_conclude(sim);
    return status == ZW_OK ? concluded : status;
}

static zw_status find_linearized_state(const linearize_options *o, model_job *job, zw_sim *sim)
{
    zw_equilibrium *rest = NULL;
    zw_status status = state_find(&o->at, job, sim);
    if (status == ZW_OK && o->run) status = run_until(job, sim, o->until);
    if (status == ZW_OK && o->at_rest)
        status = zw_sim_equilibrium(sim, &(zw_equilibrium_asked){0}, &rest);
    zw_equilibrium_free(rest);
    return status;
}

/* -------------------------------------------------------------------------- writing */

static void write_json(FILE *out, const zw_linearization *x)
{
    layout l = {.out = out};
    layout_open(&l);
    layout_number_field(&l, "t", x->t);
    layout_bool_field(&l, "at_rest", x->speed == 0.0 && x->acceleration <= 1e-9);
    layout_strings_field(&l, "states", x->state_names, x->states);
    layout_strings_field(&l, "inputs", x->input_names, x->inputs);
    layout_strings_field(&l, "outputs", x->output_names, x->outputs);
    layout_matrix_field(&l, "A", x->A, x->states, x->states);
    layout_matrix_field(&l, "B", x->B, x->states, x->inputs);
    layout_matrix_field(&l, "C", x->C, x->outputs, x->states);
    layout_matrix_field(&l, "D", x->D, x->outputs, x->inputs);
    layout_key(&l, "poles");
    fputc('[', out);
    for (int32_t k = 0; k < x->states; k++) {
        double pole[2] = {x->pole_re[k], x->pole_im[k]};
        if (k > 0) fputs(", ", out);
        layout_vector(out, pole, 2);
    }
    fputc(']', out);
    layout_close(&l);
    fputc('\n', out);
}

/* The longest of some names, at least `width`. */
static int widest(const char *const *names, int32_t count, int width)
{
    for (int32_t k = 0; k < count; k++)
        if ((int)strlen(names[k]) > width) width = (int)strlen(names[k]);
    return width;
}

/* A matrix with names before its rows and above its columns. */
static void write_matrix(FILE *out, const char *name, const double *x, int32_t rows,
                         int32_t columns, const char *const *row_names,
                         const char *const *column_names)
{
    int first = widest(row_names, rows, 12), width = widest(column_names, columns, 12);
    if (rows == 0 || columns == 0) return;
    fprintf(out, "\n%-*s", first, name);
    for (int32_t j = 0; j < columns; j++) fprintf(out, " %*s", width, column_names[j]);
    fputc('\n', out);
    for (int32_t i = 0; i < rows; i++) {
        fprintf(out, "%-*s", first, row_names[i]);
        for (int32_t j = 0; j < columns; j++)
            fprintf(out, " %*.6g", width, x[(size_t)i * (size_t)columns + (size_t)j] + 0.0);
        fputc('\n', out);
    }
}

/* A pole with what it means: growth or decay, frequency and damping of a pair. */
static void write_pole(FILE *out, double re, double im)
{
    double size = hypot(re, im);
    if (im != 0.0)
        fprintf(out, "  %.10g +- %.10g i   frequency %.10g rad/s (%.6g Hz), damping %.4g\n",
                re + 0.0, im, size, size / (2.0 * acos(-1.0)), -re / size + 0.0);
    else
        fprintf(out, "  %.10g%s\n", re + 0.0, re > 0.0 ? "   grows" : "");
}

static void write_text(FILE *out, const char *file, const zw_linearization *x)
{
    fprintf(out,
            "%s: t = %.10g, %d states (%d coordinates, %d velocities), %d inputs, %d outputs\n",
            file, x->t, (int)x->states, (int)x->places, (int)(x->states - x->places),
            (int)x->inputs, (int)x->outputs);
    if (x->speed != 0.0 || x->acceleration > 1e-9)
        fprintf(out, "not at rest: linearised beside the motion at this moment\n");
    write_matrix(out, "A", x->A, x->states, x->states, x->state_names, x->state_names);
    write_matrix(out, "B", x->B, x->states, x->inputs, x->state_names, x->input_names);
    write_matrix(out, "C", x->C, x->outputs, x->states, x->output_names, x->state_names);
    write_matrix(out, "D", x->D, x->outputs, x->inputs, x->output_names, x->input_names);
    fprintf(out, "\npoles\n");
    for (int32_t k = 0; k < x->states; k++)
        if (x->pole_im[k] >= 0.0) write_pole(out, x->pole_re[k], x->pole_im[k]);
}

/* Poles as two columns, real and imaginary parts. */
static zw_status write_matrices(model_job *job, zw_result_format format, const zw_linearization *x)
{
    size_t states = (size_t)x->states;
    double *poles = calloc(2 * states + 1, sizeof *poles);
    if (!poles) return ZW_ERR_MEMORY;
    for (size_t k = 0; k < states; k++) {
        poles[2 * k] = x->pole_re[k];
        poles[2 * k + 1] = x->pole_im[k];
    }
    const zw_matrix list[] = {{"A", x->states, x->states, x->A},
                              {"B", x->states, x->inputs, x->B},
                              {"C", x->outputs, x->states, x->C},
                              {"D", x->outputs, x->inputs, x->D},
                              {"poles", x->states, 2, poles}};
    zw_status status = zw_matrices_write(job->log.context, format, list, 5, model_write, job->out);
    free(poles);
    return status;
}

static zw_status write_linearization(const linearize_options *o, model_job *job,
                                     const zw_linearization *x)
{
    switch (o->as) {
    case AS_JSON:
        write_json(job->out, x);
        return ZW_OK;
    case AS_NPZ:
        return write_matrices(job, ZW_RESULT_NPZ, x);
    case AS_MAT:
        return write_matrices(job, ZW_RESULT_MAT, x);
    default:
        write_text(job->out, job->file, x);
        return ZW_OK;
    }
}

/* The work of the command. */
static int linearize_model(void *self, model_job *job)
{
    const linearize_options *o = self;
    zw_sim *sim = NULL;
    zw_linearization *x = NULL;
    zw_status status = zw_sim_create(job->model, &sim);
    if (status == ZW_OK) status = find_linearized_state(o, job, sim);
    if (status == ZW_OK)
        status = zw_sim_linearize(
            sim, &(zw_linearize){.states = o->states, .inputs = o->inputs, .outputs = o->outputs},
            &x);
    if (status == ZW_OK) status = write_linearization(o, job, x);
    int outcome = model_outcome(job, status);
    job->result = outcome == STATUS_DONE;
    zw_linearization_free(x);
    zw_sim_free(sim);
    return outcome;
}

/* ----------------------------------------------------------------- the command line */

/* What the ending of a file stands for. */
static form form_of_file(const char *file, form otherwise)
{
    const char *ending = file ? strrchr(file, '.') : NULL;
    if (!ending) return otherwise;
    if (strcmp(ending, ".json") == 0) return AS_JSON;
    if (strcmp(ending, ".npz") == 0) return AS_NPZ;
    return strcmp(ending, ".mat") == 0 ? AS_MAT : otherwise;
}

static bool take_linearize_options(void *self, message_log *log)
{
    linearize_options *o = self;
    o->as = form_of_file(o->common.output, AS_TEXT);
    if (o->json && (o->as == AS_NPZ || o->as == AS_MAT)) {
        zw_diagnostic place = {.file = "zwang",
                               .help = "let the ending of the file say it: .json, .npz or .mat"};
        message_report(log, MSG_TOGETHER, &place, "--json does not go with -o %s",
                       o->common.output);
        return false;
    }
    if (o->json) o->as = AS_JSON;
    return state_take(&o->at, log) && state_take_time("--run", o->run, &o->until, log);
}

static const char about[] =
    "Linearises a model beside a state: x' = A x + B u, y = C x + D u, with the poles. The states "
    "x\n"
    "are some of the model's own coordinates and velocities, from which the constraints determine "
    "the\n"
    "others; --states chooses. Inputs u are parameters, outputs y any columns of zwang run; at "
    "first\n"
    "the inputs and outputs of the model. MODEL is a model file, or - for standard input.\n"
    "\n"
    "The state is the model's start, brought onto the constraints, and may move. --time changes "
    "its\n"
    "time alone, --state single values. --run goes to the state of a run at T, --at-rest to a "
    "state of\n"
    "rest near by, which zwang equilibrium finds. -o FILE.npz or FILE.mat writes A, B, C, D and "
    "the\n"
    "poles as matrices.\n";

/* What popt reads; the table needs its addresses. */
static linearize_options given;

static const struct poptOption table[] = {
    {"inputs", 0, POPT_ARG_STRING, &given.inputs, 0, "parameters that are inputs", "LIST"},
    {"outputs", 0, POPT_ARG_STRING, &given.outputs, 0, "columns that are outputs", "LIST"},
    {"states", 0, POPT_ARG_STRING, &given.states, 0, "coordinates that are to be states", "LIST"},
    {"run", 0, POPT_ARG_STRING, &given.run, 0, "at the state of a run at this time", "T"},
    {"at-rest", 0, POPT_ARG_NONE, &given.at_rest, 0, "at the equilibrium that is found from there",
     NULL},
    {"json", 0, POPT_ARG_NONE, &given.json, 0, "as JSON", NULL},
    STATE_OPTIONS(given.at),
    INCONSISTENT_OPTION(given.at.inconsistent),
    SOLVER_OPTION(given.common),
    MODEL_OPTIONS(given.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"a pendulum that hangs still, and the pull in its bar",
     "zwang linearize pendulum.zw --at-rest --outputs \"x, multiplier(bar)\""},
    {NULL, NULL},
};

const option_page linearize_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL",
    .about = about,
    .lists = (const option_list *const[]){&option_solvers, NULL},
    .examples = examples,
};

int linearize_command(int argc, const char **argv)
{
    model_task task = {.page = &linearize_page,
                       .options = &given.common,
                       .take = take_linearize_options,
                       .work = linearize_model,
                       .self = &given};
    int status = model_command(argc, argv, &task);
    state_free(&given.at);
    free(given.inputs);
    free(given.outputs);
    free(given.states);
    free(given.run);
    return status;
}
