/*
 * A status of the library as an exception of Python. The classes are made in zwang/_errors.py, which
 * is handed what there is to say: the status by number and name, its sentence, and the diagnostics.
 */
#include "extension.h"

PyObject *zpy_refuse(PyObject *type, const char *sentence)
{
    PyErr_SetString(type, sentence);
    return NULL;
}

/* The first of a list also has the text of them all. */
static PyObject *describe(const zw_context *context, int32_t k)
{
    const zw_diagnostic *d = zw_context_diagnostic(context, k);
    PyObject *text = k == 0 ? zpy_format_messages(context) : PyUnicode_FromString("");
    if (!text) return NULL;
    return Py_BuildValue("(izziiizzzN)", (int)d->severity, d->code, d->file, (int)d->line,
                         (int)d->column, (int)d->length, d->where, d->sentence, d->help, text);
}

PyObject *zpy_take_messages(zw_context *context)
{
    int32_t count = zw_context_diagnostic_count(context);
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++) {
        PyObject *entry = describe(context, k);
        if (!entry || PyList_SetItem(list, k, entry) != 0) Py_CLEAR(list);
    }
    zw_context_clear_diagnostics(context);
    return list;
}

PyObject *zpy_format_messages(const zw_context *context)
{
    size_t length = 0;
    (void)zw_context_format_diagnostics(context, ZW_TEXT, NULL, 0, &length);
    char *text = PyMem_Malloc(length + 1);
    if (!text) return PyErr_NoMemory();
    text[0] = '\0';
    (void)zw_context_format_diagnostics(context, ZW_TEXT, text, length + 1, &length);
    PyObject *string = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, "replace");
    PyMem_Free(text);
    return string;
}

/* The text first: taking the messages clears them. */
PyObject *zpy_fail(zw_status status, zw_context *context, const char *sentence)
{
    if (PyErr_Occurred()) return NULL; /* what went wrong in Python's part comes first */
    PyObject *text = context ? zpy_format_messages(context) : PyUnicode_FromString("");
    PyObject *messages = !text ? NULL : context ? zpy_take_messages(context) : PyList_New(0);
    PyObject *failure = NULL;
    if (messages)
        failure =
            PyObject_CallFunction(zpy.failure, "issOO", (int)status, zw_status_name(status),
                                  sentence ? sentence : zw_status_sentence(status), messages, text);
    Py_XDECREF(text);
    Py_XDECREF(messages);
    if (!failure) return NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(failure), failure);
    Py_DECREF(failure);
    return NULL;
}
