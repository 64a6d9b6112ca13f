/*
 * What the equations say at a state: the acceleration, the matrices, the whole answer of the principle
 * with its diagnosis, columns by name, the reports of the library in words.
 */
#include "extension.h"

#include <string.h>

enum { QUICK = 100 }; /* coordinates up to which giving up the GIL costs more than it gains */

/* ---------------------------------------------------------------------- acceleration */

static zw_status accelerate(zpy_sim *s, double t, const double *q, const double *v, double *z)
{
    zw_status status;
    if (s->n <= QUICK) return zw_sim_acceleration(s->sim, t, q, v, z);
    Py_BEGIN_ALLOW_THREADS;
    status = zw_sim_acceleration(s->sim, t, q, v, z);
    Py_END_ALLOW_THREADS;
    return status;
}

/* acceleration(), acceleration(t, q, v), and with an array to write into as the last. */
static PyObject *sim_acceleration(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    zpy_sim *s = (zpy_sim *)self;
    zpy_doubles q = {0}, v = {0}, out = {0};
    bool given = count >= 3, into = count == 1 || count == 4;
    double t = s->t, *z = NULL;
    if (count == 2 || count > 4)
        return zpy_refuse(PyExc_TypeError, "acceleration([t, q, v][, out])");
    if (!s->sim) return zpy_refuse(PyExc_ValueError, "this simulation was not made");
    if (given) t = PyFloat_AsDouble(args[0]);
    if (PyErr_Occurred()) return NULL;
    if (given && !zpy_read_count(args[1], "q", s->n, &q)) return NULL;
    if (given && !zpy_read_count(args[2], "v", s->n, &v)) {
        zpy_done(&q);
        return NULL;
    }
    PyObject *array = NULL;
    if (into && zpy_write_into(args[count - 1], "out", s->n, &out)) {
        array = Py_NewRef(args[count - 1]);
        z = out.data;
    } else if (!into) {
        array = zpy_new_vector(s->n, &z);
    }
    if (array && zpy_seize(s)) {
        zw_status status =
            accelerate(s, t, given ? q.data : s->live, given ? v.data : s->live + s->n, z);
        zpy_free_sim(s);
        if (status != ZW_OK) (void)zpy_fail(status, NULL, NULL);
    }
    if (out.data) zpy_done(&out);
    if (given) zpy_done(&q), zpy_done(&v);
    if (PyErr_Occurred()) Py_CLEAR(array);
    return array;
}

/* --------------------------------------------------------------------------- matrices */

/* Every matrix of the moment, in one dict. */
static PyObject *sim_instant(PyObject *self, PyObject *nothing)
{
    zpy_sim *s = (zpy_sim *)self;
    zw_instant i = {0};
    (void)nothing;
    PyObject *dict = PyDict_New();
    const struct {
        const char *name;
        double **to;
        int32_t rows, columns; /* columns 0: a vector */
    } parts[] = {{"M", &i.M, s->n, s->n},      {"Q", &i.Q, s->n, 0},      {"C", &i.C, s->n, 0},
                 {"A", &i.A, s->m, s->n},      {"b", &i.b, s->m, 0},      {"W", &i.W, s->m, s->m},
                 {"value", &i.value, s->m, 0}, {"rate", &i.rate, s->m, 0}};
    for (size_t k = 0; dict && k < sizeof parts / sizeof *parts; k++) {
        PyObject *array = parts[k].columns > 0
                              ? zpy_new_matrix(parts[k].rows, parts[k].columns, parts[k].to)
                              : zpy_new_vector(parts[k].rows, parts[k].to);
        if (s->m == 0 && parts[k].to == &i.W) { /* m by m of no rows */
            Py_XDECREF(array);
            array = zpy_new_matrix(0, 0, parts[k].to);
        }
        if (!zpy_put(dict, parts[k].name, array)) Py_CLEAR(dict);
    }
    if (!dict || !zpy_seize(s)) {
        Py_XDECREF(dict);
        return NULL;
    }
    zw_status status = zpy_push(s);
    if (status == ZW_OK) status = zw_sim_instant(s->sim, &i);
    zpy_free_sim(s);
    bool good = status == ZW_OK && zpy_put(dict, "has_C", PyBool_FromLong(i.has_C)) &&
                zpy_put(dict, "has_W", PyBool_FromLong(i.has_W));
    if (status != ZW_OK) (void)zpy_fail(status, NULL, NULL);
    if (!good) Py_CLEAR(dict);
    return dict;
}

/* ------------------------------------------------------------------------- the answer */

/* Within the context: rank and diagnosis belong to the solve. */
static zw_status solve_all(zpy_sim *s, zpy_answer *a, zw_gauss_rank_info *rank, zw_diagnosis **d)
{
    zw_status status = zpy_push(s);
    if (status == ZW_OK) status = zw_sim_solve(s->sim, &a->values);
    if (status == ZW_OK) status = zw_sim_rank(s->sim, rank);
    if (status == ZW_OK) status = zw_sim_diagnose(s->sim, a->values.acceleration, d);
    return status;
}

/* Everything the principle says here: the dict of an answer, its rank and its diagnosis. */
static PyObject *sim_solve(PyObject *self, PyObject *nothing)
{
    zpy_sim *s = (zpy_sim *)self;
    zpy_answer a;
    zw_gauss_rank_info rank;
    zw_diagnosis *d = NULL;
    PyObject *dict = NULL;
    (void)nothing;
    if (!zpy_answer_init(&a, s->n, s->m)) return NULL;
    if (zpy_seize(s)) {
        if (zpy_enter(s->model)) {
            zw_status status;
            Py_BEGIN_ALLOW_THREADS;
            status = solve_all(s, &a, &rank, &d);
            Py_END_ALLOW_THREADS;
            if (zpy_judge(s->model, status, s->messages)) {
                dict = zpy_answer_dict(&a, true);
                if (dict && !(zpy_put(dict, "rank_info", zpy_rank_dict(&rank)) &&
                              zpy_put(dict, "diagnosis", zpy_diagnosis_dict(d))))
                    Py_CLEAR(dict);
            }
            zw_diagnosis_free(d);
            zpy_leave(s->model);
        }
        zpy_free_sim(s);
    }
    zpy_answer_clear(&a);
    return dict;
}

/* ---------------------------------------------------------------------------- columns */

/* columns(columns[, out]): their values at the state. */
static PyObject *sim_columns(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    PyObject *columns, *array;
    double *row = NULL;
    if (!PyArg_ParseTuple(args, "O!", zpy.columns, &columns)) return NULL;
    const zpy_columns *c = (const zpy_columns *)columns;
    if (c->model != s->model)
        return zpy_refuse(PyExc_ValueError, "these columns are of another model");
    array = zpy_new_vector(zw_columns_count(c->columns), &row);
    if (!array || !zpy_seize(s)) {
        Py_XDECREF(array);
        return NULL;
    }
    zw_status status = zpy_push(s);
    if (status == ZW_OK) status = zw_sim_columns(s->sim, c->columns, row);
    zpy_free_sim(s);
    if (status == ZW_OK) return array;
    Py_DECREF(array);
    return zpy_fail(status, NULL, NULL);
}

/* ----------------------------------------------------------------------------- reports */

/* What a report is asked for. */
typedef struct report_job {
    zpy_sim *s;
    const zw_columns *columns;
    zw_report_form form;
    bool accept;
    zw_c_settings c;
    zw_c_file file;
    zpy_text text;
} report_job;
typedef zw_status report_fn(report_job *job);

static zw_status report_check(report_job *j)
{
    return zw_sim_check(j->s->sim, j->accept, j->form, zpy_text_put, &j->text);
}

static zw_status report_verdict(report_job *j)
{
    return zw_sim_verdict(j->s->sim, j->form, zpy_text_put, &j->text);
}

static zw_status report_scene(report_job *j)
{
    return zw_sim_scene(j->s->sim, j->columns, zpy_text_put, &j->text);
}

static zw_status report_c(report_job *j)
{
    return zw_sim_export_c(j->s->sim, &j->c, j->file, zpy_text_put, &j->text);
}

/* Runs a report within the context; refused: a status with which there is one all the same. */
static PyObject *report(report_job *job, report_fn *write, zw_status refused)
{
    zpy_sim *s = job->s;
    bool good = false;
    if (!zpy_seize(s)) return NULL;
    if (zpy_enter(s->model)) {
        zw_status status = zpy_push(s);
        if (status == ZW_OK) {
            Py_BEGIN_ALLOW_THREADS;
            status = write(job);
            Py_END_ALLOW_THREADS;
        }
        if (status == refused) status = ZW_OK;
        zpy_pull(s);
        good = zpy_judge(s->model, status, s->messages);
        zpy_leave(s->model);
    }
    zpy_free_sim(s);
    if (good) return zpy_text_take(&job->text);
    zpy_text_free(&job->text);
    return NULL;
}

/* check(json, accept): starts the simulation. A start that is refused is an error in the messages. */
static PyObject *sim_check(PyObject *self, PyObject *args)
{
    int json, accept;
    report_job job = {.s = (zpy_sim *)self};
    if (!PyArg_ParseTuple(args, "pp", &json, &accept)) return NULL;
    job.form = json ? ZW_REPORT_JSON : ZW_REPORT_TEXT;
    job.accept = accept;
    job.s->begun = false;
    return report(&job, report_check, ZW_ERR_START);
}

static PyObject *sim_verdict(PyObject *self, PyObject *args)
{
    int json;
    report_job job = {.s = (zpy_sim *)self};
    if (!PyArg_ParseTuple(args, "p", &json)) return NULL;
    job.form = json ? ZW_REPORT_JSON : ZW_REPORT_TEXT;
    return report(&job, report_verdict, ZW_OK);
}

static PyObject *sim_scene(PyObject *self, PyObject *args)
{
    PyObject *columns;
    report_job job = {.s = (zpy_sim *)self};
    if (!PyArg_ParseTuple(args, "O!", zpy.columns, &columns)) return NULL;
    job.columns = ((zpy_columns *)columns)->columns;
    return report(&job, report_scene, ZW_OK);
}

/* export_c(header, name, single, own_functions, main, smooth) */
static PyObject *sim_export_c(PyObject *self, PyObject *args)
{
    int header, single, own, main, smooth;
    const char *name;
    report_job job = {.s = (zpy_sim *)self};
    if (!PyArg_ParseTuple(args, "pspppp", &header, &name, &single, &own, &main, &smooth))
        return NULL;
    job.file = header ? ZW_C_HEADER : ZW_C_SOURCE;
    job.c = (zw_c_settings){
        .name = name, .single = single, .own_functions = own, .with_main = main, .smooth = smooth};
    return report(&job, report_c, ZW_OK);
}

PyMethodDef zpy_instant_methods[] = {
    {"acceleration", (PyCFunction)(void (*)(void))sim_acceleration, METH_FASTCALL,
     "acceleration() at the state, or acceleration(t, q, v) at any.\n\n"
     "An array of float64 as the last argument is written into and returned; otherwise the answer\n"
     "is a new one. Nothing is corrected, and the state stays as it is."},
    {"matrices", sim_instant, METH_NOARGS,
     "What the equations say at the state: a dict of M, Q, C, A, b, W, and of each row its\n"
     "`value` and `rate`; `has_C` and `has_W` say whether there are such forces and weights."},
    {"_solve", sim_solve, METH_NOARGS, "Everything the principle says at the state."},
    {"_columns", sim_columns, METH_VARARGS, "Values of columns at the state."},
    {"_check", sim_check, METH_VARARGS, "What the model is, as text or JSON."},
    {"_verdict", sim_verdict, METH_VARARGS, "The verdict on the run, as text or JSON."},
    {"_scene", sim_scene, METH_VARARGS, "The picture of the model as JSON."},
    {"_export_c", sim_export_c, METH_VARARGS, "The model as C, one of its two files."},
    {0}};
