/*
 * model: from the text of a model to its equations of motion, as expressions.
 *
 * Elaboration executes the statements (loops, components) and turns every term of an energy or a
 * force, every constraint, output and event into expressions. Those that differ only in which
 * coordinates and numbers stand in them have one *shape* and form a *family*, which is
 * differentiated once, however often it occurs. The result is immutable and holds no numbers but
 * defaults: parameters stay variables, unless they size something (then they are *structural*).
 *
 *     syntax tree --elaborate--> terms and rows --canonical--> shapes with binding tables
 *                 --gather--> families --derive--> M, Q, A, b, C and kinds of rows
 *
 * A family is one expression or a few, its *roots*, over numbered *slots*, and a table with a row
 * for each *instance* that says which coordinate, value or measure each slot is bound to. Families
 * with few instances, and everything in small models, are instantiated into one *whole* family per
 * kind, whose slots are the coordinates, values and measures themselves: there common
 * subexpressions are shared and constants folded. The others are *kept* families.
 *
 * A *value* is a parameter, or a number that stands in a binding table, or a *hidden* one: a number
 * that no text names and that a simulation sets. The *mask* of a row is one: each row of an
 * inequality, and each direction of friction, is a row of A as any other, but 0 = 0 while its mask is
 * 0; so derivation and all after it see equations. A *measure* is a multiplier
 * or a reaction that stands in an expression; it is known only once the accelerations are. An
 * *item* is something declared that can be asked for (a constraint, an output, an event, ...); it
 * knows where its roots are. Instances that no item refers to are *terms*: they are summed.
 */
#ifndef ZM_MODEL_H
#define ZM_MODEL_H

#include "base.h"
#include "expr.h"
#include "lang.h"

/* ------------------------------------------------------------------- names */

/* The full name of something declared: link[2].rod[3,1]. */
typedef struct zm_label {
    int32_t scope; /* the part it belongs to, -1: the model itself */
    zl_name name;
    int32_t index[2];
    int32_t index_count; /* 0 to 2 */
} zm_label;

/* An instance of a component. */
typedef struct zm_part {
    zm_label label;
    zl_place place;
    zl_name component;
} zm_part;

/* Coordinates or parameters declared under one name: elements first .. first + size - 1. */
typedef struct zm_block {
    zm_label label;
    zl_place place;
    int32_t first;
    int32_t rows, columns; /* 0, 0: a scalar; columns 0: a vector */
} zm_block;

/* ---------------------------------------------------------------- families */

typedef enum zm_kind {
    ZM_ENERGY,         /* roots: T, V, other L; L = T - V + other */
    ZM_DISSIPATION,    /* root: Rayleigh function */
    ZM_MASS,           /* roots: entries; targets: two coordinate slots each */
    ZM_FORCE,          /* roots: forces; targets: a coordinate slot each */
    ZM_FORCE_AT,       /* roots: p[1..d], F[1..d] */
    ZM_NONIDEAL,       /* as ZM_FORCE, into C */
    ZM_NONIDEAL_AT,    /* as ZM_FORCE_AT, into C */
    ZM_CONSTRAINT,     /* roots: rows phi = L - R; of inequalities and frictions if(mask, phi, 0) */
    ZM_WEIGHT,         /* roots: one number, or one for each row, or a block row by row */
    ZM_START_VALUE,    /* roots: given values; targets: a coordinate slot each */
    ZM_START_EQUATION, /* roots: L - R */
    ZM_OUTPUT,         /* roots: elements */
    ZM_EVENT,          /* roots: condition, then new values; targets: coordinate slots of those */
    ZM_GAP,            /* root: a row of an inequality without its mask, phi */
    ZM_FRICTION,       /* roots: slip V[1..width] without masks, coefficient, see zm_friction;
                        targets: -1 for each of V */
    ZM_RESTITUTION,    /* roots: coefficient, then tangential if there is one */
    ZM_MOTOR,        /* roots: speed V, then as far as said low, high, weight; a target if there are
                        limits */
    ZM_DRAW,         /* roots: see zm_drawing */
    ZM_DRAW_DEFAULT, /* the same of default drawings, in a pool of their own */
    ZM_KIND_COUNT
} zm_kind;

typedef enum zm_row_kind {
    ZM_HOLONOMIC,
    ZM_NONHOLONOMIC, /* linear in the velocities */
    ZM_NONLINEAR,    /* in the velocities */
    ZM_ACCELERATION
} zm_row_kind;
const char *zm_row_kind_name(zm_row_kind kind); /* "holonomic" */

/* One derived entry of a matrix or vector. `constant`: depends on parameters only. */
typedef struct zm_entry {
    int32_t row, column;
    zx_node node;
    bool constant;
} zm_entry;

/* Where a term of a whole family was written. */
typedef struct zm_origin {
    zx_node node;
    zl_place place;
} zm_origin;

typedef struct zm_family {
    zm_kind kind;
    bool whole; /* slots are the entries themselves; table NULL, count 1 */
    int32_t coordinates, values,
        measures;          /* slots of each sort; of a whole family: all there are */
    int32_t count, stride; /* instances; ints of a binding row */
    int32_t *table;        /* [count * stride]: coordinates, values, measures */
    int32_t *items;        /* [count] which constraint, output, ... an instance is;
                              NULL for terms and whole families */
    int32_t root_count;
    zx_node *roots;       /* [root_count] in model->pool */
    int32_t target_count; /* in all */
    int32_t *targets;     /* [target_count] coordinate slots, see zm_kind */
    int32_t *orders;      /* [target_count] 0: coordinate, 1: velocity (start, events); or NULL */
    zl_place place;       /* of the first instance's statement */
    zm_origin *origins;   /* [origin_count] of a whole family of terms, else NULL */
    int32_t origin_count;

    /* derived; lengths 0 where there is nothing */
    zm_entry *mass; /* ENERGY, MASS: M, row <= column, coordinate slots */
    int32_t mass_count;
    zm_entry *force; /* row = coordinate slot. ENERGY: dL/dq - D(dL/dv); DISSIPATION, FORCE,
                        FORCE_AT: into Q; NONIDEAL, NONIDEAL_AT: into C */
    int32_t force_count;
    bool inertial;       /* ENERGY: what follows from inertia stands in `force` */
    zm_entry *impressed; /* of these: the rest of `force`, what was impressed */
    int32_t impressed_count;
    zx_node *momentum; /* [coordinates] ENERGY: dL/dv, the number 0 where none; else NULL */
    zm_row_kind
        *kinds; /* [root_count] of CONSTRAINT, GAP; START_EQUATION: HOLONOMIC without velocities */
    bool *time_dependent; /* [root_count] t stands in the row; of CONSTRAINT, GAP */
    zm_entry *jacobian;   /* CONSTRAINT: A, row = root. START_EQUATION: derivative by q (without
                             velocities) or v. FRICTION, MOTOR: dV/dv. Sorted by row */
    int32_t jacobian_count;
    zx_node *b;    /* [root_count] CONSTRAINT */
    zx_node *rate; /* [root_count] CONSTRAINT, GAP: d phi/dt of holonomic rows, of the others phi
                      itself, of acceleration rows ZX_NONE. phi itself is roots[k] */
} zm_family;

/* Where an item lives: roots [root, root + count) of instance `instance` of `family`; family -1 of
 * a constraint without rows. */
typedef struct zm_where {
    int32_t family, instance, root, count;
} zm_where;

/* ------------------------------------------------------------------- items */

typedef struct zm_constraint {
    zm_label label;
    zl_place place;
    bool control;
    bool carried;     /* a control that joints could enforce, which it does not name */
    bool driven;      /* a control by motors */
    bool vector;      /* written as a vector equation, even of one row: rows are NAME[1], ... */
    int32_t elements; /* rows as written */
    int32_t first_row, row_count;
    const int32_t *written; /* [row_count] number of each row as written, from 1; NULL: 1, 2, ...
                               (rows that are 0 = 0 are dropped) */
    bool inequality;        /* phi >= 0; its rows are contacts, see there */
    bool tangent;           /* the rows of a friction on the constraint `of`, whose label it has */
    int32_t of, number;     /* of a tangent; which of the frictions there, from 1 */
    zm_where where;
} zm_constraint;

/* A row of an inequality phi >= 0. */
typedef struct zm_contact {
    int32_t constraint, row;
    int32_t restitution;    /* -1: 0 */
    int32_t state, impulse; /* hidden values that contact(NAME), impulse(NAME) read */
    zm_where where;         /* phi */
} zm_contact;

/* A `friction` statement, for one of the constraints it names. */
typedef struct zm_friction {
    zl_place place;
    int32_t part;             /* in which the statement stands, -1: in none */
    int32_t constraint;       /* whose multipliers press; an inequality or not */
    int32_t tangent;          /* the constraint that its rows are */
    int32_t first_row, width; /* rows of A on velocities, V with masks */
    int32_t state;            /* hidden value, for contact(NAME) of an equation */
    int32_t before;           /* the friction before it on this constraint, -1: none */
    int32_t number;           /* among those on this constraint, from 1 */
    bool has_static, has_pressure;
    zm_where where; /* V[1..width], coefficient, static, pressure: those two if there */
} zm_friction;

/* A `restitution` statement, for one of the constraints it names. */
typedef struct zm_restitution {
    zl_place place;
    int32_t constraint; /* an inequality on positions */
    bool has_tangential;
    zm_where where;
} zm_restitution;

/* A motor of a control: it pushes along its direction dV/dv. */
typedef struct zm_motor {
    zl_place place;
    const char *name;           /* as it is written */
    int32_t constraint, number; /* the control; which of its motors, from 1 */
    bool limited, weighted;     /* low and high are there; weight is */
    zm_where where;
} zm_motor;

/* A weight: of all rows of `a` (b -1), or of the block between a and b. */
typedef struct zm_weight {
    zl_place place;
    int32_t a, b;
    int32_t rows, columns; /* 0, 0: a number; rows, 0: one a row; else the block */
    zm_where where;
} zm_weight;

/* start x = ...: one coordinate or velocity. */
typedef struct zm_start_value {
    zl_place place;
    int32_t coordinate;
    int8_t order; /* 0: position, 1: velocity */
    bool fixed;
    bool module; /* a part of a module says it */
    zm_where where;
} zm_start_value;

typedef struct zm_start_equation {
    zl_place place;
    zm_where where;
} zm_start_equation;

typedef struct zm_output {
    zm_label label;
    zl_place place;
    int32_t rows, columns; /* as zm_block */
    bool aside;            /* not among the default columns */
    zm_where where;
} zm_output;

typedef struct zm_event {
    zl_place place;
    zl_place written; /* the statement, which may stand in a module */
    int32_t part;     /* in which it stands, -1: in none */
    const char *pass; /* "i = 2, j = 1" in loops; NULL: in none */
    bool stop;
    bool idle; /* an inequality keeps its condition false (W0521): it never fires */
    zm_where where;
} zm_event;

typedef enum zm_measure_kind {
    ZM_MULTIPLIER,   /* of row `row` */
    ZM_REACTION,     /* norm of the ideal force of constraint */
    ZM_REACTION_ON,  /* its component on coordinate */
    ZM_REACTION_ALL, /* norm of the whole ideal force */
    /* columns, in outputs alone */
    ZM_SHOWN_CONTROL, /* of coordinate, as the next */
    ZM_SHOWN_FORCE,
    ZM_SHOWN_ENERGY,
    ZM_SHOWN_KINETIC,
    ZM_SHOWN_POTENTIAL,
    ZM_SHOWN_RANK
} zm_measure_kind;

typedef struct zm_measure {
    zm_measure_kind kind;
    int32_t constraint, row, coordinate;
    zl_place place;
} zm_measure;

/* A `data` statement: numbers from outside as a function, table number k of zm_model.tables for the
 * k-th. */
typedef struct zm_data {
    zm_label label;
    zl_place place;
    const zl_statement *statement; /* while the model is built */
    const zx_table *table;
    double least, most; /* of its abscissas */
    int32_t rows;
    const char *file;       /* NULL: given as arrays */
    const char *columns[2]; /* abscissa and value as the file names them; NULL: it does not */
    const char *input;      /* that it is given for, by a caller; NULL: it is of the model */
} zm_data;

/* Places of a surface in space that stand on one ring. */
enum { ZM_ON_RING = 12 };

/* A drawing. Its roots are points of `dimension` numbers each, then what its shape has besides:
 *
 *     ball, cylinder   the radius
 *     arrow            its vector
 *     box, surface     of their body (the one point): how it is turned, an angle in the plane or a
 *                      matrix row by row; then the sizes, or the places of the surface in its axes
 *     contact          vectors: the normal, then those of its friction, as far as they were given
 */
typedef struct zm_drawing {
    zl_place place;
    zl_shape shape;
    int32_t points, dimension;
    const char *text;   /* of ZL_SHAPE_TEXT */
    const char *color;  /* or NULL */
    double width;       /* 0: not said */
    int32_t part;       /* in which it stands, -1: in none */
    int32_t constraint; /* of a contact, else -1 */
    bool fallback;      /* default = 1: for models that draw nothing themselves; and contacts */
    zm_where where;
} zm_drawing;

/* Laws of impacts, the first of each unless the model says otherwise. */
typedef enum zm_impact_law { ZM_POISSON, ZM_NEWTON } zm_impact_law;
typedef enum zm_impact_order { ZM_ROUNDS, ZM_TOGETHER } zm_impact_order;

/* What `simulate` says; NaN or NULL where it says nothing. */
typedef struct zm_simulate {
    double from, until, tol, abs_tol, every;
    double rest; /* a speed: bounces below it are left out */
    const char *method;
    bool accept_inconsistent;
    bool holds_nothing; /* hold = nothing */
    zm_impact_law impact;
    zm_impact_order impacts;
} zm_simulate;

/* ------------------------------------------------------------------- model */

/* What a parameter has to do with inputs: numbers from outside that change on the way. */
typedef enum zm_input_kind { ZM_NO_INPUT, ZM_INPUT, ZM_FOLLOWS_INPUT } zm_input_kind;

typedef struct zm_model {
    zb_memory *memory;
    zb_arena arena;    /* labels, trees, tables */
    zl_unit unit;      /* names and sources */
    zx_pool pool;      /* of all families but default drawings */
    zx_pool pictures;  /* of these: how a model is solved must not depend on them, to the bit */
    const char *title; /* or NULL */

    int32_t n; /* coordinates */
    zm_block *coordinates;
    int32_t coordinate_blocks;
    zm_part *parts;
    int32_t part_count;

    /* values [value_count]: parameters first, then constants of bindings, then hidden ones */
    zm_block *parameters;
    int32_t parameter_blocks;
    int32_t parameter_count;  /* elements */
    zx_pool formulas;         /* of parameters, in the order of their numbers */
    zx_node *definitions;     /* [parameter_count] in formulas, over ZX_VALUE of earlier ones */
    int32_t *definition_ends; /* [parameter_count] nodes of formulas up to this one's */
    bool *structural;         /* [parameter_count] */
    bool *overridden;         /* [parameter_count] set from outside: the definition is not used */
    uint8_t *input;           /* [parameter_count] zm_input_kind */
    bool *used;               /* [parameter_blocks] something refers to it */
    double *values;           /* [value_count] as compiled; hidden ones are 0 */
    int32_t value_count;
    int32_t first_hidden; /* from here on values are hidden */

    zm_family *families;
    int32_t family_count;

    int32_t m; /* rows of A */
    zm_constraint *constraints;
    int32_t constraint_count;
    int32_t *mask; /* [m] the hidden value that is 0 while a row does not hold, -1: an equation;
                      NULL when there are only equations */
    zm_contact *contacts; /* every row of every inequality, in the order of rows */
    int32_t contact_count;
    zm_friction *frictions;
    int32_t friction_count;
    zm_restitution *restitutions;
    int32_t restitution_count;
    zm_motor *motors; /* in the order of their controls */
    int32_t motor_count;
    zm_weight *weights;
    int32_t weight_count;
    zm_start_value *start_values;
    int32_t start_value_count;
    zm_start_equation *start_equations;
    int32_t start_equation_count;
    zm_output *outputs;
    int32_t output_count;
    zm_event *events;
    int32_t event_count;
    zm_measure *measures;
    int32_t measure_count;
    zm_drawing *drawings;
    int32_t drawing_count;
    zm_data *data;
    int32_t data_count;
    zx_tables tables; /* of data; all pools know them */
    zm_simulate simulate;
} zm_model;

/* Gives the text of a module that `use` names and that is not shipped with Zwang; false: there is
 * none. The text must stay until the model is compiled. */
typedef bool (*zm_load_fn)(void *user, const char *name, const char **file, const char **text,
                           size_t *length);

/* Likewise of one that is. */
typedef bool (*zm_shipped_fn)(const char *name, const char **file, const char **text,
                              size_t *length);

typedef struct zm_request {
    const char *file, *text;
    size_t length;
    const char *const *settings; /* [setting_count] "m = 2" */
    int32_t setting_count;
    zm_load_fn load;        /* or NULL */
    zm_load_fn data;        /* the text of a file that `data` names; or NULL */
    void *user;             /* of load and data */
    const zw_table *tables; /* [table_count] in the place of files */
    int32_t table_count;
    const char *const *inputs; /* [input_count] "u = sin(t)" */
    int32_t input_count;
    zm_shipped_fn shipped;            /* or NULL */
    const char *const *shipped_names; /* [shipped_count] */
    int32_t shipped_count;
    int64_t step_limit;  /* work while building; 0: ZM_STEP_LIMIT */
    size_t memory_limit; /* bytes that elaboration may hold; 0: ZM_MEMORY_LIMIT */
} zm_request;

/* How much building a model may take. Of the steps at most ZM_IDLE_STEPS may be for nothing: each
 * coordinate, parameter, term and row that comes of them is worth ZM_MADE_STEPS more. So a model of a
 * million links is built, and a kilobyte of functions of functions is given up within a second. */
#define ZM_STEP_LIMIT INT64_C(500000000)
#define ZM_IDLE_STEPS INT64_C(50000000)
#define ZM_MADE_STEPS 200
#define ZM_MEMORY_LIMIT ((size_t)3 << 29)

/* ZW_ERR_MODEL: see the diagnostics. ZW_ERR_SETTING: a setting is wrong, likewise. Remarks and
 * warnings may be there with ZW_OK, too. */
zw_status zm_compile(zb_memory *memory, zb_diag_list *diagnostics, const zm_request *request,
                     zm_model **model);
void zm_free(zm_model *model);

/* --------------------------------------------------------- names, and changing numbers */

void zm_label_text(const zm_model *model, const zm_label *label, zb_text *text);
void zm_coordinate_text(const zm_model *model, int32_t coordinate, zb_text *text); /* r[2] */
void zm_parameter_text(const zm_model *model, int32_t element, zb_text *text);
void zm_constraint_text(const zm_model *model, int32_t constraint,
                        zb_text *text); /* pin; friction(pin), friction(pin, 2) of tangents */
/* "road: 241 rows from 0 to 120, cubic, from road.csv"; the same as a JSON object. */
void zm_data_text(const zm_model *model, int32_t data, zb_text *text);
void zm_data_json(const zm_model *model, int32_t data, zb_text *text);
void zm_row_text(const zm_model *model, int32_t row,
                 zb_text *text); /* pin, or roll[2] of a vector; friction(pin)[1] */
int32_t zm_row_constraint(const zm_model *model, int32_t row); /* its constraint */
zm_row_kind zm_row_kind_of(const zm_model *model, int32_t row);
bool zm_row_time_dependent(const zm_model *model, int32_t row);
int32_t zm_parameter_block_of(const zm_model *model, int32_t element);

/* The numbers of an instance's slots: coordinate slot s of an instance is the coordinate
 * zm_coordinate_of(family, instance, s). */
int32_t zm_coordinate_of(const zm_family *family, int32_t instance, int32_t slot);
int32_t zm_value_of(const zm_family *family, int32_t instance, int32_t slot);
int32_t zm_measure_of(const zm_family *family, int32_t instance, int32_t slot);

/* Values of all parameters again, after some were overridden: values [value_count] in and out. */
zw_status zm_recompute(const zm_model *model, const bool *overridden, double *values);
/* The same with scratch [formulas.count] of the caller: takes no memory. */
void zm_recompute_at(const zm_model *model, const bool *overridden, double *scratch,
                     double *values);

/* Reads "x = 1, r' = [0, 0, 1]" as assignments of coordinates and velocities: state [2 n],
 * positions then velocities, is changed. Right sides are expressions of parameters. Errors go to
 * the diagnostics (file name `file`), status ZW_ERR_SETTING. */
zw_status zm_assign_state(zm_model *model, zb_diag_list *diagnostics, const char *file,
                          const char *text, const double *values, double *state);

/* The same for parameters of a compiled model: values [value_count] and overridden
 * [parameter_count] are changed; structural ones are refused. */
zw_status zm_assign_values(zm_model *model, zb_diag_list *diagnostics, const char *file,
                           const char *text, double *values, bool *overridden);

/* The numbers of an expression of parameters, "2*pi" or "[1, m/2, 5]", in the arena; *count of them.
 * Errors as above. */
zw_status zm_evaluate_text(zm_model *model, zb_diag_list *diagnostics, const char *file,
                           const char *text, zb_arena *arena, double **numbers, int32_t *count);

/* The derived equations to read, in one of the forms. */
typedef enum zm_print_form {
    ZM_PRINT_TEXT,
    ZM_PRINT_LATEX,
    ZM_PRINT_JSON,
    ZM_PRINT_MATHML,
    ZM_PRINT_SYMPY,
    ZM_PRINT_C
} zm_print_form;
typedef struct zm_print_request {
    zm_print_form form;
    bool plain;  /* as they were derived, not as people write them */
    bool motion; /* one equation for each coordinate; as text, LaTeX, MathML */
} zm_print_request;
void zm_print(zm_model *model, const zm_print_request *request, zb_text *text);

/* Whether every equation is written out: there are no kept families. Only then may `motion` be asked
 * for, and the forms SymPy and C. */
bool zm_is_written_out(const zm_model *model);

/* One expression of an instance with the model's own names, cut when it is long, for messages. */
void zm_expression_text(zm_model *model, int32_t family, int32_t instance, zx_node node,
                        zb_text *text);

#endif
