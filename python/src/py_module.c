/*
 * The module zwang._zwang: types, and functions that need no object. What people use is the package
 * zwang around it.
 */
#include "extension.h"

zpy_shared zpy;

void zpy_release(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

PyTypeObject *zpy_add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type && PyModule_AddObjectRef(module, name, type) != 0) Py_CLEAR(type);
    return (PyTypeObject *)type;
}

/* -------------------------------------------------------------------------- functions */

static PyObject *get_version(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return PyUnicode_FromString(zw_version());
}

static PyObject *get_memory(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return PyLong_FromSize_t(zw_memory_available());
}

static PyObject *get_sentence(PyObject *module, PyObject *args)
{
    int status;
    (void)module;
    if (!PyArg_ParseTuple(args, "i", &status)) return NULL;
    return PyUnicode_FromString(zw_status_sentence((zw_status)status));
}

/* new_block(count): zeros with a life of their own, where there is no NumPy. */
static PyObject *new_block(PyObject *module, PyObject *args)
{
    Py_ssize_t count;
    double *data;
    (void)module;
    if (!PyArg_ParseTuple(args, "n", &count)) return NULL;
    if (count < 0) return zpy_refuse(PyExc_ValueError, "a block has no negative size");
    return zpy_new_block(count, &data);
}

/* suggest(word, candidates): the one that was meant, or None. */
static PyObject *suggest(PyObject *module, PyObject *args)
{
    const char *word, *found = NULL;
    PyObject *list;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO!", &word, &PyList_Type, &list)) return NULL;
    Py_ssize_t count = PyList_Size(list);
    const char **candidates = PyMem_Calloc((size_t)count + 1, sizeof *candidates);
    if (!candidates) return PyErr_NoMemory();
    bool good = true;
    for (Py_ssize_t k = 0; k < count && good; k++) {
        candidates[k] = PyUnicode_AsUTF8AndSize(PyList_GetItem(list, k), NULL);
        good = candidates[k] != NULL;
    }
    if (good) found = zw_suggest(word, candidates, (int32_t)count);
    PyObject *answer = !good ? NULL : found ? PyUnicode_FromString(found) : Py_NewRef(Py_None);
    PyMem_Free(candidates);
    return answer;
}

/* Words of a list of zwang.h, which ends with NULL. */
#define WORD_LIST(of, type)                                                                        \
    static PyObject *list_##of(void)                                                               \
    {                                                                                              \
        PyObject *list = PyList_New(0);                                                            \
        for (int k = 0; list && zw_##of##_name((type)k); k++) {                                    \
            PyObject *word = PyUnicode_FromString(zw_##of##_name((type)k));                        \
            if (!word || PyList_Append(list, word) != 0) Py_CLEAR(list);                           \
            Py_XDECREF(word);                                                                      \
        }                                                                                          \
        return list;                                                                               \
    }
WORD_LIST(method, zw_method)
WORD_LIST(stabilize, zw_stabilize)
WORD_LIST(form, zw_form)
WORD_LIST(kernel, zw_kernel)
WORD_LIST(solver, zw_solver)
WORD_LIST(happening, zw_happening)
WORD_LIST(hold, zw_hold)
WORD_LIST(design, zw_design)

/* The words of every setting, and of what can happen. */
static PyObject *get_words(PyObject *module, PyObject *nothing)
{
    (void)module, (void)nothing;
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "method", list_method(), "stabilize",
                         list_stabilize(), "form", list_form(), "kernel", list_kernel(), "solver",
                         list_solver(), "happening", list_happening(), "hold", list_hold(),
                         "design", list_design());
}

static void keep(PyObject **place, PyObject *object)
{
    PyObject *before = *place;
    *place = Py_XNewRef(object);
    Py_XDECREF(before);
}

/* use(convert, failure, numpy.empty or None): what C asks of Python. */
static PyObject *use(PyObject *module, PyObject *args)
{
    PyObject *convert, *failure, *empty;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &convert, &failure, &empty)) return NULL;
    keep(&zpy.convert, convert);
    keep(&zpy.failure, failure);
    keep(&zpy.empty, empty == Py_None ? NULL : empty);
    return Py_NewRef(Py_None);
}

#define WORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS
static PyMethodDef functions[] = {
    {"version", get_version, METH_NOARGS, "The version of the library."},
    {"memory_available", get_memory, METH_NOARGS, "Bytes that this process can still have."},
    {"sentence", get_sentence, METH_VARARGS, "The sentence of a status."},
    {"new_block", new_block, METH_VARARGS, "Numbers in memory of their own."},
    {"suggest", suggest, METH_VARARGS, "The word that was meant, or None."},
    {"words", get_words, METH_NOARGS, "The words of methods, forms and so on."},
    {"use", use, METH_VARARGS, "What C asks of Python."},
    {"grid", WORDS(zpy_grid), "The times of the rows of a run."},
    {"write_result", WORDS(zpy_write_result), "A table as csv, json, npz or mat."},
    {"write_page", WORDS(zpy_write_page), "A page that moves and plots, as HTML."},
    {0}};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "_zwang", .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__zwang(void); /* found by its name */
PyMODINIT_FUNC PyInit__zwang(void)
{
    PyObject *module = PyModule_Create(&definition);
    bool good = module && zpy_add_block(module) && zpy_add_model(module) &&
                zpy_add_columns(module) && zpy_add_sim(module) && zpy_add_gauss(module) &&
                zpy_add_sweep(module);
    if (!good) Py_CLEAR(module);
    return module;
}
