/*
 * A problem with friction: computed by the library, and written as JSON. There may be one motion,
 * none or several; all that were found are listed, and where there is not exactly one a warning
 * says so (Painleve's paradox).
 */
#include "friction_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"
#include "json_layout.h"
#include "row_names.h"

/* -------------------------------------------------------------------------- memory */

/* Two of each vector of a motion. */
static bool create_friction_answer(const problem *p, friction_answer *a)
{
    size_t n = (size_t)p->n, m = (size_t)p->m, tangents = 0;
    for (int32_t k = 0; k < p->friction_count; k++)
        tangents += (size_t)p->frictions[k].values.width;
    *a = (friction_answer){.tangents = (int32_t)tangents};
    a->numbers = calloc(2 * (n + m + tangents) + 1, sizeof *a->numbers);
    a->states = calloc((size_t)p->friction_count + 1, sizeof *a->states);
    a->flags = calloc(m + 1, sizeof *a->flags);
    if (!a->numbers || !a->states || !a->flags) return false;
    for (size_t k = 0; k < 2; k++) {
        a->values.acceleration[k] = a->numbers + k * (n + m + tangents);
        a->values.multipliers[k] = a->values.acceleration[k] + n;
        a->values.friction[k] = a->values.multipliers[k] + m;
    }
    a->values.state = a->states;
    a->values.unique = a->flags;
    return true;
}

void friction_answer_clear(friction_answer *a)
{
    free(a->numbers);
    free(a->states);
    free(a->flags);
    *a = (friction_answer){0};
}

/* ------------------------------------------------------------------------- computing */

static zw_status solve_with_friction(zw_gauss *g, const problem *p, friction_answer *a)
{
    zw_friction *frictions = calloc((size_t)p->friction_count + 1, sizeof *frictions);
    if (!frictions) return ZW_ERR_MEMORY;
    for (int32_t k = 0; k < p->friction_count; k++) frictions[k] = p->frictions[k].values;
    const zw_friction_problem given = {
        .Q = p->Q, .b = p->b, .C = p->C, .frictions = frictions, .count = p->friction_count};
    zw_status status = zw_gauss_check(g, p->M, p->A, p->W);
    if (status == ZW_OK) status = zw_gauss_factor(g, p->M, p->A, p->W);
    if (status == ZW_OK) status = zw_gauss_solve_friction(g, &given, &a->values);
    free(frictions);
    return status;
}

/* Not exactly one motion. */
static void warn_of_paradox(message_log *log, const problem_place *place, const problem *p,
                            const friction_answer *a)
{
    char where[PLACE_SIZE], name[ROW_NAME_SIZE] = "", sentence[300];
    const zw_friction_answer *v = &a->values;
    problem_prefix(place, where);
    zw_diagnostic d = {.file = place->file,
                       .where = where[0] ? where : NULL,
                       .help =
                           "rigid bodies with this friction have no unique motion here: a smaller "
                           "mu, another shape, or compliance"};
    if (v->row >= 0) (void)snprintf(sentence, sizeof sentence, " at %s", row_name(p, v->row, name));
    if (v->row < 0) sentence[0] = '\0';
    if (v->solutions == 0)
        message_report(log, MSG_PARADOX, &d,
                       "no motion is possible with this friction%s: pivot %.4g, free normal "
                       "acceleration %.4g",
                       sentence, v->pivot, v->free_acceleration);
    else
        message_report(log, MSG_PARADOX, &d, "two motions are possible with this friction%s",
                       sentence);
}

bool compute_friction(message_log *log, const problem_place *place, const problem *p,
                      friction_answer *a)
{
    zw_gauss_shape shape = {.n = p->n,
                            .m = p->m,
                            .inequalities = p->inequalities,
                            .mass = p->mass,
                            .weight = p->weight,
                            .rank_tolerance = p->rank_tolerance};
    zw_gauss *g = NULL;
    if (p->form != ZW_FORM_GAUSS) return compute_refuse(log, place, ZW_ERR_INEQUALITY, NULL);
    if (!create_friction_answer(p, a)) return compute_refuse(log, place, ZW_ERR_MEMORY, NULL);
    zw_status status = zw_gauss_plan(log->context, &shape, &g);
    if (status != ZW_OK) return compute_refuse(log, place, status, NULL);
    status = solve_with_friction(g, p, a);
    if (status != ZW_OK) (void)compute_refuse(log, place, status, g);
    zw_gauss_free(g);
    if (status == ZW_OK && a->values.solutions != 1) warn_of_paradox(log, place, p, a);
    return status == ZW_OK;
}

/* --------------------------------------------------------------------------- writing */

static const char *const state_words[] = {"open", "touches", "slides", "sticks"};

/* A z - b of the inequalities. */
static void write_gaps(FILE *out, const problem *p, const double *z)
{
    int32_t first = p->m - p->inequalities;
    fputc('[', out);
    for (int32_t i = first; i < p->m; i++) {
        double sum = -p->b[i];
        for (int32_t j = 0; j < p->n; j++) sum += p->A[(size_t)i * (size_t)p->n + (size_t)j] * z[j];
        if (i > first) fputs(", ", out);
        layout_number(out, sum);
    }
    fputc(']', out);
}

/* The forces of each friction, a list of its own. */
static void write_tangents(FILE *out, const problem *p, const double *tau)
{
    fputc('[', out);
    for (int32_t k = 0; k < p->friction_count; k++) {
        if (k > 0) fputs(", ", out);
        layout_vector(out, tau, p->frictions[k].values.width);
        tau += p->frictions[k].values.width;
    }
    fputc(']', out);
}

/* One motion, on a line. */
static void write_motion(FILE *out, const problem *p, const friction_answer *a, int k)
{
    const zw_friction_answer *v = &a->values;
    fputs("{\"acceleration\": ", out);
    layout_vector(out, v->acceleration[k], p->n);
    fputs(", \"multipliers\": ", out);
    layout_vector(out, v->multipliers[k], p->m);
    fputs(", \"gap_acceleration\": ", out);
    write_gaps(out, p, v->acceleration[k]);
    fputs(", \"friction\": ", out);
    write_tangents(out, p, v->friction[k]);
    fputc('}', out);
}

static void write_solutions_field(layout *l, const problem *p, const friction_answer *a)
{
    layout_key(l, "solutions");
    fputc('[', l->out);
    for (int k = 0; k < a->values.solutions; k++) {
        if (k > 0) fputc(',', l->out);
        layout_new_line(l, 4);
        write_motion(l->out, p, a, k);
    }
    if (a->values.solutions > 0) layout_new_line(l, 2);
    fputc(']', l->out);
}

/* Of the only motion: what it is, and what is unique. */
static void write_only_motion(layout *l, const problem *p, const friction_answer *a)
{
    const zw_friction_answer *v = &a->values;
    layout_vector_field(l, "acceleration", v->acceleration[0], p->n);
    layout_key(l, "contact");
    for (int32_t k = 0; k < p->friction_count; k++)
        fprintf(l->out, "%s\"%s\"", k == 0 ? "[" : ", ", state_words[v->state[k]]);
    fputs(p->friction_count == 0 ? "[]" : "]", l->out);
    write_row_list(l, "shares_unique", p, p->m - p->inequalities, v->unique);
}

void friction_answer_write(FILE *out, const problem *p, const friction_answer *a, int indent)
{
    layout l = {.out = out, .indent = indent};
    layout_open(&l);
    if (a->values.solutions == 1)
        write_only_motion(&l, p, a);
    else
        layout_null_field(&l, "acceleration");
    write_solutions_field(&l, p, a);
    layout_bool_field(&l, "certified", a->values.certified);
    layout_number_field(&l, "certificate", a->values.certificate);
    layout_close(&l);
}
