/*
 * _zwang.Model: a context of its own and the model compiled in it. A model is immutable and may be
 * used by several threads; what takes memory or reports waits for the lock of the context.
 */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------- lock */

bool zpy_enter(zpy_model *m)
{
    unsigned long self = PyThread_get_thread_ident();
    if (m->owner == self) {
        PyErr_SetString(PyExc_RuntimeError, "this model is at work in this very thread");
        return false;
    }
    if (PyThread_acquire_lock(m->lock, NOWAIT_LOCK) == PY_LOCK_FAILURE) {
        Py_BEGIN_ALLOW_THREADS;
        (void)PyThread_acquire_lock(m->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS;
    }
    m->owner = self;
    return true;
}

void zpy_leave(zpy_model *m)
{
    m->owner = 0;
    PyThread_release_lock(m->lock);
}

bool zpy_judge(zpy_model *m, zw_status status, PyObject *messages)
{
    if (status != ZW_OK) {
        (void)zpy_fail(status, m->context, NULL);
        return false;
    }
    if (zw_context_diagnostic_count(m->context) == 0) return true;
    PyObject *list = zpy_take_messages(m->context);
    Py_ssize_t end = PyList_Size(messages);
    bool good = list && PyList_SetSlice(messages, end, end, list) == 0;
    Py_XDECREF(list);
    return good;
}

/* ---------------------------------------------------------------- files of a model */

/* Who gives modules and files of data, and what they gave, which stays until the end. */
typedef struct giver {
    PyObject *module, *data; /* callables or NULL: name to (file, text) or None */
    PyObject *kept;          /* list */
} giver;

/* Asks in Python, which compiling does without otherwise. */
static bool ask(giver *g, PyObject *whom, const char *name, const char **file, const char **text,
                size_t *length)
{
    bool found = false;
    if (!whom || whom == Py_None) return false;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer = PyErr_Occurred() ? NULL : PyObject_CallFunction(whom, "s", name);
    char *bytes = NULL;
    Py_ssize_t size = 0;
    const char *called = NULL;
    if (answer && answer != Py_None && PyList_Append(g->kept, answer) == 0 &&
        PyArg_ParseTuple(answer, "ss#", &called, &bytes, &size)) {
        *file = called;
        *text = bytes;
        *length = (size_t)size;
        found = true;
    }
    Py_XDECREF(answer);
    PyGILState_Release(state);
    return found;
}

static bool give_module(void *user, const char *name, const char **file, const char **text,
                        size_t *length)
{
    giver *g = user;
    return ask(g, g->module, name, file, text, length);
}

static bool give_data(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    giver *g = user;
    return ask(g, g->data, name, file, text, length);
}

/* ---------------------------------------------------------------- words and tables */

/* The strings of a list, which owns them; *count of them. NULL with an exception. */
static const char **take_words(PyObject *list, int32_t *count)
{
    Py_ssize_t size = list ? PySequence_Size(list) : 0;
    if (size < 0) return NULL;
    const char **words = PyMem_Calloc((size_t)size + 1, sizeof *words);
    if (!words) PyErr_NoMemory();
    for (Py_ssize_t k = 0; words && k < size; k++) {
        PyObject *word = PySequence_GetItem(list, k); /* a list of str: it keeps them */
        words[k] = word ? PyUnicode_AsUTF8AndSize(word, NULL) : NULL;
        Py_XDECREF(word);
        if (words[k]) continue;
        PyMem_Free(words);
        return NULL;
    }
    *count = (int32_t)size;
    return words;
}

typedef struct table_list {
    zw_table *tables;
    zpy_doubles *numbers; /* two for each */
    int32_t count, read;
} table_list;

static void free_tables(table_list *t)
{
    for (int32_t k = 0; k < t->read; k++) zpy_done(&t->numbers[k]);
    PyMem_Free(t->tables);
    PyMem_Free(t->numbers);
}

/* (name, x, y): one of the tables. */
static bool take_table(table_list *t, PyObject *entry, zw_table *table)
{
    PyObject *x, *y;
    if (!PyArg_ParseTuple(entry, "sOO", &table->name, &x, &y)) return false;
    zpy_doubles *d = t->numbers + t->read;
    if (!zpy_read(x, "x of a table", d)) return false;
    t->read++;
    if (!zpy_read_count(y, "y of a table", d->count, d + 1)) return false;
    t->read++;
    table->x = d[0].data;
    table->y = d[1].data;
    table->count = (int32_t)d->count;
    return true;
}

static bool take_tables(PyObject *list, table_list *t)
{
    Py_ssize_t size = list ? PySequence_Size(list) : 0;
    *t = (table_list){.count = (int32_t)size};
    if (size < 0) return false;
    t->tables = PyMem_Calloc((size_t)size + 1, sizeof *t->tables);
    t->numbers = PyMem_Calloc(2 * (size_t)size + 1, sizeof *t->numbers);
    if (!t->tables || !t->numbers) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t k = 0; k < size; k++) {
        PyObject *entry = PySequence_GetItem(list, k);
        bool good = entry && take_table(t, entry, &t->tables[k]);
        Py_XDECREF(entry);
        if (!good) return false;
    }
    return true;
}

/* --------------------------------------------------------------------------- making */

/* Solver, threads, lanes and memory of the context. */
static zw_status set_context(zw_context *context, const char *solver, int threads, int lanes,
                             unsigned long long memory)
{
    zw_solver chosen = ZW_SOLVER_AUTO;
    zw_status status = solver ? zw_solver_find(solver, &chosen) : ZW_OK;
    if (status == ZW_OK) status = zw_context_set_solver(context, chosen);
    if (status == ZW_OK) status = zw_context_set_threads(context, threads);
    if (status == ZW_OK) status = zw_context_set_lanes(context, lanes);
    if (status == ZW_OK) status = zw_context_set_budget(context, (size_t)memory);
    return status;
}

/* Compiles with the GIL released; an exception of a callback comes before the failure that it is the
 * reason of. */
static bool compile(zpy_model *m, zw_model_source *source, giver *g)
{
    zw_status status;
    g->kept = PyList_New(0);
    if (!g->kept) return false;
    source->module = give_module;
    source->data = give_data;
    source->user = g;
    Py_BEGIN_ALLOW_THREADS;
    status = zw_model_compile(m->context, source, &m->model);
    Py_END_ALLOW_THREADS;
    Py_DECREF(g->kept);
    return !PyErr_Occurred() && zpy_judge(m, status, m->messages);
}

static int model_init(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"file",       "text",         "settings", "inputs",  "tables",
                            "module",     "data",         "solver",   "threads", "memory",
                            "step_limit", "memory_limit", "lanes",    NULL};
    zpy_model *m = (zpy_model *)self;
    zw_model_source source = {0};
    giver g = {0};
    table_list tables = {0};
    PyObject *settings = NULL, *inputs = NULL, *table = NULL;
    Py_ssize_t length;
    const char *solver = NULL;
    int threads = 0, lanes = 0;
    unsigned long long memory = 0, memory_limit = 0;
    long long limit = 0;
    if (!PyArg_ParseTupleAndKeywords(args, words, "ss#|OOOOOziKLKi", names, &source.file,
                                     &source.text, &length, &settings, &inputs, &table, &g.module,
                                     &g.data, &solver, &threads, &memory, &limit, &memory_limit,
                                     &lanes))
        return -1;
    if (m->context) return zpy_refuse(PyExc_RuntimeError, "a model is made once"), -1;
    source.length = (size_t)length;
    source.step_limit = limit;
    source.memory_limit = (size_t)memory_limit;
    const char **set = take_words(settings, &source.setting_count);
    const char **given = set ? take_words(inputs, &source.input_count) : NULL;
    bool good = given && take_tables(table, &tables);
    source.settings = set;
    source.inputs = given;
    source.tables = tables.tables;
    source.table_count = tables.count;
    m->messages = PyList_New(0);
    m->lock = PyThread_allocate_lock();
    zw_status status = zw_context_create(NULL, &m->context);
    if (status == ZW_OK) status = set_context(m->context, solver, threads, lanes, memory);
    if (good && status != ZW_OK) (void)zpy_fail(status, NULL, NULL);
    good = good && status == ZW_OK && m->messages && m->lock && compile(m, &source, &g);
    free_tables(&tables);
    PyMem_Free(set);
    PyMem_Free(given);
    return good ? 0 : -1;
}

static void model_free(PyObject *self)
{
    zpy_model *m = (zpy_model *)self;
    zw_model_free(m->model);
    zw_context_free(m->context);
    if (m->lock) PyThread_free_lock(m->lock);
    Py_CLEAR(m->messages);
    zpy_release(self);
}

static PyObject *get_messages(PyObject *self, void *closure)
{
    (void)closure;
    zpy_model *m = (zpy_model *)self;
    return Py_NewRef(m->messages ? m->messages : Py_None);
}

static PyObject *get_held(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(zw_context_held(((zpy_model *)self)->context));
}

static PyGetSetDef model_fields[] = {
    {"_messages", get_messages, NULL, "Warnings and remarks so far, as tuples.", NULL},
    {"memory_held", get_held, NULL, "Bytes that the model and all that was made from it hold now.",
     NULL},
    {0}};

bool zpy_add_model(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_doc, "A compiled model."},
                           {Py_tp_init, model_init},
                           {Py_tp_new, PyType_GenericNew},
                           {Py_tp_dealloc, model_free},
                           {Py_tp_methods, zpy_describe_methods},
                           {Py_tp_getset, model_fields},
                           {0, NULL}};
    PyType_Spec spec = {.name = "zwang._zwang.Model",
                        .basicsize = sizeof(zpy_model),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    zpy.model = zpy_add_type(module, &spec, "Model");
    return zpy.model != NULL;
}
