/*
 * _zwang.Sweep: many runs of one model by a plan (zw_sweep_*). The blocks of its batches stay in memory;
 * what they hold is handed out as arrays, files and texts. A sweep that was interrupted goes on with
 * the batches that it has not got.
 */
#include "extension.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct zpy_sweep {
    PyObject_HEAD zw_context *context;
    zw_sweep *sweep;
    zpy_source source;
    zw_sweep_facts facts;
    const char **vary;
    PyObject *held;     /* tuple: what the texts of the plan belong to */
    PyObject *settings; /* dict: over what the model says of a run */
    char **blocks;      /* [batches], NULL: not yet */
    size_t *sizes;
    int64_t next, runs_done;
    zpy_sim signals; /* when they were looked at */
    PyObject *progress;
    bool busy;
} zpy_sweep;

/* The sweep belongs to this call until it is free again. */
static bool seize_sweep(zpy_sweep *s)
{
    if (s->busy) return zpy_refuse(PyExc_RuntimeError, "this sweep is at work"), false;
    if (!s->sweep) return zpy_refuse(PyExc_RuntimeError, "this sweep was not made"), false;
    s->busy = true;
    return true;
}

/* --------------------------------------------------------------------------- the plan */

/* zw_sweep_plan.settle, in any thread. The words were read once before, and are right. */
static void settle(void *user, zw_run_settings *settings)
{
    zpy_sweep *s = user;
    PyGILState_STATE state = PyGILState_Ensure();
    (void)zpy_read_settings(NULL, s->settings, settings);
    PyGILState_Release(state);
}

static bool take_design(const char *word, zw_design *design)
{
    if (zw_design_find(word, design) == ZW_OK) return true;
    PyErr_Format(PyExc_ValueError, "there is no design called '%s'; there are %s, %s and %s", word,
                 zw_design_name(ZW_DESIGN_RANDOM), zw_design_name(ZW_DESIGN_LATIN),
                 zw_design_name(ZW_DESIGN_SOBOL));
    return false;
}

/* What the model has to say was said when it was compiled for the first time. */
static bool create_sweep(zpy_sweep *s, const zw_sweep_plan *plan)
{
    zw_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = zw_sweep_create(s->context, plan, &s->sweep);
    Py_END_ALLOW_THREADS;
    if (status != ZW_OK || PyErr_Occurred()) return zpy_fail(status, s->context, NULL), false;
    zw_context_clear_diagnostics(s->context);
    (void)zw_sweep_tell(s->sweep, &s->facts);
    s->blocks = calloc((size_t)s->facts.batches + 1, sizeof *s->blocks);
    s->sizes = calloc((size_t)s->facts.batches + 1, sizeof *s->sizes);
    if (!s->blocks || !s->sizes) PyErr_NoMemory();
    return s->blocks && s->sizes;
}

/* Sweep(source, settings, vary, table, table_file, keep, samples, seed, design, batch) */
static int sweep_init(PyObject *self, PyObject *args, PyObject *nothing)
{
    zpy_sweep *s = (zpy_sweep *)self;
    zw_sweep_plan plan = {0};
    PyObject *source, *vary, *none = PyTuple_New(0);
    Py_ssize_t length = 0;
    const char *design;
    long long samples, batch;
    unsigned long long seed;
    (void)nothing;
    bool good = none && !s->held &&
                PyArg_ParseTuple(args, "O!O!O!z#zzLKsL", &PyDict_Type, &source, &PyDict_Type,
                                 &s->settings, &PyList_Type, &vary, &plan.table, &length,
                                 &plan.table_file, &plan.keep, &samples, &seed, &design, &batch);
    if (good) {
        zw_run_settings tried = {0};
        s->held = Py_NewRef(args);
        plan.table_length = (size_t)length;
        plan.samples = samples;
        plan.seed = seed;
        plan.batch = batch;
        plan.settle = settle;
        plan.user = s;
        plan.model = &s->source.source;
        s->vary = zpy_take_words(vary, &plan.vary_count);
        plan.vary = s->vary;
        good = s->vary && zpy_read_settings(NULL, s->settings, &tried) &&
               take_design(design, &plan.design) && zpy_source_open(&s->source, none, source) &&
               zpy_source_context(&s->source, &s->context) && create_sweep(s, &plan);
    }
    Py_XDECREF(none);
    return good ? 0 : -1;
}

static void sweep_free(PyObject *self)
{
    zpy_sweep *s = (zpy_sweep *)self;
    zw_sweep_free(s->sweep);
    zw_context_free(s->context);
    zpy_source_close(&s->source);
    for (int64_t b = 0; s->blocks && b < s->facts.batches; b++) free(s->blocks[b]);
    free(s->blocks);
    free(s->sizes);
    PyMem_Free(s->vary);
    Py_XDECREF(s->held);
    zpy_release(self);
}

/* ---------------------------------------------------------------------------- working */

static int64_t next_batch(void *user)
{
    zpy_sweep *s = user;
    while (s->next < s->facts.batches && s->blocks[s->next]) s->next++;
    return s->next < s->facts.batches ? s->next++ : -1;
}

static bool take_block(void *user, int64_t batch, const void *bytes, size_t size)
{
    zpy_sweep *s = user;
    zw_sweep_block block;
    char *copy = malloc(size);
    if (!copy) return false;
    memcpy(copy, bytes, size);
    s->blocks[batch] = copy;
    s->sizes[batch] = size;
    if (zw_sweep_block_read(s->sweep, copy, size, &block) == ZW_OK) s->runs_done += block.count;
    return true;
}

/* Signals, and who wants to see how far it is; an exception waits in this thread. */
static bool look_around(void *user)
{
    zpy_sweep *s = user;
    int64_t asked = s->signals.asked;
    if (!zpy_poll(&s->signals, NULL)) return false;
    if (s->signals.asked == asked || s->progress == Py_None) return true;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer =
        PyObject_CallFunction(s->progress, "LL", (long long)s->runs_done, (long long)s->facts.runs);
    Py_XDECREF(answer);
    PyGILState_Release(state);
    return answer != NULL;
}

/* _run(threads, progress): the batches that are not there. */
static PyObject *run_sweep(PyObject *self, PyObject *args)
{
    zpy_sweep *s = (zpy_sweep *)self;
    zw_status status;
    zw_sweep_job job = {.next = next_batch, .done = take_block, .poll = look_around, .user = s};
    PyObject *progress;
    if (!PyArg_ParseTuple(args, "iO", &job.threads, &progress) || !seize_sweep(s)) return NULL;
    s->progress = progress;
    s->next = 0;
    s->source.thread = PyThread_get_thread_ident();
    Py_BEGIN_ALLOW_THREADS;
    status = zw_sweep_run(s->sweep, &job);
    Py_END_ALLOW_THREADS;
    s->progress = NULL;
    s->busy = false;
    if (status == ZW_ERR_WRITE && !PyErr_Occurred()) return PyErr_NoMemory();
    if (status != ZW_OK || PyErr_Occurred()) return zpy_fail(status, s->context, NULL);
    return Py_NewRef(Py_None);
}

/* -------------------------------------------------------------------------- what it is */

/* The numbers of some columns, a row a run, from all blocks; NaN where there is none yet. */
static void copy_columns(const zpy_sweep *s, const int32_t *chosen, int32_t count, double *to)
{
    for (int64_t b = 0; b < s->facts.batches; b++) {
        zw_sweep_block block = {.rows = NULL};
        int64_t first = b * s->facts.batch, rest = s->facts.runs - first;
        int64_t runs = rest < s->facts.batch ? rest : s->facts.batch;
        if (s->blocks[b]) (void)zw_sweep_block_read(s->sweep, s->blocks[b], s->sizes[b], &block);
        for (int64_t i = 0; i < runs; i++)
            for (int32_t k = 0; k < count; k++)
                *to++ = block.rows ? block.rows[i * s->facts.columns + chosen[k]] : (double)NAN;
    }
}

/* The numbers of columns, from a list; NULL with an exception. */
static int32_t *take_numbers(const zpy_sweep *s, PyObject *list, int32_t count)
{
    int32_t *chosen = PyMem_Calloc((size_t)count + 1, sizeof *chosen);
    if (!chosen) PyErr_NoMemory();
    for (int32_t k = 0; chosen && k < count; k++) {
        long number = PyLong_AsLong(PyList_GetItem(list, k));
        if (!PyErr_Occurred() && number >= 0 && number < s->facts.columns) {
            chosen[k] = (int32_t)number;
            continue;
        }
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_IndexError, "there is no such column");
        PyMem_Free(chosen);
        return NULL;
    }
    return chosen;
}

/* _columns([number, ...], flat): (runs, columns), or (runs) of one. */
static PyObject *get_columns(PyObject *self, PyObject *args)
{
    zpy_sweep *s = (zpy_sweep *)self;
    PyObject *list, *array = NULL;
    int flat;
    double *data = NULL;
    if (!PyArg_ParseTuple(args, "O!p", &PyList_Type, &list, &flat) || !seize_sweep(s)) return NULL;
    int32_t count = (int32_t)PyList_Size(list), *chosen = take_numbers(s, list, count);
    if (chosen && flat && count == 1)
        array = zpy_new_vector(s->facts.runs, &data);
    else if (chosen)
        array = zpy_new_matrix(s->facts.runs, count, &data);
    if (array) copy_columns(s, chosen, count, data);
    PyMem_Free(chosen);
    s->busy = false;
    return array;
}

static bool add_failures(const zw_sweep_block *block, PyObject *list)
{
    for (int64_t k = 0; k < block->failures; k++) {
        const zw_sweep_failure *f = &block->failed[k];
        PyObject *reason =
            PyUnicode_DecodeUTF8(f->reason, (Py_ssize_t)strlen(f->reason), "replace");
        PyObject *entry = reason ? Py_BuildValue("(LsN)", (long long)f->run,
                                                 zw_status_name((zw_status)f->status), reason)
                                 : NULL;
        bool good = entry && PyList_Append(list, entry) == 0;
        Py_XDECREF(entry);
        if (!good) return false;
    }
    return true;
}

/* _failures(): (run, status, reason) of each run that failed. */
static PyObject *get_failures(PyObject *self, PyObject *nothing)
{
    zpy_sweep *s = (zpy_sweep *)self;
    PyObject *list;
    (void)nothing;
    if (!seize_sweep(s)) return NULL;
    list = PyList_New(0);
    for (int64_t b = 0; list && b < s->facts.batches; b++) {
        zw_sweep_block block = {.failures = 0};
        if (s->blocks[b]) (void)zw_sweep_block_read(s->sweep, s->blocks[b], s->sizes[b], &block);
        if (!add_failures(&block, list)) Py_CLEAR(list);
    }
    s->busy = false;
    return list;
}

/* _values(run): what is varied in it, whether or not it was run. */
static PyObject *get_values(PyObject *self, PyObject *args)
{
    zpy_sweep *s = (zpy_sweep *)self;
    long long run;
    double *data = NULL;
    if (!PyArg_ParseTuple(args, "L", &run) || !seize_sweep(s)) return NULL;
    PyObject *array = zpy_new_vector(s->facts.varied, &data);
    if (array && zw_sweep_values(s->sweep, run, data) != ZW_OK) {
        Py_CLEAR(array);
        PyErr_SetString(PyExc_IndexError, "there is no such run");
    }
    s->busy = false;
    return array;
}

/* ------------------------------------------------------------------------------- files */

/* zw_sweep_source.fetch */
static bool fetch_block(void *user, int64_t batch, const void **bytes, size_t *size)
{
    const zpy_sweep *s = user;
    *bytes = s->blocks[batch];
    *size = s->sizes[batch];
    return *bytes != NULL;
}

/* _write(format, write): the whole result by a function that takes bytes. */
static PyObject *write_sweep(PyObject *self, PyObject *args)
{
    zpy_sweep *s = (zpy_sweep *)self;
    zw_sweep_source source = {fetch_block, s};
    zw_result_format format;
    const char *word;
    PyObject *write;
    if (!PyArg_ParseTuple(args, "sO", &word, &write)) return NULL;
    if (!zpy_find_format(word, &format))
        return zpy_refuse(PyExc_ValueError, "there is no such format of results");
    if (!seize_sweep(s)) return NULL;
    zw_status status = zw_sweep_write(s->sweep, format, &source, zpy_hand_on, write);
    s->busy = false;
    if (status != ZW_OK || PyErr_Occurred()) return zpy_fail(status, s->context, NULL);
    return Py_NewRef(Py_None);
}

/* _summary(json) */
static PyObject *summarize(PyObject *self, PyObject *args)
{
    zpy_sweep *s = (zpy_sweep *)self;
    zw_sweep_source source = {fetch_block, s};
    zpy_text text = {0};
    int json;
    if (!PyArg_ParseTuple(args, "p", &json) || !seize_sweep(s)) return NULL;
    zw_report_form form = json ? ZW_REPORT_JSON : ZW_REPORT_TEXT;
    zw_status status = zw_sweep_summary(s->sweep, form, &source, zpy_text_put, &text);
    s->busy = false;
    if (status == ZW_OK) return zpy_text_take(&text);
    zpy_text_free(&text);
    return zpy_fail(status, s->context, NULL);
}

/* ------------------------------------------------------------------------------ the type */

static PyObject *get_facts(PyObject *self, PyObject *nothing)
{
    const zpy_sweep *s = (zpy_sweep *)self;
    (void)nothing;
    PyObject *names = PyList_New(s->facts.columns);
    for (int32_t k = 0; names && k < s->facts.columns; k++) {
        PyObject *name = PyUnicode_FromString(zw_sweep_column(s->sweep, k));
        if (!name || PyList_SetItem(names, k, name) != 0) Py_CLEAR(names);
    }
    if (!names) return NULL;
    return Py_BuildValue("(NiLL)", names, (int)s->facts.varied, (long long)s->facts.runs,
                         (long long)s->facts.batch);
}

static PyObject *get_done(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLongLong(((zpy_sweep *)self)->runs_done);
}

static PyMethodDef sweep_methods[] = {
    {"_run", run_sweep, METH_VARARGS, NULL},        {"_columns", get_columns, METH_VARARGS, NULL},
    {"_failures", get_failures, METH_NOARGS, NULL}, {"_values", get_values, METH_VARARGS, NULL},
    {"_write", write_sweep, METH_VARARGS, NULL},    {"_summary", summarize, METH_VARARGS, NULL},
    {"_facts", get_facts, METH_NOARGS, NULL},       {0}};

static PyGetSetDef sweep_fields[] = {{"done", get_done, NULL, "How many runs are done.", NULL},
                                     {0}};

bool zpy_add_sweep(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_doc, "Many runs of one model."},
                           {Py_tp_init, sweep_init},
                           {Py_tp_new, PyType_GenericNew},
                           {Py_tp_dealloc, sweep_free},
                           {Py_tp_methods, sweep_methods},
                           {Py_tp_getset, sweep_fields},
                           {0, NULL}};
    PyType_Spec spec = {.name = "zwang._zwang.Sweep",
                        .basicsize = sizeof(zpy_sweep),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    PyTypeObject *type = zpy_add_type(module, &spec, "Sweep");
    Py_XDECREF((PyObject *)type);
    return type != NULL;
}
