/*
 * The report of `zwang check` as text for people: what the model is, its constraints, redundancy,
 * conflicts, start, remarks. The words `redundant` and `conflict` stand there only when there is
 * one.
 */
#include <math.h>
#include <string.h>

#include "sim.h"

enum { most_constraints = 60, most_coordinates = 12, most_moves = 40, most_lines = 40 };

/* Pads what was written since `from` to a width, in characters. */
static void pad(zb_text *text, size_t from, int32_t width)
{
    if (text->failure != ZW_OK) return;
    int32_t used = zb_utf8_columns(zb_text_string(text), from, text->length);
    zb_text_repeat(text, ' ', used < width ? (size_t)(width - used) : 1);
}

static void line(zr_check *c, const char *name)
{
    size_t from = c->text.length;
    zb_text_add(&c->text, name);
    pad(&c->text, from, 20);
}

/* ---------------------------------------------------------------------- what it is */

static void write_sizes(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    zb_text *text = &c->text;
    line(c, "coordinates");
    zb_text_printf(text, "%d: ", (int)zm->n);
    for (int32_t i = 0; i < zm->n && i < most_coordinates; i++) {
        if (i > 0) zb_text_add(text, ", ");
        zm_coordinate_text(zm, i, text);
    }
    zb_text_add(text, zm->n > most_coordinates ? ", ...\n" : "\n");
    line(c, "constraint rows");
    zb_text_printf(text, "%d\n", (int)zm->m);
    line(c, "rank");
    if (c->ranked)
        zb_text_printf(text, "%d\n", (int)c->rank);
    else
        zb_text_add(text, "not examined\n");
    line(c, "degrees of freedom");
    if (c->ranked)
        zb_text_printf(text, "%d\n", (int)(zm->n - c->rank));
    else
        zb_text_add(text, "not examined\n");
}

/* "holonomic", or "holonomic, nonlinear" where rows differ. */
static void write_kinds(const zm_model *zm, const zm_constraint *k, zb_text *text)
{
    bool seen[4] = {false, false, false, false};
    const char *separator = "";
    for (int32_t i = 0; i < k->row_count; i++) seen[zm_row_kind_of(zm, k->first_row + i)] = true;
    for (int kind = 0; kind < 4; kind++) {
        if (!seen[kind]) continue;
        zb_text_printf(text, "%s%s", separator, zm_row_kind_name((zm_row_kind)kind));
        separator = ", ";
    }
    if (k->row_count == 0) zb_text_add(text, "none");
}

static bool time_dependent(const zm_model *zm, const zm_constraint *k)
{
    for (int32_t i = 0; i < k->row_count; i++)
        if (zm_row_time_dependent(zm, k->first_row + i)) return true;
    return false;
}

static int32_t name_width(const zr_check *c, int32_t count)
{
    int32_t width = 4;
    for (int32_t i = 0; i < count; i++) {
        char name[256];
        zb_text text;
        zb_text_init_fixed(&text, name, sizeof name);
        zm_label_text(c->sim->zm, &c->sim->zm->constraints[i].label, &text);
        size_t length = text.length < sizeof name ? text.length : sizeof name - 1;
        int32_t used = zb_utf8_columns(name, 0, length);
        if (used > width) width = used;
    }
    return width < 40 ? width : 40;
}

static void write_constraints(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    zb_text *text = &c->text;
    int32_t count =
        zm->constraint_count < most_constraints ? zm->constraint_count : most_constraints;
    if (count == 0) return;
    int32_t width = name_width(c, count) + 2;
    zb_text_add(text, "\nconstraints\n");
    for (int32_t i = 0; i < count; i++) {
        const zm_constraint *k = &zm->constraints[i];
        zb_text_add(text, "  ");
        size_t from = text->length;
        zm_label_text(zm, &k->label, text);
        pad(text, from, width);
        from = text->length;
        write_kinds(zm, k, text);
        pad(text, from, 14);
        zb_text_printf(text, "%d row%s", (int)k->row_count, k->row_count == 1 ? "" : "s");
        if (time_dependent(zm, k)) zb_text_add(text, ", time-dependent");
        if (k->control) zb_text_add(text, ", control");
        zb_text_char(text, '\n');
        zr_check_flush(c, false);
    }
    if (zm->constraint_count > count)
        zb_text_printf(text, "  and %d more\n", (int)(zm->constraint_count - count));
}

/* ------------------------------------------------------------- redundancy, conflicts */

static void write_relation(zr_check *c, const zr_finding *f)
{
    zb_text *text = &c->text;
    if (f->count < 2) return;
    zb_text_add(text, ": ");
    zm_row_text(c->sim->zm, f->row, text);
    zb_text_add(text, " = ");
    zr_text_terms(c->sim, f, f->row, text);
}

static void write_redundant(zr_check *c)
{
    zb_text *text = &c->text;
    if (c->redundant.count == 0) return;
    zb_text_add(text, "\nredundancy\n");
    for (int32_t k = 0; k < c->redundant.count && k < most_lines; k++) {
        const zr_finding *f = &c->redundant.list[k];
        zb_text_add(text, "  ");
        zr_text_row(c->sim, f->row, text);
        zb_text_add(text, " is redundant: ");
        zb_text_add(text, f->count > 1 ? "it follows from " : "no motion changes it");
        if (f->count > 1) zr_text_names(c->sim, f, f->row, text);
        write_relation(c, f);
        zb_text_char(text, '\n');
    }
    if (c->redundant.count > most_lines)
        zb_text_printf(text, "  and %d more\n", (int)(c->redundant.count - most_lines));
    zb_text_add(text, "  the motion is unique; not unique are the reactions of ");
    const char *separator = "";
    int32_t said = 0;
    for (int32_t i = 0; c->unique && i < c->sim->zm->m && said < most_coordinates; i++) {
        if (c->unique[i]) continue;
        zb_text_add(text, separator);
        zr_text_row(c->sim, i, text);
        separator = ", ";
        said++;
    }
    zb_text_add(text, said == most_coordinates ? " and others\n" : "\n");
}

static void write_conflicts(zr_check *c)
{
    static const char *const names[] = {"position", "velocity", "acceleration"};
    const zr_findings *list = &c->sim->start.conflicts;
    zb_text *text = &c->text;
    if (list->count == 0) return;
    zb_text_add(text, "\nconflicts\n");
    for (int32_t k = 0; k < list->count && k < most_lines; k++) {
        const zr_finding *f = &list->list[k];
        zb_text_printf(text, "  %s conflict: ", names[f->level]);
        zr_text_row(c->sim, f->row, text);
        if (f->count > 1) zb_text_add(text, " against ");
        if (f->count > 1) zr_text_names(c->sim, f, f->row, text);
        zb_text_add(text, ", size ");
        zr_text_short(text, f->size);
        zb_text_add(text, " in ");
        zr_text_terms(c->sim, f, -1, text);
        zb_text_char(text, '\n');
    }
}

/* --------------------------------------------------------------------------- start */

static void write_move(zr_check *c, int32_t i, int32_t width)
{
    const zw_sim *sim = c->sim;
    int32_t n = sim->zm->n;
    zb_text *text = &c->text;
    size_t from = text->length + 2;
    zb_text_add(text, "  ");
    zr_text_coordinate(sim, i < n ? i : i - n, i >= n, text);
    pad(text, from, width);
    from = text->length;
    zb_text_double(text, sim->given[i]);
    pad(text, from, 24);
    zb_text_double(text, i < n ? sim->q[i] : sim->v[i - n]);
    zb_text_char(text, '\n');
}

static void write_moves(zr_check *c)
{
    const zw_sim *sim = c->sim;
    int32_t n = sim->zm->n, said = 0;
    zb_text_add(&c->text, "  value         given                   corrected\n");
    for (int32_t i = 0; i < 2 * n && said < most_moves; i++) {
        if (!(zr_moved_by(sim, i) > 0.0)) continue;
        write_move(c, i, 14);
        said++;
    }
    if (said == most_moves) zb_text_add(&c->text, "  ...\n");
}

/* Large systems: how far the given values are off. */
static void write_residual(zr_check *c)
{
    const zw_sim *sim = c->sim;
    int32_t m = sim->zm->m;
    double value = 0.0, rate = 0.0;
    for (int32_t i = 0; c->evaluated && i < m; i++) {
        bool holonomic = zm_row_kind_of(sim->zm, i) == ZM_HOLONOMIC;
        if (holonomic) value = fmax(value, fabs(sim->level[i]));
        rate = fmax(rate, fabs(sim->level[m + i]));
    }
    zb_text_add(&c->text, "  not corrected; the largest residual is ");
    zr_text_short(&c->text, value);
    zb_text_add(&c->text, " in positions, ");
    zr_text_short(&c->text, rate);
    zb_text_add(&c->text, " in velocities\n");
}

static void write_start(zr_check *c)
{
    const zw_sim *sim = c->sim;
    zb_text *text = &c->text;
    zb_text_add(text, "\nstart at t = ");
    zr_text_short(text, sim->t);
    zb_text_char(text, '\n');
    if (!sim->start.done)
        zb_text_add(text, "  has no values\n");
    else if (!sim->dense)
        write_residual(c);
    else if (!sim->start.complete)
        zb_text_add(text, "  is impossible: see the messages\n");
    else if (sim->start.moved)
        write_moves(c);
    else
        zb_text_add(text, "  the start satisfies the constraints\n");
}

static void write_remarks(zr_check *c)
{
    const zb_diag_list *list = &c->sim->model->context->diagnostics;
    bool first = true;
    for (int32_t i = 0; i < zb_diag_count(list); i++) {
        const zw_diagnostic *d = zb_diag_get(list, i);
        if (d->severity == ZW_ERROR) continue;
        if (first) zb_text_add(&c->text, "\nremarks\n");
        first = false;
        zb_text_printf(&c->text, "  %s: ", d->code ? d->code : "");
        zb_text_add(&c->text, d->sentence ? d->sentence : "");
        zb_text_char(&c->text, '\n');
    }
}

void zr_check_text(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    if (zm->title) zb_text_add(&c->text, zm->title);
    if (zm->title) zb_text_add(&c->text, "\n\n");
    write_sizes(c);
    write_constraints(c);
    if (c->ranked && zm->m > 0 && c->rank_at_start == zm->m && c->sim->start.complete)
        zb_text_add(&c->text, "\nthe constraints are independent\n");
    write_redundant(c);
    write_conflicts(c);
    write_start(c);
    write_remarks(c);
}
