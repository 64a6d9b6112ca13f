/*
 * The report of `zwang check` as text for people: what the model is, its constraints, redundancy,
 * conflicts, start, remarks. The words `redundant` and `conflict` stand there only when there is
 * such a row. Lines are wrapped at 80 columns; names that differ in consecutive indices are said as
 * one (name_ranges.c).
 */
#include <math.h>
#include <string.h>

#include "check.h"
#include "columns.h"

enum { most_constraints = 60, most_names = 24, most_moves = 40, most_lines = 40 };

/* Begins a line "label ..." whose text stands in column 21. */
static void begin_labelled(zr_check *c, const char *name)
{
    size_t from = c->text.length;
    zb_text_add(&c->text, name);
    zr_pad_text(&c->text, from, 20);
}

/* ---------------------------------------------------------------------- what it is */

/* Their number and names, consecutive ones as a range. */
static void say_coordinate_names(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    zr_name_ranges ranges;
    zr_name_ranges_init(&ranges, c->sim->memory);
    for (int32_t i = 0; i < zm->n; i++) {
        zm_coordinate_text(zm, i, &ranges.name);
        zr_name_ranges_add(&ranges, "");
    }
    zb_text_printf(&c->line, "coordinates         %d: ", (int)zm->n);
    zr_name_ranges_list(&ranges, most_names, ", ", &c->line);
    zr_name_ranges_free(&ranges);
    zr_end_paragraph(c, 20);
}

/* "inputs              2: u = 0, F = [0, 0, 1]": those that nothing was given for. */
static void say_inputs(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    int32_t count = zr_count_inputs(c->sim->model), said = 0;
    if (count == 0) return;
    zb_text_printf(&c->line, "inputs              %d: ", (int)count);
    for (int32_t b = 0; b < zm->parameter_blocks; b++) {
        const zm_block *block = &zm->parameters[b];
        if (zr_block_size(block) == 0 || !zr_is_input(c->sim->model, block->first)) continue;
        if (said == most_names) zb_text_add(&c->line, ", ...");
        if (said++ >= most_names) continue;
        if (said > 1) zb_text_add(&c->line, ", ");
        zm_label_text(zm, &block->label, &c->line);
        zb_text_add(&c->line, zr_block_size(block) > 1 ? " = [" : " = ");
        for (int32_t k = 0; k < zr_block_size(block) && k < most_names; k++) {
            if (k > 0) zb_text_add(&c->line, ", ");
            zr_text_short(&c->line, c->sim->values[block->first + k]);
        }
        if (zr_block_size(block) > most_names) zb_text_add(&c->line, ", ...");
        if (zr_block_size(block) > 1) zb_text_char(&c->line, ']');
    }
    zr_end_paragraph(c, 20);
}

/* "600", "599 or 600", "100 to 199"; and where it was looked at, unless that says all. */
static void say_range(zr_check *c, int32_t least, int32_t most, zb_text *text)
{
    zb_text_int(text, least);
    if (most > least) zb_text_printf(text, most == least + 1 ? " or %d" : " to %d", (int)most);
    bool open = c->rank_at_start < c->rows && !c->elsewhere && !c->bounded;
    if (most > least || open)
        zb_text_add(text, c->elsewhere ? " (near the start)" : " (at the start)");
}

/* Coordinates, rows, rank and degrees of freedom. */
static void say_sizes(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    zb_text *text = &c->text;
    say_coordinate_names(c);
    say_inputs(c);
    for (int32_t k = 0; k < zm->data_count; k++) {
        zb_text_add(&c->line, k == 0 ? "data                " : "                    ");
        zm_data_text(zm, k, &c->line);
        zr_end_paragraph(c, 20);
    }
    begin_labelled(c, "constraint rows");
    zb_text_printf(text, "%d\n", (int)c->rows);
    if (c->sim->contacts && c->sim->contacts->laws->contacts > 0) {
        begin_labelled(c, "inequality rows");
        zb_text_printf(text, "%d\n", (int)c->sim->contacts->laws->contacts);
    }
    begin_labelled(c, "rank");
    if (c->ranked) say_range(c, c->rank_least, c->rank_most, text);
    if (c->ranked && c->rank_least == c->rank_most && c->rank != c->rank_at_start)
        zb_text_printf(text, " (%d at the start)", (int)c->rank_at_start);
    zb_text_add(text, c->ranked ? "\n" : "not examined\n");
    zb_text_add(&c->line, "degrees of freedom  ");
    if (c->ranked) say_range(c, zm->n - c->rank_most, zm->n - c->rank_least, &c->line);
    if (c->ranked) zr_check_say_freedom(c);
    if (!c->ranked) zb_text_add(&c->line, "not examined");
    zr_end_paragraph(c, 20);
}

/* "holonomic", or "holonomic, nonlinear" where rows differ. */
static void say_row_kinds(const zm_model *zm, const zm_constraint *k, zb_text *text)
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

/* Does the time stand in one of its rows? */
static bool depends_on_time(const zm_model *zm, const zm_constraint *k)
{
    for (int32_t i = 0; i < k->row_count; i++)
        if (zm_row_time_dependent(zm, k->first_row + i)) return true;
    return false;
}

/* Kind, rows and the rest: what must agree for constraints to be said as one. */
static void describe_constraint(const zm_model *zm, const zm_constraint *k, zb_text *text)
{
    say_row_kinds(zm, k, text);
    zr_pad_text(text, 0, 14);
    zb_text_printf(text, "%d row%s", (int)k->row_count, k->row_count == 1 ? "" : "s");
    zb_text_char(text, '\n'); /* here stands " each" where there are several */
    if (depends_on_time(zm, k)) zb_text_add(text, ", time-dependent");
    if (k->control) zb_text_add(text, k->driven ? ", control by motors" : ", control");
}

/* The names of all constraints that are equations; those that agree in everything else may become one
 * range. */
static void collect_constraint_names(const zr_check *c, zr_name_ranges *ranges)
{
    const zm_model *zm = c->sim->zm;
    zb_text kind;
    zb_text_init(&kind, c->sim->memory);
    for (int32_t i = 0; i < zm->constraint_count; i++) {
        const zm_constraint *k = &zm->constraints[i];
        if (k->inequality || k->tangent) continue;
        zb_text_clear(&kind);
        describe_constraint(zm, k, &kind);
        if (kind.failure != ZW_OK) ranges->failure = kind.failure;
        zm_label_text(zm, &k->label, &ranges->name);
        zr_name_ranges_add(ranges, zb_text_string(&kind));
    }
    zb_text_free(&kind);
}

/* Columns that the longest of the first `count` names takes, within 4 and 40. */
static int32_t widest_name(zr_check *c, const zr_name_ranges *ranges, int32_t count)
{
    int32_t width = 4;
    for (int32_t k = 0; k < count; k++) {
        zr_name_ranges_text(ranges, k, &c->line);
        int32_t used = zb_utf8_columns(zb_text_string(&c->line), 0, c->line.length);
        if (used > width) width = used;
        zb_text_clear(&c->line);
    }
    return width < 40 ? width : 40;
}

/* "rod[1..9]  holonomic     9 constraints, 1 row each, time-dependent" */
static void say_constraint(zr_check *c, const zr_name_ranges *ranges, int32_t k, int32_t width)
{
    const char *kind = zr_name_ranges_kind(ranges, k), *rest = strchr(kind, '\n');
    int32_t count = ranges->list.data[k].count;
    zb_text_add(&c->line, "  ");
    zr_name_ranges_text(ranges, k, &c->line);
    zr_pad_text(&c->line, 2, width);
    size_t rows = strcspn(kind, "0123456789");
    zb_text_bytes(&c->line, kind, rows);
    if (count > 1) zb_text_printf(&c->line, "%d constraints, ", (int)count);
    zb_text_bytes(&c->line, kind + rows, (size_t)(rest - kind) - rows);
    if (count > 1) zb_text_add(&c->line, " each");
    zb_text_add(&c->line, rest + 1);
    zr_end_paragraph(c, 6);
    zr_check_flush(c, false);
}

/* A line for each constraint or range of them, of too many the first. */
static void say_constraints(zr_check *c)
{
    if (c->rows == 0) return;
    zr_name_ranges ranges;
    zr_name_ranges_init(&ranges, c->sim->memory);
    collect_constraint_names(c, &ranges);
    int32_t all = ranges.list.count, count = all < most_constraints ? all : most_constraints;
    int32_t width = widest_name(c, &ranges, count) + 2, more = 0;
    zb_text_add(&c->text, "\nconstraints\n");
    for (int32_t k = 0; k < count; k++) say_constraint(c, &ranges, k, width);
    for (int32_t k = count; k < all; k++) more += ranges.list.data[k].count;
    if (more > 0) zb_text_printf(&c->text, "  and %d more\n", (int)more);
    if (ranges.failure != ZW_OK) c->text.failure = ranges.failure;
    zr_name_ranges_free(&ranges);
}

/* ------------------------------------------------------------- redundancy, conflicts */

/* ": a = 0.5·b − c" of rows that depend on each other. */
static void say_relation(zr_check *c, const zr_finding *f)
{
    if (f->count < 2) return;
    zb_text_add(&c->line, ": ");
    zm_row_text(c->sim->zm, f->row, &c->line);
    zb_text_add(&c->line, " = ");
    zr_text_terms(c->sim->model, f, f->row, &c->line);
}

/* A paragraph: `words`, then the names that were gathered. */
static void say_names(zr_check *c, const char *words, zr_name_ranges *ranges)
{
    if (ranges->list.count > 0) {
        zb_text_add(&c->line, words);
        zr_name_ranges_list(ranges, most_names, " and ", &c->line);
        zr_end_paragraph(c, 4);
    }
    if (ranges->failure != ZW_OK) c->text.failure = ranges->failure;
    zr_name_ranges_free(ranges);
}

/* The rows whose reactions are unique, or are not. */
static void say_reactions(zr_check *c, bool unique, const char *words)
{
    zr_name_ranges ranges;
    zr_name_ranges_init(&ranges, c->sim->memory);
    for (int32_t i = 0; c->unique && i < c->sim->zm->m; i++) {
        bool masked = c->sim->contacts && c->sim->zm->mask[i] >= 0;
        if (masked || c->unique[i] != unique) continue;
        zr_text_row(c->sim->model, i, &ranges.name);
        zr_name_ranges_add(&ranges, "");
    }
    say_names(c, words, &ranges);
}

/* Likewise the outputs in which reactions or accelerations stand. */
static void say_outputs(zr_check *c, bool unique, const char *words)
{
    const zw_model *model = c->sim->model;
    zr_name_ranges ranges;
    zr_name_ranges_init(&ranges, c->sim->memory);
    for (int32_t i = 0; c->unique_output && i < zr_output_elements(model); i++) {
        if (c->unique_output[i] != unique || !zr_output_solved(model, i)) continue;
        zb_text_char(&ranges.name, '`');
        zr_text_output(model, i, &ranges.name);
        zb_text_char(&ranges.name, '`');
        zr_name_ranges_add(&ranges, "");
    }
    say_names(c, words, &ranges);
}

/* What redundancy leaves open, and what it does not. */
static void say_shares(zr_check *c)
{
    say_reactions(c, false, "  the motion is unique; not unique are the reactions of ");
    say_reactions(c, true, "  unique are the reactions of ");
    say_outputs(c, false, "  of the outputs not unique are ");
    say_outputs(c, true, "  of the outputs unique are ");
}

/* Rows that follow from others, and which reactions that leaves open. */
static void say_redundant_rows(zr_check *c)
{
    zb_text *text = &c->line;
    if (c->redundant.count == 0 && c->unlisted == 0) return;
    zb_text_add(&c->text, "\nredundancy\n");
    for (int32_t k = 0; k < c->redundant.count && k < most_lines; k++) {
        const zr_finding *f = &c->redundant.list[k];
        zb_text_add(text, "  ");
        zr_text_row(c->sim->model, f->row, text);
        zb_text_add(text, c->elsewhere ? " is redundant: "
                                       : " is redundant at the start (not examined elsewhere): ");
        zb_text_add(text, f->count > 1 ? "it follows from " : "no motion changes it");
        if (f->count > 1) zr_text_names(c->sim->model, f, f->row, text);
        say_relation(c, f);
        zr_end_paragraph(c, 4);
    }
    int32_t more = c->unlisted;
    if (c->redundant.count > most_lines) more += c->redundant.count - most_lines;
    if (more > 0)
        zb_text_printf(&c->text, "  and %d more row%s\n", (int)more,
                       more == 1 ? " depends on others" : "s depend on others");
    say_shares(c);
}

/* Rows that depend on others at the start only. */
static void say_singular_rows(zr_check *c)
{
    if (c->singular.count == 0) return;
    zb_text_add(&c->text, "\nsingular configuration\n");
    for (int32_t k = 0; k < c->singular.count && k < most_lines; k++) {
        zb_text_add(&c->line, "  ");
        zr_text_singular(c->sim->model, &c->singular.list[k], &c->line);
        zr_end_paragraph(c, 4);
    }
    if (c->singular.count > most_lines)
        zb_text_printf(&c->text, "  and %d more\n", (int)(c->singular.count - most_lines));
}

/* Rows that contradict each other, of all levels. */
static void say_conflicts(zr_check *c)
{
    static const char *const names[] = {"position", "velocity", "acceleration"};
    const zr_findings *list = &c->sim->start.conflicts;
    zb_text *text = &c->line;
    if (list->count == 0) return;
    zb_text_add(&c->text, "\nconflicts\n");
    for (int32_t k = 0; k < list->count && k < most_lines; k++) {
        const zr_finding *f = &list->list[k];
        zb_text_printf(text, "  %s conflict: ", names[f->level]);
        zr_text_row(c->sim->model, f->row, text);
        if (f->count > 1) zb_text_add(text, " against ");
        if (f->count > 1) zr_text_names(c->sim->model, f, f->row, text);
        zb_text_add(text, ": ");
        zr_text_mismatch(c->sim->model, f, text);
        zr_end_paragraph(c, 4);
    }
    if (list->count > most_lines)
        zb_text_printf(&c->text, "  and %d more\n", (int)(list->count - most_lines));
}

/* --------------------------------------------------------------------------- start */

/* A cell of the table of moves: the name, the given value, the corrected one. */
static void add_move_cell(const zw_sim *sim, int32_t i, int column, zb_text *text)
{
    int32_t n = sim->zm->n;
    double given = sim->given[i], now = i < n ? sim->q[i] : sim->v[i - n];
    int digits = zr_digits_apart(given, now, 8);
    if (column == 0)
        zr_text_coordinate(sim->model, i < n ? i : i - n, i >= n, text);
    else if (column == 1 && !sim->start.stated[i])
        zb_text_char(text, '-');
    else
        zr_text_digits(text, column == 1 ? given : now, digits);
}

/* Entries in the order of the model; of too many the ones that moved most. */
static int32_t next_move_shown(const zw_sim *sim, bool cut, int32_t after)
{
    if (cut) return zr_next_move(sim, ZR_EITHER, after);
    for (int32_t i = after + 1; i < 2 * sim->zm->n; i++)
        if (zr_moved_by(sim, i) > 0.0) return i;
    return -1;
}

/* The width of a column over the entries that are shown, its title included. */
static int32_t width_of_moves(zr_check *c, bool cut, int column, int32_t least)
{
    int32_t width = least, said = 0;
    for (int32_t i = next_move_shown(c->sim, cut, -1); i >= 0 && said < most_moves; said++) {
        add_move_cell(c->sim, i, column, &c->line);
        int32_t used = zb_utf8_columns(zb_text_string(&c->line), 0, c->line.length);
        if (used > width) width = used;
        zb_text_clear(&c->line);
        i = next_move_shown(c->sim, cut, i);
    }
    return width + 2;
}

/* Values that the start moved: name, given, corrected. */
static void say_move_table(zr_check *c)
{
    const zw_sim *sim = c->sim;
    zb_text *text = &c->text;
    int32_t all = 0, said = 0;
    for (int32_t i = 0; i < 2 * sim->zm->n; i++) all += zr_moved_by(sim, i) > 0.0;
    bool cut = all > most_moves;
    int32_t width[2] = {width_of_moves(c, cut, 0, 5), width_of_moves(c, cut, 1, 5)};
    size_t from = text->length + 2;
    zb_text_add(text, "  value");
    zr_pad_text(text, from, width[0]);
    zb_text_add(text, "given");
    zr_pad_text(text, from, width[0] + width[1]);
    zb_text_add(text, "corrected\n");
    for (int32_t i = next_move_shown(sim, cut, -1); i >= 0 && said < most_moves; said++) {
        from = text->length + 2;
        zb_text_add(text, "  ");
        add_move_cell(sim, i, 0, text);
        zr_pad_text(text, from, width[0]);
        add_move_cell(sim, i, 1, text);
        zr_pad_text(text, from, width[0] + width[1]);
        add_move_cell(sim, i, 2, text);
        zb_text_char(text, '\n');
        i = next_move_shown(sim, cut, i);
    }
    if (cut) zb_text_printf(text, "  and %d more that moved less\n", (int)(all - said));
}

/* How the start went, with the table where values moved. */
static void say_start(zr_check *c)
{
    const zw_sim *sim = c->sim;
    zb_text *text = &c->text;
    zb_text_add(text, "\nstart at t = ");
    zr_text_short(text, sim->t);
    zb_text_char(text, '\n');
    if (!sim->start.done)
        zb_text_add(text, "  has no values\n");
    else if (!sim->start.complete)
        zb_text_add(text, "  is impossible: see the messages\n");
    else if (sim->start.moved)
        say_move_table(c);
    else
        zb_text_add(text, "  the start satisfies the constraints\n");
}

/* Has the report a section for it? */
static bool has_section(const char *code)
{
    static const char *const codes[] = {"R0610", "R0612", "R0613", "R0615",
                                        "W0403", "W0411", "W0413"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(code, codes[i]) == 0) return true;
    return false;
}

/* Warnings and remarks for which the report has no section of its own. */
static void say_remarks(zr_check *c)
{
    const zb_diag_list *list = &c->sim->model->context->diagnostics;
    bool first = true;
    for (int32_t i = 0; i < zb_diag_count(list); i++) {
        const zw_diagnostic *d = zb_diag_get(list, i);
        const char *code = d->code ? d->code : "";
        if (d->severity == ZW_ERROR || has_section(code)) continue;
        if (first) zb_text_add(&c->text, "\nremarks\n");
        first = false;
        zb_text_printf(&c->line, "  %s: ", code);
        if (d->sentence) zb_text_shown(&c->line, d->sentence, strlen(d->sentence));
        zr_end_paragraph(c, 4);
    }
}

/* Sections without content are left out. */
void zr_check_text(zr_check *c)
{
    const zm_model *zm = c->sim->zm;
    zb_text_init(&c->line, c->sim->memory);
    if (zm->title) zb_text_shown(&c->text, zm->title, strlen(zm->title));
    if (zm->title) zb_text_add(&c->text, "\n\n");
    say_sizes(c);
    say_constraints(c);
    if (c->ranked && c->rows > 0 && c->rank_at_start == c->rows && c->sim->start.complete)
        zb_text_add(&c->text, "\nthe constraints are independent\n");
    say_redundant_rows(c);
    say_singular_rows(c);
    zr_check_say_contacts(c);
    zr_check_say_motors(c);
    say_conflicts(c);
    say_start(c);
    say_remarks(c);
    zb_text_free(&c->line);
}
