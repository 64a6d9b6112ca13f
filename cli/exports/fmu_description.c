/*
 * The description of an FMU, modelDescription.xml: what it can do, its variables with their value
 * references (fmu_layout.h) and which of them are outputs, states and derivatives. FMI 2 counts
 * variables from 1 where 3.0 takes their references.
 *
 * Continuous states are q and v. A velocity is the derivative of its coordinate and a state itself.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_export.h"

typedef struct writer {
    const fmu_request *r;
    const fmu_facts *facts;
    zw_model *model;
    zw_columns *columns;
    fmu_layout layout;
    double *q; /* [2 n] at the start */
    FILE *out;
} writer;

/* ------------------------------------------------------------------------ pieces */

/* The value of an attribute. */
static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (strchr("&<>\"", *text) || c < 32)
            (void)fprintf(out, "&#%d;", (int)c);
        else
            (void)fputc(*text, out);
    }
}

/* The shortest that reads as the same number. */
static void put_number(FILE *out, const char *attribute, double x)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    (void)fprintf(out, " %s=\"%s\"", attribute, text);
}

/* The name of a variable without der(), in memory of the caller's. */
static char *name_variable(const writer *w, fmu_kind kind, int32_t which)
{
    int32_t column = kind == FMU_OUTPUT ? fmu_layout_column(&w->layout, which) : -1;
    size_t length = column >= 0             ? zw_columns_name(w->columns, column, NULL, 0)
                    : kind == FMU_PARAMETER ? zw_model_parameter_name(w->model, which, NULL, 0)
                                            : zw_model_coordinate_name(w->model, which, NULL, 0);
    char *name = malloc(length + 1);
    if (!name) return NULL;
    if (column >= 0)
        (void)zw_columns_name(w->columns, column, name, length + 1);
    else if (kind == FMU_PARAMETER)
        (void)zw_model_parameter_name(w->model, which, name, length + 1);
    else
        (void)zw_model_coordinate_name(w->model, which, name, length + 1);
    return name;
}

/* Words and a sentence for each kind. */
static const struct {
    const char *before, *after, *about, *causality, *variability, *initial;
} kinds[] = {
    [FMU_TIME] = {"", "", "time", "independent", "continuous", NULL},
    [FMU_COORDINATE] = {"", "", "coordinate", "local", "continuous", "approx"},
    [FMU_VELOCITY] = {"der(", ")", "velocity", "local", "continuous", "approx"},
    [FMU_ACCELERATION] = {"der(", ",2)", "acceleration", "local", "continuous", "calculated"},
    [FMU_PARAMETER] = {"", "", "parameter", "parameter", "tunable", "exact"},
    [FMU_OUTPUT] = {"", "", "output of the model", "output", "continuous", "calculated"},
};

/* What variable k, from 0, is in the words of the other elements. */
static unsigned find_number(const writer *w, fmu_kind kind, int32_t which)
{
    uint32_t reference = fmu_layout_reference(&w->layout, kind, which);
    return w->r->version == 2 ? reference + 1 : reference;
}

/* -------------------------------------------------------------------- variables */

/* name, valueReference, description, causality, variability, initial. */
static zw_status put_attributes(writer *w, fmu_kind kind, int32_t which)
{
    bool given = kind == FMU_PARAMETER && zw_model_is_input(w->model, which);
    bool fixed = kind == FMU_PARAMETER && w->facts->fixed[which];
    char *name = kind == FMU_TIME ? NULL : name_variable(w, kind, which);
    if (kind != FMU_TIME && !name) return ZW_ERR_MEMORY;
    (void)fprintf(w->out, " name=\"%s", kinds[kind].before);
    put_escaped(w->out, name ? name : "t");
    (void)fprintf(w->out, "%s\" valueReference=\"%u\" description=\"%s\"", kinds[kind].after,
                  (unsigned)fmu_layout_reference(&w->layout, kind, which),
                  given   ? "input"
                  : fixed ? "parameter that sizes something: fixed"
                          : kinds[kind].about);
    (void)fprintf(w->out, " causality=\"%s\" variability=\"%s\"",
                  given ? "input" : kinds[kind].causality,
                  given   ? "continuous"
                  : fixed ? "fixed"
                          : kinds[kind].variability);
    if (kinds[kind].initial && !given)
        (void)fprintf(w->out, " initial=\"%s\"", kinds[kind].initial);
    free(name);
    return ZW_OK;
}

/* start, derivative, reinit. */
static zw_status put_type(writer *w, fmu_kind kind, int32_t which)
{
    double start = (double)NAN;
    int32_t n = w->layout.n;
    zw_status status = ZW_OK;
    if (kind == FMU_PARAMETER) status = zw_sim_parameter(w->r->sim, which, &start);
    if (kind == FMU_COORDINATE) start = w->q[which];
    if (kind == FMU_VELOCITY) start = w->q[n + which];
    if (!isnan(start)) put_number(w->out, "start", start);
    if (kind == FMU_VELOCITY)
        (void)fprintf(w->out, " derivative=\"%u\"", find_number(w, FMU_COORDINATE, which));
    if (kind == FMU_ACCELERATION)
        (void)fprintf(w->out, " derivative=\"%u\"", find_number(w, FMU_VELOCITY, which));
    if ((kind == FMU_COORDINATE || kind == FMU_VELOCITY) && fmu_is_smooth(w->model))
        (void)fputs(" reinit=\"true\"", w->out);
    return status;
}

static zw_status put_variables(writer *w)
{
    zw_status status = ZW_OK;
    (void)fputs("  <ModelVariables>\n", w->out);
    for (int32_t k = 0; k < fmu_layout_count(&w->layout) && status == ZW_OK; k++) {
        int32_t which = 0;
        fmu_kind kind = fmu_layout_kind(&w->layout, (uint32_t)k, &which);
        (void)fputs(w->r->version == 2 ? "    <ScalarVariable" : "    <Float64", w->out);
        status = put_attributes(w, kind, which);
        if (w->r->version == 2) (void)fputs(">\n      <Real", w->out);
        if (status == ZW_OK) status = put_type(w, kind, which);
        (void)fputs(w->r->version == 2 ? "/>\n    </ScalarVariable>\n" : "/>\n", w->out);
    }
    (void)fputs("  </ModelVariables>\n", w->out);
    return status;
}

/* -------------------------------------------------------------------- structure */

/* One unknown; a coordinate's rate is the velocity and nothing else, the rest may depend on all. */
static void put_unknown(writer *w, const char *element, fmu_kind kind, int32_t which, bool of_state)
{
    unsigned number = find_number(w, kind, which);
    (void)fprintf(w->out, "%s<%s %s=\"%u\"", w->r->version == 2 ? "      " : "    ", element,
                  w->r->version == 2 ? "index" : "valueReference", number);
    if (of_state && kind == FMU_VELOCITY)
        (void)fprintf(w->out, " dependencies=\"%u\" dependenciesKind=\"constant\"", number);
    (void)fputs("/>\n", w->out);
}

static int32_t count_kind(const writer *w, fmu_kind kind)
{
    return kind == FMU_OUTPUT ? w->layout.outputs : w->layout.n;
}

/* All of some kinds, in a frame where 2.0 has one. */
static void put_unknowns(writer *w, const char *frame, const char *element, const fmu_kind *list,
                         int count)
{
    int32_t all = 0;
    for (int k = 0; k < count; k++) all += count_kind(w, list[k]);
    if (all == 0) return;
    if (w->r->version == 2) (void)fprintf(w->out, "    <%s>\n", frame);
    for (int k = 0; k < count; k++)
        for (int32_t i = 0; i < count_kind(w, list[k]); i++)
            put_unknown(w, w->r->version == 2 ? "Unknown" : element, list[k], i,
                        strcmp(frame, "Derivatives") == 0);
    if (w->r->version == 2) (void)fprintf(w->out, "    </%s>\n", frame);
}

static void put_structure(writer *w)
{
    static const fmu_kind outputs[] = {FMU_OUTPUT}, rates[] = {FMU_VELOCITY, FMU_ACCELERATION},
                          unknowns[] = {FMU_COORDINATE, FMU_VELOCITY, FMU_ACCELERATION, FMU_OUTPUT};
    (void)fputs("  <ModelStructure>\n", w->out);
    put_unknowns(w, "Outputs", "Output", outputs, 1);
    put_unknowns(w, "Derivatives", "ContinuousStateDerivative", rates, 2);
    put_unknowns(w, "InitialUnknowns", "InitialUnknown", unknowns, 4);
    (void)fputs("  </ModelStructure>\n", w->out);
}

/* ------------------------------------------------------------------------- head */

static void put_abilities(writer *w)
{
    bool two = w->r->version == 2, derives = w->layout.outputs == 0;
    const char *state = two ? "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
                            : "canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"";
    const char *derivatives = !derives ? ""
                              : two    ? " providesDirectionalDerivative=\"true\""
                                       : " providesDirectionalDerivatives=\"true\"";
    if (fmu_is_smooth(w->model))
        (void)fprintf(w->out, "  <ModelExchange modelIdentifier=\"%s\" %s %s%s/>\n", w->r->name,
                      two ? "completedIntegratorStepNotNeeded=\"false\""
                          : "needsCompletedIntegratorStep=\"true\"",
                      state, derivatives);
    (void)fprintf(w->out,
                  "  <CoSimulation modelIdentifier=\"%s\" "
                  "canHandleVariableCommunicationStepSize=\"true\" %s%s%s/>\n",
                  w->r->name, state, derivatives, two ? "" : " hasEventMode=\"true\"");
    (void)fputs("  <LogCategories>\n"
                "    <Category name=\"logStatusError\" description=\"why a call failed\"/>\n"
                "    <Category name=\"logStatusWarning\" description=\"what one should know\"/>\n"
                "  </LogCategories>\n",
                w->out);
}

static zw_status put_experiment(writer *w)
{
    zw_run_settings s;
    zw_status status = zw_run_defaults(w->model, &s);
    if (status != ZW_OK) return status;
    (void)fputs("  <DefaultExperiment", w->out);
    if (isfinite(s.from)) put_number(w->out, "startTime", s.from);
    if (isfinite(s.until)) put_number(w->out, "stopTime", s.until);
    if (isfinite(s.tol) && s.tol > 0.0) put_number(w->out, "tolerance", s.tol);
    if (isfinite(s.every)) put_number(w->out, "stepSize", s.every);
    (void)fputs("/>\n", w->out);
    return ZW_OK;
}

static zw_status put_all(writer *w)
{
    bool two = w->r->version == 2;
    (void)fprintf(w->out,
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription "
                  "fmiVersion=\"%s\" modelName=\"%s\" %s=\"%s\" generationTool=\"Zwang %s\" "
                  "variableNamingConvention=\"flat\"%s>\n",
                  two ? "2.0" : "3.0", w->r->name, two ? "guid" : "instantiationToken",
                  w->facts->token, zw_version(), two ? " numberOfEventIndicators=\"0\"" : "");
    put_abilities(w);
    zw_status status = put_experiment(w);
    if (status == ZW_OK) status = put_variables(w);
    put_structure(w);
    (void)fputs("</fmiModelDescription>\n", w->out);
    return status;
}

zw_status fmu_describe(const fmu_request *r, const model_job *job, const fmu_facts *facts,
                       FILE *out)
{
    writer w = {.r = r, .facts = facts, .model = job->model, .out = out};
    size_t n = (size_t)zw_model_coordinate_count(job->model);
    zw_status status = zw_columns_create(job->model, NULL, &w.columns);
    w.q = malloc((2 * n + 1) * sizeof *w.q);
    if (status == ZW_OK && !w.q) status = ZW_ERR_MEMORY;
    if (status == ZW_OK) status = zw_sim_state(r->sim, NULL, w.q, w.q + n);
    if (status == ZW_OK) {
        fmu_layout_find(&w.layout, job->model, w.columns);
        status = put_all(&w);
    }
    zw_columns_free(w.columns);
    free(w.q);
    return status;
}
