/*
 * A model as C (zw_sim_export_c): a source file and its header that need nothing of the library. All
 * that is computed comes from the model's own programs, written out as functions (c_programs.c) and
 * put together as the simulation does (c_equations.c); what all models have in common stands in the
 * texts of the folder text, in which $n is the name of the model and $N the same in capitals.
 *
 *     c_names.c       names of the model as words of C
 *     c_programs.c    a program as a function, passes as tables with a loop
 *     c_equations.c   M, Q, A, b, W, C, levels, energies, outputs
 *     c_header.c      the header
 *     c_source.c      the source: all in its order
 *     c_refuse.c      models that cannot be written so
 */
#ifndef ZR_EXPORT_C_H
#define ZR_EXPORT_C_H

#include <setjmp.h>

#include "contact_laws.h"
#include "fused.h"
#include "lookups.h"
#include "run.h"
#include "sim.h"

/* From here on a model is refused: coordinates and rows together, operations of all programs,
 * numbers of data. */
enum { zr_c_most_size = 400, zr_c_most_operations = 60000, zr_c_most_data = 20000 };

/* An export under way. Everything is in the arena or in texts, which `escape` frees. */
typedef struct zr_c {
    zw_sim *sim;
    zw_model *model;
    zm_model *zm;
    const zw_c_settings *as;
    zb_arena arena;
    jmp_buf escape;
    const char *lower, *upper; /* the model's name in both letters */
    char **coordinate;         /* [n] names */
    char **parameter;          /* [parameter_count] */
    char **row;                /* [m] */
    char **output;             /* [output elements] */
    const zr_fused_form *form; /* NULL: there is no fused program for the mode */
    bool slides;               /* something slides in it */
    int32_t rank[3];           /* most of the rows of positions, of velocities, of all */
    zb_text body;              /* functions and tables, before what uses them */
    zb_text calls;             /* statements of the function under way */
    zb_text word, line;        /* scratch of names */
    int32_t programs;          /* written so far */
    int32_t most_outputs;      /* of one program */
    int64_t operations;
    const zm_family *family; /* of the program under way; NULL: values are the model's own */
} zr_c;

/* ------------------------------------------------------------------- names (c_names.c) */

/* A word of C from a name of the model: letters, digits, underscores; Greek letters by name. */
char *zr_c_word(zr_c *c, const char *name, bool capital);
void zr_c_name_all(zr_c *c); /* names of coordinates, parameters, rows, outputs, no two alike */

/* ---------------------------------------------------------------- programs (c_programs.c) */

/* static void NAME(const source *at, real *out), the first `outputs` outputs; with a table of
 * bindings where the family has one. */
void zr_c_function(zr_c *c, const char *name, const zk_program *program, const zm_family *family,
                   int32_t outputs);
/* A matrix as the C code has it, dense, from a pattern; symmetric: upper triangle. */
typedef struct zr_c_target {
    const char *matrix, *vector; /* expressions; NULL: there is none */
    const zr_pattern *pattern;
} zr_c_target;
/* Functions of passes, and calls of them into c->calls. */
void zr_c_passes(zr_c *c, const zr_passes *passes, const zr_c_target *to);
/* The calls as the statements of a function with this head. */
void zr_c_close(zr_c *c, const char *head);
void zr_c_integers(zr_c *c, const char *name, const int32_t *list, int64_t count);
void zr_c_numbers(zr_c *c, const char *name, const double *list, int64_t count);
/* A text of the folder with names put in; `$x` for each pair of words, which end with NULL. */
void zr_c_text(const zr_c *c, zb_text *to, const char *text, const char *const *words);
const char *zr_c_shipped(const char *name);

/* ---------------------------------------------------- equations and files (c_equations.c, ...) */

void zr_c_equations(zr_c *c);
void zr_c_header(zr_c *c, zb_text *to);
void zr_c_source(zr_c *c, zb_text *to);
zw_status zr_c_refuse(zr_c *c); /* ZW_ERR_MODEL after a message, else ZW_OK */
bool zr_c_side_has(const zr_c *c, int order, int32_t row); /* order 2: all rows */

#endif
