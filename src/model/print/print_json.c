/*
 * The derived equations as JSON; expressions are strings in the model language.
 *
 *     {"title": "...",                               (or null)
 *      "coordinates": ["x", "r[1]", ...],
 *      "families": [
 *        {"kind": "whole",                           all terms and rows that are written out; a
 *                                                    kept family: "energy", "constraint", ...
 *         "instances": 1,                            of this shape; names are the first one's
 *         "definitions": [{"name": "s1", "expression": "..."}, ...],
 *         "M": [{"row": "x", "column": "x", "expression": "m"}, ...],    upper triangle, not 0
 *         "Q": [{"row": "x", "expression": "..."}, ...],
 *         "C": [...],                                as Q
 *         "rows": [{"name": "rod", "kind": "holonomic", "phi": "...",
 *                   "A": [{"column": "x", "expression": "..."}, ...], "b": "..."}, ...],
 *         "W": [{"row": "rod", "column": "rod", "expression": "..."}, ...]}, ...]}
 *
 * Every field is always there. What is not an equation has more: a row of an inequality
 * "relation": ">=" behind its kind, a row of a friction "friction": "rod", and a family with laws of
 * contact
 *
 *         "laws": [{"constraint": "rod", "friction": 2, "law": "friction", "expression": "0.3"}, ...]
 *
 * where "friction" says which of several on the constraint it is, and is left out of the first; laws are friction, static,
 * pressure, restitution and tangential. Definitions are in order: each uses those before it only.
 */
#include "sheet.h"

/* The text in scratch as a JSON string: names are written to scratch first. */
static void quote_scratch(const zm_printer *p)
{
    zb_text_json_string(p->text, zb_text_string(p->scratch));
    if (p->scratch->failure != ZW_OK) p->text->failure = p->scratch->failure;
}

/* The name of a coordinate as a JSON string. */
static void quote_coordinate(const zm_printer *p, int32_t coordinate)
{
    zb_text_clear(p->scratch);
    zm_coordinate_text(p->model, coordinate, p->scratch);
    quote_scratch(p);
}

/* The name of a row as a JSON string. */
static void quote_row(const zm_printer *p, int32_t row)
{
    zb_text_clear(p->scratch);
    zm_row_text(p->model, row, p->scratch);
    quote_scratch(p);
}

/* The name of a constraint as a JSON string. */
static void quote_constraint(const zm_printer *p, int32_t constraint)
{
    zb_text_clear(p->scratch);
    zm_constraint_text(p->model, constraint, p->scratch);
    quote_scratch(p);
}

/* ------------------------------------------------------------------ entries */

/* One entry of M, Q, C, A or W as an object; those of A do not name their row again. */
static void write_entry_json(const zm_printer *p, const zm_line *line)
{
    bool rows = line->section == ZM_IN_W;
    zb_text_char(p->text, '{');
    if (line->section != ZM_IN_A) {
        zb_text_add(p->text, "\"row\": ");
        if (rows)
            quote_row(p, line->row);
        else
            quote_coordinate(p, line->row);
        zb_text_add(p->text, ", ");
    }
    if (rows || line->section == ZM_IN_M || line->section == ZM_IN_A) {
        zb_text_add(p->text, "\"column\": ");
        if (rows)
            quote_row(p, line->column);
        else
            quote_coordinate(p, line->column);
        zb_text_add(p->text, ", ");
    }
    zb_text_add(p->text, "\"expression\": ");
    zb_text_json_string(p->text, line->right);
    zb_text_char(p->text, '}');
}

/* The lines of one section as a list, a line of text each. */
static void write_section_json(const zm_printer *p, const zm_sheet *sheet, const char *name,
                               zm_section section)
{
    bool first = true;
    zb_text_printf(p->text, ",\n   \"%s\": [", name);
    for (int32_t i = 0; i < sheet->count; i++) {
        if (sheet->lines[i].section != section) continue;
        zb_text_add(p->text, first ? "\n    " : ",\n    ");
        write_entry_json(p, &sheet->lines[i]);
        first = false;
    }
    zb_text_char(p->text, ']');
}

/* --------------------------------------------------------------------- rows */

/* One row from its phi line i on, A and b behind it; returns the line after it. */
static int32_t write_row_json(const zm_printer *p, const zm_sheet *sheet, int32_t i)
{
    const zm_line *line = &sheet->lines[i];
    bool first = true;
    zb_text_add(p->text, "{\"name\": ");
    quote_row(p, line->row);
    zb_text_printf(p->text, ", \"kind\": \"%s\"", zm_row_kind_name(line->kind));
    if (line->inequality) zb_text_add(p->text, ", \"relation\": \">=\"");
    if (line->tangent) {
        zb_text_add(p->text, ", \"friction\": ");
        quote_constraint(p, p->model->constraints[zm_row_constraint(p->model, line->row)].of);
    }
    zb_text_add(p->text, ", \"phi\": ");
    zb_text_json_string(p->text, line->right);
    zb_text_add(p->text, ", \"A\": [");
    for (i++; i < sheet->count && sheet->lines[i].section == ZM_IN_A; i++) {
        if (!first) zb_text_add(p->text, ", ");
        write_entry_json(p, &sheet->lines[i]);
        first = false;
    }
    zb_text_add(p->text, "], \"b\": ");
    zb_text_json_string(p->text, sheet->lines[i].right);
    zb_text_char(p->text, '}');
    return i + 1;
}

/* All rows of constraints. */
static void write_rows_json(const zm_printer *p, const zm_sheet *sheet)
{
    bool first = true;
    zb_text_add(p->text, ",\n   \"rows\": [");
    for (int32_t i = 0; i < sheet->count;) {
        if (sheet->lines[i].section != ZM_IN_PHI) {
            i++;
            continue;
        }
        zb_text_add(p->text, first ? "\n    " : ",\n    ");
        i = write_row_json(p, sheet, i);
        first = false;
    }
    zb_text_char(p->text, ']');
}

/* ------------------------------------------------------------ laws of contact */

/* Nothing where there are none. */
static void write_laws_json(const zm_printer *p, const zm_sheet *sheet)
{
    static const char *const names[] = {"friction",    "static",     "pressure",
                                        "restitution", "tangential", "motor"};
    bool first = true;
    for (int32_t i = 0; i < sheet->count; i++) {
        const zm_line *line = &sheet->lines[i];
        if (line->section != ZM_IN_LAW) continue;
        zb_text_add(p->text, first ? ",\n   \"laws\": [\n    " : ",\n    ");
        zb_text_add(p->text, "{\"constraint\": ");
        quote_constraint(p, line->row);
        if (line->law == ZM_LAW_MOTOR)
            zb_text_printf(p->text, ", \"motor\": %d", (int)line->column);
        else if (line->column > 1)
            zb_text_printf(p->text, ", \"friction\": %d", (int)line->column);
        zb_text_printf(p->text, ", \"law\": \"%s\", \"expression\": ", names[line->law]);
        zb_text_json_string(p->text, line->right);
        zb_text_char(p->text, '}');
        first = false;
    }
    if (!first) zb_text_char(p->text, ']');
}

/* ---------------------------------------------------------------------- all */

/* The shared definitions, in the order in which they may be evaluated. */
static void write_definitions_json(const zm_printer *p, const zm_sheet *sheet)
{
    zb_text_add(p->text, ",\n   \"definitions\": [");
    for (int32_t k = 0; k < sheet->definition_count; k++) {
        zb_text_printf(p->text,
                       "%s{\"name\": \"%s%d\", \"expression\": ", k > 0 ? ",\n    " : "\n    ",
                       p->prefix, (int)(k + 1));
        zb_text_json_string(p->text, sheet->definitions[k]);
        zb_text_char(p->text, '}');
    }
    zb_text_char(p->text, ']');
}

/* One family: every field, even if it is empty. */
static void write_sheet_json(const zm_printer *p, const zm_sheet *sheet)
{
    const zm_family *f = sheet->family;
    zb_text_printf(p->text, "  {\"kind\": \"%s\",\n   \"instances\": %d",
                   f->whole ? "whole" : zm_kind_name(f->kind), (int)sheet->instances);
    write_definitions_json(p, sheet);
    write_section_json(p, sheet, "M", ZM_IN_M);
    write_section_json(p, sheet, "Q", ZM_IN_Q);
    if (!p->plain) {
        write_section_json(p, sheet, "impressed", ZM_IN_F);
        write_section_json(p, sheet, "inertial", ZM_IN_H);
    }
    write_section_json(p, sheet, "C", ZM_IN_C);
    write_rows_json(p, sheet);
    write_section_json(p, sheet, "W", ZM_IN_W);
    write_laws_json(p, sheet);
    zb_text_char(p->text, '}');
}

/* The format is described above. */
void zm_write_json(zm_printer *p)
{
    zb_text_add(p->text, "{\"title\": ");
    zb_text_json_string(p->text, p->model->title);
    zb_text_add(p->text, ",\n \"coordinates\": [");
    for (int32_t i = 0; i < p->model->n; i++) {
        if (i > 0) zb_text_add(p->text, ", ");
        quote_coordinate(p, i);
    }
    for (int32_t k = 0; k < p->model->data_count; k++) {
        zb_text_add(p->text, k == 0 ? "],\n \"data\": [" : ", ");
        zm_data_json(p->model, k, p->text);
    }
    zb_text_add(p->text, "],\n \"families\": [");
    for (int32_t i = 0; i < p->sheet_count; i++) {
        zb_text_add(p->text, i > 0 ? ",\n" : "\n");
        write_sheet_json(p, &p->sheets[i]);
    }
    zb_text_add(p->text, "]}\n");
}
