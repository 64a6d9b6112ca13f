/*
 * The derived equations as MathML, for a web page: for each section a line with its heading, then a
 * line with one table of equations. Names as in LaTeX (print_latex.c): Greek letters, subscripts
 * from digits and underscores, dots over the letter.
 */
#include <string.h>

#include "sheet.h"

/* ------------------------------------------------------------------- names */

/* Text that may hold anything. */
static void append_xml(zb_text *text, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        zb_glyph glyph = zb_glyph_next(bytes, length, &at);
        for (size_t i = 0; i < glyph.size; i++) {
            char c = glyph.bytes[i];
            if (c == '<')
                zb_text_add(text, "&lt;");
            else if (c == '&')
                zb_text_add(text, "&amp;");
            else
                zb_text_char(text, c);
        }
    }
}

static void append_element(zb_text *text, const char *tag, const char *bytes, size_t length)
{
    zb_text_printf(text, "<%s>", tag);
    append_xml(text, bytes, length);
    zb_text_printf(text, "</%s>", tag);
}

static void append_symbol(zb_text *text, const char *name, size_t length)
{
    const char *letter = zm_greek_letter(name, length);
    append_element(text, "mi", letter ? letter : name, letter ? strlen(letter) : length);
}

/* One name with indices and dots, as one element. */
typedef struct mathml_name {
    const char *name;
    const int32_t *index;
    int32_t index_count;
    int dots;
} mathml_name;

/* The letter with its dots. */
static void append_dotted(zb_text *text, const char *name, size_t length, int dots)
{
    if (dots > 0) zb_text_add(text, "<mover accent=\"true\">");
    append_symbol(text, name, length);
    if (dots > 0) zb_text_printf(text, "<mo>%s</mo></mover>", dots == 1 ? "˙" : "¨");
}

static void append_name(zb_text *text, const mathml_name *n)
{
    size_t skip, length = zm_measure_base_name(n->name, &skip);
    const char *own = n->name + length + skip;
    bool below = *own || n->index_count > 0;
    bool digits = strspn(own, "0123456789") == strlen(own);
    if (below) zb_text_add(text, "<msub>");
    append_dotted(text, n->name, length, n->dots);
    if (!below) return;
    zb_text_add(text, "<mrow>");
    if (*own && digits)
        append_element(text, "mn", own, strlen(own));
    else if (*own)
        append_symbol(text, own, strlen(own));
    for (int32_t k = 0; k < n->index_count; k++) {
        if (*own || k > 0) zb_text_add(text, "<mo>,</mo>");
        zb_text_printf(text, "<mn>%d</mn>", (int)n->index[k]);
    }
    zb_text_add(text, "</mrow></msub>");
}

/* The parts that a label belongs to, outermost first. */
static void append_scope(const zm_model *model, int32_t scope, zb_text *text)
{
    int32_t depth = 0;
    for (int32_t s = scope; s >= 0; s = model->parts[s].label.scope) depth++;
    for (; depth > 0; depth--) {
        int32_t s = scope;
        for (int32_t k = 1; k < depth; k++) s = model->parts[s].label.scope;
        const zm_label *l = &model->parts[s].label;
        append_name(
            text, &(mathml_name){zl_name_text(&model->unit, l->name), l->index, l->index_count, 0});
        zb_text_add(text, "<mo>.</mo>");
    }
}

/* One coordinate or parameter. */
static void append_block_element(const zm_model *model, const zm_block *block, int32_t element,
                                 int dots, zb_text *text)
{
    int32_t index[4], own = block->label.index_count, count;
    for (int32_t k = 0; k < own; k++) index[k] = block->label.index[k];
    zm_block_index(block, element, index + own, &count);
    zb_text_add(text, "<mrow>");
    append_scope(model, block->label.scope, text);
    append_name(text, &(mathml_name){zl_name_text(&model->unit, block->label.name), index,
                                     own + count, dots});
    zb_text_add(text, "</mrow>");
}

static void append_coordinate(const zm_model *model, int32_t coordinate, int dots, zb_text *text)
{
    int32_t block = zm_coordinate_block_of(model, coordinate);
    append_block_element(model, &model->coordinates[block], coordinate, dots, text);
}

/* The name of a row, or of a constraint, as text. */
static void append_words(const zm_model *model, int32_t row, int32_t constraint, zb_text *text)
{
    char buffer[200];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    if (row >= 0)
        zm_row_text(model, row, &name);
    else
        zm_constraint_text(model, constraint, &name);
    append_element(text, "mtext", buffer, strlen(buffer));
}

/* A multiplier is a lambda, a reaction an R. */
static void append_measure(const zm_model *model, int32_t measure, zb_text *text)
{
    zm_measure is = zm_measure_at(model, measure), *m = &is;
    const char *letter = m->kind == ZM_MULTIPLIER ? "λ" : "R";
    if (m->kind == ZM_REACTION_ALL) {
        zb_text_printf(text, "<mi>%s</mi>", letter);
        return;
    }
    zb_text_printf(text, "<msub><mi>%s</mi><mrow>", letter);
    append_words(model, m->kind == ZM_MULTIPLIER ? m->row : -1, m->constraint, text);
    if (m->kind == ZM_REACTION_ON) {
        zb_text_add(text, "<mo>,</mo>");
        append_coordinate(model, m->coordinate, 0, text);
    }
    zb_text_add(text, "</mrow></msub>");
}

/* contact(NAME), impulse(NAME) as text. */
static void append_hidden(const zm_model *model, int32_t value, zb_text *text)
{
    char buffer[200];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    zm_hidden_text(model, value, &name);
    append_element(text, "mtext", buffer, strlen(buffer));
}

/* Of data, with a prime for each derivative. */
static void append_table_name(const zm_model *model, const zx_item *leaf, zb_text *text)
{
    char buffer[200];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    zm_table_text(model, leaf, &name);
    append_element(text, "mi", buffer, strlen(buffer));
}

void zm_leaf_mathml(const zm_model *model, const zx_item *leaf, zb_text *text)
{
    switch (leaf->op) {
    case ZX_POSITION:
    case ZX_VELOCITY:
    case ZX_ACCELERATION:
        append_coordinate(model, leaf->a, leaf->op - ZX_POSITION, text);
        break;
    case ZX_VALUE:
        if (leaf->a >= model->first_hidden) {
            append_hidden(model, leaf->a, text);
            break;
        }
        append_block_element(model, &model->parameters[zm_parameter_block_of(model, leaf->a)],
                             leaf->a, 0, text);
        break;
    case ZX_MEASURE:
        append_measure(model, leaf->a, text);
        break;
    case ZX_TABLE:
        append_table_name(model, leaf, text);
        break;
    default:
        zb_text_add(text, "<mi>?</mi>");
        break;
    }
}

/* ------------------------------------------------------------------- layout */

static void begin_section(zb_text *text, const char *before, const char *title)
{
    zb_text_printf(text,
                   "<h2>%s%s</h2>\n<math xmlns=\"http://www.w3.org/1998/Math/MathML\" "
                   "display=\"block\"><mtable columnalign=\"right left left\">",
                   before, title);
}

static void end_section(zb_text *text)
{
    zb_text_add(text, "</mtable></math>\n");
}

/* The symbol of a law with its constraint, and which of its frictions it is. */
static void write_law(const zm_printer *p, const zm_line *line)
{
    static const char *const letters[] = {"μ", "μ", "N", "e", "e", "V"};
    zb_text_printf(p->text, "<msub><mi>%s</mi><mrow>", letters[line->law]);
    if (line->law == ZM_LAW_STATIC) zb_text_add(p->text, "<mtext>s</mtext><mo>,</mo>");
    if (line->law == ZM_LAW_TANGENTIAL) zb_text_add(p->text, "<mtext>t</mtext><mo>,</mo>");
    append_words(p->model, -1, line->row, p->text);
    if (line->column > 1) zb_text_printf(p->text, "<mo>,</mo><mn>%d</mn>", (int)line->column);
    zb_text_add(p->text, "</mrow></msub>");
}

/* The left side of a line: M_{x, y}, b_{rod}, ... */
static void write_left(const zm_printer *p, const zm_line *line)
{
    static const char letters[] = {
        [ZM_IN_M] = 'M', [ZM_IN_Q] = 'Q', [ZM_IN_F] = 'F', [ZM_IN_H] = 'H',
        [ZM_IN_C] = 'C', [ZM_IN_A] = 'A', [ZM_IN_B] = 'b', [ZM_IN_W] = 'W'};
    zm_section section = line->section;
    if (section == ZM_IN_LAGRANGIAN)
        zb_text_printf(p->text, "<mi>%s</mi>", zm_energy_symbol(line->row));
    if (section < ZM_IN_M) return;
    if (section == ZM_IN_LAW) {
        write_law(p, line);
        return;
    }
    zb_text_add(p->text, "<msub>");
    if (section == ZM_IN_PHI)
        append_symbol(p->text, p->phi, strlen(p->phi));
    else if (section < (int)sizeof letters)
        zb_text_printf(p->text, "<mi>%c</mi>", letters[section]);
    zb_text_add(p->text, "<mrow>");
    if (section <= ZM_IN_C)
        append_coordinate(p->model, line->row, 0, p->text);
    else
        append_words(p->model, line->row, -1, p->text);
    if (section == ZM_IN_M || section == ZM_IN_A) {
        zb_text_add(p->text, "<mo>,</mo>");
        append_coordinate(p->model, line->column, 0, p->text);
    } else if (section == ZM_IN_W) {
        zb_text_add(p->text, "<mo>,</mo>");
        append_words(p->model, line->column, -1, p->text);
    }
    zb_text_add(p->text, "</mrow></msub>");
}

static void write_lines(const zm_printer *p, const zm_sheet *sheet, const char *before)
{
    int group = -1;
    for (int32_t i = 0; i < sheet->count; i++) {
        const zm_line *line = &sheet->lines[i];
        if (zm_heading_group(line->section) != group) {
            if (group >= 0) end_section(p->text);
            group = zm_heading_group(line->section);
            begin_section(p->text, before, zm_section_heading(line));
        }
        if (line->section == ZM_IN_LEFT) { /* the right side follows */
            zb_text_printf(p->text, "<mtr><mtd>%s", line->right);
            continue;
        }
        if (line->section != ZM_IN_RIGHT) zb_text_add(p->text, "<mtr><mtd>");
        write_left(p, line);
        bool row = line->section == ZM_IN_PHI;
        zb_text_printf(p->text, "</mtd><mtd><mo>=</mo>%s%s</mtd><mtd>", line->right,
                       row && line->inequality ? "<mo>≥</mo><mn>0</mn>" : "");
        if (row)
            zb_text_printf(p->text, "<mtext>(%s%s)</mtext>", zm_row_kind_name(line->kind),
                           line->tangent ? ", while it sticks" : "");
        zb_text_add(p->text, "</mtd></mtr>");
    }
    if (group >= 0) end_section(p->text);
}

static void write_definitions(const zm_printer *p, const zm_sheet *sheet, const char *before)
{
    if (sheet->definition_count == 0) return;
    begin_section(p->text, before, "where");
    for (int32_t k = 0; k < sheet->definition_count; k++)
        zb_text_printf(p->text,
                       "<mtr><mtd><msub><mi>%s</mi><mn>%d</mn></msub></mtd><mtd><mo>=</mo>%s</mtd>"
                       "</mtr>",
                       p->prefix, (int)(k + 1), sheet->definitions[k]);
    end_section(p->text);
}

/* The headings of a kept family say how often it occurs. */
void zm_write_mathml(zm_printer *p)
{
    for (int32_t i = 0; i < p->sheet_count; i++) {
        const zm_sheet *sheet = &p->sheets[i];
        char before[100] = "";
        zb_text words;
        zb_text_init_fixed(&words, before, sizeof before);
        if (!sheet->family->whole)
            zb_text_printf(&words, "%s, the first of %d: ", zm_kind_name(sheet->family->kind),
                           (int)sheet->instances);
        write_lines(p, sheet, before);
        write_definitions(p, sheet, before);
    }
}
