/*
 * The derived equations as plain text: expressions are in the model language.
 *
 *     Coordinates (2): x, y
 *
 *     Mass matrix M, entries that are not 0:
 *       M[x, x] = m
 *     ...
 *     Constraints A z = b:
 *       rod (holonomic): phi = x^2 + y^2 - l^2
 *         A[rod, x] = 2*x
 *         b[rod] = ...
 *     where:
 *       s1 = ...
 */
#include <string.h>

#include "sheet.h"

/* A count with its thousands set apart: 999,998. */
static void append_grouped_count(zb_text *text, int32_t count)
{
    if (count < 1000) {
        zb_text_int(text, count);
        return;
    }
    if (count >= 1000000) {
        zb_text_int(text, count / 1000000);
        zb_text_printf(text, ",%03d", (int)(count / 1000 % 1000));
    } else
        zb_text_int(text, count / 1000);
    zb_text_printf(text, ",%03d", (int)(count % 1000));
}

/* x, r[1..3] or A[1..2,1..2]. */
static void append_block_range(const zm_printer *p, const zm_block *block)
{
    zm_label_text(p->model, &block->label, p->text);
    if (block->columns > 0)
        zb_text_printf(p->text, "[1..%d,1..%d]", (int)block->rows, (int)block->columns);
    else if (block->rows > 0)
        zb_text_printf(p->text, "[1..%d]", (int)block->rows);
}

/* The first line: how many there are, and the blocks. */
static void write_coordinates_text(const zm_printer *p)
{
    enum { MOST = 100 }; /* blocks that are listed */
    const zm_model *model = p->model;
    zb_text_add(p->text, "Coordinates (");
    append_grouped_count(p->text, model->n);
    zb_text_add(p->text, "): ");
    for (int32_t k = 0; k < model->coordinate_blocks && k < MOST; k++) {
        if (k > 0) zb_text_add(p->text, ", ");
        append_block_range(p, &model->coordinates[k]);
    }
    if (model->coordinate_blocks > MOST) zb_text_add(p->text, ", ...");
    zb_text_char(p->text, '\n');
}

/* -------------------------------------------------------------------- lines */

/* What stands above the lines of a section. */
static const char *find_text_heading(const zm_printer *p, zm_section section)
{
    switch (section) {
    case ZM_IN_M:
        return "Mass matrix M (symmetric), entries that are not 0:";
    case ZM_IN_LAGRANGIAN:
        return "Lagrangian L = T - V:";
    case ZM_IN_LEFT:
    case ZM_IN_RIGHT:
        return "Equations of motion, inertia = forces:";
    case ZM_IN_Q:
        return p->plain ? "Force Q:" : "Impressed force Q:";
    case ZM_IN_F:
        return "Impressed force F:";
    case ZM_IN_H:
        return "Inertial force H, which follows from M; Q = F + H:";
    case ZM_IN_C:
        return "Force C of non-ideal constraints:";
    case ZM_IN_W:
        return "Weights W:";
    case ZM_IN_LAW:
        return p->model->motor_count > 0 ? "Speeds V that motors push along:"
                                         : "Friction and restitution:";
    default:
        return "";
    }
}

/* Of constraints it names what their rows are. */
static void write_heading(const zm_printer *p, const zm_sheet *sheet, const zm_line *line)
{
    if (zm_heading_group(line->section) != ZM_IN_PHI) {
        zb_text_printf(p->text, "\n%s\n", find_text_heading(p, line->section));
        return;
    }
    zb_text_printf(p->text, "\nConstraints %s = 0", p->phi);
    if (zm_has_inequality(sheet)) zb_text_printf(p->text, " or %s >= 0", p->phi);
    zb_text_add(p->text, p->motion ? ":\n" : ", as A z = b:\n");
}

/* symbol[row, still open: a column may follow. */
static void append_row_symbol(const zm_printer *p, const char *symbol, int32_t row)
{
    zb_text_add(p->text, symbol);
    zb_text_char(p->text, '[');
    zm_row_text(p->model, row, p->text);
}

/* In the order of zm_law. */
static const char *const law_symbols[] = {"mu", "mu_static", "pressure", "e", "e_tangential", "V"};

/* The left side of a line: M[x, y] = , rod (holonomic): phi = , ... */
static void write_left_text(const zm_printer *p, const zm_line *line)
{
    zb_text *text = p->text;
    switch (line->section) {
    case ZM_IN_M:
        zb_text_add(text, "M[");
        zm_coordinate_text(p->model, line->row, text);
        zb_text_add(text, ", ");
        zm_coordinate_text(p->model, line->column, text);
        break;
    case ZM_IN_LAGRANGIAN:
        zb_text_printf(text, "%s = ", zm_energy_symbol(line->row));
        return;
    case ZM_IN_LEFT:
        zm_coordinate_text(p->model, line->row, text);
        zb_text_add(text, ": ");
        return;
    case ZM_IN_RIGHT:
        return;
    case ZM_IN_Q:
    case ZM_IN_F:
    case ZM_IN_H:
    case ZM_IN_C:
        zb_text_printf(text, "%c[", "QFHC"[line->section - ZM_IN_Q]);
        zm_coordinate_text(p->model, line->row, text);
        break;
    case ZM_IN_PHI:
        zm_row_text(p->model, line->row, text);
        zb_text_printf(text, " (%s%s): ", zm_row_kind_name(line->kind),
                       line->tangent ? ", while it sticks"
                       : p->model->constraints[zm_row_constraint(p->model, line->row)].driven
                           ? ", by motors"
                           : "");
        zb_text_printf(text, "%s = ", p->phi);
        return;
    case ZM_IN_A:
        append_row_symbol(p, "  A", line->row);
        zb_text_add(text, ", ");
        zm_coordinate_text(p->model, line->column, text);
        break;
    case ZM_IN_B:
        append_row_symbol(p, "  b", line->row);
        break;
    case ZM_IN_W:
        append_row_symbol(p, "W", line->row);
        zb_text_add(text, ", ");
        zm_row_text(p->model, line->column, text);
        break;
    case ZM_IN_LAW:
        zb_text_printf(text, "%s[", law_symbols[line->law]);
        zm_constraint_text(p->model, line->row, text);
        if (line->column > 1) zb_text_printf(text, ", %d", (int)line->column);
        break;
    }
    zb_text_add(text, "] = ");
}

/* Of a kept family; the whole ones have none. */
static void write_sheet_heading(const zm_printer *p, const zm_sheet *sheet)
{
    if (sheet->family->whole) return;
    zb_text_add(p->text, "\n--- ");
    zb_text_add(p->text, zm_kind_name(sheet->family->kind));
    zb_text_add(p->text, ": the first, and ");
    append_grouped_count(p->text, sheet->instances - 1);
    zb_text_add(p->text, " more of this shape\n");
}

/* The lines of a sheet with a heading for each group, then the shared definitions. */
static void write_sheet_text(const zm_printer *p, const zm_sheet *sheet)
{
    int group = -1;
    write_sheet_heading(p, sheet);
    for (int32_t i = 0; i < sheet->count; i++) {
        const zm_line *line = &sheet->lines[i];
        if (zm_heading_group(line->section) != group) {
            group = zm_heading_group(line->section);
            write_heading(p, sheet, line);
        }
        zb_text_add(p->text, line->section == ZM_IN_RIGHT ? " = " : "  ");
        write_left_text(p, line);
        zb_text_add(p->text, line->right);
        if (line->section == ZM_IN_LEFT) continue;
        if (line->section == ZM_IN_PHI && line->inequality) zb_text_add(p->text, " >= 0");
        zb_text_char(p->text, '\n');
    }
    if (sheet->definition_count > 0) zb_text_add(p->text, "\nwhere:\n");
    for (int32_t k = 0; k < sheet->definition_count; k++)
        zb_text_printf(p->text, "  %s%d = %s\n", p->prefix, (int)(k + 1), sheet->definitions[k]);
}

/* Title, coordinates, sheets. */
void zm_write_text(zm_printer *p)
{
    if (p->model->title) {
        zb_text_shown(p->text, p->model->title, strlen(p->model->title));
        zb_text_add(p->text, "\n\n");
    }
    write_coordinates_text(p);
    for (int32_t k = 0; k < p->model->data_count; k++) {
        zb_text_add(p->text, k == 0 ? "\nData:\n  " : "  ");
        zm_data_text(p->model, k, p->text);
        zb_text_char(p->text, '\n');
    }
    for (int32_t i = 0; i < p->sheet_count; i++) write_sheet_text(p, &p->sheets[i]);
}
