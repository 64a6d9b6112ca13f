/*
 * What the files of the extension share. It sees Python's limited API and zwang.h, nothing else: one
 * binary serves every Python from 3.11 on.
 *
 *     py_module.c      the module: words, functions without an object
 *     py_array.c       arrays: NumPy's where it is there, else blocks of our own; reading any buffer
 *     py_error.c       statuses and diagnostics as exceptions
 *     py_text.c        what the library writes piece by piece, as a string
 *     py_source.c      the source of a model, and who gives its files
 *     py_model.c       _zwang.Model: a context and a compiled model
 *     py_describe.c    what a model is made of, in words
 *     py_columns.c     _zwang.Columns
 *     py_sim.c         _zwang.Simulation: state, parameters, inputs
 *     py_motion.c      a run: begin, advance, rows, save, restore
 *     py_instant.c     what the equations say at a state
 *     py_happen.c      what has happened in a run
 *     py_derivatives.c tangents, linear systems, states of rest
 *     py_ensemble.c    many members at once
 *     py_sweep.c       _zwang.Sweep: many runs by a plan
 *     py_gauss.c       _zwang.Gauss: the solver of matrices
 *     py_gauss_answer.c, py_friction.c   what it answers
 *     py_file.c        results and pages as files
 *
 * Threads. The GIL is released while the library works. What belongs to the thread of a context waits
 * for its lock (zpy_enter, zpy_leave); a simulation that is at work in one thread is refused to others
 * (zpy_seize, zpy_free_sim). Signals are looked at after steps, so that Ctrl-C ends a run.
 */
#ifndef ZWANG_EXTENSION_H
#define ZWANG_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <pythread.h>
#include <stdbool.h>
#include <stdint.h>
#include <zwang.h>

/* ------------------------------------------------------------------------- module */

/* Objects of Python that C asks for. Set once, when the module is made. */
typedef struct zpy_shared {
    PyObject *empty;   /* numpy.empty, or NULL: there is no NumPy */
    PyObject *convert; /* zwang._arrays.convert: anything to an object with a buffer of doubles */
    PyObject *failure; /* zwang._errors.make: an exception of status, sentence, diagnostics */
    PyTypeObject *block, *model, *columns, *sim, *gauss;
} zpy_shared;
extern zpy_shared zpy;

/* Each makes its type and puts it into the module; false with an exception. */
bool zpy_add_block(PyObject *module);
bool zpy_add_model(PyObject *module);
bool zpy_add_columns(PyObject *module);
bool zpy_add_sim(PyObject *module);
bool zpy_add_gauss(PyObject *module);
bool zpy_add_sweep(PyObject *module);
/* A type from its spec, in the module under its name; NULL with an exception. */
PyTypeObject *zpy_add_type(PyObject *module, PyType_Spec *spec, const char *name);
/* What tp_dealloc ends with: the memory of an object of a type made from a spec. */
void zpy_release(PyObject *self);

/* -------------------------------------------------------------------------- arrays */

enum { ZPY_MOST_DIMENSIONS = 3 };

/* Doubles of another object, C-contiguous. */
typedef struct zpy_doubles {
    Py_buffer view;
    double *data;
    Py_ssize_t count;
    int dimensions;
    Py_ssize_t shape[ZPY_MOST_DIMENSIONS];
} zpy_doubles;

/* A new array of doubles, numpy.ndarray or memoryview of a block; *data is its memory. The numbers
 * are not set. NULL with an exception. */
PyObject *zpy_new_array(int dimensions, const Py_ssize_t *shape, double **data);
PyObject *zpy_new_vector(Py_ssize_t count, double **data);
PyObject *zpy_new_matrix(Py_ssize_t rows, Py_ssize_t columns, double **data);
/* Copies of doubles, and flags as a list. */
PyObject *zpy_vector_of(const double *x, Py_ssize_t count);
PyObject *zpy_flags_of(const bool *x, Py_ssize_t count);
/* A block of zeros [count] with a life of its own, and a writable array that looks at part of it. */
PyObject *zpy_new_block(Py_ssize_t count, double **data);
PyObject *zpy_look_at(PyObject *block, Py_ssize_t first, Py_ssize_t count);

/* Reads any object that holds numbers; what is no buffer of doubles is converted. `what` names it in
 * the exception. Release what was read. */
bool zpy_read(PyObject *object, const char *what, zpy_doubles *d);
/* The same with `count` numbers. */
bool zpy_read_count(PyObject *object, const char *what, Py_ssize_t count, zpy_doubles *d);
/* A buffer of doubles to be written, which is not converted. */
bool zpy_write_into(PyObject *object, const char *what, Py_ssize_t count, zpy_doubles *d);
void zpy_done(zpy_doubles *d);

/* -------------------------------------------------------------------------- errors */

/* Sets the exception of a status, with the diagnostics that wait in the context (or NULL), which are
 * cleared; sentence NULL: that of the status. Always NULL. */
PyObject *zpy_fail(zw_status status, zw_context *context, const char *sentence);
/* Diagnostics as a list of tuples (severity, code, file, line, column, length, where, sentence, help,
 * text); the first has the text of all as people are shown it. They are cleared. */
PyObject *zpy_take_messages(zw_context *context);
/* The list as people are shown it. */
PyObject *zpy_format_messages(const zw_context *context);
/* Always NULL. */
PyObject *zpy_refuse(PyObject *type, const char *sentence);

/* --------------------------------------------------------------------------- texts */

/* Text that grows. */
typedef struct zpy_text {
    char *bytes;
    size_t length, room;
    bool failed;
} zpy_text;
bool zpy_text_put(void *text, const char *bytes, size_t size); /* a zw_write_fn */
PyObject *zpy_text_take(zpy_text *text);                       /* as str; frees it */
void zpy_text_free(zpy_text *text);
/* The strings of a list, which owns them, or of NULL none; *count of them. To be freed by PyMem_Free.
 * NULL with an exception. */
const char **zpy_take_words(PyObject *list, int32_t *count);
/* A name that the library writes into a buffer. */
typedef size_t (*zpy_name_fn)(const void *object, int32_t i, char *buffer, size_t size);
PyObject *zpy_name_of(zpy_name_fn name, const void *object, int32_t i);
PyObject *zpy_names_of(zpy_name_fn name, const void *object, int32_t count);

/* -------------------------------------------------------------------------- sources */

/* What a model is compiled from, and in what context. */
typedef struct zpy_source {
    zw_model_source source;  /* its user is this struct, which must stay where it is */
    PyObject *held;          /* list: what everything here belongs to */
    PyObject *module, *data; /* callables or NULL: name to (file, text) or None */
    unsigned long thread;    /* that has called the library */
    const char **settings, **inputs;
    zw_table *tables;
    zpy_doubles *numbers; /* [number_count] of the tables */
    int32_t number_count;
    const char *solver;
    int threads, lanes;
    unsigned long long memory;
} zpy_source;
/* From the arguments of _zwang.Model. False with an exception; close it in any case. */
bool zpy_source_open(zpy_source *source, PyObject *args, PyObject *words);
void zpy_source_close(zpy_source *source);
/* A context with its solver, threads, lanes and memory. False with an exception; free what there is. */
bool zpy_source_context(const zpy_source *source, zw_context **context);

/* --------------------------------------------------------------------------- models */

typedef struct zpy_model {
    PyObject_HEAD zw_context *context;
    zw_model *model;
    PyThread_type_lock lock; /* of the context */
    unsigned long owner;     /* thread that has it, 0: none */
    PyObject *messages;      /* list: warnings and remarks so far */
} zpy_model;

/* The context belongs to this thread until zpy_leave. False with an exception: it does already, as
 * in a signal handler during a run. */
bool zpy_enter(zpy_model *m);
void zpy_leave(zpy_model *m);
/* After a call: messages that wait go to the list `messages`, or into the exception of a failure.
 * False with that exception. */
bool zpy_judge(zpy_model *m, zw_status status, PyObject *messages);

/* Methods that describe a model (py_describe.c), and its ensembles. */
extern PyMethodDef zpy_describe_methods[];
PyObject *zpy_model_ensemble(PyObject *self, PyObject *args, PyObject *words);

/* -------------------------------------------------------------------------- columns */

typedef struct zpy_columns {
    PyObject_HEAD zpy_model *model;
    zw_columns *columns;
} zpy_columns;

/* ---------------------------------------------------------------------- simulations */

typedef struct zpy_sim {
    PyObject_HEAD zpy_model *model;
    zw_sim *sim;
    int32_t n, m;
    bool busy;      /* at work in some thread */
    bool begun;     /* there is a run */
    bool exclusive; /* its steps take memory of the context: the method bdf */
    double t;
    PyObject *block;      /* [2n] q and v as they are seen */
    double *live;         /* its numbers */
    double *known;        /* [2n] what they were when the library was told; then [n] */
    double *work;         /* [n] */
    PyObject *q, *v;      /* arrays that look at the block */
    PyObject *messages;   /* list: warnings and remarks of its calls */
    PyObject *columns;    /* dict: name to Columns */
    zw_run_settings run;  /* as it began, or will begin */
    int64_t asked;        /* when signals were looked at last, ns */
    double stepped, step; /* where the last step ended, and its size */
    int64_t row_count;    /* rows that the last call of rows has written */
} zpy_sim;

/* The simulation belongs to this thread until it is freed. False with an exception. */
bool zpy_seize(zpy_sim *s);
void zpy_free_sim(zpy_sim *s);
/* What the caller has written into q and v goes to the library; what the library has into q and v. */
zw_status zpy_push(zpy_sim *s);
void zpy_pull(zpy_sim *s);
/* A zw_poll_fn: signals, some times a second. */
bool zpy_poll(void *sim, const zw_progress *progress);
/* Reads settings of a run from a dict over what is there; with a method, over what the model (NULL: none)
 * says by that. False with an exception. */
bool zpy_read_settings(const zw_model *model, PyObject *words, zw_run_settings *settings);

extern PyMethodDef zpy_motion_methods[];
extern PyMethodDef zpy_instant_methods[];
extern PyMethodDef zpy_happen_methods[];
extern PyMethodDef zpy_derivative_methods[];

/* ---------------------------------------------------------------------------- gauss */

typedef struct zpy_gauss {
    PyObject_HEAD zw_context *context;
    zw_gauss *g;
    zw_gauss_shape shape;
    bool busy;
} zpy_gauss;

/* Everything an answer holds, with room for it. */
typedef struct zpy_answer {
    zw_gauss_answer values;
    double *numbers;
    bool *flags;
    int32_t n, m;
} zpy_answer;
bool zpy_answer_init(zpy_answer *a, int32_t n, int32_t m); /* false with an exception */
void zpy_answer_clear(zpy_answer *a);
PyObject *zpy_answer_dict(const zpy_answer *a, bool inequalities);
PyObject *zpy_rank_dict(const zw_gauss_rank_info *rank);
PyObject *zpy_diagnosis_dict(const zw_diagnosis *d);
PyObject *zpy_gauss_friction(PyObject *self, PyObject *args, PyObject *words);
/* Puts a value, which is taken over, under a name; false where it is NULL or there is no memory. */
bool zpy_put(PyObject *dict, const char *name, PyObject *value);

/* ---------------------------------------------------------------------------- files */

/* A zw_write_fn; user is a callable that takes bytes. The GIL is held. */
bool zpy_hand_on(void *user, const char *bytes, size_t size);
/* The format of that word; false: there is none. */
bool zpy_find_format(const char *word, zw_result_format *format);
PyObject *zpy_write_result(PyObject *module, PyObject *args, PyObject *words);
PyObject *zpy_write_page(PyObject *module, PyObject *args, PyObject *words);
PyObject *zpy_grid(PyObject *module, PyObject *args, PyObject *words);

#endif
