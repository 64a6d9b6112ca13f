/*
 * Printing the derived equations as text, LaTeX, MathML or JSON: what the files of this shelf share.
 *
 * A *sheet* is what is written together: all whole families added up, or the first instance of a
 * kept family. A *line* is one entry: its place in M, Q, C, A, b or W, or a row's phi. Long
 * expressions of a sheet share definitions s1, s2, ..., which stand with the sheet; where the model
 * has such a name itself, another letter is taken.
 */
#ifndef ZM_SHEET_H
#define ZM_SHEET_H

#include "derive.h"

/* Which matrix or vector a line is an entry of, and what its row and column are. */
typedef enum zm_section {
    ZM_IN_LAGRANGIAN, /* row: T, V, other */
    ZM_IN_LEFT,       /* row: coordinate; of its equation of motion what stands left of = */
    ZM_IN_RIGHT,      /* row: coordinate; right of it; behind the left side */
    ZM_IN_M,          /* row, column: coordinates */
    ZM_IN_Q,          /* row: coordinate */
    ZM_IN_F,          /* row: coordinate; what is impressed of Q */
    ZM_IN_H,          /* row: coordinate; what follows from inertia */
    ZM_IN_C,          /* row: coordinate */
    ZM_IN_PHI,        /* row: row of A, of `kind` */
    ZM_IN_A,          /* row: row of A; column: coordinate */
    ZM_IN_B,          /* row: row of A */
    ZM_IN_W,          /* row, column: rows of A */
    ZM_IN_LAW,        /* row: constraint, column: which of its frictions, from 1 */
} zm_section;

/* A number of a friction or restitution; or of a motor: a model has not both. */
typedef enum zm_law {
    ZM_LAW_FRICTION,
    ZM_LAW_STATIC,
    ZM_LAW_PRESSURE,
    ZM_LAW_RESTITUTION,
    ZM_LAW_TANGENTIAL,
    ZM_LAW_MOTOR /* the speed it pushes along; column: which motor of the control, from 1 */
} zm_law;

typedef struct zm_line {
    zm_section section;
    int32_t row, column; /* numbers in the model */
    zm_row_kind kind;
    zm_law law;      /* of ZM_IN_LAW */
    bool inequality; /* of ZM_IN_PHI: phi >= 0 */
    bool tangent;    /* of ZM_IN_PHI: of a friction, which holds while it sticks */
    zx_node node;    /* first over the slots of the sheet's family, then of print_pool */
    zx_node
        *parts; /* [part_count] the same of the summands of LEFT and RIGHT, each read on its own */
    int32_t part_count;
    const char *right; /* the expression, written */
} zm_line;

typedef struct zm_sheet {
    const zm_family *family; /* whose first instance this is; whole: any whole one */
    int32_t instances;       /* of this shape */
    zm_line *lines;          /* [count], by section; phi, A and b of a row together */
    int32_t count, capacity;
    const char **definitions; /* [definition_count] right sides of s1, s2, ... */
    int32_t definition_count;
} zm_sheet;

/* A leaf and its name in a program, as they were met. */
typedef struct zm_identifier zm_identifier;
struct zm_identifier {
    zx_item leaf;
    const char *name;
    zm_identifier *next;
};
typedef struct zm_identifiers {
    zm_identifier *first, *last;
} zm_identifiers;

/* One printing under way. */
typedef struct zm_printer {
    zm_workspace *work;
    const zm_model *model;
    zm_print_form form;
    bool plain, motion;          /* see zm_print_request */
    const char *phi;             /* the name of a row's function: one that the model has not */
    const char *prefix;          /* of the names of definitions */
    zx_pool *bound_pool;         /* the lines' expressions, over the coordinates themselves */
    zx_pool *print_pool;         /* the same to read */
    zm_identifiers *identifiers; /* of programs */
    zb_text *text;               /* the result */
    zb_text *scratch;            /* one expression, or some that share definitions */
    zm_sheet *sheets;            /* [sheet_count] */
    int32_t sheet_count;
} zm_printer;

const char *zm_kind_name(zm_kind kind); /* "energy" */

/* Lines of one group stand under one heading: phi, A and b do. */
static inline int zm_heading_group(zm_section section)
{
    if (section == ZM_IN_RIGHT) return ZM_IN_LEFT;
    return section == ZM_IN_A || section == ZM_IN_B ? ZM_IN_PHI : (int)section;
}

/* T, V or L by the row of a line of ZM_IN_LAGRANGIAN. */
static inline const char *zm_energy_symbol(int32_t row)
{
    return row == 0 ? "T" : row == 1 ? "V" : "L";
}

/* Whether a sheet has an inequality. */
bool zm_has_inequality(const zm_sheet *sheet);

/* The lines of every sheet, their right sides not written yet (print_sheet.c); the one sheet of
 * equations of motion (print_motion.c). */
void zm_make_sheets(zm_printer *p);
void zm_make_motion(zm_printer *p);
void zm_append_line(zm_printer *p, zm_sheet *sheet, const zm_line *line);
/* The entries of a section over all whole families, those of one place added. */
zm_entries zm_sum_section(zm_printer *p, zm_section section);
/* phi of all constraints; with `rows` A and b as well. */
void zm_append_whole_rows(zm_printer *p, zm_sheet *sheet, bool rows);
void zm_append_whole_laws(zm_printer *p, zm_sheet *sheet);

/* The whole result from finished sheets. */
void zm_write_text(zm_printer *p);
void zm_write_latex(zm_printer *p);
void zm_write_json(zm_printer *p);
void zm_write_mathml(zm_printer *p);
void zm_write_sympy(zm_printer *p);
void zm_write_c(zm_printer *p);

/* A leaf's name in LaTeX; its index is that of the coordinate, value or measure itself. */
void zm_leaf_latex(const zm_model *model, const zx_item *leaf, zb_text *text);
/* Its name in a program, of C or of SymPy (print_code.c). */
void zm_leaf_code(const zm_printer *p, const zx_item *leaf, zb_text *text);
/* The same as one element of MathML. */
void zm_leaf_mathml(const zm_model *model, const zx_item *leaf, zb_text *text);

/* Of latex_lines.c: how wide a line may get; writes an expression in as many lines of align* as it takes,
 * `width` of the first taken, and returns what is taken of the last; how wide it is. */
enum { ZM_LATEX_WIDTH = 62 };
double zm_break_latex(zb_text *text, const char *expression, double width);
double zm_latex_width(const char *expression);

/* Of print_latex.c: a Greek letter by its name or as itself, NULL: it is none; the length of a name up
 * to the subscript in it, and bytes to skip before that; what stands above a section. */
const char *zm_greek_letter(const char *name, size_t length);
const char *zm_greek_name(const char *name, size_t length); /* alpha of either */
size_t zm_measure_base_name(const char *name, size_t *skip);
const char *zm_section_heading(const zm_line *line);

#endif
