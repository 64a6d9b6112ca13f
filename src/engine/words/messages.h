/*
 * Sentences for people (messages.c) and lists of names as ranges (name_ranges.c): names of rows,
 * coordinates and start equations, relations between rows, short numbers, reports at a place of the
 * model's text.
 */
#ifndef ZR_MESSAGES_H
#define ZR_MESSAGES_H

#include "compiled.h"

/* Rows that contradict each other, or one that follows from others. */
typedef struct zr_finding {
    zr_order level;
    int32_t count, row; /* row: the last declared, or the one to blame; coefficient 1 */
    int32_t *rows;      /* [count] */
    double *coefficients;
    double size;
    double mismatch; /* of a contradiction: sum of coefficient * residual */
} zr_finding;

typedef struct zr_findings {
    zr_finding *list;
    int32_t count, capacity;
} zr_findings;

/* Six significant digits, no more than needed; or as many as said, from 17 on all. */
void zr_text_short(zb_text *text, double value);
void zr_text_cut(zb_text *text, const char *what, size_t most); /* characters, with "..." */
void zr_text_digits(zb_text *text, double value, int digits);
/* `digits`, or 17 where two different numbers would look the same with these. */
int zr_digits_apart(double a, double b, int digits);
/* `pin`; below 0, ~row is a start equation, as it was written */
void zr_text_row(const zw_model *model, int32_t row, zb_text *text);
void zr_text_coordinate(const zw_model *model, int32_t i, int order, zb_text *text); /* x[2]' */
void zr_text_equation(const zw_model *model, int32_t equation, zb_text *text);       /* as written */
/* "0.5·hinge_x − weld.y": the first terms of a finding; `but` -1, or a row left out, the others
 * then with their signs turned. */
void zr_text_terms(const zw_model *model, const zr_finding *f, int32_t but, zb_text *text);
void zr_text_names(const zw_model *model, const zr_finding *f, int32_t but, zb_text *text);
/* "they differ by 1 (size 0.707107 in −a + b)" */
void zr_text_mismatch(const zw_model *model, const zr_finding *f, zb_text *text);
/* The sentence of R0612: rows that are dependent at the start only. */
void zr_text_singular(const zw_model *model, const zr_finding *f, zb_text *text);

/* Names that differ in consecutive indices only, as one: x[1..9] (name_ranges.c). */
enum { zr_run_indices = 6 };
typedef struct zr_run {
    int32_t at, length;     /* pattern and kind */
    int32_t kind;           /* where it begins */
    int32_t count, indices; /* names; numbers in each */
    int32_t from[zr_run_indices], to[zr_run_indices];
} zr_run;

typedef struct zr_runs {
    zb_memory *memory;
    zb_text name; /* write one here, then add it */
    ZB_ARRAY(char) patterns;
    ZB_ARRAY(zr_run) list;
    zw_status failure;
} zr_runs;

void zr_runs_init(zr_runs *runs, zb_memory *memory);
void zr_runs_free(zr_runs *runs);
void zr_runs_add(zr_runs *runs, const char *kind); /* joins names of the same kind only */
const char *zr_runs_kind(const zr_runs *runs, int32_t k);
void zr_runs_text(const zr_runs *runs, int32_t k, zb_text *text);
/* "a, b[1..3] and c", with `last` before the last; of more than `most` the rest is counted. */
void zr_runs_list(const zr_runs *runs, int32_t most, const char *last, zb_text *text);

typedef struct zr_message {
    const char *code; /* its letter is the severity */
    zl_place place;   /* source below 0: somewhere in the model */
    const char *help; /* or NULL */
} zr_message;
zw_status zr_report(zw_model *model, const zr_message *message, zb_text *sentence);
zl_place zr_row_place(const zw_model *model, int32_t row);
static const zl_place zr_nowhere = {-1, 0, 0};

#endif
