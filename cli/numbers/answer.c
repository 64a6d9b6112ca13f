/*
 * The answer to a problem: its memory, and its JSON text field by field.
 */
#include "answer.h"

#include <math.h>
#include <stdlib.h>

#include "row_names.h"

/* One block for the eight vectors; the basis, which is the largest, only where it is asked for. */
bool answer_create(const problem *p, answer *a)
{
    size_t n = (size_t)p->n, m = (size_t)p->m;
    *a = (answer){0};
    a->numbers = calloc(5 * n + 3 * m, sizeof(double));
    a->flags = calloc(2 * m + 1, sizeof *a->flags);
    if (p->basis && n <= SIZE_MAX / n) a->basis = calloc(n * n, sizeof(double));
    if (!a->numbers || !a->flags || (p->basis && !a->basis)) return false;

    double *next = a->numbers;
    a->values.acceleration = next, next += n;
    a->values.free_acceleration = next, next += n;
    a->values.force = next, next += n;
    a->values.force_ideal = next, next += n;
    a->values.force_nonideal = next, next += n;
    a->values.multipliers = next, next += m;
    a->values.residual = next, next += m;
    a->values.shares = next;
    a->values.active = a->flags;
    a->values.unique = a->flags + m;
    return true;
}

void answer_clear(answer *a)
{
    zw_diagnosis_free(a->diagnosis);
    free(a->basis);
    free(a->flags);
    free(a->numbers);
    *a = (answer){0};
}

/* Without inertia in some direction the Gaussian does not exist and is not looked at. */
bool answer_is_finite(const problem *p, const answer *a)
{
    const zw_gauss_answer *v = &a->values;
    size_t count = 5 * (size_t)p->n + 3 * (size_t)p->m;
    size_t basis_count = a->basis ? (size_t)a->basis_count * (size_t)p->n : 0;
    bool finite = isfinite(v->inconsistency_norm) && isfinite(v->certificate) &&
                  (v->mass_singular || isfinite(v->gaussian));
    for (size_t k = 0; k < count; k++) finite = finite && isfinite(a->numbers[k]);
    for (size_t k = 0; k < basis_count; k++) finite = finite && isfinite(a->basis[k]);
    return finite;
}

/* ------------------------------------------------------------------------ diagnosis */

static bool is_dependent_set(const zw_dependent_set *set)
{
    return !set->nearly;
}
static bool is_conflict_set(const zw_dependent_set *set)
{
    return set->conflict && !set->nearly;
}
static bool is_nearly_dependent_set(const zw_dependent_set *set)
{
    return set->nearly;
}

/* Rows and coefficients of one set; with_size: then the size of the conflict, else how far its last
 * row is from the span of the others. */
static void write_dependent_set(FILE *out, const problem *p, const zw_dependent_set *set,
                                bool with_size)
{
    fputs("{\"rows\": [", out);
    for (int32_t k = 0; k < set->count; k++) {
        if (k > 0) fputs(", ", out);
        write_row_name(out, p, set->rows[k]);
    }
    fputs("], \"coefficients\": ", out);
    layout_vector(out, set->coefficients, set->count);
    fputs(with_size ? ", \"size\": " : ", \"distance\": ", out);
    layout_number(out, with_size ? set->size : set->distance);
    fputs(", \"mismatch\": ", out);
    layout_number(out, set->mismatch);
    fputc('}', out);
}

/* Whether a set of dependent rows is of a kind. */
typedef bool set_kind(const zw_dependent_set *set);

/* The sets of one kind, one a line. */
static void write_sets_field(layout *l, const char *name, const problem *p, const zw_diagnosis *d,
                             set_kind *belongs)
{
    bool none = true;
    layout_key(l, name);
    fputc('[', l->out);
    for (int32_t k = 0; k < d->set_count + d->nearly_count; k++) {
        if (!belongs(&d->sets[k])) continue;
        if (!none) fputc(',', l->out);
        none = false;
        layout_new_line(l, 4);
        write_dependent_set(l->out, p, &d->sets[k], belongs == is_conflict_set);
    }
    if (!none) layout_new_line(l, 2);
    fputc(']', l->out);
}

/* An object inside the answer, indented by two more. */
static void write_diagnosis_field(layout *l, const problem *p, const answer *a)
{
    const zw_diagnosis *d = a->diagnosis;
    layout_key(l, "diagnosis");
    l->indent += 2;
    layout_open(l);
    layout_bool_field(l, "consistent", a->values.consistent);
    write_sets_field(l, "dependent_sets", p, d, is_dependent_set);
    write_sets_field(l, "conflicts", p, d, is_conflict_set);
    write_sets_field(l, "nearly_dependent", p, d, is_nearly_dependent_set);
    write_row_list(l, "unique_multipliers", p, 0, d->unique_multiplier);
    layout_number_field(l, "certificate", a->values.certificate);
    layout_number_field(l, "refinements", a->values.refinements);
    layout_close(l);
    l->indent -= 2;
}

/* ----------------------------------------------------------------------- the answer */

/* The pivots on both sides of the decision about the rank, on one line. */
static void write_rank_gap_field(layout *l, const zw_gauss_rank_info *rank)
{
    layout_key(l, "rank_gap");
    fputs("{\"accepted\": ", l->out);
    layout_number(l->out, rank->accepted);
    fputs(", \"rejected\": ", l->out);
    layout_number(l->out, rank->rejected);
    fputs(", \"tolerance\": ", l->out);
    layout_number(l->out, rank->tolerance);
    fprintf(l->out, ", \"ambiguous\": %s}", rank->ambiguous ? "true" : "false");
}

/* How far the answer is from what determines it, on one line. */
static void write_certificate_field(layout *l, const zw_gauss_conditions *c)
{
    const struct {
        const char *name;
        double x;
    } all[] = {{"stationarity", c->stationarity},
               {"primal", c->primal},
               {"dual", c->dual},
               {"complementarity", c->complementarity},
               {"conflict", c->conflict}};
    layout_key(l, "certificate");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        fprintf(l->out, "%s\"%s\": ", k == 0 ? "{" : ", ", all[k].name);
        layout_number(l->out, all[k].x);
    }
    fputc('}', l->out);
}

/* What an answer with inequalities has besides. */
static void write_inequality_fields(layout *l, const problem *p, const answer *a)
{
    const zw_gauss_answer *v = &a->values;
    int32_t first = p->m - p->inequalities;
    write_row_list(l, "active", p, first, v->active);
    layout_vector_field(l, "gap_acceleration", v->residual + first, p->inequalities);
    layout_vector_field(l, "shares", v->shares + first, p->inequalities);
    write_row_list(l, "shares_unique", p, first, v->unique);
    write_sets_field(l, "conflicts", p, a->diagnosis, is_conflict_set);
    write_certificate_field(l, &v->conditions);
}

/* What does not exist where M is singular is null. */
void answer_write_fields(layout *l, const problem *p, const answer *a)
{
    const zw_gauss_answer *v = &a->values;
    layout_vector_field(l, "acceleration", v->acceleration, p->n);
    if (v->mass_singular)
        layout_null_field(l, "free_acceleration");
    else
        layout_vector_field(l, "free_acceleration", v->free_acceleration, p->n);
    layout_vector_field(l, "force", v->force, p->n);
    layout_vector_field(l, "force_ideal", v->force_ideal, p->n);
    layout_vector_field(l, "force_nonideal", v->force_nonideal, p->n);
    layout_vector_field(l, "multipliers", v->multipliers, p->m);
    layout_number_field(l, "rank", v->rank);
    write_rank_gap_field(l, &a->rank);
    if (v->mass_singular)
        layout_null_field(l, "gaussian");
    else
        layout_number_field(l, "gaussian", v->gaussian);
    layout_vector_field(l, "residual", v->residual, p->m);
    layout_number_field(l, "inconsistency", v->inconsistency_norm);
    if (p->inequalities > 0) write_inequality_fields(l, p, a);
    if (a->basis) layout_matrix_field(l, "virtual_displacements", a->basis, a->basis_count, p->n);
    layout_key(l, "form");
    fprintf(l->out, "\"%s\"", zw_form_name(p->form));
    write_diagnosis_field(l, p, a);
}

void answer_write(FILE *out, const problem *p, const answer *a, int indent)
{
    layout l = {.out = out, .indent = indent};
    layout_open(&l);
    answer_write_fields(&l, p, a);
    layout_close(&l);
}
