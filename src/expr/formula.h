/*
 * Printing by layouts, private to expr. A layout is text with marks: @kn is operand k where an
 * expression of level n or higher may stand without brackets, $n the operand of operand 0, # a
 * number that the layout comes with (an exponent, a denominator).
 *
 * Levels, loosest first: 0 if, 1 or, 2 and, 3 not, 4 comparison, 5 minus sign, 6 sum, 7 product,
 * 8 power, 9 what never needs brackets.
 */
#ifndef ZX_FORMULA_H
#define ZX_FORMULA_H

#include "walk.h"

typedef struct zx_layout {
    int level;
    const char *marks;
    int32_t number; /* for # */
} zx_layout;

typedef struct zx_task zx_task;

typedef struct zx_printer {
    zx_pool *pool;
    zx_form form;
    zx_name_fn name;
    void *user;
    int64_t limit, operations;
    zb_text *text;
    zx_task *top, *spare;      /* what is under way; tasks to use again. In pool->scratch */
    const zx_node *definition; /* [definitions] sorted: nodes that are printed by name */
    int32_t definitions;
    const char *prefix; /* of their names */
} zx_printer;

/* Prints one node: by name if it is a definition, or (meaning) what it stands for. */
void zx_print_node(zx_printer *printer, zx_node node);
void zx_print_meaning(zx_printer *printer, zx_node node);

/* How an operation is laid out (formula_layout.c), and numbers. */
zx_layout zx_layout_of(const zx_pool *pool, zx_form form, zx_node node);
void zx_print_number(zx_form form, double value, zb_text *text);

#endif
