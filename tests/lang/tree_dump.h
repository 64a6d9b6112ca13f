/*
 * For tests of the parser: reads a text into trees in memory of its own, and writes trees as
 * text: operators and calls as (+ a b), indices as (at x 1), members as (. a r), primes as (' x),
 * vectors as [a b].
 */
#ifndef DUMP_H
#define DUMP_H

#include "counting.h"
#include "lang.h"

typedef struct reading {
    counting counter;
    zb_memory memory;
    zb_arena arena;
    zb_diag_list diagnostics;
    zl_unit unit;
    jmp_buf escape;
    zl_block block;
    bool escaped; /* memory ran out */
    zb_text text; /* what dump and messages return */
} reading;

/* Fresh, without a source; and everything given back, which is checked. */
void reading_init(reading *r);
void reading_free(reading *r);

/* Reads a source as file "m.zw". */
void reading_parse(reading *r, const char *text, size_t length);

/* Init and parse of a string. */
void read_string(reading *r, const char *text);

/* The statements; all messages as "LINE:COLUMN+LENGTH CODE" with blanks between, and as for
 * people. */
const char *dump(reading *r);
const char *dump_expression(reading *r, const zl_expr *e);
const char *dump_codes(reading *r);
const char *dump_messages(reading *r);

/* Reads, compares the tree or the codes, and frees. */
void check_tree_at(const char *text, const char *tree, const char *file, int line);
void check_codes_at(const char *text, const char *codes, const char *file, int line);

/* A value in `potential`; there must be no error. */
void check_value_at(const char *text, const char *tree, const char *file, int line);

#define check_tree(text, tree) check_tree_at((text), (tree), __FILE__, __LINE__)
#define check_codes(text, codes) check_codes_at((text), (codes), __FILE__, __LINE__)
#define check_value(text, tree) check_value_at((text), (tree), __FILE__, __LINE__)

#endif
