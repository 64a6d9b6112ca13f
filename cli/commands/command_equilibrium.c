/*
 * `zwang equilibrium`: a state of rest of a model, the forces of constraints there, whether it is stable,
 * its modes, and derivatives of all of that by parameters.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "json_layout.h"
#include "state_options.h"

typedef struct equilibrium_options {
    model_options common;
    state_options at;
    char *by; /* NULL when not given */
    int json, set_start;
} equilibrium_options;

enum { name_size = 400 };

/* ---------------------------------------------------------------------------- JSON */

/* {"x": 1, "y": 2}: numbers by the names of coordinates or rows. */
typedef size_t (*name_fn)(const zw_model *model, int32_t i, char *buffer, size_t size);
static void write_named(layout *outer, const char *key, const zw_model *model, name_fn name,
                        const double *x, int32_t count)
{
    char text[name_size];
    layout l = {.out = outer->out, .indent = outer->indent + 2};
    layout_key(outer, key);
    layout_open(&l);
    for (int32_t i = 0; i < count; i++) {
        name(model, i, text, sizeof text);
        layout_number_field(&l, text, x[i]);
    }
    layout_close(&l);
}

/* By each parameter: the state, the multipliers, the frequencies. */
static void write_derivatives_field(layout *outer, const zw_model *model, const zw_equilibrium *x)
{
    int32_t n = zw_model_coordinate_count(model), m = zw_model_row_count(model);
    layout l = {.out = outer->out, .indent = outer->indent + 2};
    layout_key(outer, "derivatives");
    layout_open(&l);
    for (int32_t k = 0; k < x->parameters; k++) {
        layout in = {.out = l.out, .indent = l.indent + 2};
        layout_key(&l, x->parameter_names[k]);
        layout_open(&in);
        write_named(&in, "state", model, zw_model_coordinate_name, x->dq + (size_t)k * (size_t)n,
                    n);
        write_named(&in, "multipliers", model, zw_model_row_name,
                    x->dmultipliers + (size_t)k * (size_t)m, m);
        layout_vector_field(&in, "frequencies", x->dfrequency + (size_t)k * (size_t)x->modes,
                            x->modes);
        layout_close(&in);
    }
    layout_close(&l);
}

static void write_json(FILE *out, const zw_model *model, const zw_equilibrium *x)
{
    int32_t n = zw_model_coordinate_count(model), m = zw_model_row_count(model);
    layout l = {.out = out};
    layout_open(&l);
    layout_number_field(&l, "t", x->t);
    write_named(&l, "state", model, zw_model_coordinate_name, x->q, n);
    write_named(&l, "multipliers", model, zw_model_row_name, x->multipliers, m);
    layout_number_field(&l, "moved", x->moved);
    layout_number_field(&l, "iterations", x->iterations);
    layout_bool_field(&l, "stable", x->unstable == 0);
    layout_number_field(&l, "unstable", x->unstable);
    layout_number_field(&l, "neutral", x->neutral);
    layout_vector_field(&l, "frequencies", x->frequency, x->modes);
    layout_matrix_field(&l, "shapes", x->shape, x->modes, n);
    layout_key(&l, "poles");
    fputc('[', out);
    for (int32_t k = 0; k < x->poles; k++) {
        double pole[2] = {x->pole_re[k], x->pole_im[k]};
        if (k > 0) fputs(", ", out);
        layout_vector(out, pole, 2);
    }
    fputc(']', out);
    if (x->parameters > 0) write_derivatives_field(&l, model, x);
    layout_close(&l);
    fputc('\n', out);
}

/* ---------------------------------------------------------------------------- text */

/* "start x = 1, y = 2", ready to be pasted into a model. */
static void write_start(FILE *out, const zw_model *model, const zw_equilibrium *x)
{
    char text[name_size];
    int32_t n = zw_model_coordinate_count(model);
    for (int32_t i = 0; i < n; i++) {
        zw_model_coordinate_name(model, i, text, sizeof text);
        fprintf(out, "start %s = %.17g, %s' = 0\n", text, x->q[i] + 0.0, text);
    }
}

static void write_lines(FILE *out, const char *title, const zw_model *model, name_fn name,
                        const double *x, int32_t count)
{
    char text[name_size];
    if (count > 0) fprintf(out, "\n%s\n", title);
    for (int32_t i = 0; i < count; i++) {
        name(model, i, text, sizeof text);
        fprintf(out, "  %-16s %.12g\n", text, x[i] + 0.0);
    }
}

static void write_modes(FILE *out, const zw_equilibrium *x)
{
    if (x->modes > 0) fprintf(out, "\nmodes\n");
    for (int32_t k = 0; k < x->modes; k++) {
        double f = x->frequency[k];
        if (f > 0.0)
            fprintf(out, "  %2d  frequency %.12g rad/s (%.6g Hz)\n", (int)k + 1, f,
                    f / (2.0 * acos(-1.0)));
        else if (f < 0.0)
            fprintf(out, "  %2d  grows as exp(%.12g t)\n", (int)k + 1, -f);
        else
            fprintf(out, "  %2d  moves freely\n", (int)k + 1);
    }
}

static void write_derivatives(FILE *out, const zw_model *model, const zw_equilibrium *x)
{
    int32_t n = zw_model_coordinate_count(model), m = zw_model_row_count(model);
    for (int32_t k = 0; k < x->parameters; k++) {
        char title[name_size];
        snprintf(title, sizeof title, "by %s", x->parameter_names[k]);
        write_lines(out, title, model, zw_model_coordinate_name, x->dq + (size_t)k * (size_t)n, n);
        for (int32_t i = 0; i < m; i++) {
            char name[name_size];
            zw_model_row_name(model, i, name, sizeof name);
            fprintf(out, "  multiplier(%s) %.12g\n", name,
                    x->dmultipliers[(size_t)k * (size_t)m + (size_t)i] + 0.0);
        }
        for (int32_t i = 0; i < x->modes; i++)
            fprintf(out, "  frequency %-6d %.12g\n", (int)i + 1,
                    x->dfrequency[(size_t)k * (size_t)x->modes + (size_t)i] + 0.0);
    }
}

static void write_text(FILE *out, const char *file, const zw_model *model, const zw_equilibrium *x)
{
    fprintf(out, "%s: at rest at t = %.10g, %s, moved from the start by %.6g\n", file, x->t,
            x->unstable > 0  ? "unstable"
            : x->neutral > 0 ? "one of many"
                             : "stable",
            x->moved);
    write_lines(out, "state", model, zw_model_coordinate_name, x->q,
                zw_model_coordinate_count(model));
    write_lines(out, "multipliers", model, zw_model_row_name, x->multipliers,
                zw_model_row_count(model));
    write_modes(out, x);
    write_derivatives(out, model, x);
}

/* The work of the command. */
static int find_rest(void *self, model_job *job)
{
    const equilibrium_options *o = self;
    zw_sim *sim = NULL;
    zw_equilibrium *x = NULL;
    zw_status status = zw_sim_create(job->model, &sim);
    if (status == ZW_OK) status = state_find(&o->at, job, sim);
    if (status == ZW_OK) status = zw_sim_equilibrium(sim, &(zw_equilibrium_asked){.by = o->by}, &x);
    int outcome = model_outcome(job, status);
    job->result = outcome == STATUS_DONE && x != NULL;
    if (job->result && o->set_start)
        write_start(job->out, job->model, x);
    else if (job->result && o->json)
        write_json(job->out, job->model, x);
    else if (job->result)
        write_text(job->out, job->file, job->model, x);
    zw_equilibrium_free(x);
    zw_sim_free(sim);
    return outcome;
}

/* ----------------------------------------------------------------- the command line */

static bool take_equilibrium_options(void *self, message_log *log)
{
    equilibrium_options *o = self;
    const char *ending = o->common.output ? strrchr(o->common.output, '.') : NULL;
    if (ending && strcmp(ending, ".json") == 0 && !o->set_start) o->json = true;
    return state_take(&o->at, log);
}

static const char about[] =
    "Finds a state of rest of a model: where its forces and those of its constraints balance, "
    "with\n"
    "speeds 0. Prints the state, the multipliers of the constraints, whether it is stable, and the "
    "modes\n"
    "of small motions beside it. MODEL is a model file, or - for standard input.\n"
    "\n"
    "The search begins at the model's start, or where --state and --time say, and goes downhill "
    "where\n"
    "the forces have a potential; what touches on the way is held, and what friction holds stays "
    "where\n"
    "it is. --by adds the derivatives of state, multipliers and frequencies by parameters.\n";

/* What popt reads; the table needs its addresses. */
static equilibrium_options given;

static const struct poptOption table[] = {
    {"by", 0, POPT_ARG_STRING, &given.by, 0, "derivatives by these parameters; all: by all",
     "LIST"},
    {"set-start", 0, POPT_ARG_NONE, &given.set_start, 0, "as start lines, ready to be pasted",
     NULL},
    {"json", 0, POPT_ARG_NONE, &given.json, 0, "as JSON", NULL},
    STATE_OPTIONS(given.at),
    INCONSISTENT_OPTION(given.at.inconsistent),
    SOLVER_OPTION(given.common),
    MODEL_OPTIONS(given.common),
    OPTIONS_END,
};

static const option_example examples[] = {
    {"where a pendulum hangs still, and how its length and weight matter there",
     "zwang equilibrium pendulum.zw --by \"l, g\""},
    {NULL, NULL},
};

const option_page equilibrium_page = {
    .table = table,
    .arguments = "[OPTION...] MODEL",
    .about = about,
    .lists = (const option_list *const[]){&option_solvers, NULL},
    .examples = examples,
};

int equilibrium_command(int argc, const char **argv)
{
    model_task task = {.page = &equilibrium_page,
                       .options = &given.common,
                       .take = take_equilibrium_options,
                       .work = find_rest,
                       .self = &given};
    int status = model_command(argc, argv, &task);
    state_free(&given.at);
    free(given.by);
    return status;
}
