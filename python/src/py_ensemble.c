/*
 * Many members of one model, moved side by side in lanes and threads (zw_ensemble_run); then the
 * columns that were asked for, from the states at the sampled times: in as many threads, a simulation
 * each.
 *
 *     parameters --start--> states --ensemble--> samples --columns--> [member, time, column]
 */
#include "extension.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct ensemble_job {
    zpy_model *model;
    zw_ensemble e;
    zw_run_settings settings;
    const zw_columns *columns;
    int32_t width, n;
    double *out; /* [count * time_count * (width - 1)]: without the time */
    zpy_sim poll;
    int32_t thread_count;
} ensemble_job;

/* ------------------------------------------------------------------------------ start */

/* A simulation with a handle for each parameter that differs. */
static zw_status make_member_sim(ensemble_job *job, zw_sim **sim)
{
    zw_status status = zw_sim_create(job->model->model, sim);
    for (int32_t k = 0; status == ZW_OK && k < job->e.name_count; k++) {
        int32_t handle;
        status = zw_sim_parameter_handle(*sim, job->e.names[k], &handle);
    }
    return status;
}

/* Handles are numbered as they were given out. */
static zw_status set_member(zw_sim *sim, const ensemble_job *job, int64_t i)
{
    zw_status status = ZW_OK;
    const double *values = job->e.values + i * job->e.name_count;
    for (int32_t k = 0; status == ZW_OK && k < job->e.name_count; k++)
        status = zw_sim_set_parameter(sim, k, values + k, 1);
    return status;
}

/* The start of each member, with its own parameters. A member whose start is refused has NaN for a
 * state, and fails by itself. */
static zw_status start_members(ensemble_job *job, const char *assignments)
{
    zw_sim *sim = NULL;
    zw_status status = make_member_sim(job, &sim);
    for (int64_t i = 0; status == ZW_OK && i < job->e.count; i++) {
        double *q = job->e.state + i * 2 * job->n, t = job->settings.from;
        zw_status begun = set_member(sim, job, i);
        if (begun == ZW_OK) begun = zw_sim_start(sim, job->settings.accept_inconsistent);
        if (begun == ZW_OK && assignments) begun = zw_sim_assign(sim, assignments);
        if (begun == ZW_OK && assignments) begun = zw_sim_project(sim);
        if (begun == ZW_ERR_MEMORY || begun == ZW_ERR_BUDGET) status = begun;
        (void)zw_sim_state(sim, &t, q, q + job->n);
        for (int32_t k = 0; begun != ZW_OK && k < 2 * job->n; k++) q[k] = (double)NAN;
        if (!zpy_poll(&job->poll, NULL)) status = ZW_ERR_CANCELLED;
    }
    zw_sim_free(sim);
    if (status == ZW_OK) zw_context_clear_diagnostics(job->model->context); /* members say theirs */
    return status;
}

/* ---------------------------------------------------------------------------- columns */

typedef struct column_worker {
    ensemble_job *job;
    zw_sim *sim;
    pthread_t thread;
    int32_t number;
    bool running;
    zw_status status;
} column_worker;

/* The columns of one state, without the time; NaN where the member did not get to. */
static zw_status fill_state(column_worker *w, double *row, double t, const double *state,
                            double *to)
{
    const ensemble_job *job = w->job;
    size_t bytes = (size_t)(job->width - 1) * sizeof *to;
    if (isnan(state[0])) {
        for (int32_t k = 0; k + 1 < job->width; k++) to[k] = (double)NAN;
        return ZW_OK;
    }
    zw_status status = zw_sim_set_state(w->sim, t, state, state + job->n);
    if (status == ZW_OK) status = zw_sim_columns(w->sim, job->columns, row);
    if (status == ZW_OK) memcpy(to, row + 1, bytes);
    for (int32_t k = 0; status != ZW_OK && k + 1 < job->width; k++) to[k] = (double)NAN;
    return status == ZW_ERR_MEMORY || status == ZW_ERR_BUDGET ? status : ZW_OK;
}

/* A member whose parameters are no numbers has failed, and has no columns. */
static bool has_numbers(const ensemble_job *job, int64_t i)
{
    double sum = 0;
    for (int32_t k = 0; k < job->e.name_count; k++)
        sum += 0 * job->e.values[i * job->e.name_count + k]; /* 0, or NaN */
    return sum == 0;
}

/* Every so manyth member. */
static void *fill_columns(void *user)
{
    column_worker *w = user;
    const ensemble_job *job = w->job;
    if (!job) return NULL;
    double *row = calloc((size_t)job->width, sizeof *row);
    if (!row) w->status = ZW_ERR_MEMORY;
    for (int64_t i = w->number; w->status == ZW_OK && i < job->e.count; i += job->thread_count) {
        if (has_numbers(job, i)) w->status = set_member(w->sim, job, i);
        for (int32_t k = 0; w->status == ZW_OK && k < job->e.time_count; k++) {
            int64_t at = i * job->e.time_count + k;
            w->status = fill_state(w, row, job->e.times[k], job->e.samples + at * 2 * job->n,
                                   job->out + at * (job->width - 1));
        }
        if (w->number == 0 && !zpy_poll(&w->job->poll, NULL)) w->status = ZW_ERR_CANCELLED;
    }
    free(row);
    return NULL;
}

/* The caller's own thread is the first of them. Columns of the picture are for one at a time. */
static zw_status compute_columns(ensemble_job *job)
{
    enum { most = 64 };
    column_worker workers[most] = {{.job = job}};
    zw_status status = ZW_OK;
    if (job->thread_count > most) job->thread_count = most;
    for (int32_t k = 0; k < job->thread_count; k++) {
        workers[k] = (column_worker){.job = job, .number = k};
        if (status == ZW_OK) status = make_member_sim(job, &workers[k].sim);
    }
    for (int32_t k = 1; status == ZW_OK && k < job->thread_count; k++)
        workers[k].running =
            pthread_create(&workers[k].thread, NULL, fill_columns, &workers[k]) == 0;
    if (status == ZW_OK) (void)fill_columns(&workers[0]);
    for (int32_t k = 1; k < job->thread_count; k++) {
        if (workers[k].running)
            (void)pthread_join(workers[k].thread, NULL);
        else if (status == ZW_OK)
            (void)fill_columns(&workers[k]);
    }
    for (int32_t k = 0; k < job->thread_count; k++) {
        if (status == ZW_OK) status = workers[k].status;
        zw_sim_free(workers[k].sim);
    }
    return status;
}

/* ------------------------------------------------------------------------ the arguments */

static zw_status run_ensemble(ensemble_job *job, bool started, const char *assignments)
{
    zw_status status = started ? ZW_OK : start_members(job, assignments);
    if (status == ZW_OK) status = zw_ensemble_run(job->model->model, &job->settings, &job->e);
    if (status == ZW_OK && job->columns) status = compute_columns(job);
    return status;
}

static PyObject *describe_members(const zw_ensemble *e)
{
    PyObject *list = PyList_New(e->count);
    for (int64_t k = 0; list && k < e->count; k++) {
        const zw_member *m = &e->members[k];
        PyObject *entry = Py_BuildValue("(siOdLLL)", zw_status_name(m->status), (int)m->outcome,
                                        m->in_lanes ? Py_True : Py_False, m->t, (long long)m->steps,
                                        (long long)m->rejected, (long long)m->evaluations);
        if (!entry || PyList_SetItem(list, k, entry) != 0) Py_CLEAR(list);
    }
    return list;
}

/* What arrays an ensemble has; all of them in one place, to be released together. */
typedef struct ensemble_arrays {
    zpy_doubles values, times, state;
    const char **names;
    PyObject *samples, *out, *ends;
} ensemble_arrays;

static bool take_names(PyObject *list, ensemble_job *job, ensemble_arrays *a)
{
    a->names = zpy_take_words(list, &job->e.name_count);
    job->e.names = a->names;
    return a->names != NULL;
}

/* Results with their memory. */
static bool make_results(ensemble_job *job, ensemble_arrays *a)
{
    Py_ssize_t count = job->e.count, times = job->e.time_count;
    Py_ssize_t states[3] = {count, times, 2 * (Py_ssize_t)job->n};
    Py_ssize_t columns[3] = {count, times, job->width - 1};
    job->e.members = PyMem_Calloc((size_t)count + 1, sizeof *job->e.members);
    if (!job->e.members) return PyErr_NoMemory(), false;
    a->samples = zpy_new_array(3, states, &job->e.samples);
    a->ends = a->samples ? zpy_new_matrix(count, 2 * (Py_ssize_t)job->n, &job->e.state) : NULL;
    if (!a->ends) return false;
    if (job->columns) a->out = zpy_new_array(3, columns, &job->out);
    return !job->columns || a->out;
}

static void free_arrays(ensemble_job *job, ensemble_arrays *a)
{
    if (a->values.data) zpy_done(&a->values);
    if (a->times.data) zpy_done(&a->times);
    if (a->state.data) zpy_done(&a->state);
    PyMem_Free(a->names);
    PyMem_Free(job->e.members);
    Py_XDECREF(a->samples);
    Py_XDECREF(a->out);
    Py_XDECREF(a->ends);
}

/* Runs with the GIL released, within the context. */
static PyObject *work(ensemble_job *job, ensemble_arrays *a, const char *assignments)
{
    zw_status status;
    bool started = a->state.data != NULL;
    if (started) memcpy(job->e.state, a->state.data, (size_t)a->state.view.len);
    if (!zpy_enter(job->model)) return NULL;
    job->settings.poll = zpy_poll;
    job->settings.user = &job->poll;
    Py_BEGIN_ALLOW_THREADS;
    status = run_ensemble(job, started, assignments);
    Py_END_ALLOW_THREADS;
    bool good = !PyErr_Occurred() && zpy_judge(job->model, status, job->model->messages);
    zpy_leave(job->model);
    if (!good) return NULL;
    return Py_BuildValue("(OOON)", a->samples, a->out ? a->out : Py_None, a->ends,
                         describe_members(&job->e));
}

/* _ensemble(count, names, values, times, settings, columns, threads, state, assignments) */
PyObject *zpy_model_ensemble(PyObject *self, PyObject *args, PyObject *words)
{
    static char *given[] = {"count",   "names",   "values", "times",       "settings",
                            "columns", "threads", "state",  "assignments", NULL};
    PyObject *names, *values, *times, *settings, *columns, *state, *result = NULL;
    ensemble_job job = {.model = (zpy_model *)self};
    ensemble_arrays a = {0};
    long long count;
    int threads, parallel;
    const char *assignments;
    if (!PyArg_ParseTupleAndKeywords(args, words, "LO!OOO!O(ii)Oz", given, &count, &PyList_Type,
                                     &names, &values, &times, &PyDict_Type, &settings, &columns,
                                     &threads, &parallel, &state, &assignments))
        return NULL;
    job.n = zw_model_coordinate_count(job.model->model);
    job.e.count = count;
    job.e.threads = threads;
    job.thread_count = parallel;
    if (zw_run_defaults(job.model->model, &job.settings) != ZW_OK) return NULL;
    if (columns != Py_None) {
        job.columns = ((zpy_columns *)columns)->columns;
        job.width = zw_columns_count(job.columns);
    }
    bool good = zpy_read_settings(job.model->model, settings, &job.settings) &&
                take_names(names, &job, &a) &&
                zpy_read_count(values, "the parameters", count * job.e.name_count, &a.values) &&
                zpy_read(times, "the times", &a.times);
    if (good && state != Py_None)
        good = zpy_read_count(state, "the states", count * 2 * job.n, &a.state);
    if (good) {
        job.e.t = job.settings.from;
        job.e.values = a.values.data;
        job.e.times = a.times.data;
        job.e.time_count = (int32_t)a.times.count;
        if (make_results(&job, &a)) result = work(&job, &a, assignments);
    }
    free_arrays(&job, &a);
    return result;
}
