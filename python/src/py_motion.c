/*
 * Motion: a run begins where the state is, moves on, fills tables, is saved and restored. While the
 * library works the GIL is released; after steps, some times a second, signals are looked at, so that
 * Ctrl-C ends the call with the state where the run got to, and the run may go on from there.
 */
#include "extension.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

/* ------------------------------------------------------------------------- settings */

typedef zw_status find_word(const char *word, int *value);
#define FIND_WORD(of, type)                                                                        \
    static zw_status find_##of(const char *word, int *value)                                       \
    {                                                                                              \
        type found;                                                                                \
        zw_status status = zw_##of##_find(word, &found);                                           \
        if (status == ZW_OK) *value = (int)found;                                                  \
        return status;                                                                             \
    }
FIND_WORD(method, zw_method)
FIND_WORD(stabilize, zw_stabilize)
FIND_WORD(form, zw_form)
FIND_WORD(kernel, zw_kernel)
FIND_WORD(hold, zw_hold)

/* A setting that is a word. */
static bool read_word(const char *name, PyObject *value, zw_run_settings *s, bool *known)
{
    const struct {
        const char *name;
        find_word *find;
    } words[] = {{"method", find_method},
                 {"stabilize", find_stabilize},
                 {"form", find_form},
                 {"kernel", find_kernel},
                 {"hold", find_hold}};
    int found = 0;
    size_t k = 0;
    while (k < 5 && strcmp(words[k].name, name) != 0) k++;
    *known = k < 5;
    if (k == 5) return true;
    const char *word = PyUnicode_AsUTF8AndSize(value, NULL);
    if (!word) return false;
    if (words[k].find(word, &found) != ZW_OK) {
        PyErr_Format(PyExc_ValueError, "there is no %s called '%s'", name, word);
        return false;
    }
    if (k == 0) s->method = (zw_method)found;
    if (k == 1) s->stabilize = (zw_stabilize)found;
    if (k == 2) s->form = (zw_form)found;
    if (k == 3) s->kernel = (zw_kernel)found;
    if (k == 4) s->hold = (zw_hold)found;
    return true;
}

/* A setting that is a number. */
static bool read_number(const char *name, PyObject *value, zw_run_settings *s, bool *known)
{
    const struct {
        const char *name;
        double *to;
    } numbers[] = {{"until", &s->until},     {"every", &s->every},       {"tol", &s->tol},
                   {"abs_tol", &s->abs_tol}, {"step", &s->step},         {"omega", &s->omega},
                   {"zeta", &s->zeta},       {"patience", &s->patience}, {"from", &s->from}};
    size_t count = sizeof numbers / sizeof *numbers, k = 0;
    while (k < count && strcmp(numbers[k].name, name) != 0) k++;
    *known = k < count;
    if (!*known) return true;
    *numbers[k].to = PyFloat_AsDouble(value);
    return !PyErr_Occurred();
}

static bool read_setting(const char *name, PyObject *value, zw_run_settings *s)
{
    bool known;
    if (!read_word(name, value, s, &known)) return false;
    if (known) return true;
    if (!read_number(name, value, s, &known)) return false;
    if (known) return true;
    if (strcmp(name, "max_steps") == 0) {
        s->max_steps = PyLong_AsLongLong(value);
    } else if (strcmp(name, "accept_inconsistent") == 0) {
        s->accept_inconsistent = PyObject_IsTrue(value) == 1;
    } else {
        PyErr_Format(PyExc_TypeError, "there is no setting called '%s'", name);
    }
    return !PyErr_Occurred();
}

/* Tolerances that nobody has said belong to a method. */
static bool begin_by_method(const zw_model *model, PyObject *words, zw_run_settings *settings)
{
    PyObject *value = words ? PyDict_GetItemString(words, "method") : NULL;
    bool known;
    if (!model || !value || value == Py_None) return true;
    return read_word("method", value, settings, &known) &&
           zw_run_defaults_by(model, settings->method, settings) == ZW_OK;
}

bool zpy_read_settings(const zw_model *model, PyObject *words, zw_run_settings *settings)
{
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!begin_by_method(model, words, settings)) return false;
    while (words && PyDict_Next(words, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name || (value != Py_None && !read_setting(name, value, settings))) return false;
    }
    return true;
}

/* -------------------------------------------------------------------------- signals */

static int64_t read_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* 20 times a second the GIL is taken and signals are looked at; an exception waits in this thread. */
bool zpy_poll(void *user, const zw_progress *progress)
{
    zpy_sim *s = user;
    if (progress) {
        s->step = progress->t - s->stepped;
        s->stepped = progress->t;
    }
    int64_t now = read_clock();
    if (now - s->asked < 50000000) return true;
    PyGILState_STATE state = PyGILState_Ensure();
    bool go_on = PyErr_CheckSignals() == 0;
    PyGILState_Release(state);
    s->asked = read_clock();
    return go_on;
}

/* ------------------------------------------------------------------------------ begin */

/* Within the context. */
static zw_status begin_run(zpy_sim *s)
{
    zw_status status = zpy_push(s);
    s->run.poll = zpy_poll;
    s->run.user = s;
    if (status == ZW_OK) status = zw_sim_begin(s->sim, &s->run);
    s->begun = status == ZW_OK;
    s->stepped = s->t;
    s->step = 0;
    s->exclusive = s->run.method == ZW_BDF || s->run.method == ZW_AUTO;
    zpy_pull(s);
    return status;
}

/* begin(settings): a run with what the model says and, over it, the settings; kept for later. */
static PyObject *sim_begin(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    PyObject *words = NULL;
    int now = 1;
    if (!PyArg_ParseTuple(args, "|Op", &words, &now)) return NULL;
    zw_run_settings settings = s->run;
    if (words && words != Py_None && !zpy_read_settings(s->model->model, words, &settings))
        return NULL;
    if (!zpy_seize(s)) return NULL;
    s->run = settings;
    s->begun = false;
    bool good = true;
    if (now) {
        good = zpy_enter(s->model);
        if (good) {
            zw_status status;
            Py_BEGIN_ALLOW_THREADS;
            status = begin_run(s);
            Py_END_ALLOW_THREADS;
            good = zpy_judge(s->model, status, s->messages);
            zpy_leave(s->model);
        }
    }
    zpy_free_sim(s);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* Begins unless there is a run that q and v still belong to. */
static bool be_on_the_way(zpy_sim *s)
{
    zw_status status = zpy_push(s);
    if (status == ZW_OK && s->begun) return true;
    if (!zpy_enter(s->model)) return false;
    if (status == ZW_OK) {
        Py_BEGIN_ALLOW_THREADS;
        status = begin_run(s);
        Py_END_ALLOW_THREADS;
    }
    bool good = zpy_judge(s->model, status, s->messages);
    zpy_leave(s->model);
    return good;
}

/* Why a run failed: the library says it when it is concluded. */
static bool conclude(zpy_sim *s, zw_status status)
{
    if (!zpy_enter(s->model)) return false;
    (void)zw_sim_conclude(s->sim);
    bool good = zpy_judge(s->model, status, s->messages);
    zpy_leave(s->model);
    return good;
}

static PyObject *sim_conclude(PyObject *self, PyObject *nothing)
{
    zpy_sim *s = (zpy_sim *)self;
    (void)nothing;
    if (!zpy_seize(s)) return NULL;
    bool good = conclude(s, ZW_OK);
    zpy_free_sim(s);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ---------------------------------------------------------------------------- advance */

/* Moves to t with the GIL released; where steps take memory of the context, within it. */
static bool move(zpy_sim *s, double t, zw_outcome *outcome)
{
    zw_status status;
    if (s->exclusive && !zpy_enter(s->model)) return false;
    Py_BEGIN_ALLOW_THREADS;
    status = zw_sim_advance(s->sim, t, outcome);
    Py_END_ALLOW_THREADS;
    if (s->exclusive) zpy_leave(s->model);
    zpy_pull(s);
    if (status == ZW_ERR_CANCELLED) s->begun = false; /* the next call begins a run here */
    if (PyErr_Occurred()) return false;
    return status == ZW_OK || conclude(s, status);
}

/* advance(dt) or advance(to=t): true where the time was reached, false after a `stop`. */
static PyObject *sim_advance(PyObject *self, PyObject *args, PyObject *words)
{
    static char *names[] = {"dt", "to", NULL};
    zpy_sim *s = (zpy_sim *)self;
    PyObject *step = Py_None, *time = Py_None;
    zw_outcome outcome = ZW_REACHED;
    if (!PyArg_ParseTupleAndKeywords(args, words, "|OO", names, &step, &time)) return NULL;
    if ((step == Py_None) == (time == Py_None))
        return zpy_refuse(PyExc_TypeError, "advance takes a time step, or to=TIME");
    double t = step == Py_None ? PyFloat_AsDouble(time) : s->t + PyFloat_AsDouble(step);
    if (PyErr_Occurred()) return NULL;
    if (!isfinite(t) || t < s->t)
        return zpy_refuse(PyExc_ValueError, "a simulation moves forward only");
    if (!zpy_seize(s)) return NULL;
    bool good = be_on_the_way(s) && move(s, t, &outcome);
    zpy_free_sim(s);
    return good ? PyBool_FromLong(outcome == ZW_REACHED) : NULL;
}

/* Ends what another thread does with this simulation. */
static PyObject *sim_cancel(PyObject *self, PyObject *nothing)
{
    zpy_sim *s = (zpy_sim *)self;
    (void)nothing;
    if (s->sim) zw_sim_cancel(s->sim);
    if (s->sim && !s->busy) s->begun = false; /* the next call begins anew */
    return Py_NewRef(Py_None);
}

/* ------------------------------------------------------------------------------- rows */

/* Where rows go. */
typedef struct row_job {
    const zw_columns *columns;
    const double *times; /* or NULL: of the grid */
    const zw_run_grid *grid;
    int64_t count;
    double end;
    double *out;
    int32_t width;
    int64_t written;
} row_job;

static zw_status write_row(zpy_sim *s, row_job *job)
{
    zw_status status = zw_sim_columns(s->sim, job->columns, job->out + job->written * job->width);
    if (status == ZW_OK) job->written++;
    return status;
}

/* A last row where the run got to, if that is beyond the row before. */
static void add_last_row(zpy_sim *s, row_job *job)
{
    double t;
    if (zw_sim_state(s->sim, &t, NULL, NULL) != ZW_OK) return;
    if (job->written > 0 && t <= job->out[(job->written - 1) * job->width]) return;
    (void)write_row(s, job);
}

/* As the command does: one row at each time, on to the end, a last one where it ends before. */
static zw_status write_rows(zpy_sim *s, row_job *job, zw_outcome *outcome)
{
    for (int64_t k = 0; k <= job->count; k++) {
        double t = k == job->count ? job->end
                   : job->times    ? job->times[k]
                                   : zw_run_grid_time(job->grid, k);
        zw_status status = zw_sim_advance(s->sim, t, outcome);
        if (status != ZW_OK || *outcome != ZW_REACHED) {
            add_last_row(s, job);
            return status;
        }
        if (k == job->count) break;
        status = write_row(s, job);
        if (status != ZW_OK) return status;
        if ((k & 255) == 0 && !zpy_poll(s, NULL)) { /* rows may be many to a step */
            *outcome = ZW_INTERRUPTED;
            return ZW_OK;
        }
    }
    return ZW_OK;
}

/* The grid of (start, end, numerator, denominator, count). */
static bool read_grid(PyObject *object, zw_run_grid *grid)
{
    long long count;
    if (!PyArg_ParseTuple(object, "ddddL", &grid->start, &grid->end, &grid->numerator,
                          &grid->denominator, &count))
        return false;
    grid->count = count;
    return true;
}

/* Fills the table; the word for how it ended. */
static PyObject *fill_rows(zpy_sim *s, row_job *job)
{
    static const char *const words[] = {"reached", "stopped", "interrupted"};
    zw_outcome outcome = ZW_REACHED;
    zw_status status;
    if (!be_on_the_way(s)) return NULL;
    if (s->exclusive && !zpy_enter(s->model)) return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = write_rows(s, job, &outcome);
    Py_END_ALLOW_THREADS;
    if (s->exclusive) zpy_leave(s->model);
    zpy_pull(s);
    s->row_count = job->written;
    if (PyErr_Occurred() || !conclude(s, status)) return NULL;
    return PyUnicode_FromString(words[outcome]);
}

/* rows(columns, times or grid, end, out): how it ended; _row_count has how many rows there are, also
 * after an exception. out has one row more than there are times. */
static PyObject *sim_rows(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    PyObject *columns, *when, *into, *how = NULL;
    zpy_doubles times = {0}, out;
    zw_run_grid grid;
    row_job job = {.grid = &grid};
    if (!PyArg_ParseTuple(args, "O!OdO", zpy.columns, &columns, &when, &job.end, &into))
        return NULL;
    bool listed = !PyTuple_Check(when);
    if (listed ? !zpy_read(when, "the times", &times) : !read_grid(when, &grid)) return NULL;
    job.columns = ((zpy_columns *)columns)->columns;
    job.width = zw_columns_count(job.columns);
    job.times = listed ? times.data : NULL;
    job.count = listed ? times.count : grid.count;
    if (((zpy_columns *)columns)->model != s->model)
        (void)zpy_refuse(PyExc_ValueError, "these columns are of another model");
    else if (zpy_write_into(into, "the table", (job.count + 1) * job.width, &out)) {
        job.out = out.data;
        if (zpy_seize(s)) {
            s->row_count = 0;
            how = fill_rows(s, &job);
            zpy_free_sim(s);
        }
        zpy_done(&out);
    }
    if (listed) zpy_done(&times);
    return how;
}

/* run_rows(columns, times): a table in one call of the library, NaN where the run did not get to. */
static PyObject *sim_run_rows(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    PyObject *columns, *when;
    zpy_doubles times;
    if (!PyArg_ParseTuple(args, "O!O", zpy.columns, &columns, &when)) return NULL;
    if (!zpy_read(when, "the times", &times)) return NULL;
    const zw_columns *c = ((zpy_columns *)columns)->columns;
    double *data = NULL;
    PyObject *table = zpy_new_matrix(times.count, zw_columns_count(c), &data);
    bool good = table && zpy_seize(s);
    if (good) {
        good = be_on_the_way(s) && (!s->exclusive || zpy_enter(s->model));
        if (good) {
            zw_status status;
            Py_BEGIN_ALLOW_THREADS;
            status = zw_sim_run_rows(s->sim, times.data, (int32_t)times.count, c, data);
            Py_END_ALLOW_THREADS;
            if (s->exclusive) zpy_leave(s->model);
            zpy_pull(s);
            good = !PyErr_Occurred() && conclude(s, status);
        }
        zpy_free_sim(s);
    }
    zpy_done(&times);
    if (!good) Py_CLEAR(table);
    return table;
}

/* --------------------------------------------------------------------------- save */

static PyObject *sim_save(PyObject *self, PyObject *nothing)
{
    zpy_sim *s = (zpy_sim *)self;
    size_t needed = 0;
    PyObject *bytes = NULL;
    (void)nothing;
    if (!zpy_seize(s)) return NULL;
    if (be_on_the_way(s)) {
        zw_status status = zw_sim_save(s->sim, NULL, 0, &needed);
        if (status == ZW_OK) bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)needed);
        if (bytes) status = zw_sim_save(s->sim, PyBytes_AsString(bytes), needed, &needed);
        if (status != ZW_OK) {
            Py_CLEAR(bytes);
            (void)zpy_fail(status, NULL, NULL);
        }
    }
    zpy_free_sim(s);
    return bytes;
}

static PyObject *sim_restore(PyObject *self, PyObject *args)
{
    zpy_sim *s = (zpy_sim *)self;
    Py_buffer bytes;
    bool good = false;
    if (!PyArg_ParseTuple(args, "y*", &bytes)) return NULL;
    if (zpy_seize(s)) {
        good = be_on_the_way(s) && zpy_enter(s->model);
        if (good) {
            zw_status status = zw_sim_restore(s->sim, bytes.buf, (size_t)bytes.len);
            zpy_pull(s);
            good = zpy_judge(s->model, status, s->messages);
            zpy_leave(s->model);
        }
        zpy_free_sim(s);
    }
    PyBuffer_Release(&bytes);
    return good ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef zpy_motion_methods[] = {
    {"_begin", sim_begin, METH_VARARGS, "Begins a run, or notes the settings of one."},
    {"advance", (PyCFunction)(void (*)(void))sim_advance, METH_VARARGS | METH_KEYWORDS,
     "advance(dt) or advance(to=t): moves on by a time, or to one.\n\n"
     "True where that was reached; False where a `stop` of the model came first.\n"
     "q, v and t are then where the motion got to, also after an exception."},
    {"cancel", sim_cancel, METH_NOARGS,
     "Ends what another thread does with this simulation: its call raises zwang.Cancelled."},
    {"_conclude", sim_conclude, METH_NOARGS, "Messages about the run so far."},
    {"_rows", sim_rows, METH_VARARGS, "Fills a table, as `zwang run` writes it."},
    {"_run_rows", sim_run_rows, METH_VARARGS, "A table at these times."},
    {"save", sim_save, METH_NOARGS,
     "Everything the run depends on, as bytes; restore() goes on from them to the same bits."},
    {"restore", sim_restore, METH_VARARGS, "restore(bytes): goes back to where save() was called."},
    {0}};
