/*
 * Which lines there are to print: M, Q, C, then the rows of the constraints, then W, then the laws of
 * contact. Terms of several whole families that go to the same place are added; the sums are nodes of
 * the model's pool that zm_print takes back when it is done.
 */
#include <string.h>

#include "sheet.h"

/* As they are shown to users, in the order of zm_kind. */
const char *zm_kind_name(zm_kind kind)
{
    static const char *const names[ZM_KIND_COUNT] = {"energy",         "dissipation",
                                                     "mass",           "force",
                                                     "force at",       "nonideal",
                                                     "nonideal at",    "constraint",
                                                     "weight",         "start value",
                                                     "start equation", "output",
                                                     "event",          "gap",
                                                     "friction",       "restitution",
                                                     "drawing",        "drawing by default"};
    return names[kind];
}

/* The room for lines doubles; old room stays in scratch. */
void zm_append_line(zm_printer *p, zm_sheet *sheet, const zm_line *line)
{
    if (sheet->count == sheet->capacity) {
        int32_t capacity = sheet->capacity < 16 ? 16 : 2 * sheet->capacity;
        zm_line *lines = ZB_NEW_ARRAY(&p->work->scratch, zm_line, capacity);
        if (sheet->count > 0) memcpy(lines, sheet->lines, (size_t)sheet->count * sizeof *lines);
        sheet->lines = lines;
        sheet->capacity = capacity;
    }
    sheet->lines[sheet->count++] = *line;
}

/* ------------------------------------------------------- terms: M, Q and C */

static bool is_nonideal_kind(zm_kind kind)
{
    return kind == ZM_NONIDEAL || kind == ZM_NONIDEAL_AT;
}

/* What a family adds to M, Q, F, H or C. */
static zm_entries list_section_entries(zm_printer *p, const zm_family *f, zm_section section)
{
    if (section == ZM_IN_M) return (zm_entries){f->mass, f->mass_count};
    if ((section == ZM_IN_F || section == ZM_IN_H) && !is_nonideal_kind(f->kind)) {
        zm_split split = zm_split_force(p->work, f);
        return section == ZM_IN_F ? split.impressed : split.inertial;
    }
    if (is_nonideal_kind(f->kind) == (section == ZM_IN_C))
        return (zm_entries){f->force, f->force_count};
    return (zm_entries){0};
}

/* A line for each entry, slots replaced by the coordinates of the first instance; M on and
 * above the diagonal. */
static void append_entry_lines(zm_printer *p, zm_sheet *sheet, zm_section section,
                               const zm_entries *entries)
{
    for (int32_t i = 0; i < entries->count; i++) {
        const zm_entry *e = &entries->data[i];
        int32_t row = zm_coordinate_of(sheet->family, 0, e->row);
        int32_t column = section == ZM_IN_M ? zm_coordinate_of(sheet->family, 0, e->column) : 0;
        bool swap = section == ZM_IN_M && row > column;
        zm_append_line(p, sheet,
                       &(zm_line){.section = section,
                                  .row = swap ? column : row,
                                  .column = swap ? row : column,
                                  .node = e->node});
    }
}

zm_entries zm_sum_section(zm_printer *p, zm_section section)
{
    const zm_model *model = p->model;
    zm_entries all = {0};
    for (int32_t i = 0; i < model->family_count; i++)
        if (model->families[i].whole)
            all.count += list_section_entries(p, &model->families[i], section).count;
    all.data = ZB_NEW_ARRAY(&p->work->scratch, zm_entry, all.count);
    int32_t at = 0;
    for (int32_t i = 0; i < model->family_count; i++) {
        zm_entries some = list_section_entries(p, &model->families[i], section);
        if (!model->families[i].whole || some.count == 0) continue;
        memcpy(all.data + at, some.data, (size_t)some.count * sizeof *some.data);
        at += some.count;
    }
    zm_merge_entries(p->work, &all);
    return all;
}

static void append_whole_terms(zm_printer *p, zm_sheet *sheet, zm_section section)
{
    zm_entries all = zm_sum_section(p, section);
    append_entry_lines(p, sheet, section, &all);
}

/* Q as it is where nothing follows from inertia, else F and H apart, and in programs always; JSON has
 * all of them. */
static void append_whole_forces(zm_printer *p, zm_sheet *sheet)
{
    zm_entries inertial = zm_sum_section(p, ZM_IN_H);
    bool program = p->form == ZM_PRINT_SYMPY || p->form == ZM_PRINT_C;
    bool both = p->form == ZM_PRINT_JSON && !p->plain;
    bool split = both || program || (inertial.count > 0 && !p->plain);
    if (both || !split) append_whole_terms(p, sheet, ZM_IN_Q);
    if (!split) return;
    append_whole_terms(p, sheet, ZM_IN_F);
    append_entry_lines(p, sheet, ZM_IN_H, &inertial);
}

/* The same of the first instance of a kept family. */
static void append_kept_forces(zm_printer *p, zm_sheet *sheet, const zm_family *f)
{
    static const zm_section parts[] = {ZM_IN_Q, ZM_IN_F, ZM_IN_H};
    zm_entries inertial = list_section_entries(p, f, ZM_IN_H);
    bool split = !p->plain && (inertial.count > 0 || p->form == ZM_PRINT_JSON);
    for (int k = 0; k < 3; k++) {
        bool whole = parts[k] == ZM_IN_Q;
        if (whole ? split && p->form != ZM_PRINT_JSON : !split) continue;
        zm_entries entries = list_section_entries(p, f, parts[k]);
        append_entry_lines(p, sheet, parts[k], &entries);
    }
}

/* --------------------------------------------------------------------- rows */

/* phi, A and b of one constraint. The entries of A begin at or after *at, which moves
 * behind them. */
static void append_constraint_lines(zm_printer *p, zm_sheet *sheet, const zm_constraint *c,
                                    int32_t *at, bool rows)
{
    const zm_family *f = &p->model->families[c->where.family];
    for (int32_t k = 0; k < c->where.count; k++) {
        int32_t root = c->where.root + k, row = c->first_row + k;
        zm_line line = {.section = ZM_IN_PHI,
                        .row = row,
                        .kind = f->kinds[root],
                        .inequality = c->inequality,
                        .tangent = c->tangent};
        line.node = f->roots[root];
        zm_append_line(p, sheet, &line);
        if (!rows) continue;
        line.section = ZM_IN_A;
        while (*at < f->jacobian_count && f->jacobian[*at].row < root) ++*at;
        for (; *at < f->jacobian_count && f->jacobian[*at].row == root; ++*at) {
            line.column = zm_coordinate_of(f, 0, f->jacobian[*at].column);
            line.node = f->jacobian[*at].node;
            zm_append_line(p, sheet, &line);
        }
        line.section = ZM_IN_B;
        line.column = 0;
        line.node = f->b[root];
        zm_append_line(p, sheet, &line);
    }
}

/* The constraints of the whole family, in declared order, which is that of its rows. */
void zm_append_whole_rows(zm_printer *p, zm_sheet *sheet, bool rows)
{
    int32_t at = 0;
    for (int32_t c = 0; c < p->model->constraint_count; c++) {
        const zm_constraint *item = &p->model->constraints[c];
        if (item->where.family >= 0 && p->model->families[item->where.family].whole)
            append_constraint_lines(p, sheet, item, &at, rows);
    }
}

/* ------------------------------------------------------------------ weights */

/* The entries of one weight that are not 0: a number for all rows, one for each row, or a block; of
 * a pair a number or a block. Of a block on the diagonal only the upper triangle. */
static void append_weight_lines(zm_printer *p, zm_sheet *sheet, const zm_weight *w)
{
    const zm_model *model = p->model;
    const zx_node *root = model->families[w->where.family].roots + w->where.root;
    const zm_constraint *a = &model->constraints[w->a];
    const zm_constraint *b = w->b >= 0 ? &model->constraints[w->b] : a;
    bool block = w->columns > 0;
    int32_t rows = a->row_count < b->row_count ? a->row_count : b->row_count;
    int32_t count = block ? w->rows * w->columns : rows;
    for (int32_t k = 0; k < count; k++) {
        int32_t i = block ? k / w->columns : k, j = block ? k % w->columns : k;
        int32_t from = block || w->rows > 0 ? k : 0;
        if (from >= w->where.count || (a == b && j < i)) continue;
        if (zm_is_zero(p->work->pool, root[from])) continue;
        zm_append_line(p, sheet,
                       &(zm_line){.section = ZM_IN_W,
                                  .row = a->first_row + i,
                                  .column = b->first_row + j,
                                  .node = root[from]});
    }
}

/* The weights of the whole family. */
static void append_whole_weights(zm_printer *p, zm_sheet *sheet)
{
    for (int32_t k = 0; k < p->model->weight_count; k++) {
        const zm_weight *w = &p->model->weights[k];
        if (p->model->families[w->where.family].whole) append_weight_lines(p, sheet, w);
    }
}

/* ------------------------------------------------------------ laws of contact */

bool zm_has_inequality(const zm_sheet *sheet)
{
    for (int32_t i = 0; i < sheet->count; i++)
        if (sheet->lines[i].section == ZM_IN_PHI && sheet->lines[i].inequality) return true;
    return false;
}

/* A line of the law `line`, which knows its constraint, for the root at `where` + k. */
static void append_law_line(zm_printer *p, zm_sheet *sheet, zm_line line, zm_law law,
                            const zm_where *where, int32_t k)
{
    line.law = law;
    line.node = p->model->families[where->family].roots[where->root + k];
    zm_append_line(p, sheet, &line);
}

/* The slip is phi of its rows. */
static void append_friction_lines(zm_printer *p, zm_sheet *sheet, const zm_friction *f)
{
    zm_line line = {.section = ZM_IN_LAW, .row = f->constraint, .column = f->number};
    int32_t k = f->width;
    append_law_line(p, sheet, line, ZM_LAW_FRICTION, &f->where, k++);
    if (f->has_static) append_law_line(p, sheet, line, ZM_LAW_STATIC, &f->where, k++);
    if (f->has_pressure) append_law_line(p, sheet, line, ZM_LAW_PRESSURE, &f->where, k);
}

static void append_restitution_lines(zm_printer *p, zm_sheet *sheet, const zm_restitution *r)
{
    zm_line line = {.section = ZM_IN_LAW, .row = r->constraint};
    append_law_line(p, sheet, line, ZM_LAW_RESTITUTION, &r->where, 0);
    if (r->has_tangential) append_law_line(p, sheet, line, ZM_LAW_TANGENTIAL, &r->where, 1);
}

/* Its speed; limits and weights are no part of the equations. */
static void append_motor_line(zm_printer *p, zm_sheet *sheet, const zm_motor *m)
{
    zm_line line = {.section = ZM_IN_LAW, .row = m->constraint, .column = m->number};
    append_law_line(p, sheet, line, ZM_LAW_MOTOR, &m->where, 0);
}

/* Those of the whole families. */
void zm_append_whole_laws(zm_printer *p, zm_sheet *sheet)
{
    const zm_model *model = p->model;
    for (int32_t k = 0; k < model->friction_count; k++)
        if (model->families[model->frictions[k].where.family].whole)
            append_friction_lines(p, sheet, &model->frictions[k]);
    for (int32_t k = 0; k < model->restitution_count; k++)
        if (model->families[model->restitutions[k].where.family].whole)
            append_restitution_lines(p, sheet, &model->restitutions[k]);
    for (int32_t k = 0; k < model->motor_count; k++)
        if (model->families[model->motors[k].where.family].whole)
            append_motor_line(p, sheet, &model->motors[k]);
}

/* ------------------------------------------------------------------- sheets */

/* All whole families together; `any` is one of them. */
static void make_whole_sheet(zm_printer *p, const zm_family *any)
{
    zm_sheet *sheet = &p->sheets[p->sheet_count++];
    *sheet = (zm_sheet){.family = any, .instances = 1};
    append_whole_terms(p, sheet, ZM_IN_M);
    append_whole_forces(p, sheet);
    append_whole_terms(p, sheet, ZM_IN_C);
    zm_append_whole_rows(p, sheet, true);
    append_whole_weights(p, sheet);
    zm_append_whole_laws(p, sheet);
}

/* The first instance of a kept family. */
static void make_kept_sheet(zm_printer *p, const zm_family *f)
{
    zm_sheet *sheet = &p->sheets[p->sheet_count++];
    *sheet = (zm_sheet){.family = f, .instances = f->count};
    zm_entries mass = list_section_entries(p, f, ZM_IN_M);
    append_entry_lines(p, sheet, ZM_IN_M, &mass);
    append_kept_forces(p, sheet, f);
    zm_entries nonideal = list_section_entries(p, f, ZM_IN_C);
    append_entry_lines(p, sheet, ZM_IN_C, &nonideal);
    int32_t at = 0;
    if (f->kind == ZM_CONSTRAINT)
        append_constraint_lines(p, sheet, &p->model->constraints[f->items[0]], &at, true);
    if (f->kind == ZM_WEIGHT) append_weight_lines(p, sheet, &p->model->weights[f->items[0]]);
    if (f->kind == ZM_FRICTION) append_friction_lines(p, sheet, &p->model->frictions[f->items[0]]);
    if (f->kind == ZM_RESTITUTION)
        append_restitution_lines(p, sheet, &p->model->restitutions[f->items[0]]);
    if (f->kind == ZM_MOTOR) append_motor_line(p, sheet, &p->model->motors[f->items[0]]);
}

/* Whether there is something to print of a kept family. */
static bool is_printed_kind(zm_kind kind)
{
    return kind <= ZM_WEIGHT || kind == ZM_FRICTION || kind == ZM_RESTITUTION || kind == ZM_MOTOR;
}

bool zm_is_written_out(const zm_model *model)
{
    for (int32_t i = 0; i < model->family_count; i++)
        if (!model->families[i].whole && is_printed_kind(model->families[i].kind)) return false;
    return true;
}

/* The whole families first, then the kept ones that go into M, Q, C, A, b or W. */
void zm_make_sheets(zm_printer *p)
{
    const zm_model *model = p->model;
    const zm_family *whole = NULL;
    p->sheets = ZB_NEW_ARRAY(&p->work->scratch, zm_sheet, model->family_count + 1);
    for (int32_t i = 0; i < model->family_count && !whole; i++)
        if (model->families[i].whole) whole = &model->families[i];
    if (whole) make_whole_sheet(p, whole);
    if (whole && p->sheets[0].count == 0) p->sheet_count = 0; /* starts and outputs only */
    for (int32_t i = 0; i < model->family_count; i++)
        if (!model->families[i].whole && is_printed_kind(model->families[i].kind))
            make_kept_sheet(p, &model->families[i]);
}
