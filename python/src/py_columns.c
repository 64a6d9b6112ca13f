/*
 * _zwang.Columns: numbers by name, as `zwang run --columns` takes them.
 */
#include "extension.h"

static size_t name_column(const void *columns, int32_t i, char *buffer, size_t size)
{
    return zw_columns_name(columns, i, buffer, size);
}

static int columns_init(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"model", "list", NULL};
    zpy_columns *c = (zpy_columns *)self;
    PyObject *model;
    const char *list = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O!|z", names, zpy.model, &model, &list))
        return -1;
    if (c->columns) return zpy_refuse(PyExc_RuntimeError, "columns are made once"), -1;
    zpy_model *m = (zpy_model *)model;
    if (!m->model) return zpy_refuse(PyExc_ValueError, "this model was not compiled"), -1;
    if (!zpy_enter(m)) return -1;
    c->model = (zpy_model *)Py_NewRef(model);
    zw_status status = zw_columns_create(m->model, list, &c->columns);
    bool good = zpy_judge(m, status, m->messages);
    zpy_leave(m);
    return good ? 0 : -1;
}

/* Memory of the context is given back under its lock. */
static void columns_free(PyObject *self)
{
    zpy_columns *c = (zpy_columns *)self;
    bool own = c->columns && c->model->owner == PyThread_get_thread_ident();
    if (c->columns && (own || zpy_enter(c->model))) {
        zw_columns_free(c->columns);
        if (!own) zpy_leave(c->model);
    }
    Py_CLEAR(c->model);
    zpy_release(self);
}

static PyObject *get_names(PyObject *self, void *closure)
{
    (void)closure;
    const zw_columns *c = ((zpy_columns *)self)->columns;
    return zpy_names_of(name_column, c, zw_columns_count(c));
}

static PyObject *get_kinds(PyObject *self, void *closure)
{
    (void)closure;
    const zw_columns *c = ((zpy_columns *)self)->columns;
    int32_t count = zw_columns_count(c);
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++)
        if (PyList_SetItem(list, k, PyUnicode_FromString(zw_columns_kind(c, k))) != 0)
            Py_CLEAR(list);
    return list;
}

static PyGetSetDef columns_fields[] = {
    {"names", get_names, NULL, "Their names, the time first.", NULL},
    {"kinds", get_kinds, NULL, "What each is: time, coordinate, velocity, output, ...", NULL},
    {0}};

bool zpy_add_columns(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_doc, "Numbers of a simulation by name."},
                           {Py_tp_init, columns_init},
                           {Py_tp_new, PyType_GenericNew},
                           {Py_tp_dealloc, columns_free},
                           {Py_tp_getset, columns_fields},
                           {0, NULL}};
    PyType_Spec spec = {.name = "zwang._zwang.Columns",
                        .basicsize = sizeof(zpy_columns),
                        .flags = Py_TPFLAGS_DEFAULT,
                        .slots = slots};
    zpy.columns = zpy_add_type(module, &spec, "Columns");
    return zpy.columns != NULL;
}
