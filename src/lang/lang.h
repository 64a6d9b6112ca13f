/*
 * lang: lexer and parser, from the text of a model to its syntax tree. Names are interned (each
 * spelling is stored once and has a number), the place of everything in the text is kept, and
 * nothing is looked up yet: what a name means is found out in the layer model. The parser goes on
 * after an error: the tree holds what could be read, the errors are in the list of diagnostics.
 *
 * Trees live in the arena of the caller and are immutable afterwards.
 */
#ifndef ZL_LANG_H
#define ZL_LANG_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

/* ------------------------------------------------------------------ sources */

/* A stretch of a source: bytes [at, at + length) of source number `source`. */
typedef struct zl_place {
    int32_t source, at, length;
} zl_place;

typedef struct zl_source {
    const char *file; /* as it stands in messages */
    const char *text; /* [length], not necessarily ended by NUL */
    int32_t length;
    const int32_t *lines; /* [line_count] byte where each line begins */
    int32_t line_count;
    bool shown;  /* the list of diagnostics has the text */
    bool module; /* taken in by another text, which it may be reported in */
    const char *
        given; /* what a caller wrote that the text was made from: shown in its place; NULL: nothing */
} zl_source;

/* A *unit* is everything read for one model: the text of the model and of the modules it uses
 * (*sources*), and the names in them. */
enum { ZL_MOST_LOST = 16 };
typedef struct zl_unit {
    zb_arena *arena; /* with escape set */
    zb_diag_list *diagnostics;
    ZB_ARRAY(zl_source) sources;
    ZB_ARRAY(const char *) names; /* interned, by zl_name */
    zb_table name_table;
    ZB_ARRAY(char) scratch; /* of the parser: lists that are not complete yet */
    int32_t error_count;    /* reported through this unit */
    int32_t harmless_count; /* of these: in statements that were left out, whose names are known */
    zl_place
        lost[ZL_MOST_LOST]; /* [lost_count] statements that were left out and may declare names */
    int32_t lost_count;
    bool lost_more;    /* more than these: any name may be missing */
    zl_place made_by;  /* of length 0: none. The statement of the model itself that has a module do
                         what is done now: what is wrong in the module is reported there, once */
    zl_place blamed;   /* the last one with an error */
    const char *given; /* of the sources that are added now; NULL: they are as they were written */
    const char *about; /* the input whose data are read now; NULL: none */
} zl_unit;

typedef int32_t zl_name; /* index into unit->names; -1: none */

/* Both the arena and the list of diagnostics stay the caller's. */
void zl_unit_init(zl_unit *unit, zb_arena *arena, zb_diag_list *diagnostics);
void zl_unit_free(zl_unit *unit); /* the tables; the trees are the arena's */

/* The number of the name spelled text [length], up to a NUL in it; the same number each time. */
zl_name zl_intern(zl_unit *unit, const char *text, size_t length);
const char *zl_name_text(const zl_unit *unit, zl_name name); /* "" for -1 */

/* Adds a text that is no model, for messages about it; it must stay. Its number. */
int32_t zl_add_source(zl_unit *unit, const char *file, const char *text, size_t length);

/* Reports one message at a place. `help` may be NULL. The sentence is formatted (no doubles: write
 * them with zb_print_double first). Each code's severity follows from its letter: E, W, R. */
void zl_report(zl_unit *unit, const char *code, zl_place place, const char *help,
               const char *format, ...) ZB_PRINTF(5, 6);
void zl_vreport(zl_unit *unit, const char *code, zl_place place, const char *help,
                const char *format, va_list arguments) ZB_PRINTF(5, 0);

/* Line and column (from 1, in characters) of a place; both 0 when it is in no source. */
void zl_locate(const zl_unit *unit, zl_place place, int32_t *line, int32_t *column);

/* Where a message about this place is shown: there, or in the model's own text, where it uses the
 * module in which the place is. */
zl_place zl_model_place(const zl_unit *unit, zl_place place);

/* -------------------------------------------------------------- expressions */

typedef enum zl_expr_kind {
    ZL_NUMBER, /* number */
    ZL_NAME,   /* name; also function arguments, loop variables */
    ZL_TIME,   /* t */
    ZL_PI,
    ZL_VECTOR, /* items: a literal [a, b, c]; matrices are vectors of vectors */
    ZL_INDEX,  /* left[items]: one or two */
    ZL_MEMBER, /* left.name */
    ZL_PRIME,  /* left' */
    ZL_CALL,   /* name(items): a function of the language or of the model, multiplier, reaction;
                  left.name(items): a function of a part */
    ZL_SUM,    /* sum(name in left..right, items[0]) */
    ZL_NEG,
    ZL_NOT, /* left */
    ZL_ADD,
    ZL_SUB,
    ZL_MUL,
    ZL_DIV,
    ZL_POW, /* left, right */
    ZL_LT,
    ZL_LE,
    ZL_GT,
    ZL_GE,
    ZL_EQ,
    ZL_NE,
    ZL_AND,
    ZL_OR,
    ZL_BROKEN /* could not be read; an error has been reported */
} zl_expr_kind;

/* Functions of the language, in ZL_CALL. A call of another name has ZL_FN_NONE and is looked up.
 * Arguments are counted by the parser: `least` to `most`. */
#define ZL_FUNCTION_LIST(X)                                                                        \
    X(SIN, "sin", 1, 1)                                                                            \
    X(COS, "cos", 1, 1)                                                                            \
    X(TAN, "tan", 1, 1)                                                                            \
    X(ASIN, "asin", 1, 1)                                                                          \
    X(ACOS, "acos", 1, 1)                                                                          \
    X(ATAN, "atan", 1, 1)                                                                          \
    X(ATAN2, "atan2", 2, 2)                                                                        \
    X(SINH, "sinh", 1, 1)                                                                          \
    X(COSH, "cosh", 1, 1)                                                                          \
    X(TANH, "tanh", 1, 1)                                                                          \
    X(EXP, "exp", 1, 1)                                                                            \
    X(LOG, "log", 1, 1)                                                                            \
    X(SQRT, "sqrt", 1, 1)                                                                          \
    X(ABS, "abs", 1, 1)                                                                            \
    X(SIGN, "sign", 1, 1)                                                                          \
    X(MIN, "min", 2, 99)                                                                           \
    X(MAX, "max", 2, 99)                                                                           \
    X(FLOOR, "floor", 1, 1)                                                                        \
    X(HYPOT, "hypot", 2, 2)                                                                        \
    X(DOT, "dot", 2, 2)                                                                            \
    X(CROSS, "cross", 2, 2)                                                                        \
    X(OUTER, "outer", 2, 2)                                                                        \
    X(NORM, "norm", 1, 1)                                                                          \
    X(TRANSPOSE, "transpose", 1, 1)                                                                \
    X(INVERSE, "inverse", 1, 1)                                                                    \
    X(DET, "det", 1, 1)                                                                            \
    X(IF, "if", 3, 3)                                                                              \
    X(MULTIPLIER, "multiplier", 1, 1)                                                              \
    X(REACTION, "reaction", 0, 2)

typedef enum zl_function {
    ZL_FN_NONE,
#define ZL_FUNCTION_ENUM(symbol, text, least, most) ZL_FN_##symbol,
    ZL_FUNCTION_LIST(ZL_FUNCTION_ENUM)
#undef ZL_FUNCTION_ENUM
} zl_function;

/* What a call of another name with one argument may ask of a contact, where the model has no
 * function of that name: gap(NAME), ... */
typedef enum zl_asked {
    ZL_ASK_NOTHING,
    ZL_ASK_GAP,
    ZL_ASK_SLIP,
    ZL_ASK_FRICTION,
    ZL_ASK_CONTACT,
    ZL_ASK_IMPULSE
} zl_asked;

typedef struct zl_expr zl_expr;
struct zl_expr {
    uint8_t kind;     /* zl_expr_kind */
    uint8_t function; /* zl_function, of ZL_CALL */
    uint8_t asked;    /* zl_asked, of ZL_CALL */
    bool bracketed;   /* stood in ( ) */
    zl_name name;     /* ZL_NAME, ZL_MEMBER, ZL_CALL, ZL_SUM */
    zl_place place;   /* the whole expression */
    zl_place mark;    /* where a caret belongs: the operator, the name, the bracket */
    double number;
    const zl_expr *left, *right;
    const zl_expr *const *items; /* [count] */
    const zl_name
        *item_names; /* [count] of arguments given by name (parts), -1 by position; or NULL */
    int32_t count;
    int32_t height; /* levels of the tree below: 0 for a leaf, at most ZL_MAX_CHAIN */
};

/* --------------------------------------------------------------- statements */

/* What can be drawn: its word, how many values it takes (a string not counted), how it is written. */
#define ZL_SHAPE_LIST(X)                                                                           \
    X(POINT, "point", 1, 1, "point(p)")                                                            \
    X(LINE, "line", 2, INT32_MAX, "line(p, q, ...)")                                               \
    X(BALL, "ball", 2, 2, "ball(p, radius)")                                                       \
    X(TRAIL, "trail", 1, 1, "trail(p)")                                                            \
    X(ARROW, "arrow", 2, 2, "arrow(p, v)")                                                         \
    X(POLYGON, "polygon", 3, INT32_MAX, "polygon(p, q, r, ...)")                                   \
    X(BOX, "box", 2, 3, "box(body, sizes)")                                                        \
    X(CYLINDER, "cylinder", 3, 3, "cylinder(p, q, radius)")                                        \
    X(SPRING, "spring", 2, 2, "spring(p, q)")                                                      \
    X(SURFACE, "surface", 2, 3, "surface(body, s)")                                                \
    X(TEXT, "text", 1, 1, "text(p, \"words\")")                                                    \
    X(CONTACT, "contact", 2, 5, "contact(NAME, p, normal, ...)")

typedef enum zl_shape {
#define ZL_SHAPE_ENUM(symbol, word, least, most, usage) ZL_SHAPE_##symbol,
    ZL_SHAPE_LIST(ZL_SHAPE_ENUM)
#undef ZL_SHAPE_ENUM
        ZL_SHAPE_COUNT
} zl_shape;
extern const char *const zl_shape_words[ZL_SHAPE_COUNT]; /* "point" */

typedef enum zl_statement_kind {
    ZL_MODEL, /* string */
    ZL_USE,   /* name */
    ZL_PARAM, /* definitions: name = right */
    ZL_COORD, /* definitions: name, sizes in items of `left` (ZL_INDEX) or none */
    ZL_LET,   /* definitions: name = right; with `arguments` one, a function */
    ZL_LAGRANGIAN,
    ZL_KINETIC,
    ZL_POTENTIAL,
    ZL_DISSIPATION, /* right */
    ZL_MASS,        /* targets (1 or 2), right */
    ZL_FORCE,       /* targets (1) or at, right */
    ZL_NONIDEAL,    /* likewise */
    ZL_CONSTRAINT,  /* target name with indices, left = right, or see `relation` */
    ZL_CONTROL,     /* target name with indices, left = right, motors */
    ZL_WEIGHT,      /* targets (1 or 2): constraint references, right */
    ZL_START,       /* equations */
    ZL_OUTPUT,      /* target name with indices, right */
    ZL_WHEN,        /* condition in left; stop, or equations */
    ZL_DRAW,        /* shape, its word in `name`, values in `targets`, string of text, settings */
    ZL_SIMULATE,    /* settings */
    ZL_FOR,         /* name in left..right, body */
    ZL_IF,          /* condition in left, body, otherwise */
    ZL_COMPONENT,   /* name, arguments, body */
    ZL_PART,        /* name with indices in targets[0], right: ZL_CALL of the component */
    /* these begin with a word that is reserved nowhere else */
    ZL_RESTITUTION, /* targets: constraint references, right, settings */
    ZL_FRICTION,    /* targets likewise, right, direction in `left`, settings */
    ZL_INPUT,       /* definitions: name, sizes or none, value or none */
    ZL_DATA,        /* name = string, settings: words, those of columns with text or value */
    ZL_STATEMENT_COUNT
} zl_statement_kind;

/* A name with its place: of parameters, arguments, declared things. value: right side, default, or
 * NULL. */
typedef struct zl_definition {
    zl_name name;
    zl_place place;
    const zl_expr *sizes; /* ZL_COORD, ZL_INPUT: ZL_VECTOR of one or two sizes, or NULL */
    const zl_expr *value;
} zl_definition;

/* left = right, of start and when. */
typedef struct zl_equation {
    const zl_expr *left, *right;
    bool fixed;
    zl_place place;
} zl_equation;

/* key = value of draw, simulate, restitution, friction and data. A range has `last`; words (accept, dop853) are ZL_NAME, strings
 * have text. */
typedef struct zl_setting {
    zl_name key;
    zl_place place;
    const zl_expr *value, *last; /* value NULL when it is a string */
    const char *text;
} zl_setting;

/* DIRECTION along ALONG within LOW..HIGH weight WEIGHT, of control ... by; all but the first may be
 * NULL. */
typedef struct zl_motor {
    const zl_expr *direction, *along, *low, *high, *weight;
} zl_motor;

typedef struct zl_statement zl_statement;
typedef struct zl_block {
    const zl_statement *const *statements; /* [count] */
    int32_t count;
} zl_block;

struct zl_statement {
    uint8_t kind;     /* zl_statement_kind */
    bool stop;        /* ZL_WHEN: stop */
    bool aside;       /* ZL_OUTPUT: not among the default columns */
    bool at;          /* ZL_FORCE, ZL_NONIDEAL: `targets[0]` is a point */
    uint8_t shape;    /* ZL_DRAW: zl_shape */
    uint8_t relation; /* ZL_CONSTRAINT: ZL_GE or ZL_LE of left and right, ZL_EQ: an equation */
    zl_name name;
    zl_place place; /* the whole statement (of blocks: up to the brace) */
    zl_place mark;  /* its keyword or name */
    const char *string;
    const zl_expr *left, *right;
    const zl_expr *third; /* ZL_CONSTRAINT: of left <= right <= third, or NULL */
    const zl_expr *const
        *targets; /* [target_count]; names with their indices are ZL_NAME or ZL_INDEX */
    int32_t target_count;
    const zl_definition *definitions; /* [definition_count] */
    int32_t definition_count;
    const zl_definition *arguments; /* [argument_count] of a function or component */
    int32_t argument_count;         /* -1: a let without brackets, not a function */
    const zl_equation *equations;   /* [equation_count] */
    int32_t equation_count;
    const zl_setting *settings; /* [setting_count] */
    int32_t setting_count;
    const zl_motor *motors; /* [motor_count] of ZL_CONTROL */
    int32_t motor_count;
    zl_block body, otherwise;
};

/* Limits that no honest model meets; beyond them there is a message of its own. */
enum {
    ZL_MAX_DEPTH = 200,      /* brackets, blocks, unary signs, powers */
    ZL_MAX_CHAIN = 10000,    /* operands of a sum, of a product; the height of a tree */
    ZL_MAX_SOURCE = 1 << 30, /* bytes */
    ZL_MAX_NAME = 1000,      /* bytes */
};

/* Reads one source, whose text must stay. Returns its statements; errors are in the unit. A
 * statement that could not be read to its end is left out, so what is built from a tree with
 * errors may miss names. Conditions (ZL_NOT, ZL_LT to ZL_OR) stand only in `left` of ZL_WHEN and
 * ZL_IF, in the first argument of ZL_FN_IF and in each other; the words of draw and the keys of
 * settings are known ones, each at most once in a statement. */
zl_block zl_parse(zl_unit *unit, const char *file, const char *text, size_t length);

/* Whether what could be read may be looked through for more errors: it is as the grammar wants it,
 * and what is left out is known. */
bool zl_may_go_on(const zl_unit *unit);

/* One expression alone, for settings and states given on a command line ("m = 2*pi"): equations
 * separated by commas, as after `start`. */
const zl_equation *zl_parse_equations(zl_unit *unit, const char *file, const char *text,
                                      size_t length, int32_t *count);

#endif
