/*
 * How the answer of the principle changes with what it depends on: tangents, the linear system beside a
 * state, states of rest with their frequencies.
 */
#include "extension.h"

#include <string.h>

static PyObject *matrix_of(const double *x, int32_t rows, int32_t columns)
{
    double *data = NULL;
    PyObject *array = zpy_new_matrix(rows, columns, &data);
    size_t count = (size_t)rows * (size_t)columns;
    if (array && count > 0) memcpy(data, x, count * sizeof *x);
    return array;
}

static PyObject *strings_of(const char *const *names, int32_t count)
{
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++) {
        PyObject *name = PyUnicode_FromString(names[k]);
        if (!name || PyList_SetItem(list, k, name) != 0) Py_CLEAR(list);
    }
    return list;
}

/* Poles as complex numbers. */
static PyObject *poles_of(const double *re, const double *im, int32_t count)
{
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++) {
        PyObject *pole = PyComplex_FromDoubles(re[k], im[k]);
        if (!pole || PyList_SetItem(list, k, pole) != 0) Py_CLEAR(list);
    }
    return list;
}

/* ----------------------------------------------------------------------- along a run */

/* vary(columns): the run that begins next has the derivatives among them. */
static PyObject *sim_vary(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    PyObject *columns;
    if (!PyArg_ParseTuple(args, "O!", zpy.columns, &columns)) return NULL;
    if (!zpy_seize(s)) return NULL;
    bool good = zpy_enter(s->model);
    if (good) {
        zw_status status;
        Py_BEGIN_ALLOW_THREADS;
        status = zpy_push(s);
        if (status == ZW_OK) status = zw_sim_vary(s->sim, ((zpy_columns *)columns)->columns);
        Py_END_ALLOW_THREADS;
        s->begun = false;
        good = zpy_judge(s->model, status, s->messages);
        zpy_leave(s->model);
    }
    zpy_free_sim(s);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* -------------------------------------------------------------------------- tangent */

static zw_status find_tangent(zpy_sim *s, const zw_direction *along, double *z, double *multipliers)
{
    zw_status status = zpy_push(s);
    return status == ZW_OK ? zw_sim_tangent(s->sim, along, z, multipliers) : status;
}

/* tangent(q or None, v or None, t, parameter): rates of accelerations and of multipliers. */
static PyObject *sim_tangent(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    PyObject *q, *v, *pair = NULL;
    zpy_doubles a = {0}, b = {0};
    zw_direction along = {0};
    int parameter;
    double *z = NULL, *multipliers = NULL;
    if (!PyArg_ParseTuple(args, "OOdi", &q, &v, &along.t, &parameter)) return NULL;
    along.parameter = parameter;
    bool good = q == Py_None || zpy_read_count(q, "q", s->n, &a);
    good = good && (v == Py_None || zpy_read_count(v, "v", s->n, &b));
    along.q = a.data;
    along.v = b.data;
    PyObject *first = good ? zpy_new_vector(s->n, &z) : NULL;
    PyObject *second = first ? zpy_new_vector(s->m, &multipliers) : NULL;
    if (second && zpy_seize(s)) {
        if (zpy_enter(s->model)) {
            zw_status status = find_tangent(s, &along, z, multipliers);
            if (zpy_judge(s->model, status, s->messages))
                pair = Py_BuildValue("(OO)", first, second);
            zpy_leave(s->model);
        }
        zpy_free_sim(s);
    }
    if (a.data) zpy_done(&a);
    if (b.data) zpy_done(&b);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return pair;
}

/* ------------------------------------------------------------------------ linearize */

static PyObject *describe_linearization(const zw_linearization *x)
{
    if (!x) return PyErr_NoMemory();
    return Py_BuildValue(
        "{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:i,s:d,s:d,s:d}", "A",
        matrix_of(x->A, x->states, x->states), "B", matrix_of(x->B, x->states, x->inputs), "C",
        matrix_of(x->C, x->outputs, x->states), "D", matrix_of(x->D, x->outputs, x->inputs),
        "poles", poles_of(x->pole_re, x->pole_im, x->states), "states",
        strings_of(x->state_names, x->states), "inputs", strings_of(x->input_names, x->inputs),
        "outputs", strings_of(x->output_names, x->outputs), "places", (int)x->places, "t", x->t,
        "speed", x->speed, "acceleration", x->acceleration);
}

/* linearize(states, inputs, outputs), each a string or None. */
static PyObject *sim_linearize(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    zw_linearize asked = {0};
    zw_linearization *found = NULL;
    PyObject *dict = NULL;
    if (!PyArg_ParseTuple(args, "zzz", &asked.states, &asked.inputs, &asked.outputs)) return NULL;
    if (!zpy_seize(s)) return NULL;
    if (zpy_enter(s->model)) {
        zw_status status = zpy_push(s);
        if (status == ZW_OK) status = zw_sim_linearize(s->sim, &asked, &found);
        if (zpy_judge(s->model, status, s->messages)) dict = describe_linearization(found);
        zw_linearization_free(found);
        zpy_leave(s->model);
    }
    zpy_free_sim(s);
    return dict;
}

/* ---------------------------------------------------------------------- equilibrium */

static PyObject *describe_equilibrium(const zw_equilibrium *x, int32_t n, int32_t m)
{
    if (!x) return PyErr_NoMemory();
    PyObject *dict = Py_BuildValue(
        "{s:d,s:d,s:i,s:i,s:i,s:N,s:N,s:N,s:N,s:N}", "t", x->t, "moved", x->moved, "iterations",
        (int)x->iterations, "unstable", (int)x->unstable, "neutral", (int)x->neutral, "q",
        zpy_vector_of(x->q, n), "multipliers", zpy_vector_of(x->multipliers, m), "frequencies",
        zpy_vector_of(x->frequency, x->modes), "shapes", matrix_of(x->shape, x->modes, n), "poles",
        poles_of(x->pole_re, x->pole_im, x->poles));
    bool good = dict &&
                zpy_put(dict, "parameters", strings_of(x->parameter_names, x->parameters)) &&
                zpy_put(dict, "dq", matrix_of(x->dq, x->parameters, n)) &&
                zpy_put(dict, "dmultipliers", matrix_of(x->dmultipliers, x->parameters, m)) &&
                zpy_put(dict, "dfrequencies", matrix_of(x->dfrequency, x->parameters, x->modes));
    if (!good) Py_CLEAR(dict);
    return dict;
}

/* equilibrium(by or None): the simulation is then there. */
static PyObject *sim_equilibrium(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    zw_equilibrium_asked asked = {0};
    zw_equilibrium *found = NULL;
    PyObject *dict = NULL;
    if (!PyArg_ParseTuple(args, "z", &asked.by) || !zpy_seize(s)) return NULL;
    if (zpy_enter(s->model)) {
        zw_status status = zpy_push(s);
        if (status == ZW_OK) {
            Py_BEGIN_ALLOW_THREADS;
            status = zw_sim_equilibrium(s->sim, &asked, &found);
            Py_END_ALLOW_THREADS;
        }
        s->begun = false;
        zpy_pull(s);
        if (zpy_judge(s->model, status, s->messages))
            dict = describe_equilibrium(found, s->n, s->m);
        zw_equilibrium_free(found);
        zpy_leave(s->model);
    }
    zpy_free_sim(s);
    return dict;
}

PyMethodDef zpy_derivative_methods[] = {
    {"_vary", sim_vary, METH_VARARGS, "The next run has the derivatives among columns."},
    {"_tangent", sim_tangent, METH_VARARGS, "Rates of accelerations and multipliers."},
    {"_linearize", sim_linearize, METH_VARARGS, "The linear system beside the state."},
    {"_equilibrium", sim_equilibrium, METH_VARARGS, "A state of rest."},
    {0}};
