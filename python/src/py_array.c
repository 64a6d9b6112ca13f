/*
 * Arrays. With NumPy a new array is one of numpy.empty, whose memory the library writes into; without
 * it a block of our own, seen through a memoryview. The state of a simulation is a block in both cases:
 * its memory stays where it is, and arrays look at it.
 */
#include "extension.h"

#include <string.h>

/* -------------------------------------------------------------------------- blocks */

typedef struct block {
    PyObject_HEAD PyObject *of; /* whose memory it is; NULL: its own */
    double *data;
    int dimensions;
    Py_ssize_t shape[ZPY_MOST_DIMENSIONS], strides[ZPY_MOST_DIMENSIONS];
} block;

static Py_ssize_t count_of(const block *b)
{
    Py_ssize_t count = 1;
    for (int k = 0; k < b->dimensions; k++) count *= b->shape[k];
    return count;
}

/* Whether its numbers follow each other, the last place first. */
static bool is_contiguous(const block *b)
{
    Py_ssize_t stride = sizeof(double);
    for (int k = b->dimensions - 1; k >= 0; k--) {
        if (b->shape[k] > 1 && b->strides[k] != stride) return false;
        stride *= b->shape[k];
    }
    return true;
}

static int block_getbuffer(PyObject *self, Py_buffer *view, int flags)
{
    block *b = (block *)self;
    static char doubles[] = "d";
    bool plain = (flags & PyBUF_STRIDES) != PyBUF_STRIDES;
    if (plain && !is_contiguous(b)) {
        PyErr_SetString(PyExc_BufferError, "these numbers do not follow each other");
        view->obj = NULL;
        return -1;
    }
    *view = (Py_buffer){.buf = b->data,
                        .obj = Py_NewRef(self),
                        .len = count_of(b) * (Py_ssize_t)sizeof(double),
                        .itemsize = sizeof(double),
                        .ndim = b->dimensions,
                        .format = flags & PyBUF_FORMAT ? doubles : NULL,
                        .shape = flags & PyBUF_ND ? b->shape : NULL,
                        .strides = plain ? NULL : b->strides};
    return 0;
}

static void block_free(PyObject *self)
{
    block *b = (block *)self;
    if (!b->of) PyMem_Free(b->data);
    Py_CLEAR(b->of);
    zpy_release(self);
}

/* Numbers of a block: view(first, shape, strides), counted in numbers. */
static PyObject *block_view(PyObject *self, PyObject *args)
{
    block *from = (block *)self, *b;
    Py_ssize_t first, shape[2] = {0, 1}, stride[2] = {1, 1};
    int dimensions = 0;
    if (!PyArg_ParseTuple(args, "inn|nn", &dimensions, &first, &shape[0], &stride[0], &shape[1]))
        return NULL;
    Py_ssize_t last = first + (shape[0] - 1) * stride[0] + shape[1] - 1;
    bool inside = first >= 0 && shape[0] >= 0 && shape[1] > 0 && stride[0] >= 0 &&
                  (shape[0] == 0 || last < count_of(from));
    if (!inside || dimensions < 1 || dimensions > 2 || !is_contiguous(from))
        return zpy_refuse(PyExc_ValueError, "this view lies outside of the block");
    b = PyObject_New(block, zpy.block);
    if (!b) return NULL;
    b->of = Py_NewRef(self);
    b->data = from->data + first;
    b->dimensions = dimensions;
    for (int k = 0; k < dimensions; k++) {
        b->shape[k] = shape[k];
        b->strides[k] = (k == 0 ? stride[0] : 1) * (Py_ssize_t)sizeof(double);
    }
    PyObject *view = PyMemoryView_FromObject((PyObject *)b);
    Py_DECREF(b);
    return view;
}

static block *make_block(int dimensions, const Py_ssize_t *shape)
{
    block *b = PyObject_New(block, zpy.block);
    Py_ssize_t stride = sizeof(double);
    if (!b) return NULL;
    b->of = NULL;
    b->dimensions = dimensions;
    for (int k = 0; k < dimensions; k++) b->shape[k] = shape[k];
    for (int k = dimensions - 1; k >= 0; k--) {
        b->strides[k] = stride;
        stride *= shape[k] > 0 ? shape[k] : 1;
    }
    b->data = PyMem_Calloc((size_t)count_of(b) + 1, sizeof(double));
    if (b->data) return b;
    Py_DECREF(b);
    PyErr_NoMemory();
    return NULL;
}

static PyMethodDef block_methods[] = {
    {"view", block_view, METH_VARARGS, "A memoryview of some of the numbers."}, {0}};
static PyType_Slot block_slots[] = {{Py_tp_doc, "Numbers in memory of their own."},
                                    {Py_tp_dealloc, block_free},
                                    {Py_tp_methods, block_methods},
                                    {Py_bf_getbuffer, block_getbuffer},
                                    {0, NULL}};
static PyType_Spec block_spec = {.name = "zwang._zwang.Block",
                                 .basicsize = sizeof(block),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = block_slots};

bool zpy_add_block(PyObject *module)
{
    zpy.block = zpy_add_type(module, &block_spec, "Block");
    return zpy.block != NULL;
}

/* ---------------------------------------------------------------------- new arrays */

/* numpy.empty(shape); nobody else has it yet, so its memory stays while its reference is ours. */
static PyObject *make_ndarray(int dimensions, const Py_ssize_t *shape, double **data)
{
    Py_buffer view;
    PyObject *size = dimensions == 1   ? PyLong_FromSsize_t(shape[0])
                     : dimensions == 2 ? Py_BuildValue("(nn)", shape[0], shape[1])
                                       : Py_BuildValue("(nnn)", shape[0], shape[1], shape[2]);
    PyObject *args = size ? PyTuple_Pack(1, size) : NULL;
    PyObject *array = args ? PyObject_CallObject(zpy.empty, args) : NULL;
    Py_XDECREF(size);
    Py_XDECREF(args);
    if (!array) return NULL;
    if (PyObject_GetBuffer(array, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE) != 0) {
        Py_DECREF(array);
        return NULL;
    }
    *data = view.buf;
    PyBuffer_Release(&view);
    return array;
}

PyObject *zpy_new_array(int dimensions, const Py_ssize_t *shape, double **data)
{
    if (zpy.empty) return make_ndarray(dimensions, shape, data);
    block *b = make_block(dimensions, shape);
    PyObject *view = b ? PyMemoryView_FromObject((PyObject *)b) : NULL;
    if (view) *data = b->data;
    Py_XDECREF((PyObject *)b);
    return view;
}

PyObject *zpy_new_vector(Py_ssize_t count, double **data)
{
    return zpy_new_array(1, &count, data);
}

PyObject *zpy_new_matrix(Py_ssize_t rows, Py_ssize_t columns, double **data)
{
    Py_ssize_t shape[2] = {rows, columns};
    return zpy_new_array(2, shape, data);
}

PyObject *zpy_vector_of(const double *x, Py_ssize_t count)
{
    double *data;
    PyObject *array = zpy_new_vector(count, &data);
    if (array && count > 0) memcpy(data, x, (size_t)count * sizeof *x);
    return array;
}

PyObject *zpy_flags_of(const bool *x, Py_ssize_t count)
{
    PyObject *list = PyList_New(count);
    for (Py_ssize_t k = 0; list && k < count; k++)
        if (PyList_SetItem(list, k, PyBool_FromLong(x[k])) != 0) Py_CLEAR(list);
    return list;
}

PyObject *zpy_new_block(Py_ssize_t count, double **data)
{
    block *b = make_block(1, &count);
    if (b) *data = b->data;
    return (PyObject *)b;
}

/* A memoryview, which numpy.asarray takes as it is. */
PyObject *zpy_look_at(PyObject *self, Py_ssize_t first, Py_ssize_t count)
{
    PyObject *args = Py_BuildValue("(inn)", 1, first, count);
    PyObject *view = args ? block_view(self, args) : NULL;
    Py_XDECREF(args);
    if (!view || !zpy.empty) return view;
    PyObject *numpy = PyImport_ImportModule("numpy"), *array = NULL;
    if (numpy) array = PyObject_CallMethod(numpy, "asarray", "O", view);
    Py_XDECREF(numpy);
    Py_DECREF(view);
    return array;
}

/* ------------------------------------------------------------------------- reading */

static bool is_of_doubles(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=') format++;
    return strcmp(format, "d") == 0 && view->itemsize == sizeof(double);
}

/* Takes over the view. */
static bool note_shape(zpy_doubles *d, const char *what)
{
    if (d->view.ndim > ZPY_MOST_DIMENSIONS) {
        PyBuffer_Release(&d->view);
        PyErr_Format(PyExc_ValueError, "%s has more than %d dimensions", what, ZPY_MOST_DIMENSIONS);
        return false;
    }
    d->data = d->view.buf;
    d->count = d->view.len / (Py_ssize_t)sizeof(double);
    d->dimensions = d->view.ndim;
    for (int k = 0; k < d->dimensions; k++) d->shape[k] = d->view.shape[k];
    return true;
}

/* True: a buffer of doubles that follow each other. False without an exception: something else. */
static bool take_buffer(PyObject *object, int more, zpy_doubles *d)
{
    if (!PyObject_CheckBuffer(object)) return false;
    if (PyObject_GetBuffer(object, &d->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | more) != 0) {
        PyErr_Clear();
        return false;
    }
    if (is_of_doubles(&d->view)) return true;
    PyBuffer_Release(&d->view);
    return false;
}

bool zpy_read(PyObject *object, const char *what, zpy_doubles *d)
{
    if (take_buffer(object, 0, d)) return note_shape(d, what);
    PyObject *converted = PyObject_CallFunction(zpy.convert, "Os", object, what);
    if (!converted) return false;
    bool taken = take_buffer(converted, 0, d);
    Py_DECREF(converted);
    if (taken) return note_shape(d, what);
    PyErr_Format(PyExc_TypeError, "%s is not made of numbers", what);
    return false;
}

static bool has_count(zpy_doubles *d, const char *what, Py_ssize_t count)
{
    if (d->count == count) return true;
    PyErr_Format(PyExc_ValueError, "%s has %zd numbers where %zd are expected", what, d->count,
                 count);
    zpy_done(d);
    return false;
}

bool zpy_read_count(PyObject *object, const char *what, Py_ssize_t count, zpy_doubles *d)
{
    return zpy_read(object, what, d) && has_count(d, what, count);
}

bool zpy_write_into(PyObject *object, const char *what, Py_ssize_t count, zpy_doubles *d)
{
    if (take_buffer(object, PyBUF_WRITABLE, d))
        return note_shape(d, what) && has_count(d, what, count);
    PyErr_Format(PyExc_TypeError, "%s must be a writable array of float64 without gaps", what);
    return false;
}

void zpy_done(zpy_doubles *d)
{
    PyBuffer_Release(&d->view);
}
