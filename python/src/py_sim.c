/*
 * _zwang.Simulation: a state with parameters and inputs. Its q and v are arrays that look at one block
 * [2n]: after each call they hold the state the library got to, and what the caller writes into them is
 * handed to the library before the next call, which ends the run at hand.
 */
#include "extension.h"

#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------- belonging */

bool zpy_seize(zpy_sim *s)
{
    if (!s->sim) return zpy_refuse(PyExc_ValueError, "this simulation was not made"), false;
    if (s->busy)
        return zpy_refuse(PyExc_RuntimeError, "this simulation is at work; one call at a time"),
               false;
    s->busy = true;
    return true;
}

void zpy_free_sim(zpy_sim *s)
{
    s->busy = false;
}

zw_status zpy_push(zpy_sim *s)
{
    size_t bytes = 2 * (size_t)s->n * sizeof *s->live;
    if (memcmp(s->live, s->known, bytes) == 0) return ZW_OK;
    zw_status status = zw_sim_set_state(s->sim, s->t, s->live, s->live + s->n);
    if (status != ZW_OK) return status;
    memcpy(s->known, s->live, bytes);
    s->begun = false;
    return ZW_OK;
}

void zpy_pull(zpy_sim *s)
{
    (void)zw_sim_state(s->sim, &s->t, s->live, s->live + s->n);
    memcpy(s->known, s->live, 2 * (size_t)s->n * sizeof *s->live);
}

/* A call that belongs to the thread of the context. It ends the run. */
typedef zw_status action_fn(zpy_sim *s, const void *what);

static PyObject *act(PyObject *self, action_fn *action, const void *what)
{
    zpy_sim *s = (zpy_sim *)self;
    if (!zpy_seize(s)) return NULL;
    bool good = zpy_enter(s->model);
    if (good) {
        zw_status status = zpy_push(s);
        if (status == ZW_OK) {
            Py_BEGIN_ALLOW_THREADS;
            status = action(s, what);
            Py_END_ALLOW_THREADS;
        }
        s->begun = false;
        zpy_pull(s);
        good = zpy_judge(s->model, status, s->messages);
        zpy_leave(s->model);
    }
    zpy_free_sim(s);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ------------------------------------------------------------------ state and start */

static zw_status do_start(zpy_sim *s, const void *accept)
{
    return zw_sim_start(s->sim, *(const bool *)accept);
}

static PyObject *sim_start(PyObject *self, PyObject *args)
{
    int accept = 0;
    if (!PyArg_ParseTuple(args, "|p", &accept)) return NULL;
    bool said = accept != 0;
    return act(self, do_start, &said);
}

static zw_status do_assign(zpy_sim *s, const void *text)
{
    return zw_sim_assign(s->sim, text);
}

static PyObject *sim_assign(PyObject *self, PyObject *args)
{
    const char *text;
    if (!PyArg_ParseTuple(args, "s", &text)) return NULL;
    return act(self, do_assign, text);
}

static zw_status do_project(zpy_sim *s, const void *nothing)
{
    (void)nothing;
    return zw_sim_project(s->sim);
}

static PyObject *sim_project(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    return act(self, do_project, NULL);
}

static zw_status do_set_parameters(zpy_sim *s, const void *text)
{
    return zw_sim_set_parameters(s->sim, text);
}

static PyObject *sim_set_parameters(PyObject *self, PyObject *args)
{
    const char *text;
    if (!PyArg_ParseTuple(args, "s", &text)) return NULL;
    return act(self, do_set_parameters, text);
}

static zw_status do_set_kernel(zpy_sim *s, const void *kernel)
{
    return zw_sim_set_kernel(s->sim, *(const zw_kernel *)kernel);
}

static PyObject *sim_set_kernel(PyObject *self, PyObject *args)
{
    const char *word;
    zw_kernel kernel;
    if (!PyArg_ParseTuple(args, "s", &word)) return NULL;
    if (zw_kernel_find(word, &kernel) != ZW_OK)
        return zpy_refuse(PyExc_ValueError, "there is no kernel of that name");
    return act(self, do_set_kernel, &kernel);
}

/* ------------------------------------------------------------- parameters and handles */

static PyObject *sim_parameters(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    zpy_sim *s = (zpy_sim *)self;
    int32_t count = zw_model_parameter_count(s->model->model);
    PyObject *list = PyList_New(count);
    for (int32_t k = 0; list && k < count; k++) {
        double value = 0;
        (void)zw_sim_parameter(s->sim, k, &value);
        if (PyList_SetItem(list, k, PyFloat_FromDouble(value)) != 0) Py_CLEAR(list);
    }
    return list;
}

/* handle(name, input): the number of a handle and how many numbers it sets. */
static PyObject *sim_handle(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    const char *name;
    int input;
    int32_t handle = 0;
    if (!PyArg_ParseTuple(args, "sp", &name, &input) || !zpy_seize(s)) return NULL;
    bool good = zpy_enter(s->model);
    if (good) {
        zw_status status = input ? zw_sim_input(s->sim, name, &handle)
                                 : zw_sim_parameter_handle(s->sim, name, &handle);
        good = zpy_judge(s->model, status, s->messages);
        zpy_leave(s->model);
    }
    zpy_free_sim(s);
    if (!good) return NULL;
    return Py_BuildValue("(ii)", (int)handle, (int)zw_sim_handle_count(s->sim, handle));
}

/* set_handle(handle, input, values): from the state's time on. A refusal reports, so that the context
 * is entered. */
static PyObject *sim_set_handle(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    PyObject *object;
    int handle, input;
    zpy_doubles d;
    if (!PyArg_ParseTuple(args, "ipO", &handle, &input, &object)) return NULL;
    if (!zpy_read_count(object, "the value", zw_sim_handle_count(s->sim, handle), &d)) return NULL;
    bool good = zpy_seize(s);
    if (good) {
        good = zpy_enter(s->model);
        if (good) {
            zw_status status = zpy_push(s);
            if (status == ZW_OK)
                status = input ? zw_sim_set_input(s->sim, handle, d.data, (int32_t)d.count)
                               : zw_sim_set_parameter(s->sim, handle, d.data, (int32_t)d.count);
            zpy_pull(s);
            good = zpy_judge(s->model, status, s->messages);
            zpy_leave(s->model);
        }
        zpy_free_sim(s);
    }
    zpy_done(&d);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* --------------------------------------------------------------------- life and fields */

static bool make_state(zpy_sim *s)
{
    double *data = NULL;
    size_t n = (size_t)s->n;
    s->block = zpy_new_block(2 * s->n, &data);
    s->live = data;
    s->known = PyMem_Calloc(3 * n + 1, sizeof *s->known);
    if (!s->block || !s->known) return false;
    s->work = s->known + 2 * n;
    s->q = zpy_look_at(s->block, 0, s->n);
    s->v = zpy_look_at(s->block, s->n, s->n);
    s->columns = PyDict_New();
    return s->q && s->v && s->columns;
}

static int sim_init(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"model", NULL};
    zpy_sim *s = (zpy_sim *)self;
    PyObject *model;
    if (!PyArg_ParseTupleAndKeywords(args, words, "O!", names, zpy.model, &model)) return -1;
    zpy_model *m = (zpy_model *)model;
    if (s->sim || !m->model)
        return zpy_refuse(PyExc_ValueError, "a simulation is made once, of a compiled model"), -1;
    s->model = (zpy_model *)Py_NewRef(model);
    s->n = zw_model_coordinate_count(m->model);
    s->m = zw_model_row_count(m->model);
    s->messages = PyList_New(0);
    if (!s->messages || !make_state(s)) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        return -1;
    }
    if (!zpy_enter(m)) return -1;
    zw_status status;
    Py_BEGIN_ALLOW_THREADS;
    status = zw_sim_create(m->model, &s->sim);
    Py_END_ALLOW_THREADS;
    if (status == ZW_OK) status = zw_run_defaults(m->model, &s->run);
    bool good = zpy_judge(m, status, s->messages);
    zpy_leave(m);
    if (good) zpy_pull(s);
    return good ? 0 : -1;
}

/* Memory of the context is given back under its lock. */
static void sim_free(PyObject *self)
{
    zpy_sim *s = (zpy_sim *)self;
    bool own = s->sim && s->model->owner == PyThread_get_thread_ident();
    if (s->sim && (own || zpy_enter(s->model))) {
        zw_sim_free(s->sim);
        if (!own) zpy_leave(s->model);
    }
    Py_CLEAR(s->columns);
    Py_CLEAR(s->q);
    Py_CLEAR(s->v);
    Py_CLEAR(s->block);
    PyMem_Free(s->known);
    Py_CLEAR(s->messages);
    Py_CLEAR(s->model);
    zpy_release(self);
}

/* Fields that only hand out what is there. */
#define FIELD(name, value)                                                                         \
    static PyObject *get_##name(PyObject *self, void *closure)                                     \
    {                                                                                              \
        zpy_sim *s = (zpy_sim *)self;                                                              \
        (void)closure;                                                                             \
        return value;                                                                              \
    }
FIELD(t, PyFloat_FromDouble(s->t))
FIELD(q, Py_NewRef(s->q))
FIELD(v, Py_NewRef(s->v))
FIELD(model, Py_NewRef((PyObject *)s->model))
FIELD(messages, Py_NewRef(s->messages))
FIELD(begun, PyBool_FromLong(s->begun))
FIELD(row_count, PyLong_FromLongLong(s->row_count))
FIELD(step, PyFloat_FromDouble(s->step))
FIELD(solver, PyUnicode_FromString(zw_solver_name(zw_sim_solver(s->sim))))

/* Another time with the same q and v ends the run. */
static int set_t(PyObject *self, PyObject *value, void *closure)
{
    zpy_sim *s = (zpy_sim *)self;
    (void)closure;
    double t = value ? PyFloat_AsDouble(value) : 0;
    if (PyErr_Occurred() || !zpy_seize(s)) return -1;
    zw_status status = zw_sim_set_state(s->sim, t, s->live, s->live + s->n);
    s->begun = false;
    zpy_pull(s);
    zpy_free_sim(s);
    return status == ZW_OK ? 0 : (zpy_fail(status, NULL, NULL), -1);
}

/* q and v are written in place: s.q = numbers copies them. */
static int set_half(PyObject *self, PyObject *value, void *closure)
{
    zpy_sim *s = (zpy_sim *)self;
    zpy_doubles d;
    bool velocity = closure != NULL;
    if (!value) return zpy_refuse(PyExc_TypeError, "the state cannot be deleted"), -1;
    if (!zpy_read_count(value, velocity ? "v" : "q", s->n, &d)) return -1;
    memmove(s->live + (velocity ? s->n : 0), d.data, (size_t)s->n * sizeof *d.data);
    zpy_done(&d);
    return 0;
}

static char velocity_mark;
static PyGetSetDef sim_fields[] = {
    {"t", get_t, set_t, "The time of the state.", NULL},
    {"q", get_q, set_half,
     "The coordinates, a live array: it follows the motion, and what is written into it is the\n"
     "state from then on. Nothing brings it onto the constraints but project().",
     NULL},
    {"v", get_v, set_half, "The velocities, a live array as q is.", &velocity_mark},
    {"model", get_model, NULL, "The model.", NULL},
    {"solver", get_solver, NULL, "What solves the equations: dense or sparse.", NULL},
    {"_messages", get_messages, NULL, "Warnings and remarks of its calls, as tuples.", NULL},
    {"_begun", get_begun, NULL, "Whether there is a run.", NULL},
    {"_step", get_step, NULL, "The size of the last step.", NULL},
    {"_row_count", get_row_count, NULL, "Rows that the last table has.", NULL},
    {0}};

static PyMethodDef sim_methods[] = {
    {"_start", sim_start, METH_VARARGS, "The start of the model, on the constraints."},
    {"_assign", sim_assign, METH_VARARGS, "Changes single values of the state."},
    {"project", sim_project, METH_NOARGS,
     "Brings the state onto the constraints by the smallest change in the metric of the masses."},
    {"_set_parameters", sim_set_parameters, METH_VARARGS, "Overrides parameters, as text."},
    {"_set_kernel", sim_set_kernel, METH_VARARGS, "What evaluates the equations."},
    {"_parameters", sim_parameters, METH_NOARGS, "Values of all parameters."},
    {"_handle", sim_handle, METH_VARARGS, "A handle of an input or a parameter, and its size."},
    {"_set_handle", sim_set_handle, METH_VARARGS, "Sets numbers by a handle."},
    {0}};

/* Methods of several files in one table. */
static bool add_methods(PyTypeObject *type, PyMethodDef *methods)
{
    for (; methods->ml_name; methods++) {
        PyObject *method = PyDescr_NewMethod(type, methods);
        bool good =
            method && PyObject_SetAttrString((PyObject *)type, methods->ml_name, method) == 0;
        Py_XDECREF(method);
        if (!good) return false;
    }
    return true;
}

bool zpy_add_sim(PyObject *module)
{
    PyType_Slot slots[] = {{Py_tp_doc, "A state of a model, and its motion."},
                           {Py_tp_init, sim_init},
                           {Py_tp_new, PyType_GenericNew},
                           {Py_tp_dealloc, sim_free},
                           {Py_tp_methods, sim_methods},
                           {Py_tp_getset, sim_fields},
                           {0, NULL}};
    PyType_Spec spec = {.name = "zwang._zwang.Simulation",
                        .basicsize = sizeof(zpy_sim),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                        .slots = slots};
    zpy.sim = zpy_add_type(module, &spec, "Simulation");
    return zpy.sim && add_methods(zpy.sim, zpy_motion_methods) &&
           add_methods(zpy.sim, zpy_instant_methods) && add_methods(zpy.sim, zpy_happen_methods) &&
           add_methods(zpy.sim, zpy_derivative_methods);
}
