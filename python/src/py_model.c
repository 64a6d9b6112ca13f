/*
 * _zwang.Model: a context of its own and the model compiled in it. A model is immutable and may be
 * used by several threads; what takes memory or reports waits for the lock of the context.
 */
#include "extension.h"

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

/* --------------------------------------------------------------------------- making */

/* Compiles with the GIL released; an exception of a callback comes before the failure that it is the
 * reason of. */
static bool compile(zpy_model *m, zpy_source *source)
{
    zw_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = zw_model_compile(m->context, &source->source, &m->model);
    Py_END_ALLOW_THREADS;
    return !PyErr_Occurred() && zpy_judge(m, status, m->messages);
}

static int model_init(PyObject *self, PyObject *args, PyObject *words)
{
    zpy_model *m = (zpy_model *)self;
    zpy_source source;
    if (m->context) return zpy_refuse(PyExc_RuntimeError, "a model is made once"), -1;
    bool good = zpy_source_open(&source, args, words) && zpy_source_context(&source, &m->context);
    m->messages = PyList_New(0);
    m->lock = PyThread_allocate_lock();
    good = good && m->messages && m->lock && compile(m, &source);
    zpy_source_close(&source);
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
