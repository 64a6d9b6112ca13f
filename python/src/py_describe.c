/*
 * What a model is made of: names of coordinates, rows, constraints, contacts, parameters, events; its
 * equations and programs to read; the settings that its `simulate` says.
 */
#include "extension.h"

#include <string.h>

/* Functions of names behind one signature. */
#define NAME_FN(of)                                                                                \
    static size_t name_##of(const void *model, int32_t i, char *buffer, size_t size)               \
    {                                                                                              \
        return zw_model_##of##_name(model, i, buffer, size);                                       \
    }
NAME_FN(coordinate)
NAME_FN(row)
NAME_FN(constraint)
NAME_FN(contact)
NAME_FN(parameter)
NAME_FN(event)

static zw_model *model_of(PyObject *self)
{
    return ((zpy_model *)self)->model;
}

/* The names of everything, by kind. */
static PyObject *model_names(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const zw_model *m = model_of(self);
    const struct {
        const char *key;
        zpy_name_fn name;
        int32_t count;
    } kinds[] = {{"coordinates", name_coordinate, zw_model_coordinate_count(m)},
                 {"rows", name_row, zw_model_row_count(m)},
                 {"constraints", name_constraint, zw_model_constraint_count(m)},
                 {"contacts", name_contact, zw_model_contact_count(m)},
                 {"parameters", name_parameter, zw_model_parameter_count(m)},
                 {"events", name_event, zw_model_event_count(m)}};
    PyObject *dict = PyDict_New();
    for (size_t k = 0; dict && k < sizeof kinds / sizeof *kinds; k++)
        if (!zpy_put(dict, kinds[k].key, zpy_names_of(kinds[k].name, m, kinds[k].count)))
            Py_CLEAR(dict);
    return dict;
}

/* Which of the parameters are inputs. */
static PyObject *model_inputs(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const zw_model *m = model_of(self);
    int32_t count = zw_model_parameter_count(m);
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++)
        if (PyList_SetItem(list, k, PyBool_FromLong(zw_model_is_input(m, k))) != 0) Py_CLEAR(list);
    return list;
}

static PyObject *describe_constraint(const zw_model *m, int32_t i)
{
    zw_constraint_info info;
    if (zw_model_constraint(m, i, &info) != ZW_OK) return NULL;
    return Py_BuildValue(
        "{s:N,s:i,s:i,s:O,s:O,s:O,s:O}", "name", zpy_name_of(name_constraint, m, i), "first_row",
        (int)info.first_row, "row_count", (int)info.row_count, "control",
        info.control ? Py_True : Py_False, "time_dependent",
        info.time_dependent ? Py_True : Py_False, "inequality",
        info.inequality ? Py_True : Py_False, "friction", info.friction ? Py_True : Py_False);
}

static PyObject *model_constraints(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const zw_model *m = model_of(self);
    int32_t count = zw_model_constraint_count(m);
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++) {
        PyObject *entry = describe_constraint(m, k);
        if (!entry || PyList_SetItem(list, k, entry) != 0) Py_CLEAR(list);
    }
    return list;
}

/* The kind of each row, in the words of zwang.h. */
static PyObject *model_row_kinds(PyObject *self, PyObject *nothing)
{
    (void)nothing;
#define KIND_NAME(name, value, text) text,
    static const char *const kinds[] = {ZW_ROW_KIND_LIST(KIND_NAME)};
#undef KIND_NAME
    const zw_model *m = model_of(self);
    int32_t count = zw_model_row_count(m);
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++) {
        zw_row_kind kind = ZW_HOLONOMIC;
        (void)zw_model_row_kind(m, k, &kind);
        if (PyList_SetItem(list, k, PyUnicode_FromString(kinds[kind])) != 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *model_statistics(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    zw_model_statistics s;
    zw_status status = zw_model_statistics_of(model_of(self), &s);
    if (status != ZW_OK) return zpy_fail(status, NULL, NULL);
    return Py_BuildValue("{s:i,s:L,s:L,s:L,s:d,s:n}", "families", (int)s.families, "instances",
                         (long long)s.instances, "operations", (long long)s.operations,
                         "row_operations", (long long)s.row_operations, "seconds", s.seconds,
                         "bytes", (Py_ssize_t)s.bytes);
}

/* ---------------------------------------------------------------------------- texts */

/* derive(form, plain, motion) */
static PyObject *model_derive(PyObject *self, PyObject *args)
{
    static const struct {
        const char *word;
        zw_report_form form;
    } forms[] = {{"text", ZW_REPORT_TEXT},   {"json", ZW_REPORT_JSON},
                 {"latex", ZW_REPORT_LATEX}, {"mathml", ZW_REPORT_MATHML},
                 {"sympy", ZW_REPORT_SYMPY}, {"c", ZW_REPORT_C}};
    enum { FORMS = sizeof forms / sizeof *forms };
    zpy_model *m = (zpy_model *)self;
    zpy_text text = {0};
    const char *form;
    int k = 0, plain, motion;
    if (!PyArg_ParseTuple(args, "spp", &form, &plain, &motion)) return NULL;
    while (k < FORMS && strcmp(form, forms[k].word) != 0) k++;
    if (k == FORMS)
        return zpy_refuse(PyExc_ValueError, "the form is text, json, latex, mathml, sympy or c");
    int how = (plain ? ZW_EQUATIONS_PLAIN : 0) | (motion ? ZW_EQUATIONS_MOTION : 0);
    if (!zpy_enter(m)) return NULL;
    zw_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = how == 0 ? zw_model_derive(m->model, forms[k].form, zpy_text_put, &text)
                      : zw_model_equations(m->model, forms[k].form, how, zpy_text_put, &text);
    Py_END_ALLOW_THREADS;
    bool good = zpy_judge(m, status, m->messages);
    zpy_leave(m);
    if (good) return zpy_text_take(&text);
    zpy_text_free(&text);
    return NULL;
}

/* programs(kernel="auto", lanes=1) */
static PyObject *model_programs(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"kernel", "lanes", NULL};
    zpy_model *m = (zpy_model *)self;
    zpy_text text = {0};
    const char *word = "auto";
    int lanes = 1;
    zw_kernel kernel;
    if (!PyArg_ParseTupleAndKeywords(args, words, "|si", names, &word, &lanes)) return NULL;
    if (zw_kernel_find(word, &kernel) != ZW_OK)
        return zpy_refuse(PyExc_ValueError, "there is no kernel of that name");
    if (!zpy_enter(m)) return NULL;
    zw_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = zw_model_programs(m->model, kernel, lanes, zpy_text_put, &text);
    Py_END_ALLOW_THREADS;
    bool good = zpy_judge(m, status, m->messages);
    zpy_leave(m);
    if (good) return zpy_text_take(&text);
    zpy_text_free(&text);
    return NULL;
}

/* What the model says of its run. */
static PyObject *model_settings(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    zw_run_settings s;
    zw_status status = zw_run_defaults(model_of(self), &s);
    if (status != ZW_OK) return zpy_fail(status, NULL, NULL);
    return Py_BuildValue(
        "{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:s,s:s,s:s,s:s,s:O,s:L,s:d,s:s}", "from", s.from,
        "until", s.until, "every", s.every, "tol", s.tol, "abs_tol", s.abs_tol, "step", s.step,
        "omega", s.omega, "zeta", s.zeta, "method", zw_method_name(s.method), "stabilize",
        zw_stabilize_name(s.stabilize), "form", zw_form_name(s.form), "kernel",
        zw_kernel_name(s.kernel), "accept_inconsistent", s.accept_inconsistent ? Py_True : Py_False,
        "max_steps", (long long)s.max_steps, "patience", s.patience, "hold", zw_hold_name(s.hold));
}

PyMethodDef zpy_describe_methods[] = {
    {"_names", model_names, METH_NOARGS, "Names by kind."},
    {"_inputs", model_inputs, METH_NOARGS, "Of each parameter: whether it belongs to an input."},
    {"_constraints", model_constraints, METH_NOARGS, "The constraints, each as a dict."},
    {"_row_kinds", model_row_kinds, METH_NOARGS, "The kind of each row of A."},
    {"_statistics", model_statistics, METH_NOARGS, "What compiling came to."},
    {"_derive", model_derive, METH_VARARGS, "The equations, to read."},
    {"_programs", (PyCFunction)(void (*)(void))model_programs, METH_VARARGS | METH_KEYWORDS,
     "The programs of the model, to read."},
    {"_settings", model_settings, METH_NOARGS, "What `simulate` says."},
    {"_ensemble", (PyCFunction)(void (*)(void))zpy_model_ensemble, METH_VARARGS | METH_KEYWORDS,
     "Many members at once."},
    {0}};
