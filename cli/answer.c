/*
 * Answers as JSON: one key a line, vectors on that line, matrices a row a line.
 *
 * Numbers are written with the fewest of 15, 16 or 17 significant digits that read back as the
 * same double. The command never calls setlocale, so the decimal point is a point everywhere.
 */
#include "answer.h"

#include <math.h>
#include <stdlib.h>

#include <jansson.h>

bool answer_create(const problem *p, answer *a)
{
    size_t n = (size_t)p->n, m = (size_t)p->m;
    *a = (answer){0};
    a->numbers = calloc(5 * n + 2 * m, sizeof(double));
    if (p->basis && n <= SIZE_MAX / n) a->basis = calloc(n * n, sizeof(double));
    if (!a->numbers || (p->basis && !a->basis)) return false;

    double *next = a->numbers;
    a->values.acceleration = next, next += n;
    a->values.free_acceleration = next, next += n;
    a->values.force = next, next += n;
    a->values.force_ideal = next, next += n;
    a->values.force_nonideal = next, next += n;
    a->values.multipliers = next, next += m;
    a->values.residual = next;
    return true;
}

void answer_clear(answer *a)
{
    zw_diagnosis_free(a->diagnosis);
    free(a->basis);
    free(a->numbers);
    *a = (answer){0};
}

bool answer_is_finite(const problem *p, const answer *a)
{
    const zw_gauss_answer *v = &a->values;
    size_t count = 5 * (size_t)p->n + 2 * (size_t)p->m;
    size_t basis_count = a->basis ? (size_t)a->basis_count * (size_t)p->n : 0;
    bool finite = isfinite(v->inconsistency_norm) && isfinite(v->certificate) &&
                  (v->mass_singular || isfinite(v->gaussian));
    for (size_t k = 0; k < count; k++) finite = finite && isfinite(a->numbers[k]);
    for (size_t k = 0; k < basis_count; k++) finite = finite && isfinite(a->basis[k]);
    return finite;
}

/* ------------------------------------------------------------------- pieces of JSON */

typedef struct writer {
    FILE *out;
    const problem *p;
    int indent; /* spaces before the closing bracket of what is being written */
    bool first; /* no key has been written since the opening bracket */
} writer;

static void write_number(FILE *out, double x)
{
    char text[32];
    if (!isfinite(x)) { /* answer_is_finite has looked; a diagnosis might still */
        fputs("null", out);
        return;
    }
    if (x == 0) {
        fputs(signbit(x) ? "-0.0" : "0", out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) break;
    }
    fputs(text, out);
}

static void write_vector(FILE *out, const double *x, int32_t count)
{
    fputc('[', out);
    for (int32_t k = 0; k < count; k++) {
        if (k > 0) fputs(", ", out);
        write_number(out, x[k]);
    }
    fputc(']', out);
}

static void new_line(const writer *w, int deeper)
{
    fprintf(w->out, "\n%*s", w->indent + deeper, "");
}

static void open_object(writer *w)
{
    fputc('{', w->out);
    w->first = true;
}

static void close_object(writer *w)
{
    new_line(w, 0);
    fputc('}', w->out);
    w->first = false;
}

static void key(writer *w, const char *name)
{
    if (!w->first) fputc(',', w->out);
    w->first = false;
    new_line(w, 2);
    fprintf(w->out, "\"%s\": ", name);
}

static void number_field(writer *w, const char *name, double x)
{
    key(w, name);
    write_number(w->out, x);
}

static void null_field(writer *w, const char *name)
{
    key(w, name);
    fputs("null", w->out);
}

static void vector_field(writer *w, const char *name, const double *x, int32_t count)
{
    key(w, name);
    write_vector(w->out, x, count);
}

static void bool_field(writer *w, const char *name, bool x)
{
    key(w, name);
    fputs(x ? "true" : "false", w->out);
}

/* A row of A: its name when it has one, else its number from 0. */
static void write_row(const writer *w, int32_t row)
{
    if (!w->p->names) {
        fprintf(w->out, "%d", (int)row);
        return;
    }
    json_t *name = json_string(w->p->names[row]);
    (void)json_dumpf(name, w->out, JSON_ENCODE_ANY);
    json_decref(name);
}

/* ------------------------------------------------------------------------ diagnosis */

static bool is_any(const zw_dependent_set *set)
{
    return !set->nearly;
}
static bool is_conflict(const zw_dependent_set *set)
{
    return set->conflict && !set->nearly;
}
static bool is_nearly(const zw_dependent_set *set)
{
    return set->nearly;
}

static void write_set(const writer *w, const zw_dependent_set *set, bool with_size)
{
    fputs("{\"rows\": [", w->out);
    for (int32_t k = 0; k < set->count; k++) {
        if (k > 0) fputs(", ", w->out);
        write_row(w, set->rows[k]);
    }
    fputs("], \"coefficients\": ", w->out);
    write_vector(w->out, set->coefficients, set->count);
    fputs(with_size ? ", \"size\": " : ", \"distance\": ", w->out);
    write_number(w->out, with_size ? set->size : set->distance);
    fputs(", \"mismatch\": ", w->out);
    write_number(w->out, set->mismatch);
    fputc('}', w->out);
}

/* The sets of one kind, one a line. */
static void sets_field(writer *w, const char *name, const zw_diagnosis *d,
                       bool (*belongs)(const zw_dependent_set *))
{
    bool none = true;
    key(w, name);
    fputc('[', w->out);
    for (int32_t k = 0; k < d->set_count + d->nearly_count; k++) {
        if (!belongs(&d->sets[k])) continue;
        if (!none) fputc(',', w->out);
        none = false;
        new_line(w, 4);
        write_set(w, &d->sets[k], belongs == is_conflict);
    }
    if (!none) new_line(w, 2);
    fputc(']', w->out);
}

static void unique_field(writer *w, const zw_diagnosis *d)
{
    bool none = true;
    key(w, "unique_multipliers");
    fputc('[', w->out);
    for (int32_t i = 0; i < d->m; i++) {
        if (!d->unique_multiplier[i]) continue;
        if (!none) fputs(", ", w->out);
        none = false;
        write_row(w, i);
    }
    fputc(']', w->out);
}

static void diagnosis_field(writer *w, const answer *a)
{
    const zw_diagnosis *d = a->diagnosis;
    key(w, "diagnosis");
    w->indent += 2;
    open_object(w);
    bool_field(w, "consistent", a->values.consistent);
    sets_field(w, "dependent_sets", d, is_any);
    sets_field(w, "conflicts", d, is_conflict);
    sets_field(w, "nearly_dependent", d, is_nearly);
    unique_field(w, d);
    number_field(w, "certificate", a->values.certificate);
    number_field(w, "refinements", a->values.refinements);
    close_object(w);
    w->indent -= 2;
}

/* ----------------------------------------------------------------------- the answer */

static void rank_gap_field(writer *w, const zw_gauss_rank_info *rank)
{
    key(w, "rank_gap");
    fputs("{\"accepted\": ", w->out);
    write_number(w->out, rank->accepted);
    fputs(", \"rejected\": ", w->out);
    write_number(w->out, rank->rejected);
    fputs(", \"tolerance\": ", w->out);
    write_number(w->out, rank->tolerance);
    fprintf(w->out, ", \"ambiguous\": %s}", rank->ambiguous ? "true" : "false");
}

static void basis_field(writer *w, const answer *a)
{
    size_t n = (size_t)w->p->n;
    key(w, "virtual_displacements");
    fputc('[', w->out);
    for (int32_t k = 0; k < a->basis_count; k++) {
        if (k > 0) fputc(',', w->out);
        new_line(w, 4);
        write_vector(w->out, a->basis + (size_t)k * n, w->p->n);
    }
    if (a->basis_count > 0) new_line(w, 2);
    fputc(']', w->out);
}

void answer_write(FILE *out, const problem *p, const answer *a, int indent)
{
    const zw_gauss_answer *v = &a->values;
    writer w = {.out = out, .p = p, .indent = indent};
    open_object(&w);
    vector_field(&w, "acceleration", v->acceleration, p->n);
    if (v->mass_singular)
        null_field(&w, "free_acceleration");
    else
        vector_field(&w, "free_acceleration", v->free_acceleration, p->n);
    vector_field(&w, "force", v->force, p->n);
    vector_field(&w, "force_ideal", v->force_ideal, p->n);
    vector_field(&w, "force_nonideal", v->force_nonideal, p->n);
    vector_field(&w, "multipliers", v->multipliers, p->m);
    number_field(&w, "rank", v->rank);
    rank_gap_field(&w, &a->rank);
    if (v->mass_singular)
        null_field(&w, "gaussian");
    else
        number_field(&w, "gaussian", v->gaussian);
    vector_field(&w, "residual", v->residual, p->m);
    number_field(&w, "inconsistency", v->inconsistency_norm);
    if (a->basis) basis_field(&w, a);
    key(&w, "form");
    fprintf(out, "\"%s\"", zw_form_name(p->form));
    diagnosis_field(&w, a);
    close_object(&w);
}
