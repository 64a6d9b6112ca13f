/*
 * Columns: numbers of a simulation at a state, chosen by a list of names such as "x, r[2]',
 * force(x)"; private to this folder.
 *
 *     list --columns_read.c--> names --columns_find.c--> columns --columns_row.c--> numbers
 *                                    `-columns_explain.c--> E0721, E0722
 *
 * A column is a kind and a number: of a coordinate, of a row of A, of an element of the outputs, of
 * what touches (contact_columns.c).
 * Nothing is kept per coordinate but for the columns themselves and one bit for each there could
 * be, which finds those named twice.
 */
#ifndef ZR_COLUMNS_H
#define ZR_COLUMNS_H

#include "carry.h"
#include "picture.h"

/* What the number of a column counts. */
typedef enum zr_sort {
    ZR_OF_MODEL,
    ZR_OF_COORDINATE,
    ZR_OF_OUTPUT,
    ZR_OF_ROW,
    ZR_OF_CONTACT, /* a row of an inequality */
    ZR_OF_SITE,    /* that, or an equation with friction */
    ZR_OF_SLIP,    /* a direction of a friction */
    ZR_OF_MOTOR,
    ZR_OF_PICTURE, /* a number of it */
    ZR_SORTS
} zr_sort;
enum {
    ZR_LAST_NAMED = ZR_OF_MOTOR
}; /* sorts from ZR_OF_COORDINATE to here are of things by name */

/* What must be computed for it. */
enum {
    ZR_NEED_ENERGY = 1,
    ZR_NEED_LEVELS = 2,
    ZR_NEED_FORCE = 4, /* what was impressed */
    ZR_NEED_OUTPUTS = 8,
    ZR_NEED_SOLVE = 16, /* the principle's answer */
    ZR_NEED_PICTURE = 32,
    ZR_NEED_GAPS = 64,
    ZR_NEED_SLIPS = 128,
    ZR_NEED_SEATS = 256
};

/* A *kind* of columns, in the order of `all`, to which those of the picture do not belong: kind, what it is of, need, the word before brackets
 * or alone, the primes behind a coordinate. */
#define ZR_COLUMN_LIST(X)                                                                          \
    X(ZR_COL_TIME, ZR_OF_MODEL, 0, "t", 0)                                                         \
    X(ZR_COL_POSITION, ZR_OF_COORDINATE, 0, NULL, 0)                                               \
    X(ZR_COL_VELOCITY, ZR_OF_COORDINATE, 0, NULL, 1)                                               \
    X(ZR_COL_OUTPUT, ZR_OF_OUTPUT, ZR_NEED_OUTPUTS, NULL, 0)                                       \
    X(ZR_COL_ACCELERATION, ZR_OF_COORDINATE, ZR_NEED_SOLVE, NULL, 2)                               \
    X(ZR_COL_ENERGY, ZR_OF_MODEL, ZR_NEED_ENERGY, "energy", 0)                                     \
    X(ZR_COL_KINETIC, ZR_OF_MODEL, ZR_NEED_ENERGY, "kinetic", 0)                                   \
    X(ZR_COL_POTENTIAL, ZR_OF_MODEL, ZR_NEED_ENERGY, "potential", 0)                               \
    X(ZR_COL_FORCE, ZR_OF_COORDINATE, ZR_NEED_SOLVE, "force", 0)                                   \
    X(ZR_COL_IDEAL, ZR_OF_COORDINATE, ZR_NEED_SOLVE, "force_ideal", 0)                             \
    X(ZR_COL_NONIDEAL, ZR_OF_COORDINATE, ZR_NEED_SOLVE, "force_nonideal", 0)                       \
    X(ZR_COL_CONTROL, ZR_OF_COORDINATE, ZR_NEED_SOLVE, "control", 0)                               \
    X(ZR_COL_ACTUATOR, ZR_OF_MOTOR, ZR_NEED_SOLVE, "actuator", 0)                                  \
    X(ZR_COL_IMPRESSED, ZR_OF_COORDINATE, ZR_NEED_FORCE, "impressed", 0)                           \
    X(ZR_COL_MULTIPLIER, ZR_OF_ROW, ZR_NEED_SOLVE, "multiplier", 0)                                \
    X(ZR_COL_RESIDUAL, ZR_OF_ROW, ZR_NEED_LEVELS, "residual", 0)                                   \
    X(ZR_COL_RATE, ZR_OF_ROW, ZR_NEED_LEVELS, "rate", 0)                                           \
    X(ZR_COL_GAP, ZR_OF_CONTACT, ZR_NEED_GAPS, "gap", 0)                                           \
    X(ZR_COL_NORMAL, ZR_OF_CONTACT, ZR_NEED_SOLVE, "normal", 0)                                    \
    X(ZR_COL_SLIP, ZR_OF_SLIP, ZR_NEED_SLIPS, "slip", 0)                                           \
    X(ZR_COL_FRICTION, ZR_OF_SLIP, ZR_NEED_SOLVE, "friction", 0)                                   \
    X(ZR_COL_CONTACT, ZR_OF_SITE, 0, "contact", 0)                                                 \
    X(ZR_COL_IMPULSE, ZR_OF_CONTACT, 0, "impulse", 0)                                              \
    X(ZR_COL_GAUSSIAN, ZR_OF_MODEL, ZR_NEED_SOLVE, "gaussian", 0)                                  \
    X(ZR_COL_INCONSISTENCY, ZR_OF_MODEL, ZR_NEED_SOLVE, "inconsistency", 0)                        \
    X(ZR_COL_RANK, ZR_OF_MODEL, ZR_NEED_SOLVE, "rank", 0)                                          \
    X(ZR_COL_DRAW, ZR_OF_PICTURE, ZR_NEED_PICTURE, NULL, 0)

typedef enum zr_column_kind {
#define ZR_COLUMN_ENUM(kind, sort, need, word, primes) kind,
    ZR_COLUMN_LIST(ZR_COLUMN_ENUM)
#undef ZR_COLUMN_ENUM
        ZR_COL_COUNT
} zr_column_kind;

typedef struct zr_column_type {
    zr_sort sort;
    int need;
    const char *word; /* or NULL */
    int primes;
} zr_column_type;
extern const zr_column_type zr_column_types[ZR_COL_COUNT];

typedef struct zr_column {
    int32_t kind, number;
    int32_t by; /* 0: itself; k: how it moves with number k - 1 of those that columns are by */
} zr_column;

struct zw_columns {
    zw_model *model;
    zb_memory *memory;
    ZB_ARRAY(zr_column) list;
    ZB_ARRAY(zr_by) by;  /* what derivatives are by */
    int needs;           /* of all of them */
    bool shares;         /* one of them may show a force that redundancy leaves open */
    zr_picture *picture; /* NULL: none of them is of it */
};

/* multiplier(roll)[1]: a row's own number stands behind the brackets. */
void zr_text_row_column(const zm_model *zm, const char *word, int32_t row, zb_text *text);
/* The name of a column, as it would be read. */
void zr_text_column(const zw_model *model, const zr_column *column, zb_text *text);
/* shares.c: after a solve whose values were written, `answer`: which columns are not unique. */
void zr_note_shares(zw_sim *sim, const zw_columns *columns, const zk_source *s,
                    const zw_gauss_answer *answer);

/* ------------------------------------------------------ a list under way (columns.c) */

/* A list of names on its way to columns. */
typedef struct zr_search {
    zw_columns *columns;
    zw_model *model;
    const char *list;    /* as the user wrote it; NULL: the default columns */
    const char *written; /* what messages show: the whole that the list is a part of, or the list */
    unsigned char *seen; /* a bit for each column there is */
    size_t seen_bytes;
    int64_t base[ZR_COL_COUNT]; /* bit of a kind's first */
    int32_t wrong;              /* items that were reported */
    int32_t scans[ZR_SORTS];    /* how often one thing was sought */
    zb_table known[ZR_SORTS];   /* things by label, when that is often */
} zr_search;

/* Columns first .. first + count - 1 of a kind, those left out that are there. */
zw_status zr_add_columns(zr_search *s, zr_column_kind kind, int32_t first, int32_t count);
zw_status zr_add_all(zr_search *s); /* every column of the model */

/* ----------------------------------------------------------- names (columns_read.c) */

enum { zr_most_names = 64, zr_most_indices = 64 };

/* A name of a path, link[2].r: bytes [at, at + length) of the list. */
typedef struct zr_name {
    int32_t at, length;
    zl_name name; /* of the model; -1: it has none such */
} zr_name;

/* An index: number `position` of those of name `of`; of == count: behind the brackets. */
typedef struct zr_index {
    int32_t of, position;
    int32_t value; /* INT32_MAX when it is beyond */
    int32_t at, length;
} zr_index;

/* An *item*, one element of the list: path, path', word(path), word(path)[k], word(path, which)[k]. */
typedef struct zr_item {
    int32_t at, length; /* without spaces around */
    zr_name call;       /* length 0: none */
    zr_name names[zr_most_names];
    int32_t count;
    zr_index indices[zr_most_indices]; /* in the order they stand */
    int32_t index_count;
    int32_t primes;
    zr_index which; /* of the frictions on a constraint; length 0: not said, the first */
} zr_item;

typedef enum zr_read { ZR_READ_ITEM, ZR_READ_END, ZR_READ_BAD } zr_read;
/* The element at *at, and moves behind it and its comma. BAD: item->at and length are the place
 * that cannot be read. */
zr_read zr_read_item(const char *list, int32_t *at, zr_item *item);
/* Whether a place of the list is this word. */
bool zr_is_word(const char *list, const zr_name *name, const char *word);

/* ----------------------------------------------------------- finding (columns_find.c) */

/* A *thing*, what the items of a list can name: the coordinates, outputs or rows under one
 * label. */
typedef struct zr_thing {
    const zm_label *label;
    int32_t first, size;
    int32_t rows, columns;  /* as zm_block */
    const int32_t *written; /* [size] numbers of the rows, or NULL */
    int32_t which;          /* of the frictions on a constraint, from 1; 0: it is none */
} zr_thing;

int32_t zr_thing_count(const zw_model *model, zr_sort sort);
zr_thing zr_thing_at(const zw_model *model, zr_sort sort, int32_t k);

/* contact_columns.c: the same of what touches; whether columns of this kind of a row belong to `all`;
 * the row of A whose multiplier a column is, -1: it is none; the column that a multiplier is shown
 * as. */
int32_t zr_touching_count(const zw_model *model, zr_sort sort);
zr_thing zr_touching_thing(const zw_model *model, zr_sort sort, int32_t k);
bool zr_is_row_shown(const zw_model *model, zr_column_kind kind, int32_t row);
int32_t zr_row_of_column(const zw_model *model, const zr_column *column);
zr_column zr_column_of_row(const zw_model *model, int32_t row);
void zr_text_touching_column(const zw_model *model, const zr_column *column, zb_text *text);

/* How a thing answers an item: the item is its label, or that of a part which it stands in. */
typedef enum zr_match { ZR_EXACTLY, ZR_AS_PART } zr_match;

/* The numbers that an index of an item may have; there false: a thing has no such index. */
typedef struct zr_slot {
    bool there;
    int32_t low, high;
} zr_slot;

/* Names from the outermost on: how many agree, of the item's; *depth of the label. */
int32_t zr_names_agree(const zm_model *zm, const zr_item *item, const zm_label *label,
                       int32_t *depth);
/* Whether an item means this one of several frictions, or leaves that out. */
bool zr_is_which(const zr_item *item, const zr_thing *thing, zr_match how);
/* Whether the names agree, which of several, and the first `most` indices. */
bool zr_matches(const zm_model *zm, const zr_item *item, const zr_thing *thing, zr_match how,
                int32_t most);
/* What an index of the item may be, of a thing whose names agree. */
zr_slot zr_slot_of(const zm_model *zm, const zr_item *item, const zr_thing *thing, zr_match how,
                   const zr_index *index);

/* All columns that s->list names; mistakes are reported, ZW_ERR_SETTING at the end. */
zw_status zr_find_columns(zr_search *s);

/* --------------------------------------------------------- what was wrong (columns_explain.c) */

/* An item that cannot be read: E0723. */
zw_status zr_explain_unreadable(zr_search *s, const zr_item *item);
/* A word in front of brackets that is none: E0721. */
zw_status zr_explain_call(zr_search *s, const zr_item *item);
/* Names or indices that nothing of these sorts has (bits 1 << zr_sort): E0721, E0722. */
zw_status zr_explain_name(zr_search *s, const zr_item *item, int sorts);

/* ------------------------------------------------------------------- the picture (draw_columns.c) */

/* The picture where the list may speak of it. */
zw_status zr_prepare_picture(zr_search *s);
/* draw, draw[2], draw[2, 1], draw[2, 1, 3]; drawn: what drawing needs. */
zw_status zr_add_draw_columns(zr_search *s, const zr_item *item, bool *found);
/* What number k of the picture needs besides it. */
int zr_draw_needs(const zr_picture *picture, int32_t k);
void zr_text_draw_column(const zr_picture *picture, int32_t number, zb_text *text);

/* ------------------------------------------------------- d(X)/d(P) (derivative_columns.c) */

/* Whether the element at `at` is a derivative; its columns, and *at behind its comma. */
bool zr_is_derivative(const char *list, int32_t at);
zw_status zr_add_derivatives(zr_search *s, int32_t *at);
/* columns.c: as zr_columns_create, of a part of a list: blanks stand for what is around it. */
zw_status zr_columns_create_part(zw_model *model, const char *list, const char *written,
                                 zw_columns **columns);
/* "d(" and ")/d(m)" around the name of what column i is a derivative of. */
void zr_text_derivative(const zw_columns *columns, const zr_column *column, zb_text *text);
/* The parameter that may be varied: reports structural ones (E0733). */
zw_status zr_check_varied(zw_model *model, int32_t parameter);
/* The derivatives among columns at the simulation's state, into row; NaN: not carried. */
zw_status zr_derivatives_row(zw_sim *sim, const zw_columns *columns, double *row);

/* ---------------------------------------------------------- rates (varied_columns.c) */

/* Reports columns that have no derivative (E0739); sim NULL: at any state. */
zw_status zr_check_columns(zw_model *model, const zw_sim *sim, const zw_columns *columns);
/* The rates of columns along the direction of the last tangent, d: rate [count], of those that have
 * this `by`. */
zw_status zr_vary_columns(zr_vary *vary, const zw_columns *columns, const zr_direction *d,
                          int32_t by, double *rate);

/* ------------------------------------------------------------------------ outputs */

/* The name of an element of the outputs, as its column has it: r[2], J[1,3]. */
void zr_text_output(const zw_model *model, int32_t element, zb_text *text);

#endif
