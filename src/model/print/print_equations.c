/*
 * zm_print: the derived equations to read. The lines come from print_sheet.c; here their
 * expressions are written, short ones as they are, long ones of a sheet together with the
 * definitions they share; print_text.c, print_latex.c and print_json.c lay them out.
 */
#include <string.h>

#include "sheet.h"

/* Operations, written out, up to which an expression is left whole. */
enum { SHORT = 24, SHORT_MOTION = 40 };

/* What zm_print hands to its pass; freed by zm_print, whatever happens in between. */
typedef struct printing {
    const zm_print_request *request;
    zb_text *text;
    zb_text scratch;
    zx_pool bound, print_pool; /* expressions of instances; the same to read */
} printing;

/* -------------------------------------------------------------- expressions */

static int choose_most_operations(const zm_printer *p)
{
    return p->motion ? SHORT_MOTION : SHORT;
}

/* Operations of every node of print_pool when written out as a tree, up to one more than are left
 * whole. */
static uint8_t *measure_tree_sizes(zm_printer *p)
{
    int most = choose_most_operations(p);
    const zx_pool *pool = p->print_pool;
    uint8_t *sizes = ZB_NEW_ARRAY(&p->work->scratch, uint8_t, pool->count);
    for (int32_t i = 0; i < pool->count; i++) {
        const zx_item *item = &pool->items[i];
        const int32_t operand[3] = {item->a, item->b, item->c};
        int operands = zx_operands((zx_op)item->op), size = operands > 0;
        for (int k = 0; k < operands; k++) size += sizes[operand[k]];
        sizes[i] = (uint8_t)(size > most ? most + 1 : size);
    }
    return sizes;
}

/* For zx_read: constants as books write them, masses and moments of inertia first, then stiffness and
 * damping, then gravity, the others as they were declared. */
static int64_t rank_leaf(void *user, const zx_item *leaf)
{
    static const char *const letters[] = {"mMIJ", "kc", "g"};
    const zm_printer *p = user;
    int64_t class = 0;
    if (leaf->op != ZX_VALUE) return leaf->a;
    if (leaf->a >= p->model->first_hidden || leaf->a >= p->model->parameter_count)
        return INT32_MAX + (int64_t)leaf->a;
    const zm_block *block = &p->model->parameters[zm_parameter_block_of(p->model, leaf->a)];
    const char *name = zl_name_text(&p->model->unit, block->label.name);
    while (class < 3 && !strchr(letters[class], name[0])) class ++;
    return (class << 32) + leaf->a;
}

/* The expressions of a sheet one after the other: of each line its node, then its parts. */
static int32_t count_sheet_nodes(const zm_sheet *sheet)
{
    int32_t count = 0;
    for (int32_t i = 0; i < sheet->count; i++) count += 1 + sheet->lines[i].part_count;
    return count;
}

/* Copies them from the list into the lines, or, if not `back`, the other way round. */
static void move_sheet_nodes(const zm_sheet *sheet, zx_node *nodes, bool back)
{
    for (int32_t i = 0, at = 0; i < sheet->count; i++) {
        zm_line *line = &sheet->lines[i];
        for (int32_t k = -1; k < line->part_count; k++, at++) {
            zx_node *place = k < 0 ? &line->node : &line->parts[k];
            if (back)
                *place = nodes[at];
            else
                nodes[at] = *place;
        }
    }
}

/* Copies the expressions of a sheet, bound as those of its first instance, so that
 * constants fold, and reads them. */
static void copy_sheet_to_print_pool(zm_printer *p, zm_sheet *sheet)
{
    zm_binding binding = zm_binding_of(p->model, sheet->family, 0);
    binding.shown = true;
    int32_t count = count_sheet_nodes(sheet);
    zx_node *nodes = ZB_NEW_ARRAY(&p->work->scratch, zx_node, count);
    zx_node *copies = ZB_NEW_ARRAY(&p->work->scratch, zx_node, count);
    zx_reading how = {.rank = rank_leaf, .user = p, .apart = p->motion};
    move_sheet_nodes(sheet, nodes, false);
    zx_copy(p->bound_pool, p->work->pool, nodes, count, zm_bind_leaf, &binding, copies);
    if (!p->plain) zx_read(p->print_pool, p->bound_pool, copies, count, &how, nodes);
    move_sheet_nodes(sheet, p->plain ? copies : nodes, true);
}

/* ------------------------------------------------------- equations of motion */

/* sum + node, or - node; a sum that is added loses its brackets. */
static zx_node add_summand(zx_pool *pool, zx_node sum, zx_node node, bool minus)
{
    zx_item item = pool->items[node];
    double value;
    if (item.op == ZX_NEG) return add_summand(pool, sum, item.a, !minus);
    if (zx_is_constant(pool, node, &value) && value == 0.0) return sum;
    if (sum == ZX_NONE) return minus ? zx_intern(pool, &(zx_item){.op = ZX_NEG, .a = node}) : node;
    return zx_intern(pool, &(zx_item){.op = minus ? ZX_SUB : ZX_ADD, .a = sum, .b = node});
}

/* Adds a summand of an equation to the sum, the terms of a sum one by one. */
static zx_node add_terms(zm_printer *p, zx_node sum, zx_node node)
{
    zx_pool *pool = p->print_pool;
    int32_t count = 0;
    for (zx_node at = node; pool->items[at].op == ZX_ADD || pool->items[at].op == ZX_SUB;
         at = pool->items[at].a)
        count++;
    zx_node *terms = ZB_NEW_ARRAY(&p->work->scratch, zx_node, count + 1);
    bool *minus = ZB_NEW_ARRAY(&p->work->scratch, bool, count + 1);
    terms[0] = node;
    for (int32_t k = count; k > 0; k--) {
        minus[k] = pool->items[terms[0]].op == ZX_SUB;
        terms[k] = pool->items[terms[0]].b;
        terms[0] = pool->items[terms[0]].a;
    }
    for (int32_t k = 0; k <= count; k++) sum = add_summand(pool, sum, terms[k], minus[k]);
    return sum;
}

/* Makes one expression of the summands of each side. */
static void join_summands(zm_printer *p, const zm_sheet *sheet)
{
    for (int32_t i = 0; i < sheet->count; i++) {
        zm_line *line = &sheet->lines[i];
        if (line->section != ZM_IN_LEFT && line->section != ZM_IN_RIGHT) continue;
        zx_node sum = ZX_NONE;
        for (int32_t k = 0; k < line->part_count; k++) sum = add_terms(p, sum, line->parts[k]);
        line->node = sum == ZX_NONE ? zx_number(p->print_pool, 0.0) : sum;
    }
}

/* Where a definition or root begins in the text. Nothing is written on its left side, so the right
 * side reaches up to the next. */
typedef struct piece {
    bool definition;
    int32_t k;
    size_t at;
} piece;

/* The pieces of the text being written. */
typedef struct writing {
    zm_printer *p;
    piece *pieces; /* [count] */
    int32_t count, capacity;
} writing;

/* For zx_print: leaves of print_pool are the coordinates, values and measures themselves. */
static void write_leaf_name(void *user, const zx_item *leaf, zx_form form, zb_text *text)
{
    static const zm_family whole = {.whole = true};
    const writing *w = user;
    if (form == ZX_MATHML)
        zm_leaf_mathml(w->p->model, leaf, text);
    else if (form == ZX_LATEX)
        zm_leaf_latex(w->p->model, leaf, text);
    else if (form == ZX_C || form == ZX_SYMPY)
        zm_leaf_code(w->p, leaf, text);
    else
        zm_leaf_text(w->p->model, &whole, 0, leaf, text);
}

/* For zx_print_shared: notes where definition or root k begins. */
static void begin_piece(void *user, bool definition, int32_t k, zb_text *text)
{
    writing *w = user;
    if (w->count == w->capacity) {
        int32_t capacity = w->capacity < 16 ? 16 : 2 * w->capacity;
        piece *pieces = ZB_NEW_ARRAY(&w->p->work->scratch, piece, capacity);
        if (w->count > 0) memcpy(pieces, w->pieces, (size_t)w->count * sizeof *pieces);
        w->pieces = pieces;
        w->capacity = capacity;
    }
    w->pieces[w->count++] = (piece){definition, k, text->length};
}

/* Bytes [from, to) of the text as a string of its own, without white space at its ends. */
static const char *copy_trimmed_text(zm_printer *p, size_t from, size_t to)
{
    const char *data = zb_text_string(p->scratch);
    while (from < to && (data[from] == ' ' || data[from] == '\n')) from++;
    while (from < to && (data[to - 1] == ' ' || data[to - 1] == '\n')) to--;
    return zb_arena_string(&p->work->scratch, data + from, to - from);
}

static zx_form choose_expression_form(const zm_printer *p)
{
    if (p->form == ZM_PRINT_MATHML) return ZX_MATHML;
    if (p->form == ZM_PRINT_SYMPY) return ZX_SYMPY;
    if (p->form == ZM_PRINT_C) return ZX_C;
    return p->form == ZM_PRINT_LATEX ? ZX_LATEX : ZX_TEXT;
}

/* A text that ran out of memory keeps that to itself; this jumps to where everything else jumps. */
static void check_text_memory(zm_printer *p)
{
    if (p->scratch->failure != ZW_OK) longjmp(*p->work->scratch.escape, 1);
}

/* The lines with short expressions, each on its own. */
static void write_short_lines(zm_printer *p, zm_sheet *sheet, const uint8_t *sizes)
{
    writing w = {.p = p};
    for (int32_t i = 0; i < sheet->count; i++) {
        zm_line *line = &sheet->lines[i];
        if (sizes[line->node] > choose_most_operations(p)) continue;
        zb_text_clear(p->scratch);
        zx_print(p->print_pool, line->node, choose_expression_form(p), write_leaf_name, &w, 0,
                 p->scratch);
        check_text_memory(p);
        line->right = copy_trimmed_text(p, 0, p->scratch->length);
    }
}

/* Cuts the text into definitions of the sheet and right sides of its lines. */
static void distribute_pieces(zm_printer *p, zm_sheet *sheet, const writing *w,
                              zm_line *const *lines)
{
    sheet->definitions = ZB_NEW_ARRAY(&p->work->scratch, const char *, w->count);
    for (int32_t i = 0; i < w->count; i++) {
        size_t end = i + 1 < w->count ? w->pieces[i + 1].at : p->scratch->length;
        const char *right = copy_trimmed_text(p, w->pieces[i].at, end);
        if (w->pieces[i].definition)
            sheet->definitions[sheet->definition_count++] = right;
        else
            lines[w->pieces[i].k]->right = right;
    }
}

/* The other lines together, with definitions of what they share. */
static void write_long_lines(zm_printer *p, zm_sheet *sheet)
{
    writing w = {.p = p};
    zx_node *roots = ZB_NEW_ARRAY(&p->work->scratch, zx_node, sheet->count);
    zm_line **lines = ZB_NEW_ARRAY(&p->work->scratch, zm_line *, sheet->count);
    int32_t count = 0;
    for (int32_t i = 0; i < sheet->count; i++) {
        if (sheet->lines[i].right) continue;
        roots[count] = sheet->lines[i].node;
        lines[count++] = &sheet->lines[i];
    }
    if (count == 0) return;
    zb_text_clear(p->scratch);
    zx_print_shared(p->print_pool, roots, count, choose_expression_form(p), p->prefix,
                    write_leaf_name, begin_piece, &w, p->scratch);
    check_text_memory(p);
    distribute_pieces(p, sheet, &w, lines);
}

/* -------------------------------------------------------- names of definitions */

/* Whether a name could be taken for that of a definition: s, s1, s_1, which LaTeX writes alike. */
static bool looks_like_definition(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0) return false;
    name += length + (name[length] == '_');
    return name[strspn(name, "0123456789")] == '\0';
}

/* Whether no name of the model looks like a definition with this prefix. */
static bool is_prefix_free(const zm_model *model, const char *prefix)
{
    for (int32_t k = 0; k < model->unit.names.count; k++)
        if (looks_like_definition(model->unit.names.data[k], prefix)) return false;
    return true;
}

/* The first of some prefixes that no name of the model begins with and goes on with digits. */
static const char *choose_definition_prefix(zm_printer *p)
{
    static const char *const letters[] = {"s", "u", "w", "h", "k", "c", "d", "p", "r", "y"};
    enum { LETTERS = sizeof letters / sizeof *letters };
    for (int k = 0; k < LETTERS; k++)
        if (is_prefix_free(p->model, letters[k])) return letters[k];
    for (size_t length = 2;; length++) { /* ss, sss, ...: the names come to an end */
        char *prefix = ZB_NEW_ARRAY(&p->work->scratch, char, length + 1);
        memset(prefix, 's', length);
        if (is_prefix_free(p->model, prefix)) return prefix;
    }
}

/* ---------------------------------------------------------- the name of a row */

/* Whether the model has a name, or the Greek letter of that name. */
static bool has_name(const zm_model *model, const char *name)
{
    const char *letter = zm_greek_letter(name, strlen(name));
    for (int32_t k = 0; k < model->unit.names.count; k++) {
        const char *other = model->unit.names.data[k];
        if (strcmp(other, name) == 0 || (letter && strcmp(other, letter) == 0)) return true;
    }
    return false;
}

/* phi, unless something of the model is called so. */
static const char *choose_row_symbol(const zm_model *model)
{
    static const char *const names[] = {"phi", "Phi", "psi", "Psi", "chi", "f", "g", "h"};
    enum { NAMES = sizeof names / sizeof *names };
    for (int k = 0; k < NAMES; k++)
        if (!has_name(model, names[k])) return names[k];
    return "row";
}

/* ---------------------------------------------------------------------- all */

/* The pass: sheets, then their expressions, then the layout of the form asked for. */
static void print_equations(zm_workspace *work, void *user)
{
    printing *asked = user;
    zm_identifiers identifiers = {0};
    zm_printer p = {.work = work,
                    .model = work->model,
                    .form = asked->request->form,
                    .plain = asked->request->plain,
                    .motion = asked->request->motion,
                    .bound_pool = &asked->bound,
                    .print_pool = asked->request->plain ? &asked->bound : &asked->print_pool,
                    .identifiers = &identifiers,
                    .text = asked->text,
                    .scratch = &asked->scratch};
    asked->bound.escape = asked->print_pool.escape = work->scratch.escape;
    asked->bound.tables = asked->print_pool.tables = &work->model->tables;
    p.prefix = choose_definition_prefix(&p);
    p.phi = choose_row_symbol(p.model);
    if (p.motion)
        zm_make_motion(&p);
    else
        zm_make_sheets(&p);
    for (int32_t i = 0; i < p.sheet_count; i++) {
        copy_sheet_to_print_pool(&p, &p.sheets[i]);
        join_summands(&p, &p.sheets[i]);
    }
    const uint8_t *sizes = measure_tree_sizes(&p);
    for (int32_t i = 0; i < p.sheet_count; i++) {
        write_short_lines(&p, &p.sheets[i], sizes);
        write_long_lines(&p, &p.sheets[i]);
    }
    switch (p.form) {
    case ZM_PRINT_TEXT:
        zm_write_text(&p);
        break;
    case ZM_PRINT_LATEX:
        zm_write_latex(&p);
        break;
    case ZM_PRINT_JSON:
        zm_write_json(&p);
        break;
    case ZM_PRINT_MATHML:
        zm_write_mathml(&p);
        break;
    case ZM_PRINT_SYMPY:
        zm_write_sympy(&p);
        break;
    case ZM_PRINT_C:
        zm_write_c(&p);
        break;
    }
}

/* Nodes that printing adds to the pool of the model are taken back. */
void zm_print(zm_model *model, const zm_print_request *request, zb_text *text)
{
    int32_t nodes = model->pool.count;
    printing p = {.request = request, .text = text};
    zb_text_init(&p.scratch, model->memory);
    zx_pool_init(&p.bound, model->memory, NULL, true);
    zx_pool_init(&p.print_pool, model->memory, NULL, false);
    if (!zm_with_workspace(model, print_equations, &p)) text->failure = model->memory->failure;
    zb_text_free(&p.scratch);
    zx_pool_free(&p.bound);
    zx_pool_free(&p.print_pool);
    zx_pool_release(&model->pool, nodes);
}
