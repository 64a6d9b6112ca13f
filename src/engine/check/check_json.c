/*
 * The report of `zwang check` as one JSON object (CLI): title, coordinates, inputs, data, n, m, rank, dof,
 * constraints, redundant, redundant_unlisted, reactions, conflicts, start, remarks. What is not
 * known is null.
 */
#include <math.h>

#include "check.h"
#include "columns.h"

enum { most_values = 1000 }; /* of a list that could be as long as a large model */

/* The next member of the report's object. */
static void begin_member(zr_check *c, const char *name)
{
    zb_text_printf(&c->text, ",\n  \"%s\": ", name);
}

/* Appends the name of thing i; order: of a coordinate, how often it is differentiated. */
typedef void name_fn(const zw_model *model, int32_t i, int order, zb_text *text);

/* A row of A, or ~start equation as it was written. */
static void name_row(const zw_model *model, int32_t i, int order, zb_text *text)
{
    (void)order;
    if (i >= 0)
        zm_row_text(model->zm, i, text);
    else
        zr_text_equation(model, ~i, text);
}

static void name_constraint(const zw_model *model, int32_t i, int order, zb_text *text)
{
    (void)order;
    zm_label_text(model->zm, &model->zm->constraints[i].label, text);
}

/* A name made by a function, as a JSON string. */
static void write_made_name(zr_check *c, name_fn name, int32_t i, int order)
{
    zb_text_clear(&c->line);
    name(c->sim->model, i, order, &c->line);
    if (c->line.failure != ZW_OK) c->text.failure = c->line.failure;
    zb_text_json_bytes(&c->text, zb_text_string(&c->line), c->line.length);
}

static void write_truth(zr_check *c, bool value)
{
    zb_text_add(&c->text, value ? "true" : "false");
}

/* ------------------------------------------------------------------- constraints */

/* One word when all rows of a constraint are of one kind, else a list of them. */
static void write_row_kinds(zr_check *c, const zm_constraint *k)
{
    const zm_row_kind *kind = c->sim->row_kind + k->first_row;
    bool differ = false;
    for (int32_t i = 1; i < k->row_count; i++) differ = differ || kind[i] != kind[0];
    if (k->row_count > 0 && !differ) {
        zb_text_json_string(&c->text, zm_row_kind_name(kind[0]));
        return;
    }
    zb_text_char(&c->text, '[');
    for (int32_t i = 0; i < k->row_count; i++) {
        if (i > 0) zb_text_add(&c->text, ", ");
        zb_text_json_string(&c->text, zm_row_kind_name(kind[i]));
    }
    zb_text_char(&c->text, ']');
}

/* phi, or its rate (shift m): a number, or a list for a vector constraint. */
static void write_row_levels(zr_check *c, const zm_constraint *k, int32_t shift)
{
    const zw_sim *sim = c->sim;
    if (k->vector) zb_text_char(&c->text, '[');
    for (int32_t i = 0; i < k->row_count; i++) {
        int32_t row = k->first_row + i;
        bool none = !c->evaluated || sim->row_kind[row] == ZM_ACCELERATION;
        if (i > 0) zb_text_add(&c->text, ", ");
        zb_text_json_double(&c->text, none ? (double)NAN : sim->level[shift + row]);
    }
    if (k->row_count == 0 && !k->vector) zb_text_add(&c->text, "null");
    if (k->vector) zb_text_char(&c->text, ']');
}

/* Name, kind, rows, and the values at the start. */
static void write_checked_constraint(zr_check *c, int32_t i, bool first)
{
    const zm_model *zm = c->sim->zm;
    const zm_constraint *k = &zm->constraints[i];
    bool time = false;
    for (int32_t r = 0; r < k->row_count; r++)
        time = time || zm_row_time_dependent(zm, k->first_row + r);
    zb_text_add(&c->text, first ? "\n    {\"name\": " : ",\n    {\"name\": ");
    write_made_name(c, name_constraint, i, 0);
    zb_text_add(&c->text, ", \"kind\": ");
    write_row_kinds(c, k);
    zb_text_add(&c->text, ", \"time_dependent\": ");
    write_truth(c, time);
    zb_text_add(&c->text, ", \"control\": ");
    write_truth(c, k->control);
    zb_text_printf(&c->text, ", \"rows\": [%d, %d], \"value\": ", (int)k->first_row,
                   (int)k->row_count);
    write_row_levels(c, k, 0);
    zb_text_add(&c->text, ", \"rate\": ");
    write_row_levels(c, k, zm->m);
    zb_text_char(&c->text, '}');
    zr_check_flush(c, false);
}

/* ---------------------------------------------------------------------- findings */

/* The rows that depend on each other, with their coefficients. */
static void write_finding_rows(zr_check *c, const zr_finding *f)
{
    zb_text_add(&c->text, "\"rows\": [");
    for (int32_t k = 0; k < f->count; k++) {
        zb_text_add(&c->text, k > 0 ? ", {\"name\": " : "{\"name\": ");
        write_made_name(c, name_row, f->rows[k], 0);
        zb_text_add(&c->text, ", \"coefficient\": ");
        zb_text_json_double(&c->text, f->coefficients[k]);
        zb_text_char(&c->text, '}');
    }
    zb_text_char(&c->text, ']');
}

/* Rows that follow from others, as found in c->redundant. */
static void write_redundant_rows(zr_check *c)
{
    for (int32_t k = 0; k < c->redundant.count; k++) {
        const zr_finding *f = &c->redundant.list[k];
        zb_text_add(&c->text, k > 0 ? ",\n    {\"name\": " : "\n    {\"name\": ");
        write_made_name(c, name_row, f->row, 0);
        zb_text_add(&c->text, ", ");
        write_finding_rows(c, f);
        zb_text_char(&c->text, '}');
    }
}

static void name_output(const zw_model *model, int32_t i, int order, zb_text *text)
{
    (void)order;
    zr_text_output(model, i, text);
}

/* Names of those i < count of `which` that are unique, or are not; at most `most_values`. */
static void write_unique_names(zr_check *c, const bool *which, bool unique, int32_t count,
                               name_fn name)
{
    int32_t said = 0;
    zb_text_char(&c->text, '[');
    for (int32_t i = 0; i < count && said < most_values; i++) {
        bool wanted = which[i] == unique;
        if (name == name_row && c->sim->contacts) wanted = wanted && c->sim->zm->mask[i] < 0;
        if (name == name_output) wanted = wanted && zr_output_solved(c->sim->model, i);
        if (!wanted) continue;
        if (said++ > 0) zb_text_add(&c->text, ", ");
        write_made_name(c, name, i, 0);
    }
    zb_text_char(&c->text, ']');
}

/* Which multipliers, and which outputs that use reactions, redundancy leaves open. */
static void write_open_reactions(zr_check *c)
{
    int32_t m = c->sim->zm->m, outputs = zr_output_elements(c->sim->model);
    begin_member(c, "reactions");
    zb_text_add(&c->text, "{\"all_unique\": ");
    write_truth(c, c->unique == NULL);
    for (int unique = 1; c->unique && unique >= 0; unique--) {
        zb_text_add(&c->text, unique ? ", \"unique\": " : ", \"not_unique\": ");
        write_unique_names(c, c->unique, unique, m, name_row);
    }
    for (int unique = 1; c->unique_output && unique >= 0; unique--) {
        zb_text_add(&c->text, unique ? ", \"unique_outputs\": " : ", \"not_unique_outputs\": ");
        write_unique_names(c, c->unique_output, unique, outputs, name_output);
    }
    zb_text_char(&c->text, '}');
}

/* Rows that contradict each other, of all levels. */
static void write_conflict_list(zr_check *c)
{
    static const char *const names[] = {"position", "velocity", "acceleration"};
    for (int32_t k = 0; k < c->sim->start.conflicts.count; k++) {
        const zr_finding *f = &c->sim->start.conflicts.list[k];
        zb_text_printf(&c->text, "%s\n    {\"level\": \"%s\", \"name\": ", k > 0 ? "," : "",
                       names[f->level]);
        write_made_name(c, name_row, f->row, 0);
        zb_text_add(&c->text, ", ");
        write_finding_rows(c, f);
        zb_text_add(&c->text, ", \"size\": ");
        zb_text_json_double(&c->text, f->size);
        zb_text_char(&c->text, '}');
    }
}

/* ------------------------------------------------------------------------- start */

/* Given and corrected values of (q, v); of a large model those that moved, at most
 * `most_values`. */
static void write_start_values(zr_check *c)
{
    const zw_sim *sim = c->sim;
    int32_t n = sim->zm->n, said = 0;
    for (int32_t i = 0; sim->start.done && i < 2 * n; i++) {
        double now = i < n ? sim->q[i] : sim->v[i - n];
        if (n > most_values && (now == sim->given[i] || said >= most_values)) continue;
        zb_text_add(&c->text, said > 0 ? ",\n      {\"name\": " : "\n      {\"name\": ");
        write_made_name(c, zr_text_coordinate, i < n ? i : i - n, i >= n);
        zb_text_add(&c->text, ", \"given\": ");
        zb_text_json_double(&c->text, sim->given[i]);
        zb_text_add(&c->text, ", \"corrected\": ");
        zb_text_json_double(&c->text, sim->start.complete ? now : (double)NAN);
        zb_text_char(&c->text, '}');
        said++;
    }
}

/* How the start went, and its values. */
static void write_start_object(zr_check *c)
{
    const zw_sim *sim = c->sim;
    begin_member(c, "start");
    zb_text_add(&c->text, "{\"satisfied\": ");
    write_truth(c, sim->start.satisfied);
    zb_text_add(&c->text, ", \"moved\": ");
    write_truth(c, sim->start.moved);
    zb_text_add(&c->text, ", \"time\": ");
    zb_text_json_double(&c->text, sim->t);
    zb_text_add(&c->text, ", \"values\": [");
    write_start_values(c);
    zb_text_add(&c->text, "]}");
}

/* Warnings and remarks of the whole check; errors are told as diagnostics only. */
static void write_remark_list(zr_check *c)
{
    const zb_diag_list *list = &c->sim->model->context->diagnostics;
    bool first = true;
    for (int32_t i = 0; i < zb_diag_count(list); i++) {
        const zw_diagnostic *d = zb_diag_get(list, i);
        if (d->severity == ZW_ERROR) continue;
        zb_text_add(&c->text, first ? "\n    {\"code\": " : ",\n    {\"code\": ");
        zb_text_json_string(&c->text, d->code);
        zb_text_add(&c->text, ", \"sentence\": ");
        zb_text_json_string(&c->text, d->sentence);
        zb_text_char(&c->text, '}');
        first = false;
    }
}

/* Name, numbers and how many they are of each input that nothing was given for. */
static void write_inputs(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    bool any = false;
    for (int32_t b = 0; b < zm->parameter_blocks; b++) {
        const zm_block *block = &zm->parameters[b];
        if (zr_block_size(block) == 0 || !zr_is_input(c->sim->model, block->first)) continue;
        if (!any) begin_member(c, "inputs");
        zb_text_add(&c->text, any ? ", {\"name\": " : "[{\"name\": ");
        any = true;
        zb_text_clear(&c->line);
        zm_label_text(zm, &block->label, &c->line);
        zb_text_json_bytes(&c->text, zb_text_string(&c->line), c->line.length);
        zb_text_printf(&c->text, ", \"size\": %d, \"value\": [", (int)zr_block_size(block));
        for (int32_t k = 0; k < zr_block_size(block); k++) {
            if (k > 0) zb_text_add(&c->text, ", ");
            zb_text_json_double(&c->text, c->sim->values[block->first + k]);
        }
        zb_text_add(&c->text, "]}");
    }
    if (any) zb_text_char(&c->text, ']');
}

/* Opens the object: title, coordinates, and the numbers n, m, rank, dof. */
static void write_model_sizes(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    zb_text_add(&c->text, "{\n  \"title\": ");
    zb_text_json_string(&c->text, zm->title);
    begin_member(c, "coordinates");
    zb_text_char(&c->text, '[');
    for (int32_t i = 0; i < zm->n; i++) {
        if (i > 0) zb_text_add(&c->text, ", ");
        write_made_name(c, zr_text_coordinate, i, 0);
        zr_check_flush(c, false);
    }
    zb_text_char(&c->text, ']');
    write_inputs(c);
    for (int32_t k = 0; k < zm->data_count; k++) {
        if (k == 0) begin_member(c, "data");
        zb_text_add(&c->text, k == 0 ? "[" : ", ");
        zm_data_json(zm, k, &c->text);
    }
    if (zm->data_count > 0) zb_text_char(&c->text, ']');
    zb_text_printf(&c->text, ",\n  \"n\": %d,\n  \"m\": %d", (int)zm->n, (int)c->rows);
    if (c->ranked)
        zb_text_printf(&c->text,
                       ",\n  \"rank\": %d,\n  \"rank_at_start\": %d,\n  \"rank_range\": [%d, %d],"
                       "\n  \"dof\": %d,\n  \"dof_range\": [%d, %d]",
                       (int)c->rank, (int)c->rank_at_start, (int)c->rank_least, (int)c->rank_most,
                       (int)(zm->n - c->rank), (int)(zm->n - c->rank_most),
                       (int)(zm->n - c->rank_least));
    else
        zb_text_add(&c->text, ",\n  \"rank\": null,\n  \"rank_at_start\": null,\n  "
                              "\"rank_range\": null,\n  \"dof\": null,\n  \"dof_range\": null");
}

/* The members in the order that CLI documents. */
void zr_check_json(zr_check *c)
{
    zb_text_init(&c->line, c->sim->memory);
    write_model_sizes(c);
    begin_member(c, "constraints");
    zb_text_char(&c->text, '[');
    bool first = true;
    for (int32_t i = 0; i < c->sim->zm->constraint_count; i++) {
        const zm_constraint *k = &c->sim->zm->constraints[i];
        if (k->inequality || k->tangent) continue;
        write_checked_constraint(c, i, first);
        first = false;
    }
    zb_text_char(&c->text, ']');
    begin_member(c, "redundant");
    zb_text_char(&c->text, '[');
    write_redundant_rows(c);
    zb_text_char(&c->text, ']');
    begin_member(c, "redundant_unlisted");
    zb_text_printf(&c->text, "%d", (int)c->unlisted);
    write_open_reactions(c);
    begin_member(c, "conflicts");
    zb_text_char(&c->text, '[');
    write_conflict_list(c);
    zb_text_char(&c->text, ']');
    zr_check_write_contacts(c);
    write_start_object(c);
    begin_member(c, "remarks");
    zb_text_char(&c->text, '[');
    write_remark_list(c);
    zb_text_add(&c->text, "]\n}\n");
    zb_text_free(&c->line);
}
