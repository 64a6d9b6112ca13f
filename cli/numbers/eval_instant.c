/*
 * One instant of a model as matrices and as JSON. The equations are a problem like those of `solve`
 * (M, Q, A, b, C, W and the names of the rows), so the answer comes from the same code. All numbers
 * lie in one block, all names in another.
 */
#include "eval_instant.h"

#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------- memory */

/* Always false. */
static bool refuse_instant_memory(const char *file, message_log *log)
{
    message_report(
        log, MSG_MEMORY, &(zw_diagnostic){.file = file},
        "there is not enough memory for the matrices of this model, which are dense here");
    return false;
}

/* Always false. */
static bool refuse_instant_size(const instant *at, const char *file, message_log *log)
{
    zw_diagnostic d = {.file = file, .help = "make the model smaller, for example with --set"};
    message_report(log, MSG_LARGE, &d,
                   "the system is too large for the dense solver: %d coordinates and %d rows",
                   (int)at->p.n, (int)at->p.m);
    return false;
}

/* Hands out the next `count` numbers of a block. */
static double *cut_numbers(double **next, size_t count)
{
    double *part = *next;
    *next += count;
    return part;
}

/* One block for all arrays. Matrices of more than a third of the machine's memory are refused
 * before it is asked for. */
static bool create_numbers(instant *at, const char *file, message_log *log)
{
    size_t n = (size_t)at->p.n, m = (size_t)at->p.m;
    /* sizes are below 2^31, so that their products cannot overflow 64 bits one by one */
    double bytes = 8.0 * ((double)n * (double)n + (double)m * (double)(n + m));
    double limit = log->budget > 0 ? (double)log->budget / 3 : (double)(SIZE_MAX / 4);
    if (bytes > limit) return refuse_instant_size(at, file, log);
    at->numbers = calloc(n * n + m * n + m * m + 4 * n + 3 * m, sizeof(double));
    at->contacts = calloc((size_t)zw_model_contact_count(at->model) + 1, sizeof *at->contacts);
    if (!at->numbers || !at->contacts) return refuse_instant_memory(file, log);
    double *next = at->numbers;
    at->p.M = cut_numbers(&next, n * n);
    at->p.A = cut_numbers(&next, m * n);
    at->W = cut_numbers(&next, m * m);
    at->q = cut_numbers(&next, n);
    at->v = cut_numbers(&next, n);
    at->p.Q = cut_numbers(&next, n);
    at->C = cut_numbers(&next, n);
    at->p.b = cut_numbers(&next, m);
    at->value = cut_numbers(&next, m);
    at->rate = cut_numbers(&next, m);
    return true;
}

/* Writes the name of number i to buffer [size]; returns its length. */
typedef size_t name_fn(const zw_model *model, int32_t i, char *buffer, size_t size);

/* Bytes of all names with their NULs. */
static size_t measure_model_names(const zw_model *model, name_fn *name, int32_t count)
{
    size_t size = 0;
    for (int32_t i = 0; i < count; i++) size += name(model, i, NULL, 0) + 1;
    return size;
}

/* Writes all names from `next` on, lists them, and returns what is behind the last. */
static char *write_model_names(const zw_model *model, name_fn *name, int32_t count, char *next,
                               const char **list)
{
    for (int32_t i = 0; i < count; i++) {
        size_t size = name(model, i, NULL, 0) + 1;
        next[0] = '\0';
        (void)name(model, i, next, size);
        list[i] = next;
        next += size;
    }
    return next;
}

/* One block for the names of coordinates and rows, and a list of each. */
static bool create_names(instant *at, const char *file, message_log *log)
{
    const zw_model *model = at->model;
    int32_t n = at->p.n, m = at->p.m;
    size_t size = measure_model_names(model, zw_model_coordinate_name, n) +
                  measure_model_names(model, zw_model_row_name, m);
    at->coordinates = calloc((size_t)n + 1, sizeof *at->coordinates);
    at->p.names = calloc((size_t)m + 1, sizeof *at->p.names);
    at->names = malloc(size + 1);
    if (!at->coordinates || !at->p.names || !at->names) return refuse_instant_memory(file, log);
    char *next = write_model_names(model, zw_model_coordinate_name, n, at->names, at->coordinates);
    (void)write_model_names(model, zw_model_row_name, m, next, at->p.names);
    return true;
}

bool instant_create(const zw_model *model, const char *file, message_log *log, instant *at)
{
    *at = (instant){.model = model,
                    .p = {.n = zw_model_coordinate_count(model),
                          .m = zw_model_row_count(model),
                          .mass = ZW_FULL,
                          .weight = ZW_IDENTITY,
                          .form = ZW_FORM_GAUSS}};
    return create_numbers(at, file, log) && create_names(at, file, log);
}

void instant_clear(instant *at)
{
    free(at->p.names);
    free(at->coordinates);
    free(at->names);
    free(at->numbers);
    free(at->contacts);
    *at = (instant){0};
}

/* --------------------------------------------------------------------- numbers */

/* W where the model has no weights. */
static void set_identity(instant *at)
{
    size_t m = (size_t)at->p.m;
    for (size_t k = 0; k < m * m; k++) at->W[k] = 0;
    for (size_t i = 0; i < m; i++) at->W[i * m + i] = 1;
}

/* What the model does not have, C or W, is zeros or the identity to read, and NULL to the
 * solver. */
zw_status instant_take(instant *at, zw_sim *sim)
{
    problem *p = &at->p;
    zw_instant numbers = {.M = p->M,
                          .Q = p->Q,
                          .C = at->C,
                          .A = p->A,
                          .b = p->b,
                          .W = at->W,
                          .value = at->value,
                          .rate = at->rate};
    zw_status status = zw_sim_state(sim, &at->t, at->q, at->v);
    if (status == ZW_OK) status = zw_sim_instant(sim, &numbers);
    for (int32_t i = 0; status == ZW_OK && i < zw_model_contact_count(at->model); i++)
        status = zw_sim_contact(sim, i, &at->contacts[i]);
    if (status != ZW_OK) return status;
    if (!numbers.has_W) set_identity(at);
    for (int32_t k = 0; !numbers.has_C && k < p->n; k++) at->C[k] = 0;
    p->C = numbers.has_C ? at->C : NULL;
    p->W = numbers.has_W ? at->W : NULL;
    p->weight = numbers.has_W ? ZW_FULL : ZW_IDENTITY;
    return ZW_OK;
}

/* ------------------------------------------------------------------------ text */

/* "holonomic", ... of a row of the constraints. */
static const char *row_kind_word(const instant *at, int32_t row)
{
    static const char *const words[] = {
#define KIND_WORD(symbol, value, text) [value] = text,
        ZW_ROW_KIND_LIST(KIND_WORD)
#undef KIND_WORD
    };
    zw_row_kind kind = ZW_HOLONOMIC;
    (void)zw_model_row_kind(at->model, row, &kind);
    return words[kind];
}

/* One word where all rows are of a kind, else a list. */
static void write_constraint_kind(FILE *out, const instant *at, const zw_constraint_info *info)
{
    int32_t first = info->first_row, end = first + info->row_count, same = first;
    while (same < end && row_kind_word(at, same) == row_kind_word(at, first)) same++;
    if (same == end && same > first) {
        fprintf(out, "\"%s\"", row_kind_word(at, first));
        return;
    }
    fputc('[', out);
    for (int32_t row = first; row < end; row++)
        fprintf(out, "%s\"%s\"", row > first ? ", " : "", row_kind_word(at, row));
    fputc(']', out);
}

/* A vector constraint, even of one row: its rows are named roll[1], ..., not roll. */
static bool is_vector_constraint(const instant *at, int32_t i, const zw_constraint_info *info)
{
    return info->row_count > 0 && zw_model_row_name(at->model, info->first_row, NULL, 0) !=
                                      zw_model_constraint_name(at->model, i, NULL, 0);
}

/* A number for a scalar constraint, null if it was dropped; a list for a vector. */
static void write_row_values(FILE *out, const char *name, const double *x,
                             const zw_constraint_info *info, bool vector)
{
    fprintf(out, ", \"%s\": ", name);
    if (vector)
        layout_vector(out, x + info->first_row, info->row_count);
    else
        layout_number(out, info->row_count > 0 ? x[info->first_row] : (double)NAN);
}

/* {"name": and the name of number i. Without memory for a long one it is cut. */
static void open_named_object(FILE *out, const zw_model *model, name_fn *name, int32_t i)
{
    char brief[200];
    size_t length = name(model, i, brief, sizeof brief);
    char *whole = length < sizeof brief ? NULL : malloc(length + 1);
    if (whole) (void)name(model, i, whole, length + 1);
    fputs("{\"name\": ", out);
    layout_string(out, whole ? whole : brief);
    free(whole);
}

/* Constraint i on one line. */
static void write_constraint_object(FILE *out, const instant *at, int32_t i)
{
    zw_constraint_info info = {0};
    (void)zw_model_constraint(at->model, i, &info);
    open_named_object(out, at->model, zw_model_constraint_name, i);
    fputs(", \"kind\": ", out);
    write_constraint_kind(out, at, &info);
    fprintf(out, ", \"time_dependent\": %s", info.time_dependent ? "true" : "false");
    fprintf(out, ", \"rows\": [%d, %d]", (int)info.first_row, (int)info.row_count);
    write_row_values(out, "value", at->value, &info, is_vector_constraint(at, i, &info));
    write_row_values(out, "rate", at->rate, &info, is_vector_constraint(at, i, &info));
    fputc('}', out);
}

/* A list, one constraint a line. */
static void write_constraints_field(layout *l, const instant *at)
{
    int32_t count = zw_model_constraint_count(at->model);
    layout_key(l, "constraints");
    fputc('[', l->out);
    for (int32_t i = 0; i < count; i++) {
        if (i > 0) fputc(',', l->out);
        layout_new_line(l, 4);
        write_constraint_object(l->out, at, i);
    }
    if (count > 0) layout_new_line(l, 2);
    fputc(']', l->out);
}

/* What each contact does, one a line. */
static void write_contacts_field(layout *l, const instant *at)
{
    static const char *const words[] = {
        [ZW_OPEN] = "open", [ZW_TOUCHES] = "touches", [ZW_STICKS] = "sticks"};
    int32_t count = zw_model_contact_count(at->model);
    layout_key(l, "contacts");
    fputc('[', l->out);
    for (int32_t i = 0; i < count; i++) {
        if (i > 0) fputc(',', l->out);
        layout_new_line(l, 4);
        open_named_object(l->out, at->model, zw_model_contact_name, i);
        fprintf(l->out, ", \"state\": \"%s\"}", words[at->contacts[i].state]);
    }
    if (count > 0) layout_new_line(l, 2);
    fputc(']', l->out);
}

/* The state, what `solve` writes, then the equations it came from. */
void instant_write(FILE *out, const instant *at, const answer *a)
{
    int32_t n = at->p.n, m = at->p.m;
    layout l = {.out = out};
    layout_open(&l);
    layout_number_field(&l, "t", at->t);
    layout_strings_field(&l, "coordinates", at->coordinates, n);
    layout_vector_field(&l, "q", at->q, n);
    layout_vector_field(&l, "v", at->v, n);
    answer_write_fields(&l, &at->p, a);
    layout_matrix_field(&l, "M", at->p.M, n, n);
    layout_vector_field(&l, "Q", at->p.Q, n);
    layout_vector_field(&l, "C", at->C, n);
    layout_matrix_field(&l, "A", at->p.A, m, n);
    layout_vector_field(&l, "b", at->p.b, m);
    layout_matrix_field(&l, "W", at->W, m, m);
    write_constraints_field(&l, at);
    if (zw_model_contact_count(at->model) > 0) write_contacts_field(&l, at);
    layout_close(&l);
    fputc('\n', out);
}
