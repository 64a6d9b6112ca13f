/*
 * Reading tables of numbers: lines of cells that commas, semicolons or tabs separate, whichever the
 * first line has. The first line may be names, quoted or not. Empty lines, and those that begin with
 * '#', are left out.
 */
#ifndef ZB_CSV_H
#define ZB_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

/* What is wrong with a text. */
typedef enum zb_csv_fault {
    ZB_CSV_GOOD,
    ZB_CSV_NOT_NUMBER, /* a cell */
    ZB_CSV_TOO_BIG,    /* a number */
    ZB_CSV_CELLS,      /* a line has another number of cells than the first */
    ZB_CSV_QUOTE,      /* that is not closed */
    ZB_CSV_TOO_MANY    /* more than ZB_CSV_MOST numbers */
} zb_csv_fault;

enum { ZB_CSV_MOST = 20000000 };

typedef struct zb_csv {
    int32_t columns, rows;
    char **names;   /* [columns], or NULL: the text has none */
    double *values; /* [rows * columns] by rows */
    size_t *at;     /* [rows] byte where the line of a row begins */
    zb_csv_fault fault;
    size_t fault_at, fault_length; /* bytes of the text */
    int32_t fault_cells;           /* of ZB_CSV_CELLS: how many the line has */
} zb_csv;

/* All arrays from the arena. False: it has no memory, or there is a fault. */
bool zb_csv_read(zb_arena *arena, const char *text, size_t length, zb_csv *out);

#endif
