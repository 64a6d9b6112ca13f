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
static void append_line(zm_printer *p, zm_sheet *sheet, const zm_line *line)
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

/* What a family adds to M, Q or C. */
static zm_entries list_section_entries(const zm_family *f, zm_section section)
{
    if (section == ZM_IN_M) return (zm_entries){f->mass, f->mass_count};
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
        append_line(p, sheet,
                    &(zm_line){.section = section,
                               .row = swap ? column : row,
                               .column = swap ? row : column,
                               .node = e->node});
    }
}

/* The sum of a section over all whole families. */
static void append_whole_terms(zm_printer *p, zm_sheet *sheet, zm_section section)
{
    const zm_model *model = p->model;
    zm_entries all = {0};
    for (int32_t i = 0; i < model->family_count; i++)
        if (model->families[i].whole)
            all.count += list_section_entries(&model->families[i], section).count;
    all.data = ZB_NEW_ARRAY(&p->work->scratch, zm_entry, all.count);
    int32_t at = 0;
    for (int32_t i = 0; i < model->family_count; i++) {
        zm_entries some = list_section_entries(&model->families[i], section);
        if (!model->families[i].whole || some.count == 0) continue;
        memcpy(all.data + at, some.data, (size_t)some.count * sizeof *some.data);
        at += some.count;
    }
    zm_merge_entries(p->work, &all);
    append_entry_lines(p, sheet, section, &all);
}

/* --------------------------------------------------------------------- rows */

/* phi, A and b of one constraint. The entries of A begin at or after *at, which moves
 * behind them. */
static void append_constraint_lines(zm_printer *p, zm_sheet *sheet, const zm_constraint *c,
                                    int32_t *at)
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
        append_line(p, sheet, &line);
        line.section = ZM_IN_A;
        while (*at < f->jacobian_count && f->jacobian[*at].row < root) ++*at;
        for (; *at < f->jacobian_count && f->jacobian[*at].row == root; ++*at) {
            line.column = zm_coordinate_of(f, 0, f->jacobian[*at].column);
            line.node = f->jacobian[*at].node;
            append_line(p, sheet, &line);
        }
        line.section = ZM_IN_B;
        line.column = 0;
        line.node = f->b[root];
        append_line(p, sheet, &line);
    }
}

/* The constraints of the whole family, in declared order, which is that of its rows. */
static void append_whole_rows(zm_printer *p, zm_sheet *sheet)
{
    int32_t at = 0;
    for (int32_t c = 0; c < p->model->constraint_count; c++) {
        const zm_constraint *item = &p->model->constraints[c];
        if (item->where.family >= 0 && p->model->families[item->where.family].whole)
            append_constraint_lines(p, sheet, item, &at);
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
        append_line(p, sheet,
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
    append_line(p, sheet, &line);
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
static void append_whole_laws(zm_printer *p, zm_sheet *sheet)
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
    append_whole_terms(p, sheet, ZM_IN_Q);
    append_whole_terms(p, sheet, ZM_IN_C);
    append_whole_rows(p, sheet);
    append_whole_weights(p, sheet);
    append_whole_laws(p, sheet);
}

/* The first instance of a kept family. */
static void make_kept_sheet(zm_printer *p, const zm_family *f)
{
    zm_sheet *sheet = &p->sheets[p->sheet_count++];
    *sheet = (zm_sheet){.family = f, .instances = f->count};
    for (int section = ZM_IN_M; section <= ZM_IN_C; section++) {
        zm_entries entries = list_section_entries(f, (zm_section)section);
        append_entry_lines(p, sheet, (zm_section)section, &entries);
    }
    int32_t at = 0;
    if (f->kind == ZM_CONSTRAINT)
        append_constraint_lines(p, sheet, &p->model->constraints[f->items[0]], &at);
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
