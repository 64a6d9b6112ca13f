/*
 * Printing expressions, private to expr. How an operation is written is its *layout*: text with
 * marks. @kn is operand k where an expression of level n or higher may stand without brackets, $n
 * the operand of operand 0, # a number that the layout comes with (an exponent, a denominator), ~ the name of a table.
 *
 * A *level* is the precedence of an operation, loosest first: 0 if, 1 or, 2 and, 3 not,
 * 4 comparison, 5 minus sign, 6 sum, 7 product, 8 power, 9 what never needs brackets.
 */
#ifndef ZX_FORMULA_H
#define ZX_FORMULA_H

#include "walk.h"

typedef struct zx_layout {
    int level;
    const char *marks;
    int32_t number; /* for # */
} zx_layout;

/* A layout that is being written, with how far it has come (print_formula.c). */
typedef struct zx_task zx_task;

typedef struct zx_printer {
    zx_pool *pool;
    zx_form form;
    zx_name_fn name;
    void *user;
    int64_t limit, operations;
    zb_text *text;
    zx_task *top, *spare;      /* stack of unfinished layouts; tasks to reuse. In pool->scratch */
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
/* k when a node is the literal 1/k for k = 2, 4, 8, ..., 1024; else 0. */
int32_t zx_find_denominator(const zx_pool *pool, zx_node node);

/* formula_mathml.c: every operand is one element. */
zx_layout zx_lay_out_mathml(const zx_pool *pool, const zx_item *item);
void zx_print_mathml_number(double value, zb_text *text);

#endif
