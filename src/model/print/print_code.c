/*
 * The derived equations as a program: for SymPy, and in C. Names become identifiers of both: letters,
 * digits and underscores, Greek letters by their names; r[2] is r_2, link.r[2]' is link_r_2_d. Where
 * two would be one, or a word of the language stands in the way, underscores are added.
 *
 *     C       void equations(double t, const double *q, const double *v, const double *p, ...)
 *     SymPy   symbols, then M, F, H, C, A, b, phi as matrices
 */
#include <string.h>

#include "sheet.h"

/* ------------------------------------------------------------- identifiers */

/* Words that no name may be: of C, of Python, of what is written around the names. */
static bool is_reserved(const char *name)
{
    static const char *const words[] = {
        "sp",       "and",    "as",       "assert",   "async",    "await",    "auto",      "break",
        "case",     "char",   "class",    "const",    "continue", "def",      "default",   "del",
        "do",       "double", "elif",     "else",     "enum",     "except",   "extern",    "float",
        "finally",  "for",    "from",     "global",   "goto",     "if",       "import",    "in",
        "inline",   "int",    "is",       "lambda",   "long",     "nonlocal", "not",       "or",
        "pass",     "raise",  "register", "restrict", "return",   "short",    "signed",    "sizeof",
        "static",   "struct", "switch",   "try",      "typedef",  "union",    "unsigned",  "void",
        "volatile", "while",  "with",     "yield",    "t",        "q",        "v",         "p",
        "M",        "F",      "H",        "C",        "A",        "b",        "W",         "phi",
        "None",     "True",   "False",    "sin",      "cos",      "tan",      "asin",      "acos",
        "atan",     "sinh",   "cosh",     "tanh",     "exp",      "log",      "sqrt",      "fabs",
        "floor",    "pow",    "atan2",    "hypot",    "fmin",     "fmax",     "equations", "z"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(words[k], name) == 0) return true;
    return false;
}

/* One character of a name: Greek letters by their names, what no identifier may have as _. */
static void append_letter(zb_text *text, const zb_glyph *glyph)
{
    const char *name = zm_greek_name(glyph->bytes, glyph->size);
    char c = glyph->bytes[0];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (name)
        zb_text_add(text, name);
    else if (glyph->size == 1 && (plain || c == '_'))
        zb_text_char(text, c);
    else if (glyph->size == 1 && (c == '[' || c == ',' || c == '.'))
        zb_text_char(text, '_');
    else if (glyph->size > 1)
        for (size_t k = 0; k < glyph->size; k++)
            zb_text_printf(text, "x%02x", (unsigned)(unsigned char)glyph->bytes[k]);
}

/* The name of a leaf in the model's language as an identifier; derivatives: primes at its end. */
static void append_identifier(zb_text *text, const char *name)
{
    size_t length = strlen(name), primes = 0;
    while (length > 0 && name[length - 1] == '\'') {
        length--;
        primes++;
    }
    if (length > 0 && name[0] >= '0' && name[0] <= '9') zb_text_char(text, '_');
    for (size_t at = 0; at < length;) {
        zb_glyph glyph = zb_glyph_next(name, length, &at);
        append_letter(text, &glyph);
    }
    if (primes > 0) zb_text_add(text, primes == 1 ? "_d" : "_dd");
}

/* Whether a leaf is this one. */
static bool is_leaf(const zx_item *a, const zx_item *b)
{
    return a->op == b->op && a->a == b->a && (a->op != ZX_TABLE || a->b == b->b);
}

static bool is_taken(const zm_printer *p, const char *name)
{
    for (const zm_identifier *i = p->identifiers->first; i; i = i->next)
        if (strcmp(i->name, name) == 0) return true;
    return is_reserved(name);
}

/* A name of a leaf that no other has; scratch has room. */
static const char *make_identifier(const zm_printer *p, const zx_item *leaf)
{
    static const zm_family whole = {.whole = true};
    zb_text written, made;
    zb_text_init(&written, p->model->memory);
    zb_text_init(&made, p->model->memory);
    zm_leaf_text(p->model, &whole, 0, leaf, &written);
    append_identifier(&made, zb_text_string(&written));
    while (made.failure == ZW_OK && is_taken(p, zb_text_string(&made))) zb_text_char(&made, '_');
    zw_status failure = written.failure != ZW_OK ? written.failure : made.failure;
    const char *name = failure == ZW_OK
                           ? zb_arena_string(&p->work->scratch, zb_text_string(&made), made.length)
                           : NULL;
    zb_text_free(&written);
    zb_text_free(&made);
    if (!name) longjmp(*p->work->scratch.escape, 1);
    return name;
}

void zm_leaf_code(const zm_printer *p, const zx_item *leaf, zb_text *text)
{
    const zm_identifier *found = p->identifiers->first;
    while (found && !is_leaf(&found->leaf, leaf)) found = found->next;
    if (!found) {
        zm_identifier *made = ZB_NEW(&p->work->scratch, zm_identifier);
        *made = (zm_identifier){.leaf = *leaf, .name = make_identifier(p, leaf)};
        if (p->identifiers->last)
            p->identifiers->last->next = made;
        else
            p->identifiers->first = made;
        p->identifiers->last = made;
        found = made;
    }
    zb_text_add(text, found->name);
}

/* -------------------------------------------------------------------- SymPy */

static const struct {
    zm_section section;
    const char *name, *what;
} matrices[] = {{ZM_IN_M, "M", "mass matrix"},
                {ZM_IN_F, "F", "impressed force"},
                {ZM_IN_H, "H", "inertial force"},
                {ZM_IN_C, "C", "force of constraints that are not ideal"},
                {ZM_IN_A, "A", "constraints on the acceleration z, A z = b"},
                {ZM_IN_B, "b", "their right side"},
                {ZM_IN_PHI, "phi", "what the constraints hold at 0, or not below it"},
                {ZM_IN_W, "W", "weights of the rows"}};
enum { MATRICES = sizeof matrices / sizeof *matrices };

/* Rows and columns of a matrix; columns 1: a vector. */
static void find_size(const zm_printer *p, zm_section section, int32_t *rows, int32_t *columns)
{
    bool coordinates = section >= ZM_IN_M && section <= ZM_IN_C;
    *rows = coordinates ? p->model->n : p->model->m;
    *columns = 1;
    if (section == ZM_IN_M || section == ZM_IN_A) *columns = p->model->n;
    if (section == ZM_IN_W) *columns = p->model->m;
}

/* What a leaf is, for a list of names. */
static const char *describe_leaf(zx_op op)
{
    static const char *const words[] = {[ZX_POSITION] = "coordinates",
                                        [ZX_VELOCITY] = "velocities",
                                        [ZX_ACCELERATION] = "accelerations",
                                        [ZX_VALUE] = "parameters",
                                        [ZX_MEASURE] = "multipliers and reactions"};
    return words[op];
}

/* x, y = sp.symbols('x y', real=True) for the leaves of each kind. */
static void write_symbols(const zm_printer *p)
{
    for (int op = ZX_POSITION; op <= ZX_MEASURE; op++)
        for (const zm_identifier *i = p->identifiers->first; i; i = i->next)
            if (i->leaf.op == op)
                zb_text_printf(p->text, "%s = sp.Symbol('%s', real=True)  # %s\n", i->name, i->name,
                               describe_leaf((zx_op)op));
    for (const zm_identifier *i = p->identifiers->first; i; i = i->next)
        if (i->leaf.op == ZX_TABLE)
            zb_text_printf(p->text, "%s = sp.Function('%s')  # data\n", i->name, i->name);
}

/* Brackets of an entry: [0, 1], or [0] of a vector. */
static void write_entry_place(const zm_printer *p, const zm_line *line)
{
    int32_t rows, columns;
    find_size(p, line->section, &rows, &columns);
    zb_text_printf(p->text, "[%d, %d]", (int)line->row, columns > 1 ? (int)line->column : 0);
}

static void write_matrix_sympy(const zm_printer *p, const zm_sheet *sheet, int k)
{
    int32_t rows, columns;
    find_size(p, matrices[k].section, &rows, &columns);
    const char *begun = matrices[k].section == ZM_IN_W ? "eye" : "zeros"; /* a row counts once */
    zb_text_printf(p->text, "\n%s = sp.%s(%d, %d)  # %s\n", matrices[k].name, begun, (int)rows,
                   (int)columns, matrices[k].what);
    for (int32_t i = 0; i < sheet->count; i++) {
        const zm_line *line = &sheet->lines[i];
        if (line->section != matrices[k].section) continue;
        zb_text_add(p->text, matrices[k].name);
        write_entry_place(p, line);
        bool twice =
            (line->section == ZM_IN_M || line->section == ZM_IN_W) && line->row != line->column;
        if (twice)
            zb_text_printf(p->text, " = %s[%d, %d]", matrices[k].name, (int)line->column,
                           (int)line->row);
        zb_text_printf(p->text, " = %s\n", line->right);
    }
}

/* The title, each line behind a sign of a comment; control characters as their escapes. */
static void write_title(const zm_printer *p, const char *sign)
{
    if (!p->model->title) return;
    zb_text_add(p->text, sign);
    zb_text_shown(p->text, p->model->title, strlen(p->model->title));
    zb_text_char(p->text, '\n');
}

/* q, v, z: the names of all coordinates, in order. */
static void write_coordinate_lists(const zm_printer *p)
{
    static const char *const lists[] = {"q", "v", "z"};
    for (int k = 0; k < 3; k++) {
        zb_text_printf(p->text, "%s = [", lists[k]);
        for (int32_t i = 0; i < p->model->n; i++) {
            if (i > 0) zb_text_add(p->text, ", ");
            zm_leaf_code(p, &(zx_item){.op = ZX_POSITION + k, .a = i}, p->text);
        }
        zb_text_add(p->text, "]\n");
    }
}

void zm_write_sympy(zm_printer *p)
{
    static const zm_sheet none;
    const zm_sheet *sheet = p->sheet_count > 0 ? &p->sheets[0] : &none;
    for (int k = 0; k < 3; k++)
        for (int32_t i = 0; i < p->model->n; i++) {
            zb_text_clear(p->scratch); /* every coordinate has a name */
            zm_leaf_code(p, &(zx_item){.op = ZX_POSITION + k, .a = i}, p->scratch);
        }
    write_title(p, "# ");
    zb_text_add(p->text, "# M z = F + H + C + A^T lambda, for SymPy\nimport sympy as sp\n\n"
                         "t = sp.Symbol('t', real=True)\n");
    write_symbols(p);
    write_coordinate_lists(p);
    for (int32_t k = 0; k < sheet->definition_count; k++)
        zb_text_printf(p->text, "%s%d = %s\n", p->prefix, (int)(k + 1), sheet->definitions[k]);
    for (int k = 0; k < MATRICES; k++) write_matrix_sympy(p, sheet, k);
}

/* ------------------------------------------------------------------------ C */

/* Where the number of a leaf comes from: q[0], p[2]. */
static void write_locals(const zm_printer *p)
{
    static const char *const arrays[] = {[ZX_POSITION] = "q",
                                         [ZX_VELOCITY] = "v",
                                         [ZX_ACCELERATION] = "z",
                                         [ZX_VALUE] = "p",
                                         [ZX_MEASURE] = "r"};
    for (int op = ZX_POSITION; op <= ZX_MEASURE; op++)
        for (const zm_identifier *i = p->identifiers->first; i; i = i->next)
            if (i->leaf.op == op)
                zb_text_printf(p->text, "    const double %s = %s[%d];\n", i->name, arrays[op],
                               (int)i->leaf.a);
}

/* Functions of data are the caller's. */
static void write_prototypes(const zm_printer *p)
{
    for (const zm_identifier *i = p->identifiers->first; i; i = i->next)
        if (i->leaf.op == ZX_TABLE)
            zb_text_printf(p->text, "double %s(double x); /* data: to be given */\n", i->name);
}

/* The names of the parameters in the order of p. */
static void write_parameter_list(const zm_printer *p)
{
    zb_text_add(p->text, " * p:");
    for (int32_t k = 0; k < p->model->parameter_count; k++) {
        zb_text_add(p->text, k > 0 ? ", " : " ");
        zm_parameter_text(p->model, k, p->text);
    }
    if (p->model->parameter_count == 0) zb_text_add(p->text, " none");
    zb_text_add(p->text, ". q, v, z:");
    for (int32_t k = 0; k < p->model->n; k++) {
        zb_text_add(p->text, k > 0 ? ", " : " ");
        zm_coordinate_text(p->model, k, p->text);
    }
    zb_text_add(p->text,
                "\n * r: multipliers and reactions that stand in forces. Matrices are written "
                "row by row.\n */\n");
}

static void write_matrix_c(const zm_printer *p, const zm_sheet *sheet, int k)
{
    int32_t rows, columns;
    find_size(p, matrices[k].section, &rows, &columns);
    const char *name = matrices[k].name;
    zb_text_printf(p->text, "\n    /* %s [%d x %d] */\n", matrices[k].what, (int)rows,
                   (int)columns);
    zb_text_printf(p->text, "    for (int i = 0; i < %d; i++) %s[i] = 0.0;\n",
                   (int)(rows * columns), name);
    if (matrices[k].section == ZM_IN_W)
        zb_text_printf(p->text, "    for (int i = 0; i < %d; i++) %s[%d * i] = 1.0;\n", (int)rows,
                       name, (int)rows + 1);
    for (int32_t i = 0; i < sheet->count; i++) {
        const zm_line *line = &sheet->lines[i];
        if (line->section != matrices[k].section) continue;
        int32_t column = columns > 1 ? line->column : 0;
        zb_text_printf(p->text, "    %s[%d] = ", name, (int)(line->row * columns + column));
        if ((line->section == ZM_IN_M || line->section == ZM_IN_W) && line->row != column)
            zb_text_printf(p->text, "%s[%d] = ", name, (int)(column * columns + line->row));
        zb_text_printf(p->text, "%s;\n", line->right);
    }
}

/* Arrays that a model does not need are not used. */
static void write_unused(const zm_printer *p)
{
    static const char *const arrays[] = {"t", "q", "v", "z", "p", "r"};
    zb_text_add(p->text, "   ");
    for (int k = 0; k < 6; k++) zb_text_printf(p->text, " (void)%s;", arrays[k]);
    zb_text_char(p->text, '\n');
}

void zm_write_c(zm_printer *p)
{
    static const zm_sheet none;
    const zm_sheet *sheet = p->sheet_count > 0 ? &p->sheets[0] : &none;
    zb_text_add(p->text, "/*\n");
    write_title(p, " * ");
    zb_text_add(p->text, " * M z = F + H + C + A^T lambda with A z = b\n *\n");
    write_parameter_list(p);
    zb_text_add(p->text, "#include <math.h>\n\n");
    write_prototypes(p);
    zb_text_add(p->text,
                "void equations(double t, const double *q, const double *v, const double *z, "
                "const double *p,\n               const double *r");
    for (int k = 0; k < MATRICES; k++) zb_text_printf(p->text, ", double *%s", matrices[k].name);
    zb_text_add(p->text, ");\n\nvoid equations(double t, const double *q, const double *v, const "
                         "double *z, const double *p,\n               const double *r");
    for (int k = 0; k < MATRICES; k++) zb_text_printf(p->text, ", double *%s", matrices[k].name);
    zb_text_add(p->text, ")\n{\n");
    write_unused(p);
    write_locals(p);
    for (int32_t k = 0; k < sheet->definition_count; k++)
        zb_text_printf(p->text, "    const double %s%d = %s;\n", p->prefix, (int)(k + 1),
                       sheet->definitions[k]);
    for (int k = 0; k < MATRICES; k++) write_matrix_c(p, sheet, k);
    zb_text_add(p->text, "}\n");
}
