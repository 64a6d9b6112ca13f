/*
 * Elaboration: executing the statements of a model, which is how a text with loops, components and
 * modules becomes a flat list of expressions. Private to the shelves evaluate and elaborate.
 *
 * evaluate: what an expression of the language means
 *     scope.c           names and what they mean
 *     unknown.c         messages about names that mean nothing
 *     value.c           values with shapes: numbers, vectors, matrices, blocks of leaves
 *     limits.c          how much work and memory a model may take to build
 *     evaluate.c        expressions to values
 *     functions.c       functions of the language
 *     small_matrices.c  products, determinants and inverses
 * given: numbers that can be given from outside
 *     parameters.c      param, settings, numbers that must be known while building
 *     inputs.c          input, and what the caller gives for it
 *     input_files.c     where that is a file
 *     data_tables.c     data, and calls of it
 * elaborate: what a statement does
 *     elaborate.c       the whole, from the settings to the lists of the model
 *     statements.c      for, if, use, component, part, let, coord
 *     terms.c           energies, forces, masses
 *     rows.c            constraints, weights, reactions
 *     motors.c          what a control is enforced by
 *     carried.c         whether joints could enforce a control that names none
 *     inequalities.c    inequalities, friction, restitution
 *     contact_values.c  gap, slip, friction, contact, impulse; events that cannot fire
 *     items.c           start, output, when, simulate
 *     drawings.c        draw
 *     canonical.c       expressions over coordinates to shapes with bindings
 *
 * Expressions are built in builder->world, over the coordinates and parameters themselves. What a
 * statement adds is copied from there into families at once, so a pass of a loop leaves nothing
 * behind in `world` and `scratch` but what it declared for good (elab->kept counts that).
 * Running out of memory jumps to builder->escape. An error of the text is reported to the unit;
 * its value is *broken*, and what is made from broken values is broken without further reports.
 */
#ifndef ZM_ELABORATE_H
#define ZM_ELABORATE_H

#include "build.h"

enum {
    ZM_MAX_ELEMENTS = 1 << 24,    /* of one value that is written out element by element */
    ZM_MAX_COORDINATES = 1 << 26, /* of a model */
    ZM_MAX_DEPTH = 1000,          /* expressions, calls and components inside each other */
    ZM_SHORT_DOT = 8,             /* longer scalar products in an energy become terms */
    ZM_PASS_STEPS = 5,            /* work of a pass of a loop or sum, without what stands in it */
    ZM_CALL_STEPS = 4,            /* of a call, without its arguments and the function's body */
    ZM_PART_STEPS = 400,          /* of a part and its names, which stay */
    ZM_NODE_STEPS = 20,           /* of a node of world where there were never so many before */
    ZM_FIRST_HIDDEN = 1 << 30,    /* hidden value k is the leaf ZX_VALUE of this + k, in world and
                                     in the tables, until all values are known */
};

typedef struct zm_scope zm_scope;

/* ------------------------------------------------------------------- values */

typedef enum zm_value_kind {
    ZM_VAL_BROKEN, /* an error has been reported */
    ZM_VAL_NUMBER, /* known while building; bound: it came through a name */
    ZM_VAL_NODE,   /* a scalar expression */
    ZM_VAL_ITEMS,  /* a vector or matrix, element by element */
    ZM_VAL_BLOCK,  /* consecutive leaves: coordinates, velocities, accelerations, parameters */
    ZM_VAL_PART,   /* an instance of a component */
    ZM_VAL_PARTS   /* an array of parts, still without its index */
} zm_value_kind;

/* What an expression of the language evaluates to. */
typedef struct zm_value {
    zm_value_kind kind;
    bool bound;            /* NUMBER */
    int32_t rows, columns; /* 0, 0: a scalar; columns 0: a vector */
    double number;
    zx_node node;
    zx_node *items; /* [rows * max(columns, 1)] */
    zx_op leaf;     /* BLOCK */
    int32_t first; /* BLOCK: index of the first leaf; PART: its number; PARTS: scope of the label */
    zl_name name;  /* PARTS */
} zm_value;

/* ------------------------------------------------------------------- scopes */

typedef enum zm_meaning {
    ZM_IS_VALUE,     /* let, argument, loop variable */
    ZM_IS_PARAMETER, /* block number */
    ZM_IS_COORDINATE,
    ZM_IS_FUNCTION,
    ZM_IS_COMPONENT,
    ZM_IS_PART,  /* part number */
    ZM_IS_PARTS, /* array of parts */
    ZM_IS_OUTPUT,
    ZM_IS_DATA /* number: of the table */
} zm_meaning;

/* A name in a scope and what it means. */
typedef struct zm_symbol {
    zl_name name;
    zm_meaning meaning;
    zl_place place;
    int32_t number;                /* block or part */
    const zl_statement *statement; /* function, component; output that can be read, or NULL */
    zm_value value;
} zm_symbol;

struct zm_scope {
    zm_scope *outer;    /* where a name is looked for next */
    int32_t part;       /* the part whose names are declared here, -1: the model */
    bool lasting;       /* not emptied at the end of a pass */
    zm_symbol *entries; /* [capacity]; at first `few` */
    int32_t count, capacity;
    int32_t *slots; /* [slot_count] hash of names, from 9 entries on */
    int32_t slot_count;
    int32_t room;    /* of few */
    zm_symbol few[]; /* [room] */
};

/* A statement that speaks of a constraint declared only further down. */
typedef struct zm_deferred {
    const zl_statement *statement;
    zm_scope *scope;
} zm_deferred;

/* A block of which statement `at` is being executed, inside others. */
typedef struct zm_active_block {
    const zl_block *block;
    int32_t at;
    const struct zm_active_block *outer;
} zm_active_block;

/* A setting from outside. */
typedef struct zm_setting {
    const zl_expr *left, *right;
    zl_place place;
    const char *path; /* the left side as text, without blanks */
    bool used;
    const char *input; /* then: its name */
    zl_block data;     /* of an input from a file: declares what `right` calls; else empty */
} zm_setting;

/* Slots of one sort of the instance being made: `row` holds what each is bound to; of thing k,
 * slot[k] is its slot when stamp[k] is that of the instance. */
typedef struct zm_slots {
    ZB_ARRAY(int32_t) row;
    ZB_ARRAY(int32_t) stamp;
    ZB_ARRAY(int32_t) slot;
} zm_slots;

/* A loop of so many passes, and how things stood when it began. */
typedef struct zm_loop {
    zl_place place;
    int64_t passes, done;
    bool even;    /* all passes are the same */
    int64_t look; /* after so many of them it is judged next */
    int64_t steps, made;
    size_t held;
    const struct zm_loop *outer; /* in a pass of which it stands, or NULL */
} zm_loop;

/* How far elaboration has gone, and how far it may go. */
typedef struct zm_limits {
    int32_t depth;   /* expressions and calls inside each other now */
    int32_t nesting; /* components inside each other now */
    int64_t steps;   /* work done, see zm_count_steps */
    int64_t step_limit;
    int64_t allowed;     /* steps for what has been made so far; at most step_limit */
    int64_t made;        /* coordinates, parameters, terms, rows */
    int32_t nodes;       /* of world, the most there were */
    size_t held;         /* bytes of the context before elaboration */
    size_t memory_limit; /* bytes more than that */
    const zm_loop *loop; /* the innermost one now, or NULL */
    zl_place place;      /* of what is evaluated now */
    bool stopped;        /* a limit was met and reported, or a module has wrong syntax: unwind */
    bool given_up;       /* a limit was met and reported where nothing can unwind: jumped */
} zm_limits;

/* What holds while the present statement or expression is read, and what has been met in it. */
typedef struct zm_flags {
    int32_t guarded;     /* branches of if(...) around what is evaluated now */
    bool unresolved;     /* a constraint that is not declared yet was asked for */
    bool last_call;      /* now it is an error */
    bool unusual;        /* accelerations or reactions may stand in expressions */
    bool nonideal;       /* a nonideal force is being read */
    bool output;         /* an output is being read */
    bool hidden;         /* contact(...) or impulse(...) was read */
    bool setting_errors; /* the first errors were in what the caller set */
    bool callers_file;   /* a file is named by the caller, not by the model */
    bool outside;        /* the text is not that of a model, but of a state or setting */
    bool draws;          /* a draw statement stands in the model's own text */
} zm_flags;

/* The part that is being made: who calls for it, its component, its scope. */
typedef struct zm_making {
    const zl_expr *call; /* NULL: none */
    const zl_statement *component;
    const zm_scope *inner;
} zm_making;

/* Which statements are being executed, were put off, or need not be looked at again. */
typedef struct zm_reading {
    const zm_active_block *active; /* the innermost first */
    zm_making making;
    ZB_ARRAY(zm_deferred) deferred;
    ZB_ARRAY(zl_name) modules;     /* taken in by use */
    ZB_ARRAY(bool) complained;     /* per name: reported as unknown */
    const zl_statement *looked_at; /* terms.c: the last kinetic energy looked into */
} zm_reading;

typedef struct zm_part_list {
    ZB_ARRAY(zm_part) list;
    ZB_ARRAY(zm_scope *) scopes; /* per part */
    zb_table table;              /* by label */
} zm_part_list;

/* Parameters: by block, then by element; and what is set from outside. */
typedef struct zm_parameter_list {
    ZB_ARRAY(zm_block) blocks;
    ZB_ARRAY(bool) used;        /* per block */
    ZB_ARRAY(double) numbers;   /* per element: present values */
    ZB_ARRAY(zx_node) formulas; /* per element, in world */
    ZB_ARRAY(bool) structural;  /* per element */
    ZB_ARRAY(bool) overridden;  /* per element */
    ZB_ARRAY(uint8_t) input;    /* per element: zm_input_kind */
    bool any_input;
    ZB_ARRAY(zm_setting) settings, inputs;
    zb_text path; /* of the setting that is read */
} zm_parameter_list;

/* The items of the model so far, in declared order. */
typedef struct zm_item_lists {
    ZB_ARRAY(zm_constraint) constraints;
    zb_table constraint_table; /* by label */
    ZB_ARRAY(zm_weight) weights;
    ZB_ARRAY(zm_start_value) start_values;
    ZB_ARRAY(zm_start_equation) start_equations;
    ZB_ARRAY(uint8_t)
    given; /* per coordinate: bit 0 position, bit 1 velocity given at start;
                                bits 2, 3: by a module */
    ZB_ARRAY(zm_output) outputs;
    zb_table output_table; /* by label */
    ZB_ARRAY(zm_event) events;
    ZB_ARRAY(zm_measure) measures;
    ZB_ARRAY(zm_drawing) drawings;
    ZB_ARRAY(zm_data) data;
    ZB_ARRAY(zm_contact) contacts;
    ZB_ARRAY(zm_friction) frictions;
    ZB_ARRAY(zm_restitution) restitutions;
    ZB_ARRAY(zm_motor) motors;
    ZB_ARRAY(int32_t) last_friction; /* per constraint: the last one on it, -1: none */
    ZB_ARRAY(int32_t) masks;         /* per row: its hidden value, -1: none */
    int32_t hidden;                  /* hidden values so far */
} zm_item_lists;

/* The copy of an instance into the pool of shapes (canonical.c): what stands where in the instance
 * being made; valid where the stamp is now. */
typedef struct zm_canonical {
    int32_t stamp;                            /* of the instance being made */
    ZB_ARRAY(int32_t) node_stamp, node_image; /* per node of world: its copy */
    zm_slots coordinate_slots, value_slots, measure_slots;
    ZB_ARRAY(int32_t) stack;    /* nodes of world still to be copied */
    ZB_ARRAY(double) constants; /* of all instances: number k is -1 - k in the tables */
    zb_table constant_table;
} zm_canonical;

typedef struct zm_elab zm_elab;
struct zm_elab {
    zm_builder *b;
    zm_model *model;
    zl_unit *unit;
    zb_memory *memory;
    zx_pool *world;          /* expressions over the coordinates and parameters themselves */
    zb_arena scratch;        /* values, scopes */
    ZB_ARRAY(zx_node) moved; /* elements on their way, zm_give_back */
    int64_t kept;    /* grows whenever something is made in world or scratch that must stay */
    zm_scope *scope; /* where names are declared and looked up now */
    zm_limits limits;
    zm_flags flags;
    zm_reading reading;
    ZB_ARRAY(zm_block) coordinates;
    zm_part_list parts;
    zm_parameter_list parameters;
    zm_item_lists items;
    zm_canonical canonical;
};

/* Appends to a growable array of e; jumps when memory runs out. */
#define ZM_PUSH(e, array, value)                                                                   \
    do {                                                                                           \
        if (!zb_array_push((e)->memory, &(e)->array, value)) zm_out_of_memory(e);                  \
    } while (0)
_Noreturn void zm_out_of_memory(zm_elab *e);

/* -------------------------------------------------------------- diagnostics */

/* One line of text made from a value, in scratch. */
const char *zm_format(zm_elab *e, const char *format, ...) ZB_PRINTF(2, 3);
const char *zm_name_of(const zm_elab *e, zl_name name);
const char *zm_label_string(zm_elab *e, const zm_label *label);
const char *zm_shape_string(zm_elab *e, const zm_value *v); /* "a vector of 3" */
#define ZM_ERROR(e, code, place, help, ...) zl_report((e)->unit, code, place, help, __VA_ARGS__)

/* ------------------------------------------------------------------ limits.c */

/* Counts work as steps, new nodes of world among it; true when a limit is met, of work or of memory,
 * which has then been reported. */
bool zm_count_steps(zm_elab *e, zl_place place, int64_t steps);

/* Counts things that stay in the model: the work for them was not for nothing. */
void zm_count_made(zm_elab *e, int64_t count);

/* Before so many elements are made at once, at the place of what is evaluated now: reports and jumps
 * when they are too many. */
void zm_count_elements(zm_elab *e, int64_t count);

/* Whether a range with so many passes fits the limit at all; reports it otherwise. */
bool zm_range_fits(zm_elab *e, const zl_expr *low, const zl_expr *high, int64_t passes);

/* Begins a loop; then, before each of its passes, counts it: false when a limit is met, or will be
 * met by far if all of them take as much as those until now. That has then been reported. */
void zm_begin_loop(zm_elab *e, zm_loop *loop, zl_place place, int64_t passes);
bool zm_begin_pass(zm_elab *e, zm_loop *loop);
void zm_end_loop(zm_elab *e, const zm_loop *loop);

/* What scratch held before something was evaluated; giving it back moves the elements of a value that
 * stays down to there. Nothing is given back where something that lasts was made meanwhile. */
typedef struct zm_scratch_mark {
    zb_mark scratch;
    int64_t kept;
} zm_scratch_mark;
zm_scratch_mark zm_mark_scratch(const zm_elab *e);
void zm_give_back(zm_elab *e, const zm_scratch_mark *mark, zm_value *stays);

/* ------------------------------------------------------------------- scope.c */

/* A *lasting* scope is that of the model or of a part; those of loops and calls are emptied after
 * each pass. `part`: whose names are declared in it, -1: the model's. It begins with room for so many
 * names. */
zm_scope *zm_scope_new(zm_elab *e, zm_scope *outer, int32_t part, bool lasting, int32_t names);
void zm_scope_empty(zm_scope *scope); /* holds no more than its own struct afterwards */

/* A scope that a part or a deferred statement may go on using: itself when it is lasting, else a
 * copy of it and of the passing ones around it. */
zm_scope *zm_scope_keep(zm_elab *e, zm_scope *scope);

/* The meaning of a name in this very scope, or NULL. */
const zm_symbol *zm_find_own_name(const zm_scope *scope, zl_name name);

/* The meaning of a name seen from *scope, and the scope in which it was found; or NULL. */
const zm_symbol *zm_find_name_from(zm_scope **scope, zl_name name);

/* The meaning of a name seen from the present scope, or NULL. */
const zm_symbol *zm_find_name(const zm_elab *e, zl_name name);

/* Declares; reports E0101 when the name is taken, and then returns false. */
bool zm_declare_name(zm_elab *e, const zm_symbol *entry);

/* Binds without asking: arguments and loop variables may hide. */
void zm_bind_name(zm_elab *e, zm_scope *scope, zl_name name, zl_place place, const zm_value *value);

/* ----------------------------------------------------------------- unknown.c */

/* Unknown name (ZL_NAME or ZL_CALL), with a suggestion; once for each name. */
void zm_report_unknown_name(zm_elab *e, const zl_expr *x);
void zm_report_unknown_component(zm_elab *e, const zl_expr *call);

/* "a, b and c", the first few. */
const char *zm_list_names(zm_elab *e, const zl_name *names, int32_t count);
const char *zm_list_scope_names(zm_elab *e, const zm_scope *scope);

/* Of a coordinate there are no members, but x.der may mean its velocity. */
const char *zm_member_help(zm_elab *e, const zl_expr *member);

/* ------------------------------------------------------------------- value.c */

zm_value zm_broken(void);

/* A number known now; bound: it came through a name, so that it may become a slot. */
zm_value zm_number(double number, bool bound);

/* A scalar expression of `world`, as a number when it is one; ZX_NONE: broken. */
zm_value zm_node_value(const zm_elab *e, zx_node node);
zm_value zm_new_items(zm_elab *e, int32_t rows, int32_t columns); /* elements to be filled in */
int32_t zm_size(const zm_value *v);                               /* elements; 1 for scalars */
bool zm_is_scalar(const zm_value *v);
bool zm_is_broken(const zm_value *v);
bool zm_is_numeric(const zm_value *v);     /* neither a part nor an array of parts */
bool zm_is_zero_number(const zm_value *v); /* the number 0, which fits every shape in an equation */
bool zm_is_coordinates(const zm_value *v); /* a block of positions or velocities */

/* Element k, counted from 0 row by row, as a node of `world`; ZX_NONE of parts and
 * broken values. */
zx_node zm_element(zm_elab *e, const zm_value *v, int32_t k);
bool zm_same_shape(const zm_value *a, const zm_value *b);

/* Elementwise op of one operand; the shape is judged by the caller. */
zm_value zm_map_elements(zm_elab *e, zx_op op, const zm_value *a);

/* The total time derivative, a velocity or acceleration for a coordinate; broken where there is
 * none. */
zm_value zm_rate_of(zm_elab *e, const zm_value *v, zl_place place);

/* a x b, where x is the operator; a condition gives a number or node that is 0 or 1. Reports shapes
 * that do not fit. */
zm_value zm_apply_arithmetic(zm_elab *e, const zl_expr *x, const zm_value *a, const zm_value *b);
zm_value zm_apply_condition(zm_elab *e, const zl_expr *x, const zm_value *a, const zm_value *b);

/* v[index[0]] or v[index[0], index[1]]; one index of a matrix gives its row. */
zm_value zm_select_element(zm_elab *e, const zl_expr *x, const zm_value *v, const int32_t *index);

/* ---------------------------------------------------------------- evaluate.c */

zm_value zm_evaluate(zm_elab *e, const zl_expr *x);

/* Evaluates and asks for a scalar; ZX_NONE after an error. */
zx_node zm_evaluate_scalar(zm_elab *e, const zl_expr *x);

/* The ends of a range low..high, integers known now; false after an error. A range with more passes
 * than the limit of steps allows is refused. An empty one has *to < *from. */
bool zm_read_range(zm_elab *e, const zl_expr *low, const zl_expr *high, int64_t *from, int64_t *to);

zm_value zm_evaluate_builtin(zm_elab *e, const zl_expr *x); /* functions.c */

/* small_matrices.c. A product of a matrix and a vector or a matrix whose sizes fit; inverse and
 * determinant of a square matrix. x is the call, for messages. */
zm_value zm_multiply_matrix(zm_elab *e, const zm_value *a, const zm_value *b);
zm_value zm_invert_matrix(zm_elab *e, const zl_expr *x, const zm_value *a);
zm_value zm_matrix_determinant(zm_elab *e, const zl_expr *x, const zm_value *a);
zx_node zm_dot_product(zm_elab *e, const zm_value *a, const zm_value *b); /* functions.c */

/* -------------------------------------------------------------- parameters.c */

void zm_read_settings(zm_elab *e); /* parses what the caller set, before the model is executed */
void zm_read_setting_text(zm_elab *e, const char *file, const char *text, bool input);
void zm_check_settings(zm_elab *e); /* reports those that named no parameter, at the end */
void zm_execute_param(zm_elab *e, const zl_statement *s);

/* Whether a value may be one of a parameter; reports otherwise. */
bool zm_check_parameter_value(zm_elab *e, const zl_definition *d, const zm_value *v);
void zm_add_parameter(zm_elab *e, const zm_block *block, const zm_value *v, bool input);
/* What a setting names of a block: an element, the whole, or nothing (also after an error). */
enum { ZM_NO_ELEMENT = -2, ZM_WHOLE_BLOCK = -1 };
int32_t zm_match_setting(zm_elab *e, zm_setting *s, const zm_block *block);

/* input_files.c: a text that names a file becomes data and a call, number: of the text, from 1;
 * false: it names none. Execute: declares the data; false after an error. */
bool zm_read_input_file(zm_elab *e, const char *file, const char *text, int32_t number);
bool zm_execute_input_file(zm_elab *e, const zm_setting *s);

/* inputs.c */
void zm_execute_input(zm_elab *e, const zl_statement *s);
void zm_check_inputs(zm_elab *e); /* reports texts that named no input, at the end */

/* A number that must be known now; marks parameters in it as structural. `what` is its name in the
 * message. */
bool zm_read_known_number(zm_elab *e, const zm_value *v, zl_place place, const char *what,
                          double *number);
bool zm_read_known_integer(zm_elab *e, const zl_expr *x, const char *what, int64_t *number);

/* A number as compiled, of parameters only; marks nothing. */
bool zm_read_present_number(zm_elab *e, const zl_expr *x, const char *what, double *number);
double zm_number_of_node(zm_elab *e, zx_node node); /* parameters by their present values */

/* Makes the parameters in the formulas of structural ones structural, too. */
void zm_spread_structural(zm_elab *e);

/* -------------------------------------------------------------- statements.c */

void zm_execute_block(zm_elab *e, const zl_block *block);
void zm_execute_statement(zm_elab *e, const zl_statement *s);
int32_t zm_find_part(const zm_elab *e, const zm_label *label); /* -1: none */

/* The label of a declared thing, NAME or NAME[i, j], in the present part. */
bool zm_read_label(zm_elab *e, const zl_expr *target, zm_label *label);
uint64_t zm_label_hash(const zm_label *label);
bool zm_same_label(const zm_label *a, const zm_label *b);

/* --------------------------------------------------- terms.c, rows.c, items.c, drawings.c */

void zm_execute_energy(zm_elab *e, const zl_statement *s);
void zm_execute_mass(zm_elab *e, const zl_statement *s);
void zm_execute_force(zm_elab *e, const zl_statement *s);
void zm_execute_constraint(zm_elab *e, const zl_statement *s);
void zm_execute_weight(zm_elab *e, const zl_statement *s);
void zm_add_motors(zm_elab *e, const zl_statement *s); /* of the control that was declared last */
bool zm_is_carried(zm_elab *e, const zx_node *rows,
                   int32_t count); /* each by some joint (carried.c) */
zm_value zm_evaluate_reaction(zm_elab *e, const zl_expr *x);
zx_node zm_measure_leaf(zm_elab *e, const zm_measure *sought); /* the leaf of a measure */
void zm_execute_restitution(zm_elab *e, const zl_statement *s);
void zm_execute_friction(zm_elab *e, const zl_statement *s);
void zm_execute_start(zm_elab *e, const zl_statement *s);
void zm_execute_output(zm_elab *e, const zl_statement *s);
void zm_execute_when(zm_elab *e, const zl_statement *s);
void zm_execute_draw(zm_elab *e, const zl_statement *s);
void zm_execute_simulate(zm_elab *e, const zl_statement *s);

/* data_tables.c. Tables that were given as arrays and that no statement names are errors. */
void zm_execute_data(zm_elab *e, const zl_statement *s);
void zm_check_tables(zm_elab *e);
zm_value zm_evaluate_data(zm_elab *e, const zl_expr *x, int32_t table); /* road(x) */
zx_node zm_table_of(zm_elab *e, int32_t table, zx_node argument);

/* The constraint that x names: one of the part at hand first, then of those around it. -1 after an
 * error, and while it is not declared: then the statement is to be put off. `code` is that of the
 * message, E0106 or E0502. */
int32_t zm_find_constraint(zm_elab *e, const zl_expr *x, const char *code);

/* Whether a name may be one that a statement declares which could not be read: nothing is wrong with
 * it then. */
bool zm_is_lost(const zm_elab *e, zl_name name);

/* The measure m of each of a block of coordinates. */
zm_value zm_measures_of_coordinates(zm_elab *e, const zm_value *r, zm_measure m);

/* shown_values.c: whether it is a column that may stand in an output (energy, force(x)); its value
 * there. */
bool zm_is_shown_word(const zm_elab *e, const zl_expr *x);
zm_value zm_evaluate_shown(zm_elab *e, const zl_expr *x);

/* gap, slip, friction, contact and impulse of a constraint. */
zm_value zm_evaluate_contact(zm_elab *e, const zl_expr *x);

/* The first of the contacts of a constraint, which follow each other; the last friction on it, or
 * -1. */
int32_t zm_find_contact(const zm_elab *e, int32_t constraint);
int32_t *zm_last_friction(zm_elab *e, int32_t constraint);

/* Warns of events whose condition an inequality keeps false. */
void zm_warn_idle_events(zm_elab *e);

/* The roots of an item that holds them already, as nodes of world: out [where->count]. */
void zm_recall_roots(zm_elab *e, const zm_where *where, zx_node *out);

/* The rows phi [count], which come after all rows before, times a new mask each: out [count]. */
void zm_mask_rows(zm_elab *e, const zx_node *phi, int32_t count, zx_node *out);

/* The contacts of the rows phi [count] of an inequality, from first_row on. */
void zm_add_contacts(zm_elab *e, const zl_statement *s, int32_t constraint, const zx_node *phi,
                     int32_t first_row, int32_t count);

/* colours.c: whether a colour is one, and the one that was meant, or NULL. */
bool zm_is_colour(const char *text);
const char *zm_suggest_colour(const char *text);

/* Coordinates on the left of a statement: a block of positions (or velocities, when allowed). */
bool zm_read_targets(zm_elab *e, const zl_expr *x, bool velocities, zm_value *v);

/* --------------------------------------------------------------- elaborate.c */

void zm_elab_init(zm_elab *e, zm_builder *b);
void zm_elab_free(zm_elab *e);

/* --------------------------------------------------------------- canonical.c */

/* One instance to be added to the family of its shape. */
typedef struct zm_instance {
    zm_kind kind;
    zm_energy energy;
    const zx_node *roots; /* [root_count] in world */
    int32_t root_count;
    const int32_t *targets; /* [target_count] coordinates, -1: none */
    const int32_t *orders;  /* or NULL */
    int32_t target_count;
    int32_t item; /* -1: a term */
    zl_place place;
} zm_instance;

/* Which leaves may stand in an expression; others are errors at the place. */
typedef struct zm_allowed {
    bool velocity, acceleration, measure, coordinate, time;
} zm_allowed;
bool zm_check_leaves(zm_elab *e, const zx_node *roots, int32_t count, zm_allowed allowed,
                     zl_place place, const char *what);

/* Whether a coordinate, velocity or acceleration stands below a node of `world`. */
bool zm_has_coordinate(zm_elab *e, zx_node node);

/* Adds the instance to the family of its shape, a new one when it is the first; where it is now. */
zm_where zm_add_instance(zm_elab *e, const zm_instance *instance);

#endif
