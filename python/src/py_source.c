/*
 * The source of a model from Python's objects: text, settings, inputs, tables, and functions that give
 * modules and files of data. What it points to belongs to objects, which it holds until it is closed.
 */
#include "extension.h"

/* ---------------------------------------------------------------- files of a model */

/* Asks in Python, which compiling does without otherwise. What was given stays until the end. An
 * exception waits in the thread that has called the library; in others there is nobody to raise it. */
static bool ask(zpy_source *s, PyObject *whom, const char *name, const char **file,
                const char **text, size_t *length)
{
    bool found = false;
    if (!whom || whom == Py_None) return false;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer = PyErr_Occurred() ? NULL : PyObject_CallFunction(whom, "s", name);
    char *bytes = NULL;
    Py_ssize_t size = 0;
    const char *called = NULL;
    if (answer && answer != Py_None && PyList_Append(s->held, answer) == 0 &&
        PyArg_ParseTuple(answer, "ss#", &called, &bytes, &size)) {
        *file = called;
        *text = bytes;
        *length = (size_t)size;
        found = true;
    }
    Py_XDECREF(answer);
    if (PyErr_Occurred() && PyThread_get_thread_ident() != s->thread) PyErr_WriteUnraisable(whom);
    PyGILState_Release(state);
    return found;
}

static bool give_module(void *user, const char *name, const char **file, const char **text,
                        size_t *length)
{
    zpy_source *s = user;
    return ask(s, s->module, name, file, text, length);
}

static bool give_data(void *user, const char *name, const char **file, const char **text,
                      size_t *length)
{
    zpy_source *s = user;
    return ask(s, s->data, name, file, text, length);
}

/* -------------------------------------------------------------------------- tables */

/* (name, x, y): one of the tables. */
static bool take_table(zpy_source *s, PyObject *entry, zw_table *table)
{
    PyObject *x, *y;
    if (!PyArg_ParseTuple(entry, "sOO", &table->name, &x, &y)) return false;
    zpy_doubles *d = s->numbers + s->number_count;
    if (!zpy_read(x, "x of a table", d)) return false;
    s->number_count++;
    if (!zpy_read_count(y, "y of a table", d->count, d + 1)) return false;
    s->number_count++;
    table->x = d[0].data;
    table->y = d[1].data;
    table->count = (int32_t)d->count;
    return true;
}

static bool take_tables(zpy_source *s, PyObject *list)
{
    Py_ssize_t size = list ? PySequence_Size(list) : 0;
    if (size < 0) return false;
    s->tables = PyMem_Calloc((size_t)size + 1, sizeof *s->tables);
    s->numbers = PyMem_Calloc(2 * (size_t)size + 1, sizeof *s->numbers);
    if (!s->tables || !s->numbers) {
        PyErr_NoMemory();
        return false;
    }
    for (Py_ssize_t k = 0; k < size; k++) {
        PyObject *entry = PySequence_GetItem(list, k);
        bool good = entry && take_table(s, entry, &s->tables[k]);
        Py_XDECREF(entry);
        if (!good) return false;
    }
    s->source.tables = s->tables;
    s->source.table_count = (int32_t)size;
    return true;
}

/* ----------------------------------------------------------------------- the whole */

static bool take_settings(zpy_source *s, PyObject *settings, PyObject *inputs)
{
    s->settings = zpy_take_words(settings, &s->source.setting_count);
    s->inputs = s->settings ? zpy_take_words(inputs, &s->source.input_count) : NULL;
    s->source.settings = s->settings;
    s->source.inputs = s->inputs;
    return s->inputs != NULL;
}

/* Objects that the texts and the functions belong to. */
static bool hold(zpy_source *s, PyObject *args, PyObject *words)
{
    s->held = PyList_New(0);
    return s->held && PyList_Append(s->held, args) == 0 &&
           (!words || PyList_Append(s->held, words) == 0);
}

bool zpy_source_open(zpy_source *s, PyObject *args, PyObject *words)
{
    static char *names[] = {"file",       "text",         "settings", "inputs",  "tables",
                            "module",     "data",         "solver",   "threads", "memory",
                            "step_limit", "memory_limit", "lanes",    NULL};
    PyObject *settings = NULL, *inputs = NULL, *tables = NULL;
    Py_ssize_t length = 0;
    unsigned long long memory_limit = 0;
    long long limit = 0;
    *s = (zpy_source){.thread = PyThread_get_thread_ident()};
    if (!PyArg_ParseTupleAndKeywords(args, words, "ss#|OOOOOziKLKi", names, &s->source.file,
                                     &s->source.text, &length, &settings, &inputs, &tables,
                                     &s->module, &s->data, &s->solver, &s->threads, &s->memory,
                                     &limit, &memory_limit, &s->lanes))
        return false;
    s->source.length = (size_t)length;
    s->source.step_limit = limit;
    s->source.memory_limit = (size_t)memory_limit;
    s->source.module = give_module;
    s->source.data = give_data;
    s->source.user = s;
    return hold(s, args, words) && take_settings(s, settings, inputs) && take_tables(s, tables);
}

bool zpy_source_context(const zpy_source *s, zw_context **context)
{
    zw_solver chosen = ZW_SOLVER_AUTO;
    zw_status status = zw_context_create(NULL, context);
    if (status == ZW_OK && s->solver) status = zw_solver_find(s->solver, &chosen);
    if (status == ZW_OK) status = zw_context_set_solver(*context, chosen);
    if (status == ZW_OK) status = zw_context_set_threads(*context, s->threads);
    if (status == ZW_OK) status = zw_context_set_lanes(*context, s->lanes);
    if (status == ZW_OK) status = zw_context_set_budget(*context, (size_t)s->memory);
    if (status != ZW_OK) (void)zpy_fail(status, NULL, NULL);
    return status == ZW_OK;
}

void zpy_source_close(zpy_source *s)
{
    for (int32_t k = 0; k < s->number_count; k++) zpy_done(&s->numbers[k]);
    PyMem_Free(s->tables);
    PyMem_Free(s->numbers);
    PyMem_Free(s->settings);
    PyMem_Free(s->inputs);
    Py_XDECREF(s->held);
    *s = (zpy_source){0};
}
