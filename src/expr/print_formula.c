/*
 * Printing one expression. The printer keeps a stack of the layouts it has not finished, each with
 * the place reached in it; at a mark it pauses the layout and starts the operand's. Its depth is
 * the depth of the expression, and it needs no recursion.
 */
#include <string.h>

#include "formula.h"

struct zx_task {
    zx_task *under;
    zx_node node;
    zx_layout layout; /* marks: what is left of it */
    bool bracketed;
};

static const char *opening_bracket(zx_form form)
{
    if (form == ZX_MATHML) return "<mrow><mo>(</mo>";
    return form == ZX_LATEX ? "\\left(" : "(";
}

static const char *closing_bracket(zx_form form)
{
    if (form == ZX_MATHML) return "<mo>)</mo></mrow>";
    return form == ZX_LATEX ? "\\right)" : ")";
}

/* ------------------------------------------------------------------- tasks */

/* A new task on the stack, a used one where there is one. */
static zx_task *push_task(zx_printer *p)
{
    zx_task *task = p->spare;
    if (task)
        p->spare = task->under;
    else
        task = zx_scratch(p->pool, 1, sizeof *task);
    task->under = p->top;
    return p->top = task;
}

/* Takes the finished layout off the stack and keeps its memory. */
static void pop_task(zx_printer *p)
{
    zx_task *task = p->top;
    p->top = task->under;
    task->under = p->spare;
    p->spare = task;
}

/* The number from 1 of the definition that stands for a node, or 0; by bisection. */
static int32_t find_definition(const zx_printer *p, zx_node node)
{
    int32_t low = 0, high = p->definitions;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (p->definition[middle] < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->definitions && p->definition[low] == node ? low + 1 : 0;
}

/* ------------------------------------------------------------------ leaves */

/* By the caller's names, or by the kind of leaf and its index: q1. */
static void print_named_leaf(const zx_printer *p, const zx_item *leaf)
{
    if (p->name) {
        p->name(p->user, leaf, p->form, p->text);
        return;
    }
    zb_text_add(p->text, zx_op_name((zx_op)leaf->op));
    zb_text_int(p->text, leaf->a);
}

/* A constant, in brackets where it is more than digits and more is needed. */
static void print_constant(const zx_printer *p, double value, int need)
{
    char digits[ZB_DOUBLE_SIZE];
    zb_print_double(value, digits);
    bool power = (p->form == ZX_LATEX || p->form == ZX_MATHML) && strchr(digits, 'e');
    bool bracketed = need > (value < 0.0 ? 5 : power ? 7 : 9);
    if (bracketed) zb_text_add(p->text, opening_bracket(p->form));
    zx_print_number(p->form, value, p->text);
    if (bracketed) zb_text_add(p->text, closing_bracket(p->form));
}

/* need: the level from which on no brackets are needed there. */
static void print_leaf(const zx_printer *p, const zx_item *leaf, int need)
{
    if (leaf->op == ZX_NUMBER || leaf->op == ZX_BOUND)
        print_constant(p, zx_number_of(leaf), need);
    else if (leaf->op == ZX_TIME)
        zb_text_add(p->text, p->form == ZX_MATHML ? "<mi>t</mi>" : "t");
    else
        print_named_leaf(p, leaf);
}

/* -------------------------------------------------------------- operations */

/* Begins an operation that stands where `need` or a higher level may stand without brackets. */
static void begin_operation(zx_printer *p, zx_node node, int need)
{
    if (p->limit > 0 && p->operations >= p->limit) {
        static const char *const signs[] = {"...", "\\ldots", "...", "<mo>…</mo>", "..."};
        zb_text_add(p->text, signs[p->form]);
        return;
    }
    p->operations++;
    zx_task *task = push_task(p);
    task->node = node;
    task->layout = zx_layout_of(p->pool, p->form, node);
    task->bracketed = task->layout.level < need;
    if (task->bracketed) zb_text_add(p->text, opening_bracket(p->form));
}

/* Prints what is complete in itself, a definition's name or a leaf, and begins an operation. need
 * as above. */
static void begin_node(zx_printer *p, zx_node node, int need)
{
    const zx_item *item = &p->pool->items[node];
    int32_t k = find_definition(p, node);
    if (k != 0 && p->form == ZX_MATHML)
        zb_text_printf(p->text, "<msub><mi>%s</mi><mn>%d</mn></msub>", p->prefix, (int)k);
    else if (k != 0)
        zb_text_printf(p->text, p->form == ZX_LATEX ? "%s_{%d}" : "%s%d", p->prefix, (int)k);
    else if (zx_is_leaf(item->op))
        print_leaf(p, item, need);
    else
        begin_operation(p, node, need);
}

/* By the caller's names, as a leaf. */
static void print_table_name(const zx_printer *p, const zx_item *item)
{
    double code = 0.0;
    (void)zx_is_constant(p->pool, item->b, &code);
    zx_tabulated is = zx_tabulated_by(code);
    print_named_leaf(p, &(zx_item){.op = ZX_TABLE, .a = is.table, .b = is.order});
}

/* Goes on with the layout on top up to its next operand, or to its end. */
static void advance_layout(zx_printer *p)
{
    zx_task *task = p->top;
    const char *marks = task->layout.marks;
    size_t literal = strcspn(marks, "@$#~");
    zb_text_bytes(p->text, marks, literal);
    marks += literal;
    const zx_item *item = &p->pool->items[task->node];
    switch (*marks) {
    case '@':
        task->layout.marks = marks + 3;
        begin_node(p, *zx_operand(item, marks[1] - '0'), marks[2] - '0');
        break;
    case '$':
        task->layout.marks = marks + 2;
        begin_node(p, p->pool->items[item->a].a, marks[1] - '0');
        break;
    case '~':
        task->layout.marks = marks + 1;
        print_table_name(p, item);
        break;
    case '#':
        task->layout.marks = marks + 1;
        zb_text_int(p->text, task->layout.number);
        break;
    default:
        if (task->bracketed) zb_text_add(p->text, closing_bracket(p->form));
        pop_task(p);
    }
}

static void finish_layouts(zx_printer *p)
{
    while (p->top && p->text->failure == ZW_OK) advance_layout(p);
}

void zx_print_node(zx_printer *p, zx_node node)
{
    begin_node(p, node, 0);
    finish_layouts(p);
}

void zx_print_meaning(zx_printer *p, zx_node node)
{
    begin_operation(p, node, 0);
    finish_layouts(p);
}

void zx_print(zx_pool *pool, zx_node node, zx_form form, zx_name_fn name, void *user, int64_t limit,
              zb_text *text)
{
    zb_mark mark = zx_scratch_mark(pool);
    zx_printer printer = {
        .pool = pool, .form = form, .name = name, .user = user, .limit = limit, .text = text};
    zx_print_node(&printer, node);
    zb_arena_release(&pool->scratch, mark);
}
