/*
 * The derived equations as the body of a LaTeX document (amsmath): one align* for each section.
 *
 * Names: a Greek letter by its name or as itself, single letters as they are, longer names in
 * \mathit; digits at the end and what follows an underscore become subscripts before the indices:
 * theta2 is \theta_{2}, r[3] is r_{3}, m_rod is m_{\text{rod}}. A velocity has its dot over the
 * letter, not over the indices. Names of constraints stand in \text.
 */
#include <string.h>

#include "sheet.h"

/* ------------------------------------------------------------------ letters */

/* A Greek letter by its name, which is also its LaTeX command, and as itself. */
typedef struct greek {
    const char *name, *letter;
} greek;

/* Small letters; omicron has no command of its own. A capital that looks Latin has none either. */
static const greek greek_letters[] = {
    {"alpha", "α"},  {"beta", "β"},    {"gamma", "γ"},  {"delta", "δ"}, {"epsilon", "ε"},
    {"zeta", "ζ"},   {"eta", "η"},     {"theta", "θ"},  {"iota", "ι"},  {"kappa", "κ"},
    {"lambda", "λ"}, {"mu", "μ"},      {"mu", "µ"},     {"nu", "ν"},    {"xi", "ξ"},
    {"pi", "π"},     {"rho", "ρ"},     {"sigma", "σ"},  {"tau", "τ"},   {"upsilon", "υ"},
    {"phi", "φ"},    {"chi", "χ"},     {"psi", "ψ"},    {"omega", "ω"}, {"Gamma", "Γ"},
    {"Delta", "Δ"},  {"Theta", "Θ"},   {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},
    {"Sigma", "Σ"},  {"Upsilon", "Υ"}, {"Phi", "Φ"},    {"Psi", "Ψ"},   {"Omega", "Ω"},
};

/* The LaTeX command of a Greek letter, without backslash; NULL: it is none. */
const char *zm_greek_name(const char *name, size_t length)
{
    for (size_t k = 0; k < sizeof greek_letters / sizeof *greek_letters; k++) {
        const greek *l = &greek_letters[k];
        if (strlen(l->name) == length && memcmp(l->name, name, length) == 0) return l->name;
        if (strlen(l->letter) == length && memcmp(l->letter, name, length) == 0) return l->name;
    }
    return NULL;
}

const char *zm_greek_letter(const char *name, size_t length)
{
    const char *command = zm_greek_name(name, length);
    for (size_t k = 0; command && k < sizeof greek_letters / sizeof *greek_letters; k++)
        if (greek_letters[k].name == command) return greek_letters[k].letter;
    return NULL;
}

/* Other names go into \text, where any letter may stand. */
static bool is_ascii_name(const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)name[i] >= 128) return false;
    return true;
}

/* One visible character, as TeX would show it. */
static void append_escaped_byte(zb_text *text, char byte)
{
    if (byte == '\\')
        zb_text_add(text, "\\textbackslash{}");
    else if (byte == '~' || byte == '^')
        zb_text_printf(text, "\\%c{}", byte);
    else if (strchr("_{}#$%&", byte))
        zb_text_printf(text, "\\%c", byte);
    else
        zb_text_char(text, byte);
}

/* Text inside \text{...}: the signs that mean something to TeX are escaped, and what is not to be
 * shown, control characters and bytes that are no UTF-8, stands as its escape. */
static void append_escaped(zb_text *text, const char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        zb_glyph glyph = zb_glyph_next(bytes, length, &at);
        for (size_t i = 0; i < glyph.size; i++) append_escaped_byte(text, glyph.bytes[i]);
    }
}

/* \text{...} */
static void append_in_text(zb_text *text, const char *bytes, size_t length)
{
    zb_text_add(text, "\\text{");
    append_escaped(text, bytes, length);
    zb_text_char(text, '}');
}

/* The symbol itself, without subscripts. */
static void append_symbol_latex(zb_text *text, const char *name, size_t length)
{
    const char *command = zm_greek_name(name, length);
    if (command)
        zb_text_printf(text, "\\%s", command);
    else if (!is_ascii_name(name, length))
        append_in_text(text, name, length);
    else if (length == 1)
        zb_text_bytes(text, name, length);
    else {
        zb_text_add(text, "\\mathit{");
        append_escaped(text, name, length);
        zb_text_char(text, '}');
    }
}

/* -------------------------------------------------------------------- names */

/* One name with indices and dots. */
typedef struct symbol_parts {
    const char *name;
    const int32_t *index;
    int32_t index_count;
    int dots;
} symbol_parts;

/* The length of a name up to the subscript that is part of it: what follows an underscore, or
 * digits at the end. *skip: bytes of the underscore. */
size_t zm_measure_base_name(const char *name, size_t *skip)
{
    size_t length = strlen(name), digits = length;
    const char *underscore = strchr(name, '_');
    *skip = 0;
    if (underscore && underscore > name && underscore[1]) {
        *skip = 1;
        return (size_t)(underscore - name);
    }
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') digits--;
    return digits > 0 ? digits : length;
}

/* The subscript `own` that is part of the name (or ""), then the indices. */
static void append_subscript(zb_text *text, const char *own, const symbol_parts *s)
{
    if (!*own && s->index_count == 0) return;
    zb_text_add(text, "_{");
    if (*own && strspn(own, "0123456789") == strlen(own))
        zb_text_add(text, own);
    else if (*own && zm_greek_name(own, strlen(own)))
        append_symbol_latex(text, own, strlen(own));
    else if (*own)
        append_in_text(text, own, strlen(own));
    for (int32_t k = 0; k < s->index_count; k++) {
        if (*own || k > 0) zb_text_char(text, ',');
        zb_text_int(text, s->index[k]);
    }
    zb_text_char(text, '}');
}

/* The letter with its dots, then the subscripts. */
static void append_name_latex(zb_text *text, const symbol_parts *s)
{
    static const char *const dots[] = {"", "\\dot{", "\\ddot{"};
    size_t skip, length = zm_measure_base_name(s->name, &skip);
    zb_text_add(text, dots[s->dots]);
    append_symbol_latex(text, s->name, length);
    if (s->dots > 0) zb_text_char(text, '}');
    append_subscript(text, s->name + length + skip, s);
}

/* The parts that a label belongs to, outermost first, each with a full stop. */
static void append_scope_latex(const zm_model *model, int32_t scope, zb_text *text)
{
    int32_t depth = 0;
    for (int32_t s = scope; s >= 0; s = model->parts[s].label.scope) depth++;
    for (; depth > 0; depth--) {
        int32_t s = scope;
        for (int32_t k = 1; k < depth; k++) s = model->parts[s].label.scope;
        const zm_label *l = &model->parts[s].label;
        append_name_latex(text, &(symbol_parts){zl_name_text(&model->unit, l->name), l->index,
                                                l->index_count, 0});
        zb_text_char(text, '.');
    }
}

/* One coordinate or parameter: indices of the block's label first, then those of the element
 * in it. */
static void append_element_latex(const zm_model *model, const zm_block *block, int32_t element,
                                 int dots, zb_text *text)
{
    int32_t index[4], own = block->label.index_count, count;
    for (int32_t k = 0; k < own; k++) index[k] = block->label.index[k];
    zm_block_index(block, element, index + own, &count);
    append_scope_latex(model, block->label.scope, text);
    append_name_latex(text, &(symbol_parts){zl_name_text(&model->unit, block->label.name), index,
                                            own + count, dots});
}

/* With dots for its derivatives. */
static void append_coordinate_latex(const zm_model *model, int32_t coordinate, int dots,
                                    zb_text *text)
{
    int32_t block = zm_coordinate_block_of(model, coordinate);
    append_element_latex(model, &model->coordinates[block], coordinate, dots, text);
}

/* The name of a row in \text. */
static void append_row_latex(const zm_model *model, int32_t row, zb_text *text)
{
    char buffer[200];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    zm_row_text(model, row, &name);
    append_in_text(text, buffer, strlen(buffer));
}

/* The name of a constraint in \text. */
static void append_constraint_latex(const zm_model *model, int32_t constraint, zb_text *text)
{
    char buffer[200];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    zm_constraint_text(model, constraint, &name);
    append_in_text(text, buffer, strlen(buffer));
}

/* ------------------------------------------------------------------- leaves */

/* contact(NAME), impulse(NAME) in \text. */
static void append_hidden_latex(const zm_model *model, int32_t value, zb_text *text)
{
    char buffer[200];
    zb_text name;
    zb_text_init_fixed(&name, buffer, sizeof buffer);
    zm_hidden_text(model, value, &name);
    append_in_text(text, buffer, strlen(buffer));
}

static void append_parameter_latex(const zm_model *model, int32_t element, zb_text *text)
{
    if (element >= model->first_hidden) {
        append_hidden_latex(model, element, text);
        return;
    }
    int32_t block = zm_parameter_block_of(model, element);
    append_element_latex(model, &model->parameters[block], element, 0, text);
}

/* A multiplier is a lambda, a reaction an R. */
static void append_measure_latex(const zm_model *model, int32_t measure, zb_text *text)
{
    zm_measure is = zm_measure_at(model, measure), *m = &is;
    zb_text_add(text, m->kind == ZM_MULTIPLIER ? "\\lambda" : "R");
    if (m->kind == ZM_REACTION_ALL) return;
    zb_text_add(text, "_{");
    if (m->kind == ZM_MULTIPLIER)
        append_row_latex(model, m->row, text);
    else
        append_constraint_latex(model, m->constraint, text);
    if (m->kind == ZM_REACTION_ON) {
        zb_text_add(text, ",\\,");
        append_coordinate_latex(model, m->coordinate, 0, text);
    }
    zb_text_char(text, '}');
}

/* Data have a prime for each derivative. */
static void append_table_latex(const zm_model *model, const zx_item *leaf, zb_text *text)
{
    const char *name = zl_name_text(&model->unit, model->data[leaf->a].label.name);
    append_name_latex(text, &(symbol_parts){.name = name});
    for (int32_t k = 0; k < leaf->b; k++) zb_text_char(text, '\'');
}

/* Velocities and accelerations have as many dots as their order. */
void zm_leaf_latex(const zm_model *model, const zx_item *leaf, zb_text *text)
{
    switch (leaf->op) {
    case ZX_POSITION:
    case ZX_VELOCITY:
    case ZX_ACCELERATION:
        append_coordinate_latex(model, leaf->a, leaf->op - ZX_POSITION, text);
        break;
    case ZX_VALUE:
        append_parameter_latex(model, leaf->a, text);
        break;
    case ZX_MEASURE:
        append_measure_latex(model, leaf->a, text);
        break;
    case ZX_TABLE:
        append_table_latex(model, leaf, text);
        break;
    default:
        break;
    }
}

/* ------------------------------------------------------------------- layout */

/* What stands above the lines of a section. */
const char *zm_section_heading(const zm_line *line)
{
    switch (line->section) {
    case ZM_IN_LAGRANGIAN:
        return "Lagrangian";
    case ZM_IN_LEFT:
    case ZM_IN_RIGHT:
        return "Equations of motion";
    case ZM_IN_M:
        return "Mass matrix";
    case ZM_IN_Q:
    case ZM_IN_F:
        return "Impressed force";
    case ZM_IN_H:
        return "Inertial force";
    case ZM_IN_C:
        return "Force of non-ideal constraints";
    case ZM_IN_W:
        return "Weights";
    case ZM_IN_LAW:
        return line->law == ZM_LAW_MOTOR ? "Speeds that motors push along"
                                         : "Friction and restitution";
    default:
        return "Constraints";
    }
}

/* The symbol of a law with its constraint, and which of its frictions it is. */
static void write_law_latex(const zm_printer *p, const zm_line *line)
{
    static const char *const symbols[] = {"\\mu_{", "\\mu_{\\text{s},\\,", "N_{",
                                          "e_{",    "e_{\\text{t},\\,",    "V_{"};
    zb_text_add(p->text, symbols[line->law]);
    append_constraint_latex(p->model, line->row, p->text);
    if (line->column > 1) zb_text_printf(p->text, ",\\,%d", (int)line->column);
    zb_text_char(p->text, '}');
}

/* The left side of a line: M_{x, y}, b_{rod}, ... */
static void write_left_latex(const zm_printer *p, const zm_line *line)
{
    static const char symbols[] = {
        [ZM_IN_M] = 'M', [ZM_IN_Q] = 'Q', [ZM_IN_F] = 'F', [ZM_IN_H] = 'H',
        [ZM_IN_C] = 'C', [ZM_IN_A] = 'A', [ZM_IN_B] = 'b', [ZM_IN_W] = 'W'};
    zm_section section = line->section;
    if (section == ZM_IN_LAGRANGIAN) zb_text_add(p->text, zm_energy_symbol(line->row));
    if (section < ZM_IN_M) return;
    if (section == ZM_IN_LAW) {
        write_law_latex(p, line);
        return;
    }
    if (section == ZM_IN_PHI)
        append_symbol_latex(p->text, p->phi, strlen(p->phi));
    else if (section < (int)sizeof symbols)
        zb_text_char(p->text, symbols[section]);
    zb_text_add(p->text, "_{");
    if (section <= ZM_IN_C)
        append_coordinate_latex(p->model, line->row, 0, p->text);
    else
        append_row_latex(p->model, line->row, p->text);
    if (section == ZM_IN_M || section == ZM_IN_A) {
        zb_text_add(p->text, ",\\,");
        append_coordinate_latex(p->model, line->column, 0, p->text);
    } else if (section == ZM_IN_W) {
        zb_text_add(p->text, ",\\,");
        append_row_latex(p->model, line->column, p->text);
    }
    zb_text_char(p->text, '}');
}

static void begin_align_latex(zb_text *text, const char *title)
{
    zb_text_printf(text, "\\paragraph{%s}\n\\begin{align*}\n", title);
}

static void end_align_latex(zb_text *text)
{
    zb_text_add(text, "\n\\end{align*}\n");
}

/* The right side, or one side of an equation of motion: the left one begins its line, the right one
 * follows it or has a line of its own. width: what is taken of the line; what is taken then. */
static double write_right_latex(const zm_printer *p, const zm_line *line, double width)
{
    enum { LEFT_SIDE = 8 }; /* of a matrix */
    if (line->section == ZM_IN_LEFT) {
        zb_text_char(p->text, '&');
        return zm_break_latex(p->text, line->right, 0.0);
    }
    if (line->section != ZM_IN_RIGHT) {
        zb_text_add(p->text, " &= ");
        return zm_break_latex(p->text, line->right, LEFT_SIDE);
    }
    bool fits = width + zm_latex_width(line->right) + 2.0 <= ZM_LATEX_WIDTH;
    zb_text_add(p->text, fits ? " = " : " \\\\\n&\\quad = ");
    return zm_break_latex(p->text, line->right, fits ? width + 2.0 : 4.0);
}

/* The lines of a sheet, an align* with a heading for each group. */
static void write_lines_latex(const zm_printer *p, const zm_sheet *sheet)
{
    int group = -1;
    double width = 0.0;
    for (int32_t i = 0; i < sheet->count; i++) {
        const zm_line *line = &sheet->lines[i];
        if (zm_heading_group(line->section) != group) {
            if (group >= 0) end_align_latex(p->text);
            group = zm_heading_group(line->section);
            begin_align_latex(p->text, zm_section_heading(line));
        } else if (line->section != ZM_IN_RIGHT)
            zb_text_add(p->text, " \\\\\n");
        write_left_latex(p, line);
        width = write_right_latex(p, line, width);
        if (line->section != ZM_IN_PHI) continue;
        if (line->inequality) zb_text_add(p->text, " \\ge 0");
        zb_text_printf(p->text, " && \\text{(%s%s)}", zm_row_kind_name(line->kind),
                       line->tangent ? ", while it sticks" : "");
    }
    if (group >= 0) end_align_latex(p->text);
}

/* The shared definitions, in an align* of their own. */
static void write_definitions_latex(const zm_printer *p, const zm_sheet *sheet)
{
    if (sheet->definition_count == 0) return;
    begin_align_latex(p->text, "where");
    for (int32_t k = 0; k < sheet->definition_count; k++) {
        zb_text_printf(p->text, "%s%s_{%d} &= ", k > 0 ? " \\\\\n" : "", p->prefix, (int)(k + 1));
        (void)zm_break_latex(p->text, sheet->definitions[k], 4.0);
    }
    end_align_latex(p->text);
}

/* A subsection for each kept family. */
void zm_write_latex(zm_printer *p)
{
    zb_text_add(p->text, "% the body of a document that uses amsmath\n\\allowdisplaybreaks\n");
    if (p->model->title) {
        zb_text_add(p->text, "\\section*{");
        append_escaped(p->text, p->model->title, strlen(p->model->title));
        zb_text_add(p->text, "}\n");
    }
    for (int32_t i = 0; i < p->sheet_count; i++) {
        const zm_sheet *sheet = &p->sheets[i];
        if (!sheet->family->whole)
            zb_text_printf(p->text, "\\subsection*{%s: the first, and %d more of this shape}\n",
                           zm_kind_name(sheet->family->kind), (int)(sheet->instances - 1));
        write_lines_latex(p, sheet);
        write_definitions_latex(p, sheet);
    }
}
