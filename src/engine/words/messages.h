/*
 * What messages are put together from: names of rows, coordinates and start equations, relations
 * between rows, short numbers, and the report at a place of the model's text (messages.c); long
 * lists of names written as ranges, x[1..9] (name_ranges.c).
 *
 * Functions zr_text_... write into a zb_text, which remembers a failure until it is asked.
 */
#ifndef ZR_MESSAGES_H
#define ZR_MESSAGES_H

#include "compiled.h"

/* A *finding*: rows whose derivatives, taken `coefficients` times, add up to 0, or nearly so. They
 * contradict each other, if their residuals do not cancel as well; else one of them follows from
 * the others. Rows below 0 are start equations, ~row. */
typedef struct zr_finding {
    zr_order level;       /* conditions of positions, velocities or accelerations */
    int32_t count, row;   /* row: the last declared, or the one to blame; coefficient 1 */
    int32_t *rows;        /* [count] */
    double *coefficients; /* [count] */
    double size;          /* as in zw_dependent_set; of a compromise the merit of the level */
    double mismatch;      /* of a contradiction: sum of coefficient * residual */
} zr_finding;

typedef struct zr_findings {
    zr_finding *list;
    int32_t count, capacity;
} zr_findings;

/* A number with six significant digits, no more than needed; or with as many as said, from 17 on
 * all. */
void zr_text_short(zb_text *text, double value);
void zr_text_digits(zb_text *text, double value, int digits);
/* At most `most` characters of a text; one that is longer ends with "...". */
void zr_text_cut(zb_text *text, const char *what, size_t most);
/* `digits`, or 17 where two different numbers would look the same with these. */
int zr_digits_apart(double a, double b, int digits);
/* "`pin`"; below 0, ~row is a start equation, as it was written. */
void zr_text_row(const zw_model *model, int32_t row, zb_text *text);
/* "x[2]", or "x[2]'" of order 1. */
void zr_text_coordinate(const zw_model *model, int32_t i, int order, zb_text *text);
void zr_text_equation(const zw_model *model, int32_t equation, zb_text *text); /* as written */
/* "0.5·hinge_x − weld.y": the relation of a finding, its first terms; `but` -1, or a row that is
 * left out, the others then with their signs turned: what it equals. */
void zr_text_terms(const zw_model *model, const zr_finding *f, int32_t but, zb_text *text);
/* "`a`, `b[1..3]` and `c`": its rows, but for one, or -1. */
void zr_text_names(const zw_model *model, const zr_finding *f, int32_t but, zb_text *text);
/* "they differ by 1 (size 0.707107 in −a + b)" */
void zr_text_mismatch(const zw_model *model, const zr_finding *f, zb_text *text);
/* The sentence of R0612: rows that are dependent at the start only, a singular configuration. */
void zr_text_singular(const zw_model *model, const zr_finding *f, zb_text *text);

/* A *name range*: names that differ in consecutive indices only, as one, x[1..9] (name_ranges.c).
 * Its pattern is the name without the numbers in brackets, x[]. */
enum { zr_range_indices = 6 };
typedef struct zr_name_range {
    int32_t at, length;     /* of its pattern and kind among the patterns; both end with a NUL */
    int32_t kind;           /* where that begins, from `at` on */
    int32_t count, indices; /* names; numbers in each */
    double least, most;     /* of the values that came with the names */
    int32_t from[zr_range_indices], to[zr_range_indices]; /* [indices] */
} zr_name_range;

/* A list of names under construction, as ranges. */
typedef struct zr_name_ranges {
    zb_memory *memory;
    zb_text name;            /* write one here, then add it */
    double value;            /* of what has this name; or leave it */
    ZB_ARRAY(char) patterns; /* of all ranges, one after the other */
    ZB_ARRAY(zr_name_range) list;
    zw_status failure; /* the first; ends up in the text of a list */
} zr_name_ranges;

void zr_name_ranges_init(zr_name_ranges *ranges, zb_memory *memory);
void zr_name_ranges_free(zr_name_ranges *ranges);
/* Adds ranges->name, with a word about it (the kind of a constraint, or ""): names of the same kind
 * only join. */
void zr_name_ranges_add(zr_name_ranges *ranges, const char *kind);
/* Of range k of the list: that word; how it is written, x[1..9]. */
const char *zr_name_ranges_kind(const zr_name_ranges *ranges, int32_t k);
void zr_name_ranges_text(const zr_name_ranges *ranges, int32_t k, zb_text *text);
/* "a, b[1..3] and c", with `last` before the last; of more than `most` the rest is counted. */
void zr_name_ranges_list(const zr_name_ranges *ranges, int32_t most, const char *last,
                         zb_text *text);

/* All of a diagnostic but its sentence. */
typedef struct zr_message {
    const char *code; /* its letter is the severity */
    zl_place place;   /* source below 0: somewhere in the model */
    const char *help; /* or NULL */
} zr_message;
/* Adds the diagnostic to the context's; the text stays the caller's. */
zw_status zr_report(zw_model *model, const zr_message *message, zb_text *sentence);
/* Where the constraint of a row is declared. */
zl_place zr_row_place(const zw_model *model, int32_t row);
static const zl_place zr_nowhere = {-1, 0, 0};

#endif
